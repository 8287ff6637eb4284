"""The judge: it asks a model one question until a reply can be read, and gives the reason if none can.

>>> import asyncio
>>> from tsgkit.llm.reply import Reply
>>> async def ask(messages, *, label, draw=0, schema=None):
...     return Reply(("perhaps", "yes")[draw])
>>> def read(reply):
...     return JudgeReading(reply.text, "" if reply.text in ("yes", "no") else "neither yes nor no")
>>> answer = asyncio.run(Judge().answer(ask, JudgeQuestion("lamp", (), read, tries=2)))
>>> answer.value, len(answer.said), answer.unknown
('yes', 2, None)
>>> print(asyncio.run(Judge().answer(ask, JudgeQuestion("lamp", (), read, tries=1))).unknown)
lamp: neither yes nor no
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from tsgkit.errors import TsgkitError, UsageError
from tsgkit.llm.failures import BAD_REQUESTS
from tsgkit.llm.images import ImageFile, content_of
from tsgkit.llm.reply import Ask, Ending, Reply
from tsgkit.scoring.pooling import Outcome
from tsgkit.suites.replies import OUTCOMES
from tsgkit.suites.transcript import LabelledReply

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

NO_REPLY = "there is no reply"
PROBLEMS = {
    Ending.EMPTY: "the reply is empty",
    Ending.TRUNCATED: "the reply was cut off",
    Ending.REFUSED: "the judge refused",
    Ending.MISSING: NO_REPLY,
}
"""Endings of replies that hold no answer, in words."""
NOT_ASKED_AGAIN = (Ending.API_ERROR, Ending.MISSING)
"""Endings that another draw does not mend; a service that failed is asked again by the same command."""
Schema = dict[str, Any]
"""A response format as the wire has it, such as ``{"type": "json_schema", ...}``."""
Pieces = Sequence[str | ImageFile]
"""Images and the texts between them."""
Found = TypeVar("Found")


@dataclass(frozen=True)
class Unknown:
    """An unknown result: the question, the reason, the label, and the outcome (None: no model was asked)."""

    reason: str
    label: str = ""
    outcome: Outcome | None = None

    def __str__(self) -> str:
        return f"{self.label}: {self.reason}" if self.label else self.reason


class JudgeReading(NamedTuple, Generic[Found]):
    """The usable part of a reply, and the reason for asking again; empty if everything is usable."""

    value: Found | None
    problem: str = ""


@dataclass(frozen=True)
class JudgeQuestion(Generic[Found]):
    """One question to a judge: its messages, the reader of a reply, and the number of tries."""

    label: str
    messages: Sequence[BaseMessage]
    read: Callable[[Reply], JudgeReading[Found]]
    """Reads a reply of the service; never called with an error of the service."""
    schema: Schema | None = None
    tries: int = 1
    first_draw: int = 0
    """The number of the first draw, where a request of the same words is sent under several labels."""


@dataclass(frozen=True)
class Answer(Generic[Found]):
    """The result of the last reply to a question, the reason for missing parts, and all replies."""

    value: Found | None
    unknown: Unknown | None
    said: tuple[LabelledReply, ...]

    @property
    def outcome(self) -> Outcome:
        """The outcome of the last call."""
        return outcome_of(self.said[-1].reply)


@dataclass
class ResponseFormats:
    """The response formats that one endpoint accepts (True) or refuses (False), learned from its replies by all askers.

    The first request with a type decides for all; concurrent ones wait for its reply. If that does not decide (the
    service failed), no call waits for another one.

    >>> import asyncio
    >>> async def refuses(messages, *, label, draw=0, schema=None):
    ...     return Reply("yes") if schema is None else Reply(None, Ending.API_ERROR, status=400)
    >>> formats = ResponseFormats(keep=print)
    >>> asyncio.run(formats.asked(refuses, (), label="look", draw=0, schema={"type": "json_schema"})).text
    {'json_schema': False}
    'yes'
    """

    takes: dict[str, bool] = field(default_factory=dict)
    keep: Callable[[Mapping[str, bool]], None] = lambda _: None
    """Called with all that is known whenever something was learnt."""
    _first: dict[str, asyncio.Event] = field(default_factory=dict, repr=False)

    async def asked(
        self, ask: Ask, messages: Sequence[BaseMessage], *, label: str, draw: int, schema: Schema | None
    ) -> Reply:
        """Return the reply to a request with this schema, or without one where the service refuses its type."""
        if schema is None:
            return await ask(messages, label=label, draw=draw)
        kind = str(schema["type"])
        if kind not in self.takes and (first := self._first.get(kind)) is not None:
            await first.wait()
        if self.takes.get(kind) is False:
            return await ask(messages, label=label, draw=draw)
        decided = self._first.setdefault(kind, asyncio.Event())
        try:
            reply, takes = await ask(messages, label=label, draw=draw, schema=schema), True
            if reply.ending is Ending.API_ERROR and reply.status in BAD_REQUESTS:
                reply, takes = await ask(messages, label=label, draw=draw), False
            if kind not in self.takes and reply.ending not in NOT_ASKED_AGAIN:
                self.takes[kind] = takes
                self.keep(dict(self.takes))
            return reply
        finally:
            decided.set()


@dataclass
class Judge:
    """A model behind the door, asked by one solver."""

    formats: ResponseFormats = field(default_factory=ResponseFormats)
    over: TsgkitError | None = None
    """The exception that ended all asking."""

    def go_on(self) -> None:
        """Raise the exception that ended all asking, before work is done for another question."""
        if self.over is not None:
            raise self.over

    async def answer(self, ask: Ask, question: JudgeQuestion[Found]) -> Answer[Found]:
        """Ask until a reply can be read, each time as a new draw. If none can be read, the result is unknown."""
        replies: list[LabelledReply] = []
        reading = JudgeReading[Found](None, NO_REPLY)
        for draw in range(question.first_draw, question.first_draw + question.tries):
            reply = await self.reply(ask, question.messages, question.label, draw, question.schema)
            replies.append(LabelledReply(question.label, reply))
            if reply.ending in NOT_ASKED_AGAIN:
                reading = JudgeReading(None, problem_of(reply))
                break
            reading = question.read(reply)
            if not reading.problem:
                return Answer(reading.value, None, tuple(replies))
        unknown = Unknown(reading.problem, question.label, outcome_of(replies[-1].reply))
        return Answer(reading.value, unknown, tuple(replies))

    async def reply(
        self, ask: Ask, messages: Sequence[BaseMessage], label: str, draw: int, schema: Schema | None = None
    ) -> Reply:
        """Return one reply. An exception of the asking itself (a budget, a full disk) ends all asking."""
        try:
            return await self.formats.asked(ask, messages, label=label, draw=draw, schema=schema)
        except TsgkitError as error:
            self.over = error
            raise


def messages_of(
    question: str = "", *, images: Pieces = (), role: str = "", images_first: bool = False
) -> list[BaseMessage]:
    """Return the system's message, where there is a role, and the user's with the question and its images.

    In our protocols images come first and the question last: a service that caches prefixes then charges the images
    once, however many questions are asked about them. Published protocols keep the published order.

    >>> [message] = messages_of("Where is the cup?", images=("Object 1:",), images_first=True)
    >>> [part["text"] for part in message.content]
    ['Object 1:', 'Where is the cup?']
    """
    from langchain_core.messages import HumanMessage, SystemMessage

    text = (question,) if question else ()
    parts = (*images, *text) if images_first else (*text, *images)
    message: BaseMessage = HumanMessage(content=content_of(*parts) if images else question)
    return [SystemMessage(content=role), message] if role else [message]


def a_model(ask: Ask | None, what: str) -> Ask:
    """Return a function that asks. Raise ``UsageError`` if a solver that needs a model has none."""
    if ask is None:
        raise UsageError(f"a model must judge the {what}, and none was given", hint="give --judge PROVIDER/MODEL")
    return ask


def problem_of(reply: Reply) -> str:
    """Return why a reply that did not end as it should holds no answer."""
    return PROBLEMS.get(reply.ending) or f"the service failed: {reply.error}"


def outcome_of(reply: Reply) -> Outcome:
    """Return how a call ended that gives no answer."""
    if reply.ending is Ending.MISSING:
        return Outcome.MISSING
    if reply.ending in OUTCOMES:
        return OUTCOMES[reply.ending]
    return Outcome.UNREADABLE if (reply.text or "").strip() else Outcome.EMPTY
