"""Broken runs, and runs of newer versions, are named, and faulty code is a counted outcome; everything else goes on."""

from __future__ import annotations

import json
import os
import pkgutil
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from faulty_suite import SECRET, install, mend
from model_server import model_server
from run_files import everything, lines, write_header, write_lines
from shipped import DATA, TASKS

from tsgkit.cli import main
from tsgkit.library.cards import load_card
from tsgkit.suites.suite import task_of

Said = Callable[..., str]
NESTED = "[" * 100_000
EVAL = ("eval", "--task", "sgqa", "--first", "2", "--quiet", "--out")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    assert main([*EVAL, str(path)]) == 0
    return path


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """Return what a command prints that ends with this code."""

    def printed(code: int, *words: str) -> str:
        capsys.readouterr()
        assert main(list(words)) == code, capsys.readouterr().err
        found = capsys.readouterr()
        return found.out + ("" if "--json" in words else found.err)

    return printed


def test_a_broken_run_is_named_and_others_are_shown(whole: Path, tmp_path: Path, said: Said) -> None:
    plan = json.loads((whole / "run.json").read_text())["plan"]
    good = Path(shutil.copytree(whole, tmp_path / "good"))
    rows: list[tuple[Callable[[Path], object], str]] = [
        (
            lambda run: write_header(run, plan=plan | {"beams": 4}, tsgkit="9.0"),
            "plan: beams: Extra inputs are not permitted (written by tsgkit 9.0)",
        ),
        (lambda run: (run / "run.json").write_text(NESTED), "run.json: nested too deeply"),
        (lambda run: write_lines(run / "samples.jsonl", [{}]), "line 1: not JSON"),
    ]
    for spoil, words in rows:
        bad = Path(shutil.copytree(whole, tmp_path / "bad"))
        spoil(bad)
        for command in (("runs", "list", str(tmp_path)), ("report", str(bad), str(good))):
            text = said(1, *command)
            assert words in text and "bad" in text and "tsg/sgqa" in text, words
        for line in (f"runs show {bad}", f"report {bad}", f"explain {bad} --item pcr/q0"):
            assert words in said(2, *line.split()), line
        shutil.rmtree(bad)


def test_what_a_newer_version_or_a_hand_wrote_is_named(run: Path, said: Said) -> None:
    file = run / "asked/asked.json"
    text = file.read_text()
    rows: tuple[dict[str, Any] | None, ...] = ({"pooling": "by newer ways"}, {"meaning": None, "pooling": []}, None)
    for fields in rows:
        asked = json.loads(text)
        metrics = asked["tasks"]["tsg/sgqa"]["metrics"]
        metrics["exact_match"] = None if fields is None else metrics["exact_match"] | fields
        file.write_text(json.dumps(asked))
        for words in (["report", str(run)], ["rescore", str(run)], ["runs", "show", str(run)]):
            shown = said(2, *words)
            assert "asked.json: tasks: tsg/sgqa: not a task" in shown and "use the version that wrote it" in shown
    file.write_text(text)
    write_lines(run / "prompts.jsonl", [{"hash": "who?", "messages": []}])
    assert "prompts.jsonl: line 1: hash: not what a run has" in said(2, "rescore", str(run))
    (run / "prompts.jsonl").unlink()
    write_lines(run / "calls.jsonl", [one | {"label": 7} for one in lines(run / "calls.jsonl")])
    for command in (("explain", str(run), "--item", "pcr/q1"), ("rescore", str(run))):
        assert "calls.jsonl: line 1: label: " in said(2, *command)


def test_a_run_killed_before_its_first_record_and_one_of_data_whose_name_is_not_utf8_are_shown(
    run: Path, said: Said, tmp_path: Path
) -> None:
    for name in ("samples.jsonl", "calls.jsonl", "prompts.jsonl"):
        (run / name).unlink(missing_ok=True)
    write_header(run, records=0, **dict.fromkeys(("begun", "tsgkit", "name"), "\x1b]0;title\x07\x1b[31m"))
    for words in (("runs", "show", str(run)), ("runs", "list", str(run.parent))):
        assert "\x1b" not in said(0, *words), "control characters are never live"
    assert "2 of 2 samples not asked" in said(0, "runs", "show", str(run))
    assert "not asked yet" in said(0, "explain", str(run), "--item", "pcr/q0")
    assert "0 of 2" in said(0, "runs", "list", str(run.parent))
    for line in (["report", str(run)], ["rescore", str(run)], [*EVAL, str(run)]):
        said(0, *line)
    name = os.fsdecode(os.fsencode(tmp_path) + b"/sg\xffqa.jsonl")
    shutil.copy(DATA / "sgqa.jsonl", name)
    for command in (
        *((*EVAL, "odd", "--data", name),) * 2, ("runs", "show", "odd"), ("report", "odd"), ("check", name),
        ("explain", "odd", "--item", "pcr/q0"), ("report", "odd", "-o", "page.html"),
    ):  # fmt: skip
        said(0, *command)


# Suites whose code raises

ITEMS = [f"pcr/q{number}" for number in range(5)]
FAULTY = f"eval --task faulty/sgqa --first 5 --out run --quiet --data {DATA}/sgqa.jsonl"
BASELINE = tuple(FAULTY.split())


def outcomes() -> list[str]:
    return [one["outcome"] for one in lines(Path("run/samples.jsonl"))]


def test_an_exception_on_one_item_is_its_outcome_and_the_run_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    install(tmp_path, monkeypatch)
    for step in ("solve", "judge"):
        shutil.rmtree("run", ignore_errors=True)
        mend(**{step: ITEMS[1:2]})
        assert "1 sample ended in an error: ValueError at faulty_suite.py:" in said(1, *BASELINE)
        assert outcomes() == ["answered", "error", "answered", "answered", "answered"]
        [result] = json.loads(said(1, *BASELINE, "--json"))["results"]
        assert (result["n"], result["counts"]["error"], result["counts"]["missing"]) == (5, 1, 0)
        assert result["profiles"]["strict"]["exact_match"]["n"] == 5, "the item stays in the denominator"
        assert SECRET.encode() not in everything(Path("run"))
        for words in (("runs", "show", "run"), ("report", "run"), ("explain", "run", "--item", ITEMS[1])):
            assert "error" in said(words[0] == "report", *words)
        mend()
        said(0, *BASELINE)
        assert outcomes() == ["answered"] * 5
    monkeypatch.setattr("tsgkit.runs.executors.processors", lambda: 2)
    mend(solve=ITEMS[:2])
    more = [{"5": "20", "run": "other"}.get(word, word) for word in BASELINE]
    assert "2 samples ended in an error: ValueError at faulty_suite.py:" in said(1, *more), "in another process"


def test_a_continued_run_tries_an_error_again_without_asking_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    install(tmp_path, monkeypatch, after=ITEMS[1:2], judge=ITEMS[2:3])
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with model_server() as server:
        words = (*BASELINE, "--model", "openai/x", "--model-arg", f"api_base={server.base}", "--no-cache")
        for _ in range(2):
            assert "2 samples ended in an error" in said(1, *words)
            assert outcomes() == ["answered", "error", "error", "answered", "answered"]
        mend()
        said(0, *words)
        assert server.stats()["seen"] == 5
    assert outcomes() == ["answered"] * 5


def test_a_rescore_counts_what_raises_and_mends_what_no_longer_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    install(tmp_path, monkeypatch, solve=ITEMS[:1])
    said(1, *BASELINE)
    for judge, errors in ((ITEMS[1:2], 2), ([], 1)):  # one has no reply that could be scored
        mend(judge=judge)
        [result] = json.loads(said(0, "rescore", "run", "--json"))["results"]
        assert result["counts"]["error"] == errors
    said(0, *BASELINE)
    assert outcomes() == ["answered"] * 5


SUITES = {
    "tsg/sgqa": (str(DATA / "sgqa.jsonl"), "tsgkit.suites.tsg.qa.Questions.score", "[no]", ()),
    "formalimg/layout": (
        "formalimg/data/knolling.jsonl", "tsgkit.suites.formalimg.layout.LayoutTask.score", "[]", ("--by", "predicate"),
    ),
    "spatialgen/questions": (
        "spatialgen/data/questions.jsonl", "tsgkit.suites.spatialgen.replies.judged", "A", ("--by", "scene"),
    ),
    "sceneeval/annotate": (
        "sceneeval/data/annotations.csv", "tsgkit.suites.sceneeval.annotate.compare_entries", "exactly 1 bed", (),
    ),
}  # fmt: skip


@pytest.mark.parametrize("task", SUITES)
def test_score_counts_an_item_that_its_suite_cannot_judge_as_an_error(
    task: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: Said
) -> None:
    file, judge, text, grouped = SUITES[task]
    data = str(TASKS / file)
    first, second, *_ = task_of(load_card(task)).dataset(data).item_ids
    judged = pkgutil.resolve_name(judge)
    always: list[bool] = []

    def stumbling(*given: Any, **named: Any) -> Any:  # noqa: ANN401
        place = next(number for number, one in enumerate(given) if hasattr(one, "item_id"))
        has_reply = re.search("reply|answered|unreadable", repr(given[place + 1]).lower())
        if given[place].item_id == first and (always or has_reply):
            raise ValueError(SECRET)
        return judged(*given, **named)

    monkeypatch.setattr(judge, stumbling)
    replies = tmp_path / "replies.jsonl"
    write_lines(replies, [{"item_id": one, "reply": text} for one in (first, second)])
    words = ("score", "--task", task, "--data", data, "--replies", str(replies), *grouped)
    for _ in ("of replies", "of everything"):
        shown = said(1, *words)
        assert "1 item ended in an error: ValueError" in shown and SECRET not in shown
        value = json.loads(said(1, *words, "--json", "--samples"))
        assert (value["counts"]["error"], value["n"]) == (1, len(value["samples"])), "it stays in the denominator"
        assert [one["outcome"] == "error" for one in value["samples"][:2]] == [True, False]
        always.append(True)
