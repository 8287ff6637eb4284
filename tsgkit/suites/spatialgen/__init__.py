"""The suite ``spatialgen``: questions about images of dense spatial prompts."""

from tsgkit.suites.suite import Suite

SUITE = Suite(
    name="spatialgen",
    tasks={"questions": "tsgkit.suites.spatialgen.questions:questions"},
    needs={"questions": "images and a judge: --images NAME=DIR --judge M"},
    kinds_of="tsgkit.suites.spatialgen.questions:kinds_of",
    inspector="tsgkit.suites.spatialgen.defects",
    view="tsgkit.suites.spatialgen.questions:view",
)
