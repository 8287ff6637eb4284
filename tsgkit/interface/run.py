"""A run as an object: results, samples, tables, explanations.

    run = tk.open_run("runs/gpt-4o-tsg-0123456789abcdef")
    run                                   # the table that the command prints; HTML in a notebook
    run.frame()                           # one row a sample, for pandas or polars
    run.samples.wrong[0].reply            # what the model said to the first item that it got wrong
    run.explain("wound/q1", task="sgqa")

Everything is read from the folder on access; only the positions of calls are cached. No model is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

from tsgkit.errors import Incomplete, UsageError
from tsgkit.interface.arguments import checked_path
from tsgkit.interface.notebook import Explanation, Shown
from tsgkit.interface.samples import Sample, Samples, is_meant
from tsgkit.lexicon import meant
from tsgkit.library.files import write_text
from tsgkit.library.overwrites import refuse_to_replace_data
from tsgkit.report.explanation import explain
from tsgkit.report.formats import format_of, write
from tsgkit.report.plain_text import inert
from tsgkit.report.recorded_calls import Called, calls_about
from tsgkit.report.report_rows import HEADLINE, gather, main_metric
from tsgkit.report.results_table import results_lines
from tsgkit.report.sample_facts import full_marks, key_of
from tsgkit.runs.evaluation import EvaluationOutcome
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import sample_value
from tsgkit.runs.results import Result, records_of
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import RecordedCalls, SavedRun, open_saved_run
from tsgkit.suites.metrics import check_profile
from tsgkit.suites.task import faults_of

if TYPE_CHECKING:
    from tsgkit.report.exports import Exported
    from tsgkit.report.paper import Figure


class Run:
    """A run in its folder."""

    def __init__(
        self,
        path: str | Path,
        data: str | Path | None = None,
        *,
        finished: EvaluationOutcome | None = None,
        prepared: RunSetup | None = None,
    ) -> None:
        self.path = checked_path(path, "run")
        self._data = None if data is None else str(data)
        self._finished, self._prepared = finished, prepared
        if finished is None:
            self._opened  # noqa: B018  (raises at once for a folder without a run)

    @cached_property
    def _opened(self) -> SavedRun:
        return open_saved_run(self.path, self._data)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """One result for each row: a subject on a task, in one way, once."""
        return self._opened.results if self._finished is None else self._finished.results

    @property
    def complete(self) -> bool:
        """True if nothing is left to ask; else the same call, or command, resumes it."""
        return not any(result.unasked or result.failed for result in self.results)

    @property
    def stopped(self) -> str:
        """The reason for stopping early: a budget, or a model that was given up or never answered; else empty."""
        budget = "" if self._finished is None else self._finished.budget
        return budget or next((result.given_up for result in self.results if result.given_up), "")

    @property
    def samples(self) -> Samples:
        """All samples, read when they are asked for."""
        return Samples(self)

    def value(self, metric: str, *, task: str | None = None, profile: str = "strict", **narrowing: object) -> float:
        """Return one figure; ``UsageError`` where several rows are meant, or none.

        Of an incomplete row it is the figure of the samples that ended, with the warning ``tsgkit.errors.Incomplete``.
        """
        told = narrowing | ({"task": task} if task else {})
        _check_figure([one.cell for one in self.results], profile, told)
        chosen = [one for one in self.results if is_meant(one.cell, told)]
        boards = [one.board.profiles[profile] or {} for one in chosen]
        if not any(metric in board for board in boards):
            known = dict.fromkeys(name for board in boards for name in board)
            raise UsageError(f"no row has the metric {metric} in {profile}", hint=meant(metric, known))
        found = [(one, value.value) for one, board in zip(chosen, boards, strict=True) if (value := board.get(metric))]
        if not found and (reasons := {one.board.reasons.get(profile) for one in chosen} - {None}):
            raise UsageError(f"no row has a value of {metric} in {profile}: {'; '.join(sorted(map(str, reasons)))}")
        if len(found) != 1:
            titles = "; ".join(one.cell.title for one in chosen)
            raise UsageError(f"{len(found)} rows have {profile} {metric}", hint=f"say which of: {titles}")
        [(result, figure)] = found
        if result.unasked or result.failed:
            left = (
                f"of {result.total:,} samples {result.unasked:,} have no record and {result.failed:,} ended in errors"
            )
            rest = "the same call or command asks for the rest; rescore makes records of recorded replies"
            warn(f"{self.path}: {result.cell.title}: {metric}: {left}; {rest}", Incomplete, stacklevel=2)
        return figure

    def table(self, by: str | Sequence[str] = (), *, task: str | Sequence[str] = (), metrics: str = HEADLINE) -> Shown:
        """Return the tables of ``tsgkit report``, in all and by groups, of all tasks or of some."""
        from tsgkit.report.page import fragment

        found = gather([self.path], _listed(by), self._data, metrics=metrics, tasks=_listed(task))
        return Shown(write(found, "terminal"), fragment(found))

    def report(
        self,
        output: str | Path | None = None,
        *,
        task: str | Sequence[str] = (),
        by: str | Sequence[str] = (),
        format: str | None = None,
        against: str | None = None,
        metrics: str = HEADLINE,
    ) -> str:
        """Return the report that ``tsgkit report`` writes; ``output`` is a file that it is written into as well."""
        from tsgkit.report.published_tables import against_published

        found = gather([self.path], _listed(by), self._data, metrics=metrics, tasks=_listed(task))
        if against not in (None, "published"):
            raise UsageError(f"--against {against}: there is no such thing", hint="give published")
        name = format or ("markdown" if output is None else format_of(Path(output)))
        text = write(against_published(found) if against else found, name)
        if output is not None:
            refuse_to_replace_data(output, text)
            write_text(output, text)
        return text

    def export(self, to: str, path: str | Path, *, force: bool = False) -> Exported:
        """Write the run for another tool and return the files: ``inspect``, ``parquet``, ``csv`` or ``jsonl``.

        ``path`` is a folder, or a file where the run gives one. ``force`` replaces files that lie there.
        """
        from tsgkit.report.exports import export_run

        return export_run(self.path, to, checked_path(path, "path"), data=self._data, force=force)

    def figure(self, metric: str, by: str, *, task: str | None = None, profile: str = "strict") -> Figure:
        """Draw a metric by a group or an axis (``k``, ``task``, ``style``) for a paper; ``.save("f1.pdf")`` writes it.

        ``metric`` may be ``main``. It needs matplotlib: the extra ``figures``.
        """
        from tsgkit.report.charts import gather_for
        from tsgkit.report.paper import figure

        return figure(gather_for([self.path], metric, by, self._data), metric, by, task=task, profile=profile)

    def explain(
        self,
        item: str,
        *,
        task: str | None = None,
        subject: str | None = None,
        style: str | None = None,
        solver: str | None = None,
        repeat: int | None = None,
        shots: int | None = None,
        prompts: str | None = None,
        seed: int | None = None,
    ) -> Explanation:
        """Explain one item in every row of the run that holds it, or in the selected rows."""
        if not isinstance(item, str):
            raise UsageError(f"item: {item!r:.40} is no id of an item", hint="as samples[0].item_id has it")
        narrowing: dict[str, Any] = {"task": task, "subject": subject, "style": style, "solver": solver}
        narrowing |= {"repeat": repeat, "shots": shots, "prompts": prompts, "seed": seed}
        return Explanation(**vars(explain(self.path, item, data=self._data, **narrowing)))

    def frame(self, library: str | None = None, *, texts: bool = False) -> Any:  # noqa: ANN401
        """Return a data frame of pandas or polars, whichever is installed, with one row a sample.

        Columns: subject, task, solver, style, repeat, item_id, cluster, outcome, answer (JSON unless it is text),
        error; then PROFILE.METRIC, group.NAME, count.NAME and usage.NAME; with ``texts`` also prompt and reply.
        """
        return self.samples.frame(library, texts=texts)

    @property
    def number_of_samples(self) -> int:
        """The number of samples, including those not asked yet."""
        return sum(state.total for state in self._opened.states.values())

    def all_samples(self) -> Iterator[Sample]:
        """Yield its samples in the order of its rows."""
        opened = self._opened
        for state in opened.states.values():
            numbered = zip(records_of(state, opened.samples), state.row.numbers, strict=True)
            yield from (self._sample(record, state.row.task, number) for record, number in numbered)

    def _sample(self, record: Mapping[str, Any], task: Any, number: int) -> Sample:  # noqa: ANN401
        main = main_metric(task.card.metrics)
        told = {name: record[name] for name in ("item_id", "cluster", "groups", "outcome", "answer")}
        told |= Cell.of(record)._asdict()
        return Sample(
            **told,
            scores=sample_value(record)["scores"],
            counts=record["counts"],
            notes=tuple(record["notes"]),
            evidence=record["evidence"],
            error=record["error"],
            usage=record["usage"],
            main=main,
            full_marks=full_marks(task.metrics.get(main)),
            faults=faults_of(task, record),
            _run=self,
            _number=number,
        )

    @property
    def cells(self) -> Sequence[Cell]:
        """The places of its rows."""
        return list(self._opened.states)

    def key_of(self, cell: Cell, number: int) -> str:
        """Return the right answer to the item at a place of the data, in words."""
        row = self._opened.states[cell].row
        return key_of(row, row.dataset.sample(number))

    def calls_of(self, cell: Cell, item_id: str) -> tuple[Called, ...]:
        """Return the calls that were made about a sample, in order."""
        return calls_about(self._calls.of(cell, item_id), self._calls)

    @cached_property
    def _calls(self) -> RecordedCalls:
        return RecordedCalls(self.path)

    def __repr__(self) -> str:
        prepared = self._prepared or self._opened.prepared
        finished = self._finished or EvaluationOutcome(
            self.path, self.results, (), interrupted=False, budget="", notices=()
        )
        unsent = [f"note: {inert(finished.unsent_spans)}"] if finished.unsent_spans else []
        return "\n".join([*results_lines(finished, prepared), *unsent])

    def _repr_html_(self) -> str:
        return self.table().html

    def __fspath__(self) -> str:
        return str(self.path)


def open_run(path: str | Path, data: str | Path | None = None) -> Run:
    """Open a run folder; ``data`` overrides the place of its data."""
    return Run(path, data)


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else list(names)


def _check_figure(cells: Sequence[Cell], profile: str, narrowing: Mapping[str, Any]) -> None:
    """Raise ``UsageError`` for an unknown profile, or properties that no row has."""
    check_profile(profile)
    for name, value in narrowing.items():
        if name not in Cell._fields:
            raise UsageError(f"a row has no {name}", hint=meant(name, Cell._fields))
        if not any(is_meant(cell, {name: value}) for cell in cells):
            known = dict.fromkeys(str(getattr(cell, name)) for cell in cells)
            raise UsageError(f"no row has {name} {value}", hint=meant(str(value), known))
