"""The view of runs and the pages of reports and rooms in Chromium: by mouse and keyboard, on phones, in the dark."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from in_chromium import HOSTILE, violations
from playwright.sync_api import Browser, Page, ViewportSize, expect
from reported import RUNS, STORED, stored
from run_files import write_header
from served import guess, serving

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.page import write
from tsgkit.report.report_rows import HEADLINE, gather
from tsgkit.runs.folder import locked
from tsgkit.serve.viewed_runs import Labels

Window = Callable[..., Page]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "mine"

    def model(messages: list[dict[str, str]]) -> str:
        is_question = "Question: " in messages[-1]["content"]
        return f"I do not know. {HOSTILE}" if is_question else guess(messages)

    tk.evaluate("tsg", model=model, style=["zero-shot", "cot"], limit=20, out=out, quiet=True)
    return out


@dataclass
class View:
    window: Window
    url: str
    folder: Path
    columns: dict[str, Any]
    page: Page = field(init=False)

    def open(self, place: str = "", **options: object) -> Page:
        self.page = page = self.window(f"{self.url}#/{place}", **options)
        self.grid, self.heading = page.get_by_role("grid", name="Samples"), page.get_by_role("heading", level=1)
        self.active, self.sum = page.locator(".grid-row[aria-selected=true]"), page.locator(".sum")
        self.text = page.get_by_label("Text")
        return page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def expect_query(self, text: str) -> None:
        """Wait for an address with this behind its hash; it changes after what is shown."""
        expect(self.page).to_have_url(re.compile(f"#.*{re.escape(text)}$"))

    def choose(self, name: str, option: str) -> None:
        self.page.get_by_role("combobox", name=name, exact=True).select_option(option)

    def numbers(self, mark: str) -> list[int]:
        return [number for number, one in enumerate(self.columns["mark"]) if one == mark]

    def labels(self) -> list[tuple[str, bool, str]]:
        lines = map(json.loads, (self.folder / "mine.labels.jsonl").read_text().splitlines())
        return [(line["rater"], line.get("right"), line.get("note", "")) for line in lines]


@pytest.fixture
def view(window: Window, finished: Path, tmp_path: Path) -> Iterator[View]:
    """The view of a whole run, of one that grows, of one that is broken, and of one with several questions a sample."""
    folder = tmp_path / "runs"
    shutil.copytree(finished, folder / "mine")
    shutil.copytree(finished, folder / "begun")
    grow(folder / "begun", finished, 5)
    (folder / "broken").mkdir()
    (folder / "broken" / "run.json").write_text("{")
    with serving(folder, stored(tmp_path, "spatialgen/judged")) as client:
        yield View(window, client.address, folder, client.data("samples", run="mine"))


def grow(run: Path, whole: Path, samples: int) -> None:
    records = (whole / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text("".join(records[:samples]))
    write_header(run, records=0)


def test_runs_are_listed_and_repainted_when_they_grow(view: View, finished: Path) -> None:
    with locked(view.folder / "begun"):
        page = view.open()
        expect(page).to_have_title("Runs · tsgkit view")
        whole, begun, broken = (
            page.get_by_role("article").filter(has_text=f"{view.folder}/{name}") for name in ("mine", "begun", "broken")
        )
        expect(whole).to_contain_text("✓ complete · 160 of 160 samples (100.0%)")
        expect(whole).to_contain_text(re.compile(r"\d\.\d%\[\d+\.\d, \d+\.\d\]"))
        expect(begun).to_contain_text("● working · 5 of 160 samples (3.1%)")
        expect(begun.get_by_role("progressbar")).to_have_js_property("value", 5)
        expect(broken).to_contain_text("not JSON")
        link = page.get_by_role("link", name="begun")
        link.focus()
        whole.evaluate("(one) => { window.kept = one; }")
        grow(view.folder / "begun", finished, 6)
        expect(begun).to_contain_text("6 of 160 samples")
        expect(link).to_be_focused()
        assert whole.evaluate("(one) => window.kept === one"), "an unchanged run was repainted"


def test_filters_and_sorting_narrow_the_list_and_are_held_in_its_address(view: View, finished: Path) -> None:
    page, items = view.open("run/mine/samples?sort=-item"), view.columns["item"]
    expect(view.grid).to_be_visible()
    for text in ("c", "cu", "cup", "cup 1", "mug", ""):
        view.text.fill(text)
    page.get_by_role("button", name="wrong").click()
    view.choose("task", "tsg/sa-sgg")
    view.choose("style", "cot")
    count = sum(view.columns["row"][number] == 5 for number in view.numbers("w"))
    summary = f"{count} of 160 samples: {count} wrong"
    expect(view.sum).to_have_text(summary)
    page.reload()
    expect(view.sum).to_have_text(summary)
    expect(page.get_by_role("button", name="wrong")).to_have_attribute("aria-pressed", "true")
    page.go_back()
    expect(page.get_by_role("combobox", name="style", exact=True)).to_have_value("")
    page.get_by_role("button", name="Clear filters").click()
    expect(view.sum).to_contain_text("160 samples:")
    view.text.fill(items[0].upper())
    expect(view.active).to_contain_text(items[0])
    view.text.fill("DO NOT know")
    expect(view.sum).to_contain_text(f"{len(tk.open_run(finished).samples.grep('do not know'))} of 160 samples")
    expect(page).to_have_url(re.compile(r"q=DO\+NOT\+know"))
    assert page.locator("img, main b").count() == 0
    page = view.open("run/mine/samples?mark=rw")
    for sort in ("ascending", "descending"):
        page.get_by_role("button", name="strict").first.click()
        expect(page.get_by_role("columnheader", name="strict")).to_have_attribute("aria-sort", sort)
    expect(view.active).to_contain_text("100.0%")
    expect(page).to_have_url(re.compile("sort=-strict"))


END_AS_SOON_AS_ALL_ARE_SHOWN = """() => {
    const grid = document.querySelector(".grid"), end = new KeyboardEvent("keydown", { key: "End", bubbles: true });
    const press = (_, one) => grid.ariaRowCount === "161" && (one.disconnect(), grid.focus(), grid.dispatchEvent(end));
    new MutationObserver(press).observe(grid, { attributes: true });
}"""


def test_keys_go_through_the_list_and_through_samples(view: View) -> None:
    page, items = view.open("run/mine/samples"), view.columns["item"]
    expect(view.active).to_contain_text(items[0])
    expect(view.grid).to_have_attribute("aria-rowcount", "161")
    view.grid.press("End")
    expect(view.active).to_have_attribute("aria-rowindex", "161")
    expect(view.active).to_be_in_viewport()
    assert page.locator(".grid-row").count() < 80
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator(".grid-body .grid-row[aria-rowindex='161']")).to_have_count(1)
    view.grid.press("Home")
    view.press("j", "j", "k")
    expect(view.active).to_contain_text(items[1])
    view.press("n")
    expect(page).to_have_url(re.compile(f"at={view.numbers('w')[0]}$"))
    view.press("/", "j")
    expect(view.text).to_have_value("j")
    view.text.fill("")
    view.press("Escape", "?")
    expect(page.get_by_role("dialog")).to_contain_text("next wrong sample")
    view.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    view.grid.press("Home")
    view.press(*"j" * 60, "Enter", *"j" * 60)
    expect(view.heading).to_have_text(items[120])
    expect(page).to_have_url(re.compile("/sample/120$"))
    wrong = view.numbers("w")
    page = view.open(f"run/mine/sample/{wrong[3]}?mark=w")
    for keys, place in (("", 4), ("j", 5), ("kk", 3), ("n", 4)):
        view.press(*keys)
        expect(page.get_by_text(f"{place} of {len(wrong)} in the list")).to_be_visible()
        view.expect_query(f"/run/mine/sample/{wrong[place - 1]}?mark=w")
    view.press("Escape")
    expect(view.active).to_be_in_viewport()
    view.expect_query(f"/run/mine/samples?mark=w&at={wrong[3]}")
    view.text.fill("no such text")
    expect(view.sum).to_contain_text("No sample")
    page.evaluate(END_AS_SOON_AS_ALL_ARE_SHOWN)
    page.get_by_role("button", name="Clear filters").click()
    expect(view.active).to_have_attribute("aria-rowindex", "161")
    expect(view.active).to_be_in_viewport()


def test_the_answer_is_marked_where_it_was_read_and_what_is_unknown_is_told(view: View) -> None:
    number = next(number for number in view.numbers("r") if view.columns["row"][number] == 2)
    page = view.open(f"run/mine/sample/{number}?mark=rw")
    expect(page.locator("pre mark")).to_have_text("A")
    page.get_by_text("Prompt (1 message)").click()
    expect(page.get_by_role("row", name="accuracy").first).to_contain_text("100.0%")
    page.get_by_role("link", name=re.compile("sgds cot")).click()
    expect(view.heading).to_have_text(view.columns["item"][number])
    expect(page).to_have_url(re.compile(f"#/run/mine/sample/{number + 20}"))
    page = view.open(f"run/mine/sample/{view.numbers('u')[0]}")
    expect(page.get_by_text(f"I do not know. {HOSTILE}").first).to_be_visible()
    assert page.locator("main img").count() == 0
    expect(view.open("elsewhere").get_by_role("alert")).to_contain_text("There is no such page.")


def test_keys_label_a_sample_and_the_list_knows(view: View, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise FileProblem("the disk is full")

    right = view.numbers("r")[0]
    page = view.open(f"run/mine/sample/{right}")
    expect(page.get_by_text("You label as ann")).to_be_visible()
    button = page.get_by_role("button", name="wrong 2")
    with monkeypatch.context() as patched:
        patched.setattr(Labels, "save", refused)
        button.click()
        expect(page.get_by_role("alert").filter(has_text="Not saved")).to_contain_text("the disk is full")
        expect(button).to_have_attribute("aria-pressed", "false")
    page.get_by_role("button", name="Try again").click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text("You disagree with it.")).to_be_visible()
    view.press("m")
    page.keyboard.type("jk 12")
    view.press("Escape")
    expect(page.get_by_text("Note saved.")).to_be_visible()
    assert view.labels() == [("ann", False, "jk 12")]
    view.press("Escape")
    for choice, count in (("labelled", "1"), ("unlabelled", "159"), ("disagree", "1")):
        view.choose("labels", choice)
        expect(view.sum).to_contain_text(f"{count} of 160")
    page = view.open(f"run/mine/sample/{right}")
    expect(page.get_by_label("Note")).to_have_value("jk 12")
    view.press("2")
    expect(page.get_by_text("Label taken back.")).to_be_visible()
    assert view.labels() == []
    page = view.open("run/judged/sample/1")  # every question has its label
    for question, key, verdict in (("Which of these", "1", "right"), ("the shape and the colour", "3", "unsure")):
        asked = page.locator("fieldset").filter(has_text=question)
        expect(asked).to_contain_text("The score says: ✓ right")
        view.press(key)
        expect(asked.get_by_role("button", name=verdict)).to_have_attribute("aria-pressed", "true")


def test_items_of_two_rows_are_counted_and_listed_and_the_matrix_names_what_is_pointed_at(view: View) -> None:
    page = view.open("run/mine/compare?first=mine/2&second=mine/3&order=item")
    marks, items = view.columns["mark"], view.columns["item"][40:60]
    pairs = [(marks[n] == "r", marks[n + 20] == "r") for n in range(40, 60)]
    for name, pair in (("both right", (True, True)), ("only A right", (True, False)), ("both wrong", (False, False))):
        expect(page.get_by_role("button", name=f"{name} {pairs.count(pair)}")).to_be_visible()
    expect(view.sum).to_have_text(f"{sum(one != other for one, other in pairs)} items, where A and B differ")
    expect(page.get_by_text(re.compile(r"A − B: [+−]?\d+\.\d points \[.*\], p = \d"))).to_be_visible()
    page.get_by_role("button", name="both wrong").press("Enter")
    expect(view.sum).to_have_text(f"{pairs.count((False, False))} items, both wrong")
    page.get_by_role("img", name=re.compile("Marks of 20 items in 2 rows")).hover(position={"x": 5, "y": 4})
    expect(page.locator(".pointed")).to_contain_text(f"{items[0]} in 1. ")
    item = next(one for one, pair in zip(items, pairs, strict=True) if pair == (False, False))
    page.get_by_label("Text in items").fill(item)
    page.get_by_role("grid", name="Items of A and B").press("Enter")
    expect(view.heading).to_contain_text(item)


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_pages_fit_and_can_be_used_by_all(view: View, width: int, scheme: str) -> None:
    looks = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "reduced_motion": "reduce"}
    samples = "run/mine/samples?mark=w"
    places = ("", "run/mine?by=domain", samples, "run/mine/sample/0", "run/mine/sample/100", "run/judged/sample/1")
    page = view.open("", **looks)
    for place in (*places, "run/mine/compare?show=first", "nowhere"):
        page.goto("about:blank")  # or what is there changes without being loaded
        page.goto(f"{view.url}#/{place}")
        expect(view.heading).to_be_visible()
        expect(page.get_by_text("Loading")).to_have_count(0)
        assert violations(page, "serious", "critical") == [], place
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place
        assert page.title().endswith("tsgkit view")
        if (width, place) == (390, samples):  # cards replace columns
            box = view.active.bounding_box()
            assert box is not None and box["height"] > 80 and box["width"] < 390


def test_the_exported_file_shows_every_page_without_a_network(window: Window, finished: Path) -> None:
    out = finished.with_name("mine.html")
    assert main(["view", str(finished), "-o", str(out)]) == 0
    page = window("about:blank", offline=True)
    for place, wanted in (("", "Results"), ("/sample/0", "Question"), ("/compare", "Compare"), ("/samples", "items")):
        page.goto(f"{out.as_uri()}#/run/mine{place}")
        page.wait_for_selector(f"main >> text={wanted}")
        assert violations(page, "serious", "critical") == [], place
    page.fill("main input", "do not know")
    found = len(tk.open_run(finished).samples.grep("do not know"))
    expect(page.locator("main p.sum")).to_contain_text(f"{found} of 160 samples")


ITEMS = {"tsg": "pcr/1", "formalimg": "knolling/1", "sceneeval": "1", "spatialgen": "000002"}
LOOKS: tuple[tuple[int, Literal["dark", "light"]], ...] = ((400, "dark"), (1280, "light"))
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    made: dict[str, Path] = {}
    for suite, name in RUNS.items():
        run = stored(folder, name)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(run.parent)  # images and scenes lie there
            sources = {
                "report": write(gather([run], metrics=HEADLINE)),
                "item": write_explanation(explain(run, ITEMS[suite])),
            }
        for kind, source in sources.items():
            made[f"{suite}-{kind}"] = folder / f"{suite}-{kind}.html"
            made[f"{suite}-{kind}"].write_text(source, encoding="utf-8")
    made["room"] = folder / "room.html"
    assert main(["scene", "show", str(STORED / "sceneeval/rooms/scene_1.json"), "-o", str(made["room"])]) == 0
    return made


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_pages_fit_their_screen_load_nothing_and_are_accessible(
    pages: dict[str, Path], browser: Browser, width: int, scheme: Literal["dark", "light"]
) -> None:
    requests, said = list[str](), list[str]()
    size: ViewportSize = {"width": width, "height": 900}
    page = browser.new_page(viewport=size, color_scheme=scheme, bypass_csp=True)  # for axe, a script of the test
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    for name, path in pages.items():
        page.goto(path.as_uri())
        assert page.evaluate(OVERFLOW) <= 0, name
        assert violations(page) == [], name
        if scheme == "dark" and name in ("tsg-item", "room"):
            ground = page.locator("figure svg > rect").first.evaluate("(rect) => getComputedStyle(rect).fill")
            assert ground == page.evaluate("getComputedStyle(document.body).backgroundColor"), name
    assert [url for url in requests if not url.startswith("data:")] == [path.as_uri() for path in pages.values()]
    assert said == []
    page.close()
