"""Stems, and where equal stems may be trusted."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tsgkit.lexicon import stem
from tsgkit.lexicon.stems import names_the_doing


@pytest.mark.parametrize(
    ("action", "doing"),
    [("rotate", "rotation"), ("insert", "insertions"), ("adjusting", "adjustment"), ("prepared", "preparation")],
)
def test_an_action_and_the_noun_of_its_doing_go_together(action: str, doing: str) -> None:
    assert names_the_doing(action, doing)
    assert names_the_doing(doing, action)


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("universal", "university"),
        ("several", "sever"),
        ("container", "contain"),
        ("past", "paste"),
        ("cloth", "clothes"),
        ("bath", "bathe"),
        ("mineral", "miner"),
        ("organ", "organization"),
        ("generate", "general"),
    ],
)
def test_equal_stems_alone_are_not_enough(word: str, other: str) -> None:
    assert stem(word) == stem(other)
    assert not names_the_doing(word, other)


@pytest.mark.parametrize(("noun", "word"), [("department", "depart"), ("apartments", "apart")])
def test_nouns_that_only_look_like_a_doing_stay_apart(noun: str, word: str) -> None:
    assert not names_the_doing(noun, word)


def test_importing_the_room_imports_neither_nltk_nor_rapidfuzz() -> None:
    code = "import sys, tsgkit.lexicon; print(*(heavy for heavy in ('nltk', 'rapidfuzz') if heavy in sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split() == []
