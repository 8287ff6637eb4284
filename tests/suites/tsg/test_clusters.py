"""Rows of one story are one cluster, which only the whole file shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from prompt_items import TASKS, graph, pool, row
from shipped import DATA
from tsg_tasks import pool_of, rows_in, samples_of

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.library.documents.reader import read_document, read_file

STEPS = [graph(verb, "cup") for verb in ("take", "wash", "dry", "store", "lift")]
OTHER = [graph(verb, "pan") for verb in ("take", "wash", "dry")]


def choice(context: list[Any], target: object, **fields: object) -> dict[str, Any]:
    made = row("sgds", "x") | {"context_graphs": context, "triplet": target}
    del made["scenario_id"], made["item_id"]
    return made | fields


def clusters(tmp_path: Path, *rows: dict[str, Any], task: str = "sgds") -> list[str]:
    """Return the clusters of samples read one by one, which are those of the whole file read at once."""
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in rows))
    found = [sample.cluster for sample in rows_in(path, task)]
    assert found == [sample.cluster for sample in samples_of(read_file(path), task)]
    return found


def test_rows_join_where_one_context_and_target_continue_the_other(tmp_path: Path) -> None:
    late, early, apart = choice(STEPS[:4], STEPS[4]), choice(STEPS[:2], STEPS[3]), choice(OTHER[:2], OTHER[2])
    assert clusters(tmp_path, late, early, apart) == ["story of item 0"] * 2 + [json.dumps(OTHER[:2])]
    found = clusters(tmp_path, choice(STEPS[:1], STEPS[1]), choice(STEPS[:3], STEPS[3]))
    assert found[0] == found[1]


def test_one_shared_graph_or_an_empty_context_is_no_evidence_of_one_story(tmp_path: Path) -> None:
    first, second, third = (
        choice(STEPS[:1], OTHER[1]),
        choice(STEPS[:3], STEPS[3]),
        choice([STEPS[0], *OTHER], STEPS[4]),
    )
    assert len(set(clusters(tmp_path, first, second, third))) == 3
    rows = [choice([], STEPS[0], target_sentence=word, variations=[word], position=0) for word in ("one", "two")]
    assert len(set(clusters(tmp_path, *rows, choice(STEPS[:2], STEPS[2])))) == 3


def test_any_shared_id_joins(tmp_path: Path) -> None:
    rows = [
        choice(STEPS[:2], STEPS[2], data_id="clip", scenario_id="tea"),
        choice(OTHER[:2], OTHER[2], data_id="clip"),
        choice([], STEPS[0], scenario_id="tea", data_id="more"),
        choice(STEPS[1:4], STEPS[4], scenario_id="soup"),
    ]
    assert clusters(tmp_path, *rows) == ["tea", "tea", "tea", "soup"]
    assert clusters(tmp_path, choice(STEPS[:3], STEPS[3]), choice(STEPS[:2], STEPS[2], data_id="clip")) == ["clip"] * 2


def test_bundled_data_stay_in_eighteen_scenarios() -> None:
    for task in TASKS:
        path = DATA / f"{task}.jsonl"
        dataset = rows_in(path, task)
        own = {json.loads(line)["scenario_id"] for line in path.read_text(encoding="utf-8").splitlines()}
        assert {sample.cluster for sample in dataset} == own
        assert (len(own), dataset.clusters_are) == (18, "scenarios")


def test_examples_of_a_joined_story_are_still_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(choice(STEPS[:2], STEPS[2])) + "\n" + json.dumps(choice(STEPS[:3], STEPS[3])) + "\n")
    shown = choice(STEPS[:3], STEPS[3], rationale="So.", target_sentence="x washes mug")
    shown["variations"] = ["x washes mug", *shown["variations"][1:]]
    shown["position"] = 0
    examples = pool_of(read_document(json.dumps(shown) + "\n", "pool"), "sgds")
    with pytest.raises(UsageError, match="share nothing"):
        examples.check_disjoint(rows_in(path, "sgds"))
    pool_of(pool("sgds"), "sgds").check_disjoint(rows_in(path, "sgds"))


def test_tables_say_what_the_clusters_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tmp_path / "sgds.jsonl"
    data.write_text("".join(json.dumps(choice(STEPS[:n], STEPS[n])) + "\n" for n in (2, 3)))
    assert main(["eval", "--task", "tsg/sgds", "--data", str(data), "--out", str(tmp_path / "run"), "--quiet"]) == 0
    assert "95 % intervals over stories" in capsys.readouterr().out
    assert main(["report", str(tmp_path / "run")]) == 0
    assert "95 % intervals over stories" in capsys.readouterr().out
    assert main(["audit", str(data)]) == 0
    assert "They come from 1 story" in capsys.readouterr().out


def test_scores_with_clusters_of_an_older_version_are_rescored(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = tmp_path / "sgds.jsonl"
    rows = [choice(STEPS[:2], STEPS[2]), choice(STEPS[:3], STEPS[3]), choice(OTHER[:2], OTHER[2])]
    data.write_text("".join(json.dumps(one) + "\n" for one in rows))
    runs = [tmp_path / "old", tmp_path / "new"]
    for run in runs:
        assert main(["eval", "--task", "tsg/sgds", "--data", str(data), "--out", str(run), "--quiet"]) == 0
    stored = runs[0] / "samples.jsonl"
    records = [json.loads(line) for line in stored.read_text(encoding="utf-8").splitlines()]
    older = [record | {"cluster": json.dumps(one["context_graphs"])} for record, one in zip(records, rows, strict=True)]
    stored.write_text("".join(json.dumps(one) + "\n" for one in older))
    assert main(["report", str(runs[0])]) == 0
    capsys.readouterr()
    assert main(["compare", *map(str, runs)]) == 2
    assert "tsgkit rescore" in capsys.readouterr().err
    assert main(["rescore", str(runs[0])]) == 0
    assert main(["compare", *map(str, runs)]) == 0
