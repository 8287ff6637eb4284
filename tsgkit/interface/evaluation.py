"""Evaluations from Python: the options of ``tsgkit eval`` as arguments, and a run as the result.

>>> import tempfile
>>> run = evaluate("tsg/sgqa", model="baseline/rules", limit=5, out=f"{tempfile.mkdtemp()}/run", quiet=True)
>>> run.results[0].board.counts["answered"], run.complete
(5, True)
>>> estimate, = plan("tsg/sgqa", model="openai/gpt-4o", limit=5)
>>> estimate.samples, estimate.requests
(5, (5, 5))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from tsgkit.errors import UsageError
from tsgkit.interface.arguments import name_of_model, names_of_models, pairs_of
from tsgkit.interface.options import (
    AskOptions,
    EvaluateOptions,
    TaskOptions,
    WorkOptions,
    check_kinds,
    options_in,
    settings_of,
    several,
    shows,
)
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.interface.run import Run, Tabled
from tsgkit.llm.settings import arguments_of
from tsgkit.report.plain_text import Foreign
from tsgkit.report.table import Table
from tsgkit.runs import evaluation
from tsgkit.runs.estimate import RowEstimate, estimates_of
from tsgkit.runs.evaluation import RunOptions
from tsgkit.runs.executors import checked_executor
from tsgkit.runs.plan import DEFAULT, Plan, load_plan, made
from tsgkit.runs.run_setup import RunSetup, asked_of, asks_a_model
from tsgkit.runs.shards import shard_of
from tsgkit.runs.subjects import limits_of, prices_of
from tsgkit.suites.task import PUBLISHED, Task

if TYPE_CHECKING:
    Tasks = str | Task | Sequence[str | Task] | None

CONTROLS = ("blind", "shuffled")
"""Protocols that withhold something on purpose; they follow the protocol that they control."""
ASKED = {
    name: name if name in Plan.model_fields else f"{name}s"
    for name in (*options_in(TaskOptions), *options_in(AskOptions))
    if name not in (*CONTROLS, "plan")
}
"""The options that are part of a run's identity, and the fields of a plan."""
CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "model": names_of_models,
    "judge": name_of_model,
    "model_arg": arguments_of,
    **dict.fromkeys(("images", "scenes", "assets"), pairs_of),
}
"""Functions that return the values of options as a plan has them."""


class Estimates(Tabled, tuple[RowEstimate, ...]):
    """Estimated requests and costs of a plan's rows as a table."""

    @property
    def table(self) -> Table:
        """The rows, each with its samples, requests, tokens and cost."""
        head = ("row", "samples", "requests", "tokens in", "tokens out", "cost")
        rows = []
        for row in self:
            cost = "unknown" if row.cost is None else f"${row.cost.low:.4f} to ${row.cost.high:.4f}"
            pairs = (row.requests, (row.prompt.low, row.prompt.high), (row.completion.low, row.completion.high))
            spreads = [dict.fromkeys(f"{end:,.0f}" for end in pair) for pair in pairs]
            rows.append((Foreign(row.cell.title), f"{row.samples:,}", *map(" to ".join, spreads), cost))
        return Table(("What would be asked",), head, tuple(rows))


@shows(EvaluateOptions)
def evaluate(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Run:
    """Evaluate models on tasks, in a run folder that the same call resumes.

    ``task`` names tasks or suites, or is a ``Task``. ``model`` is a LiteLLM name, a function of messages, a chat model
    of LangChain, a list of these, or ``{"name": function}``; without it the built-in baselines answer. ``style``,
    ``solver``, ``shots``, ``prompts`` and ``seed`` take one value or a list, and multiply the rows. ``data``, ``limit``
    and ``ids`` select items, ``out`` the folder. ``max_cost``, ``max_requests`` and ``max_tokens`` limit a run,
    ``batch=True`` sends requests in batches at half price (``wait=False`` leaves them to be collected by the same call
    later), ``otel=True`` sends spans by OpenTelemetry (``otel_content=True``: prompts and replies too), ``quiet`` hides
    progress. ``tsgkit eval --help`` explains every option.

        run = tk.evaluate("tsg", model="openai/gpt-4o", style=["zero-shot", "cot"], limit=50, max_cost=2)

    Ctrl-C completes the requests in flight; nothing is lost, and the same call resumes.
    """
    prepared, how = _prepared(task, options)
    finished = waited_job(partial(evaluation.acarry_out, prepared, how), quiet=options.get("quiet"))
    return Run(finished.path, finished=finished, prepared=prepared)


@shows(EvaluateOptions)
async def aevaluate(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Run:
    """Do the same as ``evaluate`` in the running event loop; a cancellation loses no reply."""
    prepared, how = _prepared(task, options)
    finished = await evaluation.acarry_out(prepared, how, watch_of(quiet=options.get("quiet")))
    return Run(finished.path, finished=finished, prepared=prepared)


@shows(EvaluateOptions)
def plan(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Estimates:
    """Return the requests and the cost of an evaluation, row by row; nothing is sent."""
    prepared, how = _prepared(task, options)
    models = tuple(name for name in asked_of(prepared.plan) if asks_a_model(name))
    prices = prices_of(models, how.limits.prices, prepared.settings, batch=how.limits.batch)
    return Estimates(estimates_of(prepared, prices))


def _prepared(task: Tasks, options: Mapping[str, Any]) -> tuple[RunSetup, RunOptions]:
    """Prepare an evaluation. Raise ``UsageError`` before anything is sent."""
    check_kinds(options, EvaluateOptions)
    given = {name: value for name, value in options.items() if value is not None and name != "quiet"}
    words = [
        *([] if task is None else [_written(task)]),
        *(f"{name}={_written(value)}" for name, value in given.items()),
    ]
    how = how_of({**given, "command": (f"tsgkit.evaluate({', '.join(words)})",)})  # keys are hidden when it is stored
    return evaluation.prepare_run(plan_of({"task": task, **given}), how), how


def _written(value: Any) -> str:  # noqa: ANN401
    """Return an argument as a program writes it, functions and models by name."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_written(each)}" for name, each in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_written, value)) + "]"
    if isinstance(value, (Path, Task)):
        return repr(str(value))
    is_literal = value is None or isinstance(value, (str, int, float))
    return repr(value) if is_literal else str(getattr(value, "__name__", type(value).__name__))


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan that options make, over the settings of a ``plan``; those that are None say nothing."""
    settings = load_plan(options["plan"]) if options.get("plan") else {}
    fields = {field: _plain(name, options[name]) for name, field in ASKED.items() if options.get(name) is not None}
    for name in ("repeat", "limit", "first", "shots"):
        for number in several(fields.get(name)):
            if isinstance(number, int) and number < 1:
                raise UsageError(f"--{name} {number}: at least 1 is needed")
    if ("limit" in fields) != ("first" in fields):  # one replaces the other
        settings = {name: value for name, value in settings.items() if name not in ("limit", "first")}
    if controls := [name for name in CONTROLS if options.get(name)]:
        if not (settings | fields).get("images"):
            raise UsageError(f"--{controls[0]} controls who looks at images", hint="name them: --images NAME=DIR")
        protocols = several((settings | fields).get("protocols") or PUBLISHED)
        fields["protocols"] = [*protocols, *(f"{name}-{control}" for name in protocols for control in controls)]
    return made(settings | fields, f"plan {options['plan']}" if options.get("plan") else "options")


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401
    """Return an option as a plan has it: names, texts and numbers."""
    if name in CONVERSIONS:
        return CONVERSIONS[name](value)
    values = [str(each) if isinstance(each, (Path, Task)) else each for each in several(value)]
    if name == "task":
        for each in values:
            if not isinstance(each, str):
                raise UsageError(f"task: {str(each)[:40]} is no name of a task, and no Task")
        return values
    if name == "prompts":
        values = [None if each == DEFAULT else each for each in values]
    is_single = isinstance(value, (str, Mapping)) or not isinstance(value, Iterable)
    return values[0] if is_single else values


def how_of(options: Mapping[str, Any]) -> RunOptions:
    """Return how an evaluation is carried out."""
    work = settings_of({name: options[name] for name in options_in(WorkOptions) if name in options}, WorkOptions)
    same = {name: work[name] for name in ("new", "cache", "scene_time", "boxes", "keep_data")}
    return RunOptions(
        **same,
        out=None if work["out"] is None else Path(work["out"]),
        limits=limits_of(options),
        command=tuple(options.get("command", ())),
        shard=None if work["shard"] is None else shard_of(work["shard"]),
        executor=None if work["executor"] is None else checked_executor(work["executor"]),
    )
