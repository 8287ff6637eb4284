"""Number tables of glTF files: decoded from any type, compression or sparseness, and written plainly.

>>> table = {"bufferView": 0, "componentType": 5121, "type": "SCALAR", "count": 4, "normalized": True}
>>> view, buffer = {"buffer": 0, "byteLength": 4}, {"byteLength": 4}
>>> content = {"accessors": [table], "bufferViews": [view], "buffers": [buffer]}
>>> numbers = Numbers(content, bytes([0, 51, 102, 255]))
>>> numbers.values(0).ravel().tolist()
[0.0, 0.2, 0.4, 1.0]
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from tsgkit.geometry.libraries import draco, np

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
    found = content.get(name)
    return found if isinstance(found, list) else []


def row_of(content: Mapping[str, Any], name: str, number: object) -> Mapping[str, Any] | None:
    """Return one object of a list; None where it is not there."""
    rows = listed(content, name)
    if type(number) is not int or not 0 <= number < len(rows) or not isinstance(rows[number], dict):
        return None
    found: Mapping[str, Any] = rows[number]
    return found


class Numbers:
    """The tables of a file, and those of the plain file made from it."""

    def __init__(self, content: Mapping[str, Any], binary: bytes, beside: Callable[[str], bytes] | None = None) -> None:
        self._content, self._binary, self._beside = content, binary, beside
        self._accessors: list[dict[str, Any]] = []
        self._views: list[dict[str, Any]] = []
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def tables(self) -> dict[str, list[dict[str, Any]]]:
        """The glTF lists that describe the added tables."""
        buffers = [{"byteLength": self._size}] if self._size else []
        return {"accessors": self._accessors, "bufferViews": self._views, "buffers": buffers}

    @property
    def written(self) -> bytes:
        """All that was added."""
        return b"".join(self._parts)

    def add(self, values: Any) -> int:  # noqa: ANN401  (arrays of single floats or whole numbers)
        """Write a table, and return the number of its accessor."""
        data = np.ascontiguousarray(values)
        wide = 1 if data.ndim == 1 else data.shape[1]
        kind = FLOAT if data.dtype.kind == "f" else WHOLE
        raw = data.tobytes()
        self._views.append({"buffer": 0, "byteOffset": self._size, "byteLength": len(raw)})
        about = {"bufferView": len(self._views) - 1, "componentType": kind, "type": NAMES[wide], "count": len(data)}
        self._accessors.append(about)
        self._parts.append(raw + b"\0" * (-len(raw) % 4))
        self._size += len(self._parts[-1])
        return len(self._accessors) - 1

    def surface(self, part: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
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
            return self._unpacked(packed, names)
        indices = None if "indices" not in part else self._raw(part["indices"]).reshape(-1)
        return {name: self._shared(self._raw(at), self._accessor(at), name) for name, at in names.items()}, indices

    def _unpacked(self, packed: Mapping[str, Any], names: Mapping[str, Any]) -> tuple[dict[str, Any], Any]:
        decode, data = draco.decode, self.view(packed.get("bufferView"))
        try:
            found = decode(data)
            by_id = {one["unique_id"]: one["data"] for one in found.attributes}
            tables = {name: by_id[packed["attributes"][name]] for name in names if name in packed["attributes"]}
        except Exception as error:  # noqa: BLE001 - decoders fail in every way there is
            words = " ".join(str(error).split()) or type(error).__name__
            raise NotRead(f"its Draco data cannot be decoded: {words:.100}") from None
        faces = getattr(found, "faces", None)
        values = {name: self._shared(table, self._accessor(names[name]), name) for name, table in tables.items()}
        return values, None if faces is None else np.asarray(faces).reshape(-1)

    def values(self, number: object) -> Floats:
        """Return a table as floats; normalised integers as fractions."""
        return self._shared(self._raw(number), self._accessor(number), "")

    def _shared(self, table: Any, about: Mapping[str, Any], name: str) -> Floats:  # noqa: ANN401
        table = np.asarray(table)
        # Whole numbers of colours are always shares, whether their file says so or not.
        if table.dtype.kind == "f" or not (about.get("normalized") is True or name == "COLOR_0"):
            return np.asarray(table, dtype=float)
        return np.asarray(np.maximum(table / np.iinfo(table.dtype).max, -1.0))

    def _accessor(self, number: object) -> Mapping[str, Any]:
        found = row_of(self._content, "accessors", number)
        if found is None:
            raise NotRead(f"there is no accessor {number!r:.40}")
        return found

    def _raw(self, number: object) -> Any:  # noqa: ANN401
        about = self._accessor(number)
        kind, wide, count = (
            TYPES.get(about.get("componentType", 0)),
            WIDE.get(about.get("type", "")),
            about.get("count"),
        )
        if kind is None or wide is None or type(count) is not int or not 0 <= count <= MOST:
            raise NotRead(f"accessor {number} is of no known type or size")
        if "bufferView" in about:
            table = self._table(about["bufferView"], about.get("byteOffset", 0), np.dtype(kind), wide, count)
        elif "sparse" in about:
            table = np.zeros((count, wide), dtype=kind)
        else:
            raise NotRead(f"accessor {number} has no numbers")
        return self._filled(table, about["sparse"]) if "sparse" in about else table

    def _filled(self, table: Any, sparse: Any) -> Any:  # noqa: ANN401
        """Return a table with some of its rows replaced."""
        try:
            count, where, what = sparse["count"], sparse["indices"], sparse["values"]
            kind = np.dtype(TYPES[where["componentType"]])
            rows = self._table(where["bufferView"], where.get("byteOffset", 0), kind, 1, count).reshape(-1)
            new = self._table(what["bufferView"], what.get("byteOffset", 0), table.dtype, table.shape[1], count)
            full = np.array(table)
            full[rows] = new
        except (KeyError, TypeError, IndexError) as error:
            raise NotRead(f"a sparse accessor is not as glTF has it: {type(error).__name__}") from None
        return full

    def _table(self, view: object, start: object, kind: Any, wide: int, count: int) -> Any:  # noqa: ANN401
        data, about = self.view(view), row_of(self._content, "bufferViews", view) or {}
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
        found = row_of(self._content, "bufferViews", number)
        if found is None:
            raise NotRead(f"there is no buffer view {number!r:.40}")
        data = self._buffer(found.get("buffer"))
        start, length = found.get("byteOffset", 0), found.get("byteLength")
        if type(start) is not int or type(length) is not int or start < 0 or not 0 <= length <= len(data) - start:
            raise NotRead(f"buffer view {number} reaches beyond its buffer")
        return data[start : start + length]

    def _buffer(self, number: object) -> bytes:
        found = row_of(self._content, "buffers", number)
        if found is None:
            raise NotRead(f"there is no buffer {number!r:.40}")
        return self.file(found["uri"]) if "uri" in found else self._binary

    def file(self, uri: object) -> bytes:
        """Return the bytes that are written in a file, or lie beside it."""
        if isinstance(uri, str) and uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2])
            except (binascii.Error, ValueError):
                raise NotRead("the bytes written in it are no base64") from None
        try:
            if self._beside is not None:
                return self._beside(str(uri))
        except KeyError:
            pass
        raise NotRead(f"it names another file ({uri!r:.80}) that is not there")
