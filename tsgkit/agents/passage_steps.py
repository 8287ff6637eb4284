"""The steps of refining one passage, as nodes of a larger graph whose state is plain values.

That state has a field ``work``. In it lie ``passage``, the state of the passage, ``calls``, how many were made about
it, and ``asked``, how many before it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tsgkit.agents.graph_values import finding_values, public_node
from tsgkit.agents.passages import Passage
from tsgkit.agents.plain_state import plain_fields, restored_state
from tsgkit.agents.refinement import (
    GROWING,
    Choose,
    Refined,
    Setting,
    State,
    Work,
    add_steps,
    after_start,
    begun,
    refined_from,
)

Update = dict[str, Any]
SettingOf = Callable[[Mapping[str, Any]], tuple[Setting, int]]
"""Returns what stays the same while the passage in work is refined, and the number of its first graph."""


def passage_begun(passage: Passage | None, asked: int) -> Update:
    """Return the fields of the work on a passage before its first step; None where there is none."""
    state = {} if passage is None else plain_fields(State, begun(passage))
    return {"passage": state, "calls": 0, "asked": asked}


def passage_refined(work: Mapping[str, Any], setting: Setting) -> Refined:
    """Return what refining a passage came to."""
    return refined_from(restored_state(State, work["passage"]), setting)


def first_step(work: Mapping[str, Any], setting: Setting) -> str:
    """Return the first step of a passage."""
    return after_start(work["passage"], setting)


def add_passage_steps(builder: Any, setting_of: SettingOf, end: str) -> None:  # noqa: ANN401
    """Add the steps of refining a passage to a graph that is being built; ``end`` is the node after the last."""

    def choice(choose: Choose) -> Callable[[Mapping[str, Any]], str]:
        return lambda state: choose(state["work"]["passage"], setting_of(state)[0])

    add_steps(builder, lambda work: public_node(work.__name__, _step(work, setting_of)), choice, end)


def _step(work: Work, setting_of: SettingOf) -> Any:  # noqa: ANN401
    async def run(state: Mapping[str, Any]) -> Update:
        setting, start = setting_of(state)
        known, before = state["work"], state["work"]["passage"]
        changed = await work(restored_state(State, before), setting)
        update = plain_fields(State, changed)
        update |= {name: before[name] + update[name] for name in GROWING if name in update}
        calls = 0 if setting.voice is None else setting.voice.calls
        findings = {"findings": finding_values(changed["findings"], start)} if "findings" in changed else {}
        return {
            "work": known | {"passage": before | update, "calls": calls},
            "calls": known["asked"] + calls,
            **findings,
        }

    return run
