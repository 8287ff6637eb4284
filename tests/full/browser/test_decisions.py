"""Decisions as people make them in Chromium, by keyboard and by mouse."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from decidables import FORMS, HOSTILE, Deciding, ListedDecisions, deciding, previewed
from in_chromium import violations
from playwright.sync_api import Page, expect

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


def test_all_of_a_kind_are_decided_at_once(opened: Opened) -> None:
    page, served = opened(ListedDecisions(names=("cup, 0", "mug, 1", "cup, 2")))
    heading(page, "1 of 3")
    page.keyboard.press("x")
    expect(page.get_by_label("and the same for 1 more of cup")).to_be_checked()
    press(page, ("1", "2 of 3"))
    expect(page.locator(".decided-count")).to_have_text("2 of 3 decided")
    expect(page.get_by_role("checkbox")).to_have_count(0)
    assert {number: made[0] for number, made in served.decidable.made.items()} == {0: "first", 2: "first"}


def test_an_entry_is_shown_with_all_its_parts_and_decided_again_with_its_note(opened: Opened) -> None:
    page, served = opened(ListedDecisions())
    heading(page, "1 of 3: cup, graph 0")
    for words in ("She washes the cup.", "a reason for cup, graph 0", "There is no graph."):
        expect(page.get_by_text(words)).to_be_visible()
    expect(page.get_by_role("img", name="person -> verb -> wash; extra: wash -> dobj -> cup")).to_be_visible()
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
    page, served = opened(ListedDecisions(preview=previewed))
    heading(page, "1 of 3")
    source, target = (page.get_by_role("combobox", name=name) for name in ("source", "target"))
    page.keyboard.press("e")
    expect(source).to_be_focused()
    target.fill("mug")
    expect(page.get_by_role("img", name="wash -> dobj -> mug")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.get_by_role("img", name="wash -> dobj -> cup")).to_be_visible()
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


def test_texts_and_graphs_are_edited_again_after_a_refusal_and_a_draft_stays(opened: Opened) -> None:
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
    page.route("**/data/decide", lambda route: route.abort())
    lines.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("Not kept: The server does not answer.")
    page.unroute("**/data/decide")
    lines.fill("three")
    for name in ("2 of 3: cup, graph 1", "1 of 3: cup, graph 0"):
        page.get_by_role("link", name=name[8:]).click()
        heading(page, name)
    expect(lines).to_have_value("three")
    page.get_by_role("button", name="Keep this edit").click()
    heading(page, "2 of 3")
    assert served.decidable.made == {0: ("edit", {"title": "A den.", "lines": "three"}, "")}
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


def test_the_page_fits_and_can_be_used_by_all(opened: Opened) -> None:
    for form, (width, scheme) in itertools.product(FORMS, ((1280, "light"), (390, "dark"))):
        looks = {"viewport": {"width": width, "height": 844}, "color_scheme": scheme, "reduced_motion": "reduce"}
        page, _ = opened(ListedDecisions(form=form, first={0: ("edit", None, HOSTILE)}), **looks)
        heading(page, "2 of 3")
        press(page, ("k", "1 of 3"))
        page.keyboard.press("e")
        expect(page.get_by_role("form", name="Edit")).to_be_visible()
        assert violations(page, "serious", "critical", "moderate") == [], (form, scheme)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (form, width)
