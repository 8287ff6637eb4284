"""Pages served from threads, and a client of their servers, over real sockets."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from tsgkit.serve.local_server import LocalServer, Page
from tsgkit.serve.runs_page import RunsPage
from tsgkit.serve.viewed_runs import ViewedRuns


@contextmanager
def in_a_thread(page: Page) -> Iterator[LocalServer]:
    server = LocalServer(page)
    listening, running = server.bound(), server.server()
    thread = threading.Thread(target=running.run, kwargs={"sockets": [listening]})
    thread.start()
    while not running.started:
        time.sleep(0.005)
    try:
        yield server
    finally:
        running.should_exit = True
        thread.join()
        listening.close()


def guess(messages: list[dict[str, str]]) -> str:
    """Answer in ways that are right, wrong and unreadable."""
    text = messages[-1]["content"]
    return ("Answer: A", "I do not know.", "Graph 1:\nperson -> verb -> wash\nwash -> dobj -> cup\n")[len(text) % 3]


@dataclass
class Client:
    port: int
    token: str

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/{self.token}/"

    def request(
        self, path: str, method: str = "GET", body: bytes | None = None, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and body; underscores in header names are hyphens."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        answer = connection.getresponse()
        found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def data(self, name: str, **values: object) -> Any:  # noqa: ANN401  (as JSON has it)
        """Return the answer to a request for data, which must succeed."""
        status, _, body = self.request(f"/{self.token}/data/{name}?{urlencode(values)}")
        assert status == 200, body
        return json.loads(body)

    def problem(self, name: str, **values: object) -> str:
        """Return the message of a refusal."""
        status, _, body = self.request(f"/{self.token}/data/{name}?{urlencode(values)}")
        assert status == 400, body
        message: str = json.loads(body)["message"]
        return message

    def post(self, name: str, value: object) -> tuple[int, Any]:
        """Send a change, and return the status and the answer; bytes are sent as they are."""
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        status, _, answer = self.request(f"/{self.token}/data/{name}", "POST", body, Content_Type="application/json")
        return status, json.loads(answer)

    def label(self, run: str, **said: object) -> tuple[int, Any]:
        return self.post(f"labels?{urlencode({'run': run})}", said)


@contextmanager
def serving(*paths: Path, annotator: str = "ann") -> Iterator[Client]:
    with in_a_thread(RunsPage(ViewedRuns(paths), annotator).page()) as server:
        yield Client(server.port, server.token)
