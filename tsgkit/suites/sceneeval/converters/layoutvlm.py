"""Converter for LayoutVLM: placements of assets, with a configuration that describes the assets.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile, Options
>>> config = '''{"boundary": {"floor_vertices": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]], "wall_height": 2.5},
...   "assets": {"u1-0": {"category": "bed", "assetMetadata": {"boundingBox": {"x": 1.6, "y": 2, "z": 0.6}}}}}'''
>>> layout = '{"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 90]}}'
>>> options = Options(companion=SourceFile.of("config.json", config))
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

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converters.arrangements import Arrangement, Ledger, Names, Point, Thing, with_parents
from tsgkit.suites.sceneeval.converters.measurements import (
    HEIGHT,
    Deep,
    Flat,
    ForeignModel,
    Label,
    box_of_mesh,
    refuse_many,
    ring,
    size_of,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converters.source import AUTO, Assumption, Converter, Options, SourceFile
from tsgkit.suites.sceneeval.converters.writer import Scenes, room_of, state_of
from tsgkit.suites.sceneeval.scene_files.files import problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far, Size

PREFIX = "layoutvlm-objaverse"
ASSETS = "the assets (--assets layoutvlm_objathor=DIR), or the configuration of the scene (--with CONFIG.json)"
FRONTS = {"+x": 90.0, "-y": 0.0, "-x": -90.0, "+y": 180.0}
"""Our yaw of an asset that faces so."""
ROUNDED = 0.005
"""Metres by which heights are rounded in the solver."""
HUNG = 3.0
"""Metres from the floor to the middle of a thing on the ceiling."""
Angles = Far | tuple[Far] | Deep
Scale = Size | tuple[Size, Size, Size]
_TO_UNDERSCORES = str.maketrans("-'/, ", "_____")


class _Place(ForeignModel):
    position: Deep
    rotation: Angles = 0.0
    scale: Scale = 1.0

    @property
    def turn(self) -> float:
        """The angle about the vertical."""
        return self.rotation[-1] if isinstance(self.rotation, tuple) else self.rotation

    @property
    def is_tilted(self) -> bool:
        """True if it is rotated about another axis than the vertical."""
        return isinstance(self.rotation, tuple) and any(self.rotation[:-1])

    @property
    def scales(self) -> Point:
        """Along its x, y and z."""
        return self.scale if isinstance(self.scale, tuple) else (self.scale,) * 3


class _Box(ForeignModel):
    """A box with z up."""

    x: Size
    y: Size
    z: Size


class _Metadata(ForeignModel):
    box: _Box | None = Field(default=None, alias="boundingBox")


class _Asset(ForeignModel):
    uid: Label = ""
    category: Label = ""
    description: str | None = None
    annotations: dict[str, Any] | None = None
    variable: Label | None = Field(default=None, alias="asset_var_name")
    metadata: _Metadata = Field(default=_Metadata(), alias="assetMetadata")

    @property
    def is_dumped(self) -> bool:
        """True if the generator wrote its own objects instead of a configuration."""
        return self.annotations is not None and self.variable is not None


class _Boundary(ForeignModel):
    corners: tuple[Deep | Flat, ...] = Field(alias="floor_vertices", min_length=3)
    height: Size | None = Field(default=None, alias="wall_height")


class _Config(ForeignModel):
    boundary: _Boundary
    assets: dict[str, _Asset] = Field(default_factory=dict)
    task: Label | None = Field(default=None, alias="task_description")


def fits(given: SourceFile) -> bool:
    """Return whether a file says a position and a rotation of some names."""
    value = given.value
    return isinstance(value, dict) and any(_is_place(one) and "rotation" in one for one in value.values())


def _is_place(value: object) -> bool:
    return isinstance(value, dict) and "position" in value


def is_companion(given: SourceFile) -> bool:
    """Return whether a file is the configuration of a scene."""
    boundary = given.value.get("boundary") if isinstance(given.value, dict) else None
    return isinstance(boundary, dict) and "floor_vertices" in boundary


def convert(given: SourceFile, options: Options) -> Scenes:
    """Convert the one scene of a layout and its configuration."""
    losses = Ledger()
    places = _places(given, losses)
    config = _config(given, options)
    assets = _assets(places, config, options, given.name, losses)
    things = _things(places, assets, options, losses)
    built = _built(config.boundary, losses)
    tell_unread(losses, "fields of the configuration", [config, config.boundary])
    tell_unread(losses, "fields of assets", config.assets.values())
    tell_unread(losses, "fields of places", places.values())
    found = Arrangement("", things, built, config.task or "", losses.told(), ASSETS)
    return (state_of(found, PREFIX, given.name) if options.to == "state" else room_of(found, given.name),)


def _places(given: SourceFile, losses: Ledger) -> dict[str, _Place]:
    refuse_many(len(given.value), given.name)
    found: dict[str, _Place] = {}
    for name, value in given.value.items():
        if not _is_place(value):
            losses.lost("entries without a position", name[:60])
            continue
        try:
            found[name] = _Place.model_validate(value)
        except ValidationError as error:
            raise problem_of(error, f"{given.name}: object {name!r:.80}") from None
        if "rotation" not in value:
            losses.assumed("assets without a rotation have 0")
    return found


def _config(given: SourceFile, options: Options) -> _Config:
    config = options.companion
    if config is None:
        raise FileProblem(
            f"{given.name}: a layout alone lacks the sizes of its room and its assets",
            hint="name the configuration of its scene (boundary and assets): --with CONFIG.json",
        )
    if not is_companion(config):
        raise FileProblem(f"{config.name}: boundary: floor_vertices: a configuration of a scene has them")
    try:
        return _Config.model_validate(config.value)
    except ValidationError as error:
        raise problem_of(error, config.name) from None


def _built(boundary: _Boundary, losses: Ledger) -> Architecture:
    if boundary.height is None:
        losses.assumed(f"walls are {HEIGHT} m high")
    losses.lost("doors and windows: the form has none")
    corners = ring((corner[0], corner[1]) for corner in boundary.corners)
    walls = walls_around(corners, "room", boundary.height or HEIGHT)
    return Architecture((Floor("room", tuple((x, y, 0.0) for x, y in corners)),), walls)


# the assets of a layout


class _Known(NamedTuple):
    """An asset with data from the configuration and its own folder."""

    uid: str
    category: str
    description: str = ""
    size: Point | None = None
    mesh_middle: Point | None = None


def _assets(
    places: Iterable[str], config: _Config, options: Options, where: str, losses: Ledger
) -> dict[str, _Known | None]:
    """Return the asset of each key of a layout: under that key in the configuration, by its rebuilt key, by its
    category.
    """
    refuse_many(len(config.assets), f"{where}: configuration")
    known: dict[str, _Known] = {}
    for key, asset in config.assets.items():
        if (found := _known(key, asset, options, where)).category:
            known[key] = found
        else:
            losses.lost("assets of the configuration of which nothing is known", key)
    if config.assets and not known:
        raise FileProblem(
            f"{where}: its configuration names assets by ids only, without categories and sizes",
            hint="name the folder with the data.json of each: --assets layoutvlm_objathor=DIR",
        )
    rebuilt = dict(_rebuilt(known))
    by_category: dict[str, dict[str, _Known]] = {}
    for one in known.values():
        by_category.setdefault(_variable(one.category), {}).setdefault(one.uid, one)
    found_by_key: dict[str, _Known | None] = {}
    for name in places:
        found_by_key[name] = known.get(name) or rebuilt.get(name) or _of_category(name, by_category, losses)
    used = {id(one) for one in found_by_key.values()}
    for name in sorted(rebuilt):
        if id(rebuilt[name]) not in used:
            losses.lost("assets of the configuration that the layout has no place for", name)
    return found_by_key


def _known(key: str, asset: _Asset, options: Options, where: str) -> _Known:
    """Return the data of an asset; without a category if it is unknown."""
    own = asset.annotations or {}
    uid = asset.uid or key.rpartition("-")[0] or key
    category, description = (
        said or (own[name] if isinstance(own.get(name), str) else "")
        for name, said in (("category", asset.category), ("description", asset.description))
    )
    size = _size_written(asset, options)
    category = category or (key.rpartition("-")[0] if size else "")
    needs_folder = not category or size is None or options.to == "state"
    stored = options.asset(PREFIX, uid, f"{where}: asset {key:.80}: uid") if needs_folder else None
    if stored is None:
        return _Known(uid, category, description, size)
    mesh = box_of_mesh(stored, where) if options.to == "state" else None
    return _Known(
        uid,
        category or stored.category,
        description or stored.description,
        size or size_of(stored, where),
        mesh.middle if mesh else None,
    )


def _size_written(asset: _Asset, options: Options) -> Point | None:
    """Return the width, depth and height of an asset by its configuration."""
    if (box := asset.metadata.box) is None:
        return None
    said = options.choice("box")
    is_swapped = asset.is_dumped if said == AUTO else said == "depth-first"
    return (box.y, box.x, box.z) if is_swapped else (box.x, box.y, box.z)


def _rebuilt(known: Mapping[str, _Known]) -> Iterator[tuple[str, _Known]]:
    """Yield the keys that the generator makes of a configuration.

    >>> bed, chair = _Known("u1", "Queen Bed"), _Known("u2", "chair")
    >>> assets = {"u1-0": bed, "u2-0": chair, "u2-1": chair, "u3-0": _Known("u3", "Chair")}
    >>> [key for key, _ in _rebuilt(assets)]
    ['queen_bed-0', 'chair_A-0', 'chair_A-1', 'chair_B-0']
    """
    copies: dict[str, list[_Known]] = {}
    for one in known.values():
        copies.setdefault(one.uid, []).append(one)
    of_name: dict[str, list[str]] = {}
    for uid, ones in copies.items():
        of_name.setdefault(_variable(ones[0].category), []).append(uid)
    for uid, ones in copies.items():
        name = _variable(ones[0].category)
        place = of_name[name].index(uid)
        letter = "" if len(of_name[name]) == 1 else f"_{string.ascii_uppercase[place]}" if place < 26 else "_?"
        yield from ((f"{name}{letter}-{number}", one) for number, one in enumerate(ones))


def _variable(category: str) -> str:
    return category.lower().translate(_TO_UNDERSCORES)


def _of_category(key: str, by_category: Mapping[str, Mapping[str, _Known]], losses: Ledger) -> _Known | None:
    """Return the only asset of the category in a key; None if there is none, or several."""
    name = key.rpartition("-")[0] or key
    has_letter = len(name) > 2 and name[-2] == "_" and name[-1] in string.ascii_uppercase
    fitting = {**by_category.get(name, {}), **(by_category.get(name[:-2], {}) if has_letter else {})}
    if len(fitting) != 1:
        losses.lost("objects that fit no asset of the configuration, or several", key)
        return None
    losses.assumed("objects whose keys do not fit the configuration are the only asset of their category", name=key)
    return next(iter(fitting.values()))


# objects


def _things(
    places: Mapping[str, _Place], assets: Mapping[str, _Known | None], options: Options, losses: Ledger
) -> tuple[Thing, ...]:
    front = options.choice("front", "+x")
    is_centred = options.choice("position", "middle") == "middle"
    degrees = 1.0 if options.choice("angles", "degrees") == "degrees" else math.degrees(1.0)
    losses.assumed(f"positions are the middles of {'boxes' if is_centred else 'undersides'} (--assume position)",
                   len(places))  # fmt: skip
    losses.assumed(f"angles are {options.choice('angles', 'degrees')} (--assume angles)", len(places))
    losses.assumed(f"an asset of rotation 0 has its front along {front} (--assume front)", len(places))
    found = []
    names = Names()
    for key, place in places.items():
        name, asset = names.free(key), assets[key]
        if place.is_tilted:
            losses.lost("tilts: only turns about the vertical are kept", name)
        found.append(_thing(name, asset, place, FRONTS[front] + place.turn * degrees, front, is_centred=is_centred))
    return with_parents(found, losses)


def _thing(name: str, asset: _Known | None, place: _Place, yaw: float, front: str, *, is_centred: bool) -> Thing:
    """Return a thing turned and scaled as its place says, on the floor where it is but rounded away from it."""
    x, y, z = place.scales
    scale = (y, x, z) if front.endswith("x") else (x, y, z)
    if asset is None:
        category = (name.rpartition("-")[0] or name).replace("_", " ")
        return Thing(name, category[:200], place.position, yaw, centred=is_centred, lacks="no such asset is known")
    size = asset.size and (asset.size[0] * scale[0], asset.size[1] * scale[1], asset.size[2] * scale[2])
    thing = Thing(
        name, asset.category.replace("_", " ").strip()[:200] or "thing", place.position, yaw, size, is_centred,
        asset.description, asset.uid, scale, lacks="not in its data.json", mesh_middle=asset.mesh_middle,
    )  # fmt: skip
    if is_centred and abs(place.position[2] - HUNG) < ROUNDED:
        return replace(thing, held_by="ceiling")
    under = thing.underside
    if under is None or not 0 < abs(under[2]) <= ROUNDED + 1e-9:
        return thing
    x, y, z = place.position
    return replace(thing, at=(x, y, z - under[2]))


LAYOUTVLM = Converter(
    "layoutvlm",
    "a layout as JSON: a position and a rotation of each asset; its configuration comes with --with",
    fits,
    convert,
    (
        Assumption("angles", ("degrees", "radians"), "what rotations are counted in (default: degrees)"),
        Assumption("position", ("middle", "underside"), "of what a position is (default: middle)"),
        Assumption("front", tuple(FRONTS), "the way an unturned asset faces (default: +x)"),
        Assumption("box", ("width-first", "depth-first"), "what x and y of a boundingBox of the configuration are "
                   "(default: width-first, but depth-first in what the generator wrote out)"),
    ),
    is_companion,
)  # fmt: skip
