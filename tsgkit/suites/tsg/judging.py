"""Judges one reply to one sample in both profiles: outcome, answer, scores with their reasons, evidence, counts.

``strict`` reads with :mod:`~tsgkit.suites.tsg.strict` and gives zero to whatever has no answer. ``official`` reads and
scores with :mod:`~tsgkit.suites.tsg.official`; a reply without text is an empty text to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tsgkit.graph.edits import diff
from tsgkit.graph.folding import fold, fold_graph, fold_graphs, fold_vocabulary
from tsgkit.graph.memo import once_for_the_same
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.lexicon import fold as fold_spelling
from tsgkit.replies import Read, Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score, right_or_wrong
from tsgkit.suites.judged import Judged, Scores
from tsgkit.suites.replies import Reply
from tsgkit.suites.solvers.answerable import Reading
from tsgkit.suites.tsg import official, strict
from tsgkit.suites.tsg.derived import ActionsSample, DerivedSample, EdgesSample, NodesSample, RefineSample
from tsgkit.suites.tsg.derived_scores import score_actions, score_nodes, score_refinement
from tsgkit.suites.tsg.generation import Scored, score_generation
from tsgkit.suites.tsg.samples import AnySample, GenerationSample, QuestionSample, SelectionSample, is_single

Answer = str | GraphAnswer | Listed
Found = Answer | Unreadable | None
REASONING_STYLES = ("cot", "cot-few-shot")
SINGLE_COUNT = "single_graph_items"
SINGLE_NOTE = "one graph among items of several: scored as k = 1"
NO_READER = "this task has no published reader"


def unpublished(style: str, solver: str = "single") -> str:
    """Why replies asked for in this way have no official figures; empty where they have."""
    if style == "structured":
        return "replies in a JSON schema were not asked for in the published way"
    if solver not in ("single", "baseline"):
        return f"the published way asks once; solver {solver} does not"
    return ""


def judge(sample: AnySample, reply: Reply | None, style: str = "zero-shot") -> Judged:
    """The judgement on a reply (None: there is none)."""
    return judgement(sample, read_reply(sample, reply), official_text(sample, reply, style))


def judgement(sample: AnySample, reading: Reading[Found], official_text: str | None) -> Judged:
    """The judgement on what was read; ``official_text`` is what the published reader is shown (None: nothing)."""
    outcome, found = reading
    parts = JUDGES[type(sample)](sample, found, official_text)
    notes = (found.reason, *parts.notes) if isinstance(found, Unreadable) else parts.notes
    if is_single(sample):
        notes = (SINGLE_NOTE, *notes)
    return Judged(
        sample=sample,
        outcome=outcome,
        answer=parts.answer,
        scores={"strict": parts.strict} | ({} if parts.official is None else {"official": parts.official}),
        notes=notes,
        evidence=parts.evidence,
        counts={"items": 1, outcome: 1, **parts.counts, **_single(sample)},
    )


def _single(sample: AnySample) -> dict[str, int]:
    """Count an item of one graph, in tasks of several."""
    several = isinstance(sample, GenerationSample | DerivedSample) and sample.of_several
    return {SINGLE_COUNT: int(is_single(sample))} if several else {}


def read_reply(sample: AnySample, reply: Reply | None) -> Reading[Found]:
    """The outcome and the strict answer; only an answered sample has one."""
    if reply is None:
        return Reading(Outcome.MISSING, None)
    if reply.outcome is not None:
        return Reading(reply.outcome, None)
    if reply.is_empty:
        return Reading(Outcome.EMPTY, None)
    found = _strict_answer(sample, reply.text or "")
    return Reading(Outcome.UNREADABLE if isinstance(found, Unreadable) else Outcome.ANSWERED, found)


def _strict_answer(sample: AnySample, text: str) -> Answer | Unreadable:
    found = READERS[type(sample)](sample, text)
    return found.value if isinstance(found, Read) else found


def _read_word(sample: QuestionSample, text: str) -> Read[str] | Unreadable:
    """Read a name; each node of the graphs is one."""
    return strict.word(text, _folded_names(sample.graphs))


READERS: dict[type, Callable[[Any, str], Read[str] | GraphAnswer | Listed | Unreadable]] = {
    QuestionSample: _read_word,
    SelectionSample: lambda sample, text: strict.letter(text, sample.candidates),
    GenerationSample: lambda sample, text: read_graphs(text, sample.k),
    NodesSample: lambda sample, text: strict.names(text),
    EdgesSample: lambda sample, text: read_graphs(text, sample.source.k),
    ActionsSample: lambda sample, text: strict.names(text),
    RefineSample: lambda sample, text: read_graphs(text, 1),
}
"""How a reply to a kind of sample is read."""


def official_text(sample: AnySample, reply: Reply | None, style: str) -> str | None:
    """What the official reader is shown of a reply; None where none was published for the task or the style."""
    if unpublished(style) or isinstance(sample, DerivedSample):
        return None
    return official_view((reply.text if reply is not None else None) or "", style)


def official_view(text: str, style: str) -> str:
    """What the official reader is shown: all of it, or the part after the last label where reasoning was asked for."""
    return official.answer_section(text) if style in REASONING_STYLES else text


def _question(sample: QuestionSample, word: str | None, text: str | None) -> tuple[Scores, Scores | None]:
    expected = fold(sample.answer)
    nodes = _folded_names(sample.graphs)
    said = f"{word} for {expected}" if word is not None else "no answer"
    scores = {
        "exact_match": right_or_wrong(word == expected, said),
        "normalised": right_or_wrong(word is not None and fold_spelling(word) == fold_spelling(expected), said),
        "not_a_node": right_or_wrong(word is not None and word not in nodes, said),
    }
    if text is None:
        return scores, None
    published = official.word(text)
    right = published == sample.answer.lower().strip()
    return scores, {"exact_match": right_or_wrong(right, f"{_short(published)} for {sample.answer}")}


@once_for_the_same
def _folded_names(graphs: Sequence[ActionGraph]) -> frozenset[str]:
    """The folded names of all nodes; questions come several to the same graphs."""
    return frozenset(fold(name) for name in {name for graph in graphs for t in graph for name in (t[0], t[2])})


def _selection(sample: SelectionSample, letter: str | None, text: str | None) -> tuple[Scores, Scores | None]:
    scores = {"accuracy": right_or_wrong(letter == sample.answer, f"{letter or 'no letter'} for {sample.answer}")}
    if text is None:
        return scores, None
    published = official.letter(text)
    said = f"{published or 'no letter'} for {sample.answer}"
    return scores, {"accuracy": right_or_wrong(published == sample.answer, said)}


class Parts(NamedTuple):
    """What a kind of sample contributes to its judgement."""

    strict: Scores
    official: Scores | None
    answer: Any
    evidence: Any
    counts: dict[str, int]
    notes: tuple[str, ...] = ()


def _judged_word(score: Callable[..., tuple[Scores, Scores | None]]) -> Callable[..., Parts]:
    """A judge of answers that are one word or letter."""

    def judged(sample: QuestionSample | SelectionSample, found: Found, official_text: str | None) -> Parts:
        word = found if isinstance(found, str) else None
        scores, published = score(sample, word, official_text)
        return Parts(scores, published, word, {"expected": sample.answer}, {})

    return judged


def _judged_graphs(sample: GenerationSample, found: Found, official_text: str | None) -> Parts:
    answer = found if isinstance(found, GraphAnswer) else None
    scored = score_generation(sample, answer)
    published = None if official_text is None else _official_graphs(sample, official_text)
    skipped = int(published is not None and published["f1"].weight == 0)
    counts = scored.counts | {"repaired": _repaired(answer), "skipped_official": skipped}
    return Parts(scored.scores, published, _lists(answer), _evidence(sample, answer), counts, _notes(answer))


def _judged_edges(sample: EdgesSample, found: Found, official_text: str | None) -> Parts:
    return _judged_graphs(sample.source, found, None)


def _judged_repair(sample: RefineSample, found: Found, official_text: str | None) -> Parts:
    answer = found if isinstance(found, GraphAnswer) else None
    scored = score_refinement(sample, answer)
    mended = answer.graphs[0] if answer else ActionGraph()
    left = diff(fold_graph(sample.original), mended, fold_vocabulary(sample.vocabulary))
    evidence = {
        "error": sample.error,
        "seed": sample.seed,
        "errors": [str(change) for change in sample.changes],
        "changes": [str(change) for change in left.changes],
    }
    counts = scored.counts | {"repaired": _repaired(answer)}
    return Parts(scored.scores, None, _lists(answer), evidence, counts, _notes(answer))


def _judged_list(score: Callable[[Any, Listed | None], Scored]) -> Callable[..., Parts]:
    """A judge of answers that list names."""

    def judged(sample: NodesSample | ActionsSample, found: Found, official_text: str | None) -> Parts:
        answer = found if isinstance(found, Listed) else None
        scored = score(sample, answer)
        expected = sample.nodes if isinstance(sample, NodesSample) else sample.actions
        value = list(answer.names) if answer else None
        return Parts(
            scored.scores, None, value, {"expected": list(expected)}, scored.counts, answer.notes if answer else ()
        )

    return judged


JUDGES: dict[type, Callable[[Any, Found, str | None], Parts]] = {
    QuestionSample: _judged_word(_question),
    SelectionSample: _judged_word(_selection),
    GenerationSample: _judged_graphs,
    NodesSample: _judged_list(score_nodes),
    EdgesSample: _judged_edges,
    ActionsSample: _judged_list(score_actions),
    RefineSample: _judged_repair,
}
"""What is said of an answer to a kind of sample."""


def _repaired(answer: GraphAnswer | None) -> int:
    return int(bool(answer and answer.reading.repaired))


def _notes(answer: GraphAnswer | None) -> tuple[str, ...]:
    return (*map(str, answer.reading.notes), *answer.asides) if answer else ()


def _lists(answer: GraphAnswer | None) -> list[list[list[str]]] | None:
    return [[list(triplet) for triplet in graph] for graph in answer.graphs] if answer else None


def _official_graphs(sample: GenerationSample, text: str) -> Scores:
    """Sums over the pairs that the published zip leaves; none means that the item is not scored at all."""
    pairs = official.score_graphs(sample.references, official.graphs(text))
    reason = (
        f"{len(pairs)} of {sample.k} graphs scored" if pairs else "no graph found: the published code skips the item"
    )
    return {
        name: Score(sum(getattr(pair, name) for pair in pairs), len(pairs), reason)
        for name in ("precision", "recall", "f1")
    }


def _evidence(sample: GenerationSample, answer: GraphAnswer | None) -> list[dict[str, object]]:
    """How each graph differs from its reference, by place."""
    graphs = answer.graphs if answer else ()
    vocabulary = fold_vocabulary(sample.vocabulary)
    evidence: list[dict[str, object]] = []
    for number, reference in enumerate(fold_graphs(sample.references)):
        if number < len(graphs):
            difference = diff(reference, graphs[number], vocabulary)
            evidence.append({"matched": len(difference.matched), "changes": [str(c) for c in difference.changes]})
        else:
            evidence.append({"matched": 0, "changes": ["the whole graph is missing"]})
    evidence += [{"matched": 0, "changes": ["a surplus graph"]} for _ in graphs[sample.k :]]
    return evidence


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "...")
