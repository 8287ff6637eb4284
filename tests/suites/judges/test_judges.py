"""One judge for all suites, asked over loopback: schemas, the order of images and question, images beside the loop."""

from __future__ import annotations

import json
import threading
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from typing import Any

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
SPATIAL = {"tasks": ("spatialgen/questions",), "images": ("mine=mine",), "ids": tuple(IDS[:4]), "protocols": ("ours",)}
NATURAL = {"tasks": ("formalimg/natural",), "images": ("mine=mine",), "data": "rows.jsonl"}
KNOLLING = {**NATURAL, "tasks": ("formalimg/knolling",), "protocols": ("ours",)}


def spatial_server() -> AbstractContextManager[Running]:
    Path("mine").mkdir()
    for item_id in IDS[:4]:
        Path(f"mine/{item_id}.png").write_bytes(png(item_id))
    return spatial_judge(mode="constant:C")


def formula_server(**options: object) -> AbstractContextManager[Running]:
    rows = [{**ROWS[2], "id": number} for number in range(4)]
    Path("rows.jsonl").write_text(lines([*rows, *({**ROWS[0], "id": number} for number in range(4))]))
    for number in range(4):
        paint(Path(f"mine/{number}.png"), ("white", "black", "red", "blue")[number])
    return image_server(replies={"": SAID}, **options)


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(gallery, "SIZE", SIZE)
    monkeypatch.chdir(tmp_path)


def plan_of(server: Running, plan: dict[str, Any], **more: object) -> Plan:
    asked = {"judge": "openai/eye", "model_args": (f"api_base={server.base}", "api_key=none")}
    return Plan.model_validate({**plan, **asked, **more})


def judged(
    server: Running, plan: dict[str, Any], out: str = "run", limits: Limits | None = None, **more: object
) -> EvaluationOutcome:
    options = Options(out=Path(out), cache=False, limits=limits or Limits())
    return evaluate(plan_of(server, plan, **more), options, with_samples=True)


def orders(server: Running, first: int = 0) -> set[tuple[str, ...]]:
    """Return what stands in the requests, in order."""
    return {tuple(one) for one in server.stats()["contents"][first:]}


def test_a_service_refuses_schemas_once_and_not_again_after_a_restart() -> None:
    with formula_server(refuses_schemas=400) as server:
        stopped = judged(server, NATURAL, limits=Limits(max_requests=3))
        assert (stopped.exit_code, server.stats()["schemas"]) == (4, 1)
        assert list(read_header(Path("run"))["response_formats"].values()) == [{"json_object": False}]
        again = judged(server, NATURAL)
        assert (again.exit_code, server.stats()["schemas"], server.stats()["seen"]) == (0, 1, 5)


def test_images_come_first_in_our_ways_and_where_they_were_published_in_published_protocols() -> None:
    with spatial_server() as server:
        finished = judged(server, SPATIAL, ids=(IDS[0],), protocols=("ours", "ours-apart", "ours-shuffled"))
        assert orders(server) == {("image_url", "text")} and finished.header["request_form"] == NEWEST
        count = server.stats()["seen"]
        judged(server, SPATIAL, "theirs", ids=(IDS[0],), protocols=("published",))
        assert orders(server, count) == {("text", "image_url")}
        endings = [one["text"].endswith("The picture:") for one in server.stats()["looked"]]
        assert endings == [False] * count + [True] * (len(endings) - count)
        header = read_header(Path("run"))
        Path("run/run.json").write_text(json.dumps(header | {"request_form": 99}))
        with pytest.raises(UsageError, match="request_form is 99; this version knows 1, 2") as refused:
            judged(server, SPATIAL, ids=(IDS[0],))
        assert "a newer one" in refused.value.hint


def test_images_of_formulas_come_first_in_our_way_and_last_or_alone_as_published() -> None:
    with formula_server() as server:
        judged(server, NATURAL, "natural")
        assert orders(server) == {("text", "image_url")}
        judged(server, KNOLLING, "knolling", protocols=("published",))
        assert orders(server, 4) == {("image_url",)}, "the text is the system's message"
        judged(server, KNOLLING, "ours")
        assert server.stats()["contents"][-4:] == [["image_url", "text"]] * 4, "all classes are asked for at once"


def test_images_of_objects_come_first_with_what_stands_between_them_and_each_request_has_a_schema() -> None:
    Path("mine").mkdir()
    bed = thing("bed_1", "bed", (2, 1.5, 0), (1.6, 2, 0.5), attributes=["wooden"])
    lamp = thing("lamp_1", "lamp", (0.5, 0.5, 0), (0.2, 0.2, 1.5), attributes=["red"], shape="cylinder")
    Path("mine/scene_0.json").write_text(room(bed, lamp))
    row = '0,easy,A bedroom.,"eq,1,bed; eq,1,lamp","eq,1,lamp,red","eq,1,next_to,0,bed,lamp","eq,1,against,bed,wall"'
    Path("a.csv").write_text(f"ID,Difficulty,Description,ObjCount,ObjAttr,OORel,OARel\n{row}\n")
    tasks = ("sceneeval/fidelity", "sceneeval/plausibility")
    with room_judge(size=SIZE) as server:
        finished = judged(server, {"tasks": tasks, "scenes": ("mine=mine",), "data": "a.csv", "ids": ("0",)})
        stats = server.stats()
        assert orders(server) == {("image_url", "text"), ("image_url", "text", "image_url", "text"), ("text",)}
    assert (finished.exit_code, stats["schemas"], stats["seen"]) == (0, 7, 7)
    assert list(finished.header["response_formats"].values()) == [{"json_schema": True}]


@pytest.mark.parametrize(("name", "out"), [("spatialgen", None), ("formalimg", Path("run"))])
def test_a_run_of_the_first_form_goes_on_in_the_old_order(name: str, out: Path | None) -> None:
    with spatial_server() if name == "spatialgen" else formula_server() as server:
        wanted = plan_of(server, SPATIAL if name == "spatialgen" else KNOLLING)
        options = Options(out=out, cache=False, limits=Limits(concurrency=1, max_requests=3))
        stopped = carry_out(prepare(wanted, form=FIRST), options, Watch())
        header = read_header(stopped.path)
        del header["request_form"]
        (stopped.path / "run.json").write_text(json.dumps(header))
        again = evaluate(wanted, replace(options, limits=Limits()))
        assert (again.exit_code, again.path) == (0, stopped.path)
        assert server.stats()["contents"] == [["text", "image_url"]] * (20 if name == "spatialgen" else 4)
        assert "request_form" not in read_header(again.path)
        assert prepare_run(wanted, replace(options, new=True)).form == NEWEST


def test_images_are_decoded_beside_the_loop_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
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
