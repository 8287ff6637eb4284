"""Replies are kept across runs and processes: complete ones only, for the user's eyes only, never in the way."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.llm.cache import FILE, MOST_PENDING, ReplyCache, cache_key, canonical, clear
from tsgkit.llm.reply import NOTHING, Attempt, Ending, Reply, Usage, reply_from, reply_value

GOOD = Reply("[kettle]", usage=Usage(10, 5, 1, 2, 0.01), seconds=2.0, attempts=(Attempt(2.0),), model="m")


def test_kept_reply_is_found_again_and_costs_nothing(tmp_path: Path) -> None:
    ReplyCache(tmp_path).keep("k", GOOD)
    cache = ReplyCache(tmp_path)
    found = cache.find("k")
    assert found is not None and cache.find("l") is None
    assert (found.text, found.source, found.seconds, found.attempts) == ("[kettle]", "cache", 0.0, ())
    assert (found.usage, found.spent) == (GOOD.usage, NOTHING)


def test_replies_are_written_together_and_the_first_of_a_key_stays(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    for number in range(MOST_PENDING + 1):
        cache.keep(f"k{number}", Reply(str(number)))
        assert cache.find(f"k{number}") is not None, "found before it is written"
    assert ReplyCache(tmp_path).find(f"k{MOST_PENDING}") is not None
    cache.keep("last", GOOD)
    cache.keep("k0", Reply("another"))
    cache.close()
    again = ReplyCache(tmp_path)
    assert again.size()[0] == MOST_PENDING + 2
    assert [reply.text for key in ("last", "k0") if (reply := again.find(key))] == ["[kettle]", "0"]


def test_writers_that_begin_together_wait_for_each_other_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    another.execute("BEGIN IMMEDIATE")
    clock, sleeps = [0.0, 10.1], list[float]()

    def tick(seconds: float) -> None:
        sleeps.append(seconds)
        clock.pop(0)

    def end_the_other(seconds: float) -> None:
        sleeps.append(seconds)
        another.execute("COMMIT")

    monkeypatch.setattr("tsgkit.llm.cache.time", SimpleNamespace(monotonic=lambda: clock[0], sleep=tick))
    with pytest.raises(UsageError, match="cannot be opened: database is locked"):
        ReplyCache(tmp_path)
    assert sleeps == [0.02], "it tries again for ten seconds"
    still = SimpleNamespace(monotonic=lambda: 0.0, time=lambda: 0.0, sleep=end_the_other)
    monkeypatch.setattr("tsgkit.llm.cache.time", still)
    first, second = ReplyCache(tmp_path), ReplyCache(tmp_path)
    assert sleeps == [0.02, 0.02]
    assert first.find("both") is second.find("both") is None, "both have a view of the file that is still empty"
    for number, cache in enumerate((first, second)):
        for key in ("both", f"own/{number}"):
            cache.keep(key, Reply(str(number)))
    for cache in (first, second):
        cache.close()
        assert cache.trouble == ""
    again = ReplyCache(tmp_path)
    assert again.size()[0] == 3
    assert [reply.text for key in ("both", "own/0", "own/1") if (reply := again.find(key))] == ["0", "0", "1"]


def test_only_complete_replies_are_kept(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    for reply in (
        *(Reply("a", ending) for ending in Ending if ending is not Ending.COMPLETE),
        Reply(None),
        Reply(" \n"),
    ):
        cache.keep("k", reply)
        assert cache.find("k") is None, reply
    assert cache.size()[0] == 0


def test_broken_file_row_or_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    for damage in (b"this is no database at all, not even a small one", b"SQLite format 3\x00" + b"\xff" * 9000):
        (tmp_path / FILE).write_bytes(damage)
        with pytest.raises(UsageError, match="reply cache cannot be") as caught:
            ReplyCache(tmp_path).find("k")
        assert "tsgkit cache clear" in caught.value.hint
        assert str(tmp_path) in caught.value.message
    clear(tmp_path)
    cache = ReplyCache(tmp_path)
    rows = ("no json", "[]", "{}", '{"text": "a", "ending": "strange"}', '{"ending": "empty", "x": 1}')
    for number, row in enumerate(rows):
        cache._base.execute("INSERT INTO replies VALUES (?, 0, ?)", (number, row))
    for number, row in enumerate(rows):
        with pytest.raises(UsageError, match="cannot be read"):
            pytest.fail(f"{row}: {cache.find(str(number))}")
    cache._base.execute("DROP TABLE replies")
    for key in ("k", "l"):
        cache.keep(key, GOOD)
    assert "not kept any more" in cache.trouble
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot be opened"):
        ReplyCache(tmp_path / "folder")


def test_clearing_begins_anew_whatever_state_the_file_is_in(tmp_path: Path) -> None:
    assert not clear(tmp_path)
    (tmp_path / FILE).write_bytes(b"broken, and long enough to be looked at")
    assert clear(tmp_path)
    ReplyCache(tmp_path).keep("k", GOOD)
    assert clear(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="modes are a thing of POSIX")
def test_cache_file_is_private(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "new")
    cache.keep("k", GOOD)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()}
    assert FILE in modes
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=2), part, max_size=2),
    max_leaves=4,
)
BODY = st.dictionaries(st.text(max_size=3), JSON, max_size=3)
COUNT = st.none() | st.integers(0, 10**9)


@given(st.text(), BODY, st.text(), st.text(min_size=1), st.text(max_size=3), JSON)
@settings(max_examples=40)
def test_every_change_changes_the_key(
    endpoint: str, body: dict[str, object], draw: str, more: str, name: str, value: object
) -> None:
    key = cache_key(endpoint, body, draw)
    assert key == cache_key(endpoint, dict(reversed(body.items())), draw)
    assert key != cache_key(endpoint + more, body, draw)
    assert key != cache_key(endpoint, body, draw + more)
    is_same = name in body and canonical(body[name]) == canonical(value)
    assert (key == cache_key(endpoint, body | {name: value}, draw)) is is_same


@given(
    st.none() | st.text(),
    st.sampled_from(Ending),
    st.builds(Usage, COUNT, COUNT, COUNT, COUNT, st.none() | st.floats(0, 10), COUNT),
    st.lists(st.builds(Attempt, st.floats(0, 9), st.none() | st.text(), st.none() | st.integers(400, 599)), max_size=3),
    st.none() | st.text(),
)
@settings(max_examples=40)
def test_reply_that_is_written_down_comes_back_as_it_was(
    text: str | None, ending: Ending, usage: Usage, attempts: list[Attempt], error: str | None
) -> None:
    reply = Reply(text, ending, usage=usage, attempts=tuple(attempts), error=error, status=429, seconds=1.5)
    assert reply_from(reply_value(reply)) == reply
