"""Every measure of a scene that is broken in some way gives values and named problems, never a crash."""

from __future__ import annotations

import math

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("fcl", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")

import numpy as np
from furnished_rooms import AS_IT_IS, staged

from tsgkit.geometry import (
    OFFICIAL,
    RELATIONS_OF_OBJECTS,
    RELATIONS_TO_ROOMS,
    SIDED,
    STRICT,
    Architecture,
    Floor,
    MeasuredScene,
    Mesh,
    Object,
    Opening,
    Profile,
    Wall,
    accessibility,
    box,
    clearances,
    collisions,
    navigability,
    out_of_bounds,
    relation_of_objects,
    relation_to_room,
    standing,
    supports,
)
from tsgkit.geometry.meshes import mesh_of

CUBE = mesh_of(box(1, 1, 1))
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
ROOM = AS_IT_IS.room(6, 6, openings=[Opening("door", (1, 0), (2, 2))])


def measured(stage: MeasuredScene) -> set[str]:
    """Ask everything that can be asked, each answer within its bounds. Return the names of what was measured."""
    assert all(problem.code and problem.message for problem in stage.problems)
    assert collisions(stage).share is None or 0 <= (collisions(stage).share or 0) <= 1
    assert all(0 <= bound.ratio <= 1 for bound in out_of_bounds(stage).objects.values())
    value = navigability(stage).value
    assert value is None or 0 <= value <= 1
    wanted = dict.fromkeys(stage.bodies, ("front", "back", "left", "right"))
    assert all(0 <= (access.score or 0) <= 1 + 1e-9 for access in accessibility(stage, wanted).values())
    for kind in ("ground", "object", "wall", "ceiling"):
        assert all(found.evidence for found in supports(stage, dict.fromkeys(stage.bodies, kind)).values())
    assert all(0 <= side.occlusion <= 1 for side in clearances(stage))
    names = list(stage.bodies)
    for name, body in ((name, body) for name in RELATIONS_TO_ROOMS for body in names):
        assert 0 <= relation_to_room(stage, name, body).score <= 1
    for name in RELATIONS_OF_OBJECTS:
        for anchor in names:
            others = [other for other in names if other != anchor] or [anchor]
            for side in SIDED.get(name, (None,)):
                assert 0 <= relation_of_objects(stage, name, anchor, others, side).score <= 1
    return set(names)


def spoilt(to: float) -> Mesh:
    vertices = CUBE.vertices.copy()
    vertices[0] = to
    return Mesh.of(vertices, CUBE.faces)


SHAPES = {
    "not a number": spoilt(math.nan),
    "infinite": spoilt(math.inf),
    "empty": Mesh.of(np.zeros((0, 3)), np.zeros((0, 3))),
    "no area": Mesh.of(CUBE.vertices * 0, CUBE.faces),
    "a line": Mesh.of(CUBE.vertices * (1, 0, 0), CUBE.faces),
    "a sheet": Mesh.of(CUBE.vertices * (1, 0, 1), CUBE.faces),
    "an upright sheet": Mesh.of(CUBE.vertices * (1, 1, 0), CUBE.faces),
    "one triangle": Mesh.of([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 1, 2)]),
    "inside out": CUBE.turned_out(),
    "open": Mesh.of(CUBE.vertices, CUBE.faces[2:]),
    "doubled": Mesh.of(CUBE.vertices, np.concatenate([CUBE.faces, CUBE.faces])),
    "tiny": Mesh.of(CUBE.vertices * 1e-7, CUBE.faces),
    "huge": Mesh.of(CUBE.vertices * 1e5, CUBE.faces),
    "shuffled": Mesh.of(CUBE.vertices, np.random.default_rng(3).integers(0, 8, (30, 3))),
}


@both
@pytest.mark.parametrize("name", SHAPES)
def test_a_broken_mesh_among_good_ones(name: str, profile: Profile) -> None:
    good = AS_IT_IS.thing("good", (1, 1, 1), (1, 1, 0.5))
    bad = Object("bad", SHAPES[name], standing(at=(0.2, 0.1, 0.5), yaw=20))
    assert "good" in measured(staged([bad, good], ROOM, profile))


TRANSFORMS = {
    "zeros": (0.0,) * 16,
    "not a number": (math.nan,) * 16,
    "too few": (1.0, 2.0),
    "flat": standing(scale=(1, 0, 1)),
    "mirrored": standing(scale=(-1, 1, 1)),
    "lying": standing(tilt=90),
    "upside down": standing(tilt=180),
    "tiny": standing(scale=1e-6),
    "far": standing(at=(1e6, -1e6, 30)),
}


@both
@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_broken_transform_among_good_ones(name: str, profile: Profile) -> None:
    good = AS_IT_IS.thing("good", (1, 1, 1), (1, 1, 0.5))
    bad = Object("bad", box(1, 0.5, 1), TRANSFORMS[name])
    assert "good" in measured(staged([good, bad], ROOM, profile))


ARCHITECTURES = {
    "nothing": Architecture(),
    "no walls": Architecture(ROOM.floors),
    "no floor": Architecture((), ROOM.walls),
    "a line of a floor": Architecture((Floor("x", ((0, 0, 0), (1, 0, 0), (2, 0, 0))),), ROOM.walls),
    "a crossed floor": Architecture((Floor("x", ((0, 0, 0), (4, 4, 0), (4, 0, 0), (0, 4, 0))),), ROOM.walls),
    "a tiny floor": Architecture((Floor("x", ((0, 0, 0), (0.01, 0, 0), (0.01, 0.01, 0), (0, 0.01, 0))),), ROOM.walls),
    "a wall of nothing": Architecture(ROOM.floors, (Wall("w", (0, 0, 0), (0, 0, 0), 0),)),
    "a wall that is all door": Architecture(
        ROOM.floors, (Wall("w", (-3, -3, 0), (3, -3, 0), 2.5, (Opening("door", (-1, -1), (9, 9)),)),)
    ),
    "twice the same": Architecture(ROOM.floors * 2, ROOM.walls * 2),
}


@both
@pytest.mark.parametrize("name", ARCHITECTURES)
def test_a_broken_room(name: str, profile: Profile) -> None:
    things = [AS_IT_IS.thing("a", (1, 1, 1), (0, 0, 0.5)), AS_IT_IS.thing("b", (1, 1, 1), (1.5, 0, 0.5))]
    assert measured(staged(things, ARCHITECTURES[name], profile)) == {"a", "b"}
    assert measured(staged([], ARCHITECTURES[name], profile)) == set()


@pytest.mark.slow
@both
def test_two_million_faces_are_said_and_measured(profile: Profile) -> None:
    side = np.linspace(-0.5, 0.5, 1001)
    x, z = np.meshgrid(side, side)
    vertices = np.stack([x.ravel(), 0.05 * np.sin(9 * x.ravel()), z.ravel()], axis=1)
    a = (np.arange(1000)[:, None] * 1001 + np.arange(1000)).ravel()
    faces = np.concatenate([np.c_[a, a + 1, a + 1002], np.c_[a, a + 1002, a + 1001]])
    cloth = Object("cloth", Mesh.of(vertices, faces), standing(at=(0, 0, 1)))
    stage = staged([cloth, AS_IT_IS.thing("far", (1, 1, 1), (2, 2, 0.5))], ROOM, profile)
    assert [problem.code for problem in stage.problems] == ["many-faces"]
    assert collisions(stage).hits == ()
    assert out_of_bounds(stage).out == ()
    assert navigability(stage).value is not None
    assert not supports(stage)["cloth"].supported
