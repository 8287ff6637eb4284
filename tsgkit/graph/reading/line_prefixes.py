"""Words before the content of a line: bullets, numbers, graph labels, titles.

>>> line = "- **Graph 2:** person -> verb -> wash"
>>> lead = lead_of(line)
>>> line[lead.end :], lead.opens_graph, lead.repairs
('person -> verb -> wash', True, ('bullet', 'label'))

Every step is linear in the length of the line: all patterns are bounded.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

# The look-behind lets a long run of dashes be tried once, at its start.
ARROW = re.compile(r"(?<![-=–—])[-=–—]+>|[→⟶➔➜➝➞⇒⟹↦]")
MOST_PREFIXES = 4
MOST_BEFORE_A_LABEL = 20
BRACKETS_OPEN = ("[", "{", "(")
PREFIX = re.compile(
    r"(?P<bullet>[-*+•·‣◦–—>✅✔✓☑●○▪➢][ \t]+)|(?P<numbering>\(?(?:\d{1,6}|[a-z])[.):][ \t]+)|(?P<heading>#{1,6}[ \t]+)"
    r"|(?P<label>[*_]{0,3}(?:triplet|triple|edge|relation(?:ship)?)s?[ \t]{0,3}#?\d{0,6}[*_ \t]{0,4}:[*_]{0,3}[ \t]*)",
    re.IGNORECASE,
)
GRAPH = (
    r"(?:(?:scene|action|sub)[ \t_-]?)?(?:graphe?|action|step|scene|block|event|szenengraph|aktion|schritt|grafo|paso"
    r"|(?:场景|动作)?图|动作|步骤|g(?=\d))"
)
NUMBER = r"[ \t_-]{0,3}[#(]?\d{1,6}\)?[*_]{0,3}"
TITLE_WORDS = r"[^][{}()<>\":=\n]{0,60}"
IN_BRACKETS = r"\([^][{}()<>\":\n]{0,60}\)"
GRAPH_LABEL = re.compile(
    rf"[*_`\"' \t]{{0,4}}{GRAPH}(?:"
    rf"s?(?:{NUMBER}(?:[ \t.,–—-]{TITLE_WORDS})?|[ \t]{{0,3}})(?:{IN_BRACKETS})?[*_`\"' \t]{{0,4}}"
    rf"(?:[:：]|=(?![=>]))[*_ \t]{{0,4}}"
    rf"|{NUMBER}[ \t]{{0,3}}[.)–—-][*_]{{0,3}}[ \t]+)",
    re.IGNORECASE,
)
"""``Graph 1:``, ``graph_1 =``, ``**Action 2 (wash)**:``, ``Step 3 - wash it:``, ``Graph 1 -``."""
GRAPH_KEY = re.compile(rf"{GRAPH}s?[ \t_-]{{0,3}}\d{{1,6}}", re.IGNORECASE)
"""The name of a field that holds one graph of several."""
GRAPH_LABEL_WITHIN = re.compile(
    rf"(?<![\w-]){GRAPH}{NUMBER}(?:[ \t.,–—-]{TITLE_WORDS})?(?:{IN_BRACKETS})?[*_ \t]{{0,4}}"
    r"[:：](?=[*_ \t]{0,4}[^\s)\]}>,;])",
    re.IGNORECASE,
)
"""The label of a further graph on a line."""
ENDS_OF_STATEMENTS = frozenset(".,;|)]}。，；、")
TITLE = re.compile(
    rf"([^][{{}}()<>|\":\n]{{1,100}}+(?:{IN_BRACKETS}[*_ \t]{{0,4}})?):[*_]{{0,3}}(?:[ \t]+|(?=[\[({{]))"
)
WORDS_BEFORE_LISTS = re.compile(r"([^][{}()\n\"]{1,120})(?=\[\s*[\[({\"])")
"""Words before text that can only be a list of lists or strings."""
CROSSES = frozenset("❌✗✘✖🚫❎")
DENYING = (
    r"(?:do )?not\b(?! (?:forget|sure|only))|don['’]t\b|never\b(?! mind)|incorrect|wrong|avoid(?!ing)|bad\b"
    r"|instead\sof\b(?=\W{0,4}\Z)|counter-?examples?\b|falsch|nicht\b|错误|不要"
    r"|(?:for )?example\b|e\.g\b|beispiel|例如|示例"
)
DENIES = re.compile(rf"\W{{0,6}}(?:{DENYING})", re.IGNORECASE)
"""Words before graphs that are wrong, or an example."""
DOUBTS = re.compile(
    rf"\W{{0,4}}(?:{DENYING}|instead\b|(?:output )?format\b|template\b|notes?\b|remark|explanation|reason(?:ing|s)?\b"
    r"|(?:original|before|removed|missing)\W{0,4}\Z|omitted\b|deleted\b|hinweis|anmerkung|nota\b|注意|备注|说明|格式)",
    re.IGNORECASE,
)


class Lead(NamedTuple):
    """The words before a line's content, and the column where the content begins."""

    end: int = 0
    repairs: tuple[str, ...] = ()
    opens_graph: bool = False
    title: str = ""

    @property
    def needs_proof(self) -> bool:
        """Say whether a list of three names behind it may be nodes as well as a triplet."""
        return self.opens_graph or bool(self.title)

    @property
    def is_doubtful(self) -> bool:
        """True if the title denies what follows, or marks it as an example."""
        return DOUBTS.match(self.title) is not None

    @property
    def is_entry(self) -> bool:
        """Say whether a number or a title makes the line one item of several."""
        return bool(self.title) or "numbering" in self.repairs


@lru_cache(maxsize=4)
def lead_of(line: str) -> Lead:
    """Return the lead of a line, an empty one where the line is all content."""
    repairs: dict[str, None] = {}
    end = _behind_prefixes(line, len(line) - len(line.lstrip()), repairs)
    label, title = _match(GRAPH_LABEL, line, end), None
    if label:
        repairs["label"] = None
        end = _behind_prefixes(line, label.end(), repairs)
    if "label" not in repairs or label:
        title = _match(TITLE, line, end)
    if title:
        repairs["label"] = None
        end = title.end()
    return Lead(end, tuple(repairs), bool(label), title.group(1) if title else "")


def lead_before_brackets(line: str) -> Lead | None:
    """Return the lead of a line whose content begins with a bracket; None for other lines."""
    lead = lead_of(line)
    if line[lead.end : lead.end + 1] in BRACKETS_OPEN:
        return lead
    if "[" in line and (words := WORDS_BEFORE_LISTS.match(line)):
        return Lead(words.end(), ("label",), GRAPH_LABEL.match(words.group()) is not None, words.group())
    return None


def segments(line: str) -> list[str]:
    """Part a line before the label of every further graph.

    >>> segments("Graph 1: person -> verb -> lift. Graph 2: person -> verb -> place")
    ['Graph 1: person -> verb -> lift. ', 'Graph 2: person -> verb -> place']
    """
    starts = [0]
    for match in GRAPH_LABEL_WITHIN.finditer(line) if ":" in line or "：" in line else ():
        near = line[max(starts[-1], match.start() - MOST_BEFORE_A_LABEL) : match.start()]
        bare = near.rstrip("#*_(")
        words = near.rstrip(" \t#*_(")
        if words and (words[-1] in ENDS_OF_STATEMENTS or bare != near):
            starts.append(match.start() - len(near) + len(bare))
    return [line[start:end] for start, end in zip(starts, [*starts[1:], len(line)], strict=True)]


def _match(pattern: re.Pattern[str], line: str, start: int) -> re.Match[str] | None:
    match = pattern.match(line, start)
    return None if match is None or ARROW.search(match.group()) else match


def _behind_prefixes(line: str, start: int, repairs: dict[str, None]) -> int:
    for _ in range(MOST_PREFIXES):
        if (match := PREFIX.match(line, start)) is None:
            break
        repairs["heading marks" if match.lastgroup == "heading" else match.lastgroup or ""] = None
        start = match.end()
    return start
