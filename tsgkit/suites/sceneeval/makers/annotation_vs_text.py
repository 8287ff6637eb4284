"""Findings from comparing an annotation with its description, in both directions, and with other descriptions.

>>> text = "A bedroom with a red bed and a lamp next to it."
>>> made = annotation_of("0", "easy", text, ("eq,2,bed",), ("eq,1,bed,soft",), (), ())
>>> for finding in text_mismatches(made, furniture()):
...     print(finding.severity, finding.code, finding.message)
error uncounted-thing the text names 'lamp', and nothing of the kind is counted
error other-quantity the text tells exactly 1 bed, and eq,2,bed says exactly 2
error missing-attribute the text says that 'bed' is red, and no ObjAttr entry does
warning untold-attribute eq,1,bed,soft: the text does not say soft

>>> other = annotation_of("1", "easy", "A kitchen with a stove.", ("eq,1,stove", "eq,1,bed"), ("eq,1,stove,red",))
>>> for finding in batch_findings([made, other], furniture())[1]:
...     print(finding.code, finding.message)
carried-over bed: this text does not name it, and that of 0 does
carried-over eq,1,stove,red: this text does not say red, and that of 0 does

Errors are certain from the words alone. If the rules may be mistaken, the finding is a warning, for a person to check.
Meanings are not known here: an attribute or a relation in other words counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.lexicon.folding import word_set
from tsgkit.suites.sceneeval.annotation_files import as_json, read_annotations, unmapped_relations
from tsgkit.suites.sceneeval.annotations import DIFFICULTIES, Annotation, Specification, annotation_of, spaced
from tsgkit.suites.sceneeval.descriptions import (
    DescribedThing,
    Placing,
    Quantity,
    RoomDescription,
    attribute_words,
    category_of,
    names_in,
    read_description,
)
from tsgkit.suites.sceneeval.word_meanings import Furniture, element_of, furniture, key_of, relation_table, words_of

__all__ = ["RULES", "AnnotationBatch", "annotation_of", "batch_findings", "furniture", "objects_of", "text_mismatches"]

RULES = {
    "level-objects": Rule(ERROR, "the number of objects does not fit the difficulty"),
    "level-small": Rule(ERROR, "too many small objects for the difficulty"),
    "uncounted-thing": Rule(ERROR, "a thing in the text has no ObjCount entry"),
    "unknown-thing": Rule(WARNING, "an unknown thing in the text has no ObjCount entry"),
    "untold-category": Rule(ERROR, "a counted category is not in the text"),
    "loose-category": Rule(WARNING, "a category is more specific than the text"),
    "several-counts": Rule(ERROR, "a category has contradictory counts"),
    "other-quantity": Rule(ERROR, "the text has another number"),
    "unsure-quantity": Rule(WARNING, "the text may have another number"),
    "more-than-counted": Rule(ERROR, "an entry demands more objects than are counted"),
    "missing-attribute": Rule(ERROR, "an attribute in the text has no ObjAttr entry"),
    "unsure-attribute": Rule(WARNING, "a possible attribute in the text has no ObjAttr entry"),
    "untold-attribute": Rule(WARNING, "a demanded attribute is not in the text"),
    "merged-attribute": Rule(ERROR, "an entry has several attributes"),
    "attribute-in-category": Rule(ERROR, "a category contains an attribute"),
    "missing-relation": Rule(WARNING, "a relation in the text has no entry"),
    "untold-relation": Rule(WARNING, "a demanded relation is not in the text in these words"),
    "odd-name": Rule(ERROR, "an entry has characters that names cannot have"),
    "unmapped-relation": Rule(ERROR, "a relation has no measured meaning"),
}
SAME_STEM = {"wooden": "wood", "golden": "gold", "woolen": "wool", "gray": "grey", "sized": "size", "metallic": "metal"}
NO_ATTRIBUTES = frozenset(
    ("second", "third", "other", "single", "more", "own", "very", "separate", "additional", "further")
)
PLAIN = re.compile(r"[\w ,.'’&+/:-]+")
HOLDING = frozenset(words_of("hold carry contain"))
UPSIDE = ("side_of top", "side_of bottom", "side_region bottom")
"""Relations that are inverses of each other: above and below."""
IN_ROOM = ("in", "inside", "within")
BUILT_ANYWHERE = ("corner", "middl", "center")
LEFT_OUT = ("out-of-place", "cut-description", "empty-description", "unknown-difficulty", "no-counts")
"""Codes of file findings that do not concern entries, or that are found otherwise."""
MOST_ALIKE = 0.75
"""The share of common words above which two descriptions are near-duplicates."""
COMMON = word_set("a an the of in on at with and or to is are there it its next by room wall against stand has one two")


def objects_of(annotation: Annotation) -> int:
    """Return the least number of objects demanded."""
    return sum(map(_least, annotation.of_kind("cnt")))


def _least(spec: Specification) -> int:
    return {"eq": spec.n, "ge": spec.n, "gt": spec.n + 1}.get(spec.quantity, 0)


def text_mismatches(annotation: Annotation, table: Furniture) -> tuple[Finding, ...]:
    """Return all findings by rules, errors first, with those on the form of its entries."""
    check = _AnnotationCheck(annotation, table)
    findings = chain(
        check.level(),
        check.things(),
        check.categories(),
        check.quantities(),
        check.numbers(),
        check.attributes_in_text(),
        check.attributes_in_entries(),
        check.relations_in_text(),
        check.relations_in_entries(),
        check.entries(),
    )
    return tuple(dict.fromkeys(sorted(findings, key=lambda finding: finding.severity != ERROR)))


@dataclass(frozen=True)
class _AnnotationCheck:
    """An annotation with its parsed description."""

    annotation: Annotation
    table: Furniture

    @cached_property
    def parsed(self) -> RoomDescription:
        return read_description(self.annotation.description, self.annotation.categories, self.table)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spec.category for spec in self.annotation.counts))

    @cached_property
    def candidates(self) -> dict[str, tuple[str, ...]]:
        """The categories that each named thing may belong to: synonyms, else those that are more or less precise."""
        categories = dict[str, tuple[str, ...]]()
        for name in {thing.name for thing in self.parsed.things}:
            synonyms = tuple(
                category for category in self.counted if self.table.same(category) == self.table.same(name)
            )
            categories[name] = synonyms or tuple(
                category for category in self.counted if _is_tail(name, category) or _is_tail(category, name)
            )
        return categories

    def _finding(self, code: str, message: str, hint: str = "") -> Finding:
        return Finding(code, RULES[code].severity, message, hint, Place(item=self.annotation.item_id))

    def level(self) -> Iterator[Finding]:
        name = self.annotation.difficulty
        if name not in DIFFICULTIES:
            return
        (fewest, most), most_small = DIFFICULTIES[name][:2]
        number = objects_of(self.annotation)
        counts = self.annotation.of_kind("cnt")
        small = sum(_least(spec) for spec in counts if self.table.is_small(spec.category))
        if not fewest <= number <= most:
            wanted = f"at most {most}" if number > most else f"at least {fewest}"
            yield self._finding("level-objects", f"{name} has {wanted} objects, and {number} are counted")
        if small > most_small:
            message = f"{name} has at most {most_small} small objects, and {small} are counted"
            yield self._finding("level-small", message)

    def things(self) -> Iterator[Finding]:
        for thing in self.parsed.things:
            if self.candidates[thing.name] or (thing.is_definite and not thing.is_known):
                continue
            if not thing.is_known:
                yield self._finding("unknown-thing", f"nothing is counted that {thing.name!r} may be")
            elif not thing.name.startswith("shelves") or not thing.is_definite:
                message = f"the text names {thing.name!r}, and nothing of the kind is counted"
                hint = f"add {_head(thing)},{category_of(thing.name)} to the counts"
                yield self._finding("uncounted-thing", message, hint)

    def categories(self) -> Iterator[Finding]:
        matched = {name for names in self.candidates.values() for name in names}
        keys = {self.table.same(thing.name) for thing in self.parsed.things}
        for name in self.annotation.categories:
            if self.table.same(name) in keys or key_of(name) in self.parsed.runs or self.parsed.says(name):
                continue
            if name in matched:
                yield self._finding("loose-category", f"the text does not say {spaced(name)} in full")
            else:
                yield self._finding("untold-category", f"the text does not name {spaced(name)}")

    def quantities(self) -> Iterator[Finding]:
        for name in self.counted:
            specs = [spec for spec in self.annotation.of_kind("cnt") if spec.category == name]
            if len({(spec.quantity, spec.n) for spec in specs}) > 1:
                if len({spec.n for spec in specs if spec.quantity == "eq"}) > 1 or len(specs) > 2:
                    yield self._finding("several-counts", f"{name} is counted by {', '.join(s.text for s in specs)}")
                continue
            spec = specs[0]
            mentions = [thing for thing in self.parsed.things if self.candidates[thing.name] == (name,)]
            quantities = [thing.quantity for thing in mentions if thing.quantity is not None]
            is_shared = any(thing.is_shared for thing in mentions)
            if not quantities:
                is_definite = any(thing.is_definite for thing in mentions)
                if mentions and spec.quantity == "eq" and not is_definite and spec.n > 1:
                    yield self._finding("unsure-quantity", f"the text tells no number, and {spec.text} does")
            elif len(quantities) == 1 and not is_shared:
                if code := _quantity_difference(quantities[0], spec):
                    message = f"the text tells {quantities[0]} {spaced(name)}, and {spec.text} says {spec.wanted}"
                    yield self._finding(code, message)
            elif message := _contradiction_of_several(quantities, spec, is_shared=is_shared):
                yield self._finding("other-quantity", message)

    def numbers(self) -> Iterator[Finding]:
        most = {spec.category: spec.n for spec in self.annotation.of_kind("cnt") if spec.quantity in ("eq", "le")}
        for kind in ("atr", "oor", "oar"):
            for spec in self.annotation.of_kind(kind):
                counted = dict.fromkeys(spec.others) if kind == "oor" else (spec.category,)
                limit = sum(most.get(name, 10_000) for name in counted)
                if _least(spec) > limit:
                    yield self._finding("more-than-counted", f"{spec.text}: only {limit} are counted")

    def attributes_in_text(self) -> Iterator[Finding]:
        for thing in self.parsed.things:
            names = self.candidates[thing.name]
            demanded = [spec.attribute for spec in self.annotation.of_kind("atr") if spec.category in names]
            for phrase, is_sure in attribute_words(thing, self.table) if names else ():
                roots = _roots(phrase)
                if phrase in NO_ATTRIBUTES or any(roots & _roots(text) for text in (*demanded, *names)):
                    continue
                code = "missing-attribute" if is_sure else "unsure-attribute"
                message = f"the text says that {thing.name!r} is {phrase}, and no ObjAttr entry does"
                hint = f"add {_head(thing)},{names[0]},{phrase.replace(' ', '_')} to the attributes"
                yield self._finding(code, message, hint)

    def attributes_in_entries(self) -> Iterator[Finding]:
        roots, kind_of = _roots(" ".join(token.word for token in self.parsed.tokens)), self.table.attributes
        for spec in self.annotation.of_kind("atr"):
            words = spaced(re.sub("[-/&+]", " ", spec.attribute)).split()
            kinds = dict.fromkeys(kind for word in words if (kind := kind_of.get(word)))
            if len(kinds) > 1 and not self.table.attribute_kind(spec.attribute):
                message = f"{spec.text}: {spaced(spec.attribute)} is {' and '.join(kinds)}"
                yield self._finding("merged-attribute", message, "write an entry for each")
            elif not _roots(spec.attribute) & roots:
                message = f"{spec.text}: the text does not say {spaced(spec.attribute)}"
                yield self._finding("untold-attribute", message)
        for name in self.counted:
            first, _, rest = spaced(name).partition(" ")
            if rest and kind_of.get(first) in ("colour", "pattern"):
                hint = f"count {rest.replace(' ', '_')}, and demand {first} as an attribute"
                yield self._finding("attribute-in-category", f"the category {name} holds the attribute {first}", hint)

    def relations_in_text(self) -> Iterator[Finding]:
        for placing in self.parsed.placings:
            if not self._is_placed(placing):
                things = [self.parsed.things[n].name for n in (placing.thing, placing.anchor) if n is not None]
                what = " and ".join([repr(name) for name in things] + ([placing.element] if placing.element else []))
                message = f"the text says {placing.phrase!r} of {what}, and no entry says how they stand"
                yield self._finding("missing-relation", message)

    def _is_placed(self, placing: Placing) -> bool:
        """Return True if an entry relates the things that a phrase joins, or if the phrase is unclear."""
        subjects, anchors = (
            () if number is None else self.candidates[self.parsed.things[number].name]
            for number in (placing.thing, placing.anchor)
        )
        counts = [spec for spec in self.annotation.of_kind("cnt") if spec.category in subjects]
        if subjects == anchors and not any(_least(spec) > 1 for spec in counts):
            subjects = ()  # a thing has no relation to itself: the placed thing follows the phrase
        if not subjects and not anchors:
            return True
        is_in_room = any(word in BUILT_ANYWHERE for word in words_of(placing.phrase))
        built = placing.element or ("room" if is_in_room else "")
        if placing.anchor is None and built:
            if not subjects or placing.phrase in IN_ROOM or relation_table().to_room(placing.phrase, built) is None:
                return True
            specs = [spec for spec in self.annotation.of_kind("oar") if spec.category in subjects]
            return any(element_of(name) == built for spec in specs for name in spec.elements)
        pairs = self.annotation.of_kind("oor")
        if subjects and anchors:
            return any(_joins(spec, subjects, anchors) for spec in pairs)
        return any(set(subjects or anchors) & set(spec.categories) for spec in pairs)

    def relations_in_entries(self) -> Iterator[Finding]:
        """Yield the relations that are not in the text in these words, nor in others that mean the same.

        In which room something is, texts say in many ways.
        """
        table = relation_table()
        for spec in (*self.annotation.of_kind("oor"), *self.annotation.of_kind("oar")):
            words = spaced(spec.relation)
            if self.parsed.says(" ".join(word for word in words.split() if word not in table.ignored)):
                continue
            if spec.kind == "oor":
                meant = table.between_objects(spec.relation) or ()
                if any(relation.type in ("inside_of", "on_top") for relation in meant) and self.parsed.roots & HOLDING:
                    continue
            elif element_of(spec.elements[0]) == "room" and words in IN_ROOM:
                continue
            if not any(_means_the_same(placing.phrase, spec) for placing in self.parsed.placings):
                yield self._finding("untold-relation", f"{spec.text}: the text does not say {words}")

    def entries(self) -> Iterator[Finding]:
        for spec in self.annotation.specifications:
            if odd := PLAIN.sub("", spec.text):
                yield self._finding("odd-name", f"{spec.text!r} holds {odd!r:.20}", "letters, digits and underscores")
        for finding in read_annotations(as_json([self.annotation]), "made").findings:
            if finding.code not in LEFT_OUT:
                yield Finding(finding.code, ERROR, finding.message, finding.hint, Place(item=self.annotation.item_id))
        for finding in unmapped_relations([self.annotation]):
            message = f"{finding.message} means nothing that is measured"
            yield self._finding(finding.code, message, "use another relation, or leave the entry out")


def _head(thing: DescribedThing) -> str:
    """Return the first fields of an entry for a thing."""
    return "eq,1" if thing.quantity is None else f"{thing.quantity.comparison},{thing.quantity.n}"


def _is_tail(short: str, whole: str) -> bool:
    """Return True if a name is the last part of another, such as ``chair`` of ``armchair`` and ``office chair``."""
    return len(key_of(short)) > 2 and key_of(whole).endswith(key_of(short))


def _quantity_difference(mentioned: Quantity, spec: Specification) -> str:
    """Return the code for how a number mentioned once differs from an entry, or an empty text if it does not."""

    def span(comparison: str, n: int) -> tuple[str, int]:
        return {"gt": ("ge", n + 1), "lt": ("le", n - 1)}.get(comparison, (comparison, n))

    comparison, n, is_vague = mentioned
    if is_vague:
        return "" if spec.quantity in ("ge", "gt") else "other-quantity" if spec.n < 2 else "unsure-quantity"
    if (comparison, n) == ("eq", 0):
        return "" if spec.holds(0) and not spec.holds(1) else "other-quantity"
    demanded = span(spec.quantity, spec.n)
    if span(comparison, n) == demanded or (spec.quantity, spec.n, n) == ("ge", 1, 1):
        return ""
    return "unsure-quantity" if comparison == "eq" and demanded == ("ge", n) else "other-quantity"


def _contradiction_of_several(quantities: Sequence[Quantity], spec: Specification, *, is_shared: bool) -> str:
    """Return why numbers mentioned several times, or for each of several things, contradict an entry."""
    if spec.quantity == "le" or any(of.is_vague or of.n == 0 or of.comparison not in ("eq", "ge") for of in quantities):
        return ""
    most, total = max(of.n for of in quantities), sum(of.n for of in quantities)
    says = f"{spaced(spec.category)}, and {spec.text} says {spec.wanted}"
    if _least(spec) < most:
        return f"in one place alone the text tells of {most} {says}"
    if _least(spec) > total and not is_shared:
        return f"in all the text tells of {total} {says}"
    return ""


def _roots(text: str) -> frozenset[str]:
    """Return the stems of attribute words. ``wood`` and ``wooden`` have the same one."""
    words = spaced(text).replace("-", " ").split()
    return frozenset(root for word in words for root in words_of(SAME_STEM.get(word, word)))


def _joins(spec: Specification, subjects: Sequence[str], anchors: Sequence[str]) -> bool:
    """Return True if a relation is between a subject and an anchor."""
    names = list(spec.categories)
    first = next((name for name in names if name in subjects), None)
    if first is None:
        return False
    names.remove(first)
    return any(name in anchors for name in names)


def _means_the_same(phrase: str, spec: Specification) -> bool:
    table = relation_table()
    if spec.kind == "oar":
        element = element_of(spec.elements[0]) or ""
        meant = table.to_room(spec.relation, element)
        return meant is not None and table.to_room(phrase, element) == meant
    phrase_types, demanded = (
        {"upside" if str(relation) in UPSIDE else relation.type for relation in table.between_objects(words) or ()}
        for words in (phrase, spec.relation)
    )
    return bool(phrase_types & demanded)


def batch_findings(
    annotations: Sequence[Annotation], table: Furniture, known: Sequence[str] = ()
) -> list[tuple[Finding, ...]]:
    """Return the findings on each annotation, compared with the others and with known descriptions."""
    batch = AnnotationBatch(annotations, table, known)
    return [batch.findings(number) for number in range(len(annotations))]


class AnnotationBatch:
    """A batch of annotations to compare with each other and with known descriptions, which take precedence.

    The errors are ``near-duplicate`` (a description is very similar to another one) and ``carried-over`` (a demand
    comes from another description).
    """

    def __init__(self, annotations: Sequence[Annotation], table: Furniture, known: Sequence[str] = ()) -> None:
        self.annotations, self.table = annotations, table
        self.names = [names_in(annotation.description, table) for annotation in annotations]
        self.words = [_content_words(annotation.description) for annotation in annotations]
        self.known = [_content_words(text) for text in known]

    def findings(self, number: int, instead: Annotation | None = None) -> tuple[Finding, ...]:
        """Return the findings on the annotation at an index, or on another one in its place."""
        annotation = instead or self.annotations[number]
        messages = [*self._duplicates(annotation, number), *self._carried_over(annotation, number)]
        return tuple(Finding(code, ERROR, text, "", Place(item=annotation.item_id)) for code, text in messages)

    def _duplicates(self, annotation: Annotation, number: int) -> Iterator[tuple[str, str]]:
        words = _content_words(annotation.description)

        def is_alike(alike: frozenset[str]) -> bool:
            return bool(words) and len(words & alike) / len(words | alike) > MOST_ALIKE

        if any(map(is_alike, self.known)):
            yield "near-duplicate", "the description is much like one there is already"
        if (alike := next((n for n in range(number) if is_alike(self.words[n])), None)) is not None:
            yield "near-duplicate", f"the description is much like that of {self.annotations[alike].item_id}"

    def _carried_over(self, annotation: Annotation, number: int) -> Iterator[tuple[str, str]]:
        words, names = frozenset(words_of(annotation.description)), names_in(annotation.description, self.table)
        others = [n for n in range(len(self.annotations)) if n != number]
        for name in annotation.categories:
            key = self.table.same(name)
            if key in names or not words.isdisjoint(words_of(spaced(name))[-1:]):
                continue
            if whose := next((self.annotations[n].item_id for n in others if key in self.names[n]), ""):
                yield "carried-over", f"{name}: this text does not name it, and that of {whose} does"
        for spec in annotation.of_kind("atr"):
            wanted = frozenset(words_of(spaced(spec.attribute)))
            if not wanted or wanted & words:
                continue
            if whose := next((self.annotations[n].item_id for n in others if wanted <= self.words[n]), ""):
                attribute = spaced(spec.attribute)
                yield "carried-over", f"{spec.text}: this text does not say {attribute}, and that of {whose} does"


def _content_words(text: str) -> frozenset[str]:
    """Return the stems of the words that distinguish one description from another."""
    return frozenset(words_of(text)) - COMMON
