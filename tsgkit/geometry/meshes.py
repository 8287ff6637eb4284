"""Triangle meshes from GLB, OBJ and PLY bytes, primitives, their transforms, and what can be wrong with them.

>>> mesh_of(box(2, 1, 0.5)).faces.shape
(12, 3)
>>> print(read_mesh(b"no mesh", "glb", where="lamp"))
lamp: not a readable glb mesh: buffer size must be a multiple of element size [unreadable-mesh]
>>> standing(at=(1, 2, 0))[12:15]
(1.0, 2.0, 0.0)
>>> round(yaw_of(local_matrix(standing(yaw=30))), 6)
30.0

Corners are kept as in the file, in its own frame (y up, front +z). OBJ readers merge equal corners and GLB readers do
not; the published collision test depends on that, so nothing is merged here. The *local frame* of an object has x to
the right, its front along -y and z up; "left" and "right" are as seen from in front of the object.
"""

from __future__ import annotations

import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.geometry.gltf import MAGIC, NotRead, PlainFile, chunks_of
from tsgkit.geometry.gltf import plain as plain_file
from tsgkit.geometry.libraries import np, trimesh
from tsgkit.geometry.materials import WHITE, Paint, Texture, joined, paint_of, plain, png

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Bools, Floats, Ints, Singles

CODES = {
    "unreadable-mesh": "the bytes are no mesh of that format",
    "empty-mesh": "no face with three finite corners is left",
    "not-finite": "some corners are NaN or infinite; the faces that use them are left out",
    "bad-face": "some faces name corners that do not exist; they are left out",
    "flat-mesh": "all faces together have no area",
    "inside-out": "a closed surface whose faces look inwards",
    "many-faces": "so many faces that trees over them take seconds",
    "bad-size": "a primitive with a size that is not positive and finite",
    "bad-transform": "not sixteen finite numbers, or a last row that is not 0 0 0 1",
    "singular-transform": "a transform that flattens the object",
    "sheared-transform": "a transform that is not rotation times scale along the axes",
    "repeated-id": "two objects of one id",
    "bad-floor": "a floor that encloses no area",
    "crossed-floor": "a floor whose outline crosses itself",
    "bad-wall": "a wall without length or height",
    "bad-opening": "a door or window that encloses no part of its wall",
    "slanted-wall": "a wall that the official way draws along x although it runs elsewhere",
    "nothing-to-draw": "nothing of the scene can be drawn",
    "no-floor": "no floor is left to stand on",
}


class Problem(NamedTuple):
    """A geometry problem: ``code`` is one of :data:`CODES`, ``where`` the id of the object."""

    code: str
    where: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.code}]"


Transform = tuple[float, ...]
"""Sixteen numbers, column by column, as files write them: the translation is elements 12, 13 and 14."""

IDENTITY: Transform = (1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0)
FLAT = 1e-9
"""An axis shorter than this, or a volume of the axes below its cube, is none."""
SHEAR = 1e-3
"""Cosine between two axes from which a transform counts as sheared; single-precision files stay well below."""


def matrix_of(transform: Transform) -> Floats:
    """Return the transform as a 4x4 array."""
    return np.asarray(transform, dtype=float).reshape(4, 4).T


def transform_of(matrix: Floats) -> Transform:
    """Return a 4x4 array as the sixteen numbers of a file."""
    return tuple(float(number) for number in np.asarray(matrix, dtype=float).T.reshape(-1))


def local_matrix(transform: Transform) -> Floats:
    """Return the matrix from the local frame (z up, front -y) into the world."""
    from_local = np.array([[1.0, 0, 0, 0], [0, 0, 1, 0], [0, -1, 0, 0], [0, 0, 0, 1]])
    return np.asarray(matrix_of(transform) @ from_local)


def standing(
    at: Sequence[float] = (0, 0, 0), *, yaw: float = 0.0, scale: float | Sequence[float] = 1.0, tilt: float = 0.0
) -> Transform:
    """Return the transform of an upright asset: scaled along its local axes, tilted about its x, turned by ``yaw``
    degrees.
    """
    c, s, ct, st = (f(math.radians(angle)) for angle in (yaw, tilt) for f in (math.cos, math.sin))
    turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array([[1, 0, 0], [0, ct, -st], [0, st, ct]])
    from_file = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    matrix = np.eye(4)
    matrix[:3, :3] = turn @ np.diag(np.broadcast_to(np.asarray(scale, dtype=float), 3)) @ from_file
    matrix[:3, 3] = at
    return transform_of(matrix)


def asset_rotation(up: Sequence[float], front: Sequence[float]) -> Transform:
    """Return the rotation of an asset, in its own file frame, that takes ``up`` to +y and ``front`` to +z."""
    y, z = (np.asarray(way, dtype=float) / np.linalg.norm(way) for way in (up, front))
    matrix = np.eye(4)
    matrix[:3, :3] = np.stack([np.cross(y, z), y, z])
    return transform_of(matrix)


def problem_of(transform: Transform, where: str) -> Problem | None:
    """Return the problem that makes a transform unusable, or only distorts it (``sheared-transform``)."""
    if len(transform) != 16 or not all(math.isfinite(number) for number in transform):
        return Problem("bad-transform", where, f"its transform is not sixteen finite numbers: {transform!r:.80}")
    matrix = matrix_of(transform)
    if not np.allclose(matrix[3], (0, 0, 0, 1), atol=1e-6):
        return Problem("bad-transform", where, f"the last row of its transform is {matrix[3].tolist()}, not 0 0 0 1")
    lengths = np.linalg.norm(matrix[:3, :3], axis=0)
    if lengths.min() < FLAT or abs(np.linalg.det(matrix[:3, :3] / lengths)) < FLAT:
        return Problem("singular-transform", where, "its transform flattens it to a plane, a line or a point")
    unit = matrix[:3, :3] / lengths
    if np.abs(unit.T @ unit - np.eye(3)).max() > SHEAR:
        hint = "give rotation times scale along the axes"
        return Problem("sheared-transform", where, "its transform is not rotation times scale", hint)
    return None


def yaw_of(matrix: Floats) -> float:
    """Degrees about z in the XYZ Euler angles of a local matrix; a mirrored one is turned by -1 first.

    Of the two sets of angles that describe a rotation, the one with the smaller sum is returned.
    """
    axes = matrix[:3, :3] / np.linalg.norm(matrix[:3, :3], axis=0)
    m = -axes if np.linalg.det(axes) < 0 else axes
    level = math.hypot(m[0, 0], m[1, 0])
    if level < 1e-6:  # looking straight up or down
        return 0.0
    first = (math.atan2(m[2, 1], m[2, 2]), math.atan2(-m[2, 0], level), math.atan2(m[1, 0], m[0, 0]))
    second = (math.atan2(-m[2, 1], -m[2, 2]), math.atan2(-m[2, 0], -level), math.atan2(-m[1, 0], -m[0, 0]))
    return math.degrees(min(first, second, key=lambda angles: sum(map(abs, angles)))[2])


FORMATS = ("glb", "gltf", "obj", "ply")
IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".tga", ".tif", ".tiff", ".webp")
MANY_FACES = 1_000_000
ROUND = 48
"""Corners on the rim of round primitives."""
CREASE = math.cos(math.radians(35))
"""If all faces at a corner deviate less from their mean normal, they are shaded smoothly."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Corners (n x 3) and faces (m x 3, indices of corners), read-only; ``paint`` is used for rendering only."""

    vertices: Floats
    faces: Ints
    paint: Paint | None = None

    @staticmethod
    def of(vertices: object, faces: object, paint: Paint | None = None) -> Mesh:
        """Return a mesh of anything numpy can read as two tables."""
        corners = np.array(vertices, dtype=float).reshape(-1, 3)
        triangles = np.array(faces, dtype=np.int64).reshape(-1, 3)
        corners.setflags(write=False)
        triangles.setflags(write=False)
        return Mesh(corners, triangles, paint)

    @cached_property
    def area(self) -> float:
        """Square metres of all faces."""
        return float(areas(self.vertices, self.faces).sum())

    @cached_property
    def volume(self) -> float:
        """Cubic metres, negative where faces look inwards; means something for closed surfaces only."""
        a, b, c = (self.vertices[self.faces[:, k]] for k in range(3))
        return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6) if len(self.faces) else 0.0

    def turned_out(self) -> Mesh:
        """Return the same surface with every face looking the other way."""
        return Mesh.of(self.vertices, self.faces[:, ::-1], self.paint)

    def moved(self, transform: Transform) -> Mesh:
        """Return the mesh after a transform, still in its own frame: for assets whose files declare another up or
        front.
        """
        matrix = matrix_of(transform)
        return Mesh.of(self.vertices @ matrix[:3, :3].T + matrix[:3, 3], self.faces, self.paint)


class Primitive(NamedTuple):
    """A shape by its size in metres: width, depth and height, centred on its origin."""

    kind: Literal["box", "cylinder", "cone", "sphere"]
    size: tuple[float, float, float]


Shape = Mesh | Primitive


def box(wide: float, deep: float, high: float) -> Primitive:
    """Return a box primitive."""
    return Primitive("box", (wide, deep, high))


def crosses(vertices: Floats, faces: Ints) -> Floats:
    """Return the cross product of two sides of each face: along its normal, twice as long as its area."""
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    return np.asarray(np.cross(b - a, c - a))


def areas(vertices: Floats, faces: Ints) -> Floats:
    """Return the area of each face."""
    return np.asarray(np.linalg.norm(crosses(vertices, faces), axis=1) / 2)


def read_mesh(
    data: bytes, format: str, *, where: str = "mesh", beside: Mapping[str, bytes] | None = None
) -> Mesh | Problem:
    """Return one mesh of all parts of a file at their node positions, or the problem.

    ``beside`` holds the files that an OBJ file names, by name without folders: its materials and textures.
    """
    if format not in FORMATS:
        return Problem("unreadable-mesh", where, f"format {format!r} is none of {', '.join(FORMATS)}")
    files = _Beside(beside or {})
    if format == "glb" and data[:4] == MAGIC:
        try:
            text, binary = chunks_of(data)
            file = plain_file(json.loads(text), binary, files.read)
            if file.faults:
                return _unreadable(NotRead(next(iter(file.faults.values()))), format, where)
            return mesh_of_file(file, where)
        except TsgkitError:
            raise
        except Exception as error:  # noqa: BLE001 - files of others are wrong in every way there is
            return _unreadable(error, format, where)
    if format == "obj" and (slip := _short_corner(data)):
        return Problem("unreadable-mesh", where, f"not a readable obj mesh: {slip}")
    return _read(data, format, files, files.textures, where)


def mesh_of_file(file: PlainFile, where: str) -> Mesh | Problem:
    """Return the one mesh that all parts of a plain GLB file make together."""
    return _read(file.written(), "glb", None, file.textures, where)


def _read(
    data: bytes, format: str, files: _Beside | None, textures: Mapping[str, Texture], where: str
) -> Mesh | Problem:
    try:
        resolver: Any = files
        loaded: list[Any] = trimesh.load_scene(io.BytesIO(data), file_type=format, resolver=resolver).dump()
        parts = [part for part in loaded if hasattr(part, "faces")]
        if not any(len(part.faces) for part in parts):
            return Problem("empty-mesh", where, f"the {format} file holds no face")
        vertices, faces = stacked([(part.vertices, part.faces) for part in parts])
        paints = [paint_of(part, textures) for part in parts]
        if not any(paints):
            return Mesh.of(vertices, faces)
        white = (plain(WHITE, len(part.vertices), len(part.faces)) for part in parts)
        return Mesh.of(vertices, faces, joined([paint or bare for paint, bare in zip(paints, white, strict=True)]))
    except Exception as error:  # noqa: BLE001 - readers of others fail in every way there is
        return _unreadable(error, format, where)


def _unreadable(error: Exception, format: str, where: str) -> Problem:
    words = " ".join(str(error).split()) or type(error).__name__
    return Problem("unreadable-mesh", where, f"not a readable {format} mesh: {words:.300}")


def _short_corner(data: bytes) -> str:
    """Return where an OBJ file has a corner of fewer than three numbers; its reader takes numbers of other lines then.

    >>> _short_corner(b"v 0 0 0\\nv 01 0\\n")
    'line 2: a corner of 2 numbers, where 3 are expected'
    """
    for number, line in enumerate(data.splitlines(), 1):
        fields = line.partition(b"#")[0].split(None, 4) if line.lstrip()[:1] == b"v" else []
        if fields[:1] == [b"v"] and len(fields) < 4:
            return f"line {number}: a corner of {len(fields) - 1} numbers, where 3 are expected"
    return ""


class _Beside:
    """Files by name for the mesh reader, without the folders in which they were written.

    Images are replaced by one pixel, and textures are kept under the requested names, so that a broken one does not
    affect the mesh.
    """

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self.textures: dict[str, Texture] = {}

    def read(self, name: str) -> bytes:
        """Return the bytes of a file."""
        return self._files[name.strip().replace("\\", "/").rsplit("/", 1)[-1]]

    def __getitem__(self, name: str) -> bytes:
        data = self.read(name)
        if not name.strip().lower().endswith(IMAGES):
            return data
        self.textures[name] = Texture(data)
        return png(np.full((1, 1, 3), 255, dtype=np.uint8))

    get = __getitem__


def mesh_of(shape: Shape) -> Mesh:
    """Return the mesh of a shape, in the frame of asset files."""
    if isinstance(shape, Mesh):
        return shape
    vertices, faces = _UNIT[shape.kind]()
    local = vertices * np.asarray(shape.size, dtype=float)
    return Mesh.of(local[:, [0, 2, 1]] * (1, 1, -1), faces)


def cleaned(shape: Shape, where: str, *, mend_winding: bool) -> tuple[Mesh | None, tuple[Problem, ...]]:
    """Return the measurable part of a shape, and the problems of the rest."""
    if isinstance(shape, Primitive):
        if shape.kind not in _UNIT or not all(math.isfinite(s) and s > 0 for s in shape.size):
            return None, (Problem("bad-size", where, f"a {shape.kind} of size {shape.size}"),)
        return mesh_of(shape), ()
    mesh = shape
    problems: list[Problem] = []
    finite: Bools = np.asarray(np.isfinite(mesh.vertices).all(axis=1))
    existing: Bools = np.asarray(((mesh.faces >= 0) & (mesh.faces < len(mesh.vertices))).all(axis=1))
    if not existing.all():
        problems.append(Problem("bad-face", where, f"{int((~existing).sum())} faces name corners that do not exist"))
    whole: Bools = existing.copy()
    whole[existing] = np.asarray(finite[mesh.faces[existing]]).all(axis=1)
    if not finite.all():
        problems.append(Problem("not-finite", where, f"{int((~finite).sum())} corners are not finite numbers"))
    if not whole.any():
        return None, (*problems, Problem("empty-mesh", where, "no face with three finite corners"))
    # Corners of no face would still stretch the box: only those that faced nothing usable are dropped.
    if not (whole.all() and finite.all()):
        used, faces = np.unique(mesh.faces[whole], return_inverse=True)
        paint = None if mesh.paint is None else mesh.paint.part(whole, used)
        mesh = Mesh.of(mesh.vertices[used], faces, paint)
    if not mesh.area > 0:
        return None, (*problems, Problem("flat-mesh", where, "all its faces together have no area"))
    if len(mesh.faces) > MANY_FACES:
        problems.append(Problem("many-faces", where, f"{len(mesh.faces):,} faces"))
    if mesh.volume < 0 and closed(merged(mesh.vertices, mesh.faces)):
        problems.append(Problem("inside-out", where, "its faces look inwards"))
    return (mesh.turned_out() if mend_winding and mesh.volume < 0 else mesh), tuple(problems)


def stacked(surfaces: Sequence[tuple[Floats, Ints]]) -> tuple[Floats, Ints]:
    """Return the corners and the faces of several surfaces as those of one."""
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in surfaces)])
    faces = [faces + start for (_, faces), start in zip(surfaces, starts, strict=False)]
    return np.concatenate([vertices for vertices, _ in surfaces]), np.concatenate(faces)


def merged(vertices: Floats, faces: Ints) -> Ints:
    """Return the faces, with corners at equal places named by one number."""
    order = np.lexsort(vertices.T)
    ordered = vertices[order]
    number = np.empty(len(vertices), dtype=np.int64)
    number[order] = np.concatenate([[0], np.cumsum((ordered[1:] != ordered[:-1]).any(axis=1))])
    return np.asarray(number[faces])


def closed(faces: Ints) -> bool:
    """Return whether every edge of merged faces is run as often one way as the other."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    edges = edges[edges[:, 0] != edges[:, 1]]
    count = int(faces.max()) + 1
    forward, backward = (np.sort(edges[:, i] * count + edges[:, 1 - i]) for i in (0, 1))
    return bool(np.array_equal(forward, backward))


def round_normals(vertices: Floats, faces: Ints) -> Singles:
    """Return a normal for each corner of each face: that of the face, or the mean where the surface is round."""
    across = crosses(vertices, faces)
    lengths = np.linalg.norm(across, axis=1, keepdims=True)
    flat = np.divide(across, lengths, out=np.zeros_like(across), where=lengths > 0)
    shared = merged(vertices, faces)
    count = int(shared.max()) + 1
    total = np.stack(
        [np.bincount(shared.ravel(), np.repeat(across[:, axis], 3), minlength=count) for axis in range(3)], axis=1
    )
    lengths = np.linalg.norm(total, axis=1, keepdims=True)
    mean = np.divide(total, lengths, out=np.zeros_like(total), where=lengths > 0)[shared]
    least = np.ones(count)
    np.minimum.at(least, shared, np.einsum("ijk,ik->ij", mean, flat))
    return np.asarray(np.where((least > CREASE)[shared][..., None], mean, flat[:, None]), dtype=np.float32)


def unit_box() -> tuple[Floats, Ints]:
    """Return the corners and triangles of a cube of side one around the origin."""
    corners = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return corners, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))])


def _lathe(outline: list[tuple[float, float]]) -> tuple[Floats, Ints]:
    """Return the surface of revolution of a (radius, height) outline about z."""
    turns = [2 * math.pi * k / ROUND for k in range(ROUND)]
    rings = [[(r * math.cos(t), r * math.sin(t), z) for t in turns] for r, z in outline[1:-1]]
    corners = [(0.0, 0.0, outline[0][1]), (0.0, 0.0, outline[-1][1]), *(point for ring in rings for point in ring)]
    faces = []
    for k in range(ROUND):
        here, following = k, (k + 1) % ROUND
        top = 2 + (len(rings) - 1) * ROUND
        faces += [(0, 2 + following, 2 + here), (1, top + here, top + following)]
        for low in range(2, top, ROUND):
            a, b, c, d = low + here, low + following, low + ROUND + following, low + ROUND + here
            faces += [(a, b, c), (a, c, d)]
    return np.array(corners), np.array(faces)


_BOWS = [math.pi * (step / (ROUND // 2) - 0.5) for step in range(1, ROUND // 2)]
_UNIT: Mapping[str, Callable[[], tuple[Floats, Ints]]] = {
    "box": unit_box,
    "cylinder": lambda: _lathe([(0.0, -0.5), (0.5, -0.5), (0.5, 0.5), (0.0, 0.5)]),
    "cone": lambda: _lathe([(0.0, -0.5), (0.5, -0.5), (0.0, 0.5)]),
    "sphere": lambda: _lathe([(0.0, -0.5), *((0.5 * math.cos(a), 0.5 * math.sin(a)) for a in _BOWS), (0.0, 0.5)]),
}
