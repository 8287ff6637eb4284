"""Decisions on a page: they are kept before they are acknowledged, and each is about what was shown."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from decidables import Deciding, ListedDecisions, PreviewedDecisions, deciding

from tsgkit.serve import decision_page
from tsgkit.serve.decision_page import decide_in_browser

pytest.importorskip("uvicorn", reason="the extra view is not installed")
Serve = Callable[[ListedDecisions], Deciding]


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as kept:
        yield lambda decidable: kept.enter_context(deciding(decidable))


def said(number: int, choice: str, edited: object = None, note: str = "") -> dict[str, object]:
    return {"number": number, "choice": choice, "edited": edited, "note": note}


def test_the_link_says_how_many_decisions_are_left(serve: Serve) -> None:
    page = serve(ListedDecisions(made={1: ("first", None, "")}))
    assert page.said[0] == f"2 decisions of 3 to make: {page.address}"
    assert page.said[1:] == ["Ctrl-C ends the server"]


def test_a_decision_is_kept_and_answered_with_the_new_list(serve: Serve) -> None:
    page = serve(ListedDecisions())
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


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("decide", said(3, "first"), "there is no entry 3"),
        ("decide", said(-1, "first"), "there is no entry -1"),
        ("decide", said(0, "third"), "there is no choice third"),
        ("decide", said(0, "edit", ["refused", "b", "c"]), "this edit is refused"),
        ("decide", {"number": 0}, "the request cannot be read"),
        ("decide", {**said(0, "first"), "more": 1}, "the request cannot be read"),
        ("decide", [], "the request cannot be read"),
        ("preview", {"number": 0, "edited": None}, "not previewed here"),
    ],
)
def test_requests_that_cannot_be_meant_are_refused(name: str, value: object, message: str, serve: Serve) -> None:
    page = serve(ListedDecisions())
    status, answer = page.client.post(name, value)
    assert status == 400 and message in answer["message"]
    assert page.decidable.made == {}
    assert page.client.data("state")["revision"] == 0


def test_entries_that_do_not_exist_are_not_shown(serve: Serve) -> None:
    page = serve(ListedDecisions())
    assert "there is no entry 3" in page.client.problem("shown", number=3)
    assert "a number is needed" in page.client.problem("shown", number="-1")


def test_in_order_only_the_first_undecided_entry_can_be_decided(serve: Serve) -> None:
    page = serve(ListedDecisions(in_order=True))
    status, answer = page.client.post("decide", said(1, "first"))
    assert status == 409 and answer["message"] == "those before it are decided first"
    assert page.client.post("decide", said(0, "first"))[0] == 200
    status, answer = page.client.post("decide", said(0, "second"))
    assert status == 409 and "cannot be changed" in answer["message"]
    assert [one["decision"] for one in answer["state"]["entries"]] == ["first", None, None]
    assert page.decidable.made == {0: ("first", None, "")}


def test_in_any_order_a_decision_can_be_changed_until_all_are_made(serve: Serve) -> None:
    page = serve(ListedDecisions())
    for number, choice in ((2, "first"), (2, "second"), (0, "first")):
        assert page.client.post("decide", said(number, choice))[0] == 200
    assert page.decidable.made[2][0] == "second"
    assert page.client.post("decide", said(1, "first"))[1]["finished"]
    status, answer = page.client.post("decide", said(1, "second"))
    assert status == 409 and answer["message"] == "all is decided, and the command goes on"
    assert page.decidable.made[1][0] == "first"


def test_a_decision_of_another_window_is_not_replaced_unseen(serve: Serve) -> None:
    page = serve(ListedDecisions())
    first, second = (page.client.data("shown", number=0)["revision"] for _ in range(2))
    assert page.client.post("decide", said(1, "first"))[0] == 200
    assert page.client.post("decide", {**said(0, "first"), "revision": first})[0] == 200
    status, answer = page.client.post("decide", {**said(0, "second"), "revision": second})
    assert status == 409 and answer["message"] == "this one was decided in another window meanwhile"
    assert answer["state"]["entries"][0]["decision"] == "first"
    again = page.client.data("shown", number=0)["revision"]
    assert page.client.post("decide", {**said(0, "second"), "revision": again})[0] == 200


def test_of_decisions_at_the_same_moment_one_is_about_each_entry(serve: Serve) -> None:
    page = serve(ListedDecisions(names=[f"entry {number}" for number in range(9)], in_order=True, delay=0.01))
    answers: list[int] = []

    def decide(number: int) -> None:
        answers.append(page.client.post("decide", said(number, "first", note=str(number)))[0])

    for number in range(8):
        together = [threading.Thread(target=decide, args=(number,)) for _ in range(3)]
        for one in together:
            one.start()
        for one in together:
            one.join()
    assert sorted(answers) == [200] * 8 + [409] * 16
    assert {number: made[2] for number, made in page.decidable.made.items()} == {n: str(n) for n in range(8)}


def test_an_edit_is_previewed_without_being_kept(serve: Serve) -> None:
    page = serve(PreviewedDecisions())
    assert page.client.data("state")["previews"]
    status, answer = page.client.post("preview", {"number": 0, "edited": ["wash", "dobj", "mug"]})
    assert status == 200 and answer["parts"][0]["triplets"][1] == ["wash", "dobj", "mug"]
    status, answer = page.client.post("preview", {"number": 0, "edited": ["refused", "", ""]})
    assert (status, answer["message"]) == (400, "this edit is refused")
    assert page.decidable.made == {}


def test_the_command_goes_on_when_all_is_decided_and_the_page_knows() -> None:
    with deciding(ListedDecisions(names=["one"])) as page:
        assert page.client.post("heard", {})[1] == {"finished": False}
        assert page.client.post("decide", said(0, "first"))[1]["finished"]
        assert page.result == [], "the page can still ask"
        assert page.client.post("heard", {})[1] == {"finished": True}
    assert page.result == [True]


def test_the_command_goes_on_when_the_page_was_closed_after_the_last_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decision_page, "GRACE", 0.05)
    page = Deciding(ListedDecisions(names=["one"]))
    thread = threading.Thread(target=page.run)
    thread.start()
    while not page.said:
        pass
    page.client.post("decide", said(0, "first"))
    thread.join(timeout=20)
    assert page.result == [True]


def test_decisions_that_are_all_made_need_no_page() -> None:
    told: list[str] = []
    decided = ListedDecisions(names=["one"], made={0: ("first", None, "")})
    assert decide_in_browser(decided, say=told.append) and decide_in_browser(ListedDecisions(names=[]), say=told.append)
    assert told == []


def test_a_bug_in_a_decision_is_answered_and_nothing_is_counted(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    page = serve(ListedDecisions())
    monkeypatch.setattr(page.decidable, "decide", lambda *_: 1 / 0)
    status, answer = page.client.post("decide", said(0, "first"))
    assert status == 500 and "ZeroDivisionError" in answer["message"]
    assert page.client.data("state")["entries"][0]["decision"] is None
