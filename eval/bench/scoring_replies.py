"""Benchmark: reading and scoring replies: 4,000 generated items, per second and core, and the cost of each diagnostic.

    python eval/bench/scoring_replies.py

The rival is the published way (its reader and scorer alone), measured on the same replies in the same run. Growth is
shown from 500 to 4,000 items: the time per item should stay the same.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

from smoke import sized

from tsgkit.graph import ActionGraph, Vocabulary
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.replies import Unreadable
from tsgkit.scoring.set_scores import soft_overlap
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.tsg import graph_scores, official
from tsgkit.suites.tsg.items import GenerationSample

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))
from tsg_tasks import judge

ROUNDS = sized(5, 1)
ITEMS = sized(4_000, 20)
OBJECTS = ("cup", "lid", "kettle", "tap", "tea-bag", "spoon", "table", "cloth")
VERBS = ("wash", "dry", "hold", "fill", "open", "pick-up", "put-down")
L = Vocabulary(OBJECTS, ("verb", "dobj", "with", "on", "from"), VERBS)


def made_up(number: int) -> tuple[GenerationSample, CollectedReply]:
    """Return an item of one to five graphs and a reply with some slips."""
    choice = random.Random(number)
    graphs = [_graph(choice) for _ in range(choice.randint(1, 5))]
    said = [_spoilt(graph, choice) for graph in graphs if choice.random() > 0.1]
    text = "\n\n".join(map(str, said)).replace("->", choice.choice(["->", "->", "->", "→"]))
    sample = GenerationSample(
        item_id=str(number),
        cluster=str(number // 10),
        context=(),
        sentence="She washes the cup and puts it down.",
        vocabulary=L,
        references=tuple(graphs),
    )
    return sample, CollectedReply(text)


def _graph(choice: random.Random) -> ActionGraph:
    verb = choice.choice(VERBS)
    edges = [(verb, label, choice.choice(OBJECTS)) for label in ("dobj", "from")[: choice.randint(1, 2)]]
    return ActionGraph([("person", "verb", verb), *edges, (verb, "with", choice.choice(("hand1", "hand2")))])


def _spoilt(graph: ActionGraph, choice: random.Random) -> ActionGraph:
    return ActionGraph(
        (source, edge, "vase" if choice.random() < 0.1 else target) for source, edge, target in graph.triplets
    )


def seconds(work: Callable[[], object]) -> float:
    """Return the median time of a few rounds."""
    times = []
    for _ in range(ROUNDS):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def main() -> None:
    """Print the tables."""
    items = [made_up(number) for number in range(ITEMS)]
    answers = [read_graphs(reply.text or "", sample.k) for sample, reply in items]
    read_only = seconds(lambda: [read_graphs(reply.text or "", sample.k) for sample, reply in items])
    rival = seconds(lambda: [_published(sample, reply) for sample, reply in items])
    whole = seconds(lambda: [judge(sample, reply) for sample, reply in items])
    print(f"{'':<40}{'items/s':>10}{'us per item':>13}{'of published':>14}")
    rows = (
        ("published reading and scoring", rival),
        ("strict reading", read_only),
        ("both profiles, all there is", whole),
    )
    for name, time in rows:
        print(f"  {name:<38}{ITEMS / time:>10,.0f}{1e6 * time / ITEMS:>13,.0f}{time / rival:>13.1f}x")
    _print_diagnostics(items, answers)
    _print_growth(items)


def _published(sample: GenerationSample, reply: CollectedReply) -> object:
    return official.score_graphs(sample.references, official.graphs(reply.text or ""))


def _print_diagnostics(
    items: Sequence[tuple[GenerationSample, CollectedReply]], answers: Sequence[GraphAnswer | Unreadable]
) -> None:
    pairs = [
        ([fold_graph(graph) for graph in sample.references], list(answer.graphs), sample)
        for (sample, _), answer in zip(items, answers, strict=True)
        if isinstance(answer, GraphAnswer)
    ]
    sets = [(graph_scores.GraphSets.of(one), graph_scores.GraphSets.of(other)) for one, other, _ in pairs]
    parts: dict[str, Callable[[], object]] = {
        "sets": lambda: [(graph_scores.GraphSets.of(one), graph_scores.GraphSets.of(other)) for one, other, _ in pairs],
        "headline and micro": lambda: [graph_scores.headline(one.triplets, other.triplets) for one, other in sets],
        "alignments": lambda: [graph_scores.alignments(one.triplets, other.triplets) for one, other in sets],
        "soft matching": lambda: [graph_scores.mean_f1(one, other, soft_overlap) for one, other, _ in pairs],
        "action sequences": lambda: [graph_scores.actions(one, other) for one, other, _ in pairs],
        "hallucinations": lambda: [
            graph_scores.invented(sample, other, said)
            for (_, other, sample), (_, said) in zip(pairs, sets, strict=True)
        ],
    }
    print(f"\n{'a part of the strict scores':<40}{'us per item':>23}")
    for name, work in parts.items():
        print(f"  {name:<38}{1e6 * seconds(work) / len(pairs):>23,.0f}")


def _print_growth(items: Sequence[tuple[GenerationSample, CollectedReply]]) -> None:
    print(f"\n{'growth':<40}{'us per item':>23}")
    for count in sized((500, 1_000, 2_000, 4_000), (10, 20)):
        some = items[:count]
        time = seconds(lambda some=some: [judge(sample, reply) for sample, reply in some])  # type: ignore[misc]
        print(f"  {count:<38,}{1e6 * time / count:>23,.0f}")


if __name__ == "__main__":
    main()
