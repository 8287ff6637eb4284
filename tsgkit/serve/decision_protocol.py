"""Queues of entries that a person decides about, on a page (:mod:`tsgkit.serve.decision_page`) or in a terminal.

A :class:`DecisionQueue` has functions for what differs between kinds of decisions: what is shown of an entry, its
choices, and what is recorded of a choice. A part of an entry is a graph, a text or lines. The choice ``edit`` opens a
form for the ``edit`` of what is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

from tsgkit.errors import UsageError
from tsgkit.graph.model import HANDS, PERSON, Vocabulary
from tsgkit.runs.decisions import Decision, Decisions
from tsgkit.serve.edit_session import now

EDIT = "edit"
"""The choice that opens the form."""
LONGEST_NOTE = 10_000
OF_PAGE = ("choice", "edited", "note", "by", "time")
"""The fields of a decision that the page shows."""


class EntryPart(TypedDict):
    """A graph (None: there is none), whose marks are kinds of difference of its triplets, or None; a text; or lines."""

    kind: Literal["graph", "text", "lines"]
    title: str
    triplets: NotRequired[Sequence[Sequence[str]] | None]
    marks: NotRequired[Sequence[str | None]]
    drawing: NotRequired[str]
    """The drawing of the graph, which the page is sent."""
    text: NotRequired[str]
    lines: NotRequired[Sequence[str]]


class Choice(TypedDict):
    """A button with its key, a single character other than j, k, u, m, x and ?."""

    choice: str
    label: str
    key: str


class EditForm(TypedDict):
    """The form of an edit, and the value it begins with.

    ==============  ==========================================  ==============================
    kind            value                                       edited
    ==============  ==========================================  ==============================
    triplet         a triplet                                   a triplet
    graph-or-none   triplets or None                            triplets, or None for no graph
    texts           fields: name, label and text of each        texts by the names of fields
    ==============  ==========================================  ==============================
    """

    kind: Literal["triplet", "graph-or-none", "texts"]
    value: Any
    elements: NotRequired[Mapping[str, Sequence[str]]]
    """The names offered while triplets are edited: nodes, verbs, edges, and those mentioned in the text."""


class QueueEntry(TypedDict):
    """A line of the list; the decision is None where there is none yet."""

    name: str
    decision: str | None
    kind: str


class QueueItem(NamedTuple):
    """An entry of a queue: the hash of what is shown of it, its name, and a kind that may be decided at once."""

    key: str
    name: str
    kind: str


class ShownEntry(NamedTuple):
    """An entry as it is shown; texts of the context are pale where they are neighbours of what is decided."""

    parts: Sequence[EntryPart]
    edit: EditForm | None = None
    context: Sequence[tuple[str, bool]] = ()
    reason: str = ""
    code: str = ""
    name: str = ""
    """The name above the entry, where it is another than in the list."""


@dataclass(frozen=True)
class DecisionQueue:
    """Entries that a person decides about, and the decisions so far."""

    title: str
    done_message: str
    """The words about what follows when all is decided."""
    items: Sequence[QueueItem]
    decisions: Decisions
    choices: Callable[[int], Sequence[Choice]]
    show: Callable[[int], ShownEntry]
    record: Callable[[int, str, Any], Decision]
    """Return what is kept beside a choice and its edit, or instead of them. Raise ``UsageError`` for one that cannot
    be carried out."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """The words of the list for choices that were made, where they differ from the choice."""
    in_order: bool = False
    """True if only the first undecided entry can be decided, and no decision changed."""
    by: str = ""
    """The name of who decides, kept with the time of each decision."""
    preview: Callable[[int, Any], Sequence[EntryPart]] | None = None
    """Return the parts of an entry as an edit would make them."""
    typed: Callable[[int, Any, str], Any] | None = None
    """Return an edit (None: nothing is edited yet) after a line typed in a terminal. Raise ``TsgkitError``."""
    forms: str = ""
    """The edits that can be typed."""

    def __post_init__(self) -> None:
        for item in self.items:
            if "choice" not in (self.decisions.find(item.key) or {"choice": ""}):
                problem = f"{self.decisions.path}: no choice in the decision about {item.name}"
                raise UsageError(problem, hint="mend or remove the line")

    def decision(self, number: int) -> Decision | None:
        """Return the decision about an entry."""
        return self.decisions.find(self.items[number].key)

    def entries(self) -> list[QueueEntry]:
        """Return all entries, in order, with the decisions that are in the file now."""
        self.decisions.refresh()
        decisions = (self.decision(number) for number in range(len(self.items)))
        return [
            {"name": item.name, "decision": None if decision is None else self.label(decision), "kind": item.kind}
            for item, decision in zip(self.items, decisions, strict=True)
        ]

    def label(self, decision: Decision) -> str:
        """Return what was chosen, in words."""
        return self.labels.get(decision["choice"], str(decision["choice"]))

    def shown(self, number: int) -> dict[str, Any]:
        """Return the JSON value of one entry."""
        decision, shown = self.decision(number), self.show(number)._asdict()
        return shown | {
            "name": shown["name"] or self.items[number].name,
            "context": [{"text": text, "pale": is_pale} for text, is_pale in shown["context"] if text],
            "choices": self.choices(number),
            "decided": None if decision is None else {name: decision[name] for name in OF_PAGE if name in decision},
        }

    def decide(self, number: int, choice: str, edited: Any = None, note: str = "") -> None:  # noqa: ANN401  (JSON)
        """Keep a decision, safely stored before this returns. Raise ``UsageError`` if it cannot be carried out."""
        if len(note) > LONGEST_NOTE:
            raise UsageError(f"the note has {len(note):,} characters, not at most {LONGEST_NOTE:,}", hint="shorten it")
        known = [each["choice"] for each in self.choices(number)]
        if choice not in known:
            raise UsageError(f"there is no choice {choice:.40} here", hint=f"the choices: {', '.join(known)}")
        decision = {"choice": choice, "edited": edited} | self.record(number, choice, edited)
        if decision["choice"] != EDIT:
            del decision["edited"]
        decision |= {"note": note} if note else {}
        decision |= {"by": self.by, "time": now()} if self.by else {}
        self.decisions.keep(self.items[number].key, decision, is_final=self.in_order)

    def decide_alike(self, standing: Mapping[str, str]) -> None:
        """Make the choices that stand for whole kinds, as far as the order allows; those that cannot be are left."""
        for number, entry in enumerate(self.entries()):
            if self.decision(number) is not None:
                continue
            try:
                if choice := standing.get(entry["kind"]):
                    self.decide(number, choice)
            except UsageError:  # a person has to see why
                choice = None
            if self.in_order and not choice:
                return


def first_undecided(entries: Sequence[QueueEntry]) -> int | None:
    """Return the number of the first entry without a decision; None if there is none."""
    return next((number for number, entry in enumerate(entries) if entry["decision"] is None), None)


def elements_of(vocabulary: Vocabulary, mentioned: Sequence[str] = ()) -> dict[str, Sequence[str]]:
    """Return the names of L as they are offered; person and hands are always among them."""
    nodes = dict.fromkeys((PERSON, *HANDS, *vocabulary.objects))
    edges = vocabulary.relationships
    return {"nodes": list(nodes), "verbs": vocabulary.verbs, "edges": edges, "mentioned": list(mentioned)}
