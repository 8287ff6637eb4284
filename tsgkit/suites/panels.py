"""Panels: a suite's own view of one sample, as data that browser modules draw.

A suite names in its manifest, as ``view``, a function that is given a :class:`Shown` sample and yields panels::

    def view(shown: Shown) -> Iterator[Panel]:
        yield Panel("graphs", "Reference and answer", pairs_value(graphs))

A panel is a kind, a title, and a JSON value. The module ``tsgkit/browser/panels/KIND.js`` draws it, in the live page
and in exported files alike; a panel is never code or markup. The kinds and their values:

``graphs``
    ``{"pairs": [{"reference", "candidate", "matched", "changes"}]}``: graphs of reference and answer side by side;
    graphs are lists of triplets or null, a change is ``{"kind", "reference", "candidate", "outside"}``.
``boxes``
    ``{"width", "height", "image", "boxes": [{"label", "x", "y", "width", "height", "state"}], "notes"}``: boxes on an
    image or on an empty ground; ``image`` is a name in the panel's images or null, ``state`` is ``right``, ``wrong``,
    ``missing`` or empty. An image without boxes is drawn so too.
``choices``
    ``{"options": [{"label", "text", "is_key", "is_answer"}]}``
``questions``
    ``{"rows": [{"number", "text", "options", "key", "answer", "right", "rounds", "why"}]}``
``formula``
    ``{"tree": {"text", "holds", "why", "names", "parts": [...]}}``: a formula and its parts; ``holds`` is null where it
    was not decided, ``names`` are the labels of boxes that a part is about.
``scene``
    ``{"parts": [...], "sections": [...]}``: a room in 3D with remarks that can be clicked, as pages of scenes have it.
``table``
    ``{"head": [...], "rows": [[...]]}``
``text``
    ``{"text"}``
``drawing``
    ``{"svg"}``: a drawing, which is shown as an image and so stays inert.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from tsgkit.suites.judgement import Judged
from tsgkit.suites.task import Folder, Task
from tsgkit.suites.transcript import Transcript

Kind = Literal["boxes", "choices", "drawing", "formula", "graphs", "questions", "scene", "table", "text"]


@dataclass(frozen=True)
class Shown:
    """A sample to be shown: everything known about it."""

    task: Task
    sample: Any
    judged: Judged
    transcript: Transcript | None
    """None if nothing was asked about it."""
    folder: Folder | None
    """The folder of images or scenes that is evaluated; None for models."""
    assets: tuple[str, ...] = ()
    """Folders of assets for scenes, as ``LAYOUT=DIR``."""


@dataclass(frozen=True)
class Panel:
    """A part of the view of a sample."""

    kind: Kind
    title: str
    value: Mapping[str, Any]
    """What is drawn, as JSON has it."""
    images: Mapping[str, Path] = field(default_factory=lambda: MappingProxyType({}))
    """The image files that the value refers to, by the names that it uses for them."""


def panels_of(shown: Shown) -> Iterator[Panel]:
    """Yield the panels that the suite of a task adds; none if it has no view."""
    from tsgkit.suites.suite import loaded, suite_of

    suite = suite_of(shown.task.card)
    if suite is not None and suite.view:
        yield from loaded(suite.view)(shown)
