"""Baselines that annotate without a model: random entries, and rules for numbers, nouns and relations.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> sample = annotation_of("0", "easy", "A den with two sofas.", ["eq,2,sofa"])
>>> json.loads(annotator_named("baseline/rules", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']
>>> json.loads(annotator_named("baseline/random", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']

``random`` draws the number of entries, and each part of each entry, from the values in the whole dataset: the floor for
a subject that knows the categories, relations and attributes of a dataset but ignores the description. The draw depends
on the seed, the item's id and the dataset. ``rules`` sees the description only: it writes an entry for each thing,
attribute and relation phrase that the parser finds in it (``descriptions``).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import NamedTuple

from tsgkit.lexicon.folding import word_set
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind
from tsgkit.suites.sceneeval.descriptions import (
    ENDS,
    Placing,
    RoomDescription,
    attribute_words,
    category_of,
    read_description,
)
from tsgkit.suites.sceneeval.word_meanings import Furniture, RelationTable, furniture, relation_table
from tsgkit.suites.solvers.offline_solvers import baseline_name

NAMES = ("random", "rules")


@dataclass(frozen=True)
class EntryStatistics:
    """The entries of one kind in a dataset: how many each description has, and the values of their parts.

    Sizes and comparisons keep their frequency; names are listed once.
    """

    sizes: tuple[int, ...]
    quantities: tuple[str, ...]
    categories: tuple[str, ...]
    attributes: tuple[str, ...]
    relations: tuple[str, ...]
    elements: tuple[str, ...]

    @classmethod
    def of(cls, samples: Sequence[Annotation], kind: Kind) -> EntryStatistics:
        """Collect the statistics."""

        def distinct(names: Iterable[str]) -> tuple[str, ...]:
            return tuple(sorted({*names} - {""}))

        specs = [spec for sample in samples for spec in sample.of_kind(kind)]
        return cls(
            tuple(len(sample.of_kind(kind)) for sample in samples),
            tuple(f"{spec.quantity},{spec.n}" for spec in specs),
            distinct(name for spec in specs for name in spec.categories),
            distinct(spec.attribute for spec in specs),
            distinct(spec.relation for spec in specs),
            distinct(name for spec in specs for name in spec.elements),
        )


@dataclass(frozen=True)
class RandomAnnotator:
    """A baseline that draws random entries from the values in a dataset."""

    seed: int
    statistics: Mapping[Kind, EntryStatistics]

    @property
    def fingerprint(self) -> str:
        """The seed. The dataset is recorded with every run."""
        return f"random/{self.seed}"

    def answer(self, sample: Annotation) -> str:
        """Return random counts, and random other entries about the counted categories.

        Of each kind there are as many as a randomly chosen description has.
        """
        draw, counts = Random(f"{self.seed}/{sample.item_id}"), self.statistics["cnt"]
        counted = draw.sample(counts.categories, min(draw.choice(counts.sizes), len(counts.categories)))
        entries = {FIELDS["cnt"]: [f"{draw.choice(counts.quantities)},{name}" for name in counted]}
        for kind in KINDS[1:]:
            drawn, values = list[str](), self.statistics[kind]
            size = draw.choice(values.sizes)
            for name in draw.choices(counted, k=size) if counted else ():
                quantity = draw.choice(values.quantities)
                if kind == "atr":
                    rest = f"{name},{draw.choice(values.attributes)}"
                elif kind == "oor":
                    rest = f"{draw.choice(values.relations)},0,{draw.choice(counted)},{name}"
                else:
                    rest = f"{draw.choice(values.relations)},{name},{draw.choice(values.elements)}"
                drawn.append(f"{quantity},{rest}")
            entries[FIELDS[kind]] = drawn
        return json.dumps(entries, ensure_ascii=False)


@dataclass(frozen=True)
class RuleAnnotator:
    """A baseline that applies rules to the words of the description."""

    relations: RelationTable
    table: Furniture

    @property
    def fingerprint(self) -> str:
        """A hash of the tables of relation phrases and of furniture."""
        return f"rules/{self.relations.sha256}/{self.table.sha256}"

    def answer(self, sample: Annotation) -> str:
        """Return the annotation found by the rules."""
        return json.dumps(annotate(sample.description, self.relations, self.table), ensure_ascii=False)


def annotator_named(subject: str, seed: int, samples: Sequence[Annotation]) -> RandomAnnotator | RuleAnnotator:
    """Return the baseline with this name for a dataset. Raise UsageError if there is none."""
    if baseline_name(subject, NAMES) == "rules":
        return RuleAnnotator(relation_table(), furniture())
    return RandomAnnotator(seed, {kind: EntryStatistics.of(samples, kind) for kind in KINDS})


RELATION_NAMES = {
    **dict.fromkeys(("in front", "front"), "in_front_of"),
    **dict.fromkeys(("on left", "to left", "left side", "on left side"), "left"),
    **dict.fromkeys(("on right", "to right", "right side", "on right side"), "right"),
    **dict.fromkeys(("corner", "at corner"), "in_corner"),
    **dict.fromkeys(("middle", "at middle", "center", "in center", "at center"), "in_middle"),
    **dict.fromkeys(("face", "face to", "looking at"), "facing"),
    **dict.fromkeys(("around", "arranged around", "surrounding"), "surround"),
    **dict.fromkeys(("against", "back against"), "against"),
}
"""The names of relations with several phrases. Other relations are named by their phrase."""
PRONOUNS = word_set("it them they each")
LEAST_SURROUNDING = 3
MOST_SURROUNDING = 20
MOST_COUNTED = 999_999


class ThingMention(NamedTuple):
    """A mention of a thing, as entries name it. ``is_new``: it was not mentioned before."""

    category: str
    quantity: str
    n: int
    is_new: bool


def annotate(description: str, relations: RelationTable, table: Furniture) -> dict[str, list[str]]:
    """Return the entries of a description by field.

    >>> text = "A den with a red sofa by the wall, two lamps next to it, a book on the sofa."
    >>> entries = annotate(text, relation_table(), furniture())
    >>> entries["counts"], entries["attributes"]
    (['eq,1,sofa', 'eq,2,lamp', 'eq,1,book'], ['eq,1,sofa,red'])
    >>> entries["object_relations"], entries["room_relations"]
    (['eq,2,next_to,0,sofa,lamp', 'eq,1,on,0,sofa,book'], ['eq,1,by,sofa,wall'])

    A definite thing is the last one of its name, and ``each`` multiplies numbers. A pronoun is the thing before the
    last ``with`` of its sentence, else the one before the placed thing. The rules were written with the bundled
    descriptions in view, so their score on those says little about other descriptions.
    """
    parsed = read_description(description, (), table)
    mentions, attributes = _mentions(parsed), dict[str, None]()
    for thing, mention in zip(parsed.things, mentions, strict=True):
        for phrase, _ in attribute_words(thing, table):
            if table.attribute_kind(phrase):
                attributes[f"{mention.quantity},{mention.n},{mention.category},{phrase.replace(' ', '_')}"] = None
    counts = list[str]()
    for category in dict.fromkeys(mention.category for mention in mentions):
        these = [mention for mention in mentions if mention.category == category]
        quantity = next((mention.quantity for mention in these if mention.quantity != "eq"), "eq")
        new = sum(mention.n for mention in these if mention.is_new)
        n = max(new, *(mention.n for mention in these if not mention.is_new), 0)
        counts.append(f"{quantity},{min(n, MOST_COUNTED)},{category}")
    to_objects, to_room = dict[str, None](), dict[str, None]()
    for placing, thing_number, anchor_number in _joined(parsed):
        subject, name = mentions[thing_number], RELATION_NAMES.get(placing.phrase, placing.phrase.replace(" ", "_"))
        if anchor_number is None:
            element = placing.element or ("" if relations.between_objects(placing.phrase) else "room")
            if element and relations.to_room(placing.phrase, element):
                to_room[f"{subject.quantity},{subject.n},{name},{subject.category},{element}"] = None
            continue
        anchor = mentions[anchor_number]
        if parsed.tokens[placing.start].word == "surrounded":
            subject, anchor = anchor, subject
        if subject.category == anchor.category or not relations.between_objects(placing.phrase):
            continue
        entry = f"{subject.quantity},{subject.n},{name},0,{anchor.category},{subject.category}"
        if name == "surround" and LEAST_SURROUNDING <= subject.n <= MOST_SURROUNDING:
            around = ",".join(f"{subject.category}:{number}" for number in range(subject.n))
            entry = f"eq,1,surround,0,{anchor.category},{around}"
        elif name == "surround":  # fewer than three things surround nothing: they are next to it
            entry = f"{subject.quantity},{subject.n},next_to,0,{anchor.category},{subject.category}"
        to_objects[entry] = None
    return dict(zip(FIELDS.values(), (counts, list(attributes), list(to_objects), list(to_room)), strict=True))


def _mentions(parsed: RoomDescription) -> list[ThingMention]:
    words, mentions, times = [token.word for token in parsed.tokens], list[ThingMention](), 1
    ends = [0, *(thing.end for thing in parsed.things)]
    for before, thing in zip(ends, parsed.things, strict=False):
        between = words[before : thing.start]
        if not ENDS.isdisjoint(between) or "," in between:
            times = 1
        if mentions and "each" in between and "other" not in between:
            times = mentions[-1].n
        category, quantity = category_of(thing.name), thing.quantity
        known = next((mention for mention in reversed(mentions) if mention.category == category), None)
        is_definite = thing.is_definite or words[max(thing.start - len(thing.modifiers) - 2, 0)] == "the"  # the three
        if known and is_definite and quantity is None:
            mentions.append(known._replace(is_new=False))
        else:
            comparison, n = quantity[:2] if quantity else ("eq", 1)
            mentions.append(
                ThingMention(category, comparison, min(n * times, MOST_COUNTED), not (known and is_definite))
            )
    return mentions


def _joined(parsed: RoomDescription) -> Iterator[tuple[Placing, int, int | None]]:
    """Yield each placing with the indices of its thing and of its anchor, which may be what a pronoun refers to."""
    words, things = [token.word for token in parsed.tokens], parsed.things
    subject_of = dict[int | None, int]()
    for placing in parsed.placings:
        thing, anchor = placing.thing, placing.anchor
        if thing is None:
            continue
        following = [word for word in words[placing.end : placing.end + 3] if word not in ("of", "both")]
        is_pronoun = following[:1] and following[0] in PRONOUNS and following[1:2] != ["other"]
        if anchor is None and not placing.element and (is_pronoun or "its" in words[placing.start : placing.end]):
            before = placing.start
            while before and words[before] != "with" and words[before] not in ENDS:
                before -= 1
            hosts = [number for number in range(thing) if things[number].end <= before and words[before] == "with"]
            if thing in subject_of and thing not in hosts:  # two chairs beside the table that face it
                thing, anchor = subject_of[thing], thing
            elif hosts:  # a bench at the foot of the bed with a book on it
                anchor = subject_of.get(hosts[-1], hosts[-1])
            elif thing:
                anchor = thing - 1
        if placing.anchor is not None:
            subject_of[placing.anchor] = thing
        yield placing, thing, anchor
