"""tsgkit: scene graphs from any model, read, checked and compared.

>>> import tsgkit
>>> graph, = tsgkit.read("person -> verb -> wash; wash -> dobj -> cup").graphs
>>> [finding.code for finding in tsgkit.check_graph(graph)]
[]
>>> reference = tsgkit.ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "plate"))
>>> print(*tsgkit.diff(reference, graph).changes)
mismatched: wash -> dobj -> cup, expected wash -> dobj -> plate

Names are loaded when they are first used, so that importing tsgkit costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tsgkit.agents import generate as generate
    from tsgkit.agents import generate_sync as generate_sync
    from tsgkit.agents import refine as refine
    from tsgkit.agents import refine_sync as refine_sync
    from tsgkit.errors import TsgkitError as TsgkitError
    from tsgkit.graph import ActionGraph as ActionGraph
    from tsgkit.graph import Corruption as Corruption
    from tsgkit.graph import Description as Description
    from tsgkit.graph import HandRule as HandRule
    from tsgkit.graph import Narrative as Narrative
    from tsgkit.graph import Timeline as Timeline
    from tsgkit.graph import Triplet as Triplet
    from tsgkit.graph import Vocabulary as Vocabulary
    from tsgkit.graph import check_graph as check_graph
    from tsgkit.graph import check_narrative as check_narrative
    from tsgkit.graph import corrupt as corrupt
    from tsgkit.graph import diff as diff
    from tsgkit.graph import from_networkx as from_networkx
    from tsgkit.graph import patch as patch
    from tsgkit.graph import read as read
    from tsgkit.graph import snap as snap
    from tsgkit.graph import to_networkx as to_networkx
    from tsgkit.graph import trace as trace
    from tsgkit.graph.drawing import draw_diff as draw_diff
    from tsgkit.graph.drawing import draw_graph as draw_graph
    from tsgkit.graph.drawing import draw_narrative as draw_narrative
    from tsgkit.library.documents.checking import check as check
    from tsgkit.library.documents.reading import read_document as read_document
    from tsgkit.library.documents.reading import read_file as read_file
    from tsgkit.library.documents.writing import convert as convert
    from tsgkit.suites.suite import score as score

__version__ = "0.2.0"

_HOMES = {
    "ActionGraph": "tsgkit.graph",
    "Corruption": "tsgkit.graph",
    "Description": "tsgkit.graph",
    "HandRule": "tsgkit.graph",
    "Narrative": "tsgkit.graph",
    "Timeline": "tsgkit.graph",
    "Triplet": "tsgkit.graph",
    "TsgkitError": "tsgkit.errors",
    "Vocabulary": "tsgkit.graph",
    "check": "tsgkit.library.documents.checking",
    "check_graph": "tsgkit.graph",
    "check_narrative": "tsgkit.graph",
    "convert": "tsgkit.library.documents.writing",
    "corrupt": "tsgkit.graph",
    "diff": "tsgkit.graph",
    "draw_diff": "tsgkit.graph.drawing",
    "draw_graph": "tsgkit.graph.drawing",
    "draw_narrative": "tsgkit.graph.drawing",
    "from_networkx": "tsgkit.graph",
    "generate": "tsgkit.agents",
    "generate_sync": "tsgkit.agents",
    "patch": "tsgkit.graph",
    "read": "tsgkit.graph",
    "read_document": "tsgkit.library.documents.reading",
    "read_file": "tsgkit.library.documents.reading",
    "refine": "tsgkit.agents",
    "refine_sync": "tsgkit.agents",
    "score": "tsgkit.suites.suite",
    "snap": "tsgkit.graph",
    "to_networkx": "tsgkit.graph",
    "trace": "tsgkit.graph",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> object:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"tsgkit has no {name!r}")


def __dir__() -> list[str]:
    return sorted([*_HOMES, "__version__"])
