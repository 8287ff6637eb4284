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
from shipped import DATA

from tsgkit.cli import main
from tsgkit.errors import UsageError

ROWS = DATA / "sgds.jsonl"

BY = f"inspect_ai {version('inspect_ai')}"
KEYS = ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg", "formalimg/layout")
Both = dict[str, Any]


def environment() -> dict[str, str]:
    """Return one in which Inspect counts tokens with the words that LiteLLM brings, since it would download them."""
    spec = find_spec("litellm")
    assert spec is not None and spec.submodule_search_locations
    words = Path(spec.submodule_search_locations[0]) / "litellm_core_utils/tokenizers"
    paths = os.pathsep.join(filter(None, (str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH"))))
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


def test_inspect_finds_tasks_by_name_and_scores_of_its_own_and_of_its_logs_equal_ours(
    both: Both, capsys: pytest.CaptureFixture[str]
) -> None:
    assert both["inspect"]["named"] == "success"
    for key in KEYS:
        theirs, ours = both["inspect"][key], both["ours"][key]
        assert theirs["outcomes"] == ours["outcomes"], f"{key}, {BY}"
        assert len(set(ours["outcomes"].values())) > 2, "the replies end in several ways"
        assert theirs["samples"] == ours["samples"], f"{key}, {BY}"
        assert theirs["metrics"] == pytest.approx(ours["metrics"]), f"{key}, {BY}"
        [rows] = Path(ours["run"], "asked/rows").rglob("*.jsonl")
        words = ["score", "--task", key, "--data", str(rows), "--from", "inspect", theirs["log"]]
        assert main([*words, "--json", "--samples"]) == 0
        samples = json.loads(capsys.readouterr().out)["samples"]
        assert {one["item_id"]: one["outcome"] for one in samples if one["outcome"] != "missing"} == ours["outcomes"]


def test_what_is_no_style_or_log_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from tsgkit.interface.inspect_tasks import TASKS  # takes seconds to import

    with pytest.raises(UsageError, match="there is no style cott"):
        TASKS["sgds"](style="cott")
    rows = str(ROWS)
    for name, data in (("a.eval", b"PK\x03\x04torn"), ("b.json", b"{}"), ("c.eval", b""), ("d.txt", b"no log")):
        (tmp_path / name).write_bytes(data)
        log = str(tmp_path / name)
        assert main(["score", "--task", "tsg/sgds", "--data", rows, "--from", "inspect", log]) == 2
        assert "not a log of Inspect" in capsys.readouterr().err


def test_ids_that_inspect_turns_into_numbers_name_items_and_tasks_about_images_are_not_offered(tmp_path: Path) -> None:
    from tsgkit.interface.inspect_tasks import TASKS, asking, offered

    data = tmp_path / "sgds.jsonl"
    rows = enumerate(ROWS.read_text("utf-8").splitlines()[:3])
    data.write_text("".join(f"{json.dumps(json.loads(row) | {'item_id': str(number)})}\n" for number, row in rows))
    choices: list[tuple[Any, str]] = [(0, "0"), (2, "2"), ([2, "0"], "0,2"), ("1,2", "1,2"), (None, "0,1,2")]
    for ids, asked in choices:
        task = TASKS["sgds"](data=str(data), ids=ids)
        assert ",".join(str(sample.id) for sample in task.dataset) == asked, ids
    with pytest.raises(UsageError, match="names no item"):
        asking("tsg/sgds", ids=[])
    names = offered()
    assert {"sgqa", "sgds", "sa-sgg", "ma-sgg", "layout"} <= set(names)
    assert not {"knolling", "natural", "fidelity", "plausibility"} & set(names)
    assert len(set(names.values())) == len(names)
