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
import socket
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli import editor, settle
from tsgkit.cli.terminal import complain, count, inert, progress_line, say
from tsgkit.errors import GOOD, UsageError

if TYPE_CHECKING:
    from tsgkit.serve.local_server import LocalServer
    from tsgkit.serve.viewed_runs import ViewedRuns

RUNS = Path("runs")
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
    parser.add_argument("--data", metavar="D", help="where the data of the runs lie now, if elsewhere")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port (default: one that is free)")
    parser.add_argument("--no-open", action="store_true", help="print the link only; open no browser")
    editor.add_arguments(parser)
    settle.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until interrupted, or write the file."""
    if arguments.edit and len(arguments.paths) > 1:
        return settle.settle(arguments)
    settle.refuse_elsewhere(arguments)
    if arguments.edit:
        return editor.edit(arguments)
    editor.refuse_without_editor(arguments)
    paths = arguments.paths or [RUNS]
    if not arguments.paths and not RUNS.is_dir():
        raise UsageError("there is no folder runs here", hint="name a run, or make one: tsgkit eval")
    if arguments.output is not None:
        return _write(arguments, paths)
    from tsgkit.serve.view import server_of

    server, runs = server_of(paths, annotator=arguments.annotator, data=arguments.data, port=arguments.port)
    return _serve_runs(server, runs, opens=not arguments.no_open)


def _serve_runs(server: LocalServer, runs: ViewedRuns, *, opens: bool) -> int:
    from tsgkit.serve.view import place_of

    listening = server.bound()
    runs.begin()
    number, address = len(runs.found()), server.address + place_of(runs)
    say(f"{count(number, 'run')}: {address}")
    if not number:
        complain("there are no runs here yet", "they appear in the page as soon as there are some: tsgkit eval")
    serve(server, listening, address, opens=opens)
    return GOOD


def serve(server: LocalServer, listening: socket.socket, address: str, *, opens: bool) -> None:
    """Answer the browser until Ctrl-C."""
    from tsgkit.serve.browser_window import serve_in_window

    serve_in_window(server, listening, address, opens=opens, say=say)


def _write(arguments: argparse.Namespace, paths: list[Path]) -> int:
    from tsgkit.serve.view import write_view

    arguments.images = arguments.images or IMAGES[0]
    if len(paths) > 1:
        raise UsageError(f"a file holds one run; {len(paths)} are named", hint=f"tsgkit view RUN -o {arguments.output}")
    progress = progress_line("samples")
    written = write_view(paths[0], arguments.output, images=arguments.images, data=arguments.data, progress=progress)
    say(f"written: {inert(str(written))} ({written.stat().st_size / 1_000_000:.1f} MB)")
    return GOOD
