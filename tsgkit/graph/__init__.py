"""Action-centric scene graphs as values, and operations on them.

==============  ==========================================================================================
``model``       triplets, one action's graph, L, narratives
``views``       the typed networkx view of a graph
``notation``    exact readers and writers, one module each
``reading``     the tolerant reader for what models write
``rules``       the schema as findings
``hands``       what hand1 and hand2 hold along a narrative
``timeline``    what was touched when, between what, held by which hand
``edits``       differences in words, patches, snapping to L
``corruptions`` the four seeded ways of spoiling a graph
``folding``     names as scores compare them
``prompt_text``     graphs and L in the words of prompts
``memo``        work done once for the same graphs
``drawing``     SVG images, which ``notebook`` gives to notebooks
==============  ==========================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.graph import notebook as notebook
from tsgkit.graph.corruptions import Corrupted, Corruption, corrupt
from tsgkit.graph.edits import Change, ChangeKind, Diff, Snap, diff, patch, snap
from tsgkit.graph.hands import HandRule, HandStep, trace
from tsgkit.graph.model import (
    ActionGraph,
    Description,
    EdgeKind,
    Frames,
    Kind,
    Narrative,
    Node,
    Triplet,
    TypedTriplet,
    Vocabulary,
)
from tsgkit.graph.reading import Note, Reading, read
from tsgkit.graph.rules import RULES, Finding, Place, check_graph, check_narrative
from tsgkit.graph.timeline import Step, Timeline
from tsgkit.graph.views import from_networkx, to_networkx

__all__ = [
    "RULES",
    "ActionGraph",
    "Change",
    "ChangeKind",
    "Corrupted",
    "Corruption",
    "Description",
    "Diff",
    "EdgeKind",
    "Finding",
    "Frames",
    "HandRule",
    "HandStep",
    "Kind",
    "Narrative",
    "Node",
    "Note",
    "Place",
    "Reading",
    "Snap",
    "Step",
    "Timeline",
    "Triplet",
    "TypedTriplet",
    "Vocabulary",
    "check_graph",
    "check_narrative",
    "corrupt",
    "diff",
    "from_networkx",
    "patch",
    "read",
    "snap",
    "to_networkx",
    "trace",
]
