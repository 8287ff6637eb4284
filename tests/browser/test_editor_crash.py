"""The editor's page on the real server: it outlives kill -9, and shows what another program wrote meanwhile."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from edited_files import Editor, started, written
from panel_pages import CHROMIUM, chromium

from tsgkit.library.documents.reader import read_file

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytest.importorskip("playwright", reason="pages are tested with Playwright")

from playwright.sync_api import Browser, Page, expect

pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    found = browser.new_page(viewport={"width": 1280, "height": 900})
    found.set_default_timeout(15_000)
    yield found
    found.close()


@pytest.fixture
def story(tmp_path: Path) -> Path:
    return written(tmp_path, "narrative")


def opened(page: Page, editor: Editor) -> None:
    page.goto(f"http://127.0.0.1:{editor.port}/{editor.token}/")
    expect(page.locator(".graph-line").first).to_be_visible()


def type_target(page: Page, text: str) -> None:
    field = page.get_by_role("combobox", name="target of triplet 2", exact=True)
    field.click()
    page.keyboard.press("End")
    page.keyboard.type(text)


def target(editor: Editor) -> str:
    name: str = editor.data("item", number=0)["value"]["descriptions"][0]["graphs"][0][1][2]
    return name


def test_a_page_goes_on_with_the_next_server_after_a_kill(page: Page, story: Path) -> None:
    state = page.locator(".save-state")
    with started(story) as (process, editor):
        opened(page, editor)
        type_target(page, "abc")
        expect(state).not_to_have_attribute("data-state", "unsent")
        assert target(editor) == "cupabc"
        process.kill()
        process.wait(20)
    page.keyboard.type("def")
    expect(state).to_have_attribute("data-state", "unsent")
    with started(story) as (_, again):
        assert (again.port, again.token) == (editor.port, editor.token)
        expect(state).not_to_have_attribute("data-state", "unsent")
        assert target(again) == "cupabcdef"
        page.keyboard.press("Control+s")
        expect(state).to_have_text("✓ saved")
    assert read_file(story).entries[0].narrative.graphs[0].triplets[1].target == "cupabcdef"


def test_a_file_that_another_program_wrote_is_shown_and_not_replaced(page: Page, story: Path) -> None:
    with started(story) as (_, editor):
        opened(page, editor)
        type_target(page, "abc")
        value = json.loads(story.read_text())
        value["descriptions"][0]["graphs"][0][1][2] = "mug"
        story.write_text(theirs := json.dumps(value) + "\n")
        page.keyboard.press("Control+s")
        expect(page.get_by_text("changed on disk").first).to_be_visible()
        assert story.read_text() == theirs
        assert target(editor) == "cupabc"
