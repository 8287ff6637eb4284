"""Work begun in a process of its own, so that this one can answer meanwhile.

>>> wait = start_in_process(lambda: sum(range(10)))
>>> wait()
45
"""

from __future__ import annotations

import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import TypeVar

Made = TypeVar("Made")


def start_in_process(make: Callable[[], Made]) -> Callable[[], Made]:
    """Begin some work, and return a function that waits for its result.

    The work is done here, when it is waited for, where its process failed, and where none can be started safely: a copy
    of a process with several threads would hold their locks in whatever state they are.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return make
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_send, args=(make, sending), daemon=True)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})  # only this process hears interrupts
    process.start()
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    sending.close()

    def wait() -> Made:
        try:
            outcome: Made = receiving.recv()
        except (EOFError, OSError):
            return make()
        finally:
            receiving.close()
            process.join()
        return outcome

    return wait


def _send(make: Callable[[], object], sending: Connection) -> None:
    try:
        sending.send(make())
    except Exception:  # noqa: BLE001 - whatever it is, it is met again where the result is waited for
        sending.close()
