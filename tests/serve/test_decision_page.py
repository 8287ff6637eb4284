"""Decisions on a page: they are kept before they are acknowledged, and each is about what was shown."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from decidables import Deciding, ListedDecisions, PreviewedDecisions, deciding

from tsgkit.serve import decision_page
from tsgkit.serve.decision_page import decide_in_browser


@pytest.fixture
def page() -> Iterator[Deciding]:
    with deciding(ListedDecisions()) as found:
        yield found


def said(number: int, choice: str, edited: object = None, note: str = "") -> dict[str, object]:
    return {"number": number, "choice": choice, "edited": edited, "note": note}


def test_link_tells_how_many_decisions_are_left_and_an_edit_is_previewed_without_being_kept() -> None:
    with deciding(ListedDecisions(made={1: ("first", None, "")})) as page:
        assert page.said == [f"2 decisions of 3 to make: {page.address}", "Ctrl-C ends the server"]
    told: list[str] = []
    decided = ListedDecisions(names=["one"], made={0: ("first", None, "")})
    assert decide_in_browser(decided, say=told.append) and decide_in_browser(ListedDecisions(names=[]), say=told.append)
    assert told == [], "decisions that are all made need no page"
    with deciding(PreviewedDecisions()) as page:
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
        "entries": [{"name": f"cup, graph {number}", "decision": None} for number in range(3)],
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
    monkeypatch.setattr(page.decidable, "decide", lambda *_: 1 / 0)
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
