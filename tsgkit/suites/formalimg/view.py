"""Panels of this suite's samples: layouts and images with boxes, and formulas with the parts that failed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from tsgkit.logic.english import thing
from tsgkit.logic.printer import text_of
from tsgkit.suites.formalimg.formula_tree import Judgement, formula_tree, leaves_of, part_value
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.formalimg.verdicts import clauses_in
from tsgkit.suites.panels import ImageNow, Panel, Shown, box_value, boxes_panel, image_now

NOT_JUDGED = "nothing was judged"


def view(shown: Shown) -> Iterator[Panel]:
    """Yield the image or layout with its boxes, and the formula."""
    sample: FormulaSample = shown.sample
    evidence: Mapping[str, Any] = shown.judged.evidence or {}
    is_image = shown.task.looks is not None
    now = image_now(shown.folder, sample.number, evidence.get("image")) if is_image else None
    if sample.scenario == NATURAL:
        yield boxes_panel("Image", (), now=now)
        yield Panel("formula", "Clauses as they were judged", {"tree": _clause_tree(sample, evidence)})
        return
    yield from _located(shown, evidence, now)


def _located(shown: Shown, evidence: Mapping[str, Any], now: ImageNow | None) -> Iterator[Panel]:
    """Yield the boxes of a layout, or those that were found in an image, and the formula."""
    sample: FormulaSample = shown.sample
    objects = shown.judged.answer if isinstance(shown.judged.answer, list) else None
    judgement = Judgement(
        truth=evidence.get("verdict"),
        reason=evidence.get("reason") or ("" if evidence.get("verdict") else NOT_JUDGED),
        failed={one["clause"] for one in evidence.get("failed", ())},
        objects=objects,
        grounded=now is not None,
        is_judged=objects is not None and evidence.get("status") is not None,
    )
    tree = formula_tree(sample.formula, judgement)
    states = _states(tree, judgement)
    boxes, notes = _boxes(objects or (), judgement, states)
    title = "Layout that was read" if now is None else "Image, with the objects that were found"
    if objects is None and now is None:
        notes = [f"There is no layout: {judgement.reason}"]
    elif objects is not None:
        notes += _absent(sample, objects)
    yield boxes_panel(title, boxes, notes, now)
    yield Panel("formula", "Formula", {"tree": tree})


def _states(tree: Mapping[str, Any], judgement: Judgement) -> dict[str, str]:
    """Return the states of boxes by name: those that a failed part names are wrong, others that parts name right."""
    if not judgement.is_judged:
        return {}
    leaves = list(leaves_of(tree))
    right = dict.fromkeys(chain.from_iterable(one["names"] for one in leaves), "right")
    return right | dict.fromkeys(chain.from_iterable(one["names"] for one in leaves if one["holds"] is False), "wrong")


def _boxes(
    objects: Sequence[Any], judgement: Judgement, states: Mapping[str, str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the boxes of objects, and notes about those that cannot be drawn."""
    layout = judgement.layout
    names: Sequence[str] = layout.names if layout is not None else [_label(one) for one in objects]
    boxes, notes = [], []
    for number, (one, name) in enumerate(zip(objects, names, strict=True)):
        found = box_value(name, one.get("box_2d") if isinstance(one, dict) else None, states.get(name, ""))
        if found is None:
            notes.append(f"Object {number} ({name}) has no box that can be drawn.")
        else:
            boxes.append(found)
    return boxes, notes


def _label(one: object) -> str:
    return str(one.get("label", "no label")) if isinstance(one, dict) else "no object"


def _absent(sample: FormulaSample, objects: Sequence[Any]) -> list[str]:
    found = {_label(one) for one in objects}
    return [f"There is no {thing(name)}." for name in sample.classes if name not in found]


def _clause_tree(sample: FormulaSample, evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Return the clauses of an item as a judge saw them; undecided if there is no verdict."""
    verdict = evidence.get("verdict")
    failed = {one["clause"] for one in evidence.get("failed", ())}
    clauses = dict.fromkeys(map(text_of, clauses_in(sample)))
    parts = [part_value(text, None if verdict is None else text not in failed) for text in clauses]
    return part_value(text_of(sample.formula), verdict, evidence.get("reason") or "", (), parts)
