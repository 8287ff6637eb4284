"""What extras add to commands: figures that matplotlib draws, and rows in Parquet files wherever data are named."""

from __future__ import annotations

import json
from pathlib import Path

from command_line import CommandLine
from compared_runs import IDS, evaluate, write_questions, write_script
from hub_server import SGQA, Hub, header, hub, hub_settings, table_of
from reported import baseline_run

__all__ = ["hub", "hub_settings"]


def test_figures_of_comparisons_and_reports_are_drawn_and_said_in_words(tsgkit: CommandLine, folder: Path) -> None:
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
    baseline_run(folder / "run", "tsg/sgqa", "tsg/sa-sgg", limit=10)
    for form, start in (("pdf", b"%PDF"), ("svg", b"<?xml"), ("png", b"\x89PNG")):
        ended = tsgkit(f"report run --figure tsg/sa-sgg.f1:implicit -o f1.{form} --columns 2")
        assert ended.err == f"tsgkit: written: f1.{form}\n"
        assert ended.out.startswith("f1 by implicit, strict. tsg/sa-sgg, f1, strict (%): baseline/rules (explicit: ")
        assert Path(f"f1.{form}").read_bytes().startswith(start), form


def test_mappings_in_a_dataset_say_how_its_table_is_read(hub: Hub, tsgkit: CommandLine) -> None:
    table_of(SGQA, "rows.parquet", item_id="identifier")
    mapping = {"split": "test"} | json.loads(Path("m.yaml").read_text())
    files = {
        "data/test-00000-of-00001.parquet": Path("rows.parquet").read_bytes(),
        "data/train-00000-of-00001.parquet": b"not this one",
        "tsgkit.yaml": json.dumps(mapping).encode(),
    }
    commit = hub.commit("lab/table", files, lfs=True)
    tsgkit("eval --data hf://lab/table --out run")
    assert header()["data"] == {"tsg/sgqa": f"hf://lab/table@{commit}/data/test.parquet"}
    assert not any("train" in path for path in hub.paths)
