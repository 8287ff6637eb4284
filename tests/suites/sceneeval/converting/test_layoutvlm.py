"""Layouts of LayoutVLM: what numbers mean is told by them, and said."""

from __future__ import annotations

import math
from typing import Any

import foreign_scenes as foreign
import pytest

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converting import Converted, Given, Options, converter_of


def converted(layout: dict[str, Any], config: dict[str, Any] | None = None, **options: Any) -> Converted:  # noqa: ANN401
    beside = Given.of("config.json", foreign.text(foreign.layoutvlm_config() if config is None else config))
    given = Given.of("layout.json", foreign.text(layout))
    (found,) = converter_of("layoutvlm")(given, Options(companion=beside, **options))
    assert isinstance(found, Converted)
    return found


def objects(found: Converted) -> dict[str, dict[str, Any]]:
    return {one["id"]: one for one in found.scene["objects"]}


def said(found: Converted, kind: str) -> str:
    return "\n".join(str(loss) for loss in found.losses if loss.kind == kind)


def test_radians_are_recognised_by_the_numbers() -> None:
    layout = foreign.layoutvlm_layout()
    for place in layout.values():
        place["rotation"] = [0, 0, math.radians(place["rotation"][2])]
    found = converted(layout)
    assert objects(found) == objects(converted(foreign.layoutvlm_layout()))
    assert "angles are radians" in said(found, "assumed")


def test_angles_are_what_they_are_said_to_be() -> None:
    layout = {"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 2]}}
    assert objects(converted(layout, said={"angles": "degrees"}))["bed-0"]["yaw"] == 92
    assert objects(converted(layout))["bed-0"]["yaw"] == pytest.approx(90 + math.degrees(2) - 360, abs=1e-4)


def test_positions_of_undersides_are_recognised_by_what_stands_on_the_floor() -> None:
    layout = foreign.layoutvlm_layout()
    for place in layout.values():
        place["position"][2] = 0
    found = converted(layout)
    assert objects(found) == objects(converted(foreign.layoutvlm_layout()))
    assert "middles of undersides" in said(found, "assumed")
    sunk = objects(converted(layout, said={"position": "middle"}))
    assert sunk["bed-0"]["at"][2] == -0.3


def test_assets_that_face_another_way_are_turned_and_measured_so() -> None:
    found = objects(converted({"bed-0": {"position": [1, 2, 0.3], "rotation": 0}}, said={"front": "-y"}))
    assert (found["bed-0"]["yaw"], found["bed-0"]["size"]) == (0, [2.0, 1.6, 0.6])


def test_a_scale_makes_a_thing_larger() -> None:
    found = objects(converted({"bed-0": {"position": [1, 2, 0.6], "rotation": [0, 0, 0], "scale": 2}}))
    assert (found["bed-0"]["size"], found["bed-0"]["at"]) == ([3.2, 4.0, 1.2], [1.0, 2.0, 0.0])


def test_what_one_file_has_and_the_other_has_not_is_lost_by_name() -> None:
    layout = foreign.layoutvlm_layout(**{"vase-0": {"position": [1, 1, 1], "rotation": [0, 0, 0]}})
    del layout["chair-0"]
    found = said(converted(layout), "lost")
    assert "lost (1): objects whose size is not known, left out: vase-0" in found
    assert "lost (1): assets of the configuration that the layout has no place for: chair-0" in found
    assert "doors and windows: the form has none" in found


def test_entries_that_are_no_places_are_lost_by_name_and_a_missing_rotation_is_assumed() -> None:
    layout = foreign.layoutvlm_layout(cost=3.5, **{"vase-0": {"position": [1, 1, 1]}})
    found = converted(layout)
    assert "lost (1): entries without a position: cost" in said(found, "lost")
    assert "assumed (1): assets without a rotation have 0" in said(found, "assumed")


def test_a_layout_alone_is_refused_with_what_to_do() -> None:
    given = Given.of("layout.json", foreign.text(foreign.layoutvlm_layout()))
    with pytest.raises(FileProblem, match="a layout alone does not say") as refused:
        converter_of("layoutvlm")(given, Options())
    assert "--with" in refused.value.hint


@pytest.mark.parametrize(
    ("layout", "config", "message"),
    [
        ({"a": {"position": [1, 2], "rotation": 0}}, None, r"layout.json: object 'a': position"),
        ({"a": {"position": [1, 2, 1e99], "rotation": 0}}, None, "object 'a': position"),
        ({"a": {"position": [1, 2, 0], "rotation": "east"}}, None, "object 'a': rotation"),
        ({"a": {"position": [1, 2, 0], "rotation": 0, "scale": 0}}, None, "object 'a': scale"),
        ({"a": {"position": [1, 2, 0], "rotation": 0}}, {}, "config.json: boundary"),
        ({"a": {"position": [1, 2, 0], "rotation": 0}}, {"boundary": {"floor_vertices": [[0, 0]]}}, "floor_vertices"),
    ],
)
def test_what_is_wrong_is_said_with_object_and_field(
    layout: dict[str, Any], config: dict[str, Any] | None, message: str
) -> None:
    with pytest.raises(FileProblem, match=message):
        converted(layout, config)


@pytest.mark.parametrize("assumed", [{"angles": "grads"}, {"unit": "m"}])
def test_an_assumption_that_makes_no_sense_is_refused(assumed: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="--assume"):
        converted(foreign.layoutvlm_layout(), said=assumed)
