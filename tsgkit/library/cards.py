"""Task cards: YAML declarations such as ``tasks/tsg/ma-sgg.yaml``.

>>> card = load_card("tsg/ma-sgg")
>>> card.task, card.temperature, card.metrics["f1"].better
('tsg/ma-sgg', 0.1, 'more')

A card names its task's code by a registry key (``task``), never by a path into Python; the suite checks that key and
the metrics.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictBool, StrictStr, ValidationError

from tsgkit.errors import UsageError
from tsgkit.library.declarations import kind_of, loaded, problem_of
from tsgkit.library.projects import find, search_path, text_of

ENDING = ".yaml"
KEPT = ("name", "source", "sha256")
"""Fields that loading sets; a card's file may not contain them."""


def _inside(path: str) -> str:
    if PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts or "\\" in path:
        raise ValueError("a path inside its room, with forward slashes, as in tsg/data/ma-sgg.jsonl")
    return path


Text = Annotated[StrictStr, Field(min_length=1)]
Inside = Annotated[Text, AfterValidator(_inside)]


class _Declared(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class CardMetric(_Declared):
    """The pooling of a metric, its better direction, and whether it is a headline."""

    pooling: Literal["pooled", "per-item"]
    better: Literal["more", "less"]
    headline: StrictBool


class Card(_Declared):
    """A task card: what is asked, with which data and prompts, and what is measured.

    ``data`` and ``examples`` are paths below ``tasks`` (or the name of an installed dataset), ``prompts`` a folder
    below ``prompts``. ``subject`` and ``judge`` are defaults. A card that is ``on_request`` is run only when it is
    named itself.
    """

    title: Text
    citation: Text
    task: Annotated[StrictStr, Field(pattern=r"^[a-z0-9-]+(/[a-z0-9-]+)+$")]
    version: Annotated[int, Field(strict=True, ge=1)]
    data: Inside
    prompts: Inside = ""
    """The folder of prompts; empty if no model is asked."""
    examples: Inside | None = None
    subject: Text | None = None
    scenes: dict[StrictStr, Inside] | None = None
    """Named folders of scenes below ``tasks`` that are judged if no subject is given."""
    judge: Text | None = None
    on_request: StrictBool = False
    temperature: Annotated[float, Field(strict=True, ge=0, le=2, allow_inf_nan=False)] = 0.1
    longest_answer: Annotated[int, Field(strict=True, ge=1)] | None = None
    """The tokens of the longest sensible answer without words around it; a third of its characters is on the safe
    side.
    """
    metrics: Annotated[dict[StrictStr, CardMetric], Field(min_length=1)]

    name: str
    source: str
    sha256: str


_GIVEN: dict[str, Card] = {}
"""Cards of tasks defined in a program, which have no file."""


def give_card(card: Card) -> None:
    """Register a card under its name. It replaces an earlier registered card, but never one from a file."""
    if card.name not in _GIVEN and card.name in card_names():
        raise UsageError(f"there is a task {card.name} already", hint="give yours another name")
    _GIVEN[card.name] = card


def load_card(name: str, folders: Sequence[Path] = (), start: Path | None = None) -> Card:
    """Return the card of a name (``tsg/ma-sgg``), looked up in the caller's folders, the working project, the shipped
    one.
    """
    name = name.removesuffix(ENDING)
    if name in _GIVEN:
        return _GIVEN[name]
    try:
        found = find("tasks", name + ENDING, folders, start)
    except UsageError as error:
        names = card_names(folders, start)
        if ours := [one for one in names if one.startswith(f"{name}/")]:
            raise UsageError(f"{name} is a suite; one task is wanted", hint=f"its tasks: {', '.join(ours)}") from None
        near = _near(name, names)
        raise UsageError(f"there is no task {name}", hint=near or error.hint) from None
    return card_from(text_of(found), name, str(found))


def card_names(folders: Sequence[Path] = (), start: Path | None = None) -> tuple[str, ...]:
    """Return the names of all cards on the search path, sorted."""
    names = {name for place in search_path("tasks", folders, start) for name in _names_in(place)}
    return tuple(sorted({*names, *_GIVEN}))


@lru_cache(maxsize=256)
def card_from(text: str, name: str, source: str) -> Card:
    """Return the card that a text declares, read once; ``UsageError`` names the file and the field that is wrong."""
    value = loaded(text, source)
    if not isinstance(value, dict):
        raise UsageError(f"{source}: a card is fields and values, not {kind_of(value)}")
    if kept := [field for field in KEPT if field in value]:
        raise UsageError(
            f"{source}: {kept[0]}: tsgkit sets this field, so a card must not have it", hint="leave the field out"
        )
    if odd := [field for field in value if not isinstance(field, str)]:
        raise UsageError(f"{source}: {odd[0]}: the name of a field is a text", hint="put it in quotes")
    sha256 = hashlib.sha256(text.encode("utf-8")).hexdigest()
    try:
        return Card.model_validate({**value, "name": name, "source": source, "sha256": sha256})
    except ValidationError as error:
        nested = any(len(one["loc"]) > 1 for one in error.errors() if one["type"] == "extra_forbidden")
        fields = CardMetric.model_fields if nested else [name for name in Card.model_fields if name not in KEPT]
        raise problem_of(error, source, "field", tuple(fields)) from None


def _names_in(place: Traversable) -> list[str]:
    suites = [suite for suite in place.iterdir() if suite.is_dir()]
    files = [(suite, file) for suite in suites for file in suite.iterdir() if file.name.endswith(ENDING)]
    return [f"{suite.name}/{file.name.removesuffix(ENDING)}" for suite, file in files if _is_card(file)]


def _is_card(file: Traversable) -> bool:
    """Return whether a YAML file is a card; other declarations are in the same folders."""
    try:
        text = file.read_bytes().decode("utf-8", "replace")
    except OSError:
        return False
    return any(line.startswith("task:") for line in text.splitlines())


def _near(name: str, names: Sequence[str]) -> str:
    from tsgkit.lexicon import nearest

    near = nearest(name, names, limit=1)
    if near:
        return f"{near[0].name}?"
    return f"the tasks: {', '.join(names)}" if names else ""
