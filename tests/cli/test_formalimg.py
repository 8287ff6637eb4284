"""The commands on tasks of the suite formalimg."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from formula_items import CUP, KEYS, PEN, ROWS, lines

LAYOUT = "eval --task formalimg/layout --data rows.jsonl"
SCORE = "score --task formalimg/layout --data rows.jsonl --replies replies.jsonl"
GUESSES = "eval --task formalimg/layout --model baseline/random"


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(lines(ROWS))
    replies = {"knolling/0": [CUP, PEN], "knolling/1": json.dumps([CUP])}
    write_lines("replies.jsonl", *({"item_id": name, "reply": reply} for name, reply in replies.items()))


def test_layouts_are_evaluated_without_a_model_or_a_key(tsgkit: CommandLine) -> None:
    [result] = tsgkit("eval --task formalimg --data rows.jsonl --json --samples").json["results"]
    assert (result["subject"], result["task"], result["n"]) == ("baseline/solver", "formalimg/layout", 2)
    assert [result["profiles"][profile]["satisfied"]["value"] for profile in ("strict", "official")] == [1.0, 1.0]
    told = "natural items left out: 1 (no layout can be verified for them)"
    for more in ("", "--dry-run"):
        assert f"note: formalimg/layout: {told}\n" in tsgkit(f"{LAYOUT} --model baseline/random {more}").out
    [result] = tsgkit(f"{LAYOUT} --model baseline/random --json").json["results"]
    assert result["notes"] == [told]
    Path("rows.jsonl").write_text(lines(ROWS[:2]))
    [result] = tsgkit(f"{LAYOUT} --model baseline/random --json").json["results"]
    assert "notes" not in result


def test_bundled_items_are_reported_gated_and_drawn_against_k(tsgkit: CommandLine) -> None:
    [estimate] = tsgkit(f"{GUESSES} --dry-run --json").json["estimates"]
    assert estimate["samples"] >= 100
    [result] = tsgkit(f"{GUESSES} --limit 24 --out run --json").json["results"]
    assert all(result["profiles"]["strict"][name] is not None for name in ("easy", "medium", "hard", "overall", "g"))
    assert "g is" in tsgkit(f"{GUESSES} --limit 24 --out run --fail-under formalimg/layout.g=9", code=3).err
    tsgkit(f"{GUESSES} --limit 24 --out run --fail-under formalimg/layout.satisfied=9", code=2)
    assert "Deepseek-V3.2-Thinking" in tsgkit("report run --against published").out
    tsgkit("report run --by predicate -o page.html")
    page = Path("page.html").read_text(encoding="utf-8")
    assert "k: objects that depend on each other" in page and "failed, strict" in page
    boards = tsgkit("report run --by predicate --format json").json["rows"][0]["by"]["predicate"]
    assert boards["Is"]["profiles"]["strict"]["failed"]["n"] == boards["Is"]["counts"]["clauses"]
    assert set(boards["Is"]["profiles"]["strict"]) == {"failed"}


def scored(tsgkit: CommandLine) -> Any:  # noqa: ANN401  (as JSON has it)
    return tsgkit(f"{SCORE} --by k --json --samples").json


def test_collected_layouts_are_scored_by_k_with_samples(tsgkit: CommandLine) -> None:
    value = scored(tsgkit)
    assert (value["n"], value["profiles"]["strict"]["satisfied"]["value"]) == (2, 0.5)
    groups = {k: group["profiles"]["official"]["satisfied"]["value"] for k, group in value["by"]["k"].items()}
    assert groups == {"1": 0.0, "2": 1.0}
    assert value["profiles"]["strict"]["hard"] is None and "strict.hard" in value["reasons"]
    assert value["notes"] == ["natural items left out: 1 (no layout can be verified for them)"]
    assert "keys" in value["samples"][1]["evidence"]["reason"]
    out = tsgkit(SCORE).out
    assert "satisfied           50.0" in out and "note: natural items left out: 1" in out


def test_suites_where_one_task_is_wanted_are_answered_with_their_tasks(tsgkit: CommandLine) -> None:
    message = "formalimg is a suite; one task is wanted\n  its tasks: formalimg/knolling, formalimg/layout"
    tsgkit.refuses(
        {
            SCORE.replace("/layout", ""): message,
            "images --task formalimg --model openai/x -o pictures --dry-run": message,
            "prompts show formalimg": message,
            "eval --task formalimg --images mine=.": "--task formalimg/knolling or --task formalimg/natural",
        }
    )
    assert "tasks that take" not in tsgkit("eval --task formalimg --scenes mine=.", code=2).err


def test_explanations_show_the_verdict_part_by_part(tsgkit: CommandLine) -> None:
    write_lines("script.jsonl", {"item_id": "knolling/1", "reply": json.dumps([KEYS])})
    tsgkit(f"{LAYOUT} --model script:script.jsonl --out run")
    out = tsgkit("explain run --item knolling/1").out
    assert "strict verdict, part by part\n  | ✓ " in out
    assert "is on the top side: its centre is at y = 140, the middle at 500" in out
    [row] = tsgkit("explain run --item knolling/1 --json").json["rows"]
    assert row["trace"][0].startswith("✓ ")
    tsgkit("explain run --item knolling/1 --html page.html")
    page = Path("page.html").read_text()
    assert "Strict verdict, part by part" in page and "its centre is at y = 140" in page
    assert "part by part" not in tsgkit("explain run --item knolling/0").out


def test_wrong_names_are_answered_with_right_ones(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            f"{LAYOUT} --model baseline/solvr": "baseline/solver?",
            f"{LAYOUT} --solver vote:3": "vote:3 cannot do formalimg/layout: its answers cannot be put to a vote",
            f"{LAYOUT} --style few-shots": "few-shot?",
            f"{LAYOUT} --images mine=.": "formalimg/layout takes models",
            SCORE.replace("layout", "natural"): "--images NAME=DIR",
        }
    )
    write_lines("replies.jsonl", {"item_id": "knolling/7", "reply": [KEYS]})
    tsgkit.refuses({SCORE: "the data have no item knolling/7"})


def test_plan_of_ten_objects_asks_bundled_items(tsgkit: CommandLine) -> None:
    [estimate] = tsgkit("eval --plan ten-objects --model baseline/random --dry-run --json").json["estimates"]
    assert (estimate["samples"], estimate["task"]) == (30, "formalimg/layout")
