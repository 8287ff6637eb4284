"""Edits of any values: server and browser agree, refused edits change nothing, and rows hold what was edited."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

from edited_files import SGG, STORY
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.graph.model import ActionGraph, Description, Narrative
from tsgkit.library.documents.reader import read_document
from tsgkit.library.documents.rewriter import rewritten
from tsgkit.library.documents.row_changes import with_narrative
from tsgkit.library.documents.rows import entry_from
from tsgkit.serve.edit_session import EditSession
from tsgkit.serve.item_values import applied, item_value, narrative_of

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
def edits(draw: st.DrawFn) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """Draw an item and a sequence of edits that fit it."""
    value = draw(items)
    present, made = copy.deepcopy(value), []
    for _ in range(draw(st.integers(0, 5))):
        ops = []
        for _ in range(draw(st.integers(1, 3))):
            op = draw(fitting(present))
            patched(present, copy.deepcopy(op))
            ops.append(op)
        made.append(ops)
    return value, made


def fitting(value: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Return operations that fit a value."""
    found = [spliced(["descriptions"], value["descriptions"], descriptions)]
    found.append(st.builds(lambda new: {"path": ["vocabulary"], "value": new}, st.none() | lists))
    for number, part in enumerate(value["descriptions"]):
        where = ["descriptions", number]
        found.append(
            st.builds(lambda new, at: {"path": [*at, "text"], "value": new}, st.none() | names, st.just(where))
        )
        found.append(spliced([*where, "graphs"], part["graphs"], graphs))
        found += [spliced([*where, "graphs", at], one, triplets) for at, one in enumerate(part["graphs"])]
    return st.one_of(found)


@st.composite
def spliced(draw: st.DrawFn, path: list[Any], there: list[Any], new: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Draw a splice of a list."""
    start = draw(st.integers(0, len(there)))
    removed = draw(st.integers(0, len(there) - start))
    return {"path": path, "start": start, "removed": removed, "inserted": draw(st.lists(new, max_size=2))}


@given(edits())
@settings(max_examples=30)
def test_server_and_browser_have_the_same_value_after_any_edits(
    drawn: tuple[dict[str, Any], list[list[dict[str, Any]]]],
) -> None:
    value, made = drawn
    session = EditSession([narrative_of(value, Narrative())])
    browser = copy.deepcopy(session.item(0)["value"])
    for ops in made:
        session.edit(0, session.item(0)["revision"], json.loads(json.dumps(ops)))
        for op in ops:
            patched(browser, copy.deepcopy(op))
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
        present = session.item(0)["value"]
        assert narrative_of(present, Narrative()) == session.narratives[0]


sentences = st.text(st.sampled_from("ab .é\n"), max_size=5)
some_graphs = graphs.map(ActionGraph)


@given(st.lists(sentences, max_size=3), sentences, st.lists(some_graphs, max_size=4))
@settings(max_examples=30)
def test_generation_rows_hold_any_edited_narrative(context: list[str], target: str, made: list[ActionGraph]) -> None:
    entry, _ = entry_from(json.loads(json.dumps(SGG)), "sgg", 0, None)
    parts = [*(Description(text) for text in context), Description(target, tuple(made))]
    narrative = replace(entry.narrative, descriptions=tuple(parts), vocabulary=STORY.vocabulary)
    changed = with_narrative(entry, narrative)
    again, _ = entry_from(json.loads(json.dumps(changed.row)), "sgg", 0, None)
    assert again.narrative == changed.narrative
    assert [one.triplets for one in again.narrative.graphs] == [one.triplets for one in made]
    assert {name: part for name, part in (changed.row or {}).items() if name in ("item_id", "note")} == {
        "item_id": "cups/1",
        "note": {"by": "ann"},
    }


@given(st.lists(some_graphs.filter(lambda one: bool(one.triplets)), min_size=1, max_size=3))
@settings(max_examples=30)
def test_json_of_any_graphs_is_read_back(made: list[ActionGraph]) -> None:
    document = read_document('[[["a", "b", "c"]]]', "f")
    (entry,) = document.entries
    changed = Narrative.of(made)
    text = rewritten(type(document)("f", "triplets", (with_narrative(entry, changed),)), "[]")
    assert read_document(text, "f").entries[0].narrative == changed
