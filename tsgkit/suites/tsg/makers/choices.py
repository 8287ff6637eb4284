"""Choices: a graph that may follow a story, and five sentences, one of them about it (rows of ``sgds``).

    keys = KeyDeal(seed=1)
    sets, dropped = worded_sets(StoryView(story, PossibleSteps.of(story.graphs)), 10, seed=1)
    rows = [choice_row(story, keys.deal(story.id, one)) for one in sets]

The graph is drawn by lot from five that all might be shown (:mod:`tsgkit.suites.tsg.makers.option_sets`): the step of
the story, or another one in its place. All five are worded in one manner, before the lot is drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from tsgkit.graph.model import ActionGraph, Narrative, Vocabulary
from tsgkit.suites.tsg.makers.option_sets import SIZE, TAGS, Option, StoryView, option_sets, unfit
from tsgkit.suites.tsg.makers.sentence_checks import Surroundings, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, SUBJECTS, Manner, word
from tsgkit.suites.tsg.makers.stories import row_facts

OPENINGS = {
    "past": ("Then", "Next,", "After that,"),
    "past passive": ("Then", "Next,", "After that,"),
    "perfect": ("Now",),
}
USUAL_OPENINGS = ("Now", "Then", "Next,", "After that,")
OPENED = 0.4
"""The share of sentences with an opening word."""
FRONTED = 0.3
"""The share of sentences of a person in the present or past that begin with a place."""
MOST_SHARED = 2
"""So many options of a set may stand in another one of the same story."""


@dataclass(frozen=True)
class WordedSet:
    """Five options after the beginning of a story, with their sentences."""

    index: int
    """The number of steps before."""
    tag: str
    options: tuple[Option, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class Choice:
    """A set of options in the order in which they are shown, and the place of the one whose graph is shown."""

    worded: WordedSet
    position: int

    @property
    def target(self) -> ActionGraph:
        """The graph that is shown."""
        return self.worded.options[self.position].graph

    @property
    def kinds(self) -> list[str]:
        """The kinds of elements in which each option differs from the right one."""
        right = self.worded.options[self.position]
        return ["+".join(right.differences(option)) or "right" for option in self.worded.options]


@dataclass
class KeyDeal:
    """A deal of keys: options by lot, letters evenly within each tag and in all."""

    seed: int
    letters: Counter[tuple[str, int]] = field(default_factory=Counter)

    def deal(self, story: str, worded: WordedSet) -> Choice:
        """Return a set with a key."""
        choice = Random(f"{self.seed} key {story} {worded.index}")
        order = choice.sample(range(SIZE), SIZE)
        places = choice.sample(range(SIZE), SIZE)
        position = min(places, key=lambda place: (self.letters[worded.tag, place], self.letters["", place]))
        self.letters.update(((worded.tag, position), ("", position)))
        options, sentences = zip(*((worded.options[place], worded.sentences[place]) for place in order), strict=True)
        return Choice(replace(worded, options=options, sentences=sentences), position)


def worded_sets(
    view: StoryView, number: int, seed: int, avoided: Collection[int] = ()
) -> tuple[tuple[WordedSet, ...], Counter[str]]:
    """Return sets of a story, at most one for each step and half of each tag, and the reasons why there are no more."""
    choice = Random(f"{seed} {view.story.id}")
    dropped: Counter[str] = Counter()
    steps = []
    for index in range(len(view.graphs)):
        if reason := unfit(view, index):
            dropped[f"step: {reason}"] += 1
        elif index not in avoided:
            steps.append(index)
    left = {tag: choice.sample(steps, len(steps)) for tag in choice.sample(TAGS, len(TAGS))}
    found: list[WordedSet] = []
    while len(found) < number:
        counts = Counter(one.tag for one in found)
        open_tags = sorted((tag for tag in left if left[tag]), key=lambda tag: counts[tag])
        if not open_tags:
            dropped["story: no step left for another choice"] += number - len(found)
            break
        index = left[open_tags[0]].pop()
        worded = _worded_set(view, index, open_tags[0], found, choice)
        if worded is None:
            dropped[f"step: fewer than five sound options ({open_tags[0]})"] += 1
            continue
        found.append(worded)
        left = {tag: [one for one in steps if one != index] for tag, steps in left.items()}
    return tuple(sorted(found, key=lambda one: one.index)), dropped


def _worded_set(view: StoryView, index: int, tag: str, others: Sequence[WordedSet], choice: Random) -> WordedSet | None:
    """Return a set that is new in its story; None where a step has none that can be told soundly."""
    known = [{option.claim for option in other.options} for other in others]
    used = Counter(action for other in others for action in {option.action for option in other.options})
    for options in option_sets(view, index, tag, choice, used):
        claims = {option.claim for option in options}
        if any(len(claims & other) > MOST_SHARED for other in known):
            continue
        can_front = all(option.edge in ("into", "onto") and "-" not in option.action for option in options)
        manner = _manner(choice, can_front=can_front, counts_hands=options[0].is_counted)
        sentences = tuple(sentence_of(option, manner, view.graphs[:index]) for option in options)
        if all(sentences) and len(set(sentences)) == SIZE:
            return WordedSet(index, tag, options, sentences)
    return None


def _manner(choice: Random, *, can_front: bool, counts_hands: bool) -> Manner:
    style = choice.choice(STYLES)
    is_fronted = can_front and style in ("present", "past") and choice.random() < FRONTED
    is_opened = not is_fronted and choice.random() < OPENED
    return Manner(
        style,
        "counted" if counts_hands else "unsaid",
        subject=choice.choice(SUBJECTS),
        opening=choice.choice(OPENINGS.get(style, USUAL_OPENINGS)) if is_opened else "",
        is_fronted=is_fronted,
    )


def sentence_of(option: Option, manner: Manner, before: tuple[ActionGraph, ...]) -> str:
    """Return the sentence of an option; empty where no pattern words it, or where a check of sentences fails."""
    sentence = word(option.claim, manner)
    around = Surroundings(Vocabulary.of([*before, option.claim]), before=before)
    return "" if check_sentence(sentence, [option.claim], around) else sentence.text


def choice_row(story: Narrative, choice: Choice) -> dict[str, Any]:
    """Return a choice as a row of the published format."""
    worded = choice.worded
    return {
        "item_id": f"{story.id}/{worded.index}/{worded.tag}",
        "scenario_id": story.id,
        **row_facts(story),
        "context_graphs": [_lists(graph) for graph in story.graphs[: worded.index]],
        "triplet": _lists(choice.target),
        "target_sentence": worded.sentences[choice.position],
        "position": choice.position,
        "variations": list(worded.sentences),
        "variation_triplets": [_lists(option.graph) for option in worded.options],
        "kinds": choice.kinds,
        "tags": [worded.tag],
    }


def _lists(graph: ActionGraph) -> list[list[str]]:
    return [list(triplet) for triplet in graph.triplets]
