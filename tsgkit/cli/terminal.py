"""Terminal output: data without control characters, errors in one line, counts in words, progress."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from tsgkit.errors import FileProblem
from tsgkit.report.plain_text import OUTPUT
from tsgkit.report.plain_text import count as count
from tsgkit.report.plain_text import inert as inert

if TYPE_CHECKING:
    from tsgkit.defaults import Client
    from tsgkit.report.terminal import Screen
    from tsgkit.runs.jobs import JobWatch

MEGABYTE = 1_000_000


@contextmanager
def _writing() -> Iterator[None]:
    """Raise ``FileProblem`` where standard output cannot be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        let_go_of_stdout()
        raise FileProblem(f"standard output: cannot be written: {error.strerror}") from None


def say(text: str = "") -> None:
    """One line of a command's output; ``FileProblem`` where it cannot be written."""
    with _writing():
        _print(text, OUTPUT.get() or sys.stdout)


def say_lines(lines: Iterable[str]) -> None:
    """Say several lines."""
    for line in lines:
        say(line)


def say_json(value: object, indent: int | None = 2, *, ensure_ascii: bool = True) -> None:
    """Say a value as JSON."""
    import json

    say(json.dumps(value, indent=indent, ensure_ascii=ensure_ascii))


def wants_colour() -> bool:
    """Return whether standard output is a terminal that shows colours."""
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb" and sys.stdout.isatty()


def screen() -> Screen:
    """Return the output device: a terminal with its width and colours, else a pipe or file."""
    from tsgkit.report.terminal import Screen

    if OUTPUT.get() is not None or not sys.stdout.isatty():
        return Screen()
    return Screen(columns(), wants_colour())


def columns() -> int:
    """Return the width of the terminal, as ``shutil`` does, whose import would be a tenth of ``tsgkit --help``."""
    with suppress(ValueError):
        if (wanted := int(os.environ.get("COLUMNS", ""))) > 0:
            return wanted
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]
    return 80


def flush() -> None:
    """Write pending output. Raise ``FileProblem`` if it cannot be written."""
    with _writing():
        sys.stdout.flush()


def let_go_of_stdout() -> None:
    """Discard pending output, so that Python's own last write does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def fill_closed_streams() -> None:
    """Open null devices for closed standard streams, so that no file of ours gets their number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number is this one
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  (as long as the process)
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def complain(message: str, hint: str = "") -> None:
    """Print one error or note, with what to do next."""
    lines = [f"tsgkit: {inert(message)}", *(f"  {inert(line)}" for line in hint.split("\n") if hint)]
    with suppress(OSError):  # where errors cannot be told either, the exit code says it
        _print("\n".join(lines), sys.stderr)


def complain_first(messages: Iterable[str], shown: int, rest: str) -> None:
    """Print some of several errors or notes, and how many more there are: ``rest`` has a place for the number."""
    listed = list(messages)
    for message in listed[:shown]:
        complain(message)
    if len(listed) > shown:
        complain(rest.format(len(listed) - shown))


def complain_unread(file: str, number: int, hint: str = "tsgkit check shows what was repaired or left out") -> None:
    """Print how many lines and parts of a file of graphs were not read as they stand, if there are any."""
    if number:
        complain(f"{file}: {count(number, 'line or part', 'lines or parts')} not read as it stands", hint)


def job_watch(*, quiet: bool) -> JobWatch:
    """Return the callbacks that show the progress of a job on standard error, or none."""
    from tsgkit.runs.jobs import JobWatch

    if quiet:
        return JobWatch()
    from tsgkit.report.progress import Progress

    return Progress().watch


def announce_litellm(asked: Mapping[str, Any] | None = None, client: Client | None = None) -> None:
    """Print that LiteLLM is loaded, which takes a while; of models with their settings, only if it is for one."""
    from tsgkit.llm.asker import needs_litellm

    if asked is None or needs_litellm(asked, client):
        print("loading LiteLLM, a few seconds ...", file=sys.stderr, flush=True)


class DownloadProgress:
    """Progress on standard error: one changing line on a terminal, else a line at every tenth."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.file, self.step = "", -1
        self.shown, self.is_open = 0.0, False

    def __call__(self, file: str, so_far: int, total: int | None) -> None:
        """Show how much of a file has come."""
        of_total = f" of {size_of(total)} ({100 * so_far // total} %)" if total else ""
        amount = inert(f"{file}: {size_of(so_far)}{of_total}")
        is_last = so_far == total
        if self.is_terminal:
            if is_last or file != self.file or time.monotonic() - self.shown > 0.1:
                print(f"\r\x1b[K{amount}", end="", file=sys.stderr, flush=True)
                self.shown, self.is_open = time.monotonic(), True
        else:
            step = 10 * so_far // total if total else so_far // (10 * MEGABYTE)
            if file != self.file or step != self.step:
                print(amount, file=sys.stderr, flush=True)
            self.step = step
        self.file = file

    def end(self) -> None:
        """Leave the line that changes."""
        if self.is_open:
            print(file=sys.stderr, flush=True)
        self.is_open = False


def size_of(number: int) -> str:
    """Return a number of bytes in kilobytes or megabytes."""
    return f"{number / MEGABYTE:.1f} MB" if number >= MEGABYTE else f"{number / 1000:.1f} kB"


def _print(text: str, stream: object) -> None:
    """Print, with a question mark for each character that the terminal's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=stream)  # type: ignore[call-overload]
