"""Layouts as LayoutGPT has them: a line of CSS for each piece of furniture, or the same as JSON records.

>>> from tsgkit.suites.sceneeval.converting.given import Given, Options
>>> text = '''Room Type: bedroom
... Room Size: max length 4.0m, max width 3.0m
... bed {length: 1.8m; width: 2.0m; height: 0.5m; left: 1.0m; top: 1.0m; depth: 0.25m; orientation: 90 degrees;}'''
>>> LAYOUTGPT(Given.of("x.txt", text), Options())[0].scene["objects"]
[{'id': 'bed_1', 'category': 'bed', 'size': [1.8, 2.0, 0.5], 'at': [1.0, 2.0, 0.0], 'yaw': 90.0}]

What is known of the form: ``length`` lies across and ``width`` from front to back of a thing that is not turned;
``left`` and ``top`` are counted from the left and the far edge of the room, so a plan reads as a page does; a thing of
orientation 0 faces down the page, and orientations go against the clock: our yaw. The room is as long (``max length``,
across) and as wide (``max width``, down the page) as the condition says that stood before the layout; the last one
counts. The records of published files (``query_id``, ``prompt``, ``object_list``) are a scene each.

What we are not certain of is said in every conversion, and settled with ``--assume``: ``place`` is the centre of a
thing (as in the published code) or its corner; ``depth`` is the height of its middle, or of its underside, whichever
puts more things on the floor. Pixels have no length of their own: published ones are 256 to the shorter side of a room
whose metres the file does not hold. They need ``--assume pixels-per-metre=N``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converting.arrangements import (
    Arrangement,
    Ledger,
    Names,
    Thing,
    stand_on_undersides,
)
from tsgkit.suites.sceneeval.converting.css import Rule, Value, rules_of
from tsgkit.suites.sceneeval.converting.given import AUTO, Assumption, Converter, Given, Options
from tsgkit.suites.sceneeval.converting.measures import (
    HEIGHT,
    Label,
    Theirs,
    refuse_many,
    walls_around,
)
from tsgkit.suites.sceneeval.converting.writing import Converted, Scenes, Unconverted, room_of
from tsgkit.suites.sceneeval.furnished import object_names, problem_of

FIELDS = ("length", "width", "height", "left", "top", "depth", "orientation")
SIZES, PLACE = FIELDS[:3], FIELDS[3:6]
METRES = {"m": 1.0, "cm": 0.01, "mm": 0.001}
UNITS = (*METRES, "px")
LARGE = 30.0
"""No thing in a room is so many metres long: numbers without a unit are pixels from here on."""
MOST = 1e4
PIXELS = "pixels-per-metre"
_NUMBER = r"(\d{1,9}(?:\.\d{1,12})?)\s{0,3}([a-z]{0,6})"
_ROOM = re.compile(
    rf"max\s{{1,3}}length\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}[\s,;]{{1,4}}max\s{{1,3}}width\s{{0,3}}[:=]?\s{{0,3}}{_NUMBER}",
    re.I,
)
_TYPE = re.compile(r"room\s{1,3}type\s{0,3}[:=]\s{0,3}([A-Za-z][\w -]{0,40})", re.I)
_MARKS = re.compile(r"^(?:[-*#.\s]|\d{1,4}[.)])+")
_COUNTER = re.compile(r"[\s_-]*\d+$")


class _Record(Theirs):
    query: Label | None = Field(default=None, alias="query_id")
    iteration: Label | None = Field(default=None, alias="iter")
    prompt: Any = None
    things: tuple[tuple[Label, dict[str, Any]], ...] = Field(alias="object_list")


class _Room(NamedTuple):
    """What a condition says of a room, in the unit it has there."""

    across: Value
    down: Value


class _Scene(NamedTuple):
    """One layout, from either form."""

    id: str
    rules: tuple[Rule, ...]
    condition: str
    unread: int = 0
    more: tuple[str, ...] = ()
    """Fields of its record that are not read."""


def fits(given: Given) -> bool:
    """Whether a file has records with an ``object_list``, or rules of CSS that say length and left."""
    records = given.value if isinstance(given.value, list) else [given.value]
    if given.value is not None:
        return bool(records) and all(isinstance(one, dict) and "object_list" in one for one in records)
    return any({"length", "left"} <= rule.values.keys() for rule in rules_of(given.text).rules)


def convert(given: Given, options: Options) -> Scenes:
    """The scenes of a file: one of a text, and one of each record."""
    if options.to == "state":
        raise UsageError(f"{given.name}: layouts name no meshes, so no scene state can be made of them",
                         hint="--to room")  # fmt: skip
    scenes = _scenes(given)
    if len(scenes) == 1:
        return (room_of(_arranged(scenes[0], given.name, options), given.name),)
    return tuple(_one_of_many(scene, number, given.name, options) for number, scene in enumerate(scenes))


def _one_of_many(scene: _Scene, number: int, name: str, options: Options) -> Converted | Unconverted:
    """A scene that has the number of its record where it has no name; its problem is its own."""
    scene = scene._replace(id=scene.id or str(number))
    where = f"{name}: scene {scene.id}"
    try:
        return room_of(_arranged(scene, where, options), where)
    except FileProblem as error:
        return Unconverted(scene.id, error)


def _scenes(given: Given) -> list[_Scene]:
    if given.value is None:
        found = rules_of(given.text)
        return [_Scene("", found.rules, found.rest, found.unread)]
    records = _records(given)
    names = [record.query or "" for record in records]
    return [_scene(record, names.count(record.query or "") > 1) for record in records]


def _scene(record: _Record, is_one_of_several: bool) -> _Scene:
    name = record.query or ""
    if is_one_of_several and record.iteration is not None:
        name = f"{name}-{record.iteration}" if name else ""
    rules = tuple(_rule(*thing) for thing in record.things)
    return _Scene(name, rules, _words(record.prompt), more=tuple(record.more))


def _records(given: Given) -> list[_Record]:
    listed = given.value if isinstance(given.value, list) else [given.value]
    refuse_many(len(listed), given.name)
    try:
        return [_Record.model_validate(one) for one in listed]
    except ValidationError as error:
        raise problem_of(error, given.name, object_names(listed, "object_list", "query_id")) from None


def _words(prompt: object) -> str:
    """The text of a prompt: a string, or messages."""
    if isinstance(prompt, str):
        return prompt
    if isinstance(prompt, list):
        return "\n".join(_words(one) for one in prompt[-50:] if isinstance(one, str | dict))
    said = prompt.get("content") if isinstance(prompt, dict) else None
    return said if isinstance(said, str) else ""


def _rule(name: str, fields: Mapping[str, Any]) -> Rule:
    """A thing of a record as the rule it was."""
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
    measure = _Measure.of(whole, room, options, where, losses)
    things = _things(whole, measure, options, losses, room)
    return Arrangement(scene.id, things, _built(room, measure, scene.condition, losses), losses=losses.told())


def _is_whole(rule: Rule, losses: Ledger) -> bool:
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
    """How many metres each unit is."""

    metres: Mapping[str, float]

    def of_value(self, value: Value) -> float:
        """A length in metres."""
        return value.number * self.metres[value.unit]

    @staticmethod
    def of(rules: Sequence[Rule], room: _Room | None, options: Options, where: str, losses: Ledger) -> _Measure:
        """The units of a layout; pixels need a length of their own."""
        values = [rule.values[field] for rule in rules for field in (*SIZES, *PLACE)]
        lengths = [value for value in (*values, *(room or ())) if value is not None]
        plain = options.choice("unit")
        if plain == AUTO:
            plain = _unit_of_plain(lengths)
        used = {value.unit or plain for value in lengths}
        if odd := used - set(UNITS):
            raise FileProblem(f"{where}: {min(odd)!r:.20} is no unit of length", hint=f"units: {', '.join(UNITS)}")
        if any(not value.unit for value in lengths):
            losses.assumed(f"numbers without a unit are {plain} (--assume unit)")
        if "px" not in used:
            return _Measure({**METRES, "": METRES.get(plain, 1.0)})
        if (pixels := options.number(PIXELS, 0.0)) <= 0:
            raise FileProblem(
                f"{where}: its lengths are pixels, and it does not say how long a pixel is",
                hint=f"say how many make a metre: --assume {PIXELS}=N (published: 256 to the shorter side of a room)",
            )
        losses.assumed(f"{pixels:g} pixels are a metre")
        return _Measure({**METRES, "px": 1 / pixels, "": 1 / pixels if plain == "px" else METRES[plain]})


def _unit_of_plain(lengths: Sequence[Value]) -> str:
    """The unit of numbers without one: that of the others, where they agree, else the one that makes rooms of them."""
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
    place = options.choice("place", "centre")
    is_centred = _centred(rows, options, losses)
    losses.assumed(f"left and top are of the {place}s of things (--assume place)", len(rows))
    losses.assumed("top is counted from the far edge, and orientation 0 faces the near one", len(rows))
    names = Names()
    found = []
    for rule, row in zip(rules, rows, strict=True):
        category, turn = _category(rule.name), rule.values.get("orientation")
        x, y = _centre(row, down, place)
        size = (row["length"], row["width"], row["height"])
        name = names.counted(category.replace(" ", "_"))
        found.append(Thing(name, category, (x, y, row["depth"]), turn.degrees if turn else 0.0, size, is_centred))
    return tuple(found)


def _metres(rule: Rule, measure: _Measure) -> dict[str, float]:
    return {field: measure.of_value(value) for field in (*SIZES, *PLACE) if (value := rule.values[field])}


def _centre(row: Mapping[str, float], down: float, place: str) -> tuple[float, float]:
    """On our floor plan, where y grows towards the far edge."""
    x, y = row["left"], down - row["top"]
    return (x + row["length"] / 2, y - row["width"] / 2) if place == "corner" else (x, y)


def _centred(rows: Sequence[Mapping[str, float]], options: Options, losses: Ledger) -> bool:
    said = options.choice("depth")
    if said == AUTO:
        found = stand_on_undersides([row["height"] for row in rows], [row["depth"] for row in rows])
        said = "underside" if found else "middle"
    losses.assumed(f"depth is the height of {said}s (--assume depth)", len(rows))
    return said == "middle"


def _category(name: str) -> str:
    """``- dining_table_2`` is a dining table."""
    plain = _MARKS.sub("", name).replace("_", " ").strip()
    return (_COUNTER.sub("", plain) or plain or "thing")[:180]


LAYOUTGPT = Converter(
    "layoutgpt",
    "rules of CSS, bed {length: 1.8m; width: 2m; height: ...; left: ...; top: ...; depth: ...; orientation: ...}, or "
    "JSON records with an object_list",
    fits,
    convert,
    (
        Assumption("place", ("centre", "corner"), "of what left and top are (default: centre)"),
        Assumption("depth", ("middle", "underside"), "of what depth is the height (default: told by the numbers)"),
        Assumption("unit", UNITS, "of numbers without one (default: told by the others)"),
        Assumption(PIXELS, (), "how many pixels a metre has"),
        Assumption("room", None, "LENGTHxWIDTH of the room where the file has no condition, as in 4.2mx3m"),
    ),
)
