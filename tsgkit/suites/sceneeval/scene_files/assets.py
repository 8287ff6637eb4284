"""Asset folders of published scene states, in the layouts of the published collections.

>>> source_of("hssd=/data/hssd").prefix
'fpModel'
>>> source_of("fpModel=/data/hssd").prefix, source_of("ikea=/data").prefix
('fpModel', 'ikea')
>>> source_of("objathr=/data")
Traceback (most recent call last):
tsgkit.errors.UsageError: --assets objathr=/data: there is no layout objathr

======================  ========================  =================================  ======================
layout                  prefix of a ``modelId``   mesh                               what is known of it
======================  ========================  =================================  ======================
``threed_future``       ``3dfModel``              ``ID/raw_model.obj``               ``model_info.json``
``objathor``            ``objaverse``             ``ID/ID.glb``                      ``annotations.json``
                                                                                     (or ``.json.gz``)
``hssd``                ``fpModel``               ``glb/I/ID.glb``; parts of things  ``fpmodels.csv``
                                                  ``decomposed/WHOLE/ID.glb``
``layoutvlm_objathor``  ``layoutvlm-objaverse``   ``ID/ID.glb``                      ``ID/data.json``
``scene_agent``         ``scene-agent``           that of the ``sdfPath`` of its     its description in
                                                  object in ``scene_N.json``         ``scene_N.json``
any other prefix        that prefix               ``scene_N/assets/NAME.glb`` for    the same
                                                  ids ``scene_N__NAME``, else
                                                  ``ID/ID.glb`` or ``ID.glb``
======================  ========================  =================================  ======================

A layout is named by its prefix too. The transforms of ``sceneweaver``, ``sw``, ``idesign`` and ``scene-agent`` are of
meshes with z up, as Blender imports them; all others are of meshes with y up.

The boxes of ``objathor`` are written with y up, and its meshes have their origin in the middle of them. Those of
``layoutvlm_objathor`` are written with z up (x is the width), and its meshes have their origin in the middle of the
underside.

An id may be any text; of one that no file can be named by, the file is looked for in another spelling
(:func:`~tsgkit.suites.sceneeval.scene_files.files.spelt`). Nothing outside the given folder is read. An asset of HSSD
may declare its own ``up`` and ``front``; it is turned once, in its own frame. Assets of objaverse whose faces look
inwards are turned out, as published.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import Transform, asset_rotation
from tsgkit.lexicon import nearest
from tsgkit.library.files import decoded, read_bytes, read_text
from tsgkit.suites.sceneeval.scene_files.files import file_of_asset, inside, json_of, objects_in

FUTURE, OBJATHOR, HSSD = "model_info.json", "annotations.json", "fpmodels.csv"
PACKED = ".gz"
MOST_UNPACKED = 2**30
"""Bytes of a table that was packed."""
SCENE_AGENT = "scene-agent"
STOOD_UP = frozenset({"sceneweaver", "sw", "idesign", SCENE_AGENT})
"""Prefixes of assets whose transforms are of meshes with z up."""
MERGED = "combined_merged.glb"
"""The mesh of all links of an articulated object of ``scene-agent``."""
_SHORT_SCENE = re.compile(r"s(?=\d+$)")
_VISUAL = re.compile(r"<visual\b(?:(?!<visual\b).)*?</visual>", re.DOTALL)
_MESH = re.compile(r"<uri>([^<]+)</uri>")
_SCALE = re.compile(r"<scale>\s*([0-9.eE+-]+)\s+\1\s+\1\s*</scale>")
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


class Asset(NamedTuple):
    """A source's data about one asset."""

    mesh: Path
    category: str
    description: str
    rotation: Transform | None = None
    box: tuple[float, float, float] | None = None
    """Width, depth and height according to the source."""
    mend_winding: bool = False
    based: bool = False
    """Its mesh has its origin in the middle of its underside, not in the middle of its box."""
    stood_up: bool = False
    """Its transform is of the mesh with z up."""


@dataclass(frozen=True)
class FolderLayout:
    """One of the published folder layouts; ``a|b`` is the first of two fields that says something."""

    prefix: str
    mesh: Callable[[str], str]
    category: str
    """The field that says it."""
    description: tuple[str, ...]
    """The fields that say it together."""
    table: str = ""
    """The file that knows all assets; none where each has its own."""
    mend_winding: bool = False
    z_up: bool = False
    """Its boxes are written with z up: x is the width, y the depth, z the height."""
    based: bool = False


@dataclass(frozen=True)
class FolderSource:
    """A folder in one of the published layouts, or of a prefix without one."""

    name: str
    folder: Path

    @property
    def prefix(self) -> str:
        """The part of its model ids before the dot."""
        return LAYOUTS[self.name].prefix if self.name in LAYOUTS else self.name

    def asset(self, asset_id: str, where: str) -> Asset:
        """Return one asset. Raise ``FileProblem``, beginning with ``where``, if it is invalid."""
        if self.name not in LAYOUTS:
            return _scene_asset(self.folder, self.name, asset_id, where)
        layout, folder = LAYOUTS[self.name], self.folder
        mesh = file_of_asset(folder, asset_id, layout.mesh, where)
        if layout.table:
            table = folder / layout.table
            written = _written(table) or _written(table.with_name(table.name + PACKED))
            known = _table(folder, layout.table, written).get(asset_id)
        else:
            files = [
                file_of_asset(folder, asset_id, f"{{}}/data.json{end}".format, str(folder)) for end in ("", PACKED)
            ]
            known = _flat(_json_of(*files))
        known = known if isinstance(known, dict) else {}
        words = _flat(known)
        category, description = _words(words, layout.category), _words(words, *layout.description)
        axes = "xyz" if layout.z_up else "xzy"
        simulated = known.get("thor_metadata")
        about = known.get("assetMetadata") or (simulated.get("assetMetadata") if isinstance(simulated, dict) else None)
        box = extents(about.get("boundingBox"), axes) if isinstance(about, dict) else None
        return Asset(mesh, category, description, _rotation(known, where), box, layout.mend_winding, layout.based)


@lru_cache(maxsize=8)
def _table(folder: Path, name: str, written: int) -> Mapping[str, Any]:
    """Return a folder's data about all its assets, cached until the file changes."""
    path = inside(folder, name, str(folder))
    if name == HSSD:
        rows = list(csv.DictReader(io.StringIO(read_text(path)))) if path.is_file() else []
        categories = [str(row.get("wnsynsetkey") or "").split(".")[0].replace("_", " ") for row in rows]
        return {
            row["id"]: {**row, "category": name} for row, name in zip(rows, categories, strict=True) if row.get("id")
        }
    value = _json_of(path, inside(folder, name + PACKED, str(folder)))
    if isinstance(value, list):
        return {str(row.get("model_id")): row for row in objects_in(value)}
    return value if isinstance(value, dict) else {}


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def source_of(text: str) -> FolderSource:
    """Return the source that ``LAYOUT=DIR`` or ``PREFIX=DIR`` names."""
    name, _, folder = text.partition("=")
    if not (name and folder):
        raise UsageError(f"--assets {text}: not LAYOUT=DIR", hint=f"the layouts: {', '.join(LAYOUTS)}, or a prefix")
    by_prefix = {layout.prefix: known for known, layout in LAYOUTS.items()} | {"scene_agent": SCENE_AGENT}
    name = by_prefix.get(name, name)
    if name not in {*LAYOUTS, *STOOD_UP} and (alike := nearest(name, LAYOUTS, limit=1)):
        raise UsageError(f"--assets {text}: there is no layout {name}", hint=f"{alike[0].name}?")
    return FolderSource(name, Path(folder))


def sources_of(texts: Sequence[str]) -> tuple[FolderSource, ...]:
    """Return the named sources. Raise an error before anything is measured if a folder does not exist."""
    sources = tuple(map(source_of, texts))
    for source in sources:
        if not source.folder.is_dir():
            raise FileProblem(f"--assets {source.name}={source.folder}: there is no such folder")
    return sources


def _scene_asset(folder: Path, prefix: str, asset_id: str, where: str) -> Asset:
    """Return an asset that was made for one scene (``scene_N__NAME``), or that lies in its folder under its own id."""
    scene, parted, name = asset_id.partition("__")
    described: Mapping[str, Any] = {}
    if not parted:
        name = asset_id
        files = [file_of_asset(folder, asset_id, form.format, where) for form in ("{0}/{0}.glb", "{0}.glb")]
        mesh = next((file for file in files if file.is_file()), files[-1])
    else:
        scene = _SHORT_SCENE.sub("scene_", scene)
        file = inside(folder, f"{scene}.json", where)
        described = _objects_of_scene(file, _written(file)).get(name, {})
        mesh = inside(folder, f"{scene}/assets/{described.get('sdfPath') or f'{name}.glb'}", where, any_text=True)
    rotation = None
    if mesh.suffix == ".sdf":
        mesh, rotation = _mesh_of_sdf(mesh, where)
    return Asset(mesh, category_of(name), _words(described, "description"), rotation, stood_up=prefix in STOOD_UP)


def category_of(name: str) -> str:
    """Return the category in the name of an object.

    >>> category_of("3164690_SimpleBookcaseFactory_7"), category_of("twin_bed_1"), category_of("7")
    ('simple bookcase', 'twin bed', 'object')
    """
    return " ".join(word.lower() for word in _WORDS.findall(name) if word != "Factory") or "object"


@lru_cache(maxsize=8)
def _objects_of_scene(path: Path, written: int) -> Mapping[str, Mapping[str, Any]]:
    """Return the data of the objects in the file of their scene, cached until the file changes."""
    value = json_of(read_text(path), path.name) if written else {}
    scene = value.get("scene") if isinstance(value, dict) else None
    listed = scene.get("object") if isinstance(scene, dict) else None
    return {str(part.get("id")): part for part in objects_in(listed)}


def _mesh_of_sdf(path: Path, where: str) -> tuple[Path, Transform | None]:
    """Return the mesh that an SDF file shows, and its scale."""
    merged = path.with_name(MERGED)
    if merged.is_file():
        return merged, None
    visuals = _VISUAL.findall(read_text(path))
    meshes = {uri.strip() for visual in visuals for uri in _MESH.findall(visual)}
    if len(meshes) != 1:
        hint = f"merge them into {MERGED} beside it, with their scale applied"
        raise FileProblem(f"{where}: {path.name} shows {len(meshes)} meshes, and one is read", hint=hint)
    scale = _SCALE.search(" ".join(visuals))
    factor = float(scale[1]) if scale else 1.0
    mesh = inside(path.parent, meshes.pop(), where)
    return mesh, (factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, factor, 0, 0, 0, 0, 1) if factor != 1 else None


def _json_of(path: Path, packed: Path) -> Any:  # noqa: ANN401  (as JSON has it)
    """Return the JSON value of a file, or of a gzip file of bounded size; an empty object where there is neither."""
    if path.is_file():
        return json_of(read_text(path), str(path))
    if not packed.is_file():
        return {}
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(read_bytes(packed))) as file:
            data = file.read(MOST_UNPACKED + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise FileProblem(f"{packed}: not a whole gzip file: {error}") from None
    if len(data) > MOST_UNPACKED:
        raise FileProblem(f"{packed}: unpacked, it has more than {MOST_UNPACKED:,} bytes, the most that is read")
    return json_of(decoded(data, packed), str(packed))


def _flat(known: Any) -> Any:  # noqa: ANN401  (as JSON has it)
    """Return the data of an asset with its ``annotations`` merged in."""
    annotations = known.get("annotations") if isinstance(known, dict) else None
    return {**known, **annotations} if isinstance(annotations, dict) else known


def _words(known: Mapping[str, Any], *fields: str) -> str:
    """Return what some fields say, joined; ``a|b`` is the first of two that says something."""
    values = [next(filter(None, map(known.get, field.split("|"))), None) for field in fields]
    return ", ".join(", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in values if value)


def _hssd_mesh(name: str) -> str:
    return f"decomposed/{name.split('_')[0]}/{name}.glb" if "part" in name else f"glb/{name[0]}/{name}.glb"


def _rotation(known: Mapping[str, Any], where: str) -> Transform | None:
    """Return the turn that stands an asset up, where it says its own up and front."""
    texts = [known.get(name) for name in ("up", "front")]
    ways = list[tuple[float, ...]]()
    if not all(text and isinstance(text, str) for text in texts):
        return None
    for name, text in zip(("up", "front"), texts, strict=True):
        try:
            way = tuple(float(part) for part in str(text).split(","))
        except ValueError:
            way = ()
        if len(way) != 3 or not 0.99 < sum(part * part for part in way) < 1.01:
            raise FileProblem(f"{where}: {name}: {text!r:.60} is no direction of length 1, as in 0,1,0")
        ways.append(way)
    if abs(sum(a * b for a, b in zip(*ways, strict=True))) > 1e-3:
        raise FileProblem(f"{where}: up {texts[0]} and front {texts[1]} are not at right angles")
    return asset_rotation(*ways)


def extents(written: object, axes: str = "xzy") -> tuple[float, float, float] | None:
    """Return the extents of a box along some axes: ``{x, y, z}``, the same under ``size``, or its corners ``min`` and
    ``max``.

    >>> extents({"min": {"x": -1, "y": 0, "z": 0}, "max": {"x": 1, "y": 0.5, "z": 3}})
    (2.0, 3.0, 0.5)
    """
    if not isinstance(written, dict):
        return None
    sides: dict[str, Any] = written["size"] if isinstance(written.get("size"), dict) else written
    low, high = sides.get("min"), sides.get("max")
    if isinstance(low, dict) and isinstance(high, dict):
        corners = [(high.get(axis), low.get(axis)) for axis in axes]
        sizes = [a - b if isinstance(a, int | float) and isinstance(b, int | float) else None for a, b in corners]
    else:
        sizes = [sides.get(axis) for axis in axes]
    numbers = [float(size) for size in sizes if isinstance(size, int | float) and 0 < size < 1e4]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None


LAYOUTS = {
    "threed_future": FolderLayout(
        "3dfModel", "{}/raw_model.obj".format, "category|super-category",
        ("super-category", "style", "theme", "material"), FUTURE,
    ),
    "objathor": FolderLayout(
        "objaverse", "{0}/{0}.glb".format, "category|ref_category",
        ("ref_category", "description|description_auto"), OBJATHOR, mend_winding=True,
    ),
    "hssd": FolderLayout("fpModel", _hssd_mesh, "category", ("name",), HSSD),
    "layoutvlm_objathor": FolderLayout(
        "layoutvlm-objaverse", "{0}/{0}.glb".format, "category", ("description", "materials"),
        mend_winding=True, z_up=True, based=True,
    ),
}  # fmt: skip
