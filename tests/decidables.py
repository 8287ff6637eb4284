"""Decisions kept in a list, served as a command serves them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from served import Client

from tsgkit.errors import UsageError
from tsgkit.runs.decisions import Decision, Decisions
from tsgkit.serve.decision_page import decide_in_browser
from tsgkit.serve.decision_protocol import DecisionQueue, EditForm, EntryPart, QueueItem, ShownEntry

HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'</script>"
TRIPLETS = [["person", "verb", "wash"], ["wash", "dobj", "cup"], ["wash", "with", "hand1"]]
NAMES = ["person", "hand1", "hand2", "cup", "mug"]
ELEMENTS = {"nodes": NAMES, "verbs": ["wash"], "edges": ["verb", "dobj", "with"], "mentioned": []}
CONTEXT = (("She washes the cup.", False), ("Then tea.", True))
FORMS: dict[str, EditForm] = {
    "triplet": {"kind": "triplet", "value": TRIPLETS[1], "elements": ELEMENTS},
    "graph-or-none": {"kind": "graph-or-none", "value": None, "elements": ELEMENTS},
    "texts": {
        "kind": "texts",
        "value": [
            {"name": "title", "label": "Title", "text": "A den."},
            {"name": "lines", "label": "Lines", "text": "one\ntwo"},
        ],
    },
}


class UnsavedDecisions(Decisions):
    def refresh(self) -> None:
        """There is no file."""

    def keep(self, name: str, value: Decision, *, is_final: bool = False) -> None:
        self.lines += 1
        self.known[name], self.line_of[name] = value, self.lines


@dataclass
class ListedDecisions:
    """Decisions about named entries; edits that hold the word ``refused`` are refused."""

    names: Sequence[str] = ("cup, graph 0", "cup, graph 1", "cup, graph 2")
    in_order: bool = False
    form: str = "triplet"
    title: str = "Decisions of a test"
    done_message: str = "The test goes on."
    first: dict[int, tuple[str, Any, str]] = field(default_factory=dict)
    delay: float = 0.0
    preview: Callable[[int, Any], Sequence[EntryPart]] | None = None

    def __post_init__(self) -> None:
        self.queue = DecisionQueue(
            *(self.title, self.done_message),
            [QueueItem(str(number), name, name.partition(",")[0]) for number, name in enumerate(self.names)],
            UnsavedDecisions(Path("decisions.jsonl")),
            choices=lambda _: [
                {"choice": "first", "label": "Take ann", "key": "1"},
                {"choice": "second", "label": f"Take {HOSTILE}", "key": "2"},
                {"choice": "edit", "label": "Edit", "key": "e"},
            ],
            show=lambda n: ShownEntry(parts_of(TRIPLETS), FORMS[self.form], CONTEXT, f"a reason for {self.names[n]}"),
            record=self.record,
            in_order=self.in_order,
            by=HOSTILE,
            preview=self.preview,
        )
        for number, made in self.first.items():
            self.queue.decide(number, *made)

    @property
    def made(self) -> dict[int, tuple[str, Any, str]]:
        known = self.queue.decisions.known.items()
        return {int(key): (made["choice"], made.get("edited"), made.get("note", "")) for key, made in known}

    def record(self, _: int, choice: str, edited: object) -> Decision:
        time.sleep(self.delay)
        refuse(edited)
        return {}


def refuse(edited: object) -> None:
    if "refused" in str(edited):
        raise UsageError("this edit is refused", hint="write another word")


def parts_of(triplets: Any) -> Sequence[EntryPart]:  # noqa: ANN401
    return [
        {"kind": "graph", "title": "ann", "triplets": triplets, "marks": [None, "extra", None]},
        {"kind": "graph", "title": HOSTILE, "triplets": None},
        {"kind": "text", "title": "text", "text": HOSTILE},
        {"kind": "lines", "title": "lines", "lines": ["one", HOSTILE]},
    ]


def previewed(_: int, edited: object) -> Sequence[EntryPart]:
    """Return parts of an edited triplet, as they are shown before it is kept."""
    refuse(edited)
    return parts_of([TRIPLETS[0], edited, TRIPLETS[2]])


@dataclass
class Deciding:
    """A page of decisions that is served in a thread, as the command does it."""

    decidable: ListedDecisions
    said: list[str] = field(default_factory=list)
    result: list[bool] = field(default_factory=list)

    def run(self) -> None:
        self.result.append(decide_in_browser(self.decidable.queue, say=self.said.append, opens=False))

    @property
    def address(self) -> str:
        return self.said[0].rpartition(" ")[2]

    @property
    def client(self) -> Client:
        port, token = re.findall(r":(\d+)/([^/]+)/", self.address)[0]
        return Client(int(port), token)


@contextmanager
def deciding(decidable: ListedDecisions) -> Iterator[Deciding]:
    """Serve decisions until they are all made; a test that leaves some makes the rest at its end."""
    page = Deciding(decidable)
    thread = threading.Thread(target=page.run)
    thread.start()
    while not page.said:
        time.sleep(0.005)
    try:
        yield page
    finally:
        for number in range(len(decidable.names)):
            if number not in decidable.made:
                decidable.queue.decide(number, "first")
        with suppress(OSError):  # it may have ended
            page.client.post("heard", {})
        thread.join(timeout=60)
    assert not thread.is_alive()
