"""The review of proposed changes on a page in the browser (``--review-in browser``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tsgkit.cli.proposals import Proposals, Proposed, Seen, seen, triplet_of
from tsgkit.errors import UsageError
from tsgkit.graph.notation import arrow
from tsgkit.graph.rules import check_graph

if TYPE_CHECKING:
    from tsgkit.serve.decidable import Choice, ContextText, Edit, Entry, Part, Shown

CHOICES: tuple[Choice, ...] = (
    {"choice": "accept", "label": "Accept", "key": "a"},
    {"choice": "reject", "label": "Reject", "key": "r"},
    {"choice": "edit", "label": "Edit", "key": "e"},
)


@dataclass(frozen=True)
class ReviewPage:
    """Proposals as entries of the page; they are decided in order, and a decision is not changed."""

    proposals: Proposals
    out: str
    title: str = "Review of proposed changes"
    in_order: bool = True

    @property
    def done_message(self) -> str:
        """The words about what follows."""
        return f"The command goes on and writes {self.out}."

    def entries(self) -> list[Entry]:
        """Return all proposals with their decisions."""
        decisions = [one["decision"] for one in self.proposals.decisions]
        left = [None] * (len(self.proposals.proposed) - len(decisions))
        pairs = zip(self.proposals.proposed, [*decisions, *left], strict=True)
        return [{"name": _name(one), "decision": decision} for one, decision in pairs]

    def shown(self, number: int) -> Shown:
        """Return a proposal: as it would be if it is accepted, or as it was decided."""
        one, decision = self.proposals.proposed[number], self._decision(number)
        view = self._seen(number, decision)
        return {
            "name": view.title,
            "context": list(_context(one)),
            "parts": _parts(view, one),
            "reason": one.change.reason,
            "code": one.change.code,
            "choices": CHOICES,
            "edit": _edit(one),
            "decided": None
            if decision is None
            else {"choice": decision["decision"], "edited": decision["after"], "note": decision.get("note", "")},
        }

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401  (as JSON has it)
        """Return the graph as an edit would make it."""
        one = self.proposals.proposed[number]
        return _parts(self._seen(number, {"decision": "edit", "after": _triplet(edited)}), one)

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        """Keep the decision."""
        self.proposals.decide(number, choice, _triplet(edited) if choice == "edit" else None, note)

    def _decision(self, number: int) -> dict[str, Any] | None:
        decisions = self.proposals.decisions
        return decisions[number] if number < len(decisions) else None

    def _seen(self, number: int, decision: dict[str, Any] | None) -> Seen:
        """Return a proposal after the decisions before it; those that are not made yet are taken as accepted."""
        made = self.proposals.decisions[:number]
        return seen(self.proposals.proposed[number], made + [{"decision": "accept"}] * (number - len(made)), decision)


def _name(one: Proposed) -> str:
    return f"item {one.item}, graph {one.change.graph + 1}: {one.change.code}"


def _context(one: Proposed) -> Sequence[ContextText]:
    before, after = one.neighbours
    texts: list[ContextText] = [{"text": one.sentence or "(no sentence is known)", "pale": not one.sentence}]
    if before:
        texts.insert(0, {"text": before, "pale": True})
    if after:
        texts.append({"text": after, "pale": True})
    return texts


def _parts(view: Seen, one: Proposed) -> Sequence[Part]:
    parts: list[Part] = [
        {
            "kind": "graph",
            "title": "Before",
            "triplets": [list(triplet) for triplet in view.before.triplets],
            "marks": ["removed" if is_removed else None for is_removed in view.removed],
        },
        {
            "kind": "graph",
            "title": "After",
            "triplets": [list(triplet) for triplet in view.after.triplets],
            "marks": ["added" if is_added else None for is_added in view.added],
        },
    ]
    if view.note:
        parts.append({"kind": "text", "title": "Note", "text": view.note})
    findings = [f"{each.code}: {each.message}" for each in check_graph(view.after, one.vocabulary)]
    if findings:
        parts.append({"kind": "lines", "title": "Findings afterwards", "lines": findings})
    return parts


def _edit(one: Proposed) -> Edit:
    from tsgkit.serve.decidable import elements_of

    value = one.change.after or one.change.before or ("", "", "")
    return {"kind": "triplet", "value": list(value), "elements": elements_of(one.names)}


def _triplet(edited: Any) -> tuple[str, str, str]:  # noqa: ANN401
    """Return an edited triplet. Raise ``UsageError`` for one that could not be typed in the terminal."""
    if not (isinstance(edited, list) and len(edited) == 3 and all(isinstance(name, str) for name in edited)):
        raise UsageError("an edit is a triplet", hint="three names: source, edge and target")
    return triplet_of(arrow.ARROW.join(name.strip() for name in edited))
