"""The suite ``formalimg``: first-order formulas that a layout or an image must satisfy."""

from tsgkit.suites.suite import Command, Suite

SUITE = Suite(
    name="formalimg",
    tasks={
        "knolling": "tsgkit.suites.formalimg.knolling:KnollingTask",
        "layout": "tsgkit.suites.formalimg.layout:LayoutTask",
        "natural": "tsgkit.suites.formalimg.natural:NaturalTask",
    },
    needs={
        "knolling": "images and a model that looks: --images NAME=DIR --judge M",
        "natural": "images and a model that looks: --images NAME=DIR --judge M",
    },
    kinds_of="tsgkit.suites.formalimg.rows:kinds_of",
    importer="tsgkit.suites.formalimg.importer",
    view="tsgkit.suites.formalimg.view:view",
    makers={
        "formalimg": Command("tsgkit.suites.formalimg.commands.make", "instructions for images with their formulas"),
    },
    commands={
        "formula": Command(
            "tsgkit.suites.formalimg.commands.formula",
            "first-order formulas about layouts: check, show in plain English, judge a layout",
        ),
    },
)
