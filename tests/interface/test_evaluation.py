"""Evaluations, images and scenes from Python: in scripts, running loops and threads, by models of one's own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from image_suite import install
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from model_server import model_server
from PIL import Image
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import TsgkitError, UsageError
from tsgkit.interface.images import PaintedImages

Messages = list[dict[str, Any]]
ROOM = TASKS / "sceneeval/data/rooms/good/scene_0.json"
ROWS = {f"c{number}": f"Cup number {number}." for number in range(6)}
CUPS: dict[str, Any] = {"task": "demo/cups", "quiet": True}
SIX: dict[str, Any] = {"limit": 6, "quiet": True, "cache": False}


def cup(messages: Messages) -> str:
    return "[cup]"


async def towel(messages: Messages) -> str:
    await asyncio.sleep(0)
    return "[towel]"


def test_run_from_python_is_the_run_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with model_server() as server:
        how = {"api_base": server.base, "stop": ["#", "5"], "extra_body": {"think": False}}
        run = tk.evaluate("sgqa", model="openai/x", model_arg=how, out=tmp_path / "a", **SIX)
        typed = f'--model-arg api_base={server.base} --model-arg stop=["#","5"] --model-arg extra_body.think=false'
        words = f"eval --task sgqa --model openai/x {typed} --limit 6 --quiet".split()
        assert main([*words, "--no-cache", "--out", str(tmp_path / "b")]) == 0
        out = capsys.readouterr().out.replace(str(tmp_path / "b"), str(tmp_path / "a"))
        assert repr(run).splitlines()[:3] == out.splitlines()[:3]
        first, second = (json.loads((tmp_path / name / "run.json").read_text()) for name in "ab")
        assert first["identity"] == second["identity"]
        assert main([*words, "--no-cache", "--out", str(tmp_path / "a")]) == 0, "the command goes on with it"
        assert server.stats()["seen"] == 12


def test_evaluations_run_inside_a_loop_several_at_once_and_from_threads(tmp_path: Path) -> None:
    async def cells_of_a_notebook() -> list[tk.Run]:
        first = tk.evaluate("sgqa", model=towel, out=tmp_path / "a", **SIX)
        assert tk.refine([]).changes == ()
        runs = (tk.aevaluate("sgqa", model=model, out=tmp_path / model.__name__, **SIX) for model in (cup, towel))
        return [first, *await asyncio.gather(*runs)]

    answers = [[one.answer for one in run.samples] for run in asyncio.run(cells_of_a_notebook())]
    assert answers == [["towel"] * 6, ["cup"] * 6, ["towel"] * 6]
    runs: list[tk.Run] = []

    def evaluate(name: str) -> None:
        runs.append(tk.evaluate("sgqa", model=cup, out=tmp_path / name, **SIX))

    threads = [threading.Thread(target=evaluate, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run.path.name for run in runs) == ["one", "two"] and all(run.complete for run in runs)


def test_functions_and_chat_models_are_asked_by_name_and_not_again_unless_their_code_changed(tmp_path: Path) -> None:
    chat = FakeListChatModel(responses=["[kettle]"])
    run = tk.evaluate("sgqa", model={"mine": cup, "theirs": chat}, out=tmp_path / "both", **SIX)
    assert {one.subject: one.answer for one in run.samples} == {"python:mine": "cup", "python:theirs": "kettle"}
    asked = 0

    def counted(messages: Messages) -> str:
        nonlocal asked  # a variable that a function sets is no part of its code
        asked += 1
        return "[cup]"

    for _ in range(2):
        run = tk.evaluate("sgqa", model={"counted": counted}, max_requests=2, out=tmp_path / "run", **SIX)
        assert not run.complete and "2 of 2 requests" in run.stopped and asked == 2
    for _ in range(2):
        assert tk.evaluate("sgqa", model={"counted": counted}, out=tmp_path / "run", **SIX).complete
        assert asked == 6
    with pytest.raises(UsageError, match="another run lies here"):
        tk.evaluate("sgqa", model={"counted": cup}, out=tmp_path / "run", **SIX)


def test_objects_of_another_loop_are_told_where_they_belong(tmp_path: Path) -> None:
    async def notebook() -> tuple[str, bool]:
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def bound(messages: Messages) -> str:
            await asyncio.wait_for(asyncio.shield(gate), 60)
            return "[cup]"

        there = await asyncio.to_thread(tk.evaluate, "sgqa", model=bound, out=tmp_path / "a", **SIX)
        gate.set_result(None)
        here = await tk.aevaluate("sgqa", model=bound, out=tmp_path / "b", **SIX)
        return there.stopped, here.complete

    stopped, complete = asyncio.run(notebook())
    assert "belongs to another event loop" in stopped and "aevaluate" in stopped
    assert complete


def test_cancelled_evaluation_keeps_what_was_answered(tmp_path: Path) -> None:
    waiting = asyncio.Event()
    answered = 0

    async def slow(messages: Messages) -> str:
        nonlocal answered
        if answered == 3:
            waiting.set()
            await asyncio.sleep(600)
        answered += 1
        return "[cup]"

    async def cut_short() -> None:
        work = asyncio.create_task(tk.aevaluate("sgqa", model=slow, concurrency=1, out=tmp_path / "run", **SIX))
        await asyncio.wait_for(waiting.wait(), 60)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(cut_short())
    assert sum(one.outcome == "answered" for one in tk.open_run(tmp_path / "run").samples) == 3


INTERRUPTED = """
import asyncio, os, signal
import tsgkit as tk
from tsgkit.runs.jobs import Engine
asked, stopped, stop = [], [], Engine.stop
Engine.stop = lambda engine: stopped.append(stop(engine))
async def slow(messages):
    asked.append(1)
    if len(asked) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    while not stopped:
        await asyncio.sleep(0.01)
    return "[cup]"
try:
    tk.evaluate("sgqa", model={"slow": slow}, concurrency=2, limit=6, out="run", quiet=True)
except KeyboardInterrupt:
    print(sum(one.outcome == "answered" for one in tk.open_run("run").samples), len(asked))
"""
FORKED = """
import os, tsgkit as tk
cup = lambda messages: '[cup]'
tk.evaluate('sgqa', model={'c': cup}, limit=2, out='c', quiet=True)
if os.fork() == 0:
    print(tk.evaluate('sgqa', model={'c': cup}, limit=2, out='d', quiet=True).complete, flush=True)
    os._exit(0)
os.wait()
"""


def test_interrupt_lets_what_is_in_work_come_home_and_forked_processes_have_a_loop_of_their_own(tmp_path: Path) -> None:
    for code, said, options in ((INTERRUPTED, "2 2\n", ["-W", "error"]), (FORKED, "True\n", [])):
        command = [sys.executable, *options, "-c", code]
        ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert (ended.stdout, ended.stderr) == (said, "")


def test_evaluate_refuses_mistakes_as_the_command_line_does_and_options_that_are_none_say_nothing(
    tmp_path: Path,
) -> None:
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"styles": "cot"}, "there is no option styles"),
        ({"limit": 0}, "--limit 0: at least 1 is needed"),
        ({"model": 3}, "model: 3 is none expected a name, a function of messages or a chat model"),
        ({"model": []}, "no model is named"),
        ({"model": [None]}, "model: None is none"),
        ({"model": {"mine": "openai/x"}}, "model mine is a name: openai/x"),
        ({"model": {"": cup}}, "a model has no name"),
        ({"style": 3}, "style: 3 is no text, or list of them"),
        ({"limit": "4"}, "limit: '4' is no whole number"),
        ({"ids": [["a"]]}, "ids: [['a']] is no text, or list of them"),
        ({"max_cost": "5"}, "max_cost: '5' is no number"),
        ({"out": 5}, "out: 5 is no path"),
        ({"task": 5}, "task: 5 is no name of a task, and no Task"),
        ({"model": lambda: ""}, "cannot be called with"),
        ({"model": cup, "model_arg": {"temperature": 0}}, "--model-arg temperature has no use"),
        ({"model": [lambda messages: "[a]", lambda messages: "[b]"]}, 'model={"one": ..., "two": ...}'),
    ]
    for options, message in mistakes:
        with pytest.raises(UsageError) as told:
            tk.evaluate(**{"task": "sgqa", "out": tmp_path / "run", **options})
        assert message in f"{told.value} {told.value.hint}", options
        assert not (tmp_path / "run").exists(), options
    nothing: dict[str, Any] = dict.fromkeys(("timeout", "cache", "scene_time", "attempts", "new", "style", "limit"))
    run = tk.evaluate("sgqa", model=cup, ids="pcr/q0", out=tmp_path / "run", **{**nothing, "quiet": None})
    assert run.complete and run.samples[0].style == "zero-shot"
    assert tk.refine([], repair=None).changes == ()
    with pytest.raises(UsageError, match="there is no option modle"):
        tk.evaluate("sgqa", modle=None)  # type: ignore[call-arg]


def test_folders_say_the_call_without_keys_and_merging_and_plans_what_is_left_to_ask(tmp_path: Path) -> None:
    with model_server() as server:
        arguments = {"api_base": server.base, "api_key": "sk-of-a-notebook"}
        out = tmp_path / "run"
        options: dict[str, Any] = {"model": "openai/x", "model_arg": arguments, "out": out, **SIX}
        tk.evaluate("sgqa", shard="1/2", **options)
        header = json.loads((tmp_path / "run.shard-1-of-2/run.json").read_text())
        merged = tk.merge([tmp_path / "run.shard-1-of-2"], tmp_path / "all")
    (call,) = header["command"]
    assert call.startswith("tsgkit.evaluate('sgqa', shard='1/2', model='openai/x'") and "api_key" in call
    assert not any(b"sk-of-a-notebook" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert [command[0].endswith(", shard='2/2')") for command in merged.commands] == [True]
    assert "shard='1/2'" not in merged.commands[0][0]
    rows = tk.plan("tsg", model=["openai/x", "baseline/rules"], style=["zero-shot", "cot"], limit=3)
    assert [(one.cell.subject, one.samples) for one in rows].count(("openai/x", 3)) == 8
    assert sum(one.requests[1] for one in rows) == 24


@pytest.fixture
def cups(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, ROWS, monkeypatch)


def red(prompt: str, seed: int) -> Image.Image:
    return Image.new("RGB", (8, 6), (seed, 0, 0))


async def refused(prompt: str, seed: int) -> Image.Image:
    await asyncio.sleep(0)
    if "number 2" in prompt:
        raise LookupError("\x1b[31mno paint")
    return red(prompt, seed)


@pytest.mark.usefixtures("cups")
def test_function_paints_and_the_same_call_goes_on(tmp_path: Path) -> None:
    made = tk.images(model={"red": red}, out=tmp_path / "red", limit=2, seed=7, **CUPS)
    assert made.complete and list(made.paths) == ["c0", "c1"]
    assert Image.open(made.paths["c1"]).getpixel((0, 0)) == (7, 0, 0)
    more = tk.images(model={"red": red}, out=str(tmp_path / "red"), seed=7, **CUPS)
    assert (more.there, more.painted) == (2, 4) and Path(more) == tmp_path / "red"
    made = tk.images("spatialgen", {"red": red}, tmp_path / "rooms", limit=2, quiet=True)
    plan = tk.plan("spatialgen", images={"red": made}, judge={"looker": lambda messages: "A"}, limit=2)
    assert [one.samples for one in plan] == [2], "images become the subject of an evaluation"
    with pytest.raises(UsageError, match=r"another run lies here \(model differs\)"):
        tk.images(model={"red": red}, out=tmp_path / "red", seed=8, **CUPS)


@pytest.mark.usefixtures("cups")
def test_images_are_made_inside_a_running_loop_and_failures_are_told_inertly(tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> tuple[PaintedImages, PaintedImages]:
        awaited = tk.aimages(model={"one": refused}, out=tmp_path / "one", **CUPS)
        called = tk.images(model={"two": red}, out=tmp_path / "two", **CUPS)
        return await awaited, called

    one, two = asyncio.run(cell_of_a_notebook())
    assert [name for name, _ in one.failures] == ["c2"] and not one.complete and two.complete
    assert "c2 failed: " in repr(one) and "\x1b" not in repr(one)


@pytest.mark.usefixtures("cups")
def test_images_refuses_mistakes_before_anything_is_made(tmp_path: Path) -> None:
    mistakes: list[tuple[dict[str, Any], str]] = [
        ({"model": 3}, "model: 3 is none"),
        ({"model": {"a": red, "b": refused}}, "images of several models"),
        ({"condition": "painted"}, "there is no condition painted"),
        ({"out": None}, "out: None is no path"),
    ]
    for options, message in mistakes:
        with pytest.raises(TsgkitError) as told:
            tk.images(**{**CUPS, "model": {"red": red}, "out": tmp_path / "out", **options})
        assert message in f"{told.value} {told.value.hint}" and not (tmp_path / "out").exists(), options


def test_bundled_room_shows_itself_as_the_command_does_and_other_files_are_refused(tmp_path: Path) -> None:
    async def cell_of_a_notebook() -> Any:  # noqa: ANN401
        return tk.read_scene(str(ROOM))

    room = asyncio.run(cell_of_a_notebook())
    assert room._repr_svg_().startswith("<svg ")
    assert set(room.findings["objects"]) <= set(room.objects) and f"{len(room.objects)} objects" in repr(room)
    assert main(["scene", "show", str(ROOM), "-o", str(tmp_path / "command.svg")]) == 0
    assert room.save(tmp_path / "mine.svg").read_text() == (tmp_path / "command.svg").read_text()
    mistakes: list[tuple[Any, dict[str, Any], str]] = [
        (5, {}, "5: expected the path of a scene"),
        (ROOM, {"missing": "bax"}, "missing=bax"),
        (ROOM, {"assets": {"hssd": "nowhere"}}, "nowhere: there is no such folder"),
    ]
    for path, options, message in mistakes:
        with pytest.raises(TsgkitError) as told:
            tk.read_scene(path, **options)
        assert message in str(told.value), message
