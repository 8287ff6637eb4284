"""Validation of the files of a run: a header or line that does not fit is named.

>>> plan_of({"tsgkit": "9.0", "plan": {"tasks": ["tsg/sgqa"], "beams": 4}}, Path("runs/x"))
Traceback (most recent call last):
tsgkit.errors.FileProblem: runs/x/run.json: plan: beams: Extra inputs are not permitted (written by tsgkit 9.0)
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from math import isfinite
from pathlib import Path
from types import NoneType
from typing import Any

from pydantic import ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.llm.reply import reply_from
from tsgkit.runs.journal import CHANGED, is_sealed, line_at, lines_of, raw_lines
from tsgkit.runs.plan import AXES, WAY, Plan
from tsgkit.runs.shards import WRITTEN as SHARD
from tsgkit.scoring.outcomes import Outcome
from tsgkit.version import __version__

HEADER = "run.json"
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
    if not all(isinstance(one, dict) for one in asked["models"].values()):
        raise FileProblem(f"{file}: asked: models: not what a run has there", hint=_hint(header))
    if "shard" in header and not (isinstance(header["shard"], str) and SHARD.fullmatch(header["shard"])):
        raise FileProblem(f"{file}: shard: not what a run has there", hint=_hint(header))
    if type(header.get(RECORDS, 0)) is not int:
        raise FileProblem(f"{file}: {RECORDS}: not what a run has there", hint=_hint(header))
    if not all(isinstance(one, str) for one in header["command"]):
        raise FileProblem(f"{file}: command: not a list of words", hint=_hint(header))
    return plan_of(header, path)


def _hint(header: Mapping[str, Any]) -> str:
    written = header.get("tsgkit")
    return "the file was changed by hand" if written == __version__ else "use the version that wrote it, or a newer one"


class Misfit(ValueError):
    """The reason why a line is no record of its run."""

    def at(self, path: Path, place: int) -> FileProblem:
        """Return the error for the line that begins at a place of ``samples.jsonl``."""
        return FileProblem(f"{line_at(path, place)}: {self}", hint=_remedy(path))


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
    for place, line in raw_lines(path, start):
        try:
            record = sample_of(line)
        except Misfit as misfit:
            raise misfit.at(path, place) from None
        yield place, record


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
    for place, value in lines_of(path, start=start):
        try:
            field = wrong(value)
        except KeyError as error:
            raise FileProblem(f"{line_at(path, place)}: no field {error.args[0]}", hint=CHANGED) from None
        if field:
            hint = f"{CHANGED}; a newer version of tsgkit may have written it"
            raise FileProblem(f"{line_at(path, place)}: {field}: not what a run has there", hint=hint)
        yield place, value


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
    return "" if isinstance(messages, list) and all(isinstance(one, dict) for one in messages) else "messages"
