"""Settling of two annotators' disagreements, and the page on which they, like other decisions, are made."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from decidables import Deciding, ListedDecisions, deciding, previewed
from hypothesis import given, settings
from hypothesis import strategies as st
from served import refused
from two_annotators import ANN, BOB, FILL, LIFT, PUT, WASH, L, tea, write

from tsgkit.cli.review import all_decided
from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
from tsgkit.library.documents.reader import Document, read_file
from tsgkit.library.documents.rows import Entry
from tsgkit.report.annotated_items import matched, versions_of
from tsgkit.serve import decision_page
from tsgkit.serve.decision_page import decide_in_browser
from tsgkit.serve.disagreements import Merger
from tsgkit.serve.settlement import Settling, decisions_file

OUT = Path("settled.jsonl")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def settling(*sides: Any, by: str = "eve", force: bool = False, out: Path | str = OUT) -> Settling:  # noqa: ANN401
    """Return the settlement of two versions; of the files that are there where none is given."""
    if sides:
        for name, items in zip(("ann.jsonl", "bob.jsonl"), sides, strict=True):
            write(name, *(items if isinstance(items, list) else [items]))
    return Settling(versions_of("ann.jsonl", "bob.jsonl"), Path(out), by, force=force)


def decide(found: Settling, *choices: str) -> Settling:
    for number, choice in enumerate(choices):
        found.queue.decide(number, choice)
    return found


def names(one: Settling) -> list[str]:
    return [entry["name"] for entry in one.queue.entries()]


def decisions(one: Settling) -> list[str | None]:
    return [entry["decision"] for entry in one.queue.entries()]


def settled() -> list[Any]:
    return [json.loads(line) for line in OUT.read_text().splitlines()]


def kept() -> list[dict[str, Any]]:
    return [json.loads(line) for line in decisions_file(OUT).read_text().splitlines()]


def test_each_difference_is_asked_about_once_and_shown_in_its_context() -> None:
    found = settling(ANN, BOB)
    assert names(found) == ["tea, graph 1", "tea, graph 3 of bob"]
    assert not found.queue.in_order and found.queue.title == "Disagreements of ann and bob"
    assert found.queue.done_message == "The settled version is written to settled.jsonl."
    shown, alone = found.queue.shown(0), found.queue.shown(1)
    assert shown["context"] == [
        {"text": "She washes the cup.", "pale": False},
        {"text": "She fills the kettle and puts the lid on.", "pale": True},
    ]
    marks = [None, "mismatched", "wrong hand"]
    assert [(part["title"], part.get("marks")) for part in shown["parts"]] == [("ann", marks), ("bob", marks)]
    choices = (("first", "ann", "1"), ("second", "bob", "2"), ("edit", "edit", "e"))
    assert [(one["choice"], one["label"], one["key"]) for one in shown["choices"]] == [*choices]
    edit = shown["edit"]
    assert edit is not None and edit["value"] == WASH and edit["elements"]["mentioned"] == ["wash", "cup"]
    assert (shown["reason"], shown["decided"]) == ("1 triplet in both", None)
    assert [each["label"] for each in alone["choices"]] == ["ann: no graph", "bob", "edit"]
    assert [part.get("triplets") for part in alone["parts"]] == [None, PUT]
    assert alone["reason"] == "ann has no such graph"
    assert alone["edit"] is not None and alone["edit"]["value"] == PUT


def test_graphs_of_both_or_of_none_and_edited_ones_make_the_settled_file() -> None:
    found = decide(settling(ANN, BOB), "first", "first")
    assert str(found.write()) == "of 2 disagreements: ann 2; decided by eve"
    assert settled() == [ANN]
    edited = [*WASH[:2], ["wash", "with", "hand2"]]
    found.queue.decide(0, "edit", edited, note="seen in the video")
    found.queue.decide(1, "second", None)
    assert str(found.write()) == "of 2 disagreements: bob 1, edited 1; decided by eve"
    assert settled() == [tea([edited], [FILL, PUT], [LIFT])]
    first, second, last = (kept()[number] for number in (-3, -2, -1))
    assert (first["choice"], first["graph"], first["note"], first["by"]) == ("edit", edited, "seen in the video", "eve")
    assert (second["taken"], second["what"], second["first"], second["second"]) == ("bob", "graph", None, 2)
    assert first["time"] and last["shown"].startswith("sha256:") and last["chosen"]["bob"] == 1
    again = settling().queue.shown(0)
    told = {"choice": "edit", "by": "eve", "time": first["time"], "edited": edited, "note": "seen in the video"}
    assert again["decided"] == told and again["edit"] is not None and again["edit"]["value"] == edited
    found = settling(tea([WASH]), tea([[WASH[0]]]), force=True)  # triplets are only ordered or repeated
    edited = [WASH[1], WASH[0], WASH[2], WASH[0]]
    found.queue.decide(0, "edit", edited)
    found.write()
    assert settled() == [tea([edited])]


def test_decisions_are_kept_at_once_found_again_and_can_be_changed() -> None:
    decide(settling(ANN, BOB), "first")
    found = settling(by=" joe ")
    assert decisions(found) == ["ann", None]
    decided = found.queue.shown(0)["decided"]
    assert decided is not None and (decided["choice"], decided["by"]) == ("first", "eve")
    found.queue.decide(1, "second", None)
    assert str(found.write()).endswith("decided by eve (1), joe (1)")
    found.queue.decide(0, "second", None)
    assert [one.get("choice") for one in kept()] == ["first", "second", None, "second"], "the last one counts"
    assert str(found.write()) == "of 2 disagreements: bob 2; decided by joe"
    assert settled() == [BOB]
    assert read_file(OUT).entries[0].narrative == read_file("bob.jsonl").entries[0].narrative


def test_changed_inputs_are_asked_about_again_and_equal_disagreements_told_apart() -> None:
    decide(settling(ANN, BOB), "first", "first")
    again = settling(ANN, tea([PUT], [FILL, PUT], [LIFT]))
    assert decisions(again) == [None, "ann"]
    assert again.notes == ("1 decision about earlier content of the files not used",)
    settling(tea([WASH], [WASH]), tea([FILL], [FILL]), force=True).queue.decide(1, "second", None)
    assert decisions(settling()) == [None, "bob"]


def test_texts_l_descriptions_and_items_are_decided_too() -> None:
    other = tea([WASH], [FILL], [LIFT], vocabulary={**L, "object": [*L["object"], "tap"]})
    other["descriptions"][1]["text"] = "She fills it."
    found = settling([ANN, tea([PUT], item="x")], [other, tea([FILL], item="y")])
    assert names(found) == ["tea, L", "tea, text of description 2", "y", "x"]
    shown = [found.queue.shown(number) for number in range(4)]
    assert [[choice["label"] for choice in one["choices"]] for one in shown] == [
        ["ann", "bob", "all names of both", "edit"],
        ["ann", "bob", "edit"],
        ["ann: leave it out", "bob: keep it"],
        ["ann: keep it", "bob: leave it out"],
    ]
    reasons = ["L differs", "the texts differ", "ann has no such item", "bob has no such item"]
    assert [one["reason"] for one in shown] == reasons
    assert [part.get("lines") for part in shown[0]["parts"]] == [["nothing"], ["objects: tap"]]
    item = {"kind": "lines", "title": "the item of bob", "lines": ["She washes the cup. (1 graph)"]}
    assert shown[2]["parts"] == [item]
    decide(found, "both", "first", "second", "second")
    found.queue.decide(1, "edit", {"text": "She fills the kettle. "})
    found.write()
    first, second = settled()
    assert first["vocabulary"]["object"][-1] == "tap" and second["id"] == "y"
    texts = ["She washes the cup.", "She fills the kettle.", "She lifts the cup."]
    assert [part["text"] for part in first["descriptions"]] == texts


def test_description_of_one_annotator_is_decided_as_a_whole_and_l_can_be_edited() -> None:
    found = settling(ANN, tea([WASH], [FILL], vocabulary={**L, "verb": ["wash"]}))
    assert names(found) == ["tea, L", "tea, description 3"]
    assert [each["label"] for each in found.queue.shown(1)["choices"]] == ["ann: keep it", "bob: leave it out"]
    titles = [part["title"] for part in found.queue.shown(1)["parts"]]
    assert titles == ["the description of ann", "its graph 1"]
    refused("there is no choice edit here", found.queue.decide, 1, "edit")
    found.queue.decide(0, "edit", {"object": "cup\n\n cup ", "relationship": "verb\ndobj", "verb": "wash"})
    found.queue.decide(1, "second", None)
    found.write()
    lists = {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]}
    assert settled() == [tea([WASH], [FILL], vocabulary=lists)]


def test_decision_that_cannot_be_is_refused_and_not_kept() -> None:
    other = tea(*(part["graphs"] for part in BOB["descriptions"]))
    other["descriptions"][2]["text"] = "She lifts it."
    found = settling(ANN, other)
    assert names(found) == ["tea, graph 1", "tea, graph 3 of bob", "tea, text of description 3"]
    for number, choice, edited, problem in (
        *((0, choice, None, f"there is no choice {choice} here") for choice in ("third", "none", "both")),
        (0, "edit", [], "a graph without triplets"),
        (0, "edit", [["person", "verb", " "]], "lacks an element"),
        (0, "edit", [["person", "verb", "\ud800"]], "not text"),
        (0, "edit", "wash", "not a graph"),
        (2, "edit", {"text": "x", "more": "y"}, "not an edit of these texts"),
        (2, "edit", {"text": 5}, "a text is a string"),
        (2, "edit", {"text": "\ud800"}, "not text"),
    ):
        refused(problem, found.queue.decide, number, choice, edited)
        assert not decisions_file(OUT).exists() and decisions(found) == [None] * 3, problem
    refused("10,001 characters, not at most 10,000", found.queue.decide, 0, "first", None, note="x" * 10_001)
    found.queue.decide(0, "first", None, note="x" * 10_000)
    for left in ("2 decisions", "1 decision"):
        refused(f"{left} to make", found.write)
        found.queue.decide(1, "first", None)
    assert not OUT.exists()


def test_what_lies_at_the_settled_file_is_kept_unless_this_job_wrote_it() -> None:
    OUT.write_text('{"mine": 1}\n')
    refused("already here would be lost", settling, ANN, BOB)
    decide(settling(force=True), "first", "first").write()
    again = settling()
    again.queue.decide(0, "second", None)
    again.write()
    assert settled()[0]["descriptions"][0]["graphs"] == BOB["descriptions"][0]["graphs"]
    OUT.write_text("[]\n")
    refused("already here would be lost", settling)
    OUT.unlink()
    found = settling()
    OUT.write_text("mine\n")
    refused("already here would be lost", found.write)
    assert OUT.read_text() == "mine\n"


def test_decisions_about_something_else_are_kept_without_force() -> None:
    decide(settling(ANN, BOB), "first")
    before = decisions_file(OUT).read_text()
    refused("1 line about something else", settling, tea([PUT], item="x"), tea([FILL], item="x"))
    assert decisions_file(OUT).read_text() == before
    assert decisions(settling(force=True)) == [None]


def test_inputs_are_never_overwritten_or_lost_and_a_missing_folder_is_told() -> None:
    settling(ANN, BOB)
    for out in ("ann.jsonl", "bob.jsonl", "./bob.jsonl"):
        refused("the file being read", settling, out=out, force=True)
    refused("the name of who decides", settling, by=" ")
    (folder := Path("out")).mkdir()
    found = settling(out="out/settled.jsonl")
    folder.rmdir()
    refused("can be kept here", found.queue.decide, 0, "first", None)
    assert decisions(found)[0] is None
    refused("there is no folder out", settling, out="out/settled.jsonl")
    Path("bob.jsonl").write_text(Path("bob.jsonl").read_text() + "{broken\n")
    refused(r"bob\.jsonl: line 2", settling)


def test_plain_graphs_are_settled_in_their_format_and_beside_a_story_its_texts_stay() -> None:
    def text(*graphs: list[list[str]]) -> str:
        return "\n\n".join("\n".join(" -> ".join(one) for one in graph) for graph in graphs) + "\n"

    Path("ann.txt").write_text(text(WASH, LIFT))
    Path("bob.txt").write_text(text(WASH, FILL, LIFT))
    found = Settling(versions_of("ann.txt", "bob.txt"), Path("plain.txt"), "eve")
    refused("an arrow", found.queue.decide, 0, "edit", [["a -> b", "on", "c"]])
    decide(found, "second").write()
    assert Path("plain.txt").read_text() == text(WASH, FILL, LIFT)
    write("ann.jsonl", {key: value for key, value in ANN.items() if key != "id"})
    Path("bob.json").write_text(json.dumps([WASH, FILL, PUT, LIFT]))
    found = Settling(versions_of("ann.jsonl", "bob.json"), OUT, "eve")
    assert names(found) == ["0, graph 3 of bob"]
    assert found.notes == ("1 items are without descriptions in one file: those of ann are kept",)
    decide(found, "second").write()
    assert [part["graphs"] for part in settled()[0]["descriptions"]] == [[WASH], [FILL, PUT], [LIFT]]


GRAPHS = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(("verb", "on")), st.sampled_from("abc")), min_size=1, max_size=3
).map(ActionGraph)
DESCRIPTIONS = st.builds(Description, st.sampled_from((None, "x", "y", "z")), st.lists(GRAPHS, max_size=4).map(tuple))
LISTS = st.sampled_from((None, Vocabulary(("a",), ("on",), ("b",)), Vocabulary(("a", "c"), ("on",), ("b",))))
NARRATIVES = st.builds(Narrative, st.lists(DESCRIPTIONS, max_size=4).map(tuple), LISTS)
ITEMS = st.dictionaries(st.sampled_from("pqr"), NARRATIVES, min_size=1)
Items = dict[str, Narrative]


def document(name: str, items: Items) -> Document:
    numbered = enumerate(items.items())
    entries = tuple(Entry(item, replace(narrative, id=item), number) for number, (item, narrative) in numbered)
    return Document(name, "narrative", entries)


def graphs(found: Document) -> dict[str, tuple[ActionGraph, ...]]:
    return {entry.item: entry.narrative.graphs for entry in found.entries}


@given(ITEMS, ITEMS)
@settings(max_examples=40)
def test_choosing_always_one_version_gives_its_graphs(first: Items, second: Items) -> None:
    versions = matched(document("ann.jsonl", first), document("bob.jsonl", second))
    if versions.by_position:
        return
    merger = Merger(versions)
    numbered = list(enumerate(merger.disagreements))
    assert graphs(merger.merged({number: one.first for number, one in numbered})) == graphs(versions.first)
    assert graphs(merger.merged({number: one.second for number, one in numbered})) == graphs(versions.second)
    same = Merger(matched(document("ann.jsonl", first), document("bob.jsonl", first)))
    assert not same.disagreements and same.merged({}).entries == same.versions.first.entries


@pytest.fixture
def page() -> Iterator[Deciding]:
    with deciding(ListedDecisions()) as found:
        yield found


def said(number: int, choice: str, edited: object = None, note: str = "") -> dict[str, object]:
    return {"number": number, "choice": choice, "edited": edited, "note": note}


def test_link_tells_how_many_decisions_are_left_and_an_edit_is_previewed_without_being_kept() -> None:
    with deciding(ListedDecisions(first={1: ("first", None, "")})) as page:
        assert page.said == [f"2 decisions of 3 to make: {page.address}", "Ctrl-C ends the server"]
    told: list[str] = []
    decided = ListedDecisions(names=["one"], first={0: ("first", None, "")})
    assert all(decide_in_browser(each.queue, say=told.append) for each in (decided, ListedDecisions(names=[])))
    assert told == [], "decisions that are all made need no page"
    with deciding(ListedDecisions(preview=previewed)) as page:
        assert page.client.data("state")["previews"]
        status, answer = page.client.post("preview", {"number": 0, "edited": ["wash", "dobj", "mug"]})
        assert status == 200 and answer["parts"][0]["triplets"][1] == ["wash", "dobj", "mug"]
        status, answer = page.client.post("preview", {"number": 0, "edited": ["refused", "", ""]})
        assert (status, answer["message"]) == (400, "this edit is refused")
        assert page.decidable.made == {}


def test_decision_is_kept_answered_with_the_new_list_and_can_be_changed_until_all_are_made(page: Deciding) -> None:
    client, before = page.client, page.client.data("state")
    assert before == {
        "title": "Decisions of a test",
        "done_message": "The test goes on.",
        "in_order": False,
        "previews": False,
        "entries": [{"name": f"cup, graph {number}", "decision": None, "kind": "cup"} for number in range(3)],
        "finished": False,
        "revision": 0,
    }
    status, state = client.post("decide", said(1, "second", note="a note"))
    assert status == 200 and page.decidable.made == {1: ("second", None, "a note")}
    assert [one["decision"] for one in state["entries"]] == [None, "second", None]
    assert state["revision"] == 1 and client.data("state", revision=1) == {"revision": 1}
    assert client.data("state", revision=0) == state
    shown = client.data("shown", number=1)
    assert shown["decided"]["note"] == "a note"
    for number, choice in ((1, "first"), (0, "first")):
        assert client.post("decide", said(number, choice))[0] == 200
    decided_elsewhere = {**said(1, "second"), "revision": shown["revision"]}
    status, answer = client.post("decide", decided_elsewhere)
    assert status == 409 and answer["message"] == "this one was decided in another window meanwhile"
    assert answer["state"]["entries"][1]["decision"] == "first"
    again = client.data("shown", number=1)["revision"]
    assert client.post("decide", {**said(1, "second"), "revision": again})[0] == 200
    assert client.post("decide", said(2, "first"))[1]["finished"]
    status, answer = client.post("decide", said(1, "first"))
    assert status == 409 and answer["message"] == "all is decided, and the command goes on"
    assert {number: made[0] for number, made in page.decidable.made.items()} == {0: "first", 1: "second", 2: "first"}


def test_requests_that_cannot_be_meant_are_refused(page: Deciding, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value, message in (
        ("decide", said(3, "first"), "there is no entry 3"),
        ("decide", said(-1, "first"), "there is no entry -1"),
        ("decide", said(0, "third"), "there is no choice third"),
        ("decide", said(0, "edit", ["refused", "b", "c"]), "this edit is refused"),
        ("decide", {"number": 0}, "the request cannot be read"),
        ("decide", {**said(0, "first"), "more": 1}, "the request cannot be read"),
        ("preview", {"number": 0, "edited": None}, "not previewed here"),
    ):
        status, answer = page.client.post(name, value)
        assert status == 400 and message in answer["message"], value
    assert "there is no entry 3" in page.client.problem("shown", number=3)
    assert "a number is needed" in page.client.problem("shown", number="-1")
    with monkeypatch.context() as patched:
        patched.setattr(page.decidable.queue.decisions, "keep", lambda *_, **__: 1 / 0)
        status, answer = page.client.post("decide", said(0, "first"))
    assert status == 500 and "ZeroDivisionError" in answer["message"], "a bug is answered"
    assert page.decidable.made == {}
    state = page.client.data("state")
    assert (state["revision"], state["entries"][0]["decision"]) == (0, None)


def test_in_order_only_the_first_undecided_entry_can_be_decided_and_once() -> None:
    with deciding(ListedDecisions(in_order=True, delay=0.01)) as page:
        client = page.client
        status, answer = client.post("decide", said(1, "first"))
        assert status == 409 and answer["message"] == "those before it are decided first"
        with ThreadPoolExecutor(3) as pool:
            answers = list(pool.map(lambda note: client.post("decide", said(0, "first", note=note))[0], "xyz"))
        assert sorted(answers) == [200, 409, 409]
        status, answer = client.post("decide", said(0, "second"))
        assert status == 409 and "cannot be changed" in answer["message"]
        assert [one["decision"] for one in answer["state"]["entries"]] == ["first", None, None]
        assert page.decidable.made == {0: ("first", None, "xyz"[answers.index(200)])}


MIXED = ("cup, 0", "mug, 1", "cup, 2", "cup, 3")


def test_a_choice_for_a_whole_kind_is_made_for_its_others_as_soon_as_their_order_allows(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with deciding(ListedDecisions(MIXED)) as page:
        state = page.client.post("decide", {**said(2, "second"), "of_kind": True})[1]
        assert [one["decision"] for one in state["entries"]] == ["second", None, "second", "second"]
        status, answer = page.client.post("decide", {**said(1, "edit", ["a", "b", "c"]), "of_kind": True})
        assert status == 400 and answer["message"] == "an edit is about one entry"
    with deciding(ListedDecisions(MIXED, in_order=True)) as page:
        state = page.client.post("decide", {**said(0, "first"), "of_kind": True})[1]
        assert [one["decision"] for one in state["entries"]] == ["first", None, None, None]
        assert page.client.post("decide", said(1, "second"))[1]["finished"]
    for typed, made in (("1!\n2\n", "1211"), ("x\n2 why\n1\n1!\n", "2111")):
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        listed = ListedDecisions(MIXED, in_order=True)
        assert all_decided(listed.queue, in_browser=False)
        assert "".join("12"[choice == "second"] for choice, _, _ in listed.made.values()) == made
    assert listed.made[0] == ("second", None, "why")
    assert "1 take ann, 2 take <img" in (out := capsys.readouterr().out) and "1! and 2 more of cup" in out


def test_command_goes_on_when_all_is_decided_and_the_page_knows_or_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_page, "GRACE", 600.0)
    with deciding(ListedDecisions(names=["one"])) as page:
        assert page.client.post("heard", {})[1] == {"finished": False}
        assert page.client.post("decide", said(0, "first"))[1]["finished"]
        assert page.result == [], "the page can still ask"
        assert page.client.post("heard", {})[1] == {"finished": True}
    assert page.result == [True]
    monkeypatch.setattr(decision_page, "GRACE", 0.05)
    with deciding(ListedDecisions(names=["one"])) as page:
        page.client.post("decide", said(0, "first"))
        while not page.result:
            time.sleep(0.005)
    assert page.result == [True]
