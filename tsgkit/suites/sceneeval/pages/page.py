"""A room as one HTML file: it can be turned, and its objects and findings can be clicked.

>>> from tsgkit.geometry import Object, Scene, box
>>> page = room_page(Scene("den", (Object("lamp_1", box(0.2, 0.2, 0.4), category="lamp"),)))
>>> "lamp_1" in page, "://" in page.replace(NAMESPACE, "")
(True, False)

The file is self-contained; its content security policy forbids loading anything. It permits only this module's script
and style, by their hashes. Names and texts of the scene are data that the script writes as text. Textures are reduced
to one colour for each face. Browsers without WebGL show the top view.
"""

from __future__ import annotations

import base64
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from tsgkit.browser.modules import allowed, inert_json, joined, text_of
from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, Scene, view
from tsgkit.geometry.bodies import Frame
from tsgkit.geometry.rendering import RenderedSurface, face_colours
from tsgkit.geometry.views import everything, undrawable
from tsgkit.suites.sceneeval.pages.remarks import Remark, RemarkSection

BOX_FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
     [1, 5, 7], [1, 7, 3]]
)  # fmt: skip
"""The faces of a box by the numbers of its corners."""


class RoomParts(NamedTuple):
    """The parts of a room, and the remarks on parts that are drawn as boxes."""

    parts: list[dict[str, Any]]
    simplified: tuple[RemarkSection, ...] = ()


def room_parts(stage: MeasuredScene, *, most_faces: int | None = None) -> RoomParts:
    """Return the parts of a room. Objects above their share of ``most_faces`` are drawn as their boxes."""
    drawn = everything(stage)
    too_large = (
        set() if most_faces is None else simplified({surface.name: len(surface.faces) for surface in drawn}, most_faces)
    )
    parts = list(_parts(stage, [_boxed(stage, surface) if surface.name in too_large else surface for surface in drawn]))
    remarks = [
        Remark(
            f"{surface.name} is drawn as a box",
            None,
            (surface.name,),
            f"its surface has {len(surface.faces):,} triangles",
        )
        for surface in drawn
        if surface.name in too_large
    ]
    return RoomParts(parts, (RemarkSection("Drawn as boxes, for their size", remarks),) if remarks else ())


def listed(section: RemarkSection) -> dict[str, Any]:
    """Return a section as JSON has it."""
    remarks = [{**remark._asdict(), "objects": list(remark.objects)} for remark in section.remarks]
    return {"title": section.title, "remarks": remarks}


def simplified(faces: Mapping[str, int], most: int) -> set[str]:
    """Return the names of those that have more faces than their share; small ones leave theirs to the others."""
    left, ordered = most, sorted(faces, key=lambda name: (faces[name], name))
    for number, name in enumerate(ordered):
        if faces[name] > len(BOX_FACES) and faces[name] * (len(ordered) - number) > left:
            return set(ordered[number:])
        left -= faces[name]
    return set()


def _boxed(stage: MeasuredScene, surface: RenderedSurface) -> RenderedSurface:
    """Return the box of a surface: that of its object, else the one around it."""
    body = stage.bodies.get(surface.name)
    low, high = surface.vertices.min(axis=0), surface.vertices.max(axis=0)
    frame = Frame((low + high) / 2, np.eye(3), (high - low) / 2) if body is None else body.frame
    return RenderedSurface(surface.name, frame.corners, BOX_FACES, colour=surface.colour)


def _parts(stage: MeasuredScene, drawn: Sequence[RenderedSurface]) -> Iterator[dict[str, Any]]:
    walls = {board.id: built.board for built in stage.built_walls for board in (built.board, *built.openings)}
    for surface in drawn:
        if surface.name in stage.bodies:
            body = stage.bodies[surface.name]
            thing = next(thing for thing in stage.scene.objects if thing.id == surface.name)
            yield {
                "name": surface.name,
                **_surface(surface),
                "object": True,
                "category": thing.category,
                "about": thing.description,
                "size": [round(float(length), 3) for length in 2 * body.frame.half],
                "place": [round(float(number), 3) for number in body.frame.centre],
                "yaw": round(body.yaw, 1),
                "problems": [problem.message for problem in stage.problems if problem.where == surface.name],
            }
        elif surface.name in walls:
            frame = walls[surface.name].frame
            front = {"front": frame.front.tolist(), "centre": frame.centre.tolist()}
            # only the two large faces: the rims between pieces of a wall would shine through its seams
            depth = (surface.corners - frame.centre) @ frame.front
            flat = depth.max(axis=1) - depth.min(axis=1) < frame.half[1] / 2
            yield {"name": surface.name, **_surface(replace(surface, faces=surface.faces[flat])), **front}
        else:
            yield {"name": surface.name, **_surface(surface)}


def _surface(drawn: RenderedSurface) -> dict[str, str]:
    """Return the corners of all faces as 32-bit floats and the colour of each face as bytes, in base64."""
    return {
        "corners": base64.b64encode(drawn.corners.astype("<f4").tobytes()).decode(),
        "colours": base64.b64encode(face_colours(drawn).tobytes()).decode(),
    }


NAMESPACE = "http://www.w3.org/2000/svg"
"""The one address in the script: a name for elements, which nothing is loaded from."""
PREVIEW = 480
"""Width and height, in pixels, of the image for browsers without WebGL."""


def room_page(scene: Scene, sections: Sequence[RemarkSection] = (), *, title: str = "", about: str = "") -> str:
    """Return the page of a scene with its findings. Raise UsageError if the scene has nothing to draw."""
    stage = MeasuredScene(scene)
    if problem := undrawable(stage):
        raise UsageError(str(problem), hint="tsgkit scene show lists its problems")
    style, script = text_of("panels/panels.css") + text_of("room.css"), joined("room.js")
    policy = f"default-src 'none'; script-src {allowed(script)}; style-src {allowed(style)}; img-src data:"
    name = html.escape(title or scene.name)
    image = base64.b64encode(view(stage, "top", size=PREVIEW).png()).decode()
    return _PAGE.format(
        policy=policy,
        title=name,
        style=style,
        script=script,
        image=image,
        about=html.escape(about),
        data=inert_json({"parts": room_parts(stage).parts, "sections": list(map(listed, sections))}),
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
<header>
<h1>{title}</h1>
<p id="about">{about}</p>
</header>
<img id="still" hidden alt="the room from above" src="data:image/png;base64,{image}">
<div id="room"></div>
</main>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
