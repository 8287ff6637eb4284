"""tsgkit: scene graphs from any model, read, checked and compared.

>>> import tsgkit as tk
>>> graph, = tk.read("person -> verb -> wash; wash -> dobj -> cup").graphs
>>> [finding.code for finding in tk.check_graph(graph)]
[]
>>> reference = tk.ActionGraph.of(("person", "verb", "wash"), ("wash", "dobj", "plate"))
>>> print(*tk.diff(reference, graph).changes)
mismatched: wash -> dobj -> cup, expected wash -> dobj -> plate

    run = tk.evaluate("tsg", model="openai/gpt-4o", style=["zero-shot", "cot"], limit=50)
    run                                             # a table, as HTML in a notebook
    run.frame()                                     # one row a sample, for pandas or polars
    tk.compare(run, "tsg/sgds")

Functions take the options of the commands by their names, and work in a notebook; those whose names begin with ``a``
are awaited. Names are loaded when they are first used, so that importing tsgkit costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING

from tsgkit.registry import SOLVERS as _SOLVERS

if TYPE_CHECKING:
    from tsgkit import agents as agents
    from tsgkit.cli.make import make as make
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
    from tsgkit.interface.agents import agenerate as agenerate
    from tsgkit.interface.agents import arefine as arefine
    from tsgkit.interface.agents import generate as generate
    from tsgkit.interface.agents import refine as refine
    from tsgkit.interface.analysis import audit as audit
    from tsgkit.interface.analysis import compare as compare
    from tsgkit.interface.analysis import draw as draw
    from tsgkit.interface.analysis import explain as explain
    from tsgkit.interface.analysis import export as export
    from tsgkit.interface.analysis import grid as grid
    from tsgkit.interface.analysis import merge as merge
    from tsgkit.interface.analysis import read_scene as read_scene
    from tsgkit.interface.analysis import rescore as rescore
    from tsgkit.interface.analysis import score as score
    from tsgkit.interface.doctor import adoctor as adoctor
    from tsgkit.interface.doctor import doctor as doctor
    from tsgkit.interface.evaluation import aevaluate as aevaluate
    from tsgkit.interface.evaluation import evaluate as evaluate
    from tsgkit.interface.evaluation import plan as plan
    from tsgkit.interface.images import aimages as aimages
    from tsgkit.interface.images import images as images
    from tsgkit.interface.run import Run as Run
    from tsgkit.interface.run import open_run as open_run
    from tsgkit.library.documents.lint import check as check
    from tsgkit.library.documents.reader import read_document as read_document
    from tsgkit.library.documents.reader import read_file as read_file
    from tsgkit.library.documents.writer import convert as convert
    from tsgkit.llm.reply import Reply as Reply
    from tsgkit.serve.narrative_editor import edit as edit
    from tsgkit.serve.view import view as view
    from tsgkit.serve.view import write_view as write_view
    from tsgkit.suites.judges.ratings import judged_by as judged_by
    from tsgkit.suites.own_parts import Task as Task
    from tsgkit.suites.own_parts import metric as metric
    from tsgkit.suites.own_parts import solver as solver
    from tsgkit.suites.own_parts import style as style

    __version__: str


_HOMES = {
    "tsgkit.cli.make": "make",
    "tsgkit.errors": "TsgkitError",
    "tsgkit.graph": (
        "ActionGraph Corruption Description HandRule Narrative Timeline Triplet Vocabulary check_graph check_narrative "
        "corrupt diff from_networkx patch read snap to_networkx trace"
    ),
    "tsgkit.graph.drawing": "draw_diff draw_graph draw_narrative",
    "tsgkit.interface.agents": "agenerate arefine generate refine",
    "tsgkit.interface.doctor": "adoctor doctor",
    "tsgkit.interface.evaluation": "aevaluate evaluate plan",
    "tsgkit.interface.analysis": "audit compare draw explain export grid merge read_scene rescore score",
    "tsgkit.interface.images": "aimages images",
    "tsgkit.interface.run": "Run open_run",
    "tsgkit.library.documents.lint": "check",
    "tsgkit.library.documents.reader": "read_document read_file",
    "tsgkit.library.documents.writer": "convert",
    "tsgkit.llm.reply": "Reply",
    "tsgkit.serve.narrative_editor": "edit",
    "tsgkit.serve.view": "view write_view",
    "tsgkit.suites.judges.ratings": "judged_by",
    "tsgkit.suites.own_parts": "Task metric solver style",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}
_PACKAGES = ("agents",)
_SOLVERS["agent"] = "tsgkit.agents.solvers:AGENTS"

__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("tsgkit.version").__version__
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    if name in _PACKAGES:
        return import_module(f"tsgkit.{name}")
    raise AttributeError(f"tsgkit has no {name!r}", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
