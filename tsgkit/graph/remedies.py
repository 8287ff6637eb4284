"""Remedies: for one finding, every graph in which one small change removes it.

>>> from tsgkit.graph.rules import check_graph
>>> slip = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "dobj", "Cup"))
>>> [finding] = [one for one in check_graph(slip) if one.code == "not-lower-case"]
>>> for graph in remedies(slip, finding, None):
...     print(graph)
person -> verb -> wash
wash -> dobj -> cup

A remedy changes names that its finding names (:attr:`Finding.elements`), reverses its triplet, removes it, or adds one.
Names of objects are only respelled, never replaced by others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from tsgkit.graph.edits import snap
from tsgkit.graph.hands import misspelt_hand
from tsgkit.graph.model import DOBJ, HANDS, INSTANCE, PERSON, VERB, WITH, ActionGraph, Triplet, Vocabulary
from tsgkit.graph.rules import MISSPELT, Finding
from tsgkit.lexicon import bases, fold, same_word
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.nearest import is_slip

NUMBERED_HAND = re.compile(r"hand[-_ ]?([12])", re.IGNORECASE)
FORMS = ("folded", "inflection")
"""Readings by which two names are surely the same words."""
ARTICLES = word_set("a an the this that some his her its my your our their")
JOINED = re.compile(r"(?:(?<!\s)\s++)?[,&+]\s*+(?:and\s++)?|(?<!\s)\s++and\s++", re.IGNORECASE)
"""The text between names that were written as one."""
NOT_THINGS = (PERSON, *HANDS)

Remedy = Callable[[ActionGraph, Finding, Vocabulary | None], Iterator[ActionGraph]]


def remedies(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> tuple[ActionGraph, ...]:
    """Return all remedies of one finding, without repeats; whether a graph is better for one is for others to say."""
    graphs = (mended for remedy in REMEDIES.get(finding.code, ()) for mended in remedy(graph, finding, vocabulary))
    return tuple({mended.triplets: mended for mended in graphs}.values())


def _respelt(spell: Callable[[str], str]) -> Remedy:
    """Return a remedy that respells the name of a finding everywhere, unless L lists it as it is."""

    def remedy(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
        [name] = finding.elements
        listed = vocabulary is not None and (vocabulary.allows_node(name) or vocabulary.allows_edge(name))
        if not listed and spell(name):
            yield _with_name(graph, name, spell(name))

    return remedy


def _hyphenated(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with a name as L has it: without its article, as the names it lists, else with hyphens."""
    [name] = finding.elements
    if vocabulary is None or vocabulary.allows_node(fold(name)):
        yield from _respelt(fold)(graph, finding, vocabulary)
    elif vocabulary.allows_node(bare := _bare(name)):
        yield _with_name(graph, name, bare)
    elif len(parts := [_bare(part) for part in JOINED.split(name)]) > 1 and all(map(vocabulary.allows_node, parts)):
        yield ActionGraph(
            dict.fromkeys(
                Triplet(triplet.source, triplet.edge, part)
                for triplet in graph
                for part in (parts if triplet.target == name else [triplet.target])
            )
        )
    else:
        yield from _respelt(fold)(graph, finding, vocabulary)


def _without_article(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    [name] = finding.elements
    if vocabulary is not None and _bare(name) != name and vocabulary.allows_node(_bare(name)):
        yield _with_name(graph, name, _bare(name))


def _bare(name: str) -> str:
    """Return a name with hyphens and without the article it begins with.

    >>> _bare("the left boot"), _bare("a")
    ('left-boot', 'a')
    """
    first, *others = fold(name).split("-")
    return "-".join(others) if others and first in ARTICLES else fold(name)


def _hand_spelt(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the one hand that is meant; if the graph names it already, the other may be meant."""
    [name] = finding.elements
    numbered = NUMBERED_HAND.fullmatch(name)
    hand = f"hand{numbered[1]}" if numbered else misspelt_hand(name)
    if hand not in graph.elements:
        yield from _respelt(lambda _: hand)(graph, finding, vocabulary)


def _with_name(graph: ActionGraph, old: str, new: str) -> ActionGraph:
    """Return the graph with one name replaced everywhere; a triplet that would be repeated is dropped."""
    triplets = list[Triplet]()
    for triplet in graph:
        renamed = Triplet(*(new if name == old else name for name in triplet))
        if renamed == triplet or (renamed not in graph and renamed not in triplets):
            triplets.append(renamed)
    return ActionGraph(triplets)


def _snapped(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the name as L writes it: another form of the same words, or a typing error."""
    [name] = finding.elements
    if vocabulary is None or not name:
        return
    meant = {move.near.name for move in snap(graph, vocabulary)[1] if move.element == name}
    if len(meant) != 1:
        return
    [new] = meant
    match = same_word(name, new)
    if (match.by in FORMS and not match.ambiguous) or is_slip(name, new):
        yield _with_name(graph, name, new)


def _edge_spelt(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    source, edge, target = _found(graph, finding)
    folded = fold(edge)
    yield _put(graph, finding, Triplet(source, MISSPELT.get(folded, folded), target))


def _verb_turned(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the triplet from an action to person reversed, if its source can be the action."""
    source, edge, target = triplet = _found(graph, finding)
    if edge != VERB or target != PERSON or source in NOT_THINGS:
        return
    acts = all(source in (link.source, link.target) for link in graph if link.edge == DOBJ)
    if acts and (vocabulary is None or source in vocabulary.verbs):
        yield _put(graph, finding, triplet.reversed)


def _dobj_turned(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the triplet from an object to the action reversed, if its source can be an object."""
    source, _, target = triplet = _found(graph, finding)
    if target not in graph.actions or source in (*NOT_THINGS, target):
        return
    if vocabulary is not None and vocabulary.is_only_a_verb(source):
        return
    if any(link.source == target and link.edge == DOBJ for link in graph):
        return  # the action has its object, so this may as well be one too many
    others = [link for link in graph if link != triplet and source in (link.source, link.target)]
    acts = any((link.source == source and link.edge == DOBJ) or _is_joined_to_a_hand(link) for link in others)
    if vocabulary is not None or not acts:
        yield _put(graph, finding, triplet.reversed)


def _turned(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with the triplet reversed, or without it where it is written the right way too."""
    turned = _found(graph, finding).reversed
    yield _put(graph, finding, *(() if turned in graph else (turned,)))


def _is_joined_to_a_hand(triplet: Triplet) -> bool:
    return triplet.edge == WITH and (triplet.source in HANDS or triplet.target in HANDS)


def _found(graph: ActionGraph, finding: Finding) -> Triplet:
    return graph.triplets[finding.place.triplet or 0]


def _put(graph: ActionGraph, finding: Finding, *triplets: Triplet) -> ActionGraph:
    position = finding.place.triplet or 0
    return ActionGraph((*graph.triplets[:position], *triplets, *graph.triplets[position + 1 :]))


def _without_repeat(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    yield _put(graph, finding)


def _dobj_from_the_action(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield a dobj from a thing to itself that starts at the action instead; the thing stays where it is the object."""
    source, _, target = _found(graph, finding)
    if source != target or source in NOT_THINGS or len(graph.actions) != 1:
        return
    [action] = graph.actions
    if any(triplet.source == action and triplet.edge == DOBJ for triplet in graph):
        return
    no_verb = len(_acting(graph, action, vocabulary)) > 1 if vocabulary is None else source not in vocabulary.verbs
    if no_verb:
        yield _put(graph, finding, Triplet(action, DOBJ, target))


class _Clash(NamedTuple):
    """The graph's action, and another verb used in its place."""

    action: str
    other: str


def _with_one_action(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with one verb: the one that all but one triplet use.

    There is no remedy if each verb is in one triplet only, or in several, or if the graph's action has its object: the
    other verb's triplet may as well be one too many.
    """
    clash = _clash(graph, vocabulary)
    if clash is None or clash.other not in finding.elements:
        return
    action, verb = clash
    mine, theirs = (_acting(graph, name, vocabulary) for name in clash)
    if (
        len(theirs) == 1
        and len(mine) > 1
        and not any(triplet.source == action and triplet.edge == DOBJ for triplet in graph)
    ):
        yield _replaced(graph, theirs[0], verb, action)
    if len(mine) == 1 and len(theirs) > 1 and action in finding.elements:
        yield _replaced(graph, mine[0], action, verb)


def _clash(graph: ActionGraph, vocabulary: Vocabulary | None) -> _Clash | None:
    """Return two verbs used for one action; a name that can be an object does not count."""
    if vocabulary is None or len(graph.actions) != 1:
        return None
    [action] = graph.actions
    names = dict.fromkeys(name for triplet in graph for name in (triplet.source, triplet.target))
    others = [name for name in names if name != action and vocabulary.is_only_a_verb(name)]
    if len(others) != 1 or action not in vocabulary.verbs:
        return None
    return _Clash(action, others[0])


def _acting(graph: ActionGraph, name: str, vocabulary: Vocabulary | None) -> list[int]:
    """Return the places of the triplets in which a name is the action: after verb, where edges start, beside a hand."""
    only_a_verb = vocabulary is not None and vocabulary.is_only_a_verb(name)
    return [
        position
        for position, (source, edge, target) in enumerate(graph)
        if name == source or (name == target and (edge == VERB or source in HANDS or only_a_verb))
    ]


def _replaced(graph: ActionGraph, position: int, old: str, new: str) -> ActionGraph:
    """Return the graph with one triplet's name replaced, where the triplet has it as the action."""
    before = graph.triplets[position]
    source = before.source == old
    triplet = Triplet(new, before.edge, before.target) if source else Triplet(before.source, before.edge, new)
    return ActionGraph((*graph.triplets[:position], triplet, *graph.triplets[position + 1 :]))


def _in_its_base_form(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the action in its base form, where another form of the same word starts the direct object."""
    if len(graph.actions) != 1:
        return
    [action] = graph.actions
    source = _found(graph, finding).source
    match = same_word(action, source)
    if match.by not in FORMS or match.ambiguous:
        return
    base = next((name for name in (action, source) if _is_base(name, action, source, vocabulary)), None)
    if base is None:
        return
    form = source if base == action else action
    renamed = (Triplet(base if link.source == form else link.source, link.edge, link.target) for link in graph)
    verb = (Triplet(PERSON, VERB, base) if link == Triplet(PERSON, VERB, form) else link for link in renamed)
    yield ActionGraph(dict.fromkeys(verb)) if len(set(graph)) == len(graph.triplets) else ActionGraph(verb)


def _is_base(name: str, action: str, source: str, vocabulary: Vocabulary | None) -> bool:
    """Return whether this form of a word is the one in L; without L, the base form."""
    form = source if name == action else action
    if vocabulary is not None:
        return name in vocabulary.verbs and not vocabulary.allows_node(form)
    words, words_of_form = fold(name).split("-"), fold(form).split("-")
    return all(word in bases(form_word) for word, form_word in zip(words, words_of_form, strict=True)) and name == fold(
        name
    )


def _with_person(graph: ActionGraph, finding: Finding, vocabulary: Vocabulary | None) -> Iterator[ActionGraph]:
    """Yield the graph with its person-verb triplet, where all direct objects start at one name that must be the action.

    An edge from person to it has the wrong label.
    """
    starts = {triplet.source for triplet in graph if triplet.edge == DOBJ}
    if len(starts) != 1 or any(triplet.edge == VERB for triplet in graph):
        return
    [action] = starts
    if action in NOT_THINGS:
        return
    if vocabulary is not None and any(
        len(_acting(graph, name, vocabulary)) >= len(_acting(graph, action, vocabulary))
        for name in {triplet.source for triplet in graph} - {action}
        if vocabulary.is_only_a_verb(name)
    ):
        return  # another verb is as likely to be the action
    joined = any(_is_joined_to_a_hand(triplet) and action in (triplet.source, triplet.target) for triplet in graph)
    ends = {triplet.target for triplet in graph if triplet.edge == DOBJ}
    is_action = joined if vocabulary is None else action in vocabulary.verbs
    if is_action and not (vocabulary is not None and any(map(vocabulary.is_only_a_verb, ends))):
        verb = Triplet(PERSON, VERB, action)
        acting = [triplet for triplet in graph if PERSON in (triplet.source, triplet.target)]
        if not acting:
            yield ActionGraph((verb, *graph.triplets))
        elif [(triplet.source, triplet.target) for triplet in acting] == [(PERSON, action)]:
            yield ActionGraph(verb if triplet in acting else triplet for triplet in graph)


REMEDIES: dict[str, tuple[Remedy, ...]] = {
    "verb-source": (_verb_turned,),
    "person-target": (_verb_turned,),
    "edge-misspelt": (_edge_spelt,),
    "not-lower-case": (_respelt(str.lower),),
    "not-hyphenated": (_hyphenated,),
    "instance-suffix": (_respelt(lambda name: INSTANCE.sub("", name)),),
    "hand-name": (_hand_spelt,),
    "dobj-source": (_dobj_turned, _with_one_action, _dobj_from_the_action, _in_its_base_form),
    "dobj-action": (_dobj_turned,),
    "action-target": (_turned,),
    "duplicate": (_without_repeat,),
    "no-action": (_with_person,),
    "out-of-vocabulary": (_snapped, _without_article),
}
"""The remedies by code, in order of application: spelling and direction of edges, names, the rest."""
