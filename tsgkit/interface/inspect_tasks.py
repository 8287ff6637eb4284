"""Our tasks for Inspect: ``inspect eval tsgkit/sgds --model openai/gpt-4o``, with the extra ``inspect``.

Every task that models answer in words is one, by the name of its card without its suite's. Prompts, solvers, readers
and scores are ours: Inspect only asks. Options are those of ``tsgkit eval``::

    inspect eval tsgkit/sgqa -T style=cot -T data=rows.jsonl -T items=50 --model openai/gpt-4o

A score holds every metric of both profiles; corpus values are pooled as ours. A reply that is empty, cut off, refused
or unreadable is counted as in ``tsgkit eval``. An error of the model's service is an error of the sample, as in any
task of Inspect.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from inspect_ai import Task as InspectTask
from inspect_ai import task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelOutput,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import JSONSchema

from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.reply import Reply, Usage, ending_of, reply_from, reply_value
from tsgkit.scoring.pooling import Score as OurScore
from tsgkit.suites.foreign_replies import CALLS, SOLVER, STYLE
from tsgkit.suites.judgement import Judged, scored
from tsgkit.suites.rows import ItemChoice
from tsgkit.suites.solvers.scorers import Draws
from tsgkit.suites.solvers.solver import Solver as OurSolver
from tsgkit.suites.solvers.ways import check_way, solver_of
from tsgkit.suites.suite import task_named, task_of
from tsgkit.suites.task import Task as OurTask
from tsgkit.suites.transcript import LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Ids = str | float | Sequence[str | float] | None
"""Ids of items; Inspect turns those that look like numbers into numbers."""
KINDS: dict[str, Callable[..., ChatMessage]] = {"system": ChatMessageSystem, "ai": ChatMessageAssistant}
"""Messages by their kinds; others are a user's."""


@dataclass(frozen=True)
class Asking:
    """A task as it is asked in one way: the task, the solver and its style, and the items by their ids."""

    task: OurTask
    solver: OurSolver
    style: str
    items: Mapping[str, Any]


def offered() -> dict[str, str]:
    """Return the tasks that Inspect may ask, by the names that it has for them."""
    names: dict[str, str] = {}
    for key in card_names():
        ours = task_of(load_card(key))
        if ours.prompt is not None:
            short = key.partition("/")[2]
            names[key.replace("/", "-") if short in names else short] = key
    return names


def inspect_task(
    key: str,
    style: str = "zero-shot",
    solver: str = "single",
    data: str | None = None,
    items: int | None = None,
    first: int | None = None,
    ids: Ids = None,
    shots: int | None = None,
    seed: int = 0,
    prompts: str | None = None,
) -> InspectTask:
    """Return one of our tasks, asked with these options, as a task of Inspect."""
    ours = task_of(load_card(task_named(key)))
    if ours.prompt is None:
        raise UsageError(f"{key}: no model answers it in words", hint="tsgkit eval runs it")
    check_way(ours, style, solver, prompts)
    if ids is None:
        wanted: tuple[str, ...] = ()
    elif not (wanted := tuple(str(ids).split(",") if isinstance(ids, str | float | int) else map(str, ids))):
        raise UsageError("ids: an empty list names no item", hint="leave out ids to ask all items")
    dataset = ours.dataset(data)
    chosen = map(dataset.sample, dataset.chosen(ItemChoice(wanted, items, first)))
    asker = solver_of(ours, solver, style, dataset, shots=shots, seed=seed, prompts=prompts)
    asked = Asking(ours, asker, style, {item.item_id: item for item in chosen})
    samples = []
    for item_id, item in asked.items.items():
        groups = {name: list(members) for name, members in item.groups.items()}
        metadata = {"item_id": item_id, "cluster": item.cluster, "groups": groups}
        question, reference = ours.view.question(item), ours.view.reference(item)
        samples.append(InspectSample(id=item_id, input=question, target=reference, metadata=metadata))
    return InspectTask(
        dataset=MemoryDataset(samples, name=key, location=dataset.file),
        solver=asks(asked, key),
        scorer=scores(asked, figures(key, style, solver, seed)),
        config=GenerateConfig(temperature=ours.card.temperature),
        version=ours.card.version,
        metadata={"data_sha256": dataset.sha256, "prompts": asker.fingerprint},
    )


@solver(name="tsgkit")
def asks(asked: Asking, task: str) -> Solver:
    """Ask as one of our solvers does: once, several times for a vote, or in steps."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        exchanged: list[ChatMessage] = []

        async def ask(
            messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
        ) -> Reply:
            sent = [KINDS.get(message.type, ChatMessageUser)(content=str(message.content)) for message in messages]
            config = GenerateConfig()
            if schema is not None:
                name, described = (
                    schema["json_schema"]["name"],
                    JSONSchema.model_validate(schema["json_schema"]["schema"]),
                )
                config.response_schema = ResponseSchema(name=name, json_schema=described, strict=True)
            output = await get_model().generate(sent, config=config)
            exchanged.extend([*sent, output.message])
            state.output = output
            return reply_of(output)

        transcript = await asked.solver.solve(asked.items[str(state.sample_id)], ask)
        state.messages = exchanged
        calls = [{"label": call.label, "reply": reply_value(call.reply)} for call in transcript.said]
        for name, value in ((CALLS, calls), (SOLVER, asked.solver.name), (STYLE, asked.style)):
            state.store.set(name, value)
        return state

    return solve


def reply_of(output: ModelOutput) -> Reply:
    """Return an output of a model as a reply."""
    reason = output.choices[0].stop_reason if output.choices else "stop"
    used, text = output.usage, output.completion
    return Reply(
        text=text,
        ending=ending_of(reason if reason != "unknown" else "stop", None, text),
        finish_reason=reason,
        error=output.error,
        model=output.model,
        usage=Usage() if used is None else Usage(used.input_tokens, used.output_tokens, used.reasoning_tokens),
        seconds=output.time or 0.0,
    )


@metric(scores="unreduced")
def figures(task: str, style: str, solver: str, seed: int = 0) -> Metric:
    """Our corpus values of every metric in both profiles, over all samples and epochs."""
    ours = task_of(load_card(task))
    scorer = Draws(ours, style, solver)

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        tally = ours.tally()
        for sample in scores:
            judged = sample.score.metadata or {}
            parts = {
                profile: {name: OurScore(*part) for name, part in of.items()} for profile, of in judged["parts"].items()
            }
            tally.add(judged["cluster"], parts, judged["counts"])
        board = ours.board(tally, scorer, seed)
        return {
            f"{profile}_{name}": value.value
            for profile, values in board.profiles.items()
            for name, value in (values or {}).items()
            if value is not None
        }

    return compute


def scores(asked: Asking, pooled: Metric) -> Scorer:
    """Return the scorer of a task, with the metric that pools its scores."""

    @scorer(metrics=[pooled], name="tsgkit")
    def ours() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            calls = state.store.get(CALLS) or []
            replies = tuple(LabelledReply(call["label"], reply_from(call["reply"])) for call in calls)
            transcript = Transcript(replies) if replies else None
            return score_of(
                scored(asked.solver.judge, asked.items[str(state.sample_id)], transcript, asked.task).judged
            )

        return score

    return ours()


def score_of(judged: Judged) -> Score:
    """Return what was judged as a score, with the parts that corpus values are pooled from."""
    value: dict[str, float] = {}
    reasons: list[str] = []
    parts: dict[str, dict[str, Any]] = {}
    for profile, of in judged.scores.items():
        parts[str(profile)] = {name: [figure.sum, figure.weight, figure.reason] for name, figure in of.items()}
        value |= {f"{profile}_{name}": figure.value for name, figure in of.items() if figure.value is not None}
        reasons += [f"{profile} {name}: {figure.reason}" for name, figure in of.items() if figure.reason]
    counts = {str(name): number for name, number in judged.counts.items()}
    answer = judged.answer if isinstance(judged.answer, str | None) else str(judged.answer)
    metadata = {"outcome": str(judged.outcome), "cluster": judged.sample.cluster, "counts": counts, "parts": parts}
    return Score(value=value, answer=answer, explanation="\n".join([*judged.notes, *reasons]), metadata=metadata)


def _offer(name: str, key: str) -> Callable[..., InspectTask]:
    def asked(**options: Any) -> InspectTask:  # noqa: ANN401  (those of :func:`inspect_task`, as Inspect reads them there)
        return inspect_task(key, **options)

    signature = inspect.signature(inspect_task, eval_str=True)
    _, *parameters = signature.parameters.values()
    asked.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    asked.__annotations__ = {each.name: each.annotation for each in parameters} | {"return": InspectTask}
    asked.__doc__ = f"{load_card(key).title}."
    asked.__name__ = asked.__qualname__ = name.replace("-", "_")
    registered: Callable[..., InspectTask] = task(name=name)(asked)
    return registered


TASKS = {name: _offer(name, key) for name, key in offered().items()}
"""The tasks by the names that Inspect has for them."""
