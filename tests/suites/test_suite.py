"""Suites of packages and their manifests; tasks of rows, as packages add them; the items that a limit takes."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import lines
from shipped import TASKS

from tsgkit.cli import commands, main
from tsgkit.cli.make import add_row_options, write_rows
from tsgkit.errors import FileProblem, UsageError
from tsgkit.library.cards import Card, card_names, load_card
from tsgkit.library.projects import find, text_of
from tsgkit.replies import Unreadable
from tsgkit.scoring.pooling import right_or_wrong
from tsgkit.suites.audits.audit import audit
from tsgkit.suites.audits.rows import audit_rows
from tsgkit.suites.importers import RowInspector
from tsgkit.suites.judgement import AnswerScores, Given
from tsgkit.suites.metrics import Metric
from tsgkit.suites.rows import Item, ItemChoice, Traits, chosen_numbers, json_rows
from tsgkit.suites.solvers.offline_solvers import programs
from tsgkit.suites.solvers.prompt_files import row_prompt
from tsgkit.suites.suite import in_order, kinds_of_rows, suites, task_named, task_of, tasks_named
from tsgkit.suites.task import Task, View, with_parts


def package(folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str, code: str = "") -> Path:
    """Return an installed package that adds a suite of this name, with a card of its own inside."""
    home, info = folder / f"{name}_suite", folder / f"{name}_suite-1.dist-info"
    (home / "tasks" / name).mkdir(parents=True)
    card = (TASKS / "tsg/sgqa.yaml").read_text("utf-8").replace("task: tsg/sgqa", f"task: {name}/sgqa")
    (home / "tasks" / name / "sgqa.yaml").write_text(card)
    (home / "__init__.py").write_text(code or MANIFEST.format(name=name))
    (folder / f"{name}_says.py").write_text(COMMAND)
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-suite\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[tsgkit.suites]\n{name} = {name}_suite:{value}\n")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder / "elsewhere")])
    return home


MANIFEST = """
from tsgkit.suites.suite import Command, Suite
from tsgkit.suites.tsg.qa import questions

SUITE = Suite(
    "{name}", tasks={{"sgqa": "{name}_suite:mine"}}, commands={{"{name}-say": Command("{name}_says", "say it")}}
)

def mine(card):
    return questions(card.model_copy(update={{"task": "tsg/sgqa"}}))
"""
COMMAND = """
def add_arguments(parser):
    pass

def run(arguments):
    print("said")
    return 0
"""


def test_faults_of_answers_are_named_in_words() -> None:
    graphs, bed = [{"changes": ["missing: a -> on -> b", "a surplus"]}, {"changes": ["x"]}], {"missing": ["bed"]}
    for name, answer, evidence, expected in (
        ("tsg/sgds", "B", {"expected": "C"}, "B, expected C"),
        ("tsg/ma-sgg", [], graphs, "graph 1: missing a -> on -> b; a surplus; graph 2: x"),
        ("tsg/refine", [], graphs[0], "missing a -> on -> b; a surplus"),
        ("tsg/actions", ["cut", "dry"], {"expected": ["wash", "cut"]}, "missing wash; extra dry"),
        ("tsg/actions", ["cut", "dry"], {"expected": ["dry", "cut"]}, "cut, dry, expected dry, cut"),
        ("formalimg/layout", [], {"reason": "no mouse is black"}, "no mouse is black"),
        ("spatialgen/questions", ["A", None], {"right": [True, False]}, "question 2: no majority is wrong"),
        ("sceneeval/annotate", {}, {"fields": {"objects": bed | {"extra": []}}}, "missing bed"),
        ("sceneeval/fidelity", {"unmet": ["2 beds"], "unknown": []}, {}, "unmet 2 beds"),
    ):
        record = {"outcome": "answered", "answer": answer, "evidence": evidence}
        assert "; ".join(task_of(load_card(name)).view.faults_of(record)) == expected, name


def test_a_package_with_a_manifest_adds_its_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    home = package(tmp_path, monkeypatch, "third", "SUITE")
    assert suites()[-1].name == "third"
    assert Path(str(find("tasks", "third/sgqa.yaml"))) == home / "tasks/third/sgqa.yaml"
    assert "task: third/sgqa" in text_of(find("tasks", "third/sgqa.yaml"))
    assert task_named("third") == "third/sgqa", "a suite with one task stands for it"
    assert task_of(load_card("third/sgqa")).metrics.keys() == task_of(load_card("tsg/sgqa")).metrics.keys()
    assert task_named("sgqa") == "tsg/sgqa", "of two tasks of one name, that of the first suite is meant"
    assert commands()["third-say"] == "say it"
    assert main(["third-say"]) == 0
    assert capsys.readouterr().out == "said\n"
    package(tmp_path, monkeypatch, "bare", "mine")
    with pytest.raises(UsageError, match=r"the entry point bare of tsgkit.suites is <function mine at"):
        task_of(load_card("bare/sgqa"))
    package(tmp_path, monkeypatch, "mine", "SUITE", MANIFEST.format(name="yours"))
    with pytest.raises(UsageError, match=r"the entry point mine of tsgkit.suites is the suite yours"):
        task_of(load_card("mine/sgqa"))


def test_what_cannot_be_loaded_is_named_and_breaks_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package(tmp_path / "one", monkeypatch, "broken", "SUITE", "import a_module_that_is_not_there\n")
    with pytest.warns(RuntimeWarning, match="the suite broken cannot be loaded from broken_suite:SUITE"):
        assert main(["--help"]) == 0
    assert main(["prompts", "show", "tsg/sgqa"]) == 0
    with pytest.raises(UsageError, match="the suite broken cannot be loaded"):
        task_of(load_card("broken/sgqa"))
    monkeypatch.setattr(sys, "path", [one for one in sys.path if one != str(tmp_path / "one")])
    makers = 'makers={name: Command("no_such", "") for name in ("gone", "tsg")}'
    code = f'from tsgkit.suites.suite import Command, Suite\nSUITE = Suite("fifth", {makers})'
    package(tmp_path / "two", monkeypatch, "fifth", "SUITE", code)
    capsys.readouterr()
    with pytest.warns(RuntimeWarning, match="the maker gone cannot be loaded from no_such"):
        assert main(["make", "--help"]) == 0
    assert "formalimg" in capsys.readouterr().out


def test_names_suites_and_patterns_name_tasks_and_unknown_ones_have_one_error_message() -> None:
    for said, meant in (
        ("sgds", "tsg/sgds"),
        ("tsg/sgds.yaml", "tsg/sgds"),
        ("tsg", "tsg/sgqa tsg/sgds tsg/sa-sgg tsg/ma-sgg"),
        ("tsg/*-sgg", "tsg/sa-sgg tsg/ma-sgg"),
        ("tsg/nodes-* layout", "tsg/nodes-ma tsg/nodes-sa formalimg/layout"),
        ("spatialgen", "spatialgen/questions"),
        ("sgds tsg/sgds", "tsg/sgds"),
    ):
        assert list(tasks_named(said.split())) == meant.split(), said
    names = ["formalimg/layout", "tsg/ma-sgg", "tsg/sgqa", "spatialgen/questions"]
    assert in_order(names) == ["tsg/sgqa", "tsg/ma-sgg", "formalimg/layout", "spatialgen/questions"]
    for said, message, hint in (
        ("sgdz", "there is no task sgdz", "sgds?"),
        ("tsg/sgdz", "there is no task tsg/sgdz", "tsg/sgds?"),
        ("tsgg", "there is no task tsgg", "tsg?"),
        ("tsg/x*", "no task fits the pattern tsg/x*", "the tasks: "),
    ):
        with pytest.raises(UsageError) as caught:
            tasks_named([said])
        assert caught.value.message == message
        assert caught.value.hint.startswith(hint)
    with pytest.raises(UsageError, match="tsg is a suite; one task is wanted"):
        task_named("tsg")


@pytest.mark.usefixtures("nothing_else_given")
def test_every_card_that_is_shipped_is_in_a_manifest_and_every_task_of_one_has_a_card() -> None:
    listed = {f"{suite.name}/{kind}" for suite in suites() for kind in suite.tasks}
    declared = {load_card(name).task for name in card_names()}
    assert declared == listed


class Sum(Item):
    """Two numbers to add."""

    question: str
    answer: int


def read(text: str, item: Sum) -> int | Unreadable:
    return int(text) if text.strip().isdecimal() else Unreadable("no number")


def score(item: Sum, answer: int | None, given: Given) -> AnswerScores:
    return AnswerScores({"accuracy": right_or_wrong(answer == item.answer, f"{answer}")}, answer=answer)


def adding(item: Sum, seed: int) -> str:
    return str(sum(map(int, item.question.split()[1::2])))


@pytest.fixture
def task() -> Task:
    metrics = {"accuracy": {"pooling": "pooled", "better": "more", "headline": True}}
    changed = {"task": "sums/add", "name": "sums/add", "examples": None}
    card = Card.model_validate({**load_card("tsg/sgds").model_dump(), **changed, "metrics": metrics})
    rows = json_rows("add", Sum)
    asked = row_prompt(
        card,
        rows,
        fields=lambda item: {"question": item.question},
        asked=("question",),
        answer=lambda item: str(item.answer),
    )
    return Task(
        card=card,
        rows=rows,
        prompt=asked,
        read=read,
        score=score,
        metrics={"accuracy": Metric("the sum is right")},
        view=View(question=lambda item: item.question, reference=lambda item: str(item.answer)),
        baselines=programs({"rules": adding}),
        audit=audit_rows,
    )


ROWS = [{"item_id": f"s{n}", "question": f"add {n} and 2", "answer": n + 2} for n in range(12)]


def test_lines_of_a_file_are_told_apart_by_what_is_wrong_and_files_of_others_not_taken(
    task: Task, tmp_path: Path
) -> None:
    again = {"item_id": "x", "question": ROWS[0]["question"], "answer": 2}
    text = lines(ROWS[0], {"question": "add 1"}, [1], ROWS[0], again)
    found = RowInspector((task,)).inspect((text + "{oops\n").encode(), "rows.jsonl")
    assert [(one.code, one.place.line, one.message) for one in found.findings][:4] == [
        ("row", 2, "answer: Field required"),
        ("row", 3, 'expected an object, as in {"item_id": ...}'),
        ("repeated-id", 4, "the item id s0 occurs twice"),
        ("repeated-item", 5, "asks the same as s0"),
    ]
    assert found.counts == {"row": 3, "repeated-id": 1, "repeated-item": 1}
    assert found.problem.startswith("rows.jsonl: line 2: answer: Field required (the first of 4 errors)")

    assert RowInspector((task,)).inspect(b"\n", "empty").problem == "empty: there are no rows in it"
    assert "no task of rows that is stored as other" in RowInspector((task,)).inspect(b"", "x", "other").problem
    with pytest.raises(FileProblem):
        RowInspector((task,)).inspect(b"\xff\xfe\x00", "binary")
    file, other = tmp_path / "add.jsonl", tmp_path / "other.jsonl"
    file.write_text(lines(ROWS[0]))
    other.write_text(lines({"caption": "a dog"}))
    assert kinds_of_rows((task,), tmp_path) == kinds_of_rows((task,), file) == ("add",)
    assert kinds_of_rows((task,), other) == kinds_of_rows((task,), tmp_path / "none") == ()
    file.write_text(lines(ROWS[0], {"question": "add 1 and 2", "answer": "many"}))
    with pytest.raises(UsageError, match=r"add.jsonl: line 2: answer: Input should be a valid integer"):
        task.dataset(str(file))


def test_an_audit_says_what_baselines_and_answers_of_others_get(task: Task, tmp_path: Path) -> None:
    alike = {"item_id": "again", "question": "two and 2 ADD the numbers seven", "answer": 9}
    first = {"item_id": "first", "question": "add the numbers two and seven 2", "answer": 9}
    (tmp_path / "rows.jsonl").write_text(lines(*ROWS, first, alike))
    task = with_parts(task, baselines=programs({"nine": lambda item, seed: "9"}))
    found = audit(audit_rows(task, str(tmp_path / "rows.jsonl")))
    shortcuts = {one.name: one.value for one in found.shortcuts}
    assert shortcuts["baseline/nine"] == pytest.approx(3 / 14)
    assert shortcuts["the answer to the next item"] == pytest.approx(1 / 14), "both answers of 9 follow each other"
    slips = {one.check.code: [slip.item_id for slip in one.slips] for one in found.findings if one.slips}
    assert slips["near-duplicate"] == ["again"]


def test_a_maker_of_rows_refuses_repeats_and_says_why(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def draw(chance: Random) -> Mapping[str, Any] | str:
        number = chance.randrange(6)
        return "this is unlucky" if number in (0, 3) else {"question": f"add {number}", "answer": number}

    def written(*words: str) -> int:
        parser = argparse.ArgumentParser()
        add_row_options(parser)
        return write_rows(draw, parser.parse_args(["-o", str(tmp_path / "new.jsonl"), *words]))

    assert written("--n", "4") == 0
    out = capsys.readouterr().out
    assert "4 items made by rules" in out and "refused: drawn before" in out and "refused: this is unlucky" in out
    rows = [json.loads(line) for line in (tmp_path / "new.jsonl").read_text().splitlines()]
    assert [row["item_id"] for row in rows] == [f"made-0-{number}" for number in range(4)]
    assert len({row["question"] for row in rows}) == 4
    with pytest.raises(FileProblem, match=r"new.jsonl"):
        written("--n", "4", "--seed", "1")
    assert written("--n", "9", "--force") == 1
    assert "only 4 of 9 different sound items" in capsys.readouterr().err
    with pytest.raises(UsageError, match="--n 0: from 1 to"):
        written("--n", "0")


def test_kinds_have_their_shares_first_takes_the_first_and_ids_choose_before_a_limit_does() -> None:
    data = task_of(load_card("tsg/sgds")).dataset(str(TASKS / "tsg" / "data" / "tsgkit-2" / "sgds.jsonl"))
    for limit in (10, 62, 100):
        some = [data.sample(number) for number in data.chosen(ItemChoice(limit=limit))]
        assert len({sample.cluster for sample in some}) == min(limit, 62)
        kinds = Counter(sample.groups["tag"] for sample in some)
        assert abs(kinds[("mixed",)] - limit * 216 / 465) <= 1
    assert list(data.chosen(ItemChoice(first=3))) == [0, 1, 2]
    ids = tuple(data.item_ids[number] for number in (9, 5, 7))
    assert list(data.chosen(ItemChoice(ids))) == [5, 7, 9]
    assert set(data.chosen(ItemChoice(ids, limit=2))) < {5, 7, 9}
    for limits, said in (((0, None), "--limit 0"), ((None, -1), "--first -1"), ((2, 2), "exclude each other")):
        with pytest.raises(UsageError, match=said):
            ItemChoice((), *limits)


Rows = list[tuple[str, str, str]]
DRAWN_ROWS = st.lists(
    st.tuples(st.integers(0, 400).map(str), st.sampled_from("abcde"), st.sampled_from("xyz")),
    min_size=1,
    max_size=60,
    unique_by=lambda row: row[0],
)


def chosen(rows: Rows, limit: int) -> list[str]:
    """Return the ids of the chosen of some rows (id, scenario, kind)."""
    ids = [row[0] for row in rows]
    traits = [Traits(scenario, (kind,)) for _, scenario, kind in rows]
    found = chosen_numbers(ids, range(len(rows)), ItemChoice(limit=limit), traits.__getitem__)
    assert list(found) == sorted(found)
    return [ids[number] for number in found]


@given(DRAWN_ROWS, st.integers(1, 70), st.integers(0, 30), st.randoms(use_true_random=False))
def test_a_limit_spreads_over_scenarios_whatever_the_order_and_a_larger_one_adds_items(
    rows: Rows, limit: int, more: int, lots: Random
) -> None:
    small = chosen(rows, limit)
    assert len(small) == min(limit, len(rows))
    assert set(small) == set(chosen(lots.sample(rows, len(rows)), limit))
    assert set(small) <= set(chosen(rows, limit + more))
    of = {item_id: scenario for item_id, scenario, _ in rows}
    held, taken = Counter(of.values()), Counter(of[item_id] for item_id in small)
    open_ones = [taken[scenario] for scenario in held if taken[scenario] < held[scenario]]
    assert not open_ones or max(taken.values()) <= min(open_ones) + 1
