"""Tables of pages: figures on the right, no empty columns, a head that stays above long tables."""

from __future__ import annotations

import pytest
from page_tables import Tables, empty_columns

from tsgkit.report import html
from tsgkit.report.html import text


def made(*rows: tuple[str, ...], head: tuple[str, ...] = ("who", "score", "why")) -> str:
    return html.table(head, [[*map(text, row)] for row in rows])


def test_a_column_without_content_is_left_out() -> None:
    source = made(("a", "-", "good"), ("b", "", "bad"))
    assert Tables(source).tables == [[["who", "why"], ["a", "good"], ["b", "bad"]]]


def test_a_column_stays_if_one_row_has_something_to_say() -> None:
    source = made(("a", "-", ""), ("b", "1", ""))
    assert Tables(source).tables == [[["who", "score"], ["a", "-"], ["b", "1"]]]
    assert empty_columns(source) == []


def test_the_first_column_stays_though_it_is_empty() -> None:
    assert Tables(made(("", "1", "x"))).tables[0][0][0] == "who"


@pytest.mark.parametrize(
    "figure",
    ["12", "1,234", "57.4 [50.3, 64.3]", "57.4 [50.3, 64.3] (+)", "[50.3, 64.3]", ">=$0.0012", "400 + 40", "11 %",
     "(unknown)", "-3.5"],
)  # fmt: skip
def test_figures_stand_on_the_right_with_their_heading(figure: str) -> None:
    assert made(("a", figure, "x"), ("b", "-", "y")).count('class="figure"') == 3


@pytest.mark.parametrize("word", ["zero-shot", "cot 4 shots", "3 of 6", "2.21 of 6.11 square metres", "gpt-4"])
def test_words_stand_on_the_left(word: str) -> None:
    assert 'class="figure"' not in made(("a", word, "x"))


def test_one_word_among_figures_keeps_a_column_on_the_left() -> None:
    assert 'class="figure"' not in made(("a", "1", "x"), ("b", "none", "y"))


def test_a_long_table_is_scrolled_under_its_head_and_a_short_one_is_not() -> None:
    rows = [(str(number), "1", "x") for number in range(html.MOST_ROWS + 1)]
    assert '<div class="wide long"' in made(*rows)
    assert "long" not in made(*rows[:-1])


def test_a_heading_names_its_group_above_and_in_the_label_of_cards() -> None:
    source = made(("a", "1", "x"), head=("who", "a<b\nf1", "why"))
    assert '<span class="group"><bdi>a&lt;b</bdi></span>f1' in source
    assert 'data-label="a&lt;b f1"' in source
