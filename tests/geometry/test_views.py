"""The images a judge is shown: from where they are taken, and what is in them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")
pytest.importorskip("shapely", reason="rooms need the extra: scenes")

import numpy as np
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
WINDOWED = AS_IT_IS.room(5, 4, openings=[Opening("window", (1.0, 0.2), (4.0, 2.4))])
turned = pytest.mark.parametrize("yaw", [0, 90, 180, 270, 37])


def middle(image: RenderedImage, name: str) -> Floats:
    found: Floats = np.argwhere(image.mask(name)).mean(axis=0)
    return found


def marked(yaw: float) -> list[Object]:
    """Return a cube with marks before its front, at its right as the viewer sees it, and on top, all turned as one."""
    turn = Turn(yaw)
    return [
        turn.thing("cube", (1, 1, 1), (0, 0, 0.5)),
        turn.thing("right", (0.2, 0.2, 0.2), (0.8, 0, 0.1)),
        turn.thing("front", (0.2, 0.2, 0.2), (0, -0.8, 0.1)),
        turn.thing("back", (0.2, 0.2, 0.2), (0, 0.8, 0.1)),
    ]


@turned
def test_the_front_is_seen_from_before_it_with_its_left_at_the_left(yaw: float) -> None:
    cube, *marks = marked(yaw)
    stage = staged([cube, *marks], Turn(yaw).room(6, 6))
    _, camera = framed(stage, "front", "cube")
    columns = {mark.id: camera.pixels(stage.body(mark.id).frame.centre[None], 100)[0] for mark in marks}
    assert columns["right"][0] > 90
    assert columns["front"][0] == pytest.approx(50, abs=0.1)
    assert columns["front"][1] > columns["back"][1] + 20, "the front is nearer, so lower in an image from above"


@turned
@pytest.mark.parametrize(("kind", "degrees"), [("front", 30), ("figure", 10), ("surroundings", 30)])
def test_cameras_stand_before_the_front_at_their_angle(yaw: float, kind: View, degrees: float) -> None:
    stage = staged(marked(yaw)[:1], Turn(yaw).room(6, 6))
    back = framed(stage, kind, "cube")[1].axes[:, 2]
    front = stage.body("cube").frame.front
    assert math.degrees(math.asin(back[2])) == pytest.approx(degrees)
    assert back[:2] @ front[:2] == pytest.approx(math.cos(math.radians(degrees)))


@pytest.mark.parametrize("view_angle", [54.4])
def test_the_lens_is_that_of_the_published_images(view_angle: float) -> None:
    _, camera = framed(staged([thing("cube", (1, 1, 1), (0, 0, 0))], ROOM), "front", "cube")
    assert 2 * math.degrees(math.atan(camera.spread)) == pytest.approx(view_angle, abs=0.05)


def test_only_the_object_is_in_its_front_image() -> None:
    stage = staged([thing("bed", (2, 1, 0.5), (0, 0, 0.25)), thing("cup", (0.1, 0.1, 0.1), (0, 0, 0.55))], ROOM)
    assert view(stage, "front", "bed", 32).names == ("bed",)


def test_the_figure_is_one_metre_seventy_tall_and_looks_along_its_front() -> None:
    corners, faces = human()
    assert np.ptp(corners[:, 2]) == pytest.approx(1.70)
    assert corners[:, 2].min() == pytest.approx(0)
    assert faces.max() == len(corners) - 1
    head = corners[corners[:, 2] > 1.45]
    assert head[:, 1].min() < -0.1, "the nose"
    assert head[:, 1].max() < 0.1


@turned
def test_the_figure_stands_at_the_left_touching_on_the_same_ground(yaw: float) -> None:
    turn = Turn(yaw, (3, -2, 0.4))
    stage = staged([turn.thing("desk", (1.4, 0.7, 0.8), (0, 0, 0.4))], turn.room(5, 5))
    desk = stage.body("desk")
    local = desk.frame.local(beside(desk).vertices)
    assert local[:, 0].max() == pytest.approx(-0.7), "it touches the left side"
    assert local[:, 2].min() == pytest.approx(-0.4), "it stands where the desk stands"
    assert local[:, 2].max() - local[:, 2].min() == pytest.approx(1.7)
    assert local[local[:, 2] > 1.1][:, 1].min() < -0.09, "its nose points to where the desk's front does"
    image = view(stage, "figure", "desk", 160)
    assert middle(image, "figure")[1] < middle(image, "desk")[1] - 30


def test_the_figure_is_as_high_in_the_image_as_a_pole_of_its_height() -> None:
    stage = staged([thing("pole", (0.1, 0.1, 1.7), (0, 0, 0.85))], ROOM)
    image = view(stage, "figure", "pole", 400)
    heights = [np.ptp(np.flatnonzero(image.mask(name).any(axis=1))) for name in ("figure", "pole")]
    assert heights[0] == pytest.approx(heights[1], rel=0.05)


def test_from_above_north_is_up_and_east_is_right() -> None:
    things = [
        thing("middle", (0.3, 0.3, 0.3), (0, 0, 0.15)),
        thing("east", (0.3, 0.3, 0.3), (1.5, 0, 0.15)),
        thing("north", (0.3, 0.3, 0.3), (0, 1.5, 0.15)),
    ]
    image = view(staged(things, ROOM), "top", size=200)
    centre = middle(image, "middle")
    assert middle(image, "east")[1] > centre[1] + 20
    assert abs(middle(image, "east")[0] - centre[0]) < 2
    assert middle(image, "north")[0] < centre[0] - 20
    assert {"floor_room", "wall_south", "wall_north"} <= set(image.names)
    assert view(staged(things, ROOM), "top", "east", 32).names == ("east",)


def test_every_pixel_from_above_shows_what_lies_there() -> None:
    things = [thing("rug", (2, 2, 0.01), (0, 0, 0.005)), thing("box", (0.5, 0.5, 0.5), (1.5, 1, 0.25))]
    image = view(staged(things, ROOM), "top", size=300)
    for name, place in (("rug", (0.5, 0.5, 0.01)), ("box", (1.5, 1, 0.5)), ("floor_room", (-1.5, -1, 0))):
        column, row = image.camera.pixels([place], 300)[0].astype(int)
        assert image.names[image.surfaces[row, column]] == name


def test_the_object_in_question_is_outlined_in_its_surroundings_and_nowhere_else() -> None:
    """Of three equal chairs in a row the line runs around the one that is asked about, and changes none of it."""
    chairs = [AS_IT_IS.thing(f"chair_{n}", (0.4, 0.4, 0.8), (n - 1, 0, 0.4), category="chair") for n in range(3)]
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
        assert not (view(stage, kind, "chair_1", 64).colours == OUTLINE_COLOUR).all(axis=2).any()


def test_surroundings_are_framed_on_what_lies_on_the_object() -> None:
    desk = thing("desk", (1.4, 0.7, 0.7), (0, 1.6, 0.35))
    lamp = thing("lamp", (0.2, 0.2, 0.9), (0.4, 1.6, 1.15))
    bare, laden = (framed(staged(things, ROOM), "surroundings", "desk")[1] for things in ([desk], [desk, lamp]))
    top = [(0.4, 1.6, 1.6)]
    assert 0 < laden.pixels(top, 100)[0][1] < 100
    assert np.linalg.norm(laden.eye - desk.transform[12:15]) > np.linalg.norm(bare.eye - desk.transform[12:15])


@pytest.mark.parametrize(
    ("at", "belongs"),
    [((0, 0, 0.8), True), ((0, 0, 1.05), False), ((0.9, 0, 0.1), False), ((0.7, 0, 0.75), True), ((0, 0, -0.5), False)],
    ids=["on it", "too far above", "beside it", "close and above", "below it"],
)
def test_objects_close_above_belong_to_the_surroundings(at: tuple[float, float, float], belongs: bool) -> None:
    stage = staged([thing("desk", (1, 1, 0.7), (0, 0, 0.35)), thing("cup", (0.2, 0.2, 0.2), at)], ROOM)
    alone = staged([thing("desk", (1, 1, 0.7), (0, 0, 0.35))], ROOM)
    with_it, without = (framed(one, "surroundings", "desk")[1].eye for one in (stage, alone))
    assert (not np.allclose(with_it, without)) == belongs


def test_surroundings_omit_occluding_objects_and_walls() -> None:
    things = [
        thing("desk", (1, 0.6, 0.7), (0, 1.5, 0.35)),
        thing("screen", (1.6, 0.05, 1.9), (0, 0.9, 0.95)),
        thing("plant", (0.3, 0.3, 1), (2, 1.5, 0.5)),
    ]
    names = view(staged(things, ROOM), "surroundings", "desk", 32).names
    assert "screen" not in names
    assert {"desk", "plant", "floor_room", "wall_north"} <= set(names)


def test_a_wall_hides_together_with_its_window() -> None:
    """The desk looks at the north wall, most of which is window: the camera stands outside."""
    stage = staged([thing("desk", (2.5, 0.6, 0.7), (0, 1.2, 0.9), yaw=180)], WINDOWED)
    image = view(stage, "surroundings", "desk", 64)
    assert not {name for name in image.names if "north" in name}
    assert image.mask("desk").mean() > 0.05


@pytest.mark.parametrize("kind", VIEWS)
def test_the_same_scene_makes_the_same_bytes_in_every_view(kind: View) -> None:
    def taken() -> bytes:
        return view(staged(marked(20), ROOM), kind, "cube", 48).png()

    assert taken() == taken()


@pytest.mark.parametrize("kind", VIEWS)
def test_objects_that_are_broken_or_not_there_are_usage_errors(kind: View) -> None:
    cube = mesh_of(box(1, 1, 1))
    broken = Object("lamp", Mesh.of(cube.vertices * math.nan, cube.faces), standing())
    stage = staged([broken, thing("bed", (1, 1, 1), (0, 0, 0.5))], ROOM)
    with pytest.raises(UsageError, match="'lamp' cannot be measured") as raised:
        view(stage, kind, "lamp")
    assert "corners are not finite" in raised.value.message
    with pytest.raises(UsageError, match="'sofa'"):
        view(stage, kind, "sofa")


def test_a_scene_of_nothing_has_a_named_problem() -> None:
    stage = staged([], Architecture())
    problem = undrawable(stage)
    assert problem is not None
    assert problem.code == "nothing-to-draw"
    with pytest.raises(UsageError, match="nothing-to-draw"):
        view(stage, "top")
    assert undrawable(MeasuredScene(Scene("bare", (), ROOM))) is None
    assert view(staged([], ROOM), "top", size=16).names[0] == "floor_room"


def test_views_of_one_object_need_its_name_and_views_that_are_none_are_refused() -> None:
    stage = staged(marked(0), ROOM)
    with pytest.raises(UsageError, match="is of one object"):
        view(stage, "front")
    with pytest.raises(UsageError, match="no view"):
        view(stage, "below", "cube")  # type: ignore[arg-type]


def test_categories_have_colours_that_last_and_differ() -> None:
    found = {tint(category) for category in ("bed", "lamp", "sofa", "desk", "chair", "wardrobe")}
    assert len(found) == 6
    assert tint("Bed") == tint("bed")
    assert all(0.3 < part < 0.9 for colour in found for part in colour)


def test_a_thing_that_lies_on_its_back_is_still_seen() -> None:
    flat = Object("frame", box(1, 0.1, 2), standing((0, 0, 1), tilt=-90))
    for kind in VIEWS:
        assert view(staged([flat], ROOM), kind, "frame", 64).mask("frame").any()


SEEN: dict[View, list[list[int]]] = {
    "front": [[240, 240, 240, 240], [191, 174, 174, 191], [187, 159, 159, 187], [240, 240, 240, 240]],
    "figure": [[213, 240, 240, 240], [137, 229, 240, 240], [169, 175, 176, 188], [214, 190, 190, 199]],
    "surroundings": [[202, 203, 203, 203], [184, 181, 181, 194], [172, 151, 151, 170], [184, 179, 179, 183]],
    "top": [[240, 240, 234, 232], [220, 197, 182, 202], [202, 182, 197, 220], [232, 234, 240, 240]],
}
"""The mean brightness of the parts of images, as renderer 2 makes them."""


def brightness(kind: View) -> list[list[int]]:
    stage = staged(
        [thing("desk", (1.4, 0.7, 0.7), (0, 1, 0.35), yaw=20), thing("cup", (0.2, 0.2, 0.3), (0, 1, 0.85))], ROOM
    )
    colours = view(stage, kind, "desk", 128).colours.astype(float).mean(axis=2)
    return [[round(float(part.mean())) for part in np.hsplit(row, 4)] for row in np.vsplit(colours, 4)]


@pytest.mark.parametrize("kind", VIEWS)
def test_images_that_look_otherwise_are_of_another_version(kind: View) -> None:
    assert RENDERING == 2, "count up, and write down here what images look like now"
    assert np.abs(np.array(brightness(kind)) - np.array(SEEN[kind])).max() <= 2


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
