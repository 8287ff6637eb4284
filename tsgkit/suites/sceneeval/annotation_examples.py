"""Worked examples of annotations: descriptions of our own with their entries and the reasoning that leads to them.

A pool is a file of JSON rows, each an annotation with a ``rationale``. A seed chooses among them; fewer examples are
the beginning of more. A pool that holds a description that is asked is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pydantic import StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import find, text_of
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.furnished import Given, json_of, problem_of


class _Row(Given):
    item_id: StrictStr
    difficulty: StrictStr = ""
    description: StrictStr
    counts: tuple[StrictStr, ...]
    attributes: tuple[StrictStr, ...] = ()
    object_relations: tuple[StrictStr, ...] = ()
    room_relations: tuple[StrictStr, ...] = ()
    rationale: StrictStr


@dataclass(frozen=True)
class Example:
    """A description with its annotation, and how one comes to that."""

    annotation: Annotation
    rationale: str


def pool_of(card: Card) -> tuple[Example, ...]:
    """All examples of a card's pool."""
    if card.examples is None:
        raise UsageError(f"{card.source}: the card names no examples", hint="add a field examples, or ask zero-shot")
    found = find("tasks", card.examples)
    lines = enumerate(text_of(found).split("\n"), 1)
    return tuple(_example(line, f"{found}: line {number}") for number, line in lines if line.strip())


def _example(line: str, place: str) -> Example:
    try:
        row = _Row.model_validate(json_of(line, place))
        listed = (row.counts, row.attributes, row.object_relations, row.room_relations)
        return Example(annotation_of(row.item_id, row.difficulty, row.description, *listed), row.rationale)
    except ValidationError as error:
        raise problem_of(error, place) from None
    except NotationError as error:
        raise UsageError(f"{place}: {error.message}") from None


def chosen(card: Card, shots: int, seed: int, asked: Iterable[Annotation]) -> tuple[Example, ...]:
    """So many examples of a card's pool, after a check that none of it is asked."""
    pool = pool_of(card)
    check_disjoint(pool, asked)
    if shots > len(pool):
        raise UsageError(
            f"{card.examples}: the pool has {len(pool)}, --shots {shots} asks for more",
            hint=f"ask for at most {len(pool)}, or add examples to the pool",
        )
    return tuple(sorted(pool, key=lambda one: _lot(seed, one.annotation.item_id))[:shots])


def check_disjoint(pool: Sequence[Example], asked: Iterable[Annotation]) -> None:
    """Refuse examples that are themselves asked."""
    known = {_folded(one.annotation.description): one.annotation.item_id for one in pool}
    for sample in asked:
        if clash := known.get(_folded(sample.description)):
            raise UsageError(
                f"examples must share nothing with the data: example {clash} is item {sample.item_id}",
                hint="take examples from other descriptions than those that are asked",
            )


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _lot(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{item_id}".encode("utf-8", "surrogatepass")).digest()
