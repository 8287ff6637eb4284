"""Pictures paired with items by their position in a sorted folder, as the published code does it (E3).

>>> from tsgkit.suites.spatialgen.rows import row_of
>>> rows = [row_of(name, "Park", "", ()) for name in ("000001", "000002", "000003")]
>>> found = positions_of(rows, ["000001.png", "000001_small.png", "000003.png"])
>>> found.files["000002"], found.shifted
('000001_small.png', ('000002',))

One file too many or too few shifts all that follow; the published code warns of other numbers alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tsgkit.suites.pictures import ENDINGS
from tsgkit.suites.spatialgen.official import paired
from tsgkit.suites.spatialgen.rows import Row


@dataclass(frozen=True)
class Positions:
    """The file of each item, as far as there are files."""

    files: Mapping[str, str]
    warning: str | None
    """What the published code says of their numbers."""

    @property
    def shifted(self) -> tuple[str, ...]:
        """The items whose file is not named after them."""
        return tuple(item_id for item_id, name in self.files.items() if not is_named_after(item_id, name))

    def warnings(self, folder: Path) -> tuple[str, ...]:
        """How pictures of a folder are paired, and what has shifted."""
        told = ["files are paired with items by sorted position, as published (E3), not by id"]
        if self.warning:
            told.append(self.warning)
        if self.shifted:
            many = f"{len(self.shifted):,} of {len(self.files):,} items get a file that is not named after them"
            told.append(f"{many}, first {self.shifted[0]}: {sayable(self.files[self.shifted[0]])}")
        return tuple(f"{folder}: {one}" for one in told)


def positions_of(rows: Sequence[Row], names: Iterable[str]) -> Positions:
    """Pair all rows of some data with the names of all files of a folder."""
    found = paired(rows, names)
    return Positions({row.id: name for row, name in found.pairs}, found.warning)


def is_named_after(item_id: str, name: str) -> bool:
    """Whether a file is the one that pairing by id takes.

    >>> is_named_after("000001", "000001.JPG"), is_named_after("000001", "000001_small.png")
    (True, False)
    """
    return any(name.startswith(item_id) and name[len(item_id) :].lower() == ending for ending in ENDINGS)


def sayable(name: str) -> str:
    """The name of a file, with escapes for bytes that are no text."""
    return name.encode("utf-8", "backslashreplace").decode()
