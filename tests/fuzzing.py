"""Puts made-up and mutated texts through every reader: each must read or refuse, in time, and keep its word.

Mutated files go through every loader (``LOADERS``), which may refuse them by ``TsgkitError`` and nothing else.
``TSGKIT_FUZZ`` says how many times as many texts and files are tried as in the tests. A text is made from the seed and
its number alone. The promises stand in ``reader_promises``, the texts come from ``made_up_texts``.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import cache, partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from made_up_texts import SPOILERS, make_up
from reader_promises import CHECKS, Broken, Check
from shipped import DATA, TASKS

from tsgkit.errors import TsgkitError
from tsgkit.library.cards import load_card, loaded
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


def check_loader(loader: Loader, random: Random, folder: Path) -> None:
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
            gather([run], metrics="headline")
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


TIMES = int(os.environ.get("TSGKIT_FUZZ", "1"))
SECONDS = 10.0
"""Processor time that one check of one text may take: all texts are short enough for a tenth of it."""


class Hang(BaseException):
    """A check did not end in time; no ``Exception``, so that no reader takes it for its own."""


class Fault(NamedTuple):
    """A failure on a text: its kind, and the details."""

    kind: str
    detail: str = ""


@dataclass
class Tally:
    """What a fuzzing run did, and the check, fault and text of the first failure."""

    texts: int = 0
    calls: int = 0
    failure: tuple[str, Fault, str] | None = None


def run(count: int, seed: int, checks: dict[str, Check] | None = None) -> Tally:
    """Put ``count`` texts through all checks, up to the first failure."""
    tally = Tally()
    for number in range(count):
        text = made_up(seed, number)
        for name, check in (CHECKS if checks is None else checks).items():
            outcome = put_through(check, text)
            if isinstance(outcome, Fault):
                tally.failure = (name, outcome, text)
                return tally
            tally.calls += outcome
        tally.texts += 1
    return tally


def made_up(seed: int, number: int) -> str:
    return make_up(Random(f"{seed}/{number}"))


def put_through(check: Check, text: str, seconds: float = SECONDS) -> int | Fault:
    try:
        with alarm(seconds):
            return check(text)
    except Hang:
        return Fault("does not end", f"not within {seconds:g} s")
    except Broken as broken:
        return Fault(broken.promise, broken.detail)
    except Exception as error:  # noqa: BLE001  (whatever a reader raises is what we look for)
        return Fault(f"raises {type(error).__name__}", str(error))


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise Hang

    before = signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def load_spoilt(name: str, loader: Loader, count: int, seed: int) -> str:
    """Put so many mutated files through a loader; return which was the first that it did not load or refuse."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numbers that overflow, say
        for number in range(count):
            try:
                with alarm(SECONDS):
                    check_loader(loader, Random(f"{seed}/{name}/{number}"), Path(folder))
            except Hang:
                return f"file {number}: does not end within {SECONDS:g} s"
            except Exception as error:  # noqa: BLE001  (whatever a loader raises is what we look for)
                return f"file {number}: raises {type(error).__name__}: {error}"
    return ""
