"""Evaluation of a plan in a folder that the same call resumes: one unit solves, scores and records one sample.

>>> import tempfile
>>> plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), limit=5)
>>> finished = evaluate(plan, RunOptions(out=Path(tempfile.mkdtemp()) / "run"))
>>> finished.results[0].board.n, finished.results[0].board.counts["answered"], finished.complete
(5, 5, True)
"""

from __future__ import annotations

import asyncio
import functools
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.defaults import SCENE_TIME
from tsgkit.errors import (
    BATCHES_OPEN,
    BUDGET_REACHED,
    FINISHED_WITH_ERRORS,
    GOOD,
    INTERRUPTED,
    FileProblem,
    TsgkitError,
    UsageError,
)
from tsgkit.llm.asker import provider_for
from tsgkit.llm.batches import BatchCalls
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.door import Call, Door
from tsgkit.llm.failures import Unasked
from tsgkit.llm.images import Messages
from tsgkit.llm.local_models import LocalModel
from tsgkit.llm.reply import Ask, Reply
from tsgkit.llm.service_calls import ServiceCalls
from tsgkit.llm.spans import Tracing, Value
from tsgkit.llm.spans import unit as observed
from tsgkit.llm.user_models import is_own
from tsgkit.replies import READER
from tsgkit.runs.batch_journal import pending
from tsgkit.runs.executors import PROCESSES, RAY, Executor, Here, executor_named, usual_executor
from tsgkit.runs.executors.executor import FEWEST, carried, with_files
from tsgkit.runs.executors.model_actors import HeldModel, known_there
from tsgkit.runs.executors.workers import NotImportable
from tsgkit.runs.folder import BATCHES, HEADER, LOCK, RECORDS, RunFolder, put_aside
from tsgkit.runs.jobs import Engine, JobPart, JobWatch
from tsgkit.runs.kept import ASKED, MANIFEST, keep, keeps_rows
from tsgkit.runs.plan import Cell, Plan
from tsgkit.runs.records import Scoring, scores_of
from tsgkit.runs.results import Result, RowState, put_in_order, result_value, results_of, states_of
from tsgkit.runs.run_setup import PlannedRow, RunSetup, asked_of, asks_a_model, in_shard, prepare
from tsgkit.runs.saved_run import records_from_calls
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits, Subject, check_batches, subjects_of
from tsgkit.scoring.pooling import FAILURES
from tsgkit.suites.judgement import ItemError, Scored, error_in_words
from tsgkit.suites.judges.ratings import GRADE
from tsgkit.suites.solvers.factories import PromptSolver
from tsgkit.suites.solvers.solver import ReadsFolder, Solver, Spreads
from tsgkit.suites.transcript import LOCAL, RecordedAsk, Transcript
from tsgkit.version import __version__

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

RUNS = Path("runs")
RESPONSE_FORMATS = "response_formats"
"""The field of ``run.json`` that says, by endpoint, which types of response format its service takes."""


@dataclass(frozen=True)
class RunOptions:
    """The run folder and settings that cannot change an answer."""

    out: Path | None = None
    new: bool = False
    cache: bool = True
    limits: Limits = field(default_factory=Limits)
    command: tuple[str, ...] = ()
    shard: Shard | None = None
    """The part of the items that is worked on, in a folder of its own."""
    scene_time: float = SCENE_TIME
    """Seconds for measuring one scene; 0 for no limit."""
    boxes: bool = False
    """True if a model may judge scenes in which most objects are bare boxes."""
    keep_data: bool = True
    """True if the rows that are asked are kept in the run folder; a run that began without them stays without."""
    executor: str | None = None
    """The place of work that asks no service; None for processes of this machine where they are worth it."""


@dataclass(frozen=True)
class EvaluationOutcome:
    """The outcome of an evaluation."""

    path: Path
    results: tuple[Result, ...]
    values: tuple[dict[str, Any], ...]
    interrupted: bool
    budget: str
    notices: tuple[str, ...]
    trouble: tuple[str, ...] = ()
    """The reason for which models were waited for at the end."""
    header: dict[str, Any] = field(default_factory=dict)
    open_batches: int = 0
    """The number of batches that were left to their service, to be collected later."""
    unsent_spans: str = ""
    """The reason why spans could not be sent, with their number; empty if all were."""

    @property
    def unasked(self) -> int:
        """The number of samples that were not asked yet."""
        return sum(result.unasked for result in self.results)

    @property
    def complete(self) -> bool:
        """True if nothing is left to ask."""
        return not self.unasked and not any(result.failed for result in self.results)

    @property
    def exit_code(self) -> int:
        """The code a command ends with, gates apart."""
        if self.interrupted:
            return INTERRUPTED
        if self.budget:
            return BUDGET_REACHED
        if self.open_batches:
            return BATCHES_OPEN
        failed = any(result.failed or result.given_up for result in self.results)
        return FINISHED_WITH_ERRORS if failed else GOOD


def evaluate(
    plan: Plan, options: RunOptions, watch: JobWatch | None = None, *, with_samples: bool = False
) -> EvaluationOutcome:
    """Run a plan, or the rest of it."""
    return carry_out(prepare_run(plan, options), options, watch or JobWatch(), with_samples=with_samples)


def prepare_run(plan: Plan, options: RunOptions) -> RunSetup:
    """Prepare a plan, or the part of it in a shard."""
    with known_there() if options.executor == RAY and any(map(is_own, asked_of(plan))) else nullcontext():
        prepared = prepare(plan, scene_time=options.scene_time, boxes=options.boxes)
    return prepared if options.shard is None else in_shard(prepared, options.shard)


def carry_out(
    prepared: RunSetup, options: RunOptions, watch: JobWatch, *, with_samples: bool = False
) -> EvaluationOutcome:
    """Work on a prepared plan in its folder until nothing is left or something stops it."""
    with _opened(prepared, options, watch) as evaluation:
        if evaluation.samples_left:
            with evaluation.asking():
                evaluation.engine.carry_out(evaluation.work)
        return evaluation.outcome(with_samples)


async def acarry_out(
    prepared: RunSetup, options: RunOptions, watch: JobWatch, *, with_samples: bool = False
) -> EvaluationOutcome:
    """Do the same in the event loop that is running."""
    with _opened(prepared, options, watch) as evaluation:
        if evaluation.samples_left:
            with evaluation.asking():
                await evaluation.engine.acarry_out(evaluation.work)
        return evaluation.outcome(with_samples)


@contextmanager
def _opened(prepared: RunSetup, options: RunOptions, watch: JobWatch) -> Iterator[Evaluation]:
    """Open the folder of a run, begun or gone on with, while the block lasts."""
    if options.limits.batch:
        check_batches(prepared)
    path, notices = folder_of(prepared, options)
    if not (path / HEADER).exists():  # what a new run would meet at its first request is said before it has a folder
        if path.is_dir() and any(file.name != LOCK for file in path.iterdir()):
            raise UsageError(f"{path}: the folder is not empty, and no run lies in it", hint="give another --out")
        for model in asked_of(prepared.plan):
            if asks_a_model(model) and not (options.executor == RAY and is_own(model)):  # an actor loads it
                provider_for(prepared.settings[model], None, options.limits.client).prepare()
    folder = RunFolder(path, prepared.header(options.command))
    try:
        is_older = (folder.header["tsgkit"], folder.header["reader"]) != (__version__, READER)
        if is_older:
            asking = [row for row in prepared.rows if asks_a_model(row.asked)]
            folder.samples.replace(records_from_calls(asking, path))  # the other rows cost nothing and are solved anew
            folder.update_header(**{"tsgkit": __version__, "reader": READER, RECORDS: 0})
        is_new = not (path / ASKED / MANIFEST).is_file()
        if is_new or is_older:
            keep(prepared, path, rows=options.keep_data if is_new else keeps_rows(path))
        states = states_of(prepared.rows, folder.samples)
        yield Evaluation(prepared, options, watch, folder, states, [*notices, *prepared.notes])
    finally:
        folder.close()


def folder_of(prepared: RunSetup, options: RunOptions) -> tuple[Path, list[str]]:
    """Return the run folder and notes about it. With ``new`` an earlier run is moved aside, not deleted."""
    path = options.out or RUNS / f"{prepared.name}-{prepared.identity}"
    if prepared.shard is not None:
        path = prepared.shard.beside(path)
    if options.new and (path / HEADER).is_file():
        return path, [f"the earlier run now lies in {put_aside(path)}"]
    return path, []


def is_fatal(error: Exception, heard: RecordedAsk) -> bool:
    """Return whether an exception stops more than its sample: a budget, a full disk, a package that is missing."""
    if not isinstance(error, TsgkitError):
        return False
    return error in heard.raised or (isinstance(error, UsageError) and not isinstance(error, FileProblem))


@dataclass
class Evaluation:
    """A run with its open folder; its samples are the units of a job."""

    prepared: RunSetup
    options: RunOptions
    watch: JobWatch
    folder: RunFolder
    states: Mapping[Cell, RowState]
    notices: list[str]
    subjects: Mapping[str, Subject] = field(default_factory=dict)
    engine: Engine = field(default_factory=Engine)
    executor: Executor | None = None
    """The executor that the user chose for what computes; None for processes where they are worth it."""
    open_batches: int = 0
    tracing: Tracing = field(init=False)
    _computing: Executor | None = None
    _elsewhere: set[Cell] = field(default_factory=set)
    """The rows of which something is computed by that executor."""

    def __post_init__(self) -> None:
        self.tracing = Tracing(self.options.limits.traces, self.prepared.secrets, "tsgkit eval", self._span_attributes)

    def _span_attributes(self) -> dict[str, Value]:
        prepared = self.prepared
        attributes: dict[str, Value] = {
            "tsgkit.version": __version__,
            "tsgkit.run.identity": prepared.identity,
            "tsgkit.run.name": prepared.name,
            "tsgkit.tasks": list(dict.fromkeys(row.cell.task for row in prepared.rows)),
            "tsgkit.models": list(asked_of(prepared.plan)),
        }
        return attributes if prepared.shard is None else attributes | {"tsgkit.shard": str(prepared.shard)}

    @property
    def samples_left(self) -> int:
        """The number of samples that are still to be worked on."""
        return _left(self.states.values())

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Hold everybody who is asked and the engine of the work; note at the end what became known of them."""
        prepared, options = self.prepared, self.options
        asks = any(map(asks_a_model, asked_of(prepared.plan)))
        cache, uncached = _reply_cache() if options.cache and asks else (None, "")
        limits = replace(options.limits, executor=options.executor)
        self.subjects = subjects_of(prepared, self.folder, limits, cache, reads_cache=not options.new)
        doors = {name: subject for name, subject in self.subjects.items() if isinstance(subject, Door)}
        for name, door in doors.items():
            if isinstance(door.provider, LocalModel):
                door.provider.longest = _longest_prompt(prepared.rows, name)
            if len(doors) > 1 or isinstance(door.provider, HeldModel):
                door.provider.prepare()  # all are checked before the first of several is paid for
        if options.executor is not None:
            self.executor = executor_named(options.executor, limits.in_flight)
        facts = []
        if number := sum(state.at_start for state in self.states.values()):
            facts.append(f"{number:,} {'sample is' if number == 1 else 'samples are'} there already")
        batches_file = self.folder.path / BATCHES
        if not limits.batch and batches_file.exists() and (number := pending(batches_file)):
            batches = "1 batch is" if number == 1 else f"{number:,} batches are"
            facts.append(f"{batches} pending, which only --batch collects")
        self.engine = Engine(
            tuple(self.subjects.values()),
            self.watch,
            noun="sample",
            there="; ".join(facts),
            executor=self.executor,
            tracing=self.tracing,
        )
        self.engine.parts = self.parts
        self._remember_formats()
        before, self.notices = self.notices, []
        try:
            yield
        finally:
            if cache is not None:
                cache.close()
            self._note_models(doors)
            providers = [door.provider for door in doors.values()]
            self.open_batches = sum(
                provider.collector.open for provider in providers if isinstance(provider, BatchCalls)
            )
            trouble = uncached if cache is None else cache.trouble
            self.notices += [*([trouble] if trouble else []), *before]

    def _remember_formats(self) -> None:
        """Give the judge the response formats that the run knows, and store what it learns."""
        prepared, judge = self.prepared, self.prepared.plan.judge
        if judge is None or not asks_a_model(judge):
            return
        endpoint = prepared.secrets.redact(prepared.settings[judge].endpoint)
        known = dict(self.folder.header.get(RESPONSE_FORMATS, {}))
        prepared.formats.takes.update(known.get(endpoint, {}))

        def keep_formats(takes: Mapping[str, bool]) -> None:
            try:
                self.folder.update_header(**{RESPONSE_FORMATS: {**known, endpoint: takes}})
            except TsgkitError as error:
                self.engine.fail(error)

        prepared.formats.keep = keep_formats

    def _note_models(self, doors: Mapping[str, Door]) -> None:
        """Record the parameters that are sent to each model."""
        known = dict(self.folder.header.get("models", {}))
        for name, door in doors.items():
            if isinstance(door.provider, ServiceCalls) and door.provider.sent:
                model = {
                    "endpoint": door.endpoint,
                    "sent": door.provider.sent,
                    "notices": door.provider.notices,
                    "price": None if door.price is None else door.price.source,
                }
                known[name] = door.secrets.redact_value(model)
        if known:
            self.folder.update_header(models=known)

    def parts(self) -> list[JobPart]:
        """Return how far the run is, for each subject and task."""
        groups: dict[tuple[str, str], list[RowState]] = {}
        for cell, state in self.states.items():
            groups.setdefault((cell.subject, cell.task), []).append(state)
        first = {title[0]: title for title in reversed(groups)}
        parts = []
        for title, states in groups.items():
            door = self.subjects.get(title[0]) if first[title[0]] == title else None
            weight = sum(state.weight for state in states)
            done, total = (sum(getattr(state, name) for state in states) for name in ("finished", "total"))
            part = JobPart(
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
            parts.append(part)
        return parts

    async def work(self) -> None:
        """Work until nothing is left, or something stops it: on one queue for each who is asked."""
        queues = []
        for model in dict.fromkeys(state.row.asked for state in self.states.values()):
            states = [state for state in self.states.values() if state.row.asked == model]
            if _left(states):
                asks = asks_a_model(model)
                workers = self._workers(states, asks=asks)
                if asks and len(states) > 1 and all(state.row.judge is None for state in states):
                    states.sort(key=_length)  # a context too small for the long ones may do for the short ones
                units = ((state, position) for state in states for position in state.left())
                gave_up = functools.partial(_give_up, states)
                queues.append(self.engine.each(units, self._sample, workers=workers, asks=asks, gave_up=gave_up))
        try:
            await asyncio.gather(*queues)
        finally:
            if self._computing is not None:
                self._computing.close()
            for state in self.states.values():
                door = self.subjects.get(state.row.asked)
                if state.failed and not state.given_up and isinstance(door, Door):
                    state.given_up, state.advice = door.giving_up.cause, door.giving_up.advice

    def _workers(self, states: Sequence[RowState], *, asks: bool) -> int:
        """Return the number of samples in work at a time, and choose where what computes is done."""
        in_flight = self.options.limits.in_flight
        computing = self._computing_rows(states, asks=asks)
        if computing:
            executor = self._computing or self.executor or executor_named(PROCESSES, in_flight)
            self._computing = self.engine.executor = executor
            computing = [state for state in computing if self._can_travel(state.row, executor, asks=asks)]
            self._elsewhere.update(state.row.cell for state in computing)
        if asks:
            return min(in_flight, _left(states))
        return min(executor.workers, _left(computing)) if computing else 1

    def _computing_rows(self, states: Sequence[RowState], *, asks: bool) -> list[RowState]:
        """Return the rows of which something is computed elsewhere: where the user says, else where it is worth it."""
        if isinstance(self.executor, Here):
            return []
        if self.executor is not None:  # of what a model answers, some tasks and solvers alone compute something
            return [
                state
                for state in states
                if not asks or state.row.task.computes == "scoring" or isinstance(state.row.solver, Spreads)
            ]
        computing = [] if asks else [state for state in states if state.row.task.computes == "solving"]
        if computing and usual_executor(_left(computing), FEWEST, self.options.limits.in_flight) == PROCESSES:
            return computing
        return []

    def _can_travel(self, row: PlannedRow, executor: Executor, *, asks: bool) -> bool:
        """Return whether what a row consists of can be used elsewhere. ``UsageError`` if the user wants it there."""
        try:
            if row.task.computes == "scoring":
                executor.check(row.scoring)
            executor.check(row.task if asks else row.solver)
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

    async def _sample(self, unit: tuple[RowState, int]) -> None:
        """Have a sample answered, scored and written."""
        state, position = unit
        state.began = state.began or time.monotonic()
        state.busy += 1
        try:
            attributes = functools.partial(asked_attributes, state.row, position)
            with observed(f"sample {state.row.cell.task}", attributes) as note:
                record = await self._answered(state, position)
                note(functools.partial(outcome_attributes, record))
        finally:
            state.busy -= 1
        self.engine.changed()

    async def _answered(self, state: RowState, position: int) -> dict[str, Any]:
        row = state.row
        sample = row.dataset.sample(row.numbers[position])
        where = row.where(sample.item_id)
        heard = RecordedAsk(self._ask_of(row, where))
        try:
            transcript = await self._solved(row, sample, heard)
        except Exception as error:
            if is_fatal(error, heard):
                raise
            transcript = Transcript(tuple(heard.said))
            score = row.scoring.failed(sample, error_in_words(error, row.task, row.solver))
        else:
            for text in transcript.said:  # what a solver produced without asking a model
                call, reply = where._replace(label=text.label), text.reply
                if reply.source == LOCAL and ((known := self.folder.find(call)) is None or known.text != reply.text):
                    self.folder.write(call, None, reply)
            score = await self._judged(row, sample, transcript)
        record, line = row.scoring.written(score, transcript)
        state.note(position, self.folder.samples.add_line(line), record["outcome"])
        state.add_up(position, record, scores_of(record))
        usage = record["usage"]
        state.spent += usage.get("cost", 0.0)
        state.knows_cost = state.knows_cost and not usage.get("unpriced")
        return record

    def _ask_of(self, row: PlannedRow, where: Call) -> Ask | None:
        """Return what asks about a sample; the call of a judge of answers goes to the judge."""
        subject = self.subjects.get(row.asked)
        ask = None if subject is None else functools.partial(subject.ask, where)
        judge = self.subjects.get(row.judge or "") if row.task.grader is not None else None
        if judge is None:
            return ask

        async def routed(
            messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
        ) -> Reply:
            door = judge if label == GRADE or subject is None else subject
            return await door.ask(where, messages, label=label, draw=draw, schema=schema)

        return routed

    async def _solved(self, row: PlannedRow, sample: Any, heard: RecordedAsk) -> Transcript:  # noqa: ANN401  (its suite's sample)
        ask, solver = None if heard.ask is None else heard, row.solver
        if self._computing is not None and row.cell in self._elsewhere:
            if ask is None:
                item = carried(solver, sample) if self._computing.carries else sample
                transcript: Transcript = await self._computing.run(solved, solver, item)
                return transcript
            if isinstance(solver, Spreads):
                solver = solver.spread_by(self._computing.run)
        transcript = await solver.solve(sample, ask)
        if row.task.computes == "solving":
            await asyncio.sleep(0)  # computing waits for nothing, and an interrupt wants to be heard
        return transcript

    async def _judged(self, row: PlannedRow, sample: Any, transcript: Transcript) -> Scored:  # noqa: ANN401
        """Return the judgement on a transcript, made elsewhere if it takes computing and the row is computed there."""
        if self._computing is None or row.cell not in self._elsewhere or row.task.computes != "scoring":
            return row.scoring.judged(sample, transcript)
        try:
            score: Scored = await self._computing.run(judged, row.scoring, (sample, transcript))
        except ItemError as error:
            return row.scoring.failed(sample, str(error))
        return score

    def outcome(self, with_samples: bool) -> EvaluationOutcome:
        """Return what became of it."""
        folder, states, engine = self.folder, self.states, self.engine
        if all(offset >= 0 for state in states.values() for offset in state.places):
            put_in_order(states, folder.samples)
        folder.update_header(**{RECORDS: sum(state.recorded for state in states.values())})
        results = results_of(states, folder.samples, self.prepared.plan.at("seed"))
        values = (
            result_value(result, states[result.cell], folder.samples, with_samples=with_samples) for result in results
        )
        models = folder.header.get("models", {}).values()
        return EvaluationOutcome(
            path=folder.path,
            results=results,
            values=tuple(values),
            interrupted=engine.interrupted,
            budget="" if engine.interrupted else engine.budget,
            notices=(*self.notices, *(notice for model in models for notice in model.get("notices", ()))),
            trouble=tuple(self.prepared.secrets.redact(text) for text in engine.trouble),
            header=folder.header,
            open_batches=self.open_batches,
            unsent_spans=self.tracing.trouble,
        )


def solved(solver: Solver, sample: Any) -> Transcript:  # noqa: ANN401  (its suite's sample)
    """Return a solver's transcript; exceptions are returned as text, without their data."""
    try:
        return with_files(lambda one, own: asyncio.run(one.solve(own, None)), solver, sample)
    except TsgkitError:
        raise
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        raise ItemError(error_in_words(error, solver)) from None


def judged(scoring: Scoring, answered: tuple[Any, Transcript]) -> Scored:
    """Return the judgement on a sample's transcript."""
    return scoring.judged(*answered)


def _give_up(states: Sequence[RowState], why: Unasked) -> None:
    for state in states:
        state.given_up, state.advice = why.message, why.hint


def _left(states: Iterable[RowState]) -> int:
    return sum(state.total - state.finished for state in states)


def _length(state: RowState) -> int:
    """Return about how long the prompts of a row are, by its first sample."""
    row = state.row
    return row.solver.expected(row.dataset.sample(row.numbers[0])).sent[1] if row.numbers else 0


def _longest_prompt(rows: Sequence[PlannedRow], model: str) -> Messages:
    """Return the longest of the prompts that are known before a model is asked; none where it is asked by agents."""
    longest = ""
    for row in rows:
        if row.asked == model and isinstance(row.solver, PromptSolver):
            prompts = (row.solver.prompter.text(row.dataset.sample(number)) for number in row.numbers)
            longest = max((longest, *prompts), key=len)
    return [{"role": "user", "content": longest}] if longest else []


def _reply_cache() -> tuple[ReplyCache | None, str]:
    """Return the replies kept across runs; where nothing can be written there, none, and why. A broken file is an
    error.
    """
    try:
        return ReplyCache(), ""
    except UsageError as error:
        if not isinstance(error.__context__, OSError) and "unable to open" not in str(error):
            raise
        return None, f"no reply is kept for other runs: {error.message}"
    except RuntimeError as error:  # the home folder of this user is unknown
        return None, f"no reply is kept for other runs: {error}"


def asked_attributes(row: PlannedRow, position: int) -> dict[str, Value]:
    """Return what is known of a sample before it is answered; ``place`` is its place among those of the row."""
    attributes: dict[str, Value] = {f"tsgkit.{name}": value for name, value in row.cell.value.items()}
    if row.judge is not None:
        attributes["tsgkit.judge"] = row.judge
    return attributes | {"tsgkit.item.id": row.dataset.item_ids[row.numbers[position]]}


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
