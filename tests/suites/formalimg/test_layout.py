"""Scores of files of layouts: levels, the level held, what is left out, groups, both profiles, the shared JSON."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from formula_items import CUP, EVERY_KEY, KEYS, PEN, ROWS, judge_layout, levels, lines, sample

from tsgkit.errors import UsageError
from tsgkit.library.bundle import bundled
from tsgkit.library.cards import load_card
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.suites.formalimg.layout import SCHEMA, LayoutTask
from tsgkit.suites.formalimg.rows import read_samples
from tsgkit.suites.formalimg.task import level_held
from tsgkit.suites.replies import Reply
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.styles import style_of

RIGHT = [CUP]
WRONG = [CUP | {"box_2d": [700, 0, 800, 100]}]


def task_with(*metrics: str) -> LayoutTask:
    """Return the task of a card that names these metrics besides."""
    card = load_card("formalimg/layout")
    more = dict.fromkeys(metrics, card.metrics["g_50"])
    return LayoutTask(card.model_copy(update={"metrics": {**card.metrics, **more}}))


def scored(folder: Path, rows: list[dict[str, Any]], replies: dict[str, Any], **options: Any) -> ScoreReport:  # noqa: ANN401
    (folder / "rows.jsonl").write_text(lines(rows))
    told = [{"item_id": item_id, **(r if isinstance(r, dict) else {"reply": r})} for item_id, r in replies.items()]
    (folder / "replies.jsonl").write_text(lines(told))
    task = task_with(*options.pop("metrics", ()))
    return task.score_replies(str(folder / "rows.jsonl"), str(folder / "replies.jsonl"), **options)


def value(report: ScoreReport, profile: str, metric: str) -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


def up_to(level: int, count: int = 3) -> dict[str, Any]:
    """Right layouts up to a level, wrong ones above."""
    return {f"knolling/{row['id']}": RIGHT if row["k"] <= level else WRONG for row in levels(count)}


def test_levels_are_averaged_and_the_highest_level_held_is_reported(tmp_path: Path) -> None:
    report = scored(tmp_path, levels(), up_to(4))
    expected = {"satisfied": 0.4, "easy": 1.0, "medium": 1 / 3, "hard": 0.0, "overall": 0.4, "g": 4.0}
    for profile in ("strict", "official"):
        assert {name: value(report, profile, name) for name in expected} == pytest.approx(expected)
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


def test_a_card_may_name_other_shares_for_the_level_held(tmp_path: Path) -> None:
    held = partial(level_held, 0.7)
    assert held([0.7] * 10) == 10
    assert held([0.9, 0.69, *[1.0] * 8]) == 1
    assert held([0.6999, *[1.0] * 9]) == 0
    assert held([1.0, None, *[1.0] * 8]) is None
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
    assert report.board.n == 2
    assert report.notes == (
        "natural items left out: 1 (no layout can be verified for them; so are the replies to them: 1)",
    )
    with pytest.raises(UsageError, match="there are no knolling items"):
        scored(tmp_path, ROWS[2:], {})
    beyond = [CUP | {"box_2d": [-50, 0, 100, 1200]}]
    report = scored(tmp_path, levels(1, levels=1), {"knolling/1-0": beyond})
    judged = report.judged[0]
    assert (str(judged.outcome), judged.counts["rejected"]) == ("answered", 1)
    assert (value(report, "strict", "satisfied"), value(report, "official", "satisfied")) == (0.0, 1.0)
    assert "expected 0 <= x1 < x2 <= 1000" in judged.evidence["reason"]
    report = scored(tmp_path, [ROWS[0] | {"prompt": ""}], {"knolling/0": [CUP, PEN]})
    assert value(report, "strict", "satisfied") == 1.0
    task = task_with()
    assert task.score_replies(str(tmp_path / "rows.jsonl"), str(tmp_path / "replies.jsonl")).board.n == 1
    with pytest.raises(UsageError, match=r"rows.jsonl: line 1: prompt: it is empty"):
        task.dataset(str(tmp_path / "rows.jsonl"))


def test_replies_may_be_texts_lists_of_objects_the_empty_scene_or_null(tmp_path: Path) -> None:
    rows = levels(6, levels=1)
    replies: dict[str, Any] = {
        "knolling/1-0": json.dumps(RIGHT),
        "knolling/1-1": RIGHT,
        "knolling/1-2": [],
        "knolling/1-3": None,
        "knolling/1-4": "no idea",
        "knolling/1-5": {"reply": '[{"label": "cup"', "outcome": "truncated"},
    }
    report = scored(tmp_path, rows, replies)
    assert [str(one.outcome) for one in report.judged] == [
        *["answered"] * 3, "empty", "unreadable", "truncated",
    ]  # fmt: skip
    assert [one.scores["strict"]["satisfied"].value for one in report.judged] == [1, 1, 0, 0, 0, 0]
    assert [one.scores["official"]["satisfied"].value for one in report.judged] == [1, 1, 0, 0, 0, 0]
    assert report.judged[2].answer == []
    wrongs: list[Any] = [["one", "two"], {"objects": []}, 5]
    for wrong in wrongs:
        with pytest.raises(UsageError, match="line 1: not a reply: reply: expected"):
            scored(tmp_path, rows, {"knolling/1-0": {"reply": wrong}})


def test_rows_keep_their_item_ids_in_one_file_or_the_published_layout(tmp_path: Path) -> None:
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


def test_prompts_of_every_style_have_its_parts_and_show_its_examples() -> None:
    task = task_with()
    dataset = task.dataset(None)
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
        prompter = task.prompter(style_of(name), dataset, seed=0, prompts=None)
        examples = [
            part[example].format(
                number=number,
                input=part["input"].format(prompt=one.item.prompt),
                rationale=one.rationale,
                answer=one.answer,
            )
            for number, one in enumerate(prompter.examples, 1)
        ]
        assert len(examples) == (10 if example else 0), name
        shown = [part["examples"].format(examples="\n\n".join(examples))] if example else []
        [message] = prompter.messages(sample(0))
        expected = [*start, *reasoning, *shown, asked, part[answer].format()]
        assert message.content == "\n\n".join(expected), name
        assert prompter.schema(sample(0)) == (SCHEMA if name == "structured" else None), name


def test_groups_have_boards_of_their_own_in_order(tmp_path: Path) -> None:
    report = scored(tmp_path, levels(), up_to(4), by=("k", "quantifier", "predicate", "scenario"))
    assert list(report.groups["k"]) == [str(k) for k in range(1, 11)]
    shares = [board.profiles["strict"]["satisfied"].value for board in report.groups["k"].values()]  # type: ignore[index, union-attr]
    assert shares == [1.0] * 4 + [0.0] * 6
    assert list(report.groups["quantifier"]) == ["exists"]
    assert list(report.groups["predicate"]) == ["Is", "OnLeftSide"]
    with pytest.raises(UsageError, match="there is no group kk"):
        scored(tmp_path, levels(), {}, by=("kk",))


def test_predicates_count_their_own_clauses_and_those_that_fail(tmp_path: Path) -> None:
    """All clauses of an item whose service failed count as failed."""
    for replies, counts, all_failed in (
        (
            {"knolling/0": [CUP | {"color": "blue"}, PEN], "knolling/1": [CUP]},
            {"Has": (1, 1, 1), "Is": (1, 2, 0), "LeftOf": (1, 1, 0), "OnTopSide": (1, 1, 1)},
            0.4,
        ),
        (
            {"knolling/0": {"reply": None, "outcome": "api_error"}, "knolling/1": [KEYS]},
            {"Has": (1, 1, 1), "Is": (1, 2, 2), "LeftOf": (1, 1, 1), "OnTopSide": (1, 1, 0)},
            0.8,
        ),
    ):
        report = scored(tmp_path, ROWS[:2], replies, by=("predicate",))
        found = {}
        for name, board in report.groups["predicate"].items():
            [(metric, failed)] = (board.profiles["strict"] or {}).items()
            found[name] = (board.n, board.counts["clauses"], board.counts["failed_clauses"])
            assert failed is not None
            assert (metric, failed.value) == ("failed", found[name][2] / found[name][1]), name
        assert found == counts
        assert value(report, "strict", "failed") == all_failed


def test_failed_clauses_are_counted_per_category_also_of_a_forall_that_applies_to_nothing() -> None:
    judged = judge_layout(sample(0), Reply(json.dumps([CUP | {"color": "blue"}, PEN])))
    assert judged.evidence["failed"] == [{"clause": "(Has ?c 'red')", "category": "attribute"}]
    shares = {name: judged.scores["strict"][name].value for name in ("clauses", "objects", "attributes", "relations")}
    assert shares == {"clauses": 0.75, "objects": 1.0, "attributes": 0.0, "relations": 1.0}
    assert judged.scores["strict"]["conditions"].value is None
    judged = judge_layout(sample(1), Reply(json.dumps([CUP])))
    assert [one["category"] for one in judged.evidence["failed"]] == ["condition"]
    assert judged.scores["official"]["satisfied"].value == 0.0
    assert judge_layout(sample(1), Reply(json.dumps([KEYS]))).scores["strict"]["satisfied"].value == 1.0


def test_rows_that_cannot_be_used_are_refused_by_file_line_and_field(tmp_path: Path) -> None:
    good = ROWS[0]
    cases: list[tuple[Any, str]] = [
        ({**good, "dsl": "(exists ?x (Is ?x 'cup'"}, "dsl: .*end of the text"),
        ({**good, "dsl": "(Is ?x 'cup')"}, "dsl: nothing binds"),
        ({**good, "dsl": "(exists ?x (Flies ?x))"}, "dsl: Flies cannot be verified on a layout"),
        ({**good, "scenario": "kitchen"}, "scenario: "),
        ({**good, "k": "2"}, "k: "),
        ({**good, "k": -1}, "k: "),
        ({key: part for key, part in good.items() if key != "prompt"}, "prompt: Field required"),
        ([good], "expected an object"),
    ]
    for row, message in cases:
        (tmp_path / "rows.jsonl").write_text(lines([ROWS[1], row]))
        with pytest.raises(UsageError, match=f"rows.jsonl: line 2: {message}"):
            read_samples(tmp_path / "rows.jsonl")
    (tmp_path / "rows.jsonl").write_text(lines([good]) + "{broken\n")
    with pytest.raises(UsageError, match=r"rows.jsonl: line 2: broken JSON"):
        read_samples(tmp_path / "rows.jsonl")


def test_example_pool_is_correct_in_both_profiles_and_disjoint_from_items() -> None:
    pool = task_with().pool().examples
    assert len(pool) == 10
    for example in pool:
        judged = judge_layout(example.item, Reply(example.answer))
        assert [scores["satisfied"].value for scores in judged.scores.values()] == [1.0, 1.0], example.item.item_id
        assert example.rationale
