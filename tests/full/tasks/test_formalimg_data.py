"""All bundled instructions can be satisfied."""

from __future__ import annotations

from tasks.test_formalimg_data import ROWS, TEN_OBJECTS, check_satisfiable


def test_every_item_can_be_satisfied() -> None:
    check_satisfiable([*ROWS, *TEN_OBJECTS])
