"""The options of jobs, each declared once: for the command line, for Python, for plans and for the manual.

A typed dictionary is a group of options. Its names and types are those of Python, and of plans, where several values
make a plural; the :class:`Option` of each says what the command line shows, and what it is about.

>>> options_in(WorkOptions)["keep_data"].flags
('--no-data',)
>>> annotation_of(AskOptions, "limit"), options_in(AskOptions)["style"].many
('int | None', 'commas')
>>> check_kinds({"style": ["cot"], "limit": 5}, AskOptions)
>>> check_kinds({"limit": "5"}, AskOptions)
Traceback (most recent call last):
tsgkit.errors.UsageError: limit: '5' is no whole number
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict, TypeVar, get_args, get_type_hints

from tsgkit.defaults import ATTEMPTS, EXAMINATION_TIMEOUT, SCENE_TIME, TIMEOUT, Client, Repair
from tsgkit.errors import UsageError

Names = str | Sequence[str] | None
Numbers = int | Sequence[int] | None
Folders = Mapping[str, str | PathLike[str]] | Names
OR_LIST = ", or list of them"
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Option:
    """An option: its value on the command line, its meaning, and its part of a job."""

    metavar: str = ""
    """The name of the value in help texts; empty where the choices are shown."""
    about: str = ""
    default: Any = None
    many: Literal["", "again", "commas", "words"] = ""
    """The form of several values: the option again, also with commas between them, or word by word."""
    choices: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    """Names on the command line, where they are others."""
    kind: Any = field(default=None, compare=False)
    """The type of its values in Python."""

    @classmethod
    def switch(cls, about: str, *, off: str = "") -> Option:
        """Return a switch: one that is off by default, or one that is on, with the flag that turns it off."""
        return cls(about=about, default=bool(off), flags=(off,) if off else ())

    @classmethod
    def choice(cls, about: str, choices: tuple[str, ...], default: str | None = None) -> Option:
        """Return an option whose values are these, which help texts list."""
        return cls(about=about, default=default, choices=choices)


class TaskOptions(TypedDict, total=False):
    """Tasks of a run."""

    task: Annotated[Names, Option("T", "tasks (sgqa,sgds) or suites (tsg: its published tasks)", many="commas")]


class AskOptions(TypedDict, total=False):
    """Tasks, models and items (part of the run's identity)."""

    model: Annotated[Any, Option("M", "a subject; repeatable (default: the card's)", many="again")]
    images: Annotated[Folders, Option("NAME=DIR", "a folder of images (ID.png) to judge", many="again")]
    scenes: Annotated[Folders, Option("NAME=DIR", "a folder of rooms to judge", many="again")]
    assets: Annotated[Folders, Option("LAYOUT=DIR", "where the meshes that rooms name lie", many="again")]
    missing: Annotated[str | None, Option.choice("what a mesh is that is not there (default error)", ("error", "box"))]
    judge: Annotated[
        Any,
        Option("M", "who looks at what lies in folders (a model, or rules), or rates answers"),
    ]
    protocol: Annotated[Names, Option("P", "how: published or ours; repeatable", many="again")]
    pairing: Annotated[
        str | None,
        Option.choice("which image is an item's: id (default); position, as published", ("id", "position")),
    ]
    blind: Annotated[bool, Option.switch("also ask who looks without showing anything: a control")]
    shuffled: Annotated[bool, Option.switch("also show the image of another item: a control")]
    style: Annotated[
        Names, Option("S", "zero-shot (default), cot, few-shot, cot-few-shot, structured; several: A,B", many="commas")
    ]
    solver: Annotated[
        Names, Option("S", "single (default), vote:N, agent, agent:low|medium|high; several: A,B", many="commas")
    ]
    shots: Annotated[Numbers, Option("K", "examples in few-shot styles (default 10); repeatable", many="again")]
    data: Annotated[
        str | Path | None,
        Option(
            "D",
            "a file of rows, a folder of them, a dataset, or hf://OWNER/NAME[@REVISION][/PATH] (default: "
            "$TSGKIT_DATASET, else what the card names)",
            flags=("--data", "--annotations"),
        ),
    ]
    limit: Annotated[int | None, Option("N", "only N items of each task, spread over its scenarios and kinds")]
    first: Annotated[int | None, Option("N", "only the first N items of each task")]
    ids: Annotated[Names, Option("ID", "only these items", many="words")]
    repeat: Annotated[int | None, Option("R", "ask everything R times, each a draw of its own")]
    seed: Annotated[Numbers, Option("N", "of what is drawn: examples, intervals; repeatable", many="again")]
    prompts: Annotated[
        str | Path | Sequence[str | Path] | None,
        Option(
            "DIR",
            "another set of prompts; repeatable, 'default' names those that are used without this option",
            many="again",
        ),
    ]
    model_arg: Annotated[
        Mapping[str, Any] | Names,
        Option(
            "K=V",
            "a parameter, for one model M:K=V; of gguf: also ctx, slots, threads, gpu_layers, template",
            many="again",
        ),
    ]
    plan: Annotated[str | None, Option("NAME", "these settings from eval/plans/NAME.yaml or a file")]


class RequestOptions(TypedDict, total=False):
    """Requests to models."""

    concurrency: Annotated[
        int | None, Option("N", "requests in flight a model (default 32; 1 for a plain function of yours)")
    ]
    timeout: Annotated[float | None, Option("S", "seconds an attempt may take", TIMEOUT)]
    attempts: Annotated[int | None, Option("N", "how often a request is tried", ATTEMPTS)]
    max_outage: Annotated[
        float | None, Option("MIN", "minutes a service that is down is waited for (30; 0: not at all)")
    ]
    wait_for_server: Annotated[
        float | None, Option("S", "seconds a server that never answered is waited for (15; 0: not at all)")
    ]
    rpm: Annotated[float | None, Option("N", "at most so many requests a minute a model")]
    max_cost: Annotated[float | None, Option("USD", "ask no more before this is spent")]
    max_requests: Annotated[int | None, Option("N", "ask no more after so many requests")]


class TraceOptions(TypedDict, total=False):
    """Spans by OpenTelemetry."""

    otel: Annotated[bool, Option.switch("send spans by OpenTelemetry (OTEL_* variables; no texts)")]
    otel_content: Annotated[bool, Option.switch("with prompts and replies in them")]


class ClientOptions(TypedDict, total=False):
    """The client of a model of texts."""

    client: Annotated[
        Client | None,
        Option(
            "C",
            "direct or litellm (default: direct for a server of your own that speaks OpenAI's protocol)",
            choices=get_args(Client),
        ),
    ]


class TextOptions(ClientOptions, total=False):
    """Requests to models of texts."""

    tpm: Annotated[float | None, Option("N", "at most so many tokens (estimated) a minute a model")]
    max_tokens: Annotated[int | None, Option("N", "ask no more before so many tokens are used")]
    price: Annotated[Mapping[str, Any] | Names, Option("IN,OUT", "dollars a million tokens", many="again")]


class WorkOptions(TypedDict, total=False):
    """Execution and limits."""

    out: Annotated[str | Path | None, Option("DIR", "the run folder (default runs/NAME-IDENTITY)")]
    new: Annotated[bool, Option.switch("begin afresh: put an earlier run aside, read no cache")]
    scene_time: Annotated[
        float | None, Option("S", "seconds that measuring a room may take (default 120; 0: no limit)", SCENE_TIME)
    ]
    boxes: Annotated[bool, Option.switch("let a model judge rooms of bare boxes all the same")]
    batch: Annotated[bool, Option.switch("send requests in batches: at half price, within a day")]
    wait: Annotated[
        bool,
        Option.switch("leave when the batches are sent (exit 5); the same command collects", off="--no-wait"),
    ]
    shard: Annotated[str | None, Option("I/N", "only this part of the items, in a folder of its own: 3/16")]
    executor: Annotated[
        str | None,
        Option(
            "E", "where work is done that asks no service: here, processes, or ray, which also holds python: models"
        ),
    ]
    keep_data: Annotated[bool, Option.switch("keep no rows in the run folder, only their hashes", off="--no-data")]
    cache: Annotated[bool, Option.switch("neither read nor keep replies across runs", off="--no-cache")]
    prompt_cache: Annotated[bool, Option.switch("mark what services may cache of prompts (Anthropic)")]


class QuietOptions(TypedDict, total=False):
    """Output."""

    quiet: Annotated[bool, Option.switch("no progress")]


class EvaluateOptions(AskOptions, WorkOptions, RequestOptions, TextOptions, TraceOptions, QuietOptions, total=False):
    """Options of an evaluation."""


class ModelOptions(TypedDict, total=False):
    """Parameters of a model."""

    model_arg: Annotated[Mapping[str, Any] | Names, Option("K=V", "a parameter of the model", many="again")]


class ExaminationOptions(TypedDict, total=False):
    """Requests of the doctor."""

    model_arg: Annotated[Mapping[str, Any] | Names, Option("K=V", "a parameter, or api_base=URL", many="again")]
    timeout: Annotated[float, Option("S", "seconds a request may take (120)", EXAMINATION_TIMEOUT)]


class DoctorOptions(ExaminationOptions, ClientOptions, total=False):
    """Options of the doctor."""

    price: Annotated[str | None, Option("IN,OUT", "dollars a million tokens")]


class PaintOptions(TypedDict, total=False):
    """Images to make."""

    data: Annotated[str | Path | None, Option("D", "a file of items, or an installed dataset (default: the card's)")]
    limit: Annotated[int | None, Option("N", "only N items, spread over their kinds")]
    first: Annotated[int | None, Option("N", "only the first N items")]
    ids: Annotated[Names, Option("ID", "only these items", many="words")]
    size: Annotated[str | None, Option("WxH", "the sides of the images, as in 1024x1024")]
    seed: Annotated[int | None, Option("N", "the seed of every image, for models that take one")]
    condition: Annotated[
        str | None,
        Option.choice(
            "how layouts are given: in words, as an image, not at all (default)", ("text", "drawn", "none"), "none"
        ),
    ]
    layouts: Annotated[str | Path | None, Option("FILE", "the layouts that images are to follow")]
    no_instruction: Annotated[bool, Option.switch("give the layout alone")]
    rewriter: Annotated[Any, Option("M", "a text model that writes every prompt anew first")]
    rewriter_arg: Annotated[Mapping[str, Any] | Names, Option("K=V", "a parameter of the text model", many="again")]


class PaintWorkOptions(TypedDict, total=False):
    """Execution and limits."""

    price: Annotated[str | float | None, Option("USD", "dollars for one image")]
    rewriter_price: Annotated[str | None, Option("IN,OUT", "dollars per million tokens of the text model")]
    executor: Annotated[str | None, Option("E", "ray: hold a python: model in a Ray cluster, one on each GPU")]
    shard: Annotated[str | None, Option("I/N", "only this part of the images, in DIR.shard-I-of-N")]


class ImageOptions(
    PaintOptions, ModelOptions, PaintWorkOptions, RequestOptions, TraceOptions, QuietOptions, total=False
):
    """Options of image generation."""


class RepairOptions(TypedDict, total=False):
    """Repairs without a model."""

    repair: Annotated[
        Repair | None,
        Option.choice(
            "what is repaired before a model is asked: what leaves no choice; hands too, which are likely; nothing "
            "(default: exact)",
            get_args(Repair),
            "exact",
        ),
    ]


class AgentOptions(RepairOptions, TraceOptions, total=False):
    """Options of agents."""


class GridOptions(TypedDict, total=False):
    """Comparisons of rows."""

    metric: Annotated[
        str | None, Option("M", "this metric (default: the last headline of each task, or all of its table)")
    ]
    profile: Annotated[str, Option("P", "strict (default) or official", "strict")]
    common: Annotated[bool, Option.switch("where items differ, take those that all rows have")]
    seed: Annotated[int, Option("N", "of drawn tests and intervals (default 0)", 0)]
    data: Annotated[str | Path | None, Option("D", "where the data of the runs lie now, if elsewhere")]


class PairOptions(TypedDict, total=False):
    """Rows to compare."""

    baseline: Annotated[
        str | PathLike[str] | None,
        Option("SUBJECT|RUN", "compare every other row with this one: a run, a subject, a style, or 'SUBJECT STYLE'"),
    ]
    by: Annotated[
        str | None,
        Option(
            "AXIS|G",
            "pairs of rows that differ in this alone: style, shots, prompts, solver, seed or subject, each with the "
            "first; or, with --figure and --items, the items by a group",
        ),
    ]


class CompareOptions(GridOptions, PairOptions, total=False):
    """Options of comparisons."""


class RowOptions(TypedDict, total=False):
    """Rows of a run."""

    task: Annotated[str | None, Option("T", "only in this task (tsg/sgqa, or sgqa)")]
    subject: Annotated[str | None, Option("S", "only of this subject, as --model named it")]
    style: Annotated[str | None, Option("S", "only in this style")]
    solver: Annotated[str | None, Option("S", "only by this solver")]
    repeat: Annotated[int | None, Option("N", "only in this repeat, from 0")]
    shots: Annotated[int | None, Option("K", "only with so many examples")]
    prompts: Annotated[str | None, Option("NAME", "only with these prompts, as tables name them")]
    seed: Annotated[int | None, Option("N", "only with this seed")]


class DataOptions(TypedDict, total=False):
    """The data of a run."""

    data: Annotated[str | Path | None, Option("D", "where the data of the run lie now, if elsewhere")]


class ExplainOptions(RowOptions, DataOptions, total=False):
    """Options of explanations."""


class ReportOptions(TypedDict, total=False):
    """Contents of a report."""

    task: Annotated[str | Sequence[str], Option("T", "only these tasks: A,B", (), many="commas")]
    by: Annotated[str | Sequence[str], Option("G", "also by these groups: A,B", (), many="commas")]
    against: Annotated[
        str | None,
        Option(
            "WHAT",
            "published: the tables of the paper beside ours; or a folder of results of the official SceneEval code",
        ),
    ]
    metrics: Annotated[str, Option("WHICH", "all or headline (default)", "headline")]


class ScoreOptions(TypedDict, total=False):
    """Scores of replies that were collected elsewhere."""

    epoch: Annotated[int | None, Option("N", "with --from: this one of several repetitions, from 1")]
    style: Annotated[
        str | None,
        Option(
            "S",
            "how replies were asked for: zero-shot (default), cot, few-shot, cot-few-shot, structured; "
            "spatialgen/questions: published",
        ),
    ]
    by: Annotated[
        str | Sequence[str],
        Option(
            "G",
            "also by a group, as k, domain, tag, scene; a wrong name lists those of the task; several: A,B",
            (),
            many="commas",
        ),
    ]
    seed: Annotated[int, Option("N", "of drawn intervals, formalimg's g (default 0)", 0)]


class LogOptions(ScoreOptions, total=False):
    """Options of scores."""

    source: Annotated[str | None, Option()]


class RescoreOptions(TypedDict, total=False):
    """Scores of a run, made again."""

    data: Annotated[str | Path | None, Option("D", "where its data lie now, if elsewhere")]
    executor: Annotated[str | None, Option("E", "where scores are made that take computing: here, processes, or ray")]
    quiet: Annotated[bool, Option.switch("show no progress")]


@cache
def options_in(group: type) -> dict[str, Option]:
    """Return the options of a group by name, with the types of their values."""
    hints = get_type_hints(group, include_extras=True)
    return {name: replace(get_args(hint)[1], kind=get_args(hint)[0]) for name, hint in hints.items()}


def annotation_of(group: type, name: str) -> str:
    """Return the type of an option's values as it is written."""
    return str(group.__annotations__[name].__forward_arg__).removeprefix("Annotated[").partition(", Option")[0]


def shows(group: type) -> Callable[[Function], Function]:
    """Show a group as the named arguments of a function, where Python asks for its signature."""

    def shown(function: Function) -> Function:
        signature = inspect.signature(function)
        *own, _ = signature.parameters.values()
        named = [
            inspect.Parameter(
                name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=annotation_of(group, name)
            )
            for name, option in options_in(group).items()
        ]
        function.__signature__ = signature.replace(parameters=[*own, *named])  # type: ignore[attr-defined]
        return function

    return shown


KINDS: dict[Any, tuple[type | tuple[type, ...], str]] = {
    int | None: (int, "whole number"),
    float | None: ((int, float), "number"),
    str | None: (str, "text"),
    **dict.fromkeys((str | Path | None, str | PathLike[str] | None), ((str, PathLike), "path")),
    Names: (str, f"text{OR_LIST}"),
    Numbers: (int, f"whole number{OR_LIST}"),
}
"""The classes of the values of an option, by its type, and their name in messages; others are checked on use."""


def several(value: Any) -> list[Any]:  # noqa: ANN401  (whatever a caller gives)
    """Return values, of which a single one may be given as it is."""
    is_single = isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable)
    return [value] if is_single else list(value)


def settings_of(given: Mapping[str, Any], group: type) -> dict[str, Any]:
    """Return all options of a group, with defaults for those that are not given, or None, and paths as texts. Refuse
    what :func:`check_kinds` refuses."""
    check_kinds(given, group)
    settings = {name: option.default for name, option in options_in(group).items()}
    for name, value in given.items():
        if value is not None:
            settings[name] = fspath(value) if isinstance(value, PathLike) else value
    return settings


def check_kinds(given: Mapping[str, Any], group: type) -> None:
    """Refuse options that a group does not have, and values of another kind; those that are None say nothing."""
    options = options_in(group)
    for name, value in given.items():
        if name not in options:
            from tsgkit.lexicon import meant

            raise UsageError(f"there is no option {name}", hint=meant(name, sorted(options)))
        if value is None or options[name].kind not in KINDS:
            continue
        classes, kind = KINDS[options[name].kind]
        values = several(value) if kind.endswith(OR_LIST) else [value]
        if not all(isinstance(each, classes) and not isinstance(each, bool) for each in values):
            raise UsageError(f"{name}: {value!r:.40} is no {kind}")
