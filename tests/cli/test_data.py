"""Datasets as a person lists, gets and imports them."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Loopback, loopback
from official_layout import data, rows, write_layout
from tsg_tasks import TASKS

from tsgkit.cli import main
from tsgkit.library.bundle import ROOMS
from tsgkit.library.downloads import checksum_of_bytes

FILES = {task: data(rows(task, 20)) for task in TASKS}
SIZE = {task: f"{len(content) / 1000:.1f} kB" for task, content in FILES.items()}


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project whose tsg-bench is made up; it lies at ``TSGKIT_SOURCE``."""
    folder = tmp_path / "project"
    for room in ROOMS:
        (folder / room).mkdir(parents=True)
    files = [
        {"name": f"{task}.jsonl", "task": task, "path": task, "check": checksum_of_bytes(content), "rows": 20}
        for task, content in FILES.items()
    ]
    declared = {"about": "made up", "base": "http://nowhere.invalid", "repository": "a/b", "commit": "v1"}
    (folder / "tasks" / "tsg").mkdir()
    (folder / "tasks" / "tsg" / "datasets.yaml").write_text(
        json.dumps({"tsg-bench": declared | {"licence": "none is stated", "files": files}})
    )
    monkeypatch.chdir(folder)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("TSGKIT_SOURCE", raising=False)
    return folder


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        for task, content in FILES.items():
            served.put(f"a/b/v1/{task}", content)
        yield served


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_before_anything_is_there_the_list_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "list"]) == 0
    out, err = said(capsys)
    assert "tsg-bench: not on this machine\n" in out
    assert "missing: sgqa, sgds, sa-sgg, ma-sgg (tsgkit data get tsg-bench, or tsgkit data import)" in out
    assert re.search(r"^  tsg/ma-sgg +\d+ rows  --data tsgkit-2$", out, re.MULTILINE)
    assert "none is stated" in out
    assert err == ""


def test_getting_says_what_came_and_its_progress_in_plain_lines(
    server: Loopback, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "get", "tsg-bench", "--from", server.url]) == 0
    out, err = said(capsys)
    assert "  sgqa     20 rows, the published file\n" in out
    assert "    warning no-final-newline (1, first on line 20): the last line does not end\n" in out
    assert f"sgds.jsonl: {SIZE['sgds']} of {SIZE['sgds']} (100 %)\n" in err
    assert "\r" not in out + err
    assert main(["data", "get", "tsg-bench", "--from", server.url]) == 0
    out, err = said(capsys)
    assert out.count("the published file (there already)") == 4
    assert err == ""
    assert len(server.asked) == 4
    main(["data", "list"])
    assert "tsg-bench: complete\n" in said(capsys)[0]


def test_quiet_keeps_progress_to_itself(
    server: Loopback, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TSGKIT_SOURCE", server.url)
    assert main(["data", "get", "tsg-bench", "--quiet"]) == 0
    out, err = said(capsys)
    assert "sgds" in out
    assert err == ""


def test_the_json_of_each_verb_is_one_object(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_layout(tmp_path / "checkout")
    assert main(["data", "import", "tsg-bench", str(tmp_path / "checkout"), "--json"]) == 0
    assert [file["rows"] for file in json.loads(said(capsys)[0])["dataset"]["files"]] == [100, 250, 250, 500]
    assert main(["data", "get", "tsg-bench", "--from", server.url, "--json"]) == 2
    assert "already here would be lost" in said(capsys)[1]
    assert main(["data", "get", "tsg-bench", "--from", server.url, "--json", "--force"]) == 0
    got = json.loads(said(capsys)[0])
    assert [arrived["action"] for arrived in got["arrived"]] == ["replaced"] * 4
    assert main(["data", "list", "--json"]) == 0
    listed = json.loads(said(capsys)[0])
    assert listed["data_home"] == str(tmp_path / "home")
    assert [one for one in listed["datasets"] if one["installed"]] == [got["dataset"]]
    assert ("tsg", "ma-sgg") in {(file["suite"], file["task"]) for file in listed["bundled"]}


def test_importing_part_of_it_says_what_is_missing_and_what_was_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = rows("sgds", 5)
    made[2]["variations"] = [
        "You wipe shelf 0 with item 2.",
        "You wipe shelf 1 with item 2.",
        made[2]["target_sentence"],
    ]
    (tmp_path / "mine.jsonl").write_bytes(data(made) + b"\n")
    assert main(["data", "import", "tsg-bench", str(tmp_path / "mine.jsonl")]) == 0
    out, _ = said(capsys)
    assert "  sgds     5 of 20 rows, not the published file (another checksum)\n" in out
    assert "    warning few-candidates (1, first on line 3): a choice has fewer than five candidates\n" in out
    assert "  missing: sgqa, sa-sgg, ma-sgg\n" in out
    main(["data", "list"])
    assert "tsg-bench: in part\n" in said(capsys)[0]
    main(["data", "import", "tsg-bench", str(tmp_path / "mine.jsonl")])
    assert "in place of" not in said(capsys)[0]
    (tmp_path / "sgds.jsonl").write_bytes(FILES["sgds"])
    main(["data", "import", "tsg-bench", str(tmp_path / "sgds.jsonl"), "--force"])
    assert f"    in place of 5 rows from {tmp_path / 'mine.jsonl'}\n" in said(capsys)[0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["data"], "missing: VERB"),
        (["data", "fetch"], "there is no verb fetch"),
        (["data", "get"], "missing: NAME"),
        (["data", "get", "tsgbench"], "no dataset is called tsgbench"),
        (["data", "get", "tsg-bench", "--from", "file:///etc"], "only http and https addresses"),
        (["data", "get", "tsg-bench"], "the server name cannot be resolved"),
        (["data", "import", "tsg-bench"], "missing: DIR_OR_FILE"),
        (["data", "import", "tsg-bench", "missing.jsonl"], "missing.jsonl: no such file"),
        (["data", "import", "tsg-bench", "."], "no file of tsg-bench anywhere in this folder"),
        (["data", "import", "tsg-bench", "tasks/tsg/datasets.yaml"], "datasets.yaml"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_two(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    out, err = said(capsys)
    assert message in err
    assert "Traceback" not in out + err
    assert out == ""


def test_a_project_with_a_suite_of_its_own_is_listed_and_not_fetched(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "tasks" / "own").mkdir()
    text = (project / "tasks" / "tsg" / "datasets.yaml").read_text()
    (project / "tasks" / "own" / "datasets.yaml").write_text(text.replace("tsg-bench", "mine"))
    assert main(["data", "list"]) == 0
    assert "mine: not on this machine" in said(capsys)[0]
    assert main(["data", "get", "mine"]) == 2
    assert "datasets of the suite own cannot be fetched" in said(capsys)[1]


def test_hostile_file_names_reach_no_terminal_as_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x\x1b[31m.jsonl"
    path.write_bytes(FILES["sgqa"][:-5])
    assert main(["data", "import", "tsg-bench", str(path)]) == 2
    path.write_bytes(data(rows("sgqa", 3)))
    assert main(["data", "import", "tsg-bench", str(path)]) == 0
    path.write_bytes(data(rows("sgqa", 4)))
    assert main(["data", "import", "tsg-bench", str(path), "--force"]) == 0
    assert "\x1b" not in "".join(said(capsys))


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def command(server: Loopback) -> list[str]:
    return [sys.executable, "-m", "tsgkit", "data", "get", "tsg-bench", "--from", server.url]


def test_an_interrupted_get_says_that_the_same_command_goes_on_and_it_does(
    server: Loopback, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.plan = [Answer(hang=True, cut_after=700)]
    process = subprocess.Popen(command(server), stderr=subprocess.PIPE, text=True, env=environment())
    part = tmp_path / "home" / "tsg-bench" / ".incoming" / "sgqa.jsonl.part"
    for _ in range(2000):
        if part.exists() and part.stat().st_size == 700:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    err = process.communicate(timeout=20)[1]
    assert process.returncode == 130
    assert "interrupted\n  what has come is kept; the same command goes on from there\n" in err
    assert main(["data", "get", "tsg-bench", "--from", server.url]) == 0
    assert server.ranges == [None, "bytes=700-", None, None, None]
    assert "sgqa     20 rows, the published file\n" in said(capsys)[0]


def test_on_a_terminal_progress_is_one_line_that_changes(server: Loopback) -> None:
    ours, theirs = pty.openpty()
    try:
        result = subprocess.run(
            command(server),
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            check=False,
            env=environment(),
            timeout=60,
        )
        shown = os.read(ours, 10_000).decode()
    finally:
        os.close(theirs)
        os.close(ours)
    assert result.returncode == 0
    assert shown.startswith("\r\x1b[Ksgqa.jsonl: ")
    assert shown.endswith(f"ma-sgg.jsonl: {SIZE['ma-sgg']} of {SIZE['ma-sgg']} (100 %)\r\n")
    assert shown.count("\n") == 1
    assert "the published file" in result.stdout
