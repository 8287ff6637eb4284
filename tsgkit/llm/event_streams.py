"""Chat completions that arrive as server-sent events, put together as they would have come in one piece.

>>> stream = EventStream()
>>> for text in ("[ket", "tle]"):
...     stream.feed(b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\\n\\n' % text.encode())
>>> stream.feed(b"data: [DONE]\\n\\n")
>>> stream.is_done, stream.value["choices"][0]["message"]
(True, {'role': 'assistant', 'content': '[kettle]'})
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tsgkit.llm.responses import Exchange, object_in

DONE = b"[DONE]"
WRITTEN = ("content", "reasoning_content", "reasoning")
"""The parts of a message that a model writes token by token."""
PASSAGE, TIMES = 200, 16
"""A reply whose last so many characters occur so many times repeats itself."""
LOOKBACK = 16_000
"""Characters in which a passage is looked for, which is a cycle of a thousand."""
LOOK_EVERY = 1_000
REPEATS = "it repeats itself"


@dataclass
class _Choice:
    """One of the answers of a completion, as far as it has come."""

    index: int
    fields: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    parts: dict[str, Any] = field(default_factory=dict)

    def add(self, value: dict[str, Any]) -> Iterator[str]:
        """Add what an event brings of it, and yield the text that the model wrote."""
        self.fields |= {name: part for name, part in value.items() if name != "delta" and part is not None}
        delta = value.get("delta")
        for name, part in delta.items() if isinstance(delta, dict) else ():
            if isinstance(part, str) and name != "role":
                self.texts[name].append(part)
                if name in WRITTEN and part:
                    yield part
            elif isinstance(part, list) and isinstance(self.parts.get(name), list):
                self.parts[name] += part
            elif part is not None:
                self.parts[name] = part

    @property
    def value(self) -> dict[str, Any]:
        """The choice of a completion in one piece."""
        texts = {name: "".join(parts) for name, parts in self.texts.items()}
        message = {"role": "assistant", "content": None} | self.parts | texts
        return {"finish_reason": None, "message": message} | self.fields | {"index": self.index}


@dataclass(eq=False)
class EventStream:
    """The events of one response, as far as they have come."""

    charset: str = ""
    is_done: bool = False
    """True if the service marked the end."""
    repeats: bool = False
    """True if what is written repeats itself."""
    tokens: int = 0
    """Events with text, which are tokens or a few of them."""
    parts: int = 0
    """Parts of choices that came; comments and pings bring none."""
    note: str | None = None
    began: float = field(default_factory=time.monotonic)
    """The time of the first token, or before it of the request."""
    _fields: dict[str, Any] = field(default_factory=dict)
    _choices: dict[int, _Choice] = field(default_factory=dict)
    _line: list[bytes] = field(default_factory=list)
    _event: list[bytes] = field(default_factory=list)
    _recent: list[str] = field(default_factory=list)
    _unseen: int = 0

    def feed(self, data: bytes) -> None:
        """Add bytes of the response, wherever they were cut."""
        if b"\n" not in data:
            self._line.append(data)
            return
        *lines, rest = (b"".join(self._line) + data).split(b"\n")
        self._line = [rest]
        for line in lines:
            self._read(line.removesuffix(b"\r"))

    def end(self) -> None:
        """Read a last event that is not followed by an empty line."""
        self._read(b"".join(self._line).removesuffix(b"\r"))
        self._read(b"")
        self._line = []

    def _read(self, line: bytes) -> None:
        if line.startswith(b"data:"):
            self._event.append(line[5:].removeprefix(b" "))
        elif not line and self._event:
            event, self._event = b"\n".join(self._event), []
            self._take(event)

    def _take(self, event: bytes) -> None:
        self.is_done |= event.strip() == DONE
        kept = Exchange(body=event, charset=self.charset)
        value = object_in(kept.in_utf8())
        self.note = self.note or kept.note
        choices = value.pop("choices", None)
        self._fields |= {name: part for name, part in value.items() if part is not None}
        if isinstance(choices, list):
            self._fields.setdefault("choices", [])
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                self.parts += 1
                index = choice.get("index")
                index = index if isinstance(index, int) else 0
                written = "".join(self._choices.setdefault(index, _Choice(index)).add(choice))
                if written:
                    self._note(written)

    def _note(self, written: str) -> None:
        """Count a token, and look from time to time whether the last passage was written many times."""
        if not self.tokens:
            self.began = time.monotonic()
        self.tokens += 1
        self._recent.append(written)
        self._unseen += len(written)
        if self._unseen >= LOOK_EVERY:
            text = "".join(self._recent)[-LOOKBACK:]
            self._recent, self._unseen = [text], 0
            self.repeats |= text.count(text[-PASSAGE:]) >= TIMES

    @property
    def has_ended(self) -> bool:
        """True if the reply came to its end: the service marked it, or gave a reason for every choice."""
        reasons = [choice.fields.get("finish_reason") for choice in self._choices.values()]
        return self.is_done or bool(reasons and all(reasons)) or bool(self._fields.get("error"))

    @property
    def value(self) -> dict[str, Any]:
        """The completion in one piece, or the error; of a reply that repeats itself, with that as its finish reason."""
        found = dict(self._fields)
        if self._choices and not found.get("error"):
            found["choices"] = [choice.value for choice in self._choices.values()]
        for choice in found.get("choices", ()) if self.repeats else ():
            choice["finish_reason"] = REPEATS
        return found

    @property
    def text(self) -> str | None:
        """The text of the first choice so far; None where there is none."""
        first = min(self._choices, default=0)
        return "".join(self._choices[first].texts["content"]) or None if self._choices else None
