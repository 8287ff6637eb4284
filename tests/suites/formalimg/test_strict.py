"""Layouts are read in whatever form they were written; what cannot be read says why, and nothing crashes."""

from __future__ import annotations

import json
from hashlib import sha256
from random import Random
from typing import Any

from formula_items import judge_layout
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.logic.official import verify_official
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.replies import Unreadable
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.prompts import layout_text
from tsgkit.suites.formalimg.rows import sample_from
from tsgkit.suites.formalimg.strict import LayoutAnswer, as_asked, layout_in
from tsgkit.suites.replies import Reply

CUP = {"label": "cup", "color": "red", "box_2d": [10, 20, 110, 220]}
PEN = {"label": "pen", "color": "blue", "box_2d": [300, 20, 500, 60]}
PLAIN = json.dumps([CUP, PEN])
BOX = "[10, 20, 110, 220]"
AS_ASKED = (
    PLAIN,
    f"```json\n{PLAIN}\n```",
    f"```\n{PLAIN}\n```\nI hope this helps.",
    f"<think>[{{'label': 'hat', 'box_2d': [0, 0, 1, 1]}}] no, better:</think>\n{PLAIN}",
    f"First I tried {json.dumps([CUP])}, which lacks a pen.\n\nFinal answer:\n{PLAIN}",
    f"The interval is [0, 1000) and [1] is a footnote. {PLAIN}",
    json.dumps({"objects": [CUP, PEN]}),
)
REPAIRED = (
    str([CUP, PEN]),
    PLAIN.replace("}]", "},]"),
    PLAIN.replace('"label"', '"name"').replace('"box_2d"', '"bbox"').replace('"color"', '"colour"'),
    PLAIN.replace('"cup"', '"Cup"').replace('"red"', '"Red"'),
    PLAIN.replace(BOX, '["10", "20", "110", "220"]'),
    PLAIN.replace(BOX, "[[10, 20], [110, 220]]"),
    PLAIN.replace(BOX, '{"x1": 10, "y1": 20, "x2": 110, "y2": 220}'),
    PLAIN.replace(BOX, '{"x": 10, "y": 20, "width": 100, "height": 200}'),
    PLAIN.replace(BOX, "(10, 20, 110, 220)"),
    json.dumps({"layout": {"x": 1}, "items": [CUP, PEN]}),
    json.dumps([[CUP, PEN]]),
    f"{json.dumps(CUP)}\n{json.dumps(PEN)}",
)
UNREADABLE = {
    "I will not draw that.": "no list of objects",
    "<think>a cup at": "reasoning never ends",
    PLAIN[:-1]: "ends in the middle",
    "[1, 2, 3, 4]": "no list of objects",
    '["cup", "pen"]': "no list of objects",
}


def answer(reply: str) -> LayoutAnswer:
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer), (reply, read)
    return read


def test_layout_is_found_anywhere_and_repaired_with_a_note_or_unreadable_with_a_reason() -> None:
    for reply in AS_ASKED:
        assert (answer(reply).objects, answer(reply).is_repaired) == ([CUP, PEN], False), reply
    for reply in REPAIRED:
        read = answer(reply)
        assert (read.objects, read.is_repaired, bool(read.notes)) == ([CUP, PEN], True, True), reply
    for reply, reason in UNREADABLE.items():
        unread = layout_in(reply)
        assert isinstance(unread, Unreadable), reply
        assert reason in unread.reason, reply


def test_published_reader_takes_lists_of_objects_as_json_or_python() -> None:
    for reply, layout in {
        str([CUP, PEN]): [CUP, PEN],
        f"<think>{json.dumps([PEN])}</think>```json\n{json.dumps([CUP])}\n``` or {json.dumps([PEN])}": [CUP],
        f"First {json.dumps([CUP])}, no: {json.dumps([PEN])}": None,
        "[1, 2]": [1, 2],
        "[{'label': 'cup'": None,
        "][": None,
    }.items():
        assert official.layout(reply) == layout, reply


def test_the_last_layout_with_objects_counts_and_repairs_never_change_what_a_box_says() -> None:
    read = answer(f"{json.dumps([CUP])} or rather {json.dumps([PEN])}. Not [].")
    assert read.objects == [PEN]
    assert "2 other layouts" in str(read.notes[0])
    assert answer("[]").objects == answer('{"objects": []}').objects == []
    for thing in ({"label": "cup", "box_2d": [110.5, 20, 10, -5]}, {"label": "cup", "box_2d": [1, 2, 3]}):
        assert answer(json.dumps([thing])).objects == [thing]
    assert answer('[{"label": "cup"}]').objects == [{"label": "cup"}]
    objects = answer('[{"label": "cup", "box_2d": [NaN, 1e999, Infinity, 5]}]').objects
    assert objects[0]["box_2d"] == ["NaN", "1e999", "Infinity", 5], "what JSON cannot hold stays text"
    assert answer('[{"label": "\\ud800", "box_2d": [0, 0, 1, 1]}]').objects[0]["label"] == "\ufffd"
    json.dumps(objects, allow_nan=False)
    assert as_asked({"label": "cutting board"}) == {"label": "cutting_board"}
    assert as_asked({"label": "coffee mug"}) == {"label": "coffee mug"}
    assert as_asked({"label": 5, "color": ["red"]}) == {"label": 5, "color": ["red"]}
    for reply, places in {
        '<think>[{"label": "pan"}]</think>Here: [{"label": "cup"}].': ['[{"label": "cup"}]'],
        "{'label': 'cup'}\r\nand {'label': 'pan'}": ["{'label': 'cup'}", "{'label': 'pan'}"],
    }.items():
        assert [reply[start:end] for start, end in answer(reply).spans] == places


PIECES = (
    *"[]{},:'\"\n“9",
    *("[{", "}]", "```json\n", "\n```", "<think>", "</think>", "// no", "label", "'bbox'", "null", "-1.5", "1e9"),
    *('"label"', '"box_2d"', '"color"', '"cup"', '"Pen"', '"red"', "[1, 2, 3, 4]", '"x1": 5, "y1": 6, "x2": 7'),
    *(PLAIN[:60], PLAIN[60:], json.dumps([PEN]), str([CUP]), '{"objects": '),
)


def test_strange_replies_are_read_the_same_in_every_version() -> None:
    readings, random = sha256(), Random(7)
    for _ in range(1_500):
        text = "".join(random.choices(PIECES, k=random.randrange(1, 12)))
        readings.update(repr([layout_in(text), official.layout(text)]).encode())
    assert readings.hexdigest()[:16] == "4356fa6fc8992112", "see that the change is meant, and write it down"


DSL = "(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen') (LeftOf ?x ?y) (LargerThan ?x ?y))))"
SAMPLE = sample_from({"scenario": "knolling", "id": 0, "prompt": "A cup left of a pen.", "dsl": DSL}, "row", 0)
NUMBERS = st.integers(0, 1000) | st.floats(0, 1000)
THINGS = st.fixed_dictionaries(
    {
        "label": st.sampled_from(KNOLLING.classes),
        "color": st.sampled_from(KNOLLING.values["color"]),
        "box_2d": st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).map(list),
    }
)
LAYOUTS = st.lists(THINGS, max_size=6)
FRAMES = ("{}", "```json\n{}\n```", "Here:\n```\n{}\n```\nDone.", "<think>[]</think>{}")


@given(LAYOUTS, st.sampled_from(FRAMES), st.integers(1, 400))
@settings(max_examples=40)
def test_layouts_in_the_requested_form_are_read_by_both_readers_unless_cut(
    layout: list[dict[str, Any]], frame: str, cut: int
) -> None:
    text = layout_text(layout)
    reply = frame.replace("{}", text, 1)
    assert (answer(reply).objects, answer(reply).is_repaired) == (layout, False)
    assert official.layout(reply) == layout
    if cut < len(text):
        assert not isinstance(layout_in(text[:-cut]), LayoutAnswer)
    judged = judge_layout(SAMPLE, Reply(text))
    verdict = verify_official(DSL, {"objects": layout})
    assert judged.evidence["official"] == verdict.truth
    assert judged.scores["official"]["satisfied"].value == float(bool(verdict.truth))


def test_scoring_takes_any_reply() -> None:
    huge = "[{'label': 'cup', 'box_2d': [" + "9" * 400 + ", 0, 1, 1]}, {'label': 'pen', 'box_2d': [0, 0, 9, 9]}]"
    odd = (
        "[{'label': {1, 2}, 'box_2d': (0, 0, 1, 1)}]",
        '[{"label": "cup"}, NaN]',
        '[{"label": ["cup"], "x": -1e400}]',
    )
    for text in ("", "\ud800", "[{" * 3000, huge, *odd):
        judged = judge_layout(SAMPLE, Reply(text))
        assert judged == judge_layout(SAMPLE, Reply(text)), text[:40]
        json.dumps([judged.answer, judged.evidence, judged.notes], allow_nan=False).encode("ascii")
        assert judged.counts[judged.outcome] == judged.counts["items"] == 1, text[:40]
        assert all(scores["satisfied"].weight in (0, 1) for scores in judged.scores.values()), text[:40]
