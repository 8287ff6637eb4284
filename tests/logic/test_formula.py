"""Formulas as values, read from and written as text."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from logic import made_up_formulas

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.logic.formula import (
    MAX_DEPTH,
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
    atoms_of,
    depth,
    free_variables,
    parts_of,
    walk,
    with_parts,
)
from tsgkit.logic.parser import FormulaProblem, parse, parse_with_places
from tsgkit.logic.printer import text_of

TEXTS = (
    "(Is ?x 'cup')",
    "(IsStyle 'oil painting')",
    "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))",
    "(and (forall ?d (implies (Is ?d 'drill') (OnBottomSide ?d))))",
    "(or (not (Is ?x 'cup')) (iff (InCenter ?x) (LeftOf ?x ?y)))",
    "(GreaterThan (Count ?x (Is ?x 'cup')) 2)",
    "(Equals (Count ?x (Is ?x 'cup')) (Count ?y (Is ?y 'pen')))",
    "(and)",
    "(or)",
    r"(Is ?x 'it\'s a \\ stroke (or a paren)')",
)


def nested(levels: int) -> str:
    return "(not " * (levels - 1) + "(OnTopSide ?x)" + ")" * (levels - 1)


def test_formulas_are_values_that_parse_and_print_back() -> None:
    for text in TEXTS:
        formula = parse(text)
        assert text_of(formula) == text
        assert formula == parse(text)
        assert len({formula, parse(text)}) == 1, text
        assert pickle.loads(pickle.dumps(formula)) == formula  # noqa: S301
        assert with_parts(formula, parts_of(formula)) == formula
    for number in range(1_000):
        formula = made_up_formulas.formula(Random(f"printed/{number}"), deepest=7)
        assert parse(text_of(formula)) == formula


def test_parser_distinguishes_variables_and_values() -> None:
    formula = parse("(Is ?cup '?cup')")
    assert isinstance(formula, Atom)
    assert formula.args == (Variable("?cup"), Literal("?cup"))


PROBLEMS = [
    ("", 1, 1, "found the end of the text, expected a formula, which begins with ("),
    ("Is ?x 'cup'", 1, 1, "found Is, expected a formula"),
    ("(Is ?x 'cup'", 1, 13, "found the end of the text, expected a variable or a value in single quotes, or )"),
    ("(exists ?x (Is ?x 'cup')", 1, 25, "expected the ) that closes the (exists of column 1"),
    ("(Is ?x 'cup'))", 1, 14, "found ), expected the end of the text"),
    ("(and\n (Is ?x cup))", 2, 9, "found cup, expected a variable or a value in single quotes"),
    ("(exists (?x ?y) (Is ?x 'cup'))", 1, 9, "found (, expected the variable of exists"),
    ("(exists x (Is ?x 'cup'))", 1, 9, "found x, expected the variable of exists"),
    ("(exists ?x ?y (Is ?x 'cup'))", 1, 12, "found ?y, expected a formula"),
    ("(not (OnTopSide ?x) (OnTopSide ?y))", 1, 21, "found (, expected the ) that closes the (not of column 1"),
    ("(implies (OnTopSide ?x))", 1, 24, "found ), expected a formula"),
    ("(Is ?x (Is ?x 'cup'))", 1, 8, "found (, expected a variable or a value"),
    ("(AND (Is ?x 'cup'))", 1, 2, "found AND, expected a connective"),
    ("((Is ?x 'cup'))", 1, 2, "found (, expected a connective"),
    ("(?x)", 1, 2, "found ?x, expected a connective"),
    ("('and' (Is ?x 'cup'))", 1, 2, "found 'and', expected a connective"),
    ('(Is ?x "cup")', 1, 8, 'found ", expected single quotes around a value'),
    ("(Is ?x 'cup)", 1, 8, "expected a value closed by a single quote"),
    (r"(Is ?x 'c\up')", 1, 8, "expected a value closed by a single quote"),
    ("(Is ? 'cup')", 1, 5, "found ?, expected a variable"),
    ("(Equals 1 nan)", 1, 11, "found nan, expected a number"),
    ("(Equals 1 1e999)", 1, 11, "found 1e999, expected a number smaller"),
    ("(Equals (Is ?x 'cup') 1)", 1, 10, "found Is, expected Count"),
    ("(Count ?x (Is ?x 'cup'))", 1, 2, "found Count, expected a connective"),
]


def test_formula_problem_says_where_and_what() -> None:
    for text, line, column, message in PROBLEMS:
        with pytest.raises(FormulaProblem) as caught:
            parse(text)
        assert message in caught.value.message, text
        assert (caught.value.line, caught.value.column) == (line, column), text
        assert str(caught.value).startswith(f"line {line}, column {column}: found "), text
    with pytest.raises(TsgkitError) as unknown:
        parse("(AND (Is ?x 'cup'))")
    assert unknown.value.hint == "write and"


def test_nesting_is_refused_only_beyond_the_maximum_depth() -> None:
    formula = parse(nested(MAX_DEPTH))
    assert depth(formula) == MAX_DEPTH
    assert parse(text_of(formula)) == formula
    with pytest.raises(FormulaProblem, match="at most 100 levels"):
        parse(nested(MAX_DEPTH + 1))
    with pytest.raises(FormulaProblem, match="at most 100 levels"):
        parse("(not " * 1_000_000)
    with pytest.raises(UsageError, match="101 levels deep"):
        text_of(Not(formula))


def test_parsed_offsets_are_those_of_sub_formulas() -> None:
    text = "(and (Is ?x 'cup') (Equals 1 (Count ?y (OnTopSide ?y))))"
    formula, offsets = parse_with_places(text)
    assert {text[offsets[path] :].split()[0] for path, _ in walk(formula)} == {"(and", "(Is", "(Equals", "(OnTopSide"}
    assert set(offsets) == {path for path, _ in walk(formula)}


def test_free_variables_are_those_no_quantifier_binds() -> None:
    for text, free in {
        "(exists ?x (LeftOf ?x ?y))": {"?y"},
        "(and (exists ?x (OnTopSide ?x)) (OnTopSide ?x))": {"?x"},
        "(Equals (Count ?x (LeftOf ?x ?y)) (Count ?y (LeftOf ?x ?y)))": {"?x", "?y"},
        "(forall ?x (exists ?x (OnTopSide ?x)))": set(),
    }.items():
        assert {variable.name for variable in free_variables(parse(text))} == free, text


def test_atoms_come_in_written_order() -> None:
    text = "(implies (OnTopSide ?x) (and (OnLeftSide ?x) (not (OnTopSide ?y))))"
    assert [text_of(atom) for atom in atoms_of(parse(text))] == ["(OnTopSide ?x)", "(OnLeftSide ?x)", "(OnTopSide ?y)"]


def test_names_and_numbers_that_would_not_parse_are_refused() -> None:
    for name in ("", "x", "?", "?a b", "?(", "?'"):
        with pytest.raises(UsageError):
            Variable(name)
    for name in ("", "and", "Count", "Equals", "?x", "5", "a b"):
        with pytest.raises(UsageError):
            Atom(name, ())
    with pytest.raises(UsageError, match="'Bigger' is not a comparison"):
        Comparison("Bigger", 1, 1)
    for number in (float("nan"), float("inf"), 10**400):
        with pytest.raises(UsageError):
            Comparison("Equals", number, 1)


def test_every_kind_of_formula_prints_and_parses_back() -> None:
    x, top = Variable("?x"), Atom("OnTopSide", (Variable("?x"),))
    formulas: list[Formula] = [Not(top), And((top, top)), Or(()), Implies(top, top), Iff(top, top), Exists(x, top)]
    formulas += [Forall(x, top), Comparison("LessThan", Count(x, top), 2.5), Comparison("Equals", -1, 1e16)]
    assert [parse(text_of(formula)) for formula in formulas] == formulas
