"""Subjects that annotate without asking anybody: entries at random, and rules that read numbers, nouns and relations.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> sample = annotation_of("0", "easy", "A den with two sofas.", ["eq,2,sofa"])
>>> json.loads(annotator_named("baseline/rules", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']
>>> json.loads(annotator_named("baseline/random", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']

``random`` draws how many entries there are, and each part of every entry, from what the whole dataset has there: the
floor for an answerer that knows the categories, relations and attributes of a dataset and never looks at a description.
The draw depends on the seed, the item's id and the dataset. ``rules`` sees the description alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from tsgkit.suites.sceneeval.annotation_replies import FIELDS
from tsgkit.suites.sceneeval.annotation_rules import annotate
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind
from tsgkit.suites.sceneeval.mapping import RelationTable, relation_table
from tsgkit.suites.solvers.unasked import Program, baseline_name

NAMES = ("random", "rules")


class Annotator(Program[Annotation], Protocol):
    """A program that annotates a description."""

    def answer(self, item: Annotation) -> str:
        """What it says, in the form that models are asked for."""


@dataclass(frozen=True)
class Drawn:
    """What a dataset has of one kind: how many entries a description has, and what stands in them."""

    sizes: tuple[int, ...]
    quantities: tuple[str, ...]
    categories: tuple[str, ...]
    attributes: tuple[str, ...]
    relations: tuple[str, ...]
    elements: tuple[str, ...]

    @classmethod
    def of(cls, samples: Sequence[Annotation], kind: Kind) -> Drawn:
        """Sizes and comparisons as often as they occur, names once each."""
        specs = [spec for sample in samples for spec in sample.of_kind(kind)]
        return cls(
            tuple(len(sample.of_kind(kind)) for sample in samples),
            tuple(f"{spec.quantity},{spec.n}" for spec in specs),
            _different(name for spec in specs for name in spec.categories),
            _different(spec.attribute for spec in specs),
            _different(spec.relation for spec in specs),
            _different(name for spec in specs for name in spec.elements),
        )

    def entries(self, kind: Kind, draw: Random, categories: Sequence[str]) -> list[str]:
        """As many entries as some description has, about these categories."""
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
class Chance:
    """Entries drawn from what a dataset has."""

    seed: int
    drawn: Mapping[Kind, Drawn]

    @property
    def fingerprint(self) -> str:
        """Its seed; the dataset is part of every run."""
        return f"random/{self.seed}"

    def answer(self, sample: Annotation) -> str:
        """Some counts, and the other entries about what is counted."""
        draw = Random(f"{self.seed}/{sample.item_id}")
        counts = self.drawn["cnt"]
        size = min(draw.choice(counts.sizes), len(counts.categories))
        named = draw.sample(counts.categories, size)
        value = {FIELDS["cnt"]: [f"{draw.choice(counts.quantities)},{name}" for name in named]}
        for kind in KINDS[1:]:
            value[FIELDS[kind]] = self.drawn[kind].entries(kind, draw, named)
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Rules:
    """Rules on the words of the description."""

    table: RelationTable

    @property
    def fingerprint(self) -> str:
        """The table of relation phrases."""
        return f"rules/{self.table.sha256}"

    def answer(self, sample: Annotation) -> str:
        """What the rules read."""
        return json.dumps(annotate(sample.description, self.table), ensure_ascii=False)


def _different(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted({*names} - {""}))


def annotator_named(subject: str, seed: int, samples: Sequence[Annotation]) -> Annotator:
    """The baseline of a subject's name, for a dataset; ``UsageError`` where there is none."""
    name = baseline_name(subject, NAMES)
    if name == "rules":
        return Rules(relation_table())
    return Chance(seed, {kind: Drawn.of(samples, kind) for kind in KINDS})
