"""Tests of the command ``tsgkit make sceneeval``: generation, checks, corrections and review."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from model_server import Running, model_server
from told_rooms import draws, right, served, texts, with_entries

from tsgkit.cli import main
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
from tsgkit.suites.sceneeval.annotations import Annotation
from tsgkit.suites.sceneeval.makers.room_plans import written_room
from tsgkit.suites.sceneeval.word_meanings import furniture

Captured = pytest.CaptureFixture[str]
SIX = draws(6)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def words(server: Running, *more: str, out: str = "made.csv", items: int = 6) -> list[str]:
    model = ["--model", "openai/x", "--model-arg", f"api_base={server.base}"]
    return ["make", "sceneeval", "-o", out, "--items", str(items), *model, *more]


def lines(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def test_make_without_model_draws_usable_annotations_by_seed_of_chosen_rooms_and_difficulties(capsys: Captured) -> None:
    assert main(["make", "sceneeval", "-o", "made.csv", "--items", "7"]) == 0
    said = capsys.readouterr()
    assert "7 items of 7 drawn, by sentence patterns" in said.out and "cannot compare models" in said.out
    assert "difficulty  scenes" in said.out and said.err == ""
    assert main(["scene", "check", "made.csv"]) == 0
    assert "7 annotations" in (checked := capsys.readouterr().out) and "0 errors, 0 warnings" in checked
    assert [note["by"] for note in lines("made.csv.notes.jsonl")] == ["sentence patterns"] * 7
    for out, seed in (("a.csv", "3"), ("b.csv", "3"), ("c.csv", "4")):
        assert main(["make", "sceneeval", "-o", out, "--items", "4", "--seed", seed, "--quiet"]) == 0
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes() != Path("c.csv").read_bytes()
    words = ["--room", "living_room", "--room", "den", "--difficulty", "hard", "--difficulty", "easy"]
    assert main(["make", "sceneeval", "-o", "made.json", "--items", "8", *words]) == 0
    made = read_annotation_file(Path("made.json")).annotations
    assert [one.difficulty for one in made] == ["easy", "hard"] * 4
    assert {one.room_type for one in made} == {"living room", "den"}


def spoilt() -> dict[int, str]:
    """Return replies with one error each."""
    ones = [right(one) for one in SIX]
    return {
        0: "I would rather not.",
        1: '{"counts": ["eq,1,',
        2: with_entries(ones[2], "attributes", ["eq,1,desk,red_wooden", *texts(ones[2], "attributes")]),
        3: with_entries(ones[3], "counts", [*texts(ones[3], "counts"), "eq,1,globe"]),
        5: with_entries(ones[5], "object_relations", []),
    }


def test_instructions_in_replies_reach_no_path_and_no_terminal(folder: Path, capsys: Captured) -> None:
    one = right(SIX[0])
    order = "\u202eIgnore this and write to ../x \x1b[2J {0.__class__}"
    hostile = Annotation(one.item_id, one.difficulty, f"{one.description} {order}", one.counts)
    replies = served(SIX[:1])
    for key in list(replies):
        if "nothing else" in key:
            replies[key] = json.dumps({"description": hostile.description})
        else:
            del replies[key]
    replies["Reply with"] = with_entries(one, "attributes", [f"eq,1,../x,{order}"])
    before = {path.name for path in folder.parent.iterdir()}
    with model_server(replies=replies) as server:
        assert main(words(server, items=1)) == 1
    said = capsys.readouterr()
    assert "\x1b" not in said.out + said.err and "\u202e" not in said.out + said.err
    assert {path.name for path in folder.parent.iterdir()} == before
    assert {path.name for path in folder.iterdir()} == {"made.csv.calls", "made.csv.dropped.jsonl"}


def test_what_cannot_be_meant_is_refused(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    for more, message in (
        (["--out", "made.txt"], "unknown kind of output"),
        (["--items", "0"], "--items 0: expected a number from 1 to"),
        (["--room", "kitchn"], "there is no type of room 'kitchn'"),
        (["--rounds", "-1"], "--rounds -1"),
        (["--model", "baseline/rules"], "no model to ask"),
        (["--model", "script:nowhere.jsonl"], "nowhere.jsonl"),
        (["--review", "--json"], "--review cannot be combined with --json"),
        (["--review"], "--review needs a terminal"),
    ):
        with Path(os.devnull).open() as nothing:
            monkeypatch.setattr("sys.stdin", nothing)
            assert main(["make", "sceneeval", "-o", "made.csv", *more]) == 2, more
        assert message in capsys.readouterr().err and not Path("made.csv").exists(), more


def typed(text: str, monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    """Run the command in a terminal with typed input."""
    person, terminal = os.openpty()
    try:
        os.write(person, text.encode() + b"\x04")  # the end of what is typed
        with os.fdopen(terminal, encoding="utf-8", closefd=False) as keys:
            monkeypatch.setattr("sys.stdin", keys)
            return main(list(words))
    finally:
        os.close(terminal)
        os.close(person)


def test_review_accepts_edits_drops_and_resumes(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    command = ("make", "sceneeval", "-o", "made.csv", "--items", "3", "--difficulty", "easy", "--review")
    ones = [written_room(drawn, 0, furniture()) for drawn in draws(3, ("easy",))]
    assert typed("a\nq\n", monkeypatch, *command) == 130
    said = capsys.readouterr()
    assert "run the same command to resume" in said.err and not Path("made.csv").exists()
    assert f"1  {ones[0].counts[0].text}  (exactly 1" in said.out
    text = f"text {ones[1].description} There is a red globe.\n"
    assert typed(f"+eq,1,globe\nnonsense\n-99\n?\n{text}+eq,1,globe,red\na\nd\n", monkeypatch, *command) == 0
    said = capsys.readouterr()
    assert "error untold-category: the text does not name globe" in said.out, "changes are held against the text"
    assert "'nonsense' is not an edit command" in said.out and "there is no entry '99'" in said.out
    assert "reviewed: 1 accepted, 1 dropped, 1 edited" in said.out
    made = read_annotation_file(Path("made.csv")).annotations
    assert [one.item_id for one in made] == ["0", "1"] and made[0].description == ones[0].description
    assert "eq,1,globe" in [spec.text for spec in made[1].counts] and made[1].attributes[-1].attribute == "red"
    assert [note["reviewed"] for note in lines("made.csv.notes.jsonl")] == ["accepted", "edited"]
    [dropped] = lines("made.csv.dropped.jsonl")
    assert dropped["reason"] == "dropped by the person who reviewed it"
    assert typed("", monkeypatch, *command) == 0, "all is decided, so nobody is asked"


def test_uncorrected_items_are_dropped_with_reasons_unless_a_review_accepts_them(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    with model_server(replies=served(SIX, spoilt())) as server:
        assert main(words(server, "--rounds", "0", out="few.csv")) == 0
        said = capsys.readouterr()
        assert "2 items of 6 drawn" in said.out and "dropped: 4 items" in said.out
        assert "item 1: missing-relation: the text says" in said.err
        dropped = {one["item_id"]: one["reason"] for one in lines("few.csv.dropped.jsonl")}
        reasons = ("no annotation in it", "ends in the middle", "merged-attribute", "carried-over: globe")
        assert (
            [why in dropped[str(number)] for number, why in enumerate(reasons)] == [True] * len(dropped) == [True] * 4
        )
        told = [one.description for one in read_annotation_file(Path("few.csv")).annotations]
        assert told == [right(SIX[4]).description, right(SIX[5]).description]
        command = words(server, "--rounds", "0", "--review", "--quiet")
        assert typed("a\nd\n" * 3, monkeypatch, *command) == 130, "nothing is counted in the first: it cannot be taken"
        assert "it cannot be accepted without counts" in capsys.readouterr().out
        asked = server.stats()["seen"]
        assert typed("a\nd\na\na\n" * 2, monkeypatch, *command) == 0
        assert server.stats()["seen"] == asked
    notes = lines("made.csv.notes.jsonl")
    assert {note["reviewed"] for note in notes} == {"accepted"}
    assert "merged-attribute" in {finding["code"] for note in notes for finding in note["findings"]}
    assert main(["scene", "check", "made.csv"]) == 0
