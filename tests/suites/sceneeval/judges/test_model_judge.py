"""Tests of the model judge of scenes against a loopback server that knows the rooms and can fail."""

from __future__ import annotations

import asyncio
import json
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from judged_bedroom import (
    BOTH,
    CALLS_OF_BOTH,
    HEAD,
    OBJECTS,
    ROW,
    SMALL,
    Verdicts,
    labels,
    looked,
    samples,
    told,
    write_bedroom,
    write_known,
)
from room_judge import room_judge
from rooms_of_ours import SCENE_TASKS, room, thing

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.geometry import view
from tsgkit.llm.reply import Reply
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.subjects import Limits
from tsgkit.suites.sceneeval import scenes
from tsgkit.suites.sceneeval.annotations import annotation_of
from tsgkit.suites.sceneeval.judges.model import MOST_IN_MEMORY, ModelJudge
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.sceneeval.scene_files.folder import read_scene
from tsgkit.suites.sceneeval.scene_files.loaded_scene import TimeLimit, TooLong
from tsgkit.suites.sceneeval.scenes import SceneFolder, judge_named, judge_scene, measured_alone

Said = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Verdicts]]:
    """Yield the server's knowledge of the bedroom, and the verdicts of rules on it."""
    folder = tmp_path_factory.mktemp("world")
    write_bedroom(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gallery, "SIZE", SMALL)
        patch.setenv("TSGKIT_CACHE_HOME", str(folder / "cache"))
        patch.chdir(folder)
        yield write_known(folder / "known.json", folder / "mine"), told(looked(None, out="rules", judge="rules"))


@pytest.fixture
def by_rules(world: tuple[str, Verdicts]) -> Verdicts:
    """Return all verdicts of rules on the bedroom."""
    return world[1]


@pytest.fixture
def bedroom(world: tuple[str, Verdicts], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Set up a bedroom with its demands in the working folder. Return the options of a server that knows it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TSGKIT_CACHE_HOME", raising=False)
    monkeypatch.setattr(gallery, "SIZE", SMALL)
    monkeypatch.chdir(tmp_path)
    write_bedroom(tmp_path)
    return {"known": world[0], "size": SMALL}


def test_model_judges_rooms_of_bare_boxes_only_on_request(
    bedroom: dict[str, Any], tmp_path: Path, capsys: Said
) -> None:
    def boxes(count: int) -> None:
        plain = [thing(f"bed_{n}", "bed", (1 + 2 * n, 1, 0), (1, 1, 0.5)) for n in range(count)]
        (tmp_path / "mine/scene_0.json").write_text(room(*plain, OBJECTS[1]))

    boxes(2)
    with room_judge(**bedroom) as server:
        words = ["eval", "--task", BOTH[0], "--scenes", "mine=mine", "--data", "a.csv", "--judge", "openai/eye"]
        words += ["--model-arg", f"api_base={server.base}", "--model-arg", "api_key=sk-none", "--no-cache"]
        words += ["--quiet", "--out", "run"]
        for more in ([], ["--missing", "box"], ["--dry-run"]):
            assert main([*words, *more]) == 2, more
            said = capsys.readouterr().err
            assert "mine: 2 of 3 objects are bare boxes, as conversions leave them" in said, more
            assert all(way in said for way in ("--assets LAYOUT=DIR", "--judge rules", "--boxes")), more
        assert (server.stats()["kinds"], (tmp_path / "run").exists()) == ({}, False)
    assert main([*words, "--boxes", "--dry-run"]) == 0
    boxes(1)
    assert main([*words, "--dry-run"]) == 0, "half of them is not most of them"
    boxes(2)
    assert looked(None, out="by-rules", judge="rules").exit_code == 0


def test_relation_meanings_and_equal_images_are_asked_about_once_for_all_subjects(
    bedroom: dict[str, Any], tmp_path: Path, capsys: Said
) -> None:
    (tmp_path / "other").mkdir()
    moved = [one | {"at": (one["at"][0] - 0.1, *one["at"][1:])} for one in OBJECTS]
    (tmp_path / "other/scene_0.json").write_text(room(*moved, thing("box_1", "box", (1, 0.5, 0), (0.3, 0.3, 0.3))))
    (tmp_path / "same").mkdir()
    (tmp_path / "same/scene_0.json").write_text((tmp_path / "mine/scene_0.json").read_text())
    with room_judge(**bedroom) as server:
        finished = looked(server, scenes=("mine=mine", "same=same"), cache=True)
        assert server.stats()["kinds"] == CALLS_OF_BOTH
        looked(server, scenes=("mine=mine", "same=same", "other=other"), cache=True, out="more")
        stats = server.stats()
    assert (stats["kinds"]["object-relations"], stats["kinds"]["room-relations"], stats["kinds"]["sides"]) == (1, 1, 2)
    assert not stats["wrong"]
    verdicts = told(finished)
    assert {key: verdicts["mine", *key[1:]] for key in verdicts} == verdicts
    asked = [text for text in stats["prompts"] if "anchor" in text or "floor_" in text]
    assert len(asked) == 2 and not any(name in text for text in asked for name in ("lamp_1", "box"))
    assert main(["runs", "show", "run", "--script", "said.jsonl"]) == 2
    assert "with another subject" in capsys.readouterr().err
    assert main(["runs", "show", "run", "--script", "said.jsonl", "--subject", "same", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"script": "said.jsonl", "items": 1}
    for words in (["--script", "said.jsonl", "--subject", "sme"], ["--subject", "same"]):
        assert main(["runs", "show", "run", *words]) == 2, words
    looked(None, out="rules", judge="rules")
    assert main(["runs", "show", "rules", "--script", "said.jsonl"]) == 2
    assert "no model was asked in it" in capsys.readouterr().err


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


def test_unusable_answer_is_unknown_after_three_tries(bedroom: dict[str, Any]) -> None:
    with room_judge(**bedroom, odd={"match": '{"category": "spaceship"}'}) as server:
        finished = looked(server, tasks=BOTH[:1])
        assert server.stats()["kinds"]["match"] == 3 * CALLS_OF_BOTH["match"]
    demands = {key[3]: found for key, found in told(finished).items() if "," in key[3]}
    assert (len(demands), finished.exit_code) == (6, 0)
    assert all(found == {"strict": None, "official": False} for found in demands.values()), demands
    sample = samples(finished)["mine", "fidelity", "0"]
    assert (sample["outcome"], finished.results[0].board.counts["unknown"]) == ("answered", 6)
    for reasons in (sample["notes"], [one["reason"] for one in sample["evidence"]["judge"]["unknown"]]):
        assert all("'spaceship' is none of the categories" in reason for reason in reasons) and reasons


def test_invalid_answer_corrected_on_retry_leaves_no_trace_and_a_replay_makes_no_calls(
    bedroom: dict[str, Any], by_rules: Verdicts, capsys: Said
) -> None:
    with room_judge(**bedroom, odd=dict.fromkeys(CALLS_OF_BOTH, "prose"), times=1) as server:
        finished = looked(server)
        assert server.stats()["seen"] == 20
    assert told(finished) == by_rules
    assert not any(one["notes"] for one in samples(finished).values())
    replayed = looked(None, out="again", judge="replay:run")
    assert replayed.exit_code == 0 and told(replayed) == by_rules
    assert {one["outcome"] for one in samples(replayed).values()} == {"answered"}
    assert main(["runs", "show", "run", "--script", "said.jsonl"]) == 0
    assert "said.jsonl: replies about 1 item; ask it with script:said.jsonl" in capsys.readouterr().out
    assert told(looked(None, out="same", judge="script:said.jsonl")) == by_rules
    line = json.loads(Path("said.jsonl").read_text())
    assert set(line["reply"]) == set(labels()) - {"local"}
    line["reply"]["match lamp_2"] = '{"reason": "a coat stand", "category": null}'
    line["reply"]["attribute eq,1,lamp,red"] = '{"holds": {"1": true}}'
    line["reply"]["support lamp_2"] = '{"held_by": "ceiling"}'
    Path("edited.jsonl").write_text(json.dumps(line))
    after = told(looked(None, out="edited", judge="script:edited.jsonl"))
    changed = {key[2:] for key in by_rules if by_rules[key] != after[key]}
    assert changed == {("0", "eq,2,lamp"), ("0", "matched"), ("0", "lamp_2")}


def test_commands_compare_report_and_explain_a_judged_run(bedroom: dict[str, Any], capsys: Said) -> None:
    with room_judge(**bedroom, odd={"room-relations": "prose"}) as server:
        looked(server)
    words = ["--task", "sceneeval", "--scenes", "mine=mine", "--data", "a.csv"]
    assert main(["eval", *words, "--out", "rules"]) == 0
    assert "mine, judged by rules\n" in capsys.readouterr().out
    assert main(["runs", "show", "run"]) == 0
    assert "mine, judged by openai/eye\n" in capsys.readouterr().out
    assert main(["compare", "run", "rules"]) == 0
    assert "different judges looked (openai/eye, rules)" in capsys.readouterr().out
    assert main(["compare", "run", "run"]) == 0
    assert "different judges" not in capsys.readouterr().out
    people = [{"item_id": "0", "question": n, "rater": "ann", "right": True} for n in range(6)]
    people.append({"item_id": "0", "question": "lamp_1/held", "rater": "ann", "right": False})
    Path("people.jsonl").write_text("\n".join(map(json.dumps, people)))
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
    assert main(["explain", "run", "--item", "0", "--task", "sceneeval/fidelity", "--all"]) == 0
    out = capsys.readouterr().out
    assert "match lamp_2" in out and f"image/png {SMALL}x{SMALL}" in out
    assert "there is no JSON in the reply" in out
    assert "it is not known what this means (room relations: there is no JSON object with relations" in out


def test_judge_finding_no_measured_relation_is_met_in_official_and_unknown_in_strict(bedroom: dict[str, Any]) -> None:
    reply = '{"relations": [{"number": 1, "types": []}]}'
    with room_judge(**bedroom, odd={"object-relations": reply}) as server:
        finished = looked(server, tasks=("sceneeval/fidelity",))
    assert told(finished)["mine", "fidelity", "0", "eq,1,next_to,0,bed,lamp"] == {"strict": None, "official": True}
    assert labels()["object relations"] == 1


def test_judge_refusing_everything_gives_refused_outcome(bedroom: dict[str, Any], capsys: Said) -> None:
    with room_judge(**bedroom, faults={"refusal": 1.0}) as server:
        finished = looked(server)
    assert main(["runs", "show", "run"]) == 0
    assert "mine sceneeval/fidelity published: 1 refused, 6 unknown" in capsys.readouterr().out
    assert {one["outcome"] for one in samples(finished).values()} == {"refused"}
    boards = {result.cell.task: result.board for result in finished.results}
    assert boards["sceneeval/fidelity"].counts["unknown"] == 6  # an object could even be a green sofa
    assert (boards["sceneeval/fidelity"].profiles["strict"] or {})["cnt"] is None


def test_resumed_run_repeats_only_the_failed_question(bedroom: dict[str, Any], by_rules: Verdicts) -> None:
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


def test_a_judge_that_takes_no_schema_is_asked_without_one(bedroom: dict[str, Any], by_rules: Verdicts) -> None:
    with room_judge(**bedroom, refuses_schemas=400) as server:
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


def test_cost_estimate_precedes_any_call(bedroom: dict[str, Any], capsys: Said) -> None:
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


def test_renderer_version_changes_the_judge_fingerprint(monkeypatch: pytest.MonkeyPatch) -> None:
    before = ModelJudge("openai/eye").fingerprint
    monkeypatch.setattr("tsgkit.suites.sceneeval.judges.model.VERSION", "2/512")
    assert ModelJudge("openai/eye").fingerprint != before
