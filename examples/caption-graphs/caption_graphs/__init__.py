"""Scene graphs of captions: a suite for tsgkit that lives in a package of its own."""

from tsgkit.suites.suite import Command, Suite

SUITE = Suite(
    "captions",
    tasks={"parse": "caption_graphs.parsing:parsing"},
    view="caption_graphs.parsing:view",
    makers={"captions": Command("caption_graphs.making", "captions with their scene graphs, composed by rules")},
)
