"""A simulated model: it knows the right graphs, and makes seeded faults on the way to saying them. No model is asked.

What it says about agents holds for these faults and assumptions, not for any real model. Each triplet meets a fault
with the probability ``level``, of a kind drawn from those allowed; a reply as a whole meets ``count`` and ``chatter``
with half of it each, ``unreadable`` with a quarter. Each call has draws of its own, by its label, draw and prompt.
Asked to look at graphs, it sees each fault with the probability ``sees``, blames right triplets with a tenth of
``level``, and heeds what it saw, blamed or was told with the probability ``heeds``: it then thinks again about the
triplets that share a name with these. How sure it says it is, is calibrated where 86 % of its changes are right.

>>> from tsg_tasks import item
>>> model = SimulatedModel(level=0.0)
>>> print(model.says(item([ActionGraph.of(("person", "verb", "wash"))]), "answer", 0, ""))
person -> verb -> wash
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.graph import ActionGraph, Triplet, Vocabulary, diff, read
from tsgkit.graph.edits import Change, ChangeKind
from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB
from tsgkit.graph.prompt_text import arrows
from tsgkit.llm.reply import Ask, Reply, Usage
from tsgkit.scoring.set_scores import compare_graphs
from tsgkit.suites.tsg.items import GenerationSample

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

SEEN_BY_RULES = ("outside", "reversed", "doubled", "count", "chatter", "unreadable")
"""What checks can find without understanding; of the reversed only verb and dobj, since prepositions are read both
ways."""
ALL = (*SEEN_BY_RULES, "reversed prepositions", "forgotten", "hand", "other")
IN_TRIPLETS = ("outside", "reversed", "reversed prepositions", "doubled", "forgotten", "hand", "other")
WORDS = ("gizmo", "thingy", "doohickey", "widget", "contraption", "handle-it", "bric-a-brac", "whatnot")
"""No scenario has these in its L."""
KINDS = {ChangeKind.MISSING: "missing", ChangeKind.EXTRA: "redundant", ChangeKind.REVERSED: "reversed"}
KINDS |= dict.fromkeys((ChangeKind.MISMATCHED, ChangeKind.WRONG_HAND), "mismatched")
SURENESS = ((95, 0.70), (80, 0.15), (60, 0.10), (30, 0.05))
CHARACTERS_A_TOKEN = 4


@dataclass(frozen=True)
class SimulatedModel:
    """Says the right graphs with faults."""

    level: float
    faults: tuple[str, ...] = ALL
    seed: int = 0
    heeds: float = 0.8
    sees: float = 0.6

    def ask_for(self, sample: GenerationSample) -> Ask:
        """Return an ``ask`` about one item."""

        async def ask(messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: object = None) -> Reply:
            prompt = str(messages[-1].content)
            text = self.says(sample, label, draw, prompt)
            return Reply(text, usage=Usage(len(prompt) // CHARACTERS_A_TOKEN, len(text) // CHARACTERS_A_TOKEN))

        return ask

    def says(self, sample: GenerationSample, label: str, draw: int, prompt: str) -> str:
        """Return what is said to one prompt; the same to the same."""
        choice = Random(f"{self.seed}/{self.level}/{sample.item_id}/{label}/{draw}/{prompt}")
        kind = label.partition("/")[0]
        if self._meets("unreadable", choice, 4):
            return "The person does what the sentence says, and nothing about that is out of the ordinary."
        if kind == "decompose":
            text = "\n".join(self._counted(actions_of(sample), choice))
        elif kind == "look":
            text = self._looked(sample, prompt, choice)
        else:
            wanted = [self._written(sample, prompt)] if kind == "write" else sample.references
            text = _blocks(self._counted([self._spoilt(graph, sample, choice) for graph in wanted], choice))
        return _with_chatter(text) if self._meets("chatter", choice, 2) else text

    def _meets(self, fault: str, choice: Random, share: int) -> bool:
        return choice.random() < self.level / share and fault in self.faults

    def _written(self, sample: GenerationSample, prompt: str) -> ActionGraph:
        action = prompt.partition("of the sentence:\n")[2].partition("\n")[0].strip()
        actions = actions_of(sample)
        return sample.references[actions.index(action) if action in actions else 0]

    def _counted(self, parts: Sequence[Any], choice: Random) -> list[Any]:
        parts = list(parts)
        if self._meets("count", choice, 2):
            place = choice.randrange(len(parts))
            if len(parts) > 1 and choice.random() < 0.5:
                del parts[place]
            else:
                parts.insert(place, parts[place])
        return parts

    def _spoilt(self, graph: ActionGraph, sample: GenerationSample, choice: Random) -> ActionGraph:
        said: list[Triplet] = []
        for triplet in graph:
            said += self._through(triplet, sample.vocabulary, choice)
        if self._meets("outside", choice, 2):
            said = _other_word(said, choice)
        return ActionGraph(said)

    def _through(self, triplet: Triplet, vocabulary: Vocabulary, choice: Random) -> list[Triplet]:
        """Return what becomes of one triplet."""
        kinds = [kind for kind in IN_TRIPLETS if kind in self.faults and kind in WAYS and _can(kind, triplet)]
        if not kinds or choice.random() >= self.level:
            return [triplet]
        return WAYS[choice.choice(kinds)](triplet, vocabulary, choice)

    def _looked(self, sample: GenerationSample, prompt: str, choice: Random) -> str:
        shown = list(read(prompt.rpartition("\nGraphs:\n")[2].partition("\n\nFindings:\n")[0]).graphs)
        findings = _findings(prompt)
        general = [one for one in findings if one.graph is None]
        if len(shown) != sample.k and general and choice.random() < self.heeds:
            return _blocks(self._completed(shown, sample, choice))
        lines: list[str] = []
        for number, graph in enumerate(shown):
            mine = [one for one in findings if one.graph == number + 1]
            mine += general if len(shown) == sample.k else []
            nearest = max(sample.references, key=lambda one: compare_graphs(one, graph).f1)
            truth = sample.references[number] if len(shown) == sample.k else nearest
            seen = list(self._points(graph, truth, choice))
            if (mine or seen) and choice.random() < self.heeds:
                wanted = self._thought_again(graph, truth, [*(one.text for one in mine), *seen], sample, choice)
                lines += [_answer(number + 1, change, truth, mine, choice) for change in diff(wanted, graph).changes]
            else:
                lines += [f"graph {number + 1}: {one.partition(':')[0]}" for one in seen]
        return "\n".join(dict.fromkeys(lines)) or "none"

    def _completed(self, shown: list[ActionGraph], sample: GenerationSample, choice: Random) -> list[ActionGraph]:
        left, graphs = list(shown), []
        for truth in sample.references:
            like = [graph for graph in left if compare_graphs(truth, graph).f1 > 0.5]
            graphs.append(like[0] if like else self._spoilt(truth, sample, choice))
            if like:
                left.remove(like[0])
        return graphs

    def _thought_again(
        self, graph: ActionGraph, truth: ActionGraph, lines: Sequence[str], sample: GenerationSample, choice: Random
    ) -> ActionGraph:
        """Return a graph with what the findings speak of put right, and what they wrongly blame spoilt."""
        names = {name for one in (*graph, *truth) for name in one}
        named = {word for line in lines for word in re.split(r"[\s,()?;:\"']+", line)} & names - {PERSON, VERB, DOBJ}
        triplets = list(dict.fromkeys(graph)) if any("twice" in line for line in lines) else list(graph)
        for change in diff(truth, graph).changes:
            if not named or named & {*(change.reference or ()), *(change.candidate or ())}:
                right = [] if change.reference is None else self._through(change.reference, sample.vocabulary, choice)
                place = len(triplets) if change.candidate is None else triplets.index(change.candidate)
                triplets[place : place + (change.candidate is not None)] = right
        # what right triplets are wrongly blamed for is believed half of the time
        for line in lines:
            blamed = re.search(r"^(redundant|mismatched): (\S+) -> (\S+) -> (\S+)$", line)
            triplet = Triplet(*blamed.groups()[1:]) if blamed else None
            if blamed and triplet in truth and triplet in triplets and choice.random() < 0.5:
                other = [] if blamed[1] == "redundant" else _other(triplet, sample.vocabulary, choice)
                place = triplets.index(triplet)
                triplets[place : place + 1] = other
        return ActionGraph(triplets)

    def _points(self, graph: ActionGraph, truth: ActionGraph, choice: Random) -> Iterator[str]:
        """Yield the faults that are seen, and right triplets that are blamed."""
        for change in diff(truth, graph).changes:
            if choice.random() < self.sees:
                yield f"{KINDS[change.kind]}: {change.candidate or change.reference}"
        for triplet in graph:
            if triplet in truth and choice.random() < self.level / 10:
                yield f"{choice.choice(['redundant', 'mismatched'])}: {triplet}"


class Found(NamedTuple):
    """A finding that a prompt shows: its number, words, graph (from 1) and choices by letter."""

    number: int
    text: str
    graph: int | None
    choices: dict[str, str]


def _findings(prompt: str) -> list[Found]:
    section = prompt.rpartition("\nFindings:\n")[2].partition("\n\nAnswer every finding")[0]
    found: list[Found] = []
    for line in section.splitlines():
        if choice := re.match(r"   ([a-z]): (.*)$", line):
            found[-1].choices[choice[1]] = choice[2]
        elif head := re.match(r"(\d+): ((?:graph (\d+): )?.*)$", line):
            found.append(Found(int(head[1]), head[2], int(head[3]) if head[3] else None, {}))
    return found


def _answer(number: int, change: Change, truth: ActionGraph, findings: Sequence[Found], choice: Random) -> str:
    """Return a change as the answer to a finding that offers it, else as a point of its own."""
    after, before = change.reference, change.candidate
    is_right = before not in truth if after is None else after in truth and before not in truth
    shares = [share * (sure if is_right else 100 - sure) for sure, share in SURENESS]
    sure = choice.choices([sure for sure, _ in SURENESS], shares)[0]
    edit = f"{after} in place of {before}" if after and before else f"{after} added" if after else f"without {before}"
    for one in findings:
        for letter, text in one.choices.items():
            if text == edit:
                return f"{one.number}: {letter} ({sure})"
    triplets = " => ".join(str(one) for one in (before, after) if one is not None)
    return f"graph {number}: {KINDS[change.kind]}: {triplets} ({sure})"


def actions_of(sample: GenerationSample) -> list[str]:
    """Return the actions of an item as sentences, each different from the others."""
    said: list[str] = []
    for graph in sample.references:
        triplets = [one for one in graph if one.edge != VERB]
        words = f"{' '.join(graph.actions)} " + ", ".join(f"{one.edge} {one.target}" for one in triplets)
        said.append(words + " again" * sum(one.startswith(words) for one in said))
    return said


def _blocks(graphs: Sequence[ActionGraph]) -> str:
    return "\n\n".join(map(arrows, graphs)) or "none"


def _with_chatter(text: str) -> str:
    lines = [f"- {line}" if re.search(r" -> |^\d+: ", line) else line for line in text.splitlines()]
    return "\n".join(["Sure! Here is what you asked for:", "", *lines, "", "I hope this helps!"])


def _can(kind: str, triplet: Triplet) -> bool:
    if kind == "hand":
        return bool({triplet.source, triplet.target} & set(HANDS))
    if kind == "reversed":
        return triplet.edge in (VERB, DOBJ) and triplet.source != triplet.target
    if kind == "reversed prepositions":
        return triplet.edge not in (VERB, DOBJ)
    return kind not in ("outside", "other") or triplet.target not in HANDS


def _misspelt(triplet: Triplet, vocabulary: Vocabulary, choice: Random) -> list[Triplet]:
    name = triplet.target
    places = list(range(1, len(name)))
    choice.shuffle(places)
    for place in places:
        for other in (name[:place] + name[place + 1 :], name[:place] + name[place] + name[place:]):
            if not vocabulary.allows_node(other):
                return [triplet._replace(target=other)]
    return [triplet]


def _other(triplet: Triplet, vocabulary: Vocabulary, choice: Random) -> list[Triplet]:
    names = vocabulary.verbs if triplet.edge == VERB else vocabulary.objects
    others = [name for name in names if name not in (PERSON, *HANDS, triplet.target, triplet.source)]
    return [triplet._replace(target=choice.choice(others))] if others else [triplet]


def _other_word(triplets: list[Triplet], choice: Random) -> list[Triplet]:
    names = sorted({name for one in triplets for name in (one.source, one.target)} - {PERSON, *HANDS})
    if not names:
        return triplets
    old, new = choice.choice(names), choice.choice(WORDS)
    return [_renamed(one, {old: new}) for one in triplets]


def _renamed(triplet: Triplet, names: dict[str, str]) -> Triplet:
    return Triplet(names.get(triplet.source, triplet.source), triplet.edge, names.get(triplet.target, triplet.target))


WAYS: dict[str, Callable[[Triplet, Vocabulary, Random], list[Triplet]]] = {
    "outside": _misspelt,
    "reversed": lambda triplet, *_: [triplet.reversed],
    "reversed prepositions": lambda triplet, *_: [triplet.reversed],
    "doubled": lambda triplet, *_: [triplet, triplet],
    "forgotten": lambda *_: [],
    "hand": lambda triplet, *_: [_renamed(triplet, dict(zip(HANDS, reversed(HANDS), strict=True)))],
    "other": _other,
}
