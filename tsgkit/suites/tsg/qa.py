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
from tsgkit.suites.judgement import AnswerScores, Given, Scores, Spans
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import closed, one_of
from tsgkit.suites.solvers.scorers import plurality
from tsgkit.suites.task import Task, View
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.audit import AuditRules
from tsgkit.suites.tsg.baselines.questions import answer, guess_name
from tsgkit.suites.tsg.clusters import scenarios_of
from tsgkit.suites.tsg.graph_scores import extra
from tsgkit.suites.tsg.items import QuestionSample, names_of
from tsgkit.suites.tsg.rows import RowRules
from tsgkit.suites.tsg.task import described_by, expected_instead, lists_of, row_groups, tsg_prompt, tsg_task

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


def shown_answer(item: QuestionSample) -> str:
    """Return the right answer in the form that is asked for."""
    return f"[{item.answer}]"


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return one folded name; ``known`` are names that are accepted in any form."""
    name = words.word(reply, known)
    return name if isinstance(name, Unreadable) else name._replace(value=fold(name.value))


@once_for_the_same
def _folded_names(graphs: Sequence[ActionGraph]) -> frozenset[str]:
    """Return the folded names of all nodes; questions come several to the same graphs."""
    return frozenset(map(fold, set(names_of(graphs))))


def read(text: str, item: QuestionSample) -> str | Unreadable:
    """Read one name; each node of the graphs is one."""
    name = word(text, _folded_names(item.graphs))
    return name.value if isinstance(name, Read) else name


def spans(item: QuestionSample, text: str) -> Spans:
    """Return where the name stands."""
    name = word(text, _folded_names(item.graphs))
    return ((name.start, name.end),) if isinstance(name, Read) else ()


def score(item: QuestionSample, answer: str | None, given: Given) -> AnswerScores:
    """Compare names."""
    expected = fold(item.answer)
    said = f"{answer} for {expected}" if answer is not None else "no answer"
    alike = answer is not None and fold_spelling(answer) == fold_spelling(expected)
    strict: Scores = {
        "exact_match": right_or_wrong(answer == expected, said),
        "normalised": right_or_wrong(alike, said),
        "not_a_node": right_or_wrong(answer is not None and answer not in _folded_names(item.graphs), said),
    }
    theirs: Scores | None = None
    if given.published is not None:
        published = official.word(given.published)
        right = published == item.answer.lower().strip()
        shown = repr(published if len(published) <= 40 else published[:40] + "...")
        theirs = {"exact_match": right_or_wrong(right, f"{shown} for {item.answer}")}
    return AnswerScores(strict, theirs, answer, {"expected": item.answer})


def differences(item: QuestionSample, mine: str | None, theirs: str) -> Iterator[str]:
    """Return why the profiles read different names."""
    if mine != theirs:
        yield OFFICIAL_RULE


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
    rows = RowRules(kind=card.task.partition("/")[2], of="sgqa", items=items_of)
    return tsg_task(
        card,
        rows,
        prompt=tsg_prompt(
            card,
            rows,
            rules=("graphs",),
            fields=fields,
            asked=("graphs", "question"),
            whole={"scene_graph": lambda item: repr(lists_of(item.graphs)), "question": lambda item: item.question},
            schema=schema,
            answer=shown_answer,
            identity=identity,
        ),
        read=read,
        score=score,
        metrics=METRICS,
        official=official.published(("exact_match",), official.word, differences),
        vote=plurality,
        view=View(
            question=described_by(fields, "question"),
            reference=shown_answer,
            value=lambda item: item.answer,
            spans=spans,
            faults=expected_instead,
        ),
        baselines=programs(
            {
                "random": lambda item, seed: f"[{guess_name(item, seed)}]",
                "rules": lambda item, _: f"[{answer(item)}]",
            }
        ),
        audit=AuditRules(audit_item, texts=lambda item: (item.question,)),
    )
