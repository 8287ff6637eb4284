"""Puts made-up and mutated texts through every reader: each must read or refuse, in time, and keep its word.

Mutated files go through every loader (``loader_promises``), which may refuse them by ``TsgkitError`` and nothing else.
``TSGKIT_FUZZ`` says how many times as many texts and files are tried as in the tests. A text is made from the seed and
its number alone. The promises stand in ``reader_promises``, the texts come from ``made_up_texts``.
"""

from __future__ import annotations

import os
import signal
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from loader_promises import Loader
from loader_promises import check as check_loader
from made_up_texts import make_up
from reader_promises import CHECKS, Broken, Check

TIMES = int(os.environ.get("TSGKIT_FUZZ", "1"))
SECONDS = 10.0
"""Processor time that one check of one text may take: all texts are short enough for a tenth of it."""


class Hang(BaseException):
    """A check did not end in time; no ``Exception``, so that no reader takes it for its own."""


class Fault(NamedTuple):
    """A failure on a text: its kind, and the details."""

    kind: str
    detail: str = ""


@dataclass
class Tally:
    """What a fuzzing run did, and the check, fault and text of the first failure."""

    texts: int = 0
    calls: int = 0
    failure: tuple[str, Fault, str] | None = None


def run(count: int, seed: int, checks: dict[str, Check] | None = None) -> Tally:
    """Put ``count`` texts through all checks, up to the first failure."""
    tally = Tally()
    for number in range(count):
        text = made_up(seed, number)
        for name, check in (CHECKS if checks is None else checks).items():
            outcome = put_through(check, text)
            if isinstance(outcome, Fault):
                tally.failure = (name, outcome, text)
                return tally
            tally.calls += outcome
        tally.texts += 1
    return tally


def made_up(seed: int, number: int) -> str:
    return make_up(Random(f"{seed}/{number}"))


def put_through(check: Check, text: str, seconds: float = SECONDS) -> int | Fault:
    try:
        with alarm(seconds):
            return check(text)
    except Hang:
        return Fault("does not end", f"not within {seconds:g} s")
    except Broken as broken:
        return Fault(broken.promise, broken.detail)
    except Exception as error:  # noqa: BLE001  (whatever a reader raises is what we look for)
        return Fault(f"raises {type(error).__name__}", str(error))


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def load_spoilt(name: str, loader: Loader, count: int, seed: int) -> str:
    """Put so many mutated files through a loader; return which was the first that it did not load or refuse."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that overflow, say
        for number in range(count):
            try:
                with alarm(SECONDS):
                    check_loader(loader, Random(f"{seed}/{name}/{number}"), Path(folder))
            except Hang:
                return f"file {number}: does not end within {SECONDS:g} s"
            except Exception as error:  # noqa: BLE001  (whatever a loader raises is what we look for)
                return f"file {number}: raises {type(error).__name__}: {error}"
    return ""
