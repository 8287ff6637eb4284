"""Models of the user: a function of messages, a chat model of LangChain, or a function that makes images.

>>> import asyncio
>>> from tsgkit.llm.user_code import registered_name
>>> model = UserModel(registered_name(lambda messages: messages[-1]["content"].upper()))
>>> model.prepare()
>>> asyncio.run(model.send([{"role": "user", "content": "tea"}], None, 60)).text
'TEA'

A function takes messages in OpenAI's form, and ``schema=`` too if it has such a parameter. It returns a text, a
:class:`~tsgkit.llm.reply.Reply`, or a message of LangChain. A plain function runs in its own thread. An exception with
the status of a service (``status_code``) is retried like that status; any other is the failure of that one call.

A function that makes images takes a prompt and a seed. It returns an image as bytes, as a Pillow image, as an array of
numbers, or as the path of a file.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import io
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm import user_code
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.image_decoder import reply_with
from tsgkit.llm.images import MOST_IMAGE_BYTES, Messages, bytes_of, images_in, prompt_in
from tsgkit.llm.prices import Price
from tsgkit.llm.reply import Ending, Provider, Reply, Schema, Usage, ending_of, usage_of
from tsgkit.llm.settings import Argument, Settings

WHAT = "a text, a Reply, or a message of LangChain"
WHAT_IMAGE = "an image of Pillow, its bytes, an array of numbers, or the path of a file"
WRITTEN = ("1", "L", "LA", "I", "P", "RGB", "RGBA")
"""Modes of images that PNG holds."""
ELSEWHERE: ContextVar[Callable[[str], str] | None] = ContextVar("ELSEWHERE", default=None)
"""Returns the fingerprint of a model that is not to be loaded in this process."""
OTHER_LOOP = ("different loop", "different event loop", "Event loop is closed")
USUAL = 32


def is_own(model: str) -> bool:
    """Return whether a model is code of the user's."""
    return model.startswith(user_code.PREFIX)


def usual_concurrency(model: str, usual: int = USUAL) -> int:
    """Return the default number of requests in flight: 1 for a plain function."""
    if not is_own(model):
        return usual
    answering = user_code.load_object(model)
    return usual if is_chat_model(answering) or user_code.is_async(answering) else 1


def own_settings(model: str, arguments: tuple[Argument, ...]) -> Settings:
    """Return the settings of user code, with a hash of its source, so that edited code is another model."""
    if names := [argument.name for argument in arguments if argument.model in (None, model)]:
        hint = "decide that in the function itself"
        raise UsageError(f"{model}: --model-arg {names[0]} has no use: it is given messages", hint=hint)
    elsewhere = ELSEWHERE.get()
    code = fingerprint(user_code.load_object(model)) if elsewhere is None else elsewhere(model)
    return Settings(model, {"code": code}, {}, {"api_base": user_code.OWN})


def fingerprint(model: Any) -> str:  # noqa: ANN401
    """Return a hash of the code that answers, as far as it can be seen."""
    if is_chat_model(model):
        text = "\0".join([type(model).__module__, type(model).__qualname__, str(model._identifying_params)])
    else:
        text = user_code.text_of_code(model)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def is_chat_model(model: object) -> bool:
    """Return whether an object is a chat model of LangChain."""
    return callable(getattr(model, "ainvoke", None)) and hasattr(model, "_identifying_params")


@dataclass
class UserModel(Provider):
    """A function or chat model that answers."""

    name: str
    price: Price | None = None
    notices: list[str] = field(default_factory=list)
    _ask: Callable[..., Any] | None = field(default=None, repr=False)
    _takes_schema: bool = False

    def prepare(self) -> None:
        """Load the function; ``UsageError`` where it cannot be called as it would be."""
        if self._ask is not None:
            return
        model = user_code.load_object(self.name)
        if is_chat_model(model):
            self._ask = model.ainvoke
            return
        user_code.check_function(self.name, model, "messages", waits=True)
        with suppress(ValueError):  # a function of another language does not tell its parameters
            self._takes_schema = "schema" in inspect.signature(model).parameters
        self._ask = model

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Ask once; ``CallFailed`` where no answer comes."""
        assert self._ask is not None  # noqa: S101  (prepare() comes first)
        began = time.monotonic()
        extra = {"schema": schema} if self._takes_schema else {}
        try:
            async with asyncio.timeout(timeout):
                call = partial(self._ask, messages, **extra)
                answer = await call() if user_code.is_async(self._ask) else await user_code.in_a_thread(call)
                while inspect.isawaitable(answer):
                    answer = await answer
        except TimeoutError as error:
            raise CallFailed(f"{self.name}: no answer within {timeout:g} s") from error
        except Exception as error:
            message = f"{self.name} failed: {user_code.described(error)}"
            if isinstance(error, (RuntimeError, ValueError)) and any(text in str(error) for text in OTHER_LOOP):
                message += "; what it uses belongs to another event loop: call the a... twin there (aevaluate)"
            status = getattr(error, "status_code", None)
            if isinstance(status, int) and not isinstance(status, bool):  # of the service that it asks
                raise CallFailed(message, status) from error
            raise CallFailed(message, lasting=not isinstance(error, ConnectionError)) from error
        seconds = round(time.monotonic() - began, 4)
        if isinstance(answer, Reply):
            return answer
        if isinstance(answer, str) or answer is None:
            return Reply(answer, Ending.COMPLETE if answer else Ending.EMPTY, model=self.name, seconds=seconds)
        if not hasattr(answer, "content") or not hasattr(answer, "response_metadata"):
            raise CallFailed(f"{self.name} returned {type(answer).__name__}: expected {WHAT}", lasting=True)
        parts = answer.content if isinstance(answer.content, list) else [answer.content]
        texts = [part.get("text", "") if isinstance(part, dict) else part for part in parts]
        text = "".join(text for text in texts if isinstance(text, str))
        metadata = answer.response_metadata if isinstance(answer.response_metadata, Mapping) else {}
        reason = metadata.get("finish_reason") or metadata.get("stop_reason")
        reason = None if reason is None else str(reason)
        used = getattr(answer, "usage_metadata", None) or {}
        details = used.get("input_token_details") or {}
        read, written = (details.get(name) for name in ("cache_read", "cache_creation"))
        counts = used.get("input_tokens"), used.get("output_tokens")
        usage = usage_of(text, *counts, cached=read, written=written or None)
        if self.price is not None:
            usage = replace(usage, cost=self.price.of(usage))
        model = str(metadata.get("model_name") or self.name)
        return Reply(text, ending_of(reason, None, text), reason, model=model, usage=usage, seconds=seconds)


@dataclass
class UserImageModel(Provider):
    """A function that makes images; ``conditioned`` if it also takes images."""

    name: str
    seed: int = 0
    conditioned: bool = False
    notices: list[str] = field(default_factory=list)
    _make: Callable[..., Any] | None = field(default=None, repr=False)

    def prepare(self) -> None:
        """Load the function; ``UsageError`` where it cannot be called as it would be."""
        function = user_code.load_object(self.name)
        if not callable(function):
            raise UsageError(f"{self.name}: a {type(function).__name__} cannot be called", hint="name a function")
        try:
            inspect.signature(function).bind("prompt", 0, **({"image": None} if self.conditioned else {}))
        except TypeError:
            parameters = "(prompt, seed, image=...)" if self.conditioned else "(prompt, seed)"
            raise UsageError(f"{self.name}: cannot be called with {parameters}", hint="change its parameters") from None
        except ValueError:  # a function of another language does not tell its parameters
            pass
        self._make = function

    async def send(self, messages: Messages, schema: Schema, timeout: float) -> Reply:
        """Make one image without a time limit. Raise ``CallFailed`` if there is none."""
        assert self._make is not None  # noqa: S101  (prepare() comes first)
        try:
            call = partial(self._make, prompt_in(messages), self.seed)
            for image in images_in(messages):
                from PIL import Image

                call = partial(call, image=Image.open(io.BytesIO(bytes_of(image))))
            output = await call() if user_code.is_async(self._make) else await user_code.in_a_thread(call)
            data = await asyncio.to_thread(image_of, output)
        except CallFailed:
            raise
        except Exception as error:
            raise _no_image(f"{self.name} failed: {user_code.described(error)}") from error
        return await reply_with(data, self.name, Usage(0, 0, cost=0.0))


def image_of(output: Any) -> bytes:  # noqa: ANN401
    """Return the bytes of an image in any accepted form. Raise ``CallFailed`` if it is not an image."""
    too_large = _no_image(f"the image is larger than {MOST_IMAGE_BYTES:,} bytes")
    if isinstance(output, (str, os.PathLike)):
        path = Path(output)
        try:
            if path.stat().st_size > MOST_IMAGE_BYTES:
                raise too_large
            output = path.read_bytes()
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or type(error).__name__
            raise _no_image(f"the image that was returned cannot be read: {why}") from None
    elif hasattr(output, "shape") and hasattr(output, "dtype") and not callable(getattr(output, "save", None)):
        import numpy as np
        from PIL import Image

        numbers = np.asarray(output)  # height, width and three colours, from 0 to 255, or floats from 0 to 1
        if numbers.ndim != 3 or numbers.shape[2] not in (3, 4):
            shape = " x ".join(map(str, numbers.shape))
            raise _no_image(f"what was returned is an array of {shape}: expected height x width x 3")
        if numbers.dtype.kind == "f":
            numbers = np.nan_to_num(numbers) * 255 + 0.5
        output = Image.fromarray(np.clip(numbers, 0, 255).astype(np.uint8))
    if callable(getattr(output, "save", None)):
        image = output if getattr(output, "mode", "RGB") in WRITTEN else output.convert("RGB")
        image.save(buffer := io.BytesIO(), format="PNG")
        output = buffer.getvalue()
    if not isinstance(output, (bytes, bytearray, memoryview)):
        raise _no_image(f"what was returned is no image, but a {type(output).__name__}: expected {WHAT_IMAGE}")
    if len(data := bytes(output)) > MOST_IMAGE_BYTES:
        raise too_large
    return data


def _no_image(reason: str) -> CallFailed:
    """Return a failure of one image, which trying again would not change."""
    return CallFailed(reason, final=True, responded=True)
