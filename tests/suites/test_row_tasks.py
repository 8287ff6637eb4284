"""Tasks of rows, as other packages add them: what follows from an item, a prompt, a reader and scores alone."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

import pytest

from tsgkit.cli.row_makers import add_row_options, write_rows
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import Card, load_card
from tsgkit.replies import Unreadable
from tsgkit.scoring.score import right_or_wrong
from tsgkit.suites.audits.audit import audit
from tsgkit.suites.judgement import AnswerScores
from tsgkit.suites.metrics import Metric
from tsgkit.suites.row_inspection import RowInspector, kinds_of_rows
from tsgkit.suites.solvers.protocols import AsAsked
from tsgkit.suites.text_task import RowItem, RowTask


@dataclass(frozen=True)
class Sum(RowItem):
    """Two numbers to add."""

    question: str = ""
    answer: int = 0


class Sums(RowTask[Sum, int]):
    """Sums of numbers."""

    metrics = MappingProxyType({"accuracy": Metric("the sum is right")})
    asked_fields = ("question",)
    baselines = MappingProxyType({"rules": lambda item, _: str(sum(map(int, item.question.split()[1::2])))})

    def item_of(self, row: Mapping[str, Any], number: int) -> Sum:
        return Sum(str(row.get("item_id", number)), question=row["question"], answer=int(row["answer"]))

    def fields(self, item: Sum) -> Mapping[str, str]:
        return {"question": item.question}

    def shown_answer(self, item: Sum) -> str:
        return str(item.answer)

    def read_text(self, item: Sum, text: str) -> int | Unreadable:
        return int(text) if text.strip().isdecimal() else Unreadable("no number")

    def answer_scores(self, item: Sum, answer: int | None, asked: AsAsked | None) -> AnswerScores:
        return AnswerScores({"accuracy": right_or_wrong(answer == item.answer, f"{answer}")}, answer=answer)


@pytest.fixture
def task() -> Sums:
    metrics = {"accuracy": {"pooling": "pooled", "better": "more", "headline": True}}
    changed = {"task": "sums/add", "name": "sums/add", "examples": None}
    card = Card.model_validate({**load_card("tsg/sgds").model_dump(), **changed, "metrics": metrics})
    return Sums(card)


def lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


ROWS = [{"item_id": f"s{n}", "question": f"add {n} and 2", "answer": n + 2} for n in range(12)]


def test_lines_of_a_file_are_told_apart_by_what_is_wrong_with_them(task: Sums) -> None:
    again = {"item_id": "x", "question": ROWS[0]["question"], "answer": 2}
    text = lines(ROWS[0], {"question": "add 1"}, [1], ROWS[0], again)
    found = RowInspector((task,)).inspect((text + "{oops\n").encode(), "rows.jsonl")
    assert [(one.code, one.place.line, one.message) for one in found.findings][:4] == [
        ("row", 2, "there is no field answer"),
        ("row", 3, 'expected an object, as in {"item_id": ...}'),
        ("repeated-id", 4, "the item id s0 occurs twice"),
        ("repeated-item", 5, "asks the same as s0"),
    ]
    assert found.counts == {"row": 3, "repeated-id": 1, "repeated-item": 1}
    assert found.problem.startswith("rows.jsonl: line 2: there is no field answer (the first of 4 errors)")

    assert RowInspector((task,)).inspect(b"\n", "empty").problem == "empty: there are no rows in it"
    assert "no task of rows that is stored as other" in RowInspector((task,)).inspect(b"", "x", "other").problem
    with pytest.raises(FileProblem):
        RowInspector((task,)).inspect(b"\xff\xfe\x00", "binary")


def test_files_of_others_are_not_taken_and_a_dataset_names_the_line_that_is_no_row(task: Sums, tmp_path: Path) -> None:
    file, other = tmp_path / "add.jsonl", tmp_path / "other.jsonl"
    file.write_text(lines(ROWS[0]))
    other.write_text(lines({"caption": "a dog"}))
    assert kinds_of_rows((task,), tmp_path) == kinds_of_rows((task,), file) == ("add",)
    assert kinds_of_rows((task,), other) == kinds_of_rows((task,), tmp_path / "none") == ()
    file.write_text(lines(ROWS[0], {"question": "add 1 and 2", "answer": "many"}))
    with pytest.raises(UsageError, match=r"add.jsonl: line 2: invalid literal"):
        task.dataset(str(file))
    file.write_text("\n")
    with pytest.raises(UsageError, match="there are no items in it"):
        task.dataset(str(file))


def test_an_audit_says_what_baselines_and_answers_of_others_get(task: Sums, tmp_path: Path) -> None:
    alike = {"item_id": "again", "question": "two and 2 ADD the numbers seven", "answer": 9}
    first = {"item_id": "first", "question": "add the numbers two and seven 2", "answer": 9}
    (tmp_path / "rows.jsonl").write_text(lines(*ROWS, first, alike))
    task.baselines = MappingProxyType({"nine": lambda item, seed: "9"})
    found = audit(task.auditable(str(tmp_path / "rows.jsonl")))
    shortcuts = {one.name: one.value for one in found.shortcuts}
    assert shortcuts["baseline/nine"] == pytest.approx(3 / 14)
    assert shortcuts["the answer to the next item"] == pytest.approx(1 / 14), "both answers of 9 follow each other"
    slips = {one.check.code: [slip.item_id for slip in one.slips] for one in found.found if one.slips}
    assert slips["near-duplicate"] == ["again"]


def test_a_maker_of_rows_refuses_repeats_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def draw(chance: Random) -> Mapping[str, Any] | str:
        number = chance.randrange(6)
        return "this is unlucky" if number in (0, 3) else {"question": f"add {number}", "answer": number}

    def written(*words: str) -> int:
        parser = argparse.ArgumentParser()
        add_row_options(parser)
        return write_rows(draw, parser.parse_args(["-o", str(tmp_path / "new.jsonl"), *words]))

    assert written("--n", "4") == 0
    out = capsys.readouterr().out
    assert "4 items made by rules" in out and "refused: drawn before" in out and "refused: this is unlucky" in out
    rows = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert [row["item_id"] for row in rows] == [f"made-0-{number}" for number in range(4)]
    assert len({row["question"] for row in rows}) == 4
    with pytest.raises(FileProblem, match=r"new.jsonl"):
        written("--n", "4", "--seed", "1")
    assert written("--n", "9", "--force") == 1
    assert "only 4 of 9 different sound items" in capsys.readouterr().err
    with pytest.raises(UsageError, match="--n 0: from 1 to"):
        written("--n", "0")
