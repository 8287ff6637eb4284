"""Terms of this suite: sub-domains and domains, scenes and groups, and normalised words.

The suite tests ten sub-domains of spatial intelligence in four domains.

>>> DOMAINS["Perception"], DOMAIN_OF["Occlusion"]
(('Position', 'Orientation', 'Layout'), 'Reasoning')

The score of a domain is the plain mean of its sub-domains. The overall score is the plain mean of all ten, not of the
domains, so that a domain of three sub-domains weighs more than one of two.

Images show 25 kinds of scenes in five groups, in the published order.

>>> GROUP_OF["Kitchen"], GROUPS["Design"]
('Indoor', ('Advertisement Design', 'Cartoon Design', 'Story Design'))

Baselines and checks compare normalised words of stems, options and prompts.

>>> sorted(content_words("Two bottles stand on the left of the cart."))
['bottl', 'cart', 'left', 'stand', 'two']
>>> tokens("It's red, and big.")
6
"""

from __future__ import annotations

import re
from functools import lru_cache

from tsgkit.lexicon import stem
from tsgkit.lexicon.tables import word_set

DOMAINS = {
    "Foundation": ("Object", "Attribute"),
    "Perception": ("Position", "Orientation", "Layout"),
    "Reasoning": ("Comparison", "Proximity", "Occlusion"),
    "Interaction": ("Motion", "Causal"),
}
SUB_DOMAINS = tuple(name for names in DOMAINS.values() for name in names)
"""The sub-domains, in the order of the questions of an item."""
MEANING = {
    "Object": "everything named is there, and nothing else",
    "Attribute": "colour, shape and material are those of the right thing",
    "Position": "where something is, in the image or seen from something in it",
    "Orientation": "which way something faces, is turned or is posed",
    "Layout": "how a group is arranged: row, circle, stack",
    "Comparison": "which is larger, taller or more, and how many times",
    "Proximity": "what touches, is near, is far",
    "Occlusion": "what hides what, partly or fully",
    "Motion": "what is caught in the middle of doing what",
    "Causal": "what visibly made something happen",
}
DOMAIN_OF = {name: domain for domain, names in DOMAINS.items() for name in names}
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
GROUP_OF = {scene: group for group, scenes in GROUPS.items() for scene in scenes}
WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]")
FUNCTION_WORDS = word_set(
    "a an the this that these those its it they them their his her he she and or but of to in on at by with from for",
    "as is are was were be been being do does did has have had there here than then so not no yes which what who whose",
    "how where when why while into onto",
)
"""Words without content of their own."""


@lru_cache(maxsize=50_000)
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, without function words."""
    words = (word.lower() for word in WORD.findall(text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)


def tokens(text: str) -> int:
    """Count words and punctuation marks: close to, and never more than, CLIP's token count for plain English."""
    return len(TOKEN.findall(text))


def folded(text: str) -> str:
    """Return a text normalised for comparison: lower case, single spaces, no final period."""
    return " ".join(text.lower().split()).removesuffix(".")
