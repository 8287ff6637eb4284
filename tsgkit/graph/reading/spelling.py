r"""Lines with unusual characters: full-width, LaTeX, HTML, invisible or struck-out text.

>>> plain("（person，verb，lift）").text, plain(r"$\text{lift} \xrightarrow{dobj} \text{pot}$").text
('(person, verb, lift)', 'lift -dobj-> pot')
"""

from __future__ import annotations

import re
from typing import NamedTuple

from tsgkit.replies.characters import LETTERS

ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\u2060\ufeff]")
FULL_WIDTH = {mark: chr(ord(mark) - 0xFEE0) for mark in "！＃（）＊－．／＜＝＞［］＿｀｛｜｝"}
PUNCTUATION = {"，": ", ", "：": ": ", "；": "; ", "、": ", ", "。": ". "}
OTHER_MARKS = dict(zip("「」『』【】〔〕⟨⟩〈〉《》─━▶►▸│┃║\u3000", '""""[][]<><><>-->>>||| ', strict=True))
MARKS = str.maketrans(FULL_WIDTH | PUNCTUATION | OTHER_MARKS)
NUMBERED = re.compile(r"^(\s{0,8}\d{1,3})、\s{0,3}")
STRUCK = re.compile(r"~~[^~]{1,300}~~")
NAME = r"[^{}\\$]{1,120}"
WRAPPER = re.compile(rf"\\(?:text(?:bf|it|tt|sf|rm)?|math(?:rm|bf|it|tt|sf)|operatorname|boxed|mbox)\{{({NAME})\}}")
LATEX_STEPS = (
    (re.compile(r"\\_"), "_"),
    (WRAPPER, r"\1"),
    (re.compile(rf"[ \t]?\\xrightarrow\{{({NAME})\}}[ \t]?"), r" -\1-> "),
    (re.compile(rf"\\(?:overset|stackrel)\{{({NAME})\}}\{{\\(?:(?:long)?rightarrow|to)\}}"), r" -\1-> "),
    (re.compile(r"[ \t]?\\(?:(?:[Ll]ong)?[Rr]ightarrow|to|mapsto)(?![A-Za-z])[ \t]?"), " -> "),
    (WRAPPER, r"\1"),
    (re.compile(r"\\[()\[\]]|\\\\|\\(?:q?quad|[,;! ])|\\(?:left|right)(?=[(\[)\]])"), " "),
    (re.compile(r"\\(?:langle|rangle)|&(?!\w{1,8};)"), " "),
)
COMMAND = re.compile(r"\\(?:[A-Za-z]{2}|[()\[\]])")
LINE_END = re.compile(r"[ \t]?<br[ \t]?/?>[ \t]?", re.IGNORECASE)
OPEN_GROUP = re.compile(r"\\[A-Za-z]{2,20}\{")


class Plain(NamedTuple):
    """A line with usual characters, and the replacements made."""

    text: str
    repairs: tuple[str, ...] = ()


def plain(line: str) -> Plain:
    """Return the line trimmed, in the characters that triplets are usually written with."""
    text, repairs = line, []
    if not line.isascii():
        text = ZERO_WIDTH.sub("", line)
        if len(text) != len(line):
            repairs.append("invisible characters")
        if (other := text.translate(LETTERS)) != text:
            text = other
            repairs.append("full-width or styled letters")
        other = NUMBERED.sub(r"\1. ", text).translate(MARKS)
        if other != text:
            text = other
            repairs.append("full-width marks")
    if "$" in text or ("\\" in text and COMMAND.search(text)):
        other = _without_latex(text)
        if other != text:
            text = other
            repairs.append("LaTeX")
    if "&" in text and (other := text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")) != text:
        text = other
        repairs.append("HTML")
    if "<" in text and LINE_END.search(text):
        text = LINE_END.sub("; ", text)
        repairs.append("HTML")
    if "~~" in text and not text.lstrip().startswith("~~~"):
        text = STRUCK.sub("", text)
        repairs.append("struck out")
    return Plain(text.strip(), tuple(repairs))


def _without_latex(text: str) -> str:
    for pattern, to in LATEX_STEPS if "\\" in text else ():
        text = pattern.sub(to, text)
    return text.replace("$", "")
