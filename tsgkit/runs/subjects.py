"""Subjects of a run with their doors: models, scripts, replays. Baselines need none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tsgkit.defaults import Client
from tsgkit.errors import UsageError
from tsgkit.library.files import read_text
from tsgkit.llm import batches
from tsgkit.llm.asker import client_given, provider_for
from tsgkit.llm.batch_services import batch_service
from tsgkit.llm.batches import BatchCalls, Collector
from tsgkit.llm.cache import ReplyCache
from tsgkit.llm.concurrency import START, RequestQueue
from tsgkit.llm.direct_calls import DirectCalls
from tsgkit.llm.door import Call, Door
from tsgkit.llm.prices import Price, batch_price, price_given, price_of
from tsgkit.llm.prompt_cache import PromptMarks, takes_marks
from tsgkit.llm.reply import CallBudget, Provider, Reply, Schema
from tsgkit.llm.scripts import RecordedModel, Replay, Script, script_in
from tsgkit.llm.settings import RetryLimits, Settings
from tsgkit.llm.spans import Traces, traces_of
from tsgkit.llm.user_models import USUAL, UserModel, is_own, usual_concurrency
from tsgkit.runs.batch_journal import BatchJournal
from tsgkit.runs.executors import RAY
from tsgkit.runs.executors.model_actors import HeldModel
from tsgkit.runs.executors.ray_cluster import Cluster
from tsgkit.runs.folder import CALLS, RunFolder, calls_in, plan_of, read_header
from tsgkit.runs.plan import BASELINE, REPLAY, SCRIPT, Plan
from tsgkit.runs.run_setup import RunSetup, asked_of, asks_a_model

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

EVERY = 10**7
"""More requests than a run has."""


class Subject(Protocol):
    """A named source of answers: a door to a model, or a script."""

    async def ask(
        self, where: Call, messages: Sequence[BaseMessage], *, label: str, draw: int = 0, schema: Schema = None
    ) -> Reply:
        """Return the reply to a prompt."""

    def stop(self) -> None:
        """Ask nothing new."""


@dataclass(frozen=True)
class Limits:
    """Budgets and rates of a run, the client, and traces; none of them can change an answer."""

    concurrency: int | None = None
    """Requests in flight a model; None for as many as are usual, which is one where a plain function is asked."""
    requests_per_minute: float | None = None
    tokens_per_minute: float | None = None
    max_requests: int | None = None
    max_tokens: int | None = None
    max_cost: float | None = None
    prices: tuple[str, ...] = ()
    patience: RetryLimits = field(default_factory=RetryLimits)
    prompt_cache: bool = False
    """Mark the beginnings of prompts for services that cache only what is marked."""
    client: Client | None = None
    """The client by which services are asked; None for the direct one where it fits."""
    batch: bool = False
    """True to send requests in batches, at half price."""
    waits: bool = True
    """False to leave as soon as everything is with the service."""
    executor: str | None = None
    """The executor that holds models of the user's; only ``ray`` holds them elsewhere than in this process."""
    traces: Traces | None = None
    """The spans that are sent by OpenTelemetry; None for none."""

    @property
    def in_flight(self) -> int:
        """The number of units in progress at a time; all of them where their requests are sent together."""
        return self.concurrency or (EVERY if self.batch else USUAL)


def limits_of(options: Mapping[str, Any]) -> Limits:
    """Return the limits that options say, by the names of the command line; ``UsageError`` where a number is none."""
    numbers = ("concurrency", "timeout", "rpm", "tpm", "max_cost", "max_requests", "max_tokens", "attempts")
    waits = ("max_outage", "wait_for_server")
    for name in (*numbers, *waits):
        value = options.get(name)
        if value is not None and not (value > 0 or (value == 0 and name in waits)):
            least = "0 (do not wait) or more" if name in waits else "more than 0"
            raise UsageError(f"--{name.replace('_', '-')} {value}: it must be {least}")
    if not options.get("wait", True) and not options.get("batch"):
        raise UsageError("--no-wait is about batches", hint="add --batch")
    if options.get("batch") and options.get("client") == "direct":
        raise UsageError("--batch: requests in batches are made by LiteLLM", hint="leave --client out")
    return Limits(
        concurrency=options.get("concurrency"),
        requests_per_minute=options.get("rpm"),
        tokens_per_minute=options.get("tpm"),
        max_requests=options.get("max_requests"),
        max_tokens=options.get("max_tokens"),
        max_cost=options.get("max_cost"),
        prices=prices_given(options.get("price") or ()),
        prompt_cache=bool(options.get("prompt_cache")),
        patience=RetryLimits.of(options),
        client=None if options.get("client") is None else client_given(options["client"]),
        batch=bool(options.get("batch")),
        waits=options.get("wait", True),
        traces=traces_of(options) if options.get("otel") or options.get("otel_content") else None,
    )


def prices_given(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return prices as they are typed: dollars a million tokens in and out, for one model or for all."""
    if isinstance(value, Mapping):
        return tuple(f"{name}:{_price(one)}" for name, one in value.items())
    texts = [value] if isinstance(value, str) or (value and isinstance(value[0], (int, float))) else value
    prices = tuple(map(_price, texts))
    for text in prices:
        price_given(text.rpartition(":")[2])  # one that is none is a slip even where nothing is paid
    return prices


def _price(value: Any) -> str:  # noqa: ANN401
    return value if isinstance(value, str) else ",".join(map(str, value))


def prices_of(
    models: tuple[str, ...], given: tuple[str, ...], settings: Mapping[str, Settings], *, batch: bool = False
) -> dict[str, Price | None]:
    """Return the price of each model: as given (``2.50,10`` for all, ``MODEL:2.50,10`` for one), else that of
    the map in the service tier of its settings; with ``batch`` what it costs in batches."""
    prices = {model: price_of(model, settings[model].tier) for model in models}
    for text in given:
        model = next((model for model in sorted(models, key=len, reverse=True) if text.startswith(f"{model}:")), None)
        price = price_given(text[len(model) + 1 :] if model else text)
        prices |= dict.fromkeys([model] if model else models, price)
    return {model: batch_price(model, price) for model, price in prices.items()} if batch else prices


def subjects_of(
    prepared: RunSetup, folder: RunFolder, limits: Limits, cache: ReplyCache | None, *, reads_cache: bool
) -> dict[str, Subject]:
    """Everybody who is asked in this run, by name; ``UsageError`` where a budget could not be kept."""
    models = tuple(name for name in asked_of(prepared.plan) if asks_a_model(name))
    prices = prices_of(models, limits.prices, prepared.settings, batch=limits.batch)
    if limits.max_cost is not None and (unknown := [model for model, price in prices.items() if price is None]):
        hint = "give --price IN,OUT (dollars per million tokens), or a limit of tokens or requests"
        raise UsageError(f"the price of {unknown[0]} is not known, so --max-cost cannot be kept", hint=hint)
    budget = CallBudget(limits.max_requests, limits.max_tokens, limits.max_cost)
    budget.add(folder.requests, folder.spent)
    subjects: dict[str, Subject] = {}
    for model in asked_of(prepared.plan):
        if model in models:
            subjects[model] = _door(model, prepared, folder, limits, budget, prices[model], cache, reads_cache)
        elif model.startswith((SCRIPT, REPLAY)):
            subjects[model] = source_of(model, folder, tuple(_asked(model, prepared)), prepared.plan)
    return subjects


def _door(
    model: str,
    prepared: RunSetup,
    folder: RunFolder,
    limits: Limits,
    budget: CallBudget,
    price: Price | None,
    cache: ReplyCache | None,
    reads_cache: bool,
) -> Door:
    settings = prepared.settings[model]
    if limits.batch:
        provider: Provider = _batch_calls(settings, prepared, folder, limits, price)
        flow = RequestQueue(EVERY, start=EVERY)
    else:
        provider = _held(provider_for(settings, price, limits.client), limits)
        flow = RequestQueue(
            provider.slots
            if isinstance(provider, HeldModel)
            else settings.places(limits.concurrency or usual_concurrency(model)),
            requests_per_minute=limits.requests_per_minute,
            tokens_per_minute=limits.tokens_per_minute,
            start=limits.concurrency if limits.concurrency and isinstance(provider, DirectCalls) else START,
        )
    return Door(
        name=model,
        provider=provider,
        endpoint=settings.endpoint,
        parameters=settings.parameters,
        flow=flow,
        budget=budget,
        recorder=folder,
        secrets=prepared.secrets,
        cache=cache,
        reads_cache=reads_cache,
        shared=frozenset(label for row in prepared.rows if (looks := row.task.looks) for label in looks.shared_labels),
        marks=PromptMarks() if limits.prompt_cache and takes_marks(model) else None,
        patience=replace(limits.patience, first_wait=0.0) if limits.batch else limits.patience,
        price=price,
    )


def _held(provider: Provider, limits: Limits) -> Provider:
    """Return a model of the user's in actors of a cluster, where that is the executor; others as they are."""
    if limits.executor != RAY or not isinstance(provider, UserModel):
        return provider
    return HeldModel(provider, Cluster(needs_keys=True), limits.concurrency)


def _batch_calls(
    settings: Settings, prepared: RunSetup, folder: RunFolder, limits: Limits, price: Price | None
) -> BatchCalls:
    """Return a model whose requests are sent in batches, which the folder records."""
    record = BatchJournal(folder.batches, settings.model, settings.endpoint, prepared.secrets)
    service, redact = batch_service(settings.model), prepared.secrets.redact
    collector = Collector(settings.model, service, record, limits.patience, redact, limits.waits, batches.PACE)
    return BatchCalls(settings, price, collector=collector)


def check_batches(prepared: RunSetup) -> None:
    """Raise ``UsageError`` for a subject that cannot be asked in batches; baselines ask no service."""
    for model in asked_of(prepared.plan):
        if asks_a_model(model) and not is_own(model):
            batch_service(model)
        elif not model.startswith(BASELINE):
            raise UsageError(f"--batch: {model} is no service", hint="leave --batch out")


def source_of(subject: str, folder: RunFolder, asked: Sequence[Call] = (), plan: Plan | None = None) -> RecordedModel:
    """Return a script or a replay behind the interface of a model. Raise ``UsageError`` if it has no reply to
    the plan."""
    source, has = recorded_of(subject, plan)
    if asked and not any(map(source.knows, asked)):
        raise UsageError(f"{subject}: says nothing about any item that is asked", hint=has)
    return RecordedModel(source, folder)


def recorded_of(subject: str, plan: Plan | None = None) -> tuple[Script | Replay, str]:
    """Return the script or replay of a plan, and a description of what it covers."""
    kind, _, rest = subject.partition(":")
    if f"{kind}:" == SCRIPT:
        script = script_in(read_text(rest), rest)
        return script, f"its items begin with {', '.join(list(script.replies)[:3]) or 'nothing: it is empty'}"
    path, _, name = rest.partition("#")
    header = read_header(Path(path))
    single = plan_of(header, Path(path)).only_values if "plan" in header else None
    calls = (value for _, value in calls_in(Path(path) / CALLS))
    replay = Replay.of(calls, name or None, single, plan.only_values if plan is not None else None)
    return replay, f"the run has {', '.join(replay.ways[:6])}"


def _asked(subject: str, prepared: RunSetup) -> Iterator[Call]:
    """Yield every sample a subject is asked about, as its calls begin."""
    for row in prepared.rows:
        if subject in (row.asked, row.judge):
            yield from (row.where(row.dataset.item_ids[number]) for number in row.numbers)
