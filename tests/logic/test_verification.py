"""Verdicts: against plain evaluators, and crashes, zero triggers, rejected layouts, reasons and traces by example."""

from __future__ import annotations

import itertools
import pickle
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from logic import made_up_formulas, naive

from tsgkit.errors import UsageError
from tsgkit.logic.formula import MAX_DEPTH, text_of
from tsgkit.logic.layouts import LayoutProblem, layout_of
from tsgkit.logic.official import verify_official
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.verdicts import MOST_LINES, Profile
from tsgkit.logic.verification import verify

PROFILES: tuple[Profile, ...] = ("official", "strict")
PAIR = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'hat') ({} ?x ?y))))"
EVERY_SHOE = "(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))"
NO_BOX = "box_2d of 'hat' is not a list of four numbers"
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


def test_verdicts_change_at_edges_and_official_is_lax_where_the_published_verifier_is() -> None:
    rows: list[tuple[str, dict[str, Any], bool]] = [
        (PAIR.format("AlignedVertically"), scene(SHOE, ("hat", [100, 0, 200, 100])), False),
        (PAIR.format("AlignedVertically"), scene(("shoe", [0, 0, 100, 99]), ("hat", [99, 99, 199, 200])), True),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 100, 200, 200])), False),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 100, 202, 200])), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 667, 667])), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 666, 666])), False),
    ]
    for (text, layout, truth), profile in itertools.product(rows, PROFILES):
        assert verify(text, layout, profile).truth is truth, (text, layout, profile)
    inverted = scene(("shoe", [600, 0, 100, 100]), ("hat", [300, 0, 400, 100]))
    assert verify(PAIR.format("LeftOf"), inverted, "official").truth is True
    assert "expected 0 <= x1 < x2 <= 1000" in verify(PAIR.format("LeftOf"), inverted).reason
    layout = scene(("cup", [0, 0, 90, 90]), ("pen", [200, 0, 290, 90]), ("hat", [400, 0, 490, 90]))
    chained = "(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))"
    found = verify(chained, layout, "official")
    assert (found.truth, found.zero_triggers, verify(chained, layout).truth) == (False, 1, True)


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
        verdict = verify(formula, layout, distinct=distinct, grounded=grounded)
        wanted = naive.strict(formula, layout, distinct=distinct, grounded=grounded)
        assert verdict.truth == wanted, (text_of(formula), layout, distinct, grounded, verdict)
        assert (verdict.reason == "") == wanted
        assert verdict.trace is None or verdict.trace.truth == wanted
        seen.add((wanted, verdict.status))
        if number < WORDED:
            words.update(f"{verdict.reason} {verdict.trace and verdict.trace.text}".encode())
    assert seen == {(True, "decided"), (False, "decided"), (False, "rejected")}
    assert words.hexdigest()[:16] == "eeca2b6bde2705de", CHANGED


def test_official_verdict_is_false_where_the_published_verifier_crashes() -> None:
    layouts: list[tuple[Any, str]] = [
        (None, "the layout is not an object"),
        ({"objects": None}, "objects is not a list"),
        ({"objects": ["cup"]}, "object 0 is not an object"),
        (scene(SHOE, ("hat", [1, 2, 3])), NO_BOX),
        (scene(SHOE, ("hat", ["1", 2, 3, 4])), "box_2d of 'hat' contains a value that is not a number"),
        (scene(SHOE, ("hat", "box")), NO_BOX),
    ]
    for layout, detail in layouts:
        found = verify(EVERY_SHOE, layout, "official")
        told = (found.truth, found.status, found.reason, found.detail)
        assert told == (False, "crashed", "Syntax Error", detail), layout
    for text in (
        "(exists ?x (Likes ?x 'cup'))",
        "(exists ?x (Is ?x))",
        "(exists ?x (OnTopSide ?y))",
        "(exists ?x (implies (OnTopSide ?x)))",
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


def test_strict_rejects_malformed_layouts_with_the_reason_and_unusable_formulas() -> None:
    boxes: dict[str, list[Any]] = {
        "box_2d is missing": [None],
        "expected four finite numbers": [
            [1, 2, 3], [0, 0, 10, 10, 10], [0, 0, "10", 10], [0, 0, True, 10],
            [0, 0, float("nan"), 10], [0, 0, float("inf"), 10],
        ],
        "expected 0 <= x1 < x2 <= 1000": [[0, 0, 10**5000, 10], [10, 0, 10, 10], [-1, 0, 10, 10]],
        "expected 0 <= y1 < y2 <= 1000": [[0, -1, 10, 10], [0, 0, 10, 1000.5]],
    }  # fmt: skip
    for reason, box in ((reason, box) for reason, some in boxes.items() for box in some):
        verdict = verify("(exists ?x (Is ?x 'hat'))", scene(SHOE, ("hat", box)))
        assert (verdict.truth, verdict.status) == (False, "rejected"), reason
        assert (reason in verdict.reason, "object 1 (hat)" in verdict.reason) == (True, True), verdict.reason
    values: list[Any] = [None, [], {"objects": 1}, {"objects": [1]}, {"objects": [{"label": 5}]}]
    for value in values:
        assert verify("(exists ?x (Is ?x 'hat'))", value).status == "rejected", value
        with pytest.raises(LayoutProblem):
            layout_of(value)
    formula = parse("(exists ?x (Is ?x 'hat'))")
    touching, half, more = (scene(SHOE, ("hat", [x, 0, x + 100, 100])) for x in (100, 50, 49))
    assert verify(formula, touching).truth is True
    assert "objects 0 and 1 (the shoe, the hat) overlap" in verify(formula, half).reason
    assert verify(formula, half, grounded=True).truth is True
    assert "more than half of the smaller" in verify(formula, more, grounded=True).reason
    value = scene(("shoe", [0, 0, 100, 100], "red"))
    assert layout_of(value).value == value
    shoes = scene(SHOE, ("hat", [500, 0, 600, 100]), ("shoe", [0, 200, 9, 209]))
    for profile in PROFILES:
        assert verify("(exists ?x (Has ?x 'red'))", layout_of(value), profile).truth is True
        verdict = verify(PAIR.format("LeftOf"), shoes, profile)
        assert pickle.loads(pickle.dumps(verdict)).value() == verdict.value()  # noqa: S301
    for text in ("(exists ?x (HasState ?x 'open'))", "(OnTopSide ?x)", "(exists ?x (Is ?x ?x))", "(exists ?x (Is ?x))"):
        with pytest.raises(UsageError):
            verify(text, scene(SHOE))
    with pytest.raises(FormulaProblem):
        verify("(exists ?x", scene(SHOE))
    with pytest.raises(UsageError, match="no profile"):
        verify(EVERY_SHOE, scene(SHOE), "lenient")  # type: ignore[arg-type]


def test_verdict_is_undecided_beyond_the_work_limit_and_at_the_maximum_depth_there_is_one() -> None:
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
    half = MAX_DEPTH // 2 - 1
    exists = "".join(f"(exists ?v{number} " for number in range(MAX_DEPTH - 2))
    chain = " ".join(f"(LeftOf ?v{number} ?v{number + 1})" for number in range(MAX_DEPTH - 3))
    every = "".join(f"(forall ?v{number} (implies (Is ?v{number} 'cup') " for number in range(half))
    layout = scene(*(("cup", [200 * n, 0, 200 * n + 9, 9]) for n in range(2)))
    for name, text in {
        "not": "(exists ?x " + "(not " * (MAX_DEPTH - 2) + "(OnTopSide ?x)" + ")" * (MAX_DEPTH - 1),
        "exists": exists + f"(and {chain})" + ")" * (MAX_DEPTH - 2),
        "every": every + "(OnTopSide ?v0)" + "))" * half,
        "condition": f"(exists ?x {'(forall ?y (implies ' * half}(OnTopSide ?x){' (OnTopSide ?x)))' * half})",
        "and": "(exists ?x " + "(and (OnTopSide ?x) (or " * half + "(OnTopSide ?x)" + "))" * half + ")",
    }.items():
        assert verify(text, layout, "official", work=100_000).status == "decided", name
        expected = "undecided" if name == "condition" else "decided"
        assert verify(text, layout, "strict", work=100_000).status == expected, name


def test_reasons_name_the_smallest_unsatisfied_part_and_long_traces_are_cut() -> None:
    layout = scene(("cup", [0, 0, 90, 90], "red"), ("cup", [420, 0, 520, 90], "red"), ("pen", [300, 100, 500, 120]))
    below = "(exists ?p (and (Is ?p 'pen') (exists ?c (and (Is ?c 'cup') (Has ?c 'red') (Below ?c ?p)))))"
    for text, where, reason in (
        (below, layout, "no cup is below the pen: cup_1 begins at y = 0, the pen's centre is at y = 110"),
        (EVERY_SHOE, layout, "what is said of every one applies to nothing: there is no shoe"),
        (EVERY_SHOE, scene(), "there are no objects, so that nothing is said of every one"),
        ("(Equals (Count ?c (Is ?c 'cup')) 3)", layout, "it is not so that the number of cups is 3: counted 2"),
    ):
        assert verify(text, where).reason == reason
    row = scene(*(("cup", [10 * n, 0, 10 * n + 9, 9]) for n in range(90)))
    trace = verify("(forall ?x (implies (Is ?x 'cup') (OnTopSide ?x)))", row).trace
    assert trace is not None
    assert [trace.text.splitlines()[n] for n in (0, 1, 2, -1)] == [
        "✓ for every cup: the cup is on the top side",
        "├── ✓ for cup_1",
        "│   └── ✓ the condition applies, and what follows holds",
        "└── ✓ and for 85 more",
    ]
    text = "(exists ?x (exists ?y (exists ?z (and (Is ?x 'cup') (Above ?x ?y) (Above ?y ?z)))))"
    for profile in PROFILES:
        trace = verify(text, row, profile).trace
        assert trace is not None
        assert len(trace.text.splitlines()) <= MOST_LINES + 1
        assert str(trace.value(50)).count("message") <= 60
