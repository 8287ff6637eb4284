"""Reader of answers to several numbered questions: by number if given, else in order if the count fits.

>>> asked = [{"A": "left", "B": "right", "E": "None"}] * 2
>>> letters("1. **B**: it stands there\\n2. (a)", asked)
(Read(value='B', start=5, end=6), Read(value='A', start=30, end=31))
>>> letters('{"2": "D"}', asked)
(Unreadable(reason='no answer'), Unreadable(reason='D is none of the 3 options'))

Lines without a number are taken in order, and only where there are as many answers as questions: of nine answers to
ten questions it is unknown which one is missing. Two different answers to one question are none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tsgkit.replies.characters import shown_plainly, without_bullets, without_hidden
from tsgkit.replies.choices import LETTER, MORE, NO_ANSWER, REJECTED, Options, choice
from tsgkit.replies.near_json import values_in
from tsgkit.replies.reasoning import spoken
from tsgkit.replies.sections import without_fences
from tsgkit.replies.spans import Part, Read, Unreadable

DEEPEST = 8
"""JSON nested deeper than this is not read."""
MARKS = re.compile(r"\\boxed|[*_`#>\[\]{}$]+")
QUOTES = " \t\r\"'“”‘’"
NUMBER = re.compile(
    r"^\s*(?:(?:(?:question|answer|q|a|correction:?)\s*)?[#(]?(\d{1,3})\s*[.):\-–—,|]|(?:question|q)\s*(\d{1,3})(?!\w)"
    r"|(\d{1,3})(?=\s*$)|(\d{1,3})(?=\s+\(?[A-Ha-h]\)?\s*(?:$|[.:,])))\s*",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^(?:(?:so|thus|therefore|hence),?\s+)?(?:(?:my|the)\s+)?(?:(?:final|correct|best|right)\s+)*"
    r"(?:answer|option|choice|letter)(?:\s+is)?\s*[:=\-–—]?\s*(?:(?:option|choice|letter)\s*:?\s*)?",
    re.IGNORECASE,
)
ANSWERS = re.compile(
    r"^[#>*_ \t]*(?:here are )?(?:(?:my|the) )?(?:final |corrected |revised )?answers?(?: are)?[*_ ]*+:?[*_ \t]*+$",
    re.IGNORECASE | re.MULTILINE,
)
"""A heading after which all answers follow; text before it does not count."""
MOST_HEADINGS = 3
"""Number of headings, from the end, among which one with all answers is searched."""
REFUSED = re.compile(rf"\s*+[):]?\s*+(?:{REJECTED})", re.IGNORECASE)
ALONE = re.compile(rf"\(?\s*{LETTER}\s*(?:$|[):;|=]|[.,](?!\w)|[-–—]\s|\s[-–—]|\([^()]*\)\.?$)")
SPOKEN = re.compile(r"([B-H])\s|(A)\s+(?:because|since)\b")
CONCLUDED = re.compile(
    rf"\b(?:answer|choice|option)\s+(?:is|would\sbe|should\sbe)\s*(?::\s*)?(?:option\s+)?\(?{LETTER}\)?\s*(?:[.,:;]|$)"
)
COMPACT = re.compile(rf"(?<!\w)(\d{{1,3}})\s*(?:[.):=\-–—]\s*)?\(?{LETTER}\)?(?!\w)")
APART = re.compile(r"[^\s,;/|]+")
NUMBERS = ("question", "number", "question_number", "question_id", "id", "index", "q", "no")
FIELDS = (
    "answers",
    "answer",
    "letters",
    "letter",
    "choices",
    "choice",
    "option",
    "final_answer",
    "results",
    "response",
)


class StatedLetter(NamedTuple):
    """A letter in a reply, the number of its question (from 1) if given, and whether it is called an answer."""

    letter: str
    start: int
    end: int
    number: int | None = None
    labelled: bool = False


Letter = Read[str] | Unreadable


def letters(reply: str, questions: Sequence[Options]) -> tuple[Letter, ...]:
    """Return one letter for each question, or the reason why there is none. With one question every statement is about
    it.
    """
    if len(questions) == 1:
        return (choice(reply, questions[0]),)
    text, places = without_hidden(reply)
    answers = _letters(text, questions)
    if places is None:
        return answers
    return tuple(
        answer._replace(start=places[answer.start], end=places[answer.end]) if isinstance(answer, Read) else answer
        for answer in answers
    )


def _letters(reply: str, questions: Sequence[Options]) -> tuple[Letter, ...]:
    spoke = spoken(reply)
    if isinstance(spoke, Unreadable):
        return (spoke,) * len(questions)
    statements = _said(spoke, len(questions))
    numbered_statements = [statement for statement in statements if statement.number is not None]
    numbers = {statement.number for statement in numbered_statements}
    shift = int(0 in numbers and len(questions) not in numbers)  # they count from 0
    numbered = [statement._replace(number=(statement.number or 0) + shift) for statement in numbered_statements]
    if not numbered:
        statements = (
            statements
            if len(statements) == len(questions)
            else [statement for statement in statements if statement.labelled] or statements
        )
        if len(statements) != len(questions):
            reason = (
                f"{len(statements)} answers without numbers to {len(questions)} questions" if statements else NO_ANSWER
            )
            return (Unreadable(reason),) * len(questions)
        numbered = [statement._replace(number=number) for number, statement in enumerate(statements, 1)]
    about = (
        [statement for statement in numbered if statement.number == number] for number in range(1, len(questions) + 1)
    )
    return tuple(_letter(options, statements) for options, statements in zip(questions, about, strict=True))


def _letter(options: Options, statements: Sequence[StatedLetter]) -> Letter:
    letters = sorted({statement.letter.upper() for statement in statements})
    if not letters:
        return Unreadable(NO_ANSWER)
    if len(letters) > 1:
        return Unreadable(f"two answers: {', '.join(letters)}")
    if letters[0] not in options:
        return Unreadable(f"{letters[0]} is none of the {len(options)} options")
    return Read(letters[0], statements[0].start, statements[0].end)


def _said(spoke: Part, wanted: int) -> list[StatedLetter]:
    part = without_fences(shown_plainly(spoke)).strip()
    values = values_in(part.text) if "{" in part.text or part.text.startswith("[") else []
    whole = [statement for statement in values if not statement.is_cut and isinstance(statement.value, dict | list)]
    in_json = [(statement, statements) for statement in whole if (statements := list(_in_json(statement.value)))]
    if in_json:
        most = max(len(statements) for _, statements in in_json)
        value, statements = [statement for statement in in_json if len(statement[1]) == most][-1]
        start, end = part.start + value.start, part.start + value.end
        return [statement._replace(start=start, end=end) for statement in statements]
    for heading in list(ANSWERS.finditer(part.text))[: -MOST_HEADINGS - 1 : -1]:
        concluded = list(_in_lines([line for line in map(_plain, part.cut(heading.end()).lines()) if line.text]))
        numbers = {statement.number for statement in concluded}
        if len(concluded) >= wanted and len(numbers) in (1 if None in numbers else wanted, wanted):
            return concluded
    lines = [line for line in map(_plain, part.lines()) if line.text]
    one_line = list(_in_one_line(lines[0], wanted)) if len(lines) == 1 else []
    return one_line or list(_in_lines(lines))


def _plain(line: Part) -> Part:
    """Return a line without formatting: bold, headings, brackets, a bullet, quotes."""
    marked = Part(MARKS.sub(lambda mark: " " * len(mark.group()), line.text), line.start)
    bare = without_bullets(marked.text, numbers=False)
    return marked.cut(len(marked.text) - len(bare)).strip(QUOTES + "|")


def _in_one_line(line: Part, wanted: int) -> Iterator[StatedLetter]:
    """Yield the statements of ``B, C, A`` or ``1. B 2. C`` in one line."""
    listed = line.cut(line.text.rfind(":") + 1).strip(" .")
    parts = [listed.cut(*match.span()) for match in APART.finditer(listed.text)]
    if len(parts) > 1 and all(re.fullmatch(LETTER, part.text) for part in parts):
        yield from (StatedLetter(part.text, part.start, part.end) for part in parts)
        return
    matches = list(COMPACT.finditer(line.text)) if wanted > 1 else []
    if len(matches) > 1:
        for match in matches:
            letter = line.cut(*match.span(2))
            yield StatedLetter(letter.text, letter.start, letter.end, int(match.group(1)))


def _in_lines(lines: Iterable[Part]) -> Iterator[StatedLetter]:
    """Yield the letters at line beginnings; one after a number on its own line belongs to that number."""
    current: int | None = None
    below: list[StatedLetter] = []
    for line in lines:
        numbered = NUMBER.match(line.text)
        if numbered is not None:
            yield from [statement for statement in below if statement.labelled] or below
            below = []
            current = next(int(number) for number in numbered.groups() if number)
        letters = _leading_letters(line.cut(numbered.end()) if numbered else line)
        if numbered is None and current is not None:
            below += [statement._replace(number=current) for statement in letters]
        elif letters:
            yield from (statement._replace(number=current) for statement in letters)
            current = None
    yield from [statement for statement in below if statement.labelled] or below


def _leading_letters(line: Part) -> list[StatedLetter]:
    """Return the letter at the beginning of a line and those joined to it by "or" or a comma; rejected ones are left
    out.
    """
    first = _leading_letter(line)
    if first is None:
        return []
    letters = [first]
    if REFUSED.match(line.text, first.end - line.start):
        return []
    while more := MORE.match(line.text, letters[-1].end - line.start):
        letter = line.cut(*more.span(1))
        letters.append(first._replace(letter=letter.text, start=letter.start, end=letter.end))
    return letters


def _leading_letter(line: Part) -> StatedLetter | None:
    """Return the letter at the beginning of a line, with or without a label; words that begin with a letter do not
    count.
    """
    bare = line.strip(" \t:.-–—")
    label = LABEL.match(bare.text)
    rest = (bare.cut(label.end()) if label else bare).strip(QUOTES + ":")
    leading = ALONE.match(rest.text) or SPOKEN.match(rest.text)
    concluded = CONCLUDED.search(bare.text)
    stated, part = (leading, rest) if leading else (concluded, bare)
    if stated is None:
        return None
    letter = part.cut(*next(stated.span(number) for number, group in enumerate(stated.groups(), 1) if group))
    return StatedLetter(letter.text, letter.start, letter.end, labelled=label is not None or concluded is not None)


def _in_json(value: object, number: int | None = None, depth: int = 0) -> Iterator[StatedLetter]:
    """Yield the letters in a JSON value: lists in order, objects by question number or by their answer field."""
    if depth > DEEPEST:
        return
    if isinstance(value, str) and number is None:
        yield from _in_lines(map(_plain, Part(value).lines()))
    elif isinstance(value, str):
        letter = _leading_letter(_plain(Part(value)))
        if letter is not None:
            yield letter._replace(number=number)
    elif isinstance(value, list):
        for position, part in enumerate(value, 1):
            # The place says the number, so that an element without a letter keeps the others in theirs.
            yield from _in_json(part, position if number is None else number, depth + 1)
    elif isinstance(value, dict):
        yield from _in_object({str(name).lower(): part for name, part in value.items()}, number, depth)


def _in_object(fields: Mapping[str, object], number: int | None, depth: int) -> Iterator[StatedLetter]:
    numbers = {name: field_number for name in fields if (field_number := _number(name)) is not None}
    if numbers:
        for name, field_number in numbers.items():
            yield from _in_json(fields[name], field_number, depth + 1)
        return
    stated_number = next((fields[name] for name in NUMBERS if name in fields), None)
    answer = next((fields[name] for name in FIELDS if name in fields), None)
    object_number = _number(str(stated_number))
    yield from _in_json(answer, number if object_number is None else object_number, depth + 1)


def _number(text: str) -> int | None:
    match = re.fullmatch(r"(?:question|answer|q|a)?[ _#-]*(\d{1,3})[.:]?", text.strip().lower())
    return int(match[1]) if match else None
