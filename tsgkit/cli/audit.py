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
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.options import add_mapping
from tsgkit.cli.parser import Listed
from tsgkit.cli.terminal import inert, say
from tsgkit.errors import GOOD, UsageError

if TYPE_CHECKING:
    from tsgkit.report.audit_report import TaskAudit


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    parser.add_argument(
        "data",
        nargs="?",
        metavar="DATA",
        help="a file of rows, a folder of them, an installed dataset, hf://OWNER/NAME",
    )
    add_mapping(parser)
    parser.add_argument("--task", action=Listed, default=[], metavar="T", help="tasks or suites: A,B")
    parser.add_argument("--run", type=Path, metavar="RUN", help="show what is left of this run without the shortcuts")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every slip")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write a report: .md or .html")


def run(arguments: argparse.Namespace) -> int:
    """Audit the data of one task or several."""
    from tsgkit.report.audit_report import audited_value, audits_of, terminal

    _check_output(arguments.output)
    audits = audits_of(arguments.data, arguments.task, arguments.run)
    if arguments.json:
        say(json.dumps({"audits": [audited_value(found) for found in audits]}, indent=2, ensure_ascii=False))
    elif arguments.output is None:
        say("\n".join(terminal(found) for found in audits).rstrip("\n"))
    if arguments.output is not None:
        _write(arguments.output, audits)
        if not arguments.json:
            say(f"audited: {inert(str(arguments.output))}")
    return GOOD


def _check_output(path: Path | None) -> None:
    if path is not None and path.suffix.lower() not in (".md", ".html", ".htm"):
        raise UsageError(f"{path}: a report is Markdown or HTML", hint="give it a name that ends in .md or .html")


def _write(path: Path, audits: Sequence[TaskAudit]) -> None:
    from tsgkit.library.files import write_text
    from tsgkit.library.overwrites import refuse_to_replace_data
    from tsgkit.report.audit_report import as_markdown, as_page

    text = as_markdown(audits) if path.suffix.lower() == ".md" else as_page(audits)
    refuse_to_replace_data(path, text)
    write_text(path, text)
