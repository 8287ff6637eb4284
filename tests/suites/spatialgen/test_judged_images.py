"""End-to-end tests: folders of images, a loopback judge that receives their bytes, and the scores."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("PIL", reason="images are decoded by Pillow, the extra tsgkit[images]")

from drawn_images import animated, drawn, saved
from image_server import png
from model_server import Running
from shipped import TASKS
from spatial_judge import spatial_judge

from tsgkit.errors import UsageError
from tsgkit.runs.evaluation import EvaluationOutcome, Options, evaluate
from tsgkit.runs.folder import CALLS
from tsgkit.runs.plan import Plan, made
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.scoring.outcomes import COUNTS
from tsgkit.suites.spatialgen.rows import Question, rows_in, written

ROWS = TASKS / "spatialgen" / "data" / "questions.jsonl"
IDS = [row.id for row in rows_in(ROWS)]
KEYS = {row.id: row.answers for row in rows_in(ROWS)}
FOUR = tuple(IDS[:4])


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def images(folder: Path, ids: Sequence[str] = FOUR) -> dict[str, str]:
    """Write an image for each item. Return the item of each image by its SHA-256."""
    folder.mkdir()
    found = {}
    for item_id in ids:
        (folder / f"{item_id}.png").write_bytes(data := png(item_id))
        found[hashlib.sha256(data).hexdigest()] = item_id
    return found


def looked(server: Running, *, ids: Sequence[str] = FOUR, out: str = "run", **more: object) -> EvaluationOutcome:
    plan = Plan.model_validate(
        {
            "tasks": ("spatialgen/questions",),
            "images": ("mine=pictures",),
            "judge": "openai/eye",
            "ids": tuple(ids),
            "model_args": (f"api_base={server.base}", "api_key=sk-none"),
            **more,
        }
    )
    return evaluate(plan, Options(out=Path(out), cache=False), with_samples=True)


def value(finished: EvaluationOutcome, metric: str = "accuracy", profile: str = "strict") -> float | None:
    found = (finished.results[0].board.profiles[profile] or {}).get(metric)
    return None if found is None else found.value


def samples(finished: EvaluationOutcome) -> dict[str, dict[str, Any]]:
    return {sample["item_id"]: sample for sample in finished.values[0]["samples"]}


def calls(out: str = "run") -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(out, CALLS).read_text().splitlines()]


def test_judge_receives_the_right_image_five_times(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server)
        stats = server.stats()
    assert [value(finished), value(finished, profile="official"), value(finished, "single_round")] == [1.0, 1.0, 1.0]
    assert len(stats["looked"]) == 20 and stats["last"]["temperature"] == 1.0
    for one in stats["looked"]:
        item = known[one["sha256"]]
        row = next(row for row in rows_in(ROWS) if row.id == item)
        assert one["declared"] == one["holds"] == "image/png"
        assert all(text in one["text"] for text in row.texts) and row.prompt not in one["text"]
    assert {call["label"] for call in calls()} == {*(f"round/{turn}" for turn in range(5)), "picture"}
    assert samples(finished)[FOUR[0]]["answer"] == list(KEYS[FOUR[0]])


def test_wrong_image_under_an_id_is_judged_as_it_is(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    one, other = (tmp_path / "pictures" / f"{item_id}.png" for item_id in FOUR[:2])
    held = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(held)
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server)
    assert value(finished) == 0.5
    assert finished.results[0].board.counts["votes_none"] == 2 * 10 * 5


def test_invalid_images_have_counted_outcomes(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures", IDS[:9])
    folder = tmp_path / "pictures"
    odd: Mapping[str, bytes | None] = {
        IDS[1]: None,
        IDS[2]: b"",
        IDS[3]: png("cut")[:40],
        IDS[4]: b"<!doctype html>",
        IDS[5]: animated("PNG"),
        IDS[6]: saved(drawn("CMYK"), "JPEG"),
        IDS[7]: saved(drawn("I;16"), "PNG"),
        IDS[8]: saved(drawn(), "JPEG"),
    }
    for item_id, data in odd.items():
        (folder / f"{item_id}.png").unlink() if data is None else (folder / f"{item_id}.png").write_bytes(data)
    (folder / ".DS_Store").write_bytes(b"stray")
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server, ids=IDS[:9])
        media = {one["declared"] for one in server.stats()["looked"]}
    outcomes = {item_id: sample["outcome"] for item_id, sample in samples(finished).items()}
    expected = ["answered", "missing", *["unreadable"] * 3, *["answered"] * 4]
    assert list(outcomes.values()) == expected
    counts = finished.results[0].board.counts
    assert (counts["missing"], counts["unreadable"], counts["skipped_official"]) == (1, 3, 4)
    assert media == {"image/png", "image/jpeg"}
    notes = {item_id: " ".join(sample["notes"]) for item_id, sample in samples(finished).items()}
    assert "cannot be read" in notes[IDS[2]] and "there is no image" in notes[IDS[1]]
    assert all(notes[item_id] for item_id in IDS[5:9])
    assert value(finished) == pytest.approx(1 / 9)
    assert value(finished, profile="official") == pytest.approx(0.2)


def test_replies_that_the_published_code_rejects_are_drawn_again_and_strict_reads_the_first(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known, forms=["heading"] * 7 + ["plain"]) as server:
        finished = looked(server, ids=FOUR[:1])
        assert server.stats()["seen"] == 12
    [sample] = samples(finished).values()
    assert sample["evidence"]["official"] == {"requests": 12, "rejected": 7, "right": [True] * 10}
    assert (value(finished), value(finished, profile="official")) == (1.0, 1.0)
    assert finished.results[0].board.counts["replies_rejected"] == 7


@pytest.mark.parametrize(
    ("form", "requests", "strict", "official", "dropped"),
    [("bold", 5, 1.0, 0.0, 0), ("heading", 25, 1.0, None, 1), ("nine", 25, 0.0, None, 1), ("prose", 25, 0.0, None, 1)],
)
def test_form_of_replies_affects_only_official(
    form: str, requests: int, strict: float, official: float | None, dropped: int, tmp_path: Path
) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known, forms=[form]) as server:
        finished = looked(server, ids=FOUR[:1])
        assert server.stats()["seen"] == requests
    assert (value(finished), value(finished, profile="official")) == (strict, official)
    assert finished.results[0].board.counts["skipped_official"] == dropped


@pytest.mark.parametrize("protocol", ["ours", "ours-apart"])
def test_own_protocols_shuffle_options_and_undo_it_before_voting(protocol: str, tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server, protocols=(protocol,))
        stats = server.stats()
    assert value(finished) == 1.0 and finished.results[0].board.profiles["official"] is None
    assert stats["seen"] == stats["schemas"] == (20 if protocol == "ours" else 200)
    assert stats["distinct"] > 150 or protocol == "ours"  # of 24 orders, some come twice in five rounds
    orders = samples(finished)[FOUR[0]]["evidence"]["orders"]
    assert len({tuple(turn) for turn in orders}) == 5 and sorted(orders[0][0]) == list("ABCD")


def test_a_judge_that_always_says_one_letter_gets_chance_where_options_are_shuffled(tmp_path: Path) -> None:
    images(tmp_path / "pictures", IDS)
    with spatial_judge(mode="constant:C") as server:
        shuffled = looked(server, ids=IDS, protocols=("ours",))
        fixed = looked(server, ids=IDS, out="fixed")
    keys = [key for answers in KEYS.values() for key in answers]
    assert value(fixed) == pytest.approx(keys.count("C") / len(keys))
    assert 0.2 < (value(shuffled, "single_round") or 0) < 0.3
    assert (value(shuffled) or 0) < 0.05


def keyed_c(question: Question) -> Question:
    """Return the question with its right option at C."""
    swapped = {question.key: question.options["C"], "C": question.options[question.key]}
    return replace(question, options={**question.options, **swapped}, key="C")


def test_skewed_keys_do_not_help_a_constant_judge(tmp_path: Path) -> None:
    rows = rows_in(ROWS)
    turned = []
    for row in rows:
        value_ = json.loads(written(row))
        for number, question in enumerate(row.questions):
            options = dict(question.options)
            options[question.key], options["C"] = options["C"], options[question.key]
            value_["questions"][number] = f"{question.stem}  Options: " + ", ".join(
                f"{k}: {v}" for k, v in options.items()
            )
            value_["answers"][number] = "C"
        turned.append(json.dumps(value_))
    (tmp_path / "skewed.jsonl").write_text("\n".join(turned))
    images(tmp_path / "pictures", IDS)
    with spatial_judge(mode="constant:C") as server:
        fixed = looked(server, ids=IDS, data="skewed.jsonl")
        shuffled = looked(server, ids=IDS, data="skewed.jsonl", protocols=("ours",), out="shuffled")
    assert value(fixed) == 1.0
    assert 0.2 < (value(shuffled, "single_round") or 0) < 0.3


@pytest.mark.parametrize("status", [400, 422])
def test_a_judge_that_takes_no_schema_is_asked_without_one(status: int, tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known, refuses_schemas=status) as server:
        finished = looked(server, protocols=("ours",))
    assert value(finished) == 1.0 and finished.exit_code == 0
    rescored = Rescoring(Path("run")).carry_out()
    before, after = rescored.before, rescored.after
    assert before[0].board == after[0].board


def test_controls_withhold_the_image(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server, protocols=("published", "published-blind", "ours-shuffled"))
        shown = [one for one in server.stats()["looked"] if "numbered" in one["text"]]
    plain, blind, shuffled = (result.board for result in finished.results)
    assert [(board.profiles["strict"] or {})["accuracy"].value for board in (plain, blind, shuffled)] == [1.0, 0.0, 0.0]  # type: ignore[union-attr]
    assert blind.counts["votes_none"] == shuffled.counts["votes_none"] == 200
    assert blind.profiles["official"] is not None and shuffled.profiles["official"] is None
    found = {sample["item_id"]: sample["evidence"]["picture_of"] for sample in finished.values[2]["samples"]}
    assert sorted(found.values()) == sorted(found) and not [one for one, other in found.items() if one == other]
    assert {known[one["sha256"]] for one in shown} == set(FOUR)


FAULTS = {"429": 0.15, "500": 0.1, "cut": 0.05, "nochoices": 0.05, "empty": 0.03, "refusal": 0.02}


@pytest.mark.slow
@pytest.mark.parametrize("protocol", ["published", "ours"])
def test_failing_service_changes_no_results(protocol: str, tmp_path: Path) -> None:
    known = images(tmp_path / "pictures", IDS[:8])
    faulty = {"faults": FAULTS, "retry_after": "0"}
    with spatial_judge(rows=str(ROWS), images=known, **faulty) as server:
        finished = looked(server, ids=IDS[:8], protocols=(protocol,))
    board = finished.results[0].board
    assert set(COUNTS) <= set(board.counts) and board.counts["items"] == 8
    assert value(finished) == 1.0 and board.counts["answered"] == 8


def test_resumed_run_repeats_only_the_failed_image(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    stem = next(row for row in rows_in(ROWS) if row.id == FOUR[1]).questions[2].stem
    with spatial_judge(rows=str(ROWS), images=known, always={stem: "400"}) as server:
        first = looked(server)
    assert first.exit_code == 1 and first.results[0].board.counts["api_error"] == 1 and value(first) == 0.75
    port = int(server.base.rsplit(":", 1)[1].removesuffix("/v1"))
    with spatial_judge(rows=str(ROWS), images=known, port=port) as server:
        again = looked(server)
        assert server.stats()["seen"] == 5
    assert again.exit_code == 0 and value(again) == value(again, profile="official") == 1.0


def test_run_is_rescored_from_transcripts(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures")
    with spatial_judge(rows=str(ROWS), images=known, forms=["nine", "plain"]) as server:
        looked(server, protocols=("published", "ours", "ours-apart", "ours-blind"))
    shutil.rmtree("pictures")
    rescored = Rescoring(Path("run")).carry_out()
    before, after = rescored.before, rescored.after
    assert [one.board for one in before] == [one.board for one in after]


def test_stray_file_shifts_pairs_by_position_and_is_reported(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures", IDS)
    folder = tmp_path / "pictures"
    (folder / f"{IDS[1]}_small.png").write_bytes((folder / f"{IDS[1]}.png").read_bytes())
    for own in ("paintings.jsonl", ".lock"):
        (folder / own).write_text("")
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server, ids=(), first=4, pairing="position")
        by_id = looked(server, ids=(), first=4, out="by-id")
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
    rescored = Rescoring(Path("run")).carry_out()
    before, after = rescored.before, rescored.after
    assert [one.board for one in before] == [one.board for one in after] == [board]


def test_items_after_the_last_file_have_no_image_by_position(tmp_path: Path) -> None:
    known = images(tmp_path / "pictures", FOUR[:2])
    (tmp_path / "pictures" / ".DS_Store").write_bytes(b"stray")
    (tmp_path / "pictures" / "1 thumbnails").mkdir()
    with spatial_judge(rows=str(ROWS), images=known) as server:
        finished = looked(server, ids=(), first=5, pairing="position", protocols=("published", "ours-shuffled"))
    outcomes = [sample["outcome"] for sample in samples(finished).values()]
    assert outcomes == ["unreadable", "answered", "answered", "unreadable", "missing"]
    assert value(finished) == 0.0


def test_pairing_by_position_is_only_for_folders_of_images_of_this_suite(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    folder = {"images": ("mine=pictures",), "judge": "openai/eye", "pairing": "position"}
    for plan, message in (
        ({"tasks": ("tsg/sgqa",), "models": ("baseline/rules",), "pairing": "position"}, "only applies with --images"),
        ({"tasks": ("formalimg/knolling",), **folder}, "formalimg/knolling pairs images with items by id"),
        ({"tasks": ("spatialgen/questions",), **folder}, "pictures: the folder is empty"),
        ({"tasks": ("spatialgen",), **folder, "pairing": "order"}, "pairing: Input should be 'id' or 'position'"),
    ):
        with pytest.raises(UsageError, match=message):
            evaluate(made(plan, "options"), Options(out=Path("run")))


def test_script_gives_a_reply_for_each_round(tmp_path: Path) -> None:
    images(tmp_path / "pictures")
    replies = ["\n".join(KEYS[FOUR[0]]), "\n".join("ABCDEABCDE")]
    rounds = [replies[0], replies[1], *[replies[0]] * 3]
    Path("script.jsonl").write_text(json.dumps({"item_id": FOUR[0], "reply": rounds}))
    plan = Plan(tasks=("spatialgen/questions",), images=("mine=pictures",), judge="script:script.jsonl", ids=FOUR[:1])
    finished = evaluate(plan, Options(out=Path("run")), with_samples=True)
    said = samples(finished)[FOUR[0]]["evidence"]["rounds"]
    assert said == ["".join(KEYS[FOUR[0]]), "ABCDEABCDE", *["".join(KEYS[FOUR[0]])] * 3]
    assert value(finished) == value(finished, profile="official") == 1.0


def test_misnamed_images_are_refused_before_any_call(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "1.png").write_bytes(png("1"))
    plan = Plan(tasks=("spatialgen/questions",), images=("mine=pictures",), judge="openai/eye")
    with pytest.raises(UsageError, match="no image in this folder is named after an item") as error:
        evaluate(plan, Options(out=Path("run")))
    assert error.value.hint == "the image of an item is named 000001.png, not 1.png"


def test_models_without_images_are_refused(tmp_path: Path) -> None:
    images(tmp_path / "pictures")
    plan = Plan(tasks=("spatialgen/questions",), images=("mine=pictures",))
    with pytest.raises(UsageError, match="a model must judge the images"):
        evaluate(plan, Options(out=Path("run")))
    with pytest.raises(UsageError, match="this task judges images"):
        evaluate(Plan(tasks=("spatialgen/questions",), models=("openai/x",)), Options(out=Path("run")))
