"""The commands as a person types them, rightly and wrongly, in a process of their own where that matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from samples import FORMATS, SGQA, lines

from tsgkit.cli import commands, main
from tsgkit.cli.terminal import inert
from tsgkit.library.documents.lint import ALL_RULES

CLEAN = "person -> verb -> wash\nwash -> dobj -> cup\nwash -> with -> hand1\n"
WRONG = CLEAN + "\nperson -> verb -> dry\ndry -> dobj -> Cup\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clean.txt").write_text(CLEAN)
    (tmp_path / "wrong.txt").write_text(WRONG)
    (tmp_path / "rows.jsonl").write_text(lines(*[SGQA] * 16) + "{oops\n")
    (tmp_path / "note.md").write_text("Dear reader\n")
    (tmp_path / "binary").write_bytes(bytes(range(256)))
    (tmp_path / "sub").mkdir()
    return tmp_path


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


def run(*words: str, cwd: Path | None = None, text: str = "") -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.run(
        [sys.executable, "-m", "tsgkit", *words],
        capture_output=True, text=True, check=False, cwd=cwd, input=text, env=environment, timeout=60,
    )  # fmt: skip


def test_help_names_every_command_and_imports_nothing_heavy() -> None:
    heavy = ("networkx", "nltk", "rapidfuzz", "pydantic", "numpy", "yaml", "langchain_core")
    code = f"import sys, tsgkit.cli; tsgkit.cli.main(['--help']); print([m for m in {heavy} if m in sys.modules])"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert all(f"\n  {command}" in result.stdout for command in commands())
    assert result.stdout.endswith("[]\n")


def test_no_words_show_where_to_begin_and_version_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out, _ = said(capsys)
    assert all(f"tsgkit {command}" in out for command in ("eval", "samples", "refine", "generate", "init", "--help"))
    assert max(map(len, out.splitlines())) <= 80
    assert main(["--version"]) == 0
    assert "tsgkit 0." in said(capsys)[0]


@pytest.mark.parametrize("command", commands())
def test_every_command_has_a_help_with_its_exit_codes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    out, _ = said(capsys)
    assert f"usage: tsgkit {command}" in out
    assert "exit codes:" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chek"], "there is no command chek\n  check?"),
        (["--frobnicate"], "--frobnicate"),
        (["check"], "no file given"),
        (["check", "--frob", "x"], "there is no option --frob"),
        (["check", "missing.txt"], "missing.txt: no such file"),
        (["check", "claen.txt"], "clean.txt?"),
        (["check", "sub"], "sub: this is a folder"),
        (["check", "binary"], "binary: line 2: not UTF-8"),
        (["check", "note.md"], "note.md: no triplet found"),
        (["check", "clean.txt", "--ignore", "typo"], "there is no code typo"),
        (["check", "clean.txt", "--vocabulary", "clean.txt"], "clean.txt: line 1: broken JSON"),
        (["convert", "clean.txt"], "missing: OUT"),
        (["convert", "clean.txt", "out.csv"], "no format has the ending '.csv'"),
        (["convert", "clean.txt", "-"], "name it with --to"),
        (["convert", "clean.txt", "out", "--to", "csv"], "there is no format 'csv'"),
        (["convert", "clean.txt", "nowhere/out.json"], "nowhere/out.json: cannot be written"),
        (["convert", "rows.jsonl", "out.txt"], "rows.jsonl: line 17: broken JSON"),
        (["draw", "clean.txt"], "missing: -o/--out"),
        (["draw", "clean.txt", "-o", "x.svg", "--graph", "7"], "has no graph 7"),
        (["draw", "clean.txt", "-o", "x.svg", "--item", "tea"], "has no item tea"),
        (["draw", "clean.txt", "-o", "x.svg", "--graph", "x"], "--graph: 'x' is no whole number"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_two(
    words: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = said(capsys)
    assert message in err
    assert "Traceback" not in out + err


def test_a_clean_file_is_good(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "clean.txt"]) == 0
    assert said(capsys)[0] == (
        "clean.txt: arrow, 1 narrative, 1 graph, 3 triplets\n"
        "  nothing to complain about\n"
        "0 errors, 0 warnings in 1 file\n"
    )


def test_errors_are_shown_with_their_place_and_exit_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "wrong.txt", "clean.txt"]) == 1
    out, _ = said(capsys)
    assert "  error not-lower-case (1): a name is not in lower case\n" in out
    assert "    line 6, graph 1, triplet 1: Cup is not in lower case (cup?)\n" in out
    assert out.endswith("1 error, 0 warnings in 2 files\n")


def test_warnings_alone_are_good(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "warn.txt").write_text("person -> verb -> walk\nwalk -> to -> door\n")
    assert main(["check", "warn.txt"]) == 0
    assert "warning no-dobj (1)" in said(capsys)[0]


def test_an_unreadable_file_does_not_hide_the_others_and_wins_the_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "missing.txt", "wrong.txt"]) == 2
    out, err = said(capsys)
    assert "not-lower-case" in out
    assert "missing.txt" in err


def test_a_broken_line_is_an_error_with_its_number(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "rows.jsonl"]) == 1
    assert "line 17: broken JSON" in said(capsys)[0]


def test_five_findings_of_a_code_are_shown_and_the_rest_counted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "many.txt").write_text("\n".join(f"person -> verb -> hold\nhold -> dobj -> Cup{n}\n" for n in range(9)))
    main(["check", "many.txt"])
    assert "    ... and 4 more (--all shows them)\n" in said(capsys)[0]
    main(["check", "many.txt", "--all"])
    assert said(capsys)[0].count("is not in lower case (") == 9


def test_a_code_can_be_left_out(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "wrong.txt", "--ignore", "not-lower-case"]) == 0
    assert "not-lower-case" not in said(capsys)[0]


def test_the_json_report_has_the_agreed_shape(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "wrong.txt", "clean.txt"]) == 1
    value = json.loads(said(capsys)[0])
    assert list(value) == ["files", "errors", "warnings"]
    assert (len(value["files"]), value["errors"], value["warnings"]) == (2, 1, 0)
    assert value["files"][0]["counts"] == {"not-lower-case": 1}


def test_the_codes_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--codes"]) == 0
    out, _ = said(capsys)
    assert all(f" {code} " in out for code in ALL_RULES)


@pytest.mark.parametrize("shape", ["{}", '{{"vocabulary": {}}}', '{{"mandatory_space": {}}}'])
def test_a_vocabulary_file_may_be_bare_or_part_of_a_row(
    shape: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "L.json").write_text(shape.format('{"object": ["mug"], "relationship": ["with"], "verb": ["wash"]}'))
    assert main(["check", "clean.txt", "--vocabulary", "L.json"]) == 1
    assert "cup is not in L" in said(capsys)[0]


def test_standard_input_is_checked(tmp_path: Path) -> None:
    result = run("check", "-", cwd=tmp_path, text=WRONG)
    assert result.returncode == 1
    assert result.stdout.startswith("-: arrow")


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text("person -> Verb -> Hold\n\n" * 5000)
    command = f"{sys.executable} -m tsgkit check --all many.txt | head -1"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    result = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],  # noqa: S607  (bash of this machine)
        capture_output=True, text=True, check=False, cwd=tmp_path, env=environment,
    )  # fmt: skip
    assert (result.returncode, result.stderr) == (0, "")


def test_hostile_names_reach_no_terminal_as_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "evil.json").write_text(json.dumps([[["person", "verb", "\x1b[31mX\u202e\r"]]]))
    assert main(["check", "evil.json"]) == 1
    out, _ = said(capsys)
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert inert("\x1b[31mX\u202e\r") in out


@pytest.mark.parametrize("name", FORMATS)
def test_converting_says_what_was_written_and_what_was_left_out(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in").write_text(FORMATS[name])
    assert main(["convert", "in", "out.txt"]) == 0
    out, err = said(capsys)
    assert out.startswith(f"{name} to arrow: ")
    assert ("cannot carry" in err) == (name not in ("arrow", "triplets", "node-link", "graphml"))
    assert main(["check", "out.txt"]) == 0


def test_converting_to_standard_output_prints_nothing_else(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "clean.txt", "-", "--to", "triplets"]) == 0
    out, err = said(capsys)
    assert json.loads(out)[0][0] == ["person", "verb", "wash"]
    assert err == ""


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["clean.txt"], "clean.txt, item 0, graph 0"),
        (["wrong.txt"], "wrong.txt, item 0"),
        (["wrong.txt", "--graph", "1"], "graph 1"),
        (["wrong.txt", "--graph", "0", "--against", "clean.txt"], "against clean.txt"),
    ],
)
def test_drawings_are_well_formed_and_titled(
    words: list[str], text: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["draw", *words, "-o", "picture.svg"]) == 0
    root = ElementTree.fromstring((folder / "picture.svg").read_text())  # noqa: S314  (our own image)
    assert text in "".join(root.itertext())
    assert said(capsys)[0] == "drawn: picture.svg\n"


def test_drawing_the_first_of_many_items_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rows2.jsonl").write_text(lines(SGQA, SGQA))
    assert main(["draw", "rows2.jsonl", "-o", "x.svg"]) == 0
    assert "the first of 2 items" in said(capsys)[1]


def test_our_own_bug_is_told_apart_and_has_its_exit_code(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tsgkit.cli.check.check", lambda *_: 1 / 0)
    assert main(["check", "clean.txt"]) == 70
    assert "a bug in tsgkit: ZeroDivisionError" in said(capsys)[1]


def test_an_interrupt_has_its_exit_code(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tsgkit.cli.check.check", interrupt)
    assert main(["check", "clean.txt"]) == 130


def test_converting_what_was_not_clean_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "reply.txt").write_text("Sure:\n- person -> verb -> wash\n")
    assert main(["convert", "reply.txt", "out.json"]) == 0
    assert "reply.txt: 2 lines or parts not read as it stands" in said(capsys)[1]


def test_drawing_what_was_not_clean_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "rows.jsonl", "-o", "x.svg"]) == 0
    assert "rows.jsonl: 1 line or part not read as it stands" in said(capsys)[1]


def test_a_vocabulary_that_cannot_be_read_is_said_although_the_item_has_its_own(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "tea.jsonl").write_text(FORMATS["sgg"])
    assert main(["draw", "tea.jsonl", "-o", "x.svg", "--vocabulary", "nosuch"]) == 2
    assert "nosuch: no such file" in said(capsys)[1]


@pytest.mark.parametrize("target", ["clean.txt", "./sub/../clean.txt", "link.svg"])
def test_the_file_being_read_is_never_overwritten(
    target: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "link.svg").symlink_to("clean.txt")
    assert main(["convert", "clean.txt", target, "--to", "triplets"]) == 2
    assert "this is the file being read" in said(capsys)[1]
    assert main(["draw", "clean.txt", "-o", target]) == 2
    assert (folder / "clean.txt").read_text() == CLEAN


def test_keep_going_writes_what_could_be_read_and_exits_one(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", "rows.jsonl", "out.txt", "--keep-going"]) == 1
    assert "sgqa to arrow: 32 graphs in out.txt" in said(capsys)[0]


def test_a_graph_that_cannot_be_carried_is_placed_within_its_item(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = SGQA | {"item_id": "b", "context_graphs": [[["person", "verb", "go"]], [["go", "down", ""]]], "qa_pairs": []}
    (folder / "bad.jsonl").write_text(lines(SGQA, bad))
    assert main(["convert", "bad.jsonl", "out.txt"]) == 2
    assert "item b, graph 1: arrow text cannot carry the name '': it is empty" in said(capsys)[1]


def test_graphs_that_are_left_out_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wash: list[list[str]] = [["person", "verb", "wash"]]
    (folder / "empty.json").write_text(json.dumps([wash, *[[]] * 7, [["go", "down", ""]]]))
    assert main(["convert", "empty.json", "out.txt"]) == 2
    assert "item 0, graph 8: arrow text cannot carry the name ''" in said(capsys)[1]
    assert not (folder / "out.txt").exists()
    assert main(["convert", "empty.json", "out.txt", "--keep-going"]) == 1
    out, err = said(capsys)
    assert out == "triplets to arrow: 1 graph in out.txt\n"
    assert "arrow cannot carry 8 graphs, and so left out: item 0, graph 8: arrow text cannot carry the name ''" in err
    assert "; item 0, graph 1: it has no triplets;" in err
    assert err.rstrip().endswith("and 3 more")
    (folder / "empty.json").write_text(json.dumps([wash, []]))
    assert main(["convert", "empty.json", "out.txt"]) == 0, "what is empty costs nothing but its place"
    assert "arrow cannot carry 1 graph, and so left out: item 0, graph 1: it has no triplets" in said(capsys)[1]


def test_a_vocabulary_can_be_added_in_conversion(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "L.json").write_text('{"objects": ["cup"], "relationships": ["with"], "verbs": ["wash"]}')
    (folder / "told.jsonl").write_text('{"descriptions": [{"text": "x", "graphs": [[["person", "verb", "wash"]]]}]}')
    assert main(["convert", "told.jsonl", "rows.sgg", "--to", "sgg", "--vocabulary", "L.json"]) == 0
    assert json.loads((folder / "rows.sgg").read_text())["mandatory_space"]["object"] == ["cup"]


def test_a_image_by_another_ending_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["draw", "clean.txt", "-o", "x.png"]) == 2
    assert "an image is SVG" in said(capsys)[1]


def test_our_own_image_is_not_taken_for_graphs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["draw", "clean.txt", "-o", "x.svg"])
    assert main(["check", "x.svg"]) == 2
    assert "this is HTML, SVG or other XML" in said(capsys)[1]


def test_unreadable_input_reports_the_first_reason(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "chain.txt").write_text("person -> verb -> wash -> dobj -> cup\n")
    assert main(["check", "chain.txt"]) == 2
    assert "no triplet found in it (line 1: 5 parts between arrows, not 3)" in said(capsys)[1]
