"""Strict verdicts: classical truth on a well-formed layout, with reasons in words.

>>> from tsgkit.logic.parser import parse
>>> cup, pen = {"label": "cup", "box_2d": [420, 0, 520, 90]}, {"label": "pen", "box_2d": [300, 100, 500, 120]}
>>> formula = parse("(exists ?c (exists ?p (and (Is ?c 'cup') (Is ?p 'pen') (LeftOf ?c ?p))))")
>>> verdict = verify_strict(formula, {"objects": [cup, pen]})
>>> verdict.truth, verdict.reason
(False, "the cup is left of no pen: the cup ends at x = 520, the pen's centre is at x = 400")

A ``forall`` (directly nested ones count as one) is false on an empty layout. It is also false if its body, or a
conjunct of it, is an implication whose condition is true for no choice of its variables. A malformed layout is
rejected, and so is one whose boxes overlap. With ``distinct``, a variable never stands for the same object as a
variable around it.

Conjuncts are moved out of quantifiers they do not depend on, and results are cached per values. The cost is at most n
to the power of one more than the number of variables a part depends on. Beyond a limit the verdict is undecided.
"""

from __future__ import annotations

from tsgkit.logic.budget import Budget, OutOfWork
from tsgkit.logic.english import object_names
from tsgkit.logic.evaluation import Evaluator, Part
from tsgkit.logic.explanations import Explainer
from tsgkit.logic.formula import Formula, rename_apart
from tsgkit.logic.layouts import LayoutProblem, layout_of
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
    """Return the verdict on a formula and a layout, given as a ``Layout`` or as plain values.

    ``grounded`` is for boxes found in images, which may overlap a little. Without ``explain`` there is no trace and no
    reason. Raise ``UsageError`` if a layout cannot decide the formula.
    """
    meter = Meter(work, budget)
    try:
        layout = layout_of(scene, grounded=grounded)
    except LayoutProblem as problem:
        return Verdict(False, "strict", "rejected", problem.message)
    evaluator = Evaluator(layout, distinct=distinct, meter=meter)
    try:
        part = evaluator.prepare(formula)
        truth = part.truth()
    except OutOfWork as limit:
        return Verdict(None, "strict", "undecided", f"not decided in {limit}", work=meter.done)
    verdict = Verdict(truth, "strict", work=meter.done)
    return _explained(verdict, formula, evaluator, part) if explain else verdict


def _explained(verdict: Verdict, formula: Formula, evaluator: Evaluator, part: Part) -> Verdict:
    """Add the trace and the reason to a verdict. They may take as much work again."""
    evaluator.meter = Meter(evaluator.meter.most, evaluator.meter.budget)
    explainer = Explainer(evaluator, object_names(rename_apart(formula)))
    try:
        trace = explainer.trace(part)
        reason = "" if verdict.truth else explainer.why(part)
    except OutOfWork:
        return Verdict(verdict.truth, "strict", reason="the explanation takes too many steps", work=verdict.work)
    return Verdict(verdict.truth, "strict", "decided", reason, "", trace, evaluator.zero_triggers, verdict.work)
