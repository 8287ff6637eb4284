"""Scripts and replays answer as written, say where they have nothing, and refuse what they cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, asked, run

from tsgkit.errors import UsageError
from tsgkit.library.files import read_text
from tsgkit.llm.reply import NOTHING, Ending, Reply, reply_value
from tsgkit.llm.scripts import RecordedModel, Replay, Script, script_in


def script(path: Path, *lines: object) -> Script:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    return script_in(text, str(path))


def test_replies_come_one_a_call_and_the_last_again_and_again() -> None:
    told = Script({"tea/0": ["a", "b"]})
    assert [told.reply("tea/0", "answer", draw).text for draw in range(4)] == ["a", "b", "b", "b"]
    assert [told.reply("tea/0", f"critique/{n}", 0).text for n in range(3)] == ["a", "b", "b"]


def test_a_solver_of_several_steps_is_answered_by_label() -> None:
    script = Script({"tea/0": {"write": "all", "write/2": "second"}})
    said = [script.reply("tea/0", label, 0).text for label in ("write/1", "write/2", "write/3", "critique/1")]
    assert said == ["all", "second", "all", None]
    assert script.reply("tea/0", "critique/1", 0).ending is Ending.MISSING


def test_an_item_without_a_reply_is_missing() -> None:
    assert Script({}).reply("tea/0", "answer", 0).ending is Ending.MISSING


def test_a_script_is_read_with_its_outcomes(tmp_path: Path) -> None:
    told = script(
        tmp_path / "s.jsonl",
        {"item_id": "a", "reply": ["x", None]},
        "",
        {"item_id": 5, "reply": None},
        {"item_id": "c", "reply": "cut", "outcome": "truncated"},
    )
    endings = [told.reply(item, "answer", draw).ending for item, draw in (("a", 0), ("a", 1), ("5", 0), ("c", 0))]
    assert endings == [Ending.COMPLETE, Ending.EMPTY, Ending.EMPTY, Ending.TRUNCATED]


def test_a_reply_may_hold_what_else_ends_a_line(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\u2029"
    assert script(tmp_path / "s.jsonl", {"item_id": "a", "reply": text}).reply("a", "answer", 0).text == text


def test_a_script_of_windows_is_read_too(tmp_path: Path) -> None:
    (tmp_path / "s.jsonl").write_bytes(b'\xef\xbb\xbf{"item_id": "a", "reply": "x"}\r\n\r\n')
    assert script_in(read_text(tmp_path / "s.jsonl"), "s.jsonl").reply("a", "answer", 0).text == "x"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("not json", "line 2: no reply of a script"),
        ("[1]", "line 2: no reply of a script"),
        ('{"item_id": "b"}', "line 2: no reply of a script"),
        ('{"reply": "b"}', "line 2: no reply of a script"),
        ("[" * 100_000, "line 2: no reply of a script"),
        ('{"item_id": "b", "reply": 5}', "a reply is a text"),
        ('{"item_id": "b", "reply": []}', "a reply is a text"),
        ('{"item_id": null, "reply": "x"}', "an item_id is a text or a number"),
        ('{"item_id": true, "reply": "x"}', "an item_id is a text or a number"),
        ('{"item_id": "b", "reply": "x", "outcome": "lost"}', "no such outcome: lost"),
        ('{"item_id": "b", "reply": "x", "outcome": ["lost"]}', "no such outcome"),
        ('{"item_id": "a", "reply": "x"}', "a second reply to item a"),
    ],
)
def test_a_line_nobody_can_mean_is_refused_with_its_number(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        script(tmp_path / "s.jsonl", {"item_id": "a", "reply": "x"}, line)
    assert "line 2" in caught.value.message


def test_script_replies_are_recorded_once_and_cost_nothing() -> None:
    notebook = Notebook()
    subject = RecordedModel(Script({"tea/0": ["[kettle]"]}), notebook)
    first, second = run(asked(subject)), run(asked(subject))
    assert first == second
    assert (first.text, first.spent, len(notebook.prompts)) == ("[kettle]", NOTHING, 1)


HEARD = Reply("[kettle]", seconds=1.0)


def call(subject: str = "openai/m", reply: Reply = HEARD, **parts: object) -> dict[str, Any]:
    return {**WHERE._asdict(), "subject": subject, "label": "answer", **parts, "reply": reply_value(reply)}


def test_a_replay_says_what_the_other_run_heard_at_this_place() -> None:
    replay = Replay.of([call(), call(draw=1, reply=Reply("[tea]"))], None)
    where = WHERE._replace(label="answer", subject="replay", body="of another prompt")
    assert [replay.find(where._replace(draw=draw)).text for draw in range(3)] == ["[kettle]", "[tea]", None]
    assert replay.find(where).spent == NOTHING
    assert replay.find(where._replace(sample="tea/9")).ending is Ending.MISSING


def test_a_replay_keeps_how_a_call_ended() -> None:
    replay = Replay.of([call(reply=Reply(None, Ending.API_ERROR, error="no", status=500))], None)
    found = replay.find(WHERE._replace(label="answer"))
    assert (found.ending, found.error, found.status) == (Ending.API_ERROR, "no", 500)


def test_a_baseline_of_another_run_can_be_replayed_in_any_style() -> None:
    replay = Replay.of([call("baseline/rules", solver="baseline", style="", label="local")], None)
    assert replay.find(WHERE._replace(label="answer")).text == "[kettle]"


def test_judge_replies_are_replayed_for_each_subject() -> None:
    said = [call("good", judge="eye"), call("flawed", judge="eye", reply=Reply("[tea]"))]
    replay, where = Replay.of(said, None), WHERE._replace(label="answer")
    assert [replay.find(where._replace(subject=name)).text for name in ("good", "flawed")] == ["[kettle]", "[tea]"]
    assert replay.find(where._replace(subject="mine")).ending is Ending.MISSING
    assert [replay.knows(where._replace(subject=name)) for name in ("good", "mine")] == [True, False]
    assert Replay.of(said, "flawed").find(where._replace(subject="mine")).text == "[tea]"


def test_of_several_subjects_one_must_be_chosen() -> None:
    calls = [call("a"), call("b")]
    with pytest.raises(UsageError, match="several subjects: a, b"):
        Replay.of(calls, None)
    assert list(Replay.of(calls, "b").subjects) == ["b"]
    with pytest.raises(UsageError, match="no call of c"):
        Replay.of(calls, "c")
    with pytest.raises(UsageError, match="no call of anybody"):
        Replay.of([], None)
