"""The page of a report: whole, closed, honest about what is not known, the same for the same runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from pages import Page
from report_runs import RIGHT, ROWS, recorded

from tsgkit.report.examples import examples_of
from tsgkit.report.html import POLICY
from tsgkit.report.page import write
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import gather

BULLETS = "\n".join(f"- {line}" for line in RIGHT.split("\n"))


@pytest.fixture
def run(tmp_path: Path) -> Path:
    replies: dict[str, object] = {
        "two": f"{RIGHT}\n\n{BULLETS}",
        "three": (None, "refused"),
        "four": (None, "api_error"),
    }
    return recorded(tmp_path, "ma-sgg", replies)


def test_a_page_is_closed_and_refers_to_nothing_outside(run: Path) -> None:
    source = write(gather([run], ["k"]))
    page = Page(source)
    assert page.problems == []
    assert "<script" not in source
    assert "http:" not in source
    assert "https:" not in source
    assert "url(" not in source
    assert "@import" not in source
    assert ("meta", "content", POLICY) in page.attributes


def test_every_part_is_there_and_linked(run: Path) -> None:
    page = Page(write(against_published(gather([run], ["k"]))))
    for part in ("Results", "Beside the published tables", "Plots", "By k", "Elements outside L", "Examples"):
        assert part in page.text
    assert len(page.links) == len(page.ids) == 9


def test_numbers_of_the_report_stand_on_the_page(run: Path) -> None:
    report = gather([run])
    [row] = report.rows
    page = Page(write(report))
    value = (row.board.profiles["strict"] or {})["f1"]
    assert value is not None
    assert f"{100 * value.value:.1f}" in page.text
    assert row.data_sha256[:16] in page.text
    assert row.subject in page.text


def test_ways_of_ending_are_counted_and_shown(run: Path) -> None:
    text = Page(write(gather([run]))).text
    assert "1 refused, 1 api error" in text
    assert "1 answered" in text


def test_examples_are_one_for_each_reason_and_no_item_twice(run: Path) -> None:
    found = [(example.why, example.explained.sample.item_id) for example in examples_of(gather([run]))]
    assert found == [("median", "two"), ("refused", "three"), ("api error", "four")]


def test_the_same_run_makes_the_same_page(run: Path) -> None:
    assert write(gather([run], ["k"])) == write(gather([run], ["k"]))


def test_a_row_without_official_figures_shows_a_dash_and_why(tmp_path: Path) -> None:
    run = recorded(tmp_path, "sgds", {"s": "[B]"}, solvers=["vote:3"])
    page = Page(write(gather([run])))
    assert "no official figures, since the published way asks once" in page.text
    assert page.problems == []


def test_rows_of_two_runs_that_are_alike_are_told_apart(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", "sgds", {"s": "[B]"})
    other = tmp_path / "other"
    shutil.copytree(one, other)
    text = Page(write(gather([one, other]))).text
    assert f"({one})" in text
    assert f"({other})" in text


def test_a_run_that_has_gone_away_leaves_the_results(run: Path) -> None:
    report = gather([run])
    shutil.rmtree(run)
    page = Page(write(report))
    assert page.problems == []
    assert "There are none" in page.text


def test_an_unfinished_run_says_what_was_not_asked(run: Path) -> None:
    for name in ("calls.jsonl", "samples.jsonl"):
        file = run / name
        file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
    assert "2 more were not asked yet: the figures are over those that ended" in Page(write(gather([run]))).text


def test_scores_against_k_are_drawn_where_k_differs(tmp_path: Path) -> None:
    graphs = ROWS["ma-sgg"][0]["graphs"]
    rows = [*ROWS["ma-sgg"], ROWS["ma-sgg"][0] | {"item_id": "more", "graphs": graphs * 2}]
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT, "more": RIGHT}, rows=rows)
    assert "strict, against k" in Page(write(gather([run]))).text
    assert "strict, against k" not in Page(write(gather([recorded(tmp_path / "b", "sa-sgg", {"one": RIGHT})]))).text
