"""The published readers, and lifting."""

from __future__ import annotations

from random import Random

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


def test_lifting_moves_what_a_quantifier_does_not_bind() -> None:
    for text, wanted in LIFTED:
        assert text_of(lifted(parse(text))) == wanted
        assert as_published(text).lifted == wanted
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"lifting/{number}"), deepest=7)
        assert as_published(text_of(formula)).lifted == text_of(lifted(formula))


def test_published_readers_agree_on_plain_texts() -> None:
    taken = as_published("(exists ?x (and (Is ?x 'teddy bear') (OnTopSide ?x)))")
    assert not taken.differ
    assert taken.engine == ("exists", "?x", ("and", ("Is", "?x", "'teddy bear'"), ("OnTopSide", "?x")))
    assert taken.verifier == ("exists", "?x", ("and", ("Is", "?x", "teddy bear"), ("OnTopSide", "?x")))


def test_conditions_report_where_the_published_readers_differ() -> None:
    for text, codes in {
        "(exists ?x (OnTopSide ?x)))": ["engine-refuses", "rest-ignored"],
        "(exists ?x (OnTopSide ?x)) (OnTopSide ?y)": ["engine-refuses", "rest-ignored"],
        "(exists ?x (OnTopSide ?x)": ["engine-refuses", "lifting-crashes"],
        "": ["engine-refuses", "lifting-crashes"],
        ")": ["engine-refuses", "lifting-crashes"],
        "(Is ?x 'toy  car')": ["quotes-broken"],
        "(Is ?x 'a (b')": ["lifting-crashes"],
        "(Is ?x 'a (b)')": ["quotes-broken"],
        r"(Is ?x 'it\'s')": ["escapes-kept"],
        "(Is ?x 5)": ["numbers"],
        "(Is ?x nan)": ["numbers"],
        "(Is ?x '?x')": ["value-as-variable"],
        "(EXISTS ?x (OnTopSide ?x))": ["heads-not-lifted"],
        "(not " * (MAX_DEPTH + 1): ["too-deep"],
    }.items():
        conditions = as_published(text).conditions
        assert [condition.code for condition in conditions] == codes, text
        assert all(condition.message for condition in conditions), text


def test_published_readers_handle_quotes_and_trailing_text() -> None:
    assert read_engine("(Is ?x 'cup' 5 \"pen\")") == ("Is", "?x", "'cup'", 5, '"pen"')
    assert read_lifting("(Is ?x 'toy  car') (rest") == ("Is", "?x", "'toy", "car'")
    assert read_verifier("(Is ?x 'cup' 1.5 \"pen\") rest") == ("Is", "?x", "cup", 1.5, "pen")


def test_official_reads_texts_as_the_published_verifier_does() -> None:
    cup = {"objects": [{"label": "cup", "box_2d": [0, 0, 10, 10]}]}
    for text, verdict in {
        "(exists ?x (OnTopSide ?x)": (None, "uncounted"),
        "(exists ?x (Is ?x 'cup')))))": (True, "decided"),
        "(EXISTS ?x (AND (Is ?x 'cup') (NOT (Is ?x 'pen'))))": (True, "decided"),
        "(exists ?x (is ?x 'cup'))": (False, "crashed"),
    }.items():
        found = verify_official(text, cup)
        assert (found.truth, found.status) == verdict, text
