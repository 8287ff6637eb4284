"""Lines of prose that replace the preceding graphs by the following ones.

>>> takes_back_all("Wait, that is wrong. Corrected:"), takes_back_all("Wait, I forgot the hand:")
(True, False)
"""

from __future__ import annotations

import re

from tsgkit.replies.corrections import WITHDRAWN

CORRECTION = re.compile(
    r"\b(?:corrected|revised|updated|fixed|amended)\s(?:(?:scene|action)\s)?(?:graph|triplet|version|answer|output|list)s?"
    r"(?!\s?#?(?:[2-9]|1\d))|korrigierte\s(?:szenen)?graph|(?:修正|更正)后?的?(?:场景)?图",
    re.IGNORECASE,
)
"""A heading that replaces all preceding graphs."""
ANNOUNCED = re.compile(r"\b(?:corrected|correction|revised)\b[^:：\n]{0,40}[:：]\W*$", re.IGNORECASE)


def takes_back_all(text: str) -> bool:
    """Return whether a line calls the preceding graphs wrong. At least as many graphs must follow to replace them."""
    return ANNOUNCED.search(text) is not None or WITHDRAWN.search(text) is not None
