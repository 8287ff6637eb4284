"""Properties of the places of triplets in replies."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.graph.reading.answers import GraphAnswer, read_graphs
from tsgkit.replies import Unreadable

PIECES = st.sampled_from(
    ["person", "verb", "lift", " -> ", ", ", "\r\n", "\n", "[", "]", '"', ": ", "(", ")", "|", "é"]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_places_lie_in_the_reply_in_order_and_hold_something(reply: str) -> None:
    answer = read_graphs(reply, 2)
    spans = answer.spans if isinstance(answer, GraphAnswer) else ()
    assert isinstance(answer, Unreadable) or spans
    assert all(0 <= start < end <= len(reply) and reply[start:end].strip() for start, end in spans)
    assert list(spans) == sorted(set(spans))
