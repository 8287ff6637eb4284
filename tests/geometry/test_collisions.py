"""Collisions as in the published tool, and of solids."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import trimesh
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.geometry import OFFICIAL, STRICT, Mesh, Object, Opening, Profile, box, collisions, depth, read_mesh
from tsgkit.geometry.meshes import mesh_of

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
def test_cubes_collide_from_some_millimetres_of_overlap(profile: Profile) -> None:
    """As published there is no tolerance, for all that five millimetres part the cubes before the second test."""
    for overlap, collide in ((-0.001, False), (0.001, False), (0.004, profile is OFFICIAL), (0.008, True), (0.3, True)):
        cubes = [thing("one", (1, 1, 1), (0, 0, 0.5)), thing("other", (1, 1, 1), (1 - overlap, 0, 0.5))]
        assert hits(cubes, profile) == ([("one", "other")] if collide else []), overlap


@both
def test_things_that_touch_do_not_collide(profile: Profile) -> None:
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


def test_a_cup_in_a_hollow_collides_with_nothing() -> None:
    """A trough of five boards, each a solid of its own, holds a cup without touching it."""
    boards = [((2, 0.1, 1), (0, y, 0.5)) for y in (-0.95, 0.95)] + [((2, 2, 0.1), (0, 0, 0.05))]
    parts = [(mesh_of(box(*size)), at) for size, at in boards]
    corners = np.concatenate([mesh.vertices + np.array([at[0], at[2], -at[1]]) for mesh, at in parts])
    trough = Mesh.of(corners, np.concatenate([mesh.faces + 8 * k for k, (mesh, _) in enumerate(parts)]))
    cup = thing("cup", (0.2, 0.2, 0.2), (0, 0, 0.3))
    for profile in PROFILES:
        assert hits([thing("trough", trough, (0, 0, 0)), cup], profile) == []
    assert hits([thing("trough", trough, (0, 0, 0)), thing("cup", (0.02, 0.02, 0.02), (0, 0.95, 0.5))], STRICT)


def test_rugs_collide_as_published_and_not_in_strict() -> None:
    rug = thing("rug", (3, 3, 0.02), (0, 0, 0.01), category="rug")
    chair = thing("chair", (1, 1, 1), (0, 0, 0.5))
    assert hits([rug, chair], OFFICIAL) == [("rug", "chair")]
    assert hits([rug, chair], STRICT) == []
    wardrobe = thing("mat", (1, 1, 2), (0, 0, 1), category="mat")
    assert hits([wardrobe, chair], STRICT), "what is high is no rug, whatever it is called"


def test_objects_in_a_wall_collide_in_strict() -> None:
    for yaw in (0, 30, 90):
        turn = Turn(yaw, (3, 4, 0))
        for past, hit in ((-0.3, False), (0.003, False), (0.02, True), (0.35, True), (0.5, False)):
            shelf = turn.thing("shelf", (1, 0.4, 2), (1, 6 + past - 0.2, 1))
            found = collisions(staged([shelf], turn.room(12, 12)))
            walls = [("shelf", "wall_north")] if hit else []
            assert [(h.one, h.other) for h in found.wall_hits] == walls, (yaw, past)
            assert found.in_collision == (("shelf",) if hit else ())
            assert not collisions(staged([shelf], turn.room(12, 12), OFFICIAL)).scene_in_collision


def test_objects_in_a_door_do_not_collide_with_its_wall() -> None:
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
