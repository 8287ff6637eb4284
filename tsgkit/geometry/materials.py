"""Materials of surfaces: base colours of faces and corners, and textures with their coordinates.

>>> paint = plain((1.0, 0.0, 0.0), corners=3, faces=1)
>>> paint.colours.tolist(), paint.texture_of.tolist()
([[1.0, 0.0, 0.0]], [-1])

Colours are linear light from 0 to 1; ``linear`` and ``encoded`` convert from and to the bytes of images. Only base
colours and textures are kept: no roughness, metal, normal maps or emission. PNG files are written here, since Pillow is
not in the extra ``scenes``.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.geometry.libraries import basisu, np, pillow

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tsgkit.geometry.libraries import Bytes, Floats, Ints, Singles

MOST_PIXELS = 48_000_000
"""Textures of more pixels than this are left out, so that decoding one takes less than 300 MB."""
_BAND = 256
"""Rows that are converted at a time, at least."""
MOST_SIDE = 2048
"""Textures are reduced to this number of pixels a side."""
KTX2 = b"\xabKTX 20\xbb"
STEPS = 4096
WHITE = (1.0, 1.0, 1.0)


@dataclass(frozen=True, eq=False)
class Paint:
    """Base colours (faces x 3), the texture of each face (-1: none), and texture coordinates of each corner.

    ``tints`` (corners x 3) multiplies colours if corners have their own. Texture coordinates start at the lower left
    corner and repeat outside 0 to 1.
    """

    colours: Floats
    texture_of: Ints
    places: Floats
    textures: tuple[Texture, ...] = ()
    tints: Floats | None = None

    def part(self, faces: Any, corners: Any) -> Paint:  # noqa: ANN401  (whatever picks rows)
        """Return the paint of some faces and some corners."""
        tints = None if self.tints is None else self.tints[corners]
        return Paint(self.colours[faces], self.texture_of[faces], self.places[corners], self.textures, tints)


class Texture:
    """The bytes of an image (PNG, JPEG, WebP, KTX2), decoded on first use, or the reason why there is none."""

    def __init__(self, data: bytes, why_not: str = "") -> None:
        self._data, self._why_not = data, why_not

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to another process: nothing that was decoded."""
        return {"_data": self._data, "_why_not": self._why_not}

    @cached_property
    def levels(self) -> tuple[Bytes, ...]:
        """The image and its halves down to one pixel, each rows x columns x (red, green, blue, opacity).

        An image that cannot be decoded, or is too large, is one white pixel.
        """
        levels = [self._decoded()[0]]
        while max(levels[-1].shape[:2]) > 1:
            high, wide = levels[-1].shape[:2]
            odd = ((0, high % 2 if high > 1 else 1), (0, wide % 2 if wide > 1 else 1), (0, 0))
            even = np.pad(levels[-1], odd, mode="edge")
            blocks = even.reshape(even.shape[0] // 2, 2, even.shape[1] // 2, 2, 4)
            light = _light_of_bytes()[blocks[..., :3]].mean(axis=(1, 3))
            solid = blocks[..., 3].mean(axis=(1, 3)) + 0.5
            levels.append(np.concatenate([encoded(light), solid[..., None].astype(np.uint8)], axis=-1))
        return tuple(levels)

    @cached_property
    def fault(self) -> str:
        """The problem of the image; empty if there is none. Its pixels are not kept."""
        return self._decoded()[1]

    @cached_property
    def solid(self) -> bool:
        """True if the texture is opaque."""
        return bool((self.levels[0][..., 3] >= 128).all())

    def _decoded(self) -> tuple[Bytes, str]:
        why = self._why_not
        try:
            if not why:
                return (_transcoded if self._data.startswith(KTX2) else _opened)(self._data), ""
        except TsgkitError as error:
            why = error.message
        except Exception as error:  # noqa: BLE001 - decoders fail in every way there is
            why = f"it cannot be decoded: {' '.join(str(error).split()) or type(error).__name__:.100}"
        return np.full((1, 1, 4), 255, dtype=np.uint8), why


def _opened(data: bytes) -> Bytes:
    """Return the pixels of a PNG, JPEG or WebP image."""
    try:
        image = pillow.open(io.BytesIO(data))
    except pillow.UnidentifiedImageError:  # type: ignore[attr-defined]
        raise UsageError("it is not an image of a known format") from None
    image.draft("RGB", (MOST_SIDE, MOST_SIDE))  # a JPEG is decoded at a half, a quarter or an eighth
    _check_size(*image.size)
    by = -(-max(image.size) // MOST_SIDE)
    wide, high = image.size
    step = by * -(-_BAND // by)
    bands = []
    for top in range(0, high, step):
        band = image.crop((0, top, wide, min(top + step, high))).convert("RGBA")
        bands.append(np.array(band if by == 1 else band.reduce(by), dtype=np.uint8))
    return np.concatenate(bands)


def _transcoded(data: bytes) -> Bytes:
    """Return the pixels of the largest level of a KTX2 image that is not too large."""
    texture = basisu.open(data)
    _check_size(texture.width, texture.height)
    sizes = [max(texture.level_size(level)) for level in range(texture.levels)]
    level = next((n for n, size in enumerate(sizes) if size <= MOST_SIDE), len(sizes) - 1)
    return np.asarray(texture.transcode(basisu.Target.RGBA8, level).data, dtype=np.uint8)


def _check_size(wide: int, high: int) -> None:
    if wide * high > MOST_PIXELS:
        raise UsageError(f"{wide} by {high} pixels are too many")


def linear(shown: object) -> Floats:
    """Return linear light of sRGB colours, from 0 to 1."""
    values = np.clip(np.asarray(shown, dtype=float), 0, 1)
    return np.asarray(np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4))


def encoded(light: Floats | Singles) -> Bytes:
    """Return the bytes that show linear light."""
    steps = np.clip(np.asarray(light), 0, 1) * np.float32(STEPS - 1)
    return np.asarray(_bytes_of_light()[(steps + np.float32(0.5)).astype(np.int64)])


def sampled(texture: Texture, places: Floats, texels: Floats) -> tuple[Floats, Floats]:
    """Return linear light and opacity at texture coordinates; ``texels`` is the number of texture pixels per image
    pixel.
    """
    levels = texture.levels
    which = np.clip(np.round(np.log2(np.maximum(texels, 1e-6))), 0, len(levels) - 1).astype(int)
    texels_at = np.empty((len(places), 4))
    for level in np.unique(which):
        chosen = which == level
        high, wide = levels[level].shape[:2]
        # Values between the middles of pixels are weighted by how near these are.
        x, y = places[chosen, 0] * wide - 0.5, (1 - places[chosen, 1]) * high - 0.5
        left, top = np.floor(x).astype(int), np.floor(y).astype(int)
        right_share, low_share = (x - left)[:, None], (y - top)[:, None]
        total = np.zeros((len(x), 4))
        for dx, across in ((0, 1 - right_share), (1, right_share)):
            for dy, down in ((0, 1 - low_share), (1, low_share)):
                corner = levels[level][(top + dy) % high, (left + dx) % wide]
                total[:, :3] += across * down * _light_of_bytes()[corner[:, :3]]
                total[:, 3:] += across * down * (corner[:, 3:] / 255)
        texels_at[chosen] = total
    return texels_at[:, :3], texels_at[:, 3]


def plain(colour: Sequence[float], corners: int, faces: int) -> Paint:
    """Return one colour, of linear light, all over."""
    colours = np.broadcast_to(np.asarray(colour, dtype=float), (faces, 3))
    return Paint(colours, np.full(faces, -1), np.zeros((corners, 2)))


def paint_of(mesh: Any, textures: Mapping[str, Texture]) -> Paint | None:  # noqa: ANN401  (trimesh ships no complete types)
    """Return the material of a trimesh mesh, with textures by name; None if its file has none."""
    corners, faces, visual = len(mesh.vertices), len(mesh.faces), mesh.visual
    if visual.kind == "face":
        colours = linear(np.asarray(visual.face_colors)[:, :3] / 255)
        return Paint(colours, np.full(faces, -1), np.zeros((corners, 2)))
    if visual.kind == "vertex":
        base = plain(WHITE, corners, faces)
        tints = linear(np.asarray(visual.vertex_colors)[:, :3] / 255)
        return Paint(base.colours, base.texture_of, base.places, (), tints)
    material = getattr(visual, "material", None)
    if material is None:
        return None
    colour: Sequence[float] | None
    if hasattr(material, "baseColorFactor"):  # of glTF
        factor = material.baseColorFactor
        colour = None if factor is None else (np.asarray(factor, dtype=float)[:3] / 255).tolist()
        texture = textures.get(str(material.name))
    elif material.image is None:  # of a file beside an OBJ file, which writes colours as they are shown
        colour, texture = linear(material.main_color[:3] / 255).tolist(), None
    else:  # Where no material was found, the reader puts an image of its own, which never was a file.
        colour, texture = None, textures.get(material.image.info.get("file_path", ""))
    places = visual.uv
    if texture is None or places is None or len(places) != corners or not np.isfinite(places).all():
        return None if colour is None else plain(colour, corners, faces)
    base = plain(WHITE if colour is None else colour, corners, faces)
    return Paint(base.colours, np.zeros(faces, dtype=np.int64), np.asarray(places, dtype=float), (texture,))


def joined(paints: Sequence[Paint]) -> Paint:
    """Return the paint of several meshes that became one."""
    texture_of: list[Ints] = []
    textures: list[Texture] = []
    for paint in paints:
        texture_of.append(np.where(paint.texture_of >= 0, paint.texture_of + len(textures), -1))
        textures += paint.textures
    white = [np.ones((len(paint.places), 3)) if paint.tints is None else paint.tints for paint in paints]
    return Paint(
        np.concatenate([paint.colours for paint in paints]),
        np.concatenate(texture_of),
        np.concatenate([paint.places for paint in paints]),
        tuple(textures),
        np.concatenate(white) if any(paint.tints is not None for paint in paints) else None,
    )


@cache
def _light_of_bytes() -> Floats:
    return linear(np.arange(256) / 255)


@cache
def _bytes_of_light() -> Bytes:
    light: Floats = np.arange(STEPS) / (STEPS - 1)
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    return (255 * shown + 0.5).astype(np.uint8)


SIGNATURE = b"\x89PNG\r\n\x1a\n"
COLOURS = {1: 0, 3: 2, 4: 6}
"""The colour type for each number of channels: grey, colour, colour that can be seen through."""
UP = 2
"""The PNG filter that stores differences to the row above."""


def png(pixels: Bytes) -> bytes:
    """Return a PNG file of pixels: rows from the top, columns, channels of eight bits."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, COLOURS[channels], 0, 0, 0)
    rows = pixels.reshape(height, -1)
    added = np.diff(rows, axis=0, prepend=np.zeros_like(rows[:1]))
    filtered = np.concatenate([np.full((height, 1), UP, dtype=np.uint8), added], axis=1)
    data = zlib.compress(filtered.tobytes(), 6)
    return SIGNATURE + _chunk(b"IHDR", header) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
