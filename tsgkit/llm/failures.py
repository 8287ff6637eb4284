"""What can go wrong with a call, and whether trying again can help."""

from __future__ import annotations

from dataclasses import dataclass

from tsgkit.errors import TsgkitError
from tsgkit.llm.reply import Attempt

DENIED = (401, 403, 404)
LONGEST_MESSAGE = 500


@dataclass(eq=False)
class CallFailed(Exception):
    """One request failed."""

    message: str
    status: int | None = None
    retry_after: float | None = None
    """How long the service asks to wait; only with 429 and 503."""
    refused: bool = False
    """A content filter turned the prompt away: an outcome, not an error."""
    unsent: bool = False
    """What was to be sent is not there any more: no request was made."""
    final: bool = False
    """An answer that would be paid for again, and be the same."""

    @property
    def throttled(self) -> bool:
        """Whether the service says that it is asked too often."""
        return self.status == 429

    @property
    def can_be_retried(self) -> bool:
        """Whether the same request may fare better later: no answer, a broken one, 408, 409, 429 and 5xx."""
        if self.refused or self.unsent or self.final:
            return False
        return self.status is None or self.status in (408, 409, 425, 429) or self.status >= 500

    @property
    def was_answered(self) -> bool:
        """Whether the service itself said no, so that nothing was used."""
        return self.status is not None and not self.final

    @property
    def denied(self) -> bool:
        """Whether the service would say no to every other request as well."""
        return self.status in DENIED

    def __str__(self) -> str:
        return self.message


class NotFinished(TsgkitError):
    """A call came to no end; what it was tried before is to be counted."""

    attempts: tuple[Attempt, ...] = ()


class BudgetReached(NotFinished):
    """A limit the user set leaves no room for another request."""

    exit_code = 4


class Stopped(NotFinished):
    """The call was not made, because the run is being stopped."""


class Unasked(NotFinished):
    """The call was not made, because the service has denied several before it."""
