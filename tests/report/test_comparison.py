"""Comparisons of runs: their numbers, and what is refused; charts and plots with the values of the tables."""

from __future__ import annotations

import json
import math
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from compared_runs import IDS, evaluate, write_questions, write_script
from reported import baseline_run, board, by, compared, contender, row
from run_files import lines, write_lines

from tsgkit.errors import FileProblem, UsageError
from tsgkit.report import charts
from tsgkit.report.charts import chart, differences, gather_for, in_both_profiles, items, outcomes, share_out
from tsgkit.report.comparison import NO_DIFFERENCE, ComparedRows, Pair, compare, paired, too_many
from tsgkit.report.comparison_formats import terminal
from tsgkit.report.comparison_rows import Contender, averaged
from tsgkit.report.grid import grid
from tsgkit.report.report_rows import Report, gather
from tsgkit.scoring.pooling import Part, Pooling
from tsgkit.suites.metrics import Metric

FAULTS = Metric("faults", more_is_better=False)


def alone(first: Contender, second: Contender) -> Pair:
    [pair] = paired([(first, second)], seed=0)
    return pair


def fine(rng: random.Random, clusters: int) -> dict[str, Part]:
    return {str(n): Part(rng.random(), 1, str(n)) for n in range(clusters)}


def test_p_of_single_items_right_or_wrong_is_mcnemars_and_the_order_of_rows_turns_the_sign() -> None:
    ours, theirs = "9" * 30 + "0" * 10, "9" * 18 + "0" * 19 + "9" * 3
    pair = alone(contender("a", ours), contender("b", theirs))
    expected = 2 * sum(math.comb(15, fewer) for fewer in range(4)) / 2**15
    assert pair.statistics.test.p == pytest.approx(expected)
    assert "McNemar" in pair.statistics.test.method
    assert (len(pair.won), len(pair.lost), pair.tied, pair.verdict) == (12, 3, 25, "a is better")
    back = alone(contender("b", theirs), contender("a", ours))
    assert back.statistics.difference == -(pair.statistics.difference or 0)
    assert back.won == tuple(lost._replace(first=lost.second, second=lost.first) for lost in pair.lost)


def test_p_values_are_corrected_over_all_pairs() -> None:
    rows = [contender(name, "9" * right + "0" * (30 - right)) for name, right in (("x", 8), ("y", 6), ("z", 3))]
    pairs = paired([(row, contender("base", "0" * 30)) for row in rows], seed=0)
    raw = [2 / 2**right for right in (8, 6, 3)]
    assert [pair.statistics.test.p for pair in pairs] == pytest.approx(raw)
    expected = [raw[0] * 3, max(raw[0] * 3, raw[1] * 2), max(raw[1] * 2, raw[2])]
    assert [pair.adjusted for pair in pairs] == pytest.approx(expected)
    assert [pair.differs for pair in pairs] == [True, False, False]


def test_identical_rows_are_never_different_and_less_of_a_fault_or_a_value_is_better() -> None:
    for clusters, measure in product((1, 2, 9, 20), (None, FAULTS)):
        parts = fine(random.Random(clusters), clusters)
        pair = alone(contender("a", parts, measure), contender("b", dict(parts), measure))
        assert (pair.statistics.test.p, pair.better) == (1, None)
        assert pair.verdict == f"{NO_DIFFERENCE}: the same on every item"
    pair = alone(contender("few", "0" * 12, FAULTS), contender("many", "9" * 12, FAULTS))
    assert (pair.statistics.difference, pair.better) == (-1, pair.first)
    assert (len(pair.won), len(pair.lost)) == (12, 0)
    nothing = contender("nothing", {str(n): Part(0, 0, str(n)) for n in range(8)})
    pair = alone(nothing, contender("base", "9" * 8))
    assert pair.verdict.startswith("cannot be compared: ")
    assert ComparedRows("strict", 0, (), (pair,), (), has_baseline=True).worse == (pair,)
    assert not replace(pair, adjusted=0.5).differs


def test_repeats_are_averaged_as_the_metric_is_pooled_and_too_many_random_tests_are_noted() -> None:
    draws = [Part(2, 4, "tea"), Part(0, 1, "tea"), Part(0, 0, "tea")]
    assert averaged(draws, Pooling.PER_ITEM) == Part(0.25, 1, "tea")
    pooled = averaged(draws, Pooling.POOLED)
    assert pooled.sum / pooled.weight == pytest.approx(2 / 5)
    ours = {str(n): Part(0.3 + n / 100 if n else 0.5, 1, str(n // 2)) for n in range(40)}
    theirs = {str(n): Part(float(n % 2), 1, str(n // 2)) for n in range(40)}
    pair = alone(contender("a", ours), contender("b", theirs))
    assert pair.statistics.test.rounds
    assert not list(too_many([pair] * 500)) and list(too_many([pair] * 501))


GOOD, BAD = "script:good.jsonl", "script:bad.jsonl"
BOTH_STYLES = ("--style", "zero-shot", "--style", "cot")


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A folder with questions, and with scripts that answer 22 and 4 of the 24 rightly."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("comparisons"))
        write_script(Path("good.jsonl"), IDS, IDS[:22])
        write_script(Path("bad.jsonl"), IDS, IDS[20:])
        write_questions(Path("questions.jsonl"), IDS)
        yield


@pytest.fixture(scope="module")
def run(here: None) -> Path:
    return evaluate("run", GOOD, BAD, "baseline/random")


@pytest.fixture(scope="module")
def styles(here: None) -> Path:
    return evaluate("styles", GOOD, BAD, more=BOTH_STYLES)


def changed(run: Path, name: str, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> Path:
    """Return a copy of a run with other records."""
    copy = Path(shutil.copytree(run, name))
    write_lines(copy / "samples.jsonl", change(lines(copy / "samples.jsonl")))
    return copy


def test_a_baseline_is_a_run_a_subject_a_row_or_a_style(run: Path, styles: Path) -> None:
    old, new = evaluate("old", BAD), evaluate("new", GOOD)
    for baseline in (BAD, f"{BAD} zero-shot"):
        found = compare([run], baseline=baseline)
        assert {pair.second.name for pair in found.pairs} == {f"{BAD} zero-shot"}, baseline
        assert [pair.first.subject for pair in found.pairs] == [GOOD, "baseline/random"], baseline
        assert not found.worse
    assert [pair.second.run for pair in compare([new], baseline="old").pairs] == ["old"]
    assert [pair.first.name for pair in compare([old], baseline="new").worse] == [f"{BAD} zero-shot"]
    pairs = compare([styles, Path(shutil.copytree(styles, "other"))]).pairs
    alike = [(pair.first.style, pair.second.style) for pair in pairs if pair.first.subject == pair.second.subject]
    assert alike == [("zero-shot", "zero-shot"), ("cot", "cot")] * 2, "the row that is most like it"
    pairs = compare([styles], baseline="zero-shot").pairs
    assert [(pair.first.style, pair.first.subject == pair.second.subject) for pair in pairs] == [("cot", True)] * 2


def test_comparison_refuses_unknown_names_and_what_is_ambiguous_or_alone(run: Path, styles: Path) -> None:
    for changes, message in (
        ({"baseline": "script:goof.jsonl"}, "no row is the baseline script:goof.jsonl"),
        ({"tasks": ["sgqb"]}, "no run here has the task sgqb"),
        ({"metric": "f1"}, "tsg/sgqa has no metric f1; it has exact_match"),
        ({"profile": "lenient"}, "there is no profile lenient"),
    ):
        with pytest.raises(UsageError, match=message):
            compare([run], **changes)
    alone = evaluate("few", GOOD, more=("--style", "few-shot"))
    with pytest.raises(UsageError, match=r"there is no row to compare with script:good\.jsonl"):
        compare([alone])
    with pytest.raises(UsageError, match="several rows of the baseline styles are as much like it") as refused:
        compare([styles, alone], baseline="styles")
    assert "--baseline 'script:good.jsonl zero-shot'" in refused.value.hint
    write_questions(Path("others.jsonl"), IDS, "What gets washed?")
    with pytest.raises(UsageError, match="different data"):
        compare([alone, evaluate("elsewhere", GOOD, data="others.jsonl")])


def test_unequal_items_are_refused_or_restricted(run: Path) -> None:
    part = evaluate("part", BAD, more=("--ids", *IDS[4:]))
    first, rest = (evaluate(name, GOOD, more=("--ids", *ids)) for name, ids in (("a", IDS[:6]), ("b", IDS[6:])))
    with pytest.raises(UsageError, match="20 in common") as refused:
        compare([run, part])
    assert "--common" in refused.value.hint
    found = compare([run, part], common=True)
    assert {pair.statistics.items for pair in found.pairs} == {20}
    assert any("restricted to the 20 items that all rows have, of 24 at most" in note for note in found.notes)
    with pytest.raises(UsageError, match="no item in common"):
        compare([first, rest], common=True)
    unfinished = changed(run, "unfinished", lambda records: records[:10] + records[24:])
    with pytest.raises(UsageError, match="the rows have different items: 10 in common"):
        compare([unfinished])
    found = compare([unfinished], common=True)
    assert found.pairs[0].statistics.first.value == 1 and found.pairs[0].statistics.items == 10
    assert any("unfinished: 14 of 24 samples were not asked" in note for note in found.notes)


def test_missing_replies_count_as_wrong_and_repeats_are_averaged_per_item_and_both_are_said() -> None:
    write_script(Path("silent.jsonl"), IDS, IDS, missing=IDS[:7])
    found = compare([evaluate("missing", GOOD, "script:silent.jsonl")])
    assert found.pairs[0].statistics.second.value == 17 / 24
    [note] = [note for note in found.notes if "no answer" in note]
    assert "7 samples have no answer (7 missing); they count as wrong" in note
    ids = "missing s0-0, s0-1, s1-0, s1-1, s2-0 and 2 more"
    assert any(line.startswith("no answer, tsg/sgqa: ") and line.endswith(ids) for line in terminal(found))
    write_script(Path("mixed.jsonl"), IDS, IDS)

    def wrong_once(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        for record in records:
            if record["subject"] == "script:mixed.jsonl" and record["repeat"] == 1:
                record["parts"]["strict"]["exact_match"] = [0.0, 1.0]
        return records

    found = compare([changed(evaluate("twice", GOOD, "script:mixed.jsonl", more=("--repeat", "2")), "t", wrong_once)])
    assert {one.second for one in found.pairs[0].won} == {0.5}
    rows = "script:good.jsonl zero-shot, script:mixed.jsonl zero-shot"
    assert found.notes == (f"tsg/sgqa: 2 repeats, averaged per item: {rows}",)


def test_rows_without_official_figures_are_left_out_of_that_profile_and_a_missing_metric_asks_for_rescoring() -> None:
    run = evaluate("official", GOOD, BAD, more=("--style", "zero-shot", "--style", "structured"))
    assert len(compare([run]).pairs) == 6
    found = compare([run], profile="official")
    assert [(pair.first.style, pair.second.style) for pair in found.pairs] == [("zero-shot", "zero-shot")]
    assert any("no official figures" in note for note in found.notes)

    def renamed(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [json.loads(json.dumps(record).replace('"exact_match":', '"exact":')) for record in records]

    with pytest.raises(UsageError, match="its record has no strict exact_match") as refused:
        compare([changed(run, "renamed", renamed)])
    assert "tsgkit rescore renamed" in refused.value.hint


def test_the_grid_marks_only_styles_that_really_differ() -> None:
    runs = []
    for style, right in (("zero-shot", IDS[:4]), ("cot", IDS[:5]), ("few-shot", IDS)):
        write_script(Path("model.jsonl"), IDS, right)
        runs.append(evaluate(f"grid-{style}", "script:model.jsonl", more=("--style", style)))
    found = grid([*runs, evaluate("rules", "baseline/random")])
    ways = [(row.subject, row.way) for row in found.rows]
    assert ways == [*(("script:model.jsonl", way) for way in ("zero-shot", "cot", "few-shot")), ("baseline/random", "")]
    assert [row.cells[0] and row.cells[0].mark for row in found.rows] == ["", "", "(+)", ""]
    assert len(found.pairs) == 2
    assert "Holm-corrected over 2 comparisons" in found.legend[-1]
    backwards = grid([runs[2], runs[0]])
    assert [row.cells[0] and row.cells[0].mark for row in backwards.rows] == ["", "(-)"]


@pytest.fixture(scope="module")
def baselines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return baseline_run(tmp_path_factory.mktemp("runs") / "run", "tsg/sgqa", "tsg/ma-sgg", limit=20)


def test_values_of_a_chart_are_those_of_the_report(baselines: Path) -> None:
    found = chart(gather_for([baselines], "f1", "k"), "f1", "k")
    [panel] = found.panels
    rows = [one for one in gather([baselines], ["k"]).rows if one.task == "tsg/ma-sgg"]
    assert panel.categories == tuple(rows[0].groups["k"])
    for one, series in zip(rows, panel.series, strict=True):
        assert {mark.category: (mark.value, mark.n) for mark in series.marks} == {
            k: ((members.profiles["strict"] or {})["f1"], members.n) for k, members in one.groups["k"].items()
        }
    assert found.notes == ("tsg/sgqa: no metric f1",)
    [panel] = chart(gather_for([baselines], "f1_soft", "k"), "f1_soft", "k").panels
    assert panel.measure == "f1_soft, strict (%)", "a metric that tables of groups leave out"


def test_a_task_can_be_named_wrong_names_say_what_there_is_and_a_broken_run_is_left_out(
    baselines: Path, tmp_path: Path
) -> None:
    (tmp_path / "run.json").write_text("{")
    report = gather_for([tmp_path, baselines], "headline", "task")
    assert len(report.left_out) == 1
    found = chart(report, "headline", "task")
    assert found.labels == ("baseline/rules", "baseline/random")
    assert found.panels[0].categories == (
        "tsg/sgqa exact_match",
        "tsg/ma-sgg precision",
        "tsg/ma-sgg recall",
        "tsg/ma-sgg f1",
    )
    [panel] = chart(report, "headline", "task", task="ma-sgg").panels
    assert panel.categories == ("tsg/ma-sgg precision", "tsg/ma-sgg recall", "tsg/ma-sgg f1")
    with pytest.raises(FileProblem):
        gather_for([tmp_path], "f1", "k")
    with pytest.raises(UsageError, match="cannot be grouped by stile"):
        gather_for([baselines], "f1", "stile")
    with pytest.raises(UsageError, match="no task here has the metric f2") as refused:
        chart(report, "f2", "task")
    assert refused.value.hint.startswith("choose from headline, exact_match, ")
    with pytest.raises(UsageError, match="no run here has the task ma-sg"):
        chart(report, "headline", "task", task="ma-sg")


def test_different_numbers_are_joined_by_a_line_and_series_named_by_what_differs() -> None:
    [panel] = chart(by("k", {"10": 0.1, "2": 0.2}, {"3": 0.3}), "exact_match", "k").panels
    assert (panel.categories, panel.is_numeric) == (("2", "3", "10"), True)
    for names in (["2", "02"], ["2", "9" * 400], ["2", "two"], ["2"]):
        [panel] = chart(by("tag", dict.fromkeys(names, 0.5)), "exact_match", "tag").panels
        assert not panel.is_numeric, names
    for rows, group, labels in (
        (
            (row("a", style="cot"), row("a", style="few-shot"), row("rules", style="", solver="baseline")),
            "task",
            ("a cot", "a few-shot", "rules"),
        ),
        ((row("a", style="cot"), row("a", style="few-shot"), row("rules", style="")), "style", ("a", "rules")),
        ((row("a"), row("a", run="runs/b")), "style", ("a (runs/a)", "a (runs/b)")),
        ((row("a", repeat=0), row("a", repeat=1)), "task", ("a", "a #2")),
    ):
        assert chart(Report(rows), "exact_match", group).labels == labels


def test_rows_without_a_value_and_more_series_than_can_be_told_apart_are_refused() -> None:
    with pytest.raises(UsageError, match="nothing to draw: tsg/sgqa: no official value"):
        chart(Report((row("a"),)), "exact_match", "subject", profile="official")
    rows = tuple(row(f"model {number}") for number in range(charts.MOST_SERIES + 1))
    assert len(chart(Report(rows[1:]), "exact_match", "task").labels) == charts.MOST_SERIES
    with pytest.raises(UsageError, match="17 series are too many for a figure, at most 16"):
        chart(Report(rows), "exact_match", "task")
    one = replace(row("a"), board=board(3.5, is_share=False))
    [panel] = chart(Report((one, replace(one, subject="b"))), "exact_match", "subject").panels
    assert panel.measure == "exact_match, strict", "values that are no shares are not percent"


def test_differences_of_a_chart_are_those_of_the_comparison() -> None:
    found = compared(contender("a", "9999990990"), contender("b", "0000000000"), contender("c", "9999990999"))
    [panel] = differences(found).panels
    statistics = [pair.statistics for pair in found.pairs]
    assert [(mark.value.value, mark.value.low, mark.value.high, mark.n) for mark in panel.marks] == [
        (one.difference, one.interval.low, one.interval.high, 10) for one in statistics if one.interval
    ]
    assert [mark.is_shown for mark in panel.marks] == [pair.differs for pair in found.pairs] == [True, False]
    empty = replace(contender("a", "9"), parts={"0": Part(0.0, 0.0, "0")})
    with pytest.raises(UsageError, match="nothing to draw; tsg/sgqa: a minus b: "):
        differences(compared(empty, replace(empty, name="b")))


def test_items_are_shared_out_by_right_and_wrong_or_by_who_is_better_and_by_the_groups_of_the_report(
    baselines: Path,
) -> None:
    for first, second, kinds, counts in (
        ("99900", "90090", charts.RIGHT_OR_WRONG, (2, 1, 1, 1)),
        ("95900", "94090", charts.MORE_OR_LESS, (2, 2, 1)),
    ):
        [panel] = items(compared(contender("a", first), contender("b", second))).panels
        assert (panel.labels, panel.rows[0].counts) == (kinds, counts)
    shares = share_out([(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)], more_is_better=False)
    assert list(shares.values()) == [1, 1, 1, 0], "right is none where less is better"
    groups = {"0": ("10",), "1": ("2", "10"), "2": ("2",)}
    [panel] = items(compared(contender("a", "990", groups=groups), contender("b", "900", groups=groups)), "k").panels
    assert [(one.label, one.counts) for one in panel.rows] == [("k = 2", (1, 0, 1, 0)), ("k = 10", (1, 1, 0, 0))]
    assert panel.title == "tsg/sgqa, exact_match, strict: a against b"
    found = items(compare([baselines], by="implicit"), "implicit")
    [panel] = found.panels
    assert sum(one.n for one in panel.rows) == 20
    assert found.notes == ("tsg/sgqa: not grouped by implicit",)


def test_a_missing_profile_has_no_mark_and_samples_are_counted_by_how_they_ended() -> None:
    rows = [row("model A"), row("model B", None)]
    found = in_both_profiles("Scores", [(one.subject, one, one.metric) for one in rows])
    [panel] = found.panels
    assert [(one.label, len(one.marks)) for one in panel.series] == [("strict", 1), ("official", 0)]
    assert found.alt == (
        "Scores. exact_match (%): strict (model A: 50.0 [25.0, 75.0], n = 4), official (none). Brackets hold 95 % "
        "intervals; n counts items. Left out: model B: no value."
    )
    assert in_both_profiles("Scores", [("b", rows[1], "exact_match")]).panels == ()
    counts = rows[0].board.counts | {"answered": 100_000, "refused": 1}
    ended = outcomes("Ends", [("model A", replace(rows[0], board=replace(rows[0].board, counts=counts)))])
    [bars] = ended.panels
    assert bars.labels == ("answered", "refused")
    assert ended.alt == "Ends. model A: 100,000 answered, 1 refused (n = 100,001). n counts samples."
