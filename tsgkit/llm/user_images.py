"""Image models of the user: a function of a prompt and a seed, called in this process.

It returns an image as bytes, as a Pillow image, as an array of numbers, or as the path of a file. A plain function runs
in its own thread, so that nothing else waits. An exception is the failure of that one image.
"""

from __future__ import annotations

import asyncio
import functools
import inspect
import io
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tsgkit.errors import UsageError
from tsgkit.llm.failures import CallFailed
from tsgkit.llm.image_calls import prompt_in
from tsgkit.llm.images import MOST_IMAGE_BYTES, Messages, bytes_of, images_in
from tsgkit.llm.reply import Ending, Reply, Usage
from tsgkit.llm.user_code import described, in_a_thread, load_object

WRITTEN = ("1", "L", "LA", "I", "P", "RGB", "RGBA")
"""Modes of images that PNG holds."""
WHAT = "an image of Pillow, its bytes, an array of numbers, or the path of a file"


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
        began = time.monotonic()
        try:
            call = functools.partial(self._make, prompt_in(messages), self.seed)
            for image in images_in(messages):
                call = functools.partial(call, image=_opened(bytes_of(image)))
            if inspect.iscoroutinefunction(self._make) or inspect.iscoroutinefunction(type(self._make).__call__):
                made = await call()
            else:
                made = await in_a_thread(call)
            data = await asyncio.to_thread(image_of, made)
        except CallFailed:
            raise
        except Exception as error:
            raise _failed(f"{self.name} failed: {described(error)}") from error
        return Reply(
            text=None,
            ending=Ending.COMPLETE,
            model=self.name,
            usage=Usage(0, 0, cost=0.0),
            image=data,
            seconds=round(time.monotonic() - began, 4),
        )

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


def _saved(image: Any) -> bytes:  # noqa: ANN401
    buffer = io.BytesIO()
    if getattr(image, "mode", "RGB") not in WRITTEN:
        image = image.convert("RGB")
    image.save(buffer, format="PNG")
    return buffer.getvalue()


def _of_array(array: Any) -> Any:  # noqa: ANN401
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


def _opened(data: bytes) -> Any:  # noqa: ANN401
    from PIL import Image

    return Image.open(io.BytesIO(data))


def _failed(reason: str) -> CallFailed:
    """Return a failure of one image, which trying again would not change."""
    return CallFailed(reason, final=True, responded=True)
