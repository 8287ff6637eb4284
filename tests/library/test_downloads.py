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
DOWN = [Answer(500)] * 3


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


def got(url: str, target: Path, check: str | None = CHECK) -> bytes:
    download(url, target, check, patience=HASTE)
    assert left(target) == ["data.bin"]
    return target.read_bytes()


def test_a_file_arrives_whole_with_its_progress_and_nothing_beside_it(server: Loopback, target: Path) -> None:
    for data, kind in ((DATA, "sha256"), (DATA, "git"), (b"", "sha256"), (b"x", "git")):
        seen: list[tuple[int, int | None]] = []
        check = checksum_of_bytes(data, kind)
        download(server.put("f", data), target, check, lambda *at: seen.append(at), HASTE)  # noqa: B023
        assert (target.read_bytes(), left(target)) == (data, ["data.bin"])
        assert not data or seen[-1] == (len(data), len(data))
        assert [so_far for so_far, _ in seen] == sorted({so_far for so_far, _ in seen})
    assert checksum_of_bytes(b"cup\n", "git") == "git:8c35927d5ec461a791b6b447351ff67aaf79f8d2"


def test_a_cut_body_is_resumed_where_it_was_cut_as_often_as_it_brings_bytes(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, HALF]
    assert got(url, target) == DATA
    assert server.ranges == [None, "bytes=200000-", "bytes=400000-"]
    server.plan = [Answer(chunked=True, cut_after=100_000)]
    assert got(url, target) == DATA and len(server.asked) == 3 + 2
    server.otherwise = Answer(cut_after=60_000)
    assert got(url, target) == DATA and len(server.asked) == 3 + 2 + 9


def test_a_later_call_goes_on_from_the_part_that_was_kept(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan = [HALF, *[Answer(503)] * 3]
    with pytest.raises(DownloadProblem, match="the server answers 503 Service Unavailable") as caught:
        download(url, target, CHECK, patience=HASTE)
    assert "the same command goes on" in caught.value.hint
    assert left(target) == ["data.bin.part", "data.bin.part.tag"]
    assert (got(url, target), server.ranges[-1]) == (DATA, "bytes=200000-")


def test_a_server_that_ignores_ranges_or_sends_another_is_read_from_the_start(server: Loopback, target: Path) -> None:
    url = server.put("f", DATA)
    server.plan, server.otherwise = [HALF], Answer(knows_ranges=False)
    assert (got(url, target), server.ranges) == (DATA, [None, "bytes=200000-"])
    server.otherwise = Answer(knows_ranges=False, cut_after=1000)
    assert "cut after 1,000 of 512,000 bytes" in problem(url, target)
    assert len(server.asked) <= 2 + 4
    target.with_name("data.bin.part").unlink(missing_ok=True)
    server.asked, server.otherwise, server.plan = [], Answer(), [HALF, Answer(range_from=5)]
    assert (got(url, target), server.ranges) == (DATA, [None, "bytes=200000-", None])


@pytest.mark.parametrize("check", [checksum_of_bytes(OTHER), None])
def test_a_file_that_changed_since_its_part_was_kept_is_fetched_anew(
    check: str | None, server: Loopback, target: Path
) -> None:
    server.plan = [HALF, *DOWN]
    problem(server.put("f", DATA), target, check)
    assert got(server.put("f", OTHER), target, check) == OTHER
    assert (server.ranges[-1], len(server.asked)) == ("bytes=200000-", 5)
    assert server.asked[-1][1]["if-range"].startswith('"')


def test_a_part_without_a_tag_is_trusted_only_with_a_checksum_and_one_of_another_address_never(
    server: Loopback, target: Path
) -> None:
    server.plan = [Answer(cut_after=200_000, tag=""), *DOWN]
    problem(server.put("f", DATA), target, checksum_of_bytes(OTHER))
    assert got(server.put("f", OTHER), target, checksum_of_bytes(OTHER)) == OTHER
    assert server.ranges[-2:] == ["bytes=200000-", None]
    for tag in ("", 'W/"weak"'):
        server.plan = [Answer(cut_after=200_000, tag=tag)]
        assert got(server.put("f", DATA), target, None) == DATA
        assert server.ranges[-2:] == [None, None], tag
    server.plan, server.otherwise = [Answer(cut_after=200_000, tag='"1"'), *DOWN], Answer(tag='"1"')
    problem(server.put("f", DATA), target, None)
    assert got(server.put("g", OTHER), target, None) == OTHER


def test_a_whole_part_needs_no_more_bytes_a_longer_one_is_thrown_away_and_a_locked_one_left_alone(
    server: Loopback, target: Path
) -> None:
    target.parent.mkdir()
    part, url = target.parent / "data.bin.part", server.put("f", DATA)
    with part.open("wb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert "another process is fetching this file" in problem(url, target)
    assert part.exists() and server.asked == []
    for data, requests in ((DATA, [1]), (DATA + b"more", [2, 3])):
        part.write_bytes(data)
        asked = len(server.asked)
        assert got(url, target) == DATA
        assert len(server.asked) - asked in requests
    target.write_bytes(b"old")
    asked, message = len(server.asked), problem(server.put("f", OTHER), target)
    assert checksum_of_bytes(OTHER) in message and CHECK in message
    assert (left(target), target.read_bytes(), len(server.asked)) == (["data.bin"], b"old", asked + 1)


def test_a_refusal_is_said_at_once_and_a_passing_trouble_waited_for(
    server: Loopback, target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = server.put("f", DATA)
    for status in (400, 401, 403, 404, 410, 451):
        server.plan, asked = [Answer(status)], len(server.asked)
        assert f"the server answers {status}" in problem(url, target)
        assert (len(server.asked) - asked, left(target)) == (1, []), status
    server.plan, server.otherwise = [Answer(hang=True, cut_after=1000)], Answer(hang=True)
    assert "gone silent (tried 2 times)" in problem(url, target, CHECK, Patience(0.2, 2, 0.01))
    server.otherwise, pauses = Answer(), list[float]()
    monkeypatch.setattr("tsgkit.library.downloads.time.sleep", pauses.append)
    for status in (429, 500, 502, 503):
        server.plan, asked = [Answer(status), Answer(status)], len(server.asked)
        download(url, target, CHECK, patience=Patience(5, 3, 0.1))
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
        assert got(url, target) == DATA
        assert server.ranges[-1] == "bytes=200000-", page


def test_redirections_are_followed_with_the_range_but_not_in_circles_or_elsewhere(
    server: Loopback, target: Path
) -> None:
    there, url = server.put("there", DATA), server.put("f", DATA)
    for location in ("file:///etc/passwd", "ftp://127.0.0.1/x", "data:,x", "gopher://x"):
        server.plan = [Answer(302, location=location)]
        problem(url, target, None)
        assert left(target) == [], location
    server.plan = [Answer(302, location=there), HALF, Answer(301, location="/there")]
    assert (got(url, target), server.ranges[-1]) == (DATA, "bytes=200000-")
    server.otherwise = Answer(302, location="/f")
    assert "302" in problem(url, target, None)


def test_addresses_and_folders_that_are_none_are_told_apart(target: Path, server: Loopback) -> None:
    for url in ("file:///etc/hostname", "ftp://x/y", "/etc/hostname", "http://", "http:///x", ""):
        assert "only http and https" in problem(url, target), url
        assert not target.parent.exists()
    for url in ("http://127.0.0.1:x/f", "http://127.0.0.1/a b", "http://[::1/f", "http://127.0.0.1/\n"):
        assert problem(url, target), url
    with pytest.raises(DownloadProblem, match="server name cannot be resolved") as caught:
        download("http://nowhere.invalid/f", target, patience=HASTE)
    assert "tsgkit data import" in caught.value.hint
    with loopback() as gone:
        url = gone.url
    assert "cannot be reached" in problem(f"{url}/f", target)
    (target.parent / "file").write_text("x")
    message = refusal(FileProblem, download, server.put("f", DATA), target.parent / "file" / "x", patience=HASTE)
    assert "cannot be written" in message
