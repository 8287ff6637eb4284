"""Findings about the texts of formulas, beside what the published validator says of the same."""

from __future__ import annotations

from tsgkit.logic.lint import RULES, check
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, SCENARIOS

GOOD = "(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnTopSide ?x)))"


def test_the_vocabularies_are_of_the_published_sizes() -> None:
    assert (len(KNOLLING.classes), len(KNOLLING.values_of("attribute")), len(KNOLLING.predicates)) == (50, 9, 15)
    sizes = [len(NATURAL.values_of(kind)) for kind in ("class", "color", "material", "shape", "state", "style")]
    assert sizes == [69, 11, 11, 6, 28, 5]
    assert len(NATURAL.predicates) == 12
    assert len(NATURAL.values_of("attribute")) == 56
    assert all(len(set(one.classes)) == len(one.classes) for one in SCENARIOS.values())


def test_a_good_formula_has_no_findings() -> None:
    checked = check(GOOD, KNOLLING)
    assert checked.findings == ()
    assert checked.published_fault is None
    assert checked.errors == 0


FINDINGS = [
    ("(exists ?x (Is ?x 'cups'))", "unknown-class", 12, "cup?"),
    ("(exists ?x (Has ?x 'orange'))", "unknown-value", 12, ""),
    ("(exists ?x (Likes ?x))", "unknown-predicate", 12, ""),
    ("(exists ?x (LeftOff ?x ?x))", "unknown-predicate", 12, "LeftOf?"),
    ("(exists ?x (LeftOf ?x))", "wrong-arity", 12, ""),
    ("(exists ?x (OnTopSide ?y))", "unbound-variable", 12, "quantifier"),
    ("(exists ?x (OnTopSide 'cup'))", "value-for-variable", 12, "variable"),
    ("(exists ?x (Is ?x ?x))", "variable-for-value", 12, ""),
    ("(exists ?x (or (OnTopSide ?x) (and)))", "empty-connective", 31, "add parts"),
    ("(exists ?x (exists ?y (OnTopSide ?x)))", "unused-variable", 12, ""),
    ("(exists ?x (and (OnTopSide ?x) (exists ?x (OnTopSide ?x))))", "shadowed-variable", 32, ""),
    ("(exists ?x (and (OnTopSide ?x) (Equals 1 1)))", "misplaced-number", 32, ""),
    ("(exists ?x (and (OnTopSide ?x) (Equals (Count ?y (LeftOf ?x ?y)) 1)))", "misplaced-number", 32, ""),
    ("(Equals (Count ?y (LeftOf ?x ?y)) 1)", "unbound-variable", 19, ""),
    ("(exists x (OnTopSide x))", "syntax", 9, ""),
    ("(exists ?x (OnTopSide ?x)", "syntax", 26, ""),
    ("(exists ?x (OnTopSide ?x)) more", "readers-differ", 1, ""),
    ("(exists ?x (Is ?x 'cutting  board'))", "readers-differ", 1, ""),
]


def test_lint_findings_have_code_place_and_hint() -> None:
    for text, code, column, hint in FINDINGS:
        found = [finding for finding in check(text, KNOLLING).findings if finding.code == code]
        assert found, text
        assert (found[0].place.line, found[0].place.column) == (1, column), text
        assert hint in found[0].hint, text
        assert str(found[0]).startswith(f"{RULES[code][0]} {code}: line 1, column {column}: "), text


def test_lint_places_count_lines() -> None:
    checked = check("(exists ?x\n  (and (Is ?x 'cup')\n       (Has ?x 'orange')))", KNOLLING)
    assert [(finding.code, *finding.place) for finding in checked.findings] == [("unknown-value", 3, 8)]


def test_lint_finds_faults_that_the_published_validator_accepts() -> None:
    for text, code in {
        "(exists ?x (HasColor ?x 'octarine'))": "unknown-value",
        "(exists ?x (HasState ?x 'red'))": "wrong-kind",
        "(exists ?x (HasMaterial ?x 'ceramics'))": "unknown-value",
        "(IsStyle 'baroque')": "unknown-value",
        "(exists ?x (Is ?x ?x))": "variable-for-value",
        "(exists ?x (and (On ?x ?x) (or)))": "empty-connective",
        "(and (exists x (HasColor ?y 'red')))": "syntax",
        "(exists ?x (On ?x (On ?x ?x)))": "syntax",
    }.items():
        checked = check(text, NATURAL)
        assert code in [finding.code for finding in checked.findings], text
        assert checked.published_fault in (None, "?y is not bound"), text


FAULTS: list[tuple[str, str | None]] = [
    ("(exists ?x (OnTopSide ?x)", "the engine cannot read the text"),
    ("(exists ?x (OnTopSide ?y))", "?y is not bound"),
    ("(exists ?x (Is ?x 'mug'))", "'mug' is not a known class"),
    ("(exists ?x (Has ?x 'other'))", "'other' is not a known attribute"),
    ("(exists ?x (InCenter ?x))", "InCenter is neither an operator nor a predicate"),
    ("(exists ?x (LeftOf ?x))", "LeftOf takes 2, not 1"),
    ("(exists ?x (not (OnTopSide ?x) (OnTopSide ?x)))", "not takes 1, not 2"),
    ("(exists ?x (OnTopSide 'cup'))", "'cup' is not a variable"),
    ("(exists ?x (and (Is ?x 'cup') (Equals 1 1)))", "Equals is below the top level"),
    ("(Count ?x (OnTopSide ?x))", "Count is given where a formula is expected"),
    ("(and (Equals (Count ?x (OnTopSide ?x)) 1) (exists ?x (OnTopSide ?x)))", None),
    ("(exists ?x (and))", None),
    ("()", " is neither an operator nor a predicate"),
]


def test_published_fault_is_that_of_the_published_validator() -> None:
    for text, fault in FAULTS:
        assert check(text, KNOLLING).published_fault == fault, text
    assert check("(exists ?x (InCenter ?x))", KNOLLING).findings == (), "which it does not know"
