"""Suites and their manifests: what a package adds, in the new way and the old one, and how tasks are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit.cli import commands, main
from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.projects import find, text_of
from tsgkit.suites.suite import in_order, suites, task_named, task_of, tasks_named


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, code: str = "") -> Path:
    """Return an installed package that adds a suite of this name, with a card of its own inside."""
    home, info = folder / f"{name}_suite", folder / f"{name}_suite-1.dist-info"
    (home / "tasks" / name).mkdir(parents=True)
    card = (TASKS / "tsg/sgqa.yaml").read_text("utf-8").replace("task: tsg/sgqa", f"task: {name}/sgqa")
    (home / "tasks" / name / "sgqa.yaml").write_text(card)
    (home / "__init__.py").write_text(code or MANIFEST.format(name=name))
    (folder / f"{name}_says.py").write_text(COMMAND)
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-suite\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[tsgkit.suites]\n{name} = {name}_suite:{value}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder / "elsewhere")])
    return home


MANIFEST = """
from tsgkit.suites.suite import Command, Suite
from tsgkit.suites.tsg.qa import Questions

SUITE = Suite(
    "{name}", tasks={{"sgqa": "{name}_suite:Mine"}}, commands={{"{name}-say": Command("{name}_says", "say it")}}
)

class Mine(Questions):
    def __init__(self, card):
        super().__init__(card.model_copy(update={{"task": "tsg/sgqa"}}))

def task_of_card(card):
    return Mine(card)
"""
COMMAND = """
def add_arguments(parser):
    pass

def run(arguments):
    print("said")
    return 0
"""


def test_a_package_with_a_manifest_adds_tasks_cards_and_commands(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = package(tmp_path, monkeypatch, "third", "SUITE")
    assert suites()[-1].name == "third"
    assert Path(str(find("tasks", "third/sgqa.yaml"))) == home / "tasks/third/sgqa.yaml"
    assert "task: third/sgqa" in text_of(find("tasks", "third/sgqa.yaml"))
    assert task_named("third") == "third/sgqa", "a suite with one task stands for it"
    assert task_of(load_card("third/sgqa")).metrics.keys() == task_of(load_card("tsg/sgqa")).metrics.keys()
    assert task_named("sgqa") == "tsg/sgqa", "of two tasks of one name, that of the first suite is meant"
    assert commands()["third-say"] == "say it"
    assert main(["third-say"]) == 0
    assert capsys.readouterr().out == "said\n"


def test_an_old_package_warns_and_a_wrong_name_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package(tmp_path, monkeypatch, "older", "task_of_card")
    with pytest.warns(FutureWarning, match="older of tsgkit.suites makes a task of a card; from tsgkit 0.3"):
        assert task_of(load_card("older/sgqa")).key == "older/sgqa"
    package(tmp_path, monkeypatch, "mine", "SUITE", MANIFEST.format(name="yours"))
    with pytest.raises(UsageError, match=r"the entry point mine of tsgkit.suites is the suite yours"):
        task_of(load_card("mine/sgqa"))


def test_what_cannot_be_loaded_is_named_and_breaks_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package(tmp_path / "one", monkeypatch, "broken", "SUITE", "import a_module_that_is_not_there\n")
    with pytest.warns(RuntimeWarning, match="the suite broken cannot be loaded from broken_suite:SUITE"):
        assert main(["--help"]) == 0
    assert main(["prompts", "show", "tsg/sgqa"]) == 0
    with pytest.raises(UsageError, match="the suite broken cannot be loaded"):
        task_of(load_card("broken/sgqa"))
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(tmp_path / "one")])
    makers = 'makers={"gone": Command("no_such", "")}'
    code = f'from tsgkit.suites.suite import Command, Suite\nSUITE = Suite("fifth", {makers})'
    package(tmp_path / "two", monkeypatch, "fifth", "SUITE", code)
    capsys.readouterr()
    with pytest.warns(RuntimeWarning, match="the maker gone cannot be loaded from no_such"):
        assert main(["make", "--help"]) == 0
    assert "formalimg" in capsys.readouterr().out


def test_names_suites_and_patterns_name_tasks() -> None:
    for said, meant in (
        ("sgds", "tsg/sgds"),
        ("tsg/sgds.yaml", "tsg/sgds"),
        ("tsg", "tsg/sgqa tsg/sgds tsg/sa-sgg tsg/ma-sgg"),
        ("tsg/*-sgg", "tsg/sa-sgg tsg/ma-sgg"),
        ("tsg/nodes-* layout", "tsg/nodes-ma tsg/nodes-sa formalimg/layout"),
        ("spatialgen", "spatialgen/questions"),
        ("sgds tsg/sgds", "tsg/sgds"),
    ):
        assert list(tasks_named(said.split())) == meant.split(), said
    names = ["formalimg/layout", "tsg/ma-sgg", "tsg/sgqa", "spatialgen/questions"]
    assert in_order(names) == ["tsg/sgqa", "tsg/ma-sgg", "formalimg/layout", "spatialgen/questions"]


def test_unknown_tasks_have_one_error_message() -> None:
    for said, message, hint in (
        ("sgdz", "there is no task sgdz", "sgds?"),
        ("tsg/sgdz", "there is no task tsg/sgdz", "tsg/sgds?"),
        ("tsgg", "there is no task tsgg", "tsg?"),
        ("tsg/x*", "no task fits the pattern tsg/x*", "the tasks: "),
    ):
        with pytest.raises(UsageError) as caught:
            tasks_named([said])
        assert caught.value.message == message
        assert caught.value.hint.startswith(hint)
    with pytest.raises(UsageError, match="tsg is a suite; one task is wanted"):
        task_named("tsg")


@pytest.mark.usefixtures("nothing_else_given")
def test_every_card_that_is_shipped_is_in_a_manifest_and_every_task_of_one_has_a_card() -> None:
    listed = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.tasks}
    declared = {load_card(name).task for name in card_names()}
    assert declared == listed
