"""One browser for all tests of pages, and windows that may leave no error in their consoles."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from panel_pages import CHROMIUM, chromium
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

NOT_LOADED = "Failed to load resource"
"""Chromium's remark on a response with an error status, or none; the test says what follows from it."""
BLOCKED = "addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.blockedURI))"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    expect.set_options(timeout=30_000)  # beside busy neighbours
    with chromium() as started:
        yield started


@pytest.fixture
def window(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages of their own at an address; what any of them complains of fails the test."""
    pages, said = list[Page](), list[str]()

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and NOT_LOADED not in message.text:
            said.append(message.text)

    def opened(address: str, **options: Any) -> Page:  # noqa: ANN401  (Playwright's)
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        pages.append(page)
        page.set_default_timeout(30_000)
        page.on("console", heard)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.add_init_script(BLOCKED)
        page.goto(address)
        return page

    yield opened
    for page in pages:
        page.close()
    assert said == []
