"""Budgets, prices of tokens and images; the cache of replies; marks for the prompt caches of services."""

from __future__ import annotations

import copy
import sqlite3
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage

from tsgkit.errors import UsageError
from tsgkit.library.cards import load_card
from tsgkit.llm import prices
from tsgkit.llm.cache import FILE, MOST_PENDING, ReplyCache, clear
from tsgkit.llm.door import as_dicts, cache_key, canonical
from tsgkit.llm.images import MARK
from tsgkit.llm.prices import ImagePrice, Price, image_price_given, image_price_of, map_source, price_given, price_of
from tsgkit.llm.prompt_cache import STABLE, PromptMarks, stable_of, takes_marks
from tsgkit.llm.reply import (
    NOTHING,
    UNKNOWN,
    Attempt,
    CallBudget,
    Ending,
    ExpectedUsage,
    Reply,
    Usage,
    reply_from,
    reply_value,
)
from tsgkit.llm.settings import provider_of
from tsgkit.suites.solvers.prompter import prompter_of
from tsgkit.suites.styles import style_of
from tsgkit.suites.suite import task_of

TEN = ExpectedUsage(tokens=10, cost=0.25)
PRICE = Price(2e-6, 10e-6, cached=1e-6, written=2.5e-6)
GIVEN = "--price"


def test_requests_in_flight_count_for_the_budget_until_their_usage_is_known() -> None:
    for budget, reached in (
        (CallBudget(requests=3), "3 of 3 requests"),
        (CallBudget(tokens=30), "30 of 30 tokens"),
        (CallBudget(cost=0.75), "0.7500 of 0.7500 dollars"),
    ):
        assert [budget.take(TEN) for _ in range(5)] == [True, True, True, False, False], reached
        assert (budget.reached, budget.used_requests) == (reached, 3)
        assert (budget.in_flight_tokens, budget.in_flight_cost) == (30, 0.75)
        budget.settle(TEN, NOTHING)
        assert not budget.take(ExpectedUsage(1, None)), "it stays reached"
    assert all(CallBudget().take(ExpectedUsage(10**9, 10.0**6)) for _ in range(9))
    for usage, tokens, cost in ((Usage(20, 5, cost=0.5), 25, 0.5), (UNKNOWN, 10, 0.25), (NOTHING, 0, 0.0)):
        budget = CallBudget(tokens=30, cost=1.0)
        budget.take(TEN)
        budget.settle(TEN, usage)
        assert budget == CallBudget(tokens=30, cost=1.0, used_requests=1, used_tokens=tokens, used_cost=cost), usage
        assert budget.take(TEN) is (tokens <= 20)
    for estimate, limits in ((TEN, CallBudget(requests=1)), (ExpectedUsage(10, None), CallBudget(cost=0.0))):
        for _ in range(3):
            assert limits.take(estimate)
            limits.give_back(estimate)
        assert (limits.used_requests, limits.in_flight_tokens, limits.in_flight_cost) == (0, 0, 0.0)
    free, unpriced = CallBudget(cost=0.0), ExpectedUsage(10, None)
    assert free.take(unpriced)
    free.settle(unpriced, UNKNOWN)
    assert (free.in_flight_cost, free.used_cost, free.used_tokens) == (0.0, 0.0, 10)
    earlier = CallBudget(requests=5, tokens=100, cost=1.0)
    earlier.add(4, Usage(50, 20, cost=0.25))
    earlier.add(1, UNKNOWN)
    assert (earlier.used_requests, earlier.used_tokens, earlier.used_cost) == (5, 70, 0.25)
    assert not earlier.take(TEN)


def test_price_that_is_given_is_in_dollars_for_a_million_tokens_or_an_image() -> None:
    assert price_given("2.50,10") == Price(2.5e-6, 1e-5, source=GIVEN)
    assert price_given("0,0") == Price(0, 0, source=GIVEN)
    for text in ("", "5", "a,b", "1,2,3", "-1,2", "1,-2", "nan,1", "1,inf", "1000000,1", "1,1000000"):
        with pytest.raises(UsageError, match="is no price"):
            price_given(text)
    assert (image_price_given("0.04"), image_price_given("0").dollars) == (ImagePrice(0.04, GIVEN), 0)
    for text in ("free", "-1", "nan", "1,2", "1000"):
        with pytest.raises(UsageError, match="is no price"):
            image_price_given(text)
    assert ImagePrice(0.04).expected(10, 10) == ImagePrice(0.04).of(Usage()) == 0.04
    low, most = (image_price_of("openai/gpt-image-1", "1024x1024", quality) for quality in ("low", ""))
    assert low is not None and most is not None and 0 < low.dollars < most.dollars and "price map" in low.source
    assert image_price_of("openai/of-my-own") is None


def test_cost_counts_cached_and_written_tokens_at_their_own_prices() -> None:
    for price, usage, cost in (
        (PRICE, Usage(1000, 500), 1000 * 2e-6 + 500 * 10e-6),
        (PRICE, Usage(1000, 500, cached=800), 200 * 2e-6 + 800 * 1e-6 + 500 * 10e-6),
        (PRICE, Usage(1000, 0, cached=300, written=500), 200 * 2e-6 + 300 * 1e-6 + 500 * 2.5e-6),
        (Price(2e-6, 10e-6), Usage(1000, 0, cached=300, written=500), 1000 * 2e-6),
        (PRICE, Usage(0, 0, cached=10), 10 * 1e-6),
    ):
        assert price.of(usage) == pytest.approx(cost), usage
    assert [PRICE.of(usage) for usage in (Usage(), Usage(prompt=5), Usage(completion=5))] == [None] * 3
    assert PRICE.expected(1000, 500) == pytest.approx(0.007)


def test_service_tier_has_the_price_of_the_map() -> None:
    factors = {"flex": 0.5, "priority": 2, "batch": 0.5, "FAST": 2, "": 1, "auto": 1, "default": 1}
    for tier, factor in factors.items():
        price = price_of("openai/gpt-5", tier)
        assert price is not None
        rates = (price.prompt, price.completion, price.cached)
        assert rates == pytest.approx((1.25e-6 * factor, 10e-6 * factor, 0.125e-6 * factor)), tier
        assert (price.note, price.tier, price.model) == ("", prices.tier_named(tier), "openai/gpt-5")
    assert [prices.tier_named(name) for name in ("batches", "Standard", "fast")] == ["batch", "", "priority"]
    flex, priority = price_of("openai/gpt-4o", "flex"), price_of("anthropic/claude-sonnet-4-5", "priority")
    assert flex is not None and priority is not None
    assert (flex.prompt, flex.completion, flex.cached) == (2.5e-6, 1e-5, 1.25e-6)
    note = "openai/gpt-4o: the price of service tier flex is not known; it is counted at the standard price, which is "
    assert flex.note == note + "the most it can cost"
    assert priority.note.endswith("may cost more") and priority.written == 3.75e-6


def test_tier_that_was_served_decides_unless_the_user_gave_a_price() -> None:
    asked = price_of("openai/gpt-5", "flex")
    assert asked is not None
    assert asked.served("") is asked.served("flex") is asked
    assert asked.served("default") == price_of("openai/gpt-5")
    given_price = price_given("1,2")
    assert given_price.served("priority") is given_price
    said: list[dict[str, Any]] = [{"usageMetadata": {"trafficType": "ON_DEMAND_PRIORITY"}}, {"usageMetadata": 5}]
    said += [{"usageMetadata": {"trafficType": "ODD"}, "usage": 5}]
    said += [{"service_tier": tier, "usage": {"service_tier": "standard"}} for tier in ("flex", None)]
    assert [prices.tier_in(value) for value in said] == ["priority", "", "", "flex", "standard"]


def test_price_of_a_batch_and_of_a_model_without_its_provider_is_that_of_the_map() -> None:
    half = partial(Price, source="half of --price, in a batch", tier="batch")
    for known, price in (
        (price_of("openai/gpt-5"), price_of("openai/gpt-5", "batch")),
        (None, None),
        (Price(2e-6, 10e-6, 1e-6, GIVEN, 2.5e-6, note="x"), half(1e-6, 5e-6, 0.5e-6, written=1.25e-6)),
        (Price(2e-6, 10e-6, source=GIVEN), half(1e-6, 5e-6)),
    ):
        assert prices.batch_price("openai/gpt-5", known) == price
    assert price_of("openai/gpt-4o") == price_of("gpt-4o") == Price(2.5e-6, 1e-5, 1.25e-6, map_source())
    assert map_source().startswith("the price map of litellm ")
    for model in ("openai/no-such-model", "hosted_vllm/gpt-4o", "ollama_chat/gpt-4o", "nothing", ""):
        assert price_of(model) is None, model
    assert [provider_of(model) for model in ("groq/x/y", "gpt-4o", "qwen3")] == ["groq", "openai", "qwen3"]
    assert prices.in_catalogue("gpt-4o")
    assert not any(prices.in_catalogue(name) for name in ("qwen3", "ft:gpt-4o", "claude-sonnet-4-5"))


GOOD = Reply("[kettle]", usage=Usage(10, 5, 1, 2, 0.01), seconds=2.0, attempts=(Attempt(2.0),), model="m")


def texts_in(cache: ReplyCache, *keys: str) -> list[str | None]:
    return [None if reply is None else reply.text for reply in map(cache.find, keys)]


def test_only_complete_replies_are_kept_found_again_cost_nothing_and_stay(tmp_path: Path) -> None:
    ReplyCache(tmp_path).keep("k", GOOD)
    cache = ReplyCache(tmp_path)
    found = cache.find("k")
    assert found is not None and cache.find("l") is None
    assert (found.text, found.source, found.seconds, found.attempts) == ("[kettle]", "cache", 0.0, ())
    assert (found.usage, found.spent) == (GOOD.usage, Usage(0, 0, 0, 0, 0.0))
    for number in range(MOST_PENDING + 1):
        cache.keep(f"k{number}", Reply(str(number)))
        assert cache.find(f"k{number}") is not None, "found before it is written"
    assert ReplyCache(tmp_path).find(f"k{MOST_PENDING}") is not None
    cache.keep("last", GOOD)
    cache.keep("k0", Reply("another"))
    cache.close()
    assert ReplyCache(tmp_path).size()[0] == MOST_PENDING + 3
    assert texts_in(ReplyCache(tmp_path), "last", "k0") == ["[kettle]", "0"]
    cache = ReplyCache(tmp_path / "new")
    incomplete = [Reply("a", ending) for ending in Ending if ending is not Ending.COMPLETE]
    for reply in (*incomplete, Reply(None), Reply(" \n")):
        cache.keep("k", reply)
        assert cache.find("k") is None, reply
    assert cache.size()[0] == 0
    cache.keep("k", GOOD)
    new = tmp_path / "new"
    modes = {path.name: path.stat().st_mode & 0o777 for path in (new, *new.iterdir())}
    assert modes.pop("new") == 0o700
    assert FILE in modes and {*modes.values()} == {0o600}


def test_writers_that_begin_together_wait_for_each_other_and_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    another = sqlite3.connect(tmp_path / FILE, isolation_level=None)
    another.execute("BEGIN IMMEDIATE")
    clock, sleeps = [0.0, 10.1], list[float]()

    def tick(seconds: float) -> None:
        sleeps.append(seconds)
        clock.pop(0)

    def end_the_other(seconds: float) -> None:
        sleeps.append(seconds)
        another.execute("COMMIT")

    monkeypatch.setattr("tsgkit.llm.cache.time", SimpleNamespace(monotonic=lambda: clock[0], sleep=tick))
    with pytest.raises(UsageError, match="cannot be opened: database is locked"):
        ReplyCache(tmp_path)
    assert sleeps == [0.02], "it tries again for ten seconds"
    still = SimpleNamespace(monotonic=lambda: 0.0, time=lambda: 0.0, sleep=end_the_other)
    monkeypatch.setattr("tsgkit.llm.cache.time", still)
    first, second = ReplyCache(tmp_path), ReplyCache(tmp_path)
    assert sleeps == [0.02, 0.02]
    assert first.find("both") is second.find("both") is None, "both have a view of the file that is still empty"
    for number, cache in enumerate((first, second)):
        for key in ("both", f"own/{number}"):
            cache.keep(key, Reply(str(number)))
    for cache in (first, second):
        cache.close()
        assert cache.trouble == ""
    assert ReplyCache(tmp_path).size()[0] == 3
    assert texts_in(ReplyCache(tmp_path), "both", "own/0", "own/1") == ["0", "0", "1"]


def test_broken_file_row_or_folder_is_told_with_the_way_out(tmp_path: Path) -> None:
    assert not clear(tmp_path)
    for damage in (b"this is no database at all, not even a small one", b"SQLite format 3\x00" + b"\xff" * 9000):
        (tmp_path / FILE).write_bytes(damage)
        with pytest.raises(UsageError, match="reply cache cannot be") as caught:
            ReplyCache(tmp_path).find("k")
        assert "tsgkit cache clear" in caught.value.hint
        assert str(tmp_path) in caught.value.message
    assert clear(tmp_path)
    cache = ReplyCache(tmp_path)
    rows = ("no json", "[]", "{}", '{"text": "a", "ending": "strange"}', '{"ending": "empty", "x": 1}')
    for row in rows:
        cache._base.execute("INSERT INTO replies VALUES (?, 0, ?)", (row, row))
    for row in rows:
        with pytest.raises(UsageError, match="cannot be read"):
            pytest.fail(f"{row}: {cache.find(row)}")
    cache._base.execute("DROP TABLE replies")
    for key in ("k", "l"):
        cache.keep(key, GOOD)
    assert "not kept any more" in cache.trouble
    cache.close()
    (tmp_path / "folder" / FILE).mkdir(parents=True)
    with pytest.raises(UsageError, match="cannot be opened"):
        ReplyCache(tmp_path / "folder")
    assert clear(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda part: st.lists(part, max_size=2) | st.dictionaries(st.text(max_size=2), part, max_size=2),
    max_leaves=4,
)
COUNT = st.none() | st.integers(0, 10**9)


@given(st.text(), st.dictionaries(st.text(max_size=3), JSON, max_size=3), st.text(), st.text(min_size=1), JSON)
@settings(max_examples=40)
def test_every_change_changes_the_key(endpoint: str, body: dict[str, Any], draw: str, more: str, value: object) -> None:
    key = cache_key(endpoint, body, draw)
    assert key == cache_key(endpoint, dict(reversed(body.items())), draw)
    assert key != cache_key(endpoint + more, body, draw)
    assert key != cache_key(endpoint, body, draw + more)
    for name in {*body, more}:
        is_same = name in body and canonical(body[name]) == canonical(value)
        assert (key == cache_key(endpoint, body | {name: value}, draw)) is is_same


@given(
    st.none() | st.text(),
    st.sampled_from(Ending),
    st.builds(Usage, COUNT, COUNT, COUNT, COUNT, st.none() | st.floats(0, 10), COUNT),
    st.lists(st.builds(Attempt, st.floats(0, 9), st.none() | st.text(), st.none() | st.integers(400, 599)), max_size=3),
)
@settings(max_examples=40)
def test_reply_that_is_written_down_comes_back_as_it_was(
    text: str | None, ending: Ending, usage: Usage, attempts: list[Attempt]
) -> None:
    reply = Reply(text, ending, usage=usage, attempts=tuple(attempts), error=text, status=429, seconds=1.5)
    assert reply_from(reply_value(reply)) == reply


def test_only_services_that_want_marks_get_them_after_the_last_paragraph_that_earlier_prompts_had() -> None:
    wants = ["anthropic/m", "claude-sonnet-4-5", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0"]
    wants += ["bedrock_converse/my-claude", "openrouter/Anthropic/c", "vertex_ai/claude-sonnet-4-5"]
    others = ("bedrock/amazon.nova-pro-v1:0", "openrouter/openai/gpt-5", "openai/my-anthropic-proxy", "python:mine:ask")
    assert [model for model in (*wants, *others) if takes_marks(model)] == wants
    marks = PromptMarks()
    for text, starts in (
        ("Rules.\n\nA story.\n\nWho?", []), ("Rules.\n\nA story.\n\nWhere?", ["Rules.\n\nA story.\n\n"]),
        ("Rules.\n\nAnother.\n\nWhere?", ["Rules.\n\n"]), ("Ends in a blank line.\n\n", []),
        ("Other rules.\n\nA story.\n\nWho?", []),
    ):  # fmt: skip
        assert marked(marks, HumanMessage(text)) == starts, text
    marks = PromptMarks()
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWho?")) == ["One."]
    assert marked(marks, SystemMessage("Two."), HumanMessage("Rules.\n\nWhere?")) == ["Two."]
    assert marked(marks, SystemMessage("One."), HumanMessage("Rules.\n\nWhere?")) == ["One.", "Rules.\n\n"]
    assert marked(marks, HumanMessage("x"), AIMessage("y"), HumanMessage("z")) == []
    assert marked(marks, HumanMessage("Rules.\n\nWho?", additional_kwargs={STABLE: 6})) == ["Rules."]


def marked(marks: PromptMarks, *messages: BaseMessage) -> list[str]:
    """Return the texts that end in a mark."""
    sent = marks.added(as_dicts(messages), stable_of(messages))
    return [part["text"] for one in sent if isinstance(one["content"], list) for part in one["content"] if MARK in part]


def test_every_prompt_of_a_task_begins_with_its_stable_start() -> None:
    for name in ("tsg/sgqa", "tsg/sa-sgg", "formalimg/layout", "sceneeval/annotate"):
        task: Any = task_of(load_card(name))
        dataset = task.dataset(None)
        for style in ("zero-shot", "few-shot"):
            prompter = prompter_of(task.prompt, style_of(style), dataset, seed=0, prompts=None)
            messages = [prompter.messages(dataset.sample(number))[0] for number in range(5)]
            [start] = {str(one.content)[: one.additional_kwargs[STABLE]] for one in messages}
            assert len(start) > 500 and start.endswith("\n\n"), (name, style)


TEXTS = st.lists(st.sampled_from(["a", "rules", "\n\n", "\n", "\n\n\n", "", "é"]), max_size=8).map("".join)


@given(texts=st.lists(st.tuples(TEXTS, st.integers(0, 12)), min_size=1, max_size=6), role=st.booleans())
@settings(max_examples=30)
def test_marks_leave_every_text_as_it_is(texts: list[tuple[str, int]], role: bool) -> None:
    marks = PromptMarks()
    for text, stable in texts:
        human = HumanMessage(text, additional_kwargs={STABLE: min(stable, len(text))})
        messages: list[BaseMessage] = [SystemMessage("Judge."), human] if role else [human]
        prompt = as_dicts(messages)
        before = copy.deepcopy(prompt)
        sent = marks.added(prompt, stable_of(messages))
        assert prompt == before
        parts = [part for one in sent if isinstance(one["content"], list) for part in one["content"]]
        assert all(part["text"] for part in parts) and sum(MARK in part for part in parts) <= 3
        contents = [one["content"] for one in sent]
        joined = [one if isinstance(one, str) else "".join(part["text"] for part in one) for one in contents]
        assert joined == [one["content"] for one in prompt]
