"""The server of views: only to its own page, only what was opened, and what the run says."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from served import Client

from tsgkit.browser.modules import in_order, joined
from tsgkit.cli import main
from tsgkit.interface.run import open_run
from tsgkit.runs.folder import locked
from tsgkit.serve.viewed_run import ViewedRun

Serve = Callable[..., Client]


def samples_of(client: Client, run: str = "mine") -> dict[str, Any]:
    found: dict[str, Any] = client.data("samples", run=run)
    return found


# Security


def test_requests_from_elsewhere_are_refused(client: Client) -> None:
    cases: tuple[tuple[str, dict[str, str]], ...] = (
        ("/", {}),
        ("/wrong/", {}),
        ("/wrong/data/runs", {}),
        ("/{token}/data/runs", {"Host": "evil.example"}),
        ("/{token}/data/runs", {"Host": "evil.example:{port}"}),
        ("/{token}/data/runs", {"Host": "127.0.0.1"}),
        ("/{token}/data/runs", {"Origin": "http://evil.example"}),
        ("/{token}/data/runs", {"Origin": "null"}),
        ("/{token}/", {"Sec_Fetch_Site": "cross-site"}),
    )
    for path, headers in cases:
        told = {name: value.format(port=client.port) for name, value in headers.items()}
        status, _, body = client.request(path.format(token=client.token), "GET", None, **told)
        assert status == 403 and client.token.encode() not in body, (path, headers)
    for host in (f"127.0.0.1:{client.port}", f"localhost:{client.port}"):
        assert client.request(f"/{client.token}/data/runs", Host=host, Origin=f"http://{host}")[0] == 200, host


def test_every_answer_has_the_strict_policy_and_is_not_kept(client: Client) -> None:
    for path in ("", "browser/live.js", "browser/page.css", "data/runs", "data/run?run=none"):
        _, headers, _ = client.request(f"/{client.token}/{path}")
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';"), path
        assert "unsafe" not in policy
        names = ("x-content-type-options", "referrer-policy", "cache-control")
        assert [headers[name] for name in names] == ["nosniff", "no-referrer", "no-store"], path


def test_only_modules_of_the_page_are_handed_out(client: Client) -> None:
    for name in (
        *("../suites/panels.py", "..%2f..%2fpyproject.toml", "%2e%2e/__init__.py", "/etc/passwd", "__init__.py", ""),
        *in_order("live.js")[:-1],
    ):
        status, _, body = client.request(f"/{client.token}/browser/{name}")
        assert status in (403, 404) and b"import" not in body, name
    status, headers, body = client.request(f"/{client.token}/browser/live.js")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/javascript")
    assert body.decode() == joined("live.js")


def test_only_opened_runs_and_samples_can_be_named(client: Client) -> None:
    for run in ("../mine", "/etc", "mine/../mine", "nothing", "", "mine\0"):
        assert "there is no run" in client.problem("samples", run=run), run
    for number in (-1, "x", "1.5", ""):
        assert "number" in client.problem("sample", run="mine", number=number), number
    assert "no sample 10,000" in client.problem("sample", run="mine", number=10_000)
    assert client.problem("samples") == "the request lacks run"
    assert client.problem("sample", run="mine") == "the request lacks number"


def test_run_of_links_to_other_files_tells_nothing_of_them(serve: Serve, finished: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the secret words\n")
    shutil.copytree(finished, tmp_path / "runs" / "odd")
    for name in ("samples.jsonl", "calls.jsonl"):
        (tmp_path / "runs" / "odd" / name).unlink()
        (tmp_path / "runs" / "odd" / name).symlink_to(secret)
    client = serve(tmp_path / "runs")
    listing = json.dumps(client.data("runs"))
    assert "not JSON" in client.problem("samples", run="odd")
    assert "secret words" not in listing + client.problem("sample", run="odd", number=0)


# Data


def test_results_are_those_of_the_report(client: Client, finished: Path) -> None:
    value = client.data("run", run="mine")
    report = open_run(finished)
    assert [row["title"] for row in value["rows"]] == [one.cell.title for one in report.results]
    for row, result in zip(value["rows"], report.results, strict=True):
        shown, own = row["profiles"]["strict"][row["main"]], (result.board.profiles["strict"] or {})[row["main"]]
        assert own is not None
        assert (shown["value"], shown["low"], shown["high"]) == (own.value, own.low, own.high)
        assert row["counts"] == result.board.counts


def test_every_sample_has_the_mark_and_the_reason_that_python_has(client: Client, finished: Path) -> None:
    columns = samples_of(client)
    samples, domains = list(open_run(finished).samples), columns["groups"]["domain"]
    assert columns["n"] == len(samples)
    for number, sample in enumerate(samples):
        assert [domains["members"][place] for place in domains["of"][number]] == list(sample.groups["domain"])
        assert columns["item"][number] == sample.item_id
        assert columns["outcomes"][columns["outcome"][number]] == sample.outcome
        assert (columns["mark"][number] == "r") == (not sample.is_wrong)
        assert sample.reason.startswith(columns["reason"][number].removesuffix("..."))
        assert columns["strict"][number] == (sample.scores["strict"] or {})[sample.main]


def test_sample_is_explained_with_its_calls_readings_and_panels(client: Client, finished: Path) -> None:
    columns = samples_of(client)
    number = next(place for place, mark in enumerate(columns["mark"]) if mark == "w")
    value, sample = client.data("sample", run="mine", number=number), list(open_run(finished).samples)[number]
    assert value["item_id"] == sample.item_id
    assert [call["reply"]["text"] for call in value["calls"]] == [sample.reply]
    assert [one["content"] for one in value["calls"][0]["messages"]] == [one.content for one in sample.prompt]
    assert value["scores"]["strict"][sample.main]["value"] == (sample.scores["strict"] or {})[sample.main]
    assert value["panels"]
    (verdict,) = value["verdicts"]
    assert (verdict["question"], verdict["text"], verdict["right"]) == ("", "", False)


def test_text_is_found_in_prompts_replies_and_reasons_in_any_case(client: Client, finished: Path) -> None:
    samples = open_run(finished).samples
    numbers = {(one.cell, one.item_id): number for number, one in enumerate(samples)}
    for text in ("DO NOT know", "hand1", "exact_match", "no such text anywhere", "ẞ"):
        wanted = [numbers[one.cell, one.item_id] for one in samples.grep(text)]
        assert client.data("search", run="mine", text=text)["numbers"] == wanted, text


def test_two_rows_are_compared_with_the_test_of_compare(client: Client, finished: Path, capsys: Any) -> None:  # noqa: ANN401
    rows = client.data("run", run="mine")["rows"]
    of_task = [row["row"] for row in rows if row["task"] == "tsg/sgds"]
    value = client.data("comparison", first=f"mine/{of_task[0]}", second=f"mine/{of_task[1]}")
    assert main(["compare", str(finished), "--task", "tsg/sgds", "--metric", value["metric"], "--json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (value["difference"], value["p"]) == (pair["difference"]["value"], pair["p"])
    problem = client.data("comparison", first="mine/0", second=f"mine/{of_task[0]}")["problem"]
    assert "different tasks" in problem


def test_pair_is_compared_on_its_own_items_though_a_third_row_has_few(
    serve: Serve, finished: Path, tmp_path: Path
) -> None:
    run = tmp_path / "begun"
    shutil.copytree(finished, run)
    records = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    header = json.loads((run / "run.json").read_text())
    kept = [one for one in records if one["task"] == "tsg/sgds"]
    third = [one | {"style": "few-shot"} for one in kept if one["style"] == "cot"][:1]
    header["plan"]["styles"] = ["zero-shot", "cot", "few-shot"]
    (run / "run.json").write_text(json.dumps(header))
    (run / "samples.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records + third))
    client = serve(run)
    rows = [row["row"] for row in client.data("run", run="begun")["rows"] if row["task"] == "tsg/sgds"]
    found = client.data("comparison", first=f"begun/{rows[0]}", second=f"begun/{rows[1]}")
    assert found["first"]["n"] == len(kept) // 2
    assert not any("few-shot" in note for note in found["notes"])
    assert client.data("comparison", first=f"begun/{rows[0]}", second=f"begun/{rows[2]}")["first"]["n"] == 1


def test_list_tells_runs_their_progress_and_problems(serve: Serve, finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "runs"
    shutil.copytree(finished, folder / "whole")
    shutil.copytree(finished, folder / "begun")
    lines = (folder / "begun" / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "begun" / "samples.jsonl").write_bytes(b"".join(lines[:5]))
    (folder / "broken").mkdir()
    (folder / "broken" / "run.json").write_text("{")
    client = serve(folder)
    client.data("run", run="whole")
    runs = {one["id"]: one for one in client.data("runs")["runs"]}
    assert (runs["whole"]["recorded"], runs["whole"]["samples"]) == (len(lines), len(lines))
    assert runs["begun"]["recorded"] == 5
    assert not runs["whole"]["is_working"]
    assert "not JSON" in runs["broken"]["problem"]
    with locked(folder / "whole"):
        working = {one["id"]: one["is_working"] for one in client.data("runs")["runs"] if "is_working" in one}
        assert working["whole"] == Path("/proc/locks").exists()


def test_what_json_does_not_know_is_shown_all_the_same(serve: Serve, finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "odd"
    shutil.copytree(finished, run)
    records = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    records[0] |= {"answer": "half a pair: \ud800", "notes": ["\udc00"], "outcome": "unreadable"}
    records[1] |= {"answer": [float("nan"), float("inf")]}
    (run / "samples.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in records))
    text = (run / "calls.jsonl").read_text()
    (run / "calls.jsonl").write_text(text.replace("I do not know.", "\\ud800 [NaN]"))
    client = serve(run)
    columns = client.data("samples", run="odd")
    assert columns["answer"][0] == "half a pair: \ud800"
    for number in range(columns["n"]):
        assert client.data("sample", run="odd", number=number)["number"] == number
    assert client.data("search", run="odd", text="\ud800".encode("utf-8", "surrogatepass").decode("latin-1"))


def test_bug_is_told_in_the_page_and_ends_nothing(
    serve: Serve, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: object) -> None:
        raise ZeroDivisionError("an odd case")

    client = serve(finished)
    monkeypatch.setattr(ViewedRun, "samples", broken)
    status, headers, body = client.request(f"/{client.token}/data/samples?run=mine")
    assert status == 500
    assert "ZeroDivisionError: an odd case" in json.loads(body)["message"]
    assert "content-security-policy" in headers
    assert client.data("runs")["runs"]


def test_run_that_grows_is_read_on(serve: Serve, finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "growing"
    shutil.copytree(finished, run)
    whole = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (run / "samples.jsonl").write_bytes(b"".join(whole[:7]))
    client = serve(run)
    before = samples_of(client, "growing")
    assert before["mark"].count("m") == len(whole) - 7
    with (run / "samples.jsonl").open("ab") as file:
        file.write(whole[7] + whole[8] + whole[9][:20])
    after = samples_of(client, "growing")
    assert after["stamp"] != before["stamp"]
    assert after["mark"].count("m") == len(whole) - 9
    rows = client.data("run", run="growing")["rows"]
    assert sum(row["n"] for row in rows) == 9
    (run / "samples.jsonl").unlink()
    (run / "samples.jsonl").write_bytes(b"".join(reversed(whole)))
    assert samples_of(client, "growing")["mark"] == samples_of(serve(finished))["mark"]


def test_two_runs_of_one_name_have_addresses_of_their_own(serve: Serve, finished: Path, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        shutil.copytree(finished, tmp_path / folder / "mine")
    client = serve(tmp_path / "a", tmp_path / "b")
    assert {one["id"] for one in client.data("runs")["runs"]} == {"mine", "b/mine"}
    assert client.data("run", run="b/mine")["path"] == str(tmp_path / "b" / "mine")


def test_nothing_is_written_into_a_run(serve: Serve, finished: Path, tmp_path: Path) -> None:
    run = tmp_path / "kept"
    shutil.copytree(finished, run)

    def everything() -> dict[Path, tuple[int, bytes]]:
        return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in run.rglob("*") if path.is_file()}

    before = everything()
    client = serve(run)
    for name, more in (
        ("run", {}),
        ("samples", {}),
        ("sample", {"number": 0}),
        ("search", {"text": "cup"}),
        ("labels", {}),
    ):
        client.data(name, run="kept", **more)
    client.label("kept", number=0, verdict="right")
    assert everything() == before
