"""Checks of samples one by one, by words and graphs: wrong candidates that may be right, answers of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import zip_longest
from typing import Any, NamedTuple

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, WITH, ActionGraph
from tsgkit.lexicon import PREPOSITIONS, bases, contradictions, mentions
from tsgkit.lexicon.folding import word_set
from tsgkit.lexicon.fragments import PHRASE, noun_phrases, unfinished
from tsgkit.lexicon.matching import INFLECTION
from tsgkit.lexicon.prepositions import compatible
from tsgkit.suites.audits.items import AuditedItem, words
from tsgkit.suites.tsg.baselines.questions import FIRST, HAPPENS, KINDS, LAST
from tsgkit.suites.tsg.baselines.word_roots import all_roots, opposed, roots
from tsgkit.suites.tsg.items import (
    LETTERS,
    QuestionSample,
    SelectionSample,
    SentenceGraphs,
    TsgSample,
    names_of,
    things_of,
)

NEGATIONS = word_set(
    "not no never none nothing neither nor without skip skipped skipping ignore ignored ignoring avoid avoided "
    "avoiding instead fail failed failing forgot forgotten omit omitted prevent prevented untouched undone unused"
)
_HARMLESS = word_set("carefully gently slowly quickly securely firmly thoroughly neatly finally")
"""Manners of sentences that are true of most actions."""
_BEFORE = re.compile(r"^(?:\w+ly, )?(?:after|once|having)\b[^,.;]*,\s*", re.IGNORECASE)
_PURPOSE = re.compile(
    r",\s+(?!using|holding)\w+ing\b.*|\bto (?!(?:the|an?|his|her|its)\b)[a-z]+ (?:the|an?|his|her|its)\b.*", re.DOTALL
)
"""What follows a description: *, ensuring a firm bond* or *to begin the work*."""
_MEANS = {"using": WITH, "by": WITH, "via": WITH}
_MEANS_FIRST = re.compile(r"\s*(?:with|using)\b", re.IGNORECASE)
_ACTORS = ("person", "man", "woman", "hand")
_BOTH = re.compile(r"\b(both|two) hands\b", re.IGNORECASE)
_ONE = re.compile(r"\b(one hand|single hand|one-handed)\b(?!.*\bother\b| (?:for )?each\b)", re.IGNORECASE)
"""One hand alone: not *one hand ... the other*, nor *one hand for each*."""
_LONE_A = re.compile(r"(?<![\w'])A(?![\w'])")

HAND, PLACE = "hand", "place"
_BE = (("is",), ("are",), ("was",), ("were",))
_AUXILIARIES = word_set("have has had do does did can could will would should must")
_FOLLOWING = PREPOSITIONS | FIRST | LAST | _AUXILIARIES | word_set("is are was were the person then that which")
"""Words behind a noun that are no noun."""
_DOES = HAPPENS | word_set("do does did")
_FAR = 4
"""The distance from the question word within which its noun stands."""
_RECEIVES = ("in", "on", "to")
_USED_FOR = re.compile(r"\bused (?:to|as)\b", re.IGNORECASE)
_AN = {"action": "an", "object": "an"}


# Sentences and their graphs


def opposites(truth: SentenceGraphs) -> Iterator[str]:
    """Find right sentences that say the opposite of an action of their graph."""
    if len(truth.graphs) == 1:  # of several actions, one may be implied by another's undoing
        opposites: dict[str, list[str]] = {}
        for action, opposite in contradictions(truth.sentence, truth.graphs[0].actions):
            opposites.setdefault(action, []).append(opposite)
        for action, verbs in opposites.items():
            yield f"the graph says {action}, the sentence {', '.join(verbs)}"


def hand_conflicts(sentence: str, graphs: Sequence[ActionGraph]) -> Iterator[str]:
    """Find a sentence that counts other hands than its one graph has."""
    if len(graphs) != 1:
        return
    number = len(set(HANDS).intersection(names_of(graphs)))
    if number == 1 and _BOTH.search(sentence):
        yield "the sentence says both hands, the graph has one"
    if number == len(HANDS) and _ONE.search(sentence):
        yield "the sentence says one hand, the graph has both"


# Choices


def unfinished_options(sample: SelectionSample) -> Iterator[str]:
    """Find candidates that are no whole sentence; phrases only beside a candidate that is one."""
    reasons = [unfinished(text) for text in sample.candidates]
    for index, reason in enumerate(reasons):
        if reason and (reason != PHRASE or "" in reasons):
            yield f"candidate {LETTERS[index % 26]} {reason}"


def lone_letters(sample: SelectionSample) -> Iterator[str]:
    """Find candidates with a capital A that stands alone."""
    places = [index for index, text in enumerate(sample.candidates) if _LONE_A.search(text)]
    if places:
        yield f"a lone capital A stands in {', '.join(LETTERS[index] for index in places if index < 10)}"


def earlier_steps(sample: SelectionSample) -> Iterator[str]:
    """Find wrong candidates whose sentence describes a graph of the context; rows may have a graph of each
    candidate.
    """
    graphs = sample.candidate_graphs if len(sample.candidate_graphs) == len(sample.candidates) else ()
    for index, (text, own_graph) in enumerate(zip_longest(sample.candidates, graphs)):
        step = _described_step(sample, text, own_graph) if index != sample.position else None
        if step is not None:
            yield f"candidate {LETTERS[index % 26]} describes graph {step + 1} of the context"


def better_options(sample: SelectionSample) -> Iterator[str]:
    """Find keyed candidates that a wrong one describes the graph better than.

    The keyed one lacks the graph's action, and another mentions all of the graph, two names more at least, since keyed
    candidates may use another word for an action; if the keyed one mentions the opposite action, it is enough that
    another mentions the action and as much beside it. Or the keyed one names a thing that the graph lacks and leaves
    out one that it has, and another fits in every word.
    """
    keyed, names, actions = sample.keyed, things_of(sample.graph), sample.graph.actions
    if keyed is None or len(names) < 2:
        return
    of_keyed, is_opposite = _mentioned(keyed, names), bool(contradictions(keyed, actions))
    lacks_action = not _mentioned(keyed, actions)
    is_strange = bool(names - of_keyed - set(actions)) and _names_strange_thing(keyed, names)
    if not (lacks_action or is_strange):
        return
    for index, text in enumerate(sample.candidates):
        if index == sample.position:
            continue
        mentioned, tells_action = _mentioned(text, names), bool(_mentioned(text, actions))
        is_whole = mentioned == names and len(mentioned - of_keyed) > 1 and not _denials(text)
        is_better = lacks_action and tells_action and (is_whole or (is_opposite and of_keyed <= mentioned))
        tells_action |= _rewords(text, actions) and not _rewords(keyed, actions)
        fits = is_strange and of_keyed < mentioned and tells_action and _fits(text, sample.graph, keyed)
        if is_better or fits:
            more = ", ".join(sorted(mentioned - of_keyed))
            yield f"candidate {LETTERS[index % 26]} tells {more} of the graph, the keyed one does not"
            return


def strange_keys(sample: SelectionSample) -> Iterator[str]:
    """Find keyed candidates that mention nothing of the graph, in no other verb either, but a thing of the context."""
    if sample.keyed is None:
        return
    names, text = things_of(sample.graph), _described(sample.keyed)
    if _mentioned(text, names) or _rewords(text, sample.graph.actions):
        return
    things = {name for step in sample.context for name in things_of(step) - set(step.actions) if "hand" not in name}
    strange = [name for name in sorted(things - names) if _is_named_as_written(text, name)]
    if strange:
        yield f"the keyed candidate names {', '.join(strange)} of the context and nothing of the graph"


def fewest_denials(item: AuditedItem) -> tuple[int, ...]:
    """Return the candidates with the fewest words that deny."""
    counts = {index: _denials(item.options[index]) for index in item.choices}
    fewest = min(counts.values(), default=0)
    return tuple(index for index, number in counts.items() if number == fewest)


def _described_step(sample: SelectionSample, text: str, own_graph: ActionGraph | None) -> int | None:
    """Return the last graph of the context that a text describes, if the text fits the asked graph less well.

    It mentions all of that graph; or the graph is the text's own in the row, and it mentions the direct object, and the
    action or another verb for it. Other words for things are not known.
    """
    text, asked_names = _described(text), things_of(sample.graph)
    of_asked = _mentioned(text, asked_names)
    parts = re.split("[,;.]", text)
    for step in range(len(sample.context) - 1, -1, -1):
        graph = sample.context[step]
        names, actions = things_of(graph), graph.actions
        if len(names) < 2 or names <= asked_names or of_asked - names or not _agrees(text, graph):
            continue
        if opposed(all_roots(words(" ".join(actions))), all_roots(words(text))) or contradictions(text, actions):
            continue
        about_action = [part for part in parts if _mentioned(part, actions) or _MEANS_FIRST.match(part)] or parts
        if any(_denials(part) or _names_strange_thing(part, names) for part in about_action):
            continue
        mentioned = _mentioned(text, names)
        if mentioned == names and _mentioned(text, actions):
            targets = {triplet.target for triplet in graph if triplet.source != PERSON}
            # the text may mean the thing that has the action's name: the iron that one irons with
            if not any(action in targets and _is_named_as_written(text, action) for action in actions):
                return step
        objects = {target for _, edge, target in graph if edge == DOBJ}
        if graph == own_graph and objects and objects <= mentioned and _rewords(text, actions):
            return step
    return None


def _described(text: str) -> str:
    """Return a text without its purpose and without what was done before."""
    return _PURPOSE.sub("", _BEFORE.sub("", text))


def _mentioned(text: str, names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if mentions(text, name))


def _is_named_as_written(text: str, name: str) -> bool:
    mention = mentions(text, name)
    return mention is not None and mention.by != INFLECTION


def _names_strange_thing(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has a noun with an article that is none of these names, nor a person or a hand.

    The name must be the last word: the oven door is no oven.
    """
    return any(
        not _mentioned(noun, _ACTORS)
        and not any(mention.spans[-1][1] == len(noun) for name in names if (mention := mentions(noun, name)))
        for noun in noun_phrases(text)
    )


def _fits(text: str, graph: ActionGraph, keyed: str) -> bool:
    """Return whether a text that tells a graph's action surely describes it: its direct objects, and nothing else.

    Manners may make a description wrong, so they must be harmless or those of the keyed candidate.
    """
    manners = {word for word in words(text) if word.endswith("ly")}
    is_whole = all(mentions(text, target) for _, edge, target in graph if edge == DOBJ)
    is_sure = not _denials(text) and manners <= {*words(keyed), *_HARMLESS}
    return is_whole and is_sure and _agrees(text, graph) and not _names_strange_thing(text, things_of(graph))


def _agrees(text: str, graph: ActionGraph) -> bool:
    """Return whether a text has the hands of a graph, and what it mentions in the graph's relations."""
    hands = set(HANDS).intersection(names_of([graph]))
    if any(hand_conflicts(text, [graph])) or _mentioned(text, HANDS) not in (set(), hands):
        return False
    for _, edge, target in graph:
        mention = mentions(text, target) if target not in (*HANDS, *graph.actions) else None
        if mention is not None:
            before = words(text[: mention.spans[0][0]])[-3:]
            [preposition] = [word for word in before if word in PREPOSITIONS or word == "using"][-1:] or [""]
            is_plain = preposition in ("", "of") and edge in (DOBJ, "of")
            if not is_plain and not compatible(_MEANS.get(preposition, preposition), edge):
                return False
    return True


def _rewords(text: str, actions: Iterable[str]) -> bool:
    """Return whether a text tells one of the actions, or by another everyday verb: *retrieved* for *take-out*."""
    verbs = all_roots(words(text))
    others = {root for action in actions for root in roots(action.split("-")[0]) if root[0] == "~"}
    return not others.isdisjoint(verbs) or bool(_mentioned(text, actions))


@lru_cache(maxsize=100_000)
def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text))


# Questions


def names_by_role(graphs: Iterable[ActionGraph]) -> dict[str, set[str]]:
    """Return the names in graphs by the edges that end in them: ``verb``, ``dobj``, ``with``, hands, places."""
    roles: dict[str, set[str]] = {}
    for _, edge, name in (triplet for graph in graphs for triplet in graph.triplets):
        role = HAND if name in HANDS else edge if edge in (VERB, DOBJ, WITH) else PLACE
        roles.setdefault(role, set()).add(name)
    return roles


def asked_kind(question: str) -> str:
    """Return what a question plainly asks for: a tool, place, hand, action or object; empty in doubt.

    >>> [asked_kind(question) for question in ("Which cleaning tool was used?", "What was the last action performed?")]
    ['tool', 'action']
    >>> asked_kind("What was the other hand holding?"), asked_kind("Which tool box was opened?")
    ('', '')
    >>> asked_kind("In the step in which both hands were used, what did the person do?")
    ''
    """
    sentence = words(re.split(r"[.;:]\s", question)[-1])
    starts = [index for index, word in enumerate(sentence) if word in ("which", "what", "where")]
    # "the step in which ..., what"
    while len(starts) > 1 and starts[0] > 1 and sentence[starts[0] - 1] in PREPOSITIONS:
        starts.pop(0)
    start = starts[0] if starts else len(sentence)
    question_word, rest = "".join(sentence[start : start + 1]), sentence[start + 1 :]
    if question_word == "where":
        return PLACE if start <= 1 else ""
    if not _AUXILIARIES.isdisjoint(rest[:1]) or ("thing" in rest and not _DOES.isdisjoint(rest)):
        return ""
    is_predicate = question_word == "what" and rest[:1] in _BE
    if is_predicate:  # "with what was the tool cleaned" and "what was the tool cleaned with" do not ask for a tool
        rest = () if start or sentence[-1] in PREPOSITIONS else rest[1:]
    kind = ""
    for index, word in enumerate(rest):
        noun_kind = next((kind for kind, names in KINDS.items() if names & {word, word.removesuffix("s")}), "")
        if not noun_kind and (kind or word in PREPOSITIONS or index == _FAR):
            is_next_noun = not (word in _FOLLOWING or word.endswith("ly") or len(bases(word)) > 1)
            is_subject = is_predicate and (kind == HAND or word.endswith("ing"))
            return "" if is_next_noun or is_subject else kind
        kind = noun_kind
    return kind


def wrong_kinds(sample: QuestionSample) -> Iterator[str]:
    """Find right answers that are of another kind than the question asks for, by their part in the graphs.

    A tool is what something is done with. What is used as one, or never handled, and only ever receives other things is
    a place; and what only ever is a tool is no place. A name without a part in the graphs is passed over.
    """
    kind, answer, terms = asked_kind(sample.question), sample.answer, words(sample.question)
    roles = {role for role, names in names_by_role(sample.graphs).items() if answer in names}
    edges = {edge for graph in sample.graphs for _, edge, target in graph.triplets if target == answer}
    receives = any(compatible(edge, preposition) for edge in edges - {WITH} for preposition in _RECEIVES)
    is_used, asks_for_place = (
        "used" in terms,
        terms[-1] in PREPOSITIONS or terms[0] in PREPOSITIONS - {"with"},
    )
    may_be_place = receives and not asks_for_place and not _USED_FOR.search(sample.question)
    message = ""
    if kind == "action":
        message = "" if VERB in roles else "no action"
    elif kind == HAND:
        message = "" if HAND in answer else "no hand"
    elif kind and roles == {VERB}:
        message = "only an action"
    elif kind == "tool" and may_be_place and WITH not in roles:
        message = "" if DOBJ in roles and not is_used else "only a place where something is put"
    elif kind == PLACE and roles <= {WITH, DOBJ} and WITH in roles and not is_used and "container" not in terms:
        message = "only a tool"
    if message and roles:
        yield f"asks for {_AN.get(kind, 'a')} {kind}, and {answer} is {message}"


# The checks


class SampleCheck(NamedTuple):
    """A check of each sample of a class by itself, or of its right sentence and graphs, for one kind of defect."""

    code: str
    looks_for: str
    of: type[TsgSample | SentenceGraphs]
    problems: Callable[[Any], Iterable[str]]
    """Yields what is wrong."""
    is_error: bool = False
    is_folded: bool = False


SAMPLE_CHECKS = (
    SampleCheck(
        "contradiction", "right answers that say the opposite of their graph", SentenceGraphs, opposites, is_error=True
    ),
    SampleCheck(
        "hands",
        "sentences that count other hands than their graph",
        SentenceGraphs,
        lambda truth: hand_conflicts(truth.sentence, truth.graphs),
        is_folded=True,
    ),
    SampleCheck(
        "unfinished-option", "choices with a candidate that is no whole sentence", SelectionSample, unfinished_options
    ),
    SampleCheck(
        "answer-kind",
        "questions for a tool, a place, a hand, an action or a thing whose answer is none",
        QuestionSample,
        wrong_kinds,
    ),
    SampleCheck(
        "step-before",
        "choices about a graph that stood in the context already",
        SelectionSample,
        lambda sample: ["its graph stands in its context as well"] * (sample.graph in sample.context),
    ),
    SampleCheck(
        "earlier-step",
        "choices with a wrong candidate that describes an earlier step of the context",
        SelectionSample,
        earlier_steps,
    ),
    SampleCheck(
        "better-option",
        "choices whose graph a wrong candidate fits better than the keyed one",
        SelectionSample,
        better_options,
    ),
    SampleCheck(
        "strange-key",
        "choices whose keyed candidate names a thing of the context and nothing of the graph",
        SelectionSample,
        strange_keys,
    ),
    SampleCheck(
        "lone-letter",
        "choices whose candidates hold a lone capital A, which the published reader takes for a letter",
        SelectionSample,
        lone_letters,
    ),
)
