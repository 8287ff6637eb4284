"""A run folder heals what a crash tore, names what is broken, and belongs to one run and one process."""

from __future__ import annotations

import json
import resource
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from model_server import Running, model_server
from prefork import Prefork
from run_files import good_calls, lines, samples
from shipped import DATA

from tsgkit.errors import FileProblem
from tsgkit.runs.journal import Journal


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(delay=0.01) as running:
        yield running


def words(server: Running, *more: str) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={server.base}"),
        *("--limit", "6", "--no-cache", "--quiet", "--out", "run", *more),
    )


@pytest.fixture(scope="module")
def whole(server: Running, commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert commands.run(*words(server), cwd=folder).code == 0
    return folder / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def test_a_torn_last_line_is_healed(server: Running, commands: Prefork, run: Path, whole: Path) -> None:
    for name, kept in (("samples.jsonl", 0), ("prompts.jsonl", 30), ("samples.jsonl", -1), ("calls.jsonl", 1)):
        path = run / name
        body = path.read_bytes()
        start = body.rindex(b"\n", 0, -1) + 1
        path.write_bytes(body[:start] + body[start:][:kept])
        if name == "calls.jsonl":  # the sample is derived from the call, so it can only be there later
            records = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
            torn = json.loads(body[start:])["sample"]
            left = [line for line in records if json.loads(line)["item_id"] != torn]
            (run / "samples.jsonl").write_bytes(b"".join(left))
        seen = server.stats()["seen"]
        ended = commands.run(*words(server), cwd=run.parent)
        assert (ended.code, ended.err) == (0, ""), name
        assert server.stats()["seen"] - seen == (name == "calls.jsonl"), name
        assert samples(run) == samples(whole), name
        assert good_calls(run) == 6
        assert all(json.dumps(line) for line in lines(path))


def test_a_broken_line_in_the_middle_is_named(server: Running, commands: Prefork, run: Path) -> None:
    for name, line in (
        ("calls.jsonl", b'{"subject": oops'),
        ("samples.jsonl", b"[]"),
        ("prompts.jsonl", b"{}"),
        ("calls.jsonl", b"17"),
        ("samples.jsonl", b"\xff\xfe"),
    ):
        whole = (run / name).read_bytes()
        before = whole.splitlines()
        (run / name).write_bytes(b"\n".join([*before[:2], line, *before[2:]]) + b"\n")
        ended = commands.run(*words(server), cwd=run.parent)
        assert ended.code == 2, (name, line)
        assert f"tsgkit: run/{name}: line 3: " in ended.err
        assert "mend or remove the line" in ended.err
        (run / name).write_bytes(whole)


def test_a_header_that_is_none_is_named(server: Running, commands: Prefork, run: Path) -> None:
    for text in ("{", "[]", '{"format": 99}', '{"format": 1}'):
        (run / "run.json").write_text(text)
        ended = commands.run(*words(server), cwd=run.parent)
        assert ended.code == 2, ended.err
        assert "run" in ended.err


def test_two_processes_do_not_share_a_folder(commands: Prefork, tmp_path: Path) -> None:
    with model_server(faults={"hang": 1.0}) as slow:
        first, port = commands.start(*words(slow), cwd=tmp_path), urlsplit(slow.base).port
        while not slow.stats()["seen"] and not first.ended():
            time.sleep(0.01)
        second = commands.run(*words(slow), cwd=tmp_path)
        third = commands.run(*words(slow, "--new"), cwd=tmp_path)
        assert (second.code, third.code) == (2, 2)
        assert "run: another process is working on the run" in second.err
        assert "run: another process is working on the run" in third.err
        first.signal(signal.SIGKILL)
        first.wait()
    with model_server(port=port) as quick:
        assert commands.run(*words(quick), cwd=tmp_path).code == 0
    assert len(samples(tmp_path / "run")) == 6


def test_the_folder_of_another_run_is_refused_saying_what_differs(
    server: Running, commands: Prefork, run: Path
) -> None:
    before = (run / "run.json").read_bytes()
    for more, what in (
        (("--limit", "5"), "items differs"),
        (("--seed", "1"), "seed differs"),
        (("--model-arg", "temperature=0.7"), "models differs"),
        (("--style", "cot"), "prompts differs"),
    ):
        ended = commands.run(*words(server, *more), cwd=run.parent)
        assert ended.code == 2
        assert "run: another run lies here (" in ended.err
        assert what in ended.err
        assert "--new" in ended.err
    assert (run / "run.json").read_bytes() == before


def test_new_puts_the_old_run_aside_and_begins_afresh(
    server: Running, commands: Prefork, run: Path, whole: Path
) -> None:
    seen = server.stats()["seen"]
    ended = commands.run(*words(server, "--new"), cwd=run.parent)
    assert ended.code == 0
    assert server.stats()["seen"] - seen == 6
    [aside] = [path for path in run.parent.iterdir() if path != run]
    assert aside.name.startswith("run.until-")
    assert (aside / "calls.jsonl").read_bytes() == (whole / "calls.jsonl").read_bytes()


def test_a_folder_in_which_nothing_was_asked_may_be_begun_by_another_plan(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    slip = ("eval", "--task", "sgqa", "--limit", "6", "--out", "run", "--model", "nobody/knows", "--no-cache")
    ended = commands.run(*slip, cwd=tmp_path)
    assert ended.code == 2
    assert "PROVIDER/NAME" in ended.err
    assert commands.run(*words(server), cwd=tmp_path).code == 0


def test_a_data_file_that_changed_between_two_calls_makes_another_run(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    data = DATA / "sgqa.jsonl"
    shutil.copy(data, tmp_path / "rows.jsonl")
    command = words(server, "--data", "rows.jsonl")
    assert commands.run(*command, cwd=tmp_path).code == 0
    (tmp_path / "rows.jsonl").write_bytes(data.read_bytes() + b"\n")
    ended = commands.run(*command, cwd=tmp_path)
    assert ended.code == 2
    assert "another run lies here (data differs)" in ended.err


def test_a_journal_reads_back_what_was_added_and_replaced(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lines.jsonl", "n")
    places = [journal.add({"n": number, "text": "\ud800\n" * number}) for number in range(5)]
    assert [journal.read(place)["n"] for place in reversed(places)] == [4, 3, 2, 1, 0]
    journal.replace(journal.line(place) for place in reversed(places))
    journal.add({"n": 5})
    assert [value["n"] for _, value in journal] == [4, 3, 2, 1, 0, 5]
    journal.close()
    journal.close()


def test_a_line_that_lacks_a_field_is_named(tmp_path: Path) -> None:
    (tmp_path / "lines.jsonl").write_text('{"n": 1}\n{"m": 2}\n')
    journal = Journal(tmp_path / "lines.jsonl", "n")
    with pytest.raises(FileProblem, match=r"lines\.jsonl: line 2: no field n"):
        list(journal)
    journal.close()


def test_a_line_that_did_not_fit_leaves_nothing_behind(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lines.jsonl", "n")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[1]))
    try:
        journal.add({"n": 1})
        with pytest.raises(FileProblem, match="cannot be written"):
            journal.add({"n": 2, "text": "long" * 50})
        place = journal.add({"n": 3})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert journal.read(place) == {"n": 3}
    assert [value["n"] for _, value in journal] == [1, 3]
    journal.close()
