"""``tsgkit agree``: a judge beside people, beside another judge, beside itself; what people disagree on is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.scoring.agreement import balanced_accuracy, cohens_kappa
from tsgkit.suites.spatialgen.rows import rows_in

Captured = pytest.CaptureFixture[str]
ROWS = {row.id: row for row in rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl")}
IDS = list(ROWS)[:6]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def a_run(name: str, *models: str, task: str = "spatialgen/questions") -> None:
    words = [word for model in models for word in ("--model", model)]
    assert main(["eval", "--task", task, *words, "--ids", *IDS, "--out", name, "--quiet"]) == 0


def agreed(capsys: Captured, *words: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["agree", *words, "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["rows"]
    return rows


def measure(row: dict[str, Any], name: str, on: str = "right or wrong", kind: str | None = None) -> dict[str, Any]:
    found: list[dict[str, Any]] = [
        one for one in row["measures"] if (one["measure"], one["on"], one["kind"]) == (name, on, kind)
    ]
    return found[0]


def write(*rows: dict[str, Any]) -> None:
    Path("people.jsonl").write_text("\n".join(map(json.dumps, rows)))


def test_questions_of_an_item_that_ended_in_an_error_are_wrong_and_have_no_label(capsys: Captured) -> None:
    a_run("run", "baseline/constant:C")
    file = Path("run/samples.jsonl")
    first, *others = map(json.loads, file.read_text().splitlines())
    ended = {"outcome": "error", "error": "ValueError", "answer": None, "evidence": None}
    file.write_text("".join(json.dumps(line) + "\n" for line in (first | ended, *others)))
    write(
        {"item_id": f"{IDS[0]}/0", "rater": "ann", "label": "C"},
        {"item_id": f"{IDS[1]}/0", "rater": "ann", "label": "C"},
    )
    (row,) = agreed(capsys, "run", "--human", "people.jsonl")
    assert row["measures"]
    assert main(["audit", "--run", "run"]) == 0


def test_a_judge_is_held_against_the_majority_and_ties_are_dropped(capsys: Captured) -> None:
    a_run("run", "baseline/constant:C")
    ratings, truth = [], {}
    for item in IDS:
        for number in range(10):
            votes = [True, number % 3 == 0, number % 2 == 0, *([False] if number == 1 else [])]
            ratings += [
                {"item_id": item, "question": number, "rater": f"r{n}", "right": vote} for n, vote in enumerate(votes)
            ]
            if 2 * sum(votes) != len(votes):
                truth[item, number] = "right" if 2 * sum(votes) > len(votes) else "wrong"
    write(*ratings, {"item_id": "999999", "question": 0, "rater": "r0", "right": True})
    [row] = agreed(capsys, "run", "--human", "people.jsonl")
    judge = {(item, number): "right" if ROWS[item].answers[number] == "C" else "wrong" for item, number in truth}
    assert (row["questions"], row["rated"], row["elsewhere"], row["ties"]) == (60, 60, 1, 60 - len(truth))
    assert measure(row, "balanced accuracy")["value"] == pytest.approx(balanced_accuracy(judge, truth).value)
    assert measure(row, "Cohen's kappa")["value"] == pytest.approx(cohens_kappa(judge, truth).value)
    by_kind = {one["kind"] for one in row["measures"]}
    assert by_kind == {None, "Foundation", "Perception", "Reasoning", "Interaction"}
    assert {one["between"] for one in row["measures"] if "alpha" in one["measure"]} == {"people", "judge and people"}


def test_labels_are_compared_as_they_are_and_as_right_or_wrong(capsys: Captured) -> None:
    a_run("run", "baseline/constant:C")
    write(
        *(
            {"item_id": f"{item}/{n}", "rater": "ann", "label": key}
            for item in IDS
            for n, key in enumerate(ROWS[item].answers)
        )
    )
    [row] = agreed(capsys, "run", "--human", "people.jsonl")
    assert measure(row, "balanced accuracy", "answers")["value"] == pytest.approx(0.25)
    assert measure(row, "balanced accuracy")["value"] is None
    assert "every rating is 'right'" in measure(row, "balanced accuracy")["reason"]
    assert main(["agree", "run", "--human", "people.jsonl"]) == 0
    out = capsys.readouterr().out
    assert "60 of them rated by people; 0 ties dropped" in out and "no value: every rating is 'right'" in out


def test_two_judges_are_compared_where_they_judged_the_same(capsys: Captured) -> None:
    a_run("one", "baseline/random")
    a_run("other", "baseline/random")
    [row] = agreed(capsys, "one", "--with", "other")
    assert measure(row, "Krippendorff's alpha", "answers")["value"] in (1.0, None)
    a_run("longest", "baseline/longest")
    assert main(["agree", "one", "--with", "longest"]) == 2
    assert "no subject, task and item is in both runs" in capsys.readouterr().err


def test_rounds_of_a_judge_agree_more_or_less_with_each_other(capsys: Captured) -> None:
    a_run("sure", "baseline/longest")
    a_run("guessing", "baseline/random")
    values = [
        measure(row, "Krippendorff's alpha", "answers")["value"]
        for name in ("sure", "guessing")
        for row in agreed(capsys, name)
    ]
    assert values[0] == 1.0 and abs(values[1]) < 0.15


def test_tasks_of_one_question_an_item_have_judges_too(capsys: Captured) -> None:
    assert main(["eval", "--task", "tsg/sgds", "--limit", "8", "--out", "run", "--quiet"]) == 0
    capsys.readouterr()
    records = [json.loads(line) for line in Path("run/samples.jsonl").read_text().splitlines()]
    right = {one["item_id"]: one["parts"]["strict"]["accuracy"][0] == 1 for one in records}
    write(*({"item_id": item, "rater": rater, "right": flag} for item, flag in right.items() for rater in ("a", "b")))
    [row] = agreed(capsys, "run", "--human", "people.jsonl")
    assert row["rated"] == 8 and measure(row, "balanced accuracy")["value"] in (1.0, None)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"item_id": "000001", "question": 1, "rater": "a"}], "line 1: a rating has one of label, right and unsure"),
        ([{"item_id": "000001", "question": 1, "right": True}], "line 1: not a rating: rater"),
        (
            [{"item_id": "000001", "question": 1, "rater": "a", "right": True}] * 2,
            "line 2: a second rating of 000001/1 by a",
        ),
        (
            [{"item_id": "000900", "question": 1, "rater": "a", "right": True}],
            "it has no rating of an item of this run",
        ),
        ([], "there are no ratings in it"),
    ],
)
def test_a_file_that_says_nothing_is_refused(rows: list[dict[str, Any]], message: str, capsys: Captured) -> None:
    a_run("run", "baseline/longest")
    write(*rows)
    capsys.readouterr()
    assert main(["agree", "run", "--human", "people.jsonl"]) == 2
    assert message in capsys.readouterr().err


def test_people_looked_at_the_images_of_one_subject(capsys: Captured) -> None:
    a_run("run", "baseline/longest", "baseline/random")
    write({"item_id": "000001", "question": 1, "rater": "a", "right": True})
    capsys.readouterr()
    assert main(["agree", "run", "--human", "people.jsonl"]) == 2
    assert "it has several subjects" in capsys.readouterr().err
    [row] = agreed(capsys, "run", "--human", "people.jsonl", "--subject", "baseline/random")
    assert row["rated"] == 1


def test_audit_run_without_shortcuts_counts_questions(capsys: Captured) -> None:
    assert main(["eval", "--task", "spatialgen", "--model", "baseline/longest", "--out", "run", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["audit", "--task", "spatialgen/questions", "--run", "run", "--json"]) == 0
    [found] = json.loads(capsys.readouterr().out)["audits"]
    proven = [one for one in found["shortcuts"] if one["blind"] and one["beats_chance"]]
    assert found["runs"][0]["n"] == 250 and (found["runs"][0]["left"] < 250) == bool(proven)


def test_unsure_ratings_are_left_out_and_counted(capsys: Captured) -> None:
    a_run("run", "baseline/constant:C")
    sure = [{"item_id": IDS[0], "question": n, "rater": "ann", "right": n < 5} for n in range(9)]
    write(*sure, {"item_id": IDS[0], "question": 9, "rater": "ann", "unsure": True, "note": "the image is dark"})
    [row] = agreed(capsys, "run", "--human", "people.jsonl")
    assert (row["rated"], row["unsure"], row["elsewhere"]) == (9, 1, 0)
    assert main(["agree", "run", "--human", "people.jsonl"]) == 0
    assert "1 unsure rating left out" in capsys.readouterr().out


def test_ratings_may_be_about_one_row_each(capsys: Captured) -> None:
    a_run("run", "baseline/constant:A", "baseline/constant:C")
    about = [
        {"item_id": IDS[0], "question": n, "rater": "ann", "subject": f"baseline/constant:{letter}", "right": True}
        for letter, count in (("A", 4), ("C", 7))
        for n in range(count)
    ]
    write(*about)
    rows = agreed(capsys, "run", "--human", "people.jsonl")
    assert [(row["subject"], row["rated"]) for row in rows] == [("baseline/constant:A", 4), ("baseline/constant:C", 7)]


def test_an_item_whose_id_ends_in_a_number_is_found_under_its_id(capsys: Captured) -> None:
    assert main(["eval", "--task", "tsg/ma-sgg", "--limit", "4", "--out", "run", "--quiet"]) == 0
    ids = [json.loads(line)["item_id"] for line in Path("run/samples.jsonl").read_text().splitlines()]
    assert all(item.rpartition("/")[2].isdecimal() for item in ids)
    write(*({"item_id": item, "rater": "ann", "right": True} for item in ids))
    [row] = agreed(capsys, "run", "--human", "people.jsonl")
    assert (row["rated"], row["elsewhere"]) == (4, 0)
