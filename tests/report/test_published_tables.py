"""The published figures are what arithmetic allows, but for those that are known not to be."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import pytest
from reported import ROW
from shipped import DATA, EVAL, TASKS
from tsg_tasks import METRICS

from tsgkit.errors import UsageError
from tsgkit.report import terminal
from tsgkit.report.published_tables import (
    FoundDoubt,
    against_published,
    asks_published_data,
    doubts_found,
    load_reference,
    reference_from,
)
from tsgkit.report.report_rows import Report
from tsgkit.suites.scoreboard import Value

KINDS = ("total", "desc", "new")
TEXT = (EVAL / "reference/tsg_bench.yaml").read_text(encoding="utf-8")
SGQA = "cd7050bb08e1ff4b11699378ea5036dd6f05f523a1ec63e24c5e1b96c2673d65"
EDGES = tuple(f"edges-ma zero-shot {metric}" for metric in ("precision", "recall", "f1"))


def test_exactly_the_known_figures_break_the_rules_of_arithmetic() -> None:
    assert set(doubts_found(load_reference())) == {
        FoundDoubt("Table 2", "Mistral-7B", "multiple", ("tsg/sgds zero-shot accuracy",)),
        FoundDoubt("Table 4", "Mistral-7B", "multiple", ("tsg/sgds zero-shot accuracy",)),
        FoundDoubt("Table 2, people", "Human", "multiple", ("tsg/sgds people accuracy",)),
        FoundDoubt("Table 5", "GPT-4o", "mean", ("refinement no-hint overall f1",)),
        *(FoundDoubt("Table 9", model, "bound", EDGES) for model in ("DeepSeek-V3", "Mixtral-8x22B", "Mistral-large")),
    }


def test_listed_doubts_are_those_found_and_the_shifted_columns() -> None:
    reference = load_reference()
    marked = {FoundDoubt(d.table, d.model, d.kind, d.columns) for d in reference.doubtful}
    shifted = {found for found in marked if found.kind == "shifted"}
    assert marked - shifted == set(doubts_found(reference))
    assert {found.model for found in shifted} == {"Qwen-2.5-72B", "DeepSeek-V3", "Mixtral-8x22B", "Mistral-large"}


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("[17, 14, 3]", "[18, 14, 3]", "sum"),
        ("GPT-4o: [96.40,", "GPT-4o: [96.50,", "multiple"),
        ("65.84, 55.04, 59.23", "65.84, 55.04, 60.46", "bound"),
        ("[60.03, 70.02", "[61.03, 70.02", "mean"),
    ],
)
def test_a_slip_in_a_figure_is_found(old: str, new: str, kind: str) -> None:
    assert TEXT.count(old) >= 1
    slipped = reference_from(TEXT.replace(old, new, 1), "tables")
    [found] = set(doubts_found(slipped)) - set(doubts_found(load_reference()))
    assert found.kind == kind


def test_figures_in_two_tables_are_equal() -> None:
    for task in ("tsg/sgds", "tsg/sgqa", "tsg/sa-sgg", "tsg/ma-sgg"):
        seen: dict[tuple[str, str], float] = {}
        for figure in load_reference().figures(task, "zero-shot"):
            assert seen.setdefault((figure.model, figure.metric), figure.value) == figure.value


@pytest.mark.parametrize(
    ("old", "new", "match"),
    [
        ("GPT-4o: [96.40, 84.80,", "GPT-4o: [84.80,", "GPT-4o has 7 figures for 8 columns"),
        ("GPT-4o: [96.40,", "GPT-4o: [964.0,", "GPT-4o has a figure above 100"),
        ("model: Human", "model: Nobody", "has no .* of Nobody"),
        ("temperature: 0.1", "temprature: 0.1", "temp"),
    ],
)
def test_a_broken_file_of_tables_is_refused(old: str, new: str, match: str) -> None:
    with pytest.raises(UsageError, match=match):
        reference_from(TEXT.replace(old, new, 1), "tables")


def test_every_difference_is_said_in_words() -> None:
    row = replace(
        ROW,
        style="cot-few-shot",
        solver="vote:3",
        protocol_note="the published way asks once; solver vote:3 does not",
        parameters={"temperature": 0.7},
        unasked=1,
    )
    [beside] = against_published(Report((row,))).beside
    assert [text.partition(":")[0] for text in beside.differences] == [
        *("data", "n", "style", "protocol", "prompts", "temperature", "not finished")
    ]
    assert beside.style == "zero-shot"


@pytest.mark.parametrize(("style", "figure"), [("zero-shot", 0.848), ("cot", 0.90), ("few-shot", 0.844)])
def test_a_row_stands_beside_figures_of_its_own_style(style: str, figure: float) -> None:
    [beside] = against_published(Report((replace(ROW, style=style),))).beside
    [first] = {f.value for f in beside.figures if f.model == "GPT-4o"}
    assert first == figure
    assert not [text for text in beside.differences if text.startswith("style")]


def test_a_task_that_was_not_published_has_nothing_beside_it() -> None:
    assert against_published(Report((replace(ROW, kind="other"),))).beside == ()


def test_our_own_data_are_not_the_published_ones() -> None:
    assert not asks_published_data("sgqa", str(DATA / "sgqa.jsonl"), "tsg-bench")
    assert not asks_published_data("sgqa", "no/such/file", "tsg-bench")


def test_the_published_data_are_known_by_their_checksum(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for room in ("tasks/tsg", "prompts", "eval"):
        (tmp_path / room).mkdir(parents=True)
    data, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    data.write_text("{}\n")
    other.write_text("{} \n")
    known = (TASKS / "tsg" / "datasets.yaml").read_text().replace(SGQA, hashlib.sha256(data.read_bytes()).hexdigest())
    (tmp_path / "tasks/tsg/datasets.yaml").write_text(known)
    monkeypatch.chdir(tmp_path)
    assert asks_published_data("sgqa", str(data), "tsg-bench")
    assert not asks_published_data("sgqa", str(other), "tsg-bench")
    assert not asks_published_data("sgds", str(data), "tsg-bench")
    [beside] = against_published(Report((replace(ROW, data=str(data)),))).beside
    assert not [text for text in beside.differences if text.startswith("data")]


def test_only_metrics_that_are_shown_stand_beside_and_strict_ones_say_so() -> None:
    value = Value(0.5, 0.4, 0.6, 4.0)
    board = replace(ROW.board, profiles={"strict": {"f1": value}, "official": None})
    metrics = {"f1": METRICS["sa-sgg"]["f1"]}
    row = replace(ROW, kind="sa-sgg", task="tsg/sa-sgg", board=board, metrics=metrics, main="f1")
    text = terminal.write(against_published(Report((row,))))
    table = text[text.index("beside the published tables") :].splitlines()
    assert table[1].split() == ["subject", "way", "source", "n", "f1", *(f"hallucinated_{k}" for k in KINDS)]
    assert table[2].split() == [
        "openai/x",
        "zero-shot",
        "here",
        "4",
        "50.0",
        "[40.0,",
        "60.0]",
        "(strict)",
        "0",
        "0",
        "0",
    ]
