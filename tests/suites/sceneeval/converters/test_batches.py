"""Files and folders are converted, or a reason is given; and the same room in each form lands at the same places."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib.metadata import EntryPoint
from pathlib import Path
from random import Random
from typing import Any, Literal

import foreign_scenes as foreign
import numpy as np
import pytest
import trimesh
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import MeasuredScene
from tsgkit.suites.sceneeval import converters
from tsgkit.suites.sceneeval.converters.batches import MOST_SCENE_FILE_BYTES, OURS, text_of
from tsgkit.suites.sceneeval.converters.layoutgpt import layout_of
from tsgkit.suites.sceneeval.converters.shapes import MeshBox, box_of_mesh, crosses_itself, ring, size_of
from tsgkit.suites.sceneeval.converters.source import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.assets import Asset, FolderSource, sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.simple import read_simple

VALUES: dict[str, Any] = {
    "holodeck": foreign.holodeck(),
    "layoutvlm": foreign.layoutvlm_layout(),
    "layoutgpt": [foreign.layoutgpt_record("room")],
    "atiss": [foreign.atiss_record("room")],
    "hsm": foreign.hsm_state(),
    "hsm alone": foreign.hsm_summary(),
    "idesign": foreign.idesign(),
    "sceneweaver": foreign.sceneweaver(),
    "boxes": foreign.boxes(),
    "3d-front": foreign.front3d(),
    "css": foreign.LAYOUTGPT,
}
"""The bedroom in each form."""
COMPANIONS = {
    "layoutvlm": converters.SourceFile.of("config.json", json.dumps(foreign.layoutvlm_config())),
    "hsm": converters.SourceFile.of("hsm_scene_state.json", json.dumps(foreign.hsm_summary())),
    "boxes": converters.SourceFile.of("dataset_stats.json", json.dumps(foreign.STATS)),
}
SIZES = room_sizes_of(json.dumps({"room": foreign.CORNERS}), "sizes.json")
SCRAPS = (
    *("bed ", "{", "}", "length: ", "left:", "1.5m", "px", ";", "\n", "90 degrees", "max length 3m, ", "max width 4px"),
    *("orientation:", "-", "1e9", "?", ", ", "height:0.5m;"),
)
HIGH = ("holodeck", "layoutvlm", "hsm", "idesign", "3d-front")
"""Forms that say how high their walls are."""
FRONTS = {"bed": [0, -1, 0], "nightstand": [0, -1, 0], "chair": [-1, 0, 0]}
MESHES: dict[str, tuple[str, Callable[[float], tuple[float, ...]]]] = {
    "holodeck": ("objathor", lambda high: (0, 0, 0)),
    "layoutvlm": ("layoutvlm_objathor", lambda high: (5, 3, 1)),
    "3d-front": ("threed_future", lambda high: (0, high / 4, 0)),
}
"""Forms of states with the layout of their meshes, and where the middles of these are: LayoutVLM moves them to their
places, and 3D-FRONT stands them up, twice as high."""


def ids(folder: Path, batch: converters.ConversionSettings | None = None) -> tuple[dict[str, str], list[str]]:
    """Return the file of each scene, and what went wrong."""
    outcomes = list(
        converters.convert_each(converters.tree_of(folder).entries, batch or converters.ConversionSettings())
    )
    made = {scene.id: one.entry.name for one in outcomes for scene in one.scenes}
    return made, [str(failure) for one in outcomes for failure in one.failures]


def test_a_form_is_recognised_by_the_content_and_refused_by_all_others(tmp_path: Path) -> None:
    for form, value in VALUES.items():
        text, name = value if isinstance(value, str) else json.dumps(value), form.split()[0]
        assert converters.recognised(converters.SourceFile.of("x", text)).name == name.replace("css", "layoutgpt"), form
    for text in ("", "{}", "[]", "7", '{"rooms": []}', '{"a": {"position": 1}}', "a { b }"):
        with refuses(FileProblem, "its form is unknown", text):
            converters.recognised(converters.SourceFile.of("x", text))
    with pytest.raises(FileProblem, match="tsgkit/room already"):
        converters.recognised(converters.SourceFile.of("x.json", '{"format": "tsgkit/room"}'))
    for form in converters.known_converters():
        with refuses(FileProblem, f"this is not {form}", form):
            foreign.each_of(form, '{"format": "other"}')
    (tmp_path / "x.json").write_text(json.dumps(VALUES["holodeck"]))
    with pytest.raises(FileProblem, match="this is not layoutgpt") as refused:
        converters.convert_file(tmp_path / "x.json", converters.ConversionSettings(form="layoutgpt"))
    assert refused.value.hint == "it looks like holodeck"
    with pytest.raises(UsageError, match="--room-sizes: files of holodeck hold their own"):
        converters.convert_file(
            tmp_path / "x.json", converters.ConversionSettings(converters.ConversionOptions(room_sizes=SIZES))
        )


def test_converters_of_other_packages_join_and_may_make_a_file_ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = replace(converters.converter_of("atiss"), name="mine", fits=lambda given: isinstance(given.value, list))
    monkeypatch.setattr(EntryPoint, "load", lambda _: mine)
    point = EntryPoint("mine", "somewhere:MINE", "tsgkit.scene_converters")
    found = "tsgkit.suites.sceneeval.converters.batches.entry_points_by_name"
    monkeypatch.setattr(found, lambda: {"mine": point})
    assert converters.known_converters() == (*OURS, "mine")
    assert converters.recognised(converters.SourceFile.of("x.json", '["bed"]')).name == "mine"
    with pytest.raises(FileProblem, match="may be one of layoutgpt, mine"):
        converters.recognised(converters.SourceFile.of("x.json", '[{"object_list": []}]'))


def test_a_fault_is_named_with_object_and_field() -> None:
    far, good = {"position": {"x": 1e99}}, {"position": [1, 2, 0], "rotation": 0}
    piece = {"new_object_id": "a", "position": foreign.corner(1, 1, 1)}
    state = foreign.hsm_state()["scene"]
    arch, many = {"elements": [{"type": "Floor", "points": [[0, 0, 0]]}]}, foreign.holodeck()["objects"][:1] * 5001
    short = [{"id": "0", "index": 0, "modelId": "fpModel.m", "transform": {"data": [1.0] * 15}}]
    rows: list[tuple[str, object, str]] = [
        ("holodeck", foreign.holodeck(objects=[{"id": "bed"}]), "object bed: position: Field required"),
        ("holodeck", foreign.holodeck(objects=many, floor_objects=[]), "5,001 objects, and 5,000 are read at most"),
        ("holodeck", foreign.holodeck(wall_height=-1), "wall_height"),
        ("layoutvlm", {"a": {**good, "position": [1, 2, 1e99]}}, "object 'a': position"),
        ("layoutgpt", [{"query_id": "8", "object_list": 7}], "object_list"),
        ("atiss", {**foreign.atiss_record(), "centroid": [1, 1e99]}, "centroid"),
        ("hsm", {"format": "sceneState", "scene": {"object": short}}, "object 0: transform: data"),
        ("hsm", {"format": "sceneState", "scene": state | {"arch": arch}}, "architecture element 0: points: a floor"),
        ("hsm", foreign.hsm_summary(scene_objects=[{"name": "bed"}]), "object bed: position: Field required"),
        ("idesign", foreign.idesign({**piece, **far}), "object a: position: x"),
        ("idesign", foreign.idesign({**piece, "size_in_meters": {"length": 1}}), "object a: size_in_meters: width: F"),
        ("idesign", foreign.idesign({"position": {}}), "object number 9: new_object_id"),
    ]
    for form, value, said in rows:
        with refuses(FileProblem, f"x.json: {said}", (form, said)):
            foreign.converted(form, value, "x.json", companion=COMPANIONS.get(form))
    for form, value, said in (
        ("layoutvlm", {}, "c.json: boundary"),
        ("layoutvlm", {"boundary": {"floor_vertices": [[0, 0]]}}, "floor_vertices"),
        ("hsm", {}, "c.json: scene_objects"),
    ):
        with refuses(FileProblem, said, (form, said)):
            foreign.converted(form, VALUES[form], companion=converters.SourceFile.of("c.json", json.dumps(value)))
    for form in ("layoutgpt", "atiss"):
        with refuses(UsageError, f"files of {form} name no meshes", form):
            foreign.converted(form, VALUES[form], to="state")


def test_a_folder_is_converted_with_ids_from_names_or_records_and_no_ambiguous_companion(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text("{")
    (tmp_path / "2.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "3.json").write_text("[" * 100_000)
    for name in ("a_den_4", "house_4"):
        (tmp_path / f"{name}.json").write_text(json.dumps(foreign.holodeck()))
    (tmp_path / "a cosy den.txt").write_text(foreign.LAYOUTGPT)
    (tmp_path / "many.json").write_text(json.dumps([foreign.layoutgpt_record("8"), foreign.layoutgpt_record("9")]))
    (tmp_path / "empty").mkdir()
    made, failed = ids(tmp_path)
    assert made == {"a_cosy_den": "a cosy den.txt", "4": "a_den_4.json", "8": "many.json", "9": "many.json"}
    assert [one.split(":")[0].rsplit("/")[-1] for one in failed] == ["0.json", "2.txt", "3.json", "house_4.json"]
    assert "scene 4 is made of a_den_4.json already" in failed[-1]
    (tmp_path / "layout.json").write_text(json.dumps(foreign.layoutvlm_layout()))
    (tmp_path / "hsm_scene_state.json").write_text(json.dumps(foreign.hsm_summary()))
    for names in ((), ("config0", "config1")):
        for name in names:
            (tmp_path / f"{name}.json").write_text(json.dumps(foreign.layoutvlm_config()))
        with refuses(FileProblem, "a layout alone", names):
            converters.convert_file(tmp_path / "layout.json", converters.ConversionSettings())


def test_ids_that_are_no_plain_names_large_files_and_pipes_are_refused(tmp_path: Path) -> None:
    for query in ("../../x", "a/b", "..", "a b\n", "x" * 300):
        (tmp_path / "0.json").write_text(json.dumps([foreign.layoutgpt_record(query)]))
        made, failed = ids(tmp_path)
        assert made == {}, query
        assert "cannot be a file name" in failed[0], query
    (tmp_path / "0.json").unlink()
    with pytest.raises(UsageError, match="no file in it ends in"):
        converters.tree_of(tmp_path)
    (tmp_path / "0.json").touch()
    os.truncate(tmp_path / "0.json", MOST_SCENE_FILE_BYTES + 1)
    os.mkfifo(tmp_path / "1.json")
    for name, said in (("0.json", "are read at most"), ("1.json", "a device or a pipe")):
        with refuses(FileProblem, said, name):
            converters.convert_file(tmp_path / name, converters.ConversionSettings())


def test_runs_of_a_tree_have_configurations_by_name_and_ids_of_a_table(tmp_path: Path) -> None:
    for run in ("bedroom_0", "kitchens/run_0", "office_0"):
        (tmp_path / "made" / run / "group_0").mkdir(parents=True)
        (tmp_path / "made" / run / "group_0" / "prompt.txt").write_text("place {all} assets")
        text = "{}" if run == "office_0" else json.dumps(foreign.layoutvlm_layout())
        (tmp_path / "made" / run / "layout.json").write_text(text)
    (tmp_path / "tasks").mkdir()
    for place in ("made/bedroom_0/scene.json", "tasks/run_0.json"):
        (tmp_path / place).write_text(json.dumps(foreign.layoutvlm_config()))
    assert len(converters.tree_of(tmp_path / "made").passed_over) == 3, "what only lies in the folders of runs"
    empty, twice = "office_0/layout.json: its form is unknown", "run_0/layout.json: scene 0 is made of bedroom_0"
    for rows, ids_made, failures in (
        ("", ["0"], [twice, empty]),
        ("bedroom_0,7\nkitchens/run_0,8\noffice_0,9", ["7", "8"], [empty]),
        ("bedroom_0,7\ndesk_1,8", ["7"], ["run_0/layout.json: ids.csv has no row", empty, "no scene is named desk_1"]),
    ):
        table = converters.SceneIds.of(f"name,id\n{rows}\n", "ids.csv") if rows else None
        made, failed = ids(tmp_path / "made", converters.ConversionSettings(beside=tmp_path / "tasks", ids=table))
        assert list(made) == ids_made, rows
        assert [part in said for part, said in zip(failures, failed, strict=True)] == [True] * len(failures), failed
    (tmp_path / "tasks" / "run_0.json").unlink()
    _, failed = ids(tmp_path / "made", converters.ConversionSettings(beside=tmp_path / "tasks"))
    assert "tasks: no file in it is named after kitchens/run_0/layout.json" in failed[0]
    for text, said in (
        ("run,id\na,1\n", "line 1: expected the columns name,id, found 'run,id'"),
        ("name,id\na,1\nb,1\n", "two names have the id 1"),
        ("name,id\na,1\na,2\n", "line 3: the name 'a' has a row already"),
        ("name,id\na\n", "line 2: expected a name and an id, found 'a'"),
        ("name,id\na,../b\n", "line 2: id: '../b' cannot be a file name"),
        ('name,id\n"a', "line 2: unexpected end of data"),
    ):
        with refuses(FileProblem, rf"^ids\.csv: {re.escape(said)}", text):
            converters.SceneIds.of(text, "ids.csv")


def test_a_room_is_found_by_its_whole_or_short_id_and_a_wrong_table_is_named() -> None:
    for text in (
        "id,shorter_side\n0a1b_Bedroom-803,3.2\n",
        "id, length, width\nBedroom-803,4.0,3.2\n\n",
        '{"Bedroom-803": 3.2}',
        '{"0a1b_Bedroom-803": [4, 3.2]}',
        '{"Bedroom-803": {"corners": [[1, 1], [5, 1], [5, 4.2], [1, 4.2]]}}',
    ):
        found = [room_sizes_of(text, "sizes").of(record) for record in ("0a1b_Bedroom-803", "Bedroom-803")]
        assert [one and one.shorter for one in found] == pytest.approx([3.2, 3.2]), text
    sizes = room_sizes_of('{"a_Bedroom-1": 3, "b_Bedroom-1": 4}', "sizes")
    assert sizes.of("Bedroom-1") is None, "of several rooms"
    assert [size.shorter for name in ("a", "b") if (size := sizes.of(f"{name}_Bedroom-1"))] == [3, 4]
    for text, said in (
        ("room,size\n", "line 1: expected id,shorter_side or id,length,width, found 'room,size'"),
        ("id,shorter_side\n", "no sizes of rooms in it"),
        ("id,shorter_side\na,3\na,4\n", "line 3: the id is there twice"),
        ("id,shorter_side\na,nan\n", "line 2: nan is no size"),
        ('{"a": {"corners": [[0, 0], [1, 1], [2, 2]]}}', "is no size"),
    ):
        with refuses(FileProblem, rf"^sizes\.csv: .*{re.escape(said)}", text):
            room_sizes_of(text, "sizes.csv")


def outcome_of(name: str, text: str, to: Literal["room", "state"] = "room", **more: Any) -> str:  # noqa: ANN401
    """Return what is made of a text and what is lost, all of which can be read; empty for an error in words."""
    options = {"companion": COMPANIONS.get(name), "room_sizes": SIZES if name == "atiss" else None, **more}
    try:
        made = foreign.each_of(name, text, "x.json", to=to, **options)
    except UsageError as error:
        assert str(error)
        return ""
    scenes = [one for one in made if isinstance(one, converters.Converted)]
    for one in scenes if to == "room" else []:
        read_simple(text_of(one.scene), "x.json", Path())
    return "\n".join(text_of(one.scene) + "\n".join(map(str, one.losses)) for one in scenes)


def assumed(random: Random, name: str) -> dict[str, str]:
    """Return one of the assumptions of a form, or none."""
    known = converters.converter_of(name).assumptions
    if (one := random.choice([*known, None])) is None:
        return {}
    return {one.name: "4mx300cm" if one.choices is None else random.choice(one.choices or ("3.2",))}


def test_spoilt_files_are_converted_or_refused_the_same_in_every_version() -> None:
    outcomes, random = sha256(), Random(7)
    for number in range(100):
        name = random.choice(converters.known_converters())
        said = assumed(random, name)
        found = [outcome_of(name, json.dumps(VALUES[name]), assumed=said)]
        found.append(
            outcome_of(name, foreign.spoilt(random, VALUES[name]), "room" if number % 3 else "state", assumed=said)
        )
        found.append(outcome_of("hsm", foreign.spoilt(random, VALUES["hsm alone"])))
        for form, companion in COMPANIONS.items():
            beside = converters.SourceFile.of("c.json", foreign.spoilt(random, companion.value))
            found.append(outcome_of(form, json.dumps(VALUES[form]), companion=beside))
        text = "".join(random.choices(SCRAPS, k=number % 40))
        layout = layout_of(text)
        assert len(layout.rules) + layout.unread == text.count("{"), text
        found.append(outcome_of("layoutgpt", foreign.LAYOUTGPT + text, assumed=assumed(random, "layoutgpt")))
        outcomes.update("\n".join(found).encode("utf-8", "backslashreplace"))
    assert outcomes.hexdigest()[:16] == "25f74ac5d57d3929", "see that the change is meant, and write it down"


def given_form(form: str, folder: Path) -> Path:
    """Return the file of the bedroom in a form."""
    value, path = VALUES[form], folder / "given" / "room.json"
    path.parent.mkdir()
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    if form in COMPANIONS:
        path.with_name(COMPANIONS[form].name).write_text(json.dumps(COMPANIONS[form].value))
    return path


def meshes_of(form: str, folder: Path) -> tuple[FolderSource, ...]:
    """Write the meshes of a form, and return their source."""
    layout, middle = MESHES[form]
    name, squeezed = ("raw_model.obj", 2) if form == "3d-front" else ("{}.glb", 1)
    for number, (wide, deep, high) in enumerate(foreign.SIZES.values()):
        mesh = trimesh.creation.box((wide, high / squeezed, deep))
        mesh.apply_translation(middle(high))
        (folder / f"asset{number}").mkdir()
        mesh.export(folder / f"asset{number}" / name.format(f"asset{number}"))
    return sources_of([f"{layout}={folder}"])


def stage_of(path: Path, folder: Path, **options: Any) -> MeasuredScene:  # noqa: ANN401
    if '"centroid"' in path.read_text():
        options["room_sizes"] = SIZES
    outcome = converters.convert_file(path, converters.ConversionSettings(converters.ConversionOptions(**options)))
    converters.write_scene(folder / "scene_0.json", outcome.scenes[0].scene, path)
    return MeasuredScene(read_scene(folder / "scene_0.json", options.get("sources", ())).scene)


@pytest.mark.parametrize("form", VALUES)
def test_the_room_is_the_same_in_each_form(form: str, tmp_path: Path) -> None:
    path = given_form(form, tmp_path)
    if form == "3d-front":
        with pytest.raises(
            FileProblem, match="none of its 3 objects can be placed, as their sizes are not known"
        ) as caught:
            converters.convert_file(path, converters.ConversionSettings())
        assert caught.value.hint == "sizes come from the meshes: --assets threed_future=DIR"
    stage = stage_of(path, tmp_path, sources=meshes_of(form, tmp_path) if form == "3d-front" else ())
    for name in foreign.SIZES:
        body = next(one for key, one in stage.bodies.items() if name in key.lower())
        wide, deep, high = foreign.SIZES[name]
        if FRONTS[name][0]:
            wide, deep = deep, wide
        x, y, z = foreign.PLACES[name]
        assert body.low.tolist() == pytest.approx([x - wide / 2, y - deep / 2, z], abs=1e-5), name
        assert body.high.tolist() == pytest.approx([x + wide / 2, y + deep / 2, z + high], abs=1e-5), name
        assert body.frame.front.round(5).tolist() == FRONTS[name], name
    assert stage.scene.architecture is not None
    (floor,) = stage.scene.architecture.floors
    assert {point[:2] for point in floor.points} == {(0, 0), (4, 0), (4, 3), (0, 3)}
    heights = [wall.height for wall in stage.scene.architecture.walls]
    assert heights == [2.7 if form in HIGH else 2.5 if "hsm" in form else 2.6] * 4


def test_arrays_are_read_from_npz_unless_they_are_pickled_or_not_in_metres(tmp_path: Path) -> None:
    path = tmp_path / "boxes.npz"
    arrays: dict[str, Any] = {name: np.array(value) for name, value in foreign.boxes().items()}
    (tmp_path / "dataset_stats.txt").write_text(COMPANIONS["boxes"].text)
    batch, save = converters.ConversionSettings(), partial[Any](np.savez, path)
    save(**arrays, scene_uid="0a1b_Bedroom-7")
    (scene,) = converters.convert_file(path, batch).scenes
    assert (scene.id, len(scene.scene["objects"]), len(scene.scene["walls"])) == ("0a1b_Bedroom-7", 3, 4)
    save(**dict[str, Any]((name, np.stack([arrays[name]] * 2)) for name in list(arrays)[:4]))
    assert [one.id for one in converters.convert_file(path, batch).scenes] == ["0", "1"]
    for broken, said in (
        ({"sizes": -arrays["sizes"]}, "sizes: bed has a side of -1"),
        ({"sizes": arrays["sizes"][:2]}, "of different lengths"),
        ({"angles": np.zeros((4, 2))}, "angles: 0"),
        ({"jids": np.array(["a", None], dtype=object)}, "pickled, and a pickle can run any code"),
    ):
        save(**arrays | broken)
        with refuses(FileProblem, said, said):
            converters.convert_file(path, batch)
    save(**arrays)
    (tmp_path / "dataset_stats.txt").unlink()
    with pytest.raises(FileProblem, match="numbers of classes without their names"):
        converters.convert_file(path, batch)


@pytest.mark.parametrize("form", MESHES)
def test_a_state_puts_meshes_where_boxes_are(form: str, tmp_path: Path) -> None:
    sources, path = meshes_of(form, tmp_path), given_form(form, tmp_path)
    (tmp_path / "room").mkdir()
    state = stage_of(path, tmp_path, to="state", sources=sources)
    room = stage_of(path, tmp_path / "room", sources=sources if form == "3d-front" else ())
    for one, other in zip(state.bodies.values(), room.bodies.values(), strict=True):
        assert np.allclose([one.low, one.high], [other.low, other.high], atol=1e-4), one.id
        assert one.frame.front.tolist() == pytest.approx(other.frame.front.tolist(), abs=1e-6)
    architecture = [one.scene.architecture for one in (state, room)]
    assert [len(one.walls) for one in architecture if one] == [4, 4]
    assert (len(state.bodies), len(state.doors)) == (3, len(room.doors))


def test_an_outline_is_mended_and_a_mesh_has_a_box_unless_it_is_missing_or_flat(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    square = ((0, 0), (4, 0), (4, 3), (0, 3))
    for corners, outline in (
        *((corners, square) for corners in (square[::-1], (*square, (0, 0)), (*square, (0, 0.001)))),
        ((*square, (0, 0.002)), (*square, (0, 0.002))),
        ((), ()),
    ):
        assert ring(corners) == outline, corners
    bow = ((0, 0), (2, 2), (2, 0), (0, 2))
    for most, crossing in ((4, True), (3, False)):
        monkeypatch.setattr(converters.shapes, "MOST_COMPARED", most)
        assert crosses_itself(bow) is crossing, "an outline of too many corners is not looked at"
    asset = Asset(tmp_path / "x.obj", "lamp", "")
    assert box_of_mesh(asset, "room") is None
    asset.mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 4\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    assert box_of_mesh(asset, "room") == MeshBox((1, 4, 2), (0.5, 1, 2)), "y is up in the file"
    assert size_of(asset, "room") == (1, 4, 2)
    assert size_of(asset._replace(box=(3, 3, 3)), "room") == (3, 3, 3), "the source itself is believed first"
    asset.mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n")
    assert (box_of_mesh(asset, "room"), size_of(asset, "room")) == (None, None)
    asset.mesh.write_text("f 1 2 3\n")
    with pytest.raises(FileProblem, match=r"^room: mesh: "):
        box_of_mesh(asset, "room")
