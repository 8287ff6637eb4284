"""First-order formulas about layouts: parser, printer, linter, verifier, solver and verbaliser.

>>> from tsgkit.logic import parse, verify
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))")
>>> verify(formula, {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}]}).reason
'no cup is on the top side: its centre is at y = 645, the middle at 500'

=====================  ==========================================================================================
``formula``            the formula classes, and their text, renaming and lifting
``parser``             the strict parser, which reports positions
``vocabulary``         classes, values and predicates of the two scenarios; typical sizes and colors
``lint``               errors and warnings about a text, and the result of the published validator
``published_readers``  the three published readers, where they differ, and lifting between them
``clauses``            clause forms, K, closures, categories of clauses
``english``            formulas in plain English: readings and instructions
``layouts``            validated layouts of labelled boxes, the relations between boxes, layouts as SVG
``verification``       verification of a layout in both profiles; strict verdicts are explained in words
``evaluation``         the truth of a formula on a layout, for strict verdicts
``official``           verdicts as published, crashes included
``verdicts``           the classes of verdicts and traces
``budget``             limits on time and work
``witnesses``          the number of objects that suffices to satisfy a formula
``grounding``          formulas over candidate objects, without quantifiers
``placement``          boxes for ground formulas, by CP-SAT (extra ``logic``)
``proofs``             proofs that no layout satisfies a formula, with axioms of finite layouts
``solver``             a layout for a formula, or the conjuncts that conflict; layouts that fail by one named conjunct
``repairs``            the smallest change that makes a layout satisfy a formula
``scene_models``       relations and attributes that make a natural formula true
``samples``            random configurations, and the formulas they make
``plausibility``       plausible relations between objects, for ``samples``
=====================  ==========================================================================================

Pure: nothing here touches the network, the clock, the disk or a model.
"""

from tsgkit.logic.budget import Budget, OutOfBudget
from tsgkit.logic.clauses import ClauseForm, clause_form, closures, k_as_defined, object_classes
from tsgkit.logic.english import instruction, reading_of
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
    lifted,
    text_of,
)
from tsgkit.logic.layouts import Box, Layout, LayoutProblem, Thing, drawn, layout_of
from tsgkit.logic.lint import Checked, check
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.published_readers import as_published
from tsgkit.logic.repairs import Repair, repair
from tsgkit.logic.samples import Configuration, configuration, formula_of
from tsgkit.logic.solver import NearMiss, Solution, near_misses, solve
from tsgkit.logic.verdicts import Trace, Verdict
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, SCENARIOS, FormulaVocabulary

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
    "FormulaVocabulary",
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
