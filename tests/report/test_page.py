"""The page of a report: whole, closed, honest about what is not known, the same for the same runs, of every suite."""

from __future__ import annotations

import re
import shutil
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from page_tables import Tables, empty_columns
from pages import Page
from report_runs import RIGHT, ROWS, recorded
from suite_runs import RUNS, stored

from tsgkit.report import html
from tsgkit.report.examples import examples_of
from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.html import POLICY
from tsgkit.report.page import write
from tsgkit.report.plain_text import HIDDEN
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import HEADLINE, gather
from tsgkit.runs.folder import read_header

BULLETS = "\n".join(f"- {line}" for line in RIGHT.split("\n"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    replies: dict[str, object] = {
        "two": f"{RIGHT}\n\n{BULLETS}",
        "three": (None, "refused"),
        "four": (None, "api_error"),
    }
    return recorded(tmp_path_factory.mktemp("page"), "ma-sgg", replies)


def test_a_page_is_closed_refers_to_nothing_outside_and_is_the_same_twice(run: Path) -> None:
    source = write(gather([run], ["k"]))
    page = Page(source)
    assert page.problems == []
    for live in ("<script", "http:", "https:", "url(", "@import"):
        assert live not in source, live
    assert ("meta", "content", POLICY) in page.attributes
    assert write(gather([run], ["k"])) == source


def test_every_part_is_there_and_linked_with_the_numbers_of_the_report_and_the_ways_of_ending(run: Path) -> None:
    report = against_published(gather([run], ["k"]))
    page = Page(write(report))
    for part in ("Results", "Beside the published tables", "Plots", "By k", "Elements outside L", "Examples"):
        assert part in page.text
    assert len(page.links) == len(page.ids) == 9
    [row] = report.rows
    value = (row.board.profiles["strict"] or {})["f1"]
    assert value is not None
    ways = ("1 answered", "1 refused, 1 api error")
    for shown in (f"{100 * value.value:.1f}", row.data_sha256[:16], row.subject, *ways):
        assert shown in page.text, shown
    found = [(one.why, one.explained.sample.item_id) for one in examples_of(report)]
    assert found == [("median", "two"), ("refused", "three"), ("api error", "four")]


def test_a_run_that_has_gone_away_leaves_the_results_and_an_unfinished_one_says_so(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    for name in ("calls.jsonl", "samples.jsonl"):
        file = copy / name
        file.write_bytes(file.read_bytes().split(b"\n")[0] + b"\n")
    report = gather([copy])
    assert "2 more were not asked yet: the figures are over those that ended" in Page(write(report)).text
    shutil.rmtree(copy)
    page = Page(write(report))
    assert page.problems == []
    assert "There are none" in page.text


def test_rows_are_told_apart_and_differences_marked_or_why_not(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", "sgds", {"s": "[B]"}, styles=["zero-shot", "cot"])
    text = Page(write(gather([one]))).text
    assert "(+) better and (-) worse than the model's first style" in text
    assert "Marks are about accuracy" in text
    copy = Path(shutil.copytree(one, tmp_path / "copy"))
    text = Page(write(gather([one, copy]))).text
    assert f"({one})" in text and f"({copy})" in text
    other = recorded(tmp_path / "b", "sgds", {"t": "[B]"}, rows=[ROWS["sgds"][0] | {"item_id": "t"}])
    assert "Differences are not marked: " in Page(write(gather([one, other]))).text
    votes = recorded(tmp_path / "c", "sgds", {"s": "[B]"}, solvers=["vote:3"])
    page = Page(write(gather([votes])))
    assert "no official figures, since the published way asks once" in page.text
    assert page.problems == []
    graphs = ROWS["ma-sgg"][0]["graphs"]
    rows = [*ROWS["ma-sgg"], ROWS["ma-sgg"][0] | {"item_id": "more", "graphs": graphs * 2}]
    several = recorded(tmp_path / "k", "ma-sgg", {"two": RIGHT, "more": RIGHT}, rows=rows)
    assert "strict, against k" in Page(write(gather([several]))).text
    assert "strict, against k" not in text
    runs = [recorded(tmp_path, "sa-sgg", {"one": RIGHT})]
    runs.append(recorded(tmp_path / "more", "sgds", {"s": "[B]"}, script="../replies.jsonl"))
    report = gather(runs)
    subjects = {row.subject for row in report.rows}
    assert len(Tables(write(report)).tables[0]) == 1 + len(subjects), "tasks of one subject stand in one row"


@pytest.mark.parametrize("suite", RUNS)
def test_a_page_of_every_suite_is_whole_with_a_title_and_every_headline_metric(suite: str, tmp_path: Path) -> None:
    report = gather([stored(tmp_path, RUNS[suite])], metrics=HEADLINE)
    source = write(report)
    page = Page(source)
    assert page.problems == [] and empty_columns(source) == []
    assert '{"found"' not in page.text, "a record as JSON"
    [title] = re.findall(r"<head>.*?<title>(.*?)</title>", source)
    assert all(row.subject in title and Path(row.data).name in title for row in report.rows)
    assert read_header(Path(report.runs[0]))["begun"][:10] in title
    assert "Scene graphs" not in source
    assert re.findall(r"<h2>(.*?)</h2>", source)[:3] == ["Results", "Plots", "Tables"]
    head = Tables(source).tables[0][0]
    for row in report.rows:
        for name, metric in row.metrics.items():
            if metric.is_headline and (row.board.profiles["strict"] or {}).get(name) is not None:
                assert any(cell.removesuffix(" ↓").endswith(name) for cell in head), name


# ---- tables ----


def table(*rows: tuple[str, ...], head: tuple[str, ...] = ("who", "score", "why")) -> str:
    return html.table(head, [[*map(html.text, row)] for row in rows])


def test_columns_without_content_are_left_out_but_the_first() -> None:
    for rows, expected in (
        ((("a", "-", "good"), ("b", "", "bad")), [["who", "why"], ["a", "good"], ["b", "bad"]]),
        ((("a", "-", ""), ("b", "1", "")), [["who", "score"], ["a", "-"], ["b", "1"]]),
        ((("", "1", "x"),), [["who", "score", "why"], ["", "1", "x"]]),
    ):
        assert Tables(table(*rows)).tables == [expected]


def test_figures_stand_on_the_right_with_their_heading_and_words_on_the_left() -> None:
    for cell, figures in {
        **dict.fromkeys(("12", "1,234", "57.4 [50.3, 64.3]", "57.4 [50.3, 64.3] (+)", "[50.3, 64.3]", ">=$0.0012"), 3),
        **dict.fromkeys(("400 + 40", "11 %", "(unknown)", "-3.5"), 3),
        **dict.fromkeys(("zero-shot", "cot 4 shots", "3 of 6", "2.21 of 6.11 square metres", "gpt-4"), 0),
    }.items():
        assert table(("a", cell, "x"), ("b", "-", "y")).count('class="figure"') == figures, cell
    assert 'class="figure"' not in table(("a", "1", "x"), ("b", "none", "y")), "one word among figures"


def test_a_long_table_is_scrolled_under_its_head_and_a_heading_names_its_group() -> None:
    rows = [(str(number), "1", "x") for number in range(html.MOST_ROWS + 1)]
    assert '<div class="wide long"' in table(*rows)
    assert "long" not in table(*rows[:-1])
    source = table(("a", "1", "x"), head=("who", "a<b\nf1", "why"))
    assert '<span class="group"><bdi>a&lt;b</bdi></span>f1' in source
    assert 'data-label="a&lt;b f1"' in source


# ---- hostile texts ----

HOSTILE = (
    "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" \'',
    "]]></title></svg><script>x</script><!--",
    "&lt;b&gt; &amp; &#x3c;script&#x3e;",
    "\x1b[31mred\x1b]0;title\x07",
    "\u202eevil\u2066\u200f",
    "person -> verb -> </pre><script>\nwash -> dobj -> <svg onload=alert(1)>",
    "{{7*7}} ${7*7} javascript:alert(1)",
)
ANYTHING = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=60))


def hidden_in(source: str) -> set[str]:
    return {letter for letter in source if unicodedata.category(letter) in HIDDEN} - {"\n", "\t"}


@given(ANYTHING)
@example("\r\n\t\n<")
@settings(max_examples=50)
def test_text_stays_text_between_tags_and_in_attributes(value: str) -> None:
    body = [html.text(value), html.name(value), html.block(value), html.tag("p", title_="", aria_label=value)]
    source = html.whole_page(value, *body)
    assert [problem for problem in Page(source).problems if "title" not in problem] == []
    assert hidden_in(source) == set()


@given(reply=ANYTHING, item=ANYTHING.map(str.strip).filter(bool), name=st.sampled_from(HOSTILE))
@example(reply=f"{RIGHT}\nwash -> on -> {HOSTILE[0]}", item=HOSTILE[1], name=HOSTILE[3])
@settings(max_examples=8)
def test_pages_of_hostile_runs_are_whole_and_hold_nothing_but_ours(reply: str, item: str, name: str) -> None:
    item = item.encode("utf-8", "replace").decode()
    script = "".join("_" if letter in "/\0" else letter for letter in name) + ".jsonl"
    rows = [ROWS["ma-sgg"][0] | {"item_id": item, "domain": name, "tags": [name, reply], "target_sentence": name}]
    with tempfile.TemporaryDirectory() as folder:
        run = recorded(Path(folder), "ma-sgg", {item: reply}, rows=rows, script=script)
        for source in (write(gather([run], ["tag", "domain"])), write_explanation(explain(run, item))):
            page = Page(source)
            assert page.problems == [] and hidden_in(source) == set()
            assert "<script" not in source.lower()
            assert not any(attribute.startswith("on") for _, attribute, _ in page.attributes)
