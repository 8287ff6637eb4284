"""The notebooks in examples/ run from top to bottom, as scripts and in a kernel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.py"))
NEEDS = {"run_in_pandas": "pandas"}


def cells(path: Path) -> list[str]:
    """Return the cells of a script, which begin with a mark."""
    return [
        cell for cell in re.split(r"^# %%.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE) if cell.strip()
    ]


def test_there_is_a_notebook_for_each_of_the_things_people_do() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        *("ablation", "cleaning", "first_evaluation", "own_model", "own_task", "run_in_pandas"),
    ]


@pytest.mark.parametrize("path", [
    path if path.stem == "own_task" else pytest.param(path, marks=pytest.mark.slow) for path in NOTEBOOKS
], ids=lambda path: path.stem)  # fmt: skip
def test_a_notebook_runs_as_a_script(path: Path, tmp_path: Path) -> None:
    pytest.importorskip(NEEDS.get(path.stem, "tsgkit"))
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(path)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", ["first_evaluation", "own_task", "cleaning"])
def test_a_notebook_runs_in_a_kernel_and_shows_tables_and_images(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ipykernel", reason="notebooks need a kernel")
    nbclient = pytest.importorskip("nbclient")
    import nbformat

    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    (path,) = (path for path in NOTEBOOKS if path.stem == name)
    sources = map(nbformat.v4.new_code_cell, cells(path))
    notebook = nbformat.v4.new_notebook(cells=list(sources))  # type: ignore[no-untyped-call]
    client = nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()
    shown = [kind for cell in notebook.cells for one in cell.outputs for kind in one.get("data", ())]
    assert "text/html" in shown or "image/svg+xml" in shown
    said = [one for cell in notebook.cells for one in cell.outputs if one.output_type == "error"]
    assert said == []


@pytest.mark.slow
def test_the_run_lines_of_the_dockerfile_work_in_a_fresh_copy(tmp_path: Path) -> None:
    """The lines run without Docker, with /opt and /tmp below the temporary folder, and without the extras, for time."""
    source = tmp_path / "src"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout  # noqa: S607
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    lines = re.findall(r"^RUN (.+)$", (ROOT / "examples/Dockerfile").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 3
    for line in lines:
        moved = re.sub(r"(?<!\S)/(opt|tmp)/", rf"{tmp_path}/\1/", re.sub(r"'\.\[.+?\]'", ".", line))
        environment = {
            **os.environ,
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
        }
        ran = subprocess.run(
            ["/bin/sh", "-c", moved], cwd=source, capture_output=True, text=True, check=False, env=environment
        )
        assert ran.returncode == 0, ran.stderr
    assert "tsg/ma-sgg" in ran.stdout
