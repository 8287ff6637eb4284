"""A tally keeps what samples contribute, in their order, and counts everything."""

from __future__ import annotations

import pytest

from tsgkit.scoring.outcomes import COUNTS
from tsgkit.scoring.pooling import Part
from tsgkit.scoring.score import Score
from tsgkit.scoring.tally import Tally


def tally() -> Tally:
    return Tally({"strict": ["f1", "exact"], "official": ["f1"]})


def test_parts_stand_in_the_order_they_came_with_their_clusters() -> None:
    one = tally()
    for number, cluster in enumerate(("b", "a", "b")):
        one.add(cluster, {"strict": {"f1": Score(number, 2)}, "official": {"f1": Score(1, 1)}}, {"items": 1})
    assert [*one.parts("strict", "f1")] == [Part(0, 2, "b"), Part(1, 2, "a"), Part(2, 2, "b")]
    assert [*one.parts("official", "f1")] == [Part(1, 1, "b"), Part(1, 1, "a"), Part(1, 1, "b")]
    assert one.n == 3


def test_a_sample_without_a_score_has_no_weight_and_still_counts() -> None:
    one = tally()
    one.add("a", {"strict": {"f1": Score.missing("no graph"), "other": Score(1, 1)}}, {"items": 1, "empty": 1})
    one.add("a", {"strict": {"f1": Score.missing("another reason")}}, {"items": 1})
    assert [*one.parts("strict", "f1")] == [*one.parts("official", "f1")] == [Part(0, 0, "a")] * 2
    assert (one.n, one.counts["items"], one.counts["empty"]) == (2, 2, 1)
    assert one.reasons == {("strict", "f1"): "no graph"}, "the first reason met"


def test_the_shared_counts_come_first_and_in_their_order() -> None:
    one = tally()
    one.add("", {}, {"too_large": 2, "answered": 1, "items": 1})
    assert list(one.counts) == [*COUNTS, "too_large"]
    assert one.counts["too_large"] == 2


def test_an_empty_tally_has_no_parts_and_all_counts() -> None:
    assert (tally().n, list(tally().parts("strict", "f1")), set(tally().counts.values())) == (0, [], {0})


def test_parts_are_a_sequence() -> None:
    one = tally()
    one.add("tea", {"strict": {"f1": Score(1, 2)}}, {})
    one.add("tin", {"strict": {"f1": Score(0, 3)}}, {})
    parts = one.parts("strict", "f1")
    assert (len(parts), parts[-1], parts[:1]) == (2, Part(0, 3, "tin"), [Part(1, 2, "tea")])
    with pytest.raises(IndexError):
        parts[2]
