"""Rendering by ray casting: colour, depth, normals, and the surface at each pixel.

>>> from tsgkit.geometry import framing
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

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from tsgkit.errors import UsageError
from tsgkit.geometry.libraries import mesh_construction, ndimage, np, rtcore_scene
from tsgkit.geometry.materials import Paint, encoded, joined, linear, plain, png, sampled
from tsgkit.geometry.meshes import areas, round_normals, stacked
from tsgkit.geometry.surfaces import device

if TYPE_CHECKING:
    from tsgkit.geometry.bodies import Body
    from tsgkit.geometry.libraries import Bools, Bytes, Floats, Ints, Singles

GREY = (0.72, 0.71, 0.69)
"""The colour of surfaces without one."""


SPREAD = 18 / 35
"""Tangent of half the view: 36 mm of film behind a 35 mm lens."""


@dataclass(frozen=True, eq=False)
class Camera:
    """A position, and the axes of its image as columns: right, up, and back towards the viewer.

    >>> from tsgkit.geometry.views import framing
    >>> camera = framing([(-1, 0, 0), (1, 0, 0)], (0, -1, 0))
    >>> camera.pixels([(-1, 0, 0), (1, 0, 0)], 100).round(1).tolist()
    [[2.4, 50.0], [97.6, 50.0]]

    Pixels are counted from the left and from the top; a pixel of column 3 reaches from 3 to 4.
    """

    eye: Floats
    axes: Floats
    spread: float = SPREAD

    def ways(self, size: int, shift: tuple[float, float] = (0.5, 0.5), pixels: Ints | None = None) -> Singles:
        """Directions of length 1 through some pixels, or through all, row by row from the top."""
        chosen = np.arange(size * size, dtype=np.int32) if pixels is None else pixels
        rows, columns = np.divmod(chosen, size)
        local = np.empty((len(chosen), 3), dtype=np.float32)
        local[:, 0] = ((columns + shift[0]) * 2 / size - 1) * self.spread
        local[:, 1] = (1 - (rows + shift[1]) * 2 / size) * self.spread
        local[:, 2] = -1
        local /= np.sqrt(np.einsum("ij,ij->i", local, local))[:, None]
        return np.asarray(local @ self.axes.T.astype(np.float32))

    def pixels(self, points: object, size: int) -> Floats:
        """Return the columns and rows of world points in an image."""
        local = (np.asarray(points, dtype=float) - self.eye) @ self.axes
        flat = local[:, :2] / (-local[:, 2:] * self.spread)
        return np.asarray((flat * (1, -1) + 1) * size / 2)


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

    @property
    def bare_paint(self) -> Paint:
        """Its colour all over."""
        return plain(linear(self.colour).tolist(), len(self.vertices), len(self.faces))

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

    def replace(self, rows: Ints, hits: Hits) -> None:
        """Put other hits in the place of some."""
        self.face[rows], self.second[rows], self.third[rows] = hits.face, hits.second, hits.third
        self.far[rows] = hits.far

    def between(self, corners: Any) -> Any:  # noqa: ANN401  (arrays of either precision)
        """Return values interpolated between the three corners (hits x 3 x anything) at the hits."""
        first = corners[:, 0]
        second, third = self.second[:, None], self.third[:, None]
        return first + second * (corners[:, 1] - first) + third * (corners[:, 2] - first)


class SurfaceMaterials:
    """The materials of several surfaces."""

    def __init__(self, drawn: Sequence[RenderedSurface]) -> None:
        self._drawn = drawn
        self._paint = joined([surface.paint or surface.bare_paint for surface in drawn])
        self._colours = self._paint.colours.astype(np.float32)
        self._corners = stacked([(surface.vertices, surface.faces) for surface in drawn])[1]

    @cached_property
    def _texels(self) -> Floats:
        """Pixels of its texture to a metre, for each face."""
        places = self._paint.places[self._corners]
        first, second = places[:, 1] - places[:, 0], places[:, 2] - places[:, 0]
        flat = np.abs(first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / 2
        sizes = np.array([texture.levels[0][..., 0].size for texture in self._paint.textures])
        spread = np.concatenate([areas(surface.vertices, surface.faces) for surface in self._drawn])
        return np.asarray(np.sqrt(flat * sizes[self._paint.texture_of] / np.maximum(spread, 1e-18)))

    def colours(self, hits: Hits, pixel: Singles) -> Singles:
        """Return the linear light of hits, where a pixel covers this many metres."""
        light = self._colours[hits.face]
        if self._paint.tints is not None:
            light *= hits.between(self._paint.tints[self._corners[hits.face]])
        for number, rows in self._textured(hits.face):
            part = hits.some(rows)
            texels = self._texels[part.face] * pixel[rows]
            light[rows] *= sampled(self._paint.textures[number], self._places(part), texels)[0]
        return light

    def holes(self, hits: Hits) -> Ints:
        """Return which rays met a texture where it is less than half solid."""
        rows_of_holes = [np.zeros(0, dtype=np.int64)]
        for number, rows in self._textured(hits.face):
            texture = self._paint.textures[number]
            if not texture.solid:
                solid = sampled(texture, self._places(hits.some(rows)), np.ones(len(rows)))[1]
                rows_of_holes.append(rows[solid < 0.5])
        return np.concatenate(rows_of_holes)

    def _textured(self, faces: Ints) -> Iterator[tuple[int, Ints]]:
        if not self._paint.textures:
            return
        textures = np.where(faces >= 0, self._paint.texture_of[faces], -1)
        for number in np.unique(textures[textures >= 0]):
            yield int(number), np.flatnonzero(textures == number)

    def _places(self, hits: Hits) -> Floats:
        return np.asarray(hits.between(self._paint.places[self._corners[hits.face]]))


def texture_faults(name: str, paint: Paint | None) -> list[str]:
    """Return what is wrong with the textures of a thing, each once."""
    faults = [texture.fault for texture in (paint.textures if paint else ())]
    return [f"{name}: a texture is not shown: {fault}" for fault in dict.fromkeys(filter(None, faults))]


def face_colours(surface: RenderedSurface) -> Bytes:
    """Return one sRGB colour for each face; for a texture, its mean around the centre."""
    third = np.full(len(surface.faces), 1 / 3, dtype=np.float32)
    whole = Hits(np.arange(len(surface.faces)), third, third, third)
    pixel = np.sqrt(areas(surface.vertices, surface.faces)).astype(np.float32)
    return encoded(SurfaceMaterials([surface]).colours(whole, pixel))


SKY, GROUND, LAMP = 0.72, 0.48, 0.42
"""How much light comes from above, from below and from the lamp."""
SHOULDER = (-0.45, 0.55, 0.70)
"""The direction of the lamp in image axes: left, above, behind the viewer."""
TILE = 4
WAYS = 2
"""Each pixel of a tile looks this many ways."""
REACH = 0.6
"""Metres within which something takes away from the sky."""
NEAR = 0.03
"""Pixels of one surface are smoothed together where their depth differs by less than this share."""
DARKEST = 0.55
"""The share of light where no sky is visible."""


def lit(normals: Singles, axes: Singles) -> Singles:
    """Return how much light falls on surfaces, seen by a camera of these axes."""
    sky = GROUND + (SKY - GROUND) * (normals[:, 2] + 1) / 2
    lamp = axes @ (np.array(SHOULDER, dtype=axes.dtype) / np.linalg.norm(SHOULDER).astype(axes.dtype))
    return np.asarray(sky + LAMP * np.maximum(normals @ lamp, 0))


@cache
def dome() -> Singles:
    """Return TILE * TILE * WAYS directions around +z, each for an equal share of light."""
    count = TILE * TILE * WAYS
    share = (np.arange(count) + 0.5) / count
    turn = np.arange(count) * math.pi * (3 - math.sqrt(5))
    radius = np.sqrt(share)
    ways = np.stack([radius * np.cos(turn), radius * np.sin(turn), np.sqrt(1 - share)], axis=1)
    return np.asarray(ways, dtype=np.float32)


def around(normals: Singles, tiles: Ints, number: int) -> Singles:
    """For each pixel one of the ways of its place in a tile, around its own normal (Duff et al., 2017)."""
    x, y, z = normals.T
    # Neighbours take ways that lie far apart.
    local = dome()[(tiles * 7 % (TILE * TILE)) + TILE * TILE * number]
    sign = np.where(z >= 0, np.float32(1), np.float32(-1))
    a = -1 / (sign + z)
    b = x * y * a
    right = np.stack([1 + sign * x * x * a, sign * b, -sign * x], axis=1)
    up = np.stack([b, sign + y * y * a, -y], axis=1)
    return np.asarray(local[:, :1] * right + local[:, 1:2] * up + local[:, 2:] * normals)


def smoothed(values: Singles, surfaces: Ints, depth: Singles) -> Singles:
    """Means over tiles around each pixel, of pixels on the same surface at nearly the same depth."""
    total, weight = np.zeros_like(values), np.zeros_like(values)
    high, wide = values.shape
    depth = np.where(surfaces < 0, 0, depth)
    for dy in range(-TILE // 2, TILE // 2):
        for dx in range(-TILE // 2, TILE // 2):
            here = np.s_[max(0, -dy) : high - max(0, dy), max(0, -dx) : wide - max(0, dx)]
            shifted = np.s_[max(0, dy) : high + min(0, dy), max(0, dx) : wide + min(0, dx)]
            alike: Bools = surfaces[here] == surfaces[shifted]
            alike &= np.abs(depth[here] - depth[shifted]) < NEAR * depth[here]
            total[here] += np.where(alike, values[shifted], 0)
            weight[here] += alike
    return np.asarray(total / np.maximum(weight, 1))


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
        self.drawn = tuple(surface for surface in drawn if len(surface.faces))
        if not self.drawn:
            return
        corners = np.concatenate([surface.corners for surface in self.drawn])
        self.middle = (corners.min(axis=(0, 1)) + corners.max(axis=(0, 1))) / 2
        self._scene = rtcore_scene.EmbreeScene(device())
        self._mesh = mesh_construction.TriangleMesh(self._scene, (corners - self.middle).astype(np.float32))
        self.surface_of = np.repeat(np.arange(len(self.drawn)), [len(surface.faces) for surface in self.drawn])
        self.normals = np.concatenate([surface.normals for surface in self.drawn])
        self.coats = SurfaceMaterials(self.drawn)

    def image(self, camera: Camera, size: int = SIZE) -> RenderedImage:
        """Return what a camera sees."""
        if not 1 <= size <= MOST:
            raise UsageError(f"an image of {size} pixels a side cannot be taken", hint=f"from 1 to {MOST}")
        # All pixels, row by row from the top.
        count, shape = size * size, (size, size)
        background = linear(BACKGROUND).astype(np.float32)
        light: Singles = np.tile(background, (count, 1))
        depth: Singles = np.full(count, np.inf, dtype=np.float32)
        normals: Singles = np.zeros((count, 3), dtype=np.float32)
        surfaces: Ints = np.full(count, -1, dtype=np.int64)
        if self.drawn:
            eye = (camera.eye - self.middle).astype(np.float32)
            met, hits, ways = self._seen(eye, camera.ways(size))
            facing = self._facing(hits, ways)
            surfaces[met], normals[met], depth[met] = self.surface_of[hits.face], facing, hits.far
            sky: Singles = np.ones(count, dtype=np.float32)
            sky[met] = self._sky(eye + ways * hits.far[:, None], facing, hits.far, np.divmod(met, size))
            sky = smoothed(sky.reshape(shape), surfaces.reshape(shape), depth.reshape(shape)).reshape(-1)
            light[met] = self._light(hits, facing, camera, size) * sky[met, None]
            # Pixels at edges become means over subpixels.
            edges = _edges(surfaces.reshape(shape), normals.reshape(*shape, 3), depth.reshape(shape))
            total = np.zeros((len(edges), 3), dtype=np.float32)
            for shift in WITHIN:
                met, hits, ways = self._seen(eye, camera.ways(size, shift, edges))
                shown = np.tile(background, (len(edges), 1))
                near = _nearby(surfaces, size, edges[met], self.surface_of[hits.face], shift)
                shown[met] = self._light(hits, self._facing(hits, ways), camera, size) * sky[near, None]
                total += shown
            light[edges] = total / len(WITHIN)
        return RenderedImage(
            encoded(light).reshape(*shape, 3),
            depth.reshape(shape),
            normals.reshape(*shape, 3),
            surfaces.reshape(shape),
            tuple(surface.name for surface in self.drawn),
            camera,
            tuple(fault for surface in self.drawn for fault in texture_faults(surface.name, surface.paint)),
        )

    def _seen(self, eye: Singles, ways: Singles) -> tuple[Ints, Hits, Singles]:
        """Return which ways meet a face, where, and these ways."""
        hits = self.hits(eye, ways)
        met = np.flatnonzero(hits.face >= 0)
        return met, hits.some(met), ways[met]

    def hits(self, start: Singles, ways: Singles) -> Hits:
        """Return the first solid face along each way from one place; holes of textures are seen through."""
        hits = self._cast(np.tile(start, (len(ways), 1)), ways)
        for _ in range(LAYERS):
            holes = self.coats.holes(hits)
            if not len(holes):
                break
            past = hits.far[holes] * np.float32(1 + 1e-5) + np.float32(1e-4)
            behind = self._cast(start + ways[holes] * past[:, None], ways[holes])
            behind.far += past
            hits.replace(holes, behind)
        return hits

    def _cast(self, starts: Singles, ways: Singles) -> Hits:
        results = self._scene.run(np.ascontiguousarray(starts), np.ascontiguousarray(ways), output=True)
        return Hits(results["primID"], results["u"], results["v"], results["tfar"])

    def _facing(self, hits: Hits, ways: Singles) -> Singles:
        """Normals where rays met faces, turned to the viewer."""
        facing = np.asarray(hits.between(self.normals[hits.face]), dtype=np.float32)
        facing /= np.maximum(np.linalg.norm(facing, axis=1, keepdims=True), np.float32(1e-12))
        facing[np.einsum("ij,ij->i", facing, ways) > 0] *= -1
        return facing

    def _light(self, hits: Hits, facing: Singles, camera: Camera, size: int) -> Singles:
        pixel = hits.far * np.float32(2 * camera.spread / size)
        return self.coats.colours(hits, pixel) * lit(facing, camera.axes.astype(np.float32))[:, None]

    def _sky(self, points: Singles, facing: Singles, far: Singles, pixels: tuple[Ints, Ints]) -> Singles:
        """Return how much of the light near things leave to each point."""
        rows, columns = pixels
        tiles = rows % TILE * TILE + columns % TILE
        starts = points + facing * (np.float32(1e-3) + np.float32(1e-4) * far)[:, None]
        reach = np.full(len(starts), REACH, dtype=np.float32)
        free = np.zeros(len(points), dtype=np.float32)
        for number in range(WAYS):
            ways = np.ascontiguousarray(around(facing, tiles, number))
            free += self._scene.run(starts, ways, dists=reach, query="OCCLUDED") < 0
        return np.asarray(DARKEST + (1 - DARKEST) / WAYS * free, dtype=np.float32)


def _edges(surfaces: Ints, normals: Singles, depth: Singles) -> Ints:
    """Return the pixels that differ much from the one to their right or below, and those."""
    at_edge = np.zeros(surfaces.shape, dtype=bool)
    far = np.where(np.isfinite(depth), depth, 0)
    for before, after in ((np.s_[:, :-1], np.s_[:, 1:]), (np.s_[:-1], np.s_[1:])):
        differ = surfaces[before] != surfaces[after]
        differ |= (np.einsum("ijk,ijk->ij", normals[before], normals[after]) < BEND) & (surfaces[before] >= 0)
        differ |= np.abs(far[before] - far[after]) > STEP * far[before]
        at_edge[before] |= differ
        at_edge[after] |= differ
    return np.flatnonzero(at_edge)


def _nearby(surfaces: Ints, size: int, pixels: Ints, wanted: Ints, shift: tuple[float, float]) -> Ints:
    """Return for each pixel itself, or the neighbour on the side of the shift that shows the wanted surface."""
    rows, columns = np.divmod(pixels, size)
    right, down = (1 if part > 0.5 else -1 for part in shift)
    near = pixels.copy()
    open_ = surfaces[pixels] != wanted
    for dx, dy in ((right, 0), (0, down), (right, down)):
        neighbour = np.clip(rows + dy, 0, size - 1) * size + np.clip(columns + dx, 0, size - 1)
        fits = open_ & (surfaces[neighbour] == wanted)
        near[fits] = neighbour[fits]
        open_ &= ~fits
    return near
