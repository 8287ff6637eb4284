"""The first hour of a new user: each likely mistake gets one line that names it and the one thing to change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tsgkit.cli import ELSEWHERE, commands, main
from tsgkit.library.cards import card_names, load_card
from tsgkit.suites.suite import suites, task_of


def told(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """What a command says when it ends with this code: its error where it has one, else its output."""
    assert main(words) == code, capsys.readouterr().err
    said = capsys.readouterr()
    assert "Traceback" not in said.err + said.out
    return said.err if code else said.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["evla"], "tsgkit: there is no command evla\n  eval?\n"),
        (["list"], "tsgkit: there is no command list\n  tsgkit tasks, tsgkit runs list or tsgkit data list\n"),
        (["run"], "tsgkit: there is no command run\n  tsgkit eval evaluates a model; tsgkit runs list lists what"),
        (["test", "x"], "tsgkit: there is no command test\n  tsgkit eval\n"),
        (["frobnicate"], "tsgkit: there is no command frobnicate\n  tsgkit --help lists the commands\n"),
        (["--verbose"], "tsgkit: there is no option --verbose\n"),
        (["eval", "--tasks", "sgqa"], "tsgkit: there is no option --tasks\n  --task?\n"),
        (["eval", "--modle=x"], "tsgkit: there is no option --modle\n  --model?\n"),
        (["runs", "list", "--jsn"], "tsgkit: there is no option --jsn\n  --json?\n"),
        (["eval", "--zzz"], "tsgkit: there is no option --zzz\n  tsgkit eval --help shows what there is\n"),
        (["eval", "sgqa"], "tsgkit: unexpected: sgqa\n"),
        (["eval", "--task"], "tsgkit: --task: a value is missing\n"),
        (["eval", "--task", "sgqa,,sgds"], "tsgkit: --task: 'sgqa,,sgds': a name is missing beside a comma\n"),
        (["eval", "--limit", "ten"], "tsgkit: --limit: 'ten' is no whole number\n"),
        (["eval", "--timeout", "x"], "tsgkit: --timeout: 'x' is no number\n"),
        (["data", "gte"], "tsgkit: there is no verb gte\n  get?\n"),
        (["make", "formalimgs"], "tsgkit: there is no maker formalimgs\n  formalimg?\n"),
        (["eval", "--protocol"], "tsgkit: --protocol: a value is missing\n"),
        (["compare", "x", "--format", "html"], "tsgkit: --format: there is no html\n  choose from terminal, markdown"),
        (["refine"], "tsgkit: missing: IN, -o/--out\n"),
    ],
)
def test_mistyped_word_is_named_with_the_one_that_was_meant(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told(capsys, *words).startswith(expected)


def test_verbs_of_other_tools_are_none_of_ours() -> None:
    assert not ELSEWHERE.keys() & commands().keys()
    named = {word for hint in ELSEWHERE.values() for part in hint.split("tsgkit ")[1:] for word in part.split()[:1]}
    assert {word.strip(",;") for word in named} - {"--version"} <= commands().keys()


def test_help_groups_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "--help", code=0)
    assert all(f"\n{group}:\n" in out for group in ("evaluate", "look", "clean and make", "data", "suites"))
    assert told(capsys, "help", "eval", code=0) == told(capsys, "eval", "--help", code=0)


def test_tasks_are_listed_with_what_they_need_and_without_paths(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "tasks", code=0)
    assert [line.split()[1] for line in out.splitlines() if line.startswith("* ")] == [
        "tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg",
    ]  # fmt: skip
    assert all(f" {name} " in out for name in card_names())
    assert str(Path(__file__).anchor + "work") not in out and str(Path.cwd()) not in out
    assert "needs pictures and a model that looks: --images NAME=DIR --judge M" in out
    listed = json.loads(told(capsys, "tasks", "--json", code=0))["tasks"]
    assert {one["task"] for one in listed} == set(card_names())
    assert max(map(len, out.splitlines())) <= 120


def test_manifests_tell_of_every_task_that_no_model_answers_in_words() -> None:
    from tsgkit.suites.asked_task import AskedTask

    told_of = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.needs}
    cards = [load_card(name) for name in card_names()]
    assert told_of == {card.task for card in cards if not isinstance(task_of(card), AskedTask)}


def test_names_may_stand_between_commas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "run")
    words = ["eval", "--task", "sgqa,sgds", "--task", "sa-sgg", "--limit", "1", "--quiet", "--json", "--out", out]
    results = json.loads(told(capsys, *words, code=0))["results"]
    assert [one["task"] for one in results] == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg"]
    by_group = told(capsys, "report", out, "--by", "k,domain", code=0)
    assert "by k" in by_group and "by domain" in by_group
