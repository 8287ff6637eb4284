"""Messages of a question: in our protocols images come first and the question last.

A service that caches prefixes then charges the images once, however many questions are asked about them. Published
protocols keep the published order, and so do runs of the first request form.

>>> from tsgkit.suites.request_forms import FIRST, IMAGES_FIRST
>>> [one["text"] for one in content("Where is the cup?", ("Object 1:",), IMAGES_FIRST)]
['Object 1:', 'Where is the cup?']
>>> [one["text"] for one in content("Where is the cup?", ("Object 1:",), FIRST)]
['Where is the cup?', 'Object 1:']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tsgkit.llm.images import ImageFile, content_of
from tsgkit.suites.request_forms import FIRST, IMAGES_FIRST

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Pieces = Sequence[str | ImageFile]
"""Images and the texts between them."""


def messages_of(question: str = "", *, images: Pieces = (), role: str = "", form: int = FIRST) -> list[BaseMessage]:
    """Return the system's message, where there is a role, and the user's with the question and its images."""
    from langchain_core.messages import HumanMessage, SystemMessage

    asked: BaseMessage = HumanMessage(content=content(question, images, form))
    return [SystemMessage(content=role), asked] if role else [asked]


def content(question: str, images: Pieces, form: int) -> str | list[Any]:
    """Return the user's content: the question alone, or with images on the side that the request form puts them."""
    if not images:
        return question
    asked = (question,) if question else ()
    return content_of(*images, *asked) if form >= IMAGES_FIRST else content_of(*asked, *images)
