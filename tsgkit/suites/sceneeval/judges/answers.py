"""Answers of judges of scenes, and the JSON schemas and readers of those of a model.

>>> read_category('A bed.\\n```json\\n{"reason": "four legs", "category": "Double bed"}```', ["double_bed", "sofa"])
'double_bed'
>>> read_category('{"category": "spaceship"}', ["double_bed", "sofa"])
AnswerFault(reason="'spaceship' is none of the categories")
>>> read_holds('{"holds": {"1": true}}', 2)
AnswerFault(reason='it says nothing of 2')

Every answer is checked against the question. A name that was not offered, or a missing part, is an :class:`AnswerFault`
with its reason; it is never interpreted as something else. A judge that cannot answer returns an ``Unknown`` with the
reason and never stops a run. Its answers are part of the transcript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from tsgkit.geometry import ELEMENTS, RELATIONS_OF_OBJECTS, RELATIONS_TO_ROOMS, SIDED
from tsgkit.geometry.paths import SIDES
from tsgkit.geometry.relations import RANGES
from tsgkit.geometry.support import TYPES
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import TOO_MUCH, values_in
from tsgkit.replies.reasoning import spoken
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judges.judge import Unknown
from tsgkit.suites.sceneeval.annotations import spaced
from tsgkit.suites.sceneeval.word_meanings import MeasuredRelation

FUNCTIONAL = tuple(SIDES)
BESIDE = ("wall", "door", "window")
"""The built elements to which distances are measured."""
NOTHING = ("", "none", "null", "not_matched", "not matched", "no category")
YES, NO = ("true", "yes"), ("false", "no")
SHOWN = 60
"""The maximum number of characters of an invalid answer in a reason."""
MEANINGS = {
    str(meant): meant
    for name in RELATIONS_OF_OBJECTS
    for meant in ([MeasuredRelation(name, side) for side in SIDED[name]] if name in SIDED else [MeasuredRelation(name)])
}
"""The measured relations between objects, with each of their sides, by name."""
Key = TypeVar("Key", str, int)
Value = TypeVar("Value")


class AttributeAnswer(NamedTuple):
    """An answer on an attribute: True or False for each instance, None if unknown.

    ``failed`` holds the reason if a model was asked but gave no usable answer.
    """

    instances: Mapping[str, bool | None]
    reason: str = ""
    failed: Unknown | None = None


class MeasuredRoomRelation(NamedTuple):
    """A measured relation to a built element, and the floors it applies to (none: all)."""

    type: str
    element: str
    floors: tuple[str, ...] = ()


def unknowns(answers: Iterable[object]) -> list[Unknown]:
    """Return the unknown answers, without duplicates."""
    failed = (answer.failed if isinstance(answer, AttributeAnswer) else answer for answer in answers)
    return list(dict.fromkeys(answer for answer in failed if isinstance(answer, Unknown)))


def ended(answers: Sequence[object]) -> Outcome:
    """Return the outcome of the calls: a service error anywhere, another failure only if no answer is usable."""
    failed = [answer for answer in unknowns(answers) if answer.outcome is not None]
    if any(answer.outcome is Outcome.API_ERROR for answer in failed):
        return Outcome.API_ERROR
    usable = any(
        not isinstance(answer, Unknown) and not (isinstance(answer, AttributeAnswer) and answer.failed)
        for answer in answers
    )
    first = failed[0].outcome if failed and not usable else None
    return first or Outcome.ANSWERED


@dataclass(frozen=True)
class AnswerFault:
    """The reason why an answer, or a part of it, is unusable."""

    reason: str


def read_category(text: str, categories: Sequence[str]) -> str | AnswerFault | None:
    """Read one of the offered categories, or None for "no category"."""
    answer = _field(text, "category")
    if isinstance(answer, AnswerFault):
        return answer
    if not (answer is None or isinstance(answer, str)):
        return AnswerFault(f"{_shortened(answer)} is no category")
    if answer in categories:
        return answer
    if answer is None or answer.strip().lower() in NOTHING:
        return None
    alike = (category for category in categories if spaced(category) == spaced(answer))
    return next(alike, AnswerFault(f"{_shortened(answer)} is none of the categories"))


def read_holds(text: str, count: int) -> tuple[bool, ...] | AnswerFault:
    """Read True or False for each of ``count`` objects."""
    answer = _field(text, "holds")
    if isinstance(answer, AnswerFault):
        return answer
    if isinstance(answer, list):
        answer = {str(number): verdict for number, verdict in enumerate(answer, 1)}
    if not isinstance(answer, dict):
        return AnswerFault(f"{_shortened(answer)} says nothing of any object")
    if len(answer) > count:
        return AnswerFault(f"it speaks of {len(answer)} objects, and {count} were shown")
    verdicts = [_read_truth(answer, number) for number in range(1, count + 1)]
    return next(
        (verdict for verdict in verdicts if isinstance(verdict, AnswerFault)),
        tuple(verdict is True for verdict in verdicts),
    )


def _read_truth(answers: Mapping[Any, Any], number: int) -> bool | AnswerFault:
    if str(number) not in answers:
        return AnswerFault(f"it says nothing of {number}")
    answer = answers[str(number)]
    word = answer.strip().lower() if isinstance(answer, str) else answer
    if isinstance(word, bool):
        return word
    return (
        True
        if word in YES
        else False
        if word in NO
        else AnswerFault(f"{_shortened(answer)}, said of {number}, is no yes or no")
    )


def read_support(text: str) -> str | AnswerFault:
    """Read the support of an object."""
    answer = _field(text, "held_by")
    if isinstance(answer, AnswerFault):
        return answer
    word = answer.strip().lower() if isinstance(answer, str) else answer
    return str(word) if word in TYPES else AnswerFault(f"{_shortened(answer)} is none of {', '.join(TYPES)}")


def read_sides(text: str, names: Sequence[str]) -> dict[str, tuple[str, ...] | AnswerFault] | AnswerFault:
    """Read the functional sides of each object, by id."""

    def sides(entry: Mapping[str, Any]) -> tuple[str, ...] | AnswerFault:
        listed = entry.get("sides")
        if not isinstance(listed, list):
            return AnswerFault(f"{_shortened(listed)} is no list of sides")
        words = [side.strip().lower() if isinstance(side, str) else side for side in listed]
        odd = [side for side in words if side not in FUNCTIONAL]
        return (
            AnswerFault(f"{_shortened(odd[0])} is none of {', '.join(FUNCTIONAL)}")
            if odd
            else tuple(dict.fromkeys(words))
        )

    return _read_each(_field(text, "objects"), "id", names, sides)


def read_object_relations(
    text: str, count: int
) -> dict[int, tuple[MeasuredRelation, ...] | AnswerFault | None] | AnswerFault:
    """Read the meaning of each numbered relation between objects, or None if it cannot be measured."""

    def meant(entry: Mapping[str, Any]) -> tuple[MeasuredRelation, ...] | AnswerFault | None:
        if "types" not in entry:
            return AnswerFault("it has no types")
        types = entry["types"]
        listed = types if isinstance(types, list) else [types]
        words = [_words(name) for name in listed if not _is_nothing(name)]
        odd = [word for word in words if word not in MEANINGS]
        if odd:
            return AnswerFault(f"{_shortened(odd[0])} is no relation that is measured")
        return tuple(dict.fromkeys(MEANINGS[word] for word in words)) or None

    return _read_each(_field(text, "relations"), "number", range(1, count + 1), meant)


def read_room_relations(
    text: str, count: int, floors: Sequence[str]
) -> dict[int, MeasuredRoomRelation | AnswerFault | None] | AnswerFault:
    """Read the meaning of each numbered relation to the room, or None if it cannot be measured."""

    known = {one_line(floor): floor for floor in floors}

    def meant(entry: Mapping[str, Any]) -> MeasuredRoomRelation | AnswerFault | None:
        if "type" not in entry:
            return AnswerFault("it has no type")
        if _is_nothing(entry["type"]):
            return None
        name, element = _words(entry["type"]), _words(entry.get("element"))
        if name not in RELATIONS_TO_ROOMS:
            return AnswerFault(f"{_shortened(name)} is no relation that is measured")
        if element not in (BESIDE if name in RANGES else ELEMENTS):
            return AnswerFault(f"{name} of {_shortened(element)} cannot be measured")
        listed = entry.get("floors") or []
        unknown = [floor for floor in listed if one_line(floor) not in known] if isinstance(listed, list) else [listed]
        if unknown:
            return AnswerFault(f"{_shortened(unknown[0])} is no floor of the building")
        return MeasuredRoomRelation(name, element, tuple(dict.fromkeys(known[one_line(floor)] for floor in listed)))

    return _read_each(_field(text, "relations"), "number", range(1, count + 1), meant)


def _field(text: str, name: str) -> Any:  # noqa: ANN401  (as JSON has it)
    """Return a field of the last JSON object that has it, after any reasoning. A list may stand alone."""
    reply = spoken(text)
    if isinstance(reply, Unreadable):
        return AnswerFault(reply.reason)
    values = values_in(reply.text)
    if values and values[-1].is_given_up:
        return AnswerFault(TOO_MUCH)
    if values and values[-1].is_cut:
        return AnswerFault("the reply ends in the middle")
    for json_part in reversed(values):
        if isinstance(json_part.value, dict) and name in json_part.value:
            return json_part.value[name]
        if (
            isinstance(json_part.value, list)
            and name in LISTED
            and json_part.value
            and isinstance(json_part.value[0], dict)
        ):
            return json_part.value
    return AnswerFault(f"there is no JSON object with {name} in the reply" if text.strip() else "the reply is empty")


LISTED = ("objects", "relations")


def last_json_in(text: str) -> str | None:
    """Return the last JSON value of a reply on one line, or None if there is none."""
    reply = spoken(text)
    values = [] if isinstance(reply, Unreadable) else values_in(reply.text)
    whole = [json_part.value for json_part in values if not json_part.is_cut]
    return json.dumps(whole[-1], ensure_ascii=False) if whole else None


def _read_each(
    listed: object, key: str, known: Iterable[Key], read: Callable[[Mapping[str, Any]], Value]
) -> dict[Key, Value | AnswerFault] | AnswerFault:
    """Return the answer on each thing asked about. Contradictory answers on a thing are a fault."""
    if isinstance(listed, AnswerFault):
        return listed
    if not isinstance(listed, list):
        return AnswerFault(f"{_shortened(listed)} is no list")
    entries: dict[str, list[Mapping[str, Any]]] = {}
    for entry in listed:
        if isinstance(entry, dict):
            entries.setdefault(one_line(entry.get(key)), []).append(entry)
    wanted = list(known)
    strange = [name for name in entries if name not in map(one_line, wanted)]
    more = f", but of {_shortened(strange[0])}, which was not asked about" if strange else ""
    answers = {entry: list(dict.fromkeys(map(read, entries.get(one_line(entry), ())))) for entry in wanted}
    return {
        entry: distinct[0]
        if len(distinct) == 1
        else AnswerFault("it is said twice, and differently" if distinct else f"nothing{more}")
        for entry, distinct in answers.items()
    }


def one_line(name: object) -> str:
    """Return a name as it appears in a list in a prompt: on one line, since names come from scene files."""
    return " ".join(str(name).split())


def _words(value: object) -> str:
    """Normalise a name: ``side_of(left)`` and ``Side_of: left`` become ``side_of left``."""
    return " ".join(re.findall(r"[a-z_]+", value.lower())) if isinstance(value, str) else str(value)


def _is_nothing(value: object) -> bool:
    return value is None or (isinstance(value, str) and value.strip().lower() in NOTHING)


def _shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}..."


Schema = dict[str, Any]
TEXT: Schema = {"type": "string"}


def category_schema(categories: Sequence[str]) -> Schema:
    """Return the schema for one of the categories, or null."""
    names = dict.fromkeys(map(spaced, categories))
    return _answer(reason=TEXT, category={"type": ["string", "null"], "enum": [*names, None]})


def holds_schema(count: int) -> Schema:
    """Return the schema for true or false under every number."""
    numbers = {str(number): {"type": "boolean"} for number in range(1, count + 1)}
    return _answer(reason=TEXT, holds=_object(numbers))


def support_schema() -> Schema:
    """Return the schema for one type of support."""
    return _answer(reason=TEXT, held_by={"type": "string", "enum": list(TYPES)})


def sides_schema(names: Sequence[str]) -> Schema:
    """Return the schema for the functional sides of every object."""
    sides = _list({"type": "string", "enum": list(FUNCTIONAL)})
    entry: dict[str, Schema] = {"id": {"type": "string", "enum": _distinct(names)}, "sides": sides}
    return _answer(objects=_list(_object(entry)))


def object_relations_schema() -> Schema:
    """Return the schema for the meanings of relations between objects."""
    types = _list({"type": "string", "enum": list(MEANINGS)})
    return _answer(relations=_list(_object({"number": {"type": "integer"}, "types": types})))


def room_relations_schema(floors: Sequence[str]) -> Schema:
    """Return the schema for the meanings of relations to the room."""
    entry: dict[str, Schema] = {
        "number": {"type": "integer"},
        "type": {"type": ["string", "null"], "enum": [*RELATIONS_TO_ROOMS, None]},
        "element": {"type": "string", "enum": list(ELEMENTS)},
        "floors": _list({"type": "string", "enum": _distinct(floors)} if floors else TEXT),
    }
    return _answer(relations=_list(_object(entry)))


def _distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(map(one_line, names)))


def _answer(**fields: Schema) -> Schema:
    return {"type": "json_schema", "json_schema": {"name": "answer", "schema": _object(fields), "strict": True}}


def _object(fields: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(fields), "required": list(fields), "additionalProperties": False}


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}
