"""List of samples, one line each: outcome, answer, key and reason, fitted to the terminal.

>>> cup = Listed("tea/1", "", "answered", "cup", "mug", "cup, expected mug")
>>> print(*listed_lines([cup, Listed("tea/22", "", "empty", "", "pot", "")], 60), sep="\\n")
item    outcome   answer  key  reason
tea/1   answered  cup     mug  cup, expected mug
tea/22  empty             pot
>>> long = cup._replace(answer="the blue cup beside the kettle", reason="")
>>> print([*listed_lines([long], 40)][1], [*listed_lines([long], None)][1], sep="\\n")
tea/1  answered  the blue cup be...  mug
tea/1  answered  the blue cup beside the kettle  mug
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tsgkit.report.plain_text import CUT, inert
from tsgkit.report.terminal import columns

HEAD = ("item", "row", "outcome", "answer", "key", "reason")
SHORT = 3
"""Columns with names, which stay whole as long as others have space."""
LEAST = 10
"""Characters of a text column, at least."""
ALIGNED = 80
"""Columns are aligned up to this width where the width of lines has no limit."""


class Listed(NamedTuple):
    """A sample in the list."""

    item: str
    row: str
    """The label of its row; empty if there is only one."""
    outcome: str
    answer: str
    key: str
    reason: str


def listed_lines(samples: Sequence[Listed], width: int | None) -> Iterator[str]:
    """Yield a head and a line for each sample, cut to a width (None: whole); columns that are empty everywhere are left
    out.
    """
    rows = [tuple(" ".join(inert(cell).split()) for cell in one) for one in samples]
    used = [place for place in range(len(HEAD)) if any(row[place] for row in rows)]
    table = [[line[place] for place in used] for line in (HEAD, *rows)]
    wanted = [max(map(columns, column)) for column in zip(*table, strict=True)]
    widths = [min(want, ALIGNED) for want in wanted]
    if width is not None:  # names first, then the texts share the rest
        short = sum(place < SHORT for place in used)
        names, texts, room = wanted[:short], wanted[short:], width - 2 * (len(wanted) - 1)
        shares = _shared(texts, max(room - sum(names), LEAST * len(texts)))
        widths = _shared(names, max(room - sum(shares), LEAST * len(names))) + shares
    for line in table:
        cells = (_fitted(cell, room, whole=width is None) for cell, room in zip(line, widths, strict=True))
        yield "  ".join(cells).rstrip()


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """Return the share of each text: what it needs, if that is less than an equal part.

    >>> _shared([5, 50, 50], 65), _shared([5, 8], 65)
    ([5, 30, 30], [5, 8])
    """
    shares = [0] * len(wanted)
    for number, place in enumerate(sorted(range(len(wanted)), key=lambda place: wanted[place])):
        shares[place] = min(wanted[place], room // (len(wanted) - number))
        room -= shares[place]
    return shares


def _fitted(text: str, width: int, *, whole: bool) -> str:
    """Return a text in so many columns, its end cut off where it is longer and need not stay whole."""
    if columns(text) > width and not whole:
        while columns(text) > max(width - len(CUT), 0):
            text = text[:-1]
        text += CUT[:width]
    return text + " " * (width - columns(text))


def in_a_line(value: Any) -> str:  # noqa: ANN401  (an answer, as JSON has it)
    """Return an answer in one line: a text as it is, triplets as arrows, anything else as JSON.

    >>> in_a_line("cup"), in_a_line([[["person", "verb", "wash"], ["wash", "dobj", "cup"]]]), in_a_line({"a": 1})
    ('cup', 'person -> verb -> wash; wash -> dobj -> cup', '{"a": 1}')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if _is_triplet(value):
        return " -> ".join(value)
    if isinstance(value, list) and value and all(isinstance(one, list) for one in value):
        between = "; " if all(map(_is_triplet, value)) else " | "
        return between.join(map(in_a_line, value))
    return json.dumps(value, ensure_ascii=False)


def _is_triplet(value: Any) -> bool:  # noqa: ANN401
    return isinstance(value, list) and len(value) == 3 and all(isinstance(part, str) for part in value)
