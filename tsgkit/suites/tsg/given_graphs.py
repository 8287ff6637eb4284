"""Rows of graphs to mend that a model wrote: those of generation tasks with a field ``given``.

>>> row = {"graphs": [{"triplets": [["person", "verb", "wash"]]}],
...        "given": {"number": 0, "triplets": [["person", "verb", "dry"]], "subject": "openai/x"}}
>>> given_in(row, "7").graph == ActionGraph.of(("person", "verb", "dry"))
True

``number`` is the place of the reference among the row's graphs, ``triplets`` the graph as it was written; ``subject``,
``solver``, ``style``, ``repeat``, ``task`` and ``item_id`` name who wrote it, and to what item.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StrictInt, StrictStr, ValidationError

from tsgkit.errors import NotationError
from tsgkit.graph.model import ActionGraph, Triplet

GIVEN = "given"


class GivenGraph(BaseModel):
    """A graph as it was written, the place of its reference, and who wrote it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    number: Annotated[StrictInt, Field(ge=0)]
    triplets: Annotated[list[Annotated[list[StrictStr], Field(min_length=3, max_length=3)]], Field(min_length=1)]
    subject: StrictStr = ""
    solver: StrictStr = ""
    style: StrictStr = ""
    repeat: StrictInt = 0
    task: StrictStr = ""
    item_id: StrictStr = ""

    @property
    def graph(self) -> ActionGraph:
        """The graph as it was written."""
        return ActionGraph(Triplet(*triplet) for triplet in self.triplets)


def given_in(row: Mapping[str, Any], item: str) -> GivenGraph | None:
    """Return the graph that a row gives, None if it gives none; ``NotationError`` where it cannot be used."""
    if GIVEN not in row:
        return None
    try:
        found = GivenGraph.model_validate(row[GIVEN])
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, (GIVEN, *first["loc"])))
        raise NotationError(f"item {item}: {where}: {first['msg']}") from None
    if found.number >= len(row["graphs"]):
        there = f"the row has {len(row['graphs'])} graphs, counted from 0"
        raise NotationError(f"item {item}: {GIVEN}.number: {found.number}, and {there}")
    return found
