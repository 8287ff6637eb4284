"""The suite ``spatialgen``: questions about images of dense spatial prompts."""

from tsgkit.suites.suite import Command, Suite

SUITE = Suite(
    name="spatialgen",
    tasks={"questions": "tsgkit.suites.spatialgen.questions:SpatialGenTask"},
    needs={"questions": "pictures and a model that looks: --images NAME=DIR --judge M"},
    kinds_of="tsgkit.suites.spatialgen.questions:kinds_of",
    inspector="tsgkit.suites.spatialgen.defects",
    makers={
        "spatialgen": Command(
            "tsgkit.suites.spatialgen.commands.questions",
            "dense prompts of scenes, with ten questions each about the picture",
        ),
        "spatialt2i": Command(
            "tsgkit.suites.spatialgen.commands.pairs",
            "prompts that are true of judged pictures, to train image models with",
        ),
    },
)
