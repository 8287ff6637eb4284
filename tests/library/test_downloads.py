"""A download arrives whole and as expected, or says why not and keeps what can still be used."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Loopback, loopback

from tsgkit.errors import DownloadProblem, FileProblem
from tsgkit.library.downloads import Patience, checksum_of_bytes, download

DATA = bytes(range(256)) * 2000
CHECK = checksum_of_bytes(DATA)
OTHER = DATA[::-1]
HASTE = Patience(timeout=5, tries=3, pause=0.01)
HALF = Answer(cut_after=200_000)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with loopback() as served:
        yield served


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "data.bin"


def left(target: Path) -> list[str]:
    return sorted(path.name for path in target.parent.iterdir())


@pytest.mark.parametrize("kind", ["sha256", "git"])
def test_a_file_arrives_whole_with_its_progress_and_nothing_beside_it(
    kind: str, server: Loopback, target: Path
) -> None:
    told: list[tuple[int, int | None]] = []
    check = checksum_of_bytes(DATA, kind)
    download(server.put("f", DATA), target, check, lambda *at: told.append(at), HASTE)
    assert target.read_bytes() == DATA
    assert left(target) == ["data.bin"]
    assert told[-1] == (len(DATA), len(DATA))
    assert [so_far for so_far, _ in told] == sorted({so_far for so_far, _ in told})


def test_the_git_checksum_is_the_one_git_gives() -> None:
    assert checksum_of_bytes(b"cup\n", "git") == "git:8c35927d5ec461a791b6b447351ff67aaf79f8d2"


@pytest.mark.parametrize("data", [b"", b"x"])
def test_small_files_arrive_too(data: bytes, server: Loopback, target: Path) -> None:
    download(server.put("f", data), target, checksum_of_bytes(data), patience=HASTE)
    assert target.read_bytes() == data


def test_a_cut_body_is_resumed_where_it_was_cut(server: Loopback, target: Path) -> None:
    server.plan = [HALF, HALF]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges == [None, "bytes=200000-", "bytes=400000-"]


def test_a_chunked_body_that_is_cut_is_resumed(server: Loopback, target: Path) -> None:
    server.plan = [Answer(chunked=True, cut_after=100_000)]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert len(server.asked) == 2


def test_a_later_call_goes_on_from_the_part_that_was_kept(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, *[Answer(503)] * 3]
    with pytest.raises(DownloadProblem, match="the server answers 503") as caught:
        download(url, target, CHECK, patience=HASTE)
    assert "the same command goes on" in caught.value.hint
    assert left(target) == ["data.bin.part", "data.bin.part.tag"]
    download(url, target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges[-1] == "bytes=200000-"
    assert left(target) == ["data.bin"]


def test_every_try_that_brings_bytes_is_followed_by_another(server: Loopback, target: Path) -> None:
    server.otherwise = Answer(cut_after=60_000)
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert len(server.asked) == 9


def test_a_server_that_ignores_ranges_sends_all_from_the_start(server: Loopback, target: Path) -> None:
    server.plan = [HALF]
    server.otherwise = Answer(knows_ranges=False)
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges == [None, "bytes=200000-"]


def test_a_server_that_ignores_ranges_and_cuts_is_given_up_in_the_end(server: Loopback, target: Path) -> None:
    server.otherwise = Answer(knows_ranges=False, cut_after=1000)
    with pytest.raises(DownloadProblem, match=r"cut after 1,000 of 512,000 bytes"):
        download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert len(server.asked) <= 4


def test_a_server_that_sends_another_range_is_asked_again_from_the_start(server: Loopback, target: Path) -> None:
    server.plan = [HALF, Answer(range_from=5)]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert server.ranges == [None, "bytes=200000-", None]
    assert target.read_bytes() == DATA


@pytest.mark.parametrize("check", [checksum_of_bytes(OTHER), None])
def test_a_file_that_changed_since_its_part_was_kept_is_fetched_anew(
    check: str | None, server: Loopback, target: Path
) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, *[Answer(500)] * 3]
    with pytest.raises(DownloadProblem):
        download(url, target, check, patience=HASTE)
    server.put("f", OTHER)
    download(url, target, check, patience=HASTE)
    assert target.read_bytes() == OTHER
    assert (server.ranges[-1], len(server.asked)) == ("bytes=200000-", 5)
    assert server.asked[-1][1]["if-range"].startswith('"')


def test_a_changed_file_without_a_tag_is_found_by_its_checksum(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [Answer(cut_after=200_000, tag=""), *[Answer(500)] * 3]
    with pytest.raises(DownloadProblem):
        download(url, target, checksum_of_bytes(OTHER), patience=HASTE)
    server.put("f", OTHER)
    download(url, target, checksum_of_bytes(OTHER), patience=HASTE)
    assert target.read_bytes() == OTHER
    assert server.ranges[-2:] == ["bytes=200000-", None]


@pytest.mark.parametrize("tag", ["", 'W/"weak"'])
def test_without_tag_and_checksum_nothing_is_pieced_together(tag: str, server: Loopback, target: Path) -> None:
    server.plan = [Answer(cut_after=200_000, tag=tag)]
    download(server.put("f", DATA), target, patience=HASTE)
    assert server.ranges == [None, None]
    assert target.read_bytes() == DATA


def test_a_part_of_another_address_is_not_gone_on_with(server: Loopback, target: Path) -> None:
    server.plan = [Answer(cut_after=200_000, tag='"1"'), *[Answer(500)] * 3]
    server.otherwise = Answer(tag='"1"')
    with pytest.raises(DownloadProblem):
        download(server.put("f", DATA), target, patience=HASTE)
    download(server.put("g", OTHER), target, patience=HASTE)
    assert target.read_bytes() == OTHER


def test_a_part_that_is_all_there_is_needs_no_more_bytes(server: Loopback, target: Path) -> None:
    target.parent.mkdir()
    (target.parent / "data.bin.part").write_bytes(DATA)
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert len(server.asked) == 1


def test_a_part_longer_than_the_file_is_thrown_away(server: Loopback, target: Path) -> None:
    target.parent.mkdir()
    (target.parent / "data.bin.part").write_bytes(DATA + b"more")
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA


def test_a_wrong_checksum_says_both_and_keeps_nothing(server: Loopback, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"old")
    with pytest.raises(DownloadProblem) as caught:
        download(server.put("f", OTHER), target, CHECK, patience=HASTE)
    assert checksum_of_bytes(OTHER) in str(caught.value)
    assert CHECK in str(caught.value)
    assert left(target) == ["data.bin"]
    assert target.read_bytes() == b"old"
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451])
def test_a_refusal_is_said_at_once(status: int, server: Loopback, target: Path) -> None:
    server.plan = [Answer(status)]
    with pytest.raises(DownloadProblem, match=f"the server answers {status}"):
        download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert len(server.asked) == 1
    assert left(target) == []


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_passing_trouble_is_waited_for(status: int, server: Loopback, target: Path) -> None:
    server.plan = [Answer(status), Answer(status)]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert len(server.asked) == 3


def test_pauses_grow(server: Loopback, target: Path) -> None:
    server.plan = [Answer(500), Answer(500)]
    begin = time.monotonic()
    download(server.put("f", DATA), target, CHECK, patience=Patience(5, 3, 0.1))
    assert time.monotonic() - begin >= 0.3


@pytest.mark.parametrize(
    "page",
    [
        Answer(body=b"\n<!DOCTYPE html><title>Log in</title>"),
        Answer(body=b"<HTML>"),
        Answer(body=b"hello", content_type="text/html; charset=utf-8"),
    ],
)
def test_a_page_instead_of_data_is_said_and_costs_nothing_that_was_kept(
    page: Answer, server: Loopback, target: Path
) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, Answer(**{**vars(page), "knows_ranges": False})]
    with pytest.raises(DownloadProblem, match="an HTML page instead of data"):
        download(url, target, CHECK, patience=HASTE)
    assert (target.parent / "data.bin.part").stat().st_size == 200_000
    download(url, target, CHECK, patience=HASTE)
    assert server.ranges[-1] == "bytes=200000-"


@pytest.mark.parametrize("first", [Answer(hang=True), Answer(hang=True, cut_after=1000)])
def test_a_silent_server_is_given_up_after_a_while(first: Answer, server: Loopback, target: Path) -> None:
    server.plan, server.otherwise = [first], Answer(hang=True)
    with pytest.raises(DownloadProblem, match=r"gone silent \(tried 2 times\)"):
        download(server.put("f", DATA), target, CHECK, patience=Patience(0.2, 2, 0.01))


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x"])
def test_a_redirection_leads_to_no_other_kind_of_address(location: str, server: Loopback, target: Path) -> None:
    server.plan = [Answer(302, location=location)]
    with pytest.raises(DownloadProblem):
        download(server.put("f", DATA), target, patience=HASTE)
    assert left(target) == []


def test_a_redirection_is_followed_and_the_range_with_it(server: Loopback, target: Path) -> None:
    there = server.put("there", DATA)
    server.plan = [Answer(302, location=there), HALF, Answer(301, location="/there")]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges[-1] == "bytes=200000-"


def test_redirections_in_a_circle_end(server: Loopback, target: Path) -> None:
    server.otherwise = Answer(302, location="/f")
    with pytest.raises(DownloadProblem, match="302"):
        download(server.put("f", DATA), target, patience=HASTE)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://x/y", "/etc/hostname", "http://", "http:///x", ""])
def test_only_http_addresses_are_fetched(url: str, target: Path) -> None:
    with pytest.raises(DownloadProblem, match="only http and https"):
        download(url, target)
    assert not target.parent.exists()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:x/f", "http://127.0.0.1/a b", "http://[::1/f", "http://127.0.0.1/\n"]
)
def test_an_address_that_is_none_is_said(url: str, target: Path) -> None:
    with pytest.raises(DownloadProblem):
        download(url, target, patience=HASTE)


def test_a_name_that_nobody_knows_and_a_closed_door_are_told_apart(target: Path, server: Loopback) -> None:
    with pytest.raises(DownloadProblem, match="server name cannot be resolved") as caught:
        download("http://nowhere.invalid/f", target, patience=HASTE)
    assert "tsgkit data import" in caught.value.hint
    with loopback() as gone:
        url = gone.url
    with pytest.raises(DownloadProblem, match="cannot be reached"):
        download(f"{url}/f", target, patience=HASTE)


def test_a_folder_that_cannot_be_made_is_said(server: Loopback, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(FileProblem, match="cannot be written"):
        download(server.put("f", DATA), tmp_path / "file" / "x", patience=HASTE)


def test_download_reports_a_full_disk(server: Loopback, target: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from tsgkit.library.downloads import download\n"
        "from tsgkit.errors import FileProblem\n"
        "try: download(sys.argv[1], sys.argv[2])\n"
        "except FileProblem as error: print(error, error.hint)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, server.put("f", DATA), str(target)],
        capture_output=True, text=True, check=True, env=environment(), timeout=60,
    )  # fmt: skip
    assert "no room left on the disk make room" in result.stdout
    assert (target.parent / "data.bin.part").stat().st_size == 100_000


def environment() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path), "NO_PROXY": "127.0.0.1"}


def started(server: Loopback, target: Path) -> subprocess.Popen[str]:
    """Return a process that has fetched some of a file and waits for more; it hears Ctrl-C wherever these tests are
    run.
    """
    server.plan = [Answer(hang=True, cut_after=200_000)]
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # deaf in a background job
        "from tsgkit.library.downloads import download\n"
        f"download(sys.argv[1], sys.argv[2], {CHECK!r})"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, server.put("f", DATA), str(target)],
        stderr=subprocess.PIPE, text=True, env=environment(),
    )  # fmt: skip
    part = target.parent / "data.bin.part"
    for _ in range(2000):
        if part.exists() and part.stat().st_size == 200_000:
            return process
        time.sleep(0.01)
    process.kill()
    raise AssertionError(process.communicate()[1])


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_killed_download_is_gone_on_with(how: signal.Signals, server: Loopback, target: Path) -> None:
    process = started(server, target)
    os.kill(process.pid, how)
    process.communicate(timeout=20)
    assert process.returncode != 0
    assert not target.exists()
    download(f"{server.url}/f", target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges == [None, "bytes=200000-"]


def test_two_processes_never_write_one_part(server: Loopback, target: Path) -> None:
    process = started(server, target)
    with pytest.raises(DownloadProblem, match="another process is fetching"):
        download(f"{server.url}/f", target, CHECK, patience=HASTE)
    assert (target.parent / "data.bin.part").stat().st_size == 200_000
    server.let_go.set()
    process.communicate(timeout=20)
    assert process.returncode == 0
    assert target.read_bytes() == DATA
