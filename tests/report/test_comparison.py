"""Comparisons of runs: their numbers against independent computations, and what is refused."""

from __future__ import annotations

import json
import math
import random
import shutil
import statistics
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from compared_runs import evaluate, item_ids, write_questions, write_script

from tsgkit.errors import UsageError
from tsgkit.report.comparison import NO_DIFFERENCE, Comparison, Pair, compare, paired
from tsgkit.report.comparison_rows import Contender, averaged
from tsgkit.report.grid import grid
from tsgkit.scoring.pooling import Part, Pooling
from tsgkit.suites.metrics import Metric

IDS = item_ids()
ACCURACY = Metric("right")
FAULTS = Metric("faults", more_is_better=False)


def contender(name: str, parts: Mapping[str, Part], measure: Metric = ACCURACY) -> Contender:
    return Contender(
        name=name, run=name, place=0, subject=name, task="tsg/sgqa", solver="single", style="zero-shot", repeats=1,
        metric="accuracy", measure=measure, parts=parts, unanswered={},
    )  # fmt: skip


def alone(first: Contender, second: Contender) -> Pair:
    [pair] = paired([(first, second)], seed=0)
    return pair


def fine(rng: random.Random, clusters: int) -> dict[str, Part]:
    return {str(n): Part(rng.random(), 1, str(n)) for n in range(clusters)}


@pytest.fixture
def questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_script(Path("good.jsonl"), IDS, IDS[:22])
    write_script(Path("bad.jsonl"), IDS, IDS[20:])
    return write_questions(Path("questions.jsonl"), IDS)


# ---- the numbers ----


@pytest.mark.parametrize("seed", range(6))
def test_p_is_the_share_of_all_swaps_that_are_as_far_apart(seed: int) -> None:
    rng = random.Random(seed)
    sides = [
        {str(n): Part(rng.randint(0, weight), weight, str(n % 7)) for n in range(15) if (weight := rng.randint(1, 4))}
        for _ in range(2)
    ]
    pair = alone(contender("a", sides[0]), contender("b", sides[1]))
    totals = [
        [
            tuple(sum(int(getattr(part, name)) for part in side.values() if part.cluster == cluster) for side in sides)
            for name in ("sum", "weight")
        ]
        for cluster in map(str, range(7))
    ]

    def apart(swaps: tuple[int, ...]) -> Fraction:
        values = []
        for side in (0, 1):
            chosen = [
                (sums[side ^ swap], weights[side ^ swap]) for (sums, weights), swap in zip(totals, swaps, strict=True)
            ]
            values.append(Fraction(sum(one for one, _ in chosen), sum(weight for _, weight in chosen)))
        return abs(values[0] - values[1])

    real = apart((0,) * 7)
    far = sum(apart(swaps) >= real for swaps in product((0, 1), repeat=7))
    assert pair.statistics.test.p == pytest.approx(far / 2**7)
    assert pair.statistics.clusters == 7
    assert pair.statistics.items == 15


def test_p_of_single_items_right_or_wrong_is_mcnemars() -> None:
    ours = {str(n): Part(float(n < 30), 1, str(n)) for n in range(40)}
    theirs = {str(n): Part(float(n < 18 or n >= 37), 1, str(n)) for n in range(40)}
    pair = alone(contender("a", ours), contender("b", theirs))
    expected = 2 * sum(math.comb(15, fewer) for fewer in range(4)) / 2**15
    assert pair.statistics.test.p == pytest.approx(expected)
    assert "McNemar" in pair.statistics.test.method
    assert (len(pair.won), len(pair.lost), pair.tied) == (12, 3, 25)
    assert pair.verdict == "a is better"


def test_p_values_are_corrected_over_all_pairs() -> None:
    base = {str(n): Part(0.0, 1, str(n)) for n in range(30)}
    rows = [
        contender(name, {str(n): Part(float(n < right), 1, str(n)) for n in range(30)})
        for name, right in (("x", 8), ("y", 6), ("z", 3))
    ]
    pairs = paired([(row, contender("base", base)) for row in rows], seed=0)
    raw = [2 / 2**right for right in (8, 6, 3)]
    assert [pair.statistics.test.p for pair in pairs] == pytest.approx(raw)
    expected = [raw[0] * 3, max(raw[0] * 3, raw[1] * 2), max(raw[1] * 2, raw[2])]
    assert [pair.adjusted for pair in pairs] == pytest.approx(expected)
    assert [pair.differs for pair in pairs] == [True, False, False]


def test_the_smallest_difference_is_that_of_the_clustered_standard_error() -> None:
    rng = random.Random(3)
    ours, theirs = fine(rng, 25), fine(rng, 25)
    pair = alone(contender("a", ours), contender("b", theirs))
    error = statistics.stdev(ours[item].sum - theirs[item].sum for item in ours) / math.sqrt(25)
    assert pair.statistics.resolvable.value == pytest.approx((1.959964 + 0.841621) * error, rel=1e-5)


def test_the_order_of_rows_turns_the_sign_and_changes_nothing_else() -> None:
    rng = random.Random(5)
    sides = [{str(n): Part(rng.random(), 1, str(n % 23)) for n in range(60)} for _ in range(2)]
    one, other = contender("a", sides[0]), contender("b", sides[1])
    there, back = alone(one, other), alone(other, one)
    assert back.statistics.difference == -(there.statistics.difference or 0)
    assert back.statistics.test == there.statistics.test
    assert there.statistics.interval is not None
    assert back.statistics.interval is not None
    assert back.statistics.interval.low == pytest.approx(-there.statistics.interval.high, abs=1e-9)
    assert back.statistics.interval.high == pytest.approx(-there.statistics.interval.low, abs=1e-9)
    assert (back.won, len(back.lost)) == (tuple(one._replace(first=one.second, second=one.first) for one in there.lost),
                                          len(there.won))  # fmt: skip
    shuffled = dict(rng.sample(list(sides[0].items()), 60))
    assert alone(contender("a", shuffled), other).statistics == there.statistics


@pytest.mark.parametrize("measure", [ACCURACY, FAULTS])
def test_two_identical_rows_are_never_different(measure: Metric) -> None:
    for seed in range(20):
        parts = fine(random.Random(seed), 1 + seed)
        pair = alone(contender("a", parts, measure), contender("b", dict(parts), measure))
        assert pair.statistics.test.p == 1
        assert pair.better is None
        assert pair.verdict == f"{NO_DIFFERENCE}: the same on every item"


def test_less_of_a_fault_is_better() -> None:
    few = {str(n): Part(0.0, 1, str(n)) for n in range(12)}
    many = {str(n): Part(1.0, 1, str(n)) for n in range(12)}
    pair = alone(contender("few", few, FAULTS), contender("many", many, FAULTS))
    assert pair.statistics.difference == -1
    assert pair.better is pair.first
    assert (len(pair.won), len(pair.lost)) == (12, 0)


def test_about_one_in_twenty_of_equal_rows_is_called_different() -> None:
    # With ten clusters the attainable level is 25 / 512; of 1,000, 99.9 % of binomial counts lie between 26 and 72.
    rng = random.Random(2024)
    couples = [(contender("a", fine(rng, 10)), contender("b", fine(rng, 10))) for _ in range(1000)]
    raw = [paired([couple], seed=7)[0] for couple in couples]
    assert 26 <= sum(pair.differs for pair in raw) <= 72
    # Five at a time, corrected: of 200 studies at most one in twenty may call any pair different.
    studies = [paired(couples[start : start + 5], seed=7) for start in range(0, 1000, 5)]
    assert sum(any(pair.differs for pair in study) for study in studies) <= 20


def test_repeats_are_averaged_as_the_metric_is_pooled() -> None:
    draws = [Part(2, 4, "tea"), Part(0, 1, "tea"), Part(0, 0, "tea")]
    assert averaged(draws, Pooling.PER_ITEM) == Part(0.25, 1, "tea")
    pooled = averaged(draws, Pooling.POOLED)
    assert pooled.sum / pooled.weight == pytest.approx(2 / 5)


# ---- runs ----


def test_rows_of_one_run_are_compared_with_each_other(questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", "script:bad.jsonl", "baseline/random")
    found = compare([run])
    assert [(pair.first.name, pair.second.name) for pair in found.pairs] == [
        ("script:good.jsonl zero-shot", "script:bad.jsonl zero-shot"),
        ("script:good.jsonl zero-shot", "baseline/random"),
        ("script:bad.jsonl zero-shot", "baseline/random"),
    ]
    first = found.pairs[0]
    assert first.statistics.first.value == pytest.approx(22 / 24)
    assert first.statistics.second.value == pytest.approx(4 / 24)
    assert (first.statistics.items, first.statistics.clusters) == (24, 12)
    assert [one.item_id for one in first.lost] == IDS[22:]
    assert first.verdict == "script:good.jsonl zero-shot is better"


def test_a_copy_of_a_run_is_no_different(questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", "baseline/random")
    shutil.copytree(run, "copy")
    found = compare([run, Path("copy")])
    same = [pair for pair in found.pairs if pair.first.subject == pair.second.subject]
    assert len(same) == 2
    assert all(pair.adjusted == 1 and pair.is_same for pair in same)
    assert {pair.first.name for pair in same} == {"script:good.jsonl zero-shot (run)", "baseline/random (run)"}
    assert not any(pair.differs for pair in compare([run, run]).pairs)


def test_a_row_is_compared_with_the_row_of_another_run_that_is_most_like_it(questions: Path) -> None:
    ways = ("--style", "zero-shot", "--style", "cot")
    one = evaluate("one", "script:good.jsonl", more=ways)
    other = evaluate("other", "script:bad.jsonl", more=ways)
    pairs = compare([one, other]).pairs
    assert [(pair.first.style, pair.second.style) for pair in pairs] == [("zero-shot", "zero-shot"), ("cot", "cot")]


def test_the_order_of_runs_does_not_change_the_numbers(questions: Path) -> None:
    one, other = evaluate("one", "script:good.jsonl"), evaluate("other", "script:bad.jsonl")
    [there], [back] = compare([one, other]).pairs, compare([other, one]).pairs
    assert back.statistics.difference == -(there.statistics.difference or 0)
    assert (back.statistics.test, back.adjusted) == (there.statistics.test, there.adjusted)
    assert back.verdict == there.verdict


@pytest.mark.parametrize("baseline", ["old", "script:bad.jsonl", "script:bad.jsonl zero-shot"])
def test_a_baseline_is_a_run_a_subject_or_a_row(baseline: str, questions: Path) -> None:
    old, new = evaluate("old", "script:bad.jsonl"), evaluate("new", "script:good.jsonl", "baseline/random")
    found = compare([old, new], baseline=baseline)
    assert {pair.second.name for pair in found.pairs} == {"script:bad.jsonl zero-shot"}
    assert [pair.first.subject for pair in found.pairs] == ["script:good.jsonl", "baseline/random"]
    assert not found.worse


def test_a_run_that_is_the_baseline_need_not_be_named_twice(questions: Path) -> None:
    evaluate("old", "script:good.jsonl")
    found = compare([evaluate("new", "script:bad.jsonl")], baseline="old")
    assert [pair.first.name for pair in found.worse] == ["script:bad.jsonl zero-shot"]


def test_a_style_can_be_the_baseline_of_each_model(questions: Path) -> None:
    ways = ("--style", "zero-shot", "--style", "cot")
    run = evaluate("run", "script:good.jsonl", "script:bad.jsonl", more=ways)
    pairs = compare([run], baseline="zero-shot").pairs
    assert [(pair.first.style, pair.first.subject == pair.second.subject) for pair in pairs] == [("cot", True)] * 2


def test_a_baseline_that_could_be_several_rows_is_refused(questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", more=("--style", "zero-shot", "--style", "cot"))
    new = evaluate("new", "script:good.jsonl", more=("--style", "few-shot"))
    with pytest.raises(UsageError, match="several rows of the baseline run are as much like it") as refused:
        compare([run, new], baseline="run")
    assert "--baseline 'script:good.jsonl zero-shot'" in refused.value.hint


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"baseline": "script:goof.jsonl"}, "no row is the baseline script:goof.jsonl"),
        ({"tasks": ["sgqb"]}, "no run here has the task sgqb"),
        ({"metric": "f1"}, "tsg/sgqa has no metric f1; it has exact_match"),
        ({"profile": "lenient"}, "there is no profile lenient"),
    ],
)
def test_comparison_refuses_unknown_names(changes: dict[str, object], message: str, questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", "script:bad.jsonl")
    with pytest.raises(UsageError, match=message):
        compare([run], **changes)  # type: ignore[arg-type]


def test_one_row_alone_is_nothing_to_compare(questions: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no row to compare with script:good\.jsonl"):
        compare([evaluate("run", "script:good.jsonl")])


def test_different_data_are_refused(questions: Path) -> None:
    one = evaluate("one", "script:good.jsonl")
    write_questions(Path("others.jsonl"), IDS, "What gets washed?")
    other = evaluate("other", "script:good.jsonl", data="others.jsonl")
    with pytest.raises(UsageError, match="different data"):
        compare([one, other])


def test_unequal_items_are_refused_or_restricted(questions: Path) -> None:
    whole = evaluate("whole", "script:good.jsonl")
    part = evaluate(
        "part",
        "script:bad.jsonl",
        more=(
            "--ids",
            *IDS[4:],
        ),
    )
    with pytest.raises(UsageError, match="20 in common") as refused:
        compare([whole, part])
    assert "--common" in refused.value.hint
    found = compare([whole, part], common=True)
    assert found.pairs[0].statistics.items == 20
    assert found.pairs[0].statistics.first.value == pytest.approx(18 / 20)
    assert any("restricted to the 20 items that all rows have, of 24 at most" in note for note in found.notes)


def test_rows_without_a_common_item_are_refused_even_so(questions: Path) -> None:
    one = evaluate("one", "script:good.jsonl", more=("--ids", *IDS[:6]))
    other = evaluate("other", "script:bad.jsonl", more=("--ids", *IDS[6:]))
    with pytest.raises(UsageError, match="no item in common"):
        compare([one, other], common=True)


def test_missing_replies_count_as_wrong_and_are_named(questions: Path) -> None:
    write_script(Path("silent.jsonl"), IDS, IDS, missing=IDS[:7])
    found = compare([evaluate("run", "script:good.jsonl", "script:silent.jsonl")])
    assert found.pairs[0].statistics.second.value == pytest.approx(17 / 24)
    [note] = [note for note in found.notes if "no answer" in note]
    assert "7 samples have no answer; they count as wrong: missing 7 (s0-0, s0-1, s1-0, s1-1, s2-0 and 2 more)" in note


def test_unfinished_row_is_compared_on_the_items_that_ended(questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", "script:bad.jsonl")
    records = (run / "samples.jsonl").read_text().splitlines(keepends=True)
    (run / "samples.jsonl").write_text("".join(records[:10] + records[24:]))
    with pytest.raises(UsageError, match="the rows have different items: 10 in common"):
        compare([run])
    found = compare([run], common=True)
    assert found.pairs[0].statistics.first.value == 1 and found.pairs[0].statistics.items == 10
    assert any("unfinished: 14 of 24 samples were not asked" in note for note in found.notes)


def test_repeats_are_averaged_per_item_and_that_is_said(questions: Path) -> None:
    write_script(Path("mixed.jsonl"), IDS, IDS)
    run = evaluate("run", "script:good.jsonl", "script:mixed.jsonl", more=("--repeat", "2"))
    records = [json.loads(line) for line in (run / "samples.jsonl").read_text().splitlines()]
    for record in records:
        if record["subject"] == "script:mixed.jsonl" and record["repeat"] == 1:
            record["parts"]["strict"]["exact_match"] = [0.0, 1.0]
    (run / "samples.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    found = compare([run])
    [pair] = found.pairs
    assert pair.statistics.second.value == pytest.approx(0.5)
    assert {one.second for one in pair.won} == {0.5}
    assert found.notes == (
        "tsg/sgqa: 2 repeats, averaged per item: script:good.jsonl zero-shot, script:mixed.jsonl zero-shot",
    )


def test_rows_without_official_figures_are_left_out_of_that_profile(questions: Path) -> None:
    run = evaluate(
        "run", "script:good.jsonl", "script:bad.jsonl", more=("--style", "zero-shot", "--style", "structured")
    )
    assert len(compare([run]).pairs) == 6
    found = compare([run], profile="official")
    assert [(pair.first.style, pair.second.style) for pair in found.pairs] == [("zero-shot", "zero-shot")]
    assert any("no official figures" in note for note in found.notes)


def test_a_record_without_the_metric_asks_for_judging_again(questions: Path) -> None:
    run = evaluate("run", "script:good.jsonl", "script:bad.jsonl")
    text = (run / "samples.jsonl").read_text()
    (run / "samples.jsonl").write_text(text.replace('"exact_match":', '"exact":'))
    with pytest.raises(UsageError, match="its record has no strict exact_match") as refused:
        compare([run])
    assert "tsgkit rescore run" in refused.value.hint


def test_comparison_notes_other_versions(questions: Path) -> None:
    one, other = evaluate("one", "script:good.jsonl"), evaluate("other", "script:bad.jsonl")
    header = json.loads((other / "run.json").read_text())
    (other / "run.json").write_text(json.dumps(header | {"tsgkit": "0.0.1"}))
    assert any("different versions of tsgkit (0." in note for note in compare([one, other]).notes)


def test_comparison_notes_too_many_pairs() -> None:
    parts = [{str(n): Part(float(n % 2 == side), 1, str(n // 2)) for n in range(40)} for side in (0, 1)]
    parts[0]["0"] = Part(0.5, 1, "0")
    for n in range(1, 40):
        parts[0][str(n)] = Part(0.3 + n / 100, 1, str(n // 2))
    from tsgkit.report.comparison import too_many

    pair = alone(contender("a", parts[0]), contender("b", parts[1]))
    assert pair.statistics.test.rounds
    assert not list(too_many([pair] * 500))
    assert list(too_many([pair] * 501))


def test_a_row_without_a_value_is_worse_than_a_baseline_that_has_one() -> None:
    nothing = contender("nothing", {str(n): Part(0, 0, str(n)) for n in range(8)})
    pair = alone(nothing, contender("base", {str(n): Part(1, 1, str(n)) for n in range(8)}))
    assert pair.verdict.startswith("cannot be compared: ")
    assert Comparison("strict", 0, (), (pair,), (), has_baseline=True).worse == (pair,)
    assert not replace(pair, adjusted=0.5).differs


# ---- the grid ----


def test_the_grid_marks_only_styles_that_really_differ(questions: Path) -> None:
    runs = []
    for style, right in (("zero-shot", IDS[:4]), ("cot", IDS[:5]), ("few-shot", IDS)):
        write_script(Path("model.jsonl"), IDS, right)
        runs.append(evaluate(style, "script:model.jsonl", more=("--style", style)))
    found = grid([*runs, evaluate("rules", "baseline/random")])
    assert [(row.subject, row.way) for row in found.rows] == [
        ("script:model.jsonl", "zero-shot"), ("script:model.jsonl", "cot"), ("script:model.jsonl", "few-shot"),
        ("baseline/random", ""),
    ]  # fmt: skip
    assert [row.cells[0] and row.cells[0].mark for row in found.rows] == ["", "", "(+)", ""]
    assert len(found.pairs) == 2
    assert "Holm-corrected over 2 comparisons" in found.legend
    backwards = grid([runs[2], runs[0]])
    assert [row.cells[0] and row.cells[0].mark for row in backwards.rows] == ["", "(-)"]
