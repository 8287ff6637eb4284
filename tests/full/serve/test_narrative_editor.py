"""The editor of a narrative in a notebook, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from edited_files import STORY

from tsgkit.errors import UsageError


def test_proposal_that_is_no_narrative_is_refused_at_once() -> None:
    proposals: tuple[Any, ...] = ("story.jsonl", [STORY], STORY.graphs)
    for proposal in proposals:
        with pytest.raises(UsageError, match="proposal: expected a Narrative, found"):
            STORY.edit(proposal)
