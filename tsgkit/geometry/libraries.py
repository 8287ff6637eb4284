"""Optional libraries of this package, imported on first use, with a clear error if missing.

``from tsgkit.geometry.libraries import np`` costs nothing; ``np.zeros`` imports numpy. So ``tsgkit --help`` stays
instant, and a base install names the missing extra only when a scene is measured.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tsgkit.errors import ExtraMissing

if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import ModuleType

    import DracoPy as draco  # noqa: N813
    import fcl
    import numpy as np
    import opengl_basisu as basisu
    import PIL.Image as pillow  # noqa: N813
    import scipy.ndimage as ndimage
    import scipy.spatial as spatial
    import shapely
    import trimesh
    from embreex import mesh_construction, rtcore, rtcore_scene
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]
    Bytes = NDArray[np.uint8]
    Singles = NDArray[np.float32]

__all__ = [
    "basisu",
    "check_libraries",
    "draco",
    "fcl",
    "mesh_construction",
    "ndimage",
    "np",
    "pillow",
    "rtcore",
    "rtcore_scene",
    "shapely",
    "spatial",
    "trimesh",
]

MEASURING = "rooms are measured"
"""The work that needs the extra ``scenes``."""


class Library:
    """A lazily imported module."""

    def __init__(self, name: str, work: str = MEASURING, extra: str = "scenes") -> None:
        self._name, self._work, self._extra = name, work, extra

    def _imported(self) -> ModuleType:
        try:
            return importlib.import_module(self._name)
        except ImportError as error:
            raise ExtraMissing(self._work, self._name.split(".")[0], self._extra) from error

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        if name.startswith("__"):  # asked by doctest and inspect, which want to look, not to use
            raise AttributeError(name)
        self.__dict__[name] = getattr(self._imported(), name)
        return self.__dict__[name]


def check_libraries(names: Iterable[str] | None = None) -> None:
    """Import all of them. Raise ``UsageError`` if one is missing, so that partial measurements are not taken for
    verdicts.

    Threads that import the same library at the same time may find it half imported, so this is called before them.
    """
    for name in NAMES.values() if names is None else names:
        Library(name)._imported()


NAMES = {
    "fcl": "fcl",
    "mesh_construction": "embreex.mesh_construction",
    "ndimage": "scipy.ndimage",
    "np": "numpy",
    "rtcore": "embreex.rtcore",
    "rtcore_scene": "embreex.rtcore_scene",
    "shapely": "shapely",
    "spatial": "scipy.spatial",
    "trimesh": "trimesh",
}

if not TYPE_CHECKING:
    globals().update({name: Library(module) for name, module in NAMES.items()})
    # Asked for by some files only, so no room without them waits for these.
    basisu = Library("opengl_basisu", "KTX2 textures are decoded")
    draco = Library("DracoPy", "Draco meshes are decoded")
    pillow = Library("PIL.Image", "textures are decoded", "images")
