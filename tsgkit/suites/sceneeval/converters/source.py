"""Input of a converter: the text and value of a file, and the user's options.

>>> given = SourceFile.of("x.json", '{"rooms": []}')
>>> given.value
{'rooms': []}
>>> Assumption("angles", ("degrees", "radians"), "what angles are").checked("x.json", "grads")
Traceback (most recent call last):
tsgkit.errors.UsageError: x.json: --assume angles=grads: not one of degrees, radians
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.suites.sceneeval.converters.room_sizes import RoomSizes
from tsgkit.suites.sceneeval.converters.writer import Converted, Scenes, Unconverted
from tsgkit.suites.sceneeval.scene_files.assets import Asset, AssetSource
from tsgkit.suites.sceneeval.scene_files.files import json_of

Target = Literal["room", "state"]
AUTO = "auto"


class SourceFile(NamedTuple):
    """A file; ``value`` is its JSON value, or None if it is not JSON."""

    name: str
    text: str
    value: Any

    @staticmethod
    def of(name: str, text: str) -> SourceFile:
        """Return the file of a text; ``FileProblem`` where it begins as JSON does and is none."""
        start = text.lstrip()[:1]
        if start == '"' and isinstance(quoted := json_of(text, name), str):
            return SourceFile(name, quoted, None)
        return SourceFile(name, text, json_of(text, name) if start in ("{", "[") else None)


class Assumption(NamedTuple):
    """A property that files of a form leave open, and that the user may set."""

    name: str
    choices: tuple[str, ...] | None
    """The possible values; empty for any number, None for any text."""
    meaning: str

    def checked(self, where: str, said: str) -> str:
        """Return the user's value. Raise ``UsageError`` if it is invalid."""
        if self.choices and said not in self.choices:
            raise UsageError(f"{where}: --assume {self.name}={said}: not one of {', '.join(self.choices)}")
        if self.choices == () and not _is_measure(said):
            raise UsageError(f"{where}: --assume {self.name}={said}: not a number from 0 to 10,000")
        return said


def _is_measure(said: str) -> bool:
    try:
        return math.isfinite(number := float(said)) and 0 <= number <= 1e4
    except ValueError:
        return False


@dataclass(frozen=True)
class Options:
    """The user's options of a conversion."""

    to: Target = "room"
    sources: Sequence[AssetSource] = ()
    companion: SourceFile | None = None
    """Another file that says more of the scene."""
    said: Mapping[str, str] = field(default_factory=dict)
    """The user's values of open properties."""
    room_sizes: RoomSizes | None = None
    """The real sizes of rooms by record."""

    def choice(self, name: str, default: str = AUTO) -> str:
        """Return what is settled of one thing."""
        return self.said.get(name, default)

    def number(self, name: str, default: float) -> float:
        """Return the same, of a measure."""
        return float(self.said.get(name, default))

    def asset(self, prefix: str, asset_id: str, where: str) -> Asset | None:
        """Look an asset up in the folders that were given; None where no folder has this kind."""
        found = [one.asset(asset_id, where) for one in self.sources if one.prefix == prefix and asset_id]
        return next((one for one in found if one.box is not None or one.mesh.is_file()), found[0] if found else None)


@dataclass(frozen=True)
class Converter:
    """A converter of one file form.

    ``fits`` tells a file of it from any other, ``is_companion`` one that belongs to it; neither may raise.
    """

    name: str
    meaning: str
    fits: Callable[[SourceFile], bool]
    convert: Callable[[SourceFile, Options], Scenes]
    assumptions: tuple[Assumption, ...] = ()
    is_companion: Callable[[SourceFile], bool] = lambda given: False
    names_meshes: bool = True
    """True if scene states can be made of its files."""
    uses_room_sizes: bool = False

    def __call__(self, given: SourceFile, options: Options) -> Scenes:
        """Return the scenes of a file. Raise ``FileProblem`` if it is invalid."""
        known = {one.name: one for one in self.assumptions}
        for name, said in options.said.items():
            if name not in known:
                hint = meant(name, known) if known else "it leaves nothing open"
                raise UsageError(f"{given.name}: --assume {name}={said}: {self.name} has no such thing", hint=hint)
            known[name].checked(given.name, said)
        if not self.fits(given):
            raise FileProblem(f"{given.name}: this is not {self.name} ({self.meaning})")
        if options.to == "state" and not self.names_meshes:
            message = f"{given.name}: files of {self.name} name no meshes, so no scene state can be made of them"
            raise UsageError(message, hint="--to room")
        if options.room_sizes is not None and not self.uses_room_sizes:
            raise UsageError(f"{given.name}: --room-sizes: files of {self.name} hold their own sizes of rooms")
        return tuple(_as_said(scene, options.said) for scene in self.convert(given, options))


def _as_said(scene: Converted | Unconverted, said: Mapping[str, str]) -> Converted | Unconverted:
    """Return the scene, whose losses ask for nothing that a person settled."""
    if isinstance(scene, Unconverted):
        return scene
    return replace(scene, losses=tuple(replace(loss, what=_settled(loss.what, said)) for loss in scene.losses))


def _settled(what: str, said: Mapping[str, str]) -> str:
    for name in said:
        what = what.replace(f"(--assume {name})", "(as said)")
    return what
