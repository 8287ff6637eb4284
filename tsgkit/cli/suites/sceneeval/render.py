"""Render a room as an image, as a judge sees it, or as a page on which it can be turned.

tsgkit scene render scene_0.json -o room.png                                      the whole room from above
tsgkit scene render scene_0.json --object lamp_2 -o lamp.png                      one object from its front
tsgkit scene render scene_0.json --object lamp_2 --view surroundings -o there.png --size 1024
tsgkit scene render scene_0.json -o room.html                                     a page that needs no network
tsgkit scene render scene_0.json --annotations demands.csv -o room.html           with its demands, judged by rules
tsgkit scene render scene_0.json --run runs/NAME-IDENTITY -o room.html            with the findings of a run
"""

from __future__ import annotations

import argparse
import asyncio
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, ExtraMissing, UsageError
from tsgkit.library.files import STDIN
from tsgkit.library.overwrites import refuse_to_overwrite_sources, write_report

if TYPE_CHECKING:
    from tsgkit.geometry import MeasuredScene, View
    from tsgkit.suites.sceneeval.pages.remarks import Section
    from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene

VIEWS: tuple[View, ...] = ("front", "figure", "surroundings", "top")
ENDINGS = (".png", ".html")
OPTIONS = ("annotations", "item", "run", "subject")
"""The options of a page."""
PREFIX = "scene_"
SHOWN = 5


def add_render(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb ``render`` and its options."""
    verb = verbs.add_parser(
        "render", help="an image of a room or of one of its objects, or a page on which it can be turned"
    )
    verb.add_argument("file", metavar="SCENE", help="a scene state or a tsgkit room (JSON), or a GLB file")
    verb.add_argument("-o", "--out", required=True, metavar="FILE", help="the .png, or the .html page, to write")
    verb.add_argument("--object", metavar="ID", help="the object to show (default: the whole room, from above)")
    verb.add_argument("--view", choices=VIEWS, help="default: front of an object, top of a room")
    about = "width and height of an image in pixels (default: 512)"
    verb.add_argument("--size", type=int, default=None, metavar="N", help=about)
    about = "on a page: judge these demands by rules and show the results"
    verb.add_argument("--annotations", metavar="FILE", help=about)
    about = "the item in the annotations or run (default: from a file name scene_ID)"
    verb.add_argument("--item", metavar="ID", help=about)
    verb.add_argument("--run", metavar="RUN", help="on a page: show the findings of this run instead")
    verb.add_argument("--subject", metavar="NAME", help="the subject of the room, if the run has several")
    about = "the folder of the meshes that scenes name"
    verb.add_argument("--assets", action="append", metavar="LAYOUT=DIR", help=about)
    about = "handling of missing meshes (default: error)"
    verb.add_argument("--missing", choices=("error", "box"), default="error", help=about)


def render(arguments: argparse.Namespace) -> int:
    """Write an image or a page, and report everything that it does not show correctly."""
    from tsgkit.geometry import MeasuredScene, Mesh, view
    from tsgkit.geometry.rendering import SIZE
    from tsgkit.suites.sceneeval.pages.page import room_page
    from tsgkit.suites.sceneeval.scene_files.assets import sources_of
    from tsgkit.suites.sceneeval.scene_files.folder import read_scene

    ending = _checked_ending(arguments)
    file = Path(arguments.file)
    loaded = read_scene(file, sources_of(arguments.assets or ()), missing=arguments.missing)
    for note in loaded.notes[:SHOWN]:
        complain(note)
    stage = MeasuredScene(loaded.scene)
    faults = [str(problem) for problem in stage.problems]
    if ending == ".html":
        about, sections = _judged(loaded, stage, arguments) if arguments.run is None else _recorded(loaded, arguments)
        page = room_page(loaded.scene, sections, title=f"The room of {file.name}", about=about)
        write_report(arguments.out, page)
    else:
        kind: View = arguments.view or ("top" if arguments.object is None else "front")
        image = view(stage, kind, arguments.object, SIZE if arguments.size is None else arguments.size)
        write_report(arguments.out, image.png())
        faults += image.faults
    for fault in faults[:SHOWN]:
        complain(fault)
    if len(faults) > SHOWN:
        complain(f"and {count(len(faults) - SHOWN, 'more problem')} of this room")
    painted = (isinstance(thing.shape, Mesh) and thing.shape.paint is not None for thing in loaded.scene.objects)
    if any(painted) and find_spec("PIL") is None:
        missing = ExtraMissing("textures are decoded", "Pillow", "images")
        complain(f"textures are not shown: {missing}", missing.hint)
    say(f"drawn: {inert(arguments.out)}")
    return GOOD


def _checked_ending(arguments: argparse.Namespace) -> str:
    """Return the ending of the output. Raise ``UsageError`` for options that have no effect together."""
    refuse_to_overwrite_sources(arguments.out, arguments.file, arguments.annotations)
    ending = Path(arguments.out).suffix.lower()
    if arguments.out == STDIN or ending not in ENDINGS:
        hint = "end the name in .png for an image or .html for a page"
        raise UsageError(f"{arguments.out}: unknown kind of output", hint=hint)
    chosen = [name for name in ("object", "view", "size") if getattr(arguments, name) is not None]
    if ending == ".html" and chosen:
        raise UsageError(f"{arguments.out}: --{chosen[0]} has no effect on a page, which shows the whole room")
    given = [name for name in OPTIONS if getattr(arguments, name) is not None]
    if given and ending != ".html":
        raise UsageError(f"--{given[0]} needs a page, but {arguments.out} is an image", hint="end its name in .html")
    if arguments.run is not None and arguments.annotations is not None:
        raise UsageError("--annotations cannot be combined with --run, which has its own", hint="give one of the two")
    if arguments.subject is not None and arguments.run is None:
        raise UsageError("--subject needs --run", hint="add --run RUN")
    if arguments.item is not None and arguments.run is None and arguments.annotations is None:
        raise UsageError("--item needs --annotations or --run", hint="add --annotations FILE or --run RUN")
    return ending


def _item(arguments: argparse.Namespace) -> str:
    stem = Path(arguments.file).stem
    if arguments.item is None and not stem.startswith(PREFIX):
        raise UsageError(f"{arguments.file}: its name does not give the item", hint="name the item: --item ID")
    return str(arguments.item or stem.removeprefix(PREFIX))


def _judged(loaded: LoadedScene, stage: MeasuredScene, arguments: argparse.Namespace) -> tuple[str, list[Section]]:
    """Judge the room by rules: always its plausibility, and its demands if there are annotations."""
    from tsgkit.lexicon import meant
    from tsgkit.library.cards import load_card
    from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
    from tsgkit.suites.sceneeval.fidelity import FidelityTask
    from tsgkit.suites.sceneeval.judges.rules import RulesJudge
    from tsgkit.suites.sceneeval.pages.remarks import sections
    from tsgkit.suites.sceneeval.plausibility import findings

    judge = RulesJudge()
    types = asyncio.run(judge.supports(loaded, stage, None))
    wrong = findings(stage, types, asyncio.run(judge.sides(loaded, None)))
    if arguments.annotations is None:
        return "", sections(None, None, wrong)
    listed = {one.item_id: one for one in read_annotation_file(Path(arguments.annotations)).usable()}
    item = _item(arguments)
    if item not in listed:
        raise UsageError(f"{arguments.annotations}: there is no item {item}", hint=meant(item, list(listed)))
    task = FidelityTask(load_card("sceneeval/fidelity"))
    met = task.measure(listed[item], loaded, asyncio.run(task.ask_judge(listed[item], loaded, judge, None)))
    return listed[item].description, sections(listed[item], met, wrong)


def _recorded(loaded: LoadedScene, arguments: argparse.Namespace) -> tuple[str, list[Section]]:
    """Return the strict findings that a run recorded for this room."""
    from tsgkit.report.explanation import explain
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.pages.remarks import sections, strict_findings

    run, item = arguments.run, _item(arguments)
    rows = explain(run, item, subject=arguments.subject).rows
    rooms = [(row, row.sample) for row in rows if isinstance(row.sample, Annotation) and "scenes" in row.task.takes]
    if not rooms:
        raise UsageError(f"{run}: this run judged no scenes")
    subjects = list(dict.fromkeys(row.cell.subject for row, _ in rooms))
    if len(subjects) > 1:
        several = f"{run}: the run has rooms of several subjects: {', '.join(subjects)}"
        raise UsageError(several, hint=f"--subject {subjects[0]}")
    parts = {row.task.kind: strict_findings(row.judged.evidence) for row, _ in rooms}
    judged = {name for part in ("matched", "objects") for one in parts.values() for name in (one or {}).get(part, ())}
    if strange := sorted(judged - {one.id for one in loaded.scene.objects}):
        what = f"{run} judged another room for item {item}: {strange[0]} is not in {arguments.file}"
        raise UsageError(what, hint="name the judged room, or judge this one with --annotations FILE")
    annotation = rooms[0][1]
    return annotation.description, sections(annotation, parts.get("fidelity"), parts.get("plausibility"))
