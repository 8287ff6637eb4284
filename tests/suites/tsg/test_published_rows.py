"""Rows of the published files: read whole and singly alike, shown as they are, scored one by their references."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from prompt_items import STYLES
from suites.tsg.test_prompting import prompter
from suites.tsg.test_scoreboard import value
from tsg_tasks import BASELINES, prompter_of, read_reply, rows_in, samples_of, score, shown_answer

from tsgkit.graph.folding import fold_graph
from tsgkit.library.documents.reader import read_file
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg.items import QuestionSample, RefineSample, SelectionSample

FOLDER = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
pytestmark = pytest.mark.skipif(not FOLDER, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
TASKS = {"sgqa": (30, "exact_match", ["context_graphs"]), "sgds": (12, "accuracy", ["context_graphs", "triplet"])}
WHOLE = {"sgqa": "{scene_graph} {question}", "sgds": "{context} {triplet} {sentences}"}


def published(task: str) -> tuple[Path, tuple[QuestionSample | SelectionSample, ...]]:
    path = Path(FOLDER, f"tsg_{task}_sample.jsonl")
    return path, samples_of(read_file(path), task)


def test_rows_read_one_by_one_are_those_of_the_whole_file_and_score_one_by_their_references(tmp_path: Path) -> None:
    for task, (n, metric, _) in TASKS.items():
        path, samples = published(task)
        assert tuple(rows_in(path, task)) == samples
        replies = tmp_path / f"{task}.jsonl"
        told = ({"item_id": sample.item_id, "reply": shown_answer(sample)} for sample in samples)
        replies.write_text("".join(json.dumps(one) + "\n" for one in told))
        report = score(task, path, replies)
        assert report.board.n == n
        assert value(report, "strict", metric) == value(report, "official", metric) == 1, task


def test_graphs_are_shown_whole_in_every_style_and_as_python_writes_them_and_no_answer_is(tmp_path: Path) -> None:
    for task, (_, _, fields) in TASKS.items():
        path, samples = published(task)
        for style in STYLES:
            asker = prompter(task, style)
            for sample in samples:
                graphs = sample.graphs if isinstance(sample, QuestionSample) else (*sample.context, sample.graph)
                text = asker.text(sample)
                assert all("\n".join(map(str, graph)) in text for graph in graphs), (style, sample.item_id)
                assert shown_answer(sample) not in text.split("These were the examples")[-1], (style, sample.item_id)
        (tmp_path / f"{task}.txt").write_text(WHOLE[task])
        shown = "\n".join(map(prompter_of(task, "zero-shot", tmp_path).text, samples))
        for line in path.read_text(encoding="utf-8").splitlines():
            assert all(repr(json.loads(line)[field]) in shown for field in fields), line[:80]


def test_rules_know_more_than_half_and_guesses_are_right_as_often_as_chance() -> None:
    def accuracy(task: str, name: str, seed: int = 0) -> float:
        samples = published(task)[1]
        right: list[bool] = [read_reply(one, Reply(BASELINES[name](one, seed)))[1] == one.answer for one in samples]
        return sum(right) / len(right)

    for task, low, high in (("sgds", 0.1, 0.3), ("sgqa", 0.0, 0.2)):
        assert accuracy(task, "rules") > 0.5, task
        assert low < sum(accuracy(task, "random", seed) for seed in range(40)) / 40 < high, task


def test_graphs_with_faults_differ_from_their_originals_by_the_stated_changes(tmp_path: Path) -> None:
    rows = []
    for number, line in enumerate(Path(FOLDER, "tsg_sgds_sample.jsonl").read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        triplets = [triplet for graph in (*row["context_graphs"], row["triplet"]) for triplet in graph]
        verbs = {target for _, edge, target in triplets if edge == "verb"}
        nodes = {name for source, _, target in triplets for name in (source, target)} - verbs - {""}
        edges = {edge for _, edge, _ in triplets}
        space = {"object": sorted(nodes), "relationship": sorted(edges), "verb": sorted(verbs)}
        told = {"item_id": str(number), "context": [], "target_sentence": row["target_sentence"]}
        rows.append(told | {"mandatory_space": space, "graphs": [{"triplets": row["triplet"]}]})
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    origins = set()
    for sample in rows_in(tmp_path / "rows.jsonl", "refine"):
        assert isinstance(sample, RefineSample)
        original, spoilt = (set(fold_graph(graph)) for graph in (sample.original, sample.spoilt))
        assert original - spoilt == {change.reference for change in sample.changes} - {None}, sample.item_id
        assert spoilt - original == {change.candidate for change in sample.changes} - {None}, sample.item_id
        origins.add(sample.origin)
    assert origins == {"seeded", "published", "reading", "annotator", "none"}
