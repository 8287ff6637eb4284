"""Files and folders are converted, or a reason is given; and the same room in each form lands at the same places."""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Literal

import foreign_scenes as foreign
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import MeasuredScene, collisions, out_of_bounds, relation_of_objects, relation_to_room
from tsgkit.suites.sceneeval.converters import (
    Batch,
    Converted,
    Converter,
    Options,
    SourceFile,
    convert_each,
    convert_file,
    converter_of,
    entries_of,
    known_converters,
    measurements,
    recognised,
    write_scene,
)
from tsgkit.suites.sceneeval.converters.batches import MOST_BYTES, text_of
from tsgkit.suites.sceneeval.converters.css import rules_of
from tsgkit.suites.sceneeval.converters.measurements import MeshBox, box_of_mesh, crosses_itself, ring, size_of
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of
from tsgkit.suites.sceneeval.scene_files.assets import Asset, sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.simple import read_simple

MINE = Converter(
    "mine",
    "lists of names",
    lambda given: isinstance(given.value, list),
    lambda given, options: (Converted("", {"format": "tsgkit/room", "objects": []}),),
)


def ids(folder: Path, batch: Batch | None = None) -> tuple[dict[str, str], list[str]]:
    """Return the file of each scene, and what went wrong."""
    outcomes = list(convert_each(entries_of(folder), batch or Batch()))
    made = {scene.id: one.entry.name for one in outcomes for scene in one.scenes}
    return made, [str(failure) for one in outcomes for failure in one.failures]


def test_a_form_is_recognised_by_the_content_and_refused_by_all_others(tmp_path: Path) -> None:
    for form, value in VALUES.items():
        text, name = value if isinstance(value, str) else foreign.text(value), form.split()[0]
        assert recognised(SourceFile.of("x", text)).name == ("layoutgpt" if name == "css" else name), form
    for text in ("", "{}", "[]", "null", "7", '{"rooms": []}', '{"a": {"position": 1}}', "a { b }"):
        with refuses(FileProblem, "its form is unknown", text):
            recognised(SourceFile.of("x", text))
    with pytest.raises(FileProblem, match="tsgkit/room already"):
        recognised(SourceFile.of("x.json", '{"format": "tsgkit/room"}'))
    for form in known_converters():
        with refuses(FileProblem, f"this is not {form}", form):
            converter_of(form)(SourceFile.of("x.json", '{"format": "other"}'), Options())
    (tmp_path / "x.json").write_text(foreign.text(VALUES["holodeck"]))
    with pytest.raises(FileProblem, match="this is not layoutgpt") as refused:
        convert_file(tmp_path / "x.json", Batch(form="layoutgpt"))
    assert refused.value.hint == "it looks like holodeck"
    with pytest.raises(UsageError, match="--room-sizes: files of holodeck hold their own"):
        convert_file(tmp_path / "x.json", Batch(Options(room_sizes=SIZES)))


def test_converters_of_other_packages_join_and_may_make_a_file_ambiguous(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("mine", f"{__name__}:MINE", "tsgkit.scene_converters")
    monkeypatch.setattr(EntryPoint, "load", lambda _: MINE)
    monkeypatch.setattr(
        "tsgkit.suites.sceneeval.converters.registry.entry_points",
        lambda name="mine", **_: [point] if name == "mine" else [],
    )
    assert known_converters() == ("holodeck", "layoutvlm", "layoutgpt", "atiss", "hsm", "idesign", "mine")
    assert recognised(SourceFile.of("x.json", '["bed"]')).name == "mine"
    with pytest.raises(FileProblem, match="may be one of layoutgpt, mine"):
        recognised(SourceFile.of("x.json", '[{"object_list": []}]'))


def test_a_folder_is_converted_with_ids_from_names_and_records_and_bad_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text("{")
    (tmp_path / "2.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "3.json").write_text("[" * 100_000)
    for name in ("a_den_4", "house_4"):
        (tmp_path / f"{name}.json").write_text(foreign.text(foreign.holodeck()))
    (tmp_path / "a cosy den.txt").write_text(foreign.LAYOUTGPT)
    (tmp_path / "many.json").write_text(foreign.text([foreign.layoutgpt_record("8"), foreign.layoutgpt_record("9")]))
    for number in (11, 12):
        (tmp_path / f"bed_{number}").mkdir()
        (tmp_path / f"bed_{number}" / "layout.json").write_text(foreign.text(foreign.layoutvlm_layout()))
        (tmp_path / f"bed_{number}" / "scene.json").write_text(foreign.text(foreign.layoutvlm_config()))
    (tmp_path / "empty").mkdir()
    made, failed = ids(tmp_path)
    named = {"a_cosy_den": "a cosy den.txt", "4": "a_den_4.json", "8": "many.json", "9": "many.json"}
    assert made == {**named, "11": "bed_11/layout.json", "12": "bed_12/layout.json"}
    assert [one.split(":")[0].rsplit("/")[-1] for one in failed] == ["0.json", "2.txt", "3.json", "house_4.json"]
    assert "scene 4 is made of a_den_4.json already" in failed[-1]


def test_an_id_that_is_no_plain_name_is_a_failure(tmp_path: Path) -> None:
    rows: list[str] = ["../../x", "a/b", "..", "a b\n", "x" * 300]
    for query in rows:
        (tmp_path / "0.json").write_text(foreign.text([foreign.layoutgpt_record(query)]))
        made, failed = ids(tmp_path)
        assert made == {}, query
        assert "cannot be a file name" in failed[0], query


def test_a_large_file_a_pipe_and_an_empty_folder_are_refused_unread(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no file in it ends in"):
        entries_of(tmp_path)
    with (tmp_path / "0.json").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(FileProblem, match="are read at most"):
        convert_file(tmp_path / "0.json", Batch())
    os.mkfifo(tmp_path / "1.json")
    with pytest.raises(FileProblem, match="a device or a pipe"):
        convert_file(tmp_path / "1.json", Batch())


def test_companions_of_the_same_names_are_found_in_their_folder(tmp_path: Path) -> None:
    for folder, value in (("made", foreign.layoutvlm_layout()), ("config", foreign.layoutvlm_config())):
        (tmp_path / folder).mkdir()
        for number in range(2):
            (tmp_path / folder / f"{number}.json").write_text(foreign.text(value))
    made, failed = ids(tmp_path / "made", Batch(beside=tmp_path / "config"))
    assert (list(made), failed) == (["0", "1"], [])
    (tmp_path / "config" / "1.json").unlink()
    made, failed = ids(tmp_path / "made", Batch(beside=tmp_path / "config"))
    assert (list(made), len(failed)) == (["0"], 1)


def test_companions_of_another_form_or_several_beside_a_layout_are_not_taken(tmp_path: Path) -> None:
    (tmp_path / "layout.json").write_text(foreign.text(foreign.layoutvlm_layout()))
    (tmp_path / "hsm_scene_state.json").write_text(foreign.text(foreign.hsm_summary()))
    for number in range(2):
        with refuses(FileProblem, "a layout alone", number):
            convert_file(tmp_path / "layout.json", Batch(Options()))
        for name in ("config0", "config1"):
            (tmp_path / f"{name}.json").write_text(foreign.text(foreign.layoutvlm_config()))


def test_a_scene_that_is_there_is_kept_unless_forced(tmp_path: Path) -> None:
    target, source = tmp_path / "out" / "scene_0.json", tmp_path / "x.json"
    source.write_text("{}")
    write_scene(target, {"format": "a"}, source)
    write_scene(target, {"format": "a"}, source)
    with pytest.raises(FileProblem, match="already here") as refused:
        write_scene(target, {"format": "b"}, source)
    assert "--force" in refused.value.hint
    write_scene(target, {"format": "b"}, source, force=True)
    assert '"b"' in target.read_text()
    with pytest.raises(FileProblem, match="the file being read"):
        write_scene(source, {"format": "b"}, source, force=True)


def test_record_finds_its_room_by_its_whole_or_its_short_id() -> None:
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


def test_table_that_is_wrong_is_named_with_its_place() -> None:
    for text, said in (
        ("", "line 1: expected id,shorter_side or id,length,width"),
        ("room,size\n", "line 1: expected id,shorter_side or id,length,width, found 'room,size'"),
        ("id,shorter_side\n", "no sizes of rooms in it"),
        ("id,shorter_side\na,wide\n", "line 2: 'wide' is no size of a room; expected a number of metres"),
        ("id,length,width\na,3\n", "line 2: '3' is no size of a room"),
        ("id,shorter_side\na,3\na,4\n", "line 3: the id is there twice"),
        ("id,shorter_side\na,-1\n", "line 2: -1.0 is no size"),
        ("id,shorter_side\na,nan\n", "line 2: nan is no size"),
        ("[1]", "expected a JSON object"),
        ('{"a": true}', "'a': True is no size"),
        ('{"a": [1, 2, 3]}', "is no size"),
        ('{"a": {"corners": [[0, 0], [1, 1], [2, 2]]}}', "is no size"),
        ('{"a": {"corners": [[0, 0], [1, "x"], [2, 0]]}}', "is no size"),
        ("{", "line 1: broken JSON"),
    ):
        with refuses(FileProblem, rf"^sizes\.csv: .*{re.escape(said)}", text):
            room_sizes_of(text, "sizes.csv")


VALUES: dict[str, Any] = {
    "holodeck": foreign.holodeck(),
    "layoutvlm": foreign.layoutvlm_layout(),
    "layoutgpt": [foreign.layoutgpt_record("room")],
    "atiss": [foreign.atiss_record("room")],
    "hsm": foreign.hsm_state(),
    "hsm alone": foreign.hsm_summary(),
    "idesign": foreign.idesign(),
    "css": foreign.LAYOUTGPT,
}
"""The bedroom in each form."""
COMPANIONS = {
    "layoutvlm": SourceFile.of("config.json", foreign.text(foreign.layoutvlm_config())),
    "hsm": SourceFile.of("hsm_scene_state.json", foreign.text(foreign.hsm_summary())),
}
SIZES = room_sizes_of(json.dumps({"room": foreign.CORNERS}), "sizes.json")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("xyz") | st.text(max_size=4), inner),
)
SCRAPS = st.sampled_from(
    ["bed ", "{", "}", "length: ", "left:", "1.5m", "px", ";", "\n", "90 degrees", "max length 3m, ", "max width 4px",
     "orientation:", "-", "1e9", "?", ", ", "height:0.5m;"]
)  # fmt: skip


def outcome_of(name: str, text: str, to: Literal["room", "state"] = "room", beside: SourceFile | None = None) -> None:
    """Convert a text: what comes out can be read, and nothing but an error in words is raised."""
    options = Options(to, companion=beside or COMPANIONS.get(name), room_sizes=SIZES if name == "atiss" else None)
    try:
        made = converter_of(name)(SourceFile.of("x.json", text), options)
    except UsageError as error:
        assert str(error)
        return
    for scene in made:
        if isinstance(scene, Converted) and to == "room":
            read_simple(text_of(scene.scene), "x.json", Path())


def places(value: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401
    """Return every container of a value with each of its keys."""
    keys = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    return [(value, key) for key in keys] + [place for key in keys for place in places(value[key])]


def spoilt(data: st.DataObject, value: Any) -> str:  # noqa: ANN401
    """Return a file with anything in one place."""
    value = json.loads(json.dumps(value))
    container, key = data.draw(st.sampled_from(places(value)))
    container[key] = data.draw(JSON)
    return json.dumps(value)


@settings(max_examples=100)
@given(st.data(), st.lists(SCRAPS | st.text(max_size=3), max_size=40).map("".join))
def test_any_text_and_a_good_file_with_anything_in_one_place_are_converted_or_refused(
    data: st.DataObject, text: str
) -> None:
    name = data.draw(st.sampled_from(known_converters()))
    outcome_of(name, spoilt(data, VALUES[name]), data.draw(st.sampled_from(["room", "state"])))
    outcome_of("hsm", spoilt(data, VALUES["hsm alone"]))
    for form, companion in COMPANIONS.items():
        beside = SourceFile.of("c.json", spoilt(data, companion.value))
        outcome_of(form, foreign.text(VALUES[form]), beside=beside)
    found = rules_of(text)
    assert len(found.rules) + found.unread == text.count("{")
    outcome_of("layoutgpt", text)


HIGH = ("holodeck", "layoutvlm", "hsm", "idesign")
"""Forms that say how high their walls are."""
FRONTS = {"bed": [0, -1, 0], "nightstand": [0, -1, 0], "chair": [-1, 0, 0]}


def given_form(form: str, folder: Path) -> Path:
    """Return the file of the bedroom in a form."""
    value, path = VALUES[form], folder / "given" / "room.json"
    path.parent.mkdir()
    path.write_text(value if isinstance(value, str) else foreign.text(value))
    if form in COMPANIONS:
        path.with_name(COMPANIONS[form].name).write_text(foreign.text(COMPANIONS[form].value))
    return path


def stage_of(path: Path, folder: Path, **options: Any) -> MeasuredScene:  # noqa: ANN401
    if '"centroid"' in path.read_text():
        options["room_sizes"] = SIZES
    outcome = convert_file(path, Batch(Options(**options)))
    write_scene(folder / "scene_0.json", outcome.scenes[0].scene, path)
    return MeasuredScene(read_scene(folder / "scene_0.json", options.get("sources", ())).scene)


@pytest.mark.parametrize("form", VALUES)
def test_the_room_is_the_same_in_each_form(form: str, tmp_path: Path) -> None:
    stage = stage_of(given_form(form, tmp_path), tmp_path)
    ids = {name: next(one for one in stage.bodies if name in one) for name in foreign.SIZES}
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
    if form == "holodeck":
        (door,), (window,) = stage.doors, stage.windows
        assert door.frame.centre.tolist() == pytest.approx([3.0, 0.0, 1.05], abs=1e-3)
        assert door.frame.front.round(5).tolist() == [0, 1, 0]
        assert window.frame.centre.tolist() == pytest.approx([0.0, 1.6, 1.4], abs=1e-3)


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
    path = given_form(form, tmp_path)
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


def test_an_outline_runs_against_the_clock_and_is_not_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    square = ((0, 0), (4, 0), (4, 3), (0, 3))
    for corners, outline in (
        (square, square),
        (square[::-1], square),
        ((*square, (0, 0)), square),
        ((*square, (0, 0.001)), square),
        ((*square, (0, 0.002)), (*square, (0, 0.002))),
        (((0, 0), (0, 0), *square[1:]), square),
        (((1, 1), (1, 1)), ((1, 1),)),
        ((), ()),
    ):
        assert ring(corners) == outline, corners
    bow = ((0, 0), (2, 2), (2, 0), (0, 2))
    for most, crossing in ((4, True), (3, False)):
        monkeypatch.setattr(measurements, "MOST_COMPARED", most)
        assert crosses_itself(bow) is crossing, "an outline of too many corners is not looked at"


def test_a_mesh_has_a_box_unless_it_is_missing_or_flat(tmp_path: Path) -> None:
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
