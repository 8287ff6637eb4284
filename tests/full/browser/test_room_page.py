"""The page of one room in a real browser: it draws under its own policy, alone, and reacts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from panel_pages import CHROMIUM, chromium

pytest.importorskip("playwright", reason="browser tests need Playwright")
pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")
pytest.importorskip("shapely", reason="rooms need the extra: scenes")

from furnished_rooms import AS_IT_IS

from tsgkit.geometry import Object, Scene, box, standing
from tsgkit.suites.sceneeval.pages.page import room_page
from tsgkit.suites.sceneeval.pages.remarks import Remark, Section

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="browser tests need Debian's chromium on the PATH"),
]
HOSTILE = "</script><img src=x onerror=alert(1)>"
LAMP = Object("lamp_1", box(0.6, 0.6, 1), standing((1, 0.5, 0.5)), "lamp", HOSTILE)
SECTIONS = [Section("Demanded: 0 of 1 met", [Remark("exactly 2 lamp", False, ("lamp_1",), HOSTILE)])]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser, tmp_path: Path) -> Iterator[Page]:
    """Return the page of a room, opened as a file; errors in it and requests fail the test."""
    file = tmp_path / "room.html"
    file.write_text(room_page(Scene("den", (LAMP,), AS_IT_IS.room(5, 4)), SECTIONS, about=HOSTILE), "utf-8")
    context, problems = browser.new_context(viewport={"width": 1280, "height": 800}), list[str]()
    page = context.new_page()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.goto(file.as_uri())
    yield page
    context.close()
    assert not problems, problems


def test_the_room_fills_the_window_and_turns_by_keys_at_once(page: Page) -> None:
    box = page.locator("canvas").bounding_box()
    assert box is not None
    assert box["width"] > 700
    assert box["height"] > 600
    assert page.evaluate("document.documentElement.scrollHeight") <= 800
    page.wait_for_timeout(100)
    before = page.locator("canvas").screenshot()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(100)
    assert page.locator("canvas").screenshot() != before


def test_a_demand_that_is_clicked_gives_its_reason_as_text(page: Page) -> None:
    page.get_by_role("button", name="exactly 2 lamp").click()
    assert HOSTILE in page.locator(".scene-chosen").inner_text()
    assert page.locator("#about").inner_text() == HOSTILE
    assert page.locator("img").count() == 0


def test_without_webgl_the_page_shows_the_room_from_above(browser: Browser, page: Page) -> None:
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null;")
    page.reload()
    assert page.locator("img").is_visible()
    assert "no WebGL" in page.locator(".scene-help").inner_text()
