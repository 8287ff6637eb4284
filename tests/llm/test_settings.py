"""Settings of a model: accepted, or refused with a reason; keys never show."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tsgkit.errors import UsageError
from tsgkit.llm.keys import check_known_key
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, accepted_parameters, parse, secrets_of, settings_of

KEY = "sk-live-0123456789"


def settings(*texts: str, model: str = "openai/m", **defaults: object) -> Settings:
    return settings_of(model, parse(texts, [model]), defaults)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))]:
        monkeypatch.delenv(name)


def test_value_is_json_where_it_reads_as_json_else_a_text() -> None:
    deep = "[" * 100_000
    for text, value in (
        ("temperature=0.5", 0.5),
        ("logprobs=true", True),
        ("stop=null", None),
        ('stop=["a", "b"]', ["a", "b"]),
        ("reasoning_effort=low", "low"),
        ('stop=""', ""),
        ("stop=a=b", "a=b"),
        ("stop=NaN", "NaN"),
        ("stop=1e999", "1e999"),
        (f"stop={deep}", deep),
    ):
        assert list(settings(text).given.values()) == [value], text[:20]


def test_argument_for_one_model_goes_before_one_for_all() -> None:
    models = ["ollama/llama3", "ollama/llama3:8b"]
    arguments = parse(["ollama/llama3:8b:seed=2", "seed=1"], models)
    assert [settings_of(model, arguments, {}).given for model in models] == [{"seed": 1}, {"seed": 2}]


def test_user_parameters_override_defaults() -> None:
    found = settings("temperature=1", temperature=0.1, seed=3)
    assert found.parameters == {"temperature": 1, "seed": 3}
    assert (found.given, found.defaults) == ({"temperature": 1}, {"seed": 3})


def test_parts_of_the_extra_body_are_put_together_however_deep() -> None:
    whole = {"top_k": 5, "kwargs": {"a": 1}}
    texts = ["extra_body.kwargs.think=false", "extra_body.min_p=0.1"]
    arguments = [*parse(['extra_body={"top_k": 5, "kwargs": {"a": 1}}'], []), *parse(texts, [])]
    body = {"top_k": 5, "kwargs": {"a": 1, "think": False}, "min_p": 0.1}
    assert settings_of("openai/m", arguments, {}).given == {"extra_body": body}
    assert arguments[0].value == whole, "what was parsed is not changed"
    with pytest.raises(UsageError, match="a has a value and no parts"):
        settings("extra_body.a=1", "extra_body.a.b=1")


def test_headers_and_connection_are_texts_and_no_parameters() -> None:
    found = settings(
        "extra_headers.X-A=5", 'headers={"X-B": "b", "X-C": 1}', "api_version=2024", "base_url=http://h/v1"
    )
    headers = {"X-A": "5", "X-B": "b", "X-C": "1"}
    assert found.connection == {"extra_headers": headers, "api_version": "2024", "api_base": "http://h/v1"}
    assert found.given == {}
    for key in ("0123456789", "1e5", '{"a": 1}'):
        assert settings(f"api_key={key}").connection == {"api_key": key}


def test_settings_reject_invalid_arguments() -> None:
    for text, problem, hint in (
        ("temperature", "not key=value", "temperature=0.2"),
        ("=5", "not key=value", ""),
        ("api_key=", "no value", '""'),
        ("5=5", "no name of a parameter", "extra_body"),
        ("extra_body.=5", "no name of a parameter", ""),
        ("other/model:seed=5", "none of the models", "models: openai/m"),
        ("openai/m:8b:seed=5", "none of the models", ""),
        ("a:b=5", "none of the models", ""),
        ("model=x", "sets this itself", "--help"),
        ("litellm_call_id=5", "sets this itself", ""),
        ("temperature.x=5", "have parts", "extra_body.top_k=5"),
        ("extra_body=5", "not a JSON object", "extra_body.NAME=VALUE"),
        ("extra_headers=hello", "not a JSON object", ""),
        ("api_base=localhost:8000/v1", "no address", "http://127.0.0.1:8000/v1"),
        ("api_base=ftp://host/v1", "no address", ""),
        ("api_base=http:///v1", "no address", ""),
        ("api_base=http://[bad", "no address", ""),
        ("api_base=http://host:port/v1", "no address", ""),
        ("api_base=http+unix://tmp/v1", "no address", ""),
        ("tempature=0.5", "no parameter is called so", "temperature?"),
        ("foo=1", "no parameter is called so", "extra_body.foo="),
        ("temperature=warm", "not a number", "temperature=1"),
        ("seed=true", "not a number", "seed=1"),
    ):
        with pytest.raises(UsageError, match=problem) as caught:
            settings(text)
        assert hint in caught.value.hint, text
    assert settings("api_base=http+unix://%2Ftmp%2Fs/v1").endpoint == "http+unix://%2Ftmp%2Fs/v1"
    with pytest.raises(UsageError, match="no parameter is called so"):
        parse(["temperature=1"], [], IMAGE_PARAMETERS)


def test_key_in_the_wrong_place_is_not_repeated() -> None:
    with pytest.raises(UsageError, match=r"'sk-live-\.\.\.'"):
        settings(KEY)
    with pytest.raises(UsageError, match="'twelve-chars'"):
        settings("twelve-chars")


def test_endpoint_is_address_or_provider_with_version_and_region_but_no_key() -> None:
    assert settings(f"api_base=https://me:{KEY}@host:8000/v1/?key={KEY}#x").endpoint == "https://host:8000/v1"
    assert settings("seed=1").endpoint == settings_of("gpt-4o", [], {}).endpoint == "openai"
    texts = ["api_version=2024-06-01", f"aws_secret_access_key={KEY}", "aws_region_name=eu", f"extra_headers.X={KEY}"]
    assert settings(*texts).endpoint == "openai api_version=2024-06-01 aws_region_name=eu"


def test_address_in_a_variable_of_the_provider_is_part_of_the_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, model in (
        ("OPENAI_BASE_URL", "openai/m"),
        ("OPENAI_API_BASE", "gpt-4o"),
        ("OLLAMA_API_BASE", "ollama_chat/llama3"),
        ("FIREWORKS_API_BASE", "fireworks_ai/m"),
        ("MY_OWN_API_BASE", "my-own/m"),
    ):
        with monkeypatch.context() as patch:
            patch.setenv(variable, "http://me:pw@elsewhere/v1")
            assert settings_of(model, [], {}).endpoint == "http://elsewhere/v1", variable
            given = settings_of(model, parse(["api_base=http://given/v1"], [model]), {})
            assert given.endpoint == "http://given/v1"


def test_service_tier_is_that_of_the_parameters() -> None:
    tiers = [settings(*texts).tier for texts in (["service_tier=flex"], ["extra_body.service_tier=flex"], [])]
    assert tiers == ["flex", "flex", ""]
    assert settings("service_tier=5").tier == ""


def test_no_representation_shows_a_key() -> None:
    texts = [f"api_key={KEY}", f"extra_headers.Authorization=Bearer {KEY}", f"api_base=http://me:{KEY}@host/v1"]
    assert KEY not in repr(settings(*texts)) + repr(parse(texts, []))
    assert repr(parse(["temperature=0.25"], [])[0]) == "Argument(model=None, name='temperature', value=0.25)"


def test_every_place_of_a_key_is_known_as_a_secret() -> None:
    for text in (
        f"api_key={KEY}",
        f"extra_headers.Authorization=Bearer {KEY}",
        f"extra_headers.X-Anything={KEY}",
        "extra_headers.Cookie=abcdefghij",
        f"api_base=http://me:{KEY}@host/v1",
        f"api_base=http://host/v1?key={KEY}",
        f"aws_session_token={KEY}",
        f"azure_client_secret={KEY}",
    ):
        secret = "abcdefghij" if "Cookie" in text else KEY
        assert secret not in secrets_of([settings(text)]).redact(f"invalid key {secret}!"), text
    assert secrets_of([settings("extra_headers.X-Title=evaluation")]).redact("evaluation") == "evaluation"


def test_parameters_that_would_not_be_sent_are_refused_or_noted() -> None:
    def why(accepted: dict[str, Any], name: str, value: object) -> str:
        return f"it has {sorted(accepted)}" if name == "seed" else ""

    notices: list[str] = []
    assert accepted_parameters(settings("top_p=1", seed=3, temperature=0), why, notices) == {
        "top_p": 1,
        "temperature": 0,
    }
    assert notices == ["openai/m: default seed=3 is not sent: it has []"]
    with pytest.raises(UsageError, match=r"openai/m does not take seed: it has \['temperature'\]") as caught:
        accepted_parameters(settings("seed=3", temperature=0), why, notices)
    assert "extra_body.seed" in caught.value.hint


def test_missing_key_of_a_known_provider_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for model, names in (("openai/m", "OPENAI_API_KEY"), ("gemini/g", "GOOGLE_API_KEY or GEMINI_API_KEY")):
        with pytest.raises(UsageError, match=f"{model}: no key: {names} is not set") as caught:
            check_known_key(settings(model=model))
        assert f"export {names.split()[0]}=..." in caught.value.hint
    for free in (settings("api_key=x"), settings("api_base=http://h/v1"), settings(model="unknown/m")):
        check_known_key(free)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    check_known_key(settings(model="gemini/g"))
