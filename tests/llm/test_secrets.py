"""Known values never show, however they are written; everything else is left as it is."""

from __future__ import annotations

import pytest

from tsgkit.llm.secrets import REDACTED, Secrets, without_login

KEY = "sk-abc/123+456 789"


@pytest.mark.parametrize(
    "spelling",
    [
        KEY,
        "sk-abc%2F123%2B456%20789",
        "sk-abc%2f123%2b456%20789",
        "sk-abc/123%2B456%20789",
        "sk-abc%2F123%2B456+789",
    ],
)
def test_a_key_is_redacted_as_it_is_and_as_it_stands_in_an_address(spelling: str) -> None:
    assert Secrets([KEY]).redact(f"GET /?key={spelling}&x=1") == f"GET /?key={REDACTED}&x=1"


def test_a_key_is_redacted_as_it_stands_in_json() -> None:
    assert Secrets(['pass"word\\1']).redact(r'{"key": "pass\"word\\1"}') == f'{{"key": "{REDACTED}"}}'


def test_the_longer_of_two_keys_goes_first() -> None:
    assert Secrets(["sk-12345678", "sk-12345678-long"]).redact("sk-12345678-long") == REDACTED


@pytest.mark.parametrize(
    "name",
    ["OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "WATSONX_APIKEY", "X_KEY", "my_api_key_2"],
)
def test_variables_named_like_keys_hold_secrets(name: str) -> None:
    assert Secrets.of_environment({name: "value-of-it"}).redact("value-of-it") == REDACTED


@pytest.mark.parametrize(
    "name", ["HOME", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD", "TOKEN_FILE"]
)
def test_other_variables_hold_no_secrets(name: str) -> None:
    assert Secrets.of_environment({name: "value-of-it"}).redact("value-of-it") == "value-of-it"


def test_a_variable_that_is_no_utf8_is_no_obstacle() -> None:
    assert Secrets.of_environment({"A_TOKEN": "12345678\udcff"}).redact("12345678\udcff") == REDACTED


def test_short_values_are_left_alone() -> None:
    assert Secrets(["a", "short", "  "]).redact("a short text") == "a short text"


def test_names_and_numbers_in_json_are_redacted_too() -> None:
    secrets = Secrets(["1234567890", "sk-12345678"])
    value = {"sk-12345678": [1234567890, ("sk-12345678",), True, None, 7]}
    assert secrets.redact_value(value) == {REDACTED: [REDACTED, [REDACTED], True, None, 7]}


def test_a_representation_shows_no_value() -> None:
    assert "sk-12345678" not in repr(Secrets(["sk-12345678"]))


def test_an_address_loses_what_may_hold_keys() -> None:
    assert without_login("http://u:p@[::1]:8000/v1?k=1#f") == "http://[::1]:8000/v1"
