"""Rows of generation tasks: graphs grouped for sentences, L of each story, and labels of what is hard about a row.

>>> from tsgkit.graph.model import ActionGraph
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "in", "sink"))
>>> saw = ActionGraph.of(("person", "verb", "saw"), ("saw", "dobj", "plank"), ("saw", "on", "trestle"))
>>> [len(one.graphs) for one in grouped(Narrative.of([wash, saw, wash]), parse_mix("2"), Random(0)).descriptions]
[2, 1]
>>> pool = ElementPool()
>>> for graph in (wash, saw):
...     pool.add(Narrative.of([graph]))
>>> story = Narrative((Description("He gives the cup a bath.", (wash,)),), id="tea")
>>> story = with_vocabulary(story, pool, 0.5, Random(0))
>>> story.vocabulary.objects, story.vocabulary.verbs, story.vocabulary.relationships
(('person', 'hand1', 'hand2', 'cup', 'sink', 'trestle'), ('wash', 'saw'), ('verb', 'dobj', 'in', 'on'))
>>> [row] = generation_rows(story, {})
>>> row["item_id"], row["k"], row["tags"]
('tea/0', 1, ['implicit'])

L has the elements of a story's graphs, and a share of elements that occur in other stories but not in this one. These
must not be meant by anything in the story: they are no other form of an element, no sentence mentions them, and an
added action is not near one that a sentence tells in other words (*trim* where *snip* means cut).

Labels: ``implicit`` (no word of the sentence names an action), ``repetition``, ``synonym`` (an element under another
name, listed in ``synonyms``), ``homonym``, ``two_hands``, ``transfer`` (a thing changes hands), ``bare``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import groupby
from math import ceil
from random import Random
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, Description, Frames, Narrative, Vocabulary
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import mentions, same_word
from tsgkit.lexicon.prepositions import compatible
from tsgkit.library.documents.rows import sgg_rows
from tsgkit.suites.tsg.makers.claims import are_near
from tsgkit.suites.tsg.makers.sentences import GraphSentence
from tsgkit.suites.tsg.makers.stories import row_facts

LARGEST = 8
"""The most graphs of one description, as in published data."""
DEFAULT_MIX = "1:6,2:2,3:1,4:1"
MOST_TIMES = 4
"""A repeated action is done at most this often."""
FORM = "as in 1:6,2:2,3:1, or one size for all: 3"
LISTS = ("objects", "verbs", "relationships")
FIXED = (PERSON, *HANDS, VERB, DOBJ)
"""The elements that every L has."""
BARE = "bare"
PRONOUNS = frozenset(("it", "its", "them", "they", "their", "that", "this", "these", "those", "one", "both"))


def parse_mix(text: str) -> dict[int, float]:
    """Return the weights of group sizes, from ``SIZE:WEIGHT,...`` or ``SIZE``.

    Raise ``UsageError`` for another form.
    """
    weights: dict[int, float] = {}
    for part in text.split(","):
        size, _, weight = part.strip().partition(":")
        try:
            weights[int(size)] = float(weight or 1)
        except ValueError:
            raise UsageError(f"--mix {text}: {part!r:.40} is not SIZE:WEIGHT", hint=FORM) from None
    if not all(1 <= size <= LARGEST for size in weights):
        raise UsageError(f"--mix {text}: a description has 1 to {LARGEST} graphs", hint=FORM)
    if not all(0 <= weight < 1e9 for weight in weights.values()) or not any(weights.values()):
        raise UsageError(f"--mix {text}: weights are not negative, and one is above 0", hint=FORM)
    return weights


def grouped(story: Narrative, mix: Mapping[int, float], choice: Random, *, anew: bool = False) -> Narrative:
    """Return a story whose graphs are grouped by a mix of sizes; with ``anew``, also those that have a sentence.

    A group never reaches over a gap or a sentence that stays. Its frames are from the first start to the last end; None
    where some are unknown.
    """
    descriptions: list[Description] = []
    for is_loose, run in groupby(story.descriptions, lambda each: bool(each.graphs) and (anew or each.text is None)):
        if not is_loose:
            descriptions += run
            continue
        pieces = [(graph, description.frames) for description in run for graph in description.graphs]
        while pieces:
            [size] = choice.choices([*mix], [*mix.values()])
            graphs, frames = zip(*pieces[:size], strict=True)
            pieces, span = pieces[size:], None
            if None not in frames:
                span = Frames(
                    frames[0].turning_point, min(each.start for each in frames), max(each.end for each in frames)
                )
            descriptions.append(Description(None, graphs, span))
    return replace(story, descriptions=tuple(descriptions))


def repeated(story: Narrative, share: float, choice: Random) -> Narrative:
    """Return a story in which, in a share of the descriptions without a text, one action is done several times.

    Only actions that neither take nor release nor pass anything are repeated, so that the hands stay right.
    """
    descriptions, moving = list[Description](), GRASPS | RELEASES | TRANSFERS
    for description in story.descriptions:
        graphs = description.graphs
        places = [index for index, graph in enumerate(graphs) if graph.actions and graph.actions[0] not in moving]
        room = LARGEST - len(graphs)
        if description.text is None and places and room and choice.random() < share:
            times = choice.randint(1, min(MOST_TIMES - 1, room))
            at = choice.choice(places)
            description = replace(description, graphs=(*graphs[:at], *[graphs[at]] * times, *graphs[at:]))
        descriptions.append(description)
    return replace(story, descriptions=tuple(descriptions))


@dataclass
class ElementPool:
    """The elements of many stories by list of L."""

    elements: dict[str, set[str]] = field(default_factory=lambda: {name: set() for name in LISTS})
    stories: int = 0

    def add(self, story: Narrative) -> None:
        """Add the elements of a story."""
        used = Vocabulary.of(story.graphs)
        self.stories += 1
        for name in LISTS:
            self.elements[name].update(getattr(used, name))


def with_vocabulary(
    story: Narrative, pool: ElementPool, share: float, choice: Random, words: Iterable[str] = ()
) -> Narrative:
    """Return a story with L: the one it has, completed, or else the elements of its graphs.

    Elements of the pool are added until L has ``share`` more than the graphs use, of each list. ``words`` are other
    names for elements of the story, which none of the added may be.
    """
    used, known = Vocabulary.of(story.graphs), story.vocabulary or Vocabulary()
    names = list(dict.fromkeys((*used.nodes, *used.relationships, *known.nodes, *known.relationships, *words)))
    described = [(each.text, each.graphs) for each in story.descriptions if each.text]
    texts, paraphrased = " . ".join(text for text, _ in described), set[str]()
    for text, graphs in described:
        for graph in graphs:
            paraphrased.update(action for action in graph.actions if mentions(text, action) is None)

    def is_foreign(element: str, kind: str) -> bool:
        """Return whether an element means nothing in the story."""
        if kind == "relationships":
            return not any(element == name or compatible(element, name) for name in names)
        if any(same_word(element, name) for name in names) or mentions(texts, element) is not None:
            return False
        return kind == "objects" or not any(are_near(element, action) for action in paraphrased)

    lists: dict[str, tuple[str, ...]] = {}
    for kind in LISTS:
        fixed = {"objects": (PERSON, *HANDS), "verbs": (), "relationships": (VERB, DOBJ)}[kind]
        elements = list(dict.fromkeys((*fixed, *getattr(used, kind), *getattr(known, kind))))
        base = {*getattr(used, kind)} - {*FIXED}
        missing = ceil(share * len(base)) - len({*elements} - base - {*FIXED})
        candidates = sorted(pool.elements[kind] - {*FIXED})
        for element in choice.sample(candidates, len(candidates)) if missing > 0 else ():
            if is_foreign(element, kind):
                names.append(element)
                elements.append(element)
                missing -= 1
                if missing == 0:
                    break
        lists[kind] = tuple(elements)
    return replace(story, vocabulary=Vocabulary(**lists))


def generation_rows(story: Narrative, sentences: Mapping[int, GraphSentence]) -> Iterator[dict[str, Any]]:
    """Yield the rows of a story's descriptions; ``sentences`` has the accounts of those that were written."""
    timeline = Timeline(story)
    for row in sgg_rows(story):
        number = int(row["item_id"].rpartition("/")[2])
        steps = [step for step in timeline.steps if step.description == number]
        graphs = [step.graph for step in steps]
        sentence = sentences.get(number, GraphSentence(row["target_sentence"]))
        synonyms = synonyms_of(sentence, story.vocabulary or Vocabulary())
        is_transfer = any(
            thing in (before.of(giver) or ())
            and thing in (after.of(taker) or ())
            and thing not in (before.of(taker) or ())
            for step in steps
            for before, after in [(step.hand_step.before, step.hand_step.after)]
            for thing in step.objects
            for giver, taker in (HANDS, HANDS[::-1])
        )
        labels = {
            "implicit": any(mentions(sentence.text, graph.actions[0]) is None for graph in graphs),
            "repetition": len({(step.action, step.objects) for step in steps}) < len(steps),
            "synonym": bool(synonyms),
            "homonym": any(graph.actions[0] in {end for _, edge, end in graph if edge != VERB} for graph in graphs),
            "two_hands": any({*HANDS} <= {end for _, edge, end in graph if edge == WITH} for graph in graphs),
            "transfer": is_transfer,
            BARE: BARE in sentence.tags,
        }
        yield {
            **row,
            "scenario_id": story.id,
            **row_facts(story),
            "k": len(steps),
            "tags": [label for label, is_so in labels.items() if is_so],
            **({"synonyms": synonyms} if synonyms else {}),
        }


def synonyms_of(sentence: GraphSentence, vocabulary: Vocabulary) -> dict[str, str]:
    """Return other words for elements, as the account of a sentence has them; those that name the element are none."""
    synonyms: dict[str, str] = {}
    for node, phrases in sentence.said.items():
        if node in HANDS or node in vocabulary.verbs:
            continue
        for phrase in phrases:
            words = phrase.lower().removeprefix("the ").removeprefix("a ").removeprefix("an ").strip()
            if words and words not in PRONOUNS and mentions(phrase, node) is None:
                synonyms[words] = node
    return synonyms
