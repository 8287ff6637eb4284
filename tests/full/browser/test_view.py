"""The view of real runs in a real browser: every page, labels by keyboard, a file without a network."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from panel_pages import violations
from playwright.sync_api import Browser, Page, expect
from served import guess

import tsgkit as tk
from tsgkit.cli import main


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "mine"
    tk.evaluate("tsg", model=guess, style=["zero-shot", "cot"], limit=4, out=out, quiet=True)
    return out


@pytest.fixture(scope="module")
def address(run: Path) -> Iterator[str]:
    """The address that the command prints; it is ended as by Ctrl-C, and ends well."""
    command = [sys.executable, "-m", "tsgkit", "view", str(run), "--no-open", "--annotator", "ann"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield re.findall(r"http://\S+", server.stdout.readline())[0]
    server.send_signal(signal.SIGINT)
    _, told = server.communicate(timeout=20)
    assert (server.returncode, told) == (0, "")


@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_of_a_real_run_is_usable(width: int, address: str, window: Callable[..., Page]) -> None:
    page = window(address, viewport={"width": width, "height": 800})
    for place in ("samples", "sample/0", "sample/20", "sample/30", "compare"):
        page.goto(f"{address}/{place}")
        page.wait_for_selector("main h1")
        page.wait_for_load_state("networkidle")
        assert violations(page, "serious", "critical") == [], place
        assert page.evaluate("document.documentElement.scrollWidth") <= width, place


def test_a_label_given_by_keyboard_is_in_the_file_that_agree_reads(
    run: Path, address: str, window: Callable[..., Page], capsys: pytest.CaptureFixture[str]
) -> None:
    page = window(f"{address}/sample/2")
    page.wait_for_selector("text=Is the answer right?")
    page.keyboard.press("2")
    page.wait_for_selector("[aria-pressed=true]:has-text('wrong')")
    page.keyboard.press("m")
    page.keyboard.type("the other hand")
    page.keyboard.press("Tab")
    expect(page.get_by_text("Note saved.")).to_be_visible()
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
    context = browser.new_context(offline=True)
    page, problems = context.new_page(), list[str]()
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
    page.goto(out.as_uri())
    page.wait_for_selector("main h1")
    assert "mine" in page.title() or "Results" in page.title()
    for place, wanted in (("sample/0", "Question"), ("compare", "Compare"), ("samples", "not answered")):
        page.goto(f"{out.as_uri()}#/run/mine/{place}")
        page.wait_for_selector(f"main >> text={wanted}")
        assert violations(page, "serious", "critical") == [], place
    page.fill("main input", "do not know")
    page.wait_for_function("() => /^[0-9]+ of 32 samples/.test(document.querySelector('main p.sum').innerText)")
    found = int(page.inner_text("main p.sum").split()[0])
    assert found == len(tk.open_run(run).samples.grep("do not know"))
    context.close()
    assert problems == []
