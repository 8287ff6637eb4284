"""``tsgkit check``, ``convert``, ``draw``, ``tasks`` and ``init``, and what all commands share: help, usage, bugs."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import CommandLine, write_lines
from samples import FORMATS, SGQA

import tsgkit as tk
from tsgkit.cli import ELSEWHERE
from tsgkit.cli import commands as all_commands
from tsgkit.cli.terminal import inert
from tsgkit.errors import UsageError
from tsgkit.library.cards import card_names, load_card
from tsgkit.library.documents.lint import ALL_RULES
from tsgkit.suites.suite import suites, task_of

CLEAN = "person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n"
WRONG = CLEAN + "\nperson -> verb -> dry\ndry -> dobj -> Cup\n"


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    for name, text in {"clean.txt": CLEAN, "wrong.txt": WRONG, "note.md": "Dear reader\n"}.items():
        (folder / name).write_text(text)
    write_lines("rows.jsonl", *[SGQA] * 16)
    with Path("rows.jsonl").open("a") as stream:
        stream.write("{oops\n")
    Path("binary").write_bytes(bytes(range(256)))
    Path("image").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff")
    Path("chain.txt").write_text("person -> verb -> wash -> dobj -> cup\n")
    Path("sub").mkdir()


def test_help_names_every_command_by_group_and_imports_nothing_heavy(tsgkit: CommandLine) -> None:
    heavy = ("networkx", "nltk", "rapidfuzz", "pydantic", "numpy", "scipy", "yaml", "langchain_core")
    shown = f"print([m for m in {heavy} if m in sys.modules])"
    code = f"import sys, tsgkit.cli as c; c.main(['--help']); {shown}; import tsgkit.lexicon as x; x.stem('a'); {shown}"
    paths = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run([sys.executable, "-c", code], stdout=-1, text=True, check=True, env=os.environ | paths)
    assert all(f"\n  {command}" in ended.stdout for command in all_commands())
    assert all(f"\n{group}:\n" in ended.stdout for group in ("evaluate", "look", "clean and make", "data", "suites"))
    assert ended.stdout.endswith("[]\n[]\n")  # a stem takes NLTK's stemmer and not the rest of it
    for command in all_commands():
        out = tsgkit(f"{command} --help").out
        assert f"usage: tsgkit {command}" in out and "exit codes:" in out, command
    assert tsgkit("help eval").out == tsgkit("eval --help").out
    out = tsgkit("").out
    assert all(f"tsgkit {command}" in out for command in ("eval", "samples", "refine", "generate", "init", "--help"))
    assert max(map(len, out.splitlines())) <= 80 and tsgkit("--version").out.startswith("tsgkit 0.")


def test_makers_take_their_options_by_name_and_their_summary_is_not_mixed_with_output_of_a_model(
    capfd: pytest.CaptureFixture[str],
) -> None:
    made = tk.make("sceneeval", "rooms.csv", items=3, difficulty=["easy", "hard"])
    assert made.complete and made.path.read_text().count("\n") >= 4
    with pytest.raises(UsageError, match="there is no option itens"):
        tk.make("sceneeval", "more.csv", itens=3)
    with pytest.raises(UsageError, match="there is no maker scene"):
        tk.make("scene", "more.csv")

    def chatty(messages: object) -> str:
        print("thinking aloud")
        return "{}"

    assert tk.make("spatialgen", "prompts.jsonl", model=chatty, scene="Kitchen", count=1).summary
    assert "thinking aloud" in capfd.readouterr().out


def test_wrong_usage_is_refused_with_what_was_meant(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "check": "no file given",
            "check claen.txt": "clean.txt?",
            "check image": "tsgkit: image: a PNG image, not text\n",
            "check chain.txt": "no triplet found in it (line 1: 5 parts between arrows, not 3)",
            "check clean.txt --ignore typo": "there is no code typo",
            "convert clean.txt": "missing: OUT",
            "convert clean.txt out.csv": "no format has the ending '.csv'",
            "convert clean.txt -": "name it with --to",
            "convert clean.txt nowhere/out.json": "nowhere/out.json: cannot be written",
            "convert rows.jsonl out.txt": "rows.jsonl: line 17: broken JSON",
            "convert clean.txt ./sub/../clean.txt --to triplets": "this is the file being read",
            "draw clean.txt": "missing: -o/--out",
            "draw clean.txt -o x.png": "an image is SVG",
            "draw clean.txt -o x.svg --graph 7": "has no graph 7",
            "draw clean.txt -o x.svg --item tea": "has no item tea",
        }
    )
    for words, expected in {
        "evla": "there is no command evla\n  eval?\n",
        "list": "there is no command list\n  tsgkit tasks, tsgkit runs list or tsgkit data list\n",
        "run": "there is no command run\n  tsgkit eval evaluates a model; tsgkit runs list lists what",
        "frobnicate": "there is no command frobnicate\n  tsgkit --help lists the commands\n",
        "--verbose": "there is no option --verbose\n",
        "eval --tasks sgqa": "there is no option --tasks\n  --task?\n",
        "eval --zzz": "there is no option --zzz\n  tsgkit eval --help shows what there is\n",
        "eval sgqa": "unexpected: sgqa\n",
        "eval --task": "--task: a value is missing\n",
        "eval --task sgqa,,sgds": "--task: 'sgqa,,sgds': a name is missing beside a comma\n",
        "eval --limit ten": "--limit: 'ten' is no whole number\n",
        "eval --timeout x": "--timeout: 'x' is no number\n",
        "make formalimgs": "there is no maker formalimgs\n  formalimg?\n",
        "compare x --format htm": "there is no format htm\n  choose from terminal, markdown",
        "refine": "missing: IN, -o/--out\n",
    }.items():
        assert tsgkit(words, code=2).err.startswith(f"tsgkit: {expected}"), words
    names = all_commands().keys()
    assert not ELSEWHERE.keys() & names
    named = {word for hint in ELSEWHERE.values() for part in hint.split("tsgkit ")[1:] for word in part.split()[:1]}
    assert {word.strip(",;") for word in named} - {"--version"} <= names


def test_tasks_are_listed_with_what_they_need_and_without_paths(folder: Path, tsgkit: CommandLine) -> None:
    out = tsgkit("tasks").out
    starred = [line.split()[1] for line in out.splitlines() if line.startswith("* ")]
    assert starred == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
    assert all(f" {name} " in out for name in card_names())
    assert f"{folder.anchor}work" not in out and str(folder) not in out
    assert "needs images and a judge: --images NAME=DIR --judge M" in out
    assert {one["task"] for one in tsgkit("tasks --json").json["tasks"]} == set(card_names())
    assert max(map(len, out.splitlines())) <= 120
    needy = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.needs}
    cards = [load_card(name) for name in card_names()]
    assert needy == {card.task for card in cards if task_of(card).prompt is None}


@pytest.mark.usefixtures("nothing_else_given")
def test_projects_of_ones_own_run_at_once(folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    tsgkit("init mine")
    monkeypatch.chdir(folder / "mine")
    tsgkit("check tasks/my/data/actions.jsonl")
    [row] = tsgkit("eval --quiet --task my/actions --json").json["results"]
    assert (row["task"], row["n"], row["counts"]["answered"]) == ("my/actions", 10, 10)
    tsgkit("eval --quiet --plan first")
    assert "there is no task my/capitals" in tsgkit("eval --task my/capitals", code=2).err
    words = "eval --code parts.py --task my/capitals --model python:./parts.py:model --quiet --json"
    (result,) = tsgkit(words, *["--style", "polite", "--solver", "doubted"]).json["results"]
    strict = {name: one["value"] for name, one in result["profiles"]["strict"].items()}
    assert strict == {"correct": 0.5, "letters": 4}
    words = "eval --task my/capitals --model python:./parts.py:model --style polite --quiet --out run"
    assert "what went wrong: tsgkit samples run --wrong --code parts.py\n" in tsgkit(f"--code parts.py {words}").out
    assert tsgkit("samples run --code=parts.py").out.endswith(" --code parts.py\n")
    assert "none.py: no such file" in tsgkit("--code none.py report run", code=2).err
    assert "a project lies here already" in tsgkit("init ../mine", code=2).err


def test_check_shows_findings_with_their_place_and_ends_with_1_on_errors(tsgkit: CommandLine) -> None:
    assert tsgkit("check clean.txt").out == (
        "clean.txt: arrow, 1 narrative, 1 graph, 3 triplets\n"
        "  nothing to complain about\n"
        "0 errors, 0 warnings in 1 file\n"
    )
    out = tsgkit("check wrong.txt clean.txt", code=1).out
    assert "  error not-lower-case (1): a name is not in lower case\n" in out
    assert "    line 6, graph 2, triplet 2: Cup is not in lower case (cup?)\n" in out
    assert out.endswith("1 error, 0 warnings in 2 files\n")
    assert "not-lower-case" not in tsgkit("check wrong.txt --ignore not-lower-case").out
    Path("warn.txt").write_text("person -> verb -> walk\nwalk -> to -> door\n")
    assert "warning no-dobj (1)" in tsgkit("check warn.txt").out
    assert "line 17: broken JSON" in tsgkit("check rows.jsonl", code=1).out
    ended = tsgkit("check missing.txt wrong.txt", code=2)
    assert "not-lower-case" in ended.out and "missing.txt" in ended.err, "one file does not hide the others"
    for size in (5, 9):
        Path("many.txt").write_text("\n".join(f"person -> verb -> hold\nhold -> dobj -> Cup{n}\n" for n in range(size)))
        out = tsgkit("check many.txt", code=1).out
        assert out.count("is not in lower case (") == 5
        assert ("    ... and 4 more (--all shows them)\n" in out, "more (--all" in out) == (size == 9, size == 9)
    assert tsgkit("check many.txt --all", code=1).out.count("is not in lower case (") == 9


def test_check_prints_json_lists_its_codes_and_reads_standard_input_and_vocabularies(
    tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    value = tsgkit("check --json wrong.txt clean.txt", code=1).json
    assert list(value) == ["files", "errors", "warnings"]
    assert (len(value["files"]), value["errors"], value["warnings"]) == (2, 1, 0)
    assert value["files"][0]["counts"] == {"not-lower-case": 1}
    out = tsgkit("check --codes").out
    assert all(f" {code} " in out for code in ALL_RULES)
    vocabulary = {"object": ["mug"], "relationship": ["with"], "verb": ["wash"]}
    for value in (vocabulary, {"vocabulary": vocabulary}, {"mandatory_space": vocabulary}):
        write_lines("L.json", value)
        assert "cup is not in L" in tsgkit("check clean.txt --vocabulary L.json", code=1).out, value
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    assert tsgkit("check -", code=1).out.startswith("-: arrow")
    Path("evil.json").write_text(json.dumps([[["person", "verb", "\x1b[31mX\u202e\r"]]]))
    out = tsgkit("check evil.json", code=1).out
    assert not {"\x1b", "\u202e"} & {*out} and inert("\x1b[31mX\u202e\r") in out


def test_converting_says_what_was_written_and_what_could_not_be_carried(tsgkit: CommandLine) -> None:
    for name, text in FORMATS.items():
        Path("in").write_text(text)
        ended = tsgkit("convert in out.txt")
        assert ended.out.startswith(f"{name} to arrow: "), name
        assert ("cannot carry" in ended.err) == (name not in ("arrow", "triplets", "node-link", "graphml")), name
        tsgkit("check out.txt")
        Path("out.txt").unlink()
    ended = tsgkit("convert clean.txt - --to triplets")
    assert (ended.json[0][0], ended.err) == (["person", "verb", "wash"], "")
    assert "sgqa to arrow: 32 graphs in out.txt" in tsgkit("convert rows.jsonl out.txt --keep-going", code=1).out
    write_lines("L.json", {"objects": ["cup"], "relationships": ["with"], "verbs": ["wash"]})
    write_lines("told.jsonl", {"descriptions": [{"text": "x", "graphs": [[["person", "verb", "wash"]]]}]})
    tsgkit("convert told.jsonl rows.sgg --to sgg --vocabulary L.json")
    assert json.loads(Path("rows.sgg").read_text())["mandatory_space"]["object"] == ["cup"]
    wash, bad = [["person", "verb", "wash"]], [["go", "down", ""]]
    Path("empty.json").write_text(json.dumps([wash, *[[]] * 7, bad]))
    tsgkit.refuses({"convert empty.json out.txt --force": "item 0, graph 9: arrow text cannot carry the name ''"})
    ended = tsgkit("convert empty.json out.txt --force --keep-going", code=1)
    assert ended.out == "triplets to arrow: 1 graph in out.txt\n"
    assert "arrow cannot carry 8 graphs, and so left out: item 0, graph 9: arrow text cannot carry" in ended.err
    assert "; item 0, graph 2: it has no triplets;" in ended.err and ended.err.rstrip().endswith("and 3 more")


def test_drawings_are_well_formed_and_titled(tsgkit: CommandLine) -> None:
    for words, text in {
        "clean.txt": "clean.txt, item 0, graph 1",
        "wrong.txt": "wrong.txt, item 0",
        "wrong.txt --graph 2": "graph 2",
        "wrong.txt --graph 1 --against clean.txt": "against clean.txt",
    }.items():
        assert tsgkit(f"draw {words} -o picture.svg").out == "drawn: picture.svg\n"
        root = ElementTree.fromstring(Path("picture.svg").read_text())  # noqa: S314  (our own image)
        assert text in "".join(root.itertext()), words
    write_lines("two.jsonl", SGQA, SGQA)
    assert "the first of 2 items" in tsgkit("draw two.jsonl -o x.svg").err
    assert "rows.jsonl: 1 line or part not read as it stands" in tsgkit("draw rows.jsonl -o x.svg").err
    tsgkit.refuses({"check x.svg": "this is HTML, SVG or other XML"})


def test_bugs_and_interrupts_have_exit_codes_of_their_own(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    monkeypatch.setattr("tsgkit.cli.check.check", lambda *_: 1 / 0)
    assert "a bug in tsgkit: ZeroDivisionError" in tsgkit("check clean.txt", code=70).err

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tsgkit.cli.check.check", interrupt)
    tsgkit("check clean.txt", code=130)
