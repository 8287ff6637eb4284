"""Verification of a layout against a formula, in both profiles.

>>> scene = {"objects": [{"label": "hat", "box_2d": [0, 0, 100, 100]}]}
>>> text = "(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))"
>>> verify(text, scene, "official").truth, verify(text, scene, "strict").truth
(True, True)
>>> verify("(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))", scene).reason
'what is said of every one applies to nothing: there is no shoe'

``official`` follows the published verifier (:mod:`tsgkit.logic.official`), even if a text does not parse or a layout is
malformed. ``strict`` is classical truth on well-formed layouts (:mod:`tsgkit.logic.strict`).
"""

from __future__ import annotations

from tsgkit.errors import UsageError
from tsgkit.logic.budget import Budget
from tsgkit.logic.formula import Formula
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.verdicts import WORK, Profile, Verdict


def verify(
    formula: Formula | str,
    scene: object,
    profile: Profile = "strict",
    *,
    distinct: bool = False,
    grounded: bool = False,
    work: int = WORK,
    budget: Budget | None = None,
) -> Verdict:
    """Return the verdict of a profile; ``distinct`` and ``grounded`` apply to ``strict`` only.

    ``strict`` raises ``FormulaProblem`` on a syntax error, and ``UsageError`` if a layout cannot decide the formula.
    """
    if profile == "official":
        return verify_official(formula, scene, work=work, budget=budget)
    if profile != "strict":
        raise UsageError(f"there is no profile {profile}", hint="official or strict")
    read = parse(formula) if isinstance(formula, str) else formula
    return verify_strict(read, scene, distinct=distinct, grounded=grounded, work=work, budget=budget)
