"""The tasks of the suite tsg by their kinds, and what tests ask of them most: items, readings, scores, prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.library.cards import Card, load_card
from tsgkit.library.documents.reader import Document
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.examples import Example, Pool
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import AsAsked, Draft, Draftable, Reading
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.suite import score, suites, task_of
from tsgkit.suites.tsg import dataset, items
from tsgkit.suites.tsg.prompts import PromptSet
from tsgkit.suites.tsg.task import TsgTask

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
def task(kind: str) -> TsgTask[Any, Any]:
    return tsg_task(load_card(f"tsg/{kind}"))


def tsg_task(card: Card) -> TsgTask[Any, Any]:
    found = task_of(card)
    assert isinstance(found, TsgTask)
    return found


def of_item(item: Any) -> TsgTask[Any, Any]:  # noqa: ANN401
    """Return a task whose item this may be."""
    kind = OF_ITEM[type(item)]
    return task("sa-sgg" if kind == "ma-sgg" and not item.of_several else kind)


class Derivation(NamedTuple):
    """A derived task and its source."""

    sources: tuple[str, ...]
    make: Callable[[items.GenerationSample], Iterator[Any]]


TASKS = {kind: task(kind).rows for kind in KINDS[:4]}
METRICS = {kind: task(kind).metrics for kind in KINDS}
DERIVATIONS = {kind: Derivation(task(kind).sources, task(kind).derive) for kind in KINDS[4:]}  # type: ignore[attr-defined]


def samples_of(document: Document, kind: str) -> tuple[Any, ...]:
    return task(kind).items_in(document)


def rows_in(source: Any, kind: str) -> dataset.Dataset[Any]:  # noqa: ANN401
    return dataset.Dataset(source, task(kind))


def read_reply(item: Any, reply: Reply | None) -> Reading[Any]:  # noqa: ANN401
    return of_item(item).read(item, reply)


def judge(item: Any, reply: Reply | None, style: str = "zero-shot") -> Judged:  # noqa: ANN401
    mine = of_item(item)
    return mine.score(item, mine.read(item, reply), AsAsked(reply, style))


def shown_answer(item: Any) -> str:  # noqa: ANN401
    return of_item(item).shown_answer(item)


def prompter_of(
    kind: str,
    style: Style | str = "zero-shot",
    texts: PromptSet | str | Path | None = None,
    examples: Sequence[Example[Any]] = (),
) -> Prompter[Any]:
    """Return the prompts of a task in a style; one given by its name shows as many examples as are given."""
    mine = task(kind.removeprefix("tsg/"))
    if isinstance(style, str):
        style = style_of(style, len(examples) or None)
    found = texts if isinstance(texts, PromptSet) else mine.prompts(texts)
    return mine.prompter_of(style, found, LONGEST, examples)


def pool_of(document: Document, kind: str) -> Pool[Any]:
    return task(kind).pool_in(document)


BASELINES: dict[str, Callable[[Any, int], str]] = {
    "random": lambda item, seed: of_item(item).baselines["random"](item, seed),
    "rules": lambda item, seed: of_item(item).baselines["rules"](item, seed),
}


def draft_of(item: Any) -> Draft:  # noqa: ANN401
    mine = of_item(item)
    assert isinstance(mine, Draftable)
    return mine.draft(item)


def item(graphs: Sequence[ActionGraph], item_id: str = "0", sentence: str = "", **parts: Any) -> items.GenerationSample:  # noqa: ANN401
    usual: dict[str, Any] = {"cluster": "", "context": (), "vocabulary": Vocabulary()}
    return items.GenerationSample(item_id=item_id, sentence=sentence, references=tuple(graphs), **(usual | parts))
