"""Our tasks as Inspect asks them, by inspect_ai 0.3.285: the same prompts, replies, scores and figures as ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.cli import main

pytest.importorskip("inspect_ai", reason="tasks for Inspect need inspect_ai, the extra tsgkit[inspect]")
pytestmark = pytest.mark.slow

BY = f"inspect_ai {version('inspect_ai') if find_spec('inspect_ai') else ''}"
KEYS = ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg", "formalimg/layout")
Both = dict[str, dict[str, Any]]


def environment() -> dict[str, str]:
    """Return one in which Inspect counts tokens with the words that LiteLLM brings, since it would download them."""
    spec = find_spec("litellm")
    assert spec is not None and spec.submodule_search_locations
    words = Path(spec.submodule_search_locations[0]) / "litellm_core_utils/tokenizers"
    paths = os.pathsep.join(filter(None, (str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "TIKTOKEN_CACHE_DIR": str(words), "PYTHONPATH": paths, "INSPECT_DISPLAY": "plain"}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Both:
    """The results of Inspect and of tsgkit, from one process of its own."""
    folder = tmp_path_factory.mktemp("inspected")
    script = Path(__file__).with_name("inspected.py")
    told = subprocess.run(
        [sys.executable, str(script), str(folder)], env=environment(), capture_output=True, text=True, check=False
    )
    assert told.returncode == 0, told.stderr[-3000:]
    found: Both = json.loads(told.stdout.splitlines()[-1])
    return found


@pytest.mark.parametrize("key", KEYS)
def test_scores_of_inspect_equal_ours_on_the_same_replies(both: Both, key: str) -> None:
    theirs, ours = both["inspect"][key], both["ours"][key]
    assert theirs["outcomes"] == ours["outcomes"], BY
    assert len(set(ours["outcomes"].values())) > 2, "the replies end in several ways"
    assert theirs["samples"] == ours["samples"], BY
    assert theirs["metrics"] == pytest.approx(ours["metrics"]), BY


@pytest.mark.parametrize("key", KEYS)
def test_replies_in_a_log_of_inspect_are_scored_as_they_were(
    both: Both, key: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Path(both["ours"][key]["run"])
    [rows] = (run / "asked/rows").rglob("*.jsonl")
    words = ["score", "--task", key, "--data", str(rows), "--from", "inspect", both["inspect"][key]["log"]]
    assert main([*words, "--json", "--samples"]) == 0
    value = json.loads(capsys.readouterr().out)
    asked = {one["item_id"]: one["outcome"] for one in value["samples"] if one["outcome"] != "missing"}
    assert asked == both["ours"][key]["outcomes"]


def test_inspect_eval_runs_a_task_by_its_name(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "inspect_ai", "eval", "tsgkit/sgds", "--model", "mockllm/model", "-T", "items=3"]
    told = subprocess.run(command, env=environment(), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert told.returncode == 0, told.stdout[-2000:] + told.stderr[-2000:]
    assert "strict_accuracy" in told.stdout
    assert len(list((tmp_path / "logs").glob("*.eval"))) == 1


@pytest.mark.parametrize(("ids", "asked"), [(0, "0"), (2, "2"), ([2, "0"], "0,2"), ("1,2", "1,2"), (None, "0,1,2")])
def test_ids_that_inspect_turns_into_numbers_name_items(tmp_path: Path, ids: Any, asked: str) -> None:  # noqa: ANN401
    from tsgkit.interface.inspect_tasks import TASKS as BY_NAME

    rows = (TASKS / "tsg/data/tsgkit-1/sgds.jsonl").read_text("utf-8").splitlines()[:3]
    data = tmp_path / "sgds.jsonl"
    named = (json.loads(row) | {"item_id": str(number)} for number, row in enumerate(rows))
    data.write_text("".join(f"{json.dumps(row)}\n" for row in named), encoding="utf-8")
    made = BY_NAME["sgds"](data=str(data), ids=ids)
    assert ",".join(str(sample.id) for sample in made.dataset) == asked


def test_an_empty_list_of_ids_is_refused() -> None:
    from tsgkit.errors import UsageError
    from tsgkit.interface.inspect_tasks import asking

    with pytest.raises(UsageError, match="names no item"):
        asking("tsg/sgds", ids=[])


def test_an_unknown_style_is_an_error_in_words(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "inspect_ai",
        "eval",
        "tsgkit/sgds",
        "--model",
        "mockllm/model",
        "-T",
        "style=cott",
    ]
    told = subprocess.run(command, env=environment(), capture_output=True, text=True, cwd=tmp_path, check=False)
    assert told.returncode != 0
    assert "cott" in told.stdout + told.stderr


def test_tasks_about_images_and_scenes_are_not_offered() -> None:
    from tsgkit.interface.inspect_tasks import offered

    names = offered()
    assert {"sgqa", "sgds", "sa-sgg", "ma-sgg", "layout"} <= set(names)
    assert not {"knolling", "natural", "fidelity", "plausibility"} & set(names)
    assert len(set(names.values())) == len(names)


def test_a_file_that_is_no_log_of_inspect_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = str(TASKS / "tsg/data/tsgkit-1/sgds.jsonl")
    for name, data in (("a.eval", b"PK\x03\x04torn"), ("b.json", b"{}"), ("c.eval", b""), ("d.txt", b"no log")):
        (tmp_path / name).write_bytes(data)
        log = str(tmp_path / name)
        assert main(["score", "--task", "tsg/sgds", "--data", rows, "--from", "inspect", log]) == 2
        assert "not a log of Inspect" in capsys.readouterr().err
