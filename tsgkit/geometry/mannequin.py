"""A human figure 1.70 m tall for scale, made of spheres, cylinders and boxes.

>>> vertices, faces = human()
>>> np.round([vertices[:, 2].min(), vertices[:, 2].max()], 6).tolist()
[0.0, 1.7]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tsgkit.geometry.libraries import np
from tsgkit.geometry.meshes import Primitive, mesh_of

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats, Ints

Kind = Literal["box", "cylinder", "cone", "sphere"]
PARTS: tuple[tuple[Kind, tuple[float, float, float], tuple[float, float, float]], ...] = (
    ("sphere", (0.16, 0.19, 0.23), (0, 0, 1.585)),  # head
    ("sphere", (0.03, 0.05, 0.04), (0, -0.1, 1.57)),  # nose
    ("cylinder", (0.11, 0.11, 0.14), (0, 0.01, 1.44)),  # neck
    ("sphere", (0.40, 0.22, 0.26), (0, 0.01, 1.30)),  # shoulders
    ("cylinder", (0.31, 0.20, 0.38), (0, 0.01, 1.13)),  # trunk
    ("sphere", (0.33, 0.22, 0.24), (0, 0.01, 0.90)),  # hips
    *(
        part
        for side in (-1, 1)
        for part in (
            ("sphere", (0.10, 0.11, 0.34), (side * 0.215, 0.01, 1.21)),  # upper arm
            ("sphere", (0.08, 0.09, 0.32), (side * 0.225, -0.01, 0.95)),  # lower arm
            ("sphere", (0.06, 0.09, 0.17), (side * 0.225, -0.03, 0.76)),  # hand
            ("sphere", (0.16, 0.18, 0.52), (side * 0.09, 0.01, 0.68)),  # thigh
            ("sphere", (0.12, 0.13, 0.54), (side * 0.09, 0.02, 0.29)),  # lower leg
            ("box", (0.09, 0.25, 0.06), (side * 0.09, -0.04, 0.03)),  # foot
        )
    ),
)
"""Kind, size (wide, deep, high) and middle of each part; z up, front along -y."""


def human() -> tuple[Floats, Ints]:
    """Corners and faces of the figure, standing on z = 0 around the z axis and looking along -y."""
    corners: list[Floats] = []
    faces: list[Ints] = []
    for kind, size, middle in PARTS:
        mesh = mesh_of(Primitive(kind, size))
        faces.append(mesh.faces + sum(map(len, corners)))
        corners.append(mesh.vertices[:, [0, 2, 1]] * (1, -1, 1) + middle)
    return np.concatenate(corners), np.concatenate(faces)
