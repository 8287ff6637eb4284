"""Panels of samples: a failing view ends in a text, and cells are JSON."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from stored_samples import panels, stored_samples

from tsgkit.suites.panels import Panel, Shown, table_panel, text_panel
from tsgkit.suites.tsg import view as tsg_view


def test_a_view_that_fails_ends_in_a_text_without_the_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(shown: Shown) -> Iterator[Panel]:
        yield text_panel("first", "what was made before the failure stays")
        raise RuntimeError("a key")

    monkeypatch.setattr(tsg_view, "view", failing)
    first, last = panels(next(stored_samples("tsg", "complete")))
    assert first.title == "first"
    assert last.kind == "text"
    assert "RuntimeError" in last.value["text"]
    assert "a key" not in last.value["text"]


def test_cells_of_tables_are_json() -> None:
    value = table_panel("x", ["a"], [[1], [None], [True], [float("nan")], [("b",)]]).value
    assert value["rows"] == [[1], [None], [True], ["nan"], ["('b',)"]]
