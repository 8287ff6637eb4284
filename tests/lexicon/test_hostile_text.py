"""Any amount of anything is read in time that grows with its length, and raises nothing.

Times are compared with each other, never with a clock of another machine: four times the text may take a good deal
more than four times as long on a busy one, but nowhere near the sixteen times of a quadratic reading.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tsgkit.lexicon import fold, is_preposition, mentions, nearest, same_word, split_particle

HOSTILE = {
    "one word": "a",
    "many words": "a ",
    "verbs without a particle": "pick ",
    "endings": "ing ",
    "spaces": " ",
    "lines": "\n",
    "blank lines between commas": "\n \n,",
    "hyphens": "-",
    "quotes": "'",
    "quotes and letters": "' a",
    "stops": ".",
    "a letter that grows when lowered": "İ",
    "lone surrogates": "\ud800 ",
    "nulls": "\x00",
}


def seconds(action: Callable[[str], object], text: str) -> float:
    begun = time.process_time()
    action(text)
    return time.process_time() - begun


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_long_text_of_anything_raises_nothing(piece: str) -> None:
    text = piece * (250_000 // len(piece))
    assert fold(fold(text)) == fold(text)
    mentions(text, "pick-up")
    mentions("a pan", text)
    assert same_word(text, text + "x x").by == ""
    assert not is_preposition(text)
    assert split_particle(text) is None
    assert nearest("lid", [text, "lids"])[0].name == "lids"


@pytest.mark.parametrize("name", ["pick-up", "a-a-a-a-a-a-a-b", "ing"])
@pytest.mark.parametrize("piece", ["a ", "pick a ", "\n \n,", "ing, "])
def test_the_time_of_a_search_grows_with_the_text(piece: str, name: str) -> None:
    def search(text: str) -> object:
        return mentions(text, name), fold(text)

    search(piece)
    short, long = piece * 5_000 + "up b", piece * 20_000 + "up b"
    assert min(seconds(search, long) for _ in range(2)) < 10 * max(min(seconds(search, short) for _ in range(3)), 0.005)
