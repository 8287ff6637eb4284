"""``tsgkit make repairs``: wrong graphs of stored runs become items of ``tsg/refine``, and the others are counted."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from shipped import DATA
from tsg_tasks import rows_in

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.graph.folding import fold_graph
from tsgkit.graph.model import ActionGraph
from tsgkit.suites.tsg.items import GenerationSample, RefineSample

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def items(task: str) -> list[GenerationSample]:
    found = rows_in(DATA / f"{task}.jsonl", task)
    return [found.sample(number) for number in range(6)]


def text(*graphs: ActionGraph) -> str:
    return "\n\n".join(map(str, graphs))


def answered(task: str, replies: dict[str, str], out: str = "run", *more: str) -> None:
    """Evaluate a scripted model on the first items of a task."""
    rows = "".join((DATA / f"{task}.jsonl").read_text().splitlines(keepends=True)[:6])
    Path(f"{task}-rows.jsonl").write_text(rows)
    Path("said.jsonl").write_text(
        "".join(json.dumps({"item_id": item, "reply": reply}) + "\n" for item, reply in replies.items())
    )
    words = ["eval", "--task", task, "--data", f"{task}-rows.jsonl", "--model", "script:said.jsonl", "--out", out]
    assert main([*words, "--quiet", *more]) == 0


def wrongly(graph: ActionGraph) -> ActionGraph:
    """The graph with its last triplet turned round."""
    return ActionGraph([*graph.triplets[:-1], graph.triplets[-1].reversed])


def one_graph_run() -> list[GenerationSample]:
    """A run in which two graphs are wrong, one is right, one is another, and of two there is none."""
    asked = items("sa-sgg")
    replies = {one.item_id: text(wrongly(one.references[0])) for one in asked[:2]}
    replies[asked[2].item_id] = f"Here it is:\n{text(asked[2].references[0])}"
    replies[asked[3].item_id] = "person -> verb -> juggle\njuggle -> dobj -> moon"
    replies[asked[4].item_id] = "I cannot say."
    replies[asked[5].item_id] = ""
    answered("sa-sgg", replies)
    return asked


def made(capsys: Captured, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main(["make", "repairs", "--json", *words]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def refused(capsys: Captured, *words: str) -> str:
    capsys.readouterr()
    assert main(["make", "repairs", *words]) == 2
    return capsys.readouterr().err


def test_every_wrong_graph_becomes_an_item_and_the_others_are_counted(capsys: Captured) -> None:
    asked = one_graph_run()
    summary = made(capsys, "--from", "run")
    assert summary["items"] == 2
    assert summary["dropped"] == {
        "right": 1, "no triplet in common with a reference": 1, "unreadable": 1, "empty": 1,
    }  # fmt: skip
    rows = [json.loads(line)["given"] for line in Path("repairs.jsonl").read_text().splitlines()]
    assert [row["item_id"] for row in rows] == [one.item_id for one in asked[:2]]
    told = {(row["subject"], row["style"], row["task"]) for row in rows}
    assert told == {("script:said.jsonl", "zero-shot", "tsg/sa-sgg")}
    samples: list[RefineSample] = list(rows_in(Path("repairs.jsonl"), "refine"))
    for sample, source in zip(samples, asked, strict=False):
        given, wanted = (sample.sentence, sample.context), (source.sentence, source.context)
        assert (given, sample.vocabulary, sample.original) == (wanted, source.vocabulary, source.references[0])
        assert sample.spoilt == fold_graph(wrongly(source.references[0]))
        assert (sample.error, sample.origin, sample.cluster) == ("model-reversed", "model", source.cluster)


def test_graphs_of_several_are_paired_with_the_references_they_are_most_like(capsys: Captured) -> None:
    asked = items("ma-sgg")
    first, second, *rest = asked[0].references
    replies = {asked[0].item_id: text(second, wrongly(first), *rest)}
    replies[asked[1].item_id] = text(*asked[1].references, ActionGraph.of(("person", "verb", "juggle")))
    replies[asked[2].item_id] = text(*asked[2].references[:-1])
    answered("ma-sgg", replies, "run", "--first", "3")
    summary = made(capsys, "--from", "run", "-o", "out.jsonl")
    assert summary["items"] == 1
    assert summary["dropped"] == {
        "right": sum(one.k for one in asked[:3]) - 2,
        "no graph written for the reference": 1,
        "more graphs written than there are references": 1,
    }
    (sample,) = rows_in(Path("out.jsonl"), "refine")
    assert (sample.number, sample.spoilt) == (0, fold_graph(wrongly(first)))
    assert sample.source.k == asked[0].k


WASH = [["person", "verb", "wash"], ["wash", "dobj", "cup"]]


def test_rows_of_other_makers_are_refused_with_their_line(capsys: Captured) -> None:
    row = {
        "item_id": "a", "scenario_id": "s", "context": [], "target_sentence": "She washes it.",
        "mandatory_space": {"object": ["cup"], "relationship": ["verb", "dobj"], "verb": ["wash"]},
        "graphs": [{"triplets": WASH}],
    }  # fmt: skip
    for given, said in (
        ("text", "given: Input should be"),
        ({}, "given.number: Field required"),
        ({"number": 0, "triplets": []}, "given.triplets: List should have at least 1 item"),
        ({"number": 0, "triplets": [["a", "b", 1]]}, "given.triplets.0.2: Input should be a valid string"),
        ({"number": 1, "triplets": WASH}, "given.number: 1, and the row has 1 graphs"),
        ({"number": -1, "triplets": WASH}, "given.number: Input should be greater than or equal to 0"),
        ({"number": 0, "triplets": WASH}, "item a: given: nothing is wrong in this graph"),
        ({"number": 0, "triplets": [["Person", "verb", "wash"], *WASH]}, "nothing is wrong in this graph"),
    ):
        Path("rows.jsonl").write_text(json.dumps(row | {"given": given}) + "\n")
        with pytest.raises(UsageError, match=r"rows\.jsonl: line 1: ") as error:
            rows_in(Path("rows.jsonl"), "refine")
        assert said in str(error.value)


def test_rows_are_not_overwritten_and_another_folder_of_data_is_named(capsys: Captured) -> None:
    one_graph_run()
    found = tk.make("repairs", "repairs.jsonl", source="run", subject="script:said.jsonl")
    assert (found.complete, found.summary["items"], len(found.path.read_text().splitlines())) == (True, 2, 2)
    with pytest.raises(UsageError, match="was not asked in this run"):
        tk.make("repairs", "more.jsonl", source="run", subject="openai/x")
    Path("repairs.jsonl").write_text("mine\n")
    assert "repairs.jsonl" in refused(capsys, "--from", "run")
    Path("sa-sgg-rows.jsonl").rename("moved.jsonl")
    assert made(capsys, "--from", "run", "-o", "more.jsonl")["items"] == 2, "the run keeps its rows"
    shutil.rmtree("run/asked")
    assert "sa-sgg-rows.jsonl" in refused(capsys, "--from", "run", "-o", "again.jsonl")
    assert made(capsys, "--from", "run", "-o", "again.jsonl", "--data", "moved.jsonl")["items"] == 2
    assert "nowhere: no run lies here" in refused(capsys, "--from", "nowhere")
    assert main(["eval", "--task", "sgqa", "--model", "baseline/rules", "--out", "asked", "--quiet"]) == 0
    assert "asked: no graphs were asked for in this run, but tsg/sgqa" in refused(capsys, "--from", "asked")
    answered("sa-sgg", {one.item_id: text(*one.references) for one in items("sa-sgg")}, "right")
    assert "right: no wrong graph to make an item of (right: 6)" in refused(capsys, "--from", "right", "-o", "no.jsonl")
    assert not Path("no.jsonl").exists()
