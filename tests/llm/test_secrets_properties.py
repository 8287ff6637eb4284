"""No known value survives, in any JSON, at any place."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

pytest.importorskip("hypothesis")

from hypothesis import given
from hypothesis import strategies as st

from tsgkit.llm.secrets import Secrets

KEYS = st.text(st.characters(codec="utf-8", exclude_characters="[]redact", exclude_categories=["Z", "C"]), min_size=8)


def holding(key: str) -> st.SearchStrategy[object]:
    texts = st.one_of(
        st.text(max_size=5),
        st.builds(lambda before, after: before + key + after, st.text(max_size=3), st.text(max_size=3)),
        st.just(quote(key, safe="")),
    )
    leaves = st.one_of(texts, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))
    return st.recursive(
        leaves, lambda part: st.lists(part, max_size=3) | st.dictionaries(texts, part, max_size=3), max_leaves=8
    )


@given(st.data(), KEYS)
def test_no_known_value_survives_in_any_json(data: st.DataObject, key: str) -> None:
    value = data.draw(holding(key))
    found = Secrets([key]).redact_value(value)
    for text in (json.dumps(found, ensure_ascii=False), json.dumps(found)):
        assert key not in text
        assert quote(key, safe="") not in text


@given(st.text(), st.integers())
def test_texts_without_secrets_stay_unchanged(text: str, number: int) -> None:
    value = {"a": [text, number, {text: None}]}
    assert Secrets(["no-such-value-anywhere"]).redact_value(value) == value
