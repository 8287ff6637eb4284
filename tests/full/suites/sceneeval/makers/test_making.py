"""Tests of making annotations: generation with checks and corrections, and every kind of finding."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from random import Random
from typing import Any

from shipped import TASKS
from told_rooms import annotated, described, draws, right, texts, with_entries, without_relations

from tsgkit.llm.asker import MemoryRecorder, ask_for
from tsgkit.llm.door import Call, SentPrompt
from tsgkit.llm.reply import Reply
from tsgkit.llm.scripts import RecordedModel, Script
from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.descriptions import LONGEST, read_description
from tsgkit.suites.sceneeval.makers.annotation_vs_text import RULES, batch_findings, text_mismatches
from tsgkit.suites.sceneeval.makers.maker import AnnotationMaker, Generation, read_description_reply
from tsgkit.suites.sceneeval.makers.room_plans import ROOM_TYPES, RoomPlan, draw_plans, written_room
from tsgkit.suites.sceneeval.word_meanings import furniture

OURS = read_annotation_file(TASKS / "sceneeval" / "data" / "annotations.csv").annotations
SLIPS = (
    ("level-objects", "A den with five stools. | eq,5,stool", "at most 4 objects, and 5 are counted"),
    ("level-objects", "medium: A den with a sofa and a desk. | eq,1,sofa;eq,1,desk", "at least 5 objects, and 2"),
    ("level-small", "medium: A den with a desk, two mugs and at least two books. "
     "| eq,1,desk;eq,2,mug;ge,2,book", "and 4 are counted"),
    ("uncounted-thing", "A den with a sofa and a floor lamp. | eq,1,sofa", "'floor lamp'"),
    ("unknown-thing", "A den with a sofa and a zither. | eq,1,sofa", "'zither'"),
    ("untold-category", "A den with a sofa. | eq,1,sofa;eq,1,piano", "does not name piano"),
    ("loose-category", "An office with a chair. | eq,1,desk_chair", "does not say desk chair"),
    ("several-counts", "A den with two stools. | eq,2,stool;eq,3,stool", "eq,2,stool, eq,3,stool"),
    ("other-quantity", "A den with at least two stools. | eq,2,stool", "tells at least 2 stool"),
    ("other-quantity", "A den with a desk and no chair. | eq,1,desk;eq,1,chair", "tells exactly 0 chair"),
    ("other-quantity", "A den with several stools. | eq,1,stool", "tells several stool"),
    ("other-quantity", "A den with two lamps by the door and a lamp by the window. "
     "| eq,4,lamp |  |  | eq,2,by,lamp,door;eq,1,by,lamp,window", "in all the text tells of 3 lamp"),
    ("other-quantity", "A den with three lamps by the door and a lamp by the window. "
     "| eq,2,lamp |  |  | eq,2,by,lamp,door;eq,1,by,lamp,window", "in one place alone the text tells of 3 lamp"),
    ("unsure-quantity", "A den with two stools. | ge,2,stool", "tells exactly 2 stool"),
    ("unsure-quantity", "A den with several stools. | eq,3,stool", "several stool"),
    ("unsure-quantity", "A den with stools. | eq,3,stool", "no number"),
    ("more-than-counted", "A den with two red stools. | eq,2,stool | eq,3,stool,red", "only 2 are counted"),
    ("more-than-counted", "A den with a sofa against the wall. | eq,1,sofa |  |  | eq,2,against,sofa,wall", "only 1"),
    ("missing-attribute", "A den with a small, round table. | eq,1,table | eq,1,table,small", "'table' is round"),
    ("missing-attribute", "A den with a desk. The desk is green. | eq,1,desk", "'desk' is green"),
    ("missing-attribute", "A den with a shelf made of oak. | eq,1,shelf", "'shelf' is oak"),
    ("unsure-attribute", "A den with a tall bookcase. | eq,1,bookcase", "'bookcase' is tall"),
    ("untold-attribute", "A den with a desk. | eq,1,desk | eq,1,desk,l_shaped", "l shaped"),
    ("merged-attribute", "A den with a red wooden chair. | eq,1,chair | eq,1,chair,red_wooden", "colour and material"),
    ("attribute-in-category", "A den with a red sofa. | eq,1,red_sofa", "the attribute red"),
    ("missing-relation", "A den with a lamp next to the sofa. | eq,1,lamp;eq,1,sofa", "'next to' of 'lamp' and 'sofa'"),
    ("missing-relation", "A den with a sofa against the wall. | eq,1,sofa", "'against' of 'sofa' and wall"),
    ("missing-relation", "A den with a desk in the corner. | eq,1,desk", "'in corner' of 'desk'"),
    ("missing-relation", "A den. A sofa faces a fireplace. | eq,1,sofa;eq,1,fireplace", "'sofa' and 'fireplace'"),
    ("missing-relation", "A den with a desk and a chair behind it. | eq,1,desk;eq,1,chair", "'behind' of 'chair'"),
    ("untold-relation", "A den with a lamp and a sofa. | eq,1,lamp;eq,1,sofa |  | eq,1,next_to,0,sofa,lamp", "next to"),
    ("untold-relation", "A den with a sofa. | eq,1,sofa |  |  | eq,1,against,sofa,wall", "does not say against"),
    ("unmapped-relation", "A den with a lamp in harmony with a sofa. "
     "| eq,1,lamp;eq,1,sofa |  | eq,1,in_harmony_with,0,sofa,lamp", "means nothing that is measured"),
    ("unmapped-relation", "A den with a sofa hugging the wall. "
     "| eq,1,sofa |  |  | eq,1,hugging,sofa,wall", "hugging wall"),
    ("odd-name", "A den with a sofa. | eq,1,sofa\u202e", "holds"),
    ("uncounted-category", "A den with a red sofa. | eq,1,rug | eq,1,sofa,red", "sofa stands in no ObjCount"),
    ("uncounted-category", "A den with a rug by the wall. | eq,1,sofa |  |  | eq,1,by,rug,wall", "rug stands in no"),
    ("no-anchor", "A den with a lamp on a desk. | eq,1,lamp;eq,1,desk |  | eq,1,on,-1,desk,lamp", "no anchor"),
)  # fmt: skip
"""Each kind of slip: the text (easy where it says nothing) and its four cells, and a part of the message."""
WORDS = (
    "a an the two no without each of at least more than or table chairs red and , . ; is made next to it on wall left"
    " corner in zorp {x} \u202e \uffff 99999999999 under shelves pair row several bed bedroom -- ' surrounded by facing"
)
[EASY, MEDIUM, HARD] = draws(3)
Replies = dict[str, dict[str, str | None]]
ONE = right(MEDIUM)
SPOILT = {
    "prose": ("I would rather talk about the weather.", "the reply has no annotation"),
    "wrong json": ('{"counts": ["eq,1,', "the annotation ends in the middle"),
    "a number in words": (with_entries(ONE, "counts", [*texts(ONE, "counts"), "some,many,bed"]), "is no entry"),
    "merged": (with_entries(ONE, "attributes", ["eq,1,ceiling_lamp,green_wooden"]), "green wooden is colour and"),
    "carried over": (with_entries(ONE, "counts", [*texts(ONE, "counts"), "eq,1,ottoman"]), "that of 0 does"),
    "empty": ("{}", "the reply has no annotation"),
}


def clean(
    number: int, difficulty: str, text: str, counts: str, attributes: str = "", pairs: str = "", built: str = ""
) -> Annotation:
    """Return an annotation of entries that semicolons part."""
    cnt, atr, oor, oar = (cell.split(";") if cell else () for cell in (counts, attributes, pairs, built))
    return annotation_of(str(number), difficulty, text, cnt, atr, oor, oar)


def found(one: Annotation) -> Iterator[tuple[str, str]]:
    return ((finding.code, finding.message) for finding in text_mismatches(one, furniture()))


def test_annotation_errors_are_found_with_what_to_add_and_bundled_annotations_have_known_warnings_alone() -> None:
    assert set(RULES) <= {code for code, *_ in SLIPS}
    for code, row, message in SLIPS:
        text, *cells = row.split(" | ")
        difficulty, colon, rest = text.partition(": ")
        one = clean(0, difficulty, rest, *cells) if colon else clean(0, "easy", text, *cells)
        messages = list(found(one))
        assert [words for name, words in messages if name == code and message in words], (code, row, messages)
    for text, hint in (
        ("A den with a sofa and two storage boxes.", "add eq,2,storage_box to the counts"),
        ("A den with a sofa and at least three mugs.", "add ge,3,mug to the counts"),
        ("A den with two red sofas.", "add eq,2,sofa,red to the attributes"),
    ):
        one = clean(0, "easy", text, "ge,1,sofa")
        assert hint in [finding.hint for finding in text_mismatches(one, furniture())], text
    findings_of = {one.item_id: [finding.code for finding in text_mismatches(one, furniture())] for one in OURS}
    assert {item: found for item, found in findings_of.items() if found} == {
        "13": ["untold-relation"] * 2, "18": ["untold-relation"], "22": ["untold-relation"]
    }  # fmt: skip
    assert not any(batch_findings(OURS, furniture()))


def test_sentence_patterns_have_no_findings_until_an_attribute_is_taken_away() -> None:
    missed, taken = 0, 0
    for seed in range(3):
        for drawn in draw_plans(30, ("easy", "medium", "hard"), ROOM_TYPES, seed, furniture()):
            one = written_room(drawn, seed, furniture())
            assert text_mismatches(one, furniture()) == (), one.description
            for spec in one.of_kind("atr"):
                attributes = tuple(other for other in one.attributes if other != spec)
                left = Annotation(one.item_id, one.difficulty, one.description, one.counts, attributes)
                taken += 1
                missed += any(code == "missing-attribute" for code, _ in found(left))
    assert missed == taken > 50


def test_any_text_is_read_as_things_in_order_and_checked_the_same_in_every_version() -> None:
    findings, random = sha256(), Random(7)
    for number in range(300):
        text = " ".join(random.choices(WORDS.split(), k=random.randrange(1, 60)))
        counts = random.sample(
            ["eq,1,table", "ge,2,chair", "eq,0,bed", "le,3,zorp", "gt,0,_", "lt,0,a_b_c"], number % 4
        )
        one = annotation_of("0", "easy", text, counts, ("eq,1,table,red_wooden",), ("eq,1,on,0,table,zorp",))
        told = read_description(text, ("table", "chair"), furniture())
        places = [place for thing in told.things for place in (thing.start, thing.end)]
        assert places == sorted(places), text
        findings.update(repr((sorted(code for code, _ in found(one)), told.things, told.placings)).encode())
    assert findings.hexdigest()[:16] == "e2fa17c264308b2d", "see that the change is meant, and write it down"
    assert len(read_description("a red table next to " * 50_000, (), furniture()).tokens) <= LONGEST


OTHERS = (
    clean(0, "easy", "A den with a red sofa and a lamp by the window.", "eq,1,sofa;eq,1,lamp", "eq,1,sofa,red"),
    clean(1, "easy", "An office with a glass desk and a whiteboard.", "eq,1,desk;eq,1,whiteboard", "eq,1,desk,glass"),
)


def test_demands_from_other_descriptions_and_near_duplicates_are_found() -> None:
    for counts, attributes, message in (
        ("eq,1,stove;eq,1,sofa", "", "sofa: this text does not name it, and that of 0 does"),
        ("eq,1,stove;ge,1,whiteboard", "", "whiteboard: this text does not name it, and that of 1 does"),
        ("eq,1,stove", "eq,1,stove,glass", "eq,1,stove,glass: this text does not say glass, and that of 1 does"),
    ):
        mine = clean(2, "easy", "A kitchen with a stove against the wall.", counts, attributes)
        [*_, [finding]] = batch_findings([*OTHERS, mine], furniture())
        assert finding.code == "carried-over" and message in finding.message, counts
    for text in (
        "A den with a red sofa and a lamp by the window.",
        "A den with a red sofa, and a lamp by the windows!",
        "There is a den with one red sofa and two lamps by the window.",
    ):
        found = batch_findings([*OTHERS, clean(2, "easy", text, "eq,1,sofa;eq,1,lamp")], furniture())
        assert [[finding.code for finding in of_one] for of_one in found] == [[], [], ["near-duplicate"]], text
    [findings, _] = batch_findings(OTHERS, furniture(), [OTHERS[0].description])
    assert [finding.code for finding in findings] == ["near-duplicate"], "of a known description"


@dataclass
class Heard(MemoryRecorder):
    """A record of calls that also keeps the prompts."""

    prompts: dict[tuple[str, str], str] = field(default_factory=dict)

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        super().write(call, prompt, reply)
        if prompt is not None:
            self.prompts[call.sample, call.label] = prompt.messages[0]["content"]


def made(replies: Replies, drawn: tuple[RoomPlan, ...], rounds: int = 2, **more: Any) -> tuple[Generation, Heard]:  # noqa: ANN401
    heard = Heard()
    asker = RecordedModel(Script(replies), heard)
    maker = AnnotationMaker(lambda name: ask_for(asker, name, task="make"), furniture(), rounds, **more)
    return asyncio.run(maker.make(drawn)), heard


def good(*drawn: RoomPlan) -> Replies:
    return {str(one.number): {"describe": described(right(one)), "annotate": annotated(right(one))} for one in drawn}


def test_correct_replies_are_accepted_and_faulty_annotations_corrected_with_their_findings() -> None:
    making, heard = made(good(EASY, MEDIUM, HARD), (EASY, MEDIUM, HARD))
    assert [one.annotation for one in making.made] == [right(one.drawn) for one in making.made]
    assert not any(one.findings for one in making.made) and making.calls == len(heard.calls) == 6
    for name, one in (("1", EASY), ("2", EASY), ("0", MEDIUM)):
        asked = heard.prompts[name, "describe/0"] + heard.prompts[name, "annotate/0"]
        assert right(one).description not in asked, "nothing of another item is in the prompt"
    for reply, told in SPOILT.values():
        replies = good(EASY, MEDIUM)
        replies["1"] |= {"annotate": reply, "mend": annotated(ONE)}
        making, heard = made(replies, (EASY, MEDIUM))
        assert told in heard.prompts["1", "mend/1"], reply
        assert making.made[1].annotation == ONE and not making.made[1].findings and making.made[1].mended == 1, reply
        assert making.calls == 5, reply


def test_missing_relations_stay_as_warnings_and_uncorrected_items_keep_their_findings() -> None:
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


def test_a_description_may_be_mended_where_it_is_at_fault_and_is_requested_again_off_its_plan() -> None:
    one = right(EASY)
    longer = replace(one, description=one.description.replace(".", ", and three sofas and two pianos."))
    counts = [*texts(one, "counts"), "eq,3,sofa", "eq,2,piano"]
    mended = json.loads(with_entries(one, "counts", texts(one, "counts"))) | {"description": one.description}
    says = {"describe": described(longer), "annotate": with_entries(one, "counts", counts), "mend": json.dumps(mended)}
    making, heard = made({"0": {**says}}, (EASY,))
    assert "easy has at most 4 objects, and 8 are counted" in heard.prompts["0", "mend/1"]
    assert making.made[0].annotation == one and not making.made[0].findings
    for reply, told in (
        ("I cannot do that.", "the reply had no JSON object with a description"),
        ('{"text": "A bedroom."}', "the reply had no JSON object with a description"),
        ('{"description": "A kitchen with a stove, a sink and a clock on the wall."}', "does not name the bedroom"),
        (described(replace(one, description="A bedroom.")), "has 2 words, not 8 to 60"),
    ):
        replies = good(EASY)
        replies["0"] |= {"describe/0": reply}
        making, heard = made(replies, (EASY,))
        assert told in heard.prompts["0", "describe/1"] and making.made[0].annotation == one, reply
        replies["0"] |= {"describe": reply}
        making, _ = made(replies, (EASY,), 1)
        assert making.made[0].is_given_up and making.made[0].errors and making.calls == 2, reply


def test_a_description_is_read_and_asked_for_again_if_it_is_like_another() -> None:
    other = replace(EASY, number=9)
    replies = good(EASY, other)
    replies["9"] |= {"describe/0": described(right(EASY)), "describe/1": described(right(other))}
    making, heard = made(replies, (EASY, other))
    assert "much like that of 0" in heard.prompts["9", "describe/1"]
    assert ("0", "describe/1") not in heard.prompts and making.calls == 5
    assert making.made[1].annotation == right(other) and not making.made[1].findings
    making, heard = made(good(EASY), (EASY,), 1, known=(right(EASY).description,))
    assert "much like one there is already" in heard.prompts["0", "describe/1"] and making.made[0].is_given_up
    for reply, text in (
        ('<think>{"description": "No."}</think> {"description": "A den."}', "A den."),
        ("{'description': 'A den;  with\\na sofa.',}", "A den, with a sofa."),
        ('{"description": "One."} {"description": "Two."}', "Two."),
        ('{"description": 7}', ""),
        ('<think>{"description": "No."}', ""),
        ("", ""),
    ):
        assert read_description_reply(reply) == text, reply
