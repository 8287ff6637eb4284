"""Arrow text: ``source -> edge -> target`` lines, one blank line between graphs. Lossless in both directions.

>>> graphs = parse('''person -> verb -> wash
... wash -> dobj -> cup
...
... person -> verb -> put-down
... ''')
>>> len(graphs)
2
>>> print(write(graphs[:1]), end="")
person -> verb -> wash
wash -> dobj -> cup

:func:`tsgkit.graph.read` reads text that does not keep to this form, such as model replies.
"""

from __future__ import annotations

from collections.abc import Iterable

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.notation.limits import not_printable, refuse, refuse_empty, shown

ARROW = " -> "


def parse(text: str) -> tuple[ActionGraph, ...]:
    """Return the graphs of an arrow text; ``NotationError`` names the first line that is no triplet."""
    return tuple(graph for graph, _ in parse_with_lines(text))


def parse_with_lines(text: str) -> tuple[tuple[ActionGraph, tuple[int, ...]], ...]:
    """Return the graphs, each with the line (from 1) of every triplet."""
    graphs: list[tuple[ActionGraph, tuple[int, ...]]] = []
    triplets: list[Triplet] = []
    start = 0
    for number, line in enumerate([*text.replace("\r\n", "\n").split("\n"), ""], 1):
        if line.strip():
            start = start if triplets else number
            parts = line.split(ARROW)
            if len(parts) != 3:
                raise NotationError(
                    f"{shown(line)} has {len(parts)} parts between ' -> ', not 3",
                    line=number,
                    hint="a line reads: source -> edge -> target",
                )
            if any(reason := _why_not(part) for part in parts):
                raise NotationError(f"{shown(line)} is not exact arrow text: {reason}", line=number)
            triplets.append(Triplet(*parts))
        elif triplets:
            graphs.append((ActionGraph(triplets), tuple(range(start, number))))
            triplets = []
    return tuple(graphs)


def write(graphs: Iterable[ActionGraph]) -> str:
    """Return the arrow text of these graphs; ``CannotCarry`` for names it has no way to write."""
    graphs = tuple(graphs)
    refuse_empty(graphs, "arrow text")
    refuse(graphs, "arrow text", _why_not)
    return "\n".join("".join(f"{triplet}\n" for triplet in graph.triplets) for graph in graphs)


def _why_not(name: str) -> str | None:
    if not name:
        return "it is empty"
    if name != name.strip():
        return "it begins or ends with white space"
    if "->" in name:
        return "it holds an arrow"
    return not_printable(name)
