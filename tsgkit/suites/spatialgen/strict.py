"""The strict reader of a judge's letters, and the pairing of images with rows by id.

>>> from tsgkit.suites.spatialgen.rows import Question
>>> asked = [Question("Where?", {"A": "left", "B": "right", "E": "None"}, "A")] * 2
>>> letters("1. **B**: it stands there\\n2. (a)", asked)
('B', 'A')
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeVar

from tsgkit.replies import Read, Unreadable, numbered_answers
from tsgkit.suites.spatialgen.rows import Question, Row

Result = TypeVar("Result")


def letters(reply: str, questions: Sequence[Question]) -> tuple[str | Unreadable, ...]:
    """Return one letter for each question, or the reason why there is none."""
    found = numbered_answers.letters(reply, [question.options for question in questions])
    return tuple(one.value if isinstance(one, Read) else one for one in found)


class Pairs(NamedTuple):
    """Rows with the images named after their ids, rows without an image, and files that match no row."""

    pairs: tuple[tuple[Row, str], ...]
    missing: tuple[Row, ...]
    stray: tuple[str, ...]


def paired(rows: Sequence[Row], files: Iterable[str], endings: Sequence[str] = (".png",)) -> Pairs:
    """Pair rows with the files of a folder by id. Files that match no row change nothing.

    Of several files with one id, the first ending counts, and the others match no row.

    >>> from tsgkit.suites.spatialgen.rows import row_of
    >>> rows = [row_of("000001", "Forest", "", ()), row_of("000002", "Forest", "", ())]
    >>> found = paired(rows, ["000002.png", ".DS_Store"])
    >>> [(row.id, name) for row, name in found.pairs], [row.id for row in found.missing], found.stray
    ([('000002', '000002.png')], ['000001'], ('.DS_Store',))
    """
    there = set(files)
    named = {row.id: next((row.id + end for end in endings if row.id + end in there), None) for row in rows}
    pairs = tuple((row, name) for row in rows if (name := named[row.id]) is not None)
    stray = tuple(sorted(there - {name for _, name in pairs}))
    return Pairs(pairs, tuple(row for row in rows if named[row.id] is None), stray)


def once(results: Iterable[tuple[str, Result]]) -> dict[str, Result]:
    """Return the results by item id, keeping the last one of each item, as in a resumed run.

    >>> once([("000001", "broken off"), ("000002", "done"), ("000001", "done")])
    {'000001': 'done', '000002': 'done'}
    """
    return dict(results)
