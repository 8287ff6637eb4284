"""Tests of the scenes and their groups, the sub-domains, and the scores of domains and overall."""

from __future__ import annotations

from collections import Counter

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.terms import (
    DOMAINS,
    GROUPS,
    MEANING,
    PUBLISHED,
    SCENES,
    SUB_DOMAINS,
    aggregates,
    domain_of,
    group_of,
    published_scene,
)

QWEN_IMAGE = dict(zip(SUB_DOMAINS, (61.0, 77.2, 55.6, 56.7, 69.7, 28.6, 67.7, 30.8, 78.1, 80.2), strict=True))
"""The published figures of one image model by sub-domain."""
NO_IMAGE = (7.3, 19.2, 13.5, 28.1, 16.9)


def test_the_published_domains_and_overall_score_follow_from_the_published_sub_domains() -> None:
    found = aggregates(QWEN_IMAGE)
    published = {"Foundation": 69.1, "Perception": 60.7, "Reasoning": 42.4, "Interaction": 79.2}
    assert {name: pytest.approx(value, abs=0.0501) for name, value in published.items()} == found.domains
    assert found.overall == pytest.approx(60.6, abs=0.0501)
    assert found.sub_domains == QWEN_IMAGE
    *domains, overall = NO_IMAGE
    scores = {name: domains[place] for place, names in enumerate(DOMAINS.values()) for name in names}
    assert aggregates(scores).overall == pytest.approx(overall, abs=0.06), "the mean of the ten and not of the four"
    assert sum(domains) / 4 == pytest.approx(17.025)
    lacking = aggregates({name: score for name, score in QWEN_IMAGE.items() if name != "Layout"})
    assert lacking.domains["Perception"] is lacking.overall is lacking.sub_domains["Layout"] is None
    assert lacking.domains["Reasoning"] is not None


def test_every_sub_domain_has_a_domain_and_every_scene_a_group() -> None:
    assert (len(SUB_DOMAINS), tuple(MEANING)) == (10, SUB_DOMAINS)
    assert {domain_of(name) for name in SUB_DOMAINS} == set(DOMAINS)
    assert domain_of("Colour") is None
    assert len(SCENES) == len(set(SCENES)) == 25
    assert Counter(map(group_of, SCENES)) == {group: len(scenes) for group, scenes in GROUPS.items()}
    sizes = {group: sum(PUBLISHED[scene] for scene in scenes) for group, scenes in GROUPS.items()}
    assert sizes == {"Nature": 350, "Human": 150, "Indoor": 200, "Outdoor": 400, "Design": 130}
    for name, hint in (("Forrest", "Forest?"), ("Moon", "the scenes: Forest, Mountain")):
        with pytest.raises(UsageError, match="there is no scene") as found:
            group_of(name)
        assert found.value.hint.startswith(hint)


def test_published_rows_are_ordered_by_scene() -> None:
    assert Counter(map(published_scene, range(1, 1231))) == PUBLISHED
    for number, scene in {
        0: None,
        50: "Forest",
        51: "Mountain",
        999: "Shopping Mall",
        1000: "Library",
        1050: "Library",
        1051: "Cafe",
        1231: None,
    }.items():
        assert published_scene(number) == scene, number
