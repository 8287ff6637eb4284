"""Questions about a story with one name as the answer, confirmed by two evaluators and chosen without shortcuts.

    chooser = QuestionChooser(seed=1)
    for story in stories:
        row = question_row(story, chooser.choose(story, 8).questions)

Stories are read one at a time; only sums are kept from one to the next. A question is surplus until it is chosen:
answers that need no question (the thing handled first, last, most often, any constant name) are kept at chance.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import mentions
from tsgkit.suites.audits.classifier import measured
from tsgkit.suites.audits.items import words
from tsgkit.suites.tsg.audit import rivals
from tsgkit.suites.tsg.makers.balance import Balance, Option
from tsgkit.suites.tsg.makers.question_drafts import DraftSource, drawn_draft
from tsgkit.suites.tsg.makers.question_paths import answer, hops_needed
from tsgkit.suites.tsg.makers.second_reader import SecondReader
from tsgkit.suites.tsg.makers.stories import row_facts

SHORTCUTS = ("handled most often", "handled first", "handled last", "handled most often and not named")
ROLES = {"hand": "", "action": VERB, "tool": WITH, "thing": DOBJ, "place": ""}
"""The kinds of names, and the edges at which some of them stand."""
MOST_HOPS = 4
TRIES = 12
"""Drafts per question that is wanted."""
SLACK = 1.0
"""The number of right answers above chance that a shortcut may reach at any time."""
SPREAD = 0.7
"""The share of a standard deviation that a constant answer may be above chance."""
SURPLUS = 3
"""Questions drawn for each that is wanted."""
EVEN = {"family": 0.5, "hops": 2.0, "role": 0.5}
"""The weights of even spreads against that of shortcuts."""


@dataclass(frozen=True)
class Question:
    """A question, its answer, and the path that leads to it."""

    text: str
    answer: str
    path: tuple[str, ...]
    family: str
    hops: int


class Drawn(NamedTuple):
    """Surplus questions, and the reasons why others were dropped."""

    questions: tuple[Question, ...]
    dropped: Counter[str]


def objection(reader: SecondReader, question: Question) -> str:
    """Return why a question that one evaluator answers so is not confirmed by the other, or ""."""
    found = reader.answer(question.text)
    if found is None:
        return "not known to the second evaluator"
    if found != question.answer:
        return "the evaluators differ" if found else "ambiguous in words"
    if found == PERSON or not found.replace("-", "").isalnum():
        return "the answer is no plain name"
    return "the answer is in the question" if mentions(question.text, found) else ""


def draw_questions(story: Narrative, choice: Random, most: int = 60, barred: AbstractSet[str] = frozenset()) -> Drawn:
    """Draw confirmed questions, about as many of each number of hops, at most so many, without barred answers."""
    source, reader = DraftSource(Timeline(story)), SecondReader(story)
    questions: dict[tuple[str, ...], Question] = {}
    dropped = Counter[str]()
    for hops in range(1, MOST_HOPS + 1):
        wanted = most * hops // MOST_HOPS
        for _ in range(TRIES * (most // MOST_HOPS + 1)):
            if len(questions) >= wanted:
                break
            question, reason = _drafted(source, hops, choice, barred)
            if question is not None:
                reason = "drawn twice" if question.path in questions else objection(reader, question)
            if question is None or reason:
                dropped[reason] += 1
                continue
            questions[question.path] = question
    return Drawn(tuple(questions.values()), dropped)


def _drafted(source: DraftSource, hops: int, choice: Random, barred: AbstractSet[str]) -> tuple[Question | None, str]:
    """Return a question, or None and the reason why what was drawn is none."""
    draft = drawn_draft(source, hops, choice)
    if draft is None or hops_needed(draft.path) != hops:
        return None, "does not fit the step"
    try:
        found = answer(source.timeline, draft.path)
    except LookupError:
        return None, "no single answer"
    if found in barred:
        return None, "the answer is too common"
    return Question(draft.write(), found, draft.path, draft.family, hops), ""


@dataclass(frozen=True)
class StoryNames:
    """The names of a story as shortcuts see them."""

    handled: tuple[str, ...]
    nodes: frozenset[str]
    roles: dict[str, str]
    graphs: tuple[ActionGraph, ...]

    @classmethod
    def of(cls, story: Narrative) -> StoryNames:
        """Return the names of a story."""
        triplets = [triplet for graph in story.graphs for triplet in graph.triplets]
        edges = defaultdict[str, set[str]](set)
        for _, edge, target in triplets:
            edges[target].add(edge)
        nodes = frozenset(end for source, _, target in triplets for end in (source, target))
        roles = {name: _role(name, edges[name]) for name in nodes}
        handled = tuple(target for _, edge, target in triplets if edge == DOBJ)
        return cls(handled, nodes, roles, story.graphs)

    @property
    def chance(self) -> float:
        """The credit of guessing among all names."""
        return 1 / len(self.nodes)

    def credits(self, question: Question) -> tuple[float, ...]:
        """Return the credit of each of ``SHORTCUTS`` for a question, and how much an answerer by mentions gains."""
        said = words(question.text)
        unsaid = [name for name in self.handled if name not in said]
        answers = (_commonest(self.handled), list(self.handled[:1]), list(self.handled[-1:]), _commonest(unsaid))
        counts = {name: n for name, n in rivals(self.graphs, question.answer).items() if name not in said}
        features = dict(zip(counts, measured("mentions", list(counts.values())), strict=True))
        own = features.get(question.answer, {})
        above = (
            (own.get(name, 0.0) - math.fsum(one.get(name, 0.0) for one in features.values()) / (len(features) or 1))
            * (role == self.roles[question.answer])
            for name in ("more mentions", "most mentions", "least mentions")
            for role in ROLES
        )
        shares = (names.count(question.answer) / len(names) if names else 0.0 for names in answers)
        return *shares, *(self.chance + one for one in above)


def _role(name: str, edges: set[str]) -> str:
    return "hand" if name in HANDS else next((role for role, edge in ROLES.items() if edge in edges), "place")


def _commonest(names: Sequence[str]) -> list[str]:
    counts = Counter(names)
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most]


@dataclass
class QuestionChooser:
    """A choice of questions over many stories, of which only sums are kept."""

    seed: int
    balance: Balance = field(default_factory=Balance)
    kinds: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter[str]))
    """The number of chosen questions by family, by hops and by role of the answer."""
    right: Counter[str] = field(default_factory=Counter)
    """The number of questions that each name answers."""
    expected: defaultdict[str, float] = field(default_factory=lambda: defaultdict(float))
    """The number of questions that each name would answer by chance, of those where it occurs."""

    def choose(self, story: Narrative, number: int, avoided: AbstractSet[tuple[str, ...]] = frozenset()) -> Drawn:
        """Choose at most so many questions about a story, none with an avoided path.

        There are fewer where more would give a shortcut away.
        """
        choice = Random(f"{self.seed} {story.id} {len(story.graphs)} {self.kinds['hops'].total()}")
        names = StoryNames.of(story)
        barred = {name for name in names.nodes if not self._may_answer(names, name)}
        surplus, dropped = draw_questions(story, choice, max(24, SURPLUS * number), barred)
        options = {question: names.credits(question) for question in surplus if question.path not in avoided}
        chosen: list[Question] = []
        while len(chosen) < number:
            fitting = [
                Option(one, gained, names.chance, cost=self.cost(names, one) + 0.1 * choice.random())
                for one, gained in options.items()
                if self._keeps_chance(names, one, gained)
            ]
            if not fitting:
                dropped["too few questions keep shortcuts at chance" if options else "too few questions"] += 1
                break
            best = self.balance.choose(fitting).value
            self._count(names, best)
            chosen.append(best)
            del options[best]
            options = {one: gained for one, gained in options.items() if one.text != best.text}
        return Drawn(tuple(sorted(chosen, key=lambda one: one.hops)), dropped)

    def cost(self, names: StoryNames, question: Question) -> float:
        """Return what speaks against a question: kinds and answers that are frequent already."""
        costs = []
        for kind, value in _kinds(names, question):
            counts = self.kinds[kind]
            costs.append(EVEN[kind] * min(3.0, counts[value] * len(counts) / counts.total()) if counts else 0.0)
        name = question.answer
        above = (self.right[name] - self.expected[name]) / math.sqrt(1 + self.expected[name])
        return math.fsum(costs) + above

    def _keeps_chance(self, names: StoryNames, question: Question, gained: Sequence[float]) -> bool:
        if not self._may_answer(names, question.answer):
            return False
        sums = self.balance.excess.get("", (0.0,) * len(gained))
        known = list(zip(sums, gained, strict=True))[: len(SHORTCUTS)]
        return all(total + one - names.chance <= SLACK for total, one in known if one)

    def _may_answer(self, names: StoryNames, name: str) -> bool:
        """Return whether always giving this name would not be far above chance after one more right answer."""
        expected = self.expected[name] + names.chance
        return self.right[name] + 1 - expected <= SLACK * max(1.0, SPREAD * math.sqrt(expected))

    def _count(self, names: StoryNames, question: Question) -> None:
        for name in names.nodes:
            self.expected[name] += names.chance
        self.right[question.answer] += 1
        for kind, value in _kinds(names, question):
            self.kinds[kind][value] += 1


def _kinds(names: StoryNames, question: Question) -> Iterator[tuple[str, str]]:
    yield "family", question.family
    yield "hops", str(question.hops)
    yield "role", names.roles[question.answer]


def question_row(story: Narrative, questions: Sequence[Question]) -> dict[str, Any]:
    """Return a row of questions in the published format."""
    return {
        "item_id": story.id,
        "scenario_id": story.id,
        **row_facts(story),
        "context_graphs": [[list(triplet) for triplet in graph.triplets] for graph in story.graphs],
        "qa_pairs": [
            {
                "Q": question.text,
                "A": question.answer,
                "item_id": f"{story.id}/q{number}",
                "path": list(question.path),
                "family": question.family,
                "hops": question.hops,
            }
            for number, question in enumerate(questions)
        ],
    }
