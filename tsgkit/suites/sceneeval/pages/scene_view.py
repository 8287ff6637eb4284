"""A room that was read from a file, as a program and a notebook see it: what strict finds, and the view from above."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.geometry import check_libraries
from tsgkit.library.files import write_text
from tsgkit.library.overwrites import refuse_to_replace_data
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.pages.top_view import draw_scene
from tsgkit.suites.sceneeval.plausibility import findings
from tsgkit.suites.sceneeval.scene_files.assets import sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, Furnished

MOST_SHOWN = 10


@dataclass(frozen=True, repr=False)
class SceneView:
    """A room, what holds its objects and how they are used as the rules tell it, and what strict finds."""

    scene: Furnished
    file: str

    @property
    def name(self) -> str:
        """Its name, as its file says it."""
        return self.scene.scene.name

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of its objects, in the order of the file."""
        return tuple(thing.id for thing in self.scene.scene.objects)

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong with the file, and what was repaired in reading it."""
        return (*self.scene.notes, *map(str, self.scene.stage.problems))

    @cached_property
    def types(self) -> Mapping[str, str]:
        """What holds each object."""
        return RulesJudge().support_types(self.scene.stage)

    @cached_property
    def sides(self) -> Mapping[str, tuple[str, ...]]:
        """The sides from which each object is used."""
        return RulesJudge().used_sides(self.scene)

    @cached_property
    def findings(self) -> Mapping[str, Any]:
        """What strict finds: ``objects`` by id, ``openings``, ``navigability``, and ``scores`` as (sum, weight)."""
        return findings(self.scene.stage, self.types, self.sides)

    @cached_property
    def svg(self) -> str:
        """The view from above."""
        return draw_scene(self.scene.stage, self.types, self.sides, self.file)

    def save(self, path: str | Path) -> Path:
        """Write the view from above into a file that ends in ``.svg``."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(f"{path}: a picture is SVG", hint="give it a name that ends in .svg")
        refuse_to_replace_data(path, self.svg)
        write_text(path, self.svg)
        return Path(path)

    def __repr__(self) -> str:
        names = [*map(repr, self.objects[:MOST_SHOWN]), *(["..."] if len(self.objects) > MOST_SHOWN else [])]
        wrong = f"; {len(self.problems)} problems" if self.problems else ""
        return f"<scene {self.name!r}: {len(self.objects)} objects{wrong}: {', '.join(names)}>"

    def _repr_svg_(self) -> str:
        return self.svg


def open_scene(
    path: str | Path,
    *,
    assets: Mapping[str, str | Path] | Sequence[str] = (),
    missing: str = MISSING[0],
) -> SceneView:
    """Read the room of a JSON or GLB file; ``assets`` says where the meshes of a layout lie."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{path!r:.40} is no path of a scene")
    if missing not in MISSING:
        raise UsageError(f"missing={missing}: a missing mesh is {' or '.join(MISSING)}")
    check_libraries()
    named = [f"{name}={folder}" for name, folder in assets.items()] if isinstance(assets, Mapping) else list(assets)
    return SceneView(read_scene(Path(path), sources_of(named), missing=missing), Path(path).name)
