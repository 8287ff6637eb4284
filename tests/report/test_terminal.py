"""Tables on a terminal: figures to the right, what has no room left out and named, colours only where they show."""

from __future__ import annotations

from tsgkit.report.terminal import PAPER, Screen, aligned, columns

HEAD = ("task", "style", "metric", "n", "strict", "official", "unreadable", "failed", "tokens", "cost")
ROWS = [
    HEAD,
    ("tsg/sgqa", "cot", "exact_match", "490", "87.5 [80.1, 92.0]", "83.0 [75.0, 90.1]", "0", "3", "1,234,567", "$1.20"),
    ("tsg/ma-sgg", "few-shot", "f1", "9", "7.5 [0.1, 12.0]", "-", "0", "0", "9", "$0.01"),
]


def test_figures_stand_to_the_right_and_words_to_the_left() -> None:
    head, first, second = aligned(ROWS, 3, PAPER)
    place = head.index("  n ") + 3
    assert first[place - 3 : place] == "490" and second[place - 3 : place] == "  9"
    assert second.startswith("  tsg/ma-sgg  few-shot  f1 ")


def test_narrow_screens_keep_failures_and_name_what_they_leave_out() -> None:
    for width in (100, 80, 60):
        *lines, told = aligned(ROWS, 3, Screen(width))
        assert all(columns(line) <= width for line in lines[:3]) and "failed" in lines[0]
        assert told.startswith("  not shown here for want of room: tokens") and "unreadable" not in lines[0]
    assert "95 % intervals" in told and "[80.1" not in lines[1]
    assert list(aligned(ROWS, 3, Screen(200))) == list(aligned(ROWS, 3, PAPER))


def test_cells_that_do_not_fit_are_never_cut() -> None:
    rows = [("model", "f1"), ("a-very-long-name/" * 6, "50.0")]
    assert rows[1][0] in list(aligned(rows, 1, Screen(40)))[1]


def test_colours_are_for_screens_that_have_them_and_data_bring_none() -> None:
    rows = [("model", "f1"), ("\x1b[31mred", "50.0")]
    assert "\x1b" not in "".join(aligned(rows, 1, Screen(80)))
    coloured = list(aligned(rows, 1, Screen(80, in_colour=True)))
    assert coloured[0].startswith("\x1b[2m") and "\x1b" not in coloured[1]
