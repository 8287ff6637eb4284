"""A model as judge of rooms, end to end: a server on loopback that gets the pictures, knows what they show, and fails."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fcl", reason="rooms are measured with the extra scenes")

from model_server import Running
from room_judge import FIELDS, looks_of, room_judge
from rooms_of_ours import ROOMS, room, thing

from tsgkit.runs.evaluation import Finished, Options, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan
from tsgkit.runs.reopened import rescore
from tsgkit.suites.sceneeval import gallery
from tsgkit.suites.sceneeval.measuring import Rooms

BOTH = ("sceneeval/fidelity", "sceneeval/plausibility")
HEAD = "ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel"
ROW = (
    '0,easy,A bedroom.,"eq,1,bed; eq,2,lamp","eq,1,lamp,red; eq,1,sofa,green","eq,1,next_to,0,bed,lamp",'
    '"eq,1,against,bed,wall"'
)
OBJECTS = (
    thing("bed_1", "bed", (2, 1.98, 0), (1.6, 2, 0.5), attributes=["wooden"]),
    thing("lamp_1", "lamp", (0.8, 2.8, 0), (0.2, 0.2, 1.5), attributes=["red"], shape="cylinder"),
    thing("lamp_2", "lamp", (3.6, 0.4, 0), (0.25, 0.25, 1.2), attributes=["blue"], shape="cone"),
)
CALLS_OF_BOTH = {"match": 3, "attribute": 1, "object-relations": 1, "room-relations": 1, "support": 3, "sides": 1}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TSGKIT_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Smaller pictures, where many are taken and their size is not what is looked at."""
    monkeypatch.setattr(gallery, "SIZE", 128)
    return 128


@pytest.fixture
def bedroom(tmp_path: Path, small: int) -> Iterator[dict[str, Any]]:
    """A bedroom, its demands, and the options of a server that knows it."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/scene_0.json").write_text(room(*OBJECTS))
    (tmp_path / "a.csv").write_text(f"{HEAD}\n{ROW}\n")
    scene = Rooms(tmp_path / "mine").scene("0")
    assert scene is not None
    (tmp_path / "known.json").write_text(json.dumps(looks_of([scene])))
    yield {"known": str(tmp_path / "known.json"), "size": small}


def looked(server: Running | None, *, out: str = "run", cache: bool = False, **more: object) -> Finished:
    plan = {"tasks": BOTH, "scenes": ("mine=mine",), "judge": "openai/eye", "data": "a.csv", **more}
    if server is not None:
        plan["model_args"] = (f"api_base={server.base}", "api_key=sk-none")
    return evaluate(Plan.model_validate(plan), Options(out=Path(out), cache=cache), with_samples=True)


def samples(finished: Finished) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {
        (row["subject"], row["task"].removeprefix("sceneeval/"), one["item_id"]): one
        for row in finished.values
        for one in row["samples"]
    }


def told(finished: Finished) -> Any:  # noqa: ANN401
    """All verdicts, as both profiles have them."""
    found: dict[Any, Any] = {}
    for key, one in samples(finished).items():
        evidence = one["evidence"]
        if "specifications" in evidence:
            for spec in evidence["specifications"]:
                found[(*key, spec["text"])] = {name: of["satisfied"] for name, of in spec["profiles"].items()}
            found[(*key, "matched")] = evidence["matched"]
        else:
            for name, of in evidence["objects"].items():
                found[(*key, name)] = {
                    profile: (of[profile]["supported"], of[profile]["accessibility"]) for profile in of
                }
    return found


def labels(out: str = "run") -> Counter[str]:
    lines = [json.loads(line) for line in Path(out, CALLS).read_text().splitlines()]
    return Counter(line["label"] for line in lines)


def test_each_object_is_shown_in_pictures_of_512_pixels_and_every_question_is_asked_once(
    bedroom: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "SIZE", 512)
    scene = Rooms(tmp_path / "mine").scene("0")
    assert scene is not None
    (tmp_path / "known.json").write_text(json.dumps(looks_of([scene])))
    with room_judge(**bedroom | {"size": 512}) as server:
        finished = looked(server)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"], stats["schemas"], stats["kinds"]) == (0, [], 10, CALLS_OF_BOTH)
    assert {one["holds"] for one in stats["looked"]} == {"image/png"}
    assert labels() == Counter(
        {
            "local": 2,
            "sides": 1,
            "object relations": 1,
            "room relations": 1,
            "attribute eq,1,lamp,red": 1,
            **{f"{what} {name}": 1 for what in ("match", "support") for name in ("bed_1", "lamp_1", "lamp_2")},
        }
    )
    assert told(finished) == told(looked(None, out="rules", judge="rules"))


def alike(looks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """The categories of things that look the same as others: no picture tells what is what."""
    return {one["category"] for things in looks.values() if len(things) > 1 for one in things}


@pytest.mark.parametrize("kind", ["good", "flawed"])
def test_a_model_that_sees_all_there_is_says_of_every_bundled_room_what_rules_say(
    kind: str, small: int, tmp_path: Path
) -> None:
    folder = ROOMS / "rooms" / kind
    scenes = (Rooms(folder).scene(str(item)) for item in range(30))
    known = looks_of(scene for scene in scenes if scene is not None)
    (tmp_path / "known.json").write_text(json.dumps(known))
    ours = {"scenes": (f"mine={folder}",), "data": None}
    with room_judge(known=str(tmp_path / "known.json"), size=small) as server:
        finished = looked(server, **ours)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"]) == (0, [])
    mine, rules = told(finished), told(looked(None, out="rules", judge="rules", **ours))
    assert mine.keys() == rules.keys()
    different = {key: (mine[key], rules[key]) for key in rules if mine[key] != rules[key]}
    print(len(rules), len(different), alike(known["looks"]))
    for k, v in different.items():
        print(k, v)
    assert not different
