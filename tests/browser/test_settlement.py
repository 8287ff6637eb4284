"""A settlement of two annotators, walked through in a real browser by keyboard, with a killed command in between."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from panel_pages import CHROMIUM, chromium
from two_annotators import ANN, BOB, FILL, LIFT, PUT, WASH, tea, write

if TYPE_CHECKING:
    from playwright.sync_api import Page

playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with Playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]
Command = subprocess.Popen[str]


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with chromium() as browser:
        yield browser.new_page()


@contextmanager
def settled() -> Iterator[tuple[Command, str]]:
    """Yield the command and the address that it prints; a command that goes on is killed."""
    words = ["view", "ann.jsonl", "bob.jsonl", "--edit", "-o", "settled.jsonl", "--no-open", "--annotator", "eve"]
    command = subprocess.Popen(
        [sys.executable, "-m", "tsgkit", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert command.stdout is not None
    try:
        yield command, re.findall(r"http://\S+", command.stdout.readline())[0]
    finally:
        command.kill()
        command.communicate(timeout=20)


def test_disagreements_are_settled_by_keyboard_although_the_command_was_killed(
    page: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write("ann.jsonl", ANN, tea([LIFT], item="x"))
    write("bob.jsonl", BOB, tea([PUT], item="x"))
    with settled() as (command, address):
        page.goto(address)
        page.get_by_text("0 of 3 decided", exact=True).wait_for()
        page.get_by_role("heading", name="1 of 3: tea, graph 0").wait_for()
        page.keyboard.press("2")
        page.get_by_text("1 of 3 decided", exact=True).wait_for()
        command.kill()
    assert not Path("settled.jsonl").exists()
    with settled() as (command, address):
        page.goto(address)
        page.get_by_text("1 of 3 decided", exact=True).wait_for()
        page.get_by_role("heading", name="tea, graph 2 of bob").wait_for()
        page.keyboard.press("2")
        page.get_by_role("heading", name="3 of 3: x, graph 0").wait_for()
        page.keyboard.press("k")
        page.keyboard.press("k")
        page.get_by_role("heading", name="1 of 3: tea, graph 0").wait_for()
        page.get_by_text("Decided: bob").wait_for()
        page.keyboard.press("1")
        page.get_by_role("heading", name="3 of 3: x, graph 0").wait_for()
        page.get_by_text("Kept: ann, tea, graph 0.").wait_for(state="attached")
        page.keyboard.press("e")
        fields = page.get_by_role("combobox")
        fields.nth(5).fill("mug")
        page.keyboard.press("Control+Enter")
        page.get_by_text("3 of 3 decided", exact=True).wait_for()
        assert command.wait(timeout=20) == 0
        assert command.stdout is not None
        assert "of 3 disagreements: ann 1, bob 1, edited 1; decided by eve" in command.stdout.read()
    found = [json.loads(line) for line in Path("settled.jsonl").read_text().splitlines()]
    edited = [LIFT[0], ["lift", "dobj", "mug"], LIFT[2]]
    assert found == [tea([WASH], [FILL, PUT], [LIFT]), tea([edited], item="x")]
