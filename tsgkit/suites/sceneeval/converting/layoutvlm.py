"""Layouts of LayoutVLM: where each asset goes, beside a configuration that says what the assets are.

>>> from tsgkit.suites.sceneeval.converting.given import Given, Options
>>> config = '''{"boundary": {"floor_vertices": [[0, 0, 0], [4, 0, 0], [4, 3, 0], [0, 3, 0]], "wall_height": 2.5},
...   "assets": {"bed-0": {"category": "bed", "assetMetadata": {"boundingBox": {"x": 2, "y": 1.6, "z": 0.6}}}}}'''
>>> layout = '{"bed-0": {"position": [1, 2, 0.3], "rotation": [0, 0, 90]}}'
>>> options = Options(companion=Given.of("config.json", config))
>>> LAYOUTVLM(Given.of("layout.json", layout), options)[0].scene["objects"]
[{'id': 'bed-0', 'category': 'bed', 'size': [1.6, 2.0, 0.6], 'at': [1.0, 2.0, 0.0], 'yaw': 180.0}]

What is known of the form: metres, z up, right-handed as ours; an asset of rotation 0 has its front along +x, and the
last of three angles turns it about the vertical, against the clock. So our yaw is theirs and 90, and of the
``boundingBox`` of a configuration ``x`` is the depth, ``y`` the width and ``z`` the height. An asset without one has
the size of its mesh (``--assets layoutvlm_objathor=DIR``).

What we are not certain of is told by the numbers, said in every conversion, and settled with ``--assume``: ``angles``
are degrees where one is beyond a whole turn in radians, else radians; ``position`` is the middle of the box or the
underside of an asset, whichever puts more of them on the floor; ``front`` is the way an unturned asset faces.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from pydantic import Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.geometry import Architecture, Floor
from tsgkit.suites.sceneeval.converting.arrangements import (
    Arrangement,
    Ledger,
    Names,
    Point,
    Thing,
    stand_on_undersides,
)
from tsgkit.suites.sceneeval.converting.given import AUTO, Assumption, Converter, Given, Options
from tsgkit.suites.sceneeval.converting.measures import (
    HEIGHT,
    Deep,
    Flat,
    Label,
    Theirs,
    refuse_many,
    ring,
    size_of_mesh,
    tell_unread,
    walls_around,
)
from tsgkit.suites.sceneeval.converting.writing import Scenes, room_of, state_of
from tsgkit.suites.sceneeval.furnished import problem_of
from tsgkit.suites.sceneeval.simple import Far, Size

PREFIX = "layoutvlm-objaverse"
WHOLE_TURN = 2 * math.pi + 0.01
FRONTS = {"+x": 90.0, "-y": 0.0, "-x": -90.0, "+y": 180.0}
"""Our yaw of an asset that faces so."""
Angles = Far | tuple[Far] | Deep
Scale = Size | tuple[Size, Size, Size]


class _Place(Theirs):
    position: Deep
    rotation: Angles = 0.0
    scale: Scale = 1.0

    @property
    def turn(self) -> float:
        """The angle about the vertical."""
        return self.rotation[-1] if isinstance(self.rotation, tuple) else self.rotation

    @property
    def is_tilted(self) -> bool:
        """Whether it is turned about another axis too."""
        return isinstance(self.rotation, tuple) and any(self.rotation[:-1])

    @property
    def scales(self) -> Point:
        """Along its x, y and z."""
        return self.scale if isinstance(self.scale, tuple) else (self.scale,) * 3


class _Box(Theirs):
    x: Size
    y: Size
    z: Size


class _Metadata(Theirs):
    box: _Box | None = Field(default=None, alias="boundingBox")


class _Asset(Theirs):
    uid: Label = ""
    category: Label = ""
    description: str | None = None
    metadata: _Metadata = Field(default=_Metadata(), alias="assetMetadata")


class _Boundary(Theirs):
    corners: tuple[Deep | Flat, ...] = Field(alias="floor_vertices", min_length=3)
    height: Size | None = Field(default=None, alias="wall_height")


class _Config(Theirs):
    boundary: _Boundary
    assets: dict[str, _Asset] = Field(default_factory=dict)
    task: Label | None = Field(default=None, alias="task_description")


def fits(given: Given) -> bool:
    """Whether a file says a position and a rotation of some names."""
    value = given.value
    return isinstance(value, dict) and any(_is_place(one) and "rotation" in one for one in value.values())


def _is_place(value: object) -> bool:
    return isinstance(value, dict) and "position" in value


def is_companion(given: Given) -> bool:
    """Whether a file is the configuration of a scene."""
    boundary = given.value.get("boundary") if isinstance(given.value, dict) else None
    return isinstance(boundary, dict) and "floor_vertices" in boundary


def convert(given: Given, options: Options) -> Scenes:
    """The one scene of a layout and its configuration."""
    losses = Ledger()
    places = _places(given, losses)
    config = _config(given, options)
    things = _things(places, config, options, given.name, losses)
    built = _built(config.boundary, losses)
    tell_unread(losses, "fields of the configuration", [config, config.boundary])
    tell_unread(losses, "fields of assets", config.assets.values())
    tell_unread(losses, "fields of places", places.values())
    found = Arrangement("", things, built, config.task or "", losses.told())
    return (state_of(found, PREFIX, given.name) if options.to == "state" else room_of(found, given.name),)


def _places(given: Given, losses: Ledger) -> dict[str, _Place]:
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


def _config(given: Given, options: Options) -> _Config:
    config = options.companion
    if config is None:
        raise FileProblem(
            f"{given.name}: a layout alone does not say how large its room and its assets are",
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


def _things(
    places: dict[str, _Place], config: _Config, options: Options, where: str, losses: Ledger
) -> tuple[Thing, ...]:
    for name in sorted(config.assets.keys() - places.keys()):
        losses.lost("assets of the configuration that the layout has no place for", name)
    assets = {name: config.assets.get(name, _Asset()) for name in places}
    sizes = {name: _size(name, assets[name], options, where) for name in places}
    front = options.choice("front", "+x")
    for name in (name for name, place in places.items() if place.is_tilted):
        losses.lost("tilts: only turns about the vertical are kept", name)
    bare = [
        Thing(names_as, _category(name, assets[name]), place.position, FRONTS[front], sizes[name],
              description=assets[name].description or "", asset=_uid(name, assets[name]))
        for (name, place), names_as in zip(places.items(), _names(places), strict=True)
    ]  # fmt: skip
    is_centred = _centred(places, sizes, options, losses)
    degrees = _degrees(places, options, losses)
    losses.assumed(f"an asset of rotation 0 has its front along {front} (--assume front)", len(places))
    return tuple(
        _placed(replace(thing, centred=is_centred), place, place.turn * degrees, front)
        for thing, place in zip(bare, places.values(), strict=True)
    )


def _names(places: Iterable[str]) -> list[str]:
    names = Names()
    return [names.free(name) for name in places]


def _uid(name: str, asset: _Asset) -> str:
    """``0a1b-2`` is the third of the asset 0a1b."""
    return asset.uid or name.rpartition("-")[0]


def _category(name: str, asset: _Asset) -> str:
    said = asset.category or name.rpartition("-")[0] or name
    return said.replace("_", " ").strip()[:200] or "thing"


def _placed(thing: Thing, place: _Place, turn: float, front: str) -> Thing:
    """A thing turned and scaled as its place says."""
    scale = _along(place.scales, front)
    size = thing.size and (thing.size[0] * scale[0], thing.size[1] * scale[1], thing.size[2] * scale[2])
    return replace(thing, yaw=thing.yaw + turn, size=size, scale=scale)


def _size(name: str, asset: _Asset, options: Options, where: str) -> Point | None:
    """How wide, deep and high an asset is before it is scaled."""
    if (box := asset.metadata.box) is not None:
        return _along((box.x, box.y, box.z), options.choice("front", "+x"))
    found = options.asset(PREFIX, _uid(name, asset), f"{where}: object {name}: uid")
    return None if found is None else size_of_mesh(found, where)


def _along(measures: Point, front: str) -> Point:
    """Measures along x, y and z as those along width, depth and height."""
    x, y, z = measures
    return (y, x, z) if front.endswith("x") else (x, y, z)


def _centred(places: dict[str, _Place], sizes: dict[str, Point | None], options: Options, losses: Ledger) -> bool:
    said = options.choice("position")
    if said == AUTO:
        known = [
            (size[2] * place.scales[2], place.position[2])
            for name, place in places.items()
            if (size := sizes[name]) is not None
        ]
        found = stand_on_undersides([height for height, _ in known], [level for _, level in known])
        said = "underside" if found else "middle"
    told = {"middle": "middles of boxes", "underside": "middles of undersides"}[said]
    losses.assumed(f"positions are the {told} (--assume position)", len(places))
    return said == "middle"


def _degrees(places: dict[str, _Place], options: Options, losses: Ledger) -> float:
    """How many degrees an angle of 1 is."""
    said = options.choice("angles")
    turns = [place.turn for place in places.values()]
    if said == AUTO:
        said = "degrees" if not any(turns) or max(map(abs, turns)) > WHOLE_TURN else "radians"
    if any(turns):
        losses.assumed(f"angles are {said} (--assume angles)", sum(map(bool, turns)))
    return 1.0 if said == "degrees" else math.degrees(1.0)


LAYOUTVLM = Converter(
    "layoutvlm",
    "a layout as JSON: a position and a rotation of each asset; its configuration comes with --with",
    fits,
    convert,
    (
        Assumption("angles", ("degrees", "radians"), "what rotations are counted in (default: told by the numbers)"),
        Assumption("position", ("middle", "underside"), "of what a position is (default: told by the numbers)"),
        Assumption("front", tuple(FRONTS), "the way an unturned asset faces (default: +x)"),
    ),
    is_companion,
)
