"""Convert scenes of other tools into files that can be scored, and report the losses.

  tsgkit scene convert house.json -o rooms                      rooms/scene_house.json; the form is detected
  tsgkit scene convert house.json --id 7 --assets objathor=DIR  sizes of assets from their folder
  tsgkit scene convert layout.json --with config.json --assets layoutvlm_objathor=DIR
  tsgkit scene convert px.json --room-sizes sizes.csv           pixels to metres, by the real size of each room
  tsgkit scene convert made/ -o rooms                           every file of a folder and all folders in it
  tsgkit scene convert results/ --with tasks/ --ids ids.csv     folders of runs, with the ids of their annotations
  tsgkit eval --task sceneeval --scenes mine=rooms              score the scenes of a folder

Scenes are named by the id in a file, the number at the end of a file's name (bedroom_7.json is scene 7), or that name.
A file that is alone in its folder (results/bedroom_7/layout.json) has the name of the folder. A table of ids (--ids) is
CSV with the columns name,id: the name of a file, of the folder of a run or its path (kitchens/run_7), or of a record.
A room (--to room) has a box for every object and needs no other files; a scene state (--to state) names meshes, which
scoring finds with --assets. Sizes that neither a file nor its assets contain are reported and never invented. Facts
that files leave open are assumed and reported; set them with --assume NAME=VALUE.

forms and their assumptions:
  holodeck    houses of Holodeck as JSON (rooms with a floorPolygon, walls, doors, windows, objects)
                footprint-margin=METRES   by which footprints of objects on the floor are enlarged (default: 0.1)
                objects on walls, on objects and on the ceiling need --assets objathor=DIR (annotations.json or
                .json.gz; a second folder may be given for the simulator's own assets)
  layoutvlm   layouts of LayoutVLM as JSON (a position and a rotation of each asset), their configurations (--with) and
              the data.json of their assets (--assets layoutvlm_objathor=DIR)
                angles=degrees|radians    position=middle|underside    front=+x|-x|+y|-y    box=width-first|depth-first
  layoutgpt   layouts of LayoutGPT: lines of CSS, or JSON records with an object_list; to rooms only
                shorter-side=METRES   pixels-per-metre=N   room=4.2mx3m
                place=centre|corner   depth=middle|underside   unit=m|cm|mm|px
  atiss       layouts of ATISS: JSON records with an object_list and a centroid; to rooms only (--room-sizes)
  hsm         scene states of HSM with --assets hssd=DIR or their hsm_scene_state.json (--with); to rooms only
  idesign     scene graphs of I-Design as JSON (a list of objects with a new_object_id); to rooms only
  sceneweaver layouts of SceneWeaver (of record_scene/layout_N.json in a folder, the last); to rooms only
  boxes       arrays of DiffuScene and InstructScene, as .npz or JSON: class_labels, translations, sizes and angles
              after post_process, with the names of the classes (--with dataset_stats.txt); and the boxes.npz of their
              data sets; to rooms only (--room-sizes)
  3d-front    houses of 3D-FRONT as JSON, a scene for every room, with --assets threed_future=DIR

A table of room sizes is CSV (id,shorter_side or id,length,width, in metres) or JSON: under each id of a record
(UUID_Bedroom-803, or Bedroom-803) the shorter side, [length, width], or {"corners": [[x, z], ...]}, its outline.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tsgkit.cli.terminal import complain, count, inert, say, say_json
from tsgkit.errors import FINISHED_WITH_ERRORS, GOOD, UsageError
from tsgkit.library.files import read_text
from tsgkit.report.progress import Countdown

if TYPE_CHECKING:
    from tsgkit.suites.sceneeval.converters import ConversionOutcome, Converted

OUT = "rooms"
SHOWN = 20
NAMED = 6


def add_convert(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the verb ``convert`` and its options."""
    verb = verbs.add_parser(
        "convert",
        help="scenes of other tools (Holodeck, LayoutVLM, SceneWeaver, 3D-FRONT, ...) as files scored here",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    option = verb.add_argument
    option("source", metavar="FILE_OR_DIR", help="a file of another tool, or a folder of them")
    option("-o", "--out", metavar="OUT", default=OUT, help=f"a folder (default: {OUT}), or one .json file")
    option("--from", dest="form", metavar="FORM", help="the form (default: recognised by the content)")
    option("--to", choices=("room", "state"), default="room", help="the format to write (default: room)")
    about = "a configuration, or a folder of configurations named after the files or the folders of the runs"
    option("--with", dest="beside", metavar="FILE_OR_DIR", help=about)
    option("--ids", metavar="FILE", help="ids of scenes by the names of their files, CSV: name,id")
    option("--room-sizes", metavar="FILE", help="real sizes of rooms by id, CSV or JSON")
    option("--assets", action="append", default=[], metavar="LAYOUT=DIR", help="the folder of assets")
    option("--assume", action="append", default=[], metavar="NAME=VALUE", help="set a fact that files leave open")
    option("--id", metavar="ID", help="the id of the scene, if there is only one")
    option("--force", action="store_true", help="overwrite existing scenes")
    option("--json", action="store_true", help="print one JSON object")
    option("--quiet", action="store_true", help="no progress")


def convert(arguments: argparse.Namespace) -> int:
    """Convert a file or a folder. If a file holds a single scene, its failure is raised as a usage error."""
    from tsgkit.suites.sceneeval import converters
    from tsgkit.suites.sceneeval.scene_files.assets import sources_of
    from tsgkit.suites.sceneeval.scene_files.files import plain_id

    source, table = Path(arguments.source), arguments.room_sizes
    sizes = None if table is None else converters.room_sizes_of(read_text(table), Path(table).name)
    assumed: dict[str, str] = {}
    for text in arguments.assume:
        name, _, value = text.partition("=")
        if not (name and value):
            raise UsageError(f"--assume {text}: expected NAME=VALUE", hint="as in --assume angles=degrees")
        if name in assumed:
            raise UsageError(f"--assume {name} is given twice")
        assumed[name] = value
    options = converters.ConversionOptions(
        arguments.to, sources_of(arguments.assets), assumed=assumed, room_sizes=sizes
    )
    if arguments.form is not None:
        converters.converter_of(arguments.form)
    if arguments.ids is not None and arguments.id is not None:
        raise UsageError("--ids and --id both name the scene", hint="give one of them")
    ids = None if arguments.ids is None else converters.SceneIds.of(read_text(arguments.ids), Path(arguments.ids).name)
    beside = Path(arguments.beside) if arguments.beside else None
    if beside is not None and not beside.exists():
        raise UsageError(f"--with {beside}: no such file or folder")
    batch, results = converters.ConversionSettings(options, arguments.form, beside, ids), _Results([], [])
    if source.is_dir():
        if arguments.id is not None:
            raise UsageError(f"{source}: --id needs a single scene, but this is a folder", hint="name one file in it")
        if Path(arguments.out).resolve() == source.resolve():
            message = f"{arguments.out}: the output folder is the source folder"
            raise UsageError(message, hint="name another one: -o OUT")
        tree, show = converters.tree_of(source, Path(arguments.out)), Countdown("files")
        for number, outcome in enumerate(chain(converters.convert_each(tree.entries, batch), tree.unreadable), 1):
            if not arguments.quiet and number <= len(tree.entries):
                show(number, len(tree.entries))
            _write(outcome, results, arguments, is_alone=False)
        return _report(results, arguments, tree.passed_over)
    outcome = converters.convert_file(source, batch)
    is_alone = (number := len(outcome.scenes) + len(outcome.failures)) == 1
    if is_alone and outcome.failures:
        raise outcome.failures[0]
    if arguments.id is not None:
        if not is_alone:
            raise UsageError(f"{source}: --id needs a single scene, but the file has {number:,}")
        outcome = replace(outcome, scenes=(replace(outcome.scenes[0], id=plain_id(arguments.id, "--id")),))
    _write(outcome, results, arguments, is_alone=is_alone)
    if is_alone and results.failures:
        raise results.failures[0][1]
    return _report(results, arguments)


class _Results(NamedTuple):
    """The scenes that were written, and the failures, each with the file it is of."""

    written: list[tuple[ConversionOutcome, Path, Converted]]
    failures: list[tuple[ConversionOutcome, UsageError]]


def _write(outcome: ConversionOutcome, results: _Results, arguments: argparse.Namespace, *, is_alone: bool) -> None:
    """Write the scenes of a file."""
    from tsgkit.suites.sceneeval.converters import write_scene

    out = Path(arguments.out)
    is_file = out.suffix.lower() == ".json"
    if is_file and not is_alone:
        raise UsageError(f"{out}: several scenes cannot be written to one file", hint="name a folder: -o OUT")
    if is_file and arguments.id is not None:
        hint = "give -o a folder, or omit --id"
        raise UsageError("--id cannot be combined with the name of an output file", hint=hint)
    if not is_file and out.exists() and not out.is_dir():
        raise UsageError(f"{out}: not a folder", hint="name a folder, or a file that ends in .json")
    results.failures.extend((outcome, failure) for failure in outcome.failures)
    for scene in outcome.scenes:
        target = out if is_file else out / f"scene_{scene.id}.json"
        try:
            write_scene(target, scene.scene, outcome.entry.path, force=arguments.force)
            results.written.append((outcome, target, scene))
        except UsageError as error:
            results.failures.append((outcome, error))


def _report(results: _Results, arguments: argparse.Namespace, passed_over: Sequence[str] = ()) -> int:
    """Print the written scenes, a line for each kind of loss, and the failures; a repeated hint is printed once."""
    from tsgkit.suites.sceneeval.converters import Ledger

    written, failures = results
    code = FINISHED_WITH_ERRORS if failures else GOOD
    if arguments.json:
        scenes = [
            {"file": outcome.entry.name, "form": outcome.form, "id": scene.id, "out": str(target)}
            | {"objects": scene.objects, "losses": list(map(asdict, scene.losses))}
            for outcome, target, scene in written
        ]
        failed = [
            {"file": outcome.entry.name, "message": str(failure), "hint": failure.hint} for outcome, failure in failures
        ]
        say_json({"scenes": scenes, "failures": failed, "passed_over": list(passed_over)})
        return code
    for outcome, target, scene in written[:SHOWN]:
        objects = count(scene.objects, "object")
        say(f"{inert(outcome.entry.name)} ({inert(outcome.form)}) to {inert(str(target))}: {objects}")
    if len(written) > SHOWN:
        say(f"... and {count(len(written) - SHOWN, 'more scene')}")
    ledger = Ledger()
    for _, _, scene in written:
        for loss in scene.losses:
            ledger.add(loss)
    for loss in ledger.summary():
        say(f"  {inert(str(loss))}")
    if len(written) > 1 or failures:
        say(f"{count(len(written), 'scene')} converted (to: {arguments.to}), {len(failures):,} failed")
    if passed_over:
        shown = ", ".join(passed_over[:NAMED]) + (", ..." if len(passed_over) > NAMED else "")
        say(f"{count(len(passed_over), 'file')} passed over, not scenes: {inert(shown)}")
    hints: set[str] = set()
    for _, failure in failures[:SHOWN]:
        complain(str(failure), "" if failure.hint in hints else failure.hint)
        hints.add(failure.hint)
    if len(failures) > SHOWN:
        complain(f"and {count(len(failures) - SHOWN, 'more failure')} (--json has them)")
    return code
