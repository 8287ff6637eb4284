"""An exception of a suite's code on one item is that item's counted outcome; everything else goes on."""

from __future__ import annotations

import json
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
from faulty_suite import SECRET, install, mend
from model_server import model_server
from run_files import everything, lines
from shipped import DATA, TASKS

from tsgkit.cli import main
from tsgkit.library.cards import load_card
from tsgkit.suites.suite import task_of

Captured = pytest.CaptureFixture[str]
ITEMS = [f"bread/q{number}" for number in range(5)]
BASELINE = (
    "eval",
    "--task",
    "faulty/sgqa",
    "--data",
    str(DATA / "sgqa.jsonl"),
    "--first",
    "5",
    "--out",
    "run",
    "--quiet",
)


def outcomes() -> list[str]:
    return [one["outcome"] for one in lines(Path("run/samples.jsonl"))]


def printed(capsys: Captured, code: int, *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    found = capsys.readouterr()
    return found.out + found.err


def result_of(capsys: Captured, code: int, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == code, capsys.readouterr().err
    value: dict[str, Any] = json.loads(capsys.readouterr().out)["results"][0]
    return value


@pytest.mark.parametrize("step", ["solve", "judge"])
def test_an_exception_on_one_item_is_its_outcome_and_the_run_goes_on(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    install(tmp_path, monkeypatch, **{step: ITEMS[1:2]})
    text = printed(capsys, 1, *BASELINE)
    assert "1 sample ended in an error: ValueError at faulty_suite.py:" in text
    assert outcomes() == ["answered", "error", "answered", "answered", "answered"]
    result = result_of(capsys, 1, *BASELINE)
    assert (result["n"], result["counts"]["error"], result["counts"]["missing"]) == (5, 1, 0)
    assert result["profiles"]["strict"]["exact_match"]["n"] == 5, "the item stays in the denominator"
    assert SECRET.encode() not in everything(Path("run"))
    for words in (("runs", "show", "run"), ("report", "run"), ("explain", "run", "--item", ITEMS[1])):
        assert "error" in printed(capsys, 1 if words[0] == "report" else 0, *words)
    mend()
    assert printed(capsys, 0, *BASELINE)
    assert outcomes() == ["answered"] * 5


@pytest.mark.parametrize("step", ["after", "judge"])
def test_a_continued_run_tries_an_error_again_without_asking_again(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    install(tmp_path, monkeypatch, **{step: ITEMS[1:2]})
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with model_server() as server:
        words = (*BASELINE, "--model", "openai/x", "--model-arg", f"api_base={server.base}", "--no-cache")
        text = printed(capsys, 1, *words)
        assert "the same command tries it again" in text
        assert printed(capsys, 1, *words)
        assert outcomes().count("error") == 1
        mend()
        printed(capsys, 0, *words)
        assert server.stats()["seen"] == 5
    assert outcomes() == ["answered"] * 5


def test_a_rescore_counts_what_raises_and_mends_what_no_longer_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    install(tmp_path, monkeypatch, solve=ITEMS[:1])
    printed(capsys, 1, *BASELINE)
    mend(judge=ITEMS[1:2])
    assert result_of(capsys, 0, "rescore", "run")["counts"]["error"] == 2, "one has no reply that could be scored"
    mend()
    assert result_of(capsys, 0, "rescore", "run")["counts"]["error"] == 1
    printed(capsys, 0, *BASELINE)
    assert outcomes() == ["answered"] * 5


def test_an_exception_in_a_process_of_its_own_is_told_with_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    install(tmp_path, monkeypatch, solve=ITEMS[:2])
    monkeypatch.setattr("tsgkit.runs.executors.processors", lambda: 2)
    words = [word if word != "5" else "20" for word in BASELINE]
    assert "2 samples ended in an error: ValueError at faulty_suite.py:" in printed(capsys, 1, *words)
    assert outcomes().count("answered") == 18


SUITES = {
    "tsg/sgqa": ("tsg/data/tsgkit-1/sgqa.jsonl", "tsgkit.suites.tsg.qa.Questions.score", "[no]"),
    "formalimg/layout": ("formalimg/data/knolling.jsonl", "tsgkit.suites.formalimg.layout.LayoutTask.score", "[]"),
    "spatialgen/questions": ("spatialgen/data/questions.jsonl", "tsgkit.suites.spatialgen.replies.judged", "A"),
    "sceneeval/annotate": (
        "sceneeval/data/annotations.csv",
        "tsgkit.suites.sceneeval.annotate.compare_entries",
        "exactly 1 bed",
    ),
}
GROUPED = {"formalimg/layout": ("--by", "predicate"), "spatialgen/questions": ("--by", "scene")}


@pytest.mark.parametrize("always", [False, True], ids=["of replies", "of everything"])
@pytest.mark.parametrize("task", SUITES)
def test_score_counts_an_item_that_its_suite_cannot_judge_as_an_error(
    task: str, always: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    file, judge, text = SUITES[task]
    data = str(TASKS / file)
    first, second, *_ = task_of(load_card(task)).dataset(data).item_ids
    judged = pkgutil.resolve_name(judge)

    def stumbling(*said: Any, **named: Any) -> Any:  # noqa: ANN401
        place = next(number for number, one in enumerate(said) if hasattr(one, "item_id"))
        has_reply = re.search("reply|answered|unreadable", repr(said[place + 1]).lower())
        if said[place].item_id == first and (always or has_reply):
            raise ValueError(SECRET)
        return judged(*said, **named)

    monkeypatch.setattr(judge, stumbling)
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"item_id": one, "reply": text}) + "\n" for one in (first, second)))
    words = ("score", "--task", task, "--data", data, "--replies", str(replies), *GROUPED.get(task, ()))
    shown = printed(capsys, 1, *words)
    assert "1 item ended in an error: ValueError" in shown
    assert SECRET not in shown
    assert main([*words, "--json", "--samples"]) == 1
    value = json.loads(capsys.readouterr().out)
    assert value["counts"]["error"] == 1
    assert value["samples"][0]["outcome"] == "error"
    assert value["samples"][1]["outcome"] != "error"
    assert value["n"] == len(value["samples"]), "the item stays in the denominator"
