"""Evaluations from Python: in a script, in a running loop, from a thread, interrupted, with models of one's own."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from model_server import model_server

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.llm.user_code import text_of_code

Messages = list[dict[str, Any]]
SIX: dict[str, Any] = {"limit": 6, "quiet": True, "cache": False}


def cup(messages: Messages) -> str:
    return "[cup]"


async def towel(messages: Messages) -> str:
    await asyncio.sleep(0)
    return "[towel]"


def test_a_run_from_python_is_the_run_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tsgkit.cli import main

    with model_server() as server:
        where = f"api_base={server.base}"
        run = tk.evaluate("sgqa", model="openai/x", model_arg={"api_base": server.base}, out=tmp_path / "a", **SIX)
        words = ["eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", where, "--limit", "6", "--quiet"]
        assert main([*words, "--no-cache", "--out", str(tmp_path / "b")]) == 0
        said = capsys.readouterr().out.replace(str(tmp_path / "b"), str(tmp_path / "a"))
        assert repr(run).splitlines()[:3] == said.splitlines()[:3]
        headers = [json.loads((tmp_path / name / "run.json").read_text()) for name in "ab"]
        assert headers[0]["identity"] == headers[1]["identity"]
        assert main([*words, "--no-cache", "--out", str(tmp_path / "a")]) == 0, "the command goes on with it"
        assert server.stats()["seen"] == 12


def test_options_that_are_none_say_nothing(tmp_path: Path) -> None:
    nothing: dict[str, Any] = dict.fromkeys(("timeout", "cache", "scene_time", "attempts", "new", "style", "limit"))
    run = tk.evaluate("sgqa", model=cup, ids="bread/q0", out=tmp_path / "run", **{**nothing, "quiet": None})
    assert run.complete and run.samples[0].style == "zero-shot"
    assert tk.refine([], rounds=None).changes == ()  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="there is no option modle"):
        tk.evaluate("sgqa", modle=None)  # type: ignore[call-arg]


def test_interface_works_inside_a_running_loop(tmp_path: Path) -> None:
    async def cells_of_a_notebook() -> tuple[tk.Run, tk.Run]:
        first = tk.evaluate("sgqa", model=towel, out=tmp_path / "a", **SIX)
        second = await tk.aevaluate("sgqa", model=towel, out=tmp_path / "b", **SIX)
        assert tk.refine([]).changes == ()
        return first, second

    first, second = asyncio.run(cells_of_a_notebook())
    assert [one.answer for one in first.samples] == [one.answer for one in second.samples] == ["towel"] * 6


def test_several_evaluations_run_at_once_in_one_loop_and_from_threads(tmp_path: Path) -> None:
    async def both() -> list[tk.Run]:
        runs = (tk.aevaluate("sgqa", model=model, out=tmp_path / model.__name__, **SIX) for model in (cup, towel))
        return list(await asyncio.gather(*runs))

    assert [run.samples[0].answer for run in asyncio.run(both())] == ["cup", "towel"]
    found: list[tk.Run] = []
    threads = [
        threading.Thread(
            target=lambda name: found.append(tk.evaluate("sgqa", model=cup, out=tmp_path / name, **SIX)), args=(name,)
        )
        for name in ("one", "two")
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(run.path.name for run in found) == ["one", "two"] and all(run.complete for run in found)


def test_functions_and_chat_models_are_models_by_name(tmp_path: Path) -> None:
    chat = FakeListChatModel(responses=["[kettle]"])
    run = tk.evaluate("sgqa", model={"mine": cup, "theirs": chat}, out=tmp_path / "run", **SIX)
    assert {one.subject: one.answer for one in run.samples} == {"python:mine": "cup", "python:theirs": "kettle"}
    assert run.complete and not list(run.samples.unreadable)


def test_own_model_is_not_asked_again_unless_its_code_changed(tmp_path: Path) -> None:
    asked: list[str] = []

    def counted(messages: Messages) -> str:
        asked.append(messages[-1]["content"])
        return "[cup]"

    for _ in range(2):
        run = tk.evaluate("sgqa", model={"counted": counted}, max_requests=2, out=tmp_path / "run", **SIX)
        assert not run.complete and "2 of 2 requests" in run.stopped and len(asked) == 2
    assert tk.evaluate("sgqa", model={"counted": counted}, out=tmp_path / "run", **SIX).complete
    assert len(asked) == len(set(asked)) == 6
    with pytest.raises(UsageError, match="another run lies here"):
        tk.evaluate("sgqa", model={"counted": cup}, out=tmp_path / "run", **SIX)


def test_values_bound_to_a_function_are_part_of_its_code(tmp_path: Path) -> None:
    def saying(word: str) -> Callable[[Messages], str]:
        return lambda messages: f"[{word}]"

    def with_default(messages: Messages, word: str = "") -> str:
        return f"[{word}]"

    for word in ("cup", "kettle"):
        models = {"closure": saying(word), "partial": partial(with_default, word=word)}
        run = tk.evaluate("sgqa", model=models, out=tmp_path / word, limit=6, quiet=True)
        assert {one.answer for one in run.samples} == {word}


def test_a_variable_that_a_function_sets_is_no_part_of_its_code(tmp_path: Path) -> None:
    asked = 0

    def counted(messages: Messages) -> str:
        nonlocal asked
        asked += 1
        return "[cup]"

    for _ in range(2):
        assert tk.evaluate("sgqa", model={"counted": counted}, out=tmp_path / "run", **SIX).complete
    assert asked == 6


def test_a_function_may_use_what_is_defined_after_it(tmp_path: Path) -> None:
    def model(messages: Messages) -> str:
        return f"[{word}]"

    unbound = text_of_code(model)
    word = "cup"
    assert text_of_code(model) == f"{unbound}\0'cup'"
    assert tk.evaluate("sgqa", model=model, out=tmp_path / "run", **SIX).complete


def test_an_exception_of_a_model_fails_its_samples_and_the_model_is_given_up(tmp_path: Path) -> None:
    def broken(messages: Messages) -> str:
        raise ValueError("no such thing\nand more")

    run = tk.evaluate("sgqa", model=broken, out=tmp_path / "run", **SIX)
    (result,) = run.results
    assert (result.board.counts["api_error"], result.unasked, run.complete) == (3, 3, False)
    assert "ValueError: no such thing" in run.stopped and "and more" not in run.stopped


def test_an_object_of_another_loop_is_told_where_it_belongs(tmp_path: Path) -> None:
    async def notebook() -> tuple[str, bool]:
        gate: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        asyncio.get_running_loop().call_later(0.05, gate.set_result, None)

        async def bound(messages: Messages) -> str:
            await asyncio.wait_for(asyncio.shield(gate), 5)
            return "[cup]"

        there = await asyncio.to_thread(tk.evaluate, "sgqa", model=bound, out=tmp_path / "a", **SIX)
        here = await tk.aevaluate("sgqa", model=bound, out=tmp_path / "b", **SIX)
        return there.stopped, here.complete

    stopped, complete = asyncio.run(notebook())
    assert "belongs to another event loop" in stopped and "aevaluate" in stopped
    assert complete


def test_a_cancelled_evaluation_keeps_what_was_answered(tmp_path: Path) -> None:
    answered = 0

    async def slow(messages: Messages) -> str:
        nonlocal answered
        await asyncio.sleep(0 if answered < 3 else 60)
        answered += 1
        return "[cup]"

    async def cut_short() -> None:
        async with asyncio.timeout(5):
            work = asyncio.create_task(tk.aevaluate("sgqa", model=slow, concurrency=1, out=tmp_path / "run", **SIX))
            while answered < 3:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.05)
            work.cancel()
            with pytest.raises(asyncio.CancelledError):
                await work

    asyncio.run(cut_short())
    assert sum(one.outcome == "answered" for one in tk.open_run(tmp_path / "run").samples) == 3


INTERRUPTED = """
import os, signal, sys, threading, time, asyncio
import tsgkit as tk
asked = []
async def slow(messages):
    asked.append(1)
    await asyncio.sleep(0.4)
    return "[cup]"
def press():
    while not asked:
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)
threading.Thread(target=press, daemon=True).start()
try:
    tk.evaluate("sgqa", model={"slow": slow}, concurrency=2, limit=6, out="run", quiet=True)
except KeyboardInterrupt:
    run = tk.open_run("run")
    print(sum(one.outcome == "answered" for one in run.samples), len(asked))
"""


def test_an_interrupt_lets_what_is_in_work_come_home_and_is_raised(tmp_path: Path) -> None:
    said = subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERRUPTED], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (said.stdout, said.stderr) == ("2 2\n", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"styles": "cot"}, "there is no option styles"),
        ({"limit": 0}, "--limit 0: at least 1 is needed"),
        ({"max_cost": -1}, "--max-cost -1: it must be more than 0"),
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
        ({"model": "gpt-4o", "shard": "4/3"}, "shard"),
        ({"model": lambda: ""}, "cannot be called with"),
        ({"images": {"mine": "nowhere"}}, "nowhere"),
        ({"model": cup, "model_arg": {"temperature": 0}}, "--model-arg temperature has no use"),
    ],
)
def test_mistakes_are_told_as_on_the_command_line(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError) as told:
        tk.evaluate(**{"task": "sgqa", "out": tmp_path / "run", **options})
    assert message in f"{told.value} {told.value.hint}"
    assert not (tmp_path / "run").exists()


def test_the_folder_says_the_call_without_keys_and_merging_says_what_is_missing(tmp_path: Path) -> None:
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


def test_two_functions_of_one_name_are_to_be_named(tmp_path: Path) -> None:
    two = [lambda messages: "[a]", lambda messages: "[b]"]
    with pytest.raises(UsageError, match="two models are called") as told:
        tk.evaluate("sgqa", model=two, out=tmp_path / "run", **SIX)
    assert 'model={"one": ..., "two": ...}' in told.value.hint


def test_a_plan_says_what_would_be_asked() -> None:
    rows = tk.plan("tsg", model=["openai/x", "baseline/rules"], style=["zero-shot", "cot"], limit=3)
    assert [(one.cell.subject, one.samples) for one in rows].count(("openai/x", 3)) == 8
    assert sum(one.requests[1] for one in rows) == 24


def test_a_forked_process_has_a_loop_of_its_own(tmp_path: Path) -> None:
    assert tk.evaluate("sgqa", model=cup, out=tmp_path / "a", **SIX).complete
    code = (
        "import os, tsgkit as tk\n"
        "cup = lambda messages: '[cup]'\n"
        "tk.evaluate('sgqa', model={'c': cup}, limit=2, out='c', quiet=True)\n"
        "if os.fork() == 0:\n"
        "    print(tk.evaluate('sgqa', model={'c': cup}, limit=2, out='d', quiet=True).complete, flush=True)\n"
        "    os._exit(0)\n"
        "os.wait()\n"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (said.stdout, said.stderr) == ("True\n", "")


def test_the_end_of_one_evaluation_does_not_disturb_another(tmp_path: Path) -> None:
    found: dict[str, tk.Run] = {}

    def evaluate(name: str, base: str, items: int) -> None:
        asked: dict[str, Any] = {"model": f"openai/{name}", "model_arg": {"api_base": base}, **SIX, "limit": items}
        found[name] = tk.evaluate("sgqa", out=tmp_path / name, concurrency=4, **asked)

    with model_server(delay=0.15) as server:
        sizes = {"long": 40, "short": 4, "other": 8}
        threads = [threading.Thread(target=evaluate, args=(name, server.base, size)) for name, size in sizes.items()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.stats()["seen"] == sum(sizes.values()), "no request is repeated"
    tries = {name: {len(one.calls[0].reply.attempts) for one in run.samples} for name, run in found.items()}
    assert tries == {name: {1} for name in sizes}
