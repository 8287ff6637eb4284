"""First hits of rays, and the colour of the material there.

The materials of all surfaces form one table here, indexed by the number of a face among all faces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tsgkit.geometry.libraries import np
from tsgkit.geometry.materials import Paint, encoded, joined, linear, plain, sampled
from tsgkit.geometry.meshes import areas
from tsgkit.geometry.shading import round_normals

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Bytes, Floats, Ints, Singles

GREY = (0.72, 0.71, 0.69)
"""The colour of surfaces without one."""


@dataclass(frozen=True, eq=False)
class RenderedSurface:
    """A surface to render; ``colour`` (sRGB) is used if it has no material."""

    name: str
    vertices: Floats
    faces: Ints
    paint: Paint | None = None
    colour: tuple[float, float, float] = GREY
    body: Body | None = None
    """The body of the surface, which caches its normals between images."""

    @cached_property
    def corners(self) -> Floats:
        """The three corners of each face."""
        return np.asarray(self.vertices[self.faces])

    @cached_property
    def normals(self) -> Singles:
        """A normal for each corner of each face."""
        if self.body is not None:
            return self.body.normals
        return round_normals(self.vertices, self.faces)


@dataclass(eq=False)
class Hits:
    """First hits of rays: face numbers (-1: none), barycentric weights of the second and third corner, metres."""

    face: Ints
    second: Singles
    third: Singles
    far: Singles

    def some(self, rows: Ints) -> Hits:
        """Return the hits of some rays."""
        return Hits(self.face[rows], self.second[rows], self.third[rows], self.far[rows])

    def replace(self, rows: Ints, other: Hits) -> None:
        """Put other hits in the place of some."""
        self.face[rows], self.second[rows], self.third[rows] = other.face, other.second, other.third
        self.far[rows] = other.far

    def between(self, corners: Any) -> Any:  # noqa: ANN401  (arrays of either precision)
        """Return values interpolated between the three corners (hits x 3 x anything) at the hits."""
        first = corners[:, 0]
        second, third = self.second[:, None], self.third[:, None]
        return first + second * (corners[:, 1] - first) + third * (corners[:, 2] - first)


class SurfaceMaterials:
    """The materials of several surfaces."""

    def __init__(self, drawn: Sequence[RenderedSurface]) -> None:
        self._drawn = drawn
        self._paint = joined([one.paint or _own_colour(one) for one in drawn])
        self._colours = self._paint.colours.astype(np.float32)
        starts = np.cumsum([0, *(len(one.vertices) for one in drawn)])
        self._corners = np.concatenate([one.faces + start for one, start in zip(drawn, starts, strict=False)])

    @cached_property
    def faults(self) -> tuple[str, ...]:
        """Textures that could not be shown."""
        return tuple(fault for one in self._drawn for fault in texture_faults(one.name, one.paint))

    @cached_property
    def _texels(self) -> Floats:
        """Pixels of its texture to a metre, for each face."""
        places = self._paint.places[self._corners]
        one, two = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
        flat = np.abs(one[:, 0] * two[:, 1] - one[:, 1] * two[:, 0]) / 2
        sizes = np.array([texture.levels[0][..., 0].size for texture in self._paint.textures])
        spread = np.concatenate([areas(one.vertices, one.faces) for one in self._drawn])
        return np.asarray(np.sqrt(flat * sizes[self._paint.texture_of] / np.maximum(spread, 1e-18)))

    def colours(self, seen: Hits, pixel: Singles) -> Singles:
        """Return the linear light of hits, where a pixel covers this many metres."""
        found = self._colours[seen.face]
        if self._paint.tints is not None:
            found *= seen.between(self._paint.tints[self._corners[seen.face]])
        for number, rows in self._textured(seen.face):
            part = seen.some(rows)
            texels = self._texels[part.face] * pixel[rows]
            found[rows] *= sampled(self._paint.textures[number], self._places(part), texels)[0]
        return found

    def holes(self, hits: Hits) -> Ints:
        """Return which rays met a texture where it is less than half solid."""
        found = [np.zeros(0, dtype=np.int64)]
        for number, rows in self._textured(hits.face):
            texture = self._paint.textures[number]
            if not texture.solid:
                solid = sampled(texture, self._places(hits.some(rows)), np.ones(len(rows)))[1]
                found.append(rows[solid < 0.5])
        return np.concatenate(found)

    def _textured(self, faces: Ints) -> Iterator[tuple[int, Ints]]:
        if not self._paint.textures:
            return
        textures = np.where(faces >= 0, self._paint.texture_of[faces], -1)
        for number in np.unique(textures[textures >= 0]):
            yield int(number), np.flatnonzero(textures == number)

    def _places(self, seen: Hits) -> Floats:
        return np.asarray(seen.between(self._paint.places[self._corners[seen.face]]))


def texture_faults(name: str, paint: Paint | None) -> list[str]:
    """Return what is wrong with the textures of a thing, each once."""
    faults = [texture.fault for texture in (paint.textures if paint else ())]
    return [f"{name}: a texture is not shown: {fault}" for fault in dict.fromkeys(filter(None, faults))]


def _own_colour(one: RenderedSurface) -> Paint:
    return plain(linear(one.colour).tolist(), len(one.vertices), len(one.faces))


def face_colours(one: RenderedSurface) -> Bytes:
    """Return one sRGB colour for each face; for a texture, its mean around the centre."""
    third = np.full(len(one.faces), 1 / 3, dtype=np.float32)
    whole = Hits(np.arange(len(one.faces)), third, third, third)
    return encoded(SurfaceMaterials([one]).colours(whole, np.sqrt(areas(one.vertices, one.faces)).astype(np.float32)))
