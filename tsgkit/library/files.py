"""Reading and writing of whole files, with clear errors; a file is written completely or not at all.

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
import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from tsgkit.errors import FileProblem

STDIN = "-"
MOST_PIPED = 1 << 29
"""Number of bytes read from sources that may not end: standard input, a pipe, a device."""


def read_text(path: str | Path) -> str:
    """Return the text of a UTF-8 file (``-``: standard input); ``FileProblem`` says why a file cannot be read."""
    return decoded(read_bytes(path), path)


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file (``-``: standard input); ``FileProblem`` says why a file cannot be read."""
    try:
        if str(path) == STDIN:
            if sys.stdin is None:
                raise FileProblem("standard input is closed", hint="name a file, or pipe one in")
            return _piped(sys.stdin.buffer, "standard input")
        with Path(path).open("rb") as file:
            return file.read() if stat.S_ISREG(os.fstat(file.fileno()).st_mode) else _piped(file, str(path))
    except FileNotFoundError:
        raise FileProblem(f"{path}: no such file", hint=look_alike(Path(path))) from None
    except IsADirectoryError:
        raise FileProblem(f"{path}: this is a folder, not a file", hint="name the files in it") from None
    except OSError as error:
        raise FileProblem(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:  # a path with a NUL byte
        raise FileProblem(f"{str(path)!a}: not a file name: {error}") from None


def _piped(stream: IO[bytes], name: str) -> bytes:
    parts, size = list[bytes](), 0
    while size <= MOST_PIPED and (part := stream.read(1 << 20)):
        parts.append(part)
        size += len(part)
    if size > MOST_PIPED:
        most = f"{MOST_PIPED >> 20:,} MB"
        raise FileProblem(f"{name}: more than {most}, and it has not ended", hint="name a file: those may be larger")
    return b"".join(parts)


def decoded(data: bytes, path: str | Path) -> str:
    """Return the UTF-8 text of bytes; ``path`` is how ``FileProblem`` names them where they are none."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise FileProblem(f"{path}: this is UTF-16 text", hint="save it as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if kind := kind_of_bytes(data):
            raise FileProblem(f"{path}: {kind}, not text") from None
        line = data.count(b"\n", 0, error.start) + 1
        raise FileProblem(
            f"{path}: line {line}: not UTF-8 text (byte {error.start})", hint="save it as UTF-8"
        ) from None
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise FileProblem(f"{path}: line {line}: holds a NUL byte, so this is no text file")
    return text


KINDS = {
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF-": "a PDF document",
    b"PK\x03\x04": "a ZIP archive (or an Office document)",
    b"\x1f\x8b": "a gzip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ\x00": "an xz archive",
    b"glTF": "a glTF scene",
    b"PAR1": "a Parquet table",
    b"SQLite format 3\x00": "an SQLite database",
    b"\x80\x04": "a Python pickle",
    b"\x93NUMPY": "a NumPy array",
}


def kind_of_bytes(data: bytes) -> str:
    """Return the kind of non-text bytes by their beginning; empty if unknown.

    >>> kind_of_bytes(b"RIFF1234WEBPVP8 "), kind_of_bytes(b"\\xfe")
    ('a WebP image', '')
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "a WebP image"
    return next((kind for start, kind in KINDS.items() if data.startswith(start)), "")


def look_alike(path: Path) -> str:
    """Return a file beside the missing one that was probably meant."""
    from tsgkit.lexicon import nearest

    try:
        names = [sibling.name for sibling in path.parent.iterdir()][:10_000]
    except OSError:
        return f"there is no folder {path.parent} either"
    near = nearest(path.name, names, limit=1, least=0.75)
    return f"{path.with_name(near[0].name)}?" if near else ""


def walk(
    top: Path,
    *,
    skips: Callable[[Path], bool] = lambda _: False,
    failed: Callable[[Path, FileProblem], object] | None = None,
) -> Iterator[tuple[Path, list[str]]]:
    """Yield a folder and all folders in it, each before those in it, with the sorted names of what else lies in it.

    Links to folders are such names, and are not followed. A folder that cannot be listed is given to ``failed`` with
    the problem; without that the problem is raised.

    >>> list(walk(Path("nowhere")))
    Traceback (most recent call last):
    tsgkit.errors.FileProblem: nowhere: this folder cannot be read: No such file or directory
    """

    def note(error: OSError) -> None:
        problem = FileProblem(f"{error.filename}: this folder cannot be read: {error.strerror}")
        if failed is None:
            raise problem from None
        failed(Path(error.filename), problem)

    for folder, folders, files in os.walk(top, onerror=note):
        links = {name for name in folders if os.path.islink(os.path.join(folder, name))}  # noqa: PTH114, PTH118
        folders[:] = sorted(name for name in folders if name not in links and not skips(Path(folder, name)))
        yield Path(folder), sorted([*files, *links])


def write_text(path: str | Path, text: str) -> None:
    """Write a file so that it is there whole or not at all; ``FileProblem`` says why it cannot be written."""
    path = Path(path)
    try:
        data = text.encode("utf-8")
    except UnicodeEncodeError:
        raise FileProblem(f"{path}: not written: the text holds half of a surrogate pair") from None
    write_bytes(path, data)


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file so that it is there whole or not at all; ``FileProblem`` says why it cannot be written."""
    with replacement(path) as file:
        file.write(data)


@contextmanager
def replacement(path: str | Path) -> Iterator[IO[bytes]]:
    """Yield a file that takes the place of another at the end of the block, and is gone if the block raises.

    A device or a pipe is written as it is. ``FileProblem`` says why a file cannot be written.
    """
    import tempfile

    path = Path(path)
    try:
        if path.is_dir():
            raise FileProblem(f"{path}: this is a folder, not a file")
        if path.exists() and not path.is_file():
            with path.open("wb") as device:
                yield device
            return
        resolved = path.resolve()
        os.umask(mask := os.umask(0))
        mode = resolved.stat().st_mode & 0o777 if resolved.exists() else 0o666 & ~mask
        handle, name = tempfile.mkstemp(dir=resolved.parent, prefix=f".{resolved.name}.")
        try:
            with os.fdopen(handle, "w+b") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            Path(name).chmod(mode)
            Path(name).replace(resolved)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
    except FileNotFoundError:
        raise _without_folder(path) from None
    except OSError as error:
        raise FileProblem(f"{path}: cannot be written: {error.strerror}") from None


def require_folder(path: str | Path) -> None:
    """Raise ``FileProblem`` if there is no folder for a file that will be written."""
    if not Path(path).parent.is_dir():
        raise _without_folder(Path(path))


def _without_folder(path: Path) -> FileProblem:
    return FileProblem(f"{path}: cannot be written: there is no folder {path.parent}")


@contextmanager
def new_folder(path: Path) -> Iterator[None]:
    """Make a folder and the missing ones above it. Those of them that are empty at the end are removed."""
    missing = [folder for folder in (path, *path.parents) if not folder.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
        yield
    finally:
        for folder in missing:
            with suppress(OSError):
                folder.rmdir()


@contextmanager
def folder_beside(target: Path, doing: str) -> Iterator[Path]:
    """Yield a new folder beside a target, on the same disk, to make it in; it is removed at the end if it is left.

    ``doing`` ends the folder's name, as in ``.runs.x.merging``.
    """
    import shutil
    import tempfile

    with ExitStack() as stack:
        try:
            stack.enter_context(new_folder(target.parent))
            folder = Path(tempfile.mkdtemp(prefix=f".{target.name[:40]}.", suffix=f".{doing}", dir=target.parent))
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.chmod(0o755)
        except OSError as error:
            raise FileProblem(f"{target}: cannot be written: {error.strerror}") from None
        yield folder


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
    current = _existing(target)
    if text is None or not current:
        is_equal = False
    elif isinstance(text, str | bytes):
        is_equal = current == _bytes(text)
    else:
        text.seek(0)
        new_digest = hashlib.file_digest(text, "sha256").digest()  # type: ignore[arg-type]
        is_equal = new_digest == hashlib.sha256(current).digest()
    if current and not force and not is_equal:
        raise FileProblem(f"{target}: {_described(current)} already here would be lost", hint=FORCE)


def refuse_to_replace_data(target: str | Path, report: str | bytes, *sources: str | Path | None) -> None:
    """Raise ``FileProblem`` if a report or drawing would destroy a source or existing data."""
    refuse_to_overwrite_sources(target, *sources)
    current = _existing(target)
    start = current[:500].removeprefix(b"\xef\xbb\xbf").lstrip()
    first = start.partition(b"\n")[0]
    is_report = first.startswith(REPORTS) and b"metric" in first
    is_table = Path(target).suffix.lower() in TABLES and bool(first) and not is_report
    is_data = start.startswith(DATA_STARTS) or b"<graphml" in start or first.count(b" -> ") == 2 or is_table
    if is_data and current[:KIND] != _bytes(report)[:KIND]:
        raise FileProblem(f"{target}: {_described(current)} already here would be lost", hint=ELSEWHERE)


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


def _existing(target: str | Path) -> bytes:
    """Return the existing content that would be lost; empty if there is none."""
    if str(target) == STDIN:
        return b""
    with suppress(ValueError):  # a path with a NUL byte is refused when it is written
        if Path(target).is_dir():
            raise FileProblem(f"{target}: this is a folder, not a file", hint="name a file in it")
        if Path(target).is_file():
            return read_bytes(target)
    return b""


def _described(current: bytes) -> str:
    """Return the amount of existing content as a phrase that takes a plural verb.

    >>> _described(b'[]\\n'), _described(b"a note"), _described(b"\\x00\\xff")
    ('3 bytes of JSON', '6 bytes of text', '2 bytes')
    """
    try:
        lines = [line for line in current.decode("utf-8-sig").split("\n") if line.strip()]
    except UnicodeDecodeError:
        return f"{len(current):,} bytes"
    kind = "JSON" if lines and lines[0].lstrip().startswith(("{", "[")) else "text"
    return f"{len(lines):,} lines of {kind}" if len(lines) > 1 else f"{len(current):,} bytes of {kind}"
