"""Words of stems, options and prompts, as baselines and checks compare them.

>>> sorted(telling("Two bottles stand on the left of the cart."))
['bottl', 'cart', 'left', 'stand', 'two']
>>> tokens("It's red, and big.")
6
"""

from __future__ import annotations

import re
from functools import lru_cache

from tsgkit.lexicon import stem
from tsgkit.lexicon.tables import word_set

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
