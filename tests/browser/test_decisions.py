"""Decisions as people make them in Chromium: by keyboard and by mouse, on lists of a test and of real commands."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from decidables import HOSTILE, Deciding, ListedDecisions, PreviewedDecisions, deciding
from panel_pages import ARGUMENTS, CHROMIUM, violations

from tsgkit.browser.modules import in_order, joined, text_of
from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

pytest.importorskip("uvicorn", reason="the extra view is not installed")
pytest.importorskip("playwright", reason="pages are tested with Playwright")

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, expect, sync_playwright

slow = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium")]
LOADING = "Failed to load resource"
"""Chromium's remark on a response with an error status, or none."""
SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "direct_object", "kettle"), ("fill", "with", "hand1"))


@pytest.mark.parametrize("module", [name for name in in_order("deciding.js") if "decide" in name or "server" in name])
def test_modules_of_decisions_write_no_markup(module: str) -> None:
    text = text_of(module)
    assert text.startswith("// ")
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)


def test_modules_of_decisions_can_be_joined() -> None:
    assert "export " not in joined("deciding.js")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield started
        started.close()


@dataclass
class Windows:
    """Windows of one browser; no test may leave an error in the console."""

    context: BrowserContext
    said: list[str]

    def open(self, address: str) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(10_000)
        page.on("console", lambda message: self.said.append(_told(message)))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: dialog.accept())
        page.add_init_script("addEventListener('securitypolicyviolation', (e) => console.error('CSP ' + e.blockedURI))")
        page.goto(address)
        return page


def _told(message: ConsoleMessage) -> str:
    return message.text if message.type in ("error", "warning") and LOADING not in message.text else ""


Open = Callable[..., Windows]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    windows: list[Windows] = []

    def make(**options: Any) -> Windows:  # noqa: ANN401  (Playwright's)
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        windows.append(Windows(context, []))
        return windows[-1]

    yield make
    for one in windows:
        one.context.close()
    assert [words for one in windows for words in one.said if words] == []


@pytest.fixture
def windows(opened: Open) -> Windows:
    return opened()


@pytest.fixture
def serve() -> Iterator[Callable[[ListedDecisions], Deciding]]:
    with ExitStack() as kept:
        yield lambda decidable: kept.enter_context(deciding(decidable))


Serve = Callable[[ListedDecisions], Deciding]


def heading(page: Page, words: str) -> None:
    """Wait for an entry."""
    expect(page.locator("#entry-name")).to_contain_text(words, timeout=30_000)


class TestPage:
    """Lists of a test."""

    pytestmark = slow

    def test_an_entry_is_shown_with_all_its_parts(self, serve: Serve, windows: Windows) -> None:
        page = windows.open(serve(ListedDecisions()).address)
        heading(page, "1 of 3: cup, graph 0")
        expect(page.get_by_text("She washes the cup.")).to_be_visible()
        expect(page.get_by_text("a reason for cup, graph 0")).to_be_visible()
        expect(page.get_by_role("img", name="person → verb → wash; wash → dobj → cup")).to_be_visible()
        marked = page.get_by_role("listitem").filter(has_text="extra: wash → dobj → cup")
        expect(marked).to_contain_text("+")
        expect(page.get_by_text("There is no graph.")).to_be_visible()
        expect(page.locator(".decided-count")).to_have_text("0 of 3 decided")
        expect(page).to_have_title("(0/3) Decisions of a test · tsgkit")

    def test_keys_decide_and_move(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(names=[f"entry {number}" for number in range(5)]))
        page = windows.open(served.address)
        heading(page, "1 of 5")
        page.keyboard.press("1")
        heading(page, "2 of 5")
        expect(page.locator("#entry-name")).to_be_focused()
        page.keyboard.press("j")
        heading(page, "3 of 5")
        page.keyboard.press("2")
        heading(page, "4 of 5")
        page.keyboard.press("k")
        heading(page, "3 of 5")
        expect(page.get_by_text("✓ Decided: Take <img")).to_be_visible()
        page.keyboard.press("k")
        page.keyboard.press("k")
        heading(page, "1 of 5")
        page.keyboard.press("u")
        heading(page, "2 of 5")
        assert {number: made[0] for number, made in served.decidable.made.items()} == {0: "first", 2: "second"}
        lines = page.get_by_role("navigation", name="Entries").get_by_role("listitem")
        expect(lines).to_have_text(
            ["✓entry 0 first", "○entry 1 open", "✓entry 2 second", "○entry 3 open", "○entry 4 open"]
        )

    def test_a_key_that_is_held_decides_one_entry(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(names=[f"entry {number}" for number in range(9)], delay=0.02))
        page = windows.open(served.address)
        heading(page, "1 of 9")
        for _ in range(12):
            page.keyboard.down("1")
        page.keyboard.up("1")
        heading(page, "2 of 9")
        assert list(served.decidable.made) == [0]

    def test_an_entry_that_is_looked_at_meanwhile_stays(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(delay=0.5))
        page = windows.open(served.address)
        heading(page, "1 of 3")
        page.keyboard.press("1")
        page.get_by_role("link", name="cup, graph 2").click()
        heading(page, "3 of 3")
        expect(page.locator(".decided-count")).to_have_text("1 of 3 decided")
        heading(page, "3 of 3")
        page.keyboard.press("k")
        heading(page, "2 of 3")
        page.get_by_role("button", name="Edit e").click()
        page.get_by_role("combobox", name="target").fill("refused")
        page.keyboard.press("Control+Enter")
        page.get_by_role("link", name="cup, graph 2").click()
        heading(page, "2 of 3")
        expect(page.get_by_text("this edit is refused")).to_be_visible()
        expect(page.get_by_role("combobox", name="target")).to_have_value("refused")
        assert served.decidable.made == {0: ("first", None, "")}

    def test_a_refusal_is_shown_though_the_page_asks_for_the_state_meanwhile(
        self, serve: Serve, windows: Windows
    ) -> None:
        served = serve(ListedDecisions(delay=2.5))  # longer than the page waits between two questions
        page = windows.open(served.address)
        heading(page, "1 of 3")
        page.get_by_role("button", name="Edit e").click()
        page.get_by_role("combobox", name="target").fill("refused")
        page.keyboard.press("Control+Enter")
        page.get_by_role("link", name="cup, graph 2").click()
        expect(page.get_by_text("this edit is refused")).to_be_visible(timeout=20_000)
        heading(page, "1 of 3")
        expect(page.get_by_role("combobox", name="target")).to_have_value("refused")

    def test_a_decision_may_be_changed_with_its_note(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions())
        page = windows.open(served.address)
        heading(page, "1 of 3")
        page.keyboard.press("m")
        page.keyboard.type("1 is right")
        page.keyboard.press("Escape")
        page.keyboard.press("1")
        heading(page, "2 of 3")
        page.get_by_role("link", name="cup, graph 0").click()
        expect(page.get_by_role("button", name="Take ann 1")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_role("textbox", name="Note")).to_have_value("1 is right")
        page.get_by_role("button", name=re.compile("Take <img")).click()
        heading(page, "2 of 3")
        assert served.decidable.made == {0: ("second", None, "1 is right")}
        page.go_back()
        heading(page, "1 of 3")

    def test_in_order_later_entries_can_be_seen_and_not_decided(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(in_order=True))
        page = windows.open(served.address)
        page.get_by_role("link", name="cup, graph 2").click()
        heading(page, "3 of 3")
        expect(page.get_by_text("Those before it are decided first")).to_be_visible()
        expect(page.get_by_role("group", name="Decision")).to_have_count(0)
        page.keyboard.press("1")
        page.get_by_role("link", name="go to number 1").click()
        heading(page, "1 of 3")
        page.keyboard.press("1")
        heading(page, "2 of 3")
        page.keyboard.press("k")
        expect(page.get_by_text("Decisions are final here.")).to_be_visible()
        assert served.decidable.made == {0: ("first", None, "")}

    def test_the_last_decision_ends_the_page_and_the_server(self, windows: Windows) -> None:
        with deciding(ListedDecisions(names=["one", "two"])) as served:
            page = windows.open(served.address)
            heading(page, "1 of 2")
            page.keyboard.press("1")
            heading(page, "2 of 2")
            expect(page.get_by_text("This is the last one")).to_be_visible()
            page.keyboard.press("2")
            expect(page.get_by_role("heading", name="All is decided")).to_be_focused()
            expect(page.get_by_text("The test goes on.")).to_be_visible()
            expect(page.get_by_role("listitem")).to_have_text(["first: 1", "second: 1"])
        assert served.result == [True]
        page.wait_for_timeout(2500)  # the next question about the state would have come by now
        expect(page.locator(".connection")).to_be_empty()

    def test_a_reload_goes_on_where_one_was(self, serve: Serve, windows: Windows) -> None:
        page = windows.open(serve(ListedDecisions()).address)
        heading(page, "1 of 3")
        page.keyboard.press("j")
        heading(page, "2 of 3")
        page.reload()
        expect(page.locator("#entry-name")).to_contain_text("2 of 3")
        page = windows.open(page.url.partition("#")[0])
        expect(page.locator("#entry-name")).to_contain_text("1 of 3")

    def test_a_triplet_is_edited_with_completion_and_seen_before_it_is_kept(
        self, serve: Serve, windows: Windows
    ) -> None:
        served = serve(PreviewedDecisions())
        page = windows.open(served.address)
        heading(page, "1 of 3")
        page.keyboard.press("e")
        expect(page.get_by_role("combobox", name="source")).to_be_focused()
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.type("refused")
        expect(page.get_by_text("this edit is refused")).to_be_visible()
        page.get_by_role("combobox", name="target").fill("mu")
        page.keyboard.press("Enter")
        expect(page.get_by_role("combobox", name="target")).to_have_value("mug")
        expect(page.get_by_role("img", name="wash → dobj → mug")).to_be_visible()
        expect(page.get_by_text("this edit is refused")).to_have_count(0)
        keep = page.get_by_role("button", name="Keep this edit")
        expect(keep).to_be_focused()
        page.keyboard.press("1")
        expect(page.get_by_role("combobox", name="source")).to_be_focused()
        assert served.decidable.made == {}, "keys of choices decide nothing while the form is open"
        keep.press("Enter")
        heading(page, "2 of 3")
        assert served.decidable.made == {0: ("edit", ["wash", "dobj", "mug"], "")}

    def test_a_cancelled_edit_leaves_the_entry_as_it_was(self, serve: Serve, windows: Windows) -> None:
        served = serve(PreviewedDecisions())
        page = windows.open(served.address)
        page.get_by_role("button", name="Edit e").click()
        page.get_by_role("combobox", name="target").fill("mug")
        expect(page.get_by_role("img", name="wash → dobj → mug")).to_be_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        expect(page.get_by_role("img", name="wash → dobj → cup")).to_be_visible()
        expect(page.get_by_role("button", name="Take ann 1")).to_be_focused()
        assert served.decidable.made == {}

    def test_an_edit_that_is_refused_stays_open_with_the_reason(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(form="texts"))
        page = windows.open(served.address)
        page.get_by_role("button", name="Edit e").click()
        expect(page.get_by_label("Title")).to_be_focused()
        page.get_by_label("Lines").fill("refused\n" + HOSTILE)
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("this edit is refused")).to_be_visible()
        expect(page.get_by_text("write another word")).to_be_visible()
        page.get_by_label("Lines").fill("three")
        page.get_by_role("button", name="Keep this edit").click()
        heading(page, "2 of 3")
        assert served.decidable.made == {0: ("edit", {"title": "A den.", "lines": "three"}, "")}

    def test_all_triplets_of_a_graph_are_edited_in_a_table(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(form="triplets"))
        page = windows.open(served.address)
        page.get_by_role("button", name="Edit e").click()
        page.get_by_role("combobox", name="target of triplet 2").fill("mug")
        page.keyboard.press("Control+Enter")
        heading(page, "2 of 3")
        assert served.decidable.made[0][1] == [
            ["person", "verb", "wash"],
            ["wash", "dobj", "mug"],
            ["wash", "with", "hand1"],
        ]

    def test_a_graph_may_be_stated_not_to_exist(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(form="graph-or-none"))
        page = windows.open(served.address)
        page.get_by_role("button", name="Edit e").click()
        expect(page.get_by_label("There is no graph here")).to_be_checked()
        page.keyboard.press("Control+Enter")
        heading(page, "2 of 3")
        page.get_by_role("button", name="Edit e").click()
        page.get_by_label("There is no graph here").uncheck()
        page.get_by_role("combobox", name="target of triplet 1").fill("wash")
        page.get_by_role("button", name="Keep this edit").click()
        heading(page, "3 of 3")
        assert [made[1] for made in served.decidable.made.values()] == [None, [["person", "verb", "wash"]]]

    def test_a_draft_stays_while_other_entries_are_looked_at(self, serve: Serve, windows: Windows) -> None:
        page = windows.open(serve(ListedDecisions(form="texts")).address)
        page.get_by_role("button", name="Edit e").click()
        page.get_by_label("Title").fill("A den with a draft.")
        page.get_by_role("link", name="cup, graph 1").click()
        heading(page, "2 of 3")
        page.get_by_role("link", name="cup, graph 0").click()
        expect(page.get_by_label("Title")).to_have_value("A den with a draft.")

    def test_two_windows_agree(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(in_order=True))
        first, second = windows.open(served.address), windows.open(served.address)
        heading(first, "1 of 3")
        heading(second, "1 of 3")
        second.evaluate("Object.defineProperty(document, 'hidden', { value: true })")  # it does not listen
        first.keyboard.press("1")
        heading(first, "2 of 3")
        second.keyboard.press("2")
        expect(second.get_by_role("alert")).to_contain_text("decided already, and cannot be changed")
        expect(second.locator(".decided-count")).to_have_text("1 of 3 decided")
        assert served.decidable.made == {0: ("first", None, "")}
        second.keyboard.press("u")
        heading(second, "2 of 3")
        second.keyboard.press("2")
        heading(first, "2 of 3")
        expect(first.locator(".decided-count")).to_have_text("2 of 3 decided")
        expect(first.get_by_text("Decisions are final here.")).to_be_visible()

    def test_hostile_names_are_text(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(names=[HOSTILE, "x" * 500], title=HOSTILE, done_message=HOSTILE))
        page = windows.open(served.address)
        heading(page, "1 of 2")
        page.keyboard.press("2")
        heading(page, "2 of 2")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.keyboard.press("1")
        expect(page.get_by_role("heading", name="All is decided")).to_be_visible()
        assert page.locator("img, script[src=x]").count() == 0
        expect(page.locator(".all-decided")).to_contain_text("<img src=x")

    def test_one_of_a_thousand_entries_is_found_and_decided(self, serve: Serve, windows: Windows) -> None:
        served = serve(ListedDecisions(names=[f"entry {number}" for number in range(1_000)]))
        page = windows.open(served.address + "#/900")
        heading(page, "900 of 1000")
        expect(page.locator(".entries [aria-current]")).to_be_in_viewport()
        for number in range(900, 904):
            page.keyboard.press("1")
            heading(page, f"{number + 1} of 1000")
        assert sorted(served.decidable.made) == [*range(899, 903)]

    @pytest.mark.parametrize("look", [(1280, "light"), (390, "dark"), (390, "light")], ids=str)
    @pytest.mark.parametrize("form", ["triplet", "triplets", "graph-or-none", "texts"])
    def test_the_page_fits_and_can_be_used_by_all(
        self, serve: Serve, opened: Open, form: str, look: tuple[int, str]
    ) -> None:
        width, scheme = look
        own = opened(viewport={"width": width, "height": 844}, color_scheme=scheme, reduced_motion="reduce")
        page = own.open(serve(ListedDecisions(form=form, made={0: ("edit", None, HOSTILE)})).address + "#/1")
        heading(page, "1 of 3")
        for key in ("", "e"):
            if key:
                page.keyboard.press(key)
                expect(page.get_by_role("form", name="Edit")).to_be_visible()
            assert violations(page, "serious", "critical", "moderate") == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width


@dataclass
class Command:
    """A command that serves a page, until it ends."""

    process: subprocess.Popen[str]
    address: str

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out, err


Run = Callable[..., Command]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """Commands in a folder; those that still work are ended."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: str) -> Command:
        command = [sys.executable, "-m", "tsgkit", *words]
        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, cwd=tmp_path, env=environment, text=True, **pipes)  # type: ignore[call-overload]
        started.append(process)
        line = process.stdout.readline()
        assert "to make: http://" in line, line + process.communicate(timeout=20)[1]
        return Command(process, line.split()[-1])

    yield start
    for process in started:
        process.kill()
        process.communicate()


class TestRefine:
    """``tsgkit refine --review-in browser`` on a spoilt file."""

    pytestmark = slow
    words = ("refine", "g.txt", "-o", "out.txt", "--narrative", "story.txt", "--review-in", "browser")

    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "g.txt").write_text(arrow.write([SLIP, SLIP]))
        (tmp_path / "story.txt").write_text("She fills the kettle.\nShe fills it again.\n")
        return tmp_path

    def test_changes_are_accepted_rejected_and_edited(self, run: Run, folder: Path, windows: Windows) -> None:
        command = run(*self.words)
        page = windows.open(command.address)
        heading(page, "1 of 4: item 0, graph 0 (exact)")
        expect(page.get_by_text("She fills the kettle.")).to_be_visible()
        expect(page.get_by_text("verb starts at fill, not at person")).to_be_visible()
        expect(page.get_by_text("removed: fill → verb → person")).to_be_visible()
        expect(page.get_by_text("added: person → verb → fill")).to_be_visible()
        page.keyboard.press("a")
        heading(page, "2 of 4")
        page.keyboard.press("e")
        page.get_by_role("combobox", name="target").fill("cup")
        expect(page.get_by_text("added: fill → dobj → cup")).to_be_visible()
        page.keyboard.press("Control+Enter")
        heading(page, "3 of 4")
        page.get_by_role("textbox", name="Note").fill("as the author wrote it")
        page.get_by_role("button", name="Reject r").click()
        heading(page, "4 of 4")
        page.keyboard.press("a")
        expect(page.get_by_text("The command goes on and writes out.txt.")).to_be_visible()
        code, out, err = command.ended()
        assert code == 0 and "written: out.txt" in out
        assert "verb-source, reject: as the author wrote it" in err
        first = "person -> verb -> fill\nfill -> dobj -> cup\nfill -> with -> hand1\n"
        assert (folder / "out.txt").read_text() == first + "\n" + (
            "fill -> verb -> person\nfill -> dobj -> kettle\nfill -> with -> hand1\n"
        )

    def test_a_triplet_that_the_file_cannot_hold_is_refused(self, run: Run, windows: Windows) -> None:
        page = windows.open(run(*self.words).address)
        page.get_by_role("button", name="Edit e").click()
        for name in ("", "a -> b"):
            page.get_by_role("combobox", name="target").fill(name)
            page.keyboard.press("Control+Enter")
            expect(page.get_by_text("that is no triplet")).to_be_visible()
        expect(page.locator(".decided-count")).to_have_text("0 of 4 decided")

    def test_killed_between_decisions_it_goes_on_in_either_place(
        self, run: Run, folder: Path, windows: Windows
    ) -> None:
        command = run(*self.words)
        page = windows.open(command.address)
        heading(page, "1 of 4")
        page.keyboard.press("r")
        heading(page, "2 of 4")
        command.process.send_signal(signal.SIGKILL)
        command.process.wait()
        page.keyboard.press("a")
        expect(page.get_by_role("alert")).to_contain_text("Not kept: The server does not answer.")
        expect(page.get_by_role("status").filter(has_text="run it again")).to_be_visible()
        terminal = [sys.executable, "-m", "tsgkit", *self.words[:-2], "--review"]
        in_terminal = subprocess.run(terminal, cwd=folder, input="a\nq\n", capture_output=True, text=True, check=False)
        assert in_terminal.returncode == 130 and in_terminal.stdout.startswith("2 of 4: item 0, graph 0")
        command = run(*self.words)
        page = windows.open(command.address)
        heading(page, "3 of 4")
        expect(page.get_by_role("link", name=re.compile("edge-misspelt accept"))).to_be_visible()
        page.keyboard.press("a")
        heading(page, "4 of 4")
        command.process.send_signal(signal.SIGINT)
        code, _, err = command.ended()
        assert code == 130 and "the same command goes on with this review" in err
        assert not (folder / "out.txt").exists()
        in_terminal = subprocess.run(terminal, cwd=folder, input="r\n", capture_output=True, text=True, check=False)
        assert in_terminal.returncode == 0 and in_terminal.stdout.startswith("4 of 4")
        assert (folder / "out.txt").read_text().split("\n\n") == [
            "fill -> verb -> person\nfill -> dobj -> kettle\nfill -> with -> hand1",
            "person -> verb -> fill\nfill -> direct_object -> kettle\nfill -> with -> hand1\n",
        ]


class TestMakeSceneeval:
    """``tsgkit make sceneeval --review-in browser`` with sentence patterns."""

    pytestmark = slow
    words = ("make", "sceneeval", "-o", "made.json", "--items", "3", "--difficulty", "easy", "--review-in", "browser")

    def test_items_are_accepted_edited_and_dropped(self, run: Run, tmp_path: Path, windows: Windows) -> None:
        command = run(*self.words)
        page = windows.open(command.address)
        heading(page, "1 of 3: easy, ")
        expect(page.get_by_text(re.compile(r"^eq,1,\w+  \(exactly 1 "))).not_to_have_count(0)
        page.keyboard.press("d")
        heading(page, "2 of 3")
        page.keyboard.press("e")
        entries = page.get_by_label("Entries, one a line")
        before = entries.input_value()
        entries.fill(f"{before}\nnonsense")
        expect(page.get_by_text(re.compile("line .: 'nonsense': not quant,n,category"))).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".decided-count")).to_have_text("1 of 3 decided")
        entries.fill(f"{before}\neq,1,globe")
        expect(page.get_by_text("error untold-category: the text does not name globe")).to_be_visible()
        text = page.get_by_label("Description").input_value() + " There is a globe."
        page.get_by_label("Description").fill(text)
        expect(page.get_by_text("error untold-category")).to_have_count(0)
        page.get_by_role("button", name="Keep this edit").click()
        heading(page, "3 of 3")
        page.keyboard.press("k")
        heading(page, "2 of 3")
        expect(page.get_by_text("eq,1,globe  (exactly 1 globe)")).to_be_visible()
        expect(page.get_by_role("button", name="Accept as generated")).to_be_visible()
        page.keyboard.press("k")
        heading(page, "1 of 3")
        page.keyboard.press("a")
        heading(page, "3 of 3")
        page.keyboard.press("d")
        expect(page.get_by_role("heading", name="All is decided")).to_be_visible()
        code, out, _ = command.ended()
        assert code == 0 and "reviewed: 1 accepted, 1 dropped, 1 edited" in out
        made = read_annotation_file(tmp_path / "made.json").annotations
        assert len(made) == 2 and made[1].description == text

    def test_a_killed_review_goes_on_with_what_was_decided(self, run: Run, tmp_path: Path, windows: Windows) -> None:
        command = run(*self.words)
        page = windows.open(command.address)
        heading(page, "1 of 3")
        page.keyboard.press("j")
        heading(page, "2 of 3")
        page.keyboard.press("d")
        heading(page, "3 of 3")
        command.process.send_signal(signal.SIGKILL)
        command.process.wait()
        [line] = (tmp_path / "made.json.review.jsonl").read_text().splitlines()
        assert json.loads(line)["decision"] == "dropped"
        page = windows.open(run(*self.words).address)
        heading(page, "1 of 3")
        expect(page.locator(".decided-count")).to_have_text("1 of 3 decided")
