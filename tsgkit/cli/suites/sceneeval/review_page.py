"""The review of ``tsgkit make sceneeval`` on a page in the browser (``--review-in browser``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tsgkit.cli.suites.sceneeval.item_review import (
    ACCEPTED,
    DROPPED,
    EDITED,
    ItemReview,
    finding_line,
    rewritten,
)
from tsgkit.errors import UsageError
from tsgkit.suites.sceneeval.annotations import in_words

if TYPE_CHECKING:
    from tsgkit.serve.decidable import Choice, Decided, Edit, Entry, Part, Shown
    from tsgkit.suites.sceneeval.annotations import Annotation

CHOICE_OF = {ACCEPTED: "accept", EDITED: "edit", DROPPED: "drop"}
DESCRIPTION, ENTRIES = "description", "entries"


@dataclass(frozen=True)
class ItemReviewPage:
    """Generated items as entries of the page; a decision may be changed until all are made."""

    review: ItemReview
    out: str
    title: str = "Review of generated rooms"
    in_order: bool = False

    @property
    def done_message(self) -> str:
        """The words about what follows."""
        return f"The command goes on and writes {self.out}."

    def entries(self) -> list[Entry]:
        """Return all items with their decisions."""
        decisions = [self.review.decision(number) for number in range(len(self.review.made))]
        return [
            {"name": self._name(number), "decision": None if one is None else str(one["decision"])}
            for number, one in enumerate(decisions)
        ]

    def shown(self, number: int) -> Shown:
        """Return an item as it is now: as generated, or as it was edited."""
        annotation, decision = self.review.made[number].annotation, self.review.decision(number)
        is_edited = decision is not None and decision["decision"] == EDITED
        return {
            "name": self._name(number),
            "context": [],
            "parts": self._parts(number, annotation),
            "reason": "",
            "code": "",
            "choices": _choices(is_edited=is_edited),
            "edit": _edit(annotation),
            "decided": None if decision is None else _decided(decision),
        }

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401  (as JSON has it)
        """Return an item as an edit would make it, with its findings."""
        return self._parts(number, self._rewritten(number, edited))

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        """Keep the decision."""
        if choice == "drop":
            self.review.drop(number, note)
        elif choice in ("accept", "edit"):
            generated = self.review.generated(number)
            self.review.accept(number, generated if choice == "accept" else self._rewritten(number, edited), note)
        else:
            raise UsageError(f"there is no choice {choice!r:.40}", hint="accept, drop or edit")

    def _name(self, number: int) -> str:
        drawn = self.review.made[number].drawn
        return f"{drawn.difficulty}, {' and '.join(drawn.rooms)}"

    def _rewritten(self, number: int, edited: Any) -> Annotation:  # noqa: ANN401
        """Return an item with the texts of the form."""
        texts = edited if isinstance(edited, dict) else {}
        description, entries = texts.get(DESCRIPTION), texts.get(ENTRIES)
        if not isinstance(description, str) or not isinstance(entries, str):
            raise UsageError("an edit has two texts", hint=f"{DESCRIPTION} and {ENTRIES}, one entry a line")
        return rewritten(self.review.generated(number), description, entries.splitlines())

    def _parts(self, number: int, annotation: Annotation) -> Sequence[Part]:
        entries = [f"{one.text}  ({in_words(one)})" for one in annotation.specifications]
        findings = [finding_line(one) for one in self.review.findings(number, annotation)]
        return [
            {"kind": "text", "title": "Description", "text": annotation.description},
            {"kind": "lines", "title": "Entries", "lines": entries},
            {"kind": "lines", "title": "Findings", "lines": findings},
        ]


def _choices(*, is_edited: bool) -> Sequence[Choice]:
    return [
        {"choice": "accept", "label": "Accept as generated" if is_edited else "Accept", "key": "a"},
        {"choice": "drop", "label": "Drop", "key": "d"},
        {"choice": "edit", "label": "Edit", "key": "e"},
    ]


def _edit(annotation: Annotation) -> Edit:
    entries = "\n".join(one.text for one in annotation.specifications)
    fields = [
        {"name": DESCRIPTION, "label": "Description", "text": annotation.description, "is_long": True},
        {"name": ENTRIES, "label": "Entries, one a line, as in eq,1,sofa", "text": entries, "is_long": True},
    ]
    return {"kind": "texts", "value": fields}


def _decided(decision: dict[str, Any]) -> Decided:
    return {"choice": CHOICE_OF[decision["decision"]], "note": str(decision.get("note", ""))}
