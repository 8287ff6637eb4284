"""``--review-in browser``: the same decisions as in the terminal, in the same file, over HTTP."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from model_server import model_server
from served import Client

from tsgkit.cli import main
from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.serve import local_server
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

Captured = pytest.CaptureFixture[str]
SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "direct_object", "kettle"), ("fill", "with", "hand1"))
REFINE = ("refine", "g.txt", "-o", "out.txt")
MAKE = ("make", "sceneeval", "-o", "made.csv", "--items", "3", "--difficulty", "easy")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("g.txt").write_text(arrow.write([SLIP]))
    return tmp_path


@dataclass
class Reviewed:
    """A command that serves its review."""

    process: subprocess.Popen[str]
    client: Client

    def decide(self, number: int, choice: str, edited: object = None, note: str = "") -> int:
        return self.client.post("decide", {"number": number, "choice": choice, "edited": edited, "note": note})[0]

    def finish(self) -> tuple[int, str, str]:
        self.client.post("heard", {})
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


Run = Callable[..., Reviewed]


@pytest.fixture
def run() -> Iterator[Run]:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, stdin: str = "") -> Reviewed:
        command = [sys.executable, "-m", "tsgkit", *words, "--review-in", "browser"]
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=environment, text=True, **pipes)  # type: ignore[call-overload]
        started.append(process)
        process.stdin.write(stdin)
        process.stdin.close()
        process.stdin = None
        line = (process.stderr if "--json" in words else process.stdout).readline()
        port, token = line.split()[-1].removeprefix("http://127.0.0.1:").strip("/").split("/")
        return Reviewed(process, Client(int(port), token))

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("words", [REFINE, MAKE], ids=["refine", "make"])
def test_a_missing_extra_is_told_before_a_model_is_asked(
    words: tuple[str, ...], capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == "starlette" else ModuleSpec(name, None)

    monkeypatch.setattr(local_server, "find_spec", found)
    with model_server() as server:
        model = ["--model", "openai/x", "--model-arg", f"api_base={server.base}"]
        assert main([*words, *model, "--review-in", "browser"]) == 2
        assert server.stats()["seen"] == 0
    assert 'pip install "tsgkit[view]"' in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["g.txt"]


def test_a_place_implies_the_review(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    pytest.importorskip("uvicorn", reason="the extra view is not installed")
    monkeypatch.setattr("sys.stdin", io.StringIO("a\nr\n"))
    assert main([*REFINE, "--review-in", "terminal"]) == 0
    assert "1 of 2: item 0, graph 0" in capsys.readouterr().out
    for words in (REFINE, MAKE):
        assert main([*words, "--model", "openai/x", "--review-in", "browser", "--shard", "1/2"]) == 2
        assert "--review" in capsys.readouterr().err
    assert main([*REFINE, "--review-in", "paper"]) == 2


def test_a_proposal_is_shown_with_its_graph_before_and_after(run: Run) -> None:
    review = run(*REFINE)
    shown = review.client.data("shown", number=0)
    assert shown["name"] == "item 0, graph 0 (exact)"
    assert (shown["reason"], shown["code"]) == ("verb starts at fill, not at person", "verb-source")
    before, after = shown["parts"][:2]
    assert (before["title"], before["marks"]) == ("Before", ["removed", None, None])
    assert (after["title"], after["triplets"][0]) == ("After", ["person", "verb", "fill"])
    assert after["marks"] == ["added", None, None]
    assert review.client.data("state")["in_order"]
    later = review.client.data("shown", number=1)["parts"]
    assert later[0]["triplets"][0] == ["person", "verb", "fill"], "those before it are taken as accepted"


def test_edits_that_are_no_triplets_are_refused(run: Run) -> None:
    review = run(*REFINE)
    wrong = [None, "a -> b -> c", ["a", "b"], ["a", "", "c"], ["a", "x -> y", "c"], ["a", 1, "c"]]
    assert [review.decide(0, "edit", edited) for edited in wrong] == [400] * len(wrong)
    assert review.decide(0, "maybe") == 400
    assert review.client.data("state")["entries"][0]["decision"] is None


def test_notes_of_a_review_are_in_the_summary(run: Run) -> None:
    review = run(*REFINE, "--json")
    assert review.decide(0, "reject", note="as in the source") == 200
    assert review.decide(1, "edit", ["fill", "dobj", "cup"]) == 200
    code, out, _ = review.finish()
    assert code == 0
    assert json.loads(out)["notes"] == ["item 0, graph 0, verb-source, reject: as in the source"]
    assert Path("out.txt").read_text() == "fill -> verb -> person\nfill -> dobj -> cup\nfill -> with -> hand1\n"


def test_graphs_from_standard_input_are_reviewed_on_the_page(run: Run) -> None:
    review = run("refine", "-", "-o", "out.txt", stdin=arrow.write([SLIP]))
    assert [review.decide(number, "accept") for number in range(2)] == [200, 200]
    assert review.finish()[0] == 0
    assert Path("out.txt").read_text().startswith("person -> verb -> fill\nfill -> dobj -> kettle\n")


def test_a_killed_server_kept_every_decision_and_the_terminal_goes_on(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    review = run(*REFINE)
    assert review.decide(0, "reject") == 200
    review.process.send_signal(signal.SIGKILL)
    review.process.wait()
    monkeypatch.setattr("sys.stdin", io.StringIO("a\n"))
    assert main([*REFINE, "--review"]) == 0
    assert capsys.readouterr().out.startswith("2 of 2: item 0, graph 0")
    assert Path("out.txt").read_text() == "fill -> verb -> person\nfill -> dobj -> kettle\nfill -> with -> hand1\n"
    assert main([*REFINE, "--review-in", "browser"]) == 0, "all is decided, so no page is served"


def test_two_pages_of_one_review_decide_every_proposal_once(run: Run) -> None:
    first, second = run(*REFINE), run(*REFINE)
    assert first.decide(0, "accept") == 200
    assert second.decide(0, "reject") == 409
    assert second.decide(1, "reject") == 200
    assert first.decide(1, "accept") == 409
    assert [one["decision"] for one in first.client.data("state")["entries"]] == ["accept", "reject"]


def test_generated_items_are_decided_in_any_order_and_decisions_changed(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: Captured
) -> None:
    review = run(*MAKE)
    [text, entries, findings] = review.client.data("shown", number=2)["parts"]
    assert findings["lines"] == []
    first = [line.split("  ")[0] for line in entries["lines"]]
    edited = {"description": text["text"], "entries": "\n".join([*first, "eq,1,globe"])}
    status, preview = review.client.post("preview", {"number": 2, "edited": edited})
    assert status == 200 and "error untold-category: the text does not name globe" in preview["parts"][2]["lines"]
    assert review.decide(2, "edit", edited) == 200
    shown = review.client.data("shown", number=2)
    assert shown["parts"][2]["lines"] == preview["parts"][2]["lines"], (
        "what is kept has the findings that were previewed"
    )
    assert review.decide(2, "accept", note="as it was") == 200
    assert review.client.data("shown", number=2)["parts"] == [text, entries, findings]
    for wrong in (None, {"description": "A den."}, {"description": "A den.", "entries": ""}):
        assert review.decide(1, "edit", wrong) == 400
    assert review.decide(0, "drop") == 200
    review.process.send_signal(signal.SIGKILL)
    review.process.wait()
    lines = [json.loads(line) for line in Path("made.csv.review.jsonl").read_text().splitlines()]
    assert [line["decision"] for line in lines] == ["edited", "accepted", "dropped"] and lines[1]["note"] == "as it was"
    person, terminal = os.openpty()
    os.write(person, b"a\n")
    with os.fdopen(terminal, encoding="utf-8") as keys:
        monkeypatch.setattr("sys.stdin", keys)
        assert main([*MAKE, "--review"]) == 0
    os.close(person)
    said = capsys.readouterr().out
    assert said.startswith("2 of 3: easy, ") and "reviewed: 2 accepted, 1 dropped" in said
    assert text["text"] in [one.description for one in read_annotation_file(Path("made.csv")).annotations]
