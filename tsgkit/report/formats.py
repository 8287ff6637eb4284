"""Report formats by name; only the requested one is imported.

>>> sorted(FORMATS)
['csv', 'html', 'json', 'latex', 'markdown', 'terminal']
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.report.terminal import PAPER, Screen

if TYPE_CHECKING:
    from tsgkit.report.report_rows import Report
    from tsgkit.report.table import ReportDocument

FORMATS = {
    "terminal": "terminal",
    "markdown": "markdown",
    "csv": "spreadsheet",
    "json": "json_value",
    "latex": "latex",
    "html": "page",
}
"""The formats, and the module that writes each."""
OF_TABLES = {"terminal": "terminal", "markdown": "markdown", "latex": "latex", "html": "html"}
"""The formats for people, and the module that writes a document of tables in each."""
ENDINGS = {".md": "markdown", ".csv": "csv", ".json": "json", ".tex": "latex", ".html": "html", ".htm": "html"}
"""The format for each file ending."""


def write(report: Report, name: str, screen: Screen = PAPER) -> str:
    """Return the report in a format."""
    check_format(name)
    if name in ("csv", "json", "html"):
        text: str = import_module(f"tsgkit.report.{FORMATS[name]}").write(report)
        return text
    from tsgkit.report.report_tables import document

    return written(document(report), name, screen)


def written(document: ReportDocument, name: str, screen: Screen = PAPER) -> str:
    """Return a document of tables in a format for people; only a terminal has a width."""
    write_document = import_module(f"tsgkit.report.{OF_TABLES[name]}").written
    text: str = write_document(document, screen) if name == "terminal" else write_document(document)
    return text


def format_of(file: Path, what: str = "report", figure: str = "--figure METRIC:G") -> str:
    """Return the format that the ending of a file means, of none a terminal's; ``UsageError`` for any other ending.

    ``figure`` is the option that draws instead.
    """
    ending = file.suffix.lower()
    if ending not in ("", ".txt", *ENDINGS):
        drawn = f", or {figure} for a drawing" if figure and ending in (".pdf", ".svg", ".png") else ""
        hint = f"name it {', '.join(ENDINGS)} or .txt, or give --format{drawn}"
        raise UsageError(f"{file}: no {what} ends in {ending}", hint=hint)
    return ENDINGS.get(ending, "terminal")


def check_format(name: str) -> None:
    """Raise ``UsageError`` where there is no such format."""
    if name not in FORMATS:
        raise UsageError(f"there is no format {name}", hint=f"choose from {', '.join(FORMATS)}")
