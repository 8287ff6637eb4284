"""Prompt styles: with or without reasoning, worked examples, and a JSON schema for the answer.

>>> style_of("few-shot", 3), style_of("cot").reasoning
(Style(name='few-shot', reasoning=False, shots=3, schema=False), True)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tsgkit.errors import UsageError
from tsgkit.lexicon import meant

SHOTS = 10
"""The default number of worked examples in few-shot styles, as published."""


@dataclass(frozen=True)
class Style:
    """A prompt style: with or without reasoning, a number of examples, and a JSON schema for the answer."""

    name: str
    reasoning: bool = False
    shots: int = 0
    schema: bool = False
    rewrite: Callable[[str], str] | None = field(default=None, compare=False, repr=False)
    """A function from the zero-shot prompt to the prompt of a user's style."""
    code: str = field(default="", repr=False)
    """The text of that code."""


_GIVEN: dict[str, Style] = {}


def give_style(style: Style) -> None:
    """Register a user's style under its name."""
    if style.name in PRESETS:
        raise UsageError(f"there is a style {style.name} already", hint="give yours another name")
    _GIVEN[style.name] = style


PRESETS = {
    style.name: style
    for style in (
        Style("zero-shot"),
        Style("cot", reasoning=True),
        Style("few-shot", shots=SHOTS),
        Style("cot-few-shot", reasoning=True, shots=SHOTS),
        Style("structured", schema=True),
    )
}


def style_of(name: str, shots: int | None = None) -> Style:
    """Return the style of a name, perhaps with another number of examples."""
    known = PRESETS | _GIVEN
    if name not in known:
        raise UsageError(f"there is no style {name}", hint=meant(name, known))
    style = known[name]
    if shots is None or shots == style.shots:
        return style
    if not style.shots:
        raise UsageError(f"style {name} shows no examples, so it takes no --shots", hint="few-shot or cot-few-shot?")
    if shots < 1:
        raise UsageError(f"--shots {shots}: style {name} shows at least one example")
    return replace(style, shots=shots)
