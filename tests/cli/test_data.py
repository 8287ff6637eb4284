"""``tsgkit data``: datasets as a person lists, gets and imports them."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import CommandLine
from loopback import Answer, Loopback, loopback
from official_layout import data, rows, write_layout
from prefork import Prefork
from tsg_tasks import TASKS

from tsgkit.library.bundle import ROOMS
from tsgkit.library.downloads import checksum_of_bytes

FILES = {task: data(rows(task, 20)) for task in TASKS}
SIZE = {task: f"{len(content) / 1000:.1f} kB" for task, content in FILES.items()}


@pytest.fixture(autouse=True)
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
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        for task, content in FILES.items():
            served.put(f"a/b/v1/{task}", content)
        yield served


def test_list_says_what_is_missing_and_how_to_get_it(tsgkit: CommandLine) -> None:
    ended = tsgkit("data list")
    assert "tsg-bench: not on this machine\n" in ended.out and "mine: not on this machine" in ended.out
    assert "missing: sgqa, sgds, sa-sgg, ma-sgg (tsgkit data get tsg-bench, or tsgkit data import)" in ended.out
    assert re.search(r"^  tsg/ma-sgg +\d+ rows  --data tsgkit-2$", ended.out, re.MULTILINE)
    assert "none is stated" in ended.out and ended.err == ""


def test_get_says_what_came_and_its_progress_in_plain_lines(
    server: Loopback, monkeypatch: pytest.MonkeyPatch, tsgkit: CommandLine
) -> None:
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


def test_json_of_each_verb_is_one_object(server: Loopback, tmp_path: Path, tsgkit: CommandLine) -> None:
    write_layout(tmp_path / "checkout")
    imported = tsgkit("data import tsg-bench checkout --json").json
    assert [file["rows"] for file in imported["dataset"]["files"]] == [100, 250, 250, 500]
    words = f"data get tsg-bench --from {server.url} --json"
    assert "already here would be lost" in tsgkit(words, code=2).err
    got = tsgkit(words, "--force").json
    assert [arrived["action"] for arrived in got["arrived"]] == ["replaced"] * 4
    listed = tsgkit("data list --json").json
    assert listed["data_home"] == str(tmp_path / "home")
    assert [one for one in listed["datasets"] if one["installed"]] == [got["dataset"]]
    assert ("tsg", "ma-sgg") in {(file["suite"], file["task"]) for file in listed["bundled"]}


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


def test_data_refuses_invalid_arguments(tsgkit: CommandLine) -> None:
    tsgkit.refuses(
        {
            "": "missing: VERB",
            "fetch": "there is no verb fetch",
            "get": "missing: NAME",
            "get tsgbench": "no dataset is called tsgbench",
            "get mine": "datasets of the suite own cannot be fetched",
            "get tsg-bench --from file:///etc": "only http and https addresses",
            "get tsg-bench": "the server name cannot be resolved",
            "import tsg-bench": "missing: DIR_OR_FILE",
            "import tsg-bench missing.jsonl": "missing.jsonl: no such file",
            "import tsg-bench prompts": "no file of tsg-bench anywhere in this folder",
            "import tsg-bench tasks/tsg/datasets.yaml": "datasets.yaml",
        },
        "data",
    )


def test_interrupted_get_goes_on_where_it_stopped(
    server: Loopback, commands: Prefork, folder: Path, tsgkit: CommandLine
) -> None:
    server.plan = [Answer(hang=True, cut_after=700)]
    words = f"data get tsg-bench --from {server.url}"
    process = commands.start(*words.split(), cwd=folder, env={"TSGKIT_DATA_HOME": str(folder / "home")})
    part = folder / "home/tsg-bench/.incoming/sgqa.jsonl.part"
    until = time.monotonic() + 60
    while not (part.exists() and part.stat().st_size == 700):
        assert time.monotonic() < until, process.err
        time.sleep(0.005)
    process.signal(signal.SIGINT)
    assert process.wait().code == 130
    assert "interrupted\n  what has come is kept; the same command goes on from there\n" in process.err
    assert "sgqa     20 rows, the published file\n" in tsgkit(words).out
    assert server.ranges == [None, "bytes=700-", None, None, None]


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
