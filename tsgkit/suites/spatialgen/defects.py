"""Defects of readable rows: findings with a code, an item and a question.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> question = question_from("What is mentioned?  Options: A: ball, B: cup, C: ball, E: None", "D", "Object")
>>> for finding in question_findings(row_of("000119", "Beach", "", [question]), 0):
...     print(finding.code, finding.item, finding.question, finding.message)
text-reference 000119 0 the stem speaks of a text: mentioned
missing-option 000119 0 no option D
repeated-option 000119 0 A and C say the same: ball
key-without-option 000119 0 the key D is none of the options A, B, C, E

Questions are numbered from 0. :data:`RULES` lists every code. An error makes an item unanswerable or its score wrong. A
warning means that part of it can be answered without the image, or that its form differs from the published one.

:func:`inspect` checks the content of a file.

>>> row = '{"id": "000001", "scene": "Park", "prompt": "", "question_type": [], "questions": [], "answers": []}'
>>> inspection = inspect(row.encode(), "rows.jsonl")
>>> inspection.rows, inspection.counts, inspection.problem.partition(": 0")[0]
(1, {'row-shape': 1}, 'rows.jsonl: line 1: item 000001')

:func:`auditable_rows` returns the questions as audit items, with the prompt that the judge never sees.

>>> question = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> [item] = auditable_rows([row_of("000007", "Park", "All is down.", [question])]).items
>>> item.item_id, item.key, item.refusal, item.choices
('000007/0', 1, 2, (0, 1))
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import NamedTuple

from tsgkit.errors import UsageError
from tsgkit.graph import rules
from tsgkit.graph.rules import ERROR, WARNING, Place, Rule, Severity
from tsgkit.suites.audits.audit import Auditable
from tsgkit.suites.audits.items import AuditedItem, Check, Slip, context_hash
from tsgkit.suites.importers import Inspection
from tsgkit.suites.spatialgen.baselines import other_stems
from tsgkit.suites.spatialgen.rows import (
    GAP,
    LETTERS,
    REFUSAL,
    SCENES,
    SUB_DOMAINS,
    SpatialRow,
    content_words,
    folded,
    question_items,
    read_rows,
    tokens,
)

MOST_TOKENS = 77
"""The number of tokens that a CLIP text encoder reads; it cuts off the rest of a longer prompt."""
DEVIATIONS = 3.0
"""The number of standard deviations above chance from which a frequency is a skew."""
TEXT_REFERENCE = re.compile(
    r"\b(mention\w*|descri\w+|according to|stated|states|specif\w+|implied|implies|prompt|caption|text says)\b", re.I
)
ID = re.compile(r"\d{6}")

RULES = {
    "row-shape": Rule(ERROR, "not ten questions of the ten sub-domains in order, each with a key"),
    "unknown-scene": Rule(ERROR, "the scene is none of the 25"),
    "id-form": Rule(WARNING, "the id is not six digits"),
    "repeated-id": Rule(ERROR, "an id occurs twice"),
    "repeated-prompt": Rule(WARNING, "two items have the same prompt"),
    "repeated-question": Rule(WARNING, "a question occurs twice, options included"),
    "long-prompt": Rule(WARNING, f"a prompt has more than {MOST_TOKENS} words and punctuation marks"),
    "no-options": Rule(ERROR, "a question has no options"),
    "missing-option": Rule(ERROR, "a letter from A to E has no option"),
    "empty-option": Rule(ERROR, "an option says nothing"),
    "key-without-option": Rule(ERROR, "the key is none of the options, so no answer is right"),
    "key-is-refusal": Rule(ERROR, "the key is the option that refuses to answer"),
    "repeated-option": Rule(ERROR, "two options say the same"),
    "second-none": Rule(ERROR, "an option before the last one says None"),
    "no-refusal": Rule(ERROR, "the last option is not None"),
    "refusal-form": Rule(WARNING, "the last option says more than None, or one space stands before the options"),
    "text-reference": Rule(WARNING, "a stem speaks of a text that the judge of an image never sees"),
    "own-stem": Rule(WARNING, "a stem holds all words of its keyed option, and of no other"),
    "other-stems": Rule(WARNING, "the other stems hold all words of a keyed option, and of no other"),
    "skewed-keys": Rule(WARNING, "a letter is the key more often than chance explains"),
    "longest-is-key": Rule(WARNING, "the longest option is the key more often than chance explains"),
}


class Defect(NamedTuple):
    """A defect. ``item`` is None for a defect of the file, ``question`` is None for one of the item."""

    code: str
    item: str | None
    question: int | None
    message: str
    line: int | None = None

    @property
    def severity(self) -> Severity:
        """The severity: error or warning."""
        return RULES[self.code].severity


class _Frequencies(NamedTuple):
    """How often a letter, and the longest option, is the key among some questions, each with its chances."""

    keys: Counter[str]
    chances: defaultdict[str, list[float]]
    longest: list[bool]
    longest_chances: list[float]


def findings(rows: Iterable[SpatialRow]) -> Iterator[Defect]:
    """Yield all defects of the rows of a file: item by item, then those of the file as a whole."""
    first: dict[tuple[str, int], str] = {}
    groups: dict[str, _Frequencies] = {}
    for row in rows:
        yield from row_findings(row)
        texts: list[tuple[str, str, int | None]] = [
            ("repeated-id", row.id, None),
            ("repeated-prompt", folded(row.prompt), None),
            *(("repeated-question", question.written(), number) for number, question in enumerate(row.questions)),
        ]
        for code, text, number in texts:
            key = (code, hash(text))  # avoids keeping the texts of 12,300 questions
            if key in first:
                yield Defect(code, row.id, number, f"as in {first[key]}", row.line)
            else:
                first[key] = row.id if row.line is None else f"{row.id} (line {row.line})"
        for question in row.questions:
            choices = question.choices
            if question.key not in choices:
                continue
            lengths = {letter: len(question.options[letter]) for letter in choices}
            longest = [letter for letter in choices if lengths[letter] == max(lengths.values())]
            for name in ("all questions", question.sub_domain):
                group = groups.setdefault(name, _Frequencies(Counter(), defaultdict(list), [], []))
                group.keys[question.key] += 1
                for letter in choices:
                    group.chances[letter].append(1 / len(choices))
                if len(longest) == 1:
                    group.longest.append(question.key == longest[0])
                    group.longest_chances.append(1 / len(choices))
    for name, group in groups.items():
        for letter, times in sorted(group.keys.items()):
            if beyond_chance(times, group.chances[letter]):
                shares = ", ".join(f"{key} {group.keys[key]}" for key in sorted(group.keys))
                yield Defect("skewed-keys", None, None, f"{name}: {letter} is the key too often ({shares})")
        right, every = sum(group.longest), len(group.longest)
        if beyond_chance(right, group.longest_chances):
            message = f"{name}: the key is the longest option in {right} of {every}"
            yield Defect("longest-is-key", None, None, message)


def row_findings(row: SpatialRow) -> Iterator[Defect]:
    """Yield the defects of one row and its questions."""

    def finding(code: str, message: str) -> Defect:
        return Defect(code, row.id, None, message, row.line)

    if row.types != SUB_DOMAINS:
        yield finding("row-shape", f"question_type is {', '.join(row.types) or 'empty'}")
    if not len(row.types) == len(row.texts) == len(row.answers):
        columns = f"{len(row.types)} types, {len(row.texts)} questions and {len(row.answers)} answers"
        yield finding("row-shape", f"{columns}, not ten of each")
    if row.scene not in SCENES:
        yield finding("unknown-scene", f"{row.scene!r} is no scene")
    if not ID.fullmatch(row.id):
        yield finding("id-form", f"the id is {row.id!r}")
    if (length := tokens(row.prompt)) > MOST_TOKENS:
        yield finding("long-prompt", f"{length} words and punctuation marks, not at most {MOST_TOKENS}")
    for number in range(len(row.questions)):
        yield from question_findings(row, number)


def question_findings(row: SpatialRow, number: int) -> Iterator[Defect]:
    """Yield the defects of the question with this number (from 0)."""
    question = row.questions[number]
    key, options, refusal = question.key, question.options, question.refusal

    def finding(code: str, message: str) -> Defect:
        return Defect(code, row.id, number, message, row.line)

    if references := dict.fromkeys(word.lower() for word in TEXT_REFERENCE.findall(question.stem)):
        yield finding("text-reference", f"the stem speaks of a text: {', '.join(references)}")
    if not options:
        yield finding("no-options", "no options follow the stem")
        return
    missing = [letter for letter in LETTERS if letter not in options]
    if refusal and missing:
        yield finding("missing-option", f"no option {', '.join(missing)}")
    elif not refusal:
        yield finding("no-refusal", f"the last option, {max(options)}, is not None")
    for letter, text in options.items():
        if not text.strip():
            yield finding("empty-option", f"{letter} says nothing")
        if letter in question.choices and folded(text) == folded(REFUSAL):
            yield finding("second-none", f"{letter} says None as well as {refusal}")
    for first, second in combinations(question.choices, 2):
        if folded(options[first]) == folded(options[second]):
            yield finding("repeated-option", f"{first} and {second} say the same: {options[first]}")
    if refusal and options[refusal] != REFUSAL:
        yield finding("refusal-form", f"the last option is {options[refusal]!r}, expected {REFUSAL!r}")
    if question.gap != GAP:
        yield finding("refusal-form", f"{question.gap!r} between the stem and its options, expected {GAP!r}")
    if key not in options:
        yield finding("key-without-option", f"the key {key} is none of the options {', '.join(options)}")
    elif key == refusal:
        yield finding("key-is-refusal", f"the key {key} is the option that refuses to answer")
    else:
        contents = {letter: content_words(options[letter]) for letter in question.choices}
        for code, words in (("own-stem", content_words(question.stem)), ("other-stems", other_stems(row, number))):
            if contents[key] and [letter for letter, content in contents.items() if content <= words] == [key]:
                yield finding(code, f"all words of {key} are there: {options[key]}")


def beyond_chance(times: int, chances: Iterable[float]) -> bool:
    """Return True if a count exceeds the expectation by more than three standard deviations.

    >>> beyond_chance(46, [0.25] * 100), beyond_chance(30, [0.25] * 100), beyond_chance(1, [0.25])
    (True, False, False)
    """
    known = list(chances)
    expected = math.fsum(known)
    spread = math.sqrt(math.fsum(chance * (1 - chance) for chance in known))
    return times > expected + DEVIATIONS * spread


TASK = "questions"


def inspect(data: bytes, file: str, task: str | None = None) -> Inspection:
    """Inspect the content of a file."""
    rows: list[SpatialRow] = []
    defects: list[rules.Finding] = []
    problem = ""
    try:
        rows = list(read_rows(data.splitlines(keepends=True), file))
        for defect in findings(rows):
            place = Place(defect.line, defect.item)
            defects.append(rules.Finding(defect.code, defect.severity, defect.message, place=place))
        question_items(file, rows)
    except UsageError as error:
        problem = str(error)
    return Inspection(TASK, len(rows), defects, RULES, problem)


IN_EVERY_AUDIT = (
    "repeated-question",
    "missing-option",
    "key-without-option",
    "key-is-refusal",
    "repeated-option",
    "own-stem",
    "skewed-keys",
    "longest-is-key",
)
"""Defects that audits of all suites find, under other names."""


def auditable_rows(rows: Iterable[SpatialRow]) -> Auditable:
    """Return all questions of some rows, with the checks that are specific to this suite."""
    known = list(rows)
    slips: dict[str, list[Slip]] = {code: [] for code in RULES}
    for finding in findings(known):
        item_id = finding.item or ""
        name = item_id if finding.question is None else f"{item_id}/{finding.question}"
        slips[finding.code].append(Slip(finding.code, name, finding.message))

    def check(code: str, rule: Rule) -> Check:
        return Check(code, rule.meaning, lambda _: slips[code], is_error=rule.severity == ERROR)

    checks = tuple(check(code, rule) for code, rule in RULES.items() if code not in IN_EVERY_AUDIT)
    return Auditable([item for row in known for item in items_of(row)], checks, clusters_are="prompts")


def items_of(row: SpatialRow) -> Iterator[AuditedItem]:
    """Yield the questions of a row as audit items."""
    stems = [question.stem for question in row.questions]
    for number, question in enumerate(row.questions):
        letters = list(question.options)
        yield AuditedItem(
            item_id=f"{row.id}/{number}",
            cluster=row.id,
            question=question.stem,
            options=tuple(question.options.values()),
            key=letters.index(question.key) if question.key in letters else None,
            group=question.sub_domain,
            context=context_hash(row.id, row.prompt),
            beside=(*stems[:number], *stems[number + 1 :]),
            prompt=row.prompt,
            refusal=None if question.refusal is None else letters.index(question.refusal),
        )
