"""Estimate of a plan before it is run: requests, tokens with their range, and cost.

Tokens are estimated from characters (3 to 5 of English make one), those of images from their sides, replies from the
length of the right answer plus a usual amount of reasoning. Services count differently; the range shows the
uncertainty. Once ``ENOUGH`` samples of a row are answered, the rest is estimated from their usage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from tsgkit.llm.images import characters_of, images_of, tokens_range
from tsgkit.llm.prices import Price
from tsgkit.runs.folder import samples_in
from tsgkit.runs.plan import Cell
from tsgkit.runs.run_setup import PlannedRow, RunSetup, asks_a_model
from tsgkit.suites.judges.ratings import GradedSolver
from tsgkit.suites.solvers.solver import Expected

FEWEST_CHARACTERS, MOST_CHARACTERS = 3.0, 5.0
"""Characters a token."""
ENOUGH = 10
"""Answered samples from which a row is estimated."""
REASONING = (100, 800)
"""Tokens of reasoning where a style asks for it."""
CHATTER = (0, 60)
"""Tokens around an answer."""


@dataclass(frozen=True)
class EstimateRange:
    """A range: the least and the most that a number may be."""

    low: float = 0.0
    high: float = 0.0

    def __add__(self, other: EstimateRange) -> EstimateRange:
        return EstimateRange(self.low + other.low, self.high + other.high)


@dataclass(frozen=True)
class RowEstimate:
    """The estimate of one row; ``cost`` is None if the price is unknown."""

    cell: Cell
    samples: int
    requests: tuple[int, int]
    """At least and at most, where every call brings a usable answer."""
    prompt: EstimateRange
    completion: EstimateRange
    cost: EstimateRange | None
    worst: int = 1
    """The factor of the cost where no answer is usable, and each is asked for as often as allowed."""
    measured: int = 0
    """The answered samples that it is estimated from; 0 before there are enough."""
    unasked: int = 0
    """The samples about which a model is not asked: they have no image or scene to be shown."""

    def __add__(self, other: RowEstimate) -> RowEstimate:
        """Return the estimate of both: of the calls of a subject, and of those of its judge."""
        costs = (self.cost, other.cost)
        return replace(
            self,
            requests=(self.requests[0] + other.requests[0], self.requests[1] + other.requests[1]),
            prompt=self.prompt + other.prompt,
            completion=self.completion + other.completion,
            cost=None if costs[0] is None or costs[1] is None else costs[0] + costs[1],
            worst=max(self.worst, other.worst),
        )


Used = Sequence[Mapping[str, Any]]
"""The usage of the answered samples of a row."""


def usage_in(samples: Path) -> dict[Cell, list[Mapping[str, Any]]]:
    """Return the usage of the samples of a run that were answered without the cache, by row."""
    used: dict[Cell, list[Mapping[str, Any]]] = {}
    for _, value in samples_in(samples):
        usage = value["usage"]
        if usage and not usage["from_cache"] and not usage["untold"]:
            used.setdefault(Cell.of(value), []).append(usage)
    return used


def estimates_of(
    prepared: RunSetup, prices: Mapping[str, Price | None], used: Mapping[Cell, Used] | None = None
) -> tuple[RowEstimate, ...]:
    """Return the estimate of every row, from the usage of its answered samples where there are enough."""
    estimates = []
    for row in prepared.rows:
        usage = (used or {}).get(row.cell, ())
        estimate = _estimate(row, row.asked, row.solver.expected, prices.get(row.asked), usage)
        if isinstance(row.solver, GradedSolver) and row.judge is not None and not estimate.measured:
            estimate += _estimate(row, row.judge, row.solver.expected_of_judge, prices.get(row.judge), ())
        estimates.append(estimate)
    return tuple(estimates)


def _estimate(
    row: PlannedRow, model: str, expected_of: Callable[[Any], Expected], price: Price | None, used: Used
) -> RowEstimate:
    """Return the estimate of the calls of a row to one model."""
    samples = len(row.numbers)
    if not asks_a_model(model):
        return RowEstimate(row.cell, samples, (0, 0), EstimateRange(), EstimateRange(), EstimateRange())
    least = most = asking = measured = 0
    worst = 1
    prompt, completion = EstimateRange(), EstimateRange()
    for number in row.numbers:
        expected = expected_of(row.dataset.sample(number))
        asking += expected.calls[1] > 0
        around = [each + more for each, more in zip(CHATTER, REASONING if expected.reasons else (0, 0), strict=True)]
        prompt += _tokens(expected.sent)
        for sides in expected.images:
            prompt += EstimateRange(*tokens_range(model, sides))
        completion += _tokens(expected.said)
        completion += EstimateRange(*(each * calls for each, calls in zip(around, expected.calls, strict=True)))
        least, most = least + expected.calls[0], most + expected.calls[1]
        worst = max(worst, expected.worst)
    if len(used) >= ENOUGH:
        calls, prompt, completion = (_measured(asking, used, name) for name in ("requests", "prompt", "completion"))
        least, most, worst, measured = round(calls.low), round(calls.high), 1, len(used)
    cost = None
    if price is not None:
        least_cost = prompt.low * price.prompt + completion.low * price.completion
        cost = EstimateRange(least_cost, prompt.high * price.prompt + completion.high * price.completion)
    requests, unasked = (least, most), samples - asking
    return RowEstimate(row.cell, samples, requests, prompt, completion, cost, worst, measured, unasked)


def _measured(asking: int, used: Used, name: str) -> EstimateRange:
    """Return what so many samples use, from some of them: the mean, give or take two standard errors."""
    values = [float(usage[name]) for usage in used]
    usual, error = mean(values), 2 * stdev(values) / sqrt(len(values))
    return EstimateRange(asking * max(usual - error, min(values)), asking * min(usual + error, max(values)))


def prompt_tokens(model: str, contents: Iterable[object]) -> EstimateRange:
    """Return the estimated tokens of a model's prompts with images, from the contents of their messages.

    >>> prompt_tokens("openai/gpt-4o", ["Which object is left of the cup?"])
    EstimateRange(low=6.4, high=10.666666666666666)
    """
    total = EstimateRange()
    for content in contents:
        characters = characters_of(content)
        total += _tokens((characters, characters))
        for image in images_of(content):
            total += EstimateRange(*tokens_range(model, (image.width, image.height)))
    return total


def _tokens(characters: tuple[int, int]) -> EstimateRange:
    least, most = characters
    return EstimateRange(least / MOST_CHARACTERS, most / FEWEST_CHARACTERS)
