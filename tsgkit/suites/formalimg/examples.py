"""Worked examples: items of our own with a layout that satisfies them and the reasoning that leads to it.

A pool is a file of rows, each with a ``layout`` and a ``rationale``.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, StrictStr, ValidationError

from tsgkit.errors import UsageError
from tsgkit.library.cards import Card
from tsgkit.suites.formalimg.prompting import layout_text
from tsgkit.suites.formalimg.rows import FormulaSample, Placed, read_rows, sample_from
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file


class _Answer(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    layout: list[dict[str, Any]]
    rationale: StrictStr


def pool_of(card: Card) -> Pool[FormulaSample]:
    """Return all examples of a card's pool."""
    examples = tuple(_example(row) for row in read_rows(pool_file(card)))
    return Pool(str(card.examples), examples, identity_of)


def identity_of(sample: FormulaSample) -> Identity:
    """Return what an item is recognised by: its formula and its words."""
    return Identity((sample.dsl, folded(sample.prompt)))


def _example(row: Placed) -> Example[FormulaSample]:
    sample = sample_from(row.value, row.place, row.number)
    try:
        answer = _Answer.model_validate(row.value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        raise UsageError(f"{row.place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    return Example(sample, layout_text(answer.layout), answer.rationale)
