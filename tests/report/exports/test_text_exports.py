"""Exports of runs as text: checked first, written whole or not at all, and they say what the run says.

Tables are CSV; logs are JSON lines in the form of lm-evaluation-harness (0.4.13), with its fields, types and hashes.
"""

from __future__ import annotations

import csv
import hashlib
import json
import re
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from exported_runs import (
    HOSTILE,
    KEY,
    check_figures,
    hostile_run,
    largest_file,
    rows_asked,
    run_of,
    served_run,
    stopped_run,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from run_files import write_lines
from samples import lines

import tsgkit as tk
from tsgkit.errors import ExtraMissing, FileProblem, UsageError
from tsgkit.report.exports import export_run, run_export
from tsgkit.report.exports.exported_run import file_name, whole
from tsgkit.report.exports.tables import TABLES, DataType
from tsgkit.report.spreadsheet import FORMULA

TEXTS = ("csv", "jsonl")
"""Formats that need no library."""
LIBRARY = {"inspect": "inspect_ai", "parquet": "pyarrow"}
PARSED: dict[DataType, Callable[[str], Any]] = {
    DataType.TEXT: str, DataType.JSON: json.loads, DataType.WHOLE: int, DataType.NUMBER: float,
    DataType.TRUTH: "true".__eq__,
}  # fmt: skip
FIELDS = {
    "doc_id": int, "doc": dict, "target": str, "arguments": dict, "resps": list, "filtered_resps": list, "filter": str,
    "metrics": list, "doc_hash": str, "prompt_hash": str, "target_hash": str,
}  # fmt: skip
"""Its fixed fields. The values of the metrics stand beside them, and what it has no field for under ``tsgkit``."""
NAME = re.compile(r"samples_([^_/]+)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.jsonl")
"""It finds a task before, and a time after, the last underscore."""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run", solver=["single", "vote:3"], repeat=1)


@pytest.fixture(scope="module")
def run(served: Path) -> tk.Run:
    return tk.open_run(served)


@pytest.fixture(scope="module")
def stopped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return stopped_run(tmp_path_factory.mktemp("stopped") / "run")


@pytest.mark.parametrize("to", [*TEXTS, *(to for to, library in LIBRARY.items() if find_spec(library))])
def test_an_export_counts_every_sample_holds_no_key_and_is_the_same_twice(
    to: str, served: Path, stopped: Path, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    first = export_run(served, to, tmp_path / "a", done=lambda done, total: told.append((done, total))).files
    assert told == [(number, 16) for number in range(1, 17)]
    second = tk.export(tk.open_run(served), to=to, path=str(tmp_path / "b")).files
    written = [
        {str(file.relative_to(tmp_path / name)): file.read_bytes() for file in files}
        for name, files in (("a", first), ("b", second))
    ]
    assert written[0].keys() == written[1].keys()
    assert to == "inspect" or written[0] == written[1], "the archive holds the times of its members"
    for file in first:
        if file.suffix == ".eval":
            shutil.unpack_archive(file, tmp_path / "a" / file.stem, "zip")
    found = b"".join(path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file())
    assert KEY.encode() not in found
    assert to == "parquet" or b"[redacted]" in found, "the server did say it"
    exported = export_run(stopped, to, tmp_path / "there")
    assert (exported.samples, exported.unasked) == (2, 2)
    for size in (0, 6000):
        with largest_file(size), pytest.raises(FileProblem, match=r"out: cannot be written: .*large"):
            export_run(served, to, tmp_path / "out")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "there"]


def test_hostile_names_and_texts_give_harmless_files_and_no_cell_that_a_spreadsheet_obeys(tmp_path: Path) -> None:
    run, out = hostile_run(tmp_path / "run"), tmp_path / "a" / "b" / "out"
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    out.mkdir(parents=True)
    files = {to: export_run(run, to, out / to).files for to in TEXTS}
    written = {file for of in files.values() for file in of}
    for file in written:
        assert out in file.resolve().parents
        assert re.fullmatch(r"[A-Za-z0-9._/-]+", str(file.relative_to(out)))
    assert {path for path in tmp_path.rglob("*") if path.is_file()} - before == written
    for file in files["csv"]:
        for column, text in (pair for row in read_csv(file) for pair in row.items()):
            assert not text.lstrip().startswith(FORMULA) or re.fullmatch(r"-?[0-9.e-]+", text), column
            assert not re.search(r"[\x00-\x1f\x7f]", text), column
    assert any(HOSTILE[:12] in row["item_id"] for row in read_csv(out / "csv" / "samples.csv"))
    (file,) = files["jsonl"]
    assert file.read_bytes().isascii() and b"\x1b" not in file.read_bytes()
    assert sorted(line["filter"] for line in values_in(file)) == ["official"] * 5 + ["strict"] * 5


ANYTHING = st.text(st.characters(exclude_characters="\0"), max_size=40) | st.sampled_from(
    ["../..", "/etc", ".", "=1+1", "\ud800\udc00", "\ud83d", "a\\x1b", "\x1b[2J", "\u202ex", "-1|cmd", "%2E%2E"]
)
VALUES = st.recursive(ANYTHING | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(ANYTHING, inner))


@given(st.lists(ANYTHING), VALUES)
@settings(max_examples=50)
def test_names_of_files_are_short_plain_words_and_whole_values_are_unicode(parts: list[str], value: object) -> None:
    name = file_name(*parts)
    assert re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.-]{0,59}", name) and not name.endswith((".", "-"))
    json.dumps(whole(value), ensure_ascii=False).encode("utf-8")
    assert whole(whole(value)) == whole(value)
    text = json.dumps(value, ensure_ascii=False)
    if text == text.encode("utf-8", "ignore").decode():
        assert whole(value) == value


def test_what_cannot_be_exported_is_refused_and_leaves_everything(
    served: Path, stopped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for to, library in LIBRARY.items():
        monkeypatch.setattr(run_export, "find_spec", lambda name: None)
        with pytest.raises(ExtraMissing, match=f"{library}, which is not installed") as missing:
            export_run(tmp_path / "nothing", to, tmp_path / "out")
        assert f'pip install "tsgkit[{to}]"' in missing.value.hint
    with pytest.raises(UsageError, match="there is no format parket"):
        export_run(Path("run"), "parket", Path("out"))
    with pytest.raises(UsageError, match="to: 3 is no name of a format"):
        tk.export(served, to=3, path="x")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="path: None is no path"):
        tk.export(served, to="csv", path=None)  # type: ignore[arg-type]
    empty = Path(shutil.copytree(stopped, tmp_path / "empty"))
    for name in ("calls", "samples"):
        write_lines(empty / f"{name}.jsonl", [])
    run = Path(shutil.copytree(served, tmp_path / "run"))
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").write_text("mine")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for source, target, problem in [
        (empty, "out", "no sample of this run has an answer yet"),
        (run, "file/out", "there is no folder"),
        (run, "file", "this is a file, and several are written"),
        (run, "full", "1 file already here would be lost"),
        (run, "one.jsonl", "the run gives 4 files, not one file"),
        (run, "run", "whose files are not touched"),
        (run, "run/out", "whose files are not touched"),
    ]:
        with pytest.raises(UsageError, match=problem):
            export_run(source, "jsonl", tmp_path / target)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before, target


def test_force_replaces_files_of_the_same_names_alone(served: Path, stopped: Path, tmp_path: Path) -> None:
    file, kept = tmp_path / "mine.jsonl", tmp_path / "out" / "mine.txt"
    assert export_run(stopped, "jsonl", file).files == (file,), "one row is one file where one is named"
    with pytest.raises(FileProblem, match="already here would be lost"):
        export_run(stopped, "jsonl", file)
    files = export_run(served, "csv", tmp_path / "out").files
    for one in (file, kept, files[0]):
        one.write_text("mine")
    export_run(stopped, "jsonl", file, force=True)
    export_run(served, "csv", tmp_path / "out", force=True)
    assert len(file.read_text().splitlines()) == 4
    assert files[0].read_text("utf-8").startswith("run,subject,")
    assert kept.read_text() == "mine"


def read_csv(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def unquoted(text: str) -> str:
    return text[1:] if text[0] == "'" and text[1:].lstrip().startswith(FORMULA) else text


def test_tables_say_of_every_sample_call_and_score_what_the_run_says(run: tk.Run, tmp_path: Path) -> None:
    run.export("csv", tmp_path)
    tables = {
        table: [
            {one.name: PARSED[one.kind](unquoted(row[one.name])) if row[one.name] else None for one in columns}
            for row in read_csv(tmp_path / f"{table}.csv")
        ]
        for table, columns in TABLES.items()
    }
    same = ("subject", "task", "solver", "style", "repeat", "item_id", "cluster", "outcome", "groups", "counts")
    for row, sample in zip(tables["samples"], run.samples, strict=True):
        assert {name: row[name] for name in (*same, "evidence")} == {
            name: getattr(sample, name) for name in (*same, "evidence")
        }
        assert (row["wrong"], row["metric"], row["notes"]) == (sample.is_wrong, sample.metric, list(sample.notes))
        assert row["value"] == (sample.scores["strict"] or {})[str(row["metric"])]
        assert (row["error"] is None) == (sample.error is None)
    failed = [row for row in tables["samples"] if row["outcome"] == "api_error"]
    assert failed and all(row["prompt_tokens"] is None for row in failed), "null unless every call reports it"
    meant = [(sample.item_id, place, call) for sample in run.samples for place, call in enumerate(sample.calls)]
    for row, (item, place, call) in zip(tables["calls"], meant, strict=True):
        assert (row["item_id"], row["place"], row["label"], row["draw"]) == (item, place, call.label, call.draw)
        assert [one["role"] for one in row["messages"] or ()] == [message.role for message in call.prompt]
        assert (row["source"], row["ending"]) == (call.reply.source, str(call.reply.ending))
        assert (row["prompt_tokens"], row["cached_tokens"]) == (call.reply.usage.prompt, call.reply.usage.cached)
        assert row["seconds"] == call.reply.seconds
    names = ("task", "solver", "style", "repeat", "item_id", "profile", "metric")
    rows = {tuple(row[name] for name in names): row for row in tables["scores"]}
    assert len(rows) == len(tables["scores"])
    for sample in run.samples:
        (explained,) = sample.explain().rows
        for profile, scores in explained.judged.scores.items():
            for metric, score in scores.items():
                row = rows.pop((*(getattr(sample, name) for name in names[:5]), profile, metric))
                assert (row["value"], row["sum"], row["weight"]) == (score.value, score.sum, score.weight)
                assert (row["reason"] or "") == score.reason
    assert rows == {}


def values_in(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("ascii").splitlines()]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_logs_have_the_fields_of_lm_eval_and_a_line_for_each_profile_of_a_sample(run: tk.Run, tmp_path: Path) -> None:
    found = run.export("jsonl", tmp_path).files
    assert {file.parent.name for file in found} == {"openai-org-m"}
    files = {match[1]: values_in(file) for file in found if (match := NAME.fullmatch(file.name))}
    names = ("tsg-sgqa-zero-shot", "tsg-sgqa-cot")
    assert set(files) == {*names, *(f"{name}-vote-3" for name in names)}
    for line in (line for of in files.values() for line in of):
        assert [(name, type(line[name])) for name in list(line)[: len(FIELDS)]] == list(FIELDS.items())
        assert set(line) == {*FIELDS, *line["metrics"], "tsgkit"}
        assert all(isinstance(line[name], float) for name in line["metrics"])
        assert list(line["arguments"]) == [f"gen_args_{place}" for place in range(len(line["resps"]))]
        assert len(line["filtered_resps"]) == len(line["resps"])
        assert line["doc_hash"] == sha(json.dumps(line["doc"], indent=2, ensure_ascii=False))
        assert line["prompt_hash"] == sha(line["arguments"]["gen_args_0"]["arg_0"])
        assert line["target_hash"] == sha(line["target"])
    for sample in run.samples:
        name = f"tsg-sgqa-{sample.style}" + ("-vote-3" if sample.solver == "vote:3" else "")
        profiles = {one["filter"]: one for one in files[name] if one["doc"]["item_id"] == sample.item_id}
        assert set(profiles) == {profile for profile, scores in sample.scores.items() if scores is not None}
        for profile, line in profiles.items():
            values = {metric: value for metric, value in (sample.scores[profile] or {}).items() if value is not None}
            assert {metric: line[metric] for metric in line["metrics"]} == values
            assert (line["target"], line["tsgkit"]["outcome"]) == (sample.key, sample.outcome)
            messages = [{"role": message.role, "content": message.content} for message in sample.prompt]
            assert json.loads(line["arguments"]["gen_args_0"]["arg_0"]) == messages
            assert line["arguments"]["gen_args_0"]["arg_1"] == {"temperature": 0.5, "max_tokens": 4080}
        assert profiles["strict"]["filtered_resps"][-1] == (sample.answer or "")
        if (sample.style, sample.solver, sample.item_id) == ("cot", "vote:3", "pcr/q1"):
            draws = [call.reply.text for call in sample.calls if call.reply.source != "local"]
            assert profiles["strict"]["resps"][0] == draws, "the draws of a prompt are the repeats of one request"
            assert len(draws) == 3


def test_an_exported_log_has_the_figures_of_its_run_and_one_style(tmp_path: Path) -> None:
    check_figures(tmp_path, "jsonl", "lm-eval")
    rows = rows_asked(tmp_path)
    file = run_of(rows, tmp_path / "run").export("jsonl", tmp_path / "logs").files[0]
    other = run_of(rows, tmp_path / "cot", style="cot").export("jsonl", tmp_path / "cot-logs").files[0]
    assert tk.score("sgqa", rows, other, source="lm-eval", style="few-shot").style == "few-shot"
    other.write_text(lines(*values_in(file)[:8], *values_in(other)[8:]), encoding="ascii")
    with pytest.raises(UsageError, match="of several styles: cot, zero-shot"):
        tk.score("sgqa", rows, other, source="lm-eval")
