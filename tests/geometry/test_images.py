"""Images of known solids, the views a judge is shown, and the pixels of polygons."""

from __future__ import annotations

import io
import math
import pickle
import zlib
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import trimesh
from furnished_rooms import AS_IT_IS, Turn, staged
from PIL import Image

from tsgkit.errors import UsageError
from tsgkit.geometry.materials import Paint, Texture, encoded, linear, png
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Mesh, Primitive, box, mesh_of, read_mesh, round_normals, standing
from tsgkit.geometry.raster import corners_of, eroded, filled, lines, outlined, parts
from tsgkit.geometry.rendering import (
    BACKGROUND,
    GREY,
    OUTLINE_COLOUR,
    RENDERING,
    SPREAD,
    Camera,
    RenderedImage,
    RenderedSurface,
    Sight,
    render,
)
from tsgkit.geometry.scenes import Architecture, Object, Opening
from tsgkit.geometry.views import VIEWS, View, before, beside, framed, framing, human, undrawable, view

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

made: Any = trimesh
"""Untyped: its types are not complete."""
SOUTH = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""The axes of a camera that looks north: right is east, up is up, back is south."""
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)
thing = AS_IT_IS.thing
ROOM = AS_IT_IS.room(5, 4)
YAWS = (0, 90, 180, 270, 37)
SEEN: dict[View, list[list[int]]] = {
    "front": [[240, 240, 240, 240], [191, 174, 174, 191], [187, 159, 159, 187], [240, 240, 240, 240]],
    "figure": [[213, 240, 240, 240], [137, 229, 240, 240], [169, 175, 176, 188], [214, 190, 190, 199]],
    "surroundings": [[202, 203, 203, 203], [184, 181, 181, 194], [172, 151, 151, 170], [184, 179, 179, 183]],
    "top": [[240, 240, 234, 232], [220, 197, 182, 202], [202, 182, 197, 220], [232, 234, 240, 240]],
}
"""The mean brightness of the parts of images, as renderer 2 makes them."""
SHAPE = (32, 32)


def drawn(
    name: str,
    shape: Mesh | Primitive,
    at: tuple[float, float, float] = (0, 0, 0),
    colour: tuple[float, float, float] = GREY,
) -> RenderedSurface:
    mesh = mesh_of(shape)
    return RenderedSurface(name, mesh.vertices[:, [0, 2, 1]] * (1, -1, 1) + at, mesh.faces, mesh.paint, colour)


def from_south(
    *things: RenderedSurface, size: int = 200, eye: tuple[float, float, float] = (0, -5, 0)
) -> RenderedImage:
    return render(things, Camera(np.array(eye), SOUTH), size)


def middle(image: RenderedImage, name: str) -> Floats:
    found: Floats = np.argwhere(image.mask(name)).mean(axis=0)
    return found


def share(image: RenderedImage, name: str) -> float:
    """Return the part of the image plane a surface covers, where the plane at distance one is 2 * SPREAD wide."""
    return float(image.mask(name).mean()) * (2 * SPREAD) ** 2


def from_glb(*meshes: trimesh.Trimesh) -> Mesh:
    """Return meshes as they are read from a file that holds them."""
    found = read_mesh(bytes(made.Scene(list(meshes)).export(file_type="glb")), "glb")
    assert isinstance(found, Mesh)
    return found


def material(**properties: object) -> Any:  # noqa: ANN401
    return made.visual.material.PBRMaterial(**properties)


def sheet(pixels: object) -> Mesh:
    """Return a wall one metre wide and high, looking south, with an image all over it."""
    image = Image.fromarray(np.asarray(pixels, dtype=np.uint8))
    corners = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)]
    places = [(0, 0), (1, 0), (1, 1), (0, 1)]
    visual = made.visual.TextureVisuals(uv=places, material=material(baseColorTexture=image))
    return from_glb(trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], visual=visual, process=False))


def test_outlines_depth_and_normals_are_those_of_the_solid() -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=1.0)
    for distance in (3.0, 12.0):
        surface = RenderedSurface("ball", ball.vertices, np.asarray(ball.faces))
        image = from_south(surface, eye=(0, -distance, 0), size=400)
        assert share(image, "ball") == pytest.approx(math.pi / (distance**2 - 1), rel=0.01), "its cone of sight"
        assert image.depth.min() == pytest.approx(distance - 1, abs=2e-3)
    image = from_south(drawn("box", box(2, 1, 0.5)), size=400)
    assert share(image, "box") == pytest.approx(2 * 0.5 / 4.5**2, rel=0.02), "its nearest side"
    rows, columns = (np.flatnonzero(image.mask("box").any(axis=axis)) for axis in (1, 0))
    assert (np.ptp(rows) + 1) * 4 == pytest.approx(np.ptp(columns) + 1, abs=4)
    image = from_south(drawn("wall", box(9, 1, 9)), size=64)
    ways = image.camera.ways(64).reshape(64, 64, 3)
    assert np.allclose(image.depth * ways[..., 1], 4.5, atol=1e-4), "metres along each ray, not across"
    cube = mesh_of(box(1, 1, 1))
    for mesh in (cube, cube.turned_out()):
        image = from_south(drawn("cube", mesh), size=64)
        assert np.allclose(image.normals[image.mask("cube")], (0, -1, 0), atol=1e-5), "however faces are wound"


def test_images_have_1_to_2048_pixels_a_side_and_what_cannot_be_drawn_is_a_usage_error() -> None:
    for things in ([], [RenderedSurface("empty", np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))]):
        image = render(things, Camera(np.zeros(3), SOUTH), 8)
        assert (image.colours == np.array([round(255 * part) for part in BACKGROUND])).all()
        assert (image.surfaces == -1).all()
        assert np.isinf(image.depth).all()
        assert image.names == ()
    for size in (0, -1, 2049):
        with pytest.raises(UsageError, match="pixels a side"):
            from_south(drawn("cube", box(1, 1, 1)), size=size)
    image = from_south(drawn("cube", box(1, 1, 1)), size=1)
    assert image.colours.shape == (1, 1, 3)
    assert image.mask("cube").all()
    with pytest.raises(UsageError, match="the image shows no 'lamp'"):
        image.mask("lamp")
    things = [drawn("ball", Primitive("sphere", (1, 1, 1))), drawn("ground", box(4, 4, 0.1), (0, 0, -0.6))]
    camera = framing(things[1].vertices, before(np.array([0.0, -1, 0]), 30))
    assert Sight(things).image(camera, 96).png() == render(things, camera, 96).png()
    near, far = drawn("cube", box(1, 2, 3)), drawn("cube", box(1, 2, 3), (4000.0, -9000.0, 500.0))
    images = [render([one], framing(one.vertices, (0.3, -1, 0.5)), 128) for one in (near, far)]
    assert (images[0].surfaces != images[1].surfaces).mean() < 0.002
    cube = mesh_of(box(1, 1, 1))
    broken = Object("lamp", Mesh.of(cube.vertices * math.nan, cube.faces), standing())
    stage, empty = staged([broken, thing("bed", (1, 1, 1), (0, 0, 0.5))], ROOM), staged([], Architecture())
    refused: list[tuple[MeasuredScene, Any, str | None, str]] = [
        *((stage, kind, "lamp", "'lamp' cannot be measured: .*corners are not finite") for kind in VIEWS),
        *((stage, kind, "sofa", "'sofa'") for kind in VIEWS),
        (stage, "front", None, "is of one object"),
        (stage, "below", "bed", "no view"),
        (empty, "top", None, "nothing-to-draw"),
    ]
    for where, kind, name, message in refused:
        with pytest.raises(UsageError, match=message):
            view(where, kind, name)
    assert [(found := undrawable(one)) and found.code for one in (empty, staged([], ROOM))] == ["nothing-to-draw", None]
    assert view(staged([], ROOM), "top", size=16).names[0] == "floor_room"


def test_colours_are_shown_times_the_light_and_textures_the_right_way_round_with_holes() -> None:
    image = from_south(drawn("wall", box(2, 0.1, 2), colour=(0.0, 0.0, 0.0)), size=101)
    assert len(np.unique(image.colours[50])) > 3, "some pixels on the rim are neither black nor background"
    assert set(np.unique(image.colours[40:60, 40:60])) == {0}
    red, grey = (from_south(drawn("wall", box(9, 1, 9), colour=c), size=16) for c in ((0.8, 0.2, 0.2), (0.5, 0.5, 0.5)))
    light = linear(grey.colours[8, 8] / 255) / linear(0.5)
    assert np.allclose(red.colours[8, 8], encoded(linear((0.8, 0.2, 0.2)) * light), atol=2)
    ball = drawn("ball", Primitive("sphere", (2, 2, 2)))
    image = from_south(ball, drawn("ground", box(6, 6, 0.1), (0, 0, -1.05)), eye=(0, -5, 0.4))
    column, rows = image.colours[:, 100, 0].astype(int), np.flatnonzero(image.mask("ball")[:, 100])
    assert column[rows[5]] > column[rows[-5]] + 20, "less of it comes into corners"
    found = sheet([[RED, GREEN], [BLUE, WHITE]])
    sheets = (found, pickle.loads(pickle.dumps(found)))  # noqa: S301
    image, again = (from_south(drawn("sheet", one), eye=(0, -1.2, 0), size=101) for one in sheets)
    assert image.png() == again.png(), "the same in another process"
    left, right = image.camera.pixels([(-0.45, 0, 0.45), (0.45, 0, -0.45)], 101).astype(int)
    corners = [image.colours[row, column] for row in (left[1], right[1]) for column in (left[0], right[0])]
    assert [int(colour.argmax()) for colour in corners[:3]] == [0, 1, 2]
    assert corners[3].min() > 150
    stripes = np.zeros((64, 64, 3), dtype=np.uint8)
    stripes[:, ::2] = 255
    inner = from_south(drawn("sheet", sheet(stripes)), eye=(0, -9, 0), size=64).colours[31:33, 31:33].astype(int)
    assert np.ptp(inner) < 6, "stripes finer than a pixel are their mean, not a pattern"
    plain = from_south(drawn("sheet", box(1, 0.001, 1), colour=(1, 1, 1)), eye=(0, -9, 0), size=64)
    assert linear(inner.mean() / 255) == pytest.approx(linear(plain.colours[32, 32, 0] / 255) / 2, rel=0.1)
    holed = np.full((8, 8, 4), 255, dtype=np.uint8)
    holed[:, 4:, 3] = 0
    wall = drawn("wall", box(3, 0.1, 3), (0, 1, 0))
    image = from_south(drawn("sheet", sheet(holed)), wall, eye=(0, -2, 0), size=100)
    assert [image.names[image.surfaces[50, column]] for column in (40, 60)] == ["sheet", "wall"]
    assert image.depth[50, 60] == pytest.approx(2.95, rel=0.02)


def test_each_part_of_a_mesh_keeps_its_colour() -> None:
    cubes = []
    for x, colour in ((-1, [255, 0, 0, 255]), (1, [0, 0, 255, 255])):
        cube = trimesh.creation.box()
        cube.apply_translation((x, 0, 0))
        cube.visual = made.visual.TextureVisuals(material=material(baseColorFactor=colour))
        cubes.append(cube)
    image = from_south(drawn("pair", from_glb(*cubes)))
    sides = image.camera.pixels([(-1, -0.5, 0), (1, -0.5, 0)], 200).astype(int)
    red, blue = (image.colours[row, column].tolist() for column, row in sides)
    assert (red[0] > 100, red[1:], blue[:2], blue[2] > 100) == (True, [0, 0], [0, 0], True)
    painted = made.creation.box()
    painted.visual.face_colors = [0, 0, 255, 255]
    found = read_mesh(bytes(painted.export(file_type="ply")), "ply")
    assert isinstance(found, Mesh)
    assert from_south(drawn("cube", found)).colours[100, 100].argmax() == 2, "colours of corners"


def test_textures_are_white_and_reported_where_they_are_broken_and_kept_smaller_where_large() -> None:
    cube, small = mesh_of(box(1, 1, 1)), png(np.zeros((1, 1, 3), dtype=np.uint8))
    header = b"IHDR" + (9000).to_bytes(4, "big") * 2 + small[24:29]
    for data, reason in (
        (png(np.random.default_rng(3).integers(0, 256, (40, 40, 3), dtype=np.uint8))[:900], "truncated"),
        (small[:12] + header + zlib.crc32(header).to_bytes(4, "big") + small[33:], "9000 by 9000 pixels are too many"),
        (b"no image", "not an image of a known format"),
        (b"", "not an image of a known format"),
        (b"\xabKTX 20\xbb\r\n\x1a\n" + b"\0" * 80, "cannot be decoded"),
    ):
        paint = Paint(np.ones((12, 3)), np.zeros(12, dtype=np.int64), np.zeros((8, 2)), (Texture(data),))
        image = from_south(drawn("cube", Mesh.of(cube.vertices, cube.faces, paint)), size=50)
        (fault,) = image.faults
        assert (fault[:6], reason in fault) == ("cube: ", True), fault
        again = pickle.loads(pickle.dumps(paint.textures[0]))  # noqa: S301
        assert (again.fault, again.levels[0].tolist()) == (paint.textures[0].fault, [[[255, 255, 255, 255]]])
        assert image.colours[25, 25].min() > 150, reason
    for channels in (3, 4):
        pixels = np.random.default_rng(channels).integers(0, 256, (9, 4, channels), dtype=np.uint8)
        with Image.open(io.BytesIO(png(pixels))) as opened:
            assert (np.asarray(opened).reshape(pixels.shape) == pixels).all()
    texture = Texture(png(np.full((30, 5000, 3), (10, 200, 30), dtype=np.uint8)))
    assert texture.fault == ""
    assert texture.levels[0].shape == (10, 1667, 4)
    assert all((level[..., :3] == (10, 200, 30)).all() for level in texture.levels)
    assert texture.levels[-1].shape == (1, 1, 4)


def test_a_frame_holds_everything_and_no_more_and_boxes_have_sharp_edges() -> None:
    backs = ((0, -1, 0), (0.4, -1, 0.6), (-1, 0.2, 0.1), (0.3, 0.9, -0.2))
    for back, size in product(backs, ((1, 1, 1), (3, 0.2, 0.1), (0.1, 4, 0.1), (0.01, 0.01, 5))):
        vertices = drawn("it", box(size[0], size[1], size[2]), (7, -3, 2)).vertices
        camera = framing(vertices, back)
        seen = camera.pixels(vertices, 100)
        assert seen.min() >= 100 * (1 - 1 / 1.05) / 2 - 1e-6, (back, size)
        assert seen.max() <= 100 * (1 + 1 / 1.05) / 2 + 1e-6, (back, size)
        assert np.allclose(seen.min(axis=0) + seen.max(axis=0), 100, atol=0.01), "it is in the middle"
        assert np.allclose(camera.axes.T @ camera.axes, np.eye(3), atol=1e-12)
        assert np.linalg.det(camera.axes) > 0
        if sum(size) == 3:
            assert np.ptp(seen, axis=0).max() == pytest.approx(100 / 1.05), "as near as possible"
    plank = mesh_of(box(9, 1, 9))
    normals = round_normals(plank.vertices, plank.faces)
    assert np.allclose(normals, normals[:, :1]), "however its sides are cut into triangles"
    ball = trimesh.creation.icosphere(subdivisions=3, radius=2.0)
    corners = np.asarray(ball.vertices)[ball.faces]
    assert np.allclose(round_normals(ball.vertices, np.asarray(ball.faces)), corners / 2, atol=0.03)


def test_cameras_stand_before_the_front_at_their_angle_and_the_figure_at_the_left() -> None:
    marks = {"right": (0.8, 0, 0.1), "front": (0, -0.8, 0.1), "back": (0, 0.8, 0.1)}
    for yaw in YAWS:
        turn = Turn(yaw)
        things = [turn.thing(name, (0.2, 0.2, 0.2), at) for name, at in marks.items()]
        stage = staged([turn.thing("cube", (1, 1, 1), (0, 0, 0.5)), *things], turn.room(6, 6))
        _, camera = framed(stage, "front", "cube")
        right, front, back = (camera.pixels(stage.body(mark).frame.centre[None], 100)[0] for mark in marks)
        assert right[0] > 90, "its left is at the left"
        assert front[0] == pytest.approx(50, abs=0.1)
        assert front[1] > back[1] + 20, "the front is nearer, so lower in an image from above"
        kinds: dict[View, float] = {"front": 30, "figure": 10, "surroundings": 30}
        for kind, degrees in kinds.items():
            axis = framed(stage, kind, "cube")[1].axes[:, 2]
            assert math.degrees(math.asin(axis[2])) == pytest.approx(degrees), (yaw, kind)
            ahead = axis[:2] @ stage.body("cube").frame.front[:2]
            assert ahead == pytest.approx(math.cos(math.radians(degrees))), (yaw, kind)
    assert 2 * math.degrees(math.atan(camera.spread)) == pytest.approx(54.4, abs=0.05), "the published lens"
    corners, faces = human()
    assert [corners[:, 2].min(), corners[:, 2].max()] == pytest.approx([0, 1.70])
    assert faces.max() == len(corners) - 1
    head = corners[corners[:, 2] > 1.45]
    assert head[:, 1].min() < -0.1 < head[:, 1].max() < 0.1, "the nose is in front"
    for yaw in YAWS:
        turn = Turn(yaw, (3, -2, 0.4))
        stage = staged([turn.thing("desk", (1.4, 0.7, 0.8), (0, 0, 0.4))], turn.room(5, 5))
        desk = stage.body("desk")
        local = desk.frame.local(beside(desk).vertices)
        assert local[:, 0].max() == pytest.approx(-0.7), "it touches the left side"
        assert local[:, 2].min() == pytest.approx(-0.4), "it stands where the desk stands"
        assert np.ptp(local[:, 2]) == pytest.approx(1.7)
        assert local[local[:, 2] > 1.1][:, 1].min() < -0.09, "its nose points to where the desk's front does"
    image = view(stage, "figure", "desk", 160)
    assert middle(image, "figure")[1] < middle(image, "desk")[1] - 30


def test_every_pixel_shows_what_lies_there_and_surroundings_what_is_near_an_outlined_object() -> None:
    things = [thing("rug", (2, 2, 0.01), (0, 0, 0.005)), thing("box", (0.5, 0.5, 0.5), (1.5, 1, 0.25))]
    image = view(staged(things, ROOM), "top", size=300)
    assert {"floor_room", "wall_south", "wall_north"} <= set(image.names)
    for name, place in (("rug", (0.5, 0.5, 0.01)), ("box", (1.5, 1, 0.5)), ("floor_room", (-1.5, -1, 0))):
        column, row = image.camera.pixels([place], 300)[0].astype(int)
        assert image.names[image.surfaces[row, column]] == name
    for kind in ("top", "front"):
        assert view(staged(things, ROOM), kind, "box", 32).names == ("box",)
    # Of three equal chairs in a row the line runs around the one that is asked about, and changes none of it.
    chairs = [thing(f"chair_{n}", (0.4, 0.4, 0.8), (n - 1, 0, 0.4), category="chair") for n in range(3)]
    stage = staged(chairs, ROOM)
    image = view(stage, "surroundings", "chair_1", 170)
    drawn, camera = framed(stage, "surroundings", "chair_1")
    bare = render(drawn, camera, 170)
    line = (image.colours == OUTLINE_COLOUR).all(axis=2)
    mask = image.mask("chair_1")
    assert np.array_equal(line, (image.colours != bare.colours).any(axis=2))
    assert not (line & mask).any()
    rows, columns = np.nonzero(mask)
    assert line[rows.min() - 1, columns[rows.argmin()]]
    assert line.sum() == pytest.approx(2 * (np.ptp(rows) + np.ptp(columns)), rel=0.35)
    for other in ("front", "figure", "top"):
        assert not (view(stage, other, "chair_1", 64).colours == OUTLINE_COLOUR).all(axis=2).any(), other
    desk = thing("desk", (1, 1, 0.7), (0, 0, 0.35))
    alone = framed(staged([desk], ROOM), "surroundings", "desk")[1].eye
    for at, belongs in {
        (0, 0, 0.8): True,
        (0, 0, 1.05): False,  # too far above
        (0.9, 0, 0.1): False,  # beside it
        (0.7, 0, 0.75): True,
        (0, 0, -0.5): False,
    }.items():
        laden = framed(staged([desk, thing("cup", (0.2, 0.2, 0.2), at)], ROOM), "surroundings", "desk")[1].eye
        assert (not np.allclose(alone, laden)) == belongs, at
    screen, plant = thing("screen", (1.6, 0.05, 1.9), (0, 0.9, 0.95)), thing("plant", (0.3, 0.3, 1), (2, 1.5, 0.5))
    things = [thing("desk", (1, 0.6, 0.7), (0, 1.5, 0.35)), screen, plant]
    names = view(staged(things, ROOM), "surroundings", "desk", 32).names
    assert "screen" not in names
    assert {"desk", "plant", "floor_room", "wall_north"} <= set(names)
    windowed = AS_IT_IS.room(5, 4, openings=[Opening("window", (1.0, 0.2), (4.0, 2.4))])
    stage = staged([thing("desk", (2.5, 0.6, 0.7), (0, 1.2, 0.9), yaw=180)], windowed)
    image = view(stage, "surroundings", "desk", 64)  # the desk looks at the north wall: the camera stands outside
    assert not {name for name in image.names if "north" in name}
    assert image.mask("desk").mean() > 0.05


def test_images_that_look_otherwise_are_of_another_version() -> None:
    assert RENDERING == 2, "count up, and write down here what images look like now"
    assert tuple(SEEN) == VIEWS
    desk, cup = thing("desk", (1.4, 0.7, 0.7), (0, 1, 0.35), yaw=20), thing("cup", (0.2, 0.2, 0.3), (0, 1, 0.85))
    flat = staged([Object("frame", box(1, 0.1, 2), standing((0, 0, 1), tilt=-90))], ROOM)
    for kind, expected in SEEN.items():
        image, again = (view(staged([desk, cup], ROOM), kind, "desk", 128) for _ in range(2))
        colours = image.colours.astype(float).mean(axis=2)
        parts = [[round(float(part.mean())) for part in np.hsplit(row, 4)] for row in np.vsplit(colours, 4)]
        assert np.abs(np.array(parts) - np.array(expected)).max() <= 2, kind
        assert image.png() == again.png(), kind
        assert view(flat, kind, "frame", 64).mask("frame").any(), "lying on its back it is still seen"


def test_polygons_are_those_of_opencv_hold_their_corners_and_are_clipped() -> None:
    """Their corners, and for their area and outlines of 3 and 8 pixels the sum of row + 32 * column, as OpenCV has."""
    for middle, size, degrees, expected, *sums in (
        ((15, 16), (20, 9), 30.0, [[4, 14], [8, 7], [25, 17], [21, 24]], 88228, 128506, 217693),
        ((16, 16), (30, 12), -73.5, [[17, 32], [5, 28], [14, 0], [26, 3]], 209247, 200943, 321732),
        ((16, 10), (13, 13), 90.0, [[9, 3], [22, 3], [22, 16], [9, 16]], 99078, 125364, 213468),
    ):
        corners = corners_of(middle, size, degrees)
        assert corners.tolist() == expected
        drawn = [filled([corners], SHAPE), *(outlined(corners, width, SHAPE) for width in (3, 8))]
        assert [(np.argwhere(canvas) @ (1, 32)).sum() for canvas in drawn] == sums, (middle, size, degrees)
    assert corners_of((0, 0), (3, 3), 0).tolist() == [[-1, 1], [-1, -1], [1, -1], [1, 1]], "cut towards zero"
    assert filled([[(5, 5)] * 4], SHAPE).sum() == 1
    assert filled(np.zeros((0, 3, 2)), SHAPE).sum() == 0
    assert filled([[(-900_000_000, -5), (900_000_000, -5), (900_000_000, 3), (-900_000_000, 3)]], SHAPE).sum() == 4 * 32
    assert outlined([(-900_000_000, 4), (900_000_000, 4), (900_000_000, 60), (-900_000_000, 60)], 4, SHAPE)[4].all()
    square = filled([[(4, 4), (20, 4), (20, 20), (4, 20)]], SHAPE)
    assert [eroded(square, width).sum() for width in (1, 2, 8)] == [17 * 17, 16 * 16, 10 * 10]
    assert eroded(np.ones(SHAPE, dtype=bool), 8).all(), "the edge of the canvas takes nothing"


def test_pixels_are_the_same_in_every_version() -> None:
    """Triangles, lines, outlines of all widths, erosions and parts, many of them across the edge."""
    random, pixels = np.random.default_rng(5), sha256()
    for _ in range(300):
        corners, width = random.integers(-12, 45, (4, 2)), int(random.integers(0, 10))
        canvas = filled([corners[:3], corners[1:]], SHAPE)
        thin, thick = lines(corners[:2], corners[2:], SHAPE), outlined(corners, width, SHAPE)
        pixels.update(b"".join(one.tobytes() for one in (canvas, thin, thick, eroded(canvas | thick, width))))
        pixels.update(repr([parts(canvas), parts(thin | eroded(thick, 2))]).encode())
    assert pixels.hexdigest()[:16] == "7fb04895e4cf8429", "see that the change is meant, and write it down"
