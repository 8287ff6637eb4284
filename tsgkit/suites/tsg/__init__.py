"""The tsg suite: action-centric scene graphs from and to text.

``formats`` names what files may look like, ``documents`` reads them, ``rows`` knows the datasets' rows, ``checking``
lints, ``writing`` converts.
"""

from tsgkit.suites.tsg.checking import FileReport, check, check_document
from tsgkit.suites.tsg.documents import Document, read_document, read_file
from tsgkit.suites.tsg.writing import Written, convert, write_document

__all__ = [
    "Document",
    "FileReport",
    "Written",
    "check",
    "check_document",
    "convert",
    "read_document",
    "read_file",
    "write_document",
]
