"""Steps of refining one passage, as nodes of a larger graph with plain values as state.

The state has two fields for them. ``around`` is the passage as given. ``work`` contains ``passage``, its state;
``start``, the number of its first graph; ``sample``, the name under which the model is asked; ``calls``, the number of
calls; and ``asked``, the number of calls before this passage.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tsgkit.agents.effort import Effort
from tsgkit.agents.graph_values import finding_values, public_node
from tsgkit.agents.passages import Passage
from tsgkit.agents.plain_state import plain, plain_fields, restored, restored_state
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
from tsgkit.llm.asker import Asker, TextAsk, ask_for

Update = dict[str, Any]
NO_WORK: Update = {"around": {}, "work": {}}


def passage_begun(passage: Passage, start: int, sample: str, asked: int) -> Update:
    """Return the two fields before the first step of a passage."""
    state = plain_fields(State, begun(passage))
    work = {"passage": state, "start": start, "sample": sample, "calls": 0, "asked": asked}
    return {"around": plain(Passage, passage), "work": work}


def passage_setting(state: Mapping[str, Any], asker: Asker | None, effort: Effort) -> Setting:
    """Return what stays the same while the passage in work is refined."""
    work = state["work"]
    voice = None if asker is None else TextAsk(ask_for(asker, work["sample"]), work["calls"])
    return Setting(restored(Passage, state["around"]), effort, voice)


def passage_refined(state: Mapping[str, Any], asker: Asker | None, effort: Effort) -> Refined:
    """Return what refining a passage came to."""
    return refined_from(restored_state(State, state["work"]["passage"]), passage_setting(state, asker, effort))


def first_step(state: Mapping[str, Any], effort: Effort) -> str:
    """Return the first step of the passage in work."""
    return after_start(state["work"]["passage"], _of_no_passage(effort))


def add_passage_steps(builder: Any, asker: Asker | None, effort: Effort, end: str) -> None:  # noqa: ANN401
    """Add the steps of refining a passage to a graph that is being built; ``end`` is the node after the last."""

    def choice(choose: Choose) -> Callable[[Mapping[str, Any]], str]:
        return lambda state: choose(state["work"]["passage"], _of_no_passage(effort))

    add_steps(builder, lambda work: public_node(work.__name__, _step(work, asker, effort)), choice, end)


def _of_no_passage(effort: Effort) -> Setting:
    """Return a setting for edges, which look at the effort alone."""
    return Setting(Passage(()), effort, None)


def _step(work: Work, asker: Asker | None, effort: Effort) -> Any:  # noqa: ANN401
    async def run(state: Mapping[str, Any]) -> Update:
        setting = passage_setting(state, asker, effort)
        known, before = state["work"], state["work"]["passage"]
        changed = await work(restored_state(State, before), setting)
        update = plain_fields(State, changed)
        update |= {name: before[name] + update[name] for name in GROWING if name in update}
        calls = 0 if setting.voice is None else setting.voice.calls
        result = {"work": known | {"passage": before | update, "calls": calls}, "calls": known["asked"] + calls}
        if "findings" in changed:
            result["findings"] = finding_values(changed["findings"], known["start"])
        return result

    return run
