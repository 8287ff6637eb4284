"""The commands and makers of suites: ours by this table, those of other packages by their manifests."""

from __future__ import annotations

from tsgkit.library.projects import installed_suites
from tsgkit.registry import Command

COMMANDS = {
    "formula": Command(
        "tsgkit.cli.suites.formalimg.formula",
        "first-order formulas about layouts: check, show in plain English, judge a layout",
    ),
    "scene": Command(
        "tsgkit.cli.suites.sceneeval.scene", "query, draw and convert furnished rooms; check and draw annotations"
    ),
}
MAKERS = {
    "tsg": Command("tsgkit.cli.suites.tsg.benchmark", "questions, choices and graph tasks from stories of graphs"),
    "repairs": Command(
        "tsgkit.cli.suites.tsg.repairs", "graphs to mend from the wrong graphs of a run, for tsg/refine"
    ),
    "formalimg": Command("tsgkit.cli.suites.formalimg.make", "instructions for images with their formulas"),
    "sceneeval": Command(
        "tsgkit.cli.suites.sceneeval.make", "descriptions of furnished rooms with annotations of their demands"
    ),
    "spatialgen": Command(
        "tsgkit.cli.suites.spatialgen.questions", "dense prompts of scenes, with ten questions each about the image"
    ),
    "spatialt2i": Command(
        "tsgkit.cli.suites.spatialgen.pairs",
        "prompts that are true of judged images, as training data for image models",
    ),
}


def commands() -> dict[str, Command]:
    """Return the commands of all suites by name; a package cannot replace one of ours."""
    return _with_added(COMMANDS, "commands")


def makers() -> dict[str, Command]:
    """Return the makers of all suites by name; a package cannot replace one of ours."""
    return _with_added(MAKERS, "makers")


def _with_added(ours: dict[str, Command], kind: str) -> dict[str, Command]:
    if not installed_suites():  # then nothing of suites needs to be loaded
        return ours
    from tsgkit.suites.suite import suites

    added = {name: command for suite in suites() for name, command in getattr(suite, kind).items()}
    return ours | added | ours
