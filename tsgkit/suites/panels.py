"""Panels: a suite's own view of one sample, as data that browser modules draw.

A suite names in its manifest, as ``view``, a function that is given a :class:`Shown` sample and yields panels::

    def view(shown: Shown) -> Iterator[Panel]:
        yield differences_panel("Reference and answer", graphs)

A panel is a kind, a title, and a JSON value. The module ``tsgkit/browser/panels/KIND.js`` draws it, in the live page
and in exported files alike; a panel is never code or markup. The kinds and their values:

``graphs``
    ``{"pairs": [{"reference", "candidate", "matched", "changes"}]}``: graphs of reference and answer side by side;
    graphs are lists of triplets or null, a change is ``{"kind", "reference", "candidate", "outside"}``. ``matched`` is
    the number of common triplets; it is null for a graph that is shown alone, as ``candidate``.
``boxes``
    ``{"width", "height", "image", "boxes": [{"label", "x", "y", "width", "height", "state"}], "notes"}``: boxes on an
    image or on an empty ground; ``image`` is a name in the panel's images or null, ``state`` is ``right``, ``wrong``,
    ``missing`` or empty. An image without boxes is drawn so too.
``choices``
    ``{"options": [{"label", "text", "is_key", "is_answer"}]}``
``questions``
    ``{"rows": [{"number", "text", "options", "key", "answer", "right", "rounds", "why"}]}``: ``options`` are pairs of a
    letter and a text, ``rounds`` the letters of each round (null: unread), ``right`` is null for unasked questions.
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

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from tsgkit.graph.model import ActionGraph
from tsgkit.suites.graph_differences import difference_value, differences, graph_value
from tsgkit.suites.item_errors import told
from tsgkit.suites.judgement import Judged
from tsgkit.suites.task import Folder, Graphs, Task
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
    images: Mapping[str, Path] = field(default_factory=dict)
    """The image files that the value refers to, by the names that it uses for them."""
    still: Callable[[], str] | None = field(default=None, compare=False)
    """Draws the panel as SVG for pages without scripts; None where its value is drawn there as it is."""


def panels_of(shown: Shown) -> Iterator[Panel]:
    """Yield the panels that the suite of a task adds; none if it has no view. A view that fails ends in a text."""
    from tsgkit.suites.suite import loaded, suite_of

    suite = suite_of(shown.task.card)
    if suite is None or not suite.view:
        return
    try:
        yield from loaded(suite.view)(shown)
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        yield text_panel("View of the suite", f"It cannot be shown: {told(error, shown.task)}")


def text_panel(title: str, text: str) -> Panel:
    """Return a panel of plain text."""
    return Panel("text", title, {"text": text})


def table_panel(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Panel:
    """Return a panel of a table; cells that are no numbers are shown as text, None as nothing."""
    return Panel("table", title, {"head": list(head), "rows": [[_cell(one) for one in row] for row in rows]})


def _cell(value: object) -> object:
    is_plain = value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value))
    return value if is_plain else str(value)


def differences_panel(title: str, graphs: Graphs) -> Panel:
    """Return a panel of graphs of an answer beside their references, by position, with the differences."""
    return Panel("graphs", title, {"pairs": [difference_value(one) for one in differences(graphs)]})


def graphs_panel(title: str, graphs: Iterable[ActionGraph]) -> Panel:
    """Return a panel of graphs without references."""
    pairs = [{"reference": None, "candidate": graph_value(one), "matched": None, "changes": []} for one in graphs]
    return Panel("graphs", title, {"pairs": pairs})
