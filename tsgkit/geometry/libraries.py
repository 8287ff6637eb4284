"""The libraries this room stands on, each imported when it is first used and named plainly when it is missing.

``from tsgkit.geometry.libraries import np`` costs nothing; ``np.zeros`` imports numpy. So ``tsgkit --help`` stays
instant, and a base install learns what to add only when somebody really asks about a room.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    import fcl
    import numpy as np
    import scipy.ndimage as ndimage
    import scipy.sparse as sparse
    import scipy.sparse.csgraph as csgraph
    import scipy.spatial as spatial
    import shapely
    import trimesh
    from embreex import mesh_construction, rtcore_scene
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Bytes = NDArray[np.uint8]
    Singles = NDArray[np.float32]

__all__ = [
    "check_libraries",
    "csgraph",
    "fcl",
    "mesh_construction",
    "ndimage",
    "np",
    "rtcore_scene",
    "shapely",
    "sparse",
    "spatial",
    "trimesh",
]

ALL = ("numpy", "scipy", "shapely", "trimesh", "fcl", "embreex.rtcore_scene")


class Library:
    """Stands for a module until one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):  # asked by doctest and inspect, which want to look, not to use
            raise AttributeError(name)
        found = getattr(_imported(self._name), name)
        self.__dict__[name] = found
        return found


def _imported(name: str) -> ModuleType:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise UsageError(
            f"rooms are measured with {name.split('.')[0]}, which is not installed",
            hint='install the extra: pip install "tsgkit[scenes]"',
        ) from error


def check_libraries(names: Iterable[str] = ALL) -> None:
    """``UsageError`` where one is missing: what some of them measure alone would look like a verdict on a room."""
    for name in names:
        _imported(name)


if not TYPE_CHECKING:
    csgraph = Library("scipy.sparse.csgraph")
    fcl = Library("fcl")
    mesh_construction = Library("embreex.mesh_construction")
    ndimage = Library("scipy.ndimage")
    np = Library("numpy")
    rtcore_scene = Library("embreex.rtcore_scene")
    shapely = Library("shapely")
    sparse = Library("scipy.sparse")
    spatial = Library("scipy.spatial")
    trimesh = Library("trimesh")
