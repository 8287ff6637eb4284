"""Tasks of the suites formalimg and sceneeval as people run them: baselines, scripts, votes, scores, explanations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from command_line import CommandLine, write_lines
from formula_items import CUP, KEYS, PEN, ROWS, lines
from shipped import TASKS

from tsgkit.suites.sceneeval.annotate import METRICS
from tsgkit.suites.sceneeval.annotation_files import (
    RULES,
    read_annotation_file,
    read_annotations,
    unmapped_relations,
)
from tsgkit.suites.sceneeval.annotation_replies import answer_text

LAYOUT = "eval --task formalimg/layout --data rows.jsonl"
SCORE = "score --task formalimg/layout --data rows.jsonl --replies replies.jsonl"
GUESSES = "eval --task formalimg/layout --model baseline/random"
TASK = "sceneeval/annotate"
EVAL = f"eval --task {TASK} --json"
SCRIPTED = f"{EVAL} --model script:right.jsonl --samples"
SAMPLES = read_annotation_file(TASKS / "sceneeval/data/annotations.csv").usable()
POOL = [json.loads(line) for line in (TASKS / "sceneeval/data/few-shot/annotate.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def sources(folder: Path) -> None:
    (folder / "rows.jsonl").write_text(lines(ROWS))
    replies = {"knolling/0": [CUP, PEN], "knolling/1": json.dumps([CUP])}
    write_lines("replies.jsonl", *({"item_id": name, "reply": reply} for name, reply in replies.items()))
    right = ({"item_id": one.item_id, "reply": f"Here:\n```json\n{answer_text(one)}\n```"} for one in SAMPLES)
    write_lines("right.jsonl", *right)


def test_layouts_are_evaluated_without_a_model_and_reported_gated_and_drawn_against_k(tsgkit: CommandLine) -> None:
    [result] = tsgkit("eval --task formalimg --data rows.jsonl --json --samples").json["results"]
    assert (result["subject"], result["task"], result["n"]) == ("baseline/solver", "formalimg/layout", 2)
    assert [result["profiles"][profile]["satisfied"]["value"] for profile in ("strict", "official")] == [1.0, 1.0]
    told = "natural items left out: 1 (no layout can be verified for them)"
    assert result["notes"] == [told]
    for more in ("", "--dry-run"):
        assert f"note: formalimg/layout: {told}\n" in tsgkit(f"{LAYOUT} --model baseline/random {more}").out
    [estimate] = tsgkit("eval --plan ten-objects --model baseline/random --dry-run --json").json["estimates"]
    assert (estimate["samples"], estimate["task"]) == (30, "formalimg/layout")
    [result] = tsgkit(f"{GUESSES} --limit 24 --out run --json").json["results"]
    assert "notes" not in result
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


def test_collected_layouts_are_scored_by_k_with_samples(tsgkit: CommandLine) -> None:
    value = tsgkit(f"{SCORE} --by k --json --samples").json
    assert (value["n"], value["profiles"]["strict"]["satisfied"]["value"]) == (2, 0.5)
    groups = {k: group["profiles"]["official"]["satisfied"]["value"] for k, group in value["by"]["k"].items()}
    assert groups == {"1": 0.0, "2": 1.0}
    assert value["profiles"]["strict"]["hard"] is None and "strict.hard" in value["reasons"]
    assert value["notes"] == ["natural items left out: 1 (no layout can be verified for them)"]
    assert "keys" in value["samples"][1]["evidence"]["reason"]
    out = tsgkit(SCORE).out
    assert "satisfied           50.0" in out and "note: natural items left out: 1" in out
    rows = TASKS / "tsg/data/tsgkit-1/sgds.jsonl"
    message = "formalimg is a suite; one task is wanted\n  its tasks: formalimg/knolling, formalimg/layout"
    write_lines("other.jsonl", {"item_id": "knolling/7", "reply": [KEYS]})
    tsgkit.refuses(
        {
            SCORE.replace("/layout", ""): message,
            "prompts show formalimg": message,
            SCORE.replace("layout", "natural"): "--images NAME=DIR",
            SCORE.replace("replies.jsonl", "other.jsonl"): "the data have no item knolling/7",
            f"score --task sgqa --data {rows} --replies x": "\n  these rows are of tsg/sgds: --task tsg/sgds\n",
            SCORE.replace("rows.jsonl", "-").replace("replies.jsonl", "-"): "are both standard input",
            "score --task sgqa --data - --from inspect x": "--data: a file is needed beside a log",
        }
    )


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


def test_rules_beat_chance_and_right_annotations_are_right_in_every_figure(tsgkit: CommandLine) -> None:
    rules, chance = tsgkit(f"{EVAL} --model baseline/rules --model baseline/random --out baselines").json["results"]
    for result in (rules, chance):
        assert set(result["profiles"]["strict"]) == set(METRICS)
        assert (result["n"], result["counts"]["answered"], result["counts"]["unread_entries"]) == (30, 30, 0)
        assert result["profiles"]["official"] is None
        assert "no figures are published" in result["reasons"]["official"]
    assert rules["profiles"]["strict"]["f1"]["value"] > 0.6
    assert 0 < chance["profiles"]["strict"]["f1"]["value"] < 0.2
    [right] = tsgkit(f"{SCRIPTED} --style cot --out right").json["results"]
    figures = {name: one["value"] for name, one in right["profiles"]["strict"].items()}
    assert figures == {name: 0.0 if name == "unread" else 1.0 for name in METRICS}
    assert tsgkit("rescore right --json").json["results"][0]["profiles"]["strict"] == right["profiles"]["strict"]
    out = tsgkit("report baselines right --by difficulty --metrics all").out
    assert all(word in out for word in (TASK, "easy", "medium", "hard"))
    assert "annotate" not in tsgkit("eval --task sceneeval --dry-run").out, "the suite alone means rooms"
    draws = [{"counts": ["eq,1,couch", "ge,1,armchair"]}] * 2 + [{"counts": ["eq,9,lamp"]}]
    write_lines("right.jsonl", {"item_id": "2", "reply": [json.dumps(one) for one in draws]})
    (result,) = tsgkit(f"{SCRIPTED} --solver vote:3 --ids 2 --out vote").json["results"]
    assert result["samples"][0]["answer"]["counts"] == ["eq,1,couch", "ge,1,armchair"]
    out = tsgkit("explain vote --item 2").out
    for line in (
        *(f"vote/{draw}" for draw in range(3)),
        "counts: ✓ eq,1,couch",
        "counts: ✗ missing: eq,1,coffee_table",
        "counts: ✗ not wanted: ge,1,armchair (quantity: eq,1,armchair is wanted)",
    ):
        assert line in out, line


def test_examples_are_clean_and_share_nothing_with_what_is_asked(tsgkit: CommandLine) -> None:
    descriptions = {" ".join(one["description"].lower().split()) for one in POOL}
    assert len(descriptions) == len(POOL) >= 10
    assert not descriptions & {" ".join(one.description.lower().split()) for one in SAMPLES}
    rows = [{key: value for key, value in one.items() if key != "rationale"} for one in POOL]
    pool = read_annotations(json.dumps({"format": "tsgkit/annotations", "annotations": rows}), "pool")
    assert {finding.code for finding in pool.findings} <= {"out-of-place"} <= {*RULES}
    assert not list(unmapped_relations(pool.annotations))
    assert {one.difficulty for one in pool.annotations} == {"easy", "medium", "hard"}
    Path("twin.json").write_text(json.dumps({"format": "tsgkit/annotations", "annotations": rows[:1]}))
    words = f"eval --task {TASK} --data twin.json --model script:x --style few-shot"
    shots = f"the pool has {len(POOL)}, --shots 11 asks for more"
    tsgkit.refuses(
        {
            words: "examples must share nothing with the data",
            f"prompts show {TASK} --style few-shot --shots 11": shots,
        }
    )
