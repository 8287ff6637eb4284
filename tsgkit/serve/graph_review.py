"""Review of proposed changes of graphs: a person accepts, rejects or edits each, one after the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from tsgkit.agents.cleaner import CleanedNarrative
from tsgkit.agents.passages import sentences_of_graphs
from tsgkit.agents.review import ACCEPTED, Review, before_and_after, decided
from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.model import ActionGraph, Vocabulary
from tsgkit.graph.notation import arrow
from tsgkit.graph.repairs import Change
from tsgkit.graph.rules import check_graph, check_narrative
from tsgkit.library.documents.reader import Document
from tsgkit.serve.decision_protocol import Choice, Entry, Part, Shown, elements_of

FORM = "source -> edge -> target"
UNCHANGED = "nothing would change: its triplet went with an earlier decision"
CHOICES: tuple[Choice, ...] = (
    {"choice": "accept", "label": "Accept", "key": "a"},
    {"choice": "reject", "label": "Reject", "key": "r"},
    {"choice": "edit", "label": "Edit", "key": "e"},
)


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


def proposed_in(document: Document, cleaned: Sequence[CleanedNarrative], told: Sequence[str]) -> Iterator[Proposed]:
    """Yield the changes of a document in the order in which they are decided."""
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


@dataclass(frozen=True)
class GraphReview:
    """Proposals as entries of a page; they are decided in order, and a decision is not changed."""

    proposed: Sequence[Proposed]
    review: Review
    """Keeps the decisions."""
    out: str
    title: str = "Review of proposed changes"
    in_order: bool = True
    forms: str = FORM

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
        return [
            {
                "name": f"item {each.item}, graph {each.change.graph + 1}: {each.change.code}",
                "decision": decision,
                "kind": each.change.code,
            }
            for each, decision in zip(self.proposed, decisions, strict=True)
        ]

    def shown(self, number: int) -> Shown:
        """Return a proposal: as it would be if it is accepted, or as it was decided."""
        proposed, decisions = self.proposed[number], self.decisions
        decision = decisions[number] if number < len(decisions) else None
        (before, after), sentence = proposed.neighbours, proposed.sentence or "(no sentence is known)"
        context = ((before, True), (sentence, not proposed.sentence), (after, True))
        triplet = proposed.change.after or proposed.change.before or ("", "", "")
        return {
            "name": proposed.title,
            "context": [{"text": text, "pale": is_pale} for text, is_pale in context if text],
            "parts": self._parts(number, decision),
            "reason": proposed.change.reason,
            "code": proposed.change.code,
            "choices": CHOICES,
            "edit": {"kind": "triplet", "value": list(triplet), "elements": elements_of(proposed.names)},
            "decided": None
            if decision is None
            else {"choice": decision["decision"], "edited": decision["after"], "note": decision.get("note", "")},
        }

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401  (as JSON has it)
        """Return the graph as an edit would make it."""
        return self._parts(number, {"decision": "edit", "after": _triplet(edited)})

    def typed(self, number: int, edited: Any, line: str) -> Any:  # noqa: ANN401
        """Return the triplet of a line."""
        return [*triplet_of(line)]

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        """Decide about a proposal, which must be the next one. Raise ``UsageError`` if it is not."""
        after = _triplet(edited) if choice == "edit" else None
        done = len(self.decisions)
        if number != done:
            problem = "is decided already" if number < done else "comes later"
            raise UsageError(f"proposal {number + 1} {problem}", hint=f"number {done + 1} is next")
        self.review.decide(choice, after, note)

    def _parts(self, number: int, decision: Mapping[str, Any] | None) -> list[Part]:
        """Return a proposal after the decisions before it; those that are not made yet are taken as accepted."""
        before = self.decisions[:number]
        return self.proposed[number].parts(before + [ACCEPTED] * (number - len(before)), decision)


def reviewed(
    document: Document, cleaned: Sequence[CleanedNarrative], decisions: Sequence[Mapping[str, Any]]
) -> list[CleanedNarrative]:
    """Return the cleaned graphs with only the accepted changes, and the reviewer's notes."""
    left, results = iter(decisions), list[CleanedNarrative]()
    for entry, result in zip(document.entries, cleaned, strict=True):
        before = entry.narrative.graphs
        pairs = [(change, dict(next(left))) for change in result.changes]
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
        new = replace(result, narrative=narrative, changes=tuple(changes), notes=tuple(notes), touched=tuple(touched))
        results.append(replace(new, after=tuple(check_narrative(narrative))))
    return results


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
