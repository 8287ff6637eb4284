"""A report's rows say what the records say; published figures are what arithmetic allows, and stand beside ours."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from reported import ROW, baseline_run, example_run
from run_files import lines, write_lines
from shipped import DATA, EVAL, POOL, TASKS
from tsg_tasks import METRICS

from tsgkit.errors import UsageError
from tsgkit.report.formats import write
from tsgkit.report.published_tables import (
    FoundDoubt,
    PublishedTable,
    against_published,
    asks_published_data,
    doubts_found,
    load_reference,
    reference_from,
)
from tsgkit.report.report_rows import Report, gather
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.suites.formalimg.task import SATISFIED
from tsgkit.suites.formalimg.verdicts import LEVELS
from tsgkit.suites.scoreboard import Value
from tsgkit.suites.spatialgen.rows import DOMAINS, SUB_DOMAINS
from tsgkit.suites.tsg.task import GROUPS, STORED

RUNS = {"sgqa": STORED, "sgds": STORED, "sa-sgg": GROUPS, "ma-sgg": GROUPS}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {kind: example_run(tmp_path_factory.mktemp("runs") / kind, kind) for kind in RUNS}


@pytest.fixture
def baselines(tmp_path: Path) -> Path:
    return baseline_run(tmp_path / "run", "tsg/sgqa", "tsg/ma-sgg", limit=12)


def edited(run: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    file = run / "samples.jsonl"
    write_lines(file, change(lines(file)))
    return run


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


def test_errors_that_no_later_record_mends_and_unasked_samples_are_told(baselines: Path) -> None:
    before = gather([baselines], ("k", "implicit")).rows
    failed = {"outcome": "api_error", "error": "429: slow down", "counts": {"items": 1, "api_error": 1}}

    def changed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        mended, lasting, *others = records[:5]
        return [mended | failed, lasting | failed, mended, *others]

    after = gather([edited(baselines, changed)], ("k", "implicit")).rows
    assert (after[0].failed, after[0].errors) == (1, {"429: slow down": 1})
    assert [(row.n, row.outcomes["missing"]) for row in after] == [(5, 0), (0, 0), (0, 0), (0, 0)]
    assert [row.total for row in after] == [row.n for row in before]
    assert [sum(board.n for board in row.groups.get("k", {}).values()) for row in after] == [5, 0, 0, 0]


def test_groups_stand_where_they_apply_and_only_the_metrics_asked_for_are_made(runs: dict[str, Path]) -> None:
    with pytest.raises(UsageError, match="cannot be grouped by implicit"):
        gather([runs["sgqa"]], ("implicit",))
    with pytest.raises(UsageError, match="there is no group nothing"):
        gather([runs["sgqa"]], ("nothing",))
    both = [runs["sgqa"], runs["sa-sgg"]]
    assert [list(row.groups) for row in gather(both, ("implicit",)).rows] == [[], ["implicit"]]
    one = gather(both, tasks=["sa-sgg"])
    assert ([row.task for row in one.rows], one.lacking) == (["tsg/sa-sgg"], (f"{runs['sgqa']}: no tsg/sa-sgg",))
    with pytest.raises(UsageError, match="not the data that were asked about"):
        gather([runs["sgqa"]], data=str(POOL / "sgqa.jsonl"))

    def shown(report: Report) -> list[str]:
        return list(report.rows[0].board.profiles["strict"] or {})

    run = [runs["ma-sgg"]]
    assert shown(gather(run, metrics="headline")) == ["precision", "recall", "f1"]
    more = gather(run, metrics="headline", also=["tsg/ma-sgg.f1_soft", "tsg/sgqa.exact_match"])
    assert shown(more) == ["precision", "recall", "f1", "f1_soft"]
    assert list(gather(run).rows[0].metrics) == shown(gather(run))
    with pytest.raises(UsageError, match="no choice of metrics some"):
        gather(run, metrics="some")


KINDS = ("total", "desc", "new")
TEXT = (EVAL / "reference/tsg_bench.yaml").read_text(encoding="utf-8")
SGQA = "cd7050bb08e1ff4b11699378ea5036dd6f05f523a1ec63e24c5e1b96c2673d65"
EDGES = tuple(f"edges-ma zero-shot {metric}" for metric in ("precision", "recall", "f1"))


def test_exactly_the_known_figures_break_the_rules_of_arithmetic_and_are_listed() -> None:
    reference = load_reference()
    found = set(doubts_found(reference))
    assert found == {
        FoundDoubt("Table 2", "Mistral-7B", "multiple", ("tsg/sgds zero-shot accuracy",)),
        FoundDoubt("Table 4", "Mistral-7B", "multiple", ("tsg/sgds zero-shot accuracy",)),
        FoundDoubt("Table 2, people", "Human", "multiple", ("tsg/sgds people accuracy",)),
        FoundDoubt("Table 5", "GPT-4o", "mean", ("refinement no-hint overall f1",)),
        *(FoundDoubt("Table 9", model, "bound", EDGES) for model in ("DeepSeek-V3", "Mixtral-8x22B", "Mistral-large")),
    }
    marked = {FoundDoubt(d.table, d.model, d.kind, d.columns) for d in reference.doubtful}
    shifted = {doubt for doubt in marked if doubt.kind == "shifted"}
    assert marked - shifted == found
    assert {one.model for one in shifted} == {"Qwen-2.5-72B", "DeepSeek-V3", "Mixtral-8x22B", "Mistral-large"}
    for task in ("tsg/sgds", "tsg/sgqa", "tsg/sa-sgg", "tsg/ma-sgg"):
        seen: dict[tuple[str, str], float] = {}
        for figure in reference.figures(task, "zero-shot"):
            assert seen.setdefault((figure.model, figure.metric), figure.value) == figure.value, "in two tables"


def test_a_slip_in_a_figure_is_found_and_a_broken_file_of_tables_refused() -> None:
    known = set(doubts_found(load_reference()))
    for old, new, kind in (
        ("[17, 14, 3]", "[18, 14, 3]", "sum"),
        ("GPT-4o: [96.40,", "GPT-4o: [96.50,", "multiple"),
        ("65.84, 55.04, 59.23", "65.84, 55.04, 60.46", "bound"),
        ("[60.03, 70.02", "[61.03, 70.02", "mean"),
    ):
        [found] = set(doubts_found(reference_from(TEXT.replace(old, new, 1), "tables"))) - known
        assert found.kind == kind, old
    for old, new, match in (
        ("GPT-4o: [96.40, 84.80,", "GPT-4o: [84.80,", "GPT-4o has 7 figures for 8 columns"),
        ("GPT-4o: [96.40,", "GPT-4o: [964.0,", "GPT-4o has a figure above 100"),
        ("model: Human", "model: Nobody", "has no .* of Nobody"),
    ):
        with pytest.raises(UsageError, match=match):
            reference_from(TEXT.replace(old, new, 1), "tables")


def test_every_difference_is_said_in_words_beside_figures_of_the_row_s_own_style() -> None:
    row = replace(ROW, style="cot-few-shot", solver="vote:3", parameters={"temperature": 0.7}, unasked=1)
    row = replace(row, protocol_note="the published way asks once; solver vote:3 does not")
    [beside] = against_published(Report((row,))).beside
    differences = [text.partition(":")[0] for text in beside.differences]
    assert differences == ["data", "n", "style", "protocol", "prompts", "temperature", "not finished"]
    assert beside.style == "zero-shot"
    for style, figure in (("zero-shot", 0.848), ("cot", 0.90), ("few-shot", 0.844)):
        [beside] = against_published(Report((replace(ROW, style=style),))).beside
        assert {f.value for f in beside.figures if f.model == "GPT-4o"} == {figure}
        assert not [text for text in beside.differences if text.startswith("style")]
    assert against_published(Report((replace(ROW, kind="other"),))).beside == ()
    board = replace(ROW.board, profiles={"strict": {"f1": Value(0.5, 0.4, 0.6, 4.0)}, "official": None})
    metrics = {"f1": METRICS["sa-sgg"]["f1"]}
    row = replace(ROW, kind="sa-sgg", task="tsg/sa-sgg", board=board, metrics=metrics, metric="f1")
    text = write(against_published(Report((row,))), "terminal")
    table = text[text.index("beside the published tables") :].splitlines()
    assert table[1].split() == ["subject", "way", "source", "n", "f1", *(f"hallucinated_{k}" for k in KINDS)]
    assert " ".join(table[2].split()) == "openai/x zero-shot here 4 50.0 [40.0, 60.0] (strict) 0 0 0"


def test_the_published_data_are_known_by_their_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not asks_published_data("sgqa", str(DATA / "sgqa.jsonl"), "tsg-bench")
    assert not asks_published_data("sgqa", "no/such/file", "tsg-bench")
    for room in ("tasks/tsg", "prompts", "eval"):
        (tmp_path / room).mkdir(parents=True)
    data, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    data.write_text("{}\n")
    other.write_text("{} \n")
    known = (TASKS / "tsg" / "datasets.yaml").read_text().replace(SGQA, hashlib.sha256(data.read_bytes()).hexdigest())
    (tmp_path / "tasks/tsg/datasets.yaml").write_text(known)
    monkeypatch.chdir(tmp_path)
    rows = (("sgqa", data), ("sgqa", other), ("sgds", data))
    assert [asks_published_data(kind, str(file), "tsg-bench") for kind, file in rows] == [True, False, False]
    [beside] = against_published(Report((replace(ROW, data=str(data)),))).beside
    assert not [text for text in beside.differences if text.startswith("data")]


def test_formalimg_means_and_the_level_held_follow_from_the_levels() -> None:
    reference = load_reference("formalimg")
    tables = [table for table in reference.tables if "level_1" in str(table.columns)]
    assert tables and not list(doubts_found(reference))
    for table in tables:
        for model, numbers in table.rows.items():
            row = dict(zip((column.metric for column in table.columns), numbers, strict=True))
            levels = {name: row[name] / 100 for name in LEVELS}
            for name in (name for name in ("easy", "medium", "hard", "overall", "g") if name in row):
                metric = SATISFIED[name]
                assert metric.made_by is not None
                made = metric.made_by([levels[one] for one in metric.made_of]) or 0
                scale = 100 if metric.is_share else 1
                assert scale * made == pytest.approx(row[name], abs=0.0501), (table.name, model, name)
    figures = {(one.model, one.metric): one for one in reference.figures("formalimg/layout", "zero-shot")}
    assert figures["Qwen3-30B-A3B", "g"].value == 4, "a level is no percentage"
    assert figures["Qwen3-30B-A3B", "easy"].value == 0.925


DEMANDS = {
    "SceneEval-500": ((470, 1199, 1818), (546, 961, 1736), (201, 891, 1530), (250, 333, 525)),
    "SceneEval-100": ((121, 200, 201), (60, 96, 118), (49, 141, 159), (62, 72, 114)),
}
"""How many demands each level has."""


def test_sceneeval_figures_are_whole_and_pooled_over_the_demands_of_the_levels() -> None:
    reference = load_reference("sceneeval")
    tables = {table.name: table for table in reference.tables}
    doubtful = {(one.model, column) for one in reference.doubtful for column in one.columns}

    def figures(table: PublishedTable, method: str, part: str = "") -> dict[str, float]:
        row = zip(table.columns, table.rows[method], strict=True)
        return {column.metric: number for column, number in row if column.part == part}

    for name, methods in (("SceneEval-500", 6), ("SceneEval-100", 5)):
        whole, levels = tables[name], tables[f"{name} by difficulty"]
        assert len(whole.rows) == methods and set(whole.rows) == set(levels.rows)
        for method in whole.rows:
            parts = [figures(levels, method, level) for level in ("easy", "medium", "hard")]
            assert {len(part) for part in parts} == {10}
            for metric, weights in zip(("cnt", "atr", "oor", "oar"), DEMANDS[name], strict=True):
                if (method, f"sceneeval/fidelity published {metric}") in doubtful and name == "SceneEval-100":
                    continue
                met = sum(round(part[metric] * weight / 100) for part, weight in zip(parts, weights, strict=True))
                pooled = 100 * met / sum(weights)
                assert figures(whole, method)[metric] == pytest.approx(pooled, abs=0.06), (method, metric)


def test_spatialgen_means_are_the_published_ones_and_a_control_stands_beside_its_control() -> None:
    reference = load_reference("spatialgen")
    found: dict[tuple[str, str], dict[str, float]] = {}
    for style in ("published", "published by GPT-4o"):
        for figure in reference.figures("spatialgen/questions", style):
            found.setdefault((figure.table, figure.model), {})[figure.metric] = figure.value
    columns = [name.lower() for name in SUB_DOMAINS]
    whole = {key: row for key, row in found.items() if "object" in row}
    assert len(whole) == 24 + 23 + 3
    for row in whole.values():
        assert row["accuracy"] == pytest.approx(fmean(row[name] for name in columns), abs=0.00101)
    qwen, domains = found["Table 2", "Qwen-Image"], found["Table 12", "Qwen-Image"]
    for domain, names in DOMAINS.items():
        assert fmean(qwen[name.lower()] for name in names) == pytest.approx(domains[domain.lower()], abs=0.00051)
    control = replace(ROW, of=None, task="spatialgen/questions", kind="questions", style="", solver="published-blind")
    [beside] = against_published(Report((control,))).beside
    assert {figure.model for figure in beside.figures} == {"No image"}
    report = against_published(Report((replace(control, solver="ours"),)))
    [beside] = report.beside
    assert beside.style == "published"
    assert {figure.doubt != "" for figure in beside.figures if figure.model == "Random"} == {True}
    assert write(report, "terminal").count("one draw of five letters") == 2
