"""Tests of the scenes, their groups and the published order."""

from __future__ import annotations

from collections import Counter

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.terms import GROUPS, PUBLISHED, SCENES, group_of, published_scene


def test_there_are_25_scenes_in_groups_of_the_published_sizes() -> None:
    assert len(SCENES) == len(set(SCENES)) == 25
    sizes = {group: sum(PUBLISHED[scene] for scene in scenes) for group, scenes in GROUPS.items()}
    assert sizes == {"Nature": 350, "Human": 150, "Indoor": 200, "Outdoor": 400, "Design": 130}


def test_every_scene_has_its_group() -> None:
    assert Counter(map(group_of, SCENES)) == {group: len(scenes) for group, scenes in GROUPS.items()}


@pytest.mark.parametrize(("name", "hint"), [("Forrest", "Forest?"), ("Moon", "the scenes: Forest, Mountain")])
def test_unknown_scene_hints_at_a_similar_name(name: str, hint: str) -> None:
    with pytest.raises(UsageError, match="there is no scene") as found:
        group_of(name)
    assert found.value.hint.startswith(hint)


def test_published_rows_are_ordered_by_scene() -> None:
    assert Counter(map(published_scene, range(1, 1231))) == PUBLISHED
    assert [published_scene(number) for number in (50, 51, 999, 1000, 1050, 1051)] == [
        "Forest",
        "Mountain",
        "Shopping Mall",
        "Library",
        "Library",
        "Cafe",
    ]
    assert published_scene(0) is published_scene(1231) is None
