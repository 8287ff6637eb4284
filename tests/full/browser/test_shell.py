"""The view of runs as people use it, in Chromium, on a scripted source: every page by mouse and by keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from panel_pages import violations
from playwright.sync_api import Locator, Page, expect
from scripted_view import HOSTILE, Script, script, served

pages = {
    "runs": "#/",
    "results": "#/run/0?by=tag",
    "samples": "#/run/0/samples?mark=w&at=7",
    "sample": "#/run/1/sample/3",
    "long": "#/run/0/sample/9",
    "compare": "#/run/1/compare?show=first",
    "unknown": "#/nowhere",
    "empty": "#/run/2/samples",
}


@dataclass
class View:
    """The view in a browser page, and the script behind it."""

    window: Callable[..., Page]
    url: str
    script: Script
    page: Page = field(init=False)

    def open(self, address: str = "#/", **options: Any) -> Page:  # noqa: ANN401  (Playwright's)
        self.page = self.window(self.url + address, **options)
        return self.page

    @property
    def grid(self) -> Locator:
        return self.page.get_by_role("grid", name="Samples")

    @property
    def active(self) -> Locator:
        return self.page.locator(".grid-row[aria-selected=true]")

    @property
    def sum(self) -> Locator:
        return self.page.locator(".sum")

    @property
    def query(self) -> str:
        return self.page.url.partition("#")[2]

    def choose(self, name: str, option: str) -> None:
        self.page.get_by_role("combobox", name=name, exact=True).select_option(option)


@pytest.fixture
def view(window: Callable[..., Page]) -> Iterator[View]:
    """The view of a fresh script."""
    own = script()
    with served(own) as url:
        yield View(window, url, own)


class TestRuns:
    """The list of runs."""

    def test_runs_are_listed_with_progress_cost_and_scores(self, view: View) -> None:
        page = view.open()
        large = page.get_by_role("article").filter(has_text="large")
        expect(large).to_contain_text("✓ complete · 20,000 of 20,000 samples (100.0%) · $1,234.50")
        expect(large.get_by_role("row", name="openai/gpt-4o zero-shot")).to_contain_text(
            re.compile(r"\d\d\.\d%\[\d\d\.\d, \d\d\.\d\]")
        )
        small = page.get_by_role("article").filter(has_text="small")
        expect(small).to_contain_text("● working · 30 of 40 samples (75.0%)")
        expect(small.get_by_role("progressbar")).to_have_js_property("value", 30)
        expect(page.get_by_role("article").filter(has_text="broken")).to_contain_text("plan.json cannot be read")
        expect(page).to_have_title("Runs · tsgkit view")

    def test_a_run_that_grows_is_repainted_and_a_server_that_is_gone_is_found_again(self, view: View) -> None:
        page = view.open()
        link = page.get_by_role("link", name="small")
        link.focus()
        page.evaluate("window.kept = document.querySelector('.run')")
        view.script.runs["1"].recorded = 31
        expect(page.get_by_role("article").filter(has_text="small")).to_contain_text("31 of 40 samples")
        expect(link).to_be_focused()
        assert page.evaluate("window.kept === document.querySelector('.run')"), "an unchanged run was repainted"
        view.script.is_down = True
        expect(page.locator(".connection")).to_contain_text("The server does not answer")
        expect(page.get_by_role("article")).to_have_count(4)
        page.get_by_role("link", name="large").click()
        expect(page.get_by_role("alert")).to_contain_text("The server does not answer")
        view.script.is_down = False
        expect(page.get_by_role("heading", name="tsg/sgqa")).to_be_visible()
        expect(page.locator(".connection")).to_be_empty()


class TestResults:
    """The results of a run."""

    def test_both_profiles_stand_side_by_side_and_groups_lead_to_their_samples(self, view: View) -> None:
        page = view.open("#/run/0")
        row = page.get_by_role("row", name="local/<b>bold</b> cot")
        expect(row).to_contain_text(
            re.compile(r"\d\d\.\d% \[.*\d\d\.\d% \[.*5,000.*4,997 answered, 3 unreadable.*123,456.*\$1\.50")
        )
        assert row.locator("svg rect").count() == 2
        view.choose("Metric", "steps")
        expect(page.get_by_text("official steps: the official code has no such metric")).to_be_visible()
        assert view.query == "/run/0?metric=steps"
        expect(page.get_by_text("less is better")).to_be_visible()
        page.go_back()
        expect(page.get_by_text("more is better")).to_be_visible()
        view.choose("Break down by", "k")
        page.get_by_role("table", name="accuracy by k").first.get_by_role("link", name="2").click()
        expect(view.sum).to_contain_text("1,667 of 20,000 samples")
        assert view.query.startswith("/run/0/samples?subject=openai/gpt-4o&style=zero-shot&by.k=2")


class TestSamples:
    """The list of samples."""

    def test_filters_narrow_and_the_address_holds_them(self, view: View) -> None:
        page = view.open("#/run/0/samples")
        page.get_by_role("button", name="wrong").click()
        view.choose("subject", "openai/gpt-4o")
        view.choose("style", "cot")
        view.choose("tag", HOSTILE)
        summary = view.sum.inner_text()
        assert re.fullmatch(r"[\d,]+ of 20,000 samples: [\d,]+ wrong", summary)
        numbers = [n for n in range(5_000, 10_000) if n % 2 and view.script.runs["0"].mark(n) == "w"]
        assert summary.startswith(f"{len(numbers)} of")
        page.reload()
        expect(view.sum).to_have_text(summary)
        expect(page.get_by_role("button", name="wrong")).to_have_attribute("aria-pressed", "true")
        page.go_back()
        expect(page.get_by_role("combobox", name="tag", exact=True)).to_have_value("")
        expect(page.get_by_role("combobox", name="style", exact=True)).to_have_value("cot")
        page.get_by_role("button", name="Clear filters").click()
        expect(view.sum).to_contain_text("20,000 samples:")

    def test_text_is_found_in_items_at_once_and_in_prompts_by_the_source(self, view: View) -> None:
        page = view.open("#/run/0/samples")
        page.get_by_label("Text").fill("TEA 11/4311")
        expect(view.sum).to_contain_text("4 of 20,000 samples")
        page.get_by_label("Text").fill("only in a prompt")
        expect(view.sum).to_contain_text("200 of 20,000 samples")
        assert view.script.asked["search"] <= 2
        assert "q=only+in+a+prompt" in view.query
        page.get_by_label("Text").fill("onerror")
        expect(page.get_by_role("link", name=HOSTILE).last).to_be_visible()
        page.get_by_label("Text").fill("evil")
        expect(page.get_by_text("\\u202eevil").first).to_be_visible()
        assert page.locator("img, main b").count() == 0

    def test_columns_are_sorted_and_chosen(self, view: View) -> None:
        page = view.open("#/run/0/samples")
        page.get_by_role("button", name="strict", exact=True).click()
        expect(page.get_by_role("columnheader", name="strict")).to_have_attribute("aria-sort", "ascending")
        expect(view.active).to_contain_text("25.0%")
        page.get_by_role("button", name="strict").click()
        expect(view.active).to_contain_text("100.0%")
        view.grid.press("End")
        expect(view.active).to_contain_text("not answered")
        page.get_by_text("Columns").click()
        page.get_by_role("checkbox", name="tokens").check()
        page.get_by_role("checkbox", name="reason").uncheck()
        expect(page.get_by_role("columnheader", name="tokens")).to_be_visible()
        expect(page.get_by_role("columnheader", name="reason")).to_have_count(0)
        assert "sort=-strict" in view.query
        assert "columns=item,mark,strict,official,answer" in view.query

    def test_keys_go_through_the_list(self, view: View) -> None:
        page = view.open("#/run/0/samples")
        expect(view.active).to_contain_text("tea 0/0")
        expect(view.grid).to_have_attribute("aria-rowcount", "20001")
        view.grid.press("End")
        expect(view.active).to_have_attribute("aria-rowindex", "20001")
        expect(view.active).to_be_in_viewport()
        assert page.locator(".grid-row").count() < 80
        view.grid.press("Home")
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("k")
        expect(view.active).to_contain_text("tea 1/1")
        page.keyboard.press("n")
        wrong = next(number for number in range(2, 100) if view.script.runs["0"].mark(number) == "w")
        expect(page).to_have_url(re.compile(f"at={wrong}$"))
        page.keyboard.press("N")
        expect(view.active).to_contain_text("tea 1/1")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("tea 1/1")
        page.go_back()
        expect(view.active).to_contain_text("tea 1/1")
        page.keyboard.press("/")
        expect(page.get_by_label("Text")).to_be_focused()
        page.keyboard.type("jjn")
        assert page.get_by_label("Text").input_value() == "jjn"
        page.get_by_label("Text").fill("")
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_contain_text("next wrong sample")
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_have_count(0)
        view.grid.press("Home")
        for _ in range(60):
            page.keyboard.press("j")
        expect(page).to_have_url(re.compile("at=60$"))
        page.keyboard.press("Enter")
        for _ in range(60):
            page.keyboard.press("j")
        expect(page.get_by_role("heading", level=1)).to_have_text("tea 20/120")
        expect(page).to_have_url(re.compile("/sample/120$"))

    def test_filters_that_follow_each_other_quickly_leave_the_last_ones(self, view: View) -> None:
        page = view.open("#/run/0/samples?sort=-item")
        expect(view.grid).to_be_visible()
        for text in ("c", "cu", "cup", "cup 1", "mug", ""):
            page.get_by_label("Text").fill(text)
        page.get_by_role("button", name="wrong").click()
        view.choose("k", "2")
        wrong = sum(view.script.runs["0"].mark(number) == "w" for number in range(1, 20_000, 3))
        expect(view.sum).to_have_text(f"{wrong:,} of 20,000 samples: {wrong:,} wrong")

    def test_a_list_that_grows_keeps_its_place(self, view: View) -> None:
        page = view.open("#/run/1/samples?at=12")
        expect(view.active).to_contain_text("tea 12/12")
        view.grid.evaluate("(one) => (one.scrollTop = 40)")
        page.get_by_role("combobox", name="outcome").focus()
        view.script.runs["1"].recorded = 40
        view.script.runs["1"].stamp += 1
        expect(view.sum).not_to_contain_text("missing")
        expect(view.active).to_contain_text("tea 12/12")
        assert view.grid.evaluate("(one) => one.scrollTop") == 40
        expect(page.get_by_role("combobox", name="outcome")).to_be_focused()


class TestSample:
    """One sample."""

    def test_the_answer_is_marked_where_it_was_read(self, view: View) -> None:
        page = view.open("#/run/0/sample/7?mark=rw")
        expect(page.locator("pre mark")).to_have_text("cup 7")
        expect(page.get_by_text("line 3: ignored")).to_be_visible()
        expect(page.get_by_text("after the last label")).to_be_visible()
        page.get_by_text("Prompt (2 messages)").click()
        expect(page.get_by_text(f"Where? {HOSTILE}")).to_be_visible()
        expect(page.get_by_text("No official scores: there is no official code")).to_be_visible()
        expect(page.get_by_role("row", name="accuracy")).to_contain_text("100.0%the key is mug")
        expect(page.get_by_role("heading", name="Context", level=3)).to_be_visible()
        assert page.locator("main img").count() == 0
        page.get_by_role("link", name="tsg/sgqa local/<b>bold</b> cot").click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("onerror")
        assert view.query.startswith("/run/0/sample/15007")

    def test_keys_step_through_the_filtered_list(self, view: View) -> None:
        wrong = [number for number in range(20_000) if view.script.runs["0"].mark(number) == "w"]
        page = view.open(f"#/run/0/sample/{wrong[3]}?mark=w")
        expect(page.get_by_text("4 of 6,078 in the list")).to_be_visible()
        page.keyboard.press("j")
        expect(page.get_by_text("5 of 6,078 in the list")).to_be_visible()
        assert view.query == f"/run/0/sample/{wrong[4]}?mark=w"
        page.keyboard.press("k")
        page.keyboard.press("k")
        expect(page.get_by_text("3 of 6,078 in the list")).to_be_visible()
        page.keyboard.press("n")
        expect(page.get_by_text("4 of 6,078 in the list")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".grid-row[aria-selected=true]")).to_be_in_viewport()
        assert view.query == f"/run/0/samples?mark=w&at={wrong[3]}"

    def test_unknown_runs_and_numbers_are_told(self, view: View) -> None:
        page = view.open("#/run/0/sample/20000")
        expect(page.get_by_role("alert")).to_contain_text("there is no 20000")
        page = view.open("#/run/77/samples")
        expect(page.get_by_role("alert")).to_contain_text("there is no '77'")
        page = view.open("#/run/2/samples")
        expect(page.get_by_role("main")).to_contain_text("This run has no samples yet.")
        page = view.open("#/run/2")
        expect(page.get_by_role("main")).to_contain_text("This run has no results")
        page = view.open("#/run/2/compare")
        expect(page.get_by_role("main")).to_contain_text("no rows to compare")
        page = view.open("#/elsewhere")
        expect(page.get_by_role("alert")).to_contain_text("There is no such page.")
        view.script.runs.clear()
        expect(view.open().get_by_role("main")).to_contain_text("There are no runs here.")

    def test_a_slow_source_is_waited_for_with_a_word(self, view: View) -> None:
        view.script.seconds = 1
        page = view.open("#/run/1/sample/3")
        expect(page.get_by_text("Loading the sample …")).to_be_visible()
        expect(page.get_by_role("heading", name="Reference")).to_be_visible()


class TestLabels:
    """Labels of samples."""

    def test_keys_label_a_sample_and_the_list_knows(self, view: View) -> None:
        right = next(n for n in range(100) if view.script.runs["0"].mark(n) == "r")
        page = view.open(f"#/run/0/sample/{right}")
        expect(page.get_by_text("You label as ann")).to_be_visible()
        page.keyboard.press("2")
        expect(page.get_by_role("button", name="wrong 2")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_text("You disagree with it.")).to_be_visible()
        page.keyboard.press("m")
        page.keyboard.type("jk 12")
        page.keyboard.press("Escape")
        expect(page.get_by_text("Note saved.")).to_be_visible()
        assert view.script.labels == [
            {"number": right, "question": "", "verdict": "wrong", "note": "jk 12", "rater": "ann"}
        ]
        page.keyboard.press("Escape")
        for choice, count in (("labelled", "1"), ("unlabelled", "19,999"), ("disagree", "1")):
            view.choose("labels", choice)
            expect(view.sum).to_contain_text(f"{count} of 20,000")
        page = view.open(f"#/run/0/sample/{right}")
        expect(page.get_by_label("Note")).to_have_value("jk 12")
        page.keyboard.press("2")
        expect(page.get_by_text("Label taken back.")).to_be_visible()
        assert view.script.labels == []

    def test_every_question_has_its_label(self, view: View) -> None:
        view.script.labels = [
            {
                "number": 3,
                "question": "Is chair 1 at the table?",
                "rater": "<b>bob",
                "verdict": "unsure",
                "note": "dark",
            }
        ]
        page = view.open("#/run/1/sample/3")
        second = page.get_by_role("group", name="Is chair 1 at the table?", exact=True)
        expect(second).to_contain_text("<b>bob: ? unsure – dark")
        page.keyboard.press("1")
        expect(page.get_by_text("Saved: right.")).to_be_visible()
        page.keyboard.press("3")
        expect(page.get_by_text("Saved: unsure.")).to_be_visible()
        expect(second.get_by_role("button", name="unsure")).to_have_attribute("aria-pressed", "true")
        assert [label["question"] for label in view.script.labels if label["rater"] == "ann"] == [
            "Is chair 0 at the table?",
            "Is chair 1 at the table?",
        ]
        marks = [view.script.runs["1"].mark(number) for number in range(40)]
        about = {"question": "Is chair 2 at the table?", "rater": "ann", "verdict": "right", "note": ""}
        view.script.labels = [{"number": marks.index(mark), **about} for mark in "rw"]
        page = view.open("#/run/1/samples?label=disagree")
        expect(view.sum).to_have_text("1 of 40 samples: 1 wrong")

    def test_a_label_that_is_not_saved_is_told(self, view: View) -> None:
        view.script.refuses_labels = True
        page = view.open("#/run/0/sample/3")
        page.get_by_role("button", name="right 1").click()
        expect(page.get_by_role("alert").filter(has_text="Not saved")).to_contain_text("the disk is full")
        expect(page.get_by_role("button", name="right 1")).to_have_attribute("aria-pressed", "false")
        view.script.refuses_labels = False
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_role("button", name="right 1")).to_have_attribute("aria-pressed", "true")


class TestCompare:
    """Two rows, and all rows of a task."""

    def test_items_of_two_rows_are_counted_and_listed(self, view: View) -> None:
        page = view.open("#/run/0/compare?first=0/0&second=0/2")
        mark = view.script.runs["0"].mark
        pairs = [(mark(n) == "r", mark(n + 10_000) == "r") for n in range(5_000)]
        for name, pair in (
            ("both right", (True, True)),
            ("only A right", (True, False)),
            ("both wrong", (False, False)),
        ):
            expect(page.get_by_role("button", name=f"{name} {pairs.count(pair):,}")).to_be_visible()
        page.get_by_role("button", name="only B right").press("Enter")
        expect(page.get_by_role("button", name="only B right")).to_be_focused()
        expect(view.sum).to_have_text(f"{pairs.count((False, True)):,} items, only B right")
        page.get_by_label("Text in items").fill("tea 3/")
        assert view.query == "/run/0/compare?first=0/0&second=0/2&show=second&q=tea+3/"
        expect(page.get_by_text("A − B: +10.0 points [+2.0, +18.0], p = 0.0123")).to_be_visible()
        page.get_by_role("grid", name="Items of A and B").press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("tea 3/")

    def test_a_run_that_grows_is_compared_again_when_asked(self, view: View) -> None:
        page = view.open("#/run/1/compare")
        expect(page.get_by_role("button", name="not comparable 10")).to_be_visible()
        view.script.runs["1"].recorded = 40
        view.script.runs["1"].stamp += 1
        page.get_by_role("button", name="Compare again").click()
        expect(page.get_by_role("button", name="not comparable 0")).to_be_visible()
        expect(page.get_by_role("button", name="Compare again")).to_have_count(0)

    def test_the_matrix_names_what_is_pointed_at(self, view: View) -> None:
        page = view.open("#/run/1/compare?order=item")
        grid = page.get_by_role("grid", name="Items by rows")
        grid.press("ArrowDown")
        grid.press("ArrowRight")
        grid.press("ArrowRight")
        expect(page.locator(".pointed")).to_contain_text("tea 1/1 in 2. spatialgen/images local/<b>bold</b> zero-shot:")
        page.get_by_role("img", name="Marks of 20 items in 2 rows").hover(position={"x": 5, "y": 4})
        expect(page.locator(".pointed")).to_contain_text("tea 0/0 in 1. spatialgen/images openai/gpt-4o")
        view.choose("Items", "none")
        expect(page.get_by_role("combobox", name="Items", exact=True)).to_be_focused()
        assert "items=none" in view.query
        grid.press("Enter")
        expect(page.get_by_role("heading", name="Question", exact=True)).to_be_visible()


class TestEverywhere:
    """What holds on every page."""

    @pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
    def test_pages_fit_and_can_be_used_by_all(self, view: View, width: int, scheme: str) -> None:
        looks = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "reduced_motion": "reduce"}
        for name, address in pages.items():
            page = view.open(address, **looks)
            expect(page.get_by_role("heading", level=1)).to_be_visible()
            expect(page.get_by_text("Loading")).to_have_count(0)
            assert violations(page, "serious", "critical") == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
            assert page.title().endswith("tsgkit view")
            if (width, name) == (390, "samples"):  # cards replace columns
                box = view.active.bounding_box()
                assert box is not None and box["height"] > 80 and box["width"] < 390
            page.close()

    def test_the_keyboard_alone_reaches_a_sample(self, view: View) -> None:
        page = view.open()
        expect(page.get_by_role("article")).to_have_count(4)
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="tsg/sgqa")).to_be_visible()
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.closest('main') !== null")
        page.get_by_role("link", name="Samples").focus()
        page.keyboard.press("Enter")
        expect(view.grid).to_be_visible()
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("tea 1/1")
        outline = page.get_by_role("link", name="Back to the list").evaluate(
            "(one) => (one.focus(), getComputedStyle(one).outlineWidth)"
        )
        assert outline == "3px"
