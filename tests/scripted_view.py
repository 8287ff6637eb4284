"""A scripted source of the view, served on the loopback: runs of generated samples, slow or broken as a test wants it.

The pages are those of ``tsgkit/browser``, under the policy of the live page.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qs, urlsplit

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'"
)
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>tsgkit view</title><link rel="stylesheet" href="page.css"><link rel="icon" href="data:,">
<script type="module" src="live.js"></script></head><body><div id="app"></div></body></html>
"""
TYPES = {"js": "text/javascript", "css": "text/css"}
HOSTILE = "<img src=x onerror=\"document.title='owned'\">"
RIGHT_TO_LEFT = "\u202eevil \u05e9\u05dc\u05d5\u05dd\u0007\x1b[31m"
LONG = "long/" + "x" * 5_000
TAGS = ("kitchen", HOSTILE, "bath")
ITEMS = 5_000
SUBJECTS = ("openai/gpt-4o", "local/<b>bold</b>")
STYLES = ("zero-shot", "cot")
OUTCOMES = ("answered", "missing", "unreadable")
METRICS = {
    "accuracy": {"meaning": "share of right answers", "is_share": True, "more_is_better": True, "is_headline": True},
    "steps": {"meaning": "steps of the answer", "is_share": False, "more_is_better": False, "is_headline": False},
}
TASK = "tsg/sgqa"
JUDGED = "spatialgen/images"


def value(rng: random.Random, n: int, *, is_share: bool = True) -> dict[str, Any]:
    middle = rng.uniform(0.3, 0.8) * (1 if is_share else 1200)
    return {"value": middle, "low": middle * 0.9, "high": middle * 1.1, "n": n}


def row(number: int, n: int, task: str, subject: str, style: str) -> dict[str, Any]:
    rng = random.Random(number)
    strict = {"accuracy": value(rng, n), "steps": value(rng, n, is_share=False)}
    official = {"accuracy": value(rng, n), "steps": None} if task == TASK else None
    reasons = (
        {"official.steps": "the official code has no such metric"} if official else {"official": "no official code"}
    )
    return {
        "row": number, "title": f"{task} {subject} {style}", "task": task, "subject": subject, "solver": "direct",
        "style": style, "repeat": 0, "shots": None, "prompts": "default", "seed": None, "judge": None, "n": n,
        "unasked": 0, "main": "accuracy", "metrics": METRICS, "profiles": {"strict": strict, "official": official},
        "reasons": reasons, "counts": {"items": n, "answered": n - 3, "unreadable": 3, "missing": 0},
        "usage": {"calls": n, "prompt_tokens": 123_456, "completion_tokens": 7_890, "cost": 1.5, "seconds": 75.0},
        "groups": ["k", "tag"], "clusters_are": "scenarios",
    }  # fmt: skip


def item_id(place: int) -> str:
    return {7: HOSTILE, 8: RIGHT_TO_LEFT, 9: LONG}.get(place, f"tea {place % 50}/{place}")


@cache
def mark(number: int) -> str:
    """Return the mark of a sample that was asked, the same in every run."""
    return random.Random(number * 7919).choices("rwu", (6, 3, 1))[0]


@cache
def columns(items: int, rows: int, recorded: int, stamp: int) -> dict[str, Any]:
    """Return the columns of all samples, made once for each state of a run."""
    numbers = range(items * rows)
    marks = [mark(number) if number < recorded else "m" for number in numbers]
    outcome = {"r": 0, "w": 0, "m": 1, "u": 2}
    strict = [{"r": 1.0, "w": 0.25}.get(mark) for mark in marks]
    return {
        "stamp": str(stamp), "n": items * rows, "row": [number // items for number in numbers],
        "item": [item_id(number % items) for number in numbers], "outcome": [outcome[mark] for mark in marks],
        "outcomes": list(OUTCOMES), "mark": marks, "strict": strict, "official": strict,
        "answer": [f"cup {number % 97}" if marks[number] in "rw" else "" for number in numbers],
        "reason": [f"key is mug {number % 11}" for number in numbers],
        "cluster": [f"tea {number % 50}" for number in numbers],
        "tokens": [100 + number % 1000 for number in numbers], "cost": [0.0001 for _ in numbers],
        "seconds": [number % 60 / 7 for number in numbers],
        "groups": {
            "k": {"members": ["1", "2", "3"], "of": [[number % 3] for number in numbers]},
            "tag": {"members": list(TAGS), "of": [[0, 1] if number % 2 else [2] for number in numbers]},
        },
    }  # fmt: skip


@dataclass
class Run:
    """One run and its samples."""

    id: str
    name: str
    rows: list[dict[str, Any]]
    items: int
    recorded: int
    is_working: bool = False
    problem: str | None = None
    stamp: int = 0
    verdicts: int = 1

    @property
    def samples(self) -> int:
        return self.items * len(self.rows)

    def summary(self) -> dict[str, Any]:
        if self.problem:
            return {"id": self.id, "name": self.name, "path": f"/runs/{self.name}", "problem": self.problem}
        scores = [
            {"row": one["title"], "task": one["task"], "metric": "accuracy", "is_share": True}
            | one["profiles"]["strict"]["accuracy"]
            for one in self.rows
        ]  # fmt: skip
        return {
            "id": self.id, "name": self.name, "path": f"/runs/{self.name}", "begun": "2026-01-02T03:04:05+00:00",
            "recorded": self.recorded, "samples": self.samples, "is_working": self.is_working,
            "subjects": [*dict.fromkeys(one["subject"] for one in self.rows)],
            "tasks": [*dict.fromkeys(one["task"] for one in self.rows)],
            "styles": [*dict.fromkeys(one["style"] for one in self.rows)], "cost": 1234.5, "stamp": str(self.stamp),
            "scores": scores, "problem": None,
        }  # fmt: skip

    def mark(self, number: int) -> str:
        return mark(number) if number < self.recorded else "m"

    def columns(self) -> dict[str, Any]:
        return columns(self.items, len(self.rows), self.recorded, self.stamp)

    def sample(self, number: int) -> dict[str, Any]:
        mark = self.mark(number)
        text = f"🍵 Let me think.\r\nThe answer is: cup {number % 97}.\nThat is all, {HOSTILE}."
        start = text.index("cup")
        questions = (
            [""] if self.verdicts == 1 else [f"Is chair {place} at the table?" for place in range(self.verdicts)]
        )
        call = {
            "label": "question", "draw": 0, "made_again": False,
            "messages": [{"role": "system", "content": "Answer."}, {"role": "user", "content": f"Where? {HOSTILE}"}],
            "reply": {"text": text, "finish_reason": "stop", "seconds": 1.25, "usage": {"prompt": 1_200}},
            "strict": f"cup {number % 97}", "unreadable": None, "spans": [[start, text.index(".\nThat")]],
            "notes": [{"line": 3, "kind": "ignored", "reason": "no triplet", "text": "That is all"}],
            "official": [["person", "verb", "wash"]], "not_official": None,
            "why": ["after the last label 'The answer is'"],
        }  # fmt: skip
        scores = {"accuracy": {"value": float(mark == "r"), "weight": 1, "reason": "the key is mug"}}
        return {
            "number": number, "row": number // self.items, "item_id": item_id(number % self.items),
            "outcome": "missing" if mark == "m" else "answered", "question": f"Where is the cup?\n{RIGHT_TO_LEFT}",
            "reference": [["person", "verb", "wash"], ["wash", "dobj", HOSTILE]], "answer": f"cup {number % 97}",
            "notes": [], "error": None, "scores": {"strict": scores, "official": None},
            "unpublished": "there is no official code", "unasked": None, "changed": None,
            "verdicts": [{"question": one, "right": mark == "r", "label": "cup", "key": "mug"} for one in questions],
            "calls": [] if mark == "m" else [call], "trace": ["and: false", "  on(cup, table): false"],
            "panels": [{"kind": "text", "title": "Context", "value": {"text": HOSTILE}}],
        }  # fmt: skip


@dataclass
class Script:
    """The source behind the page, and what is wrong with it."""

    runs: dict[str, Run]
    labels: list[dict[str, Any]] = field(default_factory=list)
    seconds: float = 0
    is_down: bool = False
    refuses_labels: bool = False
    asked: Counter[str] = field(default_factory=Counter)

    def answer(self, name: str, query: dict[str, str], body: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        """Return what the contract says; ``KeyError`` for a run that is unknown."""
        self.asked[name] += 1
        if name == "runs":
            shown = [run.summary() for run in self.runs.values()]
            return {"version": "0", "runs": shown, "annotator": "ann", "can_label": True}
        if name == "comparison":
            return self.comparison(query["first"], query["second"])
        run = self.runs[query["run"]]
        if name == "run":
            return self.run(run)
        if name == "samples":
            return run.columns()
        if name == "sample":
            return run.sample(checked(int(query["number"]), run.samples))
        if name == "search":
            return {
                "numbers": [
                    number for number in range(run.samples) if query["text"] == "only in a prompt" and number % 100 == 5
                ]
            }
        if name == "groups":
            return groups(run, query["by"])
        return self.label(run, body)

    def run(self, run: Run) -> dict[str, Any]:
        return {
            "id": run.id, "name": run.name, "path": f"/runs/{run.name}", "begun": "2026-01-02T03:04:05+00:00",
            "stamp": str(run.stamp), "facts": [["data", HOSTILE], ["seed", "0"]], "notes": ["prices are of today"],
            "rows": run.rows,
        }  # fmt: skip

    def comparison(self, first: str, second: str) -> dict[str, Any]:
        if first == second:
            return {"problem": "a row cannot be compared with itself"}
        one = {"value": 0.6, "low": 0.5, "high": 0.7, "n": ITEMS}
        return {
            "metric": "accuracy", "is_share": True, "first": one, "second": one | {"value": 0.5},
            "difference": 0.1, "low": 0.02, "high": 0.18, "p": 0.0123, "test": "paired bootstrap over scenarios",
            "verdict": "the first is better", "notes": ["3 items are missing in one of them"],
        }  # fmt: skip

    def label(self, run: Run, body: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        if body is not None:
            if self.refuses_labels:
                raise PermissionError
            same = [
                one
                for one in self.labels
                if (one["number"], one["question"], one["rater"]) == (body["number"], body["question"], "ann")
            ]
            self.labels = [one for one in self.labels if one not in same]
            if body["verdict"] is not None:
                self.labels.append(body | {"rater": "ann"})
        return {"labels": self.labels, "file": f"{run.name}.labels.csv"}


def checked(number: int, n: int) -> int:
    if not 0 <= number < n:
        raise KeyError(number)
    return number


def groups(run: Run, by: str) -> dict[str, Any]:
    members = {"k": ("1", "2", "3"), "tag": TAGS}[by]
    of = [
        {"member": name, "n": 100, "profiles": one["profiles"], "counts": {"answered": 97, "unreadable": 3}}
        for one in run.rows[:1]
        for name in members
    ]
    return {"by": by, "rows": [{"row": one["row"], "members": of} for one in run.rows]}


def script() -> Script:
    """Return a large run, a small one that works, one without samples, and one that cannot be read."""
    grid = [(subject, style) for subject in SUBJECTS for style in STYLES]
    large = Run("0", f"large {HOSTILE}", [row(n, ITEMS, TASK, *one) for n, one in enumerate(grid)], ITEMS, 4 * ITEMS)
    rows = [row(n, 20, JUDGED, subject, "zero-shot") for n, subject in enumerate(SUBJECTS)]
    small = Run("1", "small", rows, 20, 30, is_working=True, verdicts=3)
    empty = Run("2", "empty", [], 0, 0)
    broken = Run("3", "broken", [], 0, 0, problem="plan.json cannot be read: it ends in line 3")
    return Script({run.id: run for run in (large, small, empty, broken)})


@cache
def asset(name: str) -> bytes:
    """Return a file of the browser modules."""
    return files("tsgkit.browser").joinpath(*name.split("/")).read_bytes()


class ScriptedPage(BaseHTTPRequestHandler):
    """Requests of one page, answered under the policy of the live one."""

    def do_GET(self) -> None:
        self.respond(None)

    def do_POST(self) -> None:
        self.respond(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def respond(self, body: Any) -> None:  # noqa: ANN401  (JSON)
        raise NotImplementedError

    def send(self, status: int, kind: str, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep the tests' output to themselves."""


class Handler(ScriptedPage):
    """Requests of the view."""

    script: Script

    def respond(self, body: Any) -> None:  # noqa: ANN401  (JSON)
        parts = urlsplit(self.path)
        if not parts.path.startswith("/data/"):
            self.file(parts.path.removeprefix("/"))
        elif self.script.is_down:
            self.close_connection = True
        else:
            time.sleep(self.script.seconds)
            query = {name: values[0] for name, values in parse_qs(parts.query).items()}
            try:
                self.send(
                    200, "application/json", encoded(self.script.answer(parts.path[len("/data/") :], query, body))
                )
            except KeyError as problem:
                self.send(
                    404, "application/json", encoded({"message": f"there is no {problem}", "hint": "look at the list"})
                )
            except PermissionError:
                self.send(500, "application/json", encoded({"message": "the disk is full", "hint": "make room"}))

    def file(self, name: str) -> None:
        try:
            self.send(200, TYPES[name.rpartition(".")[2]], asset(name)) if name else self.send(
                200, "text/html", PAGE.encode()
            )
        except (KeyError, FileNotFoundError):
            self.send(404, "text/plain", b"")


def encoded(value: object) -> bytes:
    return json.dumps(value).encode()


@contextmanager
def served(of: Script) -> Iterator[str]:
    """Serve a script while the block lasts; yield the address of its page."""
    handler = type("ScriptHandler", (Handler,), {"script": of})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
