"""Collisions and support of objects, as in the published tool and of solids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry.bodies import Body
from tsgkit.geometry.collisions import collisions, depth
from tsgkit.geometry.meshes import Mesh, Primitive, box, mesh_of, read_mesh
from tsgkit.geometry.profiles import OFFICIAL, STRICT, Profile
from tsgkit.geometry.scenes import Architecture, Object, Opening
from tsgkit.geometry.support import Support, centre_of_mass, supports

thing = AS_IT_IS.thing
HALL = AS_IT_IS.room(12, 12)
PROFILES = [OFFICIAL, STRICT]
both = pytest.mark.parametrize("profile", PROFILES, ids=["official", "strict"])


def hits(things: list[Object], profile: Profile) -> list[tuple[str, str]]:
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
def test_cubes_collide_from_some_millimetres_of_overlap_and_not_where_they_touch(profile: Profile) -> None:
    """As published there is no tolerance, for all that five millimetres part the cubes before the second test."""
    for overlap, collide in ((-0.001, False), (0.001, False), (0.004, profile is OFFICIAL), (0.008, True), (0.3, True)):
        cubes = [thing("one", (1, 1, 1), (0, 0, 0.5)), thing("other", (1, 1, 1), (1 - overlap, 0, 0.5))]
        assert hits(cubes, profile) == ([("one", "other")] if collide else []), overlap
    for shape in ((1, 1, 1), dented((1, 1, 1))):
        assert hits([thing("one", shape, (0, 0, 0.5)), thing("other", shape, (1, 0, 0.5))], profile) == []


def test_a_thing_inside_a_solid_is_found_but_as_published_only_in_convex_ones() -> None:
    inside = [thing("one", dented((2, 2, 2)), (0, 0, 1)), thing("other", dented((0.5, 0.5, 0.5)), (0, 0, 1))]
    assert hits(inside, OFFICIAL) == []
    assert hits(inside, STRICT) == [("one", "other")]
    assert hits(inside[::-1], STRICT) == [("other", "one")]
    convex = [thing("one", (2, 2, 2), (0, 0, 1)), thing("other", (0.5, 0.5, 0.5), (0, 0, 1.1))]
    for profile in PROFILES:
        assert hits(convex, profile) == [("one", "other")]
    small = thing("small", (0.2, 0.2, 0.2), (0, 0, 1))
    for scale in (2, -2):
        big = thing("big", dented((1, 1, 1)), (0, 0, 1), scale=scale)
        assert hits([big, small], STRICT) == [("big", "small")], "scaled and mirrored things are solid too"


def test_cups_in_hollows_and_things_on_rugs_do_not_collide_in_strict() -> None:
    """A trough of five boards, each a solid of its own, holds a cup without touching it."""
    boards = [((2, 0.1, 1), (0, y, 0.5)) for y in (-0.95, 0.95)] + [((2, 2, 0.1), (0, 0, 0.05))]
    parts = [(mesh_of(box(*size)), at) for size, at in boards]
    corners = np.concatenate([mesh.vertices + np.array([at[0], at[2], -at[1]]) for mesh, at in parts])
    trough = Mesh.of(corners, np.concatenate([mesh.faces + 8 * k for k, (mesh, _) in enumerate(parts)]))
    cup = thing("cup", (0.2, 0.2, 0.2), (0, 0, 0.3))
    for profile in PROFILES:
        assert hits([thing("trough", trough, (0, 0, 0)), cup], profile) == []
    assert hits([thing("trough", trough, (0, 0, 0)), thing("cup", (0.02, 0.02, 0.02), (0, 0.95, 0.5))], STRICT)
    rug = thing("rug", (3, 3, 0.02), (0, 0, 0.01), category="rug")
    chair = thing("chair", (1, 1, 1), (0, 0, 0.5))
    assert hits([rug, chair], OFFICIAL) == [("rug", "chair")]
    assert hits([rug, chair], STRICT) == []
    wardrobe = thing("mat", (1, 1, 2), (0, 0, 1), category="mat")
    assert hits([wardrobe, chair], STRICT), "what is high is no rug, whatever it is called"


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
    door = Opening("door", (5, 0), (7, 2.2))
    bench = thing("bench", (1, 1, 1), (0, 6, 0.5))
    assert not collisions(staged([bench], AS_IT_IS.room(12, 12, openings=[door]))).wall_hits
    assert collisions(staged([bench], HALL)).wall_hits
    whole = Opening("door", (-1, -1), (13, 3))
    assert not collisions(staged([bench], AS_IT_IS.room(12, 12, openings=[whole]))).wall_hits


@both
def test_counts_are_of_objects(profile: Profile) -> None:
    row = [thing(f"box_{n}", (1, 1, 1), (0.9 * n, 0, 0.5)) for n in range(3)]
    found = collisions(staged([*row, thing("far", (1, 1, 1), (-4, -4, 0.5))], HALL, profile))
    assert found.colliding_with == {"box_0": ("box_1",), "box_1": ("box_0", "box_2"), "box_2": ("box_1",), "far": ()}
    assert (found.share, found.scene_in_collision) == (0.75, True)
    nothing = collisions(staged([], HALL, profile))
    assert (nothing.share, nothing.scene_in_collision) == (None, False)


def test_depth_is_the_shortest_way_out() -> None:
    table = thing("table", (2, 1, 1), (0, 0, 0.5))
    for overlap in (0.004, 0.05, 0.3):
        stage = staged([table, thing("chair", (0.5, 0.5, 0.5), (0, 0.75 - overlap, 0.5))], HALL)
        assert depth(stage.body("table"), stage.body("chair")) == pytest.approx(overlap, abs=0.0015)
    apart = staged([table, thing("chair", (0.5, 0.5, 0.5), (0, 3, 0.5))], HALL)
    assert depth(apart.body("table"), apart.body("chair")) == 0


def test_a_chair_under_a_table_collides_as_published_if_the_table_is_an_obj() -> None:
    """Readers of OBJ merge the corners of top and legs; five boxes joined so pass the weak test for a convex body."""
    top = (mesh_of(box(1, 1, 0.05)), np.array([0, 0.725, 0]))
    legs = [(mesh_of(box(0.1, 0.1, 0.7)), np.array([x, 0.35, z])) for x in (-0.45, 0.45) for z in (-0.45, 0.45)]
    parts = [trimesh.Trimesh(mesh.vertices + at, mesh.faces, process=False) for mesh, at in (top, *legs)]
    made: Any = trimesh.util.concatenate(parts)
    for kind, published in (("obj", True), ("glb", False)):
        data = made.export(file_type=kind)
        table = read_mesh(data if isinstance(data, bytes) else data.encode(), kind)
        assert isinstance(table, Mesh)
        things = [thing("table", table, (0, 0, 0)), thing("stool", (0.3, 0.3, 0.5), (0, 0, 0.3))]
        assert bool(hits(things, OFFICIAL)) == published, kind
        assert hits(things, STRICT) == [], kind


SIX = AS_IT_IS.room(6, 6)
WEIGHT = thing("weight", (0.1, 0.1, 0.1), (-2.5, -2.5, 0.05))
WEDGE_FACES = [(0, 1, 2), (1, 3, 2), (0, 4, 1), (1, 4, 5), (2, 3, 4), (3, 5, 4), (0, 2, 4), (1, 5, 3)]


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
def test_a_thing_stands_within_five_millimetres_and_tips_past_the_edge(profile: Profile) -> None:
    table = thing("table", (1, 1, 1), (0, 0, 0.5))
    for gap, holds in ((0.0, True), (0.004, True), (-0.004, True), (0.006, False), (0.3, False)):
        found = support_of(thing("it", (0.2, 0.2, 0.2), (0, 0, 1.1 + gap)), profile, "object", table)
        assert (found.supported, found.rests_on) == (holds, ("table",) if holds else ()), gap
        if not holds:
            assert found.gap == pytest.approx(gap, abs=1e-5)
            assert found.evidence == f"the nearest thing below it is {gap:.3f} m away"
    for yaw, scale in ((0, 1), (30, 2), (90, 1)):
        for out, holds in ((-0.03, True), (0.03, False)):
            turn = Turn(yaw, (1, 1, 0))
            table = turn.thing("table", (1, 1, 1), (0, 0, 0.5))
            it = turn.thing("it", [0.6 / scale, 0.4 / scale, 0.2 / scale], (0.5 + out, 0, 1.1), scale=scale)
            found = supports(staged([table, it], turn.room(6, 6), profile), {"it": "object"})["it"]
            assert (found.rests_on, found.supported) == (("table",), holds), (yaw, scale, out)


@both
def test_pictures_hang_on_walls_and_lamps_from_ceilings_they_touch(profile: Profile) -> None:
    for gap, holds in ((0.003, True), (0.02, False)):
        picture = thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - gap - 0.01, 1.5))
        found = support_of(picture, profile, "wall")
        assert (found.supported, found.rests_on) == (holds, ("wall_north",) if holds else ())
        assert not support_of(picture, profile, "ground").supported
        lamp = thing("it", (0.6, 0.6, 0.1), (1, 1, 2.6 - 0.0005 - gap - 0.05))
        assert support_of(lamp, profile, "ceiling").supported == holds


def test_a_picture_on_a_slanted_wall_hangs_in_strict() -> None:
    turn = Turn(30)
    it = turn.thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - 0.003 - 0.01, 1.5))
    found = supports(staged([it, WEIGHT], turn.room(6, 6), STRICT), {"it": "wall"})["it"]
    assert found.rests_on == ("wall_north",)


def test_what_floats_or_lies_below_the_floor_is_told_in_strict() -> None:
    it, sunk = thing("it", (1, 1, 1), (0, 0, 0.5)), thing("sunk", (0.1, 0.1, 0.1), (2, 2, -0.05))
    assert not supports(staged([it, sunk], SIX, OFFICIAL))["it"].supported
    found = supports(staged([it, sunk], SIX, STRICT))
    assert (found["it"].supported, found["sunk"].supported) == (True, False)
    assert found["sunk"].evidence == "nothing is below sunk"
    it = thing("it", (1, 1, 1), (0, 0, 0.9))
    assert supports(staged([it], SIX, OFFICIAL))["it"].supported
    assert not supports(staged([it], SIX, STRICT))["it"].supported


@both
def test_balance_depends_on_where_a_thing_touches_and_support_needs_no_walls(profile: Profile) -> None:
    seat = ((0.5, 0.5, 0.05), (0.0, 0.5, 0.0))
    legs = [((0.05, 0.05, 0.5), (x, 0.25, z)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    assert support_of(thing("it", joined(seat, *legs), (0, 0, 0)), profile).supported
    assert not support_of(thing("it", joined(seat, legs[0]), (0, 0, 0)), profile).supported
    assert not support_of(thing("it", wedge(1), (0, 0, 0)), profile).supported, "contacts in a line"
    for kind in ("cylinder", "cone", "box"):
        flat = thing("it", Primitive(kind, (0.5, 0.5, 1)), (0, 0, 0.5))
        assert support_of(flat, profile).supported, kind
    it = thing("it", (1, 1, 1), (0, 0, 0.5))
    stage = staged([it], Architecture(SIX.floors), profile)
    assert supports(stage)["it"].supported
    assert not supports(stage, {"it": "ceiling"})["it"].supported
    assert not supports(staged([it], Architecture(), profile))["it"].supported


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


def test_the_centre_of_mass_of_a_cone_lies_a_quarter_up() -> None:
    def body(mesh: Mesh) -> Body:
        return staged([thing("it", mesh, (0, 0, 0.5))], SIX).body("it")

    whole = mesh_of(Primitive("cone", (1, 1, 1)))
    assert centre_of_mass(body(whole))[2] == pytest.approx(0.25)
    opened = body(Mesh.of(whole.vertices, whole.faces[1:]))
    assert centre_of_mass(opened)[2] == pytest.approx(opened.centroid[2])
