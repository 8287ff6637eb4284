"""A file of action graphs that is edited: read, kept as a draft, saved in its own format, never over another's changes.

What lies beside it (the draft, the statuses) lies beside the real file where a symbolic link is named.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.rewriter import losses, rewritten
from tsgkit.library.documents.rows import numbered, with_narrative
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import decoded, read_bytes, write_text
from tsgkit.serve.edit_draft import Draft, DraftContent, ServerAddress
from tsgkit.serve.edit_session import STATUSES, AcceptedEdit, EditSession, Proposals, Status, Surroundings, now
from tsgkit.serve.edit_source import Source, can_of, matched, parsed, refuse_read_only
from tsgkit.serve.line_file import Line, LineFile
from tsgkit.serve.local_server import StaleChange

STATUSES_ENDING = ".annotations.jsonl"
MATCHED = "items are matched by their ids; the others may still be compared"
MINE_OR_THEIRS = "mine replaces what lies on disk at the next save, theirs reads it again"


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
        statuses: dict[tuple[str, int], Status] = {}
        for line in self._file.lines():
            fields = [line.get(name, "") for name in Status._fields]
            if not all(isinstance(text, str) for text in (line.get("item"), *fields)) or fields[0] not in STATUSES:
                hint = f"a line has item, status ({', '.join(STATUSES)}), annotator, time and note"
                raise UsageError(f"{self._file.path}: not a status: {str(line)[:100]}", hint=hint)
            statuses[_item_of(line)] = Status(*fields)
        return {number: statuses[key] for number, key in enumerate(self._keys) if key in statuses}

    def write(self, statuses: Mapping[int, Status]) -> None:
        """Write these statuses in the places of the earlier ones."""

        def changed(lines: list[Line]) -> list[Line]:
            by_item = {_item_of(line): line for line in lines}
            for number, status in statuses.items():
                name, repeat = key = self._keys[number]
                new: Line = {"item": name} | ({"repeat": repeat} if repeat else {})
                by_item[key] = by_item.get(key, new) | status._asdict()
            return list(by_item.values())

        self._file.change(changed)


def _item_of(line: Line) -> tuple[str, int]:
    repeat = line.get("repeat", 0)
    return str(line.get("item")), repeat if isinstance(repeat, int) else 0


class _Base(NamedTuple):
    """The content that edits are made to: of the file when it was read or saved.

    The checksum is the one that the file must have to be replaced; None where there must be no file.
    """

    document: Document
    text: str
    checksum: str | None
    losses: tuple[str, ...] = ()


class _Disk(NamedTuple):
    """The file as it lies on disk: its times and size, its checksum, and why it cannot be read."""

    signature: tuple[int, ...] | None
    checksum: str | None
    problem: str = ""


class EditedFile:
    """A file that is edited by one annotator. It is locked until it is closed.

    ``notes`` are sentences that the annotator should read before the work begins. ``link`` is the port and token of the
    server, for open pages after a crash: at first those of the server before.
    """

    def __init__(self, source: Source, annotator: str, proposals: Path | None = None) -> None:
        self.source, self.path = source, source.path
        self.notes: list[str] = []
        self.link: ServerAddress | None = None
        self._proposals = proposals
        self._restored: dict[str, Any] | None = None
        self._seen: _Disk | None = None
        self._draft = Draft(self.path)
        try:
            self._open(annotator)
        except BaseException:
            self._draft.close()
            raise

    def _open(self, annotator: str) -> None:
        shown = self.source.shown
        try:
            draft = self._draft.read()
        except UsageError as error:
            draft = None
            self.notes.append(f"{error.message}; it now lies in {self._draft.move_aside().name}")
        if draft is None:
            shown = self.source.begun_from
            text, checksum = self.source.read()
        else:
            self.source.check_draft(draft)
            text, checksum = draft.text, draft.checksum
        document = parsed(text, shown)
        self._base = _Base(document, text, checksum, losses(document, text))
        names = [entry.item for entry in document.entries]
        self._statuses = ItemStatuses(self.path, names)
        self.session = EditSession(
            [entry.narrative for entry in document.entries],
            names=names,
            annotator=annotator,
            surroundings=self._surroundings(document),
            revision=int(1000 * time.time()),  # above those of earlier servers, whose pages may be open still
        )
        self.session.restore_statuses(self._statuses.read())
        if draft is not None:
            self.link = draft.link
            self._replay(draft)

    def _surroundings(self, document: Document) -> Surroundings:
        proposals = None
        if self._proposals is not None:
            names = [entry.item for entry in document.entries]
            proposed = read_document(decoded(read_bytes(self._proposals), self._proposals), str(self._proposals))
            narratives, missing = matched(names, proposed)
            self.notes += [missing] if missing else []
            proposals = Proposals(self._proposals.name, narratives)
        return Surroundings(
            self.source.shown.name,
            document.format,
            can_of(document),
            keep=self._keep,
            fits=lambda number, narrative: with_narrative(self._base.document.entries[number], narrative),
            keep_status=lambda number, status: self._statuses.write({number: status}),
            proposals=proposals,
        )

    def _keep(self, edit: AcceptedEdit) -> None:
        self._refuse_closed()
        self._draft.add(edit, self._base.text, self._base.checksum, self.link)

    def _replay(self, draft: DraftContent) -> None:
        """Restore the edits of a draft, up to the first that does not fit."""
        problem, done = draft.problem, 0
        for edit in draft.edits:
            try:
                self.session.replay(edit)
            except TsgkitError as error:
                problem = f"edit {done}: {error.message}"
                break
            done += 1
        if problem:
            aside = self._draft.move_aside()
            self.notes.append(f"{problem}; the whole draft lies in {aside.name}, what is before that is restored")
            for edit in draft.edits[:done]:
                self._keep(edit)
        checksum = self._disk().checksum
        if checksum is not None and checksum != self._base.checksum:
            with suppress(TsgkitError):
                document, text = self._document()
                if checksum_of_bytes(text.encode()) == checksum:  # the server ended before it emptied the draft
                    self._settle(document, text)
                    return
        if done:
            self._restored = {"edits": done, "time": draft.time}

    # The file on disk

    def _disk(self, *, again: bool = False) -> _Disk:
        """Return what lies on disk. It is read again where its times or size differ, or if asked to."""
        try:
            status = self.path.stat()
            signature = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
        except OSError:
            signature = None
        if again or self._seen is None or self._seen.signature != signature:
            try:
                is_there = os.path.lexists(self.path)
                self._seen = _Disk(signature, checksum_of_bytes(read_bytes(self.path)) if is_there else None)
            except FileProblem as error:
                self._seen = _Disk(signature, None, error.message)
        return self._seen

    def _checksum_on_disk(self) -> str | None:
        disk = self._disk(again=True)
        if disk.problem:
            raise FileProblem(disk.problem)
        return disk.checksum

    @property
    def is_changed_on_disk(self) -> bool:
        """Return whether the file is not what was read or saved."""
        disk = self._disk()
        return bool(disk.problem) or disk.checksum != self._base.checksum

    def _read_again(self) -> _Base:
        if not os.path.lexists(self.path):
            raise UsageError(f"{self.source.shown}: the file is gone", hint="save to write it anew")
        data = read_bytes(self.path)
        text = decoded(data, self.path)
        document = parsed(text, self.source.shown)
        return _Base(document, text, checksum_of_bytes(data), losses(document, text))

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
        versions, _ = matched(self.session.names, self._read_again().document)
        version = versions[number] if number < len(versions) else None
        if version is None:
            raise UsageError(f"{self.source.shown}: the file on disk has no such item", hint=MATCHED)
        return self.session.differences(number, version, f"{self.source.shown.name} on disk")

    def save(self, *, accept_losses: bool = False) -> dict[str, Any]:
        """Write the file, if it still is what was read. Raise ``Conflict`` if it is not."""
        with self.session.lock:
            self._refuse_closed()
            checksum = self._checksum_on_disk()
            if checksum != self._base.checksum:
                change = "was deleted" if checksum is None else "changed on disk"
                raise StaleChange({"message": f"{self.source.shown} {change} since it was read", "disk": True})
            edited = self.session.unsaved
            if edited or checksum is None:
                if self._base.losses and not accept_losses:
                    hint = "accept that, or keep the file"
                    raise UsageError(f"saving would drop {'; '.join(self._base.losses)}", hint=hint)
                refuse_read_only(self.path, self.source.shown)
                document, text = self._document()
                write_text(self.path, text)
                self._settle(document, text)
                self._note_saving(edited)
            return {"time": now(), "items": edited}

    def _document(self) -> tuple[Document, str]:
        """Return the present document and its text."""
        pairs = zip(self._base.document.entries, self.session.narratives, strict=True)
        entries = tuple(with_narrative(entry, narrative) for entry, narrative in pairs)
        document = replace(self._base.document, entries=entries, findings=())
        return document, rewritten(document, self._base.text)

    def _settle(self, document: Document, text: str) -> None:
        """Go on from what lies on disk now."""
        self._base = _Base(document, text, checksum_of_bytes(text.encode()))
        self._restored = None
        self.session.mark_saved()
        self._draft.empty()

    def _note_saving(self, edited: list[int]) -> None:
        """Note the annotator and the time of the items that were edited."""
        saved = {"annotator": self.session.annotator, "time": now()}
        statuses = {number: self.session.status(number)._replace(**saved) for number in edited}
        try:
            if statuses:
                self._statuses.write(statuses)
        except TsgkitError as error:
            raise UsageError(f"{self.source.shown} is saved, but {error.message}", hint=error.hint) from None
        self.session.restore_statuses(statuses)

    def resolve(self, how: str) -> dict[str, Any]:
        """Settle which version counts where the file changed on disk; return the list of items.

        With ``mine`` the next save replaces what lies there now, with ``theirs`` it is read again and unsaved edits
        are dropped.
        """
        with self.session.lock:
            self._refuse_closed()
            if how == "mine":
                self._base = self._base._replace(checksum=self._checksum_on_disk())
            elif how == "theirs":
                base = self._read_again()
                names = [entry.item for entry in base.document.entries]
                around, statuses = self._surroundings(base.document), ItemStatuses(self.path, names)
                restored = statuses.read()
                self._draft.empty()  # only after everything was read
                self._base, self._restored, self._statuses = base, None, statuses
                self.session.around = around
                self.session.reset([entry.narrative for entry in base.document.entries], names)
                self.session.restore_statuses(restored)
            else:
                raise UsageError(f"resolve: {how:.40}: expected mine or theirs", hint=MINE_OR_THEIRS)
            return self.document()

    def close(self) -> None:
        """Let go of the file after requests under way. Edits that are not saved stay in the draft."""
        with self.session.lock:
            self._draft.close()

    def _refuse_closed(self) -> None:
        """Raise ``UsageError`` where another server may have the file already."""
        if self._draft.is_closed:
            raise UsageError(f"{self.source.shown}: the editor of this file was closed", hint="open the file again")
