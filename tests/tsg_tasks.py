"""The tasks of the suite tsg by their kinds, and what tests ask of them most: items, readings, scores, prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.library.cards import Card, load_card
from tsgkit.library.documents.reader import Document
from tsgkit.suites.foreign_replies import score
from tsgkit.suites.judgement import Judged, Reading
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers import scorers
from tsgkit.suites.solvers.examples import Pool, WorkedExample
from tsgkit.suites.solvers.prompt_files import Prompt, PromptTexts
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.suite import suites, task_of
from tsgkit.suites.task import Task, WriterInput
from tsgkit.suites.tsg import items, repairs
from tsgkit.suites.tsg.rows import RowRules, TsgItems
from tsgkit.suites.tsg.task import pool_in

__all__ = ["score"]
KINDS = tuple(suites()[0].tasks)
STYLES = tuple(PRESETS)
LONGEST = 4  # entries of the longest list of an answer, for items in memory
OF_ITEM: dict[type, str] = {
    items.QuestionSample: "sgqa",
    items.SelectionSample: "sgds",
    items.GenerationSample: "ma-sgg",
    items.NodesSample: "nodes-ma",
    items.EdgesSample: "edges-ma",
    items.ActionsSample: "actions",
    items.RefineSample: "refine",
}


@cache
def task(kind: str) -> Task:
    return task_of(load_card(f"tsg/{kind}"))


def tsg_task(card: Card) -> Task:
    return task_of(card)


def rules(kind: str) -> RowRules:
    found: RowRules = task(kind).rows.own
    return found


def prompt(kind: str) -> Prompt:
    found = task(kind).prompt
    assert found is not None
    return found


def of_item(item: Any) -> Task:  # noqa: ANN401
    """Return a task whose item this may be."""
    kind = OF_ITEM[type(item)]
    return task("sa-sgg" if kind == "ma-sgg" and not item.of_several else kind)


def repairs_of(source: items.GenerationSample, kind: str = "refine") -> Iterator[items.RefineSample]:
    """Return the items of a repair task that are made of a generation item."""
    entry: Any = SimpleNamespace(row={})
    return repairs.items_of(source, entry, hinted=kind == "refine-hinted")


TASKS = {kind: rules(kind).of for kind in KINDS[:4]}
METRICS = {kind: task(kind).metrics for kind in KINDS}
SOURCES = {kind: rules(kind).sources for kind in KINDS[4:]}


def samples_of(document: Document, kind: str) -> tuple[Any, ...]:
    return rules(kind).items_in(document)


def rows_in(source: Any, kind: str) -> TsgItems:  # noqa: ANN401
    return TsgItems(source, rules(kind))


def read_reply(item: Any, reply: CollectedReply | None) -> Reading:  # noqa: ANN401
    return scorers.read_reply(of_item(item), item, reply)


def judge(item: Any, reply: CollectedReply | None, style: str = "zero-shot") -> Judged:  # noqa: ANN401
    return scorers.judge_reply(of_item(item), item, reply, style)


def shown_answer(item: Any) -> str:  # noqa: ANN401
    answer = prompt(of_item(item).kind).answer
    assert answer is not None
    return answer(item)


def prompter_of(
    kind: str,
    style: Style | str = "zero-shot",
    texts: PromptTexts | str | Path | None = None,
    examples: Sequence[WorkedExample] = (),
) -> Prompter:
    """Return the prompts of a task in a style; one given by its name shows as many examples as are given."""
    if isinstance(style, str):
        style = style_of(style, len(examples) or None)
    found = texts if isinstance(texts, PromptTexts) else prompt(kind.removeprefix("tsg/")).texts(texts, LONGEST)
    return Prompter(found, style, examples)


def pool_of(document: Document, kind: str) -> Pool:
    return pool_in(document, rules(kind), prompt(kind), *([repairs.rationale] if kind.startswith("refine") else []))


def baseline(name: str, item: Any, seed: int) -> str:  # noqa: ANN401
    mine = of_item(item)
    assert mine.baselines.program is not None
    return str(mine.baselines.program(mine, name, seed, None).answer(item))


BASELINES: dict[str, Callable[[Any, int], str]] = {name: partial(baseline, name) for name in ("random", "rules")}


def draft_of(item: Any) -> WriterInput:  # noqa: ANN401
    mine = of_item(item)
    assert mine.draft is not None
    return mine.draft(item)


def item(graphs: Sequence[ActionGraph], item_id: str = "0", sentence: str = "", **parts: Any) -> items.GenerationSample:  # noqa: ANN401
    usual: dict[str, Any] = {"cluster": "", "context": (), "vocabulary": Vocabulary()}
    return items.GenerationSample(item_id=item_id, sentence=sentence, references=tuple(graphs), **(usual | parts))
