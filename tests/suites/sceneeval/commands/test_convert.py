"""Tests of the command ``tsgkit scene convert``."""

from __future__ import annotations

import json
from pathlib import Path

import foreign_scenes as foreign
import pytest

from tsgkit.cli import main
from tsgkit.suites.sceneeval.converters import converter_of, known_converters


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("house_1.json").write_text(foreign.text(foreign.holodeck(**{"evil\x1b[2J": 1})))
    Path("den.txt").write_text(foreign.LAYOUTGPT)
    Path("layout.json").write_text(foreign.text(foreign.layoutvlm_layout()))
    Path("made").mkdir()
    return tmp_path


def converted(*words: str) -> int:
    return main(["scene", "convert", *words])


def test_a_file_becomes_a_scene_and_every_kind_of_loss_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert converted("house_1.json") == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "house_1.json (holodeck) to rooms/scene_1.json: 3 objects"
    assert "  lost (3): meshes, replaced by their boxes" in said
    assert any(line.startswith("  ignored (2): fields of the scene: ") for line in said)
    assert "\x1b" not in "".join(said)
    assert len({line.split(":", 1)[1] for line in said}) == len(said)
    assert json.loads(Path("rooms/scene_1.json").read_text())["note"] == "a small bedroom"
    assert converted("den.txt", "--assume", "place=corner") == 0
    assumed = capsys.readouterr().out
    assert "left and top are of the corners of things (as said)" in assumed
    assert "(--assume depth)" in assumed


def test_a_folder_is_converted_with_a_failure_named_and_exit_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    Path("made/3.json").write_text(foreign.text(foreign.holodeck()))
    Path("made/4.json").write_text("{")
    for _ in range(2):
        assert converted("made", "-o", "made/out") == 1, "what it wrote itself is no source"
        told = capsys.readouterr()
        assert "1 scene converted (to: room), 1 failed" in told.out
        assert told.err.startswith("tsgkit: 4.json: line 1: broken JSON")
    assert [path.name for path in Path("made/out").iterdir()] == ["scene_3.json"]
    assert converted("made", "-o", "made/out", "--json") == 1
    value = json.loads(capsys.readouterr().out)
    assert [one["id"] for one in value["scenes"]] == ["3"]
    assert [one["file"] for one in value["failures"]] == ["4.json"]
    assert value["scenes"][0]["losses"][0]["kind"] == "lost"
    Path("many.json").write_text(foreign.text([foreign.layoutgpt_record(str(number)) for number in range(30)]))
    assert converted("many.json", "-o", "many") == 0
    assert "... and 10 more scenes" in capsys.readouterr().out
    assert len(list(Path("many").iterdir())) == 30


def test_convert_refuses_wrong_usage_and_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, said in (
        (["none.json"], "none.json: no such file"),
        (["house_1.json", "--from", "layoutgtp"], "layoutgpt?"),
        (["house_1.json", "--id", "../../x"], "cannot be a file name"),
        (["house_1.json", "--id", "1", "-o", "x.json"], "--id cannot be combined"),
        (["house_1.json", "-o", "house_1.json"], "the file being read"),
        (["house_1.json", "-o", "den.txt"], "not a folder"),
        (["house_1.json", "--assume", "angles"], "expected NAME=VALUE"),
        (["house_1.json", "--assume", "angles=degrees"], "holodeck has no such thing"),
        (["house_1.json", "--assume", "footprint-margin=wide"], "not a number"),
        (["house_1.json", "--assume", "a=1", "--assume", "a=2"], "given twice"),
        (["house_1.json", "--assets", "ikea=."], "there is no layout ikea"),
        (["den.txt", "--room-sizes", "sizes.csv"], "--room-sizes: sizes.csv does not have its room"),
        (["made", "--id", "7"], "--id needs a single scene"),
        (["made", "-o", "made"], "the output folder is the source folder"),
        (["house_1.json", "-o", "made"], "--force"),
        (["many.json", "--id", "7"], "the file has 2"),
        (["many.json", "-o", "x.json"], "several scenes cannot be written to one file"),
    ):
        (here / "many.json").write_text(foreign.text([foreign.layoutgpt_record(str(number)) for number in range(2)]))
        (here / "sizes.csv").write_text("id,shorter_side\n7,3.2\n")
        (here / "made/scene_1.json").write_text("mine")
        before = sorted(here.rglob("*"))
        assert converted(*words) == 2, words
        assert said in capsys.readouterr().err, words
        assert sorted(here.rglob("*")) == before, words


def test_a_layout_and_its_configuration_become_a_room_or_a_state(capsys: pytest.CaptureFixture[str]) -> None:
    Path("settings.json").write_text(foreign.text(foreign.layoutvlm_config()))
    assert converted("layout.json") == 0
    assert "the file that lies beside belongs to the scene (--with): settings.json" in capsys.readouterr().out
    assert converted("layout.json", "--with", "settings.json", "--to", "state", "-o", "state.json") == 0
    assert "lies beside" not in capsys.readouterr().out
    value = json.loads(Path("state.json").read_text())["scene"]["object"]
    assert [one["modelId"] for one in value] == [f"layoutvlm-objaverse.asset{number}" for number in range(3)]
    assert [one["id"] for one in value] == ["bed-0", "nightstand-0", "chair-0"]
    assert converted("--help") == 0
    said = capsys.readouterr().out
    for name in known_converters():
        assert name in said and all(one.name in said for one in converter_of(name).assumptions), name
