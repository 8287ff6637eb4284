"""Decoding of GLB files: compressed surfaces, numbers as floats, separate textures.

>>> file = plain({"asset": {"version": "2.0"}, "materials": [{"pbrMetallicRoughness": {}}]}, b"")
>>> file.materials, file.textures
([{'name': '0', 'pbrMetallicRoughness': {}}], {})
>>> plain({"extensionsRequired": ["NEW_one"]}, b"")  # doctest: +ELLIPSIS
Traceback (most recent call last):
tsgkit.geometry.gltf.NotRead: it needs the glTF extension NEW_one, which is not read; write the file anew ...

The mesh reader uses what is left: positions, texture coordinates, corner colours, faces and base colours. A required
extension that is unknown here is refused by name, since the surface would be read wrongly without it. trimesh reads
what is plain; it fills no sparse tables, moves no texture coordinates, and knows no KTX2.
"""

from __future__ import annotations

import base64
import binascii
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from tsgkit.geometry.libraries import draco, np
from tsgkit.geometry.materials import Texture

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

DRACO = "KHR_draco_mesh_compression"
TYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDE = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}
NAMES = {wide: name for name, wide in WIDE.items()}
FLOAT, WHOLE = 5126, 5125
MOST = 50_000_000
"""Of no table are more rows read."""
SEEN = ("POSITION", "TEXCOORD_", "COLOR_0")


class NotRead(ValueError):
    """A file that cannot be read, with the reason."""


def listed(content: Mapping[str, Any], name: str) -> list[Any]:
    """Return a list of the file; empty where it is none."""
    rows = content.get(name)
    return rows if isinstance(rows, list) else []


def row_of(content: Mapping[str, Any], name: str, number: object) -> Mapping[str, Any] | None:
    """Return one object of a list; None where it is not there."""
    rows = listed(content, name)
    if type(number) is not int or not 0 <= number < len(rows) or not isinstance(rows[number], dict):
        return None
    row: Mapping[str, Any] = rows[number]
    return row


@dataclass(frozen=True)
class Numbers:
    """The tables of a file: its JSON, its bytes, and a reader of the files that it names, which may raise KeyError."""

    content: Mapping[str, Any]
    binary: bytes
    beside: Callable[[str], bytes] | None = None

    def surface(self, part: Mapping[str, Any]) -> tuple[dict[str, Floats], Any]:
        """Return the numbers of a part of a mesh by their names, and its corners face by face (None: one after the
        other).
        """
        attributes = part.get("attributes")
        if not isinstance(attributes, dict):
            raise NotRead("a part of a mesh has no attributes")
        names = {name: at for name, at in attributes.items() if isinstance(name, str) and name.startswith(SEEN)}
        extensions = part.get("extensions")
        packed = extensions.get(DRACO) if isinstance(extensions, dict) else None
        if isinstance(packed, dict):
            tables, indices = self._unpacked(packed, names)
        else:
            indices = None if "indices" not in part else self._table(part["indices"]).reshape(-1)
            tables = {name: self._table(at) for name, at in names.items()}
        values = {}
        for name, table in tables.items():
            # Whole numbers of colours are always shares, whether their file says so or not.
            is_share = self._accessor(names[name]).get("normalized") is True or name == "COLOR_0"
            if table.dtype.kind == "f" or not is_share:
                values[name] = np.asarray(table, dtype=float)
            else:
                values[name] = np.asarray(np.maximum(table / np.iinfo(table.dtype).max, -1.0))
        return values, indices

    def _unpacked(self, packed: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        decode, data = draco.decode, self.view(packed.get("bufferView"))
        try:
            mesh = decode(data)
            by_id = {attribute["unique_id"]: attribute["data"] for attribute in mesh.attributes}
            tables = {name: by_id[packed["attributes"][name]] for name in names if name in packed["attributes"]}
        except Exception as error:  # noqa: BLE001 - decoders fail in every way there is
            words = " ".join(str(error).split()) or type(error).__name__
            raise NotRead(f"its Draco data cannot be decoded: {words:.100}") from None
        faces = getattr(mesh, "faces", None)
        arrays = {name: np.asarray(table) for name, table in tables.items()}
        return arrays, None if faces is None else np.asarray(faces).reshape(-1)

    def _accessor(self, number: object) -> Mapping[str, Any]:
        row = row_of(self.content, "accessors", number)
        if row is None:
            raise NotRead(f"there is no accessor {number!r:.40}")
        return row

    def _table(self, number: object) -> Any:  # noqa: ANN401  (arrays of single floats or whole numbers)
        about = self._accessor(number)
        kind, wide = TYPES.get(about.get("componentType", 0)), WIDE.get(about.get("type", ""))
        count = about.get("count")
        if kind is None or wide is None or type(count) is not int or not 0 <= count <= MOST:
            raise NotRead(f"accessor {number} is of no known type or size")
        if "bufferView" in about:
            table = self._rows(about["bufferView"], about.get("byteOffset", 0), np.dtype(kind), wide, count)
        elif "sparse" in about:
            table = np.zeros((count, wide), dtype=kind)
        else:
            raise NotRead(f"accessor {number} has no numbers")
        if "sparse" not in about:
            return table
        try:
            count, where, what = (about["sparse"][key] for key in ("count", "indices", "values"))
            number = np.dtype(TYPES[where["componentType"]])
            rows = self._rows(where["bufferView"], where.get("byteOffset", 0), number, 1, count).reshape(-1)
            new = self._rows(what["bufferView"], what.get("byteOffset", 0), table.dtype, wide, count)
            full = np.array(table)
            full[rows] = new
        except (KeyError, TypeError, IndexError) as error:
            raise NotRead(f"a sparse accessor is not as glTF has it: {type(error).__name__}") from None
        return full

    def _rows(self, view: object, start: object, kind: Any, wide: int, count: int) -> Any:  # noqa: ANN401
        data, about = self.view(view), row_of(self.content, "bufferViews", view) or {}
        row = kind.itemsize * wide
        stride = about.get("byteStride", row)
        fits = type(stride) is int and stride >= row and type(start) is int and start >= 0 and type(count) is int
        if not fits or count < 0 or (count and start + (count - 1) * stride + row > len(data)):
            raise NotRead("an accessor reaches beyond its bytes")
        if not count:
            return np.zeros((0, wide), dtype=kind)
        places = np.lib.stride_tricks.as_strided(
            np.frombuffer(data, dtype=np.uint8)[start:], (count, row), (stride, 1), writeable=False
        )
        return np.ascontiguousarray(places).view(kind).reshape(count, wide)

    def view(self, number: object) -> bytes:
        """Return the bytes of a view."""
        view = row_of(self.content, "bufferViews", number)
        if view is None:
            raise NotRead(f"there is no buffer view {number!r:.40}")
        buffer = row_of(self.content, "buffers", view.get("buffer"))
        if buffer is None:
            raise NotRead(f"there is no buffer {view.get('buffer')!r:.40}")
        data = self.file(buffer["uri"]) if "uri" in buffer else self.binary
        start, length = view.get("byteOffset", 0), view.get("byteLength")
        if type(start) is not int or type(length) is not int or start < 0 or not 0 <= length <= len(data) - start:
            raise NotRead(f"buffer view {number} reaches beyond its buffer")
        return data[start : start + length]

    def file(self, uri: object) -> bytes:
        """Return the bytes that are written in a file, or lie beside it."""
        if isinstance(uri, str) and uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2])
            except (binascii.Error, ValueError):
                raise NotRead("the bytes written in it are no base64") from None
        try:
            if self.beside is not None:
                return self.beside(str(uri))
        except KeyError:
            pass
        raise NotRead(f"it names another file ({uri!r:.80}) that is not there")


MAGIC, VERSION = b"glTF", 2
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942
QUANTIZED, BASIS, WEBP = "KHR_mesh_quantization", "KHR_texture_basisu", "EXT_texture_webp"
SHIFTED, GLOSSY = "KHR_texture_transform", "KHR_materials_pbrSpecularGlossiness"
READ = frozenset({DRACO, QUANTIZED, BASIS, WEBP, SHIFTED, GLOSSY, "KHR_lights_punctual", "KHR_xmp_json_ld"})
"""The extensions that are read, or that change nothing of a surface."""
LOOKS = "KHR_materials_"
"""Prefixes of extensions that only affect appearance."""
ANEW = {"EXT_meshopt_compression": "gltfpack -i FILE.glb -o NEW.glb -noq"}
PLAINLY = "gltf-transform copy FILE.glb NEW.glb, or export it from a 3D editor as plain glTF 2.0"


class PlainTable(NamedTuple):
    """A table of single floats or whole numbers: its accessor without a place, and its bytes."""

    accessor: dict[str, Any]
    data: bytes


def _plain_table(values: Any) -> PlainTable:  # noqa: ANN401
    table = np.ascontiguousarray(values)
    kind, wide = FLOAT if table.dtype.kind == "f" else WHOLE, 1 if table.ndim == 1 else table.shape[1]
    return PlainTable({"componentType": kind, "type": NAMES[wide], "count": len(table)}, table.tobytes())


@dataclass(frozen=True)
class PlainFile:
    """The scene and nodes of a file, its plain surfaces by mesh, and its textures by material name."""

    content: dict[str, Any]
    meshes: Sequence[Sequence[Mapping[str, Any]]] = ()
    """The parts of each mesh: ``attributes`` and ``indices`` are tables."""
    materials: Sequence[Mapping[str, Any]] = ()
    textures: Mapping[str, Texture] = field(default_factory=dict)
    faults: Mapping[int, str] = field(default_factory=dict)
    """Problems of meshes by number; they are replaced by empty meshes."""

    def part(self, wanted: Sequence[int], nodes: Sequence[Mapping[str, Any]]) -> PlainFile:
        """Return the file of some meshes alone, the first node its scene; ``NotRead`` where a mesh has a fault."""
        if faults := [self.faults[number] for number in wanted if number in self.faults]:
            raise NotRead(faults[0])
        content = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": list(nodes)}
        return replace(self, content=content, meshes=[self.meshes[number] for number in wanted], faults={})

    def written(self) -> bytes:
        """Return the GLB file, without textures."""
        accessors: list[dict[str, Any]] = []
        views: list[dict[str, Any]] = []
        chunks: list[bytes] = []
        size = 0

        def number_of(table: PlainTable) -> int:
            nonlocal size
            views.append({"buffer": 0, "byteOffset": size, "byteLength": len(table.data)})
            accessors.append({"bufferView": len(accessors), **table.accessor})
            chunks.append(table.data + b"\0" * (-len(table.data) % 4))
            size += len(chunks[-1])
            return len(accessors) - 1

        meshes = []
        for parts in self.meshes:
            primitives = []
            for part in parts:
                indices = {"indices": number_of(part["indices"])} if "indices" in part else {}
                attributes = {name: number_of(table) for name, table in part["attributes"].items()}
                primitives.append({**part, **indices, "attributes": attributes})
            meshes.append({"primitives": primitives})
        buffers = [{"byteLength": size}] if size else []
        lists = {"meshes": meshes, "materials": self.materials, "accessors": accessors, "bufferViews": views}
        rows = {name: row for name, row in {**lists, "buffers": buffers}.items() if row}
        return written_glb({**self.content, **rows}, b"".join(chunks))


def written_glb(content: Mapping[str, Any], binary: bytes) -> bytes:
    """Return a GLB file of its JSON and its bytes."""
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        padded = binary + b"\0" * (-len(binary) % 4)
        chunks += struct.pack("<II", len(padded), BIN_CHUNK) + padded
    return MAGIC + struct.pack("<II", VERSION, 12 + len(chunks)) + chunks


def chunks_of(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON text and the bytes of a GLB file."""
    if data[:4] != MAGIC:
        raise NotRead("not a GLB file (it does not begin with glTF)")
    if len(data) < 20:
        raise NotRead("the GLB file ends before its first chunk")
    chunks: dict[int, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        if at + 8 + length > len(data):
            raise NotRead("the GLB file ends in the middle of a chunk")
        chunks.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    return chunks.get(JSON_CHUNK, b""), chunks.get(BIN_CHUNK, b"")


def plain(content: Mapping[str, Any], binary: bytes, beside: Callable[[str], bytes] | None = None) -> PlainFile:
    """Return the file with its visible parts only. ``beside`` reads files that it names, or raises KeyError.

    ``NotRead`` where a file requires an extension that nothing here knows, with a way to do without it.
    """
    for name in listed(content, "extensionsRequired"):
        if not (isinstance(name, str) and (name in READ or name.startswith(LOOKS))):
            needed = f"it needs the glTF extension {name!s:.80}, which is not read"
            raise NotRead(f"{needed}; write the file anew without it: {ANEW.get(str(name), PLAINLY)}")
    numbers = Numbers(content, binary, beside)
    looks = [_look(content, number) for number in range(len(listed(content, "materials")))]
    meshes, faults = [], {}
    for number, mesh in enumerate(listed(content, "meshes")):
        try:
            parts = mesh.get("primitives") if isinstance(mesh, dict) else None
            if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
                raise NotRead("a mesh is no list of primitives")
            meshes.append([_plain_part(part, numbers, looks) for part in parts])
        except (TypeError, ValueError, LookupError, OverflowError) as error:
            meshes.append([])
            faults[number] = str(error) if isinstance(error, NotRead) else f"{type(error).__name__}: {error}"
    materials = [{"name": str(n), "pbrMetallicRoughness": look.base} for n, look in enumerate(looks)]
    images: dict[int, Texture] = {}
    for look in looks:
        if look.image is None or look.image in images:
            continue
        image = row_of(content, "images", look.image) or {}
        try:
            data = numbers.view(image["bufferView"]) if "bufferView" in image else numbers.file(image.get("uri"))
            images[look.image] = Texture(data)
        except NotRead as error:
            images[look.image] = Texture(b"", str(error))
    textures = {str(n): images[look.image] for n, look in enumerate(looks) if look.image is not None}
    kept = {key: content[key] for key in ("asset", "scene", "scenes", "nodes") if key in content}
    return PlainFile(kept, meshes, materials, textures, faults)


def _inner(row: object, *names: str) -> Mapping[str, Any]:
    """Return an object within objects; an empty one where it is not there."""
    for name in names:
        row = row.get(name) if isinstance(row, Mapping) else None
    return row if isinstance(row, Mapping) else {}


class _Look(NamedTuple):
    """The appearance of a material: its base colour, its image number, and its texture coordinates."""

    base: dict[str, Any]
    image: int | None = None
    corners: int = 0
    moved: Mapping[str, Any] = {}


def _look(content: Mapping[str, Any], number: int) -> _Look:
    """Return the appearance of a material; invalid parts are left out."""
    material = row_of(content, "materials", number)
    glossy = _inner(material, "extensions", GLOSSY)
    shading = glossy or _inner(material, "pbrMetallicRoughness")
    factor = shading.get("diffuseFactor" if glossy else "baseColorFactor")
    shares = factor if isinstance(factor, list) and len(factor) == 4 else [None]
    is_colour = all(isinstance(share, int | float) and 0 <= share <= 1 for share in shares)
    base = {"baseColorFactor": factor} if is_colour else {}
    info = _inner(shading, "diffuseTexture" if glossy else "baseColorTexture")
    texture = row_of(content, "textures", info.get("index"))
    if texture is None:
        return _Look(base)
    holders = [_inner(texture, "extensions", BASIS), _inner(texture, "extensions", WEBP), texture]
    sources = [holder.get("source") for holder in holders]
    image = next((source for source in sources if row_of(content, "images", source) is not None), None)
    moved = _inner(info, "extensions", SHIFTED)
    corners = moved.get("texCoord", info.get("texCoord", 0))
    return _Look(base, image, corners if type(corners) is int else 0, moved)


def _plain_part(part: Mapping[str, Any], numbers: Numbers, looks: Sequence[_Look]) -> dict[str, Any]:
    """Return a part with its shape and its paint: no normals, skins or targets, nothing compressed."""
    which = part.get("material")
    known = looks[which] if type(which) is int and 0 <= which < len(looks) else None
    look = known or _Look({})
    attributes, faces = numbers.surface(part)
    if "POSITION" not in attributes:
        raise NotRead("a part of a mesh has no positions")
    kept: dict[str, Floats] = {name: attributes[name] for name in ("POSITION", "COLOR_0") if name in attributes}
    if (places := attributes.get(f"TEXCOORD_{look.corners}")) is not None:
        kept["TEXCOORD_0"] = _moved(places, look.moved)
    return {
        "mode": part.get("mode", 4),
        **({} if known is None else {"material": which}),
        **({} if faces is None else {"indices": _plain_table(faces.astype(np.uint32))}),
        "attributes": {name: _plain_table(values.astype(np.float32)) for name, values in kept.items()},
    }


def _moved(places: Floats, moved: Mapping[str, Any]) -> Floats:
    """Places on a texture after its own shift, turn and scale."""
    shift, scale, turn = moved.get("offset", (0, 0)), moved.get("scale", (1, 1)), moved.get("rotation", 0)
    pairs = all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in (shift, scale))
    if not moved or not pairs or not all(isinstance(number, int | float) for number in (*shift, *scale, turn)):
        return places
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(places * np.asarray(scale, dtype=float) @ np.array([[c, -s], [s, c]]) + np.asarray(shift))
