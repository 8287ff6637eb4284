"""The bundled instructions are sound: right K, words of their vocabulary, satisfiable, said in full."""

from __future__ import annotations

import importlib.util
import json
from collections import Counter
from typing import Any

import pytest
from shipped import TASKS

from tsgkit.logic.clauses import clause_form, form_of_text, k_as_defined, object_classes
from tsgkit.logic.english import thing
from tsgkit.logic.formula import Forall, Formula, Not, Or, atoms_of, walk
from tsgkit.logic.layouts import layout_of
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.plausibility import clash
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS
from tsgkit.logic.witnesses import is_enough

Row = dict[str, Any]
FIELDS = ["id", "scenario", "prompt", "dsl", "cnf", "k", "object_classes"]


def rows(scenario: str) -> list[Row]:
    text = (TASKS / "formalimg" / "data" / f"{scenario}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


ROWS = [row for scenario in SCENARIOS for row in rows(scenario)]
every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['scenario']}-{row['id']}")
needs_solver = pytest.mark.skipif(not importlib.util.find_spec("ortools"), reason="solving needs the extra logic")


def kinds(formula: Formula) -> set[type[Formula]]:
    return {type(part) for _, part in walk(formula)}


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_there_are_ten_items_of_each_k_half_of_them_universal(scenario: str) -> None:
    found = rows(scenario)
    assert [row["id"] for row in found] == list(range(len(found)))
    assert [row["k"] for row in found] == sorted(row["k"] for row in found)
    assert Counter(row["k"] for row in found) == dict.fromkeys(range(1, 11), 10)
    assert Counter(row["k"] for row in found if Forall in kinds(parse(row["dsl"]))) == dict.fromkeys(range(1, 11), 5)
    for kind in (Or, Not):
        assert sum(kind in kinds(parse(row["dsl"])) for row in found) >= 8
    assert len({row["dsl"] for row in found}) == len({row["prompt"] for row in found}) == len(found)


@every_row
def test_an_item_is_what_its_fields_say(row: Row) -> None:
    formula = parse(row["dsl"])
    assert list(row) == FIELDS
    checked = check(row["dsl"], SCENARIOS[row["scenario"]])
    assert (checked.findings, checked.published_fault) == ((), None)
    official = clause_form(formula, official=True)
    assert official.unordered == form_of_text(parse(row["cnf"])).unordered == clause_form(formula).unordered
    assert row["k"] == official.k == k_as_defined(formula) == len(row["object_classes"])
    assert tuple(row["object_classes"]) == object_classes(formula)


@every_row
def test_a_prompt_names_every_class_and_value_and_reads_as_sentences(row: Row) -> None:
    prompt = row["prompt"]
    assert prompt[0].isupper()
    assert prompt.endswith(".")
    assert not {"_", "?", "  ", "(exists"} & {mark for mark in ("_", "?", "  ", "(exists") if mark in prompt}
    formula = parse(row["dsl"])
    for label in row["object_classes"]:
        assert thing(label).rsplit(" ", 1)[-1] in prompt
    for atom in atoms_of(formula):
        if atom.name.startswith("Has"):
            assert atom.args[1].text in prompt  # type: ignore[union-attr]
    assert ("at least one" in prompt) is (Forall in kinds(formula))


@every_row
def test_classes_of_a_natural_scene_can_be_told_apart(row: Row) -> None:
    if row["scenario"] == "natural":
        classes = row["object_classes"]
        assert not [one for one in classes if clash(one, set(classes) - {one})]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_items_of_little_k_and_of_great_k_have_ten_objects_each(scenario: str) -> None:
    found = [row for row in rows("ten-objects") if row["scenario"] == scenario]
    assert [row["id"] for row in found] == list(range(30))
    assert Counter(row["k"] for row in found) == {1: 10, 2: 10, 10: 10}
    for row in found:
        formula = parse(row["dsl"])
        assert (checked := check(row["dsl"], SCENARIOS[scenario])).findings == (), checked
        assert row["k"] == clause_form(formula, official=True).k == k_as_defined(formula)
        assert len(row["object_classes"]) == len(set(row["object_classes"])) == 10
        assert tuple(row["object_classes"]) == object_classes(formula)
        assert all(thing(label).rsplit(" ", 1)[-1] in row["prompt"] for label in row["object_classes"])
    assert len({row["dsl"] for row in (*found, *ROWS)}) == len(found) + len(ROWS)


@needs_solver
@pytest.mark.parametrize("row", [*ROWS, *rows("ten-objects")], ids=lambda row: f"{row['scenario']}-{row['id']}")
def test_an_item_can_be_satisfied(row: Row) -> None:
    from tsgkit.logic.scene_models import faults, world_of
    from tsgkit.logic.solver import solve

    formula = parse(row["dsl"])
    if row["scenario"] == "natural":
        world = world_of(formula)
        assert world is not None
        assert not faults(world)
        return
    layout = solve(formula).layout
    assert layout is not None
    assert is_enough(formula)
    layout_of(layout.value)
    assert verify(formula, layout).truth
    assert verify(row["dsl"], layout.value, "official").truth
