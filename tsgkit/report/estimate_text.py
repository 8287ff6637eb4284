"""Estimates of an evaluation, made before anything is sent, as text and as values of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tsgkit.llm.prices import Price
from tsgkit.report.plain_text import count, inert
from tsgkit.runs.estimate import RowEstimate
from tsgkit.runs.reply_limits import ReplyLimit
from tsgkit.runs.run_setup import RunSetup


def estimate_value(row: RowEstimate) -> dict[str, Any]:
    """Return the JSON value of the estimate of a row."""
    amounts = {name: getattr(row, name) for name in ("prompt", "completion", "cost")}
    spread = {name: None if value is None else [value.low, value.high] for name, value in amounts.items()}
    least, most = row.requests
    requests = {"requests": most, "requests_at_least": least, "worst": row.worst, "measured": row.measured}
    return {**row.cell.value, "samples": row.samples, **requests, "unasked": row.unasked, **spread}


def estimate_lines(
    prepared: RunSetup,
    estimates: Sequence[RowEstimate],
    prices: Mapping[str, Price | None],
    limits: Mapping[str, ReplyLimit],
) -> Iterator[str]:
    """Yield what would be asked, row by row and in all, with the prices of models and the lengths of replies."""
    yield f"run {inert(prepared.name)}-{prepared.identity}: nothing is sent"
    for note in prepared.notes:
        yield f"note: {inert(note)}"
    for row in estimates:
        asked = "asks no model"
        if row.requests[1]:
            asked = _amounts([row], decimals=4)
        if 0 < row.unasked < row.samples:
            asked += f"; {row.unasked:,} without anything to be shown"
        if row.measured:
            asked += f"; from {row.measured:,} samples that are answered"
        elif row.worst > 1:
            asked += f"; up to {row.worst} times as much if no reply can be used"
        yield f"  {inert(row.cell.title)}: {count(row.samples, 'sample')}, {asked}"
    for model, price in prices.items():
        if price is None:
            yield f"  {inert(model)}: its price is not known"
            continue
        tier = f", service tier {inert(price.tier)}" if price.tier else ""
        yield f"  {inert(model)}: priced by {price.source}{tier}"
        if price.note:
            yield f"  note: {inert(price.note)}"
    for model, limit in limits.items():
        yield f"  {inert(f'{model}: {limit}')}"
    yield f"in all {_amounts(estimates, decimals=2)}"


def _amounts(estimates: Sequence[RowEstimate], *, decimals: int) -> str:
    """Return the requests, tokens and costs of rows in words."""
    least, most = (sum(row.requests[end] for row in estimates) for end in (0, 1))
    requests = count(most, "request") if least == most else f"{least:,} to {count(most, 'request')}"
    tokens_in, tokens_out = (
        f"{sum(spread.low for spread in spreads):,.0f} to {sum(spread.high for spread in spreads):,.0f}"
        for spreads in ([row.prompt for row in estimates], [row.completion for row in estimates])
    )
    cost = "cost unknown"
    if all(row.cost is not None for row in estimates):
        low, high = (sum(getattr(row.cost, end) for row in estimates) for end in ("low", "high"))
        cost = f"${low:.{decimals}f} to ${high:.{decimals}f}"
    return f"{requests}, {tokens_in} tokens in, {tokens_out} out, {cost}"
