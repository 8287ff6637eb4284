"""The task: its card, terms, protocols, scores and baselines; and folders of images before a judge on loopback."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from statistics import fmean
from typing import Any

import published_grader
import pytest
from command_line import CommandLine
from drawn_images import animated, drawn, saved
from image_server import png
from model_server import Running
from shipped import OFFICIAL_DATA, TASKS, needs_official_data
from spatial_judge import spatial_judge
from stored_samples import of_kind, panels, stored_samples

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.reply import Ending, Reply
from tsgkit.runs.evaluation import EvaluationOutcome, RunOptions, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan, made
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.suites.judgement import Judged
from tsgkit.suites.judges.images import NOT_SHOWN, ShownImage
from tsgkit.suites.solvers.ways import baseline_of
from tsgkit.suites.spatialgen.baselines import NAMES, baseline, baseline_subject
from tsgkit.suites.spatialgen.defects import findings
from tsgkit.suites.spatialgen.judge_requests import (
    PROTOCOLS,
    QuestionPrompts,
    orders_of,
    parse_protocol,
    schema_of,
    shown,
)
from tsgkit.suites.spatialgen.rows import (
    DOMAINS,
    SCENES,
    SUB_DOMAINS,
    ImageQuestion,
    SpatialRow,
    question_from,
    row_of,
    rows_in,
    tokens,
    written,
)
from tsgkit.suites.spatialgen.scores import METRICS, judged, label_of
from tsgkit.suites.suite import task_of, tasks_of_rows
from tsgkit.suites.transcript import LabelledReply, Transcript

FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))
CARD = load_card("spatialgen/questions")
TASK = task_of(CARD)
QWEN_IMAGE = dict(zip(SUB_DOMAINS, (61.0, 77.2, 55.6, 56.7, 69.7, 28.6, 67.7, 30.8, 78.1, 80.2), strict=True))
"""The published figures of one image model by sub-domain."""
NO_IMAGE = (7.3, 19.2, 13.5, 28.1, 16.9)
FULL = "SpatialGenEval_T2I_Prompts.jsonl"


def said(row: SpatialRow, *texts: str | None, protocol: str = "published") -> Judged:
    """Return the judgement of replies in rounds 0 to 4, then from 0 again as retries."""
    way = parse_protocol(protocol)
    calls = [
        LabelledReply(label_of(number % 5), Reply(text, Ending.COMPLETE if text else Ending.API_ERROR))
        for number, text in enumerate(texts)
    ]
    sight = ShownImage(NOT_SHOWN, orders=orders_of(row, way.base, 0))
    return judged(row, Transcript((*calls, sight.said)), way)


def test_the_card_declares_what_the_suite_measures_and_rows_that_cannot_be_scored_are_refused(tmp_path: Path) -> None:
    assert {name: metric.headline for name, metric in CARD.metrics.items()} == {
        name: metric.is_headline for name, metric in METRICS.items()
    }
    assert (CARD.subject, CARD.temperature) == ("baseline/random", 1.0)
    assert tasks_of_rows(FILE) == ("spatialgen/questions",)
    questions = ROWS[0].questions
    changed: dict[str, list[SpatialRow]] = {
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
        found = published_grader.result_row(row, texts)
        results += [found] if found is not None else []
    table = published_grader.table(results)
    board = TASK.board(tally, baseline_of(TASK, "baseline/longest", 0, TASK.dataset(None)), 0)
    values = board.profiles["official"]
    assert values is not None and table.n == 6
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
        assert len({one.reply.text for one in subject.answer(row).said[:5]}) == different, name
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
    def mean(metric: str, figures: Mapping[str, float]) -> float:
        return fmean(figures[name] for name in METRICS[metric].made_of)

    qwen = {name.lower(): figure for name, figure in QWEN_IMAGE.items()}
    published = {"foundation": 69.1, "perception": 60.7, "reasoning": 42.4, "interaction": 79.2, "accuracy": 60.6}
    for metric, figure in published.items():
        assert mean(metric, qwen) == pytest.approx(figure, abs=0.0501), metric
    *domains, overall = NO_IMAGE
    scores = {name.lower(): domains[place] for place, names in enumerate(DOMAINS.values()) for name in names}
    assert mean("accuracy", scores) == pytest.approx(overall, abs=0.06), "the mean of the ten and not of the four"
    assert sum(domains) / 4 == pytest.approx(17.025)


def test_baselines_guess_without_options_and_give_the_same_letters_in_every_version() -> None:
    bare = row_of("000001", "Zoo", "", [ImageQuestion("Where?", {}, "A", "Position", "")])
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
        answers = [(baseline(name, ROWS, seed)(row), row.answers) for seed in range(10) for row in ROWS]
        by_type = [fmean(said[place] == keys[place] for said, keys in answers) for place in range(10)]
        assert max(by_type) <= 0.35 and fmean(by_type) <= 0.27, (name, by_type)
    assert tuple(row.scene for row in ROWS) == SCENES
    assert [row.id for row in ROWS] == [f"{number:06d}" for number in range(1, 26)]
    assert list(findings(ROWS)) == []
    assert FILE.read_text(encoding="utf-8") == "".join(f"{written(row)}\n" for row in ROWS)
    assert all(50 <= len(row.prompt.split()) <= 70 and tokens(row.prompt) <= 75 for row in ROWS)


@needs_official_data
def test_a_judge_that_says_every_key_misses_two_questions_of_the_full_file() -> None:
    """Two keys are not among the options. Strict reads no answer there; official ignores options and counts them."""
    paths = [path for path in (OFFICIAL_DATA / FULL, OFFICIAL_DATA / "eval" / FULL) if path.is_file()]
    rows = list(rows_in(paths[0])) if paths else []
    if len(rows) != 1230:
        pytest.skip(f"TSGKIT_OFFICIAL_DATA has no {FULL} (nor eval/{FULL}) of 1,230 rows")
    assert [written(row) for row in rows] == paths[0].read_text(encoding="utf-8").splitlines()
    assert all(row.types == SUB_DOMAINS for row in rows)
    assert tuple(dict.fromkeys(row.scene for row in rows)) == SCENES
    found = Counter(one.code for one in findings(rows))
    codes = ("missing-option", "key-without-option", "no-options", "no-refusal")
    assert tuple(found[code] for code in codes) == (210, 2, 0, 0)
    for protocol in ("published", "ours"):
        way, right = parse_protocol(protocol), Counter[str]()
        for sample in rows:
            orders = orders_of(sample, way.base, 0)
            texts = ["\n".join(question.key for question in shown(sample, turn)) for turn in orders]
            one = said(sample, *texts, protocol=protocol)
            right.update({profile: int(scores["accuracy"].sum) for profile, scores in one.scores.items()})
        assert right == {"strict": 12_298, **({"official": 12_300} if protocol == "published" else {})}


IDS = [row.id for row in ROWS]
KEYS = {row.id: row.answers for row in ROWS}
FOUR = tuple(IDS[:4])
JUDGED = {"tasks": ("spatialgen/questions",), "images": ("mine=pictures",), "judge": "openai/eye"}
KNOWN = {hashlib.sha256(png(item_id)).hexdigest(): item_id for item_id in IDS}
"""The item of each image by its SHA-256."""


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def judge() -> Iterator[Running]:
    """Serve a judge that sees what the image of every item shows."""
    with spatial_judge(rows=str(FILE), images=KNOWN) as server:
        yield server


def asked(server: Running, before: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the server was asked since the figures of ``before`` were taken."""
    stats = server.stats()
    counts = {name: stats[name] - before[name] for name in ("seen", "schemas", "distinct")}
    return {**counts, "looked": stats["looked"][len(before["looked"]) :], "last": stats["last"]}


def images(folder: Path, ids: Sequence[str] = FOUR) -> None:
    """Write an image for each item."""
    folder.mkdir()
    for item_id in ids:
        (folder / f"{item_id}.png").write_bytes(png(item_id))


def looked(server: Running, *, ids: Sequence[str] = FOUR, out: str = "run", **more: object) -> EvaluationOutcome:
    plan = {**JUDGED, "ids": ids, "model_args": (f"api_base={server.base}", "api_key=sk-none"), **more}
    return evaluate(Plan.model_validate(plan), RunOptions(out=Path(out), cache=False), with_samples=True)


def value(finished: EvaluationOutcome, metric: str = "accuracy", profile: str = "strict") -> float | None:
    found = (finished.results[0].board.profiles[profile] or {}).get(metric)
    return None if found is None else found.value


def samples(finished: EvaluationOutcome) -> dict[str, dict[str, Any]]:
    return {sample["item_id"]: sample for sample in finished.values[0]["samples"]}


def rescored() -> bool:
    """Return whether scoring the run again gives the same boards."""
    done = Rescoring(Path("run")).carry_out()
    return [one.board for one in done.before] == [one.board for one in done.after]


def test_judge_receives_the_right_image_five_times(judge: Running, tmp_path: Path) -> None:
    images(tmp_path / "pictures")
    before = judge.stats()
    finished = looked(judge)
    stats = asked(judge, before)
    assert [value(finished), value(finished, profile="official"), value(finished, "single_round")] == [1.0, 1.0, 1.0]
    assert len(stats["looked"]) == 20 and stats["last"]["temperature"] == 1.0
    for one in stats["looked"]:
        row = next(row for row in ROWS if row.id == KNOWN[one["sha256"]])
        assert one["declared"] == one["holds"] == "image/png"
        assert all(text in one["text"] for text in row.texts) and row.prompt not in one["text"]
    calls = [json.loads(line) for line in Path("run", CALLS).read_text().splitlines()]
    assert {call["label"] for call in calls} == {*(f"round/{turn}" for turn in range(5)), "image"}
    assert samples(finished)[FOUR[0]]["answer"] == list(KEYS[FOUR[0]])


def test_a_dry_run_knows_calls_and_images_before_and_usage_after_ten_samples(
    judge: Running, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tsgkit = CommandLine(capsys)
    images(tmp_path / "pictures", IDS[:13])
    shutil.copy(tmp_path / "pictures" / f"{IDS[12]}.png", tmp_path / "pictures" / f"{IDS[12]}.jpg")
    words = "eval --task spatialgen --images mine=pictures --judge openai/gpt-4o --price 1,10 --out run --no-cache"
    words += f" --model-arg api_base={judge.base} --model-arg api_key=sk-none"
    [before] = tsgkit(words, "--dry-run", "--json").json["estimates"]
    assert [before[name] for name in ("requests", "worst", "unasked")] == [60, 5, len(IDS) - 12], "one has two files"
    tsgkit(words)
    [after] = tsgkit(words, "--dry-run", "--json").json["estimates"]
    assert (after["measured"], after["requests"], after["completion"]) == (12, 60, [600.0, 600.0])
    assert "from 12 samples that are answered" in tsgkit(words, "--dry-run").out


def test_invalid_images_have_counted_outcomes(judge: Running, tmp_path: Path) -> None:
    images(tmp_path / "pictures", IDS[:5])
    (tmp_path / "pictures" / f"{IDS[1]}.png").unlink()
    for item_id, data in ((IDS[2], b""), (IDS[3], animated("PNG")), (IDS[4], saved(drawn(), "JPEG"))):
        (tmp_path / "pictures" / f"{item_id}.png").write_bytes(data)
    (tmp_path / "pictures" / ".DS_Store").write_bytes(b"stray")
    before = judge.stats()
    finished = looked(judge, ids=IDS[:5])
    assert {one["declared"] for one in asked(judge, before)["looked"]} == {"image/png", "image/jpeg"}
    outcomes = [sample["outcome"] for sample in samples(finished).values()]
    assert outcomes == ["answered", "missing", "unreadable", "answered", "answered"]
    counts = finished.results[0].board.counts
    assert (counts["missing"], counts["unreadable"], counts["skipped_official"]) == (1, 1, 2)
    notes = [" ".join(sample["notes"]) for sample in samples(finished).values()]
    assert "there is no image" in notes[1] and "cannot be read" in notes[2] and notes[3] and notes[4]
    assert (value(finished), value(finished, profile="official")) == (0.2, 0.333), "the published code rounds"


def test_replies_that_the_published_code_rejects_are_drawn_again_and_strict_reads_the_first(tmp_path: Path) -> None:
    images(tmp_path / "pictures")
    known: dict[str, Any] = {"rows": str(FILE), "images": KNOWN}
    with spatial_judge(**known, forms=["heading"] * 9 + ["plain"], first=[429, 500], retry_after="0") as server:
        finished = looked(server, ids=FOUR[:1])
        assert server.stats()["seen"] == 12 + 2, "what failed is asked for again"
    [sample] = samples(finished).values()
    assert sample["evidence"]["official"] == {"requests": 12, "rejected": 7, "right": [True] * 10}
    assert (value(finished), value(finished, profile="official")) == (1.0, 1.0)
    assert finished.results[0].board.counts["replies_rejected"] == 7
    with spatial_judge(**known, forms=["nine"]) as server:
        finished = looked(server, ids=FOUR[:1], out="nine")
        assert server.stats()["seen"] == 25
    assert (value(finished), value(finished, profile="official")) == (0.0, None)
    assert finished.results[0].board.counts["skipped_official"] == 1
    shutil.rmtree("pictures")
    assert rescored()


def test_own_protocols_shuffle_options_and_controls_withhold_the_image(judge: Running, tmp_path: Path) -> None:
    images(tmp_path / "pictures")
    for protocol, requests in (("ours", 20), ("ours-apart", 200)):
        before = judge.stats()
        finished = looked(judge, protocols=(protocol,), out=protocol)
        stats = asked(judge, before)
        assert value(finished) == 1.0 and finished.results[0].board.profiles["official"] is None
        assert stats["seen"] == stats["schemas"] == requests
        assert stats["distinct"] > 0.75 * requests, "of 24 orders, some come twice in five rounds"
        orders = samples(finished)[FOUR[0]]["evidence"]["orders"]
        assert len({tuple(turn) for turn in orders}) == 5 and sorted(orders[0][0]) == list("ABCD")
    before = judge.stats()
    finished = looked(judge, protocols=("published", "published-blind", "ours-shuffled"))
    shown = [one for one in asked(judge, before)["looked"] if "numbered" in one["text"]]
    plain, blind, shuffled = (result.board for result in finished.results)
    assert [(board.profiles["strict"] or {})["accuracy"].value for board in (plain, blind, shuffled)] == [1.0, 0.0, 0.0]  # type: ignore[union-attr]
    assert blind.counts["votes_none"] == shuffled.counts["votes_none"] == 200
    assert blind.profiles["official"] is not None and shuffled.profiles["official"] is None
    found = {sample["item_id"]: sample["evidence"]["image_of"] for sample in finished.values[2]["samples"]}
    assert sorted(found.values()) == sorted(found) and not [one for one, other in found.items() if one == other]
    assert {KNOWN[one["sha256"]] for one in shown} == set(FOUR)


def test_stray_file_shifts_pairs_by_position_and_is_reported(judge: Running, tmp_path: Path) -> None:
    images(tmp_path / "pictures", IDS)
    folder = tmp_path / "pictures"
    (folder / f"{IDS[1]}_small.png").write_bytes((folder / f"{IDS[1]}.png").read_bytes())
    for own in ("calls.jsonl", ".lock"):
        (folder / own).write_text("")
    finished = looked(judge, ids=(), first=4, pairing="position")
    by_id = looked(judge, ids=(), first=4, out="by-id")
    assert (value(finished), value(by_id)) == (0.5, 1.0)
    found = samples(finished)
    assert found[FOUR[2]]["evidence"]["file"] == f"{IDS[1]}_small.png"
    assert "file" not in found[FOUR[1]]["evidence"]
    board = finished.results[0].board
    assert board.counts["shown_by_position"] == 2
    assert board.reasons["pairing"].endswith("shown a file not named after them: 2 of 4")
    assert [notice.removeprefix("spatialgen/questions: pictures: ") for notice in finished.notices] == [
        "files are paired with items by sorted position, as published (E3), not by id",
        "26 images for 25 prompts",
        f"23 of 25 items get a file that is not named after them, first {IDS[2]}: {IDS[1]}_small.png",
    ]
    assert by_id.notices == ()
    assert finished.header["plan"]["pairing"] == "position"
    assert finished.header["identity"] != by_id.header["identity"]
    assert by_id.results[0].board.counts["shown_by_position"] == 0
    assert rescored()


def test_images_and_models_that_cannot_be_judged_are_refused_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    folder, position = JUDGED, {**JUDGED, "pairing": "position"}
    rules = {"tasks": ("tsg/sgqa",), "models": ("baseline/rules",), "pairing": "position"}
    rows: list[tuple[dict[str, Any], str]] = [
        (rules, "only applies with --images"),
        ({**position, "tasks": ("formalimg/knolling",)}, "formalimg/knolling pairs images with items by id"),
        (position, "pictures: the folder is empty"),
        ({**folder, "pairing": "order"}, "pairing: Input should be 'id' or 'position'"),
        (folder, "no image in this folder is named after an item"),
        ({**folder, "judge": None}, "a model must judge the images"),
        ({"tasks": ("spatialgen/questions",), "models": ("openai/x",)}, "this task judges images"),
    ]
    for plan, message in rows:
        if plan is folder:
            (tmp_path / "pictures" / "1.png").write_bytes(png("1"))
        with pytest.raises(UsageError, match=message) as error:
            evaluate(made(plan, "options"), RunOptions(out=Path("run")))
        if plan is folder:
            assert error.value.hint == "the image of an item is named 000001.png, not 1.png"
            (tmp_path / "pictures" / "1.png").rename(tmp_path / "pictures" / "000001.png")


def test_a_question_has_its_options_key_rounds_and_reason_unless_it_was_not_asked() -> None:
    found = [panels(one) for one in stored_samples("spatialgen", "judged")]
    assert all((image.kind, len(questions.value["rows"])) == ("boxes", 10) for image, questions in found)
    assert any(image.images for image, _ in found)
    shown = next(stored_samples("spatialgen", "judged"))
    [value] = of_kind(panels(shown), "questions")
    for number, row in enumerate(value["rows"]):
        question = shown.sample.questions[number]
        assert (row["number"], row["key"], dict(row["options"])) == (number + 1, question.key, question.options)
        assert len(row["rounds"]) == 5
        assert row["right"] is (row["rounds"].count(question.key) >= 4)
        assert f"{row['rounds'].count(question.key)} of 5" in row["why"]
    lost = replace(shown, judged=replace(shown.judged, evidence=None, answer=None), transcript=None)
    [value] = of_kind(panels(lost), "questions")
    assert {(row["right"], row["answer"], row["why"]) for row in value["rows"]} == {(None, None, "")}
    assert [panel.kind for panel in panels(replace(shown, folder=None))] == ["questions"]
    other = replace(shown, judged=replace(shown.judged, evidence={**shown.judged.evidence, "image_of": "000002"}))
    [value] = of_kind(panels(other), "boxes")
    assert "another item, 000002" in " ".join(value["notes"])
