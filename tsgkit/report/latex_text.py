r"""Text for LaTeX: nothing in it is a command, and pdfTeX can typeset all of it.

>>> print(escaped(r"50 % \input{x} é茶"))
50 \% \textbackslash{}input\{x\} é{[}U+8336{]}
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from tsgkit.report.plain_text import inert

SPECIAL = {
    **{letter: f"\\{letter}" for letter in "{}$&#_%"},
    **{letter: f"{{{letter}}}" for letter in "[]*"},
    "\\": "\\textbackslash{}",
    "^": "\\^{}",
    "~": "\\~{}",
    "`": "\\`{}",
    '"': "\\char34{}",
    "<": "\\textless{}",
    ">": "\\textgreater{}",
    "|": "\\textbar{}",
}
"""Characters to escape. Brackets and stars matter at line ends."""
ACCENTS = frozenset("\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030a\u030b\u030c\u0327")
LATIN = [chr(number) for number in range(0xC0, 0x180)]
ACCENTED = [
    letter for letter in LATIN if (base := unicodedata.normalize("NFD", letter))[0].isascii() and base[1:] in ACCENTS
]
TYPESET = frozenset([*ACCENTED, *"ÆæŒœØøŁłßıȘșȚț–—‘’“”"])
"""Characters beyond ASCII that pdfTeX typesets in its default encoding (OT1) and in T1."""
LIGATURE = re.compile(r"([-–'‘’,!?])(?=[-'‘’,])")
"""Pairs that fonts join into another character."""
MARK = re.compile(r"(\([-+?]\)|<=)")
MARKS = {"(-)": "$^{-}$", "(+)": "$^{+}$", "(?)": "$^{?}$", "<=": "$\\le$"}
"""Marks and signs in words of ours."""
SIGN = re.compile(r"(?<![\w.])([-+])(?=\d)")
WORD = re.compile(r"\S+")
ROOM = 10.5
"""The width of the words that fit at the end of any line, in em."""
BREAK = "\\allowbreak{}"
BREAK_AFTER = frozenset("/-_.:;,=&?@|")
WIDTHS = {0.28: "il.,:;'|![]", 0.4: "fjrst-I() _`", 0.51: '0123456789acegoz/*?$~^\\"{}', 0.56: "bdhknpquvxyJS"}
"""Letters by their width in em of Computer Modern."""
WIDEST, NUMBERED = 0.83, 4.6
"""The width of other letters, and of the number of a letter that pdfTeX lacks."""


def escaped(text: str) -> str:
    """Return text that LaTeX shows as it is; characters that pdfTeX lacks by their number."""
    return _unjoined("".join(_letters(text)))


def breakable(text: str, room: float = ROOM) -> str:
    """Return text as ``escaped`` does; words wider than the room, in em, may be broken between lines.

    >>> print(breakable("openai/gpt-4o"), breakable("openai/a-very-long-name"))
    openai/gpt-4o openai/\\allowbreak{}a-\\allowbreak{}very-\\allowbreak{}long-\\allowbreak{}name
    """
    clean = _shown(text)
    words = (word for word in WORD.finditer(clean) if width(word[0]) > room)
    inside = {position for word in words for position in range(word.start(), word.end() - 1)}
    pieces, since = list[str](), 0.0
    for position, piece in enumerate(_letters(text)):
        pieces.append(piece)
        since += _width(clean[position])
        if position in inside and (clean[position] in BREAK_AFTER or since >= room / 2):
            pieces.append(BREAK)
        if position not in inside or pieces[-1] is BREAK:
            since = 0.0
    return _unjoined("".join(pieces))


def figure(text: str) -> str:
    """Return a figure of ours: a minus is no hyphen, nothing is a dash, a mark is raised.

    >>> print(figure("-"), figure("-18.9"), figure("5.0 (+)"))
    -- $-$18.9 5.0$^{+}$
    """
    if text == "-":
        return "--"
    return "".join(
        f"${part}$" if position % 2 else words(part) for position, part in enumerate(SIGN.split(text)) if part
    ).replace(" $^", "$^")


def interval(text: str) -> str:
    """Return an interval of ours and its mark, in small letters.

    >>> print(interval("[-24.8, +1.0] (+)"))
    {\\scriptsize [$-$24.8, $+$1.0]$^{+}$}
    """
    inside = figure(text).replace("{[}", "[").replace("{]}", "]")
    return f"{{\\scriptsize {inside}}}" if text else ""


def words(text: str) -> str:
    """Return words of ours, in which marks are raised; blanks around them are kept as they are."""
    parts = enumerate(MARK.split(text))
    return "".join(
        MARKS[part] if position % 2 else _unjoined("".join(map(_letter, inert(part)))) for position, part in parts
    )


def comment(text: str) -> str:
    """Return a line that LaTeX skips."""
    return f"% {inert(text)}"


def width(text: str) -> float:
    """Return roughly how wide a text is, in em of Computer Modern.

    >>> 4.5 < width("exact_match") < 6
    True
    """
    return sum(map(_width, _shown(text)))


def _width(letter: str) -> float:
    """Return the width of the widest of the letters that are about as wide."""
    if not letter.isascii() and letter not in TYPESET:
        return NUMBERED
    base = unicodedata.normalize("NFD", letter)[0]
    return next((wide for wide, letters in WIDTHS.items() if base in letters), WIDEST)


def _shown(text: str) -> str:
    return unicodedata.normalize("NFC", inert(text))


def _letters(text: str) -> Iterator[str]:
    """Yield the characters of a text for LaTeX; blanks beside others and at the ends are kept."""
    clean = _shown(text)
    for position, letter in enumerate(clean):
        alone = 0 < position < len(clean) - 1 and clean[position - 1] != " "
        yield "\\ " if letter == " " and not alone else _letter(letter)


def _letter(letter: str) -> str:
    if letter in SPECIAL:
        return SPECIAL[letter]
    return letter if letter.isascii() or letter in TYPESET else f"{{[}}U+{ord(letter):04X}{{]}}"


def _unjoined(text: str) -> str:
    return LIGATURE.sub(r"\1{}", text)
