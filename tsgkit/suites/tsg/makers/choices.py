"""Choices: a step of a story, and five sentences of which one describes it (rows of ``sgds``).

    chooser = ChoiceChooser(seed=1)
    for story, chosen, dropped in choose_choices(stories, 10, writer, chooser):
        rows = [choice_row(story, choice) for choice in chosen]

For each step more choices are drawn than are needed; of these one is chosen, such that no shortcut that
:mod:`tsgkit.suites.tsg.makers.choice_shortcuts` knows beats chance, of all choices and of each tag. Graphs are drawn,
worded and chosen apart: the sentences are written by a function that is given a graph and a manner, the same for right
and wrong ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import comb
from random import Random
from typing import Any

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative
from tsgkit.suites.tsg.makers.attestations import Attestations
from tsgkit.suites.tsg.makers.balance import Balance, Option
from tsgkit.suites.tsg.makers.choice_designs import (
    MIXED,
    ONE_ELEMENT,
    TAGS,
    WRONG,
    Design,
    Drawing,
    Variant,
    designs,
    is_rich,
    prospects,
)
from tsgkit.suites.tsg.makers.choice_shortcuts import NAMES, ChoiceView, WordBalance, credits_of, most_usual
from tsgkit.suites.tsg.makers.manners import Manner
from tsgkit.suites.tsg.makers.sentences import Sentence
from tsgkit.suites.tsg.makers.wrong_steps import StoryView, is_well_formed

Word = Callable[[ActionGraph, Manner], Sentence]
"""Writes a graph; an empty text where it cannot."""
Writer = Callable[[Narrative, int], Word]
"""Returns what writes the candidates of one step."""
CANDIDATES = WRONG + 1
FEWEST_TRIPLETS = 3
RECENT = 3
KEPT = 4
"""The number of steps of which one is chosen."""
WORDED = {ONE_ELEMENT: 2, MIXED: 2}
"""The number of designs that are worded for a step."""
DRAWN = 4
"""The number of sets of wrong candidates that are drawn from a design."""
CONTRAST_COST = 4.0
"""The cost of contrasts, which balance well but read alike."""
NAMES_COST = 16.0
"""The weight of the names of the graph, whose shares vary so little that a small excess would show."""
USUAL_COST = 6.0
"""The cost of a right sentence that is the most usual one; most steps allow no other, so that no sum is kept."""
WORD_COST = 1.0
_LONE = re.compile(r"(?<![\w'])A(?![\w'])")


@dataclass(frozen=True)
class Candidate:
    """A sentence of a choice, and what it describes."""

    sentence: str
    graph: ActionGraph | None
    """None where it denies an action."""
    kind: str
    worded: ActionGraph | None = None
    """The graph as it is said: perhaps with another preposition, or with a part unsaid."""


@dataclass(frozen=True)
class Choice:
    """A step with its candidates, the right one first."""

    index: int
    target: ActionGraph
    candidates: tuple[Candidate, ...]
    tag: str
    design: str = ""
    style: str = ""
    order: tuple[int, ...] = tuple(range(CANDIDATES))
    """The candidates in the order in which they are shown."""

    @property
    def position(self) -> int:
        """The place of the right one among the shown ones."""
        return self.order.index(0)

    @property
    def shown(self) -> tuple[Candidate, ...]:
        """The candidates as they are shown."""
        return tuple(self.candidates[number] for number in self.order)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The sentences, the right one first."""
        return tuple(candidate.sentence for candidate in self.candidates)


def unfit(view: StoryView, index: int) -> str:
    """Return why a step is no target of a choice; empty if it can be one."""
    target = view.graphs[index]
    if index == 0:
        return "nothing before it"
    if len(target) < FEWEST_TRIPLETS:
        return "fewer than three triplets"
    if len(target.actions) != 1 or not is_well_formed(target):
        return "not one action in a sound graph"
    return "happened before" if target in view.graphs[:index] else ""


def choice_options(view: StoryView, index: int, tag: str, word: Word, drawing: Drawing) -> list[Option[Choice]]:
    """Return choices about a step with one right sentence and different wrong ones, with the credits of shortcuts."""
    target = view.graphs[index]
    found: dict[frozenset[str], Option[Choice]] = {}
    worded = 0
    for design in designs(view, index, tag, drawing):
        right, wrong = _worded(design, word)
        if right is None or len(wrong) < WRONG:
            continue
        for chosen in _sets(wrong, drawing):
            candidates = (right, *chosen)
            drawn = Choice(index, target, candidates, tag, design.name, design.manner.style)
            found.setdefault(frozenset(drawn.sentences), _option(view, drawn, _cost(design)))
        worded += 1
        if worded == WORDED[tag]:
            break
    return list(found.values())


def _option(view: StoryView, drawn: Choice, cost: float = 0.0) -> Option[Choice]:
    """Return a choice with the credits of shortcuts."""
    names = tuple(dict.fromkeys(_ends(drawn.target)))
    edges = tuple(triplet.edge for triplet in drawn.target.triplets if triplet.edge not in (VERB, DOBJ, WITH))
    steps = view.graphs[max(0, drawn.index - RECENT) : drawn.index]
    recent = tuple(name for graph in steps for name in _ends(graph))
    said = (one.worded or one.graph or drawn.target for one in drawn.candidates)
    usual = tuple(view.attestations.share(graph, drawn.target) for graph in said)
    credits_ = credits_of(ChoiceView(drawn.sentences, names, (*names, *edges), recent))
    return Option(drawn, credits_, 1 / CANDIDATES, drawn.tag, cost + USUAL_COST * most_usual(usual))


def reworded(view: StoryView, choice: Choice, sentences: Sequence[str]) -> Option[Choice]:
    """Return a choice with other sentences, the right one first, with the credits of shortcuts."""
    candidates = tuple(replace(one, sentence=text) for one, text in zip(choice.candidates, sentences, strict=True))
    return _option(view, replace(choice, candidates=candidates, style="", design=f"{choice.design}, reworded"))


def _cost(design: Design) -> float:
    return CONTRAST_COST if design.right.contrast else 0.0


def _sets(wrong: Sequence[Candidate], drawing: Drawing) -> Iterator[Sequence[Candidate]]:
    """Yield sets of four, each once."""
    most = min(DRAWN, comb(len(wrong), WRONG))
    seen: set[frozenset[int]] = set()
    while len(seen) < most:
        places = drawing.choice.sample(range(len(wrong)), WRONG)
        if frozenset(places) not in seen:
            seen.add(frozenset(places))
            yield [wrong[place] for place in places]


@dataclass
class ChoiceChooser:
    """A choice of options such that no shortcut beats chance, with even keys. Only sums are kept."""

    seed: int
    attestations: Attestations | None = None
    """What is usual in all stories; None for what is usual in each."""
    balance: Balance = field(default_factory=Balance)
    words: dict[str, WordBalance] = field(default_factory=lambda: {tag: WordBalance() for tag in TAGS})
    """The balance of words for each tag."""
    keys: Counter[tuple[str, int]] = field(default_factory=Counter)
    made: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._choice = Random(self.seed)

    @property
    def wanted(self) -> str:
        """The tag of the next choice, so that half are of each and no fewer ``one-element``."""
        return MIXED if self.made[MIXED] < self.made[ONE_ELEMENT] else ONE_ELEMENT

    def excess_of(self, shortcut: str, tag: str) -> float:
        """Return how much more often than guessing a shortcut was right up to now."""
        sums = self.balance.excess.get(tag)
        return sums[NAMES.index(shortcut)] if sums else 0.0

    def choose(self, options: Sequence[Option[Choice]]) -> Choice:
        """Choose one of the options and the place of its right sentence."""
        rated = []
        for tag in TAGS:
            mine = [option for option in options if option.value.tag == tag]
            rate = self.words[tag].rate(dict.fromkeys(text for option in mine for text in option.value.sentences))
            for option in mine:
                cost, learned = rate(option.value.sentences)
                gain = option.credits[NAMES.index("graph names")] - option.chance
                more = option.cost + WORD_COST * cost + NAMES_COST * gain * self.excess_of("graph names", tag)
                rated.append(replace(option, credits=(*option.credits, learned), cost=more))
        chosen = self.balance.choose(rated).value
        self.words[chosen.tag].count(chosen.sentences)
        self.made[chosen.tag] += 1
        return replace(chosen, order=self._order(chosen.tag))

    def _order(self, tag: str) -> tuple[int, ...]:
        """Return an order whose key is one of the rarest of the tag, and then of all."""
        places = list(range(CANDIDATES))
        self._choice.shuffle(places)
        position = min(places, key=lambda place: (self.keys[tag, place], self.keys["", place]))
        self.keys[tag, position] += 1
        self.keys["", position] += 1
        wrong = list(range(1, CANDIDATES))
        self._choice.shuffle(wrong)
        return (*wrong[:position], 0, *wrong[position:])


Chosen = tuple[Narrative, tuple[Choice, ...], Counter[str]]


def choose_choices(
    stories: Iterable[Narrative],
    per_story: int,
    writer: Writer,
    styles: Sequence[str],
    chooser: ChoiceChooser,
    avoids: Callable[[Narrative], Collection[int]] = lambda _: (),
) -> Iterator[Chosen]:
    """Yield each story with its choices, in the order of its steps, and the reasons why other steps made none.

    ``avoids`` names steps of a story that are not used.
    """
    for story in stories:
        supply = _Supply(StoryView(story, chooser.attestations), writer, styles, chooser)
        for index in avoids(story):
            supply.remove(index)
        chosen: list[Choice] = []
        while len(chosen) < per_story:
            tag = chooser.wanted
            options = supply.options(tag)
            if not options:
                supply.dropped[f"story: no step left for another choice ({tag})"] += 1
                break
            chosen.append(chooser.choose(options))
            supply.remove(chosen[-1].index)
        yield story, tuple(sorted(chosen, key=lambda one: one.index)), supply.dropped


class _Supply:
    """The options of a story: those of a new step each time, beside those of steps that were not chosen."""

    def __init__(self, view: StoryView, writer: Writer, styles: Sequence[str], chooser: ChoiceChooser) -> None:
        self._view, self._writer = view, writer
        self.dropped: Counter[str] = Counter()
        self._choice = Random(f"{chooser.seed} {view.story.id}")
        self._drawings = {tag: self._drawing(tag, styles, chooser) for tag in TAGS}
        fit = _targets(view, self.dropped)
        self._left = {tag: list(fit) for tag in TAGS}
        self._kept: dict[str, dict[int, list[Option[Choice]]]] = {tag: {} for tag in TAGS}

    def options(self, tag: str) -> list[Option[Choice]]:
        """Return the options for the next choice; none if no step is left."""
        kept = self._kept[tag]
        while (index := self._next(tag)) is not None:
            self._left[tag].remove(index)
            word = self._writer(self._view.story, index)
            if found := choice_options(self._view, index, tag, word, self._drawings[tag]):
                kept[index] = found
                break
            self.dropped[f"step: fewer than four sound wrong sentences ({tag})"] += 1
        return [option for options in list(kept.values())[-KEPT:] for option in options]

    def _drawing(self, tag: str, styles: Sequence[str], chooser: ChoiceChooser) -> Drawing:
        literal_cost = partial(chooser.excess_of, "graph elements", tag)
        return Drawing(self._choice, styles, chooser.words[tag].appeal, literal_cost, self.dropped)

    def remove(self, index: int) -> None:
        """Use a step for no other choice."""
        for tag in TAGS:
            self._kept[tag].pop(index, None)
            if index in self._left[tag]:
                self._left[tag].remove(index)

    def _next(self, tag: str) -> int | None:
        """Return a new step, by lot or the one that balances words best; None if none fits."""
        if not (left := self._left[tag]):
            return None
        if tag == MIXED:
            good = [index for index in left if is_rich(self._view, index)]
            return self._choice.choice(good or left)
        found = prospects(self._view, left, self._drawings[tag])
        rated = ((rate, self._choice.random(), index) for rate, index in found)
        *_, best = min(rated, default=(None,))
        return best


def choice_row(story: Narrative, choice: Choice) -> dict[str, Any]:
    """Return a choice as a row of the published format."""
    shown = choice.shown
    row: dict[str, Any] = {
        "item_id": f"{story.id}/{choice.index}/{choice.tag}",
        "scenario_id": story.id,
        **{name: value for name, value in story.facts if name == "domain"},
        "context_graphs": [_lists(graph) for graph in story.graphs[: choice.index]],
        "triplet": _lists(choice.target),
        "target_sentence": choice.candidates[0].sentence,
        "position": choice.position,
        "variations": [candidate.sentence for candidate in shown],
    }
    graphs = [candidate.graph for candidate in shown if candidate.graph is not None]
    if len(graphs) == len(shown):
        row["variation_triplets"] = [_lists(graph) for graph in graphs]
    return row | {"kinds": [candidate.kind for candidate in shown], "tags": [choice.tag]}


def _targets(view: StoryView, dropped: Counter[str]) -> list[int]:
    fit = []
    for index in range(len(view.graphs)):
        if reason := unfit(view, index):
            dropped[f"step: {reason}"] += 1
        else:
            fit.append(index)
    return fit


def _worded(design: Design, word: Word) -> tuple[Candidate | None, list[Candidate]]:
    """Return the right candidate and the wrong ones, each text once; None where the right one cannot be written."""
    right = _candidate(design, design.right, word)
    if right is None:
        return None, []
    texts = {_plain(right.sentence)}
    wrong = []
    for variant in design.wrong:
        one = _candidate(design, variant, word)
        if one is not None and _plain(one.sentence) not in texts:
            texts.add(_plain(one.sentence))
            wrong.append(one)
    return right, wrong


def _candidate(design: Design, variant: Variant, word: Word) -> Candidate | None:
    manner = replace(design.manner, contrast=variant.contrast, is_denied=variant.is_denied)
    text = word(variant.worded, manner).text
    return Candidate(text, variant.graph, variant.kind, variant.worded) if text and not _LONE.search(text) else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", text.lower()))


def _ends(graph: ActionGraph) -> Iterator[str]:
    for triplet in graph.triplets:
        yield from (end for end in (triplet.source, triplet.target) if end not in (PERSON, *HANDS))


def _lists(graph: ActionGraph) -> list[list[str]]:
    return [list(triplet) for triplet in graph.triplets]
