"""The published figures of the questions about images agree with each other, and stand beside what they are like."""

from __future__ import annotations

from dataclasses import replace
from statistics import fmean

import pytest
from reported import ROW

from tsgkit.report import terminal
from tsgkit.report.published_tables import against_published, load_reference
from tsgkit.report.report_rows import Report
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS, aggregates


def test_means_of_published_columns_are_the_published_overall_and_domains() -> None:
    reference = load_reference("spatialgen")
    found: dict[tuple[str, str], dict[str, float]] = {}
    for style in ("published", "published by GPT-4o"):
        for figure in reference.figures("spatialgen/questions", style):
            found.setdefault((figure.table, figure.model), {})[figure.metric] = figure.value
    columns = [name.lower() for name in SUB_DOMAINS]
    whole = {key: row for key, row in found.items() if "object" in row}
    assert len(whole) == 24 + 23 + 3
    for row in whole.values():
        assert row["accuracy"] == pytest.approx(fmean(row[name] for name in columns), abs=0.00101)
    qwen, domains = found["Table 2", "Qwen-Image"], found["Table 12", "Qwen-Image"]
    made = aggregates({name: qwen[name.lower()] for name in SUB_DOMAINS}).domains
    for domain, value in made.items():
        assert value == pytest.approx(domains[domain.lower()], abs=0.00051)


def test_a_control_stands_beside_the_published_control() -> None:
    row = replace(ROW, of=None, task="spatialgen/questions", kind="questions", style="", solver="published-blind")
    [beside] = against_published(Report((row,))).beside
    assert {figure.model for figure in beside.figures} == {"No image"}
    [beside] = against_published(Report((replace(row, solver="ours"),))).beside
    assert beside.style == "published"
    assert {figure.doubt != "" for figure in beside.figures if figure.model == "Random"} == {True}
    text = terminal.write(against_published(Report((replace(row, solver="ours"),))))
    assert text.count("one draw of five letters") == 2
