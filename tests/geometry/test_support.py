"""Support of objects: gaps, balance, walls and ceilings."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")

import numpy as np
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


def joined_boxes(*parts: tuple[float, float, float, float]) -> tuple[list[Any], list[Any]]:
    """Corners and faces of boxes (wide, deep, high, height of the middle), one above the other."""
    meshes = [(mesh_of(box(wide, deep, high)), (0.0, at, 0.0)) for wide, deep, high, at in parts]
    corners = np.concatenate([mesh.vertices + at for mesh, at in meshes]).tolist()
    return corners, np.concatenate([mesh.faces + 8 * k for k, (mesh, _) in enumerate(meshes)]).tolist()


def support_of(it: Object, profile: Profile, kind: str = "ground", *others: Object) -> Support:
    return supports(staged([it, *others, WEIGHT], SIX, profile), {"it": kind})["it"]


@both
@pytest.mark.parametrize(("gap", "holds"), [(0.0, True), (0.004, True), (-0.004, True), (0.006, False), (0.3, False)])
def test_a_thing_stands_within_five_millimetres(profile: Profile, gap: float, holds: bool) -> None:
    table = thing("table", (1, 1, 1), (0, 0, 0.5))
    found = support_of(thing("it", (0.2, 0.2, 0.2), (0, 0, 1.1 + gap)), profile, "object", table)
    assert (found.supported, found.rests_on) == (holds, ("table",) if holds else ())
    if not holds:
        assert found.gap == pytest.approx(gap, abs=1e-5)
        assert found.evidence == f"the nearest thing below it is {gap:.3f} m away"


@both
@pytest.mark.parametrize(("out", "holds"), [(-0.03, True), (0.03, False)])
@pytest.mark.parametrize("yaw", [0, 30, 90])
@pytest.mark.parametrize("scale", [1, 2])
def test_a_thing_tips_when_its_middle_is_past_the_edge(
    profile: Profile, out: float, holds: bool, yaw: int, scale: int
) -> None:
    turn = Turn(yaw, (1, 1, 0))
    table = turn.thing("table", (1, 1, 1), (0, 0, 0.5))
    it = turn.thing("it", [0.6 / scale, 0.4 / scale, 0.2 / scale], (0.5 + out, 0, 1.1), scale=scale)
    found = supports(staged([table, it], turn.room(6, 6), profile), {"it": "object"})["it"]
    assert found.rests_on == ("table",)
    assert found.supported == holds


@both
def test_a_image_needs_one_contact_behind_it(profile: Profile) -> None:
    for gap, holds in ((0.003, True), (0.02, False)):
        it = thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - gap - 0.01, 1.5), yaw=0)
        found = support_of(it, profile, "wall")
        assert (found.supported, found.rests_on) == (holds, ("wall_north",) if holds else ())
        assert not support_of(it, profile, "ground").supported


def test_a_image_on_a_slanted_wall_hangs_in_strict() -> None:
    turn = Turn(30)
    it = turn.thing("it", (0.6, 0.02, 0.4), (1, 3 - 0.0005 - 0.003 - 0.01, 1.5))
    room = turn.room(6, 6)
    assert supports(staged([it, WEIGHT], room, STRICT), {"it": "wall"})["it"].rests_on == ("wall_north",)


@both
def test_a_lamp_hangs_from_the_ceiling(profile: Profile) -> None:
    for gap, holds in ((0.003, True), (0.02, False)):
        it = thing("it", (0.6, 0.6, 0.1), (1, 1, 2.6 - 0.0005 - gap - 0.05))
        assert support_of(it, profile, "ceiling").supported == holds


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
def test_a_chair_on_its_legs_stands_and_on_one_leg_falls(profile: Profile) -> None:
    seat = (mesh_of(box(0.5, 0.5, 0.05)), (0.0, 0.5, 0.0))
    legs = [(mesh_of(box(0.05, 0.05, 0.5)), (x, 0.25, z)) for x in (-0.2, 0.2) for z in (-0.2, 0.2)]
    for parts, holds in (([seat, *legs], True), ([seat, legs[0]], False)):
        corners = np.concatenate([mesh.vertices + at for mesh, at in parts])
        chair = Mesh.of(corners, np.concatenate([mesh.faces + 8 * k for k, (mesh, _) in enumerate(parts)]))
        assert support_of(thing("it", chair, (0, 0, 0)), profile).supported == holds


@both
def test_contacts_in_a_line_do_not_support(profile: Profile) -> None:
    wedge = Mesh.of(
        [(-0.5, 0, 0), (0.5, 0, 0), (-0.5, 1, 0.3), (0.5, 1, 0.3), (-0.5, 1, -0.3), (0.5, 1, -0.3)],
        [(0, 1, 2), (1, 3, 2), (0, 4, 1), (1, 4, 5), (2, 3, 4), (3, 5, 4), (0, 2, 4), (1, 5, 3)],
    )
    assert not support_of(thing("it", wedge, (0, 0, 0)), profile).supported


@both
@pytest.mark.parametrize("kind", ["cylinder", "cone", "box"])
def test_flat_bottoms_stand(profile: Profile, kind: str) -> None:
    it = thing("it", Primitive(kind, (0.5, 0.5, 1)), (0, 0, 0.5))  # type: ignore[arg-type]
    assert support_of(it, profile).supported


@both
def test_without_walls_nothing_crashes(profile: Profile) -> None:
    stage = staged([thing("it", (1, 1, 1), (0, 0, 0.5))], Architecture(SIX.floors), profile)
    assert supports(stage)["it"].supported
    assert not supports(stage, {"it": "ceiling"})["it"].supported
    assert not supports(staged([thing("it", (1, 1, 1), (0, 0, 0.5))], Architecture(), profile))["it"].supported


@pytest.mark.parametrize("kind", ["ground", "object", "wall"])
def test_objects_touching_only_the_ceiling_hang_from_it_in_strict(kind: str) -> None:
    pendant = Mesh.of(*joined_boxes((0.02, 0.02, 0.8, 2.2), (0.4, 0.4, 0.3, 1.65)))
    table = thing("table", (1, 1, 0.75), (0, 0, 0.375))
    for profile, holds in ((STRICT, True), (OFFICIAL, False)):
        for lamp in (thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.5)), thing("lamp", pendant, (0, 0, 0))):
            found = supports(staged([lamp, table], SIX, profile), {"lamp": kind})["lamp"]
            assert (found.supported, found.type) == (holds, "ceiling" if holds else kind)
    low = thing("lamp", (0.4, 0.4, 0.2), (0, 0, 2.45))
    assert not supports(staged([low, table], SIX), {"lamp": kind})["lamp"].supported


def test_objects_touching_floor_and_ceiling_stand() -> None:
    """A board that leans over with its edge alone on the floor is not held by a ceiling that it touches."""
    post = thing("post", (0.3, 0.3, 2.6), (0, 0, 1.3))
    found = supports(staged([post], SIX))["post"]
    assert (found.supported, found.type, found.rests_on) == (True, "ground", ("floor_room",))
    wedge = Mesh.of(
        [(-0.5, 0, 0), (0.5, 0, 0), (-0.5, 2.6, 0.3), (0.5, 2.6, 0.3), (-0.5, 2.6, -0.3), (0.5, 2.6, -0.3)],
        [(0, 1, 2), (1, 3, 2), (0, 4, 1), (1, 4, 5), (2, 3, 4), (3, 5, 4), (0, 2, 4), (1, 5, 3)],
    )
    assert not support_of(thing("it", wedge, (0, 0, 0)), STRICT).supported


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(UsageError, match="'sky', given for 'it', is not a type of support"):
        support_of(thing("it", (1, 1, 1), (0, 0, 0.5)), STRICT, "sky")


def test_the_centre_of_mass_of_a_cone_lies_a_quarter_up() -> None:
    def cone(mesh: Mesh) -> Body:
        return staged([thing("it", mesh, (0, 0, 0.5))], SIX).body("it")

    whole = mesh_of(Primitive("cone", (1, 1, 1)))
    assert centre_of_mass(cone(whole))[2] == pytest.approx(0.25)
    opened = Mesh.of(whole.vertices, whole.faces[1:])
    assert centre_of_mass(cone(opened))[2] == pytest.approx(cone(opened).centroid[2])
