"""Image models behind LiteLLM: a prompt, optionally with an image to follow, returns the bytes of one image.

Responses are read up to twice ``MOST_IMAGE_BYTES``. Images given by address are fetched here, over http or https only,
without any key, and up to ``MOST_IMAGE_BYTES``.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from typing import Any, ClassVar
from urllib import request as web
from urllib.error import HTTPError

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.images import MOST_IMAGE_BYTES, Messages, bytes_of, images_in, prompt_in
from tsgkit.llm.litellm_calls import GRACE, USERS, LiteLlm, cost_in, exchange, raw_body
from tsgkit.llm.reply import PROBE, Reply, Usage
from tsgkit.llm.responses import Exchange, usage_of
from tsgkit.llm.secrets import without_login
from tsgkit.llm.settings import is_web_address

BLOCKED = re.compile(
    r"content[_ ]filter|content[_ ]policy|content management policy|moderation|safety|nsfw|responsible[_ ]ai|blocked",
    re.IGNORECASE,
)
"""Messages of services that block a prompt or its image."""
FETCHES = 3
FETCH_WAIT = 0.5
CHUNK = 65_536


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
        return Reply(
            text=None,
            model=model if isinstance(model, str) else None,
            usage=Usage(usage.prompt, usage.completion, cost=self._cost(usage, "", cost_in(response))),
            image=data,
        )

    def _openai_client(self) -> Any:
        """Return a client without retries, for services that speak as OpenAI does; None for others."""
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


@cache
def _asking_once() -> Any:
    """Return OpenAI's client without retries: LiteLLM sets two on any client, whatever max_retries it is given."""
    from openai import AsyncOpenAI

    return type("AskingOnce", (AsyncOpenAI,), {"max_retries": property(lambda _: 0, lambda *_: None)})


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
        with _opener().open(web.Request(address, headers={"User-Agent": "tsgkit"}), timeout=timeout) as answer:  # noqa: S310
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


@cache
def _opener() -> web.OpenerDirector:
    """Return an opener of http and https and nothing else, wherever it is led."""
    opener = web.OpenerDirector()
    handlers: tuple[type[web.BaseHandler], ...] = (web.ProxyHandler, web.HTTPHandler, web.HTTPSHandler)
    errors = (web.UnknownHandler, web.HTTPDefaultErrorHandler, web.HTTPRedirectHandler, web.HTTPErrorProcessor)
    for handler in (*handlers, *errors):
        opener.add_handler(handler())
    return opener
