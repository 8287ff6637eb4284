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
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph.model import DOBJ, ActionGraph
from tsgkit.lexicon import contradictions
from tsgkit.library.documents.lint import ALL_RULES, check_document
from tsgkit.library.documents.reader import Document
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import Check, Item, Slip, few_options, words
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.examples import Example
from tsgkit.suites.solvers.scorers import judge_reading, read_reply
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
from tsgkit.suites.tsg.clusters import clusters_of
from tsgkit.suites.tsg.items import AnySample, QuestionSample, RefineSample, SelectionSample, SentenceGraphs
from tsgkit.suites.tsg.question_checks import wrong_kinds
from tsgkit.suites.tsg.rows import RowRules

if TYPE_CHECKING:
    from tsgkit.suites.task import Task

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


class AuditRules(NamedTuple):
    """How an audit sees the items of a task."""

    item: Callable[[Any], Item]
    """Returns an item as an audit sees it."""
    told: Callable[[Any], SentenceGraphs] = lambda _: SentenceGraphs()
    """Returns the sentence of an item and its graphs; empty if there is none."""
    texts: Callable[[Any], tuple[str, ...]] | None = None
    """Returns the texts of an item that no prompt may show; None for its sentence."""

    def own_texts(self, item: Any) -> tuple[str, ...]:  # noqa: ANN401  (of its task)
        """Return the texts of an item that no prompt may show."""
        return tuple(filter(None, [self.told(item).sentence])) if self.texts is None else self.texts(item)


_ALONE = re.compile(r"(?<![\w'])A(?![\w'])")


def auditable(
    document: Document, task: Task, rules: AuditRules, shown: Sequence[Example], texts: Iterable[str]
) -> Auditable:
    """Return a document of rows as items; ``shown`` are the worked examples, ``texts`` the prompts that may give it
    away.
    """
    rows: RowRules = task.rows.own
    rows.check_kind(document)
    clusters, kinds = clusters_of(document), kinds_of_rows(document.entries)
    items: list[Item] = []
    by_id: dict[str, Any] = {}
    own_graphs: dict[str, tuple[ActionGraph, ...]] = {}
    for number, entry in enumerate(document.entries):
        for sample in rows.items_from(entry, document.file, clusters.name(number)) if entry.row else ():
            items.append(replace(rules.item(sample), group=kinds[number]))
            by_id[sample.item_id], own_graphs[sample.item_id] = sample, entry.asides
    if not items:
        raise UsageError(f"{document.file}: there are no items in it")
    checks = (
        *_schema_checks(document, items, of_several=rows.of_several),
        *(check.of(rules, by_id, own_graphs) for check in SAMPLE_CHECKS),
        Check(
            "contamination", "items that the worked examples or prompts show", _contaminated(rules, by_id, shown, texts)
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


def _opposites(rules: AuditRules, sample: AnySample) -> Iterator[Slip]:
    true = rules.told(sample)
    sentence, graphs = true.sentence, true.graphs
    if len(graphs) != 1:  # of several actions, one may be implied by another's undoing
        return
    opposites: dict[str, list[str]] = {}
    for action, opposite in contradictions(sentence, graphs[0].actions):
        opposites.setdefault(action, []).append(opposite)
    for action, told in opposites.items():
        yield Slip("contradiction", sample.item_id, f"the graph says {action}, the sentence {', '.join(told)}")


def _hands(rules: AuditRules, sample: AnySample) -> Iterator[Slip]:
    true = rules.told(sample)
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
    find: Callable[[AuditRules, OwnGraphs, AnySample], Iterable[Slip]]
    is_error: bool = False
    is_folded: bool = False

    def of(self, rules: AuditRules, by_id: Mapping[str, AnySample], own_graphs: OwnGraphs) -> Check:
        """Return the check of these items."""

        def find(items: Sequence[Item]) -> Iterator[Slip]:
            return chain.from_iterable(self.find(rules, own_graphs, by_id[item.item_id]) for item in items)

        return Check(self.code, self.looks_for, find, self.is_error, self.is_folded)


SAMPLE_CHECKS = (
    SampleCheck(
        "contradiction",
        "right answers that say the opposite of their graph",
        lambda rules, _, sample: _opposites(rules, sample),
        is_error=True,
    ),
    SampleCheck(
        "hands",
        "sentences that count other hands than their graph",
        lambda rules, _, sample: _hands(rules, sample),
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
    rules: AuditRules, by_id: dict[str, Any], shown: Sequence[Example], texts: Iterable[str]
) -> Callable[[Sequence[Item]], Iterator[Slip]]:
    """Return items whose words or graph occur in a worked example, or verbatim in a prompt."""

    def find(items: Sequence[Item]) -> Iterator[Slip]:
        examples = {text: one.item.item_id for one in shown for text in rules.own_texts(one.item)}
        together = "\n".join(texts)
        for item in items:
            own = rules.own_texts(by_id[item.item_id])
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


def _guesser(task: Task, by_id: dict[str, Any]) -> Answerer:
    """Return the credit of a random answer in the right form."""

    def gets(item: Item) -> float:
        assert task.baselines.program is not None  # noqa: S101  (all tasks of this suite have baselines)
        program = task.baselines.program(task, "random", 0, None)
        return _worth(task, by_id, item, str(program.answer(by_id[item.item_id])))

    mends = any(isinstance(sample, RefineSample) for sample in by_id.values())
    return Answerer(
        "the given graph, one triplet turned or dropped" if mends else "elements of L drawn by lot, in the right form",
        "the graph to mend, not the sentence" if mends else "what is allowed, not the sentence",
        gets=gets,
        needs=lambda _: task.rows.own.of == "sgg",
    )


def _worth(task: Task, by_id: Mapping[str, Any], item: Item, reply: str) -> float:
    """Return the strict F1 of a reply."""
    sample = by_id[item.item_id]
    judged = judge_reading(task, sample, read_reply(task, sample, Reply(reply)))
    return judged.scores["strict"]["f1"].value or 0.0


def _handled(sample: QuestionSample) -> list[str]:
    return [triplet.target for graph in sample.graphs for triplet in graph.triplets if triplet.edge == DOBJ]


def _commonest(names: list[str]) -> list[str]:
    counts = Counter(names)
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most]
