"""Ctrl-C, and what ends a process politely: the first time what is in work comes home, the second time nobody waits."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager

TICK = 1.0
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""What ends a process: Ctrl-C, its manager, the terminal that closes; one that is ignored (nohup) stays so."""


@asynccontextmanager
async def ticking(ticked: Callable[[], None]) -> AsyncIterator[None]:
    """Call something every second while the block lasts, whatever else happens."""

    async def tick() -> None:
        while True:
            await asyncio.sleep(TICK)
            ticked()

    task = asyncio.create_task(tick())
    try:
        yield
    finally:
        task.cancel()


@contextmanager
def on_interrupts(first: Callable[[], None], again: Callable[[], None]) -> Iterator[None]:
    """Inside a running event loop: what is done at the first interrupt, and at every further one."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    loop = asyncio.get_running_loop()
    interrupted = False

    def on_signal() -> None:
        nonlocal interrupted
        todo, interrupted = again if interrupted else first, True
        todo()

    heard = [number for number in SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    for number in heard:
        loop.add_signal_handler(number, on_signal)
    try:
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
