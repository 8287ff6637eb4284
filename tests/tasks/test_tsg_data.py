"""The bundled scenarios are what their data card says, and a blind answerer learns nothing from them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tsg_tasks import TASKS, samples_of, score

from tsgkit.graph.model import Narrative
from tsgkit.graph.rules import RULES, WARNING, check_graph, check_narrative
from tsgkit.graph.timeline import Timeline
from tsgkit.lexicon import mentions
from tsgkit.library.bundle import bundled
from tsgkit.library.documents.lint import check
from tsgkit.library.documents.reader import read_file
from tsgkit.library.documents.rows import sgg_rows
from tsgkit.report.audit_report import audit_of
from tsgkit.suites.tsg.makers.generation_rows import tags_of
from tsgkit.suites.tsg.makers.question_paths import answer, hops_needed
from tsgkit.suites.tsg.makers.sentences import Sentence

DATA = Path(str(bundled("tasks"))) / "tsg" / "data" / "tsgkit-1"
POOL = DATA.parent / "few-shot"
POOLS = (DATA, POOL)
FINE = {"homonym-loop", "no-dobj"}
"""Warnings that ask for a second look, and got it."""
NEGATIONS = re.compile(
    r"\b(?:not|no|never|without|nothing|none|nobody|neither|nor|instead|skip\w*|ignor\w*)\b|n't", re.I
)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def stories(folder: Path) -> dict[str, Narrative]:
    return {entry.narrative.id: entry.narrative for entry in read_file(folder / "narratives.jsonl").entries}


def generation(folder: Path) -> list[dict[str, Any]]:
    found = {row["item_id"]: row for name in ("sa-sgg", "ma-sgg") for row in rows(folder / f"{name}.jsonl")}
    order = [row["item_id"] for story in stories(folder).values() for row in sgg_rows(story)]
    assert sorted(order) == sorted(found)
    return [found[item_id] for item_id in order]


def everything() -> Iterator[Narrative]:
    for folder in POOLS:
        yield from stories(folder).values()


def choices() -> list[dict[str, Any]]:
    return rows(DATA / "sgds.jsonl")


def questions(folder: Path) -> Iterator[tuple[Timeline, dict[str, Any]]]:
    told = stories(folder)
    for row in rows(folder / "sgqa.jsonl"):
        timeline = Timeline(told[row["scenario_id"]])
        yield from ((timeline, pair) for pair in row["qa_pairs"])


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def test_there_are_eighteen_scenarios_of_as_many_domains_and_three_more_for_examples() -> None:
    for folder, count in zip(POOLS, (18, 3), strict=True):
        found = stories(folder).values()
        assert len(found) == len({dict(story.facts)["domain"] for story in found}) == count
        assert all(8 <= len(story.descriptions) <= 12 for story in found)
    assert Counter(row["k"] for row in rows(DATA / "ma-sgg.jsonl")).keys() == {2, 3, 4, 5, 6}
    assert len(rows(DATA / "ma-sgg.jsonl")) >= 60
    assert [len(row["qa_pairs"]) for row in rows(DATA / "sgqa.jsonl")] == [5] * 18
    for task in TASKS:
        samples = samples_of(read_file(DATA / f"{task}.jsonl"), task)
        assert len({sample.cluster for sample in samples}) == 18
        assert all(sample.groups["domain"] != ("(none)",) for sample in samples)


def test_rows_are_what_the_narratives_tell() -> None:
    for folder in POOLS:
        derived = [row for story in stories(folder).values() for row in sgg_rows(story)]
        assert [{name: row[name] for name in derived[0]} for row in generation(folder)] == derived
        told = {name: [[list(t) for t in graph] for graph in story.graphs] for name, story in stories(folder).items()}
        for row in rows(folder / "sgqa.jsonl"):
            assert row["context_graphs"] == told[row["scenario_id"]]
        for row in rows(folder / "sgds.jsonl"):
            graphs = [*row["context_graphs"], row["triplet"]]
            assert graphs == told[row["scenario_id"]][: len(graphs)]


def test_our_own_rules_find_no_error_and_the_hands_keep_theirs() -> None:
    for story in everything():
        found = [*check_narrative(story)]
        found += [finding for graph in story.graphs for finding in check_graph(graph, story.vocabulary)]
        assert {finding.code for finding in found} <= FINE, story.id
    assert all(RULES[code].severity == WARNING for code in FINE)
    for path in DATA.rglob("*.jsonl"):
        if path.parent.name != "example-replies":
            assert [str(finding) for finding in check(path).findings if finding.severity != WARNING] == [], path


def test_tags_and_synonyms_say_what_is_so() -> None:
    seen: Counter[str] = Counter()
    for folder in POOLS:
        timelines = {name: Timeline(story) for name, story in stories(folder).items()}
        for row in generation(folder):
            timeline, number = timelines[row["scenario_id"]], int(row["item_id"].rpartition("/")[2])
            steps = [step for step in timeline.steps if step.description == number]
            expected = set(tags_of(Sentence(row["target_sentence"]), steps, has_synonyms=bool(row.get("synonyms"))))
            assert set(row["tags"]) == expected, row["item_id"]
            seen.update(expected)
            named = {part for graph in row["graphs"] for triplet in graph["triplets"] for part in triplet}
            for word, element in row.get("synonyms", {}).items():
                assert element in named and mentions(row["target_sentence"], word), row["item_id"]
                assert mentions(row["target_sentence"], element) is None, row["item_id"]
    assert all(seen[tag] >= 5 for tag in ("implicit", "repetition", "synonym", "homonym", "two_hands", "transfer"))


def test_the_path_of_every_question_leads_to_its_answer_which_it_does_not_contain() -> None:
    for folder in POOLS:
        for timeline, pair in questions(folder):
            assert answer(timeline, pair["path"]) == pair["A"], pair["Q"]
            assert mentions(pair["Q"], pair["A"]) is None, pair["Q"]
            assert pair["A"] not in words(pair["Q"]), pair["Q"]
    hops = [hops_needed(pair["path"]) for _, pair in questions(DATA)]
    assert sum(number >= 2 for number in hops) >= len(hops) / 2
    counts = Counter(pair["A"] for _, pair in questions(DATA))
    assert counts.most_common(1)[0][1] <= 9 and len(counts) >= 45, "no answer is common enough to be guessed"


def test_there_are_sixty_choices_half_of_them_perturbed_with_balanced_positions() -> None:
    assert len({row["target_sentence"] for row in choices()}) == 60
    assert Counter((row["tags"][0], row["position"]) for row in choices()) == {
        (kind, position): 6 for kind in ("perturbed", "unrelated") for position in range(5)
    }
    for row in choices():
        lengths = [len(text.split()) for text in row["variations"]]
        assert max(lengths) <= 2 * min(lengths), row["item_id"]
        if row["tags"] == ["perturbed"]:
            assert not any(NEGATIONS.search(text) for text in row["variations"]), row["item_id"]


def test_an_audit_finds_no_error_and_no_example_that_is_asked_and_few_shortcuts() -> None:
    for task, solving in (
        ("sgqa", "the commonest answer"),
        ("sgds", "the option that mentions most names of the graph"),
        ("sa-sgg", "elements of L drawn by lot, in the right form"),
        ("ma-sgg", "elements of L drawn by lot, in the right form"),
    ):
        audit = audit_of(f"tsg/{task}", str(DATA / f"{task}.jsonl")).audit
        assert (audit.errors, audit.solving) == (0, (solving,)), task
        assert {one.check.code for one in audit.found if one.slips} <= {"homonym-loop", "earlier-step"}, task
        assert not any(spread.is_skewed for spread in audit.spreads), task


def test_the_pool_holds_at_least_twelve_examples_a_task_each_with_a_rationale() -> None:
    for task in TASKS:
        found = rows(POOL / f"{task}.jsonl")
        items = [pair for row in found for pair in row["qa_pairs"]] if task == "sgqa" else found
        assert len(items) >= 12
        assert all(15 <= len(item["rationale"].split()) <= 80 for item in items), task


def test_the_example_replies_show_every_outcome() -> None:
    for task in TASKS:
        counts = score(task, DATA / f"{task}.jsonl", DATA / "example-replies" / f"{task}.jsonl").board.counts
        shown = ("answered", "missing", "empty", "truncated", "refused", "unreadable", "api_error")
        assert [outcome for outcome in shown if not counts[outcome]] == [], task
