"""Scores of a caption's graph: F1 over tuples in three strictnesses, F1 of each kind, and hallucinated objects.

Tuples are a set: what is said twice counts once. Two objects of one name cannot be told apart in this notation, so "a
brown dog and a black dog" is one object ``dog`` with two attributes: a graph gains nothing by naming it twice and loses
nothing by naming it once, and an attribute that was given to the wrong one of the two goes unnoticed.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from tsgkit.lexicon import Synonyms, mentions
from tsgkit.scoring import Score
from tsgkit.scoring.alignment import assignment
from tsgkit.scoring.sets import overlap
from tsgkit.scoring.soft import match
from tsgkit.suites.metrics import PER_ITEM, Metric

from caption_graphs.tuples import KINDS, CaptionGraph

Names = tuple[str, ...]
same = Synonyms(files("caption_graphs").joinpath("synonyms.txt").read_text(encoding="utf-8")).same
"""Say whether two names mean the same but for spelling, inflection and the synonyms we know."""
METRICS = {
    "folded_f1": Metric("F1 of tuples whose names are the same but for spelling, inflection and synonyms", PER_ITEM),
    "exact_f1": Metric("F1 of tuples with the same names", PER_ITEM, is_headline=False),
    "soft_f1": Metric("F1 of tuples by the share of names that are the same", PER_ITEM, is_headline=False),
    **{f"{kind}_f1": Metric(f"folded_f1 of {kind} alone", PER_ITEM, is_headline=False) for kind in KINDS},
    "hallucinated": Metric("objects that neither reference nor caption has", more_is_better=False, is_headline=False),
}


def scores(reference: CaptionGraph, answer: CaptionGraph | None, caption: str) -> dict[str, Score]:
    """Return all scores of an answer; None is worth nothing, and weighs as much as a wrong one."""
    said = answer or CaptionGraph(())
    exact = overlap(frozenset(reference.tuples), frozenset(said.tuples))
    return {
        "folded_f1": folded_f1(reference.tuples, said.tuples),
        "exact_f1": Score(exact.f1, 1, f"{exact.right} the same of {exact.wanted} wanted and {exact.said} said"),
        "soft_f1": soft_f1(reference.tuples, said.tuples),
        **{f"{kind}_f1": folded_f1(of_kind(reference, kind), of_kind(said, kind)) for kind in KINDS},
        "hallucinated": hallucinated(reference, said, caption),
    }


def of_kind(graph: CaptionGraph, kind: str) -> tuple[Names, ...]:
    """Return the tuples of a kind."""
    return tuple(one for one in graph.tuples if len(one) == KINDS.index(kind) + 1)


def folded_f1(wanted: Sequence[Names], said: Sequence[Names]) -> Score:
    """Return F1 over tuples that mean the same, with the tuples that do and do not as evidence."""
    if not wanted and not said:
        return Score.missing("none wanted and none said")
    found = match(wanted, said, lambda one, other: len(one) == len(other) and all(map(same, one, other)))
    reason = f"{len(found.pairs)} mean the same of {len(wanted)} wanted and {len(said)} said"
    return Score(found.overlap.f1, 1, reason, found._asdict())


def soft_f1(wanted: Sequence[Names], said: Sequence[Names]) -> Score:
    """Return F1 where a pair of tuples of one kind counts by the names it shares; pairs are assigned at best."""
    total = assignment([[_shared(one, other) for other in said] for one in wanted]).total
    whole = len(wanted) + len(said)
    return Score(2 * total / whole, 1, f"{total:.2f} in common") if whole else Score.missing("no tuples")


def _shared(one: Names, other: Names) -> float:
    return sum(map(same, one, other)) / len(one) if len(one) == len(other) else 0.0


def hallucinated(reference: CaptionGraph, said: CaptionGraph, caption: str) -> Score:
    """Return the share of said objects that the reference has not, nor the caption in any inflected form."""
    if not said.objects:
        return Score.missing("no objects said")
    known = (any(same(name, one) for one in reference.objects) or mentions(caption, name) for name in said.objects)
    new = [name for name, is_known in zip(said.objects, known, strict=True) if not is_known]
    return Score(len(new), len(said.objects), f"{len(new)} of {len(said.objects)} objects", new)
