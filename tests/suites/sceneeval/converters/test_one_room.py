"""The same room, in each form, lands at the same places, with the same sizes and fronts."""

from __future__ import annotations

import json
from pathlib import Path

import foreign_scenes as foreign
import pytest

from tsgkit.geometry import MeasuredScene, collisions, out_of_bounds, relation_of_objects, relation_to_room
from tsgkit.suites.sceneeval.converters import Batch, Options, convert_file, write_scene
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.assets import sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene

FORMS = ("holodeck", "layoutvlm", "layoutgpt", "records", "atiss", "hsm", "hsm alone", "idesign")
HIGH = ("holodeck", "layoutvlm", "hsm", "idesign")
"""Forms that say how high their walls are."""
FRONTS = {"bed": [0, -1, 0], "nightstand": [0, -1, 0], "chair": [-1, 0, 0]}


def given(form: str, folder: Path) -> Path:
    """Return the file of the bedroom in a form."""
    path = folder / "given" / "room.json"
    path.parent.mkdir()
    texts = {
        "holodeck": foreign.text(foreign.holodeck()),
        "layoutvlm": foreign.text(foreign.layoutvlm_layout()),
        "layoutgpt": foreign.LAYOUTGPT,
        "records": foreign.text([foreign.layoutgpt_record("room")]),
        "atiss": foreign.text([foreign.atiss_record("room")]),
        "hsm": foreign.text(foreign.hsm_state()),
        "hsm alone": foreign.text(foreign.hsm_summary()),
        "idesign": foreign.text(foreign.idesign()),
    }
    path = path.with_suffix(".txt") if form == "layoutgpt" else path
    path.write_text(texts[form])
    if form == "layoutvlm":
        path.with_name("config.json").write_text(foreign.text(foreign.layoutvlm_config()))
    if form == "hsm":
        path.with_name("hsm_scene_state.json").write_text(foreign.text(foreign.hsm_summary()))
    return path


def stage_of(path: Path, folder: Path, **options: object) -> MeasuredScene:
    if '"centroid"' in path.read_text():
        options["room_sizes"] = room_sizes_of(json.dumps({"room": foreign.CORNERS}), "sizes.json")
    outcome = convert_file(path, Batch(Options(**options)))  # type: ignore[arg-type]
    write_scene(folder / "scene_0.json", outcome.scenes[0].scene, path)
    return MeasuredScene(read_scene(folder / "scene_0.json", options.get("sources", ())).scene)  # type: ignore[arg-type]


def named(stage: MeasuredScene) -> dict[str, str]:
    """Return the ids of the things by what they are."""
    return {name: next(one for one in stage.bodies if name in one) for name in foreign.SIZES}


@pytest.mark.parametrize("form", FORMS)
def test_the_room_is_the_same_in_each_form(form: str, tmp_path: Path) -> None:
    stage = stage_of(given(form, tmp_path), tmp_path)
    ids = named(stage)
    for name, key in ids.items():
        body = stage.bodies[key]
        wide, deep, high = foreign.SIZES[name]
        if FRONTS[name][0]:
            wide, deep = deep, wide
        x, y, z = foreign.PLACES[name]
        assert body.low.tolist() == pytest.approx([x - wide / 2, y - deep / 2, z], abs=1e-5), name
        assert body.high.tolist() == pytest.approx([x + wide / 2, y + deep / 2, z + high], abs=1e-5), name
        assert body.frame.front.round(5).tolist() == FRONTS[name], name
    sides = {
        side: relation_of_objects(stage, "side_of", ids["bed"], [ids[other]], side).satisfied
        for other, of_it in (("nightstand", ("left", "right")), ("chair", ("front", "back")))
        for side in of_it
    }
    assert sides == {"left": False, "right": True, "front": True, "back": False}
    assert relation_to_room(stage, "against_wall", ids["bed"]).satisfied
    assert (collisions(stage).in_collision, out_of_bounds(stage).out) == ((), ())
    assert stage.scene.architecture is not None
    (floor,) = stage.scene.architecture.floors
    assert {point[:2] for point in floor.points} == {(0, 0), (4, 0), (4, 3), (0, 3)}
    heights = [wall.height for wall in stage.scene.architecture.walls]
    assert heights == [2.7 if form in HIGH else 2.5 if "hsm" in form else 2.6] * 4


def test_a_door_and_a_window_lie_where_they_are(tmp_path: Path) -> None:
    stage = stage_of(given("holodeck", tmp_path), tmp_path)
    (door,), (window,) = stage.doors, stage.windows
    assert door.frame.centre.round(4).tolist() == pytest.approx([3.0, 0.0, 1.05], abs=1e-3)
    assert door.frame.front.round(5).tolist() == [0, 1, 0]
    assert window.frame.centre.round(4).tolist() == pytest.approx([0.0, 1.6, 1.4], abs=1e-3)


@pytest.mark.parametrize(
    ("form", "layout", "lift"), [("holodeck", "objathor", 0.0), ("layoutvlm", "layoutvlm_objathor", 0.5)]
)
def test_a_state_puts_meshes_where_a_room_puts_boxes(form: str, layout: str, lift: float, tmp_path: Path) -> None:
    import trimesh

    for number, (wide, deep, high) in enumerate(foreign.SIZES.values()):
        mesh = trimesh.creation.box((wide, high, deep))
        mesh.apply_translation((0, lift * high, 0))
        (tmp_path / f"asset{number}").mkdir()
        (tmp_path / f"asset{number}" / f"asset{number}.glb").write_bytes(mesh.export(file_type="glb"))
    sources = sources_of([f"{layout}={tmp_path}"])
    path = given(form, tmp_path)
    (tmp_path / "room").mkdir()
    state = stage_of(path, tmp_path, to="state", sources=sources)
    room = stage_of(path, tmp_path / "room")
    assert len(state.bodies) == 3
    for one, other in zip(state.bodies.values(), room.bodies.values(), strict=True):
        assert one.low.tolist() == pytest.approx(other.low.tolist(), abs=1e-4)
        assert one.high.tolist() == pytest.approx(other.high.tolist(), abs=1e-4)
        assert one.frame.front.tolist() == pytest.approx(other.frame.front.tolist(), abs=1e-6)
    walls = [len(one.scene.architecture.walls) for one in (state, room) if one.scene.architecture]
    assert walls == [4, 4]
    assert len(state.doors) == len(room.doors)
