"""A writer whose sentences are wrong in seeded ways: it words spoilt graphs, and accounts for them honestly or not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Literal, NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph, Triplet, Vocabulary
from tsgkit.lexicon import opposites
from tsgkit.lexicon.preposition_senses import conflicting
from tsgkit.suites.tsg.makers.claims import may_be_same_action, may_be_same_thing
from tsgkit.suites.tsg.makers.preposition_fit import may_be_said
from tsgkit.suites.tsg.makers.sentence_patterns import STYLES, Manner, can_be_written, write
from tsgkit.suites.tsg.makers.sentences import Sentence

Graphs = list[ActionGraph]
Hands = Literal["named", "counted", "unsaid"]
PLACES = ("on", "in", "under", "behind", "over", "into", "onto", "from", "off", "out-of", "next-to", "between")


class Spoilt(NamedTuple):
    """A wrong sentence, the fault in it, and whether its account hides the fault."""

    fault: str
    sentence: Sentence
    is_lying: bool


@dataclass(frozen=True)
class Spoiling:
    """Graphs as told, what is told of which node instead, and how."""

    told: Graphs
    instead: tuple[tuple[str, str], ...] = ()
    """Nodes of the graphs, and the nodes that a lying account takes the words of."""
    hands: tuple[Hands, ...] = ("named", "counted", "unsaid")
    is_denied: bool = False


def spoilt(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Iterator[Spoilt]:
    """Yield wrong sentences about graphs, at most one of each kind of fault and account."""
    for fault, spoil in KINDS.items():
        spoiling = spoil(graphs, vocabulary, choice)
        if spoiling is None or any(can_be_written(graph) for graph in spoiling.told):
            continue
        manner = Manner(choice.choice(STYLES), choice.choice(spoiling.hands), is_denied=spoiling.is_denied)
        sentence = write(spoiling.told, manner, choice)
        yield Spoilt(fault, sentence, is_lying=False)
        if spoiling.instead:
            yield Spoilt(fault, _lied(sentence, spoiling.instead), is_lying=True)


def _lied(sentence: Sentence, instead: Sequence[tuple[str, str]]) -> Sentence:
    """Return a sentence whose account gives the words for a wrong node as those for the right one."""
    said = dict(sentence.said)
    for node, wrong in instead:
        if wrong in said:
            said[node] = said[wrong]
    for _, wrong in instead:
        said.pop(wrong, None)
    return replace(sentence, said=said)


def _changed(graph: ActionGraph, change: Callable[[Triplet], Triplet | None]) -> ActionGraph:
    return ActionGraph(found for triplet in graph if (found := change(triplet)) is not None)


def _with(graphs: Graphs, place: int, graph: ActionGraph) -> Graphs:
    return [*graphs[:place], graph, *graphs[place + 1 :]]


def _renamed(graph: ActionGraph, old: str, new: str) -> ActionGraph:
    return _changed(graph, lambda t: Triplet(*(new if part == old else part for part in t)))


def _things(graph: ActionGraph) -> list[str]:
    names = dict.fromkeys(name for t in graph for name in (t.source, t.target) if t.edge != VERB or t.source != PERSON)
    return [name for name in names if name not in (PERSON, *HANDS) and name not in graph.actions]


def _is_homonym(graph: ActionGraph) -> bool:
    return any(t.target in graph.actions for t in graph if t.edge != VERB)


def _names(graphs: Graphs) -> set[str]:
    return {name for graph in graphs for t in graph for name in (t.source, t.target)}


def _dropped(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    ends = {t.source for t in graph}
    once = [t.target for t in graph if t.edge not in (VERB, WITH) and t.target not in (*HANDS, *ends)]
    once = [name for name in once if sum(name in _names([one]) for one in graphs) == 1]
    if not once or len(graph) < 4:
        return None
    name = choice.choice(once)
    told = _with(graphs, place, _changed(graph, lambda t: None if t.target == name else t))
    others = _things(told[place])
    return Spoiling(told, ((name, others[0]),) if others and others[0] != name else ())


def _dropped_action(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    places = [n for n, graph in enumerate(graphs) if sum(graph.actions == other.actions for other in graphs) == 1]
    if len(graphs) < 2 or not places:
        return None
    place = choice.choice(places)
    told = [*graphs[:place], *graphs[place + 1 :]]
    return Spoiling(told, ((graphs[place].actions[0], told[0].actions[0]),))


def _added(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    names = _names(graphs)
    things = [name for name in vocabulary.objects if name not in names and name not in (PERSON, *HANDS)]
    verbs = [name for name in vocabulary.verbs if not any(may_be_same_action(name, other) for other in names)]
    if not things or not verbs:
        return None
    verb, thing = choice.choice(verbs), choice.choice(things)
    more = ActionGraph.of((PERSON, VERB, verb), (verb, DOBJ, thing))
    place = choice.randrange(len(graphs) + 1)
    return Spoiling([*graphs[:place], more, *graphs[place:]])


def _added_place(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    things = [name for name in vocabulary.objects if name not in _names(graphs) and name not in (PERSON, *HANDS)]
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    if not things or len(_things(graph)) > 2:
        return None
    told = ActionGraph((*graph.triplets, Triplet(graph.actions[0], "near", choice.choice(things))))
    return Spoiling(_with(graphs, place, told))


def _wrong_thing(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    names = _names(graphs)
    old = choice.choice(_things(choice.choice(graphs)) or [""])
    new = [name for name in vocabulary.objects if name not in names and not may_be_same_thing(name, old)]
    new = [name for name in new if name not in (PERSON, *HANDS)]
    if not old or not new:
        return None
    wrong = choice.choice(new)
    return Spoiling([_renamed(graph, old, wrong) for graph in graphs], ((old, wrong),))


def _wrong_action(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    old = graphs[place].actions[0]
    new = [name for name in vocabulary.verbs if not may_be_same_action(name, old) and name not in _names(graphs)]
    if not new or any(map(_is_homonym, graphs)):
        return None
    wrong = choice.choice(new)
    told = [_renamed(graph, old, wrong) if old in graph.actions else graph for graph in graphs]
    return Spoiling(told, ((old, wrong),))


def _opposite(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    old = graphs[place].actions[0]
    new = sorted(opposites(old) - _names(graphs))
    if not new or _is_homonym(graphs[place]) or sum(old in graph.actions for graph in graphs) > 1:
        return None
    wrong = choice.choice(new)
    return Spoiling(_with(graphs, place, _renamed(graphs[place], old, wrong)), ((old, wrong),))


def _number(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    if sum(graph.actions == other.actions for other in graphs) > sum(graph == other for other in graphs):
        return None
    run = sum(graph == other for other in graphs)
    times = choice.choice([number for number in (1, 2, 3) if number != run])
    first = graphs.index(graph)
    if graphs[first : first + run] != [graph] * run:
        return None
    return Spoiling([*graphs[:first], *[graph] * times, *graphs[first + run :]])


def _hands(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    used = [t.target for t in graph if t.edge == WITH and t.target in HANDS]
    if not used:
        return None
    action = graph.actions[0]
    bare = [t for t in graph if not (t.edge == WITH and t.target in HANDS)]
    wrong = HANDS[:1] if len(used) > 1 else HANDS
    told = ActionGraph([*bare, *(Triplet(action, WITH, hand) for hand in wrong)])
    if any(t.target in HANDS for other in graphs[max(place - 1, 0) : place + 2] if other is not graph for t in other):
        return None
    return Spoiling(_with(graphs, place, told), hands=("named", "counted"))


def _named_hand(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    used = [t.target for graph in graphs for t in graph if t.target in HANDS]
    if len(graphs) > 1 or len(used) != 1:
        return None
    other = HANDS[1 - HANDS.index(used[0])]
    return Spoiling([_renamed(graphs[0], used[0], other)], hands=("named",))


def _order(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    places = [n for n in range(len(graphs) - 1) if graphs[n].actions != graphs[n + 1].actions]
    if not places:
        return None
    place = choice.choice(places)
    return Spoiling([*graphs[:place], graphs[place + 1], graphs[place], *graphs[place + 2 :]])


def _denied(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    return Spoiling(graphs, is_denied=True) if len(graphs) == 1 else None


def _preposition(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    edges = [t for t in graph if t.edge not in (VERB, DOBJ, WITH) and t.target not in HANDS]
    if not edges:
        return None
    old = choice.choice(edges)
    new = [edge for edge in PLACES if conflicting(edge, old.edge) and not may_be_said(edge, old.edge)]
    others = {t.edge for one in graphs for t in one if t.target == old.target and t != old}
    new = [edge for edge in new if not any(may_be_said(edge, other) for other in others)]
    if not new or sum(old.target in _names([one]) for one in graphs) > 1:
        return None
    wrong = choice.choice(new)
    return Spoiling(_with(graphs, place, _changed(graph, lambda t: t._replace(edge=wrong) if t == old else t)))


def _roles(graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Spoiling | None:
    place = choice.randrange(len(graphs))
    graph = graphs[place]
    objects = [t for t in graph if t.edge == DOBJ]
    others = [t for t in graph if t.edge not in (VERB, DOBJ) and t.target not in HANDS and t.source == graph.actions[0]]
    if len(objects) != 1 or not others or _is_homonym(graph):
        return None
    one, other = objects[0].target, choice.choice(others).target
    if one == other or any(len({one, other} & _names([g])) for n, g in enumerate(graphs) if n != place):
        return None
    if any(t.source in (one, other) for t in graph):
        return None
    swap = {one: other, other: one}
    return Spoiling(_with(graphs, place, _changed(graph, lambda t: Triplet(*(swap.get(part, part) for part in t)))))


KINDS: dict[str, Callable[[Graphs, Vocabulary, Random], Spoiling | None]] = {
    "dropped": _dropped,
    "dropped-action": _dropped_action,
    "added": _added,
    "added-place": _added_place,
    "wrong-thing": _wrong_thing,
    "wrong-action": _wrong_action,
    "opposite": _opposite,
    "number": _number,
    "hands": _hands,
    "named-hand": _named_hand,
    "order": _order,
    "denied": _denied,
    "preposition": _preposition,
    "roles": _roles,
}


def edited(sentence: Sentence, graphs: Graphs, vocabulary: Vocabulary, choice: Random) -> Iterator[Spoilt]:
    """Yield a hand-written sentence with one of its things replaced by another of L, and one with another action."""
    names = _names(graphs)
    others = [name for name in vocabulary.objects if name not in (*names, PERSON, *HANDS)]
    things = {name for graph in graphs for name in _things(graph)}
    pairs = [(node, words) for node, phrases in sentence.said.items() for words in phrases if node in things]
    said = [(node, words) for node, words in pairs if words.lower() not in ("it", "them", "that")]
    others = [name for name in others if not any(may_be_same_thing(name, node) for node, _ in said)]
    if said and others:
        node, words = choice.choice(said)
        wrong = choice.choice(others).replace("-", " ")
        account = {**sentence.said, node: (wrong,)}
        yield Spoilt(
            "wrong-thing", Sentence(sentence.text.replace(words, wrong), account, sentence.implied), is_lying=True
        )
    verbs = [name for name in vocabulary.verbs if not any(may_be_same_action(name, other) for other in names)]
    if verbs and others and sentence.text.endswith("."):
        more = f", and then {choice.choice(verbs).replace('-', ' ')} the {choice.choice(others).replace('-', ' ')}."
        yield Spoilt("added", replace(sentence, text=sentence.text[:-1] + more), is_lying=False)
