"""Tests of scoring replies and result rows that were collected elsewhere, with E1 and E2."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.replies import rounds_of_replies
from tsgkit.suites.spatialgen.rows import Row, rows_in, written

ROWS = list(rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl"))
TASK = SpatialGenTask(load_card("spatialgen/questions"))
REFUSED = "\n".join("E" * 10)
Value = Mapping[str, Any]


def right(row: Row, count: int = 10) -> str:
    """Return ten lines. The first ``count`` give the key, the others refuse."""
    return "\n".join(f"{key}: seen" for key in (*row.answers[:count], *"E" * (10 - count)))


def result(row: Row, *replies: str) -> dict[str, Any]:
    """Return the published code's result row of five replies."""
    found = official.result_row(row, official.asked(replies), f"{row.id}.png")
    assert found is not None
    return found


GOOD = result(ROWS[0], *[right(ROWS[0])] * 5)


def scored(folder: Path, values: Sequence[Value | str], rows: Sequence[Row] = ROWS[:4], **more: Any) -> ScoreReport:  # noqa: ANN401
    (folder / "rows.jsonl").write_text("".join(f"{written(row)}\n" for row in rows))
    lines = (value if isinstance(value, str) else json.dumps(value) for value in values)
    (folder / "replies.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return TASK.score_replies(str(folder / "rows.jsonl"), str(folder / "replies.jsonl"), **more)


def figure(report: ScoreReport, profile: str, metric: str = "accuracy") -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


def outcomes(report: ScoreReport) -> list[str]:
    return [str(one.outcome) for one in report.judged]


def test_five_rounds_of_every_item_are_scored_in_both_profiles(tmp_path: Path) -> None:
    report = scored(tmp_path, [{"item_id": row.id, "reply": [right(row, 7)] * 5} for row in ROWS[:4]])
    figures = [figure(report, profile) for profile in ("strict", "official")]
    assert [*figures, figure(report, "strict", "single_round")] == pytest.approx([0.7, 0.7, 0.7])
    assert (outcomes(report), report.notes) == (["answered"] * 4, ())
    rounds = [right(ROWS[0])] * 4 + [REFUSED], [right(ROWS[1])] * 3 + [REFUSED] * 2
    report = scored(tmp_path, [{"item_id": row.id, "reply": said} for row, said in zip(ROWS, rounds, strict=False)])
    for profile in ("strict", "official"):
        assert [one.scores[profile]["accuracy"].value for one in report.judged[:2]] == [1.0, 0.0], profile


def test_items_without_replies_are_wrong_in_strict_and_left_out_of_official(tmp_path: Path) -> None:
    report = scored(tmp_path, [{"item_id": ROWS[0].id, "reply": [right(ROWS[0])] * 5}])
    assert (figure(report, "strict"), figure(report, "official")) == (0.25, 1.0)
    assert outcomes(report) == ["answered", *["missing"] * 3]
    assert report.board.counts["skipped_official"] == 3
    named = f"({ROWS[1].id}, {ROWS[2].id}, {ROWS[3].id})"
    assert report.notes[0] == f"3 items without a reply {named}: wrong in strict"
    assert "(E1)" in report.notes[1]
    assert named in report.notes[1]


def test_official_takes_the_first_five_replies_of_ten_lines_and_strict_the_first_five_rounds(tmp_path: Path) -> None:
    assert rounds_of_replies(["no"] * 40) == tuple(range(5)) * 5
    good = right(ROWS[0])
    assert rounds_of_replies([good] * 6) == tuple(range(5))
    item = f"({ROWS[0].id})"
    few = f"1 item with fewer than 5 replies {item}"
    for replies, figures, note in (
        (["My answers:\n" + good] * 5, (1.0, None), f"1 item without five replies of ten lines {item}: "),
        ([good] * 4, (1.0, None), few),
        ([good] * 3, (0.0, None), few),
        ([REFUSED] * 5 + [good] * 5, (0.0, 0.0), f"1 item with more replies than are asked for {item}: those"),
        (["I see.", good, None, *[good] * 4], (1.0, 1.0), ""),
    ):
        report = scored(tmp_path, [{"item_id": ROWS[0].id, "reply": replies}], ROWS[:1])
        assert (figure(report, "strict"), figure(report, "official")) == figures, replies
        assert report.notes[0].startswith(note) if note else report.notes == (), replies
    assert report.judged[0].evidence["official"] == {"requests": 7, "rejected": 2, "right": [True] * 10}
    assert report.board.counts["replies_rejected"] == 2


def test_items_without_a_letter_end_as_their_replies_do(tmp_path: Path) -> None:
    lines: list[tuple[dict[str, Any], str]] = [
        ({"reply": None}, "empty"),
        ({"reply": []}, "empty"),
        ({"reply": ["", None]}, "empty"),
        ({"reply": "I cannot see it."}, "unreadable"),
        ({"reply": None, "outcome": "refused"}, "refused"),
        ({"reply": ["B"], "outcome": "truncated"}, "truncated"),
        ({"reply": [None] * 5, "outcome": "api_error"}, "api_error"),
    ]
    for line, outcome in lines:
        report = scored(tmp_path, [{"item_id": ROWS[0].id, **line}], ROWS[:1])
        figures = figure(report, "strict"), figure(report, "official")
        assert (outcomes(report), figures) == ([outcome], (0.0, None)), line
    for outcome in ("truncated", "refused", "api_error"):  # zero in strict whatever text came with it
        line = {"item_id": ROWS[0].id, "reply": [right(ROWS[0])] * 5, "outcome": outcome}
        report = scored(tmp_path, [line], ROWS[:1])
        figures = figure(report, "strict"), figure(report, "official")
        assert (outcomes(report), figures) == ([outcome], (0.0, 1.0))
        assert report.judged[0].counts["skipped_official"] == 0


def test_result_rows_give_the_figures_of_the_published_script(tmp_path: Path) -> None:
    rows = [result(row, *[right(row, 3 * number)] * 5) for number, row in enumerate(ROWS[:4])]
    report, table = scored(tmp_path, rows), official.table(rows)
    assert table is not None
    assert (figure(report, "official"), figure(report, "official", "spatial")) == (table.overall, table.spatial)
    assert {name: figure(report, "official", name.lower()) for name in table.columns} == table.columns
    assert figure(report, "strict") == pytest.approx((0 + 3 + 6 + 9) / 40)
    assert report.notes == ()


def test_e1_items_without_a_result_row_are_left_out_of_official_and_named(tmp_path: Path) -> None:
    report = scored(tmp_path, [result(row, *[right(row)] * 5) for row in ROWS[:8]], ROWS[:15])
    assert [figure(report, profile) for profile in ("strict", "official")] == pytest.approx([8 / 15, 1.0])
    named = ", ".join(row.id for row in ROWS[8:13])
    assert report.notes == (
        f"7 items without a result row ({named} and 2 more): official leaves them out, as the published script does "
        "(E1); wrong in strict",
    )
    assert report.judged[-1].notes[0] == "there is no result row"


def test_e2_an_item_with_two_result_rows_counts_twice_in_official_and_by_its_last_in_strict(tmp_path: Path) -> None:
    first, second = ROWS[:2]
    rows = [result(first, *[REFUSED] * 5), result(second, *[REFUSED] * 5), result(first, *[right(first)] * 5)]
    report, table = scored(tmp_path, rows, ROWS[:2]), official.table(rows)
    assert table is not None
    assert (figure(report, "official"), figure(report, "strict")) == (table.overall, 0.5)
    assert table.overall == pytest.approx(0.333)
    assert report.board.n == 2
    assert report.notes == (
        f"1 item with several result rows ({first.id}): official counts every row (E2), strict the last one of an item",
    )
    assert report.judged[0].evidence["official"]["rows"] == 2


def test_odd_result_rows_are_noted(tmp_path: Path) -> None:
    report = scored(tmp_path, [GOOD | {"questions": ["Where?"] * 10}], ROWS[:1])
    named = f"1 item with other questions in their rows than in the data ({ROWS[0].id})"
    assert report.notes == (f"{named}: their letters may mean other options",)
    rows = [json.dumps(result(row, *[right(row)] * 5)) for row in ROWS[:2]]
    report = scored(tmp_path, [rows[0][:40], rows[0], rows[1][:-20]], ROWS[:2])
    assert (figure(report, "strict"), figure(report, "official")) == (0.5, 1.0)
    left_out = "is not JSON: left out, as the published script does"
    assert report.notes[-2:] == (f"line 1 {left_out}", f"line 3 {left_out}")
    stored = dict(GOOD)
    mended = replace(ROWS[0], answers=("A" if ROWS[0].answers[0] != "A" else "B", *ROWS[0].answers[1:]))
    report = scored(tmp_path, [stored], [mended])
    assert (figure(report, "strict"), figure(report, "official")) == (0.9, 1.0), "each takes the keys of its own file"
    assert "other answers in their rows than in the data" in report.notes[0]
    del stored["answers"], stored["questions"]
    assert figure(scored(tmp_path, [stored], [mended]), "official") == 0.9


BROKEN: list[tuple[list[Any], str]] = [
    ([{"item_id": "7", "reply": "A"}], "line 1: the data have no item 7"),
    ([{"item_id": ROWS[0].id, "reply": "A"}] * 2, f"line 2: a second reply to item {ROWS[0].id}"),
    ([{"item_id": ROWS[0].id, "reply": {"1": "A"}}], "line 1: not a reply: reply: expected a string, a list of str"),
    ([{"item_id": ROWS[0].id, "reply": ["A", 3]}], "line 1: not a reply: reply: .* found a number in the list"),
    (['{"item_id"'], "line 1: broken JSON"),
    ([GOOD, {**GOOD, "id": "7"}], "line 2: the data have no item 7"),
    ([GOOD, {"item_id": "1", "reply": "A"}], "line 2: not a result row: id: Field required"),
    ([GOOD, [1]], "line 2: not a result row but a list of 1"),
    ([GOOD | {"model_preds_cot": [["A"] * 10] * 4}], "model_preds_cot: expected 5 rounds, found 4"),
    ([GOOD | {"model_preds_cot": [["A"] * 10] * 4 + [["A"] * 9]}], r"round 4 does not have 10 lines"),
    ([GOOD | {"model_preds_cot": [["A"] * 10] * 4 + [["A"] * 9 + [" "]]}], r"round 4 does not have 10 lines"),
    ([GOOD | {"answers": ["A"]}], r"line 1: not a result row: answers: .* at least 10 items"),
]


def test_files_that_cannot_be_scored_are_refused_by_line_and_field(tmp_path: Path) -> None:
    for lines, message in BROKEN:
        with pytest.raises(UsageError, match=f"replies.jsonl: .*{message}"):
            scored(tmp_path, lines)


def test_score_command_takes_replies_and_result_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError, match="in the published protocol, not in cot"):
        scored(tmp_path, [], style="cot")
    with pytest.raises(UsageError, match="there is no group k"):
        scored(tmp_path, [], by=("k",))
    assert scored(tmp_path, [], style="published", by=("group",)).board.counts["missing"] == 4
    rows = [result(row, *[right(row)] * 5) for row in ROWS[1:]]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = ("--data", str(TASKS / "spatialgen" / "data" / "questions.jsonl"), "--by", "scene", "--json", "--samples")
    words = ("score", "--task", "spatialgen/questions", "--replies", str(tmp_path / "results.jsonl"))
    assert main([*words, *data]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["task"], found["n"]) == ("spatialgen/questions", len(ROWS))
    assert found["profiles"]["official"]["accuracy"]["value"] == 1.0
    assert found["profiles"]["strict"]["accuracy"]["value"] == pytest.approx(1 - 1 / len(ROWS))
    assert (found["samples"][0]["outcome"], next(iter(found["by"]["scene"]))) == ("missing", ROWS[0].scene)
    assert "(E1)" in found["notes"][0]
