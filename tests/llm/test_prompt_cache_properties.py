"""Marks for prompt caches leave every text as it is."""

from __future__ import annotations

import copy

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage

from tsgkit.llm.door import as_dicts
from tsgkit.llm.images import MARK
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of

TEXTS = st.lists(st.sampled_from(["a", "rules", "\n\n", "\n", "\n\n\n", "", "é"]), max_size=8).map("".join)


def text_in(content: str | list[dict[str, str]]) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


@given(texts=st.lists(st.tuples(TEXTS, st.integers(0, 12)), min_size=1, max_size=6), role=st.booleans())
def test_marks_leave_every_text_as_it_is(texts: list[tuple[str, int]], role: bool) -> None:
    marks = PromptMarks()
    for text, stable in texts:
        human = HumanMessage(text, additional_kwargs={STABLE: min(stable, len(text))})
        messages: list[BaseMessage] = [SystemMessage("Judge."), human] if role else [human]
        prompt = as_dicts(messages)
        before = copy.deepcopy(prompt)
        sent = marks.added(prompt, stable_of(messages))
        assert prompt == before
        assert [(one["role"], text_in(one["content"])) for one in sent] == [
            (one["role"], one["content"]) for one in prompt
        ]
        parts = [part for one in sent if isinstance(one["content"], list) for part in one["content"]]
        assert all(part["text"] for part in parts)
        assert sum(MARK in part for part in parts) <= 3
