"""L of a story: the elements of its graphs, and a share of elements that occur in other stories but not in this one.

>>> from tsgkit.graph.model import ActionGraph
>>> wash = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "in", "sink"))
>>> saw = ActionGraph.of(("person", "verb", "saw"), ("saw", "dobj", "plank"), ("saw", "on", "trestle"))
>>> pool = ElementPool()
>>> for story in (Narrative.of([wash], None), Narrative.of([saw], None)):
...     pool.add(story)
>>> given = with_vocabulary(Narrative.of([wash]), pool, 0.5, Random(0))
>>> given.vocabulary.objects, given.vocabulary.verbs, given.vocabulary.relationships
(('person', 'hand1', 'hand2', 'cup', 'sink', 'trestle'), ('wash', 'saw'), ('verb', 'dobj', 'in', 'on'))

An element of L that is added must not be meant by anything in the story: it is no other form of an element, no sentence
mentions it, and an added action is not near one that a sentence tells in other words (*trim* where *snip* means cut).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from random import Random

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, Narrative, Vocabulary
from tsgkit.lexicon import mentions, same_word
from tsgkit.lexicon.preposition_senses import compatible
from tsgkit.suites.tsg.makers.claims import are_near

ALWAYS = (PERSON, *HANDS)
LISTS = ("objects", "verbs", "relationships")


@dataclass
class ElementPool:
    """The elements of many stories by list of L, with the number of stories that each occurs in."""

    counts: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in LISTS})
    stories: int = 0

    def add(self, story: Narrative) -> None:
        """Count the elements of a story."""
        used = Vocabulary.of(story.graphs)
        self.stories += 1
        for name in LISTS:
            self.counts[name].update(getattr(used, name))

    def names(self, kind: str) -> list[str]:
        """Return the names of a list of L, in alphabetical order."""
        return sorted(set(self.counts[kind]) - {*ALWAYS, VERB, DOBJ})

    @property
    def nodes(self) -> frozenset[str]:
        """All actions and things."""
        return frozenset(self.counts["objects"]) | frozenset(self.counts["verbs"])


def with_vocabulary(
    story: Narrative, pool: ElementPool, share: float, choice: Random, words: Iterable[str] = ()
) -> Narrative:
    """Return a story with L: the one it has, completed, or else the elements of its graphs.

    Elements of the pool are added until L has ``share`` more than the graphs use, of each list. ``words`` are other
    names for elements of the story, which none of the added may be.
    """
    used = Vocabulary.of(story.graphs)
    own = story.vocabulary or Vocabulary()
    texts = " . ".join(one.text for one in story.descriptions if one.text)
    names = (*used.nodes, *used.relationships, *own.nodes, *own.relationships, *words)
    taken = _Taken(names, texts, tuple(dict.fromkeys(_told_otherwise(story))))
    lists = {name: list(dict.fromkeys((*getattr(used, name), *getattr(own, name)))) for name in LISTS}
    lists["objects"] = list(dict.fromkeys((*ALWAYS, *lists["objects"])))
    lists["relationships"] = list(dict.fromkeys((VERB, DOBJ, *lists["relationships"])))
    for name in LISTS:
        base = set(getattr(used, name)) - {*ALWAYS, VERB, DOBJ}
        missing = ceil(share * len(base)) - (len(set(lists[name]) - {*ALWAYS, VERB, DOBJ}) - len(base))
        allows = {"verbs": taken.allows_action, "objects": taken.allows, "relationships": taken.allows_edge}[name]
        lists[name] += _drawn(pool.names(name), missing, taken, choice, allows)
    vocabulary = Vocabulary(tuple(lists["objects"]), tuple(lists["relationships"]), tuple(lists["verbs"]))
    return replace(story, vocabulary=vocabulary)


def _told_otherwise(story: Narrative) -> Iterator[str]:
    """Yield the actions that a sentence tells without their names."""
    for one in story.descriptions:
        for graph in one.graphs if one.text else ():
            yield from (action for action in graph.actions if mentions(one.text or "", action) is None)


def _drawn(
    names: Sequence[str], number: int, taken: _Taken, choice: Random, allows: Callable[[str], bool]
) -> Iterator[str]:
    """Yield so many names that mean nothing in the story; fewer where there are no more."""
    if number <= 0:
        return
    for name in choice.sample(names, len(names)):
        if allows(name):
            taken.names.append(name)
            yield name
            number -= 1
            if number == 0:
                return


@dataclass
class _Taken:
    """The names of a story and its texts, against which an added element is compared."""

    names: list[str]
    texts: str
    told_otherwise: tuple[str, ...]

    def __init__(self, names: Iterable[str], texts: str, told_otherwise: tuple[str, ...]) -> None:
        self.names, self.texts, self.told_otherwise = list(dict.fromkeys(names)), texts, told_otherwise

    def allows(self, name: str) -> bool:
        """Return whether no name of the story is another form of a name, and no text mentions it."""
        return not any(same_word(name, one) for one in self.names) and mentions(self.texts, name) is None

    def allows_action(self, name: str) -> bool:
        """Return the same, and whether no action told in other words is near it."""
        return self.allows(name) and not any(are_near(name, action) for action in self.told_otherwise)

    def allows_edge(self, label: str) -> bool:
        """Return whether no edge of the story can be said by a label as well."""
        return not any(label == name or compatible(label, name) for name in self.names)
