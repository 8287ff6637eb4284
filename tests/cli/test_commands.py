"""``tsgkit check``, ``convert`` and ``draw``, and what all commands share: help, exit codes, bugs, interrupts."""

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

from tsgkit.cli import commands
from tsgkit.cli.terminal import inert
from tsgkit.library.documents.lint import ALL_RULES

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
    Path("sub").mkdir()


def test_help_names_every_command_by_group_and_imports_nothing_heavy(tsgkit: CommandLine) -> None:
    heavy = ("networkx", "nltk", "rapidfuzz", "pydantic", "numpy", "yaml", "langchain_core")
    code = f"import sys, tsgkit.cli; tsgkit.cli.main(['--help']); print([m for m in {heavy} if m in sys.modules])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert all(f"\n  {command}" in ended.stdout for command in commands())
    assert all(f"\n{group}:\n" in ended.stdout for group in ("evaluate", "look", "clean and make", "data", "suites"))
    assert ended.stdout.endswith("[]\n")
    for command in commands():
        out = tsgkit(f"{command} --help").out
        assert f"usage: tsgkit {command}" in out and "exit codes:" in out, command
    assert tsgkit("help eval").out == tsgkit("eval --help").out


def test_no_words_show_where_to_begin_and_version_is_said(tsgkit: CommandLine) -> None:
    out = tsgkit("").out
    assert all(f"tsgkit {command}" in out for command in ("eval", "samples", "refine", "generate", "init", "--help"))
    assert max(map(len, out.splitlines())) <= 80
    assert tsgkit("--version").out.startswith("tsgkit 0.")


def test_wrong_usage_is_refused_with_what_was_meant(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "chek": "there is no command chek\n  check?",
            "--frobnicate": "--frobnicate",
            "check": "no file given",
            "check --frob x": "there is no option --frob",
            "check missing.txt": "missing.txt: no such file",
            "check claen.txt": "clean.txt?",
            "check sub": "sub: this is a folder",
            "check binary": "binary: line 2: not UTF-8",
            "check note.md": "note.md: no triplet found",
            "check clean.txt --ignore typo": "there is no code typo",
            "check clean.txt --vocabulary clean.txt": "clean.txt: line 1: broken JSON",
            "convert clean.txt": "missing: OUT",
            "convert clean.txt out.csv": "no format has the ending '.csv'",
            "convert clean.txt -": "name it with --to",
            "convert clean.txt out --to csv": "there is no format 'csv'",
            "convert clean.txt nowhere/out.json": "nowhere/out.json: cannot be written",
            "convert rows.jsonl out.txt": "rows.jsonl: line 17: broken JSON",
            "convert clean.txt ./sub/../clean.txt --to triplets": "this is the file being read",
            "draw clean.txt": "missing: -o/--out",
            "draw clean.txt -o clean.txt": "this is the file being read",
            "draw clean.txt -o x.png": "an image is SVG",
            "draw clean.txt -o x.svg --graph 7": "has no graph 7",
            "draw clean.txt -o x.svg --item tea": "has no item tea",
            "draw clean.txt -o x.svg --graph x": "--graph: 'x' is no whole number",
            "draw clean.txt -o x.svg --vocabulary nosuch": "nosuch: no such file",
        }
    )


def test_check_shows_findings_with_their_place_and_ends_with_1_on_errors(tsgkit: CommandLine) -> None:
    assert tsgkit("check clean.txt").out == (
        "clean.txt: arrow, 1 narrative, 1 graph, 3 triplets\n"
        "  nothing to complain about\n"
        "0 errors, 0 warnings in 1 file\n"
    )
    out = tsgkit("check wrong.txt clean.txt", code=1).out
    assert "  error not-lower-case (1): a name is not in lower case\n" in out
    assert "    line 6, graph 1, triplet 1: Cup is not in lower case (cup?)\n" in out
    assert out.endswith("1 error, 0 warnings in 2 files\n")
    assert "not-lower-case" not in tsgkit("check wrong.txt --ignore not-lower-case").out
    Path("warn.txt").write_text("person -> verb -> walk\nwalk -> to -> door\n")
    assert "warning no-dobj (1)" in tsgkit("check warn.txt").out
    assert "line 17: broken JSON" in tsgkit("check rows.jsonl", code=1).out
    ended = tsgkit("check missing.txt wrong.txt", code=2)
    assert "not-lower-case" in ended.out and "missing.txt" in ended.err, "one file does not hide the others"


def test_check_shows_five_findings_of_a_code_and_counts_the_rest(tsgkit: CommandLine) -> None:
    Path("many.txt").write_text("\n".join(f"person -> verb -> hold\nhold -> dobj -> Cup{n}\n" for n in range(9)))
    out = tsgkit("check many.txt", code=1).out
    assert "    ... and 4 more (--all shows them)\n" in out and out.count("is not in lower case (") == 5
    assert tsgkit("check many.txt --all", code=1).out.count("is not in lower case (") == 9


def test_check_prints_json_and_lists_its_codes(tsgkit: CommandLine) -> None:
    value = tsgkit("check --json wrong.txt clean.txt", code=1).json
    assert list(value) == ["files", "errors", "warnings"]
    assert (len(value["files"]), value["errors"], value["warnings"]) == (2, 1, 0)
    assert value["files"][0]["counts"] == {"not-lower-case": 1}
    out = tsgkit("check --codes").out
    assert all(f" {code} " in out for code in ALL_RULES)


def test_vocabulary_files_may_be_bare_or_part_of_a_row(tsgkit: CommandLine) -> None:
    vocabulary = {"object": ["mug"], "relationship": ["with"], "verb": ["wash"]}
    for value in (vocabulary, {"vocabulary": vocabulary}, {"mandatory_space": vocabulary}):
        write_lines("L.json", value)
        assert "cup is not in L" in tsgkit("check clean.txt --vocabulary L.json", code=1).out, value


def test_check_reads_standard_input(tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(WRONG.encode())))
    assert tsgkit("check -", code=1).out.startswith("-: arrow")


def test_hostile_names_reach_no_terminal_as_commands(tsgkit: CommandLine) -> None:
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
    Path("reply.txt").write_text("Sure:\n- person -> verb -> wash\n")
    assert "reply.txt: 2 lines or parts not read as it stands" in tsgkit("convert reply.txt out.json").err
    write_lines("told.jsonl", {"descriptions": [{"text": "x", "graphs": [[["person", "verb", "wash"]]]}]})
    write_lines("L.json", {"objects": ["cup"], "relationships": ["with"], "verbs": ["wash"]})
    tsgkit("convert told.jsonl rows.sgg --to sgg --vocabulary L.json")
    assert json.loads(Path("rows.sgg").read_text())["mandatory_space"]["object"] == ["cup"]


def test_graphs_that_a_format_cannot_carry_are_named_and_left_out(tsgkit: CommandLine) -> None:
    wash, bad = [["person", "verb", "wash"]], [["go", "down", ""]]
    row = SGQA | {"item_id": "b", "context_graphs": [[["person", "verb", "go"]], bad], "qa_pairs": []}
    write_lines("bad.jsonl", SGQA, row)
    Path("empty.json").write_text(json.dumps([wash, *[[]] * 7, bad]))
    tsgkit.refuses(
        {
            "convert bad.jsonl out.txt": "item b, graph 1: arrow text cannot carry the name '': it is empty",
            "convert empty.json out.txt": "item 0, graph 8: arrow text cannot carry the name ''",
        }
    )
    ended = tsgkit("convert empty.json out.txt --keep-going", code=1)
    assert ended.out == "triplets to arrow: 1 graph in out.txt\n"
    assert "arrow cannot carry 8 graphs, and so left out: item 0, graph 8: arrow text cannot carry" in ended.err
    assert "; item 0, graph 1: it has no triplets;" in ended.err and ended.err.rstrip().endswith("and 3 more")
    Path("empty.json").write_text(json.dumps([wash, []]))
    err = tsgkit("convert empty.json out.txt").err
    assert "arrow cannot carry 1 graph, and so left out: item 0, graph 1: it has no triplets" in err


def test_drawings_are_well_formed_and_titled(tsgkit: CommandLine) -> None:
    for words, text in {
        "clean.txt": "clean.txt, item 0, graph 0",
        "wrong.txt": "wrong.txt, item 0",
        "wrong.txt --graph 1": "graph 1",
        "wrong.txt --graph 0 --against clean.txt": "against clean.txt",
    }.items():
        assert tsgkit(f"draw {words} -o picture.svg").out == "drawn: picture.svg\n"
        root = ElementTree.fromstring(Path("picture.svg").read_text())  # noqa: S314  (our own image)
        assert text in "".join(root.itertext()), words
    write_lines("two.jsonl", SGQA, SGQA)
    assert "the first of 2 items" in tsgkit("draw two.jsonl -o x.svg").err
    assert "rows.jsonl: 1 line or part not read as it stands" in tsgkit("draw rows.jsonl -o x.svg").err
    Path("chain.txt").write_text("person -> verb -> wash -> dobj -> cup\n")
    tsgkit.refuses(
        {
            "check x.svg": "this is HTML, SVG or other XML",
            "check chain.txt": "no triplet found in it (line 1: 5 parts between arrows, not 3)",
        }
    )


def test_bugs_and_interrupts_have_exit_codes_of_their_own(monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    monkeypatch.setattr("tsgkit.cli.check.check", lambda *_: 1 / 0)
    assert "a bug in tsgkit: ZeroDivisionError" in tsgkit("check clean.txt", code=70).err

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tsgkit.cli.check.check", interrupt)
    tsgkit("check clean.txt", code=130)
