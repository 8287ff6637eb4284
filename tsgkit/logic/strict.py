"""Verdicts to trust: classical truth on a layout that is one, with reasons in words.

>>> from tsgkit.logic.parser import parse
>>> cup, pen = {"label": "cup", "box_2d": [420, 0, 520, 90]}, {"label": "pen", "box_2d": [300, 100, 500, 120]}
>>> formula = parse("(exists ?c (exists ?p (and (Is ?c 'cup') (Is ?p 'pen') (LeftOf ?c ?p))))")
>>> verdict = verify_strict(formula, {"objects": [cup, pen]})
>>> verdict.truth, verdict.reason
(False, "the cup is left of no pen: the cup ends at x = 520, the pen's centre is at x = 400")

A ``forall`` (directly nested ones counted as one) is false on an empty layout, and where an implication that is its
body, or a conjunct of it, has a condition that is true for no choice of its variables. A malformed layout is rejected,
and so is one whose boxes overlap. With ``distinct``, a variable never stands for an object that a variable around it
stands for.

Conjuncts are moved out of quantifiers they do not depend on, and what was found for the same values is remembered, so
that the cost is at most n to the power of one more than the variables a part depends on. Beyond a cap the verdict is
undecided.
"""

from __future__ import annotations

from tsgkit.logic.budget import Budget, OutOfWork
from tsgkit.logic.english import object_names
from tsgkit.logic.evaluation import Board, Part
from tsgkit.logic.explanations import Explainer
from tsgkit.logic.formula import Formula
from tsgkit.logic.layouts import LayoutProblem, layout_of
from tsgkit.logic.variables import apart
from tsgkit.logic.verdicts import WORK, Meter, Verdict


def verify_strict(
    formula: Formula,
    scene: object,
    *,
    distinct: bool = False,
    grounded: bool = False,
    work: int = WORK,
    explain: bool = True,
    budget: Budget | None = None,
) -> Verdict:
    """Return the verdict on a formula and a layout, given as such or as it is written in files.

    ``grounded`` is for boxes found in pictures, which may share a little; without ``explain`` there is no trace and no
    reason. ``UsageError`` where the formula says what no layout can tell.
    """
    meter = Meter(work, budget)
    try:
        layout = layout_of(scene, grounded=grounded)
    except LayoutProblem as problem:
        return Verdict(False, "strict", "rejected", problem.message)
    board = Board(layout, distinct=distinct, meter=meter)
    try:
        part = board.prepare(formula)
        truth = part.truth()
    except OutOfWork as limit:
        return Verdict(None, "strict", "undecided", f"not decided in {limit}", work=meter.done)
    verdict = Verdict(truth, "strict", work=meter.done)
    return _explained(verdict, formula, board, part) if explain else verdict


def _explained(verdict: Verdict, formula: Formula, board: Board, part: Part) -> Verdict:
    """Return the verdict with its reasons; they may take as much work again."""
    board.meter = Meter(board.meter.most, board.meter.budget)
    explainer = Explainer(board, object_names(apart(formula)))
    try:
        trace = explainer.trace(part)
        reason = "" if verdict.truth else explainer.why(part)
    except OutOfWork:
        return Verdict(verdict.truth, "strict", reason="to say why takes too many steps", work=verdict.work)
    return Verdict(verdict.truth, "strict", "decided", reason, "", trace, board.zero_triggers, verdict.work)
