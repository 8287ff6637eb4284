"""Of every scene and image, broken ones too: scores are within bounds, and order, turn and place change nothing."""

from __future__ import annotations

import math
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tsgkit.geometry.bounds import out_of_bounds
from tsgkit.geometry.cameras import framing
from tsgkit.geometry.collisions import collisions
from tsgkit.geometry.measured_scene import MeasuredScene
from tsgkit.geometry.meshes import Mesh, Primitive, box, mesh_of
from tsgkit.geometry.openings import clearances
from tsgkit.geometry.paths import accessibility, navigability
from tsgkit.geometry.profiles import OFFICIAL, STRICT, Profile
from tsgkit.geometry.relations_of_objects import RELATIONS_OF_OBJECTS, SIDED, relation_of_objects
from tsgkit.geometry.relations_to_rooms import RELATIONS_TO_ROOMS, relation_to_room
from tsgkit.geometry.rendering import RenderedImage
from tsgkit.geometry.scenes import Architecture, Floor, Object, Opening, Scene, Wall
from tsgkit.geometry.support import supports
from tsgkit.geometry.transforms import standing
from tsgkit.geometry.views import VIEWS, View, view

CUBE = mesh_of(box(1, 1, 1))
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
ROOM = AS_IT_IS.room(6, 6, openings=[Opening("door", (1, 0), (2, 2))])
SHAPES = {
    "not a number": Mesh.of([(math.nan, 0, 0), *CUBE.vertices[1:].tolist()], CUBE.faces),
    "infinite": Mesh.of([(math.inf, 0, 0), *CUBE.vertices[1:].tolist()], CUBE.faces),
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
OPENINGS = (Opening("door", (1, 0), (2, 2)), Opening("window", (4, 1), (5, 2)))
Piece = tuple[str, tuple[float, float, float], tuple[float, float], float, float]
metres = st.integers(2, 12).map(lambda n: n / 10)
middles = st.integers(-300, 300).map(lambda n: n / 97)
pieces: st.SearchStrategy[list[Piece]] = st.lists(
    st.tuples(
        st.sampled_from(["box", "cylinder", "cone"]),
        st.tuples(metres, metres, metres),
        st.tuples(middles, middles),
        st.integers(0, 23).map(lambda n: 15.0 * n),
        st.sampled_from([1.0, 0.5, 2.0]),
    ),
    min_size=1,
    max_size=4,
)
shifts = st.tuples(st.integers(-30, 30), st.integers(-30, 30), st.integers(-2, 2))
turns = st.builds(Turn, st.integers(0, 359).map(float), shifts)
lengths, places, shares = st.floats(0.01, 5), st.floats(-50, 50), st.floats(-1, 1)


def measured(stage: MeasuredScene) -> set[str]:
    """Ask everything that can be asked, each answer within its bounds. Return the names of what was measured."""
    assert all(problem.code and problem.message for problem in stage.problems)
    assert all(0 <= (share or 0) <= 1 for share in (collisions(stage).share, navigability(stage).value))
    assert all(0 <= bound.ratio <= 1 for bound in out_of_bounds(stage).objects.values())
    wanted = dict.fromkeys(stage.bodies, ("front", "back", "left", "right"))
    assert all(0 <= (access.score or 0) <= 1 + 1e-9 for access in accessibility(stage, wanted).values())
    for kind in ("ground", "object", "wall", "ceiling"):
        assert all(found.evidence for found in supports(stage, dict.fromkeys(stage.bodies, kind)).values())
    assert all(0 <= side.occlusion <= 1 for side in clearances(stage))
    names = list(stage.bodies)
    assert all(0 <= relation_to_room(stage, *asked).score <= 1 for asked in product(RELATIONS_TO_ROOMS, names))
    for name, anchor in product(RELATIONS_OF_OBJECTS, names):
        others = [other for other in names if other != anchor] or [anchor]
        for side in SIDED.get(name, (None,)):
            assert 0 <= relation_of_objects(stage, name, anchor, others, side).score <= 1
    return set(names)


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


def furnished(given_pieces: list[Piece], turn: Turn, profile: Profile, *, backwards: bool = False) -> MeasuredScene:
    things: list[Object] = []
    for n, (kind, size, (x, y), yaw, scale) in enumerate(given_pieces):
        shape = Primitive(kind, tuple(side / scale for side in size))  # type: ignore[arg-type]
        things.append(turn.thing(f"thing_{n}", shape, (x, y, size[2] / 2 + 0.002 * n), yaw=yaw, scale=scale))
    return staged(things[::-1] if backwards else things, turn.room(6, 6, openings=OPENINGS), profile)


def figures(stage: MeasuredScene) -> dict[str, Any]:
    """Return everything strict that may not depend on the frame, in an order of its own."""
    names = sorted(stage.bodies)
    found: dict[str, Any] = {f"ratio {name}": bound.ratio for name, bound in out_of_bounds(stage).objects.items()}
    found |= {f"way {n}": area for n, area in enumerate(navigability(stage).parts) if area > 1e-3}
    for name, access in accessibility(stage, dict.fromkeys(names, ("front", "left"))).items():
        found |= {f"access {name} {side}": value for side, value in access.sides.items()}
    found |= {f"hidden {side.opening}": side.occlusion for side in clearances(stage)}
    for name in names:
        found |= {f"{kind} {name}": relation_to_room(stage, kind, name).score for kind in RELATIONS_TO_ROOMS}
    for (one, other), kind in product(permutations(names, 2), RELATIONS_OF_OBJECTS):
        for side in SIDED.get(kind, (None,)):
            score = relation_of_objects(stage, kind, one, [other], side).score
            found[f"{kind} {side} {other} {one}"] = score
    return found


@given(pieces, turns)
@settings(max_examples=15)
def test_strict_figures_do_not_depend_on_order_turn_and_place(given_pieces: list[Piece], turn: Turn) -> None:
    stages = furnished(given_pieces, AS_IT_IS, STRICT), furnished(given_pieces, turn, STRICT, backwards=True)
    here, there = (figures(stage) for stage in stages)
    assert here.keys() == there.keys()
    assert not {key: (here[key], there[key]) for key in here if abs(here[key] - there[key]) > 0.01}
    hits = [{frozenset((hit.one, hit.other)) for hit in collisions(stage).hits} for stage in stages]
    walls = [{(hit.one, hit.other) for hit in collisions(stage).wall_hits} for stage in stages]
    assert (hits[0], walls[0]) == (hits[1], walls[1])
    assert all(0 <= value <= 1 + 1e-9 for key, value in here.items() if not key.startswith("way"))
    for key in (key for key in here if key.startswith("inside_of")):
        assert here[key] + here[key.replace("inside_of", "outside_of")] == pytest.approx(1), key


@given(pieces, st.integers(0, 4))
@settings(max_examples=15)
def test_taking_something_away_never_makes_anything_else_collide(given_pieces: list[Piece], which: int) -> None:
    stage = furnished(given_pieces, AS_IT_IS, STRICT)
    others = tuple(o for o in stage.scene.objects if o.id != f"thing_{which % len(given_pieces)}")
    left = MeasuredScene(Scene("room", others, stage.scene.architecture), STRICT)
    assert set(collisions(left).in_collision) <= set(collisions(stage).in_collision)
    assert sum(navigability(left).parts) >= sum(navigability(stage).parts) - 1e-9


@given(
    st.lists(st.tuples(places, places, places), min_size=2, max_size=30, unique=True), st.tuples(shares, shares, shares)
)
@settings(max_examples=50)
def test_every_point_is_in_the_frame_and_before_the_camera(
    points: list[tuple[float, float, float]], back: tuple[float, float, float]
) -> None:
    assume(np.ptp(np.array(points), axis=0).max() > 1e-3)
    assume(np.hypot(back[0], back[1]) > 0.05)
    camera = framing(points, back)
    assert (-((np.array(points) - camera.eye) @ camera.axes[:, 2])).min() > 0
    seen = camera.pixels(points, 100)
    assert -1e-6 <= seen.min() <= seen.max() <= 100 + 1e-6


def taken(turn: Turn, size: tuple[float, float, float], kind: View) -> RenderedImage:
    desk = turn.thing("desk", size, (0.3, -0.2, size[2] / 2), yaw=25)
    cup = turn.thing("cup", (0.1, 0.12, 0.1), (0.3, -0.2, size[2] + 0.05), yaw=70)
    return view(staged([desk, cup], turn.room(8, 8)), kind, "desk", 48)


@settings(max_examples=10)
@given(turns, st.tuples(lengths, lengths, lengths), st.sampled_from(["front", "figure", "surroundings"]))
def test_turning_and_moving_a_room_as_one_changes_no_image(
    turn: Turn, size: tuple[float, float, float], kind: View
) -> None:
    here, there = taken(AS_IT_IS, size, kind), taken(turn, size, kind)
    assert here.names == there.names
    assert (here.surfaces != there.surfaces).mean() < 0.02


@settings(max_examples=10)
@given(st.tuples(lengths, lengths, lengths), st.sampled_from(VIEWS))
def test_an_image_says_the_same_of_each_pixel_in_every_layer(size: tuple[float, float, float], kind: View) -> None:
    image = taken(AS_IT_IS, size, kind)
    shown = image.surfaces >= 0
    assert np.array_equal(np.isfinite(image.depth), shown)
    assert np.allclose(np.linalg.norm(image.normals, axis=2), shown, atol=1e-3)
    ways = image.camera.ways(48).reshape(48, 48, 3)
    assert (np.einsum("ijk,ijk->ij", image.normals, ways) <= 1e-6).all(), "normals look at the viewer"
    assert image.surfaces.max() < len(image.names)
