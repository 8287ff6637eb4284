"""A file of action graphs that is edited: read, kept as a draft, saved in its own format, never over another's changes.

What lies beside it (the draft, the statuses) lies beside the real file where a symbolic link is named.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.graph.model import Narrative
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.rewriter import losses, rewritten
from tsgkit.library.documents.rows import numbered, with_narrative
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import decoded, read_bytes, write_text
from tsgkit.serve.edit_draft import Draft, Kept, Link
from tsgkit.serve.edit_session import STATUSES, Edit, EditSession, Proposals, Status, Surroundings, now
from tsgkit.serve.edit_source import Source, can_of, matched, parsed, refuse_read_only
from tsgkit.serve.line_file import Line, LineFile
from tsgkit.serve.local_server import Conflict

STATUSES_ENDING = ".annotations.jsonl"
Key = tuple[str, int]
MATCHED = "items are matched by their ids; the others may still be compared"
MINE_OR_THEIRS = "mine replaces what lies on disk at the next save, theirs reads it again"
Signature = tuple[int, ...] | None
Disk = tuple[str | None, str]
"""The checksum of what lies on disk, and why it cannot be read; no checksum where there is no file."""


def statuses_file(file: Path) -> Path:
    """Return the file with the statuses of another.

    >>> statuses_file(Path("story.jsonl")).name
    'story.jsonl.annotations.jsonl'
    """
    return file.with_name(f"{file.name}{STATUSES_ENDING}")


class ItemStatuses:
    """The statuses of a file's items. Items of one id are distinguished by ``repeat``: 1 for the second, and so on."""

    def __init__(self, file: Path, names: Sequence[str]) -> None:
        self._file = LineFile(statuses_file(file), "statuses")
        self._keys = numbered(names)

    def read(self) -> dict[int, Status]:
        """Return the statuses by the numbers of their items. Raise ``UsageError`` if the file holds something else."""
        kept = {_key(line): self._status(line) for line in self._file.lines()}
        return {number: kept[key] for number, key in enumerate(self._keys) if key in kept}

    def write(self, statuses: dict[int, Status]) -> None:
        """Write these statuses in the places of the earlier ones."""
        new = {self._keys[number]: status for number, status in statuses.items()}

        def changed(lines: list[Line]) -> list[Line]:
            earlier = {_key(line): line for line in lines}
            kept = {key: {**line, **new[key].value} if key in new else line for key, line in earlier.items()}
            return [*kept.values(), *({**_named(key), **new[key].value} for key in new if key not in kept)]

        self._file.change(changed)

    def _status(self, line: Line) -> Status:
        parts = [line.get(name, "") for name in Status._fields]
        if not all(isinstance(part, str) for part in (line.get("item"), *parts)) or parts[0] not in STATUSES:
            hint = f"a line has item, status ({', '.join(STATUSES)}), annotator, time and note"
            raise UsageError(f"{self._file.path}: not a status: {str(line)[:100]}", hint=hint)
        return Status(*parts)


def _key(line: Line) -> Key:
    repeat = line.get("repeat", 0)
    return str(line.get("item")), repeat if isinstance(repeat, int) else 0


def _named(key: Key) -> Line:
    return {"item": key[0]} | ({"repeat": key[1]} if key[1] else {})


@dataclass
class _Base:
    """The content that edits are made to: of the file when it was read or saved."""

    document: Document
    text: str
    checksum: str | None
    """The checksum that the file must have to be replaced; None where there must be none."""
    losses: tuple[str, ...] = ()


@dataclass
class EditedFile:
    """A file that is edited by one annotator. It is locked until it is closed."""

    source: Source
    annotator: str
    proposals: Path | None = None
    notes: list[str] = field(default_factory=list)
    """Sentences that the annotator should read before the work begins."""

    def __post_init__(self) -> None:
        self.path = self.source.path
        self.link: Link | None = None
        """The port and token of the server, for open pages after a crash: at first those of the server before."""
        self._restored: dict[str, Any] | None = None
        self._seen: tuple[Signature, Disk] | None = None
        self._draft = Draft(self.path)
        try:
            self._open()
        except BaseException:
            self._draft.close()
            raise

    # Opening

    def _open(self) -> None:
        kept = self._kept()
        self._base = self._based(kept)
        document = self._base.document
        names = [entry.item for entry in document.entries]
        self._statuses = ItemStatuses(self.path, names)
        self.session = EditSession(
            [entry.narrative for entry in document.entries],
            names=names,
            annotator=self.annotator,
            surroundings=self._surroundings(document),
            revision=int(1000 * time.time()),  # above those of earlier servers, whose pages may be open still
        )
        for number, status in self._statuses.read().items():
            self.session.restore_status(number, status)
        if kept is not None:
            self.link = kept.link
            self._replay(kept)

    def _surroundings(self, document: Document) -> Surroundings:
        around = Surroundings(self.source.shown.name, document.format, can_of(document))
        around.keep, around.fits, around.say = self._keep, self._fits, self._say
        if self.proposals is not None:
            around.proposals = self._proposed(self.proposals, [entry.item for entry in document.entries])
        return around

    def _kept(self) -> Kept | None:
        """Return the draft. One that cannot be read is put aside."""
        try:
            return self._draft.read()
        except UsageError as error:
            aside = self._draft.move_aside()
            self.notes.append(f"{error.message}; it now lies in {aside.name}")
            return None

    def _based(self, kept: Kept | None) -> _Base:
        if kept is None:
            shown = self.source.begun_from
            text, checksum = self.source.read()
        else:
            shown = self.source.shown
            self.source.check_draft(kept)
            text, checksum = kept.text, kept.checksum
        document = parsed(text, shown)
        return _Base(document, text, checksum, losses(document, text))

    def _replay(self, kept: Kept) -> None:
        problem, done = kept.problem, list[Edit]()
        for edit in kept.edits:
            try:
                self.session.replay(edit)
            except TsgkitError as error:
                problem = f"edit {len(done)}: {error.message}"
                break
            done.append(edit)
        if problem:
            aside = self._draft.move_aside()
            self.notes.append(f"{problem}; the whole draft lies in {aside.name}, what is before that is restored")
            for edit in done:
                self._keep(edit)
        if self._is_saved():  # the server ended between saving and emptying the draft
            self._settle(*self._text())
        elif done:
            self._restored = {"edits": len(done), "time": kept.time}

    def _is_saved(self) -> bool:
        """Return whether the file on disk already is what saving would write."""
        there = self._disk()[0]
        if there is None or there == self._base.checksum:
            return False
        try:
            return checksum_of_bytes(self._text()[1].encode()) == there
        except TsgkitError:
            return False

    def _proposed(self, path: Path, names: list[str]) -> Proposals:
        found = read_document(decoded(read_bytes(path), path), str(path))
        narratives, missing = matched(names, found)
        if missing:
            self.notes.append(missing)
        return Proposals(path.name, narratives)

    # What the session asks for

    def _keep(self, edit: Edit) -> None:
        self._refuse_closed()
        self._draft.add(edit, self._base.text, self._base.checksum, self.link)

    def _fits(self, number: int, narrative: Narrative) -> None:
        with_narrative(self._base.document.entries[number], narrative)

    def _say(self, number: int, status: Status) -> None:
        self._statuses.write({number: status})

    # The file on disk

    def _disk(self, *, again: bool = False) -> Disk:
        """Return what lies on disk. It is read again where its times or size differ, or if asked to."""
        signature = self._signature()
        if again or self._seen is None or self._seen[0] != signature:
            self._seen = (signature, self._read_disk())
        return self._seen[1]

    def _signature(self) -> Signature:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino

    def _read_disk(self) -> Disk:
        if not os.path.lexists(self.path):
            return None, ""
        try:
            return checksum_of_bytes(read_bytes(self.path)), ""
        except FileProblem as error:
            return None, error.message

    @property
    def is_changed_on_disk(self) -> bool:
        """Return whether the file is not what was read or saved."""
        checksum, problem = self._disk()
        return bool(problem) or checksum != self._base.checksum

    def _document_on_disk(self) -> tuple[Document, str, str]:
        if not os.path.lexists(self.path):
            raise UsageError(f"{self.source.shown}: the file is gone", hint="save to write it anew")
        data = read_bytes(self.path)
        text = decoded(data, self.path)
        return parsed(text, self.source.shown), text, checksum_of_bytes(data)

    # What the page asks for

    def document(self) -> dict[str, Any]:
        """Return the list of items, and how the file is."""
        with self.session.lock:
            own = {"losses": list(self._base.losses), "restored": self._restored, "disk": self.is_changed_on_disk}
            return self.session.document() | own

    def changes(self, since: int) -> dict[str, Any]:
        """Return the items that were edited after a revision, and whether the file changed."""
        with self.session.lock:
            return self.session.changes(since) | {"disk": self.is_changed_on_disk}

    def versions(self, number: int, other: str) -> dict[str, Any]:
        """Return the differences to the proposal, or to the file on disk."""
        if other != "disk":
            return self.session.versions(number, other)
        document, _, _ = self._document_on_disk()
        found = matched(self.session.names, document)[0][number : number + 1]
        if not found or found[0] is None:
            raise UsageError(f"{self.source.shown}: the file on disk has no such item", hint=MATCHED)
        return self.session.differences(number, found[0], f"{self.source.shown.name} on disk")

    def save(self, *, accept_losses: bool = False) -> dict[str, Any]:
        """Write the file, if it still is what was read. Raise ``Conflict`` if it is not."""
        with self.session.lock:
            self._refuse_closed()
            checksum, problem = self._disk(again=True)
            if problem:
                raise FileProblem(problem)
            if checksum != self._base.checksum:
                what = "was deleted" if checksum is None else "changed on disk"
                raise Conflict({"message": f"{self.source.shown} {what} since it was read", "disk": True})
            edited = self.session.unsaved
            if edited or checksum is None:
                self._write(accept_losses=accept_losses)
                self._note_saving(edited)
            return {"time": now(), "items": edited}

    def _write(self, *, accept_losses: bool) -> None:
        if self._base.losses and not accept_losses:
            raise UsageError(f"saving would drop {'; '.join(self._base.losses)}", hint="accept that, or keep the file")
        refuse_read_only(self.path, self.source.shown)
        document, text = self._text()
        write_text(self.path, text)
        self._settle(document, text)

    def _settle(self, document: Document, text: str) -> None:
        """Go on from what lies on disk now."""
        self._base = _Base(document, text, checksum_of_bytes(text.encode()))
        self._restored = None
        self.session.mark_saved()
        self._draft.empty()

    def _text(self) -> tuple[Document, str]:
        """Return the present document and its text."""
        pairs = zip(self._base.document.entries, self.session.narratives, strict=True)
        entries = tuple(with_narrative(entry, narrative) for entry, narrative in pairs)
        document = replace(self._base.document, entries=entries, findings=())
        return document, rewritten(document, self._base.text)

    def _note_saving(self, edited: list[int]) -> None:
        """Note the annotator and the time of the items that were edited."""
        said = {"annotator": self.annotator, "time": now()}
        statuses = {number: self.session.status(number)._replace(**said) for number in edited}
        try:
            if statuses:
                self._statuses.write(statuses)
        except TsgkitError as error:
            raise UsageError(f"{self.source.shown} is saved, but {error.message}", hint=error.hint) from None
        for number, status in statuses.items():
            self.session.restore_status(number, status)

    def resolve(self, how: str) -> dict[str, Any]:
        """Settle which version counts where the file changed on disk; return the list of items.

        With ``mine`` the next save replaces what lies there now, with ``theirs`` it is read again and unsaved edits
        are dropped.
        """
        with self.session.lock:
            self._refuse_closed()
            if how == "mine":
                checksum, problem = self._disk(again=True)
                if problem:
                    raise FileProblem(problem)
                self._base.checksum = checksum
            elif how == "theirs":
                self._take_theirs()
            else:
                raise UsageError(f"resolve: {how:.40}: expected mine or theirs", hint=MINE_OR_THEIRS)
            return self.document()

    def _take_theirs(self) -> None:
        document, text, checksum = self._document_on_disk()
        names = [entry.item for entry in document.entries]
        around = self._surroundings(document)
        statuses = ItemStatuses(self.path, names)
        kept = statuses.read()
        self._draft.empty()
        self._base = _Base(document, text, checksum, losses(document, text))
        self._restored, self._statuses = None, statuses
        self.session.around = around
        self.session.reset([entry.narrative for entry in document.entries], names)
        for number, status in kept.items():
            self.session.restore_status(number, status)

    def close(self) -> None:
        """Let go of the file after requests under way. Edits that are not saved stay in the draft."""
        with self.session.lock:
            self._draft.close()

    def _refuse_closed(self) -> None:
        """Raise ``UsageError`` where another server may have the file already."""
        if self._draft.is_closed:
            raise UsageError(f"{self.source.shown}: the editor of this file was closed", hint="open the file again")
