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

from collections.abc import Iterable, Mapping, Sequence
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
    shows,
)
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.interface.run import Run, Tabled
from tsgkit.llm.settings import arguments_of
from tsgkit.report.plain_text import Foreign
from tsgkit.report.tables import Table
from tsgkit.runs import evaluation
from tsgkit.runs.estimate import RowEstimate, estimates_of
from tsgkit.runs.evaluation import Options
from tsgkit.runs.executors import checked_executor
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import DEFAULT, Plan, load_plan, made
from tsgkit.runs.run_setup import RunSetup, asked_of, asks_a_model
from tsgkit.runs.shards import shard_of
from tsgkit.runs.subjects import limits_of, prices_of
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.text_task import RowTask

if TYPE_CHECKING:
    from tsgkit.suites.user_tasks import Task

    Tasks = str | Task | Sequence[str | Task] | None

CONTROLS = ("blind", "shuffled")
"""Protocols that withhold something on purpose; they follow the protocol that they control."""
ASKED = {
    name: name if name in Plan.model_fields else f"{name}s"
    for name in (*options_in(TaskOptions), *options_in(AskOptions))
    if name not in (*CONTROLS, "plan")
}
"""The options that are part of a run's identity, and the fields of a plan."""
FOLDERS = ("images", "scenes", "assets")
"""Options that accept a mapping: ``{"mine": "images/mine"}`` for ``mine=images/mine``."""


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
    prepared, how, watch = _prepared(task, dict(options))
    finished = waited_job(lambda heard: evaluation.acarry_out(prepared, how, heard), watch)
    return Run(finished.path, finished=finished, prepared=prepared)


@shows(EvaluateOptions)
async def aevaluate(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Run:
    """Do the same as ``evaluate`` in the running event loop; a cancellation loses no reply."""
    prepared, how, watch = _prepared(task, dict(options))
    finished = await evaluation.acarry_out(prepared, how, watch)
    return Run(finished.path, finished=finished, prepared=prepared)


@shows(EvaluateOptions)
def plan(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Estimates:
    """Return the requests and the cost of an evaluation, row by row; nothing is sent."""
    prepared, how, _ = _prepared(task, dict(options) | {"quiet": True})
    models = tuple(name for name in asked_of(prepared.plan) if asks_a_model(name))
    prices = prices_of(models, how.limits.prices, prepared.settings, batch=how.limits.batch)
    return Estimates(estimates_of(prepared, prices))


def _prepared(task: Tasks, options: dict[str, Any]) -> tuple[RunSetup, Options, Watch]:
    """Prepare an evaluation. Raise ``UsageError`` before anything is sent."""
    check_kinds(options, EvaluateOptions)
    quiet = options.pop("quiet", False)
    options = {name: value for name, value in options.items() if value is not None}
    asked = [*([] if task is None else [_said(task)]), *(f"{name}={_said(one)}" for name, one in options.items())]
    command = (f"tsgkit.evaluate({', '.join(asked)})",)  # keys are hidden when it is written
    how = how_of({**options, "command": command})
    return evaluation.prepare_run(plan_of({"task": task, **options}), how), how, watch_of(quiet=quiet)


def _said(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name!r}: {_said(one)}" for name, one in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_said, value)) + "]"
    if value is None or isinstance(value, (str, int, float)):
        return repr(value)
    if isinstance(value, (Path, RowTask)):
        return repr(str(value))
    return str(getattr(value, "__name__", type(value).__name__))


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan that options make, over the settings of a ``plan``; those that are None say nothing."""
    settings = load_plan(options["plan"]) if options.get("plan") else {}
    told = {name: _plain(name, options[name]) for name in ASKED if options.get(name) is not None}
    for name in ("repeat", "limit", "first", "shots"):
        for number in _several(told.get(name)):
            if isinstance(number, int) and number < 1:
                raise UsageError(f"--{name} {number}: at least 1 is needed")
    fields = {ASKED[name]: value for name, value in told.items()}
    for one, other in (("limit", "first"), ("first", "limit")):
        if one in fields and other not in fields:
            settings = {name: value for name, value in settings.items() if name != other}
    if controls := [name for name in CONTROLS if options.get(name)]:
        everything = settings | fields
        if not everything.get("images"):
            raise UsageError(f"--{controls[0]} controls who looks at images", hint="name them: --images NAME=DIR")
        protocols = _several(everything.get("protocols") or PUBLISHED)
        fields["protocols"] = [*protocols, *(f"{name}-{control}" for name in protocols for control in controls)]
    return made(settings | fields, f"plan {options['plan']}" if options.get("plan") else "options")


def _several(value: object) -> Sequence[object]:
    return value if isinstance(value, (list, tuple)) else [value]


def _plain(name: str, value: Any) -> Any:  # noqa: ANN401
    """Return an option as a plan has it: names, texts and numbers."""
    if name in ("model", "judge"):
        return names_of_models(value) if name == "model" else name_of_model(value)
    if name == "model_arg":
        return arguments_of(value)
    if name in FOLDERS:
        return pairs_of(value)
    if name == "task":
        for one in _several(value):
            if not isinstance(one, (str, RowTask)):
                raise UsageError(f"task: {str(one)[:40]} is no name of a task, and no Task")
        return list(map(str, _several(value)))
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        values = [str(one) if isinstance(one, Path) else one for one in value]
        return [None if one == DEFAULT else one for one in values] if name == "prompts" else values
    return value


def how_of(options: Mapping[str, Any]) -> Options:
    """Return how an evaluation is carried out."""
    work = {name: option.default for name, option in options_in(WorkOptions).items()}
    work |= {name: value for name, value in options.items() if name in work and value is not None}
    return Options(
        out=None if work["out"] is None else Path(work["out"]),
        new=work["new"],
        cache=work["cache"],
        limits=limits_of(options),
        command=tuple(options.get("command", ())),
        shard=None if work["shard"] is None else shard_of(work["shard"]),
        scene_time=work["scene_time"],
        boxes=work["boxes"],
        keep_data=work["keep_data"],
        executor=None if work["executor"] is None else checked_executor(work["executor"]),
    )
