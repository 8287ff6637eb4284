"""Draw a file of graphs as SVG: a narrative as a strip along time, one graph, or a difference.

tsgkit draw tea.jsonl -o tea.svg                              the first item's narrative
tsgkit draw tea.jsonl --graph 5 -o pour.svg                   one graph of it (from 1)
tsgkit draw reply.txt --graph 1 --against tea.jsonl -o d.svg  how it differs from the same graph of a reference
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.options import add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import complain, complain_unread, count, inert, say
from tsgkit.errors import GOOD, UsageError
from tsgkit.graph.drawing import draw_diff, draw_graph, draw_narrative
from tsgkit.graph.edits import diff
from tsgkit.graph.model import ActionGraph
from tsgkit.library.documents.reader import Document, read_file
from tsgkit.library.documents.rows import Entry
from tsgkit.library.files import STDIN, refuse_to_overwrite_sources, write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit draw``."""
    parser.add_argument("file", metavar="FILE", help="a file of graphs in any format we read; - is standard input")
    parser.add_argument("-o", "--out", required=True, metavar="SVG", help="the image to write; - is standard output")
    parser.add_argument("--item", metavar="ID", help="which item to draw (default: the first)")
    parser.add_argument("--graph", type=int, metavar="N", help="draw only this graph of the item, from 1")
    about = "a file of references: draw how the graph differs from its own"
    parser.add_argument("--against", metavar="FILE", help=about)
    add_vocabulary(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make one drawing."""
    out, against, chosen = arguments.out, arguments.against, arguments.graph
    refuse_to_overwrite_sources(out, arguments.file, against, arguments.vocabulary)
    if out != STDIN and Path(out).suffix.lower() not in (".svg", ""):
        raise UsageError(f"{out}: an image is SVG", hint="give it a name that ends in .svg")
    document = read_file(arguments.file)
    entry = _entry(document, arguments.item)
    vocabulary = entry.narrative.vocabulary or read_vocabulary(arguments.vocabulary)
    title, number = f"{Path(arguments.file).name}, item {entry.item}", 1 if chosen is None else chosen
    if against is not None:
        reference = _entry(read_file(against), arguments.item)
        expected, found = _graph(reference, number, against), _graph(entry, number, arguments.file)
        changes = diff(expected, found, vocabulary or reference.narrative.vocabulary).changes
        if chosen is None and len(reference.graphs) > 1:
            complain(f"compared graph 1 of {len(reference.graphs)}; --graph N chooses another")
        image = draw_diff(expected, found, changes, title=f"{title}, graph {number}, against {Path(against).name}")
    elif chosen is not None or len(entry.graphs) == 1:
        image = draw_graph(_graph(entry, number, arguments.file), vocabulary, title=f"{title}, graph {number}")
    else:
        image = draw_narrative(entry.narrative, title=title)
    if out == STDIN:
        say(image)
    else:
        write_report(out, image)
        say(f"drawn: {inert(out)}")
    complain_unread(document.file, len(document.findings))
    if arguments.item is None and len(document.entries) > 1:
        complain(f"drew the first of {count(len(document.entries), 'item')}; --item ID chooses another")
    return GOOD


def _entry(document: Document, item: str | None) -> Entry:
    if not document.entries:
        raise UsageError(f"{document.file}: nothing to draw", hint="tsgkit check says what is wrong with it")
    for entry in document.entries:
        if item is None or item in (entry.item, entry.narrative.id):
            return entry
    ids = ", ".join(entry.item for entry in document.entries[:10])
    more = " ..." if len(document.entries) > 10 else ""
    raise UsageError(f"{document.file} has no item {item}", hint=f"its items: {ids}{more}")


def _graph(entry: Entry, number: int, file: str) -> ActionGraph:
    graphs = entry.graphs
    if 1 <= number <= len(graphs):
        return graphs[number - 1]
    raise UsageError(f"{file}, item {entry.item} has no graph {number}", hint=f"it has {len(graphs)}, counted from 1")
