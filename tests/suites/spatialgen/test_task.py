"""Tests of the task: card, rows, terms, protocols, and scores in both profiles."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from shipped import TASKS

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.judgement import Judged
from tsgkit.suites.judges.shown_images import NOT_SHOWN, ShownImage
from tsgkit.suites.spatialgen import official
from tsgkit.suites.spatialgen.baselines import baseline_subject
from tsgkit.suites.spatialgen.judge_requests import PROTOCOLS, QuestionPrompts, orders_of, parse_protocol, schema_of
from tsgkit.suites.spatialgen.metrics import METRICS
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.rows import Row, SpatialSample, question_from, row_of, rows_in, written
from tsgkit.suites.spatialgen.scores import judged, label_of
from tsgkit.suites.spatialgen.terms import (
    DOMAINS,
    GROUPS,
    MEANING,
    PUBLISHED,
    SCENES,
    SUB_DOMAINS,
    aggregates,
    domain_of,
    group_of,
    published_scene,
)
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


def test_the_card_declares_what_the_suite_measures_and_rows_that_cannot_be_scored_are_refused(tmp_path: Path) -> None:
    assert {name: metric.headline for name, metric in CARD.metrics.items()} == {
        name: metric.is_headline for name, metric in METRICS.items()
    }
    assert (CARD.subject, CARD.temperature) == ("baseline/random", 1.0)
    assert tasks_of_rows(FILE) == ("spatialgen/questions",)
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
    schema = schema_of([question_from("Hair?  Options: A: Red. B: Tan. C: Pink. D: Blue, E: None", "B")], "ours")
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


def test_rounds_that_failed_are_wrong_and_the_most_readable_reply_of_a_round_counts() -> None:
    row = ROWS[0]
    good, bad, none = "\n".join(row.answers), "\n".join("E" * 10), None

    def of(*texts: str | None) -> Judged:
        return judged(SpatialSample(row), said(row, list(texts)), parse_protocol("published"))

    for name, different in (("random", 5), ("overlap", 1)):
        subject = baseline_subject(f"baseline/{name}", ROWS, 0)
        assert len({one.reply.text for one in subject.answer(SpatialSample(row)).said[:5]}) == different, name
    with pytest.raises(UsageError, match="there is no baseline/rules"):
        baseline_subject("baseline/rules", ROWS, 0)
    one = of(good, good, good, good, none)
    assert (one.outcome, one.scores["strict"]["accuracy"].value) == ("api_error", 1.0)
    one = of(good, good, good, none, none)
    assert (one.scores["strict"]["accuracy"].value, one.scores["strict"]["votes_3"].value) == (0.0, 1.0)
    assert one.scores["official"]["accuracy"].value is None
    scores = of(good, good, good, bad, bad).scores["strict"]
    assert [scores[f"votes_{needed}"].value for needed in range(1, 6)] == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert (scores["single_round"].value, scores["rounds_agree"].value) == pytest.approx((0.6, 0.4))
    one = of("My answers:\n" + good, "I cannot say.", good, good, good, good, bad)
    key = "".join(row.answers)
    assert one.evidence["rounds"] == [key, "E" * 10, key, key, key]
    assert one.evidence["official"]["rejected"] == 2 and one.evidence["official"]["right"] == [True] * 10


QWEN_IMAGE = dict(zip(SUB_DOMAINS, (61.0, 77.2, 55.6, 56.7, 69.7, 28.6, 67.7, 30.8, 78.1, 80.2), strict=True))
"""The published figures of one image model by sub-domain."""
NO_IMAGE = (7.3, 19.2, 13.5, 28.1, 16.9)


def test_the_published_domains_and_overall_score_follow_from_the_published_sub_domains() -> None:
    found = aggregates(QWEN_IMAGE)
    published = {"Foundation": 69.1, "Perception": 60.7, "Reasoning": 42.4, "Interaction": 79.2}
    assert {name: pytest.approx(value, abs=0.0501) for name, value in published.items()} == found.domains
    assert found.overall == pytest.approx(60.6, abs=0.0501)
    assert found.sub_domains == QWEN_IMAGE
    *domains, overall = NO_IMAGE
    scores = {name: domains[place] for place, names in enumerate(DOMAINS.values()) for name in names}
    assert aggregates(scores).overall == pytest.approx(overall, abs=0.06), "the mean of the ten and not of the four"
    assert sum(domains) / 4 == pytest.approx(17.025)
    lacking = aggregates({name: score for name, score in QWEN_IMAGE.items() if name != "Layout"})
    assert lacking.domains["Perception"] is lacking.overall is lacking.sub_domains["Layout"] is None
    assert lacking.domains["Reasoning"] is not None


def test_every_sub_domain_has_a_domain_and_every_scene_a_group() -> None:
    assert (len(SUB_DOMAINS), tuple(MEANING)) == (10, SUB_DOMAINS)
    assert {domain_of(name) for name in SUB_DOMAINS} == set(DOMAINS)
    assert domain_of("Colour") is None
    assert len(SCENES) == len(set(SCENES)) == 25
    assert Counter(map(group_of, SCENES)) == {group: len(scenes) for group, scenes in GROUPS.items()}
    sizes = {group: sum(PUBLISHED[scene] for scene in scenes) for group, scenes in GROUPS.items()}
    assert sizes == {"Nature": 350, "Human": 150, "Indoor": 200, "Outdoor": 400, "Design": 130}
    for name, hint in (("Forrest", "Forest?"), ("Moon", "the scenes: Forest, Mountain")):
        with pytest.raises(UsageError, match="there is no scene") as found:
            group_of(name)
        assert found.value.hint.startswith(hint)
    assert Counter(map(published_scene, range(1, 1231))) == PUBLISHED
    edges = (0, 50, 51, 999, 1000, 1050, 1051, 1231)
    names = (None, "Forest", "Mountain", "Shopping Mall", "Library", "Library", "Cafe", None)
    assert tuple(map(published_scene, edges)) == names
