"""The option that says how long a service that is down is waited for, and the patience that options come to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.llm.door import Patience


def add_max_outage(parser: argparse._ActionsContainer) -> None:
    """The option of every command that asks a service."""
    parser.add_argument(
        "--max-outage", type=float, metavar="MIN", help="minutes a service that is down is waited for (30)"
    )


def patience_of(arguments: argparse.Namespace) -> Patience:
    """How long one request is tried, and a service that is down is waited for."""
    from tsgkit.llm.door import Patience

    outage = arguments.max_outage
    if outage is not None and not outage > 0:
        raise UsageError(f"--max-outage {outage}: it must be more than 0")
    attempts = getattr(arguments, "attempts", Patience.attempts)
    return Patience(
        timeout=arguments.timeout,
        attempts=attempts,
        same_error=min(Patience.same_error, attempts),
        max_outage=Patience.max_outage if outage is None else 60 * outage,
    )
