"""Evaluation as a job: one unit solves, scores and records one sample."""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.llm.door import Call, Door
from tsgkit.llm.failures import Unasked
from tsgkit.llm.reply import Reply
from tsgkit.llm.spans import Value
from tsgkit.llm.spans import unit as observed
from tsgkit.runs.executors import PROCESSES, Executor, Here, executor_named, usual_executor
from tsgkit.runs.executors.carried_files import carried, with_files
from tsgkit.runs.executors.executor import FEWEST
from tsgkit.runs.executors.workers import NotImportable
from tsgkit.runs.folder import RunFolder
from tsgkit.runs.jobs import Engine, Part
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import Scoring, scores_of
from tsgkit.runs.results import RowState
from tsgkit.runs.run_setup import Row, RunSetup, asked_of, asks_a_model
from tsgkit.scoring.outcomes import FAILURES
from tsgkit.suites.item_errors import ItemError, Scored, told
from tsgkit.suites.solvers.solver import ReadsFolder, Solver, Spreads
from tsgkit.suites.transcript import LOCAL, RecordedAsk, Transcript
from tsgkit.version import __version__

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


class Subject(Protocol):
    """A named source of answers: a door to a model, or a script."""

    async def ask(
        self,
        where: Call,
        messages: Sequence[BaseMessage],
        *,
        label: str,
        draw: int = 0,
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """Return the reply to a prompt."""

    def stop(self) -> None:
        """Ask nothing new."""


def is_fatal(error: Exception, heard: RecordedAsk) -> bool:
    """Return whether an exception stops more than its sample: a budget, a full disk, a package that is missing."""
    if not isinstance(error, TsgkitError):
        return False
    return error in heard.raised or (isinstance(error, UsageError) and not isinstance(error, FileProblem))


@dataclass
class Evaluation:
    """The samples of a run as units of a job."""

    folder: RunFolder
    states: Mapping[Cell, RowState]
    subjects: Mapping[str, Subject]
    in_flight: int
    engine: Engine
    notices: list[str] = field(default_factory=list)
    executor: Executor | None = None
    """The executor for what computes; None for processes where they are worth it."""
    _computing: Executor | None = None
    _elsewhere: set[Cell] = field(default_factory=set)
    """The rows of which something is computed by that executor."""

    def note(self, **facts: object) -> None:
        """Add what became known to the header of the run. Stop the run if it cannot be written."""
        try:
            self.folder.update_header(**facts)
        except TsgkitError as error:
            self.engine.fail(error)

    def parts(self) -> list[Part]:
        """Return how far the run is, for each subject and task."""
        groups: dict[tuple[str, str], list[RowState]] = {}
        for cell, state in self.states.items():
            groups.setdefault((cell.subject, cell.task), []).append(state)
        first = {title[0]: title for title in reversed(groups)}
        return [self._part(title, states, first[title[0]] == title) for title, states in groups.items()]

    def _part(self, title: tuple[str, str], states: Sequence[RowState], is_first: bool) -> Part:
        door = self.subjects.get(title[0]) if is_first else None
        weight = sum(state.weight for state in states)
        done, total = (sum(getattr(state, name) for state in states) for name in ("finished", "total"))
        return Part(
            title=" ".join(title),
            done=done,
            total=total,
            ended=done - sum(state.at_start for state in states),
            left=total - done,
            metric=states[0].metric,
            score=sum(state.score for state in states) / weight if weight else None,
            failed=sum(state.failed for state in states),
            spent=sum(state.spent for state in states),
            knows_cost=all(state.knows_cost for state in states),
            door=door if isinstance(door, Door) else None,
            began=min((state.began for state in states if state.began), default=0.0),
            busy=sum(state.busy for state in states),
        )

    async def work(self) -> None:
        """Work until nothing is left, or something stops it."""
        try:
            await asyncio.gather(*self._queues())
        finally:
            if self._computing is not None:
                self._computing.close()
            for state in self.states.values():
                door = self.subjects.get(state.row.asked)
                if state.failed and not state.given_up and isinstance(door, Door):
                    state.given_up, state.advice = door.giving_up.cause, door.giving_up.advice

    def _queues(self) -> Iterator[Coroutine[Any, Any, None]]:
        """Yield the work on one queue for each who is asked."""
        for asked in dict.fromkeys(state.row.asked for state in self.states.values()):
            mine = [state for state in self.states.values() if state.row.asked == asked]
            if _left(mine):
                asks = asks_a_model(asked)
                workers = self._workers(mine, asks=asks)
                if asks and len(mine) > 1 and all(state.row.judge is None for state in mine):
                    mine.sort(key=_length)  # a context that is too small for the long ones may do for the short ones
                units = ((state, place) for state in mine for place in state.left())

                def gave_up(why: Unasked, mine: Sequence[RowState] = mine) -> None:
                    for state in mine:
                        state.given_up, state.advice = why.message, why.hint

                yield self.engine.each(units, self._sample, workers=workers, asks=asks, gave_up=gave_up)

    def _workers(self, states: Sequence[RowState], *, asks: bool) -> int:
        """Return the number of samples in work at a time, and choose where what computes is done."""
        computing = self._computing_rows(states, asks=asks)
        if computing:
            executor = self._computing or self.executor or executor_named(PROCESSES, self.in_flight)
            self._computing = self.engine.executor = executor
            computing = [state for state in computing if self._can_travel(state.row, executor, asks=asks)]
            self._elsewhere.update(state.row.cell for state in computing)
        if asks:
            return min(self.in_flight, _left(states))
        return min(executor.workers, _left(computing)) if computing else 1

    def _can_travel(self, row: Row, executor: Executor, *, asks: bool) -> bool:
        """Return whether what a row consists of can be used elsewhere. ``UsageError`` if the user wants it there."""
        try:
            if row.task.scoring_computes:
                executor.check(row.scoring)
            if asks:
                executor.check(row.task)
            else:
                executor.check(row.solver)
        except NotImportable as error:
            if self.executor is not None:
                self.notices.append(f"{row.cell.task}: computed in this process: {error.message}")
            return False
        except UsageError:
            if self.executor is not None:
                raise
            return False
        if not asks and isinstance(row.solver, ReadsFolder) and row.solver.folder is None:
            executor.check_folders(row.solver.folders)
        return True

    def _computing_rows(self, states: Sequence[RowState], *, asks: bool) -> list[RowState]:
        """Return the rows of which something is computed elsewhere: where the user says, else where it is worth it."""
        if isinstance(self.executor, Here):
            return []
        if self.executor is not None:
            return [state for state in states if not asks or _computes_answered(state.row)]
        found = [] if asks else [state for state in states if state.row.task.computes]
        return found if found and usual_executor(_left(found), FEWEST, self.in_flight) == PROCESSES else []

    async def _sample(self, unit: tuple[RowState, int]) -> None:
        state, place = unit
        state.began = state.began or time.monotonic()
        state.busy += 1
        try:
            with observed(
                f"sample {state.row.cell.task}", functools.partial(asked_attributes, state.row, place)
            ) as note:
                record = await self._answered(state, place)
                note(functools.partial(outcome_attributes, record))
        finally:
            state.busy -= 1
        self.engine.changed()

    async def _answered(self, state: RowState, place: int) -> dict[str, Any]:
        """Have a sample answered, scored and written; return its record."""
        row = state.row
        sample = row.dataset.sample(row.numbers[place])
        where = row.where(sample.item_id)
        subject = self.subjects.get(row.asked)
        heard = RecordedAsk(None if subject is None else functools.partial(subject.ask, where))
        try:
            transcript = await self._solved(row, sample, heard)
        except Exception as error:
            if is_fatal(error, heard):
                raise
            transcript, score = (
                Transcript(tuple(heard.said)),
                row.scoring.failed(sample, told(error, row.task, row.solver)),
            )
        else:
            for said in transcript.said:  # what a solver produced without asking a model
                call, reply = where._replace(label=said.label), said.reply
                if reply.source == LOCAL and ((known := self.folder.find(call)) is None or known.text != reply.text):
                    self.folder.write(call, None, reply)
            score = await self._judged(row, sample, transcript)
        record, line = row.scoring.written(score, transcript)
        state.note(place, self.folder.samples.add_line(line), record["outcome"])
        state.add_up(place, record, scores_of(record))
        usage = record["usage"]
        state.spent += usage.get("cost", 0.0)
        state.knows_cost = state.knows_cost and not usage.get("unpriced")
        return record

    async def _solved(self, row: Row, sample: Any, heard: RecordedAsk) -> Transcript:  # noqa: ANN401  (its suite's sample)
        ask, solver = None if heard.ask is None else heard, row.solver
        if self._computing is not None and row.cell in self._elsewhere:
            if ask is None:
                item = carried(solver, sample) if self._computing.carries else sample
                transcript: Transcript = await self._computing.run(solved, solver, item)
                return transcript
            if isinstance(solver, Spreads):
                solver = solver.spread_by(self._computing.run)
        transcript = await solver.solve(sample, ask)
        if row.task.computes:
            await asyncio.sleep(0)  # computing waits for nothing, and an interrupt wants to be heard
        return transcript

    async def _judged(self, row: Row, sample: Any, transcript: Transcript) -> Scored:  # noqa: ANN401
        """Return the judgement on a transcript, made elsewhere if it takes computing and the row is computed there."""
        if self._computing is None or row.cell not in self._elsewhere or not row.task.scoring_computes:
            return row.scoring.judged(sample, transcript)
        try:
            score: Scored = await self._computing.run(judged, row.scoring, (sample, transcript))
        except ItemError as error:
            return row.scoring.failed(sample, str(error))
        return score


def solved(solver: Solver, sample: Any) -> Transcript:  # noqa: ANN401  (its suite's sample)
    """Return a solver's transcript; exceptions are returned as text, without their data."""
    try:
        return with_files(lambda one, own: asyncio.run(one.solve(own, None)), solver, sample)
    except TsgkitError:
        raise
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        raise ItemError(told(error, solver)) from None


def judged(scoring: Scoring, answered: tuple[Any, Transcript]) -> Scored:
    """Return the judgement on a sample's transcript."""
    return scoring.judged(*answered)


def _computes_answered(row: Row) -> bool:
    """Return whether something is computed of what a model answers."""
    return row.task.scoring_computes or isinstance(row.solver, Spreads)


def _left(states: Iterable[RowState]) -> int:
    return sum(state.total - state.finished for state in states)


def _length(state: RowState) -> int:
    """Return about how long the prompts of a row are, by its first sample."""
    row = state.row
    return row.solver.expected(row.dataset.sample(row.numbers[0])).sent[1] if row.numbers else 0


def run_attributes(prepared: RunSetup) -> dict[str, Value]:
    """Return the attributes of an evaluation."""
    attributes: dict[str, Value] = {
        "tsgkit.version": __version__,
        "tsgkit.run.identity": prepared.identity,
        "tsgkit.run.name": prepared.name,
        "tsgkit.tasks": list(dict.fromkeys(row.cell.task for row in prepared.rows)),
        "tsgkit.models": list(asked_of(prepared.plan)),
    }
    return attributes if prepared.shard is None else attributes | {"tsgkit.shard": str(prepared.shard)}


def asked_attributes(row: Row, place: int) -> dict[str, Value]:
    """Return what is known of a sample before it is answered; ``place`` is its place among those of the row."""
    attributes: dict[str, Value] = {f"tsgkit.{name}": value for name, value in row.cell.value.items()}
    if row.judge is not None:
        attributes["tsgkit.judge"] = row.judge
    return attributes | {"tsgkit.item.id": row.dataset.item_ids[row.numbers[place]]}


def outcome_attributes(record: Mapping[str, Any]) -> dict[str, Value]:
    """Return the outcome and the scores of a sample: ``tsgkit.score.PROFILE.METRIC``, those that apply."""
    attributes: dict[str, Value] = {
        f"tsgkit.score.{profile}.{metric}": score.sum / score.weight
        for profile, scores in scores_of(record).items()
        for metric, score in scores.items()
        if score.weight
    }
    failure: dict[str, Value] = {"error.type": record["outcome"]} if record["outcome"] in FAILURES else {}
    return attributes | failure | {"tsgkit.outcome": record["outcome"]}
