"""No command overwrites what it was not asked to, and interrupted or killed work goes on as if it had not been."""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import foreign_scenes as foreign
import pytest
import shipped
from command_line import CommandLine, files, write_lines
from image_suite import install
from prefork import Prefork
from rooms_of_ours import ROOMS

from tsgkit.cli import commands, main, module_of
from tsgkit.runs.agent_calls import open_calls
from tsgkit.runs.journal import Journal
from tsgkit.runs.subjects import Limits

MINE = '{"id": 1, "mine": true}\n{"id": 2}\n'
CUP = "(exists ?b (and (Is ?b 'book') (OnLeftSide ?b)))"
LAYOUT = {"objects": [{"label": "book", "box_2d": [700, 100, 900, 300]}]}


DATA = (
    ("refine graphs.txt -o out", "out"),
    ("refine graphs.txt -o out --review", "out"),
    ("refine graphs.txt -o out --model script:said.jsonl", "out"),
    ("generate story.txt -o out.json --model script:told.jsonl", "out.json"),
    ("make formalimg --k 1 --n 1 -o out --quiet", "out"),
    ("make formalimg --k 1 --n 1 -o out --quiet --model script:said.jsonl", "out"),
    ("make spatialgen --scene Kitchen -o out --quiet --model script:said.jsonl", "out"),
    ("make sceneeval --items 1 -o out.csv", "out.csv"),
    ("make sceneeval --items 1 -o out.csv --model script:said.jsonl", "out.csv"),
    ("make repairs --from written -o out", "out"),
    ("convert graphs.txt out.json", "out.json"),
    (f'formula solve "{CUP}" -o out', "out"),
    (f'formula repair "{CUP}" layout.json -o out', "out"),
    ("scene convert house_1.json -o out.json", "out.json"),
    ("scene convert house_1.json -o rooms", "rooms/scene_1.json"),
    ("runs show run --script out", "out"),
    ("runs pack run -o out", "out"),
    ("view ann.jsonl bob.jsonl --edit -o out", "out"),
    ("data import tsg-bench sgqa.jsonl", "home/tsg-bench/sgqa.jsonl"),
)
REPORTS = (
    ("draw graphs.txt -o out", "out"),
    ("explain run --item pcr/q0 --html out.html", "out.html"),
    ("explain run --item pcr/q0 -o out.html", "out.html"),
    ("view run -o out.html", "out.html"),
    ("report run --format terminal -o out", "out"),
    ("report run --format html -o out", "out"),
    ("report run -o out.csv", "out.csv"),
    ("compare run --grid -o out.tex", "out.tex"),
    ("report run -o out.tex", "out.tex"),
    ("report run --junit out", "out"),
    ("audit graphs.jsonl --task tsg/sa-sgg -o out.md", "out.md"),
    ("audit graphs.jsonl --task tsg/sa-sgg -o out.html", "out.html"),
    (f'formula solve "{CUP}" --draw out.svg', "out.svg"),
    (f'formula repair "{CUP}" layout.json --draw out.svg', "out.svg"),
    ("scene show room.json -o out.svg", "out.svg"),
    ("scene show room.json -o out.html", "out.html"),
    ("scene render room.json -o out.png", "out.png"),
    ("scene render room.json -o out.html", "out.html"),
    ("scene draw annotations.csv -o out.svg", "out.svg"),
)
FOLDERS = (
    ("init out", "out/mine.jsonl"),
    ("eval --task tsg/sgqa --first 1 --quiet --out out", "out/mine.jsonl"),
    ("runs merge run -o out", "out/mine.jsonl"),
    ("runs unpack packed.zip -o out", "out/mine.jsonl"),
    ("export run --to csv -o out", "out/mine.jsonl"),
    ("make spatialt2i --from run --model script:said.jsonl -o out", "out/mine.jsonl"),
)
OUTPUTS = {"-o", "--out", "--html", "--draw", "--script", "--junit", "--summary"}
ELSEWHERE = {
    "report --summary": "lines are added to it, below",
    "make tsg -o": "files of other work are refused: tests/full/cli/suites/tsg/test_benchmark_maker.py",
    "images -o": "images that are there are kept: tests/runs/test_image_generation.py",
}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with everything that the commands read."""
    folder = tmp_path_factory.mktemp("template")
    (folder / "graphs.txt").write_text("fill -> verb -> person\nfill -> dobj -> kettle\n")
    (folder / "story.txt").write_text("She fills the kettle.\n")
    write_lines(folder / "said.jsonl", {"item_id": "0/0", "reply": "none"})
    told = {"decompose": "fill the kettle", "write": "person -> verb -> fill\nfill -> dobj -> kettle"}
    write_lines(folder / "told.jsonl", {"item_id": "0", "reply": told})
    (folder / "layout.json").write_text(json.dumps(LAYOUT))
    for name in ("ann", "bob"):
        write_lines(folder / f"{name}.jsonl", {"descriptions": [{"graphs": [[["person", "verb", "wash"]]]}]})
    (folder / "house_1.json").write_text(json.dumps(foreign.holodeck()))
    for source, name in {
        str(shipped.DATA / "sa-sgg.jsonl"): "graphs.jsonl",
        str(shipped.DATA / "sgqa.jsonl"): "sgqa.jsonl",
        "sceneeval/data/rooms/good/scene_0.json": "room.json",
        "sceneeval/data/annotations.csv": "annotations.csv",
    }.items():
        shutil.copy(shipped.TASKS / source, folder / name)
    script = write_lines(folder / "script.jsonl", {"item_id": "pcr/q0", "reply": "[loaf]"})
    asked = f"eval --quiet --task tsg/sgqa --first 1 --model script:{script} --out {folder}/run"
    written = f"eval --quiet --task tsg/sa-sgg --first 9 --model baseline/rules --out {folder}/written"
    for words in (asked, written, f"runs pack {folder}/run -o {folder}/packed.zip"):
        assert main(words.split()) == 0
    return folder


Fresh = Callable[[], None]


@pytest.fixture(autouse=True)
def fresh(template: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Fresh:
    """Enter another copy of the folder at each call."""
    numbers = count()

    def enter() -> None:
        copy = tmp_path / str(next(numbers))
        shutil.copytree(template, copy)
        monkeypatch.chdir(copy)
        monkeypatch.setenv("TSGKIT_DATA_HOME", str(copy / "home"))

    enter()
    return enter


def put(target: str, text: str) -> Path:
    path = Path(target)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def content(target: str) -> bytes | None:
    return Path(target).read_bytes() if Path(target).is_file() else None


def test_data_that_lie_there_are_kept_until_force_is_said_and_the_same_work_goes_on(
    fresh: Fresh, tsgkit: CommandLine
) -> None:
    for words, target in DATA:
        fresh()
        put(target, MINE)
        before = files()
        ended = tsgkit(words, code=2)
        assert f"{target}: 2 lines of JSON already here would be lost" in ended.err, words
        assert "replace them with --force, or write to another place" in ended.err, words
        assert files() == before and "written:" not in ended.out, words
        if "--review" in words:
            continue
        code = main([*shlex.split(words), "--force"])
        is_asked_in_vain = "said.jsonl" in words and "spatialgen" not in words and "refine" not in words
        assert code in (0, 1), words
        assert is_asked_in_vain or code == 1 or content(target) != MINE.encode(), words
        fresh()
        first = main(shlex.split(words))
        made = content(target)
        assert (main(shlex.split(words)), content(target)) == (first, made), words
        if words.startswith(("refine", "generate")):
            changed = put(target, (made or b"").decode() + "\n").read_bytes()
            assert "already here would be lost" in tsgkit(words, code=2).err, words
            assert content(target) == changed, words


REFINE = "refine graphs.txt -o out --model script:said.jsonl"


def test_force_and_new_move_other_work_aside(tsgkit: CommandLine) -> None:
    tsgkit(REFINE)
    first = content("out")
    words = "refine graphs.txt -o out --model openai/gpt-4o"
    tsgkit.refuses(dict.fromkeys(("--new", "--force"), "OPENAI_API_KEY"), words)
    put("graphs.txt", "pour -> verb -> person\n")
    assert "another run lies here (items differs)" in tsgkit(REFINE, code=2).err
    assert "earlier work now lies in out.calls.until-" in tsgkit(REFINE, "--force").err
    second = content("out") or b""
    assert b"pour" in second != first
    tsgkit(REFINE, "--new")
    assert [path.read_bytes() for path in Path().glob("out.until-*")] == [second], "what it made is put aside too"
    put("pairs/mine.jsonl", MINE)
    open_calls(Path("pairs"), "script:said.jsonl", (), {"work": "x"}, Limits(), folder=True, force=True).close()
    [aside] = Path().glob("pairs.until-*")
    assert (aside / "mine.jsonl").read_text() == MINE and not Path("pairs").exists()


def test_reports_replace_reports_and_no_data(fresh: Fresh, tsgkit: CommandLine) -> None:
    for words, target in REPORTS:
        fresh()
        assert main(shlex.split(words)) in (0, 1), words
        first = Path(target).read_bytes()
        assert main(shlex.split(words)) in (0, 1), f"{words}: a report replaces its like"
        assert len(Path(target).read_bytes()) == len(first), words
        put(target, MINE)
        before = files()
        err = tsgkit(words, code=2).err
        assert f"{target}: 2 lines of JSON already here would be lost" in err and "--force" not in err, words
        assert files() == before, words
    for target, text, words in (
        ("out", "a -> b -> c\n", "draw graphs.txt -o out"),
        ("out", "[[1]]", "draw graphs.txt -o out"),
        ("out", "<?xml version='1.0'?>\n<graphml></graphml>", "draw graphs.txt -o out"),
        ("out.csv", "ID,x\n1,2", "report run -o out.csv"),
        ("out", MINE, "report run --summary out"),
    ):
        put(target, text)
        tsgkit(words, code=2)
        assert Path(target).read_text() == text, "drawings replace no graphs, and summaries are added to no data"


def test_folders_that_hold_something_else_are_left_alone_and_every_output_is_tried_here(
    fresh: Fresh, tsgkit: CommandLine
) -> None:
    for words, target in FOLDERS:
        fresh()
        put(target, MINE)
        before = files()
        assert tsgkit(words, code=2).err, words
        assert files() == before, words
    tried = {*ELSEWHERE, "eval --out"}
    for written, _ in (*DATA, *REPORTS, *FOLDERS):
        parts = shlex.split(written)
        tried |= {f"{' '.join(parts[:size])} {part}" for size in (1, 2) for part in parts}
    for command in commands():
        parser = argparse.ArgumentParser()
        module_of(command).add_arguments(parser)
        assert {*outputs(parser, command)} <= tried, command


def test_inputs_are_never_overwritten(tsgkit: CommandLine) -> None:
    for link, name in {"room.svg": "room.json", "annotations.svg": "annotations.csv", "L.txt": "graphs.txt"}.items():
        Path(link).symlink_to(name)
    messages = dict.fromkeys(
        (
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
        ),
        "tsgkit: ",
    )
    tsgkit.refuses(messages)


def test_conversions_replace_what_a_conversion_wrote_and_nobody_changed(tsgkit: CommandLine) -> None:
    tsgkit("convert graphs.txt out.json")
    put("graphs.txt", "pour -> verb -> person\n")
    tsgkit("convert graphs.txt out.json")
    assert "pour" in Path("out.json").read_text()
    tsgkit("convert sgqa.jsonl out.json")
    Path("out.json").write_text("[]")
    assert "2 bytes of JSON already here would be lost" in tsgkit("convert graphs.txt out.json", code=2).err
    assert Path("out.json").read_text() == "[]"
    for more in ("--force", ""):
        tsgkit(f"convert graphs.txt out.json {more}")
    Path("empty").touch()
    for free in ("empty", "/dev/null"):
        tsgkit(f"convert graphs.txt {free} --to triplets")
    Path("folder").mkdir()
    tsgkit.refuses({REFINE.replace("-o out", "-o folder"): "folder: this is a folder, not a file"})


def outputs(parser: argparse.ArgumentParser, name: str) -> Iterator[str]:
    """Yield every option of a command, or of its verbs, that names what is written."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for verb, inner in action.choices.items():
                yield from outputs(inner, f"{name} {verb}")
        elif found := OUTPUTS & {*action.option_strings}:
            yield f"{name} {max(found)}"  # the short one


ROWS = {f"c{number}": f"Cup number {number}." for number in range(6)}
SLOW = """
import io
import time
from pathlib import Path
from PIL import Image
def slow(prompt, seed):
    if "number 1." in prompt:
        Path("working").touch()
        time.sleep(600)
    buffer = io.BytesIO()
    Image.new("RGB", (8, 6), (seed, 0, 0)).save(buffer, "PNG")
    return buffer.getvalue()
"""
MAKE = "images --task demo/cups --model python:./mine.py:slow -o out"


def test_killed_work_goes_on_and_the_second_interrupt_does_not_wait(
    commands: Prefork, folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    (folder / "mine.py").write_text(SLOW)
    environment = install(folder, ROWS, monkeypatch)
    for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
        process = commands.start(*MAKE.split(), "--concurrency", "2", cwd=folder, env=environment)
        process.until(lambda: Path("working").exists() and len([*Path("out").glob("*.png")]) == len(ROWS) - 1)
        process.signal(number)
        if number == signal.SIGINT:
            process.until(lambda: "stopping: waiting for 1 image in work" in process.err)  # noqa: B023
        process.signal(number)
        assert process.wait().code == code
        Path("working").unlink()
    assert "0 painted, 5 there already" in tsgkit(f"{MAKE} --ids c0 c2 c3 c4 c5").out


def test_ctrl_c_keeps_what_was_measured_and_the_same_command_goes_on(
    monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    Path("mine").mkdir()
    for number in range(8):
        shutil.copy(ROOMS / "rooms/good/scene_7.json", f"mine/scene_{number}.json")
    head = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
    Path("a.csv").write_text("\n".join([head, *(f'{n},easy,A kitchen,"eq,1,stove",,,' for n in range(8))]) + "\n")
    words = "eval --task sceneeval/plausibility --scenes mine=mine --data a.csv --out rooms --quiet"
    samples, add = Path("rooms/samples.jsonl"), Journal.add_line

    def interrupted(journal: Journal, line: bytes) -> int:
        place = add(journal, line)
        if (journal.path.name, place) == (samples.name, 0):
            signal.raise_signal(signal.SIGINT)
        return place

    monkeypatch.setattr(Journal, "add_line", interrupted)
    assert "nothing is lost; go on with: tsgkit eval --task sceneeval/plausibility" in tsgkit(words, code=130).err
    assert 0 < samples.read_text().count("\n") < 8
    assert tsgkit(words).err == ""
    for name in ("samples", "calls"):
        assert Path(f"rooms/{name}.jsonl").read_text().count("\n") == 8, name
