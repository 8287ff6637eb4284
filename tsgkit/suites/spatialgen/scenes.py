"""The scenes pictures are made of: 25 names in five groups, in the published order.

>>> group_of("Kitchen"), GROUPS["Design"]
('Indoor', ('Advertisement Design', 'Cartoon Design', 'Story Design'))
>>> published_scene(604)
'Kitchen'
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate

from tsgkit.errors import UsageError
from tsgkit.lexicon import only_near

GROUPS = {
    "Nature": ("Forest", "Mountain", "Beach", "Desert", "Underwater", "Cityspace", "Village"),
    "Human": ("Portrait", "Human Activities", "Sports"),
    "Indoor": ("Office", "Living Room", "Kitchen", "Classroom"),
    "Outdoor": (
        "Park",
        "Zoo",
        "Airport",
        "Railway Station",
        "Art Gallery",
        "Shopping Mall",
        "Library",
        "Cafe",
    ),
    "Design": ("Advertisement Design", "Cartoon Design", "Story Design"),
}
SCENES = tuple(scene for scenes in GROUPS.values() for scene in scenes)
UNEVEN = {"Story Design": 30, "Shopping Mall": 49, "Library": 51}
PUBLISHED = {scene: UNEVEN.get(scene, 50) for scene in SCENES}
"""How many prompts of each scene the published data have; one of the mall appears to be filed under the library."""
_HOME = {scene: group for group, scenes in GROUPS.items() for scene in scenes}
_ENDS = tuple(accumulate(PUBLISHED.values()))


def group_of(scene: str) -> str:
    """The group of a scene."""
    if scene not in _HOME:
        near = only_near(scene, SCENES)
        hint = f"{near.name}?" if near else f"the scenes: {', '.join(SCENES)}"
        raise UsageError(f"there is no scene {scene!r}", hint=hint)
    return _HOME[scene]


def published_scene(number: int) -> str | None:
    """The scene that the published row of this number (from 1) belongs to; None beyond their end."""
    return SCENES[bisect_left(_ENDS, number)] if 1 <= number <= _ENDS[-1] else None
