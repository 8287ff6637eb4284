"""Broken runs, and runs of newer versions, are named; whoever lists or reports several goes on with the others."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from run_files import lines
from shipped import DATA

from tsgkit.cli import main

Captured = pytest.CaptureFixture[str]
NESTED = "[" * 100_000
EVAL = ("eval", "--task", "sgqa", "--first", "2", "--quiet", "--out")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "run"
    assert main([*EVAL, str(path)]) == 0
    return path


def said(capsys: Captured, code: int, *words: str) -> str:
    capsys.readouterr()
    assert main(list(words)) == code, capsys.readouterr().err
    found = capsys.readouterr()
    return found.out + found.err


def header_with(**fields: Any) -> Any:  # noqa: ANN401
    def spoil(run: Path) -> None:
        header = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps(header | fields))

    return spoil


def asked_with(**fields: Any) -> Any:  # noqa: ANN401
    def spoil(run: Path) -> None:
        asked = json.loads((run / "run.json").read_text())["asked"]
        header_with(asked=asked | fields)(run)

    return spoil


def plan_with(**fields: Any) -> Any:  # noqa: ANN401
    def spoil(run: Path) -> None:
        plan = json.loads((run / "run.json").read_text())["plan"]
        header_with(plan=plan | fields, tsgkit="9.0")(run)

    return spoil


def last_line_with(name: str, text: str = "", **fields: Any) -> Any:  # noqa: ANN401
    def spoil(run: Path) -> None:
        *first, last = lines(run / name)
        line = text or json.dumps(last | fields)
        (run / name).write_text("".join(f"{json.dumps(one)}\n" for one in first) + line + "\n")

    return spoil


HEADERS: dict[str, tuple[Any, str]] = {
    "a plan that is a list": (header_with(plan=[]), "run.json: plan: not what a run has there"),
    "an unknown field": (plan_with(beams=4), "plan: beams: Extra inputs are not permitted (written by tsgkit 9.0)"),
    "asked nothing": (header_with(asked={}), "run.json: asked: no field data"),
    "items that are a list": (asked_with(items=[]), "run.json: asked: items: not what a run has there"),
    "an identity that is a number": (header_with(identity=7), "run.json: identity: not what a run has there"),
    "a deep header": (lambda run: (run / "run.json").write_text(NESTED), "run.json: nested too deeply"),
}
SAMPLES: dict[str, tuple[Any, str]] = {
    "an unknown outcome": (last_line_with("samples.jsonl", outcome="bored"), "line 2: outcome: not what a run has"),
    "a list for an outcome": (last_line_with("samples.jsonl", outcome=[]), "line 2: outcome: not what a run has"),
    "parts that are a list": (last_line_with("samples.jsonl", parts=[]), "line 2: parts: not what a run has there"),
    "a weight without end": (
        last_line_with("samples.jsonl", parts={"strict": {"exact_match": [0, float("inf")]}}),
        "line 2: parts: not what a run has there",
    ),
    "a deep line": (last_line_with("samples.jsonl", NESTED), "samples.jsonl: line 2: nested too deeply"),
}


@pytest.mark.parametrize(("spoil", "words"), [*HEADERS.values(), *SAMPLES.values()], ids=[*HEADERS, *SAMPLES])
def test_broken_run_is_named_and_others_are_shown(
    spoil: Any,  # noqa: ANN401
    words: str,
    whole: Path,
    tmp_path: Path,
    capsys: Captured,
) -> None:
    good, bad = (Path(shutil.copytree(whole, tmp_path / name)) for name in ("good", "bad"))
    spoil(bad)
    for command in (("runs", "list", str(tmp_path)), ("report", str(bad), str(good))):
        text = said(capsys, 1, *command)
        assert words in text
        assert "bad" in text
        assert "tsg/sgqa" in text
    for line in (f"runs show {bad}", f"report {bad}", f"explain {bad} --item bread/q0"):
        assert words in said(capsys, 2, *line.split())


@pytest.mark.parametrize("fields", [{"pooling": "by newer ways"}, {"meaning": None, "pooling": []}, None])
def test_what_a_newer_version_keeps_of_a_task_is_named(
    fields: dict[str, Any] | None, whole: Path, tmp_path: Path, capsys: Captured
) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    asked = json.loads((run / "asked/asked.json").read_text())
    metrics = asked["tasks"]["tsg/sgqa"]["metrics"]
    metrics["exact_match"] = None if fields is None else metrics["exact_match"] | fields
    (run / "asked/asked.json").write_text(json.dumps(asked))
    for words in (["report", str(run)], ["rescore", str(run)], ["runs", "show", str(run)]):
        text = said(capsys, 2, *words)
        assert "asked.json: tasks: tsg/sgqa: not a task" in text
        assert "use the version that wrote it" in text


@pytest.mark.parametrize("field", ["begun", "tsgkit", "identity", "name"])
def test_control_characters_in_a_header_are_never_live(
    field: str, whole: Path, tmp_path: Path, capsys: Captured
) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    header_with(**{field: "\x1b]0;title\x07\x1b[31m"})(run)
    for words in (["runs", "show", str(run)], ["runs", "list", str(tmp_path)]):
        assert "\x1b" not in said(capsys, 0, *words)


def test_a_hash_that_is_none_is_named(whole: Path, tmp_path: Path, capsys: Captured) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    (run / "prompts.jsonl").write_text('{"hash": "who?", "messages": []}\n')
    assert "prompts.jsonl: line 1: hash: not what a run has" in said(capsys, 2, "rescore", str(run))


@pytest.mark.parametrize("fields", [{"reply": []}, {"reply": {"ending": "bored"}}, {"label": 7}])
def test_broken_call_is_named(fields: dict[str, Any], whole: Path, tmp_path: Path, capsys: Captured) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    last_line_with("calls.jsonl", **fields)(run)
    for command in (("explain", str(run), "--item", "bread/q1"), ("rescore", str(run))):
        assert "calls.jsonl: line 2: " in said(capsys, 2, *command)


def test_run_killed_before_its_first_record_is_shown(whole: Path, tmp_path: Path, capsys: Captured) -> None:
    run = Path(shutil.copytree(whole, tmp_path / "run"))
    for name in ("samples.jsonl", "calls.jsonl", "prompts.jsonl"):
        (run / name).unlink(missing_ok=True)
    assert "2 of 2 samples not asked" in said(capsys, 0, "runs", "show", str(run))
    assert "not asked yet" in said(capsys, 0, "explain", str(run), "--item", "bread/q0")
    assert "0 of 2" in said(capsys, 0, "runs", "list", str(tmp_path))
    said(capsys, 0, "report", str(run))
    said(capsys, 0, "rescore", str(run))
    said(capsys, 0, *EVAL, str(run))


def test_data_file_whose_name_is_not_utf8_is_read(tmp_path: Path, capsys: Captured) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/sg\xffqa.jsonl")
    shutil.copy(DATA / "sgqa.jsonl", name)
    run = str(tmp_path / "run")
    said(capsys, 0, *EVAL, run, "--data", name)
    said(capsys, 0, *EVAL, run, "--data", name)
    for command in (("runs", "show", run), ("report", run), ("explain", run, "--item", "bread/q0"), ("check", name)):
        said(capsys, 0, *command)
    said(capsys, 0, "report", run, "-o", str(tmp_path / "page.html"))
