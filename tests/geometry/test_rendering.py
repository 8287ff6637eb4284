"""Images of solids that are known: their outlines, distances, sides, colours and textures."""

from __future__ import annotations

import io
import math
import pickle
import struct
import zlib
from typing import Any

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("trimesh", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")

import numpy as np
import trimesh

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
HAZE = [round(255 * part) for part in BACKGROUND]


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


@pytest.mark.parametrize("distance", [3.0, 5.0, 12.0])
def test_the_outline_of_a_sphere_is_that_of_its_cone_of_sight(distance: float) -> None:
    ball = trimesh.creation.icosphere(subdivisions=5, radius=1.0)
    image = from_south(RenderedSurface("ball", ball.vertices, np.asarray(ball.faces)), eye=(0, -distance, 0), size=400)
    assert share(image, "ball") == pytest.approx(math.pi / (distance**2 - 1), rel=0.01)
    assert image.depth.min() == pytest.approx(distance - 1, abs=2e-3)


def test_the_outline_of_a_box_is_that_of_its_nearest_side() -> None:
    image = from_south(drawn("box", box(2, 1, 0.5)), size=400)
    assert share(image, "box") == pytest.approx(2 * 0.5 / 4.5**2, rel=0.02)
    shown = image.mask("box")
    rows, columns = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
    assert (rows[-1] - rows[0] + 1) * 4 == pytest.approx(columns[-1] - columns[0] + 1, abs=4)


def test_depth_and_normals_are_those_of_the_middle_of_each_pixel() -> None:
    image = from_south(drawn("wall", box(9, 1, 9)), size=64)
    ways = image.camera.ways(64).reshape(64, 64, 3)
    assert np.allclose(image.depth * ways[..., 1], 4.5, atol=1e-4), "metres along each ray, not across"
    assert np.allclose(image.normals, (0, -1, 0), atol=1e-6)


def test_normals_look_at_the_viewer_however_faces_are_wound() -> None:
    cube = mesh_of(box(1, 1, 1))
    for mesh in (cube, cube.turned_out()):
        image = from_south(drawn("cube", mesh), size=64)
        assert np.allclose(image.normals[image.mask("cube")], (0, -1, 0), atol=1e-5)


def test_left_is_left_and_up_is_up_and_what_is_before_hides_what_is_behind() -> None:
    image = from_south(
        drawn("west", box(0.4, 0.4, 0.4), (-1, 0, 0)),
        drawn("east", box(0.4, 0.4, 0.4), (1, 0, 0)),
        drawn("high", box(0.4, 0.4, 0.4), (0, 0, 1)),
        drawn("near", box(0.4, 0.4, 0.4), (0, -1, -1)),
        drawn("far", box(0.4, 0.4, 0.4), (0, 1, -1.3)),
    )
    middle = {name: np.argwhere(image.mask(name)).mean(axis=0) for name in image.names}
    assert middle["west"][1] < 65 < 135 < middle["east"][1]
    assert middle["high"][0] < 65
    column, row = image.camera.pixels([(0, -1.2, -1)], 200)[0].astype(int)
    assert image.names[image.surfaces[row, column]] == "near"


def test_points_of_the_world_are_shown_where_the_camera_says() -> None:
    places = [(-1.0, 0.0, 0.5), (1.2, 2.0, -0.7), (0.0, -1.0, 1.0)]
    image = from_south(*(drawn(f"dot {k}", box(0.05, 0.05, 0.05), place) for k, place in enumerate(places)))
    for k, (column, row) in enumerate(image.camera.pixels(places, 200)):
        shown = np.argwhere(image.mask(f"dot {k}"))
        assert np.allclose(shown.mean(axis=0) + 0.5, (row, column), atol=1)


def test_empty_view_renders_the_background() -> None:
    for things in ([], [RenderedSurface("empty", np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64))]):
        image = render(things, Camera(np.zeros(3), SOUTH), 8)
        assert (image.colours == np.array(HAZE)).all()
        assert (image.surfaces == -1).all()
        assert np.isinf(image.depth).all()
        assert image.names == ()


@pytest.mark.parametrize("size", [0, -1, 2049])
def test_a_size_that_no_image_has_is_a_usage_error(size: int) -> None:
    with pytest.raises(UsageError, match="pixels a side"):
        from_south(drawn("cube", box(1, 1, 1)), size=size)


def test_a_image_of_one_pixel_is_one() -> None:
    image = from_south(drawn("cube", box(1, 1, 1)), size=1)
    assert image.colours.shape == (1, 1, 3)
    assert image.mask("cube").all()


def test_the_same_scene_makes_the_same_bytes() -> None:
    things = [drawn("ball", Primitive("sphere", (1, 1, 1))), drawn("ground", box(4, 4, 0.1), (0, 0, -0.6))]
    camera = framing(things[1].vertices, before(np.array([0.0, -1, 0]), 30))
    sight = Sight(things)
    first = sight.image(camera, 96).png()
    assert first == sight.image(camera, 96).png() == render(things, camera, 96).png()


def test_far_from_the_origin_a_image_is_the_same() -> None:
    near, far = drawn("cube", box(1, 2, 3)), drawn("cube", box(1, 2, 3), (4000.0, -9000.0, 500.0))
    images = [render([one], framing(one.vertices, (0.3, -1, 0.5)), 128) for one in (near, far)]
    assert (images[0].surfaces != images[1].surfaces).mean() < 0.002


def test_edges_are_smooth_and_inner_pixels_are_not_touched() -> None:
    wall = drawn("wall", box(2, 0.1, 2), colour=(0.0, 0.0, 0.0))
    image = from_south(wall, size=101)
    values = np.unique(image.colours[50])
    assert len(values) > 3, "some pixels on the rim are neither black nor background"
    assert set(np.unique(image.colours[40:60, 40:60])) == {0}


def test_a_colour_is_shown_as_it_is_written_times_the_light() -> None:
    red, grey = (from_south(drawn("wall", box(9, 1, 9), colour=c), size=16) for c in ((0.8, 0.2, 0.2), (0.5, 0.5, 0.5)))
    light = linear(grey.colours[8, 8] / 255) / linear(0.5)
    assert np.allclose(red.colours[8, 8], encoded(linear((0.8, 0.2, 0.2)) * light), atol=2)


def test_light_comes_from_above_and_less_of_it_into_corners() -> None:
    ball = drawn("ball", Primitive("sphere", (2, 2, 2)))
    image = from_south(ball, drawn("ground", box(6, 6, 0.1), (0, 0, -1.05)), eye=(0, -5, 0.4))
    column = image.colours[:, 100, 0].astype(int)
    rows = np.flatnonzero(image.mask("ball")[:, 100])
    assert column[rows[5]] > column[rows[-5]] + 20


def written_glb(*meshes: trimesh.Trimesh) -> bytes:
    return bytes(made.Scene(list(meshes)).export(file_type="glb"))


def sheet(pixels: object) -> trimesh.Trimesh:
    """Return a wall one metre wide and high, looking south, with an image all over it."""
    pillow = pytest.importorskip("PIL.Image", reason="textures need the extra: images")
    image = pillow.fromarray(np.asarray(pixels, dtype=np.uint8))
    corners = [(-0.5, -0.5, 0), (0.5, -0.5, 0), (0.5, 0.5, 0), (-0.5, 0.5, 0)]
    material = made.visual.material.PBRMaterial(baseColorTexture=image)
    visual = made.visual.TextureVisuals(uv=[(0, 0), (1, 0), (1, 1), (0, 1)], material=material)
    return trimesh.Trimesh(corners, [(0, 1, 2), (0, 2, 3)], visual=visual, process=False)


RED, GREEN, BLUE, WHITE = (255, 0, 0), (0, 255, 0), (0, 0, 255), (255, 255, 255)


def test_a_texture_is_shown_the_right_way_round() -> None:
    found = read_mesh(written_glb(sheet([[RED, GREEN], [BLUE, WHITE]])), "glb")
    assert isinstance(found, Mesh)
    image = from_south(drawn("sheet", found), eye=(0, -1.2, 0), size=101)
    left, right = image.camera.pixels([(-0.45, 0, 0.45), (0.45, 0, -0.45)], 101).astype(int)
    corners = {
        "upper left": image.colours[left[1], left[0]],
        "upper right": image.colours[left[1], right[0]],
        "lower left": image.colours[right[1], left[0]],
        "lower right": image.colours[right[1], right[0]],
    }
    strongest = {where: int(np.argmax(colour)) for where, colour in corners.items()}
    assert {k: strongest[k] for k in list(corners)[:3]} == {"upper left": 0, "upper right": 1, "lower left": 2}
    assert corners["lower right"].min() > 150


def test_between_the_pixels_of_a_texture_colours_mix_and_from_afar_all_do() -> None:
    stripes = np.zeros((64, 64, 3), dtype=np.uint8)
    stripes[:, ::2] = 255
    found = read_mesh(written_glb(sheet(stripes)), "glb")
    assert isinstance(found, Mesh)
    image = from_south(drawn("sheet", found), eye=(0, -9, 0), size=64)
    inner = image.colours[31:33, 31:33].astype(int)
    assert np.ptp(inner) < 6, "stripes finer than a pixel are their mean, not a pattern"
    light = linear(inner.mean() / 255)
    plain = from_south(drawn("sheet", box(1, 0.001, 1), colour=(1, 1, 1)), eye=(0, -9, 0), size=64)
    assert light == pytest.approx(linear(plain.colours[32, 32, 0] / 255) / 2, rel=0.1)


def test_a_painted_mesh_is_the_same_in_another_process() -> None:
    found = read_mesh(written_glb(sheet([[RED, GREEN], [BLUE, WHITE]])), "glb")
    assert isinstance(found, Mesh)
    images = [from_south(drawn("sheet", one)).png() for one in (pickle.loads(pickle.dumps(found)), found)]  # noqa: S301
    assert images[0] == images[1]


def test_holes_of_a_texture_are_seen_through() -> None:
    holed = np.full((8, 8, 4), 255, dtype=np.uint8)
    holed[:, 4:, 3] = 0
    found = read_mesh(written_glb(sheet(holed)), "glb")
    assert isinstance(found, Mesh)
    image = from_south(drawn("sheet", found), drawn("wall", box(3, 0.1, 3), (0, 1, 0)), eye=(0, -2, 0), size=100)
    row = image.surfaces[50]
    assert image.names[row[40]] == "sheet"
    assert image.names[row[60]] == "wall"
    assert image.depth[50, 60] == pytest.approx(2.95, rel=0.02)


def test_base_colours_and_colours_of_corners_are_shown() -> None:
    cube = trimesh.creation.box()
    cube.visual = made.visual.TextureVisuals(
        material=made.visual.material.PBRMaterial(baseColorFactor=[0, 255, 0, 255])
    )
    found = read_mesh(written_glb(cube), "glb")
    assert isinstance(found, Mesh)
    colour = from_south(drawn("cube", found)).colours[100, 100]
    assert colour.argmax() == 1
    assert colour[0] == colour[2] == 0
    painted = made.creation.box()
    painted.visual.face_colors = [0, 0, 255, 255]
    found = read_mesh(bytes(painted.export(file_type="ply")), "ply")
    assert isinstance(found, Mesh)
    assert from_south(drawn("cube", found)).colours[100, 100].argmax() == 2


def test_a_mesh_of_several_parts_keeps_the_paint_of_each() -> None:
    parts = []
    for x, colour in ((-1, [255, 0, 0, 255]), (1, [0, 0, 255, 255])):
        cube = trimesh.creation.box()
        cube.apply_translation((x, 0, 0))
        material = made.visual.material.PBRMaterial(baseColorFactor=colour)
        cube.visual = made.visual.TextureVisuals(material=material)
        parts.append(cube)
    found = read_mesh(written_glb(*parts), "glb")
    assert isinstance(found, Mesh)
    image = from_south(drawn("pair", found))
    sides = image.camera.pixels([(-1, -0.5, 0), (1, -0.5, 0)], 200).astype(int)
    assert [int(image.colours[row, column].argmax()) for column, row in sides] == [0, 2]


def huge_png(side: int) -> bytes:
    """Return a header alone: nobody decodes what is too large."""
    header = b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    data = b"IDAT" + zlib.compress(b"")
    chunks = (struct.pack(">I", len(one) - 4) + one + struct.pack(">I", zlib.crc32(one)) for one in (header, data))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (png(np.random.default_rng(3).integers(0, 256, (40, 40, 3), dtype=np.uint8))[:900], "truncated"),
        (huge_png(9000), "9000 by 9000 pixels are too many"),
        (b"no image", "not an image of a known format"),
        (b"", "not an image of a known format"),
        (b"\xabKTX 20\xbb\r\n\x1a\n" + b"\0" * 80, "cannot be decoded"),
    ],
    ids=["truncated", "huge", "text", "empty", "ktx2"],
)
def test_texture_that_cannot_be_decoded_is_white_and_reported(data: bytes, says: str) -> None:
    pytest.importorskip("PIL.Image", reason="textures need the extra: images")
    cube = mesh_of(box(1, 1, 1))
    paint = Paint(np.ones((12, 3)), np.zeros(12, dtype=np.int64), np.zeros((8, 2)), (Texture(data),))
    image = from_south(drawn("cube", Mesh.of(cube.vertices, cube.faces, paint)))
    assert len(image.faults) == 1
    assert image.faults[0].startswith("cube: ")
    assert says in image.faults[0]
    again = pickle.loads(pickle.dumps(paint.textures[0]))  # noqa: S301
    assert (again.fault, again.levels[0].tolist()) == (paint.textures[0].fault, [[[255, 255, 255, 255]]])
    assert image.colours[100, 100].min() > 150


def test_a_png_holds_the_pixels_it_was_given() -> None:
    pixels = np.random.default_rng(5).integers(0, 256, (7, 5, 3), dtype=np.uint8)
    data = png(pixels)
    assert struct.unpack(">II", data[16:24]) == (5, 7)
    at = data.index(b"IDAT")
    length = int.from_bytes(data[at - 4 : at], "big")
    rows = np.frombuffer(zlib.decompress(data[at + 4 : at + 4 + length]), dtype=np.uint8).reshape(7, 16)
    assert (rows[:, 0] == 2).all()
    assert (np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(7, 5, 3) == pixels).all()
    assert zlib.crc32(data[at : at + 4 + length]).to_bytes(4, "big") == data[at + 4 + length : at + 8 + length]


def test_other_decoders_read_our_png() -> None:
    image = pytest.importorskip("PIL.Image", reason="decoding needs the extra: images")
    for channels in (1, 3, 4):
        pixels = np.random.default_rng(channels).integers(0, 256, (9, 4, channels), dtype=np.uint8)
        with image.open(io.BytesIO(png(pixels))) as opened:
            assert (np.asarray(opened).reshape(pixels.shape) == pixels).all()


@pytest.mark.parametrize("back", [(0, -1, 0), (0.4, -1, 0.6), (-1, 0.2, 0.1), (0.3, 0.9, -0.2)])
@pytest.mark.parametrize("size", [(1, 1, 1), (3, 0.2, 0.1), (0.1, 4, 0.1), (0.01, 0.01, 5)])
def test_a_frame_holds_everything_and_no_more(back: tuple[float, float, float], size: tuple[float, ...]) -> None:
    vertices = drawn("it", box(size[0], size[1], size[2]), (7, -3, 2)).vertices
    camera = framing(vertices, back)
    seen = camera.pixels(vertices, 100)
    assert seen.min() >= 100 * (1 - 1 / 1.05) / 2 - 1e-6
    assert seen.max() <= 100 * (1 + 1 / 1.05) / 2 + 1e-6
    assert np.allclose(seen.min(axis=0) + seen.max(axis=0), 100, atol=0.01), "it is in the middle"
    assert np.allclose(camera.axes.T @ camera.axes, np.eye(3), atol=1e-12)
    assert np.linalg.det(camera.axes) > 0


def test_boxes_have_sharp_edges_and_balls_have_none() -> None:
    plank = mesh_of(box(9, 1, 9))
    normals = round_normals(plank.vertices, plank.faces)
    assert np.allclose(normals, normals[:, :1]), "however its sides are cut into triangles"
    ball = trimesh.creation.icosphere(subdivisions=3, radius=2.0)
    corners = np.asarray(ball.vertices)[ball.faces]
    assert np.allclose(round_normals(ball.vertices, np.asarray(ball.faces)), corners / 2, atol=0.03)


def test_large_textures_are_kept_smaller_and_look_the_same() -> None:
    pytest.importorskip("PIL.Image", reason="textures need the extra: images")
    texture = Texture(png(np.full((30, 5000, 3), (10, 200, 30), dtype=np.uint8)))
    assert texture.fault == ""
    assert texture.levels[0].shape == (10, 1667, 4)
    assert all((level[..., :3] == (10, 200, 30)).all() for level in texture.levels)
    assert texture.levels[-1].shape == (1, 1, 4)
