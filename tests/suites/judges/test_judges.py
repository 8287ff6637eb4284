"""One judge for all suites, asked over loopback: schemas, the order of images and question, images beside the loop."""

from __future__ import annotations

import json
import threading
from contextlib import AbstractContextManager
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
from tsgkit.runs.subjects import Limits
from tsgkit.suites.images import ImageFolder, Looked
from tsgkit.suites.judges.images import AT_ONCE
from tsgkit.suites.request_forms import FIRST, NEWEST
from tsgkit.suites.sceneeval.scene_files import loaded_scene as gallery
from tsgkit.suites.spatialgen.rows import rows_in

IDS = [row.id for row in rows_in(TASKS / "spatialgen/data/questions.jsonl")]
SAID = json.dumps({"satisfies_constraint": True, "satisfied_clauses": [], "objects": []})
SIZE = 64


class Case(NamedTuple):
    """A suite with images for its judge in the working folder."""

    server: AbstractContextManager[Running]
    plan: dict[str, Any]
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


SPATIAL = {"tasks": ("spatialgen/questions",), "images": ("mine=mine",), "ids": tuple(IDS[:4]), "protocols": ("ours",)}
NATURAL = {"tasks": ("formalimg/natural",), "images": ("mine=mine",), "data": "rows.jsonl"}
KNOLLING = {**NATURAL, "tasks": ("formalimg/knolling",)}
SCENES = {
    "tasks": ("sceneeval/fidelity", "sceneeval/plausibility"),
    "scenes": ("mine=mine",),
    "data": "a.csv",
    "ids": ("0",),
}


def formula_server(**options: Any) -> AbstractContextManager[Running]:  # noqa: ANN401
    return image_server(replies={"": SAID}, **options)


def case(name: str, **options: Any) -> Case:  # noqa: ANN401
    """Write the images of a suite and return its case."""
    if name == "spatialgen":
        spatial_images()
        return Case(spatial_judge(mode="constant:C", **options), SPATIAL, 20)
    if name == "formalimg":
        formula_images()
        return Case(formula_server(**options), NATURAL, 4, "json_object")
    scenes()
    return Case(room_judge(size=SIZE, **options), SCENES, 7)


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


@pytest.mark.parametrize("name", ["spatialgen", "formalimg", "sceneeval"])
def test_a_service_refuses_schemas_once_and_not_again_after_a_restart(name: str) -> None:
    asked = case(name, refuses_schemas=400 if name == "formalimg" else 422)
    with asked.server as server:
        stopped = judged(server, asked.plan, limits=Limits(max_requests=4))
        assert (stopped.exit_code, server.stats()["schemas"]) == (4, 1)
        assert list(read_header(Path("run"))["response_formats"].values()) == [{asked.kind: False}]
        again = judged(server, asked.plan)
        stats = server.stats()
    assert (again.exit_code, stats["schemas"], stats["seen"]) == (0, 1, asked.calls + 1)


def contents(server: Running) -> list[list[str]]:
    return [list(one) for one in server.stats()["contents"]]


def kinds(server: Running, first: int = 0) -> set[tuple[str, ...]]:
    return {tuple(one) for one in contents(server)[first:]}


def test_images_come_first_in_our_ways_and_where_they_were_published_in_published_protocols(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spatial_images()
    with spatial_judge(mode="constant:C") as server:
        finished = judged(server, SPATIAL, ids=(IDS[0],), protocols=("ours", "ours-apart", "ours-shuffled"))
        assert kinds(server) == {("image_url", "text")} and finished.header["request_form"] == NEWEST
        assert not any("The picture:" in one["text"] for one in server.stats()["looked"])
        count = len(contents(server))
        evaluate(
            plan_of(server, SPATIAL, ids=(IDS[0],), protocols=("published",)), Options(Path("theirs"), cache=False)
        )
        assert kinds(server, count) == {("text", "image_url")}
        assert all(one["text"].endswith("The picture:") for one in server.stats()["looked"][count:])
    Path("formulas").mkdir()
    monkeypatch.chdir("formulas")
    formula_images()
    with formula_server() as server:
        evaluate(plan_of(server, NATURAL), Options(out=Path("natural"), cache=False))
        assert kinds(server) == {("text", "image_url")}
        evaluate(plan_of(server, KNOLLING, protocols=("published",)), Options(out=Path("knolling"), cache=False))
        assert kinds(server, 4) == {("image_url",)}, "the text is the system's message"
        evaluate(plan_of(server, KNOLLING, protocols=("ours",)), Options(out=Path("ours"), cache=False))
        assert contents(server)[-4:] == [["image_url", "text"]] * 4, "all classes are asked for at once"


def test_images_of_objects_come_first_with_what_stands_between_them_and_each_request_has_a_schema() -> None:
    asked = case("sceneeval")
    with asked.server as server:
        finished = judged(server, asked.plan)
        stats = server.stats()
        assert kinds(server) == {("image_url", "text"), ("image_url", "text", "image_url", "text"), ("text",)}
    assert (finished.exit_code, stats["schemas"], stats["seen"]) == (0, asked.calls, asked.calls)
    assert list(finished.header["response_formats"].values()) == [{"json_schema": True}]


@pytest.mark.parametrize(("name", "out"), [("spatialgen", None), ("formalimg", Path("run"))])
def test_a_run_of_the_first_form_goes_on_in_the_old_order(name: str, out: Path | None) -> None:
    asked = case(name)
    with asked.server as server:
        wanted = plan_of(server, SPATIAL if name == "spatialgen" else {**KNOLLING, "protocols": ("ours",)})
        options = Options(out=out, cache=False, limits=Limits(concurrency=1, max_requests=3))
        stopped = carry_out(prepare(wanted, form=FIRST), options, Watch())
        header = read_header(stopped.path)
        del header["request_form"]
        (stopped.path / "run.json").write_text(json.dumps(header))
        again = evaluate(wanted, replace(options, limits=Limits()))
        assert (again.exit_code, again.path) == (0, stopped.path)
        assert contents(server) == [["text", "image_url"]] * asked.calls
        assert "request_form" not in read_header(again.path)
        assert prepare_run(wanted, replace(options, new=True)).form == NEWEST


def test_a_run_of_a_form_that_is_not_known_is_refused() -> None:
    spatial_images()
    with spatial_judge(mode="constant:C") as server:
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
    with spatial_judge(mode="constant:C") as server:
        assert judged(server, SPATIAL, images=folders).exit_code == 0
    assert threads == {f"image-{number}" for number in range(AT_ONCE)}, "no other thread decodes for any folder"
