"""Worked examples: items of our own with a layout that satisfies them and the reasoning that leads to it.

A pool is a file of rows, each with a ``layout`` and a ``rationale``. A seed chooses among them; fewer examples are the
beginning of more. A pool that shares a formula or an instruction with what is asked is refused.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import find
from tsgkit.suites.formalimg.rows import FormulaSample, Placed, read_rows, sample_from


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    layout: list[dict[str, Any]]
    rationale: StrictStr


@dataclass(frozen=True)
class Example:
    """An item, a layout that satisfies it, and how one comes to that."""

    sample: FormulaSample
    layout: list[dict[str, Any]]
    rationale: str


def pool_of(card: Card) -> tuple[Example, ...]:
    """All examples of a card's pool."""
    if card.examples is None:
        raise UsageError(f"{card.source}: the card names no examples", hint="add a field examples, or ask zero-shot")
    return tuple(_example(row) for row in read_rows(find("tasks", card.examples)))


def _example(row: Placed) -> Example:
    sample = sample_from(row.value, row.place, row.number)
    try:
        answer = _Answer.model_validate(row.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{row.place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return Example(sample, answer.layout, answer.rationale)


def chosen(card: Card, shots: int, seed: int, asked: Iterable[FormulaSample]) -> tuple[Example, ...]:
    """So many examples of a card's pool, after a check that it shares nothing with what is asked."""
    pool = pool_of(card)
    check_disjoint(pool, asked)
    if shots > len(pool):
        raise UsageError(
            f"{card.examples}: the pool has {len(pool)}, --shots {shots} asks for more",
            hint=f"ask for at most {len(pool)}, or add examples to the pool",
        )
    return tuple(sorted(pool, key=lambda one: _lot(seed, one.sample.item_id))[:shots])


def check_disjoint(pool: Sequence[Example], asked: Iterable[FormulaSample]) -> None:
    """Refuse examples that are themselves asked, by their words or their formula."""
    known = {said: one.sample.item_id for one in pool for said in (_folded(one.sample.prompt), one.sample.dsl)}
    for sample in asked:
        clash = known.get(sample.dsl) or known.get(_folded(sample.prompt))
        if clash:
            raise UsageError(
                f"examples must share nothing with the data: example {clash} is item {sample.item_id}",
                hint="take examples from other items than those that are asked",
            )


def _folded(text: str) -> str:
    return " ".join(text.lower().split())


def _lot(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}\n{item_id}".encode("utf-8", "surrogatepass")).digest()
