"""Run folders: the header, every call, every sample.

``run.json``       what was asked of whom: plan, versions, hashes, seeds, parameters; keys are redacted
``calls.jsonl``    every call as it came back, written before anything else sees it
``prompts.jsonl``  every prompt once, by its hash
``batches.jsonl``  with ``--batch`` only: what was sent as batches, and what of it was collected
``samples.jsonl``  every judged sample; derived from the calls, and made anew whenever that is asked for

One process at a time may write a run.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import IO, Any

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text, write_text
from tsgkit.llm.door import Call, Prompt
from tsgkit.llm.reply import Ending, Reply, Usage, reply_from, reply_value
from tsgkit.runs.journal import KEPT, Journal
from tsgkit.runs.plan import AXES, WAY
from tsgkit.runs.run_files import HEADER as HEADER
from tsgkit.runs.run_files import calls_in, check_header, prompts_in

CALLS, PROMPTS, SAMPLES, LOCK = "calls.jsonl", "prompts.jsonl", "samples.jsonl", ".lock"
BATCHES = "batches.jsonl"
FORMAT = 2
"""The format of run folders; it changes where a version could not read what an earlier one wrote."""
SHARD = "shard"
"""Header field with the shard in this folder; without it the folder holds everything."""


def read_header(folder: Path) -> dict[str, Any]:
    """Return the header of a run. Raise ``UsageError`` if the folder holds no run."""
    if not (folder / HEADER).is_file():
        raise UsageError(f"{folder}: no run lies here: it has no {HEADER}", hint="tsgkit runs list shows what there is")
    try:
        value: dict[str, Any] = json.loads(read_text(folder / HEADER))
    except ValueError:
        raise FileProblem(f"{folder / HEADER}: not JSON") from None
    except RecursionError:
        raise FileProblem(f"{folder / HEADER}: nested too deeply") from None
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise UsageError(
            f"{folder}: another version of tsgkit wrote this run: its format is not {FORMAT}",
            hint="use the version that wrote it",
        )
    check_header(value, folder)
    return value


class RunFolder:
    """An open run folder, which is also the recorder of its calls."""

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        """Open a run that has this identity, or begin it."""
        self.path = path
        self._journals: list[Journal] = []
        self._lock = locked(path)
        try:
            self.header = self._begun(header)
            self.calls = self._journal(CALLS, "subject", "task", "sample", "reply")
            self.prompts = self._journal(PROMPTS, "hash")
            self.samples = self._journal(SAMPLES, *WAY, "item_id", "outcome")
            self.requests, self.spent = 0, Usage(0, 0, 0, 0, 0.0)
            self._requests: dict[int, int] = {}
            self._places = self._index()
            self._prompts = {_short(value["hash"]) for _, value in prompts_in(self.prompts.path)}
        except BaseException:
            self.close()
            raise

    def _journal(self, name: str, *fields: str) -> Journal:
        journal = Journal(self.path / name, *fields)
        self._journals.append(journal)
        return journal

    @cached_property
    def batches(self) -> Journal:
        """The journal of batches; its file is made when it is first needed."""
        return self._journal(BATCHES, "step", "mark")

    def _begun(self, header: dict[str, Any]) -> dict[str, Any]:
        if (found := same_run(self.path, header)) is not None:
            return found
        self._write_header(header)
        return header

    def update_header(self, **changes: object) -> None:
        """Write new facts about the run into its header."""
        if any(self.header.get(name) != value for name, value in changes.items()):
            self.header |= changes
            self._write_header(self.header)

    def _write_header(self, header: dict[str, Any]) -> None:
        """Write the header, escaped, since file names may not be valid text."""
        try:
            write_text(self.path / HEADER, json.dumps(header, indent=2) + "\n")
        except FileProblem as error:
            raise FileProblem(error.message, hint=KEPT) from None

    def _index(self) -> dict[int, int]:
        """Return the positions of answered calls; calls that ended in a passing error are made again."""
        places: dict[int, int] = {}
        for place, value in calls_in(self.calls.path):
            call, reply = _call_of(value), reply_from(value["reply"])
            self._count(reply)
            self._note_request(call, reply, place)
            if value["reply"]["ending"] == Ending.API_ERROR and not value["reply"].get("final"):
                places.pop(_digest(call), None)
            else:
                places[_digest(call)] = place
        return places

    def _count(self, reply: Reply) -> None:
        if reply.source == "model":
            self.requests += reply.requests
            told = {name: getattr(reply.usage, name) or 0 for name in Usage.__dataclass_fields__}
            self.spent = self.spent + Usage(**told)

    def find(self, call: Call) -> Reply | None:
        """Return the recorded reply to a call."""
        place = self._places.get(_digest(call))
        if place is None:
            return None
        value = self.calls.read(place)
        return reply_from(value["reply"]) if _call_of(value) == call else None

    def find_same(self, call: Call) -> Reply | None:
        """Return a recorded reply to the same request, for any item or subject."""
        place = self._requests.get(_digest(call.request))
        if place is None:
            return None
        value = self.calls.read(place)
        return reply_from(value["reply"]) if _call_of(value).request == call.request else None

    def write(self, call: Call, prompt: Prompt | None, reply: Reply) -> None:
        """Record a reply before it is used."""
        name = "" if prompt is None else prompt.hash
        if prompt is not None and (short := _short(name)) not in self._prompts:
            self.prompts.add({"hash": name, "messages": prompt.messages})
            self._prompts.add(short)
        value = {**call._asdict(), "prompt": name, "reply": reply_value(reply)}
        place = self.calls.add({field: part for field, part in value.items() if part not in ("", None)})
        self._note_request(call, reply, place)

    def _note_request(self, call: Call, reply: Reply, place: int) -> None:
        """Remember the position of the first complete reply to a request."""
        if reply.source == "model" and reply.ending is Ending.COMPLETE:
            self._requests.setdefault(_digest(call.request), place)

    def close(self) -> None:
        """Let go of the files."""
        for journal in self._journals:
            journal.close()
        self._lock.close()


def same_run(
    path: Path, header: dict[str, Any], hint: str = "give another --out, or --new to begin afresh"
) -> dict[str, Any] | None:
    """Return the header of the run in a folder; None where none has begun, ``UsageError`` where it is another one."""
    found = read_header(path) if (path / HEADER).exists() else None
    if found is None:
        return None
    if found["identity"] == header["identity"]:
        _check_shard(path, found, header)
        return found
    if _is_empty(path / CALLS):  # it had ended before anything was asked: nothing is lost
        return None
    what = "; ".join(differences(found, header)) or "something that can change an answer differs"
    raise UsageError(f"{path}: another run lies here ({what})", hint=hint)


def _check_shard(path: Path, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise ``UsageError`` where a folder holds another shard of the same work, or all of it."""
    there, given = (f"shard {one[SHARD]}" if SHARD in one else "all of it" for one in (found, wanted))
    if there != given:
        raise UsageError(f"{path}: {there} lies here, not {given}", hint="give another --out, or the same --shard")


def put_aside(path: Path) -> Path:
    """Rename a run or file unless a process is using it, and return the new path."""
    aside = path.with_name(f"{path.name}.until-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}")
    with locked(path) if (path / HEADER).is_file() else nullcontext():
        try:
            return path.rename(aside)
        except OSError as error:
            raise FileProblem(f"{path}: cannot be put aside: {error.strerror}") from None


def _call_of(value: dict[str, Any]) -> Call:
    own = Call._fields[: -len(AXES)]
    return Call(*(value.get(name, "") for name in own), *(value.get(name) for name in AXES))


def _digest(call: tuple[object, ...]) -> int:
    return int.from_bytes(hashlib.blake2b(repr(tuple(call)).encode(), digest_size=8).digest())


def _short(name: str) -> int:
    return int(name[:16], 16)


def _is_empty(path: Path) -> bool:
    return not path.is_file() or not path.stat().st_size


def locked(path: Path, what: str = "the run") -> IO[str]:
    """Return the lock on a folder, which is made if it is not there; ``UsageError`` where another process holds it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        lock = (path / LOCK).open("a")
    except OSError as error:
        raise FileProblem(f"{path}: {what} cannot be kept here: {error.strerror}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.close()
        raise UsageError(f"{path}: another process is working on {what}", hint="wait for it, or end it") from None
    os.set_inheritable(lock.fileno(), False)
    return lock


def identifying(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of ``asked`` that identify a run: of a task's card its version, but not the hash of its text."""
    tasks = asked.get("tasks", {})
    versions = {name: {"version": card.get("version")} for name, card in tasks.items()}
    return {**asked, **({"tasks": versions} if tasks else {})}


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Name the parts of the identities that differ."""
    mine, theirs = identifying(wanted["asked"]), identifying(found["asked"])
    return [f"{name} differs" for name in _differing(mine, theirs)]


def _differing(mine: dict[str, Any], theirs: dict[str, Any]) -> Iterator[str]:
    for name in dict.fromkeys((*mine, *theirs)):
        one, other = mine.get(name), theirs.get(name)
        if name == "effort" and isinstance(one, dict) and isinstance(other, dict):
            yield from (f"{name}: {part}" for part in _differing(one, other))
        elif one != other:
            yield name


def refuse_inside_a_run(file: Path, runs: Sequence[Path] = ()) -> None:
    """Raise ``FileProblem`` for a file, or a folder, that lies in a run or is one."""
    for folder in {*(path.resolve() for path in runs), *file.resolve().parents, file.resolve()}:
        if folder in (file.resolve(), *file.resolve().parents) and (folder / HEADER).is_file():
            raise FileProblem(
                f"{file}: lies in the run {folder}, whose files are not touched", hint="write to another folder"
            )
