"""The texts beside a room on its page: demands and problems, judged by rules or taken from a run."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.geometry import MeasuredScene
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.pages.remarks import Findings, Section
    from tsgkit.suites.sceneeval.scene_files.loaded_scene import LoadedScene

OPTIONS = ("annotations", "item", "run", "subject")
PREFIX = "scene_"


def check_remarks(arguments: argparse.Namespace, *, is_page: bool) -> None:
    """Raise UsageError for options that have no effect together."""
    given = [name for name in OPTIONS if getattr(arguments, name) is not None]
    if given and not is_page:
        raise UsageError(f"--{given[0]} needs a page, but {arguments.out} is an image", hint="end its name in .html")
    if arguments.run is not None and arguments.annotations is not None:
        raise UsageError("--annotations cannot be combined with --run, which has its own", hint="give one of the two")
    if arguments.subject is not None and arguments.run is None:
        raise UsageError("--subject needs --run", hint="add --run RUN")
    if arguments.item is not None and arguments.run is None and arguments.annotations is None:
        raise UsageError("--item needs --annotations or --run", hint="add --annotations FILE or --run RUN")


def remarked_page(found: LoadedScene, stage: MeasuredScene, arguments: argparse.Namespace) -> str:
    """Return the page of a room."""
    from tsgkit.suites.sceneeval.pages.page import room_page

    if arguments.run is not None:
        about, sections = _recorded({one.id for one in found.scene.objects}, arguments)
    else:
        about, sections = _judged(found, stage, arguments)
    return room_page(found.scene, sections, title=f"The room of {Path(arguments.file).name}", about=about)


def _item(arguments: argparse.Namespace) -> str:
    stem = Path(arguments.file).stem
    if arguments.item is None and not stem.startswith(PREFIX):
        raise UsageError(f"{arguments.file}: its name does not give the item", hint="name the item: --item ID")
    return str(arguments.item or stem.removeprefix(PREFIX))


def _judged(found: LoadedScene, stage: MeasuredScene, arguments: argparse.Namespace) -> tuple[str, list[Section]]:
    """Judge the room by rules: always its plausibility, and its demands if there are annotations."""
    from tsgkit.library.cards import load_card
    from tsgkit.suites.sceneeval.fidelity import FidelityTask
    from tsgkit.suites.sceneeval.judges.rules import RulesJudge
    from tsgkit.suites.sceneeval.pages.remarks import sections
    from tsgkit.suites.sceneeval.plausibility import findings

    judge = RulesJudge()
    types = asyncio.run(judge.supports(found, stage, None))
    wrong = findings(stage, types, asyncio.run(judge.sides(found, None)))
    if arguments.annotations is None:
        return "", sections(None, None, wrong)
    annotation = _annotation(arguments)
    task = FidelityTask(load_card("sceneeval/fidelity"))
    met = task.measure(annotation, found, asyncio.run(task.ask_judge(annotation, found, judge, None)))
    return annotation.description, sections(annotation, met, wrong)


def _annotation(arguments: argparse.Namespace) -> Annotation:
    from tsgkit.lexicon import meant
    from tsgkit.suites.sceneeval.annotation_files import read_annotation_file

    listed = {one.item_id: one for one in read_annotation_file(Path(arguments.annotations)).usable()}
    item = _item(arguments)
    if item not in listed:
        raise UsageError(f"{arguments.annotations}: there is no item {item}", hint=meant(item, list(listed)))
    return listed[item]


def _recorded(objects: set[str], arguments: argparse.Namespace) -> tuple[str, list[Section]]:
    """Return the strict findings that a run recorded for this room."""
    from tsgkit.report.explanation import explain
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.pages.remarks import sections, strict_findings

    rows = explain(arguments.run, _item(arguments), subject=arguments.subject).rows
    rooms = [row for row in rows if isinstance(row.sample, Annotation) and "scenes" in row.task.takes]
    subjects = list(dict.fromkeys(row.cell.subject for row in rooms))
    if not rooms:
        raise UsageError(f"{arguments.run}: this run judged no scenes")
    if len(subjects) > 1:
        raise UsageError(
            f"{arguments.run}: the run has rooms of several subjects: {', '.join(subjects)}",
            hint=f"--subject {subjects[0]}",
        )
    found = {row.task.kind: strict_findings(row.judged.evidence) for row in rooms}
    _refuse_another_room(found, objects, arguments)
    annotation = rooms[0].sample
    assert isinstance(annotation, Annotation)  # noqa: S101  (checked above)
    return annotation.description, sections(annotation, found.get("fidelity"), found.get("plausibility"))


def _refuse_another_room(
    found: Mapping[str, Findings | None], objects: set[str], arguments: argparse.Namespace
) -> None:
    """Raise UsageError if the run judged objects that are not in this room."""
    judged = {name for part in ("matched", "objects") for one in found.values() for name in (one or {}).get(part, ())}
    if strange := sorted(judged - objects):
        what = (
            f"{arguments.run} judged another room for item {_item(arguments)}: {strange[0]} is not in {arguments.file}"
        )
        raise UsageError(what, hint="name the judged room, or judge this one with --annotations FILE")
