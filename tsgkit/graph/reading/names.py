"""Names in model replies: decoration around them, and texts that are no names.

>>> cleaned(' **"pick-up"**, '), fault_of(["pick-up", "dobj", "the cup that I used"]), fault_of(["lift", "dobj", "..."])
('pick-up', 'a sentence between arrows, not a name', 'an empty name between arrows')
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tsgkit.graph.model import Triplet
from tsgkit.lexicon.tables import word_set

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
    for place, part in enumerate(parts):
        match = IN_MARKS.fullmatch(part.strip()) if part.strip()[:1] in ("<", "[", "{") else None
        if match and match.group(1).lower() in (FORMAT_EDGES if place == 1 else FORMAT_ENDS_IN_MARKS):
            return True
    return False
