"""Converter for LayoutGPT: a line of CSS for each object, or the same as JSON records.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> text = '''Room Type: bedroom
... Room Size: max length 4.0m, max width 3.0m
... bed {length: 1.8m; width: 2.0m; height: 0.5m; left: 1.0m; top: 1.0m; depth: 0.25m; orientation: 90 degrees;}'''
>>> bed = LAYOUTGPT(SourceFile.of("x.txt", text), Options())[0].scene["objects"][0]
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
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import (
    REACH,
    TINY,
    Arrangement,
    Ledger,
    Names,
    Thing,
    with_parents,
)
from tsgkit.suites.sceneeval.converters.css import Rule, Value, rules_of
from tsgkit.suites.sceneeval.converters.measurements import (
    HANGING,
    HEIGHT,
    ForeignModel,
    Label,
    plain_category,
    refuse_many,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import AUTO, Assumption, Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, each_scene, room_of
from tsgkit.suites.sceneeval.scene_files.files import object_names, problem_of

FIELDS = ("length", "width", "height", "left", "top", "depth", "orientation")
SIZES, PLACE = FIELDS[:3], FIELDS[3:6]
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
UNITS = (*METRES, "px")
LARGE = 30.0
"""No object is this many metres long: larger numbers without a unit are pixels."""
MOST = 1e4
PIXELS, SIDE = "pixels-per-metre", "shorter-side"
CUT = 1.5
"""Pixels above the floor within which an object stands on it."""
_NUMBER = r"(\d{1,9}(?:\.\d{1,12})?)\s{0,3}([a-z]{0,6})"
_ROOM = re.compile(
    rf"max\s{{1,3}}length\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}[\s,;]{{1,4}}max\s{{1,3}}width\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}",
    re.I,
)
_TYPE = re.compile(r"room\s{1,3}type\s{0,3}[:=]\s{0,3}([A-Za-z][\w -]{0,40})", re.I)
_MARKS = re.compile(r"^(?:[-*#.\s]|\d{1,4}[.)])+")


class _Record(ForeignModel):
    query: Label | None = Field(default=None, alias="query_id")
    iteration: Label | None = Field(default=None, alias="iter")
    prompt: Any = None
    things: tuple[tuple[Label, dict[str, Any]], ...] = Field(alias="object_list")


class _Room(NamedTuple):
    """The room in a prompt, in the prompt's unit."""

    across: Value
    down: Value


class _Scene(NamedTuple):
    """One layout, from either form."""

    id: str
    query: str
    """The record's own id, without the number of its round."""
    rules: tuple[Rule, ...]
    condition: str
    unread: int = 0
    more: tuple[str, ...] = ()
    """Fields of its record that are not read."""


def fits(given: SourceFile) -> bool:
    """Return whether a file has records with an ``object_list`` and no centroid, or rules of CSS that say length and
    left.
    """
    records = given.value if isinstance(given.value, list) else [given.value]
    if given.value is not None:
        return bool(records) and all(_is_record(one) for one in records)
    return any({"length", "left"} <= rule.values.keys() for rule in rules_of(given.text).rules)


def _is_record(one: object) -> bool:
    return isinstance(one, dict) and "object_list" in one and "centroid" not in one


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the scenes of a file: one of a text, and one of each record."""
    scenes = _scenes(given)

    def make(number: int, name: str, where: str) -> Converted:
        return room_of(_arranged(scenes[number]._replace(id=name), where, options), where)

    return each_scene([scene.id for scene in scenes], given.name, make)


def _scenes(given: SourceFile) -> list[_Scene]:
    if given.value is None:
        found = rules_of(given.text)
        return [_Scene("", PurePath(given.name).stem, found.rules, found.rest, found.unread)]
    records = _records(given)
    names = [record.query or "" for record in records]
    return [_scene(record, names.count(record.query or "") > 1) for record in records]


def _scene(record: _Record, is_one_of_several: bool) -> _Scene:
    name = record.query or ""
    if is_one_of_several and record.iteration is not None:
        name = f"{name}-{record.iteration}" if name else ""
    rules = tuple(_rule(*thing) for thing in record.things)
    return _Scene(name, record.query or "", rules, _words(record.prompt), more=tuple(record.more))


def _records(given: SourceFile) -> list[_Record]:
    listed = given.value if isinstance(given.value, list) else [given.value]
    refuse_many(len(listed), given.name)
    try:
        return [_Record.model_validate(one) for one in listed]
    except ValidationError as error:
        raise problem_of(error, given.name, object_names(listed, "object_list", "query_id")) from None


def _words(prompt: object) -> str:
    """Return the text of a prompt: a string, or messages."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return "\n".join(_words(one) for one in prompt[-50:] if isinstance(one, str | dict))
    said = prompt.get("content") if isinstance(prompt, dict) else None
    return said if isinstance(said, str) else ""


def _rule(name: str, fields: Mapping[str, Any]) -> Rule:
    """Return a thing of a record as the rule it was."""
    values = {}
    for field, said in fields.items():
        if isinstance(said, int | float) and not isinstance(said, bool):
            values[field] = Value(float(said), "") if abs(said) <= MOST else None
        elif isinstance(said, str):
            values[field] = Value.of(said)
        else:
            values[field] = None
    return Rule(name, values)


def _arranged(scene: _Scene, where: str, options: Options) -> Arrangement:
    refuse_many(len(scene.rules), where)
    losses = Ledger()
    if scene.unread:
        losses.lost("lines with braces that are no rule", count=scene.unread)
    losses.ignored("fields of records", (name[:60] for name in scene.more))
    losses.ignored("properties", {name[:60] for rule in scene.rules for name in rule.values if name not in FIELDS})
    whole = [rule for rule in scene.rules if _is_whole(rule, losses)]
    if scene.rules and not whole:
        lacking = [field for field in FIELDS if not any(rule.values.get(field) for rule in scene.rules)]
        raise FileProblem(f"{where}: no object has a whole size and place; missing: {', '.join(lacking) or 'varies'}")
    room = _room(scene.condition, options, where)
    measure = _measure(whole, room, _settled(scene, room, options, where), where, losses)
    things = _things(whole, measure, options, losses, room)
    return Arrangement(scene.id, things, _built(room, measure, scene.condition, losses), losses=losses.told())


def _is_whole(rule: Rule, losses: Ledger) -> bool:
    if all((value := rule.values.get(field)) is not None and value.number == 0 for field in FIELDS):
        losses.lost("lines that the generator could not read and kept with all values 0, left out", rule.name[:60])
        return False
    known = {field: value for field in FIELDS if (value := rule.values.get(field)) is not None}
    if missing := [field for field in (*SIZES, *PLACE) if field not in known]:
        losses.lost("objects without a size or a place that can be read, left out", f"{rule.name[:60]} ({missing[0]})")
        return False
    if any(known[field].number <= 0 for field in SIZES):
        losses.lost("objects whose size is nothing, left out", rule.name[:60])
        return False
    if "orientation" not in known:
        losses.assumed("objects without an orientation have 0")
    return True


# metres


class _Measure(NamedTuple):
    """The metres of each unit."""

    metres: Mapping[str, float]
    cut: float = 0.0
    """Metres by which heights were cut."""

    def of_value(self, value: Value) -> float:
        """Return a length in metres."""
        return value.number * self.metres[value.unit]


class _Settled(NamedTuple):
    """The user's settings about lengths."""

    unit: str
    side: float
    """The real shorter side of the room in metres; 0 if not given."""
    pixels: float
    """Pixels per metre; 0 if not given."""


def _settled(scene: _Scene, room: _Room | None, options: Options, where: str) -> _Settled:
    """Return the settings about lengths for one layout; its row in the table has priority."""
    row = options.room_sizes.of(scene.query) if options.room_sizes else None
    stated, pixels = options.number(SIDE, 0.0), options.number(PIXELS, 0.0)
    if stated and pixels:
        raise UsageError(f"{where}: --assume {SIDE} and --assume {PIXELS} say the same thing", hint="say one of them")
    if options.room_sizes and row is None and not (stated or pixels):
        message = f"{where}: --room-sizes: {options.room_sizes.name} does not have its room"
        raise FileProblem(
            message, hint=f"add a row for {scene.query:.80}, or say --assume {SIDE}=METRES for the others"
        )
    side = row.shorter if row else stated
    if side and room is None:
        raise FileProblem(f"{where}: the size of its room in its own numbers is missing, so it has no scale",
                          hint="say it: --assume room=LxW")  # fmt: skip
    return _Settled(options.choice("unit"), side, 0.0 if row else pixels)


def _measure(rules: Sequence[Rule], room: _Room | None, said: _Settled, where: str, losses: Ledger) -> _Measure:
    """Return the units of a layout in metres; pixels and multiples of a side need a length of their own."""
    values = [rule.values[field] for rule in rules for field in (*SIZES, *PLACE)]
    lengths = [value for value in (*values, *(room or ())) if value is not None]
    plain = _unit_of_plain(lengths) if said.unit == AUTO else said.unit
    used = {value.unit or plain for value in lengths}
    if odd := used - set(UNITS):
        raise FileProblem(f"{where}: {min(odd)!r:.20} is no unit of length", hint=f"units: {', '.join(UNITS)}")
    if any(not value.unit for value in lengths):
        losses.assumed(f"numbers without a unit are {plain} (--assume unit)")
    metres = {**METRES, "px": 1 / said.pixels if said.pixels else 0.0}
    if said.side and room is not None:
        units = {side.unit or plain for side in room}
        if units != used or len(units) != 1:
            raise FileProblem(
                f"{where}: its room and its objects are in several units: {', '.join(sorted(units | used))}"
            )
        own = min(side.number * (metres[side.unit or plain] or 1.0) for side in room)
        metres = {unit: (size or 1.0) * said.side / own for unit, size in metres.items()}
        losses.assumed("a room's real shorter side is the shorter side in its prompt")
    elif "px" in used and said.pixels:
        losses.assumed(f"{said.pixels:g} pixels are a metre (as said)")
    elif "px" in used:
        raise FileProblem(f"{where}: its lengths are pixels of unknown size", hint=SCALE_HINT)
    elif room is not None and _is_normalised(room, plain):
        message = f"{where}: its room is 1 m wide, so its metres are multiples of the room's shorter side"
        raise FileProblem(message, hint=SCALE_HINT)
    return _Measure({**metres, "": metres[plain]}, CUT * metres["px"] if "px" in used else 0.0)


SCALE_HINT = (
    f"say how large the rooms are: --room-sizes FILE, or --assume {SIDE}=METRES for all; or --assume {PIXELS}=N "
    "(about 75 fits published bedrooms)"
)


def _is_normalised(room: _Room, plain: str) -> bool:
    shorter = min(room, key=lambda side: side.number)
    return (shorter.unit or plain) == "m" and abs(shorter.number - 1) < 1e-3


def _unit_of_plain(lengths: Sequence[Value]) -> str:
    """Return the unit of numbers without one: that of the others if they agree, else the one that gives plausible
    rooms.
    """
    others = {value.unit for value in lengths} - {""}
    if len(others) == 1:
        return next(iter(others))
    return "px" if max((value.number for value in lengths), default=0.0) > LARGE else "m"


# the room


def _room(condition: str, options: Options, where: str) -> _Room | None:
    if said := options.said.get("room"):
        parts = [Value.of(part) for part in said.lower().split("x")]
        if len(parts) != 2 or not all(part is not None and part.number > 0 for part in parts):
            raise UsageError(f"{where}: --assume room={said}: not LENGTHxWIDTH, as in 4.2mx3m")
        across, down = (part for part in parts if part is not None)
        return _Room(across._replace(unit=across.unit or "m"), down._replace(unit=down.unit or "m"))
    if not (found := _ROOM.findall(condition)):
        return None
    across, across_unit, down, down_unit = found[-1]
    room = _Room(Value(float(across), across_unit.lower()), Value(float(down), down_unit.lower()))
    return room if min(room.across.number, room.down.number) > 0 else None


def _built(room: _Room | None, measure: _Measure, condition: str, losses: Ledger) -> Architecture | None:
    if room is None:
        losses.lost("the size of the room, which is put around its objects (--assume room=LxW)")
        return None
    across, down = (measure.of_value(side) for side in room)
    corners = ((0.0, 0.0), (across, 0.0), (across, down), (0.0, down))
    named = _TYPE.findall(condition)
    losses.assumed("the room is a rectangle")
    losses.assumed(f"walls are {HEIGHT} m high")
    losses.lost("doors and windows: the form has none")
    name = named[-1].strip().lower() if named else "room"
    walls = walls_around(corners, name.replace(" ", "_"), HEIGHT)
    return Architecture((Floor(name, tuple((x, y, 0.0) for x, y in corners)),), walls)


# what stands in it


def _things(
    rules: Sequence[Rule], measure: _Measure, options: Options, losses: Ledger, room: _Room | None
) -> tuple[Thing, ...]:
    rows = [_metres(rule, measure) for rule in rules]
    down = measure.of_value(room.down) if room else 0.0
    place, depth = options.choice("place", "centre"), options.choice("depth", "middle")
    losses.assumed(f"depth is the height of {depth}s (--assume depth)", len(rows))
    losses.assumed(f"left and top are of the {place}s of things (--assume place)", len(rows))
    losses.assumed("top is counted from the far edge, and orientation 0 faces the near one", len(rows))
    names = Names()
    found = []
    for rule, row in zip(rules, rows, strict=True):
        category, turn = _category(rule.name), rule.values.get("orientation")
        x, y = _centre(row, down, place)
        level = row["depth"] - (row["height"] / 2 if depth == "middle" else 0.0)
        found.append(
            Thing(
                names.counted(category.replace(" ", "_")),
                category,
                (x, y, 0.0 if abs(level) < measure.cut - TINY else level),
                turn.degrees if turn else 0.0,
                (row["length"], row["width"], row["height"]),
                held_by="ceiling" if category in HANGING else None,
            )
        )
    return with_parents(found, losses, max(REACH, measure.cut))


def _metres(rule: Rule, measure: _Measure) -> dict[str, float]:
    return {field: measure.of_value(value) for field in (*SIZES, *PLACE) if (value := rule.values[field])}


def _centre(row: Mapping[str, float], down: float, place: str) -> tuple[float, float]:
    """On our floor plan, where y grows towards the far edge."""
    x, y = row["left"], down - row["top"]
    return (x + row["length"] / 2, y - row["width"] / 2) if place == "corner" else (x, y)


def _category(name: str) -> str:
    """``- dining_table_2`` is a dining table."""
    return plain_category(_MARKS.sub("", name))


LAYOUTGPT = Converter(
    "layoutgpt",
    "rules of CSS, bed {length: 1.8m; width: 2m; height: ...; left: ...; top: ...; depth: ...; orientation: ...}, or "
    "JSON records with an object_list",
    fits,
    convert,
    (
        Assumption("place", ("centre", "corner"), "of what left and top are (default: centre)"),
        Assumption("depth", ("middle", "underside"), "of what depth is the height (default: middle)"),
        Assumption("unit", UNITS, "of numbers without one (default: told by the others)"),
        Assumption(SIDE, (), "metres of the shorter side of every room that --room-sizes does not have"),
        Assumption(PIXELS, (), "how many pixels a metre has"),
        Assumption("room", None, "LENGTHxWIDTH of the room where the file has no condition, as in 4.2mx3m"),
    ),
    names_meshes=False,
    uses_room_sizes=True,
)
