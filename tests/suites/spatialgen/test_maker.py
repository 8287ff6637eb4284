"""Tests of generating questions, with checks and retries."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from typing import Any

from shipped import TASKS

from tsgkit.agents.asker import MemoryRecorder, ask_for
from tsgkit.llm.scripts import RecordedModel, Script
from tsgkit.suites.spatialgen.maker import Draft, Maker, Making, draft_problems, prompt_problems
from tsgkit.suites.spatialgen.rewriter import facts_of, rewrite_problems, shown
from tsgkit.suites.spatialgen.rows import Question, Row, rows_in
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS

ROWS = list(rows_in(TASKS / "spatialgen" / "data" / "questions.jsonl"))


def draft(question: Question) -> Draft:
    wrong = tuple(question.options[letter] for letter in question.choices if letter != question.key)
    return Draft(question.sub_domain, question.stem, question.options[question.key], wrong)


def prompts_reply(row: Row) -> str:
    return json.dumps({"prompts": [row.prompt]})


def questions_reply(drafts: list[Draft]) -> str:
    values = [{"kind": d.kind, "question": d.stem, "right": d.right, "wrong": list(d.wrong)} for d in drafts]
    return f"```json\n{json.dumps({'questions': values})}\n```"


def drafts_of(row: Row) -> list[Draft]:
    return [draft(question) for question in row.questions]


def made(
    replies: dict[str, list[str]], scenes: list[str], count: int = 1, **more: object
) -> tuple[Making, MemoryRecorder]:
    kept = MemoryRecorder()
    asker = RecordedModel(Script(replies), kept)
    maker = Maker(lambda name: ask_for(asker, name), count, **more)  # type: ignore[arg-type]
    return asyncio.run(maker.make(scenes)), kept


def test_bundled_rows_pass_the_checks_of_the_maker() -> None:
    for row in ROWS:
        assert prompt_problems(row.prompt, [other.prompt for other in ROWS if other is not row]) == [], row.scene
        assert draft_problems(row.prompt, drafts_of(row)) == [], row.scene


def test_maker_spreads_keys_evenly() -> None:
    replies = {row.scene: [prompts_reply(row)] for row in ROWS}
    replies |= {f"{row.scene}/0": [questions_reply(drafts_of(row))] for row in ROWS}
    making, kept = made(replies, [row.scene for row in ROWS])
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


def test_draft_problems_are_described() -> None:
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


def test_drafts_with_problems_are_requested_again_with_the_problems() -> None:
    row = ROWS[0]
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


def test_known_or_short_texts_are_dropped() -> None:
    row = ROWS[0]
    reply = json.dumps({"prompts": [row.prompt, "A short text.", row.prompt + " " + row.prompt]})
    making, _ = made({row.scene: [reply]}, [row.scene], 3, tries=1, known=(row.prompt,))
    problems = [problem for one in making.dropped for problem in one.problems]
    assert [problem.partition(" ")[2] for problem in problems if problem[0].isdigit()]
    assert sum(problem == "much like another text" for problem in problems) == 2 and not making.rows


def test_rewrite_must_say_what_was_seen() -> None:
    row = ROWS[0]
    facts = facts_of(row, [*row.answers[:2], "A", *row.answers[3:5], None, *row.answers[6:]])
    assert [fact.kind for fact in facts if not fact.is_seen] == ["Position", "Comparison"] and len(facts) == 10
    assert "not clear, so do not mention it" in shown(facts).splitlines()[5]
    for text, problem in ((row.prompt, "the text was not changed"), ("", "there is no text in the reply")):
        assert rewrite_problems(text, row, facts)[0] == problem
    assert rewrite_problems(row.prompt.replace("bottom left", "top right"), row, facts) == []
    assert "it still says At the bottom left" in rewrite_problems(row.prompt + " So it is.", row, facts)[0]
