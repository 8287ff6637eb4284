"""``tsgkit images`` as a person types it: which images are made, what is said, and how it ends."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from image_server import image_server, png
from image_suite import install
from model_server import Running
from prefork import Prefork, Ran, prefork

from tsgkit.cli import main
from tsgkit.report import progress

Captured = pytest.CaptureFixture[str]
ROWS = {f"c{number}": f"Cup number {number}." for number in range(12)}
KEY = "sk-loopback-key"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    install(tmp_path, ROWS, monkeypatch)
    return tmp_path


def words(base: str, *more: str, out: str = "out") -> list[str]:
    asked = ["images", "--task", "demo/cups", "--model", "openai/m", "-o", out]
    return [*asked, "--model-arg", f"api_base={base}", "--model-arg", f"api_key={KEY}", *more]


def lines(out: str = "out") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(out, "paintings.jsonl").read_text().splitlines()]


def test_images_are_made_and_counted(folder: Path, capsys: Captured) -> None:
    with image_server(always={"number 2.": "blocked"}, echo_key=True) as server:
        assert main(words(server.base, "--limit", "4", "--size", "64x32", "--seed", "3", "--price", "0.04")) == 0
        assert (server.stats()["last"]["size"], server.stats()["last"]["seed"]) == ("64x32", 3)
    said = capsys.readouterr()
    assert "4 images: 3 painted, 0 there already, 1 blocked, 0 failed" in said.out
    assert "asked: 4 requests in all, $0.1200" in said.out and "written: out" in said.out
    assert "c2 blocked: " in said.err and KEY not in said.out + said.err
    assert Path("out/c1.png").read_bytes() == png("Cup number 1.")
    everything = b"".join(path.read_bytes() for path in Path("out").rglob("*") if path.is_file())
    assert KEY.encode() not in everything


def test_one_json_object_says_the_same(folder: Path, capsys: Captured) -> None:
    with image_server(always={"number 1.": "404"}) as server:
        assert main(words(server.base, "--ids", "c1", "c5", "--json", "--quiet")) == 1
    said = capsys.readouterr()
    value = json.loads(said.out)
    counts = {name: value[name] for name in ("total", "painted", "there", "blocked", "failed", "unasked", "requests")}
    assert counts == {
        "total": 2, "painted": 1, "there": 0, "blocked": 0, "failed": 1, "unasked": 0, "requests": 2,
    }  # fmt: skip
    assert value["cost"] is None and "error 404" in value["failures"]["c1"]
    with image_server(always={"": "404"}) as server:
        assert main(words(server.base, "--ids", "c1", "--json", "--quiet", out="none")) == 1
    assert json.loads(capsys.readouterr().out)["cost"] is None, "nobody knows the price of a request that failed"
    assert "nothing is lost; go on with: tsgkit" in said.err


def test_a_dry_run_sends_nothing_and_makes_nothing(folder: Path, capsys: Captured) -> None:
    assert main(words("http://127.0.0.1:9/v1", "--dry-run", "--price", "0.04")) == 0
    said = capsys.readouterr().out
    assert "12 images: nothing is sent" in said and "12 requests" in said and "$0.4800" in said
    assert not Path("out").exists()
    assert main(words("http://127.0.0.1:9/v1", "--dry-run", "--json")) == 0
    value = json.loads(capsys.readouterr().out)
    assert (value["left"], value["requests"], value["cost"]) == (12, 12, None)
    assert 0 < value["prompt"][0] < value["prompt"][1]
    Path("layouts.json").write_text("{}")
    drawn = ["--condition", "drawn", "--layouts", "layouts.json", "--dry-run"]
    assert main(words("http://127.0.0.1:9/v1", *drawn)) == 0
    assert "12 images: nothing is sent" in capsys.readouterr().out and not Path("out").exists()


def test_prompts_are_written_anew_first_where_a_rewriter_is_named(folder: Path, capsys: Captured) -> None:
    script = "".join(json.dumps({"item_id": name, "reply": f"Again: {text}"}) + "\n" for name, text in ROWS.items())
    Path("script.jsonl").write_text(script)
    rewriter = ["--rewriter", "script:script.jsonl", "--ids", "c1", "c2"]
    assert main(words("http://127.0.0.1:9/v1", *rewriter, "--dry-run")) == 0
    assert "and up to 2 requests of script:script.jsonl before" in capsys.readouterr().out
    with image_server() as server:
        assert main(words(server.base, *rewriter, "--json", "--quiet")) == 0
        assert sorted(server.stats()["prompts"]) == ["Again: Cup number 1.", "Again: Cup number 2."]
        assert json.loads(capsys.readouterr().out)["rewriter"] == "script:script.jsonl"
        assert main(words(server.base, "--ids", "c1")) == 2
    assert "was asked for otherwise" in capsys.readouterr().err
    assert main(words("http://127.0.0.1:9/v1", "--rewriter-price", "1,2")) == 2
    assert "name it: --rewriter M" in capsys.readouterr().err


def test_layouts_go_along_in_words_or_as_a_image(folder: Path, capsys: Captured) -> None:
    Path("layouts.json").write_text(json.dumps({"c1": [1, 2]}))
    given = ["--ids", "c1", "--layouts", "layouts.json", "--quiet"]
    with image_server() as server:
        assert main(words(server.base, *given, "--condition", "text", out="text")) == 0
        assert main(words(server.base, *given, "--condition", "drawn", "--no-instruction", out="drawn")) == 0
        stats = server.stats()
    assert stats["prompts"] == ["Cup number 1.\nLayout: [1, 2]", "Follow the drawing."]
    assert stats["last"]["path"] == "/v1/images/edits"
    (drawing,) = Path("drawn/drawings").iterdir()
    assert (
        drawing.read_bytes() == png("[1, 2]") and stats["last"]["image"] == drawing.stem == lines("drawn")[0]["shown"]
    )


def test_a_budget_ends_it_with_4_and_the_same_command_goes_on(folder: Path, capsys: Captured) -> None:
    with image_server() as server:
        assert main(words(server.base, "--max-requests", "5")) == 4
        said = capsys.readouterr().err
        assert "stopped: the budget is used up: 5 of 5 requests; 7 images not asked for" in said
        assert main(words(server.base)) == 0
        assert server.stats()["good"] == 12 and server.stats()["good_twice"] == 0
    assert "12 images: 7 painted, 5 there already" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--size", "big"], "--size big: no size of an image"),
        (["--size", "0x5"], "no size of an image"),
        (["--limit", "0"], "--limit 0: it must be more than 0"),
        (["--ids", "c99"], "no item is called c99"),
        (["--condition", "drawn"], "--condition and --layouts go together"),
        (["--layouts", "x.json"], "--condition and --layouts go together"),
        (["--no-instruction"], "leaves nothing to ask for"),
        (["--model-arg", "temperature=1"], "no parameter is called so"),
        (["--max-cost", "1"], "the price of openai/m is not known"),
        (["--max-cost", "1", "--dry-run"], "the price of openai/m is not known"),
        (["--price", "free"], "is no price"),
        (["--data", "nowhere.json"], "nowhere.json"),
        (["--task", "tsg/sgqa"], "tsg/sgqa has no images to make\n  tasks that have: demo/cups"),
        (["--task", "nothing"], "there is no task nothing"),
    ],
)
def test_images_refuses_invalid_arguments_before_sending_or_writing(
    more: list[str], message: str, folder: Path, capsys: Captured
) -> None:
    assert main(words("http://127.0.0.1:9/v1", *more)) == 2
    assert message in capsys.readouterr().err
    assert not Path("out").exists()


def test_without_the_extra_nothing_is_asked(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    assert main(words("http://127.0.0.1:9/v1")) == 2
    assert 'pip install "tsgkit[images]"' in capsys.readouterr().err
    assert not Path("out").exists()


def test_progress_tells_how_far_it_is(folder: Path, capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "EVERY_ELSEWHERE", 0.0)
    with image_server(always={"number 2.": "blocked", "number 3.": "404"}) as server:
        assert main(words(server.base, "--price", "0.04", "--concurrency", "1")) == 1
        said = capsys.readouterr().err
        assert main(words(server.base, "--price", "0.04", "--ids", "c3", "c4", "c5")) == 1
    assert "openai/m: 1/12, $0.0400, 1 of at most 1 in flight, about 0:" in said.replace("0 of", "1 of")
    assert "openai/m: 10/12, 1 failed, 1 blocked" in said
    assert "going on: 2 images are there already, 0 were blocked" in capsys.readouterr().err


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Prefork, Path]]:
    """Yield a project with the suite installed, and processes that know it."""
    folder = tmp_path_factory.mktemp("painting")
    with pytest.MonkeyPatch.context() as patch:
        install(folder, ROWS, patch)
        with prefork(folder) as parent:
            yield parent, folder


def painted(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in out.glob("*.png")}


def wait_for(process: Ran, out: Path, images: int) -> None:
    while not process.ended() and len(painted(out)) < images:
        time.sleep(0.005)


def test_a_judge_can_be_shown_what_was_painted(folder: Path) -> None:
    from doors import closing, run, service_door
    from langchain_core.messages import HumanMessage

    from tsgkit.llm.door import Call
    from tsgkit.llm.images import ImageFile, content_of
    from tsgkit.suites.images import ImageFolder

    async def judged(server: Running) -> list[str]:
        door, found = service_door(server.base), ImageFolder("m", "out", "kept")

        async def all_of_them() -> list[str]:
            said = []
            for item_id in ("c0", "c7"):
                image = found.look(item_id)
                assert isinstance(image, ImageFile)
                where = Call("m", "", "demo/cups", "single", "", item_id, 0, "", "", 0)
                reply = await door.ask(where, [HumanMessage(content=content_of(item_id, image))], label="look")
                said.append(json.loads(reply.text or "")[0]["sha256"])
            return said

        return await closing(door, all_of_them())

    with image_server() as server:
        assert main(words(server.base, "--quiet")) == 0
        said = run(judged(server))
    assert said == [line["sha256"] for wanted in ("c0", "c7") for line in lines() if line["id"] == wanted]
