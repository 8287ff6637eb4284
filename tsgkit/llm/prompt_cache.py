"""Marks in prompts for services that keep the beginning of a prompt only where a request asks for it.

Requests that begin alike are cheaper if the service finds their beginning in its prompt cache. Most services look by
themselves; those of Anthropic's models want a mark at the end of what is to be kept. Marks are added when a prompt is
sent: the recorded prompt, its hash and the identity of a run do not hold them.

>>> [takes_marks(name) for name in ("anthropic/claude-sonnet-4-5", "openrouter/anthropic/claude-x", "openai/gpt-5")]
[True, True, False]
>>> marks = PromptMarks()
>>> for question in ("Where?", "Who?"):
...     [message] = marks.added([{"role": "user", "content": f"Rules.\\n\\nA story.\\n\\n{question}"}], [8])
...     print([part["text"] for part in message["content"] if MARK in part])
['Rules.\\n\\n']
['Rules.\\n\\n', 'A story.\\n\\n']
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tsgkit.llm.images import MARK, Messages, identity_of, is_image
from tsgkit.llm.settings import provider_of

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

EPHEMERAL = {MARK: {"type": "ephemeral"}}
STABLE = "stable"
"""The entry of a message's ``additional_kwargs`` with the characters at its start that are equal for all items."""
RESELLERS = ("bedrock", "openrouter", "vertex_ai")
"""Providers of Anthropic's models among others."""
PARAGRAPH_END = re.compile(r"\n\n+|\Z")
MOST_STARTS = 100_000


def takes_marks(model: str) -> bool:
    """Return whether a model's service caches only what is marked."""
    provider, name = provider_of(model), model.lower()
    if provider == "anthropic":
        return True
    return provider.startswith(RESELLERS) and ("anthropic" in name or "claude" in name)


def stable_of(messages: Sequence[BaseMessage]) -> list[int]:
    """Return for each message how many characters at its start are equal for all items."""
    return [int(message.additional_kwargs.get(STABLE, 0)) for message in messages]


@dataclass
class PromptMarks:
    """Marks for the prompts of one model: at most three in a prompt, of the four that a request may have."""

    _starts: set[bytes] = field(default_factory=set, repr=False)
    """Digests of the beginnings of earlier prompts, paragraph by paragraph."""

    def added(self, messages: Messages, stable: Sequence[int]) -> Messages:
        """Return a prompt with marks after a system message, after images, and in a text.

        A text has a mark where its stable start ends, and where it parts from all earlier prompts if that is later.
        Images have one if a text follows them: it is the question, and others may be asked about the same images.
        """
        marked, before = [], hashlib.sha256()
        for message, first in zip(messages, stable, strict=True):
            content = message["content"]
            if isinstance(content, list):
                last = max((number for number, part in enumerate(content) if is_image(part)), default=-1)
                if last not in (-1, len(content) - 1):
                    content = [*content[:last], content[last] | EPHEMERAL, *content[last + 1 :]]
            elif message["role"] == "system":
                content = _cut(content, [len(content)])
            elif message is messages[-1]:
                ends, digests, running = [0], list[bytes](), before.copy()  # of paragraphs, and of all up to their ends
                for end in PARAGRAPH_END.finditer(content):
                    running.update(content[ends[-1] : end.end()].encode("utf-8", "surrogatepass"))
                    ends.append(end.end())
                    digests.append(running.digest()[:16])
                known = [end for end, digest in zip(ends[1:], digests, strict=True) if digest in self._starts]
                if len(self._starts) > MOST_STARTS:
                    self._starts.clear()
                self._starts.update(digests)
                content = _cut(content, sorted({first, max(first, *known, 0)} - {0}))
            before.update(repr((message["role"], identity_of(message["content"]))).encode("utf-8", "surrogatepass"))
            marked.append(message | {"content": content})
        return marked


def _cut(text: str, ends: Sequence[int]) -> str | list[Any]:
    """Return a text in parts that end here, each with a mark; as it is where there are no ends."""
    starts = [0, *ends]
    marked = [{"type": "text", "text": text[a:b], **EPHEMERAL} for a, b in zip(starts, ends, strict=False) if b > a]
    rest = [{"type": "text", "text": text[starts[-1] :]}] if starts[-1] < len(text) else []
    return [*marked, *rest] if marked else text
