"""The editor of action graphs as annotators use it, in Chromium, on a scripted source with the real rules."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from panel_pages import violations
from playwright.sync_api import Locator, Page, expect
from scripted_editor import ALL, Story, edited
from scripted_view import HOSTILE, RIGHT_TO_LEFT

L = {
    "object": ["person", "hand1", "hand2", "jar", "lid", "spoon", "table", "tea", "cup"],
    "relationship": ["verb", "dobj", "with", "from", "on", "into"],
    "verb": ["open", "pick-up", "put-down", "stir"],
}
TEXTS = ["Open the jar.", "Pick up the spoon from the table.", "Stir the tea with the spoon."]
OPEN_JAR = [["person", "verb", "open"], ["open", "dobj", "jar"], ["open", "with", "hand1"]]
PICK_UP = [
    ["person", "verb", "pick-up"],
    ["pick-up", "dobj", "spoon"],
    ["pick-up", "with", "hand1"],
    ["pick-up", "from", "table"],
]
STIR = [["person", "verb", "stir"], ["stir", "dobj", "tea"], ["stir", "with", "spoon"], ["stir", "with", "hand1"]]
Json = dict[str, Any]


def item(*graphs: list[Any], texts: list[str] | None = None, name: str = "tea", vocabulary: Json | None = L) -> Json:
    """Return an item with one list of graphs for every description."""
    described = zip(texts or TEXTS, graphs or ([], [], []), strict=False)
    descriptions = [{"text": text, "graphs": list(own)} for text, own in described]
    return copy.deepcopy({"name": name, "descriptions": descriptions, "vocabulary": vocabulary})


def told() -> Json:
    return item([OPEN_JAR], [PICK_UP], [STIR])


@dataclass
class Editor:
    """The editor in a browser page; keys are counted."""

    page: Page
    story: Story
    url: str
    keys: list[str] = field(default_factory=list)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.keys.append(key)
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.keys += text
        self.page.keyboard.type(text)

    @property
    def lines(self) -> Locator:
        return self.page.locator(".graph-line")

    @property
    def current(self) -> Locator:
        return self.page.locator(".graph-line[aria-current]")

    @property
    def state(self) -> Locator:
        return self.page.locator(".save-state")

    @property
    def dialog(self) -> Locator:
        return self.page.get_by_role("dialog")

    def field(self, name: str, number: int) -> Locator:
        return self.page.get_by_role("combobox", name=f"{name} of triplet {number}", exact=True)

    def options(self) -> list[str]:
        return self.page.locator(".combo-option").all_inner_texts()

    def summaries(self) -> list[str]:
        return self.page.locator(".graph-line bdi").all_inner_texts()

    def sent(self) -> list[Json]:
        """Wait until the server has all edits; return its values."""
        expect(self.state).not_to_have_attribute("data-state", "unsent")
        return self.story.values

    def statuses(self) -> list[Json]:
        """Wait until the server has all statuses; return them."""
        self.sent()
        return self.story.statuses

    def graphs(self, number: int = 0) -> list[Any]:
        return [graph for one in self.sent()[number]["descriptions"] for graph in one["graphs"]]


Opened = Callable[..., Editor]


@pytest.fixture
def opened(window: Callable[..., Page]) -> Iterator[Opened]:
    """Editors of stories, each on a server of its own where no address is given."""
    with ExitStack() as servers:

        def editor(story: Story | None = None, url: str = "", **options: Any) -> Editor:  # noqa: ANN401  (Playwright's)
            story = story or Story([told()])
            url = url or servers.enter_context(edited(story))
            found = Editor(window(url, **options), story, url)
            expect(found.lines.first).to_be_visible()
            return found

        yield editor


class TestWriting:
    """Graphs written by keyboard."""

    def test_three_descriptions_are_annotated_from_nothing_by_keyboard_alone(self, opened: Opened) -> None:
        editor = opened(Story([item()]))
        editor.press("Enter")
        for typed in ("o", "op"):
            editor.type(typed[-1])
            expect(editor.page.locator(".graph-drawing")).to_have_attribute("aria-label", f"person → verb → {typed}")
        editor.press("Backspace", "Backspace", "Enter", "Enter")  # open; jar
        editor.press("w", "Enter", "Enter", "Control+Shift+Enter")
        editor.keys.clear()
        editor.press("Enter", "Enter", "w", "Enter", "Enter", "Enter", "Enter")
        print(f"an ordinary graph of four triplets: {len(editor.keys)} keys")
        assert len(editor.keys) == 7
        editor.press("Control+Shift+Enter", "Enter", "Enter")
        editor.type("w")
        editor.press("Enter")
        editor.type("sp")
        editor.press("Enter")
        editor.type("w")
        editor.press("Enter", "Enter")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
        expect(editor.page.locator(".graph-line .sign-error")).to_have_count(0)
        editor.press("Alt+k", "Control+s")
        expect(editor.state).to_have_text("✓ saved")
        expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 1 done")
        assert [name for name, _ in editor.story.posts if name == "save"] == ["save"]

    def test_the_names_of_a_field_have_its_role_and_mentioned_ones_come_first(self, opened: Opened) -> None:
        editor = opened(Story([item()]))
        editor.press("Control+ArrowDown", "Enter")
        assert editor.options() == ["pick-up", "open", "put-down", "stir"]
        editor.press("Enter")
        assert editor.options()[:2] == ["spoon", "table"]
        editor.type("t")
        assert editor.options() == ["table", "tea", "t as typed"]
        editor.press("Backspace", "Enter")
        assert set(editor.options()) == {"verb", "dobj", "with", "from", "on", "into"}
        editor.type("o")
        assert editor.options()[0] == "on"

    def test_arrows_choose_and_tab_takes_what_was_begun(self, opened: Opened) -> None:
        editor = opened(Story([item()]))
        editor.press("Enter", "ArrowDown", "ArrowDown", "Tab")
        expect(editor.field("target", 1)).to_have_value("put-down")
        editor.press("Tab")  # a field that was not begun stays empty
        assert editor.graphs() == [[["person", "verb", "put-down"]]], "a row of defaults is no triplet"

    def test_a_name_outside_of_l_can_be_typed_and_is_marked(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Enter")
        editor.field("target", 2).fill("can")
        finding = editor.page.locator(".triplet-findings .finding.is-error")
        expect(finding).to_contain_text("can is not in L")
        expect(editor.field("target", 2)).to_have_attribute("aria-invalid", "true")
        expect(editor.field("target", 2)).to_have_accessible_description(re.compile("error: can is not in L"))
        editor.field("target", 2).fill("cu")
        editor.press("ArrowUp", "Enter")  # the last option is what was typed
        assert editor.graphs()[0][1] == ["open", "dobj", "cu"]
        editor.field("target", 1).fill("stir")
        assert [triplet[0] for triplet in editor.graphs()[0]] == ["person", "stir", "stir"]

    def test_a_triplet_is_removed_and_the_last_one_takes_the_graph_with_it(self, opened: Opened) -> None:
        editor = opened(Story([item([[["person", "verb", "open"], ["open", "dobj", "jar"]]])]))
        editor.press("Enter", "Alt+x")
        assert editor.graphs() == [[["person", "verb", "open"]]]
        editor.press("Alt+x")
        assert editor.graphs() == []
        editor.press("Control+z", "Control+z")
        assert editor.graphs() == [[["person", "verb", "open"], ["open", "dobj", "jar"]]]

    def test_names_come_from_the_item_where_there_is_no_l(self, opened: Opened) -> None:
        editor = opened(Story([item([OPEN_JAR], [], vocabulary=None)]))
        editor.press("Control+ArrowDown", "Enter")
        assert editor.options() == ["open"]


class TestHistory:
    """Undo and redo."""

    def test_undo_goes_back_to_the_beginning_and_redo_forward_again(self, opened: Opened) -> None:
        editor = opened()
        before = editor.graphs()
        editor.press("Enter", "Alt+u", "Control+ArrowDown", "Control+Shift+Backspace", "Alt+Shift+ArrowUp")
        editor.field("target", 1).fill("stir")
        editor.press("Alt+k")
        after = editor.graphs()
        assert after != before
        for _ in range(10):
            editor.press("Control+z")
        assert editor.graphs() == before
        expect(editor.page.get_by_role("button", name="Undo")).to_be_disabled()
        for _ in range(10):
            editor.press("Control+y")
        assert editor.graphs() == after
        expect(editor.page.get_by_role("button", name="Redo")).to_be_disabled()

    def test_letters_of_one_name_are_one_step_and_the_place_comes_back(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Enter")
        editor.field("target", 2).click()
        editor.press("Control+a")
        editor.type("lid")
        editor.press("Control+ArrowDown")
        expect(editor.current).to_contain_text("pick-up")
        editor.press("Control+z")
        expect(editor.current).to_contain_text("open jar")
        expect(editor.field("target", 2)).to_have_value("jar")
        editor.press("Control+Shift+z")
        expect(editor.current).to_contain_text("open lid")
        expect(editor.field("target", 2)).to_be_focused()

    def test_a_new_edit_ends_what_could_be_done_again(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Alt+u", "Control+z", "Alt+x")
        editor.press("Enter", "Alt+x")
        expect(editor.page.get_by_role("button", name="Redo")).to_be_disabled()


class TestGraphs:
    """Operations on graphs and descriptions."""

    def test_graphs_are_copied_moved_duplicated_and_deleted(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Alt+c", "Control+ArrowDown", "Alt+v")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, OPEN_JAR, STIR]
        editor.press("Alt+Shift+ArrowDown")
        assert [len(one["graphs"]) for one in editor.sent()[0]["descriptions"]] == [1, 1, 2]
        editor.press("Alt+Shift+ArrowDown")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR, OPEN_JAR]
        editor.press("Enter", "Alt+Shift+ArrowUp", "Alt+Shift+ArrowDown")  # from a field, too
        expect(editor.page.locator(".said")).to_have_text("Done: moving a graph down.")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR, OPEN_JAR]
        editor.press("Escape", "Alt+u")
        assert len(editor.graphs()) == 5
        editor.press("Control+Shift+Backspace", "Delete")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]

    def test_marked_triplets_are_split_off_and_merged_again(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Enter", "ArrowUp", "Alt+m", "Alt+s")
        assert editor.graphs()[:2] == [[OPEN_JAR[0], OPEN_JAR[2]], [OPEN_JAR[1]]]
        expect(editor.current).to_contain_text("2")
        editor.press("Control+ArrowUp", "Alt+g")
        assert sorted(editor.graphs()[0]) == sorted(OPEN_JAR)
        assert len(editor.graphs()) == 3

    def test_descriptions_are_added_split_merged_moved_and_removed(self, opened: Opened) -> None:
        editor = opened(Story([item([OPEN_JAR, PICK_UP], [STIR])]))
        editor.press("Control+ArrowDown", "Alt+Shift+s")
        expect(editor.page.get_by_role("textbox", name="Text of description 2")).to_be_focused()
        editor.press("Escape")
        assert [len(one["graphs"]) for one in editor.sent()[0]["descriptions"]] == [1, 1, 1]
        editor.press("Alt+t")
        editor.type("Pick it up.")
        editor.press("Enter")
        assert editor.sent()[0]["descriptions"][1]["text"] == "Pick it up."
        expect(editor.current).to_be_focused()
        editor.press("Alt+Shift+PageDown")
        assert editor.sent()[0]["descriptions"][2]["text"] == "Pick it up."
        editor.press("Control+Shift+ArrowUp", "Alt+Shift+g")
        assert editor.sent()[0]["descriptions"][1]["text"] == f"{TEXTS[1]} Pick it up."
        editor.press("Alt+Shift+n")
        editor.type("The end.")
        editor.press("Escape")
        assert [one["text"] for one in editor.sent()[0]["descriptions"]][-1] == "The end."
        editor.press("Alt+Shift+x")
        assert len(editor.sent()[0]["descriptions"]) == 2

    def test_a_description_is_split_where_the_caret_is_in_its_text(self, opened: Opened) -> None:
        editor = opened(Story([item([OPEN_JAR, PICK_UP], texts=["Open it. Pick it up."])]))
        editor.press("Control+ArrowDown", "Alt+t", "Home", *["ArrowRight"] * 8, "Alt+Shift+s")
        assert [one["text"] for one in editor.sent()[0]["descriptions"]] == ["Open it.", "Pick it up."]
        expect(editor.page.get_by_role("textbox", name=re.compile("Text of"))).to_be_hidden()

    def test_a_format_that_holds_only_triplets_offers_only_them(self, opened: Opened) -> None:
        editor = opened(Story([told()], can=dict.fromkeys(ALL, False)))
        expect(editor.page.get_by_role("button", name="Delete graph")).to_be_disabled()
        expect(editor.page.get_by_role("group", name="Commands on the description")).to_be_hidden()
        editor.press("Control+Enter", "Alt+u", "Alt+Shift+n")
        editor.field("target", 2).fill("lid")
        assert len(editor.graphs()) == 3
        assert editor.graphs()[0][1] == ["open", "dobj", "lid"]

    def test_every_command_says_what_it_did_or_why_it_cannot(self, opened: Opened) -> None:
        editor = opened()
        said = editor.page.locator(".said")
        expect(said).to_have_text("Item tea, 3 graphs: Open the jar.")
        for key, words in {
            "Control+z": "There is nothing to undo in this item.",
            "Alt+r": "No repair of this graph is certain.",
            "Alt+g": "The description has no further graph to merge with.",
            "Alt+Shift+ArrowUp": "This is the first graph.",
            "Alt+m": "Go to a triplet first: that is the one to mark.",
            "Control+Shift+Enter": f"Graph 2 of 3: pick-up spoon · hand1. {TEXTS[1]}",
            "Control+Enter": "New graph in description 2",
            "Control+ArrowUp": "Graph 2 of 3: pick-up spoon · hand1",
        }.items():
            editor.press(key)
            expect(said).to_have_text(words)
        editor.press("Alt+m", "ArrowDown", "Alt+m")
        expect(said).to_have_text("Marked: triplets 1, 2.")
        editor.press("Control+k")
        expect(editor.dialog).to_be_visible()
        editor.type("duplicate")
        editor.press("Enter")
        expect(editor.lines).to_have_count(4)
        editor.press("F1")
        expect(editor.dialog).to_contain_text("Ctrl+Shift+Backspace")

    def test_an_item_without_descriptions_is_begun_by_keyboard(self, opened: Opened) -> None:
        editor = opened(Story([told(), {**told(), "descriptions": [], "vocabulary": None}]))
        editor.press("Alt+PageDown")
        expect(editor.field("target", 1)).to_be_focused()
        expect(editor.page.get_by_role("heading", name="New graph", exact=True)).to_be_visible()
        expect(editor.page.get_by_role("button", name="Remove the description")).to_be_disabled()
        expect(editor.page.get_by_role("button", name="Add a description")).to_be_enabled()
        editor.type("open")
        editor.press("Enter")
        assert editor.graphs(1) == [[["person", "verb", "open"]]]

    def test_hands_stand_before_and_after_every_action(self, opened: Opened) -> None:
        editor = opened()
        cards = editor.page.locator(".hand-card")
        expect(cards).to_have_count(3)
        expect(cards.nth(1)).to_contain_text("hand1 – → spoon")
        cards.nth(1).click()
        expect(editor.page.get_by_role("region", name="Hands before and after")).to_contain_text("spoon")
        expect(editor.current).to_contain_text("pick-up")
        editor.press("ArrowRight")
        expect(cards.nth(2)).to_be_focused()

    def test_an_exact_repair_is_one_key_with_its_reason(self, opened: Opened) -> None:
        broken = [["person", "verb", "open"], ["open", "dobj", "Jar"], ["open", "with", "hand1"]]
        editor = opened(Story([item([broken], [broken], [STIR])]))
        expect(editor.page.locator(".repairs")).to_contain_text("Jar is not in lower case")
        editor.press("Alt+r")
        assert editor.graphs()[0] == OPEN_JAR
        expect(editor.page.locator(".repairs")).to_be_hidden()
        editor.press("Control+z", "Alt+Shift+r")
        assert editor.graphs() == [OPEN_JAR, OPEN_JAR, STIR]
        editor.press("Control+z")
        assert editor.graphs() == [broken, broken, STIR]


class TestVocabulary:
    """The editor of L."""

    def test_a_name_is_renamed_everywhere_in_one_step(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Alt+l")
        editor.dialog.get_by_role("button", name="spoon 2 uses").click()
        expect(editor.dialog).to_contain_text("Used in 2 graphs")
        editor.dialog.get_by_role("textbox", name="New name of spoon").fill("ladle")
        editor.press("Enter")
        assert "ladle" in editor.sent()[0]["vocabulary"]["object"]
        assert json.dumps(editor.graphs()).count("ladle") == 2
        expect(editor.dialog.get_by_role("status")).to_have_text("Done: renaming spoon to ladle.")
        editor.dialog.get_by_role("button", name="ladle 2 uses").focus()
        editor.press("Control+z")
        expect(editor.dialog.get_by_role("button", name="spoon 2 uses")).to_be_visible()
        expect(editor.dialog.get_by_role("button", name="ladle 2 uses")).to_have_count(0)
        expect(editor.dialog.get_by_role("status")).to_have_text("Undone: renaming spoon to ladle.")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
        assert editor.sent()[0]["vocabulary"] == L

    def test_synonyms_are_merged_by_marks_and_by_proposals(self, opened: Opened) -> None:
        lid = [["person", "verb", "open"], ["open", "dobj", "lid"]]
        editor = opened(Story([item([OPEN_JAR], [lid], [STIR])], groups=[["tea", "cup"]]))
        editor.press("Alt+l")
        jar, cover = (editor.dialog.get_by_role("button", name=f"{name} 1 use") for name in ("jar", "lid"))
        jar.focus()
        editor.press(" ")
        cover.focus()
        editor.press(" ")
        editor.dialog.get_by_role("region", name="Name", exact=True).get_by_role("button", name="Merge").click()
        assert editor.graphs()[1][1] == ["open", "dobj", "jar"]
        assert "lid" not in editor.sent()[0]["vocabulary"]["object"]
        similar = editor.dialog.get_by_role("region", name="Names that likely mean the same")
        similar.get_by_label("Name that stays").select_option("cup")
        similar.get_by_role("button", name="Merge").press("Enter")
        assert editor.graphs()[2][1] == ["stir", "dobj", "cup"]
        expect(editor.dialog.get_by_role("button", name="cup 1 use")).to_be_focused()

    def test_names_are_added_removed_and_moved(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Alt+l")
        editor.dialog.get_by_label("New name for Objects").fill("kettle")
        editor.press("Enter")
        editor.dialog.get_by_role("button", name="kettle 0 uses").click()
        editor.dialog.get_by_role("button", name="Move to verbs").click()
        assert "kettle" in editor.sent()[0]["vocabulary"]["verb"]
        editor.dialog.get_by_role("button", name="lid 0 uses").click()
        editor.dialog.get_by_role("button", name="Remove from L").click()
        assert "lid" not in editor.sent()[0]["vocabulary"]["object"]
        editor.dialog.get_by_role("button", name="jar 1 use").click()
        editor.dialog.get_by_role("button", name="1 open jar").click()
        expect(editor.dialog).to_have_count(0)
        expect(editor.field("source", 1)).to_be_focused()


class TestServer:
    """A server that is gone, refuses or has another's edits."""

    def test_edits_go_on_while_the_server_is_gone_and_are_sent_when_it_is_back(self, opened: Opened) -> None:
        editor = opened(Story([told()], restored={"edits": 12, "time": "2031-05-05T10:00:00Z"}))
        restored = editor.page.locator("[data-notice=restored]")
        expect(restored).to_contain_text("12 edits that were not saved were restored")
        editor.page.get_by_role("button", name="Dismiss").click()
        expect(restored).to_have_count(0)
        leaving = "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
        assert not editor.page.evaluate(leaving)
        editor.story.is_down = True
        editor.press("Alt+u", "Alt+u")
        expect(editor.page.locator("[data-notice=server]")).to_contain_text("The server does not answer")
        expect(editor.state).to_have_attribute("data-state", "unsent")
        editor.press("Alt+u")
        assert editor.page.evaluate(leaving), "it is asked about while edits are not sent"
        assert len(editor.story.values[0]["descriptions"][0]["graphs"]) == 1
        editor.story.restart()
        editor.story.is_down = False
        expect(editor.page.locator("[data-notice=server]")).to_have_count(0)
        editor.press("Control+s")  # while the edits are on their way
        expect(editor.state).to_have_text("✓ saved")
        assert len(editor.graphs()) == 6

    def test_an_edit_that_was_refused_is_tried_again_and_one_whose_answer_was_lost_is_not_made_twice(
        self, opened: Opened
    ) -> None:
        editor = opened()
        editor.story.is_refusing = True
        editor.press("Alt+u")
        expect(editor.page.locator("[data-notice=sending]")).to_contain_text("the draft cannot be written")
        editor.story.is_refusing = False
        editor.page.get_by_role("button", name="Try again").click()
        assert len(editor.graphs()) == 4
        editor.story.is_lost = True
        editor.press("Alt+u")
        expect(editor.page.locator("[data-notice=server]")).to_be_visible()
        editor.story.is_lost = False
        assert len(editor.graphs()) == 5
        expect(editor.page.locator(".notice")).to_have_count(0)

    def test_a_status_set_while_the_server_is_gone_is_sent_when_it_is_back(self, opened: Opened) -> None:
        editor = opened()
        editor.story.is_down = True
        editor.press("Alt+k")
        expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 1 done")
        expect(editor.page.locator("[data-notice=server]")).to_be_visible()
        editor.story.is_down = False
        expect(editor.page.locator("[data-notice=server]")).to_have_count(0)
        expect(editor.page.locator(".said")).to_have_text("tea: done.")
        assert editor.statuses()[0]["status"] == "done"

    @pytest.mark.parametrize("answer", ["Take theirs", "Keep mine"])
    def test_a_conflict_of_two_browsers_is_shown_and_decided(self, opened: Opened, answer: str) -> None:
        editor = opened()
        other = item([STIR], [PICK_UP], [STIR])
        editor.story.lock.acquire()
        editor.story.put(0, other)
        editor.press("Enter")
        editor.field("target", 2).fill("lid")
        editor.story.lock.release()
        editor.page.get_by_role("button", name="Compare").click()
        expect(editor.dialog.locator(".version-side")).to_have_count(2)
        editor.dialog.get_by_role("button", name=answer).click()
        mine = [OPEN_JAR[0], ["open", "dobj", "lid"], OPEN_JAR[2]]
        assert editor.graphs()[0] == (STIR if answer == "Take theirs" else mine)
        expect(editor.page.locator(".notice")).to_have_count(0)
        editor.press("Control+z")
        assert editor.graphs()[0] == (mine if answer == "Take theirs" else STIR)

    def test_what_saving_loses_is_asked_about_once(self, opened: Opened) -> None:
        editor = opened(Story([told()], losses=["2 lines without triplets"]))
        editor.press("Alt+u", "Control+s")
        expect(editor.dialog).to_contain_text("2 lines without triplets")
        editor.press("Enter")
        expect(editor.state).to_have_text("● not saved")
        editor.press("Control+s", "Tab", "Enter")
        expect(editor.state).to_have_text("✓ saved")
        editor.press("Alt+u", "Control+s")
        expect(editor.state).to_have_text("✓ saved")


class TestVersions:
    """Proposals, and the file that changed on disk."""

    def test_a_proposal_is_accepted_piece_by_piece(self, opened: Opened) -> None:
        other = item([[OPEN_JAR[0], ["open", "dobj", "lid"], OPEN_JAR[2]]], [PICK_UP, STIR], [STIR[:2], OPEN_JAR])
        editor = opened(Story([told()], proposal=[other]))
        editor.press("Alt+p")
        editor.dialog.get_by_role("button", name="Exchange").click()
        expect(editor.dialog.locator(".version-description")).to_have_count(2)
        assert editor.graphs()[0][1] == ["open", "dobj", "lid"]
        editor.dialog.get_by_role("button", name="Add this graph").first.click()
        expect(editor.dialog.locator(".version-description")).to_have_count(1)
        assert editor.graphs()[2] == STIR
        editor.dialog.get_by_role("button", name="Accept all of this description").click()
        expect(editor.dialog).to_contain_text("There is no difference left")
        editor.press("Control+z")
        expect(editor.dialog.locator(".version-description")).to_have_count(1)
        editor.press("Control+y")
        expect(editor.dialog).to_contain_text("There is no difference left")
        assert editor.sent()[0]["descriptions"] == other["descriptions"]
        editor.press("Escape", "Control+z", "Control+z", "Control+z")
        assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]

    def test_a_file_that_changed_on_disk_is_compared_and_taken(self, opened: Opened) -> None:
        editor = opened()
        editor.press("Alt+u")
        editor.sent()
        editor.story.disk_values = [item([OPEN_JAR], [PICK_UP], [OPEN_JAR])]
        editor.press("Control+s")
        notice = editor.page.locator("[data-notice=disk]")
        expect(notice).to_contain_text("changed on disk")
        notice.get_by_role("button", name="Compare").click()
        expect(editor.dialog.locator(".version-pair")).to_have_count(2)
        editor.dialog.get_by_role("button", name="Take theirs").click()
        expect(notice).to_have_count(0)
        expect(editor.lines).to_have_count(3)
        editor.press("Control+s")
        expect(editor.state).to_have_text("✓ saved")


class TestItems:
    """Several items and their statuses."""

    def test_items_are_switched_by_keys_and_keep_their_status_and_undo(self, opened: Opened) -> None:
        editor = opened(Story([told(), item([PICK_UP], name="second")]))
        editor.press("Alt+u", "Alt+k")
        expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 2 done")
        editor.press("Alt+PageDown")
        expect(editor.lines).to_have_count(1)
        editor.press("Alt+q")
        expect(editor.page.get_by_role("textbox", name="Note on this item")).to_be_focused()
        editor.type("one hand?")
        editor.press("Alt+PageUp")
        expect(editor.lines).to_have_count(4)
        assert editor.statuses()[1]["note"] == "one hand?"
        assert [one["status"] for one in editor.story.statuses] == ["done", "unsure"]
        editor.press("Control+z")
        expect(editor.lines).to_have_count(3)
        expect(editor.page.locator(".item-line").nth(0)).to_contain_text("ann")

    def test_a_note_never_loses_to_an_older_one_that_travels_longer(self, opened: Opened) -> None:
        editor = opened(Story([told()], delays=[0.8]))
        editor.press("Alt+q")
        editor.type("one hand?")
        editor.press("Escape")
        expect(editor.state).to_have_attribute("data-state", "unsent")
        assert editor.statuses()[0]["note"] == "one hand?"
        expect(editor.page.get_by_role("textbox", name="Note on this item")).to_have_value("one hand?")


def hostile() -> Json:
    names = [HOSTILE, RIGHT_TO_LEFT, "</script><b>"]
    graph = [["person", "verb", HOSTILE], [HOSTILE, "</script><b>", RIGHT_TO_LEFT]]
    words = {"object": names, "relationship": names, "verb": names}
    return item([graph], [graph], texts=names, name=HOSTILE, vocabulary=words)


def test_hostile_names_are_inert_everywhere(opened: Opened) -> None:
    story = Story(
        [hostile()],
        proposal=[item([OPEN_JAR], [STIR], texts=[HOSTILE, "b"])],
        groups=[[HOSTILE, "</script><b>"]],
        file=HOSTILE,
    )
    editor = opened(story)
    for key in ("Alt+l", "Alt+p", "Control+k", "F1"):
        editor.press(key)
        expect(editor.dialog).to_be_visible()
        editor.press("Escape")
    editor.press("Enter", "Alt+n")
    assert editor.page.locator(".combo-option").count() > 2
    assert editor.page.locator("#app :is(img, b, script)").count() == 0
    assert editor.page.title() == f"{HOSTILE} · tsgkit"
    editor.press("Escape", "Escape", "Alt+u")
    assert len(editor.graphs()) == 3
    assert editor.graphs()[0] == editor.graphs()[1]


def test_very_long_names_and_sentences_leave_the_table_in_sight(opened: Opened) -> None:
    name = "n" * 300
    graph = [["person", "verb", name], [name, "dobj", name]]
    long = item([graph], texts=["word " * 500], name=name, vocabulary=None)
    for width in (390, 1280):
        editor = opened(Story([long], file=f"{name}.jsonl"), viewport={"width": width, "height": 900})
        assert editor.page.evaluate("document.documentElement.scrollWidth") == width
        expect(editor.page.locator(".graph-signs")).to_be_visible()
    expect(editor.field("source", 1)).to_be_in_viewport()


def test_five_hundred_graphs_are_edited_by_keyboard(opened: Opened) -> None:
    graphs = [[PICK_UP, STIR, OPEN_JAR][number % 3] for number in range(500)]
    editor = opened(Story([item(*([graph] for graph in graphs), texts=[TEXTS[number % 3] for number in range(500)])]))
    expect(editor.lines).to_have_count(500)
    editor.press("End", "Enter", "Enter", "ArrowUp")
    expect(editor.current).to_be_in_viewport()
    expect(editor.page.locator(".hand-card[aria-current]")).to_be_in_viewport()
    for name in ("table", "x" * 20):
        editor.press("Control+a")
        editor.type(name)
        assert name in json.dumps(editor.graphs()[499])


def test_every_part_is_accessible_in_light_and_dark(opened: Opened) -> None:
    bad = [["person", "verb", "open"], ["open", "dobj", "Jar"], ["open", "dobj", "can"]]
    parts = ("", "Enter Alt+n", "Escape Escape Alt+l", "Escape Alt+p", "Escape F1", "Escape Control+k")
    for width, scheme in ((1280, "light"), (390, "dark")):
        values = [item([bad], [PICK_UP], []), told()]
        story = Story(values, proposal=[told(), told()], groups=[["tea", "cup"]], losses=["a line"])
        editor = opened(story, viewport={"width": width, "height": 900}, color_scheme=scheme)
        expect(editor.page.locator(".repair").first).to_be_visible()
        for keys in parts:
            editor.press(*keys.split())
            expect(editor.dialog).to_have_count(int(keys[-2:] in ("+l", "+p", "F1", "+k")))
            assert violations(editor.page, "serious", "critical") == [], (keys, scheme)
            assert editor.page.evaluate("document.documentElement.scrollWidth") <= width, keys
