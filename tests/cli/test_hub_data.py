"""Rows of the hub and of CSV wherever data are named, on the command line and from Python."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from command_line import CommandLine
from hub_rows import HOME, ROWS, SGDS, SGQA, header, hub, hub_settings, table_of
from hub_server import Hub

import tsgkit as tk
from tsgkit.errors import UsageError
from tsgkit.library import hub_store
from tsgkit.suites.suite import tasks_of_data

__all__ = ["hub", "hub_settings"]


def test_every_suite_takes_rows_of_the_hub(hub: Hub, tsgkit: CommandLine) -> None:
    for number, (task, source) in enumerate(ROWS.items()):
        commit = hub.commit(f"lab/rows{number}", {source.name: source.read_bytes()}, lfs=True)
        run = f"run{number}"
        tsgkit(f"eval --task {task} --data hf://lab/rows{number} --first 3 --out {run}")
        assert header(run)["plan"]["data"] == f"hf://lab/rows{number}@{commit}"
        assert header(run)["data"] == {task: f"hf://lab/rows{number}@{commit}/{source.name}"}
        (origin,) = header(run)["sources"].values()
        assert origin["source"] == f"hf://lab/rows{number}@{commit}"


def test_runs_are_shown_and_repeated_from_their_header_when_main_has_moved(
    hub: Hub, tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()}, lfs=True)
    tsgkit("eval --data hf://lab/rows --out run")
    tsgkit(f"eval --data {SGQA} --out other")
    assert header()["identity"] == header("other")["identity"] and "sources" not in header("other")
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes().split(b"\n", 1)[1]}, lfs=True)
    monkeypatch.setattr(hub_store, "_seen", {})
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for words in ("report run", "samples run", "rescore run", "runs show run", "audit --run run"):
        assert tsgkit(words).err == "", words
    tsgkit("eval --out again --data", header()["plan"]["data"])
    assert header("again")["identity"] == header()["identity"]


def test_reading_a_run_asks_no_hub_and_opens_no_device(
    hub: Hub, tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"sgqa.jsonl": SGQA.read_bytes()})
    tsgkit("eval --task sgqa --data hf://lab/stories --first 3 --no-data --out run")
    asked = len(hub.asked)
    tsgkit("rescore run")  # what is on this machine is used
    shutil.rmtree(HOME)
    monkeypatch.setattr(hub_store, "_seen", {})
    value = header()
    for data in (value["plan"]["data"], "hf://evil/beacon", "/dev/zero"):
        Path("run/run.json").write_text(json.dumps(value | {"plan": value["plan"] | {"data": data}}))
        assert "its rows were not kept: --data D says where they lie" in tsgkit("report run").err, data
    shutil.rmtree("run/asked")
    assert "neither a file nor a folder" in tsgkit("report run", code=2).err
    assert len(hub.asked) == asked


def test_all_tasks_of_a_dataset_are_found(hub: Hub) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes(), "sgds.jsonl": SGDS.read_bytes(), "README.md": b"x"})
    assert set(tasks_of_data("hf://lab/rows")) >= {"tsg/sgqa", "tsg/sgds"}
    hub.commit("lab/one", {"data/test.jsonl": SGDS.read_bytes()})
    assert tasks_of_data("hf://lab/one") == ("tsg/sgds",)
    assert tasks_of_data("hf://lab/rows/sgqa.jsonl") == ("tsg/sgqa",)


def test_tables_with_a_mapping_are_asked_as_rows_are_and_changes_are_noticed(tsgkit: CommandLine) -> None:
    table_of(SGQA, "rows.csv", item_id="identifier", triplets="graphs")
    tsgkit("eval --data rows.csv --mapping m.yaml --out run")
    assert (header()["plan"]["data"], header()["samples"]) == ("rows.csv#m.yaml", 90)
    (origin,) = header()["sources"].values()
    assert set(origin) == {"source", "files", "mapping"}
    for words in ("audit", "check", "prompts show tsg/sgqa --data"):
        tsgkit(f"{words} rows.csv --mapping m.yaml")
    Path("rows.csv").write_text(Path("rows.csv").read_text().replace("bread", "cake"))
    tsgkit("report run")  # the run keeps its rows
    err = tsgkit("report run --data rows.csv#m.yaml", code=2).err
    assert "rows.csv#m.yaml: not the data that were asked about" in err


def test_data_get_fetches_the_rows_and_data_list_names_them(hub: Hub, tsgkit: CommandLine) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes(), "README.md": b"x", "../x.jsonl": b"x"}, lfs=True)
    out = tsgkit("data get hf://lab/rows").out
    assert out.startswith(f"hf://lab/rows@{commit}\n  sgqa.jsonl: 74.3 kB, sha256:")
    assert "1 file left out: their names are no plain paths" in out
    assert f"hf://lab/rows: from the hub, at 1 commit\n  {commit}" in tsgkit("data list").out
    assert tsgkit("data get hf://lab/rows --json").json["files"][0]["path"] == "sgqa.jsonl"
    tsgkit("data import hf://lab/rows x", code=2)


def test_errors_of_the_hub_and_of_its_rows_name_the_dataset(hub: Hub, tsgkit: CommandLine) -> None:
    assert tsgkit("eval --data hf://lab/nothing", code=2).err == (
        "tsgkit: hf://lab/nothing: there is no such dataset, or it is private\n  check the name; if it is private, "
        "log in with `hf auth login` (or `huggingface-cli login`), or set HF_TOKEN\n"
    )
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes() + b'{"broken": \n'})
    err = tsgkit("eval --task sgqa --data hf://lab/rows", code=2).err
    assert f"hf://lab/rows@{commit}/sgqa.jsonl: line 19" in err and "huggingface/lab--rows" not in err


def test_tables_and_addresses_that_are_no_data_are_refused(tsgkit: CommandLine) -> None:
    Path("rows.csv").write_text("a,b\n1,2\n")
    assert "w0rd" not in tsgkit("eval --data https://me:w0rd@huggingface.co/datasets/lab/rows", code=2).err
    tsgkit.refuses(
        {
            "--data rows.csv --task sgqa": "need a mapping: --mapping FILE",
            "--data https://huggingface.co/datasets/lab/rows": "hf://OWNER/NAME",
            "--mapping m.yaml": "no data are named that it is for",
        },
        "eval",
    )


def test_python_takes_the_same_names(hub: Hub) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()})
    run = tk.evaluate("tsg/sgqa", data="hf://lab/rows", out="run", first=3)
    assert header()["data"] == {"tsg/sgqa": f"hf://lab/rows@{commit}/sgqa.jsonl"}
    assert tk.open_run(run.path).explain("bread/q0")
    assert tk.audit("hf://lab/rows", task="tsg/sgqa")
    table_of(SGQA, "rows.csv")
    assert tk.evaluate("tsg/sgqa", data="rows.csv#m.yaml", out="other", first=3).complete
    with pytest.raises(UsageError, match="no such dataset"):
        tk.evaluate("tsg/sgqa", data=Path("hf://lab/nothing"))
