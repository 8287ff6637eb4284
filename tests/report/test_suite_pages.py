"""Pages of all four suites: titles, the grid first, every headline metric, answers drawn, nothing empty or live."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from page_tables import Tables, empty_columns
from pages import Page
from report_runs import RIGHT, ROWS, recorded
from suite_runs import RUNS, stored

from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.page import write
from tsgkit.report.report_rows import HEADLINE, Report, gather
from tsgkit.runs.folder import read_header

WRONG = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)>javascript:alert(1)"


@pytest.fixture(scope="module", params=sorted(RUNS))
def report(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Report:
    run = stored(tmp_path_factory.mktemp("suites"), RUNS[request.param])
    return gather([run], metrics=HEADLINE)


def test_the_title_names_subjects_date_and_data(report: Report) -> None:
    source = write(report)
    [title] = re.findall(r"<head>.*?<title>(.*?)</title>", source)
    assert all(subject in title for subject in {row.subject for row in report.rows})
    assert read_header(Path(report.runs[0]))["begun"][:10] in title
    assert all(Path(row.data).name in title for row in report.rows)
    assert "Scene graphs" not in source


def test_the_grid_comes_first_then_plots_then_tables(report: Report) -> None:
    headings = re.findall(r"<h2>(.*?)</h2>", write(report))
    assert headings[:3] == ["Results", "Plots", "Tables"]


def test_the_grid_has_every_headline_metric(report: Report) -> None:
    head = Tables(write(report)).tables[0][0]
    for row in report.rows:
        for name, metric in row.metrics.items():
            if metric.is_headline and (row.board.profiles["strict"] or {}).get(name) is not None:
                assert any(cell.removesuffix(" ↓").endswith(name) for cell in head), name


def test_no_column_is_empty_and_the_page_is_whole(report: Report) -> None:
    source = write(report)
    assert empty_columns(source) == []
    assert Page(source).problems == []


def test_no_record_is_shown_as_json(report: Report) -> None:
    text = Page(write(report)).text
    assert '{"found"' not in text


def test_differences_that_cannot_be_marked_say_why(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", "sgds", {"s": "[B]"}, styles=["zero-shot", "cot"])
    other = recorded(tmp_path / "b", "sgds", {"t": "[B]"}, rows=[ROWS["sgds"][0] | {"item_id": "t"}])
    assert "Differences are not marked: " in Page(write(gather([one, other]))).text


def test_several_styles_carry_the_legend_of_marks(tmp_path: Path) -> None:
    run = recorded(tmp_path, "sgds", {"s": "[B]"}, styles=["zero-shot", "cot"])
    text = Page(write(gather([run]))).text
    assert "(+) better and (-) worse than the model's first style" in text
    assert "Marks are about accuracy" in text


def test_one_subject_with_runs_of_several_tasks_is_one_row_of_the_grid(tmp_path: Path) -> None:
    runs = [recorded(tmp_path, task, {item: RIGHT}) for task, item in (("sa-sgg", "one"),)]
    runs.append(recorded(tmp_path / "more", "sgds", {"s": "[B]"}, script="../replies.jsonl"))
    report = gather(runs)
    subjects = {row.subject for row in report.rows}
    assert len(Tables(write(report)).tables[0]) == 1 + len(subjects)


def test_graphs_stand_side_by_side_under_one_legend(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": f"{WRONG}\n\n{RIGHT}"})
    source = write_explanation(explain(run, "two"))
    assert source.count('class="sides"') == 2
    assert source.count("<figcaption>reference</figcaption>") == source.count("<figcaption>answer</figcaption>") == 2
    assert source.count("Legend of the graphs") == 1
    assert "only in the answer" in source
    assert "only in the reference" not in source


def test_a_missing_graph_is_said_to_be_missing(tmp_path: Path) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT})
    assert "there is no graph" in write_explanation(explain(run, "two"))


def test_drawings_are_recoloured_on_dark_pages(tmp_path: Path) -> None:
    source = write_explanation(explain(recorded(tmp_path, "sa-sgg", {"one": WRONG}), "one"))
    drawn = re.findall(r"<figure>.*?</figure>", source, re.DOTALL)
    colours = {colour for svg in drawn for colour in re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg)}
    dark = source.split("@media screen and (prefers-color-scheme: dark)")[1]
    assert colours
    assert all(f'"{colour}"' in dark for colour in colours)


def test_the_title_of_an_explanation_says_what_was_asked(tmp_path: Path) -> None:
    source = write_explanation(explain(recorded(tmp_path, "sa-sgg", {"one": WRONG}), "one"))
    assert "<h1>Item one: From a sentence to the graph of its one action</h1>" in source


def test_a_layout_is_drawn_and_its_objects_are_a_table(tmp_path: Path) -> None:
    run = stored(tmp_path, "formalimg/layout")
    lines = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    item = next(line["item_id"] for line in lines if line["outcome"] == "answered" and line["answer"])
    source = write_explanation(explain(run, item))
    assert '<div class="room"><figure>' in source
    assert any(rows[0][:2] == ["label", "color"] for rows in Tables(source).tables)
    assert empty_columns(source) == []


def test_a_room_is_drawn_with_its_verdicts_and_without_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fcl", reason="rooms are drawn as they are measured: the extra tsgkit[scenes]")
    run = stored(tmp_path, "sceneeval/rules")
    monkeypatch.chdir(run.parent)
    source = write_explanation(explain(run, "1"))
    text = Page(source).text
    assert "from above, as measured by rules" in text
    assert "Not plausible: one object hangs in the air; one door is blocked" in text
    assert '{"found"' not in text


def test_an_image_is_shown_beside_its_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("PIL")
    run = stored(tmp_path, "spatialgen/judged")
    monkeypatch.chdir(run.parent)
    source = write_explanation(explain(run, "000002"))
    assert 'href="data:image/jpeg;base64,' in source
    assert any("right answer" in rows[0] for rows in Tables(source).tables)


def test_names_with_markup_are_inert_on_every_drawing(tmp_path: Path) -> None:
    reply = f"person -> verb -> wash\nwash -> dobj -> {HOSTILE}"
    source = write_explanation(explain(recorded(tmp_path, "sa-sgg", {"one": reply}), "one"))
    page = Page(source)
    assert page.problems == []
    assert "<script" not in source
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
