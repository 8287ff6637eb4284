"""All formats tell the same figures, each with what it rests on; what is not known stays so."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from model_server import model_server
from reported import ROW, baseline_run

from tsgkit.errors import UsageError
from tsgkit.report import json_value, junit, latex, markdown, spreadsheet, summary, terminal
from tsgkit.report.formats import FORMATS, write
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import Report, gather
from tsgkit.report.terminal import Screen
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan

REPORT = Report((ROW,))


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    run = baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sa-sgg", limit=30)
    return against_published(gather([run], ("k",), metrics="headline"))


def test_every_figure_of_the_csv_stands_in_the_json_and_rounded_in_the_tables(report: Report) -> None:
    value = json.loads(json_value.write(report))
    lines = [line for line in csv.DictReader(io.StringIO(spreadsheet.write(report))) if line["kind"] == "metric"]
    texts = terminal.write(report), markdown.write(report), latex.write(report).replace("{[}", "[")
    assert len(lines) >= 2 * 2 * (1 + 3)
    for line in lines:
        row = next(r for r in value["rows"] if (r["subject"], r["task"]) == (line["subject"], line["task"]))
        board = row["by"][line["group"]][line["member"]] if line["group"] else row
        found = board["profiles"][line["profile"]][line["metric"]]
        assert {name: line[name] for name in found} == {n: "" if v is None else repr(v) for n, v in found.items()}
        assert line["items"] == str(board["n"])
        shown = f"{100 * found['value']:.1f}"
        around = "" if found["low"] is None else f"{100 * found['low']:.1f}"
        for text in texts:
            assert any(shown in one and around in one and f"{found['n']:.0f}" in one for one in text.splitlines())


def test_every_number_for_people_has_its_interval_and_n() -> None:
    board = replace(ROW.board, profiles={"strict": ROW.board.profiles["strict"], "official": None})
    text = terminal.write(Report((replace(ROW, board=board),)))
    row = next(line for line in text.splitlines() if "exact_match" in line)
    assert row.split() == ["openai/x", "zero-shot", "exact_match", "more", "12.3", "[5.1,", "25.0]", "4", "-", "-", "-"]


def test_unknown_values_stay_unknown_in_every_format() -> None:
    for text in (terminal.write(REPORT), markdown.write(REPORT)):
        assert text.count("(unknown)") == 3
    assert "tokens in, tokens out, cost: (unknown)" in latex.write(REPORT)
    usage = [line for line in csv.DictReader(io.StringIO(spreadsheet.write(REPORT))) if line["kind"] == "usage"]
    assert {line["metric"]: line["value"] for line in usage}["cost"] == "(unknown)"
    assert json.loads(json_value.write(REPORT))["rows"][0]["usage"]["cost"] is None
    assert "(unknown)" in summary.write(REPORT)


def test_a_server_that_tells_no_usage_leaves_it_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    with model_server(usage=None) as server:
        plan = Plan(tasks=("tsg/sgds",), models=("openai/x",), model_args=(f"api_base={server.base}",), limit=3)
        run = evaluate(plan, Options(out=tmp_path / "run")).path
    report = against_published(gather([run]))
    [row] = report.rows
    assert row.usage is not None
    assert (row.usage["calls"], row.usage["prompt_tokens"], row.usage["cost"]) == (3, None, None)
    assert terminal.write(report).count("(unknown)") == 3
    assert row.parameters is not None
    assert "prompts: the same requests in our wording" in report.beside[0].differences


def test_a_value_that_is_known_of_some_calls_says_at_least() -> None:
    usage = {**(ROW.usage or {}), "prompt_tokens": 1200, "calls_without_usage": 1, "cost": 0.5}
    text = terminal.write(Report((replace(ROW, usage=usage),)))
    assert "at least 1,200" in text
    assert "at least $0.5000" in text


def test_the_share_of_cached_input_is_shown_where_a_service_says_it() -> None:
    usage = {**(ROW.usage or {}), "prompt_tokens": 1200, "cached_tokens": 300, "cached_input": 0.25}
    silent = replace(ROW, subject="openai/y")
    text = terminal.write(Report((replace(ROW, usage=usage), silent)), Screen(width=200))
    assert "cached input" in text
    assert "25.0 %" in text
    assert "cached input" not in terminal.write(Report((silent,)), Screen(width=200))


def test_a_missing_value_says_why_in_the_spreadsheet() -> None:
    board = replace(
        ROW.board, profiles=ROW.board.profiles | {"official": None}, reasons={"official": "asked otherwise"}
    )
    lines = csv.DictReader(io.StringIO(spreadsheet.write(Report((replace(ROW, board=board),)))))
    [line] = [line for line in lines if line["profile"] == "official"]
    assert (line["value"], line["reason"]) == ("", "asked otherwise")


def test_two_runs_are_told_apart() -> None:
    text = terminal.write(Report((ROW, replace(ROW, run="runs/b"))))
    assert "runs/a  openai/x" in text
    assert "runs/b  openai/x" in text


def test_hallucinations_are_counted_by_element_and_by_item() -> None:
    counts = {"hallucinated_total": 5, "hallucinated_desc": 3, "hallucinated_new": 2, "hallucinating_items": 2}
    board = replace(ROW.board, counts=ROW.board.counts | counts | {"hallucinating_items_desc": 1})
    row = replace(ROW, kind="sa-sgg", task="tsg/sa-sgg", measured=("f1", "hallucinated", "hallucinating"), board=board)
    text = terminal.write(Report((row,)))
    table = text[text.index("elements outside L") :].splitlines()
    assert table[1].split() == [
        "task",
        "subject",
        "way",
        "n",
        "total",
        "desc",
        "new",
        "items",
        "total",
        "items",
        "desc",
        "items",
        "new",
    ]
    assert table[2].split() == ["tsg/sa-sgg", "openai/x", "zero-shot", "4", "5", "3", "2", "2", "1", "0"]
    assert "elements outside L" not in terminal.write(REPORT)


def test_junit_tells_failures_from_errors() -> None:
    from xml.etree import ElementTree

    from tsgkit.runs.gates import Gate

    rows = (ROW, replace(ROW, unasked=2), replace(ROW, subject="good"))
    text = junit.write(Report(rows), [Gate("tsg/sgqa", "exact_match", 0.5)])
    tree = ElementTree.fromstring(text)  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("3", "2", "1")
    assert [[child.tag for child in case] for case in tree.iter("testcase")] == [
        ["failure", "system-out"],
        ["error", "system-out"],
        ["failure", "system-out"],
    ]


def test_a_format_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no format word"):
        write(REPORT, "word")
    assert all(write(REPORT, name) for name in FORMATS if name != "html")
