"""LiteLLM: it sends what the user asked for and what the direct client sends, and makes the same of any answer."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest
from doors import (
    QUESTION,
    CarriedService,
    carried,
    carrying,
    client_for,
    completion,
    failure_by,
    reply_by,
    run,
    settings_for,
)

from tsgkit.errors import UsageError
from tsgkit.llm import litellm_calls
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import as_dicts
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.keys import BY_THE_PACKAGE
from tsgkit.llm.litellm_calls import OWN_CLIENT, LiteLlm
from tsgkit.llm.prices import price_given, price_of
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of
from tsgkit.llm.providers import CLIENTS
from tsgkit.llm.reply import UNKNOWN, Usage
from tsgkit.llm.settings import Client, parse, settings_of

KEY = "sk-live-0123456789"
LOCAL = "api_base=http://127.0.0.1:9/v1"
PROVIDERS = ("openai/m", "custom_openai/m", "hosted_vllm/m", "anthropic/claude-sonnet-4-5")
"""Models asked by LiteLLM's own client, through the ``openai`` package, and in Anthropic's form."""
MODELS = ("openai/m", "openai/gpt-4o", "hosted_vllm/gpt-4o")
FEW_SHOT = [
    {"role": "system", "content": "Answer in one word, \N{SNOWMAN}."},
    {"role": "user", "content": [{"type": "text", "text": "Which?"}]},
    {"role": "assistant", "content": "[kettle]"},
    *QUESTION,
]
REQUESTS: tuple[list[str], ...] = (
    [],
    ["temperature=0", "top_p=0.3", "seed=3", "max_tokens=9", 'stop=["a", "b"]'],
    ["logprobs=true", "top_logprobs=5", 'logit_bias={"5": 1}', "max_completion_tokens=7"],
    ["presence_penalty=0.5", "frequency_penalty=0.1", "repetition_penalty=1.1", "top_k=5", "min_p=0.1"],
    ["service_tier=flex", "store=false", 'modalities=["text"]', 'response_format={"type": "json_object"}'],
    ["extra_body.top_k=5", "extra_body.kwargs.think=false", "temperature=0.2", "extra_body.seed=null"],
    ["temperature=0.2", "extra_body.temperature=0.7", 'extra_body.response_format={"type": "text"}'],
    ["extra_headers.X-Team=a", "extra_headers.Authorization=Basic abc"],
)
SINGLE = (
    *("user=me", "reasoning_effort=low", "verbosity=low", "stop=null", "temperature=1", "seed=0", "safety_settings=[]"),
    *('thinking={"type": "enabled", "budget_tokens": 1024}', 'thinking={"type": "disabled"}', "extra_body={}"),
    'reasoning_effort={"effort": "low"}',
)


@pytest.fixture(autouse=True)
def _nothing_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    ends = ("_API_KEY", "_API_BASE", "_BASE_URL", "_PROXY")
    for name in [name for name in os.environ if name.upper().endswith(ends)]:
        monkeypatch.delenv(name)
    monkeypatch.setenv(OWN_CLIENT, "True")  # other tests ask providers for which LiteLLM's own client is turned off


def prepared(model: str, *arguments: str, client: Client = "litellm", **defaults: object) -> LiteLlm | DirectCalls:
    provider = client_for(settings_of(model, parse(arguments, [model]), defaults), None, client)
    provider.prepare()
    return provider


def anthropic_answer(**used: int) -> CarriedService:
    usage = {"input_tokens": 3, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 0, "output_tokens": 1}
    body = {"id": "x", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn"}
    return carried(200, body | {"usage": usage | used, "content": [{"type": "text", "text": "[A]"}]})


# What is sent


def sent_by(client: Client, *arguments: str, **how: Any) -> tuple[Any, dict[str, str]]:  # noqa: ANN401
    """Return the body that arrives, and those headers that matter."""
    told = carried()
    reply_by(client, told, *arguments, **how)
    _, headers, body = told.asked[-1]
    return body, {name: headers[name] for name in ("authorization", "content-type", "x-team") if name in headers}


def test_both_clients_send_the_same() -> None:
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": {"type": "object"}, "strict": True}}
    for model in MODELS:
        for arguments in REQUESTS:
            direct, litellm = (sent_by(client, *arguments, model=model) for client in CLIENTS)
            assert direct == litellm, (model, arguments)
            if "headers" not in str(arguments) and model != "openai/gpt-4o":
                announced = prepared(model, LOCAL, *arguments).sent | {"messages": QUESTION}
                assert litellm[0] == announced, (model, arguments)
        direct, litellm = (sent_by(client, model=model, messages=FEW_SHOT, schema=schema) for client in CLIENTS)
        assert direct == litellm, model


def outcome(client: Client, model: str, argument: str, *, is_given: bool) -> tuple[str, object]:
    """Return what becomes of one parameter: the body, or the reason why it is refused, and the notices."""
    name, _, value = argument.partition("=")
    defaults = {} if is_given else {name: json.loads(value) if value not in ("me", "low") else value}
    try:
        provider = prepared(model, LOCAL, *([argument] if is_given else []), client=client, **defaults)
    except UsageError as error:
        return error.message, error.hint
    return json.dumps(provider.sent, sort_keys=True), provider.notices


def test_both_clients_take_and_refuse_the_same_parameters() -> None:
    for model in MODELS:
        for argument in SINGLE:
            for is_given in (True, False) if argument != "extra_body={}" else (True,):
                direct, litellm = (outcome(client, model, argument, is_given=is_given) for client in CLIENTS)
                assert direct == litellm, (model, argument, is_given)


def test_parameter_that_the_provider_does_not_take_is_refused_or_dropped_with_a_notice() -> None:
    with pytest.raises(UsageError, match=r"anthropic/claude-sonnet-4-5 does not take seed: .*seed"):
        prepared("anthropic/claude-sonnet-4-5", "api_key=" + KEY, "seed=1")
    with pytest.raises(UsageError, match="openai/gpt-5 does not take temperature"):
        prepared("openai/gpt-5", "api_key=" + KEY, "temperature=0.1")
    provider = prepared("openai/gpt-5", "api_key=" + KEY, "reasoning_effort=low", temperature=0.1)
    assert provider.sent == {"model": "gpt-5", "reasoning_effort": "low"}
    (notice,) = provider.notices
    assert notice.startswith("openai/gpt-5: default temperature=0.1 is not sent: ")
    for tokens in (4096, 64000, 100):  # some happen to be the provider's own default
        provider = prepared("anthropic/claude-sonnet-4-5", "api_key=" + KEY, f"max_tokens={tokens}")
        assert provider.sent["max_tokens"] == tokens


def test_missing_key_is_named_and_any_variable_of_a_provider_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for model, names in (("openai/gpt-4o", "OPENAI_API_KEY"), ("fireworks_ai/m", "FIREWORKS_AI_API_KEY")):
        with pytest.raises(UsageError, match=f"no key: {names}"):
            prepared(model)
    with pytest.raises(UsageError, match="no key: CUSTOM_OPENAI_API_KEY is not set"):
        prepared("custom_openai/m")
    for variable, model in (
        ("GEMINI_API_KEY", "gemini/g"),
        ("FIREWORKS_API_KEY", "fireworks_ai/m"),
        ("PERPLEXITY_API_KEY", "perplexity/m"),
    ):
        monkeypatch.setenv(variable, KEY)
        prepared(model)
    for model, key in (
        ("fireworks_ai/m", KEY),
        ("custom_openai/m", "none"),
        ("litellm_proxy/m", "none"),
    ):
        with carrying(told := carried()):
            assert run(prepared(model, LOCAL).send(QUESTION, None, 10)).text == "[A]", (
                "a server of one's own needs no key"
            )
        assert told.asked[0][1]["authorization"] == f"Bearer {key}", model


def test_unknown_provider_is_told_in_plain_words() -> None:
    for model, arguments, hint in (
        ("nonsense/x", [], "PROVIDER/NAME"),
        ("nonsense", ["temperature=0"], "PROVIDER/NAME"),
        ("nonsense", [LOCAL], "--model openai/nonsense"),
        ("OpenAI/x", ["api_key=x"], "openai/x?"),
        ("mistrall/x", ["api_key=x"], "mistral/x?"),
    ):
        with pytest.raises(UsageError, match=f"{model}: no provider is called so") as caught:
            prepared(model, *arguments)
        assert hint in caught.value.hint, model


def test_openai_is_asked_without_its_package_unless_somebody_relies_on_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def uses_package(model: str = "openai/m") -> bool:
        told = carried()
        reply_by("litellm", told, model=model)
        return "x-stainless-lang" in told.asked[0][1]

    monkeypatch.delenv(OWN_CLIENT)
    assert [uses_package(), uses_package("custom_openai/m"), uses_package()] == [False, True, True]
    monkeypatch.setenv(OWN_CLIENT, "False")
    assert uses_package(), "the user turned it off"
    for name in BY_THE_PACKAGE[1:3]:
        with monkeypatch.context() as patch:
            patch.setenv(OWN_CLIENT, "True")
            patch.setenv(name, "org-of-mine")
            told = carried()
            reply_by("litellm", told)
            assert "org-of-mine" in told.asked[0][1].values(), name


# What is made of an answer


def test_both_clients_make_the_same_of_an_answer() -> None:
    usual = json.loads(completion())
    bodies: dict[str, bytes] = {}
    for message in (
        {"content": "<think>hm</think>[B]"},
        {"content": "<think>hm"},
        {"content": "<think>hm</think>[B]", "reasoning_content": "hm"},
        {"content": None, "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": ""}}]},
        {"content": None, "provider_specific_fields": {"refusal": "no"}},
        {"content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "b"}]},
        {"content": [{"type": "image", "x": 1}]},
        {"content": {"a": 1}},
        {"content": 7},
    ):
        bodies[str(message)] = completion(**message)
    details = {"prompt_tokens_details": {"cached_tokens": 50}, "completion_tokens_details": {"reasoning_tokens": 4}}
    envelopes: tuple[dict[str, Any], ...] = (
        {"usage": {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110} | details},
        {"usage": {"prompt_tokens": 9, "completion_tokens": 2, "prompt_cache_hit_tokens": 3}},
        {"usage": {"prompt_tokens": None, "completion_tokens": None}},
        {"usage": {"prompt_tokens": 0, "completion_tokens": 7, "total_tokens": 7}},
        {"model": None},
        {"error": {}},
        {"error": {"message": "why"}},
        {"error": {"message": "why", "code": 429}, "choices": None},
        {"error": {"message": "why", "code": 500}, "choices": None},
        {"choices": []},
        {"choices": [{}]},
    )
    for more in envelopes:
        bodies[str(more)] = json.dumps(usual | more).encode()
    for reason in ("SAFETY", "OTHER", "other", "MAX_TOKENS", "eos_token", "abort", "who", ""):
        choice = usual["choices"][0] | {"finish_reason": reason}
        bodies[f"reason {reason}"] = json.dumps(usual | {"choices": [choice]}).encode()

    def result(client: Client, body: bytes) -> object:
        try:
            return reply_by(client, carried(200, body))
        except CallFailed as found:
            return {name: value for name, value in vars(found).items() if name != "message"}

    for name, body in bodies.items():
        direct, litellm = (result(client, body) for client in CLIENTS)
        assert direct == litellm, name
        assert not isinstance(direct, dict) or "error" in name or direct["responded"], name


def test_errors_are_the_same_of_every_provider() -> None:
    quota = {"error": {"message": "You exceeded your plan", "code": "insufficient_quota"}}
    low = {"error": {"message": "Your credit balance is too low to access the API"}}
    filtered = {"error": {"message": "The prompt was filtered: content_filter", "code": "content_filter"}}
    why = {"error": {"message": "why"}}
    retried, denied = {"can_be_retried"}, {"denied"}
    for model in PROVIDERS:
        for status, body, properties in (
            (500, why, retried),
            (408, why, retried),
            (401, why, denied),
            (404, why, denied),
            (400, why, set[str]()),
            (429, why, {"can_be_retried", "throttled"}),
            (429, quota, denied),
            (400, low, denied),
            (400, filtered, {"refused"}),
            (503, why, retried),
        ):
            headers = {"Retry_After": "7"} if body is why else {}
            found = failure_by("litellm", carried(status, body, **headers), model=model)
            names = ("can_be_retried", "denied", "throttled", "refused")
            assert {name for name in names if getattr(found, name)} == properties, (model, status, body)
            assert found.status == status and found.responded
            assert found.retry_after == (7 if headers and status in (429, 503) else None), (model, status, body)
            assert found.message.partition(": ")[2] == body["error"]["message"]


def test_broken_answer_of_every_provider_is_worth_another_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(litellm_calls, "MOST_TEXT_BYTES", 200_000)
    for model in PROVIDERS:
        for body in (b"<html>\n</html>", b"", b"null", b'"text"'):
            found = failure_by("litellm", carried(200, body), model=model)
            assert (found.status, found.can_be_retried, found.responded) == (None, True, True), (model, body)
            assert "Exception" not in found.message and "InternalServerError" not in found.message
        large = carried(200, completion(content="x" * 200_000))
        found = failure_by("litellm", large, model=model)
        assert (found.message, found.final) == ("the response is larger than 200,000 bytes", True), model
        away = carried(307, b"", Location="http://127.0.0.1:10/v1/chat/completions")
        found = failure_by("litellm", away, model=model)
        assert (len(away.asked), found.can_be_retried, found.denied) == (1, False, True), model
        assert found.message.startswith("redirected from http://127.0.0.1:9 to http://127.0.0.1:10: not followed")


USED: dict[str, Any] = {"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100}
USED |= {"prompt_tokens_details": {"cached_tokens": 400}}
STANDARD = 600 * 0.25e-6 + 400 * 0.025e-6 + 100 * 2e-6
"""Dollars for this usage of gpt-5-mini; flex and batch cost half."""
PRIORITY = 600 * 0.45e-6 + 400 * 0.045e-6 + 100 * 3.6e-6


def used_by(model: str, *arguments: str, price: Any = "map", **parts: object) -> Usage:  # noqa: ANN401
    body = json.loads(completion()) | {"usage": USED} | parts
    settings = settings_for("http://127.0.0.1:9/v1", *arguments, model=model)
    given = price_of(model, settings.tier) if price == "map" else price
    return reply_by("litellm", carried(200, body), *arguments, model=model, price=given).usage


def test_reply_costs_what_its_service_tier_costs() -> None:
    for asked_for, served, cost in (
        ("", "", STANDARD),
        ("service_tier=flex", "", STANDARD / 2),
        ("service_tier=flex", "default", STANDARD),
        ("extra_body.service_tier=flex", "", STANDARD / 2),
        ("service_tier=auto", "priority", PRIORITY),
        ("", "priority", PRIORITY),
        ("service_tier=batch", "", STANDARD / 2),
    ):
        more = {"service_tier": served} if served else {}
        found = used_by("openai/gpt-5-mini", *filter(None, [asked_for]), **more)
        assert found.cached == 400 and found.cost == pytest.approx(cost), (asked_for, served)
    assert used_by("openai/gpt-4o", price=price_given("1000,2000")).cost == pytest.approx(1.2), "before the map"
    for model in ("openai/m", "hosted_vllm/gpt-4o", "fireworks_ai/m"):
        assert used_by(model).cost is None, "no price is not free"
    assert used_by("openai/gpt-4o", usage=None) == UNKNOWN


def test_tokens_written_to_a_prompt_cache_are_counted_at_their_price() -> None:
    model = "anthropic/claude-sonnet-4-5"
    answer = anthropic_answer(input_tokens=100, cache_read_input_tokens=400, cache_creation_input_tokens=500)
    found = reply_by("litellm", answer, model=model).usage
    assert (found.prompt, found.completion, found.cached, found.written) == (1000, 1, 400, 500)
    assert found.cost == pytest.approx(100 * 3e-6 + 400 * 0.3e-6 + 500 * 3.75e-6 + 15e-6)


def test_marks_for_the_prompt_cache_arrive_at_the_service() -> None:
    from langchain_core.messages import HumanMessage, SystemMessage

    messages = [SystemMessage("Judge."), HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 8})]
    sent = PromptMarks().added(as_dicts(messages), stable_of(messages))
    told = anthropic_answer()
    reply_by("litellm", told, model="anthropic/claude-sonnet-4-5", messages=sent)
    mark = {"cache_control": {"type": "ephemeral"}}
    body = told.asked[0][2]
    assert body["system"] == [{"type": "text", "text": "Judge.", **mark}]
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "Rules.\n\n", **mark},
        {"type": "text", "text": "Who?"},
    ]
