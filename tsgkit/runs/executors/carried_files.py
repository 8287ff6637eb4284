"""Files that travel with a unit to a machine which does not have them, and the words about them that come back."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tsgkit.errors import FileProblem
from tsgkit.suites.solvers.solver import ReadsFolder, Solver
from tsgkit.suites.transcript import Transcript


@dataclass(frozen=True)
class Carried:
    """A sample with the files that its solver reads, by their paths in its folder."""

    sample: Any
    files: dict[str, bytes]


def carried(solver: Solver, sample: Any) -> Any:  # noqa: ANN401  (its suite's sample)
    """Return a sample with its files, where its solver reads some from one folder; else the sample alone.

    ``FileProblem`` where the name of a file leads out of the folder: it would be written outside of the worker's.
    """
    if not isinstance(solver, ReadsFolder) or solver.folder is None:
        return sample
    folder = solver.folder
    files = [path for path in solver.files_of(sample) if path.is_relative_to(folder) and path.is_file()]
    names = [path.relative_to(folder) for path in files]
    if outside := next((name for name in names if ".." in name.parts), None):
        raise FileProblem(f"{folder}: {outside} is outside its folder", hint="name a file inside it")
    return Carried(sample, {name.as_posix(): path.read_bytes() for name, path in zip(names, files, strict=True)})


def with_files(work: Callable[[Solver, Any], Transcript], solver: Solver, item: Any) -> Transcript:  # noqa: ANN401
    """Do the work on a sample, with its files in a folder that is made for that; replies name the user's folder."""
    if not isinstance(item, Carried) or not isinstance(solver, ReadsFolder):
        return work(solver, item)
    with tempfile.TemporaryDirectory(prefix="tsgkit-unit-") as temporary:
        folder = Path(temporary).resolve()
        for name, data in item.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        transcript = work(solver.in_folder(folder), item.sample)
    ours, theirs = str(solver.folder), str(folder)

    def renamed(text: str | None) -> str | None:
        return text and text.replace(theirs, ours).replace(json.dumps(theirs)[1:-1], json.dumps(ours)[1:-1])

    replies = []
    for labelled in transcript.said:
        reply = replace(labelled.reply, text=renamed(labelled.reply.text), error=renamed(labelled.reply.error))
        replies.append(replace(labelled, reply=reply))
    return Transcript(tuple(replies))
