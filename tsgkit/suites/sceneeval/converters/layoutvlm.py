"""Converter for LayoutVLM: placements of assets, with a configuration that describes the assets.

>>> config = '''{"boundary": {"floor_vertices": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]], "wall_height": 2.5},
...   "assets": {"u1-0": {"category": "bed", "assetMetadata": {"boundingBox": {"x": 1.6, "y": 2, "z": 0.6}}}}}'''
>>> layout = '{"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 90]}}'
>>> options = ConversionOptions(companion=SourceFile.of("config.json", config))
>>> bed = LAYOUTVLM(SourceFile.of("layout.json", layout), options)[0].scene["objects"][0]
>>> bed["size"], bed["at"], bed["yaw"]
([1.6, 2.0, 0.6], [1.0, 2.0, 0.0], 180.0)

The frame: metres, z up, right-handed as ours. ``position`` is the middle of the box, and the last of three angles turns
it about the vertical, against the clock, in degrees. An asset of rotation 0 has its front along +x, so our yaw is
theirs and 90. The solver adds 0.18 degrees a step to every angle: a layout whose angles are all 0.18 faces +x.

The keys of a layout are not those of its configuration (``UID-N``). They are made of the categories of the assets, in
the order of the configuration: ``queen_bed-0``; where two assets are chairs, ``chair_A-0`` and ``chair_B-0``.
Categories and sizes are in the ``data.json`` of each asset (``--assets layoutvlm_objathor=DIR``), and in
configurations that a tool wrote out with them. A ``boundingBox`` has its width along x, its depth along y and its
height along z. In what the generator itself wrote out of its memory (assets with an ``asset_var_name`` and
``annotations``), x is the depth and y the width (``--assume box``).

The generator gives every object that lies on nothing the height of the floor, things on walls too, and hangs the middle
of what is on the ceiling 3 m high.
"""

from __future__ import annotations

import math
import string
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from pydantic import Field

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.converters.arrangements import ArrangedObject, Arrangement, Point, with_parents
from tsgkit.suites.sceneeval.converters.shapes import (
    Deep,
    Far,
    Flat,
    ForeignModel,
    Label,
    Size,
    Sizes,
    box_of_mesh,
    refuse_many,
    ring,
    room_within,
    scaled,
    size_of,
)
from tsgkit.suites.sceneeval.converters.source import (
    AUTO,
    Assumption,
    ConversionOptions,
    Converter,
    SceneDraft,
    SourceFile,
)

PREFIX = "layoutvlm-objaverse"
FRONTS = {"+x": 90.0, "-y": 0.0, "-x": -90.0, "+y": 180.0}
"""Our yaw of an asset that faces so."""
ROUNDED = 0.005
"""Metres by which heights are rounded in the solver."""
HUNG = 3.0
"""Metres from the floor to the middle of a thing on the ceiling."""
Angles = Far | tuple[Far] | Deep
_TO_UNDERSCORES = str.maketrans("-'/, ", "_____")


class _Place(ForeignModel):
    position: Deep
    rotation: Angles = 0.0
    scale: Size | Sizes = 1.0


class _AssetBox(ForeignModel):
    """A box with z up."""

    x: Size
    y: Size
    z: Size


class _Metadata(ForeignModel):
    box: _AssetBox | None = Field(default=None, alias="boundingBox")


class _Asset(ForeignModel):
    uid: Label = ""
    category: Label = ""
    description: str | None = None
    annotations: dict[str, Any] | None = None
    variable: Label | None = Field(default=None, alias="asset_var_name")
    metadata: _Metadata = Field(default=_Metadata(), alias="assetMetadata")

    def size(self, order: str) -> Point | None:
        """Return its width, depth and height; the generator wrote its own objects out depth first."""
        if (box := self.metadata.box) is None:
            return None
        is_dumped = self.annotations is not None and self.variable is not None
        is_swapped = is_dumped if order == AUTO else order == "depth-first"
        return (box.y, box.x, box.z) if is_swapped else (box.x, box.y, box.z)


class _Boundary(ForeignModel):
    corners: tuple[Deep | Flat, ...] = Field(alias="floor_vertices", min_length=3)
    height: Size | None = Field(default=None, alias="wall_height")


class _Config(ForeignModel):
    boundary: _Boundary
    assets: dict[str, _Asset] = Field(default_factory=dict)
    task: Label | None = Field(default=None, alias="task_description")


def _is_configuration(source: SourceFile) -> bool:
    """Return whether a file is the configuration of a scene."""
    return "floor_vertices" in source.within("boundary")


def _arranged(source: SourceFile, draft: SceneDraft) -> Arrangement:
    """Return the one scene of a layout and its configuration."""
    losses, where = draft.losses, draft.where
    refuse_many(len(source.value), where)
    poses: dict[str, _Place] = {}
    for key, value in source.value.items():
        if not (isinstance(value, dict) and "position" in value):
            losses.lost("entries without a position", key[:60])
            continue
        poses[key] = _Place.of(value, f"{where}: object {key!r:.80}")
        if "rotation" not in value:
            losses.assumed("assets without a rotation have 0")
    if (companion := draft.options.companion) is None:
        raise FileProblem(
            f"{where}: a layout alone lacks the sizes of its room and its assets",
            hint="name the configuration of its scene (boundary and assets): --with CONFIG.json",
        )
    if not _is_configuration(companion):
        raise FileProblem(f"{companion.name}: boundary: floor_vertices: a configuration of a scene has them")
    configuration = _Config.of(companion.value, companion.name)
    boundary = configuration.boundary
    things = _things(poses, _assets(poses, configuration, draft), draft)
    built = room_within(ring((corner[0], corner[1]) for corner in boundary.corners), losses, boundary.height)
    losses.unread("fields of the configuration", [configuration, boundary])
    losses.unread("fields of assets", configuration.assets.values())
    losses.unread("fields of places", poses.values())
    sources = "the assets (--assets layoutvlm_objathor=DIR), or the configuration of the scene (--with CONFIG.json)"
    return Arrangement(things, built, configuration.task or "", sources)


# the assets of a layout


class _KnownAsset(NamedTuple):
    """An asset with data from the configuration and its own folder."""

    uid: str
    category: str
    description: str = ""
    size: Point | None = None
    mesh_middle: Point | None = None


_Copies = dict[str, dict[str, list[_KnownAsset]]]
"""Assets by the variable that the generator names their category with, and by their ids."""


def _assets(keys: Iterable[str], configuration: _Config, draft: SceneDraft) -> dict[str, _KnownAsset | None]:
    """Return the asset of each key of a layout: under that key in the configuration, by its rebuilt key, or the only
    one of its category.
    """
    losses = draft.losses
    refuse_many(len(configuration.assets), f"{draft.where}: configuration")
    known: dict[str, _KnownAsset] = {}
    copies: _Copies = {}
    for key, configured in configuration.assets.items():
        if (asset := _known(key, configured, draft.options, draft.where)).category:
            known[key] = asset
            copies.setdefault(asset.category.lower().translate(_TO_UNDERSCORES), {}).setdefault(asset.uid, []).append(
                asset
            )
        else:
            losses.lost("assets of the configuration of which nothing is known", key)
    if configuration.assets and not known:
        raise FileProblem(
            f"{draft.where}: its configuration names assets by ids only, without categories and sizes",
            hint="name the folder with the data.json of each: --assets layoutvlm_objathor=DIR",
        )
    rebuilt = dict(_rebuilt(copies))
    by_key: dict[str, _KnownAsset | None] = {}
    for key in keys:
        by_key[key] = known.get(key) or rebuilt.get(key)
        if by_key[key] is None:
            name = key.rpartition("-")[0] or key
            has_letter = len(name) > 2 and name[-2] == "_" and name[-1] in string.ascii_uppercase
            fitting = {**copies.get(name, {}), **(copies.get(name[:-2], {}) if has_letter else {})}
            if len(fitting) == 1:
                what = "objects whose keys do not fit the configuration are the only asset of their category"
                losses.assumed(what, name=key)
                by_key[key] = next(iter(fitting.values()))[0]
            else:
                losses.lost("objects that fit no asset of the configuration, or several", key)
    used = {id(asset) for asset in by_key.values()}
    for key in sorted(rebuilt):
        if id(rebuilt[key]) not in used:
            losses.lost("assets of the configuration that the layout has no place for", key)
    return by_key


def _known(key: str, asset: _Asset, options: ConversionOptions, where: str) -> _KnownAsset:
    """Return the data of an asset; without a category if it is unknown."""
    texts = {name: text for name, text in (asset.annotations or {}).items() if isinstance(text, str)}
    uid, size = asset.uid or key.rpartition("-")[0] or key, asset.size(options.choice("box"))
    category = asset.category or texts.get("category", "") or (key.rpartition("-")[0] if size else "")
    description = asset.description or texts.get("description", "")
    needs_folder = not category or size is None or options.to == "state"
    stored = options.asset(PREFIX, uid, f"{where}: asset {key:.80}: uid") if needs_folder else None
    if stored is None:
        return _KnownAsset(uid, category, description, size)
    mesh = box_of_mesh(stored, where) if options.to == "state" else None
    return _KnownAsset(
        uid,
        category or stored.category,
        description or stored.description,
        size or size_of(stored, where),
        mesh.middle if mesh else None,
    )


def _rebuilt(copies: _Copies) -> Iterator[tuple[str, _KnownAsset]]:
    """Yield the keys that the generator makes of a configuration.

    >>> bed, chair, other = _KnownAsset("u1", "Queen Bed"), _KnownAsset("u2", "chair"), _KnownAsset("u3", "Chair")
    >>> copies = {"queen_bed": {"u1": [bed]}, "chair": {"u2": [chair, chair], "u3": [other]}}
    >>> [key for key, _ in _rebuilt(copies)]
    ['queen_bed-0', 'chair_A-0', 'chair_A-1', 'chair_B-0']
    """
    for name, by_uid in copies.items():
        for index, assets in enumerate(by_uid.values()):
            letter = "" if len(by_uid) == 1 else f"_{string.ascii_uppercase[index]}" if index < 26 else "_?"
            yield from ((f"{name}{letter}-{number}", asset) for number, asset in enumerate(assets))


# objects


def _things(
    poses: Mapping[str, _Place], assets: Mapping[str, _KnownAsset | None], draft: SceneDraft
) -> tuple[ArrangedObject, ...]:
    """Return things turned and scaled as their poses say, on the floor where they are but rounded away from it."""
    options, losses, things = draft.options, draft.losses, []
    front, angles = options.choice("front", "+x"), options.choice("angles", "degrees")
    is_centred = options.choice("position", "middle") == "middle"
    middles = f"positions are the middles of {'boxes' if is_centred else 'undersides'} (--assume position)"
    losses.assumed(middles, len(poses))
    losses.assumed(f"angles are {angles} (--assume angles)", len(poses))
    losses.assumed(f"an asset of rotation 0 has its front along {front} (--assume front)", len(poses))
    for key, pose in poses.items():
        name, asset = draft.names.free(key), assets[key]
        *tilts, turn = pose.rotation if isinstance(pose.rotation, tuple) else (pose.rotation,)
        if any(tilts):
            losses.tilted(name)
        category = ((name.rpartition("-")[0] or name) if asset is None else asset.category).replace("_", " ")
        yaw = FRONTS[front] + turn * (1.0 if angles == "degrees" else math.degrees(1.0))
        thing = ArrangedObject(
            name, category[:200], pose.position, yaw, centred=is_centred, lacks="no such asset is known"
        )
        if asset is not None:
            x, y, z = pose.scale if isinstance(pose.scale, tuple) else (pose.scale,) * 3
            scale = (y, x, z) if front.endswith("x") else (x, y, z)
            thing = replace(
                thing, category=category.strip()[:200] or "thing", size=asset.size and scaled(asset.size, scale),
                description=asset.description, asset=asset.uid, scale=scale, lacks="not in its data.json",
                mesh_middle=asset.mesh_middle,
            )  # fmt: skip
            x, y, z = pose.position
            under = thing.underside
            if is_centred and abs(z - HUNG) < ROUNDED:
                thing = replace(thing, held_by="ceiling")
            elif under is not None and 0 < abs(under[2]) <= ROUNDED + 1e-9:
                thing = replace(thing, at=(x, y, z - under[2]))
        things.append(thing)
    return with_parents(things, losses)


LAYOUTVLM = Converter(
    "layoutvlm",
    "a layout as JSON: a position and a rotation of each asset; its configuration comes with --with",
    lambda source: any({"position", "rotation"} <= source.within(name).keys() for name in source.fields),
    _arranged,
    assumptions=(
        Assumption("angles", ("degrees", "radians"), "what rotations are counted in (default: degrees)"),
        Assumption("position", ("middle", "underside"), "of what a position is (default: middle)"),
        Assumption("front", tuple(FRONTS), "the way an unturned asset faces (default: +x)"),
        Assumption("box", ("width-first", "depth-first"), "what x and y of a boundingBox of the configuration are "
                   "(default: width-first, but depth-first in what the generator wrote out)"),
    ),
    is_companion=_is_configuration,
    prefix=PREFIX,
)  # fmt: skip
