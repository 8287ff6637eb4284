"""Pages of reports, explanations and rooms in Chromium: legible on phones, in the dark, without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from panel_pages import CHROMIUM, chromium, violations
from suite_runs import RUNS, STORED, stored

from tsgkit.cli import main
from tsgkit.report.explanation import explain
from tsgkit.report.explanation_page import write_explanation
from tsgkit.report.page import write
from tsgkit.report.report_rows import HEADLINE, gather

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("playwright", reason="browser tests need Playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="browser tests need Debian's chromium on the PATH"),
]
ITEMS = {"tsg": "campsite/0", "formalimg": "knolling/1", "sceneeval": "1", "spatialgen": "000002"}
LOOKED_INTO = ((400, "dark"), (1280, "light"))
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Return a report and an explanation of each suite, and the page of a room."""
    folder = tmp_path_factory.mktemp("pages")
    made = []
    for suite, name in RUNS.items():
        run = stored(folder, name)
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(run.parent)  # images and scenes lie there
            sources = {
                "report": write(gather([run], metrics=HEADLINE)),
                "item": write_explanation(explain(run, ITEMS[suite])),
            }
        for kind, source in sources.items():
            made.append(folder / f"{suite}-{kind}.html")
            made[-1].write_text(source, encoding="utf-8")
    room = folder / "room.html"
    assert main(["scene", "show", str(STORED / "sceneeval" / "rooms" / "scene_1.json"), "-o", str(room)]) == 0
    return [*made, room]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.mark.parametrize(("width", "scheme"), [(400, "dark"), (400, "light"), (1280, "light"), (1280, "dark")])
def test_pages_fit_their_screen_load_nothing_and_are_accessible(
    pages: list[Path], browser: Browser, width: int, scheme: str
) -> None:
    for path in pages:
        _check(path, browser, width, scheme)


def _check(path: Path, browser: Browser, width: int, scheme: str) -> None:
    requests: list[str] = []
    said: list[str] = []
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,  # for axe, which is a script of the test
    )
    page = context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.goto(path.as_uri())
    assert page.evaluate(OVERFLOW) <= 0, path.name
    if (width, scheme) in LOOKED_INTO:
        assert violations(page) == [], path.name
    assert [url for url in requests if not url.startswith("data:")] == [path.as_uri()]
    assert said == []
    context.close()


def test_pages_show_the_same_without_scripts(pages: list[Path], browser: Browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    for path in pages:
        page.goto(path.as_uri())
        assert page.locator("h1").is_visible()
        assert page.locator("figure svg").first.is_visible(), path.name
    context.close()


def test_the_head_of_a_long_table_stays_in_sight(pages: list[Path], browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto(next(path for path in pages if path.name == "spatialgen-report.html").as_uri())
    table = page.locator(".long").first
    table.evaluate("(box) => { box.scrollIntoView(); box.scrollTop = box.scrollHeight; }")
    top = table.evaluate("(box) => box.getBoundingClientRect().top")
    head = table.locator("thead th").first.evaluate("(cell) => cell.getBoundingClientRect().top")
    assert table.evaluate("(box) => box.scrollTop") > 0
    assert abs(head - top) < 2
    page.close()


def test_drawings_are_dark_on_dark_pages(pages: list[Path], browser: Browser) -> None:
    page = browser.new_page(color_scheme="dark")
    for name in ("tsg-item.html", "room.html"):
        page.goto(next(path for path in pages if path.name == name).as_uri())
        ground = page.locator("figure svg > rect").first.evaluate("(rect) => getComputedStyle(rect).fill")
        assert ground == page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()
