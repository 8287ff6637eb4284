"""The suite ``tsg``: action-centric scene graphs from and to text."""

from tsgkit.suites.suite import Suite

TASK = "tsgkit.suites.tsg.task:TsgTask"
DRAFTED = "tsgkit.suites.tsg.drafting:DraftedTask"
SUITE = Suite(
    name="tsg",
    tasks={
        "sgqa": TASK,
        "sgds": TASK,
        "sa-sgg": DRAFTED,
        "ma-sgg": DRAFTED,
        "actions": TASK,
        "edges-ma": TASK,
        "edges-sa": TASK,
        "nodes-ma": TASK,
        "nodes-sa": TASK,
        "refine": DRAFTED,
        "refine-hinted": DRAFTED,
    },
    kinds_of="tsgkit.suites.tsg.task:kinds_of",
    inspector="tsgkit.suites.tsg.inspecting",
    tables="tsg_bench.yaml",
)
