"""Messages of a question: in our protocols images come first and the question last.

A service that caches prefixes then charges the images once, however many questions are asked about them. Published
protocols keep the published order.

>>> [message] = messages_of("Where is the cup?", images=("Object 1:",), images_first=True)
>>> [part["text"] for part in message.content]
['Object 1:', 'Where is the cup?']
>>> [message] = messages_of("Where is the cup?", images=("Object 1:",))
>>> [part["text"] for part in message.content]
['Where is the cup?', 'Object 1:']
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tsgkit.llm.images import ImageFile, content_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

Pieces = Sequence[str | ImageFile]
"""Images and the texts between them."""


def messages_of(
    question: str = "", *, images: Pieces = (), role: str = "", images_first: bool = False
) -> list[BaseMessage]:
    """Return the system's message, where there is a role, and the user's with the question and its images."""
    from langchain_core.messages import HumanMessage, SystemMessage

    text = (question,) if question else ()
    parts = (*images, *text) if images_first else (*text, *images)
    asked: BaseMessage = HumanMessage(content=content_of(*parts) if images else question)
    return [SystemMessage(content=role), asked] if role else [asked]
