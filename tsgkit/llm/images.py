"""Images in prompts: a prompt names an image by its SHA-256. The bytes are read when it is sent and never recorded.

>>> image = ImageFile(Path("images/7.png"), "ab" * 32, "image/png", 1024, 768, 90_000)
>>> content = content_of("What lies left of the cup?", image)
>>> content[0]["text"], content[1]["type"], content[1]["path"]
('What lies left of the cup?', 'image_file', 'images/7.png')
>>> from dataclasses import replace
>>> moved = content_of("What lies left of the cup?", replace(image, path=Path("elsewhere.png")))
>>> identity_of(content) == identity_of(moved), tokens_of_content(content)
(True, 1055)

Services count images by their own rules, from a few hundred tokens to one for every 600 pixels. Budgets and rates count
one token per ``PIXELS_A_TOKEN`` pixels, between ``FEWEST_TOKENS`` and ``MOST_TOKENS``, since larger images are shrunk
before sending.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import os
import re
import secrets
import stat
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BufferedReader
from math import ceil
from pathlib import Path
from typing import Any, TypeGuard

from tsgkit.llm.failures import CallFailed

KIND = "image_file"
FIELDS = ("sha256", "media_type", "width", "height", "size")
MARK = "cache_control"
"""The field of a part that marks it as the end of what a service is to cache."""
MOST_IMAGE_BYTES = 50_000_000
"""Size limit of an image file, here and everywhere else."""
CHARACTERS_A_TOKEN = 4
PIXELS_A_TOKEN = 750
FEWEST_TOKENS, MOST_TOKENS = 85, 4_000
BIG, MOST_PART = 65_536, 2**18
"""Size from which an image is read in a thread, and of the parts in which a body is sent; a request holds about 5."""
BASE64_URL = re.compile(r"data:[\w.+/-]{1,80};base64,[A-Za-z0-9+/=_\\-]*")
LONG_BASE64 = re.compile(r"[A-Za-z0-9+/=_-]{100,}")
SHOWN = "[image]"

Part = dict[str, Any]
Messages = list[dict[str, Any]]
Range = tuple[int, int]
"""The least and the most."""
FACTOR = 3
MOST_PATCHES = 1536
LARGEST_CLAUDE, NEWER_CLAUDE = 1_600, 4_100
"""The most tokens of an image of Claude up to version 4.5, and later."""


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image file: its path, hash, sides in pixels and size in bytes.

    ``notes`` are remarks from reading it; they are not part of its identity.
    """

    path: Path
    sha256: str
    media_type: str
    width: int
    height: int
    size: int
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def part(self) -> Part:
        """The content part that stands for the image in prompts and records."""
        return {"type": KIND, **{name: getattr(self, name) for name in FIELDS}, "path": str(self.path)}


def content_of(*pieces: str | ImageFile) -> list[Any]:
    """Return the content of a message with texts and images in this order: ``HumanMessage(content=content_of("Look:",
    image))``.
    """
    return [piece.part if isinstance(piece, ImageFile) else {"type": "text", "text": piece} for piece in pieces]


def messages_for(prompt: str, image: ImageFile | None = None) -> Messages:
    """Return what an image model is asked, as the door takes it."""
    return [{"role": "user", "content": content_of(prompt, *([] if image is None else [image]))}]


def prompt_in(messages: Messages) -> str:
    """Return the text of what an image model is asked.

    >>> prompt_in(messages_for("A red cup."))
    'A red cup.'
    """
    parts = (part for message in messages for part in message["content"])
    return "\n\n".join(part["text"] for part in parts if part["type"] == "text")


def image_from(part: Mapping[str, Any]) -> ImageFile:
    """Return the image that a part of a content stands for."""
    return ImageFile(Path(part["path"]), **{name: part[name] for name in FIELDS})


def is_image(part: object) -> TypeGuard[Part]:
    """Return whether a part of a content stands for an image."""
    return isinstance(part, dict) and part.get("type") == KIND


def images_in(messages: Messages) -> Iterator[ImageFile]:
    """Yield the images of a prompt, in order."""
    return (image for message in messages for image in images_of(message["content"]))


def images_of(content: object) -> Iterator[ImageFile]:
    """Yield the images of a content, in order."""
    return (image_from(part) for part in (content if isinstance(content, list) else ()) if is_image(part))


def identity_of(content: object) -> object:
    """Return a content without the paths of its images, which do not change an answer."""
    if not isinstance(content, list):
        return content
    kept = ("type", "sha256", "media_type")
    return [{name: part[name] for name in kept} if is_image(part) else part for part in content]


def characters_of(content: object) -> int:
    """Return the characters of a content's texts."""
    if not isinstance(content, list):
        return len(str(content))
    texts = (part.get("text", "") if isinstance(part, dict) else part for part in content if not is_image(part))
    return sum(len(str(text)) for text in texts)


def tokens_of_content(content: object) -> int:
    """Return the estimated tokens of a content: its characters, and its images by their pixels."""
    images = sum(tokens_of_sides(image.width, image.height) for image in images_of(content))
    return characters_of(content) // CHARACTERS_A_TOKEN + images


def tokens_of_sides(width: int, height: int) -> int:
    """Return the tokens that budgets count for an image of these sides.

    >>> tokens_of_sides(1024, 1024)
    1399
    """
    return min(max(-(-width * height // PIXELS_A_TOKEN), FEWEST_TOKENS), MOST_TOKENS)


def image_line(part: Mapping[str, Any]) -> str:
    """Return an image in words, for those who read a record."""
    sides = f"{part.get('width')}x{part.get('height')}"
    return f"[image {part.get('path')}: {part.get('media_type')} {sides}, SHA-256 {str(part.get('sha256'))[:12]}]"


async def with_bytes(messages: Messages) -> Messages:
    """Return messages with every image as a data URL. Raise ``CallFailed`` if one has changed."""
    urls: dict[ImageFile, str] = {}
    for image in images_in(messages):
        if image not in urls:
            urls[image] = await asyncio.to_thread(data_url, image) if image.size > BIG else data_url(image)
    return _with_urls(messages, urls.__getitem__) if urls else messages


def _with_urls(messages: Messages, url: Callable[[ImageFile], str]) -> Messages:
    """Return messages with every image as an address."""
    shown = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list):
            content = [
                {"type": "image_url", "image_url": {"url": url(image_from(part))}}
                | ({MARK: part[MARK]} if MARK in part else {})
                if is_image(part)
                else part
                for part in content
            ]
        shown.append(message | {"content": content})
    return shown


def data_url(image: ImageFile) -> str:
    """Return the image as an address that holds it."""
    return f"{_head(image)}{base64.b64encode(bytes_of(image)).decode('ascii')}"


def _head(image: ImageFile) -> str:
    return f"data:{image.media_type};base64,"


def bytes_of(image: ImageFile) -> bytes:
    """Return the bytes of an image. Raise ``CallFailed`` if they have changed since it was examined."""
    with _opened(image) as file:
        data = file.read(image.size + 1)
    if hashlib.sha256(data).hexdigest() != image.sha256:
        raise _lost(image)
    return data


@contextmanager
def _opened(image: ImageFile) -> Iterator[BufferedReader]:
    """Open the file, if it is still one of this size; never a pipe that would be waited for."""
    try:
        file = os.open(image.path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(file, "rb") as opened:
            state = os.fstat(file)
            if not stat.S_ISREG(state.st_mode) or state.st_size != image.size:
                raise _lost(image)
            yield opened
    except OSError as error:
        raise _lost(image, f"cannot be read any more: {error.strerror}") from None


def _lost(image: ImageFile, why: str = "was changed since it was looked at") -> CallFailed:
    return CallFailed(f"the image {image.path} {why}", unsent=True)


@dataclass(frozen=True)
class RequestBody:
    """The body of a request as JSON, in which images are only read while it is sent.

    A large image would else be held as its bytes, as base64 and as the body, by every request that shows it.
    """

    pieces: Sequence[bytes | ImageFile]

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> RequestBody:
        """Return the body of a request whose ``messages`` may stand for images."""
        token, images = secrets.token_hex(16), list(images_in(value["messages"]))
        shown = _with_urls(value["messages"], lambda image: f"{_head(image)}{token}")
        first, *others = json.dumps({**value, "messages": shown}).encode().split(token.encode())
        return cls([first, *(piece for pair in zip(images, others, strict=True) for piece in pair)])

    def __len__(self) -> int:
        return sum(len(piece) if isinstance(piece, bytes) else 4 * -(-piece.size // 3) for piece in self.pieces)

    async def check(self) -> None:
        """Raise ``CallFailed`` if one of the images has changed since it was examined."""

        def check(image: ImageFile) -> None:
            with _opened(image) as file:
                if hashlib.file_digest(file, "sha256").hexdigest() != image.sha256:
                    raise _lost(image)

        for image in dict.fromkeys(piece for piece in self.pieces if isinstance(piece, ImageFile)):
            if image.size > BIG:
                await asyncio.to_thread(check, image)
            else:
                check(image)

    @property
    def data(self) -> bytes | AsyncIterator[bytes]:
        """The whole where it is small, else its parts of at most a quarter of a megabyte."""
        first, *others = self.pieces
        return first if isinstance(first, bytes) and not others and len(first) <= MOST_PART else self._parts()

    async def _parts(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            if isinstance(piece, bytes):
                for start in range(0, len(piece), MOST_PART):
                    yield piece[start : start + MOST_PART]
                continue
            with _opened(piece) as file:
                read = partial(file.read, MOST_PART // 4 * 3)
                while data := await asyncio.to_thread(read) if piece.size > BIG else read():
                    yield base64.b64encode(data)


def without_base64(text: str) -> str:
    """Return a message of a service without the images it may repeat.

    >>> without_base64("cannot load data:image/png;base64,iVBORw0KGgo= (1 of 1)")
    'cannot load [image] (1 of 1)'
    """
    return LONG_BASE64.sub(SHOWN, BASE64_URL.sub(SHOWN, text))


def without_images(text: str, shown: Iterable[ImageFile]) -> str:
    """Return a reply without the data of images that were shown, which some services repeat."""
    for image in shown:
        if len(text) > image.size:  # else it cannot hold it
            with suppress(CallFailed):  # a reply is kept, whatever has become of the file
                text = text.replace(data_url(image).removeprefix(_head(image)), SHOWN)
    return text


def tokens_range(model: str, sides: tuple[int, int]) -> Range:
    """Return the least and the most tokens that an image of these sides takes."""
    for pattern, rule, numbers in RULES:
        if re.search(pattern, model, re.IGNORECASE):
            return rule(*sides, *numbers)
    usual = tokens_of_sides(*sides)
    return usual // FACTOR, usual * FACTOR


def _tiles(width: int, height: int, base: int, tile: int) -> Range:
    """Squares of 512 pixels, after shrinking into 2048 x 2048 and then to a shorter side of 768."""
    shrunk = min(1.0, 2048 / max(width, height))
    shrunk *= min(1.0, 768 / (shrunk * min(width, height)))
    tokens = base + tile * ceil(width * shrunk / 512) * ceil(height * shrunk / 512)
    return tokens, tokens


def _patches(width: int, height: int, least: float, most: float) -> Range:
    """Squares of 32 pixels, each of so many tokens."""
    patches = min(ceil(width / 32) * ceil(height / 32), MOST_PATCHES)
    return int(patches * least), ceil(patches * most)


def _pixels(width: int, height: int, most: int) -> Range:
    """A token per 750 pixels; larger images are shrunk."""
    tokens = ceil(width * height / 750)
    return min(tokens, LARGEST_CLAUDE), min(ceil(1.05 * tokens), most)


def _squares(width: int, height: int) -> Range:
    """258 tokens up to 384 x 384, else for each square of 768, which may be cut otherwise."""
    return 258, 258 if max(width, height) <= 384 else 258 * max(ceil(width / 768) * ceil(height / 768), 6)


RULES: tuple[tuple[str, Callable[..., Range], tuple[float, ...]], ...] = (
    (r"gpt-4o-mini", _tiles, (2833, 5667)),
    (r"gpt-(4\.1|5)-(mini|nano)|o4-mini", _patches, (1.62, 2.46)),
    (r"gpt-(4o|4\.1|4-turbo)", _tiles, (85, 170)),
    (r"\bo[13]\b", _tiles, (75, 150)),
    (r"\bgpt-5(-chat|-\d{4}|$)", _tiles, (70, 140)),
    (r"claude-(3|(opus|sonnet|haiku)-4)", _pixels, (LARGEST_CLAUDE + 80,)),
    (r"claude", _pixels, (NEWER_CLAUDE,)),
    (r"gemini-3", lambda *_: (1_000, 1_150), ()),
    (r"gemini", _squares, ()),
)
"""Names of models, the rule of the first that matches, and its numbers."""
