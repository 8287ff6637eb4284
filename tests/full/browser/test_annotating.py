"""A story written by keyboard alone: by the command and in JupyterLab."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect
from seeded_faults import bundled
from served import editing

from tsgkit import edit
from tsgkit.errors import UsageError
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "annotating.md"
STORY = """from tsgkit import Description, Narrative, Vocabulary, edit
names = Vocabulary(("jar", "lid"), ("verb", "dobj", "with"), ("open", "take"))
story = Narrative((Description("She opens the jar with one hand."), Description("She takes the lid.")), names, "jam")
"""
OPENED = [("person", "verb", "open"), ("open", "dobj", "jar"), ("open", "with", "hand1")]
EMPTY_FIELD = ".tsg-editor .triplet-line:first-child td:nth-child(4) input"
JUPYTER = """jupyterlab --allow-root --port={port} --ServerApp.root_dir=. --ServerApp.token=told --no-browser
    --LabApp.news_url=None --LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"""
Window = Callable[..., Page]
STATE = """() => {
  let active = document.activeElement;
  while (active?.shadowRoot) active = active.shadowRoot.activeElement;
  const row = active?.closest("tr.triplet-line");
  if (!row) return null;
  const fields = [...row.querySelectorAll("input[role=combobox]")];
  const chosen = active.closest(".combo").querySelector("[role=option][aria-selected=true] bdi");
  return { field: fields.indexOf(active), values: fields.map((one) => one.value), chosen: chosen?.textContent ?? null };
}"""
"""The row with the focus: the field, the values, and the name that Enter would take."""


@dataclass
class Typist:
    """Writes by as few keys as completion allows, which are counted; keys pressed together count as one."""

    page: Page
    keys: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.keys.append(key)
            self.page.keyboard.press(key)

    def graphs(self, graphs: Iterable[Iterable[Sequence[str]]]) -> None:
        """Write graphs one after the other; the last name of each is left for the next command to take."""
        for number, graph in enumerate(graphs):
            if number:
                self.press("Control+Enter")
            triplets = list(graph)
            for place, triplet in enumerate(triplets):
                if place:
                    self.press("Enter")
                self.triplet(triplet, is_last=place == len(triplets) - 1)

    def triplet(self, names: Sequence[str], *, is_last: bool) -> None:
        """Write the fields of a row that do not have their name yet; the caret ends in the target."""
        state = self._state()
        wrong = [place for place in range(3) if state["values"][place] != names[place]]
        while wrong and state["field"] > wrong[0]:
            self.press("Shift+Tab")
            state = self._state()
        while True:
            is_written = state["values"][state["field"]] == names[state["field"]]
            if not is_written:
                self.name(names[state["field"]], least=int(is_last and state["field"] == 2))
            if state["field"] == 2:
                return
            self.press("Tab" if is_written else "Enter")
            state = self._state()

    def name(self, name: str, least: int) -> None:
        """Type until the completion offers the name, but so many letters at least: commands take no name unasked."""
        for typed, letter in enumerate(name):
            if self._state()["chosen"] == name and typed >= least:
                return
            self.press(letter)
        while self._state()["chosen"] != name:
            self.press("ArrowDown")

    def _state(self) -> Any:  # noqa: ANN401  (JSON)
        return self.page.evaluate(STATE)


def test_the_shortest_bundled_story_is_annotated_from_nothing(window: Window, tmp_path: Path) -> None:
    story = min(bundled(), key=lambda one: sum(map(len, one.graphs)))
    parts = tuple(replace(one, graphs=()) for one in story.descriptions)
    (file := tmp_path / "story.jsonl").write_text(narratives.write(replace(story, descriptions=parts)))
    with editing(file) as server:
        page = window(server.address)
        expect(page.locator(".tsg-editor :focus")).to_have_count(1)
        typist = Typist(page)
        typist.press("Enter")
        for number, description in enumerate(story.descriptions):
            typist.press(*["Control+Shift+Enter"] * bool(number))
            typist.graphs(description.graphs)
        typist.press("Enter", "Control+s")
        expect(page.locator(".save-state")).to_have_text("✓ saved")
    assert read_file(file).entries[0].narrative == story
    triplets = sum(map(len, story.graphs))
    told = f"{len(typist.keys)} keys for {triplets} triplets, {len(typist.keys) / triplets:.1f} a triplet"
    assert told in " ".join(MANUAL.read_text(encoding="utf-8").split())


@contextmanager
def notebook(command: str, path: str, folder: Path) -> Iterator[str]:
    """Run a server whose user has an empty home; yield an address once it answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    own = {**os.environ, "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1", "MARIMO_SKIP_UPDATE_CHECK": "1"}
    words = [sys.executable, "-m", *command.format(port=port).split()]
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(words, cwd=folder, env=own, stdout=log, stderr=log, start_new_session=True)
    address, end = f"http://127.0.0.1:{port}/{path}", time.monotonic() + 120
    try:
        while True:
            try:
                urllib.request.urlopen(address, timeout=60).close()
                break
            except OSError:
                assert time.monotonic() < end and server.poll() is None, (folder / "server.log").read_text()
                time.sleep(0.1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=60)


def opened(browser: Browser, address: str) -> tuple[Page, list[str]]:
    """Return a page, and the list of errors and of requests to elsewhere."""
    page, problems = browser.new_page(viewport={"width": 1280, "height": 1400}), list[str]()
    page.set_default_timeout(60_000)
    here = ("http://127.0.0.1", "data:", "blob:")
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda asked: None if asked.url.startswith(here) else problems.append(asked.url))
    page.goto(address)
    return page, problems


def annotate(page: Page) -> None:
    page.locator(EMPTY_FIELD).click()
    typist = Typist(page)
    typist.graphs([OPENED])
    typist.press("Enter")
    expect(page.locator(".tsg-editor .graph-drawing text", has_text="hand1")).to_be_visible()
    expect(page.locator(".tsg-editor .save-state")).not_to_contain_text("not sent")


def test_a_narrative_is_edited_in_jupyterlab(browser: Browser, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="proposal: expected a Narrative, found str"):
        edit(bundled()[0], "story.jsonl")  # type: ignore[arg-type]
    about: dict[str, object] = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": []}
    texts = f"{STORY}editor = edit(story)\neditor", "print([tuple(one) for one in editor.narrative.graphs[0]])"
    cells = [{"id": f"cell-{number}", "source": text, **about} for number, text in enumerate(texts)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    saved = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "tried.ipynb").write_text(json.dumps(saved))
    with notebook(JUPYTER, "lab/tree/tried.ipynb?token=told&reset", tmp_path) as address:
        page, problems = opened(browser, address)
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for()
        page.locator(".jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Shift+Enter")
        annotate(page)
        assert page.get_by_role("button", name="Save", exact=True).count() == 0
        page.locator(".jp-CodeCell .cm-content").nth(1).click()
        page.keyboard.press("Shift+Enter")
        expect(page.locator(".jp-OutputArea-output").last).to_have_text(str(OPENED))
        page.close()
    assert problems == []
