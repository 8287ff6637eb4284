"""Baselines that annotate without a model: random entries, and rules for numbers, nouns and relations.

>>> from tsgkit.suites.sceneeval.annotations import annotation_of
>>> sample = annotation_of("0", "easy", "A den with two sofas.", ["eq,2,sofa"])
>>> json.loads(annotator_named("baseline/rules", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']
>>> json.loads(annotator_named("baseline/random", 0, [sample]).answer(sample))["counts"]
['eq,2,sofa']

``random`` draws the number of entries, and each part of each entry, from the values in the whole dataset: the floor for
a subject that knows the categories, relations and attributes of a dataset but ignores the description. The draw depends
on the seed, the item's id and the dataset. ``rules`` sees the description only: it splits it into things, relation
phrases and the small words between them.

A thing starts after an article, a number or a word such as ``several`` and ends before the next relation phrase, verb
or punctuation mark. Its first words are attributes if they are in a short list of adjectives; the rest is its name.
Relation phrases are those of the table (``tasks/sceneeval/relations.yaml``), longest first. Not covered: things without
an article or number, clauses that refer to something further away, and adjectives outside the list, which become part
of the name.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from tsgkit.lexicon.tables import word_set
from tsgkit.suites.sceneeval.annotation_replies import COMPARISONS, FIELDS, NUMBERS
from tsgkit.suites.sceneeval.annotations import KINDS, Annotation, Kind
from tsgkit.suites.sceneeval.word_meanings import RelationTable, element_of, relation_table
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

    table: RelationTable

    @property
    def fingerprint(self) -> str:
        """A hash of the table of relation phrases."""
        return f"rules/{self.table.sha256}"

    def answer(self, sample: Annotation) -> str:
        """Return the annotation found by the rules."""
        return json.dumps(annotate(sample.description, self.table), ensure_ascii=False)


def annotator_named(subject: str, seed: int, samples: Sequence[Annotation]) -> RandomAnnotator | RuleAnnotator:
    """Return the baseline with this name for a dataset. Raise UsageError if there is none."""
    if baseline_name(subject, NAMES) == "rules":
        return RuleAnnotator(relation_table())
    return RandomAnnotator(seed, {kind: EntryStatistics.of(samples, kind) for kind in KINDS})


TOKEN = re.compile(r"[a-z]+(?:['’-][a-z]+)*|\d{1,6}|[.,;:]")
ADJECTIVES = word_set(
    "white black grey gray red green blue yellow brown purple pink orange beige silver golden dark light bright",
    "wooden oak pine metal steel glass leather wicker cardboard marble plastic brass ceramic velvet fabric stone",
    "small large big long short tall low high wide narrow tiny huge round square oval rectangular curved",
    "single double queen king twin bunk modern old antique rustic vintage formal cozy soft comfortable",
    "striped patterned checkered colorful colourful empty open closed matching simple plain spacious",
)
NAME_ENDS = word_set(
    "and or with that which who where while but as is are be it its them they each every both all there one another",
    "stands standing lie lies hang hangs hold holds holding face faces fill fills sit sits rest rests made",
    "of from to for into between has have other",
)
"""Words that end the name of a thing."""
DEFINITE = word_set("the its their this that")
ARTICLES: Mapping[str, tuple[str, int]] = {
    **dict.fromkeys(("a", "an", "another"), ("eq", 1)),
    **dict.fromkeys(("some", "several"), ("ge", 2)),
    "no": ("eq", 0),
}
PLACES = word_set("corner middle center centre side foot row")
GROUP_NOUNS = {"pair": 2, "couple": 2, "row": None, "set": None, "group": None, "stack": None}
"""Words for groups of things, with their number if it is fixed."""
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
CONNECTORS = word_set("it them they each all both with and . , ; :")


@dataclass(frozen=True)
class NounPhrase:
    """A noun phrase: its category in the singular, its attributes, and how many things there are."""

    name: str
    attributes: tuple[str, ...]
    quantity: str
    n: int
    is_known: bool
    """True after a definite article: the thing was mentioned before."""

    @property
    def is_built(self) -> bool:
        """True if it is part of the room, or a room."""
        return element_of(self.name) is not None


@dataclass(frozen=True)
class RelationPhrase:
    """A relation phrase of the table."""

    phrase: str
    has_its: bool = False
    """True if it contains ``its``, as in ``on its long side``."""
    is_inverted: bool = False
    """True if the anchor comes before it, as in ``surrounded by``."""


Piece = NounPhrase | RelationPhrase | str
"""A thing, a relation phrase, or a word or punctuation mark between them that matters."""


class _Tokens:
    """The tokens of a description, split into pieces.

    >>> pieces = list(_Tokens("At least two white chairs in front of the desk.", relation_table()).pieces())
    >>> pieces[0].name, pieces[0].attributes, pieces[0].quantity, pieces[0].n
    ('chair', ('white',), 'ge', 2)
    >>> pieces[1].phrase, pieces[2].name, pieces[2].is_known, pieces[3]
    ('in front', 'desk', True, '.')
    """

    def __init__(self, description: str, table: RelationTable) -> None:
        self.tokens = TOKEN.findall(description.lower().replace("’", "'"))
        self.ignored, self.phrases = table.ignored, table.phrases_by_first_word(str.split)

    def pieces(self) -> Iterator[Piece]:
        """Yield the pieces in order."""
        at = 0
        while at < len(self.tokens):
            if (piece := self._relation_at(at) or self._thing_at(at)) is not None:
                yield piece[0]
                at = piece[1]
                continue
            if self.tokens[at] in CONNECTORS:
                yield self.tokens[at]
            at += 1

    def _word(self, at: int) -> str:
        return self.tokens[at] if at < len(self.tokens) else ""

    def _relation_at(self, start: int) -> tuple[RelationPhrase, int] | None:
        """Return the longest phrase that starts at a token, and the index after it."""
        if self.tokens[start : start + 2] == ["surrounded", "by"]:
            return RelationPhrase("surround", is_inverted=True), start + 2
        for first in dict.fromkeys((self.tokens[start], self.tokens[start].removesuffix("s"))):
            for phrase, words in self.phrases.get(first, ()):
                if end := self._end_of_phrase(words, start):
                    return RelationPhrase(phrase, has_its="its" in self.tokens[start:end]), end
        return None

    def _end_of_phrase(self, words: Sequence[str], start: int) -> int | None:
        at = start + 1
        for word in words[1:]:
            while at < len(self.tokens) and self.tokens[at] in self.ignored and self.tokens[at] != word:
                at += 1
            if self._word(at) != word:
                return None
            at += 1
        return at

    def _thing_at(self, start: int) -> tuple[NounPhrase, int] | None:
        counted = self._quantity_at(start)
        if counted is None:
            return None
        quantity, n, at = counted
        words: list[str] = []
        while self._word(at)[:1].isalpha() and not self._ends_name(at, words):
            words.append(self.tokens[at])
            at += 1
        if not words:
            return None
        place = next((place for place, word in enumerate(words[:-1]) if word not in ADJECTIVES), len(words) - 1)
        name = "_".join([*words[place:-1], singular(words[-1])])
        return NounPhrase(name, tuple(words[:place]), quantity, n, self.tokens[start] in DEFINITE), at

    def _ends_name(self, at: int, words: Sequence[str]) -> bool:
        word = self.tokens[at]
        if word in NAME_ENDS or word in ARTICLES or word in DEFINITE or word in NUMBERS:
            return True
        if word == "stand" and words and words[-1].endswith("s"):  # two lamps stand; a tv stand
            return True
        return bool(words) and self._relation_at(at) is not None

    def _quantity_at(self, start: int) -> tuple[str, int, int] | None:
        """Return the comparison and number that start at a token, and the index after them.

        Groups are phrases such as ``a pair of``, ``a row of two``, ``a stack of at least five`` and ``a set of``.
        """
        word, following = self._word(start), self._word(start + 1)
        if comparison := COMPARISONS.get(f"{word} {following}"):
            number = self._number_at(start + 2)
            return None if number is None else (comparison, number, start + 3)
        if following in GROUP_NOUNS and self._word(start + 2) == "of":
            if size := GROUP_NOUNS[following]:
                return "eq", size, start + 3
            return self._quantity_at(start + 3) or ("ge", 2, start + 3)
        if (number := self._number_at(start)) is not None:
            return "eq", number, start + 1
        if word in DEFINITE:
            number = self._number_at(start + 1)
            return ("eq", 1, start + 1) if number is None else ("eq", number, start + 2)
        return (*ARTICLES[word], start + 1) if word in ARTICLES else None

    def _number_at(self, at: int) -> int | None:
        word = self._word(at)
        return int(word) if word.isdecimal() else NUMBERS.get(word)


def singular(word: str) -> str:
    """Return the singular of a noun, by its spelling.

    >>> [singular(word) for word in ("lamps", "shelves", "benches", "boxes", "glass", "chair")]
    ['lamp', 'shelf', 'bench', 'box', 'glass', 'chair']
    """
    for ending, instead in (("shelves", "shelf"), ("knives", "knife"), ("ies", "y"), ("ss", "ss"), ("us", "us")):
        if word.endswith(ending):
            return word.removesuffix(ending) + instead
    if word.endswith(("ches", "shes", "xes", "sses")):
        return word.removesuffix("es")
    return word.removesuffix("s") or word


@dataclass
class _DescriptionState:
    """The state of parsing one description."""

    table: RelationTable
    things: list[NounPhrase] = field(default_factory=list)
    subject: NounPhrase | None = None
    """The subject of the next relation."""
    anchor: NounPhrase | None = None
    """The anchor of the last relation."""
    host: NounPhrase | None = None
    """The thing that ``with`` or ``each`` refers to."""
    times: int = 1
    entries: dict[str, list[str]] = field(default_factory=lambda: {FIELDS[kind]: [] for kind in KINDS})

    def mention(self, thing: NounPhrase) -> NounPhrase:
        """Register a mentioned thing and return it. Its number is multiplied after ``each``."""
        known = next((other for other in reversed(self.things) if other.name == thing.name), None)
        if thing.is_known and known is not None and thing.n <= known.n and not thing.attributes:
            return known
        if not thing.is_built:
            thing = replace(thing, n=min(thing.n * self.times, MOST_COUNTED))
            self.things.append(thing)
        return thing

    def process(self, piece: NounPhrase | str) -> None:
        """Process anything but a relation phrase and its anchor."""
        if isinstance(piece, NounPhrase):
            if piece.name not in PLACES and not (thing := self.mention(piece)).is_built:
                self.subject, self.anchor = thing, None
        elif piece in MARKS or (piece == "," and self.times > 1):
            self.host, self.times = None, 1
        elif piece == "with" and self.times == 1:
            self.host = self.subject
        elif piece == "each" and self.subject is not None:
            self.host, self.times = self.subject, max(self.subject.n, 1)

    def relate(self, link: RelationPhrase, before: Piece, following: Piece) -> None:
        """Process a relation phrase between two pieces."""
        is_pronoun, follows_anchor = following in PRONOUNS or link.has_its, before == self.anchor
        subject = self.anchor if follows_anchor and not is_pronoun else self.subject
        if isinstance(following, NounPhrase):
            anchor: NounPhrase | None = self.mention(following)
        elif is_pronoun and follows_anchor:
            anchor = self.anchor
        elif is_pronoun and self.host is not None and self.host != self.subject:
            anchor = self.host
        elif is_pronoun:
            anchor = next((thing for thing in reversed(self.things) if thing != self.subject), None)
        elif self.table.to_room(link.phrase, "room") and not self.table.between_objects(link.phrase):
            anchor = NounPhrase("room", (), "eq", 1, is_known=True)
        else:
            return
        if subject is not None and anchor is not None:
            self.add_relation(link, *((anchor, subject) if link.is_inverted else (subject, anchor)))
            self.subject = subject
            self.anchor = None if anchor.is_built else anchor

    def add_relation(self, link: RelationPhrase, subject: NounPhrase, anchor: NounPhrase) -> None:
        """Add a relation to an object or to the room if the table has it. Fewer than three things surround nothing:
        they are next to it."""
        relation = RELATION_NAMES.get(link.phrase, link.phrase.replace(" ", "_"))
        many = f"{subject.quantity},{subject.n}"
        if subject.is_built:
            return
        if anchor.is_built:
            if self.table.to_room(link.phrase, element_of(anchor.name) or "room"):
                self.add("room_relations", f"{many},{relation},{subject.name},{anchor.name}")
        elif relation == "surround" and LEAST_SURROUNDING <= subject.n <= MOST_SURROUNDING:
            marked = ",".join(f"{subject.name}:{place}" for place in range(subject.n))
            self.add("object_relations", f"eq,1,surround,0,{anchor.name},{marked}")
        elif relation == "surround":
            self.add("object_relations", f"{many},next_to,0,{anchor.name},{subject.name}")
        elif self.table.between_objects(link.phrase) and subject.name != anchor.name:
            self.add("object_relations", f"{many},{relation},0,{anchor.name},{subject.name}")

    def add_counts(self) -> None:
        """Add counts and attributes. Numbers of the same category are summed.

        Known things (*the two lamps*) are not added to new ones; they count where there are more of them.
        """
        for name in dict.fromkeys(thing.name for thing in self.things):
            mentioned = [thing for thing in self.things if thing.name == name]
            quantity = next((thing.quantity for thing in mentioned if thing.quantity != "eq"), "eq")
            new = sum(thing.n for thing in mentioned if not thing.is_known)
            known = max((thing.n for thing in mentioned if thing.is_known), default=0)
            self.add("counts", f"{quantity},{min(max(new, known), MOST_COUNTED)},{name}")
        for thing in self.things:
            for attribute in thing.attributes:
                self.add("attributes", f"{thing.quantity},{thing.n},{thing.name},{attribute}")

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
    state, pieces, at = _DescriptionState(table), list(_Tokens(description, table).pieces()), 0
    while at < len(pieces):
        piece = pieces[at]
        if isinstance(piece, RelationPhrase):
            following = pieces[at + 1] if at + 1 < len(pieces) else "."
            state.relate(piece, pieces[at - 1], following)
            at += isinstance(following, NounPhrase) or following in PRONOUNS
        else:
            state.process(piece)
        at += 1
    state.add_counts()
    return state.entries
