"""Estimate of a plan before it is run: requests, tokens with their range, and cost.

Tokens are estimated from characters (3 to 5 of English make one), replies from the length of the right answer plus a
usual amount of reasoning. Services count differently; the range shows the uncertainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tsgkit.llm.images import CHARACTERS_A_TOKEN, characters_of, tokens_of_content
from tsgkit.llm.prices import Price
from tsgkit.runs.plan import Cell
from tsgkit.runs.run_setup import Row, RunSetup, asks_a_model

FEWEST_CHARACTERS, MOST_CHARACTERS = 3.0, 5.0
"""Characters a token."""
MOST_FOR_A_IMAGE = 3.0
"""Services count up to three times more or fewer tokens for an image than the rule for budgets."""
REASONING = (100, 800)
"""Tokens of reasoning where a style asks for it."""
CHATTER = (0, 60)
"""Tokens around an answer."""


@dataclass(frozen=True)
class Spread:
    """A range: the least and the most that a number may be."""

    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: Spread) -> Spread:
        return Spread(self.low + other.low, self.high + other.high)


@dataclass(frozen=True)
class RowEstimate:
    """The estimate of one row; ``cost`` is None if the price is unknown."""

    cell: Cell
    samples: int
    requests: tuple[int, int]
    """At least and at most, where every call brings an answer."""
    prompt: Spread
    completion: Spread
    cost: Spread | None


def estimates_of(prepared: RunSetup, prices: Mapping[str, Price | None]) -> tuple[RowEstimate, ...]:
    """Return the estimate of every row."""
    return tuple(_estimate(row, prices.get(row.asked)) for row in prepared.rows)


def _estimate(row: Row, price: Price | None) -> RowEstimate:
    if not asks_a_model(row.asked):
        return RowEstimate(row.cell, len(row.numbers), (0, 0), Spread(), Spread(), Spread())
    least = most = 0
    prompt, completion = Spread(), Spread()
    for number in row.numbers:
        expected = row.solver.expected(row.dataset.sample(number))
        around = [each + more for each, more in zip(CHATTER, REASONING if expected.reasons else (0, 0), strict=True)]
        prompt += _tokens(expected.sent)
        completion += _tokens(expected.said)
        completion += Spread(*(each * calls for each, calls in zip(around, expected.calls, strict=True)))
        least, most = least + expected.calls[0], most + expected.calls[1]
    cost = _cost(prompt, completion, price)
    return RowEstimate(row.cell, len(row.numbers), (least, most), prompt, completion, cost)


def prompt_tokens(contents: Iterable[object]) -> Spread:
    """Return the estimated tokens of prompts with images, from the contents of their messages.

    >>> prompt_tokens(["Which object is left of the cup?"])
    Spread(low=6.4, high=10.666666666666666)
    """
    low = high = 0.0
    for content in contents:
        characters = characters_of(content)
        images = tokens_of_content(content) - characters // CHARACTERS_A_TOKEN
        low += characters / MOST_CHARACTERS + images / MOST_FOR_A_IMAGE
        high += characters / FEWEST_CHARACTERS + images * MOST_FOR_A_IMAGE
    return Spread(low, high)


def _tokens(characters: tuple[int, int]) -> Spread:
    least, most = characters
    return Spread(least / MOST_CHARACTERS, most / FEWEST_CHARACTERS)


def _cost(prompt: Spread, completion: Spread, price: Price | None) -> Spread | None:
    if price is None:
        return None
    return Spread(
        prompt.low * price.prompt + completion.low * price.completion,
        prompt.high * price.prompt + completion.high * price.completion,
    )
