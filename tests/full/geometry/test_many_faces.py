"""An object of two million faces is reported and measured all the same."""

from __future__ import annotations

import numpy as np
from furnished_rooms import AS_IT_IS, staged

from tsgkit.geometry import OFFICIAL, STRICT, Mesh, Object, collisions, navigability, out_of_bounds, standing, supports


def test_two_million_faces_are_reported_and_measured() -> None:
    side = np.linspace(-0.5, 0.5, 1001)
    x, z = np.meshgrid(side, side)
    vertices = np.stack([x.ravel(), 0.05 * np.sin(9 * x.ravel()), z.ravel()], axis=1)
    a = (np.arange(1000)[:, None] * 1001 + np.arange(1000)).ravel()
    faces = np.concatenate([np.c_[a, a + 1, a + 1002], np.c_[a, a + 1002, a + 1001]])
    cloth = Object("cloth", Mesh.of(vertices, faces), standing(at=(0, 0, 1)))
    for profile in (OFFICIAL, STRICT):
        stage = staged([cloth, AS_IT_IS.thing("far", (1, 1, 1), (2, 2, 0.5))], AS_IT_IS.room(6, 6), profile)
        assert [problem.code for problem in stage.problems] == ["many-faces"]
        assert collisions(stage).hits == ()
        assert out_of_bounds(stage).out == ()
        assert navigability(stage).value is not None
        assert not supports(stage)["cloth"].supported
