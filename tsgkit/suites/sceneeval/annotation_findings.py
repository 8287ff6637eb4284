"""Which phrases of annotations mean nothing that can be measured, by the table of the working project or ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tsgkit.graph.rules import Finding, Place
from tsgkit.suites.sceneeval.annotation_files import RULES
from tsgkit.suites.sceneeval.annotations import Annotation, spaced
from tsgkit.suites.sceneeval.mapping import RELATIONS, element_of, relation_table

CODE = "unmapped-relation"


def meanings(annotations: Iterable[Annotation]) -> Iterator[Finding]:
    """A finding for every relation that the table does not know."""
    table = relation_table()
    for one in annotations:
        for spec in one.of_kind("oor"):
            if table.between_objects(spec.relation) is None:
                yield _finding(one, f"{spec.text}: {spaced(spec.relation)}")
        for spec in one.of_kind("oar"):
            element = element_of(spec.elements[0])
            if element is None or table.to_room(spec.relation, element) is None:
                yield _finding(one, f"{spec.text}: {spaced(spec.relation)} {spaced(spec.elements[0])}")


def _finding(annotation: Annotation, message: str) -> Finding:
    hint = f"write what it means into tasks/{RELATIONS}"
    return Finding(CODE, RULES[CODE].severity, message, hint, Place(item=annotation.item_id))
