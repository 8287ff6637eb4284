"""Tests of the baselines that answer without images."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tsgkit.errors import UsageError
from tsgkit.suites.spatialgen.baselines import NAMES, accuracies, baseline
from tsgkit.suites.spatialgen.rows import Question, Row, row_of
from tsgkit.suites.spatialgen.terms import SUB_DOMAINS


def question(stem: str, *options: str, key: str = "A", sub_domain: str = "Object") -> Question:
    return Question(stem, {**dict(zip("ABCD", options, strict=False)), "E": "None"}, key, sub_domain)


LAMP = question("Which things are there?", "A red lamp", "A cart and bottles", "A dog", "Two red lamps here")
CART = question("Where does the cart stand?", "up", "down", "left", "right", key="D", sub_domain="Position")
BOTTLE = question("How many bottles are on it?", "one", "two", "three", "thirteen", key="B", sub_domain="Comparison")
ROW = row_of("000001", "Forest", "", [LAMP, CART, BOTTLE])


def test_overlap_picks_the_option_mentioned_in_other_stems() -> None:
    assert baseline("overlap")(ROW)[0] == "B"
    assert baseline("overlap")(row_of("000001", "Forest", "", [LAMP]))[0] in "ABCD", "no stem, so by lot"


def test_longest_counts_characters_and_most_like_others_counts_words() -> None:
    assert baseline("longest")(ROW) == ("B", "D", "D")
    assert baseline("most-like-others")(ROW)[0] in "AD"


def test_constant_gives_its_letter_even_if_not_an_option() -> None:
    assert baseline("constant:E")(ROW) == ("E", "E", "E")


def rows_with(keys: str) -> list[Row]:
    return [row_of(f"{number:06d}", "Zoo", "", [replace(LAMP, key=key)]) for number, key in enumerate(keys, 1)]


def test_majority_uses_keys_of_other_folds() -> None:
    rows = rows_with("CCCCCCCCCA")
    answer = baseline("majority-per-type", rows)
    assert accuracies(rows, answer) == {"Object": 0.9}
    lonely = rows_with("B")
    assert baseline("majority-per-type", lonely)(lonely[0]) == ("A",), "its own key is not known"
    assert baseline("majority-per-type", lonely)(row_of("000002", "Zoo", "", [LAMP])) == ("B",)


def test_random_picks_every_option_including_refusal() -> None:
    rows = [row_of(f"{number:06d}", "Zoo", "", [LAMP]) for number in range(500)]
    said = Counter(letter for row in rows for letter in baseline("random", seed=2)(row))
    assert set(said) == set("ABCDE")
    assert all(70 < times < 130 for times in said.values())


def test_baselines_are_deterministic_and_guess_without_options() -> None:
    bare = row_of("000001", "Zoo", "", [Question("Where?", {}, "A", "Position", "")])
    for name in NAMES:
        letters = baseline(name, [ROW], seed=5)(ROW)
        assert baseline(name, [ROW], seed=5)(ROW) == letters, name
        assert (len(letters), set(letters) <= set("ABCDE")) == (3, True), name
        assert len(baseline(name, [bare])(bare)) == 1, name


def test_an_unknown_baseline_is_refused() -> None:
    for name in ("constant", "constant:", "constant:F", "longer", ""):
        with pytest.raises(UsageError, match="there is no baseline") as found:
            baseline(name)
        assert "majority-per-type" in found.value.hint


def test_accuracies_come_in_the_order_of_the_sub_domains() -> None:
    odd = row_of("000002", "Zoo", "", [replace(LAMP, sub_domain="Mood"), BOTTLE, CART])
    found = accuracies([odd], baseline("constant:A"))
    assert list(found) == [*(name for name in SUB_DOMAINS if name in ("Position", "Comparison")), "Mood"]
    assert found["Mood"] == 1.0
