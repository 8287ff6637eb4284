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
from functools import cached_property
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
from tsgkit.scoring.score import Score as OurScore
from tsgkit.suites.foreign_replies import CALLS, SOLVER, STYLE
from tsgkit.suites.item_choice import ItemChoice
from tsgkit.suites.item_errors import scored
from tsgkit.suites.judgement import Judged
from tsgkit.suites.solvers.solver import Solver as OurSolver
from tsgkit.suites.suite import task_named, task_of
from tsgkit.suites.task import Dataset
from tsgkit.suites.text_task import TextTask
from tsgkit.suites.transcript import LabelledReply, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Ids = str | float | Sequence[str | float] | None
"""Ids of items; Inspect turns those that look like numbers into numbers."""
KINDS: dict[str, Callable[..., ChatMessage]] = {"system": ChatMessageSystem, "ai": ChatMessageAssistant}
"""Messages by their kinds; others are a user's."""


@dataclass(frozen=True)
class Asking:
    """A task as it is asked in one way: the task, its rows and the solver."""

    task: TextTask[Any, Any]
    dataset: Dataset
    solver: OurSolver
    style: str
    numbers: Sequence[int]
    seed: int

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The numbers of the items in the data, by their ids."""
        return {item_id: number for number, item_id in enumerate(self.dataset.item_ids)}

    def item(self, item_id: str) -> Any:  # noqa: ANN401  (its suite's sample)
        """Return an item by its id."""
        return self.dataset.sample(self.places[item_id])


def offered() -> dict[str, str]:
    """Return the tasks that Inspect may ask, by the names that it has for them."""
    names: dict[str, str] = {}
    for key in card_names():
        ours = task_of(load_card(key))
        if "models" in ours.takes and isinstance(ours, TextTask):
            short = key.partition("/")[2]
            names[key.replace("/", "-") if short in names else short] = key
    return names


def asking(
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
) -> Asking:
    """Return a task as it is asked with these options."""
    task = task_of(load_card(task_named(key)))
    if not isinstance(task, TextTask):
        raise UsageError(f"{key}: no model answers it in words", hint="tsgkit eval runs it")
    task.check_way(style, solver, prompts)
    if ids is None:
        wanted: tuple[str, ...] = ()
    elif not (wanted := tuple(str(ids).split(",") if isinstance(ids, str | float | int) else map(str, ids))):
        raise UsageError("ids: an empty list names no item", hint="leave out ids to ask all items")
    dataset = task.dataset(data)
    numbers = dataset.chosen(ItemChoice(wanted, items, first))
    asker = task.solver(solver, style, dataset, shots=shots, seed=seed, prompts=prompts)
    return Asking(task, dataset, asker, style, numbers, seed)


def inspect_task(key: str, **options: Any) -> InspectTask:  # noqa: ANN401  (those of :func:`asking`)
    """Return one of our tasks as a task of Inspect."""
    asked = asking(key, **options)
    samples = []
    for item in map(asked.dataset.sample, asked.numbers):
        groups = {name: list(members) for name, members in item.groups.items()}
        metadata = {"item_id": item.item_id, "cluster": item.cluster, "groups": groups}
        question, reference = asked.task.question(item), asked.task.reference(item)
        samples.append(InspectSample(id=item.item_id, input=question, target=reference, metadata=metadata))
    return InspectTask(
        dataset=MemoryDataset(samples, name=key, location=asked.dataset.file),
        solver=asks(asked, key),
        scorer=scores(asked, key, options.get("style", "zero-shot"), options.get("solver", "single")),
        config=GenerateConfig(temperature=asked.task.card.temperature),
        version=asked.task.card.version,
        metadata={"data_sha256": asked.dataset.sha256, "prompts": asked.solver.fingerprint},
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
                asked_for = schema["json_schema"]
                described = JSONSchema.model_validate(asked_for["schema"])
                answer = ResponseSchema(name=asked_for["name"], json_schema=described, strict=True)
                config = GenerateConfig(response_schema=answer)
            output = await get_model().generate(sent, config=config)
            exchanged.extend([*sent, output.message])
            state.output = output
            return reply_of(output)

        transcript = await asked.solver.solve(asked.item(str(state.sample_id)), ask)
        state.messages = exchanged
        calls = [{"label": one.label, "reply": reply_value(one.reply)} for one in transcript.said]
        state.store.set(CALLS, calls)
        state.store.set(SOLVER, asked.solver.name)
        state.store.set(STYLE, asked.style)
        return state

    return solve


def reply_of(output: ModelOutput) -> Reply:
    """Return an output of a model as a reply."""
    choice = output.choices[0] if output.choices else None
    reason = "stop" if choice is None else choice.stop_reason
    used = output.usage
    usage = Usage() if used is None else Usage(used.input_tokens, used.output_tokens, used.reasoning_tokens)
    text = output.completion
    return Reply(
        text=text,
        ending=ending_of(reason if reason != "unknown" else "stop", None, text),
        finish_reason=reason,
        error=output.error,
        model=output.model,
        usage=usage,
        seconds=output.time or 0.0,
    )


@metric(scores="unreduced")
def figures(task: str, style: str, solver: str, seed: int = 0) -> Metric:
    """Our corpus values of every metric in both profiles, over all samples and epochs."""
    ours = task_of(load_card(task))
    recorded = ours.recorded(solver, style)

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        tally = ours.tally()
        for one in scores:
            judged = one.score.metadata or {}
            parts = {
                profile: {name: OurScore(*part) for name, part in of.items()} for profile, of in judged["parts"].items()
            }
            tally.add(judged["cluster"], parts, judged["counts"])
        board = ours.board(tally, recorded, seed)
        return {
            f"{profile}_{name}": value.value
            for profile, values in board.profiles.items()
            for name, value in (values or {}).items()
            if value is not None
        }

    return compute


def scores(asked: Asking, task: str, style: str, solver: str) -> Scorer:
    """Return the scorer of a task; its metrics pool as ours do."""

    @scorer(metrics=[figures(task, style, solver, asked.seed)], name="tsgkit")
    def made() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            calls = state.store.get(CALLS) or []
            replies = tuple(LabelledReply(one["label"], reply_from(one["reply"])) for one in calls)
            item = asked.item(str(state.sample_id))
            judged = scored(asked.solver.judge, item, Transcript(replies) if replies else None, asked.task).judged
            return score_of(judged)

        return score

    return made()


def score_of(judged: Judged) -> Score:
    """Return what was judged as a score, with the parts that corpus values are pooled from."""
    figures = [(profile, name, one) for profile, of in judged.scores.items() for name, one in of.items()]
    value = {f"{profile}_{name}": one.value for profile, name, one in figures if one.value is not None}
    reasons = [f"{profile} {name}: {one.reason}" for profile, name, one in figures if one.reason]
    parts: dict[str, dict[str, Any]] = {str(profile): {} for profile in judged.scores}
    for profile, name, one in figures:
        parts[profile][name] = [one.sum, one.weight, one.reason]
    counts = {str(name): number for name, number in judged.counts.items()}
    answer = judged.answer if isinstance(judged.answer, str | None) else str(judged.answer)
    told = {"outcome": str(judged.outcome), "cluster": judged.sample.cluster, "counts": counts, "parts": parts}
    return Score(value=value, answer=answer, explanation="\n".join([*judged.notes, *reasons]), metadata=told)


def _offer(name: str, key: str) -> Callable[..., InspectTask]:
    def made(**options: Any) -> InspectTask:  # noqa: ANN401  (those of :func:`asking`, as Inspect reads them there)
        return inspect_task(key, **options)

    signature = inspect.signature(asking, eval_str=True)
    parameters = [one for one in signature.parameters.values() if one.name != "key"]
    made.__signature__ = signature.replace(parameters=parameters, return_annotation=InspectTask)  # type: ignore[attr-defined]
    made.__annotations__ = {one.name: one.annotation for one in parameters} | {"return": InspectTask}
    made.__doc__ = f"{load_card(key).title}."
    made.__name__ = made.__qualname__ = name.replace("-", "_")
    offered: Callable[..., InspectTask] = task(name=name)(made)
    return offered


TASKS = {name: _offer(name, key) for name, key in offered().items()}
"""The tasks by the names that Inspect has for them."""
