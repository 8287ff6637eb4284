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
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.cli.suites.sceneeval.remarks import check_remarks, remarked_page
from tsgkit.cli.terminal import complain, count, inert, say
from tsgkit.errors import GOOD, ExtraMissing, UsageError
from tsgkit.library.files import STDIN, write_bytes, write_text
from tsgkit.library.overwrites import refuse_to_overwrite_sources, refuse_to_replace_data

if TYPE_CHECKING:
    from tsgkit.geometry import MeasuredScene, Scene, View
    from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene

VIEWS: tuple[View, ...] = ("front", "figure", "surroundings", "top")
ENDINGS = (".png", ".html")
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
    verb.add_argument(
        "--size", type=int, default=None, metavar="N", help="width and height of an image in pixels (default: 512)"
    )
    verb.add_argument(
        "--annotations", metavar="FILE", help="on a page: judge these demands by rules and show the results"
    )
    verb.add_argument(
        "--item", metavar="ID", help="the item in the annotations or run (default: from a file name scene_ID)"
    )
    verb.add_argument("--run", metavar="RUN", help="on a page: show the findings of this run instead")
    verb.add_argument("--subject", metavar="NAME", help="the subject of the room, if the run has several")
    verb.add_argument(
        "--assets", action="append", metavar="LAYOUT=DIR", help="the folder of the meshes that scenes name"
    )
    verb.add_argument(
        "--missing", choices=("error", "box"), default="error", help="handling of missing meshes (default: error)"
    )


def render(arguments: argparse.Namespace) -> int:
    """Write an image or a page."""
    from tsgkit.geometry import MeasuredScene

    ending = _checked_ending(arguments)
    found = _read(arguments)
    stage = MeasuredScene(found.scene)
    faults: tuple[str, ...] = ()
    if ending == ".html":
        page = remarked_page(found, stage, arguments)
        refuse_to_replace_data(arguments.out, page)
        write_text(arguments.out, page)
    else:
        faults = _image(stage, arguments)
    _report_faults(stage, faults)
    say(f"drawn: {inert(arguments.out)}")
    return GOOD


def _checked_ending(arguments: argparse.Namespace) -> str:
    refuse_to_overwrite_sources(arguments.out, arguments.file, arguments.annotations)
    ending = Path(arguments.out).suffix.lower()
    if arguments.out == STDIN or ending not in ENDINGS:
        raise UsageError(
            f"{arguments.out}: unknown kind of output", hint="end the name in .png for an image or .html for a page"
        )
    chosen = [name for name in ("object", "view", "size") if getattr(arguments, name) is not None]
    if ending == ".html" and chosen:
        raise UsageError(f"{arguments.out}: --{chosen[0]} has no effect on a page, which shows the whole room")
    check_remarks(arguments, is_page=ending == ".html")
    return ending


def _read(arguments: argparse.Namespace) -> LoadedScene:
    from tsgkit.suites.sceneeval.scene_files.assets import sources_of
    from tsgkit.suites.sceneeval.scene_files.folder import read_scene

    found = read_scene(Path(arguments.file), sources_of(arguments.assets or ()), missing=arguments.missing)
    for note in found.notes[:SHOWN]:
        complain(note)
    return found


def _image(stage: MeasuredScene, arguments: argparse.Namespace) -> tuple[str, ...]:
    from tsgkit.geometry import view
    from tsgkit.geometry.rendering import SIZE

    kind: View = arguments.view or ("top" if arguments.object is None else "front")
    size = SIZE if arguments.size is None else arguments.size
    image = view(stage, kind, arguments.object, size)
    png = image.png()
    refuse_to_replace_data(arguments.out, png)
    write_bytes(arguments.out, png)
    return image.faults


def _report_faults(stage: MeasuredScene, faults: tuple[str, ...]) -> None:
    """Report everything that is not shown correctly."""
    said = [str(problem) for problem in stage.problems] + list(faults)
    for line in said[:SHOWN]:
        complain(inert(line))
    if len(said) > SHOWN:
        complain(f"and {count(len(said) - SHOWN, 'more problem')} of this room")
    if _has_meshes(stage.scene) and find_spec("PIL") is None:
        missing = ExtraMissing("textures are decoded", "Pillow", "images")
        complain(f"textures are not shown: {missing}", missing.hint)


def _has_meshes(scene: Scene) -> bool:
    from tsgkit.geometry import Mesh

    return any(isinstance(thing.shape, Mesh) and thing.shape.paint is not None for thing in scene.objects)
