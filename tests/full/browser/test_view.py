"""The view of real runs in a real browser: a run that grows, labels by keyboard, a file without a network."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from panel_pages import CHROMIUM, chromium, violations
from served import guess

import tsgkit as tk
from tsgkit.cli import main

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

playwright = pytest.importorskip("playwright.sync_api", reason="pages are tested with Playwright")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here: apt-get install chromium"),
]
WIDE: ViewportSize = {"width": 1280, "height": 900}
NARROW: ViewportSize = {"width": 390, "height": 800}
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "mine"
    tk.evaluate("tsg", model=guess, style=["zero-shot", "cot"], limit=4, out=out, quiet=True)
    return out


@contextmanager
def viewed(*words: str | Path) -> Iterator[str]:
    """Yield the address that the command prints; it is ended as by Ctrl-C, and ends well."""
    command = [sys.executable, "-m", "tsgkit", "view", *map(str, words), "--no-open", "--annotator", "ann"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        yield re.findall(r"http://\S+", server.stdout.readline())[0]
    finally:
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=20)
    assert (server.returncode, told) == (0, "")


@contextmanager
def page_at(browser: Browser, address: str, size: ViewportSize = WIDE, *, offline: bool = False) -> Iterator[Page]:
    """Yield an open page; errors in it fail the test."""
    context = browser.new_context(viewport=size, offline=offline)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.goto(address)
    page.wait_for_selector("main h1")
    yield page
    context.close()
    assert problems == []


def at(address: str, place: str) -> str:
    """Return the address of another place in the same run."""
    return f"{address}/{place}" if place else address


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_page_of_a_real_run_is_usable(size: ViewportSize, browser: Browser, run: Path) -> None:
    with viewed(run) as address:
        for place in ("", "samples", "sample/0", "sample/20", "sample/30", "compare"):
            with page_at(browser, at(address, place), size) as page:
                page.wait_for_load_state("networkidle")
                assert violations(page, *SERIOUS) == [], place
                wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
                assert wide[0] <= wide[1], place


def test_a_run_that_grows_is_seen_to_grow(browser: Browser, run: Path, tmp_path: Path) -> None:
    growing = tmp_path / "growing"
    growing.mkdir()
    for name in ("run.json", "calls.jsonl", "prompts.jsonl"):
        (growing / name).write_bytes((run / name).read_bytes())
    lines = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (growing / "samples.jsonl").write_bytes(b"".join(lines[:3]))
    with viewed(tmp_path) as address, page_at(browser, address.partition("#")[0] + "#/") as page:
        shown = page.locator("main")
        playwright.expect(shown).to_contain_text(f"3 of {len(lines)} samples")
        with (growing / "samples.jsonl").open("ab") as file:
            file.write(b"".join(lines[3:10]))
        playwright.expect(shown).to_contain_text(f"10 of {len(lines)} samples", timeout=15_000)
        assert page.inner_text("main").count("samples (") == 1


def test_a_label_given_by_keyboard_is_in_the_file_that_agree_reads(
    browser: Browser, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with viewed(run) as address, page_at(browser, at(address, "sample/2")) as page:
        page.wait_for_selector("text=Is the answer right?")
        page.keyboard.press("2")
        page.wait_for_selector("[aria-pressed=true]:has-text('wrong')")
        page.keyboard.press("m")
        page.keyboard.type("the other hand")
        page.keyboard.press("Tab")
        page.wait_for_timeout(500)
        page.reload()
        page.wait_for_selector("[aria-pressed=true]:has-text('wrong')")
    file = run.with_name("mine.labels.jsonl")
    (line,) = map(json.loads, file.read_text().splitlines())
    assert (line["rater"], line["right"], line["note"]) == ("ann", False, "the other hand")
    assert main(["agree", str(run), "--human", str(file)]) == 0
    assert "1 of them rated by people" in capsys.readouterr().out


def test_the_exported_file_shows_every_page_without_a_network(browser: Browser, run: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine.html"
    assert main(["view", str(run), "-o", str(out)]) == 0
    address = f"{out.as_uri()}#/run/mine"
    with page_at(browser, out.as_uri(), offline=True) as page:
        assert "mine" in page.title() or "Results" in page.title()
    for place, wanted in (("samples", "not answered"), ("sample/0", "Question"), ("compare", "Compare")):
        with page_at(browser, at(address, place), offline=True) as page:
            page.wait_for_selector(f"main >> text={wanted}")
            assert violations(page, *SERIOUS) == [], place
    with page_at(browser, at(address, "samples"), offline=True) as page:
        page.fill("main input", "do not know")
        page.wait_for_function("() => /^[0-9]+ of 32 samples/.test(document.querySelector('main p.sum').innerText)")
        found = int(page.inner_text("main p.sum").split()[0])
    assert found == len(tk.open_run(run).samples.grep("do not know"))


def test_a_server_that_is_killed_leaves_the_labels_whole(browser: Browser, run: Path) -> None:
    command = [sys.executable, "-m", "tsgkit", "view", str(run), "--no-open", "--annotator", "ben"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = re.findall(r"http://\S+", server.stdout.readline())[0]
    page = browser.new_page()
    page.goto(at(address, "sample/1"))
    page.wait_for_selector("text=Is the answer right?")
    page.keyboard.press("1")
    page.wait_for_selector("[aria-pressed=true]:has-text('right')")
    os.kill(server.pid, signal.SIGKILL)
    server.communicate()
    page.close()
    lines = [json.loads(line) for line in run.with_name("mine.labels.jsonl").read_text().splitlines()]
    assert [line["right"] for line in lines if line["rater"] == "ben"] == [True]
