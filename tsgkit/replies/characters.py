"""Replacement of full-width and styled characters and formatting marks, one for one, so that positions stay valid.

>>> shown_plainly(Part("答案：【Ｃ】 𝗽𝗮𝗻")).text, bare(Part("**C**")).text
('答案:[C] pan', '  C  ')
"""

from __future__ import annotations

import re
from string import ascii_uppercase
from unicodedata import normalize

from tsgkit.replies.spans import Part

WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
OTHERS = {"【": "[", "】": "]", "［": "[", "］": "]", "「": '"', "」": '"', "。": ".", "、": ",", "　": " ",
          "\u00a0": " ", "\u202f": " ", "〈": "<", "〉": ">", "«": '"', "»": '"', "’": "'",
          "‐": "-", "‑": "-"}  # fmt: skip
CIRCLED = {
    first + place: letter
    for first in (0x24B6, 0x24D0, 0x1F130, 0x1F150, 0x1F170)
    for place, letter in enumerate(ascii_uppercase)
}
STYLED = {
    code: letter
    for code in (*range(0x2102, 0x213A), *range(0x1D400, 0x1D800))
    if (letter := normalize("NFKC", chr(code))).isascii() and letter.isalnum() and len(letter) == 1
}
"""Mathematical bold, italic and other letters that text is styled with."""
LETTERS = STYLED | {code: plain for code, plain in WIDE.items() if chr(plain).isalnum()}
PLAIN = str.maketrans(OTHERS | CIRCLED | STYLED | WIDE)
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0f\ufeff\u00ad]")
ESCAPED = re.compile(r"\\(?=[\[\]()])|\r")
BULLET = re.compile(r"\s*(?:[-+*•–—][ \t]+|(?P<number>\(?\d{1,3}[.):][ \t]*)|#+[ \t]+)")
MOST_BULLETS = 4
STRUCK = re.compile(r"~~[^~\n]{1,200}~~")
HTML = re.compile(r"<(/?)(strong|b|mark|em|i|u|code|pre|p|div|span|h[1-6]|[uo]l|li|section|html|body)\b[^<>\n]{0,200}>")
BOX = re.compile(r"(?<=[-*+•] )\[([ xX])\](?= )")
SET_APART = {"strong": "**", "b": "**", "mark": "**", "code": "`"}
MARKS = re.compile(r"\\[A-Za-z]{2,12}(?=\s*\{)|\\[\[\]()]|[*`#>\[\]{}$\"“”]|(?<!\w)_|_(?!\w)")


def shown_plainly(part: Part) -> Part:
    """Return a text with unusual characters and HTML replaced, and struck-out text blanked."""
    text = STRUCK.sub(lambda struck: " " * len(struck.group()), part.text) if "~~" in part.text else part.text
    if "\\" in text or "\r" in text:
        text = ESCAPED.sub(" ", text)
    if "] " in text:
        text = BOX.sub(lambda box: "❌  " if box[1] == " " else "✅  ", text)
    if "</" in text:
        text = HTML.sub(_as_marks, text)
    return Part(text if text.isascii() else text.translate(PLAIN), part.start)


def _as_marks(tag: re.Match[str]) -> str:
    """Return an HTML tag as the mark for bold or code that it stands for, beside its content; or as spaces."""
    mark = SET_APART.get(tag[2], "")
    return mark.ljust(len(tag[0])) if tag[1] else mark.rjust(len(tag[0]))


def without_hidden(reply: str) -> tuple[str, list[int] | None]:
    """Return a text without invisible characters, and the original position of each remaining one (None: unchanged).

    >>> without_hidden("An\u200bswer")[0], without_hidden("Answer")
    ('Answer', ('Answer', None))
    """
    if reply.isascii() or not HIDDEN.search(reply):
        return reply, None
    places = [position for position, sign in enumerate(reply) if not HIDDEN.match(sign)]
    return "".join(reply[position] for position in places), [*places, len(reply)]


def bare(part: Part) -> Part:
    """Return a text with formatting marks blanked: bold, headings, quotes, square and curly brackets, boxes."""
    return Part(MARKS.sub(lambda mark: " " * len(mark.group()), part.text), part.start)


def without_bullets(line: str, *, numbers: bool = True) -> str:
    """Return a line without leading bullets and heading marks, and without numbers unless they are wanted.

    >>> without_bullets(" - 2) cup"), without_bullets("2 cups")
    ('cup', '2 cups')
    """
    at = 0
    for _ in range(MOST_BULLETS):
        if not (bullet := BULLET.match(line, at)) or (bullet["number"] and not numbers):
            break
        at = bullet.end()
    return line[at:]
