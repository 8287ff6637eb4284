"""The suite ``tsg``: action-centric scene graphs from and to text."""

from tsgkit.suites.suite import Suite

SUITE = Suite(
    name="tsg",
    tasks={
        "sgqa": "tsgkit.suites.tsg.qa:questions",
        "sgds": "tsgkit.suites.tsg.selection:selection",
        "sa-sgg": "tsgkit.suites.tsg.generation:generation",
        "ma-sgg": "tsgkit.suites.tsg.generation:generation",
        "actions": "tsgkit.suites.tsg.derived_tasks:actions",
        "edges-ma": "tsgkit.suites.tsg.derived_tasks:edges",
        "edges-sa": "tsgkit.suites.tsg.derived_tasks:edges",
        "nodes-ma": "tsgkit.suites.tsg.derived_tasks:nodes",
        "nodes-sa": "tsgkit.suites.tsg.derived_tasks:nodes",
        "refine": "tsgkit.suites.tsg.repairs:refine",
        "refine-hinted": "tsgkit.suites.tsg.repairs:refine",
    },
    kinds_of="tsgkit.suites.tsg.inspection:kinds_of",
    inspector="tsgkit.suites.tsg.inspection",
    view="tsgkit.suites.tsg.view:view",
    tables="tsg_bench.yaml",
)
