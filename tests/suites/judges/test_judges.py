"""One judge for all suites, asked over loopback: schemas, the order of images and question, images beside the loop."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from formula_items import ROWS, lines, paint
from image_server import image_server, png
from model_server import Running
from room_judge import room_judge
from rooms_of_ours import room, thing
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.errors import UsageError
from tsgkit.runs.evaluation import EvaluationOutcome, Options, carry_out, evaluate, prepare_run
from tsgkit.runs.folder import read_header
from tsgkit.runs.jobs import Watch
from tsgkit.runs.plan import Plan
from tsgkit.runs.run_setup import prepare
from tsgkit.runs.shard_merge import merge
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import ImageFolder, Looked
from tsgkit.suites.judges.images import AT_ONCE
from tsgkit.suites.request_forms import FIRST, NEWEST
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.spatialgen.rows import rows_in

IDS = [row.id for row in rows_in(TASKS / "spatialgen/data/questions.jsonl")]
SAID = json.dumps({"satisfies_constraint": True, "satisfied_clauses": [], "objects": []})
SIZE = 64
Contents = list[list[str]]


class Case(NamedTuple):
    """A suite with images for its judge in the working folder."""

    server: Callable[..., AbstractContextManager[Running]]
    plan: dict[str, Any]
    make: Callable[[], None]
    calls: int
    """The requests of the whole plan, where the service takes schemas."""
    kind: str = "json_schema"


def spatial_images() -> None:
    Path("mine").mkdir()
    for item_id in IDS[:4]:
        Path(f"mine/{item_id}.png").write_bytes(png(item_id))


def formula_images() -> None:
    rows = [{**ROWS[2], "id": number} for number in range(4)]
    Path("rows.jsonl").write_text(lines([*rows, *({**ROWS[0], "id": number} for number in range(4))]))
    for number in range(4):
        paint(Path(f"mine/{number}.png"), ("white", "black", "red", "blue")[number])


def scenes() -> None:
    Path("mine").mkdir()
    bed = thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5), attributes=["wooden"])
    lamp = thing("lamp_1", "lamp", (0.5, 0.5, 0), (0.2, 0.2, 1.5), attributes=["red"], shape="cylinder")
    Path("mine/scene_0.json").write_text(room(bed, lamp))
    row = '0,easy,A bedroom.,"eq,1,bed; eq,1,lamp","eq,1,lamp,red","eq,1,next_to,0,bed,lamp","eq,1,against,bed,wall"'
    Path("a.csv").write_text(f"ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel\n{row}\n")


@contextmanager
def spatial_server(**options: object) -> Iterator[Running]:
    with spatial_judge(mode="constant:C", **options) as running:
        yield running


@contextmanager
def formula_server(**options: object) -> Iterator[Running]:
    with image_server(replies={"": SAID}, **options) as running:
        yield running


@contextmanager
def room_server(**options: object) -> Iterator[Running]:
    with room_judge(size=SIZE, **options) as running:
        yield running


SPATIAL = {"tasks": ("spatialgen/questions",), "images": ("mine=mine",), "ids": tuple(IDS[:4]), "protocols": ("ours",)}
NATURAL = {"tasks": ("formalimg/natural",), "images": ("mine=mine",), "data": "rows.jsonl"}
KNOLLING = {**NATURAL, "tasks": ("formalimg/knolling",)}
SCENES = {"tasks": ("sceneeval",), "scenes": ("mine=mine",), "data": "a.csv", "ids": ("0",)}
CASES = {
    "spatialgen": Case(spatial_server, SPATIAL, spatial_images, 20),
    "formalimg": Case(formula_server, NATURAL, formula_images, 4, "json_object"),
    "sceneeval": Case(room_server, {**SCENES, "tasks": ("sceneeval/fidelity", "sceneeval/plausibility")}, scenes, 7),
}
each = pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(gallery, "SIZE", SIZE)
    monkeypatch.chdir(tmp_path)


def plan_of(server: Running, plan: dict[str, Any], **more: object) -> Plan:
    asked = {"judge": "openai/eye", "model_args": (f"api_base={server.base}", "api_key=none")}
    return Plan.model_validate({**plan, **asked, **more})


def judged(server: Running, plan: dict[str, Any], *, limits: Limits | None = None, **more: object) -> EvaluationOutcome:
    options = Options(out=Path("run"), cache=False, limits=limits or Limits())
    return evaluate(plan_of(server, plan, **more), options, with_samples=True)


@each
def test_a_service_refuses_schemas_once_and_not_again_after_a_restart(case: Case) -> None:
    case.make()
    with case.server(refuses_schemas=422 if case.calls > 4 else 400) as server:
        stopped = judged(server, case.plan, limits=Limits(max_requests=4))
        assert (stopped.exit_code, server.stats()["schemas"]) == (4, 1)
        assert list(read_header(Path("run"))["response_formats"].values()) == [{case.kind: False}]
        again = judged(server, case.plan)
        stats = server.stats()
    assert (again.exit_code, stats["schemas"], stats["seen"]) == (0, 1, case.calls + 1)


def samples_of(run: str) -> list[dict[str, Any]]:
    """Return the samples of a run, without what tells how often a refusal was met: once in each shard."""
    found = [json.loads(line) for line in Path(run, "samples.jsonl").read_text().splitlines()]
    return [{name: value for name, value in one.items() if name not in ("usage", "error")} for one in found]


def test_shards_that_each_met_a_refusal_merge_into_the_undivided_run() -> None:
    formula_images()
    with formula_server(refuses_schemas=400) as server:
        plan = plan_of(server, NATURAL)
        for number in (1, 2):
            shard = Options(Path("run"), cache=False, shard=Shard(number, 2))
            assert evaluate(plan, shard).exit_code == 0
        assert server.stats()["schemas"] == 2
        assert judged(server, NATURAL).exit_code == 0
    assert merge([Path(f"run.shard-{number}-of-2") for number in (1, 2)], Path("all")).complete
    assert samples_of("all") == samples_of("run")
    learnt = [list(read_header(Path(name))["response_formats"].values()) for name in ("all", "run")]
    assert learnt == [[{"json_object": False}]] * 2


@each
def test_a_service_that_takes_schemas_is_asked_with_one_every_time(case: Case) -> None:
    case.make()
    with case.server() as server:
        finished = judged(server, case.plan)
        stats = server.stats()
    assert (finished.exit_code, stats["schemas"], stats["seen"]) == (0, case.calls, case.calls)
    assert list(finished.header["response_formats"].values()) == [{case.kind: True}]


def test_errors_of_the_service_stay_errors_and_the_same_command_asks_again() -> None:
    formula_images()
    with formula_server(always={"": "400"}) as server:
        first = judged(server, NATURAL)
        port = int(server.base.rpartition(":")[2].partition("/")[0])
    assert first.exit_code == 1 and "response_formats" not in first.header
    outcomes = [sample["outcome"] for row in first.values for sample in row["samples"]]
    assert "api_error" in outcomes and set(outcomes) <= {"api_error", "missing"}, "nothing is charged to an image"
    with formula_server(port=port) as server:
        again = judged(server, NATURAL)
        assert (again.exit_code, server.stats()["seen"]) == (0, 4)


def contents(server: Running) -> Contents:
    return [list(one) for one in server.stats()["contents"]]


def test_images_come_first_and_the_question_last_in_our_ways() -> None:
    spatial_images()
    with spatial_server() as server:
        finished = judged(server, SPATIAL, ids=(IDS[0],), protocols=("ours", "ours-apart", "ours-shuffled"))
        assert {tuple(one) for one in contents(server)} == {("image_url", "text")}
        assert not any("The picture:" in one["text"] for one in server.stats()["looked"])
    assert finished.header["request_form"] == NEWEST
    formula_images()
    with formula_server() as server:
        evaluate(plan_of(server, KNOLLING, protocols=("ours",)), Options(out=Path("knolling"), cache=False))
        assert contents(server) == [["image_url", "text"]] * 4, "all classes are asked for at once"


def test_published_protocols_keep_the_published_order(monkeypatch: pytest.MonkeyPatch) -> None:
    spatial_images()
    with spatial_server() as server:
        judged(server, SPATIAL, ids=(IDS[0],), protocols=("published",))
        assert {tuple(one) for one in contents(server)} == {("text", "image_url")}
        assert all(one["text"].endswith("The picture:") for one in server.stats()["looked"])
    Path("formulas").mkdir()
    monkeypatch.chdir("formulas")
    formula_images()
    with formula_server() as server:
        evaluate(plan_of(server, NATURAL), Options(out=Path("natural"), cache=False))
        assert {tuple(one) for one in contents(server)} == {("text", "image_url")}
        evaluate(plan_of(server, KNOLLING, protocols=("published",)), Options(out=Path("knolling"), cache=False))
        assert {tuple(one) for one in contents(server)[4:]} == {("image_url",)}, "the text is the system's message"


def test_images_of_objects_come_first_with_what_stands_between_them() -> None:
    scenes()
    with room_server() as server:
        judged(server, CASES["sceneeval"].plan)
        found = {tuple(one) for one in contents(server)}
    alone, around, nothing = ("image_url", "text"), ("image_url", "text", "image_url", "text"), ("text",)
    assert found == {alone, around, nothing}


@pytest.mark.parametrize(("name", "out"), [("spatialgen", None), ("formalimg", Path("run"))])
def test_a_run_of_the_first_form_goes_on_in_the_old_order(name: str, out: Path | None) -> None:
    case = CASES[name]
    case.make()
    with case.server() as server:
        wanted = plan_of(server, SPATIAL if name == "spatialgen" else {**KNOLLING, "protocols": ("ours",)})
        options = Options(out=out, cache=False, limits=Limits(concurrency=1, max_requests=3))
        stopped = carry_out(prepare(wanted, form=FIRST), options, Watch())
        header = read_header(stopped.path)
        del header["request_form"]
        (stopped.path / "run.json").write_text(json.dumps(header))
        again = evaluate(wanted, replace(options, limits=Limits()))
        assert (again.exit_code, again.path) == (0, stopped.path)
        assert contents(server) == [["text", "image_url"]] * case.calls
        assert "request_form" not in read_header(again.path)
        assert prepare_run(wanted, replace(options, new=True)).form == NEWEST


def test_a_run_of_a_form_that_is_not_known_is_refused() -> None:
    spatial_images()
    with spatial_server() as server:
        judged(server, SPATIAL, ids=(IDS[0],))
        header = read_header(Path("run"))
        Path("run/run.json").write_text(json.dumps(header | {"request_form": 99}))
        with pytest.raises(UsageError, match="request_form is 99; this version knows 1, 2") as refused:
            judged(server, SPATIAL, ids=(IDS[0],))
    assert "a newer one" in refused.value.hint


def test_images_are_decoded_beside_the_loop_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    spatial_images()
    threads, inner, together = set[str](), ImageFolder.look, threading.Barrier(AT_ONCE, timeout=60)

    def look(self: ImageFolder, item_id: str) -> Looked:
        threads.add(threading.current_thread().name)
        together.wait()
        return inner(self, item_id)

    monkeypatch.setattr(ImageFolder, "look", look)
    folders = tuple(f"mine{number}=mine" for number in range(3))
    with spatial_server() as server:
        assert judged(server, SPATIAL, images=folders).exit_code == 0
    assert threads == {f"image-{number}" for number in range(AT_ONCE)}, "no other thread decodes for any folder"
