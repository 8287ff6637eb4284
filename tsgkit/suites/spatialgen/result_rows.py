"""Result rows as the published grader writes them: one picture a line, its judge's answers as five rounds of ten lines.

>>> value = {"id": "000001", "scene": "Park", "answers": ["A"] * 10, "model_preds_cot": [["A: up"] * 10] * 5}
>>> row = result_row_from(value, "results.jsonl: line 1")
>>> row.id, row.replies[0].split("\\n")[0]
('000001', 'A: up')

The file is appended to and never cleared, so it can hold an item twice (E2), lacks the items whose judge never wrote
ten lines five times (E1), and may end in a line cut off: the published script leaves out what is no JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.suites.replies import unknown_item
from tsgkit.suites.spatialgen.official import LINES, ROUNDS, accepted
from tsgkit.suites.spatialgen.rows import Row

MARK = "model_preds_cot"
"""The field that no other file has."""
HINT = f"a row has id, answers and {MARK}: {ROUNDS} lists of {LINES} lines"


def _five_rounds(rounds: list[list[str]]) -> list[list[str]]:
    if len(rounds) != ROUNDS:
        raise ValueError(f"expected {ROUNDS} rounds, found {len(rounds)}")
    for number, lines in enumerate(rounds):
        if len(lines) != LINES or accepted("\n".join(lines)) is None:
            raise ValueError(f"round {number} does not have {LINES} lines with an answer each")
    return rounds


class ResultRow(BaseModel):
    """One row; the published script takes the keys from it, not from the questions' file."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: StrictStr
    model_preds_cot: Annotated[list[list[StrictStr]], AfterValidator(_five_rounds)]
    answers: Annotated[list[StrictStr], Field(min_length=LINES, max_length=LINES)] | None = None
    questions: Any = None

    @property
    def replies(self) -> tuple[str, ...]:
        """The replies as the judge wrote them, line for line."""
        return tuple("\n".join(lines) for lines in self.model_preds_cot)

    def has_other_questions(self, asked: Row) -> bool:
        """Whether it lists questions, and not those of a row of data: its letters may mean other options then."""
        return isinstance(self.questions, list) and self.questions != list(asked.texts)

    def has_other_keys(self, asked: Row) -> bool:
        """Whether its answers are not those of a row of data."""
        return self.answers is not None and self.answers != list(asked.answers)


@dataclass(frozen=True)
class ResultFile:
    """The rows of a file by item, in the order of the file, and the numbers of the lines that are no JSON."""

    rows: dict[str, tuple[ResultRow, ...]]
    broken: tuple[int, ...] = ()


class _Line(NamedTuple):
    number: int
    value: object
    is_json: bool = True


def holds_result_rows(text: str) -> bool:
    """Whether the first line that is JSON is a result row."""
    first = next((line.value for line in _lines(text) if line.is_json), None)
    return isinstance(first, dict) and MARK in first


def result_rows_in(text: str, file: str, asked: Iterable[Row]) -> ResultFile:
    """Read the rows about some items; ``UsageError`` names one that is about none of them or cannot be scored."""
    known = {row.id: row for row in asked}
    rows: dict[str, tuple[ResultRow, ...]] = {}
    broken: list[int] = []
    for line in _lines(text):
        if not line.is_json:
            broken.append(line.number)
            continue
        place = f"{file}: line {line.number}"
        found = result_row_from(line.value, place)
        if found.id not in known:
            raise unknown_item(place, found.id, known)
        rows[found.id] = (*rows.get(found.id, ()), found)
    return ResultFile(rows, tuple(broken))


def result_row_from(value: object, place: str) -> ResultRow:
    """The row in a JSON value; ``UsageError`` names the field that does not fit."""
    if not isinstance(value, dict):
        raise UsageError(f"{place}: not a result row but {kind_of(value)}", hint=HINT)
    try:
        return ResultRow.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        raise UsageError(
            f"{place}: not a result row: {field}: {first['msg'].removeprefix('Value error, ')}", hint=HINT
        ) from None


def _lines(text: str) -> Iterator[_Line]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield _Line(number, load(line))
            except NotationError:
                yield _Line(number, None, is_json=False)
