"""A page on which a person decides about entries one after the other; the command goes on when all are decided.

A decision is stored before its request is answered. It is about an entry as it was shown: if another window or process
decided that entry since, the request is refused, and answered with the new list.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.browser.modules import STYLES
from tsgkit.errors import UsageError, first_fault
from tsgkit.graph.drawing import draw_marked
from tsgkit.graph.model import ActionGraph
from tsgkit.report.plain_text import count
from tsgkit.serve.decision_protocol import EDIT, DecisionQueue, EntryPart, first_undecided
from tsgkit.serve.local_server import LocalServer, Page, StaleChange, number_of, serve_in_window

ENTRY = "deciding.js"
STYLES_OF_PAGE = (*STYLES, "edit/edit.css", "decide/decide.css")
LONGEST_EDIT = 1_000_000
GRACE = 5.0
"""Seconds that the server waits, after the last decision, for the page to say that it knows."""


class _Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    edited: Any


class _Decision(_Draft):
    choice: str
    edited: Any = None
    note: str = ""
    of_kind: bool = False
    """True if the choice stands for all others of its kind that are not decided yet."""
    revision: int | None = None
    """The revision at which the entry was shown; None to decide whatever was decided since."""


Body = TypeVar("Body", bound=_Draft)


@dataclass
class DecisionPage:
    """The page of a queue; ``ends`` is called when all is decided and the page knows."""

    queue: DecisionQueue
    ends: Callable[[], None]
    _standing: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    """The choices that stand for whole kinds of entries."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def page(self) -> Page:
        """Return the page."""
        asking = {"state": self._state, "shown": self._shown}
        changing = {"decide": self._decide, "preview": self._preview, "heard": self._heard}
        return Page(ENTRY, asking, changing, styles=STYLES_OF_PAGE, longest_body=LONGEST_EDIT)

    def _value(self) -> dict[str, Any]:
        """Return what the list shows; its revision is the number of decisions that were made, here or elsewhere."""
        entries = self.queue.entries()
        return {
            "title": self.queue.title,
            "done_message": self.queue.done_message,
            "in_order": self.queue.in_order,
            "previews": self.queue.preview is not None,
            "entries": entries,
            "finished": first_undecided(entries) is None,
            "revision": self.queue.decisions.lines,
        }

    def _state(self, query: Mapping[str, str]) -> dict[str, Any]:
        """Return what the list shows, or the revision alone if it is the one that the page has."""
        with self._lock:
            value = self._value()
        return {"revision": value["revision"]} if query.get("revision") == str(value["revision"]) else value

    def _shown(self, query: Mapping[str, str]) -> dict[str, Any]:
        with self._lock:
            self.queue.decisions.refresh()
            shown = self.queue.shown(self._listed(number_of(query, "number")))
            return {**shown, "parts": _drawn(shown["parts"]), "revision": self.queue.decisions.lines}

    def _preview(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        draft = _read(_Draft, body)
        with self._lock:
            if self.queue.preview is None:
                raise UsageError("edits are not previewed here", hint="decide with the choice edit")
            return {"parts": _drawn(self.queue.preview(self._listed(draft.number), draft.edited))}

    def _decide(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        decision = _read(_Decision, body)
        with self._lock:
            kind = self.queue.items[self._listed(decision.number)].kind
            self._refuse_conflict(decision)
            if decision.of_kind and (decision.choice == EDIT or not kind):
                raise UsageError("an edit is about one entry", hint="decide the others with another choice")
            self.queue.decide(decision.number, decision.choice, decision.edited, decision.note)
            if decision.of_kind:
                self._standing[kind] = decision.choice
            self.queue.decide_alike(self._standing)
            value = self._value()
        if value["finished"]:
            timer = threading.Timer(GRACE, self.ends)
            timer.daemon = True
            timer.start()
        return value

    def _refuse_conflict(self, decision: _Decision) -> None:
        """Raise ``Conflict`` if an entry cannot be decided now, as where another page was faster."""
        number, first = decision.number, first_undecided(self.queue.entries())
        line = self.queue.decisions.line_of.get(self.queue.items[number].key, 0)
        if first is None:
            problem = "all is decided, and the command goes on"
        elif self.queue.in_order and number < first:
            problem = "this one is decided already, and cannot be changed"
        elif self.queue.in_order and number > first:
            problem = "those before it are decided first"
        elif decision.revision is not None and line > decision.revision:
            problem = "this one was decided in another window meanwhile"
        else:
            return
        raise StaleChange({"message": problem, "hint": "", "state": self._value()})

    def _heard(self, _: Mapping[str, str], __: bytes) -> dict[str, Any]:
        """Take note that the page knows that all is decided."""
        with self._lock:
            is_finished = first_undecided(self.queue.entries()) is None
        if is_finished:
            self.ends()
        return {"finished": is_finished}

    def _listed(self, number: int) -> int:
        if not 0 <= number < len(self.queue.items):
            raise UsageError(f"there is no entry {number}", hint=f"they go from 0 to {len(self.queue.items) - 1}")
        return number


def decide_in_browser(queue: DecisionQueue, *, say: Callable[[str], None], opens: bool = True, port: int = 0) -> bool:
    """Serve the page until all is decided or Ctrl-C, and return whether all is decided.

    The link is printed with ``say``; where there is a screen, a browser is opened unless ``opens`` is False.
    """
    if left := sum(entry["decision"] is None for entry in queue.entries()):
        page = DecisionPage(queue, lambda: server.end())
        server = LocalServer(page.page(), port=port)
        listening = server.bound()
        say(f"{count(left, 'decision')} of {len(queue.items):,} to make: {server.address}")
        serve_in_window(server, listening, server.address, opens=opens, say=say)
    return first_undecided(queue.entries()) is None


def _drawn(parts: Sequence[EntryPart]) -> list[EntryPart]:
    """Return the parts with drawings of their graphs."""
    drawn = list[EntryPart]()
    for part in parts:
        if part["kind"] == "graph" and (triplets := part.get("triplets")):
            part = {**part, "drawing": draw_marked(ActionGraph(triplets), part.get("marks", ()))}
        drawn.append(part)
    return drawn


def _read(kind: type[Body], body: bytes) -> Body:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise UsageError(f"the request cannot be read: {first_fault(error)}", hint="reload the page") from None
