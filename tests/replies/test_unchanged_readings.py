"""Readings of the table of replies, whole and cut, that must not change unnoticed.

What they should be is said by the tests beside this one; these digests notice any change at all. Where one is meant,
look at the new readings (the functions return them as text), then write the new digest.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tsgkit.replies.choices import choice
from tsgkit.replies.lists import names
from tsgkit.replies.near_json import values_in
from tsgkit.replies.numbered_answers import letters
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.sections import answer_section
from tsgkit.replies.tuples import tuples
from tsgkit.replies.words import word

TABLE = Path(__file__).parent / "replies.jsonl"
ROWS: list[dict[str, Any]] = [json.loads(line) for line in TABLE.read_text(encoding="utf-8").splitlines()]
LETTERED = dict.fromkeys("ABCDE", "")
READERS: dict[str, Callable[[dict[str, Any], str], object]] = {
    "choice": lambda row, text: choice(text, row.get("options", LETTERED)),
    "word": lambda row, text: word(text, {name.casefold() for name in row.get("vocabulary", [])}),
    "names": lambda row, text: names(text),
    "letters": lambda row, text: letters(text, [row.get("options", LETTERED)] * 3),
    "tuples": lambda row, text: tuples(text),
    "values": lambda row, text: values_in(text),
    "sections": lambda row, text: (spoken(text), answer_section(text)),
}
DIGESTS = {
    "choice": "8e9e70746270231d",
    "word": "08b04d12e9aae7aa",
    "names": "560e1bcd312c2279",
    "letters": "1260a7ed6fd5cc26",
    "tuples": "c9b95309bf91e75f",
    "values": "54e286e7d8795f72",
    "sections": "00fc5148763873cc",
}


@pytest.mark.parametrize("name", READERS)
def test_readings_are_what_they_were(name: str) -> None:
    digest = sha256()
    for row in ROWS:
        text = row["reply"]
        for cut in (text, text[: len(text) // 2], text[len(text) // 3 :]):
            digest.update(f"{READERS[name](row, cut)}\n".encode(errors="backslashreplace"))
    assert digest.hexdigest()[:16] == DIGESTS[name]
