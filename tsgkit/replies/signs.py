"""Signs as keyboards of other languages write them, and marks of format: changed one for one, so that places stay.

>>> shown_plainly(Part("答案：【Ｃ】")).text, bare(Part("**C**")).text
('答案:[C]', '  C  ')
"""

from __future__ import annotations

import re

from tsgkit.replies.parts import Part

WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
OTHERS = {"【": "[", "】": "]", "［": "[", "］": "]", "「": '"', "」": '"', "。": ".", "、": ",", "　": " ", "\u00a0": " ",
          "\u202f": " ", "\u200b": " ", "\u200c": " ", "\u200d": " ", "\u2060": " ", "\ufeff": " ", "〈": "<", "〉": ">"}  # fmt: skip
PLAIN = str.maketrans(OTHERS | {chr(wide): chr(plain) for wide, plain in WIDE.items()})
MARKS = re.compile(r"\\(?:boxed|text|mathrm|mathbf|textbf)(?=\s*\{)|\\[\[\]()]|[*_`#>\[\]{}$\"“”]")


def shown_plainly(part: Part) -> Part:
    """Return a text with full-width signs and odd spaces as plain ones."""
    return part if part.text.isascii() else Part(part.text.translate(PLAIN), part.start)


def bare(part: Part) -> Part:
    """Return a text with blanks for marks of format: bold, headings, quotes, square and curly brackets, boxes."""
    return Part(MARKS.sub(lambda mark: " " * len(mark.group()), part.text), part.start)
