"""Lists of names are read however they are laid out; prose and triplets are no lists."""

from __future__ import annotations

import pytest

from tsgkit.replies import Unreadable
from tsgkit.replies.lists import Listed
from tsgkit.suites.tsg import derived_tasks


def names(reply: str) -> Listed | Unreadable:
    """Return what is listed, wherever it stands."""
    found = derived_tasks.names(reply)
    return found if isinstance(found, Unreadable) else found._replace(spans=())


@pytest.mark.parametrize(
    "reply",
    [
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
    ],
)
def test_names_are_read_however_they_are_listed(reply: str) -> None:
    found = names(reply)
    assert isinstance(found, Listed)
    assert found.names == ("take", "put-down")


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("person -> verb -> take\ntake -> dobj -> lid", "triplets"),
        ("I am sorry, but this sentence tells nothing that could be listed.", "no names"),
        ("Final answer:", "no names"),
        ("[]", "no names"),
        ('{"nodes": []}', "no names"),
        ('{"nodes": [["person", "verb", "take"]]}', "no list of names"),
        ('{"graphs": "take"}', "no list of names"),
        ("...\n---\n***", "no names"),
    ],
)
def test_replies_without_names_are_unreadable(reply: str, reason: str) -> None:
    found = names(reply)
    assert isinstance(found, Unreadable)
    assert reason in found.reason


def test_repeats_and_order_are_kept() -> None:
    assert names("take\nput\ntake") == Listed(("take", "put", "take"))


def test_omitted_list_lines_are_noted() -> None:
    found = names("These are the two actions of the sentence:\ntake\nput")
    assert isinstance(found, Listed)
    assert found.notes == ("left out: These are the two actions of the sentence:",)


def test_an_explanation_behind_a_name_is_noted() -> None:
    assert names("take: the lid\nput") == Listed(("take", "put"), ("only its names: take: the lid",))


def test_a_name_of_several_words_stays_apart_from_its_hyphenated_form() -> None:
    assert names("rolling pin\nrolling-pin") == Listed(("rolling pin", "rolling-pin"))
