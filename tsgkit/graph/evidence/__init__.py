"""Evidence about graphs, found without a model: their sentence, the graphs around them, L, and habits.

>>> from tsgkit.graph.model import ActionGraph, Description, Narrative, Vocabulary
>>> L = Vocabulary(("cup", "shelf", "kettle"), ("verb", "dobj", "with", "from"), ("take",))
>>> graph = ActionGraph.of(
...     ("person", "verb", "take"), ("take", "dobj", "kettle"), ("take", "from", "shelf"), ("take", "with", "hand1")
... )
>>> story = Narrative((Description("She takes the cup from the shelf with one hand.", (graph,)),), L)
>>> best = proposals_for(story, 0)[0]
>>> print(f"{best.before} => {best.after}")
take -> dobj -> kettle => take -> dobj -> cup

:mod:`~tsgkit.graph.evidence.sentence` reads a sentence, :mod:`~tsgkit.graph.evidence.habits` counts edges,
:mod:`~tsgkit.graph.evidence.features` names what speaks for and against a graph,
:mod:`~tsgkit.graph.evidence.candidates` lists single edits, and :mod:`~tsgkit.graph.evidence.proposals` weighs them.
"""

from __future__ import annotations

from tsgkit.graph.evidence.habits import Habits
from tsgkit.graph.evidence.proposals import Proposal, proposals_for

__all__ = ["Habits", "Proposal", "proposals_for"]
