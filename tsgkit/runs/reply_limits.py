"""Default limits of tokens for replies of servers of the user's own, from the longest answers that cards state.

A small model that does not come to an end would write until its context is full. Hosted services have limits of their
own, and a model that reasons needs far more tokens than its answer has.

>>> default_limit([80]), default_limit([80, 500], reasons=True)
(1120, 6000)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from tsgkit.library.cards import Card
from tsgkit.llm.direct_calls import SERVED, is_own_server
from tsgkit.llm.prices import reasons_by_name
from tsgkit.llm.settings import DECISIVE, DEFAULT_LIMIT, Settings, is_local

ROOM = 4
"""The length of the longest reply that is let through, in replies that are long for the task."""
WORDS, REASONING = 200, 800
"""Tokens of words around an answer, and of reasoning where a style asks for it, in such a reply."""
OPTION = "--model-arg max_tokens=N"


class ReplyLimit(NamedTuple):
    """The default limit of a model's replies in tokens, or the reason why it has none."""

    tokens: int | None
    why_none: str = ""

    def __str__(self) -> str:
        if self.tokens is None:
            return f"no default limit of tokens for its replies: {self.why_none}"
        return f"its replies end after {self.tokens:,} tokens at most, which {OPTION} changes"


def default_limit(longest_answers: Iterable[int], *, reasons: bool = False) -> int:
    """Return the default limit of replies to tasks with these longest answers, in tokens."""
    return ROOM * (max(longest_answers) + WORDS + (REASONING if reasons else 0))


def reply_limit(settings: Settings, cards: Collection[Card], *, reasons: bool = False) -> ReplyLimit | None:
    """Return the default limit of a model's replies to these tasks; None where the server is not the user's own.

    ``reasons``: the model may be asked to reason in words.
    """
    is_served = settings.model.partition("/")[0] in SERVED and "api_base" in settings.connection
    if not is_local(settings.model) and not (is_served and is_own_server(settings)):
        return None
    if decisive := next(filter(DECISIVE.search, _names_in(settings.given)), ""):
        return ReplyLimit(None, f"{decisive} is given")
    if reasons_by_name(settings.model):
        return ReplyLimit(None, f"models of its name reason, by the price map; {OPTION} sets one")
    longest = {card.name: card.longest_answer for card in cards}
    if silent := [name for name, tokens in longest.items() if tokens is None]:
        return ReplyLimit(None, f"the card of {silent[0]} states no longest_answer; {OPTION} sets one")
    return ReplyLimit(default_limit(filter(None, longest.values()), reasons=reasons))


def with_limit(settings: Settings, limit: ReplyLimit) -> Settings:
    """Return settings whose replies have a default limit, where there is one."""
    from dataclasses import replace

    if limit.tokens is None:
        return settings
    return replace(settings, defaults=settings.defaults | {DEFAULT_LIMIT: limit.tokens})


def _names_in(parameters: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names of all parameters, also of those inside others."""
    for name, value in parameters.items():
        yield name
        if isinstance(value, Mapping):
            yield from _names_in(value)
