"""A scripted source of the editor on the loopback: items in memory, checked by the real rules, under the live policy.

Faults are switched on by a test: a server that is gone, that refuses, that starts anew, or another browser's edits.
"""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from scripted_view import TYPES, ScriptedPage

from tsgkit.browser.modules import joined, text_of
from tsgkit.graph import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.edits import diff
from tsgkit.graph.hands import State, trace
from tsgkit.graph.repairs import mend_graph
from tsgkit.graph.rules import check_narrative

STYLES = ("edit/edit.css", "panels/panels.css")
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>tsgkit</title>{styles}<link rel="icon" href="data:,">
<script type="module" src="browser/editing.js"></script></head><body><div id="app"></div></body></html>
"""
ALL: dict[str, bool] = {"texts": True, "borders": True, "graphs": True, "vocabulary": True}
OPEN: dict[str, Any] = {"status": "open", "annotator": "", "time": "", "note": ""}
Json = dict[str, Any]


def narrative_of(value: Json) -> Narrative:
    """Return the narrative of an item's value."""
    names = value["vocabulary"]
    return Narrative(
        tuple(Description(one["text"], tuple(map(ActionGraph, one["graphs"]))) for one in value["descriptions"]),
        names and Vocabulary(names["object"], names["relationship"], names["verb"]),
    )


def checks_of(value: Json) -> Json:
    """Return the checks as the server has them."""
    narrative = narrative_of(value)
    graphs: list[Json] = [
        {"findings": [], "hands": {"before": _hands(step.before), "after": _hands(step.after)}, "repairs": []}
        for step in trace(narrative)
    ]
    for finding in check_narrative(narrative):
        graphs[finding.place.graph or 0]["findings"].append(
            {
                "code": finding.code, "severity": finding.severity, "message": finding.message, "hint": finding.hint,
                "triplet": finding.place.triplet, "elements": list(finding.elements),
            }
        )  # fmt: skip
    for graph, checked in zip(narrative.graphs, graphs, strict=True):
        after, changes = mend_graph(graph, narrative.vocabulary)
        checked["repairs"] = [
            {
                "before": one.before and list(one.before), "after": one.after and list(one.after), "code": one.code,
                "reason": one.reason, "graph": [list(triplet) for triplet in after.triplets],
            }
            for one in changes[:1] if len(changes) == 1
        ] or [_alone(graph, one) for one in changes]  # fmt: skip
    names = [name for members in (value["vocabulary"] or {}).values() for name in members]
    return {"graphs": graphs, "mentioned": [_mentioned(one["text"] or "", names) for one in value["descriptions"]]}


def _title(value: Json) -> str:
    return next((one["text"] or "" for one in value["descriptions"]), "")[:30]


def _alone(graph: ActionGraph, change: Any) -> Json:  # noqa: ANN401  (a repair)
    kept = [list(one) for one in graph.triplets if one != change.before]
    after = [list(change.after)] if change.after else []
    return {
        "before": change.before and list(change.before), "after": change.after and list(change.after),
        "code": change.code, "reason": change.reason, "graph": kept + after,
    }  # fmt: skip


def _hands(state: State) -> Json:
    return {"hand1": state.hand1, "hand2": state.hand2}


def _mentioned(text: str, names: list[str]) -> list[str]:
    """Return the names that occur in a text, in order, spaces for hyphens."""
    words = f" {text.lower().replace('.', ' ').replace(',', ' ')} "
    found = [(words.find(f" {name.replace('-', ' ')}"), name) for name in dict.fromkeys(names)]
    return [name for place, name in sorted(found) if place >= 0]


def applied(value: Json, operations: list[Json]) -> Json:
    """Return a value with operations made in order."""
    value = copy.deepcopy(value)
    for one in operations:
        *path, last = one["path"]
        home: Any = value
        for step in path:
            home = home[step]
        if "value" in one:
            home[last] = one["value"]
        else:
            home[last][one["start"] : one["start"] + one["removed"]] = one["inserted"]
    return value


@dataclass
class Story:
    """A file of items, as the server of the editor has it; tests read and change it."""

    values: list[Json]
    can: dict[str, bool] = field(default_factory=lambda: dict(ALL))
    losses: list[str] = field(default_factory=list)
    proposal: list[Json] | None = None
    disk_values: list[Json] | None = None
    restored: Json | None = None
    groups: list[list[str]] = field(default_factory=list)
    file: str = "story.jsonl"
    is_down: bool = False
    is_lost: bool = False
    """True if edits are made, but no answer comes."""
    is_refusing: bool = False
    delays: list[float] = field(default_factory=list)
    """Seconds until a changed status is read, one for each change; later ones are read at once."""
    revision: int = 1
    posts: list[tuple[str, Json]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.saved = copy.deepcopy(self.values)
        self.revisions = [1 for _ in self.values]
        self.statuses = [dict(OPEN) for _ in self.values]
        self.lock = threading.Lock()

    def document(self) -> Json:
        return {
            "file": self.file, "format": "narrative", "annotator": "ann", "revision": self.revision, "can": self.can,
            "losses": self.losses, "restored": self.restored, "proposals": "generated.jsonl" if self.proposal else None,
            "disk": self.disk_values is not None, "unsaved": self.values != self.saved,
            "items": [
                {
                    "item": value.get("name", f"item {number}"), "title": _title(value),
                    "graphs": sum(len(one["graphs"]) for one in value["descriptions"]),
                    "status": self.statuses[number], "unsaved": value != self.saved[number],
                }
                for number, value in enumerate(self.values)
            ],
        }  # fmt: skip

    def item(self, number: int) -> Json:
        value = {key: one for key, one in self.values[number].items() if key != "name"}
        return {
            "number": number, "revision": self.revisions[number], "value": value, "checks": checks_of(value),
            "status": self.statuses[number], "unsaved": value != self.saved[number],
        }  # fmt: skip

    def put(self, number: int, value: Json) -> None:
        """Change an item, as another browser would."""
        self.revision += 1
        self.values[number], self.revisions[number] = value, self.revision

    def restart(self) -> None:
        """Start anew: revisions are counted from the beginning."""
        self.revision, self.revisions = 1, [1 for _ in self.values]

    def edit(self, body: Json) -> tuple[int, Json]:
        number = body["number"]
        if self.is_refusing:
            return 400, {"message": "the draft cannot be written", "hint": "make room on the disk"}
        if body["revision"] != self.revisions[number]:
            return 409, {"message": "another browser edited the item", "item": self.item(number)}
        self.put(number, applied(self.values[number], body["ops"]))
        return 200, {"revision": self.revision, "checks": checks_of(self.values[number])}

    def save(self, body: Json) -> tuple[int, Json]:
        if self.disk_values is not None:
            return 409, {"message": "the file changed on disk", "disk": True}
        if self.losses and not body["accept_losses"]:
            return 400, {"message": "saving would lose something", "hint": "accept it"}
        changed = [number for number, value in enumerate(self.values) if value != self.saved[number]]
        self.saved = copy.deepcopy(self.values)
        return 200, {"time": "2031-05-05T10:00:00Z", "items": changed}

    def resolve(self, body: Json) -> tuple[int, Json]:
        if body["how"] == "theirs":
            self.values = copy.deepcopy(self.disk_values or [])
            self.saved = copy.deepcopy(self.values)
            self.revision += 1
            self.revisions = [self.revision for _ in self.values]
        self.disk_values = None
        return 200, self.document()

    def status(self, body: Json) -> tuple[int, Json]:
        self.statuses[body["number"]] = {
            "status": body["status"], "annotator": "ann", "time": "2031-05-05T10:00:00Z", "note": body["note"]
        }  # fmt: skip
        return 200, self.statuses[body["number"]]

    def changes(self, since: int) -> Json:
        items = {str(number): one for number, one in enumerate(self.revisions) if one > since}
        unsaved = self.values != self.saved
        return {"revision": self.revision, "items": items, "disk": self.disk_values is not None, "unsaved": unsaved}

    def versions(self, number: int, other: str) -> Json:
        values = self.disk_values if other == "disk" else self.proposal
        theirs = (values or [])[number]
        return {"name": "generated.jsonl" if other == "proposal" else self.file} | versions_of(
            self.values[number], theirs
        )

    def get(self, name: str, query: Mapping[str, str]) -> tuple[int, Json]:
        if name == "document":
            return 200, self.document()
        if name == "item":
            return 200, self.item(int(query["number"]))
        if name == "changes":
            return 200, self.changes(int(query["since"]))
        if name == "versions":
            return 200, self.versions(int(query["number"]), query["other"])
        return 200, {"groups": self.groups}

    def post(self, name: str, body: Json) -> tuple[int, Json]:
        self.posts.append((name, body))
        return {"edit": self.edit, "save": self.save, "resolve": self.resolve, "status": self.status}[name](body)


def versions_of(mine: Json, other: Json) -> Json:
    """Return the differing graphs of two values, paired by place."""
    pairs, texts, number = list[Json](), list[Json](), 0
    for place, (one, two) in enumerate(zip(mine["descriptions"], other["descriptions"], strict=True)):
        if one["text"] != two["text"]:
            texts.append({"description": place, "mine": one["text"], "other": two["text"]})
        own, theirs = one["graphs"], two["graphs"]
        for at in range(max(len(own), len(theirs))):
            ours = own[at] if at < len(own) else None
            their = theirs[at] if at < len(theirs) else None
            if ours != their:
                pairs.append(_pair(place, at, number + at, ours, their))
        number += len(own)
    return {"pairs": pairs, "texts": texts, "vocabulary": None}


def _pair(description: int, graph: int, number: int, mine: Any, other: Any) -> Json:  # noqa: ANN401  (triplets)
    found = diff(ActionGraph(other), ActionGraph(mine)) if mine and other else None
    changes = [
        {
            "kind": str(one.kind), "reference": one.reference and list(one.reference),
            "candidate": one.candidate and list(one.candidate), "outside": [],
        }
        for one in (found.changes if found else ())
    ]  # fmt: skip
    return {
        "description": description, "graph": graph, "number": number if mine else None, "other": other, "mine": mine,
        "matched": len(found.matched) if found else 0, "changes": changes,
    }  # fmt: skip


class Handler(ScriptedPage):
    """Answers of a story."""

    story: Story
    protocol_version = "HTTP/1.1"

    def respond(self, body: Json | None) -> None:
        parts = urlsplit(self.path)
        name = parts.path.removeprefix("/")
        if not name.startswith("data/"):
            self.file(name)
            return
        if self.story.is_down:
            self.close_connection = True
            return
        if name == "data/status" and self.story.delays:
            time.sleep(self.story.delays.pop(0))
        with self.story.lock:
            if body is None:
                status, answer = self.story.get(
                    name[5:], {key: values[0] for key, values in parse_qs(parts.query).items()}
                )
            else:
                status, answer = self.story.post(name[5:], body)
        if self.story.is_lost and body is not None:
            self.close_connection = True
            return
        self.send(status, "application/json", json.dumps(answer).encode())

    def file(self, name: str) -> None:
        if not name:
            styles = "".join(f'<link rel="stylesheet" href="browser/{one}">' for one in STYLES)
            self.send(200, "text/html", PAGE.format(styles=styles).encode())
        elif name == "browser/editing.js":
            self.send(200, TYPES["js"], joined("editing.js").encode())
        elif name.removeprefix("browser/") in STYLES:
            self.send(200, TYPES["css"], text_of(name.removeprefix("browser/")).encode())
        else:
            self.send(404, "text/plain", b"")


@contextmanager
def edited(story: Story) -> Iterator[str]:
    """Serve a story while the block lasts; yield the address of its editor."""
    handler = type("StoryHandler", (Handler,), {"story": story})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
