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
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log

from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Narrative
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.suites.tsg.baselines.answer_text import can_be_said
from tsgkit.suites.tsg.baselines.question_parser import Clause, ParsedQuestion, parse, telling
from tsgkit.suites.tsg.baselines.word_roots import roots, words
from tsgkit.suites.tsg.items import QuestionSample

SAME_GROUP = 0.6
BOTH_HANDS = "both-hands"
HOLDING = frozenset(("hold", "carry", "keep", "grip", "grasp"))
HAND_WORDS = frozenset(("hand", *HANDS))
CLOSE_TO_BEST = 0.99
NEARBY = 3


def answer(sample: QuestionSample) -> str:
    """Return the name that most likely answers the question."""
    scene = _scene(sample.graphs)
    asked = parse(sample.question)
    named = scene.named(asked)
    for find in (_shared, _held, _commonest, _read_off):
        for name in find(scene, asked):
            if name not in named and can_be_said(name):
                return name
    return scene.fallback(named)


class Scene:
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
                found = self.where.get(root, ())
                worth = (1 + log(len(self.steps) / len(found))) * (SAME_GROUP if root[0] == "~" else 1) if found else 0
                for index in found:
                    by_step[index] = max(worth, by_step.get(index, 0.0))
            scores.update(by_step)
        return scores

    def named(self, asked: ParsedQuestion) -> frozenset[str]:
        """Return the names all of whose words the question says."""
        said = frozenset(root for word in asked.said for root in roots(word) if root[0] != "~")
        names = {name for step in self.steps for name in step.names}
        return frozenset(name for name in names if all(said & roots(word) for word in words(name)))

    def fallback(self, named: frozenset[str]) -> str:
        """Return the commonest direct object that is not named, else another thing, else anything."""
        objects = Counter(name for step in self.steps for name in step.objects)
        things = [name for name, _ in objects.most_common()]
        things += [name for step in self.steps for name in (*step.tools, *step.places)]
        sayable = [name for name in things if can_be_said(name)]
        return next(iter((*(name for name in sayable if name not in named), *sayable)), PERSON)


@lru_cache(maxsize=16)
def _scene(graphs: tuple[ActionGraph, ...]) -> Scene:
    return Scene(graphs)


def _shared(scene: Scene, asked: ParsedQuestion) -> Iterable[str]:
    """Return what two steps have in common."""
    if not asked.about_both or "and" not in asked.said:
        return ()
    cut = asked.said.index("and")
    sides = [_best(scene, telling(part), scene.steps) for part in (asked.said[:cut], asked.said[cut + 1 :])]
    names = [[name for step in side for name in (*step.handled, *step.places)] for side in sides]
    return [name for name in names[0] if name in names[1]]


def _held(scene: Scene, asked: ParsedQuestion) -> Iterable[str]:
    """Return the content of a hand, or the hand of an object, when a step began."""
    moments = [step for clause in asked.clauses for step in _best(scene, clause.words, scene.steps)[:1]]
    if not moments:
        return ()
    if asked.kind == "hand" or (asked.kind == "place" and "where" in asked.said):
        things = [name for step in scene.steps for name in step.handled if set(words(name)) & set(asked.words)]
        return [hand for name in dict.fromkeys(things) for hand in scene.timeline.holders(name, before=moments[0])]
    if not any(roots(word) & HOLDING for word in asked.said) or not HAND_WORDS & set(asked.said):
        return ()
    hands = [hand for hand in HANDS if hand in asked.said] or [hand for hand in HANDS if hand not in moments[0].hands]
    held = [scene.timeline.in_hand(hand, before=moments[0]) or () for hand in hands or HANDS]
    return [name for things in held for name in things]


def _commonest(scene: Scene, asked: ParsedQuestion) -> Iterable[str]:
    """Return the most frequent values of the matching steps, if these are asked for."""
    if not asked.about_most:
        return ()
    steps = _best(scene, asked.words, _window(scene, asked.clauses)) or scene.steps
    return [
        name for name, _ in Counter(name for step in steps for name in _readings(step, asked.kind)[0]).most_common()
    ]


def _read_off(scene: Scene, asked: ParsedQuestion) -> Iterable[str]:
    """Yield the values of the best matching step, then of the next best; none if the question describes no step."""
    if not (asked.clauses or asked.order or scene.scores(asked.words)):
        return
    for step in _ordered(scene, asked):
        if asked.preposition:
            yield from (target for _, edge, target in step.graph if edge == asked.preposition)
        for names in _readings(step, asked.kind):
            yield from names


def _ordered(scene: Scene, asked: ParsedQuestion) -> list[Step]:
    """Return the steps at the requested time, best matches first; next to a step, those that match at all."""
    window = _window(scene, asked.clauses)
    backward = asked.order == "last" or (not asked.order and any(c.relation == "before" for c in asked.clauses))
    span = list(reversed(window)) if backward else list(window)
    scores = scene.scores(asked.words)
    if any(clause.near for clause in asked.clauses):
        return sorted(span[:NEARBY], key=lambda step: not scores[step.index]) + span[NEARBY:]
    return sorted(span, key=lambda step: (-round(scores[step.index], 6), not _readings(step, asked.kind)[0]))


def _window(scene: Scene, clauses: Sequence[Clause]) -> Sequence[Step]:
    """Return the steps at the requested time; all of them without a clause."""
    low, high = -1, len(scene.steps)
    for clause in clauses:
        anchor = _anchor(scene, clause, low)
        if anchor is None:
            continue
        if clause.relation == "after":
            low = max(low, anchor.index)
        elif clause.relation == "before":
            high = min(high, anchor.index)
        else:
            low, high = anchor.index - 1, anchor.index + 1
    return scene.steps[low + 1 : high] or scene.steps


def _anchor(scene: Scene, clause: Clause, low: int) -> Step | None:
    best = _best(scene, clause.words, scene.steps)
    later = [step for step in best if step.index > low + 1] or best
    return None if not later else later[-1] if clause.order == "last" else later[0]


def _best(scene: Scene, telling_words: Iterable[str], among: Sequence[Step]) -> list[Step]:
    """Return the steps among these that share most with the words, in order; none where nothing is shared."""
    scores = scene.scores(telling_words)
    top = max((scores[step.index] for step in among), default=0)
    return [step for step in among if scores[step.index] >= CLOSE_TO_BEST * top] if top else []


def _readings(step: Step, kind: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of a step that can be of this kind, the likeliest kind first."""
    action = (step.action,) if step.action else ()
    if kind == "action":
        return (action, step.objects)
    if kind == "hand":
        return (step.hands, step.objects)
    if kind == "tool":
        return (step.tools, step.objects)
    if kind == "place":
        return (step.places, step.objects)
    return (step.objects, (*step.tools, *step.places))
