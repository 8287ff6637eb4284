"""The suite ``sceneeval``: checks furnished rooms against their descriptions and for plausibility."""

from tsgkit.suites.suite import Suite

SUITE = Suite(
    name="sceneeval",
    tasks={
        "annotate": "tsgkit.suites.sceneeval.annotate:annotate",
        "fidelity": "tsgkit.suites.sceneeval.fidelity:fidelity",
        "plausibility": "tsgkit.suites.sceneeval.plausibility:plausibility",
    },
    needs={
        "fidelity": "scenes: --scenes NAME=DIR (default: two bundled folders)",
        "plausibility": "scenes: --scenes NAME=DIR (default: two bundled folders)",
    },
    kinds_of="tsgkit.suites.sceneeval.annotation_files:kinds_of",
    inspector="tsgkit.suites.sceneeval.annotation_files",
    scenes="tsgkit.suites.sceneeval.room_pages:open_scene",
    view="tsgkit.suites.sceneeval.view:view",
)
