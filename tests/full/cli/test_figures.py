"""Figures that ``tsgkit report`` and ``tsgkit compare`` draw with matplotlib."""

from __future__ import annotations

from pathlib import Path

from command_line import CommandLine
from compared_runs import evaluate, item_ids, write_questions, write_script
from reported import baseline_run

IDS = item_ids()


def test_figures_of_comparisons_are_drawn_beside_the_table(tsgkit: CommandLine) -> None:
    write_questions(Path("questions.jsonl"), IDS)
    for name, right in (("old", IDS[:22]), ("new", IDS[20:])):
        write_script(Path(f"{name}.jsonl"), IDS, right)
        evaluate(name, f"script:{name}.jsonl")
    table = tsgkit("compare old new --items").out
    ended = tsgkit("compare old new --items --figure items.pdf --by k --columns 2")
    assert (ended.out, ended.err) == (table, "tsgkit: written: items.pdf\n")
    value = tsgkit("compare old new --json --figure differences.svg").json
    assert value["comparisons"][0]["items"] == 24
    assert Path("items.pdf").read_bytes().startswith(b"%PDF")
    assert "<svg" in Path("differences.svg").read_text()


def test_figures_of_reports_are_written_and_said_in_words(folder: Path, tsgkit: CommandLine) -> None:
    baseline_run(folder / "run", "tsg/sgqa", "tsg/sa-sgg", limit=10)
    for form, start in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        ended = tsgkit(f"report run --figure tsg/sa-sgg.f1:implicit -o f1.{form} --columns 2")
        assert ended.err == f"tsgkit: written: f1.{form}\n"
        assert ended.out.startswith("f1 by implicit, strict. tsg/sa-sgg, f1, strict (%): baseline/rules (explicit: ")
        assert Path(f"f1.{form}").read_bytes().startswith(start), form
