"""The editor's pure modules: edits of an item's value, the operations between two values, undo, names of L."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from tsgkit.browser.modules import EXPORT, IMPORT, in_order, text_of
from tsgkit.serve.item_values import applied

MODULES = "value_ops item_value edit_history vocabulary_edits triplet_rows"
Json = Any
GRAPH = [["person", "verb", "screw"], ["screw", "dobj", "screw"], ["screw", "with", "hand1"]]
VALUE: Json = {
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
    modules = dict.fromkeys(one for name in MODULES.split() for one in in_order(f"edit/{name}.js"))
    page = browser.new_page()
    page.add_script_tag(content="\n".join(EXPORT.sub("", IMPORT.sub("", text_of(one))) for one in modules))
    yield page
    page.close()


def random_edit(rng: random.Random) -> Json:
    triplets = [["person", "verb", rng.choice("abc")], ["a", "dobj", rng.choice("xyz")]]
    steps: Json = {
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
    before: Json = {"descriptions": [{"text": "a", "graphs": [GRAPH] * 500}], "vocabulary": None}
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
