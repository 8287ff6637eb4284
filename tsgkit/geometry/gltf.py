"""Decoding of GLB files: compressed surfaces, numbers as floats, separate textures.

>>> file = plain({"asset": {"version": "2.0"}, "materials": [{"pbrMetallicRoughness": {}}]}, b"")
>>> file.content["materials"], file.textures
([{'name': '0', 'pbrMetallicRoughness': {}}], {})
>>> plain({"extensionsRequired": ["NEW_one"]}, b"")  # doctest: +ELLIPSIS
Traceback (most recent call last):
tsgkit.geometry.gltf_numbers.NotRead: it needs the glTF extension NEW_one, which is not read; write the file anew ...

The mesh reader uses what is left: positions, texture coordinates, corner colours, faces and base colours. A required
extension that is unknown here is refused by name, since the surface would be read wrongly without it.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsgkit.geometry.gltf_numbers import DRACO, NotRead, Numbers, listed, row_of
from tsgkit.geometry.libraries import np
from tsgkit.geometry.materials import Texture

if TYPE_CHECKING:
    from tsgkit.geometry.libraries import Floats

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


@dataclass(frozen=True)
class PlainFile:
    """The JSON and bytes of a file with plain surfaces, and its textures by material name."""

    content: dict[str, Any]
    binary: bytes
    textures: Mapping[str, Texture] = field(default_factory=dict)
    faults: Mapping[int, str] = field(default_factory=dict)
    """Problems of meshes by number; they are replaced by empty meshes."""

    def part(self, wanted: Sequence[int], nodes: Sequence[Mapping[str, Any]]) -> PlainFile:
        """Return the file of some meshes alone, the first node its scene; ``NotRead`` where a mesh has a fault."""
        if faults := [self.faults[number] for number in wanted if number in self.faults]:
            raise NotRead(faults[0])
        meshes = [self.content["meshes"][number] for number in wanted]
        number_of = {at: new for new, at in enumerate(dict.fromkeys(_numbers_of(meshes)))}
        rows = [self.content["accessors"][at] for at in number_of]
        views, parts, size = [], [], 0
        for row in rows:
            view = self.content["bufferViews"][row["bufferView"]]
            parts.append(self.binary[view["byteOffset"] : view["byteOffset"] + view["byteLength"]])
            views.append({"buffer": 0, "byteOffset": size, "byteLength": view["byteLength"]})
            size += view["byteLength"]
        content = {
            "asset": {"version": "2.0"},
            "scene": 0,
            "scenes": [{"nodes": [0]}],
            "nodes": list(nodes),
            "meshes": [_renumbered(mesh, number_of) for mesh in meshes],
            "materials": self.content.get("materials", []),
            "accessors": [{**row, "bufferView": n} for n, row in enumerate(rows)],
            "bufferViews": views,
            "buffers": [{"byteLength": size}],
        }
        return PlainFile(content, b"".join(parts), self.textures)

    def written(self) -> bytes:
        """Return the GLB file, without textures."""
        return written_glb(self.content, self.binary)


def written_glb(content: Mapping[str, Any], binary: bytes) -> bytes:
    """Return a GLB file of its JSON and its bytes."""
    text = json.dumps(content).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), JSON_CHUNK) + text
    if binary:
        padded = binary + b"\0" * (-len(binary) % 4)
        chunks += struct.pack("<II", len(padded), BIN_CHUNK) + padded
    return MAGIC + struct.pack("<II", VERSION, 12 + len(chunks)) + chunks


def _numbers_of(meshes: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the accessors that plain meshes name."""
    parts = [part for mesh in meshes for part in mesh["primitives"]]
    indices = [part["indices"] for part in parts if "indices" in part]
    return [at for part in parts for at in part["attributes"].values()] + indices


def _renumbered(mesh: Mapping[str, Any], number_of: Mapping[int, int]) -> dict[str, Any]:
    found = []
    for part in mesh["primitives"]:
        attributes = {name: number_of[at] for name, at in part["attributes"].items()}
        indices = {"indices": number_of[part["indices"]]} if "indices" in part else {}
        found.append({**part, "attributes": attributes, **indices})
    return {"primitives": found}


def chunks_of(data: bytes) -> tuple[bytes, bytes]:
    """Return the JSON text and the bytes of a GLB file."""
    if data[:4] != MAGIC:
        raise NotRead("not a GLB file (it does not begin with glTF)")
    if len(data) < 20:
        raise NotRead("the GLB file ends before its first chunk")
    found: dict[int, bytes] = {}
    at = 12
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<II", data, at)
        if at + 8 + length > len(data):
            raise NotRead("the GLB file ends in the middle of a chunk")
        found.setdefault(kind, data[at + 8 : at + 8 + length])
        at += 8 + length
    return found.get(JSON_CHUNK, b""), found.get(BIN_CHUNK, b"")


def plain(content: Mapping[str, Any], binary: bytes, beside: Callable[[str], bytes] | None = None) -> PlainFile:
    """Return the file with its visible parts only. ``beside`` reads files that it names, or raises KeyError."""
    check_extensions(content)
    numbers = Numbers(content, binary, beside)
    looks = [_look(content, number) for number in range(len(listed(content, "materials")))]
    meshes, faults = [], {}
    for number, mesh in enumerate(listed(content, "meshes")):
        try:
            meshes.append(_plain_mesh(mesh, numbers, looks))
        except (TypeError, ValueError, LookupError, OverflowError) as error:
            meshes.append({"primitives": []})
            faults[number] = str(error) if isinstance(error, NotRead) else f"{type(error).__name__}: {error}"
    materials = [{"name": str(n), "pbrMetallicRoughness": look.base} for n, look in enumerate(looks)]
    shown = {look.image: Texture(*_image(content, look.image, numbers)) for look in looks if look.image is not None}
    textures = {str(n): shown[look.image] for n, look in enumerate(looks) if look.image is not None}
    kept = {key: content[key] for key in ("asset", "scene", "scenes", "nodes") if key in content}
    tables = {"meshes": meshes, "materials": materials, **numbers.tables}
    return PlainFile({**kept, **{key: rows for key, rows in tables.items() if rows}}, numbers.written, textures, faults)


def check_extensions(content: Mapping[str, Any]) -> None:
    """``NotRead`` where a file requires an extension that nothing here knows, with a way to do without it."""
    for name in listed(content, "extensionsRequired"):
        if not (isinstance(name, str) and (name in READ or name.startswith(LOOKS))):
            way = ANEW.get(str(name), PLAINLY)
            raise NotRead(
                f"it needs the glTF extension {name!s:.80}, which is not read; write the file anew without it: {way}"
            )


def _inner(row: object, *names: str) -> Mapping[str, Any]:
    """Return an object within objects; an empty one where it is not there."""
    for name in names:
        row = row.get(name) if isinstance(row, Mapping) else None
    return row if isinstance(row, Mapping) else {}


@dataclass(frozen=True)
class _Look:
    """The appearance of a material: its base colour, its image number, and its texture coordinates."""

    base: dict[str, Any]
    image: int | None = None
    corners: int = 0
    moved: Mapping[str, Any] = field(default_factory=dict)


def _look(content: Mapping[str, Any], number: int) -> _Look:
    """Return the appearance of a material; invalid parts are left out."""
    material = row_of(content, "materials", number)
    glossy = _inner(material, "extensions", GLOSSY)
    said = glossy or _inner(material, "pbrMetallicRoughness")
    factor = said.get("diffuseFactor" if glossy else "baseColorFactor")
    base = {"baseColorFactor": factor} if isinstance(factor, list) and _shares(factor) else {}
    info = _inner(said, "diffuseTexture" if glossy else "baseColorTexture")
    texture = row_of(content, "textures", info.get("index"))
    if texture is None:
        return _Look(base)
    sources = [_inner(texture, "extensions", one).get("source") for one in (BASIS, WEBP)] + [texture.get("source")]
    image = next((one for one in sources if row_of(content, "images", one) is not None), None)
    moved = _inner(info, "extensions", SHIFTED)
    corners = moved.get("texCoord", info.get("texCoord", 0))
    return _Look(base, image, corners if type(corners) is int else 0, moved)


def _shares(factor: list[Any]) -> bool:
    return len(factor) == 4 and all(isinstance(one, int | float) and 0 <= one <= 1 for one in factor)


def _image(content: Mapping[str, Any], number: int, numbers: Numbers) -> tuple[bytes, str]:
    """Return the bytes of an image, or why there are none."""
    image = row_of(content, "images", number) or {}
    try:
        return (numbers.view(image["bufferView"]) if "bufferView" in image else numbers.file(image.get("uri"))), ""
    except NotRead as error:
        return b"", str(error)


def _plain_mesh(mesh: object, numbers: Numbers, looks: Sequence[_Look]) -> dict[str, Any]:
    """Return a mesh with its shape and its paint: no normals, skins or targets, nothing compressed."""
    parts = mesh.get("primitives") if isinstance(mesh, dict) else None
    if not isinstance(parts, list) or not all(isinstance(part, dict) for part in parts):
        raise NotRead("a mesh is no list of primitives")
    return {"primitives": [_plain_part(part, numbers, looks) for part in parts]}


def _plain_part(part: Mapping[str, Any], numbers: Numbers, looks: Sequence[_Look]) -> dict[str, Any]:
    found: dict[str, Any] = {"mode": part.get("mode", 4)}
    which = part.get("material")
    look = looks[which] if type(which) is int and 0 <= which < len(looks) else None
    attributes, faces = numbers.surface(part)
    if "POSITION" not in attributes:
        raise NotRead("a part of a mesh has no positions")
    kept = {"POSITION": attributes["POSITION"].astype(np.float32)}
    if "COLOR_0" in attributes:
        kept["COLOR_0"] = attributes["COLOR_0"].astype(np.float32)
    places = attributes.get(f"TEXCOORD_{look.corners if look else 0}")
    if places is not None:
        kept["TEXCOORD_0"] = (_moved(places, look.moved) if look else places).astype(np.float32)
    if look is not None:
        found["material"] = which
    if faces is not None:
        found["indices"] = numbers.add(faces.astype(np.uint32))
    return {**found, "attributes": {name: numbers.add(values) for name, values in kept.items()}}


def _moved(places: Floats, moved: Mapping[str, Any]) -> Floats:
    """Places on a texture after its own shift, turn and scale."""
    shift, scale, turn = moved.get("offset", (0, 0)), moved.get("scale", (1, 1)), moved.get("rotation", 0)
    if not moved or not all(_pair(one) for one in (shift, scale)) or not isinstance(turn, int | float):
        return places
    c, s = np.cos(turn), np.sin(turn)
    return np.asarray(places * np.asarray(scale, dtype=float) @ np.array([[c, -s], [s, c]]) + np.asarray(shift))


def _pair(numbers: object) -> bool:
    return isinstance(numbers, list | tuple) and len(numbers) == 2 and all(isinstance(n, int | float) for n in numbers)
