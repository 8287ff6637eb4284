"""Questions about a story with one name as the answer: drawn as paths, confirmed by two evaluators, without shortcuts.

    chooser = QuestionChooser(seed=1)
    for story in stories:
        row = question_row(story, chooser.choose(story, 8).questions)

A draft is a path of one to four hops that names every event so that only one step fits. Stories are read one at a time;
only sums are kept from one to the next. A question is surplus until it is chosen: answers that need no question (the
thing handled first, last, most often, any constant name) are kept at chance.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from tsgkit.graph.hands import HAND_NAME
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, Narrative
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import is_preposition, mentions
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.audits.classifier import measured
from tsgkit.suites.audits.items import words
from tsgkit.suites.tsg.audit import handled_things, rivals
from tsgkit.suites.tsg.makers import question_paths as paths
from tsgkit.suites.tsg.makers.question_paths import DEEP, NUMBERS, ORDINALS, StepPhrase
from tsgkit.suites.tsg.makers.second_reader import SecondReader
from tsgkit.suites.tsg.makers.stories import row_facts
from tsgkit.suites.tsg.sample_checks import HAND, PLACE, names_by_role

FOLLOWING = (("again",), ("earlier",))
RESERVED = word_set(f"and first last next only part second step thing third time {PERSON}")
UNASKED = frozenset((VERB, DOBJ, "by", "of", "up", "between"))
"""Edges that no preposition at the end of a question can stand for."""
INCOMPLETE = word_set("bed ease fish give help knock lay let make offer pick place put set slip snap stand stick stuff")
"""Actions that say too little without a place or receiver: one does not just *put a cup*."""
MAKING = word_set("bore build check count dig draw drill feel hack make play read score scratch sign trace write")
"""Actions whose direct object is not said to be *handled*."""
FORMING = word_set("break cut fold form make roll shape tear turn twist wind")
"""Actions by which a thing becomes what it goes *into*."""
ROLES = (HAND, VERB, WITH, DOBJ, PLACE)
"""The roles of names: one of several has the first of them."""
MOST_HOPS = 4
TRIES = 12
"""Drafts per question that is wanted."""
GUESSES = len(handled_things((), ""))
MENTIONS = ("more mentions", "most mentions", "least mentions")
"""What an answerer by mentions goes by, within each role."""
SLACK = 1.0
"""The number of right answers above chance that a shortcut may reach at any time."""
SPREAD = 0.7
"""The share of a standard deviation that a constant answer may be above chance."""
SURPLUS = 3
"""Questions drawn for each that is wanted."""
EVEN = {"family": 0.5, "hops": 2.0, "role": 0.5}
"""The weights of even spreads against that of shortcuts."""
BELOW = 0.3
"""The weight of a sum of credits below chance: a shortcut that is too often wrong tells something as well."""


@dataclass(frozen=True)
class MadeQuestion:
    """A question, its answer, and the path that leads to it."""

    text: str
    answer: str
    path: tuple[str, ...]
    family: str
    hops: int


class Drawn(NamedTuple):
    """Surplus questions, and the reasons why others were dropped."""

    questions: tuple[MadeQuestion, ...]
    dropped: Counter[str]


class QuestionDraft(NamedTuple):
    """A path, the words of its question once they are needed, and its family."""

    path: tuple[str, ...]
    write: Callable[[], str]
    family: str


class Start(NamedTuple):
    """A step as the first hops find it, and its wordings."""

    hops: tuple[str, ...]
    ways: tuple[Callable[[Random], StepPhrase], ...]
    event: tuple[str, str] = ("", "")
    """The action and its direct object, if they name the step."""


class DraftSource:
    """A story, and how questions about it can begin."""

    def __init__(self, story: Narrative) -> None:
        self.timeline = timeline = Timeline(story)
        self.steps = steps = timeline.steps
        edges, things = defaultdict[str, set[str]](set), defaultdict[str, set[str]](set)
        groups: Counter[tuple[str, ...]] = Counter()
        for step in steps:
            things[step.action].update(step.objects)
            for _, edge, target in step.graph:
                edges[target].add(edge)
        self.varied = {act for act, objects in things.items() if len(objects) > 1 and act not in INCOMPLETE}
        """The actions that are done to several things: a question that names one does not name the step."""
        single_role = {name for name, ends in edges.items() if VERB not in ends or len(ends) == 1}
        odd = {name for name in single_role if not _is_plain(name) or HAND_NAME.fullmatch(name) or name in RESERVED}
        self.plain = frozenset(single_role - odd | {*HANDS})
        """The names that can stand in a question: as an action or as a thing only, and no odd spelling."""
        products = {thing for step in steps if step.action in MAKING for thing in step.objects}
        roles = {name: min(ends) for name, ends in edges.items() if len(ends) == 1 and name not in products}
        verbs = {DOBJ: "handle", WITH: "use"}
        self.parts = {name: verbs[edge] for name, edge in roles.items() if edge in verbs}
        """The part of things that play only one."""
        self.events: list[Start] = []
        """The steps that an action and its direct object name."""
        for event in dict.fromkeys((step.action, step.objects[0]) for step in steps if step.objects):
            action, thing = event
            matching = timeline.find(*event)
            is_own = all(step.objects == (thing,) and step.graph.actions == (action,) for step in matching)
            if is_own and thing in self.plain and _is_plain(action):
                for order in _orders(len(matching)):
                    way = partial(paths.of_event, order, action, thing)
                    self.events.append(Start((f"{order} {action} {thing}",), (way,), event))
        self.complete = [start for start in self.events if start.event[0] not in INCOMPLETE]
        """The events that can be told without a place."""
        once = (start for start in self.complete if start.hops[0].startswith("only"))
        self.unrepeated = sorted(once, key=lambda start: timeline.step(start.event).index)
        """The complete events that happen once, in order."""
        most = max(2, len(steps) // 3)  # what plays a part in more steps is not worth looking for
        players = [
            [name for name in step.names if name in self.plain and name not in step.graph.actions] for step in steps
        ]
        self.things = [name for names in players for name in names if len(timeline.find(name)) <= most]
        """The things and hands that can stand in a question, by how often steps name them."""
        for names in map(sorted, players):
            groups.update((*((name,) for name in names), *combinations(names, 2)))
        self.mentions: list[Start] = []
        """The steps that are found by one or two of the things and hands that play a part in them."""
        for group, times in groups.items():
            if times <= most if len(group) == 1 else all(groups[name,] != times for name in group):
                for order in _orders(times):
                    ways = [partial(paths.of_mention, order, group, self.parts)]
                    if len(group) == 1 and group[0] in self.parts:
                        ways.append(partial(paths.of_event, order, self.parts[group[0]], group[0]))
                    self.mentions.append(Start((f"{order} {' '.join(group)}",), tuple(ways)))

    def draft(self, hops: int, choice: Random) -> QuestionDraft | None:
        """Return a draft of so many hops, or None where what was drawn does not fit."""
        if not self.complete or not self.mentions or not self.things:
            return None
        return choice.choice(WAYS[hops])(self, hops, choice)

    def span(self, choice: Random) -> Start | None:
        """Return the first or last step between two events; None where they are too near."""
        if len(self.unrepeated) < 4:
            return None
        first, last = sorted(choice.sample(range(len(self.unrepeated)), 2))
        if last - first < 3:
            return None
        opening, closing = self.unrepeated[first].event, self.unrepeated[last].event
        order, hop = choice.choice(("first", "last")), f"between {' '.join(opening)} and {' '.join(closing)}"
        return Start((hop, order), (lambda _: paths.of_span(order, opening, closing),))

    def moves(self, number: int, choice: Random) -> tuple[str, ...]:
        """Return so many moves from step to step, none of which takes back the one before."""
        moves: list[str] = []
        while len(moves) < number:
            move = choice.choice(("next", "previous", "next", "previous", "again", "earlier", "next ", "previous "))
            if move.endswith(" "):
                move += choice.choice(self.things)
            onward = ("next", "again")
            if not moves or " " in move or (move in onward) == (moves[-1].split()[0] in onward):
                moves.append(move)
        return tuple(moves)


def _is_plain(name: str) -> bool:
    return name.replace("-", "").isalpha() and name.islower()


def _orders(times: int) -> list[str]:
    """Return the ordinals by which one of several steps is counted."""
    return ["only"] if times == 1 else [order for order, index in ORDINALS.items() if index < times - 1]


def _end_of_event(source: DraftSource, hops: int, choice: Random) -> QuestionDraft | None:
    """With or to what, or with which hand something was done."""
    start = choice.choice(source.events)
    order, (action, thing) = start.hops[0].split()[0], start.event
    graph = source.timeline.find(action, thing)[ORDINALS.get(order, 0)].graph
    ends = [(edge, head) for tail, edge, head in graph if tail == action and edge not in UNASKED]
    edges = ["hand" if head in HANDS else edge for edge, head in ends if is_preposition(edge)]
    if not edges:
        return None
    edge = choice.choice(edges)
    if action.rpartition("-")[2] in edge or (action in INCOMPLETE and edge in ("hand", WITH)):
        return None
    read, family = {"hand": ("hand", "involved-hand"), WITH: ("tool", "tool")}.get(edge, (f"target {edge}", "place"))
    return QuestionDraft((*start.hops, read), partial(paths.plainly, start.event, order, edge, choice), family)


def _deed_at_place(source: DraftSource, hops: int, choice: Random) -> QuestionDraft | None:
    """To what something was done with a tool, or where; or what was done to a thing with a tool or hand."""
    step = choice.choice(source.steps)
    ends = [(edge, head) for tail, edge, head in step.graph if tail == step.action and edge not in UNASKED]
    ends = [(edge, head) for edge, head in ends if head in source.plain and is_preposition(edge)]
    if not ends or len(step.graph.actions) != 1 or not _is_plain(step.action):
        return None
    edge, target = choice.choice(ends)
    thing = next(iter(step.objects), "")
    if edge == WITH and thing in source.plain and choice.random() < (0.2 if target in HANDS else 0.5):
        path = (f"only {' '.join(sorted((thing, target)))}", "action")
        return QuestionDraft(path, partial(paths.done_with, thing, target, choice), "involved-action")
    if target in HANDS or edge in step.action or (step.action in INCOMPLETE and edge == WITH):
        return None
    path = (f"only {step.action} {target}", "object")
    return QuestionDraft(path, partial(paths.acted_on, step.action, edge, target, choice), "object")


def _end_of_walk(source: DraftSource, hops: int, choice: Random) -> QuestionDraft | None:
    """A name read off a step that is named, between others, or reached from another one, or what it shares with one."""
    timeline = source.timeline
    kind = choice.choice(("", "", "", "deep", "deep", "shared", "shared", "shared", "span")) if hops in (2, 3) else ""
    starts = source.complete if hops > 1 and choice.random() < 0.6 else source.mentions
    start = source.span(choice) if kind == "span" else choice.choice(starts)
    if start is None:
        return None
    moves = source.moves(hops - len(start.hops) - (kind in ("deep", "shared")), choice)
    path = (*start.hops, *moves)
    if start.event[0] and moves[:1] in FOLLOWING:
        return None
    try:
        *_, step = passed_steps = paths.walk(timeline, path)
    except LookupError:
        return None
    is_followed = not {"again", "earlier"}.isdisjoint(moves)
    if is_followed and not all(source.plain.issuperset(each.objects) for each in passed_steps):
        return None
    known = {*(passed_steps[-2].objects if moves[-1:] in FOLLOWING else () if moves else start.hops[0].split())}
    ends = [edge for _, edge, target in step.graph if target not in HANDS]
    targets = [edge for edge in ends if edge in (*paths.COMES, *paths.GOES) and step.action not in FORMING]
    reads = ["action", *["object"] * 2 * (step.action not in MAKING), *["tool"] * 2 * (WITH in ends)]
    reads += ["hand"] * (len(step.hands) == 1) + [f"target {edge}" for edge in targets * 2]
    read, detail = choice.choice(reads), ""
    if kind == "deep":
        hand = choice.choice(HANDS)
        contents = timeline.in_hand(hand, before=step) or ("",)
        read = choice.choice((f"held {hand}", f"held {hand}", f"holder {contents[0]}"))
        if contents[0] not in source.plain or (read.startswith("held") and hand in start.hops[0]):
            return None
    elif kind == "shared":
        event = choice.choice(source.unrepeated or source.complete)
        if timeline.step(event.event) in passed_steps:
            return None
        read, detail = f"shared {' '.join(event.event)}", event.ways[0](choice).time
    elif read.startswith(("object", "target")) and not known.isdisjoint(step.objects):
        return None
    elif read == "object" and step.action in source.varied and choice.random() < 0.7:
        detail = step.action

    def write() -> str:
        walked = paths.walked(choice.choice(start.ways)(choice), moves, source.parts, choice)
        sentences, phrase = paths.settled(*walked, choice) if kind in ("deep", "shared") else walked
        return sentences + paths.asked(read, phrase, choice, detail)

    names = dict.fromkeys(
        "place" if word == "target" else word + "-with" * (bool(things) and word in ("next", "previous"))
        for word, *things in map(str.split, (*moves[-1:], read))
    )
    family = {"span": "between", "shared": "shared"}.get(kind, "-".join(names if hops > 1 else ("involved", *names)))
    return QuestionDraft((*path, read), write, family)


def _counted(source: DraftSource, hops: int, choice: Random) -> QuestionDraft | None:
    """The thing or action of exactly so many steps."""
    if choice.random() < 0.4:
        number = choice.choice([*Counter(thing for step in source.steps for thing in step.objects).values()] or [99])
        if number >= len(NUMBERS):
            return None
        return QuestionDraft(
            ("all", f"times {number} object"), partial(paths.counted, number, "", choice), "count-objects"
        )
    thing = choice.choice(source.things)
    counts = Counter(step.action for step in source.steps if thing in step.objects)
    if len(counts) < 2 or max(counts.values()) >= len(NUMBERS):
        return None
    number = choice.choice(sorted(counts.values()))
    return QuestionDraft(
        (f"of {thing}", f"times {number} action"), partial(paths.counted, number, thing, choice), "count-actions"
    )


WAYS: dict[int, tuple[Callable[[DraftSource, int, Random], QuestionDraft | None], ...]] = {
    1: (_end_of_event, _end_of_event, _deed_at_place, _deed_at_place, _end_of_walk),
    2: (*[_end_of_walk] * 6, _counted),
    3: (_end_of_walk,),
    4: (_end_of_walk,),
}
"""The kinds of drafts by the number of hops."""


def objection(reader: SecondReader, question: MadeQuestion) -> str:
    """Return why a question that one evaluator answers so is not confirmed by the other, or ""."""
    reply = reader.answer(question.text)
    if reply is None:
        return "not known to the second evaluator"
    if reply != question.answer:
        return "the evaluators differ" if reply else "ambiguous in words"
    if reply == PERSON or not reply.replace("-", "").isalnum():
        return "the answer is no plain name"
    return "the answer is in the question" if mentions(question.text, reply) else ""


def draw_questions(story: Narrative, choice: Random, most: int = 60, barred: AbstractSet[str] = frozenset()) -> Drawn:
    """Draw confirmed questions, about as many of each number of hops, at most so many, without barred answers."""
    source, reader = DraftSource(story), SecondReader(story)
    questions: dict[tuple[str, ...], MadeQuestion] = {}
    dropped = Counter[str]()
    for hops in range(1, MOST_HOPS + 1):
        wanted = most * hops // MOST_HOPS
        for _ in range(TRIES * (most // MOST_HOPS + 1)):
            if len(questions) >= wanted:
                break
            question = _drawn_question(source, hops, choice, barred)
            if isinstance(question, str):
                dropped[question] += 1
            elif reason := "drawn twice" if question.path in questions else objection(reader, question):
                dropped[reason] += 1
            else:
                questions[question.path] = question
    return Drawn(tuple(questions.values()), dropped)


def _drawn_question(source: DraftSource, hops: int, choice: Random, barred: AbstractSet[str]) -> MadeQuestion | str:
    """Return a question, or the reason why what was drawn is none."""
    draft = source.draft(hops, choice)
    # a reader makes one hop for finding a step and reading it, one more for each further one
    if draft is None or len(draft.path) - 1 + (draft.path[-1].split()[0] in DEEP) != hops:
        return "does not fit the step"
    try:
        name = paths.answer(source.timeline, draft.path)
    except LookupError:
        return "no single answer"
    if name in barred:
        return "the answer is too common"
    return MadeQuestion(draft.write(), name, draft.path, draft.family, hops)


class StoryNames:
    """The names of a story as shortcuts see them."""

    def __init__(self, story: Narrative) -> None:
        self.graphs = story.graphs
        names = names_by_role(story.graphs)
        nodes = {end for graph in story.graphs for source, _, target in graph for end in (source, target)}
        self.roles = {name: next((role for role in ROLES if name in names.get(role, ())), PLACE) for name in nodes}
        self.chance = 1 / (len(self.roles) or 1)
        """The credit of guessing among all names."""

    def kinds(self, question: MadeQuestion) -> tuple[tuple[str, str], ...]:
        """Return the kinds of a question that are spread evenly."""
        return ("family", question.family), ("hops", str(question.hops)), ("role", self.roles[question.answer])

    def credits(self, question: MadeQuestion) -> tuple[float, ...]:
        """Return the credits of guesses among handled things for a question, and what an answerer by mentions gains."""
        question_words = words(question.text)
        guesses = handled_things(self.graphs, question.text).values()
        shares = (names.count(question.answer) / len(names) if names else 0.0 for names in guesses)
        counts = {name: n for name, n in rivals(self.graphs, question.answer).items() if name not in question_words}
        features = dict(zip(counts, measured("mentions", list(counts.values())), strict=True))
        mine = features.get(question.answer, {})
        above = (
            (mine.get(name, 0.0) - math.fsum(each.get(name, 0.0) for each in features.values()) / (len(features) or 1))
            * (role == self.roles[question.answer])
            for name in MENTIONS
            for role in ROLES
        )
        return *shares, *(self.chance + gain for gain in above)


@dataclass
class QuestionChooser:
    """A choice of questions over many stories, of which only sums are kept.

    A shortcut gets a credit for each question: 1 where it answers it, a share where it cannot decide. The sum of
    credits is kept at the sum of chances.
    """

    seed: int
    excess: list[float] = field(default_factory=lambda: [0.0] * (GUESSES + len(MENTIONS) * len(ROLES)))
    """The credits above chance of each shortcut over the chosen questions."""
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
        names = StoryNames(story)
        barred = {name for name in names.roles if not self._may_answer(name, names.chance)}
        surplus, dropped = draw_questions(story, choice, max(24, SURPLUS * number), barred)
        options = {question: names.credits(question) for question in surplus if question.path not in avoided}
        chosen: list[MadeQuestion] = []
        while len(chosen) < number:
            penalties: dict[MadeQuestion, float] = {}
            for question, credits_ in options.items():
                totals = list(zip(self.excess, credits_, strict=True))
                guessed = [round(total, 9) + credit - names.chance for total, credit in totals[:GUESSES] if credit]
                if max(guessed, default=0.0) <= SLACK and self._may_answer(question.answer, names.chance):
                    gains = [total + credit - names.chance for total, credit in totals]
                    cost = self.cost(names, question) + 0.1 * choice.random()
                    penalties[question] = cost + math.fsum((1 if gain > 0 else BELOW) * gain * gain for gain in gains)
            if not penalties:
                dropped["too few questions keep shortcuts at chance" if options else "too few questions"] += 1
                break
            best = min(penalties, key=penalties.__getitem__)
            pairs = zip(self.excess, options[best], strict=True)
            self.excess = [total + (credit - names.chance) for total, credit in pairs]
            for name in names.roles:
                self.expected[name] += names.chance
            self.right[best.answer] += 1
            for kind, value in names.kinds(best):
                self.kinds[kind][value] += 1
            chosen.append(best)
            options = {question: gained for question, gained in options.items() if question.text != best.text}
        return Drawn(tuple(sorted(chosen, key=lambda question: question.hops)), dropped)

    def cost(self, names: StoryNames, question: MadeQuestion) -> float:
        """Return what speaks against a question: kinds and answers that are frequent already."""
        costs = []
        for kind, value in names.kinds(question):
            counts = self.kinds[kind]
            costs.append(EVEN[kind] * min(3.0, counts[value] * len(counts) / counts.total()) if counts else 0.0)
        name = question.answer
        above = (self.right[name] - self.expected[name]) / math.sqrt(1 + self.expected[name])
        return math.fsum(costs) + above

    def _may_answer(self, name: str, chance: float) -> bool:
        """Return whether always giving this name would not be far above chance after one more right answer."""
        expected = self.expected[name] + chance
        return self.right[name] + 1 - expected <= SLACK * max(1.0, SPREAD * math.sqrt(expected))


def question_row(story: Narrative, questions: Sequence[MadeQuestion]) -> dict[str, Any]:
    """Return a row of questions in the published format."""
    return {
        "item_id": story.id,
        "scenario_id": story.id,
        **row_facts(story),
        "context_graphs": [graph.triplets for graph in story.graphs],
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
