"""The editor of action graphs as annotators use it, in Chromium, with its real server in a thread."""

from __future__ import annotations

import copy
import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from edited_files import SGDS, change, set_text
from panel_pages import HOSTILE, violations
from playwright.sync_api import Locator, Page, expect
from served import in_a_thread

from tsgkit.errors import FileProblem
from tsgkit.serve.edit_page import EditPage, edited_file
from tsgkit.serve.edited_file import EditedFile

Json = dict[str, Any]
L = {
    "object": ["jar", "lid", "spoon", "table", "tea", "teas"],
    "relationship": ["verb", "dobj", "with", "from", "on", "into"],
    "verb": ["open", "pick-up", "put-down", "stir"],
}
TEXTS = ["Open the jar.", "Pick up the spoon from the table.", "Stir the tea with the spoon."]
RIGHT_TO_LEFT = "\u202eevil \u05e9\u05dc\u05d5\u05dd"


def action(verb: str, *others: str) -> list[list[str]]:
    return [["person", "verb", verb], *([verb, *other.split()] for other in others)]


OPEN_JAR, OPEN_LID = (action("open", f"dobj {name}", "with hand1") for name in ("jar", "lid"))
PICK_UP = action("pick-up", "dobj spoon", "with hand1", "from table")
STIR = action("stir", "dobj tea", "with spoon", "with hand1")


def item(*graphs: list[Any], texts: list[str] = TEXTS, name: str = "tea", vocabulary: Json | None = L) -> Json:
    """Return an item with one list of graphs for every description."""
    described = zip(texts, graphs or ([], [], []), strict=False)
    descriptions = [{"text": text, "graphs": list(own)} for text, own in described]
    return copy.deepcopy(
        {"id": name, "descriptions": descriptions} | ({"vocabulary": vocabulary} if vocabulary else {})
    )


TEA = item([OPEN_JAR], [PICK_UP], [STIR])


def lines(items: tuple[Json, ...]) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in items)


@dataclass
class Editor:
    """The editor in a browser page, and the file behind it; keys are counted."""

    page: Page
    file: EditedFile
    url: str
    keys: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        places = (
            ".graph-line",
            ".graph-line[aria-current]",
            ".save-state",
            "dialog, [role=dialog]",
            ".notice",
            ".said",
        )
        self.lines, self.current, self.state, self.dialog, self.notices, self.said = map(self.page.locator, places)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.keys.append(key)
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        self.keys += text
        self.page.keyboard.type(text)

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name)

    def field(self, name: str, number: int) -> Locator:
        return self.page.get_by_role("combobox", name=f"{name} of triplet {number}", exact=True)

    def options(self) -> list[str]:
        return self.page.locator(".combo-option").all_inner_texts()

    def value(self, number: int = 0) -> Json:
        """Wait until the server has all edits; return the value of an item."""
        expect(self.state).not_to_have_attribute("data-state", "unsent")
        found: Json = self.file.session.item(number)["value"]
        return found

    def graphs(self, number: int = 0) -> list[Any]:
        return [graph for one in self.value(number)["descriptions"] for graph in one["graphs"]]

    def parts(self) -> list[tuple[str, int]]:
        """Return the texts of the descriptions, and the numbers of their graphs."""
        return [(one["text"], len(one["graphs"])) for one in self.value()["descriptions"]]

    def save(self) -> None:
        self.press("Control+s")
        expect(self.state).to_have_text("✓ saved")


Opened = Callable[..., Editor]


@pytest.fixture
def opened(window: Callable[..., Page], tmp_path: Path) -> Iterator[Opened]:
    """Editors of items, or of a text, each on a server of its own where no address is given."""
    with ExitStack() as servers:

        def editor(
            *items: Json, text: str = "", name: str = "story.jsonl", proposed: tuple[Json, ...] = (), **look: object
        ) -> Editor:
            (path := tmp_path / name).write_text(text or lines(items or (TEA,)))
            proposals = None
            if proposed:
                (proposals := tmp_path / "generated.jsonl").write_text(lines(proposed))
            file = edited_file(path, proposals=proposals)
            server = servers.enter_context(in_a_thread(EditPage(file).page()))
            found = Editor(window(server.address, **look), file, server.address)
            expect(found.page.locator(".triplet-table")).to_be_visible()
            return found

        yield editor


# Writing


def test_three_descriptions_are_annotated_from_nothing_by_keyboard_alone(opened: Opened) -> None:
    editor = opened(item())
    editor.press("Enter")
    for typed in ("o", "op"):
        editor.type(typed[-1])
        expect(editor.page.locator(".graph-drawing")).to_have_attribute("aria-label", f"person → verb → {typed}")
    editor.press("Backspace", "Backspace", "Enter", "Enter")  # open; jar
    editor.press("w", "Enter", "Enter", "Control+Shift+Enter")
    editor.keys.clear()
    editor.press("Enter", "Enter", "w", "Enter", "Enter", "Enter", "Enter")
    assert len(editor.keys) == 7, "an ordinary graph of four triplets"
    editor.press("Control+Shift+Enter", "Enter", "Enter", "w", "Enter", "s", "p", "Enter", "w", "Enter", "Enter")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
    expect(editor.page.locator(".graph-line .sign-error")).to_have_count(0)
    editor.press("Alt+k")
    editor.save()
    expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 1 done")
    assert json.loads(editor.file.path.read_text()) == TEA


def test_the_names_of_a_field_have_its_role_and_mentioned_ones_come_first(opened: Opened) -> None:
    editor = opened(item())
    editor.press("Control+ArrowDown", "Enter")
    assert editor.options() == ["pick-up", "open", "put-down", "stir"]
    editor.press("Enter")
    assert editor.options()[:2] == ["spoon", "table"]
    editor.type("t")
    assert editor.options() == ["table", "tea", "teas", "t as typed"]
    editor.press("Backspace", "Enter")
    assert set(editor.options()) == {"verb", "dobj", "with", "from", "on", "into"}
    editor.type("o")
    assert editor.options()[0] == "on"
    editor = opened(item([OPEN_JAR], [], vocabulary=None), name="without.jsonl")
    editor.press("Control+ArrowDown", "Enter")
    assert editor.options() == ["open"], "names come from the item where there is no L"
    editor = opened(item(), name="arrows.jsonl")
    editor.press("Enter", "ArrowDown", "ArrowDown", "Tab")
    expect(editor.field("target", 1)).to_have_value("put-down")
    editor.press("Tab")  # a field that was not begun stays empty
    assert editor.graphs() == [action("put-down")], "a row of defaults is no triplet"


def test_a_name_outside_of_l_is_marked_and_the_last_triplet_takes_the_graph_with_it(opened: Opened) -> None:
    editor = opened(item([action("open", "dobj jar")]))
    editor.press("Enter")
    editor.field("target", 2).fill("can")
    expect(editor.page.locator(".triplet-findings .finding.is-error")).to_contain_text("can is not in L")
    expect(editor.field("target", 2)).to_have_attribute("aria-invalid", "true")
    expect(editor.field("target", 2)).to_have_accessible_description(re.compile("error: can is not in L"))
    editor.field("target", 2).fill("cu")
    editor.press("ArrowUp", "Enter")  # the last option is what was typed
    assert editor.graphs() == [action("open", "dobj cu")]
    editor.field("target", 1).fill("stir")
    assert editor.graphs() == [action("stir", "dobj cu")]
    editor.press("Alt+x")
    assert len(editor.graphs()[0]) == 1
    editor.press("Alt+x")
    assert editor.graphs() == []
    editor.press("Control+z", "Control+z")
    assert len(editor.graphs()[0]) == 2


# History


def test_undo_goes_back_to_the_beginning_and_redo_forward_until_a_new_edit(opened: Opened) -> None:
    editor, undo, redo = opened(), "Control+z", "Control+y"
    editor.press("Enter", "Alt+u", "Control+ArrowDown", "Control+Shift+Backspace", "Alt+Shift+ArrowUp")
    editor.field("target", 1).fill("stir")
    editor.press("Alt+k")
    assert (after := editor.graphs()) != [OPEN_JAR, PICK_UP, STIR]
    editor.press(*[undo] * 10)
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
    expect(editor.button("Undo")).to_be_disabled()
    editor.press(*[redo] * 10)
    assert editor.graphs() == after
    expect(editor.button("Redo")).to_be_disabled()
    editor.press(*[undo] * 10)
    editor.page.locator(".graph-line").first.click()
    editor.press("Enter")
    editor.field("target", 2).click()
    editor.press("Control+a")
    editor.type("lid")
    expect(editor.button("Redo")).to_be_disabled()
    editor.press("Control+ArrowDown")
    expect(editor.current).to_contain_text("pick-up")
    editor.press(undo)  # letters of one name are one step, and the place comes back
    expect(editor.current).to_contain_text("open jar")
    expect(editor.field("target", 2)).to_have_value("jar")
    editor.press("Control+Shift+z")
    expect(editor.current).to_contain_text("open lid")
    expect(editor.field("target", 2)).to_be_focused()


# Graphs and descriptions


def test_graphs_are_copied_moved_duplicated_deleted_split_and_merged(opened: Opened) -> None:
    editor = opened()
    editor.press("Alt+c", "Control+ArrowDown", "Alt+v")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, OPEN_JAR, STIR]
    editor.press("Alt+Shift+ArrowDown")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (TEXTS[2], 2)]
    editor.press("Alt+Shift+ArrowDown")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR, OPEN_JAR]
    editor.press("Enter", "Alt+Shift+ArrowUp", "Alt+Shift+ArrowDown")  # from a field, too
    expect(editor.said).to_have_text("Done: moving a graph down.")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR, OPEN_JAR]
    editor.press("Escape", "Alt+u")
    assert len(editor.graphs()) == 5
    editor.press("Control+Shift+Backspace", "Delete")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
    editor.lines.first.click()
    editor.press("Enter", "ArrowUp", "Alt+m", "Alt+s")
    assert editor.graphs()[:2] == [[OPEN_JAR[0], OPEN_JAR[2]], [OPEN_JAR[1]]]
    expect(editor.current).to_contain_text("2")
    editor.press("Control+ArrowUp", "Alt+g")
    assert [sorted(graph) for graph in editor.graphs()] == [sorted(graph) for graph in (OPEN_JAR, PICK_UP, STIR)]


def test_descriptions_are_added_split_merged_moved_and_removed(opened: Opened) -> None:
    editor = opened(item([OPEN_JAR, PICK_UP], [STIR]))
    editor.press("Control+ArrowDown", "Alt+Shift+s")
    expect(editor.page.get_by_role("textbox", name="Text of description 2")).to_be_focused()
    editor.press("Escape", "Alt+t")
    editor.type("Pick it up.")
    editor.press("Enter")
    up = "Pick it up."
    assert editor.parts() == [(TEXTS[0], 1), (up, 1), (TEXTS[1], 1)]
    expect(editor.current).to_be_focused()
    editor.press("Alt+Shift+PageDown")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (up, 1)]
    editor.press("Control+Shift+ArrowUp", "Alt+Shift+g")
    assert editor.parts() == [(TEXTS[0], 1), (f"{TEXTS[1]} {up}", 2)]
    editor.press("Control+ArrowDown", "Alt+t", "Home", *["ArrowRight"] * len(TEXTS[1]), "Alt+Shift+s")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (up, 1)], "it is split where the caret is"
    expect(editor.page.get_by_role("textbox", name=re.compile("Text of"))).to_be_hidden()
    editor.press("Alt+Shift+n")
    editor.type("The end.")
    editor.press("Escape")
    assert ("The end.", 0) in editor.parts()
    editor.press("Alt+Shift+x")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (up, 1)]
    editor = opened(text=json.dumps(SGDS) + "\n", name="sgds.jsonl")  # this format holds only triplets
    before = editor.parts()
    expect(editor.button("Delete graph")).to_be_disabled()
    expect(editor.page.get_by_role("group", name="Commands on the description")).to_be_hidden()
    editor.press("Control+Enter", "Alt+u", "Alt+Shift+n")
    editor.field("target", 2).fill("lid")
    assert editor.graphs()[0][1] == ["wash", "dobj", "lid"] and editor.parts() == before


def test_every_command_says_what_it_did_or_why_it_cannot(opened: Opened) -> None:
    editor = opened()
    said = editor.said
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


def test_hands_stand_before_and_after_every_action_and_an_exact_repair_is_one_key(opened: Opened) -> None:
    broken = action("open", "dobj Jar", "with hand1")
    editor = opened(item([broken], [PICK_UP], [broken]))
    cards = editor.page.locator(".hand-card")
    expect(cards).to_have_count(3)
    expect(editor.page.locator(".repairs")).to_contain_text("Jar is not in lower case")
    editor.press("Alt+r")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, broken]
    expect(editor.page.locator(".repairs")).to_be_hidden()
    editor.press("Control+z", "Alt+Shift+r")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, OPEN_JAR]
    editor.press("Control+z")
    assert editor.graphs() == [broken, PICK_UP, broken]
    expect(cards.nth(1)).to_contain_text("hand1 – → spoon")
    cards.nth(1).click()
    expect(editor.page.get_by_role("region", name="Hands before and after")).to_contain_text("spoon")
    expect(editor.current).to_contain_text("pick-up")
    editor.press("ArrowRight")
    expect(cards.nth(2)).to_be_focused()


# The editor of L


def test_names_of_l_are_renamed_everywhere_added_moved_and_removed(opened: Opened) -> None:
    editor = opened()
    editor.press("Alt+l")
    dialog = editor.dialog
    dialog.get_by_role("button", name="spoon 2 uses").click()
    expect(dialog).to_contain_text("Used in 2 graphs")
    dialog.get_by_role("textbox", name="New name of spoon").fill("ladle")
    editor.press("Enter")
    assert "ladle" in editor.value()["vocabulary"]["object"]
    assert json.dumps(editor.graphs()).count("ladle") == 2
    expect(dialog.get_by_role("status")).to_have_text("Done: renaming spoon to ladle.")
    dialog.get_by_role("button", name="ladle 2 uses").focus()
    editor.press("Control+z")
    expect(dialog.get_by_role("button", name="ladle 2 uses")).to_have_count(0)
    expect(dialog.get_by_role("status")).to_have_text("Undone: renaming spoon to ladle.")
    assert (editor.graphs(), editor.value()["vocabulary"]) == ([OPEN_JAR, PICK_UP, STIR], L)
    dialog.get_by_label("New name for Objects").fill("kettle")
    editor.press("Enter")
    dialog.get_by_role("button", name="kettle 0 uses").click()
    dialog.get_by_role("button", name="Move to verbs").click()
    dialog.get_by_role("button", name="lid 0 uses").click()
    dialog.get_by_role("button", name="Remove from L").click()
    changed = {"object": [name for name in L["object"] if name != "lid"], "verb": [*L["verb"], "kettle"]}
    assert editor.value()["vocabulary"] == L | changed
    dialog.get_by_role("button", name="jar 1 use").click()
    dialog.get_by_role("button", name="1 open jar").click()
    expect(dialog).to_have_count(0)
    expect(editor.field("source", 1)).to_be_focused()


def test_synonyms_are_merged_by_marks_and_by_proposals(opened: Opened) -> None:
    editor = opened(item([OPEN_JAR], [OPEN_LID], [STIR]))
    editor.press("Alt+l")
    for name in ("jar", "lid"):
        editor.dialog.get_by_role("button", name=f"{name} 1 use").focus()
        editor.press(" ")
    editor.dialog.get_by_role("region", name="Name", exact=True).get_by_role("button", name="Merge").click()
    assert editor.graphs() == [OPEN_JAR, OPEN_JAR, STIR]
    assert "lid" not in editor.value()["vocabulary"]["object"]
    similar = editor.dialog.get_by_role("region", name="Names that likely mean the same")
    similar.get_by_label("Name that stays").select_option("teas")
    similar.get_by_role("button", name="Merge").press("Enter")
    assert editor.graphs()[2][1] == ["stir", "dobj", "teas"]
    expect(editor.dialog.get_by_role("button", name="teas 1 use")).to_be_focused()


# A server that is gone, refuses or has another's edits


def test_edits_go_on_while_the_server_is_gone_and_are_sent_when_it_is_back(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "story.jsonl").write_text(lines((TEA,)))
    before = edited_file(tmp_path / "story.jsonl")
    change(before, set_text(TEXTS[0] + " "))
    before.close()
    editor = opened()
    restored, server = (editor.page.locator(f"[data-notice={name}]") for name in ("restored", "server"))
    expect(restored).to_contain_text("1 edit that was not saved was restored")
    editor.button("Dismiss").click()
    expect(restored).to_have_count(0)
    leaving = "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not editor.page.evaluate(leaving)
    editor.page.route("**/data/**", lambda route: route.abort())
    editor.press("Alt+u", "Alt+u", "Alt+k")
    expect(server).to_contain_text("The server does not answer")
    expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 1 done")
    expect(editor.state).to_have_attribute("data-state", "unsent")
    editor.press("Alt+u")
    assert editor.page.evaluate(leaving), "it is asked about while edits are not sent"
    assert len(editor.file.session.narratives[0].graphs) == 3
    editor.page.unroute("**/data/**")
    expect(server).to_have_count(0)
    editor.save()
    assert (len(editor.graphs()), editor.file.session.status(0).status) == (6, "done")


def test_an_edit_that_was_refused_is_tried_again_and_one_whose_answer_was_lost_is_not_made_twice(
    opened: Opened,
) -> None:
    def refused(_: object) -> None:
        raise FileProblem("the draft cannot be written")

    editor = opened()
    keep, editor.file.session.around.keep = editor.file.session.around.keep, refused
    editor.press("Alt+u")
    expect(editor.page.locator("[data-notice=sending]")).to_contain_text("the draft cannot be written")
    editor.file.session.around.keep = keep
    editor.button("Try again").click()
    assert len(editor.graphs()) == 4
    lost: list[int] = []
    editor.page.route("**/data/edit", lambda route: (lost.append(route.fetch().status), route.abort()))
    editor.press("Alt+u")
    expect(editor.page.locator("[data-notice=server]")).to_be_visible()
    editor.page.unroute("**/data/edit")
    assert len(editor.graphs()) == 5 and 200 in lost
    expect(editor.notices).to_have_count(0)


@pytest.mark.parametrize("answer", ["Take theirs", "Keep mine"])
def test_a_conflict_of_two_browsers_is_shown_and_decided(opened: Opened, answer: str) -> None:
    editor = opened()
    with editor.file.session.lock:
        change(editor.file, {"path": ["descriptions", 0, "graphs", 0], "value": STIR})
        editor.press("Enter")
        editor.field("target", 2).fill("lid")
    editor.button("Compare").click()
    expect(editor.dialog.locator(".version-side")).to_have_count(2)
    editor.dialog.get_by_role("button", name=answer).click()
    is_theirs = answer == "Take theirs"
    assert editor.graphs() == [STIR if is_theirs else OPEN_LID, PICK_UP, STIR]
    expect(editor.notices).to_have_count(0)
    editor.press("Control+z")
    assert editor.graphs() == [OPEN_LID if is_theirs else STIR, PICK_UP, STIR]


def test_what_saving_loses_is_asked_about_once(opened: Opened) -> None:
    editor = opened(text="# Mine\nperson -> verb -> wash\n", name="graphs.txt")
    editor.press("Alt+u", "Control+s")
    expect(editor.dialog).to_contain_text("1 line without triplets")
    editor.press("Enter")
    expect(editor.state).to_have_text("● not saved")
    editor.press("Control+s", "Tab", "Enter")
    expect(editor.state).to_have_text("✓ saved")
    editor.press("Alt+u")
    editor.save()


def test_a_proposal_is_accepted_piece_by_piece(opened: Opened) -> None:
    other = item([OPEN_LID], [PICK_UP, STIR], [STIR[:2], OPEN_JAR])
    editor = opened(proposed=(other,))
    editor.press("Alt+p")
    editor.dialog.get_by_role("button", name="Exchange").click()
    expect(editor.dialog.locator(".version-description")).to_have_count(2)
    editor.dialog.get_by_role("button", name="Add this graph").first.click()
    expect(editor.dialog.locator(".version-description")).to_have_count(1)
    assert editor.graphs() == [OPEN_LID, PICK_UP, STIR, STIR]
    editor.dialog.get_by_role("button", name="Accept all of this description").click()
    expect(editor.dialog).to_contain_text("There is no difference left")
    editor.press("Control+z")
    expect(editor.dialog.locator(".version-description")).to_have_count(1)
    editor.press("Control+y")
    expect(editor.dialog).to_contain_text("There is no difference left")
    assert editor.value()["descriptions"] == other["descriptions"]
    editor.press("Escape", "Control+z", "Control+z", "Control+z")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]


def test_two_pages_see_each_other_and_a_file_that_changed_on_disk_is_compared_and_taken(
    opened: Opened, window: Callable[..., Page]
) -> None:
    editor = opened()
    second = window(editor.url)
    editor.field("target", 2).fill("lid")
    expect(second.get_by_role("combobox", name="target of triplet 2", exact=True)).to_have_value("lid")
    editor.file.path.write_text(disk := lines((item([OPEN_JAR], [PICK_UP], [OPEN_JAR]),)))
    editor.page.bring_to_front()
    editor.press("Control+s")
    notice = editor.page.locator("[data-notice=disk]")
    expect(notice).to_contain_text("changed on disk")
    assert editor.file.path.read_text() == disk
    notice.get_by_role("button", name="Compare").click()
    expect(editor.dialog.locator(".version-pair")).to_have_count(2)
    editor.dialog.get_by_role("button", name="Take theirs").click()
    expect(notice).to_have_count(0)
    assert editor.graphs() == [OPEN_JAR, PICK_UP, OPEN_JAR]
    editor.file.path.write_text(lines((TEA,)))
    editor.field("target", 2).fill("lid")
    editor.press("Control+s")
    notice.get_by_role("button", name="Keep mine").click()
    editor.save()
    assert json.loads(editor.file.path.read_text())["descriptions"][0]["graphs"] == [OPEN_LID]


# Items


def test_items_are_switched_by_keys_and_keep_their_status_note_and_undo(opened: Opened) -> None:
    editor = opened(TEA, item([PICK_UP], name="second"), item(texts=[], vocabulary=None, name="empty"))
    set_status = editor.file.session.set_status
    delays = [0.8]

    def late(*words: Any) -> dict[str, str]:  # noqa: ANN401
        time.sleep(delays.pop() if delays else 0)  # the first status travels longer than those after it
        return set_status(*words)

    editor.file.session.set_status = late  # type: ignore[method-assign]
    editor.press("Alt+u", "Alt+k")
    expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 3 done")
    editor.press("Alt+PageDown")
    expect(editor.lines).to_have_count(1)
    editor.press("Alt+q")
    expect(editor.page.get_by_role("textbox", name="Note on this item")).to_be_focused()
    editor.type("one hand?")
    editor.press("Alt+PageUp")
    expect(editor.lines).to_have_count(4)
    editor.press("Control+z")
    assert editor.graphs() == [OPEN_JAR, PICK_UP, STIR]
    told = [(status.status, status.note) for status in map(editor.file.session.status, (0, 1))]
    assert told == [("done", ""), ("unsure", "one hand?")]
    editor.press("Alt+PageDown", "Alt+PageDown")
    expect(editor.page.get_by_role("heading", name="New graph", exact=True)).to_be_visible()
    expect(editor.field("target", 1)).to_be_focused()
    expect(editor.button("Remove the description")).to_be_disabled()
    expect(editor.button("Add a description")).to_be_enabled()
    editor.type("open")
    editor.press("Enter")
    assert editor.graphs(2) == [action("open")]


def test_hostile_names_are_inert_everywhere(opened: Opened) -> None:
    names = [HOSTILE, RIGHT_TO_LEFT, "</script><b>", "</script><b>s"]
    graph = [["person", "verb", HOSTILE], [HOSTILE, "</script><b>", RIGHT_TO_LEFT]]
    vocabulary = {"object": names, "relationship": names, "verb": names}
    mine = item([graph], [graph], texts=names[:2], name=HOSTILE, vocabulary=vocabulary)
    other = item([OPEN_JAR], [STIR], texts=[HOSTILE, "b"], name=HOSTILE)
    editor = opened(mine, proposed=(other,), name=f"{HOSTILE}.jsonl")
    for key in ("Alt+l", "Alt+p", "Control+k", "F1"):
        editor.press(key)
        expect(editor.dialog).to_be_visible()
        editor.press("Escape")
    editor.press("Enter", "Alt+n")
    assert editor.page.locator(".combo-option").count() > 2
    assert editor.page.locator("#app :is(img, b, script)").count() == 0
    assert editor.page.title() == f"{HOSTILE}.jsonl · tsgkit"
    editor.press("Escape", "Escape", "Alt+u")
    assert editor.graphs() == [graph] * 3


def test_long_names_and_many_graphs_leave_the_table_in_sight(opened: Opened) -> None:
    name = "n" * 300
    long = item([action(name, f"dobj {name}")], texts=["word " * 500], name=name, vocabulary=None)
    for width in (390, 1280):
        editor = opened(long, name=f"{'n' * 200}{width}.jsonl", viewport={"width": width, "height": 900})
        assert editor.page.evaluate("document.documentElement.scrollWidth") == width
        expect(editor.page.locator(".graph-signs")).to_be_visible()
    expect(editor.field("source", 1)).to_be_in_viewport()
    graphs = [[[PICK_UP, STIR, OPEN_JAR][number % 3]] for number in range(500)]
    editor = opened(item(*graphs, texts=[TEXTS[number % 3] for number in range(500)]))
    expect(editor.lines).to_have_count(500)
    editor.press("End", "Enter", "Enter", "ArrowUp")
    expect(editor.current).to_be_in_viewport()
    expect(editor.page.locator(".hand-card[aria-current]")).to_be_in_viewport()
    for name in ("table", "x" * 20):
        editor.press("Control+a")
        editor.type(name)
        assert name in json.dumps(editor.graphs()[499])


def test_every_part_is_accessible_in_light_and_dark(opened: Opened) -> None:
    bad = action("open", "dobj Jar", "dobj can")
    parts = ("", "Enter Alt+n", "Escape Escape Alt+l", "Escape Alt+p", "Escape F1", "Escape Control+k")
    items = (item([bad], [PICK_UP], []), item([STIR], name="second"))
    for width, scheme in ((1280, "light"), (390, "dark")):
        size = {"width": width, "height": 900}
        proposed = (TEA, item([PICK_UP], name="second"))
        editor = opened(*items, name=f"{scheme}.jsonl", proposed=proposed, viewport=size, color_scheme=scheme)
        expect(editor.page.locator(".repair").first).to_be_visible()
        for keys in parts:
            editor.press(*keys.split())
            expect(editor.dialog).to_have_count(int(keys[-2:] in ("+l", "+p", "F1", "+k")))
            assert violations(editor.page, "serious", "critical") == [], (keys, scheme)
            assert editor.page.evaluate("document.documentElement.scrollWidth") <= width, keys
