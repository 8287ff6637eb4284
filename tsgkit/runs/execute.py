"""Works on what a run has left to do, and stops cleanly whatever happens.

As many samples are in work at a time as may be in flight; each goes from ``solve`` to its record in one piece. Whoever
stops a run (the user, a budget, a full disk) stops the scheduling: what is in flight comes home and is recorded.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.llm.door import Call
from tsgkit.llm.failures import BudgetReached, Stopped, Unasked
from tsgkit.llm.reply import Reply
from tsgkit.runs.computing import FEWEST, Computing, processors
from tsgkit.runs.folder import RunFolder
from tsgkit.runs.item_errors import failed, judge, written
from tsgkit.runs.plan import Cell
from tsgkit.runs.prepared import Row, asks_a_model
from tsgkit.runs.records import scores_of
from tsgkit.runs.state import RowState
from tsgkit.suites.item_errors import told
from tsgkit.suites.transcript import LOCAL, Ask, Said, Transcript

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

BREATH = 64
"""After so many samples that wait for nothing, others get a turn."""


class Subject(Protocol):
    """Whoever answers under a name: a door to a model, a script."""

    async def ask(
        self,
        where: Call,
        messages: Sequence[BaseMessage],
        *,
        label: str,
        draw: int = 0,
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """The reply to a prompt."""

    def stop(self) -> None:
        """Ask nothing new."""


class _Heard:
    """The replies about one sample as they come, and what the asking itself raised."""

    def __init__(self, ask: Ask | None) -> None:
        self.ask: Ask | None = None if ask is None else self._asked
        self._ask, self._said, self._raised = ask, list[Said](), list[Exception]()

    @property
    def transcript(self) -> Transcript:
        """All that was said."""
        return Transcript(tuple(self._said))

    def is_fatal(self, error: Exception) -> bool:
        """Return whether an exception stops more than its sample: a budget, a full disk, a package that is missing."""
        if not isinstance(error, TsgkitError):
            return False
        return error in self._raised or (isinstance(error, UsageError) and not isinstance(error, FileProblem))

    async def _asked(
        self, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        assert self._ask is not None  # noqa: S101  (else this is not handed out)
        try:
            reply = await self._ask(messages, label=label, draw=draw, schema=schema)
        except Exception as error:
            self._raised.append(error)
            raise
        self._said.append(Said(label, reply))
        return reply


@dataclass
class Work:
    """A run being executed."""

    folder: RunFolder
    states: Mapping[Cell, RowState]
    subjects: Mapping[str, Subject]
    in_flight: int
    stopping: bool = False
    why: str = ""
    budget: str = ""
    """The limit that was reached; whoever asks nobody works on."""
    fatal: TsgkitError | None = None
    busy: int = 0
    trouble: tuple[str, ...] = ()
    """What the models were being waited for when the run was interrupted."""
    changed: Callable[[], None] = lambda: None
    notices: list[str] = field(default_factory=list)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _computing: Computing | None = None

    def stop(self, why: str) -> None:
        """Schedule nothing more; what is in flight comes home."""
        if not self.stopping:
            self.stopping, self.why = True, why
            for subject in self.subjects.values():
                subject.stop()

    def spend_nothing_more(self, why: str) -> None:
        """Ask models nothing more, because a limit was reached."""
        self.budget = self.budget or why
        for name, subject in self.subjects.items():
            if asks_a_model(name):
                subject.stop()

    def note(self, **facts: object) -> None:
        """Write what became known into the header of the run; a disk that cannot keep it stops the run."""
        try:
            self.folder.update_header(**facts)
        except TsgkitError as error:
            self.fatal = self.fatal or error
            self.stop(error.message)

    def abandon(self) -> None:
        """Wait for nothing more."""
        for task in self._tasks:
            task.cancel()

    async def run(self) -> None:
        """Work until nothing is left, or something stops it; a fatal error is raised when all is home."""
        for queue, workers in list(self._queues()):
            self._tasks += [asyncio.create_task(self._worker(queue)) for _ in range(workers)]
        try:
            await asyncio.gather(*self._tasks)
        except asyncio.CancelledError:
            self.stopping, self.why = True, self.why or "interrupted"
        finally:
            if self._computing is not None:
                self._computing.close()
        if self.fatal is not None:
            raise self.fatal

    def _queues(self) -> Iterator[tuple[Iterator[tuple[RowState, int]], int]]:
        """One queue for each who is asked, with its number of workers."""
        for asked in dict.fromkeys(state.row.asked for state in self.states.values()):
            mine = [state for state in self.states.values() if state.row.asked == asked]
            left = sum(state.total - state.finished for state in mine)
            if left:
                workers = min(self.in_flight, left) if asks_a_model(asked) else self._processes(mine)
                yield ((state, place) for state in mine for place in state.left()), workers

    def _processes(self, states: Sequence[RowState]) -> int:
        """How many samples of these rows, which ask nobody, are worked on at a time: several where they compute."""
        left = sum(state.total - state.finished for state in states if state.row.task.computes)
        workers = min(processors(), self.in_flight, left)
        if left < FEWEST or workers < 2:
            return 1
        self._computing = Computing(workers)
        return workers

    async def _worker(self, queue: Iterator[tuple[RowState, int]]) -> None:
        for number, (state, place) in enumerate(queue):
            if self.stopping or (self.budget and asks_a_model(state.row.asked)):
                return
            if state.given_up:
                continue
            self.busy += 1
            try:
                await self._sample(state, place)
            except Unasked as error:
                self._give_up(state, error.message)
            except BudgetReached as error:
                self.spend_nothing_more(error.message)
            except Stopped:
                return
            except TsgkitError as error:
                self.fatal = self.fatal or error
                self.stop(error.message)
            finally:
                self.busy -= 1
            if number % BREATH == BREATH - 1:
                await asyncio.sleep(0)

    def _give_up(self, state: RowState, why: str) -> None:
        """Nothing more is asked of whom this row asks."""
        for other in self.states.values():
            if other.row.asked == state.row.asked:
                other.given_up = other.given_up or why

    async def _sample(self, state: RowState, place: int) -> None:
        row = state.row
        sample = row.dataset.sample(row.numbers[place])
        where = row.where(sample.item_id)
        heard = _Heard(self._ask(row, where))
        try:
            transcript = await self._solved(row, sample, heard)
        except Exception as error:
            if heard.is_fatal(error):
                raise
            transcript, score = heard.transcript, failed(row, sample, told(error, row.task, row.solver))
        else:
            self._record_local(where, transcript)
            score = judge(row, sample, transcript)
        record, line = written(row, score, transcript)
        state.note(place, self.folder.samples.add_line(line), record["outcome"])
        state.add_up(place, record, scores_of(record))
        usage = record["usage"]
        state.spent += usage.get("cost", 0.0)
        state.knows_cost = state.knows_cost and not usage.get("unpriced")
        self.changed()

    async def _solved(self, row: Row, sample: Any, heard: _Heard) -> Transcript:  # noqa: ANN401  (its suite's sample)
        ask = heard.ask
        if ask is None and self._computing is not None and row.task.computes:
            return await self._computing.solve(row.solver, sample)
        transcript = await row.solver.solve(sample, ask)
        if row.task.computes:
            await asyncio.sleep(0)  # computing waits for nothing, and an interrupt wants to be heard
        return transcript

    def _ask(self, row: Row, where: Call) -> Ask | None:
        subject = self.subjects.get(row.asked)
        return None if subject is None else functools.partial(subject.ask, where)

    def _record_local(self, where: Call, transcript: Transcript) -> None:
        """Keep what a solver produced without asking anybody."""
        for said in transcript.said:
            if said.reply.source == LOCAL:
                call = where._replace(label=said.label)
                found = self.folder.find(call)
                if found is None or found.text != said.reply.text:
                    self.folder.write(call, None, said.reply)
