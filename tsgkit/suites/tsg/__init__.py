"""The tsg suite: action-centric scene graphs from and to text.

Files: ``formats`` names what they may look like, ``documents`` reads them, ``rows`` knows the datasets' rows,
``checking`` lints, ``writing`` converts.

Scores: ``samples`` makes rows into what is asked, ``replies`` reads what was answered, ``sections`` finds the final
answer, ``strict`` and ``official`` read it, ``generation`` scores graphs, ``judging`` judges one reply in both
profiles, ``metrics`` says what the numbers mean, ``scoreboard`` puts them together.

Subjects: ``baselines`` answer without a model.
"""

from tsgkit.suites.tsg.checking import FileReport, check, check_document
from tsgkit.suites.tsg.documents import Document, read_document, read_file
from tsgkit.suites.tsg.scoreboard import ScoreReport, report_value, score
from tsgkit.suites.tsg.writing import Written, convert, write_document

__all__ = [
    "Document",
    "FileReport",
    "ScoreReport",
    "Written",
    "check",
    "check_document",
    "convert",
    "read_document",
    "read_file",
    "report_value",
    "score",
    "write_document",
]
