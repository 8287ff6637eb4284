"""Tests of generating descriptions and annotations with a model, with checks and corrections."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import Any

from told_rooms import annotated, described, draws, right, texts, with_entries, without_relations

from tsgkit.agents.asker import MemoryRecorder, ask_for
from tsgkit.llm.door import Call, Prompt
from tsgkit.llm.reply import Reply
from tsgkit.llm.scripts import RecordedModel, Script
from tsgkit.suites.sceneeval.makers.furniture import furniture
from tsgkit.suites.sceneeval.makers.maker import Generation, Maker, read_description_reply
from tsgkit.suites.sceneeval.makers.room_plans import RoomPlan

[EASY, MEDIUM, HARD] = draws(3)
Replies = dict[str, dict[str, str | None]]


@dataclass
class Heard(MemoryRecorder):
    """A record of calls that also keeps the prompts."""

    prompts: dict[tuple[str, str], str] = field(default_factory=dict)

    def write(self, call: Call, prompt: Prompt | None, reply: Reply) -> None:
        super().write(call, prompt, reply)
        if prompt is not None:
            self.prompts[call.sample, call.label] = prompt.messages[0]["content"]


def made(replies: Replies, drawn: tuple[RoomPlan, ...], rounds: int = 2, **more: Any) -> tuple[Generation, Heard]:  # noqa: ANN401
    heard = Heard()
    asker = RecordedModel(Script(replies), heard)
    maker = Maker(lambda name: ask_for(asker, name, task="make"), furniture(), rounds, **more)
    return asyncio.run(maker.make(drawn)), heard


def good(*drawn: RoomPlan) -> Replies:
    return {str(one.number): {"describe": described(right(one)), "annotate": annotated(right(one))} for one in drawn}


def test_correct_replies_are_accepted_without_retries_and_each_is_asked_for_by_itself() -> None:
    making, heard = made(good(EASY, MEDIUM, HARD), (EASY, MEDIUM, HARD))
    assert [one.annotation for one in making.made] == [right(one.drawn) for one in making.made]
    assert not any(one.findings for one in making.made) and making.calls == len(heard.calls) == 6
    for name, one in (("1", EASY), ("2", EASY), ("0", MEDIUM)):
        asked = heard.prompts[name, "describe/0"] + heard.prompts[name, "annotate/0"]
        assert right(one).description not in asked, "nothing of another item is in the prompt"


ONE = right(MEDIUM)
SPOILT = {
    "prose": ("I would rather talk about the weather.", "the reply has no annotation"),
    "wrong json": ('{"counts": ["eq,1,', "the annotation ends in the middle"),
    "a number in words": (with_entries(ONE, "counts", [*texts(ONE, "counts"), "some,many,bed"]), "is no entry"),
    "several attributes": (with_entries(ONE, "attributes", ["eq,1,ceiling_lamp,green,tall"]), "several attributes"),
    "merged": (with_entries(ONE, "attributes", ["eq,1,ceiling_lamp,green_wooden"]), "green wooden is colour and"),
    "carried over": (with_entries(ONE, "counts", [*texts(ONE, "counts"), "eq,1,ottoman"]), "that of 0 does"),
    "made up": (with_entries(ONE, "counts", [*texts(ONE, "counts"), "eq,1,submarine"]), "does not name submarine"),
    "left out": (with_entries(ONE, "counts", texts(ONE, "counts")[1:]), "nothing of the kind is counted"),
    "other number": (with_entries(ONE, "counts", ["eq,7,beanbag", *texts(ONE, "counts")[1:]]), "says exactly 7"),
    "empty": ("{}", "the reply has no annotation"),
    "not measured": (
        with_entries(ONE, "room_relations", ["eq,1,in_harmony_with,painting,wall", *texts(ONE, "room_relations")]),
        "means nothing that is measured",
    ),
}


def test_faulty_annotation_is_corrected_with_its_findings() -> None:
    for reply, told in SPOILT.values():
        replies = good(EASY, MEDIUM)
        replies["1"] |= {"annotate": reply, "mend": annotated(ONE)}
        making, heard = made(replies, (EASY, MEDIUM))
        assert told in heard.prompts["1", "mend/1"], reply
        assert making.made[1].annotation == ONE and not making.made[1].findings and making.made[1].mended == 1, reply
        assert making.calls == 5, reply


def test_missing_relations_are_requested_once_and_stay_as_warnings() -> None:
    whole = right(HARD)
    assert whole.object_relations
    replies = good(HARD)
    replies["2"] |= {"annotate": annotated(without_relations(whole)), "mend": annotated(whole)}
    making, heard = made(replies, (HARD,))
    assert "- doubt: the text says" in heard.prompts["2", "mend/1"] and making.made[0].annotation == whole
    replies["2"]["mend"] = annotated(without_relations(whole))
    making, _ = made(replies, (HARD,))
    assert making.calls == 3 and not making.made[0].errors
    assert {finding.code for finding in making.made[0].warnings} == {"missing-relation"}


def test_uncorrected_item_keeps_its_findings_and_a_worse_correction_is_rejected() -> None:
    replies = good(EASY, MEDIUM)
    replies["1"] |= {"annotate": SPOILT["merged"][0], "mend": SPOILT["merged"][0]}
    for rounds in (0, 1, 3):
        making, _ = made(replies, (EASY, MEDIUM), rounds)
        assert making.calls == 4 + rounds and making.made[1].mended == rounds
        assert "merged-attribute" in {finding.code for finding in making.made[1].errors}
        assert not making.made[0].findings
    replies["1"]["mend"] = "I am sorry."
    making, _ = made(replies, (EASY, MEDIUM))
    assert {finding.code for finding in making.made[1].errors} == {"merged-attribute"}
    assert making.made[1].annotation.counts == ONE.counts


def test_a_description_may_be_mended_where_it_is_at_fault() -> None:
    one = right(EASY)
    longer = replace(one, description=one.description.replace(".", ", and three sofas and two pianos."))
    counts = [*texts(one, "counts"), "eq,3,sofa", "eq,2,piano"]
    replies = good(EASY)
    mended = json.loads(with_entries(one, "counts", texts(one, "counts"))) | {"description": one.description}
    replies["0"] |= {
        "describe": described(longer),
        "annotate": with_entries(one, "counts", counts),
        "mend": json.dumps(mended),
    }
    making, heard = made(replies, (EASY,))
    assert "easy has at most 4 objects, and 8 are counted" in heard.prompts["0", "mend/1"]
    assert making.made[0].annotation == one and not making.made[0].findings


def test_description_that_differs_from_its_plan_is_requested_again() -> None:
    rows: list[tuple[str, str]] = [
        ("I cannot do that.", "the reply had no JSON object with a description"),
        ('{"text": "A bedroom."}', "the reply had no JSON object with a description"),
        ('{"description": "A kitchen with a stove, a sink and a clock on the wall."}', "does not name the bedroom"),
        (described(replace(right(EASY), description="A bedroom.")), "has 2 words, not 8 to 60"),
    ]
    for reply, told in rows:
        replies = good(EASY)
        replies["0"] |= {"describe/0": reply}
        making, heard = made(replies, (EASY,))
        assert told in heard.prompts["0", "describe/1"] and making.made[0].annotation == right(EASY), reply
        replies["0"] |= {"describe": reply}
        making, _ = made(replies, (EASY,), 1)
        assert making.made[0].is_given_up and making.made[0].errors and making.calls == 2, reply


def test_a_description_like_another_or_a_known_one_is_asked_for_again() -> None:
    other = replace(EASY, number=9)
    replies = good(EASY, other)
    replies["9"] |= {"describe/0": described(right(EASY)), "describe/1": described(right(other))}
    making, heard = made(replies, (EASY, other))
    assert "much like that of 0" in heard.prompts["9", "describe/1"]
    assert ("0", "describe/1") not in heard.prompts and making.calls == 5
    assert making.made[1].annotation == right(other) and not making.made[1].findings
    making, heard = made(good(EASY), (EASY,), 1, known=(right(EASY).description,))
    assert "much like one there is already" in heard.prompts["0", "describe/1"] and making.made[0].is_given_up


def test_a_description_is_read_from_what_models_write() -> None:
    rows: list[tuple[str, str]] = [
        ('<think>{"description": "No."}</think> {"description": "A den."}', "A den."),
        ("{'description': 'A den;  with\\na sofa.',}", "A den, with a sofa."),
        ('{"description": "One."} {"description": "Two."}', "Two."),
        ('{"description": 7}', ""),
        ('<think>{"description": "No."}', ""),
        ("", ""),
    ]
    for reply, text in rows:
        assert read_description_reply(reply) == text, reply
