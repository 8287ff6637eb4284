"""Tests of the task: card, rows, protocols, and scores in both profiles."""

from __future__ import annotations

from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.judges.shown_images import NOT_SHOWN, ShownImage
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.baselines import baseline_subject
from tsgkit.suites.spatialgen.judge_requests import PROTOCOLS, QuestionPrompts, orders_of, parse_protocol, schema_of
from tsgkit.suites.spatialgen.metrics import METRICS
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.rows import Row, SpatialSample, question_from, row_of, rows_in, written
from tsgkit.suites.spatialgen.scores import judged, label_of
from tsgkit.suites.suite import tasks_of_rows
from tsgkit.suites.transcript import LabelledReply, Transcript

FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))
CARD = load_card("spatialgen/questions")
TASK = SpatialGenTask(CARD)
Texts = list[str | None]


def said(row: Row, texts: Texts, protocol: str = "published") -> Transcript:
    """Return a transcript of replies in rounds 0 to 4, then from 0 again as retries."""
    sample = SpatialSample(row)
    calls = [
        LabelledReply(label_of(number % 5), Reply(text, Ending.COMPLETE if text else Ending.API_ERROR))
        for number, text in enumerate(texts)
    ]
    orders = tuple(tuple(o.record for o in turn) for turn in orders_of(sample, parse_protocol(protocol).base, 0))
    return Transcript((*calls, ShownImage(NOT_SHOWN, orders=orders).said))


def test_the_card_declares_what_the_suite_measures() -> None:
    assert set(CARD.metrics) == set(METRICS)
    for name, metric in CARD.metrics.items():
        assert metric.headline == METRICS[name].is_headline
    assert CARD.subject == "baseline/random" and CARD.temperature == 1.0


def test_task_is_recognised_by_its_rows() -> None:
    assert tasks_of_rows(FILE) == ("spatialgen/questions",)
    assert tasks_of_rows(TASKS / "tsg" / "data" / "tsgkit-1" / "sgqa.jsonl") == ("tsg/sgqa",)


def test_rows_that_cannot_be_scored_are_refused(tmp_path: Path) -> None:
    questions = ROWS[0].questions
    changed: dict[str, list[Row]] = {
        "the item id 000001 occurs twice": [ROWS[0], ROWS[0]],
        "there are no items in it": [],
        "line 1: item 9: 9 questions, not one of each": [row_of("9", "Park", "", questions[:9])],
        "in their order": [row_of("9", "Park", "", questions[::-1])],
    }
    for message, rows in changed.items():
        (tmp_path / "rows.jsonl").write_text("\n".join(map(written, rows)))
        with pytest.raises(UsageError, match=message):
            TASK.dataset(str(tmp_path / "rows.jsonl"))


def test_every_protocol_has_its_prompts_and_schema() -> None:
    for protocol in PROTOCOLS:
        words, way = QuestionPrompts(CARD, parse_protocol(protocol)), parse_protocol(protocol)
        words.check()
        asked = ROWS[0].questions[:1] if way.base == "ours-apart" else ROWS[0].questions
        text = words.text(asked)
        assert text.endswith("The picture:") == (protocol in ("published", "published-shuffled")), protocol
        assert ROWS[0].prompt not in text
        assert all(question.stem in text for question in asked), protocol
        schema = schema_of(asked, way.base)
        assert (schema is None) == (way.base == "published") == ("JSON" not in text), protocol


def test_schema_allows_the_letters_of_options_that_periods_separate() -> None:
    asked = [question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")]
    schema = schema_of(asked, "ours")
    assert schema is not None
    assert schema["json_schema"]["schema"]["properties"]["1"]["enum"] == list("ABCDE")


def test_prompts_from_a_folder_are_used_and_checked(tmp_path: Path) -> None:
    (tmp_path / "published.txt").write_text("Look: {questions}\n")
    words = QuestionPrompts(CARD, parse_protocol("published"), str(tmp_path))
    assert words.text(ROWS[0].questions).startswith("Look: Which of these pairs")
    assert words.fingerprint != QuestionPrompts(CARD, parse_protocol("published")).fingerprint
    (tmp_path / "published.txt").write_text("Look.\n")
    with pytest.raises(UsageError, match="the text lacks"):
        QuestionPrompts(CARD, parse_protocol("published"), str(tmp_path)).check()
    (tmp_path / "published.txt").rename(tmp_path / "other.txt")
    with pytest.raises(UsageError, match="the folder has no prompts"):
        QuestionPrompts(CARD, parse_protocol("published"), str(tmp_path)).check()


def test_official_scores_equal_the_published_code_exactly() -> None:
    """Columns are rounded before means are taken, and images without five replies are left out."""
    rows, results, tally = ROWS[:7], [], TASK.tally()
    for number, row in enumerate(rows):
        texts: Texts = ["\n".join(row.answers[:number] + ("E",) * (10 - number))] * (5 if number else 4)
        transcript = said(row, texts)
        one = judged(SpatialSample(row), transcript, parse_protocol("published"))
        tally.add(one.sample.cluster, one.scores, {str(k): v for k, v in one.counts.items()})
        found = official.result_row(row, official.asked(texts), f"{row.id}.png")
        results += [found] if found is not None else []
    table = official.table(results)
    board = TASK.board(tally, TASK.baseline("baseline/longest", 0, TASK.dataset(None)), 0)
    values = board.profiles["official"]
    assert table is not None and values is not None and table.n == 6
    for name, value in table.columns.items():
        assert (mine := values[name.lower()]) is not None and mine.value == value
    for name, value in (("accuracy", table.overall), ("foundation", table.basic), ("spatial", table.spatial)):
        assert (mine := values[name]) is not None and mine.value == value
    assert board.reasons["official.n"].startswith("left out, as published") and board.counts["skipped_official"] == 1
    assert values["single_round"] is None


def test_failed_round_is_wrong_and_repeated_on_resume() -> None:
    row = ROWS[0]
    good = "\n".join(row.answers)
    one = judged(SpatialSample(row), said(row, [good, good, good, good, None]), parse_protocol("published"))
    assert (one.outcome, one.scores["strict"]["accuracy"].value) == ("api_error", 1.0)
    one = judged(SpatialSample(row), said(row, [good, good, good, None, None]), parse_protocol("published"))
    assert (one.scores["strict"]["accuracy"].value, one.scores["strict"]["votes_3"].value) == (0.0, 1.0)
    assert one.scores["official"]["accuracy"].value is None


def test_scores_include_vote_curve_and_single_round() -> None:
    row = ROWS[0]
    good, bad = "\n".join(row.answers), "\n".join("E" * 10)
    scores = judged(SpatialSample(row), said(row, [good, good, good, bad, bad]), parse_protocol("published")).scores[
        "strict"
    ]
    curve = [scores[f"votes_{needed}"].value for needed in range(1, 6)]
    assert curve == [1.0, 1.0, 1.0, 0.0, 0.0] and scores["single_round"].value == pytest.approx(0.6)
    assert scores["rounds_agree"].value == pytest.approx(0.4)


def test_most_readable_reply_of_a_round_counts() -> None:
    row = ROWS[0]
    good = "\n".join(row.answers)
    texts: Texts = ["My answers:\n" + good, "I cannot say.", good, good, good, good, "\n".join("E" * 10)]
    one = judged(SpatialSample(row), said(row, texts), parse_protocol("published"))
    assert one.evidence["rounds"] == ["".join(row.answers), "E" * 10, *["".join(row.answers)] * 3]
    assert one.evidence["official"]["rejected"] == 2 and one.evidence["official"]["right"] == [True] * 10


def test_random_baseline_differs_between_rounds_and_rules_do_not() -> None:
    sample = SpatialSample(ROWS[0])
    chance, rule = baseline_subject("baseline/random", ROWS, 0), baseline_subject("baseline/overlap", ROWS, 0)
    rounds = [{one.reply.text for one in who.answer(sample).said[:5]} for who in (chance, rule)]
    assert (len(rounds[0]), len(rounds[1])) == (5, 1)
    with pytest.raises(UsageError, match="there is no baseline/rules"):
        baseline_subject("baseline/rules", ROWS, 0)
