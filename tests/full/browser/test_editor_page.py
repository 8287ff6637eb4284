"""The editor of graphs as annotators use it, in Chromium, with its real server; and its pure modules."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from in_chromium import HOSTILE, violations
from playwright.sync_api import Browser, Locator, Page, Route, expect
from served import SGDS, change, in_a_thread, set_text

from tsgkit.browser.modules import joined
from tsgkit.errors import FileProblem
from tsgkit.serve.edit_page import edit_page, edited_file
from tsgkit.serve.edited_file import EditedFile
from tsgkit.serve.item_values import applied

Json = dict[str, Any]
L = {
    "object": ["jar", "lid", "spoon", "table", "tea", "teas"],
    "relationship": ["verb", "dobj", "with", "from", "on", "into"],
    "verb": ["open", "pick-up", "put-down", "stir"],
}
TEXTS = ["Open the jar.", "Pick up the spoon from the table.", "Stir the tea with the spoon."]
UNDO, REDO = "Control+z", "Control+y"


def action(verb: str, *others: str) -> list[list[str]]:
    return [["person", "verb", verb], *([verb, *other.split()] for other in others)]


OPEN_JAR, OPEN_LID = (action("open", f"dobj {name}", "with hand1") for name in ("jar", "lid"))
PICK_UP = action("pick-up", "dobj spoon", "with hand1", "from table")
STIR = action("stir", "dobj tea", "with spoon", "with hand1")
GRAPHS = [OPEN_JAR, PICK_UP, STIR]


def item(*graphs: list[Any], texts: list[str] = TEXTS, name: str = "tea", vocabulary: Json | None = L) -> Json:
    described = zip(texts, graphs or ([], [], []), strict=False)
    descriptions = [{"text": text, "graphs": list(own)} for text, own in described]
    return copy.deepcopy(
        {"id": name, "descriptions": descriptions} | ({"vocabulary": vocabulary} if vocabulary else {})
    )


TEA = item([OPEN_JAR], [PICK_UP], [STIR])


def lines(*items: Json) -> str:
    return "".join(f"{json.dumps(one)}\n" for one in items)


@dataclass
class Editor:
    page: Page
    file: EditedFile
    url: str

    def __post_init__(self) -> None:
        places = (".graph-line", ".graph-line[aria-current]", ".save-state", ".notice", ".said")
        self.lines, self.current, self.state, self.notices, self.said = map(self.page.locator, places)
        self.dialog = self.page.get_by_role("dialog")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str, *keys: str) -> None:
        self.page.keyboard.type(text)
        self.press(*keys)

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
    with ExitStack() as servers:

        def editor(*items: Json, text: str = "", name: str = "story.jsonl", proposed: str = "", **look: Any) -> Editor:  # noqa: ANN401
            (path := tmp_path / name).write_text(text or lines(*(items or (TEA,))))
            (proposals := tmp_path / "generated.jsonl").write_text(proposed)
            file = edited_file(path, proposals=proposals if proposed else None)
            server = servers.enter_context(in_a_thread(edit_page(file)))
            found = Editor(window(server.address, **look), file, server.address)
            expect(found.page.locator(".triplet-table")).to_be_visible()
            return found

        yield editor


def test_the_names_of_a_field_have_its_role_and_mentioned_ones_come_first(opened: Opened) -> None:
    editor = opened(item())
    editor.press("Enter", "ArrowDown", "ArrowDown", "Tab")
    expect(editor.field("target", 1)).to_have_value("put-down")
    editor.press("Tab")  # a field that was not begun stays empty
    assert editor.graphs() == [action("put-down")], "a row of defaults is no triplet"
    editor.press("Escape", "Control+ArrowDown", "Enter")
    assert editor.options() == ["pick-up", "put-down", "open", "stir"], "mentioned ones first, then those in use"
    editor.press("Enter")
    assert editor.options()[:2] == ["spoon", "table"]
    editor.type("t")
    assert editor.options() == ["table", "tea", "teas", "t as typed"]
    editor.press("Backspace", "Enter")
    assert set(editor.options()) == {"verb", "dobj", "with", "from", "on", "into"}


def test_letters_of_one_name_are_undone_and_redone_as_one_step(opened: Opened) -> None:
    editor = opened()
    expect(editor.button("Undo")).to_be_disabled()
    editor.press("Enter")
    editor.field("target", 2).click()
    editor.press("Control+a")
    editor.type("lid", "Control+ArrowDown", UNDO)  # letters of one name are one step, and the place comes back
    expect(editor.current).to_contain_text("open jar")
    expect(editor.field("target", 2)).to_have_value("jar")
    editor.press(REDO)
    expect(editor.current).to_contain_text("open lid")
    expect(editor.button("Redo")).to_be_disabled()


def test_graphs_are_copied_moved_duplicated_deleted_split_and_merged(opened: Opened) -> None:
    editor = opened()
    editor.press("Alt+c", "Control+ArrowDown", "Alt+v", "Alt+Shift+ArrowDown")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (TEXTS[2], 2)]
    editor.press("Alt+Shift+ArrowDown")
    assert editor.graphs() == [*GRAPHS, OPEN_JAR]
    editor.press("Enter", "Alt+Shift+ArrowUp", "Alt+Shift+ArrowDown")  # from a field, too
    expect(editor.said).to_have_text("Done: moving a graph down.")
    editor.press("Escape", "Alt+u")
    assert editor.graphs() == [*GRAPHS, OPEN_JAR, OPEN_JAR]
    editor.press("Control+Shift+Backspace", "Delete")
    assert editor.graphs() == GRAPHS
    editor.lines.first.click()
    editor.press("Enter", "ArrowUp", "Alt+m", "Alt+s")
    assert editor.graphs()[:2] == [[OPEN_JAR[0], OPEN_JAR[2]], [OPEN_JAR[1]]]
    editor.press("Control+ArrowUp", "Alt+g")
    assert [sorted(graph) for graph in editor.graphs()] == [sorted(graph) for graph in GRAPHS]


def test_descriptions_are_added_split_merged_moved_and_removed(opened: Opened) -> None:
    editor, up = opened(item([OPEN_JAR, PICK_UP], [STIR])), "Pick it up."
    editor.press("Control+ArrowDown", "Alt+Shift+s")
    expect(editor.page.get_by_role("textbox", name="Text of description 2")).to_be_focused()
    editor.press("Escape", "Alt+t")
    editor.type(up, "Enter")
    assert editor.parts() == [(TEXTS[0], 1), (up, 1), (TEXTS[1], 1)]
    expect(editor.current).to_be_focused()
    editor.press("Alt+Shift+PageDown", "Control+Shift+ArrowUp", "Alt+Shift+g")
    assert editor.parts() == [(TEXTS[0], 1), (f"{TEXTS[1]} {up}", 2)]
    editor.press("Control+ArrowDown", "Alt+t", "Home", *["ArrowRight"] * len(TEXTS[1]), "Alt+Shift+s")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (up, 1)], "it is split where the caret is"
    editor.press("Alt+Shift+n")
    editor.type("The end.", "Escape")
    assert ("The end.", 0) in editor.parts()
    editor.press("Alt+Shift+x")
    assert editor.parts() == [(TEXTS[0], 1), (TEXTS[1], 1), (up, 1)]
    editor = opened(text=json.dumps(SGDS) + "\n", name="sgds.jsonl")  # this format holds only triplets
    before = editor.parts()
    expect(editor.button("Delete graph")).to_be_disabled()
    editor.press("Control+Enter", "Alt+u", "Alt+Shift+n")
    editor.field("target", 2).fill("lid")
    assert editor.graphs()[0][1] == ["wash", "dobj", "lid"] and editor.parts() == before


def test_commands_say_what_they_did_hands_stand_beside_every_action_and_an_exact_repair_is_one_key(
    opened: Opened,
) -> None:
    broken = action("open", "dobj Jar", "with hand1")
    editor = opened(item([broken], [PICK_UP], [broken]))
    expect(editor.said).to_have_text("Item tea, 3 graphs: Open the jar.")
    expect(editor.page.locator(".repairs")).to_contain_text("Jar is not in lower case")
    for keys, first, last in (
        (["Alt+r"], OPEN_JAR, broken),
        ([UNDO, "Alt+Shift+r"], OPEN_JAR, OPEN_JAR),
        ([UNDO], broken, broken),
    ):
        editor.press(*keys)
        assert editor.graphs() == [first, PICK_UP, last], keys
    for key, words in {
        UNDO: "There is nothing to undo in this item.",
        "Alt+g": "The description has no further graph to merge with.",
        "Control+Shift+Enter": f"Graph 2 of 3: pick-up spoon · hand1. {TEXTS[1]}",
        "Alt+r": "No repair of this graph is certain.",
    }.items():
        editor.press(key)
        expect(editor.said).to_have_text(words)
    expect(editor.page.locator(".hand-card").nth(1)).to_contain_text("hand1 – → spoon")


def test_names_of_l_are_renamed_everywhere_merged_added_moved_and_removed(opened: Opened) -> None:
    editor = opened()
    editor.press("Alt+l")
    dialog = editor.dialog
    dialog.get_by_role("button", name="spoon 2 uses").click()
    dialog.get_by_role("textbox", name="New name of spoon").fill("ladle")
    editor.press("Enter")
    assert json.dumps(editor.graphs()).count("ladle") == 2 and "ladle" in editor.value()["vocabulary"]["object"]
    expect(dialog.get_by_role("status")).to_have_text("Done: renaming spoon to ladle.")
    dialog.get_by_role("button", name="ladle 2 uses").focus()
    editor.press(UNDO)
    expect(dialog.get_by_role("status")).to_have_text("Undone: renaming spoon to ladle.")
    assert (editor.graphs(), editor.value()["vocabulary"]) == (GRAPHS, L)
    dialog.get_by_label("New name for Objects").fill("kettle")
    editor.press("Enter")
    for name, command in (("kettle 0 uses", "Move to verbs"), ("lid 0 uses", "Remove from L")):
        dialog.get_by_role("button", name=name).click()
        dialog.get_by_role("button", name=command).click()
    similar = dialog.get_by_role("region", name="Names that likely mean the same")
    similar.get_by_label("Name that stays").select_option("teas")
    similar.get_by_role("button", name="Merge").press("Enter")
    assert editor.graphs()[2][1] == ["stir", "dobj", "teas"]
    changed = {"object": ["jar", "spoon", "table", "teas"], "verb": [*L["verb"], "kettle"]}
    assert editor.value()["vocabulary"] == L | changed
    dialog.get_by_role("button", name="jar 1 use").click()
    dialog.get_by_role("button", name="1 open jar").click()
    expect(editor.field("source", 1)).to_be_focused()


def test_edits_go_on_while_the_server_is_gone_and_are_sent_when_it_is_back(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "story.jsonl").write_text(lines(TEA))
    before = edited_file(tmp_path / "story.jsonl")
    change(before, set_text(TEXTS[0] + " "))
    before.close()
    editor = opened()
    expect(editor.page.locator("[data-notice=restored]")).to_contain_text("1 edit that was not saved was restored")
    editor.button("Dismiss").click()
    expect(editor.notices).to_have_count(0)
    leaving = "!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert not editor.page.evaluate(leaving)
    editor.page.route("**/data/**", lambda route: route.abort())
    editor.press("Alt+u", "Alt+u", "Alt+k")
    expect(editor.page.locator("[data-notice=server]")).to_contain_text("The server does not answer")
    expect(editor.page.locator(".items summary")).to_have_text("Items: 1 of 1 done")
    assert editor.page.evaluate(leaving), "it is asked about while edits are not sent"
    editor.page.unroute("**/data/**")
    expect(editor.notices).to_have_count(0)
    editor.save()
    assert (len(editor.graphs()), editor.file.session.status(0).status) == (5, "done")


def test_an_edit_that_was_refused_is_tried_again_and_one_whose_answer_was_lost_is_not_made_twice(
    opened: Opened,
) -> None:
    def refused(_: object) -> None:
        raise FileProblem("the draft cannot be written")

    def lose(route: Route) -> None:
        lost.append(route.fetch().status)
        route.abort()

    editor, lost = opened(), list[int]()
    keep, editor.file.session.around.keep = editor.file.session.around.keep, refused
    editor.press("Alt+u")
    expect(editor.page.locator("[data-notice=sending]")).to_contain_text("the draft cannot be written")
    editor.file.session.around.keep = keep
    editor.button("Try again").click()
    assert len(editor.graphs()) == 4
    editor.page.route("**/data/edit", lose)
    with editor.page.expect_event("requestfailed"):  # a later look at the file takes the notice away
        editor.press("Alt+u")
    editor.page.unroute("**/data/edit")
    assert len(editor.graphs()) == 5 and 200 in lost


@pytest.mark.parametrize("answer", ["Take theirs", "Keep mine"])
def test_a_conflict_of_two_browsers_is_shown_and_decided(opened: Opened, answer: str) -> None:
    editor = opened()
    with editor.file.session.lock:
        change(editor.file, {"path": ["descriptions", 0, "graphs", 0], "value": STIR})
        editor.press("Enter")
        editor.field("target", 2).fill("lid")
    editor.button("Compare").click()
    editor.dialog.get_by_role("button", name=answer).click()
    first, undone = (STIR, OPEN_LID) if answer == "Take theirs" else (OPEN_LID, STIR)
    assert editor.graphs() == [first, PICK_UP, STIR]
    editor.press(UNDO)
    assert editor.graphs() == [undone, PICK_UP, STIR]


def test_a_proposal_is_accepted_piece_by_piece(opened: Opened) -> None:
    other = item([OPEN_LID], [PICK_UP, STIR], [STIR[:2], OPEN_JAR])
    editor = opened(proposed=lines(other))
    editor.press("Alt+p")
    differing = editor.dialog.locator(".version-description")
    editor.dialog.get_by_role("button", name="Exchange").click()
    expect(differing).to_have_count(2)
    editor.dialog.get_by_role("button", name="Add this graph").first.click()
    expect(differing).to_have_count(1)
    assert editor.graphs() == [OPEN_LID, PICK_UP, STIR, STIR]
    editor.dialog.get_by_role("button", name="Accept all of this description").click()
    expect(editor.dialog).to_contain_text("There is no difference left")
    assert editor.value()["descriptions"] == other["descriptions"]
    editor.press("Escape", UNDO, UNDO, UNDO)
    assert editor.graphs() == GRAPHS


def test_two_pages_see_each_other_and_a_file_that_changed_on_disk_is_compared_and_taken(
    opened: Opened, window: Callable[..., Page]
) -> None:
    editor = opened()
    second = window(editor.url)
    editor.field("target", 2).fill("lid")
    expect(second.get_by_role("combobox", name="target of triplet 2", exact=True)).to_have_value("lid")
    editor.file.path.write_text(disk := lines(item([OPEN_JAR], [PICK_UP], [OPEN_JAR])))
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
    expect(editor.field("target", 2)).to_have_value("jar")
    editor.file.path.write_text(lines(TEA))
    editor.field("target", 2).fill("lid")
    editor.press("Control+s")
    notice.get_by_role("button", name="Keep mine").click()
    expect(notice).to_have_count(0)
    editor.save()
    assert json.loads(editor.file.path.read_text())["descriptions"][0]["graphs"] == [OPEN_LID]
    held = list[Route]()
    editor.page.route("**/data/save", lambda route: held.append(route), times=1)
    editor.field("target", 2).fill("jar")
    editor.press("Control+s")
    while not held:
        editor.page.wait_for_timeout(10)
    editor.press("Control+s")
    held[0].abort()
    expect(editor.state).to_have_text("✓ saved")
    expect(editor.notices).to_have_count(0)


def test_hostile_names_are_inert_everywhere(opened: Opened) -> None:
    names = [HOSTILE, "\u202eevil \u05e9", "</script><b>", "</script><b>s"]
    graph = [["person", "verb", HOSTILE], [HOSTILE, "</script><b>", names[1]]]
    lists = {"object": names, "relationship": names, "verb": names}
    mine = item([graph], [graph], texts=names[:2], name=HOSTILE, vocabulary=lists)
    proposed = lines(item([OPEN_JAR], [STIR], texts=[HOSTILE, "b"], name=HOSTILE))
    editor = opened(mine, proposed=proposed, name=f"{HOSTILE}.jsonl")
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


def test_every_part_is_accessible_in_light_and_dark_and_five_hundred_graphs_are_edited(opened: Opened) -> None:
    bad = action("open", "dobj Jar", "dobj can")
    parts = ("", "Enter Alt+n", "Escape Escape Alt+l", "Escape Alt+p", "Escape F1", "Escape Control+k")
    items = (item([bad], [PICK_UP], [], texts=["word " * 500, *TEXTS]), item([STIR], name="second"))
    for width, scheme in ((1280, "light"), (390, "dark")):
        size = {"width": width, "height": 900}
        proposed = lines(TEA, item([PICK_UP], name="second"))
        editor = opened(*items, name=f"{scheme}.jsonl", proposed=proposed, viewport=size, color_scheme=scheme)
        expect(editor.page.locator(".repair").first).to_be_visible()
        for keys in parts:
            editor.press(*keys.split())
            expect(editor.dialog).to_have_count(int(keys[-2:] in ("+l", "+p", "F1", "+k")))
            assert violations(editor.page, "serious", "critical") == [], (keys, scheme)
            assert editor.page.evaluate("document.documentElement.scrollWidth") <= width, keys
    editor = opened(item(*[[PICK_UP]] * 500, texts=TEXTS[1:2] * 500))
    editor.press("End", "Enter", "Enter", "ArrowUp")
    expect(editor.current).to_be_in_viewport()
    editor.press("Control+a")
    editor.type("x" * 20)
    assert "x" * 20 in json.dumps(editor.graphs()[499])


GRAPH = [["person", "verb", "screw"], ["screw", "dobj", "screw"], ["screw", "with", "hand1"]]
VALUE: Any = {
    "descriptions": [
        {"text": "one", "graphs": [GRAPH, [["person", "verb", "open"]]], "frames": [1, 2, 3]},
        {"text": "two", "graphs": []},
        {"text": None, "graphs": [[["person", "verb", "open"], ["open", "dobj", "jar"]]]},
    ],
    "vocabulary": {
        "object": ["screw", "jar", "pot"],
        "relationship": ["verb", "dobj", "with"],
        "verb": ["screw", "open"],
    },
}
EDITS = """({ value, edits }) => {
  const known = { setGraph, insertGraph, removeGraph, moveGraph, splitGraph, mergeGraph, addDescription, setText,
    splitDescription, mergeDescription, removeDescription, moveDescription };
  let now = { value, place: firstPlace(value) };
  const before = JSON.stringify(value), history = new EditHistory(now.value, now.place), done = [];
  for (const { name, number, rest } of edits) {
    const places = placesOf(now.value), place = places[number % places.length];
    const found = place && known[name](now.value, place, ...rest);
    if (!found) continue;
    done.push({ name, operations: operationsBetween(now.value, found.value), after: found.value });
    history.record(found.value, found.place, name);
    now = found;
  }
  const whole = operationsBetween(value, now.value), back = [], forward = [];
  while (history.undo() !== null) back.push(history.value);
  while (history.redo() !== null) forward.push(history.value);
  return { done, whole, back, forward, unchanged: JSON.stringify(value) === before };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    page = browser.new_page()
    page.add_script_tag(content=joined("edit/item_session.js"))
    yield page
    page.close()


def random_edit(rng: random.Random) -> Any:  # noqa: ANN401  (JSON)
    triplets = [["person", "verb", rng.choice("abc")], ["a", "dobj", rng.choice("xyz")]]
    steps: Any = {
        "setGraph": [triplets], "insertGraph": [triplets], "removeGraph": [], "moveGraph": [rng.choice((-1, 1))],
        "splitGraph": [[0]], "mergeGraph": [], "addDescription": ["new"], "setText": [rng.choice(("", "other"))],
        "splitDescription": [rng.choice((None, 1))], "mergeDescription": [], "removeDescription": [],
        "moveDescription": [rng.choice((-1, 1))],
    }  # fmt: skip
    name = rng.choice([one for one in steps if one != "setGraph"])
    return {"name": name, "number": rng.randrange(50), "rest": steps[name]}


def test_operations_make_the_server_follow_any_edits_and_undo_returns_exactly(page: Page) -> None:
    for seed in range(12):
        rng = random.Random(seed)
        edits = [random_edit(rng) for _ in range(40)]
        found = page.evaluate(EDITS, {"value": VALUE, "edits": edits})
        assert len(found["done"]) > 8
        value, values = copy.deepcopy(VALUE), [VALUE]
        for step in found["done"]:
            value = applied(value, step["operations"])
            assert value == step["after"], (seed, step["name"])
            values.append(value)
        assert applied(copy.deepcopy(VALUE), found["whole"]) == value, seed
        assert (found["back"], found["forward"]) == (values[-2::-1], values[1:]), seed
        assert found["unchanged"], seed
    alone = {"descriptions": [{"text": None, "graphs": []}, {"text": None, "graphs": [GRAPH]}]}
    assert page.evaluate("firstPlace", alone) == {"description": 1, "graph": 0}, "nothing is known of what was before"
    between = "([one, other]) => operationsBetween(one, other)"
    assert page.evaluate(between, [VALUE, copy.deepcopy(VALUE)]) == []
    before: Any = {"descriptions": [{"text": "a", "graphs": [GRAPH] * 500}], "vocabulary": None}
    after = copy.deepcopy(before)
    after["descriptions"][0]["graphs"][250] = [["person", "verb", "open"]]
    one = {"start": 250, "removed": 1, "inserted": [[["person", "verb", "open"]]]}
    assert page.evaluate(between, [before, after]) == [{"path": ["descriptions", 0, "graphs"], **one}]


def test_renaming_keeps_roles_apart_and_triplets_that_become_the_same_stand_once(page: Page) -> None:
    rename = "([value, kind, name]) => renameNames(value, kind, [name], 'bolt')"
    as_object = page.evaluate(rename, [VALUE, "object", "screw"])
    assert as_object["descriptions"][0]["graphs"][0] == [GRAPH[0], ["screw", "dobj", "bolt"], GRAPH[2]]
    assert as_object["vocabulary"]["object"] == ["bolt", "jar", "pot"]
    assert as_object["vocabulary"]["verb"] == ["screw", "open"]
    as_verb = page.evaluate(rename, [VALUE, "verb", "screw"])
    expected = [["person", "verb", "bolt"], ["bolt", "dobj", "screw"], ["bolt", "with", "hand1"]]
    assert as_verb["descriptions"][0]["graphs"][0] == expected
    graph = [["person", "verb", "open"], ["open", "dobj", "jar"], ["open", "dobj", "pot"]]
    value = {"descriptions": [{"text": None, "graphs": [graph]}], "vocabulary": VALUE["vocabulary"]}
    merged = page.evaluate("(value) => renameNames(value, 'object', ['pot'], 'jar')", value)
    assert merged["descriptions"][0]["graphs"] == [graph[:2]], "triplets that become the same stand once"
    assert merged["vocabulary"]["object"] == ["screw", "jar"]
