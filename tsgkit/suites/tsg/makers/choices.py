"""Choices: a graph that may follow a story, and five sentences, one of them about it (rows of ``sgds``).

    keys = KeyDeal(seed=1)
    sets, dropped = worded_sets(StoryView(story, possible_steps(story.graphs)), 10, seed=1)
    rows = [choice_row(story, keys.deal(story.id, options)) for options in sets]

The graph is drawn by lot from five that all might be shown: the step of the story, or another one in its place. So
nothing in the five sentences can give it away, whatever a program learns from other choices. All five are worded in one
manner, before the lot is drawn, and say the same names of a graph: actions have other names there
(:func:`tsgkit.suites.tsg.makers.claims.other_words`), and the options differ in actions, prepositions and the number of
hands.

Steps with the same thing and the same place or tool are a frame: their sentences differ in what is done. Nothing is
inferred from other things: only an action that is seen with exactly these is possible.

>>> hang = ActionGraph.of(("person", "verb", "hang"), ("hang", "dobj", "cup"), ("hang", "on", "hook"))
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "brush"))
>>> for frame, entries in possible_steps([hang, wash]).items():
...     print(frame, [*entries])
SentenceFrame(thing='cup', place='hook', tool='') [FrameAction(action='hang', edge='on')]
SentenceFrame(thing='cup', place='', tool='brush') [FrameAction(action='wash', edge='')]
SentenceFrame(thing='cup', place='', tool='') [FrameAction(action='wash', edge='')]
>>> open_ = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> close = ActionGraph.of(("person", "verb", "close"), ("close", "dobj", "jar"), ("close", "with", "hand1"))
>>> view = StoryView(Narrative.of([open_, close]), possible_steps([open_, close]))
>>> [str(option.graph).splitlines()[0] for option in options_for(view, 1, SentenceFrame("jar"))]
['person -> verb -> shut']
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from random import Random
from typing import Any, NamedTuple

from tsgkit.graph.hands import GRASPS, hand_step, trace
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Narrative, Triplet, Vocabulary
from tsgkit.graph.rules import ERROR, check_graph
from tsgkit.suites.audits.items import AuditedItem
from tsgkit.suites.audits.shortcuts import credit, like_names
from tsgkit.suites.tsg.makers.claims import (
    KIN_ACTIONS,
    hands_of,
    may_be_same_thing,
    may_be_true,
    other_words,
    surely_conflicting,
)
from tsgkit.suites.tsg.makers.sentence_checks import SentenceNeighbours, check_sentence
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, SUBJECTS, Manner, is_plural, word
from tsgkit.suites.tsg.makers.stories import row_facts

ONE_ELEMENT, MIXED = "one-element", "mixed"
TAGS = (ONE_ELEMENT, MIXED)
SIZE = 5
TRIES = 8
"""The number of orders in which a set is sought."""
AMONG = ("between", "among")
"""Prepositions that need several things."""
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


class SentenceFrame(NamedTuple):
    """The parts that all sentences of a choice say beside the action: its object, and a place, a tool or neither."""

    thing: str
    place: str = ""
    tool: str = ""


class FrameAction(NamedTuple):
    """An action in a frame, with the preposition before the place."""

    action: str
    edge: str = ""


PossibleSteps = Mapping[SentenceFrame, Mapping[FrameAction, bool]]
"""The entries of each frame; the value is true where the hands that do it may be counted."""


@dataclass(frozen=True)
class GraphOption:
    """A graph that may be shown, and what a sentence claims of it, with another name for the action."""

    graph: ActionGraph
    claim: ActionGraph
    edge: str = ""
    """The preposition before the place."""

    @cached_property
    def action(self) -> str:
        """The action as it is said."""
        return self.claim.actions[0]

    @cached_property
    def claims(self) -> tuple[ActionGraph, ActionGraph]:
        """The claim by either name of its action."""
        return self.claim, _renamed(self.claim.triplets, self.action, self.graph.actions[0])

    @cached_property
    def is_counted(self) -> bool:
        """True if it says hands."""
        return bool(hands_of(self.claim))

    def differences(self, rival: GraphOption) -> tuple[str, ...]:
        """Return the kinds of elements in which another option differs."""
        pairs = {
            "action": (self.action, rival.action),
            "hand": (hands_of(self.claim), hands_of(rival.claim)),
            "preposition": (self.edge, rival.edge),
        }
        return tuple(kind for kind, (mine, theirs) in pairs.items() if mine != theirs)

    def may_tell(self, step: ActionGraph) -> bool:
        """Return whether it may be said of a step, by either name of its action."""
        return any(may_be_true(claim, step, hands=self.is_counted, counted=self.is_counted) for claim in self.claims)


class StoryView:
    """A story with its possible steps, and with what its hands hold before each step."""

    def __init__(self, story: Narrative, possible: PossibleSteps) -> None:
        self.story, self.possible, self.graphs = story, possible, story.graphs
        self.hands = [step.before for step in trace(story)]


@dataclass(frozen=True)
class WordedSet:
    """Five options after the beginning of a story, with their sentences."""

    index: int
    """The number of steps before."""
    tag: str
    options: tuple[GraphOption, ...]
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class OptionSet:
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

    def deal(self, story: str, worded: WordedSet) -> OptionSet:
        """Return a set with a key."""
        choice = Random(f"{self.seed} key {story} {worded.index}")
        order = choice.sample(range(SIZE), SIZE)
        places = choice.sample(range(SIZE), SIZE)
        position = min(places, key=lambda index: (self.letters[worded.tag, index], self.letters["", index]))
        self.letters.update(((worded.tag, position), ("", position)))
        options, sentences = zip(*((worded.options[index], worded.sentences[index]) for index in order), strict=True)
        return OptionSet(replace(worded, options=options, sentences=sentences), position)


def possible_steps(attested: Iterable[ActionGraph], added: Iterable[ActionGraph] = ()) -> PossibleSteps:
    """Return the steps that stories have and those that are added to them.

    A step has a frame for each place; without any, one for each tool and one of its object alone. An added step that
    both hands do is as possible with one hand.
    """
    steps: dict[SentenceFrame, dict[FrameAction, bool]] = {}
    for graphs, is_added in ((attested, False), (added, True)):
        for graph in graphs:
            things = [end for _, edge, end in graph.triplets if edge == DOBJ]
            if len(graph.actions) != 1 or len(things) != 1:
                continue
            [action], [thing] = graph.actions, things
            ends = [(edge, end) for source, edge, end in graph.triplets if source == action and end not in HANDS]
            places = [(edge, end) for edge, end in ends if edge not in (DOBJ, WITH)]
            if places:
                sound = (phrase for phrase in places if phrase[0] not in AMONG or is_plural(phrase[1]))
                entries = [(SentenceFrame(thing, end), FrameAction(action, edge)) for edge, end in sound]
            else:
                entries = [(SentenceFrame(thing, tool=end), FrameAction(action)) for edge, end in ends if edge == WITH]
                entries.append((SentenceFrame(thing), FrameAction(action)))
            for frame, entry in entries:
                known = steps.setdefault(frame, {})
                known[entry] = known.get(entry, False) or (is_added and len(hands_of(graph)) > 1)
    return steps


def unfit(view: StoryView, index: int) -> str:
    """Return why no choice is made at a step; empty if one can be."""
    target = view.graphs[index]
    if index == 0:
        return "nothing before it"
    if len(target.actions) != 1 or any(finding.severity == ERROR for finding in check_graph(target)):
        return "not one action in a sound graph"
    return "" if [edge for _, edge, _ in target.triplets].count(DOBJ) == 1 else "not one direct object"


def options_for(
    view: StoryView, index: int, frame: SentenceFrame, *, counts_hands: bool = False
) -> Iterator[GraphOption]:
    """Yield the options of a frame that are possible at a step and surely tell none of the steps before.

    Hands that may do it are free or hold one of its things; they are those of the story's step if these are free. Where
    hands are counted, both hands follow one.
    """
    target, state = view.graphs[index], view.hands[index]
    contents = {hand: state.of(hand) or () for hand in HANDS}
    used = [hand for hand in HANDS if hand in hands_of(target)]
    free = [hand for hand in HANDS if not contents[hand] or not {*frame}.isdisjoint(contents[hand])]
    if not counts_hands and {*used} <= {*free}:
        grips = [used]
    else:
        free.sort(key=lambda hand: (frame.thing not in contents[hand], hand not in used))
        grips = [hands for hands in (free[:1], [*HANDS])[: 1 + counts_hands] if hands and {*hands} <= {*free}]
    is_held = any(frame.thing in things for things in contents.values())
    earlier = [
        step
        for step in view.graphs[:index]
        if any(edge == DOBJ and may_be_same_thing(end, frame.thing) for _, edge, end in step.triplets)
    ]
    apart = {PERSON, *target.actions}, {frame.place, frame.tool, *HANDS}
    # what the story's step says of where its things are, like *bolt on brake*, stays
    whereabouts = [each for each in target.triplets if each.source not in apart[0] and each.target not in apart[1]]
    for entry, is_countable in view.possible[frame].items():
        action, edge = entry
        if action in frame or (counts_hands and not is_countable) or (is_held and action in GRASPS):
            continue
        ends = [(DOBJ, frame.thing), (edge, frame.place), (WITH, frame.tool)]
        step = [Triplet(PERSON, VERB, action), *(Triplet(action, *end) for end in ends if end[1])]
        claim = _reached(list(dict.fromkeys(step + whereabouts)))
        for name in other_words(*entry):
            for hands in grips if name not in frame else ():
                handled = [*claim, *(Triplet(action, WITH, hand) for hand in hands)]
                graph = _renamed(handled, action, name)
                option = GraphOption(graph, ActionGraph(handled if counts_hands else claim), edge)
                if not any(map(option.may_tell, earlier)) and not (
                    hands and any(hand_step(0, variant, state).breaches for variant in (graph, ActionGraph(handled)))
                ):
                    yield option


def _reached(triplets: Sequence[Triplet]) -> list[Triplet]:
    """Return the triplets that the person leads to."""
    ends = {PERSON}
    while more := {target for source, _, target in triplets if source in ends} - ends:
        ends |= more
    return [triplet for triplet in triplets if triplet.source in ends]


def _renamed(triplets: Sequence[Triplet], action: str, name: str) -> ActionGraph:
    return ActionGraph([Triplet(*(name if part == action else part for part in triplet)) for triplet in triplets])


@lru_cache(maxsize=20_000)
def _exclude(option: GraphOption, rival: GraphOption) -> bool:
    """Return whether surely neither option tells the graph of the other, by either name of its action."""
    if option.action != rival.action and not surely_conflicting(option.edge, rival.edge):
        names = [{mine.actions[0], theirs.actions[0]} for mine in option.claims for theirs in rival.claims]
        if any(pair <= kin for kin in KIN_ACTIONS for pair in names):
            return False
    pairs = permutations((option, rival))
    return not any(mine.may_tell(step) for mine, theirs in pairs for step in (theirs.graph, theirs.claim))


def option_sets(
    view: StoryView, index: int, tag: str, choice: Random, used: Mapping[str, int]
) -> Iterator[tuple[GraphOption, ...]]:
    """Yield sets of five options that exclude each other, by lot; those that count hands come last.

    Actions that are used less often than others, in the choices before, are preferred. Options of one element differ in
    as many words.
    """
    thing = next(end for _, edge, end in view.graphs[index].triplets if edge == DOBJ)
    kinds = (False,) if tag == ONE_ELEMENT else (False, True)
    frames = [(frame, is_counted) for frame in view.possible if frame.thing == thing for is_counted in kinds]
    choice.shuffle(frames)
    for frame, is_counted in sorted(frames, key=lambda pair: pair[1]):
        options = [*options_for(view, index, frame, counts_hands=is_counted)]
        for _ in range(TRIES if len(options) >= SIZE else 0):
            choice.shuffle(options)
            options.sort(key=lambda option: used.get(option.action, 0))
            chosen: list[GraphOption] = []
            for option in options:
                shapes = {(each.edge, each.action.count("-")) for each in (option, *chosen[:1])}
                if (tag == MIXED or len(shapes) == 1) and all(_exclude(option, rival) for rival in chosen):
                    chosen.append(option)
                    if len(chosen) == SIZE:
                        break
            if len(chosen) == SIZE and _is_sound(chosen, tag):
                yield tuple(chosen)
                break


def _is_sound(options: Sequence[GraphOption], tag: str) -> bool:
    """Return whether options differ in as many kinds of elements as the tag says, in hands where they are said.

    The option with most names of the shown graph must be right no more often than by guessing.
    """
    kinds = {kind for option, rival in combinations(options, 2) for kind in option.differences(rival)}
    if (len(kinds) == 1) is not (tag == ONE_ELEMENT) or ("hand" in kinds) is not options[0].is_counted:
        return False
    texts = tuple(
        " ".join(part.replace("-", " ") for triplet in option.claim.triplets for part in triplet) for option in options
    )
    rights = 0.0
    for index, option in enumerate(options):
        names = frozenset(end for source, _, target in option.graph for end in (source, target)) - {PERSON, *HANDS}
        item = AuditedItem("", "", "", options=texts, key=index, names=names)
        rights += credit(item, like_names(item))
    return rights <= 1 + 1e-9


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
    sets: list[WordedSet] = []
    while len(sets) < number:
        counts = Counter(each.tag for each in sets)
        tag = min((tag for tag in left if left[tag]), key=lambda tag: counts[tag], default=None)
        if tag is None:
            dropped["story: no step left for another choice"] += number - len(sets)
            break
        worded = _worded_set(view, left[tag].pop(), tag, sets, choice)
        if worded is None:
            dropped[f"step: fewer than five sound options ({tag})"] += 1
            continue
        sets.append(worded)
        left = {tag: [index for index in steps if index != worded.index] for tag, steps in left.items()}
    return tuple(sorted(sets, key=lambda each: each.index)), dropped


def _worded_set(view: StoryView, index: int, tag: str, others: Sequence[WordedSet], choice: Random) -> WordedSet | None:
    """Return a set that is new in its story; None where a step has none that can be told soundly."""
    known = [{option.claim for option in earlier.options} for earlier in others]
    used = Counter(action for earlier in others for action in {option.action for option in earlier.options})
    before = view.graphs[:index]
    for options in option_sets(view, index, tag, choice, used):
        claims = {option.claim for option in options}
        if any(len(claims & earlier) > MOST_SHARED for earlier in known):
            continue
        style = choice.choice(STYLES)
        can_front = all(option.edge in ("into", "onto") and "-" not in option.action for option in options)
        is_fronted = can_front and style in ("present", "past") and choice.random() < FRONTED
        is_opened = not is_fronted and choice.random() < OPENED
        manner = Manner(
            style,
            "counted" if options[0].is_counted else "unsaid",
            subject=choice.choice(SUBJECTS),
            opening=choice.choice(OPENINGS.get(style, USUAL_OPENINGS)) if is_opened else "",
            is_fronted=is_fronted,
        )
        texts: list[str] = []
        for option in options:
            sentence = word(option.claim, manner)
            around = SentenceNeighbours(Vocabulary.of([*before, option.claim]), before=before)
            if not check_sentence(sentence, [option.claim], around):
                texts.append(sentence.text)
        if len({*texts} - {""}) == SIZE:
            return WordedSet(index, tag, options, tuple(texts))
    return None


def choice_row(story: Narrative, choice: OptionSet) -> dict[str, Any]:
    """Return a choice as a row of the published format."""
    worded = choice.worded
    return {
        "item_id": f"{story.id}/{worded.index}/{worded.tag}",
        "scenario_id": story.id,
        **row_facts(story),
        "context_graphs": [graph.triplets for graph in story.graphs[: worded.index]],
        "triplet": choice.target.triplets,
        "target_sentence": worded.sentences[choice.position],
        "position": choice.position,
        "variations": list(worded.sentences),
        "variation_triplets": [option.graph.triplets for option in worded.options],
        "kinds": choice.kinds,
        "tags": [worded.tag],
    }
