"""Checks of the words of a sentence: those for a node that mean another one, and those for what the graphs lack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property, lru_cache

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import HANDS, PERSON, ActionGraph, Vocabulary
from tsgkit.lexicon import contradictions, fold, mentions, opposites, same_word, split_particle
from tsgkit.lexicon.inflection import bases
from tsgkit.lexicon.particles import PARTICLES
from tsgkit.lexicon.prepositions import PREPOSITIONS
from tsgkit.lexicon.tables import word_set
from tsgkit.suites.tsg.makers.claims import GENERAL, NEAR_ACTIONS, may_be_same_action, may_be_same_thing
from tsgkit.suites.tsg.makers.sentences import Sentence, nodes_of
from tsgkit.suites.tsg.makers.told_text import (
    CONJUNCTIONS,
    DETERMINERS,
    NEGATIONS,
    POINTERS,
    Place,
    ToldText,
    named_places,
)

KNOWN_ACTIONS = frozenset().union(GRASPS, RELEASES, TRANSFERS, GENERAL, *NEAR_ACTIONS)
PARTS = word_set(
    "back bit bottom centre center corner edge end face front half head hand hands hold inside lot middle mouth outside"
    " part piece pair place point rest side sides surface time times tip top turn way work"
)
"""Words that are parts of things or of phrases more often than things of their own."""
EXCHANGES = word_set("swap exchange switch replace transfer move return trade pass carry bring change relocate shift")
"""Actions of one word that take and put."""
COUNTERS = word_set("first second third fourth last next he she him where home pair")
"""Words that point to one of several things, or to a person or place."""
REPEATED = word_set("same another more again likewise both once twice")
"""Words by which an action is said to be done again."""
REPEATING = word_set("repeat continue let wait see watch listen need want like")
"""Verbs that add no action to those of the graphs."""
AUXILIARIES = word_set(
    "is are was were be been being am has have had do does did will would shall can could may might must gets got let "
    "lets goes comes going s"
)
LITTLE_WORDS = (
    DETERMINERS
    | POINTERS
    | CONJUNCTIONS
    | NEGATIONS
    | PREPOSITIONS
    | PARTICLES
    | AUXILIARIES
    | word_set(
        "he she i you we who everyone someone person again too also still now finally next even only just later soon"
        " very more most much many few several three four five six seven eight first second third last once twice"
        " immediately afterwards meanwhile instead together back away aside straight right all so such ready done"
    )
)
OBJECTS = DETERMINERS | word_set("it them him her both everything these those")


@dataclass(frozen=True)
class Names:
    """Names that words may mean: things and actions of L, and names of other stories."""

    objects: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()

    @cached_property
    def things(self) -> tuple[str, ...]:
        """All names of things, those of L first."""
        more = sorted(self.others - {*self.objects, *self.verbs})
        return (*self.objects, *(name for name in more if not may_be_action(name)))

    @cached_property
    def actions(self) -> tuple[str, ...]:
        """All names of actions, those of L first."""
        more = sorted(self.others - {*self.objects, *self.verbs})
        return (*self.verbs, *(name for name in more if may_be_action(name)))


@lru_cache(maxsize=64)
def names_of(vocabulary: Vocabulary | None, others: frozenset[str]) -> Names:
    """Return the names of L and of other stories."""
    return Names(vocabulary.objects, vocabulary.verbs, others) if vocabulary is not None else Names(others=others)


def wrong_words(sentence: Sentence, told: ToldText, names: Names, before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find words claimed for a node that stand for another one, or that point to nothing."""
    earlier = {name for graph in before for name in nodes_of(graph)}
    for node in told.places:
        if node in HANDS:
            continue
        for phrase in dict.fromkeys(sentence.said.get(node, ())):
            if meant := _other_meaning(node, phrase, told, names):
                yield f'"{phrase}" means {meant}, not {node}: use a word that can only mean {node}.'
        if node not in told.actions and (problem := _pointless(node, told, earlier)):
            yield problem
    yield from _shared_words(told)


def _other_meaning(node: str, phrase: str, told: ToldText, names: Names) -> str:
    """Return the name that words claimed for a node mean instead of it; empty where they may mean it."""
    if mentions(phrase, node):
        return ""
    if node not in told.actions:
        return _other_thing(node, phrase, told, names)
    if undone := contradictions(phrase, [node]):
        return undone[0][1]
    action = _other_action(node, phrase, told, names)
    return action and _other_thing(node, phrase, told, names) if node in told.things else action


def _other_thing(node: str, phrase: str, told: ToldText, names: Names) -> str:
    words = fold(phrase).split("-")
    if {*words} - DETERMINERS and {*words} - DETERMINERS <= {*fold(node).split("-")}:
        return ""
    if all(word in LITTLE_WORDS for word in words):
        return "" if any(word in POINTERS | COUNTERS for word in words) else "no thing"
    content = [word for word in words if word not in DETERMINERS]
    for other in dict.fromkeys((*told.places, *names.things)):
        if other not in (node, PERSON, *HANDS) and _means_thing(content, other) and not may_be_same_thing(node, other):
            return other
    return ""


def _means_thing(content: Sequence[str], other: str) -> bool:
    """Return whether a phrase is about another thing: its last words are the thing's name."""
    wanted = fold(other).split("-")
    return len(content) >= len(wanted) and all(
        same_word(one, two).same for one, two in zip(content[-len(wanted) :], wanted, strict=True)
    )


def _other_action(node: str, phrase: str, told: ToldText, names: Names) -> str:
    """Return another action that words claimed for one mean: one of L surely, others unless they are much the same."""
    words = fold(phrase).split("-")
    if all(word in (DETERMINERS | POINTERS) - PARTICLES for word in words) and not REPEATED & {*words}:
        return "no action"
    for name in (*told.actions, *names.verbs):
        if name != node and name not in GENERAL and mentions(phrase, name) and not same_word(name, node):
            return name
    readings = [name for name in names.actions if name != node and mentions(phrase, name)]
    if node in KNOWN_ACTIONS and not told.named[node]:
        readings += [name for word in words for name in _known_readings(word) if name not in readings]
    if not readings or any(may_be_same_action(node, name) or name in EXCHANGES for name in readings):
        return ""
    return readings[0]


@lru_cache(maxsize=20_000)
def _known_readings(word: str) -> tuple[str, ...]:
    return tuple(base for base in bases(word) if base in KNOWN_ACTIONS)


def _pointless(node: str, told: ToldText, earlier: set[str]) -> str:
    """Return the problem of a thing that only pronouns stand for although it was never named."""
    places = told.places[node]
    if not places or node in POINTERS or node in earlier or not all(map(told.points, places)):
        return ""
    return f'Nothing tells what "{" ".join(told.words(places[0]))}" is: name {node}.'


def _shared_words(told: ToldText) -> Iterator[str]:
    """Find words that stand for two nodes, none of which has words of its own."""
    nodes = [node for node in told.claimed if node not in HANDS and told.claimed[node]]
    for place, one in enumerate(nodes):
        for other in nodes[place + 1 :]:
            for first, second in ((one, other), (other, one)):
                if (words := _borrowed(first, second, told)) is not None:
                    yield f'"{words}" cannot stand for {first} and for {second}: say each with words of its own.'
                    break


def _borrowed(node: str, owner: str, told: ToldText) -> str | None:
    """Return the words of a node all of which are another one's, where that is no usual way of saying both."""
    mine, theirs = told.places[node], {index for place in told.claimed[owner] for index in place}
    if not all(theirs.issuperset(_core(place, told)) for place in mine) or same_word(node, owner):
        return None
    words = told.words(mine[0])
    if len(mine) > 1 and all(map(told.points, mine)):
        return None
    if REPEATED & {*words} or (_is_part(theirs, mine) and (node in told.actions) != (owner in told.actions)):
        return None
    both = {word for word in words if word in ("them", "they", "both", "these", "those", "everything", "all", "its")}
    is_action, is_owner = node in told.actions, owner in told.actions
    if both or (is_action and is_owner and any(base in EXCHANGES for word in words for base in bases(word))):
        return None
    if is_action != is_owner:
        thing = owner if is_action else node
        return None if any(same_word(word, thing).same for word in words) or is_action else " ".join(words)
    return None if is_action and len(mine[0]) > 2 and len(theirs) > len(mine[0]) else " ".join(words)


def _is_part(theirs: AbstractSet[int], mine: Sequence[Place]) -> bool:
    """Return whether words are only a part of a phrase that tells an action without a verb (*back in the mug*)."""
    return any(len(theirs) > len(set(place)) for place in mine)


def _core(place: Place, told: ToldText) -> set[int]:
    found = {index for index in place if told.word(index) not in DETERMINERS}
    return found or set(place)


def added_names(told: ToldText, names: Names) -> Iterator[str]:
    """Find other elements of L in the text: things anywhere but in comparisons and denials, actions where a verb is."""
    owned = set(told.owners)
    denied_tokens = set(_denied_tokens(told))
    for name in dict.fromkeys((*names.objects, *names.verbs)):
        if name in told.places or name in (PERSON, *HANDS) or not told.may_have(name):
            continue
        for place in named_places(told.text, told.tokens, name):
            is_free = (
                owned.isdisjoint(place) and denied_tokens.isdisjoint(place) and _is_meant(name, place, told, names)
            )
            if is_free and not any(same_word(name, own).same for own in told.places):
                yield f"The sentence tells {name}, which is not in the graphs: leave it out."
                break


def _is_meant(name: str, place: Place, told: ToldText, names: Names) -> bool:
    """Return whether words mean an element of L: an action where a verb may be, a thing where none is."""
    first = place[0]
    if name in PARTS or _is_compared(first, told):
        return False
    is_verb = _reads_as_verb(first, told)
    return (is_verb and name in names.verbs) or (name in names.objects and not (is_verb and may_be_action(name)))


@lru_cache(maxsize=20_000)
def may_be_action(name: str) -> bool:
    """Return whether a name is known as an action."""
    return split_particle(name) is not None or name in KNOWN_ACTIONS or bool(opposites(name))


def _is_compared(index: int, told: ToldText) -> bool:
    """Return whether a word stands in a comparison (*the way you'd salt an icy step*, *like a drum*)."""
    for back in range(1, 7):
        word = told.word(index - back)
        if not word:
            return False
        if word in ("like", "than", "though", "if") or (
            word == "way" and told.word(index - back + 1) in ("you", "you'd", "one", "a")
        ):
            return True
        if word == "as" and told.word(index - back + 1) in DETERMINERS | {"if", "though"}:
            return True
        if told.gap(index - back + 1) in (".", ";"):
            return False
    return False


def _reads_as_verb(index: int, told: ToldText) -> bool:
    """Return whether the word reads as a verb of the text: at the start of a clause, after its subject or *and*."""
    before, after = told.word(index - 1), told.word(index + 1)
    if (before in DETERMINERS and before not in ("all", "both", "that")) or before in PREPOSITIONS - {
        "to",
        "before",
        "after",
        "until",
    }:
        return False
    if (
        told.gap(index)
        or before in CONJUNCTIONS
        or before in ("to", "she", "he", "i", "you", "we", "they", "person", "will")
    ):
        return after in OBJECTS or before in ("to", "she", "he", "i", "you", "we", "they", "will") or after in PARTICLES
    return before.endswith("ly") and after in OBJECTS


def added_clauses(told: ToldText) -> Iterator[str]:
    """Find verbs behind *and* or *then* with an object, which nothing in the account stands for."""
    owned = told.owners
    for index, token in enumerate(told.tokens):
        if token.word not in ("and", "then", "before", "after", "while") or _is_compared(index, told):
            continue
        verb = index + 1
        while told.word(verb).endswith("ly") or told.word(verb) in (
            "then",
            "finally",
            "also",
            "she",
            "he",
            "i",
            "you",
            "will",
        ):
            verb += 1
        word = told.word(verb)
        if verb in owned or word in LITTLE_WORDS or not word or told.gap(verb) in (".", ";"):
            continue
        if told.word(verb + 1) in OBJECTS and not told.gap(verb + 1) and _looks_like_verb(word):
            yield f'"{word}" is an action that the graphs do not have: leave it out, or add it to said.'


def _looks_like_verb(word: str) -> bool:
    is_verb = not word.endswith(("ly", "ness", "tion")) and word.isalpha() and len(word) > 2
    return is_verb and not any(base in GENERAL | REPEATING for base in bases(word))


def opposites_told(told: ToldText) -> Iterator[str]:
    """Find actions whose opposite the text tells instead."""
    plain = [action for action in sorted(told.actions) if not told.claimed[action]]
    for action, opposite in contradictions(told.text, plain):
        yield f"The sentence says {opposite}, but the graph says {action}."


def _denied_tokens(told: ToldText) -> Iterator[int]:
    """Yield the words that a denial is about: the few after it, to the next mark or verb."""
    for index in range(len(told.tokens)):
        if told.denies(index):
            for place in range(index + 1, min(index + 6, len(told.tokens))):
                if place > index + 1 and told.gap(place):
                    break
                yield place
