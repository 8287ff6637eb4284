"""Triplets in tags: an element for each part, attributes, nested arrows, or markers before the parts.

>>> lines = ["<subj>lift</subj><rel>dobj</rel><obj>pot</obj>", "<triplet> lift <subj> hand1 <obj> with"]
>>> [str(triplet) for _, line in tagged_at(lines, 0) for triplet in line.triplets]
['lift -> dobj -> pot', 'lift -> with -> hand1']

Markers are in the order source, target, edge; if only the second of them is certainly an edge, nothing is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.arrows import read_arrows
from tsgkit.graph.reading.line_content import Form, Line, Placed, is_known_edge
from tsgkit.graph.reading.line_prefixes import ARROW
from tsgkit.graph.reading.names import cleaned, fault_of

LONGEST_LINE = 20_000
ROLES = {
    **dict.fromkeys(("subject", "subj", "source", "head"), "source"),
    **dict.fromkeys(("relation", "relationship", "rel", "predicate", "edge"), "edge"),
    **dict.fromkeys(("object", "obj", "target", "tail"), "target"),
}
PARTS = ("source", "edge", "target")
TRIPLETS = frozenset({"triplet", "triple"})
GRAPHS = frozenset({"graph", "graphs", "triplets", "triples"})
KNOWN = "|".join(sorted([*ROLES, *TRIPLETS, *GRAPHS], reverse=True))
BEGIN = re.compile(
    rf"</(?:{KNOWN})>|<(?:triplets?|triples?|graphs?)(?:\s[^<>]{{0,120}})?>|<(?:{KNOWN})\s[^<>]{{1,300}}/>"
)
TOKEN = re.compile(rf"<(/?)({KNOWN})\b([^<>]{{0,300}})>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"(\w{1,20})\s?=\s?[\"']([^\"'<>]{1,120})[\"']")
MARKED = re.compile(r"<triplet>([^<>\n]{1,100})((?:<subj>[^<>\n]{1,80}<obj>[^<>\n]{1,80}){1,20})(?=<|\Z)")
PAIR = re.compile(r"<subj>([^<>\n]{1,80})<obj>([^<>\n]{1,80})")
TAGS = ("tags",)
CUT = Line(ignored="a tagged triplet cut off", looks_like_triplets=True)


def tagged_at(lines: Sequence[str], at: int) -> Form:
    """Return the lines with tags that begin on a line, up to the first one without any."""
    form: Form = []
    reader = _Reader()
    for offset in range(len(lines) - at):
        text = lines[at + offset]
        if len(text) > LONGEST_LINE or not ("<" in text and (BEGIN.search(text) or (form and TOKEN.search(text)))):
            break
        form += _marked(text, offset) or reader.read(text, offset)
    return [*form, *reader.open_lines()] if form else []


def _marked(text: str, offset: int) -> Form:
    """Return the triplets of a line whose parts have markers in front."""
    return [
        Placed(offset, _in_order(*map(cleaned, (match.group(1), *pair))))
        for match in MARKED.finditer(text)
        for pair in PAIR.findall(match.group(2))
    ]


def _in_order(source: str, target: str, edge: str) -> Line:
    if is_known_edge(target) and not is_known_edge(edge):
        return Line(ignored="tags in an order that cannot be told", looks_like_triplets=True)
    return _of([source, edge, target])


def _of(names: Sequence[str]) -> Line:
    if fault := fault_of(names):
        return Line(ignored=fault, looks_like_triplets=True)
    return Line((Triplet(*names),), TAGS)


@dataclass
class _Reader:
    """A reader of tags that knows the parts of the current triplet and where it began."""

    parts: dict[str, str] = field(default_factory=dict)
    first: int | None = None
    opened: str = ""

    def read(self, text: str, offset: int) -> Iterator[Placed]:
        """Yield the triplets that the tags of a line complete, and empty lines for those that began earlier."""
        place, found = 0, False
        for match in TOKEN.finditer(text):
            for placed in self.take(match, text[place : match.start()].strip(), offset):
                found = found or placed.offset == offset
                yield placed
            place = match.end()
        if self.opened and text[place:].strip() and self.opened not in TRIPLETS:
            self.parts["cut"] = ""
        if not found:
            yield Placed(offset, Line((), TAGS))

    def take(self, match: re.Match[str], before: str, offset: int) -> Iterator[Placed]:
        """Yield what one tag, with the words before it, ends or begins."""
        name, closes = match.group(2).lower(), bool(match.group(1))
        if name in GRAPHS:
            yield from self.open_lines()
            yield Placed(offset, Line(ignored="a heading or lead-in", is_break=True))
        elif attributes := self.attributes(match.group(3)):
            yield Placed(offset, _of([attributes.get(part, "") for part in PARTS]))
        elif not closes:
            if name in TRIPLETS:
                yield from self.open_lines()
            self.first = offset if self.first is None else self.first
            self.opened = name
        elif name in TRIPLETS:
            yield from self.close_triplet(before, offset)
        elif name == self.opened and before:
            yield from self.close_part(ROLES[name], cleaned(before))

    def close_part(self, role: str, name: str) -> Iterator[Placed]:
        """Take one part; all three make a triplet."""
        if role in self.parts:
            yield from self.open_lines()
        self.parts[role] = name
        self.opened = ""
        if len(self.parts) == len(PARTS) and self.first is not None:
            yield Placed(self.first, _of([self.parts.get(part, "") for part in PARTS]))
            self.parts, self.first = {}, None

    def close_triplet(self, before: str, offset: int) -> Iterator[Placed]:
        """End a triplet whose parts were read before, or are inside as a line of their own."""
        if self.opened in TRIPLETS and before:
            yield Placed(offset, _within(before))
            self.parts, self.first, self.opened = {}, None, ""
        else:
            yield from self.open_lines()

    def open_lines(self) -> Iterator[Placed]:
        """Yield the triplet that was begun and not ended, if there is one, as cut off; forget it."""
        if self.parts or self.opened:
            yield Placed(self.first or 0, CUT)
        self.parts, self.first, self.opened = {}, None, ""

    @staticmethod
    def attributes(text: str) -> dict[str, str]:
        """Return the parts of a triplet among the attributes of a tag."""
        return {ROLES[key.lower()]: value for key, value in ATTRIBUTE.findall(text) if key.lower() in ROLES}


def _within(text: str) -> Line:
    """Return the triplet between two tags: between arrows, or parted by commas, semicolons or bars."""
    if ARROW.search(text):
        repairs = dict.fromkeys(TAGS)
        line = read_arrows(text, repairs)
        return line._replace(looks_like_triplets=bool(line.ignored))
    bare = text.strip("()[] ")
    for separator in ",;|":
        if len(names := [cleaned(name) for name in bare.split(separator)]) == len(PARTS):
            return _of(names)
    return Line(ignored="tags that hold no triplet", looks_like_triplets=True)
