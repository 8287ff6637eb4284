"""``tsgkit view``: pages of runs, of graphs to edit, and of two annotators to settle: the link, refusals, the end."""

from __future__ import annotations

import json
import re
import signal
import socket
import time
import urllib.request
from pathlib import Path

import pytest
from command_line import CommandLine
from edited_files import TEXTS, change, set_text, written
from prefork import Prefork
from two_annotators import ANN, BOB, write

from tsgkit.report.annotated_items import versions_of
from tsgkit.serve.edit_page import edited_file
from tsgkit.serve.local_server import LocalServer
from tsgkit.serve.settlement import Settling

SETTLE = "view ann.jsonl bob.jsonl --edit -o settled.jsonl --annotator eve"


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    written(folder, "narrative")
    Path("sentences.txt").write_text("She washes the cup.\n")
    Path("other.json").write_text(TEXTS["triplets"][1])
    clip = "Camera wearer - verb - pick; pick - direct object - wooden cup:1; pick - with - right_hand"
    graphs = [[52, 40, 60, [clip, "pick", "wooden cup"]]]
    Path("easg.json").write_text(json.dumps({"clip": {"graphs": graphs, "split": "val"}}))
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)


def test_link_works_shows_runs_as_they_come_and_a_signal_ends_the_server(
    commands: Prefork, folder: Path, tsgkit: CommandLine
) -> None:
    server = commands.start("view", "runs", "--no-open", cwd=folder)
    assert server.wait().code == 2, "there is no such folder yet"
    (folder / "runs").mkdir()
    server = commands.start("view", "runs", "--no-open", cwd=folder)
    until = time.monotonic() + 60
    while not (found := re.search(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", server.out)):
        assert not server.ended() and time.monotonic() < until, server.err
        time.sleep(0.005)
    with urllib.request.urlopen(found[0], timeout=20) as page:  # noqa: S310
        assert b"<title>tsgkit</title>" in page.read()
    tsgkit("eval --task tsg/sgqa --limit 1 --out runs/mine --quiet")
    with urllib.request.urlopen(f"{found[0]}data/runs", timeout=20) as listing:  # noqa: S310
        assert b'"id":"mine"' in listing.read()
    server.signal(signal.SIGINT)
    assert (server.wait().code, server.err) == (0, "")
    assert re.fullmatch(r"0 runs: http://\S+/\nCtrl-C ends the server\n", server.out), server.out


def test_ports_that_are_taken_and_extras_that_are_missing_are_told(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    tsgkit("eval --task tsg/sgqa --limit 1 --out run --quiet")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        tsgkit.refuses({f"view run --no-open --port {port}": f"port {port}: address already in use"})
    for library in ("starlette", "uvicorn"):
        monkeypatch.setattr("tsgkit.serve.local_server.find_spec", lambda name, gone=library: name != gone or None)
        for words in ("view run --no-open", "view story.jsonl --edit --no-open"):
            err = tsgkit(words, code=2).err
            assert f"with {library.title()}, which is not installed" in err and 'pip install "tsgkit[view]"' in err
    assert not Path(".story.jsonl.draft").exists()


def test_view_refuses_invalid_arguments_and_writes_nothing(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "--edit": "--edit needs the file",
            "story.jsonl other.json --edit": "the file for the settled version is not named",
            "story.jsonl --edit -o out.html": "--output does not go with --edit",
            "story.jsonl --edit --images linked": "--images does not go with --edit",
            "story.jsonl --edit --data D": "--data does not go with --edit",
            "story.jsonl --edit --story sentences.txt": "story.jsonl: this file is there already",
            "easg.json --edit": "easg.json: easg is read, never written",
            "storz.jsonl --edit": "story.jsonl?",
            "story.jsn --edit": "--story TEXTFILE",
            "runs --proposals other.json": "--proposals goes with --edit",
            "runs --story sentences.txt": "--story goes with --edit",
            "ann.jsonl bob.jsonl ann.jsonl --edit -o x.jsonl": "3 files: disagreements are settled between two",
            "ann.jsonl bob.jsonl --edit -o x.jsonl --proposals x.jsonl": "--proposals does not go with two files",
            "ann.jsonl bob.jsonl --edit -o x.jsonl --images linked": "--images does not go with two files",
            "ann.jsonl bob.jsonl --edit -o bob.jsonl": "this is the file being read",
            "ann.jsonl --edit --force": "--force goes with --edit and two files",
        },
        "view --no-open",
    )


def test_edit_tells_the_places_restored_edits_losses_and_how_to_go_on(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    def interrupted(_: LocalServer, listening: socket.socket) -> None:
        listening.close()
        raise KeyboardInterrupt

    monkeypatch.setattr(LocalServer, "serve", interrupted)
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr("webbrowser.open", opened.append)
    out = tsgkit("view story.jsonl --edit").out
    assert len(opened) == 1 and f"story.jsonl, 1 item: {opened[0]}" in out
    assert ".story.jsonl.draft" in out and "story.jsonl.annotations.jsonl" in out
    assert out.rstrip().endswith("everything is saved")
    file = edited_file("story.jsonl", annotator="J. Doe")
    change(file, set_text("Mine."))
    file.close()
    words = "view story.jsonl --edit --annotator 'J. Doe'"
    out = tsgkit(f"{words} --no-open").out
    assert "restored: 1 edit that had not been saved" in out
    assert "1 item has edits that are not saved; they are kept" in out and f"go on: tsgkit {words}" in out
    assert f"{words} --proposals story.jsonl" in tsgkit(f"{words} --no-open --proposals story.jsonl").out
    Path("graphs.txt").write_text("# Mine\nperson -> verb -> wash\n")
    Path("proposed.jsonl").write_text('{"id": "x", "descriptions": []}\n{"id": "y", "descriptions": []}\n')
    file = edited_file("graphs.txt")
    change(file, {"path": ["descriptions", 0, "graphs", 0], "start": 1, "removed": 0, "inserted": [["a", "b", "c"]]})
    file.close()
    Path("graphs.txt").write_text("# Mine\nperson -> verb -> dry\n")
    err = tsgkit("view graphs.txt --edit --no-open --proposals proposed.jsonl").err
    assert "the file is another than the unsaved edits belong to" in err
    assert "saving would drop: 1 line without triplets" in err
    assert "proposed.jsonl: 1 item has no version there (0); 2 of its items are not in the file" in err


def test_settling_writes_what_is_decided_and_nothing_before(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tsgkit.serve.decision_page.decide_in_browser", lambda *_, **__: False)
        err = tsgkit(SETTLE, code=130).err
    assert "left with 2 decisions to make; nothing was written" in err and not Path("settled.jsonl").exists()
    settling = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("settled.jsonl"), "joe")
    for number in (0, 1):
        settling.decide(number, "second", None)
    assert tsgkit(SETTLE).out == "written: settled.jsonl; of 2 disagreements: bob 2; decided by joe\n"
    tsgkit(SETTLE)  # the file of this job may be written again
    write("bob.jsonl", ANN)
    equal = SETTLE.replace("settled", "equal")
    assert tsgkit(equal).out == "written: equal.jsonl; no disagreements\n"
    assert Path("equal.jsonl").read_bytes() == Path("ann.jsonl").read_bytes()
