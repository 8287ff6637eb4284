"""Text models of the user: a function of messages, or a chat model of LangChain, called in this process.

>>> import asyncio
>>> model = UserModel(registered_name(lambda messages: messages[-1]["content"].upper()))
>>> model.prepare()
>>> asyncio.run(model.send([{"role": "user", "content": "tea"}], None, 60)).text
'TEA'

A function takes messages in OpenAI's form, and ``schema=`` too if it has such a parameter. It returns a text, a
:class:`~tsgkit.llm.reply.Reply`, or a message of LangChain. A plain function runs in its own thread. An exception with
the status of a service (``status_code``) is retried like that status; any other is the failure of that one call.
"""

from __future__ import annotations

import asyncio
import functools
import hashlib
import inspect
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import Messages
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Ending, Reply
from tsgkit.llm.responses import ending_of, usage_of
from tsgkit.llm.settings import Argument, Settings
from tsgkit.llm.user_code import (
    OWN,
    PREFIX,
    check_function,
    described,
    in_a_thread,
    is_async,
    load_object,
    registered_name,
    text_of_code,
)

__all__ = ["UserModel", "is_own", "own_settings", "registered_name", "usual_concurrency"]
WHAT = "a text, a Reply, or a message of LangChain"
ELSEWHERE: ContextVar[Callable[[str], str] | None] = ContextVar("ELSEWHERE", default=None)
"""Returns the fingerprint of a model that is not to be loaded in this process."""
OTHER_LOOP = ("different loop", "different event loop", "Event loop is closed")
USUAL = 32


def is_own(model: str) -> bool:
    """Return whether a model is code of the user's."""
    return model.startswith(PREFIX)


def usual_concurrency(model: str, usual: int = USUAL) -> int:
    """Return the default number of requests in flight: 1 for a plain function."""
    return 1 if is_own(model) and not _waits(load_object(model)) else usual


def own_settings(model: str, arguments: tuple[Argument, ...]) -> Settings:
    """Return the settings of user code, with a hash of its source, so that edited code is another model."""
    if other := [one.name for one in arguments if one.model in (None, model)]:
        hint = "decide that in the function itself"
        raise UsageError(f"{model}: --model-arg {other[0]} has no use: it is given messages", hint=hint)
    elsewhere = ELSEWHERE.get()
    code = fingerprint(load_object(model)) if elsewhere is None else elsewhere(model)
    return Settings(model, {"code": code}, {}, {"api_base": OWN})


def fingerprint(found: Any) -> str:  # noqa: ANN401
    """Return a hash of the code that answers, as far as it can be seen."""
    if is_chat_model(found):
        told = [type(found).__module__, type(found).__qualname__, str(getattr(found, "_identifying_params", ""))]
        text = "\0".join(told)
    else:
        text = text_of_code(found)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_chat_model(found: object) -> bool:
    """Return whether an object is a chat model of LangChain."""
    return callable(getattr(found, "ainvoke", None)) and hasattr(found, "_identifying_params")


def _waits(found: Any) -> bool:  # noqa: ANN401
    """Return whether asking gives way to others meanwhile."""
    return is_chat_model(found) or is_async(found)


@dataclass
class UserModel:
    """A function or chat model that answers."""

    name: str
    price: Price | None = None
    notices: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    """Nothing goes over a wire."""
    _ask: Callable[..., Any] | None = field(default=None, repr=False)
    _takes_schema: bool = False

    def prepare(self) -> None:
        """Load the function; ``UsageError`` where it cannot be called as it would be."""
        if self._ask is not None:
            return
        found = load_object(self.name)
        if is_chat_model(found):
            self._ask = found.ainvoke
            return
        check_function(self.name, found, "messages", waits=True)
        with suppress(ValueError):  # a function of another language does not tell its parameters
            self._takes_schema = "schema" in inspect.signature(found).parameters
        self._ask = found

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Ask once; ``CallFailed`` where no answer comes."""
        assert self._ask is not None  # noqa: S101  (prepare() comes first)
        began = time.monotonic()
        extra = {"schema": schema} if self._takes_schema else {}
        try:
            async with asyncio.timeout(timeout):
                call = functools.partial(self._ask, messages, **extra)
                made = await call() if _waits(self._ask) else await in_a_thread(call)
                while inspect.isawaitable(made):
                    made = await made
        except TimeoutError as error:
            raise CallFailed(f"{self.name}: no answer within {timeout:g} s") from error
        except Exception as error:
            message = f"{self.name} failed: {described(error)}"
            if isinstance(error, (RuntimeError, ValueError)) and any(text in str(error) for text in OTHER_LOOP):
                message += "; what it uses belongs to another event loop: call the a... twin there (aevaluate)"
            status = getattr(error, "status_code", None)
            if isinstance(status, int) and not isinstance(status, bool):  # of the service that it asks
                raise CallFailed(message, status) from error
            raise CallFailed(message, lasting=not isinstance(error, ConnectionError)) from error
        seconds = round(time.monotonic() - began, 4)
        if isinstance(made, Reply):
            return made
        if isinstance(made, str) or made is None:
            return Reply(made, Ending.COMPLETE if made else Ending.EMPTY, model=self.name, seconds=seconds)
        if not hasattr(made, "content") or not hasattr(made, "response_metadata"):
            raise CallFailed(f"{self.name} returned {type(made).__name__}: expected {WHAT}", lasting=True)
        return self._of_message(made, seconds)

    def _of_message(self, message: Any, seconds: float) -> Reply:  # noqa: ANN401  (an AIMessage)
        parts = message.content if isinstance(message.content, list) else [message.content]
        texts = [part.get("text", "") if isinstance(part, dict) else part for part in parts]
        text = "".join(text for text in texts if isinstance(text, str))
        told = message.response_metadata if isinstance(message.response_metadata, Mapping) else {}
        reason = told.get("finish_reason") or told.get("stop_reason")
        ending = ending_of(None if reason is None else str(reason), None, text)
        used = getattr(message, "usage_metadata", None) or {}
        details = used.get("input_token_details") or {}
        read, written = (details.get(name) for name in ("cache_read", "cache_creation"))
        counts = used.get("input_tokens"), used.get("output_tokens")
        usage = usage_of(text, *counts, cached=read, written=written or None)
        if self.price is not None:
            usage = replace(usage, cost=self.price.of(usage))
        model = str(told.get("model_name") or self.name)
        return Reply(text, ending, None if reason is None else str(reason), model=model, usage=usage, seconds=seconds)

    async def close(self) -> None:
        """Nothing is open."""
