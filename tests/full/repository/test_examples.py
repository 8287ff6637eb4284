"""The notebooks in examples/ run from top to bottom, as scripts and in a kernel."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import nbclient
import nbformat
import pytest

from tsgkit.cli import parser_of

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("*.py"))


def cells(path: Path) -> list[str]:
    """Return the cells of a script, which begin with a mark."""
    return [
        cell for cell in re.split(r"^# %%.*$", path.read_text(encoding="utf-8"), flags=re.MULTILINE) if cell.strip()
    ]


def test_there_is_a_notebook_for_each_of_the_things_people_do() -> None:
    assert [path.stem for path in NOTEBOOKS] == [
        *("ablation", "cleaning", "first_evaluation", "own_model", "own_task", "run_in_pandas"),
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_as_a_script(path: Path, tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-W", "error", str(path)], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "") and ran.stdout


@pytest.mark.parametrize("name", ["first_evaluation", "own_task", "cleaning"])
def test_a_notebook_runs_in_a_kernel_and_shows_tables_and_images(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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


def test_the_run_lines_of_the_dockerfile_install_and_try_what_there_is() -> None:
    """The lines are not run: the check of the wheel installs it in an empty environment and evaluates the rules."""
    docker = (ROOT / "examples/Dockerfile").read_text(encoding="utf-8")
    environment, install, trial = re.findall(r"^RUN (.+)$", docker, re.MULTILINE)
    assert environment == "python -m venv /opt/tsgkit"
    begin, extras = re.fullmatch(r"(.+) '\.\[([\w,]+)\]'", install).groups()  # type: ignore[union-attr]
    assert begin == "/opt/tsgkit/bin/python -m pip install --no-cache-dir --constraint constraints.txt"
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    assert trial.split()[0] == "/opt/tsgkit/bin/tsgkit"
    assert parser_of("eval").parse_args(trial.split()[2:]).limit == 2
