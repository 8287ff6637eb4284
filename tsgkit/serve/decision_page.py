"""A page on which a person decides about entries one after the other; the command goes on when all are decided.

A decision is stored before its request is answered. It is about an entry as it was shown: if another window decided
that entry since, the request is refused, and answered with the new list.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from tsgkit.browser.modules import STYLES
from tsgkit.errors import UsageError
from tsgkit.graph.drawing import draw_marked
from tsgkit.graph.model import ActionGraph
from tsgkit.report.plain_text import count
from tsgkit.serve.decision_protocol import (
    EDIT,
    Decidable,
    Entry,
    Part,
    Previewing,
    decide_alike,
    first_undecided,
    kind_of,
)
from tsgkit.serve.local_server import Conflict, LocalServer, Page, number_of, serve_in_window

ENTRY = "deciding.js"
STYLES_OF_PAGE = (*STYLES, "edit/edit.css", "decide/decide.css")
LONGEST_EDIT = 1_000_000
GRACE = 5.0
"""Seconds that the server waits, after the last decision, for the page to say that it knows."""

Body = TypeVar("Body", bound=BaseModel)


class _Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    choice: str
    edited: Any = None
    note: str = ""
    of_kind: bool = False
    """True if the choice stands for all others of its kind that are not decided yet."""
    revision: int | None = None
    """The revision at which the entry was shown; None to decide whatever was decided since."""


class _Draft(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int
    edited: Any


def _nothing() -> None:
    """Do nothing."""


@dataclass
class DecisionPage:
    """The page of a :class:`Decidable`; ``ends`` is called when all is decided and the page knows."""

    decidable: Decidable
    ends: Callable[[], None] = _nothing
    _revision: int = field(default=0, init=False)
    _standing: dict[str, str] = field(default_factory=dict, init=False, repr=False)
    """The choices that stand for whole kinds of entries."""
    _decided: dict[int, int] = field(default_factory=dict, init=False, repr=False)
    """The revisions at which entries were decided here."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False)

    def page(self) -> Page:
        """Return the page."""
        asking = {"state": self._state, "shown": self._shown}
        changing = {"decide": self._decide, "preview": self._preview, "heard": self._heard}
        return Page(ENTRY, asking, changing, styles=STYLES_OF_PAGE, longest_body=LONGEST_EDIT)

    def _state(self, asked: Mapping[str, str]) -> dict[str, Any]:
        """Return what the list shows, or the revision alone if it is the one that the page has."""
        with self._lock:
            if asked.get("revision") == str(self._revision):
                return {"revision": self._revision}
            return self._value(self.decidable.entries())

    def _value(self, entries: list[Entry]) -> dict[str, Any]:
        return {
            "title": self.decidable.title,
            "done_message": self.decidable.done_message,
            "in_order": self.decidable.in_order,
            "previews": isinstance(self.decidable, Previewing),
            "entries": entries,
            "finished": first_undecided(entries) is None,
            "revision": self._revision,
        }

    def _shown(self, asked: Mapping[str, str]) -> dict[str, Any]:
        with self._lock:
            number = _listed(number_of(asked, "number"), self.decidable.entries())
            shown = self.decidable.shown(number)
            return {**shown, "parts": _drawn(shown["parts"]), "revision": self._revision}

    def _preview(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        draft = _read(_Draft, body)
        with self._lock:
            number = _listed(draft.number, self.decidable.entries())
            if not isinstance(self.decidable, Previewing):
                raise UsageError("edits are not previewed here", hint="decide with the choice edit")
            return {"parts": _drawn(self.decidable.preview(number, draft.edited))}

    def _decide(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        said = _read(_Decision, body)
        with self._lock:
            before = self.decidable.entries()
            self._refuse(said.number, said.revision, before)
            if said.of_kind and (said.choice == EDIT or not kind_of(before[said.number])):
                raise UsageError("an edit is about one entry", hint="decide the others with another choice")
            self.decidable.decide(said.number, said.choice, said.edited, said.note)
            if said.of_kind:
                self._standing[kind_of(before[said.number])] = said.choice
            decide_alike(self.decidable, self._standing)
            after = self.decidable.entries()
            self._revision += 1
            self._decided[said.number] = self._revision
            changed = (n for n, (old, new) in enumerate(zip(before, after, strict=True)) if old != new)
            self._decided |= dict.fromkeys(changed, self._revision)
            value = self._value(after)
        if value["finished"]:
            self._end_later()
        return value

    def _refuse(self, number: int, revision: int | None, entries: list[Entry]) -> None:
        """Raise ``Conflict`` if an entry cannot be decided now, as where another page was faster."""
        _listed(number, entries)
        first = first_undecided(entries)
        if first is None:
            problem = "all is decided, and the command goes on"
        elif self.decidable.in_order and number < first:
            problem = "this one is decided already, and cannot be changed"
        elif self.decidable.in_order and number > first:
            problem = "those before it are decided first"
        elif revision is not None and self._decided.get(number, 0) > revision:
            problem = "this one was decided in another window meanwhile"
        else:
            return
        self._revision += 1  # this page, or all, have an old list
        raise Conflict({"message": problem, "hint": "", "state": self._value(entries)})

    def _end_later(self) -> None:
        timer = threading.Timer(GRACE, self.ends)
        timer.daemon = True
        timer.start()

    def _heard(self, _: Mapping[str, str], __: bytes) -> dict[str, Any]:
        """Take note that the page knows that all is decided."""
        with self._lock:
            is_finished = first_undecided(self.decidable.entries()) is None
        if is_finished:
            self.ends()
        return {"finished": is_finished}


def decide_in_browser(decidable: Decidable, *, say: Callable[[str], None], opens: bool = True, port: int = 0) -> bool:
    """Serve the page until all is decided or Ctrl-C, and return whether all is decided.

    The link is printed with ``say``; where there is a screen, a browser is opened unless ``opens`` is False.
    """
    entries = decidable.entries()
    if first_undecided(entries) is None:
        return True
    page = DecisionPage(decidable)
    server = LocalServer(page.page(), port=port)
    page.ends = server.end
    listening = server.bound()
    left = sum(entry["decision"] is None for entry in entries)
    say(f"{count(left, 'decision')} of {len(entries):,} to make: {server.address}")
    serve_in_window(server, listening, server.address, opens=opens, say=say)
    return first_undecided(decidable.entries()) is None


def _drawn(parts: Sequence[Part]) -> list[Part]:
    """Return the parts with drawings of their graphs."""
    drawn = list[Part]()
    for part in parts:
        if part["kind"] == "graph" and part["triplets"]:
            part = {**part, "drawing": draw_marked(ActionGraph(part["triplets"]), part.get("marks", ()))}
        drawn.append(part)
    return drawn


def _listed(number: int, entries: list[Entry]) -> int:
    if not 0 <= number < len(entries):
        raise UsageError(f"there is no entry {number}", hint=f"they go from 0 to {len(entries) - 1}")
    return number


def _read(kind: type[Body], body: bytes) -> Body:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]["msg"]
        raise UsageError(f"the request cannot be read: {problem}", hint="reload the page") from None
