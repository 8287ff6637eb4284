"""Puts made-up and mutated texts through every reader: each must read or refuse, in time, and keep its word.

    python tests/fuzzing.py --count 100000 [--loaders 20000] [--seed N] [--first NUMBER]

and, with ``--loaders``, so many mutated files through every loader (``loader_promises``), which may refuse them by
``TsgkitError`` and nothing else.

A text is made from the seed and its number alone, so that a failure is repeated by ``--seed N --first NUMBER --count
1``. The first failure ends the run (exit code 1). The promises stand in ``reader_promises``, the texts come from
``made_up_texts``.
"""

from __future__ import annotations

import argparse
import signal
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import NamedTuple

from loader_promises import LOADERS, Loader
from loader_promises import check as check_loader
from made_up_texts import make_up
from reader_promises import CHECKS, Broken, Check

SECONDS = 10.0
"""How long one check of one text may take: all texts are short enough for a tenth of it."""


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


def run(count: int, seed: int, *, first: int = 0, checks: dict[str, Check] | None = None) -> Tally:
    """Put ``count`` texts through all checks, up to the first failure."""
    tally = Tally()
    for number in range(first, first + count):
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

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


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


def main(argv: Sequence[str] | None = None) -> int:
    """Run from the command line; the result is the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("--count", type=int, default=10_000, help="how many texts (10,000)")
    parser.add_argument("--seed", type=int, default=1, help="the seed they are made from (1)")
    parser.add_argument("--first", type=int, default=0, help="the number of the first text (0)")
    parser.add_argument("--loaders", type=int, default=0, help="how many files for each loader (0)")
    chosen = parser.parse_args(argv)
    tally = run(chosen.count, chosen.seed, first=chosen.first)
    if tally.failure:
        check, fault, text = tally.failure
        print(f"failure: {check}\n  {ascii(': '.join(fault))[:2000]}\n  text: {text!a}")
        print(f"  repeat it: --seed {chosen.seed} --first {chosen.first + tally.texts} --count 1")
        return 1
    print(f"{tally.texts:,} texts and {tally.calls:,} calls, seed {chosen.seed}: no failure", flush=True)
    for name, loader in LOADERS.items() if chosen.loaders else ():
        if wrong := load_spoilt(name, loader, chosen.loaders, chosen.seed):
            print(f"failure: {name}: {wrong}")
            return 1
        print(f"{name}: {chosen.loaders:,} files, seed {chosen.seed}: no failure", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
