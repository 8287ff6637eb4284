"""Problems of a scene's geometry, such as invalid meshes, as values.

>>> print(Problem("singular-transform", "lamp_2", "its transform has determinant 0"))
lamp_2: its transform has determinant 0 [singular-transform]
"""

from __future__ import annotations

from typing import NamedTuple

CODES = {
    "unreadable-mesh": "the bytes are no mesh of that format",
    "empty-mesh": "no face with three finite corners is left",
    "not-finite": "some corners are NaN or infinite; the faces that use them are left out",
    "bad-face": "some faces name corners that do not exist; they are left out",
    "flat-mesh": "all faces together have no area",
    "inside-out": "a closed surface whose faces look inwards",
    "many-faces": "so many faces that trees over them take seconds",
    "bad-size": "a primitive with a size that is not positive and finite",
    "bad-transform": "not sixteen finite numbers, or a last row that is not 0 0 0 1",
    "singular-transform": "a transform that flattens the object",
    "sheared-transform": "a transform that is not rotation times scale along the axes",
    "repeated-id": "two objects of one id",
    "bad-floor": "a floor that encloses no area",
    "crossed-floor": "a floor whose outline crosses itself",
    "bad-wall": "a wall without length or height",
    "bad-opening": "a door or window that encloses no part of its wall",
    "slanted-wall": "a wall that the official way draws along x although it runs elsewhere",
    "nothing-to-draw": "nothing of the scene can be drawn",
    "no-floor": "no floor is left to stand on",
}


class Problem(NamedTuple):
    """A geometry problem: ``code`` is one of :data:`CODES`, ``where`` the id of the object."""

    code: str
    where: str
    message: str
    hint: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.code}]"
