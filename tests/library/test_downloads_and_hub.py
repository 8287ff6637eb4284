"""A download arrives whole or says why not; a dataset of the hub becomes rows: at a commit, verified and resumed."""

from __future__ import annotations

import fcntl
import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hub_server import Hub, without_login
from hub_server import hub as hub
from loopback import Answer, Loopback, loopback
from refusals import refusal

from tsgkit.errors import DownloadProblem, FileProblem, TsgkitError, UsageError
from tsgkit.library import hub as hub_datasets
from tsgkit.library.downloads import Patience, Watch, checksum_of_bytes, download, watched
from tsgkit.library.hub import hub_name, known_datasets, snapshot
from tsgkit.library.row_sources import pinned, row_place

DATA = bytes(range(256)) * 2000
CHECK = checksum_of_bytes(DATA)
OTHER = DATA[::-1]
THREE_TRIES = Patience(timeout=60, tries=3, pause=0.01)
HALF = Answer(cut_after=200_000)
DOWN = [Answer(500)] * 3


@pytest.fixture
def server() -> Iterator[Loopback]:
    with loopback() as served:
        yield served


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "data.bin"


def left(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


def problem_at(url: str, target: Path, check: str | None = CHECK, patience: Patience = THREE_TRIES) -> str:
    return refusal(DownloadProblem, download, url, target, check, patience=patience)


def got(url: str, target: Path, check: str | None = CHECK) -> bytes:
    download(url, target, check, patience=THREE_TRIES)
    assert left(target) == ["data.bin"]
    return target.read_bytes()


def test_a_file_arrives_whole_with_its_progress_and_nothing_beside_it(server: Loopback, target: Path) -> None:
    for data, kind in ((DATA, "sha256"), (DATA, "git"), (b"", "sha256"), (b"x", "git")):
        seen: list[tuple[int, int | None]] = []
        check = checksum_of_bytes(data, kind)
        download(server.put("f", data), target, check, lambda *at: seen.append(at), THREE_TRIES)  # noqa: B023
        assert (target.read_bytes(), left(target)) == (data, ["data.bin"])
        assert not data or seen[-1] == (len(data), len(data))
        assert [so_far for so_far, _ in seen] == sorted({so_far for so_far, _ in seen})
    assert checksum_of_bytes(b"cup\n", "git") == "git:8c35927d5ec461a791b6b447351ff67aaf79f8d2"


def test_a_cut_body_is_resumed_where_it_was_cut_now_or_by_a_later_call(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, HALF]
    assert got(url, target) == DATA
    assert server.ranges == [None, "bytes=200000-", "bytes=400000-"]
    server.plan = [Answer(chunked=True, cut_after=100_000)]
    assert got(url, target) == DATA and len(server.asked) == 3 + 2
    server.otherwise = Answer(cut_after=60_000)
    assert got(url, target) == DATA and len(server.asked) == 3 + 2 + 9
    target.unlink()
    server.plan, server.otherwise = [HALF, *[Answer(503)] * 3], Answer()
    with pytest.raises(DownloadProblem, match="the server answers 503 Service Unavailable") as caught:
        download(url, target, CHECK, patience=THREE_TRIES)
    assert "the same command goes on" in caught.value.hint
    assert left(target) == ["data.bin.part"]
    assert (got(url, target), server.ranges[-1]) == (DATA, "bytes=200000-")


def test_a_server_that_ignores_ranges_or_sends_another_is_read_from_the_start(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan, server.otherwise = [HALF], Answer(knows_ranges=False)
    assert (got(url, target), server.ranges) == (DATA, [None, "bytes=200000-"])
    server.otherwise = Answer(knows_ranges=False, cut_after=1000)
    assert "cut after 1,000 of 512,000 bytes" in problem_at(url, target)
    assert len(server.asked) <= 2 + 4
    target.with_name("data.bin.part").unlink(missing_ok=True)
    server.asked, server.otherwise, server.plan = [], Answer(), [HALF, Answer(range_from=5)]
    assert (got(url, target), server.ranges) == (DATA, [None, "bytes=200000-", None])


def test_a_part_of_a_file_that_changed_or_has_no_checksum_is_fetched_anew(server: Loopback, target: Path) -> None:
    for check, ranges in ((checksum_of_bytes(OTHER), ["bytes=200000-", None]), (None, [None])):
        server.plan, server.asked = [HALF, *DOWN[:2]], []
        problem_at(server.put("f", DATA), target, check)
        assert got(server.put("f", OTHER), target, check) == OTHER
        assert server.ranges[3:] == ranges, check
    server.plan = [HALF]
    assert (got(server.put("f", DATA), target, None), server.ranges[-2:]) == (DATA, [None, None])


def test_a_whole_part_needs_no_more_bytes_a_longer_one_is_thrown_away_and_a_locked_one_left_alone(
    server: Loopback, target: Path
) -> None:
    target.parent.mkdir()
    part, url = target.parent / "data.bin.part", server.put("f", DATA)
    with part.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process is fetching this file" in problem_at(url, target)
    assert part.exists() and server.asked == []
    for data, requests in ((DATA, [1]), (DATA + b"more", [2, 3])):
        part.write_bytes(data)
        asked = len(server.asked)
        assert got(url, target) == DATA
        assert len(server.asked) - asked in requests
    target.write_bytes(b"old")
    asked, message = len(server.asked), problem_at(server.put("f", OTHER), target)
    assert checksum_of_bytes(OTHER) in message and CHECK in message
    assert (left(target), target.read_bytes(), len(server.asked)) == (["data.bin"], b"old", asked + 1)


def test_a_refusal_is_said_at_once_and_a_passing_trouble_waited_for(
    server: Loopback, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.put("f", DATA)
    for status in (400, 401, 403, 404, 410, 451):
        server.plan, asked = [Answer(status)], len(server.asked)
        assert f"the server answers {status}" in problem_at(url, target)
        assert (len(server.asked) - asked, left(target)) == (1, []), status
    server.plan, server.otherwise = [Answer(hang=True, cut_after=1000)], Answer(hang=True)
    assert "gone silent (tried 2 times)" in problem_at(url, target, CHECK, Patience(0.2, 2, 0.01))
    server.otherwise, pauses = Answer(), list[float]()
    monkeypatch.setattr("tsgkit.library.downloads.time.sleep", pauses.append)
    for status in (429, 500, 502, 503):
        server.plan, asked = [Answer(status), Answer(status)], len(server.asked)
        download(url, target, CHECK, patience=Patience(60, 3, 0.1))
        assert len(server.asked) - asked == 3, status
    assert pauses == [0.1, 0.2] * 4


def test_a_page_instead_of_data_is_said_and_costs_nothing_that_was_kept(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    for page in [
        Answer(body=b"\n<!DOCTYPE html><title>Log in</title>", knows_ranges=False),
        Answer(body=b"<HTML>", knows_ranges=False),
        Answer(body=b"hello", content_type="text/html; charset=utf-8", knows_ranges=False),
    ]:
        server.plan = [HALF, page]
        assert "an HTML page instead of data" in problem_at(url, target), page
        assert (target.parent / "data.bin.part").stat().st_size == 200_000, page
        assert got(url, target) == DATA
        assert server.ranges[-1] == "bytes=200000-", page


def test_redirections_are_followed_with_the_range_but_not_in_circles_or_elsewhere(
    server: Loopback, target: Path
) -> None:
    there, url = server.put("there", DATA), server.put("f", DATA)
    for location in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x"):
        server.plan = [Answer(302, location=location)]
        problem_at(url, target, None)
        assert left(target) == [], location
    server.plan = [Answer(302, location=there), HALF, Answer(301, location="/there")]
    assert (got(url, target), server.ranges[-1]) == (DATA, "bytes=200000-")
    server.otherwise = Answer(302, location="/f")
    assert "302" in problem_at(url, target, None)


def test_addresses_and_folders_that_are_none_are_told_apart(target: Path, server: Loopback) -> None:
    for url in ("file:///etc/hostname", "ftp://x/y", "/etc/hostname", "http://", "http:///x", ""):
        assert "only http and https" in problem_at(url, target), url
        assert not target.parent.exists()
    for url in ("http://127.0.0.1:x/f", "http://127.0.0.1/a b", "http://[::1/f", "http://127.0.0.1/\n"):
        assert problem_at(url, target), url
    with pytest.raises(DownloadProblem, match="server name cannot be resolved") as caught:
        download("http://nowhere.invalid/f", target, patience=THREE_TRIES)
    assert "tsgkit data import" in caught.value.hint
    with loopback() as gone:
        url = gone.url
    assert "cannot be reached" in problem_at(f"{url}/f", target)
    (target.parent / "file").write_text("x")
    message = refusal(FileProblem, download, server.put("f", DATA), target.parent / "file" / "x", patience=THREE_TRIES)
    assert "cannot be written" in message


HASTE = Patience(timeout=60, tries=2, pause=0.01)
ROW = b'{"item_id": "a", "question": "where?"}\n'
TOKEN = "hf_" + "s3cret" * 5


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for module in (hub_datasets,):
        for function in ("commit_of", "files_at", "address_of", "snapshot"):
            if found := getattr(module, function, None):
                monkeypatch.setattr(found, "__defaults__", (HASTE,))
    monkeypatch.setattr(hub_datasets.Snapshot.fetch, "__defaults__", (HASTE,))
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    return without_login(tmp_path, monkeypatch)


@pytest.fixture
def forget(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Return what makes this process forget the revisions it has seen, as a new process would."""
    return lambda: monkeypatch.setattr(hub_datasets, "_seen", {})


def rows_of(data: str, task: str = "", stored: str | None = None) -> bytes:
    place = row_place(data, stored)
    assert place is not None
    return place.rows_of(task, stored).read_bytes()


def problem(data: str, stored: str | None = None) -> str:
    with pytest.raises(TsgkitError) as raised:
        rows_of(data, stored=stored)
    assert "\n" not in str(raised.value)
    return f"{raised.value} | {raised.value.hint}"


def test_rows_arrive_under_the_name_of_their_commit_which_is_told_once(hub: Hub) -> None:
    for lfs in (False, True):
        commit = hub.commit(f"lab/{lfs}", {"sgqa.jsonl": ROW, "README.md": b"hello"}, lfs=lfs)
        place = row_place(f"hf://lab/{lfs}", "sgqa")
        assert place is not None
        found = place.rows_of("tsg/sgqa", "sgqa")
        assert (str(found), found.read_bytes()) == (f"hf://lab/{lfs}@{commit}/sgqa.jsonl", ROW)
        (check,) = found.origin["files"].values()
        assert found.origin["source"] == f"hf://lab/{lfs}@{commit}"
        assert check.startswith("sha256:" if lfs else "git:")
    hub.asked.clear()
    commit = hub.commit("lab/stories", {"a.jsonl": ROW})
    heard: list[str] = []
    with watched(Watch(heard.append)):
        assert pinned("hf://lab/stories/a.jsonl#m.yaml") == f"hf://lab/stories@{commit}/a.jsonl#m.yaml"
        rows_of("hf://lab/stories")
    assert heard == [f"hf://lab/stories/a.jsonl: main is commit {commit}"]
    asked = {path.split("/lab/stories")[0] for path in hub.paths}
    assert asked == {"GET /api/datasets", "HEAD /datasets", "GET /datasets"}, "nothing but the dataset"


def test_a_pinned_commit_keeps_its_rows_when_main_moves(hub: Hub, forget: Callable[[], None]) -> None:
    old = hub.commit("lab/stories", {"a.jsonl": ROW})
    new = hub.commit("lab/stories", {"a.jsonl": ROW * 2})
    assert pinned("hf://lab/stories").endswith(new)
    assert rows_of(f"hf://lab/stories@{old}") == ROW
    hub.commit("lab/stories", {"a.jsonl": ROW * 3}, branch="refs/pr/1")
    assert rows_of("hf://lab/stories@refs/pr/1/a.jsonl") == ROW * 3
    hub.commit("lab/stories", {"a.jsonl": ROW * 4})
    forget()
    assert rows_of("hf://lab/stories") == ROW * 4


def test_the_second_use_needs_no_hub(hub: Hub, forget: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    commit = hub.commit("lab/stories", {"a.jsonl": ROW})
    rows_of("hf://lab/stories")
    asked = len(hub.asked)
    assert rows_of(f"hf://lab/stories@{commit}") == ROW
    assert len(hub.asked) == asked
    forget()
    heard: list[str] = []
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with watched(Watch(heard.append)):
        assert rows_of("hf://lab/stories") == ROW
    assert heard == [f"hf://lab/stories: the hub cannot be asked; main is taken to be {commit}, as it was last seen"]
    assert len(hub.asked) == asked
    assert known_datasets() == {"lab/stories": (commit,)}
    assert problem("hf://lab/others") == (
        "hf://lab/others: HF_HUB_OFFLINE is set, and this is not on this machine"
        " | with a network: tsgkit data get hf://lab/others"
    )
    assert len(hub.asked) == asked


def test_a_hub_that_is_not_there_has_a_password_or_is_no_hub_is_named(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    for status, words in ((201, "the answer is not that of a hub"), (418, "the hub answers 418")):
        hub.plan = [status]
        assert words in problem("hf://lab/stories")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    unreachable = "hf://lab/stories: the hub cannot be reached at http://127.0.0.1:9 | is there a network?"
    assert problem("hf://lab/stories") == unreachable
    assert issubclass(hub_datasets.HubUnreachable, DownloadProblem)
    for error in (ImportError("no socksio. Install it"), FileNotFoundError(2, "No such file")):  # proxy, certificates

        def ask(_: object, error: Exception = error) -> None:
            raise error

        name = hub_name("hf://lab/stories")
        assert f"reached at http://127.0.0.1:9: {str(error)[:9]}" in refusal(
            hub_datasets.HubUnreachable, hub_datasets._ask, name, ask, THREE_TRIES
        )
    monkeypatch.setenv("HF_ENDPOINT", "http://me:word@127.0.0.1:9")
    assert "HF_ENDPOINT" in refusal(UsageError, snapshot, hub_name("hf://lab/stories"))


def test_a_missing_a_private_and_a_gated_dataset_and_a_wrong_revision_are_told_apart(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    told = problem("hf://lab/nothing")
    assert "there is no such dataset, or it is private" in told and "set HF_TOKEN" in told
    assert "the dataset has no revision v9" in problem("hf://lab/stories@v9")
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    told = problem("hf://lab/nothing")
    assert "does not accept your login" in told and TOKEN not in told
    monkeypatch.delenv("HF_TOKEN")
    hub.commit("lab/gated", {"a.jsonl": ROW})
    hub.datasets["lab/gated"].token, hub.datasets["lab/gated"].gated = TOKEN, True
    told = problem("hf://lab/gated")
    assert "this dataset is gated" in told and f"{hub.url}/datasets/lab/gated" in told
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    assert rows_of("hf://lab/gated") == ROW


def test_a_login_goes_to_the_hub_only_not_on_by_a_redirection_and_into_no_file(
    hub: Hub, machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    for lfs in (False, True):
        hub.commit(f"lab/{lfs}", {"a.jsonl": ROW}, lfs=lfs)
        hub.datasets[f"lab/{lfs}"].token = TOKEN
        assert rows_of(f"hf://lab/{lfs}") == ROW
        elsewhere = [headers for _, path, headers in hub.asked if path.startswith("/cdn/")]
        assert len(elsewhere) == lfs
        assert not any("authorization" in headers for headers in elsewhere)
    assert not any(TOKEN.encode() in path.read_bytes() for path in machine.rglob("*") if path.is_file())


def test_a_busy_hub_is_asked_again_and_given_up_in_the_end(hub: Hub) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    hub.busy_at_first = 429
    assert rows_of("hf://lab/stories") == ROW
    assert len(set(hub.paths)) == 4 and min(Counter(hub.paths).values()) >= 2
    hub.busy_at_first = 0
    hub.plan = [503] * 9
    assert "the hub answers 503 (tried 2 times)" in problem("hf://lab/others")


def test_a_file_that_is_not_the_listed_or_stored_one_and_a_broken_record_are_refused(hub: Hub, machine: Path) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW}, lfs=True)
    hub.datasets["lab/stories"].stated["a.jsonl"] = "0" * 64
    assert "not the file that is expected" in problem("hf://lab/stories")
    assert list((machine / "huggingface/lab--stories/files").iterdir()) == []
    hub.commit("lab/others", {"a.jsonl": ROW})
    rows_of("hf://lab/others")
    (stored,) = (machine / "huggingface/lab--others/files").iterdir()
    stored.write_bytes(ROW * 2)
    assert "this is not the file that was downloaded" in problem("hf://lab/others")
    hub.commit("lab/odd", {"a.jsonl": ROW}, lfs=True)
    hub.datasets["lab/odd"].stated["a.jsonl"] = "../../x"
    assert "lists files in a way that is not understood" in problem("hf://lab/odd")
    commit = hub.commit("lab/records", {"a.jsonl": ROW})
    rows_of("hf://lab/records")
    record = machine / "huggingface/lab--records/commits" / f"{commit}.json"
    odd = json.dumps({"files": [{"path": "a", "size": 1, "check": "md5:0"}]})
    for text, message in (("{", "not JSON"), (odd, "not a list of files")):
        record.write_text(text)
        assert message in refusal(FileProblem, snapshot, hub_name(f"hf://lab/records@{commit}"))


def test_what_does_not_fit_on_the_disk_is_refused_before_it_is_fetched(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    hub.commit("lab/stories", {"a.jsonl": ROW})
    hub.datasets["lab/stories"].sizes["a.jsonl"] = 40 << 30
    assert "42.9 GB, and at most 4.3 GB are fetched" in problem("hf://lab/stories")
    hub.commit("lab/others", {"a.jsonl": ROW})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(10, 10, 0))
    assert "0.0 GB are free" in problem("hf://lab/others")
    assert not any("/resolve/" in path for path in hub.paths)


def test_hostile_names_of_files_are_never_paths_and_names_of_datasets_refused_without_a_question(
    hub: Hub, machine: Path
) -> None:
    hostile = ["../../evil.jsonl", "/etc/evil.jsonl", "a/../../b.jsonl", "c:\\x.jsonl", "x\x1b[31m.jsonl", "a//b.jsonl"]
    hub.commit("lab/stories", {"good.jsonl": ROW} | dict.fromkeys(hostile, b"evil"))
    assert rows_of("hf://lab/stories") == ROW
    found = snapshot(hub_name("hf://lab/stories"))
    assert ([file.path for file in found.files], found.refused) == (["good.jsonl"], len(hostile))
    assert not list(machine.parent.rglob("*evil*"))
    commits = machine / "huggingface/lab--stories/commits"
    assert "evil" not in next(commits.iterdir()).read_text()
    hub.asked.clear()
    names = ["hf://", "hf://lab", "hf://lab/x@", "hf://lab/x@a..b", "hf://lab/x/../y", "hf://../x", "hf://a--b/c"]
    secrets = [f"hf://me:{TOKEN}@huggingface.co/x", f"hf://lab/x@{TOKEN}", "hf://me:w0rd@lab/x"]
    for name in ["hf://lab/a b", *names, *secrets]:
        with pytest.raises(UsageError) as raised:
            hub_name(name)
        message = f"{raised.value}{raised.value.hint}"
        assert TOKEN not in message and "w0rd" not in message, name
    assert hub.asked == []


def test_a_file_named_after_the_task_is_taken_and_what_lies_there_listed_where_none_fits(hub: Hub) -> None:
    hub.commit("lab/two", {"train.jsonl": ROW, "test.jsonl": ROW})
    hub.commit("lab/none", {"README.md": b"x", "model.bin": b"x"})
    assert "several files could be meant: test.jsonl, train.jsonl" in problem("hf://lab/two", "sgqa")
    assert "name one: hf://lab/two@" in problem("hf://lab/two", "sgqa")
    none = "no file of rows in it (.jsonl, .parquet, .csv, .tsv) | it has README.md, model.bin"
    assert none in problem("hf://lab/none")
    assert "it has no file x.jsonl | it has test.jsonl, train.jsonl" in problem("hf://lab/two/x.jsonl")
    assert "not a file of rows" in problem("hf://lab/none/README.md")
    hub.commit("lab/stories", {"sgqa.jsonl": ROW, "sgds.jsonl": ROW * 2, "old/sgqa.jsonl": ROW * 3})
    assert rows_of("hf://lab/stories", stored="sgqa") == ROW
    assert rows_of("hf://lab/stories/old", stored="sgqa") == ROW * 3
