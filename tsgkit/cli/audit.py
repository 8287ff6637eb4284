"""Audit a benchmark: how much can be answered without understanding, and defects of its items.

  tsgkit audit sgds.jsonl                            a file of rows; its task follows from the rows
  tsgkit audit tsg-bench --task tsg/sgqa             an installed dataset
  tsgkit audit --task tsg/sgds                       the data that come along
  tsgkit audit --run runs/mine                       all tasks of a run
  tsgkit audit sgds.jsonl --run runs/mine -o audit.html

Shortcuts answer without the necessary knowledge: always the same letter, the longest option, the option most like the
others. A classifier finds shortcuts that are not known: it predicts the key from the options and the question alone, as
items of other scenarios teach it, and the report names the features that it goes by. A model that does not exceed the
shortcuts has shown nothing. Known parts of the data (``variation_triplets`` in the row or not, the only tag of a
choice, the kind of a question, k) are also audited separately. Checks search for defects in the items. With --run, a
run's score is shown without the items that a shortcut answers too, for each shortcut that beats chance; without --task,
for each task of the run. No model is asked. The exit code does not depend on the findings.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tsgkit.cli.options import add_mapping
from tsgkit.cli.parser import RepeatedOption
from tsgkit.cli.terminal import inert, say, say_json
from tsgkit.errors import GOOD, UsageError
from tsgkit.library.files import write_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    about = "a file of rows, a folder of them, an installed dataset, hf://OWNER/NAME"
    parser.add_argument("data", nargs="?", metavar="DATA", help=about)
    add_mapping(parser)
    parser.add_argument("--task", action=RepeatedOption, default=[], metavar="T", help="tasks or suites: A,B")
    parser.add_argument("--run", type=Path, metavar="RUN", help="show what is left of this run without the shortcuts")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every slip")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a report: .md or .html")


def run(arguments: argparse.Namespace) -> int:
    """Audit the data of one task or several."""
    from tsgkit.report.audit_report import as_markdown, as_page, audits_of

    path: Path | None = arguments.output
    ending = "" if path is None else path.suffix.lower()
    if path is not None and ending not in (".md", ".html", ".htm"):
        raise UsageError(f"{path}: a report is Markdown or HTML", hint="give it a name that ends in .md or .html")
    audits = audits_of(arguments.data, arguments.task, arguments.run)
    if arguments.json:
        say_json({"audits": [audit.value for audit in audits]}, ensure_ascii=False)
    elif path is None:
        say("\n\n".join(map(str, audits)))
    if path is not None:
        write_report(path, as_markdown(audits) if ending == ".md" else as_page(audits))
        if not arguments.json:
            say(f"audited: {inert(str(path))}")
    return GOOD
