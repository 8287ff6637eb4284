"""A download arrives whole and as expected, or says why not and keeps what can still be used."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest
from loopback import Answer, Loopback, loopback
from refusals import refusal

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


def problem(url: str, target: Path, check: str | None = CHECK, patience: Patience = HASTE) -> str:
    return refusal(DownloadProblem, download, url, target, check, patience=patience)


def test_a_file_arrives_whole_with_its_progress_and_nothing_beside_it(server: Loopback, target: Path) -> None:
    for data, kind in ((DATA, "sha256"), (DATA, "git"), (b"", "sha256"), (b"x", "git")):
        seen: list[tuple[int, int | None]] = []
        check = checksum_of_bytes(data, kind)
        download(server.put("f", data), target, check, lambda *at: seen.append(at), HASTE)  # noqa: B023
        assert target.read_bytes() == data
        assert left(target) == ["data.bin"]
        assert not data or seen[-1] == (len(data), len(data))
        assert [so_far for so_far, _ in seen] == sorted({so_far for so_far, _ in seen})
    assert checksum_of_bytes(b"cup\n", "git") == "git:8c35927d5ec461a791b6b447351ff67aaf79f8d2"


def test_a_cut_body_is_resumed_where_it_was_cut_as_often_as_it_brings_bytes(server: Loopback, target: Path) -> None:
    server.plan = [HALF, HALF]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA
    assert server.ranges == [None, "bytes=200000-", "bytes=400000-"]
    server.plan = [Answer(chunked=True, cut_after=100_000)]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA and len(server.asked) == 3 + 2
    server.otherwise = Answer(cut_after=60_000)
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert target.read_bytes() == DATA and len(server.asked) == 3 + 2 + 9


def test_a_later_call_goes_on_from_the_part_that_was_kept(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, *[Answer(503)] * 3]
    with pytest.raises(DownloadProblem, match="the server answers 503 Service Unavailable") as caught:
        download(url, target, CHECK, patience=HASTE)
    assert "the same command goes on" in caught.value.hint
    assert left(target) == ["data.bin.part", "data.bin.part.tag"]
    download(url, target, CHECK, patience=HASTE)
    assert (target.read_bytes(), server.ranges[-1], left(target)) == (DATA, "bytes=200000-", ["data.bin"])


def test_a_server_that_ignores_ranges_is_read_from_the_start_or_given_up(server: Loopback, target: Path) -> None:
    server.plan = [HALF]
    server.otherwise = Answer(knows_ranges=False)
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert (target.read_bytes(), server.ranges) == (DATA, [None, "bytes=200000-"])
    server.otherwise = Answer(knows_ranges=False, cut_after=1000)
    assert "cut after 1,000 of 512,000 bytes" in problem(server.put("f", DATA), target)
    assert len(server.asked) <= 2 + 4


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
    problem(url, target, check)
    server.put("f", OTHER)
    download(url, target, check, patience=HASTE)
    assert target.read_bytes() == OTHER
    assert (server.ranges[-1], len(server.asked)) == ("bytes=200000-", 5)
    assert server.asked[-1][1]["if-range"].startswith('"')


def test_a_part_without_a_tag_is_trusted_only_with_a_checksum(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [Answer(cut_after=200_000, tag=""), *[Answer(500)] * 3]
    problem(url, target, checksum_of_bytes(OTHER))
    server.put("f", OTHER)
    download(url, target, checksum_of_bytes(OTHER), patience=HASTE)
    assert target.read_bytes() == OTHER
    assert server.ranges[-2:] == ["bytes=200000-", None]
    for tag in ("", 'W/"weak"'):
        server.plan = [Answer(cut_after=200_000, tag=tag)]
        download(server.put("f", DATA), target, patience=HASTE)
        assert (server.ranges[-2:], target.read_bytes()) == ([None, None], DATA), tag


def test_a_part_of_another_address_is_not_gone_on_with(server: Loopback, target: Path) -> None:
    server.plan = [Answer(cut_after=200_000, tag='"1"'), *[Answer(500)] * 3]
    server.otherwise = Answer(tag='"1"')
    problem(server.put("f", DATA), target, None)
    download(server.put("g", OTHER), target, patience=HASTE)
    assert target.read_bytes() == OTHER


def test_a_part_that_is_whole_needs_no_more_bytes_and_a_longer_one_is_thrown_away(
    server: Loopback, target: Path
) -> None:
    target.parent.mkdir()
    for part, requests in ((DATA, [1]), (DATA + b"more", [2, 3])):
        (target.parent / "data.bin.part").write_bytes(part)
        asked = len(server.asked)
        download(server.put("f", DATA), target, CHECK, patience=HASTE)
        assert target.read_bytes() == DATA
        assert len(server.asked) - asked in requests


def test_a_part_that_another_process_fetches_is_left_alone(server: Loopback, target: Path) -> None:
    target.parent.mkdir()
    part = target.parent / "data.bin.part"
    with part.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process is fetching this file" in problem(server.put("f", DATA), target)
    assert part.exists() and server.asked == []


def test_a_wrong_checksum_says_both_and_keeps_nothing(server: Loopback, target: Path) -> None:
    target.parent.mkdir()
    target.write_bytes(b"old")
    message = problem(server.put("f", OTHER), target)
    assert checksum_of_bytes(OTHER) in message and CHECK in message
    assert (left(target), target.read_bytes(), len(server.asked)) == (["data.bin"], b"old", 1)


def test_a_refusal_is_said_at_once_and_a_passing_trouble_waited_for(
    server: Loopback, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for status in (400, 401, 403, 404, 410, 451):
        server.plan, asked = [Answer(status)], len(server.asked)
        assert f"the server answers {status}" in problem(server.put("f", DATA), target)
        assert (len(server.asked) - asked, left(target)) == (1, []), status
    pauses: list[float] = []
    monkeypatch.setattr("tsgkit.library.downloads.time.sleep", pauses.append)
    for status in (429, 500, 502, 503):
        server.plan, asked = [Answer(status), Answer(status)], len(server.asked)
        download(server.put("f", DATA), target, CHECK, patience=Patience(5, 3, 0.1))
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
        assert "an HTML page instead of data" in problem(url, target), page
        assert (target.parent / "data.bin.part").stat().st_size == 200_000, page
        download(url, target, CHECK, patience=HASTE)
        assert server.ranges[-1] == "bytes=200000-", page


def test_a_silent_server_is_given_up_after_a_while(server: Loopback, target: Path) -> None:
    server.plan, server.otherwise = [Answer(hang=True, cut_after=1000)], Answer(hang=True)
    assert "gone silent (tried 2 times)" in problem(server.put("f", DATA), target, CHECK, Patience(0.2, 2, 0.01))


def test_redirections_are_followed_with_the_range_but_not_in_circles_or_elsewhere(
    server: Loopback, target: Path
) -> None:
    there = server.put("there", DATA)
    for location in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x"):
        server.plan = [Answer(302, location=location)]
        problem(server.put("f", DATA), target, None)
        assert left(target) == [], location
    server.plan = [Answer(302, location=there), HALF, Answer(301, location="/there")]
    download(server.put("f", DATA), target, CHECK, patience=HASTE)
    assert (target.read_bytes(), server.ranges[-1]) == (DATA, "bytes=200000-")
    server.otherwise = Answer(302, location="/f")
    assert "302" in problem(server.put("f", DATA), target, None)


def test_addresses_that_are_none_or_not_http_are_said(target: Path) -> None:
    for url in ("file:///etc/hostname", "ftp://x/y", "/etc/hostname", "http://", "http:///x", ""):
        assert "only http and https" in problem(url, target), url
        assert not target.parent.exists()
    for url in ("http://127.0.0.1:x/f", "http://127.0.0.1/a b", "http://[::1/f", "http://127.0.0.1/\n"):
        assert problem(url, target), url


def test_an_unknown_name_a_closed_door_and_a_broken_folder_are_told_apart(target: Path, server: Loopback) -> None:
    with pytest.raises(DownloadProblem, match="server name cannot be resolved") as caught:
        download("http://nowhere.invalid/f", target, patience=HASTE)
    assert "tsgkit data import" in caught.value.hint
    with loopback() as gone:
        url = gone.url
    assert "cannot be reached" in problem(f"{url}/f", target)
    (target.parent / "file").write_text("x")
    url = server.put("f", DATA)
    message = refusal(FileProblem, download, url, target.parent / "file" / "x", patience=HASTE)
    assert "cannot be written" in message
