"""Tests of generating questions and pairs, with checks and retries, and of the commands that do."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from image_server import png
from shipped import TASKS

from tsgkit.agents.asker import MemoryRecorder, ask_for
from tsgkit.cli import main
from tsgkit.llm.scripts import RecordedModel, Script
from tsgkit.suites.spatialgen.maker import Draft, Maker, Making, draft_problems
from tsgkit.suites.spatialgen.rewriter import facts_of, rewrite_problems, shown
from tsgkit.suites.spatialgen.rows import Row, rows_in, written
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS

Captured = pytest.CaptureFixture[str]
FILE = TASKS / "spatialgen" / "data" / "questions.jsonl"
ROWS = list(rows_in(FILE))


def prompts_reply(row: Row) -> str:
    return json.dumps({"prompts": [row.prompt]})


def questions_reply(drafts: list[Draft]) -> str:
    values = [{"kind": d.kind, "question": d.stem, "right": d.right, "wrong": list(d.wrong)} for d in drafts]
    return f"```json\n{json.dumps({'questions': values})}\n```"


def drafts_of(row: Row) -> list[Draft]:
    wrong = [tuple(q.options[letter] for letter in q.choices if letter != q.key) for q in row.questions]
    return [Draft(q.sub_domain, q.stem, q.options[q.key], w) for q, w in zip(row.questions, wrong, strict=True)]


def replies_of(*rows: Row) -> dict[str, list[str]]:
    """Return the right replies to all that is asked about the scenes of some rows."""
    drafts = {f"{row.scene}/0": [questions_reply(drafts_of(row))] for row in rows}
    return {row.scene: [prompts_reply(row)] for row in rows} | drafts


def replaced_key(row: Row, number: int, letter: str) -> Row:
    """Return the row with another key for one question."""
    return replace(row, answers=(*row.answers[:number], letter, *row.answers[number + 1 :]))


def made(
    replies: dict[str, list[str]], scenes: list[str], count: int = 1, **more: object
) -> tuple[Making, MemoryRecorder]:
    kept = MemoryRecorder()
    asker = RecordedModel(Script(replies), kept)
    maker = Maker(lambda name: ask_for(asker, name), count, **more)  # type: ignore[arg-type]
    return asyncio.run(maker.make(scenes)), kept


def test_maker_spreads_keys_evenly() -> None:
    making, kept = made(replies_of(*ROWS), [row.scene for row in ROWS])
    assert [row.scene for row in making.rows] == [row.scene for row in ROWS] and not making.dropped
    assert making.calls == len(kept.calls) == 50
    for kind in SUB_DOMAINS:
        keys = Counter(q.key for row in making.rows for q in row.questions if q.sub_domain == kind)
        assert set(keys.values()) <= {6, 7} and set(keys) == set("ABCD")
    for new, old in zip(making.rows, ROWS, strict=True):
        assert [q.options[q.key] for q in new.questions] == [q.options[q.key] for q in old.questions]
        assert [set(q.options.values()) for q in new.questions] == [set(q.options.values()) for q in old.questions]
    assert {one.code for one in making.findings} <= {"longest-is-key", "skewed-keys"}


def spoilt(row: Row, number: int, **changes: Any) -> list[Draft]:  # noqa: ANN401
    drafts = drafts_of(row)
    drafts[number] = drafts[number]._replace(**changes)
    return drafts


def test_drafts_with_problems_are_requested_again_with_the_problems() -> None:
    changed: list[tuple[dict[str, Any], str]] = [
        ({"stem": "What does the text mention?"}, "the stem speaks of a text"),
        ({"right": "A purple hippopotamus"}, "the text does not tell the right answer"),
        ({"wrong": ("Up", "Up", "Down")}, "say the same: Up"),
        ({"wrong": ("None", "Up", "Down")}, "says None"),
        ({"wrong": ("Up", "Down")}, "there are not three wrong answers"),
        ({"kind": "Colour"}, "not one of each of the ten kinds"),
        ({"wrong": ("x" * 90, "Up", "Down")}, "answers of very unlike lengths"),
    ]
    row = ROWS[0]
    for changes, problem in changed:
        assert any(problem in text for text in draft_problems(row.prompt, spoilt(row, 2, **changes))), problem
    leak = f"What is the squirrel doing while the ranger is turned {drafts_of(row)[3].right}?"
    problems = draft_problems(row.prompt, spoilt(row, 8, stem=leak))
    assert any(problem.startswith("Orientation: all words of") for problem in problems)
    bad = questions_reply(spoilt(row, 2, stem="What does the text mention?"))
    replies = {
        row.scene: ["no JSON here", prompts_reply(row)],
        f"{row.scene}/0": [bad, questions_reply(drafts_of(row))],
    }
    making, kept = made(replies, [row.scene])
    assert len(making.rows) == 1 and not making.dropped
    assert sorted(call.label for call in kept.calls) == ["prompts/0", "prompts/1", "questions/0", "questions/1"]
    making, _ = made(replies | {f"{row.scene}/0": [bad]}, [row.scene], tries=2)
    assert making.rows == [] and "speaks of a text" in making.dropped[0].problems[0]


def test_known_or_short_texts_are_dropped_and_a_rewrite_must_say_what_was_seen() -> None:
    row = ROWS[0]
    reply = json.dumps({"prompts": [row.prompt, "A short text.", row.prompt + " " + row.prompt]})
    making, _ = made({row.scene: [reply]}, [row.scene], 3, tries=1, known=(row.prompt,))
    problems = [problem for one in making.dropped for problem in one.problems]
    assert [problem.partition(" ")[2] for problem in problems if problem[0].isdigit()]
    assert sum(problem == "much like another text" for problem in problems) == 2 and not making.rows
    facts = facts_of(row, [*row.answers[:2], "A", *row.answers[3:5], None, *row.answers[6:]])
    assert [fact.kind for fact in facts if not fact.is_seen] == ["Position", "Comparison"] and len(facts) == 10
    assert "not clear, so do not mention it" in shown(facts).splitlines()[5]
    for text, problem in ((row.prompt, "the text was not changed"), ("", "there is no text in the reply")):
        assert rewrite_problems(text, row, facts)[0] == problem
    assert rewrite_problems(row.prompt.replace("bottom left", "top right"), row, facts) == []
    assert "it still says At the bottom left" in rewrite_problems(row.prompt + " So it is.", row, facts)[0]


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


def write_script(name: str, replies: dict[str, list[str]]) -> None:
    lines = ({"item_id": item, "reply": reply} for item, reply in replies.items())
    Path(name).write_text("\n".join(map(json.dumps, lines)))


def make(*words: str, out: str = "mine.jsonl") -> int:
    return main(["make", "spatialgen", "--model", "script:script.jsonl", "-o", out, "--quiet", *words])


def test_rows_are_written_the_same_command_resumes_and_similar_texts_are_refused(capsys: Captured) -> None:
    write_script("script.jsonl", replies_of(*ROWS[1:5]))
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
    write_script("script.jsonl", replies_of(ROWS[0]))
    assert make("--scene", ROWS[0].scene, "--rounds", "0", out="same.jsonl") == 1
    [dropped] = [json.loads(line) for line in Path("same.jsonl.dropped.jsonl").read_text().splitlines()]
    assert dropped["problems"] == ["much like another text"]


def judged(rows: Sequence[Row], rounds: Callable[[Row], Sequence[Row]]) -> None:
    """Judge an image of each row by a script. ``rounds`` returns the row whose keys each round gives."""
    Path("pictures").mkdir()
    for row in rows:
        Path(f"pictures/{row.id}.png").write_bytes(png(row.id))
    write_script("judge.jsonl", {row.id: ["\n".join(seen.answers) for seen in rounds(row)] for row in rows})
    words = ("--images", "mine=pictures", "--judge", "script:judge.jsonl", "--out", "run", "--quiet", "--no-cache")
    ids = [row.id for row in rows]
    assert main(["eval", "--task", "spatialgen/questions", "--data", str(FILE), "--ids", *ids, *words]) == 0


def pairs(capsys: Captured, *words: str) -> list[int]:
    """Make pairs of the run. Return the numbers of unchanged, rewritten and dropped texts."""
    capsys.readouterr()
    command = "make spatialt2i --from run --model script:says.jsonl -o pairs --quiet --json"
    assert main([*command.split(), *words]) == 0
    made = json.loads(capsys.readouterr().out)
    assert made["pairs"] == made["kept"] + made["rewritten"]
    return [made[name] for name in ("kept", "rewritten", "dropped")]


def test_images_become_pairs_with_texts_that_are_true_of_them(capsys: Captured) -> None:
    rows = ROWS[:3]
    seen = {rows[0].id: replaced_key(rows[0], 2, "A"), rows[2].id: replaced_key(rows[2], 2, "E")}
    judged(rows, lambda row: [seen.get(row.id, row)] * 5)
    rewritten = rows[0].prompt.replace("bottom left", "top right")
    replies = {f"mine-{rows[0].id}": [json.dumps({"prompt": rewritten})], f"mine-{rows[2].id}": ["I cannot."]}
    write_script("says.jsonl", replies)
    assert pairs(capsys) == [1, 1, 1]
    made_of = [json.loads(line) for line in Path("pairs/metadata.jsonl").read_text().splitlines()]
    texts = zip(rows, (rewritten, rows[1].prompt), strict=False)
    assert made_of == [{"file_name": f"mine-{row.id}.png", "text": text} for row, text in texts]
    assert Path(f"pairs/mine-{rows[0].id}.png").read_bytes() == png(rows[0].id)
    [first, _] = [json.loads(line) for line in Path("pairs/rewrites.jsonl").read_text().splitlines()]
    assert (first["original_prompt"], first["changed"]) == (rows[0].prompt, ["Position"])
    assert pairs(capsys) == [1, 1, 1], "the same command again"
    assert main(["make", "spatialt2i", "--from", "run", "--model", "script:says.jsonl", "-o", "pictures"]) == 2
    assert "3 files already here would be lost" in capsys.readouterr().err


def test_three_votes_show_a_fact_only_by_plurality_and_design_is_taken_on_request(capsys: Captured) -> None:
    row = ROWS[0]
    [design] = [row for row in ROWS if row.scene == "Cartoon Design"]
    torn = replaced_key(row, 4, "B")
    judged([row, design], lambda one: [row, row, row, torn, torn] if one is row else [one] * 5)
    text = row.prompt.replace("form a ring", "grow")
    write_script("says.jsonl", {f"mine-{row.id}": [json.dumps({"prompt": text})]})
    assert pairs(capsys, "--votes", "decided")[:2] == [0, 1]
    assert pairs(capsys, "--votes", "plurality", "--force")[:2] == [1, 0]
    assert pairs(capsys, "--votes", "plurality", "--design", "--force")[:2] == [2, 0]
