"""Batches: what is asked at once is sent together, and once; what services say about it is read without a network."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import Any, ClassVar

import httpx
import pytest
from doors import run

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm import batch_services
from tsgkit.llm.batch_services import (
    ANTHROPIC,
    MOST_RESULT_BYTES,
    OPENAI,
    Batch,
    BatchClient,
    BatchResult,
    BatchService,
    BatchState,
    HeldRequest,
    values_in,
)
from tsgkit.llm.batches import DIFFERENT, Collector, Pace, _clock
from tsgkit.llm.failures import CallFailed, Stopped, Unasked
from tsgkit.llm.settings import RetryLimits

PACE = Pace(quiet=0.02, first_poll=0.01, longest_poll=0.01, rest=0.01, lag=0.03)
DONE, RUNNING = BatchState(True, "completed"), BatchState(False, "in_progress", done=1)
SMALL = OPENAI._replace(most_bytes=10_000)
Step = Any
"""A value to return, or an exception to raise."""
Outcome = BatchResult | TsgkitError | None
"""The result of a request, or the reason why it is not waited for."""


def taken(steps: list[Step], usual: Step) -> Any:  # noqa: ANN401
    step = steps.pop(0) if steps else usual
    if isinstance(step, Exception):
        raise step
    return step


class Service(BatchClient):
    """Answers each batch at once with the names of its requests, unless steps say otherwise."""

    sent: ClassVar[list[bytes]] = []
    waits: ClassVar[list[str]] = []
    """What is told as waited for whenever a batch is sent or asked about."""
    states: ClassVar[list[Step]] = []
    creates: ClassVar[list[Step]] = []
    finds: ClassVar[list[Step]] = []
    collector: ClassVar[Collector]

    async def upload(self, lines: bytes) -> str:
        self.waits.append(self.collector.waits_for())
        self.sent.append(lines)
        return f"file-{len(self.sent)}"

    async def create(self, batch: Batch, lines: bytes) -> str:
        return str(taken(self.creates, batch.file.replace("file", "batch")))

    async def find(self, batch: Batch, known: Iterable[str]) -> str:
        return str(taken(self.finds, ""))

    async def state(self, batch: str) -> BatchState:
        self.waits.append(self.collector.waits_for())
        state: BatchState = taken(self.states, DONE)
        return state if state.failure or not state.ended else replace(state, results=(batch,))

    async def results(self, path: str) -> list[dict[str, Any] | None]:
        lines = self.sent[int(path.rpartition("-")[2]) - 1]
        return list(values_in(lines.replace(b'"body"', b'"response": {"status_code": 200, "body": {}}, "was"')))


class Record:
    """Keeps the steps in memory."""

    def __init__(self, *batches: Batch) -> None:
        self.steps: list[str] = []
        self.batches = list(batches)

    def open(self) -> list[Batch]:
        return self.batches

    def add(self, step: str, batch: Batch, **parts: Any) -> None:  # noqa: ANN401
        read = f"read {len(parts['names'])}" if step == "read" and "names" in parts else ""
        self.steps.append(parts.get("id") or read or step)


async def result_of(collector: Collector, name: str, text: str = "") -> Outcome:
    held = HeldRequest(name)
    try:
        request = httpx.Request("POST", "http://127.0.0.1:9/v1/chat/completions", json={"text": text})
        return await collector.ask(held, request)
    except TsgkitError as error:
        return error
    finally:
        collector.done_with(held)


def results_of(
    record: Record,
    names: str,
    text: str = "",
    later: str = "",
    service: BatchService = SMALL,
    **options: Any,  # noqa: ANN401
) -> list[Outcome]:
    """Return what becomes of requests that are asked at once, and of those ``later`` after a while."""
    Service.sent, Service.waits = [], []
    for name in ("states", "creates", "finds"):
        setattr(Service, name, list(options.pop(name, ())))

    async def asked() -> list[Outcome]:
        patience = options.pop("patience", RetryLimits())
        collector = Service.collector = Collector("openai/m", service, record, patience, pace=PACE, **options)
        found = await asyncio.gather(*(result_of(collector, name, text) for name in names))
        await asyncio.sleep(0.05)
        found += await asyncio.gather(*(result_of(collector, name) for name in later))
        await collector.close()
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tsgkit.llm.batches.BatchClient", Service)
        patch.setattr("tsgkit.llm.batches.time", SimpleNamespace(time=lambda: 0.0, monotonic=lambda: 0.0))
        return run(asked())


def good(names: str) -> list[BatchResult]:
    return [BatchResult(name, 200, b"{}") for name in names]


SENT = ["intent", "file-1", "batch-1", "read"]
AT_THE_SERVICE = "1 batch at the service for 0:00:00, "


def test_requests_of_one_moment_are_a_batch_of_so_many_bytes_and_lines_in_recorded_steps() -> None:
    assert results_of(Record(), "aab") == good("aab")
    assert [len(lines.splitlines()) for lines in Service.sent] == [2], "the same request twice at once is sent once"
    assert (results_of(record := Record(), "ab"), record.steps) == (good("ab"), SENT)
    assert Service.waits == ["1 batch being sent for 0:00:00", AT_THE_SERVICE + "0 of 2 requests done"]
    results_of(Record(), "abcdefg", "x" * 3_000)
    assert [len(lines.splitlines()) for lines in Service.sent] == [3, 3, 1]
    most = len(json.dumps(SMALL.line("a", {"text": ""}))) + 1
    bytes_of_two = (("most_bytes", 2 * most, [2, 1]), ("most_bytes", 2 * most - 1, [1, 1, 1]))
    for limit, value, sizes in (*bytes_of_two, ("most_lines", 2, [2, 1])):
        results_of(Record(), "abc", service=SMALL._replace(**{limit: value}))  # type: ignore[arg-type]
        assert [len(lines.splitlines()) for lines in Service.sent] == sizes, value


def test_intent_that_the_service_does_not_know_is_sent_anew_and_a_known_one_is_not() -> None:
    for file, finds in (("", ["wrong"]), ("file-0", [*[""] * 4, "wrong"])):
        record = Record(Batch("mark", ("a", "b"), 0.0, file=file))
        assert (results_of(record, "ab", finds=finds), record.steps) == (good("ab"), ["dropped", *SENT]), file
    absent: Any = UsageError("not listed")
    for finds, kind, steps in ((["", "", "batch-7"], BatchResult, ["batch-7", "read"]), (["", absent], UsageError, [])):
        record = Record(Batch("mark", ("a", "b"), 0.0, file="file-0"))
        found = results_of(record, "ab", finds=finds, states=[BatchState(True, "failed", failure="x")])
        assert ({type(one) for one in found}, record.steps, Service.sent) == ({kind}, steps, [])
    for is_full, status in ((False, 400), (True, 429)):
        failed = BatchState(True, "failed", failure="no room", failed_for_now=is_full)
        found = results_of(Record(Batch("mark", ("a", "b"), 0.0, id="batch-7")), "ab", states=[failed])
        results_of(record := Record(Batch("mark", ("a", "b"), 0.0, id="batch-7")), "a", states=[failed])
        assert record.steps == ["read 1"], "the other result is still to be asked for"
        assert found == [BatchResult(name, status, failure="the batch failed: no room") for name in "ab"]
        assert Service.sent == []


def test_batch_is_asked_about_until_it_ended_and_what_may_have_been_created_looked_for_first() -> None:
    states = [CallFailed("busy", 503), RUNNING, RUNNING, DONE]
    assert (results_of(record := Record(), "ab", states=states), record.steps) == (good("ab"), SENT)
    assert Service.waits[2:] == [
        AT_THE_SERVICE + "0 of 2 requests done; it does not answer: busy",
        *[AT_THE_SERVICE + "1 of 2 requests done"] * 2,
    ]
    gone, cut = CallFailed("gone", unreachable=True), CallFailed("cut")
    for creates, finds in (([cut, "twice"], ["", "", "batch-1"]), ([cut], [""] * 4 + ["late"]), ([gone], ["wrong"])):
        results_of(record := Record(), "ab", creates=creates, finds=finds)
        assert record.steps == SENT, "listed late, never made, never sent"
    assert results_of(record := Record(), "ab", creates=[CallFailed("busy", 429)], finds=["wrong"]) == good("ab")
    assert record.steps == SENT
    found = results_of(record := Record(), "ab", creates=[CallFailed("busy", 499)], finds=["wrong"])
    assert (list(map(type, found)), record.steps) == ([Unasked] * 2, [*SENT[:2], "dropped"])
    shown = ["0:00:00", "0:01:00", "1:01:01", "100:00:00"]
    assert [_clock(seconds) for seconds in (-3, 59.6, 3661.4, 360_000)] == shown


def test_results_that_differ_under_one_name_and_a_service_that_refuses_end_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def results(self: Service, path: str) -> list[dict[str, Any] | None]:
        line = b'{"custom_id": "%b", "response": {"status_code": %b, "body": {}}}\n'
        twice = ((b"a", b"200"), (b"b", b"200"), (b"a", b'"200"'), (b"b", b"500"))
        return [*values_in(b"".join(line % one for one in twice)), None, {"custom_id": 5}]

    monkeypatch.setattr(Service, "results", results)
    assert results_of(Record(), "ab") == [*good("a"), BatchResult("b", 400, failure=DIFFERENT)]
    for failure, times, patience, reason in (
        (CallFailed("no such key sk-1", 401), 1, RetryLimits(), "openai/m: not asked any more: no such key [key]"),
        (CallFailed("cut"), 9, RetryLimits(max_outage=0.0),
         "openai/m: not asked any more: no service for 0 s (limit: --max-outage): cut"),
        (UsageError("no batches here"), 1, RetryLimits(), "no batches here"),
    ):  # fmt: skip
        record, redact = Record(), lambda text: str(text).replace("sk-1", "[key]")
        found = results_of(record, "ab", creates=[failure] * times, patience=patience, redact=redact)
        kind = UsageError if isinstance(failure, UsageError) else Unasked
        assert [(type(one), str(one)) for one in found] == [(kind, reason)] * 2
        assert ("dropped" in record.steps) is (times == 1), "it may exist: the next process looks"


def test_collector_that_does_not_wait_leaves_when_the_service_has_everything() -> None:
    states = [replace(RUNNING, done=0)] * 500
    found = results_of(record := Record(), "ab", waits=False, states=states, later="c")
    assert [type(one) for one in found] == [Stopped] * 3, "nothing more is asked either"
    assert (record.steps, Service.collector.open) == (SENT[:3], 1) and len(Service.states) > 400
    assert results_of(record := Record(), "ab", waits=False, later="c") == good("abc"), "nothing is left to the service"
    assert (record.steps, Service.collector.open) == ([*SENT, "intent", "file-2", "batch-2", "read"], 0)


def test_closing_ends_what_is_waited_for_and_not_what_nobody_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tsgkit.llm.batches.BatchClient", Service)

    async def closed(*, leaves: bool) -> list[Outcome]:
        Service.sent, Service.waits, Service.creates, Service.finds = [], [], [], []
        collector = Service.collector = Collector("openai/m", SMALL, record, RetryLimits(), pace=PACE)
        Service.states = [RUNNING] * 5000
        requests = [asyncio.create_task(result_of(collector, name)) for name in "ab"]
        while len(Service.waits) < 3:
            await asyncio.sleep(0.001)
        if leaves:
            collector.leave()
        assert collector.open == leaves, "at once, though the service may not have answered"
        await collector.close()
        assert [batch.task is not None and batch.task.cancelled() for batch in record.batches] == [False, True]
        return await asyncio.gather(*requests)

    for leaves in (False, True):
        record = Record(unasked := Batch("mark", ("x",), 0.0, id="batch-9"))
        assert ({*map(type, run(closed(leaves=leaves)))}, unasked.task, record.steps) == ({Stopped}, None, SENT[:3])


def failure_of(response: httpx.Response | Exception, how: str = "ask", most: int = MOST_RESULT_BYTES) -> CallFailed:
    """Return what a response of a batch interface means."""
    client = BatchClient.of(OPENAI, httpx.Request("POST", "http://h/v1/chat/completions?v=1"), 300.0)
    client.client._transport = httpx.MockTransport(lambda _: taken([response], None))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(CallFailed) as caught:
        patch.setattr(batch_services, "MOST_RESULT_BYTES", most)
        run(getattr(client, how)("GET", "/batches"))
    return caught.value


def test_answer_of_a_batch_interface_that_is_none_is_a_failure() -> None:
    rows: tuple[tuple[httpx.Response | Exception, str, int | None], ...] = (
        (httpx.Response(500, json={"error": {"message": "why"}}), "why (500)", 500),
        (httpx.Response(400, json={"error": "why"}), "why (400)", 400),
        (httpx.Response(400, json={"message": "why"}), "why (400)", 400),
        (httpx.Response(404, content=b"<html>\nmore"), "<html> (404)", 404),
        (httpx.Response(503), "no reason given (503)", 503),
        (httpx.Response(307, headers={"location": "http://b"}), "redirected to http://b: not followed", 307),
        (httpx.Response(300), "redirected to nowhere: not followed", 300),
        (httpx.Response(200, content=b"[]"), "the answer is no JSON object", None),
        (httpx.ConnectError("gone"), "no proper answer: gone", None),
        (httpx.ReadTimeout("slow"), "no answer within 60 s", None),
    )
    for response, message, status in rows:
        found = failure_of(response, "value")
        assert (found.message, found.status, found.responded) == (message, status, message.endswith("JSON object"))
        assert (found.unreachable, found.misdirected) == (message.endswith("gone"), status in (300, 307)), message
    for value, seconds in (("7", 7), ("-3", 0), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0)):
        assert failure_of(httpx.Response(429, headers={"retry-after": value})).retry_after == seconds, value
    with pytest.raises(UsageError, match="/v1/batches: results of more than 8 bytes"):
        failure_of(httpx.Response(200, content=b"[1, 2, 3]"), most=8)
    later = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    unpaid = failure_of(httpx.Response(429, content=b"insufficient_quota", headers={"retry-after": later}))
    assert unpaid.unpaid and 3500 < (unpaid.retry_after or 0) <= 3600


class FakeClient(BatchClient):
    """Answers questions from a table, and keeps what was asked."""

    def __init__(self, service: BatchService, *answers: Step) -> None:
        super().__init__(service, None)
        self.answers = list(answers)
        self.asked: list[tuple[str, str, dict[str, Any]]] = []

    async def value(self, method: str, path: str, **parts: Any) -> Any:  # noqa: ANN401
        self.asked.append((method, path, json.loads(json.dumps(parts, default=str))))
        return taken(self.answers, {})


def openai(*answers: Step) -> FakeClient:
    return FakeClient(OPENAI, *answers)


def anthropic(*answers: Step) -> FakeClient:
    return FakeClient(ANTHROPIC, *answers)


BATCH = Batch("mark", ("a", "b"), 1_000_000.0, "file-1")


def test_openai_s_batch_is_made_of_an_uploaded_file() -> None:
    service = openai({"id": "file-1"}, {"id": "batch-1"})
    assert (run(service.upload(b"{}\n")), run(service.create(BATCH, b""))) == ("file-1", "batch-1")
    assert [one[:2] for one in service.asked] == [("POST", "/files"), ("POST", "/batches")]
    assert service.asked[0][2]["data"] == {"purpose": "batch"}
    assert service.asked[1][2]["json"] == {
        "input_file_id": "file-1",
        "endpoint": "/v1/chat/completions",
        "completion_window": "24h",
        "metadata": {"tsgkit": "mark"},
    }
    line = {"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {"x": 1}}
    assert OPENAI.line("a", {"x": 1}) == line
    none = [CallFailed("no", status) for status in (404, 405, 501)]
    for answer in (*none, CallFailed("no", 400), {"id": ""}, {"id": "a/b"}, {"id": 5}, {}):
        kind: type[Exception] = UsageError if answer in none else CallFailed
        why = "the server has no batch interface: no" if answer in none else None
        for made in (openai(answer).upload(b""), openai(answer).create(BATCH, b"")):
            with pytest.raises(kind, match=why):
                run(made)


def test_openai_s_batch_is_found_by_our_mark_or_file_on_any_page() -> None:
    first = {"data": [{"id": "x"}, {"id": "y", "metadata": {"tsgkit": "other"}}, 7], "has_more": True}
    marked, filed = {"id": "z", "metadata": {"tsgkit": "mark"}}, {"id": "f", "input_file_id": "file-1"}
    for found in (marked, filed):
        service = openai(first, {"data": [found]})
        assert run(service.find(BATCH, ())) == found["id"]
        assert [parts["params"] for _, _, parts in service.asked] == [{"limit": 100}, {"limit": 100, "after": "y"}]
    assert run(openai({"data": [filed | {"input_file_id": ""}]}).find(replace(BATCH, file=""), ())) == ""
    assert run(openai({"data": [], "has_more": True}).find(BATCH, ())) == ""
    with pytest.raises(UsageError, match="does not list its batches"):
        run(openai(CallFailed("no", 404)).find(BATCH, ()))


def test_state_of_openai_s_batch() -> None:
    counts = {"completed": 1, "failed": 2, "total": 4}
    full, odd = {"code": "token_limit_exceeded", "message": "full"}, {"code": "odd"}
    files = {"output_file_id": "o", "error_file_id": "e", "request_counts": {"total": "x"}}
    both = ("/files/o/content", "/files/e/content")
    for value, state in (
        ({"status": "in_progress", "request_counts": counts}, BatchState(False, "in_progress", 3)),
        ({"status": "cancelling"}, BatchState(False, "cancelling")),
        ({"status": "completed"} | files, BatchState(True, "completed", results=both)),
        ({"status": "expired"}, BatchState(True, "expired")),
        ({"status": "failed", "errors": {"data": [full, full]}},
         BatchState(True, "failed", failure="full", failed_for_now=True)),
        ({"status": "failed", "errors": {"data": [full, odd]}}, BatchState(True, "failed", failure="full; odd")),
        ({"status": "failed", "errors": 5}, BatchState(True, "failed", failure="no reason given")),
        ({"status": "failed", "error_file_id": "e"}, BatchState(True, "failed", results=both[1:])),
    ):  # fmt: skip
        assert run(openai(value).state("b")) == state, value
    with pytest.raises(UsageError, match="the service does not know batch b: no"):
        run(openai(CallFailed("no", 404)).state("b"))
    service = openai(CallFailed("no", 500), CallFailed("no", 500))
    for asked in (service.state("b"), service.find(BATCH, ())):
        with pytest.raises(CallFailed):
            run(asked)


def test_line_of_openai_s_results() -> None:
    neither = "the line holds neither a response nor an error"
    for line, result in (
        ({"response": {"status_code": 200, "body": {"a": 1}}}, BatchResult("a", 200, b'{"a": 1}')),
        ({"response": {"status_code": "429", "body": None}}, BatchResult("a", 429, b"null")),
        ({"error": {"code": "batch_expired", "message": "late"}}, BatchResult("a", 408, failure="late")),
        ({"error": {"code": "batch_cancelled"}}, BatchResult("a", 408, failure="batch_cancelled")),
        ({"error": {"code": "odd"}}, BatchResult("a", 500, failure="odd")),
        ({"response": {"status_code": True}}, BatchResult("a", 500, failure=neither)),
        ({}, BatchResult("a", 500, failure=neither)),
    ):
        assert OPENAI.result("a", line) == result, line
    assert [BatchResult("a", *how).is_good for how in ((299,), (300,), (200, b"", "x"))] == [True, False, False]
    assert list(values_in(b'{"a": 1}\n\n[1]\n{"b": ')) == [{"a": 1}, None, None]


def test_anthropic_s_batch_holds_its_requests_and_is_found_by_its_size_and_time() -> None:
    service = anthropic({"id": "batch-1"})
    values = ANTHROPIC.line("a", {"x": 1, "stream": False}), ANTHROPIC.line("b", {})
    lines = "\n".join(map(json.dumps, values)).encode()
    assert run(service.create(BATCH, lines)) == "batch-1"
    content = b'{"requests": [{"custom_id": "a", "params": {"x": 1}}, {"custom_id": "b", "params": {}}]}'
    sent = {"headers": {"content-type": "application/json"}, "content": str(content)}
    assert service.asked == [("POST", "/messages/batches", service.asked[0][2] | sent)]
    with pytest.raises(UsageError, match="no batch interface"):
        run(anthropic(CallFailed("no", 404)).create(BATCH, lines))

    def made(name: str, seconds: float, size: int = 2) -> dict[str, Any]:
        time = datetime.fromtimestamp(BATCH.time + seconds, UTC).isoformat()
        return {"id": name, "created_at": time, "request_counts": {"processing": 1, "succeeded": size - 1}}

    listed = [made("late", 50), made("ours", 2), made("larger", 1, 3), made("known", 0), made("old", -301)]
    for data, known, name in (
        (listed, ["known"], "ours"),
        (listed, [], "known"),
        ([made("edge", -300)], [], "edge"),
        ([made("old", -301), made("ours", 0)], [], ""),  # newest first
        ([{"id": "odd", "created_at": "never"}], [], ""),
    ):
        assert run(anthropic({"data": data}).find(BATCH, known)) == name


def test_state_and_results_of_anthropic_s_batch() -> None:
    counts = {"processing": 1, "succeeded": 2, "errored": 1}
    running = anthropic({"processing_status": "in_progress", "request_counts": counts})
    assert run(running.state("b")) == BatchState(False, "in_progress", 3)
    ended = BatchState(True, "ended", results=("/messages/batches/b/results",))
    assert run(anthropic({"processing_status": "ended"}).state("b")) == ended
    overloaded = {"type": "overloaded_error", "message": "x"}
    body = json.dumps({"type": "error", "error": overloaded}).encode()
    for result, wanted in (
        ({"type": "succeeded", "message": {"a": 1}}, BatchResult("a", 200, b'{"a": 1}')),
        ({"type": "errored", "error": {"type": "error", "error": overloaded}}, BatchResult("a", 529, body)),
        ({"type": "errored", "error": overloaded}, BatchResult("a", 529, body)),
        ({"type": "expired"}, BatchResult("a", 408, failure="the request ended as expired")),
        ({"type": "canceled"}, BatchResult("a", 408, failure="the request ended as canceled")),
        ({"type": "errored", "error": 5}, BatchResult("a", 500, failure="the request ended as errored")),
        (None, BatchResult("a", 500, failure="no result")),
    ):
        assert ANTHROPIC.result("a", {"result": result}) == wanted, result
