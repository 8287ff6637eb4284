"""Checks that a notation can represent a graph, made by every writer before it writes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tsgkit.errors import CannotCarry
from tsgkit.graph.model import ActionGraph

SURROGATE = re.compile("[\ud800-\udfff]")


def refuse(graphs: Sequence[ActionGraph], notation: str, why_not: Callable[[str], str | None]) -> None:
    """Raise ``CannotCarry`` for the first name ``why_not`` has a reason against."""
    for number, graph in enumerate(graphs):
        for name in graph.elements:
            if reason := why_not(name):
                raise CannotCarry(
                    f"{notation} cannot carry the name {shown(name)}: {reason}",
                    graph=number,
                    hint="rename it, or choose another format (triplets carries every name that is text)",
                )


def refuse_empty(graphs: Iterable[ActionGraph], notation: str) -> None:
    """Raise ``CannotCarry`` for the first graph without triplets."""
    for number, graph in enumerate(graphs):
        if not graph.triplets:
            raise CannotCarry(f"{notation} cannot carry a graph without triplets", graph=number)


def refuse_unless_text(text: str, notation: str) -> str:
    """Return the text as it is, or ``CannotCarry`` where no file could hold it, whatever string in it is to blame."""
    if reason := not_text(text):
        raise CannotCarry(f"{notation} cannot carry one of the texts: {reason}", hint="take it out of the data")
    return text


def not_text(name: str) -> str | None:
    """Return why a name is not text that any file could hold: half of a surrogate pair, which UTF-8 has no
    bytes for."""
    if SURROGATE.search(name):
        return "it holds half of a surrogate pair"
    return None


def not_printable(name: str) -> str | None:
    """Return why a name is not text of one line: control characters, line ends, surrogates."""
    if name.isascii() and name.isprintable():
        return None
    if any(letter < " " or "\x7f" <= letter <= "\x9f" or letter in "\u2028\u2029\ufffe\uffff" for letter in name):
        return "it holds a control character or a line end"
    return not_text(name)


def shown(name: str, most: int = 60) -> str:
    """Return a name as an error message shows it: quoted, escaped, not endless."""
    return ascii(name if len(name) <= most else name[:most] + "...")
