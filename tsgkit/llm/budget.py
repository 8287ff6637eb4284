"""Budgets of a run: requests, tokens and money. Requests in flight count with their estimate.

>>> budget = Budget(requests=2)
>>> budget.take(Estimate(tokens=50, cost=None)) and budget.take(Estimate(tokens=50, cost=None))
True
>>> budget.take(Estimate(tokens=50, cost=None)), budget.reached
(False, '2 of 2 requests')
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tsgkit.llm.reply import Usage


@dataclass(frozen=True, slots=True)
class Estimate:
    """The expected usage of a request."""

    tokens: int
    cost: float | None


@dataclass
class Budget:
    """Limits (None: unlimited), what was used and what is in flight. A budget that was reached stays reached."""

    requests: int | None = None
    tokens: int | None = None
    cost: float | None = None
    used_requests: int = 0
    used_tokens: int = 0
    used_cost: float = 0.0
    in_flight_tokens: int = 0
    in_flight_cost: float = 0.0
    reached: str = field(default="")

    def take(self, estimate: Estimate) -> bool:
        """Return whether one more request fits; if so it counts from now on."""
        tokens, cost = self.used_tokens + self.in_flight_tokens, self.used_cost + self.in_flight_cost
        if self.reached:
            return False
        if self.requests is not None and self.used_requests + 1 > self.requests:
            self.reached = f"{self.used_requests:,} of {self.requests:,} requests"
        elif self.tokens is not None and tokens + estimate.tokens > self.tokens:
            self.reached = f"{tokens:,} of {self.tokens:,} tokens"
        elif self.cost is not None and cost + (estimate.cost or 0.0) > self.cost:
            self.reached = f"{cost:.4f} of {self.cost:.4f} dollars"
        if self.reached:
            return False
        self.used_requests += 1
        self.in_flight_tokens += estimate.tokens
        self.in_flight_cost += estimate.cost or 0.0
        return True

    def settle(self, estimate: Estimate, usage: Usage) -> None:
        """Replace the estimate of a request by its usage; if the usage is unknown, keep the estimate."""
        self.in_flight_tokens -= estimate.tokens
        self.in_flight_cost -= estimate.cost or 0.0
        self.used_tokens += estimate.tokens if usage.total is None else usage.total
        self.used_cost += (estimate.cost or 0.0) if usage.cost is None else usage.cost

    def give_back(self, estimate: Estimate) -> None:
        """A request that was not made after all."""
        self.used_requests -= 1
        self.in_flight_tokens -= estimate.tokens
        self.in_flight_cost -= estimate.cost or 0.0

    def add(self, requests: int, usage: Usage) -> None:
        """Count the usage of an earlier part of the run."""
        self.used_requests += requests
        self.used_tokens += usage.total or 0
        self.used_cost += usage.cost or 0.0
