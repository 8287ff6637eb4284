"""Decisions kept in a list, served as a command serves them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from served import Client

from tsgkit.errors import UsageError
from tsgkit.serve.decision_page import decide_in_browser
from tsgkit.serve.decision_protocol import Edit, Elements, Entry, Part, Shown

HOSTILE = "<img src=x onerror=alert(1)>\u202e\"'</script>"
TRIPLETS = [["person", "verb", "wash"], ["wash", "dobj", "cup"], ["wash", "with", "hand1"]]
NAMES = ["person", "hand1", "hand2", "cup", "mug"]
ELEMENTS: Elements = {"nodes": NAMES, "verbs": ["wash"], "edges": ["verb", "dobj", "with"], "mentioned": []}
FORMS: dict[str, Edit] = {
    "triplet": {"kind": "triplet", "value": TRIPLETS[1], "elements": ELEMENTS},
    "triplets": {"kind": "triplets", "value": TRIPLETS, "elements": ELEMENTS},
    "graph-or-none": {"kind": "graph-or-none", "value": None, "elements": ELEMENTS},
    "texts": {
        "kind": "texts",
        "value": [
            {"name": "title", "label": "Title", "text": "A den.", "is_long": False},
            {"name": "lines", "label": "Lines", "text": "one\ntwo", "is_long": True},
        ],
    },
}


@dataclass
class ListedDecisions:
    """Decisions about named entries; edits that hold the word ``refused`` are refused."""

    names: Sequence[str] = ("cup, graph 0", "cup, graph 1", "cup, graph 2")
    in_order: bool = False
    form: str = "triplet"
    title: str = "Decisions of a test"
    done_message: str = "The test goes on."
    made: dict[int, tuple[str, Any, str]] = field(default_factory=dict)
    delay: float = 0.0

    def entries(self) -> list[Entry]:
        kinds = (name.partition(",")[0] for name in self.names)
        return [
            {"name": name, "decision": self.made.get(n, (None,))[0], "kind": kind}
            for n, (name, kind) in enumerate(zip(self.names, kinds, strict=True))
        ]

    def shown(self, number: int) -> Shown:
        made = self.made.get(number)
        return {
            "name": self.names[number],
            "context": [{"text": "She washes the cup.", "pale": False}, {"text": "Then tea.", "pale": True}],
            "parts": self._parts(TRIPLETS),
            "reason": f"a reason for {self.names[number]}",
            "code": "test-code",
            "choices": [
                {"choice": "first", "label": "Take ann", "key": "1"},
                {"choice": "second", "label": f"Take {HOSTILE}", "key": "2"},
                {"choice": "edit", "label": "Edit", "key": "e"},
            ],
            "edit": FORMS[self.form],
            "decided": None
            if made is None
            else {"choice": made[0], "edited": made[1], "note": made[2], "by": HOSTILE, "time": "2026-01-02T03:04:05Z"},
        }

    def _parts(self, triplets: Any) -> Sequence[Part]:  # noqa: ANN401
        return [
            {"kind": "graph", "title": "ann", "triplets": triplets, "marks": [None, "extra", None]},
            {"kind": "graph", "title": HOSTILE, "triplets": None},
            {"kind": "text", "title": "text", "text": HOSTILE},
            {"kind": "lines", "title": "lines", "lines": ["one", HOSTILE]},
        ]

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401
        time.sleep(self.delay)
        if choice not in ("first", "second", "edit"):
            raise UsageError(f"there is no choice {choice}", hint="first, second or edit")
        if "refused" in str(edited):
            raise UsageError("this edit is refused", hint="write another word")
        self.made[number] = (choice, edited, note)


class PreviewedDecisions(ListedDecisions):
    """The same with edits of a triplet that are shown before they are kept."""

    def preview(self, number: int, edited: Any) -> Sequence[Part]:  # noqa: ANN401
        if "refused" in str(edited):
            raise UsageError("this edit is refused", hint="write another word")
        return self._parts([TRIPLETS[0], edited, TRIPLETS[2]])


@dataclass
class Deciding:
    """A page of decisions that is served in a thread, as the command does it."""

    decidable: ListedDecisions
    said: list[str] = field(default_factory=list)
    result: list[bool] = field(default_factory=list)

    def run(self) -> None:
        self.result.append(decide_in_browser(self.decidable, say=self.said.append, opens=False))

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
            decidable.made.setdefault(number, ("first", None, ""))
        with suppress(OSError):  # it may have ended
            page.client.post("heard", {})
        thread.join(timeout=60)
    assert not thread.is_alive()
