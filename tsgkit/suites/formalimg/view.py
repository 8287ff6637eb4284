"""Panels of this suite's samples: layouts and images with boxes, and formulas with the parts that failed.

The tree of a formula has the truth of its parts, the reasons of failed ones, and the boxes they are about.

>>> from tsgkit.logic.parser import parse
>>> formula = parse("(exists ?c (and (Is ?c 'cup') (OnTopSide ?c)))")
>>> layout = [{"label": "cup", "box_2d": [0, 600, 100, 700]}]
>>> tree = formula_tree(formula, Judgement(False, "no cup fits", {"(OnTopSide ?c)"}, layout))
>>> tree["text"], [(part["text"], part["holds"], part["names"]) for part in tree["parts"]]
('there is ?c', [("(Is ?c 'cup')", True, ['the cup']), ('(OnTopSide ?c)', False, ['the cup'])])
>>> tree["parts"][1]["why"]
'no cup is on the top side: its centre is at y = 650, the middle at 500'
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

from tsgkit.logic import formula as fol
from tsgkit.logic.english import class_of, thing
from tsgkit.logic.formula import Formula, Path, rename_apart, text_of, walk
from tsgkit.logic.layouts import Layout, LayoutProblem, things_of
from tsgkit.logic.verification import verify
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.formalimg.verdicts import WORK, clauses_in, only, required
from tsgkit.suites.panels import ImageNow, Panel, SampleView, box_value, boxes_panel, image_now

NOT_JUDGED = "nothing was judged"
FOUND_IN_IMAGE = "Image, with the objects that were found"
MOST_REASONS = 20
"""The number of failed parts whose reasons are computed."""
MOST_PARTS = 500
LEFT_OUT = "... (more parts are left out)"


def view(shown: SampleView) -> Iterator[Panel]:
    """Yield the image or layout with its boxes, and the formula."""
    sample: FormulaSample = shown.sample
    evidence: Mapping[str, Any] = shown.judged.evidence or {}
    is_image = shown.task.looks is not None
    now = image_now(shown.folder, sample.number, evidence.get("image")) if is_image else None
    if sample.scenario == NATURAL:
        yield boxes_panel("Image", (), now=now)
        verdict, failed = evidence.get("verdict"), {part["clause"] for part in evidence.get("failed", ())}
        clauses = dict.fromkeys(map(text_of, clauses_in(sample)))
        parts = [part_value(text, None if verdict is None else text not in failed) for text in clauses]
        tree = part_value(text_of(sample.formula), verdict, evidence.get("reason") or "", (), parts)
        yield Panel("formula", "Clauses as they were judged", {"tree": tree})
        return
    yield from _located(shown, evidence, now)


def _located(shown: SampleView, evidence: Mapping[str, Any], now: ImageNow | None) -> Iterator[Panel]:
    """Yield the boxes of a layout, or those that were found in an image, and the formula."""
    sample: FormulaSample = shown.sample
    objects = shown.judged.answer if isinstance(shown.judged.answer, list) else None
    judgement = Judgement(
        truth=evidence.get("verdict"),
        reason=evidence.get("reason") or ("" if evidence.get("verdict") else NOT_JUDGED),
        failed={part["clause"] for part in evidence.get("failed", ())},
        objects=objects,
        grounded=now is not None,
        is_judged=objects is not None and evidence.get("status") is not None,
    )
    tree = formula_tree(sample.formula, judgement)
    leaves = list(leaves_of(tree)) if judgement.is_judged else []
    states = dict.fromkeys(chain.from_iterable(leaf["names"] for leaf in leaves), "right")
    states |= dict.fromkeys(chain.from_iterable(leaf["names"] for leaf in leaves if leaf["holds"] is False), "wrong")
    labels = [
        str(entry.get("label", "no label")) if isinstance(entry, dict) else "no object" for entry in objects or ()
    ]
    names = judgement.layout.names if judgement.layout is not None else labels
    boxes, notes = [], []
    for number, (entry, name) in enumerate(zip(objects or (), names, strict=True)):
        box = box_value(name, entry.get("box_2d") if isinstance(entry, dict) else None, states.get(name, ""))
        if box is None:
            notes.append(f"Object {number} ({name}) has no box that can be drawn.")
        else:
            boxes.append(box)
    if objects is not None:
        notes += [f"There is no {thing(label)}." for label in sample.classes if label not in labels]
    elif now is None:
        notes = [f"There is no layout: {judgement.reason}"]
    yield boxes_panel("Layout that was read" if now is None else FOUND_IN_IMAGE, boxes, notes, now)
    yield Panel("formula", "Formula", {"tree": tree})


# Trees of formulas


@dataclass(frozen=True)
class Judgement:
    """A verdict on a formula: its truth (None if undecided), the reason, the texts of failed clauses, and the layout
    that was judged (None if there is none).
    """

    truth: bool | None
    reason: str
    failed: Set[str]
    objects: Sequence[Any] | None = None
    grounded: bool = False
    is_judged: bool = True

    @cached_property
    def names(self) -> Mapping[str, list[str]]:
        """The names of the objects by their labels."""
        layout = self.layout
        by_label: dict[str, list[str]] = {}
        for located, name in zip(layout.objects, layout.names, strict=True) if layout else ():
            by_label.setdefault(located.label, []).append(name)
        return by_label

    @cached_property
    def layout(self) -> Layout | None:
        """The layout; None if it is malformed."""
        try:
            return None if self.objects is None else Layout(things_of({"objects": list(self.objects)}))
        except LayoutProblem:
            return None


def part_value(
    text: str, holds: bool | None, why: str = "", names: Sequence[str] = (), parts: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return a part of a tree."""
    return {"text": text, "holds": holds, "why": why, "names": list(names), "parts": list(parts)}


def formula_tree(formula: Formula, judgement: Judgement) -> dict[str, Any]:
    """Return the tree of a formula as it was judged on a layout."""
    formula = rename_apart(formula)
    clauses = {clause.path: text_of(clause.clause) for clause in required(formula, (), ())}
    failed = [path for path, text in clauses.items() if text in judgement.failed]
    quantified = (inner for _, inner in walk(formula) if isinstance(inner, fol.Exists | fol.Forall))
    classes = {inner.variable: label for inner in quantified if (label := class_of(inner.variable, inner.body))}
    left = MOST_PARTS

    def part(inner: Formula, path: Path) -> dict[str, Any]:
        nonlocal left
        left -= 1
        if left < 0:
            return part_value(LEFT_OUT, None)
        holds = not any(below[: len(path)] == path for below in failed) if judgement.is_judged else None
        if path not in clauses:
            return part_value(_head(inner), holds, parts=[part(*below) for below in _inner(inner, path)])
        why = ""
        if path in failed[:MOST_REASONS] and judgement.layout is not None:
            # why it does not hold together with those that do
            tried = only(formula, set(clauses).difference(failed) | {path}, ())
            scene = {"objects": list(judgement.objects or ())}
            why = verify(tried, scene, grounded=judgement.grounded, work=WORK).reason
        return part_value(text_of(inner), holds, why, named(inner, why))

    def named(inner: Formula, why: str) -> list[str]:
        """Return the objects that the reason names, else those of the classes that a part is about."""
        names = judgement.names
        in_why = [name for names_of in names.values() for name in names_of if re.search(rf"\b{re.escape(name)}\b", why)]
        terms = dict.fromkeys(term for atom in fol.atoms_of(inner) for term in atom.args)
        labels = dict.fromkeys(
            label for term in terms if isinstance(term, fol.Variable) and (label := classes.get(term))
        )
        return in_why or [name for label in labels for name in names.get(label, ())]

    tree = part(formula, ())
    is_shown = judgement.reason in (leaf["why"] for leaf in leaves_of(tree))
    holds = judgement.truth if judgement.is_judged else None
    return tree | {"holds": holds, "why": tree["why"] if is_shown else judgement.reason}


def leaves_of(tree: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a tree that have no parts themselves."""
    if not tree["parts"]:
        yield tree
    for part in tree["parts"]:
        yield from leaves_of(part)


def _inner(formula: Formula, path: Path) -> Iterator[tuple[Formula, Path]]:
    """Yield the parts below a part that is no clause; a conjunction right below a quantifier gives its parts."""
    match formula:
        case fol.And(parts):
            yield from ((part, (*path, number)) for number, part in enumerate(parts))
        case fol.Exists(_, body) | fol.Forall(_, body):
            inner = (*path, 0)
            yield from _inner(body, inner) if isinstance(body, fol.And) and body.parts else [(body, inner)]
        case fol.Implies(_, consequent):
            yield consequent, (*path, 1)


def _head(formula: Formula) -> str:
    match formula:
        case fol.Exists(variable):
            return f"there is {variable.name}"
        case fol.Forall(variable):
            return f"for every {variable.name}"
        case fol.Implies(condition):
            return f"if {text_of(condition)}"
    return "all of these"
