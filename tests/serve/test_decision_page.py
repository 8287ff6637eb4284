"""Decisions on a page: they are kept before they are acknowledged, and each is about what was shown."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from decidables import Deciding, ListedDecisions, PreviewedDecisions, deciding

from tsgkit.serve import decision_page
from tsgkit.serve.decision_page import decide_in_browser

Deciders = Callable[[ListedDecisions], Deciding]


@pytest.fixture
def decide() -> Iterator[Deciders]:
    with ExitStack() as kept:
        yield lambda decidable: kept.enter_context(deciding(decidable))


def said(number: int, choice: str, edited: object = None, note: str = "") -> dict[str, object]:
    return {"number": number, "choice": choice, "edited": edited, "note": note}


def test_link_tells_how_many_decisions_are_left(decide: Deciders) -> None:
    page = decide(ListedDecisions(made={1: ("first", None, "")}))
    assert page.said == [f"2 decisions of 3 to make: {page.address}", "Ctrl-C ends the server"]
    told: list[str] = []
    decided = ListedDecisions(names=["one"], made={0: ("first", None, "")})
    assert decide_in_browser(decided, say=told.append) and decide_in_browser(ListedDecisions(names=[]), say=told.append)
    assert told == [], "decisions that are all made need no page"


def test_decision_is_kept_and_answered_with_the_new_list(decide: Deciders) -> None:
    page = decide(ListedDecisions())
    before = page.client.data("state")
    assert (before["finished"], before["title"], before["previews"]) == (False, "Decisions of a test", False)
    assert [one["decision"] for one in before["entries"]] == [None, None, None]
    status, state = page.client.post("decide", said(1, "second", note="a note"))
    assert status == 200 and page.decidable.made == {1: ("second", None, "a note")}
    assert [one["decision"] for one in state["entries"]] == [None, "second", None]
    assert state["revision"] > before["revision"]
    assert page.client.data("state", revision=state["revision"]) == {"revision": state["revision"]}
    assert page.client.data("state", revision=before["revision"])["entries"] == state["entries"]
    assert page.client.data("shown", number=1)["decided"]["note"] == "a note"


def test_requests_that_cannot_be_meant_are_refused(decide: Deciders, monkeypatch: pytest.MonkeyPatch) -> None:
    page = decide(ListedDecisions())
    for name, value, message in (
        ("decide", said(3, "first"), "there is no entry 3"),
        ("decide", said(-1, "first"), "there is no entry -1"),
        ("decide", said(0, "third"), "there is no choice third"),
        ("decide", said(0, "edit", ["refused", "b", "c"]), "this edit is refused"),
        ("decide", {"number": 0}, "the request cannot be read"),
        ("decide", {**said(0, "first"), "more": 1}, "the request cannot be read"),
        ("decide", [], "the request cannot be read"),
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


def test_in_order_only_the_first_undecided_entry_can_be_decided(decide: Deciders) -> None:
    page = decide(ListedDecisions(in_order=True))
    status, answer = page.client.post("decide", said(1, "first"))
    assert status == 409 and answer["message"] == "those before it are decided first"
    assert page.client.post("decide", said(0, "first"))[0] == 200
    status, answer = page.client.post("decide", said(0, "second"))
    assert status == 409 and "cannot be changed" in answer["message"]
    assert [one["decision"] for one in answer["state"]["entries"]] == ["first", None, None]
    assert page.decidable.made == {0: ("first", None, "")}


def test_in_any_order_a_decision_can_be_changed_until_all_are_made(decide: Deciders) -> None:
    page = decide(ListedDecisions())
    for number, choice in ((2, "first"), (2, "second"), (0, "first")):
        assert page.client.post("decide", said(number, choice))[0] == 200
    assert page.decidable.made[2][0] == "second"
    assert page.client.post("decide", said(1, "first"))[1]["finished"]
    status, answer = page.client.post("decide", said(1, "second"))
    assert status == 409 and answer["message"] == "all is decided, and the command goes on"
    assert page.decidable.made[1][0] == "first"


def test_decision_of_another_window_is_not_replaced_unseen(decide: Deciders) -> None:
    page = decide(ListedDecisions())
    first, second = (page.client.data("shown", number=0)["revision"] for _ in range(2))
    assert page.client.post("decide", said(1, "first"))[0] == 200
    assert page.client.post("decide", {**said(0, "first"), "revision": first})[0] == 200
    status, answer = page.client.post("decide", {**said(0, "second"), "revision": second})
    assert status == 409 and answer["message"] == "this one was decided in another window meanwhile"
    assert answer["state"]["entries"][0]["decision"] == "first"
    again = page.client.data("shown", number=0)["revision"]
    assert page.client.post("decide", {**said(0, "second"), "revision": again})[0] == 200


def test_of_decisions_at_the_same_moment_one_is_about_each_entry(decide: Deciders) -> None:
    page = decide(ListedDecisions(names=[f"entry {number}" for number in range(4)], in_order=True, delay=0.01))
    answers: list[int] = []

    def post(number: int) -> None:
        answers.append(page.client.post("decide", said(number, "first", note=str(number)))[0])

    for number in range(3):
        together = [threading.Thread(target=post, args=(number,)) for _ in range(3)]
        for one in together:
            one.start()
        for one in together:
            one.join()
    assert sorted(answers) == [200] * 3 + [409] * 6
    assert {number: made[2] for number, made in page.decidable.made.items()} == {n: str(n) for n in range(3)}


def test_edit_is_previewed_without_being_kept(decide: Deciders) -> None:
    page = decide(PreviewedDecisions())
    assert page.client.data("state")["previews"]
    status, answer = page.client.post("preview", {"number": 0, "edited": ["wash", "dobj", "mug"]})
    assert status == 200 and answer["parts"][0]["triplets"][1] == ["wash", "dobj", "mug"]
    status, answer = page.client.post("preview", {"number": 0, "edited": ["refused", "", ""]})
    assert (status, answer["message"]) == (400, "this edit is refused")
    assert page.decidable.made == {}


def test_command_goes_on_when_all_is_decided_and_the_page_knows_or_was_closed(monkeypatch: pytest.MonkeyPatch) -> None:
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
