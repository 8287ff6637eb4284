"""``tsgkit report``: what it shows and writes, what it refuses, and its gates."""

from __future__ import annotations

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from command_line import CommandLine
from reported import baseline_run


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/sa-sgg", limit=10)


@pytest.fixture(autouse=True)
def run(template: Path, folder: Path) -> None:
    shutil.copytree(template, folder / "run")


def test_reports_show_scores_outcomes_and_use_the_same_twice(tsgkit: CommandLine) -> None:
    words = "report run --by k --against published"
    out = tsgkit(words).out
    for title in ("tsg/sgqa\n", "tsg/sa-sgg\n", "how samples ended\n", "what it took\n", "elements outside L\n"):
        assert title in out, title
    assert tsgkit(words).out == out
    value = tsgkit("report run --format json --by implicit --against published --metrics main").json
    assert [sorted(row["by"]) for row in value["rows"]] == [[], ["implicit"], [], ["implicit"]]
    assert len(value["published"]) == 4


def test_ending_of_the_file_chooses_the_format(tsgkit: CommandLine) -> None:
    for name, start in {
        "a.md": "# Results",
        "a.csv": "run,",
        "a.json": "{",
        "a.tex": "% Tables",
        "a": "tsg/",
        "a.txt": "tsg/",
    }.items():
        assert tsgkit(f"report run -o {name}").out == ""
        assert Path(name).read_text().startswith(start), name


def test_gates_decide_the_exit_code_and_stand_in_junit_and_summary(tsgkit: CommandLine) -> None:
    Path("summary.md").write_text("before\n")
    words = "report run --junit junit.xml --summary summary.md --fail-under"
    assert "gate missed: baseline/random" in tsgkit(words, "sgqa.normalised=0.3", code=3).err
    tree = ElementTree.parse("junit.xml").getroot()  # noqa: S314  (our own)
    assert (tree.attrib["tests"], tree.attrib["failures"], tree.attrib["errors"]) == ("4", "1", "0")
    summary = Path("summary.md").read_text()
    assert summary.startswith("before\n\n## tsgkit results\n") and "gate missed" in summary
    tsgkit(words, "sgqa.normalised=0.0")
    summary = Path("summary.md").read_text()
    assert summary.count("## tsgkit results") == 2 and summary.endswith("- every gate is reached\n")


def test_report_refuses_invalid_arguments_and_files_of_the_run(tsgkit: CommandLine) -> None:
    Path("empty").mkdir()
    untouched = "whose files are not touched"
    tsgkit.refuses(
        {
            "run --figure f1": "expected a metric and a group, METRIC:G",
            "run --figure f1:implicit": "--figure: no file is named",
            "run --figure f1:implicit -o f1.jpg": "no figure has the ending jpg",
            "run --figure f1:implicit -o f1.pdf --by k": "--figure and --by do not go together",
            "run --figure f1:k -o f1.pdf --metrics all": "--figure and --metrics do not go together",
            "run --figure f1:implicit -o f1.pdf --profile x": "there is no profile x",
            "run --figure f9:implicit -o f1.pdf": "no task here has the metric f9",
            "run --figure f1:implicitly -o f1.pdf": "a figure cannot be grouped by implicitly\n  implicit?",
            "run --columns 2": "--columns is said of a figure",
            "run --by nothing": "there is no group nothing",
            "run --format word": "there is no format word",
            "run --against nobody": "--against nobody",
            "run --metrics few": "no choice of metrics few",
            "run --fail-under sgqa.nothing=1": "has no nothing",
            "run --fail-under ma-sgg.f1=0.1": "is not evaluated",
            "run -o /no/such/folder/report.md": "there is no folder",
            "run -o t.pdf": "tsgkit: t.pdf: no report ends in .pdf\n  name it .md, .csv, .json, .tex, .html",
            "run -o t.pdf --by k": "--figure METRIC:G for a drawing",
            "run --junit x --summary x": "two outputs name one file",
            "run -o run/samples.jsonl": untouched,
            "run --junit run/new.md": untouched,
            "run --summary run/new.md": untouched,
            "run --figure f1:implicit -o run/new.pdf": untouched,
            "empty": "no run lies here",
        },
        "report",
    )
