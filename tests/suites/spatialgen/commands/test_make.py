"""Tests of the commands ``tsgkit make spatialgen`` and ``tsgkit make spatialt2i``."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from image_server import png
from shipped import TASKS

from tsgkit.cli import main
from tsgkit.suites.spatialgen.rows import Row, rows_in, written

Captured = pytest.CaptureFixture[str]
FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Use a project whose own data are one row, so that other rows are new."""
    for room in ("tasks/spatialgen/data", "prompts", "eval"):
        (tmp_path / room).mkdir(parents=True)
    card = (TASKS / "spatialgen" / "questions.yaml").read_text()
    (tmp_path / "tasks/spatialgen/questions.yaml").write_text(card)
    (tmp_path / "tasks/spatialgen/data/questions.jsonl").write_text(written(ROWS[0]) + "\n")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def script(*rows: Row) -> None:
    lines = []
    for row in rows:
        questions = [
            {
                "kind": q.sub_domain,
                "question": q.stem,
                "right": q.options[q.key],
                "wrong": [q.options[letter] for letter in q.choices if letter != q.key],
            }
            for q in row.questions
        ]
        lines.append({"item_id": row.scene, "reply": [json.dumps({"prompts": [row.prompt]})]})
        lines.append({"item_id": f"{row.scene}/0", "reply": [json.dumps({"questions": questions})]})
    Path("script.jsonl").write_text("\n".join(map(json.dumps, lines)))


def make(*words: str, out: str = "mine.jsonl") -> int:
    return main(["make", "spatialgen", "--model", "script:script.jsonl", "-o", out, "--quiet", *words])


def test_rows_are_written_the_same_command_resumes_and_similar_texts_and_invalid_options_are_refused(
    capsys: Captured,
) -> None:
    script(*ROWS[1:5])
    scenes = [word for row in ROWS[1:5] for word in ("--scene", row.scene)]
    assert make(*scenes) == 0
    said = capsys.readouterr()
    assert "4 rows of 4 scenes; keys: A 10, B 10, C 10, D 10" in said.out and "dropped: 0 texts" in said.out
    assert [row.prompt for row in rows_in(Path("mine.jsonl"))] == [row.prompt for row in ROWS[1:5]]
    calls = Path("mine.jsonl.calls/calls.jsonl").read_bytes()
    assert make(*scenes, "--json") == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 4
    assert Path("mine.jsonl.calls/calls.jsonl").read_bytes() == calls
    for words, message in ((("--scene", "Kitchn"), "there is no scene 'Kitchn'"), (("--count", "0"), "at least 1")):
        assert make(*words) == 2
        assert message in capsys.readouterr().err
    script(ROWS[0])
    assert make("--scene", ROWS[0].scene, "--rounds", "0", out="same.jsonl") == 1
    [dropped] = [json.loads(line) for line in Path("same.jsonl.dropped.jsonl").read_text().splitlines()]
    assert dropped["problems"] == ["much like another text"]


def test_images_become_pairs_with_texts_that_are_true_of_them(capsys: Captured) -> None:
    rows = ROWS[:3]
    seen = {rows[0].id: replaced_key(rows[0], 2, "A"), rows[2].id: replaced_key(rows[2], 2, "E")}
    judged(rows, lambda row: [seen.get(row.id, row)] * 5)
    rewritten = rows[0].prompt.replace("bottom left", "top right")
    replies = [{"item_id": f"mine-{rows[0].id}", "reply": [json.dumps({"prompt": rewritten})]}]
    replies.append({"item_id": f"mine-{rows[2].id}", "reply": ["I cannot."]})
    Path("says.jsonl").write_text("\n".join(map(json.dumps, replies)))
    command = ["make", "spatialt2i", "--from", "run", "--model", "script:says.jsonl", "-o", "pairs", "--quiet"]
    capsys.readouterr()
    assert main([*command, "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert [summary[name] for name in ("pairs", "kept", "rewritten", "dropped")] == [2, 1, 1, 1]
    pairs = [json.loads(line) for line in Path("pairs/metadata.jsonl").read_text().splitlines()]
    assert pairs == [
        {"file_name": f"mine-{rows[0].id}.png", "text": rewritten},
        {"file_name": f"mine-{rows[1].id}.png", "text": rows[1].prompt},
    ]
    assert Path(f"pairs/mine-{rows[0].id}.png").read_bytes() == png(rows[0].id)
    [first, _] = [json.loads(line) for line in Path("pairs/rewrites.jsonl").read_text().splitlines()]
    assert (first["original_prompt"], first["changed"]) == (rows[0].prompt, ["Position"])
    assert main([*command[:-1], "--json"]) == 0
    assert main(["make", "spatialt2i", "--from", "run", "--model", "script:says.jsonl", "-o", "pictures"]) == 2
    assert "3 files already here would be lost" in capsys.readouterr().err


def judged(rows: Sequence[Row], rounds: Callable[[Row], Sequence[Row]]) -> None:
    """Judge an image of each row by a script. ``rounds`` returns the row whose keys each round gives."""
    Path("pictures").mkdir()
    for row in rows:
        Path(f"pictures/{row.id}.png").write_bytes(png(row.id))
    said = [{"item_id": row.id, "reply": ["\n".join(seen.answers) for seen in rounds(row)]} for row in rows]
    Path("judge.jsonl").write_text("\n".join(map(json.dumps, said)))
    words = ("--images", "mine=pictures", "--judge", "script:judge.jsonl", "--out", "run", "--quiet", "--no-cache")
    ids = [row.id for row in rows]
    assert main(["eval", "--task", "spatialgen/questions", "--data", str(FILE), "--ids", *ids, *words]) == 0


def pairs(capsys: Captured, *words: str) -> tuple[int, int]:
    """Make pairs of the run. Return the numbers of unchanged and rewritten texts."""
    capsys.readouterr()
    command = "make spatialt2i --from run --model script:says.jsonl -o pairs --quiet --json"
    assert main([*command.split(), *words]) == 0
    made = json.loads(capsys.readouterr().out)
    return made["kept"], made["rewritten"]


def test_three_votes_of_five_show_a_fact_only_by_plurality(capsys: Captured) -> None:
    row = ROWS[0]
    torn = replaced_key(row, 4, "B")
    judged([row], lambda row: [row, row, row, torn, torn])
    text = row.prompt.replace("form a ring", "grow")
    Path("says.jsonl").write_text(json.dumps({"item_id": f"mine-{row.id}", "reply": [json.dumps({"prompt": text})]}))
    assert pairs(capsys, "--votes", "decided") == (0, 1)
    assert pairs(capsys, "--votes", "plurality", "--force") == (1, 0)


def test_scenes_of_design_become_pairs_only_on_request(capsys: Captured) -> None:
    [design] = [row for row in ROWS if row.scene == "Cartoon Design"]
    judged([ROWS[1], design], lambda row: [row] * 5)
    Path("says.jsonl").write_text(json.dumps({"item_id": f"mine-{design.id}", "reply": ["unused"]}))
    assert pairs(capsys) == (1, 0)
    assert pairs(capsys, "--design", "--force") == (2, 0)


def replaced_key(row: Row, number: int, letter: str) -> Row:
    """Return the row with another key for one question."""
    return replace(row, answers=(*row.answers[:number], letter, *row.answers[number + 1 :]))
