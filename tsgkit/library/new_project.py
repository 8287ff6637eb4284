"""Creation of a small project that runs at once: a card, prompts, ten rows, a plan, a file of code.

>>> import tempfile
>>> [str(path) for path in start_project(Path(tempfile.mkdtemp()) / "mine")][:2]
['README.md', 'tasks/my/actions.yaml']
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.files import write_text
from tsgkit.library.projects import is_project

FILES = {
    "README.md": "README.md",
    "actions.yaml": "tasks/my/actions.yaml",
    "actions.jsonl": "tasks/my/data/actions.jsonl",
    "statement.txt": "prompts/my/actions/statement.txt",
    "first.yaml": "eval/plans/first.yaml",
    "parts.txt": "parts.py",
}
"""The files of the starter, and where a project has them."""
ROOMS = ("eval/reference",)


def start_project(folder: Path) -> tuple[Path, ...]:
    """Write a project into a new or empty folder; the paths of its files within it."""
    if folder.is_file():
        raise FileProblem(f"{folder}: this is a file", hint="name a new folder")
    if folder.is_dir() and any(folder.iterdir()):
        what = "a project lies here already" if is_project(folder) else "the folder is not empty"
        raise UsageError(f"{folder}: {what}", hint="name a new folder; nothing was written")
    starter = files("tsgkit") / "library" / "starter"
    written = []
    for name, destination in FILES.items():
        path = folder / destination
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileProblem(f"{path.parent}: cannot be made: {error.strerror}") from None
        write_text(path, (starter / name).read_text(encoding="utf-8"))
        written.append(Path(destination))
    for room in ROOMS:
        (folder / room).mkdir(parents=True, exist_ok=True)
    return tuple(written)
