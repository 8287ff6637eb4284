"""One item explained: what was sent and read, why it scored as it did, what was never asked, and the page of it."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from page_tables import Tables, empty_columns
from pages import Page
from report_runs import RIGHT, recorded
from suite_runs import stored

from tsgkit.errors import UsageError
from tsgkit.report.differences import told
from tsgkit.report.explanation import explain, explanation_value
from tsgkit.report.explanation_page import write_explanation
from tsgkit.runs.evaluation import Options, carry_out
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

WRONG = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose items have one graph of two, three of two, and a reply that was cut."""
    replies = {"two": RIGHT, "three": "\n\n".join([RIGHT] * 3), "four": (RIGHT, "truncated")}
    return recorded(tmp_path_factory.mktemp("several"), "ma-sgg", replies)


def test_every_triplet_of_both_graphs_is_told_with_its_kind_and_drawn_and_explaining_writes_nothing(
    tmp_path: Path,
) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": WRONG})
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in run.rglob("*") if file.is_file()}
    explanation = explain(run, "one")
    assert {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in run.rglob("*") if file.is_file()} == before
    row = explanation.rows[0]
    [asked] = row.asked
    assert [message.role for message in asked.messages] == ["user"]
    assert "She washes it." in asked.messages[0].content
    assert (asked.reply.text, asked.readings.why) == (WRONG, ())
    assert [(line.kind, line.words, line.outside) for line in told(row.graphs[0])] == [
        ("matched", "person -> verb -> wash", ()),
        ("reversed", "cup -> dobj -> wash, expected wash -> dobj -> cup", ()),
        ("wrong hand", "wash -> with -> hand2, expected wash -> with -> hand1", ()),
        ("extra", "wash -> on -> moon", ("moon", "on")),
    ]
    assert row.judged.scores["strict"]["f1"].reason.startswith("1 graphs for 1")
    value = json.loads(json.dumps(explanation_value(explanation)))["rows"][0]
    assert set(value["scores"]) == {"strict", "official"}
    assert value["graphs"][0]["changes"][0]["kind"] == "reversed"
    assert value["calls"][0]["reply"]["text"] == WRONG
    source = write_explanation(explanation)
    assert "<h1>Item one: From a sentence to the graph of its one action</h1>" in source
    assert "only in the answer" in source and "only in the reference" not in source
    drawn = re.findall(r"<figure>.*?</figure>", source, re.DOTALL)
    colours = {colour for svg in drawn for colour in re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg)}
    dark = source.split("@media screen and (prefers-color-scheme: dark)")[1]
    assert colours and all(f'"{colour}"' in dark for colour in colours)


def test_a_missing_and_a_surplus_graph_are_told_whole(run: Path) -> None:
    explanation = explain(run, "two")
    missing = explanation.rows[0].graphs
    assert [graph.summary for graph in missing] == ["3 matched", "missing"]
    assert {line.kind for line in told(missing[1])} == {"missing"}
    [why] = explanation.rows[0].asked[0].readings.why
    assert why.startswith("official scores 1 of 2 graphs wanted")
    source = write_explanation(explanation)
    assert "there is no graph" in source
    assert source.count('class="sides"') == source.count("<figcaption>reference</figcaption>") == 2
    assert source.count("<figcaption>answer</figcaption>") == 2 and source.count("Legend of the graphs") == 1
    surplus = explain(run, "three").rows[0].graphs
    assert surplus[2].reference is None
    assert {line.kind for line in told(surplus[2])} == {"extra"}
    cut = explain(run, "four").rows[0]
    assert cut.judged.outcome == "truncated"
    assert cut.asked[0].readings.why[0].startswith("the reply ended as truncated")


def test_two_readings_that_differ_say_why(tmp_path: Path) -> None:
    bullets = "\n".join(f"- {line}" for line in RIGHT.split("\n"))
    [asked] = explain(recorded(tmp_path / "g", "sa-sgg", {"one": bullets}), "one").rows[0].asked
    assert asked.readings.why == (
        "graph 0: strict reads person -> verb -> wash, official - person -> verb -> wash (3 triplets differ)",
    )
    assert [note.kind for note in asked.readings.notes] == ["repaired"] * 3
    for number, (task, item, reply, strict, official) in enumerate(
        (
            ("sgds", "s", "A good one is\n[B]", "B", "A"),
            ("sgqa", "q/0", "First the [lid].\nFinal answer: [cup]", "cup", "lid"),
            ("sgqa", "q/0", "I do not know", None, "i do not know"),
        )
    ):
        readings = explain(recorded(tmp_path / str(number), task, {item: reply}), item).rows[0].asked[0].readings
        assert (readings.strict, readings.official) == (strict, official), reply
        assert readings.why, reply


def test_the_page_marks_where_the_answer_stands(tmp_path: Path) -> None:
    graphs = (
        "<think>wash -> dobj -> lid</think>No wash -> in -> sink.\r\nFinal graph:\r\n- **person** → verb → wash\r\n"
        "- wash → dobj → cup; wash → with → hand1"
    )
    for number, (task, item, reply, marked) in enumerate(
        (
            ("sgqa", "q/0", "<think>the lid?</think>\r\nIt is the **cup**, <b>I</b> think.", ["cup"]),
            ("sgds", "s", "Option A is wrong.\nTherefore, the answer is (B).", ["B"]),
            ("sgqa", "q/0", "I cannot tell.", []),
            ("sa-sgg", "one", graphs, ["person** → verb → wash", "wash → dobj → cup", "wash → with → hand1"]),
        )
    ):
        explanation = explain(recorded(tmp_path / str(number), task, {item: reply}), item)
        [[asked]] = [row.asked for row in explanation.rows]
        assert [reply[start:end] for start, end in asked.readings.spans] == marked
        page = write_explanation(explanation)
        assert [unescape(words) for words in re.findall(r"<mark>(.*?)</mark>", page)] == marked
        assert "<b>I</b>" not in page


def test_items_that_were_not_asked_say_why_and_whether_they_count(run: Path, tmp_path: Path) -> None:
    chosen = recorded(tmp_path / "chosen", "ma-sgg", {"two": RIGHT}, first=1)
    data = json.loads((chosen / "run.json").read_text(encoding="utf-8"))["data"]["tsg/ma-sgg"]
    row = explain(chosen, "four", data=data).rows[0]
    assert row.asked == () and not row.is_counted
    assert "not among the items chosen" in row.unasked
    with pytest.raises(UsageError, match="no item four was asked in this run") as problem:
        explain(chosen, "four")
    assert "--data" in problem.value.hint
    whole = recorded(tmp_path / "whole", "ma-sgg", {"two": RIGHT, "three": None, "four": RIGHT})
    assert explain(whole, "three").rows[0].judged.outcome == "empty"
    for name in ("calls.jsonl", "samples.jsonl"):
        file = whole / name
        file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
    row = explain(whole, "four").rows[0]
    assert row.judged.outcome == "missing"
    assert row.unasked.startswith("not asked yet")


def test_rows_are_narrowed_by_what_tells_them_apart_and_unknown_items_and_parts_hint_at_the_nearest(
    tmp_path: Path,
) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT}, styles=["zero-shot", "cot"], repeat=2)
    whole = explain(run, "two")
    assert len(whole.rows) == 4
    assert whole.narrowing == ("--style zero-shot|cot", "--repeat 0|1")
    [row] = explain(run, "two", task="ma-sgg", style="cot", repeat=1).rows
    assert (row.cell.style, row.cell.repeat) == ("cot", 1)
    with pytest.raises(UsageError, match="no item thre") as caught:
        explain(run, "thre")
    assert caught.value.hint == "three?"
    with pytest.raises(UsageError, match="no style zero-shto") as caught:
        explain(run, "two", style="zero-shto")
    assert caught.value.hint == "zero-shot?"


def test_votes_show_every_draw_and_a_record_that_is_judged_otherwise_today_is_noted(tmp_path: Path) -> None:
    row = explain(recorded(tmp_path / "votes", "sgds", {"s": "[B]"}, solvers=["vote:3"]), "s").rows[0]
    assert [asked.draw for asked in row.asked] == [0, 1, 2]
    assert all("asks once" in asked.readings.not_official for asked in row.asked)
    assert "asks once" in row.unpublished
    run = recorded(tmp_path, "sgds", {"s": "[B]"})
    file = run / "samples.jsonl"
    record = json.loads(file.read_text())
    record["parts"]["strict"]["accuracy"] = [0.0, 1.0]
    file.write_text(json.dumps(record) + "\n")
    assert explain(run, "s").rows[0].changed == "strict accuracy was 0.000, is 1.000"
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(tmp_path / "sgds.jsonl"))
    carry_out(prepare(plan), Options(out=tmp_path / "baseline"), Watch())
    explanation = explain(tmp_path / "baseline", "s")
    assert explanation.rows[0].asked[0].messages == ()
    assert "No model was asked." in write_explanation(explanation)


def test_layouts_rooms_and_images_are_drawn_beside_their_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = stored(tmp_path, "formalimg/layout")
    lines = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    item = next(line["item_id"] for line in lines if line["outcome"] == "answered" and line["answer"])
    source = write_explanation(explain(run, item))
    assert '<div class="room"><figure>' in source
    assert any(rows[0][:2] == ["label", "color"] for rows in Tables(source).tables)
    assert empty_columns(source) == []
    run = stored(tmp_path, "sceneeval/rules")
    monkeypatch.chdir(run.parent)
    text = Page(write_explanation(explain(run, "1"))).text
    assert "from above, as measured by rules" in text
    assert "Not plausible: one object hangs in the air; one door is blocked" in text
    assert '{"found"' not in text
    run = stored(tmp_path, "spatialgen/judged")
    monkeypatch.chdir(run.parent)
    source = write_explanation(explain(run, "000002"))
    assert 'href="data:image/jpeg;base64,' in source
    assert any("right answer" in rows[0] for rows in Tables(source).tables)
