"""Decisions of a person survive being left, being killed and being changed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tsgkit.errors import FileProblem
from tsgkit.runs.decisions import Decisions, shown_as


def test_decisions_are_restored_and_the_last_one_counts(tmp_path: Path) -> None:
    place = tmp_path / "made.review.jsonl"
    Decisions(place).keep("a", {"decision": "drop"})
    Decisions(place).keep("b", {"decision": "accepted", "description": "A den\u2028with {x}."})
    Decisions(place).keep("a", {"decision": "accepted"})
    again = Decisions(place)
    assert again.find("a") == {"decision": "accepted"} and again.find("c") is None
    assert again.find("b") == {"decision": "accepted", "description": "A den\u2028with {x}."}


@pytest.mark.parametrize("cut", range(1, 30, 7))
def test_a_line_that_was_cut_off_is_a_decision_that_was_not_made(tmp_path: Path, cut: int) -> None:
    place = tmp_path / "made.review.jsonl"
    Decisions(place).keep("a", {"decision": "drop"})
    Decisions(place).keep("é", {"decision": "accepted"})
    whole = place.read_bytes()
    place.write_bytes(whole[:-cut])
    again = Decisions(place)
    assert again.find("a") == {"decision": "drop"} and again.find("é") is None
    again.keep("é", {"decision": "accepted"})
    assert place.read_bytes() == whole


def test_decision_key_covers_everything_shown() -> None:
    assert shown_as({"a": 1, "b": 2}) == shown_as({"b": 2, "a": 1}) != shown_as({"a": 1, "b": 3})


@pytest.mark.parametrize(
    "text", ["no json\n", "{}\n", "[1]\n", '"text"\n', "a note without an end", '{"id": 1}', '{"id": 1}\n{"shown": "a']
)
def test_a_file_of_something_else_is_refused_with_its_line_and_left_alone(tmp_path: Path, text: str) -> None:
    place = tmp_path / "made.review.jsonl"
    place.write_text(text)
    with pytest.raises(FileProblem, match="line 1: no decision"):
        Decisions(place)
    assert place.read_text() == text


def test_a_place_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no decision can be kept here"):
        Decisions(tmp_path / "nowhere" / "made.review.jsonl").keep("a", {"decision": "drop"})
    with pytest.raises(FileProblem, match="decisions cannot be read"):
        Decisions(tmp_path)
    assert os.listdir(tmp_path) == []  # noqa: PTH208


def test_a_full_disk_leaves_no_half_line_that_the_next_decision_would_be_joined_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = Decisions(tmp_path / "made.review.jsonl")
    decisions.keep("a1", {"decision": "drop"})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(FileProblem, match="No space left on device"):
            decisions.keep("b2", {"decision": "accept"})
    decisions.keep("c3", {"decision": "accept"})
    again = Decisions(decisions.path)
    assert [again.find(name) for name in ("a1", "b2", "c3")] == [{"decision": "drop"}, None, {"decision": "accept"}]
