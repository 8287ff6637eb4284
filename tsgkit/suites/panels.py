"""Panels: a suite's own view of one sample, as data that browser modules draw.

A suite names in its manifest, as ``view``, a function that is given a :class:`SampleView` sample and yields panels::

    def view(shown: Shown) -> Iterator[Panel]:
        yield table_panel("Answer", ["wanted", "answered"], [[shown.sample.answer, shown.judged.answer]])

Where a task names the graphs of reference and answer (``View.graphs``), a panel of their differences follows.

A panel is a kind, a title, and a JSON value. ``tsgkit/browser/panels/panels.js`` draws it by its kind, in the live page
and in exported files alike; a panel is never code or markup. The kinds and their values:

``graphs``
    ``{"pairs": [{"reference", "candidate", "matched", "changes"}]}``: graphs of reference and answer side by side;
    graphs are lists of triplets or null, a change is ``{"kind", "reference", "candidate", "outside"}``. ``matched`` is
    the number of common triplets; it is null for a graph that is shown alone, as ``candidate``. Their drawings
    are sent beside the value (:func:`drawings_of`).
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

>>> from tsgkit.graph.model import Vocabulary
>>> wanted = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "lid"))
>>> got = ActionGraph.of(("person", "verb", "open"), ("open", "dobj", "jar"))
>>> found = list(differences(Graphs((wanted,), (got, got), Vocabulary(("lid",), (), ("open",)))))
>>> [one.summary for one in found]
['1 matched, 1 mismatched', 'surplus: no reference stands at its place']
>>> difference_value(found[0])["changes"]
[{'kind': 'mismatched', 'reference': ['open', 'dobj', 'lid'], 'candidate': ['open', 'dobj', 'jar'], 'outside': ['jar']}]
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.graph.drawing import draw_marked, draw_sides
from tsgkit.graph.edits import Change, ChangeKind, Diff, diff
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.llm.images import ImageFile
from tsgkit.suites.images import ImageFolder, MissingImage
from tsgkit.suites.judgement import Judged, error_in_words
from tsgkit.suites.task import Folder, Graphs, Task
from tsgkit.suites.transcript import Transcript

Kind = Literal["boxes", "choices", "drawing", "formula", "graphs", "questions", "scene", "table", "text"]
IMAGE = "image"
"""The name of the image in its panel."""
SCALE = 1000
"""The width and height that boxes refer to."""
OTHER_IMAGE = "This image differs from the one that was judged."


@dataclass(frozen=True)
class SampleView:
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


def panels_of(shown: SampleView) -> Iterator[Panel]:
    """Yield the panels that the suite of a task adds, and the graphs of reference and answer, where a task has them.

    A view that fails ends in a text.
    """
    from tsgkit.suites.suite import loaded, suite_of

    suite = suite_of(shown.task.card)
    try:
        if suite is not None and suite.view:
            yield from loaded(suite.view)(shown)
        if (graphs := shown.task.view.graphs(shown.sample, shown.judged)) is not None:
            yield differences_panel("Reference and answer", graphs)
    except Exception as error:  # noqa: BLE001 - a suite's code fails in every way there is
        yield text_panel("View of the suite", f"It cannot be shown: {error_in_words(error, shown.task)}")


def text_panel(title: str, text: str) -> Panel:
    """Return a panel of plain text."""
    return Panel("text", title, {"text": text})


def table_panel(title: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> Panel:
    """Return a panel of a table; cells that are no numbers are shown as text, None as nothing."""

    def shown(cell: object) -> object:
        is_plain = cell is None or isinstance(cell, bool | int) or (isinstance(cell, float) and math.isfinite(cell))
        return cell if is_plain else str(cell)

    return Panel("table", title, {"head": list(head), "rows": [list(map(shown, row)) for row in rows]})


@dataclass(frozen=True)
class GraphDifference:
    """A reference graph and the answer's graph at its position; None if one is missing."""

    reference: ActionGraph | None
    candidate: ActionGraph | None
    difference: Diff | None

    @property
    def summary(self) -> str:
        """The numbers of equal and different triplets."""
        if self.difference is None:
            return "surplus: no reference stands at its place" if self.candidate is not None else "missing"
        counts = {kind: len(self.difference.of_kind(kind)) for kind in ChangeKind}
        changes = [f"{number} {kind}" for kind, number in counts.items() if number]
        return ", ".join([f"{len(self.difference.matched)} matched", *changes])

    @property
    def action(self) -> str:
        """The action by which the graph is known."""
        graph = self.reference if self.reference is not None else self.candidate
        return ", ".join(graph.actions) if graph is not None else ""

    @property
    def titled(self) -> str:
        """The summary behind the action, where the graph has one."""
        return f"{self.action}: {self.summary}" if self.action else self.summary


def differences(graphs: Graphs) -> Iterator[GraphDifference]:
    """Yield each reference graph with the answer's at its position, then the surplus ones."""
    for reference, candidate in zip_longest(graphs.references, graphs.answers):
        both = None if reference is None or candidate is None else diff(reference, candidate, graphs.vocabulary)
        yield GraphDifference(reference, candidate, both)


def difference_value(graph: GraphDifference) -> dict[str, Any]:
    """Return the JSON value of a difference; graphs and triplets are lists."""

    def listed(triplet: Triplet | None) -> list[str] | None:
        return None if triplet is None else list(triplet)

    difference = graph.difference
    return {
        "reference": _graph_value(graph.reference),
        "candidate": _graph_value(graph.candidate),
        "matched": len(difference.matched) if difference is not None else 0,
        "changes": [
            {
                "kind": str(change.kind),
                "reference": listed(change.reference),
                "candidate": listed(change.candidate),
                "outside": list(change.outside),
            }
            for change in (difference.changes if difference is not None else ())
        ],
    }


def _graph_value(graph: ActionGraph | None) -> list[list[str]] | None:
    return None if graph is None else [list(triplet) for triplet in graph]


def differences_panel(title: str, graphs: Graphs) -> Panel:
    """Return a panel of graphs of an answer beside their references, by position, with the differences."""
    return Panel("graphs", title, {"pairs": [difference_value(pair) for pair in differences(graphs)]})


def graphs_panel(title: str, graphs: Iterable[ActionGraph]) -> Panel:
    """Return a panel of graphs without references."""
    pairs = [{"reference": None, "candidate": _graph_value(graph), "matched": None, "changes": []} for graph in graphs]
    return Panel("graphs", title, {"pairs": pairs})


def drawings_of(panel: Panel) -> list[dict[str, str]]:
    """Return the drawings of each pair of a panel of graphs, by "reference" and "candidate"; none of other panels."""
    pairs = panel.value["pairs"] if panel.kind == "graphs" else ()

    def read(triplet: Sequence[str] | None) -> Triplet | None:
        return None if triplet is None else Triplet(*triplet)

    drawings = []
    for number, pair in enumerate(pairs, 1):
        sides = (pair["reference"], pair["candidate"])
        reference, candidate = (None if side is None else ActionGraph(side) for side in sides)
        if pair["matched"] is None:
            drawings.append({"candidate": _drawn_alone(candidate.triplets if candidate is not None else ())})
            continue
        changes = [
            Change(each["kind"], read(each["reference"]), read(each["candidate"]), tuple(each["outside"]))
            for each in pair["changes"]
        ]
        title = f"Graph {number}" if len(pairs) > 1 else ""
        drawings.append(draw_sides(reference, candidate, changes, title=title)._asdict())
    return drawings


@lru_cache(maxsize=1024)
def _drawn_alone(triplets: tuple[Triplet, ...]) -> str:
    """Return the drawing of a graph without reference; many samples have the same ones as their context."""
    return draw_marked(ActionGraph(triplets))


class ImageNow(NamedTuple):
    """The image of an item as it can be shown today, and what people should know about it."""

    image: ImageFile | None = None
    notes: tuple[str, ...] = ()


def image_now(folder: Folder | None, item_id: str, judged: str | None, *, file: str = "") -> ImageNow:
    """Return the image of an item, or of a file, in a folder. ``judged`` is the SHA-256 of the image that was judged;
    None if none was.

    >>> image_now(None, "7", None).notes
    ('There is no folder of images to look into.',)
    """
    if folder is None:
        return ImageNow(notes=("There is no folder of images to look into.",))
    try:
        images = ImageFolder(folder.name, folder.path)
        image = images.look_at(file) if file else images.look(item_id)
    except (TsgkitError, OSError, ValueError) as error:  # ValueError: a name that no file can have
        return ImageNow(notes=(f"The image cannot be shown: {error}",))
    if isinstance(image, MissingImage):
        return ImageNow(notes=("The folder has no image of this item" + (" any more." if judged else "."),))
    if not isinstance(image, ImageFile):
        return ImageNow(notes=(f"The image cannot be shown: {image.reason}",))
    if judged is None:
        return ImageNow(image, ("No judgement of an image is recorded for this item.", *image.notes))
    return ImageNow(image, (*(() if image.sha256 == judged else (OTHER_IMAGE,)), *image.notes))


def boxes_panel(
    title: str, boxes: Iterable[Mapping[str, Any]], notes: Sequence[str] = (), now: ImageNow | None = None
) -> Panel:
    """Return a panel of boxes from 0 to 1000, on an image where there is one, else on an empty ground."""
    image = now.image if now is not None else None
    width, height = (image.width, image.height) if image is not None else (SCALE, SCALE)
    factors = {"x": width / SCALE, "y": height / SCALE, "width": width / SCALE, "height": height / SCALE}
    value = {
        "width": width,
        "height": height,
        "image": None if image is None else IMAGE,
        "boxes": [{**box, **{side: box[side] * factor for side, factor in factors.items()}} for box in boxes],
        "notes": [*(now.notes if now is not None else ()), *notes],
    }
    return Panel("boxes", title, value, {} if image is None else {IMAGE: image.path})


def box_value(label: str, corners: object, state: str = "") -> dict[str, Any] | None:
    """Return a box from its left, top, right and bottom edges; None if they are not four finite numbers.

    >>> box_value("cup", [10, 0, 30, 5])
    {'label': 'cup', 'x': 10, 'y': 0, 'width': 20, 'height': 5, 'state': ''}
    """
    if not isinstance(corners, list | tuple) or len(corners) != 4 or not all(map(_is_number, corners)):
        return None
    left, right = sorted((corners[0], corners[2]))
    top, bottom = sorted((corners[1], corners[3]))
    return {"label": label, "x": left, "y": top, "width": right - left, "height": bottom - top, "state": state}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and abs(value) < 1e9
