"""Image models: a prompt, optionally with an image to follow, returns the bytes of one image.

A service is asked through LiteLLM. Its responses are read up to twice ``MOST_IMAGE_BYTES``. Images given by address are
fetched here, over http or https only, without any key, and up to ``MOST_IMAGE_BYTES``.

A function of the user takes a prompt and a seed, and is called in this process. It returns an image as bytes, as a
Pillow image, as an array of numbers, or as the path of a file. A plain function runs in its own thread, so that nothing
else waits. An exception is the failure of that one image.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import functools
import hashlib
import inspect
import io
import os
import re
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException
from pathlib import Path
from typing import Any, ClassVar
from urllib.error import HTTPError
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPRedirectHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
    Request,
    UnknownHandler,
)

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.image_decoder import Unreadable, examine
from tsgkit.llm.images import MOST_IMAGE_BYTES, ImageFile, Messages, bytes_of, images_in
from tsgkit.llm.litellm_calls import GRACE, USERS, LiteLlm, cost_in, exchange, raw_body
from tsgkit.llm.reply import Ending, Reply, Usage
from tsgkit.llm.responses import Exchange, usage_of
from tsgkit.llm.retries import PROBE
from tsgkit.llm.secrets import without_login
from tsgkit.llm.settings import is_web_address
from tsgkit.llm.user_code import described, in_a_thread, load_object

BLOCKED = re.compile(
    r"content[_ ]filter|content[_ ]policy|content management policy|moderation|safety|nsfw|responsible[_ ]ai|blocked",
    re.IGNORECASE,
)
"""Messages of services that block a prompt or its image."""
FETCHES = 3
FETCH_WAIT = 0.5
CHUNK = 65_536
WRITTEN = ("1", "L", "LA", "I", "P", "RGB", "RGBA")
"""Modes of images that PNG holds."""
WHAT = "an image of Pillow, its bytes, an array of numbers, or the path of a file"


@dataclass
class LiteLlmImages(LiteLlm):
    """An image model behind LiteLLM; ``conditioned`` if it is also shown images."""

    conditioned: bool = False
    _client: Any = field(default=None, repr=False)
    most_bytes: ClassVar[int] = 2 * MOST_IMAGE_BYTES  # an image in base64 and its metadata
    awaited: ClassVar[str] = "image"
    filter_words: ClassVar[re.Pattern[str]] = BLOCKED

    def prepare(self) -> None:
        """Check the request without sending it. Raise ``UsageError`` if the model cannot be asked."""
        super().prepare()
        if not self.conditioned:
            return
        library, edits = self._library, None
        with suppress(Exception):  # an odd provider; LiteLLM says so in several ways
            name, provider, _, _ = library.get_llm_provider(model=self.settings.model)
            edits = library.utils.ProviderConfigManager.get_provider_image_edit_config(
                model=name, provider=library.LlmProviders(provider)
            )
        if edits is None:
            hint = "describe the layout in words: --condition text"
            raise UsageError(f"{self.settings.model}: LiteLLM knows no way to show it an image", hint=hint)

    async def close(self) -> None:
        """Close the connections unless another user of them is active."""
        await super().close()
        if self._client is not None:
            await self._client.close()
            self._client = None

    def _body(self, library: Any, parameters: dict[str, Any]) -> dict[str, Any]:
        return raw_body(library, self.settings, "image_generation", {"prompt": "probe", "n": 1, **parameters})

    async def _answered(self, messages: Messages, parameters: dict[str, Any], timeout: float, kept: Exchange) -> Reply:
        """Return the image that the service makes for a prompt, or as an edit of the images in it."""
        if messages is PROBE:  # any answer shows that the service is up, and no image is paid for
            return await super()._answered(messages, parameters, timeout, kept)
        USERS.join(self)
        asked = {
            "model": self.settings.model,
            "prompt": prompt_in(messages),
            "n": 1,
            "timeout": timeout + GRACE,  # so that its "timeout" is always the service's own
            "max_retries": 0,
            **parameters,
        }
        with exchange(kept):
            async with asyncio.timeout(timeout):
                if images := [await asyncio.to_thread(bytes_of, image) for image in images_in(messages)]:
                    response = await self._library.aimage_edit(image=images, **asked)
                else:
                    response = await self._library.aimage_generation(client=self._openai_client(), **asked)
                data = await image_in(response, timeout)
        counts = getattr(response, "usage", None)
        usage = usage_of(None, *(getattr(counts, f"{kind}_tokens", None) or None for kind in ("input", "output")))
        model = getattr(response, "model", None)
        spent = Usage(usage.prompt, usage.completion, cost=self._cost(usage, "", cost_in(response)))
        return await reply_with(data, model if isinstance(model, str) else None, spent)

    def _openai_client(self) -> Any:
        """Return a client that does not try again by itself, for services that speak as OpenAI does; None for
        others."""
        library, connection = self._library, self.settings.connection
        _, provider, key, base = library.get_llm_provider(
            model=self.settings.model, api_base=connection.get("api_base")
        )
        if provider not in ("openai", "litellm_proxy", *library.openai_compatible_providers):
            return None
        if self._client is None:
            self._client = _asking_once()(
                api_key=self._parameters.get("api_key") or key,
                base_url=base,
                organization=connection.get("organization"),
                http_client=library.llms.openai.common_utils.BaseOpenAILLM.get_async_http_client(),
            )
        return self._client


@functools.cache
def _asking_once() -> Any:
    """Return OpenAI's client without retries: LiteLLM sets two on any client, whatever max_retries it is given."""
    from openai import AsyncOpenAI

    class AskingOnce(AsyncOpenAI):
        @property
        def max_retries(self) -> int:
            return 0

        @max_retries.setter
        def max_retries(self, number: int) -> None:
            pass

    return AskingOnce


def messages_for(prompt: str, image: ImageFile | None = None) -> Messages:
    """Return what an image model is asked, as the door takes it."""
    parts: list[dict[str, Any]] = [{"type": "text", "text": prompt}]
    return [{"role": "user", "content": parts + ([] if image is None else [image.part])}]


def prompt_in(messages: Messages) -> str:
    """Return the text of what an image model is asked.

    >>> prompt_in(messages_for("A red cup."))
    'A red cup.'
    """
    parts = (part for message in messages for part in message["content"])
    return "\n\n".join(part["text"] for part in parts if part["type"] == "text")


async def reply_with(data: bytes, model: str | None, usage: Usage) -> Reply:
    """Return the reply that holds an image, as a PNG if it came as something else, or says that it is none."""
    examined = await asyncio.to_thread(examine, data, as_png=True)
    if isinstance(examined, Unreadable):
        error = f"what came is no image: {examined.reason}"
        return Reply(None, Ending.API_ERROR, error=error, model=model, usage=usage)
    made_png = None if examined.format == "PNG" else examined.png
    image, note = (data, None) if made_png is None else (made_png, ", ".join(examined.notes))
    sha256 = hashlib.sha256(image).hexdigest()
    return Reply(None, model=model, usage=usage, note=note, image=image, sha256=sha256)


async def image_in(response: Any, timeout: float) -> bytes:
    """Return the bytes of the image in a response. Raise ``CallFailed`` if there is none."""
    images = getattr(response, "data", None)
    first = images[0] if isinstance(images, list) and images else None
    inline, address = getattr(first, "b64_json", None), getattr(first, "url", None)
    if isinstance(inline, str) and inline:
        if len(inline) > MOST_IMAGE_BYTES * 4 // 3 + 4:
            raise CallFailed(f"the image is larger than {MOST_IMAGE_BYTES:,} bytes", None, final=True)
        try:
            return base64.b64decode(inline.partition(",")[2] if inline.startswith("data:") else inline, validate=True)
        except (binascii.Error, ValueError):
            raise CallFailed("the image in the answer is no base64", None) from None
    if not isinstance(address, str) or not address:
        raise CallFailed("the answer holds no image", None)
    for left in reversed(range(FETCHES)):  # asking the model again would cost again
        try:
            return await asyncio.to_thread(fetched, address, timeout)
        except CallFailed as failure:
            if failure.final or not left:
                failure.final = True
                raise
        await asyncio.sleep(FETCH_WAIT)
    raise AssertionError("the last try returns or raises")


def fetched(address: str, timeout: float) -> bytes:
    """Return the content of an http or https address. Raise ``CallFailed`` with the reason if it cannot be fetched."""
    if not is_web_address(address):
        raise CallFailed("the address of the image is none, or neither http nor https", None, final=True)
    shown, until, most = without_login(address), time.monotonic() + timeout, MOST_IMAGE_BYTES
    try:
        with _opener().open(Request(address, headers={"User-Agent": "tsgkit"}), timeout=timeout) as answer:  # noqa: S310
            announced = answer.headers.get("Content-Length")
            data = bytearray()
            while chunk := answer.read(CHUNK):
                data += chunk
                if len(data) > most:
                    raise CallFailed(f"the image at {shown} is larger than {most:,} bytes", None, final=True)
                if time.monotonic() > until:
                    raise CallFailed(f"the image cannot be fetched: {shown} is too slow", None)
            if announced is not None and announced.isdecimal() and len(data) < int(announced):
                raise CallFailed(f"the image cannot be fetched: {shown} ends early", None)
            return bytes(data)
    except HTTPError as error:
        error.close()
        raise CallFailed(f"the image cannot be fetched: {shown} answers {error.code}", None) from None
    except (OSError, HTTPException, ValueError) as error:
        # Not the error's own words: they may hold the address, and that a key.
        reason = getattr(error, "reason", None) or getattr(error, "strerror", None) or type(error).__name__
        raise CallFailed(f"the image cannot be fetched: {shown}: {reason}", None) from None


@functools.cache
def _opener() -> OpenerDirector:
    """Return an opener of http and https and nothing else, wherever it is led."""
    opener = OpenerDirector()
    handlers = (ProxyHandler, HTTPHandler, HTTPSHandler, UnknownHandler, HTTPDefaultErrorHandler)
    for handler in (*handlers, HTTPRedirectHandler, HTTPErrorProcessor):
        opener.add_handler(handler())
    return opener


@dataclass
class UserImageModel:
    """A function that makes images; ``conditioned`` if it also takes images."""

    name: str
    seed: int = 0
    conditioned: bool = False
    notices: list[str] = field(default_factory=list)
    _make: Callable[..., Any] | None = field(default=None, repr=False)

    def prepare(self) -> None:
        """Load the function; ``UsageError`` where it cannot be called as it would be."""
        found = load_object(self.name)
        if not callable(found):
            raise UsageError(f"{self.name}: a {type(found).__name__} cannot be called", hint="name a function")
        shown = {"image": None} if self.conditioned else {}
        try:
            inspect.signature(found).bind("prompt", 0, **shown)
        except TypeError:
            given = "(prompt, seed, image=...)" if self.conditioned else "(prompt, seed)"
            raise UsageError(f"{self.name}: cannot be called with {given}", hint="change its parameters") from None
        except ValueError:  # a function of another language does not tell its parameters
            pass
        self._make = found

    async def send(self, messages: Messages, schema: dict[str, Any] | None, timeout: float) -> Reply:
        """Make one image without a time limit. Raise ``CallFailed`` if there is none."""
        assert self._make is not None  # noqa: S101  (prepare() comes first)
        try:
            call = functools.partial(self._make, prompt_in(messages), self.seed)
            for image in images_in(messages):
                from PIL import Image

                call = functools.partial(call, image=Image.open(io.BytesIO(bytes_of(image))))
            if inspect.iscoroutinefunction(self._make) or inspect.iscoroutinefunction(type(self._make).__call__):
                made = await call()
            else:
                made = await in_a_thread(call)
            data = await asyncio.to_thread(image_of, made)
        except CallFailed:
            raise
        except Exception as error:
            raise _failed(f"{self.name} failed: {described(error)}") from error
        return await reply_with(data, self.name, Usage(0, 0, cost=0.0))

    async def close(self) -> None:
        """Nothing is open."""


def image_of(made: object) -> bytes:
    """Return the bytes of an image in any accepted form. Raise ``CallFailed`` if it is not an image."""
    if isinstance(made, (bytes, bytearray, memoryview)):
        data = bytes(made)
    elif isinstance(made, (str, os.PathLike)):
        data = _read(Path(made))
    elif callable(getattr(made, "save", None)):
        data = _saved(made)
    elif hasattr(made, "shape") and hasattr(made, "dtype"):
        data = _saved(_of_array(made))
    else:
        raise _failed(f"what was returned is no image, but a {type(made).__name__}: expected {WHAT}")
    if len(data) > MOST_IMAGE_BYTES:
        raise _failed(f"the image is larger than {MOST_IMAGE_BYTES:,} bytes")
    return data


def _read(path: Path) -> bytes:
    try:
        if path.stat().st_size > MOST_IMAGE_BYTES:
            raise _failed(f"the image is larger than {MOST_IMAGE_BYTES:,} bytes")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise _failed(f"the image that was returned cannot be read: {why}") from None


def _saved(image: Any) -> bytes:
    buffer = io.BytesIO()
    if getattr(image, "mode", "RGB") not in WRITTEN:
        image = image.convert("RGB")
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def _of_array(array: Any) -> Any:
    """Return an image of numbers: height, width and three colours, from 0 to 255, or floats from 0 to 1."""
    import numpy as np
    from PIL import Image

    numbers = np.asarray(array)
    if numbers.ndim != 3 or numbers.shape[2] not in (3, 4):
        shape = " x ".join(map(str, numbers.shape))
        raise _failed(f"what was returned is an array of {shape}: expected height x width x 3")
    if numbers.dtype.kind == "f":
        numbers = np.nan_to_num(numbers) * 255 + 0.5
    return Image.fromarray(np.clip(numbers, 0, 255).astype(np.uint8))


def _failed(reason: str) -> CallFailed:
    """Return a failure of one image, which trying again would not change."""
    return CallFailed(reason, final=True, responded=True)
