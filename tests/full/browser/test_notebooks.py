"""The editor of a narrative in real notebooks: JupyterLab and marimo, in Chromium."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, expect
from typist import Typist

LONGEST_START = 60


@contextmanager
def jupyter_lab(folder: Path, cells: Sequence[str]) -> Iterator[str]:
    """Yield the address of a notebook with these cells, opened in JupyterLab."""
    pages = [_cell(number, text) for number, text in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": pages, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "tried.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    port = _free_port()
    here = [
        f"--port={port}",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.token=told",
        "--no-browser",
        "--allow-root",
    ]
    never = ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with _running([sys.executable, "-m", "jupyterlab", "--allow-root", *here, *never], folder):
        yield _answering(f"http://127.0.0.1:{port}/lab/tree/tried.ipynb?token=told&reset")


def _cell(number: int, text: str) -> dict[str, object]:
    about: dict[str, object] = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "id": f"cell-{number}", "source": text, **about}


@contextmanager
def marimo(folder: Path, program: str) -> Iterator[str]:
    """Yield the address of a program as an app of marimo."""
    (folder / "tried.py").write_text(program, encoding="utf-8")
    port = _free_port()
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    with _running([sys.executable, "-m", "marimo", "run", "tried.py", *options], folder):
        yield _answering(f"http://127.0.0.1:{port}/")


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    """Run a server whose user has an empty home."""
    own = {**os.environ, "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1", "MARIMO_SKIP_UPDATE_CHECK": "1"}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=own, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _answering(address: str) -> str:
    """Return the address of a server once it answers."""
    end = time.monotonic() + LONGEST_START
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310
                return address
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")


STORY = """from tsgkit.graph import ActionGraph, Description, Narrative, Vocabulary
names = Vocabulary(("jar", "lid"), ("verb", "dobj", "with"), ("open", "take"))
story = Narrative((Description("She opens the jar with one hand."), Description("She takes the lid.")), names, "jam")
"""
OPENED = [("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1")]
EMPTY_FIELD = ".tsg-editor .triplet-line:first-child td:nth-child(4) input"


def opened(browser: Browser, address: str) -> tuple[Page, list[str]]:
    """Return a page, and the list of errors and of requests to elsewhere."""
    page, problems = browser.new_page(viewport={"width": 1280, "height": 1400}), list[str]()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda asked: problems.append(asked.url) if _is_elsewhere(asked.url) else None)
    page.goto(address)
    return page, problems


def _is_elsewhere(url: str) -> bool:
    return "//127.0.0.1" not in url and not url.startswith(("data:", "blob:"))


def annotate(page: Page) -> None:
    """Write the graph of the first sentence, and undo and redo a step of it."""
    page.locator(EMPTY_FIELD).click()
    typist = Typist(page)
    typist.graph(OPENED)
    typist.press("Enter")
    expect(page.locator(".tsg-editor .graph-drawing text", has_text="hand1")).to_be_visible()
    expect(page.locator(".tsg-editor .save-state")).not_to_contain_text("not sent")


def test_a_narrative_is_edited_in_jupyterlab(browser: Browser, tmp_path: Path) -> None:
    cells = [f"{STORY}editor = story.edit()\neditor", "print([tuple(one) for one in editor.narrative.graphs[0]])"]
    with jupyter_lab(tmp_path, cells) as address:
        page, problems = opened(browser, address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        annotate(page)
        assert page.get_by_role("button", name="Save", exact=True).count() == 0
        page.locator(".jp-CodeCell .cm-content").nth(1).click()
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-OutputArea-output").last).to_have_text(str(OPENED), timeout=20_000)
        page.close()
    assert problems == []


def test_a_narrative_is_edited_in_marimo(browser: Browser, tmp_path: Path) -> None:
    lines = [*STORY.splitlines(), "import marimo as mo", "editor = mo.ui.anywidget(story.edit())", "editor"]
    body = "\n".join(f"    {line}" for line in lines)
    program = (
        "import marimo\n\napp = marimo.App()\n\n\n@app.cell\ndef _():\n"
        f"{body}\n    return editor, mo\n\n\n@app.cell\ndef _(editor, mo):\n"
        "    editor.value\n    mo.md(str([tuple(t) for g in editor.narrative.graphs for t in g]))\n    return\n"
    )
    with marimo(tmp_path, program) as address:
        page, problems = opened(browser, address)
        annotate(page)
        expect(page.get_by_text(str(OPENED))).to_be_visible(timeout=20_000)
        ground = page.locator(".tsg-editor .node.is-action .shape").evaluate("one => getComputedStyle(one).fill")
        assert ground != "rgb(0, 0, 0)"
        page.close()
    assert problems == []
