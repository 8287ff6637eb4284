"""Agents that clean scene graphs and turn stories into graphs. Part of their checks is exact.

>>> import asyncio
>>> from tsgkit.graph import ActionGraph, Vocabulary
>>> L = Vocabulary(("kettle", "hand1"), ("verb", "dobj", "with"), ("fill",))
>>> graph = ActionGraph.of(("fill", "verb", "person"), ("fill", "dobj", "kettel"), ("fill", "with", "hand1"))
>>> for change in asyncio.run(arefine([graph], vocabulary=L)).changes:
...     print(change)
graph 1: person -> verb -> fill, was fill -> verb -> person [verb-source] (exact)
graph 1: fill -> dobj -> kettle, was fill -> dobj -> kettel [out-of-vocabulary] (exact)
>>> model = ByLabel({"decompose/1": "fill the kettle", "write/1": "person -> verb -> fill; fill -> dobj -> kettle"})
>>> print(*asyncio.run(agenerate("She fills the kettle.", model, vocabulary=L)).narrative.graphs)
person -> verb -> fill
fill -> dobj -> kettle

Replace ``ByLabel`` by a model's name, such as ``"openai/gpt-4o"``. :func:`refiner` and :func:`decomposer` return the
agents as compiled LangGraph graphs. ``repairs`` makes exact repairs, ``refinement`` and ``decomposition`` hold the
steps for one sentence, ``cleaner`` and ``story_graphs`` process whole narratives.
"""

from tsgkit.agents.cleaner import CleanedNarrative, arefine
from tsgkit.agents.decomposer_graph import DecomposeInput, DecomposeOutput, decomposer
from tsgkit.agents.effort import Effort
from tsgkit.agents.refiner_graph import RefineInput, RefineOutput, refiner
from tsgkit.agents.story_graphs import StoryGraphs, agenerate
from tsgkit.llm.scripts import ByLabel

__all__ = [
    "ByLabel",
    "CleanedNarrative",
    "DecomposeInput",
    "DecomposeOutput",
    "Effort",
    "RefineInput",
    "RefineOutput",
    "StoryGraphs",
    "agenerate",
    "arefine",
    "decomposer",
    "refiner",
]
