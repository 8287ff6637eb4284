"""The command that audits data: what it prints, what it writes, how it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from samples import SGDS, SGG, SGQA, lines

from tsgkit.cli import main
from tsgkit.library.cards import load_card
from tsgkit.library.projects import find, text_of

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA is not set")


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = main(["audit", *words])
    out, err = capsys.readouterr()
    return code, out, err


def audited(capsys: pytest.CaptureFixture[str], *words: str) -> dict:  # type: ignore[type-arg]
    code, out, _ = told(capsys, *words, "--json")
    assert code == 0
    [found] = json.loads(out)["audits"]
    assert isinstance(found, dict)
    return found


def slips(found: dict) -> set[tuple[str, str]]:  # type: ignore[type-arg]
    return {(check["code"], slip["item_id"]) for check in found["checks"] for slip in check["found"]}


@pytest.mark.parametrize("task", ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"])
def test_our_own_data_have_no_slip(task: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, "--task", task)
    assert [check["code"] for check in found["checks"] if check["severity"] == "error" and check["found"]] == []


def test_suite_stands_for_its_tasks_that_can_be_audited(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "--task", "tsg", "--task", "sgqa", "--json")
    assert code == 0
    assert [one["task"] for one in json.loads(out)["audits"]] == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]


def test_graphs_spoilt_in_other_ways_are_no_duplicates(capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, "--task", "tsg/refine")
    assert not any(code in ("duplicate", "twin") for code, _ in slips(found))
    assert [one["name"] for one in found["shortcuts"]] == ["the given graph, one triplet turned or dropped"]


def test_a_report_can_be_read_by_somebody_who_knows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = told(capsys, "--task", "tsg/sgds")
    assert code == 0
    assert "Blind guessing gets 20.0 %." in out
    assert "A model that gets less than" in out
    assert "what can be had without understanding" in out


def test_a_row_that_no_evaluation_takes_is_a_slip(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(SGDS, SGDS | {"position": 9, "target_sentence": "Other."}) + "{broken\n")
    found = audited(capsys, str(data))
    assert {("no-key", "1")} <= slips(found)
    assert any(code == "broken-line" for code, _ in slips(found))


def test_an_item_of_one_graph_among_items_of_several_is_a_slip_and_audited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "ma-sgg.jsonl"
    two = SGG | {"target_sentence": "Twice.", "graphs": [*SGG["graphs"], *SGG["graphs"]]}
    data.write_text(lines(SGG | {"item_id": "one"}, SGG | {"item_id": "lone"}, two | {"item_id": "two"}))
    found = audited(capsys, "--task", "tsg/ma-sgg", str(data))
    assert {("single-graph", "one"), ("single-graph", "lone")} <= slips(found)
    assert found["items"] == 3


def test_sentences_that_count_other_hands_than_their_graph_are_found_and_others_not(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = [["person", "verb", "turn"], ["turn", "dobj", "cup"], ["turn", "with", "hand1"], ["turn", "with", "hand2"]]
    sentences = {
        "wrong": "She turns the cup with one hand.",
        "passed": "She turns the cup from one hand to the other.",
        "parted": "She turns the cup, one hand for each side.",
        "right": "She turns the cup with both hands.",
    }
    rows = [
        SGG | {"item_id": name, "target_sentence": text, "graphs": [{"triplets": both}]}
        for name, text in sentences.items()
    ]
    data = tmp_path / "sa-sgg.jsonl"
    data.write_text(lines(*rows))
    found = slips(audited(capsys, "--task", "tsg/sa-sgg", str(data)))
    assert {item for code, item in found if code == "hands"} == {"wrong"}


def test_items_that_worked_examples_show_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    card = load_card("tsg/sgqa")
    assert card.examples is not None
    shown = json.loads(text_of(find("tasks", card.examples)).splitlines()[0])
    data = tmp_path / "sgqa.jsonl"
    data.write_text(lines(SGQA, shown))
    assert any(code == "contamination" for code, _ in slips(audited(capsys, str(data))))


@needs_official
def test_the_slips_of_the_published_choices_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = audited(capsys, f"{OFFICIAL}/tsg_sgds_sample.jsonl")
    assert {
        ("contradiction", "4"),
        ("contradiction", "5"),
        ("few-options", "4"),
        *(("twin", str(number)) for number in (1, 3, 5, 7, 9, 11)),
        ("hand-name", "8"),
        ("step-before", "0"),
        ("lone-letter", "3"),
    } <= slips(found)


@needs_official
def test_the_slips_of_the_published_questions_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = slips(audited(capsys, f"{OFFICIAL}/tsg_sgqa_sample.jsonl"))
    codes = {code for code, _ in found}
    assert {"edge-misspelt", "no-action", "dobj-source", "empty-name", "hand-name", "answer-in-question"} <= codes


def test_pages_and_markdown_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, begin in (("a.md", "# Audit"), ("a.html", "<!doctype html>")):
        code, out, _ = told(capsys, "--task", "tsg/sgqa", "-o", str(tmp_path / name))
        assert (code, out) == (0, f"audited: {tmp_path / name}\n")
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(begin)


def test_data_are_shown_and_never_obeyed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "sgqa.jsonl"
    evil = "<script>alert(1)</script>\x1b[31m"
    data.write_text(lines(SGQA | {"qa_pairs": [{"Q": "What?", "A": evil}]}))
    code, _, _ = told(capsys, str(data), "-o", str(tmp_path / "a.html"))
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert code == 0
    assert "<script" not in page
    assert "\x1b" not in page
    assert "\x1b" not in told(capsys, str(data))[1]


def test_a_run_loses_what_a_shortcut_gives(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    assert main(["eval", "--task", "tsg/sgds", "--model", "baseline/rules", "--out", run, "--quiet"]) == 0
    capsys.readouterr()
    [row] = audited(capsys, "--task", "tsg/sgds", "--run", run)["runs"]
    assert row["shortcut"] == "the option that mentions most names of the graph"
    assert row["n"] == 60
    assert row["right"] >= row["on_shortcuts"] > 0
    assert row["value_left"] < row["value"]


def test_a_run_of_several_tasks_is_audited_task_by_task(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data, run = tmp_path / "data", str(tmp_path / "run")
    data.mkdir()
    (data / "sgds.jsonl").write_text(lines(SGDS))
    (data / "sgqa.jsonl").write_text(lines(SGQA))
    both = ["--task", "tsg/sgds", "--task", "tsg/sgqa", "--data", str(data), "--ids", "0", "0/0"]
    assert main(["eval", *both, "--out", run, "--quiet"]) == 0
    capsys.readouterr()
    for words, tasks in (
        (["--run", run], ["tsg/sgds", "tsg/sgqa"]),
        ([str(data), "--run", run], ["tsg/sgds", "tsg/sgqa"]),
        (["--task", "tsg/sgqa", "--run", run], ["tsg/sgqa"]),
        ([str(data / "sgds.jsonl"), "--run", run], ["tsg/sgds"]),
    ):
        code, out, err = told(capsys, *words, "--json")
        assert (code, err) == (0, "")
        found = json.loads(out)["audits"]
        assert [one["task"] for one in found] == tasks
        assert all(one["items"] == 1 and one["runs"] for one in found)


def test_an_installed_dataset_needs_no_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(home))
    assert told(capsys, "tsg-bench")[0] == 2
    (tmp_path / "sgds.jsonl").write_text(lines(SGDS))
    assert main(["data", "import", "tsg-bench", str(tmp_path)]) == 0
    capsys.readouterr()
    [name] = (path.name for path in home.iterdir() if path.is_dir())
    found = [audited(capsys, words) for words in (name, str(home / name / "sgds.jsonl"), str(tmp_path))]
    assert [one["task"] for one in found] == ["tsg/sgds"] * 3
    assert found[0]["checks"] == found[1]["checks"] == found[2]["checks"]


def choice(target: str, others: list[str], graph: list[list[str]], **fields: object) -> dict[str, object]:
    made = SGDS | {
        "variations": [*others, target],
        "position": len(others),
        "target_sentence": target,
        "triplet": graph,
    }
    return {name: value for name, value in (made | fields).items() if value is not None}


def acts(verb: str, *things: str) -> list[list[str]]:
    return [
        ["person", "verb", verb],
        *([verb, "dobj", thing] for thing in things[:1]),
        *([verb, "with", t] for t in things[1:]),
    ]


def test_halves_are_told_apart_by_the_graphs_of_their_candidates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "sgds.jsonl"
    without = {name: value for name, value in SGDS.items() if name != "variation_triplets"}
    data.write_text(lines(SGDS, without, without))
    groups = audited(capsys, str(data))["shortcuts"][0]["groups"]
    assert {one["group"]: one["n"] for one in groups} == {
        "perturbed half (without variation_triplets)": 2,
        "random half (with variation_triplets)": 1,
    }
    assert "by group" in told(capsys, str(data))[1]
    data.write_text(lines(SGDS))
    assert audited(capsys, str(data))["shortcuts"][0]["groups"] == []


def test_the_headline_names_the_worst_group(capsys: pytest.CaptureFixture[str]) -> None:
    out = told(capsys, "--task", "tsg/sgds")[1]
    assert "Within groups the best gets 100.0 % of unrelated (n = 30, chance 20.0 %)" in out
    worst = audited(capsys, "--task", "tsg/sgds")["worst_group"]
    assert (worst["group"], worst["n"], worst["value"]) == ("unrelated", 30, 1.0)


def test_one_short_row_is_reported_once_and_slips_come_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "sgds.jsonl"
    short = choice("She undoes it.", ["a", "b", "c"], acts("open", "box"), variation_triplets=None)
    data.write_text(lines(SGDS, SGDS | {"target_sentence": "A"}, short))
    found = slips(audited(capsys, str(data)))
    assert ("few-options", "2") in found
    assert not any(code == "few-candidates" for code, _ in found)
    out = told(capsys, str(data))[1]
    assert (
        out.index("slips: items that cannot be trusted") < out.index("what can be had") < out.index("worth knowing of")
    )


def test_hand_remarks_are_folded_to_a_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    graph = acts("wash", "cup", "hand1")
    row = choice("She washes the cup with both hands.", ["b", "c", "d", "e"], graph, variation_triplets=None)
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(row))
    out = told(capsys, str(data))[1]
    assert "hands: 1 in all; --json lists them" in out
    assert ("hands", "0") in slips(audited(capsys, str(data)))


def test_things_called_like_an_opposite_are_no_contradiction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        choice(text, ["b", "c", "d", "e"], acts("unscrew", "screw"), variation_triplets=None)
        for text in ("The screws were unfastened.", "He screws the bolt in.", "Rusty screws were taken out.")
    ]
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(*rows))
    found = {item for code, item in slips(audited(capsys, str(data))) if code == "contradiction"}
    assert found == {"1"}


def test_distractors_that_describe_an_earlier_step_are_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, asked = acts("wash", "cup", "sponge"), acts("dry", "cup")
    others = ["The cup was washed with a sponge.", "The cup was not washed with a sponge.", "c", "d"]
    by_words = choice("The cup was dried.", others, asked, context_graphs=[before], variation_triplets=None)
    graphs = [acts("lift", "pan"), before, acts("fill", "jar"), acts("cut", "rope"), asked]
    by_graphs = by_words | {"variation_triplets": graphs}
    ironed = choice(
        "She presses the strip.",
        ["The collar is pressed with the iron.", "b", "c", "d"],
        acts("iron", "strip", "iron"),
        context_graphs=[acts("iron", "collar", "iron")],
        variation_triplets=None,
    )
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(by_words, by_graphs, ironed))
    found = audited(capsys, str(data))
    [check] = (one for one in found["checks"] if one["code"] == "earlier-step")
    assert [(one["item_id"], one["message"]) for one in check["found"]] == [
        ("0", "candidate A describes graph 0 of the context"),
        ("1", "candidate B describes graph 0 of the context"),
    ]
    assert check["severity"] == "warning"


def test_keys_that_fit_worse_than_a_distractor_are_a_suspicion(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graph = acts("loosen", "nut", "wrench")
    rest: dict[str, object] = {"variation_triplets": None, "context_graphs": []}
    rows = [
        choice("The nut is tightened with a wrench.", ["The nut is loosened with a wrench.", *"bcd"], graph, **rest),
        choice("The fastener is undone.", ["The nut is loosened with the wrench.", *"bcd"], graph, **rest),
        choice("The fastener is undone.", ["The nut is never loosened with the wrench.", *"bcd"], graph, **rest),
        choice("The nut is undone by wrench.", ["The nut is loosened with the wrench.", *"bcd"], graph, **rest),
        choice("The nut is loosened.", ["The nut is loosened with the wrench.", *"bcd"], graph, **rest),
    ]
    data = tmp_path / "sgds.jsonl"
    data.write_text(lines(*rows))
    found = {item for code, item in slips(audited(capsys, str(data))) if code == "better-option"}
    assert found == {"0", "1"}


def test_data_other_than_those_of_the_run_are_refused_with_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, data = str(tmp_path / "run"), tmp_path / "sgds.jsonl"
    assert main(["eval", "--task", "tsg/sgds", "--limit", "2", "--out", run, "--quiet"]) == 0
    data.write_text(lines(SGDS))
    capsys.readouterr()
    code, _, err = told(capsys, str(data), "--run", run)
    assert code == 2
    assert "not the data that were asked about" in err and "tsgkit audit: DATA" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "nothing to audit"),
        (["no-such-file"], "no-such-file: no such file or folder"),
        (["--task", "tsg/none"], "there is no task tsg/none"),
        (["--task", "sceneeval"], "sceneeval: it cannot be audited\n  these can be audited: formalimg/knolling, "),
        (["--task", "tsg/sgds", "-o", "report.txt"], "a report is Markdown or HTML"),
        (["--task", "tsg/sgds", "--run", "nowhere"], "no run lies here"),
    ],
)
def test_audit_refuses_invalid_arguments(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = told(capsys, *words)
    assert code == 2
    assert message in err
