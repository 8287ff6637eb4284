"""Checks of a sentence against the graphs that it tells, along the account of its words.

>>> graph = ActionGraph.of(("person", "verb", "take"), ("take", "dobj", "towel"), ("take", "off", "bowl"))
>>> sentence = GraphSentence("Take the cloth.", {"take": ("Take",), "towel": ("cloth",)})
>>> [finding.code for finding in check_sentence(sentence, [graph], SentenceNeighbours())]
['unsaid']

A finding says what is wrong and what to write instead, since the writer is asked again with it. The words for nodes,
additions and denials are judged here, the rest in :mod:`~tsgkit.suites.tsg.makers.sentence_relations`. Not covered: a
wrong word that no list of names knows (a *wrench* for the towel), and an additional action told without a name of L by
more than a verb after *and*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from typing import NamedTuple

from tsgkit.graph.hands import GRASPS, RELEASES, TRANSFERS
from tsgkit.graph.model import DOBJ, HANDS, PERSON, ActionGraph, Vocabulary
from tsgkit.graph.rules import ERROR, Finding, Rule
from tsgkit.lexicon import (
    PARTICLES,
    PREPOSITIONS,
    bases,
    contradictions,
    fold,
    mentions,
    opposites,
    same_word,
    split_particle,
)
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.tsg.makers.claims import GENERAL, NEAR_ACTIONS, may_be_same_action, may_be_same_thing
from tsgkit.suites.tsg.makers.sentence_relations import misplaced, wrong_hands, wrong_numbers, wrong_order
from tsgkit.suites.tsg.makers.sentences import (
    CONJUNCTIONS,
    DETERMINERS,
    NEGATIONS,
    POINTERS,
    AnnotatedText,
    GraphSentence,
    nodes_of,
    tokens_of,
)

RULES: dict[str, Rule] = {
    "unsaid": Rule(ERROR, "an action or thing of the graphs is neither said nor implied"),
    "not-in-text": Rule(ERROR, "the account names words that the text does not have"),
    "implied-too-much": Rule(ERROR, "no reader can infer what is implied, or it is said after all"),
    "wrong-word": Rule(ERROR, "the words for a node mean another one, or nothing"),
    "added": Rule(ERROR, "the text tells a thing or an action that the graphs do not have"),
    "number": Rule(ERROR, "the text tells an action more or less often than the graphs"),
    "hands": Rule(ERROR, "the text tells other hands than the graphs"),
    "order": Rule(ERROR, "the text tells the actions in another order"),
    "denied": Rule(ERROR, "the text denies something that the graphs have"),
    "opposite": Rule(ERROR, "the text tells the opposite action"),
    "wrong-preposition": Rule(ERROR, "a preposition contradicts the graph"),
    "wrong-role": Rule(ERROR, "two things have changed places"),
    "too-long": Rule(ERROR, "the text is far longer than the graphs need"),
}
WORDS_PER_GRAPH = 60
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
SHARED = word_set("them they both these those everything all its")
"""Words that may stand for several nodes."""
REPEATING = word_set("repeat continue let wait see watch listen need want like")
"""Verbs that add no action to those of the graphs."""
LITTLE_WORDS = DETERMINERS.union(
    POINTERS,
    CONJUNCTIONS,
    NEGATIONS,
    PREPOSITIONS,
    PARTICLES,
    word_set(
        "is are was were be been being am has have had do does did will would shall can could may might must gets got"
        " let lets goes comes going s"
        " he she i you we who everyone someone person again too also still now finally next even only just later soon"
        " very more most much many few several three four five six seven eight first second third last once twice"
        " immediately afterwards meanwhile instead together back away aside straight right all so such ready done"
    ),
)
OBJECTS = DETERMINERS | word_set("it them him her both everything these those")
SUBJECTS = word_set("to she he i you we they will")
"""Words right before a verb."""
BEFORE_VERBS = word_set("then finally also she he i you will")
INTENDING = word_set(
    "forget forgets forgot forgetting fail fails failed failing refuse refuses refused skip skips skipped skipping "
    "omit omits omitted avoid avoids avoided avoiding decline declines pretend pretends neglect neglects "
    "stop stops intend intends intended plan plans planned want wants wanted hesitate hesitates almost nearly "
    "hope hopes considers consider considered postpone postpones ignore ignores ignored ignoring "
    "tries trying tried attempts attempted attempting meaning hoping intending planning"
)
INTENDING_PAIRS = word_set("about-to would-have in-vain remains-for")
NOT_DENYING = word_set("only just merely yet until before unless far too long necessarily least stopping forgetting")
DENIED_DENIALS = word_set("without forgetting fail fails omitting skipping forget")


@dataclass(frozen=True)
class SentenceNeighbours:
    """The elements and graphs around a sentence."""

    vocabulary: Vocabulary | None = None
    """L, or the elements of the story."""
    others: frozenset[str] = frozenset()
    """Names of actions and things of other stories; no synonym may be one of them."""
    before: tuple[ActionGraph, ...] = ()
    """The graphs before, for pronouns and for *again*."""


def check_sentence(
    sentence: GraphSentence, graphs: Sequence[ActionGraph], surroundings: SentenceNeighbours
) -> tuple[Finding, ...]:
    """Return everything that is wrong in a sentence, each rule's findings in the order of :data:`RULES`."""
    if len(tokens_of(sentence.text)) > WORDS_PER_GRAPH * (1 + len(graphs)):
        return (Finding("too-long", ERROR, "The text is too long: tell the graphs and nothing else."),)
    text, before = AnnotatedText(sentence, graphs), surroundings.before
    names = names_of(surroundings.vocabulary, surroundings.others)
    unsaid = [node for node in text.places if not text.places[node] and node not in (*sentence.implied, *HANDS)]
    opposite = contradictions(text.text, [action for action in sorted(text.actions) if not text.claimed[action]])
    prepositions, roles = misplaced(text)
    messages: dict[str, Iterable[str]] = {
        "unsaid": (
            f"{node} is not told: name it, or another word for it, in the sentence and in said." for node in unsaid
        ),
        "not-in-text": (
            f'said gives "{phrase}" for {node}, but these words are not in the sentence.'
            for node, phrase in text.missing
        ),
        "implied-too-much": implied_too_much(sentence, text, before),
        "wrong-word": wrong_words(sentence, text, names, before),
        "added": chain(added_names(text, names), added_clauses(text)),
        "number": wrong_numbers(text, before),
        "hands": wrong_hands(text, before),
        "order": wrong_order(text),
        "denied": denied(text),
        "opposite": (f"The sentence says {verb}, but the graph says {action}." for action, verb in opposite),
        "wrong-preposition": prepositions,
        "wrong-role": roles,
    }
    return tuple(
        Finding(code, RULES[code].severity, message)
        for code, of_rule in messages.items()
        for message in dict.fromkeys(of_rule)
    )


def implied_too_much(sentence: GraphSentence, text: AnnotatedText, before: Sequence[ActionGraph]) -> Iterator[str]:
    """Find implied nodes that are said after all, and those that a reader cannot infer."""
    implied = [node for node in sentence.implied if node in text.places and node not in HANDS]
    if text.actions and text.actions <= set(implied):
        yield "The sentence says no action: say at least one in words."
    known = nodes_of(*before).keys() | {node for node, places in text.places.items() if places}
    for node in implied:
        if text.claimed[node]:
            yield f"{node} is both in said and in implied."
        elif node not in known and node not in text.actions:
            yield f"No reader can infer {node}, which nothing else tells: name it."
        elif node not in known:
            # Only the action is missing where everything that it is about occurs in other graphs.
            others = nodes_of(*(graph for graph in text.graphs if node not in graph.actions))
            its_graphs = [graph for graph in text.graphs if node in graph.actions]
            if not all(any(edge == DOBJ and end in others for _, edge, end in graph) for graph in its_graphs):
                yield f"No reader can infer {node} from the rest: tell it."


class Names(NamedTuple):
    """Names that words may mean: things and actions of L, and those with names of other stories behind them."""

    objects: tuple[str, ...]
    verbs: tuple[str, ...]
    things: tuple[str, ...]
    actions: tuple[str, ...]


@lru_cache(maxsize=64)
def names_of(vocabulary: Vocabulary | None, others: frozenset[str]) -> Names:
    """Return the names of L and of other stories."""
    objects, verbs = (vocabulary.objects, vocabulary.verbs) if vocabulary is not None else ((), ())
    more = sorted(others.difference(objects, verbs))
    things = tuple(name for name in more if not may_be_action(name))
    return Names(objects, verbs, (*objects, *things), (*verbs, *filter(may_be_action, more)))


@lru_cache(maxsize=20_000)
def may_be_action(name: str) -> bool:
    """Return whether a name is known as an action."""
    return split_particle(name) is not None or name in KNOWN_ACTIONS or bool(opposites(name))


def wrong_words(
    sentence: GraphSentence, text: AnnotatedText, names: Names, before: Sequence[ActionGraph]
) -> Iterator[str]:
    """Find words claimed for a node that stand for another one, that point to nothing, or that stand for two nodes."""
    earlier = nodes_of(*before)
    nodes = [node for node in text.places if node not in HANDS]
    for node in nodes:
        for phrase in dict.fromkeys(sentence.said.get(node, ())):
            if meaning := _other_meaning(node, phrase, text, names):
                yield f'"{phrase}" means {meaning}, not {node}: use a word that can only mean {node}.'
        places = text.places[node]
        is_known = node in text.actions or node in POINTERS or node in earlier
        if places and not is_known and all(map(text.points, places)):
            yield f'Nothing tells what "{" ".join(text.words(places[0]))}" is: name {node}.'
    for pair in combinations([node for node in nodes if text.claimed[node]], 2):
        for node, owner in (pair, pair[::-1]):
            if words := _borrowed(node, owner, text):
                yield f'"{words}" cannot stand for {node} and for {owner}: say each with words of its own.'
                break


def _other_meaning(node: str, phrase: str, text: AnnotatedText, names: Names) -> str:
    """Return the name that words claimed for a node mean instead of it; empty where they may mean it."""
    if mentions(phrase, node):
        return ""
    if node not in text.actions:
        return _other_thing(node, phrase, text, names)
    if undone := contradictions(phrase, [node]):
        return undone[0][1]
    action = _other_action(node, phrase, text, names)
    return action and _other_thing(node, phrase, text, names) if node in text.things else action


def _other_thing(node: str, phrase: str, text: AnnotatedText, names: Names) -> str:
    """Return another thing that words claimed for one mean: their last words are its name."""
    words = fold(phrase).split("-")
    content = [word for word in words if word not in DETERMINERS]
    if content and {*content} <= {*fold(node).split("-")}:
        return ""
    if LITTLE_WORDS.issuperset(words):
        return "no thing" if (POINTERS | COUNTERS).isdisjoint(words) else ""
    for candidate in dict.fromkeys((*text.places, *names.things)):
        name = fold(candidate).split("-")
        ending = content[-len(name) :]
        is_meant = len(ending) == len(name) and all(map(same_word, ending, name))
        if is_meant and candidate not in (node, PERSON, *HANDS) and not may_be_same_thing(node, candidate):
            return candidate
    return ""


def _other_action(node: str, phrase: str, text: AnnotatedText, names: Names) -> str:
    """Return another action that words claimed for one mean: one of L surely, others unless they are much the same."""
    words = fold(phrase).split("-")
    if REPEATED.isdisjoint(words) and ((DETERMINERS | POINTERS) - PARTICLES).issuperset(words):
        return "no action"
    for name in (*text.actions, *names.verbs):
        if name != node and name not in GENERAL and mentions(phrase, name) and not same_word(name, node):
            return name
    readings = [name for name in names.actions if name != node and mentions(phrase, name)]
    if node in KNOWN_ACTIONS and not text.named[node]:
        readings += [base for word in words for base in bases(word) if base in KNOWN_ACTIONS and base not in readings]
    is_doubtful = any(may_be_same_action(node, name) or name in EXCHANGES for name in readings)
    return readings[0] if readings and not is_doubtful else ""


def _borrowed(node: str, owner: str, text: AnnotatedText) -> str:
    """Return the words of a node all of which are another one's; empty where that is a usual way of saying both."""
    mine, theirs = text.places[node], {index for phrase in text.claimed[owner] for index in phrase}
    words = text.words(mine[0])
    cores = [{index for index in phrase if text.word(index) not in DETERMINERS} or {*phrase} for phrase in mine]
    if not all(map(theirs.issuperset, cores)) or same_word(node, owner) or not (REPEATED | SHARED).isdisjoint(words):
        return ""
    if len(mine) > 1 and all(map(text.points, mine)):
        return ""
    is_action, owner_is_action = node in text.actions, owner in text.actions
    if is_action and owner_is_action:
        is_exchange = any(base in EXCHANGES for word in words for base in bases(word))
        is_usual = is_exchange or len(theirs) > len(mine[0]) > 2
    elif owner_is_action:  # back in the mug
        is_part = any(len(theirs) > len(set(phrase)) for phrase in mine)
        is_usual = is_part or any(same_word(word, node) for word in words)
    else:
        is_usual = is_action
    return "" if is_usual else " ".join(words)


def added_names(text: AnnotatedText, names: Names) -> Iterator[str]:
    """Find other elements of L in the text: things anywhere but in comparisons and denials, actions where a verb is."""
    not_free = {*text.owners}  # nor the few words after a denial, to the next mark
    for index in filter(text.denies, range(len(text.tokens))):
        stop = next((end for end in range(index + 2, index + 6) if text.gap(end)), index + 6)
        not_free.update(range(index + 1, stop))
    ignored = {*text.places, *PARTS, PERSON, *HANDS}
    for name in dict.fromkeys((*names.objects, *names.verbs)):
        if name in ignored or not text.may_have(name):
            continue
        for span in text.named_places(name):
            is_verb = _reads_as_verb(span[0], text)
            is_thing = name in names.objects and not (is_verb and may_be_action(name))
            is_meant = (is_thing or (is_verb and name in names.verbs)) and not _is_compared(span[0], text)
            if is_meant and not_free.isdisjoint(span) and not any(same_word(name, node) for node in text.places):
                yield f"The sentence tells {name}, which is not in the graphs: leave it out."
                break


def _is_compared(index: int, text: AnnotatedText) -> bool:
    """Return whether a word stands in a comparison (*the way you'd salt an icy step*, *like a drum*)."""
    for position in range(index - 1, max(index - 7, -1), -1):
        word, following = text.word(position), text.word(position + 1)
        if (
            word in ("like", "than", "though", "if")
            or (word == "way" and following in ("you", "you'd", "one", "a"))
            or (word == "as" and following in DETERMINERS | {"if", "though"})
        ):
            return True
        if text.gap(position + 1) in (".", ";"):
            return False
    return False


def _reads_as_verb(index: int, text: AnnotatedText) -> bool:
    """Return whether the word reads as a verb of the text: at the start of a clause, after its subject or *and*."""
    before, after = text.word(index - 1), text.word(index + 1)
    if before in DETERMINERS - {"all", "both", "that"} or before in PREPOSITIONS - {"to", "before", "after", "until"}:
        return False
    if text.gap(index) or before in CONJUNCTIONS or before in SUBJECTS or before == "person":
        return before in SUBJECTS or after in OBJECTS or after in PARTICLES
    return before.endswith("ly") and after in OBJECTS


def added_clauses(text: AnnotatedText) -> Iterator[str]:
    """Find verbs behind *and* or *then* with an object, which nothing in the account stands for."""
    for index, token in enumerate(text.tokens):
        if token.word not in ("and", "then", "before", "after", "while") or _is_compared(index, text):
            continue
        verb = index + 1
        while text.word(verb).endswith("ly") or text.word(verb) in BEFORE_VERBS:
            verb += 1
        word = text.word(verb)
        if verb in text.owners or word in LITTLE_WORDS or text.gap(verb) in (".", ";") or text.gap(verb + 1):
            continue
        looks_like_verb = word.isalpha() and len(word) > 2 and not word.endswith(("ly", "ness", "tion"))
        if text.word(verb + 1) in OBJECTS and looks_like_verb and (GENERAL | REPEATING).isdisjoint(bases(word)):
            yield f'"{word}" is an action that the graphs do not have: leave it out, or add it to said.'


def denied(text: AnnotatedText) -> Iterator[str]:
    """Find actions and things of the graphs that the text denies, or tells as merely meant to be done."""
    for index, token in enumerate(text.tokens):
        following = text.word(index + 1)
        if text.denies(index):
            if node := _denied_node(index, text):
                yield f'"{token.word}" denies {node}: tell that it is done.'
        elif token.word in INTENDING or f"{token.word}-{following}" in INTENDING_PAIRS:
            if any(map(text.denies, range(max(0, index - 3), index))):
                continue
            for position in range(index + 1, index + 5):
                if text.gap(position) or text.word(position) in CONJUNCTIONS:
                    break
                actions = [node for node in text.owners.get(position, ()) if node in text.actions]
                if actions and all(position in span for span in text.places[actions[0]]):
                    yield f'"{token.word}" leaves open whether {actions[0]} is done: tell that it is done.'
                    break


def _denied_node(index: int, text: AnnotatedText) -> str:
    """Return the node that a denial is about; empty where there is none, or where other words also stand for it."""
    word, before = text.word(index), text.word(index - 1)
    first = index + (2 if word in ("instead", "rather") else 1)
    near = {before, *text.words(range(index + 1, index + 3))}
    is_doubled = near & (DENIED_DENIALS - {word}) or (word == "without" and before in ("not", "never"))
    if is_doubled or text.word(first) in NOT_DENYING:
        return ""
    is_put_off = not {"before", "until", "till"}.isdisjoint(text.words(range(index + 1, index + 9)))
    for position in range(first, first + 5):
        word = text.word(position)
        if position > first and (text.gap(position) or word in ("but", "before", "until", "and", "till")):
            return ""
        for node in text.owners.get(position, ()):
            elsewhere = [span for span in text.places[node] if not index < span[0] <= index + 6]
            is_action = node in text.actions
            needed = sum(node in graph.actions for graph, _ in text.units) if is_action else 1
            if node not in HANDS and not (is_action and is_put_off) and len(elsewhere) < needed:
                return node
        if word in ("until", "till"):
            return ""
    return ""
