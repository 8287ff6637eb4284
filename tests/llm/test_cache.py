"""Replies are kept across runs and processes: complete ones only, for the user's eyes only, never in the way."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.llm.cache import FILE, ReplyCache, cache_key, clear
from tsgkit.llm.reply import NOTHING, Attempt, Ending, Reply, Usage

ROOT = Path(tsgkit.__file__).parents[1]
GOOD = Reply("[kettle]", usage=Usage(10, 5, 1, 2, 0.01), seconds=2.0, attempts=(Attempt(2.0),), model="m")


def test_a_kept_reply_is_found_again_and_costs_nothing(tmp_path: Path) -> None:
    ReplyCache(tmp_path).keep("k", GOOD)
    found = ReplyCache(tmp_path).find("k")
    assert found is not None
    assert (found.text, found.source, found.seconds, found.attempts) == ("[kettle]", "cache", 0.0, ())
    assert (found.usage, found.spent) == (GOOD.usage, NOTHING)


def test_cache_misses_for_another_key(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep("k", GOOD)
    assert cache.find("l") is None


@pytest.mark.parametrize(
    "reply",
    [Reply(None, ending) for ending in Ending if ending is not Ending.COMPLETE]
    + [Reply("[a", Ending.TRUNCATED), Reply(None), Reply(" \n")],
)
def test_only_complete_replies_are_kept(tmp_path: Path, reply: Reply) -> None:
    cache = ReplyCache(tmp_path)
    cache.keep("k", reply)
    assert cache.find("k") is None
    assert cache.size()[0] == 0


@pytest.mark.parametrize(
    "damage", [b"this is no database at all, not even a small one", b"SQLite format 3\x00" + b"\xff" * 9000]
)
def test_a_broken_file_is_said_with_the_way_out(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / FILE).write_bytes(damage)
    with pytest.raises(UsageError, match="reply cache cannot be") as caught:
        ReplyCache(tmp_path).find("k")
    assert "tsgkit cache clear" in caught.value.hint
    assert str(tmp_path) in caught.value.message


@pytest.mark.parametrize(
    "row", ["no json", "[]", "{}", '{"text": "a", "ending": "strange"}', '{"ending": "empty", "x": 1}']
)
def test_a_row_nobody_can_read_is_said_with_the_way_out(tmp_path: Path, row: str) -> None:
    cache = ReplyCache(tmp_path)
    cache._base.execute("INSERT INTO replies VALUES ('k', 0, ?)", (row,))
    with pytest.raises(UsageError, match="cannot be read") as caught:
        cache.find("k")
    assert "tsgkit cache clear" in caught.value.hint


def test_a_folder_in_place_of_the_file_is_said_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / FILE).mkdir()
    with pytest.raises(UsageError, match="cannot be opened"):
        ReplyCache(tmp_path)


def test_unwritable_cache_is_reported_without_losing_replies(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path)
    cache._base.execute("DROP TABLE replies")
    cache.keep("k", GOOD)
    cache.keep("l", GOOD)
    assert "not kept any more" in cache.trouble


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


def test_processes_that_begin_and_write_together_lose_nothing(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from tsgkit.llm.cache import ReplyCache; from tsgkit.llm.reply import Reply\n"
        "cache = ReplyCache(Path(sys.argv[1]))\n"
        "for i in range(100): cache.keep(f'{sys.argv[2]}/{i}', Reply('a')); cache.keep(f'both/{i}', Reply('b'))\n"
        "cache.close(); print(cache.trouble)"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "shared")]
    running = [subprocess.Popen([*command, str(n)], cwd=ROOT, stdout=subprocess.PIPE, text=True) for n in range(4)]
    assert [process.communicate(timeout=60)[0] for process in running] == ["\n"] * 4
    assert ReplyCache(tmp_path / "shared").size()[0] == 500


def test_equal_bodies_have_one_key_whatever_their_order() -> None:
    assert cache_key("e", {"a": 1, "b": 2}, "0/0") == cache_key("e", {"b": 2, "a": 1}, "0/0")
