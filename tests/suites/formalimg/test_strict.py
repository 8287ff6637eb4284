"""Layouts are read in whatever form they were written; what cannot be read says why."""

from __future__ import annotations

import json

import pytest

from tsgkit.replies import Unreadable
from tsgkit.replies.near_json import values_in
from tsgkit.suites.formalimg.strict import LayoutAnswer, as_asked, layout_in

CUP = {"label": "cup", "color": "red", "box_2d": [10, 20, 110, 220]}
PEN = {"label": "pen", "color": "blue", "box_2d": [300, 20, 500, 60]}
PLAIN = json.dumps([CUP, PEN])
SINGLE = str([CUP, PEN])


def objects(reply: str) -> list[dict[str, object]]:
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer), read
    return read.objects


@pytest.mark.parametrize(
    "reply",
    [
        PLAIN,
        f"```json\n{PLAIN}\n```",
        f"```\n{PLAIN}\n```\nI hope this helps.",
        f"<think>[{{'label': 'hat', 'box_2d': [0, 0, 1, 1]}}] no, better:</think>\n{PLAIN}",
        f"First I tried {json.dumps([CUP])}, which lacks a pen.\n\nFinal answer:\n{PLAIN}",
        f"The interval is [0, 1000) and [1] is a footnote. {PLAIN}",
        json.dumps({"objects": [CUP, PEN]}),
    ],
)
def test_layout_is_found_anywhere_in_a_reply(reply: str) -> None:
    assert objects(reply) == [CUP, PEN]
    assert not layout_in(reply).is_repaired  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "reply",
    [
        SINGLE,
        PLAIN.replace("}]", "},]"),
        PLAIN.replace("}, {", "}\n{"),
        PLAIN.replace('"label"', "label").replace('"box_2d"', "box_2d"),
        PLAIN.replace('"label"', '"name"').replace('"box_2d"', '"bbox"').replace('"color"', '"colour"'),
        PLAIN.replace('"label"', '"Class"').replace('"box_2d"', '"bounding box"'),
        PLAIN.replace('"cup"', '"Cup"').replace('"red"', '"Red"'),
        PLAIN.replace("[10, 20, 110, 220]", '["10", "20", "110", "220"]'),
        PLAIN.replace("[10, 20, 110, 220]", '"10, 20, 110, 220"'),
        PLAIN.replace("[10, 20, 110, 220]", "[[10, 20], [110, 220]]"),
        PLAIN.replace("[10, 20, 110, 220]", '{"x1": 10, "y1": 20, "x2": 110, "y2": 220}'),
        PLAIN.replace("[10, 20, 110, 220]", '{"x": 10, "y": 20, "width": 100, "height": 200}'),
        PLAIN.replace("[10, 20, 110, 220]", "(10, 20, 110, 220)"),
        PLAIN.replace("}, {", "}, // a cup\n{"),
        PLAIN.replace('"', "“", 1).replace('"', "”", 1),
        json.dumps({"layout": {"x": 1}, "items": [CUP, PEN]}),
        json.dumps([[CUP, PEN]]),
        f"{json.dumps(CUP)}\n{json.dumps(PEN)}",
    ],
)
def test_layout_in_another_form_is_repaired_with_a_note(reply: str) -> None:
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer)
    assert read.objects == [CUP, PEN]
    assert read.is_repaired
    assert read.notes


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I will not draw that.", "no list of objects"),
        ("<think>a cup at", "reasoning never ends"),
        (PLAIN[:-1], "ends in the middle"),
        (PLAIN[: len(PLAIN) // 2], "ends in the middle"),
        ("```json\n" + PLAIN[:40], "ends in the middle"),
        ("[1, 2, 3, 4]", "no list of objects"),
        ('["cup", "pen"]', "no list of objects"),
        ("[[[[", "ends in the middle"),
        ("null", "no list of objects"),
    ],
)
def test_reply_without_a_whole_layout_is_unreadable_with_a_reason(reply: str, why: str) -> None:
    read = layout_in(reply)
    assert isinstance(read, Unreadable)
    assert why in read.reason


def test_empty_list_is_read_as_the_empty_scene() -> None:
    assert objects("[]") == objects('{"objects": []}') == []


def test_of_several_layouts_the_last_with_objects_counts() -> None:
    read = layout_in(f"{json.dumps([CUP])} or rather {json.dumps([PEN])}. Not [].")
    assert isinstance(read, LayoutAnswer)
    assert read.objects == [PEN]
    assert "2 other layouts" in str(read.notes[0])


def test_repairs_never_change_what_a_box_says() -> None:
    inverted = [{"label": "cup", "box_2d": [110.5, 20, 10, -5]}]
    assert objects(json.dumps(inverted)) == inverted
    assert objects('[{"label": "cup", "box_2d": [1, 2, 3]}]') == [{"label": "cup", "box_2d": [1, 2, 3]}]
    assert objects('[{"label": "cup"}]') == [{"label": "cup"}]


def test_values_that_json_cannot_hold_stay_text() -> None:
    read = objects('[{"label": "cup", "box_2d": [NaN, 1e999, Infinity, 5]}]')
    assert read[0]["box_2d"] == ["NaN", "1e999", "Infinity", 5]
    assert objects('[{"label": "\\ud800", "box_2d": [0, 0, 1, 1]}]')[0]["label"] == "\ufffd"
    json.dumps(read, allow_nan=False)


def test_labels_are_folded_to_the_vocabulary_and_nothing_else() -> None:
    assert as_asked({"label": "cutting board"}) == {"label": "cutting_board"}
    assert as_asked({"label": "coffee mug"}) == {"label": "coffee mug"}
    assert as_asked({"label": 5, "color": ["red"]}) == {"label": 5, "color": ["red"]}


@pytest.mark.slow
def test_many_open_brackets_are_read_in_linear_time() -> None:
    for text in ("[" * 100_000, "[{" * 50_000, '["' * 50_000, "[//" * 30_000, "[ " * 50_000, "{a:" * 30_000):
        assert all(found.is_cut for found in values_in(text))


@pytest.mark.parametrize(
    ("reply", "places"),
    [
        ('<think>[{"label": "pan"}]</think>Here: [{"label": "cup"}].', ['[{"label": "cup"}]']),
        ("{'label': 'cup'}\r\nand {'label': 'pan'}", ["{'label': 'cup'}", "{'label': 'pan'}"]),
    ],
)
def test_layout_answer_has_spans_in_the_reply(reply: str, places: list[str]) -> None:
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer)
    assert [reply[start:end] for start, end in read.spans] == places
