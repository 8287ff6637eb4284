"""Converter for arrays of boxes: DiffuScene, InstructScene, and the ``boxes.npz`` of their data sets (as ATISS).

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> value = {"class_labels": [[0, 1, 0]], "translations": [[-0.5, 0.25, 0.5]], "sizes": [[0.9, 0.25, 1]],
...   "angles": [[0]], "scene_uid": "house_Bedroom-7"}
>>> stats = SourceFile("dataset_stats.txt", "", {"object_types": ["armchair", "bed"], "class_labels": []})
>>> (made,) = BOXES(SourceFile("boxes.npz", "", value), Options(companion=stats))
>>> made.id, made.scene["objects"][0]["id"], made.scene["objects"][0]["size"], made.scene["objects"][0]["at"]
('house_Bedroom-7', 'bed_1', [1.8, 2.0, 0.5], [-0.5, -0.5, 0.0])

``sizes`` are half of the real ones, in metres (width, height, depth); ``translations`` are middles from the centroid of
the floor (x, y up, z); ``angles`` are radians about y. These are the numbers after ``post_process``; what a network
gives is scaled to -1 and 1. A batch has one more dimension, and every item is a scene. ``class_labels`` say which of
the ``object_types`` of ``dataset_stats.txt`` (``--with``) a box is; one beyond them is no object. Without that file the
category is that of the mesh in ``jids`` (``--assets threed_future=DIR``). A file of the data set has its floor as
triangles in the coordinates of the house; to others a table gives it (``--room-sizes``), as to records of ATISS.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters import atiss
from tsgkit.suites.sceneeval.converters.measurements import Corner, Deep, ForeignModel, Label, outline, refuse_many
from tsgkit.suites.sceneeval.converters.source import Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, each_scene, room_of
from tsgkit.suites.sceneeval.scene_files.files import problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far

FUTURE = "3dfModel"
PROCESSED = "save what dataset.post_process returns: metres, and one angle in radians for each box"
ROWS = ("class_labels", "translations", "sizes", "angles")


class _Boxes(ForeignModel):
    classes: tuple[tuple[Far, ...], ...] = Field(alias="class_labels")
    translations: tuple[Deep, ...]
    sizes: tuple[Deep, ...]
    angles: tuple[tuple[Far], ...]
    meshes: tuple[Label, ...] = Field(default=(), alias="jids")
    vertices: tuple[Deep, ...] = Field(default=(), alias="floor_plan_vertices")
    faces: tuple[tuple[int, int, int], ...] = Field(default=(), alias="floor_plan_faces")
    centroid: Deep = Field(default=(0, 0, 0), alias="floor_plan_centroid")


def fits(given: SourceFile) -> bool:
    """Return whether a file has the four arrays of boxes."""
    return isinstance(given.value, dict) and all(isinstance(given.value.get(name), list) for name in ROWS)


def is_companion(given: SourceFile) -> bool:
    """Return whether a file has the statistics of a data set, with the names of its classes."""
    value = given.value
    return isinstance(value, dict) and all(
        isinstance(value.get(name), list) for name in ("object_types", "class_labels")
    )


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the scene of every item of a batch, or the one scene of a file."""
    value, rows = given.value, given.value["translations"]
    is_batch = bool(rows) and isinstance(rows[0], list) and bool(rows[0]) and isinstance(rows[0][0], list)
    if is_batch and any(len(value[name]) != len(rows) for name in ROWS):
        raise FileProblem(f"{given.name}: {', '.join(ROWS)}: batches of different sizes")
    items = (
        [value | {name: value[name][number] for name in ROWS} for number in range(len(rows))] if is_batch else [value]
    )
    refuse_many(len(items), given.name)
    own = value.get("scene_uid") if not is_batch else ""

    def make(number: int, name: str, where: str) -> Converted:
        return room_of(atiss.arranged(*_record(items[number], name, where, options), name, where, options), where)

    return each_scene([own if isinstance(own, str) else ""] * len(items), given.name, make)


def _record(value: Mapping[str, Any], name: str, where: str, options: Options) -> tuple[dict[str, Any], list[Corner]]:
    """Return boxes as a record of ATISS, and the outline of the floor about its centroid."""
    try:
        boxes = _Boxes.model_validate(value)
    except ValidationError as error:
        raise FileProblem(str(problem_of(error, where)), hint=PROCESSED) from None
    numbers = {len(boxes.classes), len(boxes.translations), len(boxes.sizes), len(boxes.angles)}
    if len(numbers) > 1:
        raise FileProblem(f"{where}: {', '.join(ROWS)}: of different lengths")
    things = []
    for number, category in enumerate(_categories(boxes, where, options)):
        (x, y, z), (wide, high, deep) = boxes.translations[number], boxes.sizes[number]
        if category and min(wide, high, deep) <= 0:
            raise FileProblem(f"{where}: sizes: {category} has a side of {min(wide, high, deep):g}", hint=PROCESSED)
        said = {"length": wide, "width": deep, "height": high, "left": x, "top": z, "depth": y}
        things += [[category, said | {"orientation": boxes.angles[number][0]}]] if category else []
    middle_x, _, middle_z = boxes.centroid
    corners = outline([(boxes.vertices, boxes.faces)])
    record = {"query_id": name, "centroid": [middle_x, middle_z], "object_list": things}
    return record, [(x - middle_x, y + middle_z) for x, y in corners]


def _categories(boxes: _Boxes, where: str, options: Options) -> Sequence[str]:
    """Return the category of every box; empty where it is no object."""
    if options.companion is not None:
        names = (
            [str(name) for name in options.companion.value["object_types"]] if is_companion(options.companion) else []
        )
        if not names:
            raise FileProblem(f"{options.companion.name}: object_types: the statistics of a data set have them")
        first = [row.index(max(row)) if row and max(row) > 0 else len(names) for row in boxes.classes]
        return [names[one] if one < len(names) else "" for one in first]
    assets = [options.asset(FUTURE, mesh, f"{where}: jids") for mesh in boxes.meshes]
    if not assets or len(assets) != len(boxes.classes) or not all(one and one.category for one in assets):
        hint = "name the statistics of its data set: --with dataset_stats.txt" + (
            ", or the folder of its meshes: --assets threed_future=DIR" if boxes.meshes else ""
        )
        raise FileProblem(f"{where}: class_labels: numbers of classes without their names", hint=hint)
    return [one.category for one in assets if one]


BOXES = Converter(
    "boxes",
    "arrays of boxes as .npz or JSON: class_labels, translations, sizes, angles",
    fits,
    convert,
    is_companion=is_companion,
    names_meshes=False,
    uses_room_sizes=True,
)
