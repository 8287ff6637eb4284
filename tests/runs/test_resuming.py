"""A run that was killed, stopped or torn goes on by its folder alone, which belongs to one run and one process."""

from __future__ import annotations

import json
import random
import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from exported_runs import largest_file
from model_server import Running, model_server
from prefork import Prefork, Ran
from run_files import everything, good_calls, lines, samples, write_lines

from tsgkit.cli import main
from tsgkit.errors import FileProblem
from tsgkit.replies import READER
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.journal import CHUNK, Journal, lines_of
from tsgkit.runs.plan import Plan
from tsgkit.runs.records import scores_of
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.runs.state import RowState

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
def whole(server: Running, commands: Prefork, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    assert commands.run(*words(server), cwd=folder).code == 0
    return folder / "run"


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


# Killed and torn


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
    (run / "samples.jsonl").write_text(text.replace('"outcome":"answered"', '"outcome":"unreadable"'))
    assert samples(run) != samples(other)
    assert commands.run(*words(server, *voting), cwd=tmp_path, version="9.9.9").code == 0
    assert samples(run) == samples(other), "another version scores again from recorded calls"
    assert (seen(server), (run / "calls.jsonl").read_bytes()) == (before + 18 - recorded, calls)
    assert '"tsgkit": "9.9.9"' in (run / "run.json").read_text()


def test_a_torn_last_line_is_healed(server: Running, commands: Prefork, run: Path, whole: Path) -> None:
    for name, kept in (("samples.jsonl", 0), ("prompts.jsonl", 30), ("samples.jsonl", -1), ("calls.jsonl", 1)):
        path = run / name
        body = path.read_bytes()
        start = body.rindex(b"\n", 0, -1) + 1
        path.write_bytes(body[:start] + body[start:][:kept])
        if name == "calls.jsonl":  # the sample is derived from the call, so it can only be there later
            torn = json.loads(body[start:])["sample"]
            records = lines(run / "samples.jsonl")
            write_lines(run / "samples.jsonl", [one for one in records if one["item_id"] != torn])
        before = seen(server)
        ended = commands.run(*words(server), cwd=run.parent)
        assert (ended.code, ended.err) == (0, ""), name
        assert seen(server) - before == (name == "calls.jsonl"), name
        assert samples(run) == samples(whole), name
        assert good_calls(run) == 6 and lines(path)


def test_two_processes_do_not_share_a_folder(commands: Prefork, tmp_path: Path) -> None:
    with model_server(faults={"hang": 1.0}) as slow:
        first, port = commands.start(*words(slow), cwd=tmp_path), urlsplit(slow.base).port
        while not slow.stats()["seen"] and not first.ended():
            time.sleep(0.01)
        for more in ((), ("--new",)):
            other = commands.run(*words(slow, *more), cwd=tmp_path)
            assert other.code == 2 and "run: another process is working on the run" in other.err
        first.signal(signal.SIGKILL)
        first.wait()
    with model_server(port=port) as quick:
        assert commands.run(*words(quick), cwd=tmp_path).code == 0
    assert len(samples(tmp_path / "run")) == 6


def test_the_folder_of_another_run_is_refused_saying_what_differs_or_put_aside(
    server: Running, commands: Prefork, run: Path, whole: Path
) -> None:
    before = (run / "run.json").read_bytes()
    for more, what in (
        (("--limit", "5"), "items differs"),
        (("--seed", "1"), "seed differs"),
        (("--model-arg", "temperature=0.7"), "models differs"),
        (("--style", "cot"), "prompts differs"),
    ):
        ended = commands.run(*words(server, *more), cwd=run.parent)
        assert ended.code == 2 and f"run: another run lies here ({what})" in ended.err and "--new" in ended.err, more
    assert (run / "run.json").read_bytes() == before
    asked = seen(server)
    assert commands.run(*words(server, "--new"), cwd=run.parent).code == 0
    assert seen(server) - asked == 6
    [aside] = [path for path in run.parent.iterdir() if path != run]
    assert aside.name.startswith("run.until-")
    assert (aside / "calls.jsonl").read_bytes() == (whole / "calls.jsonl").read_bytes()


def test_who_cannot_be_asked_or_kept_is_named_and_its_folder_free_for_another_plan(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    before = seen(server)
    for other, said in (("nobody/knows", "PROVIDER/NAME"), ("anthropic/claude-3-haiku-20240307", "no key")):
        command = ("eval", "--task", "sgqa", "--model", "openai/x", "--model", other, "--out", "run", "--no-cache")
        ended = commands.run(*command, "--model-arg", f"openai/x:api_base={server.base}", cwd=tmp_path)
        assert ended.code == 2 and other in ended.err and said in ended.err
    (tmp_path / "file").touch()
    for place in (tmp_path / "file/run", tmp_path / "file", Path("/proc/no/run")):
        ended = commands.run(*words(server, "--out", str(place)), cwd=tmp_path)
        assert ended.code == 2 and f"{place}: the run cannot be kept here" in ended.err
    assert seen(server) == before
    assert commands.run(*words(server), cwd=tmp_path).code == 0


# Stopped


def test_ctrl_c_waits_for_what_is_on_its_way_and_going_on_completes(commands: Prefork, tmp_path: Path) -> None:
    with model_server(delay=0.3) as slow:
        command = words(slow, "--concurrency", "4", "--model-arg", f"api_key={KEY}", limit=12)
        process = commands.start(*command, cwd=tmp_path)
        until = time.monotonic() + 20
        while seen(slow) < 3 and time.monotonic() < until and not process.ended():
            time.sleep(0.01)
        process.signal(signal.SIGINT)
        assert process.wait(20).code == 130
        assert "nothing is lost; go on with: tsgkit eval --task sgqa" in process.err
        assert "api_key=[redacted]" in process.err and KEY not in process.err + process.out
        recorded, before = good_calls(tmp_path / "run"), seen(slow)
        assert recorded >= 3, "what was on its way came home"
        ended = commands.run(*command, cwd=tmp_path)
        assert (ended.code, ended.err, seen(slow) - before) == (0, "", 12 - recorded)
    assert len(samples(tmp_path / "run")) == 12


def test_a_budget_of_requests_holds_over_continuations(server: Running, commands: Prefork, tmp_path: Path) -> None:
    before = seen(server)
    for _ in range(2):
        ended = commands.run(*words(server, "--max-requests", "4"), cwd=tmp_path)
        assert ended.code == 4 and "4 of 4 requests; 2 samples not asked" in ended.err
        assert "nothing is lost; raise the limit in: tsgkit eval" in ended.err
        assert seen(server) == before + 4
    ended = commands.run(*words(server, "--max-requests", "6"), cwd=tmp_path)
    assert (ended.code, ended.err, seen(server)) == (0, "", before + 6)
    both = words(server, "--model", "baseline/rules", "--max-requests", "2", "--json", "--out", "both", limit=90)
    ended = commands.run(*both, cwd=tmp_path)
    results = {result["subject"]: result for result in ended.json["results"]}
    assert (ended.code, results["openai/x"]["unasked"]) == (4, 88)
    assert results["baseline/rules"]["counts"]["answered"] == 90, "free subjects are not stopped"
    with model_server(faults={"500": 1.0}) as failing:
        for _ in range(2):
            command = words(failing, "--max-requests", "3", "--concurrency", "1", "--out", "cut")
            assert commands.run(*command, cwd=tmp_path).code == 4
        assert seen(failing) == 3, "the requests of a call that was cut short count"


def test_budgets_of_tokens_and_money_stop_a_run_before_they_are_passed(
    server: Running, commands: Prefork, tmp_path: Path
) -> None:
    def used(*more: str) -> tuple[int, str, float, int]:
        ended = commands.run(*words(server, "--concurrency", "1", "--json", "--new", *more), cwd=tmp_path)
        usage = ended.json["results"][0]["usage"]
        return ended.code, ended.err, usage["cost"], usage["prompt_tokens"] + usage["completion_tokens"]

    code, said, _, tokens = used("--max-tokens", "1300")
    assert code == 4 and 0 < tokens <= 1300 and "tokens; " in said
    price = ("--price", "10,20", "--max-cost")
    code, said, cost, _ = used(*price, "0.016")
    assert code == 4 and 0 < cost <= 0.016 and "dollars" in said
    code, _, cost, _ = used(*price, "1")
    assert (code, cost) == (0, pytest.approx(6 * (100 * 10e-6 + 10 * 20e-6)))
    before = seen(server)
    ended = commands.run(*words(server, "--max-cost", "1", "--new"), cwd=tmp_path)
    assert ended.code == 2 and "--price IN,OUT" in ended.err and seen(server) == before
    assert "the price of openai/x is not known, so --max-cost cannot be kept" in ended.err


@pytest.mark.parametrize(("given", "fault"), [("api_key", "500"), ("environment", ""), ("header", "401")])
def test_a_key_is_in_no_file_and_on_no_screen(commands: Prefork, tmp_path: Path, given: str, fault: str) -> None:
    env = {"TSGKIT_CACHE_HOME": str(tmp_path / "cache")}
    more: tuple[str, ...] = ()
    if given == "environment":
        env["OPENAI_API_KEY"] = KEY
    else:
        name = "api_key" if given == "api_key" else "extra_headers.Authorization"
        more = ("--model-arg", f"{name}={KEY if given == 'api_key' else f'Bearer {KEY}'}")
    with model_server(echo_key=True, always={"": fault} if fault else {}) as server:
        told = words(server, "--samples", "--max-requests", "2", *more, limit=2)
        ended = commands.run(*(word for word in told if word != "--no-cache"), cwd=tmp_path, env=env)
    assert ended.code == ({"": 0, "500": 4}.get(fault, 1)), ended.err
    found = everything(tmp_path / "run", tmp_path / "cache") + (ended.out + ended.err).encode()
    assert KEY.encode() not in found
    assert b"[redacted]" in found, "the server did say it"


# Totals and readers


def test_totals_of_a_run_that_goes_on_are_those_of_its_records(tmp_path: Path) -> None:
    tasks, path = ("tsg/sgqa", "tsg/ma-sgg", "tsg/refine"), tmp_path / "run/samples.jsonl"
    plan = Plan(tasks=tasks, models=("baseline/random", "baseline/rules"), limit=12)
    finished = evaluate(plan, Options(out=tmp_path / "run"))
    assert open_saved_run(tmp_path / "run").results == finished.results
    records = path.read_bytes().splitlines(keepends=True)
    for left in (records, records[:7] + records[9:]):
        path.write_bytes(b"".join(left))
        assert evaluate(plan, Options(out=tmp_path / "run")).values == finished.values
        assert path.read_bytes() == b"".join(records)


def test_samples_out_of_order_are_not_added_up(tmp_path: Path) -> None:
    plan = Plan(tasks=("tsg/sgqa",), models=("baseline/random",), limit=3)
    evaluate(plan, Options(out=tmp_path / "run"))
    records = lines(tmp_path / "run/samples.jsonl")
    for places in ((1,), (0, 2), (0, 0), (0, 1, 0)):
        state = RowState(prepare(plan).rows[0])
        for place in (*places, 0, 1, 2):
            state.add_up(place, records[place], scores_of(records[place]))
        assert state.sums is None, "an order once broken stays broken"


def test_what_a_newer_reader_reads_differently_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["eval", "--task", "sgds", "--limit", "2", "--quiet", "--out", "run", "--model", "baseline/rules"]
    assert main(command) == 0
    calls, records = lines(Path("run/calls.jsonl")), lines(Path("run/samples.jsonl"))
    calls[0]["reply"]["text"] = "[A] or [B]"  # the first reader took the last brackets there are
    records[0] |= {"outcome": "answered", "answer": "B"}
    header, item = json.loads(Path("run/run.json").read_text()), records[0]["item_id"]
    for words_, said in (
        (["rescore", "run"], f"baseline/rules tsg/sgds {item}: answered B -> unreadable"),
        (["rescore", "run", "--json"], ""),
        (command, ""),
    ):
        Path("run/run.json").write_text(json.dumps({name: one for name, one in header.items() if name != "reader"}))
        write_lines(Path("run/calls.jsonl"), calls)
        write_lines(Path("run/samples.jsonl"), records)
        capsys.readouterr()
        assert main(words_) == 0
        out = capsys.readouterr().out
        assert said in out and json.loads(Path("run/run.json").read_text())["reader"] == READER == header["reader"]
        if said:
            assert f"1 sample read differently by reader {READER} than by reader 1:" in out
            assert main(words_) == 0 and "differently" not in capsys.readouterr().out
        if "--json" in words_:
            [reread] = json.loads(out)["reread"]
            assert (reread["task"], reread["item_id"]) == ("tsg/sgds", item)
            assert reread["before"] == {"outcome": "answered", "answer": "B"}
            assert reread["after"]["outcome"] == "unreadable"


# Journals


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
