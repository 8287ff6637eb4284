"""Defects of readable rows: findings with a code, an item and a question.

>>> from tsgkit.suites.spatialgen.rows import question_from, row_of
>>> asked = question_from("What is mentioned?  Options: A: ball, B: cup, C: ball, E: None", "D", "Object")
>>> for finding in question_findings(row_of("000119", "Beach", "", [asked]), 0):
...     print(finding.code, finding.item, finding.question, finding.message)
text-reference 000119 0 the stem speaks of a text: mentioned
missing-option 000119 0 no option D
repeated-option 000119 0 A and C say the same: ball
key-without-option 000119 0 the key D is none of the options A, B, C, E

Questions are numbered from 0. :data:`RULES` lists every code. An error makes an item unanswerable or its score wrong. A
warning means that part of it can be answered without the image, or that its form differs from the published one.

:func:`inspect` checks the content of a file.

>>> row = '{"id": "000001", "scene": "Park", "prompt": "", "question_type": [], "questions": [], "answers": []}'
>>> found = inspect(row.encode(), "rows.jsonl")
>>> found.rows, found.counts, found.problem.partition(": 0")[0]
(1, {'row-shape': 1}, 'rows.jsonl: line 1: item 000001')

:func:`auditable_rows` returns the questions as audit items, with the prompt that the judge never sees.

>>> asked = question_from("Where?  Options: A: up, B: down, E: None", "B", "Position")
>>> [item] = auditable_rows([row_of("000007", "Park", "All is down.", [asked])]).items
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
    ImageQuestion,
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


def findings(rows: Iterable[SpatialRow]) -> Iterator[Defect]:
    """Yield all defects of the rows of a file: item by item, then those of the file as a whole."""
    first: dict[tuple[str, int], str] = {}
    keys: defaultdict[str | None, Counter[str]] = defaultdict(Counter)
    chances: defaultdict[tuple[str | None, str], list[float]] = defaultdict(list)
    longest: defaultdict[str | None, list[bool]] = defaultdict(list)
    longest_chances: defaultdict[str | None, list[float]] = defaultdict(list)
    for row in rows:
        yield from row_findings(row)
        texts: list[tuple[str, str, int | None]] = [
            ("repeated-id", row.id, None),
            ("repeated-prompt", folded(row.prompt), None),
            *(("repeated-question", question.written(), number) for number, question in enumerate(row.questions)),
        ]
        for code, text, number in texts:
            place = (code, hash(text))  # avoids keeping the texts of 12,300 questions
            if place in first:
                yield Defect(code, row.id, number, f"as in {first[place]}", row.line)
            else:
                first[place] = row.id if row.line is None else f"{row.id} (line {row.line})"
        for question in row.questions:
            choices = question.choices
            if question.key not in choices:
                continue
            lengths = {letter: len(question.options[letter]) for letter in choices}
            most = [letter for letter in choices if lengths[letter] == max(lengths.values())]
            for group in (None, question.sub_domain):
                keys[group][question.key] += 1
                for letter in choices:
                    chances[group, letter].append(1 / len(choices))
                if len(most) == 1:
                    longest[group].append(question.key == most[0])
                    longest_chances[group].append(1 / len(choices))
    for group, counts in keys.items():
        of = "all questions" if group is None else group
        for letter, times in sorted(counts.items()):
            if beyond_chance(times, chances[group, letter]):
                shares = ", ".join(f"{name} {counts[name]}" for name in sorted(counts))
                yield Defect("skewed-keys", None, None, f"{of}: {letter} is the key too often ({shares})")
        right, every = sum(longest[group]), len(longest[group])
        if beyond_chance(right, longest_chances[group]):
            message = f"{of}: the key is the longest option in {right} of {every}"
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
    defects: list[tuple[str, str]] = []
    if references := dict.fromkeys(word.lower() for word in TEXT_REFERENCE.findall(question.stem)):
        defects.append(("text-reference", f"the stem speaks of a text: {', '.join(references)}"))
    if not question.options:
        defects.append(("no-options", "no options follow the stem"))
    else:
        defects += [*_options(question), *_key(row, number)]
    for code, message in defects:
        yield Defect(code, row.id, number, message, row.line)


def _options(question: ImageQuestion) -> Iterator[tuple[str, str]]:
    missing = [letter for letter in LETTERS if letter not in question.options]
    if question.refusal and missing:
        yield "missing-option", f"no option {', '.join(missing)}"
    elif not question.refusal:
        yield "no-refusal", f"the last option, {max(question.options)}, is not None"
    for letter, text in question.options.items():
        if not text.strip():
            yield "empty-option", f"{letter} says nothing"
        if letter in question.choices and folded(text) == folded(REFUSAL):
            yield "second-none", f"{letter} says None as well as {question.refusal}"
    for one, other in combinations(question.choices, 2):
        if folded(question.options[one]) == folded(question.options[other]):
            yield "repeated-option", f"{one} and {other} say the same: {question.options[one]}"
    if question.refusal and question.options[question.refusal] != REFUSAL:
        yield "refusal-form", f"the last option is {question.options[question.refusal]!r}, expected {REFUSAL!r}"
    if question.gap != GAP:
        yield "refusal-form", f"{question.gap!r} between the stem and its options, expected {GAP!r}"


def _key(row: SpatialRow, number: int) -> Iterator[tuple[str, str]]:
    """Yield the defects of a key: not an option, the refusal, or an option that stems give away."""
    question = row.questions[number]
    if question.key not in question.options:
        letters = ", ".join(question.options)
        yield "key-without-option", f"the key {question.key} is none of the options {letters}"
    elif question.key == question.refusal:
        yield "key-is-refusal", f"the key {question.key} is the option that refuses to answer"
    else:
        options = {letter: content_words(question.options[letter]) for letter in question.choices}
        for code, words in (("own-stem", content_words(question.stem)), ("other-stems", other_stems(row, number))):
            inside = [letter for letter, option in options.items() if option <= words]
            if inside == [question.key] and options[question.key]:
                yield code, f"all words of {question.key} are there: {question.options[question.key]}"


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
        place = item_id if finding.question is None else f"{item_id}/{finding.question}"
        slips[finding.code].append(Slip(finding.code, place, finding.message))

    def check(code: str) -> Check:
        rule = RULES[code]
        return Check(code, rule.meaning, lambda _: slips[code], is_error=rule.severity == ERROR)

    checks = tuple(check(code) for code in RULES if code not in IN_EVERY_AUDIT)
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
