"""A room read from a file, for programs and notebooks: the strict findings and the top view."""

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
from tsgkit.suites.sceneeval.scene_files.loaded_scene import MISSING, LoadedScene

MOST_SHOWN = 10


@dataclass(frozen=True, repr=False)
class SceneView:
    """A room with its strict findings, judged by rules."""

    scene: LoadedScene
    file: str

    @property
    def name(self) -> str:
        """The name in the file."""
        return self.scene.scene.name

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of the objects, in file order."""
        return tuple(thing.id for thing in self.scene.scene.objects)

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the file, and the repairs made while reading it."""
        return (*self.scene.notes, *map(str, self.scene.stage.problems))

    @cached_property
    def types(self) -> Mapping[str, str]:
        """The support of each object."""
        return RulesJudge().support_types(self.scene.stage)

    @cached_property
    def sides(self) -> Mapping[str, tuple[str, ...]]:
        """The functional sides of each object."""
        return RulesJudge().used_sides(self.scene)

    @cached_property
    def findings(self) -> Mapping[str, Any]:
        """The strict findings: ``objects`` by id, ``openings``, ``navigability``, and ``scores`` as (sum, weight)."""
        return findings(self.scene.stage, self.types, self.sides)

    @cached_property
    def svg(self) -> str:
        """The top view."""
        return draw_scene(self.scene.stage, self.types, self.sides, self.file)

    def save(self, path: str | Path) -> Path:
        """Write the top view into a file that ends in ``.svg``."""
        if Path(path).suffix.lower() != ".svg":
            raise UsageError(f"{path}: the drawing is written as SVG", hint="end the name in .svg")
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
    """Read the room in a JSON or GLB file. ``assets`` maps layouts to the folders of their meshes."""
    if not isinstance(path, (str, os.PathLike)):
        raise UsageError(f"{path!r:.40}: expected the path of a scene")
    if missing not in MISSING:
        raise UsageError(f"missing={missing}: expected {' or '.join(MISSING)}")
    check_libraries()
    named = [f"{name}={folder}" for name, folder in assets.items()] if isinstance(assets, Mapping) else list(assets)
    return SceneView(read_scene(Path(path), sources_of(named), missing=missing), Path(path).name)
