"""Items of two scenarios and images of one colour, for tests."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product
from pathlib import Path
from typing import Any

from tsgkit.library.cards import load_card
from tsgkit.suites.formalimg.layout import layout
from tsgkit.suites.formalimg.rows import FormulaSample, sample_from
from tsgkit.suites.judgement import Judged
from tsgkit.suites.replies import CollectedReply
from tsgkit.suites.solvers.scorers import judge_reply

CUP_PEN = "(exists ?c (exists ?p (and (Is ?c 'cup') (Has ?c 'red') (Is ?p 'pen') (LeftOf ?c ?p))))"
EVERY_KEY = "(forall ?k (implies (Is ?k 'keys') (OnTopSide ?k)))"
CAT = "(exists ?x (and (Is ?x 'cat') (HasColor ?x 'black') (exists ?y (and (Is ?y 'sofa') (On ?x ?y)))))"
ROWS: list[dict[str, Any]] = [
    {"scenario": "knolling", "id": 0, "prompt": "A red cup left of a pen.", "dsl": CUP_PEN, "k": 2},
    {"scenario": "knolling", "id": 1, "prompt": "All keys are at the top.", "dsl": EVERY_KEY, "k": 1},
    {"scenario": "natural", "id": 0, "prompt": "A black cat on a sofa.", "dsl": CAT, "k": 2},
]
CUP = {"label": "cup", "color": "red", "box_2d": [100, 100, 200, 200]}
PEN = {"label": "pen", "color": "blue", "box_2d": [600, 100, 640, 300]}
KEYS = {"label": "keys", "color": "gray", "box_2d": [400, 100, 500, 180]}


def lines(rows: Iterable[object]) -> str:
    """Return rows as JSON Lines."""
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def sample(number: int) -> FormulaSample:
    """Return the item of a row."""
    return sample_from(ROWS[number], "row", number)


def judge_layout(item: FormulaSample, reply: CollectedReply | None) -> Judged:
    """Return the judgement on a reply that gives a layout."""
    return judge_reply(layout(load_card("formalimg/layout")), item, reply, "zero-shot")


def levels(count: int = 3, *, levels: int = 10) -> list[dict[str, Any]]:
    """So many items of each level: a cup on the left side."""
    rows = []
    for k, n in product(range(1, levels + 1), range(count)):
        dsl = f"(exists ?x{k}x{n} (and (Is ?x{k}x{n} 'cup') (OnLeftSide ?x{k}x{n})))"
        rows.append({"scenario": "knolling", "id": f"{k}-{n}", "prompt": f"A cup, {k}.", "dsl": dsl, "k": k})
    return rows


def paint(path: Path, color: str = "white") -> Path:
    """Return an image of one colour."""
    from PIL import Image

    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (64, 64), color).save(path)
    return path
