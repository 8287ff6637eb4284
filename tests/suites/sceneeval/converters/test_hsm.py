"""Scenes of HSM: matrices column by column, sizes from meshes or from the other file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import foreign_scenes as foreign
import pytest
from foreign_scenes import told
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
from tsgkit.suites.sceneeval.converters import (
    Batch,
    Converted,
    Options,
    SourceFile,
    convert_each,
    converter_of,
    entries_of,
)
from tsgkit.suites.sceneeval.scene_files.assets import FolderSource, sources_of

FIRST = [0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 1, 2, 0, 1]
SECOND = [-1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 2.5, 2, 0, 1]


def state(*matrices: Sequence[float], **arch: Any) -> dict[str, Any]:  # noqa: ANN401
    listed = [
        {"id": str(number), "modelId": f"fpModel.m{number}", "index": number, "transform": {"data": data}}
        for number, data in enumerate(matrices)
    ]
    return {"format": "sceneState", "scene": {"version": "scene@1.0.2", "object": listed, **arch}}


def meshes(folder: Path, size: tuple[float, float, float], middle: tuple[float, float, float]) -> tuple[FolderSource]:
    """Return a folder of HSSD with one mesh, of a width, height and depth."""
    import trimesh

    mesh = trimesh.creation.box(size)
    mesh.apply_translation(middle)
    (folder / "glb" / "m").mkdir(parents=True)
    for number in range(2):
        (folder / "glb" / "m" / f"m{number}.glb").write_bytes(mesh.export(file_type="glb"))
    (folder / "fpmodels.csv").write_text("id,wnsynsetkey,name,up,front\nm0,sofa.n.01,Arc,,\n")
    (source,) = sources_of([f"hssd={folder}"])
    return (source,)


def converted(value: dict[str, Any], **options: Any) -> Converted:  # noqa: ANN401
    return foreign.converted("hsm", value, "stk_scene_state.json", **options)


def test_worked_example_is_converted_number_by_number(tmp_path: Path) -> None:
    found = converted(state(FIRST, SECOND), sources=meshes(tmp_path, (2, 0.8, 1), (0, 0.4, 0)))
    one, other = found.scene["objects"]
    assert (one["at"], one["yaw"], one["size"], one["category"]) == ([1.0, 2.0, 0.0], 90.0, [2.0, 1.0, 0.8], "sofa")
    assert (other["at"], other["yaw"]) == ([2.5, 2.0, 0.0], 180.0)


def test_origin_that_is_not_under_the_mesh_is_measured(tmp_path: Path) -> None:
    found = converted(state(FIRST), sources=meshes(tmp_path, (2, 0.8, 1), (0.5, 0.3, 0.25)))
    assert found.scene["objects"][0]["at"] == [1.25, 2.5, -0.1]


def test_sizes_kinds_and_parents_come_from_the_other_file_and_openings_from_the_state() -> None:
    summary = foreign.hsm_summary()
    things = summary["scene_objects"]
    things[2] = {**things[2], "obj_type": "wall", "parent_name": None, "wall_id": "wall_1"}
    things[1] = {**things[1], "obj_type": "small", "parent_name": "bed_1"}
    companion = SourceFile.of("hsm_scene_state.json", foreign.text(summary))
    bed, nightstand, chair = converted(foreign.hsm_state(), companion=companion).scene["objects"]
    assert (bed["id"], bed["size"], bed["held_by"]) == ("bed_1", [1.6, 2.0, 0.6], "ground")
    assert (nightstand["held_by"], nightstand["parent"], chair["held_by"]) == ("object", "bed_1", "wall")
    alone = converter_of("hsm")(companion, Options())[0]
    assert isinstance(alone, Converted)
    assert [one["at"] for one in alone.scene["objects"]] == [one["at"] for one in (bed, nightstand, chair)]
    companion = SourceFile.of("hsm_scene_state.json", foreign.text(foreign.hsm_summary()))
    walls = converted(foreign.hsm_state(), companion=companion).scene["walls"]
    assert walls[0]["openings"] == [{"kind": "door", "at": 2.5, "width": 1.0, "height": 2.1, "sill": 0.0}]


def test_state_alone_asks_for_meshes_or_the_other_file() -> None:
    with pytest.raises(FileProblem, match="none of its 3 objects can be placed") as refused:
        converted(foreign.hsm_state())
    assert "--assets" in refused.value.hint


def test_object_of_the_other_file_at_another_place_is_not_taken(tmp_path: Path) -> None:
    summary = foreign.hsm_summary()
    summary["scene_objects"][0]["position"] = [3, 0, 1]
    found = converted(foreign.hsm_state(), companion=SourceFile.of("h.json", foreign.text(summary)))
    assert len(found.scene["objects"]) == 2
    assert "(its mesh is needed: --assets hssd=DIR, or hsm_scene_state.json: --with)" in told(found)


def test_tilted_object_is_boxed_upright_and_said(tmp_path: Path) -> None:
    tilted = [1, 0, 0, 0, 0, 0.6, 0.8, 0, 0, -0.8, 0.6, 0, 1, 2, 0, 1]
    found = converted(state(tilted), sources=meshes(tmp_path, (2, 0.8, 1), (0, 0.4, 0)))
    assert "tilts: boxes stand upright: sofa_1" in told(found)


def test_folder_with_both_files_is_one_scene_and_no_state(tmp_path: Path) -> None:
    (tmp_path / "run_7").mkdir()
    for name, value in (("stk", foreign.hsm_state()), ("hsm", foreign.hsm_summary())):
        (tmp_path / "run_7" / f"{name}_scene_state.json").write_text(foreign.text(value))
    (outcome,) = convert_each(entries_of(tmp_path), Batch())
    assert [(scene.id, scene.objects) for scene in outcome.scenes] == [("7", 3)]
    assert "the file that lies beside" in told(outcome.scenes[0])
    with pytest.raises(UsageError, match="scored as they are"):
        converted(foreign.hsm_state(), to="state")


def test_fault_is_named_with_object_and_field() -> None:
    rows: list[tuple[dict[str, Any], str]] = [
        (state([1.0] * 15), "object 0: transform: data"),
        (state(FIRST, arch={"elements": [{"type": "Floor", "points": [[0, 0, 0]]}]}), "a floor needs three corners"),
        (foreign.hsm_summary(scene_objects=[{"name": "bed"}]), "object bed: position: Field required"),
        (foreign.hsm_summary(scene_objects=7), "scene_objects"),
    ]
    for value, said in rows:
        with refuses(FileProblem, said, value):
            converted(value)
    with pytest.raises(FileProblem, match=r"c\.json: scene_objects"):
        converted(foreign.hsm_state(), companion=SourceFile.of("c.json", "{}"))
