"""Terms of this suite: ten sub-domains in four domains, 25 scenes in five groups, and words as baselines compare them.

What is tested: ten sub-domains of spatial intelligence in four domains, and the scores above a single sub-domain.

>>> DOMAINS["Perception"], domain_of("Occlusion")
(('Position', 'Orientation', 'Layout'), 'Reasoning')

A domain is the plain mean of its sub-domains, overall the plain mean of all ten: not of the domains, so that a domain
of three sub-domains weighs more than one of two.

The scenes pictures are made of: 25 names in five groups, in the published order.

>>> group_of("Kitchen"), GROUPS["Design"]
('Indoor', ('Advertisement Design', 'Cartoon Design', 'Story Design'))
>>> published_scene(604)
'Kitchen'

Words of stems, options and prompts, as baselines and checks compare them.

>>> sorted(telling("Two bottles stand on the left of the cart."))
['bottl', 'cart', 'left', 'stand', 'two']
>>> tokens("It's red, and big.")
6
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import accumulate
from statistics import fmean
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.lexicon import only_near, stem
from tsgkit.lexicon.tables import word_set

DOMAINS = {
    "Foundation": ("Object", "Attribute"),
    "Perception": ("Position", "Orientation", "Layout"),
    "Reasoning": ("Comparison", "Proximity", "Occlusion"),
    "Interaction": ("Motion", "Causal"),
}
SUB_DOMAINS = tuple(name for names in DOMAINS.values() for name in names)
"""In the order in which every item asks for them."""
MEANING = {
    "Object": "everything named is there, and nothing else",
    "Attribute": "colour, shape and material are those of the right thing",
    "Position": "where something is, in the picture or seen from something in it",
    "Orientation": "which way something faces, is turned or is posed",
    "Layout": "how a group is arranged: row, circle, stack",
    "Comparison": "which is larger, taller or more, and how many times",
    "Proximity": "what touches, is near, is far",
    "Occlusion": "what hides what, partly or fully",
    "Motion": "what is caught in the middle of doing what",
    "Causal": "what visibly made something happen",
}
_HOME = {name: domain for domain, names in DOMAINS.items() for name in names}


class Aggregates(NamedTuple):
    """The scores of one subject at every height; None where there is nothing to take a mean of."""

    sub_domains: dict[str, float | None]
    domains: dict[str, float | None]
    overall: float | None


def domain_of(sub_domain: str) -> str | None:
    """The domain of a sub-domain; None for a name that is none of the ten."""
    return _HOME.get(sub_domain)


def aggregates(scores: Mapping[str, float]) -> Aggregates:
    """The domains and the overall score of some sub-domains' scores.

    A mean of which a part is missing is not known: it is None, never the mean of the rest.

    >>> aggregates({"Object": 61.0, "Attribute": 77.2}).domains["Foundation"]
    69.1
    >>> aggregates({"Object": 61.0}).domains["Foundation"] is None
    True
    """
    sub_domains = {name: scores.get(name) for name in SUB_DOMAINS}
    domains = {domain: _mean(sub_domains[name] for name in names) for domain, names in DOMAINS.items()}
    return Aggregates(sub_domains, domains, _mean(sub_domains.values()))


def _mean(scores: Iterable[float | None]) -> float | None:
    values = list(scores)
    known = [value for value in values if value is not None]
    return fmean(known) if len(known) == len(values) else None


GROUPS = {
    "Nature": ("Forest", "Mountain", "Beach", "Desert", "Underwater", "Cityspace", "Village"),
    "Human": ("Portrait", "Human Activities", "Sports"),
    "Indoor": ("Office", "Living Room", "Kitchen", "Classroom"),
    "Outdoor": (
        "Park",
        "Zoo",
        "Airport",
        "Railway Station",
        "Art Gallery",
        "Shopping Mall",
        "Library",
        "Cafe",
    ),
    "Design": ("Advertisement Design", "Cartoon Design", "Story Design"),
}
SCENES = tuple(scene for scenes in GROUPS.values() for scene in scenes)
UNEVEN = {"Story Design": 30, "Shopping Mall": 49, "Library": 51}
PUBLISHED = {scene: UNEVEN.get(scene, 50) for scene in SCENES}
"""How many prompts of each scene the published data have; one of the mall appears to be filed under the library."""
GROUP_OF = {scene: group for group, scenes in GROUPS.items() for scene in scenes}
_ENDS = tuple(accumulate(PUBLISHED.values()))


def group_of(scene: str) -> str:
    """The group of a scene."""
    if scene not in GROUP_OF:
        near = only_near(scene, SCENES)
        hint = f"{near.name}?" if near else f"the scenes: {', '.join(SCENES)}"
        raise UsageError(f"there is no scene {scene!r}", hint=hint)
    return GROUP_OF[scene]


def published_scene(number: int) -> str | None:
    """The scene that the published row of this number (from 1) belongs to; None beyond their end."""
    return SCENES[bisect_left(_ENDS, number)] if 1 <= number <= _ENDS[-1] else None


WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]")
FUNCTION_WORDS = word_set(
    "a an the this that these those its it they them their his her he she and or but of to in on at by with from for",
    "as is are was were be been being do does did has have had there here than then so not no yes which what who whose",
    "how where when why while into onto",
)
"""Words that tell nothing of a picture by themselves."""


@lru_cache(maxsize=50_000)
def telling(text: str) -> frozenset[str]:
    """The stems of the words of a text that tell something."""
    words = (word.lower() for word in WORD.findall(text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)


def tokens(text: str) -> int:
    """Words and punctuation marks: nearly, and never more than, what CLIP's tokeniser makes of plain English."""
    return len(TOKEN.findall(text))


def folded(text: str) -> str:
    """A text for comparison: lower case, single spaces, no final period."""
    return " ".join(text.lower().split()).removesuffix(".")
