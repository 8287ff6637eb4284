"""End-to-end tests: folders of images, a loopback judge that receives their bytes, scores, and panels of samples."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import CommandLine
from drawn_images import animated, drawn, saved
from image_server import png
from model_server import Running
from shipped import TASKS
from spatial_judge import spatial_judge
from stored_samples import of_kind, panels, stored_samples

from tsgkit.errors import UsageError
from tsgkit.runs.evaluation import EvaluationOutcome, Options, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan, made
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.suites.spatialgen.rows import rows_in

ROWS = TASKS / "spatialgen" / "data" / "questions.jsonl"
IDS = [row.id for row in rows_in(ROWS)]
KEYS = {row.id: row.answers for row in rows_in(ROWS)}
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
    with spatial_judge(rows=str(ROWS), images=KNOWN) as server:
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
    return evaluate(Plan.model_validate(plan), Options(out=Path(out), cache=False), with_samples=True)


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
        row = next(row for row in rows_in(ROWS) if row.id == KNOWN[one["sha256"]])
        assert one["declared"] == one["holds"] == "image/png"
        assert all(text in one["text"] for text in row.texts) and row.prompt not in one["text"]
    calls = [json.loads(line) for line in Path("run", CALLS).read_text().splitlines()]
    assert {call["label"] for call in calls} == {*(f"round/{turn}" for turn in range(5)), "picture"}
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
    known: dict[str, Any] = {"rows": str(ROWS), "images": KNOWN}
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
    found = {sample["item_id"]: sample["evidence"]["picture_of"] for sample in finished.values[2]["samples"]}
    assert sorted(found.values()) == sorted(found) and not [one for one, other in found.items() if one == other]
    assert {KNOWN[one["sha256"]] for one in shown} == set(FOUR)


def test_stray_file_shifts_pairs_by_position_and_is_reported(judge: Running, tmp_path: Path) -> None:
    images(tmp_path / "pictures", IDS)
    folder = tmp_path / "pictures"
    (folder / f"{IDS[1]}_small.png").write_bytes((folder / f"{IDS[1]}.png").read_bytes())
    for own in ("paintings.jsonl", ".lock"):
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
            evaluate(made(plan, "options"), Options(out=Path("run")))
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
    other = replace(shown, judged=replace(shown.judged, evidence={**shown.judged.evidence, "picture_of": "000002"}))
    [value] = of_kind(panels(other), "boxes")
    assert "another item, 000002" in " ".join(value["notes"])
