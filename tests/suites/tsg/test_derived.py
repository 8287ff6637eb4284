"""Derived tasks make the same samples of a row every time, give what they should, and hold nothing back by mistake."""

from __future__ import annotations

import hashlib
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from prompt_items import document, graph, row
from tsg_tasks import DERIVATIONS, ROWS, TASKS, rows_in, samples_of

from tsgkit.errors import UsageError
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import diff
from tsgkit.suites.tsg import repairs as repairing
from tsgkit.suites.tsg.items import ActionsSample, AnySample, EdgesSample, NodesSample, RefineSample

SEVERAL_ERRORS = {"several": 2, "three": 3, "four": 4}
SEEDED = (*Corruption, *SEVERAL_ERRORS)
SINGLE, SEVERAL = row("sa-sgg", "a"), row("ma-sgg", "b")
L: dict[str, Any] = {
    "object": ["person", "hand1", "hand2", "cup", "lid", "screw"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "screw", "take"],
}


def made(task: str, *rows: dict[str, Any]) -> tuple[AnySample, ...]:
    return samples_of(document(*(one | {"mandatory_space": L} for one in rows)), task)


def repairs(*rows: dict[str, Any], task: str = "refine") -> list[RefineSample]:
    return [sample for sample in made(task, *rows) if isinstance(sample, RefineSample)]


def test_the_published_tasks_are_the_four_and_the_derived_ones_stand_beside_them() -> None:
    assert list(TASKS) == ["sgqa", "sgds", "sa-sgg", "ma-sgg"]
    assert list(ROWS) == [*TASKS, *DERIVATIONS]


@pytest.mark.parametrize("task", DERIVATIONS)
def test_the_same_rows_make_the_same_samples_which_can_be_sent_to_another_process(task: str) -> None:
    rows = (SINGLE,) if "sa-sgg" in DERIVATIONS[task].sources else (SEVERAL,)
    samples = made(task, *rows)
    assert samples == made(task, *rows)
    assert pickle.loads(pickle.dumps(samples)) == samples  # noqa: S301  (just written)
    assert {sample.cluster for sample in samples} == {str(rows[0]["scenario_id"])}


@pytest.mark.parametrize(("task", "wrong"), [("nodes-sa", SEVERAL), ("edges-ma", SINGLE), ("actions", SINGLE)])
def test_rows_of_another_number_of_graphs_are_refused(task: str, wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"so it belongs to ma-sgg|so these are rows of sa-sgg"):
        made(task, wrong)


@pytest.mark.parametrize("task", DERIVATIONS)
def test_a_row_without_graphs_makes_no_task(task: str) -> None:
    with pytest.raises(UsageError, match="has no reference graphs"):
        made(task, SEVERAL | {"graphs": []})


def test_nodes_are_asked_for_without_actions_and_labels_are_given_by_graph() -> None:
    screwed = [["person", "verb", "screw"], ["screw", "dobj", "screw"], ["screw", "on", "lid"]]
    (sample,) = made("nodes-ma", SEVERAL | {"graphs": [{"triplets": graph("wash")}, {"triplets": screwed}]})
    assert isinstance(sample, NodesSample)
    assert sample.nodes == ("person", "hand1", "cup", "lid", "screw")
    assert sample.labels == (("verb", "dobj", "with"), ("verb", "dobj", "on"))


def test_an_action_that_is_no_object_is_no_node_to_be_named() -> None:
    (sample,) = made("nodes-sa", SINGLE)
    assert isinstance(sample, NodesSample)
    assert "wash" not in sample.nodes


def test_given_nodes_stand_in_the_order_of_l_whatever_the_order_of_triplets() -> None:
    turned = SINGLE | {"graphs": [{"triplets": graph("wash")[::-1]}]}
    (one,), (other,) = made("edges-sa", SINGLE), made("edges-sa", turned)
    assert isinstance(one, EdgesSample)
    assert isinstance(other, EdgesSample)
    assert one.nodes == other.nodes == (("person", "hand1", "cup", "wash"),)


def test_actions_keep_their_order_and_are_not_given_away() -> None:
    graphs = [{"triplets": graph(verb)} for verb in ("dry", "wash", "dry")]
    (sample,) = made("actions", SEVERAL | {"graphs": graphs})
    assert isinstance(sample, ActionsSample)
    assert sample.actions == ("dry", "wash", "dry")
    assert sample.nodes == ("person", "hand1", "cup")
    assert sample.labels == ("verb", "dobj", "with")


def test_a_repair_is_asked_of_every_graph_and_type_of_error() -> None:
    samples = repairs(SINGLE, SEVERAL)
    seeded = [sample.item_id for sample in samples if sample.origin == "seeded"]
    assert seeded == [f"{graph}/{error}" for graph in ("a/0", "b/0", "b/1") for error in SEEDED]
    for number in range(3):
        others = [sample.origin for sample in samples[11 * number : 11 * number + 11]][7:]
        assert others == ["published", "reading", "annotator", "none"]
    assert all(sample.groups["error"] == (sample.error,) for sample in samples)
    assert all(sample.groups["source"] == (sample.origin,) for sample in samples)
    assert all(sample.groups["faults"] == (str(len(sample.changes)),) for sample in samples)
    assert all(sample.seed == f"0/{sample.item_id.rpartition('/')[0]}" for sample in samples)


def test_a_graph_to_mend_has_one_error_of_its_type_and_several_have_two_of_different_types() -> None:
    for sample in repairs(SINGLE, SEVERAL):
        if sample.origin != "seeded":
            continue
        assert sample.spoilt != sample.original
        assert sample.spoilt.triplets
        assert len(set(sample.kinds)) == len(sample.kinds) == SEVERAL_ERRORS.get(sample.error, 1)
        assert sample.error in (*SEVERAL_ERRORS, sample.kinds[0])
        lost = set(sample.original) - set(sample.spoilt)
        new = set(sample.spoilt) - set(sample.original)
        assert lost == {change.reference for change in sample.changes} - {None}
        assert new == {change.candidate for change in sample.changes} - {None}


def test_single_errors_are_what_the_difference_of_the_graphs_says() -> None:
    names = {"redundant": "extra"}
    for sample in repairs(SINGLE, SEVERAL):
        if sample.origin == "seeded" and sample.error not in SEVERAL_ERRORS:
            kinds = [change.kind for change in diff(sample.original, sample.spoilt).changes]
            assert kinds == [names.get(sample.error, sample.error)]


def test_graphs_that_cannot_get_an_error_make_no_sample_of_it() -> None:
    alone = SINGLE | {"graphs": [{"triplets": [["person", "verb", "wash"]]}]}
    assert Corruption.MISSING not in [sample.error for sample in repairs(alone)]


def test_hinted_repairs_are_the_same_graphs_with_the_type_told() -> None:
    plain, hinted = repairs(SINGLE), repairs(SINGLE, task="refine-hinted")
    assert [sample.spoilt for sample in plain] == [sample.spoilt for sample in hinted]
    assert {sample.hinted for sample in plain} == {False}
    assert {sample.hinted for sample in hinted} == {True}


def test_the_hash_of_data_tells_which_errors_were_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(SINGLE | {"mandatory_space": L}) + "\n")
    plain, mended = (rows_in(path, task).sha256 for task in ("sa-sgg", "refine"))
    assert plain == rows_in(path, "nodes-sa").sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert mended == rows_in(path, "refine").sha256 != plain
    monkeypatch.setattr(repairing, "SEED", 1)
    assert rows_in(path, "refine").sha256 not in (plain, mended)
