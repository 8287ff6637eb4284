"""Public names of the package ``scoring``."""

from __future__ import annotations

import subprocess
import sys

from tsgkit import scoring


def test_every_offered_name_exists_and_is_listed_once() -> None:
    assert all(hasattr(scoring, name) for name in scoring.__all__)
    assert len(set(scoring.__all__)) == len(scoring.__all__)


def test_importing_the_room_imports_no_heavy_library() -> None:
    code = "import sys, tsgkit.scoring; print({'nltk', 'networkx', 'numpy'} & {m.split('.')[0] for m in sys.modules})"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "set()\n"
