"""The judge alone: tries, unknowns, errors of the service, what is learnt of formats, and images beside the loop."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tsgkit.errors import UsageError
from tsgkit.llm.failures import BudgetReached
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.suites.judges.images import AT_ONCE, beside
from tsgkit.suites.judges.judge import Answer, Judge, Question, Reading, a_model, outcome_of
from tsgkit.suites.judges.response_formats import ResponseFormats
from tsgkit.suites.judges.shown_images import ShownImage, sight_of
from tsgkit.suites.transcript import LabelledReply, Transcript

SCHEMA = {"type": "json_schema"}
REFUSED = Reply(None, Ending.API_ERROR, error="no such parameter", status=400)
DOWN = Reply(None, Ending.API_ERROR, error="bad gateway", status=502)


class Service:
    """A service that gives these replies in order, the last one for ever."""

    def __init__(self, *replies: Reply, refuses: Reply | None = None) -> None:
        self.replies, self.refuses = list(replies), refuses
        self.asked: list[tuple[str, int, bool]] = []

    async def __call__(
        self, messages: Sequence[Any], *, label: str, draw: int = 0, schema: dict[str, Any] | None = None
    ) -> Reply:
        self.asked.append((label, draw, schema is not None))
        await asyncio.sleep(0)
        if schema is not None and self.refuses is not None:
            return self.refuses
        return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]


def read(reply: Reply) -> Reading[str]:
    return Reading(reply.text, "" if reply.text in ("yes", "no") else f"{reply.text!r} is no yes or no")


def answer(service: Service, *, tries: int = 3, first_draw: int = 0) -> Answer[str]:
    question = Question("lamp", (), read, SCHEMA, tries, first_draw)
    return asyncio.run(Judge().answer(service, question))


def test_a_question_is_asked_until_a_reply_can_be_read_and_else_unknown_with_the_last_reason() -> None:
    service = Service(Reply("perhaps"), Reply("no"), Reply("yes"))
    found = answer(service, first_draw=6)
    assert (found.value, found.unknown) == ("no", None)
    assert service.asked == [("lamp", 6, True), ("lamp", 7, True)]
    assert found.said == (LabelledReply("lamp", Reply("perhaps")), LabelledReply("lamp", Reply("no")))
    found = answer(Service(Reply("perhaps"), Reply("who knows")), tries=2)
    assert (str(found.unknown), len(found.said)) == ("lamp: 'who knows' is no yes or no", 2)
    assert found.outcome is Outcome.UNREADABLE


def test_a_service_that_fails_is_asked_once_and_never_read() -> None:
    def never(reply: Reply) -> Reading[str]:
        pytest.fail(f"read {reply}")

    for reply, reason, outcome in (
        (DOWN, "lamp: the service failed: bad gateway", Outcome.API_ERROR),
        (Reply(None, Ending.MISSING), "lamp: there is no reply", Outcome.MISSING),
    ):
        service = Service(reply)
        found = asyncio.run(Judge().answer(service, Question("lamp", (), never, tries=3)))
        assert (str(found.unknown), len(service.asked), found.outcome) == (reason, 1, outcome)


def test_an_unread_reply_keeps_how_it_ended() -> None:
    for reply, outcome in (
        (Reply("", Ending.EMPTY), Outcome.EMPTY),
        (Reply("  "), Outcome.EMPTY),
        (Reply("ye", Ending.TRUNCATED), Outcome.TRUNCATED),
        (Reply(None, Ending.REFUSED), Outcome.REFUSED),
        (Reply("perhaps"), Outcome.UNREADABLE),
    ):
        assert outcome_of(reply) is outcome


def test_judge_raises_a_fatal_error_again_before_more_work_and_one_without_a_model_says_what_to_name() -> None:
    async def ask(messages: Sequence[Any], *, label: str, draw: int = 0, schema: object = None) -> Reply:
        raise BudgetReached("the budget is used up")

    judge = Judge()
    judge.go_on()
    with pytest.raises(BudgetReached):
        asyncio.run(judge.answer(ask, Question("lamp", (), read)))
    with pytest.raises(BudgetReached, match="used up"):
        judge.go_on()
    with pytest.raises(UsageError, match="a model must judge the rooms") as error:
        a_model(None, "rooms")
    assert "--judge" in error.value.hint


def asked_together(formats: ResponseFormats, service: Service, count: int = 5) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        calls = (formats.asked(service, (), label=str(n), draw=0, schema=SCHEMA) for n in range(count))
        return await asyncio.gather(*calls)

    return asyncio.run(all_of_them())


def test_one_request_finds_out_for_those_beside_it() -> None:
    kept: list[object] = []
    formats, service = ResponseFormats(keep=kept.append), Service(Reply("yes"), refuses=REFUSED)
    assert [reply.text for reply in asked_together(formats, service)] == ["yes"] * 5
    assert sum(with_schema for _, _, with_schema in service.asked) == 1
    assert kept == [{"json_schema": False}]
    service = Service(Reply("yes"), refuses=REFUSED)
    asked_together(ResponseFormats({"json_schema": False}), service)
    assert not any(with_schema for _, _, with_schema in service.asked), "a known format is not tried again"
    formats = ResponseFormats({"json_object": False})
    asked_together(formats, Service(Reply("yes")), 1)
    assert formats.takes == {"json_object": False, "json_schema": True}, "types are learnt apart"


def test_a_service_that_is_down_teaches_nothing_and_holds_up_nobody() -> None:
    formats, service = ResponseFormats(), Service(Reply("yes"), refuses=DOWN)
    assert {reply.status for reply in asked_together(formats, service)} == {502}
    assert formats.takes == {} and len(service.asked) == 5
    assert {reply.status for reply in asked_together(formats, Service(DOWN, refuses=REFUSED))} == {502}
    assert formats.takes == {}, "a request that fails without a schema too says nothing of schemas"


def test_only_a_bad_request_is_made_again_without_its_schema() -> None:
    for status, asked in ((400, 2), (422, 2), (401, 1), (404, 1), (413, 1), (500, 1)):
        formats, service = ResponseFormats(), Service(Reply("yes"), refuses=replace(REFUSED, status=status))
        [reply] = asked_together(formats, service, 1)
        assert (len(service.asked), reply.text) == (asked, "yes" if asked == 2 else None), status
        assert formats.takes == ({"json_schema": False} if asked == 2 else {}), status
    formats, service = ResponseFormats({"json_schema": True}), Service(Reply("yes"), refuses=REFUSED)
    assert asked_together(formats, service, 2)[0].text == "yes"
    assert formats.takes == {"json_schema": True} and len(service.asked) == 4, "it took a schema before"


def test_sights_recorded_by_0_1_0_are_read() -> None:
    stored = (
        '{"found": "seen", "reason": "", "sha256": "ab", "notes": ["turned"], "picture_of": "", "orders": [["AB"]]}'
    )
    sight = sight_of(Transcript((LabelledReply("picture", Reply(stored)),)))
    assert sight == ShownImage("seen", "", "ab", ("turned",), orders=(("AB",),))
    assert sight_of(Transcript((sight.said,))) == sight


def test_an_image_that_hangs_stops_no_other_and_an_error_reaches_who_asked() -> None:
    goes_on = threading.Event()

    def broken() -> str:
        raise ValueError("no image")

    async def looks() -> None:
        hung = [asyncio.ensure_future(beside(lambda: goes_on.wait(60))) for _ in range(AT_ONCE - 1)]
        for _ in range(AT_ONCE + 1):
            with pytest.raises(ValueError, match="no image"):
                await beside(broken)
        thread = await beside(threading.current_thread)
        assert thread.daemon, "the end of the process waits for no image"
        assert not any(one.done() for one in hung)
        goes_on.set()
        assert await asyncio.gather(*hung) == [True] * len(hung)

    asyncio.run(looks())
