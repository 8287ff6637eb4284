"""Review of proposed changes by a person: accept, reject or edit, stop, and resume later.

>>> import tempfile
>>> from pathlib import Path
>>> from tsgkit.graph.model import Triplet
>>> slip = Triplet("wash", "verb", "person")
>>> change = Change(0, slip, slip.reversed, "verb-source", "verb starts at wash")
>>> place = Path(tempfile.mkdtemp()) / "review.sqlite"
>>> with Review(place, [proposal(change, "0")]) as review:
...     review.pending["reason"], review.decide(REJECT)
('verb starts at wash', None)
>>> with Review(place, [proposal(change, "0")]) as review:
...     review.pending, [one["decision"] for one in review.decisions]
(None, ['reject'])

Each proposal is an interrupt of a LangGraph whose state is in an SQLite file. The same proposals find their decisions
again; other proposals start a new review in the same file.
"""

from __future__ import annotations

import hashlib
import json
import operator
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TypedDict

from tsgkit.agents.steps import untraced
from tsgkit.errors import FileProblem, UsageError
from tsgkit.graph.edits import exchanged
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.repairs import Change

ACCEPT, REJECT, EDIT = "accept", "reject", "edit"
Proposal = dict[str, Any]
Decision = dict[str, Any]
ACCEPTED: Decision = {"decision": ACCEPT, "after": None}


class State(TypedDict):
    """The proposals, and the decisions about the first of them."""

    proposals: list[Proposal]
    decisions: Annotated[list[Decision], operator.add]


def proposal(change: Change, item: str) -> Proposal:
    """Return a change as it is kept and shown."""
    return {
        "item": item,
        "graph": change.graph,
        "before": None if change.before is None else list(change.before),
        "after": None if change.after is None else list(change.after),
        "code": change.code,
        "reason": change.reason,
        "by": change.by,
    }


def look(state: State) -> dict[str, list[Decision]]:
    """Show the next proposal and wait; nothing is done before the answer, since this runs again from its start."""
    from langgraph.types import interrupt

    return {"decisions": [interrupt(state["proposals"][len(state["decisions"])])]}


def after_look(state: State) -> str:
    """Return the next proposal, if there is one."""
    return "look" if len(state["decisions"]) < len(state["proposals"]) else "end"


class Review:
    """A review in progress, stored in a file."""

    def __init__(self, path: Path, proposals: Sequence[Proposal]) -> None:
        """Start or resume the review."""
        self._path = path
        self._connection = _connected(path)
        self._graph = _compiled(self._connection)
        name = hashlib.sha256(json.dumps(list(proposals)).encode()).hexdigest()[:16]
        self._config = {"configurable": {"thread_id": name}, "recursion_limit": len(proposals) + 2}
        if proposals and not self._state:
            with untraced():
                self._graph.invoke({"proposals": list(proposals), "decisions": []}, self._config)

    @property
    def _state(self) -> dict[str, Any]:
        values: dict[str, Any] = self._graph.get_state(self._config).values
        return values

    @property
    def decisions(self) -> list[Decision]:
        """The decisions, in the order of the proposals."""
        return list(self._state.get("decisions", []))

    @property
    def pending(self) -> Proposal | None:
        """The next proposal; None where all are decided."""
        proposals: list[Proposal] = self._state.get("proposals", [])
        done = len(self.decisions)
        return proposals[done] if done < len(proposals) else None

    def decide(self, decision: str, after: Sequence[str] | None = None, note: str = "") -> None:
        """Accept or reject the next proposal, or put another triplet in its place."""
        from langgraph.types import Command

        if decision not in (ACCEPT, REJECT, EDIT):
            raise UsageError(f"there is no decision {decision}", hint=f"{ACCEPT}, {REJECT} or {EDIT}")
        if decision == EDIT and (after is None or len(after) != 3):
            raise UsageError("an edit is a triplet", hint="source -> edge -> target")
        if self.pending is None:
            raise UsageError("there is nothing left to decide")
        value = {"decision": decision, "after": None if after is None else list(after)}
        if note:
            value["note"] = note
        try:
            with untraced():
                self._graph.invoke(Command(resume=value), self._config)
        except sqlite3.Error as error:
            raise FileProblem(f"{self._path}: the decision could not be kept: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()

    def __enter__(self) -> Review:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _connected(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, check_same_thread=False)
        with closing(connection.execute("pragma schema_version")) as found:
            found.fetchone()
    except sqlite3.Error as error:
        hint = "name an output in a folder that can be written"
        raise FileProblem(f"{path}: no review can be kept here: {error}", hint=hint) from None
    return connection


def _compiled(connection: sqlite3.Connection) -> Any:  # noqa: ANN401  (LangGraph's type names its own generics)
    from langgraph.checkpoint.sqlite import SqliteSaver
    from langgraph.graph import END, START, StateGraph

    builder = StateGraph(State)
    builder.add_node("look", look)
    builder.add_edge(START, "look")
    builder.add_conditional_edges("look", after_look, {"look": "look", "end": END})
    return builder.compile(checkpointer=SqliteSaver(connection), name="review")


def decided(
    graph: ActionGraph, cleaned: ActionGraph, changes: Sequence[Change], decisions: Sequence[Decision]
) -> tuple[ActionGraph, tuple[Change, ...]]:
    """Return a graph after a person decided about its changes, and the changes that were really made."""
    if all(one["decision"] == ACCEPT for one in decisions):
        return cleaned, tuple(changes)
    return _decided(graph, changes, decisions)


def before_and_after(
    graph: ActionGraph, changes: Sequence[Change], decisions: Sequence[Decision], decision: Decision = ACCEPTED
) -> tuple[ActionGraph, ActionGraph]:
    """Return a graph as it was decided so far, and as a decision about the next change would make it."""
    before, _ = _decided(graph, changes[: len(decisions)], decisions)
    after, _ = _decided(before, [changes[len(decisions)]], [decision])
    return before, after


def _decided(
    graph: ActionGraph, changes: Sequence[Change], decisions: Sequence[Decision]
) -> tuple[ActionGraph, tuple[Change, ...]]:
    made = list[Change]()
    for change, decision in zip(changes, decisions, strict=True):
        if decision["decision"] == REJECT or (change.before is not None and change.before not in graph):
            continue  # what a rejected change would have made cannot be changed any further
        if decision["decision"] == EDIT:
            change = replace(change, after=Triplet(*decision["after"]), by="reviewer", sure=None)
        graph = exchanged(graph, change.before, change.after)
        made.append(change)
    return graph, tuple(made)
