"""Samples of a run, read from its folder one by one.

run.samples.wrong[0].reply                # what the model said to the first item that it got wrong
run.samples.of(style="cot").frame()    # one row a sample, for pandas or polars
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol, overload

from tsgkit.errors import UsageError
from tsgkit.interface.notebook import Explanation, frame_of
from tsgkit.lexicon import meant
from tsgkit.report.html import drawn_up
from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.recorded_calls import Called, Message
from tsgkit.report.sample_facts import is_wrong, known_usage, reason_of
from tsgkit.report.tables import Table
from tsgkit.runs.plan import Cell
from tsgkit.scoring.outcomes import Outcome

MOST_SHOWN = 10
COLUMNS = (
    "subject",
    "task",
    "solver",
    "style",
    "repeat",
    "shots",
    "prompts",
    "seed",
    "item_id",
    "cluster",
    "outcome",
    "answer",
    "error",
)
"""The first columns of a frame. Then come PROFILE.METRIC, group.NAME, count.NAME and usage.NAME, in this order."""
USED = ("calls", "requests", "prompt", "completion", "cost", "seconds")


class RunOfSamples(Protocol):
    """The interface of a run that its samples need."""

    @property
    def number_of_samples(self) -> int:
        """The number of samples."""

    def all_samples(self) -> Iterator[Sample]:
        """Yield its samples in the order of its rows."""

    @property
    def cells(self) -> Sequence[Cell]:
        """The places of its rows."""

    def key_of(self, cell: Cell, number: int) -> str:
        """Return the right answer to the item at a place of the data, in words."""

    def calls_of(self, cell: Cell, item_id: str) -> tuple[Called, ...]:
        """Return the calls that were made about a sample, in order."""

    @property
    def explain(self) -> Callable[..., Explanation]:
        """Explain an item."""


@dataclass(frozen=True, repr=False)
class Sample:
    """One item answered once by one subject in one way."""

    subject: str
    task: str
    solver: str
    style: str
    repeat: int
    shots: int | None
    """The axes of the plan, where it has several values of them; likewise prompts and seed."""
    prompts: str | None
    seed: int | None
    item_id: str
    cluster: str
    groups: Mapping[str, Sequence[str]]
    outcome: str
    """``answered``, ``unreadable``, ``empty``, ``truncated``, ``refused``, ``api_error``, ``error`` or ``missing``."""
    answer: Any
    """The strict reading of the reply."""
    scores: Mapping[str, Mapping[str, float | None] | None]
    """Profile, metric, value."""
    counts: Mapping[str, float]
    notes: tuple[str, ...]
    evidence: Any
    error: str | None
    usage: Mapping[str, float]
    main: str
    """The metric that its row is known by."""
    full_marks: float | None
    """The best value of its main metric; None for an amount."""
    faults: tuple[str, ...] = ()
    """What is missing, extra or wrong in its answer, as its task names it."""
    _run: RunOfSamples = field(kw_only=True, repr=False, compare=False)
    _number: int = field(default=-1, repr=False, compare=False)
    """Its place in the data."""

    @property
    def cell(self) -> Cell:
        """The row of the run that it is of."""
        return Cell(*(getattr(self, name) for name in Cell._fields))

    @property
    def calls(self) -> tuple[Called, ...]:
        """All calls that were made about it, in order."""
        return self._run.calls_of(self.cell, self.item_id)

    @property
    def prompt(self) -> tuple[Message, ...]:
        """The messages of the first call; none if no model was asked."""
        return self.calls[0].prompt if self.calls else ()

    @property
    def reply(self) -> str | None:
        """The text of the last call; None where there is none."""
        calls = self.calls
        return calls[-1].reply.text if calls else None

    @property
    def key(self) -> str:
        """The right answer, in words."""
        return self._run.key_of(self.cell, self._number)

    @property
    def reason(self) -> str:
        """The reason why it is not fully right, in a few words; else empty."""
        value = (self.scores.get("strict") or {}).get(self.main)
        return reason_of(vars(self), self.faults, self.main, value, self.full_marks)

    @property
    def is_wrong(self) -> bool:
        """True if its strict main metric is below full marks, or there is no answer."""
        return is_wrong(self.outcome, (self.scores.get("strict") or {}).get(self.main), self.full_marks)

    def explain(self) -> Explanation:
        """Return everything about it: prompt, replies, readings, scores with reasons."""
        return self._run.explain(self.item_id, **self.cell._asdict())

    def __repr__(self) -> str:
        return inert(f"{self.item_id} ({self.cell.title}): {self.outcome}, {self.answer!r}")

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


class Samples(Sequence[Sample]):
    """The samples of a run, read one by one, in the order of its rows or in one that was asked for."""

    def __init__(
        self,
        run: RunOfSamples,
        wanted: Callable[[Sample], bool] | None = None,
        place: Callable[[Sample], tuple[int, int]] | None = None,
    ) -> None:
        self._run, self._wanted, self._place = run, wanted, place

    def __iter__(self) -> Iterator[Sample]:
        wanted = self._wanted
        found = (one for one in self._run.all_samples() if wanted is None or wanted(one))
        return found if self._place is None else iter(sorted(found, key=self._place))

    def __len__(self) -> int:
        if self._wanted is None:
            return self._run.number_of_samples
        return sum(1 for _ in self)

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: slice) -> list[Sample]: ...
    def __getitem__(self, place: int | slice) -> Sample | list[Sample]:
        if isinstance(place, slice):
            return list(self)[place]
        if not isinstance(place, int):
            raise TypeError("a sample has a number, as in samples[0]; by its item: samples.of(item_id=...)")
        start = place if place >= 0 else len(self) + place
        found = next(islice(self, start, None), None) if start >= 0 else None
        if found is None:
            raise IndexError(f"sample {place} of {len(self)}")
        return found

    @property
    def wrong(self) -> Samples:
        """The samples that are not fully right, answered or not."""
        return self.where(lambda one: one.is_wrong)

    @property
    def unreadable(self) -> Samples:
        """The samples whose replies could not be read."""
        return self.where(lambda one: one.outcome == Outcome.UNREADABLE)

    @property
    def right(self) -> Samples:
        """The samples that are fully right."""
        return self.where(lambda one: not one.is_wrong)

    def where(self, wanted: Callable[[Sample], bool]) -> Samples:
        """Return those for which a function is true."""
        if not callable(wanted):
            raise UsageError("where takes a function of a sample", hint='by values: of(style="cot")')
        before = self._wanted
        both = wanted if before is None else lambda one: before(one) and wanted(one)
        return Samples(self._run, both, self._place)

    def of(self, **names: object) -> Samples:
        """Return those of a task (its suite's name may be left out), subject, style, solver, item_id or outcome."""
        known = (*Cell._fields, "item_id", "outcome")
        if odd := [name for name in names if name not in known]:
            raise UsageError(f"samples have no {odd[0]}", hint=meant(odd[0], known))
        own = {name: names.pop(name) for name in ("item_id", "outcome") if name in names}
        return self.where(
            lambda one: all(getattr(one, name) == value for name, value in own.items()) and is_meant(one.cell, names)
        )

    def grep(self, text: str) -> Samples:
        """Return those with a text in a prompt, a reply or the reason; small and capital letters are the same."""
        wanted = text.casefold()
        return self.where(lambda one: any(wanted in found.casefold() for found in _texts(one)))

    def disagree(self, first: str, second: str) -> Samples:
        """Return those that one of two got right and the other wrong: subjects, styles, solvers or 'SUBJECT STYLE'.

        Both samples of an item stand together, that of the first before that of the second.
        """
        sides = [_side(name, self) for name in (first, second)]
        right: dict[tuple[object, ...], list[set[bool]]] = {}
        for one in self:
            for place, (field_, cells) in enumerate(sides):
                if one.cell in cells:
                    right.setdefault(_but(one, field_), [set(), set()])[place].add(not one.is_wrong)
        differing = [key for key, (a, b) in right.items() if a and b and len(a | b) == 2]
        places = {key: place for place, key in enumerate(differing)}

        def sides_of(one: Sample) -> list[tuple[int, int]]:
            keys = [(_but(one, field_), side) for side, (field_, cells) in enumerate(sides) if one.cell in cells]
            return [(places[key], side) for key, side in keys if key in places]

        differing_samples = self.where(lambda one: bool(sides_of(one)))
        return Samples(self._run, differing_samples._wanted, lambda one: min(sides_of(one)))

    def frame(self, library: str | None = None, *, texts: bool = False) -> Any:  # noqa: ANN401
        """Return a data frame of pandas or polars, with one row a sample; ``Run.frame`` describes its columns."""
        return frame_of([_flat(one, texts=texts) for one in self], library)

    def __repr__(self) -> str:
        number = len(self)
        lines = map(repr, islice(self, MOST_SHOWN))
        return "\n".join([f"{number:,} samples", *lines, *(["..."] if number > MOST_SHOWN else [])])

    def _repr_html_(self) -> str:
        number = len(self)
        rows = tuple(
            (Foreign(one.item_id), Foreign(one.cell.title), one.outcome, Foreign(str(one.answer)))
            for one in islice(self, MOST_SHOWN)
        )
        rest = ((f"and {number - MOST_SHOWN:,} more",),) if number > MOST_SHOWN else ()
        return drawn_up(Table((f"{number:,} samples",), ("item", "row", "outcome", "answer"), rows, rest))


def is_meant(cell: Cell, narrowing: Mapping[str, Any]) -> bool:
    """Return whether a row has these values; the suite's name of a task may be left out."""
    return all(
        getattr(cell, name) == value or (name == "task" and cell.task.endswith(f"/{value}"))
        for name, value in narrowing.items()
    )


def _texts(one: Sample) -> Iterator[str]:
    """Yield what can be searched of a sample."""
    yield one.reason
    for call in one.calls:
        yield from (message.content for message in call.prompt)
        yield call.reply.text or ""


def _side(name: str, samples: Samples) -> tuple[str, set[Cell]]:
    """Return the field of cells that a name is a value of (empty: it names rows), and the cells it means."""
    cells = list(samples._run.cells)
    for field_ in ("subject", "style", "solver"):
        if found := {cell for cell in cells if getattr(cell, field_) == name}:
            return field_, found
    titles = {cell: cell.title.replace(f" {cell.task}", "", 1) for cell in cells}
    if found := {cell for cell, title in titles.items() if title == name}:
        return "", found
    raise UsageError(f"the run has no row {name}", hint=meant(name, sorted({*titles.values()})))


def _but(one: Sample, name: str) -> tuple[object, ...]:
    """Return the key of a sample without one property: equal for samples that differ in this alone."""
    ways = {"subject": one.subject, "style": one.style, "solver": one.solver}
    alike = [value for field_, value in ways.items() if name and field_ != name]
    return (one.task, one.item_id, one.repeat, *alike)


def _flat(one: Sample, *, texts: bool) -> dict[str, Any]:
    """Return a sample as a row of a frame."""
    row = {name: getattr(one, name) for name in COLUMNS}
    if not isinstance(one.answer, (str, type(None))):
        row["answer"] = json.dumps(one.answer, ensure_ascii=False)
    for profile, scores in one.scores.items():
        row |= {f"{profile}.{name}": value for name, value in (scores or {}).items()}
    row |= {f"group.{name}": ", ".join(of) if not isinstance(of, str) else of for name, of in one.groups.items()}
    row |= {f"count.{name}": number for name, number in one.counts.items()}
    row |= {f"usage.{name}": known_usage(one.usage, name) for name in USED}
    if texts:
        row |= {"prompt": "\n\n".join(message.content for message in one.prompt), "reply": one.reply}
    return row
