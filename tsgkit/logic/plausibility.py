"""Plausible relations and attributes of objects of the natural vocabulary.

>>> sorted(step.label for step in steps_from("refrigerator") if step.name == "In")[:3]
['apple', 'banana', 'bottle']
>>> looks_of("rock", "color"), looks_of("cat", "shape")
(('gray', 'brown', 'white'), ())

The tables are far from complete: everything listed is plausible, but much that is plausible is not listed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple


class RelationStep(NamedTuple):
    """A relation to another object; with ``first``, the other object is the first argument."""

    name: str
    label: str
    first: bool = False


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _table(text: str) -> Mapping[str, tuple[str, ...]]:
    """Parse lines of ``names: names`` into a mapping from each name on the left to the names on the right."""
    table: dict[str, tuple[str, ...]] = {}
    for line in text.strip().splitlines():
        left, right = line.split(":")
        for name in _names(left):
            table[name] = tuple(dict.fromkeys((*table.get(name, ()), *_names(right))))
    return table


PEOPLE = _names("person, man, woman, child")
CLOTHES = _names("hat, shirt, shoes, jacket, glasses, backpack, headphones")
INDOORS = _names("table, chair, sofa, bed, bookshelf, desk, lamp, wardrobe, plant, refrigerator, cat, dog")
OUTDOORS = _names("car, bicycle, bus, tree, rock, house, bench, horse, elephant, lion, dog")
BULKY = frozenset({*INDOORS, *OUTDOORS, *PEOPLE, "boat"})
"""Classes of free-standing objects, which other objects can be left of, right of or next to."""
PLACES = (frozenset((*INDOORS, *PEOPLE)), frozenset((*OUTDOORS, *PEOPLE, "boat")))
"""Groups of classes that can be beside each other."""
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
"""States of objects that are neither on nor in another one."""
KIN = (frozenset(PEOPLE), frozenset(_names("fruit, apple, banana, orange")), frozenset(_names("plant, flower, tree")))
"""Groups of a general class and its subclasses. A generated scene has either the former or the latter."""


def clash(label: str, others: Collection[str]) -> bool:
    """Return whether a class can be confused with classes already present.

    >>> clash("person", {"woman"}), clash("man", {"woman"}), clash("woman", {"person"})
    (True, False, True)
    """
    general = {"person", "fruit", "plant"}
    kin = next((kin for kin in KIN if label in kin), frozenset[str]())
    return bool(kin & set(others)) and (label in general or bool(general & kin & set(others)))


def looks_of(label: str, kind: str) -> tuple[str, ...]:
    """Return the attribute values of a kind that suit a class; empty if none do."""
    return LOOKS[kind].get(label, ())


def steps_from(label: str) -> Iterator[RelationStep]:
    """Yield plausible relations of a class: objects on or in it, held or worn by it, or beside it."""
    yield from (RelationStep("On", neighbour) for neighbour in _ON.get(label, ()))
    yield from (RelationStep("In", neighbour) for neighbour in _IN.get(label, ()))
    if label in PEOPLE:
        yield from (RelationStep("Holding", neighbour, first=True) for neighbour in HELD)
        yield from (RelationStep("On", neighbour) for neighbour in CLOTHES)
    if label in BULKY:
        for neighbour in sorted(set[str]().union(*(group for group in PLACES if label in group)) - {label}):
            yield from (RelationStep(name, neighbour) for name in ("LeftOf", "RightOf", "NextTo"))
