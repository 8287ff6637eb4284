"""Prepositions of a text that may say an edge of a graph.

>>> may_be_said("inside", "in"), may_be_said("under", "on"), may_be_said("using", "with")
(True, False, True)

This is for judging whole sentences, where English is freer than edges are; what may be said of one situation in a
question with one right answer is stricter (:mod:`tsgkit.lexicon.preposition_senses`).
"""

from __future__ import annotations

from functools import lru_cache

from tsgkit.lexicon import fold
from tsgkit.lexicon.tables import word_set

FITTING = {
    "with": "with using by through via in of from between on",
    "in": "in into inside within to through on at among amid of under",
    "inside": "in into inside within to",
    "into": "in into inside within to through onto on down",
    "within": "in into inside within",
    "on": "on onto upon on-top-of atop over across along against to around at in by into up down of",
    "onto": "on onto upon on-top-of atop over across to around into against in",
    "on-top-of": "on onto upon on-top-of atop over above",
    "upon": "on onto upon on-top-of atop over",
    "over": "over above on onto across upon around through on-top-of past round into along in to",
    "above": "above over on-top-of",
    "across": "across over on along through onto around down",
    "along": "along across on down over up by through with against around",
    "off": "off from out-of away-from of off-of on down-from out up-from",
    "from": "from off out-of away-from of out in on at off-of inside down-from up-from under",
    "out-of": "out-of from off out of away-from in up-from",
    "under": "under below beneath underneath at in into",
    "below": "under below beneath underneath at",
    "beneath": "under below beneath underneath",
    "to": "to into onto on toward towards at against for in up around upon with",
    "toward": "to toward towards at",
    "towards": "to toward towards at",
    "against": "against on to onto at along upon over across to by with into",
    "around": "around round about over on onto across along through",
    "round": "around round about over on onto",
    "about": "around round about over on",
    "through": "through into in across via along by over from to",
    "between": "between among in amid into with",
    "among": "between among in amid amongst into",
    "behind": "behind at after",
    "in-front-of": "in-front-of before at by",
    "beside": "beside by near next-to alongside at to against along",
    "next-to": "beside by near next-to alongside at to against along",
    "near": "beside by near next-to alongside at close-to to around",
    "by": "by beside near next-to at with to via",
    "at": "at on near by in to from over against with",
    "down": "down along over through into off from on",
    "up": "up along over through to on onto",
    "past": "past by over along beyond",
    "beyond": "beyond past behind over",
}
_FITTING = {edge: word_set(words) for edge, words in FITTING.items()}
TELLING = word_set(
    "in into inside on onto upon off from out-of under below beneath underneath over above behind beside near between "
    "through around against in-front-of next-to out on-top-of away-from within across along to toward towards past"
    " among atop"
)
"""Prepositions that tell a place or a way; others say nothing certain."""


@lru_cache(maxsize=20_000)
def may_be_said(word: str, edge: str) -> bool:
    """Return whether a preposition of a text may stand for an edge; in doubt it may."""
    word, edge = fold(word), fold(edge)
    if word == edge or word not in TELLING:
        return True
    fitting = _FITTING.get(edge)
    return fitting is None or word in fitting
