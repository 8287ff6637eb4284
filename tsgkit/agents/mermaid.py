"""Mermaid diagrams of the agents' graphs, drawn from the compiled graphs.

>>> "check -.-> look;" in mermaid("refiner").replace("\\t", "")
True
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tsgkit.agents.decomposer_graph import decomposer
from tsgkit.agents.refiner_graph import refiner
from tsgkit.errors import UsageError
from tsgkit.llm.scripts import ByLabel

AGENTS: dict[str, Callable[[], Any]] = {"refiner": refiner, "decomposer": lambda: decomposer(ByLabel({}))}


def mermaid(name: str) -> str:
    """Return the Mermaid text of an agent."""
    if name not in AGENTS:
        raise UsageError(f"there is no agent {name}", hint=f"the agents: {', '.join(AGENTS)}")
    text: str = AGENTS[name]().get_graph().draw_mermaid()
    return text
