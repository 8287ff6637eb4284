"""Records and results of samples, to the last field: usage, scores, errors, and what is refused in a file."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from run_files import lines as lines_of
from run_files import write_lines

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.batches import Batch
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets
from tsgkit.runs import results
from tsgkit.runs.batch_journal import BatchJournal, pending, unite
from tsgkit.runs.folder import HEADER
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell
from tsgkit.runs.records import add_usage, record_of, sample_value, scores_of, usage_value
from tsgkit.runs.results import Result, cached_share
from tsgkit.runs.row_totals import RowTotals
from tsgkit.runs.run_files import calls_in, check_evaluation, check_header, prompts_in, samples_in
from tsgkit.runs.run_list import runs_in
from tsgkit.runs.script_export import script_lines
from tsgkit.runs.span_attributes import outcome_attributes
from tsgkit.scoring.outcomes import Outcome
from tsgkit.scoring.score import Score
from tsgkit.suites.judgement import Judged
from tsgkit.suites.suite import task_of
from tsgkit.suites.transcript import LabelledReply, Transcript
from tsgkit.version import __version__

CELL = Cell("m", "tsg/sgqa", "single", "cot", 0)
SAMPLE: Any = SimpleNamespace(item_id="a", cluster="c", groups={"kind": ("x", "y")})
PAID = Reply("A", seconds=1.23456, attempts=(Attempt(1.0, "429", 429), Attempt(0.5)), usage=Usage(10, 4, 3, 6, 0.5))
CACHED = Reply("A", source="cache", seconds=9.0, usage=Usage(20, 1))
FAILED = Reply(None, Ending.API_ERROR, error="503", attempts=(Attempt(1.0, "503", 503),), usage=Usage())
LOCAL = Reply("A", source="local", usage=Usage(1, 1))


def test_usage_of_a_sample_counts_what_was_asked_and_paid() -> None:
    assert usage_value((LOCAL,)) == {} == usage_value(())
    assert usage_value((PAID, CACHED, FAILED, LOCAL)) == {
        "calls": 3, "from_cache": 1, "requests": 2, "seconds": 1.2346, "untold": 1, "unpriced": 0, "prompt": 30,
        "completion": 5, "reasoning": 3, "cached": 6, "cost": 0.5, "cached_of": 10, "retried": 1,
    }  # fmt: skip
    free = usage_value((Reply("A", usage=Usage(1, 2)),))
    assert (free["unpriced"], free["cost"], free["untold"]) == (1, 0.0, 0) and "retried" not in free
    total: dict[str, Any] = {"calls": 2}
    add_usage(total, {"calls": 3, "cost": 0.5})
    assert total == {"calls": 5, "cost": 0.5}


def test_usage_of_a_row_says_what_nobody_knows() -> None:
    used = usage_value((PAID, CACHED))
    assert results.usage_value({}) is None
    assert results.usage_value(used) == {
        "calls": 2, "from_cache": 1, "requests": 1, "retried": 1, "seconds": 1.235, "prompt_tokens": 30,
        "completion_tokens": 5, "reasoning_tokens": 3, "cached_tokens": 6, "cached_input": 0.6,
        "calls_without_usage": 0, "cost": 0.5, "calls_without_price": 0,
    }  # fmt: skip
    for changes, tokens, cost in (
        ({"untold": 1}, 30, 0.5),
        ({"untold": 2}, None, None),
        ({"unpriced": 1}, 30, 0.5),
        ({"unpriced": 1, "cost": 0.0}, 30, None),
        ({"unpriced": 1, "cost": 0.0, "from_cache": 2}, 30, 0.0),
        ({"cost": 0.0}, 30, 0.0),
    ):
        value = results.usage_value({**used, **changes})
        assert value is not None and (value["prompt_tokens"], value["cost"]) == (tokens, cost), changes
    assert cached_share({"prompt": 100, "cached": 50}) == 0.5 and cached_share({"prompt": 10, "cached": 50}) == 1.0
    assert cached_share({"prompt": 0, "cached": 0}) is None


def test_a_record_holds_a_judgement_and_gives_its_scores_back() -> None:
    scores = {"strict": {"f1": Score(1.0, 2.0), "order": Score(0.0, 0.0, "one graph")}}
    more: dict[str, Any] = {"notes": ("a note",), "counts": {"cut": 0, "extra": 2}, "evidence": {"seen": 1}}
    judged = Judged(SAMPLE, Outcome.ANSWERED, "A", scores, **more)
    record = record_of(CELL, judged, Transcript((LabelledReply("answer", PAID), LabelledReply("answer", FAILED))))
    assert record == {
        "subject": "m", "task": "tsg/sgqa", "solver": "single", "style": "cot", "repeat": 0, "item_id": "a",
        "cluster": "c", "groups": {"kind": ("x", "y")}, "outcome": "answered", "answer": "A",
        "parts": {"strict": {"f1": [1.0, 2.0], "order": [0.0, 0.0]}}, "why": {"strict.order": "one graph"},
        "counts": {"extra": 2}, "notes": ["a note"], "evidence": {"seen": 1},
        "usage": usage_value((PAID, FAILED)), "error": "503",
    }  # fmt: skip
    assert record_of(CELL, judged, Transcript(()), "told")["error"] == "told"
    assert record_of(CELL, judged, Transcript(()))["error"] is None
    assert scores_of(record) == scores and scores_of(record, ["f1"]) == {"strict": {"f1": Score(1.0, 2.0)}}
    assert sample_value(record) == {
        "item_id": "a", "outcome": "answered", "answer": "A",
        "scores": {"strict": {"f1": 0.5, "order": None}, "official": None}, "notes": ["a note"],
        "evidence": {"seen": 1},
    }  # fmt: skip
    assert outcome_attributes(record) == {"tsgkit.outcome": "answered", "tsgkit.score.strict.f1": 0.5}
    failed = {**record, "outcome": "api_error"}
    assert outcome_attributes(failed)["error.type"] == "api_error"


def test_totals_of_a_row_tell_errors_apart() -> None:
    totals = RowTotals(task_of(load_card("tsg/sgqa")).tally())
    base = {"cluster": "c", "counts": {}, "usage": {"calls": 1}, "notes": ["first", "second"]}
    for outcome, error in (
        ("answered", None), ("answered", "hung"), ("api_error", "503"), ("api_error", "503"), ("api_error", None),
        ("error", "ValueError"), ("unreadable", None),
    ):  # fmt: skip
        totals.add({**base, "outcome": outcome, "error": error}, {})
    totals.add({**base, "outcome": "unreadable", "error": None, "notes": ["later"]}, {})
    assert totals.n == 8 and totals.usage == {"calls": 8}
    assert totals.errors == {"503": 2, "no reason given": 1}
    assert (totals.raised, totals.partial, totals.unreadable) == ({"ValueError": 1}, {"hung": 1}, "first")


def test_a_result_counts_what_failed_and_what_never_answered() -> None:
    def result(given_up: str, n: int, **counts: int) -> Result:
        board = SimpleNamespace(n=n, counts=dict.fromkeys(map(str, Outcome), 0) | counts)
        return Result(CELL, board, {}, "d", 3, given_up)  # type: ignore[arg-type]

    assert (result("", 4, api_error=1, error=2).total, result("", 4, api_error=1, error=2).failed) == (7, 3)
    assert result("401", 2, api_error=2).never_answered
    assert not result("", 2, api_error=2).never_answered and not result("401", 3, api_error=2).never_answered


GOOD_SAMPLE = {
    **CELL.value, "item_id": "a", "cluster": "", "groups": {}, "outcome": "answered", "answer": None, "evidence": None,
    "parts": {"strict": {"f1": [1, 2.0]}}, "counts": {"cut": 1}, "notes": [], "usage": {"calls": 1}, "error": None,
}  # fmt: skip
GOOD_CALL = {
    "subject": "m", "task": "t", "sample": "a", "label": "answer", "draw": 0,
    "reply": {"text": "A", "ending": "complete"},
}  # fmt: skip
GOOD_PROMPT = {"hash": "0af", "messages": [{}]}


def test_fields_that_are_not_what_a_run_has_are_named(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    big = 10**400
    wrong: dict[Any, tuple[dict[str, Any], dict[str, list[Any]]]] = {
        samples_in: (
            GOOD_SAMPLE,
            {
                "subject": [1], "repeat": ["0", True, None], "item_id": [7], "shots": ["1", True], "prompts": [1],
                "seed": [0.5], "outcome": ["bored", [], None], "cluster": [1], "groups": [[]], "notes": [{}],
                "why": [[]],
                "counts": [[], {"a": "b"}, {"a": None}, {"a": float("inf")}, {"a": big}],
                "usage": [{"a": float("nan")}, 0],
                "error": [1], "parts": [
                    [], {"strict": []}, {"strict": {"f1": 1}}, {"strict": {"f1": [1]}}, {"strict": {"f1": [1, 2, 3]}},
                    {"strict": {"f1": [1, -1]}}, {"strict": {"f1": ["1", 1]}}, {"strict": {"f1": [big, 1]}},
                ],
            },
        ),
        calls_in: (
            GOOD_CALL,
            {
                "subject": [1], "task": [None], "sample": [[]], "label": [7], "solver": [1], "style": [None],
                "prompt": [{}], "draw": ["0", True, 0.0], "repeat": ["abc", "-1", "²", 1.5], "seed": ["1"],
                "reply": [[], {"ending": "bored", "text": ""}, {"text": 1, "ending": "complete"}],
            },
        ),
        prompts_in: (GOOD_PROMPT, {"hash": [1, "", "xyz", "0" * 65], "messages": [{}, ["a"], None]}),
    }  # fmt: skip
    for read, (good, fields) in wrong.items():
        path.write_text(json.dumps(good) + "\n")
        assert list(read(path)) == [(0, good)], "it is good"
        for name, values in fields.items():
            for value in values:
                path.write_text(json.dumps(good | {name: value}) + "\n")
                with pytest.raises(FileProblem, match=rf"line 1: {name}: not what a run has there"):
                    list(read(path))
        for name in good:
            path.write_text(json.dumps({key: part for key, part in good.items() if key != name}) + "\n")
            said = "reply: not what a run has there" if name == "reply" else f"no field {name}"
            with pytest.raises(FileProblem, match=f"line 1: {said}"):
                list(read(path))
    for call in ({"repeat": ""}, {"repeat": "3"}, {"repeat": 2}, {"solver": "", "shots": None, "seed": 4}):
        path.write_text(json.dumps(GOOD_CALL | call) + "\n")
        assert len(list(calls_in(path))) == 1


def header(**fields: Any) -> dict[str, Any]:  # noqa: ANN401
    plan = {"tasks": ["tsg/sgqa"], "models": ["m"]}
    return {
        "identity": "i", "tsgkit": "9.0", "command": ["tsgkit"], "begun": "2026", "name": "n", "plan": plan,
        "asked": {"data": {}, "models": {}}, "data": {}, "samples": 1, "format": 1, **fields,
    }  # fmt: skip


def test_headers_that_are_not_what_a_run_has_are_named() -> None:
    assert check_evaluation(header(), Path("x")).tasks == ("tsg/sgqa",)
    assert check_evaluation(header(plan={"limit": 3}), Path("x")).first == 3, "as before there was first"
    assert check_evaluation(header(plan={"limit": 3, "first": None}), Path("x")).limit == 3
    rows: list[tuple[dict[str, Any], str]] = [
        ({"samples": True}, "samples: not what a run has there"),
        ({"samples": "1"}, "samples: not what a run has there"),
        ({"command": [1]}, "command: not a list of words"),
        ({"asked": {"models": {}}}, "asked: no field data"),
        ({"asked": {"data": {}, "models": []}}, "asked: no field models"),
        ({"asked": {"data": {}, "models": {"m": 1}}}, "asked: models: not what a run has there"),
        ({"asked": {"data": {}, "models": {}, "items": []}}, "asked: items: not what a run has there"),
        ({"shard": "1-2"}, "shard: not what a run has there"),
        ({"shard": 1}, "shard: not what a run has there"),
        ({"plan": {"seed": "x"}}, "plan: seed: "),
    ]
    for fields, message in rows:
        with pytest.raises(FileProblem, match=f"x/{HEADER}: {message}") as problem:
            check_evaluation(header(**fields), Path("x"))
        assert problem.value.hint == "use the version that wrote it, or a newer one", fields
    for name in ("name", "plan", "asked", "data", "samples"):
        with pytest.raises(FileProblem, match=f"no field {name}"):
            check_evaluation({key: part for key, part in header().items() if key != name}, Path("x"))
    for fields in ({"identity": 7}, {"command": "x"}, {"begun": None}, {"tsgkit": 1}):
        with pytest.raises(FileProblem, match=f"{next(iter(fields))}: not what a run has there"):
            check_header(header(**fields), Path("x"))
    with pytest.raises(FileProblem, match="not an object"):
        check_header([], Path("x"))
    with pytest.raises(FileProblem) as problem:
        check_evaluation(header(samples="1", tsgkit=__version__), Path("x"))
    assert problem.value.hint == "the file was changed by hand"


def run_of(folder: Path, *, calls: list[dict[str, Any]] | None = None, **fields: Any) -> Path:  # noqa: ANN401
    folder.mkdir()
    (folder / HEADER).write_text(json.dumps(header(**fields)))
    write_lines(folder / "calls.jsonl", [GOOD_CALL | call for call in calls or []])
    return folder


def test_runs_are_listed_by_age_with_what_is_recorded(tmp_path: Path) -> None:
    late, early = run_of(tmp_path / "a", begun="2026-02"), run_of(tmp_path / "b", begun="2026-01", shard="1/2")
    more = [{"item_id": "b", "outcome": "api_error"}, {"item_id": "c"}]
    records = [GOOD_SAMPLE, GOOD_SAMPLE, *(GOOD_SAMPLE | one for one in more)]
    write_lines(late / "samples.jsonl", records)
    run_of(tmp_path / "other", format=2)
    (run_of(tmp_path / "broken") / HEADER).write_text("{")
    (tmp_path / "file").touch()
    found, problems = runs_in(tmp_path)
    assert [one["run"] for one in found] == [str(early), str(late)] and len(problems) == 1
    assert found[0]["shard"] == "1/2" and found[1] == {
        "run": str(late), "identity": "i", "begun": "2026-02", "styles": ["zero-shot"], "limit": None, "first": None,
        "models": ["m"], "tasks": ["tsg/sgqa"], "samples": 1, "recorded": 2, "shard": None,
    }  # fmt: skip
    assert [one["run"] for one in runs_in(late).runs] == [str(late)] and runs_in(tmp_path / "no") == ([], [])


def test_a_script_of_a_run_has_the_last_reply_of_each_label(tmp_path: Path) -> None:
    def said(text: str | None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"reply": {"text": text, "ending": "complete", "source": more.pop("source", "model")}, **more}

    run = run_of(
        tmp_path / "run",
        calls=[
            said("old"), said("new"), said("third", draw=2), said("second", draw=1), said("é", sample="b"),
            said("here", source="local", label="local"),
        ],
    )  # fmt: skip
    assert list(script_lines(run)) == [
        '{"item_id": "a", "reply": {"answer": "third"}}',
        '{"item_id": "b", "reply": {"answer": "é"}}',
    ]
    assert list(script_lines(run, "m")) == list(script_lines(run))
    with pytest.raises(UsageError, match="no subject is called k"):
        script_lines(run, "k")
    two = run_of(tmp_path / "two", calls=[said("A"), said("B", subject="k"), said("C", seed=1)])
    with pytest.raises(UsageError, match="'answer' about item a was asked twice, with another subject") as why:
        script_lines(two)
    assert "--subject" in why.value.hint
    with pytest.raises(UsageError, match="with another seed"):
        script_lines(two, "m")
    with pytest.raises(UsageError, match="no model was asked in it"):
        script_lines(run_of(tmp_path / "none"))


def test_batches_are_noted_step_by_step_until_they_are_collected(tmp_path: Path) -> None:
    path = tmp_path / "batches.jsonl"
    journal = Journal(path, "step", "mark")
    mine, other = (BatchJournal(journal, model, "http://sk-secret-key@a", Secrets(["sk-secret-key"])) for model in "mo")
    batches = {mark: Batch(mark, ("a", "b", "c"), 1.23456) for mark in ("1", "2", "3", "4")}
    for mark, batch in batches.items():
        (other if mark == "4" else mine).intend(batch, "d")
    batches["1"].file = batches["2"].file = "f"
    mine.note(batches["1"])
    batches["2"].id = "i"
    mine.note(batches["2"])
    mine.read(batches["2"], ["c"])
    mine.drop(batches["3"])
    assert lines_of(path)[0] == {
        "step": "intent", "mark": "1", "model": "m", "endpoint": "http://[redacted]@a", "time": 1.235, "sha256": "d",
        "names": ["a", "b", "c"],
    }  # fmt: skip
    assert lines_of(path)[4:] == [
        {"step": "file", "mark": "1", "id": "f"}, {"step": "batch", "mark": "2", "id": "i"},
        {"step": "read", "mark": "2", "names": ["c"]}, {"step": "dropped", "mark": "3"},
    ]  # fmt: skip
    found = [(one.mark, one.names, one.time, one.file, one.id) for one in mine.open()]
    assert found == [("1", ("c",), 1.235, "f", ""), ("2", ("a", "b"), 1.235, "", "i")], (
        "of what was sent again the last"
    )
    assert [one.mark for one in other.open()] == ["4"] and (pending(path), pending(tmp_path / "no")) == (1, 0)
    unite([path, tmp_path / "no", path], tmp_path / "all.jsonl")
    assert lines_of(tmp_path / "all.jsonl") == [line for line in lines_of(path) if line["mark"] != "3"]
    for mark in ("1", "2", "4"):
        mine.read(batches[mark], ["c", "b", "a"])
    assert "names" not in lines_of(path)[-1] and mine.open() == [] == other.open() and pending(path) == 0
    unite([path], tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists(), "all are collected"
    whole = path.read_bytes()
    for line in ({"step": "intent"}, {"step": "read", "names": 1}, {"step": "batch"}, {"step": "read", "mark": []}):
        path.write_bytes(whole + json.dumps({"mark": "1", **line}).encode() + b"\n")
        for read in (mine.open, lambda: pending(path)):
            with pytest.raises(FileProblem, match="line 12: not what a run has there"):
                read()
    journal.close()
