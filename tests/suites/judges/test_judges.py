"""One judge for all suites, alone and over loopback: tries, formats, the order of images, images beside the loop."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from formula_items import ROWS, lines, paint
from image_server import image_server, png
from model_server import Running
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.errors import UsageError
from tsgkit.llm.failures import BudgetReached
from tsgkit.llm.reply import Ending, Reply
from tsgkit.runs.evaluation import EvaluationOutcome, RunOptions, evaluate
from tsgkit.runs.folder import read_header
from tsgkit.runs.plan import Plan
from tsgkit.runs.subjects import Limits
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.judges.images import AT_ONCE, ShownImage, beside, sight_of
from tsgkit.suites.judges.judge import Judge, JudgeQuestion, JudgeReading, ResponseFormats, a_model, outcome_of
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.spatialgen.rows import rows_in
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


def read(reply: Reply) -> JudgeReading[str]:
    return JudgeReading(reply.text, "" if reply.text in ("yes", "no") else f"{reply.text!r} is no yes or no")


def test_a_question_is_asked_until_a_reply_can_be_read_and_a_fatal_error_is_raised_again() -> None:
    for replies, value, reason, outcome in (
        ((Reply("perhaps"), Reply("no"), Reply("yes")), "no", "", Outcome.UNREADABLE),
        ((Reply("perhaps"), Reply("who knows")), "who knows", "'who knows' is no yes or no", Outcome.UNREADABLE),
        ((DOWN,), None, "the service failed: bad gateway", Outcome.API_ERROR),
        ((Reply(None, Ending.MISSING),), None, "there is no reply", Outcome.MISSING),
    ):
        service = Service(*replies)
        found = asyncio.run(Judge().answer(service, JudgeQuestion("lamp", (), read, SCHEMA, tries=2, first_draw=6)))
        asked = replies[:2]
        assert (found.value, str(found.unknown or "")) == (value, reason and f"lamp: {reason}")
        assert service.asked == [("lamp", 6 + draw, True) for draw in range(len(asked))]
        assert found.said == tuple(LabelledReply("lamp", reply) for reply in asked)
        assert found.outcome is outcome
    for reply, outcome in (
        (Reply("", Ending.EMPTY), Outcome.EMPTY),
        (Reply("  "), Outcome.EMPTY),
        (Reply("ye", Ending.TRUNCATED), Outcome.TRUNCATED),
        (Reply(None, Ending.REFUSED), Outcome.REFUSED),
    ):
        assert outcome_of(reply) is outcome, "an unread reply keeps how it ended"

    async def ask(messages: Sequence[Any], *, label: str, draw: int = 0, schema: object = None) -> Reply:
        raise BudgetReached("the budget is used up")

    judge = Judge()
    judge.go_on()
    with pytest.raises(BudgetReached):
        asyncio.run(judge.answer(ask, JudgeQuestion("lamp", (), read)))
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


def test_one_request_finds_out_for_those_beside_it_and_only_a_bad_one_is_made_again_without_its_schema() -> None:
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
    formats, service = ResponseFormats(), Service(Reply("yes"), refuses=DOWN)
    assert {reply.status for reply in asked_together(formats, service)} == {502}
    assert formats.takes == {} and len(service.asked) == 5, "one that is down teaches nothing and holds up nobody"
    assert {reply.status for reply in asked_together(formats, Service(DOWN, refuses=REFUSED))} == {502}
    assert formats.takes == {}, "a request that fails without a schema too says nothing of schemas"
    for status, asked in ((400, 2), (422, 2), (401, 1), (404, 1), (413, 1), (500, 1)):
        formats, service = ResponseFormats(), Service(Reply("yes"), refuses=replace(REFUSED, status=status))
        [reply] = asked_together(formats, service, 1)
        assert (len(service.asked), reply.text) == (asked, "yes" if asked == 2 else None), status
        assert formats.takes == ({"json_schema": False} if asked == 2 else {}), status
    formats, service = ResponseFormats({"json_schema": True}), Service(Reply("yes"), refuses=REFUSED)
    assert asked_together(formats, service, 2)[0].text == "yes"
    assert formats.takes == {"json_schema": True} and len(service.asked) == 4, "it took a schema before"
    stored = {"found": "seen", "reason": "", "sha256": "ab", "notes": ["turned"], "image_of": "", "orders": [["AB"]]}
    sight = sight_of(Transcript((LabelledReply("image", Reply(json.dumps(stored))),)))
    assert sight is not None
    assert sight == ShownImage("seen", "", "ab", ("turned",), orders=(("AB",),)) == sight_of(Transcript((sight.said,)))


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


IDS = [row.id for row in rows_in(TASKS / "spatialgen/data/questions.jsonl")]
SIZE = 64
SPATIAL = {"tasks": ("spatialgen/questions",), "images": ("mine=mine",), "ids": tuple(IDS[:4]), "protocols": ("ours",)}
NATURAL = {"tasks": ("formalimg/natural",), "images": ("mine=mine",), "data": "rows.jsonl"}
KNOLLING = {**NATURAL, "tasks": ("formalimg/knolling",), "protocols": ("ours",)}


def spatial_server() -> AbstractContextManager[Running]:
    Path("mine").mkdir()
    for item_id in IDS[:4]:
        Path(f"mine/{item_id}.png").write_bytes(png(item_id))
    return spatial_judge(mode="constant:C")


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(gallery, "SIZE", SIZE)
    monkeypatch.chdir(tmp_path)


def plan_of(server: Running, plan: dict[str, Any], **more: object) -> Plan:
    reached = (f"api_base={server.base}", "api_key=none")
    return Plan.model_validate({**plan, "judge": "openai/eye", "model_args": reached, **more})


def judged(
    server: Running, plan: dict[str, Any], out: str = "run", limits: Limits | None = None, **more: object
) -> EvaluationOutcome:
    options = RunOptions(out=Path(out), cache=False, limits=limits or Limits())
    return evaluate(plan_of(server, plan, **more), options, with_samples=True)


def orders(server: Running, first: int = 0) -> set[tuple[str, ...]]:
    """Return what stands in the requests, in order."""
    return {tuple(one) for one in server.stats()["contents"][first:]}


def test_a_service_refuses_schemas_once_and_images_of_formulas_come_first_or_as_published() -> None:
    rows = [{**row, "id": number} for row in (ROWS[2], ROWS[0]) for number in range(4)]
    Path("rows.jsonl").write_text(lines(rows))
    for number, colour in enumerate(("white", "black", "red", "blue")):
        paint(Path(f"mine/{number}.png"), colour)
    said = json.dumps({"satisfies_constraint": True, "satisfied_clauses": [], "objects": []})
    with image_server(replies={"": said}, refuses_schemas=400) as server:
        stopped = judged(server, NATURAL, limits=Limits(max_requests=3))
        assert (stopped.exit_code, server.stats()["schemas"]) == (4, 1)
        assert list(read_header(Path("run"))["response_formats"].values()) == [{"json_object": False}]
        again = judged(server, NATURAL)
        assert (again.exit_code, server.stats()["schemas"], server.stats()["seen"]) == (0, 1, 5)
        assert orders(server) == {("text", "image_url")}
        judged(server, KNOLLING, "knolling", protocols=("published",))
        assert orders(server, 5) == {("image_url",)}, "the text is the system's message"
        judged(server, KNOLLING, "ours")
        assert server.stats()["contents"][-4:] == [["image_url", "text"]] * 4, "all classes are asked for at once"


def test_images_come_first_in_our_ways_and_where_they_were_published_in_published_protocols() -> None:
    with spatial_server() as server:
        judged(server, SPATIAL, ids=(IDS[0],), protocols=("ours", "ours-apart", "ours-shuffled"))
        assert orders(server) == {("image_url", "text")}
        count = server.stats()["seen"]
        judged(server, SPATIAL, "theirs", ids=(IDS[0],), protocols=("published",))
        assert orders(server, count) == {("text", "image_url")}
        endings = [one["text"].endswith("The picture:") for one in server.stats()["looked"]]
        assert endings == [False] * count + [True] * (len(endings) - count)
