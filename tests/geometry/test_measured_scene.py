"""A scene as it is measured: floors, walls, openings and ceilings, and what is wrong with them."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit import geometry
from tsgkit.errors import UsageError
from tsgkit.geometry.bounds import out_of_bounds
from tsgkit.geometry.boxes import Boxes
from tsgkit.geometry.collisions import collisions
from tsgkit.geometry.libraries import Library, check_libraries
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import box
from tsgkit.geometry.profiles import OFFICIAL, PROFILES, STRICT, Profile
from tsgkit.geometry.relations_to_rooms import relation_to_room
from tsgkit.geometry.scenes import Architecture, Floor, Object, Opening, Scene, Wall, bare_room
from tsgkit.geometry.support import supports
from tsgkit.geometry.transforms import standing

thing = AS_IT_IS.thing
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
SQUARE = Floor("den", ((0, 0, 1), (4, 0, 1), (4, 4, 1), (0, 4, 1)))


def codes(stage: MeasuredScene) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in stage.problems]


def test_the_floor_lies_at_the_lowest_corner_as_published_and_where_the_file_says_in_strict() -> None:
    it = thing("it", (1, 1, 1), (2, 2, 0.2))
    for profile, height in ((OFFICIAL, -0.3), (STRICT, 1.0)):
        stage = staged([it], Architecture((SQUARE,), (Wall("w", (0, 0, 1), (4, 0, 1), 2.0),)), profile)
        assert stage.floors[0].z == pytest.approx(height)
        slab = stage.floors[0].slab
        assert (slab.low[2], slab.high[2]) == pytest.approx((height - 0.0005, height + 0.0005))
        base = height + 1 if profile is OFFICIAL else height  # a wall's own height counts from there, as published
        assert stage.walls[0].low[2] == pytest.approx(base, abs=0.001)
        ceiling = stage.ceiling()
        assert ceiling is not None
        assert ceiling.low[2] == pytest.approx(height + 2, abs=0.001)


@both
def test_walls_look_into_the_room_and_openings_are_counted_from_their_start(profile: Profile) -> None:
    for ends in (((0, 0, 1), (4, 0, 1)), ((4, 0, 1), (0, 0, 1))):
        wall = staged([], Architecture((SQUARE,), (Wall("w", *ends, 2.5),)), profile).walls[0]
        assert wall.frame.front == pytest.approx(np.array([0, 1, 0]))
        assert [*wall.low[:2], *wall.high[:2]] == pytest.approx([0, -0.0005, 4, 0.0005])
    for ends in (((4, 0, 1), (4, 4, 1)), ((4, 4, 1), (4, 0, 1))):
        wall = staged([], Architecture((SQUARE,), (Wall("w", *ends, 2.5),)), profile).walls[0]
        assert wall.frame.front == pytest.approx(np.array([-1, 0, 0]))
    door, window = Opening("door", (0.5, 0), (1.5, 2)), Opening("window", (2, 1), (3, 2))
    for ends, middle in ((((0, 0, 1), (4, 0, 1)), 1.0), (((4, 0, 1), (0, 0, 1)), 3.0)):
        stage = staged([], Architecture((SQUARE,), (Wall("w", *ends, 2.5, (door, window)),)), profile)
        assert stage.doors[0].frame.centre[0] == pytest.approx(middle)
        assert [board.id for board in (*stage.doors, *stage.windows)] == ["door_0_w", "window_1_w"]
        assert stage.doors[0].frame.half == pytest.approx(np.array([0.5, 0.0005, 1]))
        base = float(stage.walls[0].low[2])
        solid = {(1, 1): False, (1, 2.1): True, (1, 0.1): False, (0.4, 1): True, (1.6, 1): True, (1.9, 1.5): True}
        solid |= {(2.5, 1.5): False, (2.1, 1.1): False, (2.9, 1.9): False, (2.5, 0.9): True, (3.1, 1.5): True}
        rays = [(x if middle == 1 else 4 - x, 1, base + z) for x, z in solid]
        assert np.isfinite(stage.walls[0].rays.first(rays, (0, -1, 0))).tolist() == list(solid.values())


@both
def test_a_raised_wall_carries_its_openings_and_what_hangs_on_it(profile: Profile) -> None:
    """The floor lies at 0 and the lowest corner too, so both profiles put the wall, its window and its face at 1."""
    floor = Floor("den", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    wall = Wall("3", (0, 0, 0.8), (4, 0, 1.2), 1.5, (Opening("window", (1, 0.5), (2, 1)),))
    flat = Wall("4", (4, 0, 1), (4, 4, 1), 1.5)
    weight = thing("weight", (0.2, 0.2, 0.2), (2, 2, 0.1))
    high, low = (thing(name, (0.5, 0.02, 0.5), (3, 0.012, z)) for name, z in (("high", 2), ("low", 0.5)))
    stage = staged([weight, high, low], Architecture((floor,), (wall, flat)), profile)
    base = 1.0 if profile is OFFICIAL else 0.8  # the mean of its ends as published, its lower end in strict
    assert (stage.walls[0].low[2], stage.walls[0].high[2]) == pytest.approx((base, base + 1.5), abs=0.001)
    assert (stage.windows[0].low[2], stage.windows[0].high[2]) == pytest.approx((base + 0.5, base + 1), abs=0.001)
    assert stage.walls[1].low[2] == pytest.approx(1, abs=0.001)
    for relation in ("on_wall", "against_wall"):
        assert relation_to_room(stage, relation, "high").satisfied
        assert not relation_to_room(stage, relation, "low").satisfied


def test_boxes_bound_the_distances_between_bodies() -> None:
    stage = staged([thing("a", (1, 1, 1), (0, 0, 0.5)), thing("b", (1, 1, 1), (0, 5, 0.5))], AS_IT_IS.room(20, 20))
    boxes = Boxes(list(stage.bodies.values()))
    low, high = np.array([2.0, 0, 0]), np.array([3.0, 1, 1])
    assert boxes.least(low, high) == pytest.approx(np.array([1.5, (1.5**2 + 3.5**2) ** 0.5]), abs=1e-6)
    assert boxes.most(low, high) == pytest.approx(
        np.array([(3.5**2 + 1.5**2 + 1) ** 0.5, (3.5**2 + 5.5**2 + 1) ** 0.5])
    )
    assert boxes.meeting(np.array([0.5, 0.5, 1]), np.array([9, 4.4, 9])).tolist() == [0], "touching is meeting"
    assert boxes.meeting(np.array([0.6, 0, 0]), high).tolist() == []


def test_a_wall_is_solid_between_its_doors() -> None:
    doors = [((1, 0), (2, 2)), ((1.5, 0), (2.5, 2)), ((3.5, 0), (5, 2)), ((-1, 0), (0.25, 2))]
    for spans, solid in (
        ([], [0, 4]),
        (doors[:1], [0, 1, 2, 4]),
        (doors[:2], [0, 1, 2.5, 4]),
        (doors, [0.25, 1, 2.5, 3.5]),
        ([((-1, 0), (9, 2))], []),
    ):
        openings = tuple(Opening("door", low, high) for low, high in spans)
        wall = Wall("w", (0, 0, 1), (4, 0, 1), 2.5, (*openings, Opening("window", (0, 1), (4, 2))))
        stretches = staged([], Architecture((SQUARE,), (wall,))).built_walls[0].solid_stretches
        assert [float(end[0]) for ends in stretches for end in ends] == pytest.approx(solid), spans


def test_published_walls_run_along_x_and_look_where_the_last_floor_lies() -> None:
    turn = Turn(30)
    official, strict = (staged([], turn.room(6, 6), profile) for profile in (OFFICIAL, STRICT))
    assert codes(official) == [("slanted-wall", f"wall_{name}") for name in ("south", "east", "north", "west")]
    assert strict.problems == ()
    assert np.abs(official.walls[0].frame.axes[:, 0]) == pytest.approx(np.array([1, 0, 0]))
    assert strict.walls[0].frame.front == pytest.approx(np.array([-math.sin(math.pi / 6), math.cos(math.pi / 6), 0]))
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", ((4, 0, 0), (8, 0, 0), (8, 4, 0), (4, 4, 0)))
    room = Architecture((left, right), (Wall("south", (4, 0, 0), (0, 0, 0), 2.5),))
    for profile, y in ((OFFICIAL, -1), (STRICT, 1)):
        assert staged([], room, profile).walls[0].frame.front[1] == pytest.approx(y)


@both
def test_a_scene_without_architecture_gets_a_room_and_one_of_nothing_has_no_floor(profile: Profile) -> None:
    stage = staged([thing("a", (1, 1, 1), (0, 0, 0.5)), thing("b", (1, 1, 1), (3, 2, 2))], None, profile)
    assert stage.floor.bounds == pytest.approx((-0.5, -0.5, 3.5, 2.5))
    assert len(stage.walls) == 4
    assert stage.wall_height == pytest.approx(3)
    middle = np.array([1.5, 1, 1.5])
    assert all((middle - wall.frame.centre) @ wall.frame.front > 0 for wall in stage.walls)
    assert stage.floors[0].slab.high[2] == pytest.approx(0, abs=0.0006)
    bare = MeasuredScene(bare_room("scene_3"), profile)
    assert (bare.floor.area, bare.wall_height, len(bare.walls)) == (36, 2.5, 4)
    nothing = MeasuredScene(Scene("nothing"), profile)
    assert codes(nothing) == [("no-floor", "nothing")]
    assert nothing.ceiling() is None
    assert collisions(nothing).hits == ()
    assert out_of_bounds(nothing).share is None


@both
def test_what_is_broken_is_named_and_the_rest_measured(profile: Profile) -> None:
    rings: list[tuple[tuple[tuple[float, float, float], ...], str]] = [
        ((), "bad-floor"),
        (((0, 0, 0), (1, 0, 0)), "bad-floor"),
        (((0, 0, 0), (1, 0, 0), (2, 0, 0)), "bad-floor"),
        (((1, 1, 0),) * 5, "bad-floor"),
        (((0, 0, 0), (math.nan, 0, 0), (1, 1, 0)), "bad-floor"),
        (((0, 0, 0), (2, 2, 0), (2, 0, 0), (0, 2, 0)), "crossed-floor"),
    ]
    for points, code in rings:
        floors = (Floor("bad one", points),)
        stage = staged([thing("a", (0.2, 0.2, 0.2), (1.5, 1, 0.1))], Architecture(floors), profile)
        assert (code, "floor_bad_one") in codes(stage), points
        assert 0 <= out_of_bounds(stage).objects["a"].ratio <= 1, points
    door, window = Opening("door", (2, 0), (1, 2)), Opening("window", (7, 1), (8, 2))
    for wall, problem in (
        (Wall("w", (0, 0, 0), (0, 0, 0), 2.5), ("bad-wall", "wall_w")),
        (Wall("w", (0, 0, 0), (4, 0, 0), 0.0), ("bad-wall", "wall_w")),
        (Wall("w", (0, 0, 0), (math.inf, 0, 0), 2.5), ("bad-wall", "wall_w")),
        (Wall("w", (0, 0, 0), (4, 0, 0), 2.5, (door,)), ("bad-opening", "door_0_w")),
        (Wall("w", (0, 0, 0), (4, 0, 0), 2.5, (window,)), ("bad-opening", "window_0_w")),
    ):
        stage = staged([], Architecture((SQUARE,), (wall,)), profile)
        assert codes(stage) == [problem]
        assert len(stage.walls) == (problem[0] == "bad-opening")
    flat = Object("flat", box(1, 1, 1), (0.0,) * 15 + (1.0,))
    twin = thing("a", (1, 1, 1), (3, 3, 0.5))
    stage = staged([thing("a", (1, 1, 1), (0, 0, 0.5)), flat, twin], AS_IT_IS.room(9, 9), profile)
    assert codes(stage) == [("singular-transform", "flat"), ("repeated-id", "a")]
    assert (list(stage.bodies), stage.unmeasured) == (["a"], ("flat",))
    assert collisions(stage).unmeasured == ("flat",)
    with pytest.raises(UsageError, match="'flat' cannot be measured: its transform flattens it"):
        stage.body("flat")


def test_a_sheared_object_is_measured_and_said_to_be() -> None:
    sheared = list(standing())
    sheared[4] += 0.4
    stage = staged([Object("bent", box(1, 1, 1), tuple(sheared))], AS_IT_IS.room(6, 6))
    assert codes(stage) == [("sheared-transform", "bent")]
    frame = stage.body("bent").frame
    assert frame.axes.T @ frame.axes == pytest.approx(np.eye(3))
    assert (np.abs(frame.local(stage.body("bent").vertices)) <= frame.half + 1e-9).all()


def test_the_same_scene_is_sampled_the_same_whatever_else_is_in_it() -> None:
    it, other = thing("it", (1, 1, 1), (0, 0, 0.5)), thing("other", (1, 1, 1), (3, 0, 0.5))
    first, second = (staged(things, AS_IT_IS.room(9, 9), OFFICIAL) for things in ([it, other], [other, it]))
    assert np.array_equal(first.body("it").points, second.body("it").points)
    assert first.body("it").points.mean(axis=0) == pytest.approx([0.00033298, -0.00188722, 0.49971266], abs=1e-8)
    assert first.body("it").points.shape == (5000, 3), "as many as published"
    even = staged([it], AS_IT_IS.room(9, 9)).body("it").points
    assert even.shape == (4096, 3)
    assert even.mean(axis=0) == pytest.approx([0.00018666, 0.00050411, 0.49990555], abs=1e-8)
    assert not np.array_equal(first.body("it").points, first.body("other").points - (3, 0, 0))
    renamed = MeasuredScene(Scene("elsewhere", (it,), AS_IT_IS.room(9, 9)), OFFICIAL)
    assert not np.array_equal(first.body("it").points, renamed.body("it").points)


def test_a_stage_asks_between_steps_whether_to_go_on() -> None:
    asked = []
    scene = Scene("den", (thing("a", (1, 1, 1), (0, 0, 0.5)),), AS_IT_IS.room(6, 6))
    stage = MeasuredScene(scene, STRICT, lambda: asked.append(1))
    supports(stage)
    assert len(asked) > 5

    def no_more() -> None:
        raise TimeoutError

    with pytest.raises(TimeoutError):
        supports(MeasuredScene(stage.scene, STRICT, no_more))


def test_libraries_are_imported_when_needed_and_old_names_work_with_a_warning() -> None:
    with pytest.raises(UsageError, match="rooms are measured with no_such_library, which is not installed") as caught:
        _ = Library("no_such_library").zeros
    assert 'pip install "tsgkit[scenes]"' in (caught.value.hint or "")
    check_libraries()
    with pytest.raises(UsageError, match="no_such_library, which is not installed"):
        check_libraries(["numpy", "no_such_library.part"])
    for old, new in (("Drawn", "RenderedSurface"), ("Picture", "RenderedImage"), ("Stage", "MeasuredScene")):
        with pytest.warns(DeprecationWarning, match=f"geometry.{old} is now called {new}"):
            assert getattr(geometry, old) is getattr(geometry, new)
    with pytest.raises(AttributeError, match="has no attribute 'Curtain'"):
        _ = geometry.Curtain
    assert PROFILES == {"official": OFFICIAL, "strict": STRICT}
    heavy = ("numpy", "trimesh", "fcl", "embreex", "shapely", "scipy")
    code = f"import sys, tsgkit.geometry; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
