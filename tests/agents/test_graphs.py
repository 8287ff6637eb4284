"""The agents as compiled graphs: alone, as nodes of a caller's own LangGraph, streamed, and gone on with."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence
from typing import Any, TypedDict

import pytest
from doors import run
from spoken_models import L, arrows, graph

import tsgkit as tk
from tsgkit.agents.cleaning import Cleaned
from tsgkit.agents.graph_values import change_values, graph_values
from tsgkit.errors import UsageError
from tsgkit.graph import ActionGraph

GOOD = graph("person verb fill; fill dobj kettle; fill with hand1")
VASE = graph("person verb fill; fill dobj vase; fill with hand1")
CUP = graph("person verb fill; fill dobj cup; fill with hand1")
SLIP = graph("fill verb person; fill dobj kettle; fill with hand1")
RINSE = graph("person verb rinse; rinse dobj cup; rinse with hand1")


class Scripted:
    """A function model: says what it is told for each kind of question, in turn, and remembers what it was asked."""

    def __init__(self, *, revise: Sequence[str] = (), critique: Sequence[str] = ("none",)) -> None:
        self.says = {"revise": list(revise), "critique": list(critique)}
        self.asked: list[str] = []

    async def __call__(self, messages: list[dict[str, Any]]) -> str:
        kind = "critique" if "Findings" not in messages[-1]["content"] else "revise"
        self.asked.append(kind)
        lines = self.says[kind]
        return lines.pop(0) if len(lines) > 1 else lines[0]


def test_refiner_cleans_graphs_when_awaited_and_when_not() -> None:
    given = {"graphs": graph_values([SLIP, VASE])}
    refiner = tk.agents.refiner(lambda messages: arrows(GOOD), vocabulary=L, critique=False)
    awaited = run(refiner.ainvoke(given))
    assert awaited["graphs"] == graph_values([GOOD, GOOD])
    assert (awaited["calls"], awaited["undecided"], awaited["stopped"], awaited["failures"]) == (1, 0, "", [])
    assert [change["by"] for change in awaited["changes"]] == ["exact", "model"]
    assert refiner.invoke(given) == awaited


async def _invoked_in_a_loop(refiner: Any, given: Any) -> Any:
    return refiner.invoke(given)


def test_refiner_can_be_invoked_where_a_loop_is_running() -> None:
    refiner = tk.agents.refiner(vocabulary=L)
    assert run(_invoked_in_a_loop(refiner, {"graphs": graph_values([SLIP])}))["graphs"] == graph_values([GOOD])
