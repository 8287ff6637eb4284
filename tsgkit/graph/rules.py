"""Rules of action scene graphs: findings with their place and the likely intention.

>>> from tsgkit.graph.model import ActionGraph
>>> for finding in check_graph(ActionGraph.of(("person", "verb", "wash"), ("washes", "dobj", "cup"))):
...     print(finding.severity, finding.code, finding.message, "|", finding.hint)
error dobj-source dobj starts at washes, which is not the graph's action (wash) | wash?
warning disconnected washes, cup: not linked to the rest | wash for washes?

Errors contradict the schema. Warnings are unusual and often mistakes (a missing direct object, a breach of the hand
rule). :data:`RULES` lists every code. Prepositions between objects and hands are accepted in both directions. One that
ends at the graph's action is reversed, unless the action's name is that of an object too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, NamedTuple

from tsgkit.graph.hands import DEFAULT_RULE, HAND_NAME, HandRule, misspelt_hand, trace
from tsgkit.graph.model import (
    DOBJ,
    HANDS,
    INSTANCE,
    PERSON,
    VERB,
    WITH,
    ActionGraph,
    Kind,
    Narrative,
    Node,
    Triplet,
    Vocabulary,
)
from tsgkit.lexicon import fold, is_preposition, listed, nearest
from tsgkit.lexicon.folding import word_set

Severity = Literal["error", "warning"]
ERROR: Severity = "error"
WARNING: Severity = "warning"


class Rule(NamedTuple):
    """A rule."""

    severity: Severity
    meaning: str


RULES: dict[str, Rule] = {
    "empty-graph": Rule(ERROR, "a graph has no triplets"),
    "empty-name": Rule(ERROR, "a node or an edge has no name"),
    "not-lower-case": Rule(ERROR, "a name is not in lower case"),
    "not-hyphenated": Rule(ERROR, "a name holds a space or an underscore where a hyphen belongs"),
    "instance-suffix": Rule(ERROR, "a name ends in an instance number such as :1; instances are merged by name"),
    "hand-name": Rule(ERROR, "a hand is called anything but hand1 or hand2"),
    "no-action": Rule(ERROR, "no triplet leads from person by verb to an action"),
    "several-actions": Rule(ERROR, "more than one action in a graph"),
    "verb-source": Rule(ERROR, "verb starts at something that is not person"),
    "verb-hand": Rule(ERROR, "verb ends at a hand"),
    "person-target": Rule(ERROR, "an edge ends at person"),
    "person-edge": Rule(ERROR, "person is joined by an edge that is not verb"),
    "edge-misspelt": Rule(ERROR, "verb or dobj under another spelling"),
    "edge-kind-word": Rule(ERROR, "the word preposition stands where the preposition itself belongs"),
    "not-a-preposition": Rule(WARNING, "an edge label is neither verb nor dobj nor a known preposition"),
    "dobj-source": Rule(ERROR, "dobj starts at something that is not the graph's action"),
    "dobj-hand": Rule(ERROR, "dobj ends at a hand"),
    "dobj-action": Rule(ERROR, "dobj ends at a name that L lists as a verb only"),
    "no-dobj": Rule(WARNING, "an action has no direct object"),
    "several-dobj": Rule(WARNING, "an action has several direct objects"),
    "action-target": Rule(ERROR, "a preposition ends at an action, where it should start"),
    "action-action": Rule(ERROR, "a preposition joins two actions"),
    "hand-hand": Rule(ERROR, "an edge joins two hands"),
    "self-loop": Rule(ERROR, "an edge begins and ends at the same node"),
    "homonym-loop": Rule(WARNING, "an action and its object have the same name"),
    "duplicate": Rule(WARNING, "a triplet is written twice"),
    "disconnected": Rule(WARNING, "a part of the graph is not linked to the rest"),
    "out-of-vocabulary": Rule(ERROR, "an element is not in L"),
    "hand2-first": Rule(WARNING, "hand2 takes something while hand1 is free"),
    "hand-occupied": Rule(WARNING, "a hand takes something while it holds something else and the other is free"),
    "hands-full": Rule(WARNING, "something is taken while both hands hold something else"),
    "hand-busy": Rule(WARNING, "a hand works while it holds something that the graph does not name"),
    "hand-unstated": Rule(WARNING, "something is taken and no hand is named"),
    "wrong-hand": Rule(WARNING, "a hand is named for something that the other hand holds"),
    "not-held": Rule(WARNING, "something is put down that no hand holds"),
}

MISSPELT = {
    "verbs": VERB,
    "verb-of": VERB,
    "action": VERB,
    "dobjs": DOBJ,
    "d-obj": DOBJ,
    "obj": DOBJ,
    "object": DOBJ,
    "direct-object": DOBJ,
}
KIND_WORDS = frozenset({"prep", "preps", "preposition", "prepositions"})
THINGS_TOO = word_set(
    "brush button chain chalk clamp clip comb cover drill dye file frame glue grate hammer hook hose iron knot label",
    "lever lock mask mop nail needle oil pack paint patch peg pin pipe plane plug polish pump rake rope salt sand saw",
    "scoop screw seal shovel soap solder spade spray stack stamp staple stitch strap string tap tape thread tie towel",
    "vacuum varnish water wax wedge whisk wipe wire wrap wrench",
)
"""Actions that are named like tools or materials, so that without L an edge may end at the object of that name."""
MOST_NAMED = 5
MOST_COMPARED = 40
"""The number of names that a hint compares, so that hints do not cost more than checks."""
PLAIN_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


class Place(NamedTuple):
    """The place of a finding: line (from 1), item id, graph and triplet (from 0; in words from 1).

    >>> str(Place(item="tea", graph=0, triplet=2))
    'item tea, graph 1, triplet 3'
    """

    line: int | None = None
    item: str | None = None
    graph: int | None = None
    triplet: int | None = None

    def __str__(self) -> str:
        graph, triplet = (None if number is None else number + 1 for number in (self.graph, self.triplet))
        shown = self._replace(graph=graph, triplet=triplet)._asdict()
        return ", ".join(f"{name} {value}" for name, value in shown.items() if value is not None)


NOWHERE = Place()


@dataclass(frozen=True)
class Finding:
    """An error or warning; ``elements`` are its names and labels."""

    code: str
    severity: Severity
    message: str
    hint: str = ""
    place: Place = NOWHERE
    elements: tuple[str, ...] = ()

    def __str__(self) -> str:
        position = f"{self.place}: " if self.place != NOWHERE else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.severity} {self.code}: {position}{self.message}{hint}"

    def at(self, **where: Any) -> Finding:  # noqa: ANN401  (the fields of Place, whose types differ)
        """Return the same finding with more of its place known."""
        return replace(self, place=self.place._replace(**where))


def check_narrative(narrative: Narrative, rule: HandRule = DEFAULT_RULE) -> list[Finding]:
    """Return all findings of a narrative's graphs, then those of the hands along it."""
    findings = [
        finding.at(graph=number)
        for number, graph in enumerate(narrative.graphs)
        for finding in check_graph(graph, narrative.vocabulary)
    ]
    return findings + [
        _finding(breach.code, breach.message).at(graph=step.index)
        for step in trace(narrative, rule)
        for breach in step.breaches
    ]


def check_graph(graph: ActionGraph, vocabulary: Vocabulary | None = None) -> list[Finding]:
    """Return all findings of one graph, by place; L is checked where it is given."""
    return list(_findings(graph.triplets, vocabulary))


@lru_cache(maxsize=4096)  # rows of one scenario repeat its graphs
def _findings(triplets: tuple[Triplet, ...], vocabulary: Vocabulary | None) -> tuple[Finding, ...]:
    if not triplets:
        return (_finding("empty-graph", "the graph has no triplets"),)
    view = _View(ActionGraph(triplets), vocabulary)
    findings = [finding for check in CHECKS for finding in check(view)]
    return tuple(sorted(findings, key=lambda finding: (finding.place.triplet is None, finding.place.triplet or 0)))


def _finding(
    code: str, message: str, hint: str = "", triplet: int | None = None, *, about: Iterable[str] = ()
) -> Finding:
    return Finding(code, RULES[code].severity, message, hint, Place(triplet=triplet), tuple(about))


class _View:
    """A graph with derived data for the checks."""

    def __init__(self, graph: ActionGraph, vocabulary: Vocabulary | None) -> None:
        self.triplets = graph.triplets
        self.typed = graph.typed(vocabulary)
        self.vocabulary = vocabulary
        self.verb_targets = graph.actions
        actions = (t.target for t in graph.triplets if t.edge == VERB and t.source == PERSON)
        self.actions = tuple(dict.fromkeys(actions))
        self.action_names = frozenset(self.actions)
        verbs = [t for t in graph.triplets if PERSON in (t.source, t.target) and _says_verb(t.edge)]
        self.acting = frozenset(name for t in verbs for name in (t.source, t.target)) - {"", PERSON, *HANDS}

    @cached_property
    def linked(self) -> frozenset[str]:
        """The names linked to an action by edges that do not end at it."""
        others = [triplet for triplet in self.triplets if triplet.source == PERSON or triplet.target not in self.acting]
        return frozenset(name for part in _parts(others) if not self.acting.isdisjoint(part) for name in part)


def _says_verb(edge: str) -> bool:
    return VERB in (fold(edge), MISSPELT.get(fold(edge)))


def _check_names(view: _View) -> Iterator[Finding]:
    checked: set[str] = set()
    for number, triplet in enumerate(view.triplets):
        for position, name in enumerate(triplet):
            if name not in checked:
                checked.add(name)
                if position != 1 and (hand := _misspelt_hand(name, view.vocabulary)):
                    yield _finding("hand-name", f"{name} is not a hand's name", f"{hand}?", number, about=(name,))
                if not PLAIN_NAME.fullmatch(name) or "hand" in name:
                    yield from _check_name(name, number, is_node=position != 1)


def _misspelt_hand(name: str, vocabulary: Vocabulary | None) -> str:
    return "" if vocabulary is not None and vocabulary.allows_node(name) else misspelt_hand(name)


def _check_name(name: str, number: int, *, is_node: bool) -> Iterator[Finding]:
    about = (name,)
    if not name.strip():
        what = "a node has no name" if is_node else "an edge has no label"
        yield _finding("empty-name", what, triplet=number, about=about)
        return
    if name != name.lower():
        yield _finding("not-lower-case", f"{name} is not in lower case", name.lower() + "?", number, about=about)
    is_hand = is_node and name not in HANDS and HAND_NAME.fullmatch(name)
    if not is_hand and ("_" in name or any(letter.isspace() for letter in name)):
        message = f"{name} holds a space or an underscore"
        yield _finding("not-hyphenated", message, fold(name) + "?", number, about=about)
    if INSTANCE.search(name):
        hint = INSTANCE.sub("", name) + "?"
        yield _finding("instance-suffix", f"{name} carries an instance number", hint, number, about=about)
    if is_hand:
        hint = "hand1, hand2, or both in two triplets"
        yield _finding("hand-name", f"{name} is not a hand's name", hint, number, about=about)


def _check_verbs(view: _View) -> Iterator[Finding]:
    if not view.actions:
        yield _finding("no-action", "no triplet leads from person by verb to an action", "person -> verb -> ...?")
    elif len(view.actions) > 1:
        yield _finding("several-actions", f"{len(view.actions)} actions in one graph: {listed(view.actions)}")
    for number, (source, edge, target) in enumerate(view.triplets):
        if edge == VERB and source != PERSON:
            hint = "the other way round?" if target == PERSON else f"person -> verb -> {target}?"
            yield _finding("verb-source", f"verb starts at {source}, not at person", hint, number, about=(source,))
        if edge == VERB and target in HANDS:
            yield _finding("verb-hand", f"{target} stands where an action belongs", triplet=number)
        if target == PERSON:
            yield _finding("person-target", f"{edge} ends at person", triplet=number)
        if source == PERSON and not _says_verb(edge):
            yield _finding("person-edge", f"person is joined by {edge}; only verb may start there", triplet=number)


def _check_labels(view: _View) -> Iterator[Finding]:
    for number, triplet in enumerate(view.triplets):
        label = triplet.edge
        if label in (VERB, DOBJ) or not label.strip():
            continue
        folded = fold(label)
        if folded in (VERB, DOBJ) or folded in MISSPELT:
            meant = MISSPELT.get(folded, folded)
            yield _finding("edge-misspelt", f"the edge is labelled {label}", f"{meant}?", number, about=(label,))
        elif folded in KIND_WORDS:
            hint = "write the preposition itself: with, on, from ..."
            yield _finding("edge-kind-word", f"the edge is labelled {label}", hint, number)
        elif not is_preposition(label):
            yield _finding("not-a-preposition", f"{label} is not a known preposition", triplet=number)


def _check_dobj(view: _View) -> Iterator[Finding]:
    targets = dict.fromkeys(triplet.target for triplet in view.triplets if triplet.edge == DOBJ)
    actions = listed(view.actions) or "none"
    for number, (source, edge, target) in enumerate(view.typed):
        if edge != DOBJ:
            continue
        if source.name not in view.action_names:
            message = f"dobj starts at {source.name}, which is not the graph's action ({actions})"
            hint = _meant_action(source.name, target.name, view)
            yield _finding("dobj-source", message, hint, number, about=(source.name, *view.actions[:MOST_NAMED]))
        if target.kind is Kind.HAND:
            yield _finding("dobj-hand", f"the direct object is {target.name}", "with?", number)
        if target.kind is Kind.ACTION:
            message = f"the direct object {target.name} is a verb in L"
            yield _finding("dobj-action", message, triplet=number, about=(target.name,))
    if view.actions and not targets:
        yield _finding("no-dobj", f"the action {actions} has no direct object")
    elif len(targets) > 1:
        yield _finding("several-dobj", f"{len(targets)} direct objects: {listed(list(targets))}")


def _meant_action(source: str, target: str, view: _View) -> str:
    if target in view.action_names:
        return "the other way round?"
    near = nearest(source, view.actions[:MOST_COMPARED], limit=1)
    return f"{near[0].name}?" if near else ""


def _check_pairs(view: _View) -> Iterator[Finding]:
    for number, (source, edge, target) in enumerate(view.typed):
        if edge == VERB:
            continue
        if source == target and source.name:
            yield _finding("self-loop", f"{edge} begins and ends at {source.name}", triplet=number)
        elif source.name == target.name and source.name:
            message = f"{source.name} is both the action and where {edge} ends"
            yield _finding("homonym-loop", message, "fine where the word means both, as in to screw a screw", number)
        elif edge != DOBJ and source.kind is Kind.ACTION and _is_action(target, view):
            yield _finding("action-action", f"{edge} joins the actions {source.name} and {target.name}", triplet=number)
        elif source.kind is Kind.HAND and target.kind is Kind.HAND:
            yield _finding("hand-hand", f"{edge} joins {source.name} and {target.name}", triplet=number)
        elif source.name not in ("", PERSON) and _is_reversed(number, view) and is_preposition(edge):
            message = f"{edge} ends at the action {target.name}"
            yield _finding("action-target", message, "the other way round?", number, about=(target.name,))


def _is_reversed(number: int, view: _View) -> bool:
    """Return whether an edge surely ends at an action, and not at an object of the same name.

    It does where L lists the name as a verb only. Where L does not list it, the object would have to be linked to the
    action by other edges.
    """
    source, _, target = view.triplets[number]
    if view.acting and target not in view.acting:
        return False
    if view.vocabulary is not None and view.vocabulary.allows_node(target):
        return view.vocabulary.is_only_a_verb(target)
    is_homonym = target in THINGS_TOO or Triplet(target, WITH, target) in view.triplets
    return bool(view.acting) and not is_homonym and source not in view.linked


def _is_action(node: Node, view: _View) -> bool:
    """Return a target is an action by L, or, where no L lists it as an object, by being one elsewhere in the graph."""
    if node.kind is Kind.ACTION:
        return True
    listed = view.vocabulary is not None and node.name in view.vocabulary.objects
    return node.name in view.verb_targets and not listed


def _check_repeats(view: _View) -> Iterator[Finding]:
    if len(set(view.triplets)) == len(view.triplets):
        return
    counts: Counter[tuple[str, ...]] = Counter()
    for number, triplet in enumerate(view.triplets):
        counts[triplet] += 1
        if counts[triplet] == 2:
            yield _finding("duplicate", f"{triplet} is written twice", triplet=number)


def _check_connected(view: _View) -> Iterator[Finding]:
    parts = _parts(view.triplets)
    main = next((part for part in parts if PERSON in part), parts[0])
    for part in parts:
        if part is not main:
            message = f"{listed(part)}: not linked to the rest"
            yield _finding("disconnected", message, _meant_link(part, main), about=part[:MOST_NAMED])


def _meant_link(part: list[str], main: list[str]) -> str:
    """Return a name of a loose part and the name of the main one it was probably meant to be."""
    for name in part[:MOST_COMPARED]:
        if near := nearest(name, main[:MOST_COMPARED], limit=1):
            return f"{near[0].name} for {name}?"
    return ""


def _parts(triplets: Sequence[Triplet]) -> list[list[str]]:
    """Return the parts connected by name, whatever way the edges point, in written order."""
    neighbours: dict[str, list[str]] = {}
    for source, _, target in triplets:
        neighbours.setdefault(source, []).append(target)
        neighbours.setdefault(target, []).append(source)
    parts, visited = [], set[str]()
    for start in neighbours:
        if start in visited:
            continue
        visited.add(start)
        part = [start]
        for node in part:
            new = [neighbour for neighbour in dict.fromkeys(neighbours[node]) if neighbour not in visited]
            visited.update(new)
            part.extend(new)
        parts.append(part)
    return parts


def _check_vocabulary(view: _View) -> Iterator[Finding]:
    if (vocabulary := view.vocabulary) is None:
        return
    checked: set[tuple[str, bool]] = set()
    for number, (source, edge, target) in enumerate(view.triplets):
        for name, is_node in ((source, True), (edge, False), (target, True)):
            allowed = vocabulary.allows_node(name) if is_node else vocabulary.allows_edge(name)
            if allowed or (name, is_node) in checked or (is_node and misspelt_hand(name)):
                continue
            checked.add((name, is_node))
            near = nearest(name, vocabulary.nodes if is_node else vocabulary.relationships, limit=3)
            hint = " or ".join(match.name for match in near) + "?" if near else ""
            message = f"{name or 'an empty name'} is not in L"
            yield _finding("out-of-vocabulary", message, hint, number, about=(name,))


CHECKS: tuple[Callable[[_View], Iterator[Finding]], ...] = (
    _check_names,
    _check_verbs,
    _check_labels,
    _check_dobj,
    _check_pairs,
    _check_repeats,
    _check_connected,
    _check_vocabulary,
)
