"""Scores of a caption's graph: F1 over tuples in three strictnesses, F1 of each kind, and hallucinated objects.

Tuples are a set: what is said twice counts once. Two objects of one name cannot be told apart in this notation, so "a
brown dog and a black dog" is one object ``dog`` with two attributes: a graph gains nothing by naming it twice and loses
nothing by naming it once, and an attribute that was given to the wrong one of the two goes unnoticed.

==================  =================================================================================================
``exact_f1``        tuples with the same names
``folded_f1``       tuples whose names are the same but for spelling, inflection and synonyms (``synonyms.txt``)
``soft_f1``         tuples by the share of what they have in common, in the best assignment
``objects_f1`` ...  ``folded_f1`` of one kind of tuples; no score where the kind is neither wanted nor said
``hallucinated``    the share of said objects that neither the reference has, in this folded sense, nor the caption
==================  =================================================================================================
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

from tsgkit.lexicon import mentions, same_word
from tsgkit.scoring import Score
from tsgkit.scoring.alignment import MOST_REFERENCES, best
from tsgkit.scoring.sets import Overlap, overlap

from caption_graphs.tuples import CaptionGraph

METRICS = ("folded_f1", "exact_f1", "soft_f1", "objects_f1", "attributes_f1", "relations_f1", "hallucinated")
KINDS = ("objects", "attributes", "relations")
Names = tuple[str, ...]


class Matched(NamedTuple):
    """Pairs of a wanted tuple and a said one that mean the same, and the tuples left over on both sides."""

    pairs: list[tuple[Names, Names]]
    missing: list[Names]
    extra: list[Names]


def scores(reference: CaptionGraph, answer: CaptionGraph | None, caption: str) -> dict[str, Score]:
    """Return all scores of an answer; None is worth nothing, and weighs as much as a wrong one."""
    said = answer or CaptionGraph(())
    exact = overlap(frozenset(reference.tuples), frozenset(said.tuples))
    return {
        "folded_f1": folded_f1(reference.tuples, said.tuples),
        "exact_f1": Score(exact.f1, 1, f"{exact.right} the same of {exact.wanted} wanted and {exact.said} said"),
        "soft_f1": soft_f1(reference, said),
        **{f"{kind}_f1": folded_f1(of_kind(reference, kind), of_kind(said, kind)) for kind in KINDS},
        "hallucinated": hallucinated(reference, said, caption),
    }


def of_kind(graph: CaptionGraph, kind: str) -> tuple[Names, ...]:
    """Return the tuples of a kind."""
    return tuple(one for one in graph.tuples if len(one) == KINDS.index(kind) + 1)


@lru_cache(maxsize=65536)
def same(a: str, b: str) -> bool:
    """Say whether two names mean the same but for spelling, inflection and the synonyms we know.

    >>> same("men", "guy"), same("sits on", "sitting on"), same("dog", "cat")
    (True, True, False)
    """
    return bool(same_word(a, b)) or not _groups(a).isdisjoint(_groups(b))


@lru_cache(maxsize=4096)
def _groups(name: str) -> frozenset[int]:
    """Return the numbers of the lines of synonyms that a name stands in."""
    return frozenset(at for at, names in enumerate(_synonyms()) if any(same_word(name, one) for one in names))


@cache
def _synonyms() -> list[list[str]]:
    text = files("caption_graphs").joinpath("synonyms.txt").read_text(encoding="utf-8")
    return [line.split(", ") for line in text.splitlines()]


def matched(wanted: Sequence[Names], said: Sequence[Names]) -> Matched:
    """Match each tuple at most once with one that means the same: exact ones first, then in written order."""
    pairs = [(one, one) for one in wanted if one in said]
    missing, extra = ([one for one in tuples if (one, one) not in pairs] for tuples in (wanted, said))
    for one in list(missing):
        for other in extra:
            if len(one) == len(other) and all(map(same, one, other)):
                pairs.append((one, other))
                missing.remove(one)
                extra.remove(other)
                break
    return Matched(pairs, missing, extra)


def folded_f1(wanted: Sequence[Names], said: Sequence[Names]) -> Score:
    """Return F1 over tuples that mean the same, with the tuples that do and do not as evidence."""
    if not wanted and not said:
        return Score.missing("none wanted and none said")
    found = matched(wanted, said)
    reason = f"{len(found.pairs)} mean the same of {len(wanted)} wanted and {len(said)} said"
    return Score(Overlap(len(found.pairs), len(said), len(wanted)).f1, 1, reason, found._asdict())


def soft_f1(reference: CaptionGraph, said: CaptionGraph) -> Score:
    """Return F1 where a pair of tuples of one kind counts by what it has in common; pairs are assigned at best."""
    total = 0.0
    for kind in KINDS:
        wanted, offered = of_kind(reference, kind), of_kind(said, kind)
        if len(wanted) > MOST_REFERENCES:
            return Score.missing(f"{len(wanted)} {kind} are too many for the best assignment ({MOST_REFERENCES})")
        gains = [[sum(map(likeness, one, other)) / len(one) for other in offered] for one in wanted]
        # No assignment needs more candidates of a reference than there are references.
        worth = {at for row in gains for at in sorted(range(len(row)), key=row.__getitem__)[-len(gains) :]}
        total += best([[row[at] for at in sorted(worth)] for row in gains]).total
    whole = len(reference.tuples) + len(said.tuples)
    return Score(2 * total / whole, 1, f"{total:.2f} in common") if whole else Score.missing("no tuples")


@lru_cache(maxsize=65536)
def likeness(a: str, b: str) -> float:
    """Return 1 for names that mean the same, else twice the words they share over the words of both.

    >>> likeness("men", "guy"), round(likeness("young man", "men"), 3), likeness("man", "dog")
    (1.0, 0.667, 0.0)
    """
    if same(a, b):
        return 1.0
    words, others = a.split(), b.split()
    return 2 * len(matched([(one,) for one in words], [(one,) for one in others]).pairs) / (len(words) + len(others))


def hallucinated(reference: CaptionGraph, said: CaptionGraph, caption: str) -> Score:
    """Return the share of said objects that the reference has not, nor the caption in any inflected form."""
    if not said.objects:
        return Score.missing("no objects said")
    known = (any(same(name, one) for one in reference.objects) or mentions(caption, name) for name in said.objects)
    new = [name for name, is_known in zip(said.objects, known, strict=True) if not is_known]
    return Score(len(new), len(said.objects), f"{len(new)} of {len(said.objects)} objects", new)
