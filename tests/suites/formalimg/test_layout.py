"""Layouts in whatever form they were written, and scores of files of them: levels, groups, what is left out."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from formula_items import CUP, EVERY_KEY, KEYS, PEN, ROWS, judge_layout, levels, lines, sample

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.library.projects import bundled
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.replies import Unreadable
from tsgkit.suites.foreign_replies import score
from tsgkit.suites.formalimg import official
from tsgkit.suites.formalimg.layout import SCHEMA, layout
from tsgkit.suites.formalimg.rows import read_samples
from tsgkit.suites.formalimg.strict import LayoutAnswer, as_asked, layout_in
from tsgkit.suites.formalimg.task import level_held
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.solvers.prompter import prompter_of
from tsgkit.suites.styles import style_of
from tsgkit.suites.task import Task

RIGHT = [CUP]
WRONG = [CUP | {"box_2d": [700, 0, 800, 100]}]
ONE = {"label": "cup", "color": "red", "box_2d": [10, 20, 110, 220]}
OTHER = {"label": "pen", "color": "blue", "box_2d": [300, 20, 500, 60]}
PLAIN = json.dumps([ONE, OTHER])
BOX = "[10, 20, 110, 220]"
AS_ASKED = (
    PLAIN,
    f"```json\n{PLAIN}\n```",
    f"```\n{PLAIN}\n```\nI hope this helps.",
    f"<think>[{{'label': 'hat', 'box_2d': [0, 0, 1, 1]}}] no, better:</think>\n{PLAIN}",
    f"First I tried {json.dumps([ONE])}, which lacks a pen.\n\nFinal answer:\n{PLAIN}",
    f"The interval is [0, 1000) and [1] is a footnote. {PLAIN}",
    json.dumps({"objects": [ONE, OTHER]}),
)
REPAIRED = (
    str([ONE, OTHER]),
    PLAIN.replace("}]", "},]"),
    PLAIN.replace('"label"', '"name"').replace('"box_2d"', '"bbox"').replace('"color"', '"colour"'),
    PLAIN.replace('"cup"', '"Cup"').replace('"red"', '"Red"'),
    PLAIN.replace(BOX, '["10", "20", "110", "220"]'),
    PLAIN.replace(BOX, "[[10, 20], [110, 220]]"),
    PLAIN.replace(BOX, '{"x1": 10, "y1": 20, "x2": 110, "y2": 220}'),
    PLAIN.replace(BOX, '{"x": 10, "y": 20, "width": 100, "height": 200}'),
    PLAIN.replace(BOX, "(10, 20, 110, 220)"),
    json.dumps({"layout": {"x": 1}, "items": [ONE, OTHER]}),
    json.dumps([[ONE, OTHER]]),
    f"{json.dumps(ONE)}\n{json.dumps(OTHER)}",
)
UNREADABLE = {
    "I will not draw that.": "no list of objects",
    "<think>a cup at": "reasoning never ends",
    PLAIN[:-1]: "ends in the middle",
    "[1, 2, 3, 4]": "no list of objects",
    '["cup", "pen"]': "no list of objects",
}
PIECES = (
    *"[]{},:'\"\n“9",
    *("[{", "}]", "```json\n", "\n```", "<think>", "</think>", "// no", "label", "'bbox'", "null", "-1.5", "1e9"),
    *('"label"', '"box_2d"', '"color"', '"cup"', '"Pen"', '"red"', "[1, 2, 3, 4]", '"x1": 5, "y1": 6, "x2": 7'),
    *(PLAIN[:60], PLAIN[60:], json.dumps([OTHER]), str([ONE]), '{"objects": '),
)


def task_with(*metrics: str) -> Task:
    """Return the task of a card that names these metrics besides."""
    card = load_card("formalimg/layout")
    more = dict.fromkeys(metrics, card.metrics["g_50"])
    return layout(card.model_copy(update={"metrics": {**card.metrics, **more}}))


def scored(folder: Path, rows: list[dict[str, Any]], replies: dict[str, Any], **options: Any) -> ScoreReport:  # noqa: ANN401
    (folder / "rows.jsonl").write_text(lines(rows))
    told = [{"item_id": item_id, **(r if isinstance(r, dict) else {"reply": r})} for item_id, r in replies.items()]
    (folder / "replies.jsonl").write_text(lines(told))
    card = task_with(*options.pop("metrics", ())).card
    with patch.dict("tsgkit.library.cards._GIVEN", {card.name: card}):
        return score(card.name, folder / "rows.jsonl", folder / "replies.jsonl", **options)


def value(report: ScoreReport, profile: str, metric: str) -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


def up_to(level: int, count: int = 3) -> dict[str, Any]:
    """Right layouts up to a level, wrong ones above."""
    return {f"knolling/{row['id']}": RIGHT if row["k"] <= level else WRONG for row in levels(count)}


def test_levels_are_averaged_and_grouped_and_the_level_held_for_shares_of_a_card_reported(tmp_path: Path) -> None:
    report = scored(tmp_path, levels(), up_to(4), by=("k", "quantifier", "predicate", "scenario"))
    expected = {"satisfied": 0.4, "easy": 1.0, "medium": 1 / 3, "hard": 0.0, "overall": 0.4, "g": 4.0}
    for profile in ("strict", "official"):
        assert {name: value(report, profile, name) for name in expected} == pytest.approx(expected)
    assert list(report.groups["k"]) == [str(k) for k in range(1, 11)]
    shares = [board.profiles["strict"]["satisfied"].value for board in report.groups["k"].values()]  # type: ignore[index, union-attr]
    assert shares == [1.0] * 4 + [0.0] * 6
    assert [list(report.groups[name]) for name in ("quantifier", "predicate")] == [["exists"], ["Is", "OnLeftSide"]]
    with pytest.raises(UsageError, match="there is no group kk"):
        scored(tmp_path, levels(), {}, by=("kk",))
    rows = [*levels(1), *levels(5, levels=1)[1:]]
    report = scored(tmp_path, rows, {f"knolling/{row['id']}": RIGHT if row["k"] == 1 else WRONG for row in rows})
    assert value(report, "strict", "satisfied") == pytest.approx(5 / 14)
    assert value(report, "strict", "overall") == pytest.approx(0.1), "levels have equal weight whatever their size"
    report = scored(tmp_path, levels(2, levels=6), {})
    assert value(report, "strict", "easy") == value(report, "strict", "g") == 0.0
    assert value(report, "strict", "hard") is value(report, "strict", "overall") is None
    assert "level_7" in report.board.reasons["strict.hard"]
    for rows, name, interval in ((levels(2, levels=1), "g_50", (None, None)), (levels(2), "g_10", (0.0, 10.0))):
        found = (scored(tmp_path, rows, {}, metrics=(name,)).board.profiles["strict"] or {})[name]
        assert found is not None
        assert (found.value, (found.low, found.high)) == (0.0, interval), name
    for one, other, held in ((0.7, 0.7, 10), (0.9, 0.69, 1), (0.6999, 1.0, 0), (1.0, None, None)):
        assert level_held(0.7, [one, other, *[1.0] * 8]) == held, (one, other)
    replies = up_to(10) | {f"knolling/{k}-0": WRONG for k in range(5, 11)}
    report = scored(tmp_path, levels(), replies, metrics=("g_60", "g_100"))
    assert [value(report, "strict", name) for name in ("g", "g_60", "g_100")] == [4.0, 10.0, 4.0]
    for name in ("g_0", "g_101", "f1"):
        with pytest.raises(UsageError, match=f"has no {name}"):
            task_with(name)


def test_what_is_left_out_of_a_profile_is_counted(tmp_path: Path) -> None:
    replies = up_to(10)
    del replies["knolling/3-0"], replies["knolling/9-2"]
    report = scored(tmp_path, levels(), replies)
    assert value(report, "strict", "satisfied") == pytest.approx(28 / 30)
    assert value(report, "official", "satisfied") == 1.0
    assert report.board.counts["missing"] == report.board.counts["skipped_official"] == 2
    assert "2; strict counts these as wrong" in report.board.reasons["official.n"]
    report = scored(tmp_path, ROWS, {"knolling/0": [CUP, PEN], "natural/0": "[]"})
    note = "natural items left out: 1 (no layout can be verified for them)"
    assert (report.board.n, report.notes) == (2, (note, "replies to rows that are left out: 1"))
    with pytest.raises(UsageError, match="there are no knolling items"):
        scored(tmp_path, ROWS[2:], {})
    beyond = [CUP | {"box_2d": [-50, 0, 100, 1200]}]
    report = scored(tmp_path, levels(1, levels=1), {"knolling/1-0": beyond})
    judged = report.judged[0]
    assert (str(judged.outcome), judged.counts["rejected"]) == ("answered", 1)
    assert (value(report, "strict", "satisfied"), value(report, "official", "satisfied")) == (0.0, 1.0)
    assert "expected 0 <= x1 < x2 <= 1000" in judged.evidence["reason"]
    report = scored(tmp_path, [ROWS[0] | {"prompt": ""}], {"knolling/0": [CUP, PEN]})
    assert (value(report, "strict", "satisfied"), report.board.n) == (1.0, 1), "no prompt is needed to be judged"
    with pytest.raises(UsageError, match=r"rows.jsonl: line 1: prompt: it is empty"):
        task_with().dataset(str(tmp_path / "rows.jsonl"))


def test_replies_may_be_texts_lists_of_objects_the_empty_scene_or_null(tmp_path: Path) -> None:
    rows = levels(6, levels=1)
    cut = {"reply": '[{"label": "cup"', "outcome": "truncated"}
    told: list[Any] = [json.dumps(RIGHT), RIGHT, [], None, "no idea", cut]
    report = scored(tmp_path, rows, {f"knolling/1-{number}": reply for number, reply in enumerate(told)})
    outcomes = ["answered", "answered", "answered", "empty", "unreadable", "truncated"]
    assert [str(one.outcome) for one in report.judged] == outcomes
    for profile in ("strict", "official"):
        assert [one.scores[profile]["satisfied"].value for one in report.judged] == [1, 1, 0, 0, 0, 0]
    assert report.judged[2].answer == []
    wrongs: list[Any] = [["one", "two"], {"objects": []}, 5]
    for wrong in wrongs:
        with pytest.raises(UsageError, match="line 1: not a reply: reply: expected"):
            scored(tmp_path, rows, {"knolling/1-0": {"reply": wrong}})


def test_rows_keep_their_item_ids_and_what_cannot_be_used_is_refused_by_line_and_field(tmp_path: Path) -> None:
    rows = [ROWS[0] | {"item_id": "desk-1"}, ROWS[1] | {"item_id": 17}, {**ROWS[1], "id": 9, "item_id": None}]
    report = scored(tmp_path, rows, {"desk-1": [CUP, PEN], "17": [KEYS], "knolling/9": []})
    assert [one.sample.item_id for one in report.judged] == ["desk-1", "17", "knolling/9"]
    assert [one.scores["strict"]["satisfied"].value for one in report.judged] == [1, 1, 0]
    assert [sample.number for sample in read_samples(tmp_path / "rows.jsonl")] == ["0", "1", "9"]
    with pytest.raises(UsageError, match="the data have no item knolling/0"):
        scored(tmp_path, rows, {"knolling/0": []})
    with pytest.raises(UsageError, match="the item id desk-1 occurs twice"):
        scored(tmp_path, [rows[0]] * 2, {})
    for row in ROWS:
        path = tmp_path / "benchmarks" / row["scenario"] / f"{row['id']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({key: part for key, part in row.items() if key not in ("scenario", "id")}, indent=4))
    (tmp_path / "rows.jsonl").write_text(lines(ROWS))
    assert read_samples(tmp_path) == read_samples(tmp_path / "benchmarks") == read_samples(tmp_path / "rows.jsonl")
    one = read_samples(tmp_path / "benchmarks" / "knolling" / "1.json")
    assert [(found.item_id, found.k, found.classes) for found in one] == [("knolling/1", 1, ("keys",))]
    assert one[0].dsl == EVERY_KEY
    good = ROWS[0]
    for line, message in (
        (lines([good | {"dsl": "(exists ?x (Is ?x 'cup'"}]), "dsl: .*end of the text"),
        (lines([good | {"dsl": "(Is ?x 'cup')"}]), "dsl: nothing binds"),
        (lines([good | {"dsl": "(exists ?x (Flies ?x))"}]), "dsl: Flies cannot be verified on a layout"),
        (lines([good | {"scenario": "kitchen"}]), "scenario: "),
        (lines([good | {"k": "2"}]), "k: "),
        (lines([good | {"k": -1}]), "k: "),
        (lines([{key: part for key, part in good.items() if key != "prompt"}]), "prompt: Field required"),
        (lines([[good]]), "expected an object"),
        ("{broken\n", "broken JSON"),
    ):
        (tmp_path / "rows.jsonl").write_text(lines([ROWS[1]]) + line)
        with pytest.raises(UsageError, match=f"rows.jsonl: line 2: {message}"):
            read_samples(tmp_path / "rows.jsonl")


def test_prompts_of_every_style_have_its_parts_and_show_its_examples_which_are_right() -> None:
    task = task_with()
    prompt, dataset = task.prompt, task.dataset(None)
    assert prompt is not None
    folder = Path(str(bundled("prompts"))) / "formalimg" / "layout"
    part = {path.stem: path.read_text(encoding="utf-8").rstrip("\n") for path in folder.glob("*.txt")}
    labels, colors = (", ".join(names) for names in (KNOLLING.classes, KNOLLING.values["color"]))
    start = [part["statement"], part["rules"], part["vocabulary"].format(classes=labels, colors=colors)]
    asked = part["input"].format(prompt=ROWS[0]["prompt"])
    for name, reasoning, answer, example in (
        ("zero-shot", [], "answer", ""),
        ("cot", [part["reasoning"]], "answer-reasoned", ""),
        ("few-shot", [], "answer", "example"),
        ("cot-few-shot", [part["reasoning"]], "answer-reasoned", "example-reasoned"),
        ("structured", [], "answer-structured", ""),
    ):
        prompter = prompter_of(prompt, style_of(name), dataset, seed=0, prompts=None)
        examples = []
        for number, one in enumerate(prompter.examples, 1):
            said = {"input": part["input"].format(prompt=one.item.prompt), "answer": one.answer}
            examples.append(part[example].format(number=number, rationale=one.rationale, **said))
            judged = judge_layout(one.item, CollectedReply(one.answer))
            assert [scores["satisfied"].value for scores in judged.scores.values()] == [1.0, 1.0], one.item.item_id
            assert one.rationale
        assert len(examples) == (10 if example else 0), name
        shown = [part["examples"].format(examples="\n\n".join(examples))] if example else []
        [message] = prompter.messages(sample(0))
        expected = [*start, *reasoning, *shown, asked, part[answer].format()]
        assert message.content == "\n\n".join(expected), name
        assert prompter.schema(sample(0)) == (SCHEMA if name == "structured" else None), name


def test_predicates_count_their_own_clauses_and_those_that_fail(tmp_path: Path) -> None:
    """All clauses of an item whose service failed count as failed."""
    for first, second, counts, all_failed in (
        ([CUP | {"color": "blue"}, PEN], [CUP], [1, 0, 0, 1], 0.4),
        ({"reply": None, "outcome": "api_error"}, [KEYS], [1, 2, 1, 0], 0.8),
    ):
        report = scored(tmp_path, ROWS[:2], {"knolling/0": first, "knolling/1": second}, by=("predicate",))
        groups = report.groups["predicate"]
        assert [(name, board.n, board.counts["clauses"]) for name, board in groups.items()] == [
            ("Has", 1, 1), ("Is", 1, 2), ("LeftOf", 1, 1), ("OnTopSide", 1, 1),
        ]  # fmt: skip
        assert [board.counts["failed_clauses"] for board in groups.values()] == counts
        for board in groups.values():
            [(metric, failed)] = (board.profiles["strict"] or {}).items()
            assert failed is not None
            assert (metric, failed.value) == ("failed", board.counts["failed_clauses"] / board.counts["clauses"])
        assert value(report, "strict", "failed") == all_failed


def test_failed_clauses_are_counted_per_category_also_of_a_forall_that_applies_to_nothing() -> None:
    judged = judge_layout(sample(0), CollectedReply(json.dumps([CUP | {"color": "blue"}, PEN])))
    assert judged.evidence["failed"] == [{"clause": "(Has ?c 'red')", "category": "attribute"}]
    shares = {name: judged.scores["strict"][name].value for name in ("clauses", "objects", "attributes", "relations")}
    assert shares == {"clauses": 0.75, "objects": 1.0, "attributes": 0.0, "relations": 1.0}
    assert judged.scores["strict"]["conditions"].value is None
    judged = judge_layout(sample(1), CollectedReply(json.dumps([CUP])))
    assert [one["category"] for one in judged.evidence["failed"]] == ["condition"]
    assert judged.scores["official"]["satisfied"].value == 0.0
    assert judge_layout(sample(1), CollectedReply(json.dumps([KEYS]))).scores["strict"]["satisfied"].value == 1.0


def answer(reply: str) -> LayoutAnswer:
    read = layout_in(reply)
    assert isinstance(read, LayoutAnswer), (reply, read)
    return read


def test_the_last_layout_is_found_anywhere_and_repaired_with_a_note_or_unreadable_with_a_reason() -> None:
    for reply in AS_ASKED:
        assert (answer(reply).objects, answer(reply).is_repaired) == ([ONE, OTHER], False), reply
    for reply in REPAIRED:
        read = answer(reply)
        assert (read.objects, read.is_repaired, bool(read.notes)) == ([ONE, OTHER], True, True), reply
    for reply, reason in UNREADABLE.items():
        unread = layout_in(reply)
        assert isinstance(unread, Unreadable), reply
        assert reason in unread.reason, reply
    for reply, published in {
        str([ONE, OTHER]): [ONE, OTHER],
        f"<think>{json.dumps([OTHER])}</think>```json\n{json.dumps([ONE])}\n``` or {json.dumps([OTHER])}": [ONE],
        f"First {json.dumps([ONE])}, no: {json.dumps([OTHER])}": None,
        "[1, 2]": [1, 2],
        "[{'label': 'cup'": None,
        "][": None,
    }.items():
        assert official.layout(reply) == published, reply
    read = answer(f"{json.dumps([ONE])} or rather {json.dumps([OTHER])}. Not [].")
    assert read.objects == [OTHER]
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


def test_strange_replies_are_read_the_same_in_every_version() -> None:
    readings, random = sha256(), Random(7)
    for _ in range(1_500):
        text = "".join(random.choices(PIECES, k=random.randrange(1, 12)))
        readings.update(repr([layout_in(text), official.layout(text)]).encode())
    assert readings.hexdigest()[:16] == "4356fa6fc8992112", "see that the change is meant, and write it down"
