"""Lists of names in replies to derived tasks; the reader of lists has its own tests."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.suites.tsg.derived_tasks import names


def test_names_are_read_wherever_they_are_listed() -> None:
    for reply in (
        "take\nput-down",
        '{"actions": ["take", "put-down"]}',
        '```json\n{"Nodes": ["take", "put-down"]}\n```',
        "Reasoning:\nFirst open, then close.\n\nFinal answer:\n1. take\n2. put-down",
        "<think>open?\n</think>Here are the actions:\ntake\nput-down",
    ):
        found = names(reply)
        assert isinstance(found, Listed) and found.names == ("take", "put-down"), reply
    prose = "These are the two actions of the sentence:"
    for reply, listed, notes in (
        ("take\nput\ntake", ("take", "put", "take"), ()),
        (f"{prose}\ntake\nput", ("take", "put"), (f"left out: {prose}",)),
        ("take: the lid\nput", ("take", "put"), ("only its names: take: the lid",)),
        ("rolling pin\nrolling-pin", ("rolling pin", "rolling-pin"), ()),
    ):
        found = names(reply)
        assert isinstance(found, Listed) and (found.names, found.notes) == (listed, notes)


def test_replies_without_names_are_unreadable() -> None:
    for reply, reason in (
        ("person -> verb -> take\ntake -> dobj -> lid", "triplets"),
        ("I am sorry, but this sentence tells nothing that could be listed.", "no names"),
        ("Final answer:", "no names"),
        ("[]", "no names"),
        ('{"nodes": []}', "no names"),
        ('{"nodes": [["person", "verb", "take"]]}', "no list of names"),
        ('{"graphs": "take"}', "no list of names"),
    ):
        found = names(reply)
        assert isinstance(found, Unreadable) and reason in found.reason, reply


PIECES = ["Final answer:", "take", "put-down", ",", "\n", "->", "[", "]", "{", '"', "1.", "-", ":", "```", "</think>"]


@given(text=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)))
def test_any_text_is_a_list_of_names_or_unreadable_with_a_reason(text: str) -> None:
    found = names(text)
    if isinstance(found, Unreadable):
        assert found.reason
    else:
        assert found.names and all(name and name == name.strip() for name in found.names)
