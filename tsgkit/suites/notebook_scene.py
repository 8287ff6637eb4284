"""Scenes for programs and notebooks, from suites that have scenes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol


class ShownScene(Protocol):
    """A furnished room read from a file."""

    @property
    def name(self) -> str:
        """Its name, as its file says it."""

    @property
    def objects(self) -> tuple[str, ...]:
        """The ids of its objects, in the order of the file."""

    @property
    def problems(self) -> tuple[str, ...]:
        """The problems of the file, and the repairs made in reading it."""

    @property
    def findings(self) -> Mapping[str, Any]:
        """The findings of strict: ``objects`` by id, ``openings``, ``navigability``, and ``scores`` as (sum,
        weight)."""

    @property
    def svg(self) -> str:
        """The view from above."""

    def save(self, path: str | Path) -> Path:
        """Write the view from above into a file that ends in ``.svg``."""

    def _repr_svg_(self) -> str: ...
