"""Settlement of the disagreements of two annotators: decisions that are kept at once, and the settled file.

    settling = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("settled.jsonl"), annotator="eve")
    if decide_in_browser(settling, say=print):
        print(settling.write())

The file of decisions lies beside the settled file: a line for each, and one about the settled file once it is written.
A decision is found again by a hash of what was shown, so that changed inputs are asked about again.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem, TsgkitError, UsageError
from tsgkit.library.documents import formats
from tsgkit.library.documents.reader import Document
from tsgkit.library.documents.rewriter import UNREAD, losses, rewritten
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.files import (
    FORCE,
    STDIN,
    read_bytes,
    read_text,
    refuse_to_overwrite,
    refuse_to_overwrite_sources,
    write_text,
)
from tsgkit.report.annotated_items import Versions
from tsgkit.report.plain_text import count
from tsgkit.serve import disagreement_view as view
from tsgkit.serve.decision_protocol import EDIT, Decided, Entry, Shown
from tsgkit.serve.disagreements import Disagreement, Kind, Merger, Value, json_value
from tsgkit.serve.edit_session import now
from tsgkit.serve.line_file import Line, LineFile

LONGEST_NOTE = 10_000
ENDING = ".decisions.jsonl"
SETTLED = "settled"
"""The field of the line about the settled file, with its checksum."""
RESULTS = {Kind.GRAPH: "graph", Kind.TEXT: "text", Kind.VOCABULARY: "vocabulary"}
KEPT = "kept"


def decisions_file(settled: Path) -> Path:
    """Return the file of decisions beside a settled file.

    >>> decisions_file(Path("settled.jsonl")).as_posix()
    'settled.decisions.jsonl'
    """
    return settled.with_name(f"{settled.stem}{ENDING}")


def key_of(one: Disagreement) -> str:
    """Return the hash of what a person is shown."""
    return hashlib.sha256(json.dumps(one.content).encode()).hexdigest()[:32]


class SettledDecisions:
    """The decisions about a settled file."""

    def __init__(self, settled: Path, disagreements: Sequence[Disagreement], *, force: bool = False) -> None:
        """Open them.

        Raise ``UsageError`` without ``force`` if decisions about something else lie there, and ``FileProblem`` if there
        is no folder for them.
        """
        if not settled.parent.is_dir():
            raise FileProblem(f"{settled}: there is no folder {settled.parent}", hint="make it first")
        self.settled = settled
        self.file = LineFile(decisions_file(settled), "decisions of a settlement")
        self.keys = [key_of(one) for one in disagreements]
        self._lines = self.file.lines()
        known = set(self.keys)
        self.unused = sum(line.get("key") not in known for line in self._lines if SETTLED not in line)
        decided = any(line.get("key") in known for line in self._lines)
        if self._lines and not decided and not self.wrote_settled:
            if not force:
                number = count(len(self._lines), "line")
                raise UsageError(f"{self.file.path}: {number} about something else already here", hint=FORCE)
            self.file.change(lambda _: ())
            self._lines = []

    @property
    def wrote_settled(self) -> bool:
        """True if the settled file that lies there is as this job wrote it."""
        checksums = {line.get(SETTLED) for line in self._lines} - {None}
        return self.settled.is_file() and checksum_of_bytes(read_bytes(self.settled)) in checksums

    def found(self) -> dict[int, Line]:
        """Return the decisions by the numbers of the disagreements."""
        by_key = {line["key"]: line for line in self._lines if "key" in line}
        return {number: by_key[key] for number, key in enumerate(self.keys) if key in by_key}

    def refuse_to_lose(self, text: str | None = None, *, force: bool = False) -> None:
        """Raise ``FileProblem`` if the settled file would replace something else; ``text`` may replace its equal."""
        refuse_to_overwrite(self.settled, force=force or self.wrote_settled, text=text)

    def keep(self, number: int, one: Disagreement, decision: Line, value: Value) -> Line:
        """Write a decision in the place of an earlier one about the same, and return its line."""
        about = {"key": self.keys[number], "item": one.item, "what": str(one.kind)}
        places = {"first": one.place[0], "second": one.place[1]}
        result = {RESULTS.get(one.kind, KEPT): json_value(value)}
        return self._add("key", about | places | decision | result | {"time": now()})

    def finish(self, checksum: str, told: Line) -> None:
        """Write the line about the settled file."""
        self._add(SETTLED, {SETTLED: checksum} | told | {"time": now()})

    def _add(self, field: str, new: Line) -> Line:
        """Add a line, without the earlier one that has the same key, or that is about the settled file too."""

        def changed(lines: list[Line]) -> list[Line]:
            same = new[field] if field == "key" else None
            kept = [line for line in lines if field not in line or (same is not None and line[field] != same)]
            self._lines = [*kept, new]
            return self._lines

        self.file.change(changed)
        return new


@dataclass(frozen=True)
class Summary:
    """The numbers of disagreements by what was chosen and by who decided."""

    disagreements: int
    chosen: dict[str, int]
    decided_by: dict[str, int]

    def __str__(self) -> str:
        """Return a line such as ``of 31 disagreements: ann 18, bob 9, edited 4; decided by eve``."""
        if not self.disagreements:
            return "no disagreements"
        chosen = ", ".join(f"{name} {number:,}" for name, number in self.chosen.items() if number)
        several = len(self.decided_by) > 1
        people = (f"{name} ({number:,})" if several else name for name, number in self.decided_by.items())
        return f"of {count(self.disagreements, 'disagreement')}: {chosen}; decided by {', '.join(people)}"


class Settling:
    """The disagreements of two versions as decisions (:class:`tsgkit.serve.decision_protocol.Decidable`)."""

    in_order = False

    def __init__(self, versions: Versions, out: Path, annotator: str, *, force: bool = False) -> None:
        """Open the decisions made so far.

        Raise ``UsageError`` if the versions cannot be settled, or if something else lies in the place of a file.
        """
        if not annotator.strip():
            raise UsageError("decisions need the name of who decides", hint="--annotator NAME")
        _refuse_unreadable(versions)
        for path in (out, decisions_file(out)):
            refuse_to_overwrite_sources(path, versions.first.file, versions.second.file)
        self.versions, self.out, self.annotator = versions, out, annotator.strip()
        self._force = force
        self._original = read_text(versions.first.file)
        self._merger = Merger(versions)
        self.disagreements = self._merger.disagreements
        self._kept = SettledDecisions(out, self.disagreements, force=force)
        self._lines = self._kept.found()
        self._values = {number: self._value_of(number, line) for number, line in self._lines.items()}
        self._kept.refuse_to_lose(self._text() if self.is_finished else None, force=force)

    def _value_of(self, number: int, line: Line) -> Value:
        """Return the part that a kept decision leads to."""
        try:
            return view.chosen_value(self.disagreements[number], str(line.get("choice")), line.get("edited"))
        except UsageError as error:
            hint = "the file was changed by hand: mend or remove the line"
            raise UsageError(
                f"{decisions_file(self.out)}: item {line.get('item')}: {error.message}", hint=hint
            ) from None

    @property
    def title(self) -> str:
        """The heading of the page."""
        first, second = self.versions.names
        return f"Disagreements of {first} and {second}"

    @property
    def done_message(self) -> str:
        """The words about what follows when all is decided."""
        return f"The settled version is written to {self.out.name}."

    @property
    def is_finished(self) -> bool:
        """True if all is decided."""
        return len(self._lines) == len(self.disagreements)

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about what is not decided, and what of the first file is not kept."""
        lost = (
            f"not kept of {self.versions.first.file}: {what}" for what in losses(self.versions.first, self._original)
        )
        unused = self._kept.unused
        stale = [f"{count(unused, 'decision')} about earlier content of the files not used"] if unused else []
        return (*self._merger.notes, *lost, *stale)

    def entries(self) -> list[Entry]:
        """Return all disagreements, in order."""
        return [
            {
                "name": one.name,
                "decision": self._label(self._lines[number]) if number in self._lines else None,
                "kind": str(one.kind),
            }
            for number, one in enumerate(self.disagreements)
        ]

    def shown(self, number: int) -> Shown:
        """Return one disagreement."""
        one, names = self.disagreements[number], self.versions.names
        line = self._lines.get(number)
        is_edited = line is not None and line["choice"] == EDIT
        return {
            "name": one.name,
            "context": view.context_of(one),
            "parts": view.parts_of(one, names),
            "reason": view.reason_of(one, names),
            "code": "",
            "choices": view.choices_of(one, names),
            "edit": view.edit_of(one, self._values.get(number), is_edited=is_edited),
            "decided": None if line is None else _decided(line),
        }

    def decide(self, number: int, choice: str, edited: Any, note: str = "") -> None:  # noqa: ANN401  (as JSON has it)
        """Keep a decision, in the place of an earlier one. Raise ``UsageError`` if it cannot be carried out."""
        one = self.disagreements[number]
        if len(note) > LONGEST_NOTE:
            raise UsageError(f"the note has {len(note):,} characters, not at most {LONGEST_NOTE:,}", hint="shorten it")
        value = view.chosen_value(one, choice, edited)
        if choice == view.NONE:
            choice = view.FIRST if one.first is None else view.SECOND
        self._check(number, value)
        said = {"edited": edited} if choice == EDIT else {}
        told = {"note": note} if note else {}
        decision = {"choice": choice, "taken": self._label({"choice": choice}), **said, **told, "by": self.annotator}
        self._lines[number] = self._kept.keep(number, one, decision, value)
        self._values[number] = value

    def _check(self, number: int, value: Value) -> None:
        """Raise ``UsageError`` if the format has no place for a decision."""
        decided = {**self._values, number: value}
        try:
            rewritten(self._merger.merged_item(number, decided), self._original)
        except TsgkitError:
            try:  # an item that cannot stand alone may stand among others
                rewritten(self._merger.merged(decided), self._original)
            except TsgkitError as error:
                raise UsageError(error.message, hint=error.hint or "decide otherwise") from None

    def _label(self, line: Line) -> str:
        """Return what was chosen, in words."""
        names = dict(zip((view.FIRST, view.SECOND), self.versions.names, strict=True))
        return names.get(line["choice"], "edited" if line["choice"] == EDIT else str(line["choice"]))

    def document(self) -> Document:
        """Return the settled document; what is not decided is as in the first version."""
        return self._merger.merged(self._values)

    def _text(self) -> str:
        return rewritten(self.document(), self._original)

    @property
    def summary(self) -> Summary:
        """The numbers of decisions."""
        chosen = Counter(dict.fromkeys((*self.versions.names, "edited"), 0))
        chosen.update(self._label(line) for line in self._lines.values())
        by = Counter(str(line.get("by")) for line in self._lines.values())
        return Summary(len(self.disagreements), dict(chosen), dict(by))

    def write(self) -> Summary:
        """Write the settled file. Raise ``UsageError`` unless all is decided."""
        if not self.is_finished:
            left = len(self.disagreements) - len(self._lines)
            raise UsageError(f"{count(left, 'decision')} to make first", hint="decide, and write then")
        text, summary = self._text(), self.summary
        self._kept.refuse_to_lose(text, force=self._force)
        write_text(self.out, text)
        files = {"file": self.out.name, "of": [self.versions.first.file, self.versions.second.file]}
        numbers = {"disagreements": summary.disagreements, "chosen": summary.chosen, "decided_by": summary.decided_by}
        self._kept.finish(checksum_of_bytes(text.encode()), files | numbers)
        return summary


def _decided(line: Line) -> Decided:
    found: Decided = {"choice": line["choice"], "by": str(line.get("by", "")), "time": str(line.get("time", ""))}
    if "edited" in line:
        found["edited"] = line["edited"]
    if "note" in line:
        found["note"] = str(line["note"])
    return found


def _refuse_unreadable(versions: Versions) -> None:
    """Raise ``UsageError`` where settling would lose something that was not read, or could not be written."""
    for document in (versions.first, versions.second):
        if document.file == STDIN:
            raise UsageError("standard input cannot be settled", hint="write it to a file first")
        unread = next((one for one in document.findings if one.code in UNREAD), None)
        if unread is not None:
            line = f" line {unread.place.line}:" if unread.place.line else ""
            hint = "mend it so that nothing is lost; tsgkit check shows all"
            raise UsageError(f"{document.file}:{line} {unread.message}", hint=hint)
    first = versions.first
    if not formats.by_name(first.format).writes:
        hint = f"tsgkit convert {first.file} OUT.jsonl, and settle that"
        raise UsageError(f"{first.file}: {first.format} is read, never written", hint=hint)
