"""The base colours and textures of some meshes of a glTF file, without the rest of their materials.

>>> content = {"materials": [{"name": "glass"}, {"pbrMetallicRoughness": {"baseColorFactor": [1, 0, 0, 1]}}]}
>>> meshes = [{"primitives": [{"attributes": {"POSITION": 0}, "material": 1}]}]
>>> painted(content, meshes)["materials"], meshes[0]["primitives"][0]["material"]
([{'pbrMetallicRoughness': {'baseColorFactor': [1, 0, 0, 1]}}], 0)

Paint never keeps a room from being measured: what is not as glTF has it is left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def painted(content: Mapping[str, Any], meshes: Sequence[Any]) -> dict[str, list[Any]]:
    """The materials, textures and images that meshes need; their primitives are made to name them by new numbers."""
    found: dict[str, list[Any]] = {"materials": [], "textures": [], "images": []}
    numbers: dict[int, int] = {}
    for part in _primitives(meshes):
        old = part.pop("material", None)
        base = _base(_entry(content, "materials", old))
        if base is None:
            continue
        if old not in numbers:
            numbers[old] = len(found["materials"])
            found["materials"].append({"pbrMetallicRoughness": _paint(base, content, found)})
        part["material"] = numbers[old]
    return {field: values for field, values in found.items() if values}


def _primitives(meshes: Sequence[Any]) -> list[dict[str, Any]]:
    lists = [mesh.get("primitives") for mesh in meshes if isinstance(mesh, dict)]
    return [part for parts in lists if isinstance(parts, list) for part in parts if isinstance(part, dict)]


def _entry(content: Mapping[str, Any], field: str, number: object) -> Mapping[str, Any] | None:
    listed = content.get(field)
    if not isinstance(listed, list) or type(number) is not int or not 0 <= number < len(listed):
        return None
    found = listed[number]
    return found if isinstance(found, dict) else None


def _base(material: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    found = None if material is None else material.get("pbrMetallicRoughness")
    return found if isinstance(found, dict) else None


def _paint(base: Mapping[str, Any], content: Mapping[str, Any], found: dict[str, list[Any]]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    factor = base.get("baseColorFactor")
    if isinstance(factor, list) and len(factor) == 4 and all(_is_share(one) for one in factor):
        kept["baseColorFactor"] = factor
    texture = base.get("baseColorTexture")
    if not isinstance(texture, dict) or texture.get("texCoord", 0) != 0:
        return kept
    which = _entry(content, "textures", texture.get("index"))
    image = None if which is None else _entry(content, "images", which.get("source"))
    if image is not None:
        kept["baseColorTexture"] = {"index": len(found["textures"])}
        found["textures"].append({"source": len(found["images"])})
        found["images"].append(dict(image))
    return kept


def _is_share(one: object) -> bool:
    return isinstance(one, int | float) and 0 <= one <= 1
