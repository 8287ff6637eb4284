"""Views of runs, live and as one file: only to their own page, only what was opened, what the run says; and labels."""

from __future__ import annotations

import base64
import gzip
import json
import re
import shutil
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from drawn_images import drawn, saved
from run_files import lines as lines_of
from run_files import write_header, write_lines
from served import Client, guess, serving

import tsgkit as tk
from tsgkit.browser.modules import allowed, in_order, joined
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.interface.run import open_run
from tsgkit.report.html import thumbnail
from tsgkit.runs.folder import locked
from tsgkit.runs.plan import Cell
from tsgkit.serve.exported_page import ImageAddresses
from tsgkit.serve.viewed_run import ViewedRun
from tsgkit.serve.viewed_runs import Label, Labels, ViewedRuns, labels_file

Captured = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
Serve = Callable[..., Client]
CELL = Cell("a model", "tsg/sgds", "single", "cot", 0)
BLOCK = re.compile(r'<script type="application/octet-stream" id="block-([\w-]+)">([A-Za-z0-9+/=]*)</script>')


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("runs") / "mine"
    tk.evaluate("tsg", model=guess, style=["zero-shot", "cot"], limit=4, out=out, quiet=True)
    return out


@pytest.fixture(scope="module")
def client(finished: Path) -> Iterator[Client]:
    with serving(finished) as found:
        yield found


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as kept:
        yield lambda *paths, **options: kept.enter_context(serving(*paths, **options))


@pytest.fixture
def run(finished: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished, tmp_path / "runs" / "mine"))


def test_requests_from_elsewhere_are_refused_and_every_answer_has_the_strict_policy(client: Client) -> None:
    cases: tuple[tuple[str, dict[str, str]], ...] = (
        *((path, {}) for path in ("/", "/wrong/", "/wrong/data/runs")),
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
        for site in ("same-origin", "none"):
            same: Any = {"Host": host, "Origin": f"http://{host}", "Sec_Fetch_Site": site}
            assert client.request(f"/{client.token}/data/runs", **same)[0] == 200, same
    for path in ("", "browser/live.js", "browser/page.css", "data/runs", "data/run?run=none"):
        _, headers, _ = client.request(f"/{client.token}/{path}")
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';") and "unsafe" not in policy
        names = ("x-content-type-options", "referrer-policy", "cache-control")
        assert [headers[name] for name in names] == ["nosniff", "no-referrer", "no-store"], path
    outside = "../suites/panels.py ..%2f..%2fpyproject.toml %2e%2e/__init__.py /etc/passwd __init__.py"
    for name in (*outside.split(), "", *in_order("live.js")[:-1]):
        status, _, body = client.request(f"/{client.token}/browser/{name}")
        assert status in (403, 404) and b"import" not in body, name
    status, headers, body = client.request(f"/{client.token}/browser/live.js")
    assert (status, headers["content-type"].partition(";")[0]) == (200, "text/javascript")
    assert body.decode() == joined("live.js")


def test_only_opened_runs_and_samples_can_be_named(client: Client, serve: Serve, run: Path, tmp_path: Path) -> None:
    for name in ("../mine", "/etc", "mine/../mine", "nothing", "", "mine\0"):
        assert "there is no run" in client.problem("samples", run=name), name
    for number in (-1, "x", "1.5", ""):
        assert "number" in client.problem("sample", run="mine", number=number), number
    assert "no sample 10,000" in client.problem("sample", run="mine", number=10_000)
    assert client.problem("sample", run="mine") == "the request lacks number"
    (secret := tmp_path / "secret.txt").write_text("the secret words\n")
    for name in ("samples.jsonl", "calls.jsonl"):
        (run / name).unlink()
        (run / name).symlink_to(secret)
    links = serve(run)
    assert "not the record" in links.problem("samples", run="mine")
    assert "secret words" not in json.dumps(links.data("runs")) + links.problem("sample", run="mine", number=0)


def test_results_samples_and_searches_are_those_of_python(client: Client, finished: Path) -> None:
    report, value = open_run(finished), client.data("run", run="mine")
    assert [row["title"] for row in value["rows"]] == [one.cell.title for one in report.results]
    for row, result in zip(value["rows"], report.results, strict=True):
        shown, own = row["profiles"]["strict"][row["metric"]], (result.board.profiles["strict"] or {})[row["metric"]]
        assert own is not None
        assert (shown["value"], shown["low"], shown["high"]) == (own.value, own.low, own.high)
        assert row["counts"] == result.board.counts
    columns, samples = client.data("samples", run="mine"), list(report.samples)
    domains = columns["groups"]["domain"]
    assert columns["n"] == len(samples)
    for number, sample in enumerate(samples):
        assert [domains["members"][place] for place in domains["of"][number]] == list(sample.groups["domain"])
        assert columns["item"][number] == sample.item_id
        assert columns["outcomes"][columns["outcome"][number]] == sample.outcome
        assert (columns["mark"][number] == "r") == (not sample.is_wrong)
        assert sample.reason.startswith(columns["reason"][number].removesuffix("..."))
        assert columns["strict"][number] == (sample.scores["strict"] or {})[sample.metric]
    number = columns["mark"].index("w")
    found, sample = client.data("sample", run="mine", number=number), samples[number]
    assert found["item_id"] == sample.item_id and found["panels"]
    assert [call["reply"]["text"] for call in found["calls"]] == [sample.reply]
    assert [one["content"] for one in found["calls"][0]["messages"]] == [one.content for one in sample.prompt]
    assert found["scores"]["strict"][sample.metric]["value"] == (sample.scores["strict"] or {})[sample.metric]
    (verdict,) = found["verdicts"]
    assert (verdict["question"], verdict["text"], verdict["right"]) == ("", "", False)
    numbers = {(one.cell, one.item_id): number for number, one in enumerate(samples)}
    for text in ("DO NOT know", "hand1", "exact_match", "no such text anywhere", "ẞ"):
        wanted = [numbers[one.cell, one.item_id] for one in report.samples.grep(text)]
        assert client.data("search", run="mine", text=text)["numbers"] == wanted, text


def test_two_rows_are_compared_on_their_own_items(client: Client, serve: Serve, run: Path, capsys: Captured) -> None:
    rows = [row["row"] for row in client.data("run", run="mine")["rows"] if row["task"] == "tsg/sgds"]
    value = client.data("comparison", first=f"mine/{rows[0]}", second=f"mine/{rows[1]}")
    assert main(["compare", str(run), "--task", "tsg/sgds", "--metric", value["metric"], "--json"]) == 0
    (pair,) = json.loads(capsys.readouterr().out)["comparisons"]
    assert (value["difference"], value["p"]) == (pair["difference"]["value"], pair["p"])
    assert "different tasks" in client.data("comparison", first="mine/0", second=f"mine/{rows[0]}")["problem"]
    header, lines = json.loads((run / "run.json").read_text()), lines_of(run / "samples.jsonl")
    kept = [one for one in lines if one["task"] == "tsg/sgds"]
    third = [one | {"style": "few-shot"} for one in kept if one["style"] == "cot"][:1]
    header["plan"]["styles"] = ["zero-shot", "cot", "few-shot"]
    (run / "run.json").write_text(json.dumps(header))
    write_lines(run / "samples.jsonl", lines + third)
    begun = serve(run)
    rows = [row["row"] for row in begun.data("run", run="mine")["rows"] if row["task"] == "tsg/sgds"]
    found, few = (begun.data("comparison", first=f"mine/{rows[0]}", second=f"mine/{row}") for row in rows[1:])
    assert (found["first"]["n"], few["first"]["n"]) == (len(kept) // 2, 1)
    assert not any("few-shot" in note for note in found["notes"])


def test_list_tells_runs_their_progress_and_problems(serve: Serve, run: Path, finished: Path, tmp_path: Path) -> None:
    folder = run.parent
    shutil.copytree(finished, folder / "begun")
    lines = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (folder / "begun" / "samples.jsonl").write_bytes(b"".join(lines[:5]))
    shutil.copytree(finished, folder / "silent")
    failed = {"outcome": "api_error", "error": "no such key", "counts": {"items": 1, "api_error": 1}}
    write_lines(folder / "silent/samples.jsonl", [record | failed for record in lines_of(run / "samples.jsonl")[:1]])
    (folder / "broken").mkdir()
    (folder / "broken" / "run.json").write_text("{")
    client = serve(folder)
    client.data("run", run="mine")
    runs = {one["id"]: one for one in client.data("runs")["runs"]}
    assert (runs["mine"]["recorded"], runs["mine"]["samples"]) == (len(lines), len(lines))
    assert (runs["begun"]["recorded"], runs["mine"]["is_working"]) == (5, False)
    assert "not JSON" in runs["broken"]["problem"]
    [silent] = [one for one in ViewedRuns([folder]).value(wait=True)["runs"] if one["id"] == "silent"]
    assert (silent["recorded"], [*silent["never_answered"].values()]) == (0, ["no such key"])
    assert {score["value"] for score in silent["scores"]} == {None}
    with locked(run):
        working = {one["id"]: one["is_working"] for one in client.data("runs")["runs"] if "is_working" in one}
        assert working["mine"] == Path("/proc/locks").exists()
    two = serve(folder, finished)
    beside = f"{finished.parent.name}/mine"
    assert {one["id"] for one in two.data("runs")["runs"]} == {"mine", "begun", "silent", "broken", beside}
    assert two.data("run", run=beside)["path"] == str(finished)


def test_what_json_does_not_know_is_shown_and_a_bug_is_told(serve: Serve, run: Path, monkeypatch: Patch) -> None:
    lines = lines_of(run / "samples.jsonl")
    lines[0] |= {"answer": "half a pair: \ud800", "notes": ["\udc00"], "outcome": "unreadable"}
    lines[1] |= {"answer": [float("nan"), float("inf")]}
    write_lines(run / "samples.jsonl", lines)
    text = (run / "calls.jsonl").read_text()
    (run / "calls.jsonl").write_text(text.replace("I do not know.", "\\ud800 [NaN]"))
    client = serve(run)
    columns = client.data("samples", run="mine")
    assert columns["answer"][0] == "half a pair: \ud800"
    for number in range(columns["n"]):
        assert client.data("sample", run="mine", number=number)["number"] == number
    assert client.data("search", run="mine", text="\ud800".encode("utf-8", "surrogatepass").decode("latin-1"))
    monkeypatch.setattr(ViewedRun, "samples", lambda _: 1 // 0)
    status, headers, body = client.request(f"/{client.token}/data/samples?run=mine")
    assert status == 500 and "content-security-policy" in headers
    assert "a bug in tsgkit: ZeroDivisionError" in json.loads(body)["message"]
    assert client.data("runs")["runs"]


def test_run_that_grows_is_read_on(serve: Serve, run: Path, client: Client) -> None:
    whole = (run / "samples.jsonl").read_bytes().splitlines(keepends=True)
    (run / "samples.jsonl").write_bytes(b"".join(whole[:7]))
    write_header(run, records=0)
    growing = serve(run)
    before = growing.data("samples", run="mine")
    assert before["mark"].count("m") == len(whole) - 7
    with (run / "samples.jsonl").open("ab") as file:
        file.write(whole[7] + whole[8] + whole[9][:20])
    after = growing.data("samples", run="mine")
    assert after["stamp"] != before["stamp"]
    assert after["mark"].count("m") == len(whole) - 9
    assert sum(row["n"] for row in growing.data("run", run="mine")["rows"]) == 9
    (run / "samples.jsonl").unlink()
    (run / "samples.jsonl").write_bytes(b"".join(reversed(whole)))
    assert growing.data("samples", run="mine")["mark"] == client.data("samples", run="mine")["mark"]


def lines(run: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in labels_file(run).read_text().splitlines()]


def test_label_is_saved_changed_and_removed_and_annotators_keep_their_own(serve: Serve, run: Path) -> None:
    client, second = serve(run), serve(run, annotator="ben")
    items = client.data("samples", run="mine")["item"]
    status, found = client.label("mine", number=3, verdict="wrong", note="the other hand\n")
    mine = {"number": 3, "question": "", "rater": "ann", "verdict": "wrong", "note": "the other hand\n"}
    assert (status, found["labels"]) == (200, [mine])
    (line,) = lines(run)
    assert (line["item_id"], line["rater"], line["right"], line["note"]) == (items[3], "ann", False, "the other hand\n")
    _, found = client.label("mine", number=3, verdict="unsure")
    assert found["labels"] == [mine | {"verdict": "unsure", "note": ""}]
    _, found = client.label("mine", number=3, verdict=None)
    assert found["labels"] == []
    one, other = [number for number, item in enumerate(items) if item == items[0]][:2]
    client.label("mine", number=one, verdict="right")
    client.label("mine", number=other, verdict="wrong")
    second.label("mine", number=one, verdict="wrong")
    found = client.data("labels", run="mine")["labels"]
    told = [(label["rater"], label["number"], label["verdict"]) for label in found]
    assert sorted(told) == [("ann", one, "right"), ("ann", other, "wrong"), ("ben", one, "wrong")]


def test_what_is_no_label_is_refused_and_nothing_is_written(serve: Serve, run: Path) -> None:
    client = serve(run)
    cases: tuple[tuple[dict[str, Any], str], ...] = (
        ({"number": 0, "verdict": "perhaps"}, "no verdict perhaps"),
        ({"number": 99_999, "verdict": "right"}, "no sample 99,999"),
        ({"number": "0", "verdict": "right"}, "not a label"),
        ({"number": 0, "verdict": "right", "rater": "somebody else"}, "not a label"),
        ({"number": 0, "verdict": "right", "note": "x" * 10_001}, "at most 10,000"),
        ({"number": 0, "verdict": "right", "note": "x" * 200_000}, "too long"),
    )
    for said, problem in cases:
        status, found = client.label("mine", **said)
        assert status == 400 and problem in found["message"], problem
    status, found = serve(run, annotator="").label("mine", number=0, verdict="right")
    assert (status, found["message"]) == (400, "labels need the name of the annotator")
    path, body = f"/{client.token}/data/labels?run=mine", b'{"number": 0, "verdict": "right"}'
    assert client.request(path, "POST", body, Origin="http://evil.example")[0] == 403
    assert not labels_file(run).exists()
    assert client.label("mine", number=0, verdict="right", note="x" * 10_000)[0] == 200


def test_ratings_of_other_origin_are_kept_and_anything_else_is_never_overwritten(tmp_path: Path) -> None:
    labels = Labels(tmp_path / "mine")
    theirs = {"item_id": "tea/1", "rater": "ben", "label": "B", "group": "first year"}
    labels.file.write_text(json.dumps(theirs) + "\n")
    odd = "<script>\u202e\u2028\n\"'"
    labels.save(Label(CELL, odd, odd, "unsure", odd), odd)
    assert lines(tmp_path / "mine")[0] == theirs
    _, one = labels.ratings()
    assert (one.rater, one.place, one.right, one.note) == (odd, (odd, odd), None, odd)
    labels.file.write_text("notes of mine\n")
    with pytest.raises(UsageError, match="line 1"):
        labels.save(Label(CELL, "tea/1", "", "right"), "ann")
    assert labels.file.read_text() == "notes of mine\n"
    run = tmp_path / "other"  # labels that are saved at once are all kept
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: Labels(run).save(Label(CELL, f"tea/{n}", "", "right"), f"r{n % 3}"), range(40)))
    assert sorted(one["item_id"] for one in lines(run)) == sorted(f"tea/{n}" for n in range(40))


def blocks_of(page: str) -> dict[str, Any]:
    return {name: json.loads(gzip.decompress(base64.b64decode(data))) for name, data in BLOCK.findall(page)}


def whole(value: Any, texts: list[str]) -> Any:  # noqa: ANN401
    """Return a value with its texts, as the browser puts them in."""
    if isinstance(value, list):
        return [whole(one, texts) for one in value]
    if isinstance(value, dict):
        if "$" in value:
            return texts[value["$"]]
        if "$json" in value:
            return json.loads(texts[value["$json"]])
        return {name: whole(one, texts) for name, one in value.items()}
    return value


def samples_in(blocks: dict[str, Any]) -> list[dict[str, Any]]:
    texts = [text for number in range(len(blocks["head"]["texts"])) for text in blocks[f"texts-{number}"]]
    assert len(texts) == len(set(texts))
    names = sorted((name for name in blocks if name.startswith("samples-")), key=lambda name: int(name.split("-")[1]))
    return [whole(one, texts) for name in names for one in blocks[name]]


def test_file_has_all_of_the_live_page_and_refers_to_nothing(finished: Path, tmp_path: Path, client: Client) -> None:
    assert main(["view", str(finished), "-o", str(tmp_path / "mine.html")]) == 0
    page = (tmp_path / "mine.html").read_text()
    blocks, live = blocks_of(page), client.data("run", run="mine")
    samples = samples_in(blocks)
    assert blocks["samples"] == client.data("samples", run="mine")
    assert len(samples) == blocks["samples"]["n"]
    for number, sample in enumerate(samples):
        for panel in sample["panels"]:
            assert panel.pop("images") == {}
        assert sample == client.data("sample", run="mine", number=number)
    assert blocks["head"]["run"] == live
    assert blocks["head"]["groups"]["domain"] == client.data("groups", run="mine", by="domain")
    rows = [row["row"] for row in live["rows"] if row["task"] == "tsg/sgqa"]
    told = client.data("comparison", first=f"mine/{rows[0]}", second=f"mine/{rows[1]}")
    assert blocks["head"]["comparisons"][f"{rows[0]}/{rows[1]}"] == told | {"notes": []}
    (script,) = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    policy = policy.replace("&#x27;", "'")
    assert policy.startswith("default-src 'none'; ") and "connect-src" not in policy and "unsafe" not in policy
    assert f"script-src {allowed(script)};" in policy and f"style-src {allowed(style)};" in policy
    frame = page.replace(script, "").replace(style, "")
    assert "src=" not in frame and re.findall(r'href="([^"]*)"', frame) == ["data:,"]


def test_run_of_hostile_texts_stays_data(run: Path, tmp_path: Path) -> None:
    odd = "</script><script>alert(1)</script>"
    for name in ("calls.jsonl", "samples.jsonl", "prompts.jsonl"):
        (run / name).write_text((run / name).read_text().replace("I do not know.", odd))
    page = tk.write_view(run, tmp_path / "odd.html").read_text()
    assert "alert(1)" not in page and any(odd in json.dumps(sample) for sample in samples_in(blocks_of(page)))


def test_wrong_use_is_told(run: Path, tmp_path: Path, capsys: Captured, monkeypatch: Patch) -> None:
    shutil.copytree(run, run.parent / "other")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    for words, problem in (
        (["nowhere", "-o", "x.html"], "there is no such folder"),
        ([str(run), "-o", "x.txt"], "a page is HTML"),
        ([str(run.parent), "-o", "x.html"], "a file holds one run; here are 2: mine, other"),
        ([".", "-o", "x.html"], "a file holds one run; here are 0"),
        ([str(run), "--port", "65536"], "ports go from 0 to 65535"),
        ([str(run), "-o", "no/folder/x.html"], "there is no folder"),
        ([], "there is no folder runs here"),
    ):
        assert main(["view", *words]) == 2, words
        told = capsys.readouterr().err
        assert problem in told, words
    assert "tsgkit eval" in told, "the next step"


def test_images_are_made_small_or_named_where_they_lie_or_left_out(tmp_path: Path) -> None:
    (tmp_path / "odd names").mkdir()
    image = tmp_path / "odd names" / "a #1?.png"
    image.write_bytes(saved(drawn(size=(1500, 900)), "PNG"))
    (linked,) = ImageAddresses(tmp_path / "out.html", linked=True).urls({"image": image})
    assert linked == ("image", "odd%20names/a%20%231%3F.png")
    (small,) = ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})
    assert small[1].startswith("data:image/jpeg;base64,") and len(small[1]) < 60_000
    for content in (b"", b"no image", b"\x89PNG\r\n\x1a\n cut"):
        image.write_bytes(content)
        assert thumbnail(image) == "", content
        assert list(ImageAddresses(tmp_path / "out.html", linked=False).urls({"image": image})) == []


def test_run_is_served_until_it_is_closed_or_written_from_python(finished: Path, tmp_path: Path) -> None:
    with tk.view(finished, annotator="ann") as page:
        address = page.address.partition("#")[0]
        with urllib.request.urlopen(address, timeout=60) as answer:  # noqa: S310
            assert answer.status == 200
        assert f'href="{page.address}"' in page._repr_html_()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(address, timeout=60)  # noqa: S310
    run = tk.open_run(finished)
    told: list[tuple[int, int]] = []
    written = tk.write_view(run, tmp_path / "mine.html", progress=lambda done, total: told.append((done, total)))
    assert written.read_text().startswith("<!doctype html>")
    assert told[-1] == (len(run.samples), len(run.samples))
    with pytest.raises(UsageError):
        tk.write_view(finished, tmp_path / "x.txt")
