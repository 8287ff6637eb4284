"""Location of the answer in a reply: after the last label with text behind it, else anywhere.

>>> section = answer_section("The cup comes first.\\n**Final answer:** [cup]")
>>> section.part.text, section.label
(' [cup]', '**Final answer:**')
>>> answer_section("[cup]").label is None
True
>>> answer_section("<think>[cup]")
Unreadable(reason='the reasoning never ends')

A label is at the start of a line or sentence: ``Final answer:``, ``Answer:``, ``Final graph(s):``, ``答案：``,
``Antwort:``, with or without bold or heading marks; ``Final answer`` alone on a line counts too, and so does an
``<answer>`` tag.

Code fences around an answer are removed:

>>> without_fences(Part("Here:\\n```json\\n[1]\\n```\\nDone.")).text.split()
['Here:', '[1]', 'Done.']
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from tsgkit.replies.characters import LETTERS
from tsgkit.replies.reasoning import FINAL, TAG, spoken
from tsgkit.replies.spans import Part, Unreadable

MARK = re.compile(r"(?:```+|~~~+)(?:[ \t]*[A-Za-z][\w+-]{0,20}(?=[ \t]*$)|[a-z]{1,20}(?=\s*[\[{\"]))?", re.MULTILINE)


def without_fences(part: Part) -> Part:
    """Blank the fence marks and language names; all positions stay valid."""
    if "```" not in part.text and "~~~" not in part.text:
        return part
    return Part(MARK.sub(lambda mark: " " * len(mark.group()), part.text), part.start)


MARKS = r"[*_ \t]{0,6}(?:(?:[:：=⇒→]|[–—-]>?(?!-))[*_]{0,3}|$)"
ARROW = r"(?:-{1,3}>|[→➔➜➝➞➡⟶⟹]\ufe0f?)(?![^\n]{0,200}(?:->|[→➔➜➝➞➡⟶⟹]))"
"""An arrow after a label; with another one on the line it belongs to a triplet."""
COLON = rf"[*_ \t]{{0,6}}(?:[:：=]|[–—-](?![->])|⇒|{ARROW})[*_]{{0,3}}"
PLAIN = (
    r"(?:(?:correct|right|best|selected|chosen)[ \t])?(?:answer|option|choice)(?:[ \t]is)?|selected|chosen|ans"
    r"|my[ \t]response|(?:(?:my|best)[ \t])(?:pick|vote|guess)|verdict|正解|解答|答え|정답|risposta|resposta|ответ"
    r"|(?:正确)?(?:答案|选项)(?:是|为)?|回?答"
    r"|(?:richtige[ \t])?antwort|respuesta(?:[ \t]correcta)?|réponse(?:[ \t]correcte)?"
)
BEFORE = (
    r"(?:^(?:[-+*][ \t]++|\d{1,3}[.)][ \t]++)?[#>*_✅ \t]{0,12}|(?<=[.!?][ \t])|(?<=[。！]))"
    r"(?:(?:the|my|die|der|la|mi|here[ \t]is)[ \t])?"
)
LABEL = re.compile(
    rf"{BEFORE}(?:(?P<final>{FINAL}){MARKS}|(?:{PLAIN}){COLON})"
    r"|^[ \t]*(?:#{1,6}[ \t]+|\*\*[ \t]*)(?:answer|答案|antwort|respuesta|réponse)[*_ \t]{0,6}$"
    rf"|(?P<tag>{TAG})",
    re.IGNORECASE | re.MULTILINE,
)
IN_LABELS = (
    "answer", "final", "option", "choice", "ans", "response", "correct", "revised", "<output",
    "pick", "vote", "guess", "verdict", "select", "chosen",
    "答", "选项", "正解", "정답", "risposta", "resposta", "ответ", "antwort", "respuesta", "réponse",
)  # fmt: skip
"""Every label contains one of these; a text without them is not searched."""
QUESTION = re.compile(
    r"(?:^[#>*_ \t]{0,12}|(?<=[.!?][ \t]))(?:(?:(?:next|new|another)[ \t])?"
    r"(?:question|frage|pregunta)[ \t]*#?\d{0,3}[*_ \t]{0,4}(?:[:：]|$)|(?:q\d{0,3}|user|human|instruction)[*_]{0,2}:)",
    re.IGNORECASE | re.MULTILINE,
)
"""The head of a question that a reply repeats, or makes up behind its answer."""
ECHO = re.compile(r"\s*+[*_]{0,2}q[*_]{0,2}:[^\n]{1,500}?\s[*_]{0,2}a[*_]{0,2}:", re.IGNORECASE)
"""A repeated question with the letter before its answer: ``Q: What was lifted? A:``."""
EXAMPLE = re.compile(
    r"^[^\n]{0,60}\bexamples?(?:[ \t]#?\d{1,2})?[*_ \t]*+(?:[:：][*_ \t]*+)?$", re.IGNORECASE | re.MULTILINE
)
ACTUAL = re.compile(
    r"^[^\n]{0,40}\b(?:actual|new|real|current|given|your|this)[ \t](?:question|item|case|problem|task|input)\b[^\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line behind worked examples, which leads to what was asked."""
ENDS = re.compile(r"</(?:final_?)?(?:answer|output|final|response)>", re.IGNORECASE)


class Section(NamedTuple):
    """The part of a reply that holds the answer, and its label (None: the whole reply)."""

    part: Part
    label: str | None


def answer_section(reply: str, *, keeps_corrections: bool = False) -> Section | Unreadable:
    """Return the text after the last answer label, or the whole reply outside its reasoning if there is none.

    ``keeps_corrections``: a correction belongs to the answer that it corrects.
    """
    answer = spoken(reply)
    if isinstance(answer, Unreadable):
        return answer
    labels = [label for label in labels_in(answer) if not (keeps_corrections and label["corrected"])]
    if not labels:
        return Section(answer, None)
    end = len(answer.text.rstrip())
    written = [label for label in labels if label.end() < end]
    if not written:
        return Section(without_labels(answer), None)
    return Section(behind(answer, written[-1], len(answer.text)), written[-1].group().strip())


def labels_in(part: Part) -> list[re.Match[str]]:
    """Return all answer labels of a text, in order."""
    text = part.text if part.text.isascii() else part.text.translate(LETTERS)
    folded = text.lower()
    return list(LABEL.finditer(text)) if any(map(folded.__contains__, IN_LABELS)) else []


def behind(part: Part, label: re.Match[str], end: int) -> Part:
    """Return the text after a label up to a position; a tag ends where it is closed."""
    rest = part.cut(label.end(), end)
    closed = ENDS.search(rest.text) if label.group().lower().startswith("<answer") else None
    return rest.cut(0, closed.start()) if closed else rest


def about_the_question(part: Part, answers: Callable[[Part], object]) -> Part:
    """Return a text without worked examples before what was asked, and without further questions behind its answer.

    Where the first line ``answers``, a base model may go on with questions that it makes up.
    """
    if "xample" in part.text and (example := EXAMPLE.search(part.text)):
        leads = [lead.start() for lead in ACTUAL.finditer(part.text, example.end())]
        if leads and labels_in(part.cut(example.end(), leads[-1])):
            part = part.cut(leads[-1])
    if ":" in part.text and (echo := ECHO.match(part.text)):
        part = part.cut(echo.end())
    question = QUESTION.search(part.text)
    lines = part.cut(0, question.start()).lines() if question else []
    return part.cut(0, question.start()) if question and lines and answers(without_labels(lines[0])) else part


def without_labels(part: Part) -> Part:
    """Blank all answer labels of a text."""
    return Part(LABEL.sub(_blank, part.text), part.start) if labels_in(part) else part


def _blank(label: re.Match[str]) -> str:
    return " " * len(label.group())
