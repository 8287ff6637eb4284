"""Rows: where the items of a task come from, and the choice of some of them.

>>> rows = json_rows("capitals", Row)
>>> [line.item["country"] for line in rows.lines('{"country": "France", "answer": "Paris"}')]
['France']

>>> ids = [f"{story}/{number}" for story in "abc" for number in range(4)]
>>> traits = [Traits(item_id[0], (("k", "1" if item_id[-1] in "012" else "2"),)) for item_id in ids]
>>> some = chosen_numbers(ids, range(12), ItemChoice(limit=4), traits.__getitem__)
>>> sorted(ids[number][0] for number in some)
['a', 'b', 'b', 'c']
>>> sum(traits[number].members == (("k", "2"),) for number in some)
1
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Protocol

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.errors import NotationError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import load
from tsgkit.lexicon import meant
from tsgkit.library.datasets import catalogue, dataset_file, default_file, installed, shipped_datasets, shipped_file
from tsgkit.library.files import read_text
from tsgkit.library.projects import find, text_of
from tsgkit.library.row_sources import row_place
from tsgkit.suites.judgement import Sample

LOT = "spread"
"""A name mixed into the order in which items are drawn: it is the same in every run, so that runs can be compared."""
LOOKED_AT = 32
"""So many items of a scenario are looked at for the kind that is wanted most."""


@dataclass(frozen=True)
class ItemChoice:
    """Which items are asked: these ids (none: all), of them the first ones, or so many spread evenly."""

    ids: tuple[str, ...] = ()
    limit: int | None = None
    """So many, spread over scenarios and, in the same shares as in the data, over kinds."""
    first: int | None = None

    def __post_init__(self) -> None:
        for name in ("limit", "first"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name} {value}: it must be more than 0")
        if self.limit is not None and self.first is not None:
            raise UsageError("--limit and --first exclude each other", hint="--limit spreads over the whole file")


ALL = ItemChoice()


class Traits(NamedTuple):
    """The scenario of an item, and the groups that it belongs to, each with its member."""

    cluster: Hashable
    members: tuple[Hashable, ...]


def traits_of(cluster: Hashable, groups: Mapping[str, tuple[str, ...]]) -> Traits:
    """Return the traits of a sample."""
    return Traits(cluster, tuple((group, member) for group, members in groups.items() for member in members))


def numbers_of(ids: Collection[str], numbers: Mapping[str, int], item_ids: Sequence[str], file: str) -> Sequence[int]:
    """Return the numbers of these items (none: all), in the order of the file; ``UsageError`` for an unknown id."""
    for item_id in ids:
        if item_id not in numbers:
            hint = meant(item_id, item_ids[:10_000]) if item_ids else ""
            raise UsageError(f"{file}: there is no item {item_id}", hint=hint)
    return sorted({numbers[item_id] for item_id in ids}) if ids else range(len(item_ids))


def chosen_numbers(
    item_ids: Sequence[str], numbers: Sequence[int], choice: ItemChoice, traits: Callable[[int], Traits]
) -> Sequence[int]:
    """Return those of these numbers that are asked, in the order of the file.

    The items of a smaller ``limit`` are among those of a larger one.
    """
    if choice.first is not None:
        return numbers[: choice.first]
    if choice.limit is None or choice.limit >= len(numbers):
        return numbers
    return sorted(_spread({number: traits(number) for number in numbers}, item_ids, choice.limit))


def _spread(traits: Mapping[int, Traits], item_ids: Sequence[str], count: int) -> list[int]:
    """Take one item of each scenario after the other, of the kinds that are furthest behind their shares; of equals the
    one that the lot puts first."""

    def lot(number: int) -> bytes:
        name = f"{LOT} {item_ids[number]}"
        return hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    lots = {number: lot(number) for number in traits}
    clusters: dict[Hashable, list[int]] = {}
    for number in sorted(traits, key=lots.__getitem__, reverse=True):
        clusters.setdefault(traits[number].cluster, []).append(number)
    order = sorted(clusters.values(), key=lambda numbers: lots[numbers[-1]])
    totals = Counter(member for trait in traits.values() for member in trait.members)
    counts, chosen = Counter[Hashable](), list[int]()
    while len(chosen) < count:
        for numbers in order[: count - len(chosen)]:
            so_far, lacking = len(chosen) + 1, list[tuple[float, int]]()
            for index in range(max(0, len(numbers) - LOOKED_AT), len(numbers)):
                members = traits[numbers[index]].members
                behind = sum(totals[member] * so_far / len(traits) - counts[member] for member in members)
                lacking.append((behind, index))
            chosen.append(number := numbers.pop(max(lacking)[1]))
            counts.update(traits[number].members)
        order = [numbers for numbers in order if numbers]
    return chosen


class Dataset(Protocol):
    """The samples of one task in one file."""

    file: str
    """The file of the samples; that from which it was copied, if so."""
    sha256: str
    """A hash of all that is asked."""
    left_out: Sequence[str]
    """The ids of rows that are no items of the task, to which replies may have been collected all the same."""

    @property
    def item_ids(self) -> Sequence[str]:
        """The ids of all samples, in the order of the file."""

    def __len__(self) -> int:
        """Return how many there are."""

    def sample(self, number: int) -> Any:  # noqa: ANN401  (its suite's sample)
        """Return a sample by its number from 0."""

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""

    @property
    def ending(self) -> str:
        """The ending of a file that :meth:`written` makes."""

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield, in pieces, the text of a file that holds these samples; nothing where they come from no file."""


class Items:
    """A dataset held in memory.

    >>> items = Items("rows.jsonl", "0" * 64, [])
    >>> items.chosen(ItemChoice(("7",)))
    Traceback (most recent call last):
    tsgkit.errors.UsageError: rows.jsonl: there is no item 7
    """

    ending = ".jsonl"

    def __init__(
        self,
        file: str,
        sha256: str,
        samples: Sequence[Sample],
        lines: Sequence[str] | None = None,
        left_out: Sequence[str] = (),
    ) -> None:
        self.file, self.sha256, self._samples, self._lines, self.left_out = file, sha256, samples, lines, left_out
        self.item_ids: Sequence[str] = [sample.item_id for sample in samples]
        self._numbers = {item_id: number for number, item_id in enumerate(self.item_ids)}
        if len(self._numbers) < len(samples):
            twice = next(name for index, name in enumerate(self.item_ids) if self._numbers[name] != index)
            raise UsageError(f"{file}: the item id {twice} occurs twice")

    def __len__(self) -> int:
        return len(self._samples)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._samples)

    def sample(self, number: int) -> Any:  # noqa: ANN401  (its suite's sample)
        """Return a sample by its number from 0."""
        return self._samples[number]

    def chosen(self, choice: ItemChoice = ALL) -> Sequence[int]:
        """Return the numbers of the samples of a choice, in the order of the file."""
        numbers = numbers_of(choice.ids, self._numbers, self.item_ids, self.file)

        def traits(number: int) -> Traits:
            return traits_of(self._samples[number].cluster, self._samples[number].groups)

        return chosen_numbers(self.item_ids, numbers, choice, traits)

    def written(self, numbers: Iterable[int]) -> Iterator[str]:
        """Yield the lines of these samples; nothing where the lines are not known."""
        if self._lines is not None:
            yield from (f"{self._lines[number]}\n" for number in numbers)


def hash_of_items(dataset: Dataset, numbers: Iterable[int]) -> str:
    """Return a hash of the list of items that are asked."""
    return hashlib.sha256(json.dumps([dataset.item_ids[number] for number in numbers]).encode()).hexdigest()


Source = Path | Traversable
"""A file of rows: on disk, or in an installed package."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """The rows of a task: how they are found, loaded and counted."""

    stored: str
    """Their name in folders and datasets."""
    load: Callable[[Source], Dataset]
    """Makes a dataset of a file."""
    formats: tuple[str, ...] = (".jsonl",)
    """The endings of the files that are read as they are; tables of other formats are converted."""
    is_folder: bool = False
    """True if a folder is read as it is, rather than a file in it."""
    default: str | None = None
    """What is read where no data are named; None for what the card names."""
    held: Callable[[], Dataset] | None = None
    """Makes a dataset of rows that lie in no file, where no data are named."""
    clusters: str | Callable[[Any], str] = "items"
    """The unit in which clusters are counted, as tables name it."""
    notes: Callable[[Any], tuple[str, ...]] = lambda _: ()
    """Returns notes about a dataset, such as rows that the task leaves out."""
    to_score: Callable[[str | Source], Dataset] | None = None
    """Makes a dataset against which replies collected elsewhere are held; None for :attr:`load`."""
    lines: Callable[[str], Iterator[RowLine]] | None = None
    """Yields each line of a text with its item, where every line is one."""
    full_id: Callable[[Any, str], str] = lambda _, named: named
    """Returns the id of an item of a dataset that people may name more briefly."""
    own: Any = None
    """What the suite keeps here for its own inspection and audits."""

    def clusters_are(self, dataset: Dataset) -> str:
        """Return the unit in which the clusters of a dataset are counted."""
        return self.clusters if isinstance(self.clusters, str) else self.clusters(dataset)

    def source(self, task: str, default_name: str, data: str | None) -> Source:
        """Return the source of a task's rows: a file, a file in a folder, a table, an installed dataset, one of the
        hub, or (None) what ``TSGKIT_DATASET`` names, or else ``default_name``, the data of the card."""
        suite = task.partition("/")[0]
        data = self.default if data is None else data
        if data is None:
            if default := default_file(suite, self.stored):
                return default
            return dataset_file(default_name, self.stored) if _is_dataset(default_name) else find("tasks", default_name)
        if origin := row_place(data, self.stored, self.formats):
            return origin.rows_of(task, self.stored, self.formats)
        path = Path(data)
        if path.is_dir() and not self.is_folder:
            return path / f"{self.stored}.jsonl"
        if path.exists():
            return path
        if _is_dataset(data):
            return dataset_file(data, self.stored)
        if shipped := shipped_file(suite, data, self.stored):
            return shipped
        if not set("./\\") & set(data):
            names = (*shipped_datasets(suite), *catalogue())
            raise UsageError(f"{task}: no file, folder or dataset is called {data}", hint=meant(data, names))
        try:  # a plan may name a file as a card would
            return find("tasks", data)
        except UsageError:
            return path


def _is_dataset(name: str) -> bool:
    return name in {*catalogue(), *(dataset.name for dataset in installed())}


def text_at(source: Source) -> str:
    """Return the text of a file of rows."""
    return read_text(source) if isinstance(source, Path) else text_of(source)


# Rows of JSON


@dataclass(frozen=True)
class RowLine:
    """A line of a file of rows, from 1: its item, or the reason why it has none."""

    number: int
    item: Any = None
    row: Mapping[str, Any] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True)
class Row(Mapping[str, Any]):
    """A row as an item, with the fields that every item has; in all else it is the mapping that it was."""

    row: Mapping[str, Any]
    item_id: str
    cluster: str
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, row: Mapping[str, Any], number: int, groups: Sequence[str] = ()) -> Row:
        """Return the item of a row; ``groups`` are the fields that items are grouped by."""
        item_id = str(row.get("item_id", row.get("id", number)))
        members = {name: _members(row.get(name)) for name in groups}
        return cls(row, item_id, str(row.get("cluster", item_id)), members)

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401  (what the row has there)
        return self.row[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.row)

    def __len__(self) -> int:
        return len(self.row)


class Item(BaseModel):
    """An item that is a model of its row: a suite adds the fields of its rows. Without an id it goes by its number."""

    model_config = ConfigDict(frozen=True)

    item_id: str
    grouped_by: ClassVar[Mapping[str, str]] = {}
    """The fields that items are grouped by, by the names of the groups."""

    @property
    def cluster(self) -> str:
        """The name of its cluster: its own."""
        return self.item_id

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The groups that it belongs to."""
        return {group: _members(getattr(self, name)) for group, name in self.grouped_by.items()}


def _members(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, (list, tuple)) else (str(value),)


ItemOf = Callable[[Mapping[str, Any], int], Any]
"""A function from a row and its number to its item; ``KeyError``, ``TypeError`` and ``ValueError`` say why it is
none."""


def json_row(line: str) -> Mapping[str, Any]:
    """Return the row in a line of JSON."""
    row = load(line)
    if not isinstance(row, dict):
        raise ValueError('expected an object, as in {"item_id": ...}')  # noqa: TRY004  (what a line says)
    return row


def json_rows(
    stored: str,
    item: type[Item] | type[Row] | ItemOf,
    *,
    row_of: Callable[[str], Mapping[str, Any]] = json_row,
    **more: Any,  # noqa: ANN401  (further fields of rows)
) -> Rows:
    """Return rows of JSON Lines: each a model of a row, or whatever a function makes of one.

    ``row_of`` reads a line in another notation of the task's data.
    """
    plain: ItemOf = Row.of if item is Row else item

    def make(row: Mapping[str, Any], number: int) -> Any:  # noqa: ANN401  (an item)
        if not isinstance(item, type) or not issubclass(item, Item):
            return plain(row, number)
        try:
            return item.model_validate({**row, "item_id": str(row.get("item_id", number))})
        except ValidationError as error:
            raise ValueError(first_fault(error)) from None

    def load_lines(source: Source) -> Items:
        text = text_at(source)
        items = [item for item, _ in items_in(lines, text, str(source))]
        if not items:
            raise UsageError(f"{source}: there are no items in it")
        numbered = [line for line in text.split("\n") if line.strip()]
        return Items(str(source), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(), items, numbered)

    lines = partial(_lines, row_of, make)
    return Rows(stored=stored, load=load_lines, lines=lines, **more)


def items_in(
    lines: Callable[[str], Iterator[RowLine]], text: str, file: str
) -> Iterator[tuple[Any, Mapping[str, Any]]]:
    """Yield each item of a text with its row; ``UsageError`` for a line that is none."""
    for line in lines(text):
        if line.item is None:
            raise UsageError(f"{file}: line {line.number}: {line.problem}")
        yield line.item, line.row


def _lines(row_of: Callable[[str], Mapping[str, Any]], make: ItemOf, text: str) -> Iterator[RowLine]:
    """Yield each line of a text that is not blank, with its item or why there is none."""
    numbered = ((number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip())
    for index, (number, line) in enumerate(numbered):
        try:
            row = row_of(line)
            yield RowLine(number, make(row, index), row)
        except NotationError as error:
            yield RowLine(number, problem=error.message)
        except KeyError as error:
            yield RowLine(number, problem=f"there is no field {error.args[0]}")
        except (TypeError, ValueError) as error:
            yield RowLine(number, problem=str(error))
