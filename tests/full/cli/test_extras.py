"""What extras add to commands: figures that matplotlib draws, and rows in Parquet files wherever data are named."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet
from command_line import CommandLine
from compared_runs import evaluate, item_ids, write_questions, write_script
from hub_rows import ROWS, SGQA, header, hub, hub_settings, table_of
from hub_server import Hub
from reported import baseline_run

__all__ = ["hub", "hub_settings"]
IDS = item_ids()


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


def test_parquet_tables_with_a_mapping_are_asked_as_rows_are(tsgkit: CommandLine) -> None:
    table_of(SGQA, "rows.parquet", item_id="identifier", triplets="graphs")
    tsgkit("eval --data rows.parquet --mapping m.yaml --out run")
    assert (header()["plan"]["data"], header()["samples"]) == ("rows.parquet#m.yaml", 90)
    tsgkit("report run")
    for words in ("audit", "check", "prompts show tsg/sgqa --data"):
        tsgkit(f"{words} rows.parquet --mapping m.yaml")


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


def test_annotations_of_scenes_and_folders_of_tables_may_be_parquet(tsgkit: CommandLine) -> None:
    with ROWS["sceneeval/annotate"].open(newline="", encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), "rows.parquet")
    for data, run in (("rows.parquet", "run"), (ROWS["sceneeval/annotate"], "other")):
        tsgkit(f"eval --task sceneeval/annotate --first 3 --data {data} --out {run}")
    assert header()["identity"] == header("other")["identity"]
    Path("tables").mkdir()
    graphs = [json.loads(line) for line in SGQA.read_text().splitlines()]
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(graphs), "tables/sgqa.parquet")
    tsgkit("eval --data tables --out tabled")
    assert header("tabled")["data"] == {"tsg/sgqa": "tables/sgqa.parquet"}
