"""Vocabularies of formulas: the classes, values and predicates of a scenario, and typical sizes and colors.

>>> KNOLLING.predicates["LeftOf"], len(KNOLLING.classes), NATURAL.values_of("style")
(('object', 'object'), 50, ('photo', 'oil painting', 'cartoon', 'cyberpunk', 'pixel art'))
>>> KNOLLING.kind_of("red"), NATURAL.kind_of("melting"), NATURAL.kind_of("nothing")
('color', 'state', None)
>>> size_of("laptop"), color_of("lemon"), size_of("something else")
((240, 170), 'yellow', (120, 120))

Two vocabularies are published: *knolling*, objects laid out flat, whose layout a program can verify, and *natural*,
scenes that can only be judged from the image. Both are copied as published. :mod:`tsgkit.logic.lint` checks formulas
against a vocabulary.

Typical sizes are those of the objects of *knolling*, seen from above, on the canvas of 1000 by 1000. They only make
layouts look plausible: a formula may require a pen that is larger than a suitcase.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

OBJECT = "object"
CLASS = "class"
ATTRIBUTE = "attribute"
STYLE = "style"
CHECKED_AS_PUBLISHED = frozenset({OBJECT, CLASS, ATTRIBUTE})
"""The kinds of arguments that the published validator checks. It accepts any text for the others."""


@dataclass(frozen=True)
class FormulaVocabulary:
    """The classes, values and predicates of a scenario.

    ``values`` holds lists by kind (color, material, ...). ``predicates`` gives the kind of each argument: ``object`` is
    a variable, ``class`` one of ``classes``, ``attribute`` any value but a style; any other kind names a list of
    values. ``unpublished`` holds predicates that can be evaluated but that the published validator does not know.
    """

    name: str
    classes: tuple[str, ...]
    values: Mapping[str, tuple[str, ...]]
    predicates: Mapping[str, tuple[str, ...]]
    unpublished: frozenset[str] = field(default=frozenset())

    def values_of(self, kind: str) -> tuple[str, ...]:
        """Return the values allowed for a kind of argument; empty for ``object``, which takes a variable."""
        if kind == CLASS:
            return self.classes
        if kind == ATTRIBUTE:
            return tuple(value for kind, values in self.values.items() if kind != STYLE for value in values)
        return self.values.get(kind, ())

    def kind_of(self, value: str) -> str | None:
        """Return the kind of the first list that contains a value, or None."""
        return next((kind for kind, values in self.values.items() if value in values), None)


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


_PLACED = dict.fromkeys(_words("OnLeftSide OnRightSide OnTopSide OnBottomSide InCenter"), (OBJECT,))
_COMPARED = dict.fromkeys(
    _words("LeftOf RightOf Above Below AlignedHorizontally AlignedVertically LargerThan SmallerThan"), (OBJECT, OBJECT)
)

KNOLLING = FormulaVocabulary(
    name="knolling",
    classes=_words(
        "laptop mouse keyboard monitor phone headphones camera game_controller remote book pen scissors stapler ruler "
        "calculator glasses watch wallet keys lighter backpack handbag suitcase shoe hat shirt jeans glove sock tie "
        "hammer screwdriver wrench pliers drill bottle cup fork knife spoon plate bowl pan cutting_board apple lemon "
        "donut sandwich pizza carrot"
    ),
    values={"color": _words("red green blue yellow black white brown pink gray")},
    predicates={"Is": (OBJECT, CLASS), "Has": (OBJECT, ATTRIBUTE), **_PLACED, **_COMPARED},
    unpublished=frozenset({"InCenter"}),
)

NATURAL = FormulaVocabulary(
    name="natural",
    classes=(
        *_words(
            "person man woman child cat dog bird horse fish elephant lion butterfly table chair sofa bed bookshelf "
            "desk lamp wardrobe rug mirror plant clock book cup laptop plate bottle key fork knife spoon bowl pan "
            "refrigerator apple banana orange cake pizza sandwich car bicycle bus boat tree flower rock house bench "
            "basket fruit hat shirt shoes jacket glasses backpack phone keyboard monitor headphones hammer "
            "screwdriver umbrella ball"
        ),
        "toy car",
        "teddy bear",
    ),
    values={
        "color": _words("red green blue yellow black white brown orange pink purple gray"),
        "material": _words("wooden metal glass plastic fluffy fabric ceramic leather paper stone brick"),
        "shape": _words("round square cylindrical rectangular triangular oval"),
        "state": _words(
            "open closed on off standing sitting lying kneeling running jumping flying swimming sleeping smiling "
            "crying broken rusty dirty wet burning melting sliced peeled bitten empty full blooming "
            "withered"
        ),
        STYLE: ("photo", "oil painting", "cartoon", "cyberpunk", "pixel art"),
    },
    predicates={
        "Is": (OBJECT, CLASS),
        "HasColor": (OBJECT, "color"),
        "HasMaterial": (OBJECT, "material"),
        "HasShape": (OBJECT, "shape"),
        "HasState": (OBJECT, "state"),
        "IsStyle": (STYLE,),
        **dict.fromkeys(_words("LeftOf RightOf On In Holding NextTo"), (OBJECT, OBJECT)),
    },
)

SCENARIOS: Mapping[str, FormulaVocabulary] = {"knolling": KNOLLING, "natural": NATURAL}


ORDINARY = (120, 120)
_TABLE = """
laptop 240 170 gray|mouse 70 110 black|keyboard 260 100 black|monitor 260 190 black|phone 80 150 black
headphones 160 170 black|camera 150 110 black|game_controller 150 110 white|remote 60 170 black|book 140 190 blue
pen 40 150 blue|scissors 90 170 gray|stapler 140 60 red|ruler 220 40 yellow|calculator 90 140 gray
glasses 140 60 black|watch 70 170 brown|wallet 120 100 brown|keys 80 110 gray|lighter 40 80 red
backpack 220 260 blue|handbag 220 190 brown|suitcase 260 320 black|shoe 110 220 white|hat 190 170 brown
shirt 240 260 white|jeans 160 280 blue|glove 110 150 gray|sock 90 160 white|tie 70 260 red
hammer 110 240 brown|screwdriver 50 190 yellow|wrench 70 200 gray|pliers 80 170 red|drill 190 170 yellow
bottle 80 220 green|cup 100 100 white|fork 50 170 gray|knife 40 190 gray|spoon 50 170 gray
plate 190 190 white|bowl 160 160 white|pan 170 270 black|cutting_board 260 180 brown|apple 90 90 red
lemon 90 80 yellow|donut 100 100 pink|sandwich 140 120 brown|pizza 220 220 yellow|carrot 50 170 red
"""
_TYPICAL = {
    name: (int(width), int(height), color)
    for name, width, height, color in map(str.split, _TABLE.replace("|", "\n").strip().splitlines())
}


def size_of(label: str) -> tuple[int, int]:
    """Return the typical width and height of a class."""
    return _TYPICAL[label][:2] if label in _TYPICAL else ORDINARY


def color_of(label: str) -> str | None:
    """Return the typical color of a class, or None."""
    return _TYPICAL[label][2] if label in _TYPICAL else None
