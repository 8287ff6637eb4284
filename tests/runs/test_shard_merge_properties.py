"""Merging is a union: in whatever order and however often, the same folders come to the same bytes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.runs.folder import FORMAT
from tsgkit.runs.shard_merge import merge
from tsgkit.version import __version__

REPLIES = st.sampled_from(
    [
        {"ending": "complete", "text": "[cup]", "seconds": 1.0},
        {"ending": "complete", "text": "[cup]", "seconds": 2.0},
        {"ending": "complete", "text": "[lid] \u2028 é", "seconds": 1.0},
        {"ending": "api_error", "text": None, "error": "503"},
        {"ending": "api_error", "text": None, "error": "400", "final": True},
    ]
)
CALLS = st.fixed_dictionaries(
    {
        "sample": st.sampled_from(["0", "1", "a/b", "é"]),
        "label": st.sampled_from(["write/1", "critique/1", "revise/1"]),
        "draw": st.integers(0, 11),
        "reply": REPLIES,
    }
)
PARTS = st.lists(st.lists(CALLS, max_size=8), min_size=2, max_size=4)


def folder(place: Path, name: str, calls: list[dict[str, Any]], shard: int) -> Path:
    path = place / name
    path.mkdir()
    header = {
        "format": FORMAT,
        "tsgkit": __version__,
        "identity": "x",
        "asked": {},
        "written": "",
        "command": ["tsgkit"],
    }
    (path / "run.json").write_text(json.dumps(header | {"begun": f"2026-01-0{shard}", "shard": f"{shard}/9"}))
    lines = [{"subject": "m", "task": "agents", "solver": "agent", "prompt": "", **call} for call in calls]
    (path / "calls.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def files(path: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in path.iterdir() if one.name != ".lock"}


def test_what_each_part_learnt_of_models_and_services_is_known_to_the_whole(tmp_path: Path) -> None:
    parts = [folder(tmp_path, f"part-{number}", [], number) for number in (1, 2, 3)]
    headers = [json.loads((part / "run.json").read_text()) for part in parts]
    learnt: list[dict[str, Any]] = [
        {"response_formats": {"eye": {"json_object": False}}, "models": {"a": "a-1"}},
        {"response_formats": {"ear": {"json_schema": True}}},
        {"response_formats": ["odd"], "models": {"b": "b-2"}},
    ]
    for part, header, more in zip(parts, headers, learnt, strict=True):
        (part / "run.json").write_text(json.dumps(header | more))
    merge(parts, tmp_path / "all")
    whole = json.loads((tmp_path / "all/run.json").read_text())
    assert whole["response_formats"] == {"eye": {"json_object": False}, "ear": {"json_schema": True}}
    assert whole["models"] == {"a": "a-1", "b": "b-2"}
    merge(parts[1:2], tmp_path / "one")
    assert "models" not in json.loads((tmp_path / "one/run.json").read_text())


@settings(deadline=None, max_examples=60)
@given(PARTS, st.randoms())
def test_order_grouping_and_repetition_change_no_byte(parts: list[list[dict[str, Any]]], draw: Any) -> None:  # noqa: ANN401
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        shards = [folder(place, f"part-{number}", calls, number) for number, calls in enumerate(parts, 1)]
        merge(shards, place / "all")
        whole = files(place / "all")
        mixed = [*shards, draw.choice(shards)]
        draw.shuffle(mixed)
        cut = draw.randint(1, len(mixed) - 1)
        merge(mixed[:cut], place / "some")
        merge([*mixed[cut:], place / "some"], place / "grouped")
        merge([place / "all", place / "grouped", *shards[:1]], place / "again")
        assert files(place / "grouped") == whole and files(place / "again") == whole


@settings(deadline=None, max_examples=40)
@given(PARTS)
def test_every_call_is_there_once_and_an_answer_beats_an_error(parts: list[list[dict[str, Any]]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        shards = [folder(place, f"part-{number}", calls, number) for number, calls in enumerate(parts, 1)]
        merge(shards, place / "all")
        found = [json.loads(line) for line in (place / "all/calls.jsonl").read_text().splitlines()]
    keys = [(call["sample"], call["label"], call["draw"]) for call in found]
    given_keys = {(call["sample"], call["label"], call["draw"]) for calls in parts for call in calls}
    answered = {
        (call["sample"], call["label"], call["draw"])
        for calls in parts
        for call in calls
        if call["reply"]["ending"] == "complete"
    }
    assert len(keys) == len(set(keys)) and set(keys) == given_keys
    assert {key for key, call in zip(keys, found, strict=True) if call["reply"]["ending"] == "complete"} == answered
