"""One thing asked: a picture, and ten questions about it.

>>> from tsgkit.suites.spatialgen.rows import row_of
>>> sample = SpatialSample(row_of("000043", "Kitchen", "A red kettle.", ()))
>>> sample.item_id, sample.groups["scene"], sample.groups["group"]
('000043', ('Kitchen',), ('Indoor',))
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.domains import SUB_DOMAINS
from tsgkit.suites.spatialgen.rows import Question, Row, written
from tsgkit.suites.spatialgen.scenes import GROUPS, SCENES
from tsgkit.suites.task import Items

OTHER = "(other)"
_GROUP_OF = {scene: group for group, scenes in GROUPS.items() for scene in scenes}


@dataclass(frozen=True)
class SpatialSample:
    """A row as runs see it; questions about one picture are not independent, so an item is its own cluster."""

    row: Row

    @property
    def item_id(self) -> str:
        """The id of the row, after which its picture is named."""
        return self.row.id

    @property
    def cluster(self) -> str:
        """The prompt."""
        return self.row.id

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """Its scene and the group of scenes."""
        return {"scene": (self.row.scene,), "group": (_GROUP_OF.get(self.row.scene, OTHER),)}

    @property
    def questions(self) -> tuple[Question, ...]:
        """What is asked about the picture."""
        return self.row.questions


class Rows(Items):
    """The samples of a file; ``UsageError`` where a row does not hold the ten questions.

    >>> Rows("rows.jsonl", [Row("7", "Park", "", ("Object",), ("Which?",), ("A",))])
    Traceback (most recent call last):
    tsgkit.errors.UsageError: rows.jsonl: item 7: 1 question, not one of each of the ten sub-domains in their order
    """

    def __init__(self, file: str, rows: Iterable[Row]) -> None:
        digest = hashlib.sha256()
        samples = []
        for row in rows:
            _check(row, file)
            digest.update(written(row).encode() + b"\n")
            samples.append(SpatialSample(row))
        if not samples:
            raise UsageError(f"{file}: there are no items in it")
        super().__init__(file, digest.hexdigest(), samples)

    @property
    def rows(self) -> list[Row]:
        """The rows themselves."""
        return [sample.row for sample in self]


def _check(row: Row, file: str) -> None:
    if row.types == SUB_DOMAINS and len(row.texts) == len(row.answers) == len(row.types):
        return
    asked = min(len(row.types), len(row.texts), len(row.answers))
    found = f"{asked} question{'' if asked == 1 else 's'}"
    where = f"{file}: " + (f"line {row.line}: " if row.line else "") + f"item {row.id}"
    raise UsageError(
        f"{where}: {found}, not one of each of the ten sub-domains in their order",
        hint="tsgkit audit shows all that is wrong with a file",
    )


def scenes_in_order(members: Iterable[str], group: str) -> list[str]:
    """Scenes and their groups in the published order, then what is none of them."""
    order = {name: place for place, name in enumerate(SCENES if group == "scene" else GROUPS)}
    return sorted(members, key=lambda name: (order.get(name, len(order)), name))
