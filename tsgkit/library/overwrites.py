"""Rules about overwriting files, shared by all commands that write.

Rows, graphs, layouts and decisions are never overwritten without ``--force``: :func:`refuse_to_overwrite`. Reports,
pages, drawings and figures replace earlier ones, but never such data: :func:`refuse_to_replace_data`. No command
overwrites a file that it reads.

>>> import tempfile
>>> place = Path(tempfile.mkdtemp()) / "items.jsonl"
>>> place.write_text('{"id": 1}\\n{"id": 2}\\n')
20
>>> try:
...     refuse_to_overwrite(place)
... except FileProblem as problem:
...     problem.message.removeprefix(str(place)), problem.hint
(': 2 lines of JSON already here would be lost', 'replace them with --force, or write to another place')
>>> refuse_to_overwrite(place, force=True)

Empty files, devices and pipes have nothing to lose. A table of a report of ours gives way to any other report:

>>> table, rows = place.with_name("a.csv"), place.with_name("b.csv")
>>> table.write_text("model,style,task,metric,profile,value\\n"), rows.write_text("id,question,answer\\n")
(38, 19)
>>> refuse_to_replace_data(table, "run,name,task\\n")
>>> try:
...     refuse_to_replace_data(rows, "run,name,task\\n")
... except FileProblem as problem:
...     problem.message.removeprefix(str(rows))
': 19 bytes of text already here would be lost'
"""

from __future__ import annotations

import hashlib
from contextlib import suppress
from pathlib import Path
from typing import IO

from tsgkit.errors import FileProblem
from tsgkit.library.files import STDIN, read_bytes, write_bytes, write_text

FORCE = "replace them with --force, or write to another place"
ELSEWHERE = "write to another place, or move them away"
DATA_STARTS = (b"{", b"[", b"<graphml", b"SQLite format 3")
"""Beginnings of files with rows, graphs, layouts and decisions."""
TABLES = (".csv", ".tsv")
REPORTS = (b"run,name,task,subject,", b"task,metric,profile,", b"model,style,")
"""Beginnings of the tables of ``report``, ``compare`` and ``compare --grid``."""
KIND = 10
"""Two files are of a kind if so many of their first bytes are the same."""


def refuse_to_overwrite(
    target: str | Path, *sources: str | Path | None, force: bool = False, text: str | bytes | IO[bytes] | None = None
) -> None:
    """Raise ``FileProblem`` if writing data would destroy a source or existing content.

    ``force`` allows replacing an existing file. ``text``, the new content or a file with it, may replace equal content.
    """
    refuse_to_overwrite_sources(target, *sources)
    there = _there(target)
    if there and not force and (text is None or not _is_equal(there, text)):
        raise FileProblem(f"{target}: {_described(there)} already here would be lost", hint=FORCE)


def refuse_to_replace_data(target: str | Path, report: str | bytes, *sources: str | Path | None) -> None:
    """Raise ``FileProblem`` if a report or drawing would destroy a source or existing data."""
    refuse_to_overwrite_sources(target, *sources)
    there = _there(target)
    if _is_data(there, Path(target)) and there[:KIND] != _bytes(report)[:KIND]:
        raise FileProblem(f"{target}: {_described(there)} already here would be lost", hint=ELSEWHERE)


def write_report(target: str | Path, report: str | bytes, *sources: str | Path | None) -> None:
    """Write a report or drawing, unless that would destroy a source or existing data."""
    refuse_to_replace_data(target, report, *sources)
    if isinstance(report, bytes):
        write_bytes(target, report)
    else:
        write_text(target, report)


def refuse_to_fill(folder: Path, *, force: bool = False) -> None:
    """Raise ``FileProblem`` where a folder that is to be made holds something already."""
    if folder.is_dir() and (number := sum(1 for _ in folder.iterdir())) and not force:
        files = "1 file" if number == 1 else f"{number:,} files"
        raise FileProblem(f"{folder}: {files} already here would be lost", hint=FORCE)


def refuse_to_overwrite_sources(target: str | Path, *sources: str | Path | None) -> None:
    """Raise ``FileProblem`` if writing would destroy a file that is being read, under any name."""
    for source in sources:
        if source is not None and STDIN not in (str(source), str(target)):
            with suppress(OSError, ValueError):
                if Path(target).samefile(source):
                    raise FileProblem(f"{target}: this is the file being read", hint="write to another file")


def _bytes(text: str | bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def _is_equal(there: bytes, new: str | bytes | IO[bytes]) -> bool:
    if isinstance(new, str | bytes):
        return there == _bytes(new)
    new.seek(0)
    return hashlib.file_digest(new, "sha256").digest() == hashlib.sha256(there).digest()  # type: ignore[arg-type]


def _there(target: str | Path) -> bytes:
    """Return the existing content that would be lost; empty if there is none."""
    if str(target) == STDIN:
        return b""
    with suppress(ValueError):  # a path with a NUL byte is refused when it is written
        if Path(target).is_dir():
            raise FileProblem(f"{target}: this is a folder, not a file", hint="name a file in it")
        if Path(target).is_file():
            return read_bytes(target)
    return b""


def _is_data(there: bytes, target: Path) -> bool:
    """Return whether a file looks like rows, graphs, layouts or decisions."""
    start = there[:500].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.partition(b"\n")[0]
    is_report = first.startswith(REPORTS) and b"metric" in first
    is_table = target.suffix.lower() in TABLES and bool(first) and not is_report
    return start.startswith(DATA_STARTS) or b"<graphml" in start or first.count(b" -> ") == 2 or is_table


def _described(there: bytes) -> str:
    """Return the amount of existing content as a phrase that takes a plural verb.

    >>> _described(b'[]\\n'), _described(b"a note"), _described(b"\\x00\\xff")
    ('3 bytes of JSON', '6 bytes of text', '2 bytes')
    """
    try:
        lines = [line for line in there.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError:
        return f"{len(there):,} bytes"
    kind = "JSON" if lines and lines[0].lstrip().startswith(("{", "[")) else "text"
    return f"{len(lines):,} lines of {kind}" if len(lines) > 1 else f"{len(there):,} bytes of {kind}"
