"""Cache for work on items that share the same graphs, as questions about one scenario do.

>>> calls = []
>>> @once_for_the_same
... def length(graphs):
...     calls.append(graphs)
...     return len(graphs)
>>> graphs = ("a", "b")
>>> length(graphs), length(graphs), len(calls)
(2, 2, 1)

Graphs are compared by identity; comparing their content would cost more than most of the work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from tsgkit.graph.model import ActionGraph

Result = TypeVar("Result")
Graphs = Sequence[ActionGraph]
MOST = 128


def once_for_the_same(work: Callable[[Graphs], Result]) -> Callable[[Graphs], Result]:
    """Remember the result for the latest graphs. They are kept alive, so that no others get their identity."""
    kept: dict[int, tuple[Graphs, Result]] = {}

    def remembered(graphs: Graphs) -> Result:
        memory = kept.get(id(graphs))
        if memory is not None and memory[0] is graphs:
            return memory[1]
        result = work(graphs)
        if isinstance(graphs, tuple):
            if len(kept) >= MOST:
                kept.clear()
            kept[id(graphs)] = (graphs, result)
        return result

    return remembered
