"""The sizes of benchmarks: the full ones, or with ``--smoke`` the smallest, which show in seconds that they still work.

Limits hold for full sizes alone, so nothing is missed in a smoke run.
"""

from __future__ import annotations

import sys
from typing import TypeVar

T = TypeVar("T")

SMOKE = "--smoke" in sys.argv
if SMOKE:
    sys.argv.remove("--smoke")  # so that no benchmark has to know the option


def sized(full: T, smallest: T) -> T:
    """Return how large something is in this run."""
    return smallest if SMOKE else full
