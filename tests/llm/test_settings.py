"""Model settings: accepted, or refused with a reason; keys never show."""

from __future__ import annotations

import pytest

from tsgkit.errors import UsageError
from tsgkit.llm.settings import Settings, parse, secrets_of, settings_of

KEY = "sk-live-0123456789"


def settings(*texts: str, model: str = "openai/m", **defaults: object) -> Settings:
    return settings_of(model, parse(texts, [model]), defaults)


@pytest.fixture(autouse=True)
def _no_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_BASE_URL", "OPENAI_API_BASE", "OLLAMA_API_BASE", "FIREWORKS_API_BASE"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("temperature=0.5", 0.5),
        ("logprobs=true", True),
        ("stop=null", None),
        ('stop=["a", "b"]', ["a", "b"]),
        ("reasoning_effort=low", "low"),
        ('stop=""', ""),
        ("stop=a=b", "a=b"),
        ("stop=NaN", "NaN"),
        ("stop=1e999", "1e999"),
        ("stop=" + "[" * 100_000, "[" * 100_000),
    ],
)
def test_a_value_is_json_where_it_reads_as_json_else_a_text(text: str, value: object) -> None:
    assert list(settings(text).given.values()) == [value]


def test_an_argument_for_one_model_goes_before_one_for_all() -> None:
    models = ["ollama/llama3", "ollama/llama3:8b"]
    arguments = parse(["ollama/llama3:8b:seed=2", "seed=1"], models)
    assert [settings_of(model, arguments, {}).given for model in models] == [{"seed": 1}, {"seed": 2}]


def test_user_parameters_override_defaults() -> None:
    found = settings("temperature=1", temperature=0.1, seed=3)
    assert found.parameters == {"temperature": 1, "seed": 3}
    assert (found.given, found.defaults) == ({"temperature": 1}, {"seed": 3})


def test_parts_of_the_extra_body_are_put_together_however_deep() -> None:
    texts = ['extra_body={"top_k": 5}', "extra_body.chat_template_kwargs.enable_thinking=false", "extra_body.min_p=0.1"]
    body = {"top_k": 5, "chat_template_kwargs": {"enable_thinking": False}, "min_p": 0.1}
    assert settings(*texts).given == {"extra_body": body}


def test_headers_are_texts_and_no_parameters() -> None:
    found = settings("extra_headers.X-A=5", 'headers={"X-B": "b", "X-C": 1}', "api_version=2024")
    assert found.connection == {"extra_headers": {"X-A": "5", "X-B": "b", "X-C": "1"}, "api_version": "2024"}
    assert found.given == {}


@pytest.mark.parametrize("name", ["api_key=0123456789", "api_key=1e5", 'api_key={"a": 1}'])
def test_a_key_is_taken_as_it_is_written(name: str) -> None:
    assert settings(name).connection["api_key"] == name.partition("=")[2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("temperature", "not key=value"),
        ("=5", "not key=value"),
        ("", "not key=value"),
        ("api_key=", "no value"),
        ("5=5", "no name of a parameter"),
        ("a b=5", "no name of a parameter"),
        ("extra_body.=5", "no name of a parameter"),
        ("other/model:seed=5", "none of the models"),
        ("openai/m:8b:seed=5", "none of the models"),
        ("model=x", "sets this itself"),
        ("messages=[]", "sets this itself"),
        ("stream=true", "sets this itself"),
        ("timeout=5", "sets this itself"),
        ("mock_response=hello", "sets this itself"),
        ('fallbacks=["openai/other"]', "sets this itself"),
        ("litellm_call_id=5", "sets this itself"),
        ("temperature.x=5", "have parts"),
        ("extra_body=5", "not a JSON object"),
        ("extra_headers=hello", "not a JSON object"),
        ("api_base=localhost:8000/v1", "no address"),
        ("api_base=http://[bad", "no address"),
        ("api_base=http://host:port/v1", "no address"),
    ],
)
def test_settings_reject_invalid_arguments(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        settings(text)


def test_a_part_of_the_extra_body_cannot_be_a_value_and_have_parts() -> None:
    with pytest.raises(UsageError, match="a has a value and no parts"):
        settings("extra_body.a=1", "extra_body.a.b=1")


def test_a_key_in_the_wrong_place_is_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        settings(KEY)
    assert KEY not in caught.value.message + caught.value.hint


def test_the_endpoint_is_the_address_without_login_and_query() -> None:
    found = settings(f"api_base=https://me:{KEY}@host:8000/v1/?key={KEY}#x")
    assert found.endpoint == "https://host:8000/v1"


def test_the_endpoint_without_an_address_is_the_provider() -> None:
    assert settings("seed=1").endpoint == "openai"
    assert settings_of("gpt-4o", [], {}).endpoint == "openai"


def test_the_endpoint_says_the_version_and_the_region_but_no_key() -> None:
    texts = ["api_version=2024-06-01", f"aws_secret_access_key={KEY}", "aws_region_name=eu", f"extra_headers.X={KEY}"]
    assert settings(*texts).endpoint == "openai api_version=2024-06-01 aws_region_name=eu"


@pytest.mark.parametrize(
    ("variable", "model"),
    [
        ("OPENAI_BASE_URL", "openai/m"),
        ("OPENAI_API_BASE", "openai/m"),
        ("OPENAI_BASE_URL", "gpt-4o"),
        ("OLLAMA_API_BASE", "ollama_chat/llama3"),
        ("FIREWORKS_API_BASE", "fireworks_ai/m"),
    ],
)
def test_the_address_a_provider_s_variable_names_is_part_of_the_endpoint(
    monkeypatch: pytest.MonkeyPatch, variable: str, model: str
) -> None:
    monkeypatch.setenv(variable, "http://me:pw@elsewhere/v1")
    assert settings_of(model, [], {}).endpoint == "http://elsewhere/v1"
    given = settings_of(model, parse(["api_base=http://given/v1"], [model]), {})
    assert given.endpoint == "http://given/v1"


def test_no_representation_shows_a_key() -> None:
    texts = [f"api_key={KEY}", f"extra_headers.Authorization=Bearer {KEY}", f"api_base=http://me:{KEY}@host/v1"]
    assert KEY not in repr(settings(*texts))
    assert KEY not in repr(parse(texts, []))
    assert "temperature" in repr(parse(["temperature=0.25"], []))
    assert "0.25" in repr(parse(["temperature=0.25"], []))


@pytest.mark.parametrize(
    "text",
    [
        f"api_key={KEY}",
        f"extra_headers.Authorization=Bearer {KEY}",
        f"extra_headers.X-Anything={KEY}",
        f"api_base=http://me:{KEY}@host/v1",
        f"api_base=http://host/v1?key={KEY}",
        f"aws_session_token={KEY}",
        f"azure_client_secret={KEY}",
    ],
)
def test_every_place_of_a_key_is_known_as_a_secret(text: str) -> None:
    assert KEY not in secrets_of([settings(text)]).redact(f"invalid key {KEY}!")


def test_a_header_that_is_an_everyday_word_is_no_secret() -> None:
    assert secrets_of([settings("extra_headers.X-Title=evaluation")]).redact("evaluation") == "evaluation"


@pytest.mark.parametrize(
    ("text", "said", "hint"),
    [
        ("tempature=0.5", "no parameter is called so", "temperature?"),
        ("foo=1", "no parameter is called so", "extra_body.foo="),
        ("temperature=warm", "not a number", "temperature=1"),
        ("seed=true", "not a number", "seed=1"),
    ],
)
def test_a_slip_in_a_parameter_is_named_before_anything_is_sent(text: str, said: str, hint: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        parse([text], ["openai/m"])
    assert hint in caught.value.hint
