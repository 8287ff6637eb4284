"""Promises of the loaders for any bytes: they load, or raise ``TsgkitError`` and nothing else.

``LOADERS`` names one for each kind of file; its bytes are those of a real file of ours, mutated.

>>> spoilt(b"v 0 0 0", Random(3)) == spoilt(b"v 0 0 0", Random(3))
True
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache, partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from made_up_texts import SPOILERS
from shipped import DATA, TASKS

from tsgkit.errors import TsgkitError
from tsgkit.library.cards import load_card
from tsgkit.library.declarations import loaded
from tsgkit.library.files import decoded, read_text
from tsgkit.llm.scripts import script_in
from tsgkit.runs.plan import load_plan
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.suites.replies import read_replies
from tsgkit.suites.suite import task_of

MOST_CHANGES = 4


def spoilt(data: bytes, random: Random) -> bytes:
    """Return bytes spoilt as texts are; letters that no single byte stands for become UTF-8, as in a real file."""
    text = data.decode("latin-1")
    for _ in range(random.randint(1, MOST_CHANGES)):
        text = random.choice(SPOILERS)(text, random)
    return b"".join(
        letter.encode("latin-1") if ord(letter) < 256 else letter.encode("utf-8", "surrogatepass") for letter in text
    )


class Loader(NamedTuple):
    """A kind of file: the real one, and what loads one that lies at a path."""

    real: Callable[[], bytes]
    name: str
    load: Callable[[Path], object]
    folder: Callable[[], Path] | None = None
    """A folder of which the file is one of several."""


def check(loader: Loader, random: Random, folder: Path) -> None:
    """Put one mutated file through a loader; whatever it raises but ``TsgkitError`` is raised."""
    if loader.folder is not None and not folder.joinpath(".copied").exists():
        shutil.copytree(loader.folder(), folder, dirs_exist_ok=True)
        folder.joinpath(".copied").touch()
    path = folder / loader.name
    path.write_bytes(spoilt(loader.real(), random))
    with suppress(TsgkitError):
        loader.load(path)


@cache
def _mesh(kind: str) -> bytes:
    import trimesh

    scene = trimesh.Scene([trimesh.creation.box((1, 1, 1)), trimesh.creation.icosphere(subdivisions=0)])
    shape: Any = scene if kind == "glb" else scene.to_mesh()
    made = shape.export(file_type=kind)
    return made if isinstance(made, bytes) else str(made).encode()


def _load_mesh(path: Path) -> object:
    from tsgkit.geometry import Mesh, read_mesh
    from tsgkit.geometry.meshes import cleaned

    found = read_mesh(path.read_bytes(), path.suffix[1:])
    return cleaned(found, "mesh", mend_winding=True) if isinstance(found, Mesh) else found


def _load_room(path: Path) -> object:
    from tsgkit.suites.sceneeval.scene_files.folder import read_scene

    return read_scene(path).stage.bodies


def _head(file: Path, lines: int) -> Callable[[], bytes]:
    return cache(lambda: b"".join(file.read_bytes().splitlines(keepends=True)[:lines]))


def _rows(name: str) -> Callable[[Path], object]:
    def load(path: Path) -> object:
        dataset = task().dataset(str(path))
        return [dataset.sample(number) for number in range(len(dataset))]

    task = cache(lambda: task_of(load_card(name)))
    return load


@cache
def _run() -> Path:
    from tsgkit.cli import main

    path = Path(tempfile.mkdtemp()) / "run"
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        assert main(["eval", "--task", "tsg/sgqa", "--limit", "3", "--out", str(path), "--quiet"]) == 0
    return path


def _of_run(name: str) -> Loader:
    def load(path: Path) -> object:
        from tsgkit.report.explanation import explain
        from tsgkit.report.report_rows import gather

        run = path.parent
        with suppress(TsgkitError):
            explain(run, "pcr/q0")
        with suppress(TsgkitError):
            gather([run], metrics="main")
        return open_saved_run(run).results

    return Loader(lambda: _run().joinpath(name).read_bytes(), name, load, _run)


def _replies() -> bytes:
    said = [{"item_id": f"pcr/q{number}", "reply": "[cup]"} for number in range(3)]
    return b"".join(json.dumps(one).encode() + b"\n" for one in said)


REPLIES = {f"pcr/q{number}" for number in range(3)}
ROOM = TASKS / "sceneeval/data/rooms/good/scene_0.json"
LOADERS: dict[str, Loader] = {
    **{kind: Loader(partial(_mesh, kind), f"mesh.{kind}", _load_mesh) for kind in ("obj", "glb", "ply")},
    "room": Loader(_head(ROOM, 10_000), "scene_0.json", _load_room),
    "GLB room": Loader(lambda: _mesh("glb"), "scene_0.glb", _load_room),
    "annotations": Loader(_head(TASKS / "sceneeval/data/annotations.csv", 6), "a.csv", _rows("sceneeval/fidelity")),
    "tsg rows": Loader(_head(DATA / "sgqa.jsonl", 2), "sgqa.jsonl", _rows("tsg/sgqa")),
    "tsg graphs": Loader(_head(DATA / "ma-sgg.jsonl", 2), "ma-sgg.jsonl", _rows("tsg/ma-sgg")),
    "formulas": Loader(_head(TASKS / "formalimg/data/knolling.jsonl", 3), "k.jsonl", _rows("formalimg/knolling")),
    "questions": Loader(_head(TASKS / "spatialgen/data/questions.jsonl", 2), "q.jsonl", _rows("spatialgen/questions")),
    "replies": Loader(_replies, "replies.jsonl", lambda path: read_replies(path, REPLIES)),
    "script": Loader(_replies, "said.jsonl", lambda path: script_in(read_text(path), str(path))),
    "card": Loader(_head(TASKS / "tsg/sgqa.yaml", 100), "sgqa.yaml",
                   lambda path: loaded(decoded(path.read_bytes(), path), path.name)),
    "plan": Loader(lambda: b"tasks: [tsg/sgqa]\nmodels: [openai/x]\nseed: 1\nlimit: 5\n", "p.yaml",
                   lambda path: load_plan(str(path))),
    **{name: _of_run(name) for name in ("run.json", "samples.jsonl", "calls.jsonl")},
}  # fmt: skip
