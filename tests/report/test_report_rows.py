"""A report's rows say what the records say, however the records came to be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from reported import baseline_run, example_run
from shipped import DATA, POOL
from tsg_tasks import score

from tsgkit.errors import UsageError
from tsgkit.report.report_rows import Report, ReportRow, gather
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.suites.tsg.groups import GROUPS, STORED

RUNS = {"sgqa": STORED, "sgds": STORED, "sa-sgg": GROUPS, "ma-sgg": GROUPS}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: example_run(tmp_path_factory.mktemp("runs") / kind, kind) for kind in RUNS}


@pytest.fixture
def baselines(tmp_path: Path) -> Path:
    return baseline_run(tmp_path / "run", "tsg/sgqa", "tsg/ma-sgg", limit=12)


def edited(run: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    file = run / "samples.jsonl"
    records = change([json.loads(line) for line in file.read_text().splitlines()])
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return run


@pytest.mark.parametrize("kind", RUNS)
def test_a_row_and_its_groups_are_what_score_says_of_the_same_replies(kind: str, runs: dict[str, Path]) -> None:
    [row] = gather([runs[kind]], RUNS[kind]).rows
    other = score(kind, DATA / f"{kind}.jsonl", DATA / f"example-replies/{kind}.jsonl", by=RUNS[kind])
    assert (row.board.profiles, row.board.n) == (other.board.profiles, other.board.n)
    assert {n: v for n, v in row.board.counts.items() if v} == {n: v for n, v in other.board.counts.items() if v}
    assert set(row.groups) == set(RUNS[kind])
    for group, members in other.groups.items():
        assert {name: mine.n for name, mine in row.groups[group].items()} == {
            n: board.n for n, board in members.items()
        }
        for name, mine in row.groups[group].items():
            for profile, values in mine.profiles.items():
                assert values is not None
                assert values.items() <= (members[name].profiles[profile] or {}).items()


def test_values_are_the_means_of_the_records_and_rows_are_those_of_the_run(
    runs: dict[str, Path], baselines: Path
) -> None:
    records = [json.loads(line) for line in (runs["ma-sgg"] / "samples.jsonl").read_text().splitlines()]
    [row] = gather([runs["ma-sgg"]], ("k",)).rows
    for name, board in {"": row.board, **row.groups["k"]}.items():
        mine = [record for record in records if not name or record["groups"]["k"] == [name]]
        parts = [record["parts"]["strict"]["f1"] for record in mine]
        value = (board.profiles["strict"] or {})["f1"]
        assert value is not None
        assert value.value == pytest.approx(sum(p[0] for p in parts) / sum(p[1] for p in parts))
        assert value.n == sum(p[1] for p in parts)
        assert board.counts["unreadable"] == sum(record["outcome"] == "unreadable" for record in mine)
    opened = open_saved_run(baselines)
    rows = gather([baselines, baselines.parent / "." / baselines.name]).rows
    assert [(row.cell, row.board) for row in rows] == [(result.cell, result.board) for result in opened.results]
    opened.samples.close()


def test_of_two_records_of_a_sample_the_last_one_counts_and_an_error_that_was_not_mended_is_told(
    baselines: Path,
) -> None:
    def right(row: ReportRow) -> float:
        value = (row.board.profiles["strict"] or {})["exact_match"]
        return float(value.value * value.n) if value else -1

    before = gather([baselines]).rows[0]
    wrong = {"parts": {"strict": {"exact_match": [0, 1]}, "official": {"exact_match": [0, 1]}}}
    failed = {"outcome": "api_error", "error": "429: slow down", "counts": {"items": 1, "api_error": 1}}

    def changed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        mine = [one for one in records if (one["subject"], one["task"]) == ("baseline/rules", "tsg/sgqa")]
        spoilt = next(one for one in mine if one["parts"]["strict"]["exact_match"] == [1, 1])
        mended, lasting = [one for one in mine if one is not spoilt][:2]
        others = [one for one in records if one is not lasting]
        return [mended | failed, lasting | failed, *others, spoilt | wrong]

    after = gather([edited(baselines, changed)]).rows[0]
    assert (after.n, before.n, after.failed, after.errors) == (12, 12, 1, {"429: slow down": 1})
    assert round(right(before) - right(after)) in (1, 2)


def test_unasked_samples_are_counted_but_not_scored(baselines: Path) -> None:
    before = gather([baselines], ("k", "implicit")).rows
    after = gather([edited(baselines, lambda records: records[:5])], ("k", "implicit")).rows
    assert [(row.n, row.outcomes["missing"]) for row in after] == [(5, 0), (0, 0), (0, 0), (0, 0)]
    assert [row.total for row in after] == [row.n for row in before]
    assert sum(board.n for board in after[0].groups["k"].values()) == 5
    assert not any(any(row.groups.values()) for row in after[1:])


def test_a_group_stands_only_where_it_applies_and_is_refused_where_it_applies_to_no_task(runs: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="cannot be grouped by implicit"):
        gather([runs["sgqa"]], ("implicit",))
    with pytest.raises(UsageError, match="there is no group nothing"):
        gather([runs["sgqa"]], ("nothing",))
    rows = gather([runs["sgqa"], runs["sa-sgg"]], ("implicit",)).rows
    assert [list(row.groups) for row in rows] == [[], ["implicit"]]
    with pytest.raises(UsageError, match="not the data that were asked about"):
        gather([runs["sgqa"]], data=str(POOL / "sgqa.jsonl"))


def test_only_the_metrics_asked_for_are_made(runs: dict[str, Path]) -> None:
    def shown(report: Report) -> list[str]:
        return list(report.rows[0].board.profiles["strict"] or {})

    run = [runs["ma-sgg"]]
    assert shown(gather(run, metrics="main")) == ["f1"]
    assert shown(gather(run, metrics="headline")) == ["precision", "recall", "f1"]
    assert shown(gather(run, metrics="main", also=["tsg/ma-sgg.f1_soft", "tsg/sgqa.exact_match"])) == ["f1", "f1_soft"]
    assert list(gather(run).rows[0].metrics) == shown(gather(run))
    with pytest.raises(UsageError, match="no choice of metrics some"):
        gather(run, metrics="some")
