"""What makes sense between things of the natural vocabulary: what is held, worn, put on or in what; what looks how.

>>> sorted(step.label for step in steps_from("refrigerator") if step.name == "In")[:3]
['apple', 'banana', 'bottle']
>>> looks_of("rock", "color"), looks_of("cat", "shape")
(('gray', 'brown', 'white'), ())

Far from complete: what stands here makes sense, and much that makes sense does not stand here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple


class Step(NamedTuple):
    """A thing that another one may be related to; ``first`` where the other one comes first in the relation."""

    name: str
    label: str
    first: bool = False


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _table(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return lines of ``names: names``, as what each name on the left goes with."""
    found: dict[str, tuple[str, ...]] = {}
    for line in text.strip().splitlines():
        left, right = line.split(":")
        for name in _names(left):
            found[name] = tuple(dict.fromkeys((*found.get(name, ()), *_names(right))))
    return found


PEOPLE = _names("person, man, woman, child")
CLOTHES = _names("hat, shirt, shoes, jacket, glasses, backpack, headphones")
INDOORS = _names("table, chair, sofa, bed, bookshelf, desk, lamp, wardrobe, plant, refrigerator, cat, dog")
OUTDOORS = _names("car, bicycle, bus, tree, rock, house, bench, horse, elephant, lion, dog")
BULKY = frozenset({*INDOORS, *OUTDOORS, *PEOPLE, "boat"})
"""What stands by itself, so that things are left of it, right of it or next to it."""
PLACES = (frozenset((*INDOORS, *PEOPLE)), frozenset((*OUTDOORS, *PEOPLE, "boat")))
"""What may stand beside each other."""
HELD = _names(
    "book, cup, plate, bottle, key, fork, knife, spoon, bowl, pan, apple, banana, orange, cake, sandwich, flower, "
    "ball, phone, hammer, screwdriver, umbrella, toy car, teddy bear, basket"
)
_ON = _table(
    """
table, desk: book, cup, laptop, plate, bottle, key, fork, knife, spoon, bowl, apple, banana, orange, cake, pizza
table, desk: sandwich, clock, lamp, basket, phone, keyboard, monitor, headphones, toy car, teddy bear, glasses, flower
bookshelf: book, clock, plant, lamp, toy car, teddy bear, ball, basket, mirror
bench: cat, child, book, hat, backpack, ball, umbrella, basket, bird, bottle
sofa, bed: cat, dog, child, book, laptop, teddy bear, jacket, phone, ball
chair: cat, book, jacket, hat, backpack, teddy bear
plate: apple, banana, cake, sandwich, fork, knife, spoon, pizza
rock: bird, butterfly, hat, cat
house, car: bird
flower, plant: butterfly
"""
)
_IN = _table(
    """
basket: apple, banana, orange, fruit, flower, ball, bottle, toy car, teddy bear
bowl: apple, banana, orange, fruit, spoon
refrigerator: bottle, cake, pizza, apple, banana, orange, fruit, sandwich
wardrobe: hat, shirt, shoes, jacket, umbrella, backpack
backpack: book, bottle, laptop, phone, umbrella, key
cup: spoon, key
pan: spoon, fruit
car: dog, child
boat: man, woman, child, dog
"""
)
LOOKS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "color": _table(
        """
table, chair, sofa, bed, bookshelf, desk, lamp, wardrobe, bench: white, black, brown, green, blue
rug, clock, book, cup, plate, bottle, bowl, car, bicycle, bus, boat: red, blue, green, yellow, white, black
hat, shirt, shoes, jacket, backpack, umbrella, ball, toy car: red, blue, green, yellow, purple, pink, orange, black
basket, teddy bear: brown, white, pink
phone, keyboard, headphones, laptop, monitor, refrigerator: black, white, gray
apple: red, green, yellow
banana: yellow, green
flower: red, yellow, purple, pink, white, orange
cake: white, pink, brown
rock: gray, brown, white
house: white, red, blue, yellow
dog, horse: brown, black, white
cat: black, white, gray, orange
bird, butterfly: blue, yellow, red, orange, white
fish: orange, blue, red, yellow
"""
    ),
    "material": _table(
        """
table: wooden, glass, metal
chair: wooden, plastic, metal
desk, bookshelf, wardrobe, boat: wooden
bench: wooden, stone, metal
bed: wooden, metal
sofa: leather, fabric
cup: ceramic, glass, plastic, metal
bowl: ceramic, wooden, glass, metal
plate: ceramic, paper, plastic
bottle: glass, plastic
spoon: wooden, metal, plastic
fork, knife: metal, plastic
pan, key, hammer, screwdriver: metal
hat: leather, fabric
jacket, shoes: leather
backpack: leather, fabric
ball: leather, plastic
toy car: wooden, metal, plastic
teddy bear: fluffy
rug: fluffy, fabric
house: wooden, brick, stone
"""
    ),
    "shape": _table(
        """
table: round, square, rectangular, oval
rug: round, rectangular, oval
mirror: round, oval, square, rectangular
clock: round, square
plate, cake: round, square
pizza, ball: round
lamp: cylindrical
bottle: cylindrical
basket: round, oval
"""
    ),
    "state": _table(
        """
book, umbrella, laptop: open, closed
lamp, monitor: on, off
person, man, woman: smiling, standing
child: smiling, crying
cat, dog: sleeping, sitting
horse: running, standing
elephant, lion: standing, lying
bird: flying
butterfly: flying
fish: swimming
flower: blooming, withered
apple, orange: sliced, peeled, bitten
banana: peeled, bitten
cake, pizza: sliced
sandwich: bitten
mirror, plate: broken
bicycle: rusty, broken
car: rusty, dirty
shoes, shirt, jacket: wet, dirty
key: rusty
"""
    ),
}
UPRIGHT = frozenset({"standing", "running", "flying", "swimming"})
"""States of what is neither on nor in something."""
KIN = (frozenset(PEOPLE), frozenset(_names("fruit, apple, banana, orange")), frozenset(_names("plant, flower, tree")))
"""Classes of which the first is what the others are too: a scene of our own has either it or them."""


def clash(label: str, others: Collection[str]) -> bool:
    """Return whether a class cannot be told from others that are there.

    >>> clash("person", {"woman"}), clash("man", {"woman"}), clash("woman", {"person"})
    (True, False, True)
    """
    general = {"person", "fruit", "plant"}
    kin = next((kin for kin in KIN if label in kin), frozenset[str]())
    return bool(kin & set(others)) and (label in general or bool(general & kin & set(others)))


def looks_of(label: str, kind: str) -> tuple[str, ...]:
    """Return the values of a kind that suit a class; none where it is better not described that way."""
    return LOOKS[kind].get(label, ())


def steps_from(label: str) -> Iterator[Step]:
    """Yield what a thing may be related to: what lies on or in it, what it holds or wears, what stands beside it."""
    yield from (Step("On", other) for other in _ON.get(label, ()))
    yield from (Step("In", other) for other in _IN.get(label, ()))
    if label in PEOPLE:
        yield from (Step("Holding", other, first=True) for other in HELD)
        yield from (Step("On", other) for other in CLOTHES)
    if label in BULKY:
        for other in sorted(_beside(label)):
            yield from (Step(name, other) for name in ("LeftOf", "RightOf", "NextTo"))


def _beside(label: str) -> set[str]:
    """Return what stands in the same kind of place."""
    return set[str]().union(*(place for place in PLACES if label in place)) - {label}
