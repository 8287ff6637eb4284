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


def test_replies_come_one_a_call_or_by_label_and_a_missing_one_names_its_line() -> None:
    listed = Script({"tea/0": ["a", "b"]})
    assert [listed.reply("tea/0", "answer", draw).text for draw in range(4)] == ["a", "b", "b", "b"]
    assert [listed.reply("tea/0", f"critique/{n}", 0).text for n in range(3)] == ["a", "b", "b"]
    labelled = Script({"tea/0": {"write": "all", "write/2": "second"}})
    texts = {"write/1": "all", "write/2": "second", "write/3": "all", "critique/1": None}
    assert {label: labelled.reply("tea/0", label, 0).text for label in texts} == texts
    assert labelled.reply("tea/0", "critique/1", 0).ending is Ending.MISSING
    assert labelled.find(HERE).error == "the script has no answer in the line of item_id tea/0"
    missing = Script({}).find(HERE)
    assert (missing.error, missing.ending) == ("the script has no line with item_id tea/0", Ending.MISSING)
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
    for line, problem in (
        *((line, "no reply of a script") for line in ("not json", "[1]", '{"item_id": "b"}', '{"reply": "b"}')),
        ("[" * 100_000, "no reply of a script"),
        *((f'{{"item_id": "b", "reply": {value}}}', "a reply is a text") for value in ("5", "[]", '{"a": 5}')),
        *((f'{{"item_id": {name}, "reply": "x"}}', "an item_id is a text or a number") for name in ("null", "true")),
        ('{"item_id": "b", "reply": "x", "outcome": "lost"}', "no such outcome: lost"),
        ('{"item_id": "b", "reply": "x", "outcome": ["lost"]}', "no such outcome"),
        ('{"item_id": "a", "reply": "x"}', "a second reply to item a"),
    ):
        with pytest.raises(UsageError) as caught:
            script({"item_id": "a", "reply": "x"}, line)
        assert f"s.jsonl: line 2: {problem}" in caught.value.message, line[:40]


def test_replies_of_a_script_are_recorded_once_and_cost_nothing() -> None:
    model = RecordedModel(Script({"tea/0": ["[kettle]"]}), notebook := Notebook())
    first, second = run(asked(model)), run(asked(model))
    assert first == second
    assert (first.text, first.spent, len(notebook.prompts)) == ("[kettle]", NOTHING, 1)
    model.stop()
    assert run(asked(model)) == first
    with pytest.raises(Stopped):
        run(asked(model, draw=1))


def call(subject: str = "openai/m", text: str = "[kettle]", **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    reply = parts.pop("reply", Reply(text, seconds=1.0))
    return {**WHERE._asdict(), "subject": subject, "label": "answer", **parts, "reply": reply_value(reply)}


def test_replay_answers_as_the_other_run_was_answered_at_this_place() -> None:
    failed = Reply(None, Ending.API_ERROR, error="no", status=500)
    replay = Replay.of([call(), call(draw=1, text="[tea]"), call(draw=2, reply=failed)], None)
    where = HERE._replace(subject="replay", body="of another prompt")
    assert [replay.find(where._replace(draw=draw)).text for draw in (0, 1, 3)] == ["[kettle]", "[tea]", None]
    assert replay.find(where).spent == NOTHING
    assert replay.find(where._replace(sample="tea/9")).ending is Ending.MISSING
    found = replay.find(where._replace(draw=2))
    assert (found.ending, found.error, found.status) == (Ending.API_ERROR, "no", 500)
    assert [replay.knows(where._replace(sample=sample)) for sample in ("tea/0", "tea/9")] == [True, False]


def test_subject_of_a_replay_must_be_chosen_but_replies_of_a_judge_are_replayed_for_each() -> None:
    calls = [call("good", judge="eye"), call("flawed", judge="eye", text="[tea]")]
    replay, chosen = Replay.of(calls, None), Replay.of(calls, "flawed")
    places = [HERE._replace(subject=name) for name in ("good", "flawed", "mine")]
    assert [replay.find(where).text for where in places] == ["[kettle]", "[tea]", None]
    assert replay.find(places[2]).ending is Ending.MISSING
    assert [replay.knows(where) for where in places] == [True, True, False]
    assert chosen.find(places[2]).text == "[tea]"
    both = [call("a"), call("b")]
    assert list(Replay.of(both, "b").subjects) == ["b"]
    for recorded, subject, problem in (
        (both, None, "several subjects: a, b"),
        ([call("a", judge="eye"), call("b")], None, "several subjects: a, b"),
        (both, "c", "no call of c"),
        ([], None, "no call of anybody"),
    ):
        with pytest.raises(UsageError, match=problem):
            Replay.of(recorded, subject)


def test_replay_chooses_by_axes_that_have_several_values() -> None:
    def texts(replay: Replay) -> list[str | None]:
        return [replay.find(HERE._replace(shots=shots)).text for shots in (1, 4, 2)]

    calls = [call(shots=1), call(shots=4, text="[tea]")]
    replay = Replay.of(calls, None)
    assert texts(replay) == ["[kettle]", "[tea]", None]
    assert [replay.knows(HERE._replace(shots=shots)) for shots in (4, 2)] == [True, False]
    assert replay.ways == ("tsg/sgqa single zero-shot shots=1", "tsg/sgqa single zero-shot shots=4")
    assert texts(Replay.of([call()], None, {"shots": 4})) == [None, "[kettle]", None]
    both = Replay.of([call()], None, {"seed": 0}, {"seed": 7})
    assert both.find(HERE).text == "[kettle]", "another seed, but one row in either run"
    mine = Replay.of(calls, None, {}, {"shots": 4})
    assert mine.find(HERE).text == "[tea]", "the one value of this run decides"
