"""Property tests of verdicts: bounds, and invariance under the order of objects."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from furnished_rooms import AS_IT_IS
from hypothesis import given, settings
from hypothesis import strategies as st
from rooms_of_ours import SCENE_TASKS

from tsgkit.geometry import Object, Opening, Primitive, Scene
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.judges.rules import RulesJudge
from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene
from tsgkit.suites.transcript import local

CATEGORIES = ("bed", "lamp", "chair")
OPENINGS = (Opening("door", (1, 0), (2, 2)), Opening("window", (4, 1), (5, 2)))
PAIRS = ("next_to", "near", "left", "in_front_of", "facing", "on", "above", "beside", "across_from", "far_from")
BUILT = ("against,lamp,wall", "next_to,chair,door", "in_corner,bed,room", "in,lamp,room", "in_middle_of,chair,room")
JUDGE = RulesJudge()


class Piece(NamedTuple):
    """An object to place. Each object is 2 mm higher above the floor than the one before it."""

    category: str
    kind: Any
    size: tuple[float, float, float]
    at: tuple[float, float]
    yaw: float
    scale: float


metres = st.integers(2, 12).map(lambda n: n / 10)
away = st.integers(-300, 300).map(lambda n: n / 97)
pieces = st.lists(
    st.builds(
        Piece,
        st.sampled_from(CATEGORIES),
        st.sampled_from(["box", "cylinder", "cone"]),
        st.tuples(metres, metres, metres),
        st.tuples(away, away),
        st.integers(0, 23).map(lambda n: 15.0 * n),
        st.sampled_from([1.0, 0.5, 2.0]),
    ),
    max_size=4,
)


def demands(quantity: str = "ge", n: int = 1) -> Annotation:
    head = f"{quantity},{n}"
    pairs = [f"{head},{phrase},0,bed,lamp" for phrase in PAIRS] + [f"{head},surround,0,bed,chair:0,chair:1,chair:2"]
    counts = [f"{head},{name}" for name in CATEGORIES]
    return annotation_of("0", "easy", "A room.", counts, [f"{head},bed,red"], pairs, [f"{head},{one}" for one in BUILT])


def room(listed: list[Piece], *, backwards: bool = False) -> LoadedScene:
    things: list[Object] = []
    for n, piece in enumerate(listed):
        wide, deep, high = (side / piece.scale for side in piece.size)
        place = (*piece.at, piece.size[2] / 2 + 0.002 * n)
        shape = Primitive(piece.kind, (wide, deep, high))
        name = f"{piece.category}_{n}"
        things.append(AS_IT_IS.thing(name, shape, place, yaw=piece.yaw, scale=piece.scale, category=piece.category))
    listed_as = {thing.id: ("red",) for thing in things[::2]}
    ordered = tuple(things[::-1] if backwards else things)
    return LoadedScene(Scene("room", ordered, AS_IT_IS.room(6, 6, openings=OPENINGS)), listed_as)


def with_one_more(furnished: LoadedScene, more: Object) -> LoadedScene:
    return replace(furnished, scene=replace(furnished.scene, objects=(*furnished.scene.objects, more)))


def measured(kind: str, furnished: LoadedScene, wanted: Annotation) -> dict[str, Any]:
    task = SCENE_TASKS[kind]

    async def looked() -> Any:  # noqa: ANN401  (what a task makes of it)
        return await task.ask_judge(wanted, furnished, JUDGE, None)

    return task.measure(wanted, furnished, asyncio.run(looked()))


def fidelity(furnished: LoadedScene, wanted: Annotation, profile: str = "strict") -> dict[str, dict[str, Any]]:
    found = measured("fidelity", furnished, wanted)["specifications"]
    return {one["text"]: one["profiles"][profile] for one in found}


@given(pieces, st.sampled_from(["eq", "lt", "gt", "le", "ge"]), st.integers(0, 3))
@settings(max_examples=8)
def test_scores_are_shares_and_evidence_is_json(listed: list[Piece], quantity: str, n: int) -> None:
    wanted = demands(quantity, n)
    for kind, task in SCENE_TASKS.items():
        value = json.dumps({"found": "seen", **measured(kind, room(listed), wanted)})
        found = task.judge(wanted, local(value))
        assert str(found.outcome) == "answered"
        for scores in found.scores.values():
            for name in task.metrics:
                assert scores[name].weight >= 0
                assert 0 <= (scores[name].value or 0) <= 1


@given(pieces)
@settings(max_examples=8)
def test_verdicts_are_invariant_under_the_order_of_objects(listed: list[Piece]) -> None:
    rooms = room(listed), room(listed, backwards=True)
    here, there = (fidelity(furnished, demands()) for furnished in rooms)
    for field in ("count", "satisfied"):
        assert {text: one[field] for text, one in here.items()} == {text: one[field] for text, one in there.items()}
    one, other = (measured("plausibility", furnished, demands())["profiles"]["strict"] for furnished in rooms)
    for name, thing in one["objects"].items():
        for field in ("in_collision", "supported", "support_type", "out_of_bounds"):
            assert thing[field] == other["objects"][name][field], (name, field)
        assert thing["accessibility"] == pytest.approx(other["objects"][name]["accessibility"], abs=0.02), name


@given(pieces)
@settings(max_examples=8)
def test_distant_unrelated_object_changes_no_verdict(listed: list[Piece]) -> None:
    fridge = AS_IT_IS.thing("fridge_1", (0.6, 0.6, 1.8), (50, 50, 0.9), category="refrigerator")
    before, after = fidelity(room(listed), demands()), fidelity(with_one_more(room(listed), fridge), demands())
    for text in before:
        assert after[text]["satisfied"] == before[text]["satisfied"], text
        assert after[text]["count"] == before[text]["count"], text


@given(
    pieces,
    st.integers(0, 3),
    st.sampled_from(CATEGORIES),
    st.tuples(away, away),
    st.sampled_from(["strict", "official"]),
)
@settings(max_examples=8)
def test_at_least_demand_stays_met_with_one_more_object(
    listed: list[Piece], n: int, category: str, at: tuple[float, float], profile: str
) -> None:
    more = AS_IT_IS.thing(f"{category}_more", (0.5, 0.4, 0.8), (*at, 0.4), category=category)
    before = fidelity(room(listed), demands("ge", n), profile)
    furnished = with_one_more(room(listed), more)
    furnished = replace(furnished, attributes={**furnished.attributes, more.id: ("green",)})
    after = fidelity(furnished, demands("ge", n), profile)
    assert all(after[text]["satisfied"] for text in before if before[text]["satisfied"])
    assert all((after[text]["count"] or 0) >= (before[text]["count"] or 0) for text in before if before[text]["count"])
