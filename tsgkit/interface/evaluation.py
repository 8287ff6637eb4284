"""Evaluations from Python: the options of ``tsgkit eval`` as arguments, and a run as the result.

>>> run = evaluate("tsg/sgqa", model="baseline/rules", limit=5, out=_example() / "run", quiet=True)
>>> run.results[0].board.counts["answered"], run.complete
(5, True)
>>> estimate, = plan("tsg/sgqa", model="openai/gpt-4o", limit=5)
>>> estimate.samples, estimate.requests
(5, (5, 5))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict, Unpack

from tsgkit.errors import UsageError
from tsgkit.interface.arguments import check_kinds, name_of_model, names_of_models, pairs_of
from tsgkit.interface.notebook import Estimates
from tsgkit.interface.progress import waited_job, watch_of
from tsgkit.interface.run import Run
from tsgkit.interface.signatures import show_options
from tsgkit.lexicon import meant
from tsgkit.llm.settings import Client, arguments_of
from tsgkit.runs import evaluation
from tsgkit.runs.estimate import estimates_of
from tsgkit.runs.evaluation import EvaluationOutcome, Options
from tsgkit.runs.executors import checked_executor
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import Plan, load_plan, made
from tsgkit.runs.run_setup import RunSetup, asked_of, asks_a_model
from tsgkit.runs.shards import shard_of
from tsgkit.runs.subjects import limits_of, prices_of
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.text_task import RowTask

if TYPE_CHECKING:
    from tsgkit.suites.user_tasks import Task

    Tasks = str | Task | Sequence[str | Task] | None

Names = str | Sequence[str] | None
ASKED = {
    "task": "tasks",
    "model": "models",
    "style": "styles",
    "solver": "solvers",
    "shots": "shots",
    "data": "data",
    "limit": "limit",
    "first": "first",
    "ids": "ids",
    "repeat": "repeat",
    "seed": "seed",
    "prompts": "prompts",
    "model_arg": "model_args",
    "images": "images",
    "scenes": "scenes",
    "assets": "assets",
    "missing": "missing",
    "judge": "judge",
    "protocol": "protocols",
    "pairing": "pairing",
}
"""The options that are part of a run's identity, and the fields of a plan."""
CONTROLS = ("blind", "shuffled")
"""Protocols that withhold something on purpose; they follow the protocol that they control."""
SCENE_TIME = 120.0
FOLDERS = ("images", "scenes", "assets")
"""Options that accept a mapping: ``{"mine": "images/mine"}`` for ``mine=images/mine``."""


class AskOptions(TypedDict, total=False):
    """Options of what is asked."""

    model: Any
    images: Mapping[str, str | PathLike[str]] | Names
    scenes: Mapping[str, str | PathLike[str]] | Names
    assets: Mapping[str, str | PathLike[str]] | Names
    missing: str | None
    judge: Any
    protocol: Names
    pairing: str | None
    blind: bool
    shuffled: bool
    style: Names
    solver: Names
    shots: int | Sequence[int] | None
    data: str | Path | None
    limit: int | None
    first: int | None
    ids: Names
    repeat: int | None
    seed: int | Sequence[int] | None
    prompts: str | Path | Sequence[str | Path] | None
    model_arg: Mapping[str, Any] | Names
    plan: str | None


class LimitOptions(TypedDict, total=False):
    """Options of rates and budgets."""

    concurrency: int | None
    timeout: float
    max_outage: float | None
    wait_for_server: float | None
    attempts: int
    rpm: float | None
    tpm: float | None
    max_cost: float | None
    max_requests: int | None
    max_tokens: int | None
    price: Mapping[str, Any] | Names
    client: Client | None
    otel: bool
    otel_content: bool


class EvaluateOptions(AskOptions, LimitOptions, total=False):
    """Options of an evaluation."""

    out: str | Path | None
    new: bool
    shard: str | None
    scene_time: float
    boxes: bool
    keep_data: bool
    executor: str | None
    cache: bool
    prompt_cache: bool
    batch: bool
    wait: bool
    quiet: NotRequired[bool]


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
    return _run_of(prepared, waited_job(lambda heard: evaluation.acarry_out(prepared, how, heard), watch))


async def aevaluate(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Run:
    """Do the same as ``evaluate`` in the running event loop; a cancellation loses no reply."""
    prepared, how, watch = _prepared(task, dict(options))
    return _run_of(prepared, await evaluation.acarry_out(prepared, how, watch))


def plan(task: Tasks = None, **options: Unpack[EvaluateOptions]) -> Estimates:
    """Return the requests and the cost of an evaluation, row by row; nothing is sent."""
    prepared, how, _ = _prepared(task, dict(options) | {"quiet": True})
    models = tuple(name for name in asked_of(prepared.plan) if asks_a_model(name))
    prices = prices_of(models, how.limits.prices, prepared.settings, batch=how.limits.batch)
    return Estimates(estimates_of(prepared, prices))


def _prepared(task: Tasks, options: dict[str, Any]) -> tuple[RunSetup, Options, Watch]:
    """Prepare an evaluation. Raise ``UsageError`` before anything is sent."""
    quiet = options.pop("quiet", False)
    check_kinds(options)
    options = {name: value for name, value in options.items() if value is not None or name not in OPTIONS}
    how = how_of({**options, "command": (_call(task, options),)})
    return evaluation.prepare_run(plan_of({"task": task, **options}), how), how, watch_of(quiet=quiet)


def _call(task: Tasks, options: Mapping[str, Any]) -> str:
    """Return the call that began a run, as its folder says it; keys are hidden when it is written."""
    asked = [] if task is None else [_said(task)]
    return f"tsgkit.evaluate({', '.join([*asked, *(f'{name}={_said(one)}' for name, one in options.items())])})"


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


def _run_of(prepared: RunSetup, finished: EvaluationOutcome) -> Run:
    return Run(finished.path, finished=finished, prepared=prepared)


def plan_of(options: Mapping[str, Any]) -> Plan:
    """Return the plan that options make, over the settings of a ``plan``; those that are None say nothing."""
    settings = load_plan(options["plan"]) if options.get("plan") else {}
    told = {name: _plain(name, options[name]) for name in ASKED if options.get(name) is not None}
    for name in ("repeat", "limit", "first", "shots"):
        for number in _listed(told.get(name)):
            if isinstance(number, int) and number < 1:
                raise UsageError(f"--{name} {number}: at least 1 is needed")
    fields = {ASKED[name]: value for name, value in told.items()}
    for one, other in (("limit", "first"), ("first", "limit")):
        if one in fields and other not in fields:
            settings = {name: value for name, value in settings.items() if name != other}
    fields |= _controls(settings | fields, [name for name in CONTROLS if options.get(name)])
    return made(settings | fields, f"plan {options['plan']}" if options.get("plan") else "options")


def _listed(value: object) -> Sequence[object]:
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
        return [_task_name(one) for one in (value if isinstance(value, (list, tuple)) else [value])]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Iterable) and not isinstance(value, (str, Mapping)):
        return [str(one) if isinstance(one, Path) else one for one in value]
    return value


def _task_name(value: object) -> str:
    if isinstance(value, (str, RowTask)):
        return str(value)
    raise UsageError(f"task: {str(value)[:40]} is no name of a task, and no Task")


def _controls(settings: Mapping[str, Any], chosen: Sequence[str]) -> dict[str, Any]:
    """Return the protocols of a plan, each followed by these controls of it."""
    if not chosen:
        return {}
    if not settings.get("images"):
        raise UsageError(f"--{chosen[0]} controls who looks at images", hint="name them: --images NAME=DIR")
    told = settings.get("protocols") or [PUBLISHED]
    protocols = [told] if isinstance(told, str) else list(told)
    return {"protocols": [*protocols, *(f"{name}-{control}" for name in protocols for control in chosen)]}


OPTIONS = {*ASKED, *CONTROLS, "plan", *LimitOptions.__annotations__}
OPTIONS |= {
    "out",
    "new",
    "cache",
    "command",
    "shard",
    "scene_time",
    "boxes",
    "keep_data",
    "executor",
    "batch",
    "wait",
    "prompt_cache",
}


def how_of(options: Mapping[str, Any]) -> Options:
    """Return how an evaluation is carried out; ``UsageError`` for an option that there is not."""
    if odd := [name for name in options if name not in OPTIONS]:
        raise UsageError(f"there is no option {odd[0]}", hint=meant(odd[0], sorted(OPTIONS)))
    out, shard = options.get("out"), options.get("shard")
    return Options(
        out=None if out is None else Path(out),
        new=bool(options.get("new")),
        cache=options.get("cache", True),
        limits=limits_of(options),
        command=tuple(options.get("command", ())),
        shard=None if shard is None else shard_of(shard),
        scene_time=options.get("scene_time", SCENE_TIME),
        boxes=bool(options.get("boxes")),
        keep_data=bool(options.get("keep_data", True)),
        executor=checked_executor(options.get("executor")),
    )


for _function in (evaluate, aevaluate, plan):
    show_options(_function, EvaluateOptions)


def _example() -> Path:
    import tempfile

    return Path(tempfile.mkdtemp())
