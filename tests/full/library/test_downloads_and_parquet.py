"""Downloads of several processes, killed and resumed; Parquet files that become rows whole, in little memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet
import pytest
from hub_server import hub_server, without_login
from loopback import Answer, Loopback, loopback
from refusals import refusal

from tsgkit.errors import DownloadProblem, FileProblem
from tsgkit.library.downloads import Patience, checksum_of_bytes, download
from tsgkit.library.row_sources import row_place

DATA = bytes(range(256)) * 2000
CHECK = checksum_of_bytes(DATA)
HASTE = Patience(timeout=60, tries=3, pause=0.01)
LARGE = b'{"item_id": "a", "question": "where?"}\n' * 100_000
FETCH = "from tsgkit.library.row_sources import row_place; row_place('hf://lab/stories').rows_of()"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TSGKIT_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    monkeypatch.chdir(tmp_path)
    return without_login(tmp_path, monkeypatch)


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


def write(name: str, columns: dict[str, list[Any]]) -> None:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), name)


def rows(data: str) -> list[dict[str, Any]]:
    place = row_place(data)
    assert place is not None
    return [json.loads(line) for line in place.rows_of().read_text().splitlines()]


def test_many_rows_of_a_parquet_file_are_read_in_order_without_a_mapping_where_columns_are_fields() -> None:
    write("rows.parquet", {"item_id": ["a", "b"], "tags": [["x"], None], "qa": [[{"q": "w", "a": None}], []]})
    assert rows("rows.parquet") == [{"item_id": "a", "tags": ["x"], "qa": [{"q": "w"}]}, {"item_id": "b", "qa": []}]
    for part in range(3):
        names = [f"{part}-{number}" for number in range(700)]
        write(f"data/test-0000{part}-of-00003.parquet", {"item_id": names})
    Path("data/tsgkit.yaml").write_text("split: test")
    assert [row["item_id"] for row in rows("data")] == [f"{part}-{n}" for part in range(3) for n in range(700)]


def test_a_file_that_is_not_parquet_or_spoilt_anywhere_is_one_line() -> None:
    for data in (b"", b"PAR1", b"PAR1" + bytes(100) + b"PAR1", b"not parquet"):
        Path("rows.parquet").write_bytes(data)
        message = refusal(FileProblem, rows, "rows.parquet")
        assert message.startswith("rows.parquet: not a Parquet file that can be read: ") and "\n" not in message, data
    write("rows.parquet", {"item_id": [f"item {number}" for number in range(2000)]})
    good = Path("rows.parquet").read_bytes()
    for place in range(4, len(good), len(good) // 60):
        spoilt = bytes(byte ^ 0xA5 for byte in good[place : place + 40])
        Path("rows.parquet").write_bytes(good[:place] + spoilt + good[place + 40 :])
        try:
            rows("rows.parquet")
        except FileProblem as error:
            assert "\n" not in str(error)


def test_a_large_table_is_never_held_whole() -> None:
    text = pa.table({"item_id": ["x" * 400] * 20_000})
    with pyarrow.parquet.ParquetWriter("rows.parquet", text.schema, use_dictionary=False, compression="none") as writer:
        for _ in range(8):
            writer.write_table(text)
    assert Path("rows.parquet").stat().st_size > 60_000_000
    code = (
        "import pyarrow; from tsgkit.library.row_sources import row_place; row_place('rows.parquet').rows_of();"
        "print(pyarrow.default_memory_pool().max_memory())"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 16_000_000
