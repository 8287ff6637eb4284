"""Hands put back where they were removed, beside two rivals: hand1 always, and the narrative's most frequent hand.

    TSGKIT_OFFICIAL_DATA=DIR python eval/bench/restoring_hands.py [--seeds 10]

Data: the 21 bundled narratives; these with four graphs of ten left out, as a camera misses them; and of the folder
TSGKIT_OFFICIAL_DATA the contexts of SGQA and SGDS rows, and EASG clips where there are more than a few. Of the graphs
whose hands are all joined to their one action by ``with`` a share loses them: first only of graphs that name one hand,
then of any. A graph counts as restored where its hands are what they were; a hand left out counts as wrong. The most
frequent hand is counted on what is left of the same narrative. Nothing is fitted, so nothing of a narrative is seen but
what is left of it. Limit: ours is not below either rival in any line.

``said`` is how sure our repairs say they are, on average, and ``right`` how many of these triplets were right.
Then written hands: how many of untouched graphs are changed (limit: none in bundled narratives), and of hands turned
into the other one how many are turned back, and how many right ones are changed along.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from smoke import SMOKE, sized

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from shipped import DATA  # noqa: E402

from tsgkit.graph import ActionGraph, Narrative, Triplet  # noqa: E402
from tsgkit.graph.hand_repairs import HandRepair, repair_hands, with_repairs  # noqa: E402
from tsgkit.graph.hand_shares import Hands, named_hands, with_hands  # noqa: E402
from tsgkit.graph.model import HANDS, WITH  # noqa: E402
from tsgkit.library.documents.reader import read_file  # noqa: E402

SHARES = sized((0.1, 0.25, 0.5), (0.5,))
FEW_CLIPS = 20
LONG = sized(5000, 50)
Method = Callable[[Narrative], Narrative]


@dataclass
class Sums:
    """The numbers of removed hands that methods restored."""

    removed: int = 0
    restored: Counter[str] = field(default_factory=Counter)
    said: float = 0.0
    repairs: int = 0
    right: int = 0


def data() -> dict[str, list[Narrative]]:
    """Narratives by where they come from."""
    bundled = narratives(DATA / "narratives.jsonl") + narratives(DATA.parent / "few-shot" / "narratives.jsonl")
    found = {"bundled": bundled, "bundled, thinned": [thinned(one) for one in bundled]}
    folder = os.environ.get("TSGKIT_OFFICIAL_DATA")
    if folder is None:
        print("TSGKIT_OFFICIAL_DATA is not set: no published rows, no EASG clips")
        return found
    for name, pattern in (("SGQA", "*sgqa*.jsonl"), ("SGDS", "*sgds*.jsonl"), ("EASG", "*easg*.json")):
        told = {one.graphs: one for path in sorted(Path(folder).glob(pattern)) for one in narratives(path)}
        if name == "EASG" and len(told) < FEW_CLIPS:
            print(f"EASG: {len(told)} clips are too few to say anything; not measured")
        elif told:
            found[name] = list(told.values())
    return found


def narratives(path: Path) -> list[Narrative]:
    """Return the narratives of a file."""
    return [entry.narrative for entry in read_file(path).entries]


def thinned(narrative: Narrative) -> Narrative:
    """Return a narrative without four graphs of ten, so that hands let go unseen."""
    choice = Random(narrative.id)
    return Narrative.of(graph for graph in narrative.graphs if choice.random() >= 0.4)


def removed(narrative: Narrative, share: float, most: int, choice: Random) -> tuple[Narrative, list[int]]:
    """Return the narrative without the hands of some graphs that name at most so many, and which."""
    graphs, numbers = list(narrative.graphs), list[int]()
    for number, graph in enumerate(graphs):
        if 0 < len(named_hands(graph)) <= most and is_plain(graph) and choice.random() < share:
            graphs[number] = ActionGraph(one for one in graph if not {one.source, one.target} & {*HANDS})
            numbers.append(number)
    return narrative.with_graphs(graphs), numbers


def is_plain(graph: ActionGraph) -> bool:
    """Return whether every hand is joined to the graph's one action."""
    joined = [one for one in graph if {one.source, one.target} & {*HANDS}]
    return len(graph.actions) == 1 and all(one[:2] == (graph.actions[0], WITH) for one in joined)


def measured(told: Sequence[Narrative], share: float, most: int, seeds: int) -> Sums:
    """Return all methods on one share of removed hands."""
    sums = Sums()
    for seed in range(seeds):
        choice = Random(seed)
        for narrative in told:
            left, numbers = removed(narrative, share, most, choice)
            repairs = repair_hands(left) if numbers else ()
            ours, frequent = with_repairs(left, repairs), most_frequent(left, most)
            sums.removed += len(numbers)
            for number in numbers:
                right = narrative.graphs[number]
                sums.restored["ours"] += ours.graphs[number] == right
                sums.restored["hand1"] += with_hands(left.graphs[number], HANDS[:1]) == right
                sums.restored["frequent"] += with_hands(left.graphs[number], frequent) == right
            _add_sureness(sums, narrative, repairs, {*numbers})
    return sums


def most_frequent(narrative: Narrative, most: int) -> Hands:
    """Return the hands that most graphs of a narrative name, of at most so many; hand1 where none do."""
    counts = Counter(named_hands(graph) for graph in narrative.graphs)
    possible = [hands for hands in (HANDS[:1], HANDS[1:], HANDS) if len(hands) <= most]
    return max(possible, key=lambda hands: counts[hands])


def _add_sureness(sums: Sums, narrative: Narrative, repairs: Sequence[HandRepair], numbers: set[int]) -> None:
    for repair in repairs:
        if repair.graph in numbers:
            sums.said += repair.sure
            sums.repairs += 1
            sums.right += repair.after in narrative.graphs[repair.graph]


def restored(found: dict[str, list[Narrative]], seeds: int) -> bool:
    """Print what is restored; True where ours is nowhere below a rival."""
    good = True
    for most, title in ((1, "one hand removed"), (2, "one hand or both removed")):
        print(f"\n{title:<26} share  removed  ours   hand1  frequent  said   right")
        for name, told in found.items():
            for share in SHARES:
                sums = measured(told, share, most, seeds)
                ours, *rivals = (sums.restored[method] / sums.removed for method in ("ours", "hand1", "frequent"))
                good = good and ours >= max(rivals)
                cells = "  ".join(f"{value:5.1%}" for value in (ours, *rivals))
                said, right = sums.said / sums.repairs, sums.right / sums.repairs
                print(f"  {name:<24} {share:<5}  {sums.removed:>7,}  {cells}     {said:5.1%}  {right:5.1%}", flush=True)
    return good


def written(found: dict[str, list[Narrative]], seeds: int) -> bool:
    """Print what becomes of written hands; True where none in bundled narratives is changed."""
    print("\nwritten hands              graphs  changed  turned  turned back  others changed")
    good = True
    for name, told in found.items():
        changed = sum(repair.before is not None for one in told for repair in repair_hands(one))
        turned = Counter[str]()
        for seed in range(seeds):
            choice = Random(seed)
            for narrative in told:
                turned += _turned_back(narrative, choice)
        count = sum(len(one.graphs) for one in told)
        good = good and not (changed and name == "bundled")
        row = f"{turned['turned']:>6,}  {turned['back']:>11,}  {turned['others']:>14,}"
        print(f"  {name:<24} {count:>6,}  {changed:>7,}  {row}", flush=True)
    return good


def _turned_back(narrative: Narrative, choice: Random) -> Counter[str]:
    """Return one graph in twenty with its one hand turned into the other: how many are put right, and what else
    changes.
    """
    graphs = list(narrative.graphs)
    turned = [
        number
        for number, graph in enumerate(graphs)
        if is_plain(graph) and len(named_hands(graph)) == 1 and choice.random() < 0.05
    ]
    swap = {HANDS[0]: HANDS[1], HANDS[1]: HANDS[0]}
    for number in turned:
        graphs[number] = ActionGraph(Triplet(*(swap.get(name, name) for name in one)) for one in graphs[number])
    spoilt = narrative.with_graphs(graphs)
    repairs = [repair for repair in repair_hands(spoilt) if repair.before is not None]
    back = sum(repair.graph in turned for repair in repairs)
    return Counter(turned=len(turned), back=back, others=len(repairs) - back)


def timed(bundled: Sequence[Narrative]) -> None:
    """Print how long one long narrative takes, a quarter of its hands removed."""

    def graphs() -> Iterator[ActionGraph]:
        while True:
            for narrative in bundled:
                yield from narrative.graphs

    long = Narrative.of(graph for graph, _ in zip(graphs(), range(LONG), strict=False))
    left, numbers = removed(long, 0.25, 2, Random(0))
    began = time.perf_counter()
    repairs = repair_hands(left)
    took = time.perf_counter() - began
    print(f"\n{LONG:,} graphs, {len(numbers):,} without hands: {len(repairs):,} repairs in {took:.1f} s")


def main() -> int:
    """Measure and print; 1 where a limit is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=sized(10, 1))
    seeds = parser.parse_args().seeds
    found = data()
    good = [restored(found, seeds), written(found, seeds)]
    timed(found["bundled"])
    return 0 if all(good) or SMOKE else 1


if __name__ == "__main__":
    sys.exit(main())
