"""Runs as one file: a ZIP archive that opens anywhere, and is safe to open wherever it comes from.

An archive holds the files of a run (:data:`FILES`), what it keeps of what it asked, and images that were made, and
nothing else. Unpacking takes only these names, no links, and no more than a limit; nothing is left of an archive that
is refused.
"""

from __future__ import annotations

import errno
import json
import lzma
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import folder_beside, kind_of_bytes, look_alike, refuse_to_overwrite, replacement, walk
from tsgkit.runs.folder import (
    BATCHES,
    CALLS,
    HEADER,
    PROMPTS,
    SAMPLES,
    check_evaluation,
    locked,
    prompts_in,
    read_header,
    samples_in,
)
from tsgkit.runs.image_folder import WORK
from tsgkit.runs.journal import sealed
from tsgkit.runs.kept import ASKED, MANIFEST, kept_in, without_rows
from tsgkit.runs.saved_run import prepared_again

ENDING = ".zip"
FILES = (HEADER, CALLS, PROMPTS, SAMPLES, BATCHES)
ROOMS = ("tasks", "prompts", "prompt-sets", "eval", "rows", "items")
"""The folders in what a run keeps."""
ENDINGS = (".yaml", ".txt", ".json", ".jsonl")
WHEN = (1980, 1, 1, 0, 0, 0)
"""The date of every file in an archive, so that the same run makes the same archive."""
MOST_UNPACKED_BYTES = 1 << 35
"""So many bytes an archive may unpack to: 32 GiB."""
MOST_FILES = 100_000
CHUNK = 1 << 20
DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError, struct.error)
"""The exceptions that reading a damaged archive raises, besides those of the system."""


@dataclass(frozen=True)
class Packed:
    """An archive that was made of a run."""

    path: Path
    files: int
    bytes: int
    left_out: tuple[str, ...]
    """Files in the run folder that are no part of a run."""


@contextmanager
def new_run(run: Path, doing: str) -> Iterator[Path]:
    """Yield a folder beside that of a new run, which takes its place when the block ends well, and else is removed.

    ``UsageError`` where something lies in that place.
    """
    if run.exists() and (not run.is_dir() or any(run.iterdir())):
        raise UsageError(f"{run}: something lies there already", hint="give another -o")
    run = run if run.name else run.resolve()
    with folder_beside(run, doing) as folder:
        yield folder
        try:
            if run.exists():  # and is empty; somebody may be working in it
                for path in folder.iterdir():
                    path.rename(run / path.name)
            else:
                folder.rename(run)
        except OSError as error:
            raise FileProblem(f"{run}: cannot be written: {error.strerror}") from None


def pack(run: Path, archive: Path, *, data: bool = True, force: bool = False) -> Packed:
    """Write a run as one file. Without ``data`` it holds neither the rows that were asked nor the prompts' texts."""
    header = read_header(run)
    if "plan" in header:
        check_evaluation(header, run)
    elif not data:
        raise UsageError(f"{run}: there are only calls, and no rows that could be left out", hint="leave --no-data out")
    makes_images = header.get("asked", {}).get("work") == WORK
    if archive.resolve().is_relative_to(run.resolve()):
        raise UsageError(f"{archive}: lies in the run itself", hint="give another -o")
    left_out = []
    with locked(run), replacement(archive) as stream:
        with zipfile.ZipFile(stream, "w") as packed:
            for file in sorted(folder / name for folder, names in walk(run) for name in names):
                name = file.relative_to(run).as_posix()
                if not file.is_file() or file.is_symlink() or not _is_of_run(name, images=makes_images):
                    left_out += [] if file.name.startswith(".") else [name]
                elif data or not _shows_data(name):
                    with file.open("rb") as source, _entry(packed, name) as target:
                        shutil.copyfileobj(source, target, CHUNK)
            if not data:
                _add_without_data(packed, header, run)
            number = len(packed.namelist())
        refuse_to_overwrite(archive, force=force, text=stream)
    return Packed(archive, number, archive.stat().st_size, tuple(left_out))


def _shows_data(name: str) -> bool:
    """Return whether a file of a run quotes rows or prompts: of what a run keeps, all but cards and the plan do.

    >>> [_shows_data(name) for name in ("asked/tasks/tsg/sgqa.yaml", "asked/tasks/tsg/shots.jsonl", "calls.jsonl")]
    [False, True, False]
    """
    if name.startswith(f"{ASKED}/"):
        return not name.endswith(".yaml")
    return name in (PROMPTS, SAMPLES)


def _is_of_run(name: str, *, images: bool = True) -> bool:
    """Return whether a file of this name belongs to a run, or to one that makes images.

    >>> [_is_of_run(name) for name in ("run.json", "asked/rows/tsg/sgqa.jsonl", "7.png", "asked/x.sh", "../7.png")]
    [True, True, True, False, False]
    """
    parts = PurePosixPath(name).parts
    if name != "/".join(parts) or any(part.startswith(".") or not part.isprintable() for part in parts):
        return False
    if len(parts) == 1:
        return name in FILES or (images and name.endswith(".png"))
    if parts[0] != ASKED or set('\\:*?"<>|') & set(name):
        return False
    return parts[1:] == (MANIFEST,) or (len(parts) > 2 and parts[1] in ROOMS and name.endswith(ENDINGS))


def _entry(packed: zipfile.ZipFile, name: str) -> IO[bytes]:
    entry = zipfile.ZipInfo(name, WHEN)
    entry.external_attr = (stat.S_IFREG | 0o644) << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return packed.open(entry, "w", force_zip64=True)


def _add_without_data(packed: zipfile.ZipFile, header: Mapping[str, Any], run: Path) -> None:
    """Add what is left of a run without its data: records that do not say what was expected, and hashes."""
    kept, prepared = kept_in(run), prepared_again(header, run)
    needed = {row.cell.task for row in prepared.rows if row.task.groups.parts}
    with _entry(packed, SAMPLES) as target:
        for _, value in samples_in(run / SAMPLES):
            target.write(sealed(value if value["task"] in needed else value | {"evidence": None}))
    with _entry(packed, PROMPTS) as target:
        for _, value in prompts_in(run / PROMPTS):
            target.write(json.dumps({"hash": value["hash"], "messages": []}).encode() + b"\n")
    for name, text in without_rows(prepared, kept):
        with _entry(packed, f"{ASKED}/{name}") as target:
            target.write(text.encode())


def unpack(archive: Path, run: Path, *, most: int = MOST_UNPACKED_BYTES) -> dict[str, Any]:
    """Unpack a run into a new folder and return its header. ``FileProblem`` where the archive is no run, or unsafe."""
    with _opened(archive) as opened, new_run(run, "unpacking") as folder:
        left = most
        for entry in _checked(archive, opened.infolist(), most):
            left -= _unpacked(archive, opened, entry, folder / entry.filename, left)
        try:
            header = read_header(folder)
            if "plan" in header:
                check_evaluation(header, folder)
                kept_in(folder)
        except UsageError as problem:
            name = run.resolve().name
            raise FileProblem(f"{archive}: holds no run: {problem.message.replace(str(folder), name)}") from None
    return header


def _opened(archive: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(archive)
    except FileNotFoundError:
        raise FileProblem(f"{archive}: no such file", hint=look_alike(archive)) from None
    except IsADirectoryError:
        raise FileProblem(f"{archive}: this is a folder, not an archive") from None
    except DAMAGES as error:
        with archive.open("rb") as stream:
            begin = stream.read(16)
        is_zip = begin.startswith(b"PK")
        kind = "its end is missing or damaged" if is_zip else kind_of_bytes(begin) or "it is no ZIP archive"
        raise FileProblem(f"{archive}: no archive of a run: {kind}") from error
    except OSError as error:
        raise FileProblem(f"{archive}: cannot be read: {error.strerror}") from None


def _checked(archive: Path, entries: Sequence[zipfile.ZipInfo], most: int) -> list[zipfile.ZipInfo]:
    """Return the files of an archive; ``FileProblem`` for the first that is no plain file of a run."""
    if len(entries) > MOST_FILES:
        raise FileProblem(f"{archive}: {len(entries):,} files are in it; a run has at most {MOST_FILES:,}")
    files: dict[str, zipfile.ZipInfo] = {}
    for entry in entries:
        name = entry.filename
        member = f"{archive}: {name.encode('unicode_escape').decode()[:200]}"
        if entry.is_dir() and _is_of_run(f"{name}x.txt"):
            continue
        if not _is_of_run(name) or stat.S_IFMT(entry.external_attr >> 16) not in (0, stat.S_IFREG):
            raise FileProblem(f"{member}: no file of a run", hint="only what tsgkit runs pack wrote is unpacked")
        if entry.flag_bits & 1:
            raise FileProblem(f"{member}: is encrypted", hint="pack it without a password")
        if name.lower() in files:
            raise FileProblem(f"{member}: occurs twice")
        files[name.lower()] = entry
    size = sum(entry.file_size for entry in files.values())
    if size > most:
        raise FileProblem(f"{archive}: would be {size / (1 << 30):,.1f} GiB, more than {most / (1 << 30):,.1f}")
    return list(files.values())


def _unpacked(archive: Path, opened: zipfile.ZipFile, entry: zipfile.ZipInfo, file: Path, most: int) -> int:
    """Unpack one file and return its size, whatever size the archive says it has."""
    size = 0
    damaged = FileProblem(f"{archive}: {entry.filename}: is damaged", hint="copy or download the archive again")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(entry) as source, file.open("xb") as target:
            while part := source.read(CHUNK):
                size += len(part)
                if size > min(entry.file_size, most):
                    raise FileProblem(f"{archive}: {entry.filename}: is larger than the archive says")
                target.write(part)
    except DAMAGES:
        raise damaged from None
    except OSError as error:
        if error.errno in (None, errno.EINVAL):
            raise damaged from None
        raise FileProblem(f"{file.name}: cannot be written: {error.strerror}") from None
    return size
