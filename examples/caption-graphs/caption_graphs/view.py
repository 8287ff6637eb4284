"""Panels of a caption: both graphs drawn with their differences, and all tuples in a table.

>>> triplets_of(CaptionGraph(("man", "hat"), (("hat", "red"),), (("man", "in", "hat"),)))
[['man', 'in', 'hat'], ['hat', 'is', 'red']]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tsgkit.replies import Unreadable
from tsgkit.suites.panels import Panel, Shown, table_panel

from caption_graphs.scoring import folded_f1
from caption_graphs.tuples import CaptionGraph, read_tuples

ATTRIBUTE = "is"
"""The label of the edge from an object to its attribute."""


def view(shown: Shown) -> Iterator[Panel]:
    """Yield the graphs of caption and answer, and their tuples; what means the same counts as matched."""
    wanted, said = shown.sample.graph, _said(shown.judged.answer)
    found = folded_f1(wanted.tuples, () if said is None else said.tuples).evidence or {}
    missing, extra = (found.get(side, ()) for side in ("missing", "extra"))
    yield Panel("graphs", "Caption and answer", {"pairs": [_pair(wanted, said, missing, extra)]})
    rows = [*_rows("=", [one for one in wanted.tuples if one not in set(missing)]), *_rows("-", missing)]
    yield table_panel("Tuples", ["", "tuple"], [*rows, *_rows("+", extra)])


def _said(answer: object) -> CaptionGraph | None:
    reading = read_tuples(answer) if isinstance(answer, str) else None
    return None if reading is None or isinstance(reading, Unreadable) else reading.graph


def _pair(
    wanted: CaptionGraph, said: CaptionGraph | None, missing: Sequence[Any], extra: Sequence[Any]
) -> dict[str, Any]:
    lost, new = triplets_in(missing), triplets_in(extra)
    changes = [{"kind": "missing", "reference": one, "candidate": None, "outside": []} for one in lost]
    changes += [{"kind": "extra", "reference": None, "candidate": one, "outside": []} for one in new]
    return {
        "reference": triplets_of(wanted),
        "candidate": None if said is None else triplets_of(said),
        "matched": len(triplets_of(wanted)) - len(lost),
        "changes": [] if said is None else changes,
    }


def triplets_of(graph: CaptionGraph) -> list[list[str]]:
    """Return relations and attributes as triplets; objects alone have none."""
    return triplets_in((*graph.relations, *graph.attributes))


def triplets_in(tuples: Sequence[Sequence[str]]) -> list[list[str]]:
    """Return the triplets of those tuples that have two or three names."""
    return [list(one) if len(one) == 3 else [one[0], ATTRIBUTE, one[1]] for one in tuples if len(one) > 1]


def _rows(sign: str, tuples: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    return ([sign, f"( {' , '.join(one)} )"] for one in tuples)
