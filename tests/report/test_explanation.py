"""One item explained: what was sent and read, why it scored as it did, and what was never asked."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest
from report_runs import RIGHT, ROWS, recorded

from tsgkit.errors import UsageError
from tsgkit.report.differences import told
from tsgkit.report.explanation import explain, explanation_value
from tsgkit.report.explanation_page import write_explanation
from tsgkit.runs.evaluation import Options, carry_out
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

WRONG = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"


def test_the_messages_are_those_that_were_sent(tmp_path: Path) -> None:
    row = explain(recorded(tmp_path, "sa-sgg", {"one": RIGHT}), "one").rows[0]
    [asked] = row.asked
    assert [message.role for message in asked.messages] == ["user"]
    assert "She washes it." in asked.messages[0].content
    assert asked.reply.text == RIGHT


def test_every_triplet_of_both_graphs_is_told_with_its_kind(tmp_path: Path) -> None:
    row = explain(recorded(tmp_path, "sa-sgg", {"one": WRONG}), "one").rows[0]
    lines = [(line.kind, line.words, line.outside) for line in told(row.graphs[0])]
    assert lines == [
        ("matched", "person -> verb -> wash", ()),
        ("reversed", "cup -> dobj -> wash, expected wash -> dobj -> cup", ()),
        ("wrong hand", "wash -> with -> hand2, expected wash -> with -> hand1", ()),
        ("extra", "wash -> on -> moon", ("moon", "on")),
    ]
    assert row.judged.scores["strict"]["f1"].reason.startswith("1 graphs for 1")


def test_a_missing_and_a_surplus_graph_are_told_whole(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT, "three": "\n\n".join([RIGHT] * 3)})
    missing = explain(run, "two").rows[0].graphs
    assert [graph.summary for graph in missing] == ["3 matched", "missing"]
    assert {line.kind for line in told(missing[1])} == {"missing"}
    surplus = explain(run, "three").rows[0].graphs
    assert surplus[2].reference is None
    assert {line.kind for line in told(surplus[2])} == {"extra"}


def test_two_readings_that_differ_say_why(tmp_path: Path) -> None:
    bullets = "\n".join(f"- {line}" for line in RIGHT.split("\n"))
    row = explain(recorded(tmp_path, "sa-sgg", {"one": bullets}), "one").rows[0]
    [asked] = row.asked
    assert asked.readings.why == (
        "graph 0: strict reads person -> verb -> wash, official - person -> verb -> wash (3 triplets differ)",
    )
    assert [note.kind for note in asked.readings.notes] == ["repaired"] * 3


def test_readings_that_agree_say_nothing(tmp_path: Path) -> None:
    assert explain(recorded(tmp_path, "sa-sgg", {"one": RIGHT}), "one").rows[0].asked[0].readings.why == ()


def test_graphs_that_official_forgets_are_told(tmp_path: Path) -> None:
    [why] = explain(recorded(tmp_path, "ma-sgg", {"two": RIGHT}), "two").rows[0].asked[0].readings.why
    assert why.startswith("official scores 1 of 2 graphs wanted")


@pytest.mark.parametrize(
    ("task", "item", "reply", "strict", "official"),
    [
        ("sgds", "s", "A good one is\n[B]", "B", "A"),
        ("sgqa", "q/0", "First the [lid].\nFinal answer: [cup]", "cup", "lid"),
        ("sgqa", "q/0", "I do not know", None, "i do not know"),
    ],
)
def test_words_and_letters_are_read_twice(
    tmp_path: Path, task: str, item: str, reply: str, strict: str | None, official: str
) -> None:
    readings = explain(recorded(tmp_path, task, {item: reply}), item).rows[0].asked[0].readings
    assert (readings.strict, readings.official) == (strict, official)
    assert readings.why


@pytest.mark.parametrize(
    ("task", "reply", "marked"),
    [
        ("sgqa", "<think>the lid?</think>\r\nIt is the **cup**, <b>I</b> think.", ["cup"]),
        ("sgds", "Option A is wrong.\nTherefore, the answer is (B).", ["B"]),
        ("sgqa", "I cannot tell.", []),
        ("sa-sgg", RIGHT, RIGHT.split("\n")),
        (
            "sa-sgg",
            "<think>wash -> dobj -> lid</think>No wash -> in -> sink.\r\nFinal graph:\r\n- **person** → verb → wash\r\n"
            "- wash → dobj → cup; wash → with → hand1",
            ["person** → verb → wash", "wash → dobj → cup", "wash → with → hand1"],
        ),
    ],
)
def test_the_page_marks_where_the_answer_stands(tmp_path: Path, task: str, reply: str, marked: list[str]) -> None:
    item = {"sgqa": "q/0", "sgds": "s"}.get(task, "one")
    explanation = explain(recorded(tmp_path, task, {item: reply}), item)
    [[asked]] = [row.asked for row in explanation.rows]
    assert [reply[start:end] for start, end in asked.readings.spans] == marked
    page = write_explanation(explanation)
    assert [unescape(words) for words in re.findall(r"<mark>(.*?)</mark>", page)] == marked
    assert "<b>I</b>" not in page


def test_a_reply_without_an_answer_says_how_it_ended(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": (RIGHT, "truncated"), "three": None})
    cut = explain(run, "two").rows[0]
    assert cut.judged.outcome == "truncated"
    assert cut.asked[0].readings.why[0].startswith("the reply ended as truncated")
    assert explain(run, "three").rows[0].judged.outcome == "empty"


def test_an_item_that_was_not_chosen_says_so_and_does_not_count(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT}, first=1)
    data = json.loads((run / "run.json").read_text(encoding="utf-8"))["data"]["tsg/ma-sgg"]
    row = explain(run, "four", data=data).rows[0]
    assert row.asked == ()
    assert not row.is_counted
    assert "not among the items chosen" in row.unasked
    with pytest.raises(UsageError, match="no item four was asked in this run") as problem:
        explain(run, "four")
    assert "--data" in problem.value.hint


def test_an_item_nobody_got_to_counts_as_missing(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT, "three": RIGHT, "four": RIGHT})
    for name in ("calls.jsonl", "samples.jsonl"):
        file = run / name
        file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
    row = explain(run, "four").rows[0]
    assert row.judged.outcome == "missing"
    assert row.unasked.startswith("not asked yet")


def test_an_unknown_item_hints_at_the_nearest(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT})
    with pytest.raises(UsageError, match="no item thre") as caught:
        explain(run, "thre")
    assert caught.value.hint == "three?"


def test_a_part_that_no_row_has_is_refused_with_a_hint(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT})
    with pytest.raises(UsageError, match="no style zero-shto") as caught:
        explain(run, "two", style="zero-shto")
    assert caught.value.hint == "zero-shot?"


def test_rows_are_narrowed_by_what_tells_them_apart(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT}, styles=["zero-shot", "cot"], repeat=2)
    whole = explain(run, "two")
    assert len(whole.rows) == 4
    assert whole.narrowing == ("--style zero-shot|cot", "--repeat 0|1")
    [row] = explain(run, "two", task="ma-sgg", style="cot", repeat=1).rows
    assert (row.cell.style, row.cell.repeat) == ("cot", 1)


def test_votes_show_every_draw_and_have_no_official_reading(tmp_path: Path) -> None:
    row = explain(recorded(tmp_path, "sgds", {"s": "[B]"}, solvers=["vote:3"]), "s").rows[0]
    assert [asked.draw for asked in row.asked] == [0, 1, 2]
    assert all("asks once" in asked.readings.not_official for asked in row.asked)
    assert "asks once" in row.unpublished


def test_a_record_that_today_s_reader_judges_otherwise_is_noted(tmp_path: Path) -> None:
    run = recorded(tmp_path, "sgds", {"s": "[B]"})
    file = run / "samples.jsonl"
    record = json.loads(file.read_text())
    record["parts"]["strict"]["accuracy"] = [0.0, 1.0]
    file.write_text(json.dumps(record) + "\n")
    assert explain(run, "s").rows[0].changed == "strict accuracy was 0.000, is 1.000"


def test_explanation_of_a_baseline_says_that_no_model_was_asked(tmp_path: Path) -> None:
    data = tmp_path / "sgds.jsonl"
    data.write_text(json.dumps(ROWS["sgds"][0]) + "\n")
    plan = Plan.model_validate({"tasks": ["tsg/sgds"], "models": ["baseline/rules"], "data": str(data)})
    carry_out(prepare(plan), Options(out=tmp_path / "run"), Watch())
    explanation = explain(tmp_path / "run", "s")
    assert explanation.rows[0].asked[0].messages == ()
    assert "No model was asked." in write_explanation(explanation)


def test_explaining_writes_nothing(tmp_path: Path) -> None:
    run = recorded(tmp_path, "sgds", {"s": "[B]"})
    before = {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in run.rglob("*") if file.is_file()}
    explain(run, "s")
    assert {file: (file.read_bytes(), file.stat().st_mtime_ns) for file in run.rglob("*") if file.is_file()} == before


def test_the_json_value_is_json_and_holds_both_profiles(tmp_path: Path) -> None:
    value = json.loads(json.dumps(explanation_value(explain(recorded(tmp_path, "sa-sgg", {"one": WRONG}), "one"))))
    [row] = value["rows"]
    assert set(row["scores"]) == {"strict", "official"}
    assert row["graphs"][0]["changes"][0]["kind"] == "reversed"
    assert row["calls"][0]["reply"]["text"] == WRONG
