"""Derived tasks are scored strictly: sets, sequences and what became of each error; nothing is official."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import document, row
from tsg_tasks import DERIVATIONS, METRICS, STYLES, judge, samples_of, score, shown_answer

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg.items import AnySample, RefineSample

L: dict[str, Any] = {
    "object": ["person", "hand1", "hand2", "cup", "lid"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "take"],
}


def rows_of(task: str) -> dict[str, Any]:
    source = DERIVATIONS[task].sources[0]
    return row(source, "a") | {"mandatory_space": L}


def samples(task: str) -> tuple[AnySample, ...]:
    return samples_of(document(rows_of(task)), task)


def values(found: Judged) -> dict[str, float | None]:
    return {name: one.value for name, one in found.scores["strict"].items()}


def repair(error: str) -> RefineSample:
    found = next(sample for sample in samples("refine") if sample.item_id.endswith(f"/{error}"))
    assert isinstance(found, RefineSample)
    return found


def test_the_right_answer_is_right_in_every_metric_and_has_no_official_score() -> None:
    for task, metrics in METRICS.items():
        lower = {name for name, metric in metrics.items() if not metric.more_is_better}
        for sample in samples(task) if task in DERIVATIONS else ():
            found = judge(sample, Reply(shown_answer(sample)))
            assert list(found.scores) == ["strict"]
            assert set(found.scores["strict"]) == set(metrics)
            told = {name: value for name, value in values(found).items() if value is not None and name != "f1_before"}
            assert told == {name: float(name not in lower) for name in told}, sample.item_id
            if isinstance(sample, RefineSample) and not sample.is_clean:
                assert (told["restored"], told["still_wrong"]) == (1, 0), sample.item_id


def test_no_answer_is_zero_with_its_full_weight() -> None:
    replies = (None, Reply(""), Reply("I would rather not say anything about this scene."))
    for sample, reply in [(sample, reply) for task in DERIVATIONS for sample in samples(task) for reply in replies]:
        found = judge(sample, reply)
        assert found.answer is None
        if isinstance(sample, RefineSample) and sample.is_clean:
            assert {one.weight for one in found.scores["strict"].values()} == {0}
            continue
        for name in ("precision", "recall", "f1", "exact_match"):
            right = judge(sample, Reply(shown_answer(sample))).scores["strict"][name]
            assert right.weight > 0
            assert (found.scores["strict"][name].sum, found.scores["strict"][name].weight) == (0, right.weight)


def test_nodes_are_a_set_and_an_action_among_them_is_wrong() -> None:
    (sample,) = samples("nodes-sa")
    found = values(judge(sample, Reply("person\ncup\ncup\nwash\nspoon")))
    assert [found["precision"], found["recall"]] == pytest.approx([2 / 4, 2 / 3])
    assert found["outside"] == pytest.approx(1 / 4)


def test_actions_are_scored_by_what_they_have_in_common_in_order() -> None:
    (sample,) = samples("actions")
    found = values(judge(sample, Reply("dry\nwash\ntake")))
    assert [found["precision"], found["recall"]] == pytest.approx([1 / 3, 1 / 2])
    assert found["f1"] == pytest.approx(2 / 5)
    assert (found["exact_match"], found["count_match"], found["outside"]) == (0, 0, 0)


def test_the_graph_given_back_as_it_was_leaves_every_error() -> None:
    for error in ("redundant", "missing", "mismatched", "reversed", "several", "three", "four"):
        sample = repair(error)
        said = values(judge(sample, Reply(str(sample.spoilt))))
        assert (said["fixed"], said["left"], said["newly_broken"]) == (0, 1, 0), error
        assert (said["restored"], said["still_wrong"], said["clean_touched"]) == (0, 1, None), error
        assert said["f1"] == said["f1_before"] != 1, error


def test_a_clean_graph_counts_only_as_touched_or_not() -> None:
    sample = repair("none")
    replies = (str(sample.original), str(repair("missing").spoilt), f"{sample.original}\n\nperson -> verb -> take")
    for reply, touched in zip(replies, (0, 1, 1), strict=True):
        found = values(judge(sample, Reply(reply)))
        assert found.pop("clean_touched") == touched, reply
        assert set(found.values()) == {None}


def test_half_of_a_repair_is_neither_fixed_nor_left_and_one_of_two_counts_one_half() -> None:
    sample = repair("mismatched")
    (change,) = sample.changes
    removed = ActionGraph(triplet for triplet in sample.spoilt if triplet != change.candidate)
    said = values(judge(sample, Reply(str(removed))))
    assert (said["fixed"], said["left"], said["newly_broken"]) == (0, 0, 0)
    sample = repair("several")
    first, second = sample.changes
    kept = [triplet for triplet in sample.original if triplet != second.reference]
    half = ActionGraph([*kept, *([] if second.candidate is None else [second.candidate])])
    said = values(judge(sample, Reply(str(half))))
    assert (said["fixed"], said["left"], said["newly_broken"]) == (0.5, 0.5, 0)
    assert first.kind != second.kind


def test_lost_right_triplets_and_added_wrong_ones_are_newly_broken() -> None:
    sample = repair("redundant")
    lost = sample.original.triplets[-1]
    graph_said = ActionGraph([*(one for one in sample.original if one != lost), ("cup", "from", "person")])
    found = judge(sample, Reply(str(graph_said)))
    assert values(found)["fixed"] == 1
    assert values(found)["newly_broken"] == 1
    assert found.counts["newly_broken"] == 2


def test_the_evidence_of_a_repair_names_its_errors_and_seed() -> None:
    sample = repair("missing")
    evidence = judge(sample, Reply(shown_answer(sample))).evidence
    told = {name: evidence[name] for name in ("error", "seed", "errors", "changes")}
    assert told == {"error": "missing", "seed": "0/a/0", "errors": [*map(str, sample.changes)], "changes": []}


def scored(folder: Path, task: str, by: list[str]) -> Any:  # noqa: ANN401  (a report)
    (folder / "data.jsonl").write_text(json.dumps(rows_of(task)) + "\n")
    replies = [{"item_id": one.item_id, "reply": shown_answer(one)} for one in samples(task)]
    (folder / "replies.jsonl").write_text("".join(json.dumps(one) + "\n" for one in replies))
    return score(f"tsg/{task}", folder / "data.jsonl", folder / "replies.jsonl", by=by)


def test_collected_replies_are_scored_and_official_says_why_it_is_missing(tmp_path: Path) -> None:
    report = scored(tmp_path, "actions", [])
    assert report.board.profiles["official"] is None
    assert report.board.reasons["official"] == "this task has no published reader"
    assert report.board.profiles["strict"]["f1"].value == 1
    with pytest.raises(UsageError, match="tsg/actions: cannot be grouped by error"):
        scored(tmp_path, "actions", ["error"])


def test_repairs_are_told_apart_by_error_source_and_number_of_faults(tmp_path: Path) -> None:
    report = scored(tmp_path, "refine", ["source", "faults", "error"])
    assert {name: board.n for name, board in report.groups["source"].items()} == {
        "seeded": 7, "published": 1, "reading": 1, "annotator": 1, "none": 1,
    }  # fmt: skip
    assert list(report.groups["faults"])[:2] == ["0", "1"]
    clean = report.groups["faults"]["0"].profiles["strict"]
    assert (clean["clean_touched"].value, clean["f1"]) == (0, None)
    errors = list(report.groups["error"])
    assert errors[:7] == ["redundant", "missing", "mismatched", "reversed", "several", "three", "four"]
    assert [error.partition("-")[0] for error in errors[7:]] == ["published", "reading", "annotator", "none"]
    assert {board.n for board in report.groups["error"].values()} == {1}


NAMES = ["person", "cup", "lid", "hand1", "wash", "dry", "spoon"]
TRIPLETS = st.tuples(st.sampled_from(NAMES), st.sampled_from(L["relationship"]), st.sampled_from(NAMES))
LINES = st.one_of(TRIPLETS.map(" -> ".join), st.sampled_from([*NAMES, "", "Final answer:", "and so on."]))
REPLIES = st.one_of(st.lists(LINES, max_size=8).map("\n".join), st.text(max_size=60))
SAMPLES = [sample for task in DERIVATIONS for sample in samples(task)]


@given(sample=st.sampled_from(SAMPLES), text=REPLIES, style=st.sampled_from(STYLES))
@settings(max_examples=50)
def test_any_reply_has_one_outcome_and_bounded_scores_and_silence_is_never_better(
    sample: AnySample, text: str, style: str
) -> None:
    found, silent = judge(sample, Reply(text), style), judge(sample, None, style).scores["strict"]
    assert found.counts["items"] == found.counts[found.outcome] == 1
    assert (found.answer is not None) == (found.outcome == "answered")
    strict = found.scores["strict"]
    assert all(score.value is None or -1e-12 <= score.value <= 1 + 1e-12 for score in strict.values())
    for name in ("precision", "recall", "f1", "exact_match"):
        assert silent[name].sum <= strict[name].sum
        assert silent[name].weight == strict[name].weight
    if isinstance(sample, RefineSample):
        fixed, left = (strict[name].sum for name in ("fixed", "left"))
        assert 0 <= fixed + left <= len(sample.changes), "an error is fixed or left or neither but not both"
        if strict["exact_match"].sum:
            assert (fixed, found.counts["newly_broken"]) == (len(sample.changes), 0)
