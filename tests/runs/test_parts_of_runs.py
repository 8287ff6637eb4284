"""What runs are made of, as far as nobody is asked: exact values of small plans, limits, records and results."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from run_files import lines as lines_of
from run_files import write_lines

from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm.batch_services import Batch
from tsgkit.llm.failures import BudgetReached, Stopped
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Attempt, Ending, Reply, Usage
from tsgkit.llm.secrets import Secrets
from tsgkit.llm.settings import RetryLimits, parse, settings_of
from tsgkit.runs import executors, results
from tsgkit.runs.agent_calls import calls_beside, open_calls
from tsgkit.runs.batch_journal import BatchJournal, pending, unite
from tsgkit.runs.estimate import EstimateRange, estimates_of, prompt_tokens
from tsgkit.runs.evaluation import EvaluationOutcome, RunOptions, evaluate, folder_of, is_fatal, outcome_attributes
from tsgkit.runs.executors import usual_executor
from tsgkit.runs.folder import (
    FORMAT,
    HEADER,
    calls_in,
    check_evaluation,
    check_header,
    differences,
    prompts_in,
    read_header,
    refuse_inside_a_run,
    samples_in,
)
from tsgkit.runs.gates import Gate, gates_for, missed
from tsgkit.runs.image_generation import PaintingOutcome, PaintingWork
from tsgkit.runs.jobs import JobPart
from tsgkit.runs.journal import Journal
from tsgkit.runs.plan import Cell, Plan
from tsgkit.runs.records import RowTotals, Scoring, add_usage, record_of, sample_value, scores_of, usage_value
from tsgkit.runs.results import DONE, FAILED, LEFT, Result, RowState, cached_share
from tsgkit.runs.run_list import runs_in
from tsgkit.runs.run_setup import asks_a_model, in_shard, prepare
from tsgkit.runs.saved_run import transcript_of
from tsgkit.runs.script_export import script_lines
from tsgkit.runs.shard_merge import Merged, Missing, _header_of, _key, _lacking, _with_option, _without_place
from tsgkit.runs.shards import Shard
from tsgkit.runs.subjects import Limits, limits_of, prices_given, prices_of
from tsgkit.scoring.pooling import Outcome, Score
from tsgkit.suites.judgement import Judged, Scored
from tsgkit.suites.scoreboard import Board
from tsgkit.suites.solvers.solver import Expected
from tsgkit.suites.suite import task_of
from tsgkit.suites.transcript import LabelledReply, RecordedAsk, Transcript
from tsgkit.version import __version__

ADDRESS = "api_base=http://127.0.0.1:9/v1"
CELL = Cell("m", "tsg/sgqa", "single", "cot", 0)


def test_a_row_and_a_folder_are_called_by_what_tells_them_apart() -> None:
    assert CELL.title == "m tsg/sgqa cot" and CELL.ways == ("cot",) and CELL.axes == ()
    other = Cell("m", "tsg/sgqa", "vote:3", "few-shot", 2, 3, "mine", 0)
    assert other.title == "m tsg/sgqa few-shot vote:3 shots=3 prompts=mine seed=0 #3"
    assert Cell("b", "t", "baseline", "", 1).title == "b t #2"
    assert other.own_axes == {"shots": 3, "prompts": "mine", "seed": 0} and Cell.of(other.value) == other
    assert CELL.value == {"subject": "m", "task": "tsg/sgqa", "solver": "single", "style": "cot", "repeat": 0}
    plan = Plan(images=("a=x/y",), scenes=("b=z",))
    found = [(one.name, one.kind, str(one.path)) for one in plan.folders]
    assert found == [("a", "images", "x/y"), ("b", "scenes", "z")]
    for message, texts in (("not NAME=DIR", ("x", "=x", "x=")), ("is no name for", ("a/b=x", "script:a=x", "a\n=x"))):
        for text in texts:
            with pytest.raises(UsageError, match=message):
                assert Plan(images=(text,)).folders


def test_a_run_is_named_after_its_models_and_tasks() -> None:
    tasks, x = ("tsg/sgqa", "tsg/sgds", "tsg/sa-sgg", "tsg/ma-sgg"), "openai/x"
    for chosen, models, name in (
        (tasks[:1], ("openai/a b",), "a-b-tsg-sgqa"), (tasks[:2], (x, "openai/y"), "x+y-tsg-sgqa+tsg-sgds"),
        (tasks[:3], (x,), "x-tsg-sgqa+tsg-sgds+tsg-sa-sgg"), (tasks, (x,), "x-tsg"),
        (tasks[:1], ("openai/" + "x" * 80,), "x" * 60),
    ):  # fmt: skip
        assert prepare(Plan(first=1, model_args=(ADDRESS,), tasks=chosen, models=models)).name == name, name
    kinds = (x, "rules", "baseline/x", "script:f", "replay:r")
    assert [asks_a_model(one) for one in kinds] == [True, False, False, False, False]


def test_what_a_plan_lacks_or_has_too_much_is_told_before_anything(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    base: dict[str, Any] = {"tasks": ("tsg/sgqa",), "models": ("openai/x",), "model_args": (ADDRESS,)}
    rows: list[tuple[dict[str, Any], str]] = [
        ({"models": ("",)}, "--model: a name is empty"),
        ({"models": ("baseline/rules",)}, "no model is asked, so --model-arg has no use"),
        ({"judge": "rules"}, "--judge looks at folders, and none is named"),
        ({"images": (f"a={tmp_path}",)}, "--images: tsg/sgqa takes models"),
        ({"images": (f"a={tmp_path}/no",)}, "no such folder"),
        ({"images": (f"a={tmp_path}/file",)}, "a file, not a folder"),
        ({"images": (f"a={tmp_path}", f"a={tmp_path}/x")}, "two subjects are called a"),
        ({"assets": ("x=y",)}, "--assets and --missing only apply with --scenes"),
        ({"missing": "box"}, "--assets and --missing only apply with --scenes"),
        ({"pairing": "position"}, "only applies with --images"),
        ({"protocols": ("other",)}, "tsg/sgqa has no protocol other"),
        ({"ids": ("nothing",)}, "no task has an item nothing"),
        ({"tasks": ("tsg/sgqa", "formalimg/layout")}, "the tasks recommend different temperatures"),
    ]
    for changes, message in rows:
        with pytest.raises(UsageError, match=message):
            prepare(Plan.model_validate(base | changes))
    with pytest.raises(UsageError, match="--scene-time -1: seconds are needed"):
        prepare(Plan.model_validate(base), scene_time=-1)
    note = "--shots changes nothing in this run: no style of it shows examples"
    assert note in prepare(Plan.model_validate(base | {"shots": 3})).notes
    assert note not in prepare(Plan.model_validate(base | {"shots": 3, "styles": ("few-shot",)})).notes


def test_limits_are_those_that_options_say() -> None:
    found = limits_of({
        "concurrency": 3, "rpm": 10, "tpm": 20, "max_requests": 5, "max_tokens": 6, "max_cost": 0.5, "timeout": 7.0,
        "attempts": 2, "max_outage": 0.5, "wait_for_server": 60, "prompt_cache": True, "batch": True, "wait": False,
        "price": "1,2",
    })  # fmt: skip
    assert (found.concurrency, found.in_flight, found.requests_per_minute, found.tokens_per_minute) == (3, 3, 10, 20)
    assert (found.max_requests, found.max_tokens, found.max_cost, found.prices) == (5, 6, 0.5, ("1,2",))
    assert (found.prompt_cache, found.batch, found.waits) == (True, True, False)
    patience = found.patience
    assert (patience.timeout, patience.attempts, patience.same_error, patience.max_outage) == (7.0, 2, 2, 30.0)
    assert (patience.wait_for_server, RetryLimits.wait_for_server) == (60, 15)
    usual, same = limits_of({}).patience, min(RetryLimits.same_error, RetryLimits.attempts)
    assert (usual.attempts, usual.same_error, usual.max_outage) == (RetryLimits.attempts, same, RetryLimits.max_outage)
    never = limits_of({"max_outage": 0, "wait_for_server": 0.0}).patience
    assert (never.max_outage, never.wait_for_server, Limits(batch=True).in_flight) == (0, 0, 10**7)
    rows: list[tuple[dict[str, Any], str]] = [
        *(({name: 0}, "it must be more than 0") for name in ("concurrency", "timeout", "rpm", "max_cost", "attempts")),
        ({"tpm": float("nan")}, "--tpm nan: it must be more than 0"),
        *(({name: -1}, r"-1: it must be 0 \(do not wait\) or more") for name in ("max_outage", "wait_for_server")),
        ({"wait": False}, "--no-wait is about batches"),
        ({"batch": True, "client": "direct"}, "--batch: requests in batches are made by LiteLLM"),
    ]
    for options, message in rows:
        with pytest.raises(UsageError, match=message):
            limits_of(options)


def test_prices_are_given_for_one_model_or_for_all() -> None:
    assert prices_given({"a": (1, 2), "b": "3,4"}) == ("a:1,2", "b:3,4")
    assert prices_given("1,2") == ("1,2",) == prices_given((1, 2)) and prices_given(["1,2", (3, 4)]) == ("1,2", "3,4")
    assert prices_given(()) == ()
    with pytest.raises(UsageError):
        prices_given("m:one,two")
    names = ("openai/m", "openai/mm")
    settings = {name: settings_of(name, parse([ADDRESS], [name]), {}) for name in names}
    found = prices_of(names, ("1,2", "openai/mm:3,4"), settings)
    assert [(one.prompt, one.completion) for one in found.values() if one] == [(1e-6, 2e-6), (3e-6, 4e-6)]
    half = prices_of(names, ("1,2",), settings, batch=True)["openai/m"]
    assert half is not None and (half.prompt, half.completion) == (0.5e-6, 1e-6)
    assert prices_of(names, (), settings) == dict.fromkeys(names)


def test_gates_are_read_and_missed_below_their_value() -> None:
    tasks: Any = {"tsg/sgqa": SimpleNamespace(metrics={
        "exact_match": SimpleNamespace(is_share=True), "seconds": SimpleNamespace(is_share=False),
    })}  # fmt: skip
    assert gates_for(["sgqa.exact_match=0.8", "tsg/sgqa.seconds=12"], tasks) == (
        Gate("tsg/sgqa", "exact_match", 0.8), Gate("tsg/sgqa", "seconds", 12.0),
    )  # fmt: skip
    gates_for(["sgqa.exact_match=0", "sgqa.exact_match=1", "sgqa.seconds=0"], tasks)
    for text, message in (
        ("sgqa.exact_match", "not TASK.METRIC=VALUE"), ("sgqa.exact_match=x", "not TASK.METRIC=VALUE"),
        ("sgds.f1=1", "is not evaluated"), ("sgqa.f1=1", "tsg/sgqa has no f1"),
        ("sgqa.exact_match=80", "values are fractions of 1"), ("sgqa.exact_match=-0.1", "values are fractions of 1"),
        ("sgqa.exact_match=1.1", "values are fractions of 1"), ("sgqa.seconds=-1", "not a value that can be reached"),
        ("sgqa.seconds=inf", "not a value that can be reached"), ("sgqa.exact_match=nan", "values are fractions"),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=message):
            gates_for([text], tasks)

    def result(value: float | None, unasked: int = 0, task: str = "tsg/sgqa") -> Any:  # noqa: ANN401
        strict = {} if value is None else {"exact_match": SimpleNamespace(value=value)}
        board = SimpleNamespace(profiles={"strict": strict or None})
        return SimpleNamespace(cell=CELL._replace(task=task), board=board, unasked=unasked, total=1200)

    gate = [Gate("tsg/sgqa", "exact_match", 0.8)]
    assert missed(gate, [result(0.8), result(0.9), result(0.1, task="other")]) == []
    assert missed(gate, [result(0.79996), result(None), result(0.9, 1100)]) == [
        "gate missed: m tsg/sgqa cot: exact_match is 0.8000, less than 0.8",
        "gate missed: m tsg/sgqa cot: exact_match is no value, less than 0.8",
        "gate missed: m tsg/sgqa cot: exact_match is unfinished: 1,100 of 1,200 samples were not asked",
    ]


def test_an_estimate_adds_up_prompts_images_and_replies_or_takes_what_ten_samples_used() -> None:
    class Solver:
        reasons, images = False, 0

        def expected(self, sample: object) -> Any:  # noqa: ANN401
            return Expected((1, 2), (30, 60), (10, 30), self.reasons, [(512, 512)] * self.images, worst=3)

    def estimate(price: Price | None, asked: str = "openai/x", used: Any = None) -> Any:  # noqa: ANN401
        dataset = SimpleNamespace(sample=lambda number: number)
        row: Any = SimpleNamespace(cell=CELL, asked=asked, numbers=[4, 5], solver=Solver(), dataset=dataset)
        [found] = estimates_of(SimpleNamespace(rows=[row]), {"openai/x": price}, used)  # type: ignore[arg-type]
        return found

    found = estimate(Price(1.0, 10.0))
    assert (found.cell, found.samples, found.requests, found.worst) == (CELL, 2, (2, 4), 3)
    assert (found.prompt, found.completion) == (EstimateRange(12.0, 40.0), EstimateRange(4.0, 20.0 + 240.0))
    assert found.cost == EstimateRange(12.0 + 40.0, 40.0 + 2600.0) and estimate(None).cost is None
    Solver.reasons = True
    assert estimate(None).completion == EstimateRange(4.0 + 200.0, 20.0 + 4 * 860.0)
    free, none = estimate(None, "baseline/rules"), EstimateRange()
    assert (free.samples, free.requests, free.prompt, free.completion, free.cost) == (2, (0, 0), none, none, none)
    assert EstimateRange(1, 2) + EstimateRange(3, 5) == EstimateRange(4, 7)
    assert prompt_tokens("openai/x", ["abc", "d" * 12]) == EstimateRange(3.0, 5.0)
    Solver.images = 2
    assert estimate(None, "openai/gpt-4o").prompt == EstimateRange(12 + 2 * 2 * 255, 40 + 2 * 2 * 255)
    took = [{"requests": 1, "prompt": 100 + 10 * (number % 2), "completion": 7} for number in range(10)]
    assert estimate(None, used={CELL: took[:9]}).measured == 0
    found = estimate(Price(1.0, 10.0), used={CELL: took})
    assert (found.measured, found.requests, found.completion, found.worst) == (10, (2, 2), EstimateRange(14.0, 14.0), 1)
    assert (found.prompt.low, found.prompt.high) == pytest.approx((210 - 20 / 3, 210 + 20 / 3)), "two standard errors"


def test_processes_are_started_where_there_is_enough_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executors, "processors", lambda: 2)
    found = [usual_executor(*given) for given in ((16, 16), (15, 16), (16, 16, 1), (16, 16, 2))]
    assert found == ["processes", "here", "here", "processes"]
    assert executors.executor_named("processes").workers == 4 and executors.executor_named("processes", 1).workers == 2
    monkeypatch.setattr(executors, "processors", lambda: 1)
    assert usual_executor(100, 16) == "here" == executors.executor_named("here").name


def test_how_a_run_ends_is_its_exit_code() -> None:
    def outcome(unasked: int = 0, failed: int = 0, given_up: str = "", **parts: Any) -> EvaluationOutcome:  # noqa: ANN401
        result: Any = SimpleNamespace(unasked=unasked, failed=failed, given_up=given_up)
        usual: dict[str, Any] = {"interrupted": False, "budget": "", "notices": ()}
        return EvaluationOutcome(Path("run"), (result, result), (), **(usual | parts))

    assert (outcome().complete, outcome().exit_code, outcome(unasked=2).unasked) == (True, 0, 4)
    assert not outcome(unasked=1).complete and not outcome(failed=1).complete
    assert [one.exit_code for one in (outcome(failed=1), outcome(given_up="401"), outcome(unasked=1))] == [1, 1, 0]
    assert outcome(interrupted=True, budget="b", open_batches=1).exit_code == 130
    assert outcome(budget="b", open_batches=1, failed=1).exit_code == 4
    assert outcome(open_batches=1, failed=1).exit_code == 5

    def painted(**parts: Any) -> PaintingOutcome:  # noqa: ANN401
        return PaintingOutcome(Path("x"), **({"total": 7, "there": 1, "painted": 2, "blocked": 1} | parts))

    assert painted(failures=(("a", "b"),)).unasked == 2 and not painted().complete
    assert (painted(painted=5).complete, painted(painted=5).exit_code, painted().exit_code) == (True, 0, 1)
    assert not painted(painted=4, failures=(("a", "b"),)).complete
    assert painted(budget="b").exit_code == 4 and painted(budget="b", interrupted=True).exit_code == 130
    assert PaintingWork((1, 2), 3, 4).total == 9  # type: ignore[arg-type]


def test_a_row_counts_what_is_done_and_what_failed_as_a_judgement_that_is_no_json() -> None:
    row = prepare(Plan(tasks=("tsg/sgqa",), models=("baseline/random",), first=3)).rows[0]
    state = RowState(row)
    assert (state.total, list(state.left()), state.metric) == (3, [0, 1, 2], "exact_match")
    state.note(1, 40, "answered")
    state.note(2, 80, "api_error")
    assert (state.finished, state.failed, list(state.left()), list(state.places)) == (1, 1, [0, 2], [-1, 40, 80])
    assert list(state.done) == [LEFT, DONE, FAILED]
    state.note(2, 90, "unreadable")
    state.note(1, 95, "error")
    assert (state.finished, state.failed, list(state.left()), list(state.places)) == (1, 1, [0, 1], [-1, 95, 90])
    state.add_score({"strict": {"exact_match": [2.0, 4.0]}})
    state.add_score({"strict": {"exact_match": [1.0, 0.0]}})
    state.add_score({})
    assert state.score / state.weight == 0.5
    assert JobPart("x", 0, 1, 0, 1).seconds_left is None
    sample = row.dataset.sample(0)
    judged = row.solver.judge(sample, None)
    bad = Scored(Judged(sample, judged.outcome, {1, 2}, judged.scores), "")
    record, line = Scoring(row.cell, row.task, row.solver).written(bad, Transcript(()))
    assert (record["outcome"], record["answer"], record["evidence"]) == ("error", None, None)
    assert record["error"].endswith("its judgement is not JSON") and line.endswith(b"\n")


def test_a_merge_takes_the_first_header_with_the_shards_that_are_in_it_and_commands_without_place() -> None:
    words = ["tsgkit", "eval", "--shard", "1/2", "--task", "x", "--out=run", "-o", "y", "--shard=2/2", "--outer"]
    assert _without_place(words) == ["tsgkit", "eval", "--task", "x", "--outer"]
    assert _without_place(["tk.evaluate('x', shard='1/2', out='run', limit=3)"]) == ["tk.evaluate('x', limit=3)"]
    assert _with_option(["tk.evaluate('x')"], "shard", "1/2") == ("tk.evaluate('x', shard='1/2')",)
    assert _with_option(["tsgkit", "eval"], "out", "run") == ("tsgkit", "eval", "--out", "run")
    assert _lacking(["2/3"]) == ("1/3", "3/3") and _lacking(["1/2", "2/2"]) == () == _lacking(["1/2", "1/3"])
    assert _lacking([]) == () == _lacking(["all"])
    assert _key({"repeat": 2}) < _key({"repeat": 10}) and _key({"draw": 9}) < _key({"draw": 10})
    assert _key({"repeat": 0}) == _key({}) == _key({"repeat": ""}) != _key({"sample": "a"})
    merged = Merged(Path("x"), 2)
    assert merged.complete and not Merged(Path("x"), 2, missing=(Missing("t", 1, 2),)).complete
    assert not Merged(Path("x"), 2, lacking=("1/2",)).complete and not Merged(Path("x"), 2, problems=("p",)).complete

    def header(begun: str, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"begun": begun, "command": ["tsgkit", "--shard", "1/2"], **parts}

    one = header("2", shard="1/3", models={"a": 1}, response_formats={"eye": {"json_object": False}})
    two = header("1", shards=["2/3", "3/3"], models={"b": 2}, written="x", response_formats={"ear": {"x": True}})
    assert _header_of([one, two, header("3", shard="1/3", models=["odd"], response_formats=7)]) == {
        "begun": "1", "command": ["tsgkit"], "shards": ["1/3", "2/3", "3/3"], "models": {"a": 1, "b": 2},
        "response_formats": {"eye": {"json_object": False}, "ear": {"x": True}}, "written": "",
    }  # fmt: skip
    assert "shards" not in _header_of([one, header("3")]), "a part that was begun as the whole"
    assert "tsgkit" in _header_of([header("1", plan={})])


def test_runs_differ_by_what_was_asked_but_for_texts_of_cards(tmp_path: Path) -> None:
    tasks = [{"t": {"version": version, "card": card}} for version, card in ((1, "text"), (1, "other"), (2, "text"))]
    rows: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
        ({"tasks": tasks[0]}, {"tasks": tasks[1]}, []), ({"tasks": tasks[0]}, {"tasks": tasks[2]}, ["tasks differs"]),
        ({"seed": 1, "x": 1}, {"seed": 2, "x": 1, "y": 0}, ["seed differs", "y differs"]),
        ({"effort": {"level": 1, "b": 2}}, {"effort": {"level": 2, "b": 2}}, ["effort: level differs"]),
    ]  # fmt: skip
    for one, other, expected in rows:
        assert differences({"asked": one}, {"asked": other}) == expected
    with pytest.raises(UsageError, match="old: another version of tsgkit wrote this run"):
        read_header(run_of(tmp_path / "old", format=FORMAT - 1))


def test_nothing_is_written_into_a_run(tmp_path: Path) -> None:
    run = evaluate(
        Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), first=1), RunOptions(out=tmp_path / "run")
    ).path
    for file in (run / "x.html", run / "deep/x.html", run):
        with pytest.raises(FileProblem, match="lies in the run"):
            refuse_inside_a_run(file)
    refuse_inside_a_run(tmp_path / "x.html", [run])
    other = prepare(Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), first=1))
    assert folder_of(other, RunOptions())[0] == Path("runs") / f"rules-tsg-sgqa-{other.identity}"
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()
    with pytest.raises(UsageError, match="the folder is not empty, and no run lies in it"):
        evaluate(other.plan, RunOptions(out=tmp_path / "full"))


def test_calls_beside_a_product_belong_to_its_work(tmp_path: Path) -> None:
    script = tmp_path / "s.jsonl"
    script.write_text('{"item_id": "a", "reply": "A"}\n')
    product = tmp_path / "out.txt"

    def opened(**how: Any) -> Any:  # noqa: ANN401
        return open_calls(product, f"script:{script}", (), {"work": how.pop("work", "x")}, Limits(), **how)

    first = opened()
    assert first.folder.path == calls_beside(product) == tmp_path / "out.txt.calls" and first.notices == ()
    first.put("made\n")
    first.close()
    again = opened()
    again.put("made again\n")
    again.close()
    product.write_text("by hand")
    for how in ({}, {"work": "y"}):
        with pytest.raises(FileProblem, match="already here would be lost"):
            opened(**how)
    fresh = opened(new=True)
    assert len(fresh.notices) == 2 and all(one.startswith("earlier work now lies in ") for one in fresh.notices)
    fresh.close()
    with pytest.raises(UsageError, match="baseline/x is no model to ask"):
        open_calls(product, "baseline/x", (), {}, Limits())
    with pytest.raises(UsageError, match="the price of openai/m is not known"):
        open_calls(product, "openai/m", [ADDRESS, "api_key=k"], {}, Limits(max_cost=1.0))


def test_an_exception_of_code_ends_its_sample_and_one_of_a_package_or_a_budget_the_run() -> None:
    budget = BudgetReached("used up")

    async def refused(*_: object, **__: object) -> Reply:
        raise budget

    heard = RecordedAsk(refused)
    assert not is_fatal(budget, heard), "it was not asked yet"
    with pytest.raises(BudgetReached):
        asyncio.run(heard([], label="answer"))
    assert is_fatal(budget, heard)
    for error, ends in (
        (ValueError(), False), (FileProblem("x"), False), (UsageError("x"), True), (Stopped("x"), False),
    ):  # fmt: skip
        assert is_fatal(error, heard) is ends, error


def test_a_shard_is_named_as_the_whole() -> None:
    whole = prepare(Plan(tasks=("tsg/sgqa",), models=("baseline/rules",), first=1))
    parts = [in_shard(whole, Shard(number, 2)) for number in (1, 2)]
    assert sorted(len(part.rows) for part in parts) == [0, 1]
    assert [part.name for part in parts] == ["rules-tsg-sgqa"] * 2


SAMPLE: Any = SimpleNamespace(item_id="a", cluster="c", groups={"kind": ("x", "y")})
PAID = Reply("A", attempts=(Attempt(0.23456, "429", 429, 0.5), Attempt(0.5)), usage=Usage(10, 4, 3, 6, 0.5))
CACHED = Reply("A", source="cache", seconds=9.0, usage=Usage(20, 1))
BROKEN = Reply(None, Ending.API_ERROR, error="503", attempts=(Attempt(1.0, "503", 503),), usage=Usage())
LOCAL = Reply("A", source="local", usage=Usage(1, 1))


def test_usage_counts_what_was_asked_and_paid_and_says_what_nobody_knows() -> None:
    assert usage_value((LOCAL,)) == {} == usage_value(())
    assert usage_value((PAID, CACHED, BROKEN, LOCAL)) == {
        "calls": 3, "from_cache": 1, "requests": 2, "seconds": 2.2346, "untold": 1, "unpriced": 0, "prompt": 30,
        "completion": 5, "reasoning": 3, "cached": 6, "cost": 0.5, "cached_of": 10, "retried": 1,
    }  # fmt: skip
    free = usage_value((Reply("A", usage=Usage(1, 2)),))
    assert (free["unpriced"], free["cost"], free["untold"]) == (1, 0.0, 0) and "retried" not in free
    total: dict[str, Any] = {"calls": 2}
    add_usage(total, {"calls": 3, "cost": 0.5})
    assert total == {"calls": 5, "cost": 0.5}
    used = usage_value((PAID, CACHED))
    assert results.usage_value({}) is None
    assert results.usage_value(used) == {
        "calls": 2, "from_cache": 1, "requests": 1, "retried": 1, "seconds": 1.235, "prompt_tokens": 30,
        "completion_tokens": 5, "reasoning_tokens": 3, "cached_tokens": 6, "cached_input": 0.6,
        "calls_without_usage": 0, "cost": 0.5, "calls_without_price": 0,
    }  # fmt: skip
    for changes, tokens, cost in (
        ({"untold": 1}, 30, 0.5), ({"untold": 2}, None, None), ({"unpriced": 1}, 30, 0.5),
        ({"unpriced": 1, "cost": 0.0}, 30, None), ({"unpriced": 1, "cost": 0.0, "from_cache": 2}, 30, 0.0),
        ({"cost": 0.0}, 30, 0.0),
    ):  # fmt: skip
        value = results.usage_value({**used, **changes})
        assert value is not None and (value["prompt_tokens"], value["cost"]) == (tokens, cost), changes
    assert (
        cached_share({"cached": 50, "cached_of": 100}) == 0.5 and cached_share({"cached": 50, "cached_of": 10}) == 1.0
    )
    assert cached_share({"prompt": 0, "cached": 0}) is None


def test_a_record_holds_a_judgement_and_gives_its_scores_back() -> None:
    scores = {"strict": {"f1": Score(1.0, 2.0), "order": Score(0.0, 0.0, "one graph")}}
    more: dict[str, Any] = {"notes": ("a note",), "counts": {"cut": 0, "extra": 2}, "evidence": {"seen": 1}}
    judged = Judged(SAMPLE, Outcome.ANSWERED, "A", scores, **more)
    record = record_of(CELL, judged, Transcript((LabelledReply("answer", PAID), LabelledReply("answer", BROKEN))))
    assert record == {
        "subject": "m", "task": "tsg/sgqa", "solver": "single", "style": "cot", "repeat": 0, "item_id": "a",
        "cluster": "c", "groups": {"kind": ("x", "y")}, "outcome": "answered", "answer": "A",
        "parts": {"strict": {"f1": [1.0, 2.0], "order": [0.0, 0.0]}}, "why": {"strict.order": "one graph"},
        "counts": {"extra": 2}, "notes": ["a note"], "evidence": {"seen": 1},
        "usage": usage_value((PAID, BROKEN)), "error": "503",
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


def test_totals_of_a_row_tell_errors_apart_and_a_result_what_never_answered() -> None:
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

    def result(given_up: str, n: int, **counts: int) -> Result:
        board = Board(n, {}, dict.fromkeys(map(str, Outcome), 0) | counts, {})
        return Result(CELL, board, {}, "d", 3, given_up)

    assert (result("", 4, api_error=1, error=2).total, result("", 4, api_error=1, error=2).failed) == (7, 3)
    assert all(result(why, n, api_error=n).never_answered for why, n in (("401", 2), ("", 2), ("", 1), ("401", 0)))
    assert not result("", 0).never_answered and not result("401", 3, api_error=2).never_answered


GOOD_SAMPLE = {
    **CELL.value, "item_id": "a", "cluster": "", "groups": {}, "outcome": "answered", "answer": None, "evidence": None,
    "parts": {"strict": {"f1": [1, 2.0]}}, "counts": {"cut": 1}, "notes": [], "why": {}, "usage": {},
    "error": None,
}  # fmt: skip
GOOD_CALL = {
    "subject": "m", "task": "t", "sample": "a", "repeat": 0, "label": "answer", "draw": 0,
    "reply": {"text": "A", "ending": "complete"},
}  # fmt: skip
GOOD_PROMPT = {"hash": "0af", "messages": [{}]}


def test_fields_that_are_not_what_a_run_has_are_named(tmp_path: Path) -> None:
    path, big = tmp_path / "samples.jsonl", 10**400
    wrong: dict[Any, tuple[dict[str, Any], dict[str, list[Any]]]] = {
        samples_in: (GOOD_SAMPLE, {
            "subject": [1], "repeat": ["0", True], "item_id": [7], "shots": ["1", True], "prompts": [1], "seed": [0.5],
            "outcome": ["bored", []], "cluster": [1], "groups": [[]], "notes": [{}], "why": [[]], "error": [1],
            "counts": [[], {"a": "b"}, {"a": float("inf")}, {"a": big}],
            "usage": [{"a": float("nan")}, 0, {"calls": 1}],
            "parts": [
                [], {"strict": []}, {"strict": {"f1": 1}}, {"strict": {"f1": [1]}}, {"strict": {"f1": [1, 2, 3]}},
                {"strict": {"f1": [1, -1]}}, {"strict": {"f1": ["1", 1]}}, {"strict": {"f1": [big, 1]}},
            ],
        }),
        calls_in: (GOOD_CALL, {
            "subject": [1], "task": [None], "sample": [[]], "label": [7], "solver": [1], "style": [None],
            "prompt": [{}], "draw": ["0", True, 0.0], "repeat": ["0", True, 1.5], "seed": ["1"],
            "reply": [[], {"ending": "bored", "text": ""}, {"text": 1, "ending": "complete"}],
        }),
        prompts_in: (GOOD_PROMPT, {"hash": [1, "", "xyz", "0" * 65], "messages": [{}, ["a"], None]}),
    }  # fmt: skip
    for read, (good, fields) in wrong.items():
        write_lines(path, [good])
        [(place, value)] = read(path)
        assert (place, good | value) == (0, value), "it is good"
        rows = [({**good, name: value}, f"{name}: not what a run") for name, of in fields.items() for value in of]
        for name in good:
            said = "reply: not what a run has there" if name == "reply" else f"no field {name}"
            rows.append(({key: part for key, part in good.items() if key != name}, said))
        for line, said in rows:
            write_lines(path, [line])
            with pytest.raises(FileProblem, match=f"line 1: {said}"):
                list(read(path))
    for call in ({"repeat": 2}, {"solver": "", "shots": None, "seed": 4}):
        write_lines(path, [GOOD_CALL | call])
        assert len(list(calls_in(path))) == 1


def header(**fields: Any) -> dict[str, Any]:  # noqa: ANN401
    plan = {"tasks": ["tsg/sgqa"], "models": ["m"]}
    return {
        "identity": "i", "tsgkit": "9.0", "command": ["tsgkit"], "begun": "2026", "name": "n", "plan": plan,
        "asked": {"data": {}, "models": {}, "items": {}}, "data": {}, "samples": 1, "format": FORMAT, "reader": 1,
        **fields,
    }  # fmt: skip


def test_headers_that_are_not_what_a_run_has_are_named() -> None:
    assert check_evaluation(header(), Path("x")).tasks == ("tsg/sgqa",)
    with pytest.raises(UsageError, match="x: no evaluation, but the calls of refine"):
        check_evaluation({"asked": {"work": "refine"}, "written": ""}, Path("x"))
    rows: list[tuple[dict[str, Any], str]] = [
        ({"samples": True}, "samples: not what a run has there"), ({"command": [1]}, "command: not a list of words"),
        ({"asked": {"models": {}}}, "asked: no field data"), ({"asked": {"data": {}, "models": []}}, "asked: no field"),
        ({"asked": {"data": {}, "models": {"m": 1}, "items": {}}}, "asked: models: not what a run has there"),
        ({"asked": {"data": {}, "models": {}, "items": []}}, "asked: no field items"),
        ({"shard": "1-2"}, "shard: not what a run has there"), ({"shard": 1}, "shard: not what a run has there"),
        ({"plan": {"seed": "x"}}, "plan: seed: "),
    ]  # fmt: skip
    for fields, message in rows:
        with pytest.raises(FileProblem, match=f"x/{HEADER}: {message}") as problem:
            check_evaluation(header(**fields), Path("x"))
        assert problem.value.hint == "use the version that wrote it, or a newer one", fields
    for name in ("name", "plan", "asked", "data", "samples", "reader"):
        with pytest.raises(FileProblem, match=f"no field {name}"):
            check_evaluation({key: part for key, part in header().items() if key != name}, Path("x"))
    for fields in ({"identity": 7}, {"command": "x"}, {"begun": None}, {"tsgkit": 1}):
        with pytest.raises(FileProblem, match=f"{next(iter(fields))}: not what a run has there"):
            check_header(header(**fields), Path("x"))
    with pytest.raises(FileProblem, match="not an object"):
        check_header([], Path("x"))
    with pytest.raises(FileProblem, match="samples") as problem:
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
    run_of(tmp_path / "other", format=FORMAT + 1)
    (run_of(tmp_path / "broken") / HEADER).write_text("{")
    (tmp_path / "file").touch()
    found, problems = runs_in(tmp_path)
    assert [one["run"] for one in found] == [str(early), str(late)] and len(problems) == 1
    assert found[0]["shard"] == "1/2" and found[1] == {
        "run": str(late), "identity": "i", "begun": "2026-02", "styles": ["zero-shot"], "limit": None, "first": None,
        "models": ["m"], "tasks": ["tsg/sgqa"], "samples": 1, "recorded": 2, "never_answered": [], "shard": None,
    }  # fmt: skip
    assert [one["run"] for one in runs_in(late).runs] == [str(late)] and runs_in(tmp_path / "no") == ([], [])


def test_a_script_of_a_run_has_the_last_reply_of_each_label(tmp_path: Path) -> None:
    def said(text: str | None, **more: Any) -> dict[str, Any]:  # noqa: ANN401
        return {"reply": {"text": text, "ending": "complete", "source": more.pop("source", "model")}, **more}

    calls = [said("old"), said("new"), said("third", draw=2), said("second", draw=1), said("é", sample="b")]
    probe = said("OK", label="probe")
    run = run_of(tmp_path / "run", calls=[*calls, said("here", source="local", label="local"), probe])
    wanted = [{"item_id": item, "reply": {"answer": text}} for item, text in (("a", "third"), ("b", "é"))]
    assert transcript_of(iter([GOOD_CALL | probe])).said == ()
    for named in ((), ("m",)):
        assert list(script_lines(run, *named)) == [json.dumps(one, ensure_ascii=False) for one in wanted]
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
        (other if mark == "4" else mine).add("intent", batch, sha256="d", names=list(batch.names))
    mine.add("file", batches["1"], id="f")
    mine.add("batch", batches["2"], id="i")
    mine.add("read", batches["2"], names=["c"])
    mine.add("dropped", batches["3"])
    assert lines_of(path)[0] == {
        "step": "intent", "mark": "1", "model": "m", "endpoint": "http://[redacted]@a", "time": 1.235, "sha256": "d",
        "names": ["a", "b", "c"],
    }  # fmt: skip
    assert lines_of(path)[4:] == [
        {"step": "file", "mark": "1", "id": "f"}, {"step": "batch", "mark": "2", "id": "i"},
        {"step": "read", "mark": "2", "names": ["c"]}, {"step": "dropped", "mark": "3"},
    ]  # fmt: skip
    found = [(one.mark, one.names, one.time, one.file, one.id) for one in mine.open()]
    assert found == [("1", ("c",), 1.235, "f", ""), ("2", ("a", "b"), 1.235, "", "i")], "the last of what was sent"
    assert [one.mark for one in other.open()] == ["4"] and (pending(path), pending(tmp_path / "no")) == (3, 0)
    unite([path, tmp_path / "no", path], tmp_path / "all.jsonl")
    assert lines_of(tmp_path / "all.jsonl") == [line for line in lines_of(path) if line["mark"] != "3"]
    for mark in ("1", "2", "4"):
        mine.add("read", batches[mark])
    assert mine.open() == [] == other.open() and pending(path) == 0
    unite([path], tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists(), "all are collected"
    whole = path.read_bytes()
    for line in ({"step": "intent"}, {"step": "read", "names": 1}, {"step": "batch"}, {"step": "read", "mark": []}):
        path.write_bytes(whole + json.dumps({"mark": "1", **line}).encode() + b"\n")
        for read in (mine.open, lambda: pending(path)):
            with pytest.raises(FileProblem, match="line 12: not what a run has there"):
                read()
    journal.close()
