"""Tests of the model judge of scenes against a loopback server that knows the rooms and can fail."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from amount import some


from model_server import Running
from room_judge import looks_of, room_judge
from rooms_of_ours import ROOMS, SCENE_TASKS, room, thing

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.geometry import MeasuredScene, RenderedImage, View, view
from tsgkit.llm.reply import Reply
from tsgkit.runs.evaluation import EvaluationOutcome, Options, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval import scenes
from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.judges.model import MOST_IN_MEMORY, ModelJudge
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.loaded_scene import TimeLimit, TooLong
from tsgkit.suites.sceneeval.scenes import SceneFolder, judge_named, judge_scene, measured_alone

SMALL = 64
"""Pixels a side of images, where many are taken and their size is not what is looked at."""
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
Verdicts = dict[Any, Any]
CALLS_OF_BOTH = {"match": 3, "attribute": 1, "object-relations": 1, "room-relations": 1, "support": 3, "sides": 1}


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TSGKIT_CACHE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Use smaller images."""
    monkeypatch.setattr(gallery, "SIZE", SMALL)
    return SMALL


def write_bedroom(folder: Path) -> None:
    (folder / "mine").mkdir()
    (folder / "mine/scene_0.json").write_text(room(*OBJECTS))
    (folder / "a.csv").write_text(f"{HEAD}\n{ROW}\n")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Verdicts]]:
    """Yield the server's knowledge of the bedroom, and the verdicts of rules on it."""
    folder = tmp_path_factory.mktemp("world")
    write_bedroom(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery, "SIZE", SMALL)
        patch.setenv("TSGKIT_CACHE_HOME", str(folder / "cache"))
        patch.chdir(folder)
        scene = SceneFolder(folder / "mine").scene("0")
        assert scene is not None
        (folder / "known.json").write_text(json.dumps(looks_of([scene])))
        yield str(folder / "known.json"), told(looked(None, out="rules", judge="rules"))


@pytest.fixture
def by_rules(world: tuple[str, Verdicts]) -> Verdicts:
    """Return all verdicts of rules on the bedroom."""
    return world[1]


@pytest.fixture
def bedroom(world: tuple[str, Verdicts], tmp_path: Path, small: int) -> dict[str, Any]:
    """Set up a bedroom with its demands in the working folder. Return the options of a server that knows it."""
    write_bedroom(tmp_path)
    return {"known": world[0], "size": small}


def looked(
    server: Running | None,
    *,
    out: str = "run",
    cache: bool = False,
    new: bool = False,
    limits: Limits | None = None,
    executor: str | None = None,
    **more: object,
) -> EvaluationOutcome:
    plan = {"tasks": BOTH, "scenes": ("mine=mine",), "judge": "openai/eye", "data": "a.csv", **more}
    if server is not None:
        plan["model_args"] = (f"api_base={server.base}", "api_key=sk-none")
    return evaluate(
        Plan.model_validate(plan),
        Options(out=Path(out), new=new, cache=cache, limits=limits or Limits(), executor=executor),
        with_samples=True,
    )


def samples(finished: EvaluationOutcome) -> dict[tuple[str, str, str], dict[str, Any]]:
    return {
        (row["subject"], row["task"].removeprefix("sceneeval/"), one["item_id"]): one
        for row in finished.values
        for one in row["samples"]
    }


def told(finished: EvaluationOutcome) -> Verdicts:
    """Return all verdicts in both profiles."""
    found: Verdicts = {}
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


@pytest.mark.slow
def test_each_object_is_shown_in_images_of_512_pixels_and_every_question_is_asked_once(
    bedroom: dict[str, Any], by_rules: Verdicts, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gallery, "SIZE", 512)
    scene = SceneFolder(tmp_path / "mine").scene("0")
    assert scene is not None
    (tmp_path / "known.json").write_text(json.dumps(looks_of([scene])))
    with room_judge(known=str(tmp_path / "known.json"), size=512) as server:
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
    assert told(finished) == by_rules


@pytest.mark.parametrize(
    ("cache", "new"),
    [
        (False, False),
        pytest.param(True, True, marks=pytest.mark.slow),
        pytest.param(False, True, marks=pytest.mark.slow),
    ],
)
def test_relation_meanings_are_asked_once_per_run_for_all_folders(
    cache: bool, new: bool, bedroom: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/scene_0.json").write_text(room(*OBJECTS[:2], OBJECTS[2] | {"at": [3.4, 0.6, 0]}))
    scenes = [SceneFolder(tmp_path / name).scene("0") for name in ("mine", "theirs")]
    (tmp_path / "both.json").write_text(json.dumps(looks_of([scene for scene in scenes if scene is not None])))
    folders: dict[str, Any] = {"scenes": ("mine=mine", "theirs=theirs"), "tasks": BOTH[:1]}
    with room_judge(**bedroom | {"known": str(tmp_path / "both.json")}) as server:
        for number in (1, 2):
            looked(server, out=f"run{number}", cache=cache, new=new, **folders)
            kinds = server.stats()["kinds"]
            assert (kinds["object-relations"], kinds["room-relations"]) == (number, number)
            assert labels(f"run{number}")["object relations"] == 2, "each sample has its own record of it"
        looked(server, out="run2", cache=cache, **folders)
        assert server.stats()["kinds"] == kinds


def boxes(folder: Path, count: int) -> None:
    """Write a room as after a conversion: ``count`` boxes without materials, and one with."""
    plain = [thing(f"bed_{n}", "bed", (1 + 2 * n, 1, 0), (1, 1, 0.5)) for n in range(count)]
    (folder / "mine/scene_0.json").write_text(room(*plain, OBJECTS[1]))


def test_model_judges_rooms_of_bare_boxes_only_on_request(
    bedroom: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    boxes(tmp_path, 2)
    with room_judge(**bedroom) as server:
        words = [
            "eval",
            "--task",
            BOTH[0],
            "--scenes",
            "mine=mine",
            "--data",
            "a.csv",
            "--judge",
            "openai/eye",
            "--quiet",
        ]
        words += [
            "--model-arg",
            f"api_base={server.base}",
            "--model-arg",
            "api_key=sk-none",
            "--no-cache",
            "--out",
            "run",
        ]
        for more in ([], ["--missing", "box"], ["--dry-run"]):
            assert main([*words, *more]) == 2
            said = capsys.readouterr().err
            assert "mine: 2 of 3 objects are bare boxes, as conversions leave them" in said
            assert all(way in said for way in ("--assets LAYOUT=DIR", "--judge rules", "--boxes"))
        assert (server.stats()["kinds"], (tmp_path / "run").exists()) == ({}, False)
        assert main([*words, "--boxes", "--dry-run"]) == 0
        boxes(tmp_path, 1)
        assert main([*words, "--dry-run"]) == 0, "half of them is not most of them"
    boxes(tmp_path, 2)
    assert looked(None, out="by-rules", judge="rules").exit_code == 0


LOOK_ALIKE = {"21": {"washing machine", "dryer"}}
"""Things that look the same, beside their attributes: in these items no image tells what is what."""


def explained(looks: dict[str, list[dict[str, Any]]]) -> set[str]:
    """Return the items in which a thing really looks like another one that is named."""
    kinds = [
        {f"{word} {one['category']}".strip() for one in things for word in ("", *(one["attributes"] or ()))}
        for things in looks.values()
    ]
    return {item for item, alike in LOOK_ALIKE.items() if any(alike <= found for found in kinds)}


@pytest.fixture
def drawn_once(small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cache rendered images. Rendering the same room again gives the same bytes."""
    drawn: dict[tuple[str, str, str], RenderedImage] = {}

    def once(stage: MeasuredScene, kind: View, name: str, size: int) -> RenderedImage:
        key = (stage.scene.name, kind, name)
        if key not in drawn:
            drawn[key] = view(stage, kind, name, size)
        return drawn[key]

    monkeypatch.setattr(gallery, "view", once)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["good", "flawed"])
def test_omniscient_model_judge_agrees_with_rules_on_bundled_rooms(
    kind: str, small: int, drawn_once: None, tmp_path: Path
) -> None:
    folder = ROOMS / "rooms" / kind
    scenes = (SceneFolder(folder).scene(str(item)) for item in range(30))
    known = looks_of(scene for scene in scenes if scene is not None)
    (tmp_path / "known.json").write_text(json.dumps(known))
    ours: dict[str, Any] = {"scenes": (f"mine={folder}",), "data": None}
    with room_judge(known=str(tmp_path / "known.json"), size=small) as server:
        finished = looked(server, **ours)
        stats = server.stats()
    assert (finished.exit_code, stats["wrong"]) == (0, [])
    mine, rules = told(finished), told(looked(None, out="rules", judge="rules", limits=Limits(concurrency=1), **ours))
    assert mine.keys() == rules.keys() and len(rules) > 600
    different = {key for key in rules if mine[key] != rules[key]}
    assert {item for _, _, item, _ in different} <= explained(known["looks"])
    assert len(different) < 20


def test_relation_meanings_are_asked_once_for_all_subjects(bedroom: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    moved = [one | {"at": (one["at"][0] - 0.1, *one["at"][1:])} for one in OBJECTS]
    (tmp_path / "other/scene_0.json").write_text(room(*moved, thing("box_1", "box", (1, 0.5, 0), (0.3, 0.3, 0.3))))
    (tmp_path / "same").mkdir()
    (tmp_path / "same/scene_0.json").write_text((tmp_path / "mine/scene_0.json").read_text())
    with room_judge(**bedroom) as server:
        finished = looked(server, scenes=("mine=mine", "same=same", "other=other"), cache=True)
        stats = server.stats()
    assert stats["kinds"]["object-relations"] == stats["kinds"]["room-relations"] == 1
    assert stats["kinds"]["sides"] == 2 and not stats["wrong"]
    verdicts = told(finished)
    for (subject, *rest), found in verdicts.items():
        if subject == "same":
            assert found == verdicts["mine", *rest]
    asked = [text for text in stats["prompts"] if "anchor" in text or "floor_" in text]
    assert len(asked) == 2 and not any(name in text for text in asked for name in ("lamp_1", "box"))


def test_images_of_equal_bytes_are_asked_about_once(bedroom: dict[str, Any], tmp_path: Path) -> None:
    for name in ("same", "again"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "scene_0.json").write_text((tmp_path / "mine/scene_0.json").read_text())
    with room_judge(**bedroom) as server:
        looked(server, scenes=("mine=mine", "same=same", "again=again"), cache=True)
        assert server.stats()["kinds"] == CALLS_OF_BOTH


FAULTS = {"429": 0.15, "500": 0.1, "cut": 0.05, "nochoices": 0.05, "empty": 0.05, "refusal": 0.05, "length": 0.05}


def test_failing_service_changes_no_results(bedroom: dict[str, Any], by_rules: Verdicts) -> None:
    with room_judge(**bedroom, faults=FAULTS, retry_after="0") as server:
        finished = looked(server)
        stats = server.stats()
    assert finished.exit_code == 0 and sum(stats["counts"].values()) > stats["counts"]["good"]
    assert told(finished) == by_rules
    rescored = Rescoring(Path("run")).carry_out()
    before, after = rescored.before, rescored.after
    assert [one.board for one in before] == [one.board for one in after]


ODD = {
    "match": ('{"category": "spaceship"}', "'spaceship' is none of the categories"),
    "attribute": ('{"holds": {"1": true}}', "it says nothing of 2"),
    "support": ("It seems to float.", "there is no JSON object with held_by in the reply"),
    "sides": (
        '{"objects": [{"id": "sofa_9", "sides": ["front"]}]}',
        "nothing, but of 'sofa_9', which was not asked about",
    ),
    "object-relations": ('{"relations": [{"number": 1, "types": ["hovers over"]}]}', "is no relation that is measured"),
    "room-relations": (
        '{"relations": [{"number": 1, "type": "inside_room", "element": "room", "floors": ["floor_moon"]}]}',
        "'floor_moon' is no floor of the building",
    ),
}
TASK = {"support": "plausibility", "sides": "plausibility"}
OPEN = {
    "match": {
        "eq,1,bed",
        "eq,2,lamp",
        "eq,1,lamp,red",
        "eq,1,sofa,green",
        "eq,1,next_to,0,bed,lamp",
        "eq,1,against,bed,wall",
    },
    "attribute": {"eq,1,lamp,red"},
    "object-relations": {"eq,1,next_to,0,bed,lamp"},
    "room-relations": {"eq,1,against,bed,wall"},
}
"""The demands that each kind of question decides: open in strict, and not met as published, where it has no answer."""


@pytest.mark.parametrize("kind", some(ODD, "match"))
def test_unusable_answer_is_unknown_after_three_tries(kind: str, bedroom: dict[str, Any], by_rules: Verdicts) -> None:
    reply, why = ODD[kind]
    with room_judge(**bedroom, odd={kind: reply}) as server:
        finished = looked(server)
        stats = server.stats()
    demands = {key[3]: found for key, found in told(finished).items() if key[1] == "fidelity" and "," in key[3]}
    assert {text for text, found in demands.items() if found["strict"] is None} == OPEN.get(kind, set())
    assert not any(demands[text]["official"] for text in OPEN.get(kind, ()))
    known = demands.keys() - OPEN.get(kind, set())
    assert all(demands[text] == by_rules["mine", "fidelity", "0", text] for text in known)
    assert stats["kinds"][kind] == 3 * CALLS_OF_BOTH[kind] and finished.exit_code == 0
    sample = samples(finished)["mine", TASK.get(kind, "fidelity"), "0"]
    assert sample["outcome"] == "answered"
    assert any(why in note for note in sample["notes"]), sample["notes"]
    assert all(why in one["reason"] for one in sample["evidence"]["judge"]["unknown"])
    boards = {result.cell.task.removeprefix("sceneeval/"): result.board for result in finished.results}
    assert boards[TASK.get(kind, "fidelity")].counts["unknown"] > 0


def test_judge_finding_no_measured_relation_is_met_in_official_and_unknown_in_strict(
    bedroom: dict[str, Any],
) -> None:
    reply = '{"relations": [{"number": 1, "types": []}]}'
    with room_judge(**bedroom, odd={"object-relations": reply}) as server:
        finished = looked(server, tasks=("sceneeval/fidelity",))
    assert told(finished)["mine", "fidelity", "0", "eq,1,next_to,0,bed,lamp"] == {"strict": None, "official": True}
    assert labels()["object relations"] == 1


def test_invalid_answer_corrected_on_retry_leaves_no_trace(bedroom: dict[str, Any], by_rules: Verdicts) -> None:
    odd = {kind: reply for kind, (reply, _) in ODD.items()}
    with room_judge(**bedroom, odd=odd, times=1) as server:
        finished = looked(server)
        assert server.stats()["seen"] == 20
    assert told(finished) == by_rules
    assert not any(one["notes"] for one in samples(finished).values())


def test_judge_refusing_everything_gives_refused_outcome(
    bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with room_judge(**bedroom, faults={"refusal": 1.0}) as server:
        finished = looked(server)
    assert main(["runs", "show", "run"]) == 0
    assert "mine sceneeval/fidelity published: 1 refused, 6 unknown" in capsys.readouterr().out
    assert {one["outcome"] for one in samples(finished).values()} == {"refused"}
    boards = {result.cell.task: result.board for result in finished.results}
    assert boards["sceneeval/fidelity"].counts["unknown"] == 6  # an object could even be a green sofa
    assert (boards["sceneeval/fidelity"].profiles["strict"] or {})["cnt"] is None


def test_resumed_run_repeats_only_the_failed_question(
    bedroom: dict[str, Any],
    by_rules: Verdicts,
) -> None:
    with room_judge(**bedroom, always={"the anchor:": "400", "somebody have to get": "400"}) as server:
        first = looked(server)
        port = int(server.base.rpartition(":")[2].partition("/")[0])
    assert first.exit_code == 1
    assert {one["outcome"] for one in samples(first).values()} == {"api_error"}
    official = {profile for result in first.results for profile in (result.board.profiles["official"] or {}).values()}
    assert official == {None} and "service failed" in samples(first)["mine", "fidelity", "0"]["notes"][0]
    with room_judge(**bedroom, port=port) as server:
        again = looked(server)
        assert server.stats()["kinds"] == {"object-relations": 1, "sides": 1}
    assert again.exit_code == 0
    assert told(again) == by_rules


def test_run_stopped_by_budget_resumes_without_repeated_calls(bedroom: dict[str, Any], by_rules: Verdicts) -> None:
    with room_judge(**bedroom) as server:
        stopped = looked(server, limits=Limits(max_requests=5))
        assert stopped.exit_code == 4 and server.stats()["good"] == 5
        again = looked(server)
        stats = server.stats()
    assert (again.exit_code, stats["good"], stats["good_twice"]) == (0, 10, 0)
    assert told(again) == by_rules


def test_stopped_run_reads_no_scenes_and_renders_no_images(
    bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms = 24
    for number in range(1, rooms):
        Path(f"mine/scene_{number}.json").write_text(Path("mine/scene_0.json").read_text())
    Path("a.csv").write_text("\n".join([HEAD, *(ROW.replace("0,", f"{n},", 1) for n in range(rooms))]))
    made: Counter[str] = Counter()

    def counted(name: str, work: Any) -> Any:  # noqa: ANN401
        def wrapped(*words: Any, **more: Any) -> Any:  # noqa: ANN401
            made[name] += 1
            return work(*words, **more)

        return wrapped

    monkeypatch.setattr(gallery, "view", counted("drawn", view))
    monkeypatch.setattr(scenes, "read_scene", counted("read", read_scene))
    with room_judge(**bedroom) as server:
        stopped = looked(server, tasks=("sceneeval/fidelity",), limits=Limits(max_requests=1))
        assert (stopped.exit_code, server.stats()["seen"]) == (4, 1)
    assert made["read"] <= 2 * MOST_IN_MEMORY < rooms and made["drawn"] < rooms < len(OBJECTS) * rooms


def test_rendering_and_measuring_do_not_block_the_event_loop(
    bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: dict[str, set[str]] = {}

    def noted(name: str, work: Any) -> Any:  # noqa: ANN401
        def wrapped(*words: Any, **more: Any) -> Any:  # noqa: ANN401
            threads.setdefault(name, set()).add(threading.current_thread().name)
            return work(*words, **more)

        return wrapped

    monkeypatch.setattr(gallery, "view", noted("view", view))
    monkeypatch.setattr(scenes, "read_scene", noted("read", read_scene))
    for name, task in SCENE_TASKS.items():
        monkeypatch.setattr(type(task), "measure", noted(name, type(task).measure))
    with room_judge(**bedroom) as server:
        looked(server)
    assert set(threads) == {"view", "read", "fidelity", "plausibility"}
    assert threading.main_thread().name not in set().union(*threads.values())


def test_rooms_that_a_model_judges_are_measured_where_the_executor_computes(
    bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    with room_judge(**bedroom) as server:
        here = samples(looked(server, out="here"))
        for task in SCENE_TASKS.values():
            monkeypatch.setattr(type(task), "measure", None)
        there = samples(looked(server, out="there", executor="processes"))
    assert here.keys() == there.keys() and len(here) == 2
    for key, one in here.items():
        assert [there[key][name] for name in ("outcome", "scores", "evidence")] == [
            one[name] for name in ("outcome", "scores", "evidence")
        ]


def test_a_room_that_cannot_be_measured_elsewhere_gives_the_reason_that_it_gives_here(
    bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = SceneFolder(Path("mine")).scene("0")
    [task, *_] = SCENE_TASKS.values()
    assert scene is not None
    judged = annotation_of("0", "easy", "A bedroom.", ("eq,1,bed",)), scene, None
    monkeypatch.setattr(type(task), "measure", lambda *given: [][1])
    assert "IndexError: list index out of range" in str(measured_alone(task, judged))
    monkeypatch.setattr(type(task), "measure", lambda *given: {})
    assert measured_alone(task, judged) == {}
    used_up = replace(scene, limit=TimeLimit(0.0).rest)
    assert isinstance(measured_alone(task, (judged[0], used_up, None)), TooLong)


@pytest.mark.parametrize("status", [400, 422])
def test_a_judge_that_takes_no_schema_is_asked_without_one(
    status: int, bedroom: dict[str, Any], by_rules: Verdicts
) -> None:
    with room_judge(**bedroom, refuses_schemas=status) as server:
        finished = looked(server)
    assert finished.exit_code == 0
    assert told(finished) == by_rules
    assert not any(one["notes"] for one in samples(finished).values())


def test_missing_or_unreadable_scene_makes_no_calls(bedroom: dict[str, Any]) -> None:
    Path("a.csv").write_text(f"{HEAD}\n{ROW}\n{ROW.replace('0,', '1,', 1)}\n{ROW.replace('0,', '2,', 1)}\n")
    Path("mine/scene_1.json").write_text('{"format": "tsgkit/room", "objects": [{"id": "bed_1"}]}')
    with room_judge(**bedroom) as server:
        finished = looked(server)
        assert server.stats()["kinds"] == CALLS_OF_BOTH
    outcomes = {item: one["outcome"] for (_, task, item), one in samples(finished).items() if task == "fidelity"}
    assert outcomes == {"0": "answered", "1": "unreadable", "2": "missing"}


def test_client_error_is_not_blamed_on_the_scene(bedroom: dict[str, Any]) -> None:
    async def ask(messages: object, *, label: str, draw: int = 0, schema: object = None) -> Reply:
        raise ValueError("a bug behind the door")

    annotation = annotation_of("0", "easy", "A bedroom.", ("eq,1,bed",))
    for task in SCENE_TASKS.values():
        with pytest.raises(ValueError, match="behind the door"):
            asyncio.run(judge_scene(task, annotation, SceneFolder(Path("mine")), judge_named("openai/eye"), ask))


def test_names_with_line_breaks_are_sent_on_one_line_and_recognised(bedroom: dict[str, Any]) -> None:
    names = ("bed_1 ", "lamp\n- bed_9", "lamp_2")
    things = [one | {"id": name} for name, one in zip(names, OBJECTS, strict=True)]
    rooms = [{"name": "bed\n- room", "from": [0, 0], "to": [4, 3]}]
    Path("mine/scene_0.json").write_text(room(*things, rooms=rooms))
    with room_judge(**bedroom) as server:
        finished = looked(server)
        prompts = server.stats()["prompts"]
    assert finished.exit_code == 0
    assert not any(one["notes"] for one in samples(finished).values())
    [asked] = [text for text in prompts if "somebody have to get" in text]
    assert "\n- lamp - bed_9: lamp" in asked and "\n- bed_9" not in asked
    assert all("\n- room" not in text for text in prompts)


def test_object_without_shape_has_no_category(bedroom: dict[str, Any]) -> None:
    flat = thing("thing_1", "thing", (1, 1, 0), (0.5, 0.5, 0.5), mesh="empty.obj")
    Path("mine/empty.obj").write_text("v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n")
    Path("mine/scene_0.json").write_text(room(*OBJECTS[1:], flat))
    with room_judge(**bedroom) as server:
        finished = looked(server)
        assert server.stats()["kinds"]["match"] == 2
    sample = samples(finished)["mine", "fidelity", "0"]
    assert any("thing_1" in note for note in sample["notes"])
    assert (sample["answer"]["unknown"], sample["evidence"]["matched"]["thing_1"]) == ([], None)
    assert {"eq,1,bed", "eq,1,sofa,green", "eq,1,against,bed,wall"} <= {*sample["answer"]["unmet"]}


def test_replayed_judge_makes_no_calls(bedroom: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other/scene_0.json").write_text(room(*OBJECTS[:2]))
    subjects: dict[str, Any] = {"scenes": ("mine=mine", "other=other")}
    with room_judge(**bedroom, odd={"match": "prose"}, times=1) as server:
        finished = looked(server, **subjects)
    replayed = looked(None, out="again", judge="replay:run", **subjects)
    assert replayed.exit_code == 0 and told(replayed) == told(finished)
    assert {key: one["outcome"] for key, one in samples(replayed).items()} == dict.fromkeys(
        samples(finished), "answered"
    )


def test_edited_answer_in_exported_script_changes_its_verdict(
    bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with room_judge(**bedroom, odd={"match": "prose"}, times=1) as server:
        finished = looked(server)
    assert main(["runs", "show", "run", "--script", "said.jsonl"]) == 0
    assert "said.jsonl: replies about 1 item; ask it with script:said.jsonl" in capsys.readouterr().out
    assert told(looked(None, out="same", judge="script:said.jsonl")) == told(finished)
    line = json.loads(Path("said.jsonl").read_text())
    assert set(line["reply"]) == set(labels()) - {"local"}
    line["reply"]["match lamp_2"] = '{"reason": "a coat stand", "category": null}'
    line["reply"]["attribute eq,1,lamp,red"] = '{"holds": {"1": true}}'
    line["reply"]["support lamp_2"] = '{"held_by": "ceiling"}'
    Path("edited.jsonl").write_text(json.dumps(line))
    before, after = told(finished), told(looked(None, out="edited", judge="script:edited.jsonl"))
    changed = {key[2:] for key in before if before[key] != after[key]}
    assert changed == {("0", "eq,2,lamp"), ("0", "matched"), ("0", "lamp_2")}


def test_a_script_of_two_subjects_has_to_name_one(bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    with room_judge(**bedroom) as server:
        looked(server, scenes=("mine=mine", "same=mine"))
    assert main(["runs", "show", "run", "--script", "said.jsonl"]) == 2
    assert "with another subject" in capsys.readouterr().err
    assert main(["runs", "show", "run", "--script", "said.jsonl", "--subject", "same", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"script": "said.jsonl", "items": 1}
    assert main(["runs", "show", "run", "--script", "said.jsonl", "--subject", "sme"]) == 2
    assert main(["runs", "show", "run", "--subject", "same"]) == 2
    looked(None, out="rules", judge="rules")
    assert main(["runs", "show", "rules", "--script", "said.jsonl"]) == 2
    assert "no model was asked in it" in capsys.readouterr().err


def test_two_judges_agree_demand_by_demand_and_object_by_object(
    bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with room_judge(**bedroom, odd={"room-relations": "prose"}) as server:
        looked(server)
    looked(None, out="rules", judge="rules")
    people = [{"item_id": "0", "question": n, "rater": "ann", "right": True} for n in range(6)]
    people.append({"item_id": "0", "question": "lamp_1/held", "rater": "ann", "right": False})
    Path("people.jsonl").write_text("\n".join(map(json.dumps, people)))
    capsys.readouterr()
    assert main(["agree", "run", "--with", "rules", "--json"]) == 0
    fidelity, plausibility = json.loads(capsys.readouterr().out)["rows"]
    assert (fidelity["questions"], plausibility["questions"]) == (6, 9)
    kappa = {
        one["kind"]: one for one in fidelity["measures"] if one["on"] == "right or wrong" and "kappa" in one["measure"]
    }
    assert set(kappa) == {None, "CNT", "ATR", "OOR", "OAR"} and kappa[None]["n"] == 6
    assert 0 < kappa[None]["value"] < 1
    assert {one["kind"] for one in plausibility["measures"]} == {None, "SUP", "COL", "OOB"}
    assert main(["agree", "run", "--human", "people.jsonl", "--json"]) == 0
    fidelity, plausibility = json.loads(capsys.readouterr().out)["rows"]
    assert (fidelity["rated"], plausibility["rated"]) == (6, 1)


def test_report_names_the_judge_and_notes_different_judges(
    bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--task", "sceneeval", "--scenes", "mine=mine", "--data", "a.csv"]
    assert main(["eval", *words, "--out", "rules"]) == 0
    assert "mine, judged by rules\n" in capsys.readouterr().out
    with room_judge(**bedroom) as server:
        looked(server)
    assert main(["runs", "show", "run"]) == 0
    assert "mine, judged by openai/eye\n" in capsys.readouterr().out
    assert main(["compare", "run", "rules"]) == 0
    assert "different judges looked (openai/eye, rules)" in capsys.readouterr().out
    assert main(["compare", "run", "run"]) == 0
    assert "different judges" not in capsys.readouterr().out


def test_cost_estimate_precedes_any_call(bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text(f"{HEAD}\n{ROW}\n{ROW.replace('0,', '1,', 1)}\n")
    Path("mine/scene_1.json").write_text("{")
    words = ["--task", "sceneeval", "--scenes", "mine=mine", "--data", "a.csv", "--judge", "openai/eye"]
    words += ["--model-arg", "api_base=http://127.0.0.1:9/v1", "--model-arg", "api_key=sk-none"]
    assert main(["eval", *words, "--dry-run", "--price", "1,2", "--json"]) == 0
    rows = {row["task"]: row for row in json.loads(capsys.readouterr().out)["estimates"]}
    objects, attributes = 3, 2
    for task, calls in (("fidelity", objects + attributes + 2), ("plausibility", objects + 1)):
        row = rows[f"sceneeval/{task}"]
        assert (row["requests_at_least"], row["requests"]) == (calls, 3 * calls)
        assert 0 < row["cost"][0] < row["cost"][1]


def test_explanation_of_an_item_shows_every_question_and_reply(
    bedroom: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with room_judge(**bedroom, odd={"object-relations": "They are close."}) as server:
        looked(server)
    capsys.readouterr()
    assert main(["explain", "run", "--item", "0", "--task", "sceneeval/fidelity", "--all"]) == 0
    out = capsys.readouterr().out
    assert "match lamp_2" in out and f"image/png {SMALL}x{SMALL}" in out
    assert "there is no JSON in the reply" in out
    assert "it is not known what this means (object relations: there is no JSON object with relations" in out


def test_changed_prompts_start_another_run_and_reach_the_judge(bedroom: dict[str, Any], tmp_path: Path) -> None:
    words = tmp_path / "mine-words/sceneeval/judge"
    words.mkdir(parents=True)
    text = 'How is this held? Reply with one JSON object and nothing else: {{"held_by": "..."}}'
    (words / "support.txt").write_text(text)
    with room_judge(**bedroom) as server:
        looked(server, tasks=("sceneeval/plausibility",))
        with pytest.raises(UsageError, match="prompts differs"):
            looked(server, tasks=("sceneeval/plausibility",), prompts="mine-words")
        looked(server, tasks=("sceneeval/plausibility",), prompts="mine-words", out="other")
        assert sum("How is this held?" in text for text in server.stats()["prompts"]) == 3


def test_missing_extra_is_reported_before_any_call(bedroom: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "embreex.mesh_construction", None)
    with pytest.raises(UsageError, match="embreex, which is not installed") as refused:
        looked(None, judge="openai/eye", model_args=("api_key=sk-none",))
    assert "tsgkit[scenes]" in refused.value.hint


def test_renderer_version_changes_the_judge_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ModelJudge("openai/eye").fingerprint
    monkeypatch.setattr("tsgkit.suites.sceneeval.judges.model.VERSION", "2/512")
    assert ModelJudge("openai/eye").fingerprint != before
