"""The strict reader of layouts: accepts a list of objects in many forms and records the repairs.

>>> read = layout_in("<think>a cup?</think>Sure!\\n```json\\n[{'name': 'Cup', 'bbox': [1.5, '2', 30, 40]}]\\n```")
>>> read.objects, [note.reason for note in read.notes]
([{'label': 'cup', 'box_2d': [1.5, 2, 30, 40]}], ['not written as JSON', 'other keys or values than asked for'])
>>> layout_in("I cannot do that."), layout_in('[{"label": "cup"')
(Unreadable(reason='there is no list of objects in it'), Unreadable(reason='the list ends in the middle'))

Text in a thinking section is ignored. Of several layouts the last one counts. Repairs change only the notation, never
the content: boxes are not swapped, moved or rounded, and an object without a box stays without one.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

from tsgkit.errors import NotationError
from tsgkit.graph.notation.json_triplets import kind_of
from tsgkit.graph.reading import Note
from tsgkit.graph.reading.line import ignored, repaired
from tsgkit.lexicon import fold
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import NUMBER, TOO_MUCH, number_of, values_in
from tsgkit.replies.reasoning import spoken

Thing = dict[str, Any]
ALIASES = {
    "label": ("label", "name", "class", "object", "object_class", "category", "type", "class_name", "object_name"),
    "color": ("color", "colour"),
    "box_2d": ("box_2d", "bbox", "box", "bbox_2d", "box2d", "bounding_box", "boundingbox", "coordinates", "coords"),
    "material": ("material",),
    "shape": ("shape",),
}
HOLDERS = ("objects", "layout", "items", "scene", "elements", "answer", "result", "output")
"""The keys accepted for a list of objects. The first one is the requested key."""
CORNERS = (
    ("x1", "y1", "x2", "y2"),
    ("xmin", "ymin", "xmax", "ymax"),
    ("x_min", "y_min", "x_max", "y_max"),
    ("left", "top", "right", "bottom"),
)
SIZES = (("x", "y", "width", "height"), ("x", "y", "w", "h"), ("left", "top", "width", "height"))
CLASSES = {fold(name): name for name in KNOLLING.classes}
COLORS = {name: name for name in KNOLLING.values["color"]} | {"grey": "gray"}
ONLY_NUMBERS = re.compile(r"[-+.,;\d\s\[\]()eE]{7,200}")


@dataclass(frozen=True)
class LayoutAnswer:
    """The objects of a layout as verifiers accept them, notes about repairs and ignored parts, and their spans."""

    objects: list[Any]
    notes: tuple[Note, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()
    """The span of the list in the reply, or of each object if there is no list around them."""

    @property
    def is_repaired(self) -> bool:
        """True if anything differs from the requested form."""
        return any(note.kind == "repaired" for note in self.notes)

    @property
    def scene(self) -> dict[str, object]:
        """The layout as verifiers accept it."""
        return {"objects": self.objects}


def text_of_reply(value: object) -> str | None:
    """Return the text of a reply value; a list of objects becomes the text a model would write.

    >>> text_of_reply([{"label": "cup"}]), text_of_reply("[]"), text_of_reply([])
    ('[{"label": "cup"}]', '[]', '[]')
    """
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, list):
        kind = kind_of(value)
        raise NotationError(f"not a reply: reply: expected a string, a list of objects, or null, found {kind}")
    if any(isinstance(thing, str) for thing in value):
        raise NotationError("not a reply: reply: expected a list of objects, found strings in it: one reply an item")
    return json.dumps(value)


def layout_in(reply: str) -> LayoutAnswer | Unreadable:
    """Read the layout in a reply."""
    answer = spoken(reply)
    if isinstance(answer, Unreadable):
        return answer
    values = values_in(answer.text)
    if values and values[-1].is_given_up:
        return Unreadable(TOO_MUCH)
    if values and values[-1].is_cut:
        return Unreadable("the list ends in the middle")
    layouts = [(value, things) for value in values if (things := things_of(value.value)) is not None]
    loose = [] if layouts else [value for value in values if is_thing(value.value)]
    if loose:
        layouts = [(loose[0]._replace(repaired=True), [value.value for value in loose])]
    if not layouts:
        return Unreadable("there is no list of objects in it")
    chosen, things = next((layout for layout in reversed(layouts) if layout[1]), layouts[-1])
    objects = [as_asked(thing) for thing in things]
    line = reply.count("\n", 0, answer.start + chosen.start) + 1
    notes = []
    if len(layouts) > 1:
        notes.append(ignored(line, f"{len(layouts) - 1} other layouts in it; the last one with objects counts"))
    if chosen.repaired:
        notes.append(repaired(line, "not written as JSON"))
    if chosen.value not in (objects, {HOLDERS[0]: objects}):
        notes.append(repaired(line, "other keys or values than asked for"))
    spans = tuple((answer.start + value.start, answer.start + value.end) for value in loose or [chosen])
    return LayoutAnswer(objects, tuple(notes), spans)


def things_of(value: object) -> list[Any] | None:
    """Return the objects of a layout value: a list of objects, an empty list, or an object containing such a list."""
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list):
            return things_of(value[0]) if value[0] else None
        return value if not value or any(map(is_thing, value)) else None
    if not isinstance(value, dict) or is_thing(value):
        return None
    for holder in HOLDERS:
        if isinstance(things := value.get(holder), list):
            return things_of(things)
    boxes = [box for box in value.values() if isinstance(box, list) and len(box) == 4]
    if boxes and len(boxes) == len(value) and all(isinstance(side, int | float) for box in boxes for side in box):
        return [{"label": name, "box_2d": box} for name, box in value.items()]
    return None


def is_thing(value: object) -> bool:
    """Return whether a value describes an object: it has a label and a box, or one of them under the requested key."""
    if not isinstance(value, dict):
        return False
    names = {_plain(name) for name in value}
    has_place = bool(names.intersection(ALIASES["box_2d"])) or any(names.issuperset(four) for four in CORNERS + SIZES)
    has_label = bool(names.intersection(ALIASES["label"]))
    return (has_place and has_label) or "box_2d" in names or ("label" in names and not names.intersection(HOLDERS))


def _plain(name: str) -> str:
    return fold(name).replace("-", "_")


def as_asked(thing: object) -> Any:  # noqa: ANN401  (what is no object stays what it is)
    """Return an object with the requested keys and values, as far as it has them.

    >>> as_asked({"Class": "Cutting Board", "colour": "Grey", "x": 10, "y": 20, "width": 30, "height": 40})
    {'label': 'cutting_board', 'color': 'gray', 'box_2d': [10, 20, 40, 60]}
    """
    if not isinstance(thing, dict):
        return thing
    plain = {_plain(name): value for name, value in reversed(thing.items())}
    parts: Thing = {}
    for key, names in ALIASES.items():
        name = next((name for name in names if name in plain), None)
        if name is not None:
            parts[key] = VALUES[key](plain[name]) if key in VALUES else plain[name]
    if "box_2d" not in parts and (box := _box_of_sides(plain)) is not None:
        parts["box_2d"] = box
    return {key: parts[key] for key in ("label", "color", "material", "shape", "box_2d") if key in parts}


def label_of(value: object) -> object:
    """Return a class in the spelling of the vocabulary; other labels unchanged.

    >>> label_of("Game controller"), label_of("mug")
    ('game_controller', 'mug')
    """
    return CLASSES.get(fold(value), value) if isinstance(value, str) else value


def color_of(value: object) -> object:
    """Return a color in the spelling of the vocabulary; other values unchanged."""
    return COLORS.get(fold(value), value) if isinstance(value, str) else value


def box_of(value: object) -> object:
    """Return a box as four numbers from any notation; other values unchanged.

    >>> box_of("10, 20, 30, 40"), box_of([[1, 2], [3, "4.5"]]), box_of({"x1": 1, "y1": 2, "x2": 3, "y2": 4})
    ([10, 20, 30, 40], [1, 2, 3, 4.5], [1, 2, 3, 4])
    """
    if isinstance(value, str) and ONLY_NUMBERS.fullmatch(value):
        numbers = [number_of(numeral) for numeral in NUMBER.findall(value)]
        return numbers if len(numbers) == 4 else value
    if isinstance(value, dict):
        sides = _box_of_sides({_plain(name): side for name, side in value.items()})
        return value if sides is None else sides
    if not isinstance(value, list):
        return value
    if len(value) == 2 and all(isinstance(corner, list) and len(corner) == 2 for corner in value):
        value = [*value[0], *value[1]]
    return [_numeral(side) for side in value]


def _numeral(value: object) -> object:
    if isinstance(value, str) and NUMBER.fullmatch(value.strip()):
        return number_of(value.strip())
    return value


def _box_of_sides(plain: Thing) -> list[object] | None:
    """Return a box from named sides, or from a corner with width and height."""
    for names in CORNERS:
        if all(name in plain for name in names):
            return [_numeral(plain[name]) for name in names]
    for names in SIZES:
        if all(name in plain for name in names):
            left, top, width, height = (_numeral(plain[name]) for name in names)
            return [left, top, _sum(left, width), _sum(top, height)]
    return None


def _sum(start: object, length: object) -> object:
    numbers = isinstance(start, int | float) and isinstance(length, int | float)
    return start + length if numbers else length  # type: ignore[operator]  # both are numbers here


VALUES = {"label": label_of, "color": color_of, "box_2d": box_of}
