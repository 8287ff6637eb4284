"""Exports that need a library: logs of Inspect (tried with inspect_ai 0.3.285) read back by it, tables as Parquet."""

from __future__ import annotations

import csv
import json
import math
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest
from exported_runs import HOSTILE, check_figures, hostile_run, rows_asked, run_of, served_run, stopped_run
from reported import recorded
from samples import SGQA, lines

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.llm.reply import Reply, Usage
from tsgkit.report.exports import FORMATS, export_run
from tsgkit.report.exports.tables import TABLES, DataType
from tsgkit.version import __version__

if TYPE_CHECKING:  # takes seconds to import
    from inspect_ai.log import EvalLog, EvalSample


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    return tk.open_run(served_run(tmp_path_factory.mktemp("served") / "run"))


@pytest.fixture(scope="module")
def logs(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, EvalLog]:
    """Return the logs by the style of their rows."""
    files = run.export("inspect", tmp_path_factory.mktemp("logs") / "logs").files
    return {log.eval.task_args["style"]: log for log in map(read, files)}


def read(file: Path) -> EvalLog:
    from inspect_ai.log import read_eval_log

    return read_eval_log(file.as_posix())


def samples_of(log: EvalLog) -> list[EvalSample]:
    return log.samples or []


def one(log: EvalLog, item: str, epoch: int = 1) -> EvalSample:
    (found,) = (sample for sample in samples_of(log) if (sample.id, sample.epoch) == (item, epoch))
    return found


def test_samples_and_scores_say_what_the_run_says_and_repeats_are_epochs_of_one_log(
    run: tk.Run, logs: dict[str, EvalLog]
) -> None:
    assert {style: len(samples_of(log)) for style, log in logs.items()} == {"zero-shot": 8, "cot": 8}
    assert {(log.eval.config.epochs, log.status) for log in logs.values()} == {(2, "success")}
    for sample in run.samples:
        found = one(logs[sample.style], sample.item_id, sample.repeat + 1)
        assert (found.target, found.output.completion) == (sample.key, sample.reply or "")
        assert [(m.role, m.text) for m in found.input if not isinstance(m, str)] == [
            (message.role, message.content) for message in sample.prompt
        ]
        for name in ("answer", "cluster", "groups", "outcome", "counts", "evidence", "usage"):
            assert found.metadata[name] == getattr(sample, name)
        assert found.metadata["notes"] == list(sample.notes)
        assert (found.error.message if found.error else None) == sample.error
        scores = found.scores or {}
        meant = {f"{part}.{name}": value for part, of in sample.scores.items() for name, value in (of or {}).items()}
        assert {name: None if math.isnan(float(s.value)) else s.value for name, s in scores.items()} == meant  # type: ignore[arg-type]
        (row,) = sample.explain().rows
        for profile, of in row.judged.scores.items():
            for metric, score in of.items():
                told = scores[f"{profile}.{metric}"]
                assert (told.explanation, told.answer) == (score.reason or None, sample.answer)
                assert told.metadata == {"sum": score.sum, "weight": score.weight}


def test_a_failed_call_is_an_error_of_its_sample_and_no_score_of_the_model(
    logs: dict[str, EvalLog], tmp_path: Path
) -> None:
    sample = one(logs["cot"], "pcr/q0")
    assert sample.error is not None and "error 400" in sample.error.message
    assert {score.reason for score in (sample.scores or {}).values()} == {"api_error"}
    (event,) = (event for event in sample.events if event.event == "model")
    assert (event.error, event.output.choices) == (sample.error.message, [])
    (file,) = run_of(rows_asked(tmp_path), tmp_path / "run").export("inspect", tmp_path / "log.eval").files
    ends = [(one.metadata["outcome"] == "api_error", one.error is not None) for one in samples_of(read(file))]
    assert set(ends) == {(True, True), (False, False)}


def test_tokens_are_counted_as_inspect_counts_them_and_those_in_the_head_are_the_samples_together(
    logs: dict[str, EvalLog], tmp_path: Path
) -> None:
    """Cached input is not part of Inspect's input tokens."""
    usage = one(logs["cot"], "pcr/q1").model_usage["openai/org/m"]
    assert (usage.input_tokens, usage.input_tokens_cache_read, usage.output_tokens) == (60, 40, 10)
    assert (usage.total_tokens, usage.reasoning_tokens) == (110, 3)

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


def test_the_head_says_what_was_asked_and_results_are_those_of_the_run_with_their_intervals(
    run: tk.Run, logs: dict[str, EvalLog]
) -> None:
    spec = logs["cot"].eval
    assert (spec.task, spec.model, spec.solver) == ("tsg/sgqa", "openai/org/m", "single")
    assert spec.task_args == {"solver": "single", "style": "cot", "prompts": "default", "first": 4}
    assert spec.model_args["temperature"] == 0.5
    assert (spec.model_base_url or "").startswith("http://127.0.0.1:")
    assert (spec.dataset.name, spec.dataset.samples) == ("sgqa.jsonl", 4)
    header = json.loads((run.path / "run.json").read_text())
    told = {"data_sha256": header["asked"]["data"]["tsg/sgqa"], "run": header["identity"]}
    assert told.items() <= (spec.metadata or {}).items()
    assert (spec.packages, spec.created) == ({"tsgkit": __version__}, header["begun"])
    for result in run.results:
        results = logs[result.cell.style].results
        assert results is not None and results.metadata is not None
        assert (results.total_samples, results.completed_samples) == (8, 8)
        for profile, values in result.board.profiles.items():
            for name, value in ((name, value) for name, value in (values or {}).items() if value is not None):
                (score,) = (score for score in results.scores if score.name == f"{profile}.{name}")
                metric = score.metrics[f"repeat_{result.cell.repeat + 1}"]
                about = {"low": value.low, "high": value.high, "n": value.n, "level": 0.95, "is_share": value.is_share}
                assert (score.scorer, metric.value, metric.metadata) == (profile, value.value, about)
        board = results.metadata["repeats"][result.cell.repeat]
        assert (board["counts"], board["reasons"]) == (result.board.counts, result.board.reasons)
        not_a_node = next(one for one in results.scores if one.name == "strict.not_a_node").metrics
        assert not_a_node["mean"].value == (not_a_node["repeat_1"].value + not_a_node["repeat_2"].value) / 2


def test_every_draw_of_a_vote_is_an_event_in_a_span_of_its_name(tmp_path: Path) -> None:
    run = tk.open_run(served_run(tmp_path / "run", style="cot", repeat=1, solver="vote:3"))
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    sample = one(read(file), "pcr/q1")
    (meant,) = run.samples.of(item_id="pcr/q1")
    spans = [event.name for event in sample.events if event.event == "span_begin"]
    events = [event for event in sample.events if event.event == "model"]
    assert len(events) == 3 and spans[:3] == ["vote/0", "vote/1", "vote/2"]
    assert [(event.output.completion, [message.text for message in event.input]) for event in events] == [
        (call.reply.text, [message.content for message in call.prompt])
        for call in meant.calls
        if call.reply.source != "local"
    ]
    roles = [message.role for message in sample.messages]
    assert roles.count("user") == 1, "one prompt that is drawn three times stands once"
    assert roles.count("assistant") == len(meant.calls)
    assert sample.scores is not None and sample.scores["strict.exact_match"].answer == meant.answer


def test_an_unfinished_run_is_a_cancelled_log_and_hostile_items_are_text_in_the_archive(tmp_path: Path) -> None:
    (file,) = export_run(stopped_run(tmp_path / "run"), "inspect", tmp_path / "stopped.eval").files
    log = read(file)
    assert log.results is not None
    counts = (log.results.total_samples, log.results.completed_samples, len(samples_of(log)))
    assert (log.status, counts) == ("cancelled", (4, 2, 2))
    run = tk.open_run(hostile_run(tmp_path / "mine", repeat=2))
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    log = read(file)
    ids = [str(sample.id) for sample in samples_of(log)]
    assert (len(ids), len(set(ids))) == (10, 5), "an item has one harmless id in every epoch"
    assert not any(".." in one.split("/") or one.startswith("/") or not one.isprintable() for one in ids)
    meant = [sample.item_id.encode("utf-8", "backslashreplace").decode() for sample in run.samples]
    assert sorted(sample.metadata["item_id"] for sample in samples_of(log)) == sorted(meant)
    assert samples_of(log)[0].output.completion == f"[{HOSTILE}]".encode("utf-8", "backslashreplace").decode()


def test_an_exported_log_has_the_figures_of_its_run_and_every_sample_by_the_ids_in_its_head(tmp_path: Path) -> None:
    from inspect_ai.log import read_eval_log_samples

    check_figures(tmp_path, "inspect", "inspect")
    urls = ["https://example.org/rooms/0", "https://example.org/rooms/1", "/root", "x" * 300]
    rows = tmp_path / "sgqa.jsonl"
    rows.write_text(lines(*(SGQA | {"item_id": one, "scenario_id": one} for one in urls)), encoding="utf-8")
    run = tk.evaluate("sgqa", model={"cup": lambda _: "[cup]"}, data=rows, out=tmp_path / "run", quiet=True)
    (file,) = run.export("inspect", tmp_path / "log.eval").files
    samples = read_eval_log_samples(file.as_posix())
    assert [(one.metadata or {})["item_id"] for one in samples] == [sample.item_id for sample in run.samples]
    board = tk.score("sgqa", rows, file, source="inspect").board
    assert board == run.results[0].board and board.counts["answered"] == len(urls)


TYPES = {
    DataType.TEXT: "string",
    DataType.JSON: "string",
    DataType.WHOLE: "int64",
    DataType.NUMBER: "double",
    DataType.TRUTH: "bool",
}


def test_an_interrupted_export_leaves_nothing(run: tk.Run, tmp_path: Path) -> None:
    for to, row in [(to, row) for to in FORMATS for row in (1, len(run.samples))]:

        def interrupted(done: int, total: int, row: int = row) -> None:
            if done == row:
                signal.raise_signal(signal.SIGINT)

        with pytest.raises(KeyboardInterrupt):
            export_run(run.path, to, tmp_path / "out", done=interrupted)
        assert list(tmp_path.iterdir()) == [], (to, row)


MEASURE = """
import sys
from pathlib import Path
from tsgkit.report.exports import export_run, tables
tables.GROUP_LETTERS = 1 << 20
to, out, *runs = sys.argv[1:]
for run in runs:
    export_run(Path(run), to, Path(out + Path(run).parent.name))
    print(next(int(line.split()[1]) // 1024 for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""


def test_memory_hardly_grows_with_the_run(tmp_path: Path) -> None:
    """Seven times the samples, 9 MB more of output: a few MB more for their positions and for one group of rows."""
    runs = []
    for number in (15, 105):
        rows = [SGQA | {"item_id": f"i{place}"} for place in range(number)]
        replies = {f"i{place}/0": f"<think>{'x' * 100_000}</think>[cup]" for place in range(number)}
        runs.append(str(recorded(tmp_path / str(number), "sgqa", replies, rows=rows)))
    for to in ("csv", "parquet", "inspect"):
        words = [sys.executable, "-c", MEASURE, to, str(tmp_path / to), *runs]
        few, many = map(int, subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())
        assert many - few <= 4, to


def test_parquet_has_typed_columns_with_their_meaning_and_the_values_of_csv_and_pandas(tmp_path: Path) -> None:
    run = tk.open_run(served_run(tmp_path / "run", task=["sgqa", "ma-sgg"], solver=["single", "vote:3"], repeat=1))
    run.export("parquet", tmp_path / "parquet")
    run.export("csv", tmp_path / "csv")
    tables: dict[str, list[dict[str, Any]]] = {}
    for table, columns in TABLES.items():
        file = tmp_path / "parquet" / f"{table}.parquet"
        schema = pq.read_schema(file)
        assert [(field.name, str(field.type)) for field in schema] == [(one.name, TYPES[one.kind]) for one in columns]
        assert [field.metadata[b"meaning"].decode() for field in schema] == [one.meaning for one in columns]
        tables[table] = pq.read_table(file).to_pylist()
        with (tmp_path / "csv" / f"{table}.csv").open(encoding="utf-8", newline="") as stream:
            texts = list(csv.DictReader(stream))
        for one, other in zip(texts, tables[table], strict=True):
            for column in columns:
                text, value = one[column.name], other[column.name]
                if value is None:
                    assert text == ""
                elif column.kind in (DataType.WHOLE, DataType.NUMBER):
                    assert float(text) == value
                elif column.kind is DataType.TRUTH:
                    assert text == str(value).lower()
                elif text != value:
                    assert text.removeprefix("'") == value.encode("unicode_escape").decode().replace("\\\\", "\\")
    frame = run.samples.frame("pandas")
    for row, meant in zip(
        tables["samples"], frame.astype(object).where(frame.notna(), None).to_dict("records"), strict=True
    ):
        assert [row[name] for name in ("item_id", "prompt_tokens", "completion_tokens", "cost")] == [
            meant[name] for name in ("item_id", "usage.prompt", "usage.completion", "usage.cost")
        ]
    assert len(pandas.read_parquet(tmp_path / "parquet" / "scores.parquet")) == len(tables["scores"])


def test_parquet_holds_hostile_texts_as_they_are_and_refuses_numbers_that_are_too_large(tmp_path: Path) -> None:
    run = tk.open_run(hostile_run(tmp_path / "mine"))
    run.export("parquet", tmp_path / "out")
    whole = HOSTILE.encode("utf-8", "backslashreplace").decode()
    assert f"{whole}/0" in pq.read_table(tmp_path / "out" / "samples.parquet")["item_id"].to_pylist()
    assert pq.read_table(tmp_path / "out" / "calls.parquet")["reply"].to_pylist() == [f"[{whole}]"] * 5
    asked: dict[str, Any] = {"model": {"cup": lambda _: "[cup]"}, "first": 2, "style": "few-shot", "quiet": True}
    run = tk.evaluate("sgqa", out=tmp_path / "run", seed=[1 << 63, 2], **asked)
    with pytest.raises(UsageError, match=r"samples\.parquet: column seed: a number takes more than 64 bits"):
        run.export("parquet", tmp_path / "tables")
    assert not (tmp_path / "tables").exists()
