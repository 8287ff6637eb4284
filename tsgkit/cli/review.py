"""Reviews by a person, here or on a page: their options, the way of asking for every decision that is missing, and
the review of proposed changes of graphs.

What is typed is read so that a signal is heard at any moment. Python runs the handler of a signal between two of its
own steps: one that arrives when ``readline`` has begun, and its wait for the terminal has not, is heard only with the
next line. Here a signal ends the wait in either case.
"""

from __future__ import annotations

import argparse
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from tsgkit.cli.terminal import complain, inert, say, say_lines
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.library.files import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import CleanedNarrative
    from tsgkit.library.documents.reader import Document
    from tsgkit.serve.decision_protocol import DecisionQueue, EntryPart

TERMINAL, BROWSER = "terminal", "browser"
SIGNS = {"removed": "-", "added": "+", None: " "}
STOP = "q stop and go on later"


def add_review_place(parser: argparse.ArgumentParser) -> None:
    """Add the option --review-in."""
    about = "review here, or on a page in the browser, which needs tsgkit[view]; implies --review (default: terminal)"
    parser.add_argument("--review-in", choices=(TERMINAL, BROWSER), help=about)


def resolve_review_place(arguments: argparse.Namespace) -> None:
    """Set --review where --review-in is given, and the place where it is not.

    Raise ``ExtraMissing`` if the page cannot be served, which is found before a model is asked.
    """
    arguments.review = arguments.review or arguments.review_in is not None
    arguments.review_in = arguments.review_in or TERMINAL
    if arguments.review_in == BROWSER:
        from tsgkit.serve.local_server import require_server

        require_server()


def require_terminal() -> None:
    """Raise ``UsageError`` if standard input is not a terminal."""
    if not sys.stdin.isatty():
        hint = "run it in a terminal, use --review-in browser, or omit --review to write all items without errors"
        raise UsageError("--review needs a terminal, and standard input is not one", hint=hint)


def all_decided(queue: DecisionQueue, *, in_browser: bool) -> bool:
    """Ask a person for the decisions that are missing, and return whether all are made."""
    if in_browser:
        from tsgkit.serve.decision_page import decide_in_browser

        return decide_in_browser(queue, say=say)
    from tsgkit.serve.decision_protocol import first_undecided

    lines, standing = TypedLines(sys.stdin), dict[str, str]()
    while (number := first_undecided(queue.entries())) is not None:
        if not _decided(queue, number, lines, standing):
            return False
        queue.decide_alike(standing)
    return True


def _decided(queue: DecisionQueue, number: int, lines: TypedLines, standing: dict[str, str]) -> bool:
    """Show an entry in the terminal until the person decides; False where the person stops."""
    from tsgkit.serve.decision_protocol import EDIT

    entries, shown = queue.entries(), queue.shown(number)
    kind, edited = entries[number]["kind"], None
    alike = sum(entry["decision"] is None and entry["kind"] == kind for entry in entries) - 1 if kind else 0
    choices = {each["key"]: each for each in shown["choices"] if each["choice"] != EDIT}
    keys = [f"{key} {each['label'].lower()}" for key, each in choices.items()]
    keys += [f"{next(iter(choices))}! and {alike:,} more of {kind}"] if alike else []
    keys += ["? how to edit"] if queue.typed else []
    say_lines(map(inert, shown_lines(shown, f"{number + 1} of {len(entries)}")))
    while (words := lines.asked(", ".join([*keys, STOP]))) not in (None, "q"):
        key, _, note = (words or "").partition(" ")
        try:
            if key.removesuffix("!") in choices:
                choice = choices[key.removesuffix("!")]["choice"]
                if key.endswith("!") and kind:
                    standing[kind] = choice
                is_kept = edited is not None and choice == shown["choices"][0]["choice"]
                queue.decide(number, EDIT if is_kept else choice, edited if is_kept else None, note.strip())
                return True
            if queue.typed and words not in ("", "?"):
                edited = queue.typed(number, edited, words or "")
                if queue.preview:
                    say_lines(map(inert, part_lines(queue.preview(number, edited))))
            elif queue.typed:
                say(f"  {queue.forms}")
        except TsgkitError as error:
            say(f"  {inert(error.message)}" + (f"; {inert(error.hint)}" if error.hint else ""))
            if queue.in_order and queue.decision(number) is not None:  # by another process
                return True
    return False


def shown_lines(shown: Mapping[str, Any], place: str) -> Iterator[str]:
    """Yield an entry as the terminal shows it."""
    yield f"{place}: {shown['name']}"
    for context in shown["context"]:
        yield f"  ({context['text']})" if context["pale"] else f"  {context['text']}"
    yield from part_lines(shown["parts"])
    if shown["reason"]:
        yield f"  because: {shown['reason']}" + (f" [{shown['code']}]" if shown["code"] else "")


def part_lines(parts: Sequence[EntryPart]) -> Iterator[str]:
    """Yield the parts of an entry."""
    for part in parts:
        if part["kind"] == "text":
            yield f"  {part['title'].lower()}: {part['text']}"
            continue
        if part["kind"] == "graph":
            triplets, marks = part["triplets"] or (), part.get("marks", ())
            signs = [SIGNS.get(mark, "*") for mark in marks] or [" "] * len(triplets)
            pairs = zip(signs, triplets, strict=True)
            lines: Sequence[str] = [f"{sign} {' -> '.join(each)}" for sign, each in pairs] or ["  (none)"]
        else:
            lines = part["lines"]
        if lines:
            yield f"  {part['title'].lower()}:"
            yield from (f"    {line}" for line in lines)


class TypedLines:
    """The lines of a stream, in turn. Nothing else may read it meanwhile."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.left = b""

    def asked(self, what: str) -> str | None:
        """Say what may be typed, and return the line without spaces around it; None at the end of the input."""
        say(f"  {what}:")
        sys.stdout.flush()
        line = self.next()
        return line.strip() if line else None

    def next(self) -> str:
        """Return the next line with its end; empty at the end of the input."""
        # Nothing can be waited for in other threads, on consoles of Windows, and where the text is in memory.
        handle = None
        if sys.platform != "win32" and threading.current_thread() is threading.main_thread():
            with suppress(AttributeError, OSError):
                handle = self.stream.fileno()
        if handle is None:
            return self.stream.readline()
        while b"\n" not in self.left:
            _wait(handle)
            if not (read := os.read(handle, 4096)):
                break
            self.left += read
        line, end, self.left = self.left.partition(b"\n")
        return (line + end).decode(self.stream.encoding, self.stream.errors or "strict")


def _wait(handle: int) -> None:
    """Wait until there is something to read, or the input is at its end."""
    hearing, signalled = os.pipe()
    os.set_blocking(signalled, False)
    before = signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    try:
        while handle not in select.select([handle, hearing], [], [])[0]:
            os.read(hearing, 4096)  # a signal whose handler raises nothing
    finally:
        signal.set_wakeup_fd(before)
        os.close(hearing)
        os.close(signalled)


def review_of(
    document: Document,
    cleaned: Sequence[CleanedNarrative],
    out: str,
    told: Sequence[str],
    *,
    force: bool,
    in_browser: bool,
) -> list[CleanedNarrative] | None:
    """Return the cleaned graphs with only the accepted changes and the reviewer's notes; None if the review is not
    finished.

    The decisions are made in the terminal or on a page. The review does not start if its result could not be written:
    without ``force``, ``out`` must not exist.
    """
    from tsgkit.agents.review import reviewed
    from tsgkit.runs.decisions import Decisions
    from tsgkit.serve.graph_review import graph_review, proposed_in

    proposed = list(proposed_in(document, cleaned, told))
    queue = graph_review(proposed, Decisions(Path(f"{out}.review.jsonl")), out)
    if any(entry["decision"] is None for entry in queue.entries()):
        refuse_to_overwrite(out, force=force)
        if not all_decided(queue, in_browser=in_browser):
            complain("left before the end; nothing was written", "the same command goes on with this review")
            return None
    decisions = [queue.decision(number) or {} for number in range(len(proposed))]
    return reviewed([entry.narrative for entry in document.entries], cleaned, decisions)
