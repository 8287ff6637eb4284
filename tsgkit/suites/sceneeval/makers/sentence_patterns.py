"""Descriptions with correct annotations from sentence patterns, without a model.

>>> from tsgkit.suites.sceneeval.makers.room_plans import draw_plans
>>> [one] = draw_plans(1, ("easy",), ("bedroom",), 0, furniture())
>>> made = written_room(one, 0, furniture())
>>> len(made.counts) == len(one.things), made.difficulty
(True, 'easy')

They show what a file of annotations looks like, and are useful for trying out a generator. They are all alike, and no
benchmark: anyone who knows the patterns knows the answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from tsgkit.suites.sceneeval.annotation_replies import NUMBERS
from tsgkit.suites.sceneeval.annotations import Annotation, annotation_of
from tsgkit.suites.sceneeval.makers.furniture import Furniture, furniture
from tsgkit.suites.sceneeval.makers.room_plans import PlannedThing, RoomPlan

__all__ = ["furniture", "in_numbers", "written_room"]

ATTRIBUTES = ("white", "black", "grey", "blue", "green", "red", "brown", "wooden", "metal")
BESIDE = (("next_to", "next to"), ("near", "near"), ("across_from", "across from"), ("beside", "beside"))
WITH_ATTRIBUTE = 0.5
IN_FIRST, IN_OTHERS = 3, 2
"""The number of things in the first sentence and in later ones."""


@dataclass
class _Entries:
    """The entries of a description as it grows."""

    counts: list[str] = field(default_factory=list)
    attributes: list[str] = field(default_factory=list)
    pairs: list[str] = field(default_factory=list)
    built: list[str] = field(default_factory=list)


def written_room(drawn: RoomPlan, seed: int, table: Furniture) -> Annotation:
    """Return a description of a drawn room, with its annotation."""
    rng, entries = Random(f"{seed}/{drawn.number}/words"), _Entries()
    phrases = {room: list(_thing_phrases(drawn, room, entries, rng, table)) for room in drawn.rooms}
    text = _of_one(drawn.rooms[0], phrases[drawn.rooms[0]]) if len(drawn.rooms) == 1 else _of_several(phrases)
    return annotation_of(
        str(drawn.number),
        drawn.difficulty,
        text,
        entries.counts,
        entries.attributes,
        entries.pairs,
        entries.built,
        drawn.rooms[0],
    )


def _of_one(room: str, phrases: list[str]) -> str:
    sentences = [f"{_article(room).capitalize()} {room} with {_listed(phrases[:IN_FIRST])}."]
    for start in range(IN_FIRST, len(phrases), IN_OTHERS):
        part = phrases[start : start + IN_OTHERS]
        is_one = part[0].split()[0] in ("a", "an")
        sentences.append(f"There {'is' if is_one else 'are'} {_listed(part)}.")
    return " ".join(sentences)


def _of_several(phrases: dict[str, list[str]]) -> str:
    rooms = " and ".join(f"{_article(room)} {room}" for room in phrases)
    sentences = [f"A flat of two rooms, {rooms}."]
    for room, parts in phrases.items():
        starts = range(0, len(parts), IN_FIRST)
        sentences += [f"The {room} has {_listed(parts[start : start + IN_FIRST])}." for start in starts]
    return " ".join(sentences)


def _listed(parts: list[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]


def _thing_phrases(drawn: RoomPlan, room: str, entries: _Entries, rng: Random, table: Furniture) -> Iterator[str]:
    """Yield a phrase for each thing, adding its entries."""
    mine = [thing for thing in drawn.things if thing.room == room]
    standing = [thing for thing in mine if thing.place == "standing"]
    carriers = [thing for thing in standing if thing.name in table.carriers]
    for number, thing in enumerate(mine):
        name = thing.name.replace(" ", "_")
        entries.counts.append(f"eq,{thing.n},{name}")
        attribute = rng.choice(ATTRIBUTES) if rng.random() < WITH_ATTRIBUTE and thing.place != "small" else ""
        if attribute:
            entries.attributes.append(f"eq,{thing.n},{name},{attribute}")
        where = _where(thing, number, standing, carriers, entries, rng)
        if len(drawn.rooms) > 1 and thing.place == "standing":
            entries.built.append(f"eq,{thing.n},in,{name},{room.replace(' ', '_')}")
        yield f"{in_numbers(thing.n, thing.name, attribute)} {where}"


def _where(
    thing: PlannedThing,
    number: int,
    standing: list[PlannedThing],
    carriers: list[PlannedThing],
    entries: _Entries,
    rng: Random,
) -> str:
    name = thing.name.replace(" ", "_")
    if thing.place == "small":
        carrier = rng.choice(carriers)
        entries.pairs.append(f"eq,{thing.n},on,0,{carrier.name.replace(' ', '_')},{name}")
        return f"on {_the(carrier)}"
    if thing.place == "standing" and number and rng.random() < 2 / 3:
        anchor = rng.choice(standing[:number])
        relation, phrase = rng.choice(BESIDE)
        entries.pairs.append(f"eq,{thing.n},{relation},0,{anchor.name.replace(' ', '_')},{name}")
        return f"{phrase} {_the(anchor)}"
    relation, phrase, element = rng.choice(_BUILT[thing.place] if thing.n == 1 else _BUILT[thing.place][:1])
    entries.built.append(f"eq,{thing.n},{relation},{name},{element}")
    return phrase


_BUILT = {
    "standing": (
        ("against", "against the wall", "wall"),
        ("by", "by the window", "window"),
        ("in_corner", "in the corner of the room", "room"),
    ),
    "wall": (("on", "on the wall", "wall"),),
    "ceiling": (("hanging_from", "hanging from the ceiling", "ceiling"),),
    "rug": (("in_middle", "in the middle of the room", "room"),),
}


def _the(thing: PlannedThing) -> str:
    return f"the {_spelt(thing.name)}" if thing.n == 1 else f"one of the {_plural(_spelt(thing.name))}"


def _spelt(name: str) -> str:
    return name.replace("tv ", "TV ")


def in_numbers(n: int, name: str, attribute: str = "") -> str:
    """Return a number of things in words.

    >>> in_numbers(1, "armchair"), in_numbers(2, "box", "red"), in_numbers(3, "book")
    ('an armchair', 'two red boxes', 'three books')
    """
    words = f"{attribute} {_spelt(name)}".strip()
    if n == 1:
        return f"{_article(words)} {words}"
    number = next((word for word, value in NUMBERS.items() if value == n), str(n))
    return f"{number} {_plural(words)}"


def _article(words: str) -> str:
    return "an" if words[0] in "aeiou" else "a"


def _plural(name: str) -> str:
    if name.endswith("shelf"):
        return name[:-1] + "ves"
    return name + ("es" if name.endswith(("s", "x", "ch", "sh")) else "s")
