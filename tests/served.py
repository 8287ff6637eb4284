"""Pages served from threads and a client over real sockets; files of graphs in every format, and their editor."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

import pytest

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Frames, Narrative, Vocabulary
from tsgkit.graph.notation import arrow, graphml, json_triplets, narratives, node_link
from tsgkit.serve.edit_page import edit_page, edited_file
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import LocalServer, Page
from tsgkit.serve.view import runs_page
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
    with in_a_thread(runs_page(ViewedRuns(paths), annotator)) as server:
        yield Client(server.port, server.token)


WASH = ActionGraph([("person", "verb", "wash"), ("wash", "dobj", "cup"), ("wash", "with", "hand1")])
DRY = ActionGraph([("person", "verb", "dry"), ("dry", "dobj", "cup"), ("dry", "with", "towel")])
WASH_VALUE, DRY_VALUE = json_triplets.to_value(WASH), json_triplets.to_value(DRY)
L = Vocabulary(("cup", "towel", "hand1"), ("verb", "dobj", "with"), ("wash", "dry"))
WASHED = Description("She washes the cup.", (WASH,), Frames(2.5, 1, 4))
DRIED = Description("Then dry it with the towel.", (DRY,))
STORY = Narrative((WASHED, DRIED), L, "cups", ("a summary",), (("split", "test"),))
SPACE = {"object": ["cup", "towel"], "relationship": ["verb", "dobj", "with"], "verb": ["wash", "dry"], "more": ["x"]}
SGG = {
    "item_id": "cups/1",
    "note": {"by": "ann"},
    "context": ["She washes the cup."],
    "target_sentence": "Then dry it.",
    "mandatory_space": SPACE,
    "graphs": [{"triplets": DRY_VALUE, "sure": 1}],
}
SGQA = {"item_id": "q", "context_graphs": [WASH_VALUE, DRY_VALUE], "qa_pairs": [{"Q": "What?", "A": "cup"}], "extra": 1}
TOLD = {"item_id": "d", "target_sentence": "Then dry it.", "position": 1, "variations": ["Wash it.", "Then dry it."]}
SGDS = TOLD | {"context_graphs": [WASH_VALUE], "triplet": DRY_VALUE, "variation_triplets": [WASH_VALUE, DRY_VALUE]}
TEXTS = {
    "arrow": ("graphs.txt", arrow.write([WASH, DRY])),
    "triplets": ("graphs.json", json_triplets.write([WASH, DRY])),
    "one graph": ("graph.json", json.dumps(DRY_VALUE) + "\n"),
    "triplet-lines": ("lines.jsonl", f"{json.dumps([WASH_VALUE, DRY_VALUE])}\n{json.dumps([DRY_VALUE])}\n"),
    "narrative": ("story.jsonl", narratives.write(STORY)),
    "narrative list": ("stories.json", json.dumps([narratives.to_value(STORY), {"descriptions": []}], indent=1)),
    "node-link": ("links.json", node_link.write([WASH, DRY])),
    "node-link lines": ("links.jsonl", "".join(f"{json.dumps(node_link.to_value(one))}\n" for one in (WASH, DRY))),
    "graphml": ("graphs.graphml", graphml.write([WASH, DRY])),
    "sgqa": ("sgqa.jsonl", json.dumps(SGQA) + "\n" + json.dumps(SGQA | {"item_id": "r"}) + "\n"),
    "sgds": ("sgds.jsonl", json.dumps(SGDS) + "\n"),
    "sgg": ("sgg.jsonl", json.dumps(SGG) + "\n"),
    "sgg list": ("sgg.json", json.dumps([SGG, SGG | {"item_id": "cups/2"}])),
}
"""The name and the text of a file in every format and layout."""


def written(folder: Path, format: str) -> Path:
    name, text = TEXTS[format]
    (folder / name).write_text(text)
    return folder / name


def splice(*path: str | int, start: int, removed: int = 0, inserted: list[Any] | None = None) -> dict[str, Any]:
    return {"path": list(path), "start": start, "removed": removed, "inserted": inserted or []}


def change(file: EditedFile, *ops: dict[str, Any], number: int = 0) -> dict[str, Any]:
    return file.session.edit(number, file.session.item(number)["revision"], list(ops))


def set_text(text: str, description: int = 0) -> dict[str, Any]:
    return {"path": ["descriptions", description, "text"], "value": text}


def refused(problem: str, act: Callable[..., object], *values: Any, hint: str = "", **options: Any) -> None:  # noqa: ANN401
    """Assert that this is refused with a message like that, and with these words of help."""
    with pytest.raises(UsageError, match=problem) as error:
        act(*values, **options)
    assert hint in error.value.hint


class Editor(Client):
    def edit(self, *ops: dict[str, Any], number: int = 0) -> tuple[int, Any]:
        revision = self.data("item", number=number)["revision"]
        return self.post("edit", {"number": number, "revision": revision, "ops": list(ops)})


@contextmanager
def editing(path: Path, **options: Any) -> Iterator[Editor]:  # noqa: ANN401  (those of edited_file)
    with in_a_thread(edit_page(edited_file(path, **options))) as server:
        yield Editor(server.port, server.token)


@contextmanager
def started(path: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], Editor]]:
    """Start the command in a process of its own, and end it with Ctrl-C."""
    command = [sys.executable, "-m", "tsgkit", "view", str(path), "--edit", "--no-open", *more]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            address = urlsplit(re.findall(r"http://\S+", line)[0])
            yield process, Editor(address.port or 0, address.path.strip("/"))
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.wait(60)
