r"""A line of a reply: its characters made usual, the words before its content, the names in it, and notes about it.

Unusual characters are full-width, LaTeX, HTML, invisible or struck out:

>>> plain("（person，verb，lift）").text, plain(r"$\text{lift} \xrightarrow{dobj} \text{pot}$").text
('(person, verb, lift)', 'lift -dobj-> pot')

Names lose the decoration around them, and some texts are no names:

>>> cleaned(' **"pick-up"**, '), fault_of(["pick-up", "dobj", "the cup that I used"]), fault_of(["lift", "dobj", "..."])
('pick-up', 'a sentence between arrows, not a name', 'an empty name between arrows')

Before the content stand bullets, numbers, labels of graphs, titles:

>>> line = "- **Graph 2:** person -> verb -> wash"
>>> lead = lead_of(line)
>>> line[lead.end :], lead.opens_graph, lead.repairs
('person -> verb -> wash', True, ('bullet', 'label'))

Every step is linear in the length of the line: all patterns are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

from tsgkit.graph.model import DOBJ, PERSON, VERB, Triplet
from tsgkit.lexicon.folding import word_set
from tsgkit.replies.characters import LETTERS

LONGEST_QUOTE = 120


class Note(NamedTuple):
    """A note about a line (from 1): repaired, unread although it looks like triplets, or ignored; with the reason."""

    line: int
    kind: Literal["repaired", "unread", "ignored"]
    reason: str
    text: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind}: {self.reason}" + (f": {self.text!r}" if self.text else "")


class FoundTriplet(NamedTuple):
    """A triplet and its line."""

    triplet: Triplet
    line: int

    @property
    def names_action(self) -> bool:
        """True for a person-verb triplet, which names a graph's action."""
        return names_action(self.triplet)


Block = list[FoundTriplet]


class Line(NamedTuple):
    """The content of a line: its triplets and repairs, and the reason why it, or its rest, has none.

    With ``looks_like_triplets`` the reason counts as unread, else as ignored; with ``is_break`` a graph begins.
    """

    triplets: tuple[Triplet, ...] = ()
    repairs: tuple[str, ...] = ()
    ignored: str = ""
    is_break: bool = False
    looks_like_triplets: bool = False


class Placed(NamedTuple):
    """A line of a multi-line form: its offset from the first line, and its content."""

    offset: int
    line: Line


Form = list[Placed]
"""Several lines that are read together, every non-blank one of them placed; empty where there is no such form."""


def names_action(triplet: Triplet) -> bool:
    """Return whether this is a person-verb triplet."""
    return triplet.source.lower() == PERSON and triplet.edge.lower() == VERB


def is_whole_graph(triplets: Collection[Triplet]) -> bool:
    """Return whether triplets written together, on one line or in one string, are more than a part of a graph."""
    return len(triplets) > 1 and any(map(names_action, triplets))


def names_known_edge(triplets: Collection[Triplet]) -> bool:
    """Return whether one triplet has ``verb``, ``dobj`` or a preposition in its middle, as no list of things has.

    >>> names_known_edge([Triplet("knife", "board", "onion")]), names_known_edge([Triplet("cut", "with", "knife")])
    (False, True)
    """
    return any(is_known_edge(edge) for _, edge, _ in triplets)


def is_known_edge(name: str) -> bool:
    """Return whether a name is ``verb``, ``dobj`` or a preposition.

    >>> is_known_edge("dobj"), is_known_edge("next-to"), is_known_edge("lid")
    (True, True, False)
    """
    from tsgkit.lexicon.prepositions import is_preposition

    return name.lower() in (VERB, DOBJ) or is_preposition(name)


def repaired(line: int, reason: str, text: str = "") -> Note:
    """Return a note about something understood although it was not written as asked."""
    return Note(line, "repaired", reason, quoted(text))


def ignored(line: int, reason: str, text: str = "") -> Note:
    """Return a note about something that became no part of any graph."""
    return Note(line, "ignored", reason, quoted(text))


def unread(line: int, reason: str, text: str = "") -> Note:
    """Return a note about text that looks like triplets and could not be read."""
    return Note(line, "unread", reason, quoted(text))


def quoted(text: str) -> str:
    """Return a line as a note keeps it: trimmed, and not endless."""
    text = text.strip()
    return text if len(text) <= LONGEST_QUOTE else text[:LONGEST_QUOTE] + "..."


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
        if (changed := text.translate(LETTERS)) != text:
            text = changed
            repairs.append("full-width or styled letters")
        changed = NUMBERED.sub(r"\1. ", text).translate(MARKS)
        if changed != text:
            text = changed
            repairs.append("full-width marks")
    if "$" in text or ("\\" in text and COMMAND.search(text)):
        changed = text
        for pattern, to in LATEX_STEPS if "\\" in text else ():
            changed = pattern.sub(to, changed)
        changed = changed.replace("$", "")
        if changed != text:
            text = changed
            repairs.append("LaTeX")
    if "&" in text and (changed := text.replace("&gt;", ">").replace("&lt;", "<").replace("&amp;", "&")) != text:
        text = changed
        repairs.append("HTML")
    if "<" in text and LINE_END.search(text):
        text = LINE_END.sub("; ", text)
        repairs.append("HTML")
    if "~~" in text and not text.lstrip().startswith("~~~"):
        text = STRUCK.sub("", text)
        repairs.append("struck out")
    return Plain(text.strip(), tuple(repairs))


MOST_WORDS = 5
MOST_WORDS_IN_A_ROW = 3
QUOTES = ("**", "__", "*", "`", '"', "'", "“", "”", "‘", "’", "«", "»")
QUOTE_MARKS = frozenset("".join(QUOTES))
BRACKETS = (("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"))
BRACKET_MARKS = frozenset("(){}[]<>")
BLANKS = frozenset("._…?* ")
"""Marks for a missing name."""
QUESTION = "a question, not a triplet"
ECHO = "the format of a triplet, not one"
FORMAT_ENDS = frozenset({"action", "entity", "node", "object", "source", "subject", "target"})
FORMAT_ENDS_OF_AN_EDGE = FORMAT_ENDS | {
    "dst", "hand", "head", "location", "node1", "node2", "obj", "place", "src", "subj", "tail", "thing", "tool", "verb"
}  # fmt: skip
FORMAT_EDGES = frozenset({"edge", "label", "predicate", "prep", "preposition", "rel", "relation", "relationship"})
FORMAT_ENDS_IN_MARKS = FORMAT_ENDS | {"hand", "verb"}
IN_MARKS = re.compile(r"[<\[{]{1,2}\s?([A-Za-z]+)\s?[>\]}]{1,2}")
NODE_ID = re.compile(r"\d{1,3}|[A-Za-z]|(?:[A-Za-z]\d{1,3}){1,3}|(?:n|N|node|Node|id|v|V)[_-]?\d{1,3}")
"""The ids that diagrams give to nodes whose names are their labels."""
PROSE = word_set(
    "i i'm i've we you he she they it it's its this that these those there here is are was were been be has have had",
    "would should could because since so then therefore which who whose what while but not only instead used changed",
    "replaced added removed omitted expected means ich wir weil ist sind war wird wurde habe dass je nous parce est",
    "porque",
)
"""Words of sentences: a name of several words holds none of them."""
EDITS = ("delete ", "remove ", "replace ", "drop ", "omit ")
STATEMENT = re.compile(r"(?:create|merge|match)\s?\(", re.IGNORECASE)
OF_A_GRAPH = re.compile(r"\s(?:from|in|of|to)\s(?:the\s)?(?:\w{1,9}\s)?graph\b", re.IGNORECASE)
NO_BARE_NAME = frozenset("[](){}<>=")
INTERJECTIONS = word_set("also and but first finally next no now ok okay so sure then thus well yes")


def cleaned(name: str) -> str:
    """Return a name without decoration: quotes, bold, brackets, a final comma or period.

    >>> cleaned(' **"pick-up"**, '), cleaned("(cup"), cleaned("bolt (large)")
    ('pick-up', 'cup', 'bolt (large)')
    """
    for _ in range(8):
        if name[:1].isalnum() and name[-1:].isalnum():
            break
        before = name
        name = name.strip().rstrip(",;").rstrip()
        if name.endswith(".") and not name.endswith(".."):
            name = name[:-1]
        for step in (_without_quotes, _without_brackets):
            name = step(name)
        if name == before:
            break
    return name


def _without_quotes(name: str) -> str:
    if name[:1] not in QUOTE_MARKS and name[-1:] not in QUOTE_MARKS:
        return name
    for quote in QUOTES:
        if len(name) > 2 * len(quote) and name.startswith(quote) and name.endswith(quote):
            return name[len(quote) : -len(quote)]
        if name.startswith(quote) and quote not in name[len(quote) :]:
            return name[len(quote) :]
        if name.endswith(quote) and quote not in name[: -len(quote)] and quote != "'":
            return name[: -len(quote)]
    return name


def _without_brackets(name: str) -> str:
    if name[:1] not in BRACKET_MARKS and name[-1:] not in BRACKET_MARKS:
        return name
    for opening, closing in BRACKETS:
        if name.startswith(opening) and (name.endswith(closing) or closing not in name):
            return name[1:].removesuffix(closing)
        if name.endswith(closing) and opening not in name:
            return name[:-1]
    return name


def fault_of(names: Sequence[str]) -> str:
    """Return why three cleaned names between arrows make no triplet; empty where they do."""
    if not all(names) or any(set(name) <= BLANKS for name in names):
        return "an empty name between arrows"
    text = "".join(names)
    if "?" in text:
        return QUESTION
    if " " not in text and "|" not in text:
        return ""
    if ": " in names[0]:
        return "words with a colon before a triplet"
    if "|" in text:
        return "a bar in a name"
    if names[0].lower().startswith(EDITS) or OF_A_GRAPH.search(names[2]):
        return "an edit of a triplet in words"
    if any("{" in name for name in names) or STATEMENT.match(names[0]):
        return "a statement of a query language, not a name"
    if any(name.count(" ") >= MOST_WORDS for name in names) or is_prose(names[0]) or is_prose(names[2]):
        return "a sentence between arrows, not a name"
    return ""


def is_prose(name: str) -> bool:
    """Return whether a name is a part of a sentence, by the words in it."""
    return " " in name and not PROSE.isdisjoint(name.lower().split())


def is_short(name: str) -> bool:
    """Return whether this may be a name without anything around it that says so."""
    if name.lower() in INTERJECTIONS or name.lower() in PROSE or not NO_BARE_NAME.isdisjoint(name):
        return False
    return bool(name) and name.count(" ") < MOST_WORDS_IN_A_ROW and not is_prose(name) and not set(name) <= BLANKS


def is_echo(triplet: Triplet) -> bool:
    """Return whether this repeats the format of a triplet: ``source -> edge -> target``, ``action -> dobj ->
    object``."""
    if (target := triplet.target.lower()) not in FORMAT_ENDS_OF_AN_EDGE:
        return False
    ends = FORMAT_ENDS_OF_AN_EDGE if triplet.edge.lower() in FORMAT_EDGES else FORMAT_ENDS
    return target in ends and triplet.source.lower() in ends


def has_placeholder(parts: Sequence[str]) -> bool:
    """Return whether a name is a placeholder of the format: ``<action>``, ``[object]``.

    >>> has_placeholder(["person", "verb", "<action>"]), has_placeholder(["<person>", "[verb]", "lift"])
    (True, False)
    """
    for position, part in enumerate(parts):
        match = IN_MARKS.fullmatch(part.strip()) if part.strip()[:1] in ("<", "[", "{") else None
        if match and match.group(1).lower() in (FORMAT_EDGES if position == 1 else FORMAT_ENDS_IN_MARKS):
            return True
    return False


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
