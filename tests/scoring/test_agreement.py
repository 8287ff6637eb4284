"""Agreement of raters, and of a judge with a reference."""

from __future__ import annotations

import logging

import pytest

from tsgkit.scoring import Measure, balanced_accuracy, cohens_kappa, krippendorffs_alpha

Ratings = dict[int, str | None]


def ratings(text: str) -> Ratings:
    """Return one letter or digit for each item; a dot where the rater did not say."""
    return {item: None if label == "." else label for item, label in enumerate(text)}


def test_kappa_of_the_textbook_table() -> None:
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: Ao = 35/50, Ae = 0.5 * 0.6 + 0.5 * 0.4 = 0.5, kappa = 0.2 / 0.5
    found = cohens_kappa(ratings("y" * 25 + "n" * 25), ratings("y" * 20 + "n" * 5 + "y" * 10 + "n" * 15))
    assert found.value == pytest.approx(0.4)
    assert (found.measure, found.n, found.left_out, found.labels) == (Measure.KAPPA, 50, 0, ("n", "y"))


def test_kappa_counts_complete_pairs_only() -> None:
    # Of the four complete pairs three agree: Ao = 0.75, Ae = 0.5 * 0.25 + 0.5 * 0.75 = 0.5
    found = cohens_kappa(ratings("yynn.y"), ratings("ynnny."))
    assert (found.value, found.n, found.left_out) == (0.5, 4, 2)


def test_kappa_of_one_who_always_says_the_same_is_chance() -> None:
    assert cohens_kappa(ratings("yyyy"), ratings("yynn")).value == 0


def test_raters_who_always_contradict_each_other_are_below_chance() -> None:
    assert cohens_kappa(ratings("ynyn"), ratings("nyny")).value == -1
    # Do = 1; De of two labels, four times each: 2 * 4 * 4 / (8 * 7) = 4/7; 1 - 7/4
    assert krippendorffs_alpha([ratings("ynyn"), ratings("nyny")]).value == pytest.approx(-0.75)


# Krippendorff 2011, section D: four observers, twelve units, the last rated once; nominal alpha = 0.743.
OBSERVERS = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")


def test_alpha_of_krippendorffs_example() -> None:
    found = krippendorffs_alpha([ratings(text) for text in OBSERVERS])
    assert found.value == pytest.approx(0.743, abs=5e-4)
    assert (found.n, found.left_out, found.raters, found.labels) == (11, 1, 4, ("1", "2", "3", "4", "5"))


def test_alpha_of_krippendorffs_binary_example() -> None:
    # Krippendorff 2011, section A: two observers, ten units, four disagreements, 14 zeros and 6 ones:
    # 1 - 19 * 4 / (14 * 6) = 0.095
    found = krippendorffs_alpha([ratings("0100000010"), ratings("1110010000")])
    assert found.value == pytest.approx(1 - 19 * 4 / 84)


def test_alpha_does_not_need_every_rater_on_every_item() -> None:
    assert krippendorffs_alpha([ratings("ab.."), ratings("a.b."), ratings(".bbb")]).value == 1


ONE_LABEL = "every rating is 'y', so chance alone would agree"


def test_agreement_on_one_label_is_undefined() -> None:
    kappa, alpha = cohens_kappa(ratings("yy"), ratings("yy")), krippendorffs_alpha([ratings("yy"), ratings("yy")])
    assert (kappa.value, kappa.reason, kappa.n) == (None, ONE_LABEL, 2)
    assert (alpha.value, alpha.reason, alpha.n) == (None, ONE_LABEL, 2)


def test_one_label_on_the_items_that_count_is_undefined_too() -> None:
    assert krippendorffs_alpha([ratings("yyn"), ratings("yy.")]).reason == ONE_LABEL


@pytest.mark.parametrize("others", [[], [{}], [ratings("...")]])
def test_without_two_ratings_of_an_item_agreement_is_undefined(others: list[Ratings]) -> None:
    found = krippendorffs_alpha([ratings("yny"), *others])
    assert (found.value, found.n, found.left_out) == (None, 0, 3)
    assert found.reason == "no item was rated by two raters"
    for other in others:
        assert cohens_kappa(ratings("yny"), other).reason == found.reason


def test_no_raters_are_no_crash() -> None:
    assert krippendorffs_alpha([]).value is None


def test_items_and_labels_may_be_anything_that_can_be_named() -> None:
    items: list[tuple[str, int | None]] = [("a", 1), ("a", None), ("b", 2)]
    ours: dict[object, str | None] = dict(zip([*items, None], ["%s", "\x1b[31m", "", "ü"], strict=True))
    assert cohens_kappa(ours, ours).value == 1
    assert krippendorffs_alpha([ours, ours]).value == 1


def test_more_labels_than_any_study_has_are_a_reason_and_no_crash(caplog: pytest.LogCaptureFixture) -> None:
    many: Ratings = {n: str(n) for n in range(10_001)}
    with caplog.at_level(logging.INFO):
        found = cohens_kappa(many, many)
    assert found.value is None
    assert found.reason == "10001 different labels are too many to measure agreement on (at most 1000)"


def test_balanced_accuracy_counts_rare_labels_as_much_as_frequent_ones() -> None:
    # 6 of 8 yes, 1 of 2 no: (0.75 + 0.5) / 2
    found = balanced_accuracy(ratings("yyyyyynn" + "ny"), ratings("yyyyyyyy" + "nn"))
    assert found.value == 0.625
    assert (found.measure, found.n, found.left_out, found.labels) == (Measure.BALANCED_ACCURACY, 10, 0, ("n", "y"))


@pytest.mark.parametrize("labels", ["ab", "abc", "abcd"])
def test_always_one_label_is_one_of_as_many_as_there_are(labels: str) -> None:
    assert balanced_accuracy(ratings("a" * len(labels)), ratings(labels)).value == pytest.approx(1 / len(labels))


def test_saying_nothing_is_missed_and_never_skipped() -> None:
    reference = ratings("yyn")
    assert balanced_accuracy(ratings("yyn"), reference).value == 1
    assert balanced_accuracy(ratings("y.n"), reference).value == 0.75
    assert balanced_accuracy({}, reference).value == 0


def test_a_label_the_reference_does_not_know_is_wrong() -> None:
    assert balanced_accuracy(ratings("yxn"), ratings("yyn")).value == 0.75


def test_items_without_a_reference_rating_are_left_out() -> None:
    found = balanced_accuracy(ratings("ynyn"), ratings("yn.."))
    assert (found.value, found.n, found.left_out) == (1, 2, 2)


@pytest.mark.parametrize(
    ("reference", "reason"),
    [("..", "the reference rates nothing"), ("", "the reference rates nothing"), ("yy", ONE_LABEL)],
)
def test_a_reference_of_fewer_than_two_labels_leaves_it_undefined(reference: str, reason: str) -> None:
    found = balanced_accuracy(ratings("yn"), ratings(reference))
    assert (found.value, found.reason) == (None, reason)
