"""``python -m tsgkit`` is ``tsgkit``."""

import gc
import sys

from tsgkit.cli import main


def command() -> int:
    """Run one command as a program of its own."""
    gc.set_threshold(100_000, 20, 20)  # at its usual pace it walks, again and again, over libraries being loaded
    code = main()
    gc.freeze()  # or Python looks for garbage among all that LiteLLM loaded, for a second, before it ends
    return code


if __name__ == "__main__":
    sys.exit(command())
