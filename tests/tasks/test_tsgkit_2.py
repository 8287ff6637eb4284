"""The bundled scenarios that are asked by default are what their data card says, and can be made again."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from typing import Any

import pytest
from shipped import POOL, TASKS

from tsgkit.graph.rules import check_narrative
from tsgkit.lexicon import mentions
from tsgkit.library.documents.reader import read_file
from tsgkit.report.audit_report import audit_of
from tsgkit.runs.plan import Plan
from tsgkit.suites.audits.audit import Audit

DATA = TASKS / "tsg" / "data" / "tsgkit-2"
CARD = (DATA / "README.md").read_text(encoding="utf-8")
ROWS = ("sgqa", "sgds", "sa-sgg", "ma-sgg")


@cache
def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def audited(name: str) -> Audit:
    return audit_of(f"tsg/{name}", str(DATA / f"{name}.jsonl")).audit


def test_it_has_the_numbers_of_its_card() -> None:
    counts = {name: audited(name).n for name in ROWS}
    assert counts == {"sgqa": 496, "sgds": 434, "sa-sgg": 428, "ma-sgg": 446}
    assert all(f"| {count} |" in CARD for count in (62, *counts.values()))
    assert len({row["domain"] for row in rows("sa-sgg")}) == len({row["scenario_id"] for row in rows("sa-sgg")}) == 62
    assert max(row["k"] for row in rows("ma-sgg")) == 8
    hops = Counter(pair["hops"] for row in rows("sgqa") for pair in row["qa_pairs"])
    assert [hops[number] for number in (1, 2, 3, 4)] == [111, 127, 125, 133]


def test_a_fifth_of_the_descriptions_and_more_are_implicit() -> None:
    implicit = total = 0
    for entry in read_file(DATA / "narratives.jsonl").entries:
        assert not {one.code for one in check_narrative(entry.narrative)} - {"homonym-loop"}
        for one in entry.narrative.descriptions:
            total += 1
            implicit += any(mentions(one.text or "", name) is None for graph in one.graphs for name in graph.actions)
    assert f"{implicit} of the {total} descriptions are implicit" in CARD.replace("\n", " ")
    assert implicit > 0.2 * total


def test_no_slip_and_no_shortcut_is_in_it() -> None:
    for name in ROWS:
        audit = audited(name)
        assert {one.check.code for one in audit.found if one.slips} <= {"homonym-loop"}, "no contamination either"
        assert not any(spread.is_skewed for spread in audit.spreads)
        if name in ("sgqa", "sgds"):
            assert audit.solving == ()
            assert max(one.value for one in audit.shortcuts if one.is_blind) < 0.35
        least = {"sgqa": 6.6, "sgds": 6.9, "sa-sgg": 6.9, "ma-sgg": 6.8}[name]
        assert 100 * audit.smallest_difference == pytest.approx(least, abs=0.06), "models need not be 8 points apart"
    assert Counter(tag for row in rows("sgds") for tag in row["tags"]) == {"one-element": 217, "mixed": 217}
    shown = {entry.narrative.id for entry in read_file(POOL / "narratives.jsonl").entries}
    assert shown.isdisjoint(row["scenario_id"] for row in rows("sgds")), "worked examples come from other stories"


def test_it_is_what_is_asked_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    from tsgkit.runs.run_setup import prepare

    monkeypatch.delenv("TSGKIT_DATASET")
    assert [row.dataset.file for row in prepare(Plan()).rows] == [str(DATA / f"{name}.jsonl") for name in ROWS]
    monkeypatch.setenv("TSGKIT_DATASET", "tsgkit-1")
    assert all("tsgkit-1" in row.dataset.file for row in prepare(Plan()).rows)
