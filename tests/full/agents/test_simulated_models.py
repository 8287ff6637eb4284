"""Agents beside a simulated model: at low effort they never make a clean answer worse."""

from __future__ import annotations

from doors import run
from seeded_faults import bundled
from simulated_model import ALL, SEEN_BY_RULES, SimulatedModel, item
from tsg_tasks import tsg_task

from tsgkit.agents.solvers import AGENTS
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.cards import load_card
from tsgkit.suites.tsg.items import GenerationSample


def items() -> list[GenerationSample]:
    return [
        item(one.graphs, f"{number}/{place}", one.text or "", vocabulary=narrative.vocabulary, context=("Before.",))
        for number, narrative in enumerate(bundled()[:12])
        for place, one in enumerate(one for one in narrative.descriptions if one.graphs)
    ]


def test_low_effort_never_lowers_the_score_of_a_clean_answer() -> None:
    solver = AGENTS.solver("agent:low", tsg_task(load_card("tsg/ma-sgg")), None)
    for faults in (SEEN_BY_RULES, ALL):
        clean = 0
        for sample in items():
            transcript = run(solver.solve(sample, SimulatedModel(0.1, faults).ask_for(sample)))
            drafts = [read_graphs(one.reply.text or "", 1) for one in transcript.said if one.label.startswith("write")]
            if tuple(one.graphs[0] for one in drafts if isinstance(one, GraphAnswer)) == sample.references:
                clean += 1
                assert solver.judge(sample, transcript).scores["strict"]["f1"].value == 1, sample.item_id
        assert clean > 30, faults
