"""Promises of the readers for any text, as checks; ``CHECKS`` names them.

A check puts one text through one reader, returns how often that was called, and raises :class:`Broken` where a promise
was not kept. Whatever else it raises, the reader raised.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from json import JSONDecoder
from typing import TypeVar

from tsgkit.agents.decomposition import actions_of
from tsgkit.agents.look_replies import read_look
from tsgkit.agents.passages import Passage
from tsgkit.agents.story_graphs import sentences_of, vocabulary_of
from tsgkit.errors import CannotCarry, FileProblem, NotationError
from tsgkit.graph.model import ActionGraph, Triplet
from tsgkit.graph.notation import arrow, easg, graphml, json_triplets, narratives, node_link
from tsgkit.graph.reading import Reading, read
from tsgkit.graph.reading.answers import read_graphs
from tsgkit.graph.reading.corrections import LEFT_OUT, REPLACED
from tsgkit.graph.reading.line import ECHO
from tsgkit.graph.rules import Finding
from tsgkit.library.documents.formats import FORMATS
from tsgkit.library.documents.lint import ALL_RULES, check_document
from tsgkit.library.documents.reader import Document, read_document
from tsgkit.library.documents.writer import write_document
from tsgkit.llm.reply import Reply
from tsgkit.replies.choices import choice
from tsgkit.replies.numbered_answers import letters as numbered
from tsgkit.replies.sections import answer_section
from tsgkit.replies.tuples import tuples
from tsgkit.suites.formalimg import official as formalimg_official
from tsgkit.suites.formalimg.knolling import objects_in
from tsgkit.suites.formalimg.natural import judgement_in
from tsgkit.suites.formalimg.strict import layout_in
from tsgkit.suites.sceneeval.annotation_replies import read_annotation_reply
from tsgkit.suites.sceneeval.judges import answers
from tsgkit.suites.spatialgen.official import accepted
from tsgkit.suites.spatialgen.rows import ImageQuestion
from tsgkit.suites.spatialgen.scores import letters
from tsgkit.suites.tsg import official as tsg_official
from tsgkit.suites.tsg.derived_tasks import names
from tsgkit.suites.tsg.qa import word
from tsgkit.suites.tsg.selection import letter

GRAPHS = (ActionGraph.of(("person", "verb", "wash")),)
OPTIONS = {"A": "left", "B": "right", "E": "None"}
QUESTIONS = [ImageQuestion("Where?", {"A": "left", "B": "right", "E": "None"}, "A")]
REPLY_READERS: dict[str, Callable[[str], object]] = {
    "read": read,
    "tsg letter": lambda text: letter(text, ["a", "b", "c", "d", "e"]),
    "tsg word": word,
    "tsg graphs": lambda text: read_graphs(text, 2),
    "tsg names": names,
    "tsg official letter": tsg_official.letter,
    "tsg official word": tsg_official.word,
    "tsg official graphs": tsg_official.graphs,
    "layout_in": layout_in,
    "official layout": formalimg_official.layout,
    "objects_in": lambda text: objects_in(Reply(text), ("cup",)),
    "said_in": lambda text: judgement_in(Reply(text)),
    "official judgement": formalimg_official.judgement,
    "numbered choices": lambda text: numbered(text, [OPTIONS] * 3),
    "choice": lambda text: choice(text, OPTIONS),
    "answer section": answer_section,
    "tuples": tuples,
    "letters to one": lambda text: letters(text, QUESTIONS),
    "letters to ten": lambda text: letters(text, QUESTIONS * 10),
    "accepted": accepted,
    "read_annotation_reply": read_annotation_reply,
    "read_category": lambda text: answers.read_category(text, ("bed", "cup")),
    "read_holds": lambda text: answers.read_holds(text, 2),
    "read_support": answers.read_support,
    "read_sides": lambda text: answers.read_sides(text, ("a", "b")),
    "read_object_relations": lambda text: answers.read_object_relations(text, 2),
    "read_room_relations": lambda text: answers.read_room_relations(text, 2, ("floor",)),
    "actions_of": actions_of,
    "read_look": lambda text: read_look(text, (), Passage(GRAPHS), GRAPHS),
    "sentences_of": sentences_of,
    "vocabulary_of": vocabulary_of,
}


T = TypeVar("T")
Triplets = tuple[Triplet, ...]
Check = Callable[[str], int]

ASKED = (None, 1, 3)
FILES = ("made-up.txt", "made-up.json", "made-up.jsonl")
ENDINGS = {
    "arrow": ".txt",
    "triplets": ".json",
    "triplet-lines": ".jsonl",
    "narrative": ".jsonl",
    "node-link": ".json",
    "graphml": ".graphml",
}
"""The formats that carry every graph along a narrative, and under which ending they are read again."""
LINE_END = re.compile(r"\r\n|\r|\n")
CLEAN = re.compile(r"([a-z]+) -> ([a-z]+) -> ([a-z]+)")
WORD = re.compile(r"[^\W_]+")
SET_ASIDE = ("reasoning", ECHO, REPLACED, *LEFT_OUT.values())


class Broken(Exception):
    """A reader did not keep its word; what was promised, and how it was not kept."""

    def __init__(self, promise: str, detail: str = "") -> None:
        super().__init__(promise, detail)
        self.promise = promise
        self.detail = detail


def check_read(text: str) -> int:
    """``read`` raises on no text, drops no line, and finds the same triplets however many graphs were asked for."""
    different: list[Reading] = []
    for k in ASKED:
        if (reading := read(text, k)) not in different:
            check_reading(text, reading)
            different.append(reading)
    if any(_placed_triplets(reading) != _placed_triplets(different[0]) for reading in different[1:]):
        raise Broken("the same triplets are found for every k")
    return len(ASKED)


def check_reading(text: str, reading: Reading) -> None:
    """A reading fits its text: every place is inside it, and every line of it is accounted for."""
    lines = LINE_END.split(text)
    if [len(graph.triplets) for graph in reading.graphs] != [len(numbers) for numbers in reading.lines]:
        raise Broken("every triplet has a line")
    if not all(reading.lines):
        raise Broken("every graph has triplets")
    numbers = {number for one in reading.lines for number in one} | {note.line for note in reading.notes}
    if not numbers <= set(range(1, len(lines) + 1)):
        raise Broken("every place is inside the text", str(sorted(numbers)))
    for note in reading.notes:
        if note.text.removesuffix("...") not in lines[note.line - 1]:
            raise Broken("every note quotes its line", str(note))
    if lost := unaccounted(lines, reading):
        raise Broken("no line is dropped", f"lines {lost}")


def unaccounted(lines: Sequence[str], reading: Reading) -> list[int]:
    """Return the lines that gave no triplet and have no note, and the regions with words that are in neither.

    A note about JSON accounts for all lines of the value that begins on its line. One about bracketed lists accounts
    for the lines after it that begin with a bracket, a quote or a comma, where each of their words is in a triplet or
    a note of these lines (the fields of objects and what a long note leaves out apart). What is noted as reasoning, as
    withdrawn or as the format of a triplet is not read at all.
    """
    found = _placed_triplets(reading)
    known = {line for line, _ in found} | {note.line for note in reading.notes}
    accounted, lost = set(known), []
    set_aside = {note.line for note in reading.notes if note.reason in SET_ASIDE}
    for note in reading.notes:
        if note.reason == "JSON" and note.line + 1 not in known:
            accounted.update(range(note.line, _end_of_json(lines, note.line)))
        elif note.reason.startswith("bracketed lists"):
            region = range(note.line, _end_of_brackets(lines, note.line))
            accounted.update(region)
            if _lost_words(lines, region, reading):
                lost.append(note.line)
    for number, line in enumerate(lines, 1):
        if (match := CLEAN.fullmatch(line)) and number not in set_aside:
            if (number, match.groups()) not in found:
                lost.append(number)
        elif line.strip() and number not in accounted:
            lost.append(number)
    return lost


def _placed_triplets(reading: Reading) -> Counter[tuple[int, tuple[str, ...]]]:
    pairs = zip(reading.lines, reading.graphs, strict=True)
    return Counter(place for numbers, graph in pairs for place in zip(numbers, graph.triplets, strict=True))


def _end_of_json(lines: Sequence[str], first: int) -> int:
    """Return the line behind the JSON value that begins on a line, perhaps behind some words."""
    text = re.sub(r"^[^\[{]*", "", "\n".join(lines[first - 1 :]))
    try:
        _, end = JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return first + 1
    return first + 1 + text.count("\n", 0, end)


def _end_of_brackets(lines: Sequence[str], first: int) -> int:
    end = first + 1
    while end <= len(lines) and lines[end - 1].lstrip()[:1] in tuple("[](){}\"',"):
        end += 1
    return end


def _lost_words(lines: Sequence[str], region: range, reading: Reading) -> set[str]:
    """Return the words of a region that are in none of its triplets and notes, where that can be told."""
    text = "\n".join(lines[number - 1] for number in region)
    notes = [note.text for note in reading.notes if note.line in region]
    if "{" in text or "\\" in text or any(note.endswith("...") for note in notes):
        return set()
    names = [name for line, triplet in _placed_triplets(reading) if line in region for name in triplet]
    return set(WORD.findall(text)) - set(WORD.findall(" ".join([*notes, *names])))


def exact(parse: Callable[[str], T], write: Callable[[T], str]) -> Check:
    """Return the check that a parser refuses by ``NotationError`` alone, and reads again what it writes."""

    def check(text: str) -> int:
        try:
            value = parse(text)
        except NotationError as error:
            check_line(error.line, text)
            return 1
        try:
            written = write(value)
        except CannotCarry:
            return 1
        _check_is_text(written)
        if repr(parse(written)) != repr(value):
            raise Broken("what is written is read again", f"{value!r} became {written!r}")
        return 2

    return check


def check_easg(text: str) -> int:
    """Check that EASG is refused by ``NotationError`` alone, and that what is unread has a place."""
    try:
        clips = easg.parse(text)
    except NotationError as error:
        check_line(error.line, text)
        return 1
    if any(not 0 <= number < len(clip.narrative.descriptions) for clip in clips for number, _ in clip.unread):
        raise Broken("what is unread has a place")
    return 1


def check_reply(reader: Callable[[str], object], text: str) -> int:
    """Check that a reader of replies raises on no text."""
    reader(text)
    return 1


def check_line(line: int | None, text: str) -> None:
    """A line that is named is a line of the text."""
    if line is not None and not 1 <= line <= len(LINE_END.split(text)):
        raise Broken("every place is inside the text", f"line {line}")


def _check_is_text(written: str) -> None:
    try:
        written.encode("utf-8")
    except UnicodeEncodeError:
        raise Broken("what is written is text", repr(written)) from None


def check_documents(text: str) -> int:
    """Check that a file is read or refused by ``FileProblem``, linted, and written in every format that carries it."""
    seen: list[Document] = []
    for file in FILES:
        try:
            document = read_document(text, file)
        except FileProblem:
            continue
        nameless = replace(document, file="")
        if nameless not in seen:
            seen.append(nameless)
            check_findings(document, text)
            check_writing(document)
    return len(FILES)


def check_findings(document: Document, text: str) -> None:
    """Every finding has a known code, that rule's severity, and a place inside the file."""
    report = check_document(document)
    named = {finding.place.line for finding in report.findings if finding.place.line is not None}
    for line in (min(named), max(named)) if named else ():
        check_line(line, text)
    for finding in report.findings:
        if finding.code not in ALL_RULES or finding.severity != ALL_RULES[finding.code].severity:
            raise Broken("every finding has a known code", repr(finding))
        if finding.place.graph is not None and not _has_place(document, finding):
            raise Broken("every finding has a place", repr(finding))


def _has_place(document: Document, finding: Finding) -> bool:
    _, item, graph, triplet = finding.place
    graphs = [entry.graphs for entry in document.entries if entry.item == item]
    return graph is not None and any(
        graph < len(one) and (triplet is None or triplet < len(one[graph].triplets)) for one in graphs
    )


def check_writing(document: Document) -> None:
    """A document is written or refused by ``CannotCarry``, and read again as it was.

    It is read again in one of the formats that carry every graph along a narrative, chosen by how many triplets it has:
    all of them would take most of a run's time.
    """
    told = _along(document)
    chosen = sorted(ENDINGS)[sum(map(len, told)) % len(ENDINGS)]
    for format in FORMATS.values():
        try:
            written = write_document(document, format)
        except CannotCarry:
            continue
        _check_is_text(written.text)
        kept = [triplets for triplets in told if triplets] if written.left_out else told
        if len(told) - len(kept) != len(written.left_out):
            raise Broken("only graphs without triplets are left out", str(written.left_out))
        if format.name == chosen and written.text.strip():
            _check_is_read_again(written.text, chosen, kept)


def _check_is_read_again(written: str, name: str, told: list[tuple[Triplet, ...]]) -> None:
    """Check that written graphs are read back unchanged.

    Names in arrow text may look like bullets, brackets or the beginning of another format. They are then read as such,
    but never without a note.
    """
    try:
        again = read_document(written, f"written{ENDINGS[name]}")
    except FileProblem:
        if name == "arrow":
            return
        raise
    faults = [finding for finding in again.findings if finding.code != "repeated-id"]
    if (faults and name != "arrow") or (not faults and _along(again) != told):
        raise Broken(f"{name} that is written is read again", f"{written!r} as {_along(again)} {faults}")


def _along(document: Document) -> list[Triplets]:
    """Return the graphs along the narratives in written order, which comparing graphs would not see."""
    return [graph.triplets for entry in document.entries for graph in entry.narrative.graphs]


CHECKS: dict[str, Check] = {
    "read": check_read,
    "arrow.parse": exact(arrow.parse, arrow.write),
    "json_triplets.parse": exact(json_triplets.parse, json_triplets.write),
    "node_link.parse": exact(node_link.parse, node_link.write),
    "graphml.parse": exact(graphml.parse, graphml.write),
    "narratives.parse": exact(narratives.parse, narratives.write),
    "easg.parse": check_easg,
    "read_document": check_documents,
    **{f"reply: {name}": partial(check_reply, reader) for name, reader in REPLY_READERS.items()},
}
