"""Lint files of action scene graphs: the schema, L, hands, and broken lines.

Reads arrow text, JSON triplets, narratives, node-link JSON, GraphML, EASG downstream files and rows of sgqa, sgds,
sa-sgg and ma-sgg; the format follows from the content. Lines, graphs and triplets are counted
from 1; in --json, graphs and triplets from 0.

  tsgkit check graphs.txt rows.jsonl
  tsgkit check --json graphs.txt | jq '.files[0].counts'
  tsgkit check --codes
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from tsgkit.cli.options import add_mapping, add_vocabulary, read_vocabulary
from tsgkit.cli.terminal import complain, count, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, WRONG_USAGE, TsgkitError, UsageError
from tsgkit.graph.model import Vocabulary
from tsgkit.graph.rules import ERROR, Finding, Rule
from tsgkit.library.documents.lint import ALL_RULES, FileReport, check, check_document, report_value

SHOWN_PER_CODE = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tsgkit check``."""
    parser.add_argument("files", nargs="*", metavar="FILE", help="a file of graphs; - is standard input")
    parser.add_argument("--json", action="store_true", help="print one JSON object with every finding")
    parser.add_argument("--all", action="store_true", help=f"show every finding, not {SHOWN_PER_CODE} of each code")
    about = "leave out these codes (commas between them); repeatable"
    parser.add_argument("--ignore", action="append", default=[], metavar="CODE", help=about)
    parser.add_argument("--codes", action="store_true", help="list the codes and what they mean, and stop")
    add_vocabulary(parser)
    add_mapping(parser)


def run(arguments: argparse.Namespace) -> int:
    """Check every file; an unreadable one does not stop the others."""
    if arguments.codes:
        width = max(map(len, ALL_RULES))
        for severity in (ERROR, "warning"):
            for code, rule in ALL_RULES.items():
                if rule.severity == severity:
                    say(f"{severity:<8} {code:<{width}}  {rule.meaning}")
        return GOOD
    if not arguments.files:
        raise UsageError("no file given", hint="tsgkit check FILE..., or tsgkit check --help")
    ignored = [code.strip() for codes in arguments.ignore for code in codes.split(",")]
    if unknown := [code for code in ignored if code not in ALL_RULES]:
        raise UsageError(f"there is no code {unknown[0]}", hint="tsgkit check --codes lists them")
    vocabulary = read_vocabulary(arguments.vocabulary)
    reports, unreadable = list[FileReport](), 0
    for file in arguments.files:
        try:
            report = _checked(file, vocabulary)
        except TsgkitError as error:
            unreadable += 1
            complain(str(error), error.hint)
        else:
            left = tuple(finding for finding in report.findings if finding.code not in ignored)
            reports.append(replace(report, findings=left))
    errors, warnings = (sum(getattr(report, name) for report in reports) for name in ("errors", "warnings"))
    if arguments.json:
        say_json({"files": [report_value(report) for report in reports], "errors": errors, "warnings": warnings})
    else:
        for report in reports:
            _print(report, None if arguments.all else SHOWN_PER_CODE)
        if reports:
            say(f"{count(errors, 'error')}, {count(warnings, 'warning')} in {count(len(reports), 'file')}")
    if unreadable:
        return WRONG_USAGE
    return FINISHED_WITH_ERRORS if errors else GOOD


def _checked(file: str, vocabulary: Vocabulary | None) -> FileReport:
    """Check a file, or rows that are a table or lie on the hub, under the name that was given. Refuse rows of a suite
    without graphs of actions, which would be read as whatever they resemble."""
    from tsgkit.library.documents.reader import read_document
    from tsgkit.library.projects import text_of
    from tsgkit.library.row_sources import row_place
    from tsgkit.library.tables import CSV, JSONL, TSV
    from tsgkit.suites.suite import suites

    place = row_place(file, native=(JSONL, CSV, TSV))
    rows = None if place is None else place.rows_of(native=(JSONL, CSV, TSV))
    source = file if rows is None else str(rows.held)
    plain = (suite for suite in suites() if not (suite.inspector or suite.importer))
    if kinds := [name for suite in plain for name in suite.kinds(Path(source))]:
        raise UsageError(f"{source}: rows of {kinds[0]}, which hold no action graphs", hint=f"tsgkit audit {source}")
    if rows is None:
        return check(file, vocabulary)
    return check_document(read_document(text_of(rows), str(rows)), vocabulary)


def _print(report: FileReport, shown_per_code: int | None) -> None:
    sizes = (count(getattr(report, f"{name}s"), name) for name in ("narrative", "graph", "triplet"))
    say(f"{inert(report.file)}: {report.format}, {', '.join(sizes)}")
    in_order = sorted(report.findings, key=lambda finding: (finding.severity, list(ALL_RULES).index(finding.code)))
    if report.narratives < 2:
        in_order = [replace(finding, place=finding.place._replace(item=None)) for finding in in_order]
    say_findings(in_order, ALL_RULES, shown_per_code, "--all shows them")
    if not report.findings:
        say("  nothing to complain about")


def say_findings(findings: Iterable[Finding], rules: Mapping[str, Rule], shown: int | None, more: str) -> None:
    """Print findings in order, some of each code; ``more`` says where the others are."""
    for code, group in groupby(findings, key=lambda finding: finding.code):
        alike = list(group)
        say(f"  {rules[code].severity} {code} ({len(alike)}): {rules[code].meaning}")
        for finding in alike[:shown]:
            place = inert(str(finding.place))
            hint = f" ({inert(finding.hint)})" if finding.hint else ""
            say(f"    {place}{': ' if place else ''}{inert(finding.message)}{hint}")
        if shown is not None and len(alike) > shown:
            say(f"    ... and {len(alike) - shown} more ({more})")
