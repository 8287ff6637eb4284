"""Settling of two annotators' disagreements: what is asked, what decisions lead to, and how they are kept."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_annotators import ANN, BOB, FILL, LIFT, PUT, WASH, L, tea, write

from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.library.documents.reader import Document, read_file
from tsgkit.library.documents.rows import Entry
from tsgkit.report.annotated_items import matched, versions_of
from tsgkit.serve.decidable import Decidable
from tsgkit.serve.disagreements import Merger
from tsgkit.serve.settled_decisions import decisions_file
from tsgkit.serve.settlement import Settling

OUT = Path("settled.jsonl")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settling(*sides: dict[str, Any] | list[dict[str, Any]], by: str = "eve", force: bool = False) -> Settling:
    """Return the settlement of two versions; of the files that are there where none is given."""
    if sides:
        for name, items in zip(("ann.jsonl", "bob.jsonl"), sides, strict=True):
            write(name, *(items if isinstance(items, list) else [items]))
    return Settling(versions_of("ann.jsonl", "bob.jsonl"), OUT, by, force=force)


def names(one: Settling) -> list[str]:
    return [entry["name"] for entry in one.entries()]


def settled() -> list[Any]:
    return [json.loads(line) for line in OUT.read_text().splitlines()]


def kept() -> list[dict[str, Any]]:
    return [json.loads(line) for line in decisions_file(OUT).read_text().splitlines()]


def test_each_difference_is_asked_about_once() -> None:
    found: Decidable = settling(ANN, BOB)
    assert [entry["name"] for entry in found.entries()] == ["tea, graph 0", "tea, graph 2 of bob"]
    assert not found.in_order and found.title == "Disagreements of ann and bob"


def test_both_graphs_are_shown_with_their_differences_in_their_context() -> None:
    shown = settling(ANN, BOB).shown(0)
    assert [text["text"] for text in shown["context"] if not text["pale"]] == ["She washes the cup."]
    assert [(part["title"], part.get("marks")) for part in shown["parts"]] == [
        ("ann", [None, "mismatched", "wrong hand"]),
        ("bob", [None, "mismatched", "wrong hand"]),
    ]
    assert [(each["choice"], each["label"], each["key"]) for each in shown["choices"]] == [
        ("first", "ann", "1"),
        ("second", "bob", "2"),
        ("edit", "edit", "e"),
    ]
    edit = shown["edit"]
    assert edit is not None and edit["value"] == WASH and edit["elements"]["mentioned"] == ["wash", "cup"]


def test_missing_folder_is_told_before_or_at_a_decision() -> None:
    Path("out").mkdir()
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)
    found = Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("out/settled.jsonl"), "eve")
    Path("out").rmdir()
    with pytest.raises(FileProblem, match="cannot be kept here"):
        found.decide(0, "first", None)
    assert found.entries()[0]["decision"] is None
    with pytest.raises(FileProblem, match="there is no folder out"):
        Settling(versions_of("ann.jsonl", "bob.jsonl"), Path("out/settled.jsonl"), "eve")


def test_graph_of_one_annotator_is_kept_or_left_out() -> None:
    found = settling(ANN, BOB)
    shown = found.shown(1)
    assert [each["label"] for each in shown["choices"]] == ["ann: no graph", "bob", "edit"]
    assert [part.get("triplets") for part in shown["parts"]] == [None, PUT] and shown[
        "reason"
    ] == "ann has no such graph"
    found.decide(0, "first", None)
    found.decide(1, "none", None)
    assert str(found.write()) == "of 2 disagreements: ann 2; decided by eve"
    assert settled() == [ANN]


def test_edit_that_only_orders_or_repeats_triplets_is_written() -> None:
    found = settling(tea([WASH]), tea([[WASH[0]]]))
    edited = [WASH[1], WASH[0], WASH[2], WASH[0]]
    found.decide(0, "edit", edited)
    found.write()
    assert settled() == [tea([edited])]


def test_edited_graphs_and_decisions_of_both_make_the_settled_file() -> None:
    found = settling(ANN, BOB)
    edited = [*WASH[:2], ["wash", "with", "hand2"]]
    found.decide(0, "edit", edited, note="seen in the video")
    found.decide(1, "second", None)
    summary = found.write()
    assert str(summary) == "of 2 disagreements: bob 1, edited 1; decided by eve"
    assert settled() == [tea([edited], [FILL, PUT], [LIFT])]
    first, second, last = kept()
    assert (first["choice"], first["graph"], first["note"], first["by"]) == ("edit", edited, "seen in the video", "eve")
    assert (second["taken"], second["what"], second["first"], second["second"]) == ("bob", "graph", None, 2)
    assert first["time"] and last["settled"].startswith("sha256:") and last["chosen"]["bob"] == 1


def test_decisions_are_kept_at_once_found_again_and_can_be_changed() -> None:
    settling(ANN, BOB).decide(0, "first", None)
    found = settling(by="joe")
    assert [entry["decision"] for entry in found.entries()] == ["ann", None]
    decided = found.shown(0)["decided"]
    assert decided is not None and (decided["choice"], decided["by"]) == ("first", "eve")
    found.decide(1, "second", None)
    assert str(found.write()).endswith("decided by eve (1), joe (1)")
    found.decide(0, "second", None)
    decisions = [one for one in kept() if "choice" in one]
    assert len(decisions) == 2, "a changed decision takes the place of the earlier one"
    assert str(found.write()) == "of 2 disagreements: bob 2; decided by joe"
    assert settled() == [BOB]
    assert read_file(OUT).entries[0].narrative == read_file("bob.jsonl").entries[0].narrative


def test_changed_inputs_are_asked_about_again() -> None:
    found = settling(ANN, BOB)
    found.decide(0, "first", None)
    found.decide(1, "first", None)
    again = settling(ANN, tea([PUT], [FILL, PUT], [LIFT]))
    assert [entry["decision"] for entry in again.entries()] == [None, "ann"]
    assert "1 decision about earlier content of the files not used" in again.notes


def test_equal_disagreements_of_one_item_are_told_apart() -> None:
    found = settling(tea([WASH], [WASH]), tea([FILL], [FILL]))
    found.decide(1, "second", None)
    assert [entry["decision"] for entry in settling().entries()] == [None, "bob"]


def test_texts_l_descriptions_and_items_are_decided_too() -> None:
    other = tea([WASH], [FILL], [LIFT], vocabulary={**L, "object": [*L["object"], "tap"]})
    other["descriptions"][1]["text"] = "She fills it."
    found = settling([ANN, tea([PUT], item="x")], [other, tea([FILL], item="y")])
    assert names(found) == ["tea, L", "tea, text of description 1", "y", "x"]
    number = {name: place for place, name in enumerate(names(found))}
    assert found.shown(number["tea, L"])["parts"][1].get("lines") == ["objects: tap"]
    found.decide(number["tea, L"], "both", None)
    found.decide(number["tea, text of description 1"], "edit", {"text": "She fills the kettle."})
    found.decide(number["x"], "second", None)
    found.decide(number["y"], "second", None)
    found.write()
    first, second = settled()
    assert first["vocabulary"]["object"][-1] == "tap" and second["id"] == "y"
    assert [part["text"] for part in first["descriptions"]] == [
        "She washes the cup.",
        "She fills the kettle.",
        "She lifts the cup.",
    ]


def test_description_of_one_annotator_is_decided_as_a_whole() -> None:
    found = settling(ANN, tea([WASH], [FILL]))
    assert names(found) == ["tea, description 2"]
    assert [each["label"] for each in found.shown(0)["choices"]] == ["ann: keep it", "bob: leave it out"]
    with pytest.raises(UsageError, match="cannot be edited here"):
        found.decide(0, "edit", None)
    found.decide(0, "second", None)
    found.write()
    assert settled() == [tea([WASH], [FILL])]


def test_l_can_be_edited() -> None:
    found = settling(ANN, tea([WASH], [FILL], [LIFT], vocabulary={**L, "verb": ["wash"]}))
    found.decide(0, "edit", {"object": "cup\n\n cup ", "relationship": "verb\ndobj", "verb": "wash"})
    found.write()
    assert settled()[0]["vocabulary"] == {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}


def test_decision_that_cannot_be_is_refused_and_not_kept() -> None:
    found = settling(ANN, BOB)
    for choice, edited, problem in (
        ("third", None, "there is no choice third here"),
        ("none", None, "there is no choice none here"),
        ("both", None, "there is no choice both here"),
        ("edit", [], "a graph without triplets"),
        ("edit", [["person", "verb"]], "not a graph"),
        ("edit", [["person", "verb", " "]], "lacks an element"),
        ("edit", [["person", "verb", "\ud800"]], "not text"),
        ("edit", "wash", "not a graph"),
    ):
        with pytest.raises(UsageError, match=problem):
            found.decide(0, choice, edited)
        assert not decisions_file(OUT).exists() and found.entries()[0]["decision"] is None, problem
    with pytest.raises(UsageError, match="2 decisions to make"):
        found.write()
    found.decide(0, "first", None)
    with pytest.raises(UsageError, match="1 decision to make"):
        found.write()
    assert not OUT.exists()


def test_what_lies_at_the_settled_file_is_kept_unless_this_job_wrote_it(capsys: pytest.CaptureFixture[str]) -> None:
    OUT.write_text('{"mine": 1}\n')
    with pytest.raises(FileProblem, match="already here would be lost"):
        settling(ANN, BOB)
    found = settling(force=True)
    for number in (0, 1):
        found.decide(number, "first", None)
    found.write()
    again = settling()
    again.decide(0, "second", None)
    again.write()
    assert settled()[0]["descriptions"][0]["graphs"] == BOB["descriptions"][0]["graphs"]
    OUT.write_text("[]\n")
    with pytest.raises(FileProblem, match="already here would be lost"):
        settling()


def test_file_that_appears_during_the_settlement_is_kept() -> None:
    found = settling(ANN, BOB)
    for number in (0, 1):
        found.decide(number, "first", None)
    OUT.write_text("mine\n")
    with pytest.raises(FileProblem, match="already here would be lost"):
        found.write()
    assert OUT.read_text() == "mine\n"


def test_decisions_about_something_else_are_kept_without_force() -> None:
    settling(ANN, BOB).decide(0, "first", None)
    before = decisions_file(OUT).read_text()
    with pytest.raises(UsageError, match="1 line about something else"):
        settling(tea([PUT], item="x"), tea([FILL], item="x"))
    assert decisions_file(OUT).read_text() == before
    assert [entry["decision"] for entry in settling(force=True).entries()] == [None]


def test_neither_input_is_overwritten_even_by_force() -> None:
    write("ann.jsonl", ANN)
    write("bob.jsonl", BOB)
    for out in ("ann.jsonl", "bob.jsonl", "./bob.jsonl"):
        with pytest.raises(FileProblem, match="the file being read"):
            Settling(versions_of("ann.jsonl", "bob.jsonl"), Path(out), "eve", force=True)
    with pytest.raises(UsageError, match="the name of who decides"):
        settling(by=" ")


def test_lines_that_were_not_read_are_not_lost_silently() -> None:
    write("ann.jsonl", ANN, tea([WASH], item="x"))
    write("bob.jsonl", BOB)
    Path("bob.jsonl").write_text(Path("bob.jsonl").read_text() + "{broken\n" + json.dumps(tea([FILL], item="x")) + "\n")
    with pytest.raises(UsageError, match=r"bob\.jsonl: line 2"):
        settling()


def row(*graphs: object, sentence: str = "She washes the cup.") -> dict[str, Any]:
    values = [{"triplets": graph, "by": "film"} for graph in graphs]
    return {"item_id": "tea/0", "context": [], "target_sentence": sentence, "mandatory_space": L, "graphs": values}


def test_rows_keep_their_other_fields() -> None:
    found = settling(row(WASH), row(FILL, PUT, sentence="She works."))
    assert names(found)[:2] == ["tea/0, text of description 0", "tea/0, graph 0"]
    assert names(found)[2:] == ["tea/0, graph 0 of bob", "tea/0, graph 1 of bob"]
    for number in range(4):
        found.decide(number, "second", None)
    found.write()
    [line] = settled()
    assert line["target_sentence"] == "She works." and [one["triplets"] for one in line["graphs"]] == [FILL, PUT]
    assert line["item_id"] == "tea/0" and "by" in line["graphs"][0]


def test_plain_graphs_are_settled_in_their_format() -> None:
    def text(*graphs: list[list[str]]) -> str:
        return "\n\n".join("\n".join(" -> ".join(one) for one in graph) for graph in graphs) + "\n"

    Path("ann.txt").write_text(text(WASH, LIFT))
    Path("bob.txt").write_text(text(WASH, FILL, LIFT))
    found = Settling(versions_of("ann.txt", "bob.txt"), Path("settled.txt"), "eve")
    with pytest.raises(UsageError):
        found.decide(0, "edit", [["a -> b", "on", "c"]])
    found.decide(0, "second", None)
    found.write()
    assert Path("settled.txt").read_text() == text(WASH, FILL, LIFT)


def test_story_and_graphs_without_one_keep_the_story_of_the_first() -> None:
    write("ann.jsonl", ANN)
    Path("bob.json").write_text(json.dumps([WASH, FILL, PUT, LIFT]))
    write("ann.jsonl", {key: value for key, value in ANN.items() if key != "id"})
    found = Settling(versions_of("ann.jsonl", "bob.json"), OUT, "eve")
    assert names(found) == ["0, graph 2 of bob"]
    assert any("without descriptions in one file" in note for note in found.notes)
    found.decide(0, "second", None)
    found.write()
    assert [part["graphs"] for part in settled()[0]["descriptions"]] == [[WASH], [FILL, PUT], [LIFT]]


GRAPHS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), min_size=1, max_size=3
).map(ActionGraph)
DESCRIPTIONS = st.builds(Description, st.sampled_from((None, "x", "y", "z")), st.lists(GRAPHS, max_size=4).map(tuple))
LISTS = st.sampled_from((None, Vocabulary(("a",), ("on",), ("b",)), Vocabulary(("a", "c"), ("on",), ("b",))))
NARRATIVES = st.builds(Narrative, st.lists(DESCRIPTIONS, max_size=4).map(tuple), LISTS)
ITEMS = st.dictionaries(st.sampled_from("pqr"), NARRATIVES, min_size=1)


def document(name: str, items: dict[str, Narrative]) -> Document:
    entries = tuple(
        Entry(item, replace(narrative, id=item), number) for number, (item, narrative) in enumerate(items.items())
    )
    return Document(name, "narrative", entries)


def graphs(found: Document) -> dict[str, tuple[ActionGraph, ...]]:
    return {entry.item: entry.narrative.graphs for entry in found.entries}


@given(ITEMS, ITEMS)
@settings(max_examples=40)
def test_choosing_always_one_version_gives_its_graphs(
    first: dict[str, Narrative], second: dict[str, Narrative]
) -> None:
    versions = matched(document("ann.jsonl", first), document("bob.jsonl", second))
    if versions.by_position:
        return
    merger = Merger(versions)
    numbered = list(enumerate(merger.disagreements))
    assert graphs(merger.merged({number: one.first for number, one in numbered})) == graphs(versions.first)
    assert graphs(merger.merged({number: one.second for number, one in numbered})) == graphs(versions.second)
    same = Merger(matched(document("ann.jsonl", first), document("bob.jsonl", first)))
    assert not same.disagreements and same.merged({}).entries == same.versions.first.entries
