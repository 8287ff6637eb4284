"""Whatever a card's file holds, it becomes a card or a word on what is wrong, never a traceback."""

from __future__ import annotations

import pytest

pytest.importorskip("hypothesis", reason="property tests need the extra tsgkit[test]")


from hypothesis import given
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.library.cards import card_from

GOOD = """title: A task
citation: Somebody
task: tsg/sgqa
version: 1
data: tsg/data/sgqa.jsonl
prompts: tsg/sgqa
metrics:
  exact_match: {pooling: pooled, better: more, headline: true}
"""
PIECES = [
    *GOOD.splitlines(keepends=True), "? ", ": ", "- ", "[", "]", "{", "}", ",", "\n", "  ", "\t", "#", "|", ">", "'",
    '"', "&a ", "*a", "<<: ", "!!", "!!bool x", "!!timestamp x", "!!int ''", "!!float ''", "!!set ", "!!omap ",
    "!!pairs ", "!!binary =", "!!null x", "---\n", "...\n", "%YAML 1.1\n", "0x", "1:99:99", ".inf", "2026-13-41", "~",
    "\x00", "\ud800",
]  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.sampled_from(PIECES), max_size=20).map("".join))


def is_card_or_refused(text: str) -> bool:
    """Return whether a text gives a whole card, or a refusal that names the file; any other error goes through."""
    try:
        return bool(card_from(text, "x/x", "x.yaml").metrics)
    except UsageError as error:
        return error.message.startswith("x.yaml")


@given(TEXTS)
def test_any_text_is_a_card_or_a_usage_error(text: str) -> None:
    assert is_card_or_refused(text)


@given(TEXTS)
def test_any_value_of_a_field_is_taken_or_refused(text: str) -> None:
    assert is_card_or_refused(f"{GOOD}judge: {text}\n")


@given(st.data())
def test_a_card_with_a_line_gone_or_doubled_is_a_card_or_a_usage_error(data: st.DataObject) -> None:
    lines = GOOD.splitlines(keepends=True)
    place = data.draw(st.integers(0, len(lines) - 1))
    others = data.draw(st.lists(st.sampled_from(lines)))
    assert is_card_or_refused("".join(lines[:place] + others + lines[place + 1 :]))
