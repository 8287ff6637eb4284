"""JupyterLab and marimo on the loopback, each with one notebook, for tests of what notebooks show."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

LONGEST_START = 60


@contextmanager
def jupyter_lab(folder: Path, cells: Sequence[str]) -> Iterator[str]:
    """Yield the address of a notebook with these cells, opened in JupyterLab."""
    pages = [_cell(number, text) for number, text in enumerate(cells)]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": pages, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    (folder / "tried.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    port = _free_port()
    here = [
        f"--port={port}",
        f"--ServerApp.root_dir={folder}",
        "--ServerApp.token=told",
        "--no-browser",
        "--allow-root",
    ]
    never = ["--LabApp.news_url=None", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    with _running([sys.executable, "-m", "jupyterlab", "--allow-root", *here, *never], folder):
        yield _answering(f"http://127.0.0.1:{port}/lab/tree/tried.ipynb?token=told&reset")


def _cell(number: int, text: str) -> dict[str, object]:
    about: dict[str, object] = {"execution_count": None, "metadata": {}, "outputs": []}
    return {"cell_type": "code", "id": f"cell-{number}", "source": text, **about}


@contextmanager
def marimo(folder: Path, program: str) -> Iterator[str]:
    """Yield the address of a program as an app of marimo."""
    (folder / "tried.py").write_text(program, encoding="utf-8")
    port = _free_port()
    options = ["--headless", "--no-token", "--host", "127.0.0.1", "--port", str(port)]
    with _running([sys.executable, "-m", "marimo", "run", "tried.py", *options], folder):
        yield _answering(f"http://127.0.0.1:{port}/")


@contextmanager
def _running(command: list[str], folder: Path) -> Iterator[None]:
    """Run a server whose user has an empty home."""
    own = {**os.environ, "HOME": str(folder), "JUPYTER_PREFER_ENV_PATH": "1", "MARIMO_SKIP_UPDATE_CHECK": "1"}
    with (folder / "server.log").open("w") as log:
        server = subprocess.Popen(command, cwd=folder, env=own, stdout=log, stderr=log, start_new_session=True)
    try:
        yield
    finally:
        server.terminate()
        server.wait(timeout=30)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _answering(address: str) -> str:
    """Return the address of a server once it answers."""
    end = time.monotonic() + LONGEST_START
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(address, timeout=5):  # noqa: S310
                return address
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"{address} does not answer")
