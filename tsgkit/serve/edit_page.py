"""The page of ``tsgkit view FILE --edit``: one file, its items, and edits of them.

with edit_file("story.jsonl") as page:
    print(page.address)
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, StrictStr, ValidationError

from tsgkit.browser.modules import STYLES
from tsgkit.errors import UsageError
from tsgkit.graph.drawing import draw_marked
from tsgkit.graph.model import ActionGraph
from tsgkit.serve.edit_draft import Link
from tsgkit.serve.edit_session import EditSession
from tsgkit.serve.edit_source import source_of
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import LocalServer, Page, number_of, require_server
from tsgkit.serve.view import View, annotator_of

LONGEST_BODY = 20_000_000
RELOAD = "load the page again: it may be of another version"
Place = str | PathLike[str]


class _Said(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _EditSaid(_Said):
    number: StrictInt
    revision: StrictInt
    ops: list[Any]


class _DrawSaid(_Said):
    triplets: list[tuple[StrictStr, StrictStr, StrictStr]]
    marks: list[StrictStr | None]


class _SaveSaid(_Said):
    accept_losses: StrictBool = False


class _StatusSaid(_Said):
    number: StrictInt
    status: StrictStr
    note: StrictStr = ""


class _ResolveSaid(_Said):
    how: StrictStr


S = TypeVar("S", bound=_Said)


class Edited(Protocol):
    """Something that is edited, and saved in its own way: a file, or a narrative of a notebook."""

    @property
    def session(self) -> EditSession:
        """The items."""

    def document(self) -> dict[str, Any]:
        """Return the list of items, and how things are."""

    def changes(self, since: int) -> dict[str, Any]:
        """Return the items that were edited after a revision."""

    def versions(self, number: int, other: str) -> dict[str, Any]:
        """Return the differences to another version of an item."""

    def save(self, *, accept_losses: bool = False) -> dict[str, Any]:
        """Keep what was edited."""

    def resolve(self, how: str) -> dict[str, Any]:
        """Settle a conflict with what changed elsewhere."""

    def close(self) -> None:
        """Let go of it."""


@dataclass
class EditPage:
    """A page that edits."""

    edited: Edited

    def page(self) -> Page:
        """Return the page."""
        asking = {
            "document": lambda _: self.edited.document(),
            "item": lambda asked: self.edited.session.item(number_of(asked, "number")),
            "changes": lambda asked: self.edited.changes(number_of(asked, "since")),
            "versions": lambda asked: self.edited.versions(number_of(asked, "number"), asked["other"]),
            "similar": lambda asked: self.edited.session.similar(number_of(asked, "number")),
        }
        changing = {"edit": self._edit, "save": self._save, "status": self._status, "resolve": self._resolve}
        changing["draw"] = self._draw
        styles = (*STYLES, "edit/edit.css")
        return Page("editing.js", asking, changing, styles=styles, close=self.edited.close, longest_body=LONGEST_BODY)

    def _edit(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        said = _said(_EditSaid, body, "an edit")
        return self.edited.session.edit(said.number, said.revision, said.ops)

    def _draw(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        said = _said(_DrawSaid, body, "a graph to draw")
        return {"drawing": draw_marked(ActionGraph(said.triplets), said.marks)}

    def _save(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        return self.edited.save(accept_losses=_said(_SaveSaid, body, "a request to save").accept_losses)

    def _status(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        said = _said(_StatusSaid, body, "a status")
        return dict(self.edited.session.set_status(said.number, said.status, said.note))

    def _resolve(self, _: Mapping[str, str], body: bytes) -> dict[str, Any]:
        return self.edited.resolve(_said(_ResolveSaid, body, "a resolution").how)


def _said(kind: type[S], body: bytes, named: str) -> S:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UsageError(f"not {named}: {where}{': ' * bool(where)}{first['msg']}", hint=RELOAD) from None


def edited_file(
    file: Place, *, annotator: str | None = None, proposals: Place | None = None, story: Place | None = None
) -> EditedFile:
    """Open a file to edit it, and lock it until it is closed.

    ``annotator`` keeps a version of one's own beside the file; None edits the file itself in the name of the user.
    ``proposals`` is a file with another version of the same items, ``story`` a text file with a sentence a line that a
    new file begins with. Raise ``UsageError`` where this file cannot be edited.
    """
    source = source_of(Path(file), annotator=annotator, story=None if story is None else Path(story))
    return EditedFile(source, annotator_of(annotator), None if proposals is None else Path(proposals))


def server_of(file: EditedFile, port: int = 0) -> tuple[LocalServer, socket.socket]:
    """Return a server of an opened file and its socket.

    After a crash it has the address of the server before, if that is free, so that open pages go on.
    """
    page = EditPage(file).page()
    server = LocalServer(page, port=port)
    listening = None
    if file.link is not None and port in (0, file.link.port):
        server = LocalServer(page, file.link.token, file.link.port)
        with suppress(UsageError):
            listening = server.bound()
        if listening is None:
            server = LocalServer(page, file.link.token, port)
    listening = listening or server.bound()
    file.link = Link(server.port, server.token)
    return server, listening


def edit_file(
    file: Place,
    *,
    annotator: str | None = None,
    proposals: Place | None = None,
    story: Place | None = None,
    port: int = 0,
) -> View:
    """Serve the editor of a file to this machine's browser until the view is closed."""
    require_server()
    opened = edited_file(file, annotator=annotator, proposals=proposals, story=story)
    try:
        server, listening = server_of(opened, port)
        return View(server, "", listening)
    except BaseException:
        opened.close()
        raise
