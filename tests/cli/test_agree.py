"""``tsgkit agree``: a judge beside people, another judge or itself, and two annotators of graphs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from shipped import TASKS
from two_annotators import ANN, BOB, FILL, WASH, tea, write

from tsgkit.scoring.agreement import balanced_accuracy, cohens_kappa
from tsgkit.suites.spatialgen.rows import rows_in

ROWS = {row.id: row for row in rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl")}
IDS = list(ROWS)[:6]
HUMAN = "agree run --human people.jsonl"
Rating = dict[str, Any]


def evaluated(tsgkit: CommandLine, *models: str, run: str = "run") -> None:
    named = " ".join(f"--model {model}" for model in models)
    tsgkit(f"eval --task spatialgen/questions {named} --ids {' '.join(IDS)} --out {run} --quiet")


def agreed(tsgkit: CommandLine, words: str = HUMAN) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tsgkit(f"{words} --json").json["rows"]
    return rows


def measure(row: dict[str, Any], name: str, on: str = "right or wrong") -> dict[str, Any]:
    measures: list[dict[str, Any]] = row["measures"]
    return next(one for one in measures if (one["measure"], one["on"], one["kind"]) == (name, on, None))


def rating(question: int | str = "", item: str = IDS[0], rater: str = "ann", **judged: object) -> Rating:
    return {"item_id": item, "question": question, "rater": rater} | judged


def test_judges_are_held_against_the_majority_and_ties_are_dropped(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/constant:C")
    ratings, truth = [rating(0, "999999", "r0", right=True)], {}
    for item in IDS:
        for number in range(10):
            votes = [True, number % 3 == 0, number % 2 == 0, *([False] if number == 1 else [])]
            ratings += [rating(number, item, f"r{n}", right=vote) for n, vote in enumerate(votes)]
            if 2 * sum(votes) != len(votes):
                truth[item, number] = "right" if 2 * sum(votes) > len(votes) else "wrong"
    write_lines("people.jsonl", *ratings)
    [row] = agreed(tsgkit)
    judge = {(item, number): "right" if ROWS[item].answers[number] == "C" else "wrong" for item, number in truth}
    assert (row["questions"], row["rated"], row["elsewhere"], row["ties"]) == (60, 60, 1, 60 - len(truth))
    assert measure(row, "balanced accuracy")["value"] == pytest.approx(balanced_accuracy(judge, truth).value)
    assert measure(row, "Cohen's kappa")["value"] == pytest.approx(cohens_kappa(judge, truth).value)
    kinds = {one["kind"] for one in row["measures"]}
    assert kinds == {None, "Foundation", "Perception", "Reasoning", "Interaction"}
    assert {one["between"] for one in row["measures"] if "alpha" in one["measure"]} == {"people", "judge and people"}


def test_labels_are_compared_as_they_are_and_as_right_or_wrong(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/constant:C")
    labels = ((f"{item}/{n}", key) for item in IDS for n, key in enumerate(ROWS[item].answers))
    write_lines("people.jsonl", *({"item_id": name, "rater": "ann", "label": key} for name, key in labels))
    [row] = agreed(tsgkit)
    assert measure(row, "balanced accuracy", "answers")["value"] == pytest.approx(0.25)
    assert measure(row, "balanced accuracy")["value"] is None
    assert "every rating is 'right'" in measure(row, "balanced accuracy")["reason"]
    out = tsgkit(HUMAN).out
    assert "60 of them rated by people; 0 ties dropped" in out and "no value: every rating is 'right'" in out
    first, *others = map(json.loads, Path("run/samples.jsonl").read_text().splitlines())
    ended = {"outcome": "error", "error": "ValueError", "answer": None, "evidence": None}
    write_lines("run/samples.jsonl", first | ended, *others)
    [row] = agreed(tsgkit)
    assert row["measures"], "questions of an item that ended in an error are wrong and have no label"
    tsgkit("audit --run run")


def test_judges_are_compared_with_another_and_with_themselves(tsgkit: CommandLine) -> None:
    for name, model in (("one", "random"), ("other", "random"), ("longest", "longest")):
        evaluated(tsgkit, f"baseline/{model}", run=name)
    [row] = agreed(tsgkit, "agree one --with other")
    assert measure(row, "Krippendorff's alpha", "answers")["value"] in (1.0, None)
    tsgkit.refuses({"agree one --with longest": "no subject, task and item is in both runs"})
    sure, guessing = (
        measure(agreed(tsgkit, f"agree {run}")[0], "Krippendorff's alpha", "answers")["value"]
        for run in ("longest", "one")
    )
    assert sure == 1.0 and abs(guessing) < 0.15


def test_tasks_of_one_question_an_item_have_judges_too(tsgkit: CommandLine) -> None:
    tsgkit("eval --task tsg/ma-sgg --limit 4 --out run --quiet")
    ids = [json.loads(line)["item_id"] for line in Path("run/samples.jsonl").read_text().splitlines()]
    assert all(item.rpartition("/")[2].isdecimal() for item in ids), "such an id names no question"
    write_lines("people.jsonl", *({"item_id": item, "rater": "ann", "right": True} for item in ids))
    [row] = agreed(tsgkit)
    assert (row["rated"], row["elsewhere"]) == (4, 0)


def test_ratings_may_be_unsure_or_about_one_row_of_several(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/constant:A", "baseline/constant:C")
    unsure = rating(9, unsure=True, note="the image is dark")
    write_lines("people.jsonl", *(rating(n, right=n < 5) for n in range(9)), unsure)
    assert "it has several subjects" in tsgkit(HUMAN, code=2).err
    [row] = agreed(tsgkit, f"{HUMAN} --subject baseline/constant:A")
    assert (row["rated"], row["unsure"], row["elsewhere"]) == (9, 1, 0)
    assert "1 unsure rating left out" in tsgkit(f"{HUMAN} --subject baseline/constant:A").out
    about = (
        rating(n, subject=f"baseline/constant:{letter}", right=True)
        for letter, questions in (("A", 4), ("C", 7))
        for n in range(questions)
    )
    write_lines("people.jsonl", *about)
    rows = agreed(tsgkit)
    assert [(row["subject"], row["rated"]) for row in rows] == [("baseline/constant:A", 4), ("baseline/constant:C", 7)]


def test_files_without_ratings_of_the_run_are_refused(tsgkit: CommandLine) -> None:
    evaluated(tsgkit, "baseline/longest")
    good = rating(1, "000001", right=True)
    for rows, message in (
        ([rating(1)], "line 1: a rating has one of label, right and unsure"),
        ([{"item_id": "000001", "question": 1, "right": True}], "line 1: not a rating: rater"),
        ([good, good], "line 2: a second rating of 000001/1 by ann"),
        ([rating(1, "000900", right=True)], "it has no rating of an item of this run"),
        ([], "there are no ratings in it"),
    ):
        write_lines("people.jsonl", *rows)
        assert message in tsgkit(HUMAN, code=2).err, message


GRAPHS = "agree ann.jsonl bob.jsonl"


@pytest.fixture
def annotators(folder: Path) -> None:
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)


@pytest.mark.usefixtures("annotators")
def test_two_annotators_agree_in_a_table_and_in_json(tsgkit: CommandLine) -> None:
    out = tsgkit(GRAPHS).out
    assert out.startswith("ann and bob: 1 item, 3 descriptions\n")
    for part in (
        "3 and 4 graphs; without a partner: 0 of ann, 1 of bob",
        "Krippendorff's alpha (MASI)",
        "Cohen's kappa",
        "intervals: over 3 descriptions",
        "2 graphs differ; to settle: tsgkit view ann.jsonl bob.jsonl --edit -o settled.jsonl",
    ):
        assert part in out, part
    value = tsgkit(f"{GRAPHS} --json").json
    assert value["clusters"] == {"of": "descriptions", "n": 3} and value["disagreements"] == 2
    assert {"on", "measure", "value", "low", "high", "n", "reason"} == value["measures"][0].keys()
    assert "by" not in value


def test_items_descriptions_lines_and_names_that_do_not_fit_are_told(tsgkit: CommandLine) -> None:
    other = tea([WASH, FILL], vocabulary=None)
    other["descriptions"][0]["text"] = "She washes it."
    write("ann.jsonl", tea([WASH], [FILL]), tea([WASH], item="only\x1b[2J"))
    write("bob.jsonl", other)
    with Path("bob.jsonl").open("a") as stream:
        stream.write("{broken\n")
    ended = tsgkit(f"{GRAPHS} --by item")
    assert "only in ann: 1 item, left out: only\\x1b[2J" in ended.out and "\x1b" not in ended.out
    assert "descriptions without a partner" in ended.out and "1 item with L in one file alone: tea" in ended.out
    assert "unpaired  disagreements  F1 of triplets" in ended.out
    assert "bob.jsonl: 1 line or part not read" in ended.err
    write("one.jsonl", tea([WASH], vocabulary=None))
    write("other.jsonl", tea([FILL], vocabulary=None))
    out = tsgkit("agree one.jsonl other.jsonl").out
    assert "no intervals: all paired graphs are of one description; at least two are needed" in out
    for name in ("ann.jsonl", "bob.jsonl"):
        write(name, tea([WASH], [FILL], vocabulary=None))
    write_lines("L.json", {"object": ["cup"], "relationship": ["with"], "verb": ["wash"]})
    assert "kappa leaves out 2 names outside L: fill, kettle" in tsgkit(f"{GRAPHS} --vocabulary L.json").out
    assert "1 item without L: all names that either annotator used" in tsgkit(GRAPHS).out


@pytest.mark.usefixtures("annotators")
def test_agree_refuses_files_that_cannot_be_compared(tsgkit: CommandLine) -> None:
    for name in ("folder", "other"):
        Path(name).mkdir()
    Path("picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\xff")
    Path("broken.jsonl").write_text('{"descriptions": [')
    tsgkit.refuses(
        {
            "ann.jsonl": "one file has nothing to agree with",
            "ann.jsonl folder": "a folder beside a file",
            "folder other": "two runs are compared with --with",
            "ann.jsonl bob.jsonl ann.jsonl": "3 files or runs",
            "ann.jsonl ann.jsonl": "the first file again",
            "ann.jsonl missing.jsonl": "no such file",
            "ann.jsonl broken.jsonl": "broken.jsonl: no item can be read",
            "ann.jsonl bob.jsonl --human people.jsonl": "--human does not go with two files of graphs",
            "ann.jsonl bob.jsonl --with runs/other": "--with does not go with two files of graphs",
            "ann.jsonl bob.jsonl --subject x": "--subject does not go with two files of graphs",
            "folder --by item": "--by does not go with one run",
            "ann.jsonl picture.png": "a PNG image",
        },
        "agree",
    )
