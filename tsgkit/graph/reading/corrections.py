"""Lines of prose that put what follows in the place of the graphs before it.

>>> takes_back_all("Wait, that is wrong. Corrected:"), takes_back_all("Wait, I forgot the hand:")
(True, False)
"""

from __future__ import annotations

import re

from tsgkit.replies.corrections import TAKEN_BACK

CORRECTION = re.compile(
    r"\b(?:corrected|revised|updated|fixed|amended)\s(?:(?:scene|action)\s)?(?:graph|triplet|version|answer|output|list)s?"
    r"(?!\s?#?(?:[2-9]|1\d))|korrigierte\s(?:szenen)?graph|(?:修正|更正)后?的?(?:场景)?图",
    re.IGNORECASE,
)
"""A heading that does so however many graphs were asked for."""
ANNOUNCED = re.compile(r"\b(?:corrected|correction|revised)\b[^:：\n]{0,40}[:：]\W*$", re.IGNORECASE)
ADDED = re.compile(
    r"\b(?:also|too|add\w*|miss\w*|forg[eo]t\w*|besides|plus|another|additional|second|next)\b", re.IGNORECASE
)
"""Words by which what follows is added to what stands before."""
OF_OTHERS = re.compile(
    r"\b(?:common|typical|frequent|possible|would|could|might|if|example|avoid|no|never|nothing|without)\b",
    re.IGNORECASE,
)
"""Words of remarks on mistakes that the author did not make."""


def takes_back_all(text: str) -> bool:
    """Say whether a line replaces the graphs before it by what follows, where only one graph was asked for."""
    if ANNOUNCED.search(text):
        return True
    return TAKEN_BACK.search(text) is not None and not (ADDED.search(text) or OF_OTHERS.search(text))
