"""Clause forms: the published examples, K, categories, closures, and the defect that only ``official`` shows."""

from __future__ import annotations

from hashlib import sha256
from itertools import product
from random import Random

import pytest
from logic import made_up_formulas, naive

from tsgkit.errors import UsageError
from tsgkit.logic.clauses import category, clause_form, closures, form_of_text, k_as_defined, object_classes
from tsgkit.logic.parser import parse

EXAMPLES = (
    (
        "(and (exists ?x (Is ?x 'cup')) (exists ?x (Is ?x 'pen')))",
        "(and (exists ?x (Is ?x 'cup')) (exists ?x_1 (Is ?x_1 'pen')))",
        1,
    ),
    (
        "(forall ?x (implies (and (Is ?x 'cup') (Has ?x 'red')) (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))",
        "(forall ?x (exists ?y (and (or (not (Is ?x 'cup')) (not (Has ?x 'red')) (Is ?y 'pen')) "
        "(or (not (Is ?x 'cup')) (not (Has ?x 'red')) (LeftOf ?y ?x)))))",
        2,
    ),
    (
        "(exists ?x (and (Is ?x 'cup') (not (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x))))))",
        "(exists ?x (forall ?y (and (Is ?x 'cup') (or (not (Is ?y 'pen')) (not (LeftOf ?y ?x))))))",
        2,
    ),
    (
        "(and (exists ?b (and (Is ?b 'book') (OnLeftSide ?b))) "
        "(exists ?p (exists ?q (and (Is ?p 'pen') (Is ?q 'cup') (Above ?p ?q)))))",
        "(and (exists ?b (and (Is ?b 'book') (OnLeftSide ?b))) "
        "(exists ?p (exists ?q (and (Is ?p 'pen') (Above ?p ?q) (Is ?q 'cup')))))",
        2,
    ),
)
DEFECT = "(or (and (Is ?x 'cup') (OnTopSide ?x)) (and (Is ?x 'pen') (OnLeftSide ?x)))"


def test_clause_form_is_as_published_with_its_defect_where_asked() -> None:
    for (text, cnf, k), official in product(EXAMPLES, (False, True)):
        form = clause_form(parse(text), official=official)
        assert (form.text, form.k) == (cnf, k)
    formula = parse(f"(exists ?x {DEFECT})")
    assert clause_form(formula, official=True).text == "(exists ?x (and (Is ?x 'pen') (OnLeftSide ?x)))"
    assert clause_form(formula).text == (
        "(exists ?x (and (or (Is ?x 'cup') (Is ?x 'pen')) (or (Is ?x 'cup') (OnLeftSide ?x)) "
        "(or (OnTopSide ?x) (Is ?x 'pen')) (or (OnTopSide ?x) (OnLeftSide ?x))))"
    )


def test_clause_forms_compare_without_order() -> None:
    one = parse("(and (exists ?x (and (Is ?x 'cup') (or (OnTopSide ?x) (Has ?x 'red')))) (exists ?y (Is ?y 'pen')))")
    other = parse("(and (exists ?y (Is ?y 'pen')) (exists ?x (and (or (Has ?x 'red') (OnTopSide ?x)) (Is ?x 'cup'))))")
    changed = parse(
        "(and (exists ?y (Is ?y 'pen')) (exists ?x (and (or (Has ?x 'red') (OnTopSide ?x)) (Is ?x 'pan'))))"
    )
    assert form_of_text(one).unordered == form_of_text(other).unordered == clause_form(other).unordered
    assert form_of_text(one).unordered != form_of_text(changed).unordered


def test_a_clause_form_means_what_its_formula_means() -> None:
    tried, forms = 0, sha256()
    for number in range(500):
        random = Random(f"clauses/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5)), numbers=random.random() < 0.2)
        objects = made_up_formulas.layout(random, apart=True)["objects"]
        try:
            form = clause_form(formula)
        except UsageError:
            continue
        forms.update(f"{form.text} {form.k} {k_as_defined(formula)}".encode())
        names = [bound.variable for one in form.components for bound in one.prefix]
        assert len(set(names)) == len(names)
        if objects and sum(len(one.prefix) for one in form.components) <= 7 and len(form.clauses) < 200:
            assert naive.classical(form.formula, objects) == naive.classical(formula, objects)
            tried += 1
    assert tried > 280
    assert forms.hexdigest()[:16] == "4f93556a0b879f59", "see that the change is meant, and write it down"


def test_k_counts_variables_that_clauses_link_and_by_definition_atoms() -> None:
    pair = "(or (and (Is ?x 'pen') (OnLeftSide ?x)) (and (OnTopSide ?x) (exists ?y (Is ?y 'pen'))))"
    form = clause_form(parse(f"(forall ?x (implies (Is ?x 'cup') {pair}))"))
    assert (form.k, len(form.clauses)) == (2, 4)
    formula = parse("(forall ?x (implies (Is ?x 'cup') (exists ?y (Is ?y 'pen'))))")
    assert (clause_form(formula).k, k_as_defined(formula)) == (2, 1)
    assert k_as_defined(parse("(IsStyle 'photo')")) == 0
    formula = parse("(exists ?a (exists ?b (exists ?c (exists ?d (and (LeftOf ?a ?b) (Is ?d 'cup') (LeftOf ?c ?a))))))")
    assert sorted(sorted(one.name for one in group) for group in closures(formula)) == [["?a", "?b", "?c"], ["?d"]]
    form = clause_form(parse("(and (GreaterThan (Count ?x (Is ?x 'cup')) 2) (exists ?y (Is ?y 'pen')))"))
    assert form.text == "(and (exists ?y (Is ?y 'pen')) (GreaterThan (Count ?x (Is ?x 'cup')) 2))"
    assert form.k == 1


def test_clauses_have_categories_and_formulas_their_classes_in_order() -> None:
    for clause, about in {
        "(Is ?x 'cup')": "object",
        "(Has ?x 'red')": "attribute",
        "(HasState ?x 'open')": "attribute",
        "(OnTopSide ?x)": "attribute",
        "(LeftOf ?x ?y)": "relation",
        "(LeftOf ?x ?x)": "relation",
        "(not (Holding ?x ?y))": "relation",
        "(or (not (Is ?x 'cup')) (OnTopSide ?x))": "condition",
        "(IsStyle 'photo')": "style",
        "(Equals (Count ?x (Is ?x 'cup')) 1)": "number",
    }.items():
        assert category(parse(clause)) == about, clause
    formula = parse("(and (Is ?x 'pen') (Is ?y 'cup') (Is ?z 'pen') (Has ?x 'red'))")
    assert object_classes(formula) == ("pen", "cup")


def test_clause_form_refuses_to_grow_too_long() -> None:
    pair = "(and (OnTopSide ?x) (OnLeftSide ?x))"
    with pytest.raises(UsageError, match="more than 20,000 clauses"):
        clause_form(parse(f"(exists ?x (or {' '.join([pair] * 20)}))"))
    nested = "(OnTopSide ?x)"
    for _ in range(60):
        nested = f"(iff {nested} (OnLeftSide ?x))"
    with pytest.raises(UsageError, match="too large"):
        clause_form(parse(f"(exists ?x {nested})"))
    with pytest.raises(UsageError, match="too large"):
        clause_form(parse(f"(or {' '.join(['(exists ?x (OnTopSide ?x))'] * 300)})"))
