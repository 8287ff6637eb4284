"""The images a judge is shown: from where they are taken, and what is in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry import Architecture, MeasuredScene, Mesh, Object, Opening, Scene, bodies, box, standing
from tsgkit.geometry.mannequin import human
from tsgkit.geometry.meshes import mesh_of
from tsgkit.geometry.rendering import OUTLINE_COLOUR, RENDERING, RenderedImage, render
from tsgkit.geometry.shading import round_normals
from tsgkit.geometry.views import VIEWS, View, beside, framed, tint, undrawable, view

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats, Ints, Singles

thing = AS_IT_IS.thing
ROOM = AS_IT_IS.room(5, 4)
YAWS = (0, 90, 180, 270, 37)


def middle(image: RenderedImage, name: str) -> Floats:
    found: Floats = np.argwhere(image.mask(name)).mean(axis=0)
    return found


def marked(yaw: float) -> list[Object]:
    """Return a cube with marks before its front, at its right as the viewer sees it, and behind, all turned as one."""
    turn, marks = Turn(yaw), {"right": (0.8, 0, 0.1), "front": (0, -0.8, 0.1), "back": (0, 0.8, 0.1)}
    cube = turn.thing("cube", (1, 1, 1), (0, 0, 0.5))
    return [cube, *(turn.thing(name, (0.2, 0.2, 0.2), at) for name, at in marks.items())]


def test_cameras_stand_before_the_front_at_their_angle() -> None:
    for yaw in YAWS:
        stage = staged(marked(yaw), Turn(yaw).room(6, 6))
        _, camera = framed(stage, "front", "cube")
        marks = ("right", "front", "back")
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


def test_the_figure_stands_at_the_left_touching_on_the_same_ground() -> None:
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
    image = view(staged([thing("pole", (0.1, 0.1, 1.7), (0, 0, 0.85))], ROOM), "figure", "pole", 400)
    heights = [np.ptp(np.flatnonzero(image.mask(name).any(axis=1))) for name in ("figure", "pole")]
    assert heights[0] == pytest.approx(heights[1], rel=0.05)


def test_from_above_every_pixel_shows_what_lies_there_with_north_up() -> None:
    things = [thing("rug", (2, 2, 0.01), (0, 0, 0.005)), thing("box", (0.5, 0.5, 0.5), (1.5, 1, 0.25))]
    image = view(staged(things, ROOM), "top", size=300)
    assert {"floor_room", "wall_south", "wall_north"} <= set(image.names)
    for name, place in (("rug", (0.5, 0.5, 0.01)), ("box", (1.5, 1, 0.5)), ("floor_room", (-1.5, -1, 0))):
        column, row = image.camera.pixels([place], 300)[0].astype(int)
        assert image.names[image.surfaces[row, column]] == name
    row, column = middle(image, "box") - middle(image, "floor_room")
    assert (row < -30, column > 40) == (True, True)
    assert view(staged(things, ROOM), "top", "box", 32).names == ("box",)
    assert view(staged(things, ROOM), "front", "box", 32).names == ("box",)


def test_the_object_in_question_is_outlined_in_its_surroundings_and_nowhere_else() -> None:
    """Of three equal chairs in a row the line runs around the one that is asked about, and changes none of it."""
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
    for kind in ("front", "figure", "top"):
        assert not (view(stage, kind, "chair_1", 64).colours == OUTLINE_COLOUR).all(axis=2).any(), kind


def test_objects_close_above_belong_to_the_surroundings() -> None:
    desk = thing("desk", (1, 1, 0.7), (0, 0, 0.35))
    bare = framed(staged([desk], ROOM), "surroundings", "desk")[1].eye
    for at, belongs in {
        (0, 0, 0.8): True,
        (0, 0, 1.05): False,  # too far above
        (0.9, 0, 0.1): False,  # beside it
        (0.7, 0, 0.75): True,
        (0, 0, -0.5): False,
    }.items():
        laden = framed(staged([desk, thing("cup", (0.2, 0.2, 0.2), at)], ROOM), "surroundings", "desk")[1].eye
        assert (not np.allclose(bare, laden)) == belongs, at
    lamp = thing("lamp", (0.2, 0.2, 0.9), (0.4, 0, 1.15))
    camera = framed(staged([desk, lamp], ROOM), "surroundings", "desk")[1]
    assert 0 < camera.pixels([(0.4, 0, 1.6)], 100)[0][1] < 100
    assert np.linalg.norm(camera.eye - desk.transform[12:15]) > np.linalg.norm(bare - desk.transform[12:15])


def test_surroundings_omit_occluding_objects_and_walls_with_their_windows() -> None:
    things = [
        thing("desk", (1, 0.6, 0.7), (0, 1.5, 0.35)),
        thing("screen", (1.6, 0.05, 1.9), (0, 0.9, 0.95)),
        thing("plant", (0.3, 0.3, 1), (2, 1.5, 0.5)),
    ]
    names = view(staged(things, ROOM), "surroundings", "desk", 32).names
    assert "screen" not in names
    assert {"desk", "plant", "floor_room", "wall_north"} <= set(names)
    windowed = AS_IT_IS.room(5, 4, openings=[Opening("window", (1.0, 0.2), (4.0, 2.4))])
    stage = staged([thing("desk", (2.5, 0.6, 0.7), (0, 1.2, 0.9), yaw=180)], windowed)
    image = view(stage, "surroundings", "desk", 64)  # the desk looks at the north wall: the camera stands outside
    assert not {name for name in image.names if "north" in name}
    assert image.mask("desk").mean() > 0.05


def test_objects_that_are_broken_or_not_there_are_usage_errors() -> None:
    cube = mesh_of(box(1, 1, 1))
    broken = Object("lamp", Mesh.of(cube.vertices * math.nan, cube.faces), standing())
    stage = staged([broken, thing("bed", (1, 1, 1), (0, 0, 0.5))], ROOM)
    for kind in VIEWS:
        with pytest.raises(UsageError, match=r"'lamp' cannot be measured: .*corners are not finite"):
            view(stage, kind, "lamp")
        with pytest.raises(UsageError, match="'sofa'"):
            view(stage, kind, "sofa")
    with pytest.raises(UsageError, match="is of one object"):
        view(stage, "front")
    with pytest.raises(UsageError, match="no view"):
        view(stage, "below", "bed")  # type: ignore[arg-type]


def test_a_scene_of_nothing_has_a_named_problem() -> None:
    stage = staged([], Architecture())
    problem = undrawable(stage)
    assert problem is not None
    assert problem.code == "nothing-to-draw"
    with pytest.raises(UsageError, match="nothing-to-draw"):
        view(stage, "top")
    assert undrawable(MeasuredScene(Scene("bare", (), ROOM))) is None
    assert view(staged([], ROOM), "top", size=16).names[0] == "floor_room"


def test_categories_have_colours_that_last_and_differ() -> None:
    found = {tint(category) for category in ("bed", "lamp", "sofa", "desk", "chair", "wardrobe")}
    assert len(found) == 6
    assert tint("Bed") == tint("bed")
    assert all(0.3 < part < 0.9 for colour in found for part in colour)


SEEN: dict[View, list[list[int]]] = {
    "front": [[240, 240, 240, 240], [191, 174, 174, 191], [187, 159, 159, 187], [240, 240, 240, 240]],
    "figure": [[213, 240, 240, 240], [137, 229, 240, 240], [169, 175, 176, 188], [214, 190, 190, 199]],
    "surroundings": [[202, 203, 203, 203], [184, 181, 181, 194], [172, 151, 151, 170], [184, 179, 179, 183]],
    "top": [[240, 240, 234, 232], [220, 197, 182, 202], [202, 182, 197, 220], [232, 234, 240, 240]],
}
"""The mean brightness of the parts of images, as renderer 2 makes them."""


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


def test_the_normals_of_a_thing_are_found_once_for_all_images_of_its_room(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[int] = []

    def counted(vertices: Floats, faces: Ints) -> Singles:
        found.append(len(faces))
        return round_normals(vertices, faces)

    monkeypatch.setattr(bodies, "round_normals", counted)
    stage = staged(marked(0), ROOM)
    for name in ("cube", "right", "cube"):
        for kind in ("front", "surroundings", "top"):
            view(stage, kind, name, 16)
    assert len(found) == len(stage.bodies) + len(stage.floors) + len(stage.built_walls)
