"""Whatever a model writes, both readers give a layout or say that there is none."""

from __future__ import annotations

import json
from typing import Any

from formula_items import judge_layout
from hypothesis import example, given
from hypothesis import strategies as st

from tsgkit.logic.official import verify_official
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.prompts import layout_text
from tsgkit.suites.formalimg.rows import sample_from
from tsgkit.suites.formalimg.strict import LayoutAnswer, layout_in
from tsgkit.suites.replies import Reply

DSL = "(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen') (LeftOf ?x ?y) (LargerThan ?x ?y))))"
SAMPLE = sample_from({"scenario": "knolling", "id": 0, "prompt": "A cup left of a pen.", "dsl": DSL}, "row", 0)
NUMBERS = st.integers(0, 1000) | st.floats(0, 1000)
BOXES = st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS).map(list)
THINGS = st.fixed_dictionaries(
    {
        "label": st.sampled_from(KNOLLING.classes),
        "color": st.sampled_from(KNOLLING.values["color"]),
        "box_2d": BOXES,
    }
)
LAYOUTS = st.lists(THINGS, max_size=6)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["label", "box_2d", "objects", "color", "x", "bbox"]) | st.text(max_size=4), inner
        )
    ),
    max_leaves=20,
)
SCRAPS = st.sampled_from(
    [
        *"[]{}(),:'\"`\\ \n",
        "```",
        "```json",
        "<think>",
        "</think>",
        '"label"',
        "'box_2d'",
        "box",
        "cup",
        "1e9",
        "-",
        "//",
    ]
)
TEXTS = st.text(max_size=80) | st.lists(SCRAPS | st.text(max_size=3), max_size=40).map("".join)


@given(LAYOUTS, st.sampled_from(["{}", "```json\n{}\n```", "Here:\n```\n{}\n```\nDone.", "<think>[]</think>{}"]))
def test_both_readers_read_layouts_in_the_requested_form(layout: list[dict[str, Any]], frame: str) -> None:
    reply = frame.replace("{}", layout_text(layout), 1)
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer)
    assert read.objects == layout
    assert not read.is_repaired
    assert official.layout(reply) == layout


@given(TEXTS | JSON.map(json.dumps) | JSON.map(str) | JSON.map(lambda value: json.dumps([{"label": "cup"}, value])))
@example("[{'label': 'cup', 'box_2d': [" + "9" * 400 + ", 0, 1, 1]}, {'label': 'pen', 'box_2d': [0, 0, 9, 9]}]")
@example("[{'label': {1, 2}, 'box_2d': (0, 0, 1, 1)}]")
@example("[{" * 3000)
def test_scoring_never_crashes_on_any_reply(text: str) -> None:
    judged = judge_layout(SAMPLE, Reply(text))
    again = judge_layout(SAMPLE, Reply(text))
    assert judged == again
    json.dumps([judged.answer, judged.evidence, judged.notes], allow_nan=False).encode("ascii")
    assert judged.counts[judged.outcome] == judged.counts["items"] == 1
    for scores in judged.scores.values():
        assert all(score.weight in (0, 1) for name, score in scores.items() if name == "satisfied")


@given(LAYOUTS, st.integers(1, 400))
def test_truncated_layout_is_not_read_as_a_whole_one(layout: list[dict[str, Any]], cut: int) -> None:
    text = layout_text(layout)
    if cut < len(text):
        assert not isinstance(layout_in(text[:-cut]), LayoutAnswer)


@given(LAYOUTS)
def test_the_official_verdict_is_that_of_the_objects(layout: list[dict[str, Any]]) -> None:
    judged = judge_layout(SAMPLE, Reply(layout_text(layout)))
    verdict = verify_official(DSL, {"objects": layout})
    assert judged.evidence["official"] == verdict.truth
    assert judged.scores["official"]["satisfied"].value == float(bool(verdict.truth))
