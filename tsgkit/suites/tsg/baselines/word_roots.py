"""Word roots, and a short table of everyday actions with several verbs.

>>> bool(roots("lifted") & roots("grab")), bool(roots("lid") & roots("lids")), bool(roots("open") & roots("close"))
(True, True, False)
>>> opposed(roots("tightens"), roots("loosen"))
True

The tables are general English and short on purpose: a baseline shows what plain word matching can do. Things have no
synonyms here, and a verb stands in one group only.
"""

from __future__ import annotations

import re
from functools import lru_cache

from tsgkit.lexicon import bases
from tsgkit.lexicon.folding import word_set

WORD = re.compile(r"[^\W_]+")

SAME_ACTION = (
    "pick grab take lift fetch grasp get collect retrieve gather raise grip hold seize reach come",
    "put place set lay drop rest position return release deposit stow settle leave go",
    "clean wipe wash rinse scrub mop sweep polish dust",
    "cut chop slice trim snip saw carve",
    "tighten fasten secure attach fix fit connect screw",
    "loosen undo unfasten detach remove unscrew disconnect slacken",
    "stir mix blend whisk beat",
    "move shift slide carry bring transfer transport drag push",
    "pull draw tug",
    "check inspect examine look review test",
    "turn rotate twist spin",
    "pour tip empty",
    "hit strike tap hammer knock pound",
    "pass switch swap change",
    "apply spread smear rub brush coat",
    "fold bend crease",
    "press squeeze push",
    "join glue stick bind tie",
)
"""Verbs that often describe the same action, one group a line."""

OPPOSITES = (
    ("open unlock uncover", "close shut lock cover seal"),
    ("tighten fasten secure attach assemble reassemble connect", "loosen undo detach disassemble dismantle disconnect"),
    ("on", "off"),
    ("up", "down"),
    ("in into inside", "out outside"),
    ("to toward towards", "from"),
    ("fill", "empty drain"),
    ("pick grab take lift", "drop put set lay release"),
)
"""Words that exclude each other, two sides a line."""

NEGATIONS = word_set(
    "not no never without instead skip ignore avoid fail neglect refuse omit miss prevent barely hardly careless",
    "carelessly",
)
"""Words of sentences about actions that are not done."""

FUNCTION_WORDS = word_set(
    "a an the this that these those its it they them their his her your my our you he she i we one some any all each",
    "and or but then so while until as of is was were are be been being do did does has had have what which who whom",
    "where when how person object item thing used using use tool during there",
)
"""Words that name nothing in a scene."""

_GROUPS = {verb: f"~{line.split()[0]}" for line in reversed(SAME_ACTION) for verb in line.split()}
_SIDES = tuple((word_set(left), word_set(right)) for left, right in OPPOSITES)
_OPPOSED = (*_SIDES, *((right, left) for left, right in _SIDES))


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case; a hyphenated name is several.

    >>> words("Pick-up the Lid!")
    ('pick', 'up', 'the', 'lid')
    """
    return tuple(WORD.findall(text.lower()))


@lru_cache(maxsize=8192)
def roots(word: str) -> frozenset[str]:
    """Return the bases of a word, and the group of verbs it belongs to (``~pick``)."""
    forms = bases(word)
    return frozenset((*forms, *(_GROUPS[base] for base in forms if base in _GROUPS)))


def all_roots(sentence: tuple[str, ...]) -> frozenset[str]:
    """Return the roots of several words together."""
    return frozenset[str]().union(*map(roots, sentence))


def opposed(first: frozenset[str], second: frozenset[str]) -> bool:
    """Return whether one names an action or direction and the other names its opposite, and not it as well."""
    return any(first & left and second & right and not second & left for left, right in _OPPOSED)
