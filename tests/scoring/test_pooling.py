"""Corpus values."""

from __future__ import annotations

import math

import pytest

from tsgkit.scoring import Part, Pooled, Pooling, pool
from tsgkit.scoring.pooling import Totals, cluster_totals

PARTS = [Part(3, 4, "a"), Part(1, 1, "a"), Part(0, 5, "b"), Part(0, 0, "c")]


def test_a_pooled_value_is_the_total_sum_over_the_total_weight() -> None:
    # (3 + 1 + 0) / (4 + 1 + 5)
    assert pool(PARTS, Pooling.POOLED) == Pooled(0.4, Pooling.POOLED, weight=10, items=3, weightless=1, clusters=2)


def test_a_value_per_item_is_the_mean_of_the_items() -> None:
    # (3/4 + 1/1 + 0/5) / 3; the item without weight is no item of the mean
    assert pool(PARTS, Pooling.PER_ITEM).value == pytest.approx(1.75 / 3)


@pytest.mark.parametrize("pooling", Pooling)
@pytest.mark.parametrize("parts", [[], [Part(0, 0, "a")]])
def test_without_weight_there_is_no_value_and_a_reason(parts: list[Part], pooling: Pooling) -> None:
    found = pool(parts, pooling)
    assert found.value is None
    assert found.weightless == len(parts)
    assert found.reason == "no item carries weight, so the metric has no value"


@pytest.mark.parametrize("pooling", Pooling)
def test_a_wrong_answer_counts_and_an_inapplicable_one_does_not(pooling: Pooling) -> None:
    right = [Part(1, 1, "a")]
    assert pool([*right, Part(0, 1, "b")], pooling).value == 0.5
    assert pool([*right, Part(0, 0, "b")], pooling).value == 1


@pytest.mark.parametrize(
    ("total", "weight"), [(1, 0), (1, -1), (math.nan, 1), (math.inf, 1), (1, math.inf), (1, math.nan)]
)
def test_a_part_that_is_no_sum_out_of_a_weight_is_refused(total: float, weight: float) -> None:
    with pytest.raises(ValueError, match="out of"):
        Part(total, weight, "a")


def test_clusters_come_in_order_of_name_and_those_without_weight_are_left_out() -> None:
    assert cluster_totals(reversed(PARTS), Pooling.POOLED) == {"a": Totals(4, 5), "b": Totals(0, 5)}
    assert list(cluster_totals(reversed(PARTS), Pooling.PER_ITEM)) == ["a", "b"]
