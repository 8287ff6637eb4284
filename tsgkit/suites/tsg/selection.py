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

from tsgkit.graph.model import HANDS, PERSON
from tsgkit.graph.prompt_text import NOTHING_BEFORE, arrows, numbered
from tsgkit.library.documents.rows import Entry
from tsgkit.replies import Read, Unreadable
from tsgkit.replies.choices import choice
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
from tsgkit.suites.tsg.baselines.random_guesses import guess_letter
from tsgkit.suites.tsg.baselines.selection import select
from tsgkit.suites.tsg.clusters import ids_of, own_name
from tsgkit.suites.tsg.items import LETTERS, SelectionSample, SentenceGraphs, names_of
from tsgkit.suites.tsg.prompts import closed, one_of
from tsgkit.suites.tsg.task import TsgTask, lists_of, row_groups

OFFICIAL_RULE = (
    "official takes the first [X] or capital letter A to E that stands alone, wherever it is; "
    "strict what is called the answer, else a sentence that answers, a letter alone, or brackets that agree"
)


class Selection(TsgTask[SelectionSample, str]):
    """The description selection task."""

    item_type = SelectionSample
    rows = "sgds"
    metrics = MappingProxyType({"accuracy": Metric("the right candidate was chosen")})
    published_metrics = ("accuracy",)
    rules = ("graphs",)
    asked_fields = ("context", "graph", "candidates")
    more_fields = ("letters",)
    whole_fields = ("context", "triplet", "sentences")
    told_fields = ("graph", "candidates")
    baselines = MappingProxyType(
        {
            "random": lambda item, seed: bracketed(guess_letter(item, seed)),
            "rules": lambda item, _: bracketed(select(item)),
        }
    )

    # What is asked

    def items_of(self, entry: Entry, cluster: str) -> Iterator[SelectionSample]:
        """Make the item of a row."""
        row = entry.row or {}
        *context, graph = entry.narrative.graphs
        yield SelectionSample(
            item_id=entry.item,
            cluster=cluster,
            scenarios=ids_of(row) or (own_name(row),),
            groups=row_groups(row, 1),
            context=tuple(context),
            graph=graph,
            candidates=tuple(row["variations"]),
            position=row["position"],
        )

    def problem(self, item: SelectionSample) -> str:
        """Return why no candidate can be right; empty where one can."""
        count = len(item.candidates)
        if 0 <= item.position < count and count <= len(LETTERS):
            return ""
        return f"has its answer at position {item.position} of {count} candidates (at most {len(LETTERS)})"

    def fields(self, item: SelectionSample) -> Mapping[str, str]:
        """Return the values of an item for our prompts."""
        return {
            "context": numbered(item.context) or NOTHING_BEFORE,
            "graph": arrows(item.graph),
            "candidates": _lettered(item.candidates),
            "letters": ", ".join(LETTERS[: len(item.candidates)]),
        }

    def published_values(self, item: SelectionSample) -> Mapping[str, str]:
        """Return the values of an item as the published code writes them."""
        return {
            "context": repr(lists_of(item.context)),
            "triplet": repr(lists_of([item.graph])[0]),
            "sentences": _lettered(item.candidates),
        }

    def schema(self, item: SelectionSample, most: int) -> dict[str, Any]:
        """Return the JSON schema of an answer: one of the letters."""
        return closed({"answer": one_of(tuple(LETTERS[: len(item.candidates)]))})

    def shown_answer(self, item: SelectionSample) -> str:
        """Return the right letter in the form that is asked for."""
        return f"[{item.answer}]"

    def reference(self, sample: SelectionSample) -> str:
        """Return the right letter with its sentence."""
        return f"{self.shown_answer(sample)} {sample.candidates[sample.position]}"

    def reference_value(self, sample: SelectionSample) -> object:
        """Return the right letter."""
        return sample.answer

    # How an answer is read and scored

    def read_text(self, item: SelectionSample, text: str) -> str | Unreadable:
        """Read the letter of a candidate."""
        found = letter(text, item.candidates)
        return found.value if isinstance(found, Read) else found

    def spans(self, item: SelectionSample, text: str) -> Spans:
        """Return the positions of the letter, or of the sentence that stands for it."""
        found = letter(text, item.candidates)
        return ((found.start, found.end),) if isinstance(found, Read) else ()

    def answer_scores(self, item: SelectionSample, answer: str | None, asked: AsAsked | None) -> AnswerScores:
        """Compare letters."""
        said = f"{answer or 'no letter'} for {item.answer}"
        theirs: Scores | None = None
        if (text := self.official_text(asked)) is not None:
            published = official.letter(text)
            why = f"{published or 'no letter'} for {item.answer}"
            theirs = {"accuracy": right_or_wrong(published == item.answer, why)}
        strict: Scores = {"accuracy": right_or_wrong(answer == item.answer, said)}
        return AnswerScores(strict, theirs, answer, {"expected": item.answer})

    def official_reading(self, text: str) -> str | None:
        """Return what the published reader finds."""
        return official.letter(text)

    def differences(self, item: SelectionSample, mine: Any, theirs: Any, view: str) -> Iterator[str]:  # noqa: ANN401
        """Return why the profiles read different letters."""
        if mine != theirs:
            yield OFFICIAL_RULE

    def vote(self, item: SelectionSample, answers: Sequence[str]) -> Reading[str]:
        """Return the most frequent letter."""
        return Reading(Outcome.ANSWERED, plurality(answers))

    # How it is recognised and audited

    def identity(self, item: SelectionSample) -> Identity:
        """Return what the choice is recognised by in a pool of examples."""
        content = "choice", folded(item.candidates[item.position]), item.graph
        return Identity((content,), item.scenarios or (item.cluster,))

    def audit_item(self, item: SelectionSample) -> AuditItem:
        """Return the choice as an audit sees it."""
        return AuditItem(
            item.item_id,
            item.cluster,
            question="",
            options=item.candidates,
            key=item.position,
            context=context_hash(item.context, item.graph),
            names=frozenset(names_of([item.graph])) - {PERSON, *HANDS},
        )

    def told_graphs(self, item: SelectionSample) -> SentenceGraphs:
        """Return the sentence that is right, and its graph."""
        if not 0 <= item.position < len(item.candidates):
            return SentenceGraphs()
        return SentenceGraphs(item.candidates[item.position], (item.graph,))

    def own_texts(self, item: SelectionSample) -> tuple[str, ...]:
        """Return the texts that no prompt may show."""
        told = self.told_graphs(item).sentence
        return (told,) if told else ()


def letter(reply: str, candidates: Sequence[str]) -> Read[str] | Unreadable:
    """Return the letter of one of these candidates."""
    return choice(reply, dict(zip(LETTERS, candidates, strict=False)))


def _lettered(candidates: Sequence[str]) -> str:
    return "\n".join([f"{letter}: {text}" for letter, text in zip(LETTERS, candidates, strict=False)])
