"""Texts of formulas, read and refused, their clause forms, and what they say in plain English and of worlds."""

from __future__ import annotations

import json
import pickle
from hashlib import sha256
from itertools import product
from random import Random
from typing import Any

import pytest
from logic import made_up_formulas, naive
from shipped import OFFICIAL_DATA, needs_official_data

from tsgkit.errors import UsageError
from tsgkit.logic import formula as f
from tsgkit.logic.clauses import category, clause_form, closures, form_of_text, k_as_defined, object_classes
from tsgkit.logic.english import instruction, reading_of
from tsgkit.logic.formula import MAX_DEPTH, atoms_of, depth, free_variables, lifted, parts_of, text_of, walk, with_parts
from tsgkit.logic.grounding import Fact
from tsgkit.logic.layouts import overlaps
from tsgkit.logic.lint import check
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import FormulaProblem, parse, parse_with_places
from tsgkit.logic.published_readers import as_published, read_engine, read_lifting, read_verifier
from tsgkit.logic.samples import Scenario, Twist, configuration, formula_of
from tsgkit.logic.scene_models import faults, world_of
from tsgkit.logic.solver import solve
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import KNOLLING, NATURAL, SCENARIOS

TEXTS = (
    "(Is ?x 'cup')", "(IsStyle 'oil painting')", "(and)", "(or)", r"(Is ?x 'it\'s a \\ stroke (or a paren)')",
    "(exists ?x (and (Is ?x 'cup') (OnTopSide ?x)))", "(and (forall ?d (implies (Is ?d 'drill') (OnBottomSide ?d))))",
    "(or (not (Is ?x 'cup')) (iff (InCenter ?x) (LeftOf ?x ?y)))", "(GreaterThan (Count ?x (Is ?x 'cup')) 2)",
    "(Equals (Count ?x (Is ?x 'cup')) (Count ?y (Is ?y 'pen')))", "(LessThan -1 2.5)",
    "(Equals 1e+16 (Count ?x (Is ?x '?x')))",
)  # fmt: skip
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
EXAMPLES = (
    (1, "(and (exists ?x (Is ?x 'cup')) (exists ?x (Is ?x 'pen')))",
     "(and (exists ?x (Is ?x 'cup')) (exists ?x_1 (Is ?x_1 'pen')))"),
    (2, "(forall ?x (implies (and (Is ?x 'cup') (Has ?x 'red')) (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x)))))",
     "(forall ?x (exists ?y (and (or (not (Is ?x 'cup')) (not (Has ?x 'red')) (Is ?y 'pen')) "
     "(or (not (Is ?x 'cup')) (not (Has ?x 'red')) (LeftOf ?y ?x)))))"),
    (2, "(exists ?x (and (Is ?x 'cup') (not (exists ?y (and (Is ?y 'pen') (LeftOf ?y ?x))))))",
     "(exists ?x (forall ?y (and (Is ?x 'cup') (or (not (Is ?y 'pen')) (not (LeftOf ?y ?x))))))"),
    (2, "(and (exists ?b (Is ?b 'book')) (exists ?p (exists ?q (and (Is ?p 'pen') (Is ?q 'cup') (Above ?p ?q)))))",
     "(and (exists ?b (Is ?b 'book')) (exists ?p (exists ?q (and (Is ?p 'pen') (Above ?p ?q) (Is ?q 'cup')))))"),
)  # fmt: skip
DEFECT = "(or (and (Is ?x 'cup') (OnTopSide ?x)) (and (Is ?x 'pen') (OnLeftSide ?x)))"
BOTH: tuple[Scenario, ...] = ("knolling", "natural")
CAT_AND_DOG = "(exists ?a (exists ?b (and (Is ?a 'cat') (Is ?b 'dog') {})))"
CUP_AND_SCISSORS = "(exists ?a (exists ?b (and (Is ?a 'cup') (Is ?b 'scissors') {})))"
READINGS = {
    "(exists ?s (exists ?k (and (Is ?s 'scissors') (Has ?s 'gray') (Is ?k 'keys') (Above ?s ?k))))": (
        "There are a pair of gray scissors and a bunch of keys. The pair of scissors is above the bunch of keys."
    ),
    "(LessThanOrEquals (Count ?x (Is ?x 'mouse')) 2)": "The number of mice is at most 2.",
    "(exists ?x (and (Is ?x 'cup') (or (HasMaterial ?x 'metal') (HasMaterial ?x 'glass'))))": (
        "There is a cup. Either the cup is made of metal or the cup is made of glass."
    ),
}
DEMANDS = (
    "(Has ?b 'gray') (LeftOf ?a ?b)", "(LeftOf ?a ?b) (Above ?a ?b)", "(not (LeftOf ?a ?b))", "(RightOf ?b ?a)",
    "(or (LeftOf ?a ?b) (OnTopSide ?a))", "(or (Has ?a 'red') (Has ?a 'blue'))", "(or (LeftOf ?a ?b) (LeftOf ?b ?a))",
    "(HasMaterial ?a 'glass') (not (HasMaterial ?b 'wood'))", "(iff (OnTopSide ?a) (OnLeftSide ?b))",
)  # fmt: skip


def test_formulas_parse_and_print_back_and_strange_and_long_texts_are_read_or_refused() -> None:
    for text in TEXTS:
        formula = parse(text)
        assert text_of(formula) == text
        assert {formula, parse(text)} == {formula}
        assert pickle.loads(pickle.dumps(formula)) == formula  # noqa: S301
        assert with_parts(formula, parts_of(formula)) == formula
    deepest = "(not " * (MAX_DEPTH - 1) + "(OnTopSide ?x)" + ")" * (MAX_DEPTH - 1)
    formula = parse(deepest)
    assert (depth(formula), text_of(formula)) == (MAX_DEPTH, deepest)
    for text in (f"(not {deepest})", "(not " * 1_000_000):
        with pytest.raises(FormulaProblem, match="at most 100 levels"):
            parse(text)
    with pytest.raises(UsageError, match="101 levels deep"):
        text_of(f.Not(formula))
    messages = sha256()
    assert {is_read(text, messages) for text in (*texts(600), *STRANGE)} == {True, False}
    assert messages.hexdigest()[:16] == "dbaa880f5725f759", "see that the change is meant, and write it down"
    for piece in LONG:
        assert not is_read(piece * 5_000, messages)
        assert not is_read("(exists ?x (and " + piece * 1_000, messages)


def test_parts_have_places_and_free_variables_and_names_that_would_not_parse_are_refused() -> None:
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
    for name in ("", "x", "?", "?a b", "?(", "?'"):
        with pytest.raises(UsageError):
            f.Variable(name)
    for name in ("", "and", "Count", "Equals", "?x", "5", "a b"):
        with pytest.raises(UsageError):
            f.Atom(name, ())
    with pytest.raises(UsageError, match="'Bigger' is not a comparison"):
        f.Comparison("Bigger", 1, 1)
    for number in (float("nan"), float("inf"), 10**400):
        with pytest.raises(UsageError):
            f.Comparison("Equals", number, 1)


def test_lint_findings_have_code_place_and_hint_and_published_readers_lift_as_we_do() -> None:
    hint = "write a quantifier for it around this part"
    unbound = [("unused-variable", "warning", 1, 1, ""), ("unbound-variable", "error", 1, 12, hint)]
    for text, finding, fault in (
        ("(exists ?x (and (Is ?x 'cup') (Has ?x 'red') (OnTopSide ?x)))", [], None),
        ("(exists ?x\n  (Is ?x 'cups'))", [("unknown-class", "error", 2, 3, "cup?")], "'cups' is not a known class"),
        ("(exists ?x (OnTopSide ?y))", unbound, "?y is not bound"),
        ("(exists ?x (InCenter ?x))", [], "InCenter is neither an operator nor a predicate"),
    ):
        checked = check(text, KNOLLING)
        told = [(one.code, one.severity, *one.place, one.hint) for one in checked.findings]
        assert (told, checked.published_fault) == (finding, fault), text
        assert checked.errors == sum(severity == "error" for _, severity, *_ in told)
    lost = "(exists ?y (and (implies (Is ?x 'shoe') (OnTopSide ?x))))"
    assert text_of(lifted(parse(lost))) == as_published(lost).lifted == "(implies (Is ?x 'shoe') (OnTopSide ?x))"
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"lifting/{number}"), deepest=7)
        assert as_published(text_of(formula)).lifted == text_of(lifted(formula))
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


def test_clause_form_is_as_published_with_its_defect_where_asked_in_any_order() -> None:
    for (k, text, cnf), official in product(EXAMPLES, (False, True)):
        form = clause_form(parse(text), official=official)
        assert (form.text, form.k) == (cnf, k)
    formula = parse(f"(exists ?x {DEFECT})")
    assert clause_form(formula, official=True).text == "(exists ?x (and (Is ?x 'pen') (OnLeftSide ?x)))"
    assert clause_form(formula).text == (
        "(exists ?x (and (or (Is ?x 'cup') (Is ?x 'pen')) (or (Is ?x 'cup') (OnLeftSide ?x)) "
        "(or (OnTopSide ?x) (Is ?x 'pen')) (or (OnTopSide ?x) (OnLeftSide ?x))))"
    )
    one = parse("(and (exists ?x (and (Is ?x 'cup') (or (OnTopSide ?x) (Has ?x 'red')))) (exists ?y (Is ?y 'pen')))")
    text = "(and (exists ?y (Is ?y 'pen')) (exists ?x (and (or (Has ?x 'red') (OnTopSide ?x)) (Is ?x '{}'))))"
    other, changed = (parse(text.format(name)) for name in ("cup", "pan"))
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


def test_clauses_have_categories_and_k_counts_linked_variables_of_forms_that_are_not_too_long() -> None:
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


def test_every_formula_has_a_reading() -> None:
    for text, reading in READINGS.items():
        assert reading_of(parse(text)) == reading
    readings = sha256()
    for number in range(500):
        formula = made_up_formulas.formula(Random(f"reading/{number}"), deepest=6)
        reading = reading_of(formula)
        readings.update(reading.encode())
        assert reading == reading_of(formula)
        assert (reading[0].isupper(), reading[-1], "?" in reading) == (True, ".", False), reading
    assert readings.hexdigest()[:16] == "259d77f495e04fbf", "see that the change is meant, and write it down"


def test_instructions_say_what_formulas_demand_in_words_of_their_seed_in_every_version() -> None:
    """One told here, and then in a digest those of formulas of all shapes and both scenarios, and their readings."""
    text = "(and (IsStyle 'pixel art') (exists ?c (exists ?d (and (Is ?c 'cat') (Is ?d 'dog') (LeftOf ?c ?d)))))"
    assert instruction(parse(text), "natural") == (
        "Left and right are those of the frame. A pixel art picture of a cat and a dog."
        " The cat is to the left of the dog."
    )
    texts = sha256()
    pairs = [parse(CUP_AND_SCISSORS.format(text)) for text in DEMANDS]
    assert len({instruction(pairs[0], seed=seed) for seed in range(20)}) > 4
    made_up = [made_up_formulas.formula(Random(f"reading/{number}"), deepest=4) for number in range(60)]
    for seed, formula in enumerate([*pairs, *made_up]):
        texts.update(instruction(formula, seed=seed).encode())
    for seed in range(60):
        texts.update(reading_of(formula_of(configuration(1 + seed % 8, "natural", seed))).encode())
    assert texts.hexdigest()[:16] == "a07104ddc78e01e6", "see that the change is meant, and write it down"
    # Two digests: of 60 formulas, and of the instructions for 60 more. A change here changes what users have made.
    digests = {
        "knolling": ("40ec7b1a0d8a5bb7", "924fe8707c0f5d5f"),
        "natural": ("51248e8795f1ac4f", "63bc5dfaea8856c7"),
    }
    twists: tuple[Twist, ...] = ("", "or", "not")
    for scenario in BOTH:
        formulas, texts = sha256(), sha256()
        for seed in range(60):
            twist = twists[seed % 3]
            formula = formula_of(configuration(1 + seed % 10, scenario, seed, universal=seed % 2 == 1, twist=twist))
            formulas.update(text_of(formula).encode())
            formula = formula_of(configuration(1 + seed % 8, scenario, seed, universal=seed % 4 < 2, twist=twist))
            texts.update(instruction(formula, scenario, seed).encode())
        assert (formulas.hexdigest()[:16], texts.hexdigest()[:16]) == digests[scenario], scenario


def test_a_configuration_has_k_objects_in_one_closure_and_a_world_required_and_implied_facts() -> None:
    for scenario, k, seed in product(BOTH, range(1, 13), range(4)):
        formula = formula_of(configuration(k, scenario, seed, universal=seed % 2 == 1))
        forms = clause_form(formula), clause_form(formula, official=True)
        assert [forms[0].k, forms[1].k, k_as_defined(formula)] == [k, k, k], (scenario, k, seed)
    for k in (0, 21):
        with pytest.raises(UsageError, match="expected 1 to 20"):
            configuration(k)
    with pytest.raises(UsageError, match="no scenario"):
        configuration(1, "kitchen")  # type: ignore[arg-type]
    for text in (
        "(On ?a ?a)", "(LeftOf ?a ?b) (LeftOf ?b ?a)", "(LeftOf ?a ?b) (RightOf ?a ?b)", "(In ?a ?b) (On ?b ?a)",
        "(NextTo ?a ?b) (not (NextTo ?b ?a))", "(HasColor ?a 'black') (HasColor ?a 'white')",
        "(HasState ?a 'sitting') (HasState ?a 'lying')",
        "(Holding ?a ?b) (exists ?c (and (Is ?c 'man') (Holding ?c ?b)))",
    ):  # fmt: skip
        assert world_of(parse(CAT_AND_DOG.format(text))) is None, text
    with pytest.raises(UsageError, match="counts"):
        world_of(parse("(Equals (Count ?x (and (Is ?x 'cat') (HasColor ?x 'black'))) 2)"))
    text = "(LeftOf ?a ?b) (NextTo ?a ?b) (not (On ?a ?b)) (HasState ?a 'sitting')"
    world = world_of(parse(CAT_AND_DOG.format(text))) or frozenset()
    assert {Fact("RightOf", (1, 0)), Fact("NextTo", (1, 0)), Fact("HasState", (0,), "sitting")} <= world
    assert not faults(world)
    assert any("circle" in fault for fault in faults([Fact("On", (0, 1)), Fact("In", (1, 0))]))


@needs_official_data
def test_every_published_row_reads_as_published_with_its_clauses_and_a_layout() -> None:
    rows = [json.loads(line) for line in (OFFICIAL_DATA / "formalimg_sample.jsonl").read_text().splitlines()]
    assert rows
    for row in rows:
        checked = check(row["dsl"], SCENARIOS[row["scenario"]])
        assert (checked.findings, checked.published_fault) == ((), None), row["id"]
        formula = parse(row["dsl"])
        assert text_of(formula) == row["dsl"]
        assert as_published(row["dsl"]).lifted == text_of(lifted(formula))
        for official in (False, True):
            form = clause_form(formula, official=official)
            assert form.unordered == form_of_text(parse(row["cnf"])).unordered, row["id"]
            assert form.k == k_as_defined(formula) == row["k"], row["id"]
        assert set(object_classes(formula)) == set(row["object_classes"]), row["id"]
        if row["scenario"] == "knolling":
            layout = solve(formula).layout
            assert layout is not None, row["id"]
            assert not list(overlaps(tuple(thing.box for thing in layout.objects))), row["id"]
            assert verify(row["dsl"], layout).truth, row["id"]
            assert verify(row["dsl"], layout.value, "official").truth, row["id"]
