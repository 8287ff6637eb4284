"""The seam between decisions and the page on which a person makes them (:mod:`tsgkit.serve.decision_page`).

A :class:`Decidable` has names of entries with their decisions, shows one entry, and keeps a decision. A part of an
entry is a graph, a text or lines. The choice ``edit`` opens a form for the ``edit`` of what is shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired, Protocol, TypedDict, runtime_checkable

from tsgkit.errors import UsageError
from tsgkit.graph.model import HANDS, PERSON, Vocabulary

EDIT = "edit"
"""The choice that opens the form."""


class Entry(TypedDict):
    """One line of the list: a name, the decision (None: there is none yet), and a kind that may be decided at once."""

    name: str
    decision: str | None
    kind: NotRequired[str]


class ContextText(TypedDict):
    """A text around what is decided: the sentence itself, or a pale neighbour of it."""

    text: str
    pale: bool


class GraphPart(TypedDict):
    """A graph (None: there is none); ``marks`` has the kind of difference of each triplet, or None.

    The page is sent its ``drawing`` too.
    """

    kind: Literal["graph"]
    title: str
    triplets: Sequence[Sequence[str]] | None
    marks: NotRequired[Sequence[str | None]]
    drawing: NotRequired[str]


class TextPart(TypedDict):
    """A text."""

    kind: Literal["text"]
    title: str
    text: str


class LinesPart(TypedDict):
    """Lines, as of a list."""

    kind: Literal["lines"]
    title: str
    lines: Sequence[str]


Part = GraphPart | TextPart | LinesPart


class Choice(TypedDict):
    """A button with its key, a single character other than j, k, u, m, x and ?."""

    choice: str
    label: str
    key: str


class Elements(TypedDict):
    """Names offered while triplets are edited."""

    nodes: Sequence[str]
    verbs: Sequence[str]
    edges: Sequence[str]
    mentioned: Sequence[str]


class TextField(TypedDict):
    """A field of an edit of texts; of several lines if ``is_long``."""

    name: str
    label: str
    text: str
    is_long: bool


class Edit(TypedDict):
    """The form of an edit, and the value it begins with.

    ==============  ====================  ==============================
    kind            value                 edited
    ==============  ====================  ==============================
    triplet         a triplet             a triplet
    triplets        triplets              triplets
    graph-or-none   triplets or None      triplets, or None for no graph
    texts           fields (`TextField`)  texts by the names of fields
    ==============  ====================  ==============================
    """

    kind: Literal["triplet", "triplets", "graph-or-none", "texts"]
    value: Any
    elements: NotRequired[Elements]


class Decided(TypedDict):
    """A decision that was made, by whom and when where that is known."""

    choice: str
    edited: NotRequired[Any]
    note: NotRequired[str]
    by: NotRequired[str]
    time: NotRequired[str]


class Shown(TypedDict):
    """One entry as the page shows it."""

    name: str
    context: Sequence[ContextText]
    parts: Sequence[Part]
    reason: str
    code: str
    choices: Sequence[Choice]
    edit: Edit | None
    decided: Decided | None


class Decidable(Protocol):
    """Entries that a person decides about."""

    @property
    def title(self) -> str:
        """The heading of the page."""

    @property
    def done_message(self) -> str:
        """The words about what follows when all is decided."""

    @property
    def in_order(self) -> bool:
        """True if only the first undecided entry can be decided, and no decision changed."""

    def entries(self) -> list[Entry]:
        """Return all entries, in order."""

    def shown(self, number: int) -> Shown:
        """Return one entry. The number is one of those listed."""

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401  (as JSON has it)
        """Keep a decision, safely stored before this returns. Raise ``UsageError`` if it cannot be."""


@runtime_checkable
class Previewing(Protocol):
    """A :class:`Decidable` that can also show what an edit would make of an entry."""

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401
        """Return the parts as they would be. Raise ``UsageError`` for an edit that cannot be."""


@runtime_checkable
class Typing(Protocol):
    """A :class:`Previewing` whose edits can be typed in a terminal, line by line."""

    forms: str
    """What can be typed."""

    def typed(self, number: int, edited: Any, line: str) -> Any:  # noqa: ANN401
        """Return an edit (None: nothing is edited yet) after a line. Raise ``TsgkitError`` for one that is no edit."""


def kind_of(entry: Entry) -> str:
    """Return the kind of an entry; empty if it has none."""
    return entry.get("kind", "")


def decide_alike(decidable: Decidable, standing: Mapping[str, str]) -> None:
    """Make the choices that stand for whole kinds, as far as their order allows; those that cannot be made are left."""
    for number, entry in enumerate(decidable.entries()):
        if entry["decision"] is not None:
            continue
        if choice := standing.get(kind_of(entry)):
            try:
                decidable.decide(number, choice, None)
                continue
            except UsageError:  # a person has to see why
                pass
        if decidable.in_order:
            return


def first_undecided(entries: Sequence[Entry]) -> int | None:
    """Return the number of the first entry without a decision; None if there is none."""
    return next((number for number, entry in enumerate(entries) if entry["decision"] is None), None)


def elements_of(vocabulary: Vocabulary) -> Elements:
    """Return the names of L as they are offered; person and hands are always among them."""
    nodes = dict.fromkeys((PERSON, *HANDS, *vocabulary.objects))
    return {"nodes": list(nodes), "verbs": vocabulary.verbs, "edges": vocabulary.relationships, "mentioned": []}
