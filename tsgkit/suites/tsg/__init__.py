"""The suite ``tsg``: action-centric scene graphs from and to text."""

from tsgkit.suites.suite import Suite

TASK = "tsgkit.suites.tsg.task:TsgTask"
SUITE = Suite(
    name="tsg",
    tasks={
        "sgqa": TASK,
        "sgds": TASK,
        "sa-sgg": TASK,
        "ma-sgg": TASK,
        "actions": TASK,
        "edges-ma": TASK,
        "edges-sa": TASK,
        "nodes-ma": TASK,
        "nodes-sa": TASK,
        "refine": TASK,
        "refine-hinted": TASK,
    },
    kinds_of="tsgkit.suites.tsg.task:kinds_of",
    inspector="tsgkit.suites.tsg.inspecting",
    tables="tsg_bench.yaml",
)
