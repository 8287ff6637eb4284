"""Make the screenshots of the manual: the view of runs of our own data, and the editor, in Chromium.

    python docs/screenshots.py

Needs the extras ``view`` and ``scenes``, Playwright, and Chromium.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).resolve().parents[1]
REPLIES = ROOT / "tasks" / "tsg" / "data" / "tsgkit-2" / "example-replies"
NARRATIVES = ROOT / "tasks" / "tsg" / "data" / "tsgkit-2" / "narratives.jsonl"
EDITED, STORY = "edit-graph.png", "wound"
SLIP = (2, '["person", "verb", "peel"]', '["peel", "verb", "person"]')
"""The number of the graph with the slip, the triplet as it is, and as it is written instead."""
ROOMS = ROOT / "tests" / "stored_runs" / "sceneeval" / "rooms"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking")
WIDTH = 1100


class Shot(NamedTuple):
    """A screenshot: its file, the page, the heading at the top (empty: the whole), and its height."""

    file: str
    page: str
    heading: str
    height: int


COLUMNS = "columns=item,mark,strict,official,k,domain,reason"
SHOTS = (
    Shot("view-samples.png", f"stories/samples?task=tsg/ma-sgg&subject=script:replies.jsonl&mark=w&{COLUMNS}", "", 640),
    Shot("view-sample.png", "stories/sample/1", "In detail", 720),
    Shot("view-room.png", "rooms/sample/1", "In detail", 620),
)


def tsgkit(*words: str | Path, folder: Path) -> None:
    """Run a command; runs with imperfect replies end with 1."""
    done = subprocess.run([sys.executable, "-m", "tsgkit", *map(str, words)], cwd=folder, check=False)  # noqa: S603
    if done.returncode > 1:
        raise SystemExit(done.returncode)


def make_runs(folder: Path) -> None:
    """Make a run of imperfect replies to the stories, and one of rooms."""
    replies = "".join(file.read_text(encoding="utf-8") for file in sorted(REPLIES.glob("*.jsonl")))
    (folder / "replies.jsonl").write_text(replies, encoding="utf-8")
    asked = ("--model", "script:replies.jsonl", "--model", "baseline/rules", "--style", "zero-shot,cot")
    tasks = "tsg/ma-sgg,tsg/sa-sgg,tsg/sgqa,tsg/sgds"
    tsgkit("eval", "--task", tasks, *asked, "--out", "runs/stories", "--quiet", folder=folder)
    rooms = ("--task", "sceneeval/plausibility", "--scenes", f"mine={ROOMS}", "--judge", "rules")
    tsgkit("eval", *rooms, "--out", "runs/rooms", "--quiet", folder=folder)


def take(page: Page, address: str, shot: Shot) -> None:
    """Take one screenshot."""
    page.set_viewport_size({"width": WIDTH, "height": shot.height})
    page.goto("about:blank")
    page.goto(f"{address}#/run/{shot.page}")
    page.wait_for_selector("main h1")
    page.get_by_text("Loading").wait_for(state="detached")
    page.wait_for_timeout(2000)  # drawings are ready when nothing moves any more
    if shot.heading:
        page.get_by_role("heading", name=shot.heading).evaluate("(heading) => heading.scrollIntoView()")
    page.screenshot(path=ROOT / "docs" / "screenshots" / shot.file)


def take_editor(page: Page, address: str) -> None:
    """Take a screenshot of the editor: a graph with a slip, and what the hands hold."""
    page.set_viewport_size({"width": WIDTH + 160, "height": 860})
    page.goto(address)
    page.locator(".graph-line").nth(SLIP[0]).click()
    page.wait_for_timeout(1000)
    page.screenshot(path=ROOT / "docs" / "screenshots" / EDITED)


def make_story(folder: Path) -> None:
    """Make a file of one bundled story with a slip in it."""
    lines = NARRATIVES.read_text(encoding="utf-8").splitlines()
    [story] = [line for line in lines if f'"id": "{STORY}"' in line]
    (folder / "story.jsonl").write_text(story.replace(*SLIP[1:], 1) + "\n", encoding="utf-8")


@contextmanager
def serving(folder: Path, *words: str) -> Iterator[str]:
    """Yield the link to a page of the command."""
    command = [sys.executable, "-m", "tsgkit", "view", *words, "--no-open", "--annotator", "ann"]
    server = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        line = server.stdout.readline() if server.stdout is not None else ""
        yield re.findall(r"http://[^#\s]+", line)[0]
    finally:
        server.terminate()
        server.wait()


def main() -> None:
    """Make all."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        make_runs(folder)
        make_story(folder)
        page = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=list(ARGUMENTS)).new_page()
        with serving(folder) as address:
            for shot in SHOTS:
                take(page, address, shot)
        with serving(folder, "story.jsonl", "--edit") as address:
            take_editor(page, address)
        print(f"written: {', '.join([*(shot.file for shot in SHOTS), EDITED])} in docs/screenshots")


if __name__ == "__main__":
    main()
