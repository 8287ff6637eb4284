"""Parser of questions: the kind of name that is asked for, the step, and its place in time.

>>> asked = parse("What tool was last used before the lid was opened?")
>>> asked.kind, asked.order, asked.clauses
('tool', 'last', (Clause(relation='before', words=('lid', 'opened'), order='', near=False),))
>>> parse("Right after rinsing the jar, which hand was free?").clauses
(Clause(relation='after', words=('rinsing', 'jar'), order='', near=True),)

A question is cut at its words of time (before, after, between ...), and at a comma before the question word. The
part with the question word, or the first, tells the step that is asked for; each other part tells a step to start
from. Short tables, no grammar: the parts are bags of words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tsgkit.lexicon import is_preposition
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.baselines.word_roots import FUNCTION_WORDS, words

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
    "moment": "while",
}
KINDS = {
    "object": word_set("object item thing"),
    "hand": word_set("hand"),
    "tool": word_set("tool instrument utensil implement"),
    "action": word_set("action step movement"),
    "place": word_set("place location surface container where spot"),
}
WH = word_set("what which where who how whose")
HAPPENS = word_set("done happens happen happened")
NEXT = word_set("next then later afterwards")
PRONOUN_ENDS: dict[tuple[str, ...], str] = {("done", "to"): "object", ("it", "with"): "tool", ("for", "it"): "tool"}
"""The kinds that the last words of a question about *it* ask for."""
BOTH_HANDS = (("both", "hands"), ("two", "hands"))
SOON = 3
"""The distance from its beginning within which a part has its question word."""
COMMA = re.compile(r"[,;:.]")
RELATIVE = re.compile(r"\b(?:in which|that had to do with|played a part)\b")
"""Words that say only that something is in a step."""
FIRST = word_set("first initial initially begin beginning start started opening earliest")
LAST = word_set("last final finally end ending latest eventually ultimately")
NEAR = word_set("immediately directly right just straight next immediate")
MOST = word_set("most repeatedly often frequently frequent consistently primary main")
UNTELLING = FUNCTION_WORDS.union(
    *(FIRST, LAST, NEAR, MOST, *KINDS.values()),
    word_set(
        "hands both only again very time times much many more same common two scene whole story process entire later",
        "earlier any every with in on at into onto from to by come comes came happen happens happened done performed",
        "involved handled touched manipulated interact interacted interaction sequence required something find look",
        "think go follow back",
    ),
)
"""Words of questions that describe no step."""


class Clause(NamedTuple):
    """A part of a question that names a reference step, and the relation of the wanted step to it."""

    relation: str
    words: tuple[str, ...]
    order: str = ""
    near: bool = False


class ParsedQuestion(NamedTuple):
    """A parsed question."""

    kind: str
    order: str
    words: tuple[str, ...]
    clauses: tuple[Clause, ...]
    preposition: str = ""
    """The preposition before the question word: onto *what*, from *where*."""
    said: tuple[str, ...] = ()
    """All its words."""

    @property
    def about_most(self) -> bool:
        """True if the most frequent answer is asked for."""
        return not MOST.isdisjoint(self.said)

    @property
    def about_both(self) -> bool:
        """True if two steps' common answer is asked for."""
        return "common" in self.said or ("both" in self.said and not {"hand", "hands"} & set(self.said))


class Part(NamedTuple):
    """Some words of a question, and the relation that opens them (empty for the part that asks)."""

    relation: str
    words: tuple[str, ...]
    near: bool = False


def parse(question: str) -> ParsedQuestion:
    """Return a question, taken apart."""
    parts = [part for part in _parts(question) if part.words]
    opened = (part for part in parts if not WH.isdisjoint(part.words[:SOON]))
    plain = (part for part in parts if not part.relation)
    asking = (*opened, *plain, *parts, Part("", ()))[0]
    main = asking.words
    clauses = tuple(clause for part in parts if part is not asking for clause in _clauses(part, main))
    place = next((place for place, word in enumerate(main) if word in WH), 0)
    last = ("-".join(main[-2:]), *main[-1:])
    preposition = next((name for name in (*main[:place][-1:], *last) if is_preposition(name) and name != "to"), "")
    return ParsedQuestion(_kind(main, preposition), _order(main), telling(main), clauses, preposition, words(question))


def telling(part: Sequence[str]) -> tuple[str, ...]:
    """Return the words that can occur in a graph; both hands are one of them."""
    following = (*part, "")[1:]
    joined = ("both-hands" if pair in BOTH_HANDS else pair[0] for pair in zip(part, following, strict=True))
    return tuple(word for word in joined if word not in UNTELLING)


def _parts(question: str) -> Iterator[Part]:
    """Yield the parts between commas and full stops that no question word precedes, cut at the words of time."""
    openings, rest = list[str](), RELATIVE.sub("", question)
    while (comma := COMMA.search(rest)) and WH.isdisjoint(words(rest[: comma.start()])):
        openings.append(rest[: comma.start()])
        rest = rest[comma.end() :]
    for part in (part for opening in openings for part in _cut(words(opening))):
        yield part if part.relation else part._replace(relation="after")
    yield from _cut(words(rest))


def _cut(said: tuple[str, ...]) -> Iterator[Part]:
    relation, start, near = "", 0, False
    for place, word in enumerate(said):
        if word in RELATIONS:
            yield Part(relation, said[start:place], near)
            relation, start, near = RELATIONS[word], place + 1, place > 0 and said[place - 1] in NEAR
    yield Part(relation, said[start:], near)


def _clauses(part: Part, main: tuple[str, ...]) -> list[Clause]:
    relation, said, near = part
    if relation == "while" and not NEXT.isdisjoint(main):
        relation, near = "after", True
    elif relation == "while" and "had" in main and "been" in main:
        relation = "before"
    if not telling(said):
        return []
    if relation != "between" or "and" not in said:
        return [Clause(relation or "after", telling(said), _order(said), near)]
    cut = said.index("and")
    start, end = said[:cut], said[cut + 1 :]
    return [Clause("after", telling(start), _order(start), near), Clause("before", telling(end), _order(end), near)]


def _kind(main: tuple[str, ...], preposition: str) -> str:
    """Return the kind of answer: the noun after the question word, else the subject of the question."""
    place = next((place for place, word in enumerate(main) if word in WH), 0)
    for word in main[place : place + 5]:
        for kind, names in KINDS.items():
            if word in names or word.removesuffix("s") in names:
                return kind
    if main[-2:] in PRONOUN_ENDS:
        return PRONOUN_ENDS[main[-2:]]
    if not HAPPENS.isdisjoint(main) or ("do" in main and {"did", "does"} & set(main)):
        return "action"
    if "with" in (preposition, *main[-1:]):
        return "tool"
    named = (kind for word in main for kind, names in KINDS.items() if word in names and WH.isdisjoint(main))
    return "place" if preposition else next(named, "object")


def _order(part: tuple[str, ...]) -> str:
    if not FIRST.isdisjoint(part):
        return "first"
    return "last" if not LAST.isdisjoint(part) else ""
