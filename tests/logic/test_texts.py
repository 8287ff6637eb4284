"""Texts of formulas: read, written, found fault with, as the published readers take them, and hostile ones."""

from __future__ import annotations

import pickle
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from logic import made_up_formulas

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import clause_form
from tsgkit.logic.english import reading_of
from tsgkit.logic.formula import (
    MAX_DEPTH,
    Atom,
    Comparison,
    Not,
    Variable,
    atoms_of,
    depth,
    free_variables,
    parts_of,
    walk,
    with_parts,
)
from tsgkit.logic.lifting import lifted
from tsgkit.logic.lint import check
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import FormulaProblem, parse, parse_with_places
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published, read_engine, read_lifting, read_verifier
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, SCENARIOS

TEXTS = (
    "(Is ?x 'cup')",
    "(IsStyle 'oil painting')",
    "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))",
    "(and (forall ?d (implies (Is ?d 'drill') (OnBottomSide ?d))))",
    "(or (not (Is ?x 'cup')) (iff (InCenter ?x) (LeftOf ?x ?y)))",
    "(GreaterThan (Count ?x (Is ?x 'cup')) 2)",
    "(Equals (Count ?x (Is ?x 'cup')) (Count ?y (Is ?y 'pen')))",
    "(LessThan -1 2.5)",
    "(Equals 1e+16 (Count ?x (Is ?x '?x')))",
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


def test_formula_problem_says_where_and_what() -> None:
    for text, line, column, message, hint in (
        ("(exists ?x (Is ?x 'cup')", 1, 25, "expected the ) that closes the (exists of column 1", ""),
        ("(and\n (Is ?x cup))", 2, 9, "found cup, expected a variable or a value in single quotes", ""),
        ("(Is ?x 'cup'))", 1, 14, "found ), expected the end of the text", "there is a ) too many"),
        ("(AND (Is ?x 'cup'))", 1, 2, "found AND, expected a connective", "write and"),
    ):
        with pytest.raises(FormulaProblem) as caught:
            parse(text)
        assert message in caught.value.message, text
        assert (caught.value.line, caught.value.column, caught.value.hint) == (line, column, hint), text
        assert str(caught.value).startswith(f"line {line}, column {column}: found "), text


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


def test_parts_of_formulas_are_found_with_their_places_and_free_variables() -> None:
    text = "(and (Is ?x 'cup') (Equals 1 (Count ?y (OnTopSide ?y))))"
    formula, offsets = parse_with_places(text)
    assert {text[offsets[path] :].split()[0] for path, _ in walk(formula)} == {"(and", "(Is", "(Equals", "(OnTopSide"}
    assert set(offsets) == {path for path, _ in walk(formula)}
    for text, free in {
        "(exists ?x (LeftOf ?x ?y))": {"?y"},
        "(and (exists ?x (OnTopSide ?x)) (OnTopSide ?x))": {"?x"},
        "(Equals (Count ?x (LeftOf ?x ?y)) (Count ?y (LeftOf ?x ?y)))": {"?x", "?y"},
        "(forall ?x (exists ?x (OnTopSide ?x)))": set(),
    }.items():
        assert {variable.name for variable in free_variables(parse(text))} == free, text
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


def test_the_vocabularies_are_of_the_published_sizes() -> None:
    assert (len(KNOLLING.classes), len(KNOLLING.values_of("attribute")), len(KNOLLING.predicates)) == (50, 9, 15)
    sizes = [len(NATURAL.values_of(kind)) for kind in ("class", "color", "material", "shape", "state", "style")]
    assert sizes == [69, 11, 11, 6, 28, 5]
    assert len(NATURAL.predicates) == 12
    assert len(NATURAL.values_of("attribute")) == 56
    assert all(len(set(one.classes)) == len(one.classes) for one in SCENARIOS.values())


def test_lint_findings_have_code_place_and_hint_beside_what_the_published_validator_says() -> None:
    for text, finding, fault in (
        ("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnTopSide ?x)))", [], None),
        ("(exists ?x\n  (Is ?x 'cups'))", [("unknown-class", "error", 2, 3, "cup?")], "'cups' is not a known class"),
        (
            "(exists ?x (OnTopSide ?y))",
            [
                ("unused-variable", "warning", 1, 1, ""),
                ("unbound-variable", "error", 1, 12, "write a quantifier for it around this part"),
            ],
            "?y is not bound",
        ),
        ("(exists ?x (InCenter ?x))", [], "InCenter is neither an operator nor a predicate"),
    ):
        checked = check(text, KNOLLING)
        told = [(one.code, one.severity, *one.place, one.hint) for one in checked.findings]
        assert (told, checked.published_fault) == (finding, fault), text
        assert checked.errors == sum(severity == "error" for _, severity, *_ in told)


def test_lifting_moves_what_a_quantifier_does_not_bind() -> None:
    lost = "(exists ?y (and (implies (Is ?x 'shoe') (OnTopSide ?x))))"
    assert text_of(lifted(parse(lost))) == as_published(lost).lifted == "(implies (Is ?x 'shoe') (OnTopSide ?x))"
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"lifting/{number}"), deepest=7)
        assert as_published(text_of(formula)).lifted == text_of(lifted(formula))


def test_published_readers_agree_on_plain_texts_and_take_quotes_and_rests_apart() -> None:
    taken = as_published("(exists ?x (and (Is ?x 'teddy bear') (OnTopSide ?x)))")
    assert not taken.differ
    assert taken.verifier == ("exists", "?x", ("and", ("Is", "?x", "teddy bear"), ("OnTopSide", "?x")))
    assert [condition.code for condition in as_published("(EXISTS ?x (Is ?x nan))").conditions] == [
        "numbers", "heads-not-lifted",
    ]  # fmt: skip
    assert read_engine("(Is ?x 'cup' 5 \"pen\")") == ("Is", "?x", "'cup'", 5, '"pen"')
    assert read_lifting("(Is ?x 'toy  car') (rest") == ("Is", "?x", "'toy", "car'")
    assert read_verifier("(Is ?x 'cup' 1.5 \"pen\") rest") == ("Is", "?x", "cup", 1.5, "pen")
    cup = {"objects": [{"label": "cup", "box_2d": [0, 0, 10, 10]}]}
    for text, verdict in {
        "(exists ?x (OnTopSide ?x)": (None, "uncounted"),
        "(exists ?x (Is ?x 'cup')))))": (True, "decided"),
        "(EXISTS ?x (AND (Is ?x 'cup') (NOT (Is ?x 'pen'))))": (True, "decided"),
        "(exists ?x (is ?x 'cup'))": (False, "crashed"),
    }.items():
        found = verify_official(text, cup)
        assert (found.truth, found.status) == verdict, text


STRANGE = (
    "", ")", "()", "Is ?x 'cup'", "(Is ?x 'cup'", "(Is ?x 'cup'))", "(exists (?x ?y) (Is ?x 'cup'))", "(?x)",
    "(exists x (OnTopSide x))", "(exists ?x ?y (Is ?x 'cup'))", "(not (OnTopSide ?x) (OnTopSide ?y))",
    "(implies (OnTopSide ?x))", "(Is ?x (Is ?x 'cup'))", "((Is ?x 'cup'))", "('and' (Is ?x 'cup'))", '(Is ?x "cup")',
    "(Is ?x 'cup)", r"(Is ?x 'c\up')", "(Is ? 'cup')", "(Equals 1 nan)", "(Equals 1 1e999)",
    "(Equals (Is ?x 'cup') 1)", "(Count ?x (Is ?x 'cup'))", "(exists ?x (Has ?x 'orange'))", "(exists ?x (Likes ?x))",
    "(exists ?x (LeftOff ?x ?x))",
    "(exists ?x (LeftOf ?x))", "(exists ?x (OnTopSide 'cup'))", "(exists ?x (Is ?x ?x))", "(exists ?x (Is ?x 'mug'))",
    "(exists ?x (or (OnTopSide ?x) (and)))", "(exists ?x (exists ?y (OnTopSide ?x)))", "(exists ?x (and))",
    "(exists ?x (and (OnTopSide ?x) (exists ?x (OnTopSide ?x))))", "(exists ?x (and (OnTopSide ?x) (Equals 1 1)))",
    "(exists ?x (and (OnTopSide ?x) (Equals (Count ?y (LeftOf ?x ?y)) 1)))", "(Equals (Count ?y (LeftOf ?x ?y)) 1)",
    "(exists ?x (OnTopSide ?x)) more", "(exists ?x (OnTopSide ?x)) (OnTopSide ?y)", "(exists ?x (OnTopSide ?x)))",
    "(exists ?x (Is ?x 'cutting  board'))", "(exists ?x (HasColor ?x 'octarine'))", "(exists ?x (HasState ?x 'red'))",
    "(exists ?x (HasMaterial ?x 'ceramics'))", "(IsStyle 'baroque')", "(exists ?x (and (On ?x ?x) (or)))",
    "(and (exists x (HasColor ?y 'red')))", "(exists ?x (On ?x (On ?x ?x)))", "(exists ?x (Has ?x 'other'))",
    "(exists ?x (not (OnTopSide ?x) (OnTopSide ?x)))", "(exists ?x (and (Is ?x 'cup') (Equals 1 1)))",
    "(and (Equals (Count ?x (OnTopSide ?x)) 1) (exists ?x (OnTopSide ?x)))", "(Is ?x 'toy  car')", "(Is ?x 'a (b')",
    "(Is ?x 'a (b)')", r"(Is ?x 'it\'s')", "(Is ?x 5)", "(Is ?x nan)", "(Is ?x '?x')", "(EXISTS ?x (OnTopSide ?x))",
    "(exists ?s (and (Is ?s 'bag') (forall ?p (implies (Is ?p 'pan') (exists ?h (Below ?h ?p))))))",
    "(exists ?x (and (Is ?x 'cat') (HasState ?x 'sleeping') (HasColor ?x 'black') (Holding ?x ?x)))",
    "(not " * (MAX_DEPTH + 1),
)  # fmt: skip
"""Each has a fault, or is read by some reader, in a way of its own; so has each the messages of a digest."""


PIECES = (
    *"()'\"\\?; \n\t\0éあ",
    "(and ", "(or ", "(not ", "(implies ", "(iff ", "(exists ", "(forall ", "(Count ", "(Equals ", "(Is ", "(LeftOf ",
    "?x", "?y", "'cup'", "'?x'", "'a b'", "nan", "1e999", "-5", "AND", "(AND ", "()", "''",
)  # fmt: skip
LONG = ("(", ")", "'", '"', "\\", "?", "(not ", "(and (", "(exists ?x ", "'a' ", " ", "\n", "x", "(Is ?x 'cup') ")


def texts(count: int) -> list[str]:
    """Pieces strung together, and formulas with letters changed, cut out and put in."""
    made = []
    for number in range(count):
        random = Random(f"hostile/{number}")
        if number % 2:
            made.append("".join(random.choice(PIECES) for _ in range(random.randrange(30))))
            continue
        text = text_of(made_up_formulas.formula(random, deepest=5))
        for _ in range(random.randrange(1, 4)):
            place = random.randrange(len(text) + 1)
            text = text[:place] + random.choice(PIECES) * random.randrange(2) + text[place + random.randrange(3) :]
        made.append(text)
    return made


def is_read(text: str, messages: Any) -> bool:  # noqa: ANN401  (a digest)
    """Put a text through every reader and verifier. Return whether it is a formula."""
    scene = made_up_formulas.layout(Random(text[:50]), apart=True)
    taken = as_published(text)
    assert (taken.lifted is None) == (verify(text, scene, "official").status == "uncounted")
    messages.update(repr([taken.conditions, taken.lifted, taken.engine, taken.verifier]).encode(errors="replace"))
    for vocabulary in (KNOLLING, NATURAL):
        checked = check(text, vocabulary)
        messages.update(repr([*map(str, checked.findings), checked.published_fault]).encode())
        assert checked.formula is not None or checked.findings[0].code == "syntax"
    try:
        formula = parse(text)
    except FormulaProblem as problem:
        assert 0 <= problem.offset <= len(text)
        messages.update(f"{problem} {problem.hint}".encode(errors="replace"))
        return False
    assert parse(text_of(formula)) == formula
    assert reading_of(formula)
    for judged in (lambda: clause_form(formula), lambda: verify(formula, scene)):
        try:
            judged()
        except UsageError as error:
            assert error.message
    return True


def test_strange_and_long_texts_are_read_or_refused() -> None:
    messages = sha256()
    assert {is_read(text, messages) for text in (*texts(600), *STRANGE)} == {True, False}
    assert messages.hexdigest()[:16] == "dbaa880f5725f759", "see that the change is meant, and write it down"
    for piece in LONG:
        assert not is_read(piece * 5_000, messages)
        assert not is_read("(exists ?x (and " + piece * 1_000, messages)
