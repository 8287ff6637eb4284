"""Rendering by ray casting: colour, depth, normals, and the surface at each pixel.

>>> from tsgkit.geometry.cameras import framing
>>> from tsgkit.geometry.meshes import box, mesh_of
>>> cube = mesh_of(box(1, 1, 1))
>>> image = render([RenderedSurface("cube", cube.vertices, cube.faces)], framing(cube.vertices, (0, -1, 0)), 64)
>>> image.colours.shape, image.names, bool(image.mask("cube")[32, 32]), bool(image.mask("cube")[0, 0])
((64, 64, 3), ('cube',), True, False)

The same surfaces and camera give the same bytes. Depth, normals and masks are taken at pixel centres; colours are
antialiased along edges with four samples a pixel. Surfaces are visible from both sides. Textures with alpha are
transparent where their opacity is below one half; everything else is opaque, including glass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError
from tsgkit.geometry.libraries import mesh_construction, ndimage, np, rtcore_scene
from tsgkit.geometry.materials import encoded, linear
from tsgkit.geometry.png import png
from tsgkit.geometry.ray_hits import Hits, RenderedSurface, SurfaceMaterials
from tsgkit.geometry.rays import device
from tsgkit.geometry.shading import DARKEST, REACH, TILE, WAYS, around, lit, smoothed

if TYPE_CHECKING:
    from tsgkit.geometry.cameras import Camera
    from tsgkit.geometry.libraries import Bools, Bytes, Ints, Singles

RENDERING = 2
"""Version of the renderer, increased with every visible change, since judges see the images."""
SIZE = 512
MOST = 2048
BACKGROUND = (0.93, 0.94, 0.95)
GOES_ON = 1
"""The oldest version whose runs may continue with these images: 2 only adds an outline."""
OUTLINE, OUTLINE_COLOUR = 1 / 170, (255, 0, 190)
"""How wide the line around a surface is, in sides of the image, and its bytes: a colour that few things have."""
LAYERS = 8
"""Holes of textures one behind the other that are seen through."""
WITHIN = ((0.375, 0.125), (0.875, 0.375), (0.125, 0.625), (0.625, 0.875))
"""Subpixel positions of antialiasing."""
BEND, STEP = 0.9, 0.05
"""Cosine between the normals of two pixels, and step of depth beside its size, from which there is an edge."""


@dataclass(frozen=True, eq=False)
class RenderedImage:
    """A rendered image: colour bytes, metres to the first surface (inf: none), its normal and its number."""

    colours: Bytes
    depth: Singles
    normals: Singles
    surfaces: Ints
    """The surface of each pixel as an index of ``names``; -1 for none."""
    names: tuple[str, ...]
    camera: Camera
    faults: tuple[str, ...] = ()
    """Textures that could not be shown."""

    def mask(self, name: str) -> Bools:
        """Return the pixels that show a surface."""
        if name not in self.names:
            raise UsageError(f"the image shows no {name!r}", hint=f"it shows: {', '.join(self.names[:8])}")
        return np.asarray(self.surfaces == self.names.index(name))

    def outlined(self, name: str) -> RenderedImage:
        """Return the image with an outline around a surface, which itself stays unchanged."""
        mask = self.mask(name)
        wide = max(1, round(len(mask) * OUTLINE))
        around = ndimage.maximum_filter(mask, size=2 * wide + 1) & ~mask
        colours = self.colours.copy()
        colours[around] = OUTLINE_COLOUR
        return replace(self, colours=colours)

    def png(self) -> bytes:
        """Return the colours as a PNG file."""
        return png(self.colours)


def render(drawn: Sequence[RenderedSurface], camera: Camera, size: int = SIZE) -> RenderedImage:
    """Return the image of surfaces that a camera takes."""
    return Sight(drawn).image(camera, size)


class Sight:
    """Surfaces prepared for many images: merged, in single precision around their centre."""

    def __init__(self, drawn: Sequence[RenderedSurface]) -> None:
        self.drawn = tuple(one for one in drawn if len(one.faces))
        if not self.drawn:
            return
        corners = np.concatenate([one.corners for one in self.drawn])
        self.middle = (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
        self._scene = rtcore_scene.EmbreeScene(device())
        self._mesh = mesh_construction.TriangleMesh(self._scene, (corners - self.middle).astype(np.float32))
        self.surface_of = np.repeat(np.arange(len(self.drawn)), [len(one.faces) for one in self.drawn])
        self.normals = np.concatenate([one.normals for one in self.drawn])
        self.coats = SurfaceMaterials(self.drawn)

    def image(self, camera: Camera, size: int = SIZE) -> RenderedImage:
        """Return what a camera sees."""
        if not 1 <= size <= MOST:
            raise UsageError(f"an image of {size} pixels a side cannot be taken", hint=f"from 1 to {MOST}")
        film = _Film(size)
        if self.drawn:
            _Exposure(self, camera, film).expose()
        names = tuple(one.name for one in self.drawn)
        return film.developed(names, camera, self.coats.faults if self.drawn else ())

    def hits(self, start: Singles, ways: Singles) -> Hits:
        """Return the first solid face along each way from one place; holes of textures are seen through."""
        found = self._cast(np.tile(start, (len(ways), 1)), ways)
        for _ in range(LAYERS):
            holes = self.coats.holes(found)
            if not len(holes):
                break
            past = found.far[holes] * np.float32(1 + 1e-5) + np.float32(1e-4)
            behind = self._cast(start + ways[holes] * past[:, None], ways[holes])
            behind.far += past
            found.replace(holes, behind)
        return found

    def _cast(self, starts: Singles, ways: Singles) -> Hits:
        found = self._scene.run(np.ascontiguousarray(starts), np.ascontiguousarray(ways), output=True)
        return Hits(found["primID"], found["u"], found["v"], found["tfar"])

    def free(self, starts: Singles, ways: Singles) -> Bools:
        """Along which ways nothing is within reach."""
        reach = np.full(len(starts), REACH, dtype=np.float32)
        found = self._scene.run(starts, np.ascontiguousarray(ways), dists=reach, query="OCCLUDED")
        return np.asarray(found < 0)


class _Film:
    """A pixel buffer, filled row by row from the top."""

    def __init__(self, size: int) -> None:
        count = size * size
        self.size = size
        self.light: Singles = np.tile(linear(BACKGROUND).astype(np.float32), (count, 1))
        self.depth: Singles = np.full(count, np.inf, dtype=np.float32)
        self.normals: Singles = np.zeros((count, 3), dtype=np.float32)
        self.surfaces: Ints = np.full(count, -1, dtype=np.int64)
        self.sky: Singles = np.ones(count, dtype=np.float32)

    def flat(self) -> tuple[Ints, Singles, Singles]:
        """Surfaces, normals and depth as rows and columns."""
        shape = (self.size, self.size)
        return self.surfaces.reshape(shape), self.normals.reshape(*shape, 3), self.depth.reshape(shape)

    def developed(self, names: tuple[str, ...], camera: Camera, faults: tuple[str, ...]) -> RenderedImage:
        """Return the finished image."""
        surfaces, normals, depth = self.flat()
        colours = encoded(self.light).reshape(self.size, self.size, 3)
        return RenderedImage(colours, depth, normals, surfaces, names, camera, faults)

    def edges(self) -> Ints:
        """Pixels that differ much from the one to their right or below, and those."""
        number, facing, depth = self.flat()
        found = np.zeros(number.shape, dtype=bool)
        far = np.where(np.isfinite(depth), depth, 0)
        for one, other in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
            differ = number[one] != number[other]
            differ |= (np.einsum("ijk,ijk->ij", facing[one], facing[other]) < BEND) & (number[one] >= 0)
            differ |= np.abs(far[one] - far[other]) > STEP * far[one]
            found[one] |= differ
            found[other] |= differ
        return np.flatnonzero(found)

    def nearby(self, pixels: Ints, wanted: Ints, shift: tuple[float, float]) -> Ints:
        """For each pixel itself, or the neighbour on the side of the shift that shows the wanted surface."""
        rows, columns = np.divmod(pixels, self.size)
        right, down = (1 if part > 0.5 else -1 for part in shift)
        found = pixels.copy()
        open_ = self.surfaces[pixels] != wanted
        for dx, dy in ((right, 0), (0, down), (right, down)):
            there = np.clip(rows + dy, 0, self.size - 1) * self.size + np.clip(columns + dx, 0, self.size - 1)
            fits = open_ & (self.surfaces[there] == wanted)
            found[fits] = there[fits]
            open_ &= ~fits
        return found


class _Exposure:
    """One image being rendered."""

    def __init__(self, sight: Sight, camera: Camera, film: _Film) -> None:
        self._sight, self._camera, self._film = sight, camera, film
        self._eye = (camera.eye - sight.middle).astype(np.float32)
        self._axes = camera.axes.astype(np.float32)

    def expose(self) -> None:
        """Write everything to the film."""
        film = self._film
        ways = self._camera.ways(film.size)
        hits = self._sight.hits(self._eye, ways)
        met = np.flatnonzero(hits.face >= 0)
        seen, ways = hits.some(met), ways[met]
        facing = self._facing(seen, ways)
        film.surfaces[met] = self._sight.surface_of[seen.face]
        film.normals[met], film.depth[met] = facing, seen.far
        film.sky[met] = self._sky(self._eye + ways * seen.far[:, None], facing, seen.far, met)
        surfaces, _, depth = film.flat()
        film.sky = smoothed(film.sky.reshape(depth.shape), surfaces, depth).reshape(-1)
        film.light[met] = self._light(seen, facing) * film.sky[met, None]
        self._look_closer(film.edges())

    def _facing(self, seen: Hits, ways: Singles) -> Singles:
        """Normals where rays met faces, turned to the viewer."""
        found = np.asarray(seen.between(self._sight.normals[seen.face]), dtype=np.float32)
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), np.float32(1e-12))
        found[np.einsum("ij,ij->i", found, ways) > 0] *= -1
        return found

    def _light(self, seen: Hits, facing: Singles) -> Singles:
        pixel = seen.far * np.float32(2 * self._camera.spread / self._film.size)
        return self._sight.coats.colours(seen, pixel) * lit(facing, self._axes)[:, None]

    def _sky(self, points: Singles, facing: Singles, far: Singles, pixels: Ints) -> Singles:
        """Return how much of the light near things leave to each point."""
        rows, columns = np.divmod(pixels, self._film.size)
        tiles = rows % TILE * TILE + columns % TILE
        starts = points + facing * (np.float32(1e-3) + np.float32(1e-4) * far)[:, None]
        free = np.zeros(len(points), dtype=np.float32)
        for number in range(WAYS):
            free += self._sight.free(starts, around(facing, tiles, number))
        return np.asarray(DARKEST + (1 - DARKEST) / WAYS * free, dtype=np.float32)

    def _look_closer(self, edges: Ints) -> None:
        """Replace edge pixels by means over subpixels."""
        total = np.zeros((len(edges), 3), dtype=np.float32)
        for shift in WITHIN:
            ways = self._camera.ways(self._film.size, shift, edges)
            hits = self._sight.hits(self._eye, ways)
            met = np.flatnonzero(hits.face >= 0)
            seen = hits.some(met)
            found = np.tile(linear(BACKGROUND).astype(np.float32), (len(edges), 1))
            near = self._film.nearby(edges[met], self._sight.surface_of[seen.face], shift)
            found[met] = self._light(seen, self._facing(seen, ways[met])) * self._film.sky[near, None]
            total += found
        self._film.light[edges] = total / len(WITHIN)
