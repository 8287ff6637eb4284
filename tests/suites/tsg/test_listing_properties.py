"""The reader of lists never raises, and reads back whatever names are written."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.suites.tsg.derived_tasks import names

NAMES = st.from_regex(r"[a-z]{1,8}(?:-[a-z]{1,6}){0,2}", fullmatch=True).filter(lambda name: name != "answer")
LISTS = st.lists(NAMES, min_size=1, max_size=8)
WRITERS: dict[str, Callable[[list[str]], str]] = {
    "lines": "\n".join,
    "commas": ", ".join,
    "bullets": lambda listed: "\n".join(f"* {name}" for name in listed),
    "numbers": lambda listed: "\n".join(f"{number}. {name}" for number, name in enumerate(listed, 1)),
    "json": lambda listed: json.dumps({"answer": listed}),
    "reasoned": lambda listed: "Reasoning:\nIt begins.\n\nFinal answer:\n" + "\n".join(listed),
}
PIECES = ["Final answer:", "take", "put-down", ",", "\n", "->", "[", "]", "{", '"', "1.", "-", ":", "```", "</think>"]


@pytest.mark.parametrize("writer", WRITERS)
@given(listed=LISTS)
def test_a_list_is_read_back_as_it_was_written(writer: str, listed: list[str]) -> None:
    found = names(WRITERS[writer](listed))
    assert isinstance(found, Listed)
    assert found.names == tuple(listed)
    assert not found.notes


@given(text=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)))
def test_any_text_is_a_list_of_names_or_unreadable_with_a_reason(text: str) -> None:
    found = names(text)
    if isinstance(found, Unreadable):
        assert found.reason
    else:
        assert found.names
        assert all(name and name == name.strip() for name in found.names)


@given(listed=LISTS, text=st.text(max_size=60))
def test_text_before_the_last_label_changes_nothing(listed: list[str], text: str) -> None:
    written = "\n".join(listed)
    found = names(f"{text}\n\nFinal answer:\n{written}")
    assert isinstance(found, Listed)
    assert found.names == tuple(listed)
