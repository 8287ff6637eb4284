"""A run of the built-in rules and a function model, made once, and servers that show runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from served import Client, guess, in_a_thread

import tsgkit as tk
from tsgkit.serve.runs_page import RunsPage
from tsgkit.serve.viewed_runs import ViewedRuns

Serve = Callable[..., Client]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one model on four tasks in two styles."""
    out = tmp_path_factory.mktemp("runs") / "mine"
    tk.evaluate("tsg", model=guess, style=["zero-shot", "cot"], limit=4, out=out, quiet=True)
    return out


@contextmanager
def serving(*paths: Path, annotator: str = "ann") -> Iterator[Client]:
    """Serve runs from a thread."""
    with in_a_thread(RunsPage(ViewedRuns(paths), annotator).page()) as server:
        yield Client(server.port, server.token)


@pytest.fixture(scope="session")
def client(finished: Path) -> Iterator[Client]:
    """A client of a server that shows the run, for tests that change nothing."""
    with serving(finished) as found:
        yield found


@pytest.fixture
def serve() -> Iterator[Serve]:
    """A function that serves runs until the test ends."""
    with ExitStack() as kept:
        yield lambda *paths, **options: kept.enter_context(serving(*paths, **options))
