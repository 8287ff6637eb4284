"""The tasks of the suite tsg by their kinds, and what tests ask of them most: items, readings, scores, prompts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.library.cards import Card, load_card
from tsgkit.library.documents.reader import Document
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.examples import Example, Pool
from tsgkit.suites.solvers.offline_solvers import Program
from tsgkit.suites.solvers.prompter import Prompter
from tsgkit.suites.solvers.protocols import AsAsked, Draft, Draftable, Reading
from tsgkit.suites.styles import PRESETS, Style, style_of
from tsgkit.suites.suite import score, suites, task_of
from tsgkit.suites.tsg import dataset, prompts
from tsgkit.suites.tsg.items import (
    ActionsSample,
    EdgesSample,
    GenerationSample,
    NodesSample,
    QuestionSample,
    RefineSample,
    SelectionSample,
)
from tsgkit.suites.tsg.prompts import PromptSet
from tsgkit.suites.tsg.task import TsgTask

__all__ = ["score"]
KINDS = tuple(suites()[0].tasks)
STYLES = tuple(PRESETS)
OF_ITEM: dict[type, str] = {
    QuestionSample: "sgqa",
    SelectionSample: "sgds",
    GenerationSample: "ma-sgg",
    NodesSample: "nodes-ma",
    EdgesSample: "edges-ma",
    ActionsSample: "actions",
    RefineSample: "refine",
}


@cache
def task(kind: str) -> TsgTask[Any, Any]:
    """Return the task of a kind."""
    if kind not in KINDS:
        raise UsageError(f"there is no task {kind}", hint=meant(kind, KINDS))
    return tsg_task(load_card(f"tsg/{kind}"))


def tsg_task(card: Card) -> TsgTask[Any, Any]:
    """Return the task of a card of this suite."""
    found = task_of(card)
    assert isinstance(found, TsgTask)
    return found


def prompt_set(folder: str | Path | None, card: Card) -> PromptSet:
    """Return the texts of a card's task."""
    return prompts.prompt_set(folder, tsg_task(card))


def of_item(item: Any) -> TsgTask[Any, Any]:  # noqa: ANN401
    """Return a task whose item this may be."""
    kind = OF_ITEM[type(item)]
    return task("sa-sgg" if kind == "ma-sgg" and not item.of_several else kind)


class Derivation(NamedTuple):
    """A derived task and its source."""

    sources: tuple[str, ...]
    make: Callable[[GenerationSample], Iterator[Any]]


TASKS = {kind: task(kind).rows for kind in KINDS[:4]}
ROWS = {kind: task(kind).rows for kind in KINDS}
METRICS = {kind: task(kind).metrics for kind in KINDS}
DERIVATIONS = {kind: Derivation(task(kind).sources, task(kind).derive) for kind in KINDS[4:]}  # type: ignore[attr-defined]


def samples_of(document: Document, kind: str) -> tuple[Any, ...]:
    """Return the items of a task that a document holds."""
    return task(kind).items_in(document)


def rows_in(source: Any, kind: str) -> dataset.Dataset[Any]:  # noqa: ANN401
    """Return a file of rows as the dataset of a task."""
    return dataset.Dataset(source, task(kind))


def read_reply(item: Any, reply: Reply | None) -> Reading[Any]:  # noqa: ANN401
    """Return the outcome of a reply and what strict reads."""
    return of_item(item).read(item, reply)


def judge(item: Any, reply: Reply | None, style: str = "zero-shot") -> Judged:  # noqa: ANN401
    """Return the judgement on a reply in both profiles."""
    mine = of_item(item)
    return mine.score(item, mine.read(item, reply), AsAsked(reply, style))


def shown_answer(item: Any) -> str:  # noqa: ANN401
    """Return the right answer in the form that is asked for."""
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
    return mine.prompter_of(style, found, examples)


def pool_of(document: Document, kind: str) -> Pool[Any]:
    """Return the worked examples of a document."""
    return task(kind).pool_in(document)


def guess(item: Any, seed: int = 0) -> str:  # noqa: ANN401
    """Return what the baseline random says."""
    return of_item(item).baselines["random"](item, seed)


def deduce(item: Any) -> str:  # noqa: ANN401
    """Return what the baseline rules says."""
    return of_item(item).baselines["rules"](item, 0)


BASELINES: dict[str, Callable[[Any, int], str]] = {"random": guess, "rules": lambda item, _: deduce(item)}


def draft_of(item: Any) -> Draft:  # noqa: ANN401
    """Return what an agent is told of an item."""
    mine = of_item(item)
    assert isinstance(mine, Draftable)
    return mine.draft(item)


def program_named(subject: str, seed: int) -> Program[Any]:
    """Return the baseline of a subject's name."""
    mine = task("sgqa")
    return mine.program(subject, seed, mine.dataset(None))
