"""Engine of all jobs: it processes units, stops cleanly and reports progress.

>>> async def twice(number):
...     return 2 * number
>>> engine = Engine()
>>> engine.carry_out(lambda: engine.made({"one": 1, "two": 2}, twice, workers=2))
{'one': 2, 'two': 4}

A job is a set of units with keys and a function for each: the samples of an evaluation, the images of a folder, the
items of a file. The engine runs as many at a time as the job allows. It ends a queue whose model is given up or whose
budget is reached, and stops on an interrupt, a full disk or a program error: the first Ctrl-C completes and records the
units in progress, the second cancels them. Where the event loop is blocked, the second ends the process; in an
interactive session it raises ``KeyboardInterrupt`` there.
"""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from tsgkit.errors import Interrupted, TsgkitError
from tsgkit.llm.door import STOPPING, Door
from tsgkit.llm.event_loop import LAST_SECONDS, Threads
from tsgkit.llm.failures import BudgetReached, Stopped, Unasked
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.spans import Tracing
from tsgkit.llm.spans import unit as observed
from tsgkit.runs.shards import Shard

Unit = TypeVar("Unit")
Result = TypeVar("Result")
BREATH = 64
"""After so many units that wait for nothing, others get a turn."""
TICK = 1.0
INTERRUPTED = "interrupted"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that stop a job: Ctrl-C, SIGTERM, a closing terminal. An ignored one (nohup) stays ignored."""


class Stoppable(Protocol):
    """A source of answers that can be stopped: a door to a model, or a script."""

    def stop(self) -> None:
        """Ask nothing new."""


class Workplace(Protocol):
    """A place where units compute."""

    name: str
    grace: float | None
    """Seconds that units in work have after SIGTERM; None for as long as they take."""

    def waits_for(self) -> str:
        """Return what is waited for; empty if nothing is."""


@dataclass(frozen=True)
class JobPart:
    """The progress of a part of a job."""

    title: str
    done: int
    total: int
    ended: int
    """Units that came to their end since the job began."""
    left: int
    """The number of units left."""
    metric: str = ""
    score: float | None = None
    """A metric over the units that ended, and its value, where there is one."""
    failed: int = 0
    blocked: int = 0
    spent: float = 0.0
    knows_cost: bool = True
    """True if the cost of everything so far is known."""
    door: Door | None = None
    began: float = 0.0
    """The start of the work by the monotonic clock; 0 before it."""
    busy: int = 0
    """Units in work, each taken as half done."""

    @property
    def seconds_left(self) -> float | None:
        """The expected time for the rest at the present rate; None at the beginning."""
        if not self.began or self.ended <= 0 or self.left <= 0:
            return None
        half_done = min(self.busy, self.left) / 2
        return (time.monotonic() - self.began) / (self.ended + half_done) * (self.left - half_done)


@dataclass
class JobWatch:
    """Callbacks for progress displays."""

    begun: Callable[[Engine], None] = lambda _: None
    changed: Callable[[], None] = lambda: None
    """Called when a unit was done."""
    ticked: Callable[[], None] = lambda: None
    """Called every second, whatever happens."""
    stopping: Callable[[], None] = lambda: None
    """Called at the first interrupt."""
    ended: Callable[[], None] = lambda: None


@dataclass
class Engine:
    """The engine of one job."""

    askers: Sequence[Stoppable] = ()
    watch: JobWatch = field(default_factory=JobWatch)
    noun: str = "unit"
    """The name of a unit, for messages."""
    title: str = ""
    """The name of a job that is one part, whose progress is that of the steps counted here."""
    shard: Shard | None = None
    """The units of :meth:`made` that are done here; None for all."""
    there: str = ""
    """A description of what was done before the job started."""
    stopping: bool = False
    why: str = ""
    """The reason for stopping."""
    budget: str = ""
    """The budget that was reached; units that ask no model continue."""
    fatal: TsgkitError | None = None
    busy: int = 0
    done: int = 0
    expected: int = 0
    """Steps that were done, and all there will be, where these are counted here."""
    began: float = 0.0
    """The start of the work by the monotonic clock; 0 before it."""
    trouble: tuple[str, ...] = ()
    """The reason for waiting when the job was stopped."""
    executor: Workplace | None = None
    """The executor of what computes, if it is not done here."""
    tracing: Tracing = field(default_factory=lambda: Tracing(None, Secrets(), "", dict))
    """The spans of the job, if they are wished for."""
    parts: Callable[[], Sequence[JobPart]] = field(init=False)
    """Returns the progress of the parts."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _is_abandoned: bool = False

    def __post_init__(self) -> None:
        self.parts = self._counted

    def _counted(self) -> Sequence[JobPart]:
        if not (self.title and self.expected):
            return ()
        door = next(iter(self._doors), None)
        part = JobPart(
            title=self.title,
            done=self.done,
            total=self.expected,
            ended=self.done,
            left=self.expected - self.done,
            spent=0.0 if door is None else door.budget.used_cost,
            door=door,
            began=self.began,
            busy=self.busy,
        )
        return (part,)

    @property
    def interrupted(self) -> bool:
        """True if the user stopped the job."""
        return self.stopping and self.why == INTERRUPTED

    @property
    def waits(self) -> list[str]:
        """The models and the executor that are waited for, and why, if nothing has arrived for some seconds."""
        places = (source for source in (*self._doors, self.executor) if source is not None)
        return [f"{source.name}: {why}" for source in places if (why := source.waits_for())]

    @property
    def _doors(self) -> list[Door]:
        return [asker for asker in self.askers if isinstance(asker, Door)]

    def changed(self, steps: int = 1) -> None:
        """Count finished units and notify the watcher."""
        self.done += steps
        self.watch.changed()

    def stop(self, why: str = INTERRUPTED) -> None:
        """Start no more units; those in progress are completed."""
        if not self.stopping:
            self.stopping, self.why, self.trouble = True, why, tuple(self.waits)
            for asker in self.askers:
                asker.stop()
            for door in self._doors:
                door.leave()

    def fail(self, error: TsgkitError) -> None:
        """Stop because of an error, which is raised when all is at its end."""
        self.fatal = self.fatal or error
        self.stop(error.message)

    def spend_nothing_more(self, why: str) -> None:
        """Ask models nothing more, because a limit was reached."""
        self.budget = self.budget or why
        for door in self._doors:
            door.stop()

    def abandon(self) -> None:
        """Wait for nothing more."""
        self._is_abandoned = True
        self.stop()
        for task in self._tasks:
            task.cancel()

    def carry_out(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result | None:
        """Run a job's work; None where it was interrupted before it had a result.

        A fatal error is raised at the end.
        """

        async def alone() -> Result:
            asyncio.get_running_loop().set_default_executor(Threads())  # requests are built without them
            grace = None if self.executor is None else self.executor.grace

            def interrupted() -> None:
                self.stop()
                self.watch.stopping()

            with _on_interrupts(interrupted, self.abandon, grace):
                return await self._run(work)

        with self.tracing, self._watched() as result, ExitStack() as stack:
            with _signals_held():  # a loop that is left half made cannot be closed
                runner = stack.enter_context(asyncio.Runner())
            result.append(runner.run(alone()))
        return result[0] if result else None

    async def acarry_out(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result | None:
        """Run the job in the running event loop. Signals are not handled; a cancellation is raised."""
        async with self.tracing:
            try:
                with self._watched() as result:
                    result.append(await self._run(work))
            finally:
                if (task := asyncio.current_task()) is not None and task.cancelling():
                    raise asyncio.CancelledError
        return result[0] if result else None

    @contextmanager
    def _watched(self) -> Iterator[list[Any]]:
        """Notify the watcher of start and end. Stopping ends the block; a fatal error is raised."""
        self.began = time.monotonic()
        self.watch.begun(self)
        try:
            yield []
        except (KeyboardInterrupt, asyncio.CancelledError):
            self.stop()
        except Stopped:
            if not self.stopping:
                raise
        finally:
            self.watch.ended()
        if self.fatal is not None:
            raise self.fatal

    async def _run(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        async def tick() -> None:
            while True:
                await asyncio.sleep(TICK)
                self.watch.ticked()

        ticking = asyncio.create_task(tick())
        try:
            with _calm_collector():
                return await work()
        finally:
            ticking.cancel()
            for door in self._doors:
                await door.provider.close()

    async def each(
        self,
        units: Iterable[Unit],
        do: Callable[[Unit], Awaitable[None]],
        *,
        workers: int,
        asks: bool = True,
        gave_up: Callable[[Unasked], None] = lambda _: None,
    ) -> None:
        """Do something with each unit of one queue, so many at a time.

        ``asks``: a model is asked, so a budget that is reached ends the queue; ``gave_up`` is called with the reason
        why the model is not asked any more.
        """
        line, is_given_up = iter(units), False

        async def work() -> None:
            nonlocal is_given_up
            for number, unit in enumerate(line, 1):
                if self.stopping or is_given_up or (self.budget and asks):
                    return
                self.busy += 1
                try:
                    await do(unit)
                except Unasked as error:
                    if not is_given_up:
                        is_given_up = True
                        gave_up(error)
                except BudgetReached as error:
                    self.spend_nothing_more(error.message)
                except Stopped:
                    return
                except TsgkitError as error:
                    self.fail(error)
                finally:
                    self.busy -= 1
                if not number % BREATH:
                    await asyncio.sleep(0)

        tasks = [asyncio.create_task(work()) for _ in range(max(workers, 1))]
        self._tasks.update(tasks)
        try:
            await asyncio.gather(*tasks)
        except asyncio.CancelledError:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            if not self._is_abandoned:
                raise
        finally:
            for task in tasks:
                task.cancel()
            self._tasks.difference_update(tasks)

    async def made(
        self,
        units: Mapping[str, Unit],
        make: Callable[[Unit], Awaitable[Result]],
        *,
        workers: int,
        steps: Callable[[Unit], int] | None = None,
    ) -> dict[str, Result]:
        """Make one thing of each unit, in the order of the units; ``NotFinished`` where not all could be made.

        Of a shard, only its units are counted. ``steps``: the number of steps that :meth:`changed` will report for a
        unit; None if each unit is one.
        """
        if self.shard is not None:
            units = {key: unit for key, unit in units.items() if self.shard.takes(key)}
        self.expected += len(units) if steps is None else sum(map(steps, units.values()))
        results: dict[str, Result] = {}

        async def one(unit: tuple[str, Unit]) -> tuple[str, Result]:
            with observed(self.noun, lambda: {"tsgkit.item.id": unit[0]}):
                return unit[0], await make(unit[1])

        def put(result: tuple[str, Result]) -> None:
            results[result[0]] = result[1]

        await self.streamed(units.items(), one, put, workers=workers, steps=lambda _: int(steps is None))
        return results

    async def streamed(
        self,
        units: Iterable[Unit],
        make: Callable[[Unit], Awaitable[Result]],
        put: Callable[[Result], None],
        *,
        workers: int = 1,
        steps: Callable[[Result], int] = lambda _: 1,
    ) -> None:
        """Make one thing of each unit, and put them in the order of the units; few are in memory at a time.

        ``NotFinished`` where not all could be made; what was put before remains put. ``steps``: how many are counted
        for what was made of a unit.
        """
        waiting: dict[int, Result] = {}
        started = finished = 0
        refusals: list[Unasked] = []

        def counted() -> Iterator[tuple[int, Unit]]:
            nonlocal started
            for unit in units:
                started += 1
                yield started - 1, unit

        async def do(numbered: tuple[int, Unit]) -> None:
            nonlocal finished
            result = waiting[numbered[0]] = await make(numbered[1])
            while finished in waiting:
                put(waiting.pop(finished))
                finished += 1
            self.changed(steps(result))

        line = counted()
        await self.each(line, do, workers=workers, gave_up=refusals.append)
        if finished < started or next(line, None) is not None:
            raise refusals[0] if refusals else BudgetReached(self.budget) if self.budget else Stopped(STOPPING)


@contextmanager
def _calm_collector() -> Iterator[None]:
    """Run the garbage collector less often during requests, and never over objects loaded before.

    The libraries create many short-lived objects; at its default settings the collector repeatedly scans everything
    loaded and takes a good tenth of the time.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


@contextmanager
def handling(numbers: Iterable[signal.Signals], handler: Callable[[int, Any], object]) -> Iterator[None]:
    """Handle signals while the block lasts, but none that is ignored, or that a host handles by code of its own in C.

    Only the main thread can; in others nothing is changed.
    """
    is_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in numbers if is_main}
    changed = {number: usual for number, usual in handlers.items() if usual not in (None, signal.SIG_IGN)}
    for number in changed:
        signal.signal(number, handler)
    try:
        yield
    finally:
        for number, usual in changed.items():
            signal.signal(number, usual)


@contextmanager
def _signals_held() -> Iterator[None]:
    """Let interrupts wait until the block ends."""
    received: list[int] = []
    with handling((signal.SIGINT, signal.SIGTERM), lambda number, _: received.append(number)):
        yield
    for number in received:
        signal.raise_signal(number)


@contextmanager
def _on_interrupts(first: Callable[[], None], again: Callable[[], None], grace: float | None) -> Iterator[None]:
    """Inside a running event loop: call one function at the first interrupt, another at every further one.

    The end of the grace of a first SIGTERM counts as a further one.
    Where the loop is blocked and hears of neither, the second one ends the process. An interactive session goes on:
    there ``KeyboardInterrupt`` is raised in what blocks the loop.
    """
    loop = asyncio.get_running_loop()
    interrupts, is_blocked = 0, False

    def on_signal(number: int, _: object) -> None:
        nonlocal interrupts
        if is_blocked:
            raise KeyboardInterrupt
        interrupts += 1
        loop.call_soon_threadsafe(first if interrupts == 1 else heard_again)
        if interrupts == 1 and number == signal.SIGTERM and grace is not None:
            loop.call_soon_threadsafe(loop.call_later, grace, again)
        if interrupts == 2:
            watchdog.start()

    def heard_again() -> None:
        watchdog.cancel()
        again()

    def leave() -> None:
        nonlocal is_blocked
        if not (hasattr(sys, "ps1") or sys.flags.interactive):
            os.write(2, b"tsgkit: interrupted\n")
            os._exit(Interrupted.exit_code)  # what was recorded is on disk
        is_blocked = True
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    watchdog = threading.Timer(LAST_SECONDS, leave)
    watchdog.daemon = True
    with handling(SIGNALS, on_signal):
        try:
            yield
        finally:
            watchdog.cancel()
