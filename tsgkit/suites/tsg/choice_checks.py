"""Checks of choices by words and graphs: wrong candidates that may be right, and parts of a file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from tsgkit.graph.model import DOBJ, HANDS, PERSON, WITH, ActionGraph
from tsgkit.lexicon import PREPOSITIONS, contradictions, mentions
from tsgkit.lexicon.fragments import PHRASE, noun_phrases, unfinished
from tsgkit.lexicon.matching import INFLECTION
from tsgkit.lexicon.preposition_senses import compatible
from tsgkit.lexicon.tables import word_set
from tsgkit.library.documents.rows import Entry
from tsgkit.suites.audits.items import LETTERS, Item, Slip, words
from tsgkit.suites.tsg.baselines.word_roots import all_roots, opposed, roots
from tsgkit.suites.tsg.items import AnySample, SelectionSample, names_of

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
MOST_KINDS = 12
RANDOM, PERTURBED = "random half (with variation_triplets)", "perturbed half (without variation_triplets)"


def kinds_of_rows(entries: Sequence[Entry]) -> list[str]:
    """Return the known half or kind of each row; empty texts where the rows name none.

    Choices: their only tag, else whether ``variation_triplets`` occur in them, as only in the random half of the
    published file. Generation rows: the number of graphs.
    """
    rows = [entry.row or {} for entry in entries]
    found = [""] * len(rows)
    if all("variations" in row for row in rows):
        found = [str(row["tags"][0]) if _has_one_tag(row) else "" for row in rows]
        if not all(found):
            found = [PERTURBED if row.get("variation_triplets") is None else RANDOM for row in rows]
    elif all("mandatory_space" in row for row in rows):
        found = [f"k = {len(row['graphs'])}" for row in rows]
    return found if 1 < len(set(found)) <= MOST_KINDS else [""] * len(rows)


def unfinished_options(sample: AnySample) -> Iterator[Slip]:
    """Find candidates that are no whole sentence; phrases only beside a candidate that is one."""
    if not isinstance(sample, SelectionSample):
        return
    reasons = [unfinished(text) for text in sample.candidates]
    for place, reason in enumerate(reasons):
        if reason and (reason != PHRASE or "" in reasons):
            yield Slip("unfinished-option", sample.item_id, f"candidate {LETTERS[place % 26]} {reason}")


def earlier_steps(own_graphs: Mapping[str, Sequence[ActionGraph]], sample: AnySample) -> Iterator[Slip]:
    """Find wrong candidates whose sentence describes a graph of the context; rows may have a graph of each
    candidate."""
    if not isinstance(sample, SelectionSample):
        return
    graphs = own_graphs[sample.item_id]
    for place, text in enumerate(sample.candidates):
        own = graphs[place] if len(graphs) == len(sample.candidates) else None
        step = _step_told(sample, text, own) if place != sample.position else None
        if step is not None:
            message = f"candidate {LETTERS[place % 26]} describes graph {step + 1} of the context"
            yield Slip("earlier-step", sample.item_id, message)


def better_options(sample: AnySample) -> Iterator[Slip]:
    """Find keyed candidates that a wrong one describes the graph better than.

    The keyed one lacks the graph's action, and another mentions all of the graph, two names more at least, since keyed
    candidates may use another word for an action; if the keyed one mentions the opposite action, it is enough that
    another mentions the action and as much beside it. Or the keyed one names a thing that the graph lacks and leaves
    out one that it has, and another fits in every word.
    """
    if not isinstance(sample, SelectionSample) or not 0 <= sample.position < len(sample.candidates):
        return
    names, actions = _names(sample.graph), sample.graph.actions
    keyed = sample.candidates[sample.position]
    told, is_opposite = _told(keyed, names), bool(contradictions(keyed, actions))
    lacks_action = not _tells_any(keyed, actions)
    is_strange = bool(names - told - set(actions)) and _names_strange_thing(keyed, names)
    if len(names) < 2 or not (lacks_action or is_strange):
        return
    for place, text in enumerate(sample.candidates):
        if place == sample.position:
            continue
        other, tells_action = _told(text, names), _tells_any(text, actions)
        is_whole = other == names and len(other - told) > 1 and not _denies(text)
        is_better = lacks_action and tells_action and (is_whole or (is_opposite and told <= other))
        tells_action |= _rewords(text, actions) and not _rewords(keyed, actions)
        fits = is_strange and told < other and tells_action and _fits(text, sample.graph, keyed)
        if is_better or fits:
            more = ", ".join(sorted(other - told))
            message = f"candidate {LETTERS[place % 26]} tells {more} of the graph, the keyed one does not"
            yield Slip("better-option", sample.item_id, message)
            return


def strange_keys(sample: AnySample) -> Iterator[Slip]:
    """Find keyed candidates that mention nothing of the graph, in no other verb either, but a thing of the context."""
    if not isinstance(sample, SelectionSample) or not 0 <= sample.position < len(sample.candidates):
        return
    names, text = _names(sample.graph), _described(sample.candidates[sample.position])
    if _told(text, names) or _rewords(text, sample.graph.actions):
        return
    things = {name for step in sample.context for name in _names(step) - set(step.actions) if "hand" not in name}
    strange = [name for name in sorted(things - names) if (found := mentions(text, name)) and found.by != INFLECTION]
    if strange:
        message = f"the keyed candidate names {', '.join(strange)} of the context and nothing of the graph"
        yield Slip("strange-key", sample.item_id, message)


def hand_conflict(sentence: str, graph: ActionGraph) -> str:
    """Return how a sentence counts other hands than its graph has; empty where it does not."""
    number = len({name for name in names_of([graph]) if name in HANDS})
    if number == 1 and _BOTH.search(sentence):
        return "the sentence says both hands, the graph has one"
    if number == len(HANDS) and _ONE.search(sentence):
        return "the sentence says one hand, the graph has both"
    return ""


def fewest_denials(item: Item) -> tuple[int, ...]:
    """Return the candidates with the fewest words that deny."""
    counts = {place: _denials(item.options[place]) for place in item.choices}
    fewest = min(counts.values(), default=0)
    return tuple(place for place, number in counts.items() if number == fewest)


def _step_told(sample: SelectionSample, text: str, own: ActionGraph | None) -> int | None:
    """Return the last graph of the context that a text describes, if the text fits the asked graph less well.

    It mentions all of that graph; or the graph is the text's own in the row, and it mentions the direct object, and the
    action or another verb for it. Other words for things are not known.
    """
    asked, text = _names(sample.graph), _described(text)
    told_of_asked = _told(text, asked)
    for step in range(len(sample.context) - 1, -1, -1):
        graph = sample.context[step]
        names = _names(graph)
        if len(names) < 2 or names <= asked or told_of_asked - names or not _agrees(text, graph):
            continue
        parts = re.split("[,;.]", text)
        about_action = [part for part in parts if _tells_any(part, graph.actions) or _MEANS_FIRST.match(part)] or parts
        if _opposes(text, graph) or any(_denies(part) or _names_strange_thing(part, names) for part in about_action):
            continue
        told = _told(text, names)
        is_whole = told == names and _tells_any(text, graph.actions)
        if is_whole and not any(_is_named_as_thing(text, action, graph) for action in graph.actions):
            return step
        objects = {target for _, edge, target in graph if edge == DOBJ}
        if graph == own and objects and objects <= told and _rewords(text, graph.actions):
            return step
    return None


def _has_one_tag(row: Mapping[str, object]) -> bool:
    tags = row.get("tags")
    return isinstance(tags, list) and len(tags) == 1


def _names(graph: ActionGraph) -> frozenset[str]:
    """Return everything named in a graph but the person and hands."""
    return frozenset(name for triplet in graph for name in (triplet.source, triplet.target)) - {PERSON, *HANDS}


def _described(text: str) -> str:
    """Return a text without its purpose and without what was done before."""
    return _PURPOSE.sub("", _BEFORE.sub("", text))


def _names_strange_thing(text: str, names: Iterable[str]) -> bool:
    """Return whether a text has a noun with an article that is none of these names, nor a person or a hand.

    The name must be the last word: the oven door is no oven.
    """
    return any(
        not _told(noun, _ACTORS)
        and not any(found.spans[-1][1] == len(noun) for name in names if (found := mentions(noun, name)))
        for noun in noun_phrases(text)
    )


def _fits(text: str, graph: ActionGraph, keyed: str) -> bool:
    """Return whether a text that tells a graph's action surely describes it: its direct objects, and nothing else.

    Manners may make a description wrong, so they must be harmless or those of the keyed candidate.
    """
    manners = {word for word in words(text) if word.endswith("ly")}
    is_whole = all(mentions(text, target) for _, edge, target in graph if edge == DOBJ)
    is_sure = not _denies(text) and manners <= {*words(keyed), *_HARMLESS}
    return is_whole and is_sure and _agrees(text, graph) and not _names_strange_thing(text, _names(graph))


def _agrees(text: str, graph: ActionGraph) -> bool:
    """Return whether a text has the hands of a graph, and what it mentions in the graph's relations."""
    hands = {name for name in names_of([graph]) if name in HANDS}
    if hand_conflict(text, graph) or {name for name in HANDS if mentions(text, name)} not in (set(), hands):
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


def _told(text: str, names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name in names if mentions(text, name))


def _tells_any(text: str, actions: Iterable[str]) -> bool:
    return any(mentions(text, action) for action in actions)


def _rewords(text: str, actions: Iterable[str]) -> bool:
    """Return whether a text tells one of the actions, or by another everyday verb: *retrieved* for *take-out*."""
    verbs = all_roots(words(text))
    others = {root for action in actions for root in roots(action.split("-")[0]) if root[0] == "~"}
    return not others.isdisjoint(verbs) or _tells_any(text, actions)


def _opposes(text: str, graph: ActionGraph) -> bool:
    is_opposed = opposed(all_roots(words(" ".join(graph.actions))), all_roots(words(text)))
    return is_opposed or bool(contradictions(text, graph.actions))


def _is_named_as_thing(text: str, action: str, graph: ActionGraph) -> bool:
    """Return whether a text may mean the thing that has the action's name: the iron that one irons with."""
    found = mentions(text, action)
    is_thing = any(action == triplet.target for triplet in graph if triplet.source != PERSON)
    return is_thing and found is not None and found.by != INFLECTION


@lru_cache(maxsize=100_000)
def _denials(text: str) -> int:
    return sum(word in NEGATIONS for word in words(text))


def _denies(text: str) -> bool:
    return _denials(text) > 0
