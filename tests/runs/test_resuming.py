"""A run that was killed, stopped or torn goes on by its folder alone, which belongs to one run and one process."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from command_line import CommandLine
from exported_runs import largest_file
from model_server import Running, model_server
from prefork import Prefork, Ran
from run_files import everything, good_calls, lines, samples, write_header, write_lines

from tsgkit.cli import main
from tsgkit.errors import FileProblem, Incomplete, UsageError
from tsgkit.interface.run import Run
from tsgkit.replies import READER
from tsgkit.report.report_rows import gather
from tsgkit.runs.decisions import Decisions, shown_as
from tsgkit.runs.evaluation import RunOptions, evaluate
from tsgkit.runs.journal import CHUNK, Journal, lines_of, sealed
from tsgkit.runs.plan import Plan
from tsgkit.runs.records import scores_of
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.results import RowState
from tsgkit.runs.run_list import runs_in
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.saved_run import open_saved_run

KEY = "sk-secret-0123456789abcdef"


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with model_server(delay=0.01) as running:
        yield running


def words(server: Running, *more: str, limit: int = 6) -> tuple[str, ...]:
    return (
        *("eval", "--task", "sgqa", "--model", "openai/x", "--model-arg", f"api_base={server.base}"),
        *("--limit", f"{limit}", "--no-cache", "--quiet", "--out", "run", *more),
    )


def seen(server: Running) -> int:
    return int(server.stats()["seen"])


@pytest.fixture(scope="module")
def whole(server: Running, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    with contextlib.chdir(folder):
        assert main([*words(server)]) == 0
    return folder / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def when_recorded(process: Ran, path: Path, calls: int) -> None:
    while not process.ended() and not (path.exists() and path.read_bytes().count(b"\n") >= calls):
        time.sleep(0.002)


def test_a_killed_run_ends_as_if_it_had_not_been_killed(server: Running, commands: Prefork, tmp_path: Path) -> None:
    draw, voting = random.Random(3), ("--solver", "vote:3", "--concurrency", "4")
    assert commands.run(*words(server, *voting, "--out", "other"), cwd=tmp_path).code == 0
    run, other = tmp_path / "run", tmp_path / "other"
    for _ in range(2):
        process = commands.start(*words(server, *voting), cwd=tmp_path)
        when_recorded(process, run / "calls.jsonl", draw.randrange(18))
        process.signal(signal.SIGKILL)
        process.wait()
    recorded, before = good_calls(run), seen(server)
    ended = commands.run(*words(server, *voting), cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    assert seen(server) - before == 18 - recorded, "only what was not recorded is asked"
    assert good_calls(run) == 18 == len(lines(run / "calls.jsonl"))
    assert list(samples(run).items()) == list(samples(other).items())
    calls, text = (run / "calls.jsonl").read_bytes(), (run / "samples.jsonl").read_text()
    assert commands.run(*words(server, *voting), cwd=tmp_path).code == 0
    assert (run / "samples.jsonl").read_text() == text, "a finished run says the same"
    write_lines(run / "samples.jsonl", [one | {"outcome": "unreadable"} for one in lines(run / "samples.jsonl")])
    assert samples(run) != samples(other)
    assert commands.run(*words(server, *voting), cwd=tmp_path, version="9.9.9").code == 0
    assert samples(run) == samples(other), "another version scores again from recorded calls"
    assert (seen(server), (run / "calls.jsonl").read_bytes()) == (before + 18 - recorded, calls)
    assert '"tsgkit": "9.9.9"' in (run / "run.json").read_text()


def test_two_processes_do_not_share_a_folder(commands: Prefork, tmp_path: Path) -> None:
    with model_server(faults={"hang": 1.0}) as slow:
        first, port = commands.start(*words(slow), cwd=tmp_path), urlsplit(slow.base).port
        first.until(lambda: seen(slow))
        for more in ((), ("--new",)):
            other = commands.run(*words(slow, *more), cwd=tmp_path)
            assert other.code == 2 and "run: another process is working on the run" in other.err
        first.signal(signal.SIGKILL)
        first.wait()
    with model_server(port=port) as quick:
        assert commands.run(*words(quick), cwd=tmp_path).code == 0
    assert len(samples(tmp_path / "run")) == 6


def test_the_folder_of_another_run_is_refused_saying_what_differs_or_put_aside(
    server: Running, tsgkit: CommandLine, run: Path, whole: Path
) -> None:
    before = (run / "run.json").read_bytes()
    for more, what in (
        (("--limit", "5"), "items differs"), (("--seed", "1"), "seed differs"),
        (("--style", "few-shot"), "prompts differs"), (("--model-arg", "temperature=0.7"), "models differs"),
    ):  # fmt: skip
        said = tsgkit("", *words(server, *more), code=2).err
        assert f"run: another run lies here ({what})" in said and "--new" in said, more
    assert (run / "run.json").read_bytes() == before
    asked = seen(server)
    tsgkit("", *words(server, "--new"))
    assert seen(server) - asked == 6
    [aside] = [path for path in run.parent.iterdir() if path != run]
    assert aside.name.startswith("run.until-")
    assert (aside / "calls.jsonl").read_bytes() == (whole / "calls.jsonl").read_bytes()


def test_a_folder_in_which_no_run_can_be_kept_is_named(server: Running, tsgkit: CommandLine, tmp_path: Path) -> None:
    before = seen(server)
    (tmp_path / "file").touch()
    for place in (tmp_path / "file/run", tmp_path / "file", Path("/proc/no/run")):
        ended = tsgkit("", *words(server, "--out", str(place)), code=2)
        assert f"{place}: the run cannot be kept here" in ended.err
    assert seen(server) == before


def test_ctrl_c_waits_for_what_is_on_its_way_and_going_on_completes(commands: Prefork, tmp_path: Path) -> None:
    with model_server(answers=0) as slow:
        command = words(slow, "--concurrency", "4", "--model-arg", f"api_key={KEY}", limit=12)
        command = tuple(word for word in command if word != "--quiet")
        process = commands.start(*command, cwd=tmp_path)
        process.until(lambda: seen(slow) == 4)
        process.signal(signal.SIGINT)
        process.until(lambda: "Ctrl-C again does not wait" in process.err)
        slow.release()
        assert process.wait().code == 130
        assert "nothing is lost; go on with: tsgkit eval --task sgqa" in process.err
        assert "api_key=[redacted]" in process.err and KEY not in process.err + process.out
        recorded, before = good_calls(tmp_path / "run"), seen(slow)
        assert recorded == 4, "what was on its way came home"
        ended = commands.run(*command, cwd=tmp_path)
        assert "going on: 4 samples are there already" in ended.err
        assert (ended.code, seen(slow) - before) == (0, 12 - recorded)
    assert len(samples(tmp_path / "run")) == 12


def test_budgets_of_requests_tokens_and_money_stop_a_run_before_they_are_passed_and_hold_over_continuations(
    server: Running, tsgkit: CommandLine
) -> None:
    before = seen(server)
    for _ in range(2):
        said = tsgkit("", *words(server, "--max-requests", "4"), code=4).err
        assert "4 of 4 requests; 2 samples not asked" in said
        assert "nothing is lost; raise the limit in: tsgkit " in said
        assert seen(server) == before + 4
    assert tsgkit("", *words(server, "--max-requests", "6")).err == "" and seen(server) == before + 6
    both = words(server, "--model", "baseline/rules", "--max-requests", "2", "--json", "--out", "both", limit=90)
    results = {result["subject"]: result for result in tsgkit("", *both, code=4).json["results"]}
    assert results["openai/x"]["unasked"] == 88
    assert results["baseline/rules"]["counts"]["answered"] == 90, "free subjects are not stopped"
    with model_server(faults={"500": 1.0}) as failing:
        for _ in range(2):
            tsgkit("", *words(failing, "--max-requests", "3", "--concurrency", "1", "--out", "cut"), code=4)
        assert seen(failing) == 3, "the requests of a call that was cut short count"

    def used(code: int, *more: str) -> tuple[str, float, int]:
        ended = tsgkit("", *words(server, "--concurrency", "1", "--json", "--new", *more), code=code)
        usage = ended.json["results"][0]["usage"]
        return ended.err, usage["cost"], usage["prompt_tokens"] + usage["completion_tokens"]

    said, _, tokens = used(4, "--max-tokens", "1700")
    assert 0 < tokens <= 1700 and "tokens; " in said
    price = ("--price", "10,20", "--max-cost")
    said, cost, _ = used(4, *price, "0.018")
    assert 0 < cost <= 0.018 and "dollars" in said
    assert used(0, *price, "1")[1] == pytest.approx(6 * (100 * 10e-6 + 10 * 20e-6))
    before = seen(server)
    said = tsgkit("", *words(server, "--max-cost", "1", "--new"), code=2).err
    assert "--price IN,OUT" in said and seen(server) == before
    assert "the price of openai/x is not known, so --max-cost cannot be kept" in said


@pytest.mark.parametrize(("given", "fault", "code"), [("api_key", "500", 4), ("", "", 0), ("header", "401", 1)])
def test_a_key_is_in_no_file_and_on_no_screen(
    given: str, fault: str, code: int, tsgkit: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "" if given else KEY)
    argument = f"api_key={KEY}" if given == "api_key" else f"extra_headers.Authorization=Bearer {KEY}"
    more = ("--samples", "--max-requests", "2", *(("--model-arg", argument) if given else ()))
    with model_server(echo_key=True, always={"": fault} if fault else {}) as server:
        told = (word for word in words(server, *more, limit=2) if word != "--no-cache")
        ended = tsgkit("", *told, code=code)
    found = everything(tmp_path) + (ended.out + ended.err).encode()
    assert KEY.encode() not in found
    assert b"[redacted]" in found, "the server did say it"


def test_records_that_do_not_fit_are_named_and_made_anew_by_rescoring(tmp_path: Path, tsgkit: CommandLine) -> None:
    run = evaluate(
        Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), limit=5), RunOptions(out=tmp_path / "run")
    ).path
    file, changed = run / "samples.jsonl", "line 1: not the record that was written"
    whole = file.read_bytes()
    first, second, *rest = whole.splitlines(keepends=True)
    value, ids = json.loads(first), [json.loads(line)["item_id"].encode() for line in (first, second)]
    readers: list[Callable[[Path], object]] = [open_saved_run, lambda path: gather([path]), runs_in]
    for line, message in (
        *((first.replace(b"1.0", score), changed) for score in (b"7.0", b"1e308", b"NaN")),
        *((line, changed) for line in (first.replace(*ids), first[:-9] + b"\n", first[:-30] + b"}\n", b"[]\n")),
        (sealed(value | {"item_id": "x"}), "line 1: x: no sample of this run"),
        (sealed(value | {"style": "x"}), "line 1: .*: no sample of this run"),
        (first + first, "line 2: .*: a second record of this sample"),
    ):  # fmt: skip
        file.write_bytes(b"".join([line, second, *rest]))
        for read in readers[:2]:
            with pytest.raises(FileProblem, match=message):
                read(run)
        assert "1 record of samples.jsonl did not fit" in tsgkit("rescore", run).out, message
        assert file.read_bytes() == whole, "the rest is as it was"
    file.write_bytes(first + whole)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr("tsgkit.runs.rescore_job.lines_of", lambda *_: 1 // 0)
        Rescoring(run).carry_out()
    assert file.read_bytes() == first + whole, "nothing is lost before it is made anew"
    for left in ([second, *rest], [first, second, *rest[:-1], rest[-1][:-1]]):
        file.write_bytes(b"".join(left))
        for read in readers:
            with pytest.raises(FileProblem, match="samples with a record: 4; when the run last ended: 5") as problem:
                read(run)
            assert problem.value.hint == f"tsgkit rescore {run} makes all records anew from the recorded replies"
        write_header(run, records=0)  # a run that was killed
        with pytest.warns(Incomplete, match="exact_match: of 5 samples 1 have no record and 0 ended in errors"):
            Run(run).value("exact_match")
        tsgkit("rescore", run)
        assert file.read_bytes() == whole


def test_totals_of_a_run_that_goes_on_are_those_of_its_records_in_order(tmp_path: Path) -> None:
    tasks, path = ("tsg/sgqa", "tsg/ma-sgg", "tsg/refine"), tmp_path / "run/samples.jsonl"
    plan = Plan(tasks=tasks, models=("baseline/random", "baseline/rules"), limit=12)
    finished = evaluate(plan, RunOptions(out=tmp_path / "run"))
    assert open_saved_run(tmp_path / "run").results == finished.results
    records = path.read_bytes().splitlines(keepends=True)
    for left in (records, records[:7] + records[9:]):
        path.write_bytes(b"".join(left))
        assert evaluate(plan, RunOptions(out=tmp_path / "run")).values == finished.values
        assert path.read_bytes() == b"".join(records)
    first = lines(path)[:3]
    for places in ((1,), (0, 2), (0, 0), (0, 1, 0)):
        state = RowState(prepare(plan).rows[0])
        for number in (*places, 0, 1, 2):
            state.add_up(number, first[number], scores_of(first[number]))
        assert state.sums is None, "an order once broken stays broken"


def test_what_a_newer_reader_reads_differently_is_named(tsgkit: CommandLine, tmp_path: Path) -> None:
    command = "eval --task sgds --limit 2 --quiet --out run --model baseline/rules"
    tsgkit(command)
    run = tmp_path / "run"
    calls, records = lines(run / "calls.jsonl"), lines(run / "samples.jsonl")
    calls[0]["reply"]["text"] = "[A] or [B]"  # the first reader took the last brackets there are
    records[0] |= {"outcome": "answered", "answer": "B"}
    header = json.loads((run / "run.json").read_text())
    assert header["reader"] == READER
    header["reader"] = READER - 1
    said = []
    for words_ in ("rescore run", "rescore run --json", command):
        (run / "run.json").write_text(json.dumps(header))
        write_lines(run / "calls.jsonl", calls)
        write_lines(run / "samples.jsonl", records)
        said.append(tsgkit(words_))
        assert json.loads((run / "run.json").read_text())["reader"] == READER
    assert f"1 sample read differently by reader {READER} than by reader {READER - 1}:" in said[0].out
    assert f"baseline/rules tsg/sgds {records[0]['item_id']}: answered B -> unreadable" in said[0].out
    [reread] = said[1].json["reread"]
    assert (reread["task"], reread["item_id"]) == ("tsg/sgds", records[0]["item_id"])
    assert (reread["before"], reread["after"]["outcome"]) == ({"outcome": "answered", "answer": "B"}, "unreadable")
    assert "differently" not in tsgkit("rescore run").out


def test_a_journal_reads_back_what_was_added_and_replaced(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "lines.jsonl", "n")
    texts = [*("\ud800\n" * number for number in range(4)), "x" * 3 * CHUNK]
    places = [journal.add({"n": number, "text": text}) for number, text in enumerate(texts)]
    assert [journal.read(place)["text"] for place in reversed(places)] == texts[::-1]
    assert (places[0], journal.count(), journal.size) == (0, 5, journal.path.stat().st_size)
    assert next(lines_of(journal.path, start=places[3])) == (places[3], {"n": 3, "text": texts[3]})
    journal.replace(journal.line(place) for place in reversed(places))
    journal.add({"n": 5})
    assert [value["n"] for _, value in journal] == [4, 3, 2, 1, 0, 5]
    with largest_file(journal.size + 20):
        journal.add({"n": 6})
        with pytest.raises(FileProblem, match="cannot be written"):
            journal.add({"n": 7, "text": "long" * 50})
        place = journal.add({"n": 8})
    assert journal.read(place) == {"n": 8} and [value["n"] for _, value in journal][-2:] == [6, 8]
    journal.close()
    journal.close()


def test_a_torn_line_is_cut_away_and_a_broken_one_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    for whole, torn in ((b"", b"x"), (b"", b"x" * 2 * CHUNK), (b'{"n":1}\n', b"x" * CHUNK), (b'{"n":1}\n', b"")):
        path.write_bytes(whole + torn)
        reader = Journal(path, writes=False)
        assert len(list(reader)) == bool(whole) and path.read_bytes() == whole + torn
        reader.close()
        journal = Journal(path)
        journal.close()
        assert (path.read_bytes(), journal.size) == (whole, len(whole)), (whole, len(torn))
    good = b'{"n":1}\n'
    for line, message in (
        (b'{"n": oops', "not JSON"), (b"\xff\xfe", "not JSON"), (b"[" * 100_000, "nested too deeply"),
        (b"[]", "no field m, n"), (b"17", "no field m, n"), (b'{"n": 1}', "no field m"),
    ):  # fmt: skip
        path.write_bytes(good * 20_000 + line + b"\n")
        with pytest.raises(FileProblem, match=f"lines.jsonl: line 20001: {message}$") as problem:
            list(lines_of(path, frozenset("mn"), start=len(good) * 20_000))
        assert "mend or remove the line" in problem.value.hint
    assert list(lines_of(tmp_path / "nothing")) == []


def test_decisions_are_restored_and_of_a_file_cut_at_any_byte_those_of_its_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "made.review.jsonl"
    cafe = {"decision": "accepted", "description": "Ein Café\u2028für 日本 \U0001f600."}
    made = {"ü": cafe, "b": {"decision": "drop"}}
    for name, value in made.items():
        Decisions(file).keep(name, value)
    whole = file.read_bytes()
    first, second = whole.splitlines(keepends=True)
    said = f'{{"shown": "ü", "decision": "accepted", "description": "{cafe["description"]}"}}\n'
    assert first == said.encode()
    for cut in range(len(whole) + 1):
        file.write_bytes(whole[:cut])
        again, count = Decisions(file), whole[:cut].count(b"\n")
        expected = [value if number < count else None for number, value in enumerate(made.values())]
        assert [again.find(name) for name in made] == expected, cut
        again.keep("b", made["b"])
        assert file.read_bytes() == b"".join([first, second][:count]) + second, cut
    Decisions(file).keep("b", {"decision": "accepted"})
    assert [Decisions(file).find(name) for name in "üb?"] == [cafe, {"decision": "accepted"}, None]
    assert shown_as({"a": 1, "é": 2}) == shown_as({"é": 2, "a": 1}) == "6816227f4a00d30cc338"


def test_decisions_of_several_processes_are_all_kept_and_final_where_that_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "made.review.jsonl"
    one, other = Decisions(file), Decisions(file)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: Decisions(file).keep(str(n), {"choice": "a" * n * 100}), range(40)))
    one.keep("new", {"choice": "drop"}, is_final=True)
    with pytest.raises(UsageError, match="decided elsewhere meanwhile"):
        other.keep("new", {"choice": "accept"}, is_final=True)
    assert other.known == one.known == Decisions(file).known and len(other.known) == 41


def test_decisions_that_can_be_neither_read_nor_kept_are_named_and_their_file_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "made.review.jsonl"
    for text, number in (
        (b"x", 1), (b"no json\n", 1), (b"{}\n", 1), (b"[1]\n", 1), (b'"text"\n', 1), (b'{"id": 1}', 1),
        (b'{"id": 1}\n{"shown": "a', 1), (b'{"shown": "a"}\n\n{}\n', 3), (b'{"shown": "a"}\nx', 2),
    ):  # fmt: skip
        file.write_bytes(text)
        with pytest.raises(FileProblem, match=f"made.review.jsonl: line {number}: no decision$"):
            Decisions(file)
        assert file.read_bytes() == text
    with pytest.raises(FileProblem, match="cannot be written: there is no folder"):
        Decisions(tmp_path / "nowhere/made.review.jsonl")
    with pytest.raises(FileProblem, match="decisions cannot be read"):
        Decisions(tmp_path)
    file.unlink()
    decisions = Decisions(file)

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    decisions.keep("a1", {"decision": "drop"})
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(FileProblem, match="No space left on device"):
            decisions.keep("b2", {"decision": "accept"})
    decisions.keep("c3", {"decision": "accept"})
    found = [Decisions(file).find(name) for name in ("a1", "b2", "c3")]
    assert found == [{"decision": "drop"}, None, {"decision": "accept"}], "no half line is left"
