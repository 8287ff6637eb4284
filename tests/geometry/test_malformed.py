"""Every measure of a scene that is broken in some way gives values and named problems, never a crash."""

from __future__ import annotations

import math

import numpy as np
import pytest
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
def test_scenes_with_a_broken_part_are_measured(profile: Profile) -> None:
    good = AS_IT_IS.thing("good", (1, 1, 1), (1, 1, 0.5))
    for name, shape in SHAPES.items():
        bad = Object("bad", shape, standing(at=(0.2, 0.1, 0.5), yaw=20))
        assert "good" in measured(staged([bad, good], ROOM, profile)), name
    for name, transform in TRANSFORMS.items():
        assert "good" in measured(staged([good, Object("bad", box(1, 0.5, 1), transform)], ROOM, profile)), name
    things = [AS_IT_IS.thing("a", (1, 1, 1), (0, 0, 0.5)), AS_IT_IS.thing("b", (1, 1, 1), (1.5, 0, 0.5))]
    for name, architecture in ARCHITECTURES.items():
        assert measured(staged(things, architecture, profile)) == {"a", "b"}, name
        assert measured(staged([], architecture, profile)) == set(), name
