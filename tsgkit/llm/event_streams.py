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
    _choices: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The answers of the completion by index."""
    _texts: dict[int, dict[str, list[str]]] = field(default_factory=dict)
    """The pieces of the texts in their messages."""
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
        if line or not self._event:
            return
        kept = Exchange(body=b"\n".join(self._event), charset=self.charset)
        self._event = []
        self.is_done |= kept.body.strip() == DONE
        value = object_in(kept.in_utf8())
        self.note = self.note or kept.note
        choices = value.pop("choices", None)
        self._fields |= {name: part for name, part in value.items() if part is not None}
        if isinstance(choices, list):
            self._fields.setdefault("choices", [])
            for choice in choices:
                if isinstance(choice, dict):
                    self._add(choice)

    def _add(self, part: dict[str, Any]) -> None:
        """Add what an event brings of a choice, and look from time to time whether its text repeats itself."""
        self.parts += 1
        index = part["index"] if isinstance(part.get("index"), int) else 0
        choice = self._choices.setdefault(index, {"delta": {}, "finish_reason": None})
        choice |= {name: value for name, value in part.items() if name != "delta" and value is not None}
        texts, delta, written = self._texts.setdefault(index, defaultdict(list)), part.get("delta"), ""
        for name, value in delta.items() if isinstance(delta, dict) else ():
            if isinstance(value, str) and name != "role":
                texts[name].append(value)
                written += value if name in WRITTEN else ""
            elif isinstance(value, list) and isinstance(choice["delta"].get(name), list):
                choice["delta"][name] += value
            elif value is not None:
                choice["delta"][name] = value
        if not written:
            return
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
        reasons = [choice["finish_reason"] for choice in self._choices.values()]
        return self.is_done or bool(reasons and all(reasons)) or bool(self._fields.get("error"))

    @property
    def value(self) -> dict[str, Any]:
        """The completion in one piece, or the error; of a reply that repeats itself, with that as its finish reason."""
        value = dict(self._fields)
        if not self._choices or value.get("error"):
            return value
        value["choices"] = []
        for index, choice in self._choices.items():
            texts = {name: "".join(pieces) for name, pieces in self._texts[index].items()}
            message = {"role": "assistant", "content": None} | choice["delta"] | texts
            reason = REPEATS if self.repeats else choice["finish_reason"]
            value["choices"].append({"message": message} | choice | {"finish_reason": reason, "index": index})
        return value

    @property
    def text(self) -> str | None:
        """The text of the first choice so far; None where there is none."""
        return "".join(self._texts[min(self._texts)]["content"]) or None if self._texts else None
