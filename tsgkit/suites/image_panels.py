"""Panels of judged images: the image of an item as it is in its folder today, with boxes on it.

>>> image_now(None, "7", None).notes
('There is no folder of images to look into.',)
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tsgkit.errors import TsgkitError
from tsgkit.llm.images import ImageFile
from tsgkit.suites.images import ImageFolder, Missing
from tsgkit.suites.panels import Panel
from tsgkit.suites.task import Folder
from tsgkit.user_folders import cache_home

IMAGE = "image"
"""The name of the image in its panel."""
SCALE = 1000
"""The width and height that boxes refer to."""
OTHER_IMAGE = "This image differs from the one that was judged."


class ImageNow(NamedTuple):
    """The image of an item as it can be shown today, and what people should know about it."""

    image: ImageFile | None = None
    notes: tuple[str, ...] = ()


def image_now(folder: Folder | None, item_id: str, judged: str | None, *, file: str = "") -> ImageNow:
    """Return the image of an item, or of a file, in a folder. ``judged`` is the SHA-256 of the image that was judged;
    None if none was.
    """
    if folder is None:
        return ImageNow(notes=("There is no folder of images to look into.",))
    try:
        images = ImageFolder(folder.name, folder.path, cache_home() / "images")
        found = images.look_at(file) if file else images.look(item_id)
    except (TsgkitError, OSError, ValueError) as error:  # ValueError: a name that no file can have
        return ImageNow(notes=(f"The image cannot be shown: {error}",))
    if isinstance(found, Missing):
        return ImageNow(notes=("The folder has no image of this item" + (" any more." if judged else "."),))
    if not isinstance(found, ImageFile):
        return ImageNow(notes=(f"The image cannot be shown: {found.reason}",))
    if judged is None:
        return ImageNow(found, ("No judgement of an image is recorded for this item.", *found.notes))
    return ImageNow(found, (*(() if found.sha256 == judged else (OTHER_IMAGE,)), *found.notes))


def boxes_panel(
    title: str, boxes: Iterable[Mapping[str, Any]], notes: Sequence[str] = (), now: ImageNow | None = None
) -> Panel:
    """Return a panel of boxes from 0 to 1000, on an image where there is one, else on an empty ground."""
    image = now.image if now is not None else None
    width, height = (image.width, image.height) if image is not None else (SCALE, SCALE)
    value = {
        "width": width,
        "height": height,
        "image": None if image is None else IMAGE,
        "boxes": [_scaled(box, width / SCALE, height / SCALE) for box in boxes],
        "notes": [*(now.notes if now is not None else ()), *notes],
    }
    return Panel("boxes", title, value, {} if image is None else {IMAGE: image.path})


def _scaled(box: Mapping[str, Any], across: float, down: float) -> dict[str, Any]:
    sides = {"x": box["x"] * across, "y": box["y"] * down}
    return {**box, **sides, "width": box["width"] * across, "height": box["height"] * down}


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
