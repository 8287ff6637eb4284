"""Formulas as text: s-expressions with single blanks and single-quoted values. They parse back to the same formula.

>>> from tsgkit.logic.formula import Atom, Exists, Literal, Variable
>>> text_of(Exists(Variable("?x"), Atom("Is", (Variable("?x"), Literal("it's")))))
"(exists ?x (Is ?x 'it\\\\'s'))"
>>> from tsgkit.logic.parser import parse
>>> text_of(parse(" (and (OnTopSide ?x)\\n (Is ?x 'teddy bear'))"))
"(and (OnTopSide ?x) (Is ?x 'teddy bear'))"
"""

from __future__ import annotations

from html import escape
from typing import Any

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
    Not,
    Number,
    Or,
    Term,
    Variable,
    refuse_deep,
)

HEADS: dict[type[Formula], str] = {
    Not: "not",
    And: "and",
    Or: "or",
    Implies: "implies",
    Iff: "iff",
    Exists: "exists",
    Forall: "forall",
}


def text_of(formula: Formula) -> str:
    """Return a formula as text, on one line unless a value contains a line break."""
    refuse_deep(formula)
    return _text(formula)


def term_text(term: Term) -> str:
    """Return the name of a variable, or a value in single quotes."""
    if isinstance(term, Variable):
        return term.name
    return "'" + term.text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _text(formula: Formula) -> str:
    match formula:
        case Atom(name, args):
            words = [name, *map(term_text, args)]
        case Comparison(name, left, right):
            words = [name, _number(left), _number(right)]
        case Exists(variable, body) | Forall(variable, body):
            words = [HEADS[type(formula)], variable.name, _text(body)]
        case Not(body):
            words = ["not", _text(body)]
        case Implies(left, right) | Iff(left, right):
            words = [HEADS[type(formula)], _text(left), _text(right)]
        case And(parts) | Or(parts):
            words = [HEADS[type(formula)], *map(_text, parts)]
    return f"({' '.join(words)})"


def _number(number: Number) -> str:
    if isinstance(number, Count):
        return f"(Count {number.variable.name} {_text(number.body)})"
    return repr(number)


def _shown(formula: Formula) -> str:
    return f"<pre>{escape(text_of(formula))}</pre>"


_KINDS: tuple[Any, ...] = (Atom, Not, And, Or, Implies, Iff, Exists, Forall, Comparison)
for _kind in _KINDS:  # shown by notebooks
    _kind._repr_html_ = _shown
