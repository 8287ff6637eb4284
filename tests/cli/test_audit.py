"""``tsgkit audit``: what it finds, prints and writes, and how it refuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine, write_lines
from samples import SGDS, SGG, SGQA

from tsgkit.library.cards import load_card
from tsgkit.library.projects import find, text_of

OFFICIAL = os.environ.get("TSGKIT_OFFICIAL_DATA")
needs_official = pytest.mark.skipif(not OFFICIAL, reason="TSGKIT_OFFICIAL_DATA is not set")


def audited(tsgkit: CommandLine, words: str) -> dict[str, Any]:
    [audit] = tsgkit(f"audit {words} --json").json["audits"]
    assert isinstance(audit, dict)
    return audit


def slips(audit: dict[str, Any]) -> set[tuple[str, str]]:
    return {(check["code"], slip["item_id"]) for check in audit["checks"] for slip in check["found"]}


def choice(target: str, others: list[str], graph: list[list[str]], **fields: object) -> dict[str, object]:
    """Return a row of a choice without candidate graphs."""
    row = SGDS | {"variations": [*others, target], "position": len(others), "target_sentence": target}
    row = row | {"triplet": graph, "variation_triplets": None} | fields
    return {name: value for name, value in row.items() if value is not None}


def acts(verb: str, thing: str, *tools: str) -> list[list[str]]:
    return [["person", "verb", verb], [verb, "dobj", thing], *([verb, "with", tool] for tool in tools)]


def test_own_data_have_no_slip(tsgkit: CommandLine) -> None:
    audits = tsgkit("audit --task tsg --task sgqa --json").json["audits"]
    assert [one["task"] for one in audits] == ["tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"]
    for audit in audits:
        wrong = [check["code"] for check in audit["checks"] if check["severity"] == "error" and check["found"]]
        assert wrong == [], audit["task"]


def test_report_explains_itself_and_is_written_as_a_page_or_markdown(tsgkit: CommandLine) -> None:
    out = tsgkit("audit --task tsg/sgds").out
    for part in (
        "Blind guessing gets 20.0 %.",
        "A model that gets less than",
        "what can be had without understanding",
        "Within groups the best gets 100.0 % of unrelated (n = 30, chance 20.0 %)",
    ):
        assert part in out, part
    worst = audited(tsgkit, "--task tsg/sgds")["worst_group"]
    assert (worst["group"], worst["n"], worst["value"]) == ("unrelated", 30, 1.0)
    for name, begin in (("a.md", "# Audit"), ("a.html", "<!doctype html>")):
        assert tsgkit(f"audit --task tsg/sgqa -o {name}").out == f"audited: {name}\n"
        assert Path(name).read_text(encoding="utf-8").startswith(begin)


def test_rows_that_no_evaluation_takes_are_slips(tsgkit: CommandLine) -> None:
    write_lines("sgds.jsonl", SGDS, SGDS | {"position": 9, "target_sentence": "Other."})
    with Path("sgds.jsonl").open("a") as stream:
        stream.write("{broken\n")
    found = slips(audited(tsgkit, "sgds.jsonl"))
    assert ("no-key", "1") in found and "broken-line" in {code for code, _ in found}
    two = SGG | {"target_sentence": "Twice.", "graphs": [*SGG["graphs"], *SGG["graphs"]]}
    write_lines("ma-sgg.jsonl", SGG | {"item_id": "one"}, SGG | {"item_id": "lone"}, two | {"item_id": "two"})
    audit = audited(tsgkit, "--task tsg/ma-sgg ma-sgg.jsonl")
    assert {("single-graph", "one"), ("single-graph", "lone")} <= slips(audit) and audit["items"] == 3


def test_items_that_worked_examples_show_are_found(tsgkit: CommandLine) -> None:
    examples = load_card("tsg/sgqa").examples
    assert examples is not None
    write_lines("sgqa.jsonl", SGQA)
    with Path("sgqa.jsonl").open("a") as stream:
        stream.write(text_of(find("tasks", examples)).splitlines()[0] + "\n")
    assert "contamination" in {code for code, _ in slips(audited(tsgkit, "sgqa.jsonl"))}


@needs_official
def test_slips_of_the_published_rows_are_found(tsgkit: CommandLine) -> None:
    assert {
        ("contradiction", "4"),
        ("contradiction", "5"),
        ("few-options", "4"),
        *(("twin", str(number)) for number in (1, 3, 5, 7, 9, 11)),
        ("hand-name", "8"),
        ("step-before", "0"),
        ("lone-letter", "3"),
    } <= slips(audited(tsgkit, f"{OFFICIAL}/tsg_sgds_sample.jsonl"))
    codes = {code for code, _ in slips(audited(tsgkit, f"{OFFICIAL}/tsg_sgqa_sample.jsonl"))}
    assert {"edge-misspelt", "no-action", "dobj-source", "empty-name", "hand-name", "answer-in-question"} <= codes


def test_data_are_shown_and_never_obeyed(tsgkit: CommandLine) -> None:
    evil = "<script>alert(1)</script>\x1b[31m"
    write_lines("sgqa.jsonl", SGQA | {"qa_pairs": [{"Q": "What?", "A": evil}]})
    tsgkit("audit sgqa.jsonl -o a.html")
    page = Path("a.html").read_text(encoding="utf-8")
    assert "<script" not in page and "\x1b" not in page + tsgkit("audit sgqa.jsonl").out


def test_runs_lose_what_a_shortcut_gives_and_are_audited_task_by_task(tsgkit: CommandLine) -> None:
    tsgkit("eval --task tsg/sgds --model baseline/rules --out run --quiet")
    [row] = audited(tsgkit, "--task tsg/sgds --run run")["runs"]
    assert row["shortcut"] == "the option that mentions most names of the graph"
    assert (row["n"], row["value_left"] < row["value"], row["right"] >= row["on_shortcuts"] > 0) == (60, True, True)
    Path("data").mkdir()
    write_lines("data/sgds.jsonl", SGDS)
    write_lines("data/sgqa.jsonl", SGQA)
    tsgkit("eval --task tsg/sgds --task tsg/sgqa --data data --ids 0 0/0 --out both --quiet")
    for words, tasks in {
        "": ["tsg/sgds", "tsg/sgqa"],
        "data": ["tsg/sgds", "tsg/sgqa"],
        "--task tsg/sgqa": ["tsg/sgqa"],
        "data/sgds.jsonl": ["tsg/sgds"],
    }.items():
        ended = tsgkit(f"audit {words} --run both --json")
        audits = ended.json["audits"]
        assert (ended.err, [one["task"] for one in audits]) == ("", tasks), words
        assert all(one["items"] == 1 and one["runs"] for one in audits), words
    other = tsgkit("audit data/sgds.jsonl --run run", code=2).err
    assert "not the data that were asked about" in other and "tsgkit audit: DATA" in other


def test_installed_datasets_need_no_task(folder: Path, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine) -> None:
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(folder / "home"))
    tsgkit("audit tsg-bench", code=2)
    write_lines("sgds.jsonl", SGDS)
    tsgkit("data import tsg-bench .")
    audits = [audited(tsgkit, words) for words in ("tsg-bench", "home/tsg-bench/sgds.jsonl", "sgds.jsonl")]
    assert [one["task"] for one in audits] == ["tsg/sgds"] * 3
    assert audits[0]["checks"] == audits[1]["checks"] == audits[2]["checks"]


def test_choices_that_contradict_or_repeat_a_step_are_found_and_lookalikes_not(tsgkit: CommandLine) -> None:
    texts = ("The screws were unfastened.", "He screws the bolt in.", "Rusty screws were taken out.")
    write_lines("sgds.jsonl", *(choice(text, ["b", "c", "d", "e"], acts("unscrew", "screw")) for text in texts))
    found = slips(audited(tsgkit, "sgds.jsonl"))
    assert {item for code, item in found if code == "contradiction"} == {"1"}, "things are called like an opposite"
    before, asked = acts("wash", "cup", "sponge"), acts("dry", "cup")
    others = ["The cup was washed with a sponge.", "The cup was not washed with a sponge.", "c", "d"]
    by_words = choice("The cup was dried.", others, asked, context_graphs=[before])
    graphs = [acts("lift", "pan"), before, acts("fill", "jar"), acts("cut", "rope"), asked]
    ironed = choice(
        *("She presses the strip.", ["The collar is pressed with the iron.", "b", "c", "d"]),
        acts("iron", "strip", "iron"),
        context_graphs=[acts("iron", "collar", "iron")],
    )
    write_lines("sgds.jsonl", by_words, by_words | {"variation_triplets": graphs}, ironed)
    [check] = (one for one in audited(tsgkit, "sgds.jsonl")["checks"] if one["code"] == "earlier-step")
    assert [(one["item_id"], one["message"]) for one in check["found"]] == [
        ("0", "candidate A describes graph 0 of the context"),
        ("1", "candidate B describes graph 0 of the context"),
    ]
    assert check["severity"] == "warning"


def test_keys_that_fit_worse_than_a_distractor_are_a_suspicion(tsgkit: CommandLine) -> None:
    graph = acts("loosen", "nut", "wrench")
    rows = (
        choice(key, [distractor, *"bcd"], graph, context_graphs=[])
        for key, distractor in (
            ("The nut is tightened with a wrench.", "The nut is loosened with a wrench."),
            ("The fastener is undone.", "The nut is loosened with the wrench."),
            ("The fastener is undone.", "The nut is never loosened with the wrench."),
            ("The nut is undone by wrench.", "The nut is loosened with the wrench."),
            ("The nut is loosened.", "The nut is loosened with the wrench."),
        )
    )
    write_lines("sgds.jsonl", *rows)
    found = slips(audited(tsgkit, "sgds.jsonl"))
    assert {item for code, item in found if code == "better-option"} == {"0", "1"}


def test_audit_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "": "nothing to audit",
            "no-such-file": "no-such-file: no such file or folder",
            "--task tsg/none": "there is no task tsg/none",
            "--task sceneeval": "sceneeval: it cannot be audited\n  these can be audited: formalimg/knolling, ",
            "--task tsg/sgds -o report.txt": "a report is Markdown or HTML",
            "--task tsg/sgds --run nowhere": "no run lies here",
        },
        "audit",
    )
