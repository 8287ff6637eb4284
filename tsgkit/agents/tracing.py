"""Our own runs of graphs without tracing: what is asked is never posted to a service because a variable is set.

Tracing of a compiled graph that a caller runs, alone or as a node, is the caller's choice.
"""

from __future__ import annotations

from contextlib import AbstractContextManager


def untraced() -> AbstractContextManager[object]:
    """Switch LangSmith's tracing off for what runs inside, whatever the environment says; that stays as it is."""
    from langsmith import tracing_context

    return tracing_context(enabled=False)
