"""A run as an object: its results, its samples, its tables, its explanations.

    run = tk.open_run("runs/gpt-4o-tsg-0123456789abcdef")
    run                                   # the table that the command prints; HTML in a notebook
    run.frame()                           # one row a sample, for pandas or polars
    run.samples.wrong[0].reply            # what the model said to the first item that it got wrong
    run.explain("bread/1", task="sgqa")

Everything is read from the folder when it is asked for; nothing is kept but where calls lie. No model is called.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from tsgkit.errors import UsageError
from tsgkit.interface.showing import Explanation, Shown
from tsgkit.lexicon import meant
from tsgkit.library.files import write_text
from tsgkit.library.overwriting import refuse_to_replace_data
from tsgkit.llm.reply import Reply, reply_from
from tsgkit.report.explaining import Message, explain, message_of
from tsgkit.report.formats import ENDINGS, write
from tsgkit.report.gathering import HEADLINE, gather, main_metric
from tsgkit.report.results_table import results_lines
from tsgkit.report.sample_list import in_a_line
from tsgkit.runs.evaluation import Finished
from tsgkit.runs.folder import CALLS, PROMPTS
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell
from tsgkit.runs.prepared import Prepared
from tsgkit.runs.records import sample_value
from tsgkit.runs.reopened import Reopened, places_of_calls, reopen
from tsgkit.runs.results import Result, records_of
from tsgkit.runs.stored import prompts_in
from tsgkit.scoring.outcomes import Outcome

if TYPE_CHECKING:
    from tsgkit.report.paper import Figure

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


@dataclass(frozen=True)
class Called:
    """One call about a sample: what was sent, what came back."""

    label: str
    draw: int
    prompt: tuple[Message, ...]
    reply: Reply


@dataclass(frozen=True)
class Sample:
    """One item as one subject answered it in one way."""

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
    _run: Run = field(repr=False, compare=False)
    _number: int = field(default=-1, repr=False, compare=False)
    """Its place in the data."""

    @property
    def cell(self) -> Cell:
        """The row of the run that it is of."""
        return Cell(*(getattr(self, name) for name in Cell._fields))

    @property
    def calls(self) -> tuple[Called, ...]:
        """All calls that were made about it, in order."""
        return self._run._calls_of(self.cell, self.item_id)

    @property
    def prompt(self) -> tuple[Message, ...]:
        """The messages of the first call; none where nobody was asked."""
        return self.calls[0].prompt if self.calls else ()

    @property
    def reply(self) -> str | None:
        """The text of the last call; None where there is none."""
        calls = self.calls
        return calls[-1].reply.text if calls else None

    @property
    def key(self) -> str:
        """The right answer, in words."""
        row = self._run._opened.states[self.cell].row
        item = row.dataset.sample(self._number)
        value = row.task.reference_value(item)
        return in_a_line(value) if isinstance(value, (str, list)) else row.task.reference(item)

    @property
    def reason(self) -> str:
        """Why it is not fully right, in a few words; empty where it is."""
        if self.error:
            return self.error
        if self.notes and self.outcome != Outcome.ANSWERED:
            return "; ".join(self.notes)
        value = (self.scores.get("strict") or {}).get(self.main)
        return "; ".join([f"{self.main} {100 * value:.1f}", *self.notes]) if self.is_wrong and value is not None else ""

    @property
    def is_wrong(self) -> bool:
        """Whether its main metric in strict is below full marks, or there is no answer."""
        value = (self.scores.get("strict") or {}).get(self.main)
        return self.outcome != Outcome.ANSWERED or (value is not None and value < 1)

    def explain(self) -> Explanation:
        """Everything about it: prompt, replies, readings, scores with reasons."""
        return self._run.explain(self.item_id, **self.cell._asdict())


class Samples(Sequence[Sample]):
    """The samples of a run in the order of its rows, read one by one."""

    def __init__(self, run: Run, wanted: Callable[[Sample], bool] | None = None) -> None:
        self._run, self._wanted = run, wanted

    def __iter__(self) -> Iterator[Sample]:
        wanted = self._wanted
        return (one for one in self._run._all_samples() if wanted is None or wanted(one))

    def __len__(self) -> int:
        if self._wanted is None:
            return sum(state.total for state in self._run._opened.states.values())
        return sum(1 for _ in self)

    @overload
    def __getitem__(self, place: int) -> Sample: ...
    @overload
    def __getitem__(self, place: slice) -> list[Sample]: ...
    def __getitem__(self, place: int | slice) -> Sample | list[Sample]:
        if isinstance(place, slice):
            return list(self)[place]
        start = place if place >= 0 else len(self) + place
        found = next(islice(self, start, None), None) if start >= 0 else None
        if found is None:
            raise IndexError(f"sample {place} of {len(self)}")
        return found

    @property
    def wrong(self) -> Samples:
        """Those that were not fully right, answered or not."""
        return self.where(lambda one: one.is_wrong)

    @property
    def unreadable(self) -> Samples:
        """Those whose replies could not be read."""
        return self.where(lambda one: one.outcome == Outcome.UNREADABLE)

    def where(self, wanted: Callable[[Sample], bool]) -> Samples:
        """Return those for which a function is true."""
        before = self._wanted
        return Samples(self._run, wanted if before is None else lambda one: before(one) and wanted(one))

    @property
    def right(self) -> Samples:
        """Those that were fully right."""
        return self.where(lambda one: not one.is_wrong)

    def of(self, **names: object) -> Samples:
        """Return those of a task (its suite's name may be left out), subject, style, solver, or of an outcome."""
        outcomes = {names.pop("outcome")} if "outcome" in names else set(Outcome)
        return self.where(lambda one: one.outcome in outcomes and _is_meant(one.cell, names))

    def grep(self, text: str) -> Samples:
        """Return those with a text in a prompt, a reply or the reason; small and capital letters are the same."""
        wanted = text.casefold()
        return self.where(lambda one: any(wanted in found.casefold() for found in _texts(one)))

    def disagree(self, first: str, second: str) -> Samples:
        """Return those that one of two got right and the other wrong: subjects, styles, solvers or 'SUBJECT STYLE'."""
        sides = [_side(name, self) for name in (first, second)]
        right: dict[tuple[object, ...], list[set[bool]]] = {}
        for one in self:
            for place, (field_, cells) in enumerate(sides):
                if one.cell in cells:
                    right.setdefault(_but(one, field_), [set(), set()])[place].add(not one.is_wrong)
        differ = {key for key, (a, b) in right.items() if a and b and len(a | b) == 2}
        return self.where(lambda one: any(one.cell in cells and _but(one, name) in differ for name, cells in sides))

    def __repr__(self) -> str:
        lines = [f"{one.item_id} ({one.cell.title}): {one.outcome}, {one.answer!r}" for one in islice(self, MOST_SHOWN)]
        number = len(self)
        return "\n".join([f"{number:,} samples", *lines, *(["..."] if number > MOST_SHOWN else [])])


class Run:
    """A run, as it lies in its folder."""

    def __init__(
        self,
        path: str | Path,
        data: str | Path | None = None,
        *,
        finished: Finished | None = None,
        prepared: Prepared | None = None,
    ) -> None:
        self.path = Path(path)
        self._data = None if data is None else str(data)
        self._finished, self._prepared = finished, prepared
        if finished is None:
            self._opened  # noqa: B018  (a folder without a run is told at once)

    @cached_property
    def _opened(self) -> Reopened:
        return reopen(self.path, self._data)

    @cached_property
    def results(self) -> tuple[Result, ...]:
        """One result for each row: a subject on a task, in one way, once."""
        return self._opened.results if self._finished is None else self._finished.results

    @property
    def complete(self) -> bool:
        """Whether nothing is left to ask; the same call, or command, goes on with what is."""
        return not any(result.unasked or result.failed for result in self.results)

    @property
    def stopped(self) -> str:
        """Why it stopped before its end: a budget, a model that is given up; empty where it did not."""
        budget = "" if self._finished is None else self._finished.budget
        return budget or next((result.given_up for result in self.results if result.given_up), "")

    @property
    def samples(self) -> Samples:
        """All samples, read when they are asked for."""
        return Samples(self)

    def value(self, metric: str, *, task: str | None = None, profile: str = "strict", **narrowing: object) -> float:
        """Return one figure; ``UsageError`` where several rows are meant, or none."""
        meant = [one for one in self.results if _is_meant(one.cell, narrowing | ({"task": task} if task else {}))]
        boards = [one.board.profiles[profile] or {} for one in meant]
        found = [value.value for board in boards if (value := board.get(metric)) is not None]
        if len(found) != 1:
            titles = "; ".join(one.cell.title for one in self.results)
            raise UsageError(f"{len(found)} rows have {profile} {metric}", hint=f"say which of: {titles}")
        return found[0]

    def table(self, by: str | Sequence[str] = (), *, metrics: str = HEADLINE) -> Shown:
        """Return the tables of ``tsgkit report``, in all and by groups."""
        from tsgkit.report.page import fragment

        found = gather([self.path], _listed(by), self._data, metrics=metrics)
        return Shown(write(found, "terminal"), fragment(found))

    def report(
        self,
        output: str | Path | None = None,
        *,
        by: str | Sequence[str] = (),
        format: str | None = None,
        against: str | None = None,
        metrics: str = HEADLINE,
    ) -> str:
        """Return the report that ``tsgkit report`` writes; ``output`` is a file that it is written into as well."""
        from tsgkit.report.published import against_published

        found = gather([self.path], _listed(by), self._data, metrics=metrics)
        if against not in (None, "published"):
            raise UsageError(f"--against {against}: there is no such thing", hint="give published")
        name = format or ENDINGS.get(Path(output or "").suffix.lower(), "markdown")
        text = write(against_published(found) if against else found, name)
        if output is not None:
            refuse_to_replace_data(output, text)
            write_text(output, text)
        return text

    def figure(self, metric: str, by: str, *, task: str | None = None, profile: str = "strict") -> Figure:
        """Draw a metric by a group or an axis (``k``, ``task``, ``style``) for a paper; ``.save("f1.pdf")`` writes it.

        ``metric`` may be ``main``. It takes matplotlib: the extra ``figures``.
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
        """Explain one item, in every row of the run that holds it or in those that are told."""
        narrowing: dict[str, Any] = {"task": task, "subject": subject, "style": style, "solver": solver}
        narrowing |= {"repeat": repeat, "shots": shots, "prompts": prompts, "seed": seed}
        return Explanation(**vars(explain(self.path, item, data=self._data, **narrowing)))

    def frame(self, library: str | None = None, *, texts: bool = False) -> Any:  # noqa: ANN401
        """Return a data frame of pandas or polars, whichever is installed, with one row a sample.

        Columns: subject, task, solver, style, repeat, item_id, cluster, outcome, answer (JSON where it is no text),
        error; then PROFILE.METRIC, group.NAME, count.NAME and usage.NAME; with ``texts`` also prompt and reply.
        """
        from tsgkit.interface.showing import frame_of

        return frame_of([_flat(one, texts=texts) for one in self.samples], library)

    def _all_samples(self) -> Iterator[Sample]:
        opened = self._opened
        for state in opened.states.values():
            main = main_metric(state.row.task.card.metrics)
            for record, number in zip(records_of(state, opened.samples), state.row.numbers, strict=True):
                yield self._sample(record, main, number)

    def _sample(self, record: Mapping[str, Any], main: str, number: int) -> Sample:
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
            _run=self,
            _number=number,
        )

    def _calls_of(self, cell: Cell, item_id: str) -> tuple[Called, ...]:
        journal = Journal(self.path / CALLS, writes=False)
        try:
            values = [journal.read(place) for place in self._places.get((cell, item_id), ())]
        finally:
            journal.close()
        return tuple(
            Called(value["label"], value["draw"], self._prompt(value.get("prompt", "")), reply_from(value["reply"]))
            for value in values
        )

    @cached_property
    def _places(self) -> Mapping[tuple[Cell, str], Sequence[int]]:
        return places_of_calls(self.path)

    @cached_property
    def _prompts(self) -> Mapping[str, int]:
        return {value["hash"]: place for place, value in prompts_in(self.path / PROMPTS)}

    def _prompt(self, known: str) -> tuple[Message, ...]:
        if known not in self._prompts:
            return ()
        journal = Journal(self.path / PROMPTS, writes=False)
        try:
            return tuple(map(message_of, journal.read(self._prompts[known])["messages"]))
        finally:
            journal.close()

    def __repr__(self) -> str:
        prepared = self._prepared or self._opened.prepared
        finished = self._finished or Finished(self.path, self.results, (), interrupted=False, budget="", notices=())
        return "\n".join(results_lines(finished, prepared))

    def _repr_html_(self) -> str:
        return self.table().html

    def __fspath__(self) -> str:
        return str(self.path)


def open_run(path: str | Path, data: str | Path | None = None) -> Run:
    """Open the run of a folder; ``data`` says where its data lie now, if elsewhere."""
    return Run(path, data)


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else list(names)


def _is_meant(cell: Cell, narrowing: Mapping[str, Any]) -> bool:
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
    cells = list(samples._run._opened.states)
    for field_ in ("subject", "style", "solver"):
        if found := {cell for cell in cells if getattr(cell, field_) == name}:
            return field_, found
    titles = {cell: cell.title.replace(f" {cell.task}", "", 1) for cell in cells}
    if found := {cell for cell, title in titles.items() if title == name}:
        return "", found
    raise UsageError(f"the run has no row {name}", hint=meant(name, sorted({*titles.values()})))


def _but(one: Sample, name: str) -> tuple[object, ...]:
    """Return what two samples share that differ in one thing: the item, and what else is asked alike."""
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
    row |= {f"usage.{name}": _used(one.usage, name) for name in USED}
    if texts:
        row |= {"prompt": "\n\n".join(message.content for message in one.prompt), "reply": one.reply}
    return row


def _used(usage: Mapping[str, float], name: str) -> float | None:
    """Return what a sample used; None where no call says it, or not every one."""
    lacking = {"prompt": "untold", "completion": "untold", "cost": "unpriced"}.get(name, "")
    return None if usage.get(lacking) else usage.get(name)
