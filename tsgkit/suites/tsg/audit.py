"""Audit of this suite's rows: items, checks that know graphs, and shortcuts for answers other than letters.

Rows that an evaluation would refuse (a key outside the candidates, an unreadable line) are findings here, not errors.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol

from tsgkit.errors import UsageError
from tsgkit.graph.model import DOBJ, ActionGraph
from tsgkit.lexicon import contradictions
from tsgkit.library.documents.lint import ALL_RULES, check_document
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rows import Entry, RowKind
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.checks import Check, few_options
from tsgkit.suites.audits.items import Item, Slip, words
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.examples import Example
from tsgkit.suites.solvers.protocols import Reading
from tsgkit.suites.tsg.blind_guesses import learned_graphs, learned_names
from tsgkit.suites.tsg.choice_checks import (
    better_options,
    earlier_steps,
    fewest_denials,
    hand_conflict,
    kinds_of_rows,
    strange_keys,
    unfinished_options,
)
from tsgkit.suites.tsg.clusters import clusters_of, own_name
from tsgkit.suites.tsg.items import AnySample, QuestionSample, RefineSample, SelectionSample, SentenceGraphs
from tsgkit.suites.tsg.question_checks import wrong_kinds

HAND_REMARKS = (
    "hand2-first",
    "hand-busy",
    "hand-occupied",
    "hand-unstated",
    "hands-full",
    "not-held",
    "wrong-hand",
)
"""Remarks about hands, which occur in most annotated data by the hundred."""


class Audits(Protocol):
    """The part of a task that its audit needs."""

    kind: str
    rows: RowKind
    sources: tuple[str, ...]
    of_several: bool

    @property
    def baselines(self) -> Mapping[str, Callable[[Any, int], str]]:
        """The built-in programs."""

    def check_kind(self, document: Document) -> None:
        """Refuse a document of other rows."""

    def items_of(self, entry: Entry, cluster: str) -> Iterator[Any]:
        """Make the items of a row, whether they can be answered or not."""

    def items_from(self, entry: Entry, file: str = "", cluster: str = "") -> tuple[Any, ...]:
        """Make the items of a row that can be answered."""

    def audit_item(self, item: Any) -> Item:  # noqa: ANN401
        """Return an item as an audit sees it."""

    def told_graphs(self, item: Any) -> SentenceGraphs:  # noqa: ANN401
        """Return the sentence of an item and its graphs."""

    def own_texts(self, item: Any) -> tuple[str, ...]:  # noqa: ANN401
        """Return the texts that no prompt may show."""

    def read(self, item: Any, reply: Reply | None) -> Reading[Any]:  # noqa: ANN401
        """Read a reply."""

    def score(self, item: Any, reading: Reading[Any], asked: None) -> Judged:  # noqa: ANN401
        """Score an answer."""


_ALONE = re.compile(r"(?<![\w'])A(?![\w'])")


def auditable(document: Document, task: Audits, shown: Sequence[Example[Any]], texts: Iterable[str]) -> Auditable:
    """Return a document of rows as items; ``shown`` are the worked examples, ``texts`` the prompts that may give it
    away.
    """
    task.check_kind(document)
    clusters, kinds = clusters_of(document), kinds_of_rows(document.entries)
    items: list[Item] = []
    by_id: dict[str, AnySample] = {}
    own_graphs: dict[str, tuple[ActionGraph, ...]] = {}
    for number, entry in enumerate(document.entries):
        for sample in _made(task, entry, document.file, clusters.name(number)) if entry.row else ():
            items.append(replace(task.audit_item(sample), group=kinds[number]))
            by_id[sample.item_id], own_graphs[sample.item_id] = sample, entry.asides
    if not items:
        raise UsageError(f"{document.file}: there are no items in it")
    checks = (
        *_schema_checks(document, items, of_several=task.of_several),
        *(check.of(task, by_id, own_graphs) for check in SAMPLE_CHECKS),
        Check(
            "contamination", "items that the worked examples or prompts show", _contaminated(task, by_id, shown, texts)
        ),
    )
    answerers = (
        Answerer("the option with the fewest words that deny", "the options, not the graph", fewest_denials),
        *_readers_of_questions(by_id),
        learned_names(by_id),
        _guesser(task, by_id),
        learned_graphs(by_id, partial(_worth, task, by_id)),
    )
    return Auditable(items, checks, answerers, clusters_are=clusters.unit)


def _made(task: Audits, entry: Entry, file: str, cluster: str) -> Iterable[Any]:
    """Return the items of a row, answerable or not; only derived items must be answerable."""
    if task.sources:
        return task.items_from(entry, file, cluster)
    return task.items_of(entry, cluster or own_name(entry.row or {}))


def _schema_checks(document: Document, items: Sequence[Item], *, of_several: bool) -> Iterator[Check]:
    """Yield a check for every rule that the file breaks, except what ``few-options`` reports."""
    short = {slip.item_id for slip in few_options(items)}
    findings = [
        one
        for one in check_document(document, of_several=of_several).findings
        if one.code != "few-candidates" or str(one.place.item) not in short
    ]
    for code in Counter(finding.code for finding in findings):
        slips = tuple(
            Slip(code, str(one.place.item if one.place.item is not None else ""), one.message)
            for one in findings
            if one.code == code
        )
        rule = ALL_RULES[code]
        looks_for, is_error = f"graphs and rows: {rule.meaning}", rule.severity == "error"
        yield Check(code, looks_for, _known(slips), is_error, is_folded=code in HAND_REMARKS)


def _known(slips: tuple[Slip, ...]) -> Callable[[Sequence[Item]], Iterable[Slip]]:
    return lambda _: slips


def _opposites(task: Audits, sample: AnySample) -> Iterator[Slip]:
    true = task.told_graphs(sample)
    sentence, graphs = true.sentence, true.graphs
    if len(graphs) != 1:  # of several actions, one may be implied by another's undoing
        return
    opposites: dict[str, list[str]] = {}
    for action, opposite in contradictions(sentence, graphs[0].actions):
        opposites.setdefault(action, []).append(opposite)
    for action, told in opposites.items():
        yield Slip("contradiction", sample.item_id, f"the graph says {action}, the sentence {', '.join(told)}")


def _hands(task: Audits, sample: AnySample) -> Iterator[Slip]:
    true = task.told_graphs(sample)
    if len(true.graphs) == 1 and (conflict := hand_conflict(true.sentence, true.graphs[0])):
        yield Slip("hands", sample.item_id, conflict)


def _step_before(sample: AnySample) -> Iterator[Slip]:
    if isinstance(sample, SelectionSample) and sample.graph in sample.context:
        yield Slip("step-before", sample.item_id, "its graph stands in its context as well")


def _lone_letters(sample: AnySample) -> Iterator[Slip]:
    if isinstance(sample, SelectionSample) and (
        found := [place for place, text in enumerate(sample.candidates) if _ALONE.search(text)]
    ):
        letters = ", ".join("ABCDEFGHIJ"[place] for place in found if place < 10)
        yield Slip("lone-letter", sample.item_id, f"a lone capital A stands in {letters}")


OwnGraphs = Mapping[str, tuple[ActionGraph, ...]]
"""The graphs of a row's own for its candidates, by item."""


class SampleCheck(NamedTuple):
    """A check of each item by itself, for one kind of defect."""

    code: str
    looks_for: str
    find: Callable[[Audits, OwnGraphs, AnySample], Iterable[Slip]]
    is_error: bool = False
    is_folded: bool = False

    def of(self, task: Audits, by_id: Mapping[str, AnySample], own_graphs: OwnGraphs) -> Check:
        """Return the check of these items."""

        def find(items: Sequence[Item]) -> Iterator[Slip]:
            return chain.from_iterable(self.find(task, own_graphs, by_id[item.item_id]) for item in items)

        return Check(self.code, self.looks_for, find, self.is_error, self.is_folded)


SAMPLE_CHECKS = (
    SampleCheck(
        "contradiction",
        "right answers that say the opposite of their graph",
        lambda task, _, sample: _opposites(task, sample),
        is_error=True,
    ),
    SampleCheck(
        "hands",
        "sentences that count other hands than their graph",
        lambda task, _, sample: _hands(task, sample),
        is_folded=True,
    ),
    SampleCheck(
        "unfinished-option",
        "choices with a candidate that is no whole sentence",
        lambda _, __, sample: unfinished_options(sample),
    ),
    SampleCheck(
        "answer-kind",
        "questions for a tool, a place, a hand, an action or a thing whose answer is none",
        lambda _, __, sample: wrong_kinds(sample),
    ),
    SampleCheck(
        "step-before",
        "choices about a graph that stood in the context already",
        lambda _, __, sample: _step_before(sample),
    ),
    SampleCheck(
        "earlier-step",
        "choices with a wrong candidate that describes an earlier step of the context",
        lambda _, own_graphs, sample: earlier_steps(own_graphs, sample),
    ),
    SampleCheck(
        "better-option",
        "choices whose graph a wrong candidate fits better than the keyed one",
        lambda _, __, sample: better_options(sample),
    ),
    SampleCheck(
        "strange-key",
        "choices whose keyed candidate names a thing of the context and nothing of the graph",
        lambda _, __, sample: strange_keys(sample),
    ),
    SampleCheck(
        "lone-letter",
        "choices whose candidates hold a lone capital A, which the published reader takes for a letter",
        lambda _, __, sample: _lone_letters(sample),
    ),
)


def _contaminated(
    task: Audits, by_id: dict[str, Any], shown: Sequence[Example[Any]], texts: Iterable[str]
) -> Callable[[Sequence[Item]], Iterator[Slip]]:
    """Return items whose words or graph occur in a worked example, or verbatim in a prompt."""

    def find(items: Sequence[Item]) -> Iterator[Slip]:
        examples = {text: one.item.item_id for one in shown for text in task.own_texts(one.item)}
        together = "\n".join(texts)
        for item in items:
            own = task.own_texts(by_id[item.item_id])
            clash = next((examples[text] for text in own if text in examples), None)
            if clash is not None:
                yield Slip("contamination", item.item_id, f"the worked example {clash} shows it")
            elif any(text in together for text in own if len(words(text)) > 4):
                yield Slip("contamination", item.item_id, "a prompt holds it word for word")

    return find


def _readers_of_questions(by_id: dict[str, AnySample]) -> Iterator[Answerer]:
    """Yield answers that can be given without reading the question."""
    ways: tuple[tuple[str, Callable[[QuestionSample], list[str]]], ...] = (
        ("the thing handled most often", lambda sample: _commonest(_handled(sample))),
        ("the thing handled first", lambda sample: _handled(sample)[:1]),
        ("the thing handled last", lambda sample: _handled(sample)[-1:]),
        (
            "the thing handled most often that the question does not name",
            lambda sample: _commonest([name for name in _handled(sample) if name not in words(sample.question)]),
        ),
    )
    for name, way in ways:

        def answer(item: Item, way: Callable[[QuestionSample], list[str]] = way) -> tuple[str, ...]:
            sample = by_id[item.item_id]
            return tuple(way(sample)) if isinstance(sample, QuestionSample) else ()

        sees = "the graphs" + (" and which names the question holds" if "question" in name else ", not the question")
        yield Answerer(name, sees, answer, needs=lambda item: bool(item.pool))


def _guesser(task: Audits, by_id: dict[str, Any]) -> Answerer:
    """Return the credit of a random answer in the right form."""

    def gets(item: Item) -> float:
        return _worth(task, by_id, item, task.baselines["random"](by_id[item.item_id], 0))

    mends = any(isinstance(sample, RefineSample) for sample in by_id.values())
    return Answerer(
        "the given graph, one triplet turned or dropped" if mends else "elements of L drawn by lot, in the right form",
        "the graph to mend, not the sentence" if mends else "what is allowed, not the sentence",
        gets=gets,
        needs=lambda _: task.rows == "sgg",
    )


def _worth(task: Audits, by_id: Mapping[str, Any], item: Item, reply: str) -> float:
    """Return the strict F1 of a reply."""
    sample = by_id[item.item_id]
    return task.score(sample, task.read(sample, Reply(reply)), None).scores["strict"]["f1"].value or 0.0


def _handled(sample: QuestionSample) -> list[str]:
    return [triplet.target for graph in sample.graphs for triplet in graph.triplets if triplet.edge == DOBJ]


def _commonest(names: list[str]) -> list[str]:
    counts = Counter(names)
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most]
