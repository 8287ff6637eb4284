"""Pages that commands serve: ``tsgkit view`` of runs, of graphs to edit and to settle, and ``--review-in browser``."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import socket
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import CommandLine
from model_server import model_server
from prefork import Prefork, Ran
from served import TEXTS, Client, change, set_text, written
from two_annotators import ANN, BOB, write

from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.report.annotated_items import versions_of
from tsgkit.serve import local_server
from tsgkit.serve.edit_page import edited_file
from tsgkit.serve.local_server import LocalServer
from tsgkit.serve.settlement import Settling
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

SETTLE = "view ann.jsonl bob.jsonl --edit -o settled.jsonl --annotator eve"
SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "direct_object", "kettle"), ("fill", "with", "hand1"))
REFINE = "refine g.txt -o out.txt"
MAKE = "make sceneeval -o made.csv --items 3 --difficulty easy"


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
    Path("g.txt").write_text(arrow.write([SLIP]))
    Path("told.txt").write_text("She fills it.\n")


def address_of(process: Ran) -> re.Match[str]:
    """Return where a command serves, once it does, as address, port and token."""
    until = time.monotonic() + 120
    while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]{32})/", process.out + process.err)):
        assert not process.ended() and time.monotonic() < until, process.err
        time.sleep(0.005)
    return found


def test_link_works_shows_runs_as_they_come_and_a_signal_ends_the_server(
    commands: Prefork, folder: Path, tsgkit: CommandLine
) -> None:
    server = commands.start("view", "runs", "--no-open", cwd=folder)
    assert server.wait().code == 2, "there is no such folder yet"
    (folder / "runs").mkdir()
    server = commands.start("view", "runs", "--no-open", cwd=folder)
    found = address_of(server)
    with urllib.request.urlopen(found[0], timeout=120) as page:  # noqa: S310
        assert b"<title>tsgkit</title>" in page.read()
    tsgkit("eval --task tsg/sgqa --limit 1 --out runs/mine --quiet")
    with urllib.request.urlopen(f"{found[0]}data/runs", timeout=120) as listing:  # noqa: S310
        assert b'"id":"mine"' in listing.read()
    server.signal(signal.SIGINT)
    advice = "they appear in the page as soon as there are some: tsgkit eval"
    assert (server.wait().code, server.err) == (0, f"tsgkit: there are no runs here yet\n  {advice}\n")
    assert re.fullmatch(r"0 runs: http://\S+/\nCtrl-C ends the server\n", server.out), server.out


def test_view_tells_of_taken_ports_missing_extras_and_invalid_arguments_and_writes_nothing(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    tsgkit.refuses(
        {
            "--edit": "--edit needs the file",
            "story.jsonl other.json --edit": "the file for the settled version is not named",
            "story.jsonl --edit -o out.html": "--output does not go with --edit",
            "story.jsonl --edit --data D": "--data does not go with --edit",
            "story.jsonl --edit --story sentences.txt": "story.jsonl: this file is there already",
            "easg.json --edit": "easg.json: easg is read, never written",
            "storz.jsonl --edit": "story.jsonl?",
            "story.jsn --edit": "--story TEXTFILE",
            "runs --proposals other.json": "--proposals goes with --edit",
            "ann.jsonl bob.jsonl ann.jsonl --edit -o x.jsonl": "3 files: disagreements are settled between two",
            "ann.jsonl bob.jsonl --edit -o x.jsonl --proposals x.jsonl": "--proposals does not go with two files",
            "ann.jsonl bob.jsonl --edit -o bob.jsonl": "this is the file being read",
            "ann.jsonl --edit --force": "--force goes with --edit and two files",
        },
        "view --no-open",
    )
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


def test_edit_tells_the_places_restored_edits_and_how_to_go_on(
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


def test_settling_writes_what_is_decided_and_nothing_before(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tsgkit.serve.decision_page.decide_in_browser", lambda *_, **__: False)
        err = tsgkit(SETTLE, code=130).err
    assert "left with 2 decisions to make; nothing was written" in err and not Path("settled.jsonl").exists()
    settling = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("settled.jsonl"), "joe")
    for number in (0, 1):
        settling.queue.decide(number, "second")
    assert tsgkit(SETTLE).out == "written: settled.jsonl; of 2 disagreements: bob 2; decided by joe\n"
    tsgkit(SETTLE)  # the file of this job may be written again
    write("bob.jsonl", ANN)
    equal = SETTLE.replace("settled", "equal")
    assert tsgkit(equal).out == "written: equal.jsonl; no disagreements\n"
    assert Path("equal.jsonl").read_bytes() == Path("ann.jsonl").read_bytes()


@dataclass
class Reviewed:
    """A command that serves its review."""

    process: Ran
    client: Client

    def decide(self, number: int, choice: str, edited: object = None, note: str = "") -> int:
        return self.client.post("decide", {"number": number, "choice": choice, "edited": edited, "note": note})[0]

    def finish(self) -> Ran:
        self.client.post("heard", {})
        return self.process.wait()

    def kill(self) -> None:
        self.process.signal(signal.SIGKILL)
        self.process.wait()


Review = Callable[[str], Reviewed]


@pytest.fixture
def review(commands: Prefork, folder: Path) -> Review:
    def start(words: str) -> Reviewed:
        unseen = {"DISPLAY": "", "WAYLAND_DISPLAY": ""}
        process = commands.start(*words.split(), "--review-in", "browser", cwd=folder, env=unseen)
        address = address_of(process)
        return Reviewed(process, Client(int(address[1]), address[2]))

    return start


def test_places_imply_the_review_and_left_pages_and_missing_extras_are_told(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nr\n"))
    assert "1 of 2: item 0, graph 1" in tsgkit(f"{REFINE} --review-in terminal").out
    sharded = "--model openai/x --review-in browser --shard 1/2"
    tsgkit.refuses(
        {
            f"{REFINE} {sharded}": "--review",
            f"{MAKE} {sharded}": "--review",
            f"{REFINE} --review-in paper": "paper\n  choose from terminal, browser",
        }
    )
    with monkeypatch.context() as patch:
        patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(arrow.write([SLIP]).encode())))
        patch.setattr("tsgkit.serve.decision_page.decide_in_browser", lambda *_, **__: False)
        tsgkit("refine - -o other.txt --review-in browser", code=130)
    assert not Path("other.txt").exists(), "graphs from standard input can be reviewed on the page alone"
    monkeypatch.setattr(local_server, "find_spec", lambda name: None if name == "starlette" else True)
    with model_server() as server:
        model = f"--model openai/x --model-arg api_base={server.base} --review-in browser"
        tsgkit.refuses(dict.fromkeys((f"{REFINE} {model}", f"{MAKE} {model}"), 'pip install "tsgkit[view]"'))
        assert server.stats()["seen"] == 0


def test_proposals_are_shown_decided_and_kept_when_the_server_is_killed(review: Review, tsgkit: CommandLine) -> None:
    page = review(f"{REFINE} --narrative told.txt --json")
    shown = page.client.data("shown", number=0)
    assert (shown["name"], shown["reason"], shown["code"], shown["decided"]) == (
        *("item 0, graph 1 (exact)", "verb starts at fill, not at person", "verb-source", None),
    )
    assert shown["context"] == [{"text": "She fills it.", "pale": False}]
    before, after = shown["parts"][:2]
    assert (before["title"], before["marks"]) == ("Before", ["removed", None, None])
    assert (after["title"], after["triplets"][0]) == ("After", ["person", "verb", "fill"])
    assert after["marks"] == ["added", None, None]
    assert page.client.data("state")["in_order"]
    later = page.client.data("shown", number=1)["parts"]
    assert later[0]["triplets"][0] == ["person", "verb", "fill"], "those before it are taken as accepted"
    wrong = [None, "a -> b -> c", ["a", "b"], ["a", "", "c"], ["a", "x -> y", "c"], ["a", 1, "c"]]
    assert [page.decide(0, "edit", edited) for edited in wrong] == [400] * len(wrong)
    assert page.decide(0, "maybe") == 400
    assert page.client.data("state")["entries"][0]["decision"] is None
    assert page.decide(0, "reject", note="as in the source") == 200
    page.kill()
    page = review(f"{REFINE} --narrative told.txt --json")
    decided = page.client.data("shown", number=0)["decided"]
    assert decided == {"choice": "reject", "note": "as in the source"}
    assert page.decide(1, "edit", ["fill", "dobj", "cup"]) == 200
    ended = page.finish()
    assert ended.code == 0
    assert ended.json["notes"] == ["item 0, graph 1, verb-source, reject: as in the source"]
    assert Path("out.txt").read_text() == "fill -> verb -> person\nfill -> dobj -> cup\nfill -> with -> hand1\n"
    tsgkit(f"{REFINE} --narrative told.txt --review-in browser")  # all is decided, so no page is served


def test_generated_items_are_decided_in_any_order_and_decisions_changed(
    review: Review, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    page = review(MAKE)
    [text, entries, findings] = page.client.data("shown", number=2)["parts"]
    assert findings["lines"] == []
    first = [line.split("  ")[1] for line in entries["lines"]]
    edited = {"description": text["text"], "entries": "\n".join([*first, "eq,1,globe"])}
    status, preview = page.client.post("preview", {"number": 2, "edited": edited})
    assert status == 200 and "error untold-category: the text does not name globe" in preview["parts"][2]["lines"]
    assert page.decide(2, "edit", edited) == 200
    assert page.client.data("shown", number=2)["parts"][2]["lines"] == preview["parts"][2]["lines"]
    assert page.decide(2, "accept", note="as it was") == 200
    assert page.client.data("shown", number=2)["parts"] == [text, entries, findings]
    for wrong in (None, {"description": "A den."}, {"description": "A den.", "entries": ""}):
        assert page.decide(1, "edit", wrong) == 400
    assert page.decide(0, "drop") == 200
    page.kill()
    lines = [json.loads(line) for line in Path("made.csv.review.jsonl").read_text().splitlines()]
    assert [line["choice"] for line in lines] == ["edit", "accept", "drop"] and lines[1]["note"] == "as it was"
    person, terminal = os.openpty()
    os.write(person, b"a\n")
    with os.fdopen(terminal, encoding="utf-8") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        out = tsgkit(f"{MAKE} --review").out
    os.close(person)
    assert out.startswith("2 of 3: easy, ") and "reviewed: 2 accepted, 1 dropped" in out
    assert text["text"] in [one.description for one in read_annotation_file(Path("made.csv")).annotations]
