"""A run as an object: results, samples, tables, explanations.

    run = tk.open_run("runs/gpt-4o-tsg-0123456789abcdef")
    run                                   # the table that the command prints; HTML in a notebook
    run.frame()                           # one row a sample, for pandas or polars
    run.samples.wrong[0].reply            # what the model said to the first item that it got wrong
    run.samples.of(style="cot").frame()   # one row a sample
    run.explain("wound/q1", task="sgqa")

Everything is read from the folder on access; only the positions of calls are cached. No model is called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload
from warnings import warn

from tsgkit.errors import Incomplete, UsageError
from tsgkit.interface.arguments import checked_path, text_of
from tsgkit.interface.options import ReportOptions, RowOptions, check_kinds, settings_of, several, shows
from tsgkit.lexicon import meant
from tsgkit.library.files import write_report
from tsgkit.report import explanation, explanation_page, terminal
from tsgkit.report.formats import format_of, write
from tsgkit.report.html import drawn_up, fragment
from tsgkit.report.plain_text import Foreign, inert
from tsgkit.report.recorded_sample import RecordedRun, RecordedSample
from tsgkit.report.report_rows import HEADLINE, gather
from tsgkit.report.results_table import results_lines
from tsgkit.report.sample_text import explanation_lines
from tsgkit.report.table import Table
from tsgkit.runs.evaluation import EvaluationOutcome
from tsgkit.runs.plan import Cell
from tsgkit.runs.results import Result
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import SavedRun, open_saved_run
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.metrics import check_profile

if TYPE_CHECKING:
    from tsgkit.report.exports import Exported
    from tsgkit.report.paper import Figure

MOST_SHOWN = 10
COLUMNS = (*Cell._fields, "item_id", "cluster", "outcome", "answer", "error")
"""The first columns of a frame."""
KINDS = ("strict", "official", "group", "count", "usage", "prompt", "reply")
"""The columns after them in their order: PROFILE.METRIC, group.NAME, count.NAME, usage.NAME, and texts."""
NUMBERS = ("strict", "official", "usage")
"""Kinds of columns that hold numbers, also where no sample has one."""
USED = ("calls", "requests", "prompt", "completion", "cost", "seconds")
LIBRARIES = ("pandas", "polars")


@dataclass(frozen=True)
class Shown:
    """Tables as text and as HTML."""

    text: str
    html: str

    def __repr__(self) -> str:
        return self.text.rstrip("\n")

    def _repr_html_(self) -> str:
        return self.html


class Explanation(explanation.ItemExplanation):
    """One item in all selected rows of a run, with prompts, replies and scores."""

    _repr_html_ = explanation_page.fragment

    def __repr__(self) -> str:
        return "\n".join(explanation_lines(self))


class Tabled:
    """Results that show themselves as one table."""

    @property
    def table(self) -> Table:
        """The table."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return "\n".join(terminal.table(self.table))

    def _repr_html_(self) -> str:
        return drawn_up(self.table)


class Run:
    """A run in its folder."""

    def __init__(
        self,
        path: str | PathLike[str],
        data: str | Path | None = None,
        *,
        finished: EvaluationOutcome | None = None,
        prepared: RunSetup | None = None,
    ) -> None:
        self.path, self._data, self._prepared = checked_path(path, "run"), text_of(data), prepared
        if finished is None:
            self._saved  # noqa: B018  (raises at once for a folder without a run)
        else:
            self._outcome = finished

    @cached_property
    def _saved(self) -> SavedRun:
        return open_saved_run(self.path, self._data)

    @cached_property
    def _outcome(self) -> EvaluationOutcome:
        return EvaluationOutcome(self.path, self._saved.results, (), interrupted=False, budget="", notices=())

    @cached_property
    def _recorded(self) -> RecordedRun:
        return RecordedRun(self._saved)

    @property
    def results(self) -> tuple[Result, ...]:
        """One result for each row: a subject on a task, in one way, once."""
        return self._outcome.results

    @property
    def complete(self) -> bool:
        """True if nothing is left to ask; else the same call, or command, resumes it."""
        return self._outcome.complete

    @property
    def stopped(self) -> str:
        """The reason for stopping early: a budget, or a model that was given up or never answered; else empty."""
        return self._outcome.budget or next((result.given_up for result in self.results if result.given_up), "")

    @property
    def samples(self) -> Samples:
        """All samples, read when they are asked for."""
        return Samples(self)

    def value(self, metric: str, *, task: str | None = None, profile: str = "strict", **narrowing: object) -> float:
        """Return one figure; ``UsageError`` where several rows are meant, or none.

        Of an incomplete row it is the figure of the samples that ended, with the warning ``tsgkit.errors.Incomplete``.
        """
        check_profile(profile)
        wanted = narrowing | ({"task": task} if task else {})
        for name, value in wanted.items():
            if name not in Cell._fields:
                raise UsageError(f"a row has no {name}", hint=meant(name, Cell._fields))
            if not any(is_meant(result.cell, {name: value}) for result in self.results):
                known = dict.fromkeys(str(getattr(result.cell, name)) for result in self.results)
                raise UsageError(f"no row has {name} {value}", hint=meant(str(value), known))
        chosen = [result for result in self.results if is_meant(result.cell, wanted)]
        boards = [result.board.profiles[profile] or {} for result in chosen]
        if not any(metric in board for board in boards):
            known = dict.fromkeys(name for board in boards for name in board)
            raise UsageError(f"no row has the metric {metric} in {profile}", hint=meant(metric, known))
        figures = [
            (result, value.value) for result, board in zip(chosen, boards, strict=True) if (value := board.get(metric))
        ]
        if not figures and (reasons := {result.board.reasons.get(profile) for result in chosen} - {None}):
            raise UsageError(f"no row has a value of {metric} in {profile}: {'; '.join(sorted(map(str, reasons)))}")
        if len(figures) != 1:
            titles = "; ".join(result.cell.title for result in chosen)
            raise UsageError(f"{len(figures)} rows have {profile} {metric}", hint=f"say which of: {titles}")
        [(result, figure)] = figures
        if result.unasked or result.failed:
            left = f"of {result.total:,} samples {result.unasked:,} have no record"
            left += f" and {result.failed:,} ended in errors"
            rest = "the same call or command asks for the rest; rescore makes records of recorded replies"
            warn(f"{self.path}: {result.cell.title}: {metric}: {left}; {rest}", Incomplete, stacklevel=2)
        return figure

    def table(self, by: str | Sequence[str] = (), *, task: str | Sequence[str] = (), metrics: str = HEADLINE) -> Shown:
        """Return the tables of ``tsgkit report``, in all and by groups, of all tasks or of some."""
        from tsgkit.report.report_tables import document

        report = gather([self.path], several(by), self._data, metrics=metrics, tasks=several(task))
        return Shown(write(report, "terminal"), fragment(document(report)))

    @shows(ReportOptions)
    def report(
        self, output: str | Path | None = None, *, format: str | None = None, **options: Unpack[ReportOptions]
    ) -> str:
        """Return the report that ``tsgkit report`` writes; ``output`` is a file that it is written into as well."""
        from tsgkit.report.published_tables import against_published

        settings = settings_of(options, ReportOptions)
        by, tasks, against = several(settings["by"]), several(settings["task"]), settings["against"]
        report = gather([self.path], by, self._data, metrics=settings["metrics"], tasks=tasks)
        if against not in (None, "published"):
            raise UsageError(f"--against {against}: there is no such thing", hint="give published")
        return written(partial(write, against_published(report) if against else report), output, format)

    def export(self, to: str, path: str | Path, *, force: bool = False) -> Exported:
        """Write the run for another tool and return the files: ``inspect``, ``parquet``, ``csv`` or ``jsonl``.

        ``path`` is a folder, or a file where the run gives one. ``force`` replaces files that lie there.
        """
        from tsgkit.report.exports import export_run

        return export_run(self.path, to, checked_path(path, "path"), data=self._data, force=force)

    def figure(self, metric: str, by: str, *, task: str | None = None, profile: str = "strict") -> Figure:
        """Draw a metric by a group or an axis (``k``, ``task``, ``style``) for a paper; ``.save("f1.pdf")`` writes it.

        ``metric`` may be ``headline``. It needs matplotlib: the extra ``figures``.
        """
        from tsgkit.report.charts import gather_for
        from tsgkit.report.paper import figure

        return figure(gather_for([self.path], metric, by, self._data), metric, by, task=task, profile=profile)

    @shows(RowOptions)
    def explain(self, item: str, **narrowing: Unpack[RowOptions]) -> Explanation:
        """Explain one item in every row of the run that holds it, or in the selected rows."""
        if not isinstance(item, str):
            raise UsageError(f"item: {item!r:.40} is no id of an item", hint="as samples[0].item_id has it")
        check_kinds(narrowing, RowOptions)
        return Explanation(**vars(explanation.explain(self.path, item, data=self._data, **narrowing)))

    def frame(self, library: str | None = None, *, texts: bool = False) -> Any:  # noqa: ANN401
        """Return a data frame of pandas or polars, whichever is installed, with one row a sample.

        Columns: subject, task, solver, style, repeat, item_id, cluster, outcome, answer (JSON unless it is text),
        error; then PROFILE.METRIC, group.NAME, count.NAME and usage.NAME; with ``texts`` also prompt and reply.
        """
        return self.samples.frame(library, texts=texts)

    def __repr__(self) -> str:
        prepared = self._prepared or self._saved.prepared
        unsent = [f"note: {inert(self._outcome.unsent_spans)}"] if self._outcome.unsent_spans else []
        return "\n".join([*results_lines(self._outcome, prepared), *unsent])

    def _repr_html_(self) -> str:
        return self.table().html

    def __fspath__(self) -> str:
        return str(self.path)


def open_run(path: str | Path, data: str | Path | None = None) -> Run:
    """Open a run folder; ``data`` overrides the place of its data."""
    return Run(path, data)


def written(write: Callable[[str], str], output: str | Path | None, format: str | None, *known: str) -> str:
    """Return a text in a format, Markdown by default, and write it into a file where one is named."""
    text = write(format or ("markdown" if output is None else format_of(Path(output), *known)))
    if output is not None:
        write_report(output, text)
    return text


@dataclass(frozen=True, repr=False)
class Sample(RecordedSample):
    """One item answered once by one subject in one way."""

    def explain(self) -> Explanation:
        """Return everything about it: prompt, replies, readings, scores with reasons."""
        return Explanation(str(self.run.opened.path), self.item_id, (self,))

    def __repr__(self) -> str:
        return inert(f"{self.item_id} ({self.cell.title}): {self.outcome}, {self.answer!r}")

    def _repr_html_(self) -> str:
        return self.explain()._repr_html_()


@dataclass(frozen=True, repr=False, eq=False)
class Samples(Sequence[Sample]):
    """The samples of a run, read one by one, in the order of its rows or in one that was asked for."""

    _run: Run
    _conditions: tuple[Callable[[Sample], bool], ...] = ()
    _order: Callable[[Sample], tuple[int, int]] | None = None

    def __iter__(self) -> Iterator[Sample]:
        samples = (sample for sample in self._every() if all(holds(sample) for holds in self._conditions))
        return samples if self._order is None else iter(sorted(samples, key=self._order))

    def _every(self) -> Iterator[Sample]:
        """Yield all samples of the run."""
        recorded = self._run._recorded
        for state in recorded.opened.states.values():
            yield from (Sample(**vars(sample)) for sample in recorded.samples_of(state))

    def __len__(self) -> int:
        if self._conditions:
            return sum(1 for _ in self)
        return sum(state.total for state in self._run._saved.states.values())

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
        sample = next(islice(self, start, None), None) if start >= 0 else None
        if sample is None:
            raise IndexError(f"sample {place} of {len(self)}")
        return sample

    @property
    def wrong(self) -> Samples:
        """The samples that are not fully right, answered or not."""
        return self.where(lambda sample: sample.is_wrong)

    @property
    def unreadable(self) -> Samples:
        """The samples whose replies could not be read."""
        return self.where(lambda sample: sample.outcome == Outcome.UNREADABLE)

    @property
    def right(self) -> Samples:
        """The samples that are fully right."""
        return self.where(lambda sample: not sample.is_wrong)

    def where(self, wanted: Callable[[Sample], bool]) -> Samples:
        """Return those for which a function is true."""
        if not callable(wanted):
            raise UsageError("where takes a function of a sample", hint='by values: of(style="cot")')
        return replace(self, _conditions=(*self._conditions, wanted))

    def of(self, **names: object) -> Samples:
        """Return those of a task (its suite's name may be left out), subject, style, solver, item_id or outcome."""
        known = (*Cell._fields, "item_id", "outcome")
        if odd := [name for name in names if name not in known]:
            raise UsageError(f"samples have no {odd[0]}", hint=meant(odd[0], known))
        return self.where(lambda sample: is_meant(sample, names))

    def grep(self, text: str) -> Samples:
        """Return those with a text in a prompt, a reply or the reason; small and capital letters are the same."""
        wanted = text.casefold()
        return self.where(lambda sample: any(wanted in text.casefold() for text in sample.texts()))

    def disagree(self, first: str, second: str) -> Samples:
        """Return those that one of two got right and the other wrong: subjects, styles, solvers or 'SUBJECT STYLE'.

        Both samples of an item stand together, that of the first before that of the second.
        """
        sides = [_side(name, self._run._saved.cells()) for name in (first, second)]

        def keys_of(sample: Sample) -> Iterator[tuple[tuple[object, ...], int]]:
            # Equal for samples that differ in the field of the side alone; a side that names rows has no field.
            ways = {"subject": sample.subject, "style": sample.style, "solver": sample.solver}
            for side, (field_, cells) in enumerate(sides):
                if sample.cell in cells:
                    alike = [value for name, value in ways.items() if field_ and name != field_]
                    yield (sample.task, sample.item_id, sample.repeat, *alike), side

        right: dict[tuple[object, ...], list[set[bool]]] = {}
        for sample in self:
            for key, side in keys_of(sample):
                right.setdefault(key, [set(), set()])[side].add(not sample.is_wrong)
        differing = (key for key, (first, second) in right.items() if first and second and len(first | second) == 2)
        places = {key: place for place, key in enumerate(differing)}

        def places_of(sample: Sample) -> list[tuple[int, int]]:
            return [(places[key], side) for key, side in keys_of(sample) if key in places]

        return replace(self.where(lambda sample: bool(places_of(sample))), _order=lambda sample: min(places_of(sample)))

    def frame(self, library: str | None = None, *, texts: bool = False) -> Any:  # noqa: ANN401
        """Return a data frame of pandas or polars, with one row a sample; ``Run.frame`` describes its columns."""
        return frame_of([_flat(sample, texts=texts) for sample in self], library)

    def __repr__(self) -> str:
        number = len(self)
        lines = map(repr, islice(self, MOST_SHOWN))
        return "\n".join([f"{number:,} samples", *lines, *(["..."] if number > MOST_SHOWN else [])])

    def _repr_html_(self) -> str:
        number = len(self)
        rows = tuple(
            (Foreign(sample.item_id), Foreign(sample.cell.title), sample.outcome, Foreign(str(sample.answer)))
            for sample in islice(self, MOST_SHOWN)
        )
        rest = ((f"and {number - MOST_SHOWN:,} more",),) if number > MOST_SHOWN else ()
        return drawn_up(Table((f"{number:,} samples",), ("item", "row", "outcome", "answer"), rows, rest))


def is_meant(row: Cell | Sample, narrowing: Mapping[str, Any]) -> bool:
    """Return whether a row or sample has these values; the suite's name of a task may be left out."""
    return all(
        getattr(row, name) == value or (name == "task" and row.task.endswith(f"/{value}"))
        for name, value in narrowing.items()
    )


def _side(name: str, cells: Sequence[Cell]) -> tuple[str, set[Cell]]:
    """Return the field of cells that a name is a value of (empty: it names rows), and the cells it means."""
    for field_ in ("subject", "style", "solver"):
        if meaning := {cell for cell in cells if getattr(cell, field_) == name}:
            return field_, meaning
    titles = {cell: cell.title.replace(f" {cell.task}", "", 1) for cell in cells}
    if rows := {cell for cell, title in titles.items() if title == name}:
        return "", rows
    raise UsageError(f"the run has no row {name}", hint=meant(name, sorted({*titles.values()})))


def _flat(sample: Sample, *, texts: bool) -> dict[str, Any]:
    """Return a sample as a row of a frame."""
    row = {name: getattr(sample, name) for name in COLUMNS}
    if not isinstance(sample.answer, (str, type(None))):
        row["answer"] = json.dumps(sample.answer, ensure_ascii=False)
    for profile, scores in sample.scores.items():
        row |= {f"{profile}.{name}": value for name, value in (scores or {}).items()}
    row |= {f"group.{name}": ", ".join(several(members)) for name, members in sample.groups.items()}
    row |= {f"count.{name}": number for name, number in sample.counts.items()}
    row |= {f"usage.{name}": sample.used(name) for name in USED}
    if texts:
        row |= {"prompt": "\n\n".join(message.content for message in sample.prompt), "reply": sample.reply}
    return row


def frame_of(rows: Sequence[Mapping[str, Any]], library: str | None = None) -> Any:  # noqa: ANN401
    """Return rows as a data frame; each has all columns: those of every row, then kind by kind, texts last."""
    if library not in (None, *LIBRARIES):
        raise UsageError(f"there is no library {library}", hint=f"choose from {', '.join(LIBRARIES)}")
    chosen = next((name for name in LIBRARIES if library in (None, name) and find_spec(name) is not None), None)
    if chosen is None:
        hint = f"pip install {library or 'pandas'}"
        raise UsageError(f"{library or 'pandas or polars'} is not installed", hint=hint)
    kinds = {name: name.partition(".")[0] for row in rows for name in row}
    names = sorted(kinds, key=lambda name: KINDS.index(kinds[name]) if kinds[name] in KINDS else -1)
    columns = {name: [row.get(name) for row in rows] for name in names}
    empty = [name for name, values in columns.items() if all(value is None for value in values)]
    floats = [name for name in empty if kinds[name] in NUMBERS]
    module = import_module(chosen)
    if chosen == "pandas":
        return module.DataFrame(columns).astype(dict.fromkeys(floats, "float64"))
    types = {name: module.Int64 if name in ("shots", "seed") else module.String for name in empty}
    types |= dict.fromkeys(floats, module.Float64)
    return module.DataFrame(columns, strict=False, schema_overrides=types)
