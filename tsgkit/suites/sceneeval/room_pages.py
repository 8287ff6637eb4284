"""Rooms for people: the top view, and a page on which a room can be turned, with the findings on it.

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
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.browser.modules import allowed, inert_json, joined, text_of
from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, Scene, accessibility, check_libraries, view
from tsgkit.geometry.bodies import Frame
from tsgkit.geometry.libraries import np, shapely
from tsgkit.geometry.paths import free_parts, strip_before
from tsgkit.geometry.rendering import RenderedSurface, face_colours
from tsgkit.geometry.views import everything, undrawable
from tsgkit.graph.drawing.svg import INK, PALE, Markup, characters, document, element, lines_of_text, polygon, spoken
from tsgkit.library.files import refuse_to_replace_data, write_text
from tsgkit.suites.sceneeval.judges.rules import RulesJudge, support_type
from tsgkit.suites.sceneeval.plausibility import findings
from tsgkit.suites.sceneeval.remarks import Remark, RemarkSection
from tsgkit.suites.sceneeval.scene_files.assets import sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, LoadedScene

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Floats

WIDTH = 760.0
"""The longer side of the plan, in pixels."""
EDGE, LEGEND = 24.0, 250.0
BLOCKED = 0.5
"""The share of a side that must be free; below it, the side is drawn as blocked."""
FREE = ("#d8ecd8", "#d6e4f5", "#f7e6c4", "#ead9f2", "#cfeeee", "#f3d9d9")
"""Colours of the parts of the free floor, the largest first."""
FLOOR, STANDS, COLLIDES, FLOATS, OUT, OPEN, SHUT = (
    "#f1f1f1", "#c9c9c9", "#e06666", "#f6b26b", "#8e7cc3", "#6aa84f", "#cc0000",
)  # fmt: skip
DOOR, WINDOW = "#b45f06", "#3d85c6"
LOOKS = (
    ("in order", STANDS, "0.8"),
    ("collides", COLLIDES, "0.8"),
    ("rests on nothing", FLOATS, "0.8"),
    ("outside the floor", OUT, "0.8"),
    ("side that is used, free", OPEN, "0.45"),
    ("side that is used, blocked", SHUT, "0.45"),
    ("door", DOOR, "1"),
    ("window", WINDOW, "1"),
)
LONGEST = 18
LETTER, LINE = 6.0, 12.0
"""The width of a letter and the height of a line of the names, in pixels."""


@dataclass(frozen=True)
class PixelScale:
    """The scale and offset from metres to pixels."""

    left: float
    top: float
    scale: float

    def at(self, x: float, y: float) -> tuple[float, float]:
        """Return a point in pixels."""
        return EDGE + (x - self.left) * self.scale, EDGE + (self.top - y) * self.scale

    def ring(self, coordinates: Iterable[Sequence[float]]) -> list[tuple[float, float]]:
        """Return a closed line in pixels."""
        return [self.at(float(point[0]), float(point[1])) for point in coordinates]


def draw_scene(
    stage: MeasuredScene, types: Mapping[str, str], sides: Mapping[str, tuple[str, ...]], title: str = ""
) -> str:
    """Return the drawing. The judge determines the support and the functional sides of each object."""
    measured = findings(stage, types, sides)
    parts = free_parts(stage) if stage.floors else []
    plan, size = _plan(stage)
    bodies = sorted(stage.bodies.values(), key=lambda body: float(body.high[2]))  # from below
    drawn = [
        *(_area(plan, ground.polygon, fill=FLOOR) for ground in stage.floors),
        *(_area(plan, part, fill=FREE[number % len(FREE)]) for number, part in enumerate(parts)),
        *_strips(stage, plan, sides),
        *(_object(plan, body, measured["objects"][body.id]) for body in bodies),
        *_walls(stage, plan),
        *_labels(plan, bodies),
        *_legend(size[0], [float(part.area) for part in parts]),
    ]
    words = f"{len(stage.bodies)} objects; {measured['navigability']['reason']}"
    height = max(size[1], EDGE + 24.0 * (len(LOOKS) + min(len(parts), len(FREE)) + 3))
    return document(size[0] + LEGEND, height, drawn, title=title or stage.scene.name, description=words)


def _plan(stage: MeasuredScene) -> tuple[PixelScale, tuple[float, float]]:
    corners = [body.low[:2] for body in stage.bodies.values()] + [body.high[:2] for body in stage.bodies.values()]
    for ground in stage.floors:
        left, low, right, high = ground.polygon.bounds
        corners += [np.array([left, low]), np.array([right, high])]
    if not corners:
        return PixelScale(0, 1, 100), (2 * EDGE + 100, 2 * EDGE + 100)
    low, high = np.min(corners, axis=0), np.max(corners, axis=0)
    wide, deep = (max(float(length), 0.1) for length in high - low)
    scale = WIDTH / max(wide, deep)
    return PixelScale(float(low[0]), float(high[1]), scale), (2 * EDGE + wide * scale, 2 * EDGE + deep * scale)


def _area(plan: PixelScale, area: shapely.Geometry, *inside: Markup, **look: str | float) -> Markup:
    """Draw one or several polygons with their holes."""
    rings = [
        ring.coords
        for part in shapely.get_parts(area)
        if part.geom_type == "Polygon" and not part.is_empty
        for ring in (part.exterior, *part.interiors)
    ]
    path = " ".join("M" + " L".join(f"{x:.1f},{y:.1f}" for x, y in plan.ring(ring)) + " Z" for ring in rings)
    return element("path", *inside, d=path, fill_rule="evenodd", **look)


def _strips(stage: MeasuredScene, plan: PixelScale, sides: Mapping[str, tuple[str, ...]]) -> Iterator[Markup]:
    for name, access in accessibility(stage, sides).items():
        for side, share in access.sides.items():
            words = spoken(f"{side} of {name}: {100 * share:.0f} % free")
            colour = OPEN if share >= BLOCKED else SHUT
            yield _area(plan, strip_before(stage.bodies[name], side), words, fill=colour, fill_opacity="0.45")


def _object(plan: PixelScale, body: Body, result: Mapping[str, object]) -> Markup:
    reasons = result["reasons"]
    lines = [body.id, *(map(str, reasons) if isinstance(reasons, list) else ())]
    colour = STANDS if result["supported"] else FLOATS
    if result["out_of_bounds"] or result["in_collision"]:
        colour = OUT if result["out_of_bounds"] else COLLIDES
    shape = _area(
        plan,
        body.footprint,
        spoken("\n".join(lines)),
        fill=colour,
        fill_opacity="0.8",
        stroke=INK,
        stroke_width=1,
    )
    axes, half, middle = body.frame.axes, body.frame.half, body.frame.centre  # and a mark at the front
    front = (middle - axes[:, 1] * half[1])[:2]
    size = min(0.08, 0.4 * float(half[0]), 0.4 * float(half[1]))
    right, ahead = axes[:2, 0], -axes[:2, 1]
    corners = (front - ahead * 2 * size - right * size, front - ahead * 2 * size + right * size, front)
    return element("g", shape, polygon(plan.ring(corners), fill=INK, fill_opacity="0.6"))


def _walls(stage: MeasuredScene, plan: PixelScale) -> Iterator[Markup]:
    for built in stage.built_walls:
        for start, end in built.solid_stretches:
            yield _line(plan, start, end, INK, 4, built.board.id)
        for boards, colour in ((built.doors, DOOR), (built.windows, WINDOW)):
            for board in boards:
                along = board.frame.axes[:2, 0] * float(board.frame.half[0])
                middle = board.frame.centre[:2]
                yield _line(plan, middle - along, middle + along, colour, 4, board.id)


def _line(plan: PixelScale, start: Floats, end: Floats, colour: str, wide: float, name: str) -> Markup:
    (x1, y1), (x2, y2) = plan.ring([start.tolist(), end.tolist()])
    return element("line", spoken(name), x1=x1, y1=y1, x2=x2, y2=y2, stroke=colour, stroke_width=wide)


def _labels(plan: PixelScale, bodies: Sequence[Body]) -> Iterator[Markup]:
    """Draw the names of the objects, each moved down until it covers no other."""
    labels: list[tuple[float, float, float]] = []
    for body in bodies:
        x, y = plan.at(float(body.frame.centre[0]), float(body.frame.centre[1]))
        name = body.id if len(body.id) <= LONGEST else body.id[: LONGEST - 3] + "..."
        half = LETTER * len(name) / 2
        while any(abs(x - a) < half + wide and abs(y - b) < LINE for a, b, wide in labels):
            y += LINE
        labels.append((x, y, half))
        yield lines_of_text([name], x, y, size=11)


def _legend(left: float, areas: Sequence[float]) -> Iterator[Markup]:
    whole = sum(areas)
    free = [
        (f"free floor, part {row + 1}: {area:.1f} m2 ({100 * area / whole:.0f} %)", FREE[row], "1")
        for row, area in enumerate(areas[: len(FREE)])
    ]
    if len(areas) > len(FREE):
        free[-1] = (f"free floor, {len(areas) - len(FREE) + 1} smaller parts", FREE[-1], "1")
    for row, (words, colour, opacity) in enumerate([*LOOKS, *free]):
        y = EDGE + 24 * row
        yield element("rect", x=left, y=y, width=16, height=16, fill=colour, fill_opacity=opacity, stroke=PALE)
        yield element("text", characters(words), x=left + 24, y=y + 13, font_size=12)


MOST_SHOWN = 10


@dataclass(frozen=True, repr=False)
class SceneView:
    """A room with its strict findings, judged by rules."""

    scene: LoadedScene
    file: str

    @property
    def name(self) -> str:
        """The name in the file."""
        return self.scene.scene.name

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of the objects, in file order."""
        return tuple(thing.id for thing in self.scene.scene.objects)

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the file, and the repairs made while reading it."""
        return (*self.scene.notes, *map(str, self.scene.stage.problems))

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The support of each object."""
        return {name: support_type(self.scene.stage, body) for name, body in self.scene.stage.bodies.items()}

    @cached_property
    def sides(self) -> Mapping[str, tuple[str, ...]]:
        """The functional sides of each object."""
        return RulesJudge().used_sides(self.scene)

    @cached_property
    def findings(self) -> Mapping[str, Any]:
        """The strict findings: ``objects`` by id, ``openings``, ``navigability``, and ``scores`` as (sum, weight)."""
        return findings(self.scene.stage, self.types, self.sides)

    @cached_property
    def svg(self) -> str:
        """The top view."""
        return draw_scene(self.scene.stage, self.types, self.sides, self.file)

    def save(self, path: str | Path) -> Path:
        """Write the top view into a file that ends in ``.svg``."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(f"{path}: the drawing is written as SVG", hint="end the name in .svg")
        refuse_to_replace_data(path, self.svg)
        write_text(path, self.svg)
        return Path(path)

    def __repr__(self) -> str:
        names = [*map(repr, self.objects[:MOST_SHOWN]), *(["..."] if len(self.objects) > MOST_SHOWN else [])]
        wrong = f"; {len(self.problems)} problems" if self.problems else ""
        return f"<scene {self.name!r}: {len(self.objects)} objects{wrong}: {', '.join(names)}>"

    def _repr_svg_(self) -> str:
        return self.svg


def open_scene(
    path: str | Path,
    *,
    assets: Mapping[str, str | Path] | Sequence[str] = (),
    missing: str = MISSING[0],
) -> SceneView:
    """Read the room in a JSON or GLB file. ``assets`` maps layouts to the folders of their meshes."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{path!r:.40}: expected the path of a scene")
    if missing not in MISSING:
        raise UsageError(f"missing={missing}: expected {' or '.join(MISSING)}")
    check_libraries()
    asset_folders = (
        [f"{name}={folder}" for name, folder in assets.items()] if isinstance(assets, Mapping) else list(assets)
    )
    return SceneView(read_scene(Path(path), sources_of(asset_folders), missing=missing), Path(path).name)


BOX_FACES = (
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1), (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4),
    (1, 5, 7), (1, 7, 3),
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
    return RenderedSurface(surface.name, frame.corners, np.array(BOX_FACES), colour=surface.colour)


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
