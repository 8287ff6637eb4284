"""Benchmark: gains of the agents with a SIMULATED model, and of exact repairs; no real model is asked.

    [TSGKIT_OFFICIAL_DATA=DIR] python eval/bench/refining.py [--items 300] [--seed 0] [--repairs]

Simulation: simulated_model.py beside this knows the right graphs and makes seeded faults; its docstring lists what it
assumes. Items are descriptions of 18 bundled narratives, and two neighbouring ones as one, until there are enough.
Each solver answers all of them at three levels of faults, once with faults that rules can see, once with all kinds.
``lost`` is what is missing to a strict F1 of 100, ``of single`` the share of what ``single`` loses; with faults that
rules can see the limit for the agents is 0.50. ``clean`` counts items that the agent wrote without a fault, and of
these those that its checks made worse (limit for low effort: none); ``looks`` are the calls an item that refine.

Given graphs: the items of ``tsg/refine`` made of these descriptions, each a graph with one to four faults of four
sources, refined with the same model; a quarter of the descriptions, which make enough. ``left`` is the number left
spoilt, as a share of what exact repairs leave; ``broken`` counts graphs in which a right triplet was lost or a wrong
one added.

Exact repairs, without a model: a quarter of the graphs spoilt in the four seeded ways, or by published errors, 20 seeds
of each; how many of each kind are restored, how many are changed and not restored, how many are restored with repairs
of hands too, and how many clean graphs are changed (limit: none but by repairs of hands, which are counted). The graphs
are those of 18 bundled narratives, and of EASG clips, SGDS and SGQA rows in the folder that ``TSGKIT_OFFICIAL_DATA``
names, with the elements of each narrative as L. ``--repairs`` measures nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

from simulated_model import ALL, SEEN_BY_RULES, SimulatedModel
from smoke import sized

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from seeded_faults import Spoilt, bundled, spoilt_narratives  # noqa: E402
from tsg_tasks import item, prompter_of, repairs_of, tsg_task  # noqa: E402

from tsgkit.errors import EditError  # noqa: E402
from tsgkit.graph import Corruption, Narrative, Vocabulary  # noqa: E402
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs  # noqa: E402
from tsgkit.graph.repairs import LESS_SURE, mend, mend_graph  # noqa: E402
from tsgkit.graph.slips import published_error  # noqa: E402
from tsgkit.library.cards import load_card  # noqa: E402
from tsgkit.library.documents.reader import read_file  # noqa: E402
from tsgkit.scoring.pooling import Outcome  # noqa: E402
from tsgkit.suites.solvers.factories import factory_of  # noqa: E402
from tsgkit.suites.solvers.solver import Solver  # noqa: E402
from tsgkit.suites.transcript import Transcript  # noqa: E402
from tsgkit.suites.tsg.faults import ANNOTATOR, PUBLISHED, READING, SEEDED  # noqa: E402
from tsgkit.suites.tsg.items import GenerationSample, RefineSample  # noqa: E402

LEVELS = sized((0.05, 0.15, 0.30), (0.15,))
SOLVERS = ("single", "vote:5", "agent:low", "agent:medium", "agent:high")
MOST_GRAPHS = 8
SHARE = 0.25
SOURCES = (SEEDED, PUBLISHED, READING, ANNOTATOR)


def items_of(count: int, seed: int) -> list[GenerationSample]:
    """So many items: all descriptions, then pairs of neighbours in a seeded order."""
    singles, pairs = list[GenerationSample](), list[GenerationSample]()
    for number, narrative in enumerate(bundled()):
        told = narrative.descriptions
        for start in range(len(told)):
            for size, found in ((1, singles), (2, pairs)):
                part = told[start : start + size]
                references = tuple(graph for one in part for graph in one.graphs)
                if len(part) == size and 1 <= len(references) <= MOST_GRAPHS:
                    context = tuple(one.text or "" for one in told[:start])
                    sentence = " ".join(one.text or "" for one in part)
                    name = f"{number}/{start}+{size}"
                    parts = {"context": context, "vocabulary": narrative.vocabulary, "cluster": str(number)}
                    found.append(item(references, name, sentence, **parts))
    Random(seed).shuffle(pairs)
    return [*singles, *pairs][:count]


@dataclass
class Sums:
    """The totals of one solver's items."""

    f1: float = 0.0
    graphs: float = 0.0
    items: int = 0
    calls: int = 0
    looks: int = 0
    tokens: int = 0
    clean: int = 0
    changed: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)

    @property
    def lost(self) -> float:
        """The distance to a strict F1 of one."""
        return 1 - self.f1 / self.graphs


def measured(name: str, model: SimulatedModel, items: Sequence[GenerationSample]) -> Sums:
    """Return one solver on all items."""
    sums = Sums()
    family = factory_of(name)
    solvers: dict[str, Solver] = {
        task: family.solver(name, tsg_task(load_card(f"tsg/{task}")), prompter_of(task) if family.styled else None)
        for task in ("sa-sgg", "ma-sgg")
    }

    async def work() -> None:
        for sample in items:
            solver = solvers["sa-sgg" if sample.k == 1 else "ma-sgg"]
            _add(sums, solver, sample, await solver.solve(sample, model.ask_for(sample)))

    asyncio.run(work())
    return sums


def _add(sums: Sums, solver: Solver, sample: GenerationSample, transcript: Transcript) -> None:
    judged = solver.judge(sample, transcript)
    f1 = judged.scores["strict"]["f1"]
    asked = [said for said in transcript.said if said.reply.source == "model"]
    sums.f1 += f1.sum
    sums.graphs += f1.weight
    sums.items += 1
    sums.calls += len(asked)
    sums.looks += sum(said.label.startswith("look/") for said in asked)
    sums.tokens += sum(said.reply.usage.total or 0 for said in asked)
    sums.outcomes[judged.outcome] += 1
    written = [read_graphs(said.reply.text or "", 1) for said in asked if said.label.startswith("write")]
    draft = tuple(found.graphs[0] for found in written if isinstance(found, GraphAnswer))
    if draft == sample.references and all(len(set(one.triplets)) == len(one.triplets) for one in draft):
        sums.clean += 1
        sums.changed += f1.sum < f1.weight


def simulated(items: Sequence[GenerationSample], seed: int) -> int:
    """Print the table; return how many clean answers low effort made worse."""
    harmed = 0
    print(f"SIMULATED model, {len(items)} items, {sum(sample.k for sample in items)} graphs")
    for title, faults in (("faults that rules can see", SEEN_BY_RULES), ("all kinds of faults", ALL)):
        print(
            f"{title}\n  level  solver        F1     lost   of single  unanswered  calls/item  looks  tokens/item",
            end="",
        )
        print("  clean")
        for level in LEVELS:
            model = SimulatedModel(level, faults, seed)
            single = 0.0
            for name in SOLVERS:
                sums = measured(name, model, items)
                single = sums.lost if name == "single" else single
                harmed += sums.changed if name == "agent:low" else 0
                print(f"  {level:<5.2f}  {name:<12}  {_row(sums, single)}", flush=True)
    return harmed


def _row(sums: Sums, single: float) -> str:
    unanswered = sums.items - sums.outcomes[Outcome.ANSWERED]
    calls, tokens = sums.calls / sums.items, sums.tokens / sums.items
    clean = f"{sums.clean}, {sums.changed} worse" if sums.clean else "-"
    row = f"{100 - 100 * sums.lost:<5.1f}  {100 * sums.lost:<5.1f}  {sums.lost / single:<9.2f}  {unanswered:<10}"
    return f"{row}  {calls:<10.2f}  {sums.looks / sums.items:<5.2f}  {tokens:<11,.0f}  {clean}"


def given(items: Sequence[GenerationSample], seed: int) -> None:
    """Print the table of spoilt graphs that are given."""
    task = tsg_task(load_card("tsg/refine"))
    spoilt = [one for sample in items for one in repairs_of(sample) if not one.is_clean]
    by_exact = sum(mend_graph(one.spoilt, one.vocabulary)[0] != one.original for one in spoilt)
    print(f"SIMULATED model, {len(spoilt)} graphs with one to four faults, {by_exact} not restored by exact repairs")
    print("  level  solver        restored  left  calls  broken  " + "  ".join(SOURCES))
    for level in LEVELS:
        model = SimulatedModel(level, ALL, seed)
        for name in SOLVERS[2:]:
            sums = asyncio.run(_given(factory_of(name).solver(name, task, None), model, spoilt))
            whole = sum(sums.restored.values())
            kinds = "  ".join(f"{sums.restored[kind] / sums.of_kind[kind]:<{len(kind)}.0%}" for kind in SOURCES)
            share, left = whole / len(spoilt), (len(spoilt) - whole) / by_exact
            row = f"{share:<8.1%}  {left:<4.2f}  {sums.calls / len(spoilt):<5.2f}  {sums.broken:<6}  {kinds}"
            print(f"  {level:<5.2f}  {name:<12}  {row}", flush=True)


@dataclass
class GivenSums:
    """The totals of one solver's given graphs, by kind of fault."""

    of_kind: Counter[str] = field(default_factory=Counter)
    restored: Counter[str] = field(default_factory=Counter)
    calls: int = 0
    broken: int = 0


async def _given(solver: Solver, model: SimulatedModel, spoilt: Sequence[RefineSample]) -> GivenSums:
    sums = GivenSums()
    for one in spoilt:
        right = item([one.original], one.item_id, one.sentence, vocabulary=one.vocabulary, context=one.context)
        transcript = await solver.solve(one, model.ask_for(right))
        scores = solver.judge(one, transcript).scores["strict"]
        sums.of_kind[one.origin] += 1
        sums.restored[one.origin] += scores["exact_match"].value == 1
        sums.broken += bool(scores["newly_broken"].value)
        sums.calls += sum(said.reply.source == "model" for said in transcript.said)
    return sums


def corpora() -> Iterator[tuple[str, list[Narrative]]]:
    """Yield 18 bundled narratives, and those of others, each with L."""
    yield "bundled", bundled()
    folder = os.environ.get("TSGKIT_OFFICIAL_DATA")
    for name, files in {"EASG": "easg*.json", "SGDS": "tsg_sgds*.jsonl", "SGQA": "tsg_sgqa*.jsonl"}.items():
        entries = (
            [entry for file in sorted(Path(folder).glob(files)) for entry in read_file(file).entries] if folder else []
        )
        clean = [mend(entry.narrative).narrative for entry in entries]
        if clean:
            yield name, [replace(one, vocabulary=one.vocabulary or Vocabulary.of(one.graphs)) for one in clean]


def published(narratives: Sequence[Narrative], seed: int) -> Iterator[Spoilt]:
    """Yield the narratives with a published error in a quarter of their graphs."""
    choice = Random(seed)
    for narrative in narratives:
        graphs, kinds = list(narrative.graphs), dict[int, Corruption]()
        for number, graph in enumerate(graphs):
            if narrative.vocabulary is not None and choice.random() < SHARE:
                with suppress(EditError):
                    slip = published_error(graph, narrative.vocabulary, seed=f"{seed}/{number}")
                    graphs[number], kinds[number] = slip.graph, Corruption(slip.name)
        yield Spoilt(narrative, narrative.with_graphs(graphs), kinds)


def repaired(seeds: int = sized(20, 1)) -> None:
    """Measure exact repairs of spoilt graphs, and their effect on clean ones."""
    print("exact repairs: restored of each kind (with hands)")
    for corpus, narratives in corpora():
        for source in (SEEDED, PUBLISHED):
            spoilt, restored, with_hands = Counter[str](), Counter[str](), Counter[str]()
            clean, changed, by_hands, otherwise = 0, 0, 0, 0
            for seed in range(seeds):
                drawn = (
                    published(narratives, seed) if source == PUBLISHED else spoilt_narratives(SHARE, seed, narratives)
                )
                for one in drawn:
                    surely, wholly = mend(one.spoilt).narrative.graphs, mend(one.spoilt, hands=True)
                    hands = {change.graph for change in wholly.changes if change.by == LESS_SURE}
                    by_hands += len(hands - set(one.kinds))
                    for number, (right, mended) in enumerate(zip(one.clean.graphs, surely, strict=True)):
                        if number in one.kinds:
                            spoilt[one.kinds[number]] += 1
                            restored[one.kinds[number]] += mended == right
                            with_hands[one.kinds[number]] += wholly.narrative.graphs[number] == right
                            otherwise += mended != right and mended.triplets != one.spoilt.graphs[number].triplets
                        else:
                            clean += 1
                            changed += mended.triplets != right.triplets
            kinds = [
                f"{kind} {restored[kind] / spoilt[kind]:.0%} ({with_hands[kind] / spoilt[kind]:.0%})"
                for kind in Corruption
                if spoilt[kind]
            ]
            others = f"{otherwise / spoilt.total():.1%} changed otherwise" if spoilt else "none spoilt"
            print(f"  {corpus}, {source}, {spoilt.total():,}: {', '.join(kinds)}; {others}")
            print(f"    clean: {changed} of {clean:,} changed (limit 0), {by_hands} by repairs of hands", flush=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=sized(300, 4))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repairs", action="store_true")
    arguments = parser.parse_args()
    began = time.perf_counter()
    if arguments.repairs:
        repaired()
        return
    items = items_of(arguments.items, arguments.seed)
    harmed = simulated(items, arguments.seed)
    given(items[: arguments.items // 4], arguments.seed)
    repaired()
    print(f"measured in {time.perf_counter() - began:.0f} s")
    if harmed:
        sys.exit(f"limit missed: low effort made {harmed} clean answers worse")


if __name__ == "__main__":
    main()
