"""Images of solids that are known: their outlines, distances, sides, colours and textures."""

from __future__ import annotations

import io
import math
import pickle
import struct
import zlib
from itertools import product
from typing import Any

import numpy as np
import pytest
import trimesh
from PIL import Image

from tsgkit.errors import UsageError
from tsgkit.geometry import Mesh, Primitive, box, read_mesh
from tsgkit.geometry.cameras import SPREAD, Camera, before, framing
from tsgkit.geometry.materials import Paint, Texture, encoded, linear
from tsgkit.geometry.meshes import mesh_of
from tsgkit.geometry.png import png
from tsgkit.geometry.ray_hits import GREY, RenderedSurface
from tsgkit.geometry.rendering import BACKGROUND, RenderedImage, Sight, render
from tsgkit.geometry.shading import round_normals

made: Any = trimesh
"""Untyped: its types are not complete."""
SOUTH = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
"""The axes of a camera that looks north: right is east, up is up, back is south."""
RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


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


def test_points_are_shown_where_the_camera_says_and_what_is_near_hides_what_is_behind() -> None:
    places = {"west": (-1.0, 0.0, 0.5), "east": (1.2, 2.0, -0.7), "high": (0.0, -1.0, 1.0)}
    image = from_south(*(drawn(name, box(0.05, 0.05, 0.05), place) for name, place in places.items()))
    for name, (column, row) in zip(places, image.camera.pixels(list(places.values()), 200), strict=True):
        assert np.allclose(np.argwhere(image.mask(name)).mean(axis=0) + 0.5, (row, column), atol=1), name
    middle = {name: np.argwhere(image.mask(name)).mean(axis=0) for name in places}
    assert middle["west"][1] < 70 < 125 < middle["east"][1]
    assert middle["high"][0] < 60
    sides = {"near": (0.0, -1.0, -1.0), "far": (0.0, 1.0, -1.3)}
    image = from_south(*(drawn(name, box(0.4, 0.4, 0.4), place) for name, place in sides.items()))
    column, row = image.camera.pixels([(0, -1.2, -1)], 200)[0].astype(int)
    assert image.names[image.surfaces[row, column]] == "near"


def test_empty_view_renders_the_background() -> None:
    for things in ([], [RenderedSurface("empty", np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))]):
        image = render(things, Camera(np.zeros(3), SOUTH), 8)
        assert (image.colours == np.array([round(255 * part) for part in BACKGROUND])).all()
        assert (image.surfaces == -1).all()
        assert np.isinf(image.depth).all()
        assert image.names == ()


def test_images_have_from_1_to_2048_pixels_a_side() -> None:
    for size in (0, -1, 2049):
        with pytest.raises(UsageError, match="pixels a side"):
            from_south(drawn("cube", box(1, 1, 1)), size=size)
    image = from_south(drawn("cube", box(1, 1, 1)), size=1)
    assert image.colours.shape == (1, 1, 3)
    assert image.mask("cube").all()
    with pytest.raises(UsageError, match="the image shows no 'lamp'"):
        image.mask("lamp")


def test_the_same_scene_makes_the_same_image_also_far_from_the_origin() -> None:
    things = [drawn("ball", Primitive("sphere", (1, 1, 1))), drawn("ground", box(4, 4, 0.1), (0, 0, -0.6))]
    camera, sight = framing(things[1].vertices, before(np.array([0.0, -1, 0]), 30)), Sight(things)
    first = sight.image(camera, 96).png()
    assert first == sight.image(camera, 96).png() == render(things, camera, 96).png()
    near, far = drawn("cube", box(1, 2, 3)), drawn("cube", box(1, 2, 3), (4000.0, -9000.0, 500.0))
    images = [render([one], framing(one.vertices, (0.3, -1, 0.5)), 128) for one in (near, far)]
    assert (images[0].surfaces != images[1].surfaces).mean() < 0.002


def test_edges_are_smooth_and_inner_pixels_are_not_touched() -> None:
    image = from_south(drawn("wall", box(2, 0.1, 2), colour=(0.0, 0.0, 0.0)), size=101)
    assert len(np.unique(image.colours[50])) > 3, "some pixels on the rim are neither black nor background"
    assert set(np.unique(image.colours[40:60, 40:60])) == {0}


def test_a_colour_is_shown_as_it_is_written_times_the_light_from_above() -> None:
    red, grey = (from_south(drawn("wall", box(9, 1, 9), colour=c), size=16) for c in ((0.8, 0.2, 0.2), (0.5, 0.5, 0.5)))
    light = linear(grey.colours[8, 8] / 255) / linear(0.5)
    assert np.allclose(red.colours[8, 8], encoded(linear((0.8, 0.2, 0.2)) * light), atol=2)
    ball = drawn("ball", Primitive("sphere", (2, 2, 2)))
    image = from_south(ball, drawn("ground", box(6, 6, 0.1), (0, 0, -1.05)), eye=(0, -5, 0.4))
    column, rows = image.colours[:, 100, 0].astype(int), np.flatnonzero(image.mask("ball")[:, 100])
    assert column[rows[5]] > column[rows[-5]] + 20, "less of it comes into corners"


def test_a_texture_is_shown_the_right_way_round_and_mixed_from_afar() -> None:
    found = sheet([[RED, GREEN], [BLUE, WHITE]])
    image, again = (from_south(drawn("sheet", one), eye=(0, -1.2, 0), size=101) for one in (found, pickled(found)))
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


def pickled(mesh: Mesh) -> Mesh:
    again = pickle.loads(pickle.dumps(mesh))  # noqa: S301
    assert isinstance(again, Mesh)
    return again


def test_holes_of_a_texture_are_seen_through() -> None:
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


def huge_png(side: int) -> bytes:
    """Return a header alone: nobody decodes what is too large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    chunks = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in (header, data))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def test_a_texture_that_cannot_be_decoded_is_white_and_reported() -> None:
    cube = mesh_of(box(1, 1, 1))
    for data, reason in (
        (png(np.random.default_rng(3).integers(0, 256, (40, 40, 3), dtype=np.uint8))[:900], "truncated"),
        (huge_png(9000), "9000 by 9000 pixels are too many"),
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


def test_a_png_holds_the_pixels_it_was_given() -> None:
    for channels in (3, 4):
        pixels = np.random.default_rng(channels).integers(0, 256, (9, 4, channels), dtype=np.uint8)
        with Image.open(io.BytesIO(png(pixels))) as opened:
            assert (np.asarray(opened).reshape(pixels.shape) == pixels).all()


def test_a_frame_holds_everything_and_no_more() -> None:
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


def test_boxes_have_sharp_edges_and_balls_have_none() -> None:
    plank = mesh_of(box(9, 1, 9))
    normals = round_normals(plank.vertices, plank.faces)
    assert np.allclose(normals, normals[:, :1]), "however its sides are cut into triangles"
    ball = trimesh.creation.icosphere(subdivisions=3, radius=2.0)
    corners = np.asarray(ball.vertices)[ball.faces]
    assert np.allclose(round_normals(ball.vertices, np.asarray(ball.faces)), corners / 2, atol=0.03)


def test_large_textures_are_kept_smaller_and_look_the_same() -> None:
    texture = Texture(png(np.full((30, 5000, 3), (10, 200, 30), dtype=np.uint8)))
    assert texture.fault == ""
    assert texture.levels[0].shape == (10, 1667, 4)
    assert all((level[..., :3] == (10, 200, 30)).all() for level in texture.levels)
    assert texture.levels[-1].shape == (1, 1, 4)
