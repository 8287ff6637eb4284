"""Logs of Inspect, read back by inspect_ai and compared with the run field by field, and shown by its viewer.

Tried with inspect_ai 0.3.285.
"""

from __future__ import annotations

import json
import math
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from exported_runs import HOSTILE, hostile_run, served_run, stopped_run
from inspect_ai.log import EvalLog, EvalSample, read_eval_log
from run_files import lines
from stored_samples import STORED

import tsgkit as tk
from tsgkit.llm.reply import Reply, Usage
from tsgkit.report.exports import export_run
from tsgkit.runs.plan import Cell
from tsgkit.version import __version__


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    return tk.open_run(served_run(tmp_path_factory.mktemp("served") / "run"))


@pytest.fixture(scope="module")
def folder(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs") / "logs"
    run.export("inspect", folder)
    return folder


@pytest.fixture(scope="module")
def logs(folder: Path) -> dict[str, EvalLog]:
    """Return the logs by the style of their rows."""
    return {log.eval.task_args["style"]: log for log in map(read, sorted(folder.iterdir()))}


def read(file: Path) -> EvalLog:
    return read_eval_log(file.as_posix())


def samples_of(log: EvalLog) -> list[EvalSample]:
    assert log.samples is not None
    return log.samples


def one(log: EvalLog, item: str, epoch: int = 1) -> EvalSample:
    (found,) = (sample for sample in samples_of(log) if (sample.id, sample.epoch) == (item, epoch))
    return found


def test_rows_that_differ_in_their_repeat_are_epochs_of_one_log(run: tk.Run, logs: dict[str, EvalLog]) -> None:
    assert set(logs) == {"zero-shot", "cot"}
    for style, log in logs.items():
        meant = [(sample.item_id, sample.repeat + 1) for sample in run.samples.of(style=style)]
        assert sorted((sample.id, sample.epoch) for sample in samples_of(log)) == sorted(meant)
        assert log.eval.config.epochs == 2
        assert log.status == "success"


def test_samples_say_what_the_run_says(run: tk.Run, logs: dict[str, EvalLog]) -> None:
    for sample in run.samples:
        found = one(logs[sample.style], sample.item_id, sample.repeat + 1)
        assert found.target == sample.key
        assert found.output.completion == (sample.reply or "")
        assert [(m.role, m.text) for m in found.input if not isinstance(m, str)] == [
            (message.role, message.content) for message in sample.prompt
        ]
        assert found.metadata["answer"] == sample.answer
        for name in ("cluster", "groups", "outcome", "counts", "evidence"):
            assert found.metadata[name] == getattr(sample, name)
        assert found.metadata["notes"] == list(sample.notes)
        assert (found.error.message if found.error else None) == sample.error
        assert found.metadata["usage"] == sample.usage


def test_scores_of_both_profiles_carry_answer_and_reason(run: tk.Run, logs: dict[str, EvalLog]) -> None:
    for sample in run.samples:
        found = one(logs[sample.style], sample.item_id, sample.repeat + 1).scores or {}
        meant = {
            f"{profile}.{metric}": value
            for profile, scores in sample.scores.items()
            for metric, value in (scores or {}).items()
        }
        assert {name: None if math.isnan(float(s.value)) else s.value for name, s in found.items()} == meant  # type: ignore[arg-type]
        (row,) = sample.explain().rows
        for profile, scores in row.judged.scores.items():
            for metric, score in scores.items():
                told = found[f"{profile}.{metric}"]
                assert told.explanation == (score.reason or None)
                assert told.answer == sample.answer
                assert told.metadata == {"sum": score.sum, "weight": score.weight}


def test_a_failed_call_is_an_error_of_its_sample_and_no_score_of_the_model(logs: dict[str, EvalLog]) -> None:
    sample = one(logs["cot"], "bread/q0")
    assert sample.error is not None and "error 400" in sample.error.message
    assert {score.reason for score in (sample.scores or {}).values()} == {"api_error"}
    (event,) = (event for event in sample.events if event.event == "model")
    assert event.error == sample.error.message
    assert event.output.choices == []


def test_tokens_are_counted_as_inspect_counts_them(logs: dict[str, EvalLog]) -> None:
    """Cached input is not part of Inspect's input tokens."""
    usage = one(logs["cot"], "bread/q1").model_usage["openai/org/m"]
    assert (usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens) == (60, 40, 10)
    assert (usage.total_tokens, usage.reasoning_tokens) == (110, 3)
    total = logs["cot"].stats.model_usage["openai/org/m"]
    assert (total.total_tokens, total.input_tokens_cache_read) == (6 * 110, 6 * 40)


def test_the_tokens_in_the_head_are_those_of_the_samples_together(tmp_path: Path) -> None:
    def model(messages: list[dict[str, str]]) -> Reply:
        cached = len(messages[-1]["content"]) % 7
        return Reply("[cup]", usage=Usage(prompt=100, completion=10, cached=cached, written=30, cost=0.5))

    run = tk.evaluate("sgqa", model={"m": model}, first=4, out=tmp_path / "run", quiet=True, cache=False)
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    log = read(file)
    ((name, total),) = log.stats.model_usage.items()
    parts = [sample.model_usage[name] for sample in samples_of(log)]
    assert total == sum(parts[1:], parts[0])
    assert (total.input_tokens_cache_write, total.total_tokens) == (120, 440)
    assert total.input_tokens + (total.input_tokens_cache_read or 0) + 120 == 400


def test_the_head_says_what_was_asked(run: tk.Run, logs: dict[str, EvalLog]) -> None:
    spec = logs["cot"].eval
    assert (spec.task, spec.model, spec.solver) == ("tsg/sgqa", "openai/org/m", "single")
    assert spec.task_args == {"solver": "single", "style": "cot", "prompts": "default", "first": 4}
    assert spec.model_args["temperature"] == 0.5
    assert (spec.model_base_url or "").startswith("http://127.0.0.1:")
    assert (spec.dataset.name, spec.dataset.samples) == ("sgqa.jsonl", 4)
    header = json.loads((run.path / "run.json").read_text())
    assert spec.metadata is not None
    assert spec.metadata["data_sha256"] == header["asked"]["data"]["tsg/sgqa"]
    assert spec.metadata["run"] == header["identity"]
    assert spec.packages == {"tsgkit": __version__}
    assert spec.created == header["begun"]


def test_results_are_those_of_the_run_with_their_intervals(run: tk.Run, logs: dict[str, EvalLog]) -> None:
    for result in run.results:
        results = logs[result.cell.style].results
        assert results is not None and results.metadata is not None
        assert (results.total_samples, results.completed_samples) == (8, 8)
        for profile, values in result.board.profiles.items():
            for name, value in (values or {}).items():
                if value is None:
                    continue
                (score,) = (score for score in results.scores if score.name == f"{profile}.{name}")
                metric = score.metrics[f"repeat_{result.cell.repeat + 1}"]
                about = {"low": value.low, "high": value.high, "n": value.n, "level": 0.95, "is_share": value.is_share}
                assert (score.scorer, metric.value, metric.metadata) == (profile, value.value, about)
        board = results.metadata["repeats"][result.cell.repeat]
        assert (board["counts"], board["reasons"]) == (result.board.counts, result.board.reasons)
    results = logs["cot"].results
    assert results is not None
    not_a_node = next(one for one in results.scores if one.name == "strict.not_a_node").metrics
    assert not_a_node["mean"].value == (not_a_node["repeat_1"].value + not_a_node["repeat_2"].value) / 2


def test_every_draw_of_a_vote_is_an_event_in_a_span_of_its_name(tmp_path: Path) -> None:
    run = tk.open_run(served_run(tmp_path / "run", style="cot", repeat=1, solver="vote:3"))
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    sample = one(read(file), "bread/q1")
    (meant,) = run.samples.of(item_id="bread/q1")
    spans = [event.name for event in sample.events if event.event == "span_begin"]
    events = [event for event in sample.events if event.event == "model"]
    asked = [call for call in meant.calls if call.reply.source != "local"]
    assert len(events) == len(asked) == 3
    assert [event.output.completion for event in events] == [call.reply.text for call in asked]
    assert [[message.text for message in event.input] for event in events] == [
        [message.content for message in call.prompt] for call in asked
    ]
    assert spans[:3] == ["vote/0", "vote/1", "vote/2"]
    roles = [message.role for message in sample.messages]
    assert roles.count("user") == 1, "one prompt that is drawn three times stands once"
    assert roles.count("assistant") == len(meant.calls)
    assert sample.scores is not None and sample.scores["strict.exact_match"].answer == meant.answer


def test_an_unfinished_run_is_a_cancelled_log_of_what_is_there(tmp_path: Path) -> None:
    (file,) = export_run(stopped_run(tmp_path / "run"), "inspect", tmp_path / "log.eval").files
    log = read(file)
    assert log.status == "cancelled" and log.results is not None
    assert (log.results.total_samples, log.results.completed_samples, len(samples_of(log))) == (4, 2, 2)


def test_hostile_items_are_text_and_stay_in_the_archive(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine", repeat=2))
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    log = read(file)
    ids = [str(sample.id) for sample in samples_of(log)]
    assert (len(ids), len(set(ids))) == (10, 5), "an item has one harmless id in every epoch"
    assert not any(".." in one.split("/") or one.startswith("/") or not one.isprintable() for one in ids)
    meant = [sample.item_id.encode("utf-8", "backslashreplace").decode() for sample in run.samples]
    assert sorted(sample.metadata["item_id"] for sample in samples_of(log)) == sorted(meant)
    assert samples_of(log)[0].output.completion == f"[{HOSTILE}]".encode("utf-8", "backslashreplace").decode()


def cell_of(log: EvalLog, sample: EvalSample, cells: list[Cell]) -> Cell:
    """Return the row that a sample of a log is of."""
    asked = log.eval.task_args
    (found,) = (
        cell
        for cell in cells
        if (cell.subject, cell.task) == (log.eval.model, log.eval.task)
        and (cell.solver, cell.style or None) == (asked["solver"], asked.get("style"))
    )
    return found._replace(repeat=sample.epoch - 1)


@contextmanager
def viewer(folder: Path, home: Path) -> Iterator[str]:
    """Yield the address of Inspect's viewer of a folder of logs."""
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        port = found.getsockname()[1]
    words = ["view", "start", "--log-dir", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    code = "import sys; from inspect_ai._cli.main import main; sys.argv = ['inspect', *sys.argv[1:]]; main()"
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "-c", code, *words], env={"HOME": str(home)}, **quiet)
    address = f"http://127.0.0.1:{port}"
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until and process.poll() is None:
            try:
                get(f"{address}/api/log-dir")
                break
            except OSError:
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def get(address: str) -> Any:  # noqa: ANN401
    with urllib.request.urlopen(address, timeout=20) as answer:  # noqa: S310
        return json.loads(answer.read())


def test_stored_runs_of_every_suite_are_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for suite, name in (("tsg", "agent"), ("tsg", "stopped"), ("formalimg", "judged-knolling"), ("sceneeval", "rules")):
        monkeypatch.chdir(STORED / suite)
        run = tk.open_run(name)
        cells = [cell for cell in run.cells if cell.repeat == 0]
        logs = [read(file) for file in run.export("inspect", tmp_path / f"{suite}-{name}").files]
        found = [(sample, cell_of(log, sample, cells)) for log in logs for sample in samples_of(log)]
        recorded = {(*meant.cell, meant.item_id): meant for meant in run.samples}
        assert len(found) == len(lines(Path(name, "samples.jsonl"))), name
        for sample, cell in found:
            meant = recorded[(*cell, str(sample.id))]
            assert sample.metadata["outcome"] == meant.outcome
            models = [event for event in sample.events if event.event in ("model", "info")]
            assert len(models) == len(meant.calls)


def test_the_viewer_of_inspect_lists_and_serves_the_logs(folder: Path, tmp_path: Path) -> None:
    with viewer(folder, tmp_path) as address:
        files = get(f"{address}/api/log-files")["files"]
        assert {Path(one["name"]).name for one in files} == {path.name for path in folder.iterdir()}
        assert {one["task"] for one in files} == {"tsg-sgqa"}
        log = get(f"{address}/api/logs/{quote(files[0]['name'], safe='')}")
    assert log["eval"]["task"] == "tsg/sgqa"
    assert len(log["samples"]) == 8
    assert log["samples"][0]["scores"].keys() >= {"strict.exact_match", "official.exact_match"}
