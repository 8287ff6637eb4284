"""Look at runs in the browser: results, all samples, single ones with graphs, images and scenes, comparisons, labels.

  tsgkit view                                      the runs under runs/, live while they work
  tsgkit view runs/gpt-4o-tsg-0123456789abcdef     one run
  tsgkit view runs/A -o a.html                     the whole run as one file, for those who have no tsgkit

The page is served to this machine alone (127.0.0.1), and only to those who know the link, which holds a token. Runs are
read, never written. Labels (right, wrong, unsure, with a note) are kept beside a run in RUN.labels.jsonl, under the
name of the annotator; tsgkit agree RUN --human RUN.labels.jsonl compares them with the scores.

The page needs the extra tsgkit[view]. A written file needs nothing: it holds all samples, opens without a network and
without tsgkit, and shows images as thumbnails unless --images linked names them where they lie. Ctrl-C ends the server.
"""

from __future__ import annotations

import argparse
import getpass
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, ExtraMissing, FileProblem, UsageError

if TYPE_CHECKING:
    from tsgkit.serve.view_server import ViewServer

RUNS = Path("runs")
IMAGES = ("thumbnails", "linked")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument("paths", nargs="*", type=Path, metavar="RUN", help="runs, or folders of runs (default: runs)")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write one run as one HTML file instead")
    parser.add_argument("--images", choices=IMAGES, default=IMAGES[0], help="with -o: how images are in the file")
    parser.add_argument("--annotator", metavar="NAME", help="whose labels are saved (default: your name here)")
    parser.add_argument("--data", metavar="D", help="where the data of the runs lie now, if elsewhere")
    parser.add_argument("--port", type=int, default=0, metavar="N", help="the port (default: one that is free)")
    parser.add_argument("--no-open", action="store_true", help="print the link only; open no browser")


def run(arguments: argparse.Namespace) -> int:
    """Serve the page until interrupted, or write the file."""
    paths = arguments.paths or [RUNS]
    if not arguments.paths and not RUNS.is_dir():
        raise UsageError("there is no folder runs here", hint="name a run, or make one: tsgkit eval")
    if arguments.output is not None:
        return _export(arguments, paths)
    if not 0 <= arguments.port <= 65535:
        raise UsageError(f"--port {arguments.port}: ports go from 0 to 65535")
    return _serve(_server(arguments, paths), opens=not arguments.no_open)


def _server(arguments: argparse.Namespace, paths: list[Path]) -> ViewServer:
    from tsgkit.serve.view_server import ViewServer
    from tsgkit.serve.viewed_runs import ViewedRuns

    for library in ("starlette", "uvicorn"):
        if find_spec(library) is None:
            raise ExtraMissing("the page is served", library.title(), "view")
    runs = ViewedRuns(paths, arguments.data)
    annotator = _user() if arguments.annotator is None else arguments.annotator.strip()
    return ViewServer(runs, annotator, port=arguments.port)


def _user() -> str:
    """Return the name of the user; empty where the system has none."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def _serve(server: ViewServer, *, opens: bool) -> int:
    listening = server.bound()
    server.runs.begin()
    runs = list(server.runs.found())
    address = server.address + (f"#/run/{quote(runs[0], safe='')}" if len(runs) == 1 else "")
    say(f"{count(len(runs), 'run')}: {address}")
    if not runs:
        complain("there are no runs here yet", "they appear in the page as soon as there are some: tsgkit eval")
    say("Ctrl-C ends the server")
    if opens and _has_screen():
        import webbrowser

        webbrowser.open(address)
    with suppress(KeyboardInterrupt):
        server.serve(listening)
    return GOOD


def _has_screen() -> bool:
    """Return whether a browser can show a window here, and would not take this terminal."""
    return sys.platform in ("darwin", "win32") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def _export(arguments: argparse.Namespace, paths: list[Path]) -> int:
    from tsgkit.library.files import write_text
    from tsgkit.library.overwrites import refuse_to_replace_data
    from tsgkit.serve.exported_page import write_page
    from tsgkit.serve.viewed_runs import ViewedRuns

    output: Path = arguments.output
    if output.suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"{output}: a page is HTML", hint="give it a name that ends in .html")
    if not output.parent.is_dir():
        raise FileProblem(f"{output}: cannot be written: there is no folder {output.parent}")
    refuse_to_replace_data(output, "<!doctype html>")
    runs = ViewedRuns(paths, arguments.data)
    found = list(runs.found())
    if len(found) != 1:
        names = f": {', '.join(found[:5])}{' ...' * (len(found) > 5)}" if found else ""
        raise UsageError(f"a file holds one run; here are {len(found):,}{names}", hint=f"tsgkit view RUN -o {output}")
    try:
        page = write_page(runs, found[0], output, linked=arguments.images == "linked", progress=_told())
    finally:
        runs.close()
    write_text(output, page)
    say(f"written: {inert(str(output))} ({len(page) / 1_000_000:.1f} MB)")
    return GOOD


def _told() -> Callable[[int, int], None]:
    """Return a function that tells the progress: in place on a terminal, now and then elsewhere."""
    on_a_terminal, last = sys.stderr.isatty(), [time.monotonic()]

    def tell(done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - last[0] < (0.2 if on_a_terminal else 10.0):
            return
        if done == total and not on_a_terminal:
            return
        last[0] = now
        end = "\r" if on_a_terminal and done < total else "\n"
        print(f"{done:,} of {total:,} samples", file=sys.stderr, flush=True, end=end)

    return tell
