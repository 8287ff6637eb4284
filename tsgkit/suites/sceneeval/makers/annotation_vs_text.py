"""Findings from comparing an annotation with its description, in both directions.

>>> text = "A bedroom with a red bed and a lamp next to it."
>>> made = annotation_of("0", "easy", text, ("eq,2,bed",), ("eq,1,bed,soft",), (), ())
>>> for finding in text_mismatches(made, furniture()):
...     print(finding.severity, finding.code, finding.message)
error uncounted-thing the text names 'lamp', and nothing of the kind is counted
error other-quantity the text tells exactly 1 bed, and eq,2,bed says exactly 2
error missing-attribute the text says that 'bed' is red, and no ObjAttr entry does
warning untold-attribute eq,1,bed,soft: the text does not say soft

Errors are certain from the words alone. If the rules may be mistaken, the finding is a warning, for a person to check.
Meanings are not known here: an attribute or a relation in other words counts as missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tsgkit.graph.rules import ERROR, WARNING, Finding, Place, Rule
from tsgkit.lexicon import bases
from tsgkit.suites.sceneeval.annotation_files import as_json, read_annotations, unmapped_relations
from tsgkit.suites.sceneeval.annotations import Annotation, Specification, annotation_of, spaced
from tsgkit.suites.sceneeval.makers.descriptions import (
    Description,
    Placing,
    Quantity,
    Thing,
    attribute_words,
    read_description,
)
from tsgkit.suites.sceneeval.makers.furniture import Furniture, furniture, key_of
from tsgkit.suites.sceneeval.word_meanings import element_of, relation_table, words_of

__all__ = ["LEVELS", "RULES", "annotation_of", "furniture", "objects_of", "small_of", "text_mismatches"]

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
LEVELS = {"easy": (1, 4, 0), "medium": (5, 8, 3), "hard": (9, 10_000, 10_000)}
"""For each difficulty, the least and greatest number of objects, and the greatest number of small ones."""
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


def objects_of(annotation: Annotation) -> int:
    """Return the least number of objects demanded."""
    return sum(map(_least, annotation.of_kind("cnt")))


def small_of(annotation: Annotation, table: Furniture) -> int:
    """Return the least number of small objects demanded."""
    return sum(_least(spec) for spec in annotation.of_kind("cnt") if table.is_small(spec.category))


def _least(spec: Specification) -> int:
    return {"eq": spec.n, "ge": spec.n, "gt": spec.n + 1}.get(spec.quantity, 0)


def text_mismatches(annotation: Annotation, table: Furniture) -> tuple[Finding, ...]:
    """Return all findings by rules, errors first, with those on the form of its entries."""
    check = _AnnotationCheck(annotation, table)
    checks: Sequence[Callable[[], Iterator[Finding]]] = (
        check.level,
        check.things,
        check.categories,
        check.quantities,
        check.numbers,
        check.attributes_in_text,
        check.attributes_in_entries,
        check.relations_in_text,
        check.relations_in_entries,
        check.entries,
    )
    found = [finding for check in checks for finding in check()]
    return tuple(dict.fromkeys(sorted(found, key=lambda one: one.severity != ERROR)))


@dataclass(frozen=True)
class _AnnotationCheck:
    """An annotation with its parsed description."""

    annotation: Annotation
    table: Furniture

    @cached_property
    def parsed(self) -> Description:
        return read_description(self.annotation.description, self.annotation.categories, self.table)

    @cached_property
    def counted(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(spec.category for spec in self.annotation.counts))

    def _finding(self, code: str, message: str, hint: str = "") -> Finding:
        return Finding(code, RULES[code].severity, message, hint, Place(item=self.annotation.item_id))

    @cached_property
    def _meant(self) -> dict[str, tuple[str, ...]]:
        return {}

    def candidates(self, thing: Thing) -> tuple[str, ...]:
        """Return the categories that a thing may belong to: synonyms, else those that are more or less precise."""
        if thing.name not in self._meant:
            self._meant[thing.name] = self._candidates(thing)
        return self._meant[thing.name]

    def _candidates(self, thing: Thing) -> tuple[str, ...]:
        key = self.table.same(thing.name)
        if same := tuple(name for name in self.counted if self.table.same(name) == key):
            return same
        return tuple(name for name in self.counted if _is_tail(thing.name, name) or _is_tail(name, thing.name))

    def level(self) -> Iterator[Finding]:
        name = self.annotation.difficulty
        if name not in LEVELS:
            return
        fewest, most, most_small = LEVELS[name]
        number, small = objects_of(self.annotation), small_of(self.annotation, self.table)
        if not fewest <= number <= most:
            wanted = f"at most {most}" if number > most else f"at least {fewest}"
            yield self._finding("level-objects", f"{name} has {wanted} objects, and {number} are counted")
        if small > most_small:
            yield self._finding(
                "level-small", f"{name} has at most {most_small} small objects, and {small} are counted"
            )

    def things(self) -> Iterator[Finding]:
        for thing in self.parsed.things:
            if self.candidates(thing) or (thing.is_definite and not thing.is_known):
                continue
            if not thing.is_known:
                yield self._finding("unknown-thing", f"nothing is counted that {thing.name!r} may be")
            elif not thing.name.startswith("shelves") or not thing.is_definite:
                message = f"the text names {thing.name!r}, and nothing of the kind is counted"
                hint = f"add {_head(thing)},{_singular(thing.name)} to the counts"
                yield self._finding("uncounted-thing", message, hint)

    def categories(self) -> Iterator[Finding]:
        named = {name for thing in self.parsed.things for name in self.candidates(thing)}
        keys = {self.table.same(thing.name) for thing in self.parsed.things}
        for name in self.annotation.categories:
            if self.table.same(name) in keys or key_of(name) in self.parsed.runs or self.parsed.says(name):
                continue
            if name in named:
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
            named = [thing for thing in self.parsed.things if self.candidates(thing) == (name,)]
            yield from self._quantity(specs[0], named)

    def _quantity(self, spec: Specification, named: Sequence[Thing]) -> Iterator[Finding]:
        mentioned = [thing.quantity for thing in named if thing.quantity is not None]
        is_shared = any(thing.is_shared for thing in named)
        if not mentioned:
            if named and spec.quantity == "eq" and not any(thing.is_definite for thing in named) and spec.n > 1:
                yield self._finding("unsure-quantity", f"the text tells no number, and {spec.text} does")
            return
        if len(mentioned) == 1 and not is_shared:
            verdict = _verdict(mentioned[0], spec)
            if verdict:
                message = f"the text tells {mentioned[0]} {spaced(spec.category)}, and {spec.text} says {spec.wanted}"
                yield self._finding(verdict, message)
        elif message := _of_several(mentioned, spec, is_shared=is_shared):
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
            names = self.candidates(thing)
            for phrase, is_sure in attribute_words(thing, self.table):
                if not names or phrase in NO_ATTRIBUTES or self._is_demanded(phrase, names):
                    continue
                code = "missing-attribute" if is_sure else "unsure-attribute"
                message = f"the text says that {thing.name!r} is {phrase}, and no ObjAttr entry does"
                yield self._finding(
                    code, message, f"add {_head(thing)},{names[0]},{phrase.replace(' ', '_')} to the attributes"
                )

    def _is_demanded(self, phrase: str, names: Sequence[str]) -> bool:
        roots = _roots(phrase)
        said = [spec.attribute for spec in self.annotation.of_kind("atr") if spec.category in names]
        return any(roots & _roots(text) for text in (*said, *names))

    def attributes_in_entries(self) -> Iterator[Finding]:
        mentioned = _roots(" ".join(token.word for token in self.parsed.tokens))
        for spec in self.annotation.of_kind("atr"):
            if kinds := self._merged(spec.attribute):
                message = f"{spec.text}: {spaced(spec.attribute)} is {' and '.join(kinds)}"
                yield self._finding("merged-attribute", message, "write an entry for each")
            elif not _roots(spec.attribute) & mentioned:
                message = f"{spec.text}: the text does not say {spaced(spec.attribute)}"
                yield self._finding("untold-attribute", message)
        for name in self.counted:
            words = spaced(name).split()
            if len(words) > 1 and self.table.attributes.get(words[0]) in ("colour", "pattern"):
                message = f"the category {name} holds the attribute {words[0]}"
                hint = f"count {'_'.join(words[1:])}, and demand {words[0]} as an attribute"
                yield self._finding("attribute-in-category", message, hint)

    def _merged(self, attribute: str) -> tuple[str, ...]:
        """Return the kinds of several attributes joined in one, or nothing if there is only one."""
        if self.table.attribute_kind(attribute):
            return ()
        words = spaced(attribute.replace("/", " ").replace("&", " ").replace("+", " ").replace("-", " ")).split()
        kinds = dict.fromkeys(kind for word in words if (kind := self.table.attributes.get(word)))
        return tuple(kinds) if len(kinds) > 1 else ()

    def relations_in_text(self) -> Iterator[Finding]:
        for placing in self.parsed.placings:
            if not self._is_placed(placing):
                things = [self.parsed.things[n].name for n in (placing.thing, placing.anchor) if n is not None]
                what = " and ".join([repr(name) for name in things] + ([placing.element] if placing.element else []))
                message = f"the text says {placing.phrase!r} of {what}, and no entry says how they stand"
                yield self._finding("missing-relation", message)

    def _is_placed(self, placing: Placing) -> bool:
        """Return True if an entry relates the things that a phrase joins, or if the phrase is unclear."""
        mine = () if placing.thing is None else self.candidates(self.parsed.things[placing.thing])
        to = () if placing.anchor is None else self.candidates(self.parsed.things[placing.anchor])
        if mine == to and not any(_least(spec) > 1 for spec in self.annotation.of_kind("cnt") if spec.category in mine):
            mine = ()  # a thing has no relation to itself: the placed thing follows the phrase
        if not mine and not to:
            return True
        built = placing.element or self._corner(placing)
        if placing.anchor is None and built:
            return not mine or self._is_built_against(placing.phrase, built, mine)
        pairs = self.annotation.of_kind("oor")
        if mine and to:
            return any(_joins(spec, mine, to) for spec in pairs)
        return any(set(mine or to) & set(spec.categories) for spec in pairs)

    def _corner(self, placing: Placing) -> str:
        return "room" if any(word in BUILT_ANYWHERE for word in words_of(placing.phrase)) else ""

    def _is_built_against(self, phrase: str, element: str, names: Sequence[str]) -> bool:
        if phrase in IN_ROOM or relation_table().to_room(phrase, element) is None:
            return True
        specs = [spec for spec in self.annotation.of_kind("oar") if spec.category in names]
        return any(element_of(name) == element for spec in specs for name in spec.elements)

    def relations_in_entries(self) -> Iterator[Finding]:
        for spec in (*self.annotation.of_kind("oor"), *self.annotation.of_kind("oar")):
            if not self._is_worded(spec) and not _is_of_a_room(spec):
                yield self._finding("untold-relation", f"{spec.text}: the text does not say {spaced(spec.relation)}")

    def _is_worded(self, spec: Specification) -> bool:
        table = relation_table()
        if self.parsed.says(" ".join(word for word in spaced(spec.relation).split() if word not in table.ignored)):
            return True
        meant = table.between_objects(spec.relation) if spec.kind == "oor" else None
        if any(one.type in ("inside_of", "on_top") for one in meant or ()) and self.parsed.roots & HOLDING:
            return True
        return any(_means_the_same(placing.phrase, spec) for placing in self.parsed.placings)

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


def _head(thing: Thing) -> str:
    """Return the first fields of an entry for a thing."""
    return "eq,1" if thing.quantity is None else f"{thing.quantity.comparison},{thing.quantity.n}"


def _singular(name: str) -> str:
    """Return a name in the form of a category.

    >>> _singular("storage boxes"), _singular("bookshelves"), _singular("chess"), _singular("knives")
    ('storage_box', 'bookshelf', 'chess', 'knife')
    """
    *before, last = name.split()
    if last.endswith("shelves"):
        last = last[:-3] + "f"
    elif last.endswith("ies"):
        last = last[:-3] + "y"
    elif last.endswith(("xes", "ches", "shes", "sses")):
        last = last[:-2]
    elif last.endswith("s") and not last.endswith("ss"):
        last = bases(last)[:2][-1]
    return "_".join([*before, last])


def _is_tail(short: str, whole: str) -> bool:
    """Return True if a name is the last part of another, such as ``chair`` of ``armchair`` and ``office chair``."""
    return len(key_of(short)) > 2 and key_of(whole).endswith(key_of(short))


def _verdict(mentioned: Quantity, spec: Specification) -> str:
    """Return the code for how a number mentioned once differs from an entry, or an empty text if it does not."""
    if mentioned.is_vague:
        return "" if spec.quantity in ("ge", "gt") else "other-quantity" if spec.n < 2 else "unsure-quantity"
    if (mentioned.comparison, mentioned.n) == ("eq", 0):
        return "" if spec.holds(0) and not spec.holds(1) else "other-quantity"
    if _span(mentioned.comparison, mentioned.n) == _span(spec.quantity, spec.n) or (spec.quantity, spec.n) == (
        "ge",
        mentioned.n,
    ) == (
        "ge",
        1,
    ):
        return ""
    is_loose = mentioned.comparison == "eq" and (spec.quantity, spec.n) in (
        ("ge", mentioned.n),
        ("gt", mentioned.n - 1),
    )
    return "unsure-quantity" if is_loose else "other-quantity"


def _span(comparison: str, n: int) -> tuple[str, int]:
    """Return a comparison in its normal form."""
    return {"gt": ("ge", n + 1), "lt": ("le", n - 1)}.get(comparison, (comparison, n))


def _of_several(mentioned: Sequence[Quantity], spec: Specification, *, is_shared: bool) -> str:
    """Return why numbers mentioned several times, or for each of several things, contradict an entry."""
    if (
        any(one.is_vague or one.n == 0 or one.comparison not in ("eq", "ge") for one in mentioned)
        or spec.quantity == "le"
    ):
        return ""
    most, total = max(one.n for one in mentioned), sum(one.n for one in mentioned)
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


def _joins(spec: Specification, mine: Sequence[str], to: Sequence[str]) -> bool:
    """Return True if a relation is between one of ``mine`` and one of ``to``."""
    names = list(spec.categories)
    first = next((name for name in names if name in mine), None)
    if first is None:
        return False
    names.remove(first)
    return any(name in to for name in names)


def _means_the_same(phrase: str, spec: Specification) -> bool:
    table = relation_table()
    if spec.kind == "oar":
        element = element_of(spec.elements[0])
        mine = table.to_room(spec.relation, element) if element else None
        return mine is not None and element is not None and table.to_room(phrase, element) == mine
    said, demanded = table.between_objects(phrase), table.between_objects(spec.relation)
    types = [{"upside" if str(one) in UPSIDE else one.type for one in meant or ()} for meant in (said, demanded)]
    return bool(types[0] & types[1])


def _is_of_a_room(spec: Specification) -> bool:
    """Return True if a relation only says in which room something is. Texts say that in many ways."""
    return spec.kind == "oar" and element_of(spec.elements[0]) == "room" and spaced(spec.relation) in IN_ROOM
