"""Fields of other tools' files: bounded and finite numbers, names, and models whose faults name an object.

>>> Vector.of({"x": 1}, "x.json").y
0.0
>>> Vector.of({"x": "far"}, "x.json")
Traceback (most recent call last):
tsgkit.errors.FileProblem: x.json: x: Input should be a valid number, unable to parse string as a number
"""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tsgkit.errors import FileProblem
from tsgkit.suites.sceneeval.scene_files.files import problem_of
from tsgkit.suites.sceneeval.scene_files.simple import Far as Far
from tsgkit.suites.sceneeval.scene_files.simple import Size as Size
from tsgkit.suites.sceneeval.scene_files.simple import Sizes as Sizes

MOST_OBJECTS = 5000


def _text(value: object) -> object:
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else value


Label = Annotated[str, BeforeValidator(_text)]
"""A name; numbers are taken as their digits."""
NotNegative = Annotated[Far, Field(ge=0)]
Flat = tuple[Far, Far]
Deep = tuple[Far, Far, Far]


class ForeignModel(BaseModel):
    """A model of another tool's data: invalid numbers are refused, unknown fields are reported."""

    model_config = ConfigDict(frozen=True, extra="allow", allow_inf_nan=False, populate_by_name=True)

    @classmethod
    def of(cls, value: object, where: str, **keys: str) -> Self:
        """Return a value as this model; ``FileProblem`` names the first fault, the object of a list by its key."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise problem_of(error, where, value, **keys) from None


class Vector(ForeignModel):
    """A position, or angles, by axis names."""

    x: Far = 0.0
    y: Far = 0.0
    z: Far = 0.0


def refuse_many(number: int, where: str) -> None:
    """Raise ``FileProblem`` if a scene has more objects than any room."""
    if number > MOST_OBJECTS:
        raise FileProblem(f"{where}: {number:,} objects, and {MOST_OBJECTS:,} are read at most")
