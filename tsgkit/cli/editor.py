"""The editor of ``tsgkit view FILE --edit``: what it is started with, and what it says at its beginning and end."""

from __future__ import annotations

import argparse
import shlex
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, UsageError

if TYPE_CHECKING:
    from tsgkit.serve.edited_file import EditedFile


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the editor."""
    parser.add_argument("--edit", action="store_true", help="edit a file of graphs in the browser")
    parser.add_argument(
        "--proposals", type=Path, metavar="FILE", help="with --edit: another version, to accept piece by piece"
    )
    parser.add_argument(
        "--story", type=Path, metavar="TEXTFILE", help="with --edit: begin a new file from sentences, one a line"
    )


def refuse_without_editor(arguments: argparse.Namespace) -> None:
    """Raise ``UsageError`` for an option that only the editor has."""
    for name in ("proposals", "story"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} goes with --edit", hint=f"tsgkit view FILE --edit --{name} ...")


def edit(arguments: argparse.Namespace) -> int:
    """Serve the editor of one file until interrupted."""
    file = _only_file(arguments)
    from tsgkit.serve.browser_window import serve_in_window
    from tsgkit.serve.edit_page import edited_file, server_of
    from tsgkit.serve.local_server import require_server

    require_server()
    opened = edited_file(file, annotator=arguments.annotator, proposals=arguments.proposals, story=arguments.story)
    try:
        server, listening = server_of(opened, arguments.port)
        with suppress(KeyboardInterrupt):  # as soon as the link is there, Ctrl-C says what is not saved
            _say_hello(server.address, opened)
            serve_in_window(server, listening, server.address, opens=not arguments.no_open, say=say)
    finally:
        opened.close()
    _say_goodbye(opened, arguments)
    return GOOD


def _only_file(arguments: argparse.Namespace) -> Path:
    """Return the one file that is named. Raise ``UsageError`` for options that do not fit."""
    if not arguments.paths:
        raise UsageError("--edit needs the file to edit", hint="tsgkit view FILE --edit")
    for name, why in (
        ("output", "the file itself is saved, from the page; --annotator NAME keeps a version of your own"),
        ("images", "there are none to edit"),
        ("data", "it belongs to runs"),
    ):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--{name} does not go with --edit", hint=why)
    file: Path = arguments.paths[0]
    return file


def _say_hello(address: str, opened: EditedFile) -> None:
    """Print the link, what the annotator should know, and where things are kept."""
    from tsgkit.serve.edit_draft import draft_file
    from tsgkit.serve.item_statuses import statuses_file

    document = opened.document()
    for note in opened.notes:
        complain(inert(note))
    say(f"{inert(str(opened.source.shown))}, {count(len(document['items']), 'item')}: {address}")
    if restored := document["restored"]:
        say(f"restored: {count(restored['edits'], 'edit')} that had not been saved")
    if document["disk"]:
        complain(
            f"{inert(str(opened.source.shown))}: the file is another than the unsaved edits belong to",
            "both versions are kept; the page shows them",
        )
    for loss in document["losses"]:
        complain(f"saving would drop: {inert(loss)}", "the page asks before it does")
    say(f"saved from the page; until then every edit is kept in {inert(draft_file(opened.path).name)}")
    say(f"statuses are kept in {inert(statuses_file(opened.path).name)}")


def _say_goodbye(opened: EditedFile, arguments: argparse.Namespace) -> None:
    """Say what is not saved, and how to go on."""
    number = len(opened.session.unsaved)
    if not number:
        is_there = opened.path.exists()
        say("everything is saved" if is_there else f"nothing was saved: {inert(str(opened.source.shown))} is not there")
        return
    given = {"annotator": arguments.annotator, "proposals": arguments.proposals}
    own = "".join(f" --{name} {shlex.quote(str(value))}" for name, value in given.items() if value is not None)
    word = "has edits that are" if number == 1 else "have edits that are"
    say(f"{count(number, 'item')} {word} not saved; they are kept")
    say(f"go on: tsgkit view {inert(shlex.quote(str(arguments.paths[0])))} --edit{inert(own)}")
