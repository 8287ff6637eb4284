"""The editor with its real server, as annotators use it: from nothing by keyboard, repairs, crashes, two browsers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from seeded_faults import bundled, spoilt_narratives
from typist import Typist

from tsgkit.graph.model import Narrative
from tsgkit.graph.notation import narratives
from tsgkit.graph.repairs import mend
from tsgkit.graph.rules import check_narrative
from tsgkit.library.documents.reader import read_file

Opened = Callable[[str], Page]
MANUAL = Path(__file__).resolve().parents[3] / "docs" / "annotating.md"


@pytest.fixture
def opened(window: Callable[..., Page]) -> Opened:
    """Open the editor at an address."""
    expect.set_options(timeout=20_000)

    def opened(address: str) -> Page:
        page = window(address)
        page.wait_for_selector(".triplet-table")
        page.wait_for_function("document.activeElement.closest('.tsg-editor')")
        return page

    return opened


def bare(narrative: Narrative) -> Narrative:
    """Return a narrative without its graphs."""
    return replace(narrative, descriptions=tuple(replace(one, graphs=()) for one in narrative.descriptions))


def started(file: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    """Start the command; return it with the link that it prints."""
    command = [sys.executable, "-m", "tsgkit", "view", str(file), "--edit", "--no-open", *options]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    found = re.search(r"http://\S+", line)
    assert found, line + server.communicate()[1]
    return server, found[0]


@contextmanager
def edited(file: Path, *options: str) -> Iterator[str]:
    """Yield the link to the editor of a file; the command is ended as by Ctrl-C, and ends well."""
    server, address = started(file, *options)
    try:
        yield address
    finally:
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=20)
    assert (server.returncode, told) == (0, "")


def save(page: Page) -> None:
    page.keyboard.press("Control+s")
    expect(page.locator(".save-state")).to_have_text("✓ saved")


def written(path: Path, narrative: Narrative) -> Path:
    path.write_text(narratives.write(narrative), encoding="utf-8")
    return path


def on_disk(path: Path) -> Narrative:
    return read_file(path).entries[0].narrative


def test_the_shortest_bundled_story_is_annotated_from_nothing_by_keyboard(opened: Opened, tmp_path: Path) -> None:
    story = min(bundled(), key=lambda one: sum(map(len, one.graphs)))
    assert len(story.descriptions) >= 10
    file = written(tmp_path / "story.jsonl", bare(story))
    with edited(file) as address:
        page = opened(address)
        typist = Typist(page)
        typist.press("Enter")
        typist.story(story.descriptions)
        typist.press("Control+s")
        expect(page.locator(".save-state")).to_have_text("✓ saved")
    assert on_disk(file) == story
    triplets = sum(map(len, story.graphs))
    told = f"{len(typist.keys)} keys for {triplets} triplets, {len(typist.keys) / triplets:.1f} a triplet"
    assert told in " ".join(MANUAL.read_text(encoding="utf-8").split())


def test_a_spoilt_story_is_repaired_by_keys_and_undone_again(opened: Opened, tmp_path: Path) -> None:
    spoilt = next(one.spoilt for one in spoilt_narratives(0.5, seed=1) if len(mend(one.spoilt).changes) > 2)
    file = written(tmp_path / "spoilt.jsonl", spoilt)
    with edited(file) as address:
        page = opened(address)
        page.keyboard.press("Alt+Shift+R")
        save(page)
        mended = on_disk(file)
        assert len(check_narrative(mended)) < len(check_narrative(spoilt))
        assert mended.graphs == mend(spoilt).narrative.graphs
        page.keyboard.press("Control+z")
        expect(page.locator(".save-state")).to_contain_text("not saved")
        save(page)
        assert on_disk(file) == spoilt


def test_a_server_killed_in_mid_edit_is_started_again_and_the_open_page_goes_on(opened: Opened, tmp_path: Path) -> None:
    story = bundled()[0]
    file = written(tmp_path / "story.jsonl", bare(story))
    server, address = started(file)
    page = opened(address)
    typist = Typist(page)
    typist.press("Enter")
    typist.graphs(story.descriptions[0].graphs)
    typist.press("Enter")
    expect(page.locator(".save-state")).to_contain_text("not saved")
    os.kill(server.pid, signal.SIGKILL)
    server.communicate()
    typist.press("Control+Shift+Enter")
    typist.graphs(story.descriptions[1].graphs)
    typist.press("Enter")
    expect(page.get_by_text("does not answer").first).to_be_visible()
    assert on_disk(file).graphs == ()
    with edited(file) as again:
        assert again == address
        expect(page.get_by_text("does not answer").first).to_be_hidden()
        save(page)
    assert [one.graphs for one in on_disk(file).descriptions[:2]] == [one.graphs for one in story.descriptions[:2]]


def test_two_pages_of_a_file_see_each_other_and_a_third_hand_on_disk_is_not_overwritten(
    opened: Opened, tmp_path: Path
) -> None:
    story = bundled()[0]
    file = written(tmp_path / "story.jsonl", story)
    with edited(file) as address:
        first, second = opened(address), opened(address)
        first.locator(".triplet-table input").nth(3).fill("carry")
        first.keyboard.press("Escape")
        expect(second.locator(".triplet-table input").nth(3)).to_have_value("carry")
        written(file, other := bare(story))
        expect(second.get_by_text("changed on disk").first).to_be_visible()
        first.bring_to_front()
        first.keyboard.press("Control+s")
        expect(first.get_by_text("changed on disk").first).to_be_visible()
        assert on_disk(file) == other
        first.get_by_role("button", name="Keep mine").first.click()
        save(first)
    assert on_disk(file).graphs[0].triplets[0].target == "carry"
