"""The engine of every job: units in order, here or in other processes, and an end whatever happens."""

from __future__ import annotations

import asyncio
import functools
import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from dying import Dying, DyingScorer
from run_files import lines

from tsgkit.cli import main
from tsgkit.errors import Interrupted, TsgkitError, UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.llm.failures import BudgetReached, Stopped, Unasked
from tsgkit.runs import executors, rescore_job
from tsgkit.runs.evaluation import RunOptions, evaluate, solved
from tsgkit.runs.executors import NAMES, Here, checked_executor, executor_named
from tsgkit.runs.executors.executor import Processes
from tsgkit.runs.executors.workers import WorkerDied, Workers
from tsgkit.runs.jobs import Engine, JobPart, JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.run_setup import RunSetup
from tsgkit.runs.saved_run import prepared_again
from tsgkit.runs.shards import Shard
from tsgkit.suites.judgement import ItemError
from tsgkit.suites.solvers.solver import Solver
from tsgkit.suites.suite import task_of
from tsgkit.suites.task import with_parts

NUMBERS = {str(number): number for number in range(40)}
Do = Callable[[int], Awaitable[Any]]


class Asked:
    """Whoever is asked; it only hears that it is to stop."""

    stopped = 0

    def stop(self) -> None:
        self.stopped += 1


def made(engine: Engine, make: Do, units: dict[str, int] = NUMBERS, workers: int = 2) -> Any:  # noqa: ANN401
    return engine.carry_out(lambda: engine.made(units, make, workers=workers))


def test_an_interrupt_while_the_event_loop_is_made_leaves_none_half_made(monkeypatch: pytest.MonkeyPatch) -> None:
    made_loops, make = list[asyncio.AbstractEventLoop](), asyncio.events.new_event_loop

    def interrupted() -> asyncio.AbstractEventLoop:
        signal.raise_signal(signal.SIGINT)
        made_loops.append(make())
        return made_loops[-1]

    async def work() -> int:
        return 1

    monkeypatch.setattr(asyncio.events, "new_event_loop", interrupted)
    engine = Engine()
    assert (engine.carry_out(work), engine.stopping) == (None, True)
    assert [loop.is_closed() for loop in made_loops] == [True]


def each(engine: Engine, do: Do, *queues: Iterable[int], workers: int = 1, **how: Any) -> None:  # noqa: ANN401
    async def work() -> None:
        await asyncio.gather(*(engine.each(units, do, workers=workers, **how) for units in queues))

    engine.carry_out(work)


async def negative(number: int) -> int:
    await asyncio.sleep(0.001 * (number % 3))
    return -number


def raising(error: BaseException, at: int, done: list[int]) -> Do:
    async def do(number: int) -> int:
        if number >= at:
            raise error
        done.append(number)
        return number

    return do


def test_results_keep_unit_order_concurrency_is_bounded_and_a_shard_makes_its_own_units_alone() -> None:
    engine, most, put = Engine(), list[int](), list[int]()

    async def make(number: int) -> int:
        most.append(engine.busy)
        return await negative(number)

    assert list(made(engine, make, workers=7).items()) == [(key, -number) for key, number in NUMBERS.items()]
    assert (max(most), engine.busy, engine.done, engine.expected) == (7, 0, 40, 40)
    engine = Engine()
    engine.carry_out(lambda: engine.streamed(range(40), negative, put.append, workers=7))
    assert put == [-number for number in range(40)] and engine.done == 40
    engine = Engine()
    engine.carry_out(lambda: engine.made(NUMBERS, negative, workers=0, steps=lambda number: number))
    assert (engine.expected, engine.done) == (sum(range(40)), 0), "whoever counts steps reports them"
    found: list[str] = []
    for shard in (Shard(1, 3), Shard(2, 3), Shard(3, 3)):
        engine = Engine(shard=shard)
        mine = made(engine, negative)
        assert engine.expected == len(mine) == engine.done and all(map(shard.takes, mine))
        found += mine
    assert sorted(found) == sorted(NUMBERS)


def test_a_job_that_is_not_finished_says_why() -> None:
    for error in (Unasked("nobody is there"), BudgetReached("0 of 0 requests"), Stopped("stopped")):
        for workers in (1, 3):
            with pytest.raises(type(error), match=str(error) if not isinstance(error, Stopped) else None):
                made(Engine(), raising(error, 5, []), workers=workers)
            engine, put = Engine(), list[int]()
            streamed = functools.partial(engine.streamed, range(8), raising(error, 5, []), put.append, workers=workers)
            with pytest.raises(type(error)):
                engine.carry_out(streamed)
            assert put == [0, 1, 2, 3, 4], (error, workers)


def test_a_model_that_is_given_up_ends_its_queue_and_a_budget_all_that_ask() -> None:
    engine, done, why = Engine(), list[int](), list[Unasked]()

    async def do(number: int) -> None:
        if number == 5:
            raise Unasked("401 three times")
        done.append(number)

    each(engine, do, range(10), range(100, 110), gave_up=why.append)
    assert list(map(str, why)) == ["401 three times"] and sorted(done) == [*range(5), *range(100, 110)]
    assert not engine.stopping
    done = []
    each(engine := Engine(), raising(BudgetReached("2 of 2 requests"), 3, done), range(10))
    each(engine, raising(BudgetReached("later"), 200, done), range(100, 110), asks=False)
    each(engine, raising(BudgetReached("later"), 200, done), range(100, 110))
    assert done == [0, 1, 2, *range(100, 110)] and engine.budget == "2 of 2 requests"


def test_an_error_stops_everything_and_is_raised_when_all_is_at_its_end() -> None:
    for error, ends, stopped in ((TsgkitError("the disk is full"), [0], 1), (ZeroDivisionError(), [], 0)):
        asked, ended, finished = Asked(), list[str](), list[int]()
        engine = Engine((asked,), JobWatch(ended=functools.partial(ended.append, "ended")))

        async def do(number: int, error: Exception = error, finished: list[int] = finished) -> None:
            if number == 1:
                raise error
            await asyncio.sleep(0.05)
            finished.append(number)

        with pytest.raises(type(error)):
            each(engine, do, range(10), workers=2)
        assert (finished, asked.stopped, ended, engine.busy) == (ends, stopped, ["ended"], 0)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_interrupt_lets_units_end_and_the_second_does_not(number: signal.Signals) -> None:
    for hangs in (False, True):
        told, finished, asked = list[str](), list[int](), Asked()
        engine = Engine((asked,), JobWatch(stopping=functools.partial(told.append, "stopping")))

        async def do(unit: int, hangs: bool = hangs, finished: list[int] = finished) -> None:
            if unit == 1:
                os.kill(os.getpid(), number)
            await asyncio.sleep(0.05)
            if hangs and unit == 0:
                os.kill(os.getpid(), number)
                await asyncio.sleep(600)
            finished.append(unit)

        assert made(engine, do, {"0": 0, "1": 1, "2": 2}) is None
        assert (engine.interrupted, asked.stopped, told) == (True, 1, ["stopping"])
        assert finished == [0, 1] or (hangs and finished in ([1], []))


def test_units_in_work_end_with_the_grace_of_a_sigterm() -> None:
    async def do(_: int) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await asyncio.sleep(600)

    (executor := Here()).grace = 0.1
    engine = Engine(executor=executor)
    assert made(engine, do, {"0": 0}) is None and engine.interrupted


BLOCKED = """import os, signal, time
from tsgkit.runs.jobs import Engine
async def blocking(_):
    for _ in range(2): os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(600)
(engine := Engine()).carry_out(lambda: engine.made({"one": 1}, blocking, workers=1))
"""


BLOCKED_IN_BACKGROUND = """import asyncio, os, signal, sys, threading, time
from tsgkit.llm.event_loop import run_in_background
async def blocking():
    for _ in range(2):
        while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "wait": time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)
        while not asyncio.get_running_loop()._ready: time.sleep(0.01)
    time.sleep(600)

try: run_in_background(blocking, int, int)
except KeyboardInterrupt: print("interrupted")

async def works(): return 1

assert run_in_background(works) == 1
"""


def test_second_interrupt_ends_a_process_whose_event_loop_is_blocked() -> None:
    ended = subprocess.run([sys.executable, "-c", BLOCKED], capture_output=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (130, b"tsgkit: interrupted\n")
    for told in (BLOCKED, BLOCKED_IN_BACKGROUND):
        session = f"import signal\nsignal.signal(14, print)\nexec({told!r})\nprint('alive', signal.getsignal(14))\n"
        said = subprocess.run([sys.executable, "-i"], input=session, capture_output=True, text=True, check=False)
        assert said.stdout.endswith("alive <built-in function print>\n"), said.stderr


def test_a_signal_that_is_ignored_stays_ignored_and_other_threads_hear_none(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with monkeypatch.context() as patch:  # None: a host installed one in C, which Python cannot put back
            patch.setattr(signal, "getsignal", lambda number: None)
            assert len(made(Engine(), negative)) == 40

        async def make(number: int) -> int:
            if number == 3:
                os.kill(os.getpid(), signal.SIGHUP)
            return await negative(number)

        assert len(made(Engine(), make)) == 40
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        found = list[Any]()
        work = threading.Thread(target=lambda: found.append(made(Engine(), make)))
        work.start()
        work.join()
        assert len(found[0]) == 40
    finally:
        signal.signal(signal.SIGHUP, before)


def test_time_left_is_told_of_what_was_done_now_and_units_in_work_are_half_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: 110.0)
    for done, left, began, busy, seconds in (
        (0, 5, 100.0, 0, None), (5, 0, 100.0, 0, None), (5, 5, 0.0, 0, None), (5, 5, 100.0, 0, 10.0),
        (1, 345, 109.0, 32, 329 / 17), (1, 1, 100.0, 0, 10.0), (2, 4, 100.0, 8, 5.0),
    ):  # fmt: skip
        part = JobPart("x", done=5, total=10, ended=done, left=left, began=began, busy=busy)
        assert part.seconds_left == (seconds if seconds is None else pytest.approx(seconds)), part


SCRIPT = """
import os, sys
import tsgkit as tk
print("begun")
here, options = os.getpid(), {"model": "baseline/random", "executor": "processes", "limit": 2, "quiet": True}
print(tk.evaluate("formalimg/layout", out="layouts", **options).value("satisfied"))
tk.metric("formalimg/layout", "here", share=True)(lambda item, answer: os.getpid() == here)
measured = tk.evaluate("formalimg/layout", out="measured", **options)
print(measured.value("here"), measured)
"""


def test_workers_never_run_the_program_that_started_them(tmp_path: Path) -> None:
    paths = os.pathsep.join(path for path in sys.path if path)
    command = ["env", "-C", str(tmp_path), f"PYTHONPATH={paths}", sys.executable, "-"]
    said = subprocess.run(command, input=SCRIPT, capture_output=True, text=True, check=True).stdout
    assert said.count("begun") == 1 and said.split()[1:3] == ["0.0", "1.0"]
    assert (
        "note: formalimg/layout: computed in this process: <lambda> is defined in the program that was started" in said
    )


def test_failures_in_workers_are_raised_and_calls_are_prepared_as_they_are_needed() -> None:
    numbers = count(1)
    with Workers(1) as workers:
        done = workers.map(divmod, ((7, number) for number in numbers))
        assert [next(done), next(done), next(numbers)] == [(7, 0), (3, 1), 5]
        with pytest.raises(ZeroDivisionError) as problem:
            workers.submit(divmod, 1, 0).result()
        assert "in a worker process" in problem.value.__notes__[0]
        with pytest.raises(WorkerDied, match="killed"):
            workers.submit(os._exit, 1).result()
        assert workers.submit(divmod, 7, 2).result() == (3, 1), "another takes its place"


def test_a_process_that_dies_or_hangs_takes_one_sample_with_it() -> None:
    async def outcomes() -> list[Any]:
        with Processes(2, longest=2.0) as executor:
            each = (executor.run(solved, Dying(), sample) for sample in ("a", "deadly", "b", "endless", "c", "d"))
            return list(await asyncio.gather(*each, return_exceptions=True))

    found = asyncio.run(outcomes())
    hung, died = found.pop(3), found.pop(1)
    assert isinstance(died, ItemError) and isinstance(hung, ItemError), "that is their outcome"
    assert str(died) == str(hung) == "the processes that computed it died or hung, 3 times"
    texts = [one.replies[0].text.split() for one in found]
    assert [word for word, _ in texts] == ["a", "b", "c", "d"]
    assert str(os.getpid()) not in {process for _, process in texts}
    here = Here().run(lambda shared, item: (shared, item, os.getpid()), 1, 2)
    assert asyncio.run(here) == (1, 2, os.getpid())


def test_every_task_can_be_sent_to_other_processes_which_are_chosen_by_name() -> None:
    with pytest.raises(UsageError, match="--executor rai: there is no such executor") as problem:
        checked_executor("rai")
    assert "ray" in problem.value.hint and checked_executor(None) is None
    assert [executor_named(name).name for name in NAMES[:2]] == ["here", "processes"]
    for name in card_names():
        task = task_of(load_card(name))
        Processes(1).check(task)
        assert pickle.loads(pickle.dumps(task)).key == task.key, name  # noqa: S301  (written here)


def test_code_that_cannot_be_sent_works_here_unless_the_user_wants_it_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(executor: Processes, shared: object) -> None:
        raise TypeError("cannot pickle a lock")

    found = with_parts(task_of(load_card("tsg/sgqa")), computes="solving")
    monkeypatch.setattr("tsgkit.runs.run_setup.task_of", lambda card: found)
    monkeypatch.setattr(executors, "processors", lambda: 2)
    monkeypatch.setattr(Processes, "send", refuse)
    monkeypatch.setattr(Processes, "run", None)
    plan = Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), limit=20)
    assert evaluate(plan, RunOptions(out=tmp_path / "here")).exit_code == 0
    with pytest.raises(UsageError, match="cannot be sent to another process: TypeError: cannot pickle a lock"):
        evaluate(plan, RunOptions(out=tmp_path / "elsewhere", executor="processes"))


PLAN = Plan(tasks=("formalimg/layout", "tsg/sgqa"), models=("baseline/random",), limit=8)


@pytest.fixture
def layouts(tmp_path: Path) -> Path:
    """A run of layouts, scored here."""
    return evaluate(PLAN, RunOptions(out=tmp_path / "here", executor="here")).path


def test_scores_that_take_computing_are_the_same_wherever_they_are_made(
    layouts: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = (layouts / "samples.jsonl").read_bytes()
    other = evaluate(PLAN, RunOptions(out=tmp_path / "other", executor="processes")).path
    assert (other / "samples.jsonl").read_bytes() == records
    assert len({json.loads((run / "run.json").read_text())["identity"] for run in (layouts, other)}) == 1
    for name in ("processes", "here"):
        (layouts / "samples.jsonl").write_bytes(b"")
        assert main(["rescore", str(layouts), "--executor", name]) == 0
        assert (layouts / "samples.jsonl").read_bytes() == records
    assert main(["rescore", str(layouts), "--executor", "her"]) == 2
    assert "  here?" in capsys.readouterr().err


def scored_by(monkeypatch: pytest.MonkeyPatch, change: Callable[[Solver], Solver]) -> None:
    """Let another solver score when a run is rescored."""

    def prepared(*given: Any, **named: Any) -> RunSetup:  # noqa: ANN401
        found = prepared_again(*given, **named)
        return replace(found, rows=tuple(replace(row, solver=change(row.solver)) for row in found.rows))

    monkeypatch.setattr(rescore_job, "prepared_again", prepared)


def test_a_sample_whose_scoring_kills_processes_is_a_counted_error_and_the_others_are_scored(
    layouts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "processors", lambda: 1)  # each process takes a second to load what it needs
    before = lines(layouts / "samples.jsonl")
    deadly = before[7]["item_id"]
    scored_by(monkeypatch, lambda solver: DyingScorer(scorer=solver, deadly=deadly))
    rescored = Rescoring(layouts, executor="processes").carry_out()
    after = lines(layouts / "samples.jsonl")
    assert [one["outcome"] == "error" for one in after] == [number == 7 for number in range(len(before))]
    assert after[7]["error"].startswith("the processes that computed it died")
    others = [(one["item_id"], one["parts"]) for one in after if one["item_id"] != deadly]
    assert others == [(one["item_id"], one["parts"]) for one in before if one["item_id"] != deadly]
    assert [one.item_id for one in rescored.reread] == [deadly]


def test_a_rescoring_that_is_refused_or_interrupted_changes_nothing(
    layouts: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (layouts / "samples.jsonl").read_bytes()
    engines: list[Engine] = []
    watch = JobWatch(begun=engines.append, changed=lambda: engines[0].stop())
    with pytest.raises(Interrupted, match="is as it was"):
        Rescoring(layouts, executor="here").carry_out(watch)
    assert {one.name for one in layouts.iterdir() if "samples" in one.name} == {"samples.jsonl"}
    assert Rescoring(layouts).carry_out().reread == ()
    scored_by(monkeypatch, lambda solver: DyingScorer(scorer=lambda: None))
    with pytest.raises(UsageError, match="cannot be sent to another process"):
        Rescoring(layouts, executor="processes").carry_out()
    assert (layouts / "samples.jsonl").read_bytes() == before
