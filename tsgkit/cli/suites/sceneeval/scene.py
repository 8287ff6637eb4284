"""Query, draw, render and convert furnished rooms; check and draw annotations.

  tsgkit scene relation room.json next_to lamp_2 bed_1          is lamp_2 next to bed_1? (the anchor comes last)
  tsgkit scene relation room.json side_of lamp_2 bed_1 --side left --profile official --json
  tsgkit scene relation room.json against_wall bed_1            a relation to a built element
  tsgkit scene show room.json -o top.svg                        collisions, blocked sides, free floor (or -o page.html)
  tsgkit scene render room.json --object lamp_2 -o lamp.png     images as a judge sees them, and pages to turn a room
  tsgkit scene convert house.json -o rooms                      scenes of other tools as files for --scenes
  tsgkit scene check annotations.csv                            all findings on a file of annotations
  tsgkit scene draw annotations.csv --item 0 -o demands.svg     the demands of a description, as a scene graph

A room is a published scene state (give the folders of its meshes: --assets LAYOUT=DIR), a tsgkit room (JSON), or a
GLB file.
"""

from __future__ import annotations

import argparse
import asyncio
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.suites.sceneeval.convert import add_convert, convert
from tsgkit.cli.terminal import complain, count, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, ExtraMissing, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.files import STDIN, refuse_to_overwrite_sources, write_report

if TYPE_CHECKING:
    from tsgkit.geometry import MeasuredScene, View
    from tsgkit.suites.sceneeval.remarks import RemarkSection
    from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene

PROFILES = ("strict", "official")
VIEWS: tuple[View, ...] = ("front", "figure", "surroundings", "top")
ENDINGS = (".png", ".html")
OPTIONS = ("annotations", "item", "run", "subject")
"""The options of a page."""
PREFIX = "scene_"
SHOWN = 5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the verbs and their options."""
    verbs = parser.add_subparsers(
        dest="verb", required=True, metavar="relation | show | render | convert | check | draw"
    )
    relation = verbs.add_parser("relation", help="evaluate one relation: its score, if it holds, and why")
    show = verbs.add_parser("show", help="draw the top view of a room, as SVG or as a page")
    for verb in (relation, show):
        verb.add_argument("file", metavar="SCENE", help="a room: a JSON or GLB file")
        verb.add_argument("--assets", action="append", metavar="LAYOUT=DIR", help="the folder of its meshes")
        verb.add_argument("--missing", choices=("error", "box"), default="error", help="handling of missing meshes")
    relation.add_argument("relation", metavar="RELATION", help="such as next_to, side_of, on_top, against_wall")
    objects = "the target, or targets, and the anchor: next_to lamp_2 bed_1"
    relation.add_argument("objects", nargs="+", metavar="OBJECT", help=objects)
    relation.add_argument("--side", metavar="S", help="left, right, front, back, top, bottom; long or short")
    about = "the built element of a relation to the room: wall, door, window ..."
    relation.add_argument("--to", metavar="E", default="wall", help=about)
    relation.add_argument("--profile", choices=PROFILES, default=PROFILES[0], help="the profile of the measurement")
    relation.add_argument("--json", action="store_true", help="print one JSON object")
    show.add_argument("-o", "--out", required=True, metavar="FILE", help="FILE.svg or FILE.html; - is standard output")
    render = verbs.add_parser(
        "render", help="an image of a room or of one of its objects, or a page on which it can be turned"
    )
    option = render.add_argument
    option("file", metavar="SCENE", help="a scene state or a tsgkit room (JSON), or a GLB file")
    option("-o", "--out", required=True, metavar="FILE", help="the .png, or the .html page, to write")
    option("--object", metavar="ID", help="the object to show (default: the whole room, from above)")
    option("--view", choices=VIEWS, help="default: front of an object, top of a room")
    option("--size", type=int, metavar="N", help="width and height of an image in pixels (default: 512)")
    option("--annotations", metavar="FILE", help="on a page: judge these demands by rules and show the results")
    option("--item", metavar="ID", help="the item in the annotations or run (default: from a file name scene_ID)")
    option("--run", metavar="RUN", help="on a page: show the findings of this run instead")
    option("--subject", metavar="NAME", help="the subject of the room, if the run has several")
    option("--assets", action="append", metavar="LAYOUT=DIR", help="the folder of the meshes that scenes name")
    missing = "handling of missing meshes (default: error)"
    option("--missing", choices=("error", "box"), default="error", help=missing)
    add_convert(verbs)
    check = verbs.add_parser("check", help="list all findings on a file of annotations")
    draw = verbs.add_parser("draw", help="draw the demands of a description as a scene graph")
    for verb in (check, draw):
        verb.add_argument("file", metavar="FILE", help="the published CSV, or JSON")
    check.add_argument("--json", action="store_true", help="print one JSON object with every finding")
    draw.add_argument("--item", metavar="ID", help="the item to draw (default: the first)")
    draw.add_argument("-o", "--out", required=True, metavar="SVG", help="the image; - is standard output")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen verb."""
    verbs = {
        "relation": _relation, "show": _show, "render": _render, "convert": convert, "check": _check, "draw": _draw,
    }  # fmt: skip
    return verbs[arguments.verb](arguments)


def _read(arguments: argparse.Namespace) -> LoadedScene:
    from tsgkit.suites.sceneeval.scene_files.assets import sources_of
    from tsgkit.suites.sceneeval.scene_files.folder import read_scene

    return read_scene(Path(arguments.file), sources_of(arguments.assets or ()), missing=arguments.missing)


def _relation(arguments: argparse.Namespace) -> int:
    import tsgkit.geometry as geometry

    stage = geometry.MeasuredScene(_read(arguments).scene, geometry.PROFILES[arguments.profile])
    name, objects = arguments.relation, arguments.objects
    if name not in (known := (*geometry.RELATIONS_OF_OBJECTS, *geometry.RELATIONS_TO_ROOMS)):
        raise UsageError(f"there is no relation {name}", hint=meant(name, known))
    if len(objects) == 1:
        if name not in geometry.RELATIONS_TO_ROOMS:
            problem = f"{name} is a relation between objects, but only one is given"
            raise UsageError(problem, hint=f"{name} TARGET ANCHOR")
        result = geometry.relation_to_room(stage, name, objects[0], element=arguments.to)
    elif name not in geometry.RELATIONS_OF_OBJECTS:
        raise UsageError(f"{name} is a relation of one object to the room, but {len(objects)} are given")
    else:
        result = geometry.relation_of_objects(stage, name, objects[-1], objects[:-1], arguments.side)
    if arguments.json:
        value = {"relation": result.name, "objects": objects, "side": arguments.side, "profile": arguments.profile}
        say_json(value | {part: getattr(result, part) for part in ("score", "satisfied", "margin", "evidence")})
    else:
        say(inert(str(result)))
    return GOOD


def _show(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.suites.sceneeval.scene_page import scene_page
    from tsgkit.suites.sceneeval.plausibility import findings
    from tsgkit.suites.sceneeval.room_pages import SceneView

    ending = Path(arguments.out).suffix.lower()
    if arguments.out != STDIN and ending not in (".svg", ".html", ".htm"):
        hint = "end the name in .svg for an image or .html for a page"
        raise UsageError(f"{arguments.out}: unknown kind of output", hint=hint)
    view = SceneView(_read(arguments), Path(arguments.file).name)
    if ending not in (".html", ".htm"):
        return _drawn(view.svg, arguments)
    by_profile = {name: findings(view.scene.stages[name], view.types, view.sides) for name in PROFILES}
    return _drawn(scene_page(view.file, view.svg, by_profile, view.problems), arguments)


def _drawn(image: str, arguments: argparse.Namespace) -> int:
    if arguments.out == STDIN:
        say(image)
    else:
        write_report(arguments.out, image, arguments.file)
        say(f"drawn: {inert(arguments.out)}")
    return GOOD


def _check(arguments: argparse.Namespace) -> int:
    from tsgkit.cli.check import SHOWN_PER_CODE, say_findings
    from tsgkit.library.documents.lint import finding_value
    from tsgkit.suites.sceneeval.annotation_files import RULES, read_annotation_file, unmapped_relations

    table = read_annotation_file(Path(arguments.file))
    findings = [*table.findings, *unmapped_relations(table.annotations)]
    errors = sum(finding.severity == "error" for finding in findings)
    by_code = {code: group for code in RULES if (group := [each for each in findings if each.code == code])}
    if arguments.json:
        counts = {code: len(group) for code, group in by_code.items()}
        file = {"file": table.file, "format": "annotations", "annotations": len(table.annotations), "counts": counts}
        file |= {"findings": list(map(finding_value, findings))}
        say_json({"files": [file], "errors": errors, "warnings": len(findings) - errors})
        return FINISHED_WITH_ERRORS if errors else GOOD
    demands = sum(len(each.specifications) for each in table.annotations)
    say(f"{inert(table.file)}: {count(len(table.annotations), 'annotation')}, {count(demands, 'demand')}")
    say_findings(chain(*by_code.values()), RULES, SHOWN_PER_CODE, "--json has them")
    say(f"{count(errors, 'error')}, {count(len(findings) - errors, 'warning')}")
    return FINISHED_WITH_ERRORS if errors else GOOD


def _draw(arguments: argparse.Namespace) -> int:
    from tsgkit.graph.drawing import draw_graph
    from tsgkit.graph.model import ActionGraph
    from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
    from tsgkit.suites.sceneeval.annotations import triplets

    if arguments.out != STDIN and Path(arguments.out).suffix.lower() != ".svg":
        raise UsageError(f"{arguments.out}: the drawing is written as SVG", hint="end the name in .svg")
    annotations = read_annotation_file(Path(arguments.file)).usable()
    chosen = next((annotation for annotation in annotations if arguments.item in (None, annotation.item_id)), None)
    if chosen is None:
        hint = meant(arguments.item, [annotation.item_id for annotation in annotations])
        raise UsageError(f"{arguments.file}: there is no item {arguments.item}", hint=hint)
    title = f"{Path(arguments.file).name}, item {chosen.item_id}"
    return _drawn(draw_graph(ActionGraph.of(*triplets(chosen)), title=title), arguments)


def _render(arguments: argparse.Namespace) -> int:
    """Write an image or a page, and report everything that it does not show correctly."""
    from tsgkit.geometry import MeasuredScene, Mesh, view
    from tsgkit.geometry.rendering import SIZE
    from tsgkit.suites.sceneeval.room_pages import room_page

    ending = _checked_ending(arguments)
    loaded = _read(arguments)
    for note in loaded.notes[:SHOWN]:
        complain(note)
    stage = MeasuredScene(loaded.scene)
    faults = [str(problem) for problem in stage.problems]
    if ending == ".html":
        about, sections = _judged(loaded, stage, arguments) if arguments.run is None else _recorded(loaded, arguments)
        title = f"The room of {Path(arguments.file).name}"
        write_report(arguments.out, room_page(loaded.scene, sections, title=title, about=about))
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
    excluded = [name for name in OPTIONS if getattr(arguments, name) is not None]
    if excluded and ending != ".html":
        raise UsageError(f"--{excluded[0]} needs a page, but {arguments.out} is an image", hint="end its name in .html")
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


def _judged(
    loaded: LoadedScene, stage: MeasuredScene, arguments: argparse.Namespace
) -> tuple[str, list[RemarkSection]]:
    """Judge the room by rules: always its plausibility, and its demands if there are annotations."""
    from tsgkit.suites.sceneeval import fidelity
    from tsgkit.suites.sceneeval.annotation_files import read_annotation_file
    from tsgkit.suites.sceneeval.judges.rules import RulesJudge
    from tsgkit.suites.sceneeval.plausibility import findings
    from tsgkit.suites.sceneeval.remarks import sections

    judge = RulesJudge()
    types = asyncio.run(judge.supports(loaded, stage, None))
    wrong = findings(stage, types, asyncio.run(judge.sides(loaded, None)))
    if arguments.annotations is None:
        return "", sections(None, None, wrong)
    annotations = read_annotation_file(Path(arguments.annotations)).usable()
    listed, item = {annotation.item_id: annotation for annotation in annotations}, _item(arguments)
    if item not in listed:
        raise UsageError(f"{arguments.annotations}: there is no item {item}", hint=meant(item, list(listed)))
    met = fidelity.measure(listed[item], loaded, asyncio.run(fidelity.ask_judge(listed[item], loaded, judge, None)))
    return listed[item].description, sections(listed[item], met, wrong)


def _recorded(loaded: LoadedScene, arguments: argparse.Namespace) -> tuple[str, list[RemarkSection]]:
    """Return the strict findings that a run recorded for this room."""
    from tsgkit.report.explanation import explain
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.remarks import sections, strict_findings

    run, item = arguments.run, _item(arguments)
    rows = explain(run, item, subject=arguments.subject).rows
    rooms = [(row, row.item) for row in rows if isinstance(row.item, Annotation) and "scenes" in row.row.task.takes]
    if not rooms:
        raise UsageError(f"{run}: this run judged no scenes")
    subjects = list(dict.fromkeys(row.cell.subject for row, _ in rooms))
    if len(subjects) > 1:
        several = f"{run}: the run has rooms of several subjects: {', '.join(subjects)}"
        raise UsageError(several, hint=f"--subject {subjects[0]}")
    parts = {row.row.task.kind: strict_findings(row.judged.evidence) for row, _ in rooms}
    listings = (part.get(listing, ()) for part in parts.values() if part for listing in ("matched", "objects"))
    judged = {name for listing in listings for name in listing}
    if strange := sorted(judged - {thing.id for thing in loaded.scene.objects}):
        what = f"{run} judged another room for item {item}: {strange[0]} is not in {arguments.file}"
        raise UsageError(what, hint="name the judged room, or judge this one with --annotations FILE")
    annotation = rooms[0][1]
    return annotation.description, sections(annotation, parts.get("fidelity"), parts.get("plausibility"))
