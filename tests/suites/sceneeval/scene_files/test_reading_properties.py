"""Readers of rooms either read or say what is wrong, whatever was done to a file; annotations survive both formats."""

from __future__ import annotations

import copy
import json
import string
import struct
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import FileProblem
from tsgkit.geometry import OFFICIAL, MeasuredScene
from tsgkit.geometry.gltf import chunks_of, written_glb
from tsgkit.suites.sceneeval.annotation_files import as_csv, as_json, read_annotations
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.scene_files.assets import Asset
from tsgkit.suites.sceneeval.scene_files.glb import read_glb
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.sceneeval.scene_files.simple import meshes_of, read_simple
from tsgkit.suites.sceneeval.scene_files.states import models_of, read_state

NOWHERE = Path("no", "such", "folder")
ODD: list[Any] = [
    None, True, 0, -1, 1.5, 1e308, -1e-300, float("nan"), float("inf"), 10**400, "", "x", "../x.obj", "#c04030", "a.b",
    "floor", "\udc80", "\ud800", "x" * 5000 + ".obj", [], {}, [0], [[]], [0, 0], [1, 2, 3], [1e308] * 16, {"mesh": 0},
]  # fmt: skip


class Boxes:
    """Assets whose meshes are not there, but whose boxes are known."""

    prefix = "a"

    def asset(self, asset_id: str, where: str) -> Asset:
        return Asset(NOWHERE / "x.obj", asset_id, "", None, (1.0, 1.0, 1.0))


STATE: Any = {
    "format": "sceneState",
    "scene": {
        "version": "scene@1.0.2",
        "object": [
            {"index": 0, "modelId": "a.bed", "transform": {"data": [1, 0, 0, 0, 0, 0, 1, 0, 0, -1, 0, 0, 2, 1, 0, 1]}}
        ],
        "arch": {
            "version": "arch@1.0.2",
            "elements": [
                {"type": "Floor", "roomId": "den", "points": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]]},
                {"type": "Wall", "id": "w1", "points": [[0, 0, 0], [4, 0, 0]], "height": 2.5,
                 "holes": [{"type": "Door", "box": {"min": [1, 0], "max": [2, 2]}}]},
            ],
        },
    },
}  # fmt: skip
SIMPLE: Any = {
    "format": "tsgkit/room",
    "note": "n",
    "rooms": [{"name": "den", "from": [0, 0], "to": [4, 3],
               "openings": [{"wall": "south", "kind": "door", "at": 0.5, "width": 0.9, "height": 2.0}]}],
    "floors": [{"room": "hall", "points": [[4, 0], [6, 0], [6, 3]]}],
    "walls": [{"name": "w", "from": [4, 0], "to": [6, 0], "openings": []}],
    "objects": [
        {"id": "bed_1", "category": "bed", "size": [1.6, 2, 0.5], "at": [2, 1.9, 0], "yaw": 90, "colour": "#aabbcc"},
        {"id": "lamp_1", "category": "lamp", "attributes": ["red"], "at": [3.5, 2.7, 0], "parts": [
            {"shape": "cylinder", "size": [0.05, 0.05, 1.2]}, {"shape": "cone", "size": [0.4, 0.4, 0.3]}]},
        {"id": "box_1", "category": "box", "mesh": "box.glb", "size": [1, 1, 1], "at": [0, 0, 0], "scale": 2},
    ],
}  # fmt: skip


@cache
def glb() -> tuple[Any, bytes]:
    import trimesh

    scene = trimesh.Scene()
    scene.add_geometry(trimesh.creation.box((2, 0.5, 1)), node_name="dining_table_2")
    scene.add_geometry(trimesh.creation.box((1, 1, 1)), node_name="box")
    text, binary = chunks_of(scene.export(file_type="glb"))  # type: ignore[no-untyped-call]
    content = json.loads(text)
    content["scenes"][0]["extras"] = {"rooms": SIMPLE["rooms"]}
    for node in content["nodes"]:
        node["extras"] = {"category": "box", "attributes": ["red"]}
    return content, binary


READERS: dict[str, tuple[Callable[[Any], LoadedScene], Callable[[], Any]]] = {
    "state": (lambda value: read_state(json.dumps(value), "x.json", {"a": Boxes()}, missing="box"), lambda: STATE),
    "simple": (lambda value: read_simple(json.dumps(value), "x.json", NOWHERE, missing="box"), lambda: SIMPLE),
    "glb": (lambda value: read_glb(written_glb(value, glb()[1]), "x.glb"), lambda: glb()[0]),
}


def spots(value: Any) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401
    """Yield every place of a JSON value: what holds it, and by which key."""
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from spots(value[key])


def mutated(data: st.DataObject, value: Any) -> Any:  # noqa: ANN401
    """Return the value with one to three places taken away, doubled, or with something odd in them."""
    value = copy.deepcopy(value)
    for _ in range(data.draw(st.integers(1, 3))):
        found = list(spots(value))
        if not found:
            break
        holder, key = data.draw(st.sampled_from(found))
        what = data.draw(st.sampled_from(["take", "double", "odd", "odd", "odd"]))
        if what == "take":
            del holder[key]
        elif what == "double" and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(data.draw(st.sampled_from(ODD)))
    return value


@pytest.mark.parametrize("form", READERS)
@given(data=st.data())
@settings(max_examples=60)
def test_a_mutated_room_is_read_or_refused_as_a_problem_of_its_file(form: str, data: st.DataObject) -> None:
    read, original = READERS[form]
    assert read(original()).scene.objects, "the file itself can be read"
    value = mutated(data, original())
    try:
        found = read(value)
    except FileProblem as error:
        assert error.message.startswith(("x.json", "x.glb"))
        return
    for stage in (MeasuredScene(found.scene), MeasuredScene(found.scene, OFFICIAL)):
        assert len(stage.bodies) + len(stage.unmeasured) >= len({thing.id for thing in found.scene.objects})
        assert all(str(problem) for problem in stage.problems)


@given(data=st.data())
@settings(max_examples=50)
def test_the_files_that_a_mutated_room_names_can_be_told_whatever_it_is(data: st.DataObject) -> None:
    for value in (mutated(data, STATE), mutated(data, SIMPLE)):
        text = json.dumps(value)
        assert meshes_of(text, "x.json", NOWHERE) == []
        assert all(len(one) == 2 for one in models_of(text, "x.json"))


@given(st.integers(0, 40), st.binary(max_size=8), st.integers(0, 10_000))
@settings(max_examples=50)
def test_a_damaged_glb_file_is_read_or_refused_as_a_problem_of_its_file(start: int, put: bytes, end: int) -> None:
    data = written_glb(*glb())
    data = data[:start] + put + data[start + len(put) : max(len(data) - end, start)]
    try:
        read_glb(data, "x.glb")
    except FileProblem as error:
        assert error.message.startswith("x.glb")


@given(st.text(max_size=60) | st.just("[" * 100_000) | st.just('{"format": ' * 100_000))
def test_any_text_is_read_or_refused_as_a_problem_of_its_file(text: str) -> None:
    with pytest.raises(FileProblem):
        read_simple(text, "x.json", NOWHERE)
    with pytest.raises(FileProblem):
        read_state(text, "x.json", {})
    with pytest.raises(FileProblem):
        read_glb(b"glTF" + struct.pack("<II", 2, 0) + text.encode("utf-8", "replace"), "x.glb")


names = st.text(string.ascii_lowercase + "_-'é", min_size=1, max_size=8).filter(lambda name: name.strip("_-'"))
quantities = st.builds("{},{}".format, st.sampled_from(["eq", "lt", "gt", "le", "ge"]), st.integers(0, 99))
letters = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff") | st.sampled_from("\r\n")


@st.composite
def described(draw: st.DrawFn) -> Annotation:
    known = draw(st.lists(names, min_size=2, max_size=4, unique=True))
    one = st.sampled_from(known)
    pairs = st.builds("{},{},{},{},{}".format, quantities, names, st.integers(-1, 1), one, one)
    return annotation_of(
        "0",
        draw(st.sampled_from(["easy", "medium", "hard"])),
        draw(st.text(letters, max_size=40).map(str.strip)),
        [f"{draw(quantities)},{name}" for name in known],
        draw(st.lists(st.builds("{},{},{}".format, quantities, one, names), max_size=3)),
        draw(st.lists(pairs, max_size=3)),
        draw(st.lists(st.builds("{},{},{},wall".format, quantities, names, one), max_size=3)),
    )


@settings(max_examples=50)
@given(st.lists(described(), min_size=1, max_size=3))
def test_annotations_are_the_same_after_either_format(drawn: list[Annotation]) -> None:
    made = [replace(one, item_id=str(number)) for number, one in enumerate(drawn)]
    from_csv, from_json = (read_annotations(write(made), "x").usable() for write in (as_csv, as_json))
    assert list(from_csv) == made
    assert as_csv(from_json) == as_csv(made)
    assert [one.specifications for one in from_json] == [one.specifications for one in made]
