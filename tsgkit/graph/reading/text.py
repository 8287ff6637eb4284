"""From a text to blocks of triplets: goes through the lines once, and through JSON where a line opens it."""

from __future__ import annotations

import json
import re
from itertools import accumulate

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.found import Block, Found, Note, ignored, repaired, unread
from tsgkit.graph.reading.lines import CLEAN, GRAPH_LABEL, understand
from tsgkit.graph.reading.values import Holding, look, triplets_of

MOST_LONG_ATTEMPTS = 20
THINKING_ENDS = "</think>"
STRING = r"""(?:"([^"\\\n]*)"|'([^'\\\n]*)')"""
LIST_OF_THREE = re.compile(rf"[\[(]\s*{STRING}\s*,\s*{STRING}\s*,\s*{STRING}\s*,?\s*[\])]")
OBJECT = re.compile(r"\{[^{}\[\]]{1,2000}\}")
OPENING = re.compile(r"\s*((?:[^][{}()\n\"]{1,60}:)?)\s*(?=[\[{(])|([^][{}()\n\"]{1,120})(?=\[\s*[\[({\"])")
"""The way to the first bracket of a line: white space, a short label that ends in a colon, or words before what can
only be a list of lists or strings."""
PUNCTUATION = frozenset("[](){},;: \t\n\r")


def find_blocks(text: str) -> tuple[list[Block], list[Note]]:
    """The blocks of a text in order, and a note for every line that is neither blank nor a clean triplet."""
    finder = _Finder(text)
    finder.run()
    return finder.blocks, finder.notes


class _Finder:
    """Walks over the lines; knows where it is, the block it is filling, and what it noted."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.blocks: list[Block] = []
        self.notes: list[Note] = []
        self.block: Block = []
        self.at = 0
        self.searched_to = 0
        self.long_attempts = MOST_LONG_ATTEMPTS

    def run(self) -> None:
        self.skip_reasoning()
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if match := CLEAN.fullmatch(line):
                self.block.append(Found(Triplet(*match.groups()), self.at + 1))
            elif not line or line.isspace():
                self.close()
            elif not (opening := OPENING.match(line)) or not self.take_brackets(opening.end(), opening.group(1) or ""):
                self.take_line(line)
            self.at += 1
        self.close()

    def skip_reasoning(self) -> None:
        """Go on behind the last closed block of thinking: what stands in it is no answer."""
        if (end := self.text.rfind(THINKING_ENDS)) < 0:
            return
        last = self.text.count("\n", 0, end)
        for number, line in enumerate(self.lines[: last + 1], 1):
            if line.strip():
                self.notes.append(ignored(number, "reasoning", line))
        self.lines[:last] = [""] * last
        self.lines[last] = self.lines[last].rpartition(THINKING_ENDS)[2].rjust(len(self.lines[last]))

    def close(self) -> None:
        if self.block:
            self.blocks.append(self.block)
            self.block = []

    def take_line(self, text: str) -> None:
        """One line by itself."""
        number = self.at + 1
        line = understand(text)
        if line.is_break:
            self.close()
        self.block.extend(Found(triplet, number) for triplet in line.triplets)
        if line.ignored:
            note = unread if line.looks_like_triplets else ignored
            self.notes.append(note(number, line.ignored, text))
        elif line.repairs:
            self.notes.append(repaired(number, ", ".join(line.repairs), text))

    def take_brackets(self, column: int, label: str) -> bool:
        """What opens with a bracket at a column of this line, perhaps after a label."""
        if GRAPH_LABEL.match(label):
            self.close()
        return self.take_json(column) or self.take_list(column)

    def take_json(self, column: int) -> bool:
        """A JSON value that begins on this line and ends a line, if it holds triplets."""
        first = self.lines[self.at][column:]
        whole_line = _loaded(first.strip().rstrip(",;"))
        if whole_line is not None:
            return self.take_value(look(whole_line), self.at)
        if self.long_attempts <= 0 or first[0] == "(":
            return False
        start = self.starts[self.at] + column
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, start)
        except (ValueError, RecursionError):
            self.long_attempts -= 1
            return False
        last = self.at + self.text.count("\n", start, end)
        after = self.text[end : self.starts[last + 1] - 1]
        if not self.take_value(look(value), last):
            self.long_attempts -= 1
            return False
        if not set(after) <= PUNCTUATION:
            self.take_line(after)
        return True

    def take_value(self, holding: Holding, last: int) -> bool:
        """The graphs of a JSON value that ends on line ``last`` (from 0)."""
        if not holding.graphs:
            return False
        number = self.at + 1
        if not holding.is_triplet:
            self.close()
        for graph in holding.graphs:
            self.block.extend(Found(triplet, number) for triplet in graph)
            if not holding.is_triplet:
                self.close()
        self.notes.append(repaired(number, "JSON", self.lines[self.at]))
        if holding.unread:
            self.notes.append(unread(number, f"{holding.unread} JSON lists that are no triplets"))
        elif holding.ignored:
            self.notes.append(ignored(number, f"{holding.ignored} JSON values that are no triplets"))
        self.at = last
        return True

    def take_list(self, column: int) -> bool:
        """Lists of three quoted strings in brackets that are no (complete) JSON: cut-off JSON, Python's way."""
        if self.at < self.searched_to:
            return False
        end = self.at + 1
        while end < len(self.lines) and self.lines[end].lstrip()[:1] in tuple("[](){}\"',"):
            end += 1
        self.searched_to = end
        region = "\n".join(self.lines[self.at : end])[column:]
        found = _apart([*_lists_of_three(region), *_objects(region)])
        if not found:
            return False
        self.add_region(region, found)
        self.at = end - 1
        return True

    def add_region(self, region: str, found: list[tuple[int, int, Triplet]]) -> None:
        number = self.at + 1
        self.notes.append(repaired(number, "bracketed lists that are not whole JSON", self.lines[self.at]))
        place, line = 0, number
        for start, end, triplet in found:
            gap = region[place:start]
            if "]" in gap or ")" in gap or ("[" in gap and place):
                self.close()
            self.note_rest(gap, line)
            line += gap.count("\n")
            self.block.append(Found(triplet, line))
            line += region.count("\n", start, end)
            place = end
        self.note_rest(region[place:], line)

    def note_rest(self, gap: str, first: int) -> None:
        for number, part in enumerate(gap.split("\n"), first):
            if not set(part) <= PUNCTUATION:
                note = unread if '"' in part or "'" in part else ignored
                self.notes.append(note(number, "no triplet", part.strip("[](){},;: \t")))


def _loaded(line: str) -> object:
    """The JSON value of a line, None where it is none."""
    if line[-1:] not in ("]", "}"):
        return None
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def _with_double_quotes(text: str) -> str:
    """Python's way of writing strings made JSON's, where no quote stands inside another."""
    return "" if '"' in text else text.replace("'", '"')


def _apart(found: list[tuple[int, int, Triplet]]) -> list[tuple[int, int, Triplet]]:
    """In order, without what lies inside another: an object that a quoted name is made of is no triplet of its own."""
    apart: list[tuple[int, int, Triplet]] = []
    for one in sorted(found):
        if not apart or one[0] >= apart[-1][1]:
            apart.append(one)
    return apart


def _lists_of_three(region: str) -> list[tuple[int, int, Triplet]]:
    found = []
    for match in LIST_OF_THREE.finditer(region):
        names = [double if double is not None else single for double, single in _pairs(match.groups())]
        found.append((match.start(), match.end(), Triplet(*(name.strip() for name in names))))
    return found


def _pairs(groups: tuple[str | None, ...]) -> list[tuple[str | None, str]]:
    return [(groups[place], groups[place + 1] or "") for place in range(0, len(groups), 2)]


def _objects(region: str) -> list[tuple[int, int, Triplet]]:
    return [
        (match.start(), match.end(), triplet)
        for match in OBJECT.finditer(region)
        for triplet in triplets_of(_loaded(match.group()) or _loaded(_with_double_quotes(match.group())))
    ]
