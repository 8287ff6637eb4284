"""Agreement beyond chance of any sets."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.scoring.set_agreement import Presence, SetPair, masi_similarity, presence_kappa, sets_alpha

SETS = st.frozensets(st.sampled_from("abcd"), max_size=4)
PAIRS = st.lists(st.builds(SetPair, SETS, SETS, st.sampled_from("xyz")), max_size=12)
PLACES = st.lists(st.builds(Presence, SETS, SETS, SETS, st.sampled_from("xyz")), max_size=12)


@given(SETS, SETS)
def test_similarity_is_symmetric_and_one_for_equal_sets_alone(first: frozenset[str], second: frozenset[str]) -> None:
    assert masi_similarity(first, second) == masi_similarity(second, first)
    assert (masi_similarity(first, second) == 1.0) == (first == second)
    assert (masi_similarity(first, second) == 0.0) == (first != second and not first & second)


@given(PAIRS)
def test_alpha_is_symmetric_and_within_its_bounds_and_interval(pairs: list[SetPair]) -> None:
    found = sets_alpha(pairs)
    assert sets_alpha(SetPair(one.second, one.first, one.cluster) for one in pairs) == found
    assert found.value is None or -1 - 1e-9 <= found.value <= 1
    if found.interval is not None:
        assert found.value is not None and found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9


@given(PLACES)
def test_kappa_is_symmetric_and_within_its_bounds_and_interval(places: list[Presence]) -> None:
    found = presence_kappa(places)
    assert presence_kappa(one._replace(first=one.second, second=one.first) for one in places) == found
    assert found.value is None or -1 - 1e-9 <= found.value <= 1 + 1e-9
    if found.interval is not None:
        assert found.value is not None and found.interval.low - 1e-9 <= found.value <= found.interval.high + 1e-9


@given(PAIRS)
def test_equal_annotators_agree_fully_or_not_beyond_chance(pairs: list[SetPair]) -> None:
    assert sets_alpha(one._replace(second=one.first) for one in pairs).value in (1.0, None)


@given(PLACES)
def test_equal_annotators_use_the_same_elements(places: list[Presence]) -> None:
    value = presence_kappa(one._replace(second=one.first) for one in places).value
    assert value is None or value == pytest.approx(1.0)
