"""A file of rows as samples that are parsed on access, to save memory.

Opening reads and checks the whole file, so that no model is asked about data that cannot be scored.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import json
from array import array
from collections.abc import Hashable, Iterable, Iterator, Sequence
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import IO, Any, Generic, Protocol, TypeVar

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.library.documents.rows import Entry, RowKind, entry_from, row_kind
from tsgkit.library.files import look_alike
from tsgkit.suites.item_choice import ALL, ItemChoice, Traits, chosen_numbers, numbers_of, traits_of
from tsgkit.suites.suite import CHECK, tasks_hint
from tsgkit.suites.tsg.clusters import Clustering, Clusters
from tsgkit.suites.tsg.items import Sample

Item = TypeVar("Item", bound=Sample)
ItemOut = TypeVar("ItemOut", bound=Sample, covariant=True)
BOM = codecs.BOM_UTF8
KEPT = 4 << 20
"""The rows of so many bytes are kept once they were read; the others are read again each time."""


class OtherRows(NotationError):
    """A row of another task."""


class MakesItems(Protocol[ItemOut]):
    """The part of a task that makes items of rows."""

    kind: str
    rows: RowKind

    def items_from(self, entry: Entry, file: str = "", cluster: str = "") -> tuple[ItemOut, ...]:
        """Return the items of a row."""

    def longest(self, item: Any) -> int:  # noqa: ANN401  (of its own items)
        """Return the length of the longest list in the right answer."""

    def check_answerable(self, items: Any, file: str) -> None:  # noqa: ANN401  (of its own items)
        """Refuse items without a right answer."""

    def check_several(self, items: Any, file: str) -> None:  # noqa: ANN401
        """Refuse a file of another task's items."""


class Dataset(Generic[Item]):
    """The items of one task in one file."""

    ending = ".jsonl"

    def __init__(self, source: Path | Traversable, task: MakesItems[Item]) -> None:
        self.source, self.task = source, task
        self.file = str(source)
        self._offsets = array("q")
        self._rows = array("l")
        self._places = array("l")
        self._hashes = array("Q")
        self._kind_numbers = array("l")
        self._kinds: dict[int, tuple[Hashable, ...]] = {}
        """The members of groups that items belong to, each combination kept once."""
        self._known_kinds: dict[tuple[Hashable, ...], int] = {}
        self._ids: list[str] = []
        self._kept: dict[int, tuple[Item, ...]] = {}
        self.single: list[str] = []
        """The items of one graph in a task of several."""
        self.longest = 0
        """The length of the longest list in any right answer."""
        self._kept_bytes = 0
        self._stream = _opened(source)
        self._clusters = Clusters(array("l"), {}, "")
        self.sha256 = self._index()
        """That of the file; of errors that are drawn into its graphs too, since they change what is asked."""
        self._numbers = {item_id: number for number, item_id in enumerate(self._ids)}

    def __del__(self) -> None:
        if (stream := getattr(self, "_stream", None)) is not None:
            stream.close()

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def item_ids(self) -> Sequence[str]:
        """The ids of all samples, in the order of the file."""
        return self._ids

    def sample(self, number: int) -> Item:
        """Return a sample by its number from 0."""
        row = self._rows[number]
        if (samples := self._kept.get(row)) is None:
            self._stream.seek(self._offsets[number])
            line = self._line()
            self._check_unchanged(line, row)
            samples = self.task.items_from(self._entry(line, row), self.file, self._clusters.name(row))
        return samples[self._places[number]]

    @property
    def clusters_are(self) -> str:
        """The unit that clusters are counted in: scenarios, stories, contexts or vocabularies."""
        return self._clusters.unit

    def _line(self) -> bytes:
        try:
            return self._stream.readline()
        except OSError as error:
            raise FileProblem(f"{self.file}: cannot be read: {error.strerror}") from None

    def __iter__(self) -> Iterator[Item]:
        return (self.sample(number) for number in range(len(self)))

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""
        numbers = numbers_of(choice.ids, self._numbers, self._ids, self.file)
        return chosen_numbers(self._ids, numbers, choice, self._traits)

    def _traits(self, number: int) -> Traits:
        return Traits(self._clusters.roots[self._rows[number]], self._kinds[self._kind_numbers[number]])

    def _index(self) -> str:
        digest, row, offset, has_several = hashlib.sha256(), 0, 0, False
        seen: set[str] = set()
        clustering = Clustering()
        for line_number, line in enumerate(iter(self._line, b""), 1):
            digest.update(line)
            mark = len(BOM) if line_number == 1 and line.startswith(BOM) else 0
            if line[mark:].strip():
                entry, samples = self._read(line[mark:], row, line_number)
                clustering.add(entry)
                self._note(samples, row, offset + mark, line_number, seen)
                self._keep(samples, row, line[mark:])
                digest.update("".join(one.drawn for one in samples).encode("utf-8", "surrogatepass"))
                self.longest = max([self.longest, *map(self.task.longest, samples)])
                single = [one.item_id for one in samples if one.is_single]
                self.single += single
                has_several = has_several or len(single) < len(samples)
                row += 1
            offset += len(line)
        if not self._ids:
            raise UsageError(f"{self.file}: there are no items in it")
        if not has_several:
            self.task.check_several((), self.file)
        self._clusters = clustering.clusters()
        for renamed in [kept for kept in self._kept if self._clusters.name(kept)]:
            del self._kept[renamed]  # made before its cluster was known
        return digest.hexdigest()

    def _read(self, line: bytes, row: int, line_number: int) -> tuple[Entry, tuple[Item, ...]]:
        try:
            entry = self._entry(line, row)
            samples = self.task.items_from(entry, self.file)
            self.task.check_answerable(samples, self.file)
        except NotationError as error:
            where = f"{self.file}: line {line_number}: {error.message}"
            raise UsageError(where, hint=tasks_hint(self.file) if isinstance(error, OtherRows) else CHECK) from None
        return entry, samples

    def _note(self, samples: tuple[Item, ...], row: int, offset: int, line_number: int, seen: set[str]) -> None:
        for place, sample in enumerate(samples):
            if sample.item_id in seen:
                raise UsageError(f"{self.file}: line {line_number}: the item id {sample.item_id} occurs twice")
            seen.add(sample.item_id)
            self._ids.append(sample.item_id)
            self._offsets.append(offset)
            self._rows.append(row)
            self._places.append(place)
            kind = traits_of("", sample.groups).members
            number = self._known_kinds.setdefault(kind, len(self._kinds))
            self._kinds.setdefault(number, kind)
            self._kind_numbers.append(number)

    def _keep(self, samples: tuple[Item, ...], row: int, line: bytes) -> None:
        self._hashes.append(_hash(line))
        if self._kept_bytes < KEPT:
            self._kept[row] = samples
            self._kept_bytes += len(line)

    def _entry(self, line: bytes, row: int) -> Entry:
        """Return the row of a line; one without an id of its own is known by its number."""
        try:
            value = load(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise NotationError("not UTF-8 text") from None
        kind = self.task.rows
        if row_kind(value) != kind:
            found = row_kind(value) or "none of our rows"
            raise OtherRows(f"{self.task.kind} is made of {kind} rows, and this is {found}")
        return entry_from(value, kind, row, None)[0]

    def chosen_hash(self, numbers: Iterable[int]) -> str:
        """Return a hash of the list of items that are asked."""
        return hashlib.sha256(json.dumps([self._ids[number] for number in numbers]).encode()).hexdigest()

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield the lines that these samples were read from, each once."""
        offsets = {self._rows[number]: self._offsets[number] for number in numbers}
        for row, offset in sorted(offsets.items()):
            self._stream.seek(offset)
            line = self._line()
            self._check_unchanged(line, row)
            yield line.decode("utf-8").rstrip("\r\n") + "\n"

    def call_it(self, file: str, sha256: str) -> None:
        """Take the name and the hash of the file that these rows were copied from."""
        self.file, self.sha256 = file, sha256

    def _check_unchanged(self, line: bytes, row: int) -> None:
        if _hash(line) != self._hashes[row]:
            raise FileProblem(f"{self.file}: the file was changed while it was in use", hint="run the command again")


def _hash(line: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(line, digest_size=8).digest())


def _opened(source: Path | Traversable) -> IO[bytes]:
    try:
        return source.open("rb") if isinstance(source, Path) else io.BytesIO(source.read_bytes())
    except FileNotFoundError:
        hint = look_alike(source) if isinstance(source, Path) else ""
        raise FileProblem(f"{source}: no such file", hint=hint) from None
    except IsADirectoryError:
        raise FileProblem(f"{source}: this is a folder, not a file", hint="name the file of rows in it") from None
    except OSError as error:
        raise FileProblem(f"{source}: cannot be read: {error.strerror}") from None
