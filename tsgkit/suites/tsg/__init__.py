"""The suite ``tsg``: action-centric scene graphs from and to text."""

from tsgkit.suites.suite import Suite

SUITE = Suite(
    name="tsg",
    tasks={
        "sgqa": "tsgkit.suites.tsg.qa:Questions",
        "sgds": "tsgkit.suites.tsg.selection:Selection",
        "sa-sgg": "tsgkit.suites.tsg.generation:Generation",
        "ma-sgg": "tsgkit.suites.tsg.generation:Generation",
        "actions": "tsgkit.suites.tsg.derived_tasks:Actions",
        "edges-ma": "tsgkit.suites.tsg.derived_tasks:Edges",
        "edges-sa": "tsgkit.suites.tsg.derived_tasks:Edges",
        "nodes-ma": "tsgkit.suites.tsg.derived_tasks:Nodes",
        "nodes-sa": "tsgkit.suites.tsg.derived_tasks:Nodes",
        "refine": "tsgkit.suites.tsg.repairs:Refine",
        "refine-hinted": "tsgkit.suites.tsg.repairs:Refine",
    },
    kinds_of="tsgkit.suites.tsg.inspection:kinds_of",
    inspector="tsgkit.suites.tsg.inspection",
    view="tsgkit.suites.tsg.view:view",
    tables="tsg_bench.yaml",
)
