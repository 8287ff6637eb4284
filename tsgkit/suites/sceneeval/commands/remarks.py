"""What stands beside a room on its page: demands and troubles, as rules find them now or as a run has them."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tsgkit.errors import UsageError

if TYPE_CHECKING:
    from tsgkit.geometry import Stage
    from tsgkit.report.explanation import Explained
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.pages.remarks import Found, Section
    from tsgkit.suites.sceneeval.scene_files.loaded_scene import Furnished

OPTIONS = ("annotations", "item", "run", "subject")
PREFIX = "scene_"


def check_remarks(arguments: argparse.Namespace, *, is_page: bool) -> None:
    """Options that say nothing here are slips."""
    given = [name for name in OPTIONS if getattr(arguments, name) is not None]
    if given and not is_page:
        raise UsageError(f"--{given[0]} is of a page, and {arguments.out} is a picture", hint="end its name in .html")
    if arguments.run is not None and arguments.annotations is not None:
        raise UsageError("a run has its own annotations", hint="give --run or --annotations")
    if arguments.subject is not None and arguments.run is None:
        raise UsageError("--subject chooses in a run, and none is named", hint="--run RUN")
    if arguments.item is not None and arguments.run is None and arguments.annotations is None:
        raise UsageError("--item chooses among annotations, and none are named", hint="--annotations FILE or --run RUN")


def remarked_page(found: Furnished, stage: Stage, arguments: argparse.Namespace) -> str:
    """The page of a room."""
    from tsgkit.suites.sceneeval.pages.page import room_page

    if arguments.run is not None:
        about, sections = _recorded({one.id for one in found.scene.objects}, arguments)
    else:
        about, sections = _judged(found, stage, arguments)
    return room_page(found.scene, sections, title=Path(arguments.file).name, about=about)


def _item(arguments: argparse.Namespace) -> str:
    stem = Path(arguments.file).stem
    if arguments.item is None and not stem.startswith(PREFIX):
        raise UsageError(f"{arguments.file}: its name does not tell which item it is of", hint="say so: --item ID")
    return str(arguments.item or stem.removeprefix(PREFIX))


def _judged(found: Furnished, stage: Stage, arguments: argparse.Namespace) -> tuple[str, list[Section]]:
    """What rules find: always what is wrong, and whether demands are met where they are given."""
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
    met = task.measure(annotation, found, asyncio.run(task.look(annotation, found, judge, None)))
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
    """What a run has of this room, as strict finds it."""
    from tsgkit.report.explanation import explain
    from tsgkit.suites.sceneeval.annotations import Annotation
    from tsgkit.suites.sceneeval.pages.remarks import sections

    rows = explain(arguments.run, _item(arguments), subject=arguments.subject).rows
    rooms = [row for row in rows if isinstance(row.sample, Annotation) and "scenes" in row.task.takes]
    subjects = list(dict.fromkeys(row.cell.subject for row in rooms))
    if not rooms:
        raise UsageError(f"{arguments.run}: no rooms were looked at in this run")
    if len(subjects) > 1:
        raise UsageError(f"{arguments.run}: rooms of {', '.join(subjects)}", hint=f"--subject {subjects[0]}")
    found = {row.task.kind: _evidence(row) for row in rooms}
    _refuse_another_room(found, objects, arguments)
    annotation = rooms[0].sample
    assert isinstance(annotation, Annotation)  # noqa: S101  (chosen so above)
    return annotation.description, sections(annotation, found.get("fidelity"), found.get("plausibility"))


def _refuse_another_room(found: Mapping[str, Found | None], objects: set[str], arguments: argparse.Namespace) -> None:
    """What a run found of one room says nothing of another, or of what became of it since."""
    judged = {name for part in ("matched", "objects") for one in found.values() for name in (one or {}).get(part, ())}
    if strange := sorted(judged - objects):
        what = (
            f"what {arguments.run} has of item {_item(arguments)} is of {strange[0]}, which is not in {arguments.file}"
        )
        raise UsageError(what, hint="name the room that was judged, or --annotations FILE to judge this one")


def _evidence(row: Explained) -> Found | None:
    """What was measured under strict; None where the room could not be looked at."""
    evidence: Found | None = row.judged.evidence
    if evidence is None or row.task.kind == "fidelity":
        return evidence
    return {
        "objects": {name: one["strict"] for name, one in evidence["objects"].items() if one["strict"] is not None},
        "openings": evidence["openings"]["strict"],
        "navigability": evidence["navigability"]["strict"],
    }
