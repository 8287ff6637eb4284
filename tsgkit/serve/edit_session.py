"""Editing of narratives by one annotator in one or more browsers, without files and without a server.

>>> from tsgkit.graph.model import ActionGraph
>>> session = EditSession([Narrative.of([ActionGraph([("person", "verb", "wash")])])], annotator="ann")
>>> op = {"path": ["descriptions", 0, "graphs", 0], "start": 1, "removed": 0, "inserted": [["wash", "dobj", "cup"]]}
>>> session.edit(0, 0, [op])["revision"], session.narratives[0].graphs[0].triplets[1].target
(1, 'cup')
>>> session.document()["unsaved"]
True

Requests come from threads: what belongs together happens under the lock of the session.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from textwrap import shorten
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.model import Narrative, Vocabulary
from tsgkit.serve.item_values import ItemValue, applied, differences, item_value, narrative_of
from tsgkit.serve.local_server import StaleChange
from tsgkit.serve.story_checks import checks, similar

STATUSES = ("open", "done", "unsure")
LONGEST_NOTE = 10_000
TITLE = 70
Ops = list[Any]


Can = Mapping[str, bool]
"""For each change beside those of triplets, whether a format can carry it."""
WHY_NOT = {
    "texts": "texts cannot be changed",
    "borders": "descriptions cannot be added, divided, joined or removed",
    "graphs": "graphs cannot be added to a description, or removed",
    "vocabulary": "there is no place for L",
}
EVERYTHING: Can = dict.fromkeys(WHY_NOT, True)


class Status(NamedTuple):
    """The state of the work on an item, and who set it and when."""

    status: str = "open"
    annotator: str = ""
    time: str = ""
    note: str = ""


@dataclass(frozen=True)
class Proposals:
    """Another version of the items, to be accepted piece by piece; None where it lacks an item."""

    name: str
    narratives: tuple[Narrative | None, ...]


class AcceptedEdit(NamedTuple):
    """An accepted edit of one item."""

    number: int
    ops: Ops


def _accept(*_: object) -> None:
    """Accept everything, and keep no record of it."""


@dataclass
class Surroundings:
    """The things around a session that belong to its file, or to a notebook.

    ``keep`` is called with each edit before it counts; if it raises an error, the edit is refused. ``fits`` raises an
    error for a narrative that the file has no place for. ``keep_status`` is called with each new status.
    """

    name: str = ""
    format: str = "narrative"
    can: Can = field(default_factory=lambda: EVERYTHING)
    keep: Callable[[AcceptedEdit], None] = _accept
    fits: Callable[[int, Narrative], object] = _accept
    keep_status: Callable[[int, Status], None] = _accept
    proposals: Proposals | None = None


@dataclass
class _Item:
    name: str
    narrative: Narrative
    value: ItemValue
    saved: ItemValue
    revision: int = 0
    status: Status = field(default_factory=Status)

    @property
    def is_unsaved(self) -> bool:
        return self.value is not self.saved and self.value != self.saved

    @property
    def listed(self) -> dict[str, Any]:
        """The value in the list of items; its title is the beginning of the first text."""
        parts = self.narrative.descriptions
        text = next((part.text for part in parts if part.text and part.text.strip()), "")
        return {
            "item": self.name,
            "title": shorten(text, TITLE, placeholder=" ...") or text[:TITLE],
            "graphs": sum(len(part.graphs) for part in parts),
            "status": self.status._asdict(),
            "unsaved": self.is_unsaved,
        }


class EditSession:
    """Narratives that are being edited; revisions are counted from the given one."""

    def __init__(
        self,
        narratives: Sequence[Narrative],
        *,
        names: Sequence[str] | None = None,
        annotator: str = "",
        surroundings: Surroundings | None = None,
        revision: int = 0,
    ) -> None:
        self.lock = threading.RLock()
        self.annotator = annotator
        self.around = Surroundings() if surroundings is None else surroundings
        self.revision = revision - 1
        self._items: list[_Item] = []
        self.reset(narratives, names)

    @property
    def names(self) -> tuple[str, ...]:
        """The ids of the items."""
        return tuple(item.name for item in self._items)

    @property
    def narratives(self) -> tuple[Narrative, ...]:
        """The present narratives."""
        with self.lock:
            return tuple(item.narrative for item in self._items)

    @property
    def unsaved(self) -> list[int]:
        """The numbers of the items that differ from what was saved last."""
        with self.lock:
            return [number for number, item in enumerate(self._items) if item.is_unsaved]

    def document(self) -> dict[str, Any]:
        """Return the list of items, and what can be done with them."""
        with self.lock:
            proposals = self.around.proposals
            return {
                "file": self.around.name,
                "format": self.around.format,
                "annotator": self.annotator,
                "revision": self.revision,
                "can": dict(self.around.can),
                "losses": [],
                "items": [item.listed for item in self._items],
                "restored": None,
                "proposals": None if proposals is None else proposals.name,
                "disk": False,
                "unsaved": bool(self.unsaved),
            }

    def item(self, number: int) -> dict[str, Any]:
        """Return one item with its checks."""
        with self.lock:
            item = replace(self._item(number))
        return {
            "number": number,
            "revision": item.revision,
            "value": item.value,
            "checks": checks(item.narrative),
            "status": item.status._asdict(),
            "unsaved": item.is_unsaved,
        }

    def edit(self, number: int, revision: int, ops: Ops) -> dict[str, Any]:
        """Apply an edit to the item as it was at a revision, and return the new revision and checks.

        Raise ``Conflict`` if the item was edited since, and ``UsageError`` for an edit that does not fit.
        """
        with self.lock:
            item = self._item(number)
            if item.revision != revision:
                message = "this item was edited in another window meanwhile"
                raise StaleChange({"message": message, "item": self.item(number)})
            if ops:
                self._apply(number, item, ops, self.around.keep)
            narrative, revision = item.narrative, item.revision
        return {"revision": revision, "checks": checks(narrative)}

    def replay(self, edit: AcceptedEdit) -> None:
        """Apply an edit that is kept already."""
        with self.lock:
            self._apply(edit.number, self._item(edit.number), edit.ops, _accept)

    def _apply(self, number: int, item: _Item, ops: Ops, keep: Callable[[AcceptedEdit], None]) -> None:
        value = applied(item.value, ops)
        narrative = narrative_of(value, item.narrative)
        self._refuse_uncarried(item.narrative, narrative)
        self.around.fits(number, narrative)
        keep(AcceptedEdit(number, ops))
        self.revision += 1
        item.value, item.narrative, item.revision = value, narrative, self.revision

    def changes(self, since: int) -> dict[str, Any]:
        """Return the items that were edited after a revision."""
        with self.lock:
            edited = {str(number): item.revision for number, item in enumerate(self._items) if item.revision > since}
            return {"revision": self.revision, "items": edited, "disk": False, "unsaved": bool(self.unsaved)}

    def set_status(self, number: int, status: str, note: str) -> dict[str, str]:
        """Set the status of an item, in the name of the annotator."""
        if status not in STATUSES:
            raise UsageError(f"there is no status {status:.40}", hint=f"the statuses: {', '.join(STATUSES)}")
        if len(note) > LONGEST_NOTE:
            hint = "keep the rest in a file of your own"
            raise UsageError(f"the note has {len(note):,} characters; at most {LONGEST_NOTE:,} are kept", hint=hint)
        with self.lock:
            item = self._item(number)
            new = Status(status, self.annotator, now(), note)
            self.around.keep_status(number, new)
            item.status = new
        return new._asdict()

    def status(self, number: int) -> Status:
        """Return the status of an item."""
        with self.lock:
            return self._item(number).status

    def restore_statuses(self, statuses: Mapping[int, Status]) -> None:
        """Take over statuses that were kept, by the numbers of their items."""
        with self.lock:
            for number, status in statuses.items():
                self._item(number).status = status

    def versions(self, number: int, other: str) -> dict[str, Any]:
        """Return the differences to the proposal for an item."""
        proposals = self.around.proposals
        if other != "proposal" or proposals is None:
            raise UsageError(f"there is no other version {other:.40}", hint="tsgkit view FILE --edit --proposals FILE")
        self._item(number)
        proposed = proposals.narratives[number] if number < len(proposals.narratives) else None
        if proposed is None:
            raise UsageError(f"{proposals.name} has no version of this item", hint="items are matched by their ids")
        return self.differences(number, proposed, proposals.name)

    def differences(self, number: int, other: Narrative, name: str) -> dict[str, Any]:
        """Return the differences between an item and another version of it."""
        with self.lock:
            mine = self._item(number).narrative
        return differences(mine, other, name)

    def similar(self, number: int) -> dict[str, Any]:
        """Return groups of names that likely mean the same: of an item's L, or of its graphs where it has none."""
        with self.lock:
            narrative = self._item(number).narrative
        return {"groups": similar(narrative.vocabulary or Vocabulary.of(narrative.graphs))}

    def mark_saved(self) -> None:
        """Take the present values as saved."""
        with self.lock:
            for item in self._items:
                item.saved = item.value

    def reset(self, narratives: Sequence[Narrative], names: Sequence[str] | None = None) -> None:
        """Begin anew with other narratives, which count as edited, so that all browsers read them; all are open."""
        with self.lock:
            self.revision += 1
            if names is None:
                names = [narrative.id or str(number) for number, narrative in enumerate(narratives)]
            values = [item_value(narrative) for narrative in narratives]
            parts = zip(names, narratives, values, values, strict=True)
            self._items = [_Item(*part, self.revision) for part in parts]

    def _item(self, number: int) -> _Item:
        if not 0 <= number < len(self._items):
            raise UsageError(f"there is no item {number:,}", hint=f"there are {len(self._items):,}, from 0")
        return self._items[number]

    def _refuse_uncarried(self, old: Narrative, new: Narrative) -> None:
        """Raise ``UsageError`` for a change that the format cannot carry."""
        pairs = list(zip(old.descriptions, new.descriptions, strict=False))
        changed = {
            "texts": any((before.text or "") != (after.text or "") for before, after in pairs),
            "borders": len(old.descriptions) != len(new.descriptions),
            "graphs": any(len(before.graphs) != len(after.graphs) for before, after in pairs),
            "vocabulary": old.vocabulary != new.vocabulary,
        }
        for change, why in WHY_NOT.items():
            if changed[change] and not self.around.can[change]:
                hint = "the format narrative carries everything: tsgkit convert"
                raise UsageError(f"{self.around.format}: {why}", hint=hint)


def now() -> str:
    """Return the present time as it is kept."""
    return datetime.now(UTC).isoformat(timespec="seconds")
