"""Rows of this suite: how the items of a task are made of them, and a file of rows whose items are parsed on access.

Opening a file reads and checks it whole, so that no model is asked about data that cannot be scored; the items are
parsed again when they are needed, to save memory.
"""

from __future__ import annotations

import codecs
import hashlib
import io
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Any

from tsgkit.errors import FileProblem, NotationError, UsageError
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import listed
from tsgkit.library.documents.reader import Document, read_document, read_file
from tsgkit.library.documents.rows import Entry, RowKind, entry_from, row_kind
from tsgkit.library.files import look_alike
from tsgkit.library.projects import text_of
from tsgkit.suites.rows import (
    ALL,
    Dataset,
    ItemChoice,
    Items,
    Rows,
    Source,
    Traits,
    chosen_numbers,
    numbers_of,
    traits_of,
)
from tsgkit.suites.suite import CHECK, tasks_hint
from tsgkit.suites.tsg.clusters import Clustering, Clusters, clusters_of, scenarios_of
from tsgkit.suites.tsg.items import TsgSample

BOM = codecs.BOM_UTF8
KEPT = 4 << 20
"""The rows of so many bytes are kept once they were read; the others are read again each time."""
ONE_GRAPH = ("sa-sgg", "nodes-sa", "edges-sa")
"""The tasks of one graph an item."""
MOST_NAMED = 3


class OtherRows(NotationError):
    """A row of another task."""


@dataclass(frozen=True, kw_only=True)
class RowRules:
    """How the items of a task are made of rows, and which rows it takes."""

    kind: str
    """The task, as in ``sgds``."""
    of: RowKind
    """The kind of rows that its items are made of."""
    items: Callable[[Entry, str, str], Iterable[TsgSample]]
    """Makes the items of a row, with the name of its cluster, and that of the file for errors."""
    problem: Callable[[Any], str] = lambda _: ""
    """Returns why an item cannot be asked; empty where it can."""
    sources: tuple[str, ...] = ()
    """The generation tasks whose items its own are made of; empty if they are made of rows."""
    of_several: bool = False
    """True if its items have several graphs."""

    @property
    def stored(self) -> str:
        """The name of its rows in folders and datasets: a derived task's are those of its first source."""
        return (*self.sources, self.kind)[0]

    def items_from(self, entry: Entry, file: str = "the data", cluster: str = "") -> tuple[Any, ...]:
        """Return the items of a row; ``cluster`` is its cluster in the whole file, else its own name."""
        return tuple(self.items(entry, cluster or scenarios_of(entry.row or {})[0], file))

    def items_in(self, document: Document) -> tuple[Any, ...]:
        """Return the items of a document of rows; ``UsageError`` where it is not this task's data."""
        self.check_kind(document)
        if broken := [finding for finding in document.findings if finding.code in ("broken-line", "other-format")]:
            line = f"line {broken[0].place.line}: " if broken[0].place.line else ""
            raise UsageError(f"{document.file}: {line}{broken[0].message}", hint=CHECK)
        clusters = clusters_of(document)
        items = tuple(
            item
            for number, entry in enumerate(document.entries)
            for item in self.items_from(entry, document.file, clusters.name(number))
        )
        ids: set[str] = set()
        for item in items:
            if item.item_id in ids:
                raise UsageError(f"{document.file}: the item id {item.item_id} occurs twice")
            ids.add(item.item_id)
        self.check_answerable(items, document.file)
        self.check_several(items, document.file)
        return items

    def check_kind(self, document: Document) -> None:
        """Refuse a document of other rows."""
        if document.format != self.of:
            kind = f"{document.format} is not data of {self.kind}, which are {self.of} rows"
            raise UsageError(f"{document.file}: {kind}", hint=tasks_hint(document.file))

    def check_answerable(self, items: Iterable[TsgSample], file: str) -> None:
        """Raise an error for items without a right answer, which could only be scored as wrong."""
        for item in items:
            if problem := self.problem(item):
                raise UsageError(f"{file}: item {item.item_id} {problem}", hint=CHECK)

    def check_several(self, items: Iterable[TsgSample], file: str) -> None:
        """Refuse a file for a task of several graphs in which every item has one: it is another task's."""
        if self.of_several and all(item.is_single for item in items):
            raise UsageError(
                f"{file}: every item has one graph, so these are rows of sa-sgg, not {self.stored}",
                hint=f"name the task that is made of them: {', '.join(f'tsg/{name}' for name in ONE_GRAPH)}",
            )


def document_at(source: str | Source) -> Document:
    """Return the document of rows at a place."""
    return read_file(source) if isinstance(source, str | Path) else read_document(text_of(source), str(source))


def tsg_rows(rules: RowRules) -> Rows:
    """Return the rows of a task of this suite."""

    def items_to_score(source: str | Source) -> Items:
        """Return the items of any document of rows; a dataset is read line by line, which a JSON list is not."""
        document = document_at(source)
        return Items(document.file, "", rules.items_in(document))

    def notes(dataset: Dataset) -> tuple[str, ...]:
        """Name the items of one graph in a task of several."""
        if isinstance(dataset, Items):
            single = [item.item_id for item in dataset if item.is_single]
        else:
            single = own_dataset(dataset).single
        items = "1 item" if len(single) == 1 else f"{len(single):,} items"
        note = f"{items} of one graph among items of several, scored as k = 1: {listed(single, MOST_NAMED)}"
        return (note,) if single else ()

    return Rows(
        stored=rules.stored,
        load=partial(TsgItems, rules=rules),
        clusters=lambda dataset: own_dataset(dataset).clusters_are,
        notes=notes,
        to_score=items_to_score,
        own=rules,
    )


def own_dataset(dataset: Dataset) -> TsgItems:
    """Return a dataset of this suite's rows."""
    if not isinstance(dataset, TsgItems):
        raise UsageError(f"{dataset.file}: not rows of this suite")
    return dataset


class TsgItems:
    """The items of one task in one file."""

    ending = ".jsonl"
    left_out: Sequence[str] = ()

    def __init__(self, source: Source, rules: RowRules) -> None:
        self.source, self.rules = source, rules
        self.file = str(source)
        self._offsets, self._rows, self._places = array("q"), array("l"), array("l")
        """Of each sample: where its line begins, the number of its row, and its place among the samples of the row."""
        self._hashes = array("Q")
        """Of the line of each row."""
        self._kind_numbers = array("l")
        self._kinds: list[tuple[Hashable, ...]] = []
        """The members of groups that items belong to, each combination kept once."""
        self._ids: list[str] = []
        self._kept: dict[int, tuple[TsgSample, ...]] = {}
        self.single: list[str] = []
        """The items of one graph in a task of several."""
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

    def __iter__(self) -> Iterator[Any]:
        return (self.sample(number) for number in range(len(self)))

    @property
    def item_ids(self) -> Sequence[str]:
        """The ids of all samples, in the order of the file."""
        return self._ids

    @property
    def clusters_are(self) -> str:
        """The unit that clusters are counted in: scenarios, stories, contexts or vocabularies."""
        return self._clusters.unit

    def sample(self, number: int) -> Any:  # noqa: ANN401  (of its task)
        """Return a sample by its number from 0."""
        row = self._rows[number]
        if (samples := self._kept.get(row)) is None:
            entry = self._entry(self._line_of(number), row)
            samples = self.rules.items_from(entry, self.file, self._clusters.name(row))
        return samples[self._places[number]]

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""

        def traits(number: int) -> Traits:
            return Traits(self._clusters.roots[self._rows[number]], self._kinds[self._kind_numbers[number]])

        numbers = numbers_of(choice.ids, self._numbers, self._ids, self.file)
        return chosen_numbers(self._ids, numbers, choice, traits)

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield the lines that these samples were read from, each once."""
        by_row = {self._rows[number]: number for number in numbers}
        for _, number in sorted(by_row.items()):
            yield self._line_of(number).decode("utf-8").rstrip("\r\n") + "\n"

    def _index(self) -> str:
        """Read and check the whole file, and return its hash."""
        digest, offset, kept_bytes, has_several = hashlib.sha256(), 0, 0, False
        ids: set[str] = set()
        kinds: dict[tuple[Hashable, ...], int] = {}
        clustering = Clustering()
        for line_number, whole in enumerate(iter(self._line, b""), 1):
            digest.update(whole)
            line = whole.removeprefix(BOM) if line_number == 1 else whole
            start = offset + len(whole) - len(line)
            offset += len(whole)
            if not line.strip():
                continue
            row, where = len(self._hashes), f"{self.file}: line {line_number}"
            try:
                entry = self._entry(line, row)
                samples = self.rules.items_from(entry, self.file)
                self.rules.check_answerable(samples, self.file)
            except NotationError as error:
                hint = tasks_hint(self.file) if isinstance(error, OtherRows) else CHECK
                raise UsageError(f"{where}: {error.message}", hint=hint) from None
            clustering.add(entry)
            self._hashes.append(_hash(line))
            if kept_bytes < KEPT:
                self._kept[row] = samples
                kept_bytes += len(line)
            for position, sample in enumerate(samples):
                if sample.item_id in ids:
                    raise UsageError(f"{where}: the item id {sample.item_id} occurs twice")
                ids.add(sample.item_id)
                self._ids.append(sample.item_id)
                self._offsets.append(start)
                self._rows.append(row)
                self._places.append(position)
                self._kind_numbers.append(kinds.setdefault(traits_of("", sample.groups).members, len(kinds)))
                digest.update(sample.drawn.encode("utf-8", "surrogatepass"))
                if sample.is_single:
                    self.single.append(sample.item_id)
                else:
                    has_several = True
        if not self._ids:
            raise UsageError(f"{self.file}: there are no items in it")
        if not has_several:
            self.rules.check_several((), self.file)
        self._kinds = list(kinds)
        self._clusters = clustering.clusters()
        for renamed in [row for row in self._kept if self._clusters.name(row)]:
            del self._kept[renamed]  # made before its cluster was known
        return digest.hexdigest()

    def _entry(self, line: bytes, row: int) -> Entry:
        """Return the row of a line; one without an id of its own is known by its number."""
        try:
            value = load(line.decode("utf-8"))
        except UnicodeDecodeError:
            raise NotationError("not UTF-8 text") from None
        kind = self.rules.of
        if row_kind(value) != kind:
            actual = row_kind(value) or "none of our rows"
            raise OtherRows(f"{self.rules.kind} is made of {kind} rows, and this is {actual}")
        return entry_from(value, kind, row, None)[0]

    def _line(self) -> bytes:
        try:
            return self._stream.readline()
        except OSError as error:
            raise FileProblem(f"{self.file}: cannot be read: {error.strerror}") from None

    def _line_of(self, number: int) -> bytes:
        """Return the line of a sample as it was when the file was opened."""
        self._stream.seek(self._offsets[number])
        line = self._line()
        if _hash(line) != self._hashes[self._rows[number]]:
            raise FileProblem(f"{self.file}: the file was changed while it was in use", hint="run the command again")
        return line


def _hash(line: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(line, digest_size=8).digest())


def _opened(source: Source) -> IO[bytes]:
    try:
        return source.open("rb") if isinstance(source, Path) else io.BytesIO(source.read_bytes())
    except FileNotFoundError:
        hint = look_alike(source) if isinstance(source, Path) else ""
        raise FileProblem(f"{source}: no such file", hint=hint) from None
    except IsADirectoryError:
        raise FileProblem(f"{source}: this is a folder, not a file", hint="name the file of rows in it") from None
    except OSError as error:
        raise FileProblem(f"{source}: cannot be read: {error.strerror}") from None
