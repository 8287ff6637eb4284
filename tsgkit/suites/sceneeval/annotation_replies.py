"""A reader of annotations from replies: JSON surrounded by prose, or entries line by line under headings.

>>> reading = read_annotation_reply('''Here it is:
... ```json
... {"counts": ["eq,1,bed", [">=", 2, "lamp"]], "attributes": "eq,1,bed,king_size;eq,one", "room_relations": []}
... ```''')
>>> [spec.text for spec in reading.specifications]
['eq,1,bed', 'ge,2,lamp', 'eq,1,bed,king_size']
>>> for note in reading.findings:
...     print(note)
line 3: repaired: the comparison as a sign or in words: '>=,2,lamp'
line 3: unread: not quant,n,category,attribute: 'eq,one'
>>> reading.annotation("0", description="A bedroom.").counts[1].n
2
>>> read_annotation_reply("I cannot do that.").unreadable
'there is no annotation in it'

The reader does not guess, and drops nothing silently: an unreadable entry becomes a finding with its kind and the
reason, so that scoring can count it as wrong. Repairs change the form of an entry, never its meaning. An object
relation without an anchor index is read as one without an anchor (-1). A closed ``<think>`` block is ignored. Of
several annotations, the last one with entries counts; a truncated one is unreadable. No text makes the reader raise.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from tsgkit.errors import NotationError
from tsgkit.graph.reading.line import Note, ignored, quoted, repaired, unread
from tsgkit.replies import Part, Unreadable
from tsgkit.replies.characters import without_bullets
from tsgkit.replies.near_json import TOO_MUCH, FoundValue, values_in, well_formed
from tsgkit.replies.reasoning import spoken
from tsgkit.suites.sceneeval.annotations import KINDS, PARSERS, QUANTITIES, Annotation, Kind, Specification

FIELDS: Mapping[Kind, str] = {
    "cnt": "counts",
    "atr": "attributes",
    "oor": "object_relations",
    "oar": "room_relations",
}
"""The field of an answer for each kind of entry."""
ALIASES: Mapping[Kind, str] = {
    "cnt": "counts count objectcounts objectcount objcounts objcount cnt",
    "atr": "attributes attribute objectattributes objectattribute objattributes objattrs objattr atr",
    "oor": "objectrelations objectrelation objectrelationships objectobjectrelations objectobjectrelationships oorels "
    "oorel oor",
    "oar": "roomrelations roomrelation roomrelationships objectroomrelations objectarchitecturerelations "
    "objectarchitecturerelationships architecturerelations oarels oarel oar",
}
"""Other names of the fields, such as those of the published columns, in lower case without spaces."""
KIND_BY_ALIAS: Mapping[str, Kind] = {name: kind for kind in KINDS for name in ALIASES[kind].split()}
SPELT = {
    "eq": ("=", "==", "exactly", "equal"),
    "lt": ("<", "less than", "fewer than"),
    "gt": (">", "more than"),
    "le": ("<=", "≤", "at most"),
    "ge": (">=", "≥", "at least"),
}
COMPARISONS = {sign: name for name, signs in SPELT.items() for sign in signs}
"""Signs and words for the comparisons."""
SPELT_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
NUMBERS = {word: number for number, word in enumerate(SPELT_NUMBERS.split())}
PARTS: tuple[tuple[str, ...], ...] = (
    ("quant", "quantity", "quantifier", "comparison", "operator", "op"),
    ("n", "number", "count", "value"),
    ("relation", "relationship"),
    ("anchor_index", "anchorindex", "anchor", "anchor_place"),
    ("category", "object", "obj", "name", "subject"),
    ("objects", "objs", "categories"),
    ("attribute", "attributes"),
    ("references", "reference", "arch", "archref", "element", "elements"),
)
"""Names of the parts of an entry that is written as an object, in the order of an entry written as text."""
MOST_NESTED = 4
LONGEST = 2_000
"""The maximum number of characters in an entry."""
TOO_LONG = f"longer than {LONGEST:,} characters"
NOTHING, CUT = "there is no annotation in it", "the annotation ends in the middle"
ENTRY = re.compile(rf"({'|'.join([*QUANTITIES, *map(re.escape, COMPARISONS)])})\s*,", re.IGNORECASE)
AROUND = " \t>#*_`'\","
HEADING = re.compile(r"([^:：]{1,60})[:：]?(.*)")
LETTERS = re.compile(r"[^a-z]+")
PLACE = re.compile(r"-?\d+")
EMPTY_WORDS = ("", "none", "n/a", "(none)", "empty", "[]", "null", "-")


class BadEntry(NamedTuple):
    """An entry that could not be read: its expected kind, and a note with its line and the reason."""

    kind: Kind
    note: Note


@dataclass(frozen=True)
class AnnotationReading:
    """The entries of a reply: those that were read, those that could not be, and notes on repairs."""

    specifications: tuple[Specification, ...] = ()
    bad: tuple[BadEntry, ...] = ()
    notes: tuple[Note, ...] = ()
    unreadable: str = ""
    """The reason why the text has no annotation. Empty if it has one, even an empty one."""
    spans: tuple[tuple[int, int], ...] = field(default=(), compare=False)
    """The spans of the annotation in the text: its object or list, or each line with entries."""

    def of_kind(self, kind: Kind) -> tuple[Specification, ...]:
        """Return the entries of one kind."""
        return tuple(spec for spec in self.specifications if spec.kind == kind)

    @property
    def findings(self) -> tuple[Note, ...]:
        """All notes on the text, by line."""
        return tuple(sorted((*self.notes, *(entry.note for entry in self.bad)), key=lambda note: note.line))

    @property
    def is_repaired(self) -> bool:
        """True if anything was not written as requested."""
        return any(note.kind == "repaired" for note in self.notes)

    def annotation(
        self, item_id: str, *, difficulty: str = "", description: str = "", room_type: str = ""
    ) -> Annotation:
        """Return the readable entries as the annotation of a description."""
        counts, attributes, pairs, built = map(self.of_kind, KINDS)
        return Annotation(item_id, difficulty, description, counts, attributes, pairs, built, room_type)


def read_annotation_reply(text: str) -> AnnotationReading:
    """Read the annotation in a reply. If there is none, ``unreadable`` holds the reason."""
    ends = [match.start() - before for before, match in enumerate(re.finditer("\r\n", text))]
    reading = _read_text(well_formed(text).replace("\r\n", "\n"))
    spans = tuple((start + bisect_left(ends, start), end + bisect_left(ends, end)) for start, end in reading.spans)
    return replace(reading, spans=spans) if ends else reading


def _read_text(text: str) -> AnnotationReading:
    part = spoken(text)
    if isinstance(part, Unreadable):
        return AnnotationReading(unreadable=part.reason)
    spoken_text, lines_before = part.text, text.count("\n", 0, part.start)
    values = _plain_json(spoken_text) or values_in(spoken_text)
    candidates = [(json_part, value) for json_part in values for value in _annotations_in(json_part.value, 0)]
    if values and values[-1].is_given_up:
        return AnnotationReading(unreadable=TOO_MUCH)
    if values and values[-1].is_cut and _names_fields(spoken_text[values[-1].start :]):
        return AnnotationReading(unreadable=CUT)
    if not candidates:
        return _read_lines(part, lines_before)
    json_part, value = next((each for each in reversed(candidates) if _has_entries(each[1])), candidates[-1])
    line = lines_before + spoken_text.count("\n", 0, json_part.start) + 1
    reader = _EntryReader()
    if len(candidates) > 1:
        others = f"{len(candidates) - 1} other annotations in it; the last one with entries counts"
        reader.notes.append(ignored(line, others))
    if json_part.repaired:
        reader.notes.append(repaired(line, "not written as JSON"))
    if isinstance(value, list):
        reader.notes.append(repaired(line, "entries without fields, told apart by their form"))
        for entry in value:
            reader.add_entry(kind_of_form(entry), entry, line)
    for name, entries in value.items() if isinstance(value, dict) else ():
        kind = kind_named(name)
        if kind is None:
            reader.notes.append(ignored(line, "a field that was not requested", name))
            continue
        if name != FIELDS[kind]:
            reader.notes.append(repaired(line, f"another name for {FIELDS[kind]}", name))
        for entry in entries if isinstance(entries, list) else [entries]:
            reader.add_value(kind, entry, line)
    return reader.reading([(part.start + json_part.start, part.start + json_part.end)])


def _plain_json(text: str) -> list[FoundValue]:
    """Return the only object of a text that is plain JSON, or an empty list if it may be anything else.

    Most replies are plain JSON, and this takes less than a tenth of the time of the tolerant parser.
    """

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    start = len(text) - len(text.lstrip())
    text = text.strip()
    if not text.startswith("{") or text.count("{") > 1 or text.count("[") > 2 * len(FIELDS) or "\\u" in text:
        return []
    try:
        return [FoundValue(json.loads(text, parse_constant=refuse), start, start + len(text), repaired=False)]
    except ValueError:
        return []


def kind_named(name: str) -> Kind | None:
    """Return the kind of entries that a field or heading of this name holds, or None.

    >>> kind_named("**ObjCount**"), kind_named("Object-Object Relations"), kind_named("notes") is None
    ('cnt', 'oor', True)
    """
    return KIND_BY_ALIAS.get(LETTERS.sub("", name.lower()))


def _annotations_in(value: object, level: int) -> Iterator[object]:
    """Yield the annotations in a value: objects with a known field, at any depth, or lists of bare entries."""
    if level > MOST_NESTED:
        return
    if isinstance(value, dict):
        if any(map(kind_named, value)):
            yield value
        else:
            for inner in value.values():
                yield from _annotations_in(inner, level + 1)
    elif isinstance(value, list):
        if value and all(isinstance(entry, str) and ENTRY.match(entry.strip()) for entry in value):
            yield value
        else:
            for inner in value:
                yield from _annotations_in(inner, level + 1)


def _names_fields(text: str) -> bool:
    """Return True if a truncated text has begun an annotation."""
    return any(kind_named(name) for name in re.findall(r"[\"']([\w -]{3,40})", text)) or bool(ENTRY.search(text))


def _has_entries(value: object) -> bool:
    if isinstance(value, dict):
        return any(entries for name, entries in value.items() if kind_named(name))
    return isinstance(value, list)


@dataclass
class _EntryReader:
    """A collector of entries and notes."""

    specifications: list[Specification] = field(default_factory=list)
    bad: list[BadEntry] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)

    def add_entry(self, kind: Kind, written: str, line: int) -> None:
        """Add one entry."""
        spec, reason = _parsed(kind, written) if len(written) <= LONGEST else (None, TOO_LONG)
        if spec is None:
            self.bad.append(BadEntry(kind, unread(line, reason, written)))
            return
        self.specifications.append(spec)
        if reason:
            self.notes.append(repaired(line, reason, written))

    def add_entries(self, kind: Kind, written: str, line: int) -> None:
        """Add the semicolon-separated entries of a cell or line."""
        for entry in written.replace("\n", ";").split(";"):
            if entry.strip():
                self.add_entry(kind, entry.strip(), line)

    def add_value(self, kind: Kind, value: object, line: int) -> None:
        """Add the entries of a JSON value: a text, or one entry as a list or an object of its parts."""
        if value is None:
            return
        if isinstance(value, str):
            self.add_entries(kind, value, line)
        elif isinstance(value, list) and value and all(isinstance(part, str | int | float) for part in value):
            self.add_entry(kind, ",".join(map(str, value)), line)
        elif isinstance(value, dict) and (parts := _parts_of(value)):
            self.add_entry(kind, ",".join(parts), line)
        else:
            note = unread(line, "no entry, which is a text with commas", repr(value)[:200])
            self.bad.append(BadEntry(kind, note))

    def reading(self, spans: Sequence[tuple[int, int]]) -> AnnotationReading:
        """Return everything collected."""
        return AnnotationReading(tuple(self.specifications), tuple(self.bad), tuple(self.notes), spans=tuple(spans))


def _parts_of(entry: Mapping[str, Any]) -> list[str]:
    """Return the parts of an entry that is written as an object, in the order of an entry written as text."""
    known = {name.lower().replace("-", "_").replace(" ", "_"): value for name, value in entry.items()}
    parts: list[str] = []
    for names in PARTS:
        value = next((known[name] for name in names if name in known), None)
        parts += [str(part) for part in (value if isinstance(value, list) else [value]) if part is not None]
    return parts


def _read_lines(part: Part, lines_before: int) -> AnnotationReading:
    """Read entries line by line. Headings give their kind, else their form does."""
    reader = _EntryReader()
    kind: Kind | None = None
    has_annotation = False
    spans: list[tuple[int, int]] = []
    start = part.start
    for number, line in enumerate(part.text.split("\n"), lines_before + 1):
        read_before = len(reader.specifications)
        plain = _plain(line)
        heading = HEADING.fullmatch(plain)
        heading_kind = kind_named(heading[1]) if heading else None
        if heading and heading_kind:
            kind, has_annotation = heading_kind, True
            plain = _plain(heading[2])
        if ENTRY.match(plain):
            has_annotation = True
            for entry in plain.split(";"):
                stripped = _plain(entry)
                reader.add_entries(kind or kind_of_form(stripped), stripped, number)
        elif kind and plain.count(",") > 1:
            reader.add_entry(kind, plain, number)
        elif not heading_kind and plain.lower() not in EMPTY_WORDS:
            reader.notes.append(ignored(number, "no entry and no heading", plain))
        if len(reader.specifications) > read_before:
            stripped_line = Part(line, start).strip()
            spans.append((stripped_line.start, stripped_line.end))
        start += len(line) + 1
    if not has_annotation:
        return AnnotationReading(unreadable=NOTHING)
    reader.notes.insert(0, repaired(lines_before + 1, "not written as JSON, read line by line"))
    return reader.reading(spans)


def _plain(line: str) -> str:
    """Return a line without bullets, quotes and emphasis."""
    return without_bullets(line).strip(AROUND)


def kind_of_form(entry: str) -> Kind:
    """Return the kind of an entry, judged by its form only.

    >>> [kind_of_form(one) for one in ("eq,1,bed", "eq,1,bed,red", "eq,1,on,0,bed,cat", "eq,1,on,bed,floor")]
    ['cnt', 'atr', 'oor', 'oar']
    """
    fields = entry.split(",")
    if len(fields) <= 3:
        return "cnt"
    if len(fields) == 4:
        return "atr"
    return "oor" if PLACE.fullmatch(fields[3].strip()) else "oar"


@lru_cache(50_000)
def _parsed(kind: Kind, written: str) -> tuple[Specification | None, str]:
    """Return the parsed entry and its repairs, or None and the error. Repairs only change the form."""
    fields = [part.strip() for part in written.strip(" \t\"'`.").split(",")]
    reasons: list[str] = []
    folded = " ".join(fields[0].lower().replace("_", " ").split())
    comparison = COMPARISONS.get(folded, folded if folded in QUANTITIES else fields[0])
    if comparison != fields[0]:
        fields[0] = comparison
        reasons.append("the comparison as a sign or in words")
    if len(fields) > 1:
        whole = fields[1].removesuffix(".0")
        number = str(NUMBERS.get(fields[1].lower(), whole if whole.isdecimal() else fields[1]))
        if number != fields[1]:
            fields[1] = number
            reasons.append("the number in words")
    if kind == "oor" and len(fields) > 4 and not PLACE.fullmatch(fields[3]):
        fields.insert(3, "-1")
        reasons.append("no place of the anchor")
    entry = ",".join(fields)
    try:
        return PARSERS[kind](entry), ", ".join(reasons)
    except NotationError as error:
        return None, quoted(error.message.removeprefix(f"{entry!r}: "))


def answer_text(annotation: Annotation) -> str:
    """Return an annotation in the requested form, with each list on its own line.

    >>> from tsgkit.suites.sceneeval.annotations import annotation_of
    >>> print(answer_text(annotation_of("0", "", "", ["eq,1,bed"])))
    {
      "counts": ["eq,1,bed"],
      "attributes": [],
      "object_relations": [],
      "room_relations": []
    }
    """
    entries = ((FIELDS[kind], [spec.text for spec in annotation.of_kind(kind)]) for kind in KINDS)
    lines = (f"  {json.dumps(name)}: {json.dumps(texts, ensure_ascii=False)}" for name, texts in entries)
    return "{\n" + ",\n".join(lines) + "\n}"
