"""Sessions of editing: edits, conflicts between browsers, refusals that change nothing, checks."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from edited_files import DRY, DRY_VALUE, STORY, WASH, WASH_VALUE, L, set_text, splice

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.serve import item_values
from tsgkit.serve.edit_session import Edit, EditSession, Proposals, Surroundings
from tsgkit.serve.local_server import Conflict

TRIPLETS = ("descriptions", 0, "graphs", 0)


@pytest.fixture
def session() -> EditSession:
    return EditSession([STORY, Narrative()], annotator="ann")


def test_edit_raises_the_revision_and_answers_with_checks(session: EditSession) -> None:
    answer = session.edit(0, 0, [splice(*TRIPLETS, start=3, inserted=[["wash", "in", "sink"]])])
    assert answer["revision"] == 1
    codes = [one["code"] for one in answer["checks"]["graphs"][0]["findings"]]
    assert codes == ["out-of-vocabulary", "out-of-vocabulary"]
    assert session.narratives[0].graphs[0].triplets[3] == ("wash", "in", "sink")
    assert session.item(0)["unsaved"] and not session.item(1)["unsaved"]


def test_item_is_unsaved_while_it_differs_in_anything(session: EditSession) -> None:
    session.edit(0, 0, [set_text("Other.")])
    assert session.document()["unsaved"]
    session.edit(0, 1, [set_text("She washes the cup.")])
    assert not session.document()["unsaved"]
    session.edit(0, 2, [splice(*TRIPLETS, start=0, removed=2, inserted=[WASH_VALUE[1], WASH_VALUE[0]])])
    assert session.unsaved == [0], "the order of triplets counts"


def test_edit_of_an_older_revision_is_a_conflict_with_the_present_item(session: EditSession) -> None:
    session.edit(0, 0, [set_text("First.")])
    with pytest.raises(Conflict) as conflict:
        session.edit(0, 0, [set_text("Second.")])
    assert conflict.value.value["item"] == session.item(0)
    assert conflict.value.value["item"]["value"]["descriptions"][0]["text"] == "First."
    session.edit(1, 0, [splice("descriptions", start=0, inserted=[{"text": "New.", "graphs": []}])])
    assert session.changes(1)["items"] == {"1": 2}, "another item is not concerned"


def test_changes_are_those_after_a_revision(session: EditSession) -> None:
    session.edit(0, 0, [set_text("First.")])
    session.edit(1, 0, [splice("descriptions", start=0, inserted=[{"text": None, "graphs": []}])])
    assert session.changes(0) == {"revision": 2, "items": {"0": 1, "1": 2}, "disk": False, "unsaved": True}
    assert session.changes(1)["items"] == {"1": 2}
    assert session.changes(2)["items"] == {}
    assert session.edit(0, 1, [])["revision"] == 1
    assert session.changes(2)["items"] == {}


def test_frames_travel_with_their_description(session: EditSession) -> None:
    first, second = session.item(0)["value"]["descriptions"]
    session.edit(0, 0, [splice("descriptions", start=0, removed=2, inserted=[second, first])])
    assert session.narratives[0].descriptions == (STORY.descriptions[1], STORY.descriptions[0])


NAMES = {"object": ["cup"], "relationship": [], "verb": []}


def test_edit_that_does_not_fit_changes_nothing(session: EditSession) -> None:
    cases: tuple[tuple[Any, str], ...] = (
        ("text", "ops: expected a list"),
        ([5], "an operation is an object with a path"),
        ([{"path": "descriptions", "value": 1}], "an operation is an object with a path"),
        ([{"path": []}], "an operation has path and value"),
        ([{"path": ["descriptions"], "start": 0, "removed": 0}], "an operation has path and value"),
        ([{"path": ["descriptions", 0, "text"], "value": "x", "more": 1}], "an operation has path and value"),
        ([{"path": [], "value": {}}], "nothing to change at"),
        ([{"path": ["id"], "value": "x"}], "nothing to change at id"),
        ([{"path": ["descriptions", 0, "graphs", 0, 0, 3], "value": "x"}], "the item has no"),
        ([{"path": ["descriptions", -1, "text"], "value": "x"}], "the item has no"),
        ([{"path": ["descriptions", 2, "text"], "value": "x"}], "the item has no"),
        ([{"path": ["descriptions", True, "text"], "value": "x"}], "nothing to change at"),
        ([{"path": ["descriptions", "0", "text"], "value": "x"}], "nothing to change at"),
        ([{"path": ["descriptions", 0, "__class__"], "value": "x"}], "nothing to change at"),
        ([{"path": [["descriptions"]], "value": "x"}], "nothing to change at"),
        ([{"path": ["descriptions"] * 1000, "value": "x"}], "nothing to change at"),
        ([splice(*TRIPLETS, start=4)], "places 4 to 4 of a list of 3"),
        ([splice(*TRIPLETS, start=1, removed=3)], "places 1 to 4 of a list of 3"),
        ([splice(*TRIPLETS, start=-1)], "places -1"),
        ([splice(*TRIPLETS, start=0, removed=-1)], "places 0 to -1"),
        ([splice(*TRIPLETS, start=True)], "start and removed are numbers"),
        ([splice(*TRIPLETS, start=0) | {"start": 0.0}], "start and removed are numbers"),
        ([splice(*TRIPLETS, start=0) | {"inserted": "abc"}], "inserted is a list"),
        ([splice(*TRIPLETS, start=0, inserted=[["a", "b"]])], "expected three strings"),
        ([splice(*TRIPLETS, start=0, inserted=[["a", "b", 1]])], "expected three strings"),
        ([splice(*TRIPLETS, start=0, inserted=["abc"])], "expected three strings"),
        ([splice("descriptions", start=0, inserted=[{}])], "lacks text or graphs"),
        ([splice("descriptions", start=0, inserted=[{"text": "x"}])], "lacks text or graphs"),
        ([splice("descriptions", start=0, inserted=[{"text": 1, "graphs": []}])], "text is a number"),
        ([splice("descriptions", start=0, inserted=[{"text": "x", "graphs": [], "by": 1}])], "no such field"),
        ([splice("descriptions", start=0, inserted=[{"text": "x", "graphs": [], "frames": [1, 2]}])], "three numbers"),
        (
            [splice("descriptions", start=0, inserted=[{"text": "x", "graphs": [], "frames": [1, 2, float("nan")]}])],
            "no number",
        ),
        ([splice("vocabulary", "colour", start=0, inserted=["red"])], "nothing to change at"),
        ([splice("vocabulary", "verb", start=0, inserted=[5])], "expected strings only"),
        ([{"path": ["vocabulary"], "value": {}}], "the list 'object' is missing"),
        ([{"path": ["vocabulary"], "value": {**NAMES, "colour": []}}], "L has the lists"),
        ([{"path": ["vocabulary"], "value": {"objects": [], "relationships": [], "verbs": []}}], "L has the lists"),
        ([{"path": ["vocabulary"], "value": 5}], "expected an object"),
        ([set_text("x" * 100_001)], "at most 100,000"),
        ([splice(*TRIPLETS, start=0, inserted=[["a", "b", "x" * 1001]])], "at most 1,000"),
        ([splice("vocabulary", "verb", start=0, inserted=["x" * 1001])], "at most 1,000"),
        ([set_text("half of a pair: \ud800")], "half of a surrogate pair"),
        ([set_text("x")] * 10_001, "at most 10,000 operations"),
        ([set_text("fine"), splice(*TRIPLETS, start=9)], "op 1: places"),
    )
    before = session.item(0), session.document()
    for ops, problem in cases:
        with pytest.raises(UsageError, match=problem):
            session.edit(0, 0, ops)
        assert (session.item(0), session.document()) == before, problem


def test_item_grows_up_to_its_limits(session: EditSession, monkeypatch: pytest.MonkeyPatch) -> None:
    grown = splice(*TRIPLETS, start=0, inserted=[["a", "b", "c"]] * 2)
    named = splice("vocabulary", "verb", start=0, inserted=["a", "b"])
    described = splice("descriptions", start=0, inserted=[{"text": None, "graphs": []}] * 2)
    for limit, most, op, message in (
        ("MOST_TRIPLETS", 10, grown, "at most 9 graphs and triplets"),
        ("MOST_NAMES", 10, named, "at most 9 names in L"),
        ("MOST_DESCRIPTIONS", 4, described, "at most 3 descriptions"),
    ):
        for shorter in (0, 1):
            monkeypatch.setattr(item_values, limit, most - shorter)
            fresh = EditSession([STORY])
            if shorter:
                with pytest.raises(UsageError, match=message):
                    fresh.edit(0, 0, [op])
            else:
                assert fresh.edit(0, 0, [op])["revision"] == 1, limit
        monkeypatch.setattr(item_values, limit, 0)
        assert session.edit(0, 0, [])["revision"] == 0, "one that is above the limit already may be edited"


def test_nested_values_are_refused_without_end(session: EditSession) -> None:
    nested: Any = "x"
    for _ in range(500):
        nested = [nested]
    with pytest.raises(UsageError, match="nested too deeply"):
        session.edit(0, 0, [{"path": ["descriptions", 0, "graphs"], "value": nested}])


def test_edit_that_cannot_be_kept_does_not_count() -> None:
    def full(_: Edit) -> None:
        raise FileProblem("no room")

    session = EditSession([STORY], surroundings=Surroundings(keep=full))
    before = session.item(0)
    with pytest.raises(FileProblem):
        session.edit(0, 0, [set_text("Other.")])
    assert session.item(0) == before


def test_items_that_do_not_exist_are_refused(session: EditSession) -> None:
    for number in (-1, 2, 10**9):
        for act in (
            *(session.item, session.similar, lambda n: session.edit(n, 0, [])),
            lambda n: session.set_status(n, "done", ""),
        ):
            with pytest.raises(UsageError, match="there is no item"):
                act(number)


def test_statuses_have_annotator_and_time(session: EditSession) -> None:
    found = session.set_status(0, "unsure", "left or right?")
    assert found | {"time": ""} == {"status": "unsure", "annotator": "ann", "time": "", "note": "left or right?"}
    assert session.document()["items"][0]["status"] == found
    with pytest.raises(UsageError, match="there is no status"):
        session.set_status(0, "perfect", "")
    with pytest.raises(UsageError, match="at most 10,000"):
        session.set_status(0, "done", "x" * 10_001)


def test_edits_at_once_are_applied_one_after_the_other(session: EditSession) -> None:
    def add(number: int) -> int:
        conflicts = 0
        while True:
            revision = session.item(0)["revision"]
            try:
                session.edit(0, revision, [splice(*TRIPLETS, start=0, inserted=[["a", "b", str(number)]])])
            except Conflict:
                conflicts += 1
            else:
                return conflicts

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(add, range(20)))
    added = [one.target for one in session.narratives[0].graphs[0] if one.source == "a"]
    assert sorted(added, key=int) == [str(number) for number in range(20)]
    assert session.revision == 20


def test_titles_are_the_first_words_of_the_text() -> None:
    long = Narrative((Description(), Description("word " * 40)))
    hostile = Narrative((Description("<b>\u202e"),))
    titles = [one["title"] for one in EditSession([long, hostile, Narrative.of([WASH])]).document()["items"]]
    assert titles[0].startswith("word word") and titles[0].endswith(" ...") and len(titles[0]) <= 70
    assert titles[1:] == ["<b>\u202e", ""]


def test_names_that_likely_mean_the_same_are_grouped() -> None:
    names = Vocabulary(
        ("cup", "cups", "screwdriver", "screwdrver", "lid"), ("verb", "on top", "on-top"), ("wash", "washes")
    )
    groups = EditSession([Narrative((), names)]).similar(0)["groups"]
    assert groups == [["cup", "cups"], ["screwdriver", "screwdrver"], ["on top", "on-top"], ["wash", "washes"]]
    graphs = [ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", name)) for name in ("kettle", "kettel")]
    assert EditSession([Narrative.of(graphs)]).similar(0)["groups"] == [["kettle", "kettel"]]


# Versions


def differences(mine: Narrative, other: Narrative) -> dict[str, Any]:
    proposals = Proposals("proposed.jsonl", (other,))
    return EditSession([mine], surroundings=Surroundings(proposals=proposals)).versions(0, "proposal")


def test_versions_without_difference_have_no_pairs() -> None:
    again = Narrative.of([ActionGraph(reversed(WASH.triplets))])
    found = differences(Narrative.of([WASH]), again)
    assert found == {"name": "proposed.jsonl", "pairs": [], "texts": [], "vocabulary": None}


def test_graph_of_one_version_alone_tells_where_it_would_be_inserted() -> None:
    mine = Narrative((Description("A.", (WASH,)), Description("B.", ())), L)
    other = Narrative((Description("A.", (WASH, DRY)), Description("B.", (WASH,))), L)
    pairs = differences(mine, other)["pairs"]
    assert [(one["description"], one["graph"], one["number"]) for one in pairs] == [(0, 1, None), (1, 0, None)]
    assert [(one["mine"], one["other"]) for one in pairs] == [(None, DRY_VALUE), (None, WASH_VALUE)]
    assert {change["kind"] for change in pairs[0]["changes"]} == {"missing"}
    (pair,) = differences(Narrative.of([WASH, DRY]), Narrative.of([DRY]))["pairs"]
    assert (pair["graph"], pair["number"], pair["other"]) == (0, 0, None)
    assert [one["kind"] for one in pair["changes"]] == ["extra"] * 3


def test_version_without_texts_is_compared_along_all_graphs() -> None:
    mine = Narrative((Description("A.", (WASH,)), Description("B.", (DRY,)), Description("C.", (WASH,))))
    found = differences(mine, Narrative.of([WASH, ActionGraph(DRY.triplets[:2]), WASH]))
    assert found["texts"] == []
    (pair,) = found["pairs"]
    assert (pair["description"], pair["graph"], pair["number"]) == (1, 0, 1)


def test_different_names_in_both_vocabularies_are_listed() -> None:
    other = Vocabulary((*L.objects, "sink"), L.relationships, ("wash",))
    found = differences(Narrative((), L), Narrative((), other))["vocabulary"]
    assert found["only_mine"] == {"object": [], "relationship": [], "verb": ["dry"]}
    assert found["only_other"] == {"object": ["sink"], "relationship": [], "verb": []}
    assert differences(Narrative((), L), Narrative())["vocabulary"] is None
