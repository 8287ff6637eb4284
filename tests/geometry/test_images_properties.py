"""Properties of every rendered image: cameras frame their subjects, and rotating a whole scene changes nothing."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy", reason="rooms need the extra: scenes")
pytest.importorskip("embreex", reason="rooms need the extra: scenes")
pytest.importorskip("shapely", reason="rooms need the extra: scenes")

import numpy as np
from furnished_rooms import Turn, staged
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.geometry import RenderedImage, framing, view
from tsgkit.geometry.views import VIEWS, View

lengths = st.floats(0.01, 5)
places = st.floats(-50, 50)
shares = st.floats(-1, 1)


@given(
    points=st.lists(st.tuples(places, places, places), min_size=2, max_size=30, unique=True),
    back=st.tuples(shares, shares, shares).filter(lambda way: np.hypot(way[0], way[1]) > 0.05),
)
def test_every_point_is_in_the_frame_and_before_the_camera(
    points: list[tuple[float, float, float]], back: tuple[float, float, float]
) -> None:
    spread = float(np.ptp(np.array(points), axis=0).max())
    if spread < 1e-3:
        return
    camera = framing(points, back)
    depths = -((np.array(points) - camera.eye) @ camera.axes[:, 2])
    assert depths.min() > 0
    seen = camera.pixels(points, 100)
    assert seen.min() >= -1e-6
    assert seen.max() <= 100 + 1e-6


def taken(turn: Turn, size: tuple[float, float, float], kind: View) -> RenderedImage:
    desk = turn.thing("desk", size, (0.3, -0.2, size[2] / 2), yaw=25)
    cup = turn.thing("cup", (0.1, 0.12, 0.1), (0.3, -0.2, size[2] + 0.05), yaw=70)
    return view(staged([desk, cup], turn.room(8, 8)), kind, "desk", 48)


@pytest.mark.slow
@given(
    yaw=st.floats(-180, 180),
    shift=st.tuples(places, places, st.floats(-3, 3)),
    size=st.tuples(lengths, lengths, lengths),
    kind=st.sampled_from(["front", "figure", "surroundings"]),
)
def test_turning_and_moving_a_room_as_one_changes_no_image(
    yaw: float, shift: tuple[float, float, float], size: tuple[float, float, float], kind: View
) -> None:
    here, there = taken(Turn(), size, kind), taken(Turn(yaw, shift), size, kind)
    assert here.names == there.names
    assert (here.surfaces != there.surfaces).mean() < 0.02


@settings(max_examples=30)
@given(size=st.tuples(lengths, lengths, lengths), kind=st.sampled_from(VIEWS))
def test_a_image_says_the_same_of_each_pixel_in_every_layer(size: tuple[float, float, float], kind: View) -> None:
    image = taken(Turn(), size, kind)
    shown = image.surfaces >= 0
    assert np.array_equal(np.isfinite(image.depth), shown)
    assert np.allclose(np.linalg.norm(image.normals, axis=2), shown, atol=1e-3)
    ways = image.camera.ways(48).reshape(48, 48, 3)
    assert (np.einsum("ijk,ijk->ij", image.normals, ways) <= 1e-6).all(), "normals look at the viewer"
    assert image.surfaces.max() < len(image.names)
