"""``python -m tsgkit`` is ``tsgkit``."""

import gc
import signal
import sys

from tsgkit.errors import INTERRUPTED


def command() -> int:
    """Run one command as a program of its own."""
    gc.set_threshold(100_000, 20, 20)  # at its usual pace it walks, again and again, over libraries being loaded
    try:
        from tsgkit.cli import main

        code = main()
    except KeyboardInterrupt:  # before or after main, which handles it itself
        print("tsgkit: interrupted", file=sys.stderr)
        code = INTERRUPTED
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # nothing is left but to end
    gc.freeze()  # or Python looks for garbage among all that LiteLLM loaded, for a second, before it ends
    return code


if __name__ == "__main__":
    sys.exit(command())
