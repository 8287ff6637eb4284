"""Look at runs in the browser: results, all samples, single ones with graphs, images and scenes, comparisons, labels.
Edit graphs in the browser with --edit.

  tsgkit view                                      the runs under runs/, live while they work
  tsgkit view runs/gpt-4o-tsg-0123456789abcdef     one run
  tsgkit view runs/A -o a.html                     the whole run as one file, for those who have no tsgkit
  tsgkit view story.jsonl --edit                   edit a file of graphs, checked while you type
  tsgkit view story.jsonl --edit --annotator ann   a version of your own: story.ann.jsonl
  tsgkit view new.jsonl --edit --story story.txt   a new file, begun from sentences, one a line
  tsgkit view ann.jsonl bob.jsonl --edit -o FILE   settle the disagreements of two annotators

The page is served to this machine alone (127.0.0.1), and only to those who know the link, which holds a token. Runs are
read, never written. Labels (right, wrong, unsure, with a note) are kept beside a run in RUN.labels.jsonl, under the
name of the annotator; tsgkit agree RUN --human RUN.labels.jsonl compares them with the scores.

The page needs the extra tsgkit[view]. A written file needs nothing: it holds all samples, opens without a network and
without tsgkit, and shows images as thumbnails unless --images linked names them where they lie. Ctrl-C ends the server.

--edit takes a file in any format that can be read and written, and saves it in the same one. Nothing is written before
you save; until then every edit is kept in a hidden draft beside the file (.story.jsonl.draft), from which the next
start goes on, however this one ended. A file that changed on disk meanwhile is never overwritten: the page shows both
versions. The status of each item, with annotator and time, is kept in story.jsonl.annotations.jsonl.

With two files the page asks about every graph, text and L on which they disagree. Decisions are kept at once in
FILE.decisions.jsonl (without FILE's ending), with annotator and time, and the same command goes on with them. FILE is
written when all are decided, in the format of the first file.
"""

from __future__ import annotations

import argparse
import shlex
from contextlib import suppress
from pathlib import Path

from tsgkit.cli.options import add_options
from tsgkit.cli.parser import refuse_options
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, INTERRUPTED, UsageError
from tsgkit.interface.options import GridOptions
from tsgkit.report.progress import Countdown

RUNS = Path("runs")
USAGE = "tsgkit view A.jsonl B.jsonl --edit -o SETTLED.jsonl"
IMAGES = ("thumbnails", "linked")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    paths = "runs, or folders of runs (default: runs); with --edit one file of graphs, or two to settle"
    parser.add_argument("paths", nargs="*", type=Path, metavar="RUN", help=paths)
    output = "write one run as one HTML file instead; with --edit and two files: the settled version"
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help=output)
    parser.add_argument("--images", choices=IMAGES, help=f"with -o: how images are in the file (default: {IMAGES[0]})")
    annotator = "whose labels are saved (default: your name here); with --edit: keeps a version of their own"
    parser.add_argument("--annotator", metavar="NAME", help=annotator)
    add_options(parser, GridOptions, after="seed")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port (default: one that is free)")
    parser.add_argument("--no-open", action="store_true", help="print the link only; open no browser")
    parser.add_argument("--edit", action="store_true", help="edit a file of graphs in the browser")
    proposals = "with --edit: another version, to accept piece by piece"
    parser.add_argument("--proposals", type=Path, metavar="FILE", help=proposals)
    story = "with --edit: begin a new file from sentences, one a line"
    parser.add_argument("--story", type=Path, metavar="TEXTFILE", help=story)
    parser.add_argument("--force", action="store_true", help="with --edit and two files: replace what lies at FILE")


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until interrupted, or write the file."""
    if arguments.edit and len(arguments.paths) > 1:
        return _settle(arguments)
    refuse_options(arguments, ("force",), "{} goes with --edit and two files", USAGE)
    if arguments.edit:
        return _edit(arguments)
    refuse_options(arguments, ("proposals", "story"), "{} goes with --edit", "tsgkit view FILE --edit {} ...")
    paths = arguments.paths or [RUNS]
    if not arguments.paths and not RUNS.is_dir():
        raise UsageError("there is no folder runs here", hint="name a run, or make one: tsgkit eval")
    from tsgkit.serve.local_server import serve_in_window
    from tsgkit.serve.view import place_of, server_of, write_view

    if (output := arguments.output) is not None:
        if len(paths) > 1:
            raise UsageError(f"a file holds one run; {len(paths)} are named", hint=f"tsgkit view RUN -o {output}")
        arguments.images, progress = arguments.images or IMAGES[0], Countdown("samples")
        written = write_view(paths[0], output, images=arguments.images, data=arguments.data, progress=progress)
        say(f"written: {inert(str(written))} ({written.stat().st_size / 1_000_000:.1f} MB)")
        return GOOD
    server, runs = server_of(paths, annotator=arguments.annotator, data=arguments.data, port=arguments.port)
    listening = server.bound()
    runs.begin()
    number, address = len(runs.found()), server.address + place_of(runs)
    say(f"{count(number, 'run')}: {address}")
    if not number:
        complain("there are no runs here yet", "they appear in the page as soon as there are some: tsgkit eval")
    serve_in_window(server, listening, address, opens=not arguments.no_open, say=say)
    return GOOD


def _edit(arguments: argparse.Namespace) -> int:
    """Serve the editor of one file until interrupted."""
    if not arguments.paths:
        raise UsageError("--edit needs the file to edit", hint="tsgkit view FILE --edit")
    for name, why in (
        ("output", "the file itself is saved, from the page; --annotator NAME keeps a version of your own"),
        ("images", "there are none to edit"),
        ("data", "it belongs to runs"),
    ):
        refuse_options(arguments, (name,), "{} does not go with --edit", why)
    from tsgkit.serve.edit_draft import draft_file
    from tsgkit.serve.edit_page import edited_file, server_of
    from tsgkit.serve.edited_file import statuses_file
    from tsgkit.serve.local_server import require_server, serve_in_window

    require_server()
    [file] = arguments.paths
    opened = edited_file(file, annotator=arguments.annotator, proposals=arguments.proposals, story=arguments.story)
    try:
        server, listening = server_of(opened, arguments.port)
        with suppress(KeyboardInterrupt):  # as soon as the link is there, Ctrl-C says what is not saved
            document, name = opened.document(), inert(str(opened.source.shown))
            for note in opened.notes:
                complain(inert(note))
            say(f"{name}, {count(len(document['items']), 'item')}: {server.address}")
            if restored := document["restored"]:
                say(f"restored: {count(restored['edits'], 'edit')} that had not been saved")
            if document["disk"]:
                both = "both versions are kept; the page shows them"
                complain(f"{name}: the file is another than the unsaved edits belong to", both)
            for loss in document["losses"]:
                complain(f"saving would drop: {inert(loss)}", "the page asks before it does")
            say(f"saved from the page; until then every edit is kept in {inert(draft_file(opened.path).name)}")
            say(f"statuses are kept in {inert(statuses_file(opened.path).name)}")
            serve_in_window(server, listening, server.address, opens=not arguments.no_open, say=say)
    finally:
        opened.close()
    if not (number := len(opened.session.unsaved)):
        missing = f"nothing was saved: {inert(str(opened.source.shown))} is not there"
        say("everything is saved" if opened.path.exists() else missing)
        return GOOD
    named = {"annotator": arguments.annotator, "proposals": arguments.proposals}
    options = "".join(f" --{name} {shlex.quote(str(value))}" for name, value in named.items() if value is not None)
    say(f"{count(number, 'item')} {'has' if number == 1 else 'have'} edits that are not saved; they are kept")
    say(f"go on: tsgkit view {inert(shlex.quote(str(file)))} --edit{inert(options)}")
    return GOOD


def _settle(arguments: argparse.Namespace) -> int:
    """Show the disagreements of two annotators in the browser until all are decided, and write the settled version."""
    paths, out = arguments.paths, arguments.output
    if len(paths) != 2:
        raise UsageError(f"{len(paths)} files: disagreements are settled between two", hint=USAGE)
    if folder := next((path for path in paths if path.is_dir()), None):
        raise UsageError(f"{folder}: this is a folder, and two files of graphs are settled", hint=USAGE)
    refuse_options(arguments, ("proposals", "story", "images", "data"), "{} does not go with two files", USAGE)
    if out is None:
        raise UsageError("the file for the settled version is not named", hint=USAGE)
    from tsgkit.report.annotated_items import versions_of
    from tsgkit.serve.decision_page import decide_in_browser
    from tsgkit.serve.settlement import Settling
    from tsgkit.serve.view import annotator_of

    settling = Settling(versions_of(*paths), out, annotator_of(arguments.annotator), force=arguments.force)
    for note in settling.notes:
        complain(note)
    if not decide_in_browser(settling.queue, say=say, opens=not arguments.no_open, port=arguments.port):
        left = sum(entry["decision"] is None for entry in settling.queue.entries())
        complain(f"left with {count(left, 'decision')} to make; nothing was written", "the same command goes on")
        return INTERRUPTED
    summary = settling.write()
    say(f"written: {inert(str(out))}; {inert(str(summary))}")
    return GOOD
