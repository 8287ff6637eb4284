"""The parts of a room as browsers draw them: surfaces with a colour for each face, and facts on each object.

>>> from tsgkit.geometry import Object, Scene, box
>>> stage = MeasuredScene(Scene("den", (Object("lamp_1", box(0.2, 0.2, 0.4), category="lamp"),)))
>>> lamp = room_parts(stage).parts[0]
>>> lamp["name"], lamp["size"], sorted(simplified({"lamp": 900, "bed": 40, "rug": 12}, 100))
('lamp_1', [0.2, 0.2, 0.4], ['lamp'])
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tsgkit.geometry import MeasuredScene
from tsgkit.geometry.ray_hits import RenderedSurface, face_colours
from tsgkit.geometry.views import everything
from tsgkit.suites.sceneeval.pages.remarks import Remark, Section

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Frame

UNITS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=float)
"""The corners of a box from -1 to 1."""
BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""The faces of a box by the numbers of its corners."""


class RoomParts(NamedTuple):
    """The parts of a room, and the remarks on parts that are drawn as boxes."""

    parts: list[dict[str, Any]]
    simplified: tuple[Section, ...] = ()


def room_parts(stage: MeasuredScene, *, most_faces: int | None = None) -> RoomParts:
    """Return the parts of a room. Objects above their share of ``most_faces`` are drawn as their boxes."""
    drawn = everything(stage)
    too_large = set() if most_faces is None else simplified({one.name: len(one.faces) for one in drawn}, most_faces)
    parts = list(_parts(stage, [_boxed(stage, one) if one.name in too_large else one for one in drawn]))
    remarks = [
        Remark(f"{one.name} is drawn as a box", None, (one.name,), f"its surface has {len(one.faces):,} triangles")
        for one in drawn
        if one.name in too_large
    ]
    return RoomParts(parts, (Section("Drawn as boxes, for their size", remarks),) if remarks else ())


def listed(section: Section) -> dict[str, Any]:
    """Return a section as JSON has it."""
    remarks = [{**remark._asdict(), "objects": list(remark.objects)} for remark in section.remarks]
    return {"title": section.title, "remarks": remarks}


def simplified(faces: Mapping[str, int], most: int) -> set[str]:
    """Return the names of those that have more faces than their share; small ones leave theirs to the others."""
    left, ordered = most, sorted(faces, key=lambda name: (faces[name], name))
    for place, name in enumerate(ordered):
        if faces[name] > len(BOX_FACES) and faces[name] * (len(ordered) - place) > left:
            return set(ordered[place:])
        left -= faces[name]
    return set()


def _boxed(stage: MeasuredScene, one: RenderedSurface) -> RenderedSurface:
    """Return the box of a surface: that of its object, else the one around it."""
    body = stage.bodies.get(one.name)
    low, high = one.vertices.min(axis=0), one.vertices.max(axis=0)
    vertices = (low + high + UNITS * (high - low)) / 2 if body is None else body.frame.world(UNITS)
    return RenderedSurface(one.name, vertices, BOX_FACES, colour=one.colour)


def _parts(stage: MeasuredScene, drawn: Sequence[RenderedSurface]) -> Iterator[dict[str, Any]]:
    walls = {board.id: built.board for built in stage.built_walls for board in (built.board, *built.openings)}
    for one in drawn:
        if one.name in stage.bodies:
            yield {"name": one.name, **_surface(one), **_about(stage, one.name)}
        elif one.name in walls:
            frame = walls[one.name].frame
            front = {"front": frame.front.tolist(), "centre": frame.centre.tolist()}
            yield {"name": one.name, **_surface(_without_rims(one, frame)), **front}
        else:
            yield {"name": one.name, **_surface(one)}


def _without_rims(drawn: RenderedSurface, frame: Frame) -> RenderedSurface:
    """Return the two large faces of a board. The rims between pieces of a wall would shine through its seams."""
    depth = (drawn.corners - frame.centre) @ frame.front
    flat = depth.max(axis=1) - depth.min(axis=1) < frame.half[1] / 2
    return replace(drawn, faces=drawn.faces[flat])


def _surface(drawn: RenderedSurface) -> dict[str, str]:
    """Return the corners of all faces as 32-bit floats and the colour of each face as bytes, in base64."""
    return {
        "corners": base64.b64encode(drawn.corners.astype("<f4").tobytes()).decode(),
        "colours": base64.b64encode(face_colours(drawn).tobytes()).decode(),
    }


def _about(stage: MeasuredScene, name: str) -> dict[str, Any]:
    body = stage.bodies[name]
    thing = next(one for one in stage.scene.objects if one.id == name)
    problems = [problem.message for problem in stage.problems if problem.where == name]
    return {
        "object": True,
        "category": thing.category,
        "about": thing.description,
        "size": _rounded(2 * body.frame.half, 3),
        "place": _rounded(body.frame.centre, 3),
        "yaw": round(body.yaw, 1),
        "problems": problems,
    }


def _rounded(numbers: Iterable[float], digits: int) -> list[float]:
    return [round(float(number), digits) for number in numbers]
