"""First-order formulas about layouts: read, written, checked, taken apart, judged and solved.

>>> from tsgkit.logic import parse, verify
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))")
>>> verify(formula, {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}]}).reason
'no cup is on the top side: its centre is at y = 645, the middle at 500'

=====================  ==========================================================================================
``formula``            the algebra: atoms, connectives, quantifiers, counts
``parser``             the strict reader, with places
``printer``            the text that parses back to the same
``vocabulary``         classes, values and predicates of the two scenarios
``lint``               what is wrong with a text, and what the published validator says of it
``published_readers``  the three published readers, where they differ, and lifting between them
``lifting``            lifting of formulas, to the letter
``variables``          a name of its own for each binder
``clauses``            clause forms, K, closures, what a clause is about
``english``            plain English
``layouts``            boxes with names, validated, and what predicates say of them
``verification``       does a layout satisfy a formula: both profiles
``official``           verdicts as published, crashes included
``strict``             verdicts to trust, made by ``evaluation`` and put into words by ``explanations``
``verdicts``           what a verdict and a trace are
``budget``             how much work an answer may take
``witnesses``          how many objects suffice to satisfy a formula
``grounding``          formulas over candidate objects, without quantifiers
``placement``          boxes for ground formulas, by CP-SAT (extra ``logic``); ``ranks`` takes orders alone
``proofs``             that no layout satisfies a formula; ``extremes`` adds what is true of finite layouts
``conjuncts``          the parts that must hold, by place and in words
``conflicts``          parts that cannot hold together
``solver``             a layout for a formula, or what cannot hold together
``repairs``            the least change of a layout that makes it satisfy a formula
``near_misses``        near misses: layouts that fail by one named conjunct
``scene_models``       relations and looks that make a natural formula true
``samples``            made-up configurations; ``configurations`` makes formulas of them
``plausibility``       what makes sense between things, for ``samples``
``typical_sizes``      usual widths, heights and colours of things, for ``samples``
``verbalisation``      formulas as instructions
``svg``                layouts as SVG
=====================  ==========================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.logic.budget import Budget, OutOfBudget
from tsgkit.logic.clauses import ClauseForm, clause_form, closures, k_as_defined, object_classes
from tsgkit.logic.configurations import Configuration, formula_of
from tsgkit.logic.english import reading_of
from tsgkit.logic.formula import (
    And,
    Atom,
    Comparison,
    Count,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Variable,
)
from tsgkit.logic.layouts import Box, Layout, LayoutProblem, Thing, layout_of
from tsgkit.logic.lifting import lifted
from tsgkit.logic.lint import Checked, check
from tsgkit.logic.near_misses import NearMiss, near_misses
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published
from tsgkit.logic.repairs import Repair, repair
from tsgkit.logic.samples import configuration
from tsgkit.logic.solver import Solution, solve
from tsgkit.logic.svg import drawn
from tsgkit.logic.verbalisation import instruction
from tsgkit.logic.verdicts import Trace, Verdict
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, SCENARIOS, Vocabulary

__all__ = [
    "KNOLLING",
    "NATURAL",
    "SCENARIOS",
    "And",
    "Atom",
    "Box",
    "Budget",
    "Checked",
    "ClauseForm",
    "Comparison",
    "Configuration",
    "Count",
    "Exists",
    "Forall",
    "Formula",
    "FormulaProblem",
    "Iff",
    "Implies",
    "Layout",
    "LayoutProblem",
    "Literal",
    "NearMiss",
    "Not",
    "Or",
    "OutOfBudget",
    "Repair",
    "Solution",
    "Thing",
    "Trace",
    "Variable",
    "Verdict",
    "Vocabulary",
    "as_published",
    "check",
    "clause_form",
    "closures",
    "configuration",
    "drawn",
    "formula_of",
    "instruction",
    "k_as_defined",
    "layout_of",
    "lifted",
    "near_misses",
    "object_classes",
    "parse",
    "reading_of",
    "repair",
    "solve",
    "text_of",
    "verify",
]
