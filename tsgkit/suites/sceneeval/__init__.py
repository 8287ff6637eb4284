"""The suite ``sceneeval``: furnished rooms held against descriptions, and against what rooms must be."""

from tsgkit.suites.suite import Command, Suite

SUITE = Suite(
    name="sceneeval",
    tasks={
        "annotate": "tsgkit.suites.sceneeval.annotate:AnnotateTask",
        "fidelity": "tsgkit.suites.sceneeval.fidelity:FidelityTask",
        "plausibility": "tsgkit.suites.sceneeval.plausibility:PlausibilityTask",
    },
    needs={
        "fidelity": "rooms: --scenes NAME=DIR (none given: two folders of ours)",
        "plausibility": "rooms: --scenes NAME=DIR (none given: two folders of ours)",
    },
    kinds_of="tsgkit.suites.sceneeval.annotation_files:kinds_of",
    inspector="tsgkit.suites.sceneeval.annotation_files",
    scenes="tsgkit.suites.sceneeval.pages.scene_view:open_scene",
    makers={
        "sceneeval": Command(
            "tsgkit.suites.sceneeval.commands.make", "descriptions of furnished rooms with what they demand"
        ),
    },
    commands={
        "scene": Command(
            "tsgkit.suites.sceneeval.commands.scene",
            "furnished rooms: one relation, a view from above, scenes of other tools, what descriptions demand",
        ),
    },
)
