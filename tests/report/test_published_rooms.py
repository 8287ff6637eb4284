"""The published figures of rooms are whole, and the figures over all are pooled over the demands of the levels."""

from __future__ import annotations

import pytest

from tsgkit.report.published_tables import PublishedTable, load_reference

LEVELS = ("easy", "medium", "hard")
DEMANDS = {
    "SceneEval-500": {
        "cnt": (470, 1199, 1818),
        "atr": (546, 961, 1736),
        "oor": (201, 891, 1530),
        "oar": (250, 333, 525),
    },
    "SceneEval-100": {"cnt": (121, 200, 201), "atr": (60, 96, 118), "oor": (49, 141, 159), "oar": (62, 72, 114)},
}
"""How many demands each level has."""
TABLES = {table.name: table for table in load_reference("sceneeval").tables}


def figures(table: PublishedTable, method: str, part: str = "") -> dict[str, float]:
    row = zip(table.columns, table.rows[method], strict=True)
    return {column.metric: number for column, number in row if column.part == part}


@pytest.mark.parametrize(("name", "methods"), [("SceneEval-500", 6), ("SceneEval-100", 5)])
def test_every_method_has_all_figures_over_all_and_by_level(name: str, methods: int) -> None:
    whole, levels = TABLES[name], TABLES[f"{name} by difficulty"]
    assert len(whole.rows) == methods
    assert set(whole.rows) == set(levels.rows)
    for method in whole.rows:
        assert {len(figures(levels, method, level)) for level in LEVELS} == {10}


@pytest.mark.parametrize("name", DEMANDS)
def test_figures_over_all_are_pooled_over_demands_apart_from_those_listed_as_doubtful(name: str) -> None:
    whole, levels = TABLES[name], TABLES[f"{name} by difficulty"]
    doubtful = {(one.model, column) for one in load_reference("sceneeval").doubtful for column in one.columns}
    for method in whole.rows:
        for metric, weights in DEMANDS[name].items():
            if (method, f"sceneeval/fidelity published {metric}") in doubtful and name == "SceneEval-100":
                continue
            shares = [figures(levels, method, level)[metric] for level in LEVELS]
            met = sum(round(share * weight / 100) for share, weight in zip(shares, weights, strict=True))
            pooled = 100 * met / sum(weights)
            assert figures(whole, method)[metric] == pytest.approx(pooled, abs=0.06), (method, metric)
