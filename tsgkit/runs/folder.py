"""Run folders: the header, every call, every sample; a header or line that does not fit is named.

``run.json``       what was asked of whom: plan, versions, hashes, seeds, parameters; keys are redacted
``calls.jsonl``    every call as it came back, written before anything else sees it
``prompts.jsonl``  every prompt once, by its hash
``batches.jsonl``  with ``--batch`` only: what was sent as batches, and what of it was collected
``samples.jsonl``  every judged sample; derived from the calls, and made anew whenever that is asked for

One process at a time may write a run.

>>> plan_of({"tsgkit": "9.0", "plan": {"tasks": ["tsg/sgqa"], "beams": 4}}, Path("runs/x"))
Traceback (most recent call last):
tsgkit.errors.FileProblem: runs/x/run.json: plan: beams: Extra inputs are not permitted (written by tsgkit 9.0)
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import IO, Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import read_text, write_text
from tsgkit.llm.door import Call, SentPrompt
from tsgkit.llm.reply import Ending, Reply, Usage, reply_from, reply_value
from tsgkit.runs.journal import CHANGED, KEPT, Journal, is_sealed, line_at, lines_of, raw_lines
from tsgkit.runs.plan import AXES, WAY, Plan
from tsgkit.runs.shards import WRITTEN
from tsgkit.scoring.pooling import Outcome
from tsgkit.version import __version__

HEADER, CALLS, PROMPTS, SAMPLES, LOCK = "run.json", "calls.jsonl", "prompts.jsonl", "samples.jsonl", ".lock"
BATCHES = "batches.jsonl"
FORMAT = 2
"""The format of run folders; it changes where a version could not read what an earlier one wrote."""
SHARD = "shard"
"""Header field with the shard in this folder; without it the folder holds everything."""


RECORDS = "records"
"""The field of a header that says how many samples had a record when the run last ended."""
HEADER_FIELDS = {"identity": str, "tsgkit": str, "command": list, "begun": str}
EVALUATION_FIELDS = {"name": str, "plan": dict, "asked": dict, "data": dict, "samples": int, "reader": int}
CALL_FIELDS = {"subject": str, "task": str, "sample": str, "label": str, "draw": int, "repeat": int}
CELL_FIELDS = {**dict.fromkeys(WAY, str), "repeat": int, "item_id": str}
SAMPLE_FIELDS = {"cluster": str, "groups": dict, "notes": list, "why": dict}
HASH = re.compile("[0-9a-f]{1,64}")
OUTCOMES = frozenset(map(str, Outcome))
USAGE = frozenset(
    "calls from_cache requests seconds untold unpriced prompt completion reasoning cached cost".split()  # noqa: SIM905
)
"""Fields of the usage of a sample for which a model was asked."""
Lines = Iterator[tuple[int, dict[str, Any]]]


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
        for offset, value in calls_in(self.calls.path):
            call, reply = _call_of(value), reply_from(value["reply"])
            self._count(reply)
            self._note_request(call, reply, offset)
            if value["reply"]["ending"] == Ending.API_ERROR and not value["reply"].get("final"):
                places.pop(_digest(call), None)
            else:
                places[_digest(call)] = offset
        return places

    def _count(self, reply: Reply) -> None:
        if reply.source == "model":
            self.requests += reply.requests
            tokens = {name: getattr(reply.usage, name) or 0 for name in Usage.__dataclass_fields__}
            self.spent = self.spent + Usage(**tokens)

    def find(self, call: Call) -> Reply | None:
        """Return the recorded reply to a call."""
        offset = self._places.get(_digest(call))
        if offset is None:
            return None
        value = self.calls.read(offset)
        return reply_from(value["reply"]) if _call_of(value) == call else None

    def find_same(self, call: Call) -> Reply | None:
        """Return a recorded reply to the same request, for any item or subject."""
        offset = self._requests.get(_digest(call.request))
        if offset is None:
            return None
        value = self.calls.read(offset)
        return reply_from(value["reply"]) if _call_of(value).request == call.request else None

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        """Record a reply before it is used."""
        name = "" if prompt is None else prompt.hash
        if prompt is not None and (short := _short(name)) not in self._prompts:
            self.prompts.add({"hash": name, "messages": prompt.messages})
            self._prompts.add(short)
        value = {**call._asdict(), "prompt": name, "reply": reply_value(reply)}
        offset = self.calls.add({field: part for field, part in value.items() if part not in ("", None)})
        self._note_request(call, reply, offset)

    def _note_request(self, call: Call, reply: Reply, offset: int) -> None:
        """Remember the position of the first complete reply to a request."""
        if reply.source == "model" and reply.ending is Ending.COMPLETE:
            self._requests.setdefault(_digest(call.request), offset)

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


def _check_shard(path: Path, header: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Raise ``UsageError`` where a folder holds another shard of the same work, or all of it."""
    there, given = (f"shard {mine[SHARD]}" if SHARD in mine else "all of it" for mine in (header, wanted))
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
    fields = Call._fields[: -len(AXES)]
    return Call(*(value.get(name, "") for name in fields), *(value.get(name) for name in AXES))


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


def differences(header: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Name the parts of the identities that differ."""
    mine, theirs = identifying(wanted["asked"]), identifying(header["asked"])
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


def check_header(value: object, path: Path, fields: Mapping[str, type] = HEADER_FIELDS) -> None:
    """Raise ``FileProblem`` where a header lacks one of these fields, or has something else in its place."""
    file = path / HEADER
    if not isinstance(value, dict):
        raise FileProblem(f"{file}: not an object", hint="the file was changed by hand")
    for name, kind in fields.items():
        if name not in value:
            raise FileProblem(f"{file}: no field {name}", hint="the file was changed by hand")
        if not isinstance(value[name], kind) or isinstance(value[name], bool):
            raise FileProblem(f"{file}: {name}: not what a run has there", hint=_hint(value))


def plan_of(header: Mapping[str, Any], path: Path) -> Plan:
    """Return the plan in the header of an evaluation."""
    try:
        return Plan.model_validate(header["plan"])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ": ".join(["plan", *map(str, first["loc"][:1])])
        by = f" (written by tsgkit {header.get('tsgkit')})"
        raise FileProblem(f"{path / HEADER}: {field}: {first['msg']}{by}", hint=_hint(header)) from None


def check_evaluation(header: Mapping[str, Any], path: Path) -> Plan:
    """Return the plan of an evaluation whose header has all that showing it takes."""
    if "plan" not in header and isinstance(header.get("asked"), dict) and "work" in header["asked"]:
        words = f"{path}: no evaluation, but the calls of {header['asked']['work']}"
        raise UsageError(words, hint="the command that began it goes on with it")
    check_header(header, path, EVALUATION_FIELDS)
    asked, file = header["asked"], path / HEADER
    for name in ("data", "models", "items"):
        if not isinstance(asked.get(name), dict):
            raise FileProblem(f"{file}: asked: no field {name}", hint=_hint(header))
    if not all(isinstance(mine, dict) for mine in asked["models"].values()):
        raise FileProblem(f"{file}: asked: models: not what a run has there", hint=_hint(header))
    if "shard" in header and not (isinstance(header["shard"], str) and WRITTEN.fullmatch(header["shard"])):
        raise FileProblem(f"{file}: shard: not what a run has there", hint=_hint(header))
    if type(header.get(RECORDS, 0)) is not int:
        raise FileProblem(f"{file}: {RECORDS}: not what a run has there", hint=_hint(header))
    if not all(isinstance(mine, str) for mine in header["command"]):
        raise FileProblem(f"{file}: command: not a list of words", hint=_hint(header))
    return plan_of(header, path)


def _hint(header: Mapping[str, Any]) -> str:
    written = header.get("tsgkit")
    return "the file was changed by hand" if written == __version__ else "use the version that wrote it, or a newer one"


class Misfit(ValueError):
    """The reason why a line is no record of its run."""

    def at(self, path: Path, offset: int) -> FileProblem:
        """Return the error for the line that begins at a place of ``samples.jsonl``."""
        return FileProblem(f"{line_at(path, offset)}: {self}", hint=_remedy(path))


def check_number(recorded: int, least: int, path: Path) -> None:
    """Raise ``FileProblem`` where ``samples.jsonl`` has records of fewer samples than when the run last ended."""
    if recorded < least:
        raise FileProblem(
            f"{path}: samples with a record: {recorded:,}; when the run last ended: {least:,}", hint=_remedy(path)
        )


def _remedy(path: Path) -> str:
    return f"tsgkit rescore {path.parent} makes all records anew from the recorded replies"


def samples_in(path: Path, start: int = 0) -> Lines:
    """Yield the records of ``samples.jsonl`` with their places, from a place on; none where there is no file yet."""
    for offset, line in raw_lines(path, start):
        try:
            record = sample_of(line)
        except Misfit as misfit:
            raise misfit.at(path, offset) from None
        yield offset, record


def sample_of(line: bytes) -> dict[str, Any]:
    """Return the record that a line of ``samples.jsonl`` holds. Raise ``Misfit`` where it is not as it was written."""
    if not is_sealed(line):
        raise Misfit("not the record that was written: its digest is missing or another")
    try:
        value: dict[str, Any] = json.loads(line)
    except (ValueError, RecursionError):
        raise Misfit("not JSON") from None
    try:
        field = _wrong_sample(value)
    except KeyError as error:
        raise Misfit(f"no field {error.args[0]}; another version of tsgkit wrote it") from None
    if field:
        raise Misfit(f"{field}: not what a run has there; another version of tsgkit wrote it")
    return value


def calls_in(path: Path, start: int = 0) -> Lines:
    """Yield the lines of ``calls.jsonl`` with their places, from a place on; none where there is no file yet."""
    return _checked(path, _wrong_call, start)


def prompts_in(path: Path, start: int = 0) -> Lines:
    """Yield the lines of ``prompts.jsonl`` with their places, from a place on; none where there is no file yet."""
    return _checked(path, _wrong_prompt, start)


def _checked(path: Path, wrong: Callable[[dict[str, Any]], str], start: int) -> Lines:
    for offset, value in lines_of(path, start=start):
        try:
            field = wrong(value)
        except KeyError as error:
            raise FileProblem(f"{line_at(path, offset)}: no field {error.args[0]}", hint=CHANGED) from None
        if field:
            hint = f"{CHANGED}; a newer version of tsgkit may have written it"
            raise FileProblem(f"{line_at(path, offset)}: {field}: not what a run has there", hint=hint)
        yield offset, value


def _wrong_sample(value: dict[str, Any]) -> str:
    """Return the first field that is wrong; empty where none is."""
    if field := _wrong_field(value, CELL_FIELDS) or _wrong_axis(value):
        return field
    if not isinstance(value["outcome"], str) or value["outcome"] not in OUTCOMES:
        return "outcome"
    if field := _wrong_field(value, SAMPLE_FIELDS):
        return field
    if lacking := [name for name in ("answer", "evidence") if name not in value]:
        raise KeyError(lacking[0])
    for name in ("counts", "usage"):
        if not _are_numbers(value[name]):
            return name
    if value["usage"] and not value["usage"].keys() >= USAGE:
        return "usage"
    if not isinstance(value["error"], str | None):
        return "error"
    return "" if _are_parts(value["parts"]) else "parts"


def _wrong_field(value: dict[str, Any], kinds: Mapping[str, type]) -> str:
    return next((name for name, kind in kinds.items() if type(value[name]) is not kind), "")


def _wrong_axis(value: dict[str, Any]) -> str:
    if value.keys().isdisjoint(AXES):
        return ""
    kinds = zip(AXES, (int, str, int), strict=True)
    return next((name for name, kind in kinds if type(value.get(name)) not in (kind, NoneType)), "")


def _are_numbers(value: object) -> bool:
    try:
        return isinstance(value, dict) and all(map(isfinite, value.values()))
    except (TypeError, OverflowError):
        return False


def _are_parts(value: object) -> bool:
    """Return whether these are sums with weights by metric and profile; every record is checked, so speed counts."""
    if not isinstance(value, dict) or not all(isinstance(of, dict) for of in value.values()):
        return False
    pairs = [part for of in value.values() for part in of.values()]
    if not set(map(type, pairs)) <= {list} or not set(map(len, pairs)) <= {2}:
        return False
    try:
        return all(map(isfinite, chain.from_iterable(pairs))) and all(weight >= 0 for _, weight in pairs)
    except (TypeError, OverflowError):
        return False


def _wrong_call(value: dict[str, Any]) -> str:
    for name in ("solver", "style", "prompt"):
        if not isinstance(value.get(name, ""), str):
            return name
    if field := _wrong_field(value, CALL_FIELDS) or _wrong_axis(value):
        return field
    try:
        reply = reply_from(value["reply"])
    except (TypeError, ValueError, AttributeError, KeyError):
        return "reply"
    texts = (reply.text, reply.refusal, reply.error, reply.source)
    return "" if all(isinstance(text, str | None) for text in texts) else "reply"


def _wrong_prompt(value: dict[str, Any]) -> str:
    if not isinstance(value["hash"], str) or not HASH.fullmatch(value["hash"]):
        return "hash"
    messages = value["messages"]
    return "" if isinstance(messages, list) and all(isinstance(message, dict) for message in messages) else "messages"
