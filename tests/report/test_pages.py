"""Pages: of a report and of one item explained; whole, closed, honest about what is not known, of every suite."""

from __future__ import annotations

import json
import re
import shutil
import sys
import tempfile
import unicodedata
from html import unescape
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pages import Page, Tables, empty_columns
from reported import RIGHT, ROWS, RUNS, recorded, stored
from run_files import lines, write_lines

from tsgkit.errors import UsageError
from tsgkit.report import chart_plots, html
from tsgkit.report.explanation import difference_lines, explain, explanation_value
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.html import POLICY
from tsgkit.report.page import examples_of, write
from tsgkit.report.plain_text import HIDDEN
from tsgkit.report.published_tables import against_published
from tsgkit.report.report_rows import HEADLINE, gather
from tsgkit.runs.evaluation import RunOptions, carry_out
from tsgkit.runs.folder import read_header
from tsgkit.runs.jobs import JobWatch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare

BULLETS = "\n".join(f"- {line}" for line in RIGHT.split("\n"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    replies: dict[str, object] = {
        "two": f"{RIGHT}\n\n{BULLETS}",
        "three": (None, "refused"),
        "four": (None, "api_error"),
    }
    return recorded(tmp_path_factory.mktemp("page"), "ma-sgg", replies)


def test_a_page_refers_to_nothing_outside_and_links_its_parts_with_the_numbers_of_the_report(run: Path) -> None:
    report = against_published(gather([run], ["k"]))
    source = write(report)
    page = Page(source)
    assert page.problems == []
    for live in ("<script", "http:", "https:", "url(", "@import"):
        assert live not in source, live
    assert ("meta", "content", POLICY) in page.attributes
    assert write(against_published(gather([run], ["k"]))) == source
    for part in ("Results", "Beside the published tables", "Plots", "By k", "Elements outside L", "Examples"):
        assert part in page.text
    assert len(page.links) == len(page.ids) == 9
    [row] = report.rows
    value = (row.board.profiles["strict"] or {})["f1"]
    assert value is not None
    ways = ("refused", "api_error", "none: missing, empty, truncated, unreadable, error")
    for shown in (f"{100 * value.value:.1f}", row.data_sha256[:16], row.subject, *ways):
        assert shown in page.text, shown
    found = [(one.why, one.sample.item_id) for one in examples_of(report)]
    assert found == [("median", "two"), ("refused", "three"), ("api error", "four")]


def test_a_run_that_has_gone_away_leaves_the_results_and_an_unfinished_one_says_so(run: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copytree(run, tmp_path / "run"))
    for name in ("calls.jsonl", "samples.jsonl"):
        write_lines(copy / name, lines(copy / name)[:1])
    report = gather([copy])
    assert "2 of 3 samples were not asked; the figures are over the others" in Page(write(report)).text
    shutil.rmtree(copy)
    assert "There are none" in Page(write(report)).text


def test_without_the_library_that_draws_a_page_says_how_to_get_its_plots(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chart_plots, "load", chart_plots.load.__wrapped__)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    source = write(gather([run]))
    page = Page(source)
    assert page.problems == [] and 'class="plots"' not in source
    assert (
        'Figures are drawn with matplotlib, which is not installed; install the extra: pip install "tsgkit['
        in page.text
    )


def test_rows_are_told_apart_and_differences_marked_or_why_not(tmp_path: Path) -> None:
    one = recorded(tmp_path / "a", "sgds", {"s": "[B]"}, styles=["zero-shot", "cot"])
    text = Page(write(gather([one]))).text
    assert "(+) better, (-) worse than the model's first style" in text
    assert "marks are about accuracy" in text
    copy = Path(shutil.copytree(one, tmp_path / "copy"))
    text = Page(write(gather([one, copy]))).text
    assert text.count(str(one)) > 2 and text.count(str(copy)) > 2, "each stands in the rows of its run"
    other = recorded(tmp_path / "b", "sgds", {"t": "[B]"}, rows=[ROWS["sgds"][0] | {"item_id": "t"}])
    assert "differences are not marked: " in Page(write(gather([one, other]))).text
    votes = recorded(tmp_path / "c", "sgds", {"s": "[B]"}, solvers=["vote:3"])
    assert "official: the published way asks once" in Page(write(gather([votes]))).text
    runs = [recorded(tmp_path, "sa-sgg", {"one": RIGHT})]
    runs.append(recorded(tmp_path / "more", "sgds", {"s": "[B]"}, script=str(tmp_path / "replies.jsonl")))
    assert len(Tables(write(gather(runs))).tables[0]) == 2, "tasks of one subject stand in one row"


@pytest.mark.parametrize("suite", RUNS)
def test_a_page_of_every_suite_is_whole_with_a_title_and_every_headline_metric(suite: str, tmp_path: Path) -> None:
    report = gather([stored(tmp_path, RUNS[suite], limit=20)], metrics=HEADLINE)
    source = write(report)
    page = Page(source)
    assert page.problems == [] and empty_columns(source) == []
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


def table(*rows: tuple[str, ...], head: tuple[str, ...] = ("who", "score", "why")) -> str:
    return html.table(head, [[*map(html.text, row)] for row in rows])


def test_columns_without_content_are_left_out_and_figures_stand_on_the_right_with_their_heading() -> None:
    for rows, expected in (
        ((("a", "-", "good"), ("b", "", "bad")), [["who", "why"], ["a", "good"], ["b", "bad"]]),
        ((("a", "-", ""), ("b", "1", "")), [["who", "score"], ["a", "-"], ["b", "1"]]),
        ((("", "1", "x"),), [["who", "score", "why"], ["", "1", "x"]]),
    ):
        assert Tables(table(*rows)).tables == [expected]
    source = table(("a", "1", "x"), head=("who", "a<b\nf1", "why"))
    assert '<span class="group"><bdi>a&lt;b</bdi></span>f1' in source
    assert 'data-label="a&lt;b f1"' in source
    for cell, figures in {
        **dict.fromkeys(("12", "1,234", "57.4 [50.3, 64.3]", "57.4 [50.3, 64.3] (+)", "[50.3, 64.3]", ">=$0.0012"), 3),
        **dict.fromkeys(("400 + 40", "11 %", "(unknown)", "-3.5"), 3),
        **dict.fromkeys(("zero-shot", "cot 4 shots", "3 of 6", "2.21 of 6.11 square metres", "gpt-4"), 0),
    }.items():
        assert table(("a", cell, "x"), ("b", "-", "y")).count('class="figure"') == figures, cell
    assert 'class="figure"' not in table(("a", "1", "x"), ("b", "none", "y")), "one word among figures"
    many = [(str(number), "1", "x") for number in range(html.MOST_ROWS + 1)]
    assert '<div class="wide long"' in table(*many)
    assert "long" not in table(*many[:-1])


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


WRONG = "person -> verb -> wash\ncup -> dobj -> wash\nwash -> with -> hand2\nwash -> on -> moon"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose items have one graph of two, three of two, and a reply that was cut."""
    replies = {"two": RIGHT, "three": "\n\n".join([RIGHT] * 3), "four": (RIGHT, "truncated")}
    return recorded(tmp_path_factory.mktemp("several"), "ma-sgg", replies)


def test_every_triplet_of_both_graphs_is_told_with_its_kind_and_drawn_and_explaining_writes_nothing(
    tmp_path: Path,
) -> None:
    run = recorded(tmp_path, "sa-sgg", {"one": WRONG})
    before = {file: file.stat().st_mtime_ns for file in run.rglob("*")}
    explanation = explain(run, "one")
    assert {file: file.stat().st_mtime_ns for file in run.rglob("*")} == before
    row = explanation.rows[0]
    [call] = row.calls
    assert [(message.role, "She washes it." in message.content) for message in call.prompt] == [("user", True)]
    assert (call.reply.text, call.readings.why) == (WRONG, ())
    assert [(line.kind, line.words, line.outside) for line in difference_lines(row.graphs[0])] == [
        ("matched", "person -> verb -> wash", ()),
        ("reversed", "cup -> dobj -> wash, expected wash -> dobj -> cup", ()),
        ("wrong hand", "wash -> with -> hand2, expected wash -> with -> hand1", ()),
        ("extra", "wash -> on -> moon", ("moon", "on")),
    ]
    assert row.judged.scores["strict"]["f1"].reason.startswith("1 graphs for 1")
    value = json.loads(json.dumps(explanation_value(explanation)))["rows"][0]
    assert value["graphs"][0]["changes"][0]["kind"] == "reversed"
    assert value["calls"][0]["reply"]["text"] == WRONG
    source = write_explanation(explanation)
    assert "<h1>Item one: From a sentence to the graph of its one action</h1>" in source
    assert "only in the answer" in source and "only in the reference" not in source
    drawn = re.findall(r"<figure>.*?</figure>", source, re.DOTALL)
    colours = {colour for svg in drawn for colour in re.findall(r'(?:fill|stroke)="(#[0-9a-f]{6})"', svg)}
    dark = source.split("@media screen and (prefers-color-scheme: dark)")[1]
    assert colours and all(f'"{colour}"' in dark for colour in colours)


def test_a_missing_and_a_surplus_graph_are_told_whole(several: Path) -> None:
    explanation = explain(several, "two")
    missing = explanation.rows[0].graphs
    assert [graph.summary for graph in missing] == ["3 matched", "missing"]
    [why] = explanation.rows[0].calls[0].readings.why
    assert why.startswith("official scores 1 of 2 graphs wanted")
    source = write_explanation(explanation)
    assert "there is no graph" in source
    assert source.count('class="sides"') == source.count("<figcaption>reference</figcaption>") == 2
    assert source.count("<figcaption>answer</figcaption>") == 2 and source.count("Legend of the graphs") == 1
    surplus = explain(several, "three").rows[0].graphs
    assert [graph.reference is None for graph in surplus] == [False, False, True]
    for graph, kind in ((missing[1], "missing"), (surplus[2], "extra")):
        assert {line.kind for line in difference_lines(graph)} == {kind}
    cut = explain(several, "four").rows[0]
    assert cut.judged.outcome == "truncated"
    assert cut.calls[0].readings.why[0].startswith("the reply ended as truncated")


def test_two_readings_that_differ_say_why(tmp_path: Path) -> None:
    bullets = "\n".join(f"- {line}" for line in RIGHT.split("\n"))
    [call] = explain(recorded(tmp_path / "g", "sa-sgg", {"one": bullets}), "one").rows[0].calls
    assert call.readings.why == (
        "graph 1: strict reads person -> verb -> wash, official - person -> verb -> wash (3 triplets differ)",
    )
    assert [note.kind for note in call.readings.notes] == ["repaired"] * 3
    for task, item, reply, strict, official in (
        ("sgds", "s", "A good one is\n[B]", "B", "A"),
        ("sgqa", "q/0", "First the [lid].\nFinal answer: [cup]", "cup", "lid"),
        ("sgqa", "q/0", "I do not know", None, "i do not know"),
    ):
        readings = explain(recorded(tmp_path / official, task, {item: reply}), item).rows[0].calls[0].readings
        assert (readings.strict, readings.official, bool(readings.why)) == (strict, official, True), reply


def test_the_page_marks_where_the_answer_stands(tmp_path: Path) -> None:
    graphs = (
        "<think>wash -> dobj -> lid</think>No wash -> in -> sink.\r\nFinal graph:\r\n- **person** → verb → wash\r\n"
        "- wash → dobj → cup; wash → with → hand1"
    )
    for task, item, reply, marked in (
        ("sgqa", "q/0", "<think>the lid?</think>\r\nIt is the **cup**, <u>I</u> think.", ["cup"]),
        ("sgds", "s", "Option A is wrong.\nTherefore, the answer is (B).", ["B"]),
        ("sgqa", "q/0", "I cannot tell.", []),
        ("sa-sgg", "one", graphs, ["person** → verb → wash", "wash → dobj → cup", "wash → with → hand1"]),
    ):
        explanation = explain(recorded(tmp_path / str(len(reply)), task, {item: reply}), item)
        [[call]] = [row.calls for row in explanation.rows]
        assert [reply[start:end] for start, end in call.readings.spans] == marked
        page = write_explanation(explanation)
        assert [unescape(words) for words in re.findall(r"<mark>(.*?)</mark>", page)] == marked
        assert "<u>I</u>" not in page


def test_items_that_were_not_asked_say_why_and_whether_they_count(tmp_path: Path) -> None:
    chosen = recorded(tmp_path / "chosen", "ma-sgg", {"two": RIGHT}, first=1)
    data = json.loads((chosen / "run.json").read_text(encoding="utf-8"))["data"]["tsg/ma-sgg"]
    row = explain(chosen, "four", data=data).rows[0]
    assert row.calls == () and not row.is_counted
    assert "not among the items chosen" in row.unasked
    with pytest.raises(UsageError, match="no item four was asked in this run") as problem:
        explain(chosen, "four")
    assert "--data" in problem.value.hint
    whole = recorded(tmp_path / "whole", "ma-sgg", {"two": RIGHT, "three": None, "four": RIGHT})
    assert explain(whole, "three").rows[0].judged.outcome == "empty"
    for name in ("calls.jsonl", "samples.jsonl"):
        write_lines(whole / name, lines(whole / name)[:1])
    row = explain(whole, "four").rows[0]
    assert row.judged.outcome == "missing"
    assert row.unasked.startswith("not asked yet")


def test_rows_are_narrowed_by_what_tells_them_apart_and_unknown_items_and_parts_hint_at_the_nearest(
    tmp_path: Path,
) -> None:
    run = recorded(tmp_path, "ma-sgg", {"two": RIGHT}, styles=["zero-shot", "cot"], repeat=2)
    whole = explain(run, "two")
    assert (len(whole.rows), whole.narrowing) == (4, ("--style zero-shot|cot", "--repeat 0|1"))
    [row] = explain(run, "two", task="ma-sgg", style="cot", repeat=1).rows
    assert (row.cell.style, row.cell.repeat) == ("cot", 1)
    for item, style, message, hint in (
        ("thre", None, "no item thre", "three?"),
        ("two", "zero-shto", "no style zero-shto", "zero-shot?"),
    ):
        with pytest.raises(UsageError, match=message) as caught:
            explain(run, item, style=style)
        assert caught.value.hint == hint


def test_votes_show_every_draw_and_a_record_that_is_judged_otherwise_today_is_noted(tmp_path: Path) -> None:
    row = explain(recorded(tmp_path / "votes", "sgds", {"s": "[B]"}, solvers=["vote:3"]), "s").rows[0]
    told_why = [(call.draw, "asks once" in call.readings.not_official) for call in row.calls]
    assert told_why == [(draw, True) for draw in range(3)] and "asks once" in row.unpublished
    run = recorded(tmp_path, "sgds", {"s": "[B]"})
    file = run / "samples.jsonl"
    [record] = lines(file)
    record["parts"]["strict"]["accuracy"] = [0.0, 1.0]
    write_lines(file, [record])
    assert explain(run, "s").rows[0].changed == "strict accuracy was 0.000, is 1.000"
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(tmp_path / "sgds.jsonl"))
    carry_out(prepare(plan), RunOptions(out=tmp_path / "baseline"), JobWatch())
    explanation = explain(tmp_path / "baseline", "s")
    assert explanation.rows[0].calls[0].prompt == ()
    assert "No model was asked." in write_explanation(explanation)
