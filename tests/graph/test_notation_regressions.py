"""Graphs and narratives that were once written wrongly."""

from __future__ import annotations

import pytest

from tsgkit.errors import CannotCarry
from tsgkit.graph.model import Description, Narrative, Vocabulary
from tsgkit.graph.notation import narratives

HALF = "half of a pair \ud83d"


@pytest.mark.parametrize(
    "narrative",
    [
        Narrative((Description(HALF),)),
        Narrative(id=HALF),
        Narrative(vocabulary=Vocabulary((HALF,))),
        Narrative(summaries=(HALF,)),
        Narrative(facts=(("split", HALF),)),
    ],
)
def test_a_narrative_with_text_that_no_file_can_hold_is_refused(narrative: Narrative) -> None:
    with pytest.raises(CannotCarry, match="surrogate"):
        narratives.write(narrative)
