r"""Question answering (``sgqa``): from a scenario's graphs and a question to the name of a node.

>>> word("So it is **[the rope.]**").value
'rope'
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Any

from tsgkit.graph.folding import fold
from tsgkit.graph.memo import once_for_the_same
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.prompt_text import numbered
from tsgkit.lexicon import fold as fold_spelling
from tsgkit.library.cards import Card
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Read, Unreadable, words
from tsgkit.scoring.pooling import right_or_wrong
from tsgkit.suites.audits.items import AuditedItem, context_hash
from tsgkit.suites.judgement import AnswerScores, Given, Scores
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.prompt_files import closed, one_of
from tsgkit.suites.task import Task
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.questions import answer, guess_name
from tsgkit.suites.tsg.clusters import scenarios_of
from tsgkit.suites.tsg.graph_scores import extra
from tsgkit.suites.tsg.items import QuestionSample, names_of
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import lists_of, row_groups, word_task

OFFICIAL_RULE = (
    "official takes what the first bracket holds, else the whole reply; "
    "strict what is called the answer, else a sentence that answers, a name alone, or brackets that agree"
)
METRICS = MappingProxyType(
    {
        "exact_match": Metric("the answer is the node that was asked for"),
        "normalised": extra("the same, spaces, underscores and hyphens folded"),
        "not_a_node": extra("the answer is no node of the graphs", more_is_better=False),
    }
)


def items_of(entry: Entry, cluster: str, file: str) -> Iterator[QuestionSample]:
    """Make an item of each question of a row."""
    row = entry.row or {}
    for number, pair in enumerate(row["qa_pairs"]):
        yield QuestionSample(
            item_id=str(pair.get("item_id") or f"{entry.item}/{number}"),
            cluster=cluster,
            scenarios=scenarios_of(row),
            groups=row_groups(row | pair, len(entry.narrative.graphs)),
            graphs=entry.narrative.graphs,
            question=pair["Q"],
            answer=pair["A"],
        )


def fields(item: QuestionSample) -> Mapping[str, str]:
    """Return the values of an item for our prompts."""
    return {"graphs": numbered(item.graphs), "question": item.question}


def schema(item: QuestionSample, most: int) -> dict[str, Any]:
    """Return the JSON schema of an answer: one of the nodes."""
    return closed({"answer": one_of(tuple(dict.fromkeys(names_of(item.graphs))))})


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return one folded name; ``known`` are names that are accepted in any form."""
    name = words.word(reply, known)
    return name if isinstance(name, Unreadable) else name._replace(value=fold(name.value))


@once_for_the_same
def _folded_names(graphs: Sequence[ActionGraph]) -> frozenset[str]:
    """Return the folded names of all nodes; questions come several to the same graphs."""
    return frozenset(map(fold, set(names_of(graphs))))


def score(item: QuestionSample, answer: str | None, facts: Given) -> AnswerScores:
    """Compare names."""
    expected = fold(item.answer)
    reason = f"{answer} for {expected}" if answer is not None else "no answer"
    alike = answer is not None and fold_spelling(answer) == fold_spelling(expected)
    strict: Scores = {
        "exact_match": right_or_wrong(answer == expected, reason),
        "normalised": right_or_wrong(alike, reason),
        "not_a_node": right_or_wrong(answer is not None and answer not in _folded_names(item.graphs), reason),
    }
    theirs: Scores | None = None
    if facts.published is not None:
        published = official.word(facts.published)
        right = published == item.answer.lower().strip()
        shown = repr(published if len(published) <= 40 else published[:40] + "...")
        theirs = {"exact_match": right_or_wrong(right, f"{shown} for {item.answer}")}
    return AnswerScores(strict, theirs, answer, {"expected": item.answer})


def identity(item: QuestionSample) -> Identity:
    """Return what the question is recognised by in a pool of examples."""
    return Identity((("question", folded(item.question), item.graphs),), item.scenarios or (item.cluster,))


def audit_item(item: QuestionSample) -> AuditedItem:
    """Return the question as an audit sees it."""
    return AuditedItem(
        item.item_id,
        item.cluster,
        question=item.question,
        answer=item.answer,
        pool=tuple(sorted(item.nodes)),
        context=context_hash(item.graphs),
    )


def questions(card: Card) -> Task:
    """Return the question answering task."""
    return word_task(
        card,
        RowRules(kind=card.task.partition("/")[2], of="sgqa", items=items_of),
        locate=lambda text, item: word(text, _folded_names(item.graphs)),
        score=score,
        metrics=METRICS,
        published=("exact_match", official.word, OFFICIAL_RULE),
        fields=fields,
        asked=("graphs", "question"),
        about=("question",),
        prompt={
            "whole": {"scene_graph": lambda item: repr(lists_of(item.graphs)), "question": lambda item: item.question},
            "schema": schema,
            "identity": identity,
        },
        programs_of={"random": guess_name, "rules": lambda item, _: answer(item)},
        audit=AuditRules(audit_item, texts=lambda item: (item.question,)),
    )
