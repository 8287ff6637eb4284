"""The model of a compiled graph, shared by all its runs in every event loop and thread.

>>> import asyncio
>>> from tsgkit.llm.asker import TextAsk, ask_for
>>> model = shared_model(lambda messages: messages[-1]["content"].upper(), {})
>>> asyncio.run(TextAsk(ask_for(model, "tea")).text("Which?", "answer"))
'WHICH?'

A named model is asked in one background event loop, so that all runs share its budget, rate and connections. A caller's
function or chat model is called in the loop that runs the graph, where its resources belong.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar
from weakref import WeakKeyDictionary

from tsgkit.defaults import Client
from tsgkit.errors import UsageError
from tsgkit.lexicon import meant
from tsgkit.llm.asker import Asker, client_given, door_of, settings_for
from tsgkit.llm.door import Call, Door, Recorder, SentPrompt
from tsgkit.llm.event_loop import background_loop
from tsgkit.llm.prices import Price, price_given, price_of
from tsgkit.llm.reply import CallBudget, Reply
from tsgkit.llm.settings import RetryLimits, arguments_of
from tsgkit.llm.user_code import registered_name

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

Result = TypeVar("Result")
NAMED_OR_OWN = 'a name such as "openai/gpt-4o", a function of messages, a chat model of LangChain'
KINDS = f"{NAMED_OR_OWN}, or anything with an ask method"


class AskingOptions(TypedDict, total=False):
    """Options for asking a model, as for ``tsgkit refine``; limits apply to all runs of a graph together.

    ``max_outage`` is in minutes, ``wait_for_server`` in seconds, 0 for not at all; ``price`` is in dollars per million
    input and output tokens, ``client`` is ``"direct"`` or ``"litellm"``. A ``recorder`` stores every call, and stored
    calls are not repeated; without one, calls are not stored.
    """

    model_arg: Mapping[str, Any] | Sequence[str]
    max_cost: float
    max_requests: int
    max_tokens: int
    price: str | tuple[float, float]
    timeout: float
    max_outage: float
    wait_for_server: float
    attempts: int
    concurrency: int
    client: Client
    recorder: Recorder


class _Forgetful:
    """A recorder that keeps nothing, since a graph may run for months."""

    def find(self, call: Call) -> Reply | None:
        """Return None."""

    def find_same(self, call: Call) -> Reply | None:
        """Return None."""

    def write(self, call: Call, prompt: SentPrompt | None, reply: Reply) -> None:
        """Do nothing."""


def shared_model(model: Any, options: AskingOptions) -> Asker | None:  # noqa: ANN401  (whatever a caller gives)
    """Return who is asked; ``UsageError`` where that is no model or an option cannot be kept."""
    _check(options)
    if model is None or callable(getattr(model, "ask", None)):
        if options:
            why = "no model is given" if model is None else "the model has an ask method of its own"
            raise UsageError(f"{next(iter(options))} has no use: {why}", hint=f"give {NAMED_OR_OWN}")
        asker: Asker | None = model
        return asker
    if isinstance(model, str):
        return SharedModel(model, options)
    if callable(model) or callable(getattr(model, "ainvoke", None)):
        return SharedModel(model, options)
    raise UsageError(f"a {type(model).__name__} is no model", hint=f"give {KINDS}")


def _check(options: AskingOptions) -> None:
    for name, value in options.items():
        if name not in AskingOptions.__annotations__:
            raise UsageError(f"there is no option {name}", hint=meant(name, AskingOptions.__annotations__))
        if name in ("model_arg", "price", "recorder", "client"):
            continue
        may_be_zero = name in ("max_outage", "wait_for_server")
        if not isinstance(value, int | float) or not (value > 0 or (value == 0 and may_be_zero)):
            expected = "0 (do not wait) or more" if may_be_zero else "a number greater than 0"
            raise UsageError(f"{name}={value!r}: expected {expected}")
    if isinstance(options.get("model_arg"), str):
        raise UsageError("model_arg is one text: expected a dict", hint='as in model_arg={"temperature": 0.2}')


@dataclass
class SharedModel:
    """A model shared by the runs of a graph; its doors have one budget."""

    model: str | Callable[..., Any] | BaseChatModel
    options: AskingOptions
    budget: CallBudget = field(init=False)
    name: str = field(init=False)
    _doors: WeakKeyDictionary[asyncio.AbstractEventLoop, Door] = field(default_factory=WeakKeyDictionary, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        options = self.options
        self.budget = CallBudget(options.get("max_requests"), options.get("max_tokens"), options.get("max_cost"))
        self.name = self._opened().name  # invalid options raise before anything runs

    async def ask(
        self,
        where: Call,
        messages: Sequence[BaseMessage],
        *,
        label: str,
        draw: int = 0,
        schema: dict[str, Any] | None = None,
    ) -> Reply:
        """Return the reply to a prompt."""
        loop = background_loop() if isinstance(self.model, str) else asyncio.get_running_loop()
        work = self._door_in(loop).ask(where, messages, label=label, draw=draw, schema=schema)
        if loop is asyncio.get_running_loop():
            return await work
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))

    def _door_in(self, loop: asyncio.AbstractEventLoop) -> Door:
        """Return the door of a loop; where the model was given up, which ends a run, a new one for those after it."""
        with self._lock:
            door = self._doors.get(loop)
            if door is None or door.giving_up.reason:
                door = self._doors[loop] = self._opened()
            return door

    def _opened(self) -> Door:
        options = self.options
        name = self.model if isinstance(self.model, str) else registered_name(self.model)
        arguments = arguments_of(options.get("model_arg", ()))
        price = _price(options["price"]) if "price" in options else price_of(name, settings_for(name, arguments).tier)
        if price is None and "max_cost" in options:
            hint = "give price='IN,OUT' (dollars per million tokens), or a limit of tokens or requests"
            raise UsageError(f"the price of {name} is not known, so max_cost cannot be kept", hint=hint)
        door = door_of(
            name,
            arguments,
            options.get("recorder") or _Forgetful(),
            budget=self.budget,
            price=price,
            patience=RetryLimits.of(options),
            concurrency=options.get("concurrency"),
            client=client_given(options.get("client")),
        )
        if not isinstance(self.model, str):
            door.provider.prepare()  # the name stands for the last object that was given under it
        return door


def _price(value: str | tuple[float, float]) -> Price:
    return price_given(value if isinstance(value, str) else ",".join(map(str, value)))
