"""Support of objects: gaps, balance, walls and ceilings."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from furnished_rooms import AS_IT_IS, Turn, staged

from tsgkit.errors import UsageError
from tsgkit.geometry import OFFICIAL, STRICT, Architecture, Mesh, Object, Primitive, Profile, Support, box, supports
from tsgkit.geometry.bodies import Body
from tsgkit.geometry.meshes import mesh_of
from tsgkit.geometry.support import centre_of_mass

thing = AS_IT_IS.thing
both = pytest.mark.parametrize("profile", [OFFICIAL, STRICT], ids=["official", "strict"])
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
def test_a_thing_stands_within_five_millimetres(profile: Profile) -> None:
    table = thing("table", (1, 1, 1), (0, 0, 0.5))
    for gap, holds in ((0.0, True), (0.004, True), (-0.004, True), (0.006, False), (0.3, False)):
        found = support_of(thing("it", (0.2, 0.2, 0.2), (0, 0, 1.1 + gap)), profile, "object", table)
        assert (found.supported, found.rests_on) == (holds, ("table",) if holds else ()), gap
        if not holds:
            assert found.gap == pytest.approx(gap, abs=1e-5)
            assert found.evidence == f"the nearest thing below it is {gap:.3f} m away"


@both
def test_a_thing_tips_when_its_middle_is_past_the_edge(profile: Profile) -> None:
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


def test_one_thing_below_the_floor_makes_the_others_float_as_published_only() -> None:
    it, sunk = thing("it", (1, 1, 1), (0, 0, 0.5)), thing("sunk", (0.1, 0.1, 0.1), (2, 2, -0.05))
    assert not supports(staged([it, sunk], SIX, OFFICIAL))["it"].supported
    found = supports(staged([it, sunk], SIX, STRICT))
    assert (found["it"].supported, found["sunk"].supported) == (True, False)
    assert found["sunk"].evidence == "nothing is below sunk"


def test_a_scene_that_floats_as_a_whole_is_found_in_strict_only() -> None:
    it = thing("it", (1, 1, 1), (0, 0, 0.9))
    assert supports(staged([it], SIX, OFFICIAL))["it"].supported
    assert not supports(staged([it], SIX, STRICT))["it"].supported


@both
def test_balance_depends_on_where_a_thing_touches(profile: Profile) -> None:
    seat = ((0.5, 0.5, 0.05), (0.0, 0.5, 0.0))
    legs = [((0.05, 0.05, 0.5), (x, 0.25, z)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    assert support_of(thing("it", joined(seat, *legs), (0, 0, 0)), profile).supported
    assert not support_of(thing("it", joined(seat, legs[0]), (0, 0, 0)), profile).supported
    assert not support_of(thing("it", wedge(1), (0, 0, 0)), profile).supported, "contacts in a line"
    for kind in ("cylinder", "cone", "box"):
        flat = thing("it", Primitive(kind, (0.5, 0.5, 1)), (0, 0, 0.5))
        assert support_of(flat, profile).supported, kind


@both
def test_support_needs_no_walls(profile: Profile) -> None:
    it = thing("it", (1, 1, 1), (0, 0, 0.5))
    stage = staged([it], Architecture(SIX.floors), profile)
    assert supports(stage)["it"].supported
    assert not supports(stage, {"it": "ceiling"})["it"].supported
    assert not supports(staged([it], Architecture(), profile))["it"].supported


def test_objects_touching_only_the_ceiling_hang_from_it_in_strict() -> None:
    pendant = joined(((0.02, 0.02, 0.8), (0, 2.2, 0)), ((0.4, 0.4, 0.3), (0, 1.65, 0)))
    table = thing("table", (1, 1, 0.75), (0, 0, 0.375))
    low = thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.45))
    for kind in ("ground", "object", "wall"):
        for profile, holds in ((STRICT, True), (OFFICIAL, False)):
            for lamp in (thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.5)), thing("lamp", pendant, (0, 0, 0))):
                found = supports(staged([lamp, table], SIX, profile), {"lamp": kind})["lamp"]
                assert (found.supported, found.type) == (holds, "ceiling" if holds else kind), (kind, profile.name)
        assert not supports(staged([low, table], SIX), {"lamp": kind})["lamp"].supported


def test_objects_touching_floor_and_ceiling_stand() -> None:
    """A board that leans over with its edge alone on the floor is not held by a ceiling that it touches."""
    found = supports(staged([thing("post", (0.3, 0.3, 2.6), (0, 0, 1.3))], SIX))["post"]
    assert (found.supported, found.type, found.rests_on) == (True, "ground", ("floor_room",))
    assert not support_of(thing("it", wedge(2.6), (0, 0, 0)), STRICT).supported


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(UsageError, match="'sky', given for 'it', is not a type of support"):
        support_of(thing("it", (1, 1, 1), (0, 0, 0.5)), STRICT, "sky")


def test_the_centre_of_mass_of_a_cone_lies_a_quarter_up() -> None:
    def body(mesh: Mesh) -> Body:
        return staged([thing("it", mesh, (0, 0, 0.5))], SIX).body("it")

    whole = mesh_of(Primitive("cone", (1, 1, 1)))
    assert centre_of_mass(body(whole))[2] == pytest.approx(0.25)
    opened = body(Mesh.of(whole.vertices, whole.faces[1:]))
    assert centre_of_mass(opened)[2] == pytest.approx(opened.centroid[2])
