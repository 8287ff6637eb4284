"""What a question asks: the kind of name it wants, which step, and where that step lies in time.

>>> asked = parse("What tool was last used before the lid was opened?")
>>> asked.kind, asked.order, asked.clauses
('tool', 'last', (Clause(relation='before', words=('lid', 'opened'), order='', near=False),))
>>> parse("Right after rinsing the jar, which hand was free?").clauses
(Clause(relation='after', words=('rinsing', 'jar'), order='', near=True),)

A question is cut at its words of time (before, after, between ...). What stands before the first of them, or behind
the question word where the question opens with one, tells the step that is asked for; each other part tells a step
to start from. Short tables, no grammar: the parts are bags of words.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.baselines.wording import FUNCTION_WORDS, words

RELATIONS = {
    "before": "before",
    "prior": "before",
    "until": "before",
    "preceded": "before",
    "preceding": "before",
    "after": "after",
    "following": "after",
    "followed": "after",
    "since": "after",
    "once": "after",
    "between": "between",
    "while": "while",
    "when": "while",
    "during": "while",
    "as": "while",
}
KINDS = {
    "object": word_set("object item thing"),
    "hand": word_set("hand"),
    "tool": word_set("tool instrument utensil implement"),
    "action": word_set("action step movement"),
    "place": word_set("place location surface container where spot"),
}
WH = word_set("what which where who how")
FIRST = word_set("first initial initially begin beginning start started opening earliest")
LAST = word_set("last final finally end ending latest eventually ultimately")
NEAR = word_set("immediately directly right just straight next immediate")
MOST = word_set("most repeatedly often frequently frequent consistently primary main")
UNTELLING = FUNCTION_WORDS | FIRST | LAST | NEAR | MOST | word_set("hands both only again very time times much many more")
UNTELLING |= word_set("action step tool location place surface object performed done involved handled touched manipulated")
UNTELLING |= word_set("interaction interacted interact sequence required any every happened happens came come comes to by")
UNTELLING |= word_set("with in on at into onto from same common two scene whole story process entire later earlier")


class Clause(NamedTuple):
    """A part of a question that tells a step to start from, and how the wanted step lies to it."""

    relation: str
    words: tuple[str, ...]
    order: str = ""
    near: bool = False


class Asked(NamedTuple):
    """A question, taken apart."""

    kind: str
    order: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    said: tuple[str, ...]
    """All its words."""

    @property
    def about_most(self) -> bool:
        """Whether what occurs most is wanted."""
        return not MOST.isdisjoint(self.said)

    @property
    def about_both(self) -> bool:
        """Whether what two steps have in common is wanted."""
        return "common" in self.said or ("both" in self.said and not {"hand", "hands"} & set(self.said))


def parse(question: str) -> Asked:
    """A question, taken apart."""
    said = words(question)
    parts = _parts(said)
    main = next((part for part in parts if not part[0]), ("", said, False))[1]
    clauses = tuple(clause for relation, part, near in parts if relation for clause in _clauses(relation, part, near))
    return Asked(_kind(main), _order(main), telling(main), clauses, said)


def telling(part: Sequence[str]) -> tuple[str, ...]:
    """The words that can occur in a graph."""
    return tuple(
        "both-hands" if word == "both" and following in ("hands", "hand") else word
        for word, following in zip(part, (*part[1:], ""), strict=True)
        if word not in UNTELLING or (word == "both" and following in ("hands", "hand"))
    )


Part = tuple[str, tuple[str, ...], bool]


def _parts(said: tuple[str, ...]) -> list[Part]:
    """Relation, words and nearness of each part; the relation of the main part is empty."""
    parts: list[Part] = []
    relation, start, near = "", 0, False
    for place, word in enumerate((*said, "")):
        opens_main = relation and word in WH and not any(not part[0] for part in parts)
        if word and word not in RELATIONS and not opens_main:
            continue
        if place > start and (relation or place > 1 or word not in RELATIONS):
            parts.append((relation, said[start:place], near))
        near = place > 0 and said[place - 1] in NEAR
        relation, start = ("", place) if opens_main else (RELATIONS.get(word, ""), place + 1)
    return parts


def _clauses(relation: str, part: tuple[str, ...], near: bool) -> list[Clause]:
    if relation != "between" or "and" not in part:
        return [Clause(relation, telling(part), _order(part), near)]
    cut = part.index("and")
    start, end = part[:cut], part[cut + 1 :]
    return [Clause("after", telling(start), _order(start), near), Clause("before", telling(end), _order(end), near)]


def _kind(main: tuple[str, ...]) -> str:
    """What is asked for: the first telling noun behind the question word."""
    opening = main[: 5 if main[:1] and main[0] in WH else 8]
    for word in opening:
        for kind, names in KINDS.items():
            if word in names or word.removesuffix("s") in names:
                return kind
    if "do" in main and main[-1:] == ("do",) or ("did" in main and "do" in main):
        return "action"
    return "tool" if {"with", "using"} & set(main[:2]) or main[-1:] == ("with",) else "object"


def _order(part: tuple[str, ...]) -> str:
    if not FIRST.isdisjoint(part):
        return "first"
    return "last" if not LAST.isdisjoint(part) else ""
