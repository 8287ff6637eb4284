r"""Description selection (``sgds``): from a graph with its context and several sentences to the one that describes it.

>>> letter("A close reading suggests\nFinal answer: [c]", ["", "", ""]).value
'C'
>>> letter("I think it is the second", ["", ""])
Unreadable(reason='no answer')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tsgkit.graph.prompt_text import NOTHING_BEFORE, arrows, numbered
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Read, Unreadable
from tsgkit.replies.choices import choice
from tsgkit.scoring.pooling import right_or_wrong
from tsgkit.suites.audits.items import AuditedItem, context_hash
from tsgkit.suites.judgement import AnswerScores, Given, Scores
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.prompt_files import closed, one_of
from tsgkit.suites.task import Task
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.clusters import scenarios_of
from tsgkit.suites.tsg.items import LETTERS, SelectionSample, SentenceGraphs, things_of
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import lists_of, row_groups, word_task

METRICS = MappingProxyType({"accuracy": Metric("the right candidate was chosen")})
OFFICIAL_RULE = (
    "official takes the first [X] or capital letter A to E that stands alone, wherever it is; "
    "strict what is called the answer, else a sentence that answers, a letter alone, or brackets that agree"
)


def items_of(entry: Entry, cluster: str, file: str) -> Iterator[SelectionSample]:
    """Make the item of a row."""
    row = entry.row or {}
    *context, graph = entry.narrative.graphs
    yield SelectionSample(
        item_id=entry.item,
        cluster=cluster,
        scenarios=scenarios_of(row),
        groups=row_groups(row, 1),
        context=tuple(context),
        graph=graph,
        candidates=tuple(row["variations"]),
        position=row["position"],
        candidate_graphs=entry.asides,
    )


def problem_of(item: SelectionSample) -> str:
    """Return why no candidate can be right; empty where one can."""
    count = len(item.candidates)
    if item.keyed is not None and count <= len(LETTERS):
        return ""
    return f"has its answer at position {item.position} of {count} candidates (at most {len(LETTERS)})"


def fields(item: SelectionSample) -> Mapping[str, str]:
    """Return the values of an item for our prompts."""
    return {
        "context": numbered(item.context) or NOTHING_BEFORE,
        "graph": arrows(item.graph),
        "candidates": _lettered(item),
        "letters": ", ".join(LETTERS[: len(item.candidates)]),
    }


def _lettered(item: SelectionSample) -> str:
    return "\n".join([f"{letter}: {text}" for letter, text in zip(LETTERS, item.candidates, strict=False)])


def schema(item: SelectionSample, most: int) -> dict[str, Any]:
    """Return the JSON schema of an answer: one of the letters."""
    return closed({"answer": one_of(tuple(LETTERS[: len(item.candidates)]))})


def letter(reply: str, candidates: Sequence[str]) -> Read[str] | Unreadable:
    """Return the letter of one of these candidates."""
    return choice(reply, dict(zip(LETTERS, candidates, strict=False)))


def score(item: SelectionSample, answer: str | None, facts: Given) -> AnswerScores:
    """Compare letters."""
    right = LETTERS[item.position]

    def accuracy(chosen: str | None) -> Scores:
        return {"accuracy": right_or_wrong(chosen == right, f"{chosen or 'no letter'} for {right}")}

    theirs = None if facts.published is None else accuracy(official.letter(facts.published))
    return AnswerScores(accuracy(answer), theirs, answer, {"expected": right})


def identity(item: SelectionSample) -> Identity:
    """Return what the choice is recognised by in a pool of examples."""
    content = "choice", folded(item.candidates[item.position]), item.graph
    return Identity((content,), item.scenarios or (item.cluster,))


def audit_item(item: SelectionSample) -> AuditedItem:
    """Return the choice as an audit sees it."""
    return AuditedItem(
        item.item_id,
        item.cluster,
        question="",
        options=item.candidates,
        key=item.position,
        context=context_hash(item.context, item.graph),
        names=things_of(item.graph),
    )


def truth(item: SelectionSample) -> SentenceGraphs:
    """Return the sentence that is right, and its graph; empty where none is right."""
    return SentenceGraphs() if item.keyed is None else SentenceGraphs(item.keyed, (item.graph,))


def selection(card: Card) -> Task:
    """Return the description selection task."""
    return word_task(
        card,
        RowRules(kind=card.task.partition("/")[2], of="sgds", items=items_of, problem=problem_of),
        locate=lambda text, item: letter(text, item.candidates),
        score=score,
        metrics=METRICS,
        published=("accuracy", official.letter, OFFICIAL_RULE),
        fields=fields,
        asked=("context", "graph", "candidates"),
        about=("graph", "candidates"),
        prompt={
            "optional": ("letters",),
            "whole": {
                "context": lambda item: repr(lists_of(item.context)),
                "triplet": lambda item: repr(lists_of([item.graph])[0]),
                "sentences": _lettered,
            },
            "schema": schema,
            "identity": identity,
        },
        view={"reference": lambda item: f"[{item.answer}] {item.candidates[item.position]}"},
        programs_of={
            "random": lambda item, seed: item.lots(seed).choice(LETTERS[: len(item.candidates)]),
            "rules": lambda item, _: select(item),
        },
        audit=AuditRules(audit_item, truth),
    )
