"""Write the graphs of a file in another format. Says what the target cannot carry; a graph that cannot be written at
all stops it, and nothing is written.

  tsgkit convert rows.jsonl graphs.txt
  tsgkit convert graphs.txt graphs.json --to node-link

"""

from __future__ import annotations

import argparse

from tsgkit.cli.terminal import complain, count, say
from tsgkit.errors import GOOD, CannotCarry
from tsgkit.library.files import STDIN, write_text
from tsgkit.suites.tsg import formats
from tsgkit.suites.tsg.documents import read_file
from tsgkit.suites.tsg.writing import write_document

__doc__ += "formats:\n" + formats.table()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit convert``."""
    parser.add_argument("source", metavar="IN", help="a file in any format we read; - is standard input")
    parser.add_argument("target", metavar="OUT", help="the file to write; - is standard output (needs --to)")
    parser.add_argument("--to", metavar="FORMAT", help="the format to write; by default the ending of OUT chooses it")


def run(arguments: argparse.Namespace) -> int:
    """Convert one file."""
    format = formats.by_name(arguments.to) if arguments.to else formats.by_ending(arguments.target)
    document = read_file(arguments.source)
    for finding in document.findings:
        if finding.severity == "error":
            line = f" line {finding.place.line}:" if finding.place.line else ""
            raise CannotCarry(
                f"{document.file}:{line} {finding.message}; nothing was written",
                hint="tsgkit check shows all that is wrong; mend it first, so that nothing is lost",
            )
    written = write_document(document, format)
    if arguments.target == STDIN:
        say(written.text.removesuffix("\n"))
    else:
        write_text(arguments.target, written.text)
        graphs = sum(len(entry.narrative.graphs) for entry in document.entries)
        say(f"{document.format} to {format.name}: {count(graphs, 'graph')} in {arguments.target}")
    if written.lost:
        complain(f"{format.name} cannot carry, and so left out: {'; '.join(written.lost)}")
    return GOOD
