"""The batch interfaces of services: OpenAI's, which other servers have too, and Anthropic's.

A batch is a set of requests, each with a ``custom_id``, that a service answers within a day, usually at half price.
OpenAI takes them as a file of JSON lines, Anthropic as one request; both give the results as JSON lines, in any order.
A :class:`BatchService` holds all that differs; a :class:`BatchClient` asks any of them.

>>> line = b'{"custom_id": "a", "response": {"status_code": 200, "body": {"choices": []}}, "error": null}'
>>> OPENAI.result("a", json.loads(line))
BatchResult(name='a', status=200, body=b'{"choices": []}', failure='')
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed, cannot_pay
from tsgkit.llm.service_calls import message_in, object_in, retry_after_in
from tsgkit.llm.settings import provider_of

ABSENT = (404, 405, 501)
"""The status of services that have no such interface."""
OF_A_BODY = ("content-length", "content-type", "transfer-encoding", "accept", "accept-encoding", "host", "connection")
"""Headers that belong to one request; the others (keys, versions) are sent with every request."""
MOST_PAGES = 20
MOST_RESULT_BYTES = 1 << 31
"""So many bytes an answer may have, as a file of results: 2 GiB."""
STATUS = re.compile("[1-5][0-9]{2}")
SMALL = 60.0
"""Seconds that a question about a batch may take."""
CLOCKS = 300.0
"""Seconds by which the clocks of two machines may differ."""


class BatchResult(NamedTuple):
    """The result of one request: the response to it, or the reason why there is none."""

    name: str
    status: int
    body: bytes = b""
    failure: str = ""

    @property
    def is_good(self) -> bool:
        """True if the service answered the request."""
        return not self.failure and self.status < 300


@dataclass(frozen=True)
class BatchState:
    """The state of a batch at its service."""

    ended: bool
    status: str
    done: int = 0
    results: tuple[str, ...] = ()
    """The paths of the files with its results."""
    failure: str = ""
    """The reason for which the whole batch failed."""
    failed_for_now: bool = False
    """True if the same batch may be taken later."""


@dataclass(eq=False)
class HeldRequest:
    """A request that waits for its result."""

    name: str
    line: bytes = b""
    """Empty once it was sent."""
    result: asyncio.Future[BatchResult] = field(default_factory=lambda: asyncio.get_running_loop().create_future())
    batch: Batch | None = None
    """The batch that brought its result."""


@dataclass(eq=False)
class Batch:
    """A batch: the names of its requests, and its own at the service once it has one."""

    mark: str
    names: tuple[str, ...]
    time: float
    file: str = ""
    id: str = ""
    state: BatchState | None = None
    """The state of which this process knows; None before it made the batch or asked about it."""
    held: dict[str, HeldRequest] = field(default_factory=dict)
    results: dict[str, BatchResult] | None = None
    """Results that were not asked for yet; None before the batch is done."""
    read: list[str] = field(default_factory=list)
    """The names of results that were recorded since the last note of it."""
    task: asyncio.Task[None] | None = None
    is_doubtful: bool = False
    """True if the service may have made it without our knowledge of its name."""
    was_left: bool = False
    """True if requests were waiting for it when this process stopped waiting."""

    @property
    def is_left(self) -> bool:
        """True if the service has it, and was not done when it was last asked."""
        return self.state is not None and not self.state.ended


class BatchService(NamedTuple):
    """The batch interface of a service."""

    ending: str
    """The end of the path of single requests, after the root of the interface."""
    path: str
    """The path of batches."""
    after: str
    """The parameter with the last id of the page before, in lists of batches."""
    uploads: bool
    """True if the requests are sent as a file, before the batch is created."""
    most_lines: int
    most_bytes: int
    line: Callable[[str, Any], dict[str, Any]]
    """Returns the line of a request by its name and its body."""
    creation: Callable[[Batch, bytes], dict[str, Any]]
    """Returns the parts of the HTTP request that creates a batch of these lines."""
    distance: Callable[[Batch, dict[str, Any]], float | None]
    """Returns how far from ours a listed batch is: 0 if it is ours, infinite if it is older, None if it is another."""
    state: Callable[[str, dict[str, Any]], BatchState]
    """Returns the state of a batch by its path and its value."""
    result: Callable[[str, Mapping[str, Any]], BatchResult]
    """Returns the result of the request of this name, by the line about it."""


@dataclass
class BatchClient:
    """Requests about batches, beside those of LiteLLM, with the address and the headers of one of these."""

    service: BatchService
    client: Any
    """An ``httpx.AsyncClient``."""
    timeout: float = 300.0

    @classmethod
    def of(cls, service: BatchService, request: Any, timeout: float) -> BatchClient:  # noqa: ANN401  (an httpx.Request)
        """Return the client of the service that a request goes to."""
        import httpx

        headers = {name: value for name, value in request.headers.items() if name.lower() not in OF_A_BODY}
        root = request.url.copy_with(path=request.url.path.removesuffix(service.ending), query=None)
        client = httpx.AsyncClient(base_url=root, headers=headers, params=request.url.params, timeout=timeout)
        return cls(service, client, timeout)

    async def upload(self, lines: bytes) -> str:
        """Send the lines and return the name of their file."""
        file = {"file": ("batch.jsonl", lines, "application/jsonl")}
        return await self._posted("/files", is_large=True, files=file, data={"purpose": "batch"})

    async def create(self, batch: Batch, lines: bytes) -> str:
        """Create a batch of these requests and return its name."""
        return await self._posted(self.service.path, **self.service.creation(batch, lines))

    async def find(self, batch: Batch, known: Iterable[str]) -> str:
        """Return the name of the batch that an interrupted ``create`` made, never a known one; empty if none.

        ``UsageError`` where the service does not list its batches.
        """
        names, matches = frozenset(known), list[tuple[float, str]]()
        params: dict[str, Any] = {"limit": 100}
        for _ in range(MOST_PAGES):
            try:
                page = await self.value("GET", self.service.path, params=params)
            except CallFailed as failure:
                if failure.status not in ABSENT:
                    raise
                problem = f"the service does not list its batches ({failure.message}), so a batch that was being sent "
                problem += "when the process or the connection ended may exist or not"
                hint = "the same command looks again; without --batch the requests are sent one by one, and are paid "
                raise UsageError(problem, hint=f"{hint}twice if the batch exists") from None
            values = [value for value in page.get("data") or () if isinstance(value, dict)]
            batches = [value for value in values if isinstance(value.get("id"), str)]
            for value in (value for value in batches if value["id"] not in names):  # the newest first
                distance = self.service.distance(batch, value)
                if distance is not None and distance < math.inf:
                    matches.append((distance, value["id"]))
                if distance in (0.0, math.inf):
                    return min(matches, default=(0.0, ""))[1]
            if not page.get("has_more") or not batches:
                break
            params[self.service.after] = batches[-1]["id"]
        return min(matches, default=(0.0, ""))[1]

    async def state(self, batch: str) -> BatchState:
        """Return the state of a batch; ``UsageError`` where the service does not know it."""
        path = f"{self.service.path}/{batch}"
        try:
            return self.service.state(path, await self.value("GET", path))
        except CallFailed as failure:
            if failure.status != 404:
                raise
            problem = f"the service does not know batch {batch}: {failure.message}"
            hint = "use the key it was sent with; without its lines in batches.jsonl its requests are sent anew"
            raise UsageError(problem, hint=hint) from None

    async def results(self, path: str) -> list[dict[str, Any] | None]:
        """Return the lines of a file of results; None for one that is no object, as one that broke off."""
        return list(values_in(await self.ask("GET", path, is_large=True)))

    async def ask(self, method: str, path: str, *, is_large: bool = False, **parts: Any) -> bytes:  # noqa: ANN401
        """Return the body of the response; ``CallFailed`` for any status but a good one, and where none comes.

        What is large, as an upload, has the whole time-out. ``parts`` are those of an httpx request.
        """
        import httpx

        timeout = self.timeout if is_large else min(self.timeout, SMALL)
        body = bytearray()
        try:
            async with asyncio.timeout(timeout), self.client.stream(method, path, **parts) as response:
                async for piece in response.aiter_bytes():
                    body += piece
                    if len(body) > MOST_RESULT_BYTES:
                        problem = f"{response.url.path}: results of more than {MOST_RESULT_BYTES:,} bytes"
                        hint = "smaller batches have smaller ones: --concurrency N; "
                        raise UsageError(problem, hint=f"{hint}without --batch the requests are sent again")
        except (TimeoutError, httpx.TimeoutException):
            raise CallFailed(f"no answer within {timeout:g} s") from None
        except httpx.HTTPError as error:
            is_away = isinstance(error, httpx.ConnectError)
            raise CallFailed(f"no proper answer: {error or type(error).__name__}", unreachable=is_away) from None
        status = response.status_code
        if status < 300:
            return bytes(body)
        if status < 400:
            target = response.headers.get("location", "nowhere")
            raise CallFailed(f"redirected to {target}: not followed", status, misdirected=True)
        text = body[:8192].decode("utf-8", "replace")
        reason = message_in(object_in(bytes(body))) or text[:200].partition("\n")[0] or "no reason given"
        wait = retry_after_in(response.headers)
        raise CallFailed(f"{reason} ({status})", status, wait, unpaid=cannot_pay(status, text))

    async def value(self, method: str, path: str, **parts: Any) -> dict[str, Any]:  # noqa: ANN401  (as above)
        """Return the JSON object that the response holds."""
        value = object_in(await self.ask(method, path, **parts))
        if not value:
            raise CallFailed("the answer is no JSON object", responded=True)
        return value

    async def close(self) -> None:
        """Close the connections."""
        await self.client.aclose()

    async def _posted(self, path: str, **parts: Any) -> str:  # noqa: ANN401  (of an httpx request)
        """Return the name of what a request makes; ``UsageError`` where the server has no batches."""
        try:
            value = await self.value("POST", path, **parts)
        except CallFailed as failure:
            if failure.status not in ABSENT:
                raise
            hint = "leave --batch out: the server answers single requests"
            raise UsageError(f"the server has no batch interface: {failure.message}", hint=hint) from None
        name = value.get("id")
        if not isinstance(name, str) or not name or "/" in name:
            raise CallFailed("the answer names no id", responded=True)
        return name


def values_in(lines: bytes) -> Iterator[dict[str, Any] | None]:
    """Yield the objects that lines hold; None for a line that holds none."""
    for line in lines.splitlines():
        if line.strip():
            yield object_in(line) or None


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


URL = "/v1/chat/completions"
"""The address of single requests that OpenAI's batches name."""
LATER = ("token_limit_exceeded", "rate_limit_exceeded", "too_many_batches")
"""Codes of OpenAI's batches that failed because others are in work."""


def _openai_distance(batch: Batch, value: dict[str, Any]) -> float | None:
    """Return 0 for the batch that bears our mark, or was made of our file."""
    metadata = value.get("metadata")
    is_ours = isinstance(metadata, dict) and metadata.get("tsgkit") == batch.mark
    return 0.0 if is_ours or (batch.file and value.get("input_file_id") == batch.file) else None


def _openai_state(path: str, value: dict[str, Any]) -> BatchState:
    status = str(value.get("status"))
    counts = value.get("request_counts") or {}
    done = _number(counts.get("completed")) + _number(counts.get("failed"))
    files = [value.get(name) for name in ("output_file_id", "error_file_id")]
    paths = tuple(f"/files/{file}/content" for file in files if file)
    if status != "failed" or paths:
        return BatchState(status in ("completed", "failed", "expired", "cancelled"), status, done, paths)
    listed = value.get("errors")
    listed = listed.get("data") or () if isinstance(listed, dict) else ()
    errors = [error for error in listed if isinstance(error, dict)]
    reasons = dict.fromkeys(str(error.get("message") or error.get("code")) for error in errors)
    failure = "; ".join(list(reasons)[:3]) or "no reason given"
    for_now = bool(errors) and all(error.get("code") in LATER for error in errors)
    return BatchState(True, status, done, failure=failure, failed_for_now=for_now)


def _openai_result(name: str, line: Mapping[str, Any]) -> BatchResult:
    response, error = line.get("response"), line.get("error")
    if isinstance(response, dict) and STATUS.fullmatch(status := str(response.get("status_code"))):
        return BatchResult(name, int(status), json.dumps(response.get("body")).encode())
    error = error if isinstance(error, dict) else {}
    code = str(error.get("code", ""))
    reason = message_in(error) or code or "the line holds neither a response nor an error"
    return BatchResult(name, 408 if code in ("batch_expired", "batch_cancelled") else 500, failure=reason)


OPENAI = BatchService(
    ending="/chat/completions",
    path="/batches",
    after="after",
    uploads=True,
    most_lines=50_000,
    most_bytes=200_000_000,
    line=lambda name, body: {"custom_id": name, "method": "POST", "url": URL, "body": body},
    creation=lambda batch, _: {
        "json": {"input_file_id": batch.file, "endpoint": URL, "completion_window": "24h"}
        | {"metadata": {"tsgkit": batch.mark}}
    },
    distance=_openai_distance,
    state=_openai_state,
    result=_openai_result,
)

ERRORS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}
"""The status of Anthropic's errors, which a batch names by their type only."""


def _anthropic_distance(batch: Batch, value: dict[str, Any]) -> float | None:
    """Return the seconds between ours and a batch of its size that was made since.

    Anthropic's batches bear no mark. Of one that is not ours no result has a name of ours.
    """
    try:
        created = datetime.fromisoformat(str(value.get("created_at"))).timestamp()
    except ValueError:
        created = 0.0
    if created < batch.time - CLOCKS:
        return math.inf
    is_as_large = sum(map(_number, (value.get("request_counts") or {}).values())) == len(batch.names)
    return abs(created - batch.time) if is_as_large else None


def _anthropic_state(path: str, value: dict[str, Any]) -> BatchState:
    status = str(value.get("processing_status"))
    counts = {name: _number(count) for name, count in (value.get("request_counts") or {}).items()}
    paths = (f"{path}/results",) if status == "ended" else ()  # results_url may name another host
    return BatchState(status == "ended", status, sum(counts.values()) - counts.get("processing", 0), paths)


def _anthropic_result(name: str, line: Mapping[str, Any]) -> BatchResult:
    result = line.get("result")
    result = result if isinstance(result, dict) else {}
    kind, error = result.get("type"), result.get("error")
    if kind == "succeeded":
        return BatchResult(name, 200, json.dumps(result.get("message")).encode())
    if kind == "errored" and isinstance(error, dict):
        inner = error["error"] if isinstance(error.get("error"), dict) else error
        body = json.dumps({"type": "error", "error": inner}).encode()
        return BatchResult(name, ERRORS.get(str(inner.get("type")), 500), body)
    reason = f"the request ended as {kind}" if kind else "no result"
    return BatchResult(name, 408 if kind in ("expired", "canceled") else 500, failure=reason)


ANTHROPIC = BatchService(
    ending="/messages",
    path="/messages/batches",
    after="after_id",
    uploads=False,
    most_lines=100_000,
    most_bytes=256_000_000,
    line=lambda name, body: {
        "custom_id": name,
        "params": {part: value for part, value in body.items() if part != "stream"},
    },
    creation=lambda _, lines: {
        "content": b'{"requests": [' + b", ".join(lines.splitlines()) + b"]}",
        "is_large": True,
        "headers": {"content-type": "application/json"},
    },
    distance=_anthropic_distance,
    state=_anthropic_state,
    result=_anthropic_result,
)

SERVICES = {"openai": OPENAI, "hosted_vllm": OPENAI, "anthropic": ANTHROPIC}


def batch_service(model: str) -> BatchService:
    """Return the batch interface of a model; ``UsageError`` where it has none.

    >>> batch_service("hosted_vllm/llama").path
    '/batches'
    """
    service = SERVICES.get(provider_of(model))
    if service is None:
        known = ", ".join(f"{name}/" for name in SERVICES)
        hint = "leave --batch out; a server that speaks OpenAI's protocol is asked as openai/NAME with api_base"
        raise UsageError(f"--batch: no batch interface is known for {model}: only for {known}", hint=hint)
    return service
