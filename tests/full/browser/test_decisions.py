"""Decisions as people make them in Chromium: by keyboard and by mouse, on lists of a test and of real commands."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from decidables import HOSTILE, TRIPLETS, Deciding, ListedDecisions, PreviewedDecisions, deciding
from in_chromium import violations
from playwright.sync_api import Page, expect

from tsgkit.graph import ActionGraph
from tsgkit.graph.notation import arrow
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

SLIP = ActionGraph.of(("fill", "verb", "person"), ("fill", "direct_object", "kettle"), ("fill", "with", "hand1"))
Opened = Callable[..., tuple[Page, Deciding]]
Window = Callable[..., Page]


@pytest.fixture
def opened(window: Window) -> Iterator[Opened]:
    with ExitStack() as kept:

        def open_page(decidable: ListedDecisions, **looks: object) -> tuple[Page, Deciding]:
            served = kept.enter_context(deciding(decidable))
            return window(served.address, **looks), served

        yield open_page


def heading(page: Page, words: str) -> None:
    expect(page.locator("#entry-name")).to_contain_text(words)


def press(page: Page, *keys: tuple[str, str]) -> None:
    """Press keys, and wait for the entry that each leads to."""
    for key, words in keys:
        page.keyboard.press(key)
        heading(page, words)


def edit(page: Page) -> None:
    page.get_by_role("button", name="Edit e").click()


def test_keys_decide_and_move_once_however_long_they_are_held(opened: Opened) -> None:
    page, served = opened(ListedDecisions(names=[f"entry {number}" for number in range(5)], delay=0.02))
    heading(page, "1 of 5")
    for _ in range(12):
        page.keyboard.down("1")
    page.keyboard.up("1")
    heading(page, "2 of 5")
    assert list(served.decidable.made) == [0]
    expect(page.locator("#entry-name")).to_be_focused()
    press(page, ("j", "3 of 5"), ("2", "4 of 5"), ("k", "3 of 5"))
    expect(page.get_by_text("✓ Decided: Take <img")).to_be_visible()
    press(page, ("k", "2 of 5"), ("k", "1 of 5"), ("u", "2 of 5"))
    assert {number: made[0] for number, made in served.decidable.made.items()} == {0: "first", 2: "second"}
    lines = page.get_by_role("navigation", name="Entries").get_by_role("listitem")
    expect(lines).to_have_text(["✓entry 0 first", "○entry 1 open", "✓entry 2 second", "○entry 3 open", "○entry 4 open"])
    page.reload()
    heading(page, "2 of 5")


def test_an_entry_is_shown_with_all_its_parts_and_decided_again_with_its_note(opened: Opened) -> None:
    page, served = opened(ListedDecisions())
    heading(page, "1 of 3: cup, graph 0")
    for words in ("She washes the cup.", "a reason for cup, graph 0", "There is no graph."):
        expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_role("img", name="person → verb → wash; wash → dobj → cup")).to_be_visible()
    expect(page.get_by_role("listitem").filter(has_text="extra: wash → dobj → cup")).to_contain_text("+")
    expect(page.locator(".decided-count")).to_have_text("0 of 3 decided")
    expect(page).to_have_title("(0/3) Decisions of a test · tsgkit")
    page.keyboard.press("m")
    page.keyboard.type("1 is right")
    page.keyboard.press("Escape")
    press(page, ("1", "2 of 3"))
    page.get_by_role("link", name="cup, graph 0").click()
    expect(page.get_by_role("button", name="Take ann 1")).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("textbox", name="Note")).to_have_value("1 is right")
    page.get_by_role("button", name=re.compile("Take <img")).click()
    heading(page, "2 of 3")
    assert served.decidable.made == {0: ("second", None, "1 is right")}
    page.go_back()
    heading(page, "1 of 3")


def test_in_order_later_entries_are_seen_only_and_a_second_window_follows(opened: Opened, window: Window) -> None:
    first, served = opened(ListedDecisions(in_order=True))
    second = window(served.address)
    first.get_by_role("link", name="cup, graph 2").click()
    heading(first, "3 of 3")
    expect(first.get_by_text("Those before it are decided first")).to_be_visible()
    expect(first.get_by_role("group", name="Decision")).to_have_count(0)
    first.keyboard.press("1")
    first.get_by_role("link", name="go to number 1").click()
    heading(first, "1 of 3")
    heading(second, "1 of 3")
    second.evaluate("Object.defineProperty(document, 'hidden', { value: true })")  # it does not listen
    press(first, ("1", "2 of 3"))
    second.keyboard.press("2")
    expect(second.get_by_role("alert")).to_contain_text("decided already, and cannot be changed")
    expect(second.locator(".decided-count")).to_have_text("1 of 3 decided")
    assert served.decidable.made == {0: ("first", None, "")}
    press(second, ("u", "2 of 3"))
    second.keyboard.press("2")
    expect(first.locator(".decided-count")).to_have_text("2 of 3 decided")
    expect(first.get_by_text("Decisions are final here.")).to_be_visible()


def test_the_last_decision_ends_the_page_and_the_server_and_hostile_names_are_text(window: Window) -> None:
    with deciding(ListedDecisions(names=[HOSTILE, "x" * 500], title=HOSTILE, done_message=HOSTILE)) as served:
        page = window(served.address)
        heading(page, "1 of 2")
        press(page, ("1", "2 of 2"))
        expect(page.get_by_text("This is the last one")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 1280
        page.keyboard.press("2")
        expect(page.get_by_role("heading", name="All is decided")).to_be_focused()
        expect(page.get_by_role("listitem")).to_have_text(["first: 1", "second: 1"])
        expect(page.locator(".all-decided")).to_contain_text("<img src=x")
        assert page.locator("img, script[src=x]").count() == 0
    assert served.result == [True]
    expect(page.locator(".connection")).to_be_empty()


def test_a_triplet_is_edited_with_completion_and_seen_before_it_is_kept(opened: Opened) -> None:
    page, served = opened(PreviewedDecisions())
    heading(page, "1 of 3")
    source, target = (page.get_by_role("combobox", name=name) for name in ("source", "target"))
    page.keyboard.press("e")
    expect(source).to_be_focused()
    target.fill("mug")
    expect(page.get_by_role("img", name="wash → dobj → mug")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("img", name="wash → dobj → cup")).to_be_visible()
    expect(page.get_by_role("button", name="Take ann 1")).to_be_focused()
    page.keyboard.press("e")
    target.fill("refused")
    expect(page.get_by_text("this edit is refused")).to_be_visible()
    target.fill("mu")
    page.keyboard.press("Enter")
    expect(target).to_have_value("mug")
    expect(page.get_by_text("this edit is refused")).to_have_count(0)
    keep = page.get_by_role("button", name="Keep this edit")
    expect(keep).to_be_focused()
    page.keyboard.press("1")
    expect(source).to_be_focused()
    assert served.decidable.made == {}, "keys of choices decide nothing while the form is open"
    keep.press("Enter")
    heading(page, "2 of 3")
    assert served.decidable.made == {0: ("edit", ["wash", "dobj", "mug"], "")}


def test_texts_are_edited_again_after_a_refusal_and_a_draft_stays(opened: Opened) -> None:
    page, served = opened(ListedDecisions(form="texts", delay=2.5))  # longer than between two questions for the state
    edit(page)
    expect(page.get_by_label("Title")).to_be_focused()
    lines = page.get_by_label("Lines")
    lines.fill("refused\n" + HOSTILE)
    page.keyboard.press("Control+Enter")
    page.get_by_role("link", name="cup, graph 2").click()
    expect(page.get_by_text("this edit is refused")).to_be_visible()
    expect(page.get_by_text("write another word")).to_be_visible()
    heading(page, "1 of 3")
    served.decidable.delay = 0
    lines.fill("three")
    for name in ("2 of 3: cup, graph 1", "1 of 3: cup, graph 0"):
        page.get_by_role("link", name=name[8:]).click()
        heading(page, name)
    expect(lines).to_have_value("three")
    page.get_by_role("button", name="Keep this edit").click()
    heading(page, "2 of 3")
    assert served.decidable.made == {0: ("edit", {"title": "A den.", "lines": "three"}, "")}


def test_graphs_are_edited_in_a_table_and_may_be_stated_not_to_exist(opened: Opened) -> None:
    page, served = opened(ListedDecisions(form="graph-or-none"))
    no_graph = page.get_by_label("There is no graph here")
    edit(page)
    expect(no_graph).to_be_checked()
    press(page, ("Control+Enter", "2 of 3"))
    edit(page)
    no_graph.uncheck()
    page.get_by_role("combobox", name="target of triplet 1").fill("wash")
    press(page, ("Control+Enter", "3 of 3"))
    assert [made[1] for made in served.decidable.made.values()] == [None, [["person", "verb", "wash"]]]
    page, served = opened(ListedDecisions(form="triplets"))
    edit(page)
    page.get_by_role("combobox", name="target of triplet 2").fill("mug")
    press(page, ("Control+Enter", "2 of 3"))
    assert served.decidable.made[0][1] == [TRIPLETS[0], ["wash", "dobj", "mug"], TRIPLETS[2]]


def test_the_page_fits_and_can_be_used_by_all(opened: Opened) -> None:
    for form in ("triplet", "triplets", "graph-or-none", "texts"):
        for width, scheme in ((1280, "light"), (390, "dark")):
            looks = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "reduced_motion": "reduce"}
            page, _ = opened(ListedDecisions(form=form, made={0: ("edit", None, HOSTILE)}), **looks)
            heading(page, "2 of 3")
            press(page, ("k", "1 of 3"))
            page.keyboard.press("e")
            expect(page.get_by_role("form", name="Edit")).to_be_visible()
            assert violations(page, "serious", "critical", "moderate") == [], (form, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (form, width)


@contextmanager
def command(*words: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a command that serves a page; yield it with its address. It is killed at the end if it still works."""
    pipe = subprocess.PIPE
    words = (sys.executable, "-m", "tsgkit", *words)
    with subprocess.Popen(words, text=True, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        yield process, re.findall(r"http://\S+", process.stdout.readline())[0]
        process.kill()


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)


def test_refine_accepts_rejects_and_edits_changes_and_goes_on_after_a_kill(window: Window) -> None:
    words = ("refine", "g.txt", "-o", "out.txt", "--narrative", "story.txt", "--review-in", "browser")
    Path("g.txt").write_text(arrow.write([SLIP, SLIP]))
    Path("story.txt").write_text("She fills the kettle.\nShe fills it again.\n")
    with command(*words) as (process, address):
        page = window(address)
        heading(page, "1 of 4: item 0, graph 0 (exact)")
        removed, added = "removed: fill → verb → person", "added: person → verb → fill"
        for shown in ("She fills the kettle.", "verb starts at fill, not at person", removed, added):
            expect(page.get_by_text(shown)).to_be_visible()
        press(page, ("a", "2 of 4"))
    page.keyboard.press("a")
    expect(page.get_by_role("alert")).to_contain_text("Not kept: The server does not answer.")
    expect(page.get_by_role("status").filter(has_text="run it again")).to_be_visible()
    with command(*words) as (process, address):
        page = window(address)
        heading(page, "2 of 4")
        page.keyboard.press("e")
        target = page.get_by_role("combobox", name="target")
        target.fill("a -> b")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_text("that is no triplet")).to_be_visible()
        target.fill("cup")
        expect(page.get_by_text("added: fill → dobj → cup")).to_be_visible()
        press(page, ("Control+Enter", "3 of 4"))
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        assert process.returncode == 130 and "the same command goes on with this review" in err
    assert not Path("out.txt").exists()
    with command(*words) as (process, address):
        page = window(address)
        heading(page, "3 of 4")
        page.get_by_role("textbox", name="Note").fill("as the author wrote it")
        page.get_by_role("button", name="Reject r").click()
        heading(page, "4 of 4")
        page.keyboard.press("a")
        expect(page.get_by_text("The command goes on and writes out.txt.")).to_be_visible()
        out, err = process.communicate(timeout=60)
        assert process.returncode == 0 and "written: out.txt" in out
    assert "verb-source, reject: as the author wrote it" in err
    assert Path("out.txt").read_text() == (
        "person -> verb -> fill\nfill -> dobj -> cup\nfill -> with -> hand1\n\n"
        "fill -> verb -> person\nfill -> dobj -> kettle\nfill -> with -> hand1\n"
    )


def test_generated_demands_of_rooms_are_accepted_edited_and_dropped(window: Window) -> None:
    asked = ("make", "sceneeval", "-o", "made.json", "--items", "3", "--difficulty", "easy", "--review-in", "browser")
    with command(*asked) as (process, address):
        page = window(address)
        heading(page, "1 of 3: easy, ")
        expect(page.get_by_text(re.compile(r"^eq,1,\w+  \(exactly 1 "))).not_to_have_count(0)
        press(page, ("d", "2 of 3"))
        page.keyboard.press("e")
        entries, text = page.get_by_label("Entries, one a line"), page.get_by_label("Description")
        before = entries.input_value()
        entries.fill(f"{before}\nnonsense")
        expect(page.get_by_text(re.compile("line .: 'nonsense': not quant,n,category"))).to_be_visible()
        page.keyboard.press("Control+Enter")
        expect(page.locator(".decided-count")).to_have_text("1 of 3 decided")
        entries.fill(f"{before}\neq,1,globe")
        untold = page.get_by_text("error untold-category: the text does not name globe")
        expect(untold).to_be_visible()
        text.fill(told := text.input_value() + " There is a globe.")
        expect(untold).to_have_count(0)
        page.get_by_role("button", name="Keep this edit").click()
        heading(page, "3 of 3")
        press(page, ("k", "2 of 3"))
        expect(page.get_by_text("eq,1,globe  (exactly 1 globe)")).to_be_visible()
        expect(page.get_by_role("button", name="Accept as generated")).to_be_visible()
        press(page, ("k", "1 of 3"), ("a", "3 of 3"))
        page.keyboard.press("d")
        expect(page.get_by_role("heading", name="All is decided")).to_be_visible()
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and "reviewed: 1 accepted, 1 dropped, 1 edited" in out
    made = read_annotation_file(Path("made.json")).annotations
    assert len(made) == 2 and made[1].description == told
