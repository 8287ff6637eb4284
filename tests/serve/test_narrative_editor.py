"""The editor of a narrative in a notebook, without a browser."""

from __future__ import annotations

from typing import Any

import pytest
from edited_files import STORY

from tsgkit.errors import UsageError

pytest.importorskip("anywidget", reason="the extra notebook is not installed")


@pytest.mark.parametrize("proposal", ["story.jsonl", [STORY], STORY.graphs])
def test_a_proposal_that_is_no_narrative_is_refused_at_once(proposal: Any) -> None:  # noqa: ANN401
    with pytest.raises(UsageError, match="proposal: expected a Narrative, found"):
        STORY.edit(proposal)
