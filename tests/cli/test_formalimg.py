"""The commands of the second suite, as people type them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from formula_items import CUP, KEYS, PEN, ROWS, lines

from tsgkit.cli import main


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.jsonl").write_text(lines(ROWS))
    replies = [{"item_id": "knolling/0", "reply": [CUP, PEN]}, {"item_id": "knolling/1", "reply": json.dumps([CUP])}]
    Path("replies.jsonl").write_text(lines(replies))


def test_a_layout_is_evaluated_without_a_model_or_a_key(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ortools", reason="formulas are solved with the extra")
    assert main(["eval", "--task", "formalimg", "--data", "rows.jsonl", "--json", "--samples"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["subject"], result["task"], result["n"]) == ("baseline/solver", "formalimg/layout", 2)
    assert result["profiles"]["strict"]["satisfied"]["value"] == 1.0
    assert result["profiles"]["official"]["satisfied"]["value"] == 1.0


GUESSES = ["eval", "--task", "formalimg/layout", "--model", "baseline/random"]


@pytest.fixture(scope="module")
def guessed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run over all bundled items."""
    folder = tmp_path_factory.mktemp("guessed") / "run"
    assert main([*GUESSES, "--out", str(folder), "--quiet"]) == 0
    return folder


@pytest.fixture
def run(guessed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(guessed, tmp_path / "run"))


def test_the_bundled_items_are_there_for_both_scenarios(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*GUESSES, "--out", "run", "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["n"] >= 100
    assert all(result["profiles"]["strict"][name] is not None for name in ("easy", "medium", "hard", "overall", "g"))


def scored(capsys: pytest.CaptureFixture[str], *options: str) -> Any:  # noqa: ANN401  (as JSON has it)
    command = ["score", "--task", "formalimg/layout", "--data", "rows.jsonl", "--replies", "replies.jsonl"]
    assert main([*command, *options]) == 0
    out = capsys.readouterr().out
    return json.loads(out) if "--json" in options else out


def test_collected_layouts_are_scored_by_k_with_samples(capsys: pytest.CaptureFixture[str]) -> None:
    found = scored(capsys, "--by", "k", "--json", "--samples")
    assert (found["n"], found["profiles"]["strict"]["satisfied"]["value"]) == (2, 0.5)
    assert {k: group["profiles"]["official"]["satisfied"]["value"] for k, group in found["by"]["k"].items()} == {
        "1": 0.0, "2": 1.0,
    }  # fmt: skip
    assert found["profiles"]["strict"]["hard"] is None
    assert "strict.hard" in found["reasons"]
    assert found["notes"] == ["natural items left out: 1 (no layout can be verified for them)"]
    assert "keys" in found["samples"][1]["evidence"]["reason"]


def test_items_are_asked_and_scored_by_their_own_names(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_text(lines([ROWS[0] | {"item_id": "desk-1"}, ROWS[1] | {"item_id": "desk-2"}]))
    Path("replies.jsonl").write_text(lines([{"item_id": "desk-1", "reply": [CUP, PEN]}]))
    found = scored(capsys, "--json", "--samples")
    assert [(one["item_id"], one["outcome"]) for one in found["samples"]] == [
        ("desk-1", "answered"),
        ("desk-2", "missing"),
    ]
    words = ("--task", "formalimg/layout", "--data", "rows.jsonl", "--model", "baseline/random", "--ids", "desk-2")
    assert main(["eval", *words, "--json", "--samples"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert [one["item_id"] for one in result["samples"]] == ["desk-2"]
    assert main(["prompts", "show", "formalimg/layout", "--data", "rows.jsonl", "--item", "desk-2"]) == 0
    assert ROWS[1]["prompt"] in capsys.readouterr().out


def test_an_empty_prompt_stops_an_evaluation_before_anything_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    Path("rows.jsonl").write_text(lines([ROWS[0] | {"prompt": ""}]))
    Path("replies.jsonl").write_text("")
    assert scored(capsys, "--json")["counts"]["missing"] == 1
    assert main(["eval", "--task", "formalimg/layout", "--data", "rows.jsonl", "--model", "baseline/random"]) == 2
    assert "rows.jsonl: line 1: prompt: it is empty" in capsys.readouterr().err


def test_a_level_is_shown_as_it_is_and_shares_in_percent(capsys: pytest.CaptureFixture[str]) -> None:
    out = scored(capsys)
    assert "satisfied           50.0" in out
    assert "note: natural items left out: 1" in out


def test_rows_of_the_other_scenario_are_told_by_eval(capsys: pytest.CaptureFixture[str]) -> None:
    told = "natural items left out: 1 (no layout can be verified for them)"
    command = ["eval", "--task", "formalimg/layout", "--model", "baseline/random", "--data", "rows.jsonl"]
    assert main(command) == 0
    assert f"note: formalimg/layout: {told}\n" in capsys.readouterr().out
    assert main([*command, "--dry-run"]) == 0
    assert f"note: formalimg/layout: {told}\n" in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert result["notes"] == [told]
    Path("rows.jsonl").write_text(lines(ROWS[:2]))
    assert main([*command, "--json"]) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert "notes" not in result


def test_a_suite_where_one_task_is_wanted_is_answered_with_its_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    score = ["score", "--task", "formalimg", "--data", "rows.jsonl", "--replies", "replies.jsonl"]
    images = ["images", "--task", "formalimg", "--model", "openai/x", "-o", "pictures", "--dry-run"]
    for command in (score, images, ["prompts", "show", "formalimg"]):
        assert main(command) == 2
        said = capsys.readouterr().err
        assert "formalimg is a suite; one task is wanted" in said
        assert "its tasks: formalimg/knolling, formalimg/layout, formalimg/natural" in said


def test_images_for_a_whole_suite_are_answered_with_the_tasks_that_take_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["eval", "--task", "formalimg", "--images", "mine=."]) == 2
    said = capsys.readouterr().err
    assert "formalimg/layout takes models" in said
    assert "--task formalimg/knolling or --task formalimg/natural" in said
    assert main(["eval", "--task", "formalimg", "--scenes", "mine=."]) == 2
    assert "tasks that take" not in capsys.readouterr().err


def test_an_explanation_shows_the_verdict_part_by_part(capsys: pytest.CaptureFixture[str]) -> None:
    Path("script.jsonl").write_text(lines([{"item_id": "knolling/1", "reply": json.dumps([KEYS])}]))
    layout = ["eval", "--task", "formalimg/layout", "--data", "rows.jsonl", "--model", "script:script.jsonl"]
    assert main([*layout, "--out", "run"]) == 0
    capsys.readouterr()
    assert main(["explain", "run", "--item", "knolling/1"]) == 0
    said = capsys.readouterr().out
    assert "strict verdict, part by part\n  | ✓ " in said
    assert "is on the top side: its centre is at y = 140, the middle at 500" in said
    assert main(["explain", "run", "--item", "knolling/1", "--json"]) == 0
    [row] = json.loads(capsys.readouterr().out)["rows"]
    assert row["trace"][0].startswith("✓ ")
    assert main(["explain", "run", "--item", "knolling/1", "--html", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert "Strict verdict, part by part" in page
    assert "its centre is at y = 140" in page
    capsys.readouterr()
    assert main(["explain", "run", "--item", "knolling/0"]) == 0
    assert "part by part" not in capsys.readouterr().out


def test_a_gate_may_stand_at_a_level(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = [*GUESSES, "--out", "run", "--fail-under"]
    assert main([*command, "formalimg/layout.g=9"]) == 3
    assert "g is" in capsys.readouterr().err
    assert main([*command, "formalimg/layout.satisfied=9"]) == 2


def test_runs_are_reported_beside_the_published_tables_and_drawn_against_k(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "run", "--against", "published"]) == 0
    assert "Deepseek-V3.2-Thinking" in capsys.readouterr().out
    assert main(["report", "run", "--format", "html", "-o", "page.html"]) == 0
    assert "k: objects that depend on each other" in Path("page.html").read_text()


def test_a_run_is_reported_by_the_predicates_of_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["eval", "--task", "formalimg/layout", "--limit", "6", "--model", "baseline/random", "--out", "run"]) == 0
    )
    capsys.readouterr()
    assert main(["report", "run", "--by", "predicate", "--format", "json"]) == 0
    boards = json.loads(capsys.readouterr().out)["rows"][0]["by"]["predicate"]
    assert boards["Is"]["profiles"]["strict"]["failed"]["n"] == boards["Is"]["counts"]["clauses"]
    assert set(boards["Is"]["profiles"]["strict"]) == {"failed"}
    assert main(["report", "run", "--by", "predicate", "--format", "html", "-o", "page.html"]) == 0
    assert "failed, strict" in Path("page.html").read_text(encoding="utf-8")


def test_clauses_of_an_item_whose_service_failed_count_as_failed_by_predicate(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = [{"item_id": "knolling/0", "reply": None, "outcome": "api_error"}, {"item_id": "knolling/1", "reply": "[]"}]
    Path("script.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    command = ["eval", "--task", "formalimg/layout", "--ids", "knolling/0", "--model", "script:script.jsonl"]
    assert main([*command, "--out", "run", "--quiet"]) == 1
    capsys.readouterr()
    assert main(["report", "run", "--by", "predicate", "--format", "json"]) == 1
    boards = json.loads(capsys.readouterr().out)["rows"][0]["by"]["predicate"]
    assert boards["Is"]["counts"]["failed_clauses"] == boards["Is"]["counts"]["clauses"] > 0


def test_wrong_names_are_answered_with_right_ones(capsys: pytest.CaptureFixture[str]) -> None:
    layout = ["eval", "--task", "formalimg/layout", "--data", "rows.jsonl"]
    for options, told in (
        (["--model", "baseline/solvr"], "baseline/solver?"),
        (["--solver", "vote:3"], "vote:3 cannot do formalimg/layout: its answers cannot be put to a vote"),
        (["--style", "few-shots"], "few-shot?"),
        (["--images", "mine=."], "formalimg/layout takes models"),
    ):
        assert main([*layout, *options]) == 2
        assert told in capsys.readouterr().err
    assert main(["score", "--task", "formalimg/natural", "--data", "rows.jsonl", "--replies", "replies.jsonl"]) == 2
    assert "--images NAME=DIR" in capsys.readouterr().err
    Path("replies.jsonl").write_text(lines([{"item_id": "knolling/7", "reply": [KEYS]}]))
    assert main(["score", "--task", "formalimg/layout", "--data", "rows.jsonl", "--replies", "replies.jsonl"]) == 2
    assert "the data have no item knolling/7" in capsys.readouterr().err


def test_the_plan_of_ten_objects_asks_bundled_items(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["eval", "--plan", "ten-objects", "--model", "baseline/random", "--out", "run", "--json", "--quiet"]
    assert main(words) == 0
    [result] = json.loads(capsys.readouterr().out)["results"]
    assert (result["n"], result["subject"]) == (30, "baseline/random")
    assert main(["report", "run", "--by", "k", "--format", "json"]) == 0
    boards = json.loads(capsys.readouterr().out)["rows"][0]["by"]["k"]
    assert {k: board["n"] for k, board in boards.items()} == {"1": 10, "2": 10, "10": 10}
