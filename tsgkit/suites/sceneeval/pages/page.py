"""A room as one HTML file: it can be turned, and its objects and findings can be clicked.

>>> from tsgkit.geometry import Object, Scene, box
>>> page = room_page(Scene("den", (Object("lamp_1", box(0.2, 0.2, 0.4), category="lamp"),)))
>>> "lamp_1" in page, "://" in page
(True, False)

The file is self-contained; its content security policy forbids loading anything. It permits only this module's script
and style, by their hashes. Names and texts of the scene are data that the script writes as text. Textures are reduced
to one colour for each face. Browsers without WebGL show the top view.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, Scene, view
from tsgkit.geometry.ray_hits import face_colours
from tsgkit.geometry.views import everything, undrawable
from tsgkit.suites.sceneeval.pages.remarks import Section

if TYPE_CHECKING:
    from tsgkit.geometry import RenderedSurface
    from tsgkit.geometry.bodies import Frame

PREVIEW = 480
"""Width and height, in pixels, of the image for browsers without WebGL."""


def room_page(scene: Scene, sections: Sequence[Section] = (), *, title: str = "", about: str = "") -> str:
    """Return the page of a scene with its findings. Raise UsageError if the scene has nothing to draw."""
    stage = MeasuredScene(scene)
    if problem := undrawable(stage):
        raise UsageError(str(problem), hint="tsgkit scene show lists its problems")
    style, script = _part("page.css"), _part("page.js")
    policy = f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; img-src data:"
    name = html.escape(title or scene.name)
    image = base64.b64encode(view(stage, "top", size=PREVIEW).png()).decode()
    return _PAGE.format(
        policy=policy,
        title=name,
        style=style,
        script=script,
        image=image,
        about=html.escape(about),
        data=_inert_json({"parts": list(_parts(stage)), "sections": list(map(_listed, sections))}),
    )


def _listed(section: Section) -> dict[str, Any]:
    return {"title": section.title, "remarks": [remark._asdict() for remark in section.remarks]}


def _parts(stage: MeasuredScene) -> Iterable[dict[str, Any]]:
    walls = {board.id: built.board for built in stage.built_walls for board in (built.board, *built.openings)}
    for drawn in everything(stage):
        if drawn.name in stage.bodies:
            yield {"name": drawn.name, **_surface(drawn), **_about(stage, drawn.name)}
        elif drawn.name in walls:
            frame = walls[drawn.name].frame
            sides = _without_rims(drawn, frame)
            yield {
                "name": drawn.name,
                **_surface(sides),
                "front": frame.front.tolist(),
                "centre": frame.centre.tolist(),
            }
        else:
            yield {"name": drawn.name, **_surface(drawn)}


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
    size, place = (2 * body.frame.half).tolist(), body.frame.centre.tolist()
    return {
        "object": True,
        "category": thing.category,
        "about": thing.description,
        "size": [round(number, 3) for number in size],
        "place": [round(number, 3) for number in place],
        "yaw": round(body.yaw, 1),
        "problems": problems,
    }


def _inert_json(value: object) -> str:
    """Return JSON that cannot close the element around it, whatever its texts contain."""
    text = json.dumps(value, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def _part(name: str) -> str:
    return files("tsgkit.suites.sceneeval.pages").joinpath(name).read_text(encoding="utf-8")


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
<canvas id="room" tabindex="0" role="img" aria-label="the room; drag or use the arrow keys to turn it"></canvas>
<img id="still" hidden alt="the room from above" src="data:image/png;base64,{image}">
<p id="help">Drag to turn, wheel or + and - to come closer, shift and drag to move, click a thing to name it.</p>
</main>
<aside>
<h1>{title}</h1>
<p id="about">{about}</p>
<p id="chosen" role="status">Nothing is chosen.</p>
<label><input type="checkbox" id="walls" checked> leave out walls that are in the way</label>
<button id="above">from above</button>
<div id="sections"></div>
<section><h2>Objects</h2><ol id="objects"></ol></section>
</aside>
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""
