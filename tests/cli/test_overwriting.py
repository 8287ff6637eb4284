"""No command overwrites rows, graphs, layouts or decisions unless that is asked for, nor a file that it reads."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

import foreign_scenes as foreign
import pytest
from shipped import TASKS

from tsgkit.cli import commands, main, module_of

Captured = pytest.CaptureFixture[str]
MINE = '{"id": 1, "mine": true}\n{"id": 2}\n'
NOTE = "- a note of mine\n"
CUP = "(exists ?b (and (Is ?b 'book') (OnLeftSide ?b)))"
LAYOUT = {"objects": [{"label": "book", "box_2d": [700, 100, 900, 300]}]}


class Writes(NamedTuple):
    """A command that writes, what it is given, and where it writes."""

    words: str
    target: str
    extra: str = ""
    """A package that it needs, of an extra."""


DATA = (
    Writes("refine graphs.txt -o out", "out"),
    Writes("refine graphs.txt -o out --review", "out"),
    Writes("refine graphs.txt -o out --model script:said.jsonl", "out"),
    Writes("generate story.txt -o out.json --model script:told.jsonl", "out.json"),
    Writes("make formalimg --k 1 --n 1 -o out --quiet", "out", "ortools"),
    Writes("make formalimg --k 1 --n 1 -o out --quiet --model script:said.jsonl", "out", "ortools"),
    Writes("make spatialgen --scene Kitchen -o out --quiet --model script:said.jsonl", "out"),
    Writes("make sceneeval --items 1 -o out.csv", "out.csv"),
    Writes("make sceneeval --items 1 -o out.csv --model script:said.jsonl", "out.csv"),
    Writes("make repairs --from written -o out", "out"),
    Writes("convert graphs.txt out.json", "out.json"),
    Writes(f'formula solve "{CUP}" -o out', "out", "ortools"),
    Writes(f'formula repair "{CUP}" layout.json -o out', "out", "ortools"),
    Writes("scene convert house_1.json -o out.json", "out.json"),
    Writes("scene convert house_1.json -o rooms", "rooms/scene_1.json"),
    Writes("runs show run --script out", "out"),
    Writes("runs pack run -o out", "out"),
    Writes("view ann.jsonl bob.jsonl --edit -o out", "out"),
    Writes("data import tsg-bench sgqa.jsonl", "home/tsg-bench/sgqa.jsonl"),
)
UNATTENDED = tuple(case for case in DATA if "--review" not in case.words)
REPORTS = (
    Writes("draw graphs.txt -o out", "out"),
    Writes("explain run --item bread/q0 --html out.html", "out.html"),
    Writes("explain run --item bread/q0 -o out.html", "out.html"),
    Writes("view run -o out.html", "out.html"),
    *(Writes(f"report run --format {form} -o out", "out") for form in ("terminal", "markdown", "json", "html")),
    Writes("report run -o out.csv", "out.csv"),
    Writes("compare run --grid -o out.tex", "out.tex"),
    Writes("compare run --grid -o out.csv", "out.csv"),
    Writes("report run -o out.tex", "out.tex"),
    Writes("report run --junit out", "out"),
    Writes("audit graphs.jsonl --task tsg/sa-sgg -o out.md", "out.md"),
    Writes("audit graphs.jsonl --task tsg/sa-sgg -o out.html", "out.html"),
    Writes(f'formula solve "{CUP}" --draw out.svg', "out.svg", "ortools"),
    Writes(f'formula repair "{CUP}" layout.json --draw out.svg', "out.svg", "ortools"),
    Writes("scene show room.json -o out.svg", "out.svg", "fcl"),
    Writes("scene show room.json -o out.html", "out.html", "fcl"),
    Writes("scene render room.json -o out.png", "out.png", "embreex"),
    Writes("scene render room.json -o out.html", "out.html", "embreex"),
    Writes("scene draw annotations.csv -o out.svg", "out.svg"),
)
FOLDERS = (
    Writes("init out", "out/mine.jsonl"),
    Writes("eval --task tsg/sgqa --first 1 --quiet --out out", "out/mine.jsonl"),
    Writes("runs merge run -o out", "out/mine.jsonl"),
    Writes("runs unpack packed.zip -o out", "out/mine.jsonl"),
    Writes("export run --to csv -o out", "out/mine.jsonl"),
    Writes("make spatialt2i --from run --model script:said.jsonl -o out", "out/mine.jsonl"),
)
NAME: Callable[[Writes], str] = attrgetter("words")
OUTPUTS = {"-o", "--out", "--html", "--draw", "--script", "--junit", "--summary"}
ELSEWHERE = {
    "report --summary": "lines are added to it, below",
    "make tsg -o": "files of other work are refused: tests/suites/tsg/commands/test_benchmark_maker.py",
    "images -o": "images that are there are kept: tests/runs/test_painting.py",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated") / "run"
    (script := folder.with_name("script.jsonl")).write_text('{"item_id": "bread/q0", "reply": "[loaf]"}\n')
    words = ["eval", "--task", "tsg/sgqa", "--first", "1", "--out", str(folder), "--quiet"]
    assert main([*words, "--model", f"script:{script}"]) == 0
    return folder


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluated") / "written"
    words = ["eval", "--task", "tsg/sa-sgg", "--first", "9", "--model", "baseline/rules", "--quiet"]
    assert main([*words, "--out", str(folder)]) == 0
    return folder


@pytest.fixture(autouse=True)
def here(tmp_path: Path, run: Path, written: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    Path("graphs.txt").write_text("fill -> verb -> person\nfill -> dobj -> kettle\n")
    Path("story.txt").write_text("She fills the kettle.\n")
    Path("said.jsonl").write_text('{"item_id": "0/0", "reply": "none"}\n')
    told = {"decompose": "fill the kettle", "write": "person -> verb -> fill\nfill -> dobj -> kettle"}
    Path("told.jsonl").write_text(json.dumps({"item_id": "0", "reply": told}) + "\n")
    Path("layout.json").write_text(json.dumps(LAYOUT))
    for name in ("ann", "bob"):
        Path(f"{name}.jsonl").write_text('{"descriptions": [{"graphs": [[["person", "verb", "wash"]]]}]}\n')
    Path("house_1.json").write_text(foreign.text(foreign.holodeck()))
    shutil.copytree(run, "run")
    shutil.copytree(written, "written")
    assert main(["runs", "pack", "run", "-o", "packed.zip"]) == 0
    shutil.copy(TASKS / "tsg/data/tsgkit-1/sa-sgg.jsonl", "graphs.jsonl")
    shutil.copy(TASKS / "tsg/data/tsgkit-1/sgqa.jsonl", "sgqa.jsonl")
    shutil.copy(TASKS / "sceneeval/data/rooms/good/scene_0.json", "room.json")
    shutil.copy(TASKS / "sceneeval/data/annotations.csv", "annotations.csv")
    return tmp_path


def carried_out(case: Writes, *more: str) -> int:
    if case.extra and find_spec(case.extra) is None:
        pytest.skip(f"needs {case.extra}, of an extra")
    return main([*shlex.split(case.words), *more])


def put(target: str, text: str) -> Path:
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def files() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(Path().rglob("*")) if path.is_file()}


@pytest.mark.parametrize("case", DATA, ids=NAME)
def test_data_that_lie_there_are_kept_and_nothing_is_begun(case: Writes, capsys: Captured) -> None:
    put(case.target, MINE)
    before = files()
    assert carried_out(case) == 2
    said = capsys.readouterr()
    assert f"{case.target}: 2 lines of JSON already here would be lost" in said.err
    assert "replace them with --force, or write to another place" in said.err
    assert files() == before and "written:" not in said.out


@pytest.mark.parametrize("case", UNATTENDED, ids=NAME)
def test_data_are_replaced_by_force(case: Writes) -> None:
    path = put(case.target, MINE)
    code = carried_out(case, "--force")
    is_written = code == 0 and ("spatialgen" in case.words or "said.jsonl" not in case.words or "refine" in case.words)
    assert code in (0, 1) and (not is_written or path.read_bytes() != MINE.encode())


@pytest.mark.parametrize("case", UNATTENDED, ids=NAME)
def test_the_same_work_goes_on_over_what_it_wrote(case: Writes) -> None:
    first = carried_out(case)
    before = Path(case.target).read_bytes() if Path(case.target).is_file() else None
    assert carried_out(case) == first
    assert (Path(case.target).read_bytes() if Path(case.target).is_file() else None) == before


@pytest.mark.parametrize("case", UNATTENDED[:3], ids=NAME)
def test_graphs_that_were_changed_since_are_kept(case: Writes, capsys: Captured) -> None:
    assert carried_out(case) == 0
    changed = Path(case.target).read_text() + "\n"
    Path(case.target).write_text(changed)
    assert carried_out(case) == 2
    assert "already here would be lost" in capsys.readouterr().err
    assert Path(case.target).read_text() == changed


def test_calls_of_an_earlier_version_go_on_over_what_they_wrote() -> None:
    words = shlex.split("refine graphs.txt -o out --model script:said.jsonl")
    assert main(words) == 0
    header = json.loads(Path("out.calls/run.json").read_text())
    del header["written"]
    Path("out.calls/run.json").write_text(json.dumps(header))
    assert main(words) == 0


def test_force_and_new_move_other_work_aside(capsys: Captured) -> None:
    words = shlex.split("refine graphs.txt -o out --model script:said.jsonl")
    assert main(words) == 0
    first = Path("out").read_bytes()
    put("graphs.txt", "pour -> verb -> person\n")
    assert main(words) == 2
    assert "another run lies here (items differs)" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0
    assert "earlier work now lies in out.calls.until-" in capsys.readouterr().err
    assert b"pour" in Path("out").read_bytes() != first
    second = Path("out").read_bytes()
    assert main([*words, "--new"]) == 0
    assert [path.read_bytes() for path in Path().glob("out.until-*")] == [second], "what it made is put aside too"


def test_new_puts_nothing_aside_where_the_model_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    assert main(shlex.split("refine graphs.txt -o out --model script:said.jsonl")) == 0
    before = files()
    for option in ("--new", "--force"):
        assert main(shlex.split(f"refine graphs.txt -o out --model openai/gpt-4o {option}")) == 2
        assert files() == before


@pytest.mark.parametrize("case", REPORTS, ids=NAME)
def test_reports_replace_reports_and_no_data(case: Writes, capsys: Captured) -> None:
    assert carried_out(case) in (0, 1)
    first = Path(case.target).read_bytes()
    assert carried_out(case) in (0, 1), "a report replaces its like"
    assert len(Path(case.target).read_bytes()) == len(first)
    capsys.readouterr()
    put(case.target, MINE)
    before = files()
    assert carried_out(case) == 2
    said = capsys.readouterr().err
    assert f"{case.target}: 2 lines of JSON already here would be lost" in said and "--force" not in said
    assert files() == before


@pytest.mark.parametrize("data", ["a -> b -> c\n", "[[1]]", "<?xml version='1.0'?>\n<graphml></graphml>", "ID,x\n1,2"])
def test_drawings_replace_no_graphs_whatever_their_notation(data: str) -> None:
    put("out.csv" if "," in data else "out", data)
    words = "report run -o out.csv" if "," in data else "draw graphs.txt -o out"
    assert main(words.split()) == 2


def test_summaries_are_added_to_notes_and_to_no_data(capsys: Captured) -> None:
    put("out", NOTE)
    assert main(["report", "run", "--summary", "out"]) == 0
    assert Path("out").read_text().startswith(NOTE) and len(Path("out").read_text()) > len(NOTE)
    put("out", MINE)
    assert main(["report", "run", "--summary", "out"]) == 2 and Path("out").read_text() == MINE


@pytest.mark.parametrize("case", FOLDERS, ids=NAME)
def test_folders_that_hold_something_else_are_left_alone(case: Writes, capsys: Captured) -> None:
    put(case.target, MINE)
    before = files()
    assert carried_out(case) == 2
    assert capsys.readouterr().err and files() == before


@pytest.mark.parametrize(
    "words",
    [
        "convert graphs.txt graphs.txt --force",
        "convert graphs.txt L.txt --vocabulary L.txt --force",
        "refine graphs.txt -o graphs.txt --force",
        "refine graphs.txt -o story.txt --narrative story.txt --force",
        "generate story.txt -o story.txt --to arrow --model script:told.jsonl --force",
        "draw graphs.txt -o ./graphs.txt",
        f'formula repair "{CUP}" layout.json -o layout.json --force',
        "scene convert house_1.json -o house_1.json --force",
        "scene show room.svg -o room.svg",
        "scene draw annotations.svg -o annotations.svg",
        "runs show run --script run/calls.jsonl --force",
        "make repairs --from written -o written/calls.jsonl --force",
        "make repairs --from written --data graphs.jsonl -o graphs.jsonl --force",
        "view ann.jsonl bob.jsonl --edit -o bob.jsonl --force",
    ],
)
def test_inputs_are_never_overwritten(words: str, capsys: Captured) -> None:
    for name in ("room.json", "annotations.csv", "graphs.txt"):
        Path({"room.json": "room.svg", "annotations.csv": "annotations.svg"}.get(name, "L.txt")).symlink_to(name)
    before = files()
    assert main(shlex.split(words)) == 2
    assert files() == before and capsys.readouterr().err


def test_conversion_replaces_what_a_conversion_wrote_and_nobody_changed(capsys: Captured) -> None:
    words = ["convert", "graphs.txt", "out.json"]
    assert main(words) == 0
    put("graphs.txt", "pour -> verb -> person\n")
    assert main(words) == 0 and "pour" in Path("out.json").read_text()
    assert main(["convert", "sgqa.jsonl", "out.json"]) == 0, "whatever it was made of"
    Path("out.json").write_text("[]")
    assert main(words) == 2 and Path("out.json").read_text() == "[]"
    assert "2 bytes of JSON already here would be lost" in capsys.readouterr().err
    assert main([*words, "--force"]) == 0 and main(words) == 0


@pytest.mark.parametrize("target", ["empty", "/dev/null"])
def test_free_paths_are_written_without_force(target: str) -> None:
    Path("empty").touch()
    assert main(["convert", "graphs.txt", target, "--to", "triplets"]) == 0


def test_folder_in_the_place_of_a_file_is_refused_before_anybody_is_asked(capsys: Captured) -> None:
    Path("out").mkdir()
    assert main(shlex.split("refine graphs.txt -o out --model script:said.jsonl")) == 2
    assert "out: this is a folder, not a file" in capsys.readouterr().err and not Path("out.calls").exists()


def test_force_makes_a_set_afresh_and_puts_the_folder_aside(capsys: Captured) -> None:
    from tsgkit.runs.agent_calls import open_calls
    from tsgkit.runs.subjects import Limits

    put("pairs/mine.jsonl", MINE)
    open_calls(Path("pairs"), "script:said.jsonl", (), {"work": "x"}, Limits(), folder=True, force=True).close()
    [aside] = Path().glob("pairs.until-*")
    assert (aside / "mine.jsonl").read_text() == MINE and not Path("pairs").exists()


def outputs(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """Yield every option of a command, or of its verbs, that names what is written."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, inner in action.choices.items():
                yield from outputs(inner, f"{name} {verb}")
        elif found := OUTPUTS & {*action.option_strings}:
            yield f"{name} {max(found)}"  # the short one


def test_every_option_that_names_an_output_is_tried_here() -> None:
    tried = {*ELSEWHERE, "eval --out"}
    for case in (*DATA, *REPORTS, *FOLDERS):
        words = shlex.split(case.words)
        tried |= {f"{' '.join(words[:size])} {word}" for size in (1, 2) for word in words}
    for command in commands():
        parser = argparse.ArgumentParser()
        module_of(command).add_arguments(parser)
        assert {*outputs(parser, command)} <= tried, command
