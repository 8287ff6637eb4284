"""Baselines that annotate without a model: random entries, and rules for numbers, nouns and relations.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> sample = annotation_of("0", "easy", "A den with two sofas.", ["eq,2,sofa"])
>>> json.loads(annotator_named("baseline/rules", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']
>>> json.loads(annotator_named("baseline/random", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']

``random`` draws the number of entries, and each part of each entry, from the values in the whole dataset: the floor for
a subject that knows the categories, relations and attributes of a dataset but ignores the description. The draw depends
on the seed, the item's id and the dataset. ``rules`` sees the description only.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from tsgkit.suites.sceneeval.annotation_phrases import Piece, RelationPhrase, Thing, split_description
from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind
from tsgkit.suites.sceneeval.word_meanings import RelationTable, element_of, relation_table
from tsgkit.suites.solvers.offline_solvers import baseline_name

NAMES = ("random", "rules")


@dataclass(frozen=True)
class EntryStatistics:
    """The entries of one kind in a dataset: how many each description has, and the values of their parts."""

    sizes: tuple[int, ...]
    quantities: tuple[str, ...]
    categories: tuple[str, ...]
    attributes: tuple[str, ...]
    relations: tuple[str, ...]
    elements: tuple[str, ...]

    @classmethod
    def of(cls, samples: Sequence[Annotation], kind: Kind) -> EntryStatistics:
        """Collect the statistics. Sizes and comparisons keep their frequency; names are listed once."""
        specs = [spec for sample in samples for spec in sample.of_kind(kind)]
        return cls(
            tuple(len(sample.of_kind(kind)) for sample in samples),
            tuple(f"{spec.quantity},{spec.n}" for spec in specs),
            _distinct(name for spec in specs for name in spec.categories),
            _distinct(spec.attribute for spec in specs),
            _distinct(spec.relation for spec in specs),
            _distinct(name for spec in specs for name in spec.elements),
        )

    def entries(self, kind: Kind, draw: Random, categories: Sequence[str]) -> list[str]:
        """Return random entries about these categories, as many as a randomly chosen description has."""
        size = draw.choice(self.sizes)
        named = draw.choices(categories, k=size) if categories else ()
        return [f"{draw.choice(self.quantities)},{self._rest(kind, draw, name, categories)}" for name in named]

    def _rest(self, kind: Kind, draw: Random, name: str, categories: Sequence[str]) -> str:
        if kind == "atr":
            return f"{name},{draw.choice(self.attributes)}"
        if kind == "oor":
            return f"{draw.choice(self.relations)},0,{draw.choice(categories)},{name}"
        return f"{draw.choice(self.relations)},{name},{draw.choice(self.elements)}"


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
        """Return random counts, and random other entries about the counted categories."""
        draw = Random(f"{self.seed}/{sample.item_id}")
        counts = self.statistics["cnt"]
        size = min(draw.choice(counts.sizes), len(counts.categories))
        named = draw.sample(counts.categories, size)
        value = {FIELDS["cnt"]: [f"{draw.choice(counts.quantities)},{name}" for name in named]}
        for kind in KINDS[1:]:
            value[FIELDS[kind]] = self.statistics[kind].entries(kind, draw, named)
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class RuleAnnotator:
    """A baseline that applies rules to the words of the description."""

    table: RelationTable

    @property
    def fingerprint(self) -> str:
        """A hash of the table of relation phrases."""
        return f"rules/{self.table.sha256}"

    def answer(self, sample: Annotation) -> str:
        """Return the annotation found by the rules."""
        return json.dumps(annotate(sample.description, self.table), ensure_ascii=False)


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*names} - {""}))


def annotator_named(subject: str, seed: int, samples: Sequence[Annotation]) -> RandomAnnotator | RuleAnnotator:
    """Return the baseline with this name for a dataset. Raise UsageError if there is none."""
    name = baseline_name(subject, NAMES)
    if name == "rules":
        return RuleAnnotator(relation_table())
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
PRONOUNS = ("it", "them", "they")
MARKS = (".", ";", ":")
LEAST_SURROUNDING = 3
MOST_SURROUNDING = 20
MOST_COUNTED = 999_999


@dataclass
class _DescriptionState:
    """The state of parsing one description."""

    table: RelationTable
    things: list[Thing] = field(default_factory=list)
    subject: Thing | None = None
    """The subject of the next relation."""
    anchor: Thing | None = None
    """The anchor of the last relation."""
    host: Thing | None = None
    """The thing that ``with`` or ``each`` refers to."""
    times: int = 1
    entries: dict[str, list[str]] = field(default_factory=lambda: {FIELDS[kind]: [] for kind in KINDS})

    def mention(self, thing: Thing) -> Thing:
        """Register a mentioned thing and return it. Its number is multiplied after ``each``."""
        known = next((one for one in reversed(self.things) if one.name == thing.name), None)
        if thing.is_known and known is not None and thing.n <= known.n and not thing.attributes:
            return known
        if not thing.is_built:
            thing = Thing(
                thing.name, thing.attributes, thing.quantity, min(thing.n * self.times, MOST_COUNTED), thing.is_known
            )
            self.things.append(thing)
        return thing

    def pronoun_referent(self) -> Thing | None:
        """Return the thing that a pronoun refers to."""
        if self.host is not None and self.host != self.subject:
            return self.host
        others = [one for one in self.things if one != self.subject]
        return others[-1] if others else None

    def add_relation(self, link: RelationPhrase, subject: Thing, anchor: Thing) -> None:
        """Add a relation to an object or to the room if the table has it."""
        if link.is_inverted:
            subject, anchor = anchor, subject
        if subject.is_built:
            return
        relation = RELATION_NAMES.get(link.phrase, link.phrase.replace(" ", "_"))
        head = f"{subject.quantity},{subject.n},{relation}"
        if anchor.is_built:
            if self.table.to_room(link.phrase, element_of(anchor.name) or "room"):
                self.add("room_relations", f"{head},{subject.name},{anchor.name}")
        elif relation == "surround":
            self.add_surround(subject, anchor)
        elif self.table.between_objects(link.phrase) and subject.name != anchor.name:
            self.add("object_relations", f"{head},0,{anchor.name},{subject.name}")

    def add_surround(self, subject: Thing, anchor: Thing) -> None:
        """Add a ``add_surround`` relation. Fewer than three things are added as ``next_to`` instead."""
        if LEAST_SURROUNDING <= subject.n <= MOST_SURROUNDING:
            marked = ",".join(f"{subject.name}:{place}" for place in range(subject.n))
            self.add("object_relations", f"eq,1,surround,0,{anchor.name},{marked}")
        else:
            self.add("object_relations", f"{subject.quantity},{subject.n},next_to,0,{anchor.name},{subject.name}")

    def add(self, field_name: str, entry: str) -> None:
        """Add an entry unless it is already there."""
        if entry not in self.entries[field_name]:
            self.entries[field_name].append(entry)


def annotate(description: str, table: RelationTable) -> dict[str, list[str]]:
    """Return the entries of a description by field. A relation joins the things before and after its phrase.

    >>> text = "A den with a red sofa by the wall, two lamps next to it, a book on the sofa."
    >>> entries = annotate(text, relation_table())
    >>> entries["counts"], entries["attributes"]
    (['eq,1,sofa', 'eq,2,lamp', 'eq,1,book'], ['eq,1,sofa,red'])
    >>> entries["object_relations"], entries["room_relations"]
    (['eq,2,next_to,0,sofa,lamp', 'eq,1,on,0,sofa,book'], ['eq,1,by,sofa,wall'])

    A pronoun refers to the thing before ``with``, else to the thing before the current subject. ``each`` multiplies
    numbers. There is no grammar behind this, only rules. They were written with the bundled descriptions in view, so
    their score on those says little about other descriptions.
    """
    state = _DescriptionState(table)
    pieces = split_description(description, table)
    at = 0
    while at < len(pieces):
        at = _process(pieces, at, state)
    _add_counts(state)
    return state.entries


def _process(pieces: Sequence[Piece], at: int, state: _DescriptionState) -> int:
    """Process one piece (for a relation, also its anchor) and return the index of the next one."""
    piece = pieces[at]
    if isinstance(piece, RelationPhrase):
        return _process_relation(piece, pieces, at, state)
    if isinstance(piece, Thing) and piece.is_place:
        return at + 1
    if isinstance(piece, Thing):
        met = state.mention(piece)
        if not met.is_built:
            state.subject, state.anchor = met, None
    elif piece in MARKS or (piece == "," and state.times > 1):
        state.host, state.times = None, 1
    elif piece == "with" and state.times == 1:
        state.host = state.subject
    elif piece == "each" and state.subject is not None:
        state.host, state.times = state.subject, max(state.subject.n, 1)
    return at + 1


def _process_relation(link: RelationPhrase, pieces: Sequence[Piece], at: int, state: _DescriptionState) -> int:
    following = pieces[at + 1] if at + 1 < len(pieces) else "."
    subject, is_pronoun = state.subject, following in PRONOUNS or link.has_its
    if pieces[at - 1] == state.anchor and not is_pronoun:
        subject = state.anchor
    if isinstance(following, Thing):
        anchor: Thing | None = state.mention(following)
    elif is_pronoun:
        anchor = state.anchor if pieces[at - 1] == state.anchor else state.pronoun_referent()
    elif state.table.to_room(link.phrase, "room") and not state.table.between_objects(link.phrase):
        anchor = Thing("room", (), "eq", 1, is_known=True)
    else:
        return at + 1
    if subject is not None and anchor is not None:
        state.add_relation(link, subject, anchor)
        state.subject = subject
        state.anchor = None if anchor.is_built else anchor
    return at + (1 if following not in PRONOUNS and not isinstance(following, Thing) else 2)


def _add_counts(state: _DescriptionState) -> None:
    """Add counts and attributes. Numbers of the same category are summed."""
    for name in dict.fromkeys(thing.name for thing in state.things):
        mentioned = [thing for thing in state.things if thing.name == name]
        quantity = next((one.quantity for one in mentioned if one.quantity != "eq"), "eq")
        state.add("counts", f"{quantity},{_total(mentioned)},{name}")
    for thing in state.things:
        for attribute in thing.attributes:
            state.add("attributes", f"{thing.quantity},{thing.n},{thing.name},{attribute}")


def _total(mentioned: Iterable[Thing]) -> int:
    """Return the number of new things, or that of known ones (*the two lamps*) where it is larger."""
    new = sum(thing.n for thing in mentioned if not thing.is_known)
    known = max((thing.n for thing in mentioned if thing.is_known), default=0)
    return min(max(new, known), MOST_COUNTED)
