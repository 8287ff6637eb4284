"""Results of the doctor as lines of text."""

from __future__ import annotations

from collections.abc import Iterator

from tsgkit.report.plain_text import count, inert
from tsgkit.runs.doctor import Check, Examination


def examination_lines(found: Examination) -> Iterator[str]:
    """Yield all that was found."""
    yield inert(f"{found.model} at {found.endpoint}")
    for check in found.checks:
        yield check_line(check)
    yield from closing_lines(found)
    if found.cause:
        yield inert(f"never answered: {found.cause}")
        yield from [f"  {inert(found.advice)}"] if found.advice else []


def check_line(check: Check) -> str:
    """Return what one check found."""
    return inert(f"  {check.name:<15}  {check.verdict:<8}  {check.said}")


def closing_lines(found: Examination) -> Iterator[str]:
    """Yield what follows from all checks, and what they used."""
    if found.cause:
        return
    yield inert(f"options to set: {' '.join(found.options)}") if found.options else "no option needs to be set"
    yield from [inert(found.reply_limit)] if found.reply_limit else []
    tokens = "tokens unknown" if found.tokens is None else f"{found.tokens:,} tokens"
    cost = "cost unknown" if found.cost is None else f"${found.cost:.4f}"
    yield f"used: {count(found.requests, 'request')}, {tokens}, {cost}"
