"""The suite ``formalimg``: first-order formulas that a layout or an image must satisfy."""

from tsgkit.suites.suite import Suite

SUITE = Suite(
    name="formalimg",
    tasks={
        "knolling": "tsgkit.suites.formalimg.knolling:knolling",
        "layout": "tsgkit.suites.formalimg.layout:layout",
        "natural": "tsgkit.suites.formalimg.natural:natural",
    },
    needs={
        "knolling": "images and a model that looks: --images NAME=DIR --judge M",
        "natural": "images and a model that looks: --images NAME=DIR --judge M",
    },
    kinds_of="tsgkit.suites.formalimg.rows:kinds_of",
    importer="tsgkit.suites.formalimg.importer",
    view="tsgkit.suites.formalimg.view:view",
)
