"""Tests of the task (card, terms, protocols, scores), of baselines that see no image, and of the bundled questions."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from pathlib import Path
from statistics import fmean

import pytest
from shipped import OFFICIAL_DATA, TASKS, needs_official_data

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending, Reply
from tsgkit.suites.judgement import Judged
from tsgkit.suites.judges.shown_images import NOT_SHOWN, ShownImage
from tsgkit.suites.spatialgen import official, terms
from tsgkit.suites.spatialgen.baselines import NAMES, accuracies, baseline, baseline_subject
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.judge_requests import (
    PROTOCOLS,
    QuestionPrompts,
    orders_of,
    parse_protocol,
    schema_of,
    shown,
)
from tsgkit.suites.spatialgen.metrics import METRICS
from tsgkit.suites.spatialgen.questions import SpatialGenTask
from tsgkit.suites.spatialgen.rows import Question, Row, SpatialSample, question_from, row_of, rows_in, written
from tsgkit.suites.spatialgen.scores import judged, label_of
from tsgkit.suites.suite import tasks_of_rows
from tsgkit.suites.transcript import LabelledReply, Transcript

FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))
CARD = load_card("spatialgen/questions")
TASK = SpatialGenTask(CARD)
QWEN_IMAGE = dict(zip(terms.SUB_DOMAINS, (61.0, 77.2, 55.6, 56.7, 69.7, 28.6, 67.7, 30.8, 78.1, 80.2), strict=True))
"""The published figures of one image model by sub-domain."""
NO_IMAGE = (7.3, 19.2, 13.5, 28.1, 16.9)
FULL = "SpatialGenEval_T2I_Prompts.jsonl"


def said(row: Row, *texts: str | None, protocol: str = "published") -> Judged:
    """Return the judgement of replies in rounds 0 to 4, then from 0 again as retries."""
    sample, way = SpatialSample(row), parse_protocol(protocol)
    calls = [
        LabelledReply(label_of(number % 5), Reply(text, Ending.COMPLETE if text else Ending.API_ERROR))
        for number, text in enumerate(texts)
    ]
    orders = tuple(tuple(order.record for order in turn) for turn in orders_of(sample, way.base, 0))
    return judged(sample, Transcript((*calls, ShownImage(NOT_SHOWN, orders=orders).said)), way)


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


def test_every_protocol_has_its_prompts_and_schema_and_those_of_a_folder_are_checked(tmp_path: Path) -> None:
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
    way, file = parse_protocol("published"), tmp_path / "published.txt"
    file.write_text("Look: {questions}\n")
    words = QuestionPrompts(CARD, way, str(tmp_path))
    assert words.text(ROWS[0].questions).startswith("Look: Which of these pairs")
    assert words.fingerprint != QuestionPrompts(CARD, way).fingerprint
    file.write_text("Look.\n")
    for said in ("the text lacks", "the folder has no prompts"):
        with pytest.raises(UsageError, match=said):
            QuestionPrompts(CARD, way, str(tmp_path)).check()
        file.rename(tmp_path / "other.txt")
        file = tmp_path / "other.txt"


def test_official_scores_equal_the_published_code_exactly() -> None:
    """Columns are rounded before means are taken, and images without five replies are left out."""
    rows, results, tally = ROWS[:7], [], TASK.tally()
    for number, row in enumerate(rows):
        texts = ["\n".join(row.answers[:number] + ("E",) * (10 - number))] * (5 if number else 4)
        one = said(row, *texts)
        tally.add(one.sample.cluster, one.scores, {str(k): v for k, v in one.counts.items()})
        found = official.result_row(row, official.asked(texts), f"{row.id}.png")
        results += [found] if found is not None else []
    table = official.table(results)
    board = TASK.board(tally, TASK.baseline("baseline/longest", 0, TASK.dataset(None)), 0)
    values = board.profiles["official"]
    assert table is not None and values is not None and table.n == 6
    means = {"accuracy": table.overall, "foundation": table.basic, "spatial": table.spatial}
    for name, value in (means | {name.lower(): value for name, value in table.columns.items()}).items():
        assert (mine := values[name]) is not None and mine.value == value, name
    assert board.reasons["official.n"].startswith("left out, as published") and board.counts["skipped_official"] == 1
    assert values["single_round"] is None


def test_rounds_that_failed_are_wrong_and_the_most_readable_reply_of_a_round_counts() -> None:
    row = ROWS[0]
    good, bad, none = "\n".join(row.answers), "\n".join("E" * 10), None
    for name, different in (("random", 5), ("overlap", 1)):
        subject = baseline_subject(f"baseline/{name}", ROWS, 0)
        assert len({one.reply.text for one in subject.answer(SpatialSample(row)).said[:5]}) == different, name
    with pytest.raises(UsageError, match="there is no baseline/rules"):
        baseline_subject("baseline/rules", ROWS, 0)
    one = said(row, good, good, good, good, none)
    assert (one.outcome, one.scores["strict"]["accuracy"].value) == ("api_error", 1.0)
    one = said(row, good, good, good, none, none)
    assert (one.scores["strict"]["accuracy"].value, one.scores["strict"]["votes_3"].value) == (0.0, 1.0)
    assert one.scores["official"]["accuracy"].value is None
    scores = said(row, good, good, good, bad, bad).scores["strict"]
    assert [scores[f"votes_{needed}"].value for needed in range(1, 6)] == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert (scores["single_round"].value, scores["rounds_agree"].value) == pytest.approx((0.6, 0.4))
    one = said(row, "My answers:\n" + good, "I cannot say.", good, good, good, good, bad)
    key = "".join(row.answers)
    assert one.evidence["rounds"] == [key, "E" * 10, key, key, key]
    assert one.evidence["official"]["rejected"] == 2 and one.evidence["official"]["right"] == [True] * 10


def test_the_published_domains_and_overall_score_follow_from_the_published_sub_domains() -> None:
    found = terms.aggregates(QWEN_IMAGE)
    published = {"Foundation": 69.1, "Perception": 60.7, "Reasoning": 42.4, "Interaction": 79.2}
    assert {name: pytest.approx(value, abs=0.0501) for name, value in published.items()} == found.domains
    assert found.overall == pytest.approx(60.6, abs=0.0501)
    assert found.sub_domains == QWEN_IMAGE
    *domains, overall = NO_IMAGE
    scores = {name: domains[place] for place, names in enumerate(terms.DOMAINS.values()) for name in names}
    assert terms.aggregates(scores).overall == pytest.approx(overall, abs=0.06), (
        "the mean of the ten and not of the four"
    )
    assert sum(domains) / 4 == pytest.approx(17.025)
    lacking = terms.aggregates({name: score for name, score in QWEN_IMAGE.items() if name != "Layout"})
    assert lacking.domains["Perception"] is lacking.overall is lacking.sub_domains["Layout"] is None
    assert lacking.domains["Reasoning"] is not None


def test_groups_of_scenes_have_their_published_sizes_and_another_scene_is_refused() -> None:
    assert terms.domain_of("Colour") is None
    sizes = {group: sum(terms.PUBLISHED[scene] for scene in scenes) for group, scenes in terms.GROUPS.items()}
    assert sizes == {"Nature": 350, "Human": 150, "Indoor": 200, "Outdoor": 400, "Design": 130}
    for name, hint in (("Forrest", "Forest?"), ("Moon", "the scenes: Forest, Mountain")):
        with pytest.raises(UsageError, match="there is no scene") as found:
            terms.group_of(name)
        assert found.value.hint.startswith(hint)
    assert Counter(map(terms.published_scene, range(1, 1231))) == terms.PUBLISHED
    edges = (0, 50, 51, 999, 1000, 1050, 1051, 1231)
    names = (None, "Forest", "Mountain", "Shopping Mall", "Library", "Library", "Cafe", None)
    assert tuple(map(terms.published_scene, edges)) == names


def test_baselines_guess_without_options_and_give_the_same_letters_in_every_version() -> None:
    bare = row_of("000001", "Zoo", "", [Question("Where?", {}, "A", "Position", "")])
    for name in NAMES:
        assert len(baseline(name, [bare])(bare)) == 1, name
    for name in ("constant", "constant:", "constant:F", "longer", ""):
        with pytest.raises(UsageError, match="there is no baseline") as found:
            baseline(name)
        assert "majority-per-type" in found.value.hint
    # Digests of the letters for all bundled questions, seed 3, and the letters of the first row.
    for name, letters, digest in (
        ("random", "DBBBCCADCE", "0d56477b7ba5"),
        ("majority-per-type", "DBDCACADAC", "f1b39943e6ff"),
        ("overlap", "DBBBCCADCC", "7da8f7bcffa6"),
        ("longest", "CABDBDBBDD", "2a5623d324e4"),
        ("most-like-others", "DBBCCDADCC", "52b4a6e5a711"),
    ):
        answers = ["".join(baseline(name, ROWS, 3)(row)) for row in ROWS]
        assert (answers[0], sha256("".join(answers).encode()).hexdigest()[:12]) == (letters, digest), name


def test_bundled_rows_pass_all_checks_and_no_baseline_is_much_better_than_chance_on_them() -> None:
    for name in NAMES:
        found = [accuracies(ROWS, baseline(name, ROWS, seed)) for seed in range(10)]
        by_type = {sub_domain: fmean(one[sub_domain] for one in found) for sub_domain in terms.SUB_DOMAINS}
        assert max(by_type.values()) <= 0.35 and fmean(by_type.values()) <= 0.27, (name, by_type)
    assert tuple(row.scene for row in ROWS) == terms.SCENES
    assert [row.id for row in ROWS] == [f"{number:06d}" for number in range(1, 26)]
    assert list(findings(ROWS)) == []
    assert FILE.read_text(encoding="utf-8") == "".join(f"{written(row)}\n" for row in ROWS)
    assert all(50 <= len(row.prompt.split()) <= 70 and terms.tokens(row.prompt) <= 75 for row in ROWS)


@needs_official_data
def test_a_judge_that_says_every_key_misses_two_questions_of_the_full_file() -> None:
    """Two keys are not among the options. Strict reads no answer there; official ignores options and counts them."""
    paths = [path for path in (OFFICIAL_DATA / FULL, OFFICIAL_DATA / "eval" / FULL) if path.is_file()]
    rows = list(rows_in(paths[0])) if paths else []
    if len(rows) != 1230:
        pytest.skip(f"TSGKIT_OFFICIAL_DATA has no {FULL} (nor eval/{FULL}) of 1,230 rows")
    assert [written(row) for row in rows] == paths[0].read_text(encoding="utf-8").splitlines()
    assert all(row.types == terms.SUB_DOMAINS and terms.published_scene(int(row.id)) == row.scene for row in rows)
    found = Counter(one.code for one in findings(rows))
    codes = ("missing-option", "key-without-option", "no-options", "no-refusal")
    assert tuple(found[code] for code in codes) == (210, 2, 0, 0)
    for protocol in ("published", "ours"):
        way, right = parse_protocol(protocol), Counter[str]()
        for sample in map(SpatialSample, rows):
            orders = orders_of(sample, way.base, 0)
            texts = ["\n".join(question.key for question in shown(sample, turn)) for turn in orders]
            one = said(sample.row, *texts, protocol=protocol)
            right.update({profile: int(scores["accuracy"].sum) for profile, scores in one.scores.items()})
        assert right == {"strict": 12_298, **({"official": 12_300} if protocol == "published" else {})}
