"""Registry of converters: ours, and those of other packages.

>>> from tsgkit.suites.sceneeval.converters.source import SourceFile
>>> recognised(SourceFile.of("x.json", '[{"object_list": []}]')).name
'layoutgpt'
>>> converter_of("holodek")
Traceback (most recent call last):
tsgkit.errors.UsageError: there is no converter holodek

A package joins by an entry point in the group ``tsgkit.scene_converters``: its name is that of the form, its value a
:class:`~tsgkit.suites.sceneeval.converters.source.Converter`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from tsgkit.errors import FileProblem, UsageError
from tsgkit.lexicon import meant
from tsgkit.library.projects import entry_points
from tsgkit.suites.sceneeval.converters.source import Converter, SourceFile
from tsgkit.suites.sceneeval.scene_files.simple import FORMAT as ROOM
from tsgkit.suites.sceneeval.scene_files.states import FORMAT as STATE

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "tsgkit.scene_converters"
OURS = {
    "holodeck": ("tsgkit.suites.sceneeval.converters.holodeck", "HOLODECK"),
    "layoutvlm": ("tsgkit.suites.sceneeval.converters.layoutvlm", "LAYOUTVLM"),
    "layoutgpt": ("tsgkit.suites.sceneeval.converters.layoutgpt", "LAYOUTGPT"),
    "atiss": ("tsgkit.suites.sceneeval.converters.atiss", "ATISS"),
    "hsm": ("tsgkit.suites.sceneeval.converters.hsm", "HSM"),
    "idesign": ("tsgkit.suites.sceneeval.converters.idesign", "IDESIGN"),
    "sceneweaver": ("tsgkit.suites.sceneeval.converters.sceneweaver", "SCENEWEAVER"),
    "boxes": ("tsgkit.suites.sceneeval.converters.boxes", "BOXES"),
    "3d-front": ("tsgkit.suites.sceneeval.converters.front3d", "FRONT3D"),
}


def known_converters() -> tuple[str, ...]:
    """Return the names of all forms."""
    return tuple(dict.fromkeys((*OURS, *entry_points_by_name())))


@cache
def entry_points_by_name() -> Mapping[str, EntryPoint]:
    """Return the entry points of other packages, which take longer to find than a file takes to convert."""
    return {point.name: point for point in entry_points(group=GROUP)}


def converter_of(name: str) -> Converter:
    """Return the converter of a form; ``UsageError`` where there is none."""
    if name in OURS:
        module, place = OURS[name]
        ours: Converter = getattr(import_module(module), place)
        return ours
    if name not in entry_points_by_name():
        raise UsageError(f"there is no converter {name}", hint=meant(name, known_converters()))
    theirs: Converter = entry_points_by_name()[name].load()
    return theirs


def fitting(given: SourceFile) -> list[Converter]:
    """Return the converters that a file fits."""
    return [one for one in map(converter_of, known_converters()) if one.fits(given)]


def recognised(given: SourceFile) -> Converter:
    """Return the one converter that a file fits; ``FileProblem`` where it fits none, or several."""
    found = fitting(given)
    if len(found) == 1:
        return found[0]
    if found:
        names = ", ".join(one.name for one in found)
        raise FileProblem(f"{given.name}: this may be one of {names}", hint="name it: --from FORM")
    own = given.value.get("format") if isinstance(given.value, dict) else None
    if own in (ROOM, STATE):
        raise FileProblem(f"{given.name}: this is a {own} already: it can be scored as it is")
    known = "\n".join(f"{name}: {converter_of(name).meaning}" for name in known_converters())
    raise FileProblem(f"{given.name}: its form is unknown", hint=known)


def is_companion(given: SourceFile) -> bool:
    """Return whether a file only says more of the scene of another."""
    return any(converter_of(name).is_companion(given) for name in known_converters())
