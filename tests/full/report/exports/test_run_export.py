"""Exports in every format: no key, no growth of memory, and nothing left of one that fails or is interrupted."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from exported_runs import KEY, largest_file, served_run, stopped_run
from report_runs import recorded
from samples import SGQA

import tsgkit as tk
from tsgkit.errors import FileProblem
from tsgkit.report.exports import FORMATS, export_run


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return served_run(tmp_path_factory.mktemp("served") / "run")


def unpacked(files: tuple[Path, ...], folder: Path) -> bytes:
    """Return the bytes of some files, archives unpacked."""
    found = b""
    for file in files:
        if file.suffix == ".eval":
            shutil.unpack_archive(file, folder / file.stem, "zip")
            found += b"".join(path.read_bytes() for path in sorted((folder / file.stem).rglob("*")) if path.is_file())
        found += file.read_bytes()
    return found


@pytest.mark.parametrize("to", ["inspect", "parquet"])
def test_an_export_counts_every_sample_holds_no_key_and_is_the_same_twice(
    to: str, served: Path, tmp_path: Path
) -> None:
    told: list[tuple[int, int]] = []
    first = export_run(served, to, tmp_path / "a", done=lambda done, total: told.append((done, total))).files
    assert told == [(number, 16) for number in range(1, 17)]
    found = unpacked(first, tmp_path)
    assert KEY.encode() not in found
    assert to == "parquet" or b"[redacted]" in found, "the server did say it"
    second = export_run(served, to, tmp_path / "b").files
    assert [file.relative_to(tmp_path / "a") for file in first] == [file.relative_to(tmp_path / "b") for file in second]
    if to != "inspect":  # the archive holds the times of its members
        assert [file.read_bytes() for file in first] == [file.read_bytes() for file in second]
    with largest_file(6000), pytest.raises(FileProblem, match=r"out: cannot be written: .*large"):
        export_run(served, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    exported = export_run(stopped_run(tmp_path / "stopped"), to, tmp_path / "there")
    assert (exported.samples, exported.unasked) == (2, 2)


def test_an_interrupted_export_leaves_nothing(tmp_path: Path) -> None:
    run, target = tmp_path / "run", tmp_path / "out" / "tables"
    target.parent.mkdir()
    tk.evaluate(["sgqa", "ma-sgg"], out=run, quiet=True)
    for to in FORMATS:
        words = [sys.executable, "-m", "tsgkit", "export", str(run), "--to", to, "-o", str(target)]
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        until = time.monotonic() + 60
        while not any(path.stat().st_size for path in target.parent.rglob("*") if path.is_file()):
            assert time.monotonic() < until and process.poll() is None, to
            time.sleep(0.001)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
        assert (process.returncode, told) == (130, "tsgkit: interrupted\n"), to
        assert list(target.parent.iterdir()) == [], to


MEASURE = """
import sys
from pathlib import Path
from tsgkit.report.exports import export_run
export_run(Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3]))
print(next(int(line.split()[1]) // 1024 for line in Path("/proc/self/status").open() if line.startswith("VmHWM")))
"""


def test_memory_hardly_grows_with_the_run(tmp_path: Path) -> None:
    """Six times the samples, 20 MB more of output: a few MB more for their positions and for one group of rows."""
    runs = []
    for number in (500, 3000):
        rows = [SGQA | {"item_id": f"i{place}", "data_id": f"d{place % 50}"} for place in range(number)]
        replies = {f"i{place}/0": f"<think>{'x' * 5000}</think>[cup]" for place in range(number)}
        runs.append(recorded(tmp_path / str(number), "sgqa", replies, rows=rows))
    for to, most in (("csv", 20), ("parquet", 60), ("inspect", 30)):
        used = []
        for number, run in enumerate(runs):
            words = [sys.executable, "-c", MEASURE, str(run), to, str(tmp_path / f"{to}{number}")]
            used.append(int(subprocess.run(words, capture_output=True, text=True, check=True).stdout))
        assert used[1] - used[0] <= most, to
