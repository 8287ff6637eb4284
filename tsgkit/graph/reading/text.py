"""Reader of a whole text: one pass over the lines, with JSON read where a line opens it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from itertools import accumulate

from tsgkit.graph.model import Triplet
from tsgkit.graph.reading.corrections import ANSWERS, IN_WORDS, Heading, Section, decide, heading_of, is_short
from tsgkit.graph.reading.diagrams import cypher_at, digraph_at, flowchart_at
from tsgkit.graph.reading.line import (
    BRACKETS_OPEN,
    ECHO,
    FORMAT_ENDS_OF_AN_EDGE,
    GRAPH_LABEL_WITHIN,
    QUESTION,
    Block,
    Form,
    FoundTriplet,
    Lead,
    Line,
    Note,
    ignored,
    is_echo,
    is_whole_graph,
    lead_before_brackets,
    lead_of,
    names_known_edge,
    plain,
    repaired,
    segments,
    unread,
)
from tsgkit.graph.reading.lines import CLEAN, HEADING, NO_TRIPLET, nearly_clean, understand
from tsgkit.graph.reading.tables import entries_at, mapping_at, table_at, tagged_at
from tsgkit.graph.reading.values import Holding, Piece, loaded, look, pieces_of
from tsgkit.replies import Unreadable
from tsgkit.replies.denial import WITHDRAWN
from tsgkit.replies.reasoning import NEVER_ENDS, TOO_MANY_LINES, most_lines, spoken

FORMS = (flowchart_at, cypher_at, digraph_at, tagged_at, table_at, entries_at, mapping_at)
"""The readers of forms that run over several lines, each of which returns none where its form does not begin."""
MOST_LONG_ATTEMPTS = 20
MOST_LINES_OF_A_LIST = 5
STEPS_OF_WORDS, CHARACTERS_A_STEP = 3, 25
"""Lines that a line of words or brackets costs as well, at least and for its length, as it may be many things."""
KEY = re.compile(r"""(?:"[^"\\\n]*"|'[^'\\\n]*')\s*:""")
IN_BRACKETS = re.compile(r"\s*+(?:[\[\](){}\"',]|(?:#|//)\s?[\[(\"'])")
"""The beginning of a line that may belong to brackets that an earlier one opens; it may be a comment."""
PUNCTUATION = frozenset("[](){},;: \t\n\r")


def find_blocks(text: str) -> tuple[list[Block], list[Note]]:
    """Return the blocks of a text in order, and a note for every line that is neither blank nor a clean triplet."""
    finder = _Finder(text)
    finder.run()
    return finder.blocks, finder.notes


class _Finder:
    """The pass over the lines, with its position, the current block, and notes."""

    def __init__(self, text: str) -> None:
        self.text = text.replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.blocks: list[Block] = []
        self.sections = [Section(Heading())]
        self.interrupted: Heading | None = None
        self.notes: list[Note] = []
        self.block: Block = []
        self.has_graphs = False
        self.at = 0
        self.searched_to = 0
        self.long_attempts = MOST_LONG_ATTEMPTS
        self.left = most_lines(text)

    def run(self) -> None:
        self.skip_reasoning()
        if "```diff" in self.text:
            self.skip_removed()
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if match := CLEAN.fullmatch(line):
                source, edge, target = match.groups()
                if target in FORMAT_ENDS_OF_AN_EDGE:
                    self.add([Triplet(source, edge, target)], self.at + 1)
                else:
                    self.block.append(FoundTriplet(Triplet(source, edge, target), self.at + 1))
            elif not line or line.isspace():
                self.close()
                self.resume()
                if self.sections[-1].is_listed and not self.sections[-1].blocks:
                    self.begin(Heading(), "")
            elif self.left <= 0:
                self.notes.append(unread(self.at + 1, TOO_MANY_LINES, line))
                break
            elif (nearly := nearly_clean(line)) is not None:
                self.take(nearly, line)
            elif form := next((form for read_form in FORMS if (form := read_form(self.lines, self.at))), []):
                self.take_form(form)
            elif not (self.take_segments(line) or self.take_brackets(line)):
                self.take_line(line)
                self.left -= 1
            self.at += 1
        self.close()
        self.decide()

    def skip_reasoning(self) -> None:
        """Blank reasoning, which is never read."""
        answer = spoken(self.text)
        if isinstance(answer, Unreadable):
            start, end = (len(self.text) if answer.reason == NEVER_ENDS else 0), len(self.text)
        else:
            start, end = answer.start, answer.end
        if (start, end) == (0, len(self.text)):
            return
        for number, (line, at) in enumerate(zip(self.lines, self.starts, strict=False)):
            kept = line[max(start - at, 0) : max(end - at, 0)]
            if len(kept) < len(line):
                if line.strip():
                    self.notes.append(ignored(number + 1, "reasoning", line))
                self.lines[number] = kept.rjust(len(line)) if at < start else kept

    def skip_removed(self) -> None:
        """Blank the lines that a fenced diff removes."""
        is_diff = False
        for number, line in enumerate(self.lines):
            if line.startswith("```"):
                is_diff = line.startswith("```diff")
            elif is_diff and line.startswith("-"):
                self.notes.append(ignored(number + 1, "removed by a diff", line))
                self.lines[number] = ""

    def close(self) -> None:
        if self.block:
            self.sections[-1].blocks.append(self.block)
            self.block, self.has_graphs = [], True

    def begin(self, heading: Heading, text: str, *, promises: bool = False) -> None:
        """Begin a section; numbered graphs right below a heading are what it says."""
        self.close()
        self.interrupted = None
        last = self.sections[-1]
        if heading.number and not heading.role and last.heading.role and not ANSWERS.search(text):
            is_within = not last.blocks if not last.heading.number else last.is_within
            if is_within and last.heading.role != "correction":
                heading = heading._replace(role=last.heading.role)
                self.sections.append(Section(heading, self.at + 1, is_within=True))
                return
        self.sections.append(Section(heading, self.at + 1, promises=promises))

    def begin_inline(self, words: str) -> None:
        """Begin a section by the words before triplets on their line; it lasts up to a blank line."""
        heading = heading_of(f"{words.rstrip(' :：*_')}:")
        if ":" in words:
            self.resume()
        if heading.role or heading.number:
            before = self.sections[-1].heading
            self.begin(heading, words)
            if heading.role not in ("", "correction"):
                self.interrupted = before

    def resume(self) -> None:
        """Go on with the section that words before triplets interrupted."""
        if self.interrupted is not None:
            self.begin(self.interrupted._replace(number=0, targets=()), "")

    def add(self, triplets: Iterable[Triplet], number: int) -> None:
        """Put triplets of a line into the open block, apart from those that repeat the format."""
        for triplet in triplets:
            if is_echo(triplet):
                self.notes.append(ignored(number, ECHO, self.lines[number - 1]))
            else:
                self.block.append(FoundTriplet(triplet, number))

    def decide(self) -> None:
        """Leave out the graphs that are not the answer, and note where that is not decided."""
        decision = decide(self.sections)
        self.blocks = decision.blocks
        gone = {triplet.line: reason for block, reason in decision.left_out for triplet in block}
        self.notes += [ignored(number, reason, self.lines[number - 1]) for number, reason in sorted(gone.items())]
        self.notes += [unread(number, reason, self.lines[number - 1]) for number, reason in decision.undecided]

    def take_form(self, form: Form) -> None:
        """Several lines that are read together."""
        first = self.at
        for offset, line in form:
            self.at = first + offset
            self.take(line, self.lines[self.at])
        self.at = first + max(offset for offset, _ in form)

    def take_segments(self, line: str) -> bool:
        """Read each of the graphs that are written on one line; say whether there are several."""
        if len(apart := segments(line)) < 2:
            return False
        for segment in apart:
            self.take_segment(segment, lead_of(segment))
        return True

    def take_segment(self, segment: str, lead: Lead) -> None:
        """Read one graph of several on a line, as JSON, as quoted lists or as a line by itself."""
        content = segment[lead.end :].rstrip(" \t.,;")
        is_list = content.startswith(BRACKETS_OPEN) and not lead.is_doubtful
        value = loaded(content) if is_list else None
        if is_list:
            self.begin_inline(segment[: lead.end])
        if value is not None and self.take_value(look(value, find_blocks), self.at, lead):
            return
        pieces = pieces_of(content, find_blocks) if is_list else []
        if any(piece.graphs for piece in pieces):
            self.close()
            self.add_region(content, pieces)
        else:
            self.take_line(segment)

    def take_line(self, text: str) -> None:
        """One line by itself."""
        line = understand(text)
        if line.triplets:
            words = plain(text).text if ":" in text or "：" in text else ""
            self.begin_inline(words[: lead_of(words).end])
            self.left -= bool(words)
        elif line.ignored in (HEADING, NO_TRIPLET) or line.looks_like_triplets:
            is_prose = line.ignored == NO_TRIPLET and not is_short(text)
            if text.startswith("?"):
                self.notes += [ignored(triplet.line, QUESTION, self.lines[triplet.line - 1]) for triplet in self.block]
                self.block = []
            heading = heading_of(text) if self.block or self.has_graphs or not is_prose else Heading()
            self.left -= 1 if heading.number else STEPS_OF_WORDS + len(text) // CHARACTERS_A_STEP
            names_answer = self.sections[-1].heading.role == "given" and ANSWERS.match(text.lstrip("*#_ "))
            ends_role = names_answer or (
                is_short(text) and (heading.role or self.sections[-1].heading.role not in ("", "correction"))
            )
            if line.ignored == HEADING or heading.role == "correction" or ends_role:
                is_open = text.rstrip("*_ \t").endswith((":", "：")) or line.looks_like_triplets
                self.begin(heading, text, promises=bool(is_open or WITHDRAWN.search(text) or IN_WORDS.match(text)))
            elif line.ignored == NO_TRIPLET and self.sections[-1].heading.role == "given":
                self.sections[-1].is_listed = True
        self.take(line, text)

    def take(self, line: Line, text: str) -> None:
        """Add the content of the current line, or of a part of it."""
        number = self.at + 1
        if line.is_break:
            self.close()
        self.add(line.triplets, number)
        if line.ignored:
            note = unread if line.looks_like_triplets else ignored
            self.notes.append(note(number, line.ignored, text))
        elif line.repairs:
            self.notes.append(repaired(number, ", ".join(line.repairs), text))

    def take_brackets(self, line: str) -> bool:
        """Read brackets that open on this line, possibly after a label; return whether they held triplets."""
        lead = lead_before_brackets(line)
        if lead is None or lead.is_doubtful:
            return False
        if lead.opens_graph:
            self.close()
        self.begin_inline(line[: lead.end])
        if self.take_json(lead) or self.take_list(lead):
            return True
        self.left -= 2 * STEPS_OF_WORDS
        return False

    def take_json(self, lead: Lead) -> bool:
        """Return a JSON value that begins on this line and ends a line, if it holds triplets."""
        first = self.lines[self.at][lead.end :]
        whole_line = loaded(first.strip().rstrip(",;"))
        if whole_line is not None:
            return self.take_value(look(whole_line, find_blocks), self.at, lead)
        if self.long_attempts <= 0 or first[0] == "(":
            return False
        start = self.starts[self.at] + lead.end
        try:
            value, end = json.JSONDecoder().raw_decode(self.text, start)
        except (ValueError, RecursionError):
            self.long_attempts -= 1
            return False
        last = self.at + self.text.count("\n", start, end)
        after = self.text[end : self.starts[last + 1] - 1]
        if not self.take_value(look(value, find_blocks), last, lead):
            self.long_attempts -= 1
            return False
        if not set(after) <= PUNCTUATION:
            self.take_line(after)
        return True

    def take_value(self, holding: Holding, last: int, lead: Lead) -> bool:
        """Return the graphs of a JSON value that ends on line ``last`` (from 0)."""
        if not holding.graphs:
            return False
        if holding.is_triplet and lead.needs_proof and not names_known_edge(holding.graphs[0]):
            return False
        number = self.at + 1
        if not holding.is_triplet:
            self.close()
        for graph in holding.graphs:
            self.add(graph, number)
            if not holding.is_triplet:
                self.close()
        self.notes.append(repaired(number, "JSON", self.lines[self.at]))
        if holding.unread:
            self.notes.append(unread(number, f"{holding.unread} JSON lists or strings that are no triplets"))
        if holding.ignored:
            self.notes.append(ignored(number, f"{holding.ignored} JSON values that are no triplets"))
        self.at = last
        return True

    def take_list(self, lead: Lead) -> bool:
        """Read triplets in brackets that are no (complete) JSON: cut-off JSON, Python's way."""
        if self.at < self.searched_to:
            return False
        here = self.pieces_here(lead)
        if here and lead.needs_proof and not _are_proven(here):
            return False
        end = self.at + 1
        while end < len(self.lines) and IN_BRACKETS.match(self.lines[end]):
            end += 1
        self.searched_to = end
        region = "\n".join(self.lines[self.at : end])[lead.end :]
        pieces = pieces_of(region, find_blocks)
        if not any(piece.graphs for piece in pieces):
            return False
        if lead.is_entry and is_whole_graph([triplet for piece in here for triplet in piece.triplets]):
            self.close()
        self.add_region(region, pieces)
        self.at = end - 1
        return True

    def pieces_here(self, lead: Lead) -> list[Piece]:
        """Return the pieces that begin on this line, if its lead makes a difference; they may end a few lines on."""
        if not (lead.needs_proof or lead.is_entry):
            return []
        length = len(self.lines[self.at]) - lead.end
        near = "\n".join(self.lines[self.at : self.at + MOST_LINES_OF_A_LIST])[lead.end :]
        return [piece for piece in pieces_of(near, find_blocks) if piece.start < length]

    def add_region(self, region: str, pieces: list[Piece]) -> None:
        number = self.at + 1
        self.notes.append(repaired(number, "bracketed lists that are not whole JSON", self.lines[self.at]))
        position, line = 0, number
        for piece in pieces:
            gap, text = region[position : piece.start], region[piece.start : piece.end]
            if "]" in gap or ")" in gap or ("[" in gap and position) or (position and GRAPH_LABEL_WITHIN.search(gap)):
                self.close()
            self.note_rest(gap, line)
            line += gap.count("\n")
            self.add_piece(piece, text, line)
            line += text.count("\n")
            position = piece.end
        self.note_rest(region[position:], line)
        if "]" in region[position:] or ")" in region[position:]:
            self.close()

    def add_piece(self, piece: Piece, text: str, line: int) -> None:
        if not piece.graphs:
            self.note_rest(text, line, are_names=True)
        if piece.opens_graph or piece.is_whole:
            self.close()
        for graph in piece.graphs:
            self.add(graph, line)
            if piece.is_whole:
                self.close()
        if piece.is_text and text[1:-1] != " -> ".join(piece.triplets[0]):
            note = unread if piece.unread else repaired
            self.notes.append(note(line, "a string with arrows", text))

    def note_rest(self, gap: str, first: int, *, are_names: bool = False) -> None:
        """Note each line between triplets: unread where quotes are left besides those of keys, else ignored."""
        for number, part in enumerate(gap.split("\n"), first):
            if not set(part) <= PUNCTUATION:
                loose = "" if are_names else KEY.sub("", part)
                note = unread if '"' in loose or "'" in loose else ignored
                self.notes.append(note(number, "no triplet", part.strip("[](){},;: \t")))


def _are_proven(pieces: list[Piece]) -> bool:
    """Return whether the lists behind a label are surely triplets: several, or with arrows or a known edge."""
    triplets = [triplet for piece in pieces for triplet in piece.triplets]
    return len(triplets) > 1 or any(piece.is_text for piece in pieces) or names_known_edge(triplets)
