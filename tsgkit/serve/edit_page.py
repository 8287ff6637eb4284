"""The page of ``tsgkit view FILE --edit``: one file, its items, and edits of them.

with edit_file("story.jsonl") as page:
    print(page.address)
"""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, StrictBool, StrictInt, StrictStr, ValidationError

from tsgkit.browser.modules import STYLES
from tsgkit.errors import UsageError, first_fault
from tsgkit.graph.drawing import draw_marked
from tsgkit.graph.model import ActionGraph
from tsgkit.serve.edit_draft import ServerAddress
from tsgkit.serve.edit_session import EditSession, now
from tsgkit.serve.edit_source import source_of
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.local_server import LocalServer, Page, number_of, require_server
from tsgkit.serve.view import View, annotator_of

LONGEST_BODY = 20_000_000
RELOAD = "load the page again: it may be of another version"
Place = str | PathLike[str]


class _Body(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Edit(_Body):
    number: StrictInt
    revision: StrictInt
    ops: list[Any]


class _Graph(_Body):
    triplets: list[tuple[StrictStr, StrictStr, StrictStr]]
    marks: list[StrictStr | None]


class _Saving(_Body):
    accept_losses: StrictBool = False


class _StatusChange(_Body):
    number: StrictInt
    status: StrictStr
    note: StrictStr = ""


class _Resolution(_Body):
    how: StrictStr


B = TypeVar("B", bound=_Body)


def _read(kind: type[B], body: bytes, name: str) -> B:
    try:
        return kind.model_validate_json(body)
    except ValidationError as error:
        raise UsageError(f"not {name}: {first_fault(error)}", hint=RELOAD) from None


def edit_page(edited: EditedFile | EditSession) -> Page:
    """Return the page that edits a file, or the narrative of a notebook, which has nothing to save."""
    file = edited if isinstance(edited, EditedFile) else None
    session = edited.session if isinstance(edited, EditedFile) else edited

    def edit(_: Mapping[str, str], body: bytes) -> dict[str, Any]:
        change = _read(_Edit, body, "an edit")
        return session.edit(change.number, change.revision, change.ops)

    def set_status(_: Mapping[str, str], body: bytes) -> dict[str, Any]:
        change = _read(_StatusChange, body, "a status")
        return session.set_status(change.number, change.status, change.note)

    def save(_: Mapping[str, str], body: bytes) -> dict[str, Any]:
        accept_losses = _read(_Saving, body, "a request to save").accept_losses
        return {"time": now(), "items": []} if file is None else file.save(accept_losses=accept_losses)

    def draw(_: Mapping[str, str], body: bytes) -> dict[str, Any]:
        graph = _read(_Graph, body, "a graph to draw")
        return {"drawing": draw_marked(ActionGraph(graph.triplets), graph.marks)}

    def resolve(_: Mapping[str, str], body: bytes) -> dict[str, Any]:
        how = _read(_Resolution, body, "a resolution").how
        if file is None:
            raise UsageError("a narrative of a notebook has no file on disk")
        return file.resolve(how)

    asking = {
        "document": lambda _: edited.document(),
        "item": lambda query: session.item(number_of(query, "number")),
        "changes": lambda query: edited.changes(number_of(query, "since")),
        "versions": lambda query: edited.versions(number_of(query, "number"), query["other"]),
        "similar": lambda query: session.similar(number_of(query, "number")),
    }
    return Page(
        "editing.js",
        asking,
        {"edit": edit, "save": save, "status": set_status, "resolve": resolve, "draw": draw},
        styles=(*STYLES, "edit/edit.css"),
        close=(lambda: None) if file is None else file.close,
        longest_body=LONGEST_BODY,
    )


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
    page = edit_page(file)
    server = LocalServer(page, port=port)
    listening = None
    if file.link is not None and port in (0, file.link.port):
        server = LocalServer(page, file.link.token, file.link.port)
        with suppress(UsageError):
            listening = server.bound()
        if listening is None:
            server = LocalServer(page, file.link.token, port)
    listening = listening or server.bound()
    file.link = ServerAddress(server.port, server.token)
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
