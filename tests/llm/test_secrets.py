"""Secrets: known values never show, however they are written, and everything else is left as it is."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tsgkit.llm.secrets import REDACTED, Secrets, without_login

KEY = "sk-abc/123+456 789"
KEYS = st.text(st.characters(codec="utf-8", exclude_characters="[]redact", exclude_categories=["Z", "C"]), min_size=8)


def test_key_is_redacted_as_it_is_and_as_it_stands_in_addresses_and_json() -> None:
    for spelling in (
        KEY,
        "sk-abc%2F123%2B456%20789",
        "sk-abc%2f123%2b456%20789",
        "sk-abc/123%2B456%20789",
        "sk-abc%2F123%2B456+789",
    ):
        assert Secrets([KEY]).redact(f"GET /?key={spelling}&x=1") == f"GET /?key={REDACTED}&x=1", spelling
    assert Secrets(['pass"word\\1']).redact(r'{"key": "pass\"word\\1"}') == f'{{"key": "{REDACTED}"}}'
    assert Secrets(["sk-12345678", "sk-12345678-long"]).redact("sk-12345678-long") == REDACTED


def test_short_values_are_left_alone() -> None:
    assert Secrets(["a", "seven77", "  "]).redact("a seven77 text") == "a seven77 text"
    assert Secrets([" eight888 "]).redact("a eight888 text") == f"a {REDACTED} text"


def test_variables_named_like_keys_hold_secrets() -> None:
    names = ["OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "WATSONX_APIKEY", "X_KEY"]
    others = ["HOME", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD", "TOKEN_FILE"]
    for name in [*names, "my_api_key_2", *others]:
        redacted = Secrets.of_environment({name: "value-of-it"}).redact("value-of-it")
        assert redacted == ("value-of-it" if name in others else REDACTED), name
    assert Secrets.of_environment({"A_TOKEN": "12345678\udcff"}).redact("12345678\udcff") == REDACTED


def test_variables_of_the_process_hold_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_TOKEN", "value-of-it")
    assert Secrets.of_environment().redact("value-of-it") == REDACTED


def test_names_and_numbers_in_json_are_redacted_too() -> None:
    secrets = Secrets(["1234567890", "sk-12345678"])
    value = {"sk-12345678": [1234567890, ("sk-12345678",), True, None, 7], 5: 0.5}
    assert secrets.redact_value(value) == {REDACTED: [REDACTED, [REDACTED], True, None, 7], 5: 0.5}
    assert "sk-12345678" not in repr(secrets)


def test_address_loses_what_may_hold_keys() -> None:
    assert without_login("http://u:p@[::1]:8000/v1/?k=1#f") == "http://[::1]:8000/v1"


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
@settings(max_examples=40)
def test_no_known_value_survives_in_any_json(data: st.DataObject, key: str) -> None:
    value = data.draw(holding(key))
    found = Secrets([key]).redact_value(value)
    for text in (json.dumps(found, ensure_ascii=False), json.dumps(found)):
        assert key not in text
        assert quote(key, safe="") not in text
    unchanged = Secrets(["no-such-value-anywhere"]).redact_value(value)
    assert unchanged == value
