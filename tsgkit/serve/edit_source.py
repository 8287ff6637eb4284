"""The content that editing begins with: a file, an annotator's own version of it, or sentences of a new story."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import Description, Narrative
from tsgkit.graph.notation import narratives
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import IMAGE, JSON_BEGINS, Document, read_document
from tsgkit.library.documents.rewriter import UNREAD
from tsgkit.library.documents.rows import matched_items
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import STDIN, decoded, look_alike, read_bytes, read_text
from tsgkit.serve.edit_draft import DraftContent, draft_file
from tsgkit.serve.edit_session import Can

LONGEST_NAME = 64
NAME = re.compile(r"\w(?:[\w .@+-]*[\w@+-])?")
"""Names of annotators that can be a part of a file name."""
SHOWN_PLACES = 5


@dataclass(frozen=True)
class Source:
    """A file to edit: the real path, the path as it is shown, and what it begins with where it is not there yet."""

    path: Path
    shown: Path
    origin: Path | None = None
    """The file that an annotator's own version is made from."""
    story: str | None = None
    """The text of a new file."""

    def read(self) -> tuple[str, str | None]:
        """Return the text and its checksum on disk; None where nothing is there yet."""
        if self.path.exists():
            data = read_bytes(self.path)
            return decoded(data, self.shown), checksum_of_bytes(data)
        if self.story is not None:
            return self.story, None
        return read_text(self.begun_from), None

    @property
    def begun_from(self) -> Path:
        """The file whose text ``read`` returns, as it is shown."""
        return self.origin if self.origin is not None and not self.path.exists() else self.shown

    def check_draft(self, draft: DraftContent) -> None:
        """Raise ``UsageError`` where a draft is of another new story than this one."""
        if self.story is not None and draft.text != self.story:
            hint = f"go on with it: tsgkit view {self.shown} --edit; or move {draft_file(self.path)} away"
            raise UsageError(f"{self.shown}: unsaved edits of another story are here", hint=hint)


def source_of(file: Path, *, annotator: str | None = None, story: Path | None = None) -> Source:
    """Return what is edited. Raise ``UsageError`` where it cannot be.

    ``annotator`` is the name under which a version of one's own is kept, ``story`` a text file with a sentence a line.
    """
    if str(file) == STDIN:
        raise UsageError("standard input cannot be edited", hint="write it to a file, and name that")
    shown = file if annotator is None else version_file(file, annotator)
    try:
        path = shown.resolve()
        if path.exists() and not path.is_file():
            kind = "a folder" if path.is_dir() else "no regular file"
            raise FileProblem(f"{shown}: this is {kind}", hint="name a file of graphs")
    except (OSError, ValueError, RuntimeError) as error:
        raise FileProblem(f"{str(shown)!a}: not a file name: {error}") from None
    if not path.parent.is_dir():
        raise FileProblem(f"{shown}: there is no folder {shown.parent}", hint="make it first")
    if story is not None:
        return Source(path, shown, story=_story(story, shown))
    if path.exists() or draft_file(path).exists():
        refuse_read_only(path, shown)
        return Source(path, shown, origin=None if shown == file else file)
    if not file.exists():
        near = look_alike(file)
        begin = f"begin a new one from sentences: tsgkit view {file} --edit --story TEXTFILE"
        raise FileProblem(f"{file}: no such file", hint=f"{near} Or {begin}" if near else begin)
    return Source(path, shown, origin=file)


def version_file(file: Path, annotator: str) -> Path:
    """Return the file with an annotator's own version of another.

    >>> version_file(Path("story.jsonl"), "ann").name, version_file(Path("story.ann.jsonl"), "ann").name
    ('story.ann.jsonl', 'story.ann.jsonl')
    """
    if len(annotator) > LONGEST_NAME or not NAME.fullmatch(annotator):
        hint = f"letters, digits, and . - _ + @ or blanks between them; at most {LONGEST_NAME}"
        raise UsageError(f"annotator {annotator[:LONGEST_NAME]!a}: not a part of a file name", hint=hint)
    is_own = file.stem.endswith(f".{annotator}")
    return file if is_own else file.with_name(f"{file.stem}.{annotator}{file.suffix}")


def refuse_read_only(path: Path, shown: Path) -> None:
    """Raise ``FileProblem`` for a file that its owner protects."""
    if path.exists() and not os.access(path, os.W_OK):
        can_add = os.access(path.parent, os.W_OK)
        own = "keep a version of your own: --annotator NAME" if can_add else "copy it to a folder that can be written"
        hint = f"make it writable (chmod u+w), or {own}"
        raise FileProblem(f"{shown}: the file is read-only", hint=hint)


def _story(story: Path, target: Path) -> str:
    """Return the text of a new file with the sentences of a story."""
    if target.exists() or target.is_symlink():
        raise UsageError(f"{target}: this file is there already", hint="edit it without --story, or name another")
    format = formats.by_ending(target)
    if formats.TEXTS not in format.carries or not format.writes:
        hint = f"name it {target.with_suffix('.jsonl').name}"
        raise UsageError(f"{target}: the format {format.name} cannot carry the sentences", hint=hint)
    sentences = [line.strip() for line in read_text(story).splitlines() if line.strip()]
    if not sentences:
        raise FileProblem(f"{story}: the story has no sentence", hint="write one on each line")
    return narratives.write(Narrative(tuple(Description(text) for text in sentences)))


# Documents


def parsed(text: str, shown: Path) -> Document:
    """Return the document of a text. Raise ``FileProblem`` where it cannot be edited, or parts of it cannot be read."""
    if IMAGE.match(text):
        hint = f"edit the file that it was made from, and convert that anew: tsgkit convert FILE {shown}"
        raise FileProblem(f"{shown}: DOT and Mermaid are written, never read", hint=hint)
    try:
        document = read_document(text, str(shown))
    except FileProblem as error:
        new = shown.with_suffix(".jsonl")
        if new == shown:
            raise
        hint = f"{error.hint}; or begin a file with its sentences: tsgkit view {new} --edit --story {shown}"
        raise FileProblem(error.message, hint=hint) from None
    unread = [
        f"{str(finding.place) or 'the file'}: {finding.message}"
        for finding in document.findings
        if finding.code in UNREAD
    ]
    if unread:
        places = "; ".join(unread[:SHOWN_PLACES]) + " ..." * (len(unread) > SHOWN_PLACES)
        number = "a part" if len(unread) == 1 else f"{len(unread):,} parts"
        message = f"{shown}: {number} cannot be read, and saving would drop what it says: {places}"
        raise FileProblem(message, hint=f"tsgkit check {shown} shows each; mend them first")
    hint = f"convert it first: tsgkit convert {shown} {shown.stem}.jsonl"
    if not formats.by_name(document.format).writes:
        raise FileProblem(f"{shown}: {document.format} is read, never written", hint=hint)
    if document.format == "arrow" and document.findings and JSON_BEGINS.match(text):
        raise FileProblem(f"{shown}: graphs were found in it, but its JSON is none of the formats", hint=hint)
    return document


def can_of(document: Document) -> Can:
    """Return the changes that the format of a document can carry."""
    format = document.format
    has_lines = any(entry.line is not None for entry in document.entries)
    is_one_each = format == "sgds" or (format == "node-link" and has_lines)
    carries_texts = format in ("narrative", "sgg")
    return {
        "texts": carries_texts,
        "borders": format == "narrative",
        "graphs": not is_one_each,
        "vocabulary": carries_texts,
    }


def matched(names: Sequence[str], other: Document) -> tuple[tuple[Narrative | None, ...], str]:
    """Return the other version of each item, and a sentence about those without one; empty where there are none.

    Items are matched by id, else by position where there are equally many.
    """
    places = matched_items(names, [entry.item for entry in other.entries])
    versions = tuple(
        None if theirs is None else other.entries[theirs].narrative for mine, theirs in places if mine is not None
    )
    missing = [names[mine] for mine, theirs in places if mine is not None and theirs is None]
    surplus = sum(mine is None for mine, _ in places)
    clauses = []
    if missing:
        names_of_some = ", ".join(missing[:SHOWN_PLACES]) + ", ..." * (len(missing) > SHOWN_PLACES)
        lack = "item has" if len(missing) == 1 else "items have"
        clauses.append(f"{len(missing):,} {lack} no version there ({names_of_some})")
    if surplus:
        clauses.append(f"{surplus:,} of its items {'is' if surplus == 1 else 'are'} not in the file")
    return versions, f"{other.file}: {'; '.join(clauses)}" if clauses else ""
