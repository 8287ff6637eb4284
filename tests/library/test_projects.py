"""Things are found in the caller's folders, then in the working project, then in the shipped one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tsgkit.errors import UsageError
from tsgkit.library.bundle import ROOMS, bundled
from tsgkit.library.projects import find, working_project

EXAMPLE = "tsg/examples/tea.jsonl"


def project(folder: Path, text: str) -> Path:
    for room in ROOMS:
        (folder / room).mkdir(parents=True)
    (folder / "tasks/tsg/examples").mkdir(parents=True)
    (folder / "tasks" / EXAMPLE).write_text(text)
    return folder


def test_benchmarks_of_the_toolkit_are_no_part_of_what_is_asked_for() -> None:
    with pytest.raises(UsageError, match="no folder 'bench'"):
        bundled("bench")


def test_outside_any_project_the_shipped_one_is_found(tmp_path: Path) -> None:
    assert working_project(tmp_path) is None
    assert '"tea"' in find("tasks", EXAMPLE, start=tmp_path).read_text()


def test_the_working_project_is_found_from_below(tmp_path: Path) -> None:
    deep = project(tmp_path, "mine") / "tasks" / "tsg"
    assert working_project(deep) == tmp_path
    assert find("tasks", EXAMPLE, start=deep).read_text() == "mine"


def test_a_folder_the_caller_names_comes_first(tmp_path: Path) -> None:
    project(tmp_path / "work", "mine")
    named = project(tmp_path / "named", "named")
    assert find("tasks", EXAMPLE, [named], start=tmp_path / "work").read_text() == "named"


def test_a_folder_the_caller_names_may_be_the_room_itself(tmp_path: Path) -> None:
    (tmp_path / "tsg").mkdir()
    (tmp_path / "tsg" / "sgqa.txt").write_text("prompt")
    assert find("prompts", "tsg/sgqa.txt", [tmp_path]).read_text() == "prompt"


def test_two_of_three_rooms_make_no_project(tmp_path: Path) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "prompts").mkdir()
    assert working_project(tmp_path) is None


def test_look_up_error_names_the_searched_folders(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"tasks has no tsg/none\.yaml") as caught:
        find("tasks", "tsg/none.yaml", start=project(tmp_path, ""))
    assert str(tmp_path / "tasks") in caught.value.hint


def test_a_name_never_leads_out_of_its_room() -> None:
    rows: list[str] = ["", "/etc/passwd", "../secrets", "tsg/../../x"]
    for name in rows:
        with pytest.raises(UsageError, match="no name inside"):
            find("tasks", name)


def test_a_named_folder_must_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        find("tasks", EXAMPLE, [tmp_path / "nowhere"])
