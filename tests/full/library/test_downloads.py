"""Downloads of several processes: killed ones are gone on with, and no two write one part."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hub_server import hub_server
from loopback import Answer, Loopback, loopback
from refusals import refusal

from tsgkit.errors import DownloadProblem
from tsgkit.library.downloads import Patience, checksum_of_bytes, download

DATA = bytes(range(256)) * 2000
CHECK = checksum_of_bytes(DATA)
HASTE = Patience(timeout=5, tries=3, pause=0.01)
LARGE = b'{"item_id": "a", "question": "where?"}\n' * 100_000
FETCH = "from tsgkit.library.row_sources import row_place; row_place('hf://lab/stories').rows_of()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the data home of a user without a login and a proxy."""
    for name in ("HF_TOKEN", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TSGKIT_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    return tmp_path / "home"


def started(server: Loopback, target: Path) -> subprocess.Popen[str]:
    """Return a process that has fetched some of a file and waits for more."""
    server.plan = [Answer(hang=True, cut_after=200_000)]
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # deaf in a background job
        "from tsgkit.library.downloads import download\n"
        f"download(sys.argv[1], sys.argv[2], {CHECK!r})"
    )
    command = [sys.executable, "-c", code, server.put("f", DATA), str(target)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    part = target.with_name("data.bin.part")
    wait_for(process, lambda: part.exists() and part.stat().st_size == 200_000)
    return process


def wait_for(process: subprocess.Popen[str], condition: Callable[[], bool]) -> None:
    while not condition():
        assert process.poll() is None, process.communicate()[1]
        time.sleep(0.01)


def test_a_killed_download_is_gone_on_with_and_two_processes_never_write_one_part(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "data.bin"
    for how in (signal.SIGKILL, signal.SIGINT):
        with loopback() as server:
            process = started(server, target)
            process.send_signal(how)
            process.communicate(timeout=60)
            assert process.returncode != 0 and not target.exists()
            download(f"{server.url}/f", target, CHECK, patience=HASTE)
            assert (target.read_bytes(), server.ranges) == (DATA, [None, "bytes=200000-"])
        target.unlink()
    with loopback() as server:
        process = started(server, target)
        message = refusal(DownloadProblem, download, f"{server.url}/f", target, CHECK, patience=HASTE)
        assert "another process is fetching" in message
        assert target.with_name("data.bin.part").stat().st_size == 200_000
        server.let_go.set()
        process.communicate(timeout=60)
        assert (process.returncode, target.read_bytes()) == (0, DATA)


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "from tsgkit.library.downloads import download\n"
        "from tsgkit.errors import FileProblem\n"
        "try: download(sys.argv[1], sys.argv[2])\n"
        "except FileProblem as error: print(error, error.hint)"
    )
    with loopback() as server:
        command = [sys.executable, "-c", code, server.put("f", DATA), str(tmp_path / "data.bin")]
        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert "no room left on the disk make room" in result.stdout
    assert (tmp_path / "data.bin.part").stat().st_size == 100_000


def test_processes_that_want_one_dataset_wait_for_each_other_and_go_on_where_one_was_killed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = home / "huggingface/lab--stories/files"
    with hub_server() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        hub.commit("lab/stories", {"a.jsonl": LARGE}, lfs=True)
        hub.slow = 0.05
        process = subprocess.Popen([sys.executable, "-c", FETCH], text=True)
        wait_for(process, lambda: any(part.stat().st_size > 300_000 for part in parts.glob("*.part")))
        process.kill()
        process.wait()
        hub.slow = 0.01
        both = [subprocess.Popen([sys.executable, "-c", FETCH]) for _ in range(2)]
        assert [process.wait(60) for process in both] == [0, 0]
        first, second = (headers.get("range") for _, path, headers in hub.asked if "/cdn/" in path)
        assert first is None and second is not None and int(second.removeprefix("bytes=").rstrip("-")) > 300_000
