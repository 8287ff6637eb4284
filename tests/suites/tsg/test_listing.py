"""Lists of names are read however they are laid out; prose and triplets are no lists."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.suites.tsg import derived_tasks


def names(reply: str) -> Listed | Unreadable:
    """Return the names of a list, wherever it stands."""
    found = derived_tasks.names(reply)
    return found if isinstance(found, Unreadable) else found._replace(spans=())


LISTS = (
    "take\nput-down",
    "Take, put-down.",
    "1. take\n2. put-down",
    "1) `take`\n\n2) **put-down**",
    "- take\n- put-down\n",
    "• take\r\n• put-down",
    "[take, put-down]",
    '["take", "put-down"]',
    '{"actions": ["take", "put-down"]}',
    '```json\n{"Nodes": ["take", "put-down"]}\n```',
    "Actions: take, put-down",
    "Here are the actions:\ntake\nput-down",
    "Reasoning:\nFirst open, then close.\n\nFinal answer:\ntake\nput-down",
    "<think>open?\n</think>take\nput-down",
    "1. take (the lid is taken off)\n2. put-down - on the table, of course",
    "take: the lid\nput-down: the same lid",
    "The sentence tells of two things that are done one after the other.\ntake\nput-down",
)


def test_names_are_read_however_they_are_listed() -> None:
    for reply in LISTS:
        found = names(reply)
        assert isinstance(found, Listed), reply
        assert found.names == ("take", "put-down"), reply


def test_replies_without_names_are_unreadable() -> None:
    for reply, reason in (
        ("person -> verb -> take\ntake -> dobj -> lid", "triplets"),
        ("I am sorry, but this sentence tells nothing that could be listed.", "no names"),
        ("Final answer:", "no names"),
        ("[]", "no names"),
        ('{"nodes": []}', "no names"),
        ('{"nodes": [["person", "verb", "take"]]}', "no list of names"),
        ('{"graphs": "take"}', "no list of names"),
        ("...\n---\n***", "no names"),
    ):
        found = names(reply)
        assert isinstance(found, Unreadable), reply
        assert reason in found.reason, reply


def test_repeats_and_order_are_kept_and_omitted_lines_and_explanations_noted() -> None:
    assert names("take\nput\ntake") == Listed(("take", "put", "take"))
    prose = "These are the two actions of the sentence:"
    assert names(f"{prose}\ntake\nput") == Listed(("take", "put"), (f"left out: {prose}",))
    assert names("take: the lid\nput") == Listed(("take", "put"), ("only its names: take: the lid",))
    assert names("rolling pin\nrolling-pin") == Listed(("rolling pin", "rolling-pin"))


NAMES = st.from_regex(r"[a-z]{1,8}(?:-[a-z]{1,6}){0,2}", fullmatch=True).filter(lambda name: name != "answer")


@given(listed=st.lists(NAMES, min_size=1, max_size=8), text=st.text(max_size=60))
@settings(max_examples=40)
def test_a_list_is_read_back_as_it_was_written(listed: list[str], text: str) -> None:
    lines = "\n".join(listed)
    numbered = "\n".join(f"{number}. {name}" for number, name in enumerate(listed, 1))
    bullets = "\n".join(f"* {name}" for name in listed)
    answer = f"{text}\n\nFinal answer:\n{lines}"
    for written in (lines, numbered, bullets, ", ".join(listed), json.dumps({"answer": listed}), answer):
        found = names(written)
        assert isinstance(found, Listed)
        assert found.names == tuple(listed)
        assert written is answer or not found.notes


PIECES = ["Final answer:", "take", "put-down", ",", "\n", "->", "[", "]", "{", '"', "1.", "-", ":", "```", "</think>"]


@given(text=st.one_of(st.text(max_size=80), st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join)))
def test_any_text_is_a_list_of_names_or_unreadable_with_a_reason(text: str) -> None:
    found = names(text)
    if isinstance(found, Unreadable):
        assert found.reason
    else:
        assert found.names and all(name and name == name.strip() for name in found.names)
