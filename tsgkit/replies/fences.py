"""Code fences: what stands in them, and a text without their marks.

>>> text = "Here:\\n```json\\n[1]\\n```\\nDone."
>>> [body.text for body in fenced(Part(text))]
['[1]\\n']
>>> without_fences(Part(text)).text.split()
['Here:', '[1]', 'Done.']
"""

from __future__ import annotations

import re

from tsgkit.replies.parts import Part

MARK = re.compile(r"(?:```+|~~~+)(?:[ \t]*[A-Za-z][\w+-]{0,20}(?=[ \t]*$)|[a-z]{1,20}(?=\s*[\[{\"]))?", re.MULTILINE)
FENCE = re.compile(r"^[ \t>]*(```+|~~~+)[^\n`]*$", re.MULTILINE)


def fenced(part: Part) -> list[Part]:
    """Return what stands between the fences of a text; one that is never closed holds the rest."""
    found, opened, mark = [], None, ""
    for fence in FENCE.finditer(part.text):
        if opened is None:
            opened, mark = fence.end() + 1, fence.group(1)[:3]
        elif fence.group(1).startswith(mark):
            found.append(part.cut(opened, fence.start()))
            opened = None
    if opened is not None:
        found.append(part.cut(opened))
    return found


def without_fences(part: Part) -> Part:
    """Blank the marks of fences with the names of their languages; all places stay."""
    if "```" not in part.text and "~~~" not in part.text:
        return part
    return Part(MARK.sub(lambda mark: " " * len(mark.group()), part.text), part.start)
