"""How commands speak: data shown so that no terminal obeys it, errors in one line, counts in words."""

from __future__ import annotations

import sys

from tsgkit.report.inert import inert as inert


def say(text: str = "") -> None:
    """One line of a command's output."""
    _print(text, sys.stdout)


def complain(message: str, hint: str = "") -> None:
    """One error or note for a person, with what to do next."""
    _print("tsgkit: " + "\n".join(filter(None, [inert(message), _hint(hint)])), sys.stderr)


def _hint(hint: str) -> str:
    return "\n".join("  " + inert(line) for line in hint.split("\n")) if hint else ""


def _print(text: str, stream: object) -> None:
    """Print, with a question mark for what the terminal's encoding lacks."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, "replace").decode(encoding), file=stream)  # type: ignore[call-overload]


def count(number: int, one: str, many: str = "") -> str:
    """A number with its noun.

    >>> count(1, "graph"), count(3, "graph")
    ('1 graph', '3 graphs')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"
