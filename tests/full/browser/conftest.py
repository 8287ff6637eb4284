"""One browser for all tests of pages, and windows that may leave no error in their consoles."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, expect, sync_playwright

ARGUMENTS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync"""
IGNORED = ("Failed to load resource", "GPU stall due to ReadPixels")
"""Remarks on a response with an error status, or none, of which the test says what follows, and on slow pixels."""
BLOCKED = "addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.blockedURI))"


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if (chromium := shutil.which("chromium")) is None:
        pytest.skip("there is no Chromium: apt-get install chromium")
    expect.set_options(timeout=60_000)  # beside busy neighbours
    with sync_playwright() as tool, tool.chromium.launch(executable_path=chromium, args=ARGUMENTS.split()) as started:
        yield started


@pytest.fixture
def window(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open pages of their own at an address; what any of them complains of fails the test."""
    pages, said = list[Page](), list[str]()

    def heard(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not any(one in message.text for one in IGNORED):
            said.append(message.text)

    def dismissed(dialog: Dialog) -> None:
        said.append(f"a dialog: {dialog.message}")
        dialog.dismiss()

    def opened(address: str, **options: Any) -> Page:  # noqa: ANN401  (Playwright's)
        page = browser.new_page(**{"viewport": {"width": 1280, "height": 900}, **options})
        pages.append(page)
        page.set_default_timeout(60_000)
        page.on("console", heard)
        page.on("dialog", dismissed)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.add_init_script(BLOCKED)
        page.goto(address)
        return page

    yield opened
    for page in pages:
        page.close()
    assert said == []
