"""Shared parts of the agents' LangGraph graphs: nodes with their settings, and a run from the first node to the last.

>>> import asyncio
>>> from typing import TypedDict
>>> class State(TypedDict):
...     text: str
>>> async def shout(state, setting):
...     return {"text": state["text"] + setting}
>>> from langgraph.graph import END, START, StateGraph
>>> builder = StateGraph(State, context_schema=str)
>>> _ = builder.add_node("shout", node(shout)).add_edge(START, "shout").add_edge("shout", END)
>>> seen = []
>>> asyncio.run(ended(builder.compile(), State(text="hey"), "!", 5, lambda name, update: seen.append(name))), seen
({'text': 'hey!'}, ['shout'])

Nodes are never retried and nothing is kept between runs: the door retries, and the run folder records. Our own runs are
not traced, so that nothing is posted to a service because a variable is set; a caller may trace a compiled graph.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar


def untraced() -> AbstractContextManager[object]:
    """Switch LangSmith's tracing off for what runs inside, whatever the environment says; that stays as it is."""
    from langsmith import tracing_context

    return tracing_context(enabled=False)


Update = dict[str, Any]
"""What a node changes of the state."""
Watch = Callable[[str, Update], None]
"""Told of each node that ran, and what it changed."""
State = TypeVar("State")


def node(work: Callable[[Any, Any], Any]) -> Any:  # noqa: ANN401  (LangGraph types nodes by protocols)
    """Return a node that does this work with the state and the setting of its run."""
    from langgraph.runtime import get_runtime

    async def run(state: Any) -> Any:  # noqa: ANN401  (as above)
        return await work(state, get_runtime().context)

    return run


def route(choose: Callable[[Any, Any], str]) -> Callable[[Any], str]:
    """Return an edge that chooses by the state and the setting of its run."""
    from langgraph.runtime import get_runtime

    def chosen(state: Any) -> str:  # noqa: ANN401  (as above)
        return choose(state, get_runtime().context)

    return chosen


async def ended(graph: Any, state: State, setting: object, most_steps: int, watch: Watch | None) -> State:  # noqa: ANN401
    """Return the state in which a compiled graph ends; it is stopped should it ever take more steps than it can
    need."""
    modes = ["updates", "values"]
    with untraced():
        stream = graph.astream(state, {"recursion_limit": most_steps}, context=setting, stream_mode=modes)
        async for kind, value in stream:
            if kind == "values":
                state = value
            elif watch is not None:
                for name, update in value.items():
                    watch(name, update or {})
    return state
