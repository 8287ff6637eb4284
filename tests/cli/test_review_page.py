"""``--review-in browser``: the same decisions as in the terminal, in the same file, over HTTP."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from command_line import CommandLine
from model_server import model_server
from prefork import Prefork, Ran
from served import Client

from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.serve import local_server
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "direct_object", "kettle"), ("fill", "with", "hand1"))
REFINE = "refine g.txt -o out.txt"
MAKE = "make sceneeval -o made.csv --items 3 --difficulty easy"


@pytest.fixture(autouse=True)
def graphs(folder: Path) -> None:
    (folder / "g.txt").write_text(arrow.write([SLIP]))
    (folder / "story.txt").write_text("She fills it.\n")


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
        until = time.monotonic() + 60
        while not (address := re.search(r"http://127\.0\.0\.1:(\d+)/([\w-]+)/", process.out + process.err)):
            assert not process.ended() and time.monotonic() < until, process.err
            time.sleep(0.005)
        return Reviewed(process, Client(int(address[1]), address[2]))

    return start


def test_places_imply_the_review_and_left_pages_and_missing_extras_are_told(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nr\n"))
    assert "1 of 2: item 0, graph 0" in tsgkit(f"{REFINE} --review-in terminal").out
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
    page = review(f"{REFINE} --narrative story.txt --json")
    shown = page.client.data("shown", number=0)
    assert (shown["name"], shown["reason"], shown["code"], shown["decided"]) == (
        *("item 0, graph 0 (exact)", "verb starts at fill, not at person", "verb-source", None),
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
    page = review(f"{REFINE} --narrative story.txt --json")
    decided = page.client.data("shown", number=0)["decided"]
    assert decided == {"choice": "reject", "edited": None, "note": "as in the source"}
    assert page.decide(1, "edit", ["fill", "dobj", "cup"]) == 200
    ended = page.finish()
    assert ended.code == 0
    assert ended.json["notes"] == ["item 0, graph 0, verb-source, reject: as in the source"]
    assert Path("out.txt").read_text() == "fill -> verb -> person\nfill -> dobj -> cup\nfill -> with -> hand1\n"
    tsgkit(f"{REFINE} --narrative story.txt --review-in browser")  # all is decided, so no page is served


def test_generated_items_are_decided_in_any_order_and_decisions_changed(
    review: Review, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    page = review(MAKE)
    [text, entries, findings] = page.client.data("shown", number=2)["parts"]
    assert findings["lines"] == []
    first = [line.split("  ")[0] for line in entries["lines"]]
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
    assert [line["decision"] for line in lines] == ["edited", "accepted", "dropped"] and lines[1]["note"] == "as it was"
    person, terminal = os.openpty()
    os.write(person, b"a\n")
    with os.fdopen(terminal, encoding="utf-8") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        out = tsgkit(f"{MAKE} --review").out
    os.close(person)
    assert out.startswith("2 of 3: easy, ") and "reviewed: 2 accepted, 1 dropped" in out
    assert text["text"] in [one.description for one in read_annotation_file(Path("made.csv")).annotations]
