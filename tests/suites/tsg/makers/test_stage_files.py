"""The folder of a benchmark in the making: whole files, what they are made of, and changes by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.errors import FileProblem
from tsgkit.suites.tsg.makers.balance import Balance, Option
from tsgkit.suites.tsg.makers.stage_files import StageFolder


def written(folder: StageFolder, seed: int = 1, *texts: str) -> None:
    with folder.writing("import", {"seed": seed}, ("stories.jsonl",)) as files:
        for text in texts:
            files.add("stories.jsonl", {"id": text})


def test_a_stage_is_current_while_settings_and_files_stay(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path / "made")
    written(folder, 1, "tea")
    assert folder.is_current("import", {"seed": 1}) and not folder.is_current("import", {"seed": 2})
    assert StageFolder(folder.path).is_current("import", {"seed": 1})
    folder.file("stories.jsonl").unlink()
    assert not folder.is_current("import", {"seed": 1})


def test_an_error_leaves_the_files_that_were_there(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path)
    written(folder, 1, "tea")
    with pytest.raises(RuntimeError), folder.writing("import", {"seed": 2}, ("stories.jsonl",)) as files:
        files.add("stories.jsonl", {"id": "half"})
        raise RuntimeError
    assert [one["id"] for one in folder.values("stories.jsonl")] == ["tea"] and folder.is_current("import", {"seed": 1})
    assert not list(tmp_path.glob(".*"))


def test_changes_by_hand_are_not_replaced_without_force(tmp_path: Path) -> None:
    folder = StageFolder(tmp_path)
    written(folder, 1, "tea")
    folder.refuse_to_overwrite("import", ["stories.jsonl"], force=False)
    folder.file("stories.jsonl").write_text('{"id": "mine"}\n')
    with pytest.raises(FileProblem, match="changes made by hand would be lost"):
        folder.refuse_to_overwrite("import", ["stories.jsonl"], force=False)
    folder.refuse_to_overwrite("import", ["stories.jsonl"], force=True)
    folder.file("other.jsonl").write_text("x")
    with pytest.raises(FileProblem, match="what lies there already would be lost"):
        folder.refuse_to_overwrite("import", ["other.jsonl"], force=False)


def test_a_record_of_something_else_and_a_broken_line_are_named(tmp_path: Path) -> None:
    (tmp_path / "stories.jsonl").write_text('{"id": "tea"}\n{"id":\n')
    with pytest.raises(FileProblem, match=r"line 2: not JSON"):
        list(StageFolder(tmp_path).values("stories.jsonl"))
    for text in ("no json", "[]", '{"stages": []}'):
        (tmp_path / "make.json").write_text(text)
        with pytest.raises(FileProblem, match="no record of tsgkit make tsg"):
            StageFolder(tmp_path)


def test_a_balance_keeps_sums_at_chance_within_groups() -> None:
    balance = Balance()
    for number in range(200):
        options = [Option("right", (1.0,), 0.2, "ab"[number % 2]), Option("wrong", (0.0,), 0.2, "ab"[number % 2])]
        balance.choose(options)
    assert all(abs(sums[0]) <= 1 for sums in balance.excess.values()) and set(balance.excess) == {"", "a", "b"}
