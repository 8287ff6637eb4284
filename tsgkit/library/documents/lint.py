"""Linter for files of graphs: the schema, L, hands, rows and lines.

>>> from tsgkit.library.documents.reader import read_document
>>> report = check_document(read_document('[[["person", "verb", "wash"], ["wash", "dobj", "Cup"]]]', "cups.json"))
>>> report.findings[0].code, report.findings[0].place.graph, report.errors, report.warnings
('not-lower-case', 0, 1, 0)
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tsgkit.graph.hands import DEFAULT_RULE, HandRule
from tsgkit.graph.model import Vocabulary
from tsgkit.graph.rules import ERROR, RULES, Finding, Rule, check_graph, check_narrative
from tsgkit.library.documents.reader import FILE_RULES, Document, read_file, with_vocabulary
from tsgkit.library.documents.rows import ROW_RULES, Entry, single_graphs

ALL_RULES: dict[str, Rule] = {**RULES, **ROW_RULES, **FILE_RULES}


@dataclass(frozen=True)
class FileReport:
    """The findings in one file."""

    file: str
    format: str
    narratives: int
    graphs: int
    triplets: int
    findings: tuple[Finding, ...]

    @property
    def counts(self) -> dict[str, int]:
        """The number of findings of each code, in the order of the rules."""
        counts = Counter(finding.code for finding in self.findings)
        return {code: counts[code] for code in ALL_RULES if counts[code]}

    @property
    def errors(self) -> int:
        """The number of errors."""
        return sum(finding.severity == ERROR for finding in self.findings)

    @property
    def warnings(self) -> int:
        """The number of warnings."""
        return len(self.findings) - self.errors


def check(path: str | Path, vocabulary: Vocabulary | None = None, rule: HandRule = DEFAULT_RULE) -> FileReport:
    """Lint one file (``-``: standard input); ``vocabulary`` is L for items that bring none."""
    return check_document(read_file(path), vocabulary, rule)


def check_document(
    document: Document,
    vocabulary: Vocabulary | None = None,
    rule: HandRule = DEFAULT_RULE,
    *,
    of_several: bool | None = None,
) -> FileReport:
    """Lint a document that has been read.

    ``of_several``: its task asks for several graphs per item; None: the majority of the rows decides.
    """
    document = with_vocabulary(document, vocabulary)
    graphs = [graph for entry in document.entries for graph in entry.graphs]
    findings = []
    for entry in document.entries:
        findings += [_placed(finding, entry) for finding in check_narrative(entry.narrative, rule)]
        for number, graph in enumerate(entry.asides, len(entry.narrative.graphs)):
            # candidates' graphs come from other scenarios: L does not bind them
            findings += [_placed(finding.at(graph=number), entry) for finding in check_graph(graph)]
    if document.format == "sgg":
        findings += single_graphs(document.entries, of_several=of_several)
    return FileReport(
        document.file,
        document.format,
        len(document.entries),
        len(graphs),
        sum(len(graph.triplets) for graph in graphs),
        tuple(sorted([*document.findings, *findings], key=lambda finding: finding.place.line or 0)),
    )


def _placed(finding: Finding, entry: Entry) -> Finding:
    line = entry.line
    if entry.triplet_lines and finding.place.graph is not None:
        line = entry.triplet_lines[finding.place.graph][finding.place.triplet or 0]
    return finding.at(item=entry.item, line=line)


def report_value(report: FileReport) -> dict[str, object]:
    """Return the JSON value of a file's report."""
    return {
        "file": report.file,
        "format": report.format,
        "narratives": report.narratives,
        "graphs": report.graphs,
        "triplets": report.triplets,
        "counts": report.counts,
        "findings": [finding_value(finding) for finding in report.findings],
    }


def finding_value(finding: Finding) -> dict[str, object]:
    """Return the JSON value of a finding."""
    return {
        "code": finding.code,
        "severity": finding.severity,
        "place": finding.place._asdict(),
        "message": finding.message,
        "hint": finding.hint,
    }
