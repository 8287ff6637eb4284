"""Clauses by the predicates they are about: how many there are, and how many fail.

>>> from tsgkit.logic.parsing import parse
>>> [predicates_of(parse(one)) for one in ("(or (not (Is ?x 'cup')) (LeftOf ?x ?y))", "(not (On ?x ?y))")]
[('LeftOf',), ('On',)]

The published analysis counts clauses, not items: how often each predicate is asked for, and at what rate what asks for
it fails. A clause with conditions is about what follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tsgkit.logic.formula import Formula, Not, Or, atoms_of
from tsgkit.logic.printing import text_of
from tsgkit.logic.renaming import apart
from tsgkit.scoring.score import Score
from tsgkit.suites.formalimg.natural import clauses_in
from tsgkit.suites.formalimg.rows import NATURAL, FormulaSample
from tsgkit.suites.formalimg.verdicts import required
from tsgkit.suites.judged import PartOfSample

GROUP = "predicate"
METRICS = ("failed",)
"""What is told of the clauses of a predicate."""


def predicates_of(clause: Formula) -> tuple[str, ...]:
    """The names of the predicates that a clause is about."""
    parts = clause.parts if isinstance(clause, Or) else (clause,)
    follows = tuple(part for part in parts if not isinstance(part, Not)) or parts
    return tuple(dict.fromkeys(atom.name for part in follows for atom in atoms_of(part)))


def part_of(sample: FormulaSample, evidence: Mapping[str, Any] | None, name: str) -> PartOfSample | None:
    """The scores and counts of the clauses of an item that are about a predicate; None where none is.

    All fail where there is no evidence, because the code that judges the item failed.
    """
    texts = [text_of(clause) for clause in _clauses(sample) if name in predicates_of(clause)]
    if not texts:
        return None
    failed = texts if evidence is None else {one["clause"] for one in evidence["failed"]}
    wrong = sum(text in failed for text in texts)
    score = Score(wrong, len(texts), f"{wrong} of {len(texts)} fail")
    return PartOfSample({"strict": {"failed": score}}, {"clauses": len(texts), "failed_clauses": wrong})


def _clauses(sample: FormulaSample) -> tuple[Formula, ...]:
    """The clauses that are judged: those shown to the judge of a natural scene, else the parts that have to hold."""
    if sample.scenario == NATURAL:
        return clauses_in(sample)
    return tuple(one.clause for one in required(apart(sample.formula), (), ()))
