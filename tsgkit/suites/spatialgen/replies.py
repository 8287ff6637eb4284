"""Scores of replies that were collected elsewhere: files of replies, or result rows of the published grader.

The replies to an item are listed in the order in which the published code would have asked: five rounds, then again
each round whose reply did not have ten lines, up to 25 in all. A result row has five rounds of ten lines.

>>> rounds_of_replies(["no", *["\\n".join("ABCDABCDAB")] * 6])
(0, 1, 2, 3, 4, 0)

In ``official``, items without five accepted replies are left out (E1), and an item counts once for each of its result
rows (E2), with the keys in the rows. In ``strict`` every item counts once, by its last row.

The published grader writes one result row for each image, with the judge's answers as five rounds of ten lines.

>>> value = {"id": "000001", "scene": "Park", "answers": ["A"] * 10, "model_preds_cot": [["A: up"] * 10] * 5}
>>> row = result_row_from(value, "results.jsonl: line 1")
>>> row.id, row.replies[0].split("\\n")[0]
('000001', 'A: up')

The published code appends to the file and never clears it. So the file can contain an item twice (E2), lacks items
whose judge did not give ten lines five times (E1), and may end in a truncated line. The published script skips lines
that are not JSON.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StrictStr, ValidationError

from tsgkit.errors import NotationError, UsageError, first_fault
from tsgkit.graph.notation.json_triplets import kind_of, load
from tsgkit.library.files import read_text
from tsgkit.llm.reply import Ending, Reply
from tsgkit.scoring.pooling import Outcome, Score
from tsgkit.suites.foreign_replies import report_of
from tsgkit.suites.judgement import Judged, scored
from tsgkit.suites.judges.images import MISSING, NOT_SHOWN, ShownImage
from tsgkit.suites.replies import Replies, read_reply_lists, unknown_item
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.judge_requests import ParsedProtocol, orders_of
from tsgkit.suites.spatialgen.official import LINES, ROUNDS, accepted
from tsgkit.suites.spatialgen.rows import SpatialRow, rows_of
from tsgkit.suites.spatialgen.scores import COLUMNS, VoteScorer, judged, label_of, official_scores
from tsgkit.suites.task import PUBLISHED, Task
from tsgkit.suites.transcript import LabelledReply, Transcript

ASKED = ParsedProtocol(PUBLISHED)
NO_REPLY, NO_ROW = "there is no reply", "there is no result row"
STYLES = (PUBLISHED, "zero-shot")
"""Names of the only protocol in which collected replies may have been requested."""
LEFT_OUT = "official leaves them out, as the published script does (E1)"
MOST_NAMED = 5
"""The maximum number of items named in a note; the others are counted."""


def score(task: Task, data: str, replies: str, *, style: str | None, by: Sequence[str], seed: int) -> ScoreReport:
    """Score a file of replies, or result rows of the published grader, for all items of a dataset."""
    if style is not None and style not in STYLES:
        hint = f"use --style {PUBLISHED} or omit it; tsgkit rescore scores runs of any protocol"
        raise UsageError(
            f"{task.key}: collected replies can be scored only in the published protocol, not in {style}", hint=hint
        )
    dataset, text = task.dataset(data), read_text(replies)
    samples = {sample.item_id: sample for sample in rows_of(dataset)}
    first = next((value for _, value in _lines(text) if value is not NOT_JSON), None)
    notes: list[str]
    if isinstance(first, dict) and MARK in first:
        rows, broken = result_rows_in(text, replies, samples)
        items = [scored(_of_rows, sample, rows.get(name)).judged for name, sample in samples.items()]
        again = [name for name, of_item in rows.items() if len(of_item) > 1]
        keys, texts = [], []
        for name, of_item in rows.items():  # with other answers, or other questions, than the data
            if any(row.answers is not None and row.answers != list(samples[name].answers) for row in of_item):
                keys.append(name)
            if any(isinstance(row.questions, list) and row.questions != list(samples[name].texts) for row in of_item):
                texts.append(name)
        notes = [
            *_note("without a result row", _left_out(items), f"{LEFT_OUT}; wrong in strict"),
            *_note("with several result rows", again, "official counts every row (E2), strict the last one of an item"),
            *_note("with other answers in their rows than in the data", keys, "official counts by those of the rows"),
            *_note(
                "with other questions in their rows than in the data", texts, "their letters may mean other options"
            ),
            *(f"line {line} is not JSON: left out, as the published script does" for line in broken),
        ]
    else:
        lists = read_reply_lists(text, replies, dataset.item_ids)
        items = [scored(_of_replies, sample, lists.get(name)).judged for name, sample in samples.items()]
        missing = [item.sample.item_id for item in items if item.outcome is Outcome.MISSING]
        few = [name for name, collected in lists.items() if len(collected.texts) < ROUNDS]
        more = [
            name for name, collected in lists.items() if len(rounds_of_replies(collected.texts)) < len(collected.texts)
        ]
        notes = [
            *_note("without a reply", missing, "wrong in strict"),
            *_note(f"with fewer than {ROUNDS} replies", few, "a round without one is a vote for nothing in strict"),
            *_note("with more replies than are asked for", more, "those after the last one needed are not read"),
            *_note("without five replies of ten lines", _left_out(items), LEFT_OUT),
        ]
    return report_of(task, tuple(items), VoteScorer(PUBLISHED), by, seed, tuple(notes))


def _left_out(items: Iterable[Judged]) -> list[str]:
    return [item.sample.item_id for item in items if item.counts.get("skipped_official")]


def _note(which: str, item_ids: Sequence[str], meaning: str) -> Iterator[str]:
    """Yield a note that names items."""
    if item_ids:
        more = len(item_ids) - MOST_NAMED
        names = ", ".join(item_ids[:MOST_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        yield f"{len(item_ids):,} item{'' if len(item_ids) == 1 else 's'} {which} ({names}): {meaning}"


def _of_replies(sample: SpatialRow, replies: Replies | None) -> Judged:
    if replies is None:
        return judged(sample, Transcript((ShownImage(MISSING, NO_REPLY).said,)), ASKED)
    spoken = judged(sample, transcript_of(sample, replies.texts), ASKED)
    if (outcome := replies.outcome) is None:
        return spoken
    # all replies count as failed in strict if the file states another outcome
    silent = judged(sample, transcript_of(sample, [None] * ROUNDS, Ending(outcome)), ASKED)
    counts = {name: spoken.counts[name] for name in ("skipped_official", "replies_rejected")}
    why = f"the file says {outcome}: what was said counts for nothing in strict"
    return replace(
        silent,
        scores=silent.scores | {"official": spoken.scores["official"]},
        notes=(why, *(note for note in spoken.notes if note.startswith("official: "))),
        evidence=silent.evidence | {"official": spoken.evidence["official"]},
        counts=silent.counts | counts,
    )


def _of_rows(sample: SpatialRow, rows: Sequence[ResultRow] | None) -> Judged:
    """Score an item by its last row in ``strict``, and by all of them in ``official``."""
    if not rows:
        return judged(sample, Transcript((ShownImage(MISSING, NO_ROW).said,)), ASKED)
    item = judged(sample, transcript_of(sample, rows[-1].replies), ASKED)
    each = [official_scores(sample, official.asked(row.replies), row.answers) for row in rows]
    scores = {}
    for name, last in each[-1].items():
        column = [of_row[name] for of_row in each]
        scores[name] = Score(sum(score.sum for score in column), sum(score.weight for score in column), last.reason)
    right = [bool(each[-1][column].sum) for column in COLUMNS]
    evidence = item.evidence | {"official": item.evidence["official"] | {"rows": len(rows), "right": right}}
    notes = (*item.notes, *([f"official: {len(rows)} result rows, each of which counts"] if len(rows) > 1 else []))
    return replace(item, scores=item.scores | {"official": scores}, notes=notes, evidence=evidence)


def transcript_of(sample: SpatialRow, texts: Sequence[str | None], ending: Ending | None = None) -> Transcript:
    """Return the transcript of these replies. ``ending`` overrides the ending of all of them."""
    replies = (Reply(text, ending or (Ending.COMPLETE if (text or "").strip() else Ending.EMPTY)) for text in texts)
    calls = map(LabelledReply, map(label_of, rounds_of_replies(texts)), replies)
    return Transcript((*calls, ShownImage(NOT_SHOWN, orders=orders_of(sample, PUBLISHED, 0)).said))


def rounds_of_replies(texts: Sequence[str | None]) -> tuple[int, ...]:
    """Return the round of each reply: first all five, then again those whose reply was rejected."""
    turns: list[int] = []
    open_rounds, most = list(range(ROUNDS)), min(len(texts), official.REQUESTS)
    while open_rounds and len(turns) < most:
        requests = open_rounds[: most - len(turns)]
        replies = texts[len(turns) : len(turns) + len(requests)]
        turns += requests
        open_rounds = [turn for turn, text in zip(requests, replies, strict=True) if accepted(text or "") is None]
    return tuple(turns)


MARK = "model_preds_cot"
"""The field that identifies result rows."""
HINT = f"a row has id, answers and {MARK}: {ROUNDS} lists of {LINES} lines"


def _five_rounds(rounds: list[list[str]]) -> list[list[str]]:
    if len(rounds) != ROUNDS:
        raise ValueError(f"expected {ROUNDS} rounds, found {len(rounds)}")
    for number, lines in enumerate(rounds):
        if len(lines) != LINES or accepted("\n".join(lines)) is None:
            raise ValueError(f"round {number} does not have {LINES} lines with an answer each")
    return rounds


class ResultRow(BaseModel):
    """A result row. The published script takes the keys from it, not from the file of questions."""

    model_config = ConfigDict(extra="allow", frozen=True)

    id: StrictStr
    model_preds_cot: Annotated[list[list[StrictStr]], AfterValidator(_five_rounds)]
    answers: Annotated[list[StrictStr], Field(min_length=LINES, max_length=LINES)] | None = None
    questions: Any = None

    @property
    def replies(self) -> tuple[str, ...]:
        """The judge's replies, line for line."""
        return tuple("\n".join(lines) for lines in self.model_preds_cot)


def result_rows_in(text: str, file: str, known: Collection[str]) -> tuple[dict[str, tuple[ResultRow, ...]], list[int]]:
    """Return the rows about these items by item, in file order, and the numbers of the lines that are not JSON.

    Raise UsageError for a row about another item or an invalid one.
    """
    rows: dict[str, tuple[ResultRow, ...]] = {}
    broken: list[int] = []
    for number, value in _lines(text):
        if value is NOT_JSON:
            broken.append(number)
            continue
        place = f"{file}: line {number}"
        row = result_row_from(value, place)
        if row.id not in known:
            raise unknown_item(place, row.id, known)
        rows[row.id] = (*rows.get(row.id, ()), row)
    return rows, broken


def result_row_from(value: object, place: str) -> ResultRow:
    """Parse a result row from a JSON value. Raise UsageError for the field that does not fit."""
    if not isinstance(value, dict):
        raise UsageError(f"{place}: not a result row but {kind_of(value)}", hint=HINT)
    try:
        return ResultRow.model_validate(value)
    except ValidationError as error:
        raise UsageError(f"{place}: not a result row: {first_fault(error)}", hint=HINT) from None


NOT_JSON = object()


def _lines(text: str) -> Iterator[tuple[int, object]]:
    """Yield the number (from 1) and value of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, load(line)
            except NotationError:
                yield number, NOT_JSON
