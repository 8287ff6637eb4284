"""Converter for LayoutGPT: a line of CSS for each object, or the same as JSON records.

>>> text = '''Room Type: bedroom
... Room Size: max length 4.0m, max width 3.0m
... bed {length: 1.8m; width: 2.0m; height: 0.5m; left: 1.0m; top: 1.0m; depth: 0.25m; orientation: 90 degrees;}'''
>>> bed = LAYOUTGPT(SourceFile.of("x.txt", text), ConversionOptions())[0].scene["objects"][0]
>>> bed["id"], bed["size"], bed["at"], bed["yaw"]
('bed_1', [1.8, 2.0, 0.5], [1.0, 2.0, 0.0], 90.0)

The form: ``length`` lies across and ``width`` from front to back of a thing that is not turned; ``left``, ``top`` and
``depth`` are of its middle. They are counted from the left and the far edge of the room, so a plan reads as a page
does; a thing of orientation 0 faces down the page, and orientations go against the clock: our yaw. The room is as long
(``max length``, across) and as wide (``max width``, down the page) as the condition says that stood before the layout;
the last one counts. The records of published files (``query_id``, ``prompt``, ``object_list``) are a scene each; lines
that could not be read are kept there with all values 0.

Files of published prompts hold proportions only: pixels, or "metres" that are multiples of the room's shorter side. A
room's metres are its real shorter side over the shorter side in its own prompt. That side is in a table
(``--room-sizes FILE``), else one number for all rooms (``--assume shorter-side=METRES``); ``--assume
pixels-per-metre=N`` sets one scale for all. Pixels were cut to whole ones: what is within 1.5 of the floor stands on
it.

>>> parsed = layout_of("Layout:\\nbed {length: 1.8m; orientation: 90 degrees;}\\nlamp {left: ?}")
>>> parsed.rules[0].name, parsed.rules[0].values["length"]
('bed', StyleValue(number=1.8, unit='m'))
>>> parsed.rules[1].values, parsed.condition
({'left': None}, 'Layout:\\n')
>>> StyleValue.of("1.5707963 rad").degrees
89.999998
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from pydantic import Field

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters.arrangements import REACH, TINY, Arrangement, Ledger, with_parents
from tsgkit.suites.sceneeval.converters.shapes import (
    ForeignModel,
    Label,
    plain_category,
    rectangle,
    refuse_many,
    room_within,
)
from tsgkit.suites.sceneeval.converters.source import (
    AUTO,
    Assumption,
    ConversionOptions,
    Converter,
    SceneDraft,
    SourceFile,
    records_of,
)

FIELDS = ("length", "width", "height", "left", "top", "depth", "orientation")
SIZES, LENGTHS = FIELDS[:3], FIELDS[:6]
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
UNITS = (*METRES, "px")
RADIANS = frozenset({"rad", "radian", "radians"})
LARGE = 30.0
"""No object is this many metres long: larger numbers without a unit are pixels."""
MOST = 1e4
PIXELS, SIDE = "pixels-per-metre", "shorter-side"
CUT = 1.5
"""Pixels above the floor within which an object stands on it."""
SCALE_HINT = (
    f"say how large the rooms are: --room-sizes FILE, or --assume {SIDE}=METRES for all; or --assume {PIXELS}=N "
    "(about 75 fits published bedrooms)"
)
_VALUE = re.compile(r"([-+]?(?:\d{1,9}(?:\.\d{0,20})?|\.\d{1,20})(?:[eE][-+]?\d{1,2})?)\s*+([A-Za-z°]{0,8})\s*+")
_SEPARATOR = re.compile(r"[;\n]|[,:](?=\s*[A-Za-z-]+\s*:)")
_FENCE = re.compile(r"^\s*+(?:```\w*+|\[|\])?\s*+$")
_NUMBER = r"(\d{1,9}(?:\.\d{1,12})?)\s{0,3}([a-z]{0,6})"
_ROOM = re.compile(
    rf"max\s{{1,3}}length\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}[\s,;]{{1,4}}max\s{{1,3}}width\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}",
    re.I,
)
_TYPE = re.compile(r"room\s{1,3}type\s{0,3}[:=]\s{0,3}([A-Za-z][\w -]{0,40})", re.I)
_MARKS = re.compile(r"^(?:[-*#.\s]|\d{1,4}[.)])+")


class StyleValue(NamedTuple):
    """A number with its unit."""

    number: float
    unit: str

    @staticmethod
    def of(value: object) -> StyleValue | None:
        """Return the value of a text or a number; None if it is invalid, or larger than any room."""
        number, unit = value, ""
        if isinstance(value, str):
            match = _VALUE.fullmatch(value.strip()[:80])
            number, unit = (float(match[1]), match[2].lower()) if match else (None, "")
        if not isinstance(number, int | float) or isinstance(number, bool) or not abs(number) <= MOST:
            return None
        return StyleValue(float(number), unit)

    @property
    def degrees(self) -> float:
        """The angle, from degrees where it does not say radians, within a whole turn."""
        turn = math.degrees(self.number) if self.unit in RADIANS else self.number
        return round(math.fmod(turn, 360.0), 6)


_Sides = tuple[StyleValue, StyleValue]
"""The length (across) and the width (down) of a room, in the unit of its prompt."""


class StyleRule(NamedTuple):
    """A name with its declarations; invalid ones are None."""

    name: str
    values: Mapping[str, StyleValue | None]


class StyleText(NamedTuple):
    """The rules of a text or a record, the text around them, and the number of braces without a rule."""

    rules: tuple[StyleRule, ...]
    condition: str
    unread: int = 0
    query: str = ""
    """The id of its record, without the number of its round."""


def layout_of(text: str) -> StyleText:
    """Return every ``name {property: value; ...}`` of a text, in one pass."""
    rules: list[StyleRule] = []
    head, *pieces = text.split("{")
    rest, unread = [], 0
    for piece in pieces:
        before, _, line = head.rpartition("\n")
        body, closed, after = piece.partition("}")
        values = {}
        for part in _SEPARATOR.split(body) if closed else ():
            name, colon, value = part.partition(":")
            if colon and name.strip():
                values[name.strip().lower()[:60]] = StyleValue.of(value)
        if values and line.strip():
            rules.append(StyleRule(line.strip().rstrip(":").strip()[:200], values))
            rest.append(f"{before}\n" if before else "")
        else:
            unread += 1
            rest.append(head)
        head = after if closed else piece
    return StyleText(tuple(rules), "".join([*rest, head if not _FENCE.match(head) else ""]), unread)


class _LayoutRecord(ForeignModel):
    query: Label | None = Field(default=None, alias="query_id")
    iteration: Label | None = Field(default=None, alias="iter")
    prompt: Any = None
    things: tuple[tuple[Label, dict[str, Any]], ...] = Field(alias="object_list")


def _fits(source: SourceFile) -> bool:
    """Return whether a file has records with an ``object_list`` and no centroid, or rules of CSS that say length and
    left.
    """
    if source.value is None:
        return any({"length", "left"} <= rule.values.keys() for rule in layout_of(source.text).rules)
    return bool(source.records) and all(
        isinstance(record, dict) and "object_list" in record and "centroid" not in record for record in source.records
    )


def _scenes(source: SourceFile) -> list[tuple[str, Any]]:
    """Return the text, or the record of each scene; one of several rounds has the number of its round."""
    if source.value is None:
        return [("", source)]
    scenes = records_of(source, "query_id")
    queries = Counter(query for query, _ in scenes)
    rounds = [record.get("iter") if query and queries[query] > 1 else None for query, record in scenes]
    return [
        (query if number is None else f"{query}-{number}", record)
        for (query, record), number in zip(scenes, rounds, strict=True)
    ]


def _words(prompt: object) -> str:
    """Return the text of a prompt: a string, or messages."""
    if isinstance(prompt, list):
        return "\n".join(_words(message) for message in prompt[-50:] if isinstance(message, str | dict))
    text = prompt.get("content") if isinstance(prompt, dict) else prompt
    return text if isinstance(text, str) else ""


def _arranged(content: SourceFile | dict[str, Any], draft: SceneDraft) -> Arrangement:
    losses, options = draft.losses, draft.options
    if isinstance(content, SourceFile):
        scene = layout_of(content.text)._replace(query=PurePath(content.name).stem)
    else:
        record = _LayoutRecord.of(content, draft.where, object_list="")
        losses.unread("fields of records", [record])
        written = (
            StyleRule(name, {key: StyleValue.of(value) for key, value in fields.items()})
            for name, fields in record.things
        )
        scene = StyleText(tuple(written), _words(record.prompt), query=record.query or "")
    refuse_many(len(scene.rules), draft.where)
    losses.lost("lines with braces that are no rule", count=scene.unread)
    losses.ignored("properties", (name for rule in scene.rules for name in rule.values if name not in FIELDS))
    rules = tuple(rule for rule in scene.rules if _is_whole(rule, losses))
    if scene.rules and not rules:
        lacking = [field for field in FIELDS if not any(rule.values.get(field) for rule in scene.rules)]
        missing = ", ".join(lacking) or "varies"
        raise FileProblem(f"{draft.where}: no object has a whole size and place; missing: {missing}")
    room = _room(scene.condition, options, draft.where)
    measure = _measure(scene.query, rules, room, draft)
    across, down = map(measure.of_value, room) if room else (0.0, 0.0)
    reference, depth = options.choice("place", "centre"), options.choice("depth", "middle")
    losses.assumed(f"depth is the height of {depth}s (--assume depth)", len(rules))
    losses.assumed(f"left and top are of the {reference}s of things (--assume place)", len(rules))
    losses.assumed("top is counted from the far edge, and orientation 0 faces the near one", len(rules))
    things = []
    for rule in rules:
        category, turn = plain_category(_MARKS.sub("", rule.name)), rule.values.get("orientation")
        length, width, height, left, top, level = (
            measure.of_value(value) for field in LENGTHS if (value := rule.values[field])
        )
        x, y = left, down - top  # on our floor plan, where y grows towards the far edge
        if reference == "corner":
            x, y = x + length / 2, y - width / 2
        level -= height / 2 if depth == "middle" else 0.0
        at = (x, y, 0.0 if abs(level) < measure.cut - TINY else level)
        things.append(draft.numbered(category, at, turn.degrees if turn else 0.0, (length, width, height)))
    placed = with_parents(things, losses, max(REACH, measure.cut))
    if room is None:
        losses.lost("the size of the room, which is put around its objects (--assume room=LxW)")
        return Arrangement(placed, None)
    types = _TYPE.findall(scene.condition)
    name = types[-1].strip().lower() if types else "room"
    losses.assumed("the room is a rectangle")
    built = room_within(rectangle(across, down), losses, name=name.replace(" ", "_"), room=name)
    return Arrangement(placed, built)


def _is_whole(rule: StyleRule, losses: Ledger) -> bool:
    known = {field: value for field in FIELDS if (value := rule.values.get(field)) is not None}
    if len(known) == len(FIELDS) and not any(value.number for value in known.values()):
        losses.lost("lines that the generator could not read and kept with all values 0, left out", rule.name[:60])
    elif missing := [field for field in LENGTHS if field not in known]:
        losses.lost("objects without a size or a place that can be read, left out", f"{rule.name[:60]} ({missing[0]})")
    elif any(known[field].number <= 0 for field in SIZES):
        losses.lost("objects whose size is nothing, left out", rule.name[:60])
    else:
        if "orientation" not in known:
            losses.assumed("objects without an orientation have 0")
        return True
    return False


class _Measure(NamedTuple):
    """The metres of each unit."""

    metres: Mapping[str, float]
    cut: float = 0.0
    """Metres by which heights were cut."""

    def of_value(self, value: StyleValue) -> float:
        """Return a length in metres."""
        return value.number * self.metres[value.unit]


def _measure(query: str, rules: Sequence[StyleRule], room: _Sides | None, draft: SceneDraft) -> _Measure:
    """Return the units of a layout in metres; pixels and multiples of a side need a length of their own, from the row
    of the room in the table, else from the user's assumptions.
    """
    where, options, losses = draft.where, draft.options, draft.losses
    row = options.room_sizes.of(query) if options.room_sizes else None
    side, pixels = options.number(SIDE, 0.0), options.number(PIXELS, 0.0)
    if side and pixels:
        raise UsageError(f"{where}: --assume {SIDE} and --assume {PIXELS} say the same thing", hint="say one of them")
    if options.room_sizes and row is None and not (side or pixels):
        message = f"{where}: --room-sizes: {options.room_sizes.name} does not have its room"
        raise FileProblem(message, hint=f"add a row for {query:.80}, or say --assume {SIDE}=METRES for the others")
    if row:
        side, pixels = row.shorter, 0.0
    if side and room is None:
        message = f"{where}: the size of its room in its own numbers is missing, so it has no scale"
        raise FileProblem(message, hint="say it: --assume room=LxW")
    values = [rule.values[field] for rule in rules for field in LENGTHS]
    lengths = [value for value in (*values, *(room or ())) if value is not None]
    plain = options.choice("unit")
    if plain == AUTO:  # the unit of the others if they agree, else the one that gives plausible rooms
        others = {value.unit for value in lengths} - {""}
        largest = max((value.number for value in lengths), default=0.0)
        plain = others.pop() if len(others) == 1 else "px" if largest > LARGE else "m"
    used = {value.unit or plain for value in lengths}
    if odd := used - set(UNITS):
        raise FileProblem(f"{where}: {min(odd)!r:.20} is no unit of length", hint=f"units: {', '.join(UNITS)}")
    if any(not value.unit for value in lengths):
        losses.assumed(f"numbers without a unit are {plain} (--assume unit)")
    metres = {**METRES, "px": 1 / pixels if pixels else 0.0}
    if side and room is not None:
        units = {length.unit or plain for length in room}
        if units != used or len(units) != 1:
            several = ", ".join(sorted(units | used))
            raise FileProblem(f"{where}: its room and its objects are in several units: {several}")
        side_in_prompt = min(length.number * (metres[length.unit or plain] or 1.0) for length in room)
        metres = {unit: (size or 1.0) * side / side_in_prompt for unit, size in metres.items()}
        losses.assumed("a room's real shorter side is the shorter side in its prompt")
    elif "px" in used and pixels:
        losses.assumed(f"{pixels:g} pixels are a metre (as said)")
    elif "px" in used:
        raise FileProblem(f"{where}: its lengths are pixels of unknown size", hint=SCALE_HINT)
    elif room is not None:
        shorter = min(room, key=lambda length: length.number)
        if (shorter.unit or plain) == "m" and abs(shorter.number - 1) < 1e-3:
            message = f"{where}: its room is 1 m wide, so its metres are multiples of the room's shorter side"
            raise FileProblem(message, hint=SCALE_HINT)
    return _Measure({**metres, "": metres[plain]}, CUT * metres["px"] if "px" in used else 0.0)


def _room(condition: str, options: ConversionOptions, where: str) -> _Sides | None:
    """Return the room that the user set, else that of the condition."""
    if text := options.assumed.get("room"):
        sides = [
            side._replace(unit=side.unit or "m")
            for part in text.lower().split("x")
            if (side := StyleValue.of(part)) and side.number > 0
        ]
        if len(sides) != 2 or text.lower().count("x") != 1:
            raise UsageError(f"{where}: --assume room={text}: not LENGTHxWIDTH, as in 4.2mx3m")
        return sides[0], sides[1]
    if not (rooms := _ROOM.findall(condition)):
        return None
    across, across_unit, down, down_unit = rooms[-1]
    length, width = StyleValue(float(across), across_unit.lower()), StyleValue(float(down), down_unit.lower())
    return (length, width) if min(length.number, width.number) > 0 else None


LAYOUTGPT = Converter(
    "layoutgpt",
    "rules of CSS, bed {length: 1.8m; width: 2m; height: ...; left: ...; top: ...; depth: ...; orientation: ...}, or "
    "JSON records with an object_list",
    _fits,
    _arranged,
    _scenes,
    (
        Assumption("place", ("centre", "corner"), "of what left and top are (default: centre)"),
        Assumption("depth", ("middle", "underside"), "of what depth is the height (default: middle)"),
        Assumption("unit", UNITS, "of numbers without one (default: told by the others)"),
        Assumption(SIDE, (), "metres of the shorter side of every room that --room-sizes does not have"),
        Assumption(PIXELS, (), "how many pixels a metre has"),
        Assumption("room", None, "LENGTHxWIDTH of the room where the file has no condition, as in 4.2mx3m"),
    ),
    uses_room_sizes=True,
)
