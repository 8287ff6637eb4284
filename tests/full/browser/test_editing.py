"""The command that edits, as annotators use it: a story from nothing by keyboard, and a crash in mid-edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from edited_files import started
from playwright.sync_api import Page, expect
from seeded_faults import bundled
from typist import Typist

from tsgkit.graph.model import Narrative
from tsgkit.graph.notation import narratives
from tsgkit.library.documents.reader import read_file

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "annotating.md"


def bare(folder: Path, narrative: Narrative) -> Path:
    parts = tuple(replace(one, graphs=()) for one in narrative.descriptions)
    (file := folder / "story.jsonl").write_text(narratives.write(replace(narrative, descriptions=parts)))
    return file


def writing(page: Page) -> Typist:
    expect(page.locator(".tsg-editor :focus")).to_have_count(1)
    typist = Typist(page)
    typist.press("Enter")
    return typist


def on_disk(path: Path) -> Narrative:
    return read_file(path).entries[0].narrative


def test_the_shortest_bundled_story_is_annotated_from_nothing_by_keyboard(
    window: Callable[..., Page], tmp_path: Path
) -> None:
    story = min(bundled(), key=lambda one: sum(map(len, one.graphs)))
    file = bare(tmp_path, story)
    with started(file) as (_, server):
        page = window(server.address)
        typist = writing(page)
        typist.story(story.descriptions)
        typist.press("Control+s")
        expect(page.locator(".save-state")).to_have_text("✓ saved")
    assert on_disk(file) == story
    triplets = sum(map(len, story.graphs))
    told = f"{len(typist.keys)} keys for {triplets} triplets, {len(typist.keys) / triplets:.1f} a triplet"
    assert told in " ".join(MANUAL.read_text(encoding="utf-8").split())


def test_a_server_killed_in_mid_edit_is_started_again_and_the_open_page_goes_on(
    window: Callable[..., Page], tmp_path: Path
) -> None:
    story = bundled()[0]
    file = bare(tmp_path, story)
    with started(file) as (process, server):
        page = window(server.address)
        typist = writing(page)
        typist.graphs(story.descriptions[0].graphs)
        typist.press("Enter")
        expect(page.locator(".save-state")).to_contain_text("not saved")
        process.kill()
    typist.press("Control+Shift+Enter")
    typist.graphs(story.descriptions[1].graphs)
    typist.press("Enter")
    expect(page.get_by_text("does not answer").first).to_be_visible()
    assert on_disk(file).graphs == ()
    with started(file) as (_, again):
        assert again.address == server.address
        expect(page.get_by_text("does not answer").first).to_be_hidden()
        typist.press("Control+s")
        expect(page.locator(".save-state")).to_have_text("✓ saved")
    assert [one.graphs for one in on_disk(file).descriptions[:2]] == [one.graphs for one in story.descriptions[:2]]
