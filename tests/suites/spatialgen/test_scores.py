"""Tests of the published reading, voting and scoring, with E1 to E5, of strict reading, and of stored replies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import published_grader
import pytest
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.errors import UsageError
from tsgkit.replies import Unreadable
from tsgkit.suites.foreign_replies import score
from tsgkit.suites.scoreboard import ScoreReport
from tsgkit.suites.spatialgen.official import REQUESTS, accepted, asked, paired, vote
from tsgkit.suites.spatialgen.replies import rounds_of_replies
from tsgkit.suites.spatialgen.rows import SUB_DOMAINS, ImageQuestion, SpatialRow, row_of, rows_in, written
from tsgkit.suites.spatialgen.scores import Ballot, accuracy, letters, single_round_accuracy

Captured = pytest.CaptureFixture[str]
OPTIONS = {"A": "up", "B": "down", "C": "left", "D": "right", "E": "None"}
KEYS = "ABCDABCDAB"
RIGHT = "\n".join(f"{letter}: because" for letter in KEYS)
WRONG = "\n".join("E" * 10)
QUESTIONS = [ImageQuestion("?", OPTIONS, "A")] * 10
BCA = (
    "b:down\nc:left\na:up",
    "- B: it stands below\n* C. it\n• A) the top",
    "1) **B**\n2) **C**\n3) **A**",
    "Q1: B\nQuestion 2 - C\nq3. A",
    "Here are my answers:\n\n1. B\n2. C\n3. A\n\nI hope this helps!",
    "Option B\nOption (C)\nThe answer is A.",
    "**Question 1**\nThe man stands.\nAnswer: B\n**Question 2**: C\n### 3\nOption A",
    "1. \\boxed{B}\n2. $C$\n3. `A`",
    "| Question | Answer | Why |\n|---|---|---|\n| 1 | B | it stands |\n| 2 | C | so |\n| 3 | A | up |",
    "1: B, 2: C, 3: A",
    '{"0": "B", "1": "C", "2": "A"}',
    '{"question_1": "B: down", "question_2": "(C)", "question_3": "Option A"}',
    '{"Answers": {"1": {"answer": "B", "confidence": 0.9}, "2": {"answer": "C"}, "3": {"letter": "a"}}}',
    '[{"question": 3, "answer": "A"}, {"question": 1, "answer": "B"}, {"question": "Q2", "answer": "C"}]',
    "<think>A\nA\nA</think>\nB\nC\nA",
)
B = ("7. B", "B because it is down", "A: up?\nNo.\nFinal answer: (B)", '{"answer": "B", "reason": "it is down"}')
NO_LETTER = (
    *("Based on the image, no", "E.g. a cup", "C-shaped", "", "{}", "A, B", "Answer: A\nNo.\nAnswer: B"),
    '{"answers": ' * 50 + '"B"' + "}" * 50,
    "[" * 100_000,
)
PIECES = (
    *"AbEF[]{}\"'\n",
    *("**C**", "(D)", "1. ", "2) ", "3: ", "Q2 ", "\n\n", ", ", " is ", "Answer: ", "Option ", "because"),
    *('"1": "B"', '"answer": "C"', "answers", "<think>", "</think>", "```", "| 1 | B |\n"),
)
ROWS = list(rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl"))
REFUSED = "\n".join("E" * 10)
Value = Mapping[str, Any]


def row(item: str = "000001", scene: str = "Forest") -> SpatialRow:
    questions = [ImageQuestion("?", OPTIONS, key, name) for key, name in zip(KEYS, SUB_DOMAINS, strict=True)]
    return row_of(item, scene, "Trees.", questions)


def test_official_asks_until_five_replies_of_ten_lines_or_25_requests() -> None:
    lines = RIGHT.split("\n")
    for kept in (lines, [*lines[:1], "", " ", *lines[1:], ""], [f"  {line}  " for line in lines]):
        assert accepted("\n".join(kept)) == tuple(KEYS), kept
    for rejected in (["My answers:", *lines], [*lines, "I hope this helps."], lines[:9], []):
        assert accepted("\n".join(rejected)) is None, rejected
    assert asked([RIGHT] * 9)[1:] == (5, 0)
    mixed = asked(["no", RIGHT, None, RIGHT, RIGHT, "no", RIGHT, RIGHT, RIGHT])
    assert (len(mixed.rounds), mixed.requests, mixed.rejected, mixed.dropped) == (5, 8, 3, False)
    never = asked(iter(["Here you go:\n" + RIGHT] * 40))
    assert (never.requests, never.rejected, never.dropped) == (REQUESTS, 25, True)


def test_a_key_needs_four_votes_of_five() -> None:
    for said, key, winners, right in (
        ("BBBBB", "B", ("B",), True),
        ("BBBBA", "B", ("B",), True),
        ("BBBAA", "B", ("B",), False),
        ("AABBC", "A", ("A", "B"), False),
        ("*****", "B", ("*",), False),
        ("", "B", (), False),
    ):
        assert vote(tuple(said), key) == (winners, right), said
    found = [said for said in ("BBBBB", "BBBB-", "BBBB", "BBBA-", "BBB", "", "AABBBBB") if ballot(said).right()]
    assert found == ["BBBBB", "BBBB-", "BBBB"], "a round without a letter, or a sixth, votes for nothing"
    ballots = [ballot("B" * rights + "A" * (5 - rights)) for rights in range(6)]
    assert accuracy(ballots) == pytest.approx(2 / 6)
    assert single_round_accuracy(ballots) == 0.5
    assert accuracy([]) is single_round_accuracy([]) is None


def ballot(said: str, key: str = "B") -> Ballot:
    return Ballot(key, tuple(None if letter == "-" else letter for letter in said))


def test_e3_official_pairs_files_by_position() -> None:
    rows = [row(f"{number:06d}") for number in (1, 2, 3)]
    files = ["000001.png", "000001_small.png", "000003.png"]
    published = paired(rows, files)
    assert [name for _, name in published.pairs] == files
    assert published.warning is None, "as many files as rows, so nothing is said"
    fewer = paired(rows[:2], ["000002.png"])
    assert [(one.id, name) for one, name in fewer.pairs] == [("000001", "000002.png")]
    assert fewer.warning == "1 images for 2 prompts"


def test_e5_the_first_character_is_the_published_answer() -> None:
    for line, published, ours in (
        ("**B**", "*", "B"),
        ("1. B", "1", "B"),
        ("(B)", "(", "B"),
        ("- B", "-", "B"),
        ("b: down", "b", "B"),
        ("Answer: B", "A", "B"),
        ("Based on the image it is up", "B", None),
        ("B: down", "B", "B"),
        ("  B", "B", "B"),
        ("\tb: down\r", "b", "B"),
        ("Option C", "O", "C"),
        ("F", "F", None),
    ):
        found = accepted("\n".join([line] * 10))
        (read,) = letters(line, row().questions[:1])
        assert found is not None
        assert (found[0], read if isinstance(read, str) else None) == (published, ours), line


def read(reply: str, questions: int = 3) -> list[str | None]:
    return [one if isinstance(one, str) else None for one in letters(reply, QUESTIONS[:questions])]


def test_letters_are_read_from_usual_forms_or_say_why_they_are_unreadable() -> None:
    for reply in BCA:
        assert read(reply) == ["B", "C", "A"], reply
    for reply in B:
        assert read(reply, 1) == ["B"], reply
    for reply in NO_LETTER:
        assert read(reply, 1) == [None], reply[:40]
    for reply in ("1. B\n3. A", '["B", null, "A"]', "1. B\n2. The ball is red\n3. A"):
        assert read(reply) == ["B", None, "A"], reply
    assert read("11. B\n12. C") == [None, None, None]
    assert read("1. B\n1. B\n2. A") == ["B", "A", None]
    three = QUESTIONS[:3]
    assert letters("B\nC", three) == (Unreadable("2 answers without numbers to 3 questions"),) * 3
    assert letters("B\nC\nA\nD", three) == (Unreadable("4 answers without numbers to 3 questions"),) * 3
    assert letters("I cannot tell.", three) == (Unreadable("no answer"),) * 3
    assert letters("1. B\n1. C\n2. A", three) == (Unreadable("two answers: B, C"), "A", Unreadable("no answer"))
    assert letters("F\nB\nE", three) == (Unreadable("F is none of the 5 options"), "B", "E")
    four = ImageQuestion("?", {"A": "up", "B": "down", "C": "left", "E": "None"}, "A")
    assert letters("D", [four]) == (Unreadable("D is none of the 4 options"),)
    assert letters("E: None", [four]) == ("E",)


def test_strange_replies_are_read_the_same_in_every_version() -> None:
    readings, random = sha256(), Random(7)
    for number in range(2_000):
        text = "".join(random.choices(PIECES, k=random.randrange(1, 14)))
        readings.update(repr(letters(text, QUESTIONS[: 1 + number % 4])).encode())
    assert readings.hexdigest()[:16] == "3d7098e423429b38", "see that the change is meant, and write it down"


def right(row: SpatialRow, count: int = 10) -> str:
    """Return ten lines. The first ``count`` give the key, the others refuse."""
    return "\n".join(f"{key}: seen" for key in (*row.answers[:count], *"E" * (10 - count)))


def result(row: SpatialRow, *replies: str) -> dict[str, Any]:
    """Return the published code's result row of five replies."""
    found = published_grader.result_row(row, replies)
    assert found is not None
    return found


GOOD = result(ROWS[0], *[right(ROWS[0])] * 5)


def scored(
    folder: Path,
    values: Sequence[Value | str],
    rows: Sequence[SpatialRow] = ROWS[:4],
    **more: Any,  # noqa: ANN401
) -> ScoreReport:
    (folder / "rows.jsonl").write_text("".join(f"{written(row)}\n" for row in rows))
    lines = (value if isinstance(value, str) else json.dumps(value) for value in values)
    (folder / "replies.jsonl").write_text("".join(f"{line}\n" for line in lines))
    return score("spatialgen/questions", str(folder / "rows.jsonl"), str(folder / "replies.jsonl"), **more)


def figure(report: ScoreReport, profile: str, metric: str = "accuracy") -> float | None:
    found = (report.board.profiles[profile] or {})[metric]
    return None if found is None else found.value


def outcomes(report: ScoreReport) -> list[str]:
    return [str(one.outcome) for one in report.judged]


def test_replies_of_every_item_are_scored_and_items_without_a_letter_end_as_their_replies_do(tmp_path: Path) -> None:
    report = scored(tmp_path, [{"item_id": row.id, "reply": [right(row, 7)] * 5} for row in ROWS[:4]])
    figures = [figure(report, profile) for profile in ("strict", "official")]
    assert [*figures, figure(report, "strict", "single_round")] == pytest.approx([0.7, 0.7, 0.7])
    assert (outcomes(report), report.notes) == (["answered"] * 4, ())
    rounds = [right(ROWS[0])] * 4 + [REFUSED], [right(ROWS[1])] * 3 + [REFUSED] * 2
    report = scored(tmp_path, [{"item_id": row.id, "reply": said} for row, said in zip(ROWS, rounds, strict=False)])
    for profile in ("strict", "official"):
        assert [one.scores[profile]["accuracy"].value for one in report.judged[:2]] == [1.0, 0.0], profile
    whole = [right(ROWS[0])] * 5
    rows: list[tuple[object, str, float | None]] = [
        *((reply, "empty", None) for reply in (None, [], ["", None])),
        ("I cannot see it.", "unreadable", None),
        (None, "refused", None),
        (["B"], "truncated", None),
        ([None] * 5, "api_error", None),
        # zero in strict whatever text came with it
        *((whole, outcome, 1.0) for outcome in ("truncated", "refused", "api_error")),
    ]
    for reply, outcome, published in rows:
        stated = {} if outcome in ("empty", "unreadable") else {"outcome": outcome}
        report = scored(tmp_path, [{"item_id": ROWS[0].id, "reply": reply, **stated}], ROWS[:1])
        found = outcomes(report), figure(report, "strict"), figure(report, "official")
        assert found == ([outcome], 0.0, published), (reply, outcome)
        assert report.judged[0].counts["skipped_official"] == (published is None), (reply, outcome)


def test_official_takes_the_first_five_replies_of_ten_lines_and_strict_the_first_five_rounds(tmp_path: Path) -> None:
    assert rounds_of_replies(["no"] * 40) == tuple(range(5)) * 5
    good = right(ROWS[0])
    assert rounds_of_replies([good] * 6) == tuple(range(5))
    item = f"({ROWS[0].id})"
    few = f"1 item with fewer than 5 replies {item}"
    for replies, figures, note in (
        (["My answers:\n" + good] * 5, (1.0, None), f"1 item without five replies of ten lines {item}: "),
        ([good] * 4, (1.0, None), few),
        ([good] * 3, (0.0, None), few),
        ([REFUSED] * 5 + [good] * 5, (0.0, 0.0), f"1 item with more replies than are asked for {item}: those"),
        (["I see.", good, None, *[good] * 4], (1.0, 1.0), ""),
    ):
        report = scored(tmp_path, [{"item_id": ROWS[0].id, "reply": replies}], ROWS[:1])
        assert (figure(report, "strict"), figure(report, "official")) == figures, replies
        assert report.notes[0].startswith(note) if note else report.notes == (), replies
    assert report.judged[0].evidence["official"] == {"requests": 7, "rejected": 2, "right": [True] * 10}
    assert report.board.counts["replies_rejected"] == 2


def test_e1_items_without_replies_are_wrong_in_strict_left_out_of_official_and_named(tmp_path: Path) -> None:
    report = scored(tmp_path, [{"item_id": ROWS[0].id, "reply": [right(ROWS[0])] * 5}])
    assert (figure(report, "strict"), figure(report, "official")) == (0.25, 1.0)
    assert (outcomes(report), report.board.counts["skipped_official"]) == (["answered", *["missing"] * 3], 3)
    named = f"({ROWS[1].id}, {ROWS[2].id}, {ROWS[3].id})"
    assert report.notes[0] == f"3 items without a reply {named}: wrong in strict"
    assert "(E1)" in report.notes[1] and named in report.notes[1]
    report = scored(tmp_path, [result(row, *[right(row)] * 5) for row in ROWS[:8]], ROWS[:15])
    assert [figure(report, profile) for profile in ("strict", "official")] == pytest.approx([8 / 15, 1.0])
    named = ", ".join(row.id for row in ROWS[8:13])
    assert report.notes == (
        f"7 items without a result row ({named} and 2 more): official leaves them out, as the published script does "
        "(E1); wrong in strict",
    )
    assert report.judged[-1].notes[0] == "there is no result row"


def test_e2_items_with_several_result_rows_count_twice_in_official_and_odd_rows_are_noted(tmp_path: Path) -> None:
    first, second = ROWS[:2]
    rows = [result(first, *[REFUSED] * 5), result(second, *[REFUSED] * 5), result(first, *[right(first)] * 5)]
    report, table = scored(tmp_path, rows, ROWS[:2]), published_grader.table(rows)
    assert (figure(report, "official"), figure(report, "strict")) == (table.overall, 0.5)
    assert table.overall == pytest.approx(0.333)
    assert report.board.n == 2
    assert report.notes == (
        f"1 item with several result rows ({first.id}): official counts every row (E2), strict the last one of an item",
    )
    assert report.judged[0].evidence["official"]["rows"] == 2
    report = scored(tmp_path, [GOOD | {"questions": ["Where?"] * 10}], ROWS[:1])
    named = f"1 item with other questions in their rows than in the data ({ROWS[0].id})"
    assert report.notes == (f"{named}: their letters may mean other options",)
    whole = json.dumps(GOOD)
    report = scored(tmp_path, [whole[:40], whole, whole[:-20]], ROWS[:2])
    assert (figure(report, "strict"), figure(report, "official")) == (0.5, 1.0)
    left_out = "is not JSON: left out, as the published script does"
    assert report.notes[-2:] == (f"line 1 {left_out}", f"line 3 {left_out}")
    stored = dict(GOOD)
    mended = replace(ROWS[0], answers=("A" if ROWS[0].answers[0] != "A" else "B", *ROWS[0].answers[1:]))
    report = scored(tmp_path, [stored], [mended])
    assert (figure(report, "strict"), figure(report, "official")) == (0.9, 1.0), "each takes the keys of its own file"
    assert "other answers in their rows than in the data" in report.notes[0]
    del stored["answers"], stored["questions"]
    assert figure(scored(tmp_path, [stored], [mended]), "official") == 0.9


BROKEN: list[tuple[list[Any], str]] = [
    ([{"item_id": "7", "reply": "A"}], "line 1: the data have no item 7"),
    ([{"item_id": ROWS[0].id, "reply": "A"}] * 2, f"line 2: a second reply to item {ROWS[0].id}"),
    ([{"item_id": ROWS[0].id, "reply": {"1": "A"}}], "line 1: not a reply: reply: expected a string, a list of str"),
    ([{"item_id": ROWS[0].id, "reply": ["A", 3]}], "line 1: not a reply: reply: .* found a number in the list"),
    (['{"item_id"'], "line 1: broken JSON"),
    ([GOOD, {**GOOD, "id": "7"}], "line 2: the data have no item 7"),
    ([GOOD, {"item_id": "1", "reply": "A"}], "line 2: not a result row: id: Field required"),
    ([GOOD, [1]], "line 2: not a result row but a list of 1"),
    ([GOOD | {"model_preds_cot": [["A"] * 10] * 4}], "model_preds_cot: expected 5 rounds, found 4"),
    ([GOOD | {"model_preds_cot": [["A"] * 10] * 4 + [["A"] * 9 + [" "]]}], r"round 4 does not have 10 lines"),
    ([GOOD | {"answers": ["A"]}], r"line 1: not a result row: answers: .* at least 10 items"),
]


def test_score_command_takes_result_rows_or_refuses_them(tmp_path: Path, capsys: Captured) -> None:
    for lines, message in BROKEN:
        with pytest.raises(UsageError, match=f"replies.jsonl: .*{message}"):
            scored(tmp_path, lines)
    with pytest.raises(UsageError, match="in the published protocol, not in cot"):
        scored(tmp_path, [], style="cot")
    with pytest.raises(UsageError, match="there is no group k"):
        scored(tmp_path, [], by=("k",))
    assert scored(tmp_path, [], style="published", by=("group",)).board.counts["missing"] == 4
    rows = [result(row, *[right(row)] * 5) for row in ROWS[1:]]
    (tmp_path / "results.jsonl").write_text("\n".join(map(json.dumps, rows)))
    data = ("--data", str(TASKS / "spatialgen" / "data" / "questions.jsonl"), "--by", "scene", "--json", "--samples")
    words = ("score", "--task", "spatialgen/questions", "--replies", str(tmp_path / "results.jsonl"))
    assert main([*words, *data]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["task"], found["n"]) == ("spatialgen/questions", len(ROWS))
    assert found["profiles"]["official"]["accuracy"]["value"] == 1.0
    assert found["profiles"]["strict"]["accuracy"]["value"] == pytest.approx(1 - 1 / len(ROWS))
    assert (found["samples"][0]["outcome"], next(iter(found["by"]["scene"]))) == ("missing", ROWS[0].scene)
    assert "(E1)" in found["notes"][0]
