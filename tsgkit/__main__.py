"""``python -m tsgkit`` is ``tsgkit``."""

import sys

from tsgkit.cli import main

sys.exit(main())
