"""Where the meshes of published scene states lie: folders in the layouts of the published asset collections.

>>> source_of("hssd=/data/hssd").prefix
'fpModel'
>>> source_of("ikea=/data")
Traceback (most recent call last):
tsgkit.errors.UsageError: --assets ikea=/data: there is no layout ikea

======================  ========================  =================================  ======================
layout                  prefix of a ``modelId``   mesh                               what is known of it
======================  ========================  =================================  ======================
``threed_future``       ``3dfModel``              ``ID/raw_model.obj``               ``model_info.json``
``objathor``            ``objaverse``             ``ID/ID.glb``                      ``annotations.json``
``hssd``                ``fpModel``               ``glb/I/ID.glb``; parts of things  ``fpmodels.csv``
                                                  ``decomposed/WHOLE/ID.glb``
``layoutvlm_objathor``  ``layoutvlm-objaverse``   ``ID/ID.glb``                      ``ID/data.json``
======================  ========================  =================================  ======================

Nothing outside the given folder is read. An asset of HSSD may declare its own ``up`` and ``front``; it is turned once,
in its own frame. Assets of objaverse whose faces look inwards are turned out, as published.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from tsgkit.errors import FileProblem, UsageError
from tsgkit.geometry import Transform, asset_rotation
from tsgkit.lexicon import meant
from tsgkit.library.files import read_text
from tsgkit.suites.sceneeval.folders import inside, plain_id
from tsgkit.suites.sceneeval.furnished import json_of

FUTURE, OBJATHOR, HSSD = "model_info.json", "annotations.json", "fpmodels.csv"


class Asset(NamedTuple):
    """What a source knows of one asset."""

    mesh: Path
    category: str
    description: str
    rotation: Transform | None = None
    box: tuple[float, float, float] | None = None
    """How wide, deep and high it is, where its source says so."""
    mend_winding: bool = False


class AssetSource(Protocol):
    """A place where assets of one prefix are looked up."""

    @property
    def prefix(self) -> str:
        """What comes before the dot of its model ids."""

    def asset(self, asset_id: str, where: str) -> Asset:
        """One asset; ``FileProblem`` begins with ``where`` and says what is wrong."""


@dataclass(frozen=True)
class Layout:
    """One of the published layouts."""

    prefix: str
    mesh: Callable[[str], str]
    known: Callable[[Path, str], Mapping[str, Any]]
    """What a folder knows of an asset, by its id."""
    told: Callable[[Mapping[str, Any]], tuple[str, str]]
    """Category and description."""
    mend_winding: bool = False
    table: str = ""
    """The file that knows all assets; none where each has its own."""


class FolderSource:
    """A folder in one of the published layouts."""

    def __init__(self, layout: str, folder: Path) -> None:
        self.name, self.folder = layout, folder

    @property
    def _layout(self) -> Layout:
        return LAYOUTS[self.name]

    @property
    def prefix(self) -> str:
        """What comes before the dot of its model ids."""
        return self._layout.prefix

    def asset(self, asset_id: str, where: str) -> Asset:
        """One asset of the folder."""
        name = plain_id(asset_id, where)
        mesh = inside(self.folder, self._layout.mesh(name), where)
        known = self._known(name)
        category, description = self._layout.told(known)
        rotation = _rotation(known, where)
        return Asset(mesh, category, description, rotation, _box(known), self._layout.mend_winding)

    def _known(self, name: str) -> Mapping[str, Any]:
        if not self._layout.table:
            return self._layout.known(self.folder, name)
        found = _table(self.name, self.folder, _written(self.folder / self._layout.table)).get(name)
        return found if isinstance(found, dict) else {}


@lru_cache(maxsize=8)
def _table(layout: str, folder: Path, written: int) -> Mapping[str, Any]:
    """What a folder knows of all its assets, read once in each process and again when it was written anew."""
    return LAYOUTS[layout].known(folder, "")


def _written(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def source_of(text: str) -> FolderSource:
    """The source that ``LAYOUT=DIR`` names."""
    layout, _, folder = text.partition("=")
    if not folder:
        raise UsageError(f"--assets {text}: not LAYOUT=DIR", hint=f"the layouts: {', '.join(LAYOUTS)}")
    if layout not in LAYOUTS:
        raise UsageError(f"--assets {text}: there is no layout {layout}", hint=meant(layout, LAYOUTS))
    return FolderSource(layout, Path(folder))


def sources_of(texts: Sequence[str]) -> tuple[FolderSource, ...]:
    """The sources that are named; a folder that is not there is told before anything is measured."""
    sources = tuple(map(source_of, texts))
    for source in sources:
        if not source.folder.is_dir():
            raise FileProblem(f"--assets {source.name}={source.folder}: there is no such folder")
    return sources


def _json_file(folder: Path, name: str) -> Any:  # noqa: ANN401  (as JSON has it)
    path = inside(folder, name, str(folder))
    return json_of(read_text(path), str(path)) if path.is_file() else {}


def _model_info(folder: Path, name: str) -> Mapping[str, Any]:
    listed = _json_file(folder, FUTURE)
    rows = [row for row in listed if isinstance(row, dict)] if isinstance(listed, list) else []
    return {str(row.get("model_id")): row for row in rows}


def _annotations(folder: Path, name: str) -> Mapping[str, Any]:
    found = _json_file(folder, OBJATHOR)
    return found if isinstance(found, dict) else {}


def _csv(folder: Path, name: str) -> Mapping[str, Any]:
    path = inside(folder, HSSD, str(folder))
    if not path.is_file():
        return {}
    return {row["id"]: row for row in csv.DictReader(io.StringIO(read_text(path))) if row.get("id")}


def _own_data(folder: Path, name: str) -> Mapping[str, Any]:
    found = _json_file(folder, f"{name}/data.json")
    if not isinstance(found, dict):
        return {}
    own = found.get("annotations")
    return {**found, **(own if isinstance(own, dict) else {})}


def _words(known: Mapping[str, Any], *fields: str) -> str:
    """The values of some fields that say something, joined."""
    said = [known.get(field) for field in fields]
    texts = [", ".join(map(str, one)) if isinstance(one, list) else str(one) for one in said if one]
    return ", ".join(texts)


def _told_future(known: Mapping[str, Any]) -> tuple[str, str]:
    return _words(known, "category") or _words(known, "super-category"), _words(
        known, "super-category", "style", "theme", "material"
    )


def _told_objathor(known: Mapping[str, Any]) -> tuple[str, str]:
    described = _words(known, "description") or _words(known, "description_auto")
    return _words(known, "category") or _words(known, "ref_category"), ", ".join(
        part for part in (_words(known, "ref_category"), described) if part
    )


def _told_hssd(known: Mapping[str, Any]) -> tuple[str, str]:
    return str(known.get("wnsynsetkey") or "").split(".")[0].replace("_", " "), _words(known, "name")


def _told_layoutvlm(known: Mapping[str, Any]) -> tuple[str, str]:
    return _words(known, "category"), _words(known, "description", "materials")


def _hssd_mesh(name: str) -> str:
    return f"decomposed/{name.split('_')[0]}/{name}.glb" if "part" in name else f"glb/{name[0]}/{name}.glb"


def _rotation(known: Mapping[str, Any], where: str) -> Transform | None:
    if not (known.get("up") and known.get("front")) or not all(isinstance(known[k], str) for k in ("up", "front")):
        return None
    ways = [_way(known[name], f"{where}: {name}") for name in ("up", "front")]
    across = sum(a * b for a, b in zip(*ways, strict=True))
    if abs(across) > 1e-3:
        raise FileProblem(f"{where}: up {known['up']} and front {known['front']} are not at right angles")
    return asset_rotation(*ways)


def _way(text: str, where: str) -> tuple[float, ...]:
    try:
        way = tuple(float(part) for part in text.split(","))
    except ValueError:
        way = ()
    if len(way) != 3 or not 0.99 < sum(part * part for part in way) < 1.01:
        raise FileProblem(f"{where}: {text!r:.60} is no direction of length 1, as in 0,1,0")
    return way


def _box(known: Mapping[str, Any]) -> tuple[float, float, float] | None:
    """How wide, deep and high an asset is, by metadata with y up; some have them within those of a simulator."""
    simulated = known.get("thor_metadata")
    about = known.get("assetMetadata") or (simulated.get("assetMetadata") if isinstance(simulated, dict) else None)
    return extents(about.get("boundingBox")) if isinstance(about, dict) else None


def extents(written: object) -> tuple[float, float, float] | None:
    """The x, z and y of a box: ``{x, y, z}``, the same under ``size``, or its corners ``min`` and ``max``.

    >>> extents({"min": {"x": -1, "y": 0, "z": 0}, "max": {"x": 1, "y": 0.5, "z": 3}})
    (2.0, 3.0, 0.5)
    """
    if not isinstance(written, dict):
        return None
    found: dict[str, Any] = written["size"] if isinstance(written.get("size"), dict) else written
    low, high = found.get("min"), found.get("max")
    if isinstance(low, dict) and isinstance(high, dict):
        corners = [(high.get(axis), low.get(axis)) for axis in "xzy"]
        sizes = [a - b if isinstance(a, int | float) and isinstance(b, int | float) else None for a, b in corners]
    else:
        sizes = [found.get(axis) for axis in "xzy"]
    numbers = [float(size) for size in sizes if isinstance(size, int | float) and 0 < size < 1e4]
    return (numbers[0], numbers[1], numbers[2]) if len(numbers) == 3 else None


LAYOUTS = {
    "threed_future": Layout("3dfModel", lambda name: f"{name}/raw_model.obj", _model_info, _told_future, table=FUTURE),
    "objathor": Layout("objaverse", lambda name: f"{name}/{name}.glb", _annotations, _told_objathor, True, OBJATHOR),
    "hssd": Layout("fpModel", _hssd_mesh, _csv, _told_hssd, table=HSSD),
    "layoutvlm_objathor": Layout(
        "layoutvlm-objaverse", lambda name: f"{name}/{name}.glb", _own_data, _told_layoutvlm, True
    ),
}
