"""Ray casting against triangles: the distance to the first face.

>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> Rays(cube.vertices, cube.faces).first([[0.1, 0.2, 3], [5, 0, 3]], [0, 0, -1]).round(6).tolist()
[2.5, inf]
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from tsgkit.geometry.libraries import mesh_construction, np, rtcore, rtcore_scene

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats, Ints

FAR = 1e30


@cache
def device() -> Any:  # noqa: ANN401  (embreex ships no types)
    """Return the device of this process, one for all surfaces: thousands of them bring the process down."""
    return rtcore.EmbreeDevice()


class Rays:
    """A surface for ray casting. Coordinates are centred because Embree has single precision."""

    def __init__(self, vertices: Floats, faces: Ints) -> None:
        corners = vertices[faces]
        self._middle = (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
        self._scene = rtcore_scene.EmbreeScene(device())
        self._mesh = mesh_construction.TriangleMesh(self._scene, (corners - self._middle).astype(np.float32))

    def first(self, origins: object, directions: object) -> Floats:
        """Metres along each direction (of any length, one for all or one each) to the first face; inf where none is."""
        starts = np.asarray(origins, dtype=float).reshape(-1, 3) - self._middle
        ways = np.broadcast_to(np.asarray(directions, dtype=float), starts.shape)
        lengths = np.linalg.norm(ways, axis=1, keepdims=True)
        unit = np.ascontiguousarray(ways / lengths, dtype=np.float32)
        far = self._scene.run(np.ascontiguousarray(starts, dtype=np.float32), unit, query="DISTANCE")
        return np.where(far < FAR, far.astype(float), np.inf)
