"""Settings of a model, accepted or refused; keys that never show; spans of calls by OpenTelemetry's conventions."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tsgkit.errors import UsageError
from tsgkit.llm import settings as model_settings
from tsgkit.llm import spans
from tsgkit.llm.reply import PAINT, Attempt, Ending, Reply, Usage
from tsgkit.llm.secrets import REDACTED, Secrets, without_login
from tsgkit.llm.service_calls import ServiceCalls
from tsgkit.llm.settings import IMAGE_PARAMETERS, Settings, parse, secrets_of, settings_of

KEY = "sk-live-0123456789"


def settings(*texts: str, model: str = "openai/m", **defaults: object) -> Settings:
    return settings_of(model, parse(texts, [model]), defaults)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.endswith(("_API_KEY", "_API_BASE", "_BASE_URL"))]:
        monkeypatch.delenv(name)


def test_arguments_are_json_where_they_read_as_json_go_before_defaults_and_are_put_together() -> None:
    deep = "[" * 100_000
    values = {"0.5": 0.5, "true": True, "null": None, '["a", "b"]': ["a", "b"], "low": "low", '""': "", "a=b": "a=b"}
    for text, value in (values | {"NaN": "NaN", "1e999": "1e999", deep: deep}).items():
        assert settings(f"stop={text}").given == {"stop": value}, text[:20]
    models = ["ollama/llama3", "ollama/llama3:8b"]
    arguments = parse(["ollama/llama3:8b:seed=2", "seed=1"], models)
    assert [settings_of(model, arguments, {}).given for model in models] == [{"seed": 1}, {"seed": 2}]
    found = settings("temperature=1", temperature=0.1, seed=3)
    assert found.parameters == {"temperature": 1, "seed": 3}
    assert (found.given, found.defaults) == ({"temperature": 1}, {"seed": 3})
    whole = {"top_k": 5, "kwargs": {"a": 1}}
    arguments = parse([f"extra_body={json.dumps(whole)}", "extra_body.kwargs.think=false", "extra_body.min_p=0.1"], [])
    body = {"top_k": 5, "kwargs": {"a": 1, "think": False}, "min_p": 0.1}
    assert settings_of("openai/m", arguments, {}).given == {"extra_body": body}
    assert arguments[0].value == whole, "what was parsed is not changed"
    with pytest.raises(UsageError, match="a has a value and no parts"):
        settings("extra_body.a=1", "extra_body.a.b=1")
    texts = ("extra_headers.X-A=5", 'headers={"X-B": "b", "X-C": 1}', "api_version=2024", "base_url=http://h/v1")
    headers = {"X-A": "5", "X-B": "b", "X-C": "1"}
    wanted = {"extra_headers": headers, "api_version": "2024", "api_base": "http://h/v1"}
    assert (settings(*texts).connection, settings(*texts).given) == (wanted, {})
    for key in ("0123456789", "1e5", '{"a": 1}'):
        assert settings(f"api_key={key}").connection == {"api_key": key}


def test_settings_reject_invalid_arguments_and_repeat_no_key() -> None:
    for text, problem, hint in (
        ("temperature", "not key=value", "temperature=0.2"), ("=5", "not key=value", ""),
        ("api_key=", "no value", '""'), ("5=5", "no name of a parameter", "extra_body"),
        ("extra_body.=5", "no name of a parameter", ""),
        ("other/model:seed=5", "none of the models", "models: openai/m"),
        ("openai/m:8b:seed=5", "none of the models", ""), ("a:b=5", "none of the models", ""),
        ("model=x", "sets this itself", "--help"), ("litellm_call_id=5", "sets this itself", ""),
        ("temperature.x=5", "have parts", "extra_body.top_k=5"),
        ("extra_body=5", "not a JSON object", "extra_body.NAME=VALUE"),
        ("extra_headers=hello", "not a JSON object", ""),
        ("api_base=localhost:8000/v1", "no address", "http://127.0.0.1:8000/v1"),
        ("api_base=http://me:word@host/v1", "with a user or a password in it", "api_key="),
        *((f"api_base={base}", "no address", "") for base in ("ftp://host/v1", "http:///v1", "http://[bad")),
        *((f"api_base={base}", "no address", "") for base in ("http://host:port/v1", "http+unix://tmp/v1")),
        ("tempature=0.5", "no parameter is called so", "temperature?"),
        ("foo=1", "no parameter is called so", "extra_body.foo="),
        ("temperature=warm", "not a number", "temperature=1"), ("seed=true", "not a number", "seed=1"),
        (KEY, r"'sk-live-\.\.\.'", ""), ("twelve-chars", "'twelve-chars'", ""),
    ):  # fmt: skip
        with pytest.raises(UsageError, match=problem) as caught:
            settings(text)
        assert hint in caught.value.hint, text
    assert settings("api_base=http+unix://%2Ftmp%2Fs/v1").endpoint == "http+unix://%2Ftmp%2Fs/v1"
    with pytest.raises(UsageError, match="no parameter is called so"):
        parse(["temperature=1"], [], IMAGE_PARAMETERS)


def test_endpoint_is_address_or_provider_with_version_and_region_but_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert settings(f"api_base=https://host:8000/v1/?key={KEY}#x").endpoint == "https://host:8000/v1"
    assert settings("seed=1").endpoint == settings_of("gpt-4o", [], {}).endpoint == "openai"
    texts = ["api_version=2024-06-01", f"aws_secret_access_key={KEY}", "aws_region_name=eu", f"extra_headers.X={KEY}"]
    assert settings(*texts).endpoint == "openai api_version=2024-06-01 aws_region_name=eu"
    for variable, model in (
        ("OPENAI_BASE_URL", "openai/m"), ("OPENAI_API_BASE", "gpt-4o"), ("OLLAMA_API_BASE", "ollama_chat/llama3"),
        ("FIREWORKS_API_BASE", "fireworks_ai/m"), ("MY_OWN_API_BASE", "my-own/m"),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setenv(variable, "http://elsewhere/v1")
            assert settings(model=model).endpoint == "http://elsewhere/v1", variable
            assert settings("api_base=http://given/v1", model=model).endpoint == "http://given/v1"
    texts = ["service_tier=flex", "extra_body.service_tier=flex", "seed=1", "service_tier=5"]
    assert [settings(text).tier for text in texts] == ["flex", "flex", "", ""]


def test_parameters_that_would_not_be_sent_and_missing_keys_are_refused_or_noted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def why(accepted: dict[str, object], name: str, value: object) -> str:
        return f"it has {sorted(accepted)}" if name == "seed" else ""

    calls = ServiceCalls(settings("top_p=1", seed=3, temperature=0))
    assert calls._accepted(why) == {"top_p": 1, "temperature": 0}
    assert calls.notices == ["openai/m: default seed=3 is not sent: it has []"]
    with pytest.raises(UsageError, match=r"openai/m does not take seed: it has \['temperature'\]") as caught:
        ServiceCalls(settings("seed=3", temperature=0))._accepted(why)
    assert "extra_body.seed" in caught.value.hint
    for model, names in (("openai/m", "OPENAI_API_KEY"), ("gemini/g", "GOOGLE_API_KEY or GEMINI_API_KEY")):
        with pytest.raises(UsageError, match=f"{model}: no key: {names} is not set") as caught:
            model_settings.check_known_key(settings(model=model))
        assert f"export {names.split()[0]}=..." in caught.value.hint
    for free in (settings("api_key=x"), settings("api_base=http://h/v1"), settings(model="unknown/m")):
        model_settings.check_known_key(free)
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    model_settings.check_known_key(settings(model="gemini/g"))


def test_no_representation_shows_a_key_and_every_place_of_one_is_known_as_a_secret() -> None:
    texts = [f"api_key={KEY}", f"extra_headers.Authorization=Bearer {KEY}", f"api_base=http://h/v1?key={KEY}"]
    assert KEY not in repr(settings(*texts)) + repr(parse(texts, []))
    assert repr(parse(["temperature=0.25"], [])[0]) == "Argument(model=None, name='temperature', value=0.25)"
    places = [f"extra_headers.X-Anything={KEY}", f"extra_headers.Cookie={KEY[:10]}"]
    for text in (*texts, *places, f"aws_session_token={KEY}", f"azure_client_secret={KEY}"):
        secret = KEY[:10] if "Cookie" in text else KEY
        assert secret not in secrets_of([settings(text)]).redact(f"invalid key {secret}!"), text
    assert secrets_of([settings("extra_headers.X-Title=evaluation")]).redact("evaluation") == "evaluation"
    assert without_login("http://u:p@[::1]:8000/v1/?k=1#f") == "http://[::1]:8000/v1"


def test_key_is_redacted_in_addresses_and_json_and_so_are_variables_named_like_keys(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = "sk-abc/123+456 789"
    escaped = ("sk-abc%2F123%2B456%20789", "sk-abc%2f123%2b456%20789", "sk-abc/123%2B456%20789")
    for spelling in (key, *escaped, "sk-abc%2F123%2B456+789"):
        assert Secrets([key]).redact(f"GET /?key={spelling}&x=1") == f"GET /?key={REDACTED}&x=1", spelling
    assert Secrets(['pass"word\\1']).redact(r'{"key": "pass\"word\\1"}') == f'{{"key": "{REDACTED}"}}'
    assert Secrets(["sk-12345678", "sk-12345678-long"]).redact("sk-12345678-long") == REDACTED
    assert Secrets(["a", "seven77", "  "]).redact("a seven77 text") == "a seven77 text"
    assert Secrets([" eight888 "]).redact("a eight888 text") == f"a {REDACTED} text"
    secrets = Secrets(["1234567890", "sk-12345678"])
    value = {"sk-12345678": [1234567890, ("sk-12345678",), True, None, 7], 5: 0.5}
    assert secrets.redact_value(value) == {REDACTED: [REDACTED, [REDACTED], True, None, 7], 5: 0.5}
    assert "sk-12345678" not in repr(secrets)
    names = ["OPENAI_API_KEY", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "DB_PASSWORD", "WATSONX_APIKEY", "X_KEY"]
    others = ["HOME", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYBOARD", "TOKEN_FILE"]
    for name in [*names, "my_api_key_2", *others]:
        redacted = Secrets.of_environment({name: "value-of-it"}).redact("value-of-it")
        assert redacted == ("value-of-it" if name in others else REDACTED), name
    assert Secrets.of_environment({"A_TOKEN": "12345678\udcff"}).redact("12345678\udcff") == REDACTED
    monkeypatch.setenv("MY_TOKEN", "value-of-it")
    assert Secrets.of_environment().redact("value-of-it") == REDACTED


KEYS = st.text(st.characters(codec="utf-8", exclude_characters="[]redact", exclude_categories=["Z", "C"]), min_size=8)


@given(st.data(), KEYS)
@hypothesis_settings(max_examples=40)
def test_no_known_value_survives_in_any_json(data: st.DataObject, key: str) -> None:
    around = st.builds(lambda before, after: before + key + after, st.text(max_size=3), st.text(max_size=3))
    texts = st.one_of(st.text(max_size=5), around, st.just(quote(key, safe="")))
    leaves = st.one_of(texts, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False))
    inner = lambda part: st.lists(part, max_size=3) | st.dictionaries(texts, part, max_size=3)  # noqa: E731
    value = data.draw(st.recursive(leaves, inner, max_leaves=8))
    found = Secrets([key]).redact_value(value)
    for text in (json.dumps(found, ensure_ascii=False), json.dumps(found)):
        assert key not in text and quote(key, safe="") not in text
    assert Secrets(["no-such-value-anywhere"]).redact_value(value) == value


CHAT = spans.Request("openai/gpt-4o", "http://h:8000/v1", [{"role": "user", "content": "Which?"}], dict, "answer", 2)


def told(system: str, attributes: Mapping[str, object]) -> dict[str, object]:
    return {f"{system}.{name}": value for name, value in attributes.items()}


def test_attributes_of_a_request_name_model_and_server_those_of_a_reply_what_was_asked_now() -> None:
    chat = {"operation.name": "chat", "provider.name": "openai", "request.model": "gpt-4o", "output.type": "text"}
    own = {"model": "openai/gpt-4o", "label": "answer", "draw": 2}
    wanted = told("gen_ai", chat) | told("tsgkit", own) | {"server.address": "h", "server.port": 8000}
    assert spans.request_attributes(CHAT) == wanted
    assert spans.request_attributes(CHAT._replace(has_schema=True)) == wanted | {"gen_ai.output.type": "json"}
    image = {"operation.name": "generate_content", "provider.name": "gcp.gemini", "request.model": "imagen"}
    asked = CHAT._replace(label=PAINT, model="gemini/imagen", endpoint="gemini api_version=1")
    drawn = told("tsgkit", own | {"model": "gemini/imagen", "label": PAINT})
    assert spans.request_attributes(asked) == told("gen_ai", image | {"output.type": "image"}) | drawn
    mine = spans.request_attributes(CHAT._replace(model="python:mine:ask"))
    assert (mine["gen_ai.provider.name"], mine["gen_ai.request.model"]) == ("python", "python:mine:ask")
    ports = {"https://h": 443, "http://h/v1 region=eu": 80, "http+unix://%2Fs": None, "http://": None}
    for endpoint, port in ports.items():
        assert spans.request_attributes(CHAT._replace(endpoint=endpoint)).get("server.port") == port, endpoint
    asked_for = [spans.request_attributes(CHAT._replace(model=model)) for model in ("gpt-4o", "groq/x/y")]
    assert [attributes["gen_ai.request.model"] for attributes in asked_for] == ["gpt-4o", "x/y"]
    sent: dict[str, Any] = {"temperature": 0, "max_completion_tokens": 9, "seed": True, "user": 5, "stop": "a"}
    asked = CHAT._replace(parameters=lambda: sent)
    usage = Usage(100, 10, 4, 50, 0.25, 7)
    reply = Reply("[A]", model="m-1", response_id="r", usage=usage, attempts=(Attempt(1.0), Attempt(2.0)))
    known = told("tsgkit", {"source": "cache", "ending": "complete"})
    known |= told("gen_ai.request", {"temperature": 0, "max_tokens": 9, "stop_sequences": ["a"]})
    known |= told("gen_ai.response", {"model": "m-1", "id": "r", "finish_reasons": ["stop"]})
    assert spans.reply_attributes(asked, reply, "cache") == known
    tokens = {"input_tokens": 100, "output_tokens": 10, "cache_read.input_tokens": 50}
    tokens |= {"cache_creation.input_tokens": 7, "reasoning.output_tokens": 4}
    own = told("tsgkit", {"source": "model", "tries": 2, "cost_usd": 0.25})
    assert spans.reply_attributes(asked, reply, "model") == known | own | told("gen_ai.usage", tokens)
    failed = spans.reply_attributes(CHAT, Reply(None, Ending.API_ERROR), "model")
    assert failed == told("tsgkit", {"source": "model", "ending": "api_error", "tries": 0})
    for reply, reason in (
        (Reply("a", Ending.TRUNCATED), "length"),
        (Reply(None, Ending.REFUSED), "content_filter"),
        (Reply("a", finish_reason="eos"), "eos"),
    ):
        assert spans.reply_attributes(CHAT, reply, "cache")["gen_ai.response.finish_reasons"] == [reason]
    stops = spans.reply_attributes(CHAT._replace(parameters=lambda: {"stop": ["a", 5]}), Reply("a"), "cache")
    assert stops["gen_ai.request.stop_sequences"] == ["a", "5"]


def test_settings_of_the_export_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, batch = "OTEL_BSP_MAX_QUEUE_SIZE", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE"
    for name in ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT", queue, batch):
        monkeypatch.delenv(name, raising=False)
    assert spans.endpoint_of_environment() == "http://localhost:4318/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://h:1/")
    assert spans.endpoint_of_environment() == "http://h:1/v1/traces"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://h:2/x")
    assert spans.endpoint_of_environment() == "http://h:2/x"
    assert (spans.sizes(has_content=False), spans.sizes(has_content=True)) == ((16_384, 512), (2_048, 32))
    monkeypatch.setenv(queue, "100")
    assert (spans.sizes(has_content=False), spans.sizes(has_content=True)) == ((100, 100), (100, 32))
    monkeypatch.setenv(batch, "100")
    assert spans.sizes(has_content=True) == (100, 100)
    monkeypatch.setenv(batch, "101")
    with pytest.raises(UsageError, match=f"{batch} is 101") as caught:
        spans.sizes(has_content=True)
    assert "at most 100" in caught.value.hint
    for value in ("0", "-1", "many"):
        monkeypatch.setenv(queue, value)
        with pytest.raises(UsageError, match=f"{queue} is '{value}'"):
            spans.sizes(has_content=True)
    with pytest.raises(UsageError, match=r"\(KeyError\)") as caught, spans.refused_settings():
        raise KeyError(queue)
    assert caught.value.hint == f"correct or unset {queue}"
