"""Reviews by a person, here or on a page: their options, the way of asking for every decision that is missing, and the
review of proposed changes of graphs, of which a person accepts, rejects or edits each.

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
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TextIO

from tsgkit.cli.terminal import complain, inert, say, say_lines
from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation import arrow
from tsgkit.graph.rules import check_graph, check_narrative
from tsgkit.library.overwrites import refuse_to_overwrite

if TYPE_CHECKING:
    from tsgkit.agents.cleaner import Cleaned
    from tsgkit.agents.review import Review
    from tsgkit.graph.repairs import Change
    from tsgkit.library.documents.reader import Document
    from tsgkit.serve.decidable import Choice, Decidable, Entry, Part, Shown

TERMINAL, BROWSER = "terminal", "browser"
FORM = "source -> edge -> target"
UNCHANGED = "nothing would change: its triplet went with an earlier decision"
SIGNS = {"removed": "-", "added": "+", None: " "}
KEYS = "a accept, r reject, e edit, q stop and go on later"
CHOICES: tuple[Choice, ...] = (
    {"choice": "accept", "label": "Accept", "key": "a"},
    {"choice": "reject", "label": "Reject", "key": "r"},
    {"choice": "edit", "label": "Edit", "key": "e"},
)


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


def all_decided(page: Decidable, ask: Callable[[int, TypedLines], bool], *, in_browser: bool) -> bool:
    """Ask for the decisions that are missing, and return whether all are made.

    In the terminal ``ask`` shows the entry of a number until the person decides; it is False where the person stops.
    """
    if in_browser:
        from tsgkit.serve.decision_page import decide_in_browser

        return decide_in_browser(page, say=say)
    left = [number for number, entry in enumerate(page.entries()) if entry["decision"] is None]
    lines = TypedLines(sys.stdin)
    return all(ask(number, lines) for number in left)


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


class Proposed(NamedTuple):
    """A change to decide about, with all changes of its graph and their context."""

    change: Change
    item: str
    graph: ActionGraph
    sentence: str
    changes: Sequence[Change]
    """All that are proposed for the graph, in their order."""
    place: int
    """Its number among them."""
    neighbours: tuple[str, str] = ("", "")
    """The sentences before and after, if they are others."""
    vocabulary: Vocabulary | None = None
    """L, if the item has one."""
    names: Vocabulary = Vocabulary()
    """The names offered for an edit: L, or all of the item."""

    @property
    def title(self) -> str:
        """The place of the change, and by whom it is proposed."""
        sure = "" if self.change.sure is None else f", {100 * self.change.sure:.0f} %"
        return f"item {self.item}, graph {self.change.graph + 1} ({self.change.by}{sure})"

    def parts(self, decisions: Sequence[Mapping[str, Any]], decision: Mapping[str, Any] | None = None) -> list[Part]:
        """Return the graph as the earlier decisions about all graphs leave it, and as a decision about this change
        (None: accept) would make it; then a note if nothing would change, and the findings that would be left."""
        from tsgkit.agents.review import ACCEPTED, before_and_after

        of_this_graph = [dict(each) for each in decisions[len(decisions) - self.place :]]
        before, after = before_and_after(self.graph, self.changes, of_this_graph, dict(decision or ACCEPTED))
        parts: list[Part] = []
        for title, mark, graph, other in (("Before", "removed", before, after), ("After", "added", after, before)):
            unmatched, marks = Counter(other.triplets), list[str | None]()
            for triplet in graph.triplets:
                marks.append(None if unmatched[triplet] > 0 else mark)
                unmatched[triplet] -= 1
            triplets = [list(triplet) for triplet in graph.triplets]
            parts.append({"kind": "graph", "title": title, "triplets": triplets, "marks": marks})
        if before.triplets == after.triplets:
            parts.append({"kind": "text", "title": "Note", "text": UNCHANGED})
        if findings := [f"{each.code}: {each.message}" for each in check_graph(after, self.vocabulary)]:
            parts.append({"kind": "lines", "title": "Findings afterwards", "lines": findings})
        return parts


def proposed_in(document: Document, cleaned: Sequence[Cleaned], told: Sequence[str]) -> Iterator[Proposed]:
    """Yield the changes of a document in the order in which they are decided."""
    from tsgkit.agents.passages import sentences_of_graphs

    for entry, result in zip(document.entries, cleaned, strict=True):
        narrative, sentences = entry.narrative, sentences_of_graphs(entry.narrative, told)
        names = narrative.vocabulary or Vocabulary.of(narrative.graphs)
        for number in result.touched if result.changes else ():
            changes = [change for change in result.changes if change.graph == number]
            graph, sentence = narrative.graphs[number], sentences[number]
            before = next((other for other in reversed(sentences[:number]) if other != sentence), "")
            after = next((other for other in sentences[number + 1 :] if other != sentence), "")
            context = ((before, after), narrative.vocabulary, names)
            for place, change in enumerate(changes):
                yield Proposed(change, entry.item, graph, sentence, changes, place, *context)


def review_of(
    document: Document, cleaned: Sequence[Cleaned], out: str, told: Sequence[str], *, force: bool, in_browser: bool
) -> list[Cleaned] | None:
    """Return the cleaned graphs with only the accepted changes and the reviewer's notes; None if the review is not
    finished.

    The decisions are made in the terminal or on a page. The review does not start if its result could not be written:
    without ``force``, ``out`` must not exist.
    """
    from tsgkit.agents.review import Review, decided, proposal
    from tsgkit.graph.repairs import Change

    proposed = list(proposed_in(document, cleaned, told))
    with Review(Path(f"{out}.review"), [proposal(each.change, each.item) for each in proposed]) as review:
        page = GraphReview(proposed, review, out)
        if len(page.decisions) < len(proposed):
            refuse_to_overwrite(out, force=force)
            if not all_decided(page, page.ask, in_browser=in_browser):
                complain("left before the end; nothing was written", "the same command goes on with this review")
                return None
        decisions, reviewed = iter(page.decisions), []
    for entry, result in zip(document.entries, cleaned, strict=True):
        before = entry.narrative.graphs
        pairs = [(change, next(decisions)) for change in result.changes]
        graphs, changes, touched = list(before), list[Change](), list[int]()
        for number in result.touched:
            mine = [pair for pair in pairs if pair[0].graph == number]
            of_graph, choices = [change for change, _ in mine], [decision for _, decision in mine]
            graphs[number], accepted = decided(before[number], result.narrative.graphs[number], of_graph, choices)
            changes += accepted
            touched += [number] if graphs[number].triplets != before[number].triplets else []
        narrative, notes = entry.narrative.with_graphs(graphs), list(result.notes)
        for change, decision in pairs:
            if note := decision.get("note"):
                notes.append(f"graph {change.graph + 1}, {change.code}, {decision['decision']}: {note}")
        graphs_and_reasons: dict[str, Any] = {"narrative": narrative, "changes": tuple(changes), "notes": tuple(notes)}
        after = tuple(check_narrative(narrative))
        reviewed.append(replace(result, **graphs_and_reasons, after=after, touched=tuple(touched)))
    return reviewed


@dataclass(frozen=True)
class GraphReview:
    """Proposals as entries of a page; they are decided in order, and a decision is not changed."""

    proposed: Sequence[Proposed]
    review: Review
    """Keeps the decisions."""
    out: str
    title: str = "Review of proposed changes"
    in_order: bool = True

    @property
    def done_message(self) -> str:
        """The words about what follows."""
        return f"The command goes on and writes {self.out}."

    @property
    def decisions(self) -> list[dict[str, Any]]:
        """The decisions about the first proposals."""
        return self.review.decisions

    def entries(self) -> list[Entry]:
        """Return all proposals with their decisions."""
        decisions = [each["decision"] for each in self.decisions]
        decisions += [None] * (len(self.proposed) - len(decisions))
        names = (f"item {one.item}, graph {one.change.graph + 1}: {one.change.code}" for one in self.proposed)
        return [{"name": name, "decision": each} for name, each in zip(names, decisions, strict=True)]

    def shown(self, number: int) -> Shown:
        """Return a proposal: as it would be if it is accepted, or as it was decided."""
        from tsgkit.serve.decidable import elements_of

        one, made = self.proposed[number], self.decisions
        decision = made[number] if number < len(made) else None
        (before, after), sentence = one.neighbours, one.sentence or "(no sentence is known)"
        context = ((before, True), (sentence, not one.sentence), (after, True))
        triplet = one.change.after or one.change.before or ("", "", "")
        return {
            "name": one.title,
            "context": [{"text": text, "pale": is_pale} for text, is_pale in context if text],
            "parts": self._parts(number, decision),
            "reason": one.change.reason,
            "code": one.change.code,
            "choices": CHOICES,
            "edit": {"kind": "triplet", "value": list(triplet), "elements": elements_of(one.names)},
            "decided": None
            if decision is None
            else {"choice": decision["decision"], "edited": decision["after"], "note": decision.get("note", "")},
        }

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401  (as JSON has it)
        """Return the graph as an edit would make it."""
        return self._parts(number, {"decision": "edit", "after": _triplet(edited)})

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        """Decide about a proposal, which must be the next one. Raise ``UsageError`` if it is not."""
        after = _triplet(edited) if choice == "edit" else None
        done = len(self.decisions)
        if number != done:
            problem = "is decided already" if number < done else "comes later"
            raise UsageError(f"proposal {number + 1} {problem}", hint=f"number {done + 1} is next")
        self.review.decide(choice, after, note)

    def ask(self, number: int, lines: TypedLines) -> bool:
        """Show one proposal in the terminal and read the decision; False where the person leaves."""
        place = f"{number + 1} of {len(self.proposed)}"
        say_lines(map(inert, shown_lines(self.proposed[number], self.decisions, place)))
        while (key := lines.asked(KEYS)) not in (None, "q"):
            if key in ("a", "r"):
                self.decide(number, "accept" if key == "a" else "reject", None)
                return True
            if key == "e":
                try:
                    self.decide(number, "edit", [*triplet_of(lines.asked(FORM) or "")])
                except UsageError as error:
                    say(f"  {inert(error.message)}")
                else:
                    return True
        return False

    def _parts(self, number: int, decision: Mapping[str, Any] | None) -> list[Part]:
        """Return a proposal after the decisions before it; those that are not made yet are taken as accepted."""
        made = self.decisions[:number]
        return self.proposed[number].parts(made + [{"decision": "accept"}] * (number - len(made)), decision)


def shown_lines(one: Proposed, decisions: Sequence[Mapping[str, Any]], place: str) -> Iterator[str]:
    """Yield a proposal as the terminal shows it: the sentence, the graph as decided so far and with the change, and
    the reason."""
    yield f"{place}: {one.title}"
    yield f"  sentence: {one.sentence or '(none is known)'}"
    for part in one.parts(decisions):
        if part["kind"] == "graph":
            yield f"  {part['title'].lower()}:"
            for triplet, mark in zip(part["triplets"] or (), part["marks"], strict=True):
                yield f"    {SIGNS[mark]} {' -> '.join(triplet)}"
            if not part["triplets"]:
                yield "      (no triplet)"
        elif part["kind"] == "text":
            yield f"  ({part['text']})"
    yield f"  because: {one.change.reason} [{one.change.code}]"


def triplet_of(text: str) -> tuple[str, str, str]:
    """Return the triplet in a line of arrow text. Raise ``UsageError`` if it is none."""
    try:
        [graph] = arrow.parse(text)
        [triplet] = graph.triplets
    except NotationError as error:
        raise UsageError(f"that is no triplet: {error.message}", hint=error.hint or FORM) from None
    except ValueError:
        raise UsageError("that is no triplet", hint=FORM) from None
    return triplet.source, triplet.edge, triplet.target


def _triplet(edited: Any) -> tuple[str, str, str]:  # noqa: ANN401
    """Return an edited triplet. Raise ``UsageError`` for one that could not be typed in the terminal."""
    if not (isinstance(edited, list) and len(edited) == 3 and all(isinstance(name, str) for name in edited)):
        raise UsageError("an edit is a triplet", hint="three names: source, edge and target")
    return triplet_of(arrow.ARROW.join(name.strip() for name in edited))
