"""A scene as it is measured: its walls, what is wrong, collides, stands, is out of bounds, and its ways and doors."""

from __future__ import annotations

import math
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import trimesh
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import Body, Boxes
from tsgkit.geometry.bounds import Bound, out_of_bounds, shares_over
from tsgkit.geometry.collisions import collisions, depth
from tsgkit.geometry.libraries import Library, check_libraries, shapely
from tsgkit.geometry.measured_scene import MeasuredScene, ground_of, over
from tsgkit.geometry.meshes import Mesh, Primitive, box, closed, merged, mesh_of, read_mesh
from tsgkit.geometry.openings import Clearance, clearances, share_clear
from tsgkit.geometry.paths import Canvas, accessibility, navigability
from tsgkit.geometry.raster import filled
from tsgkit.geometry.relations import relation_to_room
from tsgkit.geometry.scenes import (
    OFFICIAL,
    PROFILES,
    STRICT,
    Architecture,
    Floor,
    Object,
    Opening,
    Profile,
    Scene,
    Wall,
    bare_room,
)
from tsgkit.geometry.support import Support, centre_of_mass, supports
from tsgkit.geometry.surfaces import number_of_points, on_faces, seeded

thing = AS_IT_IS.thing
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
SQUARE = Floor("den", ((0, 0, 1), (4, 0, 1), (4, 4, 1), (0, 4, 1)))
HALL = AS_IT_IS.room(12, 12)
SIX = AS_IT_IS.room(6, 6)
WEIGHT = thing("weight", (0.1, 0.1, 0.1), (-2.5, -2.5, 0.05))
WEDGE_FACES = [(0, 1, 2), (1, 3, 2), (0, 4, 1), (1, 4, 5), (2, 3, 4), (3, 5, 4), (0, 2, 4), (1, 5, 3)]
L_SHAPED = Floor("l", ((0, 0, 1), (4, 0, 1), (4, 2, 1), (2, 2, 1), (2, 4, 1), (0, 4, 1)))
DOOR, WINDOW = Opening("door", (2.5, 0), (3.5, 2)), Opening("window", (1, 1), (2, 2))
DOORED = AS_IT_IS.room(6, 6, openings=[DOOR])


def codes(stage: MeasuredScene) -> list[tuple[str, str]]:
    return [(problem.code, problem.where) for problem in stage.problems]


def test_the_floor_lies_at_the_lowest_corner_only_as_published_and_boxes_bound_distances() -> None:
    it = thing("it", (1, 1, 1), (2, 2, 0.2))
    for profile, height in ((OFFICIAL, -0.3), (STRICT, 1.0)):
        stage = staged([it], Architecture((SQUARE,), (Wall("w", (0, 0, 1), (4, 0, 1), 2.0),)), profile)
        assert stage.floors[0].z == pytest.approx(height)
        slab = stage.floors[0].slab
        assert (slab.low[2], slab.high[2]) == pytest.approx((height - 0.0005, height + 0.0005))
        base = height + 1 if profile is OFFICIAL else height  # a wall's own height counts from there, as published
        assert stage.walls[0].low[2] == pytest.approx(base, abs=0.001)
        ceiling = stage.ceiling
        assert ceiling is not None
        assert ceiling.low[2] == pytest.approx(height + 2, abs=0.001)
    stage = staged([thing("a", (1, 1, 1), (0, 0, 0.5)), thing("b", (1, 1, 1), (0, 5, 0.5))], AS_IT_IS.room(20, 20))
    boxes = Boxes(list(stage.bodies.values()))
    low, high = np.array([2.0, 0, 0]), np.array([3.0, 1, 1])
    assert boxes.least(low, high) == pytest.approx(np.array([1.5, (1.5**2 + 3.5**2) ** 0.5]), abs=1e-6)
    assert boxes.most(low, high) == pytest.approx(
        np.array([(3.5**2 + 1.5**2 + 1) ** 0.5, (3.5**2 + 5.5**2 + 1) ** 0.5])
    )
    assert boxes.meeting(np.array([0.5, 0.5, 1]), np.array([9, 4.4, 9])).tolist() == [0], "touching is meeting"
    assert boxes.meeting(np.array([0.6, 0, 0]), high).tolist() == []


@both
def test_walls_look_into_the_room_and_openings_are_counted_from_their_start(profile: Profile) -> None:
    south, east, thin = ((0, 0, 1), (4, 0, 1)), ((4, 0, 1), (4, 4, 1)), 0.0005
    for side, front, rim in ((south, (0, 1, 0), [0, -thin, 4, thin]), (east, (-1, 0, 0), [4 - thin, 0, 4 + thin, 4])):
        for ends in (side, side[::-1]):
            wall = staged([], Architecture((SQUARE,), (Wall("w", *ends, 2.5),)), profile).walls[0]
            assert wall.frame.front == pytest.approx(np.array(front))
            assert [*wall.low[:2], *wall.high[:2]] == pytest.approx(rim)
    door, window = Opening("door", (0.5, 0), (1.5, 2)), Opening("window", (2, 1), (3, 2))
    for ends, middle in ((south, 1.0), (south[::-1], 3.0)):
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


def test_a_wall_is_solid_between_its_doors_and_as_published_runs_along_x() -> None:
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
    turn = Turn(30)
    official, strict = (staged([], turn.room(6, 6), profile) for profile in (OFFICIAL, STRICT))
    assert codes(official) == [("slanted-wall", f"wall_{name}") for name in ("south", "east", "north", "west")]
    assert strict.problems == ()
    assert np.abs(official.walls[0].frame.axes[:, 0]) == pytest.approx(np.array([1, 0, 0]))
    assert strict.walls[0].frame.front == pytest.approx(np.array([-math.sin(math.pi / 6), math.cos(math.pi / 6), 0]))
    room = Architecture(two_rooms().floors, (Wall("south", (4, 0, 0), (0, 0, 0), 2.5),))
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
    assert (nothing.ceiling, collisions(nothing).hits, out_of_bounds(nothing).share) == (None, (), None)


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


def test_surfaces_are_sampled_by_area_and_the_same_whatever_else_is_in_a_scene() -> None:
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
    triangles = np.array([[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(5, 0, 0), (8, 0, 0), (5, 1, 0)]], dtype=float)
    points = on_faces(triangles, np.array([0.5, 1.5]), 4000, seeded("scene", "it", "surface"))
    far = points[:, 0] >= 5
    assert far.mean() == pytest.approx(0.75, abs=0.02)
    assert points[~far].mean(axis=0) == pytest.approx([1 / 3, 1 / 3, 0], abs=0.02)
    assert points[far].mean(axis=0) == pytest.approx([6, 1 / 3, 0], abs=0.03)
    assert (points[~far].sum(axis=1) <= 1).all()
    for area, most, number in ((1, 100, 5000), (0.001, 100, 100), (4, 100, 20_000), (5, 1, 20_000)):
        assert number_of_points(area, most) == number


def test_a_stage_asks_between_steps_whether_to_go_on() -> None:
    scene = Scene("den", (thing("a", (1, 1, 1), (0, 0, 0.5)),), AS_IT_IS.room(6, 6))
    steps = iter([None] * 5)
    with pytest.raises(StopIteration):
        supports(MeasuredScene(scene, STRICT, lambda: next(steps)))


def test_libraries_are_imported_when_needed() -> None:
    with pytest.raises(UsageError, match="rooms are measured with no_such_library, which is not installed") as caught:
        _ = Library("no_such_library").zeros
    assert 'pip install "tsgkit[scenes]"' in (caught.value.hint or "")
    check_libraries()
    with pytest.raises(UsageError, match="no_such_library, which is not installed"):
        check_libraries(["numpy", "no_such_library.part"])
    assert PROFILES == {"official": OFFICIAL, "strict": STRICT}
    heavy = ("numpy", "trimesh", "fcl", "embreex", "shapely", "scipy")
    code = f"import sys, tsgkit.geometry; print([name for name in {heavy} if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"


def hits(things: list[Object], profile: Profile = STRICT) -> list[tuple[str, str]]:
    return [(hit.one, hit.other) for hit in collisions(staged(things, HALL, profile)).hits]


def dented(size: tuple[float, float, float]) -> Mesh:
    """Return a closed box whose top is pushed in by a hundredth in the middle: a surface, for it is not convex."""
    mesh = mesh_of(box(*size))
    top = mesh.vertices[:, 1].max()
    high = np.flatnonzero(mesh.vertices[:, 1] == top)
    faces = [face for face in mesh.faces.tolist() if not set(face) <= set(high.tolist())]
    ring = sorted(high.tolist(), key=lambda k: float(np.arctan2(mesh.vertices[k, 0], mesh.vertices[k, 2])))
    faces += [[ring[k - 1], ring[k], len(mesh.vertices)] for k in range(4)]
    return Mesh.of([*mesh.vertices.tolist(), [0.0, top - 0.01 * size[2], 0.0]], faces)


@both
def test_cubes_collide_from_some_millimetres_of_overlap_and_are_counted(profile: Profile) -> None:
    """As published there is no tolerance, for all that five millimetres part the cubes before the second test."""
    for overlap, collide in ((-0.001, False), (0.001, False), (0.004, profile is OFFICIAL), (0.008, True), (0.3, True)):
        cubes = [thing("one", (1, 1, 1), (0, 0, 0.5)), thing("other", (1, 1, 1), (1 - overlap, 0, 0.5))]
        assert hits(cubes, profile) == ([("one", "other")] if collide else []), overlap
    for shape in ((1, 1, 1), dented((1, 1, 1))):
        assert hits([thing("one", shape, (0, 0, 0.5)), thing("other", shape, (1, 0, 0.5))], profile) == []
    row = [thing(f"box_{n}", (1, 1, 1), (0.9 * n, 0, 0.5)) for n in range(3)]
    found = collisions(staged([*row, thing("far", (1, 1, 1), (-4, -4, 0.5))], HALL, profile))
    assert found.colliding_with == {"box_0": ("box_1",), "box_1": ("box_0", "box_2"), "box_2": ("box_1",), "far": ()}
    assert (found.share, found.scene_in_collision) == (0.75, True)
    nothing = collisions(staged([], HALL, profile))
    assert (nothing.share, nothing.scene_in_collision) == (None, False)


def test_what_is_inside_a_solid_collides_but_not_in_strict_what_is_in_a_hollow_or_on_a_rug() -> None:
    small, convex = thing("small", (0.2, 0.2, 0.2), (0, 0, 1)), thing("big", (2, 2, 2), (0, 0, 1.1))
    for scale in (2, -2):  # scaled and mirrored things are solid too
        big = thing("big", dented((1, 1, 1)), (0, 0, 1), scale=scale)
        assert [hits([big, small], profile) for profile in (OFFICIAL, STRICT)] == [[], [("big", "small")]]
        assert hits([small, big]) == [("small", "big")]
    for profile in (OFFICIAL, STRICT):
        assert hits([convex, small], profile) == [("big", "small")]
    # A trough of five boards, each a solid of its own, holds a cup without touching it.
    boards = [((2, 0.1, 1), (0, y, 0.5)) for y in (-0.95, 0.95)] + [((2, 2, 0.1), (0, 0, 0.05))]
    trough = joined(*((size, (x, z, -y)) for size, (x, y, z) in boards))
    cup = thing("cup", (0.2, 0.2, 0.2), (0, 0, 0.3))
    for profile in (OFFICIAL, STRICT):
        assert hits([thing("trough", trough, (0, 0, 0)), cup], profile) == []
    assert hits([thing("trough", trough, (0, 0, 0)), thing("cup", (0.02, 0.02, 0.02), (0, 0.95, 0.5))])
    rug = thing("rug", (3, 3, 0.02), (0, 0, 0.01), category="rug")
    chair = thing("chair", (1, 1, 1), (0, 0, 0.5))
    assert (hits([rug, chair], OFFICIAL), hits([rug, chair])) == ([("rug", "chair")], [])
    for high, low, wide, why in ((0.029, 0, 1, "shape"), (0.031, 0, 1, ""), (0.01, 0.04, 1, ""), (0.02, 0, 0.19, "")):
        flat = thing("flat", (wide, 1, high), (0, 0, low + high / 2), category="plate")
        for profile, exempt in ((OFFICIAL, ""), (STRICT, why)):
            assert staged([flat], SIX, profile).rugs.get("flat", "") == exempt, (profile.name, high, low, wide)
    wardrobe = thing("mat", (1, 1, 2), (0, 0, 1), category="mat")
    assert hits([wardrobe, chair]), "what is high is no rug, whatever it is called"


def test_objects_in_a_wall_collide_in_strict_but_not_in_its_door() -> None:
    for yaw in (0, 30, 90):
        turn = Turn(yaw, (3, 4, 0))
        for past, hit in ((-0.3, False), (0.003, False), (0.02, True), (0.35, True), (0.5, False)):
            shelf = turn.thing("shelf", (1, 0.4, 2), (1, 6 + past - 0.2, 1))
            found = collisions(staged([shelf], turn.room(12, 12)))
            walls = [("shelf", "wall_north")] if hit else []
            assert [(h.one, h.other) for h in found.wall_hits] == walls, (yaw, past)
            assert found.in_collision == (("shelf",) if hit else ())
            assert not collisions(staged([shelf], turn.room(12, 12), OFFICIAL)).scene_in_collision
    bench = thing("bench", (1, 1, 1), (0, 6, 0.5))
    for low, high, hit in (((5, 0), (7, 2.2), False), ((-1, -1), (13, 3), False), ((7, 0), (8, 2.2), True)):
        room = AS_IT_IS.room(12, 12, openings=[Opening("door", low, high)])
        assert bool(collisions(staged([bench], room)).wall_hits) is hit, low


def test_depth_is_the_shortest_way_out_and_a_chair_collides_as_published_if_its_table_is_an_obj() -> None:
    table = thing("table", (2, 1, 1), (0, 0, 0.5))
    for overlap in (0.004, 0.05, 0.3, -2.25):
        stage = staged([table, thing("chair", (0.5, 0.5, 0.5), (0, 0.75 - overlap, 0.5))], HALL)
        assert depth(stage.body("table"), stage.body("chair")) == pytest.approx(max(overlap, 0), abs=0.0015)

    def body(mesh: Mesh) -> Body:
        return staged([thing("it", mesh, (0, 0, 0.5))], SIX).body("it")

    whole = mesh_of(Primitive("cone", (1, 1, 1)))
    assert centre_of_mass(body(whole))[2] == pytest.approx(0.25)
    opened = body(Mesh.of(whole.vertices, whole.faces[1:]))
    assert centre_of_mass(opened)[2] == pytest.approx(opened.centroid[2])
    # Readers of OBJ merge the corners of top and legs; five boxes joined so pass the weak test for a convex body.
    legs = [((0.1, 0.1, 0.7), (x, 0.35, z)) for x in (-0.45, 0.45) for z in (-0.45, 0.45)]
    parts = joined(((1.0, 1.0, 0.05), (0.0, 0.725, 0.0)), *legs)
    made: Any = trimesh.Trimesh(parts.vertices, parts.faces, process=False)
    for kind, published in (("obj", True), ("glb", False)):
        data = made.export(file_type=kind)
        merged = read_mesh(data if isinstance(data, bytes) else data.encode(), kind)
        assert isinstance(merged, Mesh)
        things = [thing("table", merged, (0, 0, 0)), thing("stool", (0.3, 0.3, 0.5), (0, 0, 0.3))]
        assert bool(hits(things, OFFICIAL)) == published, kind
        assert hits(things) == [], kind


def joined(*parts: tuple[tuple[float, float, float], tuple[float, float, float]]) -> Mesh:
    """Return boxes (wide, deep, high), each with the place of its middle in a file, as one mesh."""
    meshes: list[tuple[Mesh, Any]] = [(mesh_of(box(*size)), at) for size, at in parts]
    corners = np.concatenate([mesh.vertices + at for mesh, at in meshes])
    return Mesh.of(corners, np.concatenate([mesh.faces + 8 * k for k, (mesh, _) in enumerate(meshes)]))


def wedge(high: float) -> Mesh:
    """Return a solid that stands on an edge and opens to the top."""
    ends = ((0, 0), (high, 0.3), (high, -0.3))
    return Mesh.of([(x, y, z) for y, z in ends for x in (-0.5, 0.5)], WEDGE_FACES)


def support_of(it: Object, profile: Profile, kind: str = "ground", *others: Object) -> Support:
    return supports(staged([it, *others, WEIGHT], SIX, profile), {"it": kind})["it"]


@both
def test_things_stand_or_hang_within_the_gap_of_the_profile_and_tip_past_the_edge(profile: Profile) -> None:
    table = thing("table", (1, 1, 1), (0, 0, 0.5))
    most = profile.support_gap
    for gap, holds in ((0.0, True), (most - 0.001, True), (-0.004, True), (most + 0.001, False), (0.3, False)):
        found = support_of(thing("it", (0.2, 0.2, 0.2), (0, 0, 1.1 + gap)), profile, "object", table)
        assert (found.supported, found.rests_on) == (holds, ("table",) if holds else ()), gap
        if not holds:
            assert found.gap == pytest.approx(gap, abs=1e-5)
            assert found.evidence == f"the nearest thing below it is {gap:.3f} m away, more than {most:g} m"
    for yaw, scale in ((0, 1), (30, 2), (90, 1)):
        for out, holds in ((-0.03, True), (0.03, False)):
            turn = Turn(yaw, (1, 1, 0))
            table = turn.thing("table", (1, 1, 1), (0, 0, 0.5))
            it = turn.thing("it", [0.6 / scale, 0.4 / scale, 0.2 / scale], (0.5 + out, 0, 1.1), scale=scale)
            found = supports(staged([table, it], turn.room(6, 6), profile), {"it": "object"})["it"]
            assert (found.rests_on, found.supported) == (("table",), holds), (yaw, scale, out)
    for gap, holds in ((most - 0.001, True), (most + 0.001, False)):
        picture = thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - gap - 0.01, 1.5))
        found = support_of(picture, profile, "wall")
        assert (found.supported, found.rests_on) == (holds, ("wall_north",) if holds else ())
        assert not support_of(picture, profile, "ground").supported
        lamp = thing("it", (0.6, 0.6, 0.1), (1, 1, 2.6 - 0.0005 - gap - 0.05))
        assert support_of(lamp, profile, "ceiling").supported == holds


def test_a_picture_on_a_slanted_wall_hangs_and_what_floats_or_sinks_is_told_in_strict() -> None:
    turn = Turn(30)
    it = turn.thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - 0.003 - 0.01, 1.5))
    assert supports(staged([it], turn.room(6, 6)), {"it": "wall"})["it"].rests_on == ("wall_north",)
    it, sunk = thing("it", (1, 1, 1), (0, 0, 0.5)), thing("sunk", (0.1, 0.1, 0.1), (2, 2, -0.05))
    assert not supports(staged([it, sunk], SIX, OFFICIAL))["it"].supported
    found = supports(staged([it, sunk], SIX, STRICT))
    assert (found["it"].supported, found["sunk"].supported) == (True, False)
    assert found["sunk"].evidence == "nothing is below sunk"
    it = thing("it", (1, 1, 1), (0, 0, 0.9))
    assert [supports(staged([it], SIX, p))["it"].supported for p in (OFFICIAL, STRICT)] == [True, False]


@both
def test_balance_depends_on_where_a_thing_touches_and_support_needs_no_walls(profile: Profile) -> None:
    seat = ((0.5, 0.5, 0.05), (0.0, 0.5, 0.0))
    legs = [((0.05, 0.05, 0.5), (x, 0.25, z)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    for shape, holds in ((joined(seat, *legs), True), (joined(seat, legs[0]), False), (wedge(1), False)):
        assert support_of(thing("it", shape, (0, 0, 0)), profile).supported == holds
    for kind in ("cylinder", "cone", "box"):
        flat = thing("it", Primitive(kind, (0.5, 0.5, 1)), (0, 0, 0.5))
        assert support_of(flat, profile).supported, kind
    for room, kind, holds in (
        (SIX.floors, "ground", True),
        (SIX.floors, "ceiling", False),
        (Architecture().floors, "ground", False),
    ):
        stage = staged([thing("it", (1, 1, 1), (0, 0, 0.5))], Architecture(room), profile)
        assert supports(stage, {"it": kind})["it"].supported == holds


def test_objects_touching_only_the_ceiling_hang_from_it_in_strict_and_posts_stand() -> None:
    pendant = joined(((0.02, 0.02, 0.8), (0, 2.2, 0)), ((0.4, 0.4, 0.3), (0, 1.65, 0)))
    table = thing("table", (1, 1, 0.75), (0, 0, 0.375))
    low = thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.45))
    for kind in ("ground", "object", "wall"):
        for profile, holds in ((STRICT, True), (OFFICIAL, False)):
            for lamp in (thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.5)), thing("lamp", pendant, (0, 0, 0))):
                found = supports(staged([lamp, table], SIX, profile), {"lamp": kind})["lamp"]
                assert (found.supported, found.type) == (holds, "ceiling" if holds else kind), (kind, profile.name)
        assert not supports(staged([low, table], SIX), {"lamp": kind})["lamp"].supported
    # A board that leans over with its edge alone on the floor is not held by a ceiling that it touches.
    found = supports(staged([thing("post", (0.3, 0.3, 2.6), (0, 0, 1.3))], SIX))["post"]
    assert (found.supported, found.type, found.rests_on) == (True, "ground", ("floor_room",))
    assert not support_of(thing("it", wedge(2.6), (0, 0, 0)), STRICT).supported
    with pytest.raises(UsageError, match="'sky', given for 'it', is not a type of support"):
        support_of(thing("it", (1, 1, 1), (0, 0, 0.5)), STRICT, "sky")


def two_rooms(*openings: Opening, apart: float = 0.0) -> Architecture:
    left = Floor("left", ((0, 0, 0), (4, 0, 0), (4, 4, 0), (0, 4, 0)))
    right = Floor("right", tuple((x + apart, y, 0) for x, y in ((4, 0), (8, 0), (8, 4), (4, 4))))
    return Architecture((left, right), (Wall("between", (4, 0, 0), (4, 4, 0), 2.6, openings),))


def test_a_floor_is_a_closed_slab_measured_by_its_box_as_published_and_by_its_area_in_strict() -> None:
    for profile, centre in ((OFFICIAL, (2, 2)), (STRICT, (5 / 3, 5 / 3))):
        ground, problems = ground_of(L_SHAPED, None, "scene", profile)
        assert ground is not None
        assert (ground.id, ground.z, problems) == ("floor_l", 1.0, ())
        assert ground.centre == pytest.approx(np.array(centre))
        assert ground.sizes == pytest.approx((4, 4))
        points = np.array([(1, 3, 0), (3, 3, 0), (2, 2, 9), (4, 0, 0), (4.001, 0, 0)])
        assert over(ground.rim, points).tolist() == [True, False, True, True, False]
    slanted = Floor("s", ((0, 0, 0), (2, 2, 0), (1, 3, 0), (-1, 1, 0)))
    sizes = [ground_of(slanted, None, "scene", profile)[0] for profile in (OFFICIAL, STRICT)]
    assert [sorted(found.sizes) for found in sizes if found] == [pytest.approx([3, 3]), pytest.approx([2**0.5, 8**0.5])]
    ground, _ = ground_of(L_SHAPED, 3.0, "scene", STRICT)
    assert ground is not None
    slab = ground.slab
    assert [*slab.low, *slab.high] == pytest.approx([0, 0, 2.9995, 4, 4, 3.0005])
    assert closed(merged(slab.vertices, slab.faces))
    assert Mesh.of(slab.vertices, slab.faces).volume == pytest.approx(12 * 0.001)


@both
def test_the_share_over_floors_is_of_the_surface_and_doors_and_windows_clear_their_width(profile: Profile) -> None:
    """A cube of two metres past the edge: its four sides and two ends; the outer side is out, the inner one in."""
    for yaw, scale in ((0, 1), (30, 2), (90, 1)):
        for past, ratio in ((-0.1, 1.0), (0.5, 5 / 6 - 1 / 6), (1.0, 0.5), (1.5, 1 / 3), (2.5, 0.0)):
            turn = Turn(yaw, (7, 7, 0))
            block = turn.thing("block", [2 / scale] * 3, (2 + past, 0, 1), scale=scale)
            found = out_of_bounds(staged([block], turn.room(6, 6), profile)).objects["block"]
            assert found.ratio == pytest.approx(ratio, abs=1e-5 if profile is STRICT else 0.02), (yaw, scale, past)
            assert found.out == (ratio < 0.99)
    things = [thing("high", (1, 1, 1), (0, 0, 9)), thing("flush", (1, 1, 1), (2.5, 2.5, 0.5))]
    bounds = out_of_bounds(staged(things, SIX, profile))
    assert (bounds.out, bounds.share, bounds.objects["flush"].ratio) == ((), 0.0, 1.0)
    things = [thing(f"b_{n}", (1, 1, 1), (3 * n, n, 0.5), yaw=20 * n) for n in range(4)]
    assert out_of_bounds(staged(things, None, profile)).out == ()
    bed = thing("bed", (2, 2, 1), (4, 2, 0.5))
    assert out_of_bounds(staged([bed], two_rooms(), profile)).out == ()
    assert out_of_bounds(staged([bed], Architecture(), profile)).out == ("bed",)
    for door_gap, window_gap, seen in ((0.9, 0.4, True), (1.02, 0.52, False)):
        assert sides(profile, (1, 0.4, 1.0), (0, 3 - door_gap - 0.2, 0.5))[0].occluded == seen
        assert sides(profile, (0.5, 0.5, 2.0), (-1.5, 3 - window_gap - 0.25, 1.0))[1].occluded == seen
    stage = staged([thing("chest", (1, 0.4, 1), (0, 2, 0.5))], DOORED, profile)
    assert clearances(stage)[0].occluded
    assert not clearances(stage, door_depth=0.5)[0].occluded


def test_an_object_is_out_below_ninety_nine_hundredths_of_its_area_at_every_slant() -> None:
    assert [Bound("it", ratio, 0).out for ratio in (0.98, 0.9899, 0.99, 1.0)] == [True, True, False, False]
    # A flat board out by a little: its long edge adds to what is out.
    for out, holds in ((0.0085, False), (0.011, True)):
        board = thing("board", (1, 1, 0.001), (2.5 + out, 0, 1))
        assert out_of_bounds(staged([board], SIX)).objects["board"].out == holds
    for past, yaw, ratio in ((0.0, np.degrees(3.14159), 1.0), (0.0049, 0.0, 1.0), (0.0051, 0.0, 0.75)):
        bed = thing("bed", (1, 2, 2), (2.5 + past, 0, 1), yaw=yaw)
        found = out_of_bounds(staged([bed], SIX)).objects["bed"]
        assert found.ratio == pytest.approx(ratio, abs=0.05), past
        assert found.out == (ratio < 1)
    pole = thing("pole", Primitive("cylinder", (0.5, 0.5, 2)), (3, 3, 1))
    assert out_of_bounds(staged([pole], Architecture((L_SHAPED,)))).objects["pole"].ratio == 0
    # Against many points in the same triangles.
    rng = np.random.default_rng(5)
    polygon = shapely.Polygon([(-1, -1), (1, -1), (1, 1), (0, 0.2), (-1, 1)])
    triangles = rng.uniform(-1.6, 1.6, (40, 3, 3))
    triangles[20:, 2, :2] = triangles[20:, 0, :2] * 0.3 + triangles[20:, 1, :2] * 0.7  # upright ones
    triangles[30:, 1, :2] = triangles[30:, 0, :2] + (0.5, 0)
    triangles[30:, 2, :2] = triangles[30:, 0, :2] + (0.25, 0)
    weights = rng.dirichlet((1, 1, 1), 20_000)
    points = np.einsum("pk,tkd->tpd", weights, triangles)
    sampled = [shapely.contains_xy(polygon, p[:, 0], p[:, 1]).mean() for p in points]
    assert shares_over(polygon, triangles) == pytest.approx(np.array(sampled), abs=0.015)


def sides(
    profile: Profile, size: tuple[float, float, float], at: tuple[float, float, float], *, yaw: int = 0, scale: int = 1
) -> tuple[Clearance, ...]:
    turn = Turn(yaw, (2, 1, 0))
    chest = turn.thing("chest", [side / scale for side in size], at, scale=scale)
    weight = turn.thing("weight", (0.1, 0.1, 0.1), (-2.9, -2.9, 0.05))
    return clearances(staged([chest, weight], turn.room(6, 6, openings=(DOOR, WINDOW)), profile))


def test_a_chest_hides_its_outline_and_in_strict_only_what_is_in_the_box_of_a_side() -> None:
    for profile, yaw, scale in ((OFFICIAL, 0, 1), (OFFICIAL, 90, 2), (STRICT, 0, 2), (STRICT, 30, 1)):
        door, window = sides(profile, (0.5, 0.4, 1.0), (0, 2.5, 0.5), yaw=yaw, scale=scale)
        assert (door.opening, window.opening) == ("door_0_north", "window_1_north")
        assert door.occlusion == pytest.approx(0.25, abs=0.01 if profile is OFFICIAL else 0.005), (yaw, scale)
        assert (door.occluded, window.occluded) == (True, False)
        assert list(door.objects) == ["chest"]
        assert share_clear((door, window)) == 0.5
    assert share_clear(clearances(staged([], AS_IT_IS.room(6, 6)))) is None, "no openings"
    # A long table reaches into the clearance by its end; as published the whole of each triangle counts.
    sail = Mesh.of([(0, 0, 0.5), (-0.5, 0, -2), (0.5, 0, -2), (0, 2, -2)], [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
    stages = (staged([thing("sail", sail, (0, 2.49, 0))], DOORED, profile) for profile in (OFFICIAL, STRICT))
    official, strict = (clearances(stage)[0].occlusion for stage in stages)
    assert 0 <= strict < official
    assert clearances(staged([thing("sail", sail, (0, 2.49, 0), yaw=180)], DOORED))[0].occlusion < 0.5
    rug = thing("mat", (0.8, 0.5, 0.02), (0, 2.6, 0.01), category="doormat")
    assert [clearances(staged([rug], DOORED, p))[0].occluded for p in (OFFICIAL, STRICT)] == [True, False]
    chest = thing("chest", (0.5, 0.5, 1), (4.5, 1.5, 0.5))
    for profile in (OFFICIAL, STRICT):
        found = clearances(staged([chest], two_rooms(Opening("door", (1, 0), (2, 2))), profile))
        assert sorted((round(side.direction[0]), side.occluded) for side in found) == [(-1, False), (1, True)]
    things = [thing(f"c_{n}", (0.5, 0.3, 1), (0.1 * n, 2.7 - 0.31 * n, 0.5)) for n in range(2)]
    door = clearances(staged(things, DOORED))[0]
    assert list(door.objects.values()) == pytest.approx([0.25, 0.25], abs=0.004)
    assert door.occlusion == pytest.approx(0.3, abs=0.004)
    assert door.evidence == "30 % of door_0_north is hidden by c_0, c_1"


def test_ways_and_access_are_counted_to_the_pixel_as_published_and_by_area_in_strict() -> None:
    screen = thing("screen", (6, 0.2, 1), (0, 1, 0.5))
    for room, objects, parts, value in (
        (SIX, [], (54756,), 1.0),
        (SIX, [screen], (34866, 15912), 0.68664),
        (AS_IT_IS.room(4, 6), [thing("table", (2, 1, 1), (1, 1, 0.5), yaw=30)], (31885,), 1.0),
        (SIX, [thing("screen", (5.7, 0.2, 1), (0, 1, 0.5))], (34872, 15918), 0.68659),
    ):
        found = navigability(staged(objects, room, OFFICIAL))
        assert [*found.parts, found.value] == [*parts, pytest.approx(value, abs=5e-6)], objects
    assert navigability(staged([screen], SIX)).parts == pytest.approx((3.7 * 5.8, 1.7 * 5.8))
    half = [thing("it", (1, 0.5, 1), (0, 0, 0.5)), thing("box", (0.5, 0.6, 1), (0.25, -0.6, 0.5))]
    against_wall = thing("it", (1, 0.5, 1), (0, 2.75, 0.5))
    for objects, side, score in (
        (half, "front", 189 / 387),
        ([against_wall], "back", 0.0),
        ([against_wall], "front", 1.0),
        ([thing("it", (1, 0.5, 1), (0.5, 0.5, 0.5), yaw=45)], "left", 1.0),
    ):
        assert accessibility(staged(objects, SIX, OFFICIAL), {"it": [side]})["it"].score == score, objects
    assert accessibility(staged(half, SIX), {"it": ["front"]})["it"].score == pytest.approx(0.5)
    # Drawn anew at the middle, its corners would be cut to other whole pixels, and a free strip be 0.9 or 1.1 free.
    stage = staged([thing("desk", (1, 1, 1), (0, 0, 0.5))], SIX, OFFICIAL)
    canvas = Canvas(stage, 0.0)
    for number in range(200):
        centre = np.array([-1.5 + 0.0131 * number, 1.2 - 0.0117 * number, 0])
        corners = canvas.rectangle(centre, (0.97, 0.2), 7.0 * number)
        assert canvas.centred(corners, centre).sum() == filled([corners], canvas.shape).sum()
    lone = accessibility(stage, {"desk": ["front", "left"]})["desk"]
    assert dict(lone.sides) == {"front": 1.0, "left": 1.0}


@both
def test_each_side_has_its_own_strip_and_what_is_above_headroom_does_not_block(profile: Profile) -> None:
    """The front of a desk turned by 90 degrees looks along +x, where a wardrobe stands."""
    desk = thing("desk", (1.2, 0.6, 0.8), (0, 0, 0.4), yaw=90)
    stage = staged([desk, thing("wardrobe", (1, 3, 2), (0.3 + 0.5, 0, 1))], SIX, profile)
    for side, free in (("front", 0), ("back", 1), ("left", 1), ("right", 1)):
        found = accessibility(stage, {"desk": [side], "wardrobe": []})
        assert found["desk"].score == pytest.approx(free, abs=0.12 if side in ("left", "right") else 0), side
        assert found["wardrobe"].score is None
    best = accessibility(stage, {"desk": ["front", "back"]})["desk"]
    assert (best.score, best.evidence) == (1.0, "desk: front 0 % free, back 100 % free")
    weight = thing("weight", (0.1, 0.1, 0.1), (-2.9, -2.9, 0.05))
    low, high = (thing("beam", (6, 0.2, 0.2), (0, 1, z)) for z in (1.5, 2.2))
    assert len(navigability(staged([weight, low], SIX, profile)).parts) == 2
    assert len(navigability(staged([weight, high], SIX, profile)).parts) == 1
    full = navigability(staged([thing("block", (7, 7, 1), (0, 0, 0.5))], SIX, profile))
    assert (full.value, full.evidence) == (0.0, "nothing is free")
    nothing = navigability(staged([], Architecture(), profile))
    assert (nothing.value, nothing.evidence) == (None, "there is no floor to walk on")


def test_strips_run_from_five_to_twenty_five_centimetres_before_the_sides_that_there_are() -> None:
    stage = staged([thing("desk", (1, 1, 1), (0, 0, 0.5))], SIX)
    assert not accessibility(stage, {"ghost": ["front"]})
    with pytest.raises(UsageError, match="'above' is no side of an object"):
        accessibility(stage, {"desk": ["above"]})
    for yaw, scale in ((0, 1), (30, 2)):
        for gap, free in ((0.0, 0.0), (0.05, 0.0), (0.1, 0.25), (0.15, 0.5), (0.25, 1.0)):
            turn = Turn(yaw, (1, 0, 0))
            desk = turn.thing("desk", (1.2 / scale, 0.6 / scale, 0.8), (0, 0, 0.4), scale=scale)
            chest = turn.thing("chest", (2, 0.5, 1), (0, -0.3 - gap - 0.25, 0.5))
            found = accessibility(staged([desk, chest], turn.room(6, 6)), {"desk": ["front"]})
            assert found["desk"].score == pytest.approx(free), (yaw, scale, gap)


def test_rugs_screens_and_walls_without_a_wide_door_block_otherwise_as_published() -> None:
    rug = thing("rug", (6, 1, 0.02), (0, 0, 0.01), category="area_rug")
    screen = thing("screen", (3, 0.1, 1), (0, 1, 1), scale=2)
    for one, ways in ((rug, [2, 1]), (screen, [1, 2])):
        assert [len(navigability(staged([one], SIX, profile)).parts) for profile in (OFFICIAL, STRICT)] == ways
    hall = AS_IT_IS.room(120, 120)
    things = [thing("desk", (1, 1, 1), (0, 0, 0.5))]
    assert navigability(staged(things, hall, OFFICIAL)).value == 1.0
    assert navigability(staged(things, hall)).parts == pytest.approx((119.8**2 - 1.2**2 + 0.04 * 0.2146,), abs=1e-3)
    door = Opening("door", (1, 0), (2, 2))
    for rooms, parts in (
        (two_rooms(), 2),
        (two_rooms(WINDOW), 2),
        (two_rooms(door), 1),
        (two_rooms(Opening("door", (1, 0), (1.19, 2))), 2),
        (two_rooms(Opening("door", (1, 0), (1.21, 2))), 1),
    ):
        assert [len(navigability(staged([], rooms, profile)).parts) for profile in (OFFICIAL, STRICT)] == [1, parts]
    assert [len(navigability(staged([], two_rooms(*some, apart=0.1))).parts) for some in ((), (door,))] == [2, 1]
