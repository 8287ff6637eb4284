"""Texts for the fuzzer: replies of models and small files in every format, most of them spoilt, from a seed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import NamedTuple

from samples import FORMATS

Graphs = list[list[str]]


class Row(NamedTuple):
    """A reply, how many graphs it was asked for, the graphs it says, and the lines that need a note."""

    reply: str
    k: int | None
    graphs: Graphs
    noted: frozenset[int]


def _rows() -> dict[str, Row]:
    text = (Path(__file__).parent / "graph" / "model_replies.txt").read_text("utf-8")
    rows: dict[str, Row] = {}
    for part in text.split("\n#### ")[1:]:
        head, _, rest = part.partition("\n")
        reply, _, expected = rest.partition("\n====")
        name, *settings = head.split(" | ")
        k = next((int(one.removeprefix("k=")) for one in settings if one.startswith("k=")), None)
        noted = next((one.split()[1:] for one in settings if one.startswith("noted ")), [])
        graphs = [[_arrows(triplet) for triplet in line.split(";")] for line in expected.split("\n") if line.strip()]
        assert name not in rows
        rows[name] = Row(reply, k, graphs, frozenset(map(int, noted)))
    return rows


def _arrows(triplet: str) -> str:
    return " -> ".join(triplet.split(maxsplit=2))


ROWS = _rows()


LONG = 0.001
"""How many of the texts are repeated until they are ``LONGEST`` characters long."""
LONGEST = 20_000
LONGEST_OF_MOST = 500
"""Beyond this a text is cut when it is spoilt."""
REPLIES = [
    *(row.reply for row in ROWS.values()),
    *(
        str(json.loads(line)["reply"])
        for line in (Path(__file__).parent / "replies/replies.jsonl").read_text("utf-8").splitlines()
    ),
]
WORD = re.compile(r"-?\d+(?:\.\d+)?|\w+")
EMPTY = ["", " ", "\n", "\r", "[]", "{}", "[[]]", "[[[]]]", "null", "[null]", "0", '""', "<", "<graphml", "[", "{"]


def _parts(*lines: str, at: str = " ") -> list[str]:
    return [part for line in lines for part in line.split(at)]


PIECES = [
    *_parts("[ ] { } ( ) < > \" ' ` * _ # - = > | : ; , . \\ / & ~ -> [[ ]] ``` ** :1 1. \n \n\n \t <- --> => a) (b)"),
    *_parts("\u200b \ufeff \u202e \u2028 \u2029 \x85 \x0b \x1c \0 \x7f \x80 \r \r\n \ud83d \udc00 é İ ſ ﬁ ٣ ² ①"),
    *_parts("\xa0 \u3000 \u0301 \U0010ffff \ufffe » “ ” ‘ ´ … ｛ ［ － → ⟶ 🏳️\u200d🌈 чашка 茶碗"),
    *_parts("null true NaN 1e999 -1 0 0.5 99999999999999999999 0x1f 1:30 &a *a &gt; \\n \\ud800 ../x <b> step"),
    *_parts("person verb dobj hand1 hand3 left_hand Cup cup:1 triplets graphs nodes source from <think> </think>"),
    *_parts('|tea bag|a -> b -> c\n|graph_1:|**Graph 2**|(see below)|{"ok": true}|v 01 0\n|f 9 9 9\n|\xff\xfe', at="|"),
    *("[" * 50, "1" * 5000),
]


def make_up(rng: Random) -> str:
    """Return a reply, a file, several of them, noise or brackets in brackets, spoilt up to six times."""
    text = rng.choice(KINDS)(rng)
    for _ in range(rng.choice((0, 0, 1, 1, 2, 3, 6))):
        text = rng.choice(SPOILERS)(text, rng)[:LONGEST_OF_MOST]
    if rng.random() < LONG:
        text = f"{text}\n" * (LONGEST // (len(text) + 1))
    return text


def reply(rng: Random) -> str:
    return rng.choice(REPLIES)


def several(rng: Random) -> str:
    return rng.choice(("\n", "\n\n")).join(reply(rng) for _ in range(rng.randrange(2, 4)))


def file(rng: Random) -> str:
    return rng.choice(list(FORMATS.values()))


def noise(rng: Random) -> str:
    highest = rng.choice((0x80, 0x800, 0x3000, 0x110000))
    if rng.random() < 0.3:
        return "".join(chr(rng.randrange(highest)) for _ in range(rng.randrange(80)))
    return rng.choice(("", " ")).join(rng.choice(PIECES[:-2]) for _ in range(rng.randrange(60)))


def deep(rng: Random) -> str:
    opening, closing = rng.choice(
        (("[", "]"), ("{", "}"), ('{"a":', "}"), ("(", ")"), ("[[", "]]"), ("[\n", "]\n"), ("<g>", "</g>"))
    )
    depth = rng.choice((3, 19, 20, 21, 22, 100, 500))
    inside = rng.choice(("", '["a", "b", "c"]', "a -> b -> c", '"x"', "1"))
    return opening * depth + inside + closing * rng.choice((depth, depth, depth - 1, 0))


KINDS: tuple[Callable[[Random], str], ...] = (
    *(reply, reply, reply, several, several, file, file, file, noise, deep),
    lambda rng: rng.choice(EMPTY),
)


def change(text: str, rng: Random) -> str:
    """Delete, repeat or replace some letters."""
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((0, 1, 1, 2, 5, 20, 100)))
    repeated = text[start:end] * rng.choice((2, 2, 3, 10, 3000))
    return text[:start] + rng.choice(("", repeated, rng.choice(PIECES), chr(rng.randrange(256)))) + text[end:]


def replace_word(text: str, rng: Random) -> str:
    word = WORD.search(text, rng.randrange(len(text) + 1)) or WORD.search(text)
    return text[: word.start()] + rng.choice(PIECES) + text[word.end() :] if word else text


def splice(text: str, rng: Random) -> str:
    other = rng.choice(("", rng.choice(KINDS)(rng)))
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def swap_lines(text: str, rng: Random) -> str:
    lines = text.split("\n")
    rng.shuffle(lines)
    return rng.choice(("\n", "\n", "\r\n", "\r", " ", "\n\n")).join(lines)


def repeat_line(text: str, rng: Random) -> str:
    lines = text.split("\n")
    lines[rng.randrange(len(lines))] = rng.choice(lines)
    return "\n".join(lines)


SPOILERS: tuple[Callable[[str, Random], str], ...] = (
    *(change, change, change, change, replace_word, splice, splice, swap_lines, repeat_line),
)
