"""A server on loopback with the batch interface of OpenAI, which fails as services fail.

It has the options of ``model_server``, and answers single requests too, with the same replies. More options:

``takes``        seconds until a batch is done; ``hold`` keeps all in progress until ``GET /release``
``lines``        shares of faults that lines meet, each the first time only:
                 ``429``, ``500``, ``missing``, ``expired``
``refuses``      the status of each of the first questions about files and batches
``odd``          results also hold duplicates, unknown names, and lines that say nothing
``slow``         seconds between the first ``uploads``, ``creates`` or ``downloads`` and the answer that tells of it
``GET /stats`` also tells the sizes of the batches, and how often each request was paid.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections import Counter
from collections.abc import Coroutine
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from model_server import Connection, Script, serve, started


class BatchScript(Script):
    """The server's answers, its files and its batches."""

    def __init__(self, options: dict[str, Any]) -> None:
        super().__init__(options)
        self.takes = float(options.get("takes", 0.0))
        self.hold = bool(options.get("hold"))
        self.lines: dict[str, float] = options.get("lines", {})
        self.odd = bool(options.get("odd"))
        self.refuses: list[int] = options.get("refuses", [])
        self.slow: dict[str, float] = dict(options.get("slow", {}))
        self.files: dict[str, bytes] = {}
        self.batches: dict[str, dict[str, Any]] = {}
        self.paid: Counter[str] = Counter()
        self.met: Counter[str] = Counter()
        self.steps: Counter[str] = Counter()

    def reply(self, prompt: str, digest: str) -> str:
        """Return a reply that follows from the prompt alone, however it was sent."""
        return super().reply(prompt, hashlib.sha256(prompt.encode()).hexdigest())

    def release(self) -> None:
        super().release()
        self.hold = False

    def fault_of_line(self, prompt: str, name: str) -> str:
        if self.met[name]:
            return ""
        number = int(hashlib.sha256(prompt.encode()).hexdigest()[:8], 16) / 2**32
        for fault, share in self.lines.items():
            if number < share:
                self.met[name] += 1
                return fault
            number -= share
        return ""


class BatchConnection(Connection):
    """One connection, which is also asked about files and batches."""

    script: BatchScript

    def _serve(self, request: str, headers: dict[str, str], body: bytes) -> None:
        method, target, _ = request.split(" ")
        path, script = urlsplit(target).path, self.script
        if "/files" in path or "/batches" in path:
            if script.refuses:
                self._error(script.refuses.pop(0), f"refused {headers.get('authorization', '')}", {})
            else:
                self._batched(method, path.removeprefix("/v1").strip("/").split("/"), headers, body)
        else:
            super()._serve(request, headers, body)

    def stats(self) -> dict[str, Any]:
        script = self.script
        return super().stats() | {
            "batches": [batch["size"] for batch in script.batches.values()], "paid": sum(script.paid.values()),
            "paid_twice": sum(number > 1 for number in script.paid.values()), "steps": script.steps,
        }  # fmt: skip

    def _batched(self, method: str, parts: list[str], headers: dict[str, str], body: bytes) -> None:
        script = self.script
        step = (
            "uploads" if parts == ["files"] else "creates" if method == "POST"
            else "downloads" if parts[0] == "files" else "lists" if parts == ["batches"] else "polls"
        )  # fmt: skip
        script.steps[step] += 1
        if step == "uploads":
            answer: Any = self._upload(headers, body)
        elif step == "creates":
            answer = self._create(json.loads(body))
        elif step == "lists":
            answer = {"data": [self._state(name) for name in reversed(script.batches)], "has_more": False}
        else:
            answer = script.files[parts[1]] if step == "downloads" else self._state(parts[1])
        data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        asyncio.get_running_loop().call_later(script.slow.pop(step, 0.0), self._told, data)

    def _told(self, data: bytes) -> None:
        if not self.transport.is_closing():
            self._send(200, data)

    def _upload(self, headers: dict[str, str], body: bytes) -> dict[str, Any]:
        mark = b"--" + headers["content-type"].partition("boundary=")[2].encode()
        parts = [part.partition(b"\r\n\r\n") for part in body.split(mark)]
        fields = {head: content.removesuffix(b"\r\n") for head, _, content in parts}
        assert [content for head, content in fields.items() if b'name="purpose"' in head] == [b"batch"]
        content = next(content for head, content in fields.items() if b'name="file"' in head)
        name = f"file-{len(self.script.files)}"
        self.script.files[name] = content
        return {"id": name, "object": "file", "purpose": "batch"}

    def _create(self, value: dict[str, Any]) -> dict[str, Any]:
        script = self.script
        lines = [json.loads(line) for line in script.files[value["input_file_id"]].splitlines()]
        assert all((line["method"], line["url"]) == ("POST", value["endpoint"]) for line in lines)
        requests = [(line["custom_id"], line["body"]) for line in lines]
        assert len(dict(requests)) == len(requests), "a name stands twice"
        name = f"batch_{len(script.batches)}"
        script.batches[name] = {"made": time.time(), "size": len(requests), "requests": requests, "value": value}
        return self._state(name)

    def _state(self, name: str) -> dict[str, Any]:
        script, batch = self.script, self.script.batches[name]
        is_done = not script.hold and time.time() >= batch["made"] + script.takes
        size = batch["size"]
        about = {"id": name, "object": "batch", "input_file_id": batch["value"]["input_file_id"]}
        about["metadata"] = batch["value"].get("metadata")
        if not is_done:
            counts = {"total": size, "completed": 0, "failed": 0}
            return {**about, "status": "in_progress", "request_counts": counts}
        if "files" not in batch:
            batch["files"] = self._results_as_files(name)
        expired = any(b'"batch_expired"' in script.files[file] for file in batch["files"])
        files = dict(zip(("output_file_id", "error_file_id"), batch["files"], strict=True))
        counts = {"total": size, "completed": size, "failed": 0}
        return {**about, **files, "status": "expired" if expired else "completed", "request_counts": counts}

    def _results_as_files(self, name: str) -> list[str]:
        script = self.script
        good: list[dict[str, Any]] = []
        bad: list[dict[str, Any]] = []
        for custom_id, body in reversed(script.batches[name]["requests"]):
            prompt = json.dumps(body["messages"], ensure_ascii=False)
            fault = script.fault_of_line(prompt, custom_id)
            line: dict[str, Any] = {"id": "r", "custom_id": custom_id, "response": None, "error": None}
            if fault == "expired":
                bad.append(line | {"error": {"code": "batch_expired", "message": "it could not be run in time"}})
            elif fault.isdigit():
                error = {"message": f"this is error {fault}", "type": "error", "code": f"code_{fault}"}
                bad.append(line | {"response": {"status_code": int(fault), "body": {"error": error}}})
            elif fault != "missing":
                script.paid[custom_id] += 1
                choice = {"index": 0, "message": {"role": "assistant", "content": script.reply(prompt, "")}}
                choice["finish_reason"] = "stop"
                value = {"id": "x", "object": "chat.completion", "created": 1, "model": "loopback"}
                value |= {"choices": [choice], "usage": script.usage}
                good.append(line | {"response": {"status_code": 200, "body": value}})
        files = []
        for lines in (good, bad):
            files.append(f"file-{len(script.files)}")
            script.files[files[-1]] = b"".join(json.dumps(line).encode() + b"\n" for line in self._odd(lines))
        return files

    def _odd(self, lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return results among lines that a client must not stumble over."""
        if not self.script.odd or not lines:
            return lines
        more = [lines[0], lines[0] | {"custom_id": "unknown"}, {"custom_id": 7}, {}]
        return [*lines, *more]


batch_server = partial(started, "batch_server")


def server(options: dict[str, Any]) -> Coroutine[Any, Any, None]:
    return serve(BatchScript(options), int(options.get("port", 0)), BatchConnection)
