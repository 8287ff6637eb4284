"""The rows of the data: a prompt, and ten questions with four options and a fifth, "None".

>>> question = question_from("Where is the cat?  Options: A: Up, on a shelf, B: Under it, C: Out, D: In, E: None", "A")
>>> question.stem, question.options["A"], question.refusal
('Where is the cat?', 'Up, on a shelf', 'E')
>>> question.written()
'Where is the cat?  Options: A: Up, on a shelf, B: Under it, C: Out, D: In, E: None'

Each line is a JSON object: ``id``, ``scene``, ``prompt``, ``question_type``, ``questions``, ``answers``. An option
starts with a letter, a colon and a space, after the start, a comma and a space, or (in 44 published questions) a period
and a space; commas and periods alone do not split. A letter that is not in ascending order belongs to the text. Rows
with the right types but the wrong shape (nine questions, no option D) are read as they are and written back byte by
byte; :mod:`tsgkit.suites.spatialgen.defects` finds their defects.

The ten sub-domains of spatial intelligence belong to four domains, whose scores are plain means; the overall score is
the plain mean of all ten. Images show 25 kinds of scenes in five groups, in the published order.

>>> DOMAINS["Perception"], DOMAIN_OF["Occlusion"], GROUP_OF["Kitchen"]
(('Position', 'Orientation', 'Layout'), 'Reasoning', 'Indoor')

Baselines and checks compare normalised words of stems, options and prompts.

>>> sorted(content_words("Two bottles stand on the left of the cart.")), tokens("It's red, and big.")
(['bottl', 'cart', 'left', 'stand', 'two'], 6)

A row is a sample: an image with ten questions about it.

>>> sample = row_of("000043", "Kitchen", "A red kettle.", ())
>>> sample.item_id, sample.groups["scene"], sample.groups["group"]
('000043', ('Kitchen',), ('Indoor',))
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import chain, repeat
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, StrictStr, ValidationError, model_validator

from tsgkit.errors import FileProblem, NotationError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.lexicon import stem
from tsgkit.lexicon.folding import word_set
from tsgkit.library.files import look_alike
from tsgkit.suites.rows import Dataset, Items, Source

_MEANINGS = {
    "Foundation": {
        "Object": "everything named is there, and nothing else",
        "Attribute": "colour, shape and material are those of the right thing",
    },
    "Perception": {
        "Position": "where something is, in the image or seen from something in it",
        "Orientation": "which way something faces, is turned or is posed",
        "Layout": "how a group is arranged: row, circle, stack",
    },
    "Reasoning": {
        "Comparison": "which is larger, taller or more, and how many times",
        "Proximity": "what touches, is near, is far",
        "Occlusion": "what hides what, partly or fully",
    },
    "Interaction": {
        "Motion": "what is caught in the middle of doing what",
        "Causal": "what visibly made something happen",
    },
}
DOMAINS = {domain: tuple(meanings) for domain, meanings in _MEANINGS.items()}
MEANING = {name: meaning for meanings in _MEANINGS.values() for name, meaning in meanings.items()}
SUB_DOMAINS = tuple(MEANING)
"""The sub-domains, in the order of the questions of an item."""
DOMAIN_OF = {name: domain for domain, names in DOMAINS.items() for name in names}
GROUPS = {
    "Nature": ("Forest", "Mountain", "Beach", "Desert", "Underwater", "Cityspace", "Village"),
    "Human": ("Portrait", "Human Activities", "Sports"),
    "Indoor": ("Office", "Living Room", "Kitchen", "Classroom"),
    "Outdoor": ("Park", "Zoo", "Airport", "Railway Station", "Art Gallery", "Shopping Mall", "Library", "Cafe"),
    "Design": ("Advertisement Design", "Cartoon Design", "Story Design"),
}
SCENES = tuple(scene for scenes in GROUPS.values() for scene in scenes)
GROUP_OF = {scene: group for group, scenes in GROUPS.items() for scene in scenes}

LETTERS = "ABCDE"
REFUSAL = "None"
"""The text of the last option: the image does not answer the question."""
GAP = "  "
MARK = "Options: "
COMMA, PERIOD = ", ", ". "
"""The separators of options."""
_OPTIONS = re.compile(rf"{MARK}(?=[{LETTERS}]: )")
_OPTION = re.compile(rf"(^|, |\. )([{LETTERS}]): ")


@dataclass(frozen=True)
class ImageQuestion:
    """A question: its stem, the options by letter, the key, and its sub-domain."""

    stem: str
    options: Mapping[str, str]
    key: str
    sub_domain: str = ""
    gap: str = GAP
    """The text between stem and options."""
    separators: tuple[str, ...] = ()
    """The separator before each option but the first; empty if it is always a comma and a space."""

    @cached_property
    def refusal(self) -> str | None:
        """The letter of the last option if it is ``None``, else None."""
        letter = max(self.options, default="")
        return letter if self.options.get(letter, "").lower().split()[:1] == [REFUSAL.lower()] else None

    @cached_property
    def choices(self) -> tuple[str, ...]:
        """The letters of all options but the refusal."""
        return tuple(letter for letter in self.options if letter != self.refusal)

    def written(self) -> str:
        """Return the question as one string, as in the rows."""
        if not self.options:
            return self.stem
        before = chain([""], self.separators, repeat(COMMA))
        texts = zip(before, self.options.items(), strict=False)
        options = "".join(f"{separator}{letter}: {text}" for separator, (letter, text) in texts)
        return f"{self.stem}{self.gap}{MARK}{options}"


def question_from(text: str, key: str, sub_domain: str = "") -> ImageQuestion:
    """Parse a question from the string in a row. A text without options is all stem."""
    mark = _OPTIONS.search(text)
    if mark is None:
        return ImageQuestion(text, {}, key, sub_domain, "")
    head, rest = text[: mark.start()], text[mark.end() :]
    stem = head.rstrip()
    candidates = list(_OPTION.finditer(rest))
    _, starts = max((_best_run(candidates, separator) for separator in (COMMA, PERIOD)), key=itemgetter(0))
    ends = [start.start() for start in starts[1:]] + [len(rest)]
    options = {start[2]: rest[start.end() : end] for start, end in zip(starts, ends, strict=True)}
    separators = tuple(start[1] for start in starts[1:])
    return ImageQuestion(stem, options, key, sub_domain, head[len(stem) :], separators if PERIOD in separators else ())


Run = tuple[tuple[int, int], tuple[re.Match[str], ...]]
"""Starts of options with ascending letters, after their number and the number of those after the usual separator."""


def _best_run(starts: Sequence[re.Match[str]], separator: str) -> Run:
    """Return the run with the most letters in order, then the most after the separator; on a tie, the earliest one."""
    best: dict[str, Run] = {starts[0][2]: ((1, 0), (starts[0],))}
    for start in starts[1:]:
        letter = start[2]
        if before := [run for earlier, run in best.items() if earlier < letter]:
            (length, usual), run = max(before, key=itemgetter(0))
            rank = length + 1, usual + (start[1] == separator)
            if letter not in best or rank > best[letter][0]:
                best[letter] = rank, (*run, start)
    return max(best.values(), key=itemgetter(0))


OTHER = "(other)"


@dataclass(frozen=True)
class SpatialRow:
    """An item: the prompt of an image, and the questions about the image.

    ``types``, ``texts`` and ``answers`` are the raw columns; ``line`` is the line number (from 1). Questions about one
    image are not independent, so an item is its own cluster.
    """

    id: str
    scene: str
    prompt: str
    types: tuple[str, ...]
    texts: tuple[str, ...]
    answers: tuple[str, ...]
    more: Mapping[str, Any] = field(default_factory=dict)
    line: int | None = None

    @property
    def item_id(self) -> str:
        """The id. Its image is named after it."""
        return self.id

    @property
    def cluster(self) -> str:
        """The id of the prompt."""
        return self.id

    @property
    def groups(self) -> Mapping[str, tuple[str, ...]]:
        """The scene and its group."""
        return {"scene": (self.scene,), "group": (GROUP_OF.get(self.scene, OTHER),)}

    @cached_property
    def questions(self) -> tuple[ImageQuestion, ...]:
        """The questions with their keys, up to the length of the shortest column."""
        columns = zip(self.texts, self.answers, self.types, strict=False)
        return tuple(question_from(text, key, sub_domain) for text, key, sub_domain in columns)


def row_of(id: str, scene: str, prompt: str, questions: Iterable[ImageQuestion]) -> SpatialRow:  # noqa: A002 - the field's name
    """Build a row from questions."""
    columns = [(question.sub_domain, question.written(), question.key) for question in questions]
    types, texts, answers = zip(*columns, strict=True) if columns else ((), (), ())
    return SpatialRow(id, scene, prompt, types, texts, answers)


def _check_encodable(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("half a character (a lone surrogate)") from None
    return text


Text = Annotated[StrictStr, AfterValidator(_check_encodable)]


class _Fields(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)

    id: Text
    scene: Text
    prompt: Text
    question_type: list[Text]
    questions: list[Text]
    answers: list[Text]

    @model_validator(mode="after")
    def _more_can_be_written(self) -> Self:
        _check_encodable(json.dumps(self.model_extra, ensure_ascii=False))
        return self


def row_from(value: object, line: int | None = None) -> SpatialRow:
    """Parse a row from a JSON value. Raise NotationError for the field that does not fit."""
    if not isinstance(value, dict):
        raise NotationError(f"not a row but {kind_of(value)}", line=line)
    try:
        fields = _Fields.model_validate(value)
    except ValidationError as error:
        more = f" (and {error.error_count() - 1} more)" if error.error_count() > 1 else ""
        raise NotationError(f"not a row: {first_fault(error)}{more}", line=line) from None
    return SpatialRow(
        id=fields.id,
        scene=fields.scene,
        prompt=fields.prompt,
        types=tuple(fields.question_type),
        texts=tuple(fields.questions),
        answers=tuple(fields.answers),
        more=fields.model_extra or {},
        line=line,
    )


def read_rows(lines: Iterable[bytes], file: str) -> Iterator[SpatialRow]:
    """Yield the rows of a file's lines, skipping blank ones."""
    for number, line in enumerate(lines, 1):
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise UsageError(f"{file}: line {number}: not UTF-8 text", hint="save the file as UTF-8") from None
        if not text.strip():
            continue
        try:
            yield replace(row_from(load(text)), line=number)
        except NotationError as error:
            hint = "each line must be a JSON object with id, scene, prompt, question_type, questions and answers"
            raise UsageError(f"{file}: line {number}: {error.message}", hint=hint) from None


def rows_in(source: Source) -> Iterator[SpatialRow]:
    """Yield the rows of a file, reading it lazily."""
    try:
        with source.open("rb") as stream:
            yield from read_rows(stream, str(source))
    except FileNotFoundError:
        hint = look_alike(source) if isinstance(source, Path) else ""
        raise FileProblem(f"{source}: no such file", hint=hint) from None
    except IsADirectoryError:
        raise FileProblem(f"{source}: this is a folder, not a file", hint="name the file of rows in it") from None
    except OSError as error:
        raise FileProblem(f"{source}: cannot be read: {error.strerror}") from None


def written(row: SpatialRow) -> str:
    """Return a row as a line of a file, without the line break."""
    value = {"id": row.id, "scene": row.scene, "prompt": row.prompt, "question_type": row.types}
    return json.dumps({**value, "questions": row.texts, "answers": row.answers, **row.more}, ensure_ascii=False)


def question_items(file: str, rows: Iterable[SpatialRow]) -> Items:
    """Return the samples of a file; ``UsageError`` for a row without the ten questions.

    >>> question_items("rows.jsonl", [SpatialRow("7", "Park", "", ("Object",), ("Which?",), ("A",))])
    Traceback (most recent call last):
    tsgkit.errors.UsageError: rows.jsonl: item 7: 1 question, not one of each of the ten sub-domains in their order
    """
    digest, samples, lines = hashlib.sha256(), list[SpatialRow](), list[str]()
    for row in rows:
        if row.types != SUB_DOMAINS or not len(row.texts) == len(row.answers) == len(row.types):
            count = min(len(row.types), len(row.texts), len(row.answers))
            questions = f"{count} question{'' if count == 1 else 's'}"
            where = f"{file}: " + (f"line {row.line}: " if row.line else "") + f"item {row.id}"
            raise UsageError(
                f"{where}: {questions}, not one of each of the ten sub-domains in their order",
                hint="tsgkit audit lists all defects of a file",
            )
        lines.append(written(row))
        digest.update(lines[-1].encode() + b"\n")
        samples.append(row)
    if not samples:
        raise UsageError(f"{file}: there are no items in it")
    return Items(file, digest.hexdigest(), samples, lines)


def load_rows(source: Source) -> Items:
    """Return the samples of a file."""
    return question_items(str(source), rows_in(source))


def rows_of(dataset: Dataset) -> list[SpatialRow]:
    """Return the rows of all samples of a dataset."""
    return [dataset.sample(number) for number in range(len(dataset))]


def scenes_in_order(members: Iterable[str], group: str) -> list[str]:
    """Sort scenes or groups in the published order, followed by unknown names."""
    order = {name: number for number, name in enumerate(SCENES if group == "scene" else GROUPS)}
    return sorted(members, key=lambda name: (order.get(name, len(order)), name))


WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
TOKEN = re.compile(r"[^\W_]+(?:['’][^\W_]+)?|[^\w\s]")
FUNCTION_WORDS = word_set(
    "a an the this that these those its it they them their his her he she and or but of to in on at by with from for",
    "as is are was were be been being do does did has have had there here than then so not no yes which what who whose",
    "how where when why while into onto",
)
"""Words without content of their own."""


@lru_cache(maxsize=50_000)
def content_words(text: str) -> frozenset[str]:
    """Return the stems of the words of a text, without function words."""
    words = (word.lower() for word in WORD.findall(text))
    return frozenset(stem(word) for word in words if word not in FUNCTION_WORDS)


def similarity(first: str, second: str) -> float:
    """Return the share of content words that two texts have in common."""
    words = content_words(first) | content_words(second)
    return len(content_words(first) & content_words(second)) / len(words) if words else 1.0


def tokens(text: str) -> int:
    """Count words and punctuation marks: close to, and never more than, CLIP's token count for plain English."""
    return len(TOKEN.findall(text))


def folded(text: str) -> str:
    """Return a text normalised for comparison: lower case, single spaces, no final period."""
    return " ".join(text.lower().split()).removesuffix(".")
