"""Derived tasks make the same samples of a row every time; the faults to mend are what they state."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from prompt_items import document, graph, row
from shipped import DATA
from tsg_tasks import DERIVATIONS, ROWS, TASKS, draft_of, judge, of_item, read_reply, rows_in, samples_of

from tsgkit.errors import UsageError
from tsgkit.graph.careless_texts import WRITINGS
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.edits import diff
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.slips import SLIPS
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import faults
from tsgkit.suites.tsg import repairs as repairing
from tsgkit.suites.tsg.faults import ERRORS, SEVERAL, SOURCES, written_fault
from tsgkit.suites.tsg.items import ActionsSample, AnySample, EdgesSample, NodesSample, RefineSample

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
SEVERAL_ERRORS = {"several": 2, "three": 3, "four": 4}
SEEDED = (*Corruption, *SEVERAL_ERRORS)
OTHERS = ["published", "reading", "annotator", "none"]
SINGLE_ROW, SEVERAL_ROW = row("sa-sgg", "a"), row("ma-sgg", "b")
OF_010 = "40e1e170b6c1db04b72460eb2be0491a42fa85d047c3aac2d94700bd605e074c"
"""The hash of the graphs with one or two seeded errors that version 0.1.0 made of the bundled rows of one graph."""
OF_020 = "2381b7560b02ab7ff81e7dc9feffae0faf3680fc6781cd701976e196e2e3565b"
"""The hash of all items to mend that version 0.2.0 made of the bundled rows."""
L: dict[str, Any] = {
    "object": ["person", "hand1", "hand2", "cup", "lid", "screw"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "screw", "take"],
}


def made(task: str, *rows: dict[str, Any]) -> tuple[AnySample, ...]:
    return samples_of(document(*(one | {"mandatory_space": L} for one in rows)), task)


def repairs(*rows: dict[str, Any], task: str = "refine") -> list[RefineSample]:
    return [sample for sample in made(task, *rows) if isinstance(sample, RefineSample)]


def published_rows() -> Iterator[dict[str, Any]]:
    """Yield published choices as rows of graphs to generate: the target graph, with L of all the row's graphs."""
    for number, line in enumerate(Path(OFFICIAL, "tsg_sgds_sample.jsonl").read_text(encoding="utf-8").splitlines()):
        row = json.loads(line)
        triplets = [triplet for graph in (*row["context_graphs"], row["triplet"]) for triplet in graph]
        verbs = {target for _, edge, target in triplets if edge == "verb"}
        nodes = {name for source, _, target in triplets for name in (source, target)} - verbs - {""}
        space = {
            "object": sorted(nodes),
            "relationship": sorted({edge for _, edge, _ in triplets}),
            "verb": sorted(verbs),
        }
        told = {"item_id": str(number), "context": [], "target_sentence": row["target_sentence"]}
        yield told | {"mandatory_space": space, "graphs": [{"triplets": row["triplet"]}]}


@cache
def bundled() -> tuple[RefineSample, ...]:
    return tuple(sample for name in ("sa-sgg", "ma-sgg") for sample in rows_in(DATA / f"{name}.jsonl", "refine"))


def by_graph(samples: tuple[RefineSample, ...]) -> Iterator[list[RefineSample]]:
    graphs: dict[tuple[str, int], list[RefineSample]] = {}
    for sample in samples:
        graphs.setdefault((sample.source.item_id, sample.number), []).append(sample)
    return iter(graphs.values())


def check(samples: tuple[RefineSample, ...]) -> None:
    """Assert that every item differs from its original by exactly the stated changes, as scores see it."""
    for sample in samples:
        original, spoilt = (set(fold_graph(graph)) for graph in (sample.original, sample.spoilt))
        assert original - spoilt == {change.reference for change in sample.changes} - {None}, sample.item_id
        assert spoilt - original == {change.candidate for change in sample.changes} - {None}, sample.item_id
        assert len(sample.changes) <= 4
        assert (not sample.changes) == sample.is_clean == (sample.error == "none") == (sample.origin == "none")
        assert sample.error in ERRORS
        assert sample.origin in SOURCES


def test_the_same_rows_make_the_same_samples_which_can_be_sent_to_another_process() -> None:
    assert list(ROWS) == [*TASKS, *DERIVATIONS] and list(TASKS) == ["sgqa", "sgds", "sa-sgg", "ma-sgg"]
    for task, derivation in DERIVATIONS.items():
        one = SINGLE_ROW if "sa-sgg" in derivation.sources else SEVERAL_ROW
        samples = made(task, one)
        assert samples == made(task, one) == pickle.loads(pickle.dumps(samples)), task  # noqa: S301  (just written)
        assert {sample.cluster for sample in samples} == {one["scenario_id"]}, task
        with pytest.raises(UsageError, match="has no reference graphs"):
            made(task, SEVERAL_ROW | {"graphs": []})


def test_nodes_are_asked_for_without_actions_and_labels_are_given_by_graph() -> None:
    screwed = [["person", "verb", "screw"], ["screw", "dobj", "screw"], ["screw", "on", "lid"]]
    (sample,) = made("nodes-ma", SEVERAL_ROW | {"graphs": [{"triplets": graph("wash")}, {"triplets": screwed}]})
    assert isinstance(sample, NodesSample)
    assert sample.nodes == ("person", "hand1", "cup", "lid", "screw"), "an action that is an object too stays"
    assert sample.labels == (("verb", "dobj", "with"), ("verb", "dobj", "on"))


def test_given_nodes_stand_in_the_order_of_l_whatever_the_order_of_triplets() -> None:
    turned = SINGLE_ROW | {"graphs": [{"triplets": graph("wash")[::-1]}]}
    for (sample,) in (made("edges-sa", SINGLE_ROW), made("edges-sa", turned)):
        assert isinstance(sample, EdgesSample)
        assert sample.nodes == (("person", "hand1", "cup", "wash"),)


def test_actions_keep_their_order_and_are_not_given_away() -> None:
    graphs = [{"triplets": graph(verb)} for verb in ("dry", "wash", "dry")]
    (sample,) = made("actions", SEVERAL_ROW | {"graphs": graphs})
    assert isinstance(sample, ActionsSample)
    assert sample.actions == ("dry", "wash", "dry")
    assert sample.nodes == ("person", "hand1", "cup")
    assert sample.labels == ("verb", "dobj", "with")


def test_a_repair_is_asked_of_every_graph_and_type_of_error() -> None:
    samples = repairs(SINGLE_ROW, SEVERAL_ROW)
    seeded = [sample.item_id for sample in samples if sample.origin == "seeded"]
    assert seeded == [f"{graph}/{error}" for graph in ("a/0", "b/0", "b/1") for error in SEEDED]
    assert [sample.origin for sample in samples] == [*["seeded"] * 7, *OTHERS] * 3
    for sample in samples:
        groups = {"error": (sample.error,), "source": (sample.origin,), "faults": (str(len(sample.changes)),)}
        assert groups.items() <= sample.groups.items(), sample.item_id
        assert sample.seed == f"0/{sample.item_id.rpartition('/')[0]}"
    alone = SINGLE_ROW | {"graphs": [{"triplets": [["person", "verb", "wash"]]}]}
    assert Corruption.MISSING not in [sample.error for sample in repairs(alone)], "an error that cannot be has no item"


def test_a_seeded_graph_has_one_error_of_its_type_and_several_have_errors_of_different_types() -> None:
    for sample in repairs(SINGLE_ROW, SEVERAL_ROW):
        if sample.origin == "seeded":
            assert sample.spoilt != sample.original and sample.spoilt.triplets
            assert len(set(sample.kinds)) == len(sample.kinds) == SEVERAL_ERRORS.get(sample.error, 1)
            assert sample.error in (*SEVERAL_ERRORS, sample.kinds[0])
            if sample.error not in SEVERAL_ERRORS:
                kinds = [change.kind for change in diff(sample.original, sample.spoilt).changes]
                assert kinds == [{"redundant": "extra"}.get(sample.error, sample.error)]


def test_the_hash_of_data_tells_which_errors_were_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(SINGLE_ROW | {"mandatory_space": L}) + "\n")
    plain, mended = (rows_in(path, task).sha256 for task in ("sa-sgg", "refine"))
    assert plain == rows_in(path, "nodes-sa").sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert mended == rows_in(path, "refine").sha256 != plain
    monkeypatch.setattr(repairing, "SEED", 1)
    assert rows_in(path, "refine").sha256 not in (plain, mended)


def test_bundled_graphs_differ_from_their_originals_by_the_stated_changes() -> None:
    check(bundled())
    assert all(sample.spoilt is sample.original for sample in bundled() if sample.is_clean)
    for samples in by_graph(bundled()):
        assert [sample.origin for sample in samples] == [*["seeded"] * 7, *OTHERS]
        assert {len(sample.changes) for sample in samples if sample.origin == "seeded"} == {1, 2, 3, 4}
        assert len({sample.spoilt for sample in samples}) == len(samples)
    kinds = Counter(sample.error for sample in bundled())
    named = {source: [error for error in kinds if error.startswith(f"{source}-")] for source in SOURCES}
    assert [len(named[source]) for source in ("published", "reading", "annotator")] == [4, len(WRITINGS), len(SLIPS)]


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
def test_published_graphs_with_faults_differ_by_the_stated_changes(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in published_rows()))
    samples = tuple(rows_in(tmp_path / "rows.jsonl", "refine"))
    check(samples)
    assert {sample.origin for sample in samples} == {"seeded", *OTHERS}


def test_the_same_rows_give_the_same_faults_and_those_of_earlier_versions_stay() -> None:
    first = tuple(rows_in(DATA / "sa-sgg.jsonl", "refine"))
    faults._drawn.cache_clear()
    again = tuple(rows_in(DATA / "sa-sgg.jsonl", "refine"))
    assert again == first
    old = [one for one in again if one.origin == "seeded" and SEVERAL.get(one.error, 2) == 2]
    for samples, digest in ((old, OF_010), (bundled(), OF_020)):
        drawn = [(one.item_id, str(one.spoilt), tuple(map(str, one.changes)), one.seed) for one in samples]
        assert hashlib.sha256(repr(drawn).encode()).hexdigest() == digest


def test_no_fault_is_forgiven_by_the_reader_of_answers() -> None:
    for sample in bundled():
        reply = Reply(of_item(sample).baselines["none"](sample, 0))
        strict = judge(sample, reply).scores["strict"]
        assert strict["restored"].value == (None if sample.is_clean else 0), sample.item_id
        assert strict["clean_touched"].value == (0 if sample.is_clean else None), sample.item_id
        if sample.error != "annotator-empty-target":  # an edge without a target is no line that can be read
            assert read_reply(sample, reply)[1].graphs[0] == fold_graph(sample.spoilt), sample.item_id


def test_agents_receive_no_hint_about_a_clean_graph() -> None:
    for item in bundled()[:11]:
        assert bool(draft_of(replace(item, hinted=True)).hints) == (not item.is_clean)


def test_a_fault_of_a_model_is_named_by_its_only_change_or_as_several() -> None:
    right = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
    turned = ActionGraph.of(*right.triplets[:2], ("hand1", "with", "wash"))
    other = ActionGraph.of(right.triplets[0], ("wash", "dobj", "mug"), ("wash", "with", "hand2"))
    assert written_fault(right, right) is None
    one, more = written_fault(right, turned), written_fault(right, other)
    assert one is not None and more is not None
    assert (one.error, one.origin, len(one.changes)) == ("model-reversed", "model", 1)
    assert (more.error, len(more.changes)) == ("model-several", 2)
