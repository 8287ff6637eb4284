"""Answers to questions: find the steps that the words describe, move along time, read the answer.

>>> from tsgkit.graph import ActionGraph
>>> def act(action, thing, *more):
...     return ActionGraph.of(("person", "verb", action), (action, "dobj", thing), *((action, *edge) for edge in more))
>>> graphs = (act("pick-up", "spoon"), act("open", "lid"), act("stir", "soup", ("with", "spoon")), act("close", "lid"))
>>> ask = lambda question: answer(QuestionSample(item_id="0", cluster="", graphs=graphs, question=question, answer=""))
>>> ask("What was handled right before the lid was opened?"), ask("Which tool was used to stir the soup?")
('spoon', 'spoon')
>>> ask("What was touched between opening and closing the lid?"), ask("What was the last action?")
('soup', 'close')

Steps are found by the words they share with a part of the question, rare words first; among equals the nearest in
time, or the first or last where the question says so. A name that the question gives away is never the answer while
there is another; what nothing leads to is answered with the commonest direct object.

>>> parsed = parse("What tool was last used before the lid was opened?")
>>> parsed.kind, parsed.order, parsed.clauses
('tool', 'last', (ReferenceClause(relation='before', words=('lid', 'opened'), order='', near=False),))
>>> parse("Right after rinsing the jar, which hand was free?").clauses
(ReferenceClause(relation='after', words=('rinsing', 'jar'), order='', near=True),)

A question is cut at its words of time (before, after, between ...), and at a comma before the question word. The
part with the question word, or the first, tells the step that is asked for; each other part tells a step to start
from. Short tables, no grammar: the parts are bags of words.

A random answer is one of the different names of things in the graphs: no action, no hand, since nearly all answers are
things.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

from tsgkit.graph.model import HANDS, PERSON, VERB, ActionGraph, Narrative
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.lexicon import is_preposition
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.tsg.baselines.word_roots import FUNCTION_WORDS, roots, words
from tsgkit.suites.tsg.items import QuestionSample

SAYABLE = re.compile(r"[^\W_](?:[\w '-]*[^\W_])?")
SAME_GROUP = 0.6
BOTH_HANDS = "both-hands"
HOLDING = frozenset(("hold", "carry", "keep", "grip", "grasp"))
HAND_WORDS = frozenset(("hand", *HANDS))
CLOSE_TO_BEST = 0.99
NEARBY = 3

RELATIONS = {
    word: relation
    for relation, line in (
        ("before", "before prior until preceded preceding"),
        ("after", "after following followed since once"),
        ("between", "between"),
        ("while", "while when during as moment"),
    )
    for word in line.split()
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
TWO_HANDS = (("both", "hands"), ("two", "hands"))
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


def can_be_said(name: str) -> bool:
    """Return whether a name can be read back from brackets: readers take marks around it for marks.

    >>> can_be_said("tea-bag"), can_be_said("_"), can_be_said("a [b]")
    (True, False, False)
    """
    return SAYABLE.fullmatch(name) is not None


def guess_name(item: QuestionSample, seed: int) -> str:
    """Draw a name that an edge other than verb leads to, no hand; the person where there is none."""
    triplets = (triplet for graph in item.graphs for triplet in graph.triplets)
    targets = dict.fromkeys(target for _, edge, target in triplets if edge != VERB)
    things = [name for name in targets if can_be_said(name) and name not in (PERSON, *HANDS)]
    return item.lots(seed).choice(things or [PERSON])


def answer(sample: QuestionSample) -> str:
    """Return the name that most likely answers the question."""
    scene = _scene(sample.graphs)
    parsed = parse(sample.question)
    said_names = scene.named(parsed)
    for find in (scene.shared, scene.held, scene.commonest, scene.read_off):
        for name in find(parsed):
            if name not in said_names and can_be_said(name):
                return name
    return scene.fallback(said_names)


class NarrativeIndex:
    """The steps of a narrative, and the steps in which each word occurs."""

    def __init__(self, graphs: tuple[ActionGraph, ...]) -> None:
        self.timeline = Timeline(Narrative.of(graphs))
        self.steps = self.timeline.steps
        self.where: dict[str, set[int]] = {}
        for step in self.steps:
            for name in step.names:
                for word in words(name):
                    for root in roots(word):
                        self.where.setdefault(root, set()).add(step.index)
            if set(step.hands) == set(HANDS):
                self.where.setdefault(BOTH_HANDS, set()).add(step.index)

    def scores(self, telling_words: Iterable[str]) -> Counter[int]:
        """Return the steps that share words with a part of a question; a rare word counts more."""
        scores: Counter[int] = Counter()
        for word in dict.fromkeys(telling_words):
            by_step: dict[int, float] = {}
            for root in [BOTH_HANDS] if word == BOTH_HANDS else roots(word):
                indices = self.where.get(root, ())
                weight = SAME_GROUP if root[0] == "~" else 1
                worth = (1 + log(len(self.steps) / len(indices))) * weight if indices else 0
                for index in indices:
                    by_step[index] = max(worth, by_step.get(index, 0.0))
            scores.update(by_step)
        return scores

    def named(self, parsed: ParsedQuestion) -> frozenset[str]:
        """Return the names all of whose words the question says."""
        said_roots = frozenset(root for word in parsed.all_words for root in roots(word) if root[0] != "~")
        names = {name for step in self.steps for name in step.names}
        return frozenset(name for name in names if all(said_roots & roots(word) for word in words(name)))

    def fallback(self, excluded: frozenset[str]) -> str:
        """Return the commonest direct object that is not named, else another thing, else anything."""
        objects = Counter(name for step in self.steps for name in step.objects)
        things = [name for name, _ in objects.most_common()]
        things += [name for step in self.steps for name in (*step.tools, *step.places)]
        sayable = [name for name in things if can_be_said(name)]
        return next(iter((*(name for name in sayable if name not in excluded), *sayable)), PERSON)

    def shared(self, parsed: ParsedQuestion) -> Iterable[str]:
        """Return what two steps have in common."""
        if not parsed.about_both or "and" not in (spoken := parsed.all_words):
            return ()
        cut = spoken.index("and")
        sides = [self._best(telling(part), self.steps) for part in (spoken[:cut], spoken[cut + 1 :])]
        names = [[name for step in side for name in (*step.handled, *step.places)] for side in sides]
        return [name for name in names[0] if name in names[1]]

    def held(self, parsed: ParsedQuestion) -> Iterable[str]:
        """Return the content of a hand, or the hand of an object, when a step began."""
        moments = [step for clause in parsed.clauses for step in self._best(clause.words, self.steps)[:1]]
        if not moments:
            return ()
        if parsed.kind == "hand" or (parsed.kind == "place" and "where" in parsed.all_words):
            things = [name for step in self.steps for name in step.handled if set(words(name)) & set(parsed.words)]
            return [hand for name in dict.fromkeys(things) for hand in self.timeline.holders(name, before=moments[0])]
        if not any(roots(word) & HOLDING for word in parsed.all_words) or not HAND_WORDS & set(parsed.all_words):
            return ()
        hands = [hand for hand in HANDS if hand in parsed.all_words]
        hands = hands or [hand for hand in HANDS if hand not in moments[0].hands]
        contents = [self.timeline.in_hand(hand, before=moments[0]) or () for hand in hands or HANDS]
        return [name for things in contents for name in things]

    def commonest(self, parsed: ParsedQuestion) -> Iterable[str]:
        """Return the most frequent values of the matching steps, if these are asked for."""
        if not parsed.about_most:
            return ()
        steps = self._best(parsed.words, self._window(parsed.clauses)) or self.steps
        counts = Counter(name for step in steps for name in _readings(step, parsed.kind)[0])
        return [name for name, _ in counts.most_common()]

    def read_off(self, parsed: ParsedQuestion) -> Iterable[str]:
        """Yield the values of the best matching step, then of the next best; none if the question describes no step."""
        if not (parsed.clauses or parsed.order or self.scores(parsed.words)):
            return
        window = self._window(parsed.clauses)
        backward = parsed.order == "last" or (not parsed.order and any(c.relation == "before" for c in parsed.clauses))
        steps = list(reversed(window)) if backward else list(window)
        scores = self.scores(parsed.words)
        if any(clause.near for clause in parsed.clauses):  # next to a step, those that match at all
            steps = sorted(steps[:NEARBY], key=lambda step: not scores[step.index]) + steps[NEARBY:]
        else:
            steps.sort(key=lambda step: (-round(scores[step.index], 6), not _readings(step, parsed.kind)[0]))
        for step in steps:
            if parsed.preposition:
                yield from (target for _, edge, target in step.graph if edge == parsed.preposition)
            for names in _readings(step, parsed.kind):
                yield from names

    def _window(self, clauses: Sequence[ReferenceClause]) -> Sequence[Step]:
        """Return the steps at the requested time; all of them without a clause."""
        low, high = -1, len(self.steps)
        for clause in clauses:
            best = self._best(clause.words, self.steps)
            later = [step for step in best if step.index > low + 1] or best
            if not later:
                continue
            anchor = later[-1 if clause.order == "last" else 0]
            if clause.relation == "after":
                low = max(low, anchor.index)
            elif clause.relation == "before":
                high = min(high, anchor.index)
            else:
                low, high = anchor.index - 1, anchor.index + 1
        return self.steps[low + 1 : high] or self.steps

    def _best(self, telling_words: Iterable[str], among: Sequence[Step]) -> list[Step]:
        """Return the steps among these that share most with the words, in order; none where nothing is shared."""
        scores = self.scores(telling_words)
        top = max((scores[step.index] for step in among), default=0)
        return [step for step in among if scores[step.index] >= CLOSE_TO_BEST * top] if top else []


_scene = lru_cache(maxsize=16)(NarrativeIndex)


def _readings(step: Step, kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of a step that can be of this kind, the likeliest kind first."""
    action = (step.action,) if step.action else ()
    of_kind = {"action": action, "hand": step.hands, "tool": step.tools, "place": step.places}
    return (of_kind[kind], step.objects) if kind in of_kind else (step.objects, (*step.tools, *step.places))


# The parser


class ReferenceClause(NamedTuple):
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
    clauses: tuple[ReferenceClause, ...]
    preposition: str = ""
    """The preposition before the question word: onto *what*, from *where*."""
    all_words: tuple[str, ...] = ()
    """All its words."""

    @property
    def about_most(self) -> bool:
        """True if the most frequent answer is asked for."""
        return not MOST.isdisjoint(self.all_words)

    @property
    def about_both(self) -> bool:
        """True if two steps' common answer is asked for."""
        return "common" in self.all_words or ("both" in self.all_words and not {"hand", "hands"} & set(self.all_words))


class QuestionPart(NamedTuple):
    """Some words of a question, and the relation that opens them (empty for the part that asks)."""

    relation: str
    words: tuple[str, ...]
    near: bool = False


def parse(question: str) -> ParsedQuestion:
    """Return a question, taken apart: cut at the words of time, and at commas that no question word precedes."""
    openings, rest = list[str](), RELATIVE.sub("", question)
    while (comma := COMMA.search(rest)) and WH.isdisjoint(words(rest[: comma.start()])):
        openings.append(rest[: comma.start()])
        rest = rest[comma.end() :]
    parts = [part for opening in openings for part in _cut(words(opening))]
    parts = [part if part.relation else part._replace(relation="after") for part in parts]
    parts = [part for part in (*parts, *_cut(words(rest))) if part.words]
    opened = (part for part in parts if not WH.isdisjoint(part.words[:SOON]))
    plain = (part for part in parts if not part.relation)
    asking = (*opened, *plain, *parts, QuestionPart("", ()))[0]
    main = asking.words
    clauses = tuple(clause for part in parts if part is not asking for clause in _clauses(part, main))
    index = next((index for index, word in enumerate(main) if word in WH), 0)
    last = ("-".join(main[-2:]), *main[-1:])
    preposition = next((name for name in (*main[:index][-1:], *last) if is_preposition(name) and name != "to"), "")
    return ParsedQuestion(_kind(main, preposition), _order(main), telling(main), clauses, preposition, words(question))


def telling(part: Sequence[str]) -> tuple[str, ...]:
    """Return the words that can occur in a graph; both hands are one of them."""
    following = (*part, "")[1:]
    joined = (BOTH_HANDS if pair in TWO_HANDS else pair[0] for pair in zip(part, following, strict=True))
    return tuple(word for word in joined if word not in UNTELLING)


def _cut(part_words: tuple[str, ...]) -> Iterator[QuestionPart]:
    relation, start, near = "", 0, False
    for index, word in enumerate(part_words):
        if word in RELATIONS:
            yield QuestionPart(relation, part_words[start:index], near)
            relation, start, near = RELATIONS[word], index + 1, index > 0 and part_words[index - 1] in NEAR
    yield QuestionPart(relation, part_words[start:], near)


def _clauses(part: QuestionPart, main: tuple[str, ...]) -> list[ReferenceClause]:
    relation, part_words, near = part
    if relation == "while" and not NEXT.isdisjoint(main):
        relation, near = "after", True
    elif relation == "while" and "had" in main and "been" in main:
        relation = "before"
    if not telling(part_words):
        return []
    if relation != "between" or "and" not in part_words:
        return [ReferenceClause(relation or "after", telling(part_words), _order(part_words), near)]
    cut = part_words.index("and")
    start, end = part_words[:cut], part_words[cut + 1 :]
    return [
        ReferenceClause("after", telling(start), _order(start), near),
        ReferenceClause("before", telling(end), _order(end), near),
    ]


def _kind(main: tuple[str, ...], preposition: str) -> str:
    """Return the kind of answer: the noun after the question word, else the subject of the question."""
    index = next((index for index, word in enumerate(main) if word in WH), 0)
    for word in main[index : index + 5]:
        for kind, names in KINDS.items():
            if word in names or word.removesuffix("s") in names:
                return kind
    if main[-2:] in PRONOUN_ENDS:
        return PRONOUN_ENDS[main[-2:]]
    if not HAPPENS.isdisjoint(main) or ("do" in main and {"did", "does"} & set(main)):
        return "action"
    if "with" in (preposition, *main[-1:]):
        return "tool"
    kinds = (kind for word in main for kind, names in KINDS.items() if word in names and WH.isdisjoint(main))
    return "place" if preposition else next(kinds, "object")


def _order(part: tuple[str, ...]) -> str:
    if not FIRST.isdisjoint(part):
        return "first"
    return "last" if not LAST.isdisjoint(part) else ""
