"""A run shows its results anywhere: in another folder, without its data, and without the code of its tasks."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from run_files import lines, project_with_card
from shipped import TASKS

import tsgkit as tk
from tsgkit.cli import main
from tsgkit.errors import FileProblem, Lacking, UsageError
from tsgkit.report.comparison import compare
from tsgkit.report.explanation import explain
from tsgkit.report.report_rows import gather
from tsgkit.runs.evaluation import Options, evaluate
from tsgkit.runs.plan import Plan, load_plan
from tsgkit.runs.rescore_job import Rescoring
from tsgkit.runs.saved_run import open_saved_run
from tsgkit.runs.shard_merge import merge
from tsgkit.runs.shards import Shard

CITIES = {"France": "Paris", "Spain": "Madrid", "Chile": "Santiago"}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Twelve rows that will not lie there any more when the run is read."""
    file = tmp_path / "data" / "rows.jsonl"
    file.parent.mkdir()
    text = (TASKS / "tsg/data/tsgkit-1/sgds.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    file.write_text("".join(text[:12]), encoding="utf-8")
    return file


def asked(out: Path, **settings: object) -> Path:
    given = {"tasks": ("tsg/sgds",), "models": ("baseline/rules",)} | settings
    evaluate(Plan.model_validate(given), Options(out=out))
    return out


def say_nothing_right(file: Path) -> None:
    """Write a script that answers every question alike."""
    rows = lines(TASKS / "tsg/data/tsgkit-1/sgqa.jsonl")
    ids = [f"{row['item_id']}/q{number}" for row in rows for number in range(len(row["qa_pairs"]))]
    file.write_text("".join(f"{json.dumps({'item_id': name, 'reply': '[A]'})}\n" for name in ids), encoding="utf-8")


def figures(run: Path) -> list[tuple[str, Any]]:
    return [(row.task, row.board) for row in gather([run], metrics="all").rows]


def moved(run: Path) -> Path:
    copy = run.parent / "elsewhere" / run.name
    shutil.copytree(run, copy)
    shutil.rmtree(run)
    return copy


@pytest.mark.parametrize("choice", [{}, {"limit": 5}, {"first": 5}])
def test_a_run_is_read_where_its_data_are_not(choice: dict[str, int], rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows), **choice)
    before, item = figures(run), lines(run / "samples.jsonl")[0]["item_id"]
    shown = explain(run, item).rows[0]
    rows.unlink()
    run = moved(run)
    assert figures(run) == before
    again = explain(run, item).rows[0]
    assert (again.sample, again.judged, again.changed) == (shown.sample, shown.judged, "")
    assert gather([run]).rows[0].data == str(rows), "the name of the file is that which was asked"
    assert all(one.before == one.after for one in [Rescoring(run).carry_out()])
    assert figures(run) == before
    assert gather([run]).rows[0].data_sha256 == json.loads((run / "run.json").read_text())["asked"]["data"]["tsg/sgds"]


def test_only_rows_that_were_asked_are_kept(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows), first=3)
    kept = (run / "asked/rows/tsg/sgds.jsonl").read_text(encoding="utf-8")
    assert kept == "".join(rows.read_text(encoding="utf-8").splitlines(keepends=True)[:3])


def test_rows_that_are_known_by_their_number_are_kept_with_all_others(rows: Path, tmp_path: Path) -> None:
    values = [json.loads(line) for line in rows.read_text(encoding="utf-8").splitlines()]
    for value in values:
        value.pop("item_id")
    rows.write_text("".join(f"{json.dumps(value)}\n" for value in values), encoding="utf-8")
    run = asked(tmp_path / "run", data=str(rows), limit=4)
    before = figures(run)
    rows.unlink()
    assert figures(moved(run)) == before


@pytest.mark.parametrize(
    ("task", "subject"),
    [
        ("tsg/sgqa", "baseline/rules"),
        ("tsg/refine", "baseline/rules"),
        ("tsg/nodes-ma", "baseline/rules"),
        ("formalimg/layout", "baseline/solver"),
        ("spatialgen/questions", "baseline/constant:A"),
    ],
)
def test_rows_of_every_suite_are_read_again_from_what_is_kept(task: str, subject: str, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", tasks=(task,), models=(subject,), limit=3)
    reopened = open_saved_run(run)
    [row] = reopened.prepared.rows
    reopened.samples.close()
    assert len(row.numbers) == 3
    assert row.dataset.sha256 == json.loads((run / "run.json").read_text())["asked"]["data"][task]
    assert [row.dataset.sample(number).item_id for number in row.numbers] == [
        one["item_id"] for one in lines(run / "samples.jsonl")
    ]
    assert [one.changed for number in row.numbers for one in explain(run, row.dataset.item_ids[number]).rows] == [
        ""
    ] * 3


def test_cards_prompts_examples_and_plan_lie_in_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project_with_card("tsg/sgqa", "title:", "# mine\ntitle:", tmp_path)
    (tmp_path / "prompts/tsg/sgqa").mkdir(parents=True)
    (tmp_path / "prompts/tsg/sgqa/statement.txt").write_text("Answer in one word.\n", encoding="utf-8")
    say_nothing_right(tmp_path / "said.jsonl")
    monkeypatch.chdir(tmp_path)
    run = asked(tmp_path / "run", tasks=("tsg/sgqa",), models=("script:said.jsonl",), limit=2, styles=("few-shot",))
    home = run / "asked"
    assert "# mine" in (home / "tasks/tsg/sgqa.yaml").read_text(encoding="utf-8")
    assert (home / "prompts/tsg/sgqa/statement.txt").read_text(encoding="utf-8") == "Answer in one word.\n"
    assert (home / "prompts/tsg/shared/examples.txt").is_file()
    assert (home / "tasks/tsg/data/few-shot/sgqa.jsonl").is_file()
    assert "few-shot" in (home / "eval/plans/run.yaml").read_text(encoding="utf-8")
    monkeypatch.chdir(home)
    assert load_plan("run") == {
        "tasks": ["tsg/sgqa"],
        "models": ["script:said.jsonl"],
        "styles": ["few-shot"],
        "limit": 2,
    }


def test_a_card_of_ones_own_is_needed_nowhere_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project_with_card("tsg/sgqa", "title:", "title:", tmp_path / "mine")
    card = tmp_path / "mine/tasks/tsg/sgqa.yaml"
    (tmp_path / "mine/tasks/tool").mkdir()
    card.rename(tmp_path / "mine/tasks/tool/tool.yaml")
    monkeypatch.chdir(tmp_path / "mine")
    run = asked(tmp_path / "run", tasks=("tool/tool",), limit=4)
    before = figures(run)
    monkeypatch.chdir(tmp_path)
    assert figures(run) == before
    assert len(compare([run, run], metric="exact_match").pairs) == 1
    assert main(["report", str(run), "--by", "k", "--fail-under", "tool/tool.exact_match=0"]) == 0
    assert main(["report", str(run), "--against", "published"]) == 0
    assert main(["samples", str(run)]) == 0


def test_rows_are_not_kept_where_they_are_not_to_be(rows: Path, tmp_path: Path) -> None:
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(rows))
    evaluate(plan, Options(out=tmp_path / "run", keep_data=False))
    run = tmp_path / "run"
    assert not (run / "asked/rows").exists()
    first = rows.read_text(encoding="utf-8").splitlines()[0]
    text = b"".join(file.read_bytes() for file in (run / "asked").rglob("*") if file.is_file())
    assert first[200:240].encode() not in text
    before = figures(run)
    evaluate(plan, Options(out=run))
    assert not (run / "asked/rows").exists(), "a run that began without its rows stays without"
    rows.rename(away := rows.with_name("away.jsonl"))
    with pytest.warns(Lacking, match="its rows were not kept: --data D"):
        assert figures(run) == before
    with pytest.warns(Lacking):
        assert explain(run, lines(run / "samples.jsonl")[0]["item_id"]).rows[0].judged.scores["strict"]
    with pytest.raises(UsageError, match="cannot be scored again here: its rows were not kept"):
        Rescoring(run).carry_out()
    assert open_saved_run(run, str(away)).prepared.lacking == {}


def capitals() -> tk.Task:
    return tk.Task(
        "my/capitals",
        [{"item_id": name, "answer": city, "sea": "yes"} for name, city in CITIES.items()],
        "What is the capital of {item_id}?",
        by="sea",
    )


def forget_what_was_given() -> None:
    """Be a process that was given no task."""
    from tsgkit.library import cards
    from tsgkit.suites import suite

    cards._GIVEN.clear()
    suite._GIVEN.clear()


@pytest.mark.usefixtures("nothing_else_given")
def test_shards_are_not_merged_without_the_code_that_scores_them(tmp_path: Path) -> None:
    parts = [
        tk.evaluate(capitals(), model=lambda _: "[Paris]", out=tmp_path / "run", shard=f"{number}/2", quiet=True).path
        for number in (1, 2)
    ]
    forget_what_was_given()
    with pytest.raises(UsageError, match="my/capitals: cannot be merged here: its code is not here"):
        merge(parts, tmp_path / "merged")
    assert not list(tmp_path.glob("*merged*"))


@pytest.mark.usefixtures("nothing_else_given")
def test_a_task_of_a_program_is_shown_without_the_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = tk.evaluate(capitals(), model=lambda _: "Answer: [Paris]", out=tmp_path / "run").path
    before = figures(run)
    shown = explain(run, "Spain").rows[0]
    forget_what_was_given()
    monkeypatch.chdir(tmp_path)
    with pytest.warns(Lacking, match="my/capitals: shown as recorded: its code is not here"):
        assert figures(run) == before
    with pytest.warns(Lacking):
        again = explain(run, "Spain").rows[0]
    assert again.judged.scores["strict"]["correct"].value == shown.judged.scores["strict"]["correct"].value == 0.0
    assert [one.reply.text for one in again.asked] == ["Answer: [Paris]"]
    assert (again.task.question(again.sample), again.task.reference(again.sample)) == (
        "What is the capital of Spain?",
        "Madrid",
    )
    for words in (["report", str(run), "--by", "sea"], ["samples", str(run)], ["explain", str(run), "--item", "Spain"]):
        assert main(words) == 0
    assert main(["report", str(run), "-o", "page.html", "--by", "sea"]) == 0
    with pytest.raises(UsageError, match="cannot be scored again here"):
        Rescoring(run).carry_out()
    assert figures_of_records(run) == 1


def figures_of_records(run: Path) -> float:
    return sum(float(one["parts"]["strict"]["correct"][0]) for one in lines(run / "samples.jsonl"))


@pytest.mark.usefixtures("nothing_else_given")
def test_the_file_whose_code_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tsgkit.suites import suite
    from tsgkit.suites.solvers import factories

    (tmp_path / "mine.py").write_text(
        'import tsgkit as tk\n\n@tk.metric("tsg/sgqa")\ndef letters(item, answer):\n    return len(answer or "")\n'
        '\n@tk.solver("twice")\nasync def twice(prompt, ask):\n    return await ask(prompt, "answer")\n',
        encoding="utf-8",
    )
    say_nothing_right(tmp_path / "said.jsonl")
    monkeypatch.chdir(tmp_path)
    words = ["eval", "--code", "mine.py", "--task", "sgqa", "--model", "script:said.jsonl", "--solver", "twice"]
    assert main([*words, "--limit", "3", "--out", "run", "--quiet"]) == 0
    suite._METRICS.clear()
    factories._GIVEN.clear()
    factories.factory_of.cache_clear()
    capsys.readouterr()
    assert main(["report", "run", "--metrics", "all"]) == 0
    said = capsys.readouterr()
    assert "letters" in said.out
    assert "tsg/sgqa: twice zero-shot: shown as recorded" in said.err
    assert "tsg/sgqa: letters: shown as recorded: its code is not loaded: --code mine.py" in said.err
    assert main(["explain", "run", "--item", lines(tmp_path / "run/samples.jsonl")[0]["item_id"]]) == 0


def test_kept_rows_that_were_changed_are_refused(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    kept = run / "asked/rows/tsg/sgds.jsonl"
    kept.write_text(kept.read_text(encoding="utf-8").replace("hand1", "hand2", 1), encoding="utf-8")
    with pytest.raises(FileProblem, match="not the rows that were kept"):
        figures(run)
    assert open_saved_run(run, str(rows)).prepared.rows, "the data themselves are taken where they are named"


@pytest.mark.parametrize(
    "value", ["", "[]", "{}", '{"format": 1}', '{"format": 1, "tasks": {"tsg/sgds": {}}, "unpublished": {}}']
)
def test_a_broken_list_of_what_is_kept_is_an_error_in_one_line(value: str, rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    (run / "asked/asked.json").write_text(value, encoding="utf-8")
    rows.unlink()
    with pytest.raises(UsageError):
        figures(run)


def test_a_task_of_a_run_names_no_file_elsewhere(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    for file in ("run.json", "asked/asked.json"):
        text = (run / file).read_text(encoding="utf-8")
        (run / file).write_text(text.replace('"tsg/sgds"', '"../../../mine"'), encoding="utf-8")
    (tmp_path / "mine.yaml").write_text("secret: 1\n", encoding="utf-8")
    with pytest.raises(FileProblem, match="not what a run has there") as problem:
        figures(run)
    assert "secret" not in str(problem.value)


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "rows/../../../etc/passwd.jsonl", "rows/x.sh"])
def test_a_kept_file_lies_in_the_run(name: str, rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    file = run / "asked/asked.json"
    value = json.loads(file.read_text(encoding="utf-8"))
    value["tasks"]["tsg/sgds"]["rows"]["file"] = name
    file.write_text(json.dumps(value), encoding="utf-8")
    with pytest.raises(FileProblem, match="no name of a file of rows"):
        figures(run)


def test_merged_shards_keep_what_their_parts_keep(rows: Path, tmp_path: Path) -> None:
    plan = Plan(tasks=("tsg/sgds",), models=("baseline/rules",), data=str(rows), limit=7)
    paths = [evaluate(plan, Options(out=tmp_path / "part", shard=Shard(number, 3))).path for number in (1, 2, 3)]
    whole = evaluate(plan, Options(out=tmp_path / "whole")).path
    rows.unlink()
    merged = merge(paths, tmp_path / "merged").path
    assert figures(merged) == figures(whole)
    assert (merged / "asked/rows/tsg/sgds.jsonl").read_bytes() == (whole / "asked/rows/tsg/sgds.jsonl").read_bytes()


def test_a_run_that_began_before_anything_was_kept_keeps_it_when_it_goes_on(rows: Path, tmp_path: Path) -> None:
    run = asked(tmp_path / "run", data=str(rows))
    shutil.rmtree(run / "asked")
    assert asked(run, data=str(rows)) == run
    assert (run / "asked/rows/tsg/sgds.jsonl").read_bytes() == rows.read_bytes()


def test_descriptions_of_rooms_are_read_again_from_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(TASKS / "sceneeval/data/annotations.csv", "mine.csv")
    shutil.copytree(TASKS / "sceneeval/data/rooms/good", "rooms")
    settings = {"tasks": ("sceneeval/plausibility",), "models": (), "scenes": ("mine=rooms",), "data": "mine.csv"}
    run = asked(tmp_path / "run", **settings, ids=("0", "2"))
    before = figures(run)
    Path("mine.csv").unlink()
    assert figures(run) == before
    assert [explain(run, item).rows[0].changed for item in ("0", "2")] == ["", ""]
    assert all(one.before == one.after for one in [Rescoring(run).carry_out()])
