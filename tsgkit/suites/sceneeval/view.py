"""Panels of this suite's samples: the room in 3D with demands and problems, and the entries of annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tsgkit.errors import FileProblem, TsgkitError
from tsgkit.geometry import check_libraries
from tsgkit.suites.panels import Panel, SampleView, table_panel, text_panel
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.remarks import Remark, RemarkSection, sections, strict_findings
from tsgkit.suites.sceneeval.scene_files.assets import sources_of
from tsgkit.suites.sceneeval.scene_files.folder import read_scene, scene_file
from tsgkit.suites.sceneeval.scene_files.loaded_scene import FAULTS, MISSING, LoadedScene

if TYPE_CHECKING:
    from tsgkit.suites.task import Folder

MOST_FACES = 300_000
"""The triangles of a room in a panel; larger objects are drawn as boxes."""
SIGNS = {"matched": "=", "missing": "-", "extra": "+", "unread": "?"}
HOLDS = {None: "?", True: "\u2713", False: "\u2717"}
TITLE = "Room"


def view(shown: SampleView) -> Iterator[Panel]:
    """Yield the room with its remarks, or the entries of an annotation."""
    if "scenes" in shown.task.takes:
        yield from _room(shown)
    elif shown.judged.evidence:
        rows = _entry_rows(shown.judged.evidence)
        yield table_panel("Entries", ["", "kind", "entry", "note"], rows)
    else:
        yield text_panel("Entries", "No annotation was read.")


def _room(shown: SampleView) -> Iterator[Panel]:
    """Yield the room that is in the folder today; without one, say why, and list the remarks.

    The remarks are those on the demands, or the problems, as they were judged; there are none after an error.
    """
    evidence, annotation = strict_findings(shown.judged.evidence), shown.sample
    remarks: list[RemarkSection] = []
    if evidence is not None:
        is_fidelity = "matched" in evidence
        remarks = sections(annotation, evidence, None) if is_fidelity else sections(None, None, evidence)
    try:
        check_libraries()
        from tsgkit.geometry.views import undrawable
        from tsgkit.suites.sceneeval.room_pages import listed, room_parts

        room = _scene(shown.folder, annotation.item_id, shown.assets)
        if problem := undrawable(room.stage):
            raise FileProblem(str(problem))
        parts, simplified = room_parts(room.stage, most_faces=MOST_FACES)
        all_sections = [*_changes(shown.judged.evidence or {}, room), *remarks, *simplified]
        value = {"parts": parts, "sections": [listed(remark) for remark in all_sections]}
    except (TsgkitError, OSError, RecursionError, *FAULTS) as error:
        words = error.message if isinstance(error, TsgkitError) else f"{type(error).__name__}: {error}"
        yield text_panel(TITLE, f"The room cannot be drawn: {words}")
        for section in remarks:
            rows = [[HOLDS[remark.holds], remark.text, remark.why] for remark in section.remarks]
            yield table_panel(section.title, ["", "remark", "reason"], rows)
    else:
        still = partial(_from_above, shown.folder, annotation.item_id, shown.assets)
        yield Panel("scene", TITLE, value, still=still)


def _from_above(folder: Folder | None, item_id: str, assets: tuple[str, ...]) -> str:
    """Return the top view of the room that is in the folder today, measured by rules."""
    from tsgkit.suites.sceneeval.room_pages import SceneView

    return SceneView(_scene(folder, item_id, assets), "").svg


def _scene(folder: Folder | None, item_id: str, assets: tuple[str, ...]) -> LoadedScene:
    """Return the scene of an item; a mesh that is missing is drawn as a box, whatever the run did."""
    if folder is None or not Path(folder.path).is_dir():
        raise FileProblem(f"there is no folder of scenes {'' if folder is None else folder.path}")
    path = scene_file(folder.path, item_id)
    if path is None:
        raise FileProblem("the folder has no scene of this id")
    return read_scene(path, sources_of(assets), missing=MISSING[1])


def _changes(evidence: Mapping[str, Any], room: LoadedScene) -> Iterator[RemarkSection]:
    """Yield a section where the objects that were judged are not those of the room."""
    judged = {name for part in ("matched", "objects") for name in evidence.get(part) or ()}
    present = {thing.id for thing in room.scene.objects}
    if judged and (strange := sorted(judged ^ present)):
        remarks = [Remark(f"{name} {'is new' if name in present else 'is gone'}", None, (name,)) for name in strange]
        yield RemarkSection("This is not the room that was judged", remarks)


def _entry_rows(evidence: Mapping[str, Any]) -> Iterable[Sequence[object]]:
    """Yield a row for each entry of an annotation that was wanted or given."""
    near = {
        near_miss.get("said"): f"{near_miss.get('differs')}: {near_miss.get('wanted')} is wanted"
        for near_miss in evidence.get("nearly") or ()
        if isinstance(near_miss, dict)
    }
    for kind, entries in evidence["fields"].items():
        for state, sign in SIGNS.items():
            for entry in entries.get(state) or ():
                text = entry["entry"] if isinstance(entry, dict) else entry
                yield (
                    sign,
                    FIELDS.get(kind, kind),
                    text,
                    entry["reason"] if isinstance(entry, dict) else near.get(text, ""),
                )
