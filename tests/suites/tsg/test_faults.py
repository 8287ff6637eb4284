"""Faults in graphs to mend differ from the original by what they state, and come out the same every time."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from official_rows import generation_rows
from shipped import DATA
from tsg_tasks import deduce, draft_of, guess, judge, of_item, read_reply, rows_in

from tsgkit.graph.careless_texts import WRITINGS
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.graph.slips import SLIPS
from tsgkit.suites.replies import Reply
from tsgkit.suites.tsg import faults
from tsgkit.suites.tsg.faults import ERRORS, SEVERAL, SOURCES, written_fault
from tsgkit.suites.tsg.items import RefineSample

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA", "")
FILES = ("sa-sgg", "ma-sgg")
OF_010 = "40e1e170b6c1db04b72460eb2be0491a42fa85d047c3aac2d94700bd605e074c"
"""The hash of the graphs with one or two seeded errors that version 0.1.0 made of the bundled rows of one graph."""


@cache
def bundled(name: str) -> tuple[RefineSample, ...]:
    return tuple(rows_in(DATA / f"{name}.jsonl", "refine"))


def official(folder: Path) -> tuple[RefineSample, ...]:
    rows = "".join(json.dumps(row) + "\n" for row in generation_rows(OFFICIAL))
    (folder / "rows.jsonl").write_text(rows)
    return tuple(rows_in(folder / "rows.jsonl", "refine"))


def by_graph(samples: tuple[RefineSample, ...]) -> Iterator[list[RefineSample]]:
    graphs: dict[tuple[str, int], list[RefineSample]] = {}
    for sample in samples:
        graphs.setdefault((sample.source.item_id, sample.number), []).append(sample)
    return iter(graphs.values())


def check(samples: tuple[RefineSample, ...]) -> None:
    """Every item differs from its original by exactly the stated changes, as scores see it."""
    for sample in samples:
        original, spoilt = (set(fold_graph(graph)) for graph in (sample.original, sample.spoilt))
        assert original - spoilt == {change.reference for change in sample.changes} - {None}, sample.item_id
        assert spoilt - original == {change.candidate for change in sample.changes} - {None}, sample.item_id
        assert len(sample.changes) <= 4
        assert (not sample.changes) == sample.is_clean == (sample.error == "none") == (sample.origin == "none")
        assert sample.error in ERRORS
        assert sample.origin in SOURCES


@pytest.mark.parametrize("file", FILES)
def test_a_graph_differs_from_its_original_by_the_stated_changes(file: str) -> None:
    check(bundled(file))


@pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA names no folder with published rows")
def test_published_graphs_with_faults_differ_by_the_stated_changes(tmp_path: Path) -> None:
    samples = official(tmp_path)
    check(samples)
    assert {sample.origin for sample in samples} == {"seeded", "published", "reading", "annotator", "none"}


@pytest.mark.parametrize("file", FILES)
def test_a_clean_graph_is_its_original(file: str) -> None:
    clean = [sample for sample in bundled(file) if sample.is_clean]
    assert len(clean) == len(list(by_graph(bundled(file))))
    assert all(sample.spoilt is sample.original for sample in clean)


def test_the_same_rows_give_the_same_faults_and_those_of_earlier_versions_stay() -> None:
    first = bundled("sa-sgg")
    faults._drawn.cache_clear()
    again = tuple(rows_in(DATA / "sa-sgg.jsonl", "refine"))
    assert again == first
    old = [one for one in again if one.origin == "seeded" and SEVERAL.get(one.error, 2) == 2]
    drawn = [(one.item_id, str(one.spoilt), tuple(map(str, one.changes)), one.seed) for one in old]
    assert hashlib.sha256(repr(drawn).encode()).hexdigest() == OF_010


@pytest.mark.parametrize("file", FILES)
def test_every_bundled_graph_gets_one_to_four_seeded_errors_and_one_fault_of_each_other_source(file: str) -> None:
    for samples in by_graph(bundled(file)):
        assert Counter(sample.origin for sample in samples) == {
            "seeded": 7, "published": 1, "reading": 1, "annotator": 1, "none": 1,
        }  # fmt: skip
        numbers = {len(sample.changes) for sample in samples if sample.origin == "seeded"}
        assert numbers == {1, 2, 3, 4}
        assert len({sample.spoilt for sample in samples}) == len(samples)


def test_every_source_other_than_seeded_has_many_kinds_of_faults() -> None:
    kinds = Counter(sample.error for file in FILES for sample in bundled(file))
    named = {source: [error for error in kinds if error.startswith(f"{source}-")] for source in SOURCES}
    assert [len(named[source]) for source in ("published", "reading", "annotator")] == [4, len(WRITINGS), len(SLIPS)]


@pytest.mark.parametrize("file", FILES)
def test_no_fault_is_forgiven_by_the_reader_of_answers(file: str) -> None:
    for sample in bundled(file):
        strict = judge(sample, Reply(of_item(sample).baselines["none"](sample, 0))).scores["strict"]
        assert strict["restored"].value == (None if sample.is_clean else 0), sample.item_id
        assert strict["clean_touched"].value == (0 if sample.is_clean else None)


def test_the_graph_as_given_is_what_no_repair_says() -> None:
    for sample in bundled("sa-sgg"):
        said = read_reply(sample, Reply(of_item(sample).baselines["none"](sample, 0)))[1]
        if sample.error != "annotator-empty-target":  # an edge without a target is no line that can be read
            assert said.graphs[0] == fold_graph(sample.spoilt), sample.item_id


@pytest.mark.parametrize("program", [deduce, guess])
def test_every_baseline_answers_every_item(program: object) -> None:
    assert callable(program)
    for sample in bundled("sa-sgg"):
        assert read_reply(sample, Reply(program(sample)))[0].value == "answered"


def test_agents_receive_no_hint_about_a_clean_graph() -> None:
    for item in bundled("sa-sgg")[:11]:
        assert bool(draft_of(replace(item, hinted=True)).hints) == (not item.is_clean)


def test_a_fault_of_a_model_is_named_by_its_only_change_or_as_several() -> None:
    right = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
    turned = ActionGraph.of(*right.triplets[:2], ("hand1", "with", "wash"))
    other = ActionGraph.of(right.triplets[0], ("wash", "dobj", "mug"), ("wash", "with", "hand2"))
    assert written_fault(right, right) is None
    one, more = written_fault(right, turned), written_fault(right, other)
    assert one is not None
    assert (one.error, one.origin, len(one.changes)) == ("model-reversed", "model", 1)
    assert more is not None
    assert (more.error, len(more.changes)) == ("model-several", 2)
