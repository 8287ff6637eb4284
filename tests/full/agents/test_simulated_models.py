"""Agents beside a simulated model: they win back what rules can see, and never make a clean answer worse."""

from __future__ import annotations

from doors import run
from seeded_faults import bundled
from simulated_model import ALL, SEEN_BY_RULES, SimulatedModel, item
from tsg_tasks import prompter_of, tsg_task

from tsgkit.agents.solvers import AGENTS
from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.library.cards import load_card
from tsgkit.suites.solvers.factories import factory_of
from tsgkit.suites.tsg.items import GenerationSample

TASKS = {task: tsg_task(load_card(f"tsg/{task}")) for task in ("sa-sgg", "ma-sgg")}


def items(most: int) -> list[GenerationSample]:
    return [
        item(one.graphs, f"{number}/{place}", one.text or "", vocabulary=narrative.vocabulary, context=("Before.",))
        for number, narrative in enumerate(bundled()[:most])
        for place, one in enumerate(one for one in narrative.descriptions if one.graphs)
    ]


def lost(name: str, model: SimulatedModel, samples: list[GenerationSample]) -> float:
    got = weight = 0.0
    for sample in samples:
        task = "sa-sgg" if sample.k == 1 else "ma-sgg"
        family = factory_of(name)
        solver = family.solver(name, TASKS[task], prompter_of(task) if family.styled else None)
        score = solver.judge(sample, run(solver.solve(sample, model.ask_for(sample)))).scores["strict"]["f1"]
        got, weight = got + score.sum, weight + score.weight
    return 1 - got / weight


def test_of_faults_that_rules_can_see_at_least_half_of_the_loss_is_won_back() -> None:
    samples = items(4)
    for level in (0.05, 0.15, 0.3):
        model = SimulatedModel(level, SEEN_BY_RULES)
        single = lost("single", model, samples)
        assert single > 0.04, level
        for name in ("agent:low", "agent"):
            assert lost(name, model, samples) <= single / 2, (level, name)


def test_low_effort_never_lowers_the_score_of_a_clean_answer() -> None:
    solver = AGENTS.solver("agent:low", TASKS["ma-sgg"], None)
    for faults in (SEEN_BY_RULES, ALL):
        clean = 0
        for sample in items(12):
            transcript = run(solver.solve(sample, SimulatedModel(0.1, faults).ask_for(sample)))
            drafts = [read_graphs(one.reply.text or "", 1) for one in transcript.said if one.label.startswith("write")]
            if tuple(one.graphs[0] for one in drafts if isinstance(one, GraphAnswer)) == sample.references:
                clean += 1
                assert solver.judge(sample, transcript).scores["strict"]["f1"].value == 1, sample.item_id
        assert clean > 30, faults


def test_a_model_without_faults_is_left_alone_on_all_bundled_items() -> None:
    for task in TASKS.values():
        solver, dataset = AGENTS.solver("agent", task, None), task.dataset(None)
        for sample in map(dataset.sample, range(len(dataset))):
            assert isinstance(sample, GenerationSample)
            transcript = run(solver.solve(sample, SimulatedModel(0.0).ask_for(sample)))
            assert solver.judge(sample, transcript).scores["strict"]["f1"].value == 1, sample.item_id
            assert "changes" not in [one.label for one in transcript.said], sample.item_id
