"""Scores of replies that were collected elsewhere: files of replies, or of the published grader's result rows.

A reply to a sample is a list of what the judge said in order, as the published code would have asked: five rounds, and
again each whose reply was not ten lines, up to 25 in all. A result row is five rounds of ten lines.

>>> rounds_of_replies(["no", *["\\n".join("ABCDABCDAB")] * 6])
(0, 1, 2, 3, 4, 0)

In ``official`` items without five accepted replies are left out (E1), and an item with several result rows counts once
for each (E2), with the keys that stand in the rows. In ``strict`` every item counts once, by its last row.

Result rows as the published grader writes them: one picture a line, its judge's answers as five rounds of ten lines.

>>> value = {"id": "000001", "scene": "Park", "answers": ["A"] * 10, "model_preds_cot": [["A: up"] * 10] * 5}
>>> row = result_row_from(value, "results.jsonl: line 1")
>>> row.id, row.replies[0].split("\\n")[0]
('000001', 'A: up')

The file is appended to and never cleared, so it can hold an item twice (E2), lacks the items whose judge never wrote
ten lines five times (E1), and may end in a line cut off: the published script leaves out what is no JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.library.files import read_text
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score
from tsgkit.suites.item_errors import scored
from tsgkit.suites.judgement import Judged
from tsgkit.suites.judges.shown_images import MISSING, NOT_SHOWN, Sight
from tsgkit.suites.replies import Replies, read_reply_lists, unknown_item
from tsgkit.suites.scoreboard import Board, ScoreReport, add_judged
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.judge_requests import Way, orders_of
from tsgkit.suites.spatialgen.metrics import COLUMNS, METRICS, board_of, tally_for
from tsgkit.suites.spatialgen.official import LINES, ROUNDS, accepted
from tsgkit.suites.spatialgen.rows import Row, Rows, SpatialSample, scenes_in_order
from tsgkit.suites.spatialgen.scores import judged, label_of, official_scores
from tsgkit.suites.task import PUBLISHED
from tsgkit.suites.transcript import Said, Transcript

ASKED = Way(PUBLISHED)
NO_REPLY, NO_ROW = "there is no reply", "there is no result row"
STYLES = (PUBLISHED, "zero-shot")
"""Names of the one way in which collected replies may have been asked for."""
LEFT_OUT = "official leaves them out, as the published script does (E1)"
MOST_NAMED = 5
"""So many items are named in a note, and the others counted."""


class Scored(NamedTuple):
    """The judgements on a file of replies, and what has to be told of it."""

    judged: tuple[Judged, ...]
    notes: tuple[str, ...]


def score(task: str, data: Rows, replies: str, *, style: str | None, by: Sequence[str], seed: int) -> ScoreReport:
    """Score the replies of a file to all items of some data."""
    if style is not None and style not in STYLES:
        hint = f"say --style {PUBLISHED} or leave it out; tsgkit rescore scores a run in any protocol again"
        raise UsageError(f"{task}: replies are scored as asked for in the published way, not in {style}", hint=hint)
    text = read_text(replies)
    if holds_result_rows(text):
        found = judged_rows(data, result_rows_in(text, replies, data.rows))
    else:
        found = judged_replies(data, read_reply_lists(text, replies, data.item_ids))
    boards = {group: _boards_by(group, found.judged, seed) for group in by}
    return ScoreReport(task, "", seed, METRICS, _board(found.judged, seed), boards, found.judged, found.notes)


def _boards_by(group: str, judged: Iterable[Judged], seed: int) -> dict[str, Board]:
    members: dict[str, list[Judged]] = {}
    for one in judged:
        for name in one.sample.groups[group]:
            members.setdefault(name, []).append(one)
    return {name: _board(members[name], seed) for name in scenes_in_order(members, group)}


def _board(judged: Iterable[Judged], seed: int) -> Board:
    return board_of(add_judged(tally_for(), judged), seed)


def judged_replies(data: Rows, found: Mapping[str, Replies]) -> Scored:
    """Judge lists of replies."""
    every = tuple(scored(_of_replies, sample, found.get(sample.item_id)).judged for sample in data)
    few = [name for name, one in found.items() if len(one.texts) < ROUNDS]
    more = [name for name, one in found.items() if len(rounds_of_replies(one.texts)) < len(one.texts)]
    notes = (
        *_note("without a reply", _missing(every), "wrong in strict"),
        *_note(f"with fewer than {ROUNDS} replies", few, "a round without one is a vote for nothing in strict"),
        *_note("with more replies than are asked for", more, "those after the last one needed are not read"),
        *_note("without five replies of ten lines", _dropped(every), LEFT_OUT),
    )
    return Scored(every, notes)


def judged_rows(data: Rows, found: ResultFile) -> Scored:
    """Judge result rows."""
    every = tuple(scored(_of_rows, sample, found.rows.get(sample.item_id)).judged for sample in data)
    again = [name for name, rows in found.rows.items() if len(rows) > 1]
    asked = {row.id: row for row in data.rows}
    keys = [name for name, rows in found.rows.items() if any(row.has_other_keys(asked[name]) for row in rows)]
    texts = [name for name, rows in found.rows.items() if any(row.has_other_questions(asked[name]) for row in rows)]
    notes = (
        *_note("without a result row", _dropped(every), f"{LEFT_OUT}; wrong in strict"),
        *_note("with several result rows", again, "official counts every row (E2), strict the last one of an item"),
        *_note("with other answers in their rows than in the data", keys, "official counts by those of the rows"),
        *_note("with other questions in their rows than in the data", texts, "their letters may mean other options"),
    )
    broken = (f"line {line} is not JSON: left out, as the published script does" for line in found.broken)
    return Scored(every, (*notes, *broken))


def _missing(judged: Iterable[Judged]) -> list[str]:
    return [one.sample.item_id for one in judged if one.outcome is Outcome.MISSING]


def _dropped(judged: Iterable[Judged]) -> list[str]:
    return [one.sample.item_id for one in judged if one.counts.get("skipped_official")]


def _note(which: str, item_ids: Sequence[str], meaning: str) -> Iterator[str]:
    """Name items of which something has to be told."""
    if item_ids:
        more = len(item_ids) - MOST_NAMED
        named = ", ".join(item_ids[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        yield f"{len(item_ids):,} item{'' if len(item_ids) == 1 else 's'} {which} ({named}): {meaning}"


def _of_replies(sample: SpatialSample, replies: Replies | None) -> Judged:
    if replies is None:
        return _unanswered(sample, NO_REPLY)
    said = judged(sample, transcript_of(sample, replies.texts), ASKED)
    return said if replies.outcome is None else _ended(sample, said, replies.outcome)


def _ended(sample: SpatialSample, said: Judged, outcome: Outcome) -> Judged:
    """Count what was said for nothing in strict where a file states that it ended otherwise."""
    silent = judged(sample, transcript_of(sample, [None] * ROUNDS, Ending(outcome)), ASKED)
    counts = {name: said.counts[name] for name in ("skipped_official", "replies_rejected")}
    why = f"the file says {outcome}: what was said counts for nothing in strict"
    return replace(
        silent,
        scores=silent.scores | {"official": said.scores["official"]},
        notes=(why, *(note for note in said.notes if note.startswith("official: "))),
        evidence=silent.evidence | {"official": said.evidence["official"]},
        counts=silent.counts | counts,
    )


def _of_rows(sample: SpatialSample, rows: Sequence[ResultRow] | None) -> Judged:
    """Judge an item by its last row in strict, and by all of them in official."""
    if not rows:
        return _unanswered(sample, NO_ROW)
    one = judged(sample, transcript_of(sample, rows[-1].replies), ASKED)
    each = [official_scores(sample, official.asked(row.replies), row.answers) for row in rows]
    scores = {name: _added([of_row[name] for of_row in each]) for name in each[0]}
    right = [bool(each[-1][column].sum) for column in COLUMNS]
    evidence = one.evidence | {"official": one.evidence["official"] | {"rows": len(rows), "right": right}}
    notes = (*one.notes, *([f"official: {len(rows)} result rows, each of which counts"] if len(rows) > 1 else []))
    return replace(one, scores=one.scores | {"official": scores}, notes=notes, evidence=evidence)


def _added(scores: Sequence[Score]) -> Score:
    """Add up what several rows of one item get."""
    return Score(sum(one.sum for one in scores), sum(one.weight for one in scores), scores[-1].reason)


def _unanswered(sample: SpatialSample, why: str) -> Judged:
    return judged(sample, Transcript((Sight(MISSING, why).said,)), ASKED)


def transcript_of(sample: SpatialSample, texts: Sequence[str | None], ending: Ending | None = None) -> Transcript:
    """The transcript that these replies stand for; ``ending`` says how all of them ended where the text does not."""
    replies = (Reply(text, ending or (Ending.COMPLETE if (text or "").strip() else Ending.EMPTY)) for text in texts)
    said = (Said(label_of(turn), reply) for turn, reply in zip(rounds_of_replies(texts), replies, strict=False))
    orders = tuple(tuple(order.record for order in turn) for turn in orders_of(sample, PUBLISHED, 0))
    return Transcript((*said, Sight(NOT_SHOWN, orders=orders).said))


def rounds_of_replies(texts: Sequence[str | None]) -> tuple[int, ...]:
    """The round of each reply, as far as replies are asked for: all five, then those again whose reply was rejected."""
    turns: list[int] = []
    open_rounds = list(range(ROUNDS))
    while open_rounds and len(turns) < min(len(texts), official.REQUESTS):
        asked = open_rounds[: min(len(texts), official.REQUESTS) - len(turns)]
        replies = texts[len(turns) : len(turns) + len(asked)]
        turns += asked
        open_rounds = [turn for turn, text in zip(asked, replies, strict=True) if official.accepted(text or "") is None]
    return tuple(turns)


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
