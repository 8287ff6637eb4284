"""Files and folders: forms are recognised, bad files are named, nothing outside or there already is written."""

from __future__ import annotations

import os
from importlib.metadata import EntryPoint
from pathlib import Path

import foreign_scenes as foreign
import pytest
from refusals import refuses

from tsgkit.errors import FileProblem, UsageError
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
    recognised,
    write_scene,
)
from tsgkit.suites.sceneeval.converters.batches import MOST_BYTES
from tsgkit.suites.sceneeval.converters.room_sizes import room_sizes_of

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
    rows = [
        (foreign.text(foreign.holodeck()), "holodeck"),
        (foreign.text(foreign.layoutvlm_layout()), "layoutvlm"),
        (foreign.text([foreign.layoutgpt_record()]), "layoutgpt"),
        (foreign.LAYOUTGPT, "layoutgpt"),
        (foreign.text([foreign.atiss_record()]), "atiss"),
        (foreign.text(foreign.hsm_state()), "hsm"),
        (foreign.text(foreign.hsm_summary()), "hsm"),
        (foreign.text(foreign.idesign()), "idesign"),
    ]
    for text, form in rows:
        assert recognised(SourceFile.of("x", text)).name == form, text
    for text in ("", "{}", "[]", "null", "7", '{"rooms": []}', '{"a": {"position": 1}}', "a { b }"):
        with refuses(FileProblem, "its form is unknown", text):
            recognised(SourceFile.of("x", text))
    with pytest.raises(FileProblem, match="tsgkit/room already"):
        recognised(SourceFile.of("x.json", '{"format": "tsgkit/room"}'))
    for form in known_converters():
        with refuses(FileProblem, f"this is not {form}", form):
            converter_of(form)(SourceFile.of("x.json", '{"format": "other"}'), Options())
    (tmp_path / "x.json").write_text(rows[0][0])
    with pytest.raises(FileProblem, match="this is not layoutgpt") as refused:
        convert_file(tmp_path / "x.json", Batch(form="layoutgpt"))
    assert refused.value.hint == "it looks like holodeck"


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


def test_a_folder_is_converted_with_ids_from_names_and_records(tmp_path: Path) -> None:
    (tmp_path / "a_den_4.json").write_text(foreign.text(foreign.holodeck()))
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
    assert failed == []


def test_bad_files_are_named_and_the_others_go_on(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text("{")
    (tmp_path / "1.json").write_text(foreign.text(foreign.holodeck()))
    (tmp_path / "2.txt").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "3.json").write_text("[" * 100_000)
    (tmp_path / "house_1.json").write_text(foreign.text(foreign.holodeck()))
    made, failed = ids(tmp_path)
    assert made == {"1": "1.json"}
    assert [one.split(":")[0].rsplit("/")[-1] for one in failed] == ["0.json", "2.txt", "3.json", "house_1.json"]
    assert "scene 1 is made of 1.json already" in failed[-1]


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


def test_table_of_room_sizes_for_files_that_hold_their_own_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(foreign.text(foreign.holodeck()))
    sizes = room_sizes_of('{"Bedroom-7": 3}', "sizes.json")
    with pytest.raises(UsageError, match="--room-sizes: files of holodeck hold their own"):
        convert_file(tmp_path / "x.json", Batch(Options(room_sizes=sizes)))


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
