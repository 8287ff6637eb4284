"""Learned shortcuts for answers that are names or graphs: questions without the order of graphs, L without a sentence.

A question's form says what it asks for, so a name competes with those of its kind only: actions, direct objects, tools,
hands or the rest. A name of several kinds is of the rarest in its graphs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tsgkit.graph.model import DOBJ, HANDS, PERSON, VERB, ActionGraph
from tsgkit.suites.audits.classifier import Candidates, Classifier, measured
from tsgkit.suites.audits.items import Answer, Item, words
from tsgkit.suites.audits.shortcuts import Answerer
from tsgkit.suites.tsg.baselines.answer_text import graphs_text
from tsgkit.suites.tsg.baselines.elements import elements_of
from tsgkit.suites.tsg.items import GenerationSample
from tsgkit.suites.tsg.question_checks import names_by_role

_FORMS = ("first", "last", "before", "after", "next", "previous", "which", "hand1", "hand2")
"""Words of questions that an answer may depend on."""


def rivals(graphs: Sequence[ActionGraph], answer: str) -> dict[str, int]:
    """Return the names of the answer's kind, with how often each stands in the graphs.

    >>> graph = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1"))
    >>> rivals((graph, graph), "jar")
    {'jar': 2}
    """
    kinds = names_by_role(graphs)
    counts = Counter(triplet.target for graph in graphs for triplet in graph.triplets)
    rarest = sorted(kinds, key=lambda kind: (len(kinds[kind]), kind))
    kind_of = {name: next(kind for kind in rarest if name in kinds[kind]) for name in counts}
    return {name: counts[name] for name in sorted(counts) if kind_of[name] == kind_of.get(answer)}


def handled_things(graphs: Sequence[ActionGraph], question: str) -> dict[str, list[str]]:
    """Return the answers of guessers that do not read a question, by what they name."""
    handled = [triplet.target for graph in graphs for triplet in graph.triplets if triplet.edge == DOBJ]
    return {
        "the thing handled most often": _commonest(handled),
        "the thing handled first": handled[:1],
        "the thing handled last": handled[-1:],
        "the thing handled most often that the question does not name": _commonest(
            [name for name in handled if name not in words(question)]
        ),
    }


def _commonest(names: list[str]) -> list[str]:
    counts = Counter(names)
    most = max(counts.values(), default=0)
    return [name for name, number in counts.items() if number == most]


def learned_names(by_id: Mapping[str, Any]) -> Answerer:
    """Return the learned shortcut for questions."""

    def reader(items: Sequence[Item]) -> Callable[[Item], Candidates]:
        answers = Counter((item.answer, item.cluster) for item in items)
        usual = Counter(item.answer for item in items)

        def read(item: Item) -> Candidates:
            counts, asked = rivals(by_id[item.item_id].graphs, item.answer), words(item.question)
            names = tuple(counts)
            features = [{f"the name '{name}'": 1.0} for name in names]
            for more in (
                measured("mentions in the graphs", list(counts.values())),
                measured("answers elsewhere", [usual[name] - answers[name, item.cluster] for name in names]),
            ):
                for one, other in zip(features, more, strict=True):
                    one |= other
            for one, name in zip(features, names, strict=True):
                if name in asked:
                    one |= {f"a name in a question with '{word}'": 1.0 for word in _FORMS if word in asked}
                    one["a name in the question"] = 1.0
            return Candidates(names, features, names.index(item.answer) if item.answer in counts else None)

        return read

    def chance(item: Item) -> float:
        return 1 / (len(rivals(by_id[item.item_id].graphs, item.answer)) or 1)

    classifier = Classifier(reader)
    return Answerer(
        "what a classifier learns of names",
        "the question, the names of the kind that it asks for, how often they occur, and answers to other items",
        learn=classifier.learn,
        carriers=classifier.carriers,
        chance=chance,
        needs=lambda item: bool(item.pool),
    )


def learned_graphs(by_id: Mapping[str, Any], worth: Callable[[Item, str], float]) -> Answerer:
    """Return the learned shortcut for generation, with the worth of a reply's text for an item."""

    def learn(items: Sequence[Item]) -> Answer:
        used, offered = Counter[tuple[str, int | str]](), Counter[tuple[str, int | str]]()
        grips = Counter[tuple[str, ...]]()
        for sample in (by_id[item.item_id] for item in items):
            targets = {(edge, target) for graph in sample.references for _, edge, target in graph.triplets}
            for kind, place, name in _placed(sample):
                offered.update(((kind, name), (kind, place)))
                used.update(((kind, name), (kind, place)) if (kind, name) in targets else ())
            grips.update(tuple(t.target for t in graph.triplets if t.target in HANDS) for graph in sample.references)
        [(hands, _)] = grips.most_common(1) or [((), 0)]

        def usualness(kind: str, mark: int | str) -> float:
            return (used[kind, mark] + 1) / (offered[kind, mark] + 10)

        def answer(item: Item) -> tuple[str, ...]:
            sample = by_id[item.item_id]
            found: dict[str, list[str]] = {VERB: [], DOBJ: []}
            ranks = {one: -usualness(one[0], one[1]) * usualness(one[0], one[2]) for one in _placed(sample)}
            for kind, _, name in sorted(ranks, key=lambda one: ranks[one]):
                found[kind].append(name)
            graphs = []
            for place, action in enumerate(found[VERB][: sample.k]):
                things = [(action, DOBJ, thing) for thing in found[DOBJ][place : place + 1]]
                held = [(action, label, hand) for label, hand in elements_of(sample.vocabulary).grips(hands)]
                graphs.append(ActionGraph([(PERSON, VERB, action), *things, *held]))
            return (graphs_text(graphs),)

        return answer

    return Answerer(
        "graphs of what is usual elsewhere",
        "L, and the graphs of other items, not the sentence",
        learn=learn,
        worth=lambda item, answers: worth(item, str(answers[0])),
        chance=lambda item: 0.0,
        needs=lambda item: isinstance(by_id[item.item_id], GenerationSample),
    )


def _placed(sample: GenerationSample) -> list[tuple[str, int, str]]:
    """Return the actions and things of L with their places in it."""
    elements = elements_of(sample.vocabulary)
    lists = ((VERB, elements.actions), (DOBJ, elements.things))
    return [(kind, place, name) for kind, names in lists for place, name in enumerate(names)]
