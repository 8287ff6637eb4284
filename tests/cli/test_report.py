"""``tsgkit report`` as a person types it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import pytest
from reported import baseline_run

from tsgkit.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sa-sgg", limit=10)


def said(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main(["report", *map(str, words)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_report_shows_scores_outcomes_and_use(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, run)
    assert code == 0
    for title in ("tsg/sgqa\n", "tsg/sa-sgg\n", "how samples ended\n", "what it took\n", "elements outside L\n"):
        assert title in out


def test_the_same_report_is_written_twice(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = (run, "--by", "k", "--against", "published")
    assert said(capsys, *words) == said(capsys, *words)


@pytest.mark.parametrize(
    ("name", "start"), [("a.md", "# Results"), ("a.csv", "run,"), ("a.json", "{"), ("a.tex", "% Tables"), ("a", "tsg/")]
)
def test_the_ending_of_the_file_chooses_the_format(
    name: str, start: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, _ = said(capsys, run, "-o", tmp_path / name)
    assert (code, out) == (0, "")
    assert (tmp_path / name).read_text().startswith(start)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_json_holds_groups_and_published_figures(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--format", "json", "--by", "implicit", "--against", "published", "--metrics", "main")
    code, out, _ = said(capsys, run, *words)
    value = json.loads(out)
    assert code == 0
    assert [sorted(row["by"]) for row in value["rows"]] == [[], ["implicit"], [], ["implicit"]]
    assert len(value["published"]) == 4


def test_a_run_s_own_files_are_never_written_over(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    for option in ("-o", "--junit", "--summary", "--figure=f1:implicit -o"):
        for name in ("samples.jsonl", "new.md") if " " not in option else ("new.pdf",):
            code, _, err = said(capsys, run, *option.split(), run / name)
            assert code == 2
            assert "whose files are not touched" in err
    assert {path: path.read_bytes() for path in run.rglob("*") if path.is_file()} == before


def test_gates_decide_the_exit_code_and_stand_in_junit_and_summary(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xml, page = tmp_path / "junit.xml", tmp_path / "summary.md"
    page.write_text("before\n")
    words = (run, "--junit", xml, "--summary", page, "--fail-under")
    code, _, err = said(capsys, *words, "sgqa.normalised=0.3")
    assert code == 3
    assert "gate missed: baseline/random" in err
    tree = ElementTree.parse(xml).getroot()  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("4", "1", "0")
    assert page.read_text().startswith("before\n\n## tsgkit results\n")
    assert "gate missed" in page.read_text()
    assert said(capsys, *words, "sgqa.normalised=0.0")[0] == 0
    assert page.read_text().count("## tsgkit results") == 2
    assert page.read_text().endswith("- every gate is reached\n")


@pytest.mark.parametrize("format", ["pdf", "svg", "png"])
def test_a_figure_is_written_and_said_in_words(
    format: str, run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="figures are drawn by matplotlib, the extra tsgkit[figures]")
    target = tmp_path / f"f1.{format}"
    code, out, err = said(capsys, run, "--figure", "tsg/sa-sgg.f1:implicit", "-o", target, "--columns", "2")
    assert (code, err) == (0, f"tsgkit: written: {target}\n")
    assert out.startswith("f1 by implicit, strict. tsg/sa-sgg, f1, strict (%): baseline/rules (explicit: ")
    assert [path.name for path in tmp_path.iterdir()] == [target.name]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--figure", "f1"], "expected a metric and a group, METRIC:G"),
        (["--figure", "f1:implicit"], "--figure: no file is named"),
        (["--figure", "f1:implicit", "-o", "f1.jpg"], "no figure has the ending jpg"),
        (["--figure", "f1:implicit", "-o", "f1.pdf", "--by", "k"], "--figure and --by do not go together"),
        (["--figure", "f1:k", "-o", "f1.pdf", "--metrics", "all"], "--figure and --metrics do not go together"),
        (["--figure", "f1:implicit", "-o", "f1.pdf", "--profile", "x"], "there is no profile x"),
        (["--figure", "f9:implicit", "-o", "f1.pdf"], "no task here has the metric f9"),
        (["--figure", "f1:implicitly", "-o", "f1.pdf"], "a figure cannot be grouped by implicitly\n  implicit?"),
        (["--columns", "2"], "--columns is said of a figure"),
        (["--by", "nothing"], "there is no group nothing"),
        (["--format", "word"], "there is no format word"),
        (["--against", "nobody"], "--against nobody"),
        (["--metrics", "few"], "no choice of metrics few"),
        (["--fail-under", "sgqa.nothing=1"], "has no nothing"),
        (["--fail-under", "ma-sgg.f1=0.1"], "is not evaluated"),
        (["-o", "/no/such/folder/report.md"], "there is no folder"),
        (["--junit", "x", "--summary", "x"], "two outputs name one file"),
    ],
)
def test_slips_are_said_in_words(
    words: Sequence[str], expected: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = said(capsys, run, *words)
    assert (code, out) == (2, "")
    assert expected in err


def test_a_folder_without_a_run_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = said(capsys, tmp_path)
    assert code == 2
    assert "no run lies here" in err
