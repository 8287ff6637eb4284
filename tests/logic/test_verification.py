"""Verdicts: against plain evaluators, and crashes, zero triggers, rejected layouts, reasons and traces by example."""

from __future__ import annotations

import itertools
import pickle
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from logic import made_up_formulas, naive
from nltk import sem

from tsgkit.errors import UsageError
from tsgkit.logic.formula import (
    MAX_DEPTH,
    And,
    Atom,
    Exists,
    Forall,
    Formula,
    Iff,
    Implies,
    Literal,
    Not,
    Or,
    Variable,
    walk,
)
from tsgkit.logic.layouts import LayoutProblem, layout_of
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.printer import text_of
from tsgkit.logic.strict import verify_strict
from tsgkit.logic.variables import rename_apart
from tsgkit.logic.verdicts import MOST_LINES, Profile
from tsgkit.logic.verification import verify

PROFILES: tuple[Profile, ...] = ("official", "strict")
ON_TOP = "(exists ?x (and (Is ?x 'scissors') (OnTopSide ?x)))"
PAIR = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'hat') ({} ?x ?y))))"
EVERY_SHOE = "(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))"
TWO_SHOES = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'shoe') (AlignedVertically ?x ?y))))"
SHOE = ("shoe", [0, 0, 100, 100])
MADE_UP = 3_000
"""How many pairs of a formula and a layout each comparison tries."""
WORDED = 500
"""For how many of these pairs the reason and the trace are those of a digest."""
CHANGED = "some reason or trace changed: see that it is meant, and write it down"


def scene(*things: tuple[Any, ...]) -> dict[str, Any]:
    """Label, box and perhaps a colour of each."""
    keys = ("label", "box_2d", "color")
    return {"objects": [dict(zip(keys, thing, strict=False)) for thing in things]}


def test_verify_gives_expected_verdicts() -> None:
    rows: list[tuple[str, dict[str, Any], bool]] = [
        (ON_TOP, scene(("scissors", [100, 100, 200, 200])), True),
        (ON_TOP, scene(("scissors", [100, 400, 200, 600])), False),
        (PAIR.format("AlignedVertically"), scene(SHOE, ("hat", [100, 0, 200, 100])), False),
        (PAIR.format("AlignedVertically"), scene(("shoe", [0, 0, 100, 99]), ("hat", [99, 99, 199, 200])), True),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 100, 200, 200])), False),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 100, 202, 200])), True),
        (EVERY_SHOE, scene(("hat", [0, 0, 100, 100])), False),
        ("(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))", scene(("hat", [0, 0, 100, 100])), True),
        ("(not (exists ?x (Is ?x 'shoe')))", scene(), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 667, 667])), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 666, 666])), False),
        (TWO_SHOES, scene(SHOE), True),
    ]
    for (text, layout, truth), profile in itertools.product(rows, PROFILES):
        assert verify(text, layout, profile).truth is truth, (text, layout, profile)
    assert verify(TWO_SHOES, scene(SHOE), distinct=True).truth is False
    assert verify(TWO_SHOES, scene(SHOE, ("shoe", [0, 200, 100, 300])), distinct=True).truth is True


def test_official_verdict_equals_plain_evaluation_including_crashes() -> None:
    seen, words = set(), sha256()
    for number in range(MADE_UP):
        random = Random(f"official/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5, 6)), iff=random.random() < 0.3)
        layout = made_up_formulas.layout(random, broken=0.03)
        try:
            wanted: bool | str = naive.official(naive.lift(naive.tree(formula)), layout)
        except naive.Crash:
            wanted = "crashed"
        verdict = verify_official(formula, layout)
        found = verdict.status if verdict.status == "crashed" else verdict.truth
        assert found == wanted, (text_of(formula), layout, verdict)
        seen.add(wanted)
        if number < WORDED:
            words.update(f"{verdict.detail} {verdict.trace and verdict.trace.text}".encode())
    assert seen == {True, False, "crashed"}
    assert words.hexdigest()[:16] == "c99917397b62e6c1", CHANGED


def test_strict_verdict_equals_plain_evaluation() -> None:
    seen, words = set(), sha256()
    for number in range(MADE_UP):
        random = Random(f"strict/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5, 6)))
        layout = made_up_formulas.layout(random, broken=0.02, apart=random.random() < 0.9)
        distinct, grounded = random.random() < 0.5, random.random() < 0.3
        verdict = verify_strict(formula, layout, distinct=distinct, grounded=grounded)
        wanted = naive.strict(formula, layout, distinct=distinct, grounded=grounded)
        assert verdict.truth == wanted, (text_of(formula), layout, distinct, grounded, verdict)
        assert (verdict.reason == "") == wanted
        assert verdict.trace is None or verdict.trace.truth == wanted
        seen.add((wanted, verdict.status))
        if number < WORDED:
            words.update(f"{verdict.reason} {verdict.trace and verdict.trace.text}".encode())
    assert seen == {(True, "decided"), (False, "decided"), (False, "rejected")}
    assert words.hexdigest()[:16] == "eeca2b6bde2705de", CHANGED


def test_both_profiles_are_classical_without_forall() -> None:
    compared = 0
    for number in range(500):
        random = Random(f"classical/{number}")
        formula = made_up_formulas.formula(random, deepest=4, iff=False)
        layout = made_up_formulas.layout(random, apart=True)
        if any(isinstance(part, Forall) for _, part in walk(formula)):
            continue
        wanted = naive.classical(formula, layout["objects"])
        assert verify_strict(formula, layout).truth == wanted
        if layout["objects"]:
            assert verify_official(formula, layout).truth == wanted
        compared += 1
    assert compared > 130


def test_plain_classical_truth_equals_nltk() -> None:
    seen = []
    for number in range(250):
        random = Random(f"nltk/{number}")
        formula = made_up_formulas.formula(random, deepest=random.choice((3, 4, 5)), numbers=False)
        objects = [*made_up_formulas.layout(random)["objects"], *made_up_formulas.layout(random, most=1)["objects"]]
        if not objects or any(isinstance(part, And | Or) and not part.parts for _, part in walk(formula)):
            continue
        wanted = nltk_truth(formula, objects)
        assert naive.classical(formula, objects) == wanted, text_of(formula)
        seen.append(wanted)
    assert 20 < sum(seen) < len(seen) - 20


def nltk_truth(formula: Formula, objects: list[Any]) -> bool:
    """Return what NLTK says of a formula, with the extensions of all predicates spelt out as a model."""
    formula = rename_apart(formula)
    names = {part.variable: f"x{number}" for number, (_, part) in enumerate(walk(formula)) if hasattr(part, "variable")}
    extensions = {symbol(part): extension(part, objects) for _, part in walk(formula) if isinstance(part, Atom)}
    entities = {f"o{number}" for number in range(len(objects))}
    model = sem.Model(entities, sem.Valuation(list(extensions.items())))
    truth = model.evaluate(nltk_text(formula, names), sem.Assignment(entities))
    assert isinstance(truth, bool)
    return truth


def symbol(atom: Atom) -> str:
    value = atom.args[-1]
    return f"{atom.name}_{value.text}" if isinstance(value, Literal) else atom.name


def extension(atom: Atom, objects: list[Any]) -> set[tuple[str, ...]]:
    """Return all tuples of objects that a predicate holds of."""
    numbers = range(len(objects))
    x, y = Variable("?x"), Variable("?y")
    several = len(atom.args) == 2 and not isinstance(atom.args[1], Literal)
    free = Atom(atom.name, (x, y) if several else (x, *atom.args[1:]))
    plain = naive._Classical(objects, distinct=False)
    if several:
        return {(f"o{a}", f"o{b}") for a in numbers for b in numbers if plain.atom(free, {x: a, y: b})}
    return {(f"o{a}",) for a in numbers if plain.atom(free, {x: a})}


def nltk_text(formula: Formula, names: dict[Variable, str]) -> str:
    match formula:
        case Atom(_, args):
            inside = ", ".join(names[arg] for arg in args if isinstance(arg, Variable))
            return f"{symbol(formula)}({inside})"
        case Not(body):
            return f"-({nltk_text(body, names)})"
        case And(parts) | Or(parts):
            joined = " & " if isinstance(formula, And) else " | "
            return f"({joined.join(nltk_text(part, names) for part in parts)})"
        case Implies(left, right):
            return f"({nltk_text(left, names)} -> {nltk_text(right, names)})"
        case Iff(left, right):
            return f"({nltk_text(left, names)} <-> {nltk_text(right, names)})"
        case Exists(variable, body) | Forall(variable, body):
            word = "exists" if isinstance(formula, Exists) else "all"
            return f"{word} {names[variable]}.({nltk_text(body, names)})"
    raise AssertionError("NLTK compares no numbers")


def test_official_verdict_is_false_where_the_published_verifier_crashes() -> None:
    layouts: list[tuple[Any, str]] = [
        (None, "the layout is not an object"),
        ([], "the layout is not an object"),
        ({"objects": None}, "objects is not a list"),
        ({"objects": {}}, "objects is not a list"),
        ({"objects": ["cup"]}, "object 0 is not an object"),
        *((scene(SHOE, ("hat", box)), "") for box in ([1, 2, 3], ["1", 2, 3, 4], "box")),
    ]
    for layout, detail in layouts:
        verdict = verify(EVERY_SHOE, layout, "official")
        assert (verdict.truth, verdict.status, verdict.reason) == (False, "crashed", "Syntax Error"), layout
        assert verdict.detail == detail or (not detail and verdict.detail), layout
    for text in (
        "(exists ?x (Likes ?x 'cup'))",
        "(exists ?x (Is ?x))",
        "(exists ?x (OnTopSide ?y))",
        "(exists ?x (implies (OnTopSide ?x)))",
        "(exists ?x (iff (OnTopSide ?x) (OnTopSide ?x)))",
        "(exists ?x ?x)",
        "(exists ?x (OnTopSide 'shoe'))",
        "(exists ?x ())",
        "(exists ?x (GreaterThan 'a' 1))",
        "(exists ?x (Count ?y (OnTopSide ?y)))",
    ):
        assert verify(text, scene(SHOE), "official").status == "crashed", text
        assert verify(text, scene(), "official").status == "decided", "the fault is not reached"
        assert verify(f"(or (forall ?z (Is ?z 'shoe')) {text})", scene(SHOE), "official").truth is True, text
    assert verify("cup", scene(), "official").status == "crashed"


def test_official_differs_from_strict_where_the_published_verifier_is_lax() -> None:
    missing = scene(SHOE, ("hat",))
    assert verify("(exists ?x (Is ?x 'hat'))", missing, "official").truth is True
    assert verify(PAIR.format("LeftOf"), missing, "official").status == "crashed"
    assert verify("(exists ?x (Is ?x 'hat'))", missing, "strict").status == "rejected"
    inverted = scene(("shoe", [600, 0, 100, 100]), ("hat", [300, 0, 400, 100]))
    text = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'hat') (LeftOf ?x ?y) (RightOf ?x ?y))))"
    assert verify(text, inverted, "official").truth is True
    assert "expected 0 <= x1 < x2 <= 1000" in verify(text, inverted).reason
    exposed = "(forall ?x (exists ?y (and (implies (Is ?x 'shoe') (OnTopSide ?x)))))"
    hat = scene(("hat", [0, 0, 100, 100]))
    assert (verify(exposed, hat, "official").truth, verify(exposed, hat).truth) == (False, True)
    layout = scene(("cup", [0, 0, 90, 90]), ("pen", [200, 0, 290, 90]), ("hat", [400, 0, 490, 90]))
    chained = "(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))"
    found = verify(chained, layout, "official")
    assert (found.truth, found.zero_triggers, verify(chained, layout).truth) == (False, 1, True)
    nested = "(forall ?x (implies (Is ?x 'cup') (forall ?y (implies (Is ?y 'pen') (LeftOf ?x ?y)))))"
    assert verify(nested, layout, "official").truth is verify(nested, layout).truth is True


def test_strict_rejects_malformed_layouts_with_the_reason() -> None:
    four = "expected four finite numbers"
    boxes: list[tuple[Any, str]] = [
        (None, "box_2d is missing"),
        ([1, 2, 3], f"box_2d is [1, 2, 3], {four}"),
        ([0, 0, 10, 10, 10], four),
        ([0, 0, "10", 10], four),
        ([0, 0, True, 10], four),
        ([0, 0, float("nan"), 10], four),
        ([0, 0, float("inf"), 10], four),
        ([0, 0, 10**5000, 10], "expected 0 <= x1 < x2 <= 1000"),
        ([10, 0, 10, 10], "expected 0 <= x1 < x2 <= 1000"),
        ([-1, 0, 10, 10], "expected 0 <= x1 < x2 <= 1000"),
        ([0, -1, 10, 10], "expected 0 <= y1 < y2 <= 1000"),
        ([0, 0, 10, 1000.5], "expected 0 <= y1 < y2 <= 1000"),
    ]
    for box, reason in boxes:
        verdict = verify("(exists ?x (Is ?x 'hat'))", scene(SHOE, ("hat", box)))
        assert (verdict.truth, verdict.status) == (False, "rejected"), reason
        assert (reason in verdict.reason, "object 1 (hat)" in verdict.reason) == (True, True), verdict.reason
    values: list[Any] = [None, [], {"objects": 1}, {"objects": [1]}, {"objects": [{"label": 5}]}]
    for value in values:
        assert verify("(exists ?x (Is ?x 'hat'))", value).status == "rejected", value
        with pytest.raises(LayoutProblem):
            layout_of(value)


def test_boxes_may_touch_and_grounded_boxes_may_overlap_a_little() -> None:
    formula = parse("(exists ?x (Is ?x 'hat'))")
    touching, half, more = (scene(SHOE, ("hat", [x, 0, x + 100, 100])) for x in (100, 50, 49))
    assert verify(formula, touching).truth is True
    assert "objects 0 and 1 (the shoe, the hat) overlap" in verify(formula, half).reason
    assert verify(formula, half, grounded=True).truth is True
    assert "more than half of the smaller" in verify(formula, more, grounded=True).reason


def test_layouts_round_trip_and_verdicts_can_be_pickled() -> None:
    value = scene(("shoe", [0, 0, 100, 100], "red"))
    layout = layout_of(value)
    assert layout.value == value
    shoes = scene(SHOE, ("hat", [500, 0, 600, 100]), ("shoe", [0, 200, 9, 209]))
    for profile in PROFILES:
        assert verify("(exists ?x (Has ?x 'red'))", layout, profile).truth is True
        verdict = verify(PAIR.format("LeftOf"), shoes, profile)
        assert pickle.loads(pickle.dumps(verdict)).value() == verdict.value()  # noqa: S301


def test_strict_refuses_formulas_that_layouts_cannot_decide() -> None:
    for text in ("(exists ?x (HasState ?x 'open'))", "(OnTopSide ?x)", "(exists ?x (Is ?x ?x))", "(exists ?x (Is ?x))"):
        with pytest.raises(UsageError):
            verify(text, scene(SHOE))
    with pytest.raises(FormulaProblem):
        verify("(exists ?x", scene(SHOE))
    with pytest.raises(UsageError, match="no profile"):
        verify(EVERY_SHOE, scene(SHOE), "lenient")  # type: ignore[arg-type]


def test_verdict_is_undecided_beyond_the_work_limit() -> None:
    layout = scene(*(("cup", [10 * n, 0, 10 * n + 9, 9]) for n in range(20)))
    text = "(exists ?x (exists ?y (exists ?z (and (LeftOf ?x ?y) (LeftOf ?y ?z) (LeftOf ?z ?x)))))"
    labels = "abcdefgh"
    names = [f"?{label}" for label in labels] + ["?missing"]
    atoms = [f"(Is ?{label} '{label}')" for label in labels] + ["(Is ?missing 'missing')"]
    atoms += [f"(Above {one} {other})" for one, other in itertools.pairwise(names)]
    chain = "".join(f"(exists {name} " for name in names) + f"(and {' '.join(atoms)})" + ")" * len(names)
    rows = [(label, [10 * n, 100 * y, 10 * n + 10, 100 * y + 50]) for y, label in enumerate(labels) for n in range(4)]
    for profile in PROFILES:
        verdict = verify(text, layout, profile, work=100)
        assert (verdict.truth, verdict.status) == (None, "undecided")
        assert verify(text, layout, profile).truth is False
        verdict = verify(chain, scene(*rows), profile)
        assert verdict.truth is False
        assert verdict.work < 32**2 * 40, "nested exists over classes take polynomial work"


def test_reasons_name_the_smallest_unsatisfied_part() -> None:
    layout = scene(("cup", [0, 0, 90, 90], "red"), ("cup", [420, 0, 520, 90], "red"), ("pen", [300, 100, 500, 120]))
    below = "(exists ?p (and (Is ?p 'pen') (exists ?c (and (Is ?c 'cup') (Has ?c 'red') (Below ?c ?p)))))"
    on_left = "(forall ?c (implies (Is ?c 'cup') (OnLeftSide ?c)))"
    for text, where, reason in (
        (below, layout, "no cup is below the pen: cup_1 begins at y = 0, the pen's centre is at y = 110"),
        ("(exists ?x (Is ?x 'fork'))", layout, "there is no fork"),
        (
            on_left,
            scene(("cup", [600, 0, 700, 9])),
            "the cup is not on the left side: its centre is at x = 650, the middle at 500",
        ),
        (EVERY_SHOE, layout, "what is said of every one applies to nothing: there is no shoe"),
        (EVERY_SHOE, scene(), "there are no objects, so that nothing is said of every one"),
        ("(not (exists ?c (Is ?c 'pen')))", layout, "the pen is what must not be: the pen is a pen"),
        ("(Equals (Count ?c (Is ?c 'cup')) 3)", layout, "it is not so that the number of cups is 3: counted 2"),
    ):
        assert verify(text, where).reason == reason
    leaves = [f"?leaf{number}" for number in range(8)]
    parts = [f"(LeftOf {leaf} ?hub)" for leaf in leaves] + [f"(Is {leaf} 'cup')" for leaf in leaves]
    star = "".join(f"(exists {name} " for name in [*leaves, "?hub"])
    star += f"(and (Is ?hub 'pen') {' '.join(parts)})" + ")" * 9
    cups = (("cup", [500 + 20 * n, 0, 510 + 20 * n, 9]) for n in range(20))
    verdict = verify(star, scene(*cups, ("pen", [0, 0, 9, 9])))
    assert (verdict.status, verdict.reason) == (
        "decided",  # in the cheapest order: the hub first
        "no cup fits; nearest comes cup_1, but "
        "cup_1 is left of no pen: cup_1 ends at x = 510, the pen's centre is at x = 4.5",
    )


def test_reasons_and_traces_of_every_connective() -> None:
    layout = scene(("cup", [600, 0, 700, 100]), ("pen", [0, 0, 90, 90]))
    cup, hat, fork = (f"(exists ?x (Is ?x '{label}'))" for label in ("cup", "hat", "fork"))
    left, top = "its centre is at x = 650, the middle at 500", "its centre is at y = 50, the middle at 500"
    for text, reason, head in (
        (f"(or {hat} {fork})", "there is no hat and there is no fork", "✗ none of these holds"),
        (f"(and {cup} (implies {cup} {hat}))", "there is no hat", "✗ not all of these hold"),
        (
            "(exists ?x (and (Is ?x 'cup') (iff (OnTopSide ?x) (OnLeftSide ?x))))",
            f"one side holds and the other does not: the cup is not on the left side: {left}",
            "✗ no cup fits",
        ),
        (
            "(exists ?x (and (Is ?x 'cup') (not (OnTopSide ?x))))",
            f"the cup is on the top side: {top}, which must not be",
            "✗ no cup fits",
        ),
        (
            "(forall ?x (iff (Is ?x 'cup') (OnTopSide ?x)))",
            "one side holds and the other does not: the pen is not a cup",
            "✗ for every object (object 1): object 1 is a cup exactly when object 1 is on the top side",
        ),
    ):
        verdict = verify(text, layout)
        assert verdict.trace is not None
        assert (verdict.reason, verdict.trace.text.splitlines()[0]) == (reason, head)
    row = scene(*(("cup", [10 * n, 0, 10 * n + 9, 9]) for n in range(40)))
    trace = verify("(forall ?x (implies (Is ?x 'cup') (OnTopSide ?x)))", row).trace
    assert trace is not None
    assert [trace.text.splitlines()[n] for n in (0, 1, 2, -1)] == [
        "✓ for every cup: the cup is on the top side",
        "├── ✓ for cup_1",
        "│   └── ✓ the condition applies, and what follows holds",
        "└── ✓ and for 35 more",
    ]


def test_official_trace_uses_the_published_messages() -> None:
    layout = scene(("shoe", [0, 0, 100, 100]), ("hat", [239, 0, 339, 100]))
    trace = verify(PAIR.format("AlignedVertically"), layout, "official").trace
    assert trace is not None
    assert trace.text.splitlines() == [
        "✗ Exists ?x failed",
        "├── ✗ Candidate #0 failed",
        "│   └── ✗ AND check failed",
        "│       ├── ✓ Object is 'shoe'",
        "│       └── ✗ Exists ?y failed",
        "│           ├── ✗ Candidate #0 failed",
        "│           │   └── ✗ AND check failed",
        "│           │       └── ✗ Is -> type mismatch (expected hat, got shoe)",
        "│           └── ✗ Candidate #1 failed",
        "│               └── ✗ AND check failed",
        "│                   ├── ✓ Object is 'hat'",
        "│                   └── ✗ AlignedVertically -> Not AlignedVertically (diff=239.0)",
        "└── ✗ Candidate #1 failed",
        "    └── ✗ AND check failed",
        "        └── ✗ Is -> type mismatch (expected shoe, got hat)",
    ]
    triggered = verify(EVERY_SHOE, layout, "official").trace
    assert triggered is not None
    assert triggered.text == "✓ Forall ?x satisfied (Triggered 1 times)"
    vacuous = verify("(exists ?x (implies (Is ?x 'pen') (OnTopSide ?x)))", layout, "official").trace
    assert vacuous is not None
    assert "(Vacuously True)" in vacuous.text


def test_long_traces_are_cut() -> None:
    layout = scene(*(("cup", [10 * n, 0, 10 * n + 9, 9]) for n in range(90)))
    text = "(exists ?x (exists ?y (exists ?z (and (Is ?x 'cup') (Above ?x ?y) (Above ?y ?z)))))"
    for profile in PROFILES:
        trace = verify(text, layout, profile).trace
        assert trace is not None
        assert len(trace.text.splitlines()) <= MOST_LINES + 1
        assert str(trace.value(50)).count("message") <= 60


def test_formulas_of_maximum_depth_get_a_verdict() -> None:
    half = MAX_DEPTH // 2 - 1
    exists = "".join(f"(exists ?v{number} " for number in range(MAX_DEPTH - 2))
    chain = " ".join(f"(LeftOf ?v{number} ?v{number + 1})" for number in range(MAX_DEPTH - 3))
    every = "".join(f"(forall ?v{number} (implies (Is ?v{number} 'cup') " for number in range(half))
    layout = scene(*(("cup", [200 * n, 0, 200 * n + 9, 9]) for n in range(2)))
    for name, text in {
        "not": "(exists ?x " + "(not " * (MAX_DEPTH - 2) + "(OnTopSide ?x)" + ")" * (MAX_DEPTH - 1),
        "exists": exists + f"(and {chain})" + ")" * (MAX_DEPTH - 2),
        "every": every + "(OnTopSide ?v0)" + "))" * half,
        "condition": "(exists ?x "
        + "(forall ?y (implies " * half
        + "(OnTopSide ?x)"
        + " (OnTopSide ?x)))" * half
        + ")",
        "and": "(exists ?x " + "(and (OnTopSide ?x) (or " * half + "(OnTopSide ?x)" + "))" * half + ")",
    }.items():
        assert verify(text, layout, "official", work=100_000).status == "decided", name
        expected = "undecided" if name == "condition" else "decided"
        assert verify(text, layout, "strict", work=100_000).status == expected, name
