"""Code fences around an answer.

>>> without_fences(Part("Here:\\n```json\\n[1]\\n```\\nDone.")).text.split()
['Here:', '[1]', 'Done.']
"""

from __future__ import annotations

import re

from tsgkit.replies.spans import Part

MARK = re.compile(r"(?:```+|~~~+)(?:[ \t]*[A-Za-z][\w+-]{0,20}(?=[ \t]*$)|[a-z]{1,20}(?=\s*[\[{\"]))?", re.MULTILINE)


def without_fences(part: Part) -> Part:
    """Blank the fence marks and language names; all positions stay valid."""
    if "```" not in part.text and "~~~" not in part.text:
        return part
    return Part(MARK.sub(lambda mark: " " * len(mark.group()), part.text), part.start)
