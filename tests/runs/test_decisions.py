"""Decisions of a person survive being left, being killed and being changed."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from tsgkit.errors import FileProblem
from tsgkit.runs.decisions import Decisions, shown_as


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return tmp_path / "made.review.jsonl"


def test_decisions_are_restored_and_the_last_one_counts(place: Path) -> None:
    Decisions(place).keep("a", {"decision": "drop"})
    Decisions(place).keep("b", {"decision": "accepted", "description": "A den\u2028with {x}."})
    Decisions(place).keep("a", {"decision": "accepted"})
    again = Decisions(place)
    assert [again.find(name) for name in "abc"] == [
        {"decision": "accepted"}, {"decision": "accepted", "description": "A den\u2028with {x}."}, None,
    ]  # fmt: skip
    assert shown_as({"a": 1, "é": 2}) == shown_as({"é": 2, "a": 1}) == "6816227f4a00d30cc338"
    assert shown_as({"a": 1, "é": 3}) != shown_as({"a": 1, "é": 2})


def test_a_file_cut_at_any_byte_has_exactly_the_decisions_of_its_whole_lines(place: Path) -> None:
    made = {
        "ü": {"decision": "accepted", "description": "Ein Café\u2028für 日本 \U0001f600."},
        "b": {"decision": "drop"},
    }
    for name, value in made.items():
        Decisions(place).keep(name, value)
    whole = place.read_bytes()
    first, second = whole.splitlines(keepends=True)
    assert (
        first
        == '{{"shown": "ü", "decision": "accepted", "description": "{}"}}\n'.format(made["ü"]["description"]).encode()
    )
    for cut in range(len(whole) + 1):
        place.write_bytes(whole[:cut])
        again, count = Decisions(place), whole[:cut].count(b"\n")
        expected = [value if number < count else None for number, value in enumerate(made.values())]
        assert [again.find(name) for name in made] == expected, cut
        assert place.read_bytes() == b"".join([first, second][:count]), cut
        again.keep("b", made["b"])
        assert place.read_bytes() == b"".join([first, second][:count]) + second, cut


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (b"x", 1), (b"no json\n", 1), (b"{}\n", 1), (b"[1]\n", 1), (b'"text"\n', 1), (b"a note without an end", 1),
        (b'{"id": 1}', 1), (b'{"id": 1}\n{"shown": "a', 1), (b'{"shown": "a"}\n\n{}\n', 3), (b'{"shown": "a"}\nx', 2),
    ],
)  # fmt: skip
def test_a_file_of_something_else_is_refused_with_its_line_and_left_alone(
    place: Path, text: bytes, number: int
) -> None:
    place.write_bytes(text)
    with pytest.raises(FileProblem, match=f"made.review.jsonl: line {number}: no decision$"):
        Decisions(place)
    assert place.read_bytes() == text


def test_a_place_where_nothing_can_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="no decision can be kept here: No such file or directory"):
        Decisions(tmp_path / "nowhere" / "made.review.jsonl").keep("a", {"decision": "drop"})
    with pytest.raises(FileProblem, match="decisions cannot be read"):
        Decisions(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_no_half_line_that_the_next_decision_would_be_joined_to(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = Decisions(place)
    decisions.keep("a1", {"decision": "drop"})

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(FileProblem, match="No space left on device"):
            decisions.keep("b2", {"decision": "accept"})
    decisions.keep("c3", {"decision": "accept"})
    again = Decisions(place)
    assert [again.find(name) for name in ("a1", "b2", "c3")] == [{"decision": "drop"}, None, {"decision": "accept"}]
