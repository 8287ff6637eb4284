"""``tsgkit data``, and rows of the hub and of CSV wherever data are named, on the command line and from Python."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine
from hub_server import SGDS, SGQA, Hub, header, hub, hub_settings, table_of
from loopback import Loopback, loopback
from official_layout import data, rows
from prefork import Prefork
from tsg_tasks import TASKS

import tsgkit as tk
from tsgkit.library import hub as hub_datasets
from tsgkit.library.downloads import checksum_of_bytes
from tsgkit.library.projects import ROOMS
from tsgkit.suites.suite import tasks_of_data

__all__ = ["hub", "hub_settings"]
FILES = {task: data(rows(task, 20)) for task in TASKS}
SIZE = {task: f"{len(content) / 1000:.1f} kB" for task, content in FILES.items()}


@pytest.fixture
def project(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Work in a project whose tsg-bench is made up; it lies at ``TSGKIT_SOURCE``."""
    for name in ROOMS:
        (folder / name).mkdir(parents=True)
    files = [
        {"name": f"{task}.jsonl", "task": task, "path": task, "check": checksum_of_bytes(content), "rows": 20}
        for task, content in FILES.items()
    ]
    places = {"about": "made up", "base": "http://nowhere.invalid", "repository": "a/b", "commit": "v1"}
    declared = {**places, "licence": "none is stated", "files": files}
    for suite, name in (("tsg", "tsg-bench"), ("own", "mine")):
        (folder / "tasks" / suite).mkdir()
        (folder / "tasks" / suite / "datasets.yaml").write_text(json.dumps({name: declared}))
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(folder / "home"))
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        for task, content in FILES.items():
            served.put(f"a/b/v1/{task}", content)
        yield served


@pytest.mark.usefixtures("project")
def test_get_says_what_came_and_its_progress_in_plain_lines(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
    ended = tsgkit("data list")
    assert "tsg-bench: not on this machine\n" in ended.out and "mine: not on this machine" in ended.out
    assert "missing: sgqa, sgds, sa-sgg, ma-sgg (tsgkit data get tsg-bench, or tsgkit data import)" in ended.out
    assert re.search(r"^  tsg/ma-sgg +\d+ rows  --data tsgkit-2$", ended.out, re.MULTILINE)
    assert "none is stated" in ended.out and ended.err == ""
    ended = tsgkit(f"data get tsg-bench --from {server.url}")
    assert "  sgqa     20 rows, the published file\n" in ended.out
    assert "    warning no-final-newline (1, first on line 20): the last line does not end\n" in ended.out
    assert f"sgds.jsonl: {SIZE['sgds']} of {SIZE['sgds']} (100 %)\n" in ended.err
    assert "\r" not in ended.out + ended.err
    monkeypatch.setenv("TSGKIT_SOURCE", server.url)
    ended = tsgkit("data get tsg-bench --quiet")
    assert (ended.out.count("the published file (there already)"), ended.err) == (4, "")
    assert len(server.asked) == 4
    assert "tsg-bench: complete\n" in tsgkit("data list").out


@pytest.mark.usefixtures("project")
def test_importing_part_of_a_dataset_says_what_is_missing_and_what_was_found(tsgkit: CommandLine) -> None:
    part = rows("sgds", 5)
    part[2]["variations"] = [
        *("You wipe shelf 0 with item 2.", "You wipe shelf 1 with item 2."),
        part[2]["target_sentence"],
    ]
    Path("mine\x1b[31m.jsonl").write_bytes(data(part) + b"\n")
    ended = tsgkit("data import tsg-bench", "mine\x1b[31m.jsonl")
    assert "\x1b" not in ended.out + ended.err
    assert "  sgds     5 of 20 rows, not the published file (another checksum)\n" in ended.out
    assert "    warning few-candidates (1, first on line 3): a choice has fewer than five candidates\n" in ended.out
    assert "  missing: sgqa, sa-sgg, ma-sgg\n" in ended.out
    assert "tsg-bench: in part\n" in tsgkit("data list").out
    assert "in place of" not in tsgkit("data import tsg-bench", "mine\x1b[31m.jsonl").out
    Path("sgds.jsonl").write_bytes(FILES["sgds"])
    out = tsgkit("data import tsg-bench sgds.jsonl --force").out
    assert re.search(r"^    in place of 5 rows from .*mine\\x1b\[31m\.jsonl$", out, re.MULTILINE)


@pytest.mark.usefixtures("project")
def test_data_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "": "missing: VERB",
            "get mine": "datasets of the suite own cannot be fetched",
            "get tsg-bench --from file:///etc": "only http and https addresses",
            "get tsg-bench": "the server name cannot be resolved",
            "import tsg-bench": "missing: DIR_OR_FILE",
            "import tsg-bench prompts": "no file of tsg-bench anywhere in this folder",
            "import tsg-bench tasks/tsg/datasets.yaml": "datasets.yaml",
        },
        "data",
    )


@pytest.mark.usefixtures("project")
def test_progress_on_a_terminal_is_one_line_that_changes(server: Loopback, commands: Prefork, folder: Path) -> None:
    ours, theirs = pty.openpty()
    words = f"data get tsg-bench --from {server.url}".split()
    env = {"TSGKIT_DATA_HOME": str(folder / "home")}
    ended = commands.run(*words, cwd=folder, env=env, stderr=os.ttyname(theirs))
    shown = os.read(ours, 10_000).decode()
    os.close(theirs)
    os.close(ours)
    assert ended.code == 0 and "the published file" in ended.out
    assert shown.startswith("\r\x1b[Ksgqa.jsonl: ")
    assert shown.endswith(f"ma-sgg.jsonl: {SIZE['ma-sgg']} of {SIZE['ma-sgg']} (100 %)\r\n")
    assert shown.count("\n") == 1


def test_runs_are_shown_and_repeated_from_their_header_and_reading_one_asks_no_hub_and_opens_no_device(
    hub: Hub, tsgkit: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes()}, lfs=True)
    tsgkit("eval --data hf://lab/rows --out run")
    tsgkit("eval --data hf://lab/rows --first 3 --no-data --out bare")
    tsgkit(f"eval --data {SGQA} --out other")
    assert header()["identity"] == header("other")["identity"] and "sources" not in header("other")
    asked = len(hub.asked)
    hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes().split(b"\n", 1)[1]}, lfs=True)
    monkeypatch.setattr(hub_datasets, "_seen", {})
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for words in ("report run", "samples run", "rescore run", "runs show run", "audit --run run", "rescore bare"):
        assert tsgkit(words).err == "", words
    tsgkit("eval --out again --data", header()["plan"]["data"])
    assert header("again")["identity"] == header()["identity"]
    monkeypatch.delenv("HF_HUB_OFFLINE")
    shutil.rmtree("home")
    value = header("bare")
    for named in (value["plan"]["data"], "hf://evil/beacon", "/dev/zero"):
        Path("bare/run.json").write_text(json.dumps(value | {"plan": value["plan"] | {"data": named}}))
        assert "its rows were not kept: --data D says where they lie" in tsgkit("report bare").err, named
    assert len(hub.asked) == asked


def test_tables_with_a_mapping_are_asked_as_rows_are_and_changes_are_noticed(tsgkit: CommandLine) -> None:
    table_of(SGQA, "rows.csv", item_id="identifier", triplets="graphs")
    tsgkit("eval --data rows.csv --mapping m.yaml --out run")
    assert (header()["plan"]["data"], header()["samples"]) == ("rows.csv#m.yaml", 144)
    (origin,) = header()["sources"].values()
    assert set(origin) == {"source", "files", "mapping"}
    for words in ("audit", "check", "prompts show tsg/sgqa --data"):
        tsgkit(f"{words} rows.csv --mapping m.yaml")
    assert tk.evaluate("tsg/sgqa", data="rows.csv#m.yaml", out="other", first=3).complete
    Path("rows.csv").write_text(Path("rows.csv").read_text().replace("pcr", "cake"))
    tsgkit("report run")  # the run keeps its rows
    err = tsgkit("report run --data rows.csv#m.yaml", code=2).err
    assert "rows.csv#m.yaml: not the data that were asked about" in err
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


def test_rows_of_the_hub_are_fetched_listed_found_and_named_in_errors(hub: Hub, tsgkit: CommandLine) -> None:
    commit = hub.commit("lab/rows", {"sgqa.jsonl": SGQA.read_bytes(), "README.md": b"x", "../x.jsonl": b"x"}, lfs=True)
    out = tsgkit("data get hf://lab/rows").out
    assert out.startswith(f"hf://lab/rows@{commit}\n  sgqa.jsonl: 101.6 kB, sha256:")
    assert "1 file left out: their names are no plain paths" in out
    assert f"hf://lab/rows: from the hub, at 1 commit\n  {commit}" in tsgkit("data list").out
    assert tsgkit("data get hf://lab/rows --json").json["files"][0]["path"] == "sgqa.jsonl"
    tsgkit("data import hf://lab/rows x", code=2)
    run = tk.evaluate("tsg/sgqa", data="hf://lab/rows", out="run", first=3)
    assert header()["data"] == {"tsg/sgqa": f"hf://lab/rows@{commit}/sgqa.jsonl"}
    assert tk.open_run(run.path).explain("pcr/q0") and tk.audit("hf://lab/rows", task="tsg/sgqa")
    hub.commit("lab/both", {"sgqa.jsonl": SGQA.read_bytes(), "sgds.jsonl": SGDS.read_bytes()})
    assert set(tasks_of_data("hf://lab/both")) >= {"tsg/sgqa", "tsg/sgds"}
    hub.commit("lab/one", {"data/test.jsonl": SGDS.read_bytes()})
    assert tasks_of_data("hf://lab/one") == ("tsg/sgds",)
    assert tasks_of_data("hf://lab/both/sgqa.jsonl") == ("tsg/sgqa",)
    assert tsgkit("eval --data hf://lab/nothing", code=2).err == (
        "tsgkit: hf://lab/nothing: there is no such dataset, or it is private\n  check the name; if it is private, "
        "log in with `hf auth login` (or `huggingface-cli login`), or set HF_TOKEN\n"
    )
    commit = hub.commit("lab/torn", {"sgqa.jsonl": SGQA.read_bytes() + b'{"broken": \n'})
    err = tsgkit("eval --task sgqa --data hf://lab/torn", code=2).err
    assert f"hf://lab/torn@{commit}/sgqa.jsonl: line 19" in err and "huggingface/lab--torn" not in err
