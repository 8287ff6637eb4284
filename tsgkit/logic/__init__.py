"""First-order formulas about layouts: parser, printer, linter, verifier, solver and verbaliser.

>>> from tsgkit.logic import parse, verify
>>> formula = parse("(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))")
>>> verify(formula, {"objects": [{"label": "cup", "box_2d": [0, 600, 90, 690]}]}).reason
'no cup is on the top side: its centre is at y = 645, the middle at 500'

=====================  ==========================================================================================
``formula``            the formula classes: atoms, connectives, quantifiers, counts
``parser``             the strict parser, which reports positions
``printer``            text that parses back to the same formula
``vocabulary``         classes, values and predicates of the two scenarios
``lint``               errors and warnings about a text, and the result of the published validator
``published_readers``  the three published readers, where they differ, and lifting between them
``lifting``            lifting of formulas, exactly as published
``variables``          renaming that gives each binder a unique name
``clauses``            clause forms, K, closures, categories of clauses
``english``            formulas in plain English
``layouts``            validated layouts of labelled boxes, and the relations between boxes
``verification``       verification of a layout against a formula, in both profiles
``official``           verdicts as published, crashes included
``strict``             correct verdicts, computed by ``evaluation`` and explained by ``explanations``
``verdicts``           the classes of verdicts and traces
``budget``             limits on time and work
``witnesses``          the number of objects that suffices to satisfy a formula
``grounding``          formulas over candidate objects, without quantifiers
``placement``          boxes for ground formulas, by CP-SAT (extra ``logic``); ``ranks`` uses only the order of edges
``proofs``             proofs that no layout satisfies a formula; ``extremes`` adds axioms of finite layouts
``conjuncts``          the conjuncts of a formula, by path and in words
``conflicts``          parts that cannot hold together
``solver``             a layout for a formula, or the parts that conflict
``repairs``            the smallest change that makes a layout satisfy a formula
``near_misses``        layouts that fail by one named conjunct
``scene_models``       relations and attributes that make a natural formula true
``samples``            random configurations; ``configurations`` makes formulas of them
``plausibility``       plausible relations between objects, for ``samples``
``typical_sizes``      typical widths, heights and colors of objects, for ``samples``
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
    lifted,
    text_of,
)
from tsgkit.logic.layouts import Box, Layout, LayoutProblem, Thing, layout_of
from tsgkit.logic.lint import Checked, check
from tsgkit.logic.near_misses import NearMiss, near_misses
from tsgkit.logic.parser import FormulaProblem, parse
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
