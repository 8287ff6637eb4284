"""Write the graphs of a file in another format. Says what the target cannot carry. A graph without triplets is left out
where the target has no way to write it; another graph that cannot be written stops it, and nothing is written, unless
--keep-going leaves it out. What an earlier conversion wrote to OUT is replaced; what came about otherwise, or was
changed since, only with --force, and the file that is read never.

  tsgkit convert rows.jsonl graphs.txt
  tsgkit convert graphs.txt graphs.json --to node-link

"""

from __future__ import annotations

import argparse

from tsgkit.cli.options import add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import complain, complain_unread, count, inert, say
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, CannotCarry, UsageError
from tsgkit.graph.rules import ERROR
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import read_file, with_vocabulary
from tsgkit.library.documents.writer import write_conversion, write_document
from tsgkit.library.files import STDIN, refuse_to_overwrite_sources

SHOWN = 5

__doc__ += "formats:\n" + formats.table()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit convert``."""
    parser.add_argument("source", metavar="IN", help="a file in any format we read; - is standard input")
    parser.add_argument("target", metavar="OUT", help="the file to write; - is standard output (needs --to)")
    parser.add_argument("--keep-going", action="store_true", help="write what can be read and written, and exit with 1")
    parser.add_argument("--force", action="store_true", help="replace what no conversion wrote, too")
    add_vocabulary(parser)
    parser.add_argument("--to", metavar="FORMAT", help="the format to write; by default the ending of OUT chooses it")


def run(arguments: argparse.Namespace) -> int:
    """Convert one file."""
    if arguments.target == STDIN and not arguments.to:
        raise UsageError("standard output has no ending to tell the format by", hint="name it with --to")
    format = formats.by_name(arguments.to) if arguments.to else formats.by_ending(arguments.target)
    refuse_to_overwrite_sources(arguments.target, arguments.source, arguments.vocabulary)
    document = with_vocabulary(read_file(arguments.source), read_vocabulary(arguments.vocabulary))
    errors = [finding for finding in document.findings if finding.severity == ERROR]
    if errors and not arguments.keep_going:
        line = f" line {errors[0].place.line}:" if errors[0].place.line else ""
        hint = "mend it so that nothing is lost (tsgkit check shows all), or write the rest with --keep-going"
        raise CannotCarry(f"{document.file}:{line} {errors[0].message}; nothing was written", hint=hint)
    written = write_document(document, format, keep_going=arguments.keep_going)
    complain_unread(document.file, len(document.findings))
    if arguments.target == STDIN:
        say(written.text.removesuffix("\n"))
    else:
        write_conversion(written, arguments.target, force=arguments.force)
        say(f"{document.format} to {format.name}: {count(written.graphs, 'graph')} in {inert(arguments.target)}")
    if written.lost:
        complain(f"{format.name} cannot carry, and so left out: {'; '.join(written.lost)}")
    if left_out := sorted(written.left_out, key=lambda left: left.is_empty):  # those first that hold something
        more = f"; and {len(left_out) - SHOWN:,} more" if len(left_out) > SHOWN else ""
        named = "; ".join(map(str, left_out[:SHOWN]))
        complain(f"{format.name} cannot carry {count(len(left_out), 'graph')}, and so left out: {named}{more}")
    return FINISHED_WITH_ERRORS if errors or not all(left.is_empty for left in written.left_out) else GOOD
