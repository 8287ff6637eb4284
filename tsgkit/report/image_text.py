"""Results of image generation as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tsgkit.report.plain_text import count, inert

if TYPE_CHECKING:
    from tsgkit.runs.image_generation import PaintingOutcome

SHOWN = 5


def painted_lines(painted: PaintingOutcome) -> Iterator[str]:
    """Yield how many there are, what they cost, and where they lie."""
    parts = [f"{painted.painted:,} painted", f"{painted.there:,} there already", f"{painted.blocked:,} blocked"]
    parts += [f"{len(painted.failures):,} failed"] + ([f"{painted.unasked:,} not asked"] if painted.unasked else [])
    yield f"{count(painted.total, 'image')}: {', '.join(parts)}"
    cost = "cost unknown" if painted.cost is None else f"${painted.cost:.4f}"
    yield f"asked: {count(painted.requests, 'request')} in all, {cost}"
    yield f"written: {inert(str(painted.folder))}"


def trouble_lines(painted: PaintingOutcome) -> Iterator[str]:
    """Yield blocked and failed images, the reason for stopping or waiting, and spans that were not sent."""
    yield from map(inert, painted.notices)
    for what, named in (("blocked", painted.refusals), ("failed", painted.failures)):
        yield from (inert(f"{item_id} {what}: {reason}") for item_id, reason in named[:SHOWN])
        if len(named) > SHOWN:
            yield inert(f"and {len(named) - SHOWN} more {what}: see {painted.folder}/calls.jsonl")
    if not painted.complete:
        for why in filter(None, (painted.budget, painted.given_up, "interrupted" if painted.interrupted else "")):
            yield inert(f"stopped: {why}; {count(painted.unasked, 'image')} not asked for")
        yield from (inert(f"while waiting for {why}") for why in painted.trouble)
    if painted.unsent_spans:
        yield inert(painted.unsent_spans)
