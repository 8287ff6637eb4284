"""A run of the built-in rules and a function model, made once; servers that show runs, and files that are edited."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from edited_files import written
from served import Client, guess, serving

import tsgkit as tk
from tsgkit.serve.edit_page import edited_file
from tsgkit.serve.edited_file import EditedFile

Serve = Callable[..., Client]
Open = Callable[..., EditedFile]


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of one model on four tasks in two styles."""
    out = tmp_path_factory.mktemp("runs") / "mine"
    tk.evaluate("tsg", model=guess, style=["zero-shot", "cot"], limit=4, out=out, quiet=True)
    return out


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


@pytest.fixture
def opened() -> Iterator[Open]:
    """A function that opens files to edit, which are closed at the end."""
    with ExitStack() as kept:

        def open_file(*words: Any, **options: Any) -> EditedFile:  # noqa: ANN401
            file = edited_file(*words, **options)
            kept.callback(file.close)
            return file

        yield open_file


@pytest.fixture
def story(tmp_path: Path) -> Path:
    """A file with one story."""
    return written(tmp_path, "narrative")
