"""Tests of the scores of domains and the overall score."""

from __future__ import annotations

import pytest

from tsgkit.suites.spatialgen.terms import DOMAINS, MEANING, SUB_DOMAINS, aggregates, domain_of

QWEN_IMAGE = dict(zip(SUB_DOMAINS, (61.0, 77.2, 55.6, 56.7, 69.7, 28.6, 67.7, 30.8, 78.1, 80.2), strict=True))
"""The published figures of one image model by sub-domain."""
NO_IMAGE = (7.3, 19.2, 13.5, 28.1, 16.9)


def test_the_published_domains_and_overall_score_follow_from_the_published_sub_domains() -> None:
    found = aggregates(QWEN_IMAGE)
    published = {"Foundation": 69.1, "Perception": 60.7, "Reasoning": 42.4, "Interaction": 79.2}
    assert {name: pytest.approx(value, abs=0.0501) for name, value in published.items()} == found.domains
    assert found.overall == pytest.approx(60.6, abs=0.0501)
    assert found.sub_domains == QWEN_IMAGE


def test_overall_is_the_mean_of_the_ten_and_not_of_the_four() -> None:
    *domains, overall = NO_IMAGE
    scores = {name: domains[place] for place, names in enumerate(DOMAINS.values()) for name in names}
    assert aggregates(scores).overall == pytest.approx(overall, abs=0.06)
    assert sum(domains) / 4 == pytest.approx(17.025)


def test_mean_with_a_missing_part_is_none() -> None:
    found = aggregates({name: score for name, score in QWEN_IMAGE.items() if name != "Layout"})
    assert found.domains["Perception"] is found.overall is found.sub_domains["Layout"] is None
    assert found.domains["Reasoning"] is not None


def test_every_sub_domain_has_a_domain_and_a_meaning() -> None:
    assert len(SUB_DOMAINS) == 10
    assert tuple(MEANING) == SUB_DOMAINS
    assert {domain_of(name) for name in SUB_DOMAINS} == set(DOMAINS)
    assert domain_of("Colour") is None
