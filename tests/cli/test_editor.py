"""``tsgkit view FILE --edit``: what it refuses, and what it says at its beginning and end."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest
from edited_files import TEXTS, change, set_text, written

from tsgkit.cli import main
from tsgkit.serve.edit_page import edited_file
from tsgkit.serve.local_server import LocalServer

pytest.importorskip("uvicorn", reason="the extra view is not installed")
Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, "narrative")
    Path("sentences.txt").write_text("She washes the cup.\n")
    Path("other.json").write_text(TEXTS["triplets"][1])
    clip = "Camera wearer - verb - pick; pick - direct object - wooden cup:1; pick - with - right_hand"
    graphs = [[52, 40, 60, [clip, "pick", "wooden cup"]]]
    Path("easg.json").write_text(json.dumps({"clip": {"graphs": graphs, "split": "val"}}))
    return tmp_path


@pytest.fixture
def ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every server end as if Ctrl-C had been pressed."""

    def interrupted(_: LocalServer, listening: socket.socket) -> None:
        listening.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalServer, "serve", interrupted)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ("--edit", "--edit needs the file"),
        ("story.jsonl other.json --edit", "the file for the settled version is not named"),
        ("story.jsonl --edit -o out.html", "--output does not go with --edit"),
        ("story.jsonl --edit --images linked", "--images does not go with --edit"),
        ("story.jsonl --edit --data D", "--data does not go with --edit"),
        ("story.jsonl --edit --annotator ../ann", "not a part of a file name"),
        ("story.jsonl --edit --proposals missing.jsonl", "missing.jsonl: no such file"),
        ("story.jsonl --edit --story sentences.txt", "story.jsonl: this file is there already"),
        ("new.json --edit --story sentences.txt", "cannot carry the sentences"),
        ("new.jsonl --edit --story missing.txt", "missing.txt: no such file"),
        ("easg.json --edit", "easg.json: easg is read, never written"),
        ("story.jsnl --edit", "story.jsnl: no such file"),
        ("story.jsonl --edit --port 99999", "ports go from 0 to 65535"),
        ("runs --proposals other.json", "--proposals goes with --edit"),
        ("runs --story sentences.txt", "--story goes with --edit"),
    ],
)
def test_wrong_combinations_are_refused_and_write_nothing(
    words: str, problem: str, here: Path, capsys: Captured
) -> None:
    before = sorted(one.name for one in here.iterdir())
    assert main(["view", *words.split(), "--no-open"]) == 2
    assert problem in capsys.readouterr().err
    assert sorted(one.name for one in here.iterdir()) == before


def test_a_missing_file_hints_at_the_nearest_and_at_new_stories(capsys: Captured) -> None:
    assert main(["view", "story.jsnl", "--edit", "--no-open"]) == 2
    told = capsys.readouterr().err
    assert "story.jsonl?" in told and "--story TEXTFILE" in told


@pytest.mark.usefixtures("ends_at_once")
def test_the_link_and_the_places_are_printed(capsys: Captured) -> None:
    assert main(["view", "story.jsonl", "--edit", "--no-open"]) == 0
    said = capsys.readouterr().out
    assert "story.jsonl, 1 item: http://127.0.0.1:" in said
    assert ".story.jsonl.draft" in said and "story.jsonl.annotations.jsonl" in said
    assert said.rstrip().endswith("everything is saved")


@pytest.mark.usefixtures("ends_at_once")
def test_restored_edits_are_told_and_how_to_go_on(capsys: Captured) -> None:
    file = edited_file("story.jsonl", annotator="J. Doe")
    change(file, set_text("Mine."))
    file.close()
    assert main(["view", "story.jsonl", "--edit", "--annotator", "J. Doe", "--no-open"]) == 0
    said = capsys.readouterr().out
    assert "restored: 1 edit that had not been saved" in said
    assert "1 item has edits that are not saved; they are kept" in said
    assert "go on: tsgkit view story.jsonl --edit --annotator 'J. Doe'" in said
    beside = ["--annotator", "J. Doe", "--proposals", "story.jsonl"]
    assert main(["view", "story.jsonl", "--edit", *beside, "--no-open"]) == 0
    assert "--edit --annotator 'J. Doe' --proposals story.jsonl" in capsys.readouterr().out


@pytest.mark.usefixtures("ends_at_once")
def test_another_content_losses_and_items_without_proposals_are_told(capsys: Captured) -> None:
    Path("graphs.txt").write_text("# Mine\nperson -> verb -> wash\n")
    Path("proposed.jsonl").write_text('{"id": "x", "descriptions": []}\n{"id": "y", "descriptions": []}\n')
    file = edited_file("graphs.txt")
    change(file, {"path": ["descriptions", 0, "graphs", 0], "start": 1, "removed": 0, "inserted": [["a", "b", "c"]]})
    file.close()
    Path("graphs.txt").write_text("# Mine\nperson -> verb -> dry\n")
    assert main(["view", "graphs.txt", "--edit", "--no-open", "--proposals", "proposed.jsonl"]) == 0
    told = capsys.readouterr().err
    assert "the file is another than the unsaved edits belong to" in told
    assert "saving would drop: 1 line without triplets" in told
    assert "proposed.jsonl: 1 item has no version there (0); 2 of its items are not in the file" in told


@pytest.mark.usefixtures("ends_at_once")
def test_the_browser_is_opened_where_there_is_a_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", opened.append)
    assert main(["view", "story.jsonl", "--edit"]) == 0
    assert len(opened) == 1 and opened[0].startswith("http://127.0.0.1:")


def test_without_the_extra_it_says_which(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    monkeypatch.setattr("tsgkit.serve.local_server.find_spec", dict[str, object]().get)
    assert main(["view", "story.jsonl", "--edit", "--no-open"]) == 2
    assert "tsgkit[view]" in capsys.readouterr().err
    assert not Path(".story.jsonl.draft").exists()
