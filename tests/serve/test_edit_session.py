"""Sessions of editing: edits, conflicts between browsers, refusals that change nothing, checks, versions."""

from __future__ import annotations

import copy
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from served import DRY, DRY_VALUE, STORY, WASH, WASH_VALUE, L, refused, set_text, splice

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.hands import trace
from tsgkit.graph.model import HANDS, ActionGraph, Description, Narrative, Vocabulary
from tsgkit.graph.repairs import mend_graph
from tsgkit.graph.rules import check_narrative
from tsgkit.serve import item_values
from tsgkit.serve.edit_session import AcceptedEdit, EditSession, Proposals, Surroundings
from tsgkit.serve.item_values import applied, item_value, narrative_of
from tsgkit.serve.local_server import StaleChange
from tsgkit.serve.story_checks import checks

TRIPLETS = ("descriptions", 0, "graphs", 0)
FRAMES = ("descriptions", 0, "frames")
OPEN = {"status": "open", "annotator": "", "time": "", "note": ""}
NAMES = {"object": ["cup"], "relationship": [], "verb": []}
SLIPS = ActionGraph([("wash", "verb", "person"), ("wash", "direct_object", "Cup"), ("wash", "with", "hand1")])


@pytest.fixture
def session() -> EditSession:
    return EditSession([STORY, Narrative()], annotator="ann")


def described(*inserted: dict[str, Any], start: int = 0) -> dict[str, Any]:
    return splice("descriptions", start=start, inserted=list(inserted))


def test_items_are_listed_and_an_edit_raises_the_revision_and_answers_with_checks(session: EditSession) -> None:
    listed, item = session.document(), session.item(0)
    told = (listed["annotator"], listed["revision"], listed["restored"], listed["disk"], listed["unsaved"])
    assert told == ("ann", 0, None, False, False) and all(listed["can"].values())
    assert listed["items"] == [
        {"item": "cups", "title": "She washes the cup.", "graphs": 2, "status": OPEN, "unsaved": False},
        {"item": "1", "title": "", "graphs": 0, "status": OPEN, "unsaved": False},
    ]
    hands: dict[str, list[str]] = {"hand1": [], "hand2": []}
    clean = {"findings": [], "hands": {"before": hands, "after": hands}, "repairs": []}
    found = {"graphs": [clean, clean], "mentioned": [["wash", "cup"], ["dry", "with", "towel"]]}
    state = {"number": 0, "revision": 0, "status": OPEN, "unsaved": False}
    assert item == state | {"value": item_value(STORY), "checks": found}
    answer = session.edit(0, 0, [splice(*TRIPLETS, start=3, inserted=[["wash", "in", "sink"]])])
    assert answer == {"revision": 1, "checks": checks(session.narratives[0])}
    codes = [one["code"] for one in answer["checks"]["graphs"][0]["findings"]]
    assert codes == ["out-of-vocabulary", "out-of-vocabulary"]
    assert session.narratives[0].graphs[0].triplets[3] == ("wash", "in", "sink")
    assert session.item(0)["unsaved"] and not session.item(1)["unsaved"]


def test_item_is_unsaved_while_it_differs_in_anything_from_what_was_saved(session: EditSession) -> None:
    session.edit(0, 0, [set_text("Other.")])
    assert session.document()["unsaved"]
    session.edit(0, 1, [set_text("She washes the cup.")])
    assert not session.document()["unsaved"]
    session.edit(0, 2, [splice(*TRIPLETS, start=0, removed=2, inserted=[WASH_VALUE[1], WASH_VALUE[0]])])
    assert session.unsaved == [0], "the order of triplets counts"
    session.mark_saved()
    assert session.unsaved == []
    first, second = session.item(0)["value"]["descriptions"]
    descriptions = session.narratives[0].descriptions
    session.edit(0, 3, [splice("descriptions", start=0, removed=2, inserted=[second, first])])
    assert session.narratives[0].descriptions == descriptions[::-1], "frames travel with their description"


def test_an_older_revision_is_a_conflict_and_changes_are_those_after_a_revision(session: EditSession) -> None:
    session.edit(0, 0, [set_text("First.")])
    with pytest.raises(StaleChange) as conflict:
        session.edit(0, 0, [set_text("Second.")])
    message, item = "this item was edited in another window meanwhile", session.item(0)
    assert conflict.value.value == {"message": message, "item": item}
    assert item["value"]["descriptions"][0]["text"] == "First."
    session.edit(1, 0, [described({"text": None, "graphs": []})])
    assert session.changes(0) == {"revision": 2, "items": {"0": 1, "1": 2}, "disk": False, "unsaved": True}
    assert session.edit(0, 1, [])["revision"] == 1
    assert [session.changes(since)["items"] for since in (1, 2)] == [{"1": 2}, {}]


def value_at(*path: Any, value: Any = "x") -> dict[str, Any]:  # noqa: ANN401  (JSON)
    return {"path": list(path), "value": value}


def nested(depth: int) -> Any:  # noqa: ANN401  (JSON)
    value: Any = "x"
    for _ in range(depth):
        value = [value]
    return value


def test_edit_that_does_not_fit_changes_nothing(session: EditSession, monkeypatch: pytest.MonkeyPatch) -> None:
    text = {"text": "x", "graphs": []}
    cases: tuple[tuple[Any, str], ...] = (
        (5, "an operation is an object with a path"),
        ({"path": "descriptions", "value": 1}, "an operation is an object with a path"),
        ({"path": ["descriptions"], "start": 0, "removed": 0}, "an operation has path and value"),
        (value_at("descriptions", 0, "text") | {"more": 1}, "an operation has path and value"),
        (value_at("id"), "nothing to change at id"),
        (value_at("descriptions", 0, "graphs", 0, 0, 3), "the item has no descriptions/0/graphs/0/0/3"),
        *((value_at("descriptions", place, "text"), "the item has no") for place in (-1, 2)),
        (value_at("descriptions", True, "text"), "nothing to change at"),
        *((value_at(*path), "nothing to change at") for path in ([], [["descriptions"]], ["descriptions"] * 1000)),
        (splice("descriptions", 0, "frames", 0, start=0), "nothing to change at"),
        (splice(*TRIPLETS, start=4), "places 4 to 4 of a list of 3"),
        (splice(*TRIPLETS, start=1, removed=3), "places 1 to 4 of a list of 3"),
        (splice(*TRIPLETS, start=-1), "places -1"),
        (splice(*TRIPLETS, start=0, removed=-1), "places 0 to -1"),
        (splice(*TRIPLETS, start=True), "start and removed are numbers"),
        (splice(*TRIPLETS, start=0) | {"removed": 0.0}, "start and removed are numbers"),
        (splice(*TRIPLETS, start=0) | {"inserted": "abc"}, "inserted is a list"),
        (splice("vocabulary", "verb", start=0, inserted=[5]), "expected strings only"),
        (splice(*TRIPLETS, start=0, inserted=[["a", "b"]]), "expected three strings"),
        (described({"graphs": []}), "lacks text or graphs"),
        (described({"text": "x"}), "lacks text or graphs"),
        (described({"text": 1, "graphs": []}), "text is a number"),
        (described(text | {"by": 1}), "no such field"),
        (described(text | {"frames": [1, 2]}), "three numbers"),
        (described(text | {"frames": [1, 2, float("nan")]}), "no number"),
        (value_at("vocabulary", value={}), "the list 'object' is missing"),
        (value_at("vocabulary", value={**NAMES, "colour": []}), "L has the lists"),
        (set_text("x" * 100_001), "at most 100,000"),
        (splice(*TRIPLETS, start=0, inserted=[["a", "b", "x" * 1001]]), "at most 1,000"),
        (set_text("half of a pair: \ud800"), "half of a surrogate pair"),
        *((value_at("descriptions", 0, "graphs", value=nested(depth)), "nested too deeply") for depth in (10, 500)),
    )
    before = session.item(0), session.document()
    several = (
        ("text", "ops: expected a list"),
        ([set_text("x")] * 10_001, "at most 10,000 operations"),
        ([set_text("fine"), splice(*TRIPLETS, start=9)], "op 1: places"),
        ([value_at(*FRAMES, value=5), splice(*FRAMES, start=0)], "a list is spliced, not a number"),
    )
    for ops, problem in (*(([op], problem) for op, problem in cases), *several):
        refused(problem, session.edit, 0, 0, ops)
        assert (session.item(0), session.document()) == before, problem
    largest = [set_text("x" * 100_000), splice(*TRIPLETS, start=3, inserted=[["a", "b", "x" * 1000]])]
    longest = [set_text("x")] * 9_998 + largest
    assert session.edit(0, 0, longest)["revision"] == 1
    empty: dict[str, Any] = {"text": None, "graphs": []}
    for limit, most, op, message in (
        ("MOST_TRIPLETS", 10, splice(*TRIPLETS, start=0, inserted=[["a", "b", "c"]] * 2), "9 graphs and triplets"),
        ("MOST_NAMES", 10, splice("vocabulary", "verb", start=0, inserted=["a", "b"]), "at most 9 names in L"),
        ("MOST_DESCRIPTIONS", 4, described(empty, empty), "at most 3 descriptions"),
    ):
        monkeypatch.setattr(item_values, limit, most)
        assert EditSession([STORY]).edit(0, 0, [op])["revision"] == 1, limit
        monkeypatch.setattr(item_values, limit, most - 1)
        refused(message, EditSession([STORY]).edit, 0, 0, [op])
        monkeypatch.setattr(item_values, limit, 0)
        assert EditSession([STORY]).edit(0, 0, [])["revision"] == 0, "one that is above the limit already may be edited"


def test_edits_that_cannot_be_kept_items_that_do_not_exist_and_odd_statuses_are_refused(session: EditSession) -> None:
    def full(_: AcceptedEdit) -> None:
        raise FileProblem("no room")

    unkept = EditSession([STORY], surroundings=Surroundings(keep=full))
    before = unkept.item(0)
    refused("no room", unkept.edit, 0, 0, [set_text("Other.")])
    assert unkept.item(0) == before
    for number in (-1, 2):
        refused("there is no item", session.item, number)
        refused("there is no item", session.similar, number)
        refused("there is no item", session.edit, number, 0, [])
        refused("there is no item", session.set_status, number, "done", "")
    found = session.set_status(0, "unsure", "x" * 10_000)
    assert found | {"time": ""} == {"status": "unsure", "annotator": "ann", "time": "", "note": "x" * 10_000}
    assert found["time"].endswith("+00:00") and session.document()["items"][0]["status"] == found
    refused("there is no status", session.set_status, 0, "perfect", "")
    refused("at most 10,000", session.set_status, 0, "done", "x" * 10_001)


def test_edits_at_once_are_applied_one_after_the_other(session: EditSession) -> None:
    def add(number: int) -> None:
        try:
            op = splice(*TRIPLETS, start=0, inserted=[["a", "b", str(number)]])
            session.edit(0, session.item(0)["revision"], [op])
        except StaleChange:
            add(number)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(20)))
    added = {one.target for one in session.narratives[0].graphs[0] if one.source == "a"}
    assert (added, session.revision) == ({str(number) for number in range(20)}, 20)


def test_titles_are_the_first_words_of_the_text_and_names_that_likely_mean_the_same_are_grouped() -> None:
    long = Narrative((Description(), Description(" "), Description("word " * 40)))
    hostile = Narrative((Description("<b>\u202e"),))
    titles = [one["title"] for one in EditSession([long, hostile, Narrative.of([WASH])]).document()["items"]]
    assert titles == ["word " * 13 + "...", "<b>\u202e", ""]
    objects = ("cup", "cups", "screwdriver", "screwdrver", "lid")
    names = Vocabulary(objects, ("verb", "on top", "on-top"), ("wash", "washes"))
    groups = EditSession([Narrative((), names)]).similar(0)["groups"]
    assert groups == [["cup", "cups"], ["screwdriver", "screwdrver"], ["on top", "on-top"], ["wash", "washes"]]
    graphs = [ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", name)) for name in ("kettle", "kettel")]
    assert EditSession([Narrative.of(graphs)]).similar(0)["groups"] == [["kettle", "kettel"]]


def differences(mine: Narrative, other: Narrative) -> dict[str, Any]:
    proposals = Proposals("proposed.jsonl", (other,))
    return EditSession([mine], surroundings=Surroundings(proposals=proposals)).versions(0, "proposal")


def test_graphs_of_two_versions_are_paired_and_those_of_one_alone_tell_where_they_would_be_inserted() -> None:
    again = Narrative.of([ActionGraph(reversed(WASH.triplets))])
    same = differences(Narrative.of([WASH]), again)
    assert same == {"name": "proposed.jsonl", "pairs": [], "texts": [], "vocabulary": None}
    mine = Narrative((Description("A.", (WASH,)), Description("B.", ())), L)
    other = Narrative((Description("A.", (WASH, DRY)), Description("B.", (WASH,))), L)
    pairs = differences(mine, other)["pairs"]
    assert [(one["description"], one["graph"], one["number"]) for one in pairs] == [(0, 1, None), (1, 0, None)]
    assert [(one["mine"], one["other"]) for one in pairs] == [(None, DRY_VALUE), (None, WASH_VALUE)]
    assert [change["kind"] for change in pairs[0]["changes"]] == ["missing"] * 3
    (pair,) = differences(Narrative.of([WASH, DRY]), Narrative.of([DRY]))["pairs"]
    assert (pair["graph"], pair["number"], pair["other"]) == (0, 0, None)
    assert [one["kind"] for one in pair["changes"]] == ["extra"] * 3
    mine = Narrative((Description("A.", (WASH,)), Description("B.", (DRY,)), Description("C.", (WASH,))))
    found = differences(mine, Narrative.of([WASH, ActionGraph(DRY.triplets[:2]), WASH]))  # along all graphs
    extra = {"kind": "extra", "reference": None, "candidate": ["dry", "with", "towel"], "outside": []}
    places = {"description": 1, "graph": 0, "number": 1, "mine": DRY_VALUE, "other": DRY_VALUE[:2]}
    assert (found["texts"], found["pairs"]) == ([], [places | {"matched": 2, "changes": [extra]}])
    lists = Vocabulary((*L.objects, "sink"), L.relationships, ("wash",))
    assert differences(Narrative((), L), Narrative((), lists))["vocabulary"] == {
        "only_mine": {"object": [], "relationship": [], "verb": ["dry"]},
        "only_other": {"object": ["sink"], "relationship": [], "verb": []},
    }
    assert differences(Narrative((), L), Narrative())["vocabulary"] is None


def repairs(graph: ActionGraph) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = checks(Narrative.of([graph]))["graphs"][0]["repairs"]
    return found


def test_findings_and_hands_are_those_of_the_linter_and_mentions_in_the_order_of_the_text() -> None:
    take = ActionGraph([("person", "verb", "take"), ("take", "dobj", "cup"), ("take", "with", "hand2")])
    story = Narrative(
        (Description("a", (take, take)), Description("b"), Description("c", (SLIPS, ActionGraph(), take))), L
    )
    found = checks(story)
    told = [
        (one["code"], one["severity"], one["message"], one["hint"], number, one["triplet"], tuple(one["elements"]))
        for number, graph in enumerate(found["graphs"])
        for one in graph["findings"]
    ]
    expected = [
        (one.code, one.severity, one.message, one.hint, one.place.graph, one.place.triplet, one.elements)
        for one in check_narrative(story)
    ]
    assert sorted(told, key=str) == sorted(expected, key=str)
    for step, graph in zip(trace(story), found["graphs"], strict=True):
        for when, state in (("before", step.before), ("after", step.after)):
            held = {hand: state.of(hand) for hand in HANDS}
            assert graph["hands"][when] == {hand: one if one is None else list(one) for hand, one in held.items()}
    text = Description("She took off the lid of the kettle and put it on the shelf.")
    for objects in (("lid",), ("lid", "kettle"), ("kettle",), (), ("shelf", "lid")):
        mentioned = checks(Narrative((text,), Vocabulary(objects, (), ("take-off",))))["mentioned"][0]
        assert mentioned == [name for name in ("take-off", "lid", "kettle", "shelf") if name in (*objects, "take-off")]
    assert checks(Narrative((text, Description()), None))["mentioned"] == [[], []]
    for length, mentioned in ((4000, ["cup"]), (4001, [])):
        long = Description("cup".ljust(length, "."))
        assert checks(Narrative((long,), Vocabulary(("cup",), (), ())))["mentioned"] == [mentioned]


def test_repairs_are_offered_one_by_one_and_lead_to_the_mended_graph() -> None:
    found = repairs(SLIPS)
    assert [one["code"] for one in found] == ["verb-source", "edge-misspelt"], "Cup comes after its edge"
    for one in found:
        changed = set(map(tuple, one["graph"])) ^ set(SLIPS.triplets)
        assert changed == {tuple(one["before"]), tuple(one["after"])}
        assert one["reason"]
    graph = SLIPS
    while found := repairs(graph):
        graph = ActionGraph(found[0]["graph"])
    assert graph == mend_graph(SLIPS)[0]
    assert not [one for one in checks(Narrative.of([graph]))["graphs"][0]["findings"] if one["severity"] == "error"]
    wash, cup = ["person", "verb", "wash"], ["wash", "dobj", "cup"]
    found = repairs(ActionGraph([("person", "verb", "Wash"), ("Wash", "dobj", "cup")]))  # all at once
    assert [one["before"] for one in found] == [["person", "verb", "Wash"], ["Wash", "dobj", "cup"]]
    assert [one["graph"] for one in found] == [[wash, cup]] * 2
    (one,) = repairs(ActionGraph([wash, cup, wash]))
    assert (one["before"], one["after"], one["code"]) == (wash, None, "duplicate")
    assert one["graph"] == [wash, cup]


names = st.text(st.sampled_from("abé-: \n<\u2028"), max_size=4)
triplets = st.lists(names, min_size=3, max_size=3)
graphs = st.lists(triplets, max_size=3)
descriptions = st.fixed_dictionaries({"text": st.none() | names, "graphs": st.lists(graphs, max_size=3)})
lists = st.fixed_dictionaries({name: st.lists(names, max_size=3) for name in ("object", "relationship", "verb")})
items = st.fixed_dictionaries({"descriptions": st.lists(descriptions, max_size=4), "vocabulary": st.none() | lists})
junk = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 5) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
keys = st.sampled_from(["descriptions", "graphs", "text", "vocabulary", "object", "frames", 0, 1, 2, -1, True, None])
any_op = st.fixed_dictionaries(
    {"path": st.lists(keys, max_size=6)},
    optional={"start": junk, "removed": junk, "inserted": junk | st.just([]), "value": junk},
)


def patched(value: Any, op: dict[str, Any]) -> None:  # noqa: ANN401  (as JSON has it)
    """Apply an operation in place, as a browser does."""
    *path, last = op["path"]
    for key in path:
        value = value[key]
    if "value" in op:
        value[last] = op["value"]
    else:
        value[last][op["start"] : op["start"] + op["removed"]] = op["inserted"]


@st.composite
def fitting(draw: st.DrawFn, value: dict[str, Any]) -> dict[str, Any]:
    parts = value["descriptions"]
    spliced: list[tuple[list[Any], list[Any], st.SearchStrategy[Any]]] = [(["descriptions"], parts, descriptions)]
    found = [value_at("vocabulary", value=draw(st.none() | lists))]
    for number, part in enumerate(parts):
        where = ["descriptions", number]
        found.append(value_at(*where, "text", value=draw(st.none() | names)))
        spliced.append(([*where, "graphs"], part["graphs"], graphs))
        spliced += [([*where, "graphs", at], one, triplets) for at, one in enumerate(part["graphs"])]
    path, there, new = draw(st.sampled_from(spliced))
    start = draw(st.integers(0, len(there)))
    removed = draw(st.integers(0, len(there) - start))
    inserted = draw(st.lists(new, max_size=2))
    return draw(st.sampled_from([*found, splice(*path, start=start, removed=removed, inserted=inserted)]))


@given(st.data(), items)
@settings(max_examples=30)
def test_server_and_browser_have_the_same_value_after_any_edits(data: st.DataObject, value: dict[str, Any]) -> None:
    session = EditSession([narrative_of(value, Narrative())])
    browser = copy.deepcopy(session.item(0)["value"])
    for _ in range(data.draw(st.integers(0, 5))):
        ops = []
        for _ in range(data.draw(st.integers(1, 3))):
            ops.append(data.draw(fitting(browser)))
            patched(browser, copy.deepcopy(ops[-1]))
        session.edit(0, session.item(0)["revision"], json.loads(json.dumps(ops)))
        assert session.item(0)["value"] == browser
    assert item_value(session.narratives[0]) == browser


@given(items, st.lists(any_op, min_size=1, max_size=3))
@settings(max_examples=50)
def test_edit_is_applied_whole_or_changes_nothing(value: dict[str, Any], ops: list[dict[str, Any]]) -> None:
    session = EditSession([narrative_of(value, Narrative())])
    before, given_value = copy.deepcopy((session.item(0), session.document())), copy.deepcopy(value)
    with suppress(UsageError):
        applied(value, ops)
    assert value == given_value, "applying never changes what it is given"
    try:
        session.edit(0, 0, ops)
    except UsageError:
        assert (session.item(0), session.document()) == before
    else:
        assert narrative_of(session.item(0)["value"], Narrative()) == session.narratives[0]
