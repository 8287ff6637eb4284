"""Worked examples of annotations: descriptions of our own with their entries and the reasoning that leads to them.

A pool is a file of JSON rows, each an annotation with a ``rationale``.
"""

from __future__ import annotations

from pydantic import StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.library.cards import Card
from tsgkit.library.projects import text_of
from tsgkit.suites.sceneeval.annotation_prompting import answer_text
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.furnished import Given, json_of, problem_of
from tsgkit.suites.solvers.examples import Example, Identity, Pool, folded, pool_file


class _Row(Given):
    item_id: StrictStr
    difficulty: StrictStr = ""
    description: StrictStr
    counts: tuple[StrictStr, ...]
    attributes: tuple[StrictStr, ...] = ()
    object_relations: tuple[StrictStr, ...] = ()
    room_relations: tuple[StrictStr, ...] = ()
    rationale: StrictStr


def pool_of(card: Card) -> Pool[Annotation]:
    """Return all examples of a card's pool."""
    found = pool_file(card)
    lines = enumerate(text_of(found).split("\n"), 1)
    examples = tuple(_example(line, f"{found}: line {number}") for number, line in lines if line.strip())
    return Pool(str(card.examples), examples, identity_of)


def identity_of(sample: Annotation) -> Identity:
    """Return what a description is recognised by: its words."""
    return Identity((folded(sample.description),))


def _example(line: str, place: str) -> Example[Annotation]:
    try:
        row = _Row.model_validate(json_of(line, place))
        listed = (row.counts, row.attributes, row.object_relations, row.room_relations)
        annotation = annotation_of(row.item_id, row.difficulty, row.description, *listed)
    except ValidationError as error:
        raise problem_of(error, place) from None
    except NotationError as error:
        raise UsageError(f"{place}: {error.message}") from None
    return Example(annotation, answer_text(annotation), row.rationale)
