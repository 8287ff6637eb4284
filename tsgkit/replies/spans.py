"""Parts of a reply that know their position in it, and values read from them."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

Value = TypeVar("Value")
LONGEST_END, LONGEST_LINE = 40_000, 1_000
"""Characters that are read at either end of a long text, and in which the end of a line is searched there."""


class Unreadable(NamedTuple):
    """The reason why no answer could be read."""

    reason: str


class Read(NamedTuple, Generic[Value]):
    """A value and the span of the reply that it was read from."""

    value: Value
    start: int
    end: int


class Part(NamedTuple):
    """A part of a reply and its start position.

    >>> part = Part("Answer: [C]", 10).cut(8)
    >>> part, part.strip("[]")
    (Part(text='[C]', start=18), Part(text='C', start=19))
    """

    text: str
    start: int = 0

    @property
    def end(self) -> int:
        """The end position in the reply."""
        return self.start + len(self.text)

    def cut(self, start: int, end: int | None = None) -> Part:
        """Return the stretch from one place in it to another (None: to its end)."""
        return Part(self.text[start:end], self.start + start)

    def strip(self, characters: str | None = None) -> Part:
        """Return it without these characters (None: white space) at both ends."""
        left = len(self.text) - len(self.text.lstrip(characters))
        return Part(self.text.strip(characters), self.start + left)

    def ends(self) -> list[Part]:
        """Return it, or the end and the beginning of one that is so long that reading it takes too long."""
        if len(self.text) <= 2 * LONGEST_END:
            return [self]
        start = len(self.text) - LONGEST_END
        return [self.cut(max(self.text.find("\n", start, start + LONGEST_LINE), start)), self.cut(0, LONGEST_END)]

    def lines(self) -> list[Part]:
        """Return its lines that are not blank."""
        parts, at = [], 0
        for line in self.text.splitlines(keepends=True):
            if line.strip():
                parts.append(Part(line.rstrip("\r\n"), self.start + at))
            at += len(line)
        return parts

    def read_as(self, value: Value) -> Read[Value]:
        """Return a value that this stretch says."""
        return Read(value, self.start, self.end)
