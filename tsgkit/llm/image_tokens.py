"""Tokens that services count for an image, by the rules they publish for its sides.

>>> tokens_range("openai/gpt-4o", (1024, 1024)), tokens_range("anthropic/claude-haiku-4-5", (1024, 1024))
((765, 765), (1399, 1469))
>>> tokens_range("some/other-model", (1024, 1024))
(466, 4197)

Bills show that services change their rules between versions; where none is known, the pixels say only the order of
magnitude. ``FACTOR`` is how far known rules lie from one token per ``PIXELS_A_TOKEN`` pixels, in either direction.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from math import ceil

from tsgkit.llm.images import tokens_of_sides

Range = tuple[int, int]
"""The least and the most."""
FACTOR = 3
LARGEST_CLAUDE, NEWER_CLAUDE = 1_600, 4_100
"""The most tokens of an image of Claude up to version 4.5, and later."""


def tokens_range(model: str, sides: tuple[int, int]) -> Range:
    """Return the least and the most tokens that an image of these sides takes."""
    for pattern, rule in RULES:
        if re.search(pattern, model, re.IGNORECASE):
            return rule(*sides)
    usual = tokens_of_sides(*sides)
    return usual // FACTOR, usual * FACTOR


def _tiles(base: int, tile: int) -> Callable[[int, int], Range]:
    """Squares of 512 pixels, after shrinking into 2048 x 2048 and then to a shorter side of 768."""

    def rule(width: int, height: int) -> Range:
        shrunk = min(1.0, 2048 / max(width, height))
        shrunk *= min(1.0, 768 / (shrunk * min(width, height)))
        tokens = base + tile * ceil(width * shrunk / 512) * ceil(height * shrunk / 512)
        return tokens, tokens

    return rule


def _patches(least: float, most: float, limit: int = 1536) -> Callable[[int, int], Range]:
    """Squares of 32 pixels, at most ``limit``, each of so many tokens."""

    def rule(width: int, height: int) -> Range:
        patches = min(ceil(width / 32) * ceil(height / 32), limit)
        return int(patches * least), ceil(patches * most)

    return rule


def _claude(largest: int) -> Callable[[int, int], Range]:
    """A token per 750 pixels; larger images are shrunk."""

    def rule(width: int, height: int) -> Range:
        tokens = ceil(width * height / 750)
        return min(tokens, LARGEST_CLAUDE), min(ceil(1.05 * tokens), largest)

    return rule


def _gemini(width: int, height: int) -> Range:
    """258 tokens up to 384 x 384, else for each square of 768 pixels, which may be cut from the image otherwise."""
    if max(width, height) <= 384:
        return 258, 258
    return 258, 258 * max(ceil(width / 768) * ceil(height / 768), 6)


RULES: tuple[tuple[str, Callable[[int, int], Range]], ...] = (
    (r"gpt-4o-mini", _tiles(2833, 5667)),
    (r"gpt-(4\.1|5)-(mini|nano)|o4-mini", _patches(1.62, 2.46)),
    (r"gpt-(4o|4\.1|4-turbo)", _tiles(85, 170)),
    (r"\bo[13]\b", _tiles(75, 150)),
    (r"\bgpt-5(-chat|-\d{4}|$)", _tiles(70, 140)),
    (r"claude-(3|(opus|sonnet|haiku)-4)", _claude(LARGEST_CLAUDE + 80)),
    (r"claude", _claude(NEWER_CLAUDE)),
    (r"gemini-3", lambda *_: (1_000, 1_150)),
    (r"gemini", _gemini),
)
"""The first pattern that a model's name has decides."""
