"""The figures of the second suite: levels, their means and the level held agree with each other."""

from __future__ import annotations

import pytest

from tsgkit.report.published_tables import PublishedTable, doubts_found, load_reference
from tsgkit.suites.formalimg.task import SATISFIED
from tsgkit.suites.formalimg.verdicts import LEVELS

REFERENCE = load_reference("formalimg")
MEANS = ("easy", "medium", "hard", "overall")


@pytest.mark.parametrize("table", [table for table in REFERENCE.tables if "level_1" in str(table.columns)])
def test_means_and_the_level_held_follow_from_the_levels(table: PublishedTable) -> None:
    for model, figures in table.rows.items():
        row = dict(zip((column.metric for column in table.columns), figures, strict=True))
        levels = {name: row[name] / 100 for name in LEVELS}
        for name in (name for name in (*MEANS, "g") if name in row):
            metric = SATISFIED[name]
            assert metric.made_by is not None
            made = metric.made_by([levels[one] for one in metric.made_of])
            assert made is not None
            scale = 100 if metric.is_share else 1
            assert scale * made == pytest.approx(row[name], abs=0.0501), (table.name, model, name)


def test_a_level_is_no_percentage() -> None:
    figures = {(one.model, one.metric): one for one in REFERENCE.figures("formalimg/layout", "zero-shot")}
    assert figures["Qwen3-30B-A3B", "g"].value == 4
    assert figures["Qwen3-30B-A3B", "easy"].value == 0.925
    assert not list(doubts_found(REFERENCE))
