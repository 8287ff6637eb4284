"""Observation of a job: whoever traces it is called for each unit of work and each call of a model.

>>> with unit("item", dict) as note:
...     note(dict)

Nothing is observed unless an observer is set for the context (``OBSERVER``), as ``--otel`` does. Tasks started in that
context inherit it, so that a call knows the unit that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from typing import Any, NamedTuple, Protocol

from tsgkit.llm.reply import Attempt, Reply

Value = str | bool | int | float | Sequence[str]
Attributes = Callable[[], Mapping[str, Value]]
"""Attributes, computed only if somebody observes."""
RECORD = "record"
"""The source of a reply that an earlier part of the same run recorded."""


class Request(NamedTuple):
    """A call of a model, before its reply."""

    model: str
    endpoint: str
    messages: list[dict[str, Any]]
    parameters: Callable[[], Mapping[str, Any]]
    """Returns what is sent to the model, which is known once it was asked."""
    label: str = ""
    """The name of the question; empty where an image is asked for."""
    draw: int = 0
    has_schema: bool = False

    @property
    def makes_image(self) -> bool:
        """True if the reply is to be an image."""
        return not self.label


Note = Callable[[Attributes], None]
Answered = Callable[[Reply, str], None]
"""Takes the reply of a call and its source: the reply's own, or ``record``."""


class Observer(Protocol):
    """An observer of units, calls and failed attempts."""

    def unit(self, name: str, attributes: Attributes) -> AbstractContextManager[Note]:
        """Return a context around one unit of work; more is noted about it by the function it yields."""

    def call(self, request: Request) -> AbstractContextManager[Answered]:
        """Return a context around one call of a model."""

    def attempted(self, attempt: Attempt) -> None:
        """Hear of a failed attempt of the call in progress."""


OBSERVER: ContextVar[Observer | None] = ContextVar("observer", default=None)


def unit(name: str, attributes: Attributes) -> AbstractContextManager[Note]:
    """Return a context around one unit of work, observed if there is an observer."""
    observer = OBSERVER.get()
    return nullcontext(_unheard) if observer is None else observer.unit(name, attributes)


def call(request: Request) -> AbstractContextManager[Answered]:
    """Return a context around one call of a model, observed if there is an observer."""
    observer = OBSERVER.get()
    return nullcontext(_unheard) if observer is None else observer.call(request)


def attempted(attempt: Attempt) -> None:
    """Report a failed attempt of the call in progress to the observer, if there is one."""
    if (observer := OBSERVER.get()) is not None:
        observer.attempted(attempt)


def _unheard(*_: object) -> None:
    """Ignore what no observer is there for."""
