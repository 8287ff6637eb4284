"""Exported logs, scored with ``score --from``: every reply is found, and the figures are those of the run."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from samples import SGQA, lines

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.llm.reply import Ending, Reply

URLS = [f"https://example.org/rooms/{number}" for number in range(3)] + ["/root", "x" * 300]


def rows_file(folder: Path, item_ids: list[str]) -> Path:
    """Return a file of rows that have these ids."""
    file = folder / "sgqa.jsonl"
    file.write_text(lines(*(SGQA | {"item_id": one, "scenario_id": one} for one in item_ids)), encoding="utf-8")
    return file


def test_every_sample_of_an_inspect_log_is_read_back_by_the_ids_in_its_head(tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="the extra inspect is not installed")
    rows = rows_file(tmp_path, URLS)
    run = tk.evaluate("sgqa", model={"cup": lambda _: "[cup]"}, data=rows, out=tmp_path / "run", quiet=True)
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    samples = list(log_module.read_eval_log_samples(file.as_posix()))
    assert [sample.metadata["item_id"] for sample in samples] == [sample.item_id for sample in run.samples]
    report = tk.score("sgqa", rows, file, source="inspect")
    assert report.board.counts["answered"] == len(URLS)
    assert report.board == run.results[0].board


SAID = {
    "answered": [Reply("[cup]")],
    "truncated": [Reply("[cu", Ending.TRUNCATED, finish_reason="length")],
    "refused": [Reply("[cup]", Ending.REFUSED, finish_reason="content_filter")],
    "api_error": [Reply(None, Ending.API_ERROR)],
    "empty": [Reply("", Ending.EMPTY)],
    "voted": [Reply("[cup]"), Reply("[cup]", Ending.TRUNCATED, finish_reason="length"), Reply("[towel]")],
    "failed": [Reply("[cup]"), Reply("[cup]"), Reply(None, Ending.API_ERROR)],
    "won": [Reply("[cup]"), Reply("[towel]"), Reply("[cup]")],
    "silent": [Reply("", Ending.EMPTY), Reply(None, Ending.REFUSED), Reply("[cup]", Ending.TRUNCATED)],
}
"""The replies to the first, second and third call about an item; the last one repeats."""


def rows_asked(folder: Path) -> Path:
    """Return a file of rows whose prompts hold the names of their replies."""
    rows = [
        SGQA | {"item_id": name, "scenario_id": name, "qa_pairs": [{"Q": f"What is washed, {name}?", "A": "cup"}]}
        for name in SAID
    ]
    file = folder / "sgqa.jsonl"
    file.write_text(lines(*rows), encoding="utf-8")
    return file


def run_of(rows: Path, folder: Path, **options: Any) -> tk.Run:  # noqa: ANN401
    asked: Counter[str] = Counter()

    def model(messages: list[dict[str, str]]) -> Reply:
        name = next(name for name in SAID if f"washed, {name}?" in messages[-1]["content"])
        asked[name] += 1
        return SAID[name][min(asked[name], len(SAID[name])) - 1]

    return tk.evaluate("sgqa", model={"cup": model}, data=rows, out=folder, quiet=True, cache=False, **options)


@pytest.mark.parametrize(("to", "source"), [("inspect", "inspect"), ("jsonl", "lm-eval")])
@pytest.mark.parametrize(("solver", "style"), [("single", "zero-shot"), ("vote:3", "zero-shot"), ("single", "cot")])
def test_an_exported_log_has_the_figures_of_its_run(
    tmp_path: Path, to: str, source: str, solver: str, style: str
) -> None:
    if to == "inspect":
        pytest.importorskip("inspect_ai", reason="the extra inspect is not installed")
    rows = rows_asked(tmp_path)
    run = run_of(rows, tmp_path / "run", solver=solver, style=style)
    (file,) = run.export(to, tmp_path / "logs").files
    report = tk.score("sgqa", rows, file, source=source)
    assert report.style == style
    meant = {sample.item_id: (sample.outcome, sample.answer) for sample in run.samples}
    assert {one.sample.item_id: (str(one.outcome), one.answer) for one in report.judged} == meant
    assert {"answered", "truncated", "refused", "api_error", "empty"} <= {outcome for outcome, _ in meant.values()}
    assert report.board == run.results[0].board


def test_another_style_than_that_of_the_log_can_be_named_and_a_mixture_is_refused(tmp_path: Path) -> None:
    rows = rows_asked(tmp_path)
    files = [
        run_of(rows, tmp_path / style, style=style).export("jsonl", tmp_path / f"{style}-logs").files[0]
        for style in ("zero-shot", "cot")
    ]
    assert tk.score("sgqa", rows, files[1], source="lm-eval", style="few-shot").style == "few-shot"
    half = [file.read_text("ascii").splitlines(keepends=True)[8 * place :][:8] for place, file in enumerate(files)]
    files[0].write_text("".join(half[0] + half[1]), encoding="ascii")
    with pytest.raises(UsageError, match="of several styles: cot, zero-shot"):
        tk.score("sgqa", rows, files[0], source="lm-eval")


def test_a_failed_call_without_a_reason_is_an_error_in_a_log_of_inspect(tmp_path: Path) -> None:
    log_module = pytest.importorskip("inspect_ai.log", reason="the extra inspect is not installed")
    (file,) = run_of(rows_asked(tmp_path), tmp_path / "run").export("inspect", tmp_path / "log.eval").files
    samples = log_module.read_eval_log(file.as_posix()).samples
    failed = {sample.metadata["item_id"] for sample in samples if sample.error is not None}
    assert failed == {sample.metadata["item_id"] for sample in samples if sample.metadata["outcome"] == "api_error"}
    assert failed


def test_a_vote_in_a_log_that_lacks_its_calls_is_refused(tmp_path: Path) -> None:
    rows = rows_asked(tmp_path)
    (file,) = run_of(rows, tmp_path / "run", solver="vote:3").export("jsonl", tmp_path / "logs").files
    values = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    for value in values:
        value["tsgkit"]["calls"] = [[call["label"], call["draw"]] for call in value["tsgkit"]["calls"]]
    file.write_text(lines(*values), encoding="utf-8")
    with pytest.raises(UsageError, match="has several calls") as problem:
        tk.score("sgqa", rows, file, source="lm-eval")
    assert "tsgkit export" in problem.value.hint


def test_outcomes_in_a_log_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    rows = rows_asked(tmp_path)
    run = run_of(rows, tmp_path / "run")
    (file,) = run.export("jsonl", tmp_path / "logs").files
    values = [json.loads(line) for line in file.read_text("ascii").splitlines()]
    for value in values:
        value["tsgkit"]["calls"] = [[call["label"], call["draw"]] for call in value["tsgkit"]["calls"]]
    file.write_text(lines(*values), encoding="utf-8")
    assert tk.score("sgqa", rows, file, source="lm-eval").board == run.results[0].board
