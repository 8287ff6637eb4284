"""Evaluation of a plan in a folder that the same call resumes.

>>> import tempfile
>>> plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), limit=5)
>>> finished = evaluate(plan, Options(out=Path(tempfile.mkdtemp()) / "run"))
>>> finished.results[0].board.n, finished.results[0].board.counts["answered"], finished.complete
(5, 5, True)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import BATCHES_OPEN, BUDGET_REACHED, FINISHED_WITH_ERRORS, GOOD, INTERRUPTED, UsageError
from tsgkit.llm.asker import provider_for
from tsgkit.llm.batches import BatchCalls
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.door import Door
from tsgkit.llm.images import Messages
from tsgkit.llm.local_models import LocalModel
from tsgkit.llm.service_calls import ServiceCalls
from tsgkit.llm.spans import Tracing
from tsgkit.llm.user_models import is_own
from tsgkit.replies import READER
from tsgkit.runs.batch_journal import pending
from tsgkit.runs.execute import Evaluation, run_attributes
from tsgkit.runs.executors import RAY, executor_named
from tsgkit.runs.executors.model_actors import HeldModel, known_there
from tsgkit.runs.folder import BATCHES, HEADER, LOCK, RunFolder, put_aside
from tsgkit.runs.jobs import Engine, Watch
from tsgkit.runs.kept import ASKED, MANIFEST, keep, keeps_rows
from tsgkit.runs.plan import Cell, Plan
from tsgkit.runs.results import Result, RowState, put_in_order, result_value, results_of, states_of
from tsgkit.runs.run_files import RECORDS
from tsgkit.runs.run_setup import SCENE_TIME, Row, RunSetup, asked_of, asks_a_model, in_shard, prepare
from tsgkit.runs.saved_run import records_from_calls
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits, check_batches, subjects_of
from tsgkit.suites.solvers.model_solvers import Single, Vote
from tsgkit.version import __version__

RUNS = Path("runs")
RESPONSE_FORMATS = "response_formats"
"""The field of ``run.json`` that says, by endpoint, which types of response format its service takes."""


@dataclass(frozen=True)
class Options:
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
    """Where work is done that asks no service; None for processes of this machine where they are worth it."""


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
    plan: Plan, options: Options, watch: Watch | None = None, *, with_samples: bool = False
) -> EvaluationOutcome:
    """Run a plan, or the rest of it."""
    return carry_out(prepare_run(plan, options), options, watch or Watch(), with_samples=with_samples)


def prepare_run(plan: Plan, options: Options) -> RunSetup:
    """Prepare a plan, or the part of it in a shard."""
    with known_there() if options.executor == RAY and any(map(is_own, asked_of(plan))) else nullcontext():
        prepared = prepare(plan, scene_time=options.scene_time, boxes=options.boxes)
    return prepared if options.shard is None else in_shard(prepared, options.shard)


def carry_out(prepared: RunSetup, options: Options, watch: Watch, *, with_samples: bool = False) -> EvaluationOutcome:
    """Work on a prepared plan in its folder until nothing is left or something stops it."""
    with _opened(prepared, options, watch) as opened:
        with opened.working() as job:
            if job is not None:
                with opened.tracing:
                    job.engine.carry_out(job.work)
        return opened.finished(with_samples)


async def acarry_out(
    prepared: RunSetup, options: Options, watch: Watch, *, with_samples: bool = False
) -> EvaluationOutcome:
    """Do the same in the event loop that is running."""
    with _opened(prepared, options, watch) as opened:
        with opened.working() as job:
            if job is not None:
                async with opened.tracing:
                    await job.engine.acarry_out(job.work)
        return opened.finished(with_samples)


@contextmanager
def _opened(prepared: RunSetup, options: Options, watch: Watch) -> Iterator[_Opened]:
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
        yield _Opened(prepared, options, watch, folder, states, [*notices, *prepared.notes])
    finally:
        folder.close()


@dataclass
class _Opened:
    """A run with its open folder."""

    prepared: RunSetup
    options: Options
    watch: Watch
    folder: RunFolder
    states: Mapping[Cell, RowState]
    notices: list[str]
    engine: Engine = field(default_factory=Engine)
    open_batches: int = 0
    tracing: Tracing = field(init=False)

    def __post_init__(self) -> None:
        attributes = partial(run_attributes, self.prepared)
        self.tracing = Tracing(self.options.limits.traces, self.prepared.secrets, "tsgkit eval", attributes)

    @contextmanager
    def working(self) -> Iterator[Evaluation | None]:
        """Yield the evaluation of what is left, or None, and release its resources afterwards."""
        if all(state.finished == state.total for state in self.states.values()):
            yield None
            return
        prepared, options = self.prepared, self.options
        asks = any(map(asks_a_model, asked_of(prepared.plan)))
        cache, uncached = _cache() if options.cache and asks else (None, "")
        limits = replace(options.limits, executor=options.executor)
        subjects = subjects_of(prepared, self.folder, limits, cache, reads_cache=not options.new)
        doors = {name: subject for name, subject in subjects.items() if isinstance(subject, Door)}
        for name, door in doors.items():
            if isinstance(door.provider, LocalModel):
                door.provider.longest = _longest_prompt(prepared.rows, name)
            if len(doors) > 1 or isinstance(door.provider, HeldModel):
                door.provider.prepare()  # all are checked before the first of several is paid for
        number = sum(state.at_start for state in self.states.values())
        there = f"{number:,} {'sample is' if number == 1 else 'samples are'} there already" if number else ""
        if asks and not options.limits.batch and (number := pending(self.folder.path / BATCHES)):
            batches = "1 batch is" if number == 1 else f"{number:,} batches are"
            there = "; ".join(filter(None, (there, f"{batches} pending, which only --batch collects")))
        in_flight = options.limits.in_flight
        executor = None if options.executor is None else executor_named(options.executor, in_flight)
        self.engine = Engine(tuple(subjects.values()), self.watch, noun="sample", there=there, executor=executor)
        job = Evaluation(self.folder, self.states, subjects, in_flight, self.engine, executor=executor)
        self.engine.parts = job.parts
        told = [uncached] if uncached else []
        _remember_formats(prepared, self.folder, job)
        try:
            yield job
        finally:
            if cache is not None:
                cache.close()
                told += [cache.trouble] if cache.trouble else []
            _note_models(self.folder, doors)
            providers = [door.provider for door in doors.values()]
            self.open_batches = sum(one.collector.open for one in providers if isinstance(one, BatchCalls))
            self.notices[:0] = [*job.notices, *told]

    def finished(self, with_samples: bool) -> EvaluationOutcome:
        """Return what became of it."""
        prepared, folder, states, engine = self.prepared, self.folder, self.states, self.engine
        if all(place >= 0 for state in states.values() for place in state.places):
            put_in_order(states, folder.samples)
        folder.update_header(**{RECORDS: sum(state.recorded for state in states.values())})
        results = results_of(states, folder.samples, prepared.plan.at("seed"))
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
            trouble=tuple(prepared.secrets.redact(text) for text in engine.trouble),
            header=folder.header,
            open_batches=self.open_batches,
            unsent_spans=self.tracing.trouble,
        )


def folder_of(prepared: RunSetup, options: Options) -> tuple[Path, list[str]]:
    """Return the run folder and notes about it. With ``new`` an earlier run is moved aside, not deleted."""
    path = options.out or default_folder(prepared)
    if prepared.shard is not None and options.out is not None:
        path = prepared.shard.beside(options.out)
    if options.new and (path / HEADER).is_file():
        return path, [f"the earlier run now lies in {put_aside(path)}"]
    return path, []


def default_folder(prepared: RunSetup) -> Path:
    """Return the folder of a run that is given none, by its identity."""
    path = RUNS / f"{prepared.name}-{prepared.identity}"
    return path if prepared.shard is None else prepared.shard.beside(path)


def _remember_formats(prepared: RunSetup, folder: RunFolder, job: Evaluation) -> None:
    """Give the judge the response formats that the run knows, and store what it learns."""
    judge = prepared.plan.judge
    if judge is None or not asks_a_model(judge):
        return
    endpoint = prepared.secrets.redact(prepared.settings[judge].endpoint)
    known = dict(folder.header.get(RESPONSE_FORMATS, {}))
    prepared.formats.takes.update(known.get(endpoint, {}))
    prepared.formats.keep = lambda takes: job.note(**{RESPONSE_FORMATS: {**known, endpoint: takes}})


def _cache() -> tuple[ReplyCache | None, str]:
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


def _longest_prompt(rows: Sequence[Row], model: str) -> Messages:
    """Return the longest of the prompts that are known before a model is asked; none where it is asked by agents."""
    longest = ""
    for row in rows:
        if row.asked == model and isinstance(row.solver, (Single, Vote)):
            prompts = (row.solver.prompter.text(row.dataset.sample(number)) for number in row.numbers)
            longest = max((longest, *prompts), key=len)
    return [{"role": "user", "content": longest}] if longest else []


def _note_models(folder: RunFolder, doors: Mapping[str, Door]) -> None:
    """Record the parameters that are sent to each model."""
    known = dict(folder.header.get("models", {}))
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
        folder.update_header(models=known)
