"""The published readers, and lifting."""

from __future__ import annotations

from random import Random

import pytest
from logic import made_up_formulas

from tsgkit.logic.formula import MAX_DEPTH
from tsgkit.logic.lifting import lifted
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.published_readers import as_published, read_engine, read_lifting, read_verifier

LIFTED = (
    (
        "(exists ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen'))))",
        "(and (exists ?y (Is ?y 'pen')) (exists ?x (Is ?x 'cup')))",
    ),
    (
        "(exists ?s (exists ?t (and (Is ?s 'cup') (Is ?t 'tie') (OnTopSide ?s) (Above ?s ?t))))",
        "(exists ?s (and (Is ?s 'cup') (OnTopSide ?s) (exists ?t (and (Is ?t 'tie') (Above ?s ?t)))))",
    ),
    (
        "(exists ?s (and (Is ?s 'bag') (forall ?p (implies (Is ?p 'pan') (exists ?h (Below ?h ?p))))))",
        "(and (forall ?p (implies (Is ?p 'pan') (exists ?h (Below ?h ?p)))) (exists ?s (Is ?s 'bag')))",
    ),
    ("(exists ?y (and (implies (Is ?x 'shoe') (OnTopSide ?x))))", "(implies (Is ?x 'shoe') (OnTopSide ?x))"),
    ("(exists ?y (Is ?x 'cup'))", "(exists ?y (Is ?x 'cup'))"),
    ("(exists ?x (and))", "(exists ?x (and))"),
    (
        "(forall ?x (exists ?y (and (Is ?x 'cup') (Is ?y 'pen'))))",
        "(forall ?x (and (Is ?x 'cup') (exists ?y (Is ?y 'pen'))))",
    ),
)


@pytest.mark.parametrize(("text", "wanted"), LIFTED)
def test_lifting_moves_what_a_quantifier_does_not_bind(text: str, wanted: str) -> None:
    assert text_of(lifted(parse(text))) == wanted
    assert as_published(text).lifted == wanted


def test_lifting_of_texts_and_of_formulas_agree() -> None:
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"lifting/{number}"), deepest=7)
        assert as_published(text_of(formula)).lifted == text_of(lifted(formula))


def test_published_readers_agree_on_plain_texts() -> None:
    taken = as_published("(exists ?x (and (Is ?x 'teddy bear') (OnTopSide ?x)))")
    assert not taken.differ
    assert taken.engine == ("exists", "?x", ("and", ("Is", "?x", "'teddy bear'"), ("OnTopSide", "?x")))
    assert taken.verifier == ("exists", "?x", ("and", ("Is", "?x", "teddy bear"), ("OnTopSide", "?x")))


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("(exists ?x (OnTopSide ?x)))", ["engine-refuses", "rest-ignored"]),
        ("(exists ?x (OnTopSide ?x)) (OnTopSide ?y)", ["engine-refuses", "rest-ignored"]),
        ("(exists ?x (OnTopSide ?x)", ["engine-refuses", "lifting-crashes"]),
        ("", ["engine-refuses", "lifting-crashes"]),
        (")", ["engine-refuses", "lifting-crashes"]),
        ("(Is ?x 'toy  car')", ["quotes-broken"]),
        ("(Is ?x 'a (b')", ["lifting-crashes"]),
        ("(Is ?x 'a (b)')", ["quotes-broken"]),
        (r"(Is ?x 'it\'s')", ["escapes-kept"]),
        ("(Is ?x 5)", ["numbers"]),
        ("(Is ?x nan)", ["numbers"]),
        ("(Is ?x '?x')", ["value-as-variable"]),
        ("(EXISTS ?x (OnTopSide ?x))", ["heads-not-lifted"]),
        ("(not " * (MAX_DEPTH + 1), ["too-deep"]),
    ],
)
def test_conditions_report_where_the_published_readers_differ(text: str, codes: list[str]) -> None:
    taken = as_published(text)
    assert [condition.code for condition in taken.conditions] == codes
    assert all(condition.message for condition in taken.conditions)


def test_published_readers_handle_quotes_and_trailing_text() -> None:
    assert read_engine("(Is ?x 'cup' 5 \"pen\")") == ("Is", "?x", "'cup'", 5, '"pen"')
    assert read_lifting("(Is ?x 'toy  car') (rest") == ("Is", "?x", "'toy", "car'")
    assert read_verifier("(Is ?x 'cup' 1.5 \"pen\") rest") == ("Is", "?x", "cup", 1.5, "pen")


def test_a_text_that_lifting_cannot_read_is_not_counted() -> None:
    verdict = verify_official("(exists ?x (OnTopSide ?x)", {"objects": []})
    assert (verdict.truth, verdict.status) == (None, "uncounted")


def test_official_verdict_ignores_surplus_parentheses() -> None:
    scene = {"objects": [{"label": "cup", "box_2d": [0, 0, 10, 10]}]}
    assert verify_official("(exists ?x (Is ?x 'cup')))))", scene).truth is True


def test_official_evaluates_upper_case_operators() -> None:
    scene = {"objects": [{"label": "cup", "box_2d": [0, 0, 10, 10]}]}
    assert verify_official("(EXISTS ?x (AND (Is ?x 'cup') (NOT (Is ?x 'pen'))))", scene).truth is True
    assert verify_official("(exists ?x (is ?x 'cup'))", scene).status == "crashed"
