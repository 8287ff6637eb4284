"""The collector of batches: what is asked at once is sent together, and once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import httpx
from doors import run

from tsgkit.llm.batch_services import BatchState, Intent, OpenAiBatches, Result
from tsgkit.llm.batches import Batch, Collector, HeldRequest, Pace
from tsgkit.llm.door import Patience

PACE = Pace(quiet=0.02, first_poll=0.01, longest_poll=0.01, rest=0.01)


class Service(OpenAiBatches):
    """Answers each batch at once with the names of its requests."""

    most_bytes: ClassVar[int] = 10_000
    sent: ClassVar[list[bytes]] = []
    waits: ClassVar[list[str]] = []
    """What is said to be waited for whenever a batch is sent or asked about."""
    collector: ClassVar[Collector]

    async def upload(self, lines: bytes) -> str:
        self.waits.append(self.collector.waits_for())
        self.sent.append(lines)
        return f"file-{len(self.sent)}"

    async def create(self, intent: Intent, lines: bytes) -> str:
        return intent.file.replace("file", "batch")

    async def find(self, intent: Intent, known: Iterable[str]) -> str:
        return ""

    async def state(self, batch: str) -> BatchState:
        self.waits.append(self.collector.waits_for())
        return BatchState(True, "completed", results=(batch,))

    async def results(self, path: str) -> bytes:
        lines = self.sent[int(path.rpartition("-")[2]) - 1]
        return lines.replace(b'"body"', b'"response": {"status_code": 200, "body": {}}, "was"')


class Record:
    """Keeps the steps in memory."""

    def __init__(self, *batches: Batch) -> None:
        self.steps: list[str] = []
        self.batches = list(batches)

    def open(self) -> list[Batch]:
        return self.batches

    def intend(self, batch: Batch, digest: str) -> None:
        self.steps.append("intent")

    def note(self, batch: Batch) -> None:
        self.steps.append(batch.id or batch.file)

    def read(self, batch: Batch, names: Sequence[str]) -> None:
        self.steps.append(f"read {len(names)}")

    def drop(self, batch: Batch) -> None:
        self.steps.append("dropped")


def results_of(record: Record, requests: Mapping[str, Any] | Sequence[tuple[str, Any]]) -> list[Result]:
    """Return the results of requests that are asked at once."""
    Service.sent, Service.waits = [], []
    pairs = list(requests.items()) if isinstance(requests, Mapping) else list(requests)

    async def asked() -> list[Result]:
        collector = Service.collector = Collector("openai/m", Service, record, Patience(), pace=PACE)

        async def one(name: str, body: Any) -> Result:  # noqa: ANN401
            held = HeldRequest(name)
            request = httpx.Request("POST", "http://127.0.0.1:9/v1/chat/completions", json=body)
            try:
                return await collector.ask(held, request)
            finally:
                collector.done_with(held)

        found = await asyncio.gather(*(one(name, body) for name, body in pairs))
        await asyncio.sleep(0.05)
        await collector.close()
        return found

    return run(asked())


def test_requests_of_one_moment_are_one_batch_in_recorded_steps() -> None:
    record = Record()
    found = results_of(record, {"a": {}, "b": {}})
    assert [one.name for one in found] == ["a", "b"]
    assert record.steps == ["intent", "file-1", "batch-1", "read 2"]


def test_a_batch_is_at_the_service_when_it_was_sent() -> None:
    results_of(Record(), {"a": {}, "b": {}})
    assert Service.waits == [
        "1 batch being sent for 0:00:00",
        "1 batch at the service for 0:00:00, 0 of 2 requests done",
    ]


def test_the_same_request_twice_at_once_is_sent_once() -> None:
    found = results_of(Record(), [("a", {}), ("a", {}), ("b", {})])
    assert [one.name for one in found] == ["a", "a", "b"]
    assert [len(lines.splitlines()) for lines in Service.sent] == [2]


def test_a_batch_has_at_most_so_many_bytes() -> None:
    results_of(Record(), {str(number): {"text": "x" * 3_000} for number in range(7)})
    assert [len(lines.splitlines()) for lines in Service.sent] == [3, 3, 1]


def test_an_intent_that_the_service_does_not_know_is_sent_anew() -> None:
    record = Record(Batch("mark", ("a", "b"), 0.0))
    found = results_of(record, {"a": {}, "b": {}})
    assert [one.name for one in found] == ["a", "b"]
    assert record.steps == ["dropped", "intent", "file-1", "batch-1", "read 2"]
