"""Scripts and replays answer as written, say where they have nothing, and refuse what they cannot read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doors import WHERE, Notebook, asked, run

from tsgkit.errors import UsageError
from tsgkit.library.files import read_text
from tsgkit.llm.failures import Stopped
from tsgkit.llm.reply import NOTHING, Ending, Reply, reply_value
from tsgkit.llm.scripts import RecordedModel, Replay, Script, script_in

HERE = WHERE._replace(label="answer")


def script(*lines: object) -> Script:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines)
    return script_in(text, "s.jsonl")


def test_replies_come_one_a_call_and_the_last_again_and_again() -> None:
    listed = Script({"tea/0": ["a", "b"]})
    assert [listed.reply("tea/0", "answer", draw).text for draw in range(4)] == ["a", "b", "b", "b"]
    assert [listed.reply("tea/0", f"critique/{n}", 0).text for n in range(3)] == ["a", "b", "b"]


def test_solver_of_several_steps_is_answered_by_label() -> None:
    labelled = Script({"tea/0": {"write": "all", "write/2": "second"}})
    texts = [labelled.reply("tea/0", label, 0).text for label in ("write/1", "write/2", "write/3", "critique/1")]
    assert texts == ["all", "second", "all", None]
    assert labelled.reply("tea/0", "critique/1", 0).ending is Ending.MISSING


def test_missing_reply_names_the_line_that_would_hold_it() -> None:
    labelled = Script({"tea/0": {"write": "all"}})
    assert labelled.find(HERE).error == "the script has no answer in the line of item_id tea/0"
    assert Script({}).find(HERE).error == "the script has no line with item_id tea/0"
    assert Script({}).find(HERE).ending is Ending.MISSING
    assert labelled.find(HERE._replace(label="write")).text == "all"
    assert (labelled.knows(HERE), Script({}).knows(HERE)) == (True, False)


def test_script_is_read_with_its_outcomes(tmp_path: Path) -> None:
    text = "one\u2028two\x85three\u2029"
    found = script(
        {"item_id": "a", "reply": [text, None]},
        "",
        {"item_id": 5, "reply": None},
        {"item_id": "c", "reply": "cut", "outcome": "truncated"},
    )
    replies = [found.reply(item, "answer", draw) for item, draw in (("a", 0), ("a", 1), ("5", 0), ("c", 0))]
    assert [one.ending for one in replies] == [Ending.COMPLETE, Ending.EMPTY, Ending.EMPTY, Ending.TRUNCATED]
    assert replies[0].text == text
    (tmp_path / "s.jsonl").write_bytes(b'\xef\xbb\xbf{"item_id": "a", "reply": "x"}\r\n\r\n')
    assert script_in(read_text(tmp_path / "s.jsonl"), "s.jsonl").reply("a", "answer", 0).text == "x"


def test_line_nobody_can_mean_is_refused_with_its_number() -> None:
    for line, problem in (
        ("not json", "no reply of a script"),
        ("[1]", "no reply of a script"),
        ('{"item_id": "b"}', "no reply of a script"),
        ('{"reply": "b"}', "no reply of a script"),
        ("[" * 100_000, "no reply of a script"),
        ('{"item_id": "b", "reply": 5}', "a reply is a text"),
        ('{"item_id": "b", "reply": []}', "a reply is a text"),
        ('{"item_id": "b", "reply": {"a": 5}}', "a reply is a text"),
        ('{"item_id": null, "reply": "x"}', "an item_id is a text or a number"),
        ('{"item_id": true, "reply": "x"}', "an item_id is a text or a number"),
        ('{"item_id": "b", "reply": "x", "outcome": "lost"}', "no such outcome: lost"),
        ('{"item_id": "b", "reply": "x", "outcome": ["lost"]}', "no such outcome"),
        ('{"item_id": "a", "reply": "x"}', "a second reply to item a"),
    ):
        with pytest.raises(UsageError) as caught:
            script({"item_id": "a", "reply": "x"}, line)
        assert f"s.jsonl: line 2: {problem}" in caught.value.message, line[:40]


def test_replies_of_a_script_are_recorded_once_and_cost_nothing() -> None:
    notebook = Notebook()
    model = RecordedModel(Script({"tea/0": ["[kettle]"]}), notebook)
    first, second = run(asked(model)), run(asked(model))
    assert first == second
    assert (first.text, first.spent, len(notebook.prompts)) == ("[kettle]", NOTHING, 1)
    model.stop()
    assert run(asked(model)) == first
    with pytest.raises(Stopped):
        run(asked(model, draw=1))


HEARD = Reply("[kettle]", seconds=1.0)


def call(subject: str = "openai/m", reply: Reply = HEARD, **parts: object) -> dict[str, Any]:
    return {**WHERE._asdict(), "subject": subject, "label": "answer", **parts, "reply": reply_value(reply)}


def test_replay_answers_as_the_other_run_was_answered_at_this_place() -> None:
    failed = Reply(None, Ending.API_ERROR, error="no", status=500)
    replay = Replay.of([call(), call(draw=1, reply=Reply("[tea]")), call(draw=2, reply=failed)], None)
    where = HERE._replace(subject="replay", body="of another prompt")
    assert [replay.find(where._replace(draw=draw)).text for draw in (0, 1, 3)] == ["[kettle]", "[tea]", None]
    assert replay.find(where).spent == NOTHING
    assert replay.find(where._replace(sample="tea/9")).ending is Ending.MISSING
    found = replay.find(where._replace(draw=2))
    assert (found.ending, found.error, found.status) == (Ending.API_ERROR, "no", 500)
    assert [replay.knows(where._replace(sample=sample)) for sample in ("tea/0", "tea/9")] == [True, False]


def test_judge_replies_are_replayed_for_each_subject() -> None:
    calls = [call("good", judge="eye"), call("flawed", judge="eye", reply=Reply("[tea]"))]
    replay = Replay.of(calls, None)
    assert [replay.find(HERE._replace(subject=name)).text for name in ("good", "flawed")] == ["[kettle]", "[tea]"]
    assert replay.find(HERE._replace(subject="mine")).ending is Ending.MISSING
    assert [replay.knows(HERE._replace(subject=name)) for name in ("good", "mine")] == [True, False]
    assert Replay.of(calls, "flawed").find(HERE._replace(subject="mine")).text == "[tea]"


def test_of_several_subjects_one_must_be_chosen() -> None:
    calls = [call("a"), call("b")]
    with pytest.raises(UsageError, match="several subjects: a, b"):
        Replay.of(calls, None)
    with pytest.raises(UsageError, match="several subjects: a, b"):
        Replay.of([call("a", judge="eye"), call("b")], None)
    assert list(Replay.of(calls, "b").subjects) == ["b"]
    for subject, named in (("c", "c"), (None, "anybody")):
        with pytest.raises(UsageError, match=f"no call of {named}"):
            Replay.of([] if subject is None else calls, subject)


def test_replay_chooses_by_axes_that_have_several_values() -> None:
    calls = [call(shots=1), call(shots=4, reply=Reply("[tea]"))]
    replay = Replay.of(calls, None)
    assert [replay.find(HERE._replace(shots=shots)).text for shots in (1, 4, 2)] == ["[kettle]", "[tea]", None]
    assert [replay.knows(HERE._replace(shots=shots)) for shots in (4, 2)] == [True, False]
    assert replay.ways == ("tsg/sgqa single zero-shot shots=1", "tsg/sgqa single zero-shot shots=4")
    single = Replay.of([call()], None, {"shots": 4})
    assert [single.find(HERE._replace(shots=shots)).text for shots in (4, 1)] == ["[kettle]", None]
    both = Replay.of([call()], None, {"seed": 0}, {"seed": 7})
    assert both.find(HERE).text == "[kettle]", "another seed, but one row in either run"
    mine = Replay.of(calls, None, {}, {"shots": 4})
    assert mine.find(HERE).text == "[tea]", "the one value of this run decides"
