"""Verdicts: the worked examples, crashes, zero triggers, rejected layouts, reasons and traces."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import pytest

from tsgkit.errors import UsageError
from tsgkit.logic.formula import MAX_DEPTH
from tsgkit.logic.layouts import Layout, LayoutProblem, layout_of, overlaps
from tsgkit.logic.parser import FormulaProblem, parse
from tsgkit.logic.verdicts import MOST_LINES
from tsgkit.logic.verification import verify

ON_TOP = "(exists ?x (and (Is ?x 'scissors') (OnTopSide ?x)))"
PAIR = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'hat') ({} ?x ?y))))"
EVERY_SHOE = "(forall ?x (implies (Is ?x 'shoe') (OnTopSide ?x)))"
TWO_SHOES = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'shoe') (AlignedVertically ?x ?y))))"


def scene(*things: tuple[Any, ...]) -> dict[str, Any]:
    """Label, box and perhaps a colour of each."""
    keys = ("label", "box_2d", "color")
    return {"objects": [dict(zip(keys, thing, strict=False)) for thing in things]}


SHOE = ("shoe", [0, 0, 100, 100])


@pytest.mark.parametrize(
    ("text", "layout", "truth"),
    [
        (ON_TOP, scene(("scissors", [100, 100, 200, 200])), True),
        (ON_TOP, scene(("scissors", [100, 400, 200, 600])), False),
        (PAIR.format("AlignedVertically"), scene(SHOE, ("hat", [100, 0, 200, 100])), False),
        (PAIR.format("AlignedVertically"), scene(SHOE, ("hat", [99, 0, 199, 100])), True),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 0, 200, 100])), False),
        (PAIR.format("LeftOf"), scene(SHOE, ("hat", [0, 0, 202, 100])), True),
        (EVERY_SHOE, scene(("hat", [0, 0, 100, 100])), False),
        ("(forall ?x (or (not (Is ?x 'shoe')) (OnTopSide ?x)))", scene(("hat", [0, 0, 100, 100])), True),
        ("(not (exists ?x (Is ?x 'shoe')))", scene(), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 667, 667])), True),
        ("(exists ?x (InCenter ?x))", scene(("hat", [0, 0, 666, 666])), False),
        (TWO_SHOES, scene(SHOE), True),
    ],
)
def test_verify_gives_expected_verdicts(text: str, layout: dict[str, Any], truth: bool) -> None:
    assert verify(text, layout, "official").truth is truth
    if not list(overlaps(tuple(thing.box for thing in _boxes(layout)))):
        assert verify(text, layout, "strict").truth is truth


def _boxes(layout: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(layout_of({"objects": [one]}).objects[0] for one in layout["objects"])


@pytest.mark.parametrize(
    "layout",
    [
        None,
        [],
        {"objects": None},
        {"objects": {}},
        {"objects": ["cup"]},
        scene(SHOE, ("hat", [1, 2, 3])),
        scene(SHOE, ("hat", ["1", 2, 3, 4])),
        scene(SHOE, ("hat", "box")),
    ],
)
def test_official_verdict_is_false_where_the_published_verifier_crashes(layout: Any) -> None:  # noqa: ANN401
    verdict = verify(EVERY_SHOE, layout, "official")
    assert (verdict.truth, verdict.status, verdict.reason) == (False, "crashed", "Syntax Error")
    assert verdict.detail


@pytest.mark.parametrize(
    "text",
    [
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
        "cup",
    ],
)
def test_official_crashes_only_when_evaluation_reaches_the_fault(text: str) -> None:
    assert verify(text, scene(SHOE), "official").status == "crashed"
    if text != "cup":
        assert verify(text, scene(), "official").status == "decided"
        assert verify(f"(or (forall ?z (Is ?z 'shoe')) {text})", scene(SHOE), "official").truth is True


def test_official_ignores_missing_box_until_a_position_is_needed() -> None:
    layout = scene(SHOE, ("hat",))
    assert verify("(exists ?x (Is ?x 'hat'))", layout, "official").truth is True
    assert verify(PAIR.format("LeftOf"), layout, "official").status == "crashed"
    assert verify("(exists ?x (Is ?x 'hat'))", layout, "strict").status == "rejected"


def test_inverted_boxes_are_left_and_right_of_the_same_in_official_only() -> None:
    layout = scene(("shoe", [600, 0, 100, 100]), ("hat", [300, 0, 400, 100]))
    text = "(exists ?x (exists ?y (and (Is ?x 'shoe') (Is ?y 'hat') (LeftOf ?x ?y) (RightOf ?x ?y))))"
    assert verify(text, layout, "official").truth is True
    assert "expected 0 <= x1 < x2 <= 1000" in verify(text, layout).reason


def test_nested_foralls_are_separate_in_official_and_one_in_strict() -> None:
    layout = scene(("cup", [0, 0, 90, 90]), ("pen", [200, 0, 290, 90]), ("hat", [400, 0, 490, 90]))
    text = "(forall ?x (forall ?y (implies (and (Is ?x 'cup') (Is ?y 'pen')) (LeftOf ?x ?y))))"
    assert verify(text, layout, "official").zero_triggers == 1
    assert verify(text, layout, "official").truth is False
    assert verify(text, layout, "strict").truth is True
    nested = "(forall ?x (implies (Is ?x 'cup') (forall ?y (implies (Is ?y 'pen') (LeftOf ?x ?y)))))"
    assert verify(nested, layout, "official").truth is verify(nested, layout).truth is True


def test_lifting_can_expose_a_vacuous_implication() -> None:
    text = "(forall ?x (exists ?y (and (implies (Is ?x 'shoe') (OnTopSide ?x)))))"
    layout = scene(("hat", [0, 0, 100, 100]))
    assert verify(text, layout, "official").truth is False
    assert verify(text, layout, "strict").truth is True


@pytest.mark.parametrize(
    ("box", "said"),
    [
        (None, "box_2d is missing"),
        ([1, 2, 3], "box_2d is [1, 2, 3], expected four finite numbers"),
        ([0, 0, 10, 10, 10], "expected four finite numbers"),
        ([0, 0, "10", 10], "expected four finite numbers"),
        ([0, 0, True, 10], "expected four finite numbers"),
        ([0, 0, float("nan"), 10], "expected four finite numbers"),
        ([0, 0, float("inf"), 10], "expected four finite numbers"),
        ([0, 0, 10**5000, 10], "expected 0 <= x1 < x2 <= 1000"),
        ([10, 0, 10, 10], "expected 0 <= x1 < x2 <= 1000"),
        ([0, -1, 10, 10], "expected 0 <= y1 < y2 <= 1000"),
        ([0, 0, 10, 1000.5], "expected 0 <= y1 < y2 <= 1000"),
    ],
)
def test_malformed_boxes_are_rejected_with_the_reason(box: Any, said: str) -> None:  # noqa: ANN401
    verdict = verify("(exists ?x (Is ?x 'hat'))", scene(SHOE, ("hat", box)))
    assert (verdict.truth, verdict.status) == (False, "rejected")
    assert said in verdict.reason
    assert "object 1 (hat)" in verdict.reason


@pytest.mark.parametrize("value", [None, [], {"objects": 1}, {"objects": [1]}, {"objects": [{"label": 5}]}])
def test_strict_rejects_values_that_are_not_layouts(value: object) -> None:
    assert verify("(exists ?x (Is ?x 'hat'))", value).status == "rejected"
    with pytest.raises(LayoutProblem):
        layout_of(value)


def test_boxes_may_touch_and_grounded_boxes_may_overlap_a_little() -> None:
    formula = parse("(exists ?x (Is ?x 'hat'))")
    touching, half, more = (scene(SHOE, ("hat", [x, 0, x + 100, 100])) for x in (100, 50, 49))
    assert verify(formula, touching).truth is True
    assert "objects 0 and 1 (the shoe, the hat) overlap" in verify(formula, half).reason
    assert verify(formula, half, grounded=True).truth is True
    assert "more than half of the smaller" in verify(formula, more, grounded=True).reason


def test_verify_accepts_layout_objects_and_layout_value_round_trips() -> None:
    value = scene(("shoe", [0, 0, 100, 100], "red"))
    layout = layout_of(value)
    assert layout.value == value
    assert isinstance(layout, Layout)
    for profile in ("official", "strict"):
        assert verify("(exists ?x (Has ?x 'red'))", layout, profile).truth is True


def test_distinct_variables_stand_for_distinct_objects() -> None:
    assert verify(TWO_SHOES, scene(SHOE), distinct=True).truth is False
    assert verify(TWO_SHOES, scene(SHOE, ("shoe", [0, 200, 100, 300])), distinct=True).truth is True


def test_strict_refuses_formulas_that_layouts_cannot_decide() -> None:
    for text in ("(exists ?x (HasState ?x 'open'))", "(OnTopSide ?x)", "(exists ?x (Is ?x ?x))", "(exists ?x (Is ?x))"):
        with pytest.raises(UsageError):
            verify(text, scene(SHOE))
    with pytest.raises(FormulaProblem):
        verify("(exists ?x", scene(SHOE))
    with pytest.raises(UsageError, match="no profile"):
        verify(EVERY_SHOE, scene(SHOE), "lenient")  # type: ignore[arg-type]


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_verdict_is_undecided_beyond_the_work_limit(profile: Any) -> None:  # noqa: ANN401
    layout = scene(*((label, [x, y, x + 9, y + 9]) for x, label in enumerate("abc") for y in range(0, 100, 10)))
    layout = scene(*(("cup", [10 * n, 0, 10 * n + 9, 9]) for n in range(20)))
    text = "(exists ?x (exists ?y (exists ?z (and (LeftOf ?x ?y) (LeftOf ?y ?z) (LeftOf ?z ?x)))))"
    verdict = verify(text, layout, profile, work=100)
    assert (verdict.truth, verdict.status) == (None, "undecided")
    assert verify(text, layout, profile).truth is False


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_nested_exists_over_one_class_take_polynomial_work(profile: Any) -> None:  # noqa: ANN401
    labels = "abcdefgh"
    names = [f"?{label}" for label in labels] + ["?missing"]
    atoms = [f"(Is ?{label} '{label}')" for label in labels] + ["(Is ?missing 'missing')"]
    atoms += [f"(Above {one} {other})" for one, other in itertools.pairwise(names)]
    text = "".join(f"(exists {name} " for name in names) + f"(and {' '.join(atoms)})" + ")" * len(names)
    rows = [
        (label, [10 * copy, 100 * row, 10 * copy + 10, 100 * row + 50])
        for row, label in enumerate(labels)
        for copy in range(4)
    ]
    verdict = verify(text, scene(*rows), profile)
    assert verdict.truth is False
    assert verdict.work < 32**2 * 40


def test_reasons_name_the_smallest_unsatisfied_part() -> None:
    layout = scene(("cup", [0, 0, 90, 90], "red"), ("cup", [420, 0, 520, 90], "red"), ("pen", [300, 100, 500, 120]))
    left = "(exists ?p (and (Is ?p 'pen') (exists ?c (and (Is ?c 'cup') (Has ?c 'red') (Below ?c ?p)))))"
    assert verify(left, layout).reason == (
        "no cup is below the pen: cup_1 begins at y = 0, the pen's centre is at y = 110"
    )
    assert verify("(exists ?x (Is ?x 'fork'))", layout).reason == "there is no fork"
    assert verify("(forall ?c (implies (Is ?c 'cup') (OnLeftSide ?c)))", scene(("cup", [600, 0, 700, 9]))).reason == (
        "the cup is not on the left side: its centre is at x = 650, the middle at 500"
    )
    assert verify(EVERY_SHOE, layout).reason == "what is said of every one applies to nothing: there is no shoe"
    assert verify(EVERY_SHOE, scene()).reason == "there are no objects, so that nothing is said of every one"
    assert verify("(not (exists ?c (Is ?c 'pen')))", layout).reason == "the pen is what must not be: the pen is a pen"
    assert verify("(Equals (Count ?c (Is ?c 'cup')) 3)", layout).reason == (
        "it is not so that the number of cups is 3: counted 2"
    )


def test_traces_show_satisfied_conjuncts_and_figures() -> None:
    layout = scene(("cup", [0, 0, 90, 90], "red"), ("pen", [300, 100, 500, 120]))
    trace = verify("(exists ?c (exists ?p (and (Is ?c 'cup') (Is ?p 'pen') (LeftOf ?c ?p))))", layout).trace
    assert trace is not None
    assert trace.text.splitlines() == [
        "✓ the cup is such a cup",
        "├── ✓ the cup is a cup",
        "└── ✓ the pen is such a pen",
        "    ├── ✓ the pen is a pen",
        "    └── ✓ the cup is left of the pen: the cup ends at x = 90, the pen's centre is at x = 400",
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
    for profile in ("official", "strict"):
        trace = verify(text, layout, profile).trace
        assert trace is not None
        assert len(trace.text.splitlines()) <= MOST_LINES + 1
        assert str(trace.value(50)).count("message") <= 60


def deepest(kind: str) -> str:
    """Return a formula of the greatest depth there may be."""
    if kind == "not":
        return "(exists ?x " + "(not " * (MAX_DEPTH - 2) + "(OnTopSide ?x)" + ")" * (MAX_DEPTH - 1)
    if kind == "exists":
        heads = [f"(exists ?v{number} " for number in range(MAX_DEPTH - 2)]
        atoms = " ".join(f"(LeftOf ?v{number} ?v{number + 1})" for number in range(MAX_DEPTH - 3))
        return "".join(heads) + f"(and {atoms})" + ")" * len(heads)
    if kind == "every":
        heads = [f"(forall ?v{number} (implies (Is ?v{number} 'cup') " for number in range(MAX_DEPTH // 2 - 1)]
        return "".join(heads) + "(OnTopSide ?v0)" + "))" * len(heads)
    if kind == "condition":
        return "(exists ?x " + "(forall ?y (implies " * 49 + "(OnTopSide ?x)" + " (OnTopSide ?x)))" * 49 + ")"
    return "(exists ?x " + "(and (OnTopSide ?x) (or " * 49 + "(OnTopSide ?x)" + "))" * 49 + ")"


@pytest.mark.parametrize("kind", ["not", "exists", "every", "condition", "and"])
@pytest.mark.parametrize("profile", ["official", "strict"])
def test_formulas_of_maximum_depth_get_a_verdict(kind: str, profile: Any) -> None:  # noqa: ANN401
    verdict = verify(deepest(kind), scene(*(("cup", [200 * n, 0, 200 * n + 9, 9]) for n in range(2))), profile)
    assert verdict.status == ("undecided" if (kind, profile) == ("condition", "strict") else "decided")


def test_strict_searches_in_the_cheapest_order() -> None:
    leaves = [f"?leaf{number}" for number in range(8)]
    atoms = [f"(LeftOf {leaf} ?hub)" for leaf in leaves] + [f"(Is {leaf} 'cup')" for leaf in leaves]
    heads = "".join(f"(exists {name} " for name in [*leaves, "?hub"])
    text = heads + f"(and (Is ?hub 'pen') {' '.join(atoms)})" + ")" * 9
    layout = scene(*(("cup", [500 + 20 * n, 0, 510 + 20 * n, 9]) for n in range(20)), ("pen", [0, 0, 9, 9]))
    verdict = verify(text, layout)
    assert verdict.status == "decided"
    assert verdict.reason == (
        "no cup fits; nearest comes cup_1, but "
        "cup_1 is left of no pen: cup_1 ends at x = 510, the pen's centre is at x = 4.5"
    )


@pytest.mark.parametrize("profile", ["official", "strict"])
def test_verdicts_can_be_pickled(profile: Any) -> None:  # noqa: ANN401
    verdict = verify(
        PAIR.format("LeftOf"), scene(SHOE, ("hat", [500, 0, 600, 100]), ("shoe", [0, 200, 9, 209])), profile
    )
    again = pickle.loads(pickle.dumps(verdict))  # noqa: S301
    assert again.value() == verdict.value()
