"""The bundled instructions are sound: right K, words of their vocabulary, satisfiable, said in full."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from shipped import TASKS

from tsgkit.logic.clauses import clause_form, form_of_text, k_as_defined, object_classes
from tsgkit.logic.english import thing
from tsgkit.logic.formula import Forall, Formula, Not, Or, atoms_of, walk
from tsgkit.logic.layouts import layout_of
from tsgkit.logic.lint import check
from tsgkit.logic.parser import parse
from tsgkit.logic.plausibility import clash
from tsgkit.logic.scene_models import faults, world_of
from tsgkit.logic.solver import solve
from tsgkit.logic.verification import verify
from tsgkit.logic.vocabulary import SCENARIOS
from tsgkit.logic.witnesses import is_enough

Row = dict[str, Any]


def rows(name: str) -> list[Row]:
    text = (TASKS / "formalimg" / "data" / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


ROWS = [row for scenario in SCENARIOS for row in rows(scenario)]
TEN_OBJECTS = rows("ten-objects")


def kinds(formula: Formula) -> set[type[Formula]]:
    return {type(part) for _, part in walk(formula)}


def test_there_are_ten_items_of_each_k_half_of_them_universal() -> None:
    for scenario in SCENARIOS:
        found = rows(scenario)
        formulas = [parse(row["dsl"]) for row in found]
        assert [(row["id"], row["k"]) for row in found] == [(number, number // 10 + 1) for number in range(100)]
        universal = Counter(row["k"] for row, formula in zip(found, formulas, strict=True) if Forall in kinds(formula))
        assert universal == dict.fromkeys(range(1, 11), 5)
        assert all(sum(kind in kinds(formula) for formula in formulas) >= 8 for kind in (Or, Not))
        assert len({row["prompt"] for row in found}) == 100
        ten = [row for row in TEN_OBJECTS if row["scenario"] == scenario]
        assert [(row["id"], row["k"]) for row in ten] == [(number, (1, 2, 10)[number // 10]) for number in range(30)]
        assert {len(row["object_classes"]) for row in ten} == {10}
    assert len({row["dsl"] for row in (*ROWS, *TEN_OBJECTS)}) == len(ROWS) + len(TEN_OBJECTS)


def test_an_item_is_what_its_fields_and_sentences_say() -> None:
    for row in (*ROWS, *TEN_OBJECTS):
        formula, prompt, where = parse(row["dsl"]), row["prompt"], f"{row['scenario']}-{row['id']}"
        checked = check(row["dsl"], SCENARIOS[row["scenario"]])
        assert (checked.findings, checked.published_fault) == ((), None), where
        official = clause_form(formula, official=True)
        assert row["k"] == official.k == k_as_defined(formula), where
        classes = row["object_classes"]
        assert tuple(classes) == object_classes(formula) and len(set(classes)) == len(classes), where
        if row in ROWS:
            assert list(row) == ["id", "scenario", "prompt", "dsl", "cnf", "k", "object_classes"], where
            assert len(classes) == row["k"], where
            assert official.unordered == form_of_text(parse(row["cnf"])).unordered == clause_form(formula).unordered
        if row["scenario"] == "natural" and row in ROWS:
            assert not [one for one in classes if clash(one, set(classes) - {one})], where
        assert prompt[0].isupper() and prompt.endswith("."), where
        assert not [mark for mark in ("_", "?", "  ", "(exists") if mark in prompt], where
        values = [atom.args[1].text for atom in atoms_of(formula) if atom.name.startswith("Has")]  # type: ignore[union-attr]
        assert all(name in prompt for name in (*(thing(one).rsplit(" ", 1)[-1] for one in classes), *values)), where
        assert ("at least one" in prompt) is (Forall in kinds(formula)) or row in TEN_OBJECTS, where


def check_satisfiable(rows: list[Row]) -> None:
    for row in rows:
        formula, where = parse(row["dsl"]), f"{row['scenario']}-{row['id']}"
        if row["scenario"] == "natural":
            world = world_of(formula)
            assert world is not None and not faults(world), where
            continue
        layout = solve(formula).layout
        assert layout is not None and is_enough(formula), where
        layout_of(layout.value)
        assert verify(formula, layout).truth and verify(row["dsl"], layout.value, "official").truth, where


def test_an_item_can_be_satisfied() -> None:
    check_satisfiable([*ROWS[::9], *TEN_OBJECTS[::9]])
