"""Baselines that use no model: random boxes as a lower bound, the solver as an upper bound.

>>> from tsgkit.suites.formalimg.rows import sample_from
>>> row = {"scenario": "knolling", "id": 0, "prompt": "A cup.", "dsl": "(exists ?x (and (Is ?x 'cup') (Has ?x 'red')))"}
>>> random_layout(sample_from(row, "row", 0), seed=1)
[{'label': 'cup', 'color': 'red', 'box_2d': [725, 255, 867, 485]}]

``random`` places one object of each class that the instruction names at random, in a random color. ``solver`` uses the
formula, which models do not see, and needs the extra ``logic``.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Mapping
from typing import Any

from tsgkit.logic.layouts import CANVAS, Box
from tsgkit.logic.vocabulary import KNOLLING
from tsgkit.suites.formalimg.prompts import layout_text
from tsgkit.suites.formalimg.rows import FormulaSample

SMALLEST, LARGEST = 60, 260
TRIES = 200
SOLVER = "solver"
Layout = list[dict[str, Any]]


def random_layout(sample: FormulaSample, seed: int) -> Layout:
    """Place one object of each named class at random, avoiding overlaps as far as a few tries allow."""
    drawn = random.Random(hashlib.sha256(f"{seed}\n{sample.item_id}\n{sample.dsl}".encode("utf-8", "replace")).digest())
    placed: list[Box] = []
    found: Layout = []
    for label in sample.classes:
        box = _free_box(drawn, placed)
        placed.append(box)
        found.append({"label": label, "color": drawn.choice(KNOLLING.values["color"]), "box_2d": list(box)})
    return found


def _free_box(drawn: random.Random, placed: list[Box]) -> Box:
    box = Box(0, 0, 1, 1)
    for attempt in range(TRIES):
        largest = LARGEST - attempt * (LARGEST - SMALLEST) // TRIES
        width, height = drawn.randint(SMALLEST, largest), drawn.randint(SMALLEST, largest)
        left, top = drawn.randint(0, CANVAS - width), drawn.randint(0, CANVAS - height)
        box = Box(left, top, left + width, top + height)
        if not any(box.shared(other) for other in placed):
            break
    return box


def solved_layout(sample: FormulaSample, seed: int) -> Layout:
    """Return a neat layout that satisfies the formula; the empty one if none was found."""
    from tsgkit.logic.solver import solve

    layout = solve(sample.formula, seed=seed).layout
    return [] if layout is None else _objects(layout.value)


def _objects(scene: Mapping[str, object]) -> Layout:
    objects = scene["objects"]
    return objects if isinstance(objects, list) else []


def solved(sample: FormulaSample, seed: int) -> str:
    """Return the solver's layout in the published form of an answer."""
    return layout_text(solved_layout(sample, seed))


def needs_solver() -> None:
    """Raise ``UsageError`` if the solver is not installed."""
    from tsgkit.logic.placement import solver_module

    solver_module()


BASELINES: dict[str, Callable[[FormulaSample, int], str]] = {
    "random": lambda sample, seed: layout_text(random_layout(sample, seed)),
    SOLVER: solved,
}
"""The baselines by name. Each answers in the published form."""
