"""Profiles of measurement: as the published tool (``OFFICIAL``), or as it should be (``STRICT``).

>>> OFFICIAL.scaled_boxes, STRICT.scaled_boxes
(False, True)

Every difference between the two is a named choice here; code asks for the choice, never for the profile's name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Profile:
    """The choices in which the two profiles differ; those of ``strict`` are the defaults.

    * ``floor_from_file``: floors lie where the file says; else at the lowest corner of any object.
    * ``fronts_from_file``: an object's front is where its file says; else always where assets usually have it.
    * ``scaled_boxes``: axes are unit vectors and boxes have their real size; else axes carry the object's scale.
    * ``even_points``: boxes and surfaces are measured at evenly spread points, the same for every scene; else at seeded
      random ones, as many as published.
    * ``exact_gaps``: distances are those between surfaces; else the least over points sampled in the smaller box.
    * ``solids``: collision means that solids overlap deeper than the tolerance, along any way out; else the published
      test of surfaces or hulls, repeated after a push of 5 mm away from the mean contact.
    * ``walls_are_solid``: objects that stick in walls collide, and walls block paths where they have no door.
    * ``support_gap``: metres within which something holds an object; generators hang things a centimetre off a wall.
    * ``rugs_exempt``: flat floor coverings, by name or by shape (below 3 cm), neither collide nor block.
    * ``exact_areas``: shares of the floor, of strips and of surfaces are exact polygon areas; else pixels and points.
    * ``slanted_walls``: walls run from their start to their end; else only along x or y.
    * ``every_floor``: a wall's front looks into any room; else only the last floor of the list is asked.
    * ``ceiling_holds``: what touches the ceiling and stands on nothing hangs from it, whatever is said to hold it; else
      only what is said to.
    * ``nearest_element``: distances to "the wall" are those to the nearest one; else the best score over all counts.
    * ``self_pairs``: an object may be its own anchor, and a pair of one category is seen twice.
    """

    name: str
    floor_from_file: bool = True
    fronts_from_file: bool = True
    scaled_boxes: bool = True
    even_points: bool = True
    exact_gaps: bool = True
    solids: bool = True
    walls_are_solid: bool = True
    support_gap: float = 0.02
    rugs_exempt: bool = True
    exact_areas: bool = True
    slanted_walls: bool = True
    every_floor: bool = True
    ceiling_holds: bool = True
    nearest_element: bool = True
    self_pairs: bool = False


OFFICIAL = Profile(
    name="official",
    floor_from_file=False,
    fronts_from_file=False,
    scaled_boxes=False,
    even_points=False,
    exact_gaps=False,
    solids=False,
    walls_are_solid=False,
    support_gap=0.005,
    rugs_exempt=False,
    exact_areas=False,
    slanted_walls=False,
    every_floor=False,
    ceiling_holds=False,
    nearest_element=False,
    self_pairs=True,
)
STRICT = Profile("strict")
PROFILES = {profile.name: profile for profile in (OFFICIAL, STRICT)}
