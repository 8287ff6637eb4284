"""JSON lines in the form of lm-evaluation-harness (0.4.13): field names, types and hashes as it documents them."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from exported_runs import hostile_run, served_run

import tsgkit as tk

FIELDS = {
    "doc_id": int,
    "doc": dict,
    "target": str,
    "arguments": dict,
    "resps": list,
    "filtered_resps": list,
    "filter": str,
    "metrics": list,
    "doc_hash": str,
    "prompt_hash": str,
    "target_hash": str,
}
"""Its fixed fields. The values of the metrics stand beside them, and what it has no field for under ``tsgkit``."""
NAME = re.compile(r"samples_([^_/]+)_\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.jsonl")
"""It finds a task before, and a time after, the last underscore."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tk.Run:
    return tk.open_run(served_run(tmp_path_factory.mktemp("served") / "run", solver=["single", "vote:3"], repeat=1))


@pytest.fixture(scope="module")
def files(run: tk.Run, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Return the lines of each file, by what its name says of the row."""
    found = run.export("jsonl", tmp_path_factory.mktemp("logs")).files
    assert {file.parent.name for file in found} == {"openai-org-m"}
    named = {file: NAME.fullmatch(file.name) for file in found}
    return {match[1]: lines(file) for file, match in named.items() if match}


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("ascii").splitlines()]


def sha(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_lines_have_the_fields_of_lm_eval(files: dict[str, list[dict[str, Any]]]) -> None:
    names = ("tsg-sgqa-zero-shot", "tsg-sgqa-cot")
    assert set(files) == {*names, *(f"{name}-vote-3" for name in names)}
    for line in (line for of in files.values() for line in of):
        assert list(line)[: len(FIELDS)] == list(FIELDS)
        assert all(isinstance(line[name], kind) for name, kind in FIELDS.items())
        assert set(line) == {*FIELDS, *line["metrics"], "tsgkit"}
        assert all(isinstance(line[name], float) for name in line["metrics"])
        assert list(line["arguments"]) == [f"gen_args_{place}" for place in range(len(line["resps"]))]
        assert len(line["filtered_resps"]) == len(line["resps"])
        assert all(isinstance(one, str) for one in (*line["filtered_resps"], *(r for of in line["resps"] for r in of)))
        assert line["doc_hash"] == sha(json.dumps(line["doc"], indent=2, ensure_ascii=False))
        assert line["prompt_hash"] == sha(line["arguments"]["gen_args_0"]["arg_0"])
        assert line["target_hash"] == sha(line["target"])


def test_a_sample_has_a_line_for_each_profile(run: tk.Run, files: dict[str, list[dict[str, Any]]]) -> None:
    for sample in run.samples:
        name = "-".join(["tsg-sgqa", sample.style, *(["vote-3"] if sample.solver == "vote:3" else [])])
        found = {one["filter"]: one for one in files[name] if one["doc"]["item_id"] == sample.item_id}
        assert set(found) == {profile for profile, scores in sample.scores.items() if scores is not None}
        for profile, line in found.items():
            scores = sample.scores[profile] or {}
            values = {metric: value for metric, value in scores.items() if value is not None}
            assert {metric: line[metric] for metric in line["metrics"]} == values
            assert line["target"] == sample.key
            assert line["tsgkit"]["outcome"] == sample.outcome
            messages = [{"role": message.role, "content": message.content} for message in sample.prompt]
            assert json.loads(line["arguments"]["gen_args_0"]["arg_0"]) == messages
            assert line["arguments"]["gen_args_0"]["arg_1"] == {"temperature": 0.5}
        assert found["strict"]["filtered_resps"][-1] == (sample.answer or "")


def test_the_draws_of_a_prompt_are_the_repeats_of_one_request(
    run: tk.Run, files: dict[str, list[dict[str, Any]]]
) -> None:
    line = next(one for one in files["tsg-sgqa-cot-vote-3"] if one["doc"]["item_id"] == "bread/q1")
    (sample,) = run.samples.of(style="cot", solver="vote:3", item_id="bread/q1")
    assert line["resps"][0] == [call.reply.text for call in sample.calls if call.reply.source != "local"]
    assert len(line["resps"][0]) == 3


def test_hostile_texts_are_written_in_ascii(tmp_path: Path) -> None:
    (file,) = tk.open_run(hostile_run(tmp_path / "mine")).export("jsonl", tmp_path / "out").files
    assert file.read_bytes().isascii() and b"\x1b" not in file.read_bytes()
    assert sorted(line["filter"] for line in lines(file)) == ["official"] * 5 + ["strict"] * 5
