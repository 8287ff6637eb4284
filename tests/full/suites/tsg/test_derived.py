"""Derived tasks make the same samples of a row every time; the faults to mend are what they state."""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from prompt_items import document, graph, row
from samples import lines
from shipped import DATA
from tsg_tasks import METRICS, SOURCES, STYLES, baseline, draft_of, judge, read_reply, rows_in, samples_of, shown_answer

from tsgkit.errors import UsageError
from tsgkit.graph.corruptions import Corruption
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.tsg import repairs as repairing
from tsgkit.suites.tsg.faults import written_fault
from tsgkit.suites.tsg.items import AnySample, RefineSample

SEEDED = (*Corruption, "several", "three", "four")
SINGLE_ROW, SEVERAL_ROW = row("sa-sgg", "a"), row("ma-sgg", "b")
ALL_ITEMS = "7c5cad710c6add16481d4986ea35ef4dd19776b8ce7f89fc4d26013d12737155"
"""The hash of all items to mend that are made of the rows of the tests."""
L: dict[str, Any] = {
    "object": ["person", "hand1", "hand2", "cup", "lid", "screw"],
    "relationship": ["verb", "dobj", "with", "on", "from"],
    "verb": ["wash", "dry", "screw", "take"],
}


def made(task: str, *rows: dict[str, Any]) -> tuple[AnySample, ...]:
    return samples_of(document(*(one | {"mandatory_space": L} for one in rows)), task)


def repairs(*rows: dict[str, Any]) -> list[RefineSample]:
    return [sample for sample in made("refine", *rows) if isinstance(sample, RefineSample)]


@cache
def bundled() -> tuple[RefineSample, ...]:
    return tuple(sample for name in ("sa-sgg", "ma-sgg") for sample in rows_in(DATA / f"{name}.jsonl", "refine"))


def test_the_same_rows_make_the_same_samples_and_what_is_asked_is_not_given_away() -> None:
    for task, sources in SOURCES.items():
        one = SINGLE_ROW if "sa-sgg" in sources else SEVERAL_ROW
        samples = made(task, one)
        assert samples == made(task, one) == pickle.loads(pickle.dumps(samples)), task  # noqa: S301  (just written)
        assert {sample.cluster for sample in samples} == {one["scenario_id"]}, task
        with pytest.raises(UsageError, match="has no reference graphs"):
            made(task, SEVERAL_ROW | {"graphs": []})
    screwed = [["person", "verb", "screw"], ["screw", "dobj", "screw"], ["screw", "on", "lid"]]
    sample: Any
    (sample,) = made("nodes-ma", SEVERAL_ROW | {"graphs": [{"triplets": graph("wash")}, {"triplets": screwed}]})
    assert sample.nodes == ("person", "hand1", "cup", "lid", "screw"), "an action that is an object too stays"
    assert sample.labels == (("verb", "dobj", "with"), ("verb", "dobj", "on"))
    for triplets in (graph("wash"), graph("wash")[::-1]):
        (sample,) = made("edges-sa", SINGLE_ROW | {"graphs": [{"triplets": triplets}]})
        assert sample.nodes == (("person", "hand1", "cup", "wash"),), "in the order of L, whatever that of triplets"
    (sample,) = made("actions", SEVERAL_ROW | {"graphs": [{"triplets": graph(v)} for v in ("dry", "wash", "dry")]})
    assert (sample.actions, sample.nodes) == (("dry", "wash", "dry"), ("person", "hand1", "cup"))
    assert sample.labels == ("verb", "dobj", "with")


def test_a_repair_is_asked_of_every_graph_and_error_and_the_hash_of_data_tells_which(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    samples = repairs(SINGLE_ROW, SEVERAL_ROW)
    seeded = [sample.item_id for sample in samples if sample.origin == "seeded"]
    assert seeded == [f"{graph}/{error}" for graph in ("a/0", "b/0", "b/1") for error in SEEDED]
    for sample in samples:
        groups = {"error": (sample.error,), "source": (sample.origin,), "faults": (str(len(sample.changes)),)}
        assert groups.items() <= sample.groups.items(), sample.item_id
        assert sample.seed == f"0/{sample.item_id.rpartition('/')[0]}"
    alone = SINGLE_ROW | {"graphs": [{"triplets": [["person", "verb", "wash"]]}]}
    assert Corruption.MISSING not in [sample.error for sample in repairs(alone)], "an error that cannot be has no item"
    path = tmp_path / "rows.jsonl"
    path.write_text(lines(SINGLE_ROW | {"mandatory_space": L}))
    plain, mended = (rows_in(path, task).sha256 for task in ("nodes-sa", "refine"))
    assert plain == hashlib.sha256(path.read_bytes()).hexdigest() != mended == rows_in(path, "refine").sha256
    monkeypatch.setattr(repairing, "SEED", 1)
    assert rows_in(path, "refine").sha256 not in (plain, mended)


def test_the_same_rows_give_the_same_faults_as_ever() -> None:
    drawn = [(one.item_id, str(one.spoilt), tuple(map(str, one.changes)), one.seed) for one in bundled()]
    assert hashlib.sha256(repr(drawn).encode()).hexdigest() == ALL_ITEMS
    for sample in bundled():
        reply = CollectedReply(baseline("none", sample, 0))
        assert bool(draft_of(replace(sample, hinted=True)).hints) == (not sample.is_clean), "a clean graph has no hint"
        strict = judge(sample, reply).scores["strict"]
        found = [strict[name].value for name in ("restored", "clean_touched")]
        assert found == ([None, 0] if sample.is_clean else [0, None]), "no fault is forgiven by the reader"
        if sample.error != "annotator-empty-target":  # an edge without a target is no line that can be read
            assert read_reply(sample, reply)[1].graphs[0] == fold_graph(sample.spoilt), sample.item_id


def test_faults_are_named_by_their_change_and_each_error_is_fixed_left_or_neither() -> None:
    right = ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1"))
    turned = ActionGraph([*right.triplets[:2], ("hand1", "with", "wash")])
    other = ActionGraph([right.triplets[0], ("wash", "dobj", "mug"), ("wash", "with", "hand2")])
    faults = [written_fault(right, written) for written in (right, turned, other)]
    named = [fault and (fault.error, fault.origin, len(fault.changes)) for fault in faults]
    assert named == [None, ("model-reversed", "model", 1), ("model-several", "model", 2)]
    one, two, more = repair("mismatched"), repair("several"), repair("redundant")
    removed = ActionGraph(triplet for triplet in one.spoilt if triplet != one.changes[0].candidate)
    second = two.changes[1]
    kept = [triplet for triplet in two.original if triplet != second.reference]
    half = ActionGraph([*kept, *([] if second.candidate is None else [second.candidate])])
    lost = ActionGraph([*more.original.triplets[:-1], ("cup", "from", "person")])
    rows: list[tuple[RefineSample, ActionGraph, tuple[float, ...]]]
    rows = [(repair(error), repair(error).spoilt, (0, 1, 0)) for error in SEEDED]
    rows += [(one, removed, (0, 0, 0)), (two, half, (0.5, 0.5, 0)), (more, lost, (1, 0, 1))]
    for sample, answer, expected in rows:
        found = judge(sample, CollectedReply(str(answer)))
        said = values(found)
        assert (said["fixed"], said["left"], said["newly_broken"]) == expected, (sample.error, answer)
        assert [said[name] for name in ("restored", "still_wrong", "clean_touched")] == [0, 1, None]
        if answer == sample.spoilt:
            assert said["f1"] == said["f1_before"] != 1
    assert found.counts["newly_broken"] == 2
    clean, missing = repair("none"), repair("missing")
    added = f"{clean.original}\n\nperson -> verb -> take"
    for reply, touched in ((str(clean.original), 0), (str(missing.spoilt), 1), (added, 1)):
        said = values(judge(clean, CollectedReply(reply)))
        assert said.pop("clean_touched") == touched, reply
        assert set(said.values()) == {None}
    evidence = judge(missing, CollectedReply(shown_answer(missing))).evidence
    told = {name: evidence[name] for name in ("error", "seed", "errors", "changes")}
    assert told == {"error": "missing", "seed": "0/a/0", "errors": [*map(str, missing.changes)], "changes": []}


def values(found: Judged) -> dict[str, float | None]:
    return {name: one.value for name, one in found.scores["strict"].items()}


def repair(error: str) -> RefineSample:
    return next(sample for sample in repairs(SINGLE_ROW) if sample.item_id.endswith(f"/{error}"))


def samples(task: str) -> tuple[AnySample, ...]:
    return made(task, SINGLE_ROW if "sa-sgg" in SOURCES[task] else SEVERAL_ROW)


def test_the_right_answer_is_right_in_every_metric_and_names_are_scored_as_a_set_or_a_sequence() -> None:
    for task in SOURCES:
        lower = {name for name, metric in METRICS[task].items() if not metric.more_is_better}
        for sample in samples(task):
            right = judge(sample, CollectedReply(shown_answer(sample)))
            assert (list(right.scores), set(right.scores["strict"])) == (["strict"], set(METRICS[task]))
            told = {name: value for name, value in values(right).items() if value is not None and name != "f1_before"}
            assert told == {name: float(name not in lower) for name in told}, sample.item_id
            if isinstance(sample, RefineSample) and not sample.is_clean:
                assert (told["restored"], told["still_wrong"]) == (1, 0), sample.item_id
    for task, reply, expected in (
        ("nodes-sa", "person\ncup\ncup\nwash\nspoon", (2 / 4, 2 / 3, 4 / 7, 0, 1 / 4)),
        ("actions", "dry\nwash\ntake", (1 / 3, 1 / 2, 2 / 5, 0, 0)),
    ):
        (sample,) = samples(task)
        found = values(judge(sample, CollectedReply(reply)))
        fields = ("precision", "recall", "f1", "exact_match", "outside")
        assert [found[name] for name in fields] == pytest.approx(list(expected)), task
    assert found["count_match"] == 0


NAMES = ["person", "cup", "lid", "hand1", "wash", "dry", "spoon"]
TRIPLETS = st.tuples(st.sampled_from(NAMES), st.sampled_from(L["relationship"]), st.sampled_from(NAMES))
LINES = st.one_of(TRIPLETS.map(" -> ".join), st.sampled_from([*NAMES, "", "Final answer:", "and so on."]))
REPLIES = st.one_of(st.lists(LINES, max_size=8).map("\n".join), st.text(max_size=60))
SAMPLES = [sample for task in SOURCES for sample in samples(task)]


@given(sample=st.sampled_from(SAMPLES), text=REPLIES, style=st.sampled_from(STYLES))
@settings(max_examples=50)
def test_any_reply_has_one_outcome_and_bounded_scores(sample: AnySample, text: str, style: str) -> None:
    found, silent = judge(sample, CollectedReply(text), style), judge(sample, None, style).scores["strict"]
    assert found.counts["items"] == found.counts[found.outcome] == 1
    assert (found.answer is not None) == (found.outcome == "answered")
    strict = found.scores["strict"]
    assert all(score.value is None or -1e-12 <= score.value <= 1 + 1e-12 for score in strict.values())
    for name in ("precision", "recall", "f1", "exact_match"):
        assert 0 == silent[name].sum <= strict[name].sum
        assert silent[name].weight == strict[name].weight
    if isinstance(sample, RefineSample):
        fixed, left = (strict[name].sum for name in ("fixed", "left"))
        assert 0 <= fixed + left <= len(sample.changes), "an error is fixed or left or neither but not both"
        if strict["exact_match"].sum:
            assert (fixed, found.counts["newly_broken"]) == (len(sample.changes), 0)
