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
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Read, Unreadable, words
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import right_or_wrong
from tsgkit.suites.audits.items import Item as AuditItem
from tsgkit.suites.audits.items import context_hash
from tsgkit.suites.judgement import AnswerScores, Scores, Spans
from tsgkit.suites.metrics import Metric
from tsgkit.suites.solvers.examples import Identity, folded
from tsgkit.suites.solvers.protocols import AsAsked, Reading
from tsgkit.suites.solvers.vote_rules import plurality
from tsgkit.suites.tsg import official
from tsgkit.suites.tsg.baselines.answer_text import bracketed
from tsgkit.suites.tsg.baselines.questions import answer as deduced
from tsgkit.suites.tsg.baselines.random_guesses import guess_name
from tsgkit.suites.tsg.clusters import ids_of, own_name
from tsgkit.suites.tsg.graph_scores import extra
from tsgkit.suites.tsg.items import QuestionSample
from tsgkit.suites.tsg.prompts import closed, one_of
from tsgkit.suites.tsg.task import TsgTask, lists_of, row_groups, shortened

OFFICIAL_RULE = (
    "official takes what the first bracket holds, else the whole reply; "
    "strict what is called the answer, else a sentence that answers, a name alone, or brackets that agree"
)


class Questions(TsgTask[QuestionSample, str]):
    """The question answering task."""

    item_type = QuestionSample
    rows = "sgqa"
    metrics = MappingProxyType(
        {
            "exact_match": Metric("the answer is the node that was asked for"),
            "normalised": extra("the same, spaces, underscores and hyphens folded"),
            "not_a_node": extra("the answer is no node of the graphs", more_is_better=False),
        }
    )
    published_metrics = ("exact_match",)
    rules = ("graphs",)
    asked_fields = ("graphs", "question")
    whole_fields = ("scene_graph", "question")
    told_fields = ("question",)
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: bracketed(guess_name(item, seed)),
            "rules": lambda item, _: bracketed(deduced(item)),
        }
    )

    # What is asked

    def items_of(self, entry: Entry, cluster: str) -> Iterator[QuestionSample]:
        """Make an item of each question of a row."""
        row = entry.row or {}
        for number, pair in enumerate(row["qa_pairs"]):
            yield QuestionSample(
                item_id=str(pair.get("item_id") or f"{entry.item}/{number}"),
                cluster=cluster,
                scenarios=ids_of(row) or (own_name(row),),
                groups=row_groups(row | pair, len(entry.narrative.graphs)),
                graphs=entry.narrative.graphs,
                question=pair["Q"],
                answer=pair["A"],
            )

    def fields(self, item: QuestionSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        return {"graphs": numbered(item.graphs), "question": item.question}

    def published_values(self, item: QuestionSample) -> Mapping[str, str]:
        """Return the values of an item as the published code writes them."""
        return {"scene_graph": repr(lists_of(item.graphs)), "question": item.question}

    def schema(self, item: QuestionSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer: one of the nodes."""
        names = dict.fromkeys(name for graph in item.graphs for one in graph for name in (one.source, one.target))
        return closed({"answer": one_of(tuple(names))})

    def shown_answer(self, item: QuestionSample) -> str:
        """Return the right answer in the form that is asked for."""
        return f"[{item.answer}]"

    def reference_value(self, sample: QuestionSample) -> object:
        """Return the right name."""
        return sample.answer

    # How an answer is read and scored

    def read_text(self, item: QuestionSample, text: str) -> str | Unreadable:
        """Read one name; each node of the graphs is one."""
        found = word(text, _folded_names(item.graphs))
        return found.value if isinstance(found, Read) else found

    def spans(self, item: QuestionSample, text: str) -> Spans:
        """Return where the name stands."""
        found = word(text, _folded_names(item.graphs))
        return ((found.start, found.end),) if isinstance(found, Read) else ()

    def answer_scores(self, item: QuestionSample, answer: str | None, asked: AsAsked | None) -> AnswerScores:
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
        if (text := self.official_text(asked)) is not None:
            published = official.word(text)
            right = published == item.answer.lower().strip()
            theirs = {"exact_match": right_or_wrong(right, f"{shortened(published)} for {item.answer}")}
        return AnswerScores(strict, theirs, answer, {"expected": item.answer})

    def official_reading(self, text: str) -> str:
        """Return what the published reader finds."""
        return official.word(text)

    def differences(self, item: QuestionSample, mine: Any, theirs: Any, view: str) -> Iterator[str]:  # noqa: ANN401
        """Return why the profiles read different names."""
        if mine != theirs:
            yield OFFICIAL_RULE

    def vote(self, item: QuestionSample, answers: Sequence[str]) -> Reading[str]:
        """Return the most frequent name."""
        return Reading(Outcome.ANSWERED, plurality(answers))

    # How it is recognised and audited

    def identity(self, item: QuestionSample) -> Identity:
        """Return what the question is recognised by in a pool of examples."""
        return Identity((("question", folded(item.question), item.graphs),), item.scenarios or (item.cluster,))

    def audit_item(self, item: QuestionSample) -> AuditItem:
        """Return the question as an audit sees it."""
        return AuditItem(
            item.item_id,
            item.cluster,
            question=item.question,
            answer=item.answer,
            pool=tuple(sorted(item.nodes)),
            context=context_hash(item.graphs),
        )

    def own_texts(self, item: QuestionSample) -> tuple[str, ...]:
        """Return the texts that no prompt may show."""
        return (item.question,)


def word(reply: str, known: AbstractSet[str] = frozenset()) -> Read[str] | Unreadable:
    """Return one folded name; ``known`` are names that are accepted in any form."""
    found = words.word(reply, known)
    return found if isinstance(found, Unreadable) else found._replace(value=fold(found.value))


@once_for_the_same
def _folded_names(graphs: Sequence[ActionGraph]) -> frozenset[str]:
    """Return the folded names of all nodes; questions come several to the same graphs."""
    return frozenset(fold(name) for name in {name for graph in graphs for t in graph for name in (t[0], t[2])})
