"""Work for a cluster: units that are slow, that fail, and that kill their workers."""

from __future__ import annotations

import os
import resource
import time
from pathlib import Path
from typing import Any


def doubled(shared: int, number: int) -> tuple[int, int]:
    """Return a product, and the process that made it."""
    time.sleep(0.2)
    return shared * number, os.getpid()


def size_of(shared: bytes, number: int) -> tuple[int, int]:
    return len(shared) + number, os.getpid()


def raising(shared: Any, number: int) -> int:  # noqa: ANN401
    if number == 1:
        raise ValueError("a secret: sk-0123456789")
    return number


def greedy(shared: Any, number: int) -> int:  # noqa: ANN401
    """Take more memory than there may be, end the process, or hang, as numbers say."""
    if number == 1:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 26), before[1]))
        try:
            return len(bytes(1 << 30))
        finally:
            resource.setrlimit(resource.RLIMIT_AS, before)
    if number == 2:
        os._exit(9)
    if number == 3:
        time.sleep(600)
    return number


def held(place: str, number: int) -> None:
    """Say that a processor is held, and keep it until the unit is cancelled."""
    (Path(place) / str(number)).touch()
    time.sleep(600)


def environment(shared: Any, number: int) -> list[str]:  # noqa: ANN401
    """Return the names in the environment of a worker."""
    return sorted(os.environ)
